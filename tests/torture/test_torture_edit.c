/* SPDX-License-Identifier: MIT
 *
 * test_torture_edit.c - a host whose team and servers are edited while memory runs out.
 *
 * The host applies an edit completely or not at all.  No dialog ever has the tools of
 * both the old and the new file.  Each call ends.  No process, descriptor or thread is
 * left.
 *
 * With FAIL_ONCE, the test of team members tries every allocation, because that test is
 * fast without servers.  The test with real servers tries only some allocations.
 * torture.h explains how to try all allocations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "base/base.h"
#include "support/rig.h"
#include "torture/session.h"
#include "torture/torture.h"

#define CALLS   16
#define WAIT_MS 5000
#define SOON_MS 60 /* ms to wait for a change that may never happen */

static struct rig_workspace ws;
static struct rig_census before;
static mcphost_config *nothing; /* a configuration without servers */
static char guard[4200];

static struct {
    mcphost *host;
    mcphost_view *views[2];
    mcphost_dialog *dialogs[2];
    mcphost_call *calls[CALLS];
    int n_calls, started, done;
} s;

static const int codes[] = {MCPHOST_E_NOMEM,
                            MCPHOST_E_NOTFOUND,
                            MCPHOST_E_DENIED,
                            MCPHOST_E_TRANSPORT,
                            MCPHOST_E_GONE,
                            MCPHOST_E_STATE,
                            0};

/* Writes a file.  No allocation fails during the write. */
static void
write_file(const char *name, const char *text)
{
    failing_pause();
    rig_workspace_write(&ws, name, "%s", text);
    failing_resume();
}

/* ---- parts of a session ------------------------------------------------------------ */

static int
answer(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    return mcphost_call_answer(call, "ours", 4, 0);
}

static void
add_tool(const char *toolset, const char *name)
{
    mcphost_error *error = NULL;
    int r = mcphost_view_add_builtin(mcphost_default_view(s.host), toolset, name, NULL,
                                     "{\"type\":\"object\"}", answer, NULL, NULL, &error);

    (void)torture_told(r, error);
}

static bool
begin(void)
{
    mcphost_error *error = NULL;
    int r;

    memset(&s, 0, sizeof(s));
    r = mcphost_new(&s.host, &error);
    if (!torture_told(r, error))
        return false;
    torture_must(
        mcphost_set_option(s.host, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT) == 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE) ==
                 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_RESTART_DELAY, 1) == 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_STOP_EOF, 500) == 0);
    torture_must(mcphost_set_option(s.host, MCPHOST_OPT_STOP_TERM, 500) == 0);
    if (!torture_good(mcphost_set_option(s.host, MCPHOST_OPT_ADMIN_TOOLS, 1)))
        (void)torture_good(mcphost_set_option(s.host, MCPHOST_OPT_ADMIN_TOOLS, 1));
    add_tool("ours", "run");
    add_tool("theirs", "read");
    return torture_good(mcphost_set_guard_path(s.host, guard));
}

static void
follow_team(const char *file)
{
    mcphost_error *error = NULL;
    int r = mcphost_use_team(s.host, file, &error);

    (void)torture_told(r, error);
}

static void
make_view(int i, const char *name, const char *toolset)
{
    mcphost_error *error = NULL;
    mcphost_grant *grant = NULL;
    int r = mcphost_grant_new(&grant);

    torture_must((r == 0) == (grant != NULL));
    if (!torture_good(r))
        return;
    if (torture_good(mcphost_grant_add_toolset(grant, toolset))) {
        r = mcphost_view_new(s.host, name, grant, &s.views[i], &error);
        torture_must((r == 0) == (s.views[i] != NULL));
        (void)torture_told(r, error);
    }
    mcphost_grant_unref(grant);
}

static void
open_dialog(int i)
{
    mcphost_error *error = NULL;
    int r;

    if (!s.views[i])
        return;
    r = mcphost_dialog_new(s.views[i], i ? "two" : "one", NULL, &s.dialogs[i], &error);
    (void)torture_told(r, error);
}

/* Checks whether a dialog sees a tool.  Returns 1, 0, or an error code. */
static int
sees(int i, const char *name)
{
    mcphost_catalog *catalog = NULL;
    int r;

    if (!s.dialogs[i])
        return MCPHOST_E_NOTFOUND;
    r = mcphost_dialog_get_catalog(s.dialogs[i], &catalog);
    torture_must((r == 0) == (catalog != NULL));
    if (r < 0)
        return r;
    r = mcphost_catalog_find_tool(catalog, name) != NULL;
    mcphost_catalog_unref(catalog);
    return r;
}

/* Checks that the dialog sees the tool `seen` and not the tool `unseen`.  Records an
 * error if the edit is not applied yet.  The dialog must never see both tools. */
static void
expect(int i, const char *seen, const char *unseen)
{
    int yes = sees(i, seen), no = sees(i, unseen);

    if (yes < 0 || no < 0)
        (void)torture_good(yes < 0 ? yes : no);
    else if (!yes || no)
        (void)torture_good(MCPHOST_E_NOTFOUND); /* the edit is not applied yet */
    torture_must(yes != 1 || no != 1);
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)arg;
    torture_must(!mcphost_call_get_result(call) != !mcphost_call_get_error(call));
    s.done++;
}

/* Makes a call and waits for its end.  Returns 1 if the call has a result, otherwise an
 * error code. */
static int
try_call(int i, const char *tool, const char *arguments)
{
    mcphost_error *error = NULL;
    mcphost_call *call = NULL;
    int r;

    if (!s.dialogs[i] || s.n_calls == CALLS)
        return MCPHOST_E_NOTFOUND;
    r = mcphost_call_new(s.dialogs[i], tool, arguments, strlen(arguments), &call, &error);
    torture_must((r == 0) == (call != NULL) && (r < 0) == (error != NULL));
    mcphost_error_unref(error);
    if (r < 0)
        return r;
    s.calls[s.n_calls++] = call;
    r = mcphost_call_start(call, on_done, NULL, NULL);
    if (r < 0)
        return r;
    s.started++;
    torture_must(mcphost_call_wait(call, WAIT_MS) == 1);
    r = mcphost_error_get_code(mcphost_call_get_error(call));
    return r < 0 ? r : 1;
}

static void
call(int i, const char *tool, const char *arguments)
{
    (void)torture_good(try_call(i, tool, arguments));
}

/* Calls a tool that is not granted.  The call must fail, even if memory runs out. */
static void
call_refused(int i, const char *tool)
{
    int r = try_call(i, tool, "{}");

    torture_must(r < 0);
    if (r != MCPHOST_E_DENIED)
        (void)torture_good(r);
}

static void
reload(void)
{
    if (torture_good(mcphost_reload(s.host)))
        for (int i = 0; i < 4; i++)
            torture_must(mcphost_wait(s.host, 0) >= 0);
}

static void
end(void)
{
    if (s.host)
        session_close(s.host);
    torture_must(s.done == s.started);
    for (int i = 0; i < s.n_calls; i++)
        mcphost_call_unref(s.calls[i]);
    for (int i = 0; i < 2; i++) {
        mcphost_dialog_unref(s.dialogs[i]);
        mcphost_view_unref(s.views[i]);
    }
    mcphost_unref(s.host);
}

/* ---- team members and dialog turns ------------------------------------------------- */

#define TEAM(ann)                     \
    "members: {ann: {toolsets: [" ann \
    ", none, mcp_admin]}, bob: {toolsets: ['*', '!ours']}}\n"

static void
take_back(void)
{
    mcphost_grant *grant = NULL;
    int r;

    if (!s.views[1] || !torture_good(mcphost_grant_new(&grant)))
        return;
    r = mcphost_view_set_grant(s.views[1], grant);
    if (torture_good(r)) {
        torture_must(sees(1, "read") != 1 && sees(1, "run") != 1);
        call_refused(1, "read");
    }
    mcphost_grant_unref(grant);
}

/* Gets the view of a team member.  No member is found until the host has read the team's
 * file. */
static void
get_member_view(const char *name)
{
    int r = MCPHOST_E_NOTFOUND;

    for (int i = 0; i < 4 && r == MCPHOST_E_NOTFOUND; i++) {
        torture_must(mcphost_wait(s.host, 0) >= 0);
        r = mcphost_get_team_view(s.host, name, &s.views[0]);
    }
    torture_must((r == 0) == (s.views[0] != NULL));
    (void)torture_good(r);
}

static void
look_at_problems(void)
{
    mcphost_problems *problems = NULL;
    int r = mcphost_select_problems(s.host,
                                    MCPHOST_PROBLEMS_ACTIVE | MCPHOST_PROBLEMS_RESOLVED,
                                    "team/", NULL, &problems);

    torture_must((r == 0) == (problems != NULL));
    (void)torture_good(r);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        torture_must(mcphost_problem_get_message(mcphost_problems_get(problems, i)) !=
                     NULL);
    mcphost_problems_unref(problems);
    torture_must(mcphost_forget_problem(s.host, NULL) == 0);
}

static void
take_turns(void)
{
    make_view(1, "eve", "theirs");
    open_dialog(0);
    open_dialog(1);
    expect(0, "run", "read");
    expect(1, "read", "run");
    if (s.dialogs[0] && torture_good(mcphost_dialog_begin_turn(s.dialogs[0]))) {
        write_file("team.yaml", TEAM("theirs"));
        reload();
        /* During the turn the dialog still sees the tools that it saw at the turn's
         * start. */
        expect(0, "run", "read");
        torture_must(mcphost_dialog_end_turn(s.dialogs[0]) == 0);
    }
    expect(0, "read", "run");
    call(0, "read", "{}");
    if (torture_code() == 0)
        call_refused(0, "run");
    take_back();
    look_at_problems();
}

static int
members(void)
{
    write_file("team.yaml", TEAM("ours"));
    if (begin()) {
        follow_team(rig_workspace_path(&ws, "team.yaml"));
        if (torture_good(mcphost_load(s.host, nothing))) {
            torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
            get_member_view("ann");
            take_turns();
        }
    }
    end();
    return torture_code();
}

/* ---- servers ----------------------------------------------------------------------- */

static char editions[2][4096];

static void
write_edition(int i)
{
    write_file(".minds/mcp.yaml", editions[i]);
}

static void
make_editions(void)
{
    static const char entry[] = "  %s:\n    transport: stdio\n    command: '%s'\n"
                                "    transform: [{prefix: %s}]\n%s";
    size_t n = 0;

    n = (size_t)snprintf(editions[0], sizeof(editions[0]), "version: 1\nservers:\n");
    n += (size_t)snprintf(editions[0] + n, sizeof(editions[0]) - n, entry, "a",
                          rig_fakeserver(), "a_", "    truely-stateless: true\n");
    snprintf(editions[0] + n, sizeof(editions[0]) - n, entry, "b", rig_fakeserver(), "b_",
             "");
    n = (size_t)snprintf(editions[1], sizeof(editions[1]), "version: 1\nservers:\n");
    n += (size_t)snprintf(editions[1] + n, sizeof(editions[1]) - n, entry, "a",
                          rig_fakeserver(), "z_",
                          "    truely-stateless: true\n    tools: {blacklist: [big]}\n");
    snprintf(editions[1] + n, sizeof(editions[1]) - n, entry, "c", rig_fakeserver(), "c_",
             "    env: {N: '2'}\n");
}

static void
await(const char *tool)
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS,
            soon = mcph_clock_monotonic_ms() + SOON_MS;

    while (sees(0, tool) != 1 &&
           mcph_clock_monotonic_ms() < (failing_happened() ? soon : until))
        torture_must(mcphost_wait(s.host, 10) >= 0);
    if (sees(0, tool) != 1)
        (void)torture_good(MCPHOST_E_NOTFOUND);
}

static void
edit_servers(void)
{
    bool turn = torture_good(mcphost_dialog_begin_turn(s.dialogs[0]));

    call(0, "b_echo", "{}");
    write_edition(1);
    reload();
    if (turn) {
        torture_must(sees(0, "z_echo") != 1);
        call(0, "b_echo", "{}"); /* b_echo works until the turn ends */
        torture_must(mcphost_dialog_end_turn(s.dialogs[0]) == 0);
    }
    await("z_echo");
    await("c_echo");
    if (torture_code() == 0)
        torture_must(sees(0, "b_echo") != 1 && sees(0, "a_echo") != 1);
    call(0, "z_echo", "{}");
    call(0, "env_set", "{\"key\":\"MCPT_X\",\"value\":\"1\"}");
    call(0, "mcp_restart", "{\"serverId\":\"a\"}");
    call(0, "mcp_disable", "{\"serverId\":\"a\"}");
    if (torture_code() == 0)
        torture_must(sees(0, "z_echo") != 1);
}

static int
servers(void)
{
    mcphost_error *error = NULL;
    int r;

    write_edition(0);
    write_file(".minds/team.yaml",
               "members: {ann: {toolsets: ['*', mcp_admin, '!theirs']}}\n");
    if (begin()) {
        r = mcphost_load_workspace(s.host, ws.dir, NULL, &error);
        if (torture_told(r, error)) {
            follow_team(NULL);
            torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
            get_member_view("ann");
            open_dialog(0);
            torture_must(sees(0, "read") != 1);
        }
    }
    if (s.dialogs[0])
        edit_servers();
    end();
    return torture_code();
}

/* ---- the tests --------------------------------------------------------------------- */

static void
up(void)
{
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    rig_workspace_up(&ws, NULL);
    make_editions();
    ck_assert_int_eq(
        mcphost_config_load_memory("version: 1\n", 11, NULL, "/", &nothing, NULL), 0);
    before = rig_census_take();
}

static void
down(void)
{
    nothing = mcphost_config_unref(nothing);
    rig_workspace_down(&ws);
}

static void
check_edit(void)
{
    rig_census_check(&before, 2000);
}

static const struct {
    int (*run)(void);
    int mode;
    long least, step;
} sessions[] = {
    {members, FAIL_ONCE, 150, 1},
    {members, FAIL_FROM_THEN_ON, 150, 5},
    {servers, FAIL_ONCE, 800, 151},
    {servers, FAIL_FROM_THEN_ON, 800, 263},
};

START_TEST(
    an_edit_is_applied_whole_or_not_at_all_if_memory_fails) /* R83 R87 R96 R112 R116 */
{
    torture_run(&(struct torture){.run = sessions[_i].run,
                                  .least = sessions[_i].least,
                                  .step = sessions[_i].step,
                                  .codes = codes,
                                  .more = check_edit},
                sessions[_i].mode);
}
END_TEST

/* Dispatches a few times while all allocations fail. */
static void
starve(void)
{
    failing_arm(0, FAIL_FROM_THEN_ON);
    for (int i = 0; i < 4; i++)
        (void)mcphost_wait(s.host, 0);
    failing_disarm();
}

START_TEST(a_team_file_not_read_for_lack_of_memory_is_read_again) /* R84 R87 */
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS;

    write_file("team.yaml", TEAM("ours"));
    ck_assert(begin());
    follow_team(rig_workspace_path(&ws, "team.yaml"));
    ck_assert_int_eq(mcphost_load(s.host, nothing), 0);
    ck_assert_int_eq(mcphost_wait_ready(s.host, WAIT_MS), 1);
    get_member_view("ann");
    open_dialog(0);
    write_file("team.yaml", TEAM("theirs"));
    ck_assert_int_eq(mcphost_reload(s.host), 0);
    starve();
    ck_assert_int_eq(sees(0, "run"), 1);
    while (sees(0, "run") == 1 && mcph_clock_monotonic_ms() < until)
        ck_assert_int_ge(mcphost_wait(s.host, 20), 0);
    ck_assert_int_eq(sees(0, "read"), 1);
    call_refused(0, "run");
    end();
    ck_assert_ptr_null(torture_broken());
}
END_TEST

START_TEST(
    a_file_not_read_for_lack_of_memory_is_read_again_and_delays_no_start) /* R116 */
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS;

    write_edition(0);
    ck_assert(begin());
    s.views[0] = mcphost_view_ref(mcphost_default_view(s.host));
    open_dialog(0);
    ck_assert_int_eq(mcphost_load_workspace(s.host, ws.dir, NULL, NULL), 0);
    starve();
    ck_assert_int_eq(mcphost_wait_ready(s.host, WAIT_MS), 1);
    ck_assert_int_eq(sees(0, "a_echo"), 0);
    ck_assert_int_eq(sees(0, "run"), 1);
    while (sees(0, "a_echo") == 0 && mcph_clock_monotonic_ms() < until)
        ck_assert_int_ge(mcphost_wait(s.host, 20), 0);
    ck_assert_int_eq(sees(0, "a_echo"), 1);
    end();
    ck_assert_ptr_null(torture_broken());
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "edits");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, an_edit_is_applied_whole_or_not_at_all_if_memory_fails, 0,
                        (int)(sizeof(sessions) / sizeof(sessions[0])));

    tc = test_case(suite, "read again");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_team_file_not_read_for_lack_of_memory_is_read_again);
    tcase_add_test(tc,
                   a_file_not_read_for_lack_of_memory_is_read_again_and_delays_no_start);
}

int
main(void)
{
    return torture_main("torture-edit", add);
}
