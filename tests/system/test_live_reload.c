/* SPDX-License-Identifier: MIT
 *
 * test_live_reload.c - edits of the file while a host runs: which servers start, stay or
 * end.
 *
 * A bad edit ends no server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

#define SHARED "truely-stateless: true"
#define OTHER  "truely-stateless: true\nenv: {EDITION: 'two'}"

static void
up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
}

/* Starts a host with the shared server a.  Opens a dialog. */
static void
up_a(void)
{
    up();
    hr_server(&hr, "a", SHARED, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
}

/* R94 R100 R103 */
START_TEST(an_added_server_starts_and_the_others_keep_their_processes)
{
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "b_echo"));
    hr_ready(&hr);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    ck_assert_int_ne(hr_pid(&hr, d, "b_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R93, R101, R106: the catalog loses the tools of a removed server at once.  The
 * server's process ends after its calls. */
START_TEST(a_removed_server_finishes_its_calls_and_ends)
{
    mcphost_call *call;
    mcphost_tool *kept;
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    kept = hr_tool(&hr, "a_echo");
    call = hr_start(&hr, d, "a_slow", "{\"ms\":300}");
    hr_turn(&hr, 20);
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    ck_assert(!hr_has(&hr, "a_echo"));
    ck_assert(!rig_is_dead(pid));
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "slept 300 ms");
    hr_until(&hr, rig_is_dead(pid));
    ck_assert_int_eq(mcphost_call_new_tool(d, kept, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(mcphost_call_wait(call, 5000), 1);
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_GONE);
    mcphost_call_unref(call);
    mcphost_tool_unref(kept);
    hr_down(&hr);
}
END_TEST

/* R102, R107, R111: the new process starts first.  Then the old process finishes its
 * calls and ends. */
START_TEST(a_changed_servers_old_process_ends_after_the_new_process_is_up)
{
    mcphost_call *call;
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    call = hr_start(&hr, d, "a_slow", "{\"ms\":500}");
    hr_turn(&hr, 20);
    hr_edit(&hr);
    hr_server(&hr, "a", OTHER, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_pid(&hr, d, "a_pid") != pid);
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"EDITION\"}"), "two");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_str_eq(hr_text(&hr, call), "slept 500 ms");
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* R104, R110, K10: if a server cannot start with its changed entry, the host keeps the
 * process of the old entry. */
START_TEST(a_change_that_fails_keeps_the_old_tools_and_the_old_process)
{
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_entry(&hr, "a: {transport: stdio, command: /no/such/program}");
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "b_echo"));
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/server_error") != NULL);
    ck_assert(hr_has(&hr, "a_echo"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    /* The test restores the entry of `a`.  The host keeps a's process and resolves the
     * problem. */
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    hr_turn(&hr, 20);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/server_error"));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R99 R103 */
START_TEST(a_change_of_names_and_filters_keeps_process_and_leases)
{
    int pid;

    up();
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", "tools: {whitelist: [pid, echo]}\ntransform: [{suffix: _x}]",
              NULL);
    hr_reload(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "echo_x pid_x");
    ck_assert_int_eq(hr_pid(&hr, d, "pid_x"), pid);
    ck_assert_uint_eq(hr_leases(&hr), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", " spawn"), 1);
    hr_down(&hr);
}
END_TEST

/* R75, R81: after the edit, both dialogs use one lease.  Their own leases have ended. */
START_TEST(a_server_declared_stateless_later_serves_all_dialogs_with_one_process)
{
    mcphost_dialog *e;
    int pid;

    up();
    hr_server(&hr, "a", NULL, NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_ne(hr_pid(&hr, e, "a_pid"), pid);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_reload(&hr);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), pid);
    ck_assert_uint_eq(hr_leases(&hr), 1);
    hr_down(&hr);
}
END_TEST

/* R114: neither the processes nor the catalog changes. */
START_TEST(a_file_that_is_rejected_changes_nothing)
{
    uint64_t before;
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    before = hr_version(&hr);
    rig_workspace_yaml(&hr.ws, "version: 1\nservers: [\n");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 20);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/workspace_config_error"));
    ck_assert_uint_eq(hr_version(&hr), before);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    /* An empty file does not remove the tools, either. */
    rig_workspace_yaml(&hr.ws, "# nothing\n");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_turn(&hr, 20);
    ck_assert(hr_has(&hr, "a_echo"));
    hr_reload(&hr);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/workspace_config_error"));
    hr_down(&hr);
}
END_TEST

/* R115: a bad entry prevents only the update of its server. */
START_TEST(a_rejected_entry_keeps_the_old_process)
{
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_entry(&hr, "a: {transport: stdio, command: 7}");
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "b_echo"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_CONFIG_INVALID);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_reload(&hr);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_reload(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R93: a deleted file declares no servers. */
START_TEST(a_deleted_file_ends_all_servers_and_a_new_file_starts_them)
{
    char path[128];
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", hr.ws.dir);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, !hr_has(&hr, "a_echo"));
    hr_until(&hr, rig_is_dead(pid));
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "a_echo"));
    hr_down(&hr);
}
END_TEST

/* R97: with MCPHOST_HOLDERS_BY_ORDER the order of the file, not the time of start,
 * decides which server has a name. */
START_TEST(by_order_names_follow_the_file_after_every_edit)
{
    static const char plain[] = "truely-stateless: true\ntransform: []\n"
                                "tools: {whitelist: [echo]}";

    up();
    hr_option(&hr, MCPHOST_OPT_HOLDERS, MCPHOST_HOLDERS_BY_ORDER);
    hr_server(&hr, "b", plain, NULL);
    hr_follow(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "b"), "echo");
    hr_edit(&hr);
    hr_server(&hr, "a", plain, NULL);
    hr_server(&hr, "b", plain, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/b/tool_collision/echo") != NULL);
    ck_assert_str_eq(hr_toolset(&hr, "a"), "echo");
    ck_assert_str_eq(hr_toolset(&hr, "b"), "");
    /* Server b gets the name after the removal of server a. */
    hr_edit(&hr);
    hr_server(&hr, "b", plain, NULL);
    hr_reload(&hr);
    ck_assert_str_eq(hr_toolset(&hr, "b"), "echo");
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/b/tool_collision/echo"));
    hr_down(&hr);
}
END_TEST

/* R111, R112: the host applies the newer edit without waiting for the process of the
 * earlier edit. */
START_TEST(a_newer_edit_supersedes_an_edit_under_way)
{
    int pid;

    up_a();
    pid = hr_pid(&hr, d, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", "truely-stateless: true\nenv: {EDITION: 'slow'}",
              "on initialize\n delay 10000\n answer");
    hr_reload(&hr);
    hr_turn(&hr, 100);
    hr_edit(&hr);
    hr_server(&hr, "a", OTHER, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_pid(&hr, d, "a_pid") != pid);
    ck_assert_str_eq(hr_say(&hr, d, "a_env", "{\"name\":\"EDITION\"}"), "two");
    hr_down(&hr);
}
END_TEST

START_TEST(a_restart_replaces_the_process_of_an_unchanged_server)
{
    mcphost_call *call;
    int pid;

    up_a();
    ck_assert_int_eq(mcphost_restart_server(hr.host, "nobody"), MCPHOST_E_NOTFOUND);
    pid = hr_pid(&hr, d, "a_pid");
    call = hr_start(&hr, d, "a_slow", "{\"ms\":200}");
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_until(&hr, hr_pid(&hr, d, "a_pid") != pid);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* B.14: disabling only adds the line `enabled: false` to the file. */
START_TEST(disabling_writes_the_file_and_enabling_starts_the_server_again)
{
    char *before, *after;

    up_a();
    before = rig_workspace_read(&hr.ws, ".minds/mcp.yaml");
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "nobody", 0),
                     MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "a", 0), 0);
    hr_until(&hr, !hr_has(&hr, "a_echo"));
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_DISABLED);
    after = rig_workspace_read(&hr.ws, ".minds/mcp.yaml");
    ck_assert_ptr_nonnull(strstr(after, "enabled: false"));
    ck_assert_uint_eq(strlen(after), strlen(before) + strlen("    enabled: false\n"));
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "a", 1), 0);
    hr_until(&hr, hr_has(&hr, "a_echo"));
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"back\"}"), "back");
    free(before);
    free(after);
    hr_down(&hr);
}
END_TEST

/* R89, R92, K1: the host notices a save by rename without mcphost_reload(). */
START_TEST(an_edit_is_noticed_by_the_watch_and_by_the_poll)
{
    for (int mode = MCPHOST_RELOAD_WATCH; mode <= MCPHOST_RELOAD_POLL; mode++) {
        hr_up(&hr);
        hr_option(&hr, MCPHOST_OPT_RELOAD, mode);
        hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
        hr_option(&hr, MCPHOST_OPT_RELOAD_POLL,
                  mode == MCPHOST_RELOAD_WATCH ? 60000 : 50);
        hr_server(&hr, "a", SHARED, NULL);
        hr_follow(&hr);
        hr_server(&hr, "b", SHARED, NULL);
        hr_save(&hr);
        hr_until(&hr, hr_has(&hr, "b_echo"));
        ck_assert(hr_has(&hr, "a_echo"));
        hr_down(&hr);
    }
}
END_TEST

static char readings[256];

static void
keep_reading(struct hostrig *rig, const mcphost_event *event)
{
    mcphost_config *config = mcphost_event_get_config(event);

    (void)rig;
    if (mcphost_event_get_kind(event) != MCPHOST_EVENT_CONFIG)
        return;
    snprintf(readings + strlen(readings), sizeof(readings) - strlen(readings),
             "%s %zu %s\n", mcphost_event_get_text(event),
             mcphost_config_count_servers(config),
             mcphost_event_get_state(event) == 0 ? "applied" : "rejected");
}

/* An application can show the reason and the outcome of each reading. */
START_TEST(each_reading_of_the_file_is_reported_with_its_reason)
{
    up();
    hr.on_event = keep_reading;
    readings[0] = '\0';
    hr_server(&hr, "a", SHARED, NULL);
    hr_follow(&hr);
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, NULL);
    hr_server(&hr, "b", SHARED, NULL);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "b_echo"));
    ck_assert_int_eq(mcphost_set_server_enabled(hr.host, "b", 0), 0);
    hr_until(&hr, strstr(readings, "edited") != NULL);
    rig_workspace_write(&hr.ws, ".minds/mcp.yaml", "servers: [");
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, strstr(readings, "rejected") != NULL);
    ck_assert_str_eq(readings, "loaded 1 applied\nreload 2 applied\n"
                               "edited 2 applied\nreload 0 rejected\n");
    hr.on_event = NULL;
    hr_down(&hr);
}
END_TEST

/* B.16: the host tries again by itself to start a server that failed at first. */
START_TEST(a_server_that_failed_to_start_is_tried_again)
{
    up();
    hr_server(&hr, "a", SHARED "\nera: legacy", "on spawn\n once ran\n exit 3");
    hr_follow(&hr);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_UNAVAILABLE);
    hr_until(&hr, hr_has(&hr, "a_echo"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/server_error"));
    hr_down(&hr);
}
END_TEST

START_TEST(without_retry_only_the_next_edit_tries_again) /* B.16 */
{
    up();
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(&hr, "a", SHARED "\nera: legacy", "on spawn\n once ran\n exit 3");
    hr_follow(&hr);
    hr_turn(&hr, 10);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 1);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "a_echo"));
    hr_down(&hr);
}
END_TEST

/* Returns the manual of server `a`, or NULL if `a` has no manual.  The text is valid
 * until the next call. */
static const char *
manual(void)
{
    static char text[64];
    mcphost_catalog *catalog;
    const char *bytes;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog),
                     0);
    bytes = mcphost_server_get_manual(mcphost_catalog_find_server(catalog, "a"), NULL);
    snprintf(text, sizeof(text), "%s", bytes ? bytes : "");
    mcphost_catalog_unref(catalog);
    return bytes ? text : NULL;
}

static bool
manual_is(const char *text)
{
    const char *now = manual();

    return now && strcmp(now, text) == 0;
}

#define WITH_FILE SHARED "\nmanual: {contentFile: docs/how.md}"

/* B.5 R90 R91 R92 */
START_TEST(the_file_of_a_manual_is_followed_and_restarts_nothing)
{
    for (int mode = MCPHOST_RELOAD_WATCH; mode <= MCPHOST_RELOAD_POLL; mode++) {
        int64_t pid;

        hr_up(&hr);
        hr_option(&hr, MCPHOST_OPT_RELOAD, mode);
        hr_option(&hr, MCPHOST_OPT_RELOAD_DEBOUNCE, 100);
        hr_option(&hr, MCPHOST_OPT_RELOAD_POLL,
                  mode == MCPHOST_RELOAD_WATCH ? 60000 : 50);
        ck_assert_int_eq(mkdir(rig_workspace_path(&hr.ws, "docs"), 0755), 0);
        hr_server(&hr, "a", WITH_FILE, NULL);
        hr_follow(&hr);
        ck_assert_ptr_null(manual());
        ck_assert_ptr_nonnull(
            hr_problem(&hr, "mcp/config_warning/servers.a.manual.contentFile"));
        pid = hr_server_pid(&hr, "a");
        rig_workspace_write(&hr.ws, "docs/how.md", "first");
        hr_until(&hr, manual_is("first"));
        rig_workspace_write(&hr.ws, "docs/how.md", "second");
        hr_until(&hr, manual_is("second"));
        ck_assert_int_eq(hr_server_pid(&hr, "a"), pid);
        hr_down(&hr);
    }
}
END_TEST

/* Begins and ends a turn.  With MCPHOST_RELOAD_TURN the host looks for changes of files
 * at the beginning of a turn. */
static void
take_turn(void)
{
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
}

/* B.5 R88 */
START_TEST(a_turn_sees_the_changed_file_of_a_manual)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_TURN);
    rig_workspace_write(&hr.ws, "how.md", "first");
    rig_workspace_write(&hr.ws, "other.md", "another");
    hr_server(&hr, "a", SHARED "\nmanual: {contentFile: how.md}", NULL);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    ck_assert(manual_is("first"));
    rig_workspace_write(&hr.ws, "how.md", "second");
    take_turn();
    hr_until(&hr, manual_is("second"));
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nmanual: {contentFile: other.md}", NULL);
    hr_reload(&hr);
    ck_assert(manual_is("another"));
    rig_workspace_write(&hr.ws, "other.md", "yet another");
    take_turn();
    hr_until(&hr, manual_is("yet another"));
    hr_down(&hr);
}
END_TEST

/* B.5 */
START_TEST(a_manual_that_is_too_long_is_an_error_and_its_server_is_loaded)
{
    static char text[25001 + 1];

    up();
    memset(text, 'x', sizeof(text) - 1);
    rig_workspace_write(&hr.ws, "how.md", "%s", text);
    hr_server(&hr, "a", SHARED "\nmanual: {contentFile: how.md}", NULL);
    hr_follow(&hr);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/config_error/servers.a.manual"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/config_error/servers.a.manual"),
                     MCPHOST_SEVERITY_ERROR);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    rig_workspace_write(&hr.ws, "how.md", "short");
    hr_reload(&hr);
    ck_assert_ptr_null(hr_problem(&hr, "mcp/config_error/servers.a.manual"));
    ck_assert(manual_is("short"));
    hr_down(&hr);
}
END_TEST

/* B.5 */
START_TEST(a_missing_manual_is_a_warning_only_with_the_option)
{
    for (int wanted = 0; wanted <= 1; wanted++) {
        up();
        hr_option(&hr, MCPHOST_OPT_MANUALS, wanted);
        hr_server(&hr, "a", SHARED, NULL);
        hr_server(&hr, "b", SHARED "\nmanual: Ask it.", NULL);
        hr_server(&hr, "c", SHARED "\nenabled: false", NULL);
        hr_follow(&hr);
        ck_assert_int_eq(hr_problem(&hr, "mcp/server/a/no_manual") != NULL, wanted);
        ck_assert_ptr_null(hr_problem(&hr, "mcp/server/b/no_manual"));
        ck_assert_ptr_null(hr_problem(&hr, "mcp/server/c/no_manual"));
        if (wanted)
            ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/no_manual"),
                             MCPHOST_SEVERITY_WARNING);
        hr_edit(&hr);
        hr_server(&hr, "a", SHARED "\nmanual: Ask it.", NULL);
        hr_reload(&hr);
        ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/no_manual"));
        hr_down(&hr);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "reload");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, an_added_server_starts_and_the_others_keep_their_processes);
    tcase_add_test(tc, a_removed_server_finishes_its_calls_and_ends);
    tcase_add_test(tc, a_changed_servers_old_process_ends_after_the_new_process_is_up);
    tcase_add_test(tc, a_change_that_fails_keeps_the_old_tools_and_the_old_process);
    tcase_add_test(tc, a_change_of_names_and_filters_keeps_process_and_leases);
    tcase_add_test(tc,
                   a_server_declared_stateless_later_serves_all_dialogs_with_one_process);
    tcase_add_test(tc, a_file_that_is_rejected_changes_nothing);
    tcase_add_test(tc, a_rejected_entry_keeps_the_old_process);
    tcase_add_test(tc, a_deleted_file_ends_all_servers_and_a_new_file_starts_them);
    tcase_add_test(tc, by_order_names_follow_the_file_after_every_edit);
    tcase_add_test(tc, a_newer_edit_supersedes_an_edit_under_way);
    tc = test_case(suite, "orders");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_restart_replaces_the_process_of_an_unchanged_server);
    tcase_add_test(tc, disabling_writes_the_file_and_enabling_starts_the_server_again);
    tcase_add_test(tc, an_edit_is_noticed_by_the_watch_and_by_the_poll);
    tcase_add_test(tc, each_reading_of_the_file_is_reported_with_its_reason);
    tcase_add_test(tc, a_server_that_failed_to_start_is_tried_again);
    tcase_add_test(tc, without_retry_only_the_next_edit_tries_again);
    tc = test_case(suite, "manuals");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, the_file_of_a_manual_is_followed_and_restarts_nothing);
    tcase_add_test(tc, a_turn_sees_the_changed_file_of_a_manual);
    tcase_add_test(tc, a_manual_that_is_too_long_is_an_error_and_its_server_is_loaded);
    tcase_add_test(tc, a_missing_manual_is_a_warning_only_with_the_option);
}

int
main(void)
{
    return test_main("live-reload", add);
}
