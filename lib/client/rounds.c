/* SPDX-License-Identifier: MIT
 *
 * rounds.c - send an operation again with the input that the server asked for (MCP
 * 2026-07-28, "Multi round-trip requests").
 *
 *   sent --input_required--> asking --all answered--> sent again, under a new id
 *                      \___ nothing asked: a short pause ___/
 *
 * The client sends the operation again with unchanged params, the answers of this round
 * and the server's requestState.  The client copies the token of requestState byte by
 * byte and never reads the token.  While questions are open, the operation's timeout does
 * not run, but max_ms continues to run.  During that time the operation has no open
 * request.
 *
 * A task may also ask for input, in the answer to tasks/get.  The client then sends the
 * answers by tasks/update.  The operation ends with the server's answer to
 * tasks/update.  The client remembers the names of answered questions, because the task
 * repeats its questions until it has accepted the answers.
 *
 * A legacy server may refuse an operation until the user has opened some pages (MCP
 * 2025-11-25, "URL Elicitation Required Error").  Each page is then a question to the
 * owner.  The server may send a notice when the user is done.  After all pages are
 * done, the client sends the operation again, without additional params.
 */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

#define PAUSE_MS     250
#define PAGES_CODE   (-32042)
#define TASK_ANSWERS 256 /* limit on answers to one task in its life */

struct mcph_rounds {
    struct mcph_operation *op;
    unsigned n;                 /* how often the server asked */
    bool pages;                 /* the server refused the operation until the user opens
                                 * pages; the client then sends no answers */
    struct mcph_frame *frame;   /* frame of the server's latest answer */
    struct mcph_span state;     /* requestState as a string token in `frame`; p is NULL
                                 * without requestState */
    struct mcph_list questions; /* questions of this round, linked by round_link */
    size_t n_open;
    int64_t left, hard_due; /* `left`: rest of the timeout in ms, or -1; `hard_due`:
                             * time when max_ms ends */
    struct mcph_timer timer;
};

static void send_again(struct mcph_rounds *rounds);

/* ---- the end of all rounds --------------------------------------------------------- */

static void
drop_questions(struct mcph_rounds *rounds, const char *why)
{
    while (!mcph_list_empty(&rounds->questions))
        mcph_question_over(MCPH_LIST_ENTRY(rounds->questions.next,
                                           struct mcph_client_question, round_link),
                           why);
    rounds->n_open = 0;
}

void
mcph_rounds_end(struct mcph_operation *op, const char *why)
{
    struct mcph_rounds *rounds = op->rounds;

    drop_questions(rounds, why);
    op->rounds = NULL;
    mcph_timer_done(&rounds->timer);
    mcph_frame_unref(rounds->frame);
    free(rounds);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_rounds *rounds = MCPH_CONTAINER_OF(timer, struct mcph_rounds, timer);

    if (rounds->n_open == 0)
        send_again(rounds);
    else
        mcph_operation_fail(rounds->op, MCPHOST_E_TIMEOUT, "asked for input during",
                            "the application did not answer in time");
}

/* ---- questions of one round -------------------------------------------------------- */

static int
begin_round(struct mcph_client *c, struct mcph_operation *op, const char **ret_why)
{
    struct mcph_rounds *rounds = op->rounds;

    if (!rounds) {
        rounds = calloc(1, sizeof(*rounds));
        if (!rounds || mcph_timer_init(&rounds->timer, c->core, on_due) < 0) {
            free(rounds);
            return MCPHOST_E_NOMEM;
        }
        rounds->op = op;
        mcph_list_init(&rounds->questions);
        op->rounds = rounds;
    }
    *ret_why = "too many times";
    if (rounds->n >= c->spec.max_rounds ||
        (op->method->task && op->answered && op->answered->n >= TASK_ANSWERS))
        return MCPHOST_E_LIMIT;
    rounds->n++;
    return 0;
}

static int
add_question(struct mcph_rounds *rounds, struct mcph_span key, struct mcph_span method,
             struct mcph_span params)
{
    struct mcph_client_question *q;
    const char *why;
    int code;

    q = mcph_question_new(rounds->op->client, rounds->op, rounds->frame, method, params,
                          &code, &why);
    if (!q)
        return code;
    q->key = key;
    mcph_list_append(&rounds->questions, &q->round_link);
    rounds->n_open++;
    return 0;
}

/* Returns true if the question belongs to a task and was answered before. */
static bool
was_answered(const struct mcph_operation *op, struct mcph_span key)
{
    const struct mcph_vec *answered = op->method->task ? op->answered : NULL;

    for (size_t i = 0; answered && i < answered->n; i++) {
        if (mcph_json_string_eq(key, mcph_span_str(answered->items[i])))
            return true;
    }
    return false;
}

static int
ask_one(struct mcph_rounds *rounds, struct mcph_span key, struct mcph_span request)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("method"), MCPH_JSON_WANT("params")};

    if (was_answered(rounds->op, key))
        return 0;
    if (mcph_json_type(request) != MCPH_JSON_OBJECT)
        return MCPHOST_E_PROTOCOL;
    (void)mcph_json_pick(request, want, MCPH_ARRAY_SIZE(want));
    return add_question(rounds, key, want[0].value, want[1].value);
}

/* Returns the array of pages in an error that asks for pages.  The array's p is NULL if
 * the error does not ask for pages. */
static struct mcph_span
pages_of(const struct mcph_rpc_answer *answer)
{
    struct mcph_span message, data, pages;
    int64_t code;

    mcph_rpc_error_read(answer->msg->error, &code, &message, &data);
    if (code != PAGES_CODE || mcph_json_type(data) != MCPH_JSON_OBJECT)
        return MCPH_SPAN_NONE;
    pages = mcph_json_get(data, "elicitations");
    return mcph_json_type(pages) == MCPH_JSON_ARRAY ? pages : MCPH_SPAN_NONE;
}

/* Begins a round.  Drops the questions of the previous round, and records how much of
 * the operation's time is left.  `state` is the requestState that the client sends back
 * with the answers. */
static void
reset_round(struct mcph_rounds *rounds, const struct mcph_rpc_answer *answer,
            struct mcph_span state)
{
    struct mcph_operation *op = rounds->op;

    drop_questions(rounds, ""); /* reports no question as over, because all questions
                                 * were answered */
    rounds->left = mcph_rpc_call_left(&op->rpc, mcph_core_now(op->client->core));
    rounds->hard_due = op->rpc.hard_due;
    mcph_frame_unref(rounds->frame);
    rounds->frame = mcph_frame_ref(answer->frame);
    rounds->state = state;
}

/* Reads the questions of the next round.  Returns 0, or a code with the reason in
 * *ret_why. */
static int
read_round(struct mcph_client *c, struct mcph_operation *op,
           const struct mcph_rpc_answer *answer, const char **ret_why)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("inputRequests"),
                                    MCPH_JSON_WANT("requestState")};
    struct mcph_span requests, key, value;
    struct mcph_rounds *rounds;
    struct mcph_json_iter it;
    int r;

    *ret_why = "the request is malformed";
    if (mcph_json_pick(answer->msg->result, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        (!want[0].value.p && !want[1].value.p) ||
        (want[0].value.p && mcph_json_type(want[0].value) != MCPH_JSON_OBJECT) ||
        (want[1].value.p && mcph_json_type(want[1].value) != MCPH_JSON_STRING))
        return MCPHOST_E_PROTOCOL;
    *ret_why = "out of memory";
    r = begin_round(c, op, ret_why);
    if (r < 0)
        return r;
    rounds = op->rounds;
    reset_round(rounds, answer, want[1].value);
    requests = want[0].value;
    *ret_why = "the request is invalid, or this kind of input was not offered";
    mcph_json_iter_init(&it, requests);
    while (requests.p && mcph_json_iter_next(&it, &key, &value)) {
        r = ask_one(rounds, key, value);
        if (r < 0)
            return r == MCPHOST_E_DENIED ? MCPHOST_E_PROTOCOL : r;
    }
    return 0;
}

/* Reads the pages of an error as questions.  Returns 0, or a code with the reason in
 * *ret_why. */
static int
read_pages(struct mcph_client *c, struct mcph_operation *op,
           const struct mcph_rpc_answer *answer, const char **ret_why)
{
    struct mcph_span url = mcph_span_str("\"url\""), pages, page;
    struct mcph_json_iter it;
    int r;

    *ret_why = "out of memory";
    r = begin_round(c, op, ret_why);
    if (r < 0)
        return r;
    reset_round(op->rounds, answer, MCPH_SPAN_NONE);
    op->rounds->pages = true;
    pages = pages_of(answer);
    *ret_why = "the request is invalid";
    mcph_json_iter_init(&it, pages);
    while (mcph_json_iter_next(&it, NULL, &page)) {
        if (mcph_json_type(page) != MCPH_JSON_OBJECT ||
            !mcph_json_string_eq(mcph_json_get(page, "mode"), url))
            return MCPHOST_E_PROTOCOL;
        r = add_question(op->rounds, MCPH_SPAN_NONE,
                         mcph_span_str("\"elicitation/create\""), page);
        if (r < 0)
            return r == MCPHOST_E_DENIED ? MCPHOST_E_PROTOCOL : r;
    }
    return 0;
}

static bool
has_pages(const struct mcph_rpc_answer *answer)
{
    struct mcph_span pages = pages_of(answer);

    return pages.p && mcph_json_count(pages) > 0;
}

bool
mcph_rounds_want_pages(const struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    return answer->code == MCPHOST_E_RPC && c->info.era == MCPH_CLIENT_LEGACY &&
           (c->spec.questions & MCPHOST_REQUEST_URL) && answer->frame &&
           has_pages(answer);
}

void
mcph_rounds_pages(struct mcph_client *c, struct mcph_operation *op,
                  const struct mcph_rpc_answer *answer)
{
    const char *why;
    int r = read_pages(c, op, answer, &why);

    if (r < 0) {
        mcph_operation_fail(op, r, "wants the user to open a page for", why);
        return;
    }
    if (op->rounds->hard_due != INT64_MAX)
        mcph_timer_set(&op->rounds->timer, op->rounds->hard_due);
    mcph_questions_tell(c);
}

/* Adds a copy of the name to the answered names.  The copy is the token as the server
 * wrote it, because the decoded name may contain a NUL. */
static int
remember_name(struct mcph_vec *answered, struct mcph_span key)
{
    char *copy = mcph_strndup(key.p, key.len);
    int r = copy ? mcph_vec_add(answered, copy) : MCPHOST_E_NOMEM;

    if (r < 0)
        free(copy);
    return r;
}

/* Remembers the names of the answered questions.  If memory is short, a name is lost and
 * its question is asked again.  The server ignores a second answer. */
void
mcph_rounds_taken(struct mcph_operation *op)
{
    if (!op->answered)
        return;
    mcph_list_for_each_entry (q, &op->rounds->questions,
                              const struct mcph_client_question, round_link)
        (void)remember_name(op->answered, q->key);
}

bool
mcph_rounds_asked(struct mcph_client *c, struct mcph_operation *op,
                  const struct mcph_rpc_answer *answer)
{
    struct mcph_rounds *rounds;
    const char *why;
    int64_t due, now = mcph_core_now(c->core);
    int r = read_round(c, op, answer, &why);

    if (r < 0) {
        mcph_operation_fail(op, r, "asked for input during", why);
        return true;
    }
    rounds = op->rounds;
    if (rounds->n_open == 0 && op->method->task)
        return false;
    due = rounds->hard_due;
    if (rounds->n_open == 0) {
        due = now + PAUSE_MS;
        if (rounds->left >= 0)
            rounds->left = rounds->left > PAUSE_MS ? rounds->left - PAUSE_MS : 0;
    }
    if (due != INT64_MAX)
        mcph_timer_set(&rounds->timer, due);
    mcph_questions_tell(c);
    return true;
}

/* ---- sending an operation again ---------------------------------------------------- */

int
mcph_rounds_add(const struct mcph_operation *op, struct mcph_buf *buf)
{
    const struct mcph_rounds *rounds = op->rounds;

    if (rounds->pages)
        return 0;
    if (!mcph_list_empty(&rounds->questions)) {
        mcph_buf_adds(buf, ",\"inputResponses\":{");
        mcph_list_for_each_entry (q, &rounds->questions,
                                  const struct mcph_client_question, round_link) {
            mcph_json_add_comma(buf);
            mcph_json_add_span(buf, q->key);
            mcph_buf_addc(buf, ':');
            mcph_buf_add(buf, q->answer, q->answer_len);
        }
        mcph_buf_addc(buf, '}');
    }
    if (rounds->state.p) {
        mcph_buf_adds(buf, ",\"requestState\":");
        mcph_buf_add(buf, rounds->state.p, rounds->state.len);
    }
    return mcph_buf_ok(buf);
}

size_t
mcph_rounds_size(const struct mcph_operation *op)
{
    size_t size = 0;

    mcph_list_for_each_entry (q, &op->rounds->questions,
                              const struct mcph_client_question, round_link)
        size += q->key.len + q->answer_len + 2;
    return size + op->rounds->state.len + 64;
}

static void
send_again(struct mcph_rounds *rounds)
{
    struct mcph_operation *op = rounds->op;
    struct mcph_client *c = op->client;
    int64_t now = mcph_core_now(c->core);
    int64_t max = rounds->hard_due == INT64_MAX
                      ? -1
                      : (rounds->hard_due > now ? rounds->hard_due - now : 0);

    mcph_timer_cancel(&rounds->timer);
    if (op->method->task)
        op->method = &mcph_methods[MCPH_METHOD_UPDATE_TASK];
    /* Keep the answers until the new request is answered, because the new request may be
     * refused and sent again. */
    mcph_operation_again(op, rounds->left, max);
}

static bool
is_accepted(const struct mcph_client_question *q)
{
    struct mcph_span action =
        mcph_json_get(mcph_span(q->answer, q->answer_len), "action");

    return mcph_json_type(action) == MCPH_JSON_STRING &&
           mcph_json_string_is(action, "accept", 6);
}

void
mcph_rounds_answered(struct mcph_client_question *q)
{
    struct mcph_rounds *rounds = q->op->rounds;

    if (!q->answer)
        mcph_operation_fail(q->op, MCPHOST_E_NOMEM, "asked for input during",
                            "out of memory");
    else if (rounds->pages && !is_accepted(q))
        mcph_operation_fail(q->op, MCPHOST_E_DENIED, "wanted the user to open a page for",
                            "the user did not");
    else if (--rounds->n_open == 0)
        send_again(rounds);
}

/* Ends the operation, because sampling and roots have no result that declines (MCP
 * 2026-07-28). */
void
mcph_rounds_refused(struct mcph_client_question *q, const char *message)
{
    mcph_operation_fail(q->op, MCPHOST_E_DENIED, "asked for input during", message);
}
