/* SPDX-License-Identifier: MIT
 *
 * asks.c - questions of the service to the client while a request is open: elicitation,
 * sampling, roots.
 *
 * A legacy client gets a request and answers it.  A modern client gets the open questions
 * in the response to its own request, and sends the request again with the answers
 * (parked.c).  While a question is open, the time limit of the request does not run.
 *
 * MCP 2025-11-25 and 2026-07-28, "Elicitation", "Sampling", "Roots".
 */
#include <string.h>

#include "provide/engine.h"

#define FORM           MCPHOST_REQUEST_FORM
#define URL            MCPHOST_REQUEST_URL
#define SAMPLING       MCPHOST_REQUEST_SAMPLING
#define SAMPLING_TOOLS MCPHOST_REQUEST_SAMPLING_TOOLS
#define ROOTS          MCPHOST_REQUEST_ROOTS

/* ---- capabilities ------------------------------------------------------------------ */

static bool
is_object(struct mcph_span value)
{
    return mcph_json_type(value) == MCPH_JSON_OBJECT;
}

/* Returns the MCPHOST_REQUEST_* that a client with these capabilities answers.  An empty
 * object `elicitation` means forms only (MCP 2025-11-25, "Elicitation",
 * "Capabilities"). */
unsigned
mcph_asks_of(struct mcph_span capabilities)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("elicitation"),
                                    MCPH_JSON_WANT("sampling"), MCPH_JSON_WANT("roots")};
    unsigned found = 0;

    if (!is_object(capabilities))
        return 0;
    (void)mcph_json_pick(capabilities, want, MCPH_ARRAY_SIZE(want));
    if (is_object(want[0].value)) {
        bool url = is_object(mcph_json_get(want[0].value, "url"));

        if (!url || is_object(mcph_json_get(want[0].value, "form")))
            found |= FORM;
        if (url)
            found |= URL;
    }
    if (is_object(want[1].value)) {
        found |= SAMPLING;
        if (is_object(mcph_json_get(want[1].value, "tools")))
            found |= SAMPLING_TOOLS;
    }
    if (is_object(want[2].value))
        found |= ROOTS;
    return found;
}

unsigned
mcph_served_asks(const struct mcph_served *served)
{
    return MCPH_CONTAINER_OF(served, const struct work, served)->can_ask;
}

/* Returns true if the client has the capability for this question.  Sampling with tools
 * needs a capability of its own. */
static bool
is_allowed(const struct work *work, const struct mcph_served_ask *ask)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("tools"),
                                    MCPH_JSON_WANT("toolChoice")};

    if (!(work->can_ask & (unsigned)ask->kind))
        return false;
    if (ask->kind != SAMPLING || work->can_ask & SAMPLING_TOOLS || !ask->params.p)
        return true;
    (void)mcph_json_pick(ask->params, want, MCPH_ARRAY_SIZE(want));
    return !want[0].value.p && !want[1].value.p;
}

/* ---- writing a question ------------------------------------------------------------ */

const char *
mcph_ask_method(int kind)
{
    switch (kind) {
    case FORM:
    case URL:
        return "elicitation/create";
    case SAMPLING:
        return "sampling/createMessage";
    case ROOTS:
        return "roots/list";
    default:
        return NULL;
    }
}

/* Adds the members of the question's params.  A URL elicitation needs `mode` and, in the
 * legacy era, `elicitationId`.  Adds each of these two members if the service left it
 * out. */
int
mcph_asks_add_params(const struct mcph_served_ask *ask, bool modern, struct mcph_buf *buf)
{
    struct mcph_span params = ask->params;
    size_t i = 1;

    if (ask->kind == URL && !mcph_json_get(params, "mode").p)
        mcph_json_add_member(buf, "mode", "url");
    if (ask->kind == URL && !modern && !mcph_json_get(params, "elicitationId").p) {
        mcph_json_add_key(buf, "elicitationId");
        mcph_buf_addf(buf, "\"url-%llu\"", (unsigned long long)ask->number);
    }
    if (!params.p)
        return mcph_buf_ok(buf);
    while (strchr(" \t\r\n", params.p[i]))
        i++;
    if (params.p[i] == '}')
        return mcph_buf_ok(buf);
    mcph_json_add_comma(buf);
    return mcph_rpc_add_oneline(buf, mcph_span(params.p + i, params.len - i - 1));
}

static int
send_request(struct mcph_connection *c, struct work *work, struct mcph_served_ask *ask)
{
    struct mcph_buf *buf;
    int r;

    if (!mcph_reply_begin(c, &buf))
        return MCPHOST_E_TRANSPORT;
    r = mcph_rpc_open_call(buf, &ask->call, mcph_ask_method(ask->kind),
                           ask->params.len + 64);
    if (r == 0)
        r = mcph_asks_add_params(ask, false, buf);
    mcph_buf_adds(buf, "}}");
    mcph_reply_commit(c, buf, r, MCPH_SEND_REQUEST, work->in.stream);
    return conn_is_over(c) ? MCPHOST_E_TRANSPORT : 0;
}

/* Notifies a legacy client that its answer is not needed any more. */
static void
send_cancel(struct mcph_connection *c, const struct work *work,
            const struct mcph_served_ask *ask, const char *reason)
{
    struct mcph_buf *buf;
    int r;

    if (!mcph_reply_begin(c, &buf))
        return;
    r = mcph_rpc_add_cancel(buf, &ask->call, reason);
    mcph_reply_commit(c, buf, r, MCPH_SEND_NOTIFICATION, work->in.stream);
}

/* ---- the end of a question --------------------------------------------------------- */

static void
remove_ask(struct work *work, struct mcph_served_ask *ask)
{
    mcph_list_remove(&ask->link);
    ask->served = NULL;
    mcph_rpc_abandon(&ask->call);
    if (--work->n_asks == 0 && !work->parked)
        mcph_work_start_clock(work);
}

void
mcph_asks_settle(struct mcph_served_ask *ask, int code, struct mcph_span result,
                 mcphost_error *error)
{
    mcphost_error *wrong = NULL;

    remove_ask(work_of(ask->served), ask);
    if (code == 0 && !is_object(result)) {
        code = mcph_err(&wrong, MCPHOST_E_PROTOCOL, "the answer is not an object");
        error = wrong;
    }
    ask->answered(ask, code, result, error);
    mcphost_error_unref(wrong);
}

static void
withdraw_ask(struct work *work, struct mcph_served_ask *ask, const char *why)
{
    struct mcph_connection *c = work->served.connection;

    if (mcph_rpc_call_waits(&ask->call))
        send_cancel(c, work, ask, why);
    remove_ask(work, ask);
}

void
mcph_asks_forget(struct work *work)
{
    while (!mcph_list_empty(&work->asks))
        withdraw_ask(work, MCPH_LIST_ENTRY(work->asks.next, struct mcph_served_ask, link),
                     "the request has ended");
    mcph_timer_cancel(&work->timer);
}

void
mcph_served_unask(struct mcph_served_ask *ask)
{
    if (ask->served)
        withdraw_ask(work_of(ask->served), ask, "the answer is no longer needed");
}

/* ---- answers of a legacy client ---------------------------------------------------- */

static void
read_error(const struct mcph_rpc_answer *answer, mcphost_error **ret)
{
    struct mcph_span message, data, text = MCPH_SPAN_NONE;
    struct mcph_buf buf;
    int64_t code;

    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    mcph_buf_init(&buf, message.len + 1);
    (void)mcph_json_string_get(message, &buf, &text);
    mcph_err_rpc(ret, code, text.p ? text.p : "", text.len, data.p, data.len);
    mcph_buf_done(&buf);
}

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_served_ask *ask = MCPH_CONTAINER_OF(call, struct mcph_served_ask, call);
    struct work *work = work_of(ask->served);
    struct mcph_connection *c = work->served.connection;
    mcphost_error *error = NULL;

    if (answer->code == MCPHOST_E_TIMEOUT) {
        send_cancel(c, work, ask, "timed out");
        mcph_err(&error, answer->code, "the client did not answer in time");
    } else if (answer->code == MCPHOST_E_RPC) {
        read_error(answer, &error);
    } else if (answer->code < 0) {
        mcph_err(&error, answer->code, "the client's answer is not usable: %s",
                 answer->why ? answer->why : mcphost_strerror(answer->code));
    }
    mcph_asks_settle(ask, answer->code,
                     answer->code == 0 ? answer->msg->result : MCPH_SPAN_NONE, error);
    mcphost_error_unref(error);
}

static int
ask_legacy(struct mcph_connection *c, struct work *work, struct mcph_served_ask *ask)
{
    int r;

    ask->call.on_answer = on_answer;
    ask->call.timeout_ms = c->spec.ask_ms;
    ask->call.max_ms = -1;
    r = mcph_rpc_start(&c->rpc, &ask->call);
    return r < 0 ? r : send_request(c, work, ask);
}

/* ---- asking a question ------------------------------------------------------------- */

int
mcph_served_ask(struct mcph_served *served, struct mcph_served_ask *ask)
{
    struct work *work = work_of(served);
    struct mcph_connection *c = served->connection;
    int r = 0;

    ask->served = NULL;
    ask->is_sent = false;
    memset(&ask->call, 0, sizeof(ask->call));
    if (!is_allowed(work, ask))
        return MCPHOST_E_DENIED;
    if (conn_is_over(c) || c->deaf)
        return MCPHOST_E_TRANSPORT;
    if (work->n_asks >= MCPH_ASKS_MAX)
        return MCPHOST_E_LIMIT;
    ask->number = ++work->asked;
    ask->served = served;
    mcph_list_append(&work->asks, &ask->link);
    if (work->n_asks++ == 0 && !work->parked)
        mcph_work_stop_clock(work);
    if (work->modern)
        mcph_parked_ask(work);
    else
        r = ask_legacy(c, work, ask);
    if (r < 0)
        remove_ask(work, ask);
    return r;
}
