/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations that the files of the fake authorization server share.
 *
 * A login is one authorization by a user, by a device code or by a client itself.  A
 * login owns all tokens that result from the login.  Clients, logins and tokens are not
 * freed before the process ends, so that pointers to these objects stay valid.
 */
#ifndef TESTS_SUPPORT_FAKEAUTH_INNER_H
#define TESTS_SUPPORT_FAKEAUTH_INNER_H

#include <openssl/evp.h>

#include "support/fakeauth/auth.h"

/* ---- the state --------------------------------------------------------------------- */

#define SERVERS 4

/* An authorization server.  The numbers begin with 1. */
struct as {
    int number;
    bool is_same; /* the server is at the origin of the MCP endpoint */
    char *path;   /* the path of the issuer, for example "" or "/t1" */
    char *origin, *issuer;
    const struct listener *at;
    EVP_PKEY *key; /* signs ID tokens and ID-JAGs */
    struct as *next;
};

enum { METHOD_NONE, METHOD_BASIC, METHOD_POST, METHOD_KEY, METHODS };

struct client {
    char *id, *secret;
    int as;            /* the number of the server that knows the client; 0 means all */
    int method;        /* METHOD_*; METHODS means any */
    json_t *redirects; /* NULL means any */
    EVP_PKEY *key;
    bool forgotten;
    struct client *next;
};

struct login {
    int number; /* counted from 1; 0 before login_as() */
    int as;
    const struct client *client;
    char *account, *scope, *resource; /* resource: NULL if the client did not name it */
    char *jkt;   /* the thumbprint of the DPoP key that refresh tokens are bound to */
    char *nonce; /* the nonce for the ID token, or NULL */
    bool revoked;
};

struct code {
    char *text, *redirect, *challenge;
    struct login *login;
    int64_t until_ms;
    bool used;
    struct code *next;
};

struct refresh {
    char *text;
    struct login *login;
    struct refresh *parent; /* the refresh token that this token replaces, or NULL */
    bool dead;
    struct refresh *next;
};

struct access {
    char *text, *scope, *jkt;
    struct login *login;
    int64_t until_ms;
    bool dead;
    struct access *next;
};

struct device {
    char *code, *user_code;
    struct login *login;
    int64_t until_ms, next_poll_ms;
    long interval_s;
    int polls;
    enum { DEVICE_PENDING, DEVICE_APPROVED, DEVICE_DENIED, DEVICE_USED } state;
    struct device *next;
};

struct need {
    char *tool, *scope;
    struct need *next;
};

/* A text that the servers accept as another issuer's token for this account. */
struct subject {
    char *text, *account;
    struct subject *next;
};

struct account {
    char *name;
    struct account *next;
};

enum step {
    STEP_CHALLENGE,
    STEP_USE,
    STEP_RESOURCE,
    STEP_ISSUER,
    STEP_REGISTER,
    STEP_AUTHORIZE,
    STEP_TOKEN,
    STEP_REFRESH,
    STEP_DEVICE,
    STEP_REVOKE,
    STEPS
};

/* A member of the answers of a step.  Without a value the member is left out. */
struct member {
    enum step step;
    char *name;
    json_t *value;
    struct member *next;
};

/* Places of metadata.  The values are bits. */
enum {
    PRM_PATH = 1,
    PRM_ROOT = 2,
    PRM_CUSTOM = 4,
    META_OAUTH = 1,
    META_OPENID = 2,
    META_TAIL = 4
};

enum { ROTATE_OFF, ROTATE_GRACE, ROTATE_STRICT };
enum { DPOP_OFF, DPOP_ON, DPOP_REQUIRED, DPOP_NONCE };
enum { REFRESH_ON, REFRESH_OFF, REFRESH_OFFLINE };
enum { PKCE_ON, PKCE_UNLISTED, PKCE_PLAIN };
enum { ISS_ON, ISS_SILENT, ISS_OFF };

struct auth {
    struct http *http;
    struct as *servers;
    /* The script sets these members, except `account_is_used` and the members from `seen`
     * to `posted_len`. */
    bool is_on, is_legacy, has_tool, has_hint, no_registration, exact_redirects,
        takes_cimd;
    unsigned prm, metadata, methods, trusts; /* `trusts`: a bit for the number of each
                                              * server that the resource trusts */
    int rotate, dpop, refreshing, pkce, iss;
    long expires_s, claimed_s; /* `claimed_s`: the value of expires_in in answers; -1
                                * means no expires_in */
    long device_interval_s, device_expires_s, device_polls;
    long skew_s;
    char *scopes, *asks, *allows, *challenge, *grants;
    struct account *accounts;
    int ports[SERVERS]; /* the ports of the servers; 0 means a free port */
    bool account_is_used;
    struct need *needs;
    struct subject *subjects;
    struct member *members;
    struct fault *faults;
    int seen[STEPS][SERVERS + 1]; /* number of requests of each step for each server; [0]
                                   * counts the requests for all servers */
    int current; /* number of the server that handles the present request; 0 means the
                  * resource */
    const char *posted; /* the body of the present request */
    size_t posted_len;
    /* The state of the process. */
    struct client *clients;
    struct code *codes;
    struct refresh *refreshes;
    struct access *accesses;
    struct device *devices;
    int n_logins, n_clients, n_nonces;
    char *nonces[2]; /* the nonces that DPoP proofs must have: [0] for the servers, [1]
                      * for the resource */
    json_t *jtis;
};

/* ---- form.c: forms and queries ----------------------------------------------------- */

struct form {
    char **names, **values;
    size_t n;
};

/* Reads `a=b&c=d` and traces each parameter as "f NAME=VALUE". */
void form_read(const struct auth *auth, const char *text, size_t len, struct form *ret);
void form_done(struct form *form);
/* Returns the value of a parameter, or NULL if the parameter is absent. */
const char *form_get(const struct form *form, const char *name);
bool form_has_twice(const struct form *form);
char *form_decode(const char *text, size_t len); /* the caller frees the text */
/* Appends `first` ("?" or "&") and `name=value`. */
void form_add(struct bytes *out, char first, const char *name, const char *value);

/* ---- reply.c: answers -------------------------------------------------------------- */

struct reply {
    int status;
    const char *type; /* Content-Type of the body */
    struct bytes headers, body;
};

void reply_header(struct reply *reply, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void reply_json(struct reply *reply, int status, json_t *steals);
/* Makes a reply as reply_json() does, but first sets or removes the members that the
 * script names for this step. */
void reply_document(struct auth *auth, enum step step, int status, struct reply *reply,
                    json_t *steals);
void reply_page(struct reply *reply, int status, const char *text);
/* Makes a reply that is an error of OAuth.  `description` may be NULL. */
void reply_error(struct reply *reply, int status, const char *word,
                 const char *description);
/* Sends the answers of this step that the fault `hold` has kept. */
void reply_release(struct auth *auth, enum step step);
/* Sends the answer with the faults of the step, and frees the reply. */
void reply_send(struct auth *auth, struct exchange *ex, enum step step,
                struct reply *reply);

/* ---- fault.c: planned faults ------------------------------------------------------- */

struct fault;

void fault_read(struct auth *auth, char *value);
enum step fault_step(const char *name); /* ends the program if no step has the name */
/* Counts a request of this step.  After this call, the faults of the step apply to this
 * request. */
void fault_count(struct auth *auth, enum step step);
/* Returns true if the present request of the step has this fault, and traces the fault.
 * Sets *ret_n and *ret_text to the fault's number and text.  Both pointers may be
 * NULL. */
bool fault_is(struct auth *auth, enum step step, const char *kind, long *ret_n,
              const char **ret_text);
/* Sends the answer of a fault that replaces the work of the step.  Returns false if no
 * fault replaces the work of the step. */
bool fault_replaces(struct auth *auth, struct exchange *ex, enum step step);
/* Cuts off the first word of *rest and returns it. */
char *fault_word(char **rest);

/* ---- state.c: clocks, accounts and texts ------------------------------------------- */

int64_t auth_now_ms(void); /* returns the monotonic time */
/* Returns the Unix time in seconds, as the server's clock shows it during this step. */
int64_t auth_now_s(struct auth *auth, enum step step);
/* Returns the account of the next login: `hint` or, if `hint` is NULL, the account that
 * the script sets.  The caller frees the text. */
char *auth_account(struct auth *auth, const char *hint);
char *auth_vformat(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
char *auth_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns `prefix` and 32 random bytes in base64url. */
char *auth_random(const char *prefix);
bool auth_has_word(const char *words, const char *word);
/* Returns true if each word of `some` is in `words`. */
bool auth_has_words(const char *words, const char *some);
bool auth_is_same(const char *a, const char *b); /* NULL equals NULL */
char *auth_resource(const struct auth *auth);    /* returns the URL of the MCP endpoint */
void auth_trace(const struct auth *auth, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- jwt.c: JSON Web Tokens -------------------------------------------------------- */

char *jwt_encode(const void *data, size_t len); /* encodes in base64url */
unsigned char *jwt_decode(const char *text, size_t len, size_t *ret_len);
/* Makes a JWT with a signature by ES256.  Takes ownership of `header` and `claims`. */
char *jwt_sign(EVP_PKEY *key, json_t *header, json_t *claims);
/* Returns the header (part 0) or the claims (part 1), or NULL if this part is no JSON
 * object. */
json_t *jwt_part(const char *jwt, int part);
bool jwt_verify(EVP_PKEY *key, const char *jwt); /* accepts ES256, RS256 */
EVP_PKEY *jwt_key(json_t *jwk);                  /* returns a public key, or NULL */
/* Returns the public half of a P-256 key as a JWK. */
json_t *jwt_jwk(EVP_PKEY *key);
char *jwt_thumbprint(json_t *jwk);
char *jwt_digest(const char *text); /* returns the SHA-256 in base64url */

/* ---- dpop.c: proofs of possession -------------------------------------------------- */

/* Checks the proof of a request, unless the script has `dpop off`.  Sets *ret_jkt to the
 * key's thumbprint, or to NULL without a good proof.  Returns NULL or the word for the
 * error.  `token` is the access token that the request carries, or NULL. */
const char *dpop_check(struct auth *auth, const struct exchange *ex, enum step step,
                       const char *url, const char *token, char **ret_jkt);
/* Returns the nonce that the next proof must have.  STEP_USE selects the nonce of the
 * resource, and any other step selects the nonce of the authorization servers.  If
 * `fresh` is set, first makes a new nonce. */
const char *dpop_nonce(struct auth *auth, enum step step, bool fresh);

/* ---- resource.c: the protected resource -------------------------------------------- */

bool resource_take(struct auth *auth, struct exchange *ex);
/* Answers 401 or 403 to a request for the MCP endpoint. */
void resource_challenge(struct auth *auth, struct exchange *ex, int status,
                        const char *error, const char *scope);

/* ---- issuer.c: an authorization server --------------------------------------------- */

struct as *issuer_new(struct auth *auth);
/* Returns NULL if no server has the number. */
struct as *issuer_find(struct auth *auth, int number);
bool issuer_take(struct auth *auth, struct exchange *ex, const char *body, size_t len);

/* ---- client.c: clients ------------------------------------------------------------- */

extern const char *const client_methods[METHODS];

struct client *client_new(struct auth *auth, const char *id, int as);
/* Finds a client that this server knows, or returns NULL.  Accepts the URL of a metadata
 * document if the script has `cimd on`. */
struct client *client_find(struct auth *auth, const struct as *as, const char *id);
bool client_has_redirect(const struct auth *auth, const struct client *client,
                         const char *uri);
void client_register(struct auth *auth, struct as *as, struct exchange *ex,
                     const char *body, size_t len);
/* Checks the client's proof of identity.  Returns NULL and traces the reason if the proof
 * is wrong. */
struct client *client_check(struct auth *auth, struct as *as, const struct exchange *ex,
                            const struct form *form, enum step step);

/* ---- login.c: logins and their tokens ---------------------------------------------- */

/* Makes a login that has no account yet. */
struct login *login_new(const struct as *as, const struct client *client,
                        const char *scope, const char *resource);
/* Gives the login its number and its account.  Takes ownership of `account`. */
void login_as(struct auth *auth, struct login *login, char *account);
/* Returns the scopes that the server grants to a client that asks for `asked`: the scopes
 * of `asked` that the script allows.  If `asked` is NULL, the client asks for all scopes
 * of the script. */
char *login_scope(const struct auth *auth, const char *asked);
struct access *login_access(struct auth *auth, struct login *login, const char *scope,
                            const char *jkt);
struct refresh *login_refresh(struct auth *auth, struct login *login,
                              struct refresh *parent);
struct access *access_find(struct auth *auth, const char *text);
struct refresh *refresh_find(struct auth *auth, const char *text);
/* Uses a refresh token.  Returns NULL, or the word for the error.  *ret is the new
 * refresh token, or NULL if the client keeps the old token. */
const char *refresh_use(struct auth *auth, struct refresh *old, struct refresh **ret);

/* ---- authorize.c, token.c, device.c: endpoints ------------------------------------- */

void authorize_take(struct auth *auth, struct as *as, struct exchange *ex,
                    const char *query);
void token_take(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
                size_t len);
void token_revoke(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
                  size_t len);
void device_take(struct auth *auth, struct as *as, struct exchange *ex, const char *body,
                 size_t len);
/* Handles the user's side: /device, /device/approve and /device/deny. */
void device_visit(struct auth *auth, struct as *as, struct exchange *ex, const char *path,
                  const char *query);
/* Handles a poll.  On success, sets *ret_login and returns NULL.  Otherwise returns the
 * word for the error. */
const char *device_poll(struct auth *auth, const struct as *as, const char *code,
                        struct login **ret_login);

#endif
