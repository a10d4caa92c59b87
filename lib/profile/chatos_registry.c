/* SPDX-License-Identifier: MIT
 *
 * chatos_registry.c - a registry of ChatOS apps on a host, and its scans.
 *
 * A scan is a job that reads for a short time in each turn of the dispatcher.  A posted
 * job has a reference to the registry.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_run.h"

#define TURN_MS 1 /* time for reading in one turn of the dispatcher */

/* A caller that waits for a scan. */
struct waiter {
    struct mcph_list link;
    struct mcph_delivery delivery;
    mcphost_chatos *chatos; /* holds a reference */
    mcphost_chatos_scan_fn done;
    void *arg;
    mcphost_free_fn free_arg;
};

/* ---- the object -------------------------------------------------------------------- */

static void
registry_free(mcphost_chatos *chatos)
{
    mcph_chatos_follows_done(chatos);
    mcph_chatos_dirs_done(&chatos->dirs);
    mcph_chatos_apps_unref(chatos->apps);
    mcph_chatos_apps_unref(chatos->failed);
    mcph_chatos_admin_unref(chatos->admin);
    mcph_host_put_mem(chatos->host);
    free(chatos);
}

int
mcph_chatos_new(mcphost *host, mcphost_chatos **ret, mcphost_error **reterr)
{
    mcphost_chatos *chatos = calloc(1, sizeof(*chatos));
    int r;

    if (!chatos)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&chatos->refs);
    mcph_list_init(&chatos->waiting);
    mcph_list_init(&chatos->served);
    chatos->host = host;
    mcph_host_get_mem(host);
    chatos->apps = mcph_chatos_apps_new();
    chatos->admin = mcph_chatos_admin_new();
    r = chatos->apps && chatos->admin ? mcph_host_enter(host) : MCPHOST_E_NOMEM;
    if (r < 0) {
        registry_free(chatos);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    mcph_core_leave(host->core);
    *ret = chatos;
    return 0;
}

mcphost_chatos *
mcph_chatos_ref(mcphost_chatos *chatos)
{
    mcph_refs_get(&chatos->refs);
    return chatos;
}

void
mcph_chatos_unref(mcphost_chatos *chatos)
{
    if (mcph_refs_put(&chatos->refs))
        registry_free(chatos);
}

/* ---- settings ---------------------------------------------------------------------- */

int
mcph_chatos_set_dir(mcphost_chatos *chatos, int dir, const char *path,
                    mcphost_error **reterr)
{
    char *absolute = NULL, *old;
    int r = path ? mcph_profile_workspace(path, &absolute, reterr) : 0;

    if (r < 0)
        return r;
    r = mcph_host_enter(chatos->host);
    if (r < 0) {
        free(absolute);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    old = chatos->dirs.paths[dir];
    chatos->dirs.paths[dir] = absolute;
    mcph_core_leave(chatos->host->core);
    free(old);
    return 0;
}

int
mcph_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags)
{
    int r = mcph_host_enter(chatos->host);

    if (r < 0)
        return r;
    chatos->flags = flags;
    mcph_core_leave(chatos->host->core);
    return 0;
}

/* Replaces the application's list.  Takes `admin` over.  If `before` is not NULL and is
 * not the list any more, changes nothing and returns 1. */
static int
set_admin(mcphost_chatos *chatos, const struct mcph_chatos_admin *before,
          struct mcph_chatos_admin *admin, mcphost_error **reterr)
{
    int r = mcph_host_enter(chatos->host);

    if (r < 0) {
        mcph_chatos_admin_unref(admin);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    if (before && before != chatos->admin) {
        r = 1;
    } else {
        struct mcph_chatos_admin *old = chatos->admin;

        chatos->admin = admin;
        admin = old;
    }
    mcph_core_leave(chatos->host->core);
    mcph_chatos_admin_unref(admin);
    return r;
}

int
mcph_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                      mcphost_error **reterr)
{
    struct mcph_chatos_admin *admin = NULL;
    int r = mcph_chatos_admin_parse(json, len, &admin, reterr);

    return r < 0 ? r : set_admin(chatos, NULL, admin, reterr);
}

int
mcph_chatos_keep_stored(mcphost_chatos *chatos, const struct mcph_vec *stored)
{
    int r;

    /* The lock is not held while the longer list is made.  Begin again if another thread
     * has set a list in the meantime. */
    do {
        struct mcph_chatos_admin *admin = NULL, *with = NULL;

        r = mcph_chatos_get(chatos, NULL, &admin, NULL);
        if (r == 0)
            r = mcph_chatos_admin_with(admin, stored, &with);
        if (r == 0)
            r = set_admin(chatos, admin, with, NULL);
        mcph_chatos_admin_unref(admin);
    } while (r > 0);
    return r;
}

int
mcph_chatos_get(mcphost_chatos *chatos, struct mcph_chatos_apps **ret_apps,
                struct mcph_chatos_admin **ret_admin, uint64_t *ret_flags)
{
    int r = mcph_host_enter(chatos->host);

    if (r < 0)
        return r;
    if (ret_apps)
        *ret_apps = mcph_chatos_apps_ref(chatos->apps);
    if (ret_admin)
        *ret_admin = mcph_chatos_admin_ref(chatos->admin);
    if (ret_flags)
        *ret_flags = chatos->flags;
    mcph_core_leave(chatos->host->core);
    return 0;
}

/* ---- the apps as JSON -------------------------------------------------------------- */

#define JSON_MAX ((size_t)64 * 1024 * 1024)

static int
give_json(struct mcph_buf *buf, int r, char **ret_json, size_t *ret_len,
          mcphost_error **reterr)
{
    if (r == 0) {
        r = mcph_buf_give(buf, ret_json, ret_len);
        if (r < 0)
            mcph_err(reterr, r, "%s", mcphost_strerror(r));
    } else {
        mcph_buf_wipe(buf);
    }
    return r;
}

int
mcph_chatos_list_apps(mcphost_chatos *chatos, char **ret_json, size_t *ret_len,
                      mcphost_error **reterr)
{
    struct mcph_chatos_apps *apps = NULL, *failed = NULL;
    struct mcph_buf buf;
    int r = mcph_host_enter(chatos->host);

    if (r == 0) {
        apps = mcph_chatos_apps_ref(chatos->apps);
        failed = mcph_chatos_apps_ref(chatos->failed);
        mcph_core_leave(chatos->host->core);
    }
    mcph_buf_init(&buf, JSON_MAX);
    if (r == 0)
        r = mcph_chatos_put_rows(apps, failed, &buf);
    if (r < 0)
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    mcph_chatos_apps_unref(apps);
    mcph_chatos_apps_unref(failed);
    return give_json(&buf, r, ret_json, ret_len, reterr);
}

int
mcph_chatos_contribution(mcphost_chatos *chatos, const char *plugin, const char *app,
                         char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    struct mcph_chatos_apps *apps = NULL;
    struct mcph_buf buf;
    int r = mcph_chatos_get(chatos, &apps, NULL, NULL);

    mcph_buf_init(&buf, JSON_MAX);
    if (r < 0)
        mcph_err(reterr, r, "%s", mcphost_strerror(r));
    else
        r = mcph_chatos_put_contribution(apps, plugin, app, &buf, reterr);
    mcph_chatos_apps_unref(apps);
    return give_json(&buf, r, ret_json, ret_len, reterr);
}

/* ---- scans ------------------------------------------------------------------------- */

static void
deliver_waiter(struct mcph_delivery *delivery)
{
    struct waiter *waiter = MCPH_CONTAINER_OF(delivery, struct waiter, delivery);

    if (waiter->done)
        waiter->done(waiter->chatos, waiter->arg);
    if (waiter->free_arg)
        waiter->free_arg(waiter->arg);
    mcph_chatos_unref(waiter->chatos);
    free(waiter);
}

/* Schedules a delivery to each waiter.  A delivery calls `done` and `free_arg`.  If
 * `over` is false, a delivery calls only `free_arg`, because the scan was abandoned. */
static void
notify_waiters(mcphost_chatos *chatos, struct mcph_list *waiters, bool over)
{
    while (!mcph_list_empty(waiters)) {
        struct waiter *waiter =
            MCPH_CONTAINER_OF(mcph_list_take_first(waiters), struct waiter, link);

        if (!over)
            waiter->done = NULL;
        waiter->delivery.deliver = deliver_waiter;
        mcph_core_deliver(chatos->host->core, &waiter->delivery);
    }
}

/* Ends the scan because the host is closing. */
static void
abandon_scan(mcphost_chatos *chatos)
{
    struct mcph_core *core = chatos->host->core;
    struct mcph_list waiters;

    mcph_chatos_scan_free(chatos->scan);
    chatos->scan = NULL;
    mcph_list_init(&waiters);
    mcph_core_lock(core);
    mcph_list_splice(&waiters, &chatos->served);
    mcph_list_splice(&waiters, &chatos->waiting);
    chatos->scanning = false;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
    notify_waiters(chatos, &waiters, false);
    mcph_chatos_unref(chatos);
}

static int
begin_scan(mcphost_chatos *chatos)
{
    struct mcph_core *core = chatos->host->core;
    struct mcph_chatos_apps *before;
    struct mcph_chatos_dirs dirs;
    int r;

    mcph_core_lock(core);
    mcph_list_splice(&chatos->served, &chatos->waiting);
    r = mcph_chatos_dirs_copy(&dirs, &chatos->dirs);
    before = mcph_chatos_apps_ref(chatos->apps);
    mcph_core_unlock(core);
    if (r == 0)
        r = mcph_chatos_scan_new(&dirs, before, &chatos->scan);
    mcph_chatos_apps_unref(before);
    mcph_chatos_dirs_done(&dirs);
    return r;
}

/* Continues the scan, or begins a scan if none is running.  Returns 1 if there is more to
 * read, 0 if the scan is over, or MCPHOST_E_NOMEM.  After a failure, the next call begins
 * a new scan. */
static int
continue_scan(mcphost_chatos *chatos)
{
    int64_t until = mcph_clock_monotonic_ms() + TURN_MS;
    int r = chatos->scan ? 1 : begin_scan(chatos);

    if (r == 0)
        r = 1;
    while (r > 0 && mcph_clock_monotonic_ms() < until)
        r = mcph_chatos_scan_step(chatos->scan);
    if (r < 0) {
        mcph_chatos_scan_free(chatos->scan);
        chatos->scan = NULL;
    }
    return r;
}

/* Keeps the result of a scan.  If the scan failed for a reason outside of the plugins,
 * for example too many open files, the earlier result stays.  The list of apps then shows
 * the errors of the failed scan.  The result of the first scan is kept even if that scan
 * failed. */
static void
keep_result(mcphost_chatos *chatos)
{
    struct mcph_chatos_apps *apps = mcph_chatos_scan_take(chatos->scan), *old;

    mcph_chatos_scan_free(chatos->scan);
    chatos->scan = NULL;
    mcph_core_lock(chatos->host->core);
    old = chatos->failed;
    chatos->failed = NULL;
    if (apps->failed && chatos->scans > 0) {
        chatos->failed = apps;
        apps = NULL;
    } else {
        struct mcph_chatos_apps *before = chatos->apps;

        chatos->apps = apps;
        apps = before;
        chatos->scans++;
        chatos->applies = true;
    }
    mcph_core_unlock(chatos->host->core);
    mcph_chatos_apps_unref(apps); /* the earlier result, or NULL */
    mcph_chatos_apps_unref(old);
}

/* Notifies the callers that waited for this scan.  Returns true if another scan was
 * requested in the meantime. */
static bool
end_scan(mcphost_chatos *chatos)
{
    struct mcph_core *core = chatos->host->core;
    struct mcph_list waiters;
    bool again;

    chatos->applies = false;
    mcph_list_init(&waiters);
    mcph_core_lock(core);
    mcph_list_splice(&waiters, &chatos->served);
    again = !mcph_list_empty(&chatos->waiting);
    chatos->scanning = again;
    mcph_core_notify_locked(core);
    mcph_core_unlock(core);
    notify_waiters(chatos, &waiters, true);
    return again;
}

static void
run_scan(struct mcph_job *job)
{
    mcphost_chatos *chatos = MCPH_CONTAINER_OF(job, mcphost_chatos, job);
    bool again = true, over = false;

    if (mcph_workspace_is_closing(&chatos->host->workspace)) {
        abandon_scan(chatos);
        return;
    }
    if (!chatos->applies && continue_scan(chatos) == 0) {
        keep_result(chatos);
        over = true;
    }
    if (chatos->applies)
        over = mcph_chatos_apply_all(chatos) == 0;
    if (over)
        again = end_scan(chatos);
    if (again)
        mcph_core_post_later(chatos->host->core, job);
    else
        mcph_chatos_unref(chatos);
}

int
mcph_chatos_begin_scan(mcphost_chatos *chatos, mcphost_chatos_scan_fn done, void *arg,
                       mcphost_free_fn free_arg)
{
    struct waiter *waiter = calloc(1, sizeof(*waiter));
    int r = waiter ? mcph_host_enter(chatos->host) : MCPHOST_E_NOMEM;

    if (r < 0) {
        free(waiter);
        if (free_arg)
            free_arg(arg);
        return r;
    }
    waiter->done = done;
    waiter->arg = arg;
    waiter->free_arg = free_arg;
    waiter->chatos = mcph_chatos_ref(chatos);
    mcph_list_append(&chatos->waiting, &waiter->link);
    if (!chatos->scanning) {
        chatos->scanning = true;
        chatos->job.run = run_scan;
        mcph_chatos_ref(chatos);
        mcph_core_post_locked(chatos->host->core, &chatos->job);
    }
    mcph_core_leave(chatos->host->core);
    return 0;
}

static bool
is_quiet(void *arg)
{
    const mcphost_chatos *chatos = arg;

    return !chatos->scanning;
}

int
mcph_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms)
{
    mcphost *host = chatos->host;
    int r;

    if (!mcph_host_try_get(host))
        return MCPHOST_E_CLOSED;
    r = mcph_core_wait_until(host->core, is_quiet, chatos, timeout_ms);
    if (r == 1 && mcph_workspace_is_closing(&host->workspace))
        r = MCPHOST_E_CLOSED;
    mcph_host_put(host);
    return r;
}
