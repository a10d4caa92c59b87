/* SPDX-License-Identifier: MIT
 *
 * client.c - the life of a client: start, events of the transport, end.
 *
 *   NEW --start--> CONNECTING --agreed--> READY --lost, stop--> DOWN
 *                    |    ^
 *             restart v    | start
 *                    WAITING
 *
 * While the handshake is repeated, a READY client is CONNECTING again.
 *
 * Every end passes through mcph_client_go_down(), mcph_client_stop() or
 * mcph_client_free().  A job frees the memory, so that a client may be freed from any of
 * its events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

/* ---- errors ------------------------------------------------------------------------ */

int
mcph_client_error(const struct mcph_client *c, mcphost_error **reterr, int code,
                  const char *fmt, ...)
{
    char *text;
    va_list ap;

    if (!reterr)
        return code;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    if (!text) {
        mcph_err_nomem(reterr);
        return code;
    }
    mcph_err(reterr, code, "%s", text);
    mcph_err_set_server(*reterr, c->spec.source, c->spec.server);
    free(text);
    return code;
}

/* Limit on the bytes of a server's message that mcph_client_rpc_error() masks.  An
 * error shows fewer bytes. */
#define SAID_MAX 16000

int
mcph_client_rpc_error(const struct mcph_client *c, mcphost_error **reterr,
                      const char *what, const struct mcph_rpc_answer *answer)
{
    struct mcph_span token, data, said = mcph_span_str("no message");
    struct mcph_buf decoded, text;
    int64_t code;
    int r;

    mcph_buf_init(&decoded, 1024 * 1024);
    mcph_buf_init(&text, 1024 * 1024);
    mcph_rpc_error_read(answer->msg->error, &code, &token, &data);
    if (token.p)
        (void)mcph_json_string_get(token, &decoded, &said);
    mcph_buf_adds(&text, what);
    /* Mask more bytes than the error shows.  A secret that the cut at SAID_MAX splits
     * might stay unmasked, but the error does not show the bytes near this cut. */
    mcph_buf_add(&text, said.p, said.len < SAID_MAX ? said.len : SAID_MAX);
    if (mcph_buf_ok(&text) == 0 && text.len)
        mcph_mask_text(c->spec.mask, text.data, text.len);
    if (mcph_buf_ok(&text) == 0) {
        mcph_err_rpc(reterr, code, text.data, text.len, data.p, data.len);
        r = MCPHOST_E_RPC;
        if (reterr) {
            mcph_err_set_server(*reterr, c->spec.source, c->spec.server);
            mcph_err_set_http(*reterr, answer->status, answer->retry_after.p,
                              answer->retry_after.len);
        }
    } else {
        r = mcph_err_nomem(reterr);
    }
    mcph_buf_done(&text);
    mcph_buf_done(&decoded);
    return r;
}

bool
mcph_client_awaits_credentials(const struct mcph_client *c, mcphost_error **reterr,
                               const char *what)
{
    if (!c->transport || !mcph_transport_awaits_credentials(c->transport))
        return false;
    mcph_client_error(
        c, reterr, MCPHOST_E_TIMEOUT,
        "wants credentials, but the application did not supply them in time for %s",
        what);
    return true;
}

int
mcph_client_answer_error(const struct mcph_client *c, mcphost_error **reterr,
                         const char *method, const struct mcph_rpc_answer *answer)
{
    char what[96];

    if (answer->error) {
        if (reterr)
            *reterr = mcphost_error_ref(answer->error);
        return answer->code;
    }
    switch (answer->code) {
    case MCPHOST_E_RPC:
        snprintf(what, sizeof(what), "refused %s: ", method);
        return mcph_client_rpc_error(c, reterr, what, answer);
    case MCPHOST_E_TIMEOUT:
        if (mcph_client_awaits_credentials(c, reterr, method))
            return MCPHOST_E_TIMEOUT;
        return mcph_client_error(c, reterr, MCPHOST_E_TIMEOUT,
                                 "did not answer %s in time", method);
    case MCPHOST_E_LIMIT:
        return mcph_client_error(c, reterr, MCPHOST_E_LIMIT,
                                 "answered %s with a message over the size limit",
                                 method);
    default:
        return answer->why ? mcph_client_error(c, reterr, answer->code,
                                               "sent a broken answer to %s: %s", method,
                                               answer->why)
                           : mcph_client_error(c, reterr, answer->code,
                                               "gave no answer to %s: %s", method,
                                               mcphost_strerror(answer->code));
    }
}

void
mcph_client_odd(struct mcph_client *c, const char *kind, const char *text)
{
    if (c->events->odd)
        c->events->odd(c, kind, text, c->arg);
}

/* ---- the end of a client ----------------------------------------------------------- */

static void
release_transport(struct mcph_client *c)
{
    if (c->transport)
        mcph_transport_set_user(c->transport, NULL, NULL);
    c->transport = NULL;
}

/* Stops all activity of the client: requests, timers and questions.  Releases the
 * transport. */
static void
stop_activity(struct mcph_client *c)
{
    mcph_negotiate_stop(c);
    mcph_client_lists_stop(c);
    mcph_client_listen_stop(c);
    mcph_client_subscriptions_drop(c);
    mcph_client_tasks_drop(c);
    mcph_client_ping_stop(c);
    mcph_questions_over(c, NULL, true, "the connection has ended");
    mcph_client_level_stop(c);
    release_transport(c);
}

bool
mcph_client_is_losing(const struct mcph_client *c, int code)
{
    return code == MCPHOST_E_TRANSPORT && c->transport &&
           c->transport->state == MCPH_TRANSPORT_OPEN;
}

void
mcph_client_go_down(struct mcph_client *c, mcphost_error *error)
{
    if (c->state != MCPH_CLIENT_DOWN && !c->freed) {
        if (c->unproven)
            mcph_client_cache_forget_all(c);
        c->state = MCPH_CLIENT_DOWN;
        stop_activity(c);
        mcph_operations_fail(c, error);
        if (!c->freed)
            c->events->down(c, error, c->arg);
    }
    mcphost_error_unref(error);
}

void
mcph_client_restart(struct mcph_client *c, mcphost_error *reason)
{
    mcph_timer_cancel(&c->probe_timer);
    mcph_rpc_abandon(&c->probe);
    mcph_rpc_abandon(&c->init);
    mcph_rpc_abandon(&c->take_up);
    release_transport(c);
    c->restarted = true;
    c->talking_legacy = c->probed = false;
    c->state = MCPH_CLIENT_WAITING;
    c->events->restart(c, reason, c->arg);
    mcphost_error_unref(reason);
}

void
mcph_client_stop(struct mcph_client *c, int code, mcphost_error *error)
{
    mcphost_error *own = NULL;

    if (c->state == MCPH_CLIENT_DOWN || c->freed)
        return;
    c->state = MCPH_CLIENT_DOWN;
    stop_activity(c);
    if (error)
        mcph_err_copy(&own, error, c->spec.source, c->spec.server);
    else
        mcph_client_error(c, &own, code, "was stopped");
    mcph_operations_fail(c, own);
    mcphost_error_unref(own);
}

static void
free_client(struct mcph_client *c)
{
    mcph_rpc_done(&c->rpc);
    mcph_timer_done(&c->probe_timer);
    mcph_timer_done(&c->start_timer);
    mcph_timer_done(&c->ping.timer);
    mcph_timer_done(&c->listen.timer);
    mcph_client_subscriptions_done(c);
    mcph_client_tasks_drop(c);
    mcphost_error_unref(c->init_error);
    mcph_frame_unref(c->info.frame);
    mcph_client_lists_done(c);
    mcph_frame_unref(c->recalled);
    mcph_buf_done(&c->meta);
    free((char *)(uintptr_t)c->spec.server);
    free((char *)(uintptr_t)c->spec.source);
    mcph_mask_unref(c->spec.mask);
    free((char *)(uintptr_t)c->spec.name);
    free((char *)(uintptr_t)c->spec.version);
    free((char *)(uintptr_t)c->spec.title);
    free((char *)(uintptr_t)c->spec.log_level);
    mcph_core_unref(c->core);
    free(c);
}

static void
run_free(struct mcph_job *job)
{
    free_client(MCPH_CONTAINER_OF(job, struct mcph_client, free_job));
}

struct mcph_client *
mcph_client_free(struct mcph_client *c)
{
    if (!c || c->freed)
        return NULL;
    c->freed = true;
    stop_activity(c);
    c->state = MCPH_CLIENT_DOWN;
    mcph_operations_forget(c);
    mcph_gate_drop(c);
    mcph_core_post(c->core, &c->free_job);
    return NULL;
}

/* ---- events of the transport and the endpoint -------------------------------------- */

static void
on_message(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame, void *arg)
{
    struct mcph_client *c = arg;

    (void)t;
    c->rpc.stream = stream;
    mcph_rpc_receive(&c->rpc, frame);
    c->rpc.stream = 0;
}

static void
on_parsed(struct mcph_transport *t, uint64_t stream, const struct mcph_rpc_message *msg,
          void *arg)
{
    struct mcph_client *c = arg;

    (void)t;
    c->rpc.stream = stream;
    mcph_rpc_receive_parsed(&c->rpc, msg);
    c->rpc.stream = 0;
}

static void
on_closed(struct mcph_transport *t, uint64_t stream, mcphost_error *reason, void *arg)
{
    struct mcph_client *c = arg;
    mcphost_error *own;

    (void)t;
    if (stream != 0) {
        mcph_stream_closed(c, stream, reason);
        return;
    }
    mcph_err_copy(&own, reason, c->spec.source, c->spec.server);
    if (c->state == MCPH_CLIENT_CONNECTING)
        mcph_negotiate_closed(c, own);
    else
        mcph_client_go_down(c, own);
}

static void
on_status(struct mcph_transport *t, uint64_t stream,
          const struct mcph_transport_status *status, void *arg)
{
    (void)t;
    mcph_stream_status(arg, stream, status);
}

/* Handles an interruption of the transport's common stream.  Treats the lists and
 * resources as changed, because change notices of a legacy server may be lost. */
static void
on_missed(struct mcph_transport *t, void *arg)
{
    struct mcph_client *c = arg;

    (void)t;
    if (c->state != MCPH_CLIENT_READY)
        return;
    mcph_client_lists_changed(c, c->spec.lists & c->info.list_changed);
    mcph_client_subscriptions_missed(c);
}

static const struct mcph_transport_user transport_user = {
    .message = on_message,
    .parsed = on_parsed,
    .status = on_status,
    .missed = on_missed,
    .closed = on_closed,
};

static struct mcph_client *
client_of(struct mcph_rpc *rpc)
{
    return MCPH_CONTAINER_OF(rpc, struct mcph_client, rpc);
}

/* Handles a request of the server.  Drops a request of a modern server, and a request
 * that comes while only the probe was sent.  Answers a ping of a legacy server at any
 * time (MCP 2025-11-25, "Ping").  mcph_question_ask() refuses other requests unless the
 * client offered to answer them. */
static void
on_request(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);

    if (c->state == MCPH_CLIENT_DOWN)
        return; /* an earlier message of the batch ended the client */
    if (!c->talking_legacy)
        mcph_log(c->core, MCPHOST_LOG_DEBUG, "client", c->spec.server,
                 "a request from the server was dropped");
    else if (mcph_rpc_method_is(msg, "ping"))
        mcph_client_send_result(c, msg->id.raw, mcph_span_str("{}"));
    else
        mcph_question_ask(c, msg);
}

static void
tell_log(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("level"), MCPH_JSON_WANT("logger"),
                                    MCPH_JSON_WANT("data")};

    if (!c->events->log || mcph_json_type(msg->params) != MCPH_JSON_OBJECT)
        return;
    (void)mcph_json_pick(msg->params, want, MCPH_ARRAY_SIZE(want));
    for (size_t i = 0; i < 2; i++) {
        if (mcph_json_type(want[i].value) != MCPH_JSON_STRING)
            want[i].value = MCPH_SPAN_NONE;
    }
    c->events->log(c, want[0].value, want[1].value, want[2].value, c->arg);
}

static void
on_change(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    const struct list_notice *notice = mcph_client_lists_notice(msg);

    if (notice)
        mcph_client_lists_changed(c, notice->kinds);
    else if (mcph_client_tasks_notice(c, msg))
        return;
    else if (mcph_rpc_method_is(msg, "notifications/resources/updated"))
        mcph_client_subscriptions_updated(c, msg);
}

static void
on_notification(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);
    bool modern = c->info.era == MCPH_CLIENT_MODERN;

    if (c->state == MCPH_CLIENT_DOWN ||
        (c->state == MCPH_CLIENT_CONNECTING && !c->talking_legacy))
        return;
    if (mcph_rpc_method_is(msg, "notifications/message"))
        tell_log(c, msg);
    else if (modern &&
             mcph_rpc_method_is(msg, "notifications/subscriptions/acknowledged"))
        mcph_client_listen_acknowledged(c, msg);
    else if (mcph_rpc_method_is(msg, "notifications/cancelled")) {
        if (modern)
            mcph_client_listen_cancelled(c, msg);
        else
            mcph_question_cancelled(c, msg);
    } else if (!modern && mcph_rpc_method_is(msg, "notifications/elicitation/complete")) {
        mcph_question_completed(c, msg);
    } else if (!modern || mcph_client_listen_owns(c, msg)) {
        on_change(c, msg);
    }
}

static void
on_stray_error(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);

    if (c->state == MCPH_CLIENT_CONNECTING)
        mcph_negotiate_stray_error(c, msg);
    else
        mcph_log(c->core, MCPHOST_LOG_WARNING, "client", c->spec.server,
                 "an error answer without an id was dropped");
}

#define NOISE_MAX    160
#define NOISE_WINDOW (NOISE_MAX + 1024u) /* bytes that are masked before the cut */

/* Adds the first bytes of a message, with its secrets masked. */
static int
add_noise(const struct mcph_client *c, struct mcph_buf *text, struct mcph_span whole)
{
    size_t len = whole.len < NOISE_WINDOW ? whole.len : NOISE_WINDOW;
    char *copy = mcph_strndup(whole.p ? whole.p : "", len);
    int r;

    if (!copy)
        return MCPHOST_E_NOMEM;
    mcph_mask_text(c->spec.mask, copy, len);
    r = mcph_utf8_add_clean(text, copy, len < NOISE_MAX ? len : NOISE_MAX, true);
    explicit_bzero(copy, len);
    free(copy);
    return r;
}

static void
on_garbage(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);
    struct mcph_span whole = MCPH_SPAN_NONE;
    struct mcph_buf text;

    if (c->state == MCPH_CLIENT_DOWN)
        return;
    if (msg->frame && !msg->frame->over)
        whole = mcph_frame_span(msg->frame);
    mcph_buf_init(&text, 4 * NOISE_MAX);
    if (!c->events->noise || add_noise(c, &text, whole) < 0) {
        mcph_buf_done(&text);
        return;
    }
    if (whole.len > NOISE_MAX)
        mcph_buf_adds(&text, "...");
    if (mcph_buf_text(&text))
        c->events->noise(c, whole.p ? text.data : msg->why, c->arg);
    mcph_buf_done(&text);
}

#define ID_MAX 40

static void
on_foreign(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);
    struct mcph_span id = msg->id.raw;
    struct mcph_buf text;

    /* Do not report a foreign id while only the probe was sent.  A server that answers
     * the probe with a wrong id only delays the start by probe_ms: the client then
     * sends initialize. */
    if (c->state == MCPH_CLIENT_DOWN || c->told_foreign ||
        (c->state == MCPH_CLIENT_CONNECTING && !c->talking_legacy))
        return;
    c->told_foreign = true;
    mcph_buf_init(&text, 1024);
    mcph_buf_adds(&text, "answered with the id ");
    mcph_utf8_add_clean(&text, id.p, id.len < ID_MAX ? id.len : ID_MAX, true);
    mcph_buf_adds(&text, id.len > ID_MAX ? "..." : "");
    mcph_buf_adds(&text, ", which belongs to no open request; a call that waits for this "
                         "answer will time out");
    if (mcph_buf_text(&text))
        mcph_client_odd(c, MCPH_CLIENT_ODD_ID, text.data);
    mcph_buf_done(&text);
}

static void
on_mended(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg)
{
    struct mcph_client *c = client_of(rpc);

    (void)msg;
    if (c->state != MCPH_CLIENT_DOWN)
        mcph_client_odd(c, MCPH_CLIENT_ODD_UTF8,
                        "sent an answer that is not valid UTF-8; invalid bytes are "
                        "replaced with U+FFFD, here and in later answers");
}

static const struct mcph_rpc_ops rpc_ops = {
    .on_request = on_request,
    .on_notification = on_notification,
    .on_stray_error = on_stray_error,
    .on_garbage = on_garbage,
    .on_foreign = on_foreign,
    .on_mended = on_mended,
};

/* ---- start and READY --------------------------------------------------------------- */

void
mcph_client_spec_init(struct mcph_client_spec *spec)
{
    *spec = (struct mcph_client_spec){
        .era = MCPH_CLIENT_AUTO,
        .cached_era = MCPH_CLIENT_AUTO,
        .probe_ms = 5000,
        .start_ms = 60000,
        .list_ms = 15000,
        .changed_ms = 100,
        .ping_timeout_ms = 10000,
        .lists = 1u << MCPH_LIST_TOOLS,
        .listen = 1u << MCPH_LIST_TOOLS,
        .max_pages = 64,
        .max_list_bytes = (size_t)64 * 1024 * 1024,
        .max_subscriptions = 1024,
        .max_subscription_bytes = (size_t)1024 * 1024,
        .question_ms = 600000,
        .max_rounds = 10,
        .max_open = 256,
        .max_open_bytes = MCPH_FRAME_LIMIT,
        .max_in_flight = 256,
        .max_queued = 4096,
    };
}

static int
copy_spec(struct mcph_client *c, const struct mcph_client_spec *spec)
{
    bool ok;

    c->spec = *spec;
    c->spec.cached_version = NULL;
    if (!c->events->question || !c->events->question_over)
        c->spec.questions = 0;
    c->spec.server = mcph_strdup(spec->server);
    c->spec.source = spec->source ? mcph_strdup(spec->source) : NULL;
    c->spec.mask = mcph_mask_ref(spec->mask);
    c->spec.name = mcph_strdup(spec->name);
    c->spec.version = mcph_strdup(spec->version);
    c->spec.title = spec->title ? mcph_strdup(spec->title) : NULL;
    c->spec.log_level = spec->log_level ? mcph_strdup(spec->log_level) : NULL;
    ok = c->spec.server && c->spec.name && c->spec.version &&
         !c->spec.source == !spec->source && !c->spec.title == !spec->title &&
         !c->spec.log_level == !spec->log_level;
    return ok ? 0 : MCPHOST_E_NOMEM;
}

int
mcph_client_new(struct mcph_core *core, const struct mcph_client_spec *spec,
                const struct mcph_client_events *events, void *arg,
                struct mcph_client **ret, mcphost_error **reterr)
{
    struct mcph_client *c;

    if (!spec->server || !spec->name || !spec->version || !events->restart ||
        !events->down)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "a client needs a server id and a name");
    c = calloc(1, sizeof(*c));
    if (!c)
        return mcph_err_nomem(reterr);
    c->core = mcph_core_ref(core);
    c->latency_ms = -1;
    c->events = events;
    c->arg = arg;
    c->free_job.run = run_free;
    mcph_list_init(&c->in_flight);
    mcph_list_init(&c->queued);
    mcph_list_init(&c->questions);
    mcph_list_init(&c->gate_link);
    mcph_list_init(&c->tasks.watches);
    mcph_rpc_init(&c->rpc, core, &rpc_ops);
    c->rpc.depth = spec->depth;
    if (copy_spec(c, spec) < 0 || mcph_negotiate_init(c, spec->cached_version) < 0 ||
        mcph_client_lists_init(c) < 0 || mcph_client_listen_init(c) < 0 ||
        mcph_client_subscriptions_init(c) < 0 || mcph_client_ping_init(c) < 0) {
        free_client(c);
        return mcph_err_nomem(reterr);
    }
    *ret = c;
    return 0;
}

int
mcph_client_start(struct mcph_client *c, struct mcph_transport *transport,
                  mcphost_error **reterr)
{
    int r;

    if (c->state != MCPH_CLIENT_NEW && c->state != MCPH_CLIENT_WAITING)
        return mcph_client_error(c, reterr, MCPHOST_E_STATE, "was started before");
    c->transport = transport;
    r = mcph_negotiate_start(c);
    if (r < 0) {
        c->transport = NULL;
        return mcph_client_error(c, reterr, r, "the handshake cannot be sent: %s",
                                 mcphost_strerror(r));
    }
    mcph_transport_set_user(transport, &transport_user, c);
    c->state = MCPH_CLIENT_CONNECTING;
    return 0;
}

void
mcph_client_go_ready(struct mcph_client *c)
{
    bool legacy = c->info.era == MCPH_CLIENT_LEGACY;
    mcphost_error *error = NULL;
    int r = 0;

    if (legacy && !c->info.taken_up)
        r = mcph_client_send_notification(c, "notifications/initialized");
    if (mcph_client_is_losing(c, r))
        return;
    mcph_negotiate_stop(c);
    c->state = MCPH_CLIENT_READY;
    c->talking_legacy = legacy;
    c->rpc.allow_batch = legacy && mcph_streq(c->info.version, "2025-03-26");
    if (r < 0) {
        mcph_client_error(c, &error, r, "the handshake cannot be sent: %s",
                          mcphost_strerror(r));
        mcph_client_go_down(c, error);
        return;
    }
    mcph_client_level_begin(c);
    mcph_client_subscriptions_begin(c);
    if (legacy)
        mcph_client_ping_start(c);
    if (!legacy)
        mcph_client_listen_start(c);
    mcph_client_lists_begin(c);
    if (c->events->ready)
        c->events->ready(c, c->arg);
    mcph_operations_pump(c);
}

const struct mcph_client_info *
mcph_client_get_info(const struct mcph_client *c)
{
    bool known = c->state == MCPH_CLIENT_READY || c->state == MCPH_CLIENT_DOWN;

    return known && c->info.era ? &c->info : NULL;
}

void
mcph_client_measure(struct mcph_client *c, const struct mcph_rpc_call *call,
                    const struct mcph_rpc_answer *answer)
{
    if (answer->code == 0)
        c->latency_ms = mcph_core_now(c->core) - call->started;
}

int64_t
mcph_client_get_latency(const struct mcph_client *client)
{
    return client->latency_ms;
}
