/* SPDX-License-Identifier: MIT
 *
 * traffic.c - makes dialogs call tools without a pause, and checks how each call ends.
 *
 * A call ends with its own answer from a launch that may have been good during the call.
 * In a turn that keeps its servers, the launch in the turn's catalog answers.  A call may
 * also end with an error:
 *
 *   GONE             if it is possible that the tool was not offered
 *   lost connection  if a process or a connection has ended
 *   HTTP status 404  if a session was lost
 *   CANCELLED        if the call's dialog was closed
 *   DENIED           if it is possible that the member had no grant for the tool
 */
#include <stdio.h>
#include <string.h>

#include "stress/stress.h"

static void start(int dialog, int slot);

/* ---- the end of a call ------------------------------------------------------------- */

static _Noreturn void
wrong(const struct call *call, const char *what)
{
    printf("    launches that may answer:");
    for (int i = 0; i < call->n_may; i++)
        printf(" %d", call->may[i]);
    printf("%s%s%s%s%s\n", call->may_gone ? ", may be gone" : "",
           call->may_die ? ", may lose its server" : "",
           call->may_cancel ? ", may be cancelled" : "",
           call->may_denied ? ", may be denied" : "", call->pinned ? ", pinned" : "");
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
    } else if (call->may_die && (code == MCPHOST_E_TRANSPORT ||
                                 mcphost_error_get_http_status(error) == 404)) {
        /* After status 404 the library begins a new session.  An error with this status
         * means that the server has lost the new session, too. */
        st.n_died++;
    } else if (code == MCPHOST_E_CANCELLED && call->may_cancel) {
        st.n_cancelled++;
    } else if (code == MCPHOST_E_DENIED && call->may_denied) {
        st.n_denied++;
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

/* Frees the slot of a call after on_done(), and starts the next call. */
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

/* ---- the start of a call, with the lock held --------------------------------------- */

/* Returns a reference to a tool that belongs to a server.  Begins the search at a random
 * place of the catalog, and continues at the beginning of the catalog.  Returns NULL if
 * all tools of the catalog are built-in. */
static mcphost_tool *
draw(mcphost_catalog *catalog)
{
    size_t n = mcphost_catalog_count_tools(catalog);
    size_t at = n ? stress_random(&st.traffic, (unsigned)n) : 0;

    for (size_t i = 0; i < n; i++) {
        mcphost_tool *tool = mcphost_catalog_get_tool(catalog, (at + i) % n);

        if (mcphost_tool_get_server_id(tool))
            return mcphost_tool_ref(tool);
    }
    return NULL;
}

/* Finds the launch of the tool's server in the catalog.  Returns 0 if the launch's own
 * tool is hidden. */
static int
launch_shown(mcphost_catalog *catalog, const mcphost_tool *tool)
{
    const char *server = mcphost_tool_get_server_id(tool);
    int launch = 0;

    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog) && !launch; i++) {
        mcphost_tool *other = mcphost_catalog_get_tool(catalog, i);
        const char *id = mcphost_tool_get_server_id(other);

        if (id && strcmp(id, server) == 0 &&
            sscanf(mcphost_tool_get_original_name(other), "u%d", &launch) != 1)
            launch = 0;
    }
    return launch;
}

/* Picks a tool from the dialog's catalog, from an earlier catalog, or from the default
 * view.  The default view may show tools that the member may not see.  *ret_launch is the
 * only launch that may answer, or 0 if several launches may answer.  Returns NULL if
 * the catalog has no tool of a server.  Also returns NULL if only one launch may answer,
 * and the catalog does not show the number of this launch. */
static mcphost_tool *
pick(struct dialog *d, int *ret_launch)
{
    mcphost_catalog *catalog;
    mcphost_tool *tool;
    bool pinned = d->in_turn && st.serve;

    *ret_launch = 0;
    if (!pinned && d->kept && stress_random(&st.traffic, 6) == 0)
        return mcphost_tool_ref(d->kept);
    if (!pinned && d->member >= 0 && stress_random(&st.traffic, 6) == 0)
        STRESS_CHECK(mcphost_view_get_catalog(mcphost_default_view(st.host), &catalog) ==
                     0);
    else
        STRESS_CHECK(mcphost_dialog_get_catalog(d->handle, &catalog) == 0);
    tool = draw(catalog);
    if (tool && pinned) {
        *ret_launch = launch_shown(catalog, tool);
        if (!*ret_launch)
            tool = mcphost_tool_unref(tool);
    }
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

static bool
has_seen(mcphost_dialog *handle, mcphost_tool *tool)
{
    mcphost_catalog *catalog;
    bool seen;

    STRESS_CHECK(mcphost_dialog_get_catalog(handle, &catalog) == 0);
    seen = mcphost_catalog_find_tool(catalog, mcphost_tool_get_name(tool)) == tool;
    mcphost_catalog_unref(catalog);
    return seen;
}

static int
make(struct call *call, struct dialog *d, mcphost_tool *tool)
{
    char arguments[128];
    int n = snprintf(arguments, sizeof(arguments), "{\"t\":\"%s\"}", call->token);

    /* Call the tool by its name only if the present catalog has the tool. */
    if (stress_random(&st.traffic, 2) || !has_seen(d->handle, tool))
        return mcphost_call_new_tool(d->handle, tool, arguments, (size_t)n, &call->handle,
                                     NULL);
    return mcphost_call_new(d->handle, mcphost_tool_get_name(tool), arguments, (size_t)n,
                            &call->handle, NULL);
}

/* Sets the call's server and tool, and the outcomes that are possible now.  Returns
 * GRANT_YES, GRANT_MAYBE or GRANT_NO for the member's right to the tool. */
static int
describe(struct call *call, const mcphost_tool *tool, int launch)
{
    int member = st.dialogs[call->dialog].member, given = GRANT_YES;

    STRESS_CHECK(sscanf(mcphost_tool_get_server_id(tool), "s%d", &call->server) == 1);
    call->tool = tool_of(mcphost_tool_get_original_name(tool), &call->own);
    if (member >= 0)
        given = team_judge(member, call->server, call->tool);
    if (given != GRANT_YES)
        call->may_denied = true;
    if (launch)
        model_pin(call, launch);
    model_note(call);
    return given;
}

/* Marks the calls that may be denied because of the new grants.  Call this with the lock
 * held, before grants change. */
void
traffic_regrant(void)
{
    for (int i = 0; i < N_DIALOGS; i++) {
        int member = st.dialogs[i].member;

        for (int j = 0; j < N_SLOTS && member >= 0; j++) {
            struct call *call = &st.calls[i][j];

            if (call->handle && team_judge(member, call->server, call->tool) != GRANT_YES)
                call->may_denied = true;
        }
    }
}

/* ---- turns, with the lock held ----------------------------------------------------- */

static void
end_turn(int dialog)
{
    struct dialog *d = &st.dialogs[dialog];

    if (!d->in_turn)
        return;
    d->in_turn = false;
    for (int j = 0; j < N_SLOTS; j++) {
        struct call *call = &st.calls[dialog][j];

        /* Unpin the call, because another launch may answer it after the turn. */
        call->pinned = false;
        if (call->handle)
            model_note(call);
    }
    STRESS_CHECK(mcphost_dialog_end_turn(d->handle) == 0);
}

static void
change_turn(int dialog)
{
    struct dialog *d = &st.dialogs[dialog];

    if (d->in_turn) {
        end_turn(dialog);
        return;
    }
    STRESS_CHECK(mcphost_dialog_begin_turn(d->handle) == 0);
    d->in_turn = true;
    st.n_turns++;
}

/* Decides whether to skip a call.  Skips most calls that end a process or change a list,
 * because these calls affect many other calls. */
static bool
is_passed_over(const struct call *call)
{
    return (call->tool == TOOL_BOOM || call->tool == TOOL_TURN) &&
           stress_random(&st.traffic, 40) != 0;
}

/* Checks the error of a call that could not be made. */
static void
refused(const struct call *call, int given, int code)
{
    if (code == MCPHOST_E_DENIED) {
        /* The host also denies a call if another thread has removed the tool from the
         * member's view. */
        STRESS_CHECK(call->may_denied || (st.thread && given == GRANT_YES));
        st.n_refused++;
    } else {
        STRESS_CHECK(code == MCPHOST_E_NOTFOUND);
    }
}

static void
start(int dialog, int slot)
{
    struct dialog *d = &st.dialogs[dialog];
    struct call *call = &st.calls[dialog][slot];
    mcphost_tool *tool;
    int launch, given, r;

    if (call->handle || st.draining)
        return;
    if (stress_random(&st.traffic, 12) == 0)
        change_turn(dialog);
    tool = pick(d, &launch);
    if (!tool)
        return;
    *call = (struct call){.dialog = dialog};
    snprintf(call->token, sizeof(call->token), "d%d-%u-%ld", dialog, d->made,
             st.n_calls++);
    given = describe(call, tool, launch);
    if (is_passed_over(call))
        goto out;
    r = make(call, d, tool);
    if (r < 0) {
        call->handle = NULL;
        refused(call, given, r);
        goto out;
    }
    if (given == GRANT_NO)
        wrong(call, "made, and not given");
    /* Describe the call again, because another server may have the name at this time. */
    describe(call, mcphost_call_get_tool(call->handle), launch);
    if (call->tool == TOOL_BOOM)
        traffic_dying(call->server);
    if (call->tool == TOOL_TURN)
        st.n_turned++;
    if (launch)
        st.n_pinned++;
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
    int64_t until = mcph_clock_monotonic_ms() + 30000;

    pthread_mutex_lock(&st.lock);
    st.draining = true;
    pthread_mutex_unlock(&st.lock);
    while (!is_idle()) {
        if (mcph_clock_monotonic_ms() > until)
            stress_fail("a call does not end");
        stress_pump(2);
    }
    pthread_mutex_lock(&st.lock);
    for (int i = 0; i < N_DIALOGS; i++)
        end_turn(i);
    pthread_mutex_unlock(&st.lock);
}

/* ---- killed servers and closed dialogs --------------------------------------------- */

/* Call this with the lock held, before a process of the server is killed or a session is
 * lost.  Until the next quiet point, the test then accepts that calls of the server fail
 * because a process has ended or a session was lost. */
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
    mcphost_view *view = mcphost_default_view(st.host);
    char id[32];

    snprintf(id, sizeof(id), "d%d-%u", dialog, ++d->made);
    d->member = dialog < N_DIALOGS / 2 ? -1 : dialog % N_MEMBERS;
    if (d->member >= 0)
        view = st.members[d->member].view;
    STRESS_CHECK(mcphost_dialog_new(view, id, NULL, &d->handle, NULL) == 0);
}

static void
drop(int dialog)
{
    struct dialog *d = &st.dialogs[dialog];

    for (int j = 0; j < N_SLOTS; j++)
        st.calls[dialog][j].may_cancel = true;
    end_turn(dialog);
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
