/* SPDX-License-Identifier: MIT
 *
 * inbound.c - the client's requests in flight, found by their ids.
 *
 *   asked --> begun by the service --answer, failure--> answered
 *                 \__ cancelled, late, connection over __ abandoned
 *
 * A "work" is one request that the service carries out.  mcph_served_answer() and
 * mcph_served_fail() remove a work that is not parked from all tables before they send
 * its answer, because sending may end the connection.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

/* ---- ids --------------------------------------------------------------------------- */

/* Makes a key from the type and the value of an id, for example "i7" for the number 7 and
 * "sseven" for the string "seven".  Returns the length of the key.  Returns 0 if no
 * request in flight can have this id, or if memory is short. */
static size_t
make_key(const struct mcph_rpc_id *id, char key[CONN_KEY_MAX])
{
    struct mcph_buf buf;
    struct mcph_span text = MCPH_SPAN_NONE;
    size_t len = 0;

    mcph_buf_init(&buf, CONN_KEY_MAX);
    if (id->kind == MCPH_RPC_ID_INT) {
        mcph_buf_addc(&buf, 'i');
        mcph_buf_addi(&buf, id->n);
        text = mcph_span(buf.data, buf.len);
    } else if (id->raw.len <= CONN_ID_MAX &&
               mcph_json_string_get(id->raw, &buf, &text) == 0) {
        key[len++] = 's';
    }
    if (text.p && mcph_buf_ok(&buf) == 0) {
        memcpy(key + len, text.p, text.len);
        len += text.len;
    } else {
        len = 0;
    }
    mcph_buf_done(&buf);
    return len;
}

int
mcph_inbound_bind(struct mcph_connection *c, struct inbound *in,
                  const struct request *req)
{
    const struct mcph_rpc_id *id = &req->msg->id;
    int r;

    in->key_len = make_key(id, in->key);
    if (in->key_len == 0)
        return MCPHOST_E_NOMEM;
    r = mcph_map_put(&c->by_id, in->key, in->key_len, in, NULL);
    if (r < 0)
        return r;
    memcpy(in->id, id->raw.p, id->raw.len);
    in->id_len = id->raw.len;
    in->stream = c->stream;
    in->bound = true;
    return 0;
}

void
mcph_inbound_unbind(struct mcph_connection *c, struct inbound *in)
{
    if (in->bound)
        mcph_map_remove(&c->by_id, in->key, in->key_len);
    in->bound = false;
}

struct inbound *
mcph_inbound_find(struct mcph_connection *c, const struct mcph_rpc_id *id)
{
    char key[CONN_KEY_MAX];
    size_t len = c->by_id.n > 0 ? make_key(id, key) : 0;

    return len > 0 ? mcph_map_get(&c->by_id, key, len) : NULL;
}

/* ---- the end of a work ------------------------------------------------------------- */

/* Removes a work from all tables, withdraws its questions, and stops its timer. */
static void
detach_work(struct work *work)
{
    struct mcph_connection *c = work->served.connection;

    mcph_asks_forget(work);
    mcph_parked_drop(work);
    if (work->round_posted)
        mcph_core_unpost(c->core, &work->round);
    work->round_posted = false;
    mcph_inbound_unbind(c, &work->in);
    if (!mcph_list_empty(&work->in.link)) {
        mcph_list_remove(&work->in.link);
        c->n_works--;
        c->bytes -= work->cost;
    }
    mcph_timer_done(&work->timer);
}

static void
work_free(struct work *work)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(work->texts); i++)
        free(work->texts[i]);
    mcph_frame_unref(work->frame);
    free(work);
}

/* Updates the log level after a request has ended.  Continues a close that waited for the
 * request. */
static void
after_request(struct mcph_connection *c)
{
    if (conn_is_over(c))
        return;
    mcph_work_check_level(c);
    mcph_conn_check_drain(c);
}

void
mcph_work_abandon(struct work *work)
{
    struct mcph_connection *c = work->served.connection;

    detach_work(work);
    if (!work->answered)
        c->service->ops->abandon(c->service, &work->served);
    work_free(work);
    after_request(c);
}

void
mcph_inbound_abandon_all(struct mcph_connection *c)
{
    while (!mcph_list_empty(&c->inbound)) {
        struct inbound *in = MCPH_LIST_ENTRY(c->inbound.next, struct inbound, link);

        if (in->kind == INBOUND_LISTEN)
            mcph_conn_listen_end(c, MCPH_CONTAINER_OF(in, struct listen, in));
        else
            mcph_work_abandon(MCPH_CONTAINER_OF(in, struct work, in));
    }
}

void
mcph_inbound_cancel(struct mcph_connection *c, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_id id;
    struct inbound *in = NULL;

    if (mcph_json_type(msg->params) == MCPH_JSON_OBJECT &&
        mcph_rpc_id_parse(mcph_json_get(msg->params, "requestId"), &id) == 0)
        in = mcph_inbound_find(c, &id);
    if (in && in->kind == INBOUND_LISTEN)
        mcph_conn_listen_end(c, MCPH_CONTAINER_OF(in, struct listen, in));
    else if (in)
        mcph_work_abandon(MCPH_CONTAINER_OF(in, struct work, in));
}

/* ---- the time limit of a work ------------------------------------------------------ */

void
mcph_work_start_clock(struct work *work)
{
    struct mcph_connection *c = work->served.connection;

    if (work->left >= 0)
        mcph_timer_set(&work->timer, mcph_core_now(c->core) + work->left);
}

void
mcph_work_stop_clock(struct work *work)
{
    struct mcph_connection *c = work->served.connection;

    if (!mcph_timer_is_set(&work->timer))
        return;
    work->left = work->timer.due - mcph_core_now(c->core);
    if (work->left < 0)
        work->left = 0;
    mcph_timer_cancel(&work->timer);
}

static void
on_due(struct mcph_timer *timer)
{
    struct work *work = MCPH_CONTAINER_OF(timer, struct work, timer);
    struct mcph_connection *c = work->served.connection;

    if (!work->parked)
        mcph_reply_error_on(c, inbound_id(&work->in), CONN_CODE_TIMEOUT,
                            "the request took too long", MCPH_SPAN_NONE, work->in.stream);
    mcph_work_abandon(work);
}

/* ---- answers ----------------------------------------------------------------------- */

void
mcph_served_answer(struct mcph_served *served, struct mcph_frame *frame,
                   struct mcph_span result)
{
    struct work *work = work_of(served);
    struct mcph_connection *c = served->connection;

    if (work->parked) {
        mcph_parked_keep(work, frame, result, 0, NULL);
        return;
    }
    detach_work(work);
    mcph_reply_result(c, &work->in, work->modern, served->method == MCPH_PROVIDE_READ,
                      result);
    work_free(work);
    after_request(c);
}

static int64_t
code_of(const struct work *work, int code)
{
    bool reads = work->served.method == MCPH_PROVIDE_READ;

    switch (code) {
    case MCPHOST_E_NOTFOUND:
        return reads && !work->modern ? CONN_CODE_NO_RESOURCE : MCPH_RPC_INVALID_PARAMS;
    case MCPHOST_E_INVALID:
        return MCPH_RPC_INVALID_PARAMS;
    case MCPHOST_E_TIMEOUT:
        return CONN_CODE_TIMEOUT;
    case MCPHOST_E_CLOSED:
    case MCPHOST_E_TRANSPORT:
        return CONN_CODE_UNAVAILABLE;
    default:
        return MCPH_RPC_INTERNAL_ERROR;
    }
}

/* Refuses a read of an unknown resource.  The error data names the URI (MCP, "Resources",
 * "Error Handling"). */
static void
reply_not_found(const struct work *work, int64_t code, const char *message)
{
    struct mcph_connection *c = work->served.connection;
    struct mcph_span name = work->served.name, data;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 6 * name.len + 64);
    mcph_buf_adds(&buf, "{\"uri\":");
    mcph_json_add_string(&buf, name.p, name.len);
    mcph_buf_addc(&buf, '}');
    data = mcph_buf_ok(&buf) == 0 ? mcph_span(buf.data, buf.len) : MCPH_SPAN_NONE;
    mcph_reply_error_on(c, inbound_id(&work->in), code, message, data, work->in.stream);
    mcph_buf_done(&buf);
}

/* Returns the JSON-RPC code of an error.  In the modern era, replaces the code of an
 * unknown resource by Invalid params (-32602), as MCP 2026-07-28 requires. */
static int64_t
rpc_code_of(const struct work *work, const mcphost_error *error)
{
    int64_t code = mcphost_error_get_rpc_code(error);

    return work->modern && code == CONN_CODE_NO_RESOURCE ? MCPH_RPC_INVALID_PARAMS : code;
}

/* Passes on a JSON-RPC error with its code, message and data.  Puts the data on one line.
 * Leaves out data of more than spec.max_result bytes. */
static void
reply_rpc_error(const struct work *work, const mcphost_error *error)
{
    struct mcph_connection *c = work->served.connection;
    struct mcph_span data = MCPH_SPAN_NONE;
    struct mcph_buf buf;
    char *message;

    message = mcph_strndup(mcphost_error_get_message(error), mcph_err_rpc_len(error));
    data.p = mcphost_error_get_rpc_data(error, &data.len);
    mcph_buf_init(&buf, data.len);
    if (data.p && data.len <= c->spec.max_result && mcph_rpc_add_oneline(&buf, data) == 0)
        data = mcph_span(buf.data, buf.len);
    else
        data = MCPH_SPAN_NONE;
    mcph_reply_error_on(c, inbound_id(&work->in), rpc_code_of(work, error),
                        message ? message : "", data, work->in.stream);
    mcph_buf_done(&buf);
    free(message);
}

static void
reply_failure(const struct work *work, int code, const mcphost_error *error)
{
    int64_t rpc_code = code_of(work, code);
    const char *message =
        error ? mcphost_error_get_message(error) : mcphost_strerror(code);

    if (code == MCPHOST_E_RPC && error)
        reply_rpc_error(work, error);
    else if (code == MCPHOST_E_NOTFOUND && work->served.method == MCPH_PROVIDE_READ)
        reply_not_found(work, rpc_code, message);
    else
        mcph_reply_error_on(work->served.connection, inbound_id(&work->in), rpc_code,
                            message, MCPH_SPAN_NONE, work->in.stream);
}

void
mcph_served_fail(struct mcph_served *served, int code, mcphost_error *error)
{
    struct work *work = work_of(served);
    struct mcph_connection *c = served->connection;

    if (work->parked) {
        mcph_parked_keep(work, NULL, MCPH_SPAN_NONE, code, error);
        return;
    }
    detach_work(work);
    reply_failure(work, code, error);
    work_free(work);
    after_request(c);
}

void
mcph_served_report(struct mcph_served *served, double progress, double total,
                   const char *text)
{
    struct work *work = work_of(served);
    struct mcph_connection *c = served->connection;
    struct mcph_buf params;

    if (work->token_len == 0 || work->parked || !(progress > work->progress) ||
        !isfinite(progress) || conn_is_over(c) || mcph_outbox_is_due(c))
        return;
    work->progress = progress;
    mcph_buf_init(&params, work->token_len + (text ? 6 * strlen(text) : 0) + 256);
    mcph_json_add_key(&params, "progressToken");
    mcph_buf_add(&params, work->token, work->token_len);
    mcph_json_add_key(&params, "progress");
    mcph_json_add_double(&params, progress);
    if (isfinite(total)) {
        mcph_json_add_key(&params, "total");
        mcph_json_add_double(&params, total);
    }
    if (text)
        mcph_json_add_member(&params, "message", text);
    if (mcph_buf_ok(&params) == 0) /* if memory is short, the report is dropped */
        mcph_reply_notify(c, "notifications/progress", mcph_span(params.data, params.len),
                          MCPH_SPAN_NONE, work->in.stream);
    mcph_buf_done(&params);
}

/* ---- levels of log messages -------------------------------------------------------- */

void
mcph_work_check_level(struct mcph_connection *c)
{
    int level = c->level;

    mcph_list_for_each_entry (in, &c->inbound, const struct inbound, link) {
        const struct work *work = MCPH_CONTAINER_OF(in, struct work, in);

        if (in->kind == INBOUND_WORK && work->level < level)
            level = work->level;
    }
    if (level != c->told_level && c->service->ops->set_level)
        c->service->ops->set_level(c->service, level);
    c->told_level = level;
}

/* ---- a new work -------------------------------------------------------------------- */

static struct work *
work_new(struct mcph_connection *c, const struct conn_method *method,
         const struct request *req)
{
    struct work *work = calloc(1, sizeof(*work));

    if (!work)
        return NULL;
    if (mcph_timer_init(&work->timer, c->core, on_due) < 0) {
        free(work);
        return NULL;
    }
    mcph_list_init(&work->in.link);
    mcph_list_init(&work->asks);
    mcph_list_init(&work->round.link);
    work->round.run = mcph_parked_run_round;
    work->served.connection = c;
    work->served.method = method->what;
    work->served.meta = req->meta;
    work->method = method;
    work->modern = req->modern;
    work->params = req->params;
    work->frame = mcph_frame_ref(req->msg->frame);
    work->cost = req->msg->frame->len + sizeof(*work);
    work->left = c->spec.request_ms;
    return work;
}

void
mcph_work_take_request(struct work *work, const struct request *req)
{
    struct mcph_span token = mcph_json_get(req->meta, "progressToken");
    int type = mcph_json_type(token);

    work->can_ask = req->modern ? req->asks : work->served.connection->asks;
    work->level = req->level;
    work->progress = -INFINITY;
    work->token_len = 0;
    if ((type == MCPH_JSON_STRING || type == MCPH_JSON_NUMBER) &&
        token.len <= CONN_ID_MAX) {
        memcpy(work->token, token.p, token.len);
        work->token_len = token.len;
    }
    work->served.wants_progress = work->token_len > 0;
    work->served.level = req->modern ? req->level : work->served.connection->level;
    if (work->served.level == CONN_LEVEL_NONE)
        work->served.level = -1;
}

/* Decodes a JSON string into one of the work's texts. */
static int
take_text(struct work *work, size_t i, struct mcph_span token, struct mcph_span *ret)
{
    int r;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return MCPHOST_E_INVALID;
    r = mcph_json_string_dup(token, &work->texts[i]);
    if (r == 0)
        *ret = mcph_span_str(work->texts[i]);
    return r;
}

/* Takes the arguments of a request.  Missing or null arguments become an empty object.
 * Other arguments must be an object. */
static int
take_arguments(struct work *work, struct mcph_span arguments)
{
    int type = mcph_json_type(arguments);

    if (type == MCPH_JSON_ANY || type == MCPH_JSON_NULL)
        arguments = mcph_span_str("{}");
    else if (type != MCPH_JSON_OBJECT)
        return MCPHOST_E_INVALID;
    work->served.arguments = arguments;
    return 0;
}

static int
take_completion(struct work *work, const char **ret_why)
{
    struct mcph_span ref = mcph_json_get(work->params, "ref");
    struct mcph_span argument = mcph_json_get(work->params, "argument");
    struct mcph_span context = mcph_json_get(work->params, "context");
    struct mcph_span type;
    int r;

    *ret_why = "ref is missing or not valid";
    if (mcph_json_type(ref) != MCPH_JSON_OBJECT)
        return MCPHOST_E_INVALID;
    type = mcph_json_get(ref, "type");
    if (mcph_json_string_is(type, "ref/prompt", 10))
        work->served.kind = MCPHOST_FEATURE_PROMPT;
    else if (mcph_json_string_is(type, "ref/resource", 12))
        work->served.kind = MCPHOST_FEATURE_TEMPLATE;
    else
        return MCPHOST_E_INVALID;
    r = take_text(
        work, 0,
        mcph_json_get(ref, work->served.kind == MCPHOST_FEATURE_PROMPT ? "name" : "uri"),
        &work->served.name);
    if (r < 0)
        return r;
    *ret_why = "argument is missing or not valid";
    if (mcph_json_type(argument) != MCPH_JSON_OBJECT)
        return MCPHOST_E_INVALID;
    r = take_text(work, 1, mcph_json_get(argument, "name"), &work->served.argument);
    if (r == 0)
        r = take_text(work, 2, mcph_json_get(argument, "value"), &work->served.value);
    if (r < 0)
        return r;
    *ret_why = "context is not valid";
    if (mcph_json_type(context) != MCPH_JSON_OBJECT)
        return context.p ? MCPHOST_E_INVALID : take_arguments(work, MCPH_SPAN_NONE);
    return take_arguments(work, mcph_json_get(context, "arguments"));
}

/* Reads the params for the service.  Returns 0, MCPHOST_E_INVALID or MCPHOST_E_NOMEM. */
static int
take_params(struct work *work, const char **ret_why)
{
    int r;

    *ret_why = "params are missing";
    if (!work->params.p)
        return MCPHOST_E_INVALID;
    if (work->served.method == MCPH_PROVIDE_COMPLETE)
        return take_completion(work, ret_why);
    if (work->served.method == MCPH_PROVIDE_READ) {
        *ret_why = "the uri is missing";
        work->served.arguments = mcph_span_str("{}");
        return take_text(work, 0, mcph_json_get(work->params, "uri"), &work->served.name);
    }
    *ret_why = "the name is missing";
    r = take_text(work, 0, mcph_json_get(work->params, "name"), &work->served.name);
    if (r < 0)
        return r;
    *ret_why = "arguments must be an object";
    return take_arguments(work, mcph_json_get(work->params, "arguments"));
}

/* Returns why a new request is refused, or NULL if the request is accepted. */
static const char *
refusal_of(const struct mcph_connection *c, const struct mcph_frame *frame)
{
    if (c->state == CONN_CLOSING)
        return "the server is closing";
    if (c->n_works >= c->spec.max_requests)
        return "too many requests are in flight";
    if (c->n_works > 0 &&
        (c->bytes > c->spec.max_bytes || frame->len > c->spec.max_bytes - c->bytes))
        return "the requests in flight are too large";
    return NULL;
}

/* Returns true if a tool result, and not a JSON-RPC error, must report the error `code`
 * to the client (MCP 2025-11-25, "Tools", "Error Handling").  The model can then correct
 * its arguments.  Older versions report invalid arguments as a JSON-RPC error. */
static bool
tells_model(const struct work *work, int code)
{
    const char *version = work->served.connection->version;

    return code == MCPHOST_E_INVALID && work->served.method == MCPH_PROVIDE_CALL &&
           (work->modern || strcmp(version, CONN_LEGACY) == 0);
}

static void
reply_tool_error(const struct work *work, const char *message)
{
    struct mcph_connection *c = work->served.connection;
    struct mcph_buf *buf;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, inbound_id(&work->in), work->modern);
    mcph_json_add_key(buf, "content");
    mcph_buf_adds(buf, "[{\"type\":\"text\"");
    mcph_json_add_member(buf, "text", message);
    mcph_buf_adds(buf, "}],\"isError\":true}}");
    mcph_reply_commit(c, buf, 0, MCPH_SEND_RESPONSE, work->in.stream);
}

static void
begin_work(struct mcph_connection *c, struct work *work)
{
    mcphost_error *error = NULL;
    int r = c->service->ops->begin(c->service, &work->served, &error);

    if (r < 0) {
        detach_work(work);
        if (tells_model(work, r) && error)
            reply_tool_error(work, mcphost_error_get_message(error));
        else
            reply_failure(work, r, error);
        work_free(work);
    } else {
        mcph_work_start_clock(work);
    }
    mcphost_error_unref(error);
    after_request(c);
}

void
mcph_inbound_request(struct mcph_connection *c, const struct conn_method *method,
                     const struct request *req)
{
    struct work *work;
    const char *why;
    int r = MCPHOST_E_NOMEM;

    if (mcph_parked_take_up(c, method, req))
        return;
    why = refusal_of(c, req->msg->frame);
    if (why) {
        mcph_reply_refuse(c, req, CONN_CODE_UNAVAILABLE, why);
        return;
    }
    why = "out of memory";
    work = work_new(c, method, req);
    if (work) {
        mcph_work_take_request(work, req);
        r = take_params(work, &why);
    }
    if (r == 0)
        r = mcph_inbound_bind(c, &work->in, req);
    if (r == 0) {
        mcph_list_append(&c->inbound, &work->in.link);
        c->n_works++;
        c->bytes += work->cost;
        begin_work(c, work);
        return;
    }
    if (r == MCPHOST_E_INVALID)
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS, why);
    else
        mcph_reply_refuse(c, req, MCPH_RPC_INTERNAL_ERROR, "out of memory");
    if (work) {
        mcph_timer_done(&work->timer);
        work_free(work);
    }
}
