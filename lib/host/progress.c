/* SPDX-License-Identifier: MIT
 *
 * progress.c - report the progress of a call: to the call's own function, and as an event
 * to applications that watch all calls.
 *
 * The dispatcher runs the function and delivers the event before the call's completion.
 * The function's argument is freed after the completion, when another function replaces
 * this function, or with a call that was never started.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"

struct mcph_progress {
    mcphost_progress_fn fn;
    void *arg;
    mcphost_free_fn free_arg;
};

struct telling {
    struct mcph_delivery delivery;
    mcphost_call *call; /* a reference */
    double progress, total;
    size_t len;
    bool has_text;
    char text[];
};

int
mcph_progress_set(mcphost_call *call, mcphost_progress_fn fn, void *arg,
                  mcphost_free_fn free_arg)
{
    struct mcph_progress *progress = NULL;

    if (fn || free_arg) {
        progress = malloc(sizeof(*progress));
        if (!progress)
            return MCPHOST_E_NOMEM;
        *progress = (struct mcph_progress){.fn = fn, .arg = arg, .free_arg = free_arg};
    }
    mcph_progress_done(call);
    call->progress = progress;
    call->progress_wanted = true;
    return 0;
}

void
mcph_progress_done(mcphost_call *call)
{
    struct mcph_progress *progress = call->progress;

    if (!progress)
        return;
    call->progress = NULL;
    if (progress->free_arg)
        progress->free_arg(progress->arg);
    free(progress);
}

static void
deliver_progress(struct mcph_delivery *delivery)
{
    struct telling *t = MCPH_CONTAINER_OF(delivery, struct telling, delivery);
    struct mcph_progress *progress = t->call->progress;

    if (!t->call->host->journal.silent && progress)
        progress->fn(t->call, t->progress, t->total, t->has_text ? t->text : NULL, t->len,
                     progress->arg);
    mcph_call_put(t->call);
    free(t);
}

static void
queue_progress(mcphost_call *call, double progress, double total, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    struct telling *t = mcph_zalloc(sizeof(*t), len + 1);

    if (!t) {
        mcph_log(call->host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the progress of a call was lost: out of memory");
        return;
    }
    t->delivery.deliver = deliver_progress;
    mcph_refs_get(&call->refs);
    t->call = call;
    t->progress = progress;
    t->total = total;
    t->len = len;
    t->has_text = text != NULL;
    if (text)
        memcpy(t->text, text, len);
    mcph_list_init(&t->delivery.link);
    mcph_core_deliver(call->host->core, &t->delivery);
}

void
mcph_progress_tell(mcphost_call *call, double progress, double total, const char *text)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_PROGRESS,
                                  .source = mcph_target_source_id(&call->target),
                                  .server = mcph_target_server_id(&call->target),
                                  .dialog = call->dialog->id,
                                  .call = call,
                                  .progress = progress,
                                  .total = total,
                                  .text = text};

    if (call->progress && call->progress->fn)
        queue_progress(call, progress, total, text);
    mcph_emit(&call->host->journal, &event);
}

void
mcph_progress_received(struct mcph_operation *op,
                       const struct mcph_client_progress *progress)
{
    mcphost_call *call = MCPH_CONTAINER_OF(op, mcphost_call, op);
    double total = progress->has_total ? progress->total : NAN;
    char *text = NULL;

    if (progress->message.p && mcph_json_string_show(progress->message, &text) == 0)
        mcph_mask_text(call->instance ? call->instance->mask : NULL, text, strlen(text));
    mcph_progress_tell(call, progress->progress, total, text);
    free(text);
}
