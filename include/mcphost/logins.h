/* SPDX-License-Identifier: MIT
 *
 * logins.h - logins at servers by OAuth, and where their tokens are kept.
 *
 * Some servers at URLs need a login.  The host finds the server's authorization server,
 * asks the user with MCPHOST_REQUEST_AUTHORIZE, and keeps the tokens.  Later the host
 * refreshes the tokens without a question.  mcphost-auth(7) explains logins.
 *
 * No function of this header returns a token.  Any thread may call these functions.
 */
#ifndef MCPHOST_LOGINS_H
#define MCPHOST_LOGINS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a server gets its credentials: the key `auth` of its entry.  Since: 0.3 */
enum mcphost_auth_mode {
    /* by OAuth if the entry has no header Authorization and the host can log in,
     * otherwise as with MCPHOST_AUTH_HEADERS.  A host can log in if the application
     * answers MCPHOST_REQUEST_AUTHORIZE or has set a store other than
     * MCPHOST_TOKENS_MEMORY. */
    MCPHOST_AUTH_AUTO = 0,
    MCPHOST_AUTH_NONE = 1,    /* the headers of the entry alone, without a question */
    MCPHOST_AUTH_HEADERS = 2, /* headers of the application (MCPHOST_REQUEST_CREDENTIALS,
                               * mcphost_set_credential()) */
    MCPHOST_AUTH_OAUTH = 3    /* by OAuth */
};

/* The flow by which a server gets its tokens: the key `auth.flow` of its entry.
 * Since: 0.3 */
enum mcphost_login_flow {
    MCPHOST_FLOW_AUTO = 0,    /* BROWSER, or DEVICE if the authorization server has no
                               * page for a browser */
    MCPHOST_FLOW_BROWSER = 1, /* the user logs in with a browser (authorization code) */
    MCPHOST_FLOW_DEVICE = 2,  /* the user enters a code on another device (RFC 8628) */
    MCPHOST_FLOW_CLIENT_CREDENTIALS = 3, /* the host logs in as itself, without a user */
    MCPHOST_FLOW_JWT_BEARER = 4,         /* a configured assertion (RFC 7523), without a
                                          * question */
    MCPHOST_FLOW_TOKEN_EXCHANGE = 5 /* an identity token of the user (RFC 8693), without
                                          * a question */
};

/* Where a host keeps tokens.  Since: 0.3 */
enum mcphost_token_store {
    MCPHOST_TOKENS_MEMORY = 0, /* in the memory of the process, until the host ends */
    MCPHOST_TOKENS_FILE = 1    /* in a file that only its owner may read */
};

/*
 * mcphost_set_token_store - set where the host keeps tokens.
 *
 * The default is MCPHOST_TOKENS_MEMORY.  Several processes may use one file at the same
 * time.  One process refreshes a token for all processes, and the user logs in once for
 * all processes.
 *
 * `directory` is the absolute path of the directory in which the file is.  The first
 * login makes the directory.  If `directory` is NULL, it is $XDG_STATE_HOME/mcphost or,
 * if this variable is not set to an absolute path, ~/.local/state/mcphost.  For
 * MCPHOST_TOKENS_MEMORY, `directory` must be NULL.
 *
 * Call this function before the host loads a configuration.
 *
 * Errors: MCPHOST_E_INVALID (`store` is not one of MCPHOST_TOKENS_*, or `directory` is
 *   not an absolute path, or is not NULL for MCPHOST_TOKENS_MEMORY), MCPHOST_E_NOTFOUND
 *   (there is no default directory), MCPHOST_E_STATE (the host is loaded already),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without credentials).
 * Since: 0.3
 */
MCPHOST_API int
mcphost_set_token_store(mcphost *host, int store, MCPHOST_NULLABLE const char *directory,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- a store of the application ---------------------------------------------------- */

/*
 * mcphost_token_load_fn - load a record of the application's store of tokens.
 *
 * The store has a record for each login: a text under a key.  Keys and records are
 * texts of the library in UTF-8.  Do not change these texts.  A key is not secret, and
 * has less than 100,000 bytes.  A record has at most 524,288 bytes, and its tokens are
 * secret.  The library wipes its copies of records.
 *
 * Write the record of `key` into `buffer`, with a NUL at the end.  `buffer` has `size`
 * bytes, enough for each record, and is full of NULs at first.
 *
 * The functions of the store run on the thread that dispatches, and on the threads that
 * call mcphost_get_logins() and mcphost_log_out(), but never two at once.  No lock is
 * held.  A function must not wait, and must not call functions of the library with this
 * host.  A function that needs more time starts its work and returns MCPHOST_E_BUSY.  A
 * login then calls the function again 100 ms later, for at most 5 seconds.
 *
 * To report the reason of a failure, store an error in *reterr, for example with
 * mcphost_error_new().  The text of the error must hold no secret.
 *
 * Returns: 0, MCPHOST_E_NOTFOUND if the store has no record of `key`, MCPHOST_E_BUSY, or
 *   the code of another error.
 * Since: 0.3
 */
typedef int (*mcphost_token_load_fn)(const char *key, char *buffer, size_t size,
                                     MCPHOST_NULLABLE void *arg,
                                     MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_token_save_fn - save or remove a record of the application's store of tokens.
 *
 * Replace the record `old` of `key` by `text`.  If `old` is NULL, there is no record
 * yet.  If `text` is NULL, remove the record.
 *
 * If several processes use the store, the function must compare: in one step, check
 * that the record is still `old`, and save `text`.  If another process has changed the
 * record, change nothing and return MCPHOST_E_EXISTS, or MCPHOST_E_NOTFOUND if the
 * record was removed.  The library then loads the record and decides again.
 * mcphost_token_load_fn has the rules that hold for all functions of the store.
 *
 * Returns: 0, MCPHOST_E_EXISTS, MCPHOST_E_NOTFOUND, MCPHOST_E_BUSY, or the code of
 *   another error.
 * Since: 0.3
 */
typedef int (*mcphost_token_save_fn)(const char *key, MCPHOST_NULLABLE const char *old,
                                     MCPHOST_NULLABLE const char *text,
                                     MCPHOST_NULLABLE void *arg,
                                     MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_token_next_fn - find the next key of the application's store of tokens.
 *
 * Write the key that follows `after` into `buffer`, with a NUL at the end.  `buffer`
 * has `size` bytes, enough for each key, and begins with a NUL.  Keys follow each other
 * in an order that the application chooses, for example the order of strcmp(3).  If
 * `after` is "", write the first key.  The key `after` need not exist any more.  The
 * library ignores keys that it has not made.  A store of more than 10,000 keys is an
 * error.  mcphost_token_load_fn has the rules that hold for all functions of the store.
 *
 * Returns: 0, MCPHOST_E_NOTFOUND if there is no further key, MCPHOST_E_BUSY, or the code
 *   of another error.
 * Since: 0.3
 */
typedef int (*mcphost_token_next_fn)(const char *after, char *buffer, size_t size,
                                     MCPHOST_NULLABLE void *arg,
                                     MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_set_token_callbacks - have the application keep the tokens.
 *
 * The host keeps its tokens with these functions, for example in a database or a keychain
 * of the application.  The three functions get `arg`.
 *
 * Within this host, at most one login at a time refreshes a given token, and at most one
 * login at a time asks the user to log in at a given authorization server.  The host
 * cannot claim a token from other hosts and processes.  If two hosts refresh a token at
 * the same time, the comparison in `save` decides: the login that saves later takes the
 * token that the other login has saved.
 *
 * Call this function before the host loads a configuration.  mcphost_set_token_store()
 * and this function replace each other's store.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: when another store is set, in the last mcphost_unref() of the host, or, if this
 * function fails, before it returns.  If another thread is in mcphost_get_logins() when
 * another store is set, `free_arg` runs on that thread, before mcphost_get_logins()
 * returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (the host is loaded already),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the
 *   library was built without credentials).
 * Since: 0.3
 */
MCPHOST_API int
mcphost_set_token_callbacks(mcphost *host, mcphost_token_load_fn load,
                            mcphost_token_save_fn save, mcphost_token_next_fn next,
                            MCPHOST_NULLABLE void *arg,
                            MCPHOST_NULLABLE mcphost_free_fn free_arg,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- the list of logins ------------------------------------------------------------ */

typedef struct mcphost_logins mcphost_logins;

/* The state of a login.  Since: 0.3 */
enum mcphost_login_state {
    MCPHOST_LOGIN_VALID = 1,     /* the token can be used */
    MCPHOST_LOGIN_RENEWABLE = 2, /* the token has expired, and the host can refresh it */
    MCPHOST_LOGIN_EXPIRED = 3    /* the token has expired or was refused, or the record
                               * cannot be read; the user must log in again */
};

/*
 * mcphost_get_logins - take a snapshot of the logins in the host's store.
 *
 * The snapshot has a row for each login that the store keeps, also for servers that the
 * configuration does not name.  The rows have no order.  If a function of
 * mcphost_set_token_callbacks() fails, this function fails with the same code.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_BUSY (another process or thread uses the store;
 *   call again later), MCPHOST_E_DENIED (another user could read or change the store),
 *   MCPHOST_E_STATE (the store was damaged, and its contents were moved aside; call
 *   again), MCPHOST_E_LIMIT (a text in the store is too long), MCPHOST_E_IO (the store
 *   cannot be read, or a function of the store returned MCPHOST_E_STATE or an unknown
 *   code), MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (a newer version of
 *   the library has written the store, or the library was built without credentials).
 * Since: 0.3
 */
MCPHOST_API int mcphost_get_logins(mcphost *host,
                                   MCPHOST_OWNED mcphost_logins **ret_logins,
                                   MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `logins`.  Returns: the argument.  Since: 0.3 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_logins *
mcphost_logins_ref(MCPHOST_NULLABLE mcphost_logins *logins);

/* Drops a reference to `logins`.  Dropping the last reference frees the snapshot.
 * Returns: NULL.  Since: 0.3 */
MCPHOST_API MCPHOST_NULLABLE mcphost_logins *
mcphost_logins_unref(MCPHOST_NULLABLE mcphost_logins *logins);

/* Returns the number of rows.  Since: 0.3 */
MCPHOST_API size_t mcphost_logins_count(const mcphost_logins *logins);

/* Returns the id of a server whose URL the login serves, or "SOURCE:SERVER" for a server
 * of another source than the default source, or NULL if the login serves no server of a
 * loaded configuration or `index` is too large.  A configuration counts as soon as it is
 * loaded.  Since: 0.3 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_logins_get_server_id(const mcphost_logins *logins, size_t index);

/* Returns the authorization server, a URL, or NULL if `index` is too large.
 * Since: 0.3 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_logins_get_issuer(const mcphost_logins *logins, size_t index);

/* Returns the URL that names the MCP server to the authorization server, or NULL if
 * `index` is too large.  Since: 0.3 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_logins_get_resource(const mcphost_logins *logins, size_t index);

/* Returns the label of the account (the key `auth.account`), or "" for the default
 * account, or NULL if `index` is too large.  Since: 0.3 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_logins_get_account(const mcphost_logins *logins, size_t index);

/* Returns the granted scopes, separated by blanks, or NULL if the scopes are not known or
 * `index` is too large.  Since: 0.3 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_logins_get_scope(const mcphost_logins *logins, size_t index);

/* Returns the seconds from the snapshot until the token expires, or 0 if the token has
 * expired, or -1 if the time is not known or `index` is too large.  Since: 0.3 */
MCPHOST_API int64_t mcphost_logins_get_expires_s(const mcphost_logins *logins,
                                                 size_t index);

/* Returns the state of the login, one of MCPHOST_LOGIN_*, or 0 if `index` is too large.
 * Since: 0.3 */
MCPHOST_API int mcphost_logins_get_state(const mcphost_logins *logins, size_t index);

/*
 * mcphost_log_out - remove the tokens of a server.
 *
 * `server` is the id of a server of a loaded configuration, or "SOURCE:SERVER" for a
 * server of another source than the default source.  The function removes the tokens of
 * the server's URL and account from the store and from the memory of this host.  The
 * next request to the server needs a new login.
 *
 * The host then revokes the refresh token, or else the access token, at the authorization
 * server (RFC 7009), while the application dispatches.  The function does not wait for
 * the revocation.  A line of the log says how the revocation has ended.  If the
 * revocation fails, the logout is still valid.  A host that closes waits for the
 * revocation, for at most 5 seconds and not longer than the limit of
 * mcphost_close_within().  Other processes that have read an access token can use this
 * token until the token expires, unless the authorization server refuses the token.  If a
 * function of mcphost_set_token_callbacks() fails, this function fails with the same
 * code.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (no loaded configuration has this server
 *   at a URL, or the server is disabled), MCPHOST_E_BUSY (another process or thread uses
 *   the store; call again later), MCPHOST_E_EXISTS (another process has replaced the
 *   tokens meanwhile; call again), MCPHOST_E_STATE (the store is damaged; call again),
 *   MCPHOST_E_DENIED (another user could read or change the store), MCPHOST_E_LIMIT (a
 *   text in the store is too long), MCPHOST_E_IO (the store cannot be read or written, or
 *   a function of the store returned MCPHOST_E_STATE or an unknown code),
 *   MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (a newer
 *   version of the library has written the store, or the library was built without
 *   credentials).
 * Since: 0.3
 */
MCPHOST_API int mcphost_log_out(mcphost *host, const char *server,
                                MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif

#endif
