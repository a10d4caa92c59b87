/* SPDX-License-Identifier: MIT
 *
 * request.c - one request: from its options over redirects to its one end.
 *
 *   start --> transfer --> [head -> body*] -> done
 *                 ^ |
 *                 `-' redirect within the origin: the same request, elsewhere
 *
 * libcurl hands us bytes from inside itself; what we tell then may come back as a
 * cancel, which takes effect when libcurl has returned.  Limits and deadlines of our
 * own leave their reason in `error`, which wins over whatever libcurl says.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/internal.h"
#include <mcphost/version.h>

#define KEEPALIVE_S 60L

/* ---- the end -------------------------------------------------------------------- */

void
request_free(struct mcph_net_request *req)
{
    net_remove(req);
    mcph_list_remove(&req->todo);
    mcph_list_remove(&req->link);
    mcph_timer_done(&req->timer);
    if (req->easy)
        net_give_easy(req->net, req->easy);
    curl_slist_free_all(req->headers);
    mcph_buf_done(&req->body);
    mcphost_error_unref(req->error);
    free(req->url);
    free(req);
}

/* Takes the reference. */
static void
finish(struct mcph_net_request *req, mcphost_error *error)
{
    req->cancelled = true;
    req->events->done(req, error, req->arg);
    mcphost_error_unref(error);
    request_free(req);
}

struct mcph_net_request *
mcph_net_cancel(struct mcph_net_request *req)
{
    if (!req || req->cancelled)
        return NULL;
    req->cancelled = true;
    mcph_timer_cancel(&req->timer);
    if (!req->net->in_curl) {
        request_free(req);
        return NULL;
    }
    mcph_list_remove(&req->todo);
    mcph_list_append(&req->net->todo, &req->todo);
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
    case 303: /* asks for a GET, and is one only where the request was */
        return req->method[0] == 'G';
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

/* True: it goes on elsewhere, or has ended with an error. */
static bool
redirect(struct mcph_net_request *req)
{
    mcphost_error *error = NULL;
    char *to = NULL, *url;

    curl_easy_getinfo(req->easy, CURLINFO_REDIRECT_URL, &to);
    if (!to)
        return false;
    url = req->hops < MCPH_NET_REDIRECTS_MAX ? mcph_net_url_follow(req->url, to) : NULL;
    if (!url) {
        refuse_redirect(req, to, &error);
        finish(req, error);
        return true;
    }
    free(req->url);
    req->url = url;
    req->hops++;
    req->status = 0;
    req->redirect = false;
    req->n_head = 0;
    if (curl_easy_setopt(req->easy, CURLOPT_URL, url) != CURLE_OK || net_add(req) < 0) {
        mcph_err_nomem(&error);
        finish(req, error);
    }
    return true;
}

/* libcurl's words may hold some of the server's, or of its certificate. */
static void
clean(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
    }
}

void
request_ended(struct mcph_net_request *req, CURLcode code)
{
    mcphost_error *error = req->error;

    clean(req->text);
    req->error = NULL;
    if (!error && code == CURLE_OK && req->redirect && redirect(req))
        return;
    if (!error && code != CURLE_OK)
        net_explain(req, code, &error);
    finish(req, error);
}

/* ---- deadlines -------------------------------------------------------------------------- */

static void
arm(struct mcph_net_request *req)
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
        mcph_err(&error, MCPHOST_E_TIMEOUT, "gave no whole answer within %lld ms",
                 (long long)req->total_ms);
    else if (req->idle_ms > 0 && now >= req->heard + req->idle_ms)
        mcph_err(&error, MCPHOST_E_TIMEOUT, "was silent for %lld ms",
                 (long long)req->idle_ms);
    if (error)
        finish(req, error);
    else
        arm(req);
}

void
mcph_net_set_total(struct mcph_net_request *req, int64_t ms)
{
    req->total_ms = ms;
    req->total_due = ms > 0 ? mcph_core_now(req->net->core) + ms : INT64_MAX;
    arm(req);
}

void
mcph_net_set_idle(struct mcph_net_request *req, int64_t ms)
{
    req->idle_ms = ms;
    req->heard = mcph_core_now(req->net->core);
    arm(req);
}

void
mcph_net_set_max_body(struct mcph_net_request *req, size_t max)
{
    req->max_body = max;
}

/* ---- what comes in ------------------------------------------------------------------------- */

static void
heard(struct mcph_net_request *req)
{
    /* The timer looks at this when it is due. */
    if (req->idle_ms > 0)
        req->heard = mcph_core_now(req->net->core);
}

/* Everything up to the blank line that ends the headers of the last answer; interim
 * ones (1xx) and trailers are passed over. */
static size_t
on_header(char *data, size_t size, size_t n, void *arg)
{
    struct mcph_net_request *req = arg;
    size_t len = size * n;
    long status = 0;

    if (req->cancelled)
        return len;
    heard(req);
    req->n_head += len;
    if (req->n_head > MCPH_NET_HEADERS_MAX) {
        mcph_err(&req->error, MCPHOST_E_LIMIT,
                 "answers with more than %zu KiB of headers",
                 MCPH_NET_HEADERS_MAX / 1024);
        return 0;
    }
    if (req->head_told || (data[0] != '\r' && data[0] != '\n'))
        return len;
    curl_easy_getinfo(req->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200)
        return len;
    req->status = (int)status;
    req->redirect = is_redirect(req) && mcph_net_get_header(req, "Location", 0);
    if (!req->redirect) {
        req->head_told = true;
        if (req->events->head)
            req->events->head(req, req->arg);
    }
    return len;
}

static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
    struct mcph_net_request *req = arg;
    size_t len = size * n;

    if (req->cancelled || req->redirect)
        return len;
    heard(req);
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

void
mcph_net_take_body(struct mcph_net_request *req, struct mcph_buf *ret)
{
    *ret = req->body;
    mcph_buf_init(&req->body, 0);
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

    if (curl_easy_header(req->easy, name, index, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return NULL;
    return header->value;
}

/* ---- where it goes ------------------------------------------------------------------------------ */

static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *addr)
{
    struct mcph_net_request *req = arg;

    (void)purpose;
    if (req->site->public_only && !req->literal &&
        mcph_net_address_is_private(&addr->addr)) {
        req->refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(addr->family, addr->socktype | SOCK_CLOEXEC, addr->protocol);
}

/* A connection that another site opened is not checked by the above. */
static int
before_request(void *arg, char *ip, char *local_ip, int port, int local_port)
{
    struct mcph_net_request *req = arg;

    (void)local_ip;
    (void)port;
    (void)local_port;
    if (!req->site->public_only || req->literal || !mcph_net_text_is_private(ip))
        return CURL_PREREQFUNC_OK;
    req->refused = true;
    return CURL_PREREQFUNC_ABORT;
}

/* ---- options ---------------------------------------------------------------------------------------- */

static bool
add_line(struct mcph_net_request *req, const char *line)
{
    struct curl_slist *list = curl_slist_append(req->headers, line);

    if (list)
        req->headers = list;
    return list != NULL;
}

/* "Name: value"; libcurl wants "Name;" for one without a value. */
static bool
add_header(struct mcph_net_request *req, const struct mcph_net_header *header)
{
    char *line;
    bool ok;

    if (header->len > 0)
        line = mcph_asprintf("%s: %.*s", header->name, (int)header->len, header->value);
    else
        line = mcph_asprintf("%s;", header->name);
    if (!line)
        return false;
    ok = add_line(req, line);
    explicit_bzero(line, strlen(line));
    free(line);
    return ok;
}

/* False: out of memory, or refused. */
static bool
set_text(CURL *easy, CURLoption option, const char *text)
{
    return !text || curl_easy_setopt(easy, option, text) == CURLE_OK;
}

/* Those of the site are trusted instead of the system's, which libcurl would add where
 * only one of the two is set.  It keeps what it read of a file for a day. */
static bool
set_authorities(CURL *easy, const struct mcph_net_site *site)
{
    if (!site->ca_file && !site->ca_dir)
        return true;
    return curl_easy_setopt(easy, CURLOPT_CAINFO, site->ca_file) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CAPATH, site->ca_dir) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L) == CURLE_OK;
}

static bool
set_site(struct mcph_net_request *req)
{
    const struct mcph_net_site *site = req->site;
    CURL *e = req->easy;
    const char *proxy = site->proxy;
    long connect_ms = site->connect_ms > 0 ? (long)site->connect_ms : MCPH_NET_CONNECT_MS;
    bool proxied;

    if (!proxy && mcph_net_url_is_loopback(req->url))
        proxy = "";
    proxied = proxy && *proxy;
    req->literal = mcph_net_url_is_literal(req->url) || proxied;
    return set_text(e, CURLOPT_PROXY, proxy) &&
           set_text(e, CURLOPT_NOPROXY, site->no_proxy) && set_authorities(e, site) &&
           set_text(e, CURLOPT_SSLCERT, site->client_cert) &&
           set_text(e, CURLOPT_SSLKEY, site->client_key) &&
           set_text(e, CURLOPT_KEYPASSWD, site->key_password) &&
           curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, connect_ms) == CURLE_OK;
}

static bool
set_method(struct mcph_net_request *req)
{
    CURL *e = req->easy;
    bool ok = true;

    if (req->method[0] == 'P') {
        ok = curl_easy_setopt(e, CURLOPT_POST, 1L) == CURLE_OK &&
             curl_easy_setopt(e, CURLOPT_POSTFIELDS,
                              req->body.data ? req->body.data : "") == CURLE_OK &&
             curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                              (curl_off_t)req->body.len) == CURLE_OK &&
             /* No waiting for a "100 Continue". */
             add_line(req, "Expect:");
    } else if (req->method[0] != 'G') {
        ok = curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, req->method) == CURLE_OK;
    }
    return ok;
}

static bool
set_options(struct mcph_net_request *req)
{
    CURL *e = req->easy;

    curl_easy_setopt(e, CURLOPT_PRIVATE, req);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, req->text);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, req);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, req);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, req);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, req);
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S / 2);
    /* Rather a stream on a connection that is being made than one more connection. */
    curl_easy_setopt(e, CURLOPT_PIPEWAIT, req->url[4] == 's' ? 1L : 0L);
    return curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "gzip") == CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_USERAGENT, "libmcphost/" MCPHOST_VERSION_STRING) ==
               CURLE_OK &&
           curl_easy_setopt(e, CURLOPT_URL, req->url) == CURLE_OK && set_site(req) &&
           set_method(req);
}

int
mcph_net_start(struct mcph_net *net, const struct mcph_net_spec *spec,
               struct mcph_net_request **ret, mcphost_error **reterr)
{
    struct mcph_net_request *req = calloc(1, sizeof(*req));
    bool ok;

    if (!req)
        return mcph_err_nomem(reterr);
    req->net = net;
    req->site = spec->site;
    req->method = spec->method;
    req->events = spec->events;
    req->arg = spec->arg;
    req->max_body = spec->max_body;
    req->total_due = INT64_MAX;
    mcph_list_init(&req->link);
    mcph_list_init(&req->todo);
    req->easy = net_take_easy(net);
    req->url = mcph_strdup(spec->url);
    ok = mcph_timer_init(&req->timer, net->core, on_due) == 0 && req->easy && req->url;
    if (ok && spec->body)
        req->body = *spec->body;
    ok = ok && set_options(req);
    for (size_t i = 0; ok && i < spec->n_headers; i++)
        ok = add_header(req, &spec->headers[i]);
    ok = ok && curl_easy_setopt(req->easy, CURLOPT_HTTPHEADER, req->headers) == CURLE_OK;
    if (!ok || net_add(req) < 0) {
        mcph_buf_init(&req->body, 0); /* still the caller's */
        request_free(req);
        return mcph_err_nomem(reterr);
    }
    if (spec->body)
        mcph_buf_init(spec->body, spec->body->max);
    mcph_list_append(&net->requests, &req->link);
    mcph_net_set_total(req, spec->total_ms);
    mcph_net_set_idle(req, spec->idle_ms);
    *ret = req;
    return 0;
}
