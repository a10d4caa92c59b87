/* SPDX-License-Identifier: MIT
 *
 * parked.c - modern requests that were answered with questions (MCP 2026-07-28, "Multi
 * round-trip requests").
 *
 *   in flight --questions--> input_required sent, parked --sent again--> in flight
 *                                  \__ not in time: abandoned
 *
 * For the service, a parked request is still open.  The requestState is a random token.
 * The token is valid once, and only for the request that was parked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

#define TOKEN_BYTES 16

struct parked {
    struct mcph_list link; /* link in connection->parked */
    struct work *work;
    char token[2 * TOKEN_BYTES + 1];
    unsigned char digest[MCPH_DIGEST_LEN]; /* hash of the request, compared when the
                                            * client sends the request again */
    /* The answer, if the service has answered while the request is parked. */
    struct mcph_frame *frame;
    struct mcph_span result;
    int code;
    mcphost_error *error;
};

/* ---- answers to parked requests ---------------------------------------------------- */

void
mcph_parked_drop(struct work *work)
{
    struct parked *parked = work->parked;

    if (!parked)
        return;
    work->parked = NULL;
    mcph_list_remove(&parked->link);
    mcph_frame_unref(parked->frame);
    mcphost_error_unref(parked->error);
    free(parked);
}

void
mcph_parked_keep(struct work *work, struct mcph_frame *frame, struct mcph_span result,
                 int code, mcphost_error *error)
{
    struct mcph_connection *c = work->served.connection;
    struct parked *parked = work->parked;

    mcph_asks_forget(work);
    work->answered = true;
    parked->frame = frame ? mcph_frame_ref(frame) : NULL;
    parked->result = result;
    parked->code = code;
    parked->error = mcphost_error_ref(error);
    mcph_timer_set(&work->timer, mcph_core_now(c->core) + c->spec.ask_ms);
    mcph_conn_check_drain(c);
}

/* ---- parking a request ------------------------------------------------------------- */

/* Makes the hash of a request.  Two requests count as equal if they have the same method,
 * and their params have the same members, except `_meta`, `inputResponses` and
 * `requestState`.  Members that no method knows do not count. */
static int
digest_request(const struct conn_method *method, struct mcph_span params,
               unsigned char ret[MCPH_DIGEST_LEN])
{
    struct mcph_json_want want[] = {
        MCPH_JSON_WANT("name"), MCPH_JSON_WANT("uri"),      MCPH_JSON_WANT("arguments"),
        MCPH_JSON_WANT("ref"),  MCPH_JSON_WANT("argument"), MCPH_JSON_WANT("context")};
    struct mcph_buf buf;
    int r;

    (void)mcph_json_pick(params, want, MCPH_ARRAY_SIZE(want));
    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_adds(&buf, method->name);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(want); i++) {
        mcph_buf_addc(&buf, '\n');
        if (want[i].value.p)
            mcph_json_add_canonical(&buf, want[i].value);
    }
    r = mcph_buf_ok(&buf);
    if (r == 0)
        r = mcph_sha256(buf.data, buf.len, ret);
    mcph_buf_done(&buf);
    return r;
}

static struct parked *
parked_new(struct work *work)
{
    unsigned char random[TOKEN_BYTES];
    struct parked *parked = calloc(1, sizeof(*parked));

    if (!parked)
        return NULL;
    if (mcph_random_bytes(random, sizeof(random)) < 0 ||
        digest_request(work->method, work->params, parked->digest) < 0) {
        free(parked);
        return NULL;
    }
    mcph_hex(random, sizeof(random), parked->token);
    parked->work = work;
    return parked;
}

/* Adds each question in the form "ask-7":{"method":"...","params":{...}}. */
static int
add_questions(struct work *work, struct mcph_buf *buf)
{
    int r = 0;

    mcph_json_add_key(buf, "inputRequests");
    mcph_buf_addc(buf, '{');
    mcph_list_for_each_entry (ask, &work->asks, struct mcph_served_ask, link) {
        mcph_json_add_comma(buf);
        mcph_buf_addf(buf, "\"ask-%llu\":{", (unsigned long long)ask->number);
        mcph_json_add_member(buf, "method", mcph_ask_method(ask->kind));
        mcph_buf_adds(buf, ",\"params\":{");
        if (r == 0)
            r = mcph_asks_add_params(ask, true, buf);
        mcph_buf_adds(buf, "}}");
        ask->is_sent = true;
    }
    mcph_buf_addc(buf, '}');
    return r;
}

static void
send_questions(struct mcph_connection *c, struct work *work)
{
    struct mcph_buf *buf;
    int r;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_buf_adds(buf, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcph_buf_add(buf, work->in.id, work->in.id_len);
    mcph_buf_adds(buf, ",\"result\":{\"resultType\":\"input_required\"");
    r = add_questions(work, buf);
    mcph_json_add_member(buf, "requestState", work->parked->token);
    mcph_buf_adds(buf, "}}");
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, work->in.stream);
}

void
mcph_parked_run_round(struct mcph_job *job)
{
    struct work *work = MCPH_CONTAINER_OF(job, struct work, round);
    struct mcph_connection *c = work->served.connection;
    mcphost_error *error = NULL;

    work->round_posted = false;
    if (work->parked || mcph_list_empty(&work->asks) || conn_is_over(c))
        return;
    work->parked = parked_new(work);
    if (!work->parked) {
        mcph_err_nomem(&error);
        while (!mcph_list_empty(&work->asks))
            mcph_asks_settle(
                MCPH_LIST_ENTRY(work->asks.next, struct mcph_served_ask, link),
                MCPHOST_E_NOMEM, MCPH_SPAN_NONE, error);
        mcphost_error_unref(error);
        return;
    }
    mcph_list_append(&c->parked, &work->parked->link);
    mcph_inbound_unbind(c, &work->in);
    mcph_timer_set(&work->timer, mcph_core_now(c->core) + c->spec.ask_ms);
    send_questions(c, work);
}

void
mcph_parked_ask(struct work *work)
{
    if (work->parked || work->round_posted)
        return;
    work->round_posted = true;
    mcph_core_post(work->served.connection->core, &work->round);
}

/* ---- continuing a request ---------------------------------------------------------- */

static struct parked *
find_parked(struct mcph_connection *c, struct mcph_span state)
{
    mcph_list_for_each_entry (parked, &c->parked, struct parked, link) {
        if (mcph_json_string_is(state, parked->token, 2 * TOKEN_BYTES))
            return parked;
    }
    return NULL;
}

static struct mcph_served_ask *
first_sent(struct work *work)
{
    mcph_list_for_each_entry (ask, &work->asks, struct mcph_served_ask, link) {
        if (ask->is_sent)
            return ask;
    }
    return NULL;
}

/* Ends each question that was sent to the client, with the client's response.  A question
 * without a response is cancelled. */
static void
settle_all(struct work *work, struct mcph_span responses)
{
    mcphost_error *error = NULL;
    struct mcph_served_ask *ask;
    char key[32];

    mcph_err(&error, MCPHOST_E_CANCELLED, "the client did not answer");
    for (ask = first_sent(work); ask; ask = first_sent(work)) {
        struct mcph_span response;

        snprintf(key, sizeof(key), "ask-%llu", (unsigned long long)ask->number);
        response = mcph_json_get(responses, key);
        mcph_asks_settle(ask, response.p ? 0 : MCPHOST_E_CANCELLED, response,
                         response.p ? NULL : error);
    }
    mcphost_error_unref(error);
}

/* Sends the answer that the service gave while the request was parked. */
static void
give_answer(struct work *work)
{
    struct mcph_frame *frame = work->parked->frame;
    struct mcph_span result = work->parked->result;
    mcphost_error *error = mcphost_error_ref(work->parked->error);
    int code = work->parked->code;

    if (frame)
        mcph_frame_ref(frame);
    mcph_parked_drop(work);
    if (code == 0)
        mcph_served_answer(&work->served, frame, result);
    else
        mcph_served_fail(&work->served, code, error);
    mcph_frame_unref(frame);
    mcphost_error_unref(error);
}

static void
continue_work(struct mcph_connection *c, struct work *work, const struct request *req)
{
    struct mcph_span responses = mcph_json_get(req->params, "inputResponses");

    mcph_work_take_request(work, req);
    if (work->answered) {
        give_answer(work);
        return;
    }
    mcph_parked_drop(work);
    mcph_timer_cancel(&work->timer);
    if (mcph_json_type(responses) != MCPH_JSON_OBJECT)
        responses = mcph_span_str("{}");
    settle_all(work, responses);
    if (work->n_asks > 0)
        mcph_parked_ask(work);
    else if (!mcph_timer_is_set(&work->timer))
        mcph_work_start_clock(work);
    mcph_work_check_level(c);
}

bool
mcph_parked_take_up(struct mcph_connection *c, const struct conn_method *method,
                    const struct request *req)
{
    struct mcph_span state = MCPH_SPAN_NONE;
    unsigned char same[MCPH_DIGEST_LEN];
    struct parked *parked;

    if (req->modern && req->params.p)
        state = mcph_json_get(req->params, "requestState");
    if (!state.p)
        return false;
    parked = find_parked(c, state);
    if (!parked || digest_request(method, req->params, same) < 0 ||
        memcmp(same, parked->digest, sizeof(same)) != 0)
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS,
                          "the requestState does not belong to this request");
    else if (mcph_inbound_bind(c, &parked->work->in, req) < 0)
        mcph_reply_refuse(c, req, MCPH_RPC_INTERNAL_ERROR, "out of memory");
    else
        continue_work(c, parked->work, req);
    return true;
}
