/* SPDX-License-Identifier: MIT
 *
 * call.c - calls of tools, from submission to the one answer.
 *
 *   mcph_client_call --READY, room--> IN FLIGHT --answer, deadline, end--> done
 *          |                            ^
 *          `--not READY, or no room--> QUEUED --deadline, end--> done
 *
 * A call in flight costs no memory of ours: the request is spliced into the
 * transport's buffer, the answer is the frame that came.
 */
#include "client/internal.h"

#define METHOD "tools/call"

/* ---- results ----------------------------------------------------------------------- */

/* Whether the result shows that it is not the end of the matter. */
static bool
is_unfinished(struct mcph_span result)
{
    struct mcph_json_want odd[] = {MCPH_JSON_WANT("inputRequests"),
                                   MCPH_JSON_WANT("requestState"),
                                   MCPH_JSON_WANT("taskId")};

    (void)mcph_json_pick(result, odd, MCPH_ARRAY_SIZE(odd));
    return odd[0].value.p || odd[1].value.p || odd[2].value.p;
}

/* MCP 2026-07-28, "Results".  A server of our time that leaves resultType out is
 * taken to mean "complete", unless the result shows that it means something else. */
static int
check_type(struct mcph_client *c, const char *method, struct mcph_span result,
           bool may_ask, const char **ret_why)
{
    struct mcph_span type = mcph_json_get(result, "resultType");

    if (mcph_json_type(type) == MCPH_JSON_STRING &&
        mcph_json_string_is(type, "complete", 8))
        return 0;
    if (!type.p) {
        if (is_unfinished(result)) {
            *ret_why = "an unfinished result that has no resultType";
            return MCPHOST_E_PROTOCOL;
        }
        if (!c->told_no_type)
            mcph_log(c->core, MCPHOST_LOG_WARNING, "client", c->spec.server,
                     "answers %s without a resultType", method);
        c->told_no_type = true;
        return 0;
    }
    if (mcph_json_type(type) != MCPH_JSON_STRING)
        *ret_why = "a resultType that is no string";
    else if (mcph_json_string_is(type, "input_required", 14) && may_ask)
        return 1;
    else if (mcph_json_string_is(type, "input_required", 14))
        *ret_why = "a request for input, which has no place there";
    else if (mcph_json_string_is(type, "task", 4))
        *ret_why = "a task, which was not offered";
    else
        *ret_why = "a resultType that we do not know";
    return MCPHOST_E_PROTOCOL;
}

int
check_result(struct mcph_client *c, const char *method, struct mcph_span result,
             bool may_ask, const char **ret_why)
{
    *ret_why = NULL;
    if (mcph_json_type(result) != MCPH_JSON_OBJECT) {
        *ret_why = "a result that is no object";
        return MCPHOST_E_PROTOCOL;
    }
    if (c->info.era != MCPH_CLIENT_MODERN)
        return 0;
    return check_type(c, method, result, may_ask, ret_why);
}

/* ---- the end of a call ------------------------------------------------------------- */

static void
unlink_call(struct mcph_client *c, struct mcph_client_call *call)
{
    mcph_list_remove(&call->link);
    if (call->queued) {
        c->n_queued--;
        mcph_timer_done(&call->timer);
        call->queued = false;
    } else {
        gate_leave(c);
    }
    call->client = NULL;
    call->paused = false;
    rounds_end(call, "the call has ended");
    if (c->n_questions > 0)
        questions_over(c, call, false, "the call has ended");
}

static void
complete(struct mcph_client *c, struct mcph_client_call *call,
         const struct mcph_client_answer *answer)
{
    unlink_call(c, call);
    if (!c->freed) /* by the owner, who heard of a question */
        call->done(call, answer);
}

/* With this error, whose reference it takes. */
static void
complete_error(struct mcph_client *c, struct mcph_client_call *call, int code,
               struct mcph_frame *frame, mcphost_error *error)
{
    struct mcph_client_answer answer = {.code = code, .frame = frame, .error = error};

    complete(c, call, &answer);
    mcphost_error_unref(error);
}

static int
name_len(const struct mcph_client_call *call)
{
    return call->tool.len < 128 ? (int)call->tool.len : 128;
}

/* An error of the protocol, with what helps to understand it. */
static int
refusal_error(struct mcph_client *c, const struct mcph_rpc_answer *answer,
              mcphost_error **reterr)
{
    struct mcph_span message, data;
    int64_t code;

    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (code == -32021)
        return client_rpc_error(c, reterr,
                                "wants of its client what is not offered (see "
                                "requiredCapabilities): ",
                                answer);
    if (code == -32042)
        return client_rpc_error(c, reterr,
                                "wants its user to open a page first, and nobody is "
                                "asked to (see elicitations): ",
                                answer);
    if (code == -32020)
        return client_rpc_error(c, reterr,
                                "misses headers that were sent, or does not accept them; "
                                "something between may remove them: ",
                                answer);
    return client_rpc_error(c, reterr, "", answer);
}

static int
timeout_error(struct mcph_client *c, struct mcph_client_call *call,
              mcphost_error **reterr)
{
    int64_t ms = mcph_core_now(c->core) - call->rpc.started + call->waited;
    bool garbage = c->rpc.garbage_why && c->rpc.garbage_at >= call->rpc.started;

    if (client_awaits_credentials(c, reterr, "the call"))
        return MCPHOST_E_TIMEOUT;
    /* It may have been meant as the answer. */
    return client_error(c, reterr, MCPHOST_E_TIMEOUT,
                        "did not answer the call of '%.*s' in time (%lld ms)%s%s",
                        name_len(call), call->tool.p, (long long)ms,
                        garbage ? "; what it wrote meanwhile is no JSON-RPC message: "
                                : "",
                        garbage ? c->rpc.garbage_why : "");
}

static int
answer_error(struct mcph_client *c, struct mcph_client_call *call,
             const struct mcph_rpc_answer *answer, mcphost_error **reterr)
{
    int n = name_len(call);
    const char *name = call->tool.p;

    if (answer->error) { /* the transport's own */
        *reterr = mcphost_error_ref(answer->error);
        return answer->code;
    }
    switch (answer->code) {
    case MCPHOST_E_RPC:
        return refusal_error(c, answer, reterr);
    case MCPHOST_E_LIMIT:
        if (answer->frame && answer->frame->over && answer->frame->over->starved)
            return client_error(
                c, reterr, MCPHOST_E_LIMIT,
                "answered the call of '%.*s' with %llu bytes, for which the host has no "
                "memory left while other results of this server, or of all, are kept "
                "(MCPHOST_OPT_HELD_BYTES)",
                n, name, (unsigned long long)answer->frame->wire_len);
        return client_error(
            c, reterr, MCPHOST_E_LIMIT,
            "answered the call of '%.*s' with %llu bytes, more than the "
            "limit on messages",
            n, name, (unsigned long long)(answer->frame ? answer->frame->wire_len : 0));
    case MCPHOST_E_TIMEOUT:
        return timeout_error(c, call, reterr);
    default:
        return answer->why
                   ? client_error(c, reterr, answer->code,
                                  "sent a broken answer to the call of '%.*s': %s", n,
                                  name, answer->why)
                   : client_error(c, reterr, answer->code,
                                  "gave no answer to the call of '%.*s': %s", n, name,
                                  mcphost_strerror(answer->code));
    }
}

static void on_queue_due(struct mcph_timer *timer);

/* A call that was refused before it was carried out takes its place before all that
 * wait, with what time is left to it; once. */
static bool
send_later(struct mcph_client *c, struct mcph_client_call *call,
           const struct mcph_rpc_answer *answer)
{
    int refusal = stream_refusal(c, answer);
    int64_t now = mcph_core_now(c->core), left = mcph_rpc_call_left(&call->rpc, now);

    if (refusal == REFUSAL_NONE || call->again || c->state == MCPH_CLIENT_DOWN ||
        mcph_timer_init(&call->timer, c->core, on_queue_due) < 0)
        return false;
    mcph_list_remove(&call->link);
    gate_leave(c);
    mcph_list_append(c->queued.next, &call->link); /* the first */
    c->n_queued++;
    call->again = call->queued = true;
    call->queued_at = now - (left < 0 ? 0 : call->timeout_ms - left);
    if (left >= 0)
        mcph_timer_set(&call->timer, now + left);
    if (refusal == REFUSAL_HEADERS) {
        call->relisted = true;
        tools_refresh(c);
    } else if (c->state == MCPH_CLIENT_READY && !c->holding) {
        /* Where a status said so it is seen to elsewhere. */
        if (stream_is_old(c, call->rpc.stream))
            calls_pump(c);
        else
            negotiate_again(c);
    }
    return true;
}

static void
on_answer(struct mcph_rpc_call *rpc, const struct mcph_rpc_answer *answer)
{
    struct mcph_client_call *call = MCPH_CONTAINER_OF(rpc, struct mcph_client_call, rpc);
    struct mcph_client *c = call->client;
    struct mcph_client_answer good = {0};
    mcphost_error *error = NULL;
    const char *why;
    int code = answer->code;

    if (code == MCPHOST_E_TIMEOUT && !answer->error)
        send_cancel(c, rpc, "timed out");
    if (code < 0 && send_later(c, call, answer))
        return;
    if (code == 0)
        code = check_result(c, METHOD, answer->msg->result, true, &why);
    if (code > 0) {
        rounds_asked(c, call, answer);
        code = 0;
    } else if (answer->code == MCPHOST_E_RPC && rounds_want_pages(c, answer)) {
        rounds_pages(c, call, answer);
        code = 0;
    } else if (answer->code < 0) {
        answer_error(c, call, answer, &error);
    } else if (code < 0) {
        client_error(c, &error, code, "answered the call of '%.*s' with %s",
                     name_len(call), call->tool.p, why);
    } else {
        good.result = answer->msg->result;
        good.frame = answer->frame;
        c->n_again = 0;
        c->unproven = false;
        complete(c, call, &good);
    }
    if (code < 0)
        complete_error(c, call, code, answer->frame, error);
    calls_pump(c);
}

/* ---- progress ---------------------------------------------------------------------- */

static void
on_progress(struct mcph_rpc_call *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client_call *call = MCPH_CONTAINER_OF(rpc, struct mcph_client_call, rpc);
    struct mcph_json_want want[] = {MCPH_JSON_WANT("progress"), MCPH_JSON_WANT("total"),
                                    MCPH_JSON_WANT("message")};
    struct mcph_client_progress p = {.params = msg->params};

    /* A call that waited in the queue started with less. */
    if (call->progress_resets && rpc->timeout_ms != call->timeout_ms)
        mcph_rpc_call_set_timeout(rpc, call->timeout_ms);
    (void)mcph_json_pick(msg->params, want, MCPH_ARRAY_SIZE(want));
    if (!call->progress || mcph_json_type(want[0].value) != MCPH_JSON_NUMBER ||
        mcph_json_double(want[0].value, &p.progress) < 0)
        return;
    p.has_total = mcph_json_type(want[1].value) == MCPH_JSON_NUMBER &&
                  mcph_json_double(want[1].value, &p.total) == 0;
    if (mcph_json_type(want[2].value) == MCPH_JSON_STRING)
        p.message = want[2].value;
    call->progress(call, &p);
}

/* ---- sending ----------------------------------------------------------------------- */

/* What is left of `ms` after what the queue took; -1 stays. */
static int64_t
left_of(int64_t ms, int64_t waited)
{
    if (ms < 0)
        return -1;
    return ms > waited ? ms - waited : 0;
}

static int
commit(struct mcph_client *c, struct mcph_client_call *call, struct mcph_buf *buf)
{
    struct mcph_span schema = call->schema;
    struct params params;
    int r;

    if (!c->transport->wants_headers || c->meta.len == 0)
        return send_commit(c, &call->rpc, buf, METHOD, call->tool, NULL);
    if (call->relisted)
        schema = tools_fresh_schema(c, call->tool);
    r = params_make(&params, schema, call->arguments);
    if (r == 0)
        r = send_commit(c, &call->rpc, buf, METHOD, call->tool, &params);
    params_done(&params);
    return r;
}

static int
build(struct mcph_client *c, struct mcph_client_call *call)
{
    bool token = call->progress || call->progress_resets;
    struct mcph_buf *buf;
    int r;

    r = send_begin(
        c, &call->rpc, METHOD,
        call->tool.len + call->arguments.len + call->meta.len + rounds_size(call), &buf);
    if (r < 0)
        return r;
    mcph_buf_adds(buf, "\"name\":");
    if (call->tool_token.p)
        mcph_buf_add(buf, call->tool_token.p, call->tool_token.len);
    else
        mcph_json_add_string(buf, call->tool.p, call->tool.len);
    mcph_buf_adds(buf, ",\"arguments\":");
    if (call->arguments.p)
        r = mcph_rpc_add_oneline(buf, call->arguments);
    else
        r = mcph_buf_adds(buf, "{}");
    if (r == 0)
        r = rounds_add(call, buf);
    if (r == 0)
        r = send_meta(c, buf, &call->rpc, token, call->meta);
    if (r == 0)
        r = commit(c, call, buf);
    return r;
}

static int
send_with(struct mcph_client *c, struct mcph_client_call *call, int64_t timeout_ms,
          int64_t max_ms)
{
    int r;

    call->rpc.on_answer = on_answer;
    call->rpc.on_progress = call->progress || call->progress_resets ? on_progress : NULL;
    call->rpc.timeout_ms = timeout_ms;
    call->rpc.max_ms = max_ms;
    call->rpc.progress_resets = call->progress_resets;
    r = mcph_rpc_start(&c->rpc, &call->rpc);
    if (r < 0)
        return r;
    r = build(c, call);
    if (r < 0)
        mcph_rpc_abandon(&call->rpc);
    return r;
}

/* On success the call is in flight; its link is not touched on failure. */
static int
send_call(struct mcph_client *c, struct mcph_client_call *call)
{
    int64_t waited = call->queued ? mcph_core_now(c->core) - call->queued_at : 0;

    call->waited = waited;
    return send_with(c, call, left_of(call->timeout_ms, waited),
                     left_of(call->max_ms, waited));
}

static int
send_error(struct mcph_client *c, struct mcph_client_call *call, int code,
           mcphost_error **reterr)
{
    int n = name_len(call);

    if (code == MCPHOST_E_LIMIT)
        return client_error(c, reterr, code,
                            "does not read what it is sent: the call of '%.*s' exceeds "
                            "the queue",
                            n, call->tool.p);
    return client_error(c, reterr, code, "cannot be sent the call of '%.*s': %s", n,
                        call->tool.p, mcphost_strerror(code));
}

void
call_again(struct mcph_client_call *call, int64_t timeout_ms, int64_t max_ms)
{
    struct mcph_client *c = call->client;
    mcphost_error *error = NULL;
    int r = send_with(c, call, timeout_ms, max_ms);

    if (r < 0 && !client_is_losing(c, r)) {
        send_error(c, call, r, &error);
        complete_error(c, call, r, NULL, error);
        calls_pump(c);
    }
}

void
call_fail(struct mcph_client_call *call, int code, const char *before, const char *behind)
{
    struct mcph_client *c = call->client;
    mcphost_error *error = NULL;

    client_error(c, &error, code, "%s the call of '%.*s': %s", before, name_len(call),
                 call->tool.p, behind);
    complete_error(c, call, code, NULL, error);
    calls_pump(c);
}

/* ---- the queue --------------------------------------------------------------------- */

static void
on_queue_due(struct mcph_timer *timer)
{
    struct mcph_client_call *call =
        MCPH_CONTAINER_OF(timer, struct mcph_client_call, timer);
    struct mcph_client *c = call->client;
    mcphost_error *error = NULL;

    if (!client_awaits_credentials(c, &error, "the call"))
        client_error(c, &error, MCPHOST_E_TIMEOUT,
                     c->state == MCPH_CLIENT_READY
                         ? "was too busy to take the call of '%.*s' in time"
                         : "did not come up in time for the call of '%.*s'",
                     name_len(call), call->tool.p);
    complete_error(c, call, MCPHOST_E_TIMEOUT, NULL, error);
}

static int
enqueue(struct mcph_client *c, struct mcph_client_call *call, mcphost_error **reterr)
{
    int64_t due = INT64_MAX, now;

    if (c->n_queued >= c->spec.max_queued)
        return client_error(c, reterr, MCPHOST_E_LIMIT, "has %zu calls waiting already",
                            c->n_queued);
    if (mcph_timer_init(&call->timer, c->core, on_queue_due) < 0)
        return mcph_err_nomem(reterr);
    now = call->queued_at = mcph_core_now(c->core);
    if (call->timeout_ms >= 0)
        due = now + call->timeout_ms;
    if (call->max_ms >= 0 && now + call->max_ms < due)
        due = now + call->max_ms;
    if (due != INT64_MAX)
        mcph_timer_set(&call->timer, due);
    call->client = c;
    call->queued = true;
    mcph_list_append(&c->queued, &call->link);
    c->n_queued++;
    return 0;
}

/* Apart from the gate. */
static bool
has_room(const struct mcph_client *c)
{
    return c->state == MCPH_CLIENT_READY && !c->freed && !c->holding &&
           c->n_in_flight < c->spec.max_in_flight;
}

/* False: that has to wait. */
static bool
pump_one(struct mcph_client *c)
{
    struct mcph_client_call *call =
        MCPH_LIST_ENTRY(c->queued.next, struct mcph_client_call, link);
    mcphost_error *error = NULL;
    int r = send_call(c, call);

    if (r == MCPHOST_E_TRANSPORT)
        return false; /* its end is near and will bring the reason */
    if (r < 0) {
        send_error(c, call, r, &error);
        complete_error(c, call, r, NULL, error);
        return true;
    }
    mcph_list_remove(&call->link);
    mcph_timer_done(&call->timer);
    call->queued = false;
    c->n_queued--;
    mcph_list_append(&c->in_flight, &call->link);
    gate_enter(c);
    return true;
}

void
calls_turn(struct mcph_client *c)
{
    if (has_room(c) && c->n_queued > 0 && pump_one(c) && has_room(c) && c->n_queued > 0)
        gate_wait(c);
}

void
calls_pump(struct mcph_client *c)
{
    while (has_room(c) && c->n_queued > 0) {
        if (!gate_is_open(c) || gate_has_queue(c)) {
            gate_wait(c);
            return;
        }
        if (!pump_one(c))
            return;
    }
}

int
mcph_client_call(struct mcph_client *c, struct mcph_client_call *call,
                 mcphost_error **reterr)
{
    int r;

    if (c->state == MCPH_CLIENT_DOWN)
        return client_error(c, reterr, MCPHOST_E_TRANSPORT, "is not connected any more");
    call->queued = call->paused = call->again = call->relisted = false;
    call->rounds = NULL;
    if (!has_room(c) || c->n_queued > 0)
        return enqueue(c, call, reterr);
    if (!gate_is_open(c) || gate_has_queue(c)) {
        r = enqueue(c, call, reterr);
        if (r == 0)
            gate_wait(c);
        return r;
    }
    r = send_call(c, call);
    if (r == MCPHOST_E_TRANSPORT) /* its end is near and will bring the reason */
        return enqueue(c, call, reterr);
    if (r < 0)
        return send_error(c, call, r, reterr);
    call->client = c;
    mcph_list_append(&c->in_flight, &call->link);
    gate_enter(c);
    return 0;
}

void
mcph_client_call_cancel(struct mcph_client_call *call, const char *reason)
{
    struct mcph_client *c = call->client;

    if (!c)
        return;
    if (mcph_rpc_call_waits(&call->rpc)) {
        send_cancel(c, &call->rpc, reason);
        mcph_rpc_abandon(&call->rpc);
    }
    unlink_call(c, call);
    calls_pump(c);
}

/* ---- the end of all ---------------------------------------------------------------- */

static struct mcph_client_call *
first_call(struct mcph_client *c)
{
    struct mcph_list *head = mcph_list_empty(&c->in_flight) ? &c->queued : &c->in_flight;

    if (mcph_list_empty(head))
        return NULL;
    return MCPH_LIST_ENTRY(head->next, struct mcph_client_call, link);
}

void
calls_fail(struct mcph_client *c, mcphost_error *error)
{
    struct mcph_client_answer answer = {.code = mcphost_error_get_code(error),
                                        .error = error};
    struct mcph_client_call *call;

    for (call = first_call(c); call; call = first_call(c)) {
        mcph_rpc_abandon(&call->rpc);
        complete(c, call, &answer);
    }
}

static struct mcph_client_call *
first_lost(struct mcph_client *c)
{
    mcph_list_for_each (item, &c->in_flight) {
        struct mcph_client_call *call =
            MCPH_LIST_ENTRY(item, struct mcph_client_call, link);

        if (mcph_rpc_call_waits(&call->rpc) && call->rpc.stream == 0)
            return call;
    }
    return NULL;
}

void
calls_lost(struct mcph_client *c)
{
    struct mcph_client_call *call;

    for (call = first_lost(c); call; call = first_lost(c)) {
        mcph_rpc_abandon(&call->rpc);
        call_fail(call, MCPHOST_E_TRANSPORT, "took",
                  "its session ended before the answer came");
    }
}

void
calls_forget(struct mcph_client *c)
{
    struct mcph_client_call *call;

    for (call = first_call(c); call; call = first_call(c)) {
        mcph_rpc_abandon(&call->rpc);
        unlink_call(c, call);
    }
}
