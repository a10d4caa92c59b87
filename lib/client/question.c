/* SPDX-License-Identifier: MIT
 *
 * question.c - handle the questions of a server: elicitation, sampling, roots.
 *
 *   asked --reported to the owner--> open --answer, refuse--> sent, or kept for the round
 *     \__ not acceptable: refused     \__ over: cancelled, late, call or connection ended
 *
 * A legacy server asks by a request and gets a response.  A modern server asks in the
 * answer to an operation.  A legacy server may also ask, in the answer to an operation,
 * that the user opens pages.  rounds.c sends the operation again when all questions are
 * answered.  The owner sees no difference between these kinds of questions.
 *
 * MCP 2025-11-25 and 2026-07-28, "Elicitation", "Sampling", "Roots".
 */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

#define FORM     MCPHOST_REQUEST_FORM
#define URL      MCPHOST_REQUEST_URL
#define SAMPLING MCPHOST_REQUEST_SAMPLING
#define ROOTS    MCPHOST_REQUEST_ROOTS

/* ---- capabilities ------------------------------------------------------------------ */

static void
add_extensions(const struct mcph_client *c, struct mcph_buf *buf, bool legacy)
{
    bool tasks = c->spec.tasks && !legacy;

    if (!tasks && !c->spec.apps)
        return;
    mcph_json_add_key(buf, "extensions");
    mcph_buf_addc(buf, '{');
    if (tasks) {
        mcph_json_add_key(buf, "io.modelcontextprotocol/tasks");
        mcph_buf_adds(buf, "{}");
    }
    if (c->spec.apps) {
        mcph_json_add_key(buf, "io.modelcontextprotocol/ui");
        mcph_buf_adds(buf, "{\"mimeTypes\":[\"text/html;profile=mcp-app\"]}");
    }
    mcph_buf_addc(buf, '}');
}

int
mcph_question_add_capabilities(const struct mcph_client *c, struct mcph_buf *buf,
                               bool legacy)
{
    unsigned on = c->spec.questions;

    mcph_buf_addc(buf, '{');
    if (on & ROOTS)
        mcph_buf_adds(buf, legacy ? "\"roots\":{\"listChanged\":true}" : "\"roots\":{}");
    if (on & SAMPLING) {
        mcph_json_add_key(buf, "sampling");
        mcph_buf_adds(buf, on & MCPHOST_REQUEST_SAMPLING_TOOLS ? "{\"tools\":{}}" : "{}");
    }
    if (on & (FORM | URL)) {
        mcph_json_add_key(buf, "elicitation");
        mcph_buf_addc(buf, '{');
        if (on & FORM)
            mcph_buf_adds(buf, "\"form\":{}");
        if (on & URL) {
            mcph_json_add_key(buf, "url");
            mcph_buf_adds(buf, "{}");
        }
        mcph_buf_addc(buf, '}');
    }
    add_extensions(c, buf, legacy);
    return mcph_buf_addc(buf, '}');
}

/* ---- reading a question ------------------------------------------------------------ */

static bool
method_is(struct mcph_span method, const char *name)
{
    return mcph_json_string_is(method, name, strlen(name));
}

/* Returns the length of the authority (user, host and port) at the start of `rest`. */
static size_t
authority_len(struct mcph_span rest)
{
    size_t n = 0;

    while (n < rest.len && rest.p[n] != '/' && rest.p[n] != '?' && rest.p[n] != '#')
        n++;
    return n;
}

/* Returns true for an https URL, or an http URL of this machine, that a person cannot
 * misread.  The application shows the URL to a person and opens it in a browser.  Rejects
 * a user name before '@', because the user name looks like the host. */
static bool
may_be_opened(struct mcph_span text)
{
    static const char *const starts[] = {"https://", "http://localhost",
                                         "http://127.0.0.1", "http://[::1]"};
    struct mcph_span rest = MCPH_SPAN_NONE;
    size_t len;

    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f || text.p[i] == '\\')
            return false;
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(starts) && !rest.p; i++) {
        size_t n = strlen(starts[i]);

        if (text.len >= n && strncasecmp(text.p, starts[i], n) == 0)
            rest = mcph_span(text.p + n, text.len - n);
        if (rest.p && i == 0) {
            len = authority_len(rest);
            return len > 0 && *rest.p != ':' && !memchr(rest.p, '@', len);
        }
    }
    if (!rest.p)
        return false;
    len = authority_len(rest);
    return len == 0 || (*rest.p == ':' && !memchr(rest.p, '@', len));
}

static int
read_url(struct mcph_client_question *q, const char **ret_why)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    bool good;

    q->url = mcph_json_get(q->params, "url");
    *ret_why = "the url is missing";
    if (mcph_json_type(q->url) != MCPH_JSON_STRING)
        return MCPHOST_E_PROTOCOL;
    mcph_buf_init(&decoded, q->url.len + 1);
    good = mcph_json_string_get(q->url, &decoded, &text) == 0 && may_be_opened(text);
    mcph_buf_done(&decoded);
    *ret_why = "the url must be https, or http to this machine";
    return good ? 0 : MCPHOST_E_PROTOCOL;
}

static int
read_form(struct mcph_client_question *q, const char **ret_why)
{
    q->schema = mcph_json_get(q->params, "requestedSchema");
    *ret_why = "requestedSchema is not a valid form";
    return mcph_form_check(q->schema, NULL);
}

static int
read_elicitation(unsigned on, struct mcph_client_question *q, const char **ret_why)
{
    struct mcph_span mode = mcph_json_get(q->params, "mode");

    q->message = mcph_json_get(q->params, "message");
    *ret_why = "this mode was not offered";
    if (!mode.p || method_is(mode, "form"))
        q->kind = FORM;
    else if (method_is(mode, "url"))
        q->kind = URL;
    if (!(on & (unsigned)q->kind))
        return MCPHOST_E_PROTOCOL;
    *ret_why = "the message is missing";
    if (mcph_json_type(q->message) != MCPH_JSON_STRING)
        return MCPHOST_E_PROTOCOL;
    return q->kind == FORM ? read_form(q, ret_why) : read_url(q, ret_why);
}

static int
read_sampling(unsigned on, struct mcph_client_question *q, const char **ret_why)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("messages"),
                                    MCPH_JSON_WANT("maxTokens"), MCPH_JSON_WANT("tools"),
                                    MCPH_JSON_WANT("toolChoice")};
    int64_t n = 0;

    q->kind = SAMPLING;
    (void)mcph_json_pick(q->params, want, MCPH_ARRAY_SIZE(want));
    *ret_why = "messages or maxTokens are missing";
    if (mcph_json_type(want[0].value) != MCPH_JSON_ARRAY ||
        mcph_json_int64(want[1].value, &n) < 0 || n < 1)
        return MCPHOST_E_PROTOCOL;
    *ret_why = "tools were not offered";
    if ((want[2].value.p || want[3].value.p) && !(on & MCPHOST_REQUEST_SAMPLING_TOOLS))
        return MCPHOST_E_PROTOCOL;
    return 0;
}

int
mcph_client_question_read(unsigned on, struct mcph_span method,
                          struct mcph_client_question *q, const char **ret_why)
{
    bool object = mcph_json_type(q->params) == MCPH_JSON_OBJECT;

    *ret_why = "it was not offered";
    if (method_is(method, "roots/list") && on & ROOTS) {
        q->kind = ROOTS;
        if (!object)
            q->params = MCPH_SPAN_NONE;
        return 0;
    }
    if (method_is(method, "elicitation/create") && on & (FORM | URL)) {
        if (object)
            return read_elicitation(on, q, ret_why);
    } else if (method_is(method, "sampling/createMessage") && on & SAMPLING) {
        if (object)
            return read_sampling(on, q, ret_why);
    } else {
        return MCPHOST_E_DENIED;
    }
    *ret_why = "params are missing";
    return MCPHOST_E_PROTOCOL;
}

/* ---- the end of a question --------------------------------------------------------- */

/* Stops the timeouts of the operations that may wait for the answer to this question. */
static void
pause_operations(struct mcph_client *c, const struct mcph_client_question *q)
{
    if (q->op) {
        mcph_rpc_call_pause(&q->op->rpc);
        return;
    }
    if (c->n_unowned++ > 0)
        return;
    mcph_list_for_each_entry (op, &c->in_flight, struct mcph_operation, link) {
        op->paused = true;
        mcph_rpc_call_pause(&op->rpc);
    }
}

static void
resume_operations(struct mcph_client *c, const struct mcph_client_question *q)
{
    if (q->op) {
        mcph_rpc_call_resume(&q->op->rpc);
        return;
    }
    if (--c->n_unowned > 0)
        return;
    mcph_list_for_each_entry (op, &c->in_flight, struct mcph_operation, link) {
        if (op->paused)
            mcph_rpc_call_resume(&op->rpc);
        op->paused = false;
    }
}

/* Takes the question off the list of open questions and resumes the operations that the
 * question paused.  Does not free the question, because a round keeps its questions until
 * the round is over. */
static void
close_question(struct mcph_client_question *q)
{
    struct mcph_client *c = q->client;

    if (mcph_list_empty(&q->link))
        return;
    mcph_list_remove(&q->link);
    c->n_questions--;
    mcph_timer_done(&q->timer);
    if (q->pauses)
        resume_operations(c, q);
    q->pauses = false;
}

static void
free_question(struct mcph_client_question *q)
{
    close_question(q);
    mcph_list_remove(&q->round_link);
    mcph_frame_unref(q->frame);
    free(q->answer);
    free(q);
}

void
mcph_question_over(struct mcph_client_question *q, const char *why)
{
    struct mcph_client *c = q->client;
    bool told = q->told && !q->answered;

    /* Unlink the question before the event, so that no other code can find the
     * question. */
    q->answered = true;
    close_question(q);
    mcph_list_remove(&q->round_link);
    if (told && !c->freed)
        c->events->question_over(c, q, why, c->arg);
    free_question(q);
}

/* Returns true if the server asked the question by a request, in the course of this
 * operation.  If `op` is NULL, every question that was asked by a request counts. */
static bool
is_asked_during(const struct mcph_client_question *q, const struct mcph_operation *op)
{
    return q->id.p && (!op || q->op == op);
}

void
mcph_questions_over(struct mcph_client *c, const struct mcph_operation *op, bool all,
                    const char *why)
{
    struct mcph_list *item = c->questions.next;

    /* After each event `question_over`, start again from the first question, because the
     * owner may have answered other questions in the event. */
    while (item != &c->questions) {
        struct mcph_client_question *q =
            MCPH_LIST_ENTRY(item, struct mcph_client_question, link);

        item = item->next;
        if (!all && !is_asked_during(q, op))
            continue;
        mcph_question_over(q, why);
        item = c->questions.next;
    }
}

/* ---- questions that nobody answers ------------------------------------------------- */

static bool
is_known(const struct mcph_client *c, const struct mcph_client_question *q)
{
    mcph_list_for_each (item, &c->questions) {
        if (item == &q->link)
            return true;
    }
    return false;
}

struct mcph_span
mcph_client_question_give_up(int kind)
{
    return kind == FORM || kind == URL ? mcph_span_str("{\"action\":\"cancel\"}")
                                       : MCPH_SPAN_NONE;
}

/* Ends a question without the owner's answer. */
static void
give_up_question(struct mcph_client_question *q, const char *why)
{
    struct mcph_client *c = q->client;
    struct mcph_span result = mcph_client_question_give_up(q->kind);

    if (q->told)
        c->events->question_over(c, q, why, c->arg);
    if (!is_known(c, q))
        return; /* the owner has ended the call or freed the client */
    if (result.p)
        mcph_client_question_answer(q, result);
    else
        mcph_client_question_refuse(q, MCPH_RPC_INTERNAL_ERROR, why);
}

static void
on_due(struct mcph_timer *timer)
{
    give_up_question(MCPH_CONTAINER_OF(timer, struct mcph_client_question, timer),
                     "the application did not answer in time");
}

void
mcph_questions_give_up(struct mcph_client *c, const struct mcph_operation *op)
{
    struct mcph_list *item = c->questions.next;

    /* After each question that is given up, start again from the first question, because
     * the owner may have ended other questions. */
    while (!c->freed && item != &c->questions) {
        struct mcph_client_question *q =
            MCPH_LIST_ENTRY(item, struct mcph_client_question, link);

        item = item->next;
        if (!is_asked_during(q, op))
            continue;
        give_up_question(q, "the call has ended");
        item = c->questions.next;
    }
}

/* ---- asking the owner -------------------------------------------------------------- */

/* Returns true if there are too many questions, or too many bytes of their messages.
 * Each question keeps its message.  The sum counts each message once, because questions
 * of one message are neighbours in the list. */
static bool
is_too_much(const struct mcph_client *c, const struct mcph_frame *frame)
{
    const struct mcph_frame *last = NULL;
    size_t sum = 0;

    if (c->n_questions >= c->spec.max_open)
        return true;
    mcph_list_for_each_entry (q, &c->questions, const struct mcph_client_question, link) {
        if (q->frame != last)
            sum += q->frame->len;
        last = q->frame;
    }
    /* Always accept the first message, because the transport limits the size of a
     * message. */
    return sum > 0 && frame != last &&
           (sum > c->spec.max_open_bytes || frame->len > c->spec.max_open_bytes - sum);
}

struct mcph_client_question *
mcph_question_new(struct mcph_client *c, struct mcph_operation *op,
                  struct mcph_frame *frame, struct mcph_span method,
                  struct mcph_span params, int *ret_code, const char **ret_why)
{
    struct mcph_client_question *q = calloc(1, sizeof(*q));

    *ret_why = "out of memory";
    *ret_code = MCPHOST_E_NOMEM;
    if (!q)
        return NULL;
    q->client = c;
    q->op = op;
    q->params = params;
    mcph_list_init(&q->link);
    mcph_list_init(&q->round_link);
    *ret_code = mcph_client_question_read(c->spec.questions, method, q, ret_why);
    if (*ret_code == 0 && is_too_much(c, frame)) {
        *ret_why = "too many questions are open";
        *ret_code = MCPHOST_E_LIMIT;
    }
    if (*ret_code == 0) {
        *ret_why = "out of memory";
        *ret_code = mcph_timer_init(&q->timer, c->core, on_due);
    }
    if (*ret_code < 0) {
        free(q);
        return NULL;
    }
    q->frame = mcph_frame_ref(frame);
    mcph_list_append(&c->questions, &q->link);
    c->n_questions++;
    if (c->spec.question_ms >= 0)
        mcph_timer_set(&q->timer, mcph_core_now(c->core) + c->spec.question_ms);
    return q;
}

void
mcph_questions_tell(struct mcph_client *c)
{
    struct mcph_list *item = c->questions.next;

    /* After each event `question`, start again from the first question, because the owner
     * may have changed the list in any way. */
    while (!c->freed && item != &c->questions) {
        struct mcph_client_question *q =
            MCPH_LIST_ENTRY(item, struct mcph_client_question, link);

        item = item->next;
        if (q->told)
            continue;
        q->told = true;
        c->events->question(c, q, c->arg);
        item = c->questions.next;
    }
}

static int64_t
refusal_of(int code)
{
    if (code == MCPHOST_E_DENIED)
        return MCPH_RPC_METHOD_NOT_FOUND;
    return code == MCPHOST_E_PROTOCOL ? MCPH_RPC_INVALID_PARAMS : MCPH_RPC_INTERNAL_ERROR;
}

/* Finds the operation in whose course the server asks.  Returns NULL if the operation is
 * not known.  On a transport with streams, the operation and the server's request share a
 * stream.  Without streams, the operation is known only if it is the only operation in
 * flight.  Also returns NULL for a request about a task, because no server asks during
 * this short request. */
static struct mcph_operation *
operation_of(struct mcph_client *c)
{
    struct mcph_operation *found = NULL;

    mcph_list_for_each_entry (op, &c->in_flight, struct mcph_operation, link) {
        if (c->transport->streams ? op->rpc.stream == c->rpc.stream && c->rpc.stream > 0
                                  : c->n_in_flight == 1)
            found = op->method->task ? NULL : op;
    }
    return found;
}

void
mcph_question_ask(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_client_question *q;
    const char *why;
    int code;

    q = mcph_question_new(c, operation_of(c), msg->frame, msg->method, msg->params, &code,
                          &why);
    if (!q) {
        mcph_client_send_refusal(c, msg->id.raw, refusal_of(code),
                                 code == MCPHOST_E_DENIED ? "method not found" : why);
        return;
    }
    q->id = msg->id.raw;
    /* Over a transport without streams, assign a question about roots to no operation.
     * A server may ask for the roots of its session at any time, and waits for them
     * even after the operation in flight has ended. */
    if (q->kind == ROOTS && !c->transport->streams)
        q->op = NULL;
    q->pauses = true;
    pause_operations(c, q);
    mcph_questions_tell(c);
}

void
mcph_question_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_id wanted, id;

    if (mcph_rpc_id_parse(mcph_json_get(msg->params, "requestId"), &wanted) < 0)
        return;
    mcph_list_for_each_entry (q, &c->questions, struct mcph_client_question, link) {
        if (q->id.p && mcph_rpc_id_parse(q->id, &id) == 0 &&
            mcph_rpc_id_eq(&id, &wanted)) {
            mcph_question_over(q, "the server cancelled the request");
            return;
        }
    }
}

/* Handles the notice that the user is done on a page.  If the server asked in an
 * answer, answers the question, because the client must send the operation again.  If
 * the server asked by a request, does nothing, because the server continues by itself. */
void
mcph_question_completed(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span id = mcph_json_get(msg->params, "elicitationId"), own;

    if (mcph_json_type(id) != MCPH_JSON_STRING)
        return;
    mcph_list_for_each_entry (q, &c->questions, struct mcph_client_question, link) {
        own = q->kind == URL && !q->id.p ? mcph_json_get(q->params, "elicitationId")
                                         : MCPH_SPAN_NONE;
        if (mcph_json_type(own) != MCPH_JSON_STRING || !mcph_json_string_eq(own, id))
            continue;
        c->events->question_over(c, q, "the server reports that the user has finished",
                                 c->arg);
        if (is_known(c, q))
            mcph_client_question_answer(q, mcph_span_str("{\"action\":\"accept\"}"));
        return;
    }
}

/* ---- answering a question ---------------------------------------------------------- */

void
mcph_client_question_answer(struct mcph_client_question *q, struct mcph_span result)
{
    struct mcph_client *c = q->client;

    if (q->answered)
        return;
    q->answered = true;
    if (q->id.p) {
        mcph_client_send_result(c, q->id, result);
        free_question(q);
        return;
    }
    q->answer = mcph_strndup(result.p, result.len);
    q->answer_len = result.len;
    close_question(q);
    mcph_rounds_answered(q);
}

void
mcph_client_question_refuse(struct mcph_client_question *q, int64_t code,
                            const char *message)
{
    struct mcph_client *c = q->client;

    if (q->answered)
        return;
    q->answered = true;
    if (q->id.p) {
        mcph_client_send_refusal(c, q->id, code, message);
        free_question(q);
        return;
    }
    close_question(q);
    mcph_rounds_refused(q, message);
}

void
mcph_client_roots_changed(struct mcph_client *c)
{
    if (c->state == MCPH_CLIENT_READY && c->info.era == MCPH_CLIENT_LEGACY &&
        c->spec.questions & ROOTS)
        (void)mcph_client_send_notification(c, "notifications/roots/list_changed");
}
