/* SPDX-License-Identifier: MIT
 *
 * secrets.c - learn, at each start and before a revocation, which texts of a server's
 * configuration are secret.
 *
 * Each server has one mask.  Its transports, its client and the host apply the mask
 * wherever the server's own text enters an error, a problem, an event or the log.  The
 * mask has all values of headers, proxies, key passwords and logins (client ids, client
 * secrets and assertions), all values read from variables, session ids, the logins and
 * queries of URLs, and the login in the URL of a proxy that the environment names.  The
 * mask has literal `env` values and overlay variables only if the names of the variables
 * say that the values are secret.  If a literal `env` value with another name is a URL,
 * the mask has the login of the URL.  The transport adds credentials to the mask when it
 * sends them.
 *
 * The login of a URL is in the mask as "NAME:PASSWORD", and also as the password alone.
 * If the login has no password, the mask has the name.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

/* ---- learning ---------------------------------------------------------------------- */

static int
add_text(struct mcph_mask *mask, const char *text)
{
    return text ? mcph_mask_add(mask, text, strlen(text)) : 0;
}

/* Adds to the mask "name:password" of "name:password@host", and the password alone. */
static int
add_login(struct mcph_mask *mask, const char *from)
{
    const char *at, *colon;
    int r;

    at = from + strcspn(from, "@/?#");
    if (*at != '@')
        return 0;
    r = mcph_mask_add(mask, from, (size_t)(at - from));
    colon = memchr(from, ':', (size_t)(at - from));
    if (r == 0 && colon)
        r = mcph_mask_add(mask, colon + 1, (size_t)(at - colon - 1));
    return r;
}

/* Adds to the mask the login of a URL. */
static int
add_userinfo(struct mcph_mask *mask, const char *url)
{
    const char *scheme_end = strstr(url, "://");

    return scheme_end ? add_login(mask, scheme_end + 3) : 0;
}

/* Adds the login of the proxy that the environment names.  The scheme of a proxy is
 * optional. */
static int
add_proxy(struct mcph_mask *mask, const struct mcph_spec *spec,
          const struct mcph_env *env)
{
    const char *proxy = spec->url ? mcph_pool_proxy(spec, env) : NULL;

    if (!proxy)
        return 0;
    return strstr(proxy, "://") ? add_userinfo(mask, proxy) : add_login(mask, proxy);
}

/* Adds to the mask the query of a URL, and each value in the query. */
static int
add_query(struct mcph_mask *mask, const char *url)
{
    const char *query = strchr(url, '?'), *value, *end;
    int r = 0;

    if (!query)
        return 0;
    for (value = strchr(query, '='); value && r == 0; value = strchr(end, '=')) {
        end = value + 1 + strcspn(value + 1, "&#");
        r = mcph_mask_add(mask, value + 1, (size_t)(end - value - 1));
    }
    return r == 0 ? add_text(mask, query + 1) : r;
}

static int
add_values(struct mcph_mask *mask, const struct mcph_values *values,
           const struct mcph_env *env, bool all)
{
    int r = 0;

    for (size_t i = 0; i < values->n && r == 0; i++) {
        const struct mcph_value *v = &values->items[i];
        const char *read = v->env ? mcph_env_get(env, v->env) : NULL;
        char *whole;

        if (!v->env && !all && !mcph_mask_is_secret_name(v->name)) {
            r = add_userinfo(mask, v->text);
            continue;
        }
        whole = mcph_asprintf("%s%s", v->text, read ? read : "");
        if (!whole)
            return MCPHOST_E_NOMEM;
        r = add_text(mask, read);
        if (r == 0)
            r = add_userinfo(mask, whole);
        if (r == 0)
            r = mcph_mask_add_header(mask, whole, strlen(whole));
        explicit_bzero(whole, strlen(whole));
        free(whole);
    }
    return r;
}

/* Adds the values of overlay variables whose names say that the values are secret.  The
 * application sets overlay variables for all servers. */
static int
add_overlay(struct mcph_mask *mask, const struct mcph_env *set)
{
    int r = 0;

    for (size_t i = 0; i < set->vars.n && r == 0; i++) {
        char *var = set->vars.items[i], *equals = strchr(var, '=');

        *equals = '\0';
        if (mcph_mask_is_secret_name(var))
            r = add_text(mask, equals + 1);
        *equals = '=';
    }
    return r;
}

/* Adds the secrets of one key of the spec.  Values of headers, proxies, key passwords and
 * logins, session ids, and values that are read from variables are secret.  A literal
 * environment variable is secret if mcph_mask_is_secret_name() accepts its name.  The
 * login and the query of a URL are secret.  Of a URL in another literal environment
 * variable, only the login is secret. */
static int
add_key(struct mcph_mask *mask, const struct mcph_key *key, const struct mcph_spec *spec,
        const struct mcph_env *env)
{
    const void *field = mcph_key_get(key, spec);
    const char *text;
    int r;

    if (mcph_key_has_values(key))
        return add_values(mask, field, env, key->kind != MCPH_KEY_VARIABLES);
    if (key->kind != MCPH_KEY_SESSION && key->kind != MCPH_KEY_URL)
        return 0;
    text = *(char *const *)field;
    if (!text || key->kind == MCPH_KEY_SESSION)
        return add_text(mask, text);
    r = add_userinfo(mask, text);
    return r == 0 ? add_query(mask, text) : r;
}

int
mcph_pool_learn_secrets(struct mcph_pool *pool, struct mcph_mask *mask,
                        const struct mcph_spec *launch, const struct mcph_env *env)
{
    const struct mcph_key *key;
    int r = 0;

    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++)
        r = add_key(mask, key, launch, env);
    if (r == 0)
        r = add_proxy(mask, launch, env);
    return r == 0 ? add_overlay(mask, &pool->set) : r;
}
