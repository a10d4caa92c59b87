/* SPDX-License-Identifier: MIT
 *
 * test_live_edit.c - the tools of dialogs while the host applies an edit, and edits that
 * fail.
 *
 * A failed edit changes neither the tools nor the processes.  The host raises a problem
 * and logs the reason.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "support/hostrig.h"

#define SHARED "truely-stateless: true"
#define OTHER  "truely-stateless: true\nenv: {EDITION: 'two'}"
#define PLAIN  "truely-stateless: true\ntransform: []"
#define FEW    "no-tools\ntool echo\ntool pid\ntool env\n"

static struct hostrig hr;
static mcphost_dialog *d;

static void
up(int mode)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, mode);
    hr_keep_log(&hr, MCPHOST_LOG_INFO);
}

static void
follow(void)
{
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
}

/* Dispatches for `ms` milliseconds. */
static void
dwell(int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (mcph_clock_monotonic_ms() < end)
        hr_turn(&hr, 10);
}

/* Counts the readings of the file for the reason `why`, or all readings if `why` is
 * NULL. */
static int
readings(const char *why)
{
    int n = 0;

    for (int i = 0; i < hr.n_events; i++)
        n += hr.events[i].kind == MCPHOST_EVENT_CONFIG &&
             (!why || strcmp(hr.events[i].text, why) == 0);
    return n;
}

/* ---- noticing an edit -------------------------------------------------------------- */

START_TEST(an_invalid_entry_is_reported_once_and_not_at_each_reading)
{
    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    hr_server(&hr, "bad", "timeouts: {call: soon}", FEW);
    follow();
    ck_assert_int_eq(
        hr_count(&hr, MCPHOST_EVENT_SERVER, "bad", NULL, MCPHOST_SERVER_CONFIG_INVALID),
        1);
    hr_server(&hr, "c", SHARED, FEW);
    hr_reload(&hr);
    hr_ready(&hr);
    hr_loaded(&hr, "c");
    ck_assert_int_eq(
        hr_count(&hr, MCPHOST_EVENT_SERVER, "bad", NULL, MCPHOST_SERVER_CONFIG_INVALID),
        1);
    /* The host reports the entry again if the entry has another fault. */
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, FEW);
    hr_server(&hr, "bad", "timeouts: {call: [1]}", FEW);
    hr_reload(&hr);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_SERVER, "bad", NULL,
                           MCPHOST_SERVER_CONFIG_INVALID) == 2);
    hr_down(&hr);
}
END_TEST

/* R88 R91 K1 */
START_TEST(by_default_a_running_host_applies_an_edit)
{
    int pid;

    hr_up(&hr);
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    pid = hr_pid(&hr, d, "a_pid");
    hr_server(&hr, "b", SHARED, FEW);
    hr_save(&hr);
    hr_until(&hr, strstr(hr_tools(&hr, d), "b_echo") != NULL);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

START_TEST(five_quick_saves_cause_one_reload_of_the_last_text) /* R92 */
{
    bool in_place = _i == 1;
    char path[] = ".minds/mcp.yaml";

    up(MCPHOST_RELOAD_WATCH);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 400);
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    for (char id[] = "b"; id[0] < 'g'; id[0]++) {
        hr_edit(&hr);
        hr_server(&hr, id, "truely-stateless: true\ntransform: [{suffix: _x}]", FEW);
        if (in_place)
            rig_workspace_write(&hr.ws, path, "%s", hr.yaml);
        else
            hr_save(&hr);
        hr_turn(&hr, 1);
    }
    hr_until(&hr, strcmp(hr_tools(&hr, d), "echo_x pid_x env_x") == 0);
    ck_assert_ptr_nonnull(hr_toolset(&hr, "f"));
    dwell(50);
    ck_assert_int_eq(readings(NULL), 2);
    ck_assert_int_eq(readings("changed"), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "c.trace", "spawn"), 0);
    hr_down(&hr);
}
END_TEST

/* B.14 B.16 K16 */
START_TEST(an_edit_by_the_host_itself_is_read_only_once)
{
    up(MCPHOST_RELOAD_WATCH + _i);
    hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
    hr_option(&hr, MCPHOST_OPT_RELOAD_POLL, 100);
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    hr_turn(&hr, 30);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "a", 0), 0);
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_DISABLED);
    dwell(400);
    ck_assert_int_eq(readings(NULL), 2);
    ck_assert_int_eq(readings("edited"), 1);
    hr_down(&hr);
}
END_TEST

START_TEST(a_deleted_file_ends_all_servers_after_their_calls) /* R93 */
{
    mcphost_call *call;
    int shared, mine;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, NULL);
    hr_server(&hr, "b", NULL, FEW);
    hr_server(&hr, "c", SHARED, FEW);
    follow();
    shared = hr_pid(&hr, d, "a_pid");
    mine = hr_pid(&hr, d, "b_pid");
    call = hr_start(&hr, d, "a_slow", "{\"ms\":150}");
    hr_turn(&hr, 10);
    ck_assert_int_eq(unlink(rig_workspace_path(&hr.ws, ".minds/mcp.yaml")), 0);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "") == 0);
    ck_assert_ptr_null(hr_toolset(&hr, "c"));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "slept 150 ms");
    hr_until(&hr, rig_is_dead(shared) && rig_is_dead(mine));
    hr_until(&hr, rig_workspace_living(&hr.ws, "c.trace") == 0);
    ck_assert_uint_eq(hr_leases(&hr), 0);
    hr_reload(&hr);
    hr_until(&hr, hr_toolset(&hr, "b") && hr_toolset(&hr, "c"));
    ck_assert_int_ne(hr_pid(&hr, d, "b_pid"), mine);
    hr_down(&hr);
}
END_TEST

/* ---- applying an edit -------------------------------------------------------------- */

/* Writes the toolsets with owners and tools, and the ids of the problems, to `text`. */
static void
describe(char *text, size_t size)
{
    mcphost_problems *problems;
    mcphost_catalog *catalog;
    size_t len = 0;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        const char *owner = mcphost_catalog_get_toolset_owner(catalog, i);

        len += (size_t)snprintf(text + len, size - len, "%s of %s: %s\n",
                                mcphost_catalog_get_toolset(catalog, i),
                                owner ? owner : "nobody",
                                hr_toolset(&hr, mcphost_catalog_get_toolset(catalog, i)));
    }
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        len +=
            (size_t)snprintf(text + len, size - len, "%s\n",
                             mcphost_problem_get_id(mcphost_problems_get(problems, i)));
    mcphost_problems_unref(problems);
}

/* Writes edition `n` of the file.  Edition 2 removes server `gone`, adds `new`, restarts
 * `next` with other tools and renames the tools of `view`.  The names `common` and
 * `later` move to other servers. */
static void
edition(int n)
{
    hr_edit(&hr);
    if (n == 1)
        hr_server(&hr, "gone", PLAIN, "no-tools\ntool common\ntool only\n");
    if (n == 2)
        hr_server(&hr, "new", PLAIN, "no-tools\ntool later\ntool fresh\n");
    hr_server(&hr, "next",
              n == 1 ? PLAIN : "truely-stateless: true\ntransform: []\nenv: {N: '2'}",
              n == 1 ? "no-tools\ntool common\ntool later\ntool old\n"
                     : "no-tools\ntool common\ntool later\ntool young\n");
    hr_server(&hr, "view",
              n == 1 ? SHARED : "truely-stateless: true\ntransform: [{suffix: _v}]",
              "no-tools\ntool common\n");
}

/* R94 R97 R100 R101 R113 */
START_TEST(an_edited_host_equals_a_fresh_host_with_the_same_file)
{
    static char edited[4096], fresh[4096];
    uint64_t before;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_HOLDERS, MCPHOST_HOLDERS_BY_ORDER);
    edition(1);
    follow();
    ck_assert_str_eq(hr_tools(&hr, d), "common only later old view_common");
    before = hr_version(&hr);
    edition(2);
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "later fresh common young common_v") == 0);
    ck_assert_uint_gt(hr_version(&hr), before);
    ck_assert_ptr_null(hr_toolset(&hr, "gone"));
    ck_assert_ptr_null(hr_tool(&hr, "old"));
    ck_assert_ptr_null(hr_tool(&hr, "view_common"));
    describe(edited, sizeof(edited));
    hr_down(&hr);

    up(MCPHOST_RELOAD_EXPLICIT);
    edition(2);
    follow();
    describe(fresh, sizeof(fresh));
    hr_down(&hr);
    ck_assert_str_eq(edited, fresh);
    ck_assert_ptr_nonnull(strstr(fresh, "mcp/server/next/tool_collision/later"));
}
END_TEST

/* Returns the index of the last CATALOG event, or -1. */
static int
last_catalog(void)
{
    int at = hr.n_events - 1;

    while (at >= 0 && hr.events[at].kind != MCPHOST_EVENT_CATALOG)
        at--;
    return at;
}

/* R101 R105 */
START_TEST(a_removed_server_leaves_the_catalog_before_it_is_stopped)
{
    int pid, catalog, server, process;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    hr_server(&hr, "b", SHARED, FEW);
    follow();
    pid = hr_pid(&hr, d, "a_pid");
    catalog = last_catalog();
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, FEW);
    hr_reload(&hr);
    hr_until(&hr, rig_is_dead(pid));
    hr_until(&hr, hr_place(&hr, MCPHOST_EVENT_INSTANCE, "a", MCPHOST_INSTANCE_DEAD) >= 0);
    ck_assert_int_gt(last_catalog(), catalog);
    catalog = last_catalog();
    server = hr_place(&hr, MCPHOST_EVENT_SERVER, "a", 0);
    process = hr_place(&hr, MCPHOST_EVENT_INSTANCE, "a", MCPHOST_INSTANCE_DEAD);
    ck_assert_int_lt(catalog, server);
    ck_assert_int_lt(server, process);
    hr_down(&hr);
}
END_TEST

/* Checks that a catalog shows tools of server b only after the host has asked for the
 * list of b. */
static void
expect_listed(struct hostrig *rig, const mcphost_event *event)
{
    mcphost_catalog *catalog;

    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_CATALOG)
        return;
    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(rig->host), &catalog),
                     0);
    if (mcphost_catalog_find_tool(catalog, "b_echo"))
        ck_assert_int_ge(rig_workspace_count(&rig->ws, "b.trace", "tools/list"), 1);
    mcphost_catalog_unref(catalog);
}

/* R95 R105 R111 */
START_TEST(servers_that_are_starting_are_not_shown_and_delay_no_calls)
{
    int old, seen = 0;
    uint64_t before;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr.on_event = expect_listed;
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    old = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", "truely-stateless: true\nera: legacy\nenv: {EDITION: 'two'}",
              FEW "on initialize\n delay 300\n answer\n");
    hr_server(&hr, "b", "truely-stateless: true\nera: legacy",
              FEW "on list\n delay 300\n answer\n");
    hr_reload(&hr);
    hr_until(&hr, rig_workspace_count(&hr.ws, "b.trace", "tools/list") > 0);
    before = hr_version(&hr);
    while (hr_version(&hr) == before && seen < 20) {
        ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid a_env");
        ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), old);
        seen++;
    }
    ck_assert_int_gt(seen, 1);
    hr_until(&hr, hr_toolset(&hr, "b") && hr_pid(&hr, d, "a_pid") != old);
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"EDITION\"}"), "two");
    hr.on_event = NULL;
    hr_down(&hr);
}
END_TEST

/* R104 R110 */
START_TEST(of_two_changed_servers_only_the_good_server_is_updated)
{
    int a;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    hr_server(&hr, "b", SHARED, FEW);
    follow();
    a = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "b", OTHER, FEW);
    if (_i)
        hr_entry(&hr, "a: {transport: stdio, command: /no/such/program}");
    else
        hr_entry(&hr, "a: {transport: stdio}");
    hr_reload(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/server_error") != NULL);
    hr_until(&hr, rig_workspace_count(&hr.ws, "b.trace", "spawn") == 2 &&
                      rig_workspace_living(&hr.ws, "b.trace") == 1);
    ck_assert_str_eq(hr_say(&hr, d, "b_env", "{\"name\":\"EDITION\"}"), "two");
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), a);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "a_echo a_pid a_env");
    hr_down(&hr);
}
END_TEST

static struct {
    atomic_bool over;
    atomic_int looks, bad;
    mcphost_view *view;
} observer;

/* Returns true if the catalog is consistent: each toolset has all tools of one edition of
 * its server (an edition has two or three tools), a search by name finds each tool and
 * each server, and the toolsets have all tools of the catalog. */
static bool
is_whole(const mcphost_catalog *catalog)
{
    size_t in_toolsets = 0;

    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        size_t n = mcphost_catalog_count_toolset_tools(catalog, i);

        in_toolsets += n;
        if (n != 2 && n != 3)
            return false;
        for (size_t k = 0; k < n; k++) {
            mcphost_tool *tool = mcphost_catalog_get_toolset_tool(catalog, i, k);

            if (mcphost_catalog_find_tool(catalog, mcphost_tool_get_name(tool)) != tool)
                return false;
        }
        if (!mcphost_catalog_find_server(catalog,
                                         mcphost_catalog_get_toolset(catalog, i)))
            return false;
    }
    return in_toolsets == mcphost_catalog_count_tools(catalog);
}

static void *
observe(void *arg)
{
    uint64_t last = 0;

    (void)arg;
    while (!atomic_load(&observer.over)) {
        mcphost_catalog *catalog;

        if (mcphost_view_get_catalog(observer.view, &catalog) < 0)
            break;
        if (!is_whole(catalog) || mcphost_catalog_get_version(catalog) < last)
            atomic_fetch_add(&observer.bad, 1);
        last = mcphost_catalog_get_version(catalog);
        mcphost_catalog_unref(catalog);
        atomic_fetch_add(&observer.looks, 1);
    }
    return NULL;
}

/* R102 R105 R113 */
START_TEST(an_observer_never_sees_a_part_of_an_edit)
{
    pthread_t thread;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    observer.view = mcphost_default_view(hr.host);
    atomic_store(&observer.over, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, observe, NULL), 0);
    for (int i = 0; i < 12; i++) {
        char keys[64];

        snprintf(keys, sizeof(keys), "truely-stateless: true\nenv: {N: '%d'}", i);
        hr_edit(&hr);
        hr_server(&hr, "a", keys, i % 2 ? FEW : "no-tools\ntool one\ntool two\n");
        if (i % 3)
            hr_server(&hr, "b", SHARED, FEW);
        hr_reload(&hr);
        hr_until(&hr, strstr(hr_tools(&hr, d), i % 2 ? "a_env" : "a_two") != NULL);
        hr_until(&hr, !hr_toolset(&hr, "b") == !(i % 3));
    }
    atomic_store(&observer.over, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(atomic_load(&observer.bad), 0);
    ck_assert_int_gt(atomic_load(&observer.looks), 12);
    hr_down(&hr);
}
END_TEST

static int
answer(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    return mcphost_call_answer(call, "ours", 4, 0);
}

START_TEST(no_edit_removes_a_built_in_tool) /* R98 */
{
    up(MCPHOST_RELOAD_EXPLICIT);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "own",
                                              "echo", NULL, "{\"type\":\"object\"}",
                                              answer, NULL, NULL, NULL),
                     0);
    hr_server(&hr, "a", PLAIN, FEW);
    follow();
    ck_assert_str_eq(hr_tools(&hr, d), "echo pid env");
    hr_edit(&hr);
    /* The server and its tool `echo` have the names of the built-in toolset and tool. */
    hr_server(&hr, "own", PLAIN, FEW);
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "echo") == 0);
    ck_assert_str_eq(hr_say(&hr, d, "echo", NULL), "ours");
    hr_edit(&hr);
    hr_entry(&hr, "own: {transport: stdio, command: x, enabled: false}");
    hr_reload(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "own"), "echo");
    hr_edit(&hr);
    rig_workspace_yaml(&hr.ws, "version: 1\nservers: {}\n");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 10);
    ck_assert_str_eq(hr_toolset(&hr, "own"), "echo");
    ck_assert_str_eq(hr_say(&hr, d, "echo", NULL), "ours");
    hr_down(&hr);
}
END_TEST

/* R96 R106 */
START_TEST(a_call_of_a_removed_tool_names_the_server_and_the_version)
{
    mcphost_call *call;
    char since[64];

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", SHARED, FEW);
    follow();
    call = hr_call(&hr, d, "a_pid", NULL);
    hr_edit(&hr);
    hr_server(&hr, "a", OTHER, "no-tools\ntool other\n");
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, d), "a_other") == 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
    snprintf(since, sizeof(since), "version %llu", (unsigned long long)hr_version(&hr));
    ck_assert_ptr_nonnull(strstr(hr_why(call), since));
    ck_assert_ptr_nonnull(strstr(hr_why(call), "'pid'"));
    ck_assert_str_eq(mcphost_error_get_server_id(mcphost_call_get_error(call)), "a");
    hr_down(&hr);
}
END_TEST

/* ---- edits that fail --------------------------------------------------------------- */

enum { FILE_TEXT, ENTRY, START };

/* If `kind` is FILE_TEXT, `text` is the whole file.  If `kind` is ENTRY, `text` has the
 * wrong keys of server a.  If `kind` is START, `text` has keys of server a, and the start
 * fails because of these keys or because of `script`. */
static const struct {
    int kind;
    const char *text, *script, *said;
} failures[] = {
    {FILE_TEXT, "version: 1\nservers: [\n", NULL, "mcp.yaml:"},
    {FILE_TEXT, "servers: {}\n", NULL, "version"},
    {FILE_TEXT, "version: 2\nservers: {}\n", NULL, "version"},
    {FILE_TEXT, "version: 1\nservers: {a: {}, a: {}}\n", NULL, "duplicate"},
    {FILE_TEXT, "# nothing\n", NULL, "empty"},
    {FILE_TEXT, NULL, NULL, "mcp.yaml"}, /* a directory in place of the file */
    {ENTRY, "transport: carrier-pigeon", NULL, "streamable_http"},
    {ENTRY, "transport: stdio, command: 7", NULL, "servers.a.command"},
    {ENTRY, "transport: stdio, command: x, args: [1]", NULL, "servers.a.args[0]"},
    {START, "env: {T: {env: MCPT_IS_NOT_SET}}", FEW, "MCPT_IS_NOT_SET"},
    {START, "cwd: no/such/place", FEW, "no/such/place"},
    {START, "env: {E: '2'}", "on spawn\n exit 3", "status 3"},
    {START, "env: {E: '2'}\nera: legacy", "on initialize\n error -32603 no licence",
     "no licence"},
    {START, "env: {E: '2'}", "on list\n error -32603 out of order", "out of order"},
    {START, "env: {E: '2'}", "on list\n result {\"tools\":7}", "tools"},
    {START, "env: {E: '2'}\nera: legacy", "on initialize", "initialize"},
    {START, "env: {E: '2'}", "no-tools\ntool-json {\"name\":\"odd\",\"inputSchema\":5}",
     "tool 'odd' is left out: its inputSchema is not an object"},
    {START, "env: {E: '2'}", "no-tools\ntool-json {\"name\":\"odd\"}",
     "tool 'odd' is left out: it has no inputSchema"},
};

static void
save_failure(int i)
{
    const char *path;
    char keys[256];

    if (failures[i].kind == FILE_TEXT && !failures[i].text) {
        path = rig_workspace_path(&hr.ws, ".minds/mcp.yaml");
        ck_assert_int_eq(unlink(path), 0);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        return;
    }
    if (failures[i].kind == FILE_TEXT) {
        rig_workspace_yaml(&hr.ws, "%s", failures[i].text);
        return;
    }
    hr_edit(&hr);
    if (failures[i].kind == ENTRY) {
        snprintf(keys, sizeof(keys), "a: {%s}", failures[i].text);
        hr_entry(&hr, keys);
    } else {
        /* The edit also changes names and filters.  These changes must not take effect
         * either. */
        snprintf(keys, sizeof(keys),
                 "truely-stateless: true\ntransform: [{suffix: _x}]\n"
                 "tools: {blacklist: [env]}\n%s",
                 failures[i].text);
        hr_server(&hr, "a", keys, failures[i].script);
    }
    hr_save(&hr);
}

static size_t
problems_of(const char *server)
{
    mcphost_problems *problems;
    size_t n;

    ck_assert_int_eq(mcphost_select_problems(hr.host, MCPHOST_PROBLEMS_ACTIVE, NULL,
                                             server, &problems),
                     0);
    n = mcphost_problems_count(problems);
    mcphost_problems_unref(problems);
    return n;
}

/* R109 R110 R111 R112 R114 R115 */
START_TEST(a_reload_that_fails_says_why_and_changes_nothing)
{
    const char *who = failures[_i].kind == FILE_TEXT ? "[] " : "[a] ", *line;
    mcphost_call *call;
    int pid;

    up(MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_START_TIMEOUT, 300);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(&hr, "a", SHARED, FEW "tool slow\non call:slow\n delay 200\n text done\n");
    follow();
    pid = hr_pid(&hr, d, "a_pid");
    call = hr_start(&hr, d, "a_slow", NULL);
    hr_turn(&hr, 10);
    hr.log[0] = '\0';
    save_failure(_i);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, (line = strstr(hr.log, failures[_i].said)) != NULL);
    while (line > hr.log && line[-1] != '\n')
        line--;
    ck_assert_msg(strncmp(strchr(line, '['), who, strlen(who)) == 0, "%s", line);
    hr_until(&hr, hr_problem(&hr, failures[_i].kind == FILE_TEXT
                                      ? "mcp/workspace_config_error"
                                      : "mcp/server/a/server_error"));
    ck_assert_uint_eq(problems_of("a"), failures[_i].kind == FILE_TEXT ? 0 : 1);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid a_env a_slow");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "done");
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_eq(hr_server_state(&hr, "a"), failures[_i].kind == ENTRY
                                                    ? MCPHOST_SERVER_CONFIG_INVALID
                                                    : MCPHOST_SERVER_LOADED);
    if (failures[_i].kind == FILE_TEXT && !failures[_i].text)
        ck_assert_int_eq(rmdir(rig_workspace_path(&hr.ws, ".minds/mcp.yaml")), 0);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "noticing");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, by_default_a_running_host_applies_an_edit);
    tcase_add_test(tc, an_invalid_entry_is_reported_once_and_not_at_each_reading);
    tcase_add_loop_test(tc, five_quick_saves_cause_one_reload_of_the_last_text, 0, 2);
    tcase_add_loop_test(tc, an_edit_by_the_host_itself_is_read_only_once, 0, 2);
    tcase_add_test(tc, a_deleted_file_ends_all_servers_after_their_calls);

    tc = test_case(suite, "applying");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, an_edited_host_equals_a_fresh_host_with_the_same_file);
    tcase_add_test(tc, a_removed_server_leaves_the_catalog_before_it_is_stopped);
    tcase_add_test(tc, servers_that_are_starting_are_not_shown_and_delay_no_calls);
    tcase_add_loop_test(tc, of_two_changed_servers_only_the_good_server_is_updated, 0, 2);
    tcase_add_test(tc, an_observer_never_sees_a_part_of_an_edit);
    tcase_add_test(tc, no_edit_removes_a_built_in_tool);
    tcase_add_test(tc, a_call_of_a_removed_tool_names_the_server_and_the_version);

    tc = test_case(suite, "failing");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, a_reload_that_fails_says_why_and_changes_nothing, 0,
                        (int)(sizeof(failures) / sizeof(failures[0])));
}

int
main(void)
{
    return test_main("live-edit", add);
}
