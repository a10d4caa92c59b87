/* SPDX-License-Identifier: MIT
 *
 * handle.c - reuse libcurl's easy handles, so that options are set once for many
 * requests.
 *
 * Setting up an easy handle takes up to a quarter of the time of a request.  A handle
 * keeps the options that depend on the site's key, the method and the URL.  The next
 * request with the same three values gets that handle.  All other options are set for
 * each request.  A handle is reset if its request failed, was cancelled or was
 * redirected, if the response had more than HEAD_KEPT bytes of headers, if its site has
 * no key, or if its site is forgotten.  The headers of a request are wiped when the
 * request ends, because they may be secrets.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

#include "net/internal.h"
#include <mcphost/version.h>

#define KEEPALIVE_S 60L
#define LINES_KEPT  4096u
#define USER_AGENT  "libmcphost/" MCPHOST_VERSION_STRING
#define OUR_LINES   3u /* limit on the lines that add_own_headers() adds */

uint64_t
mcph_net_site_key(void)
{
    static atomic_uint_fast64_t last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* ---- setting up -------------------------------------------------------------------- */

static bool
set_text(CURL *easy, CURLoption option, const char *text)
{
    return !text || curl_easy_setopt(easy, option, text) == CURLE_OK;
}

/* Sets the site's CA certificates in place of the system's.  Sets both the file and the
 * directory, because libcurl would use the system's certificates for the option that is
 * not set.  Sets the cache timeout to 0, because libcurl would cache a CA file for a
 * day. */
static bool
set_authorities(CURL *easy, const struct mcph_net_site *site)
{
    if (!site->ca_file && !site->ca_dir)
        return true;
    return curl_easy_setopt(easy, CURLOPT_CAINFO, site->ca_file) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CAPATH, site->ca_dir) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L) == CURLE_OK;
}

/* Sets the site's own proxy, unless no_proxy exempts the host.  If the site's proxy is
 * NULL, libcurl takes the proxy from the environment, except for loopback. */
static bool
set_proxy(struct net_handle *h, const struct mcph_net_site *site)
{
    const char *proxy = site->proxy;

    if (!proxy && mcph_net_url_is_loopback(h->url))
        proxy = "";
    if (proxy && mcph_net_is_exempt(site->no_proxy, h->url))
        proxy = "";
    h->proxied = proxy && *proxy;
    /* Set the User-Agent of the CONNECT request to a proxy.  The request itself has a
     * User-Agent header. */
    if ((!proxy || h->proxied) &&
        curl_easy_setopt(h->easy, CURLOPT_USERAGENT, USER_AGENT) != CURLE_OK)
        return false;
    return set_text(h->easy, CURLOPT_PROXY, proxy) &&
           set_text(h->easy, CURLOPT_NOPROXY, proxy ? "" : site->no_proxy);
}

static bool
set_site(struct net_handle *h, const struct mcph_net_site *site)
{
    CURL *e = h->easy;
    long connect_ms = site->connect_ms > 0 ? (long)site->connect_ms : MCPH_NET_CONNECT_MS;

    if (!set_proxy(h, site))
        return false;
    h->literal = h->proxied || mcph_net_url_is_literal(h->url);
    return set_authorities(e, site) && set_text(e, CURLOPT_SSLCERT, site->client_cert) &&
           set_text(e, CURLOPT_SSLKEY, site->client_key) &&
           set_text(e, CURLOPT_KEYPASSWD, site->key_password) &&
           curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, connect_ms) == CURLE_OK;
}

/* Parses the URL once, because libcurl would parse it for each request.  Passes a URL
 * with a '%' unparsed, because some versions of libcurl lose the zone ('%') of a parsed
 * address.  Passes an invalid URL unparsed, because it must fail with libcurl's own
 * message. */
static bool
set_url(struct net_handle *h)
{
    if (!strchr(h->url, '%'))
        h->parsed = curl_url();
    if (h->parsed && curl_url_set(h->parsed, CURLUPART_URL, h->url, 0) == CURLUE_OK)
        return curl_easy_setopt(h->easy, CURLOPT_CURLU, h->parsed) == CURLE_OK;
    return curl_easy_setopt(h->easy, CURLOPT_URL, h->url) == CURLE_OK;
}

static bool
set_method(const struct net_handle *h)
{
    if (h->method[0] == 'P')
        return curl_easy_setopt(h->easy, CURLOPT_POST, 1L) == CURLE_OK;
    return h->method[0] == 'G' ||
           curl_easy_setopt(h->easy, CURLOPT_CUSTOMREQUEST, h->method) == CURLE_OK;
}

static bool
set_options(struct mcph_net *net, struct net_handle *h, const struct mcph_net_site *site)
{
    CURL *e = h->easy;

    curl_easy_setopt(e, CURLOPT_PRIVATE, h);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, h->text);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    /* Require at least TLS 1.2, because libcurl's default may be an older version. */
    curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, mcph_net_request_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, h);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, mcph_net_request_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, h);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, mcph_net_request_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, h);
    /* Pass `net` and not the handle, because the socket's connection may outlive the
     * handle's request. */
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, mcph_net_close_socket);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, net);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, mcph_net_request_allowed);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, h);
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S / 2);
    /* For https, a request waits for a connection that is being opened, because an HTTP/2
     * connection can carry several requests.  Otherwise libcurl would open another
     * connection. */
    curl_easy_setopt(e, CURLOPT_PIPEWAIT, h->url[4] == 's' ? 1L : 0L);
    return curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           set_url(h) && set_site(h, site) && set_method(h);
}

/* Resets the handle to the state in which libcurl creates it. */
static void
reset_handle(struct net_handle *h)
{
    curl_easy_reset(h->easy);
    curl_url_cleanup(h->parsed);
    free(h->url);
    h->parsed = NULL;
    h->url = NULL;
    h->site = 0;
}

static bool
set_up(struct mcph_net *net, struct net_handle *h, const struct mcph_net_spec *spec)
{
    h->method = spec->method;
    h->url = mcph_strdup(spec->url);
    if (!h->url || !set_options(net, h, spec->site))
        return false;
    h->site = spec->site->key;
    return true;
}

/* Replaces the easy handle by a copy if libcurl is older than 8.1.1.  Older versions keep
 * a pointer to the last header of the previous response.  They write to this header if
 * the next response begins with a folded header line (curl issue 11101).  A copy of the
 * handle has the options but not this pointer.  Returns false if there is no memory. */
static bool
renew_easy(const struct mcph_net *net, struct net_handle *h)
{
    CURL *copy;

    if (!net->renews)
        return true;
    copy = curl_easy_duphandle(h->easy);
    if (!copy)
        return false;
    curl_easy_cleanup(h->easy);
    h->easy = copy;
    return true;
}

/* ---- taking and giving back -------------------------------------------------------- */

static void
handle_free(struct net_handle *h)
{
    if (h->easy)
        curl_easy_cleanup(h->easy);
    curl_url_cleanup(h->parsed);
    free(h->lines);
    free(h->url);
    free(h);
}

static struct net_handle *
handle_new(void)
{
    struct net_handle *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->easy = curl_easy_init();
    if (h->easy)
        return h;
    free(h);
    return NULL;
}

static struct net_handle *
take_at(struct mcph_net *net, size_t i)
{
    struct net_handle *h = net->idle[i];

    net->n_idle--;
    for (; i < net->n_idle; i++)
        net->idle[i] = net->idle[i + 1];
    return h;
}

/* Takes an idle handle that is already set up for this site, method and URL.  Returns
 * NULL if no idle handle matches. */
static struct net_handle *
take_matching(struct mcph_net *net, const struct mcph_net_spec *spec)
{
    if (spec->site->key == 0)
        return NULL;
    for (size_t i = net->n_idle; i > 0; i--) {
        const struct net_handle *h = net->idle[i - 1];

        if (h->site == spec->site->key && strcmp(h->method, spec->method) == 0 &&
            strcmp(h->url, spec->url) == 0)
            return take_at(net, i - 1);
    }
    return NULL;
}

static struct net_handle *
take_any(struct mcph_net *net)
{
    struct net_handle *h;

    for (size_t i = 0; i < net->n_idle; i++) {
        if (net->idle[i]->site == 0)
            return take_at(net, i);
    }
    if (net->n_idle < HANDLES_WIDE)
        return handle_new();
    h = take_at(net, 0);
    reset_handle(h);
    return h;
}

struct net_handle *
mcph_net_handle_take(struct mcph_net *net, const struct mcph_net_spec *spec)
{
    struct net_handle *h = take_matching(net, spec);

    if (h)
        return h;
    h = take_any(net);
    if (h && !set_up(net, h, spec)) {
        handle_free(h);
        h = NULL;
    }
    return h;
}

static void
wipe_lines(struct net_handle *h)
{
    if (h->n_lines > 0)
        explicit_bzero(h->lines, h->lines_used);
    h->n_lines = h->lines_used = 0;
    if (h->lines_size > LINES_KEPT) {
        free(h->lines);
        h->lines = NULL;
        h->lines_size = 0;
    }
}

void
mcph_net_handle_give(struct mcph_net *net, struct net_handle *h, bool good)
{
    h->req = NULL;
    wipe_lines(h);
    if (net->n_idle == HANDLES_KEPT || !renew_easy(net, h)) {
        handle_free(h);
        return;
    }
    if (!good || h->site == 0)
        reset_handle(h);
    net->idle[net->n_idle++] = h;
}

void
mcph_net_forget(struct mcph_net *net, uint64_t key)
{
    if (key == 0 || mcph_core_forked(net->core))
        return;
    for (size_t i = 0; i < net->n_idle; i++) {
        if (net->idle[i]->site == key)
            reset_handle(net->idle[i]);
    }
}

void
mcph_net_handles_free(struct mcph_net *net)
{
    while (net->n_idle > 0)
        handle_free(net->idle[--net->n_idle]);
}

/* ---- options of one request -------------------------------------------------------- */

static void
link_line(struct net_handle *h, const char *line)
{
    struct curl_slist *node = &h->lines[h->n_lines++];

    node->data = (char *)(uintptr_t)line; /* libcurl only reads the line */
    node->next = node + 1;
}

/* Adds "Name: value", or "Name;" for an empty value, in the form that libcurl requires.
 * Returns the end of the text. */
static char *
add_line(struct net_handle *h, char *p, const struct mcph_net_header *header)
{
    size_t len = strlen(header->name);

    link_line(h, p);
    memcpy(p, header->name, len);
    p += len;
    if (header->len > 0) {
        *p++ = ':';
        *p++ = ' ';
        memcpy(p, header->value, header->len);
        p += header->len;
    } else {
        *p++ = ';';
    }
    *p++ = '\0';
    return p;
}

/* Adds the library's own headers: User-Agent if the request has no User-Agent header,
 * Accept-Encoding, and for a POST an empty Expect.  If libcurl made these headers, it
 * would format each header twice and letter by letter. */
static void
add_own_headers(struct net_handle *h, const struct mcph_net_spec *spec)
{
    bool named = false;

    for (size_t i = 0; i < spec->n_headers && !named; i++)
        named = strcasecmp(spec->headers[i].name, "User-Agent") == 0;
    if (!named)
        link_line(h, "User-Agent: " USER_AGENT);
    link_line(h, "Accept-Encoding: identity"); /* request.c refuses compressed bodies */
    if (spec->method[0] == 'P')
        link_line(h, "Expect:"); /* prevents waiting for a "100 Continue" */
}

static bool
reserve_lines(struct net_handle *h, size_t size)
{
    if (size > h->lines_size) {
        free(h->lines); /* the contents are wiped already */
        h->lines = malloc(size);
        h->lines_size = h->lines ? size : 0;
    }
    return h->lines != NULL;
}

/* Makes the list of the request's header lines, and passes the list to libcurl.
 * Allocates at most once, where curl_slist_append() would allocate for each line.
 * Returns false if there is no memory or libcurl rejects the list. */
static bool
set_lines(struct net_handle *h, const struct mcph_net_spec *spec)
{
    size_t n = spec->n_headers + OUR_LINES, size = n * sizeof(struct curl_slist);
    char *p;

    for (size_t i = 0; i < spec->n_headers; i++)
        size += strlen(spec->headers[i].name) + spec->headers[i].len + 3;
    if (!reserve_lines(h, size))
        return false;
    h->lines_used = size;
    p = (char *)&h->lines[n];
    for (size_t i = 0; i < spec->n_headers; i++)
        p = add_line(h, p, &spec->headers[i]);
    add_own_headers(h, spec);
    h->lines[h->n_lines - 1].next = NULL;
    return curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->lines) == CURLE_OK;
}

bool
mcph_net_handle_aim(struct net_handle *h, struct mcph_net_request *req,
                    const struct mcph_net_spec *spec)
{
    const struct mcph_buf *body = spec->body;

    h->req = req;
    h->text[0] = '\0';
    if (!set_lines(h, spec))
        return false;
    if (spec->method[0] != 'P')
        return true;
    return curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS,
                            body && body->data ? body->data : "") == CURLE_OK &&
           curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                            (curl_off_t)(body ? body->len : 0)) == CURLE_OK;
}

bool
mcph_net_handle_move(struct net_handle *h, char *url)
{
    free(h->url);
    h->url = url;
    return renew_easy(h->req->net, h) &&
           curl_easy_setopt(h->easy, CURLOPT_CURLU, NULL) == CURLE_OK &&
           curl_easy_setopt(h->easy, CURLOPT_URL, url) == CURLE_OK;
}

bool
mcph_net_handle_head(struct net_handle *h, const struct mcph_net_header *headers,
                     size_t n)
{
    struct mcph_net_spec spec = {.method = h->method, .headers = headers, .n_headers = n};

    wipe_lines(h);
    return set_lines(h, &spec);
}
