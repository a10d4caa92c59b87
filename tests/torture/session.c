/* SPDX-License-Identifier: MIT
 *
 * session.c - whole sessions of a host with real servers, for programs that make system
 * calls or allocations fail.
 */
#include "torture/session.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "support/rig.h"
#include "torture/torture.h"

#define CALLS      16
#define WAIT_MS    5000
#define CHANGED_MS 150 /* ms until the host fetches a changed list, with a margin */

const int session_codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_NOTFOUND, MCPHOST_E_TRANSPORT,
                             MCPHOST_E_GONE, 0};

static struct rig_census before;
static mcphost_config *config;
static char guard[4200];

/* The state of one session. */
static struct {
    mcphost *host;
    mcphost_dialog *dialogs[2];
    mcphost_call *calls[CALLS];
    /* the numbers of calls in `calls`, of started calls and of refused calls */
    int n_calls, started, refused;
    int done, freed;
    int event_set, event_freed, builtin_set, builtin_freed, log_set, log_freed;
    int before_set, before_freed;
    int closed, after_closed, ready;
    int lost; /* log lines that report lack of memory */
} s;

/* ---- the application's functions --------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    int kind = mcphost_event_get_kind(event);

    (void)arg;
    s.after_closed += s.closed;
    s.closed += kind == MCPHOST_EVENT_CLOSED;
    s.ready += kind == MCPHOST_EVENT_READY;
    if (kind == MCPHOST_EVENT_PROBLEM)
        torture_must(mcphost_problem_get_id(mcphost_event_get_problem(event)) != NULL);
}

static void
on_event_freed(void *arg)
{
    (void)arg;
    s.event_freed++;
}

static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)server;
    (void)arg;
    torture_must(room && line);
    s.lost += strstr(line, "out of memory") != NULL;
}

static void
on_log_freed(void *arg)
{
    (void)arg;
    s.log_freed++;
}

static int
on_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    return mcphost_call_answer(call, arguments, len, 0);
}

static void
on_builtin_freed(void *arg)
{
    (void)arg;
    s.builtin_freed++;
}

/* Allows a call.  Allows every second call with mcphost_call_allow() instead of the
 * return value. */
static int
on_before(mcphost_call *call, void *arg)
{
    static int n;

    (void)arg;
    torture_must(mcphost_call_get_tool(call) && mcphost_call_get_arguments(call, NULL));
    if (++n % 2)
        return MCPHOST_BEFORE_CALL_GO;
    torture_must(mcphost_call_allow(call) == 0);
    return MCPHOST_BEFORE_CALL_LATER;
}

static void
on_before_freed(void *arg)
{
    (void)arg;
    s.before_freed++;
}

static void
on_done(mcphost_call *call, void *arg)
{
    (void)arg;
    torture_must(mcphost_call_is_done(call));
    torture_must(!mcphost_call_get_result(call) != !mcphost_call_get_error(call));
    s.done++;
}

static void
on_done_freed(void *arg)
{
    (void)arg;
    s.freed++;
}

/* ---- fixtures ---------------------------------------------------------------------- */

void
session_up(void)
{
    static char yaml[9000];

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    snprintf(
        yaml, sizeof(yaml),
        "version: 1\n"
        "servers:\n"
        "  shared:\n"
        "    transport: stdio\n"
        "    command: '%s'\n"
        "    args: [-e, era modern, -e, instructions x, -e, page-size 4, -e, on spawn, "
        "-e, ' stderr hello',\n"
        "      -e, set more, -e, no-tools, -e, tool echo, -e, tool extra, -e, set main,\n"
        "      -e, tool grow, -e, 'on call:grow', -e, ' text grown', -e, ' use more',\n"
        "      -e, ' changed']\n"
        "    truely-stateless: true\n"
        "    env: {A: x, B: {env: HOME}}\n"
        "    tools: {blacklist: [big]}\n"
        "  own:\n"
        "    transport: stdio\n"
        "    command: '%s'\n"
        "    args: [-e, era legacy, -e, 'on call:die', -e, ' crash 9',\n"
        "      -e, set more, -e, no-tools, -e, tool echo, -e, tool extra, -e, set main,\n"
        "      -e, tool die, -e, tool grow, -e, 'on call:grow', -e, ' text grown',\n"
        "      -e, ' use more', -e, ' changed']\n"
        "    transform: [{prefix: own_}]\n"
        "  off: {enabled: false}\n"
        "  bad: {transport: stdio}\n",
        rig_fakeserver(), rig_fakeserver());
    ck_assert_int_eq(
        mcphost_config_load_memory(yaml, strlen(yaml), NULL, "/", &config, NULL), 0);
    ck_assert_uint_eq(mcphost_config_count_servers(config), 4);
    ck_assert_int_eq(mcphost_config_server_get_state(config, 1),
                     MCPHOST_CONFIG_SERVER_VALID);
    before = rig_census_take();
}

void
session_down(void)
{
    config = mcphost_config_unref(config);
}

void
session_check(void)
{
    rig_census_check(&before, 2000);
}

/* ---- a host from start to end ------------------------------------------------------ */

static const struct {
    int option;
    int64_t value;
} options[] = {
    {MCPHOST_OPT_START_TIMEOUT, 3000}, {MCPHOST_OPT_LIST_TIMEOUT, 3000},
    {MCPHOST_OPT_CALL_TIMEOUT, 3000},  {MCPHOST_OPT_PROBE_TIMEOUT, 1000},
    {MCPHOST_OPT_STOP_EOF, 500},       {MCPHOST_OPT_STOP_TERM, 500},
    {MCPHOST_OPT_RESTART_DELAY, 1},    {MCPHOST_OPT_WARDEN, 0},
};

static const char salt[16] = "0123456789abcdef";
static const char verdicts[] =
    "{\"verdicts\":[{\"key\":"
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
    "\"era\":\"modern\",\"version\":\"2026-07-28\",\"at\":1}]}";
static const char *const environment[] = {"HOME=/", "PATH=/usr/bin:/bin", "LANG=C", NULL};

static bool
prepare(void)
{
    mcphost_error *error = NULL;
    int r = mcphost_new(&s.host, &error);

    torture_must((r == 0) == (s.host != NULL));
    if (!torture_told(r, error))
        return false;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        torture_must(mcphost_set_option(s.host, options[i].option, options[i].value) ==
                     0);
    if (!torture_good(mcphost_set_option(s.host, MCPHOST_OPT_ADMIN_TOOLS, 1)))
        (void)torture_good(mcphost_set_option(s.host, MCPHOST_OPT_ADMIN_TOOLS, 1));
    s.log_set++;
    (void)torture_good(
        mcphost_set_log(s.host, MCPHOST_LOG_DEBUG, on_log, &s, on_log_freed));
    s.event_set++;
    (void)torture_good(mcphost_set_event(s.host, on_event, &s, on_event_freed));
    s.before_set++;
    (void)torture_good(mcphost_set_before_call(s.host, on_before, &s, on_before_freed));
    (void)torture_good(mcphost_set_identity(s.host, "torture", "1", "T"));
    (void)torture_good(mcphost_set_environment(s.host, environment));
    (void)torture_good(
        mcphost_set_verdicts(s.host, salt, sizeof(salt), verdicts, sizeof(verdicts) - 1));
    /* End the session, because no server can start without the guard. */
    if (!torture_good(mcphost_set_guard_path(s.host, guard)))
        return false;
    s.builtin_set++;
    error = NULL;
    r = mcphost_view_add_builtin(mcphost_default_view(s.host), "ours", "our_echo",
                                 "says it", "{\"type\":\"object\"}", on_builtin, &s,
                                 on_builtin_freed, &error);
    if (torture_told(r, error)) {
        error = NULL;
        r = mcphost_view_set_toolset_description(mcphost_default_view(s.host), "ours",
                                                 "Says things.", &error);
        (void)torture_told(r, error);
    }
    return torture_good(mcphost_load(s.host, config));
}

static void
open_dialog(int i)
{
    mcphost_error *error = NULL;
    int r;

    r = mcphost_dialog_new(mcphost_default_view(s.host), i ? "two" : "one", NULL,
                           &s.dialogs[i], &error);
    (void)torture_told(r, error);
}

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t message_len, void *arg)
{
    (void)call;
    (void)arg;
    (void)total;
    torture_must(progress >= 0);
    torture_must(!message || strlen(message) == message_len);
}

static mcphost_call *
call_within(int ms, int dialog, const char *tool, const char *arguments, int progress)
{
    mcphost_error *error = NULL;
    mcphost_call *c = NULL;
    int r;

    if (!s.dialogs[dialog])
        return NULL;
    r = mcphost_call_new(s.dialogs[dialog], tool, arguments, strlen(arguments), &c,
                         &error);
    torture_must((r == 0) == (c != NULL));
    if (!torture_told(r, error))
        return NULL;
    s.calls[s.n_calls++] = c;
    if (progress)
        (void)torture_good(mcphost_call_set_progress(c, on_progress, NULL, NULL));
    if (ms)
        torture_must(mcphost_call_set_timeout(c, ms, 0, -1) == 0);
    error = NULL;
    if (progress) {
        r = mcphost_call_set_meta(c, "{\"k\":1}", 7, &error);
        (void)torture_told(r, error);
    }
    r = mcphost_call_start(c, on_done, &s, on_done_freed);
    if (torture_good(r))
        s.started++;
    else
        s.refused++;
    return r < 0 ? NULL : c;
}

static mcphost_call *
call(int dialog, const char *tool, const char *arguments, int progress)
{
    return call_within(0, dialog, tool, arguments, progress);
}

/* Waits for the end of the call.  If the call succeeds and `text` is not NULL, the result
 * must have that text.  Records an error other than `expected`. */
static void
await_end(mcphost_call *c, const char *text, int expected)
{
    const char *said = NULL;
    size_t len = 0;
    int code;

    if (!c)
        return;
    torture_must(mcphost_call_wait(c, WAIT_MS) == 1);
    code = mcphost_error_get_code(mcphost_call_get_error(c));
    if (code < 0) {
        if (code != expected)
            (void)torture_good(code);
        return;
    }
    torture_must(mcphost_call_get_result(c) != NULL);
    if (!text || !torture_good(mcphost_result_item_get_text(mcphost_call_get_result(c), 0,
                                                            &said, &len)))
        return;
    torture_must(len == strlen(text) && memcmp(said, text, len) == 0);
}

static void
talk(void)
{
    mcphost_call *a, *b, *c, *d;

    a = call(0, "echo", "{\"text\":\"a\\nb\"}", 0);
    b = call(0, "own_echo", "{\"text\":\"mine\"}", 0);
    c = call(1, "own_count", "{\"n\":2,\"ms\":0}", 1);
    await_end(a, "a\nb", 0);
    await_end(b, "mine", 0);
    await_end(c, "counted to 2", 0);
    d = call(1, "our_echo", "{}", 0);
    a = call(1, "own_slow", "{\"ms\":4000}", 0);
    if (a)
        torture_must(mcphost_call_cancel(a) == 0);
    b = call(0, "own_boom", "{}", 0);
    await_end(d, "{}", 0);
    await_end(a, NULL, MCPHOST_E_CANCELLED);
    await_end(b, NULL, MCPHOST_E_RPC);
}

static void
read_state(void)
{
    mcphost_catalog *catalog = NULL;
    mcphost_problems *problems = NULL;
    mcphost_status *status = NULL;
    const char *json = NULL;
    char *learnt = NULL, *dump = NULL;
    size_t len = 0;

    torture_must(mcphost_view_get_catalog(mcphost_default_view(s.host), &catalog) == 0);
    (void)torture_good(mcphost_catalog_get_tools_json(catalog, MCPHOST_SHAPE_ANTHROPIC,
                                                      NULL, &json, &len, NULL));
    mcphost_catalog_unref(catalog);
    /* The status must show either the complete configuration or no server at all. */
    if (torture_good(mcphost_get_status(s.host, &status))) {
        len = mcphost_status_count_servers(status);
        torture_must(len == 4 || len == 0);
        (void)torture_good(mcphost_status_make_json(status, &dump, NULL));
        mcphost_free(dump);
        dump = NULL;
    }
    mcphost_status_unref(status);
    if (torture_good(mcphost_get_problems(s.host, &problems)) && torture_code() == 0 &&
        s.lost == 0 && len == 4)
        torture_must(mcphost_problems_count(problems) > 0);
    if (problems)
        (void)torture_good(mcphost_problems_make_json(problems, &dump, NULL));
    mcphost_free(dump);
    mcphost_problems_unref(problems);
    (void)torture_good(mcphost_get_verdicts(s.host, salt, sizeof(salt), &learnt, &len));
    mcphost_free(learnt);
}

static void
release(void)
{
    mcphost_lease *lease = NULL;

    if (s.dialogs[0] && mcphost_dialog_get_lease(s.dialogs[0], "own", &lease) == 0) {
        torture_must(mcphost_lease_release(lease) == 0);
        mcphost_lease_unref(lease);
    }
    await_end(call(1, "mcp_release", "{\"serverId\":\"own\"}", 0), NULL, 0);
    await_end(call(0, "own_echo", "{\"text\":\"again\"}", 0), "again", 0);
    if (s.dialogs[1])
        torture_must(mcphost_dialog_close(s.dialogs[1]) == 0);
}

void
session_close(mcphost *host)
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS;
    int r = 0;

    torture_must(mcphost_close(host) == 0);
    while (r >= 0 && mcph_clock_monotonic_ms() < until)
        r = mcphost_wait(host, WAIT_MS);
    torture_must(r == MCPHOST_E_CLOSED);
}

static void
close_host(void)
{
    session_close(s.host);
    if (s.event_freed == 0)
        torture_must(s.closed == 1);
    torture_must(s.done == s.started);
}

static void
drop_all(void)
{
    mcphost *host = s.host;

    s.host = NULL;
    for (int i = 0; i < s.n_calls; i += 2)
        mcphost_call_unref(s.calls[i]);
    mcphost_dialog_unref(s.dialogs[0]);
    mcphost_unref(host);
    for (int i = 1; i < s.n_calls; i += 2)
        mcphost_call_unref(s.calls[i]);
    mcphost_dialog_unref(s.dialogs[1]);
    torture_must(s.freed == s.started + s.refused);
    torture_must(s.event_freed == s.event_set);
    torture_must(s.log_freed == s.log_set);
    torture_must(s.before_freed == s.before_set);
    torture_must(s.builtin_freed == s.builtin_set);
    torture_must(s.after_closed == 0);
}

static bool
begin(void)
{
    memset(&s, 0, sizeof(s));
    if (!prepare())
        return false;
    open_dialog(0);
    open_dialog(1);
    torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
    return true;
}

int
session_closed(void)
{
    if (begin()) {
        talk();
        read_state();
        release();
    }
    if (s.host)
        close_host();
    drop_all();
    return torture_code();
}

static bool
sees(int dialog, const char *tool)
{
    mcphost_catalog *catalog = NULL;
    bool found;

    if (!s.dialogs[dialog])
        return false;
    torture_must(mcphost_dialog_get_catalog(s.dialogs[dialog], &catalog) == 0);
    found = mcphost_catalog_find_tool(catalog, tool) != NULL;
    mcphost_catalog_unref(catalog);
    return found;
}

/* Waits until the host has fetched the changed lists.  The host fetches a list some time
 * after the server has announced a change. */
static void
await_lists(void)
{
    int64_t until =
        mcph_clock_monotonic_ms() + (torture_code() ? CHANGED_MS : 10 * CHANGED_MS);

    while (mcph_clock_monotonic_ms() < until &&
           (!sees(1, "own_extra") || !sees(0, "extra")))
        (void)mcphost_wait(s.host, 10);
    torture_must(!sees(0, "own_extra"));
    /* Record an error if a changed list was dropped, because only the log reports a
     * dropped list. */
    if (!sees(1, "own_extra") || !sees(0, "extra"))
        (void)torture_good(MCPHOST_E_NOTFOUND);
}

int
session_troubled(void)
{
    if (begin()) {
        await_end(call(0, "own_echo", "{\"text\":\"x\"}", 0), "x", 0);
        await_end(call(0, "own_die", "{}", 0), NULL, MCPHOST_E_TRANSPORT);
        await_end(call(0, "own_echo", "{\"text\":\"x\"}", 0), "x", 0);
        await_end(call(1, "own_grow", "{}", 0), "grown", 0);
        await_end(call(0, "grow", "{}", 0), "grown", 0);
        await_lists();
        await_end(call(1, "own_extra", "{}", 0), NULL, 0);
        read_state();
    }
    if (s.host)
        close_host();
    drop_all();
    return torture_code();
}

/* Dispatches like a program with its own event loop, until `flag` is set or WAIT_MS have
 * passed. */
static void
poll_until(const int *flag)
{
    int64_t until = mcph_clock_monotonic_ms() + WAIT_MS;
    struct pollfd fd = {.fd = mcphost_get_fd(s.host), .events = POLLIN};
    int r = 1;

    torture_must(fd.fd >= 0);
    while (r >= 0 && !*flag && mcph_clock_monotonic_ms() < until) {
        if (r == 0)
            (void)poll(&fd, 1, (int)(until - mcph_clock_monotonic_ms()));
        r = mcphost_dispatch(s.host);
    }
    torture_must(*flag);
}

int
session_polled(void)
{
    mcphost_call *slow = NULL;
    int code;

    memset(&s, 0, sizeof(s));
    if (prepare()) {
        open_dialog(0);
        poll_until(&s.ready);
        slow = call_within(30, 0, "slow", "{\"ms\":4000}", 0);
    }
    if (slow) {
        /* The tool answers after 4 s.  The limit of 30 ms ends the call earlier, unless
         * an injected failure ends it. */
        poll_until(&s.done);
        code = mcphost_error_get_code(mcphost_call_get_error(slow));
        torture_must(code != 0);
        if (code != MCPHOST_E_TIMEOUT)
            (void)torture_good(code);
    }
    if (s.host)
        close_host();
    drop_all();
    return torture_code();
}

int
session_threaded(void)
{
    int r;

    memset(&s, 0, sizeof(s));
    if (prepare()) {
        open_dialog(0);
        r = mcphost_thread_start(s.host);
        torture_must(r == 0 || r == MCPHOST_E_LIMIT || r == MCPHOST_E_NOMEM);
        torture_must(mcphost_wait_ready(s.host, WAIT_MS) == 1);
        await_end(call(0, "echo", "{\"text\":\"x\"}", 0), "x", 0);
        if (r == 0)
            torture_must(mcphost_thread_stop(s.host) == 0);
    }
    if (s.host)
        close_host();
    drop_all();
    return torture_code();
}

int
session_dropped(void)
{
    if (begin()) {
        await_end(call(0, "echo", "{\"text\":\"x\"}", 0), "x", 0);
        (void)call(0, "own_slow", "{\"ms\":4000}", 0);
        (void)call(1, "slow", "{\"ms\":4000}", 0);
        torture_must(mcphost_dispatch(s.host) >= 0);
        (void)call(1, "our_echo", "{}", 0);
    }
    drop_all();
    return torture_code();
}
