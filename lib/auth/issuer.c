/* SPDX-License-Identifier: MIT
 *
 * issuer.c - the metadata of an authorization server (RFC 8414, OpenID Connect).
 *
 * The issuer's name decides which credentials belong to an authorization server.  So a
 * document with another name is refused, even if it comes from the URL at which the
 * metadata was expected.  check_issuer() makes two exceptions: for a "/" at the end of a
 * name, and for an MCP server that names no authorization server (`relaxed`).
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth_inner.h"
#include "net/net.h"

static const char step[] = "authorization-server metadata";

static const struct {
    const char *word;
    unsigned bit;
} methods[] =
    {
        {"none", MCPH_OAUTH_METHOD_NONE},
        {"client_secret_basic", MCPH_OAUTH_METHOD_BASIC},
        {"client_secret_post", MCPH_OAUTH_METHOD_POST},
        {"private_key_jwt", MCPH_OAUTH_METHOD_KEY},
},
  grants[] = {
      {"authorization_code", MCPH_OAUTH_GRANT_CODE},
      {"refresh_token", MCPH_OAUTH_GRANT_REFRESH},
      {"client_credentials", MCPH_OAUTH_GRANT_CLIENT},
      {"urn:ietf:params:oauth:grant-type:token-exchange", MCPH_OAUTH_GRANT_EXCHANGE},
      {"urn:ietf:params:oauth:grant-type:jwt-bearer", MCPH_OAUTH_GRANT_JWT},
      {"urn:ietf:params:oauth:grant-type:device_code", MCPH_OAUTH_GRANT_DEVICE},
};

/* ---- words ------------------------------------------------------------------------- */

const char *
mcph_oauth_method_word(unsigned bit)
{
    size_t i = 0;

    while (i + 1 < MCPH_ARRAY_SIZE(methods) && methods[i].bit != bit)
        i++;
    return methods[i].word;
}

unsigned
mcph_oauth_method_bit(const char *word)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(methods); i++)
        if (strcmp(methods[i].word, word) == 0)
            return methods[i].bit;
    return 0;
}

const char *
mcph_oauth_grant_word(unsigned bit)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(grants); i++)
        if (grants[i].bit == bit)
            return grants[i].word;
    return NULL;
}

/* ---- the issuer's name ------------------------------------------------------------- */

bool
mcph_oauth_issuer_fits(const char *wanted, const char *found)
{
    size_t len = strlen(found);
    const char *host = strstr(found, "://"), *rest;

    if (strncmp(wanted, found, len) != 0)
        return false;
    rest = wanted + len;
    return !*rest || (host && !strchr(host + 3, '/') && strcmp(rest, "/") == 0);
}

static int
check_issuer(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
             const char *wanted, bool relaxed, struct mcph_oauth_issuer *to,
             mcphost_error **reterr)
{
    char *shown;
    int r;

    if (!to->issuer && relaxed) {
        to->issuer = mcph_strdup(wanted);
        return to->issuer ? 0 : mcph_err_nomem(reterr);
    }
    if (!to->issuer)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url, NULL,
                               "the member \"issuer\" is missing");
    r = mcph_oauth_check_url(server, "issuer", to->issuer, reterr);
    if (r < 0)
        return r;
    if (mcph_oauth_issuer_fits(wanted, to->issuer) ||
        (relaxed && mcph_net_url_same_origin(to->issuer, wanted)))
        return 0;
    shown = mcph_net_url_shown(to->issuer);
    if (!shown)
        return mcph_err_nomem(reterr);
    r = mcph_oauth_fail(reterr, MCPHOST_E_DENIED, doc->step, doc->url,
                        "the operator of the server must name the issuer exactly",
                        "the document is of the issuer %s, but the issuer %s was asked "
                        "for",
                        shown, wanted);
    free(shown);
    return r;
}

/* ---- members ----------------------------------------------------------------------- */

/* Reads the URL of an endpoint and checks it. */
static int
read_endpoint(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
              const char *name, char **ret, mcphost_error **reterr)
{
    int r = mcph_oauth_doc_text(doc, name, MCPH_OAUTH_URL_MAX, ret, reterr);

    return r == 0 && *ret ? mcph_oauth_check_url(server, name, *ret, reterr) : r;
}

static int
read_endpoints(const struct mcph_oauth_server *server, const struct mcph_oauth_doc *doc,
               struct mcph_oauth_issuer *to, mcphost_error **reterr)
{
    const struct {
        const char *name;
        char **to;
    } endpoints[] = {
        {"authorization_endpoint", &to->authorization},
        {"token_endpoint", &to->token},
        {"registration_endpoint", &to->registration},
        {"device_authorization_endpoint", &to->device},
        {"revocation_endpoint", &to->revocation},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(endpoints); i++) {
        int r = read_endpoint(server, doc, endpoints[i].name, endpoints[i].to, reterr);

        if (r < 0)
            return r;
    }
    return to->token ? 0
                     : mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, doc->step, doc->url,
                                       NULL, "the member \"token_endpoint\" is missing");
}

static int
read_words(const struct mcph_oauth_doc *doc, struct mcph_oauth_issuer *to,
           mcphost_error **reterr)
{
    int r = mcph_oauth_doc_words(doc, "scopes_supported", &to->scopes, reterr);

    if (r == 0)
        r = mcph_oauth_doc_words(doc, "dpop_signing_alg_values_supported", &to->dpop_algs,
                                 reterr);
    if (r == 0)
        r = mcph_oauth_doc_words(doc, "token_endpoint_auth_signing_alg_values_supported",
                                 &to->assertion_algs, reterr);
    return r;
}

static bool
has_array(const struct mcph_oauth_doc *doc, const char *name)
{
    return json_is_array(json_object_get(doc->object, name));
}

static void
read_flags(const struct mcph_oauth_doc *doc, struct mcph_oauth_issuer *to)
{
    static const char method_list[] = "token_endpoint_auth_methods_supported";

    to->lists_methods = has_array(doc, method_list);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(methods); i++)
        if (mcph_oauth_doc_has(doc, method_list, methods[i].word))
            to->methods |= methods[i].bit;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(grants); i++)
        if (mcph_oauth_doc_has(doc, "grant_types_supported", grants[i].word))
            to->grants |= grants[i].bit;
    if (!has_array(doc, "grant_types_supported"))
        to->grants = MCPH_OAUTH_GRANT_CODE;
    to->gives_code = !has_array(doc, "response_types_supported") ||
                     mcph_oauth_doc_has(doc, "response_types_supported", "code");
    to->has_s256 = mcph_oauth_doc_has(doc, "code_challenge_methods_supported", "S256");
    to->sends_iss =
        mcph_oauth_doc_flag(doc, "authorization_response_iss_parameter_supported");
    to->takes_cimd = mcph_oauth_doc_flag(doc, "client_id_metadata_document_supported");
    to->takes_id_jag = mcph_oauth_doc_has(doc, "authorization_grant_profiles_supported",
                                          "urn:ietf:params:oauth:grant-profile:id-jag");
}

/* ---- the document ------------------------------------------------------------------ */

int
mcph_oauth_issuer_read(const struct mcph_oauth_server *server, const char *url,
                       const char *issuer, bool relaxed, const char *text, size_t len,
                       struct mcph_oauth_issuer *ret, mcphost_error **reterr)
{
    struct mcph_oauth_issuer made = {0};
    struct mcph_oauth_doc doc;
    int r = mcph_oauth_doc_open(&doc, step, url, text, len, reterr);

    if (r < 0)
        return r;
    r = mcph_oauth_doc_text(&doc, "issuer", MCPH_OAUTH_URL_MAX, &made.issuer, reterr);
    if (r == 0)
        r = check_issuer(server, &doc, issuer, relaxed, &made, reterr);
    if (r == 0)
        r = read_endpoints(server, &doc, &made, reterr);
    if (r == 0)
        r = read_words(&doc, &made, reterr);
    read_flags(&doc, &made);
    mcph_oauth_doc_close(&doc);
    if (r < 0)
        mcph_oauth_issuer_done(&made);
    else
        *ret = made;
    return r;
}

int
mcph_oauth_issuer_default(const struct mcph_oauth_server *server,
                          struct mcph_oauth_issuer *ret, mcphost_error **reterr)
{
    struct mcph_oauth_issuer made = {
        .issuer = mcph_oauth_root(server->url),
        .grants = MCPH_OAUTH_GRANT_CODE | MCPH_OAUTH_GRANT_REFRESH,
        .gives_code = true,
        .has_s256 = true, /* MCP 2025-03-26 requires each server to support PKCE */
    };
    int r = 0;

    if (made.issuer) {
        made.authorization = mcph_asprintf("%s/authorize", made.issuer);
        made.token = mcph_asprintf("%s/token", made.issuer);
        made.registration = mcph_asprintf("%s/register", made.issuer);
    }
    if (!made.authorization || !made.token || !made.registration)
        r = mcph_err_nomem(reterr);
    else
        r = mcph_oauth_check_url(server, "default token endpoint", made.token, reterr);
    if (r < 0)
        mcph_oauth_issuer_done(&made);
    else
        *ret = made;
    return r;
}

int
mcph_oauth_issuer_check_code(const struct mcph_oauth_server *server,
                             const struct mcph_oauth_issuer *issuer,
                             mcphost_error **reterr)
{
    if (!issuer->authorization)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, issuer->issuer, NULL,
                               "the member \"authorization_endpoint\" is missing");
    if (!issuer->gives_code)
        return mcph_oauth_fail(reterr, MCPHOST_E_PROTOCOL, step, issuer->issuer, NULL,
                               "the authorization server gives no authorization codes");
    if (!issuer->has_s256 && !server->takes_no_pkce)
        return mcph_oauth_fail(
            reterr, MCPHOST_E_DENIED, step, issuer->issuer,
            "if the authorization server supports PKCE all the same, set "
            "'auth.allowNoPkce'",
            "\"code_challenge_methods_supported\" does not list S256");
    return 0;
}

void
mcph_oauth_issuer_done(struct mcph_oauth_issuer *issuer)
{
    free(issuer->issuer);
    free(issuer->authorization);
    free(issuer->token);
    free(issuer->registration);
    free(issuer->device);
    free(issuer->revocation);
    free(issuer->scopes);
    free(issuer->dpop_algs);
    free(issuer->assertion_algs);
    *issuer = (struct mcph_oauth_issuer){0};
}
