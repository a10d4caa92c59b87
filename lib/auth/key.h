/* SPDX-License-Identifier: MIT
 *
 * key.h - keys, signed texts and secrets of OAuth: the part of lib/auth that uses
 * libcrypto.
 *
 * The functions do no input or output, and have no global state.  They do not change
 * the error queue of libcrypto, because this queue belongs to the application.  Any
 * thread may call the functions.  Several threads may use one key at the same time.  No
 * message contains a secret.
 */
#ifndef MCPH_AUTH_KEY_H
#define MCPH_AUTH_KEY_H

#include "base/base.h"
#include "json/json.h"

/* ---- private keys (key.c) ----------------------------------------------------------
 * A key signs with ES256 (P-256) or with RS256 (RSA). */

#define MCPH_KEYPAIR_PEM_MAX ((size_t)64 * 1024)
#define MCPH_KEYPAIR_RSA_MIN 2048 /* bits; RFC 7518, section 3.3 */
#define MCPH_KEYPAIR_RSA_MAX 8192 /* bits; signing with a longer key takes too long */
#define MCPH_SIGNATURE_MAX   (MCPH_KEYPAIR_RSA_MAX / 8)

struct mcph_keypair;

/* Reads a private key from PEM (PKCS#8, SEC1 or PKCS#1).  Skips other blocks, for example
 * certificates.  Messages call the text `what`.  Returns 0, MCPHOST_E_INVALID (no key, an
 * encrypted key, a key of another kind or size, or two halves that do not belong
 * together), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM or MCPHOST_E_STATE (libcrypto refuses). */
int mcph_keypair_read(const char *pem, size_t len, const char *what,
                      struct mcph_keypair **ret, mcphost_error **reterr);
/* Makes a new key for ES256.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_STATE (libcrypto
 * refuses). */
int mcph_keypair_new(struct mcph_keypair **ret, mcphost_error **reterr);
/* Appends the private key as PEM (PKCS#8, not encrypted).  The caller wipes `pem`.
 * Returns 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT or MCPHOST_E_STATE. */
int mcph_keypair_write(const struct mcph_keypair *key, struct mcph_buf *pem,
                       mcphost_error **reterr);
struct mcph_keypair *
mcph_keypair_free(struct mcph_keypair *key); /* takes NULL; returns NULL */

const char *
mcph_keypair_algorithm(const struct mcph_keypair *key); /* "ES256" or "RS256" */
/* Returns the public key as JWK: the required members alone, in lexical order, without
 * white space (RFC 7638, section 3). */
const char *mcph_keypair_jwk(const struct mcph_keypair *key);
/* Returns the SHA-256 thumbprint of the public key (RFC 7638) in base64url. */
const char *mcph_keypair_thumbprint(const struct mcph_keypair *key);
/* Signs the data.  `ret_signature` must hold MCPH_SIGNATURE_MAX bytes.  The signature
 * has the form of RFC 7518.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_STATE. */
int mcph_keypair_sign(const struct mcph_keypair *key, const void *data, size_t len,
                      unsigned char *ret_signature, size_t *ret_len,
                      mcphost_error **reterr);

/* ---- JSON Web Tokens (jwt.c) ----------------------------------------------------- */

#define MCPH_JWT_MAX   ((size_t)64 * 1024)
#define MCPH_JWT_DEPTH 32

/* Appends a signed JWT in its compact form.  `header` has the members of the header
 * without `alg` and without braces.  `claims` is a JSON object.  The caller makes sure
 * that both texts are valid JSON.  Returns 0 or an error.  On failure the data of `jwt`
 * is unchanged. */
int mcph_jwt_sign(const struct mcph_keypair *key, struct mcph_span header,
                  struct mcph_span claims, struct mcph_buf *jwt, mcphost_error **reterr);

/* The claims of a foreign JWT, whose signature was not checked. */
struct mcph_jwt {
    struct mcph_buf text; /* the claims: a JSON object */
    /* The values of claims in `text`, of any type.  If a claim is absent, the p of the
     * span is NULL. */
    struct mcph_span issuer, audience, expires;
};

/* Reads the claims of a JWT, without checking the signature.  The token must have three
 * parts in base64url, none of them empty, and an object as header and as claims.
 * Messages call the token `what`.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT or
 * MCPHOST_E_NOMEM.  Call mcph_jwt_done() on *ret in any case. */
int mcph_jwt_read(struct mcph_span token, const char *what, struct mcph_jwt *ret,
                  mcphost_error **reterr);
void mcph_jwt_done(struct mcph_jwt *jwt); /* wipes the claims */
/* Returns true if the audience of the JWT is this text, or a list that contains it. */
bool mcph_jwt_has_audience(const struct mcph_jwt *jwt, const char *audience);

/* ---- assertions and proofs (proof.c) -----------------------------------------------
 * The caller wipes the buffers: an assertion serves as a password until it expires.  On
 * failure the data of the buffer is unchanged. */

/* The lifetime of an assertion in seconds.  Servers refuse a lifetime of more than five
 * minutes.  This lifetime is one minute shorter, because the clocks of client and
 * server may differ. */
#define MCPH_ASSERTION_S 240

/* The audience is the issuer alone, and never an endpoint.  A hostile authorization
 * server can name the token endpoint of another server as its own.  An assertion for that
 * endpoint would prove the client's identity to the other server. */
struct mcph_assertion {
    const char *client; /* the client's id */
    const char *issuer; /* the authorization server's issuer, as its metadata spells it */
    const char *kid;    /* the id under which the server knows the key; NULL: none */
    int64_t now_s;      /* the present time, in seconds since 1970 */
};

/* Appends a client assertion of RFC 7523.  No two assertions have the same id. */
int mcph_assertion_make(const struct mcph_keypair *key,
                        const struct mcph_assertion *assertion, struct mcph_buf *jwt,
                        mcphost_error **reterr);

struct mcph_dpop {
    const char *method, *url; /* the URL of the request; the proof omits the URL's
                               * userinfo, query and fragment */
    const char *token;        /* the access token that the request carries, or NULL */
    const char *nonce;        /* the nonce that the server has sent last, or NULL */
    int64_t now_s;            /* the present time, in seconds since 1970 */
};

/* Appends the proof of RFC 9449 for one request.  No two proofs have the same id.
 * Returns 0, MCPHOST_E_INVALID (dpop->url is not a URL), or an error of
 * mcph_token_make() or mcph_jwt_sign(). */
int mcph_dpop_make(const struct mcph_keypair *key, const struct mcph_dpop *dpop,
                   struct mcph_buf *jwt, mcphost_error **reterr);

/* ---- secrets (secret.c) ---------------------------------------------------------- */

/* The size of 256 bits in base64url, with a NUL. */
#define MCPH_TOKEN_SIZE 44

/* Makes 256 random bits, as base64url.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_IO. */
int mcph_token_make(char ret_token[MCPH_TOKEN_SIZE], mcphost_error **reterr);
/* Makes the SHA-256 digest of the data, as base64url.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_digest_make(const void *data, size_t len, char ret_digest[MCPH_TOKEN_SIZE],
                     mcphost_error **reterr);

/* The secret of one authorization request (`verifier`), and the S256 challenge that is
 * made from the secret (RFC 7636).  The owner wipes the secret with explicit_bzero(). */
struct mcph_pkce {
    char verifier[MCPH_TOKEN_SIZE], challenge[MCPH_TOKEN_SIZE];
};

int mcph_pkce_make(struct mcph_pkce *ret, mcphost_error **reterr);
/* Compares two secrets.  The time depends only on the lengths.  An absent value (its p is
 * NULL) equals nothing. */
bool mcph_equal_secret(struct mcph_span a, struct mcph_span b);

#endif
