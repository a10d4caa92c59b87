/* SPDX-License-Identifier: MIT
 *
 * task.c - calls that their server runs as tasks (MCP 2025-11-25, "Tasks", and the
 * extension io.modelcontextprotocol/tasks of 2026-07-28).
 *
 *   answered with a task, or resumed by the task's id
 *        |
 *        v        working, or no answer
 *      waits <------------------------------+
 *        |                                  |
 *        | interval, or a notification      |
 *        v                                  |
 *      polls: tasks/get --input_required--> asks, tasks/update
 *        |
 *        | completed, failed, cancelled (legacy: tasks/result)
 *        v
 *      the call ends
 *
 * Between two requests about its task, a call holds no instance and no connection.  The
 * server may be started anew or be lost meanwhile.  A drain of an instance does not wait
 * for tasks.  Each request goes to the instance that would carry out the dialog's next
 * call.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/leasing.h"
#include "host/task.h"
#include "host/turn.h"

/* If the server names no interval, the time between two tasks/get grows from FIRST_MS up
 * to USUAL_MS.  USUAL_MS is also the wait while the server is disabled. */
#define FIRST_MS 250
#define USUAL_MS 5000
/* LEAST_MS is the shortest interval between two tasks/get, and the delay of a tasks/get
 * after a notification, after the answer to a tasks/update, or after the instance has
 * begun to drain. */
#define LEAST_MS   50
#define LONGEST_MS 3600000 /* the longest interval between two tasks/get */
#define WATCHED_MS 1000    /* shortest interval at which a client asks for notices */
#define LOOK_MS    30000   /* timeout of a request; tasks/result has none */
#define LOST_MS    60000   /* the longest interval while requests fail */
#define LOST_MAX   10      /* failed requests in a row that end the call */
/* The call waits for at most 1.1 times the task's ttl plus GRACE_MS, because clocks
 * differ. */
#define GRACE_MS    1000
#define MESSAGE_MAX 4096 /* bytes of a statusMessage in an event */

/* ---- tasks as servers describe them ------------------------------------------------ */

/* A task as a server describes it. */
struct said {
    int status;
    struct mcph_span id, message;   /* string tokens; `message` may be absent */
    struct mcph_span result, error; /* objects; each may be absent */
    int64_t ttl_ms, interval_ms;    /* -1 if the server gives no value */
};

static int
read_status(struct mcph_span token)
{
    static const char *const names[] = {
        [MCPHOST_TASK_WORKING] = "working",
        [MCPHOST_TASK_INPUT_REQUIRED] = "input_required",
        [MCPHOST_TASK_COMPLETED] = "completed",
        [MCPHOST_TASK_FAILED] = "failed",
        [MCPHOST_TASK_CANCELLED] = "cancelled",
    };

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return MCPHOST_TASK_NONE;
    for (int i = MCPHOST_TASK_WORKING; i <= MCPHOST_TASK_CANCELLED; i++) {
        if (mcph_json_string_is(token, names[i], strlen(names[i])))
            return i;
    }
    return MCPHOST_TASK_NONE;
}

/* Reads a number of milliseconds, without its fraction.  Returns -1 if the token is not
 * a number, or if the number is negative. */
static int64_t
read_ms(struct mcph_span token)
{
    double ms;

    if (mcph_json_type(token) != MCPH_JSON_NUMBER || mcph_json_double(token, &ms) < 0 ||
        !(ms >= 0))
        return -1;
    return ms < 1e15 ? (int64_t)ms : INT64_MAX / 4;
}

/* Reads a task that a server sent.  Returns NULL if the task is valid, else a text about
 * its fault. */
static const char *
read_task(struct mcph_span task, struct said *ret)
{
    /* A legacy server uses the names `ttl` and `pollInterval`. */
    struct mcph_json_want want[] = {
        MCPH_JSON_WANT("taskId"),         MCPH_JSON_WANT("status"),
        MCPH_JSON_WANT("statusMessage"),  MCPH_JSON_WANT("result"),
        MCPH_JSON_WANT("error"),          MCPH_JSON_WANT("ttlMs"),
        MCPH_JSON_WANT("pollIntervalMs"), MCPH_JSON_WANT("ttl"),
        MCPH_JSON_WANT("pollInterval"),
    };
    size_t times;

    if (mcph_json_pick(task, want, MCPH_ARRAY_SIZE(want)) < 0)
        return "a task with a member that occurs twice";
    if (mcph_json_type(want[0].value) != MCPH_JSON_STRING || want[0].value.len <= 2)
        return "a task without a taskId";
    times = want[5].value.p || want[6].value.p ? 5 : 7;
    *ret = (struct said){.status = read_status(want[1].value),
                         .id = want[0].value,
                         .ttl_ms = read_ms(want[times].value),
                         .interval_ms = read_ms(want[times + 1].value)};
    if (mcph_json_type(want[2].value) == MCPH_JSON_STRING)
        ret->message = want[2].value;
    if (mcph_json_type(want[3].value) == MCPH_JSON_OBJECT)
        ret->result = want[3].value;
    if (mcph_json_type(want[4].value) == MCPH_JSON_OBJECT)
        ret->error = want[4].value;
    return ret->status == MCPHOST_TASK_NONE ? "a task with an unknown status" : NULL;
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_task_new(mcphost_call *call, struct mcph_span id, struct mcph_task **ret)
{
    struct mcph_task *task = mcph_zalloc(sizeof(*task), id.len + 1);

    if (!task)
        return MCPHOST_E_NOMEM;
    task->call = call;
    atomic_init(&task->status, MCPHOST_TASK_NONE);
    atomic_init(&task->ttl_ms, -1);
    atomic_init(&task->interval_ms, -1);
    task->due = INT64_MAX;
    memcpy(task->id, id.p, id.len);
    task->id[id.len] = '\0';
    task->id_len = id.len;
    task->watch.id = mcph_span(task->id, id.len);
    *ret = task;
    return 0;
}

struct mcph_task *
mcph_task_free(struct mcph_task *task)
{
    if (!task)
        return NULL;
    for (size_t i = 0; i < task->answered.n; i++)
        free(task->answered.items[i]);
    mcph_vec_done(&task->answered);
    free(task);
    return NULL;
}

void
mcph_task_over(struct mcph_task *task)
{
    mcph_client_unwatch_task(&task->watch);
    mcph_timer_done(&task->timer);
}

/* ---- when to ask for the status of a task ------------------------------------------ */

/* Returns the time by which the call must have ended: `due`, or the end of the task's ttl
 * (see GRACE_MS) if that is earlier. */
static int64_t
end_of(const struct mcph_task *task)
{
    int64_t ttl = atomic_load(&task->ttl_ms), end;

    if (ttl < 0 || ttl > INT64_MAX / 8)
        return task->due;
    end = task->began + ttl + ttl / 10 + GRACE_MS;
    return end < task->due ? end : task->due;
}

static int64_t
interval_of(const struct mcph_task *task)
{
    int64_t ms = atomic_load(&task->interval_ms);

    if (ms < 0)
        ms = task->looks < 5 ? FIRST_MS << task->looks : USUAL_MS;
    if (task->lost > 0) {
        ms = ms < LEAST_MS ? LEAST_MS : ms;
        ms = ms < LOST_MS >> task->lost ? ms << task->lost : LOST_MS;
    }
    return ms < LEAST_MS ? LEAST_MS : ms > LONGEST_MS ? LONGEST_MS : ms;
}

static void
look_in(struct mcph_task *task, int64_t ms)
{
    int64_t at = mcph_core_now(task->call->host->core) + ms, end = end_of(task);

    mcph_timer_set(&task->timer, at < end ? at : end);
}

/* Ends the call's use of its instance.  The call itself continues. */
static void
leave_instance(mcphost_call *call)
{
    struct mcph_instance *inst = call->instance;

    call->instance = NULL;
    if (inst)
        mcph_instance_call_ended(inst);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
end_with(mcphost_call *call, int code, mcphost_error *error)
{
    struct mcph_client_answer answer = {.code = code, .error = error};

    mcph_call_conclude(call, &answer);
}

static void
fail_with(struct mcph_task *task, int code, const char *text, const char *more)
{
    mcphost_call *call = task->call;
    mcphost_error *err = NULL;

    /* The error does not show the task's id, because the id gives access to the task's
     * result. */
    mcph_err(&err, code, "its task %s%s", text, more);
    mcph_err_set_server(err, mcph_target_source_id(&call->target),
                        mcph_target_server_id(&call->target));
    end_with(call, code, err);
    mcphost_error_unref(err);
}

/* Ends the call with the JSON-RPC error with which its task has ended. */
static void
fail_as_said(struct mcph_task *task, struct mcph_span error)
{
    mcphost_call *call = task->call;
    struct mcph_span token, data, said = mcph_span_str("no message");
    mcphost_error *err = NULL;
    struct mcph_buf buf;
    int64_t code;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_rpc_error_read(error, &code, &token, &data);
    if (token.p)
        (void)mcph_json_string_get(token, &buf, &said);
    /* Do not shorten the text here, because secrets are masked later, in the whole
     * text. */
    mcph_err_rpc(&err, code, said.p, said.len, data.p, data.len);
    mcph_err_set_server(err, mcph_target_source_id(&call->target),
                        mcph_target_server_id(&call->target));
    end_with(call, MCPHOST_E_RPC, err);
    mcphost_error_unref(err);
    mcph_buf_done(&buf);
}

/* ---- events ------------------------------------------------------------------------ */

/* Cuts a text to at most `len` bytes, but never inside a character. */
static void
cut_text(char *text, size_t len)
{
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    text[len] = '\0';
}

static void
emit_status(struct mcph_task *task, struct mcph_span message)
{
    mcphost_call *call = task->call;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_TASK,
                                  .state = atomic_load(&task->status),
                                  .source = mcph_target_source_id(&call->target),
                                  .server = mcph_target_server_id(&call->target),
                                  .dialog = call->dialog->id,
                                  .call = call};
    struct mcph_span text = MCPH_SPAN_NONE;
    struct mcph_buf buf;
    char *copy = NULL;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    if (message.p && mcph_json_string_get(message, &buf, &text) == 0)
        copy = mcph_strndup(text.p, text.len);
    if (copy && call->instance)
        mcph_mask_text(call->instance->mask, copy, text.len);
    if (copy && text.len > MESSAGE_MAX)
        cut_text(copy, MESSAGE_MAX);
    event.text = copy;
    mcph_emit(&call->host->journal, &event);
    free(copy);
    mcph_buf_done(&buf);
}

static void
keep_state(struct mcph_task *task, const struct said *said)
{
    atomic_store(&task->status, said->status);
    atomic_store(&task->ttl_ms, said->ttl_ms);
    atomic_store(&task->interval_ms, said->interval_ms);
}

/* Stores the status that the server reported, and emits an event if the status is new. */
static void
take_status(struct mcph_task *task, const struct said *said)
{
    int before = atomic_load(&task->status);

    keep_state(task, said);
    task->lost = 0;
    if (before != said->status) {
        task->looks = 0;
        emit_status(task, said->message);
    }
}

/* ---- requests about a task --------------------------------------------------------- */

static void on_answer(struct mcph_operation *op, const struct mcph_client_answer *answer);
static void look_failed(struct mcph_task *task, const struct mcph_client_answer *answer);

static void
start_polling(struct mcph_task *task, struct mcph_instance *inst,
              const struct mcph_method *method)
{
    mcphost_call *call = task->call;
    int64_t now = mcph_core_now(call->host->core), end = end_of(task);
    mcphost_error *err = NULL;
    int r;

    call->op = (struct mcph_operation){.method = method,
                                       .name = mcph_span(task->id, task->id_len),
                                       .trace = call->trace,
                                       .answered = &task->answered,
                                       .timeout_ms = task->ending ? -1 : LOOK_MS,
                                       .max_ms = end == INT64_MAX ? -1
                                                 : end > now      ? end - now
                                                                  : 0,
                                       .done = on_answer};
    call->instance = inst;
    mcph_timer_cancel(&task->timer);
    mcph_instance_call_began(inst, task->ending ? end : now + LOOK_MS);
    r = mcph_operation_start(inst->client, &call->op, &err);
    if (r < 0)
        look_failed(task, &(struct mcph_client_answer){.code = r, .error = err});
    mcphost_error_unref(err);
}

/* Finds the instance that carries out the dialog's calls now.  Returns 1 if *ret is the
 * instance, 0 if the server is disabled, or an error code. */
static int
find_instance(mcphost_call *call, struct mcph_instance **ret)
{
    const struct mcph_block *block = call->target.block;
    struct mcph_server *server = mcph_turn_server(call->dialog, block);
    int r;

    if (server) {
        r = mcph_leasing_instance(server, block->edition, block->spec, call->dialog, ret);
        return r < 0 ? r : 1;
    }
    server = mcph_host_find_server(call->host, block);
    if (!server)
        return MCPHOST_E_GONE;
    if (!server->wanted || !server->spec)
        return 0;
    r = mcph_leasing_instance(server, server->edition, server->spec, call->dialog, ret);
    return r < 0 ? r : 1;
}

static void
look_at_task(struct mcph_task *task)
{
    mcphost_call *call = task->call;
    struct mcph_instance *inst;
    int r = find_instance(call, &inst);

    if (r == MCPHOST_E_GONE)
        fail_with(task, r, "was lost because the server was removed", "");
    else if (r < 0)
        look_failed(task, &(struct mcph_client_answer){.code = r});
    else if (r == 0)
        look_in(task, USUAL_MS);
    else
        start_polling(
            task, inst,
            &mcph_methods[task->ending ? MCPH_METHOD_TASK_RESULT : MCPH_METHOD_GET_TASK]);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_task *task = MCPH_CONTAINER_OF(timer, struct mcph_task, timer);

    if (mcph_core_now(task->call->host->core) < end_of(task)) {
        look_at_task(task);
        return;
    }
    mcph_task_cancel(task->call);
    fail_with(task, MCPHOST_E_TIMEOUT, "has not ended in time", "");
}

/* ---- answers to requests about a task ---------------------------------------------- */

/* Returns true if the server may still know the task although a request about it failed
 * with this code.  For example, the instance was stopped or is busy.  Returns
 * false after LOST_MAX failed requests in a row, and when the time of the call is
 * over. */
static bool
may_look_again(const struct mcph_task *task, int code)
{
    return (code == MCPHOST_E_TRANSPORT || code == MCPHOST_E_TIMEOUT ||
            code == MCPHOST_E_CANCELLED || code == MCPHOST_E_LIMIT ||
            code == MCPHOST_E_NOMEM) &&
           task->lost + 1 < LOST_MAX &&
           mcph_core_now(task->call->host->core) < end_of(task);
}

/* Returns true if the server refused a tasks/update, unless LOST_MAX requests in a row
 * have failed.  The task may have ended, or may have the answer already.  The next
 * tasks/get shows the reason. */
static bool
is_late_update(const mcphost_call *call, int code)
{
    return code == MCPHOST_E_RPC && call->task->lost + 1 < LOST_MAX &&
           call->op.method == &mcph_methods[MCPH_METHOD_UPDATE_TASK];
}

static void
look_failed(struct mcph_task *task, const struct mcph_client_answer *answer)
{
    mcphost_call *call = task->call;

    if (may_look_again(task, answer->code) || is_late_update(call, answer->code)) {
        task->lost++;
        task->ending = false; /* ask for the status before the result */
        leave_instance(call);
        look_in(task, interval_of(task));
        return;
    }
    /* Cancel the task, because the application refused or did not answer the task's
     * question, or the server does not respond. */
    if (answer->code == MCPHOST_E_DENIED || answer->code == MCPHOST_E_TIMEOUT)
        mcph_task_cancel(call);
    mcph_call_conclude(call, answer);
}

static void
complete_task(struct mcph_task *task, const struct said *said,
              const struct mcph_client_answer *answer)
{
    struct mcph_client_answer outcome = {.result = said->result, .frame = answer->frame};

    if (!said->result.p)
        fail_with(task, MCPHOST_E_PROTOCOL, "was completed, but has no result", "");
    else
        mcph_call_conclude(task->call, &outcome);
}

static void
fail_task(struct mcph_task *task, const struct said *said)
{
    if (!said->error.p)
        fail_with(task, MCPHOST_E_PROTOCOL, "failed, but has no error", "");
    else
        fail_as_said(task, said->error);
}

/* Decides how the call continues after a new status was stored.  If `first` is true,
 * the server has just made the task, and `answer` has no result of the task. */
static void
act_on_status(struct mcph_task *task, const struct said *said,
              const struct mcph_client_answer *answer, bool first)
{
    int status = said->status;
    bool now = status == MCPHOST_TASK_COMPLETED || status == MCPHOST_TASK_FAILED ||
               (first && status == MCPHOST_TASK_INPUT_REQUIRED);

    if (status == MCPHOST_TASK_CANCELLED) {
        fail_with(task, MCPHOST_E_CANCELLED, "was cancelled by the server", "");
        return;
    }
    if (answer->modern && !first && status == MCPHOST_TASK_COMPLETED) {
        complete_task(task, said, answer);
        return;
    }
    if (answer->modern && !first && status == MCPHOST_TASK_FAILED) {
        fail_task(task, said);
        return;
    }
    if (answer->modern && interval_of(task) >= WATCHED_MS)
        mcph_client_watch_task(task->call->instance->client, &task->watch);
    leave_instance(task->call);
    /* Send tasks/result to a legacy server, because a legacy server gives its result, and
     * asks questions, during tasks/result only. */
    task->ending = !answer->modern && status != MCPHOST_TASK_WORKING;
    if (now || task->ending)
        look_at_task(task);
    else
        look_in(task, interval_of(task));
}

static const char *
read_own(const struct mcph_task *task, struct mcph_span answer, struct said *ret)
{
    const char *why = read_task(answer, ret);

    if (!why && !mcph_json_string_is(ret->id, task->id, task->id_len))
        why = "a different task";
    return why;
}

const char *
mcph_task_see(mcphost_call *call, struct mcph_span answer)
{
    struct said said;
    const char *why = read_own(call->task, answer, &said);

    if (!why)
        keep_state(call->task, &said);
    return why;
}

static void
on_answer(struct mcph_operation *op, const struct mcph_client_answer *answer)
{
    mcphost_call *call = MCPH_CONTAINER_OF(op, mcphost_call, op);
    struct mcph_task *task = call->task;
    struct said said;
    const char *why;

    if (answer->code < 0) {
        look_failed(task, answer);
    } else if (task->ending) {
        mcph_call_conclude(call, answer);
    } else if (op->method == &mcph_methods[MCPH_METHOD_UPDATE_TASK]) {
        leave_instance(call);
        look_in(task, LEAST_MS);
    } else {
        task->looks++;
        why = read_own(task, answer->result, &said);
        if (why) {
            fail_with(task, MCPHOST_E_PROTOCOL,
                      "cannot be followed: the server answered with ", why);
            return;
        }
        take_status(task, &said);
        act_on_status(task, &said, answer, false);
    }
}

/* ---- the beginning ----------------------------------------------------------------- */

/* Prepares the call to wait for the task's result until `due`.  If `due` is INT64_MAX,
 * MCPHOST_OPT_TASK_TIMEOUT of the source sets the deadline.  Returns 0 or
 * MCPHOST_E_NOMEM. */
static int
begin_task(struct mcph_task *task, int64_t due)
{
    mcphost_call *call = task->call;
    struct mcph_server *server = mcph_host_find_server(call->host, call->target.block);
    int64_t now = mcph_core_now(call->host->core), ms;

    if (mcph_timer_init(&task->timer, call->host->core, on_due) < 0)
        return MCPHOST_E_NOMEM;
    task->follows = true;
    task->began = now;
    task->due = due;
    if (due != INT64_MAX || !server)
        return 0;
    ms = mcph_source_policy(server->source, MCPHOST_OPT_TASK_TIMEOUT);
    if (ms > 0 && ms < INT64_MAX / 4)
        task->due = now + ms;
    return 0;
}

/* Makes the task whose id is in this string token.  If the id is unusable, *ret_why gets
 * the reason. */
static int
make_task(mcphost_call *call, struct mcph_span token, struct mcph_task **ret,
          const char **ret_why)
{
    struct mcph_span id;
    struct mcph_buf buf;
    int r;

    *ret_why = "a task whose taskId is too long, or has a NUL";
    mcph_buf_init(&buf, MCPH_TASK_ID_MAX);
    r = mcph_json_string_get(token, &buf, &id);
    if (r == 0 && (id.len > MCPH_TASK_ID_MAX || memchr(id.p, '\0', id.len)))
        r = MCPHOST_E_PROTOCOL;
    if (r == 0)
        r = mcph_task_new(call, id, ret);
    mcph_buf_done(&buf);
    return r;
}

static void
refuse_call(mcphost_call *call, int code, const char *why)
{
    mcphost_error *err = NULL;

    mcph_err(&err, code, "answered the call with %s",
             code == MCPHOST_E_NOMEM ? "a task, but there is not enough memory" : why);
    mcph_err_set_server(err, mcph_target_source_id(&call->target),
                        mcph_target_server_id(&call->target));
    end_with(call, code, err);
    mcphost_error_unref(err);
}

void
mcph_task_begin(mcphost_call *call, const struct mcph_client_answer *answer)
{
    struct mcph_span object = mcph_json_get(answer->result, "task");
    struct mcph_task *task = NULL;
    struct said said;
    const char *why = read_task(answer->modern ? answer->result : object, &said);
    int r = why ? MCPHOST_E_PROTOCOL : make_task(call, said.id, &task, &why);

    if (r == 0)
        r = begin_task(task, call->max_ms < 0 ? INT64_MAX : call->op.rpc.hard_due);
    if (r < 0) {
        mcph_task_free(task);
        refuse_call(call, r, why);
        return;
    }
    mcph_core_lock(call->host->core);
    call->task = task;
    mcph_core_unlock(call->host->core);
    take_status(task, &said);
    act_on_status(task, &said, answer, true);
}

void
mcph_task_take_up(mcphost_call *call)
{
    int64_t now = mcph_core_now(call->host->core), ms = call->max_ms;

    /* This call sends no tools/call to which the timeout could apply.  Therefore the
     * timeout limits the whole wait. */
    if (call->timeout_ms >= 0 && (ms < 0 || call->timeout_ms < ms))
        ms = call->timeout_ms;
    if (begin_task(call->task, ms < 0 ? INT64_MAX : now + ms) < 0)
        end_with(call, MCPHOST_E_NOMEM, NULL);
    else
        look_at_task(call->task);
}

/* ---- cancelling -------------------------------------------------------------------- */

/* A tasks/cancel request that is in flight.  No call waits for its answer. */
struct quit {
    struct mcph_operation op;
    struct mcph_list link; /* in host->quits */
    struct mcph_instance *instance;
    char id[];
};

static void
quit_free(struct quit *quit)
{
    mcph_list_remove(&quit->link);
    free(quit);
}

static void
on_quit(struct mcph_operation *op, const struct mcph_client_answer *answer)
{
    struct quit *quit = MCPH_CONTAINER_OF(op, struct quit, op);
    struct mcph_instance *inst = quit->instance;

    (void)answer;
    quit_free(quit);
    mcph_instance_call_ended(inst);
}

static bool
is_over(const struct mcph_task *task)
{
    int status = atomic_load(&task->status);

    return status == MCPHOST_TASK_COMPLETED || status == MCPHOST_TASK_FAILED ||
           status == MCPHOST_TASK_CANCELLED;
}

void
mcph_task_cancel(mcphost_call *call)
{
    struct mcph_task *task = call->task;
    mcphost *host = call->host;
    struct mcph_instance *inst;
    struct quit *quit;

    if (!call->active || !task->follows || is_over(task) ||
        find_instance(call, &inst) <= 0)
        return;
    quit = mcph_zalloc(sizeof(*quit), task->id_len + 1);
    if (!quit)
        return;
    memcpy(quit->id, task->id, task->id_len + 1);
    quit->instance = inst;
    quit->op = (struct mcph_operation){.method = &mcph_methods[MCPH_METHOD_CANCEL_TASK],
                                       .name = mcph_span(quit->id, task->id_len),
                                       .timeout_ms = LOOK_MS,
                                       .max_ms = LOOK_MS,
                                       .done = on_quit};
    mcph_list_append(&host->quits, &quit->link);
    mcph_instance_call_began(inst, mcph_core_now(host->core) + LOOK_MS);
    if (mcph_operation_start(inst->client, &quit->op, NULL) < 0) {
        quit_free(quit);
        mcph_instance_call_ended(inst);
    }
}

void
mcph_tasks_done(mcphost *host)
{
    while (!mcph_list_empty(&host->quits))
        quit_free(MCPH_LIST_ENTRY(host->quits.next, struct quit, link));
}

/* ---- events of servers ------------------------------------------------------------- */

static mcphost_call *
call_of(struct mcph_list *it)
{
    return MCPH_LIST_ENTRY(it, mcphost_call, link);
}

/* Returns true if the call follows a task of this server. */
static bool
is_at(mcphost_call *call, const struct mcph_server *server)
{
    return call->task && call->task->follows &&
           mcph_host_find_server(call->host, call->target.block) == server;
}

/* Moves the next tasks/get to an earlier time, but not to a later time.  Otherwise, a
 * server that sends many notifications could delay this request without end. */
static void
look_soon(struct mcph_task *task)
{
    int64_t at = mcph_core_now(task->call->host->core) + LEAST_MS;

    if (!mcph_timer_is_set(&task->timer) || task->timer.due > at)
        look_in(task, LEAST_MS);
}

void
mcph_task_notified(struct mcph_instance *inst, struct mcph_span task, mcphost *host)
{
    struct mcph_span id = mcph_json_get(task, "taskId");

    mcph_list_for_each (it, &host->calls) {
        mcphost_call *call = call_of(it);

        if (is_at(call, inst->owner) && !call->instance &&
            mcph_json_type(id) == MCPH_JSON_STRING &&
            mcph_json_string_is(id, call->task->id, call->task->id_len))
            look_soon(call->task);
    }
}

bool
mcph_tasks_need(const mcphost_lease *lease)
{
    mcphost *host = lease->host;

    mcph_list_for_each (it, &host->calls) {
        mcphost_call *call = call_of(it);

        if (call->dialog == lease->holder && is_at(call, lease->seat->owner))
            return true;
    }
    return false;
}

/* Returns true if the request about the task waits for the application's answer to a
 * question, or for the result of a legacy server.  Returns false while the request sends
 * an answer to the server, because sending must not be interrupted. */
static bool
waits_long(const mcphost_call *call)
{
    return call->task->ending || (call->op.rounds && !mcph_rpc_call_waits(&call->op.rpc));
}

void
mcph_tasks_leave(struct mcph_instance *inst, mcphost *host)
{
    mcph_list_for_each_safe (it, &host->calls) {
        mcphost_call *call = call_of(it);

        if (call->instance != inst || !call->task || !call->task->follows ||
            !waits_long(call))
            continue;
        mcph_operation_cancel(&call->op, NULL);
        call->task->ending = false;
        leave_instance(call);
        look_in(call->task, LEAST_MS);
    }
}

void
mcph_task_asks(mcphost_call *call)
{
    struct mcph_task *task = call->task;

    if (!task || !task->follows ||
        atomic_load(&task->status) == MCPHOST_TASK_INPUT_REQUIRED)
        return;
    atomic_store(&task->status, MCPHOST_TASK_INPUT_REQUIRED);
    emit_status(task, MCPH_SPAN_NONE);
}
