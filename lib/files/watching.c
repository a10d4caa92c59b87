/* SPDX-License-Identifier: MIT
 *
 * watching.c - watch the resources that have subscriptions.
 *
 * When a resource changes, the listeners of the provider are notified.  A client may
 * subscribe to a file that does not exist yet.  The creation of the file is a change.
 * Resources without a subscription are not watched.
 */
#include <stdlib.h>
#include <string.h>

#include "files/inner.h"

#define DEBOUNCE_MS 100
/* The interval of polling in ms.  Polling is needed besides events, because some file
 * systems report no events. */
#define POLL_MS 5000

struct watched {
    struct mcph_list link;
    struct files *files;
    struct mcph_watch *watch;
    size_t n; /* number of subscribed connections */
    size_t len;
    char uri[];
};

static struct files *
files_of(struct mcph_topics *topics)
{
    return MCPH_CONTAINER_OF(topics, struct files, topics);
}

/* Reports that the resource has changed.  If memory is short, the notification is lost.
 * The next change sends another notification. */
static void
on_changed(struct mcph_watch *watch, void *arg)
{
    const struct watched *w = arg;

    (void)watch;
    (void)mcph_provider_updated(w->files->provider, mcph_span(w->uri, w->len));
}

/* Ends a watch and frees it.  With the last watch, frees the watcher, too. */
static void
end_watch(struct watched *w)
{
    struct files *files = w->files;

    mcph_list_remove(&w->link);
    mcph_map_remove(&files->watched, w->uri, w->len);
    mcph_watch_free(w->watch);
    free(w);
    if (mcph_list_empty(&files->all_watched))
        files->watcher = mcph_watcher_free(files->watcher);
}

static int
watch_place(struct files *files, struct watched *w, const struct files_place *place)
{
    static const struct mcph_watch_options options = {
        .events = true, .poll_ms = POLL_MS, .debounce_ms = DEBOUNCE_MS};
    int r = 0;

    if (!files->watcher)
        r = mcph_watcher_new(files->provider->core, &options, &files->watcher, NULL);
    if (r == 0)
        r = mcph_watch_new_beneath(files->watcher, files->base, place->path,
                                   place->is_dir, on_changed, w, &w->watch, NULL);
    return r;
}

static int
begin_watching(struct files *files, struct mcph_span uri, const struct files_place *place)
{
    struct watched *w = calloc(1, sizeof(*w) + uri.len + 1);
    int r;

    if (!w)
        return MCPHOST_E_NOMEM;
    w->files = files;
    w->n = 1;
    w->len = uri.len;
    memcpy(w->uri, uri.p, uri.len);
    mcph_list_append(&files->all_watched, &w->link);
    r = mcph_map_put(&files->watched, w->uri, w->len, w, NULL);
    if (r == 0)
        r = watch_place(files, w, place);
    if (r < 0)
        end_watch(w);
    return r;
}

int
mcph_files_subscribe(struct mcph_topics *topics, struct mcph_span uri)
{
    struct files *files = files_of(topics);
    struct watched *w = mcph_map_get(&files->watched, uri.p, uri.len);
    struct files_place place;

    if (w) {
        w->n++;
        return 0;
    }
    if (mcph_files_place_parse(uri, &place) ||
        (!place.is_dir && !mcph_files_allows(files, place.path)))
        return MCPHOST_E_INVALID;
    if (files->watched.n >= FILES_WATCH_MAX)
        return MCPHOST_E_LIMIT;
    return begin_watching(files, uri, &place);
}

void
mcph_files_unsubscribe(struct mcph_topics *topics, struct mcph_span uri)
{
    struct watched *w = mcph_map_get(&files_of(topics)->watched, uri.p, uri.len);

    if (w && --w->n == 0)
        end_watch(w);
}

void
mcph_files_unwatch_all(struct files *files)
{
    mcph_list_for_each_safe (it, &files->all_watched)
        end_watch(MCPH_LIST_ENTRY(it, struct watched, link));
    mcph_map_done(&files->watched);
}
