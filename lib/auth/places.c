/* SPDX-License-Identifier: MIT
 *
 * places.c - the URLs that an OAuth client may fetch, and the places of the metadata.
 *
 * find_fault() first checks a URL with a strict grammar, so that this file and libcurl
 * agree about the host.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"
#include "net/net.h"

#define WELL_KNOWN "/.well-known/"
#define RESOURCE   "oauth-protected-resource"

/* ---- URLs that may be fetched ------------------------------------------------------ */

/* Returns the length of the scheme with its "://", or 0 if the scheme is not http or
 * https. */
static size_t
scheme_len(const char *url, bool *ret_https)
{
    *ret_https = strncasecmp(url, "https://", 8) == 0;
    if (*ret_https)
        return 8;
    return strncasecmp(url, "http://", 7) == 0 ? 7 : 0;
}

/* Returns true if the text has only characters that a URL may have. */
static bool
has_url_characters(const char *url)
{
    for (; *url; url++)
        if (*url <= ' ' || *url > '~' || strchr("\\\"<>^`{|}", *url))
            return false;
    return true;
}

/* Returns the reason why a URL is refused by its form alone, or NULL. */
static const char *
find_fault(const char *url)
{
    bool https;
    size_t start = scheme_len(url, &https), len;

    if (strlen(url) > MCPH_OAUTH_URL_MAX)
        return "the URL is too long";
    if (!has_url_characters(url))
        return "the URL has a character that is not allowed";
    if (start == 0)
        return "the URL is not an https URL";
    len = strcspn(url + start, "/?#");
    if (len == 0)
        return "the URL has no host";
    if (memchr(url + start, '@', len))
        return "the URL has a user name or a password";
    if (memchr(url + start, '%', len))
        return "the URL has an escape in its host";
    return strchr(url, '#') ? "the URL has a fragment" : NULL;
}

static bool
is_private(enum mcph_net_where where)
{
    return where == MCPH_NET_WHERE_PRIVATE || where == MCPH_NET_WHERE_LOOPBACK;
}

int
mcph_oauth_check_url(const struct mcph_oauth_server *server, const char *step,
                     const char *url, mcphost_error **reterr)
{
    enum mcph_net_where at = MCPH_NET_WHERE_NAME, home = MCPH_NET_WHERE_NAME;
    const char *fault = find_fault(url), *next = NULL;
    bool https;
    int r = fault ? 0 : mcph_net_url_locate(url, &at);

    if (r == MCPHOST_E_INVALID)
        fault = "the URL has no valid host or port";
    /* A server whose URL cannot be parsed counts as a server on the public internet. */
    if (r == 0)
        r = mcph_net_url_locate(server->url, &home);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    (void)scheme_len(url, &https);
    if (!fault && !https && at != MCPH_NET_WHERE_LOOPBACK)
        fault = "the URL is not an https URL, and plain http is allowed only on the "
                "loopback interface";
    if (!fault && !https && home != MCPH_NET_WHERE_LOOPBACK) {
        fault = "the URL is a plain http URL of this machine, but the MCP server is not "
                "on this machine";
        next = "the server must name an https URL";
    }
    if (!fault && !server->takes_private && is_private(at) && !is_private(home)) {
        fault = "the URL is in a private network, but the MCP server is not";
        next = "if the server may name private addresses, set 'auth.allowPrivate'";
    }
    return fault ? mcph_oauth_fail(reterr, MCPHOST_E_DENIED, step, url, next, "%s", fault)
                 : 0;
}

bool
mcph_oauth_is_public_only(const struct mcph_oauth_server *server, const char *url)
{
    enum mcph_net_where home = MCPH_NET_WHERE_NAME;

    (void)mcph_net_url_locate(server->url, &home);
    return !server->takes_private && !is_private(home) &&
           !mcph_net_url_same_origin(server->url, url);
}

/* ---- places of metadata ------------------------------------------------------------ */

char *
mcph_oauth_root(const char *url)
{
    char *origin = mcph_net_url_origin(url), *port;

    if (!origin)
        return NULL;
    port = strrchr(origin, ':');
    if (strcmp(port, strncmp(origin, "https:", 6) == 0 ? ":443" : ":80") == 0)
        *port = '\0';
    return origin;
}

void
mcph_oauth_places_done(struct mcph_oauth_places *places)
{
    for (size_t i = 0; i < places->n; i++)
        free(places->urls[i]);
    *places = (struct mcph_oauth_places){0};
}

char *
mcph_oauth_path(const char *url, bool bare)
{
    /* Resolve the URL against itself, because libcurl then removes "." and ".." from the
     * path. */
    char *whole = mcph_net_url_resolve(url, url), *path = NULL;
    const char *host = whole ? strstr(whole, "://") : NULL, *start;
    size_t len;

    if (host) {
        start = host + 3 + strcspn(host + 3, "/?#");
        len = strcspn(start, "?#");
        if (bare && len > 0 && start[len - 1] == '/')
            len--;
        path = mcph_strndup(start, len);
    }
    free(whole);
    return path;
}

/* Adds the URL <root><path>/.well-known/<name><tail>, unless the list has this URL
 * already. */
static int
add_place(struct mcph_oauth_places *places, const char *root, const char *path,
          const char *name, const char *tail)
{
    char *url = mcph_asprintf("%s%s" WELL_KNOWN "%s%s", root, path, name, tail);

    if (!url)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < places->n; i++) {
        if (strcmp(places->urls[i], url) == 0) {
            free(url);
            return 0;
        }
    }
    places->urls[places->n++] = url;
    return 0;
}

/* Checks the URL of the first place, and moves the places to *ret.  `r` is the result of
 * making the places.  If `r` is an error, makes the error MCPHOST_E_NOMEM.  Frees the
 * places on failure. */
static int
give_places(const struct mcph_oauth_server *server, const char *step, int r,
            struct mcph_oauth_places *made, struct mcph_oauth_places *ret,
            mcphost_error **reterr)
{
    if (r < 0)
        mcph_err_nomem(reterr);
    else
        r = mcph_oauth_check_url(server, step, made->urls[0], reterr);
    if (r < 0)
        mcph_oauth_places_done(made);
    else
        *ret = *made;
    return r;
}

int
mcph_oauth_resource_places(const struct mcph_oauth_server *server, const char *hint,
                           struct mcph_oauth_places *ret, mcphost_error **reterr)
{
    static const char step[] = "protected-resource metadata";
    struct mcph_oauth_places made = {0};
    char *root = NULL, *path = NULL;
    int r = 0;

    if (hint) {
        made.urls[0] = mcph_strdup(hint);
        made.n = made.urls[0] ? 1 : 0;
        r = made.urls[0] ? 0 : MCPHOST_E_NOMEM;
    } else {
        root = mcph_oauth_root(server->url);
        path = mcph_oauth_path(server->url, true);
        r = root && path ? add_place(&made, root, "", RESOURCE, path) : MCPHOST_E_NOMEM;
        if (r == 0)
            r = add_place(&made, root, "", RESOURCE, "");
    }
    free(root);
    free(path);
    return give_places(server, step, r, &made, ret, reterr);
}

int
mcph_oauth_place_subject(const char *place, char **ret)
{
    static const char start[] = WELL_KNOWN RESOURCE;
    char *root = mcph_oauth_root(place), *path = mcph_oauth_path(place, true);
    const char *rest = NULL;
    char *made = NULL;
    int r = root && path ? 0 : MCPHOST_E_NOMEM;

    if (r == 0 && !strpbrk(place, "?#") && strncmp(path, start, sizeof(start) - 1) == 0)
        rest = path + sizeof(start) - 1;
    if (rest && (!*rest || *rest == '/')) {
        made = mcph_asprintf("%s%s", root, rest);
        r = made ? 0 : MCPHOST_E_NOMEM;
    }
    free(root);
    free(path);
    if (r == 0)
        *ret = made;
    return r;
}

int
mcph_oauth_issuer_places(const struct mcph_oauth_server *server, const char *issuer,
                         struct mcph_oauth_places *ret, mcphost_error **reterr)
{
    static const char step[] = "authorization-server metadata";
    static const char openid[] = "openid-configuration";
    struct mcph_oauth_places made = {0};
    char *root, *path;
    int r = mcph_oauth_check_url(server, "issuer", issuer, reterr);

    if (r < 0)
        return r;
    if (strchr(issuer, '?'))
        return mcph_oauth_fail(reterr, MCPHOST_E_DENIED, "issuer", issuer, NULL,
                               "the URL has a query");
    root = mcph_oauth_root(issuer);
    path = mcph_oauth_path(issuer, true);
    r = root && path ? add_place(&made, root, "", "oauth-authorization-server", path)
                     : MCPHOST_E_NOMEM;
    if (r == 0)
        r = add_place(&made, root, "", openid, path);
    if (r == 0)
        r = add_place(&made, root, path, openid, "");
    free(root);
    free(path);
    return give_places(server, step, r, &made, ret, reterr);
}
