/* SPDX-License-Identifier: MIT
 *
 * way.c - make the settings of a server's logins from the keys under `auth` in its
 * entry.
 *
 * Secrets in environment variables and the client's private key are read at each start,
 * as other values of an entry are.
 */
#include <string.h>

#include "pool/inner.h"

#define KEY_MAX ((size_t)64 * 1024)

static int
copy_text(const char *text, char **ret, mcphost_error **reterr)
{
    return mcph_str_copy(text, ret) ? 0 : mcph_err_nomem(reterr);
}

/* Copies the value of a key.  If the key has no value, leaves *ret unchanged. */
static int
copy_value(const struct mcph_spec *spec, const struct mcph_values *values,
           struct mcph_env *env, char **ret, mcphost_error **reterr)
{
    struct mcph_pairs pairs = {0};
    int r = 0;

    if (values->n == 0)
        return 0;
    r = mcph_spec_resolve(spec, values, mcph_lookup_variable, env, &pairs, reterr);
    if (r == 0)
        r = copy_text(pairs.items[0].text, ret, reterr);
    mcph_pairs_done(&pairs);
    return r;
}

static int
copy_values(const struct mcph_spec *spec, struct mcph_env *env,
            struct mcph_login_way *way, mcphost_error **reterr)
{
    const struct {
        const struct mcph_values *values;
        int text;
    } values[] = {{&spec->client_id, MCPH_WAY_CLIENT_ID},
                  {&spec->client_secret, MCPH_WAY_CLIENT_SECRET},
                  {&spec->assertion, MCPH_WAY_ASSERTION},
                  {&spec->idp_client_secret, MCPH_WAY_IDP_CLIENT_SECRET}};
    int r = 0;

    for (size_t i = 0; r == 0 && i < MCPH_ARRAY_SIZE(values); i++)
        r = copy_value(spec, values[i].values, env, &way->texts[values[i].text], reterr);
    return r;
}

static int
copy_texts(const struct mcph_spec *spec, struct mcph_login_way *way,
           mcphost_error **reterr)
{
    const struct {
        const char *from;
        int text;
    } texts[] = {{spec->client_document, MCPH_WAY_CLIENT_DOCUMENT},
                 {spec->issuer, MCPH_WAY_ISSUER},
                 {spec->issuer_metadata, MCPH_WAY_METADATA_URL},
                 {spec->audience, MCPH_WAY_AUDIENCE},
                 {spec->account, MCPH_WAY_ACCOUNT},
                 {spec->idp_token_url, MCPH_WAY_IDP_URL},
                 {spec->idp_client_id, MCPH_WAY_IDP_CLIENT_ID}};
    int r = 0;

    for (size_t i = 0; r == 0 && i < MCPH_ARRAY_SIZE(texts); i++)
        r = copy_text(texts[i].from, &way->texts[texts[i].text], reterr);
    return r;
}

static int
join_scopes(const struct mcph_strings *scopes, char **ret, mcphost_error **reterr)
{
    struct mcph_buf buf;

    if (scopes->n == 0)
        return 0;
    mcph_buf_init(&buf, MCPH_SCOPES_MAX);
    for (size_t i = 0; i < scopes->n; i++) {
        if (i > 0)
            mcph_buf_addc(&buf, ' ');
        mcph_buf_adds(&buf, scopes->items[i]);
    }
    *ret = mcph_buf_steal(&buf, NULL);
    mcph_buf_done(&buf);
    return *ret
               ? 0
               : mcph_err(reterr, MCPHOST_E_CONFIG,
                          "auth.scopes: longer than %zu bytes together", MCPH_SCOPES_MAX);
}

static int
read_client_key(const struct mcph_spec *spec, char **ret, mcphost_error **reterr)
{
    struct mcph_buf pem;
    int r;

    if (!spec->login_key)
        return 0;
    mcph_buf_init_sized(&pem, KEY_MAX, KEY_MAX);
    r = mcph_file_read(spec->login_key, KEY_MAX - 1, &pem, reterr);
    if (r == 0) {
        *ret = mcph_strndup(pem.data, pem.len);
        r = *ret ? 0 : mcph_err_nomem(reterr);
    }
    mcph_buf_wipe(&pem);
    return r;
}

/* Returns true if the entry itself has the header Authorization. */
static bool
has_authorization(const struct mcph_spec *spec)
{
    for (size_t i = 0; i < spec->headers.n; i++) {
        if (strcasecmp(spec->headers.items[i].name, "Authorization") == 0)
            return true;
    }
    return false;
}

/* Checks that the entry has the keys that its flow needs. */
static int
check_flow(const struct mcph_login_way *way, mcphost_error **reterr)
{
    static const struct {
        int flow, text;
        const char *key;
    } needs[] = {
        {MCPHOST_FLOW_CLIENT_CREDENTIALS, MCPH_WAY_CLIENT_ID, "auth.clientId"},
        {MCPHOST_FLOW_JWT_BEARER, MCPH_WAY_CLIENT_ID, "auth.clientId"},
        {MCPHOST_FLOW_JWT_BEARER, MCPH_WAY_ASSERTION, "auth.assertion"},
        {MCPHOST_FLOW_TOKEN_EXCHANGE, MCPH_WAY_CLIENT_ID, "auth.clientId"},
        {MCPHOST_FLOW_TOKEN_EXCHANGE, MCPH_WAY_ASSERTION, "auth.assertion"},
        {MCPHOST_FLOW_TOKEN_EXCHANGE, MCPH_WAY_IDP_URL, "auth.idpTokenUrl"},
        {MCPHOST_FLOW_TOKEN_EXCHANGE, MCPH_WAY_IDP_CLIENT_ID, "auth.idpClientId"}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(needs); i++) {
        if (way->flow == needs[i].flow && !way->texts[needs[i].text] &&
            !(needs[i].text == MCPH_WAY_CLIENT_ID &&
              way->texts[MCPH_WAY_CLIENT_DOCUMENT]))
            return mcph_err(reterr, MCPHOST_E_CONFIG, "the flow in 'auth' needs '%s'",
                            needs[i].key);
    }
    return 0;
}

int
mcph_login_way_make(const struct mcph_spec *spec, struct mcph_env *env,
                    struct mcph_login_way *ret, mcphost_error **reterr)
{
    int r;

    ret->mode = spec->auth;
    if (ret->mode == MCPHOST_AUTH_AUTO && has_authorization(spec))
        ret->mode = MCPHOST_AUTH_HEADERS;
    ret->flow = spec->auth_flow;
    ret->takes_private = spec->private_issuer;
    ret->takes_no_pkce = spec->no_pkce;
    r = copy_values(spec, env, ret, reterr);
    if (r == 0)
        r = copy_texts(spec, ret, reterr);
    if (r == 0)
        r = join_scopes(&spec->scopes, &ret->texts[MCPH_WAY_SCOPES], reterr);
    if (r == 0)
        r = read_client_key(spec, &ret->texts[MCPH_WAY_CLIENT_KEY], reterr);
    return r == 0 ? check_flow(ret, reterr) : r;
}
