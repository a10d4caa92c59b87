/* SPDX-License-Identifier: MIT
 *
 * request.c - one request, from its options over redirects to its end.
 *
 *   start --> transfer --> [head -> body*] -> done
 *                 ^ |
 *                 `-' permitted redirect: the request is sent to another URL
 *
 * libcurl delivers bytes in callbacks.  An event that is called inside libcurl may cancel
 * the request.  The cancel takes effect when libcurl has returned.  If a limit of the
 * library ends a transfer, the reason is in `error`.  `error` overrides libcurl's result.
 */
#include <stdlib.h>
#include <strings.h>

#include "net/internal.h"

#define LINES_MAX 1024u /* limit on the header lines of one response */
#define HEAD_KEPT 8192u /* a handle that got more header bytes is reset */

/* ---- the end ----------------------------------------------------------------------- */

void
mcph_net_request_free(struct mcph_net_request *req)
{
    mcph_net_remove(req);
    mcph_list_remove(&req->todo);
    mcph_list_remove(&req->rest);
    mcph_list_remove(&req->link);
    mcph_timer_done(&req->timer);
    if (req->handle)
        mcph_net_handle_give(req->net, req->handle, req->good);
    mcph_buf_done(&req->body);
    mcphost_error_unref(req->error);
    free(req);
}

/* Calls `done` and frees the request.  Takes over the caller's reference to `error`. */
static void
finish_request(struct mcph_net_request *req, mcphost_error *error)
{
    req->cancelled = true;
    req->events->done(req, error, req->arg);
    mcphost_error_unref(error);
    mcph_net_request_free(req);
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    if (!req || req->cancelled)
        return NULL;
    req->cancelled = true;
    mcph_timer_cancel(&req->timer);
    if (!req->net->in_curl) {
        mcph_net_request_free(req);
        return NULL;
    }
    mcph_list_remove(&req->todo);
    mcph_list_append(&req->net->over, &req->todo);
    return NULL;
}

/* ---- redirects --------------------------------------------------------------------- */

static bool
is_redirect(const struct mcph_net_request *req)
{
    switch (req->status) {
    case 301:
    case 302:
    case 307:
    case 308:
        return true;
    case 303: /* follow only for a GET, because a 303 turns other methods into GET */
        return req->handle->method[0] == 'G';
    default:
        return false;
    }
}

static void
refuse_redirect(const struct mcph_net_request *req, const char *to,
                mcphost_error **reterr)
{
    char *shown = mcph_net_url_shown(to);

    if (req->hops >= MCPH_NET_REDIRECTS_MAX)
        mcph_err(reterr, MCPHOST_E_PROTOCOL,
                 "redirects more than %d times, last to '%s' (HTTP %d)",
                 MCPH_NET_REDIRECTS_MAX, shown ? shown : "?", req->status);
    else
        mcph_err(reterr, MCPHOST_E_PROTOCOL,
                 "redirects to '%s' (HTTP %d), which is another origin and is not "
                 "followed; configure that URL if it is the right one",
                 shown ? shown : "?", req->status);
    if (reterr)
        mcph_err_set_http(*reterr, req->status, NULL, 0);
    free(shown);
}

/* Follows a redirect or refuses it.  Returns true if the request continues at another URL
 * or has ended, and false if there is no redirect to follow. */
static bool
follow_redirect(struct mcph_net_request *req)
{
    mcphost_error *error = NULL;
    char *to = NULL, *url;

    curl_easy_getinfo(req->handle->easy, CURLINFO_REDIRECT_URL, &to);
    if (!to)
        return false;
    url = req->hops < MCPH_NET_REDIRECTS_MAX ? mcph_net_url_follow(req->handle->url, to)
                                             : NULL;
    if (!url) {
        req->fault = MCPH_NET_FAULT_REDIRECT;
        refuse_redirect(req, to, &error);
        finish_request(req, error);
        return true;
    }
    req->hops++;
    req->status = 0;
    req->redirect = req->coded = false;
    req->n_head = 0;
    req->n_lines = 0;
    if (!mcph_net_handle_move(req->handle, url)) {
        mcph_err_nomem(&error);
        finish_request(req, error);
    } else if (req->events->moved && !req->events->moved(req, url, req->arg)) {
        finish_request(req, NULL);
    } else {
        mcph_net_add(req);
    }
    return true;
}

/* Replaces all characters but printable ASCII, because libcurl's message may contain text
 * from the server or its certificate. */
static void
clean_text(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
    }
}

void
mcph_net_request_ended(struct mcph_net_request *req, CURLcode code)
{
    mcphost_error *error = req->error;

    clean_text(req->handle->text);
    req->error = NULL;
    if (req->lost)
        code = CURLE_GOT_NOTHING;
    if (!error && code == CURLE_OK && req->redirect && follow_redirect(req))
        return;
    if (error)
        req->fault = MCPH_NET_FAULT_OTHER;
    else if (code != CURLE_OK)
        req->fault = mcph_net_fault_of(req, code);
    if (!error && code != CURLE_OK)
        mcph_net_explain(req, code, &error);
    req->good = !error && req->hops == 0 && req->n_head <= HEAD_KEPT;
    finish_request(req, error);
}

/* ---- deadlines --------------------------------------------------------------------- */

static void
arm_timer(struct mcph_net_request *req)
{
    int64_t due = req->total_due;

    if (req->idle_ms > 0 && req->heard + req->idle_ms < due)
        due = req->heard + req->idle_ms;
    if (due == INT64_MAX)
        mcph_timer_cancel(&req->timer);
    else
        mcph_timer_set(&req->timer, due);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_net_request *req =
        MCPH_CONTAINER_OF(timer, struct mcph_net_request, timer);
    int64_t now = mcph_core_now(req->net->core);
    mcphost_error *error = NULL;

    if (now >= req->total_due)
        mcph_err(&error, MCPHOST_E_TIMEOUT, "gave no complete answer within %lld ms",
                 (long long)req->total_ms);
    else if (req->idle_ms > 0 && now >= req->heard + req->idle_ms)
        mcph_err(&error, MCPHOST_E_TIMEOUT, "was silent for %lld ms",
                 (long long)req->idle_ms);
    if (error) {
        req->fault = mcph_net_fault_of(req, CURLE_OPERATION_TIMEDOUT);
        finish_request(req, error);
    } else {
        arm_timer(req);
    }
}

void
mcph_net_set_total(struct mcph_net_request *req, int64_t ms)
{
    req->total_ms = ms;
    req->total_due = ms > 0 ? mcph_core_now(req->net->core) + ms : INT64_MAX;
    arm_timer(req);
}

void
mcph_net_set_idle(struct mcph_net_request *req, int64_t ms)
{
    req->idle_ms = ms;
    req->heard = mcph_core_now(req->net->core);
    arm_timer(req);
}

void
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    req->max_body = max;
}

/* ---- the response ------------------------------------------------------------------
 * Requests do not offer compression, because a few kilobytes may unpack to gigabytes.
 * libcurl would unpack at once all bytes that it has read.  If a body is compressed
 * nevertheless, this file refuses the response before libcurl unpacks the body.  If an
 * error response has a Content-Encoding, but no transfer coding other than "chunked",
 * this file drops only the body. */

static void
note_heard(struct mcph_net_request *req)
{
    /* Do not set the timer again for each byte, because on_due() checks `heard`. */
    if (req->idle_ms > 0)
        req->heard = mcph_core_now(req->net->core);
}

/* Returns true if the response has a header `header` with another value than `plain`.
 * The caller checks Transfer-Encoding, too, because libcurl decodes a transfer coding
 * even if the request did not offer the coding. */
static bool
is_coded(struct mcph_net_request *req, const char *header, const char *plain)
{
    const char *value;

    for (size_t i = 0; (value = mcph_net_get_header(req, header, i)); i++) {
        if (strcasecmp(value, plain) != 0)
            return true;
    }
    return false;
}

static size_t
refuse_coded(struct mcph_net_request *req)
{
    mcph_err(&req->error, MCPHOST_E_PROTOCOL,
             "answered with a compressed body (Content-Encoding or Transfer-Encoding), "
             "which the request did not allow");
    return CURL_WRITEFUNC_ERROR;
}

/* Handles a header line, as a callback of libcurl.  The blank line after the headers ends
 * the head.  Interim responses (1xx) and trailers are skipped. */
size_t
mcph_net_request_header(char *data, size_t size, size_t n, void *handle)
{
    struct mcph_net_request *req = ((struct net_handle *)handle)->req;
    size_t len = size * n;
    long status = 0;

    if (req->cancelled)
        return len;
    if (req->error)
        return 0;
    note_heard(req);
    req->n_head += len;
    mcph_net_spend(req->net, len + MCPH_TURN_MESSAGE);
    if (++req->n_lines > LINES_MAX) {
        mcph_err(&req->error, MCPHOST_E_LIMIT, "answers with more than %u header lines",
                 LINES_MAX);
        return 0;
    }
    if (req->n_head > MCPH_NET_HEADERS_MAX) {
        mcph_err(&req->error, MCPHOST_E_LIMIT,
                 "answers with more than %zu KiB of headers",
                 MCPH_NET_HEADERS_MAX / 1024);
        return 0;
    }
    if (req->head_told || (data[0] != '\r' && data[0] != '\n'))
        return len;
    curl_easy_getinfo(req->handle->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200)
        return len;
    req->status = (int)status;
    if (is_coded(req, "Transfer-Encoding", "chunked")) {
        refuse_coded(req);
        return 0;
    }
    req->coded = is_coded(req, "Content-Encoding", "identity");
    req->redirect = is_redirect(req) && mcph_net_get_header(req, "Location", 0);
    if (!req->redirect) {
        req->head_told = true;
        if (req->events->head)
            req->events->head(req, req->arg);
    }
    return len;
}

size_t
mcph_net_request_body(char *data, size_t size, size_t n, void *handle)
{
    struct mcph_net_request *req = ((struct net_handle *)handle)->req;
    size_t len = size * n;

    if (req->cancelled)
        return len;
    if (req->error) /* libcurl delivers bytes kept by a pause even after a refusal */
        return CURL_WRITEFUNC_ERROR;
    note_heard(req);
    if (mcph_net_pause(req))
        return CURL_WRITEFUNC_PAUSE;
    mcph_net_spend(req->net, len);
    if (req->redirect)
        return len;
    /* Refuse a successful response whose body has a Content-Encoding.  Drop only the body
     * of an error response, so that the caller gets the status. */
    if (req->coded)
        return req->status < 300 ? refuse_coded(req) : len;
    if (req->max_body > 0 && len > req->max_body - req->n_body) {
        mcph_err(&req->error, MCPHOST_E_LIMIT,
                 "answers with more than the limit of %zu bytes", req->max_body);
        return CURL_WRITEFUNC_ERROR;
    }
    req->n_body += len;
    if (req->events->body)
        req->events->body(req, data, len, req->arg);
    return len;
}

const struct mcph_buf *
mcph_net_get_body(const struct mcph_net_request *req)
{
    return &req->body;
}

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    *ret = req->body;
    mcph_buf_init(&req->body, 0);
}

int
mcph_net_get_fault(const struct mcph_net_request *req)
{
    return req->fault;
}

bool
mcph_net_was_lost(const struct mcph_net_request *req)
{
    return req->lost;
}

int
mcph_net_set_headers(struct mcph_net_request *req, const struct mcph_net_header *headers,
                     size_t n)
{
    return mcph_net_handle_head(req->handle, headers, n) ? 0 : MCPHOST_E_NOMEM;
}

int
mcph_net_get_status(const struct mcph_net_request *req)
{
    return req->status;
}

const char *
mcph_net_get_header(struct mcph_net_request *req, const char *name, size_t index)
{
    struct curl_header *header;

    if (curl_easy_header(req->handle->easy, name, index, CURLH_HEADER, -1, &header) !=
        CURLHE_OK)
        return NULL;
    return header->value;
}

/* ---- permitted addresses ----------------------------------------------------------- */

curl_socket_t
mcph_net_request_socket(void *handle, curlsocktype purpose, struct curl_sockaddr *addr)
{
    struct mcph_net_request *req = ((struct net_handle *)handle)->req;

    (void)purpose;
    if (req->site->public_only && !req->handle->literal &&
        mcph_net_address_is_private(&addr->addr)) {
        req->refused = true;
        return CURL_SOCKET_BAD;
    }
    return mcph_net_open_socket(req->net, addr);
}

/* Returns true if bytes of this request were sent before.  libcurl itself sends a request
 * again if a reused connection ends without a byte of a response.  The peer may have
 * carried out the request already. */
static bool
was_sent(const struct mcph_net_request *req)
{
    long bytes = 0;

    curl_easy_getinfo(req->handle->easy, CURLINFO_REQUEST_SIZE, &bytes);
    return bytes > 0;
}

/* Decides whether the request may be sent on its connection.  libcurl calls the function.
 * Refuses to resend a request that has `once` set.  Checks the address, because a reused
 * connection may have been opened for another site, without the check of
 * mcph_net_request_socket(). */
int
mcph_net_request_allowed(void *handle, char *ip, char *local_ip, int port, int local_port)
{
    struct mcph_net_request *req = ((struct net_handle *)handle)->req;

    (void)local_ip;
    (void)port;
    (void)local_port;
    if (req->once && was_sent(req)) {
        req->lost = true;
        return CURL_PREREQFUNC_ABORT;
    }
    if (!req->site->public_only || req->handle->literal || !mcph_net_text_is_private(ip))
        return CURL_PREREQFUNC_OK;
    req->refused = true;
    return CURL_PREREQFUNC_ABORT;
}

/* ---- start ------------------------------------------------------------------------- */

static void
set_deadlines(struct mcph_net_request *req, const struct mcph_net_spec *spec)
{
    int64_t now;

    req->total_due = INT64_MAX;
    if (spec->total_ms <= 0 && spec->idle_ms <= 0)
        return;
    now = mcph_core_round_now(req->net->core);
    req->total_ms = spec->total_ms;
    if (spec->total_ms > 0)
        req->total_due = now + spec->total_ms;
    req->idle_ms = spec->idle_ms;
    req->heard = now;
    arm_timer(req);
}

int
mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
               struct mcph_net_request **ret, mcphost_error **reterr)
{
    struct mcph_net_request *req;
    int r = mcph_net_prepare(net, reterr);

    if (r < 0)
        return r;
    req = calloc(1, sizeof(*req));
    if (!req)
        return mcph_err_nomem(reterr);
    req->net = net;
    req->site = spec->site;
    req->events = spec->events;
    req->arg = spec->arg;
    req->max_body = spec->max_body;
    req->once = spec->once;
    mcph_list_init(&req->link);
    mcph_list_init(&req->todo);
    mcph_list_init(&req->rest);
    req->handle = mcph_net_handle_take(net, spec);
    if (!req->handle || mcph_timer_init(&req->timer, net->core, on_due) < 0 ||
        !mcph_net_handle_aim(req->handle, req, spec)) {
        mcph_net_request_free(req);
        return mcph_err_nomem(reterr);
    }
    if (spec->body) {
        req->body = *spec->body;
        mcph_buf_init(spec->body, spec->body->max);
    }
    mcph_list_append(&net->requests, &req->link);
    set_deadlines(req, spec);
    mcph_net_add(req);
    *ret = req;
    return 0;
}
