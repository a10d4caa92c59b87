/* SPDX-License-Identifier: MIT
 *
 * news.c - events of a provider for its listeners: changed lists, changed resources, log
 * messages.
 *
 * Any thread may add events.  The dispatcher reports the pending events to the listeners.
 * A change that is already pending is not added again.  Many changes of a list or a
 * resource therefore cost one notification.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "provide/inner.h"

#define UPDATES_MAX   10000
#define MESSAGES_MAX  1000
#define MESSAGE_BYTES ((size_t)64 * 1024)
#define HELD_BYTES    ((size_t)4 * 1024 * 1024)

/* An event: a changed resource, or a log message. */
struct item {
    struct mcph_list link;
    int level; /* level of a message */
    size_t len, logger_len;
    char *logger; /* points into `text`, or NULL */
    char text[];  /* the URI or the JSON data, then a NUL and the logger */
};

struct mcph_provider_news {
    mcphost_provider *provider; /* the owner of this struct; borrowed */
    struct mcph_job job;        /* the posted job holds a reference to the provider */

    /* The members below are used under the lock.  `posted` is also read without the
     * lock. */
    atomic_bool posted;
    unsigned changed;
    struct mcph_list updates, messages;
    struct mcph_map by_uri;
    size_t n_messages, held;
};

static struct item *
item_of(struct mcph_list *link)
{
    return MCPH_LIST_ENTRY(link, struct item, link);
}

static void
free_items(struct mcph_list *items)
{
    while (!mcph_list_empty(items))
        free(item_of(mcph_list_take_first(items)));
}

/* ---- adding events ----------------------------------------------------------------- */

/* Returns true if the provider has or had a listener.  Callers drop the events that come
 * before the first listener. */
static bool
is_heard(const mcphost_provider *provider)
{
    return provider->state != MCPH_PROVIDER_NEW;
}

static void
post_locked(struct mcph_provider_news *news)
{
    if (news->posted)
        return;
    news->posted = true;
    mcph_provider_ref(news->provider);
    mcph_core_post_locked(news->provider->core, &news->job);
}

void
mcph_provider_note_changed_locked(mcphost_provider *provider, int kind)
{
    if (!is_heard(provider))
        return;
    provider->news->changed |= 1u << kind;
    post_locked(provider->news);
}

static struct item *
item_new(struct mcph_span text, struct mcph_span logger)
{
    struct item *item = calloc(1, sizeof(*item) + text.len + 1 + logger.len + 1);

    if (!item)
        return NULL;
    item->len = text.len;
    memcpy(item->text, text.p, text.len);
    item->logger_len = logger.len;
    if (logger.p) {
        item->logger = item->text + text.len + 1;
        memcpy(item->logger, logger.p, logger.len);
    }
    return item;
}

static int
enter_open(mcphost_provider *provider)
{
    int r = mcph_core_enter(provider->core);

    if (r == 0 && provider->closed) {
        mcph_core_leave(provider->core);
        r = MCPHOST_E_CLOSED;
    }
    return r;
}

/* Adds an update.  Takes over `item` on success.  Returns 0, MCPHOST_E_NOMEM, or
 * MCPHOST_E_LIMIT if too many updates are pending. */
static int
note_update_locked(struct mcph_provider_news *news, struct item *item)
{
    int r;

    if (news->by_uri.n >= UPDATES_MAX)
        return MCPHOST_E_LIMIT;
    r = mcph_map_put(&news->by_uri, item->text, item->len, item, NULL);
    if (r < 0)
        return r;
    mcph_list_append(&news->updates, &item->link);
    post_locked(news);
    return 0;
}

int
mcph_provider_updated(mcphost_provider *provider, struct mcph_span uri)
{
    struct mcph_provider_news *news = provider->news;
    struct item *item;
    int r = mcph_uri_check(uri, NULL);

    if (r < 0)
        return MCPHOST_E_INVALID;
    item = item_new(uri, MCPH_SPAN_NONE);
    r = item ? enter_open(provider) : MCPHOST_E_NOMEM;
    if (r == 0) {
        if (is_heard(provider) && !mcph_map_get(&news->by_uri, uri.p, uri.len)) {
            r = note_update_locked(news, item);
            item = r == 0 ? NULL : item;
        }
        mcph_core_leave(provider->core);
    }
    free(item);
    return r;
}

int
mcph_provider_log(mcphost_provider *provider, int level, struct mcph_span logger,
                  struct mcph_span data)
{
    struct mcph_provider_news *news = provider->news;
    struct mcph_span value;
    struct item *item;
    int r;

    if (data.len + logger.len > MESSAGE_BYTES)
        return MCPHOST_E_LIMIT;
    if (mcph_json_check(data, 0, &value, NULL) < 0)
        return MCPHOST_E_INVALID;
    item = item_new(value, logger);
    r = item ? enter_open(provider) : MCPHOST_E_NOMEM;
    if (r == 0) {
        if (news->n_messages >= MESSAGES_MAX || news->held > HELD_BYTES) {
            r = MCPHOST_E_LIMIT;
        } else if (is_heard(provider)) {
            item->level = level;
            mcph_list_append(&news->messages, &item->link);
            news->n_messages++;
            news->held += item->len + item->logger_len;
            item = NULL;
            post_locked(news);
        }
        mcph_core_leave(provider->core);
    }
    free(item);
    return r;
}

/* ---- reporting events -------------------------------------------------------------- */

static void
tell_update(mcphost_provider *provider, const struct item *item)
{
    mcph_list_for_each_safe (link, &provider->listeners) {
        struct mcph_listener *l = MCPH_LIST_ENTRY(link, struct mcph_listener, link);

        if (l->ops->updated)
            l->ops->updated(l, mcph_span(item->text, item->len));
    }
}

static void
tell_message(mcphost_provider *provider, const struct item *item)
{
    mcph_list_for_each_safe (link, &provider->listeners) {
        struct mcph_listener *l = MCPH_LIST_ENTRY(link, struct mcph_listener, link);

        if (l->ops->logged)
            l->ops->logged(l, item->level, mcph_span(item->logger, item->logger_len),
                           mcph_span(item->text, item->len));
    }
}

static void
tell_changed(mcphost_provider *provider, unsigned changed)
{
    mcph_list_for_each_safe (link, &provider->listeners) {
        struct mcph_listener *l = MCPH_LIST_ENTRY(link, struct mcph_listener, link);

        if (l->ops->changed)
            l->ops->changed(l, changed);
    }
}

/* Moves all pending updates and messages to `updates` and `messages`.  Returns the
 * changed lists, 1u << MCPHOST_FEATURE_*.  After the call no event is pending. */
static unsigned
take_events(struct mcph_provider_news *news, struct mcph_list *updates,
            struct mcph_list *messages)
{
    unsigned changed;

    mcph_list_init(updates);
    mcph_list_init(messages);
    mcph_core_lock(news->provider->core);
    changed = news->changed;
    news->changed = 0;
    mcph_list_splice(updates, &news->updates);
    mcph_list_splice(messages, &news->messages);
    mcph_map_done(&news->by_uri);
    news->n_messages = news->held = 0;
    mcph_core_unlock(news->provider->core);
    return changed;
}

static void
report_events(mcphost_provider *provider)
{
    struct mcph_list updates, messages;
    unsigned changed = take_events(provider->news, &updates, &messages);

    /* Report changes of lists only while the provider is up.  Before the provider is up,
     * no client has seen a list. */
    if (changed && provider->state == MCPH_PROVIDER_UP)
        tell_changed(provider, changed);
    mcph_list_for_each (item, &updates)
        tell_update(provider, item_of(item));
    mcph_list_for_each (item, &messages)
        tell_message(provider, item_of(item));
    free_items(&updates);
    free_items(&messages);
}

static void
run_events(struct mcph_job *job)
{
    struct mcph_provider_news *news =
        MCPH_CONTAINER_OF(job, struct mcph_provider_news, job);
    mcphost_provider *provider = news->provider;

    mcph_core_lock(provider->core);
    news->posted = false;
    mcph_core_unlock(provider->core);
    report_events(provider);
    mcph_provider_unref(provider);
}

void
mcph_news_tell(mcphost_provider *provider)
{
    if (atomic_load_explicit(&provider->news->posted, memory_order_acquire))
        report_events(provider); /* the posted job then finds only later events */
}

/* ---- life -------------------------------------------------------------------------- */

struct mcph_provider_news *
mcph_news_new(mcphost_provider *provider)
{
    struct mcph_provider_news *news = calloc(1, sizeof(*news));

    if (!news)
        return NULL;
    news->provider = provider;
    news->job.run = run_events;
    mcph_list_init(&news->job.link);
    mcph_list_init(&news->updates);
    mcph_list_init(&news->messages);
    return news;
}

void
mcph_news_end(mcphost_provider *provider)
{
    struct mcph_list updates, messages;

    (void)take_events(provider->news, &updates, &messages);
    free_items(&updates);
    free_items(&messages);
}

void
mcph_news_free(struct mcph_provider_news *news)
{
    if (!news)
        return;
    free_items(&news->updates);
    free_items(&news->messages);
    mcph_map_done(&news->by_uri);
    free(news);
}
