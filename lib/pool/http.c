/* SPDX-License-Identifier: MIT
 *
 * http.c - from a spec to an HTTP connection: its headers and its way there.
 *
 * Values that name variables are read at each start (R15, R17), and so are the
 * variables that name proxies: from the environment that servers inherit, which may be
 * the application's own.  Only libcurl's names are known, in its order.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

static const char *
lookup(const char *name, void *arg)
{
    return mcph_env_get(arg, name);
}

/* The first that is there; an empty one means none. */
static const char *
first_of(const struct mcph_env *env, const char *const *names)
{
    const char *value = NULL;

    for (; *names && !value; names++)
        value = mcph_env_get(env, *names);
    return value;
}

static void
find_proxy(const struct mcph_spec *spec, const struct mcph_env *env,
           struct mcph_net_site *site)
{
    /* HTTP_PROXY is what a client of a CGI program may set. */
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const secure[] = {"https_proxy", "HTTPS_PROXY", "all_proxy",
                                         "ALL_PROXY", NULL};
    static const char *const none[] = {"no_proxy", "NO_PROXY", NULL};
    bool tls = strncmp(spec->url, "https:", 6) == 0;
    const char *proxy = NULL;

    if (!mcph_net_url_is_loopback(spec->url))
        proxy = first_of(env, tls ? secure : plain);
    site->proxy = proxy ? proxy : "";
    site->no_proxy = first_of(env, none);
    if (!site->no_proxy)
        site->no_proxy = "";
}

/* One for all transports that the instance will have. */
static int
find_credentials(struct mcph_instance *inst, mcphost_error **reterr)
{
    if (!inst->auth)
        inst->auth = mcph_keeper_get(inst->pool->keeper, inst->spec->id, inst->spec->url);
    return inst->auth ? 0 : mcph_err_nomem(reterr);
}

static int
make(struct mcph_instance *inst, const struct mcph_env *env,
     const struct mcph_pairs *pairs, const struct mcph_transport_owner *owner,
     struct mcph_transport **ret, mcphost_error **reterr)
{
    struct mcph_pool *pool = inst->pool;
    struct mcph_http_spec http = {.server = inst->spec->id,
                                  .url = inst->spec->url,
                                  .n_headers = pairs->n,
                                  .session_id = inst->spec->session_id};
    struct mcph_net_header *headers;
    int r;

    r = find_credentials(inst, reterr);
    if (r < 0)
        return r;
    find_proxy(inst->spec, env, &http.site);
    headers = calloc(pairs->n + 1, sizeof(*headers));
    if (!headers)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < pairs->n; i++)
        headers[i] = (struct mcph_net_header){pairs->items[i].name, pairs->items[i].text,
                                              strlen(pairs->items[i].text)};
    http.headers = headers;
    r = mcph_http_new(pool->core, pool->net, &http, owner, inst, ret, reterr);
    if (r == 0) {
        mcph_http_set_frame_limit(*ret, pool->opt.message_bytes);
        mcph_http_set_sink(*ret, pool->opt.sink);
        mcph_http_set_auth(*ret, inst->auth);
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
    struct mcph_pairs pairs = {0};
    struct mcph_env env;
    int r = pool->net ? 0 : mcph_net_new(pool->core, &pool->net, reterr);

    if (r < 0)
        return r;
    mcph_env_init(&env);
    r = mcph_pool_environment(pool, &env);
    if (r < 0) {
        mcph_err_nomem(reterr);
        goto out;
    }
    r = mcph_spec_resolve_headers(inst->spec, lookup, &env, &pairs, reterr);
    if (r == 0)
        r = make(inst, &env, &pairs, owner, ret, reterr);
out:
    mcph_pairs_done(&pairs);
    mcph_env_done(&env);
    return r;
}
