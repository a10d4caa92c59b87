/* SPDX-License-Identifier: MIT
 *
 * store.h - stores of tokens: in a file, in memory, or in the application.
 *
 * A store holds records.  A record is a JSON object of at most MCPH_STORE_RECORD_MAX
 * bytes.  The store never reads the members of a record.  Records are secret: the
 * functions wipe every copy of a record before they free the memory, and no error message
 * contains a record or a text of a key.
 *
 * Several processes use one store at the same time.  A write names the version of the
 * record that it replaces, so that no process overwrites a record that it has not read.
 * A login that refreshes the tokens of a key holds a claim on the key.  Therefore only
 * one login at a time refreshes these tokens.  The claims of the file store count for all
 * processes.  The claims of store_memory.c and store_calls.c count within one host.
 *
 * No function waits for another process, except that the functions of an application
 * (store_calls.c) may wait.  If a function cannot finish at once, it returns
 * MCPHOST_E_BUSY and changes nothing.  Then repeat the call with the same arguments
 * some milliseconds later, by a timer.
 *
 * A kind of store fills in a table of functions (struct mcph_store_ops).  The stores of
 * this library do no work between calls.  A slow store would use MCPHOST_E_BUSY as
 * follows.  The first call starts the work and returns MCPHOST_E_BUSY.  Further calls
 * for the key return MCPHOST_E_BUSY until the work has ended.  The next call returns
 * the result, and the store drops its copy of the result.  The store itself sets a
 * deadline for the work, and wipes a result that no call fetches.
 */
#ifndef MCPH_AUTH_STORE_H
#define MCPH_AUTH_STORE_H

#include "base/base.h"
#include <mcphost/logins.h>

/* The limits allow the longest values that OAuth accepts (oauth.h): a key for the longest
 * issuer, resource and client id, and a record for the longest secrets of a login. */
#define MCPH_STORE_RECORD_MAX ((size_t)512 * 1024)
#define MCPH_STORE_DEPTH_MAX  16   /* limit on the nesting of a record */
#define MCPH_STORE_TEXT_MAX   4096 /* limit on the bytes of each text of a key */
#define MCPH_STORE_HOLDER_MAX 128

/* The key of a record.  The texts are UTF-8. */
struct mcph_store_key {
    const char *issuer, *resource, *client;
    const char *account; /* a label that the user chose; "" is the default account */
};

/* A record that was read.  Wipe it with mcph_store_record_done(). */
struct mcph_store_record {
    char *text; /* ends with a NUL that `len` does not count */
    size_t len;
    char version[MCPH_DIGEST_HEX]; /* a digest of the text */
};

struct mcph_store;

/* A claim.  The open descriptor `fd` holds the claim: the kernel ends the claim when
 * the last copy of `fd` is closed.  A child that was forked without exec has a copy of
 * `fd`.  Pass `fd` to mcph_core_hold_fd(), so that the child closes its copy.  `fd` is
 * -1 if the claims of the store need no descriptor. */
struct mcph_token_claim {
    struct mcph_store *store;
    int fd;
};

typedef int (*mcph_store_each_fn)(const struct mcph_store_key *key, void *arg);

/* The functions of a kind of store.  Each member does the work of the function of the
 * same name below (mcph_store_read() and so on).  `free` frees the store after its last
 * reference is dropped. */
struct mcph_store_ops {
    int (*read)(struct mcph_store *store, const struct mcph_store_key *key,
                struct mcph_store_record *ret, mcphost_error **reterr);
    int (*write)(struct mcph_store *store, const struct mcph_store_key *key,
                 const char *expected, const char *record, size_t len,
                 mcphost_error **reterr);
    int (*remove)(struct mcph_store *store, const struct mcph_store_key *key,
                  const char *expected, mcphost_error **reterr);
    int (*list)(struct mcph_store *store, mcph_store_each_fn each, void *arg,
                mcphost_error **reterr);
    int (*claim)(struct mcph_store *store, const struct mcph_store_key *key,
                 const char *holder, struct mcph_token_claim **ret,
                 mcphost_error **reterr);
    void (*release)(struct mcph_token_claim *claim);
    void (*free)(struct mcph_store *store);
};

struct mcph_store {
    const struct mcph_store_ops *ops;
    struct mcph_refs refs; /* held by the host, and by threads that use the store */
};

/* Initialises the base of a store, with one reference. */
void mcph_store_init(struct mcph_store *store, const struct mcph_store_ops *ops);
/* Takes a reference.  Returns `store`, which may be NULL. */
struct mcph_store *mcph_store_ref(struct mcph_store *store);
/* Drops a reference.  Dropping the last reference frees the store.  Release all claims
 * before you drop the last reference.  `store` may be NULL.  Returns NULL. */
struct mcph_store *mcph_store_unref(struct mcph_store *store);

/*
 * Each function with a parameter `reterr` returns 0 or an error with a message:
 *
 *   MCPHOST_E_INVALID      a key, a record or a holder is not allowed
 *   MCPHOST_E_NOTFOUND     there is no record for the key
 *   MCPHOST_E_EXISTS       there is a record, but of another version than `expected`;
 *                          read the record that another process has stored, or leave the
 *                          conflict to the application
 *   MCPHOST_E_BUSY         repeat the call later
 *   MCPHOST_E_STATE        the contents of the store were damaged and have been moved
 *                          aside; log the message and repeat the call, or leave these
 *                          two steps to the application
 *   MCPHOST_E_DENIED       other users could have read or changed the store
 *   MCPHOST_E_UNSUPPORTED  a newer version of the library has written the store
 *   MCPHOST_E_LIMIT, MCPHOST_E_IO, MCPHOST_E_NOMEM
 *
 * A store of the application's functions (store_calls.c) may also return other codes, but
 * never MCPHOST_E_STATE.
 */
int mcph_store_read(struct mcph_store *store, const struct mcph_store_key *key,
                    struct mcph_store_record *ret, mcphost_error **reterr);
/* Stores a record.  `expected` is the version of the record that the new record replaces.
 * If `expected` is NULL, there must be no record yet.  White space around the record is
 * not kept.  *ret_version (may be NULL) becomes the version of the new record. */
int mcph_store_write(struct mcph_store *store, const struct mcph_store_key *key,
                     const char *expected, const char *record, size_t len,
                     char ret_version[MCPH_DIGEST_HEX], mcphost_error **reterr);
/* Removes the record.  `expected` is the version that the record must have.  If
 * `expected` is NULL, removes no record, and returns MCPHOST_E_NOTFOUND or
 * MCPHOST_E_EXISTS. */
int mcph_store_remove(struct mcph_store *store, const struct mcph_store_key *key,
                      const char *expected, mcphost_error **reterr);
/* Calls `each` for the key of each record.  The key is valid during the call.  Skips keys
 * that the other functions refuse, because the library has not stored them.  If `each`
 * returns an error code, mcph_store_list() stops, makes no message, and returns this
 * code. */
int mcph_store_list(struct mcph_store *store, mcph_store_each_fn each, void *arg,
                    mcphost_error **reterr);
/* Claims a key.  Returns MCPHOST_E_BUSY if the key is already claimed, by another
 * process or by this process; the message contains the `holder` of that claim.
 * `holder` is a text for people, of at most MCPH_STORE_HOLDER_MAX bytes.  A claim ends
 * when it is released, or when its process ends. */
int mcph_store_claim(struct mcph_store *store, const struct mcph_store_key *key,
                     const char *holder, struct mcph_token_claim **ret,
                     mcphost_error **reterr);
void mcph_store_release(struct mcph_token_claim *claim); /* `claim` may be NULL */

/* Wipes and frees the text.  A zeroed record is allowed. */
void mcph_store_record_done(struct mcph_store_record *record);
/* Computes the version of a record. */
int mcph_store_version(const char *record, size_t len, char ret_version[MCPH_DIGEST_HEX]);

/* ---- the store in memory (store_memory.c) ------------------------------------------ */

/* Makes a store whose records are freed with the store.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_store_memory_new(struct mcph_store **ret);

/* ---- the store of the application's functions (store_calls.c) ---------------------- */

/* Limit on the bytes of a key's text, with its NUL. */
#define MCPH_STORE_NAME_MAX ((size_t)100000)

/* <mcphost/logins.h> describes the functions. */
struct mcph_store_calls {
    mcphost_token_load_fn load;
    mcphost_token_save_fn save;
    mcphost_token_next_fn next;
    void *arg;
    mcphost_free_fn free_arg; /* or NULL */
};

/* Makes a store that calls the functions on the thread that uses the store.  The store
 * frees `arg` with `free_arg`.  Drop references without any lock, because dropping the
 * last reference runs `free_arg`.  Returns 0 or MCPHOST_E_NOMEM; on failure the caller
 * keeps `arg`. */
int mcph_store_calls_new(const struct mcph_store_calls *calls, struct mcph_store **ret);

/* ---- the file store (store_file.c, store_dir.c) -------------------------------------
 * All records are in the file tokens.json of one directory.  The directory has the mode
 * 0700, and each file in it the mode 0600.  The store checks the directory, and each file
 * when it opens the file.  The store refuses the operation if another user owns the
 * directory or the file, if its mode gives rights to other users, or if it is a symbolic
 * link.  The file is replaced as a whole, so that a killed process leaves the old file or
 * the new file.  Members of the file that the library does not know are kept.  A damaged
 * file is renamed to tokens.json.damaged, so that the user can repair it.  The next
 * damaged file replaces tokens.json.damaged.  mcph_store_remove() deletes
 * tokens.json.damaged, even if there is no record, because that file may have the tokens
 * that are to be removed. */

#define MCPH_STORE_FILE_MAX ((size_t)4 * 1024 * 1024)

/* Makes a store in the directory `dir`, an absolute path.  The first write, removal or
 * claim makes the directory if it is missing. */
int mcph_store_file_new(const char *dir, struct mcph_store **ret, mcphost_error **reterr);
/* Makes the path of the directory that programs use unless the user names another
 * directory: mcphost below $XDG_STATE_HOME or, if this variable is not set to an absolute
 * path, below ~/.local/state.  `state_home` and `home` are the values of XDG_STATE_HOME
 * and HOME; each may be NULL.  The caller frees *ret.  Returns 0, MCPHOST_E_NOTFOUND if
 * neither value is an absolute path, or MCPHOST_E_NOMEM. */
int mcph_store_default_dir(const char *state_home, const char *home, char **ret,
                           mcphost_error **reterr);

#endif
