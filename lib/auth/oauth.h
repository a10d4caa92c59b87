/* SPDX-License-Identifier: MIT
 *
 * oauth.h - OAuth for servers at URLs: the URLs of documents, the documents, the forms of
 * requests, and the answers.
 *
 * The functions of this header send nothing and keep no state.  They say which URLs a
 * client fetches, and they read the documents and the answers.  They make the requests
 * and check the redirects.  The caller sends the requests.
 *
 * Functions with a parameter `reterr` return 0 or MCPHOST_E_*.  Outputs other than the
 * reasons of refusals stay untouched on failure.  Errors name the step, the URL without
 * its query, the reason and the next action.  No error contains a secret.  Each function
 * that ends in `_done` accepts a zeroed struct.  If a function fills in a struct, the
 * texts in the struct belong to the struct.  A NULL text is absent.
 *
 * Codes: MCPHOST_E_PROTOCOL (a document breaks its rules), MCPHOST_E_DENIED (a rule of
 * this client forbids the step), MCPHOST_E_AUTH (the authorization server refuses),
 * MCPHOST_E_TRANSPORT (the authorization server has a fault or is overloaded),
 * MCPHOST_E_CONFIG (the user must change the configuration), MCPHOST_E_INVALID (the
 * caller left out a value), MCPHOST_E_LIMIT and MCPHOST_E_NOMEM.
 */
#ifndef MCPH_OAUTH_H
#define MCPH_OAUTH_H

#include "base/base.h"

/* Limits in bytes.  MCPH_OAUTH_URL_MAX also limits an issuer, a resource and a client id.
 * MCPH_OAUTH_TOKEN_MAX limits the JSON text of a secret.  A record in a store (store.h)
 * has room for the longest URLs and secrets. */
#define MCPH_OAUTH_DOCUMENT_MAX ((size_t)1024 * 1024)
#define MCPH_OAUTH_URL_MAX      ((size_t)4096)
#define MCPH_OAUTH_TOKEN_MAX    ((size_t)64 * 1024)
#define MCPH_OAUTH_FORM_MAX     ((size_t)512 * 1024)
#define MCPH_OAUTH_REDIRECT_MAX ((size_t)32 * 1024)

/* The MCP server that wants a token. */
struct mcph_oauth_server {
    const char *url;    /* the URL in the configuration */
    bool takes_private; /* the user accepts authorization servers in private networks */
    bool takes_no_pkce; /* the user accepts metadata that does not list S256 */
};

/* ---- places (places.c) ---------------------------------------------------------------
 * These functions check which URLs the client may fetch, and make the URLs at which the
 * client looks for metadata. */

/* Checks a URL that a server, a document or a challenge names.  https is allowed.  Plain
 * http is allowed on loopback, if the MCP server itself is on loopback.  A user name, a
 * password, a fragment and an escape in the host are not allowed.  A public server must
 * not name an address in a private network or on loopback, unless server->takes_private
 * is set.  `step` names the URL in the message ("token endpoint").  Returns 0,
 * MCPHOST_E_DENIED or MCPHOST_E_NOMEM. */
int mcph_oauth_check_url(const struct mcph_oauth_server *server, const char *step,
                         const char *url, mcphost_error **reterr);
/* Returns true if requests to `url` must not reach private addresses: the request then
 * needs `public_only` of struct mcph_net_site.  If memory is short, returns true unless
 * server->takes_private is set. */
bool mcph_oauth_is_public_only(const struct mcph_oauth_server *server, const char *url);

#define MCPH_OAUTH_PLACES_MAX 3

/* URLs in the order in which the caller tries them. */
struct mcph_oauth_places {
    char *urls[MCPH_OAUTH_PLACES_MAX];
    size_t n;
};

void mcph_oauth_places_done(struct mcph_oauth_places *places);
/* Makes the URLs at which the protected-resource metadata can be (RFC 9728).  `hint` is
 * the challenge's resource_metadata.  If `hint` is not NULL, `hint` is the only URL. */
int mcph_oauth_resource_places(const struct mcph_oauth_server *server, const char *hint,
                               struct mcph_oauth_places *ret, mcphost_error **reterr);
/* Makes the URLs at which the authorization-server metadata can be (RFC 8414, OpenID
 * Connect). */
int mcph_oauth_issuer_places(const struct mcph_oauth_server *server, const char *issuer,
                             struct mcph_oauth_places *ret, mcphost_error **reterr);
/* Returns the origin without a default port: "https://host:8443".  The origin of a server
 * is its issuer if there is no protected-resource metadata (revision 2025-03-26).
 * Returns NULL if memory is short or `url` is not an http or https URL. */
char *mcph_oauth_root(const char *url);

/* ---- protected-resource metadata (resource.c) -------------------------------------- */

#define MCPH_OAUTH_ISSUERS_MAX 16

struct mcph_oauth_resource {
    char *resource; /* exactly as the document spells it */
    char *issuers[MCPH_OAUTH_ISSUERS_MAX];
    size_t n_issuers; /* 0 if the document names no authorization server */
    char *scopes;     /* the supported scopes, separated by blanks */
    char *dpop_algs;  /* algorithms of DPoP proofs, separated by blanks */
    bool takes_header, wants_dpop;
};

/* Reads the document that was found at `url`.  `url` is the URL that was requested,
 * also after a redirect.  The document's `resource` must be the server's URL, or a URL
 * of the same origin whose path is a directory above the server's path.  In the second
 * case, `url` must be the well-known place of `resource`, or of a directory above
 * `resource`.  Without this rule, a server below a path could get tokens for its
 * neighbours.  A path with the segment "." or ".." is refused.  Issuers that
 * mcph_oauth_check_url() refuses are left out.  If all issuers are refused, the
 * document is refused. */
int mcph_oauth_resource_read(const struct mcph_oauth_server *server, const char *url,
                             const char *text, size_t len,
                             struct mcph_oauth_resource *ret, mcphost_error **reterr);
void mcph_oauth_resource_done(struct mcph_oauth_resource *resource);
/* Returns the canonical resource of a server without metadata: scheme and host in lower
 * case, no query, no fragment, no "/" alone as the path.  Returns NULL if memory is short
 * or `url` is not an http or https URL. */
char *mcph_oauth_canonical_resource(const char *url);

/* ---- authorization-server metadata (issuer.c) -------------------------------------- */

/* How a client proves its identity.  The values are bits. */
enum {
    MCPH_OAUTH_METHOD_NONE = 1,
    MCPH_OAUTH_METHOD_BASIC = 2,
    MCPH_OAUTH_METHOD_POST = 4,
    MCPH_OAUTH_METHOD_KEY = 8 /* private_key_jwt */
};

/* Grants.  The values are bits. */
enum {
    MCPH_OAUTH_GRANT_CODE = 1,
    MCPH_OAUTH_GRANT_REFRESH = 2,
    MCPH_OAUTH_GRANT_CLIENT = 4,   /* client_credentials */
    MCPH_OAUTH_GRANT_EXCHANGE = 8, /* token exchange (RFC 8693) */
    MCPH_OAUTH_GRANT_JWT = 16,     /* jwt-bearer (RFC 7523) */
    MCPH_OAUTH_GRANT_DEVICE = 32   /* device_code (RFC 8628) */
};

struct mcph_oauth_issuer {
    char *issuer; /* as the document spells it; `iss` of a redirect must equal it */
    char *authorization, *token, *registration, *device, *revocation; /* endpoints */
    char *scopes;         /* the supported scopes, separated by blanks */
    char *dpop_algs;      /* algorithms of DPoP proofs, separated by blanks */
    char *assertion_algs; /* algorithms of client assertions, separated by blanks */
    unsigned methods;     /* MCPH_OAUTH_METHOD_*; 0 if the document lists none */
    /* MCPH_OAUTH_GRANT_*; MCPH_OAUTH_GRANT_CODE if the document has no list of grants */
    unsigned grants;
    bool lists_methods, gives_code, has_s256;
    bool sends_iss;  /* each redirect has the parameter `iss` (RFC 9207) */
    bool takes_cimd; /* accepts client ID metadata documents */
    bool takes_id_jag;
};

/* Returns true if `found` is the issuer `wanted`.  `wanted` is an issuer in the metadata
 * of a resource or in the configuration.  `found` is the issuer in the metadata of an
 * authorization server, or in the key of a stored record.  The texts must be equal.  One
 * difference is allowed: `wanted` ends in "/" after the host, and `found` leaves this "/"
 * out. */
bool mcph_oauth_issuer_fits(const char *wanted, const char *found);
/* Reads the document that was found at `url`.  The document's issuer must be `issuer`, as
 * mcph_oauth_issuer_fits() says.  If `relaxed` is true, the document may name any issuer
 * of the same origin, or none.  Set `relaxed` only when following the revision
 * 2025-03-26. */
int mcph_oauth_issuer_read(const struct mcph_oauth_server *server, const char *url,
                           const char *issuer, bool relaxed, const char *text, size_t len,
                           struct mcph_oauth_issuer *ret, mcphost_error **reterr);
/* Makes the metadata of a server that has no metadata at all: the default endpoints of
 * the revision 2025-03-26 at the root of the server's origin. */
int mcph_oauth_issuer_default(const struct mcph_oauth_server *server,
                              struct mcph_oauth_issuer *ret, mcphost_error **reterr);
/* Checks that the issuer can authorize a user in a browser: it has the endpoint and gives
 * codes, and it lists PKCE with S256 or server->takes_no_pkce is set.  After a failure
 * the caller tries the metadata at the next place. */
int mcph_oauth_issuer_check_code(const struct mcph_oauth_server *server,
                                 const struct mcph_oauth_issuer *issuer,
                                 mcphost_error **reterr);
void mcph_oauth_issuer_done(struct mcph_oauth_issuer *issuer);

/* ---- refusals (refusal.c) ------------------------------------------------------------
 * An authorization server names the reason of a refusal by a word (RFC 6749, section
 * 5.2). */

enum {
    MCPH_OAUTH_WHY_NONE,      /* nothing was refused */
    MCPH_OAUTH_WHY_OTHER,     /* the message has the reason */
    MCPH_OAUTH_WHY_GRANT,     /* invalid_grant: drop the tokens */
    MCPH_OAUTH_WHY_CLIENT,    /* invalid_client, unauthorized_client: register again */
    MCPH_OAUTH_WHY_SCOPE,     /* invalid_scope, insufficient_scope */
    MCPH_OAUTH_WHY_PENDING,   /* authorization_pending: ask again */
    MCPH_OAUTH_WHY_SLOW_DOWN, /* ask again, less often */
    MCPH_OAUTH_WHY_EXPIRED,   /* expired_token: the device code is too old */
    MCPH_OAUTH_WHY_USER,      /* access_denied */
    MCPH_OAUTH_WHY_NONCE,     /* use_dpop_nonce: repeat with the nonce of the answer */
    MCPH_OAUTH_WHY_LATER,     /* overload or a fault of the server: try again later */
    MCPH_OAUTH_WHY_LOST       /* there is no answer, because the connection was lost or
                               * the time was up */
};

/* Returns MCPH_OAUTH_WHY_* for a word.  NULL gives MCPH_OAUTH_WHY_OTHER. */
int mcph_oauth_why(const char *word);

/* ---- clients (client.c) ------------------------------------------------------------ */

/* Where the client's identity comes from. */
enum {
    MCPH_OAUTH_CLIENT_CONFIGURED,
    MCPH_OAUTH_CLIENT_DOCUMENT, /* a client ID metadata document at a URL */
    MCPH_OAUTH_CLIENT_STORED,   /* an earlier registration with this issuer */
    MCPH_OAUTH_CLIENT_REGISTER  /* the caller sends a registration request */
};

/* The identities that the caller has. */
struct mcph_oauth_identities {
    const char *configured;        /* the configured client id, or NULL */
    const char *configured_issuer; /* the issuer of `configured`; NULL means any issuer */
    const char *document;      /* the URL of the client's metadata document, or NULL */
    const char *stored_issuer; /* the issuer of a stored registration, or NULL */
    /* The issuer of an earlier login with `configured` at this resource, or NULL.  It
     * takes the place of a missing `configured_issuer`.  Set it if the configured client
     * has a secret.  Without this issuer, the MCP server could name another issuer, and
     * the other issuer would get the secret. */
    const char *pinned_issuer;
};

/* Chooses the client's identity.  Sets *ret to MCPH_OAUTH_CLIENT_*.  Returns
 * MCPHOST_E_DENIED if the configured client belongs to another issuer or was used with
 * another issuer, and MCPHOST_E_CONFIG if the user must configure a client. */
int mcph_oauth_client_choose(const struct mcph_oauth_issuer *issuer,
                             const struct mcph_oauth_identities *have, int *ret,
                             mcphost_error **reterr);

/* A client of one issuer. */
struct mcph_oauth_client {
    char *id, *secret;
    int64_t expires_s; /* when the secret expires, in seconds since 1970; 0 means never */
    int method;        /* MCPH_OAUTH_METHOD_* that the issuer chose; 0 if unknown */
    /* The values with which the client was registered.  `name` is NULL if these values
     * are unknown, and `redirect_uri` is NULL if the client uses device codes. */
    char *name, *redirect_uri, *scope;
    bool is_doubted; /* the last login with this client has not led to a token */
};

struct mcph_oauth_registration {
    const char *name;                 /* the issuer shows this name to the user */
    const char *const *redirect_uris; /* NULL ends the list, which may be empty */
    unsigned grants;                  /* MCPH_OAUTH_GRANT_* */
    const char *scope;                /* or NULL */
    int method; /* MCPH_OAUTH_METHOD_*, except MCPH_OAUTH_METHOD_KEY */
};

/* Appends the JSON text of a registration request (RFC 7591).  application_type is "web"
 * if a redirect URI is an http or https URL that is not on loopback, and "native"
 * otherwise. */
int mcph_oauth_registration_add(const struct mcph_oauth_registration *registration,
                                struct mcph_buf *body, mcphost_error **reterr);
/* Reads the answer to a registration request.  A refusal gives MCPHOST_E_AUTH, or
 * MCPHOST_E_TRANSPORT if the server has a fault or is overloaded.  The message has the
 * server's reason, in which `mask` (may be NULL) masks secrets. */
int mcph_oauth_registration_read(const char *url, int status, const char *text,
                                 size_t len, struct mcph_mask *mask,
                                 struct mcph_oauth_client *ret, mcphost_error **reterr);
void mcph_oauth_client_done(struct mcph_oauth_client *client);
/* Copies a client.  Returns false if memory is short: then `to` is partly filled in. */
bool mcph_oauth_client_copy(const struct mcph_oauth_client *from,
                            struct mcph_oauth_client *to);
/* Copies name, redirect URI and scope of the registration into the client.  Returns false
 * if memory is short. */
bool mcph_oauth_client_note(struct mcph_oauth_client *client,
                            const struct mcph_oauth_registration *registration);
/* Returns true if the client may be used in place of a new registration: it is not
 * doubted, its secret has not expired, and it was registered with the name, the
 * redirect URI and at least the scopes of `registration`.  The port of a redirect URI
 * that begins with "http://127.0.0.1:" does not count (RFC 8252, section 7.3).  `now_s`
 * is the time in seconds since 1970. */
bool mcph_oauth_client_covers(const struct mcph_oauth_client *client,
                              const struct mcph_oauth_registration *registration,
                              int64_t now_s);
/* Returns the port of the client's redirect URI if this URI begins with
 * "http://127.0.0.1:", else 0. */
unsigned mcph_oauth_client_port(const struct mcph_oauth_client *client);
/* Chooses how the client proves its identity at the token endpoint.  `has_key` says that
 * the caller can sign assertions.  Sets *ret to MCPH_OAUTH_METHOD_*. */
int mcph_oauth_choose_method(const struct mcph_oauth_issuer *issuer,
                             const struct mcph_oauth_client *client, bool has_key,
                             int *ret, mcphost_error **reterr);

/* ---- authorization (authorize.c) --------------------------------------------------- */

struct mcph_oauth_scoping {
    const char *challenged; /* the challenge's scope */
    const char *configured; /* the scopes of the configuration */
    const char *supported;  /* the scopes that the resource supports */
    const char *held;       /* scopes requested or granted before; a step-up keeps them */
    const char *issuer;     /* the scopes that the issuer supports */
    bool wants_refresh;     /* the client uses refresh tokens */
};

/* Appends the scopes that a request asks for: the challenge's scopes, else the
 * configured scopes, else all supported scopes, else none.  Adds the scopes in `held`.
 * Adds offline_access if the client uses refresh tokens and the issuer lists
 * offline_access, but never alone: a request without scopes asks for the issuer's
 * default scopes. */
int mcph_oauth_select_scopes(const struct mcph_oauth_scoping *scoping,
                             struct mcph_buf *ret, mcphost_error **reterr);

/* The parameters of an authorization request. */
struct mcph_oauth_authorization {
    const char *client_id, *redirect_uri, *challenge, *state, *resource;
    const char *scope;    /* NULL or "" means no scope */
    const char *audience; /* or NULL */
};

/* Makes the URL for the browser.  A parameter that the function adds replaces a parameter
 * of the same name in the endpoint's own query.  The scope offline_access adds
 * prompt=consent.  Only the state in the URL is a secret: wipe the URL with
 * mcph_str_wipe(). */
int mcph_oauth_authorize_url(const struct mcph_oauth_issuer *issuer,
                             const struct mcph_oauth_authorization *authorization,
                             char **ret_url, mcphost_error **reterr);

/* ---- redirects (redirect.c) -------------------------------------------------------- */

/* The values that a redirect must match. */
struct mcph_oauth_awaited {
    const char *state, *issuer, *redirect_uri;
    bool sends_iss; /* copy of sends_iss of struct mcph_oauth_issuer */
    bool has_s256;  /* copy of has_s256 */
};

/* Reads the query of a redirect, without "?".  First checks the state, then the issuer,
 * then reads the code or the error.  Sets *ret_code to the code; wipe it with
 * mcph_str_wipe().  An error redirect gives MCPHOST_E_AUTH or MCPHOST_E_TRANSPORT, and
 * sets *ret_why to MCPH_OAUTH_WHY_*.  A redirect with an invalid code, or with neither a
 * code nor an error, gives MCPHOST_E_PROTOCOL.  A malformed query (for example a query
 * that is too long, or has a parameter twice), or a redirect that does not belong to this
 * login, gives MCPHOST_E_DENIED: the login may still get its own redirect. */
int mcph_oauth_redirect_read(const struct mcph_oauth_awaited *awaited, const char *query,
                             size_t len, struct mcph_mask *mask, char **ret_code,
                             int *ret_why, mcphost_error **reterr);
/* Reads a text that the user pasted: the whole URL of the redirect, its query, or the
 * code alone.  A code alone has no state.  Only PKCE protects the user from pasting a
 * code of another login.  So a code alone is refused if the issuer does not list S256,
 * and also if the issuer sends `iss`. */
int mcph_oauth_pasted_read(const struct mcph_oauth_awaited *awaited, const char *text,
                           size_t len, struct mcph_mask *mask, char **ret_code,
                           int *ret_why, mcphost_error **reterr);

/* ---- token requests (token.c) ------------------------------------------------------ */

/* The client's proof of identity. */
struct mcph_oauth_proof {
    int method; /* MCPH_OAUTH_METHOD_* */
    const char *client_id, *secret;
    const char *assertion; /* the signed assertion of MCPH_OAUTH_METHOD_KEY */
};

/* A token request.  Members that the grant does not use are ignored.  The comments at the
 * members name the grants without the prefix MCPH_OAUTH_GRANT_. */
struct mcph_oauth_request {
    int grant;                                                 /* MCPH_OAUTH_GRANT_* */
    const char *code, *redirect_uri, *verifier;                /* CODE */
    const char *refresh_token;                                 /* REFRESH */
    const char *subject_token, *subject_type, *requested_type; /* EXCHANGE */
    const char *assertion;                                     /* JWT */
    const char *device_code;                                   /* DEVICE */
    const char *resource, *scope, *audience;                   /* each may be NULL */
};

#define MCPH_OAUTH_TYPE_ID_JAG   "urn:ietf:params:oauth:token-type:id-jag"
#define MCPH_OAUTH_TYPE_ID_TOKEN "urn:ietf:params:oauth:token-type:id_token"

/* Appends the form of the request to `body`, and the value of the Authorization header
 * to `header`.  `header` stays empty if the method needs no header.  Both texts are
 * secrets; wipe the buffers with mcph_buf_wipe().  Returns MCPHOST_E_INVALID if the
 * grant or the method needs a member that is NULL. */
int mcph_oauth_request_add(const struct mcph_oauth_request *request,
                           const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                           struct mcph_buf *header, mcphost_error **reterr);
/* Appends the form of a revocation (RFC 7009), as mcph_oauth_request_add() does.
 * `is_refresh` says that `token` is a refresh token. */
int mcph_oauth_revocation_add(const char *token, bool is_refresh,
                              const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                              struct mcph_buf *header, mcphost_error **reterr);

/* ---- token answers (answer.c) ------------------------------------------------------ */

#define MCPH_OAUTH_EXPIRES_MAX ((int64_t)10 * 365 * 24 * 3600)

struct mcph_oauth_token {
    char *access, *refresh, *id_token; /* secrets */
    char *scope;       /* the granted scopes; NULL means the scopes that were requested */
    int64_t expires_s; /* seconds, at most MCPH_OAUTH_EXPIRES_MAX; -1 means unknown */
    bool is_dpop;      /* token_type is DPoP */
};

/* The reason of a refused token request, and the pause that the server wants. */
struct mcph_oauth_refusal {
    int why;            /* MCPH_OAUTH_WHY_* */
    int64_t interval_s; /* a new interval between device requests; 0 means none */
};

/* Reads the answer to a token request for this grant.  A refusal gives MCPHOST_E_AUTH, or
 * MCPHOST_E_TRANSPORT if the server has a fault or is overloaded.  *ret_refusal is always
 * set: `why` is MCPH_OAUTH_WHY_NONE if the server refused nothing.  The token of
 * MCPH_OAUTH_GRANT_EXCHANGE may have the token_type N_A, and must have the
 * issued_token_type MCPH_OAUTH_TYPE_ID_JAG. */
int mcph_oauth_token_read(int grant, const char *url, int status, const char *text,
                          size_t len, struct mcph_mask *mask,
                          struct mcph_oauth_token *ret,
                          struct mcph_oauth_refusal *ret_refusal, mcphost_error **reterr);
void mcph_oauth_token_done(struct mcph_oauth_token *token);

/* ---- the device grant (device.c) --------------------------------------------------- */

#define MCPH_OAUTH_USER_CODE_MAX 64

struct mcph_oauth_device {
    char *device_code; /* a secret */
    /* The application shows these texts to the user.  `user_code` has visible ASCII
     * characters, and single blanks and hyphens between them.  mcph_oauth_check_url()
     * accepts the URIs.  `uri_complete` is NULL if the answer does not have this URI, or
     * if mcph_oauth_check_url() refuses this URI. */
    char *user_code, *uri, *uri_complete;
    int64_t expires_s, interval_s;
};

/* Appends the form of a device request, as mcph_oauth_request_add() does.  `scope` and
 * `resource` may be NULL. */
int mcph_oauth_device_add(const char *scope, const char *resource,
                          const struct mcph_oauth_proof *proof, struct mcph_buf *body,
                          struct mcph_buf *header, mcphost_error **reterr);
int mcph_oauth_device_read(const struct mcph_oauth_server *server, const char *url,
                           int status, const char *text, size_t len,
                           struct mcph_mask *mask, struct mcph_oauth_device *ret,
                           mcphost_error **reterr);
void mcph_oauth_device_done(struct mcph_oauth_device *device);
/* Returns the seconds to wait before the next device request, at most 300, after a
 * refusal whose `why` is MCPH_OAUTH_WHY_PENDING, MCPH_OAUTH_WHY_SLOW_DOWN or
 * MCPH_OAUTH_WHY_LOST. */
int64_t mcph_oauth_device_next(int64_t interval_s,
                               const struct mcph_oauth_refusal *refusal);

#endif
