/* SPDX-License-Identifier: MIT
 *
 * call.c - one request that a provider carries out, from the start of its function to the
 * answer.
 *
 *   OPEN --answered, from any thread--> ANSWERED --reported to carrier---> OVER
 *      \----- the carrier abandons it, or the provider ends it -----------> OVER
 *
 * The carrier passes the request to the provider and receives the answer (provide.h).
 *
 * The carrier may also abandon, and the provider may also end, a call that is ANSWERED
 * but not reported yet.  The answer is then lost.
 *
 * If the function itself answers before it returns, the carrier gets the answer in the
 * same delivery, without a job.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "provide/more.h"

#define RESULT_MAX ((size_t)32 * 1024 * 1024)
#define REPORT_MAX ((size_t)64 * 1024)
#define DATA_MAX   ((size_t)64 * 1024)

/* ---- references -------------------------------------------------------------------- */

void
mcph_providing_put(mcphost_provider_call *call)
{
    mcphost_provider *provider = call->provider;

    if (!mcph_refs_put(&call->refs))
        return;
    mcph_more_free(call->more);
    mcph_feature_unref(call->feature);
    mcph_hook_unref(call->hook);
    mcphost_error_unref(call->error);
    mcph_frame_unref(call->frame);
    call->carrier->free(call);
    mcph_provider_unref(provider);
}

void
mcph_providing_get_user(mcphost_provider_call *call)
{
    mcph_refs_get(&call->users);
}

/* ---- the answer -------------------------------------------------------------------- */

static void
drop_answer(mcphost_provider_call *call)
{
    mcphost_error_unref(call->error);
    mcph_frame_unref(call->frame);
    call->error = NULL;
    call->frame = NULL;
}

/* Reports the answer to the carrier, if the call is still in the provider's list.  Call
 * this function in the dispatcher only.  The caller holds a reference. */
static void
report_answer(mcphost_provider_call *call)
{
    if (mcph_list_empty(&call->link))
        return;
    mcph_list_remove(&call->link);
    atomic_store_explicit(&call->state, MCPH_PROVIDING_OVER, memory_order_release);
    if (call->more)
        mcph_more_over(call, false);
    call->carrier->answered(call);
    mcph_life_check_calls(call->provider);
}

static void
run_settle(struct mcph_job *job)
{
    mcphost_provider_call *call = MCPH_CONTAINER_OF(job, mcphost_provider_call, settle);

    report_answer(call);
    mcph_providing_put(call);
}

/* Sets the answer of an open call.  Takes over `frame` and `error` on success.  Returns
 * 0, MCPHOST_E_STATE (the call is not open), or the code of mcph_core_enter_closed(). */
static int
set_answer(mcphost_provider_call *call, int code, struct mcph_frame *frame,
           struct mcph_span result, mcphost_error *error)
{
    struct mcph_core *core = call->provider->core;
    int r = mcph_core_enter_closed(core);

    if (r < 0)
        return r;
    if (!mcph_providing_is_open(call)) {
        r = MCPHOST_E_STATE;
    } else {
        call->code = code;
        call->frame = frame;
        call->result = result;
        call->error = error;
        atomic_store_explicit(&call->state, MCPH_PROVIDING_ANSWERED,
                              memory_order_release);
        /* Post the report, unless the function is running on this thread: in that case
         * run_function() reports the answer. */
        if (atomic_load(&call->runner) != (uintptr_t)pthread_self()) {
            mcph_refs_get(&call->refs);
            mcph_core_post_locked(core, &call->settle);
        }
    }
    mcph_core_leave(core);
    return r;
}

int
mcph_providing_answer_frame(mcphost_provider_call *call, struct mcph_frame *frame)
{
    int r = set_answer(call, 0, frame, mcph_frame_span(frame), NULL);

    if (r < 0)
        mcph_frame_unref(frame);
    return r;
}

static int
answer_frame(mcphost_provider_call *call, const char *data, size_t len)
{
    struct mcph_frame *frame = mcph_frame_new(data, len);

    return frame ? mcph_providing_answer_frame(call, frame) : MCPHOST_E_NOMEM;
}

static bool
is_open(mcphost_provider_call *call)
{
    return atomic_load_explicit(&call->state, memory_order_acquire) ==
           MCPH_PROVIDING_OPEN;
}

int
mcph_providing_answer(mcphost_provider_call *call, struct mcph_span json,
                      mcphost_error **reterr)
{
    struct mcph_span object;
    int r;

    if (!is_open(call))
        return mcph_err(reterr, MCPHOST_E_STATE, "%s", mcphost_strerror(MCPHOST_E_STATE));
    if (json.len > RESULT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "the result is larger than %zu bytes",
                        RESULT_MAX);
    r = mcph_provide_check_result(call->method, json, &object, reterr);
    if (r == 0 && call->method == MCPH_PROVIDE_CALL && call->feature->output)
        r = mcph_feature_check_output(call->feature, object, reterr);
    if (r < 0)
        return r;
    r = answer_frame(call, object.p, object.len);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

static void
write_text(const mcphost_provider_call *call, struct mcph_span text, bool is_error,
           struct mcph_buf *buf)
{
    switch (call->method) {
    case MCPH_PROVIDE_CALL:
        mcph_buf_adds(buf, "{\"content\":[{\"type\":\"text\",\"text\":");
        mcph_json_add_string(buf, text.p, text.len);
        mcph_buf_adds(buf, is_error ? "}],\"isError\":true}" : "}]}");
        break;
    case MCPH_PROVIDE_READ:
        mcph_buf_adds(buf, "{\"contents\":[{\"uri\":");
        mcph_json_add_string(buf, call->name.p, call->name.len);
        mcph_buf_adds(buf, ",\"text\":");
        mcph_json_add_string(buf, text.p, text.len);
        mcph_buf_adds(buf, "}]}");
        break;
    default:
        mcph_buf_adds(buf, "{\"messages\":[{\"role\":\"user\",\"content\":"
                           "{\"type\":\"text\",\"text\":");
        mcph_json_add_string(buf, text.p, text.len);
        mcph_buf_adds(buf, "}}]}");
        break;
    }
}

int
mcph_providing_answer_text(mcphost_provider_call *call, struct mcph_span text,
                           bool is_error)
{
    struct mcph_frame *frame;
    struct mcph_buf buf;

    if (text.len > RESULT_MAX)
        return MCPHOST_E_LIMIT;
    if (call->method == MCPH_PROVIDE_COMPLETE ||
        (is_error && call->method != MCPH_PROVIDE_CALL) ||
        (!is_error && call->method == MCPH_PROVIDE_CALL && call->feature->output) ||
        !mcph_utf8_valid(text.p, text.len, NULL))
        return MCPHOST_E_INVALID;
    /* Reserve memory that is enough for the text unless many characters must be
     * escaped. */
    mcph_frame_open(&buf, text.len + text.len / 8 + call->name.len + 128);
    write_text(call, text, is_error, &buf);
    frame = mcph_frame_close(&buf);
    return frame ? mcph_providing_answer_frame(call, frame) : MCPHOST_E_NOMEM;
}

static int
answer_error(mcphost_provider_call *call, int code, mcphost_error *err)
{
    int r = set_answer(call, code, NULL, MCPH_SPAN_NONE, err);

    if (r < 0)
        mcphost_error_unref(err);
    return r;
}

int
mcph_providing_fail(mcphost_provider_call *call, int64_t rpc_code, const char *message,
                    struct mcph_span data)
{
    mcphost_error *err = NULL;
    struct mcph_span value = MCPH_SPAN_NONE;

    if (data.len > DATA_MAX || strlen(message) > DATA_MAX)
        return MCPHOST_E_LIMIT;
    if (!mcph_utf8_is_text(message) ||
        (data.p && mcph_json_check(data, 0, &value, NULL) < 0))
        return MCPHOST_E_INVALID;
    if (mcph_err_rpc(&err, rpc_code, message, strlen(message), value.p, value.len) ==
        MCPHOST_E_NOMEM) {
        mcphost_error_unref(err);
        return MCPHOST_E_NOMEM;
    }
    return answer_error(call, MCPHOST_E_RPC, err);
}

void
mcph_providing_put_user(mcphost_provider_call *call)
{
    static const char text[] = "the provider dropped the call without an answer";
    mcphost_error *err = NULL;

    if (!mcph_refs_put(&call->users))
        return;
    if (is_open(call)) {
        mcph_err_rpc(&err, MCPH_RPC_INTERNAL_ERROR, text, sizeof(text) - 1, NULL, 0);
        (void)answer_error(call, MCPHOST_E_RPC, err);
    }
    mcph_providing_put(call);
}

/* ---- the function ------------------------------------------------------------------ */

/* Answers a completion with an empty list, because no completion function was set. */
static void
answer_nothing(mcphost_provider_call *call)
{
    static const char nothing[] = "{\"completion\":{\"values\":[]}}";

    if (answer_frame(call, nothing, sizeof(nothing) - 1) < 0)
        (void)answer_error(call, MCPHOST_E_NOMEM, NULL);
}

/* Calls the function of the application, unless the call is over.  A negative result of
 * the function is the answer.  If the call now has an answer, reports the pending
 * events of the provider and then the answer. */
static void
run_function(struct mcph_delivery *delivery)
{
    mcphost_provider_call *call = MCPH_CONTAINER_OF(delivery, mcphost_provider_call, run);
    int r = 0;

    if (is_open(call)) {
        atomic_store(&call->runner, (uintptr_t)pthread_self());
        if (call->hook)
            r = ((mcphost_provide_fn)call->hook->fn)(call, call->hook->arg);
        else
            answer_nothing(call);
        if (r < 0)
            (void)answer_error(call, r, NULL);
        atomic_store(&call->runner, 0);
        if (atomic_load_explicit(&call->state, memory_order_acquire) ==
            MCPH_PROVIDING_ANSWERED) {
            mcph_news_tell(call->provider);
            report_answer(call);
        }
    }
    mcph_providing_put_user(call);
}

int
mcph_provider_begin(mcphost_provider *provider, mcphost_provider_call *call,
                    struct mcph_provide_target *target)
{
    if (provider->state != MCPH_PROVIDER_UP)
        return MCPHOST_E_CLOSED;
    mcph_refs_init(&call->refs);
    mcph_refs_get(&call->refs); /* the reference that the users share */
    mcph_refs_init(&call->users);
    call->provider = mcph_provider_ref(provider);
    call->feature = target->feature;
    call->hook = target->hook;
    target->feature = NULL;
    target->hook = NULL;
    call->run.deliver = run_function;
    call->settle.run = run_settle;
    mcph_list_init(&call->run.link);
    mcph_list_init(&call->settle.link);
    mcph_list_append(&provider->calls, &call->link);
    mcph_core_deliver(provider->core, &call->run);
    return 0;
}

/* ---- the end without an answer ----------------------------------------------------- */

/* Takes the call out of the provider's list, marks it as over and unwanted, and ends its
 * questions.  Returns false if the call was over already. */
static bool
close_call(mcphost_provider_call *call)
{
    if (mcph_list_empty(&call->link))
        return false;
    mcph_list_remove(&call->link);
    mcph_core_lock(call->provider->core);
    call->unwanted = true;
    atomic_store_explicit(&call->state, MCPH_PROVIDING_OVER, memory_order_release);
    mcph_core_unlock(call->provider->core);
    mcph_more_over(call, true);
    return true;
}

void
mcph_providing_abandon(mcphost_provider_call *call)
{
    mcphost_provider *provider = mcph_provider_ref(call->provider);

    if (close_call(call)) {
        mcph_life_check_calls(provider);
        mcph_providing_put(call);
    }
    mcph_provider_unref(provider);
}

void
mcph_providing_end(mcphost_provider_call *call, int code, const char *why)
{
    if (!close_call(call))
        return;
    drop_answer(call);
    mcph_err(&call->error, code, "%s", why);
    call->code = code;
    call->carrier->answered(call);
}

/* ---- progress ---------------------------------------------------------------------- */

int
mcph_providing_report(mcphost_provider_call *call, double progress, double total,
                      const char *text, size_t len)
{
    if (len > REPORT_MAX)
        return MCPHOST_E_LIMIT;
    if (!isfinite(progress) || isinf(total) ||
        (text && !mcph_utf8_valid(text, len, NULL)))
        return MCPHOST_E_INVALID;
    if (!is_open(call))
        return MCPHOST_E_STATE;
    return call->wants_progress ? mcph_more_report(call, progress, total, text, len) : 0;
}

bool
mcph_providing_is_unwanted(const mcphost_provider_call *call)
{
    return call->unwanted;
}
