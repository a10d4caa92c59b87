/* SPDX-License-Identifier: MIT
 *
 * tasks.c - watch tasks: ask the server to announce their changes.
 *
 * In the modern era, the ids of the watched tasks are part of the subscription of
 * listen.c, unless the server refuses them.  A legacy server announces changes without
 * a request, or not at all.  The owner of a watch asks for the state of the task
 * regularly, with or without announcements.  An announcement only makes the owner ask
 * sooner.
 *
 * MCP 2025-11-25, "Tasks"; 2026-07-28, extension io.modelcontextprotocol/tasks.
 */
#include "client/internal.h"

/* Limit on watched tasks.  A task beyond the limit is not watched: its owner only asks
 * for the state at intervals. */
#define WATCHES_MAX 64
#define ID_MAX      1024

void
mcph_client_watch_task(struct mcph_client *c, struct mcph_task_watch *watch)
{
    if (watch->client == c)
        return;
    mcph_client_unwatch_task(watch);
    if (watch->id.len > ID_MAX || c->tasks.count >= WATCHES_MAX)
        return;
    c->tasks.count++;
    watch->client = c;
    mcph_list_append(&c->tasks.watches, &watch->link);
    c->tasks.n++;
    mcph_client_listen_update(c);
}

/* Ends a watch.  The server may still announce changes of the task until the next listen
 * request replaces the open request. */
void
mcph_client_unwatch_task(struct mcph_task_watch *watch)
{
    if (!watch->client)
        return;
    watch->client->tasks.count--;
    mcph_list_remove(&watch->link);
    watch->client = NULL;
}

void
mcph_client_tasks_drop(struct mcph_client *c)
{
    while (!mcph_list_empty(&c->tasks.watches))
        mcph_client_unwatch_task(
            MCPH_LIST_ENTRY(c->tasks.watches.next, struct mcph_task_watch, link));
    c->tasks.refused = false;
}

/* ---- tasks in the subscription ----------------------------------------------------- */

static bool
is_asked(const struct mcph_client *c)
{
    return !c->tasks.refused && (c->info.offers & MCPH_OFFERS_TASKS) &&
           !mcph_list_empty(&c->tasks.watches);
}

size_t
mcph_client_tasks_size(const struct mcph_client *c)
{
    size_t size = 0;

    if (!is_asked(c))
        return 0;
    mcph_list_for_each_entry (watch, &c->tasks.watches, const struct mcph_task_watch,
                              link)
        size += 6 * watch->id.len + 3;
    return size + sizeof(",\"taskIds\":[]");
}

bool
mcph_client_tasks_differ(const struct mcph_client *c, const struct listen_request *open)
{
    return is_asked(c) && (!open || open->tasks != c->tasks.n);
}

void
mcph_client_tasks_add(struct mcph_client *c, struct listen_request *request,
                      struct mcph_buf *buf)
{
    request->tasks = 0;
    if (!is_asked(c))
        return;
    request->tasks = c->tasks.n;
    mcph_json_add_key(buf, "taskIds");
    mcph_buf_addc(buf, '[');
    mcph_list_for_each_entry (watch, &c->tasks.watches, const struct mcph_task_watch,
                              link) {
        mcph_json_add_comma(buf);
        mcph_json_add_string(buf, watch->id.p, watch->id.len);
    }
    mcph_buf_addc(buf, ']');
}

void
mcph_client_tasks_refused(struct mcph_client *c)
{
    c->tasks.refused = true;
}

bool
mcph_client_tasks_notice(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    bool modern = c->info.era == MCPH_CLIENT_MODERN;

    if (!mcph_rpc_method_is(msg, modern ? "notifications/tasks"
                                        : "notifications/tasks/status"))
        return false;
    if (c->events->task && mcph_json_type(msg->params) == MCPH_JSON_OBJECT)
        c->events->task(c, msg->params, c->arg);
    return true;
}
