/* SPDX-License-Identifier: MIT
 *
 * servrig.c - implements the test rig for server connections (see servrig.h).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servrig.h"

struct sv sv;
static int64_t now_ms;

static int64_t
sv_clock(void *arg)
{
    (void)arg;
    return now_ms;
}

/* ---- the client's end -------------------------------------------------------------- */

static void
on_line(struct mcph_transport *t, struct mcph_span line, void *arg)
{
    (void)t;
    (void)arg;
    ck_assert_uint_lt(sv.n_lines, SV_LINES);
    ck_assert_int_eq(mcph_json_check(line, 0, NULL, NULL), 0);
    sv.lines[sv.n_lines++] = mcph_strndup(line.p, line.len);
}

static void
on_peer_closed(struct mcph_transport *t, void *arg)
{
    (void)t;
    (void)arg;
    sv.peer_closed++;
}

static const struct mcph_memory_peer peer = {on_line, on_peer_closed};
static const struct mcph_transport_owner owner;

void
sv_turn(void)
{
    int r = 1;

    for (int i = 0; r > 0; i++) {
        ck_assert_int_lt(i, 100000);
        r = mcph_core_dispatch(sv.core);
    }
    ck_assert_int_eq(r, 0);
}

void
sv_advance(int64_t ms)
{
    now_ms += ms;
    sv_turn();
}

void
sv_say(const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    ck_assert_int_ge(vasprintf(&text, fmt, ap), 0);
    va_end(ap);
    ck_assert_int_eq(mcph_memory_peer_write(sv.transport, text, strlen(text)), 0);
    ck_assert_int_eq(mcph_memory_peer_write(sv.transport, "\n", 1), 0);
    free(text);
    sv_turn();
}

const char *
sv_next(void)
{
    if (sv.at >= sv.n_lines)
        ck_abort_msg("the server said nothing");
    return sv.lines[sv.at++];
}

void
sv_expect(const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    ck_assert_int_ge(vasprintf(&text, fmt, ap), 0);
    va_end(ap);
    ck_assert_str_eq(sv_next(), text);
    free(text);
}

void
sv_silence(void)
{
    if (sv.at < sv.n_lines)
        ck_abort_msg("the server said: %s", sv.lines[sv.at]);
}

void
sv_error(const char *id, int code)
{
    const char *line = sv_next();
    char start[512];

    snprintf(start, sizeof(start),
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,", id, code);
    if (strncmp(line, start, strlen(start)) != 0)
        ck_abort_msg("not %s...: %s", start, line);
}

/* ---- the provider ------------------------------------------------------------------ */

static int
on_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    (void)provider;
    (void)arg;
    sv.setups++;
    return sv.setup_code < 0 ? mcph_err(reterr, sv.setup_code, "no database") : 0;
}

static void
on_teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
    sv.teardowns++;
}

/* Answers a call of the tool "echo" with the text of its arguments, {"text":"..."}. */
static int
echo(mcphost_provider_call *call, void *arg)
{
    struct mcph_span text = mcph_json_get(call->arguments, "text"), plain;
    struct mcph_buf buf;
    int r;

    (void)arg;
    mcph_buf_init(&buf, 1 << 20);
    ck_assert_int_eq(mcph_json_string_get(text, &buf, &plain), 0);
    r = mcph_providing_answer_text(call, plain, false);
    mcph_buf_done(&buf);
    return r;
}

static void
on_unwanted(mcphost_provider_call *call, void *arg)
{
    (void)call;
    (void)arg;
    sv.unwanted++;
}

int
sv_slow(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    ck_assert_uint_lt(sv.n_calls, SV_CALLS);
    mcph_providing_get_user(call);
    sv.calls[sv.n_calls++] = call;
    return mcph_providing_watch(call, on_unwanted, NULL, NULL);
}

static void
on_asked(mcphost_provider_call *call, int code, const char *json, size_t len,
         const mcphost_error *error, void *arg)
{
    size_t at = strlen(sv.answer);

    (void)arg;
    sv.asked++;
    sv.ask_code = code;
    snprintf(sv.answer + at, sizeof(sv.answer) - at, "%.*s", json ? (int)len : 0,
             json ? json : "");
    snprintf(sv.ask_error, sizeof(sv.ask_error), "%s",
             error ? mcphost_error_get_message(error) : "");
    if (sv.asked == (int)sv.questions)
        (void)mcph_providing_answer_text(call, mcph_span_str("asked"), false);
}

static void
ask_one(mcphost_provider_call *call)
{
    mcphost_error *err = NULL;

    sv.ask_refused = mcph_providing_ask(call, sv.ask_kind, mcph_span_str(sv.ask_params),
                                        on_asked, NULL, NULL, &err);
    mcphost_error_unref(err);
}

static int
ask(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    if (sv.questions == 0)
        sv.questions = 1;
    for (unsigned i = 0; i < sv.questions; i++)
        ask_one(call);
    if (sv.ask_refused < 0)
        return mcph_providing_answer_text(call, mcph_span_str("refused"), true);
    ck_assert_uint_lt(sv.n_calls, SV_CALLS);
    mcph_providing_get_user(call);
    sv.calls[sv.n_calls++] = call;
    return 0;
}

void
sv_ask_again(size_t i)
{
    ask_one(sv.calls[i]);
    sv_turn();
}

static int
read_resource(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcph_providing_answer_text(call, call->arguments, false);
}

static int
greet(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcph_providing_answer_text(call, call->arguments, false);
}

static int
complete(mcphost_provider_call *call, void *arg)
{
    char text[256];

    if (strcmp(call->value.p, "?") == 0)
        return ask(call, arg);
    snprintf(text, sizeof(text), "{\"completion\":{\"values\":[\"%s=%s\"]}}",
             call->argument.p, call->value.p);
    return mcph_providing_answer(call, mcph_span_str(text), NULL);
}

void
sv_add(int feature, const char *definition, mcphost_provide_fn fn)
{
    struct mcph_feature *f = NULL;

    ck_assert_int_eq(
        mcph_feature_new(feature, mcph_span_str(definition), fn, NULL, NULL, &f, NULL),
        0);
    ck_assert_int_eq(mcph_provider_add(sv.provider, f), 0);
}

void
sv_answer(size_t i, const char *text)
{
    mcphost_provider_call *call = sv.calls[i];

    ck_assert_ptr_nonnull(call);
    sv.calls[i] = NULL;
    (void)mcph_providing_answer_text(call, mcph_span_str(text), false);
    mcph_providing_put_user(call);
    sv_turn();
}

/* ---- the owner's end --------------------------------------------------------------- */

static void
on_ready(struct mcph_connection *c, void *arg)
{
    (void)c;
    (void)arg;
    sv.ready++;
    if (sv.free_in_event)
        sv.connection = mcph_connection_free(sv.connection);
}

static void
on_over(struct mcph_connection *c, mcphost_error *reason, void *arg)
{
    (void)c;
    (void)arg;
    sv.overs++;
    sv.reason = mcphost_error_ref(reason);
    if (sv.free_in_event)
        sv.connection = mcph_connection_free(sv.connection);
    mcph_transport_close(sv.transport);
}

static const struct mcph_connection_events events = {.ready = on_ready, .over = on_over};

void
sv_up(void)
{
    memset(&sv, 0, sizeof(sv));
    now_ms = 1000000;
    ck_assert_int_eq(mcph_core_new(&sv.core, NULL), 0);
    mcph_core_set_clock(sv.core, sv_clock, NULL);
    mcph_connection_spec_init(&sv.spec);
    ck_assert_int_eq(mcph_provider_new(sv.core, "prov", &sv.provider, NULL), 0);
    ck_assert_int_eq(
        mcph_provider_set_about(
            sv.provider,
            mcph_span_str("{\"name\":\"Prov\",\"version\":\"1.2\",\"instructions\":"
                          "\"Be kind.\"}"),
            NULL),
        0);
    ck_assert_int_eq(
        mcph_provider_set_life(sv.provider, on_setup, on_teardown, NULL, NULL), 0);
    sv_add(MCPHOST_FEATURE_TOOL, SV_ECHO, echo);
    sv_add(MCPHOST_FEATURE_TOOL, SV_SLOW, sv_slow);
    sv_add(MCPHOST_FEATURE_TOOL, SV_ASK, ask);
    sv_add(MCPHOST_FEATURE_RESOURCE, SV_RESOURCE, read_resource);
    sv_add(MCPHOST_FEATURE_TEMPLATE, SV_TEMPLATE, read_resource);
    sv_add(MCPHOST_FEATURE_PROMPT, SV_PROMPT, greet);
    ck_assert_int_eq(mcph_provider_set_completion(sv.provider, MCPHOST_FEATURE_PROMPT,
                                                  mcph_span_str("greet"), complete, NULL,
                                                  NULL),
                     0);
}

static void
serve(void)
{
    struct mcph_service *service = NULL;

    ck_assert_int_eq(mcph_transport_open(sv.transport, NULL), 0);
    ck_assert_int_eq(mcph_provider_serve(sv.provider, &service), 0);
    ck_assert_int_eq(mcph_connection_new(sv.core, &sv.spec, sv.transport, service,
                                         &events, NULL, &sv.connection),
                     0);
}

void
sv_start_quietly(void)
{
    sv.transport = mcph_memory_new(sv.core, &owner, NULL, &peer, NULL);
    ck_assert_ptr_nonnull(sv.transport);
    serve();
}

void
sv_start(void)
{
    sv_start_quietly();
    sv_turn();
}

/* Does nothing when a connection starts or frees the idle service.  The service therefore
 * never becomes ready. */
static void
idle(struct mcph_service *service)
{
    (void)service;
}

static const struct mcph_service_ops idle_ops = {.start = idle, .free = idle};
static struct mcph_service idle_service = {.ops = &idle_ops};

void
sv_start_with(struct mcph_service *service)
{
    sv.transport = mcph_memory_new(sv.core, &owner, NULL, &peer, NULL);
    ck_assert_int_eq(mcph_transport_open(sv.transport, NULL), 0);
    ck_assert_int_eq(mcph_connection_new(sv.core, &sv.spec, sv.transport, service,
                                         &events, NULL, &sv.connection),
                     0);
    sv_turn();
}

void
sv_start_idle(void)
{
    sv_start_with(&idle_service);
}

struct mcph_transport *
sv_start_joined(void)
{
    struct mcph_transport *client = NULL;

    ck_assert_int_eq(
        mcph_joint_new(sv.core, NULL, NULL, NULL, NULL, &client, &sv.transport), 0);
    serve();
    ck_assert_int_eq(mcph_transport_open(client, NULL), 0);
    return client;
}

void
sv_down(void)
{
    sv.free_in_event = false;
    for (size_t i = 0; i < sv.n_calls; i++) {
        if (sv.calls[i])
            mcph_providing_put_user(sv.calls[i]);
    }
    mcph_connection_free(sv.connection);
    mcph_transport_free(sv.transport, 0);
    mcph_provider_close(sv.provider, 0);
    mcph_core_drain(sv.core);
    sv_turn();
    mcph_provider_unref(sv.provider);
    mcph_core_drain(sv.core);
    mcph_core_unref(sv.core);
    for (size_t i = 0; i < sv.n_lines; i++)
        free(sv.lines[i]);
    mcphost_error_unref(sv.reason);
}

void
sv_legacy(const char *version, const char *capabilities)
{
    sv_start();
    sv_say(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}}}",
        version, capabilities);
    (void)sv_next();
    sv_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    sv_silence();
    ck_assert_int_eq(sv.ready, 1);
}
