/* SPDX-License-Identifier: MIT
 *
 * test_torture_scopes.c - a source, a layered view, dialogs of two agents and their turns
 * while memory runs out.
 *
 * Each call ends.  A turn shows the catalog that it pins.  No agent gets the process of
 * another agent.  No descriptor, thread or process is left.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "base/base.h"
#include "support/rig.h"
#include "torture/session.h"
#include "torture/torture.h"

#define N_DIALOGS 3
#define WAIT_MS   5000
#define SOON_MS   60 /* ms to wait for a change that may never happen */

static struct rig_census before;
static mcphost_config *editions[2];
static char guard[4200];

static struct {
    mcphost *host;
    mcphost_source *source;
    mcphost_view *view;
    mcphost_dialog *dialogs[N_DIALOGS];
    mcphost_turn *turns[2];
} s;

static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_NOTFOUND, MCPHOST_E_TRANSPORT,
                            MCPHOST_E_GONE,  MCPHOST_E_STATE,    0};

/* ---- parts of a session ------------------------------------------------------------ */

static int freed;

static void
on_free(void *arg)
{
    (void)arg;
    freed++;
}

/* Gives each tool the name that its server uses. */
static int
on_name(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    (void)server;
    (void)arg;
    snprintf(buffer, size, "%s", name);
    return 0;
}

static bool
begin(void)
{
    static const char *const chosen[] = {"a"};
    mcphost_error *error = NULL;
    int r;

    memset(&s, 0, sizeof(s));
    r = mcphost_new(&s.host, &error);
    if (!torture_told(r, error))
        return false;
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE) ==
                 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_RESTART_DELAY, 1) == 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_STOP_EOF, 500) == 0);
    if (!torture_good(mcphost_set_guard_path(s.host, guard)))
        return false;
    error = NULL;
    r = mcphost_source_new(s.host, "plug", &s.source, &error);
    if (!torture_told(r, error))
        return false;
    freed = 0;
    r = mcphost_source_set_name_fn(s.source, on_name, NULL, on_free);
    torture_must(freed == (r < 0));
    if (!torture_good(r))
        return false;
    error = NULL;
    r = mcphost_view_new_layered(s.host, "v", &s.view, &error);
    if (!torture_told(r, error))
        return false;
    r = mcphost_view_add_source(s.view, s.source, chosen, 1);
    if (r < 0)
        torture_must(mcphost_view_remove_source(s.view, s.source) == MCPHOST_E_NOTFOUND);
    return torture_good(r) && torture_good(mcphost_source_load(s.source, editions[0]));
}

/* Opens the dialogs.  The first two dialogs belong to one agent. */
static bool
open_dialogs(void)
{
    static const char *const ids[N_DIALOGS] = {"one", "two", "three"};
    bool all = true;

    for (int i = 0; i < N_DIALOGS; i++) {
        mcphost_error *error = NULL;
        int r = mcphost_dialog_new(s.view, ids[i], NULL, &s.dialogs[i], &error);

        if (!torture_told(r, error)) {
            all = false;
            continue;
        }
        all &= torture_good(mcphost_dialog_set_agent(s.dialogs[i], i < 2 ? "x" : "y"));
        all &= torture_good(mcphost_dialog_set_workspace(s.dialogs[i], "w"));
    }
    return all;
}

static int
shown(mcphost_turn *turn, const char *tool)
{
    mcphost_catalog *catalog = NULL;
    int r = turn ? mcphost_turn_get_catalog(turn, &catalog)
                 : mcphost_view_get_catalog(s.view, &catalog);

    torture_must((r == 0) == (catalog != NULL));
    if (r < 0)
        return r;
    r = mcphost_catalog_find_tool(catalog, tool) != NULL;
    mcphost_catalog_unref(catalog);
    return r;
}

static bool
await(const char *tool)
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS,
            soon = mcph_clock_monotonic_ms() + SOON_MS;

    while (shown(NULL, tool) != 1 &&
           mcph_clock_monotonic_ms() < (failing_happened() ? soon : until))
        torture_must(mcphost_wait(s.host, 10) >= 0);
    return torture_good(shown(NULL, tool) == 1 ? 0 : MCPHOST_E_NOTFOUND);
}

/* Makes a call and waits for its end.  Returns the id of the process that answered, or 0
 * if the call failed. */
static int
call(int i, mcphost_turn *turn, const char *tool)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    const char *text;
    int r, pid = 0;
    size_t len;

    r = turn ? mcphost_call_new_in_turn(s.dialogs[i], turn, tool, "{}", 2, &call, &error)
             : mcphost_call_new(s.dialogs[i], tool, "{}", 2, &call, &error);
    torture_must((r == 0) == (call != NULL));
    if (!torture_told(r, error))
        return 0;
    r = mcphost_call_start(call, NULL, NULL, NULL);
    if (torture_good(r)) {
        torture_must(mcphost_call_wait(call, WAIT_MS) == 1);
        r = mcphost_error_get_code(mcphost_call_get_error(call));
        (void)torture_good(r);
        if (r == 0 && mcphost_result_item_get_text(mcphost_call_get_result(call), 0,
                                                   &text, &len) == 0)
            torture_must(sscanf(text, "%d", &pid) == 1);
    }
    mcphost_call_unref(call);
    return pid;
}

static void
release(int i)
{
    mcphost_lease *lease = NULL;
    int r = mcphost_dialog_get_lease(s.dialogs[i], "plug:a", &lease);

    torture_must((r == 0) == (lease != NULL));
    if (r == 0)
        torture_must(mcphost_lease_release(lease) == 0);
    mcphost_lease_unref(lease);
}

static void
take_turns(void)
{
    int pids[N_DIALOGS];

    (void)torture_good(mcphost_turn_new(s.dialogs[0], &s.turns[0]));
    (void)torture_good(mcphost_turn_new_view(s.view, "y", &s.turns[1]));
    for (int i = 0; i < N_DIALOGS; i++)
        pids[i] = call(i, i == 1 ? NULL : s.turns[i / 2], "a_pid");
    torture_must(!pids[2] || (pids[2] != pids[0] && pids[2] != pids[1]));
    torture_must(failing_happened() || pids[0] == pids[1]);
    if (!torture_good(mcphost_source_load(s.source, editions[1])))
        return;
    (void)torture_good(mcphost_invalidate_agent(s.host, "x"));
    (void)torture_good(mcphost_invalidate_view(s.view));
    (void)await("a_new");
    for (int i = 0; i < 2; i++)
        torture_must(!s.turns[i] || (shown(s.turns[i], "a_pid") == 1 &&
                                     shown(s.turns[i], "a_new") == 0));
    if (s.turns[0])
        (void)call(0, s.turns[0], "a_pid");
    (void)call(1, NULL, "a_new");
    release(1);
}

static void
end(void)
{
    torture_must(!s.turns[0] || mcphost_turn_end(s.turns[0]) == 0);
    if (s.view && s.source) {
        int r = mcphost_view_remove_source(s.view, s.source);

        torture_must(r == 0 || r == MCPHOST_E_NOTFOUND);
        torture_must(mcphost_view_show_builtins(s.view, 1) == 0);
        torture_must(mcphost_source_remove(s.source) == 0);
    }
    for (int i = 0; i < N_DIALOGS; i++)
        if (s.dialogs[i])
            torture_must(mcphost_dialog_close(s.dialogs[i]) == 0);
    if (s.host)
        session_close(s.host);
    for (int i = 0; i < N_DIALOGS; i++)
        mcphost_dialog_unref(s.dialogs[i]);
    for (int i = 0; i < 2; i++)
        mcphost_turn_unref(s.turns[i]);
    mcphost_view_unref(s.view);
    mcphost_source_unref(s.source);
    mcphost_unref(s.host);
}

static int
scopes(void)
{
    if (begin()) {
        torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
        if (await("a_pid") && open_dialogs())
            take_turns();
    }
    end();
    return torture_code();
}

/* ---- the tests --------------------------------------------------------------------- */

static mcphost_config *
config_of(const char *more)
{
    mcphost_config *config = NULL;
    char yaml[2048];
    int n = snprintf(yaml, sizeof(yaml),
                     "version: 1\nservers:\n  a:\n    transport: stdio\n"
                     "    command: '%s'\n    scope: agent\n"
                     "    transform: [{prefix: a_}]\n"
                     "    args: [-e, no-tools, -e, tool pid%s]\n",
                     rig_fakeserver(), more);

    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, (size_t)n, NULL, "/", &config, NULL), 0);
    return config;
}

static void
up(void)
{
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    editions[0] = config_of("");
    editions[1] = config_of(", -e, tool new, -e, on call, -e, ' text %p'");
    before = rig_census_take();
}

static void
down(void)
{
    for (int i = 0; i < 2; i++)
        editions[i] = mcphost_config_unref(editions[i]);
}

static void
check_scopes(void)
{
    rig_census_check(&before, 2000);
}

START_TEST(no_agent_gets_another_agents_process_if_memory_fails) /* R78 R96 R116 R198 */
{
    static const struct {
        int mode;
        long step;
    } rows[] = {{FAIL_ONCE, 4}, {FAIL_FROM_THEN_ON, 37}};

    torture_run(&(struct torture){.run = scopes,
                                  .least = 400,
                                  .step = rows[_i].step,
                                  .codes = codes,
                                  .more = check_scopes},
                rows[_i].mode);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "scopes");

    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, no_agent_gets_another_agents_process_if_memory_fails, 0, 2);
}

int
main(void)
{
    return torture_main("torture-scopes", add);
}
