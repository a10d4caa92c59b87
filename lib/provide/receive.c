/* SPDX-License-Identifier: MIT
 *
 * receive.c - messages of the client, from the transport to the functions that handle
 * them.
 *
 * The connection handles a message at once if the service is up and can be used, no
 * message waits in the inbox or in the outbox, and the connection has budget left in this
 * turn.  Otherwise the message waits in the inbox.  Bytes received and bytes sent use up
 * the budget.
 *
 * `initialize` begins the legacy era.  The first modern request begins the modern era,
 * unless its method is allowed before the era is decided (`early`).
 */
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

struct inbox_item {
    struct mcph_list link;
    struct mcph_frame *frame;
    uint64_t stream;
};

/* ---- requests ---------------------------------------------------------------------- */

static void
refuse_unknown(struct mcph_connection *c, const struct request *req)
{
    mcph_reply_refuse(c, req, MCPH_RPC_METHOD_NOT_FOUND, "Method not found");
}

/* Checks a request that comes before the era is decided.  Returns true if the client may
 * speak the legacy era, and the request's method belongs to this era and may come first.
 * Otherwise refuses the request and returns false. */
static bool
begin_legacy(struct mcph_connection *c, const struct conn_method *method,
             const struct request *req)
{
    bool early = method && method->early;

    if (c->spec.era == MCPHOST_ERA_MODERN)
        mcph_modern_refuse_version(c, req, mcph_json_get(req->params, "protocolVersion"));
    else if (!early)
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_REQUEST,
                          "initialize must be sent first");
    else if (method->eras == CONN_IN_MODERN)
        refuse_unknown(c, req);
    else
        return true;
    return false;
}

/* Checks that a request fits the era of the connection.  The first modern request that is
 * not `early` begins the modern era here.  Returns false if the request was refused or
 * the connection is over. */
static bool
decide_era(struct mcph_connection *c, const struct conn_method *method,
           struct request *req)
{
    bool early = method && method->early;
    bool modern = early ? method->eras == CONN_IN_MODERN : mcph_modern_is(req);

    if (c->era == CONN_ERA_LEGACY)
        return true;
    if (c->era == CONN_UNDECIDED && (!modern || c->spec.era == MCPHOST_ERA_LEGACY))
        return begin_legacy(c, method, req);
    if (!mcph_modern_read(c, req))
        return false;
    if (c->era == CONN_UNDECIDED && !early) {
        c->era = CONN_ERA_MODERN;
        c->version = CONN_MODERN;
        mcph_conn_ready(c);
    }
    return !conn_is_over(c);
}

static void
handle_request(struct mcph_connection *c, struct request *req)
{
    const struct conn_method *method = mcph_conn_find_method(req->msg->method);
    unsigned era;

    if (!decide_era(c, method, req))
        return;
    era = req->modern ? CONN_IN_MODERN : CONN_IN_LEGACY;
    if (!method || !(method->eras & era) ||
        (method->needs && !(mcph_conn_offers(c) & method->needs)))
        refuse_unknown(c, req);
    else
        method->handle(c, method, req);
}

static void
on_request(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_connection *c = MCPH_CONTAINER_OF(rpc, struct mcph_connection, rpc);
    struct request req = {.msg = msg, .level = CONN_LEVEL_NONE};
    struct mcph_span meta;

    if (conn_is_over(c))
        return;
    if (msg->id.raw.len > CONN_ID_MAX) {
        mcph_reply_error_on(c, MCPH_SPAN_NONE, MCPH_RPC_INVALID_REQUEST,
                            "the id is too long", MCPH_SPAN_NONE, c->stream);
        return;
    }
    if (mcph_inbound_find(c, &msg->id)) {
        mcph_reply_refuse(c, &req, MCPH_RPC_INVALID_REQUEST,
                          "a request with this id is already in flight");
        return;
    }
    if (c->meter.spent - c->spent_before > CONN_BATCH_COST) {
        mcph_reply_refuse(c, &req, CONN_CODE_UNAVAILABLE, "the batch has too much work");
        return;
    }
    if (c->broken) {
        mcph_reply_refuse(c, &req, MCPH_RPC_INTERNAL_ERROR,
                          mcphost_error_get_message(c->broken));
        return;
    }
    if (mcph_json_type(msg->params) == MCPH_JSON_ARRAY) {
        mcph_reply_refuse(c, &req, MCPH_RPC_INVALID_PARAMS, "params must be an object");
        return;
    }
    req.params = msg->params;
    meta = mcph_json_get(msg->params, "_meta");
    if (mcph_json_type(meta) == MCPH_JSON_OBJECT)
        req.meta = meta;
    handle_request(c, &req);
}

/* ---- notifications and invalid messages -------------------------------------------- */

static void
on_notification(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_connection *c = MCPH_CONTAINER_OF(rpc, struct mcph_connection, rpc);

    if (conn_is_over(c))
        return;
    if (mcph_rpc_method_is(msg, "notifications/cancelled"))
        mcph_inbound_cancel(c, msg);
    else if (mcph_rpc_method_is(msg, "notifications/initialized"))
        c->initialized = c->era == CONN_ERA_LEGACY;
}

/* Returns the error code for a text that is too long, is not JSON, or is JSON but not a
 * message. */
static int64_t
garbage_code(const struct mcph_rpc_message *msg)
{
    const struct mcph_frame *frame = msg->frame;
    int r;

    if (frame->over)
        return MCPH_RPC_INVALID_REQUEST;
    r = frame->envelope ? frame->envelope->code
                        : mcph_json_check(mcph_frame_span(frame), 0, NULL, NULL);
    return r < 0 ? MCPH_RPC_PARSE_ERROR : MCPH_RPC_INVALID_REQUEST;
}

static struct mcph_span
id_of(const struct mcph_rpc_message *msg)
{
    const struct mcph_frame_over *over = msg->frame->over;
    struct mcph_span token = msg->id.raw;
    struct mcph_rpc_id id;

    if (over)
        token = mcph_span(over->id_len > 0 ? over->id : NULL, over->id_len);
    if (token.len > CONN_ID_MAX || mcph_json_check(token, 1, NULL, NULL) < 0 ||
        mcph_rpc_id_parse(token, &id) < 0)
        return MCPH_SPAN_NONE;
    return token;
}

/* Counts an invalid message.  Answers the message, or ends the connection after too many
 * invalid messages.  The id in the answer is null if the message's id cannot be read
 * (JSON-RPC 2.0, "Response object").  An invalid message that looks like a response gets
 * no answer. */
static void
on_garbage(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_connection *c = MCPH_CONTAINER_OF(rpc, struct mcph_connection, rpc);

    if (conn_is_over(c))
        return;
    if (++c->n_garbage > c->spec.max_garbage) {
        mcph_conn_end(c, MCPHOST_E_PROTOCOL,
                      "the client sent too many lines that are not protocol messages");
        return;
    }
    if (!msg->is_answer)
        mcph_reply_error_on(c, id_of(msg), garbage_code(msg), msg->why, MCPH_SPAN_NONE,
                            c->stream);
}

static const struct mcph_rpc_ops rpc_ops = {
    .on_request = on_request,
    .on_notification = on_notification,
    .on_garbage = on_garbage,
};

/* ---- the inbox --------------------------------------------------------------------- */

static void
handle_frame(struct mcph_connection *c, struct mcph_frame *frame, uint64_t stream)
{
    mcph_meter_spend(&c->meter, frame->len + MCPH_TURN_MESSAGE);
    c->spent_before = c->meter.spent;
    c->stream = stream;
    mcph_rpc_receive(&c->rpc, frame);
}

static struct mcph_frame *
take_item(struct mcph_connection *c, uint64_t *ret_stream)
{
    struct inbox_item *item = MCPH_LIST_ENTRY(c->inbox.next, struct inbox_item, link);
    struct mcph_frame *frame = item->frame;

    *ret_stream = item->stream;
    mcph_list_remove(&item->link);
    c->n_inbox--;
    c->inbox_bytes -= frame->len;
    free(item);
    return frame;
}

static void
run_inbox(struct mcph_job *job)
{
    struct mcph_connection *c = MCPH_CONTAINER_OF(job, struct mcph_connection, inbox_job);
    uint64_t stream;

    c->inbox_posted = false;
    while (!conn_is_over(c) && c->n_inbox > 0 && c->outbox.n == 0) {
        struct mcph_frame *frame;

        if (mcph_meter_left(&c->meter, c->core) == 0) {
            c->inbox_posted = true;
            mcph_core_post_later(c->core, &c->inbox_job);
            return;
        }
        frame = take_item(c, &stream);
        handle_frame(c, frame, stream);
        mcph_frame_unref(frame);
    }
    if (c->broken && !conn_is_over(c) && c->n_inbox == 0)
        mcph_conn_end_with(c, mcphost_error_ref(c->broken));
    mcph_conn_check_drain(c);
}

void
mcph_conn_receive_go_on(struct mcph_connection *c)
{
    if (c->inbox_posted || c->outbox.n > 0)
        return;
    c->inbox_posted = true;
    mcph_core_post(c->core, &c->inbox_job);
}

static void
queue_frame(struct mcph_connection *c, struct mcph_frame *frame, uint64_t stream)
{
    struct inbox_item *item;

    if (c->n_inbox >= CONN_INBOX_MAX || frame->len > c->spec.max_bytes - c->inbox_bytes) {
        mcph_conn_end(c, MCPHOST_E_LIMIT,
                      "the client sends faster than its messages can be handled");
        return;
    }
    item = malloc(sizeof(*item));
    if (!item) {
        mcph_conn_end(c, MCPHOST_E_NOMEM, "a message cannot be queued");
        return;
    }
    item->frame = mcph_frame_ref(frame);
    item->stream = stream;
    mcph_list_append(&c->inbox, &item->link);
    c->n_inbox++;
    c->inbox_bytes += frame->len;
    if (c->is_up)
        mcph_conn_receive_go_on(c);
}

static void
on_message(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame, void *arg)
{
    struct mcph_connection *c = arg;

    (void)t;
    if (!c->is_up || c->n_inbox > 0 || c->broken || c->outbox.n > 0 ||
        mcph_meter_left(&c->meter, c->core) == 0)
        queue_frame(c, frame, stream);
    else
        handle_frame(c, frame, stream);
}

static void
on_closed(struct mcph_transport *t, uint64_t stream, mcphost_error *reason, void *arg)
{
    struct mcph_connection *c = arg;

    (void)t;
    if (stream == 0)
        mcph_conn_end_with(c, mcphost_error_ref(reason));
}

static void
on_half_closed(struct mcph_transport *t, mcphost_error *reason, void *arg)
{
    (void)t;
    mcph_conn_half_closed(arg, reason);
}

const struct mcph_transport_user mcph_conn_receive_user = {
    .message = on_message,
    .half_closed = on_half_closed,
    .closed = on_closed,
};

void
mcph_conn_receive_init(struct mcph_connection *c)
{
    mcph_rpc_init(&c->rpc, c->core, &rpc_ops);
    c->rpc.depth = c->spec.depth;
    c->rpc.tells_all_garbage = true;
    mcph_list_init(&c->inbox);
    c->inbox_job.run = run_inbox;
    mcph_list_init(&c->inbox_job.link);
}

void
mcph_conn_receive_done(struct mcph_connection *c)
{
    uint64_t stream;

    if (c->inbox_posted)
        mcph_core_unpost(c->core, &c->inbox_job);
    while (!mcph_list_empty(&c->inbox))
        mcph_frame_unref(take_item(c, &stream));
}
