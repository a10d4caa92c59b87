/* SPDX-License-Identifier: MIT
 *
 * environment.c - make the environment in which servers are started.
 *
 * The environment has these layers, from the lowest to the highest:
 *   - the process's environment as it is at each start (R15), or the environment that the
 *     application has set instead;
 *   - variables that the application sets and hides one by one (the overlay);
 *   - the policy, which hides variables of the lowest layer, but none of the overlay;
 *   - the spec's own values (R12-R14).
 *
 * The process's environment is only read.  No value is logged or put into an error.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/inner.h"

/* limit on the variables that are set, and on the variables that are hidden */
#define VARIABLES_MAX 1024
/* limit on the bytes of a name and its value, below the kernel's limit of 128 KiB for one
 * string */
#define VALUE_MAX ((size_t)128 * 1024 - 256)

void
mcph_pool_set_environment(struct mcph_pool *pool, struct mcph_env *env)
{
    mcph_env_free(pool->environment);
    pool->environment = env;
}

/* ---- the overlay ------------------------------------------------------------------- */

bool
mcph_pool_is_variable(const char *name)
{
    static const char letters[] =
        "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    return *name && !(*name >= '0' && *name <= '9') &&
           name[strspn(name, letters)] == '\0';
}

int
mcph_pool_set_variable(struct mcph_pool *pool, const char *name, const char *value)
{
    struct mcph_env *to = value ? &pool->set : &pool->hidden;
    struct mcph_env *from = value ? &pool->hidden : &pool->set;
    int r;

    if (!mcph_pool_is_variable(name))
        return MCPHOST_E_INVALID;
    if ((value ? strlen(value) : 0) + strlen(name) > VALUE_MAX ||
        (to->vars.n >= VARIABLES_MAX && !mcph_env_get(to, name)))
        return MCPHOST_E_LIMIT;
    r = mcph_env_set(to, name, value ? value : "");
    if (r == 0)
        mcph_env_unset(from, name);
    return r;
}

static int
copy_all(struct mcph_env *to, const struct mcph_env *from)
{
    return mcph_env_inherit(to, MCPH_ENV_ALL, from);
}

static void
hide_variables(const struct mcph_pool *pool, struct mcph_env *env)
{
    for (size_t i = 0; i < pool->hidden.vars.n; i++) {
        char *var = pool->hidden.vars.items[i], *equals = strchr(var, '=');

        *equals = '\0';
        mcph_env_unset(env, var);
        *equals = '=';
    }
}

int
mcph_pool_environment(const struct mcph_pool *pool, struct mcph_env *env)
{
    int r = pool->environment ? copy_all(env, pool->environment) : mcph_env_snapshot(env);

    if (r < 0)
        return r;
    hide_variables(pool, env);
    return copy_all(env, &pool->set);
}

int
mcph_pool_get_variable(const struct mcph_pool *pool, const char *name, char **ret_value)
{
    struct mcph_env env;
    const char *value;
    char *copy = NULL;
    int r;

    mcph_env_init(&env);
    r = mcph_pool_environment(pool, &env);
    value = r == 0 ? mcph_env_get(&env, name) : NULL;
    if (value) {
        copy = mcph_strdup(value);
        r = copy ? 0 : MCPHOST_E_NOMEM;
    }
    if (r == 0)
        *ret_value = copy;
    mcph_env_done(&env);
    return r;
}

/* ---- the environment of a child ---------------------------------------------------- */

const char *
mcph_lookup_variable(const char *name, void *arg)
{
    return mcph_env_get(arg, name);
}

/* The state of read_secret(), which reads the variables in the spec's texts.  The values
 * of these variables count as secrets. */
struct reading {
    struct mcph_env *env;
    struct mcph_mask *mask;
    bool lost; /* memory was short for a value */
};

static const char *
read_secret(const char *name, void *arg)
{
    struct reading *reading = arg;
    const char *value = mcph_env_get(reading->env, name);

    if (value && mcph_mask_add(reading->mask, value, strlen(value)) < 0)
        reading->lost = true;
    return value;
}

int
mcph_pool_expand(struct mcph_pool *pool, struct mcph_spec *spec, struct mcph_env *env,
                 struct mcph_mask *mask, struct mcph_spec **ret_launch,
                 mcphost_error **reterr)
{
    struct reading reading = {.env = env, .mask = mask};
    int r;

    /* Keep these secrets in the mask as long as the server exists, because the
     * configuration is in use for this time.  Later secrets must not replace these
     * secrets. */
    mcph_mask_set_keeping(mask, true);
    r = mcph_spec_expand(spec, read_secret, &reading, ret_launch, reterr);
    if (r == 0 &&
        (reading.lost || mcph_pool_learn_secrets(pool, mask, *ret_launch, env) < 0)) {
        *ret_launch = mcph_spec_unref(*ret_launch);
        r = mcph_err_nomem(reterr);
    }
    mcph_mask_set_keeping(mask, false);
    return r;
}

static int
own_values(const struct mcph_spec *spec, struct mcph_env *host, struct mcph_env *child,
           mcphost_error **reterr)
{
    struct mcph_pairs pairs = {0};
    int r =
        mcph_spec_resolve(spec, &spec->env, mcph_lookup_variable, host, &pairs, reterr);

    if (r < 0)
        return r;
    for (size_t i = 0; i < pairs.n && r == 0; i++) {
        r = mcph_env_set(child, pairs.items[i].name, pairs.items[i].text);
        if (r == MCPHOST_E_NOMEM)
            mcph_err_nomem(reterr);
        else if (r < 0)
            mcph_err(reterr, r, "'%s' cannot be the name of a variable",
                     pairs.items[i].name);
    }
    mcph_pairs_done(&pairs);
    return r;
}

int
mcph_instance_environment(struct mcph_instance *inst, struct mcph_env *child,
                          struct mcph_spec **ret_launch, mcphost_error **reterr)
{
    struct mcph_spec *launch = NULL;
    struct mcph_pool *pool = inst->pool;
    struct mcph_env host;
    int r, inherited = (int)mcph_realm_policy(inst->realm, MCPHOST_OPT_INHERIT_ENV);

    mcph_env_init(&host);
    r = mcph_pool_environment(pool, &host);
    if (r == 0)
        r = mcph_env_inherit(child, inherited, &host);
    if (r == 0)
        r = copy_all(child, &pool->set);
    if (r < 0)
        mcph_err_nomem(reterr);
    else
        r = mcph_pool_expand(inst->pool, inst->spec, &host, inst->mask, &launch, reterr);
    if (r == 0)
        r = own_values(launch, &host, child, reterr);
    mcph_env_done(&host);
    if (r < 0)
        mcph_spec_unref(launch);
    else
        *ret_launch = launch;
    return r;
}
