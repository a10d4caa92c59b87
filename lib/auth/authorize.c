/* SPDX-License-Identifier: MIT
 *
 * authorize.c - the URL at which a user authorizes this client, and the scopes to
 * request.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/oauth_inner.h"

#define OFFLINE "offline_access"
#define URL_MAX ((size_t)64 * 1024)

/* ---- scopes ------------------------------------------------------------------------ */

/* Returns true if the list of scopes (may be NULL) contains offline_access. */
static bool
has_offline(const char *scopes)
{
    struct mcph_buf view = {.data = (char *)scopes, .len = scopes ? strlen(scopes) : 0};

    return scopes && mcph_scopes_have(&view, OFFLINE, sizeof(OFFLINE) - 1);
}

static int
add_scopes(struct mcph_buf *to, const char *scopes)
{
    return scopes ? mcph_scopes_add(to, scopes, strlen(scopes)) : 0;
}

int
mcph_oauth_select_scopes(const struct mcph_oauth_scoping *scoping, struct mcph_buf *ret,
                         mcphost_error **reterr)
{
    const char *wanted = scoping->supported;
    int r;

    if (scoping->configured && *scoping->configured)
        wanted = scoping->configured;
    if (scoping->challenged && *scoping->challenged)
        wanted = scoping->challenged;
    r = add_scopes(ret, wanted);
    if (r == 0)
        r = add_scopes(ret, scoping->held);
    if (r == 0 && ret->len > 0 && scoping->wants_refresh && has_offline(scoping->issuer))
        r = add_scopes(ret, OFFLINE);
    return r < 0 ? mcph_err(reterr, r, "the scopes are longer than %zu bytes", ret->max)
                 : 0;
}

/* ---- the URL ----------------------------------------------------------------------- */

struct parameter {
    const char *name, *value;
};

/* Decodes `raw`, the name of a parameter.  Returns true if `ours` has a parameter of this
 * name with a value.  A name that cannot be decoded counts as a name in `ours`, because
 * its meaning to the server is unknown.  If memory is short, sets *ret_nomem and returns
 * false. */
static bool
is_ours(struct mcph_span raw, const struct parameter *ours, size_t n, bool *ret_nomem)
{
    char *name = mcph_strndup(raw.p, raw.len);
    size_t len;
    bool is;

    *ret_nomem = !name;
    if (!name)
        return false;
    is = mcph_oauth_form_decode(name, raw.len, true, &len) < 0;
    for (size_t i = 0; !is && i < n; i++)
        is = ours[i].value && strcmp(name, ours[i].name) == 0;
    free(name);
    return is;
}

/* Appends the parameters of the endpoint's own query, except those for which is_ours()
 * returns true. */
static int
add_own_query(struct mcph_buf *url, const char *query, const struct parameter *ours,
              size_t n)
{
    while (*query) {
        size_t len = strcspn(query, "&"), name_len = strcspn(query, "=&");
        bool nomem, is = is_ours(mcph_span(query, name_len), ours, n, &nomem);

        if (nomem)
            return MCPHOST_E_NOMEM;
        if (len > 0 && !is) {
            mcph_buf_add(url, query, len);
            mcph_buf_addc(url, '&');
        }
        query += len + (query[len] == '&');
    }
    return mcph_buf_ok(url);
}

int
mcph_oauth_authorize_url(const struct mcph_oauth_issuer *issuer,
                         const struct mcph_oauth_authorization *authorization,
                         char **ret_url, mcphost_error **reterr)
{
    const char *scope = authorization->scope;
    const struct parameter ours[] = {
        {"response_type", "code"},
        {"client_id", authorization->client_id},
        {"redirect_uri", authorization->redirect_uri},
        {"code_challenge", authorization->challenge},
        {"code_challenge_method", "S256"},
        {"state", authorization->state},
        {"resource", authorization->resource},
        {"scope", scope && *scope ? scope : NULL},
        {"audience", authorization->audience},
        {"prompt", has_offline(scope) ? "consent" : NULL},
    };
    size_t n = MCPH_ARRAY_SIZE(ours), len = strcspn(issuer->authorization, "?");
    const char *query = issuer->authorization + len;
    struct mcph_buf url;
    char *made = NULL;
    int r;

    /* Reserve the whole buffer at once, because a buffer that grows or is cut may leave a
     * copy of `state` in freed memory. */
    mcph_buf_init_sized(&url, URL_MAX, URL_MAX);
    mcph_buf_add(&url, issuer->authorization, len);
    mcph_buf_addc(&url, '?');
    r = add_own_query(&url, query + (*query == '?'), ours, n);
    for (size_t i = 0; i < n && r == 0; i++) {
        if (!ours[i].value)
            continue;
        if (i > 0)
            mcph_buf_addc(&url, '&');
        mcph_buf_adds(&url, ours[i].name);
        mcph_buf_addc(&url, '=');
        r = mcph_oauth_form_encode(&url, ours[i].value);
    }
    if (r == 0) {
        made = mcph_strndup(url.data, url.len);
        r = made ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_buf_wipe(&url);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0)
        return mcph_oauth_fail(reterr, r, "authorization", issuer->authorization, NULL,
                               "the URL is too long");
    *ret_url = made;
    return 0;
}
