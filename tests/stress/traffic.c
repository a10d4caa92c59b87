/* SPDX-License-Identifier: MIT
 *
 * traffic.c - dialogs that call tools without a pause, and what each call may come
 * to: its own answer from a launch that may have been good meanwhile, GONE when the
 * tool may not have been offered, a lost connection when a process was killed, and
 * cancelled when its dialog was closed.
 */
#include <stdio.h>
#include <string.h>

#include "stress/stress.h"

static void start(int dialog, int slot);

/* ---- the end of a call ---- */

static _Noreturn void
wrong(const struct call *call, const char *what)
{
    printf("    launches that may answer:");
    for (int i = 0; i < call->n_may; i++)
        printf(" %d", call->may[i]);
    printf("%s%s%s\n", call->may_gone ? ", may be gone" : "",
           call->may_die ? ", may lose its server" : "",
           call->may_cancel ? ", may be cancelled" : "");
    stress_fail("call %s of '%s' (launch %d's own): %s; now %s", call->token,
                call->tool == TOOL_OWN ? "own" : model_tools[call->tool], call->own, what,
                model_text(call->server));
}

static void
check_answer(struct call *call, mcphost_result *result)
{
    const char *text;
    char copy[256], expected[128];
    size_t len;
    int launch = 0, pid = 0, rest = 0;

    if (mcphost_result_item_get_text(result, 0, &text, &len) < 0)
        wrong(call, "a result without text");
    snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
    snprintf(expected, sizeof(expected), "{\"t\":\"%s\"}", call->token);
    if (sscanf(copy, "%d %d %n", &launch, &pid, &rest) != 2 ||
        strcmp(copy + rest, expected) != 0)
        wrong(call, copy);
    for (int i = 0; i < call->n_may; i++)
        if (call->may[i] == launch)
            return;
    wrong(call, copy);
}

static void
check_error(struct call *call, mcphost_error *error)
{
    char text[600];
    int code = mcphost_error_get_code(error);

    if (code == MCPHOST_E_GONE && call->may_gone) {
        st.n_gone++;
    } else if (code == MCPHOST_E_TRANSPORT && call->may_die) {
        st.n_died++;
    } else if (code == MCPHOST_E_CANCELLED && call->may_cancel) {
        st.n_cancelled++;
    } else {
        snprintf(text, sizeof(text), "error %d: %s", code,
                 mcphost_error_get_message(error));
        wrong(call, text);
    }
}

static void
on_done(mcphost_call *handle, void *arg)
{
    struct call *call = arg;
    mcphost_error *error = mcphost_call_get_error(handle);
    mcphost_result *result = mcphost_call_get_result(handle);

    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(handle == call->handle);
    STRESS_CHECK(call->ends++ == 0);
    STRESS_CHECK((error == NULL) != (result == NULL));
    if (error) {
        check_error(call, error);
    } else {
        check_answer(call, result);
        st.n_results++;
    }
    pthread_mutex_unlock(&st.lock);
}

/* Comes after the above: the slot is free again. */
static void
on_free(void *arg)
{
    struct call *call = arg;
    int dialog = call->dialog;

    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(call->ends == 1);
    st.n_freed++;
    mcphost_call_unref(call->handle);
    call->handle = NULL;
    if (!st.draining)
        start(dialog, (int)(call - st.calls[dialog]));
    pthread_mutex_unlock(&st.lock);
}

/* ---- its beginning; under the lock ---- */

/* A tool of a server, from the dialog's catalog; a reference. */
static mcphost_tool *
pick(struct dialog *d)
{
    mcphost_catalog *catalog;
    mcphost_tool *tool = NULL;
    size_t n, first = (size_t)st.n_builtins;

    if (d->kept && stress_random(&st.traffic, 6) == 0)
        return mcphost_tool_ref(d->kept);
    STRESS_CHECK(mcphost_dialog_get_catalog(d->handle, &catalog) == 0);
    n = mcphost_catalog_count_tools(catalog);
    if (n > first)
        tool = mcphost_tool_ref(mcphost_catalog_get_tool(
            catalog, first + stress_random(&st.traffic, (unsigned)(n - first))));
    mcphost_catalog_unref(catalog);
    return tool;
}

static int
tool_of(const char *original, int *ret_own)
{
    for (int i = 0; i < N_TOOLS; i++)
        if (model_tools[i] && strcmp(original, model_tools[i]) == 0)
            return i;
    STRESS_CHECK(sscanf(original, "u%d", ret_own) == 1);
    return TOOL_OWN;
}

static int
make(struct call *call, struct dialog *d, mcphost_tool *tool)
{
    char arguments[128];
    int n = snprintf(arguments, sizeof(arguments), "{\"t\":\"%s\"}", call->token);

    /* By its name only what is in the present catalog. */
    if (tool == d->kept || stress_random(&st.traffic, 2))
        return mcphost_call_new_tool(d->handle, tool, arguments, (size_t)n, &call->handle,
                                     NULL);
    return mcphost_call_new(d->handle, mcphost_tool_get_name(tool), arguments, (size_t)n,
                            &call->handle, NULL);
}

static void
describe(struct call *call, const mcphost_tool *tool)
{
    STRESS_CHECK(sscanf(mcphost_tool_get_server_id(tool), "s%d", &call->server) == 1);
    call->tool = tool_of(mcphost_tool_get_original_name(tool), &call->own);
    model_note(call);
}

static void
start(int dialog, int slot)
{
    struct dialog *d = &st.dialogs[dialog];
    struct call *call = &st.calls[dialog][slot];
    mcphost_tool *tool;

    if (call->handle || st.draining)
        return;
    tool = pick(d);
    if (!tool)
        return;
    *call = (struct call){.dialog = dialog};
    snprintf(call->token, sizeof(call->token), "d%d-%u-%ld", dialog, d->made,
             st.n_calls++);
    describe(call, tool);
    if (call->tool == TOOL_BOOM && stress_random(&st.traffic, 40) != 0)
        goto out;
    if (make(call, d, tool) < 0) { /* its catalog has just changed */
        call->handle = NULL;
        goto out;
    }
    /* The same name may be another server's by now. */
    describe(call, mcphost_call_get_tool(call->handle));
    if (call->tool == TOOL_BOOM)
        traffic_dying(call->server);
    STRESS_CHECK(mcphost_call_start(call->handle, on_done, call, on_free) == 0);
    if (!d->kept || stress_random(&st.traffic, 20) == 0) {
        mcphost_tool_unref(d->kept);
        d->kept = mcphost_tool_ref(tool);
    }
out:
    mcphost_tool_unref(tool);
}

void
traffic_go(void)
{
    pthread_mutex_lock(&st.lock);
    st.draining = false;
    for (int i = 0; i < N_DIALOGS; i++)
        for (int j = 0; j < N_SLOTS; j++)
            start(i, j);
    pthread_mutex_unlock(&st.lock);
}

static bool
is_idle(void)
{
    bool idle = true;

    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_DIALOGS; i++)
        for (int j = 0; j < N_SLOTS; j++)
            if (st.calls[i][j].handle)
                idle = false;
    pthread_mutex_unlock(&st.lock);
    return idle;
}

void
traffic_drain(void)
{
    int64_t until = stress_now() + 30000;

    pthread_mutex_lock(&st.lock);
    st.draining = true;
    pthread_mutex_unlock(&st.lock);
    while (!is_idle()) {
        if (stress_now() > until)
            stress_fail("a call does not end");
        stress_pump(2);
    }
}

/* ---- what befalls them ---- */

/* Under the lock. */
void
traffic_dying(int server)
{
    st.servers[server].dying = true;
    for (int i = 0; i < N_DIALOGS; i++)
        for (int j = 0; j < N_SLOTS; j++)
            if (st.calls[i][j].handle && st.calls[i][j].server == server)
                st.calls[i][j].may_die = true;
}

void
traffic_open(int dialog)
{
    struct dialog *d = &st.dialogs[dialog];
    char id[32];

    snprintf(id, sizeof(id), "d%d-%u", dialog, ++d->made);
    STRESS_CHECK(mcphost_dialog_new(mcphost_default_view(st.host), id, NULL, &d->handle,
                                    NULL) == 0);
}

static void
drop(int dialog)
{
    struct dialog *d = &st.dialogs[dialog];

    for (int j = 0; j < N_SLOTS; j++)
        st.calls[dialog][j].may_cancel = true;
    mcphost_tool_unref(d->kept);
    d->kept = NULL;
    mcphost_dialog_close(d->handle);
    mcphost_dialog_unref(d->handle);
    d->handle = NULL;
}

void
traffic_reopen(int dialog)
{
    pthread_mutex_lock(&st.lock);
    drop(dialog);
    traffic_open(dialog);
    pthread_mutex_unlock(&st.lock);
}

void
traffic_close(void)
{
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_DIALOGS; i++)
        drop(i);
    pthread_mutex_unlock(&st.lock);
}
