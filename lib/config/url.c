/* SPDX-License-Identifier: MIT
 *
 * url.c - check and normalize http and https URLs (B.3), and check proxies.
 *
 * Userinfo, path and query stay as they are, but a path without its first slash gets the
 * slash.  The fragment is removed, because a client never sends the fragment.  No part of
 * a URL goes into a message, because any part may hold secrets.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/config.h"

#define URL_MAX ((size_t)16 * 1024)

struct url {
    const char *scheme, *rest; /* `rest` is path and query, without the fragment */
    const char *user, *host, *port;
    size_t user_len, host_len, port_len, rest_len;
    bool slash; /* the path lacks its first slash */
};

static bool
host_ok(const char *host, size_t len)
{
    if (len >= 2 && host[0] == '[') {
        if (host[len - 1] != ']' || len < 4)
            return false;
        for (size_t i = 1; i < len - 1; i++) {
            if (!memchr("0123456789abcdefABCDEF:.", host[i], 24))
                return false;
        }
        return true;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)host[i];

        if (c < 0x80 && memchr("#%/:<>?@[\\]^|\"`{}", c, 17))
            return false;
    }
    return true;
}

static bool
port_ok(const char *port, size_t len)
{
    unsigned n = 0;

    for (size_t i = 0; i < len; i++) {
        if (port[i] < '0' || port[i] > '9')
            return false;
        n = n * 10 + (unsigned)(port[i] - '0');
        if (n > 65535)
            return false;
    }
    return true;
}

static bool
has_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] <= 0x20 || text[i] == 0x7f)
            return true;
    }
    return false;
}

/* Splits the text after the scheme and its slashes into the parts of a URL.  Returns
 * NULL, or a text about the fault. */
static const char *
split_rest(const char *text, const char *end, struct url *url)
{
    const char *p, *at, *hash;

    for (p = text; p < end && !memchr("/?#", *p, 3); p++)
        continue;
    url->rest = p;
    hash = memchr(p, '#', (size_t)(end - p));
    url->rest_len = (size_t)((hash ? hash : end) - p);
    url->slash = url->rest_len == 0 || *p != '/';

    at = memrchr(text, '@', (size_t)(p - text));
    if (at) {
        url->user = text;
        url->user_len = (size_t)(at + 1 - text);
        text = at + 1;
    }
    url->host = text;
    url->host_len = (size_t)(p - text);
    for (size_t i = url->host_len; i > 0 && text[i - 1] != ']'; i--) {
        if (text[i - 1] == ':') {
            url->port = text + i;
            url->port_len = url->host_len - i;
            url->host_len = i - 1;
            break;
        }
    }
    if (url->host_len == 0)
        return "has no host";
    if (!host_ok(url->host, url->host_len))
        return "has a host that is not a name or an address";
    if (!port_ok(url->port, url->port_len))
        return "has a port that is not a number up to 65535";
    return NULL;
}

static const char *
split_url(const char *text, size_t len, struct url *url)
{
    if (has_blank(text, len))
        return "has a blank or a control character";
    if (len > 8 && strncasecmp(text, "https://", 8) == 0)
        url->scheme = "https";
    else if (len > 7 && strncasecmp(text, "http://", 7) == 0)
        url->scheme = "http";
    else
        return "does not begin with http:// or https://";
    return split_rest(text + strlen(url->scheme) + 3, text + len, url);
}

/* Appends the port, but omits the default port.  Leading zeros do not count: 0443 is the
 * default port of https. */
static void
add_port(struct mcph_buf *buf, const struct url *url)
{
    const char *fallback = strcmp(url->scheme, "https") == 0 ? "443" : "80";
    const char *port = url->port;
    size_t len = url->port_len;

    while (len > 1 && *port == '0') {
        port++;
        len--;
    }
    if (len == 0 || (len == strlen(fallback) && memcmp(port, fallback, len) == 0))
        return;
    mcph_buf_addc(buf, ':');
    mcph_buf_add(buf, port, len);
}

int
mcph_url_normalize(const char *text, size_t len, char **ret_url, const char **ret_why)
{
    struct url url = {0};
    struct mcph_buf buf;
    const char *why;
    char *copy;

    while (len > 0 && (unsigned char)text[0] <= 0x20) {
        text++;
        len--;
    }
    while (len > 0 && (unsigned char)text[len - 1] <= 0x20)
        len--;
    why = len > URL_MAX ? "is longer than 16 KiB" : split_url(text, len, &url);
    if (why) {
        *ret_why = why;
        return MCPHOST_E_CONFIG;
    }

    mcph_buf_init(&buf, 2 * URL_MAX);
    mcph_buf_addf(&buf, "%s://", url.scheme);
    mcph_buf_add(&buf, url.user, url.user_len);
    for (size_t i = 0; i < url.host_len; i++) {
        char c = url.host[i];

        mcph_buf_addc(&buf, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    add_port(&buf, &url);
    if (url.slash)
        mcph_buf_addc(&buf, '/');
    mcph_buf_add(&buf, url.rest, url.rest_len);
    copy = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    if (!copy)
        return MCPHOST_E_NOMEM;
    *ret_url = copy;
    return 0;
}

bool
mcph_proxy_is_none(const char *text)
{
    return mcph_text_blank(text) || strcmp(text, "none") == 0;
}

/* Returns NULL if the proxy is valid, else a text about its fault.  A proxy must have a
 * port, because users do not expect port 1080, the default port of libcurl for
 * proxies. */
const char *
mcph_proxy_check(const char *text)
{
    static const char *const schemes[] = {"http", "https", "socks5", "socks5h"};
    const char *rest = strstr(text, "://"), *why;
    size_t len = strlen(text), i;
    struct url url = {0};

    if (mcph_proxy_is_none(text))
        return NULL;
    for (i = 0; rest && i < MCPH_ARRAY_SIZE(schemes); i++) {
        if (strlen(schemes[i]) == (size_t)(rest - text) &&
            strncasecmp(text, schemes[i], (size_t)(rest - text)) == 0)
            break;
    }
    if (!rest || i == MCPH_ARRAY_SIZE(schemes))
        return "does not begin with http://, https://, socks5:// or socks5h://";
    if (len > URL_MAX)
        return "is longer than 16 KiB";
    if (has_blank(text, len))
        return "has a blank or a control character";
    why = split_rest(rest + 3, text + len, &url);
    if (!why && url.port_len == 0)
        why = "has no port";
    if (!why && (url.rest_len > 1 || (url.rest_len == 1 && *url.rest != '/')))
        why = "has more than scheme, host and port";
    return why;
}
