/* SPDX-License-Identifier: MIT
 *
 * follow.c - a file that the host follows (R30, R88-R94): what makes it read
 * again, and the edits that the host itself makes in it.  The files that it names
 * (contentFile of a manual) are followed with it.
 *
 * Reading happens on the dispatcher.  A write of our own counts as seen and is
 * applied at once, so that the watch has nothing to tell of it.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

#define AGAIN_MS 1000

static int read_and_apply(mcphost *host, const char *why, mcphost_error **reterr);

static void
on_changed(struct mcph_watch *watch, void *arg)
{
    (void)watch;
    (void)read_and_apply(arg, "changed", NULL);
}

/* Why it was rejected as a whole. */
static int
rejected(const mcphost_config *config, mcphost_error **reterr)
{
    for (size_t i = 0; i < config->diags.n; i++) {
        const struct mcph_diag *diag = config->diags.items[i];

        if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR && !diag->server)
            return mcph_err_at(reterr, config->status, diag->file, diag->line,
                               diag->column, "%s", diag->message);
    }
    return mcph_err(reterr, config->status, "the configuration is rejected");
}

void
mcph_follow_unread(mcphost *host, bool *unread)
{
    *unread = true;
    mcph_timer_set(&host->read_timer, mcph_core_now(host->core) + AGAIN_MS);
}

/* Only memory can be too short for it.  Nobody need wait for what comes then. */
static void
unread(mcphost *host, const mcphost_error *err)
{
    mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
             "the configuration cannot be read yet: %s", mcphost_error_get_message(err));
    mcph_follow_unread(host, &host->config_unread);
    host->started = true;
    mcph_host_check_ready(host);
}

/* ---- files that the configuration names -------------------------------------------- */

static bool
is_named(const mcphost_config *config, const char *path)
{
    for (size_t i = 0; i < config->files.n; i++) {
        if (strcmp(config->files.items[i], path) == 0)
            return true;
    }
    return false;
}

static bool
is_watched(const mcphost *host, const char *path)
{
    for (size_t i = 0; i < host->file_watches.n; i++) {
        if (strcmp(mcph_watch_path(host->file_watches.items[i]), path) == 0)
            return true;
    }
    return false;
}

/* Without a watch the file still counts whenever the configuration is read. */
static bool
watch_file(mcphost *host, const char *path)
{
    struct mcph_watch *watch = NULL;
    mcphost_error *err = NULL;
    int r = mcph_vec_reserve(&host->file_watches, 1);

    if (r < 0)
        mcph_err_nomem(&err);
    else
        r = mcph_follow_watch(host, path, on_changed, &watch, &err);
    if (r < 0)
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "changes of '%s' will not be noticed: %s", path,
                 mcphost_error_get_message(err));
    mcphost_error_unref(err);
    if (watch)
        mcph_vec_add(&host->file_watches, watch);
    return watch != NULL;
}

/* Watches what the configuration names, and no other file.  True when a file is watched
 * only since now: it may have changed after it was read. */
static bool
watch_files(mcphost *host, const mcphost_config *config)
{
    bool more = false;

    for (size_t i = host->file_watches.n; i-- > 0;) {
        struct mcph_watch *watch = host->file_watches.items[i];

        if (!is_named(config, mcph_watch_path(watch))) {
            mcph_vec_remove(&host->file_watches, i);
            mcph_watch_free(watch);
        }
    }
    for (size_t i = 0; i < config->files.n; i++) {
        const char *path = config->files.items[i];

        if (!is_watched(host, path) && watch_file(host, path))
            more = true;
    }
    return more;
}

/* What is there now counts as seen; true when some of it was not. */
static bool
look(mcphost *host)
{
    bool changed = host->watch && mcph_watch_check(host->watch);

    for (size_t i = 0; i < host->file_watches.n; i++) {
        if (mcph_watch_check(host->file_watches.items[i]))
            changed = true;
    }
    return changed;
}

/* Reads the configuration, and once more when it names a file that was not watched while
 * it was read. */
static int
read_all(mcphost *host, mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_source *source = host->source;
    mcphost_config *config = NULL;
    int r = source->read(source, &config, reterr);

    /* What is rejected may not have been read to the end. */
    if (r == 0 && host->watch && config->status == 0 && watch_files(host, config)) {
        mcph_config_unref(config);
        r = source->read(source, &config, reterr);
    }
    if (r == 0)
        *ret_config = config;
    return r;
}

static int
read_and_apply(mcphost *host, const char *why, mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    int r = read_all(host, &config, &err);

    host->config_unread = false;
    if (r < 0) {
        unread(host, err);
    } else {
        mcph_apply_now(host, config, why);
        r = config->status < 0 ? rejected(config, &err) : 0;
        mcph_config_unref(config);
    }
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

int
mcph_follow_read(mcphost *host, mcphost_error **reterr)
{
    if (!host->source)
        return 0;
    (void)look(host); /* what is read now counts as seen */
    return read_and_apply(host, "reload", reterr);
}

void
mcph_follow_again(struct mcph_timer *timer)
{
    mcphost *host = MCPH_CONTAINER_OF(timer, mcphost, read_timer);

    if (host->config_unread)
        (void)read_and_apply(host, "tried again", NULL);
    if (host->team_unread)
        mcph_team_reload(host, false);
}

static int
make_watcher(mcphost *host, mcphost_error **reterr)
{
    int64_t mode = host->options[MCPHOST_OPT_RELOAD];
    struct mcph_watch_options options = {
        .events = mode == MCPHOST_RELOAD_WATCH,
        .poll_ms = mode == MCPHOST_RELOAD_WATCH || mode == MCPHOST_RELOAD_POLL
                       ? host->options[MCPHOST_OPT_RELOAD_POLL]
                       : 0,
        .debounce_ms = host->options[MCPHOST_OPT_RELOAD_DEBOUNCE],
    };

    return mcph_watcher_new(host->core, &options, &host->watcher, reterr);
}

int
mcph_follow_watch(mcphost *host, const char *file,
                  void (*changed)(struct mcph_watch *watch, void *arg),
                  struct mcph_watch **ret, mcphost_error **reterr)
{
    int r = 0;

    if (host->options[MCPHOST_OPT_RELOAD] == MCPHOST_RELOAD_EXPLICIT || !file)
        return 0;
    if (!host->watcher)
        r = make_watcher(host, reterr);
    return r < 0 ? r : mcph_watch_new(host->watcher, file, changed, host, ret, reterr);
}

/* Without a watch the host still works: it is told to reload, or looks itself. */
static void
start_watch(mcphost *host)
{
    mcphost_error *err = NULL;

    if (mcph_follow_watch(host, host->source->file, on_changed, &host->watch, &err) < 0)
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "changes of '%s' will not be noticed: %s", host->source->file,
                 mcphost_error_get_message(err));
    mcphost_error_unref(err);
}

/* ---- jobs -------------------------------------------------------------------------- */

enum { RELOAD, CHECK, RESTART, ENABLE, DISABLE };

struct order {
    struct mcph_job job;
    mcphost *host; /* its memory */
    int what;
    char *server;
};

static void
run_order(mcphost *host, const struct order *order)
{
    struct mcph_server *server;

    switch (order->what) {
    case RELOAD:
        (void)mcph_follow_read(host, NULL);
        mcph_team_reload(host, false);
        break;
    case CHECK:
        if (look(host))
            (void)read_and_apply(host, "changed", NULL);
        mcph_team_reload(host, true);
        break;
    case RESTART:
        server = mcph_server_find(host, order->server);
        if (server)
            mcph_server_resume(server);
        if (server && server->wanted) {
            mcph_pool_forget(host->pool, server->wanted);
            mcph_server_launch(server);
        }
        break;
    default:
        mcph_follow_set_enabled(host, order->server, order->what == ENABLE, NULL);
    }
}

static void
run(struct mcph_job *job)
{
    struct order *order = MCPH_CONTAINER_OF(job, struct order, job);
    mcphost *host = order->host;
    bool over;

    mcph_core_lock(host->core);
    over = host->closing || host->ended;
    mcph_core_unlock(host->core);
    if (!over)
        run_order(host, order);
    mcph_core_lock(host->core);
    host->orders--;
    mcph_core_unlock(host->core);
    if (!over)
        mcph_host_check_ready(host);
    free(order->server);
    free(order);
    mcph_host_put_mem(host);
}

/* Under the lock of a host that is open. */
static int
post(mcphost *host, int what, const char *server)
{
    struct order *order = calloc(1, sizeof(*order));

    if (!order)
        return MCPHOST_E_NOMEM;
    order->server = server ? mcph_strdup(server) : NULL;
    if (server && !order->server) {
        free(order);
        return MCPHOST_E_NOMEM;
    }
    order->job.run = run;
    mcph_list_init(&order->job.link);
    order->host = host;
    order->what = what;
    host->orders++;
    host->ready = false;
    mcph_host_get_mem(host);
    mcph_core_post_locked(host->core, &order->job);
    return 0;
}

int
mcph_follow_reload(mcphost *host, bool only_if_changed)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = host->source || host->team_source
            ? post(host, only_if_changed ? CHECK : RELOAD, NULL)
            : MCPHOST_E_STATE;
    mcph_core_leave(host->core);
    return r;
}

/* Whether the application may ask this of the server; under the lock. */
static int
check_server(const mcphost *host, const char *id, bool restart)
{
    const struct mcph_config_server *entry =
        host->config ? mcph_config_find(host->config, id) : NULL;

    if (!entry)
        return MCPHOST_E_NOTFOUND;
    return restart && entry->state != MCPHOST_CONFIG_SERVER_VALID ? MCPHOST_E_STATE : 0;
}

int
mcph_follow_restart(mcphost *host, const char *id)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = check_server(host, id, true);
    if (r == 0)
        r = post(host, RESTART, id);
    mcph_core_leave(host->core);
    return r;
}

int
mcph_follow_post_enabled(mcphost *host, const char *id, bool enabled)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    r = host->source && host->source->set_enabled ? check_server(host, id, false)
                                                  : MCPHOST_E_STATE;
    if (r == 0)
        r = post(host, enabled ? ENABLE : DISABLE, id);
    mcph_core_leave(host->core);
    return r;
}

/* ---- edits of our own -------------------------------------------------------------- */

/* True when it was held back; what is read next starts it. */
static bool
resume(mcphost *host, const char *id)
{
    struct mcph_server *server = mcph_server_find(host, id);
    bool held = server && mcph_server_is_held(server);

    if (held)
        mcph_server_resume(server);
    return held;
}

int
mcph_follow_set_enabled(mcphost *host, const char *id, bool enabled,
                        mcphost_error **reterr)
{
    struct mcph_config_source *source = host->source;
    struct mcph_file_sig before, after;
    mcphost_error *err = NULL;
    int r;

    if (!source || !source->set_enabled)
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "the configuration comes from no file that could be edited");
    r = source->set_enabled(source, id, enabled, &before, &after, &err);
    if (r > 0 && host->watch)
        mcph_watch_own_write(host->watch, &before, &after);
    if (r >= 0 && enabled && resume(host, id))
        r = 1; /* it stood in the file, and counts again */
    if (r > 0)
        (void)read_and_apply(host, "edited", NULL);
    if (r < 0)
        mcph_log(host->core, MCPHOST_LOG_WARNING, "host", id, "%s",
                 mcphost_error_get_message(err));
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* ---- beginning and end ------------------------------------------------------------- */

static void
run_begin(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, follow_job);
    bool over;

    mcph_core_lock(host->core);
    over = host->closing || host->ended;
    mcph_core_unlock(host->core);
    if (over)
        return;
    start_watch(host);
    (void)read_and_apply(host, "loaded", NULL);
}

int
mcph_follow_begin(mcphost *host, struct mcph_config_source *source)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (host->loaded) {
        r = MCPHOST_E_STATE;
    } else {
        r = mcph_host_set_loaded_locked(host);
        if (r == 0) {
            host->source = source;
            host->follow_job.run = run_begin;
            mcph_list_init(&host->follow_job.link);
            mcph_core_post_locked(host->core, &host->follow_job);
        }
    }
    mcph_core_leave(host->core);
    return r;
}

void
mcph_follow_end(mcphost *host)
{
    mcph_team_end(host);
    mcph_timer_cancel(&host->read_timer);
    for (size_t i = 0; i < host->file_watches.n; i++)
        mcph_watch_free(host->file_watches.items[i]);
    mcph_vec_done(&host->file_watches);
    host->watch = mcph_watch_free(host->watch);
    host->watcher = mcph_watcher_free(host->watcher);
}

void
mcph_follow_done(mcphost *host)
{
    mcph_follow_end(host);
    mcph_timer_done(&host->read_timer);
    if (host->source)
        host->source->free(host->source);
    host->source = NULL;
}
