/* SPDX-License-Identifier: MIT
 *
 * login_audience.c - check whether an access token is for this MCP server, and whether a
 * configured assertion is for this issuer.
 *
 * Access tokens are opaque to a client.  But if a token is a JWT whose audiences are all
 * URLs of other servers, the token is for another server, and the MCP server must not get
 * the token.  An audience that is no URL cannot be judged, because many authorization
 * servers name resources by ids of their own.
 */
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

/* Returns true if the audience is not a URL, is the configured audience, or has the
 * origin of the resource or of the issuer. */
static bool
may_be_ours(const struct mcph_login *login, const char *audience)
{
    const char *wanted = mcph_login_text(login, MCPH_WAY_AUDIENCE);
    char *origin = mcph_net_url_origin(audience);
    bool is_url = origin != NULL;

    free(origin);
    return !is_url || mcph_streq(audience, wanted) ||
           mcph_net_url_same_origin(audience, login->resource.resource) ||
           mcph_net_url_same_origin(audience, login->issuer.issuer);
}

/* Checks a JSON value as may_be_ours() does.  Returns true if the value is not a text. */
static bool
value_may_be_ours(const struct mcph_login *login, struct mcph_span value)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    char *audience = NULL;
    bool r;

    if (mcph_json_type(value) != MCPH_JSON_STRING)
        return true;
    mcph_buf_init(&decoded, MCPH_OAUTH_TOKEN_MAX);
    if (mcph_json_string_get(value, &decoded, &text) == 0)
        audience = mcph_strndup(text.p, text.len);
    r = audience && may_be_ours(login, audience);
    free(audience);
    mcph_buf_done(&decoded);
    return r;
}

/* Returns true if value_may_be_ours() accepts one of the audiences in `audience`, or if
 * there is no audience. */
static bool
one_is_ours(const struct mcph_login *login, struct mcph_span audience)
{
    struct mcph_json_iter it;
    struct mcph_span item;
    bool found = false, any = false;

    if (mcph_json_type(audience) != MCPH_JSON_ARRAY)
        return value_may_be_ours(login, audience);
    mcph_json_iter_init(&it, audience);
    while (!found && mcph_json_iter_next(&it, NULL, &item)) {
        any = true;
        found = value_may_be_ours(login, item);
    }
    return found || !any;
}

int
mcph_login_check_audience(const struct mcph_login *login, const char *access,
                          mcphost_error **reterr)
{
    struct mcph_jwt jwt = {0};
    int r = mcph_jwt_read(mcph_span_str(access), "the access token", &jwt, NULL);
    bool is_ours = r < 0 || !jwt.audience.p || one_is_ours(login, jwt.audience);

    mcph_jwt_done(&jwt);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    return is_ours ? 0
                   : mcph_oauth_fail(reterr, MCPHOST_E_DENIED, "token request",
                                     login->issuer.token,
                                     "set 'auth.audience' if this is right",
                                     "the token is for another server");
}

int
mcph_login_check_assertion(const struct mcph_login *login, mcphost_error **reterr)
{
    const char *assertion = mcph_login_text(login, MCPH_WAY_ASSERTION);
    struct mcph_jwt jwt = {0};
    bool is_for_issuer;
    int r;

    if (login->way->flow != MCPHOST_FLOW_JWT_BEARER ||
        mcph_login_text(login, MCPH_WAY_ISSUER))
        return 0;
    if (!assertion)
        return mcph_oauth_fail(reterr, MCPHOST_E_CONFIG, "login", login->url,
                               "set 'auth.assertion' or another 'auth.flow'",
                               "the flow jwt_bearer has no 'auth.assertion'");
    r = mcph_jwt_read(mcph_span_str(assertion), "the assertion", &jwt, NULL);
    is_for_issuer = mcph_jwt_has_audience(&jwt, login->issuer.issuer) ||
                    mcph_jwt_has_audience(&jwt, login->issuer.token);
    mcph_jwt_done(&jwt);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    return is_for_issuer
               ? 0
               : mcph_oauth_fail(reterr, MCPHOST_E_DENIED, "token request",
                                 login->issuer.token,
                                 "set 'auth.issuer' to the authorization server that may "
                                 "get 'auth.assertion'",
                                 "'auth.assertion' is not a JWT whose audience is this "
                                 "authorization server, and only the MCP server names "
                                 "the authorization server");
}
