/* SPDX-License-Identifier: MIT
 *
 * request.c - requests of servers to the application, from the question to the answer.
 *
 *   open --respond, reject, last handle dropped--> settled --dispatch--> sent
 *      \___ over: cancelled, late, the call or the connection ended ___> settled
 *
 * The question belongs to the client, to the keeper of credentials (credential.c), or to
 * a provider (carrying.c).  Only the dispatcher uses the question.  The application holds
 * the request, on any thread.  The lock guards `settled`.  The side that sets `settled`
 * first determines the outcome.  An answer is checked, and made into a result, on the
 * thread that gives the answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "host/request.h"
#include "host/task.h"

#define ANSWER_MAX ((size_t)32 * 1024 * 1024)
#define URI_MAX    ((size_t)64 * 1024)
#define METHOD_MAX 64
#define REJECTED   (-1) /* the JSON-RPC code if the user refuses (MCP, "Sampling") */

/* Returns true if the answer is a secret. */
static bool
is_secret(const mcphost_request *request)
{
    return request->kind == MCPHOST_REQUEST_CREDENTIALS ||
           request->kind == MCPHOST_REQUEST_AUTHORIZE;
}

static void
put_in_list(mcphost_request *request)
{
    mcphost *host = request->host;

    if (!mcph_refs_put(&request->refs))
        return;
    if (request->call)
        mcph_call_put(request->call);
    mcph_frame_unref(request->frame);
    mcph_source_unref(request->source);
    free(request->server);
    free(request->dialog);
    free(request->message);
    free(request->url);
    mcph_kept_done(&request->kept);
    free(request->defaults);
    mcph_authorize_done(request);
    if (request->answer && is_secret(request))
        explicit_bzero(request->answer, request->answer_len);
    free(request->answer);
    free(request->why);
    free(request);
    mcph_host_put_mem(host);
}

/* ---- sending the answer ------------------------------------------------------------ */

static void
answer_question(mcphost_request *request, struct mcph_client_question *q, const char *why)
{
    if (request->answer)
        mcph_client_question_answer(q, mcph_span(request->answer, request->answer_len));
    else
        mcph_client_question_refuse(q, request->code, why);
}

static void
answer_ask(mcphost_request *request, struct mcph_ask *ask, const char *why)
{
    mcph_server_set_hold_up(request->source, request->server, NULL);
    if (request->answer && request->awaited.state)
        mcph_ask_paste(ask, request->answer, request->answer_len);
    else if (request->answer)
        mcph_ask_answer(ask, request->answer, request->answer_len, request->code,
                        request->why);
    else
        mcph_ask_refuse(ask, why);
}

/* Passes the answer, or the refusal, to the provider that asked.  The request's reference
 * keeps the call alive. */
static void
answer_provider(mcphost_request *request, struct mcph_ask_out *asked, const char *why)
{
    mcphost_error *err = NULL;

    if (!request->answer)
        mcph_err_rpc(&err, request->code, why, strlen(why), NULL, 0);
    mcph_carrying_answer(request->call, asked, err ? MCPHOST_E_RPC : 0,
                         mcph_span(request->answer, request->answer_len), err);
    mcphost_error_unref(err);
}

/* Separates the request from its question, because the answer is about to be passed on,
 * or because the question needs no answer any more.  Removes the request from the host's
 * list.  The caller drops the list's reference. */
static void
leave_questions(mcphost_request *request)
{
    request->question = NULL;
    request->ask = NULL;
    request->asked = NULL;
    mcph_timer_done(&request->timer);
    mcph_list_remove(&request->link);
}

static void
run_answer(struct mcph_job *job)
{
    mcphost_request *request = MCPH_CONTAINER_OF(job, mcphost_request, job);
    const char *why = request->why ? request->why : "the request was declined";
    struct mcph_client_question *q = request->question;
    struct mcph_ask *ask = request->ask;
    struct mcph_ask_out *asked = request->asked;

    leave_questions(request);
    if (q)
        answer_question(request, q, why);
    if (ask)
        answer_ask(request, ask, why);
    if (asked)
        answer_provider(request, asked, why);
    if (q || ask || asked)
        put_in_list(request);
    put_in_list(request);
}

/* Settles a request that is open.  Takes over `answer` and `why`, also on failure.
 * Returns 0, MCPHOST_E_STATE if the request is not open any more, or MCPHOST_E_FORKED. */
static int
settle_request(mcphost_request *request, char *answer, size_t len, int64_t code,
               char *why)
{
    mcphost *host = request->host;
    int r = mcph_core_enter_closed(host->core);

    if (r < 0)
        goto out;
    if (request->settled || host->ended) {
        r = MCPHOST_E_STATE;
    } else {
        request->settled = true;
        request->answer = answer;
        request->answer_len = len;
        request->code = code;
        request->why = why;
        answer = why = NULL;
        mcph_refs_get(&request->refs);
        mcph_core_post_locked(host->core, &request->job);
    }
    mcph_core_leave(host->core);
out:
    if (answer && is_secret(request))
        explicit_bzero(answer, len);
    free(answer);
    free(why);
    return r;
}

/* ---- references -------------------------------------------------------------------- */

void
mcph_request_get_user(mcphost_request *request)
{
    if (!request)
        return;
    mcph_refs_get(&request->users);
    mcph_refs_get(&request->refs);
}

void
mcph_request_put_user(mcphost_request *request)
{
    if (!request)
        return;
    /* A login needs no answer of the application, because the user answers on the login
     * page in a browser. */
    if (mcph_refs_put(&request->users) && request->kind != MCPHOST_REQUEST_AUTHORIZE)
        (void)settle_request(request, NULL, 0, MCPH_RPC_INTERNAL_ERROR,
                             mcph_strdup("the application does not answer the request"));
    put_in_list(request);
}

/* Returns 0 if the request waits for an answer, MCPHOST_E_STATE if it does not, or
 * MCPHOST_E_FORKED. */
static int
check_open(mcphost_request *request)
{
    int r = mcph_core_enter_closed(request->host->core);

    if (r < 0)
        return r;
    if (request->settled || request->host->ended)
        r = MCPHOST_E_STATE;
    mcph_core_leave(request->host->core);
    return r;
}

bool
mcph_request_is_open(mcphost_request *request)
{
    return check_open(request) == 0;
}

/* ---- asking ------------------------------------------------------------------------ */

static bool
copy_token(struct mcph_span token, char **ret)
{
    return mcph_json_type(token) != MCPH_JSON_STRING ||
           mcph_json_string_show(token, ret) == 0;
}

static bool
make_defaults(mcphost_request *request)
{
    struct mcph_buf buf;
    int r;

    if (!request->schema.p)
        return true;
    mcph_buf_init(&buf, ANSWER_MAX);
    r = mcph_form_defaults(request->schema, &buf);
    if (r == 0)
        request->defaults = mcph_buf_steal(&buf, &request->defaults_len);
    mcph_buf_done(&buf);
    return request->defaults != NULL;
}

mcphost_request *
mcph_request_new(mcphost *host, int kind, struct mcphost_source *source,
                 const char *server)
{
    mcphost_request *request = calloc(1, sizeof(*request));

    if (!request)
        return NULL;
    mcph_refs_init(&request->users);
    mcph_refs_init(&request->refs);
    mcph_host_get_mem(host);
    request->host = host;
    request->kind = kind;
    request->job.run = run_answer;
    mcph_list_init(&request->link);
    request->source = mcph_source_ref(source);
    request->server = mcph_strdup(server);
    if (request->server)
        return request;
    put_in_list(request);
    return NULL;
}

static mcphost_call *
call_of(const struct mcph_client_question *q)
{
    return q->op ? MCPH_CONTAINER_OF(q->op, mcphost_call, op) : NULL;
}

/* Makes a request of a question.  `call` is NULL if the server did not name the call for
 * which it asks. */
static mcphost_request *
make_request(const struct mcph_instance *inst, const struct mcph_client_question *q,
             mcphost_call *call, mcphost *host)
{
    const struct mcph_server *server = inst->owner;
    mcphost_request *request =
        mcph_request_new(host, q->kind, server->source, inst->spec->id);
    const char *dialog = mcph_instance_dialog(inst);

    if (!request)
        return NULL;
    if (call) {
        request->call = call;
        mcph_refs_get(&call->refs);
        dialog = call->dialog->id;
    }
    request->frame = mcph_frame_ref(q->frame);
    request->params = q->params;
    request->schema = q->schema;
    request->dialog = dialog ? mcph_strdup(dialog) : NULL;
    if (!request->dialog == !dialog && copy_token(q->message, &request->message) &&
        copy_token(q->url, &request->url) && make_defaults(request))
        return request;
    put_in_list(request);
    return NULL;
}

static void
emit_request(mcphost_request *request, bool open, const char *why)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_REQUEST,
                                  .state = open,
                                  .source = request->source->id,
                                  .server = request->server,
                                  .dialog = request->dialog,
                                  .call = request->call,
                                  .request = request,
                                  .text = why};

    mcph_emit(&request->host->journal, &event);
}

/* ---- limits on sampling ------------------------------------------------------------ */

#define MINUTE_US (INT64_C(60) * 1000 * 1000)
#define WHY_MAX   160

/* Returns how many sampling requests are nested around this request.  If the server does
 * not name the call for which it asks, returns the depth of the deepest call at the
 * instance. */
static unsigned
depth_of(const struct mcph_instance *inst, const mcphost_call *asking,
         const mcphost *host)
{
    unsigned depth = 0;

    if (asking)
        return asking->depth;
    mcph_list_for_each (item, &host->calls) {
        const mcphost_call *call = MCPH_LIST_ENTRY(item, mcphost_call, link);

        if (call->instance == inst && call->depth > depth)
            depth = call->depth;
    }
    return depth;
}

static int64_t
count_open(const struct mcph_server *server, const mcphost *host)
{
    int64_t n = 0;

    mcph_list_for_each (item, &host->requests) {
        const mcphost_request *request = MCPH_LIST_ENTRY(item, mcphost_request, link);

        n += request->kind == MCPHOST_REQUEST_SAMPLING &&
             request->source == server->source &&
             strcmp(request->server, server->id) == 0;
    }
    return n;
}

/* Counts a sampling request.  Each request moves `sampling_due` on by a minute divided
 * by `rate`.  If `sampling_due` would then be more than a minute ahead of the clock,
 * returns true and does not count the request. */
static bool
is_too_often(struct mcph_server *server, int64_t rate, int64_t now_us)
{
    int64_t each = MINUTE_US / rate;
    int64_t due = server->sampling_due > now_us ? server->sampling_due : now_us;

    if (due + each > now_us + MINUTE_US)
        return true;
    server->sampling_due = due + each;
    return false;
}

/* Returns true if the server's limits allow this sampling request.  Otherwise writes the
 * reason, a text for the server, into `why`. */
static bool
may_sample(struct mcph_server *server, unsigned depth, mcphost *host, char why[WHY_MAX])
{
    int64_t open = mcph_source_policy(server->source, MCPHOST_OPT_SAMPLING_OPEN);
    int64_t rate = mcph_source_policy(server->source, MCPHOST_OPT_SAMPLING_RATE);
    int64_t deepest = mcph_source_policy(server->source, MCPHOST_OPT_SAMPLING_DEPTH);

    if (depth >= deepest)
        snprintf(why, WHY_MAX, "sampling is nested more than %" PRId64 " deep", deepest);
    else if (count_open(server, host) >= open)
        snprintf(why, WHY_MAX,
                 "%" PRId64 " sampling requests of this server are open, "
                 "the most that the host allows",
                 open);
    else if (is_too_often(server, rate, mcph_core_now(host->core) * 1000))
        snprintf(why, WHY_MAX,
                 "this server asks for sampling more than %" PRId64
                 " times a minute, the most that the host allows",
                 rate);
    else
        return true;
    mcph_log(host->core, MCPHOST_LOG_DEBUG, "host", server->id, "sampling refused: %s",
             why);
    return false;
}

/* Makes the request of a question.  Returns 0, or MCPHOST_E_LIMIT if the limits on
 * sampling forbid the request, or MCPHOST_E_NOMEM.  On failure, writes the reason, a text
 * for the server, into `why`. */
static int
admit_question(struct mcph_instance *inst, const struct mcph_client_question *q,
               mcphost_call *call, mcphost *host, mcphost_request **ret,
               char why[WHY_MAX])
{
    unsigned depth = q->kind == MCPHOST_REQUEST_SAMPLING ? depth_of(inst, call, host) : 0;

    if (q->kind == MCPHOST_REQUEST_SAMPLING && !may_sample(inst->owner, depth, host, why))
        return MCPHOST_E_LIMIT;
    *ret = make_request(inst, q, call, host);
    if (!*ret) {
        snprintf(why, WHY_MAX, "out of memory");
        return MCPHOST_E_NOMEM;
    }
    (*ret)->depth = depth;
    return 0;
}

void
mcph_request_ask(struct mcph_instance *inst, struct mcph_client_question *q,
                 mcphost *host)
{
    mcphost_request *request;
    char why[WHY_MAX];

    if (admit_question(inst, q, call_of(q), host, &request, why) < 0) {
        mcph_client_question_refuse(q, MCPH_RPC_INTERNAL_ERROR, why);
        return;
    }
    q->owner = request;
    request->question = q;
    if (request->call)
        mcph_task_asks(request->call);
    mcph_request_tell(request);
}

/* ---- questions of providers -------------------------------------------------------- */

/* Makes a frame of the params of a provider's question.  Without `mode`, a question with
 * a URL would count as a form.  Therefore adds `mode` to such a question if the provider
 * has left it out.  Returns NULL if memory is short. */
static struct mcph_frame *
make_params(const struct mcph_ask_out *asked)
{
    struct mcph_span params =
        mcph_span(asked->params ? asked->params : "", asked->params_len);
    struct mcph_frame *frame;
    char *text;

    if (asked->kind != MCPHOST_REQUEST_URL || !mcph_json_get(params, "url").p ||
        mcph_json_get(params, "mode").p)
        return mcph_frame_new(params.p, params.len);
    text = mcph_asprintf("%.*s,\"mode\":\"url\"}", (int)(params.len - 1), params.p);
    frame = text ? mcph_frame_new(text, strlen(text)) : NULL;
    free(text);
    return frame;
}

/* Reads a provider's question as if a server had asked it.  On failure, *ret_why gets the
 * reason. */
static int
read_ask(const struct mcph_ask_out *asked, const mcphost *host,
         struct mcph_client_question *q, const char **ret_why)
{
    unsigned on = (unsigned)host->options[MCPHOST_OPT_REQUESTS];
    char method[METHOD_MAX];
    int r;

    snprintf(method, sizeof(method), "\"%s\"", mcph_ask_method(asked->kind));
    *q = (struct mcph_client_question){0};
    q->frame = make_params(asked);
    if (!q->frame) {
        *ret_why = "out of memory";
        return MCPHOST_E_NOMEM;
    }
    q->params = mcph_frame_span(q->frame);
    r = mcph_client_question_read(on, mcph_span_str(method), q, ret_why);
    if (r == 0 && q->kind != asked->kind) {
        *ret_why = "the mode does not fit the kind of request";
        r = MCPHOST_E_PROTOCOL;
    }
    return r == MCPHOST_E_PROTOCOL ? MCPHOST_E_INVALID : r;
}

/* Gives up the question of a provider, as a client gives up the question of a server. */
static void
on_late(struct mcph_timer *timer)
{
    static const char why[] = "the application did not answer in time";
    mcphost_request *request = MCPH_CONTAINER_OF(timer, mcphost_request, timer);
    struct mcph_ask_out *asked = request->asked;
    mcphost_call *call = request->call;
    struct mcph_span result = mcph_client_question_give_up(request->kind);
    mcphost_error *err = NULL;
    bool settled;

    mcph_core_lock(request->host->core);
    settled = request->settled;
    mcph_core_unlock(request->host->core);
    if (settled)
        return; /* run_answer(), which is posted, passes the answer to the provider */
    mcph_refs_get(&call->refs);
    mcph_request_end(request, why);
    if (!result.p)
        mcph_err_rpc(&err, MCPH_RPC_INTERNAL_ERROR, why, sizeof(why) - 1, NULL, 0);
    mcph_carrying_answer(call, asked, result.p ? 0 : MCPHOST_E_RPC, result, err);
    mcphost_error_unref(err);
    mcph_call_put(call);
}

/* Applies MCPHOST_OPT_REQUEST_TIMEOUT.  Returns 0 or MCPHOST_E_NOMEM. */
static int
limit_question(mcphost_request *request)
{
    struct mcph_core *core = request->host->core;
    int64_t ms = request->host->options[MCPHOST_OPT_REQUEST_TIMEOUT];
    int r = ms < 0 ? 0 : mcph_timer_init(&request->timer, core, on_late);

    if (r == 0 && ms >= 0)
        mcph_timer_set(&request->timer, mcph_core_now(core) + ms);
    return r;
}

void
mcph_request_ask_for(mcphost_call *call, struct mcph_ask_out *asked)
{
    struct mcph_client_question q;
    mcphost_request *request = NULL;
    mcphost_error *err = NULL;
    const char *text = "";
    char why[WHY_MAX];
    int r = read_ask(asked, call->host, &q, &text);

    if (r == 0) {
        r = admit_question(call->instance, &q, call, call->host, &request, why);
        text = why;
    }
    if (r == 0 && limit_question(request) < 0) {
        put_in_list(request);
        r = MCPHOST_E_NOMEM;
        text = mcphost_strerror(r);
    }
    mcph_frame_unref(q.frame);
    if (r == 0) {
        asked->carried = request;
        request->asked = asked;
        mcph_request_tell(request);
        return;
    }
    mcph_err(&err, r, "%s", text);
    mcph_carrying_answer(call, asked, r, MCPH_SPAN_NONE, err);
    mcphost_error_unref(err);
}

void
mcph_request_forget(struct mcph_ask_out *asked)
{
    mcph_request_end(asked->carried, "the call has ended");
}

void
mcph_request_tell(mcphost_request *request)
{
    mcph_refs_get(&request->refs);
    mcph_list_append(&request->host->requests, &request->link);
    request->sampled = mcph_sampler_take(request);
    if (!request->sampled)
        emit_request(request, true, NULL);
    /* Drop this function's reference.  If neither the event nor the sampler has taken a
     * reference, this was the last reference of the application, and the request is
     * refused. */
    mcph_request_put_user(request);
}

void
mcph_request_over(struct mcph_client_question *q, const char *why)
{
    mcph_request_end(q->owner, why);
}

void
mcph_request_end(mcphost_request *request, const char *why)
{
    struct mcph_core *core = request->host->core;
    bool open;

    leave_questions(request);
    mcph_core_lock(core);
    open = !request->settled;
    request->settled = true;
    mcph_core_unlock(core);
    if (open && !request->sampled)
        emit_request(request, false, why);
    put_in_list(request);
}

void
mcph_requests_done(mcphost *host)
{
    struct mcph_list *item;

    for (item = mcph_list_take_first(&host->requests); item;
         item = mcph_list_take_first(&host->requests)) {
        mcphost_request *request = MCPH_LIST_ENTRY(item, mcphost_request, link);

        leave_questions(request);
        put_in_list(request);
    }
}

/* ---- answering --------------------------------------------------------------------- */

static int
add_as_it_is(struct mcph_buf *buf, struct mcph_span json, mcphost_error **reterr)
{
    int r = mcph_rpc_add_oneline(buf, json);

    return r < 0 ? mcph_err(reterr, r, "answer: %s", mcphost_strerror(r)) : 0;
}

static int
add_form(const mcphost_request *request, struct mcph_span json, bool whole,
         struct mcph_buf *buf, mcphost_error **reterr)
{
    int r = 0;

    if (json.p)
        r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "answer", &json, reterr);
    if (r < 0)
        return r;
    mcph_buf_adds(buf, "{\"action\":\"accept\",\"content\":");
    r = whole ? mcph_form_fill(request->schema, json, buf, reterr)
              : mcph_form_fill_part(request->schema, json, buf, reterr);
    mcph_buf_addc(buf, '}');
    return r;
}

/* Checks a CreateMessageResult (MCP 2025-11-25, "Sampling"), and adds it to `buf`. */
static int
add_message(struct mcph_span json, struct mcph_buf *buf, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("role"), MCPH_JSON_WANT("content"),
                                    MCPH_JSON_WANT("model")};
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "answer", &json, reterr);
    int type;

    if (r < 0)
        return r;
    if (mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want)) < 0 ||
        mcph_json_type(want[0].value) != MCPH_JSON_STRING ||
        mcph_json_type(want[2].value) != MCPH_JSON_STRING)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "answer: a message needs 'role' and 'model'");
    type = mcph_json_type(want[1].value);
    if (type != MCPH_JSON_OBJECT && type != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "answer: 'content' of a message must be an object or an array");
    return add_as_it_is(buf, json, reterr);
}

static bool
is_root(struct mcph_span root)
{
    struct mcph_span uri, text;
    struct mcph_buf buf;
    bool good;

    if (mcph_json_type(root) != MCPH_JSON_OBJECT)
        return false;
    uri = mcph_json_get(root, "uri");
    if (mcph_json_type(uri) != MCPH_JSON_STRING)
        return false;
    mcph_buf_init(&buf, URI_MAX);
    good = mcph_json_string_get(uri, &buf, &text) == 0 && text.len > 7 &&
           strncasecmp(text.p, "file://", 7) == 0;
    mcph_buf_done(&buf);
    return good;
}

static int
add_roots(struct mcph_span json, struct mcph_buf *buf, mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span root;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_ARRAY, "answer", &json, reterr);

    if (r < 0)
        return r;
    mcph_json_iter_init(&it, json);
    while (mcph_json_iter_next(&it, NULL, &root)) {
        if (!is_root(root))
            return mcph_err(
                reterr, MCPHOST_E_INVALID,
                "answer: a root must be an object with a 'uri' that begins with file://");
    }
    mcph_buf_adds(buf, "{\"roots\":");
    r = add_as_it_is(buf, json, reterr);
    mcph_buf_addc(buf, '}');
    return r;
}

/* Checks the application's answer to a request, and adds the result to `buf`.  If `whole`
 * is false, fields of a form may be missing. */
static int
add_answer(const mcphost_request *request, struct mcph_span json, bool whole,
           struct mcph_buf *buf, int64_t *ret_code, char **ret_scope,
           mcphost_error **reterr)
{
    switch (request->kind) {
    case MCPHOST_REQUEST_FORM:
        return add_form(request, json, whole, buf, reterr);
    case MCPHOST_REQUEST_SAMPLING:
        return add_message(json, buf, reterr);
    case MCPHOST_REQUEST_ROOTS:
        return add_roots(json, buf, reterr);
    case MCPHOST_REQUEST_CREDENTIALS:
        return mcph_credential_read(json, buf, ret_code, ret_scope, reterr);
    case MCPHOST_REQUEST_AUTHORIZE:
        return mcph_authorize_read(request, json, buf, reterr);
    default:
        if (json.p)
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "answer: consent to open a page must have no content");
        mcph_buf_adds(buf, "{\"action\":\"accept\"}");
        return 0;
    }
}

/* Checks the answer `json` to a request, and writes the result to `buf`.  The caller
 * frees the contents of `buf` with end_answer(), also on failure. */
static int
make_answer(const mcphost_request *request, const char *json, size_t len, bool whole,
            struct mcph_buf *buf, int64_t *ret_code, char **ret_scope,
            mcphost_error **reterr)
{
    int r;

    mcph_buf_init(buf, 2 * ANSWER_MAX);
    if (len > ANSWER_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "answer: larger than %zu bytes",
                        ANSWER_MAX);
    r = add_answer(request, json ? mcph_span(json, len) : MCPH_SPAN_NONE, whole, buf,
                   ret_code, ret_scope, reterr);
    if (r < 0)
        return r;
    r = mcph_buf_ok(buf);
    return r < 0 ? mcph_err(reterr, r, "answer: %s", mcphost_strerror(r)) : 0;
}

static void
end_answer(const mcphost_request *request, struct mcph_buf *buf, char *scope)
{
    free(scope);
    if (is_secret(request) && buf->data)
        explicit_bzero(buf->data, buf->cap);
    mcph_buf_done(buf);
}

int
mcph_request_check(const mcphost_request *request, const char *json, size_t len,
                   mcphost_error **reterr)
{
    struct mcph_buf buf;
    char *scope = NULL;
    int64_t code = 0;
    int r = make_answer(request, json, len, false, &buf, &code, &scope, reterr);

    end_answer(request, &buf, scope);
    return r;
}

static int
refuse_answer(int r, mcphost_error **reterr)
{
    return r == MCPHOST_E_STATE ? mcph_err(reterr, r, "the request is not open any more")
                                : mcph_err(reterr, r, "answer: %s", mcphost_strerror(r));
}

int
mcph_request_respond(mcphost_request *request, const char *json, size_t len,
                     mcphost_error **reterr)
{
    struct mcph_buf buf;
    char *answer = NULL, *scope = NULL;
    int64_t code = 0;
    size_t n = 0;
    int r = check_open(request);

    /* If the answer is too late, refuse it as too late, even if it is also invalid. */
    if (r < 0)
        return refuse_answer(r, reterr);
    r = make_answer(request, json, len, true, &buf, &code, &scope, reterr);
    if (r == 0) {
        answer = mcph_buf_steal(&buf, &n);
        r = answer ? settle_request(request, answer, n, code, scope) : MCPHOST_E_NOMEM;
        scope = answer ? NULL : scope;
        if (r < 0)
            refuse_answer(r, reterr);
    }
    end_answer(request, &buf, scope);
    return r;
}

int
mcph_request_reject(mcphost_request *request, int how, const char *message)
{
    bool elicits =
        request->kind == MCPHOST_REQUEST_FORM || request->kind == MCPHOST_REQUEST_URL;
    int64_t code = how == MCPHOST_REJECT_ERROR ? MCPH_RPC_INTERNAL_ERROR : REJECTED;
    const char *result = NULL;
    char *answer = NULL, *why = NULL;

    if (how != MCPHOST_REJECT_ERROR && elicits)
        result = how == MCPHOST_REJECT_DECLINE ? "{\"action\":\"decline\"}"
                                               : "{\"action\":\"cancel\"}";
    if (result)
        answer = mcph_strdup(result);
    else if (message)
        why = mcph_strdup(message);
    else
        why = mcph_strdup(code == REJECTED ? "the user declined"
                                           : "the request cannot be answered");
    if (!answer && !why)
        return MCPHOST_E_NOMEM;
    return settle_request(request, answer, result ? strlen(result) : 0, code, why);
}

/* ---- roots ------------------------------------------------------------------------- */

void
mcph_roots_run(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, roots_job);

    mcph_core_lock(host->core);
    host->roots_posted = false;
    mcph_core_unlock(host->core);
    mcph_pool_roots_changed(host->pool);
}

int
mcph_roots_post(mcphost *host)
{
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    if (!host->roots_posted)
        mcph_core_post_locked(host->core, &host->roots_job);
    host->roots_posted = true;
    mcph_core_leave(host->core);
    return 0;
}
