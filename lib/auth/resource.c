/* SPDX-License-Identifier: MIT
 *
 * resource.c - the metadata of a protected resource (RFC 9728).
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"
#include "net/net.h"

/* ---- the resource ------------------------------------------------------------------ */

char *
mcph_oauth_canonical_resource(const char *url)
{
    char *root = mcph_oauth_root(url), *path = mcph_oauth_path(url, false), *made = NULL;

    if (root && path)
        made = mcph_asprintf("%s%s", root, strcmp(path, "/") == 0 ? "" : path);
    free(root);
    free(path);
    return made;
}

/* Returns true if a segment of the path is "." or "..", also with "%2e" for a dot.
 * Programs disagree about the path of a URL with these segments. */
static bool
has_dot_segment(const char *url)
{
    const char *p = strstr(url, "://");

    p = p ? p + 3 + strcspn(p + 3, "/?#") : "";
    while (*p == '/') {
        size_t dots = 0, others = 0;

        for (p++; *p && !strchr("/?#", *p); p++) {
            bool is_escape = strncasecmp(p, "%2e", 3) == 0;

            dots += *p == '.' || is_escape;
            others += *p != '.' && !is_escape;
            p += is_escape ? 2 : 0;
        }
        if (others == 0 && (dots == 1 || dots == 2))
            return true;
    }
    return false;
}

/* The relation of a URL to another URL.  URLs of different origins are OTHER. */
enum relation { OTHER, WIDER, SAME };

/* Finds the relation of `outer` to `inner`.  WIDER means that the path of `inner`
 * continues the path of `outer` with "/".  A "/" at the end of a path makes no
 * difference.  Returns 0 or MCPHOST_E_NOMEM. */
static int
relate(const char *outer, const char *inner, enum relation *ret)
{
    char *a = mcph_oauth_canonical_resource(outer);
    char *b = mcph_oauth_canonical_resource(inner);
    size_t len = a ? strlen(a) : 0;
    int r = a && b ? 0 : MCPHOST_E_NOMEM;

    if (r == 0) {
        if (a[len - 1] == '/')
            len--;
        if (strncmp(a, b, len) != 0 || (b[len] && b[len] != '/'))
            *ret = OTHER;
        else
            *ret = b[len] && b[len + 1] ? WIDER : SAME;
    }
    free(a);
    free(b);
    return r;
}

static int
refuse_other(const struct mcph_oauth_doc *doc, const char *resource,
             mcphost_error **reterr)
{
    char *shown = mcph_net_url_shown(resource);
    int r;

    if (!shown)
        return mcph_err_nomem(reterr);
    r = mcph_oauth_fail(reterr, MCPHOST_E_DENIED, doc->step, doc->url,
                        "correct the server's URL, or tell the operator of the server",
                        "the metadata describes the resource %s, not this server", shown);
    free(shown);
    return r;
}

/* Checks a document whose `resource` is a URL above the server's URL.  The document must
 * come from the well-known place of `resource`, or of a URL above `resource`.  Any server
 * below a path can serve a document at its own URL, but only the operator of the origin
 * can serve a well-known place. */
static int
check_wider(const struct mcph_oauth_doc *doc, const char *resource,
            mcphost_error **reterr)
{
    enum relation relation = OTHER;
    char *subject = NULL;
    int r = mcph_oauth_place_subject(doc->url, &subject);

    if (r == 0 && subject)
        r = relate(subject, resource, &relation);
    free(subject);
    if (r < 0)
        return mcph_err_nomem(reterr);
    if (relation != OTHER)
        return 0;
    return mcph_oauth_fail(
        reterr, MCPHOST_E_DENIED, doc->step, doc->url,
        "the operator must name the URL of the server as the resource, or serve the "
        "metadata at the well-known place of the resource",
        "the metadata describes a resource that contains more than this server, but it "
        "does not come from the well-known place of this resource");
}

static int
check_resource(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
               const char *resource, mcphost_error **reterr)
{
    enum relation relation = OTHER;
    int r;

    if (!resource)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                               "the member \"resource\" is missing");
    if (has_dot_segment(resource))
        return mcph_oauth_fail(reterr, MCPHOST_E_DENIED, doc->step, doc->url, NULL,
                               "the path of the resource has the segment \".\" or "
                               "\"..\"");
    if (strcmp(resource, server->url) == 0)
        return 0;
    r = mcph_oauth_check_url(server, "the resource of the metadata", resource, reterr);
    if (r < 0)
        return r;
    if (!strchr(resource, '?') && relate(resource, server->url, &relation) < 0)
        return mcph_err_nomem(reterr);
    if (relation == OTHER)
        return refuse_other(doc, resource, reterr);
    return relation == SAME ? 0 : check_wider(doc, resource, reterr);
}

/* ---- the document ------------------------------------------------------------------ */

/* Adds an issuer, if mcph_oauth_check_url() accepts it.  Otherwise stores the reason in
 * *first, unless *first has the reason of an earlier issuer.  Ignores an item that is not
 * a text. */
static int
add_issuer(const struct mcph_oauth_server *server, const json_t *item,
           struct mcph_oauth_resource *to, mcphost_error **first)
{
    const char *text = json_string_value(item);
    mcphost_error *why = NULL;
    int r;

    if (!text || strlen(text) != json_string_length(item))
        return 0;
    r = mcph_oauth_check_url(server, "issuer", text, &why);
    if (r < 0) {
        if (*first)
            mcphost_error_unref(why);
        else
            *first = why;
        return r == MCPHOST_E_NOMEM ? r : 0;
    }
    to->issuers[to->n_issuers] = mcph_strdup(text);
    if (!to->issuers[to->n_issuers])
        return MCPHOST_E_NOMEM;
    to->n_issuers++;
    return 0;
}

static int
read_issuers(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
             struct mcph_oauth_resource *to, mcphost_error **reterr)
{
    const json_t *list = json_object_get(doc->object, "authorization_servers"), *item;
    mcphost_error *first = NULL;
    int r = 0;
    size_t i;

    if (json_array_size(list) > MCPH_OAUTH_ISSUERS_MAX)
        return mcph_oauth_fail(reterr, MCPHOST_E_LIMIT, doc->step, doc->url, NULL,
                               "the document names more than %d authorization servers",
                               MCPH_OAUTH_ISSUERS_MAX);
    json_array_foreach(list, i, item)
    {
        r = add_issuer(server, item, to, &first);
        if (r < 0)
            break;
    }
    if (r < 0)
        mcph_err_nomem(reterr);
    else if (to->n_issuers == 0 && first)
        r = mcph_oauth_fail(reterr, mcphost_error_get_code(first), doc->step, doc->url,
                            NULL, "no authorization server can be used: %s",
                            mcphost_error_get_message(first));
    mcphost_error_unref(first);
    return r;
}

static int
read_all(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
         struct mcph_oauth_resource *to, mcphost_error **reterr)
{
    int r =
        mcph_oauth_doc_text(doc, "resource", MCPH_OAUTH_URL_MAX, &to->resource, reterr);

    if (r == 0)
        r = check_resource(server, doc, to->resource, reterr);
    if (r == 0)
        r = read_issuers(server, doc, to, reterr);
    if (r == 0)
        r = mcph_oauth_doc_words(doc, "scopes_supported", &to->scopes, reterr);
    if (r == 0)
        r = mcph_oauth_doc_words(doc, "dpop_signing_alg_values_supported", &to->dpop_algs,
                                 reterr);
    to->wants_dpop = mcph_oauth_doc_flag(doc, "dpop_bound_access_tokens_required");
    to->takes_header =
        !json_is_array(json_object_get(doc->object, "bearer_methods_supported")) ||
        mcph_oauth_doc_has(doc, "bearer_methods_supported", "header");
    return r;
}

int
mcph_oauth_resource_read(const struct mcph_oauth_server *server, const char *url,
                         const char *text, size_t len, struct mcph_oauth_resource *ret,
                         mcphost_error **reterr)
{
    struct mcph_oauth_resource made = {0};
    struct mcph_oauth_doc doc;
    int r =
        mcph_oauth_doc_open(&doc, "protected-resource metadata", url, text, len, reterr);

    if (r < 0)
        return r;
    r = read_all(server, &doc, &made, reterr);
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_oauth_resource_done(&made);
    else
        *ret = made;
    return r;
}

void
mcph_oauth_resource_done(struct mcph_oauth_resource *resource)
{
    for (size_t i = 0; i < resource->n_issuers; i++)
        free(resource->issuers[i]);
    free(resource->resource);
    free(resource->scopes);
    free(resource->dpop_algs);
    *resource = (struct mcph_oauth_resource){0};
}
