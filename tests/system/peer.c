/* SPDX-License-Identifier: MIT
 *
 * peer.c - one client on one fake server, for tests of the client (see peer.h).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"
#include "peer.h"
#include "support/runner.h"

struct peer peer;

/* ---- events ------------------------------------------------------------------------ */

static void
on_gone(struct mcph_transport *t, void *arg)
{
    (void)t;
    (void)arg;
    peer.gone++;
}

static void
on_stderr(struct mcph_transport *t, const char *line, size_t len, uint64_t lost,
          void *arg)
{
    (void)t;
    (void)line;
    (void)len;
    (void)lost;
    (void)arg;
    peer.stderr_lines++;
}

static const struct mcph_transport_owner owner = {.gone = on_gone,
                                                  .stderr_line = on_stderr};

static void
on_ready(struct mcph_client *client, void *arg)
{
    (void)client;
    (void)arg;
    peer.ready++;
}

static void
keep_error(mcphost_error *error)
{
    mcphost_error_unref(peer.error);
    peer.error = mcphost_error_ref(error);
}

static void connect_once(void);

static void
on_restart(struct mcph_client *client, mcphost_error *reason, void *arg)
{
    (void)client;
    (void)arg;
    peer.restarts++;
    keep_error(reason);
    mcph_transport_close(peer.transport);
    peer.old = peer.transport;
    connect_once();
}

static void
on_down(struct mcph_client *client, mcphost_error *reason, void *arg)
{
    (void)client;
    (void)arg;
    peer.downs++;
    keep_error(reason);
    mcph_transport_close(peer.transport);
}

static void
on_listed(struct mcph_client *client, int kind, struct mcph_client_list *list,
          mcphost_error *error, void *arg)
{
    (void)client;
    (void)kind;
    (void)arg;
    peer.listed++;
    mcph_client_list_unref(peer.list);
    mcphost_error_unref(peer.list_error);
    peer.list = list ? mcph_client_list_ref(list) : NULL;
    peer.list_error = mcphost_error_ref(error);
}

static void
on_changed(struct mcph_client *client, int kind, void *arg)
{
    (void)client;
    (void)kind;
    (void)arg;
    peer.changed++;
}

static void
on_log(struct mcph_client *client, struct mcph_span level, struct mcph_span logger,
       struct mcph_span data, void *arg)
{
    (void)client;
    (void)logger;
    (void)arg;
    peer.logs++;
    snprintf(peer.log, sizeof(peer.log), "%.*s %.*s", (int)level.len, level.p,
             (int)data.len, data.p);
}

static void
on_noise(struct mcph_client *client, const char *text, void *arg)
{
    (void)client;
    (void)arg;
    peer.noises++;
    snprintf(peer.noise, sizeof(peer.noise), "%s", text);
}

static const struct mcph_client_events events = {
    .ready = on_ready,
    .restart = on_restart,
    .down = on_down,
    .listed = on_listed,
    .changed = on_changed,
    .log = on_log,
    .noise = on_noise,
};

/* ---- start and end ----------------------------------------------------------------- */

void
peer_up(void)
{
    memset(&peer, 0, sizeof(peer));
    peer.before = rig_census_take();
    rig_workspace_up(&peer.ws, NULL);
    ck_assert_int_eq(mcph_core_new(&peer.core, NULL), 0);
    mcph_client_spec_init(&peer.spec);
    peer.spec.server = "srv";
    peer.spec.name = "test";
    peer.spec.version = "1";
    rig_workspace_write(&peer.ws, "script", "trace %s\n",
                        rig_workspace_path(&peer.ws, "trace"));
}

static void
until_gone(struct mcph_transport *t)
{
    int64_t end = mcph_clock_monotonic_ms() + 5000;

    if (!t)
        return;
    mcph_transport_close(t);
    while (t->state != MCPH_TRANSPORT_GONE && mcph_clock_monotonic_ms() < end)
        ck_assert_int_ge(mcph_core_wait(peer.core, 20), 0);
    ck_assert_msg(t->state == MCPH_TRANSPORT_GONE, "the server does not go");
    mcph_transport_free(t, 0);
}

void
peer_down(void)
{
    peer.client = mcph_client_free(peer.client);
    until_gone(peer.transport);
    until_gone(peer.old);
    while (mcph_core_dispatch(peer.core) > 0)
        ;
    peer.core = mcph_core_unref(peer.core);
    mcph_client_list_unref(peer.list);
    mcphost_error_unref(peer.list_error);
    mcphost_error_unref(peer.error);
    rig_census_check(&peer.before, 2000);
    ck_assert_int_eq(rig_workspace_living(&peer.ws, "trace"), 0);
    rig_workspace_down(&peer.ws);
}

TCase *
peer_case(Suite *suite, const char *name, double seconds)
{
    TCase *tc = test_case(suite, name);

    tcase_add_checked_fixture(tc, peer_up, peer_down);
    tcase_set_timeout(tc, seconds);
    return tc;
}

void
peer_script(const char *lines, ...)
{
    char *old = rig_workspace_read(&peer.ws, "script"), more[4096];
    va_list ap;

    va_start(ap, lines);
    vsnprintf(more, sizeof(more), lines, ap);
    va_end(ap);
    rig_workspace_write(&peer.ws, "script", "%s%s", old, more);
    free(old);
}

static void
connect_once(void)
{
    const char *command = peer.command ? peer.command : rig_fakeserver();
    const char *script = rig_workspace_path(&peer.ws, "script");
    char guard[4096], *env[] = {(char *)"PATH=/usr/bin:/bin", NULL};
    struct mcph_proc_spec spec;
    mcphost_error *err = NULL;
    char *argv[] = {(char *)(uintptr_t)command, (char *)(uintptr_t)script, NULL};

    mcph_proc_spec_init(&spec);
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    spec.guard_path = guard;
    spec.server = "srv";
    spec.command = command;
    spec.argv = argv;
    spec.envp = env;
    spec.cwd = peer.ws.dir;
    spec.stop_eof_ms = spec.stop_term_ms = 150;
    ck_assert_int_eq(
        mcph_stdio_new(peer.core, &spec, &owner, NULL, &peer.transport, NULL), 0);
    if (peer.frame_limit)
        mcph_stdio_set_frame_limit(peer.transport, peer.frame_limit);
    if (mcph_transport_open(peer.transport, &err) < 0) {
        keep_error(err);
        mcphost_error_unref(err);
        peer.transport = mcph_transport_free(peer.transport, 0);
        peer.downs++;
        return;
    }
    ck_assert_int_eq(mcph_client_start(peer.client, peer.transport, NULL), 0);
}

void
peer_start(void)
{
    ck_assert_int_eq(
        mcph_client_new(peer.core, &peer.spec, &events, NULL, &peer.client, NULL), 0);
    connect_once();
}

void
peer_until(const int *flag, int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (!*flag && mcph_clock_monotonic_ms() < end)
        ck_assert_int_ge(mcph_core_wait(peer.core, 50), 0);
    ck_assert_msg(*flag, "not within %d ms%s%s", ms, peer.error ? ": " : "",
                  peer.error ? mcphost_error_get_message(peer.error) : "");
}

void
peer_wait(int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (mcph_clock_monotonic_ms() < end)
        ck_assert_int_ge(mcph_core_wait(peer.core, 5), 0);
}

void
peer_ready(void)
{
    peer_start();
    peer_until(&peer.ready, 5000);
}

void
peer_listed(void)
{
    peer_ready();
    peer_until(&peer.listed, 5000);
    ck_assert_msg(peer.list != NULL, "%s", mcphost_error_get_message(peer.list_error));
    ck_assert_ptr_null(peer.list->cut);
}

void
peer_fails(int code)
{
    peer_start();
    peer_until(&peer.downs, 8000);
    ck_assert_int_eq(mcphost_error_get_code(peer.error), code);
}

size_t
peer_count_tools(void)
{
    struct mcph_json_iter it;
    struct mcph_span tool;
    size_t n = 0;

    ck_assert_ptr_nonnull(peer.list);
    for (size_t i = 0; i < peer.list->n_pages; i++) {
        mcph_json_iter_init(&it, peer.list->pages[i].items);
        while (mcph_json_iter_next(&it, NULL, &tool))
            n++;
    }
    return n;
}

bool
peer_traced(const char *text)
{
    for (int i = 0; i < 200; i++) {
        if (rig_workspace_count(&peer.ws, "trace", text) > 0)
            return true;
        peer_wait(10);
    }
    return false;
}

void
peer_error_says(const mcphost_error *err, ...)
{
    const char *text = mcphost_error_get_message(err), *word;
    va_list ap;

    ck_assert_ptr_nonnull(err);
    ck_assert_str_eq(mcphost_error_get_server_id(err), "srv");
    ck_assert_msg(strstr(text, "'srv'") != NULL, "no server in '%s'", text);
    va_start(ap, err);
    while ((word = va_arg(ap, const char *)) != NULL)
        ck_assert_msg(strstr(text, word) != NULL, "no '%s' in '%s'", word, text);
    va_end(ap);
}

/* ---- calls ------------------------------------------------------------------------- */

static void
on_progress(struct mcph_operation *call, const struct mcph_client_progress *progress)
{
    struct peer_call *c = MCPH_CONTAINER_OF(call, struct peer_call, call);

    (void)progress;
    ck_assert_int_eq(c->done, 0);
    c->progress++;
}

static void
on_done(struct mcph_operation *call, const struct mcph_client_answer *answer)
{
    struct peer_call *c = MCPH_CONTAINER_OF(call, struct peer_call, call);

    c->done++;
    c->code = answer->code;
    c->error = mcphost_error_ref(answer->error);
    if (answer->code == 0)
        c->result = mcph_strndup(answer->result.p, answer->result.len);
}

void
peer_call_start(struct peer_call *call, const char *tool, const char *arguments,
                int timeout_ms)
{
    *call = (struct peer_call){
        .call = {.method = &mcph_methods[MCPH_METHOD_CALL_TOOL],
                 .name = mcph_span_str(tool),
                 .arguments = mcph_span_str(arguments),
                 .timeout_ms = timeout_ms,
                 .max_ms = -1,
                 .progress = on_progress,
                 .done = on_done},
    };
    ck_assert_int_eq(mcph_operation_start(peer.client, &call->call, NULL), 0);
}

void
peer_call_end(struct peer_call *call)
{
    free(call->result);
    mcphost_error_unref(call->error);
    *call = (struct peer_call){0};
}

void
peer_call(struct peer_call *call, const char *tool, const char *arguments, int timeout_ms,
          int code)
{
    peer_call_start(call, tool, arguments, timeout_ms);
    peer_until(&call->done, timeout_ms + 2000);
    ck_assert_msg(call->code == code, "%s answered %d, not %d: %s", tool, call->code,
                  code, mcphost_error_get_message(call->error));
}

void
peer_lives(void)
{
    struct peer_call call;

    peer_call(&call, "echo", "{\"text\":\"alive\"}", 5000, 0);
    ck_assert_ptr_nonnull(strstr(call.result, "\"alive\""));
    peer_call_end(&call);
    ck_assert_int_eq(peer.downs, 0);
}

const struct mcph_rpc_counters *
peer_counters(void)
{
    return &peer.client->rpc.counters;
}
