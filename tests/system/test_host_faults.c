/* SPDX-License-Identifier: MIT
 *
 * test_host_faults.c - the public interface with a server that misbehaves and a server
 * that works.
 *
 * The host reports each fault with the server's name and the reason.  A fault does not
 * affect the other server.  Closing the host leaves nothing behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <mcphost/mcphost.h>

#include "base/base.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_census before;
static struct rig_workspace ws;
static mcphost *host;
static mcphost_dialog *dialog;
static int closed_events;

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CLOSED)
        closed_events++;
}

static void
up(void)
{
    char guard[4096];

    before = rig_census_take();
    closed_events = 0;
    rig_workspace_up(&ws, NULL);
    rig_workspace_write(&ws, "good", "trace %s\n", rig_workspace_path(&ws, "trace"));
    ck_assert_int_eq(mcphost_new(&host, NULL), 0);
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    ck_assert_int_eq(mcphost_set_guard_path(host, guard), 0);
    ck_assert_int_eq(mcphost_set_option(host, MCPHOST_OPT_STOP_EOF, 150), 0);
    ck_assert_int_eq(mcphost_set_option(host, MCPHOST_OPT_STOP_TERM, 150), 0);
    ck_assert_int_eq(mcphost_set_option(host, MCPHOST_OPT_PROBE_TIMEOUT, 200), 0);
    ck_assert_int_eq(mcphost_set_option(host, MCPHOST_OPT_RESTART_DELAY, 1), 0);
    ck_assert_int_eq(mcphost_set_option(host, MCPHOST_OPT_SPOOL_BYTES, 0), 0);
    ck_assert_int_eq(mcphost_set_event(host, on_event, NULL, NULL), 0);
    dialog = NULL;
}

/* Closes the host and checks that it ends within 10 s. */
static void
close_host(void)
{
    int64_t start = mcph_clock_monotonic_ms();
    int r = 0;

    ck_assert_int_eq(mcphost_close(host), 0);
    while (r >= 0 && mcph_clock_monotonic_ms() - start < 10000)
        r = mcphost_wait(host, 1000);
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
    ck_assert_int_eq(closed_events, 1);
}

static void
down(void)
{
    dialog = mcphost_dialog_unref(dialog);
    close_host();
    host = mcphost_unref(host);
    rig_census_check(&before, 3000);
    ck_assert_int_eq(rig_workspace_living(&ws, "trace"), 0);
    rig_workspace_down(&ws);
}

/* ---- a host with two servers: `bad` misbehaves, `good` works ----------------------- */

/* Starts a host whose server `bad` follows the script.  `more` holds further keys of the
 * server's entry in the file. */
static void
start_with(const char *script, const char *more)
{
    const char *fake = rig_fakeserver();
    mcphost_config *config = NULL;

    rig_workspace_write(&ws, "bad", "trace %s\n%s", rig_workspace_path(&ws, "trace"),
                        script);
    rig_workspace_yaml(&ws,
                       "version: 1\n"
                       "servers:\n"
                       "  bad:\n"
                       "    transport: stdio\n"
                       "    command: %s\n"
                       "    args: ['%s']\n"
                       "    transform: [{prefix: 'bad_'}]\n"
                       "%s"
                       "  good:\n"
                       "    transport: stdio\n"
                       "    truely-stateless: true\n"
                       "    command: %s\n"
                       "    args: ['%s']\n",
                       fake, rig_workspace_path(&ws, "bad"), more, fake,
                       rig_workspace_path(&ws, "good"));
    ck_assert_int_eq(mcphost_config_load_workspace(ws.dir, &config, NULL), 0);
    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++)
        ck_abort_msg("%s", mcphost_config_diagnostic_get_message(config, i));
    ck_assert_int_eq(mcphost_load(host, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_wait_ready(host, 15000), 1);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL), 0);
}

static mcphost_call *
start_call(const char *tool, const char *arguments)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;
    int r = mcphost_call_new(dialog, tool, arguments, strlen(arguments), &call, &err);

    ck_assert_msg(r == 0, "%s: %s", tool, mcphost_error_get_message(err));
    ck_assert_int_eq(mcphost_call_start(call, NULL, NULL, NULL), 0);
    return call;
}

/* Checks that the call succeeds and that the first item of its result is `text`. */
static void
succeeds(mcphost_call *call, const char *text)
{
    const char *got = NULL;
    size_t len = 0;

    ck_assert_int_eq(mcphost_call_wait(call, 10000), 1);
    ck_assert_msg(mcphost_call_get_result(call) != NULL, "%s",
                  mcphost_error_get_message(mcphost_call_get_error(call)));
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &got, &len), 0);
    ck_assert_msg(len == strlen(text) && memcmp(got, text, len) == 0, "not '%s': '%.*s'",
                  text, (int)len, got);
    mcphost_call_unref(call);
}

static void
good_lives(void)
{
    succeeds(start_call("echo", "{\"text\":\"alive\"}"), "alive");
}

static int
state_of(const char *server, mcphost_error **ret_error, size_t *ret_tools)
{
    mcphost_status *status = NULL;
    int state = 0;

    ck_assert_int_eq(mcphost_get_status(host, &status), 0);
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        if (strcmp(mcphost_status_server_get_id(status, i), server) == 0) {
            state = mcphost_status_server_get_state(status, i);
            if (ret_error)
                *ret_error =
                    mcphost_error_ref(mcphost_status_server_get_error(status, i));
            if (ret_tools)
                *ret_tools = mcphost_status_server_count_tools(status, i);
        }
    mcphost_status_unref(status);
    return state;
}

static void
names_bad(const mcphost_error *err, const char *reason)
{
    const char *text = mcphost_error_get_message(err);

    ck_assert_ptr_nonnull(err);
    ck_assert_str_eq(mcphost_error_get_server_id(err), "bad");
    ck_assert_msg(strstr(text, "'bad'") != NULL, "no server in '%s'", text);
    ck_assert_msg(strstr(text, reason) != NULL, "no '%s' in '%s'", reason, text);
}

/* Checks that server `bad` has a problem with `reason` in its message or detail.  Server
 * `good` must have no problem. */
static void
has_problem(const char *reason)
{
    mcphost_problems *problems = NULL;
    bool found = false;

    ck_assert_int_eq(mcphost_get_problems(host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++) {
        mcphost_problem *p = mcphost_problems_get(problems, i);
        const char *server = mcphost_problem_get_server_id(p);

        ck_assert_msg(!server || strcmp(server, "good") != 0, "good has a problem: %s",
                      mcphost_problem_get_message(p));
        printf("    %s: %s\n", mcphost_problem_get_id(p), mcphost_problem_get_message(p));
        found = found || (server && strcmp(server, "bad") == 0 &&
                          (strstr(mcphost_problem_get_message(p), reason) ||
                           strstr(mcphost_problem_get_detail(p, NULL), reason)));
    }
    mcphost_problems_unref(problems);
    ck_assert_msg(found, "no problem tells of '%s'", reason);
}

/* ---- servers that do not come up --------------------------------------------------- */

static const struct {
    const char *script, *more, *reason;
} start_faults[] = {
    {"on spawn\n  exit 3\n", "", "status 3"},
    {"on spawn\n  stderr no licence\n  exit 1\n", "", "status 1"},
    {"on spawn\n  crash 11\n", "", "signal 11"},
    {"on spawn\n  hang\n", "    timeouts: {start: 0.5}\n", "500 ms"},
    {"on spawn\n  close stdout\n  hang\n", "", "closed its standard output"},
    {"on spawn\n  fill 5M z\n  exit 7\n", "", "status 7"},
    {"era legacy\non initialize\n  exit 4\n", "", "status 4"},
    {"era legacy\non initialize\n", "    timeouts: {start: 0.5}\n", "500 ms"},
    {"era legacy\non initialize\n  error -32603 not today\n", "", "not today"},
    {"era legacy\nversion 1999-01-01\n", "", "1999-01-01"},
    {"era modern\nmodern-versions 2031-01-01\n", "", "2031-01-01"},
    {"on list\n  exit 5\n", "", "status 5"},
    {"on list\n", "    timeouts: {list: 0.3}\n", "300 ms"},
    {"on list\n  error -32603 the store is closed\n", "", "the store is closed"},
    {"on list\n  result {\"resultType\":\"complete\",\"tools\":7}\n", "", "tools"},
};

#define N_START_FAULTS ((int)(sizeof(start_faults) / sizeof(start_faults[0])))

/* R116, R117: a bad server neither delays nor breaks another server.  The host reports
 * the fault of the bad server. */
START_TEST(a_server_that_does_not_come_up_is_reported_and_others_work)
{
    mcphost_error *err = NULL;
    size_t tools = 99;
    int64_t start = mcph_clock_monotonic_ms();

    start_with(start_faults[_i].script, start_faults[_i].more);
    ck_assert(mcph_clock_monotonic_ms() - start < 4000);
    ck_assert_int_eq(state_of("bad", &err, &tools), MCPHOST_SERVER_UNAVAILABLE);
    names_bad(err, start_faults[_i].reason);
    mcphost_error_unref(err);
    ck_assert_uint_eq(tools, 0);
    has_problem(start_faults[_i].reason);
    ck_assert_int_eq(state_of("good", NULL, &tools), MCPHOST_SERVER_LOADED);
    ck_assert_uint_eq(tools, 10);
    good_lives();
}
END_TEST

START_TEST(the_error_of_a_failed_start_has_the_end_of_stderr)
{
    mcphost_error *err = NULL;

    start_with("on spawn\n  stderr line one\n  stderr no licence\n  exit 1\n", "");
    state_of("bad", &err, NULL);
    ck_assert_ptr_nonnull(mcphost_error_get_stderr_tail(err));
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_stderr_tail(err), "no licence"));
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_missing_program_is_reported_and_others_work)
{
    mcphost_error *err = NULL;
    mcphost_config *config = NULL;

    rig_workspace_yaml(&ws,
                       "version: 1\nservers:\n"
                       "  bad:\n    transport: stdio\n    command: no-such-program-x\n"
                       "  good:\n    transport: stdio\n    command: %s\n",
                       rig_fakeserver());
    ck_assert_int_eq(mcphost_config_load_workspace(ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(host, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_wait_ready(host, 10000), 1);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL), 0);
    ck_assert_int_eq(state_of("bad", &err, NULL), MCPHOST_SERVER_UNAVAILABLE);
    ck_assert_int_eq(mcphost_error_get_code(err), MCPHOST_E_SPAWN);
    names_bad(err, "no-such-program-x");
    mcphost_error_unref(err);
    good_lives();
}
END_TEST

START_TEST(a_server_that_hangs_at_its_start_does_not_delay_others)
{
    const char *fake = rig_fakeserver();
    mcphost_config *config = NULL;
    int64_t start = mcph_clock_monotonic_ms();
    int r = 0;

    rig_workspace_write(&ws, "bad", "on spawn\n  hang\n");
    rig_workspace_yaml(&ws,
                       "version: 1\nservers:\n"
                       "  bad:\n    transport: stdio\n    command: %s\n    args: ['%s']\n"
                       "    timeouts: {start: 60}\n"
                       "  good:\n    transport: stdio\n    command: %s\n",
                       fake, rig_workspace_path(&ws, "bad"), fake);
    ck_assert_int_eq(mcphost_config_load_workspace(ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(host, config), 0);
    mcphost_config_unref(config);
    while (state_of("good", NULL, NULL) != MCPHOST_SERVER_LOADED && r >= 0 &&
           mcph_clock_monotonic_ms() - start < 5000)
        r = mcphost_wait(host, 100);
    ck_assert_int_ge(r, 0);
    ck_assert_int_eq(state_of("bad", NULL, NULL), MCPHOST_SERVER_STARTING);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, NULL), 0);
    good_lives();
}
END_TEST

/* ---- calls that fail --------------------------------------------------------------- */

static const struct {
    const char *script;
    int code;
    const char *reason;
} call_faults[] = {
    {"on call:add\n  stderr no cheese\n  exit 6\n", MCPHOST_E_TRANSPORT, "status 6"},
    {"on call:add\n  crash 9\n", MCPHOST_E_TRANSPORT, "signal 9"},
    {"on call:add\n  raw {\"jsonrpc\n  exit 0\n", MCPHOST_E_TRANSPORT,
     "middle of a message"},
    {"ignore eof\non call:add\n  close stdout\n", MCPHOST_E_TRANSPORT, "standard output"},
    {"on call:add\n", MCPHOST_E_TIMEOUT, "add"},
    {"on call:add\n  sleep 2000\n", MCPHOST_E_TIMEOUT, "add"},
    {"on call:add\n  id 123456\n  answer\n", MCPHOST_E_TIMEOUT, "add"},
    {"on call:add\n  error -32000 no more\n", MCPHOST_E_RPC, "no more"},
    {"on call:add\n  id-last\n  text-bytes 100M\n", MCPHOST_E_LIMIT, "limit"},
};

#define N_CALL_FAULTS ((int)(sizeof(call_faults) / sizeof(call_faults[0])))

/* A call to `good` that is in flight at the same time succeeds.  The next call to `bad`
 * succeeds, too, in the same process or in a new process.  After a timeout the test makes
 * no next call to `bad`. */
START_TEST(a_failed_call_names_its_server_and_other_calls_succeed)
{
    bool late = call_faults[_i].code == MCPHOST_E_TIMEOUT;
    mcphost_call *slow, *call;

    start_with(call_faults[_i].script,
               late ? "    timeouts: {call: 0.5}\n" : "    timeouts: {call: 20}\n");
    slow = start_call("slow", "{\"ms\":300}");
    call = start_call("bad_add", "{\"a\":1,\"b\":2}");
    ck_assert_int_eq(mcphost_call_wait(call, 25000), 1);
    ck_assert_ptr_null(mcphost_call_get_result(call));
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     call_faults[_i].code);
    names_bad(mcphost_call_get_error(call), call_faults[_i].reason);
    mcphost_call_unref(call);
    succeeds(slow, "slept 300 ms");
    good_lives();
    if (!late)
        succeeds(start_call("bad_echo", "{\"text\":\"again\"}"), "again");
}
END_TEST

static const char *const unreadable[] = {
    "on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"x\":\"\\0\"}}\n",
    "on call:add\n  line {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":[]}\n",
    "on call:add\n  deep 100000\n",
};

START_TEST(an_unreadable_response_fails_only_its_call)
{
    mcphost_call *call;
    int code;

    start_with(unreadable[_i], "    timeouts: {call: 1}\n");
    call = start_call("bad_add", "{}");
    ck_assert_int_eq(mcphost_call_wait(call, 5000), 1);
    code = mcphost_error_get_code(mcphost_call_get_error(call));
    ck_assert(code == MCPHOST_E_PROTOCOL || code == MCPHOST_E_TIMEOUT);
    names_bad(mcphost_call_get_error(call), "add");
    mcphost_call_unref(call);
    succeeds(start_call("bad_echo", "{\"text\":\"same\"}"), "same");
    good_lives();
}
END_TEST

START_TEST(noise_between_messages_is_a_problem_and_calls_succeed)
{
    start_with("on spawn\n  line Welcome!\n"
               "on call:echo\n  lines 1000 noise\n  stderr-fill 5M\n  answer\n  answer\n",
               "");
    succeeds(start_call("bad_echo", "{\"text\":\"a\"}"), "a");
    succeeds(start_call("bad_echo", "{\"text\":\"b\"}"), "b");
    has_problem("Welcome!");
    good_lives();
}
END_TEST

START_TEST(a_message_in_single_bytes_and_pieces_is_read)
{
    start_with("chunk 1\non call:add\n  raw {\"jsonrpc\":\"2.0\",\n  delay 30\n"
               "  raw \"id\":%i,\"result\":{\"resultType\":\"complete\",\"content\":[{"
               "\"type\":\"text\",\"text\":\"ok\"}]}}\n  delay 30\n  raw \\n\n",
               "");
    succeeds(start_call("bad_add", "{}"), "ok");
}
END_TEST

START_TEST(a_leased_server_that_exits_is_started_again)
{
    mcphost_call *call;

    start_with("on call:add\n  text %p\n  exit 0\n", "");
    call = start_call("bad_add", "{}");
    ck_assert_int_eq(mcphost_call_wait(call, 5000), 1);
    ck_assert_ptr_nonnull(mcphost_call_get_result(call));
    mcphost_call_unref(call);
    for (int i = 0; i < 20; i++)
        mcphost_wait(host, 10);
    succeeds(start_call("bad_echo", "{\"text\":\"again\"}"), "again");
    ck_assert_int_ge(rig_workspace_count(&ws, "trace", " spawn"), 3);
}
END_TEST

/* ---- lists ------------------------------------------------------------------------- */

static void
bad_loads(const char *script, size_t want)
{
    size_t tools = 0;

    start_with(script, "");
    ck_assert_int_eq(state_of("bad", NULL, &tools), MCPHOST_SERVER_LOADED);
    ck_assert_uint_eq(tools, want);
    good_lives();
}

START_TEST(ten_thousand_tools_are_offered)
{
    int64_t start = mcph_clock_monotonic_ms();

    bad_loads("no-tools\ngenerate 10000\n", 10000);
    ck_assert(mcph_clock_monotonic_ms() - start < 5000);
    succeeds(start_call("bad_t9999", "{\"text\":\"last\"}"), "last");
}
END_TEST

START_TEST(tools_of_all_pages_are_offered)
{
    bad_loads("no-tools\ngenerate 100\npage-size 7\n", 100);
}
END_TEST

START_TEST(endless_pages_are_cut_off_and_reported)
{
    bad_loads("no-tools\ngenerate 50\npage-size 5\ncursors endless\n", 42);
    has_problem("pages");
}
END_TEST

START_TEST(a_repeated_cursor_ends_the_list_and_is_reported)
{
    bad_loads("no-tools\ngenerate 50\npage-size 5\ncursors repeat\n", 5);
    has_problem("cursor");
}
END_TEST

START_TEST(a_tool_listed_twice_is_offered_once_and_reported)
{
    bad_loads("tool echo another\ntool twin\ntool twin again\n", 11);
    has_problem("twin");
}
END_TEST

START_TEST(a_tool_whose_schema_is_no_object_is_left_out)
{
    bad_loads("tool-json {\"name\":\"crooked\",\"inputSchema\":[]}\n"
              "tool-json {\"name\":\"bent\",\"inputSchema\":\"x\"}\n"
              "tool-json 17\n"
              "tool straight\n",
              11);
    has_problem("crooked");
    has_problem("bent");
    succeeds(start_call("bad_straight", "{\"text\":\"x\"}"), "x");
}
END_TEST

/* ---- closing the host -------------------------------------------------------------- */

/* R107 R108 */
START_TEST(a_server_that_ignores_eof_and_sigterm_does_not_delay_closing)
{
    int64_t start;

    start_with("ignore eof\nignore term\n", "");
    succeeds(start_call("bad_echo", "{\"text\":\"here\"}"), "here");
    start = mcph_clock_monotonic_ms();
    dialog = mcphost_dialog_unref(dialog);
    close_host();
    ck_assert(mcph_clock_monotonic_ms() - start < 1500);
    ck_assert_int_eq(rig_workspace_living(&ws, "trace"), 0);
}
END_TEST

START_TEST(closing_the_host_ends_calls_in_flight)
{
    mcphost_call *call;

    start_with("", "");
    call = start_call("bad_slow", "{\"ms\":60000}");
    mcphost_wait(host, 50);
    close_host();
    ck_assert_int_eq(mcphost_call_is_done(call), 1);
    ck_assert_int_eq(mcphost_error_get_code(mcphost_call_get_error(call)),
                     MCPHOST_E_CANCELLED);
    mcphost_call_unref(call);
}
END_TEST

START_TEST(dropping_the_last_reference_kills_servers_at_once)
{
    int64_t start;

    start_with("ignore eof\nignore term\non call:add\n  daemon 60\n  answer\n", "");
    succeeds(start_call("bad_add", "{\"a\":1,\"b\":2}"), "3");
    start = mcph_clock_monotonic_ms();
    dialog = mcphost_dialog_unref(dialog);
    host = mcphost_unref(host);
    ck_assert(mcph_clock_monotonic_ms() - start < 1500);
    rig_census_check(&before, 1000);
    ck_assert_int_eq(rig_workspace_living(&ws, "trace"), 0);
    ck_assert_int_eq(mcphost_new(&host, NULL), 0); /* down() closes this host */
    closed_events = 0;
    ck_assert_int_eq(mcphost_set_event(host, on_event, NULL, NULL), 0);
}
END_TEST

/* ---- many dialogs ------------------------------------------------------------------ */

#define DIALOGS 100
#define SERVERS 10

static void
many_config(void)
{
    char yaml[8192];
    int n = snprintf(yaml, sizeof(yaml), "version: 1\nservers:\n");

    for (int i = 0; i < SERVERS; i++)
        n +=
            snprintf(yaml + n, sizeof(yaml) - (size_t)n,
                     "  s%d:\n    transport: stdio\n    command: %s\n    args: ['%s']\n"
                     "    tools: {whitelist: [pid]}\n    transform: [{prefix: 's%d_'}]\n",
                     i, rig_fakeserver(), rig_workspace_path(&ws, "good"), i);
    rig_workspace_yaml(&ws, "%s", yaml);
}

static int
compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static int
pid_of(mcphost_call *call)
{
    const char *text = NULL;
    char number[24];
    size_t len = 0;

    ck_assert_int_eq(mcphost_call_wait(call, 60000), 1);
    ck_assert_msg(mcphost_call_get_result(call) != NULL, "%s",
                  mcphost_error_get_message(mcphost_call_get_error(call)));
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len), 0);
    snprintf(number, sizeof(number), "%.*s", (int)len, text);
    mcphost_call_unref(call);
    return (int)strtol(number, NULL, 10);
}

/* R75, R80: each dialog has its own process of each server.  In the end no process is
 * left.  The dialogs come in waves, so that a small machine can run the processes.  The
 * test compares process ids only within a wave, because the system may reuse ids in the
 * next wave. */
START_TEST(a_hundred_dialogs_with_ten_servers_leave_no_process)
{
    enum { WAVE = 20 };
    static int pids[WAVE * SERVERS];
    mcphost_config *config = NULL;
    mcphost_dialog *dialogs[WAVE];
    mcphost_call *calls[WAVE * SERVERS];
    struct rlimit limit;
    char name[32];

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    setrlimit(RLIMIT_NOFILE, &limit);
    many_config();
    ck_assert_int_eq(mcphost_config_load_workspace(ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(host, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_wait_ready(host, 30000), 1);
    for (int wave = 0; wave < DIALOGS / WAVE; wave++) {
        for (int d = 0; d < WAVE; d++) {
            snprintf(name, sizeof(name), "dialog-%d-%d", wave, d);
            ck_assert_int_eq(mcphost_dialog_new(mcphost_default_view(host), name, NULL,
                                                &dialogs[d], NULL),
                             0);
            dialog = dialogs[d];
            for (int s = 0; s < SERVERS; s++) {
                snprintf(name, sizeof(name), "s%d_pid", s);
                calls[d * SERVERS + s] = start_call(name, "{}");
            }
        }
        for (int i = 0; i < WAVE * SERVERS; i++)
            pids[i] = pid_of(calls[i]);
        qsort(pids, WAVE * SERVERS, sizeof(pids[0]), compare);
        for (int i = 1; i < WAVE * SERVERS; i++)
            ck_assert_int_ne(pids[i], pids[i - 1]);
        for (int d = 0; d < WAVE; d++)
            mcphost_dialog_unref(dialogs[d]);
    }
    dialog = NULL;
    /* down() closes the host and checks that nothing is left. */
}
END_TEST

static TCase *
fault_case(Suite *suite, const char *name, double seconds)
{
    TCase *tc = test_case(suite, name);

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, seconds);
    return tc;
}

static void
add(Suite *suite)
{
    TCase *tc = fault_case(suite, "start", 30);

    tcase_add_loop_test(tc, a_server_that_does_not_come_up_is_reported_and_others_work, 0,
                        N_START_FAULTS);
    tcase_add_test(tc, the_error_of_a_failed_start_has_the_end_of_stderr);
    tcase_add_test(tc, a_missing_program_is_reported_and_others_work);
    tcase_add_test(tc, a_server_that_hangs_at_its_start_does_not_delay_others);
    tc = fault_case(suite, "calls", 30);
    tcase_add_loop_test(tc, a_failed_call_names_its_server_and_other_calls_succeed, 0,
                        N_CALL_FAULTS);
    tcase_add_loop_test(tc, an_unreadable_response_fails_only_its_call, 0, 3);
    tcase_add_test(tc, noise_between_messages_is_a_problem_and_calls_succeed);
    tcase_add_test(tc, a_message_in_single_bytes_and_pieces_is_read);
    tcase_add_test(tc, a_leased_server_that_exits_is_started_again);
    tc = fault_case(suite, "lists", 30);
    tcase_add_test(tc, ten_thousand_tools_are_offered);
    tcase_add_test(tc, tools_of_all_pages_are_offered);
    tcase_add_test(tc, endless_pages_are_cut_off_and_reported);
    tcase_add_test(tc, a_repeated_cursor_ends_the_list_and_is_reported);
    tcase_add_test(tc, a_tool_listed_twice_is_offered_once_and_reported);
    tcase_add_test(tc, a_tool_whose_schema_is_no_object_is_left_out);
    tc = fault_case(suite, "end", 30);
    tcase_add_test(tc, a_server_that_ignores_eof_and_sigterm_does_not_delay_closing);
    tcase_add_test(tc, closing_the_host_ends_calls_in_flight);
    tcase_add_test(tc, dropping_the_last_reference_kills_servers_at_once);
    tc = fault_case(suite, "many", 90);
    tcase_add_test(tc, a_hundred_dialogs_with_ten_servers_leave_no_process);
}

int
main(void)
{
    return test_main("host-faults", add);
}
