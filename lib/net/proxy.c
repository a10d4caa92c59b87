/* SPDX-License-Identifier: MIT
 *
 * proxy.c - decide whether a request uses its proxy, and which part of the proxy's URL
 * may be shown.
 *
 * For the site's own proxy, this file applies libcurl's rules for lists of hosts
 * without a proxy, and handle.c passes the decision to libcurl.  libcurl does not
 * report whether it uses a proxy.  The check for private addresses must know whether
 * libcurl uses the site's proxy, because libcurl connects either to the proxy's address
 * or to the server's address.  libcurl alone decides about the proxy of the
 * environment.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/net.h"

/* Returns true if the first `bits` bits of two addresses are equal. */
static bool
same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
    unsigned rest = bits % 8;

    return memcmp(a, b, bits / 8) == 0 &&
           (rest == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0);
}

/* Returns true if `item` ("10.0.0.0/8", "fd00::/8", or one address) contains
 * `address`. */
static bool
network_contains(int family, const unsigned char *address, const char *item)
{
    unsigned char net[sizeof(struct in6_addr)];
    unsigned long bits = family == AF_INET ? 32 : 128, given;
    char *slash = strchr(item, '/'), *end;

    if (slash) {
        *slash = '\0';
        given = strtoul(slash + 1, &end, 10);
        if (end == slash + 1 || *end || given > bits)
            return false;
        bits = given;
    }
    return inet_pton(family, item, net) == 1 && same_bits(address, net, (unsigned)bits);
}

static bool
is_subdomain(const char *host, size_t len, const char *item)
{
    size_t n;

    while (*item == '.')
        item++;
    n = strlen(item);
    if (n > 0 && item[n - 1] == '.')
        n--;
    if (n == 0 || n > len || strncasecmp(host + len - n, item, n) != 0)
        return false;
    return n == len || host[len - n - 1] == '.';
}

/* Returns true if `list` contains the host.  `host` has libcurl's form, with IPv6 in
 * brackets. */
static bool
is_exempt(char *host, const char *list)
{
    unsigned char address[sizeof(struct in6_addr)];
    int family = AF_UNSPEC;
    size_t len = strlen(host);
    char *items, *item, *save = NULL;
    bool found = false;

    if (len > 1 && host[0] == '[') {
        host[len - 1] = '\0';
        family = inet_pton(AF_INET6, host + 1, address) == 1 ? AF_INET6 : AF_UNSPEC;
    } else if (inet_pton(AF_INET, host, address) == 1) {
        family = AF_INET;
    } else if (len > 0 && host[len - 1] == '.') {
        len--;
    }
    items = mcph_strdup(list);
    for (item = items ? strtok_r(items, ", \t", &save) : NULL; item && !found;
         item = strtok_r(NULL, ", \t", &save))
        found = strcmp(item, "*") == 0 ||
                (family == AF_UNSPEC ? is_subdomain(host, len, item)
                                     : network_contains(family, address, item));
    free(items);
    return found;
}

bool
mcph_net_is_exempt(const char *no_proxy, const char *url)
{
    CURLU *parts;
    char *host = NULL;
    bool found = false;

    if (!no_proxy || !*no_proxy)
        return false;
    parts = curl_url();
    if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK)
        found = is_exempt(host, no_proxy);
    curl_free(host);
    curl_url_cleanup(parts);
    return found;
}

char *
mcph_net_proxy_place(const char *proxy)
{
    CURLU *parts = curl_url();
    char *host = NULL, *port = NULL, *place = NULL;

    if (parts &&
        curl_url_set(parts, CURLUPART_URL, proxy,
                     CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        (void)curl_url_get(parts, CURLUPART_PORT, &port, 0);
        place = mcph_asprintf("%s%s%s", host, port ? ":" : "", port ? port : "");
    } else {
        place = mcph_strdup("(a proxy)");
    }
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parts);
    return place;
}
