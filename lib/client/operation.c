/* SPDX-License-Identifier: MIT
 *
 * operation.c - run operations from the start to the single answer: calls of tools, reads
 * of resources, prompts, completions, tasks (method.c has the differences).
 *
 *   mcph_operation_start --READY, slot--> IN FLIGHT --answer, deadline, end--> done
 *          |                              ^  |
 *          |                              |  | only once: refused before it was carried
 *          |                              |  v out, or lost and safe to send again
 *          `--not READY, or no slot----> QUEUED --deadline, end--> done
 *
 * A slot is free while fewer than max_in_flight operations of the client are in flight,
 * and the client's gate (gate.c), if any, has a free place for the client.  An operation
 * in flight costs no memory of its own.  This file writes the request into the
 * transport's buffer.  The answer is the frame that the transport received.
 */
#include "client/internal.h"

/* These are the format and the arguments that name an operation in error messages.  The
 * error messages omit the id of a task, because the id gives access to the task's
 * result. */
#define OF "the %s%s%.*s%s"
#define OF_ARGS(op)                                                           \
    (op)->method->what, find_quotation(op, " '"), name_len(op), (op)->name.p, \
        find_quotation(op, "'")

static bool
is_secret(const struct mcph_method *method)
{
    return method->task || method == &mcph_methods[MCPH_METHOD_TASK_RESULT];
}

static const char *
find_quotation(const struct mcph_operation *op, const char *mark)
{
    return is_secret(op->method) ? "" : mark;
}

static int
name_len(const struct mcph_operation *op)
{
    if (is_secret(op->method))
        return 0;
    return op->name.len < 128 ? (int)op->name.len : 128;
}

/* Returns true if the client asks a legacy server to run the operation as a task. */
static bool
runs_as_task(const struct mcph_client *c, const struct mcph_operation *op)
{
    return op->task_ttl_ms && op->method->starts && c->info.era == MCPH_CLIENT_LEGACY &&
           (c->info.offers & MCPH_OFFERS_TASK_CALLS);
}

/* ---- the end of an operation ------------------------------------------------------- */

static void
unlink_operation(struct mcph_client *c, struct mcph_operation *op)
{
    mcph_list_remove(&op->link);
    if (op->queued) {
        c->n_queued--;
        mcph_timer_done(&op->timer);
        op->queued = false;
    } else {
        mcph_gate_leave(c);
    }
    op->client = NULL;
    op->paused = false;
    if (op->rounds)
        mcph_rounds_end(op, "the call has ended");
    if (c->n_questions > 0 && c->state == MCPH_CLIENT_READY)
        mcph_questions_give_up(c, op);
    else if (c->n_questions > 0)
        mcph_questions_over(c, op, false, "the call has ended");
}

static void
complete_operation(struct mcph_client *c, struct mcph_operation *op,
                   const struct mcph_client_answer *answer)
{
    unlink_operation(c, op);
    if (!c->freed) /* skip `done` if the owner freed the client when a question ended */
        op->done(op, answer);
}

/* Ends the operation with `error`.  Takes over the reference to `error`. */
static void
complete_error(struct mcph_client *c, struct mcph_operation *op, int code,
               struct mcph_frame *frame, mcphost_error *error)
{
    struct mcph_client_answer answer = {.code = code, .frame = frame, .error = error};

    complete_operation(c, op, &answer);
    mcphost_error_unref(error);
}

/* Makes the error for a JSON-RPC error.  Explains the codes -32020, -32021 and -32042. */
static int
refusal_error(struct mcph_client *c, const struct mcph_rpc_answer *answer,
              mcphost_error **reterr)
{
    struct mcph_span message, data;
    int64_t code;

    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (code == -32021)
        return mcph_client_rpc_error(c, reterr,
                                     "requires a client capability that is not offered "
                                     "(see requiredCapabilities): ",
                                     answer);
    if (code == -32042)
        return mcph_client_rpc_error(
            c, reterr,
            "wants the user to open a page first, but the application does not handle "
            "such requests (see elicitations): ",
            answer);
    if (code == -32020)
        return mcph_client_rpc_error(c, reterr,
                                     "did not get the headers that were sent, or does "
                                     "not accept them; a proxy may remove them: ",
                                     answer);
    return mcph_client_rpc_error(c, reterr, "", answer);
}

static int
timeout_error(struct mcph_client *c, struct mcph_operation *op, mcphost_error **reterr)
{
    int64_t ms = mcph_core_now(c->core) - op->rpc.started + op->waited;
    bool garbage = c->rpc.garbage_why && c->rpc.garbage_at >= op->rpc.started;

    if (mcph_client_awaits_credentials(c, reterr, "the call"))
        return MCPHOST_E_TIMEOUT;
    /* Mention the bytes that are not a message, because the server may have meant them
     * as the answer. */
    return mcph_client_error(
        c, reterr, MCPHOST_E_TIMEOUT, "did not answer " OF " in time (%lld ms)%s%s",
        OF_ARGS(op), (long long)ms,
        garbage ? "; meanwhile it wrote something that is not a JSON-RPC message: " : "",
        garbage ? c->rpc.garbage_why : "");
}

static int
answer_error(struct mcph_client *c, struct mcph_operation *op,
             const struct mcph_rpc_answer *answer, mcphost_error **reterr)
{
    if (answer->error) { /* the error of the transport */
        *reterr = mcphost_error_ref(answer->error);
        return answer->code;
    }
    switch (answer->code) {
    case MCPHOST_E_RPC:
        return refusal_error(c, answer, reterr);
    case MCPHOST_E_LIMIT:
        if (answer->frame && answer->frame->over && answer->frame->over->starved)
            return mcph_client_error(
                c, reterr, MCPHOST_E_LIMIT,
                "answered " OF " with %llu bytes; together with the results of this "
                "server or of all servers that are still kept, that "
                "exceeds the limit (MCPHOST_OPT_HELD_BYTES)",
                OF_ARGS(op), (unsigned long long)answer->frame->wire_len);
        return mcph_client_error(
            c, reterr, MCPHOST_E_LIMIT,
            "answered " OF " with %llu bytes, more than the size limit of a message",
            OF_ARGS(op),
            (unsigned long long)(answer->frame ? answer->frame->wire_len : 0));
    case MCPHOST_E_TIMEOUT:
        return timeout_error(c, op, reterr);
    default:
        return answer->why
                   ? mcph_client_error(c, reterr, answer->code,
                                       "sent a broken answer to " OF ": %s", OF_ARGS(op),
                                       answer->why)
                   : mcph_client_error(c, reterr, answer->code,
                                       "gave no answer to " OF ": %s", OF_ARGS(op),
                                       mcphost_strerror(answer->code));
    }
}

static void on_queue_due(struct mcph_timer *timer);

/* Puts an operation back at the head of the queue, with the rest of timeout_ms and of
 * max_ms.  Sending the operation again is safe, because the server has not carried out
 * the operation, or the operation has no effects.  Returns false if the operation was put
 * back before, the client is DOWN, or memory is short. */
static bool
requeue(struct mcph_client *c, struct mcph_operation *op)
{
    int64_t now = mcph_core_now(c->core), left = mcph_rpc_call_left(&op->rpc, now);
    int64_t due = op->rpc.hard_due;

    if (op->again || c->state == MCPH_CLIENT_DOWN ||
        mcph_timer_init(&op->timer, c->core, on_queue_due) < 0)
        return false;
    mcph_list_remove(&op->link);
    mcph_gate_leave(c);
    mcph_list_append(c->queued.next, &op->link); /* at the front of the queue */
    c->n_queued++;
    op->again = op->queued = true;
    op->queued_at = now - (left < 0 ? 0 : op->timeout_ms - left);
    if (left >= 0 && left < due - now)
        due = now + left;
    if (due != INT64_MAX)
        mcph_timer_set(&op->timer, due);
    return true;
}

/* Returns why the operation may be sent again, or REFUSAL_NONE if it may not be sent
 * again. */
static int
reason_to_repeat(const struct mcph_client *c, const struct mcph_operation *op,
                 const struct mcph_rpc_answer *answer)
{
    int refusal = mcph_stream_refusal(c, answer);

    /* Do not send the operation again if its headers do not come from a schema, because
     * the server would refuse the unchanged headers again. */
    if (refusal == REFUSAL_HEADERS && !op->method->params)
        return REFUSAL_NONE;
    if (refusal == REFUSAL_NONE && op->method->kind == MCPH_SEND_REQUEST &&
        mcph_stream_is_lost(c, answer))
        return REFUSAL_LOST;
    return refusal;
}

static bool
send_later(struct mcph_client *c, struct mcph_operation *op,
           const struct mcph_rpc_answer *answer)
{
    int reason = reason_to_repeat(c, op, answer);

    if (reason == REFUSAL_NONE || !requeue(c, op))
        return false;
    /* End the questions if the stream is lost.  In the event `question_over` the owner
     * may free the operation or the client. */
    if (reason == REFUSAL_LOST && c->n_questions > 0)
        mcph_questions_over(c, op, false, "its connection has ended");
    if (reason == REFUSAL_HEADERS) {
        op->relisted = true;
        mcph_client_lists_refresh_tools(c);
    } else if (c->state == MCPH_CLIENT_READY && !c->holding) {
        /* If `holding` is set, do nothing here.  Either stream.c has set `holding`,
         * because it repeats the handshake itself after a refusal by HTTP status.  Or
         * lists.c reads the tools again, and sends the queue after that. */
        if (reason == REFUSAL_LOST || mcph_stream_is_old(c, op->rpc.stream))
            mcph_operations_pump(c);
        else
            mcph_negotiate_again(c);
    }
    return true;
}

/* Returns true if the result of a legacy server is a task.  The server may ignore the
 * request to run a tool as a task and return the tool's result (MCP 2025-11-25,
 * "Tasks"). */
static bool
is_legacy_task(const struct mcph_client *c, const struct mcph_operation *op,
               struct mcph_span result)
{
    return op->task_ttl_ms && runs_as_task(c, op) &&
           mcph_json_type(mcph_json_get(result, "task")) == MCPH_JSON_OBJECT;
}

static inline void
complete_result(struct mcph_client *c, struct mcph_operation *op,
                const struct mcph_rpc_answer *answer, bool task)
{
    struct mcph_client_answer good = {.task = task,
                                      .modern = c->info.era == MCPH_CLIENT_MODERN,
                                      .result = answer->msg->result,
                                      .frame = answer->frame};

    if (op->rounds && op->method->task)
        mcph_rounds_taken(op);
    c->n_again = 0;
    c->unproven = false;
    complete_operation(c, op, &good);
}

static void
on_answer(struct mcph_rpc_call *rpc, const struct mcph_rpc_answer *answer)
{
    struct mcph_operation *op = MCPH_CONTAINER_OF(rpc, struct mcph_operation, rpc);
    struct mcph_client *c = op->client;
    mcphost_error *error = NULL;
    const char *why;
    int code = answer->code;

    if (code == MCPHOST_E_TIMEOUT && !answer->error)
        mcph_client_send_cancel(c, rpc, "timed out");
    if (code < 0 && send_later(c, op, answer))
        return;
    if (code == 0)
        code = mcph_method_check_result(c, op->method, answer->msg->result, &why);
    if (code == 0 || code == METHOD_TASK) {
        complete_result(c, op, answer,
                        code == METHOD_TASK ||
                            is_legacy_task(c, op, answer->msg->result));
    } else if (code == METHOD_ASKS) {
        /* If the operation is a tasks/get without `answered`, do not ask the task's
         * questions.  Give the result to the owner, which finds the questions in the
         * result. */
        if ((op->method->task && !op->answered) || !mcph_rounds_asked(c, op, answer))
            complete_result(c, op, answer, false);
        code = 0;
    } else if (answer->code == MCPHOST_E_RPC && !op->method->task &&
               mcph_rounds_want_pages(c, answer)) {
        mcph_rounds_pages(c, op, answer);
        code = 0;
    } else if (answer->code < 0) {
        answer_error(c, op, answer, &error);
    } else {
        mcph_client_error(c, &error, code, "answered " OF " with %s", OF_ARGS(op), why);
    }
    if (code < 0)
        complete_error(c, op, code, answer->frame, error);
    if (c->n_queued > 0)
        mcph_operations_pump(c);
}

/* ---- progress ---------------------------------------------------------------------- */

static void
on_progress(struct mcph_rpc_call *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_operation *op = MCPH_CONTAINER_OF(rpc, struct mcph_operation, rpc);
    struct mcph_json_want want[] = {MCPH_JSON_WANT("progress"), MCPH_JSON_WANT("total"),
                                    MCPH_JSON_WANT("message")};
    struct mcph_client_progress p = {.params = msg->params};

    /* Give the operation its whole timeout again.  If the operation waited in the
     * queue, it was sent with a shorter timeout. */
    if (op->progress_resets && rpc->timeout_ms != op->timeout_ms)
        mcph_rpc_call_set_timeout(rpc, op->timeout_ms);
    (void)mcph_json_pick(msg->params, want, MCPH_ARRAY_SIZE(want));
    if (!op->progress || mcph_json_type(want[0].value) != MCPH_JSON_NUMBER ||
        mcph_json_double(want[0].value, &p.progress) < 0)
        return;
    p.has_total = mcph_json_type(want[1].value) == MCPH_JSON_NUMBER &&
                  mcph_json_double(want[1].value, &p.total) == 0;
    if (mcph_json_type(want[2].value) == MCPH_JSON_STRING)
        p.message = want[2].value;
    op->progress(op, &p);
}

/* ---- sending operations ------------------------------------------------------------ */

/* Returns how much of `ms` is left after the wait in the queue.  If `ms` is -1 (no
 * limit), returns -1. */
static int64_t
left_of(int64_t ms, int64_t waited)
{
    if (ms < 0)
        return -1;
    return ms > waited ? ms - waited : 0;
}

/* Returns how much of max_ms is left, or -1 (no limit).  If the operation is sent again,
 * its last request knows when max_ms ends.  `waited` is the wait in the queue. */
static int64_t
max_left(const struct mcph_client *c, const struct mcph_operation *op, int64_t waited)
{
    int64_t due = op->rpc.hard_due;

    if (!op->again)
        return left_of(op->max_ms, waited);
    return due == INT64_MAX ? -1 : left_of(due, mcph_core_now(c->core));
}

/* Sends the request with some of the operation's arguments in headers. */
static int
commit_params(struct mcph_client *c, struct mcph_operation *op, struct mcph_buf *buf)
{
    struct mcph_span schema = op->schema;
    struct params params;
    int r;

    if (op->relisted)
        schema = mcph_client_lists_fresh_schema(c, op->name);
    r = mcph_client_params_make(&params, schema, op->arguments);
    if (r == 0)
        r = mcph_client_send_commit(c, &op->rpc, buf, op->method, op, &params);
    mcph_client_params_done(&params);
    return r;
}

static int
write_params(const struct mcph_operation *op, struct mcph_buf *buf)
{
    const struct mcph_method *method = op->method;
    struct mcph_span arguments = op->arguments.p ? op->arguments : method->no_arguments;

    if (!method->key.p)
        return mcph_client_send_members(buf, arguments);
    mcph_buf_add(buf, method->key.p, method->key.len);
    if (op->name_token.p)
        mcph_buf_add(buf, op->name_token.p, op->name_token.len);
    else
        mcph_json_add_string(buf, op->name.p, op->name.len);
    if (!arguments.p)
        return mcph_buf_ok(buf);
    mcph_buf_add(buf, method->arguments.p, method->arguments.len);
    return mcph_rpc_add_oneline(buf, arguments);
}

static int
build_request(struct mcph_client *c, struct mcph_operation *op)
{
    size_t size = op->name.len + op->arguments.len + op->meta.len;
    struct mcph_buf *buf;
    int r;

    if (op->rounds)
        size += mcph_rounds_size(op);
    r = mcph_client_send_begin(c, &op->rpc, op->method, size, &buf);
    if (r < 0)
        return r;
    r = write_params(op, buf);
    if (op->task_ttl_ms && r == 0 && runs_as_task(c, op)) {
        mcph_buf_adds(buf, ",\"task\":{\"ttl\":");
        mcph_buf_addi(buf, op->task_ttl_ms);
        r = mcph_buf_addc(buf, '}');
    }
    if (r == 0 && op->rounds)
        r = mcph_rounds_add(op, buf);
    if (r == 0 && (c->meta.len > 0 || op->rpc.on_progress || op->meta.p || op->trace))
        r = mcph_client_send_meta(c, buf, &op->rpc, op);
    if (r < 0)
        return r;
    if (c->transport->wants_headers && c->meta.len > 0 && op->method->params)
        return commit_params(c, op, buf);
    return mcph_client_send_commit(c, &op->rpc, buf, op->method, op, NULL);
}

static int
send_with(struct mcph_client *c, struct mcph_operation *op, int64_t timeout_ms,
          int64_t max_ms)
{
    int r;

    op->rpc.on_answer = on_answer;
    op->rpc.on_progress = NULL;
    if ((op->progress || op->progress_resets) && op->method->progress)
        op->rpc.on_progress = on_progress;
    op->rpc.timeout_ms = timeout_ms;
    op->rpc.max_ms = max_ms;
    op->rpc.progress_resets = op->progress_resets;
    r = mcph_rpc_start(&c->rpc, &op->rpc);
    if (r < 0)
        return r;
    r = build_request(c, op);
    if (r < 0)
        mcph_rpc_abandon(&op->rpc);
    return r;
}

/* Sends an operation that is new or was queued.  On success the caller moves the
 * operation to the list of operations in flight. */
static int
send_first(struct mcph_client *c, struct mcph_operation *op)
{
    int64_t waited = op->queued ? mcph_core_now(c->core) - op->queued_at : 0;

    if (op->method->needs & ~c->info.offers)
        return MCPHOST_E_NOTFOUND;
    op->waited = waited;
    return send_with(c, op, left_of(op->timeout_ms, waited), max_left(c, op, waited));
}

static int
send_error(struct mcph_client *c, struct mcph_operation *op, int code,
           mcphost_error **reterr)
{
    if (code == MCPHOST_E_NOTFOUND)
        return mcph_method_not_offered(c, op->method, reterr);
    if (code == MCPHOST_E_LIMIT)
        return mcph_client_error(c, reterr, code,
                                 "does not read its input: " OF
                                 " does not fit in the send queue",
                                 OF_ARGS(op));
    return mcph_client_error(c, reterr, code, OF " cannot be sent: %s", OF_ARGS(op),
                             mcphost_strerror(code));
}

void
mcph_operation_again(struct mcph_operation *op, int64_t timeout_ms, int64_t max_ms)
{
    struct mcph_client *c = op->client;
    mcphost_error *error = NULL;
    int r = send_with(c, op, timeout_ms, max_ms);

    if (r < 0 && !mcph_client_is_losing(c, r)) {
        send_error(c, op, r, &error);
        complete_error(c, op, r, NULL, error);
        mcph_operations_pump(c);
    }
}

void
mcph_operation_fail(struct mcph_operation *op, int code, const char *before,
                    const char *behind)
{
    struct mcph_client *c = op->client;
    mcphost_error *error = NULL;

    mcph_client_error(c, &error, code, "%s " OF ": %s", before, OF_ARGS(op), behind);
    complete_error(c, op, code, NULL, error);
    mcph_operations_pump(c);
}

/* ---- the queue --------------------------------------------------------------------- */

static void
on_queue_due(struct mcph_timer *timer)
{
    struct mcph_operation *op = MCPH_CONTAINER_OF(timer, struct mcph_operation, timer);
    struct mcph_client *c = op->client;
    mcphost_error *error = NULL;

    if (!mcph_client_awaits_credentials(c, &error, "the call"))
        mcph_client_error(c, &error, MCPHOST_E_TIMEOUT,
                          c->state == MCPH_CLIENT_READY ? "was too busy to start " OF
                                                          " in time"
                                                        : "was not ready in time for " OF,
                          OF_ARGS(op));
    complete_error(c, op, MCPHOST_E_TIMEOUT, NULL, error);
}

static int
enqueue(struct mcph_client *c, struct mcph_operation *op, mcphost_error **reterr)
{
    int64_t due = INT64_MAX, now;

    if (c->n_queued >= c->spec.max_queued)
        return mcph_client_error(c, reterr, MCPHOST_E_LIMIT,
                                 "has a full queue: %zu calls are waiting", c->n_queued);
    if (mcph_timer_init(&op->timer, c->core, on_queue_due) < 0)
        return mcph_err_nomem(reterr);
    now = op->queued_at = mcph_core_now(c->core);
    if (op->timeout_ms >= 0)
        due = now + op->timeout_ms;
    if (op->max_ms >= 0 && now + op->max_ms < due)
        due = now + op->max_ms;
    if (due != INT64_MAX)
        mcph_timer_set(&op->timer, due);
    op->client = c;
    op->queued = true;
    mcph_list_append(&c->queued, &op->link);
    c->n_queued++;
    return 0;
}

/* Returns true if the client may send one more operation.  The caller checks the gate
 * separately. */
static bool
has_room(const struct mcph_client *c)
{
    return c->state == MCPH_CLIENT_READY && !c->freed && !c->holding &&
           c->n_in_flight < c->spec.max_in_flight;
}

/* Sends the first queued operation, or ends the operation if the send fails.  Returns
 * false if the connection is being lost and the queue must wait. */
static bool
pump_one(struct mcph_client *c)
{
    struct mcph_operation *op =
        MCPH_LIST_ENTRY(c->queued.next, struct mcph_operation, link);
    mcphost_error *error = NULL;
    int r = send_first(c, op);

    if (r == MCPHOST_E_TRANSPORT)
        return false; /* the transport soon reports why the connection ends */
    if (r < 0) {
        send_error(c, op, r, &error);
        complete_error(c, op, r, NULL, error);
        return true;
    }
    mcph_list_remove(&op->link);
    mcph_timer_done(&op->timer);
    op->queued = false;
    c->n_queued--;
    mcph_list_append(&c->in_flight, &op->link);
    mcph_gate_enter(c);
    return true;
}

void
mcph_operations_turn(struct mcph_client *c)
{
    if (has_room(c) && c->n_queued > 0 && pump_one(c) && has_room(c) && c->n_queued > 0)
        mcph_gate_wait(c);
}

void
mcph_operations_pump(struct mcph_client *c)
{
    while (has_room(c) && c->n_queued > 0) {
        if (c->gate && !mcph_gate_is_open(c)) {
            mcph_gate_wait(c);
            return;
        }
        if (!pump_one(c))
            return;
    }
}

int
mcph_operation_start(struct mcph_client *c, struct mcph_operation *op,
                     mcphost_error **reterr)
{
    int r;

    if (c->state == MCPH_CLIENT_DOWN)
        return mcph_client_error(c, reterr, MCPHOST_E_TRANSPORT,
                                 "is not connected any more");
    op->queued = op->paused = op->again = op->relisted = false;
    op->rounds = NULL;
    if (!has_room(c) || c->n_queued > 0)
        return enqueue(c, op, reterr);
    if (c->gate && !mcph_gate_is_open(c)) {
        r = enqueue(c, op, reterr);
        if (r == 0)
            mcph_gate_wait(c);
        return r;
    }
    r = send_first(c, op);
    if (r == MCPHOST_E_TRANSPORT) /* the connection is being lost: queue the operation */
        return enqueue(c, op, reterr);
    if (r < 0)
        return send_error(c, op, r, reterr);
    op->client = c;
    mcph_list_append(&c->in_flight, &op->link);
    mcph_gate_enter(c);
    return 0;
}

void
mcph_operation_cancel(struct mcph_operation *op, const char *reason)
{
    struct mcph_client *c = op->client;

    if (!c)
        return;
    if (mcph_rpc_call_waits(&op->rpc)) {
        mcph_client_send_cancel(c, &op->rpc, reason);
        mcph_rpc_abandon(&op->rpc);
    }
    unlink_operation(c, op);
    mcph_operations_pump(c);
}

/* ---- the end of all operations ----------------------------------------------------- */

static struct mcph_operation *
first_operation(struct mcph_client *c)
{
    struct mcph_list *head = mcph_list_empty(&c->in_flight) ? &c->queued : &c->in_flight;

    if (mcph_list_empty(head))
        return NULL;
    return MCPH_LIST_ENTRY(head->next, struct mcph_operation, link);
}

void
mcph_operations_fail(struct mcph_client *c, mcphost_error *error)
{
    struct mcph_client_answer answer = {.code = mcphost_error_get_code(error),
                                        .error = error};
    struct mcph_operation *op;

    for (op = first_operation(c); op; op = first_operation(c)) {
        mcph_rpc_abandon(&op->rpc);
        complete_operation(c, op, &answer);
    }
}

static struct mcph_operation *
first_lost(struct mcph_client *c)
{
    mcph_list_for_each (item, &c->in_flight) {
        struct mcph_operation *op = MCPH_LIST_ENTRY(item, struct mcph_operation, link);

        if (mcph_rpc_call_waits(&op->rpc) && op->rpc.stream == 0)
            return op;
    }
    return NULL;
}

void
mcph_operations_lost(struct mcph_client *c)
{
    struct mcph_operation *op;

    for (op = first_lost(c); op; op = first_lost(c)) {
        mcph_rpc_abandon(&op->rpc);
        if (op->method->kind != MCPH_SEND_REQUEST || !requeue(c, op))
            mcph_operation_fail(op, MCPHOST_E_TRANSPORT, "received",
                                "its session ended before the answer came");
    }
}

void
mcph_operations_forget(struct mcph_client *c)
{
    struct mcph_operation *op;

    for (op = first_operation(c); op; op = first_operation(c)) {
        mcph_rpc_abandon(&op->rpc);
        unlink_operation(c, op);
    }
}
