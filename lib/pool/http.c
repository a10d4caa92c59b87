/* SPDX-License-Identifier: MIT
 *
 * http.c - make the HTTP connection that a spec describes: headers, proxy, certificates,
 * credentials.
 *
 * Variables in the spec, and variables that name proxies, are read at each start (R15,
 * R17).  All these variables come from the environment that servers inherit.  The
 * application may have set this environment.  Only libcurl's names of proxy variables are
 * read, in libcurl's order.  The proxy variables are ignored if the configuration names a
 * proxy or rules out a proxy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pool/inner.h"

/* Returns the value of the first variable in `names` that is set, or NULL if no variable
 * is set.  An empty value means that there is no proxy. */
static const char *
first_of(const struct mcph_env *env, const char *const *names)
{
    const char *value = NULL;

    for (; *names && !value; names++)
        value = mcph_env_get(env, *names);
    return value;
}

const char *
mcph_pool_proxy(const struct mcph_spec *spec, const struct mcph_env *env)
{
    /* HTTP_PROXY is not read, because in a CGI program the HTTP client can set this
     * variable. */
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const secure[] = {"https_proxy", "HTTPS_PROXY", "all_proxy",
                                         "ALL_PROXY", NULL};

    if (mcph_net_url_is_loopback(spec->url))
        return NULL;
    return first_of(env, strncmp(spec->url, "https:", 6) == 0 ? secure : plain);
}

static void
find_proxy(const struct mcph_spec *spec, const struct mcph_env *env,
           struct mcph_net_site *site)
{
    static const char *const none[] = {"no_proxy", "NO_PROXY", NULL};
    const char *proxy = mcph_pool_proxy(spec, env);

    site->proxy = proxy ? proxy : "";
    site->no_proxy = first_of(env, none);
    if (!site->no_proxy)
        site->no_proxy = "";
}

/* Gets the credentials of the instance from the keeper, unless the instance has them
 * already.  All transports of the instance share the credentials. */
static int
find_credentials(struct mcph_instance *inst, const char *url, mcphost_error **reterr)
{
    char *key;

    if (inst->auth)
        return 0;
    key = mcph_realm_key(inst->realm, inst->spec->id);
    if (key)
        inst->auth = mcph_keeper_get(inst->pool->keeper, key, url);
    free(key);
    return inst->auth ? 0 : mcph_err_nomem(reterr);
}

/* ---- the configured connection ----------------------------------------------------- */

/* The connection settings of a spec for one start.  The settings have the values of
 * variables in place of their names. */
struct way {
    struct mcph_http_spec http;
    struct mcph_pairs headers, proxy, password;
    struct mcph_login_way login;
};

static void
way_done(struct way *way)
{
    mcph_pairs_done(&way->headers);
    mcph_pairs_done(&way->proxy);
    mcph_pairs_done(&way->password);
    mcph_login_way_done(&way->login);
}

/* Checks that the file or directory that a key names can be read, because libcurl
 * does not always report which file is wrong and why. */
static int
check_path(const struct mcph_spec *spec, const struct mcph_key *key,
           mcphost_error **reterr)
{
    const char *path = *(char *const *)mcph_key_get(key, spec);
    bool dir = key->kind == MCPH_KEY_DIRECTORY;
    mcphost_error *err = NULL;
    struct stat st;
    char text[128];
    int what = 0;

    if (!path)
        return 0;
    if (stat(path, &st) < 0 || access(path, R_OK) < 0)
        what = errno;
    else if (dir && !S_ISDIR(st.st_mode))
        what = ENOTDIR;
    else if (!dir && !S_ISREG(st.st_mode))
        what = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (!what)
        return 0;
    mcph_err_at(&err, MCPHOST_E_CONFIG, spec->file, spec->line, spec->column,
                "%s: cannot read '%s': %s", key->name, path,
                strerror_r(what, text, sizeof(text)));
    mcph_err_set_server(err, NULL, spec->id);
    if (reterr)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return MCPHOST_E_CONFIG;
}

static int
take_files(const struct mcph_spec *spec, struct mcph_net_site *site,
           mcphost_error **reterr)
{
    const struct mcph_key *key;
    int r = 0;

    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++) {
        if (key->kind == MCPH_KEY_FILE || key->kind == MCPH_KEY_DIRECTORY)
            r = check_path(spec, key, reterr);
    }
    site->ca_file = spec->ca_file;
    site->ca_dir = spec->ca_dir;
    site->client_cert = spec->client_cert;
    site->client_key = spec->client_key;
    return r;
}

static int
take_values(const struct mcph_spec *spec, struct mcph_env *env, struct way *way,
            mcphost_error **reterr)
{
    struct mcph_net_site *site = &way->http.site;
    int r = mcph_spec_resolve(spec, &spec->headers, mcph_lookup_variable, env,
                              &way->headers, reterr);

    if (r == 0)
        r = mcph_spec_resolve(spec, &spec->proxy, mcph_lookup_variable, env, &way->proxy,
                              reterr);
    if (r == 0)
        r = mcph_spec_resolve(spec, &spec->key_password, mcph_lookup_variable, env,
                              &way->password, reterr);
    if (r < 0)
        return r;
    if (way->proxy.n > 0) {
        const char *proxy = way->proxy.items[0].text;

        site->proxy = mcph_proxy_is_none(proxy) ? "" : proxy;
        site->no_proxy = "";
    } else {
        find_proxy(spec, env, site);
    }
    if (way->password.n > 0)
        site->key_password = way->password.items[0].text;
    return 0;
}

static int
take_spec(const struct mcph_spec *spec, unsigned allowed, struct mcph_env *env,
          struct way *way, mcphost_error **reterr)
{
    const struct mcph_transport_kind *kind = mcph_transport_kind(spec->transport);
    int r;

    *way = (struct way){.http = {.server = spec->id,
                                 .url = spec->url,
                                 .site = {.public_only = spec->public_only}}};
    if (kind->has_session_id)
        way->http.session_id = spec->session_id;
    if (kind->is_one_stream)
        way->http.sse = MCPH_HTTP_SSE_YES;
    else if (mcph_transport_allowed(allowed, kind->fallback))
        way->http.sse = MCPH_HTTP_SSE_MAYBE;
    if (spec->connect_timeout_ms >= 0)
        way->http.site.connect_ms = spec->connect_timeout_ms;
    r = take_values(spec, env, way, reterr);
    if (r == 0)
        r = take_files(spec, &way->http.site, reterr);
    return r < 0 ? r : mcph_login_way_make(spec, env, &way->login, reterr);
}

/* ---- logouts ----------------------------------------------------------------------- */

/* Starts the revocation for a logout.  Expands the spec as a start of the server does,
 * but needs no instance. */
static int
start_revocation(struct mcph_pool *pool, struct mcph_spec *spec,
                 const struct mcph_logout *logout, mcphost_error **reterr)
{
    struct mcph_mask *mask = mcph_mask_new();
    struct mcph_spec *launch = NULL;
    struct way way = {0};
    struct mcph_env env;
    int r = pool->net ? mcph_net_prepare(pool->net, reterr)
                      : mcph_err(reterr, MCPHOST_E_CLOSED, "the host is closed");

    mcph_env_init(&env);
    if (r == 0 && (!mask || mcph_pool_environment(pool, &env) < 0))
        r = mcph_err_nomem(reterr);
    if (r == 0)
        r = mcph_pool_expand(pool, spec, &env, mask, &launch, reterr);
    if (r == 0)
        r = take_spec(launch, 0, &env, &way, reterr);
    if (r == 0) {
        struct mcph_logout whole = *logout;

        whole.url = launch->url;
        mcph_keeper_revoke(pool->keeper, pool->net, &whole, &way.login, &way.http.site,
                           mask);
    }
    mcph_mask_unref(mask);
    way_done(&way);
    mcph_spec_unref(launch);
    mcph_env_done(&env);
    return r;
}

void
mcph_pool_revoke(struct mcph_pool *pool, struct mcph_spec *spec,
                 const struct mcph_logout *logout)
{
    mcphost_error *error = NULL;

    if (start_revocation(pool, spec, logout, &error) < 0)
        mcph_logout_tell(pool->core, logout, error);
    mcphost_error_unref(error);
}

/* ---- the connection ---------------------------------------------------------------- */

/* Connects the instance to the cache of answers.  The proxy, the session id and the
 * headers identify the caller to the server. */
static void
share_cache(struct mcph_instance *inst, const struct way *way)
{
    const struct mcph_pairs *pairs = &way->headers;
    struct mcph_buf who;

    mcph_instance_who_begin(&who);
    mcph_instance_who_add(&who, way->http.site.proxy);
    mcph_instance_who_add(&who, way->http.session_id);
    for (size_t i = 0; i < pairs->n; i++) {
        mcph_instance_who_add(&who, pairs->items[i].name);
        mcph_instance_who_add(&who, pairs->items[i].text);
    }
    mcph_instance_who_end(inst, &who);
}

static int
make_connection(struct mcph_instance *inst, struct way *way,
                const struct mcph_transport_owner *owner, struct mcph_transport **ret,
                mcphost_error **reterr)
{
    struct mcph_pool *pool = inst->pool;
    const struct mcph_pairs *pairs = &way->headers;
    struct mcph_net_header *headers;
    int r;

    r = find_credentials(inst, way->http.url, reterr);
    if (r == 0)
        r = mcph_keeper_set_way(inst->auth, &way->login, &way->http.site, inst->mask) < 0
                ? mcph_err_nomem(reterr)
                : 0;
    if (r < 0)
        return r;
    headers = calloc(pairs->n + 1, sizeof(*headers));
    if (!headers)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < pairs->n; i++)
        headers[i] = (struct mcph_net_header){pairs->items[i].name, pairs->items[i].text,
                                              strlen(pairs->items[i].text)};
    way->http.headers = headers;
    way->http.n_headers = pairs->n;
    r = mcph_http_new(pool->core, pool->net, &way->http, owner, inst, ret, reterr);
    if (r == 0) {
        mcph_http_set_frame_limit(*ret, (size_t)pool->options[MCPHOST_OPT_MESSAGE_BYTES]);
        mcph_http_set_sink(*ret, pool->sink, inst->ration);
        mcph_http_set_auth(*ret, inst->auth);
        mcph_http_set_idle(*ret, inst->spec->idle_timeout_ms);
        mcph_http_set_leave(*ret, mcph_realm_policy(inst->realm, MCPHOST_OPT_STOP_EOF));
        share_cache(inst, way);
    }
    free(headers);
    return r;
}

int
mcph_instance_make_http(struct mcph_instance *inst,
                        const struct mcph_transport_owner *owner,
                        struct mcph_transport **ret, mcphost_error **reterr)
{
    struct mcph_pool *pool = inst->pool;
    struct mcph_spec *launch = NULL;
    struct way way = {0};
    struct mcph_env env;
    int r = mcph_net_prepare(pool->net, reterr);

    if (r < 0)
        return r;
    mcph_env_init(&env);
    r = mcph_pool_environment(pool, &env);
    if (r < 0) {
        mcph_err_nomem(reterr);
        goto out;
    }
    r = mcph_pool_expand(pool, inst->spec, &env, inst->mask, &launch, reterr);
    if (r == 0)
        r = take_spec(launch,
                      (unsigned)mcph_realm_policy(inst->realm, MCPHOST_OPT_TRANSPORTS),
                      &env, &way, reterr);
    if (r == 0 && !mcph_str_copy(pool->title ? pool->title : pool->name,
                                 &way.login.texts[MCPH_WAY_CLIENT_NAME]))
        r = mcph_err_nomem(reterr);
    if (way.login.flow == MCPHOST_FLOW_AUTO)
        way.login.flow = (int)mcph_realm_policy(inst->realm, MCPHOST_OPT_LOGIN_FLOW);
    way.http.mask = inst->mask;
    if (r == 0)
        r = make_connection(inst, &way, owner, ret, reterr);
out:
    way_done(&way);
    mcph_spec_unref(launch);
    mcph_env_done(&env);
    return r;
}
