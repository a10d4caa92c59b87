/* SPDX-License-Identifier: MIT
 *
 * login_fetch.c - one HTTP request of a login.
 *
 * A redirect is followed only for a GET.  The new URL must have the same origin, or
 * lead from http to https on the same host (mcph_net_url_follow()).  The MCP server's own
 * headers, cookies and client certificate are never sent, because the authorization
 * server and the MCP server are different parties.
 */
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

#define RETRY_MAX_S 3600
#define FETCH_MS    30000 /* limit in ms on one request */

void
mcph_login_fetch_done(struct mcph_login *login)
{
    login->fetch.request = mcph_net_cancel(login->fetch.request);
    mcph_buf_wipe(&login->fetch.body);
    free(login->fetch.url);
    login->fetch.url = NULL;
    mcphost_error_unref(login->fetch.error);
    login->fetch.error = NULL;
}

/* ---- events ------------------------------------------------------------------------ */

static bool
on_moved(struct mcph_net_request *req, const char *url, void *arg)
{
    struct mcph_login *login = arg;

    (void)req;
    (void)url;
    login->fetch.is_moved = login->fetch.is_post;
    return !login->fetch.is_post;
}

static void
on_body(struct mcph_net_request *req, const char *data, size_t len, void *arg)
{
    struct mcph_login *login = arg;

    (void)req;
    /* The request's limit is also the limit of the buffer.  Therefore the call can fail
     * only if memory is short. */
    (void)mcph_buf_add(&login->fetch.body, data, len);
}

/* Reads the value of Retry-After: seconds, or a date (RFC 9110, 10.2.3).  `now_s` is the
 * time of the server's clock. */
static int64_t
read_pause_s(const char *value, int64_t now_s)
{
    bool is_number = *value >= '0' && *value <= '9';
    int64_t n = is_number ? strtoll(value, NULL, 10) : mcph_net_read_date(value) - now_s;

    return n < 0 ? 0 : n > RETRY_MAX_S ? RETRY_MAX_S : n;
}

static void
read_headers(struct mcph_login *login, struct mcph_net_request *req)
{
    const char *value = mcph_net_get_header(req, "date", 0);
    int64_t date_s = value ? mcph_net_read_date(value) : -1;
    int64_t now_s = mcph_clock_realtime_ms() / 1000;

    login->fetch.skew_s = date_s < 0 ? 0 : date_s - now_s;
    value = mcph_net_get_header(req, "dpop-nonce", 0);

    if (value && mcph_net_get_header(req, "dpop-nonce", 1) == NULL) {
        value = mcph_net_get_header(req, "dpop-nonce", 0);
        free(login->fetch.nonce);
        free(login->fetch.nonce_url);
        login->fetch.nonce = value ? mcph_strdup(value) : NULL;
        login->fetch.nonce_url = mcph_strdup(login->fetch.url);
    }
    value = mcph_net_get_header(req, "retry-after", 0);
    login->fetch.retry_s = value ? read_pause_s(value, now_s + login->fetch.skew_s) : 0;
}

static void
on_done(struct mcph_net_request *req, mcphost_error *error, void *arg)
{
    struct mcph_login *login = arg;

    login->fetch.request = NULL;
    if (error && mcph_net_get_fault(req) == MCPH_NET_FAULT_REDIRECT)
        login->fetch.is_moved = true;
    if (error)
        login->fetch.error = mcphost_error_ref(error);
    else if (!login->fetch.is_moved) {
        login->fetch.status = mcph_net_get_status(req);
        read_headers(login, req);
    }
    /* Post the step instead of running it, because the step may free the login and the
     * site that this request uses. */
    mcph_login_continue(login, login->next);
}

static const struct mcph_net_events fetch_events = {
    .moved = on_moved, .body = on_body, .done = on_done};

/* ---- requests ---------------------------------------------------------------------- */

static size_t
make_headers(const struct mcph_login_request *request, struct mcph_net_header *headers)
{
    const char *const pairs[][2] = {
        {"Accept", "application/json"},
        {"Content-Type", request->body ? request->type : NULL},
        {"Authorization", request->authorization},
        {"DPoP", request->dpop}};
    size_t n = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(pairs); i++) {
        if (pairs[i][1])
            headers[n++] =
                (struct mcph_net_header){pairs[i][0], pairs[i][1], strlen(pairs[i][1])};
    }
    return n;
}

/* Returns the time limit of the next request in ms. */
static int64_t
get_limit_ms(const struct mcph_login *login)
{
    int64_t ms = login->means.fetch_ms > 0 ? login->means.fetch_ms : FETCH_MS, left;

    if (!login->revokes)
        return ms;
    left = login->deadline - mcph_core_now(login->means.core);
    return left < 1 ? 1 : left < ms ? left : ms;
}

static int
start_request(struct mcph_login *login, const struct mcph_login_request *request,
              mcphost_error **reterr)
{
    struct mcph_net_header headers[4];
    struct mcph_net_spec spec = {.site = &login->fetch.site,
                                 .method = request->body ? "POST" : "GET",
                                 .url = login->fetch.url,
                                 .headers = headers,
                                 .n_headers = make_headers(request, headers),
                                 .body = request->body,
                                 .total_ms = get_limit_ms(login),
                                 .max_body = MCPH_OAUTH_DOCUMENT_MAX,
                                 .once = request->body != NULL,
                                 .events = &fetch_events,
                                 .arg = login};
    int r = mcph_oauth_check_url(&login->server, request->step, request->url, reterr);

    if (r == 0)
        r = mcph_net_start(login->means.net, &spec, &login->fetch.request, reterr);
    return r;
}

void
mcph_login_fetch(struct mcph_login *login, const struct mcph_login_request *request,
                 mcph_login_step next)
{
    const struct mcph_net_site *site = login->means.site;
    mcphost_error *error = NULL;

    mcph_login_fetch_done(login);
    mcph_buf_init_secret(&login->fetch.body, MCPH_OAUTH_DOCUMENT_MAX);
    login->fetch.is_post = request->body != NULL;
    login->fetch.is_moved = false;
    login->fetch.status = 0;
    login->fetch.retry_s = login->fetch.skew_s = 0;
    login->fetch.step = request->step;
    login->fetch.url = mcph_strdup(request->url);
    login->fetch.site = (struct mcph_net_site){
        .proxy = site->proxy,
        .no_proxy = site->no_proxy,
        .ca_file = site->ca_file,
        .ca_dir = site->ca_dir,
        .public_only =
            site->public_only || mcph_oauth_is_public_only(&login->server, request->url)};
    if (!login->fetch.url || login->is_unmasked)
        mcph_err_nomem(&error);
    else if (start_request(login, request, &error) == 0)
        login->next = next;
    if (error)
        mcph_login_fail(login, error);
}

int
mcph_login_fetch_check(struct mcph_login *login, mcphost_error **reterr)
{
    const char *step = login->fetch.step, *url = login->fetch.url;

    if (login->fetch.is_moved && !login->fetch.error)
        return mcph_oauth_fail(
            reterr, MCPHOST_E_PROTOCOL, step, url, "check the server's URL",
            "the server answers with a redirect, which is not followed");
    if (login->fetch.error)
        return mcph_oauth_fail(reterr, mcphost_error_get_code(login->fetch.error), step,
                               url, mcph_login_advice(login, NULL), "%s",
                               mcphost_error_get_message(login->fetch.error));
    return mcph_buf_ok(&login->fetch.body) < 0 ? mcph_err_nomem(reterr) : 0;
}
