/* SPDX-License-Identifier: MIT
 *
 * clientrig.c - implements the test rig for clients (see clientrig.h).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"
#include "protocol/clientrig.h"
#include "support/runner.h"

struct cr cr;

/* Prefixes that name the kind of a list in the story of events. */
static const char *const cr_kinds[MCPH_LIST_KINDS] = {
    [MCPH_LIST_TOOLS] = "",
    [MCPH_LIST_RESOURCES] = "resources:",
    [MCPH_LIST_TEMPLATES] = "templates:",
    [MCPH_LIST_PROMPTS] = "prompts:",
    [MCPH_LIST_SKILLS] = "skills:",
};

static int64_t now_ms;
static struct mcph_list calls; /* calls of cr_call_init(), linked by cr_call.item */

static int64_t
cr_clock(void *arg)
{
    (void)arg;
    return now_ms;
}

int64_t
cr_now(void)
{
    return now_ms;
}

static void add_story(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void
add_story(const char *fmt, ...)
{
    size_t len = strlen(cr.story);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(cr.story + len, sizeof(cr.story) - len, fmt, ap);
    va_end(ap);
}

/* ---- the server's end -------------------------------------------------------------- */

static void
on_received(struct mcph_transport *t, struct mcph_span line, void *arg)
{
    (void)t;
    (void)arg;
    ck_assert_uint_lt(cr.n_lines, CR_LINES);
    cr.lines[cr.n_lines++] = mcph_strndup(line.p, line.len);
}

static void
on_peer_closed(struct mcph_transport *t, void *arg)
{
    (void)t;
    (void)arg;
    cr.peer_closed++;
}

static const struct mcph_memory_peer peer = {on_received, on_peer_closed};

static void
on_gone(struct mcph_transport *t, void *arg)
{
    (void)t;
    (void)arg;
    cr.gone++;
}

static const struct mcph_transport_owner owner = {.gone = on_gone};

const char *
cr_sent(void)
{
    return cr.at < cr.n_lines ? cr.lines[cr.at++] : NULL;
}

const char *
cr_next(void)
{
    const char *sent = cr_sent();

    ck_assert_ptr_nonnull(sent);
    return sent;
}

void
cr_expect(const char *line)
{
    ck_assert_str_eq(cr_next(), line);
}

void
cr_expect_nothing(void)
{
    const char *sent = cr_sent();

    ck_assert_msg(!sent, "the client sent %s", sent);
}

static void
vput(const char *fmt, va_list ap)
{
    char *text;

    ck_assert_int_ge(vasprintf(&text, fmt, ap), 0);
    ck_assert_int_eq(mcph_memory_peer_write(cr.transport, text, strlen(text)), 0);
    ck_assert_int_eq(mcph_memory_peer_write(cr.transport, "\n", 1), 0);
    free(text);
}

void
cr_put(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(fmt, ap);
    va_end(ap);
}

void
cr_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vput(fmt, ap);
    va_end(ap);
    cr_turn();
}

void
cr_bytes(const char *data, size_t len)
{
    ck_assert_int_eq(mcph_memory_peer_write(cr.transport, data, len), 0);
}

void
cr_die(const char *reason, const char *tail)
{
    mcphost_error *err = NULL;

    mcph_err(&err, MCPHOST_E_TRANSPORT, "%s", reason);
    if (tail)
        mcph_err_set_stderr_tail(err, tail, strlen(tail));
    mcph_memory_peer_close(cr.transport, err);
    mcphost_error_unref(err);
    cr_turn();
}

/* ---- a transport with streams ------------------------------------------------------ */

struct web {
    struct mcph_transport base;
    struct mcph_buf buf;
    struct mcph_job gone;
};

static int
web_open(struct mcph_transport *t, mcphost_error **reterr)
{
    (void)t;
    (void)reterr;
    return 0;
}

static int
web_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct web *web = MCPH_CONTAINER_OF(t, struct web, base);

    mcph_buf_clear(&web->buf);
    *ret_buf = &web->buf;
    return 0;
}

static int
web_commit(struct mcph_transport *t, const struct mcph_header *headers, size_t n_headers,
           int kind, uint64_t stream)
{
    struct web *web = MCPH_CONTAINER_OF(t, struct web, base);
    struct mcph_buf text;

    ck_assert_uint_lt(cr.n_lines, CR_LINES);
    ck_assert_uint_gt(stream, cr.n_lines > 0 ? cr.line_streams[cr.n_lines - 1] : 0);
    mcph_buf_init(&text, 65536);
    for (size_t i = 0; i < n_headers; i++)
        mcph_buf_addf(&text, "%s%s=%.*s", i ? " " : "", headers[i].name,
                      (int)headers[i].value.len, headers[i].value.p);
    cr.line_headers[cr.n_lines] = mcph_strndup(text.data ? text.data : "", text.len);
    mcph_buf_done(&text);
    cr.line_streams[cr.n_lines] = stream;
    cr.line_kinds[cr.n_lines] = kind;
    cr.lines[cr.n_lines++] = mcph_strndup(web->buf.data, web->buf.len);
    return 0;
}

static void
web_close_stream(struct mcph_transport *t, uint64_t stream)
{
    (void)t;
    cr.given_up[cr.n_given_up++] = stream;
}

static void
web_gone(struct mcph_job *job)
{
    mcph_transport_tell_gone(&MCPH_CONTAINER_OF(job, struct web, gone)->base);
}

static void
web_close(struct mcph_transport *t)
{
    struct web *web = MCPH_CONTAINER_OF(t, struct web, base);

    if (!web->gone.run)
        mcph_core_post(t->core, &web->gone);
    web->gone.run = web_gone;
}

static void
web_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct web *web = MCPH_CONTAINER_OF(t, struct web, base);

    (void)wait_ms;
    mcph_core_lock(t->core);
    if (web->gone.run)
        mcph_list_remove(&web->gone.link);
    mcph_core_unlock(t->core);
    mcph_buf_done(&web->buf);
    mcph_core_unref(t->core);
    free(web);
}

static const struct mcph_transport_ops web_ops = {
    .name = "web",
    .open = web_open,
    .begin = web_begin,
    .commit = web_commit,
    .close_stream = web_close_stream,
    .close = web_close,
    .free = web_free,
};

static struct mcph_transport *
web_new(void)
{
    struct web *web = calloc(1, sizeof(*web));

    ck_assert_ptr_nonnull(web);
    web->base.ops = &web_ops;
    web->base.core = mcph_core_ref(cr.core);
    web->base.owner = &owner;
    web->base.wants_headers = web->base.streams = true;
    mcph_buf_init(&web->buf, 1 << 20);
    return &web->base;
}

uint64_t
cr_stream(void)
{
    return cr.line_streams[cr.at - 1];
}

int
cr_kind(void)
{
    return cr.line_kinds[cr.at - 1];
}

const char *
cr_headers(void)
{
    return cr.line_headers[cr.at - 1];
}

static void
say_on(uint64_t stream, const char *fmt, va_list ap)
{
    struct mcph_frame *frame;
    char *text;

    ck_assert_int_ge(vasprintf(&text, fmt, ap), 0);
    frame = mcph_frame_new(text, strlen(text));
    free(text);
    mcph_transport_tell_message(cr.transport, stream, frame);
    mcph_frame_unref(frame);
}

void
cr_say_on(uint64_t stream, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say_on(stream, fmt, ap);
    va_end(ap);
    cr_turn();
}

void
cr_break(uint64_t stream, int code, const char *reason)
{
    mcphost_error *err = NULL;

    if (!cr.transport)
        return;
    mcph_err(&err, code, "%s", reason);
    mcph_transport_tell_closed(cr.transport, stream, err);
    mcphost_error_unref(err);
    cr_turn();
}

void
cr_answer(uint64_t stream, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say_on(stream, fmt, ap);
    va_end(ap);
    cr_break(stream, MCPHOST_E_TRANSPORT, "ended");
}

void
cr_status(uint64_t stream, int code, const char *header, const char *body)
{
    struct mcph_transport_status status;
    struct mcph_header h;
    char name[64] = "";

    if (header) {
        const char *colon = strchr(header, ':');

        snprintf(name, sizeof(name), "%.*s", (int)(colon - header), header);
        h = (struct mcph_header){name, mcph_span_str(colon + 2)};
    }
    status = (struct mcph_transport_status){.code = code,
                                            .headers = &h,
                                            .n_headers = header ? 1 : 0,
                                            .body = body ? mcph_span_str(body)
                                                         : MCPH_SPAN_NONE};
    mcph_transport_tell_status(cr.transport, stream, &status);
    if (stream == 0)
        cr_turn();
    else
        cr_break(stream, MCPHOST_E_TRANSPORT, "ended");
}

int
cr_state(void)
{
    return cr.client->state;
}

size_t
cr_open(void)
{
    return cr.client->n_in_flight + cr.client->n_queued;
}

const struct mcph_rpc_counters *
cr_counters(void)
{
    return &cr.client->rpc.counters;
}

/* ---- the owner's end --------------------------------------------------------------- */

static void
free_if_asked(void)
{
    if (cr.free_in_event)
        cr.client = mcph_client_free(cr.client);
}

static void
close_transport(void)
{
    if (!cr.transport)
        return;
    mcph_transport_close(cr.transport);
    cr.old[cr.n_old++] = cr.transport;
    cr.transport = NULL;
}

static void
new_transport(void)
{
    close_transport();
    if (cr.web)
        cr.transport = web_new();
    else
        cr.transport = mcph_memory_new(cr.core, &owner, NULL, &peer, NULL);
    ck_assert_ptr_nonnull(cr.transport);
    ck_assert_int_eq(mcph_transport_open(cr.transport, NULL), 0);
}

static void
set_error(mcphost_error *error)
{
    mcphost_error_unref(cr.error);
    cr.error = mcphost_error_ref(error);
}

static void
on_ready(struct mcph_client *c, void *arg)
{
    (void)arg;
    ck_assert_int_eq(c->state, MCPH_CLIENT_READY);
    cr.ready++;
    add_story("ready ");
    free_if_asked();
}

static void
on_restart(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    ck_assert_int_eq(c->state, MCPH_CLIENT_WAITING);
    cr.restarts++;
    set_error(reason);
    add_story("restart ");
    free_if_asked();
    if (!cr.manual_restart && cr.client)
        cr_restart();
}

static void
on_down(struct mcph_client *c, mcphost_error *reason, void *arg)
{
    (void)arg;
    ck_assert_int_eq(c->state, MCPH_CLIENT_DOWN);
    ck_assert_ptr_nonnull(reason);
    cr.downs++;
    set_error(reason);
    add_story("down ");
    free_if_asked();
    close_transport();
}

static void
on_listed(struct mcph_client *c, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    (void)c;
    (void)arg;
    ck_assert(!list != !error);
    cr.listed++;
    ck_assert(!list || list->kind == kind);
    mcph_client_list_unref(cr.lists[kind]);
    cr.list = cr.lists[kind] = mcph_client_list_ref(list);
    mcphost_error_unref(cr.list_errors[kind]);
    cr.list_error = cr.list_errors[kind] = mcphost_error_ref(error);
    add_story("%slisted ", cr_kinds[kind]);
    free_if_asked();
}

static void
on_changed(struct mcph_client *c, int kind, void *arg)
{
    (void)c;
    (void)arg;
    cr.changed++;
    cr.n_changed[kind]++;
    add_story("%schanged ", cr_kinds[kind]);
    free_if_asked();
}

static void
on_subscribed(struct mcph_client *c, struct mcph_span uri, mcphost_error *error,
              void *arg)
{
    (void)c;
    (void)arg;
    if (error) {
        mcphost_error_unref(cr.sub_error);
        cr.sub_error = mcphost_error_ref(error);
    }
    add_story("%s:%.*s ", error ? "refused" : "subscribed", (int)uri.len, uri.p);
    free_if_asked();
}

static void
on_updated(struct mcph_client *c, struct mcph_span uri, uint64_t count, void *arg)
{
    (void)c;
    (void)arg;
    add_story("updated:%.*s*%llu ", (int)uri.len, uri.p, (unsigned long long)count);
    free_if_asked();
}

static void
on_log(struct mcph_client *c, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    (void)c;
    (void)arg;
    cr.logs++;
    snprintf(cr.log, sizeof(cr.log), "%.*s %.*s %.*s", (int)level.len, level.p,
             (int)logger.len, logger.p, (int)data.len, data.p);
    add_story("log ");
    free_if_asked();
}

static void
on_noise(struct mcph_client *c, const char *text, void *arg)
{
    (void)c;
    (void)arg;
    cr.noises++;
    snprintf(cr.noise, sizeof(cr.noise), "%s", text);
    add_story("noise ");
    free_if_asked();
}

static void
on_odd(struct mcph_client *c, const char *kind, const char *text, void *arg)
{
    (void)c;
    (void)arg;
    cr.odds++;
    snprintf(cr.odd, sizeof(cr.odd), "%s: %s", kind, text);
    add_story("odd ");
    free_if_asked();
}

static void
on_question(struct mcph_client *c, struct mcph_client_question *q, void *arg)
{
    (void)c;
    (void)arg;
    ck_assert_int_lt(cr.asked, CR_QUESTIONS);
    q->owner = &cr.questions[cr.asked];
    cr.questions[cr.asked++] = q;
    add_story("asked ");
    free_if_asked();
}

static void
on_question_over(struct mcph_client *c, struct mcph_client_question *q, const char *why,
                 void *arg)
{
    (void)c;
    (void)arg;
    *(struct mcph_client_question **)q->owner = NULL;
    cr.over++;
    snprintf(cr.over_why, sizeof(cr.over_why), "%s", why);
    add_story("over ");
    free_if_asked();
}

static bool
on_who(struct mcph_client *c, unsigned char ret_who[MCPH_DIGEST_LEN], void *arg)
{
    (void)c;
    (void)arg;
    ret_who[0] = cr.who;
    return cr.who != CR_NOBODY;
}

static const struct mcph_client_events events = {
    .question = on_question,
    .question_over = on_question_over,
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .changed = on_changed,
    .subscribed = on_subscribed,
    .updated = on_updated,
    .log = on_log,
    .noise = on_noise,
    .odd = on_odd,
    .who = on_who,
};

void
cr_turn(void)
{
    int r = 1;

    for (int i = 0; r > 0; i++) {
        ck_assert_int_lt(i, 100000);
        r = mcph_core_dispatch(cr.core);
    }
    ck_assert_int_eq(r, 0);
}

void
cr_advance(int64_t ms)
{
    now_ms += ms;
    cr_turn();
}

void
cr_up(void)
{
    memset(&cr, 0, sizeof(cr));
    mcph_list_init(&calls);
    now_ms = 1000000;
    ck_assert_int_eq(mcph_core_new(&cr.core, NULL), 0);
    mcph_core_set_clock(cr.core, cr_clock, NULL);
    mcph_client_spec_init(&cr.spec);
    cr.spec.server = "srv";
    cr.spec.name = "chost";
    cr.spec.version = "0.3";
    cr.spec.lists = 0;
}

static void
drop_lines(void)
{
    for (size_t i = 0; i < cr.n_lines; i++) {
        free(cr.lines[i]);
        free(cr.line_headers[i]);
    }
    cr.n_lines = cr.at = 0;
}

static void
share_cache(void)
{
    unsigned char place[MCPH_DIGEST_LEN] = {cr.place};

    if (cr.cache)
        mcph_client_set_cache(cr.client, cr.cache, place);
}

void
cr_start(void)
{
    new_transport();
    ck_assert_int_eq(mcph_client_new(cr.core, &cr.spec, &events, NULL, &cr.client, NULL),
                     0);
    share_cache();
    ck_assert_int_eq(mcph_client_start(cr.client, cr.transport, NULL), 0);
    cr_turn();
}

void
cr_another(void)
{
    mcph_client_free(cr.client);
    cr_turn();
    mcph_transport_free(cr.transport, 0);
    cr.transport = NULL;
    drop_lines();
    cr.ready = cr.listed = cr.changed = cr.downs = cr.restarts = 0;
    cr.story[0] = '\0';
    cr_start();
}

void
cr_restart(void)
{
    new_transport();
    ck_assert_int_eq(mcph_client_start(cr.client, cr.transport, NULL), 0);
}

void
cr_down(void)
{
    cr.free_in_event = false;
    mcph_client_free(cr.client);
    mcph_transport_free(cr.transport, 0);
    for (size_t i = 0; i < cr.n_old; i++)
        mcph_transport_free(cr.old[i], 0);
    mcph_core_drain(cr.core);
    mcph_client_cache_free(cr.cache);
    mcph_core_unref(cr.core);
    drop_lines();
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        mcph_client_list_unref(cr.lists[kind]);
        mcphost_error_unref(cr.list_errors[kind]);
    }
    mcphost_error_unref(cr.error);
    mcphost_error_unref(cr.sub_error);
    mcph_list_for_each_safe (it, &calls)
        cr_call_done(MCPH_LIST_ENTRY(it, struct cr_call, item));
}

/* ---- shortcuts to READY ------------------------------------------------------------ */

void
cr_legacy(const char *version)
{
    cr.spec.era = MCPH_CLIENT_LEGACY;
    cr_start();
    cr_expect(CR_INIT("1"));
    cr_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"%s\","
           "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},"
           "\"serverInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
           version);
    cr_expect(CR_INITIALIZED);
    ck_assert_int_eq(cr.ready, 1);
}

void
cr_modern(void)
{
    cr.spec.era = MCPH_CLIENT_MODERN;
    cr_start();
    cr_expect(CR_PROBE("1"));
    cr_say(CR_DISCOVERED("1"));
    ck_assert_int_eq(cr.ready, 1);
}

static void
answer_handshake(const char *fmt, const char *capabilities)
{
    char text[2048];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), fmt, capabilities);
#pragma GCC diagnostic pop
    cr_next();
    if (cr.web)
        cr_answer(cr_stream(), "%s", text);
    else
        cr_say("%s", text);
}

void
cr_meet(bool modern, const char *capabilities)
{
    cr.spec.era = modern ? MCPH_CLIENT_MODERN : MCPH_CLIENT_LEGACY;
    cr_start();
    answer_handshake(
        modern ? "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{\"resultType\":"
                 "\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                 "\"capabilities\":%s,\"ttlMs\":60000,\"cacheScope\":\"public\"}}"
               : "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                 "\"2025-11-25\",\"capabilities\":%s}}",
        capabilities);
    ck_assert_int_eq(cr.ready, 1);
    if (!modern)
        cr_expect(CR_INITIALIZED);
}

/* ---- calls ------------------------------------------------------------------------- */

static void
on_call_done(struct mcph_operation *base, const struct mcph_client_answer *answer)
{
    struct cr_call *call = MCPH_CONTAINER_OF(base, struct cr_call, call);

    call->done++;
    call->code = answer->code;
    if (answer->code == 0) {
        call->result = mcph_strndup(answer->result.p, answer->result.len);
        ck_assert_ptr_null(answer->error);
    } else {
        ck_assert_ptr_nonnull(answer->error);
        call->error = mcphost_error_ref(answer->error);
    }
    call->frame = answer->frame ? mcph_frame_ref(answer->frame) : NULL;
    add_story("done:%d ", call->number);
    if (call->free_client)
        cr.client = mcph_client_free(cr.client);
    if (call->next)
        (void)cr_call_start(call->next);
}

static void
on_call_progress(struct mcph_operation *base, const struct mcph_client_progress *p)
{
    struct cr_call *call = MCPH_CONTAINER_OF(base, struct cr_call, call);

    ck_assert_int_eq(call->done, 0);
    call->progressed++;
    call->progress = p->progress;
    call->total = p->has_total ? p->total : -1;
    add_story("progress:%d ", call->number);
}

void
cr_call_init(struct cr_call *call, int number, const char *tool, const char *arguments)
{
    memset(call, 0, sizeof(*call));
    call->number = number;
    call->call.method = &mcph_methods[MCPH_METHOD_CALL_TOOL];
    call->call.name = mcph_span_str(tool);
    call->call.arguments = mcph_span_str(arguments);
    call->call.timeout_ms = 60000;
    call->call.max_ms = -1;
    call->call.done = on_call_done;
    mcph_list_append(&calls, &call->item);
}

void
cr_call_progress(struct cr_call *call)
{
    call->call.progress = on_call_progress;
}

int
cr_call_start(struct cr_call *call)
{
    mcphost_error *error = NULL;
    int r = mcph_operation_start(cr.client, &call->call, &error), done = call->done;

    if (r < 0)
        call->error = error;
    call->code = r;
    ck_assert_int_eq(done, 0);
    return r;
}

void
cr_call_go(struct cr_call *call)
{
    ck_assert_int_eq(cr_call_start(call), 0);
    cr_turn();
}

void
cr_call_failed(const struct cr_call *call, int code, const char *part)
{
    ck_assert_int_eq(call->done, 1);
    ck_assert_int_eq(call->code, code);
    test_has(mcphost_error_get_message(call->error), part);
    ck_assert_str_eq(mcphost_error_get_server_id(call->error), "srv");
}

void
cr_call_done(struct cr_call *call)
{
    mcph_list_remove(&call->item);
    free(call->result);
    mcphost_error_unref(call->error);
    mcph_frame_unref(call->frame);
}

void
cr_question_answer(int i, const char *result)
{
    struct mcph_client_question *q = cr.questions[i];

    cr.questions[i] = NULL;
    mcph_client_question_answer(q, mcph_span_str(result));
    cr_turn();
}
