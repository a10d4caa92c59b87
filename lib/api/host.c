/* SPDX-License-Identifier: MIT
 *
 * host.c - the public functions of <mcphost/host.h> and <mcphost/policy.h>: life,
 * identity, environment, options, loading, verdicts and credentials.  Also has
 * mcphost_free().
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/host.h"
#include "host/request.h"
#include "profile/profile.h"

int
mcphost_new(mcphost **ret_host, mcphost_error **reterr)
{
    if (!ret_host)
        return mcph_err(reterr, MCPHOST_E_INVALID, "ret_host is NULL");
    return mcph_host_new(ret_host, reterr);
}

mcphost *
mcphost_ref(mcphost *host)
{
    if (host)
        mcph_host_own(host);
    return host;
}

mcphost *
mcphost_unref(mcphost *host)
{
    if (host)
        mcph_host_disown(host);
    return NULL;
}

int
mcphost_close(mcphost *host)
{
    return mcphost_close_within(host, -1);
}

int
mcphost_close_within(mcphost *host, int64_t timeout_ms)
{
    return host && timeout_ms >= -1 ? mcph_host_begin_close(host, timeout_ms)
                                    : MCPHOST_E_INVALID;
}

/* Takes the lock for a function that must be called before mcphost_load().  Returns 0
 * with the lock held, or an error without the lock. */
static int
enter_unloaded(mcphost *host)
{
    int r = mcph_host_enter(host);

    if (r == 0 && host->loaded) {
        mcph_core_leave(host->core);
        r = MCPHOST_E_STATE;
    }
    return r;
}

static bool
good_text(const char *text)
{
    return mcph_utf8_is_text(text) && *text;
}

int
mcphost_set_identity(mcphost *host, const char *name, const char *version,
                     const char *title)
{
    int r;

    if (!host || !good_text(name) || !good_text(version) || (title && !good_text(title)))
        return MCPHOST_E_INVALID;
    r = enter_unloaded(host);
    if (r < 0)
        return r;
    r = mcph_pool_set_identity(host->pool, name, version, title);
    mcph_core_leave(host->core);
    return r;
}

int
mcphost_set_spool_dir(mcphost *host, const char *dir)
{
    char *copy;
    int r;

    if (!host || !dir || dir[0] != '/')
        return MCPHOST_E_INVALID;
    r = enter_unloaded(host);
    if (r < 0)
        return r;
    copy = mcph_strdup(dir);
    if (copy) {
        free(host->spool.dir);
        host->spool.dir = copy;
    }
    mcph_core_leave(host->core);
    return copy ? 0 : MCPHOST_E_NOMEM;
}

int
mcphost_set_guard_path(mcphost *host, const char *path)
{
    int r;

    if (!host || !path || *path != '/')
        return MCPHOST_E_INVALID;
    r = enter_unloaded(host);
    if (r < 0)
        return r;
    r = mcph_pool_set_guard_path(host->pool, path);
    mcph_core_leave(host->core);
    return r;
}

/* ---- environment ------------------------------------------------------------------- */

/* A change to the environment of servers.  The dispatcher carries out the change. */
struct env_change {
    struct mcph_job job;
    mcphost *host;        /* a reference to the host's memory */
    struct mcph_env *env; /* the new environment; NULL means the process's environment */
    /* One variable to set.  If only `value` is NULL, the variable is hidden from servers.
     * If `name` is NULL, the change replaces the whole environment by `env`. */
    char *name, *value;
};

static void
env_change_free(struct env_change *change)
{
    mcph_env_free(change->env);
    free(change->name);
    free(change->value);
    free(change);
}

static void
run_env_change(struct mcph_job *job)
{
    struct env_change *change = MCPH_CONTAINER_OF(job, struct env_change, job);
    mcphost *host = change->host;
    int r = 0;

    if (change->name) {
        r = mcph_pool_set_variable(host->pool, change->name, change->value);
    } else {
        mcph_pool_set_environment(host->pool, change->env);
        change->env = NULL;
    }
    if (r < 0)
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "variable '%s' stays as it is: %s", change->name, mcphost_strerror(r));
    env_change_free(change);
    mcph_host_put_mem(host);
}

/* Posts a change to the dispatcher and takes ownership of the change.  `r` is 0, or the
 * error with which making the change failed.  On failure, frees the change. */
static int
post_env_change(mcphost *host, struct env_change *change, int r)
{
    if (r == 0)
        r = mcph_host_enter(host);
    if (r < 0) {
        env_change_free(change);
        return r;
    }
    change->job.run = run_env_change;
    mcph_list_init(&change->job.link);
    change->host = host;
    mcph_host_get_mem(host);
    mcph_core_post_locked(host->core, &change->job);
    mcph_core_leave(host->core);
    return 0;
}

static int
make_env(const char *const *environment, struct mcph_env **ret)
{
    struct mcph_env *env;
    int r = 0;

    *ret = NULL;
    if (!environment)
        return 0;
    env = malloc(sizeof(*env));
    if (!env)
        return MCPHOST_E_NOMEM;
    mcph_env_init(env);
    for (; *environment && r == 0; environment++) {
        const char *equals = strchr(*environment, '=');
        char *name;

        if (!equals || equals == *environment) {
            r = MCPHOST_E_INVALID;
            break;
        }
        name = mcph_strndup(*environment, (size_t)(equals - *environment));
        r = name ? mcph_env_set(env, name, equals + 1) : MCPHOST_E_NOMEM;
        free(name);
    }
    if (r < 0) {
        mcph_env_free(env);
        return r;
    }
    *ret = env;
    return 0;
}

int
mcphost_set_environment(mcphost *host, const char *const *environment)
{
    struct env_change *change;

    if (!host)
        return MCPHOST_E_INVALID;
    change = calloc(1, sizeof(*change));
    if (!change)
        return MCPHOST_E_NOMEM;
    return post_env_change(host, change, make_env(environment, &change->env));
}

int
mcphost_set_env(mcphost *host, const char *name, const char *value)
{
    struct env_change *change;
    bool made;

    if (!host || !name || !mcph_pool_is_variable(name))
        return MCPHOST_E_INVALID;
    change = calloc(1, sizeof(*change));
    if (!change)
        return MCPHOST_E_NOMEM;
    change->name = mcph_strdup(name);
    change->value = value ? mcph_strdup(value) : NULL;
    made = change->name && !change->value == !value;
    return post_env_change(host, change, made ? 0 : MCPHOST_E_NOMEM);
}

int
mcphost_set_admin_env(mcphost *host, const char *const *refused,
                      const char *const *allowed)
{
    return host ? mcph_settable_set(host, refused, allowed) : MCPHOST_E_INVALID;
}

/* ---- options ----------------------------------------------------------------------- */

int
mcphost_check_option(int option, int64_t value, mcphost_error **reterr)
{
    return mcph_option_check(option, value, reterr);
}

int
mcphost_set_option(mcphost *host, int option, int64_t value)
{
    int r = host ? mcph_option_check(option, value, NULL) : MCPHOST_E_INVALID;

    if (r < 0)
        return r;
    if (option == MCPHOST_OPT_ADMIN_TOOLS)
        return mcph_shown_offer_own(host, value != 0);
    r = mcph_option_find(option)->flags & MCPH_OPTION_ANY_TIME ? mcph_host_enter(host)
                                                               : enter_unloaded(host);
    if (r < 0)
        return r;
    host->options[option] = value;
    mcph_core_leave(host->core);
    return 0;
}

int
mcphost_get_option(mcphost *host, int option, int64_t *ret_value)
{
    int r;

    if (!host || !mcph_option_find(option) || !ret_value)
        return MCPHOST_E_INVALID;
    r = mcph_core_enter_closed(host->core);
    if (r < 0)
        return r;
    *ret_value = host->options[option];
    mcph_core_leave(host->core);
    return 0;
}

int
mcphost_load(mcphost *host, mcphost_config *config)
{
    return mcphost_source_load(mcphost_default_source(host), config);
}

int
mcphost_load_workspace(mcphost *host, const char *dir, const char *file,
                       mcphost_error **reterr)
{
    return mcphost_source_follow_workspace(mcphost_default_source(host), dir, file,
                                           reterr);
}

int
mcphost_reload(mcphost *host)
{
    return host ? mcph_host_reload(host) : MCPHOST_E_INVALID;
}

int
mcphost_restart_server(mcphost *host, const char *server_id)
{
    return mcphost_source_restart_server(mcphost_default_source(host), server_id);
}

int
mcphost_set_server_enabled(mcphost *host, const char *server_id, int enabled)
{
    return mcphost_source_set_server_enabled(mcphost_default_source(host), server_id,
                                             enabled);
}

uint64_t
mcphost_get_order_serial(mcphost *host)
{
    uint64_t serial;

    if (!host || mcph_core_enter_closed(host->core) < 0)
        return 0;
    serial = host->order_serial;
    mcph_core_leave(host->core);
    return serial;
}

/* ---- verdicts ---------------------------------------------------------------------- */

#define SALT_MIN 16

int
mcphost_set_verdicts(mcphost *host, const void *salt, size_t salt_len, const char *json,
                     size_t len)
{
    int r;

    if (!host || !salt || salt_len < SALT_MIN || !json)
        return MCPHOST_E_INVALID;
    r = enter_unloaded(host);
    if (r < 0)
        return r;
    r = mcph_pool_verdicts_import(host->pool, salt, salt_len, mcph_span(json, len),
                                  mcph_clock_realtime_ms());
    mcph_core_leave(host->core);
    return r;
}

int
mcphost_get_verdicts(mcphost *host, const void *salt, size_t salt_len, char **ret_json,
                     size_t *ret_len)
{
    struct mcph_buf buf;
    int r;

    if (!host || !salt || salt_len < SALT_MIN || !ret_json || !ret_len)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, 16 * 1024 * 1024);
    r = mcph_core_enter_closed(host->core);
    if (r < 0)
        return r;
    r = mcph_pool_verdicts_export(host->pool, salt, salt_len, &buf);
    mcph_core_leave(host->core);
    if (r == 0)
        return mcph_buf_give(&buf, ret_json, ret_len);
    mcph_buf_done(&buf);
    return r;
}

void
mcphost_free(void *data)
{
    free(data);
}

/* ---- credentials ------------------------------------------------------------------- */

int
mcphost_set_credential(mcphost *host, const char *server, const char *origin,
                       const char *name, const char *value, mcphost_error **reterr)
{
    if (!host || !name || (!server && !origin))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "credential: a host, a name, and a server or an origin are "
                        "needed");
    return mcph_credential_set(host, server, origin, name, value, reterr);
}

int
mcphost_forget_credentials(mcphost *host, const char *server)
{
    return host ? mcph_credential_drop(host, server) : MCPHOST_E_INVALID;
}
