/* SPDX-License-Identifier: MIT
 *
 * endpoint.c - take frames in and hand each message to its request or to its callback.
 *
 * Frames are handled one at a time and in wire order, so that progress always comes
 * before the result that the progress belongs to.  This file queues nothing.
 *
 * The endpoint changes the bytes of only one kind of message: an answer with strings that
 * are not UTF-8.  mend_frame() copies the answer with U+FFFD in place of each wrong byte,
 * so that a spoiled text does not fail the whole call.  An answer that cannot be mended
 * counts as a broken answer.  All other messages with strings that are not UTF-8 are
 * garbage.
 */
#include <stdlib.h>

#include "rpc/rpc.h"
#include "rpc/pending.h"

static void
on_garbage(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    rpc->garbage_why = msg->why;
    rpc->garbage_at = mcph_core_round_now(rpc->core);
    if ((rpc->counters.garbage++ == 0 || rpc->tells_all_garbage) && rpc->ops->on_garbage)
        rpc->ops->on_garbage(rpc, msg);
}

/* Reports an answer with an id that no call has.  The server may have changed the id:
 * then one of the calls waits for this answer in vain. */
static void
on_foreign(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    rpc->counters.foreign++;
    if (rpc->ops->on_foreign)
        rpc->ops->on_foreign(rpc, msg);
}

static void
on_answer(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg, int code)
{
    struct mcph_rpc_call *call = mcph_rpc_pending_find(rpc, &msg->id);
    struct mcph_rpc_answer answer = {
        .code = code, .why = msg->why, .msg = msg, .frame = msg->frame};

    if (call && rpc->stream && call->stream && call->stream != rpc->stream)
        rpc->counters.wrong_stream++;
    else if (call)
        mcph_rpc_pending_finish(call, &answer);
    else if (msg->kind == MCPH_RPC_GARBAGE)
        on_garbage(rpc, msg);
    else if (!mcph_rpc_pending_miss(rpc, &msg->id) && rpc->n_calls > 0)
        on_foreign(rpc, msg);
}

/* Hands a progress notification to its request.  The id of a request is also its progress
 * token (MCP 2025-11-25, basic/utilities/progress). */
static void
on_progress(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_call *call = NULL;
    struct mcph_rpc_id token;

    if (mcph_rpc_id_parse(mcph_json_get(msg->params, "progressToken"), &token) == 0)
        call = mcph_rpc_pending_find(rpc, &token);
    if (!call) {
        rpc->counters.unknown_progress++;
        return;
    }
    mcph_rpc_pending_progress(call);
    if (call->on_progress)
        call->on_progress(call, msg);
}

/* Copies the frame with U+FFFD in place of each byte that is not UTF-8.  Returns NULL if
 * the frame would grow too much or memory is short. */
static struct mcph_frame *
mend_frame(const struct mcph_frame *frame)
{
    struct mcph_frame *mended = NULL;
    struct mcph_buf buf;
    size_t len = 0;
    char *data;

    mcph_buf_init(&buf, frame->len + MCPH_RPC_MEND_MAX);
    data = mcph_utf8_add_clean(&buf, frame->data, frame->len, false) == 0
               ? mcph_buf_steal(&buf, &len)
               : NULL;
    mcph_buf_done(&buf);
    if (data)
        mended = mcph_frame_take(data, data, len);
    if (mended)
        mended->wire_len = frame->wire_len;
    else
        free(data);
    return mended;
}

/* Mends an answer that was refused because a string is not UTF-8.  Handles the mended
 * answer.  Returns false if the message cannot be mended, or if the mended message is no
 * answer. */
static bool
on_bad_utf8(struct mcph_rpc *rpc, const struct mcph_rpc_message *bad)
{
    bool mendable = bad->is_answer && bad->frame->len <= MCPH_RPC_MEND_LEN;
    struct mcph_frame *frame = mendable ? mend_frame(bad->frame) : NULL;
    struct mcph_rpc_message msg;
    bool is_answer;

    if (!frame)
        return false;
    mcph_rpc_parse_frame(frame, rpc->depth, &msg);
    is_answer = msg.kind == MCPH_RPC_RESULT || msg.kind == MCPH_RPC_ERROR;
    if (is_answer) {
        if (rpc->counters.mended++ == 0 && rpc->ops->on_mended)
            rpc->ops->on_mended(rpc, &msg);
        on_answer(rpc, &msg, msg.kind == MCPH_RPC_ERROR ? MCPHOST_E_RPC : 0);
    }
    mcph_frame_unref(frame);
    return is_answer;
}

/* Handles an error whose id is null, because the peer could not read the request's id
 * (JSON-RPC 2.0).  If the error comes on the stream of a request, the error answers this
 * request.  Otherwise the owner gets the error as a stray error. */
static void
on_error_without_id(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_answer answer = {
        .code = MCPHOST_E_RPC, .why = msg->why, .msg = msg, .frame = msg->frame};
    struct mcph_rpc_call *call = mcph_rpc_find_stream(rpc, rpc->stream);

    if (call)
        mcph_rpc_settle(call, &answer);
    else if (rpc->ops->on_stray_error)
        rpc->ops->on_stray_error(rpc, msg);
}

static void
on_message(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    const struct mcph_rpc_ops *ops = rpc->ops;

    rpc->counters.messages++;
    switch (msg->kind) {
    case MCPH_RPC_RESULT:
        on_answer(rpc, msg, 0);
        break;
    case MCPH_RPC_ERROR:
        if (msg->id.kind != MCPH_RPC_ID_NONE)
            on_answer(rpc, msg, MCPHOST_E_RPC);
        else
            on_error_without_id(rpc, msg);
        break;
    case MCPH_RPC_REQUEST:
        if (ops->on_request)
            ops->on_request(rpc, msg);
        break;
    case MCPH_RPC_NOTIFICATION:
        if (mcph_rpc_method_is(msg, "notifications/progress"))
            on_progress(rpc, msg);
        else if (ops->on_notification)
            ops->on_notification(rpc, msg);
        break;
    default:
        if (msg->bad_utf8 && on_bad_utf8(rpc, msg))
            break;
        if (msg->is_answer)
            on_answer(rpc, msg, MCPHOST_E_PROTOCOL);
        else
            on_garbage(rpc, msg);
    }
}

static void
on_bad_batch(struct mcph_rpc *rpc, const struct mcph_rpc_message *batch, const char *why)
{
    struct mcph_rpc_message msg = *batch;

    msg.kind = MCPH_RPC_GARBAGE;
    msg.why = why;
    on_message(rpc, &msg);
}

static void
on_batch(struct mcph_rpc *rpc, const struct mcph_rpc_message *batch)
{
    struct mcph_rpc_message msg;
    struct mcph_json_iter it;
    struct mcph_span value;
    unsigned n = 0;

    /* Refuse a batch unless the protocol revision is 2025-03-26, because no other
     * revision has batches. */
    if (!rpc->allow_batch) {
        on_bad_batch(rpc, batch, "a batch, which this protocol version does not allow");
        return;
    }
    if (batch->whole.len > MCPH_RPC_BATCH_LEN) {
        on_bad_batch(rpc, batch, "a batch of too many bytes");
        return;
    }
    mcph_json_iter_init(&it, batch->whole);
    while (mcph_json_iter_next(&it, NULL, &value)) {
        if (++n > MCPH_RPC_BATCH_MAX) {
            on_bad_batch(rpc, batch,
                         "a batch of too many messages, of which the rest was dropped");
            return;
        }
        mcph_rpc_parse_element(value, &msg);
        msg.frame = batch->frame;
        on_message(rpc, &msg);
    }
}

/* Handles a message that is over the limit, or for which too little of the ration was
 * left.  The bytes of the message were discarded.  If the message is an answer and its id
 * was kept, the request gets MCPHOST_E_LIMIT.  Otherwise the message is garbage. */
static void
on_over(struct mcph_rpc *rpc, struct mcph_frame *frame)
{
    const struct mcph_frame_over *over = frame->over;
    struct mcph_rpc_message msg = {
        .why = over->starved ? "a message for which too little memory is left (see "
                               "MCPHOST_OPT_HELD_BYTES)"
                             : "a message larger than the limit",
        .frame = frame,
    };
    struct mcph_span token = mcph_span(over->id_len > 0 ? over->id : NULL, over->id_len);

    rpc->counters.messages++;
    rpc->counters.over_limit++;
    if (!over->has_method && (over->has_result || over->has_error) &&
        mcph_json_check(token, 1, NULL, NULL) == 0 &&
        mcph_rpc_id_parse(token, &msg.id) == 0 && msg.id.kind != MCPH_RPC_ID_NONE) {
        msg.kind = over->has_error ? MCPH_RPC_ERROR : MCPH_RPC_RESULT;
        on_answer(rpc, &msg, MCPHOST_E_LIMIT);
    } else {
        on_garbage(rpc, &msg);
    }
}

static void
on_parsed(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    if (msg->kind == MCPH_RPC_BATCH)
        on_batch(rpc, msg);
    else
        on_message(rpc, msg);
}

void
mcph_rpc_receive(struct mcph_rpc *rpc, struct mcph_frame *frame)
{
    struct mcph_rpc_message msg;

    if (frame->over) {
        on_over(rpc, frame);
        return;
    }
    mcph_rpc_parse_frame(frame, rpc->depth, &msg);
    on_parsed(rpc, &msg);
}

void
mcph_rpc_receive_parsed(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    if (rpc->depth > 0 && rpc->depth != MCPH_JSON_DEPTH)
        mcph_rpc_receive(rpc, msg->frame);
    else
        on_parsed(rpc, msg);
}
