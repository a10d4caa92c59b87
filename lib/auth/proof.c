/* SPDX-License-Identifier: MIT
 *
 * proof.c - the JWTs that a client signs: assertions of its identity (RFC 7523), and
 * proofs for its requests (RFC 9449).
 */
#include <stdlib.h>

#include "auth/key.h"
#include "net/net.h"

#define CLAIMS_MAX ((size_t)256 * 1024)

static void
add_number(struct mcph_buf *claims, const char *name, int64_t n)
{
    mcph_json_add_key(claims, name);
    mcph_buf_addi(claims, n);
}

/* Begins the claims, a JSON object, with an id that no other JWT has. */
static int
open_claims(struct mcph_buf *claims, mcphost_error **reterr)
{
    char id[MCPH_TOKEN_SIZE];
    int r = mcph_token_make(id, reterr);

    if (r < 0)
        return r;
    mcph_buf_addc(claims, '{');
    mcph_json_add_member(claims, "jti", id);
    return 0;
}

/* Ends the claims, appends the signed JWT to `jwt`, and frees `header` and `claims`. */
static int
sign_claims(const struct mcph_keypair *key, struct mcph_buf *header,
            struct mcph_buf *claims, struct mcph_buf *jwt, mcphost_error **reterr)
{
    int r;

    mcph_buf_addc(claims, '}');
    r = mcph_buf_ok(claims) < 0 ? mcph_buf_ok(claims) : mcph_buf_ok(header);
    if (r < 0)
        r = mcph_err(reterr, r, "cannot sign a JWT: it is too long");
    else
        r = mcph_jwt_sign(key, mcph_span(header->data, header->len),
                          mcph_span(claims->data, claims->len), jwt, reterr);
    mcph_buf_done(header);
    mcph_buf_done(claims);
    return r;
}

int
mcph_assertion_make(const struct mcph_keypair *key,
                    const struct mcph_assertion *assertion, struct mcph_buf *jwt,
                    mcphost_error **reterr)
{
    struct mcph_buf header, claims;
    int r;

    mcph_buf_init(&claims, CLAIMS_MAX);
    r = open_claims(&claims, reterr);
    if (r < 0)
        return r;
    mcph_json_add_member(&claims, "iss", assertion->client);
    mcph_json_add_member(&claims, "sub", assertion->client);
    mcph_json_add_member(&claims, "aud", assertion->issuer);
    add_number(&claims, "iat", assertion->now_s);
    add_number(&claims, "exp", assertion->now_s + MCPH_ASSERTION_S);
    mcph_buf_init(&header, CLAIMS_MAX);
    mcph_json_add_member(&header, "typ", "JWT");
    if (assertion->kid)
        mcph_json_add_member(&header, "kid", assertion->kid);
    return sign_claims(key, &header, &claims, jwt, reterr);
}

/* Adds the URL without userinfo, query and fragment.  The path keeps its spelling:
 * servers may compare its bytes with the bytes of the request, and libcurl would change
 * the spelling of escapes. */
static int
add_target(struct mcph_buf *claims, const char *url, mcphost_error **reterr)
{
    const char *authority = strstr(url, "://"), *path;
    char *root = mcph_net_url_at(url, "/");

    if (!root || !authority) {
        free(root);
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "cannot make a DPoP proof: the request's URL cannot be parsed");
    }
    path = authority + 3 + strcspn(authority + 3, "/?#");
    path += *path == '/'; /* skip this slash, because the root ends with a slash */
    mcph_json_add_key(claims, "htu");
    mcph_buf_addc(claims, '"');
    mcph_json_add_part(claims, root, strlen(root));
    mcph_json_add_part(claims, path, strcspn(path, "?#"));
    mcph_buf_addc(claims, '"');
    free(root);
    return 0;
}

int
mcph_dpop_make(const struct mcph_keypair *key, const struct mcph_dpop *dpop,
               struct mcph_buf *jwt, mcphost_error **reterr)
{
    struct mcph_buf header, claims;
    char hash[MCPH_TOKEN_SIZE];
    int r;

    mcph_buf_init(&claims, CLAIMS_MAX);
    r = open_claims(&claims, reterr);
    if (r == 0)
        r = add_target(&claims, dpop->url, reterr);
    if (r == 0 && dpop->token)
        r = mcph_digest_make(dpop->token, strlen(dpop->token), hash, reterr);
    if (r < 0) {
        mcph_buf_done(&claims);
        return r;
    }
    mcph_json_add_member(&claims, "htm", dpop->method);
    add_number(&claims, "iat", dpop->now_s);
    if (dpop->token)
        mcph_json_add_member(&claims, "ath", hash);
    if (dpop->nonce)
        mcph_json_add_member(&claims, "nonce", dpop->nonce);
    mcph_buf_init(&header, CLAIMS_MAX);
    mcph_json_add_member(&header, "typ", "dpop+jwt");
    mcph_json_add_key(&header, "jwk");
    mcph_buf_adds(&header, mcph_keypair_jwk(key));
    return sign_claims(key, &header, &claims, jwt, reterr);
}
