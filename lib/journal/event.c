/* SPDX-License-Identifier: MIT
 *
 * event.c - deliver events to the application's event function.
 *
 * An event is a delivery with copies of its strings.  deliver_events() looks up the event
 * function at each delivery.  Therefore a function that was replaced gets no more events.
 */
#include <stdlib.h>
#include <string.h>

#include "journal/journal.h"

int
mcph_event_set_sink(struct mcph_journal *journal, mcphost_event_fn fn, void *arg,
                    mcphost_free_fn free_arg)
{
    return mcph_hook_set(journal->core, &journal->sink, (mcph_any_fn)fn, arg, free_arg,
                         journal->ops->enter, journal->owner);
}

void
mcph_event_drop_sink(struct mcph_journal *journal)
{
    mcph_hook_unref(journal->sink);
    journal->sink = NULL;
}

/* Frees the event's strings and drops its references to handles.  Keeps the event itself,
 * and the event's reference to the owner. */
static void
drop_content(struct mcphost_event *event)
{
    free((char *)(uintptr_t)event->source);
    free((char *)(uintptr_t)event->server);
    free((char *)(uintptr_t)event->dialog);
    free((char *)(uintptr_t)event->uri);
    free((char *)(uintptr_t)event->text);
    free((char *)(uintptr_t)event->level);
    free((char *)(uintptr_t)event->data);
    event->journal->ops->drop_handles(event);
    mcphost_problem_unref(event->problem);
    mcphost_error_unref(event->error);
}

void
mcph_event_put(struct mcphost_event *event)
{
    struct mcph_journal *journal = event->journal;

    if (!mcph_refs_put(&event->refs))
        return;
    drop_content(event);
    free(event);
    journal->ops->drop(journal->owner);
}

/* ---- events that must not be lost -------------------------------------------------- */

static struct mcphost_event *
new_reserved(struct mcph_journal *journal, int kind)
{
    struct mcphost_event *event = calloc(1, sizeof(*event));

    if (event) {
        event->journal = journal;
        event->kind = kind;
        mcph_refs_init(&event->refs);
    }
    return event;
}

int
mcph_events_reserve(struct mcph_journal *journal)
{
    journal->ready = new_reserved(journal, MCPHOST_EVENT_READY);
    journal->closed = new_reserved(journal, MCPHOST_EVENT_CLOSED);
    return journal->ready && journal->closed ? 0 : MCPHOST_E_NOMEM;
}

void
mcph_events_done(struct mcph_journal *journal)
{
    free(journal->ready);
    free(journal->closed);
    journal->ready = journal->closed = NULL;
}

/* Takes `event` out of the reserve if it is one of the two reserved events.  Returns NULL
 * if `event` is not reserved. */
static struct mcphost_event *
take_reserved(struct mcph_journal *journal, const struct mcphost_event *event)
{
    struct mcphost_event **slot =
        event == journal->ready ? &journal->ready : &journal->closed;
    struct mcphost_event *out = *slot;

    if (event != out)
        return NULL;
    *slot = NULL;
    return out;
}

/* ---- delivery ---------------------------------------------------------------------- */

static void
deliver_events(struct mcph_delivery *delivery)
{
    struct mcphost_event *event =
        MCPH_CONTAINER_OF(delivery, struct mcphost_event, delivery);
    struct mcph_hook *sink;
    struct mcph_journal *journal = event->journal;

    if (event->kind == MCPHOST_EVENT_PROBLEM)
        mcph_problem_told(journal, event);
    if (!journal->silent && !journal->over) {
        journal->over = event->kind == MCPHOST_EVENT_CLOSED;
        mcph_core_lock(journal->core);
        sink = mcph_hook_ref(journal->sink);
        mcph_core_unlock(journal->core);
        if (sink)
            ((mcphost_event_fn)sink->fn)(event, sink->arg);
        mcph_hook_unref(sink);
    }
    mcph_event_put(event);
}

static bool
copy_str(const char **field)
{
    if (*field)
        *field = mcph_strdup(*field);
    else
        return true;
    return *field != NULL;
}

static struct mcphost_event *
copy_event(struct mcph_journal *journal, const struct mcphost_event *event)
{
    struct mcphost_event *copy = malloc(sizeof(*copy));
    bool ok = true;

    if (!copy)
        return NULL;
    *copy = *event;
    copy->journal = journal;
    mcph_refs_init(&copy->refs);
    /* Copy all strings, even after a failure: no pointer to the caller's strings may be
     * left. */
    ok &= copy_str(&copy->source);
    ok &= copy_str(&copy->server);
    ok &= copy_str(&copy->dialog);
    ok &= copy_str(&copy->uri);
    ok &= copy_str(&copy->text);
    ok &= copy_str(&copy->level);
    if (copy->data) {
        copy->data = mcph_strndup(copy->data, copy->data_len);
        ok &= copy->data != NULL;
    }
    journal->ops->keep_handles(copy);
    mcphost_problem_ref(copy->problem);
    mcphost_error_ref(copy->error);
    if (ok)
        return copy;
    drop_content(copy);
    free(copy);
    return NULL;
}

/* ---- taps -------------------------------------------------------------------------- */

void
mcph_tap_add(struct mcph_journal *journal, struct mcph_tap *tap)
{
    mcph_list_append(&journal->taps, &tap->link);
    journal->n_taps++;
}

void
mcph_tap_remove(struct mcph_journal *journal, struct mcph_tap *tap)
{
    if (mcph_list_empty(&tap->link))
        return;
    mcph_list_remove(&tap->link);
    journal->n_taps--;
}

void
mcph_taps_close(struct mcph_journal *journal)
{
    while (!mcph_list_empty(&journal->taps)) {
        struct mcph_tap *tap = MCPH_LIST_ENTRY(journal->taps.next, struct mcph_tap, link);

        mcph_tap_remove(journal, tap);
        tap->closing(tap);
    }
}

static bool
is_tapped(struct mcph_journal *journal, const struct mcphost_event *event)
{
    if (journal->n_taps == 0 || !mcph_core_is_dispatcher(journal->core))
        return false;
    mcph_list_for_each_safe (it, &journal->taps) {
        struct mcph_tap *tap = MCPH_LIST_ENTRY(it, struct mcph_tap, link);

        if (tap->heard(tap, event))
            return true;
    }
    return false;
}

struct mcphost_event *
mcph_emit(struct mcph_journal *journal, const struct mcphost_event *event)
{
    struct mcphost_event *out;
    bool wanted;

    if (is_tapped(journal, event) || event->aside)
        return NULL;
    mcph_core_lock(journal->core);
    wanted = journal->sink != NULL && !journal->silent;
    mcph_core_unlock(journal->core);
    if (!wanted)
        return NULL;
    out = take_reserved(journal, event);
    if (!out)
        out = copy_event(journal, event);
    if (!out) {
        mcph_log(journal->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "an event of kind %d was lost: out of memory", event->kind);
        return NULL;
    }
    out->delivery.deliver = deliver_events;
    mcph_list_init(&out->delivery.link);
    journal->ops->keep(journal->owner);
    mcph_core_deliver(journal->core, &out->delivery);
    return out;
}
