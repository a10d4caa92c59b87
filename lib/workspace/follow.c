/* SPDX-License-Identifier: MIT
 *
 * follow.c - watch a file, and the files that it names, and read all of them again on a
 * change (R30, R88-R94).
 *
 * The function `read` of a struct mcph_follow runs on the dispatcher.  The function
 * must read the file.  If the file can name other files, the function must call
 * mcph_follow_files() with the configuration, which has the names of these files.  The
 * state in which a file was read counts as seen, so that only a later change causes
 * another reading.
 */
#include <string.h>

#include "workspace/workspace.h"

#define AGAIN_MS 1000

static void
on_changed(struct mcph_watch *watch, void *arg)
{
    struct mcph_follow *follow = arg;

    (void)watch;
    /* Mark the changes of the other files as seen, because read() also reads these files
     * again. */
    (void)mcph_follow_look(follow);
    follow->read(follow, "changed");
}

static void
on_again(struct mcph_timer *timer)
{
    struct mcph_follow *follow = MCPH_CONTAINER_OF(timer, struct mcph_follow, again);

    if (follow->unread)
        follow->read(follow, "tried again");
}

int
mcph_follow_init(struct mcph_follow *follow, struct mcph_core *core,
                 void (*read)(struct mcph_follow *follow, const char *why))
{
    *follow = (struct mcph_follow){.core = core, .read = read};
    return mcph_timer_init(&follow->again, core, on_again);
}

void
mcph_follow_unread(struct mcph_follow *follow)
{
    follow->unread = true;
    mcph_timer_set(&follow->again, mcph_core_now(follow->core) + AGAIN_MS);
}

/* Begins to watch a file or, with `counts`, a directory.  Returns NULL if there is no
 * watcher.  Logs the failure and returns NULL if changes cannot be noticed: the file is
 * then still read whenever another file has changed. */
static struct mcph_watch *
watch(struct mcph_follow *follow, const char *file, bool (*counts)(const char *name))
{
    struct mcph_watch *made = NULL;
    mcphost_error *err = NULL;

    if (!follow->watcher || mcph_watch_new_dir(follow->watcher, file, counts, on_changed,
                                               follow, &made, &err) == 0)
        return made;
    mcph_log(follow->core, MCPHOST_LOG_ERROR, "host", NULL,
             "changes of '%s' will not be noticed: %s", file,
             mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return NULL;
}

void
mcph_follow_start(struct mcph_follow *follow, const char *file,
                  bool (*counts)(const char *name), int64_t mode, int64_t poll_ms,
                  int64_t debounce_ms)
{
    bool polls = mode == MCPHOST_RELOAD_WATCH || mode == MCPHOST_RELOAD_POLL;
    struct mcph_watch_options options = {.events = mode == MCPHOST_RELOAD_WATCH,
                                         .poll_ms = polls ? poll_ms : 0,
                                         .debounce_ms = debounce_ms};
    mcphost_error *err = NULL;

    if (mode == MCPHOST_RELOAD_EXPLICIT || !file)
        return;
    if (mcph_watcher_new(follow->core, &options, &follow->watcher, &err) < 0) {
        mcph_log(follow->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "changes of '%s' will not be noticed: %s", file,
                 mcphost_error_get_message(err));
        mcphost_error_unref(err);
        return;
    }
    follow->watch = watch(follow, file, counts);
}

/* ---- files that the followed file names -------------------------------------------- */

static struct mcph_watch *
find_watch(const struct mcph_follow *follow, const char *path)
{
    return mcph_map_get(&follow->by_path, path, strlen(path));
}

static void
watch_file(struct mcph_follow *follow, const char *path)
{
    struct mcph_watch *made = NULL;

    if (mcph_vec_reserve(&follow->files, 1) == 0 &&
        mcph_map_reserve(&follow->by_path, 1) == 0)
        made = watch(follow, path, NULL);
    if (made) { /* both calls succeed, because their memory is reserved */
        path = mcph_watch_path(made);
        mcph_vec_add(&follow->files, made);
        mcph_map_put(&follow->by_path, path, strlen(path), made, NULL);
    }
}

static void
drop_unnamed(struct mcph_follow *follow, const mcphost_config *config)
{
    size_t kept = 0;

    for (size_t i = 0; i < follow->files.n; i++) {
        struct mcph_watch *old = follow->files.items[i];
        const char *path = mcph_watch_path(old);

        if (mcph_map_get(&config->by_path, path, strlen(path))) {
            follow->files.items[kept++] = old;
        } else {
            mcph_map_remove(&follow->by_path, path, strlen(path));
            mcph_watch_free(old);
        }
    }
    follow->files.n = kept;
}

bool
mcph_follow_files(struct mcph_follow *follow, const mcphost_config *config)
{
    size_t kept;

    drop_unnamed(follow, config);
    kept = follow->files.n;
    for (size_t i = 0; i < config->files.n && follow->watch; i++) {
        if (!find_watch(follow, config->files.items[i]))
            watch_file(follow, config->files.items[i]);
    }
    return follow->files.n > kept;
}

bool
mcph_follow_look(struct mcph_follow *follow)
{
    bool changed = follow->watch && mcph_watch_check(follow->watch);

    for (size_t i = 0; i < follow->files.n; i++) {
        if (mcph_watch_check(follow->files.items[i]))
            changed = true;
    }
    return changed;
}

void
mcph_follow_wrote(struct mcph_follow *follow, const struct mcph_config_edit *edit)
{
    struct mcph_watch *watch = find_watch(follow, edit->file);

    if (!watch && follow->watch &&
        strcmp(mcph_watch_path(follow->watch), edit->file) == 0)
        watch = follow->watch;
    if (watch)
        mcph_watch_own_write(watch, &edit->before, &edit->after);
}

void
mcph_follow_end(struct mcph_follow *follow)
{
    mcph_timer_cancel(&follow->again);
    for (size_t i = 0; i < follow->files.n; i++)
        mcph_watch_free(follow->files.items[i]);
    mcph_vec_done(&follow->files);
    mcph_map_done(&follow->by_path);
    follow->watch = mcph_watch_free(follow->watch);
    follow->watcher = mcph_watcher_free(follow->watcher);
}

void
mcph_follow_done(struct mcph_follow *follow)
{
    if (!follow->core)
        return;
    mcph_follow_end(follow);
    mcph_timer_done(&follow->again);
}
