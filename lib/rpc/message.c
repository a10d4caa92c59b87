/* SPDX-License-Identifier: MIT
 *
 * message.c - classify a JSON text: request, notification, answer, batch or garbage.
 *
 * The rules are JSON-RPC 2.0 as MCP narrows it (base protocol, all revisions).  Ids are
 * integers or strings, and never null in a request.  Every message must have
 * "jsonrpc":"2.0", so that a log line in JSON is not taken for an answer.
 */
#include <string.h>

#include "rpc/rpc.h"

/* Sets the name of the member for which the scan must look.  Here and in
 * classify_message(), members of a struct are set one by one.  To assign a whole struct
 * of this size, the compiler would use a string instruction.  Starting this instruction
 * takes longer than setting all members. */
static inline void
want_name(struct mcph_json_want *want, const char *name)
{
    want->name = name;
    want->name_len = strlen(name);
}

static inline void
want_all(struct mcph_json_want want[MCPH_N_MEMBERS])
{
    want_name(&want[MCPH_MEMBER_RESULT], "result");
    want_name(&want[MCPH_MEMBER_JSONRPC], "jsonrpc");
    want_name(&want[MCPH_MEMBER_ID], "id");
    want_name(&want[MCPH_MEMBER_METHOD], "method");
    want_name(&want[MCPH_MEMBER_PARAMS], "params");
    want_name(&want[MCPH_MEMBER_ERROR], "error");
}

/* Parses an integer that is written with zeros after a decimal point.  Some servers read
 * every number as floating point and then write an id as "7.0". */
static int
parse_whole(struct mcph_span token, int64_t *ret_n)
{
    const char *dot = memchr(token.p, '.', token.len);
    size_t len = dot ? (size_t)(dot - token.p) : 0;

    for (size_t i = len + 1; i < token.len; i++) {
        if (token.p[i] != '0')
            return MCPHOST_E_INVALID;
    }
    return mcph_json_int64(mcph_span(token.p, len), ret_n);
}

int
mcph_rpc_id_parse(struct mcph_span token, struct mcph_rpc_id *ret_id)
{
    struct mcph_rpc_id id = {.kind = MCPH_RPC_ID_NONE, .raw = token};

    switch (mcph_json_type(token)) {
    case MCPH_JSON_ANY:
    case MCPH_JSON_NULL:
        break;
    case MCPH_JSON_STRING:
        id.kind = MCPH_RPC_ID_STRING;
        break;
    case MCPH_JSON_NUMBER:
        if (mcph_json_int64(token, &id.n) < 0 && parse_whole(token, &id.n) < 0)
            return MCPHOST_E_INVALID;
        id.kind = MCPH_RPC_ID_INT;
        break;
    default:
        return MCPHOST_E_INVALID;
    }
    *ret_id = id;
    return 0;
}

bool
mcph_rpc_id_eq(const struct mcph_rpc_id *a, const struct mcph_rpc_id *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == MCPH_RPC_ID_INT)
        return a->n == b->n;
    return a->kind == MCPH_RPC_ID_NONE || mcph_json_string_eq(a->raw, b->raw);
}

bool
mcph_rpc_id_number(const struct mcph_rpc_id *id, int64_t *ret_n)
{
    struct mcph_span token = id->raw;
    int64_t n;

    if (id->kind == MCPH_RPC_ID_INT) {
        *ret_n = id->n;
        return true;
    }
    /* Refuse a sign and a leading zero, because the library writes neither into its
     * ids. */
    if (id->kind != MCPH_RPC_ID_STRING || token.len < 3 || token.p[1] < '1' ||
        mcph_json_int64(mcph_span(token.p + 1, token.len - 2), &n) < 0)
        return false;
    *ret_n = n;
    return true;
}

bool
mcph_rpc_id_answers(const struct mcph_rpc_id *own, const struct mcph_rpc_id *id)
{
    int64_t n;

    if (own->kind == MCPH_RPC_ID_INT)
        return mcph_rpc_id_number(id, &n) && n == own->n;
    return mcph_rpc_id_eq(own, id);
}

bool
mcph_rpc_method_is(const struct mcph_rpc_message *msg, const char *method)
{
    return mcph_json_string_is(msg->method, method, strlen(method));
}

static void
set_garbage(struct mcph_rpc_message *msg, const char *why)
{
    msg->kind = MCPH_RPC_GARBAGE;
    msg->why = why;
    msg->bad_utf8 = false;
}

static bool
is_version(struct mcph_span token)
{
    return mcph_json_string_is(token, "2.0", 3);
}

static void
classify_call(struct mcph_rpc_message *msg, bool has_id)
{
    int type = mcph_json_type(msg->params);

    if (mcph_json_type(msg->method) != MCPH_JSON_STRING) {
        set_garbage(msg, "the method is not a string");
    } else if (has_id && msg->id.kind == MCPH_RPC_ID_NONE) {
        set_garbage(msg, "the id of a request is null");
    } else if (type == MCPH_JSON_NULL || type == MCPH_JSON_ANY) {
        msg->params = MCPH_SPAN_NONE;
    } else if (type != MCPH_JSON_OBJECT && type != MCPH_JSON_ARRAY) {
        set_garbage(msg, "params are neither an object nor an array");
    }
}

static void
classify_answer(struct mcph_rpc_message *msg)
{
    /* Ignore a null result or a null error, because some servers send both members. */
    if (msg->result.p && mcph_json_is_null(msg->error))
        msg->error = MCPH_SPAN_NONE;
    if (msg->error.p && mcph_json_is_null(msg->result))
        msg->result = MCPH_SPAN_NONE;

    msg->kind = msg->error.p ? MCPH_RPC_ERROR : MCPH_RPC_RESULT;
    if (!msg->result.p && !msg->error.p)
        set_garbage(msg, "method, result and error are all missing");
    else if (msg->result.p && msg->error.p)
        set_garbage(msg, "both result and error are present");
    else if (msg->error.p && mcph_json_type(msg->error) != MCPH_JSON_OBJECT)
        set_garbage(msg, "the error is not an object");
    else if (msg->result.p && msg->id.kind == MCPH_RPC_ID_NONE)
        set_garbage(msg, "a result without an id");
    msg->is_answer = msg->kind == MCPH_RPC_GARBAGE && msg->id.kind != MCPH_RPC_ID_NONE;
}

static void
classify_message(struct mcph_span whole, const struct mcph_json_want want[MCPH_N_MEMBERS],
                 struct mcph_rpc_message *msg)
{
    msg->kind = MCPH_RPC_GARBAGE;
    msg->id.kind = MCPH_RPC_ID_NONE;
    msg->id.n = 0;
    msg->id.raw = MCPH_SPAN_NONE;
    msg->method = want[MCPH_MEMBER_METHOD].value;
    msg->params = want[MCPH_MEMBER_PARAMS].value;
    msg->result = want[MCPH_MEMBER_RESULT].value;
    msg->error = want[MCPH_MEMBER_ERROR].value;
    msg->whole = whole;
    msg->why = NULL;
    msg->is_answer = false;
    msg->frame = NULL;
    if (mcph_json_type(whole) != MCPH_JSON_OBJECT) {
        set_garbage(msg, "not an object");
    } else if (!is_version(want[MCPH_MEMBER_JSONRPC].value)) {
        set_garbage(msg, "\"jsonrpc\":\"2.0\" is missing");
    } else if (mcph_rpc_id_parse(want[MCPH_MEMBER_ID].value, &msg->id) < 0) {
        set_garbage(msg, "the id is neither an integer nor a string");
    } else if (msg->method.p) {
        msg->kind =
            want[MCPH_MEMBER_ID].value.p ? MCPH_RPC_REQUEST : MCPH_RPC_NOTIFICATION;
        classify_call(msg, want[MCPH_MEMBER_ID].value.p != NULL);
    } else {
        classify_answer(msg);
    }
}

/* Returns a member's value as it is written in the text.  p is NULL if the text does not
 * contain the complete value. */
static struct mcph_span
caught_value(struct mcph_span text, const struct mcph_envelope *e, int member)
{
    const struct mcph_json_catch *c = &e->members[member];

    return c->end > c->at ? mcph_span(text.p + c->at, (size_t)(c->end - c->at))
                          : MCPH_SPAN_NONE;
}

/* Returns the value of a member in a text that was refused, without the white space that
 * may follow the value. */
static struct mcph_span
caught_value_trimmed(struct mcph_span text, const struct mcph_envelope *e, int member)
{
    struct mcph_span value = caught_value(text, e, member);

    while (value.len > 0 && strchr(" \t\r\n", value.p[value.len - 1]))
        value.len--;
    return value;
}

/* Finds the id of the request that a refused text may have answered.  A text with this id
 * counts as a broken answer to that request. */
static void
salvage_id(struct mcph_span text, const struct mcph_envelope *e,
           struct mcph_rpc_message *msg)
{
    struct mcph_span id = caught_value_trimmed(text, e, MCPH_MEMBER_ID);

    if (!is_version(caught_value_trimmed(text, e, MCPH_MEMBER_JSONRPC)) ||
        e->members[MCPH_MEMBER_ID].cut || mcph_envelope_has(e, MCPH_MEMBER_METHOD) ||
        !(mcph_envelope_has(e, MCPH_MEMBER_RESULT) ||
          mcph_envelope_has(e, MCPH_MEMBER_ERROR)))
        return;
    /* Check the id before it is parsed, because the check of the text may have ended
     * before the id. */
    if (mcph_json_check(id, 1, NULL, NULL) < 0 || mcph_rpc_id_parse(id, &msg->id) < 0)
        return;
    msg->is_answer = msg->id.kind != MCPH_RPC_ID_NONE;
}

static void
refuse_text(struct mcph_span text, const struct mcph_json_fault *fault,
            struct mcph_rpc_message *ret)
{
    *ret = (struct mcph_rpc_message){.whole = text};
    set_garbage(ret, fault->why);
    ret->bad_utf8 = fault->bad_utf8;
}

static void
take_whole(struct mcph_span whole, const struct mcph_json_want want[MCPH_N_MEMBERS],
           struct mcph_rpc_message *ret)
{
    struct mcph_json_iter it;
    struct mcph_span value;

    if (mcph_json_type(whole) != MCPH_JSON_ARRAY) {
        classify_message(whole, want, ret);
        return;
    }
    *ret = (struct mcph_rpc_message){.kind = MCPH_RPC_BATCH, .whole = whole};
    mcph_json_iter_init(&it, whole);
    if (!mcph_json_iter_open(&it, NULL, &value))
        set_garbage(ret, "an empty batch");
}

void
mcph_rpc_parse(struct mcph_span text, unsigned depth, struct mcph_rpc_message *ret)
{
    struct mcph_json_want want[MCPH_N_MEMBERS];
    struct mcph_json_fault fault = {0};
    struct mcph_span whole = MCPH_SPAN_NONE;
    struct mcph_envelope envelope;

    want_all(want);
    if (mcph_json_scan(text, depth, want, MCPH_N_MEMBERS, &whole, &fault) == 0) {
        take_whole(whole, want, ret);
        return;
    }
    refuse_text(text, &fault, ret);
    mcph_envelope_begin(&envelope);
    mcph_envelope_feed(&envelope, text.p, text.len);
    salvage_id(text, &envelope, ret);
}

void
mcph_rpc_parse_frame(struct mcph_frame *frame, unsigned depth,
                     struct mcph_rpc_message *ret)
{
    const struct mcph_envelope *e = frame->envelope;
    struct mcph_json_want want[MCPH_N_MEMBERS];
    struct mcph_span text = mcph_frame_span(frame);

    if (!e || (depth > 0 && depth != MCPH_JSON_DEPTH)) {
        mcph_rpc_parse(text, depth, ret);
    } else if (e->code < 0) {
        refuse_text(text, &e->fault, ret);
        salvage_id(text, e, ret);
    } else {
        for (int i = 0; i < MCPH_N_MEMBERS; i++)
            want[i].value = caught_value(text, e, i);
        take_whole(
            mcph_span(text.p + e->stream.at, (size_t)(e->stream.end - e->stream.at)),
            want, ret);
    }
    ret->frame = frame;
}

void
mcph_rpc_parse_element(struct mcph_span value, struct mcph_rpc_message *ret)
{
    struct mcph_json_want want[MCPH_N_MEMBERS];
    int r;

    want_all(want);
    r = mcph_json_pick(value, want, MCPH_N_MEMBERS);
    classify_message(value, want, ret);
    if (r < 0 && ret->kind != MCPH_RPC_GARBAGE)
        set_garbage(ret, "a member occurs twice");
}

/* ---- error objects ----------------------------------------------------------------- */

void
mcph_rpc_error_read(struct mcph_span error, int64_t *ret_code,
                    struct mcph_span *ret_message, struct mcph_span *ret_data)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("code"), MCPH_JSON_WANT("message"),
                                    MCPH_JSON_WANT("data")};

    (void)mcph_json_pick(error, want, MCPH_ARRAY_SIZE(want));
    *ret_code = 0;
    (void)mcph_json_int64(want[0].value, ret_code);
    *ret_message = mcph_json_type(want[1].value) == MCPH_JSON_STRING ? want[1].value
                                                                     : MCPH_SPAN_NONE;
    *ret_data = want[2].value;
}
