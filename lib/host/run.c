/* SPDX-License-Identifier: MIT
 *
 * run.c - calls on the dispatcher: find the instance for a call, end the call, and
 * deliver its completion.
 *
 * This file carries out calls of all kinds of targets (target.c).  If the target is from
 * an older catalog, and a turn of the dialog keeps the target's edition (turn.c), that
 * edition carries out the call.  Otherwise the target's successor in the server's present
 * list carries out the call.  The successor of a tool has the same original name and the
 * same input schema.  If there is no successor, the call ends with MCPHOST_E_GONE.
 *
 * An edition of a server is the result of one start of the server: the spec (the server's
 * configuration) and the lists that the server gave.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/publish.h"
#include "host/task.h"
#include "host/turn.h"

/* ---- the end ----------------------------------------------------------------------- */

void
mcph_call_finish(mcphost_call *call, int code, mcphost_result *result,
                 mcphost_error *error)
{
    struct mcph_instance *inst = call->instance;

    if (!call->active) {
        mcphost_result_unref(result);
        return;
    }
    call->active = false;
    mcph_list_remove(&call->link);
    mcph_list_remove(&call->wait.link);
    mcph_timer_done(&call->deadline);
    call->instance = NULL;
    call->result = code < 0 ? NULL : result;
    call->error = code < 0 ? mcphost_error_ref(error) : NULL;
    if (code < 0 && !error)
        mcph_err(&call->error, code, "%s", mcphost_strerror(code));
    atomic_store_explicit(&call->state, MCPH_CALL_ENDED, memory_order_release);
    if (call->handling)
        mcph_handling_ended(call);
    if (call->carried)
        mcph_carrying_ended(call);
    if (call->task)
        mcph_task_over(call->task);
    mcph_list_init(&call->delivery.link);
    mcph_core_deliver(call->host->core, &call->delivery);
    if (inst)
        mcph_instance_call_ended(inst);
}

void
mcph_call_fail(mcphost_call *call, int code, const char *text)
{
    mcphost_error *err = NULL;

    if (!call->active)
        return;
    mcph_err(&err, code, "%s", text);
    mcph_err_set_server(err, mcph_target_source_id(&call->target),
                        mcph_target_server_id(&call->target));
    mcph_operation_cancel(&call->op, text);
    mcph_call_finish(call, code, NULL, err);
    mcphost_error_unref(err);
}

void
mcph_call_say(mcphost_call *call, bool is_error, const char *fmt, ...)
{
    mcphost_result *result = NULL;
    char *text = NULL;
    va_list ap;
    int r = MCPHOST_E_NOMEM;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) >= 0)
        r = mcph_result_new_text(text, strlen(text), is_error, &result);
    va_end(ap);
    mcph_call_finish(call, r, result, NULL);
    if (text)
        free(text);
}

/* Runs the call's completion (user code), unless the host has ended.  Then runs the
 * function that frees the completion's argument (user code). */
void
mcph_call_deliver(struct mcph_delivery *delivery)
{
    mcphost_call *call = MCPH_CONTAINER_OF(delivery, mcphost_call, delivery);
    struct mcph_core *core = call->host->core;

    if (!call->host->journal.silent) {
        if (call->done)
            call->done(call, call->arg);
        atomic_store_explicit(&call->state, MCPH_CALL_DONE, memory_order_release);
        mcph_core_notify_delivered(core);
    }
    if (call->free_arg)
        call->free_arg(call->arg);
    if (call->progress)
        mcph_progress_done(call);
    mcph_call_put(call);
}

/* ---- calls to a server ------------------------------------------------------------- */

/* Returns true if the code means that the connection or the server failed, and not only
 * the call (B.17).  MCPHOST_E_RPC counts for tools only, because a server without the
 * wanted resource has not failed. */
static bool
is_failure(const mcphost_call *call, int code)
{
    return code == MCPHOST_E_TIMEOUT || code == MCPHOST_E_TRANSPORT ||
           code == MCPHOST_E_PROTOCOL || (code == MCPHOST_E_RPC && call->target.tool);
}

static void
note_outcome(const mcphost_call *call, int code, const mcphost_error *error)
{
    struct mcph_server *server = call->instance ? call->instance->owner : NULL;
    struct mcph_journal *journal = &call->host->journal;

    if (!server || server->removed || !server->wanted)
        return;
    if (code < 0 && is_failure(call, code)) {
        server->call_failed = true;
        mcph_problem_call(journal, server->source->id, server->id,
                          mcphost_error_get_message(error));
    } else if (code == 0) {
        if (server->call_failed)
            mcph_problem_call_clear(journal, server->source->id, server->id);
        server->call_failed = false;
        if (server->crashes)
            mcph_crash_sign_of_life(server);
    }
}

void
mcph_call_conclude(mcphost_call *call, const struct mcph_client_answer *answer)
{
    mcphost_result *result = NULL;
    mcphost_error *err = NULL;
    int r = answer->code;

    if (answer->error) {
        struct mcph_mask *mask = call->instance ? call->instance->mask : NULL;

        err = mcph_err_masked(answer->error, mask);
    }
    note_outcome(call, answer->code, err);
    if (r == 0 && call->active)
        r = call->target.kind->check_result(call, answer->result, &err);
    if (r == 0 && call->active)
        result = mcph_call_take_answer(call, answer->frame, answer->result);
    mcph_call_finish(call, r, result, err);
    mcphost_error_unref(err);
}

static void
on_done(struct mcph_operation *op, const struct mcph_client_answer *answer)
{
    mcphost_call *call = MCPH_CONTAINER_OF(op, mcphost_call, op);

    if (answer->task && call->active)
        mcph_task_begin(call, answer);
    else
        mcph_call_conclude(call, answer);
}

static int64_t
timeout_of(const mcphost_call *call, const struct mcph_server *server,
           const struct mcph_spec *spec)
{
    if (call->timeout_ms != -2)
        return call->timeout_ms;
    return mcph_realm_choose(&server->source->realm, spec->call_timeout_ms,
                             MCPHOST_OPT_CALL_TIMEOUT);
}

/* Returns the time by which the call must have ended, or INT64_MAX if there is no
 * limit. */
static int64_t
due_of(const mcphost_call *call, int64_t timeout_ms)
{
    int64_t ms = timeout_ms;

    if (call->progress_resets)
        ms = call->max_ms;
    if (ms < 0)
        return INT64_MAX;
    return mcph_core_round_now(call->host->core) + ms;
}

static void
fail_gone(mcphost_call *call, const struct mcph_block *block)
{
    const struct mcph_target *target = &call->target;
    char what[256], text[320];
    uint64_t version;

    mcph_core_lock(call->host->core);
    version = call->host->version;
    mcph_core_unlock(call->host->core);
    target->kind->describe_missing(target, block, what, sizeof(what));
    snprintf(text, sizeof(text), "%s (catalog version %" PRIu64 ")", what, version);
    mcph_call_fail(call, MCPHOST_E_GONE, text);
}

/* Finds the server that carries out the target now.  This server still shows the target's
 * block, or shows another block that also offers the target.  If no server can carry out
 * the target, ends the call and returns NULL. */
static struct mcph_server *
find_server(mcphost_call *call)
{
    const struct mcph_target *target = &call->target;
    struct mcph_server *server = call->host->recent;
    struct mcph_block *block = NULL;

    if (!server || server->block != target->block)
        server = mcph_host_find_server(call->host, target->block);
    call->host->recent = server;
    /* Publish the catalog of the next edition first, because new calls already get
     * instances of that edition. */
    if (server && server->dirty)
        (void)mcph_publish_now(call->host);
    /* Prefer the list of the dialog's own instance, because this instance can carry out
     * the tools that it has listed. */
    if (server)
        block = mcph_own_block(call->dialog, server, MCPH_LIST_TOOLS);
    if (server && !block)
        block = server->block;
    if (block && (target->block == block || target->kind->is_in(target, block)))
        return server;
    fail_gone(call, block);
    return NULL;
}

/* Sends the call through the instance's client. */
static void
ask_client(mcphost_call *call, struct mcph_client *client, const struct mcph_spec *spec)
{
    const struct mcph_target *target = &call->target;
    struct mcph_operation *op = &call->op;
    mcphost_error *err = NULL;
    int r;

    op->method = target->kind->method;
    target->kind->aim(target, spec, op);
    op->arguments = mcph_span(call->arguments, call->arguments_len);
    op->trace = call->trace;
    op->meta = call->meta ? mcph_span(call->meta, call->meta_len) : MCPH_SPAN_NONE;
    op->max_ms = call->max_ms;
    op->progress_resets = call->progress_resets;
    op->progress =
        call->progress_wanted || call->progress_resets ? mcph_progress_received : NULL;
    op->done = on_done;
    r = mcph_operation_start(client, op, &err);
    if (r < 0)
        mcph_call_finish(call, r, NULL, err);
    mcphost_error_unref(err);
}

static void
run_on_server(mcphost_call *call)
{
    const struct mcph_target *target = &call->target;
    struct mcph_server *server = mcph_turn_server(call->dialog, target->block);
    bool kept = server != NULL;
    struct mcph_spec *spec;
    struct mcph_operation *op = &call->op;
    struct mcph_instance *inst;
    int r;

    if (!kept)
        server = find_server(call);
    if (!server)
        return;
    spec = kept ? target->block->spec : server->spec;
    r = mcph_leasing_instance(server, kept ? target->block->edition : server->edition,
                              spec, call->dialog, &inst);
    if (r < 0) {
        mcph_call_finish(call, r, NULL, NULL);
        return;
    }
    if (spec->call_meta && target->kind->method == &mcph_methods[MCPH_METHOD_CALL_TOOL]) {
        r = mcph_call_merge_meta(call, spec->call_meta);
        if (r < 0) {
            mcph_call_finish(call, r, NULL, NULL);
            return;
        }
    }
    /* If the server's entry names a log level, use that level in place of the call's
     * level. */
    op->log_level = spec->log_level < 0 ? call->log_level : MCPHOST_MESSAGES_UNASKED;
    if (op->log_level)
        inst->asked_aside = true;
    op->timeout_ms = timeout_of(call, server, spec);
    call->instance = inst;
    mcph_instance_call_began(inst, due_of(call, op->timeout_ms));
    if (!inst->provider || !mcph_carrying_begin(call, inst, op->timeout_ms))
        ask_client(call, inst->client, spec);
}

/* ---- calls of built-in tools ------------------------------------------------------- */

/* Gives the call to its built-in tool.  If another built-in tool has replaced this tool
 * in the dialog's view, gives the call to the replacement, which has the same owner, name
 * and input schema.  If the view has neither the tool nor a replacement, the call ends
 * with MCPHOST_E_GONE. */
static void
run_builtin(mcphost_call *call, int64_t timeout_ms)
{
    struct mcph_block *block;
    struct mcph_builtin *tool =
        mcph_shown_find(call->dialog->view->stack, call->target.tool, &block);

    if (tool)
        mcph_handling_begin(call, tool, timeout_ms);
    else
        fail_gone(call, block);
    mcph_block_unref(block);
}

/* Checks the target once more, because the grant may have changed since the call was
 * made.  Returns false if the check has ended the call. */
static bool
is_given(mcphost_call *call)
{
    mcphost_error *err = NULL;
    int r = call->target.kind->check(call, &err);

    if (r < 0)
        mcph_call_finish(call, r, NULL, err);
    mcphost_error_unref(err);
    return r == 0;
}

/* ---- jobs -------------------------------------------------------------------------- */

void
mcph_call_run(struct mcph_job *job)
{
    mcphost_call *call = MCPH_CONTAINER_OF(job, mcphost_call, submit);
    mcphost *host = call->host;
    int64_t timeout_ms = call->timeout_ms;

    if (!call->active)
        mcph_list_append(&host->calls, &call->link);
    call->active = true;
    if (timeout_ms == -2)
        timeout_ms = host->options[MCPHOST_OPT_CALL_TIMEOUT];
    if (host->closing || host->ended || call->dialog->closed) {
        mcph_call_fail(call, MCPHOST_E_CANCELLED, "the host or the dialog was closed");
        return;
    }
    if (call->cancelled)
        return; /* mcph_call_run_cancel(), which is posted, ends the call */
    if (!call->target.block) {
        mcph_call_await_target(call);
        return;
    }
    if (!is_given(call) || mcph_approval_awaits(call))
        return;
    if (mcph_block_is_builtin(call->target.block))
        run_builtin(call, timeout_ms);
    else if (call->target.kind == &mcph_target_task)
        mcph_task_take_up(call);
    else
        run_on_server(call);
}

void
mcph_call_run_cancel(struct mcph_job *job)
{
    mcphost_call *call = MCPH_CONTAINER_OF(job, mcphost_call, cancel);

    if (call->task)
        mcph_task_cancel(call);
    mcph_call_fail(call, MCPHOST_E_CANCELLED, "cancelled");
    mcph_call_put(call);
}
