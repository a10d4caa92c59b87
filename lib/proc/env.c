/* SPDX-License-Identifier: MIT
 *
 * env.c - a child's environment: a list of strings that the list owns.  Values can be
 * secrets.  Therefore the list wipes its strings.
 *
 * No other file uses `environ`.  This file only reads `environ`.  A NULL follows the last
 * string of the vector, so that the vector can be passed to posix_spawn() as it is.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/proc.h"

static char *const no_vars[] = {NULL};

void
mcph_env_init(struct mcph_env *env)
{
    *env = (struct mcph_env){0};
}

void
mcph_env_done(struct mcph_env *env)
{
    for (size_t i = 0; i < env->vars.n; i++)
        mcph_str_wipe(env->vars.items[i]);
    mcph_vec_done(&env->vars);
    mcph_env_init(env);
}

struct mcph_env *
mcph_env_free(struct mcph_env *env)
{
    if (env)
        mcph_env_done(env);
    free(env);
    return NULL;
}

static bool
is_name(const char *var, const char *name, size_t len)
{
    /* Compare the first byte before the call, to avoid most calls of strncmp(). */
    return *var == *name && strncmp(var, name, len) == 0 && var[len] == '=';
}

/* Returns the index of a variable, or vars.n if the variable is not set. */
static size_t
find_var(const struct mcph_env *env, const char *name, size_t len)
{
    size_t i = 0;

    while (i < env->vars.n && !is_name(env->vars.items[i], name, len))
        i++;
    return i;
}

/* Sets or replaces the variable of `var`, which is "NAME=value".  Takes over `var`, even
 * on failure.  If `var` is NULL, returns MCPHOST_E_NOMEM. */
static int
put_var(struct mcph_env *env, char *var, size_t name_len)
{
    size_t at;

    if (!var)
        return MCPHOST_E_NOMEM;
    at = find_var(env, var, name_len);
    if (at < env->vars.n) {
        mcph_str_wipe(env->vars.items[at]);
        env->vars.items[at] = var;
        return 0;
    }
    if (mcph_vec_reserve(&env->vars, 2) < 0) { /* `var` and the NULL after it */
        mcph_str_wipe(var);
        return MCPHOST_E_NOMEM;
    }
    mcph_vec_add(&env->vars, var);
    env->vars.items[env->vars.n] = NULL;
    return 0;
}

/* Adds a copy of "NAME=value".  A string of another form is no variable and is
 * ignored. */
static int
add_copy(struct mcph_env *env, const char *var)
{
    const char *equals = strchr(var, '=');

    if (!equals || equals == var)
        return 0;
    return put_var(env, mcph_strdup(var), (size_t)(equals - var));
}

int
mcph_env_snapshot(struct mcph_env *env)
{
    for (char **var = environ; var && *var; var++) {
        int r = add_copy(env, *var);

        if (r < 0)
            return r;
    }
    return 0;
}

static bool
is_minimal(const char *var)
{
    static const char *const names[] = {"HOME",  "LANG", "LANGUAGE", "LOGNAME", "PATH",
                                        "SHELL", "TERM", "TMPDIR",   "TZ",      "USER"};
    const char *equals = strchr(var, '=');

    if (!equals || strncmp(equals, "=()", 3) == 0)
        return false;
    if (strncmp(var, "LC_", 3) == 0)
        return true;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        if (is_name(var, names[i], strlen(names[i])))
            return true;
    return false;
}

int
mcph_env_inherit(struct mcph_env *env, int policy, const struct mcph_env *from)
{
    int r = 0;

    if (policy != MCPH_ENV_ALL && policy != MCPH_ENV_MINIMAL && policy != MCPH_ENV_NONE)
        return MCPHOST_E_INVALID;
    for (size_t i = 0; i < from->vars.n && policy != MCPH_ENV_NONE && r == 0; i++)
        if (policy == MCPH_ENV_ALL || is_minimal(from->vars.items[i]))
            r = add_copy(env, from->vars.items[i]);
    return r;
}

int
mcph_env_set(struct mcph_env *env, const char *name, const char *value)
{
    size_t name_len = strlen(name), value_size = strlen(value) + 1;
    char *var;

    if (!*name || strchr(name, '='))
        return MCPHOST_E_INVALID;
    var = malloc(name_len + 1 + value_size);
    if (var) { /* do not use asprintf(), because it leaves copies in memory */
        memcpy(var, name, name_len);
        var[name_len] = '=';
        memcpy(var + name_len + 1, value, value_size);
    }
    return put_var(env, var, name_len);
}

void
mcph_env_unset(struct mcph_env *env, const char *name)
{
    size_t at = find_var(env, name, strlen(name));

    if (at == env->vars.n)
        return;
    mcph_str_wipe(env->vars.items[at]);
    mcph_vec_remove(&env->vars, at);
    env->vars.items[env->vars.n] = NULL;
}

const char *
mcph_env_get(const struct mcph_env *env, const char *name)
{
    size_t len = strlen(name);
    size_t at = find_var(env, name, len);

    return at < env->vars.n ? (const char *)env->vars.items[at] + len + 1 : NULL;
}

char *const *
mcph_env_array(const struct mcph_env *env)
{
    return env->vars.n ? (char *const *)env->vars.items : no_vars;
}
