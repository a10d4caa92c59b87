/* SPDX-License-Identifier: MIT
 *
 * url.c - URLs: compare origins, resolve references, and remove secrets for messages.
 *
 * URLs are parsed by libcurl's own parser, so that a check here applies to the host that
 * libcurl connects to.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/net.h"

struct parts {
    CURLU *url;
    char *scheme, *host, *port, *user, *password;
};

static void
parts_done(struct parts *p)
{
    curl_free(p->scheme);
    curl_free(p->host);
    curl_free(p->port);
    curl_free(p->user);
    curl_free(p->password);
    curl_url_cleanup(p->url);
}

static int
code_of(CURLUcode code)
{
    if (code == CURLUE_OK)
        return 0;
    return code == CURLUE_OUT_OF_MEMORY ? MCPHOST_E_NOMEM : MCPHOST_E_INVALID;
}

/* Parses a URL.  Returns 0, MCPHOST_E_INVALID if the text is not a URL, or
 * MCPHOST_E_NOMEM.  Call parts_done() in any case. */
static int
parts_read(struct parts *p, const char *text)
{
    CURLUcode code;

    *p = (struct parts){.url = curl_url()};
    if (!p->url)
        return MCPHOST_E_NOMEM;
    code = curl_url_set(p->url, CURLUPART_URL, text, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(p->url, CURLUPART_SCHEME, &p->scheme, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(p->url, CURLUPART_HOST, &p->host, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(p->url, CURLUPART_PORT, &p->port, CURLU_DEFAULT_PORT);
    if (code != CURLUE_OK)
        return code_of(code);
    (void)curl_url_get(p->url, CURLUPART_USER, &p->user, 0);
    (void)curl_url_get(p->url, CURLUPART_PASSWORD, &p->password, 0);
    return 0;
}

/* Parses a URL.  Returns false if the text is not a URL or there is no memory. */
static bool
parts_init(struct parts *p, const char *text)
{
    return parts_read(p, text) == 0;
}

/* Returns a copy of the URL as one line of valid UTF-8, for messages.  A redirect may
 * contain any bytes. */
static char *
clean_url(const char *text)
{
    struct mcph_buf buf;
    char *cleaned;

    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_utf8_add_clean(&buf, text, strlen(text), true);
    cleaned = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return cleaned;
}

char *
mcph_net_url_shown(const char *url)
{
    char *shown = NULL, *text = NULL;
    struct parts p;

    if (parts_init(&p, url) &&
        curl_url_set(p.url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_QUERY, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
        curl_url_get(p.url, CURLUPART_URL, &text, 0) == CURLUE_OK)
        shown = clean_url(text);
    else
        shown = mcph_strdup("(a URL)");
    curl_free(text);
    parts_done(&p);
    return shown;
}

char *
mcph_net_url_place(const char *url)
{
    struct parts p;
    char *place;

    if (parts_init(&p, url))
        place = mcph_asprintf("%s:%s", p.host, p.port);
    else
        place = mcph_strdup("(a URL)");
    parts_done(&p);
    return place;
}

char *
mcph_net_url_origin(const char *url)
{
    char *origin = NULL;
    struct parts p;

    if (parts_init(&p, url) &&
        (strcmp(p.scheme, "https") == 0 || strcmp(p.scheme, "http") == 0))
        origin = mcph_asprintf("%s://%s:%s", p.scheme, p.host, p.port);
    parts_done(&p);
    for (char *c = origin; c && *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return origin;
}

char *
mcph_net_url_resolve(const char *base, const char *reference)
{
    CURLU *url = curl_url();
    char *text = NULL, *copy = NULL;

    if (url && curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_URL, reference, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK)
        copy = mcph_strdup(text);
    curl_free(text);
    curl_url_cleanup(url);
    return copy;
}

char *
mcph_net_url_at(const char *base, const char *path)
{
    char *text = NULL, *copy = NULL;
    struct parts p;

    if (parts_init(&p, base) &&
        curl_url_set(p.url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_QUERY, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
        curl_url_set(p.url, CURLUPART_PATH, path, 0) == CURLUE_OK &&
        curl_url_get(p.url, CURLUPART_URL, &text, 0) == CURLUE_OK)
        copy = mcph_strdup(text);
    curl_free(text);
    parts_done(&p);
    return copy;
}

static bool
same_place(const struct parts *a, const struct parts *b)
{
    return strcasecmp(a->scheme, b->scheme) == 0 && strcasecmp(a->host, b->host) == 0 &&
           strcmp(a->port, b->port) == 0;
}

int
mcph_net_url_compare_origins(const char *a, const char *b)
{
    struct parts pa, pb;
    int ra = parts_read(&pa, a), rb = parts_read(&pb, b), same = 0;

    if (ra == 0 && rb == 0)
        same = same_place(&pa, &pb);
    else if (ra == MCPHOST_E_NOMEM || rb == MCPHOST_E_NOMEM)
        same = MCPHOST_E_NOMEM;
    parts_done(&pa);
    parts_done(&pb);
    return same;
}

bool
mcph_net_url_same_origin(const char *a, const char *b)
{
    return mcph_net_url_compare_origins(a, b) == 1;
}

static bool
same_user(const struct parts *a, const struct parts *b)
{
    return mcph_streq(a->user, b->user) && mcph_streq(a->password, b->password);
}

static bool
is_upgrade(const struct parts *from, const struct parts *to)
{
    return strcasecmp(from->scheme, "http") == 0 && strcmp(from->port, "80") == 0 &&
           strcasecmp(to->scheme, "https") == 0 && strcmp(to->port, "443") == 0 &&
           strcasecmp(from->host, to->host) == 0;
}

char *
mcph_net_url_follow(const char *from, const char *to)
{
    struct parts pf, pt;
    bool good = parts_init(&pf, from);
    char *text = NULL, *copy = NULL;

    good = parts_init(&pt, to) && good;
    good = good && (same_place(&pf, &pt) || is_upgrade(&pf, &pt));
    /* Keep the userinfo of the request, because a Location header rarely repeats it.  The
     * userinfo is still percent-encoded. */
    if (good && !pt.user && pf.user)
        good = curl_url_set(pt.url, CURLUPART_USER, pf.user, 0) == 0 &&
               (!pf.password ||
                curl_url_set(pt.url, CURLUPART_PASSWORD, pf.password, 0) == 0);
    else
        good = good && same_user(&pf, &pt);
    if (good && curl_url_get(pt.url, CURLUPART_URL, &text, 0) == CURLUE_OK)
        copy = mcph_strdup(text);
    curl_free(text);
    parts_done(&pf);
    parts_done(&pt);
    return copy;
}

static bool
is_localhost(const char *host)
{
    size_t len = strlen(host);

    if (len > 0 && host[len - 1] == '.')
        len--;
    return (len == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (len > 10 && strncasecmp(host + len - 10, ".localhost", 10) == 0);
}

/* Parses a host in libcurl's form, with IPv6 in brackets.  Returns AF_INET, AF_INET6, or
 * AF_UNSPEC if the host is not an address. */
static int
read_address(const char *host, struct in_addr *v4, struct in6_addr *v6)
{
    char text[INET6_ADDRSTRLEN];
    size_t len = strlen(host);

    if (inet_pton(AF_INET, host, v4) == 1)
        return AF_INET;
    if (len < 4 || host[0] != '[' || len - 2 >= sizeof(text))
        return AF_UNSPEC;
    memcpy(text, host + 1, len - 2);
    text[len - 2] = '\0';
    return inet_pton(AF_INET6, text, v6) == 1 ? AF_INET6 : AF_UNSPEC;
}

static enum mcph_net_where
locate_host(const char *host)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    const struct sockaddr *address = (struct sockaddr *)&v4;
    bool is_loopback;

    switch (read_address(host, &v4.sin_addr, &v6.sin6_addr)) {
    case AF_INET:
        is_loopback = ntohl(v4.sin_addr.s_addr) >> 24 == 127;
        break;
    case AF_INET6:
        is_loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
        address = (struct sockaddr *)&v6;
        break;
    default:
        return is_localhost(host) ? MCPH_NET_WHERE_LOOPBACK : MCPH_NET_WHERE_NAME;
    }
    if (is_loopback)
        return MCPH_NET_WHERE_LOOPBACK;
    return mcph_net_address_is_private(address) ? MCPH_NET_WHERE_PRIVATE
                                                : MCPH_NET_WHERE_PUBLIC;
}

int
mcph_net_url_locate(const char *url, enum mcph_net_where *ret)
{
    struct parts p;
    int r = parts_read(&p, url);

    if (r == 0)
        *ret = locate_host(p.host);
    parts_done(&p);
    return r;
}

bool
mcph_net_url_is_literal(const char *url)
{
    enum mcph_net_where where;

    return mcph_net_url_locate(url, &where) == 0 && where != MCPH_NET_WHERE_NAME;
}

bool
mcph_net_url_is_loopback(const char *url)
{
    enum mcph_net_where where;

    return mcph_net_url_locate(url, &where) == 0 && where == MCPH_NET_WHERE_LOOPBACK;
}
