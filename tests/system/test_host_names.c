/* SPDX-License-Identifier: MIT
 *
 * test_host_names.c - which server holds a tool name while servers are added, change,
 * crash and end, and which updates the host rejects so that names and good tools stay.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

#define PLAIN  "transform: []"
#define SHARED "truely-stateless: true\ntransform: []"

/* The script of a server whose list changes when its tool `turn_<id>` is called. */
#define TURNING(id, first, second)                             \
    "no-tools\ntool turn_" id "\n" first "\n"                  \
    "on call:turn_" id "\n use more\n changed\n text turned\n" \
    "set more\ntool turn_" id "\n" second "\n"

static void
up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_keep_log(&hr, MCPHOST_LOG_INFO);
}

static void
follow(void)
{
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
}

/* Returns the id of the server whose tool has this name, or "" if no tool has the name.
 * Looks in the catalog of `dialog` or, if `dialog` is NULL, of the default view. */
static const char *
holder(mcphost_dialog *dialog, const char *name)
{
    static char text[64];
    mcphost_catalog *catalog;
    const mcphost_tool *tool;

    if (dialog)
        ck_assert_int_eq(mcphost_dialog_get_catalog(dialog, &catalog), 0);
    else
        ck_assert_int_eq(
            mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog), 0);
    tool = mcphost_catalog_find_tool(catalog, name);
    snprintf(text, sizeof(text), "%s", tool ? mcphost_tool_get_server_id(tool) : "");
    mcphost_catalog_unref(catalog);
    return text;
}

static bool
says(const char *problem, const char *text)
{
    const char *message = hr_problem(&hr, problem);

    return message && strstr(message, text);
}

/* ---- which server holds a name ----------------------------------------------------- */

/* R28, K5: after the first load, a server that comes up later takes no name from another
 * server, whatever the order of the file. */
START_TEST(a_server_that_comes_up_later_does_not_take_a_name)
{
    up();
    hr_server(&hr, "a", PLAIN, "on spawn\n exit 3");
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one\ntool two");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "one two");
    rig_workspace_write(&hr.ws, "a.script", "no-tools\ntool one\ntool three\n");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_until(&hr, hr_has(&hr, "three"));
    ck_assert_str_eq(holder(NULL, "one"), "b");
    ck_assert(says("mcp/server/a/tool_collision/one",
                   "'one' is taken by server 'b', which had it first"));
    hr_down(&hr);
}
END_TEST

/* R28: until the first load is over, the order of the file decides which server gets a
 * name. */
START_TEST(a_name_moves_to_the_earlier_server_while_the_first_load_goes_on)
{
    up();
    hr_server(&hr, "a", PLAIN, "no-tools\ntool one\non list\n delay 60\n answer");
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one");
    hr_server(&hr, "c", PLAIN, "no-tools\ntool two\non list\n delay 80\n answer");
    hr_load_only(&hr);
    hr_until(&hr, strcmp(holder(NULL, "one"), "b") == 0);
    hr_until(&hr, strcmp(holder(NULL, "one"), "a") == 0);
    hr_down(&hr);
}
END_TEST

/* R28 R113 */
START_TEST(an_edit_does_not_take_a_name_from_its_server)
{
    up();
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    follow();
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\ntool two");
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "two"));
    ck_assert_str_eq(holder(NULL, "one"), "b");
    ck_assert(says("mcp/server/a/tool_collision/one", "'b'"));
    /* A server that lists its name again after a restart keeps the name. */
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\ntool two");
    hr_server(&hr, "b", SHARED "\nenv: {N: '2'}", "no-tools\ntool one\ntool new");
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "new"));
    ck_assert_str_eq(holder(NULL, "one"), "b");
    hr_down(&hr);
}
END_TEST

/* R28, R110 */
START_TEST(a_server_keeps_its_name_through_a_crash_and_an_outage)
{
    int pid;

    up();
    hr_server(&hr, "a", SHARED, TURNING("a", "tool pid_a", "tool one"));
    hr_server(&hr, "b", SHARED, "no-tools\ntool one\ntool pid");
    follow();
    ck_assert_str_eq(holder(NULL, "one"), "b");
    pid = hr_pid(&hr, d, "pid");
    rig_workspace_write(&hr.ws, "b.script", "on spawn\n exit 3\n");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, rig_is_dead(pid));
    /* While server b is down, server a begins to offer the name. */
    ck_assert_str_eq(hr_say(&hr, d, "turn_a", NULL), "turned");
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/tool_collision/one") != NULL);
    ck_assert_str_eq(holder(NULL, "one"), "b");
    rig_workspace_write(&hr.ws, "b.script", "no-tools\ntool one\ntool pid\n");
    ck_assert_int_eq(mcphost_restart_server(hr.host, "b"), 0);
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_SERVER, "b", NULL, MCPHOST_SERVER_LOADED) > 1);
    ck_assert_str_eq(holder(NULL, "one"), "b");
    ck_assert_int_ne(hr_pid(&hr, d, "pid"), pid);
    hr_down(&hr);
}
END_TEST

/* R28 */
START_TEST(a_server_whose_new_list_lacks_a_name_loses_it)
{
    up();
    hr_server(&hr, "a", SHARED, TURNING("a", "tool more", "tool one"));
    hr_server(&hr, "b", SHARED, TURNING("b", "tool one", "tool other"));
    follow();
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/tool_collision/one") != NULL);
    ck_assert_str_eq(holder(NULL, "one"), "b");
    hr_say(&hr, d, "turn_b", NULL);
    hr_until(&hr, hr_has(&hr, "other"));
    ck_assert_str_eq(holder(NULL, "one"), "a");
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/tool_collision/one"));
    hr_down(&hr);
}
END_TEST

enum { REMOVED, DISABLED, RENAMED, FILTERED, ENDINGS };

/* R28 R105 */
START_TEST(file_order_decides_when_the_holder_of_a_name_stops_offering_it)
{
    up();
    hr_server(&hr, "z", SHARED, "no-tools\ntool one");
    follow();
    for (int i = 0; i < 2; i++) {
        hr_edit(&hr);
        hr_server(&hr, "a", SHARED, "no-tools\ntool one\ntool of_a");
        hr_server(&hr, "b", SHARED, "no-tools\ntool one\ntool of_b");
        if (i == 0)
            hr_server(&hr, "z", SHARED, "no-tools\ntool one");
        else if (_i == DISABLED)
            hr_server(&hr, "z", SHARED "\nenabled: false", "no-tools\ntool one");
        else if (_i == RENAMED)
            hr_server(&hr, "z2", SHARED, "no-tools\ntool one");
        else if (_i == FILTERED)
            hr_server(&hr, "z", SHARED "\ntools: {blacklist: [one]}",
                      "no-tools\ntool one");
        hr_reload(&hr);
        hr_until(&hr, hr_has(&hr, "of_a") && hr_has(&hr, "of_b"));
        if (i == 0)
            ck_assert_str_eq(holder(NULL, "one"), "z");
    }
    hr_until(&hr, strcmp(holder(NULL, "one"), "a") == 0);
    hr_down(&hr);
}
END_TEST

START_TEST(by_order_a_name_moves_to_the_earlier_server)
{
    up();
    hr_option(&hr, MCPHOST_OPT_HOLDERS, MCPHOST_HOLDERS_BY_ORDER);
    hr_server(&hr, "a", SHARED, TURNING("a", "tool more", "tool one"));
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    follow();
    ck_assert_str_eq(holder(NULL, "one"), "b");
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, strcmp(holder(NULL, "one"), "a") == 0);
    ck_assert(says("mcp/server/b/tool_collision/one", "'one' is taken by server 'a'"));
    ck_assert(!says("mcp/server/b/tool_collision/one", "first"));
    hr_down(&hr);
}
END_TEST

/* R84: the same server holds a name in a granted view and in a dialog with its own
 * list. */
START_TEST(a_name_has_the_same_server_in_every_view_and_dialog)
{
    mcphost_grant *grant;
    mcphost_view *view;
    mcphost_dialog *granted;

    up();
    hr_server(&hr, "a", PLAIN,
              "era legacy\n" TURNING("a", "tool more", "tool one\ntool two"));
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one");
    follow();
    ck_assert_int_eq(mcphost_grant_new(&grant), 0);
    ck_assert_int_eq(mcphost_grant_add_toolset(grant, "a"), 0);
    ck_assert_int_eq(mcphost_grant_add_toolset(grant, "b"), 0);
    ck_assert_int_eq(mcphost_view_new(hr.host, "ann", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "v", NULL, &granted, NULL), 0);
    hr.dialogs[hr.n_dialogs++] = granted;
    /* If the tools of a leased process change, only the list of the dialog with the lease
     * changes. */
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, strcmp(holder(d, "two"), "a") == 0);
    ck_assert_str_eq(holder(d, "one"), "b");
    hr_say(&hr, granted, "turn_a", NULL);
    hr_until(&hr, strcmp(holder(granted, "two"), "a") == 0);
    ck_assert_str_eq(holder(granted, "one"), "b");
    ck_assert_str_eq(holder(NULL, "two"), "");
    mcphost_grant_unref(grant);
    mcphost_view_unref(view);
    hr_down(&hr);
}
END_TEST

/* A name that a server took first in one dialog stays with this server in the dialog. */
START_TEST(a_name_of_a_dialogs_own_list_stays_with_its_server)
{
    up();
    hr_server(&hr, "a", PLAIN,
              "era legacy\n" TURNING("a", "tool more", "tool one\ntool two"));
    hr_server(&hr, "b", PLAIN, "era legacy\n" TURNING("b", "tool some", "tool one"));
    follow();
    hr_say(&hr, d, "turn_b", NULL);
    hr_until(&hr, strcmp(holder(d, "one"), "b") == 0);
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, strcmp(holder(d, "two"), "a") == 0);
    ck_assert_str_eq(holder(d, "one"), "b");
    hr_down(&hr);
}
END_TEST

/* ---- collisions that reject the update --------------------------------------------- */

static void
up_reject(void)
{
    up();
    hr_option(&hr, MCPHOST_OPT_COLLISION, MCPHOST_COLLISION_REJECT);
}

enum { BY_LAUNCH, BY_VIEW, WAYS };

/* R29, R112, R115, K5: neither of the two servers loses a good tool. */
START_TEST(with_collision_reject_an_edit_that_collides_changes_neither_server)
{
    int pid;

    up_reject();
    hr_server(&hr, "a", SHARED "\ntools: {blacklist: [one]}",
              "no-tools\ntool one\ntool two\ntool pid");
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "two pid one");
    pid = hr_pid(&hr, d, "pid");
    hr_edit(&hr);
    hr_server(&hr, "a", _i == BY_LAUNCH ? SHARED "\nenv: {N: '2'}" : SHARED,
              "no-tools\ntool one\ntool two\ntool pid");
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    hr_reload(&hr);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/server_error") != NULL);
    ck_assert(says("mcp/server/a/server_error", "'one' is taken by server 'b'"));
    ck_assert(says("mcp/server/a/server_error", "last good"));
    ck_assert_str_eq(hr_tools(&hr, NULL), "two pid one");
    ck_assert_str_eq(holder(NULL, "one"), "b");
    ck_assert_int_eq(hr_pid(&hr, d, "pid"), pid);
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_str_ne(hr_server_why(&hr, "a"), "");
    ck_assert_int_eq(hr_server_state(&hr, "b"), MCPHOST_SERVER_LOADED);
    /* The host accepts the next edit. */
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\ntool two\ntool pid");
    hr_reload(&hr);
    if (_i == BY_LAUNCH)
        ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
    hr_until(&hr, strcmp(holder(NULL, "one"), "a") == 0);
    hr_until(&hr, !hr_problem(&hr, "mcp/server/a/server_error"));
    ck_assert_str_eq(hr_server_why(&hr, "a"), "");
    hr_down(&hr);
}
END_TEST

/* R29 R112 */
START_TEST(with_collision_reject_a_changed_list_that_collides_is_ignored)
{
    up_reject();
    hr_server(&hr, "a", SHARED, TURNING("a", "tool two", "tool one\ntool three"));
    hr_server(&hr, "b", SHARED, "no-tools\ntool one");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "turn_a two one");
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/server_error") != NULL);
    ck_assert_str_eq(hr_tools(&hr, NULL), "turn_a two one");
    ck_assert_str_eq(holder(NULL, "one"), "b");
    hr_down(&hr);
}
END_TEST

START_TEST(with_collision_reject_a_dialogs_own_list_that_collides_is_ignored)
{
    up_reject();
    hr_server(&hr, "a", PLAIN,
              "era legacy\n" TURNING("a", "tool two", "tool one\ntool three"));
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one");
    follow();
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, strstr(hr.log, "a tool's name is already taken") != NULL);
    ck_assert_str_eq(hr_tools(&hr, d), "turn_a two one");
    hr_down(&hr);
}
END_TEST

START_TEST(with_collision_reject_one_edit_may_move_a_name_between_servers)
{
    up_reject();
    hr_server(&hr, "a", SHARED "\ntools: {blacklist: [one]}",
              "no-tools\ntool one\ntool two");
    hr_server(&hr, "b", SHARED, "no-tools\ntool one\ntool three");
    follow();
    ck_assert_str_eq(holder(NULL, "one"), "b");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\ntool two");
    hr_server(&hr, "b", SHARED "\ntools: {blacklist: [one]}",
              "no-tools\ntool one\ntool three");
    hr_reload(&hr);
    hr_until(&hr, strcmp(holder(NULL, "one"), "a") == 0);
    ck_assert_str_eq(hr_tools(&hr, NULL), "one two three");
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/server_error"));
    hr_down(&hr);
}
END_TEST

/* ---- tools without a valid schema -------------------------------------------------- */

#define ODD "tool-json {\"name\":\"odd\",\"inputSchema\":5}\n"

/* R53: the tool with the invalid schema does not block later edits. */
START_TEST(at_the_first_start_only_the_tool_with_an_invalid_schema_is_left_out)
{
    up();
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\n" ODD);
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "one");
    ck_assert(says("mcp/server/a/tool_invalid/odd", "inputSchema is not an object"));
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {N: '2'}", "no-tools\ntool one\ntool two\n" ODD);
    hr_reload(&hr);
    hr_until(&hr, hr_has(&hr, "two"));
    hr_loaded(&hr, "a");
    hr_down(&hr);
}
END_TEST

/* R109 R112 */
START_TEST(after_list_changed_only_the_tool_with_an_invalid_schema_is_left_out)
{
    up();
    hr_server(&hr, "a", SHARED, TURNING("a", "tool one", "tool two\n" ODD));
    follow();
    hr_say(&hr, d, "turn_a", NULL);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "turn_a two") == 0);
    ck_assert(says("mcp/server/a/tool_invalid/odd", "inputSchema is not an object"));
    hr_loaded(&hr, "a");
    hr_down(&hr);
}
END_TEST

enum { RELOADED, REFILTERED, ORDERED, CRASHED, RESTARTS };

/* Makes server `a` offer the tool `odd`, whose schema is invalid.  `how` selects a
 * restart by an edit, a changed filter, an explicit restart, or a crash. */
static void
bring_odd(int how, int pid)
{
    static const char odd[] = "no-tools\ntool new\n" ODD;
    int ended = hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL, MCPHOST_INSTANCE_DEAD);

    hr_edit(&hr);
    if (how == RELOADED || how == REFILTERED) {
        hr_server(&hr, "a",
                  how == RELOADED ? SHARED "\nenv: {N: '2'}"
                                  : SHARED "\ntools: {blacklist: [two]}",
                  odd);
        hr_reload(&hr);
        return;
    }
    rig_workspace_write(&hr.ws, "a.script", odd);
    if (how == ORDERED) {
        ck_assert_int_eq(mcphost_restart_server(hr.host, "a"), 0);
        return;
    }
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL,
                           MCPHOST_INSTANCE_DEAD) > ended);
    hr_end(&hr, hr_start(&hr, d, "one", NULL)); /* starts the server */
}

/* R109, R112, R115: a new list with an invalid schema does not replace the last good
 * list. */
START_TEST(a_restart_that_lists_an_invalid_schema_keeps_the_last_good_list)
{
    static const char good[] = "no-tools\ntool one\ntool pid\ntool two\n";
    int pid;

    up();
    if (_i == REFILTERED)
        hr_server(&hr, "a", SHARED "\ntools: {blacklist: [odd]}",
                  "no-tools\ntool one\ntool pid\ntool two\n" ODD);
    else
        hr_server(&hr, "a", SHARED, good);
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "one pid two");
    pid = hr_pid(&hr, d, "pid");
    bring_odd(_i, pid);
    hr_until(&hr, hr_problem(&hr, "mcp/server/a/server_error") != NULL);
    ck_assert(says("mcp/server/a/server_error", "tool 'odd'"));
    ck_assert(says("mcp/server/a/server_error", "inputSchema is not an object"));
    ck_assert_str_eq(hr_tools(&hr, NULL), "one pid two");
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "a"), "'odd'"));
    if (_i != CRASHED)
        ck_assert_int_eq(hr_pid(&hr, d, "pid"), pid);
    hr_down(&hr);
}
END_TEST

/* With MCPHOST_LAST_GOOD_NONE, the new list replaces the last good list, although the new
 * list has an invalid schema. */
START_TEST(with_last_good_none_only_the_tool_with_an_invalid_schema_is_left_out)
{
    up();
    hr_option(&hr, MCPHOST_OPT_LAST_GOOD, MCPHOST_LAST_GOOD_NONE);
    hr_server(&hr, "a", SHARED, "no-tools\ntool one");
    follow();
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {N: '2'}", "no-tools\ntool two\n" ODD);
    hr_reload(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "two") == 0);
    ck_assert(says("mcp/server/a/tool_invalid/odd", "inputSchema is not an object"));
    hr_down(&hr);
}
END_TEST

/* ---- tools of older catalogs, and equal catalogs ----------------------------------- */

#define ONE(schema) "no-tools\ntool-json {\"name\":\"one\",\"inputSchema\":" schema "}\n"

/* R96, R106: a captured tool keeps its schema.  A call of the tool fails after the
 * server has listed the schema with other bytes, even if only a blank differs. */
START_TEST(a_call_of_a_captured_tool_whose_schema_has_changed_fails_with_e_gone)
{
    static const char *const schemas[] = {ONE("{\"type\":\"object\"}") "tool two\n",
                                          ONE("{\"type\": \"object\"}") "tool two\n"};
    mcphost_tool *one, *two;
    mcphost_call *call;
    const char *schema;
    size_t len;

    up();
    hr_server(&hr, "a", SHARED, schemas[0]);
    follow();
    one = hr_tool(&hr, "one");
    two = hr_tool(&hr, "two");
    hr_edit(&hr);
    hr_server(&hr, "a", SHARED "\nenv: {N: '2'}", schemas[_i]);
    hr_reload(&hr);
    hr_ready(&hr);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1) > 2);
    /* The captured tool still has its old schema. */
    schema = mcphost_tool_get_input_schema(one, &len);
    ck_assert(len == 17 && memcmp(schema, "{\"type\":\"object\"}", len) == 0);
    ck_assert_int_eq(mcphost_call_new_tool(d, one, NULL, 0, &call, NULL), 0);
    hr_go(call);
    if (_i == 0) {
        ck_assert_int_eq(hr_end(&hr, call), 0);
    } else {
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_GONE);
        ck_assert_ptr_nonnull(strstr(hr_why(call), "'one' has another input schema now"));
        ck_assert_ptr_nonnull(strstr(hr_why(call), "catalog version"));
    }
    mcphost_call_unref(call);
    /* The tool `two` has the same schema as before and can be called. */
    ck_assert_int_eq(mcphost_call_new_tool(d, two, NULL, 0, &call, NULL), 0);
    hr_go(call);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    mcphost_call_unref(call);
    mcphost_tool_unref(one);
    mcphost_tool_unref(two);
    hr_down(&hr);
}
END_TEST

/* R94 R113 */
START_TEST(a_reload_without_a_change_publishes_nothing)
{
    uint64_t version;
    int catalogs, configs, servers;

    up();
    hr_server(&hr, "a", SHARED, "no-tools\ntool one\n" ODD);
    hr_server(&hr, "b", PLAIN, "no-tools\ntool one");
    hr_server(&hr, "c", PLAIN, "on spawn\n exit 3");
    follow();
    hr_turn(&hr, 20);
    version = hr_version(&hr);
    catalogs = hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1);
    servers = hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, -1) +
              hr_count(&hr, MCPHOST_EVENT_SERVER, "b", NULL, -1);
    configs = hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1);
    ck_assert_int_eq(mcphost_reload(hr.host), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CONFIG, NULL, NULL, -1) > configs);
    hr_ready(&hr);
    hr_turn(&hr, 20);
    ck_assert_uint_eq(hr_version(&hr), version);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CATALOG, NULL, NULL, -1), catalogs);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SERVER, "a", NULL, -1) +
                         hr_count(&hr, MCPHOST_EVENT_SERVER, "b", NULL, -1),
                     servers);
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/b/tool_collision/one"));
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/a/tool_invalid/odd"));
    hr_down(&hr);
}
END_TEST

/* ---- incomplete lists, and forms of names ------------------------------------------ */

START_TEST(an_empty_cursor_ends_the_list_and_is_a_problem)
{
    up();
    hr_server(&hr, "a", PLAIN, "no-tools\ngenerate 20\npage-size 15\ncursors empty");
    follow();
    ck_assert(says("mcp/server/a/server_error", "an empty cursor"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/server_error"),
                     MCPHOST_SEVERITY_WARNING);
    ck_assert(hr_has(&hr, "t14"));
    ck_assert(!hr_has(&hr, "t15"));
    ck_assert_ptr_null(hr_problem(&hr, "mcp/server/a/tool_collision/t0"));
    hr_down(&hr);
}
END_TEST

static int
has_tools(size_t index)
{
    mcphost_status *status;
    int has;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    has = mcphost_status_server_has_tools(status, index);
    mcphost_status_unref(status);
    return has;
}

START_TEST(a_server_without_the_tools_capability_is_reported)
{
    up();
    hr_server(&hr, "a", PLAIN, "capabilities {\"prompts\":{}}");
    hr_server(&hr, "b", PLAIN, "no-tools");
    hr_server(&hr, "c", PLAIN "\nenabled: false", NULL);
    follow();
    hr_loaded(&hr, "a");
    ck_assert_int_eq(has_tools(0), 0);
    ck_assert_int_eq(has_tools(1), 1);
    ck_assert_int_eq(has_tools(2), -1);
    ck_assert_int_eq(has_tools(3), -1);
    ck_assert(says("mcp/server/a/server_error", "its capabilities do not name 'tools'"));
    ck_assert_int_eq(hr_severity(&hr, "mcp/server/a/server_error"),
                     MCPHOST_SEVERITY_INFO);
    hr_down(&hr);
}
END_TEST

/* R46, K3: the host adds the server id after the transforms. */
START_TEST(with_names_server_the_server_id_is_put_before_each_name)
{
    up();
    hr_option(&hr, MCPHOST_OPT_NAMES, MCPHOST_NAMES_SERVER);
    hr_server(&hr, "a", PLAIN "\ntools: {whitelist: [one]}",
              "no-tools\ntool one\ntool two");
    hr_server(&hr, "b", "transform: [{suffix: _x}]", "no-tools\ntool one");
    hr_server(&hr, "c.d", PLAIN, "no-tools\ntool one");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "a__one b__one_x");
    ck_assert_str_eq(hr_say(&hr, d, "b__one_x", NULL), "{}");
    ck_assert_ptr_nonnull(
        hr_problem(&hr, "mcp/server/c.d/tool_invalid_name/one/transformed"));
    hr_down(&hr);
}
END_TEST

/* R134, K3, K4: the host still calls the tool by its original name. */
START_TEST(with_names_full_a_name_is_made_of_normalized_server_and_tool)
{
    up();
    hr_option(&hr, MCPHOST_OPT_NAMES, MCPHOST_NAMES_FULL);
    hr_server(&hr, "com.Example.App", PLAIN "\ntools: {blacklist: [db.drop]}",
              "no-tools\ntool db.query\ntool db.drop\n"
              "tool-json {\"name\":\"Open!! It\",\"inputSchema\":{}}\n"
              "tool-json {\"name\":\"\",\"inputSchema\":{}}\n"
              "tool a_name_that_is_longer_than_what_is_left_of_64_characters\n"
              "on call:db.query\n text queried");
    hr_server(&hr, "com_example_app", PLAIN, "no-tools\ntool db_query");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "mcp_com_example_app_db_query "
                                          "mcp_com_example_app_open_it "
                                          "mcp_com_example_app_tool");
    ck_assert_str_eq(hr_say(&hr, d, "mcp_com_example_app_db_query", NULL), "queried");
    ck_assert_str_eq(holder(NULL, "mcp_com_example_app_db_query"), "com.Example.App");
    ck_assert(says("mcp/server/com.Example.App/tool_invalid_name/"
                   "a_name_that_is_longer_than_what_is_left_of_64_characters/transformed",
                   "is longer than 64 characters"));
    ck_assert_ptr_nonnull(hr_problem(
        &hr, "mcp/server/com_example_app/tool_collision/mcp_com_example_app_db_query"));
    hr_down(&hr);
}
END_TEST

/* R49 K3 */
START_TEST(by_default_a_tool_keeps_its_original_name)
{
    up();
    hr_server(&hr, "Desk", PLAIN, "no-tools\ntool Open_It\ntool db.query");
    follow();
    ck_assert_str_eq(hr_tools(&hr, NULL), "Open_It");
    ck_assert_ptr_nonnull(hr_problem(&hr, "mcp/server/Desk/tool_invalid_name/db.query"));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "holders");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, a_server_that_comes_up_later_does_not_take_a_name);
    tcase_add_test(tc, a_name_moves_to_the_earlier_server_while_the_first_load_goes_on);
    tcase_add_test(tc, an_edit_does_not_take_a_name_from_its_server);
    tcase_add_test(tc, a_server_keeps_its_name_through_a_crash_and_an_outage);
    tcase_add_test(tc, a_server_whose_new_list_lacks_a_name_loses_it);
    tcase_add_loop_test(
        tc, file_order_decides_when_the_holder_of_a_name_stops_offering_it, 0, ENDINGS);
    tcase_add_test(tc, by_order_a_name_moves_to_the_earlier_server);
    tcase_add_test(tc, a_name_has_the_same_server_in_every_view_and_dialog);
    tcase_add_test(tc, a_name_of_a_dialogs_own_list_stays_with_its_server);

    tc = test_case(suite, "collisions");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(
        tc, with_collision_reject_an_edit_that_collides_changes_neither_server, 0, WAYS);
    tcase_add_test(tc, with_collision_reject_a_changed_list_that_collides_is_ignored);
    tcase_add_test(tc, with_collision_reject_a_dialogs_own_list_that_collides_is_ignored);
    tcase_add_test(tc, with_collision_reject_one_edit_may_move_a_name_between_servers);

    tc = test_case(suite, "schemas");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc,
                   at_the_first_start_only_the_tool_with_an_invalid_schema_is_left_out);
    tcase_add_test(tc,
                   after_list_changed_only_the_tool_with_an_invalid_schema_is_left_out);
    tcase_add_loop_test(
        tc, a_restart_that_lists_an_invalid_schema_keeps_the_last_good_list, 0, RESTARTS);
    tcase_add_test(tc,
                   with_last_good_none_only_the_tool_with_an_invalid_schema_is_left_out);

    tc = test_case(suite, "catalogs");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(
        tc, a_call_of_a_captured_tool_whose_schema_has_changed_fails_with_e_gone, 0, 2);
    tcase_add_test(tc, a_reload_without_a_change_publishes_nothing);
    tcase_add_test(tc, an_empty_cursor_ends_the_list_and_is_a_problem);
    tcase_add_test(tc, a_server_without_the_tools_capability_is_reported);
    tcase_add_test(tc, by_default_a_tool_keeps_its_original_name);
    tcase_add_test(tc, with_names_server_the_server_id_is_put_before_each_name);
    tcase_add_test(tc, with_names_full_a_name_is_made_of_normalized_server_and_tool);
}

int
main(void)
{
    return test_main("host-names", add);
}
