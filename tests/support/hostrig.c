/* SPDX-License-Identifier: MIT
 *
 * hostrig.c - a whole host under test, with fake servers in a workspace.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/hostrig.h"
#include "support/httprig.h"
#include "support/instrumented.h"

/* The time in ms after which hr_end() fails the test if the call has not ended. */
#define ANSWER_MS (INSTRUMENTED ? 60000 : 10000)

/* ---- events ------------------------------------------------------------------------ */

static void
copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void
on_event(const mcphost_event *event, void *arg)
{
    struct hostrig *hr = arg;
    struct hr_event *e = &hr->events[hr->n_events % HR_EVENTS];
    size_t len;
    const char *data = mcphost_event_get_data(event, &len);

    hr->n_events++;
    memset(e, 0, sizeof(*e));
    e->kind = mcphost_event_get_kind(event);
    e->state = mcphost_event_get_state(event);
    e->pid = mcphost_event_get_pid(event);
    e->version = mcphost_event_get_version(event);
    e->progress = mcphost_event_get_progress(event);
    copy(e->server, sizeof(e->server), mcphost_event_get_server_id(event));
    copy(e->dialog, sizeof(e->dialog), mcphost_event_get_dialog_id(event));
    copy(e->text, sizeof(e->text), mcphost_event_get_text(event));
    if (data)
        snprintf(e->text, sizeof(e->text), "%.*s", (int)len, data);
    if (mcphost_event_get_error(event)) {
        e->code = mcphost_error_get_code(mcphost_event_get_error(event));
        copy(e->text, sizeof(e->text),
             mcphost_error_get_message(mcphost_event_get_error(event)));
    }
    copy(e->problem, sizeof(e->problem),
         mcphost_problem_get_id(mcphost_event_get_problem(event)));
    if (hr->on_event)
        hr->on_event(hr, event);
}

static void
on_free(void *arg)
{
    struct hostrig *hr = arg;

    hr->freed++;
}

static bool
matches(const struct hr_event *e, int kind, const char *server, const char *dialog,
        int state)
{
    return e->kind == kind && (!server || strcmp(e->server, server) == 0) &&
           (!dialog || strcmp(e->dialog, dialog) == 0) &&
           (state < 0 || e->state == state);
}

int
hr_count(const struct hostrig *hr, int kind, const char *server, const char *dialog,
         int state)
{
    int n = 0;

    ck_assert_int_lt(hr->n_events, HR_EVENTS);
    for (int i = 0; i < hr->n_events; i++)
        n += matches(&hr->events[i], kind, server, dialog, state);
    return n;
}

const struct hr_event *
hr_last(const struct hostrig *hr, int kind, const char *server)
{
    ck_assert_int_lt(hr->n_events, HR_EVENTS);
    for (int i = hr->n_events; i-- > 0;)
        if (matches(&hr->events[i], kind, server, NULL, -1))
            return &hr->events[i];
    ck_abort_msg("no event of kind %d", kind);
}

int
hr_place(const struct hostrig *hr, int kind, const char *server, int state)
{
    ck_assert_int_lt(hr->n_events, HR_EVENTS);
    for (int i = 0; i < hr->n_events; i++)
        if (matches(&hr->events[i], kind, server, NULL, state))
            return i;
    return -1;
}

/* ---- life -------------------------------------------------------------------------- */

void
hr_up(struct hostrig *hr)
{
    char guard[4200];

    memset(hr, 0, offsetof(struct hostrig, events));
    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    hr->before = rig_census_take();
    rig_workspace_up(&hr->ws, NULL);
    ck_assert_int_eq(mcphost_new(&hr->host, NULL), 0);
    ck_assert_int_eq(mcphost_set_guard_path(hr->host, guard), 0);
    /* Offer the admin tools, because most tests expect these tools.  test_live_admin.c
     * tests a host without admin tools. */
    hr_option(hr, MCPHOST_OPT_ADMIN_TOOLS, 1);
    ck_assert_int_eq(mcphost_set_event(hr->host, on_event, hr, on_free), 0);
    hr_option(hr, MCPHOST_OPT_STOP_EOF, 300);
    hr_option(hr, MCPHOST_OPT_STOP_TERM, 300);
    hr_edit(hr);
}

static void
drop_handles(struct hostrig *hr)
{
    for (int i = 0; i < hr->n_calls; i++)
        mcphost_call_unref(hr->calls[i]);
    for (int i = 0; i < hr->n_dialogs; i++)
        mcphost_dialog_unref(hr->dialogs[i]);
    hr->n_calls = hr->n_dialogs = 0;
}

static void
check_end(struct hostrig *hr)
{
    ck_assert_ptr_null(hr->host);
    drop_handles(hr);
    ck_assert_int_eq(hr->freed, 1);
    rig_census_check(&hr->before, 2000);
}

void
hr_clear(struct hostrig *hr)
{
    for (struct httprig *web = hr->webs; web; web = web->next)
        http_down(web);
    rig_workspace_down(&hr->ws);
}

void
hr_down_ended(struct hostrig *hr)
{
    check_end(hr);
    hr_clear(hr);
}

void
hr_close(struct hostrig *hr)
{
    int r = 0, n = 0;

    ck_assert_int_eq(mcphost_close(hr->host), 0);
    while ((r = mcphost_wait(hr->host, 100)) >= 0)
        ck_assert_msg(n++ < 1000, "the host does not close");
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
    ck_assert_int_eq(hr->events[(hr->n_events - 1) % HR_EVENTS].kind,
                     MCPHOST_EVENT_CLOSED);
    hr->host = mcphost_unref(hr->host);
    check_end(hr);
}

void
hr_down(struct hostrig *hr)
{
    hr_close(hr);
    hr_clear(hr);
}

static void
on_log(int level, const char *room, const char *server, const char *message, void *arg)
{
    struct hostrig *hr = arg;
    size_t len = strlen(hr->log);

    (void)level;
    snprintf(hr->log + len, sizeof(hr->log) - len, "%s [%s] %s\n", room,
             server ? server : "", message);
}

void
hr_keep_log(struct hostrig *hr, int level)
{
    hr->log[0] = '\0';
    ck_assert_int_eq(mcphost_set_log(hr->host, level, on_log, hr, NULL), 0);
}

/* ---- configuration ----------------------------------------------------------------- */

static void RIG_PRINTF(2, 3) add(struct hostrig *hr, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(hr->yaml + hr->yaml_len, sizeof(hr->yaml) - hr->yaml_len, fmt, ap);
    va_end(ap);
    ck_assert_int_ge(n, 0);
    hr->yaml_len += (size_t)n;
    ck_assert_uint_lt(hr->yaml_len, sizeof(hr->yaml));
}

static void
add_lines(struct hostrig *hr, const char *indent, const char *lines)
{
    while (*lines) {
        size_t len = strcspn(lines, "\n");

        add(hr, "%s%.*s\n", indent, (int)len, lines);
        lines += len + (lines[len] == '\n');
    }
}

void
hr_entry(struct hostrig *hr, const char *entry)
{
    add_lines(hr, "  ", entry);
}

void
hr_server(struct hostrig *hr, const char *id, const char *keys, const char *script)
{
    char name[128];

    snprintf(name, sizeof(name), "%s.script", id);
    rig_workspace_write(&hr->ws, name, "trace %s/%s.trace\n%s\n", hr->ws.dir, id,
                        script ? script : "");
    add(hr, "  \"%s\":\n    transport: stdio\n    command: \"%s\"\n", id,
        rig_fakeserver());
    add(hr, "    args: [\"%s/%s\"]\n", hr->ws.dir, name);
    if (!keys || !strstr(keys, "transform:"))
        add(hr, "    transform: [{prefix: \"%s_\"}]\n", id);
    add_lines(hr, "    ", keys ? keys : "");
}

void
hr_option(struct hostrig *hr, int option, int64_t value)
{
    ck_assert_int_eq(mcphost_set_option(hr->host, option, value), 0);
}

void
hr_load_only(struct hostrig *hr)
{
    mcphost_config *config;

    rig_workspace_yaml(&hr->ws, "%s", hr->yaml);
    ck_assert_int_eq(mcphost_config_load_workspace(hr->ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr->host, config), 0);
    mcphost_config_unref(config);
}

void
hr_ready(struct hostrig *hr)
{
    ck_assert_int_eq(mcphost_wait_ready(hr->host, 20000), 1);
}

void
hr_load(struct hostrig *hr)
{
    hr_load_only(hr);
    hr_ready(hr);
}

void
hr_edit(struct hostrig *hr)
{
    hr->yaml_len = (size_t)snprintf(hr->yaml, sizeof(hr->yaml), "version: 1\nservers:\n");
}

void
hr_save(struct hostrig *hr)
{
    rig_workspace_yaml(&hr->ws, "%s", hr->yaml);
}

void
hr_follow(struct hostrig *hr)
{
    hr_save(hr);
    ck_assert_int_eq(mcphost_load_workspace(hr->host, hr->ws.dir, NULL, NULL), 0);
    hr_ready(hr);
}

void
hr_reload(struct hostrig *hr)
{
    hr_save(hr);
    ck_assert_int_eq(mcphost_reload(hr->host), 0);
    hr_turn(hr, 1);
}

/* ---- dialogs and calls ------------------------------------------------------------- */

mcphost_grant *
hr_grant(const char *toolsets, const char *tools)
{
    const char *const lists[] = {toolsets, tools};
    mcphost_grant *grant;

    ck_assert_int_eq(mcphost_grant_new(&grant), 0);
    for (int i = 0; i < 2; i++) {
        char copy[256], *rest = copy, *name;

        snprintf(copy, sizeof(copy), "%s", lists[i]);
        for (name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
            ck_assert_int_eq(i ? mcphost_grant_add_tool(grant, name)
                               : mcphost_grant_add_toolset(grant, name),
                             0);
    }
    return grant;
}

mcphost_dialog *
hr_dialog(struct hostrig *hr, const char *id)
{
    mcphost_dialog *dialog;

    ck_assert_int_lt(hr->n_dialogs, HR_HANDLES);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr->host), id, NULL, &dialog, NULL), 0);
    hr->dialogs[hr->n_dialogs++] = dialog;
    return dialog;
}

mcphost_call *
hr_call(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
        const char *arguments)
{
    mcphost_error *err = NULL;
    mcphost_call *call = NULL;

    ck_assert_int_lt(hr->n_calls, HR_HANDLES);
    if (mcphost_call_new(dialog, tool, arguments, arguments ? strlen(arguments) : 0,
                         &call, &err) < 0)
        ck_abort_msg("call of '%s': %s", tool, mcphost_error_get_message(err));
    hr->calls[hr->n_calls++] = call;
    return call;
}

void
hr_go(mcphost_call *call)
{
    ck_assert_int_eq(mcphost_call_start(call, NULL, NULL, NULL), 0);
}

mcphost_call *
hr_start(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
         const char *arguments)
{
    mcphost_call *call = hr_call(hr, dialog, tool, arguments);

    hr_go(call);
    return call;
}

int
hr_end(struct hostrig *hr, mcphost_call *call)
{
    (void)hr;
    ck_assert_int_eq(mcphost_call_wait(call, ANSWER_MS), 1);
    ck_assert((mcphost_call_get_error(call) == NULL) !=
              (mcphost_call_get_result(call) == NULL));
    return mcphost_call_get_error(call)
               ? mcphost_error_get_code(mcphost_call_get_error(call))
               : 0;
}

const char *
hr_why(mcphost_call *call)
{
    return mcphost_error_get_message(mcphost_call_get_error(call));
}

const char *
hr_text(struct hostrig *hr, mcphost_call *call)
{
    const char *text;
    size_t len;

    ck_assert_msg(mcphost_call_get_error(call) == NULL, "%s", hr_why(call));
    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len), 0);
    snprintf(hr->say, sizeof(hr->say), "%.*s", (int)len, text);
    return hr->say;
}

const char *
hr_say(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
       const char *arguments)
{
    mcphost_call *call = hr_start(hr, dialog, tool, arguments);

    hr_end(hr, call);
    return hr_text(hr, call);
}

int
hr_pid(struct hostrig *hr, mcphost_dialog *dialog, const char *tool)
{
    return (int)strtol(hr_say(hr, dialog, tool, NULL), NULL, 10);
}

int
hr_fail(struct hostrig *hr, mcphost_dialog *dialog, const char *tool,
        const char *arguments)
{
    int r = hr_end(hr, hr_start(hr, dialog, tool, arguments));

    ck_assert_int_lt(r, 0);
    return r;
}

void
hr_turn(struct hostrig *hr, int ms)
{
    ck_assert_int_ge(mcphost_wait(hr->host, ms), 0);
}

int64_t
hr_deadline(void)
{
    const char *times = secure_getenv("CK_TIMEOUT_MULTIPLIER");
    long n = times ? strtol(times, NULL, 10) : 1;

    return mcph_clock_monotonic_ms() + 3000 * (n > 1 && n < 1000 ? n : 1);
}

bool
hr_in_time(int64_t deadline)
{
    return mcph_clock_monotonic_ms() < deadline;
}

/* ---- inspection -------------------------------------------------------------------- */

static void
list_tool(char *text, size_t size, const mcphost_tool *tool)
{
    size_t len = strlen(text);

    snprintf(text + len, size - len, "%s%s", len ? " " : "", mcphost_tool_get_name(tool));
}

const char *
hr_tools(struct hostrig *hr, mcphost_dialog *dialog)
{
    static char text[8192];
    mcphost_catalog *catalog;
    int r;

    r = dialog ? mcphost_dialog_get_catalog(dialog, &catalog)
               : mcphost_view_get_catalog(mcphost_default_view(hr->host), &catalog);
    ck_assert_int_eq(r, 0);
    text[0] = '\0';
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        list_tool(text, sizeof(text), mcphost_catalog_get_tool(catalog, i));
    mcphost_catalog_unref(catalog);
    return text;
}

const char *
hr_toolset(struct hostrig *hr, const char *toolset)
{
    static char text[8192];
    mcphost_catalog *catalog;
    size_t i;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr->host), &catalog),
                     0);
    text[0] = '\0';
    if (mcphost_catalog_find_toolset(catalog, toolset, &i) < 0) {
        mcphost_catalog_unref(catalog);
        return NULL;
    }
    for (size_t j = 0; j < mcphost_catalog_count_toolset_tools(catalog, i); j++)
        list_tool(text, sizeof(text), mcphost_catalog_get_toolset_tool(catalog, i, j));
    mcphost_catalog_unref(catalog);
    return text;
}

mcphost_tool *
hr_tool(struct hostrig *hr, const char *name)
{
    mcphost_catalog *catalog;
    mcphost_tool *tool;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr->host), &catalog),
                     0);
    tool = mcphost_tool_ref(mcphost_catalog_find_tool(catalog, name));
    mcphost_catalog_unref(catalog);
    return tool;
}

struct row {
    int state;
    int64_t pid;
    char why[1024];
};

static const struct row *
server_row(struct hostrig *hr, const char *id)
{
    static struct row row;
    mcphost_status *status;
    size_t i = 0;

    ck_assert_int_eq(mcphost_get_status(hr->host, &status), 0);
    while (i < mcphost_status_count_servers(status) &&
           strcmp(mcphost_status_server_get_id(status, i), id) != 0)
        i++;
    ck_assert_msg(i < mcphost_status_count_servers(status), "no server '%s'", id);
    row.state = mcphost_status_server_get_state(status, i);
    row.pid = mcphost_status_server_get_pid(status, i);
    copy(row.why, sizeof(row.why), "");
    if (mcphost_status_server_get_error(status, i))
        copy(row.why, sizeof(row.why),
             mcphost_error_get_message(mcphost_status_server_get_error(status, i)));
    mcphost_status_unref(status);
    return &row;
}

int
hr_server_state(struct hostrig *hr, const char *id)
{
    return server_row(hr, id)->state;
}

int64_t
hr_server_pid(struct hostrig *hr, const char *id)
{
    return server_row(hr, id)->pid;
}

const char *
hr_server_why(struct hostrig *hr, const char *id)
{
    return server_row(hr, id)->why;
}

void
hr_loaded(struct hostrig *hr, const char *id)
{
    ck_assert_msg(hr_server_state(hr, id) == MCPHOST_SERVER_LOADED, "%s",
                  hr_server_why(hr, id));
}

size_t
hr_leases(struct hostrig *hr)
{
    mcphost_status *status;
    size_t n;

    ck_assert_int_eq(mcphost_get_status(hr->host, &status), 0);
    n = mcphost_status_count_leases(status);
    mcphost_status_unref(status);
    return n;
}

uint64_t
hr_version(struct hostrig *hr)
{
    mcphost_catalog *catalog;
    uint64_t version;

    ck_assert_int_eq(mcphost_view_get_catalog(mcphost_default_view(hr->host), &catalog),
                     0);
    version = mcphost_catalog_get_version(catalog);
    mcphost_catalog_unref(catalog);
    return version;
}

bool
hr_has(struct hostrig *hr, const char *tool)
{
    mcphost_tool *found = hr_tool(hr, tool);

    mcphost_tool_unref(found);
    return found != NULL;
}

void
hr_release(mcphost_dialog *dialog, const char *server)
{
    mcphost_lease *lease;

    ck_assert_int_eq(mcphost_dialog_get_lease(dialog, server, &lease), 0);
    ck_assert_int_eq(mcphost_lease_release(lease), 0);
    mcphost_lease_unref(lease);
}

static mcphost_problem *
find_problem(struct hostrig *hr, const char *id)
{
    mcphost_problems *problems;
    mcphost_problem *problem;

    ck_assert_int_eq(mcphost_get_problems(hr->host, &problems), 0);
    problem = mcphost_problem_ref(mcphost_problems_find(problems, id));
    mcphost_problems_unref(problems);
    return problem;
}

const char *
hr_problem(struct hostrig *hr, const char *id)
{
    static char text[2048];
    mcphost_problem *problem = find_problem(hr, id);

    if (!problem)
        return NULL;
    copy(text, sizeof(text), mcphost_problem_get_message(problem));
    mcphost_problem_unref(problem);
    return text;
}

int
hr_severity(struct hostrig *hr, const char *id)
{
    mcphost_problem *problem = find_problem(hr, id);
    int severity = mcphost_problem_get_severity(problem);

    mcphost_problem_unref(problem);
    return severity;
}
