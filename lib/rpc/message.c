/* SPDX-License-Identifier: MIT
 *
 * message.c - what one text is: request, notification, answer, batch or garbage.
 *
 * JSON-RPC 2.0 as MCP narrows it (base protocol, all revisions): ids are integers or
 * strings, never null in a request; "jsonrpc":"2.0" stands in every message, which
 * also keeps log lines that happen to be JSON objects from passing for answers.
 */
#include <string.h>

#include "rpc/rpc.h"

/* Answers are the most: what they hold stands first. */
enum { W_RESULT, W_JSONRPC, W_ID, W_METHOD, W_PARAMS, W_ERROR, N_WANTS };

/* Field by field here and below: of a struct of this size the compiler makes a string
 * instruction, whose start takes longer than the rest. */
static inline void
want_name(struct mcph_json_want *want, const char *name)
{
    want->name = name;
    want->name_len = strlen(name);
}

static inline void
want_all(struct mcph_json_want want[N_WANTS])
{
    want_name(&want[W_RESULT], "result");
    want_name(&want[W_JSONRPC], "jsonrpc");
    want_name(&want[W_ID], "id");
    want_name(&want[W_METHOD], "method");
    want_name(&want[W_PARAMS], "params");
    want_name(&want[W_ERROR], "error");
}

/* "7.0": some servers read every number as floating point and write it so. */
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
    /* Ours have neither a sign nor a zero in front. */
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
garbage(struct mcph_rpc_message *msg, const char *why)
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
        garbage(msg, "the method is not a string");
    } else if (has_id && msg->id.kind == MCPH_RPC_ID_NONE) {
        garbage(msg, "the id of a request is null");
    } else if (type == MCPH_JSON_NULL || type == MCPH_JSON_ANY) {
        msg->params = MCPH_SPAN_NONE;
    } else if (type != MCPH_JSON_OBJECT && type != MCPH_JSON_ARRAY) {
        garbage(msg, "params are neither an object nor an array");
    }
}

static void
classify_answer(struct mcph_rpc_message *msg)
{
    /* Some servers send both, one of them null. */
    if (msg->result.p && mcph_json_is_null(msg->error))
        msg->error = MCPH_SPAN_NONE;
    if (msg->error.p && mcph_json_is_null(msg->result))
        msg->result = MCPH_SPAN_NONE;

    msg->kind = msg->error.p ? MCPH_RPC_ERROR : MCPH_RPC_RESULT;
    if (!msg->result.p && !msg->error.p)
        garbage(msg, "neither method nor result nor error is there");
    else if (msg->result.p && msg->error.p)
        garbage(msg, "result and error are both there");
    else if (msg->error.p && mcph_json_type(msg->error) != MCPH_JSON_OBJECT)
        garbage(msg, "the error is not an object");
    else if (msg->result.p && msg->id.kind == MCPH_RPC_ID_NONE)
        garbage(msg, "a result without an id");
    msg->is_answer = msg->kind == MCPH_RPC_GARBAGE && msg->id.kind != MCPH_RPC_ID_NONE;
}

static void
classify(struct mcph_span whole, const struct mcph_json_want want[N_WANTS],
         struct mcph_rpc_message *msg)
{
    msg->kind = MCPH_RPC_GARBAGE;
    msg->id.kind = MCPH_RPC_ID_NONE;
    msg->id.n = 0;
    msg->id.raw = MCPH_SPAN_NONE;
    msg->method = want[W_METHOD].value;
    msg->params = want[W_PARAMS].value;
    msg->result = want[W_RESULT].value;
    msg->error = want[W_ERROR].value;
    msg->whole = whole;
    msg->why = NULL;
    msg->is_answer = false;
    msg->frame = NULL;
    if (mcph_json_type(whole) != MCPH_JSON_OBJECT) {
        garbage(msg, "not an object");
    } else if (!is_version(want[W_JSONRPC].value)) {
        garbage(msg, "\"jsonrpc\":\"2.0\" is missing");
    } else if (mcph_rpc_id_parse(want[W_ID].value, &msg->id) < 0) {
        garbage(msg, "the id is neither an integer nor a string");
    } else if (msg->method.p) {
        msg->kind = want[W_ID].value.p ? MCPH_RPC_REQUEST : MCPH_RPC_NOTIFICATION;
        classify_call(msg, want[W_ID].value.p != NULL);
    } else {
        classify_answer(msg);
    }
}

/* The scan refused the text: whose answer may it have been? */
static void
salvage(struct mcph_span text, struct mcph_rpc_message *msg)
{
    struct mcph_json_catch catches[] = {
        {.name = "jsonrpc", .name_len = 7}, {.name = "id", .name_len = 2},
        {.name = "method", .name_len = 6},  {.name = "result", .name_len = 6},
        {.name = "error", .name_len = 5},
    };
    char version[8], id[MCPH_FRAME_ID_MAX];
    struct mcph_json_stream stream;
    struct mcph_span token;

    catches[0].value = version;
    catches[0].size = sizeof(version);
    catches[1].value = id;
    catches[1].size = sizeof(id);
    mcph_json_stream_init(&stream, catches, MCPH_ARRAY_SIZE(catches));
    mcph_json_stream_feed(&stream, text.p, text.len);

    if (!is_version(mcph_span(version, catches[0].len)) || catches[1].cut ||
        catches[2].end > catches[2].at ||
        (catches[3].end == catches[3].at && catches[4].end == catches[4].at))
        return;
    token = mcph_span(text.p + catches[1].at, catches[1].len);
    /* Not checked: what parses as an id must also be one. */
    if (mcph_json_check(token, 1, NULL, NULL) < 0 ||
        mcph_rpc_id_parse(token, &msg->id) < 0)
        return;
    msg->is_answer = msg->id.kind != MCPH_RPC_ID_NONE;
}

void
mcph_rpc_parse(struct mcph_span text, unsigned depth, struct mcph_rpc_message *ret)
{
    struct mcph_json_want want[N_WANTS];
    struct mcph_json_fault fault = {0};
    struct mcph_span whole = MCPH_SPAN_NONE;

    want_all(want);
    if (mcph_json_scan(text, depth, want, N_WANTS, &whole, &fault) < 0) {
        *ret = (struct mcph_rpc_message){.whole = text};
        garbage(ret, fault.why);
        ret->bad_utf8 = fault.bad_utf8;
        salvage(text, ret);
    } else if (mcph_json_type(whole) == MCPH_JSON_ARRAY) {
        *ret = (struct mcph_rpc_message){.kind = MCPH_RPC_BATCH, .whole = whole};
        if (mcph_json_count(whole) == 0)
            garbage(ret, "an empty batch");
    } else {
        classify(whole, want, ret);
    }
}

void
mcph_rpc_parse_element(struct mcph_span value, struct mcph_rpc_message *ret)
{
    struct mcph_json_want want[N_WANTS];
    int r;

    want_all(want);
    r = mcph_json_pick(value, want, N_WANTS);
    classify(value, want, ret);
    if (r < 0 && ret->kind != MCPH_RPC_GARBAGE)
        garbage(ret, "a member stands twice");
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

int
mcph_rpc_error_make(struct mcph_span error, mcphost_error **reterr)
{
    struct mcph_span token, text = mcph_span("", 0), data;
    struct mcph_buf buf;
    int64_t code;
    int r;

    mcph_rpc_error_read(error, &code, &token, &data);
    mcph_buf_init(&buf, token.len + 1);
    if (token.p && mcph_json_string_get(token, &buf, &text) < 0)
        r = mcph_err_nomem(reterr);
    else
        r = mcph_err_rpc(reterr, code, text.p, text.len, data.p, data.len);
    mcph_buf_done(&buf);
    return r;
}
