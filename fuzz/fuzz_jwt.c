/* SPDX-License-Identifier: MIT
 *
 * fuzz_jwt.c - reads JSON Web Tokens.
 *
 * The claims of a token that is accepted must be JSON.  The same claims, encoded
 * again, must give the same values.  If the audience is a string, the library must find
 * it.
 */
#include <stdlib.h>

#include "auth/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_same(struct mcph_span a, struct mcph_span b)
{
    must(!a.p == !b.p && (!a.p || mcph_span_eq(a, b)));
}

/* Encodes the claims again, and reads them.  A token of the greatest length may become
 * too long. */
static void
check_again(const struct mcph_jwt *jwt)
{
    struct mcph_jwt again;
    struct mcph_buf token;

    mcph_buf_init(&token, 2 * MCPH_JWT_MAX);
    mcph_buf_adds(&token, "e30.");
    mcph_base64url_add(&token, jwt->text.data, jwt->text.len);
    must(mcph_buf_adds(&token, ".AA") == 0);
    if (mcph_jwt_read(mcph_span(token.data, token.len), "again", &again, NULL) == 0) {
        check_same(jwt->issuer, again.issuer);
        check_same(jwt->audience, again.audience);
        check_same(jwt->expires, again.expires);
    } else {
        must(token.len > MCPH_JWT_MAX);
    }
    mcph_jwt_done(&again);
    mcph_buf_done(&token);
}

static void
check_audience(const struct mcph_jwt *jwt)
{
    char *audience = NULL;

    must(!mcph_jwt_has_audience(jwt, "\xff"));
    if (mcph_json_string_dup(jwt->audience, &audience) == 0)
        must(mcph_jwt_has_audience(jwt, audience));
    free(audience);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mcphost_error *error = NULL;
    struct mcph_jwt jwt;
    int r = mcph_jwt_read(mcph_span((const char *)data, size), "token", &jwt, &error);

    must((r < 0) == (error != NULL));
    must(r == 0 || r == MCPHOST_E_INVALID || r == MCPHOST_E_LIMIT);
    if (r == 0) {
        must(mcph_json_type(mcph_span(jwt.text.data, jwt.text.len)) != MCPH_JSON_ANY);
        check_again(&jwt);
        check_audience(&jwt);
    }
    mcph_jwt_done(&jwt);
    mcphost_error_unref(error);
    return 0;
}
