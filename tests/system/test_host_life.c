/* SPDX-License-Identifier: MIT
 *
 * test_host_life.c - the end of a host, handles that outlive the host, and functions that
 * are called at the wrong time.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

#define SHARED "truely-stateless: true"
#define DEAF   "ignore eof\nignore term"

static int n_done, n_freed, last_code;

static void
on_done(mcphost_call *call, void *arg)
{
    (void)arg;
    n_done++;
    last_code = mcphost_call_get_error(call)
                    ? mcphost_error_get_code(mcphost_call_get_error(call))
                    : 0;
}

static void
on_free(void *arg)
{
    (void)arg;
    n_freed++;
}

static void
up(const char *keys, const char *script)
{
    n_done = n_freed = 0;
    hr_up(&hr);
    hr_server(&hr, "a", keys, script);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static mcphost_call *
start(const char *tool, const char *arguments)
{
    mcphost_call *call = hr_call(&hr, d, tool, arguments);

    ck_assert_int_eq(mcphost_call_start(call, on_done, NULL, on_free), 0);
    return call;
}

/* ---- closing the host -------------------------------------------------------------- */

START_TEST(closing_ends_calls_in_flight_and_then_the_host)
{
    mcphost_dialog *e;
    mcphost_status *status;
    int r;

    up(SHARED, NULL);
    for (int i = 0; i < 5; i++)
        start("a_slow", "{\"ms\":5000}");
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") == 5);
    start("a_slow", "{\"ms\":5000}");
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(n_done, 0);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "e", NULL, &e, NULL),
        MCPHOST_E_CLOSED);
    while ((r = mcphost_wait(hr.host, 100)) >= 0)
        ;
    ck_assert_int_eq(r, MCPHOST_E_CLOSED);
    ck_assert_int_eq(n_done, 6);
    ck_assert_int_eq(n_freed, 6);
    ck_assert_int_eq(last_code, MCPHOST_E_CANCELLED);
    ck_assert_int_eq(mcphost_dispatch(hr.host), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_call_wait(hr.calls[0], 0), 1);
    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    ck_assert_uint_eq(mcphost_status_count_leases(status), 0);
    mcphost_status_unref(status);
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_that_was_never_loaded_can_be_closed)
{
    hr_up(&hr);
    hr_down(&hr);
}
END_TEST

static void
emit_behind(struct hostrig *rig, const mcphost_event *event)
{
    static const struct mcphost_event late = {.kind = MCPHOST_EVENT_SETTLED};

    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CLOSED)
        mcph_emit(&rig->host->journal, &late);
}

/* A job of the dispatcher may still emit an event after the closed event.  The host drops
 * that event. */
START_TEST(the_closed_event_is_the_last_event) /* R108 */
{
    int settled;

    up(SHARED, NULL);
    hr.on_event = emit_behind;
    settled = hr_count(&hr, MCPHOST_EVENT_SETTLED, NULL, NULL, -1);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CLOSED, NULL, NULL, -1) == 1);
    (void)mcphost_dispatch(hr.host);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SETTLED, NULL, NULL, -1), settled);
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_can_be_closed_at_any_moment_of_a_start)
{
    for (int turns = 0; turns < 12; turns++) {
        hr_up(&hr);
        hr_server(&hr, "a", NULL, NULL);
        hr_server(&hr, "b", SHARED, "on list\n delay 20\n answer");
        hr_load_only(&hr);
        for (int i = 0; i < turns; i++)
            ck_assert_int_ge(mcphost_wait(hr.host, 5), 0);
        hr_down(&hr);
    }
}
END_TEST

/* Starts a host with two servers and returns the server `broken`.  Server `broken` has
 * failed and waits for its retry timer.  Server `linger` is slow to stop. */
static struct mcph_server *
broken_up(void)
{
    struct mcph_server *server;

    hr_up(&hr);
    hr_entry(&hr, "broken: {transport: stdio, command: /nonexistent/program}");
    hr_server(&hr, "linger", SHARED, DEAF);
    hr_load(&hr);
    server = mcph_server_find(hr.host->source, "broken");
    ck_assert(mcph_timer_is_set(&server->retry));
    return server;
}

/* R107 */
START_TEST(a_closing_host_cancels_the_retry_of_a_failed_server)
{
    struct mcph_server *server = broken_up();

    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    ck_assert(!mcph_timer_is_set(&server->retry));
    hr_down(&hr);
}
END_TEST

START_TEST(a_closing_host_starts_no_server) /* R107 */
{
    struct mcph_server *server = broken_up();
    int n;

    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    n = hr_count(&hr, MCPHOST_EVENT_SERVER, "broken", NULL, -1);
    mcph_timer_set(&server->retry, mcph_core_now(hr.host->core));
    hr_until(&hr, !mcph_timer_is_set(&server->retry));
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_SERVER, "broken", NULL, -1), n);
    hr_down(&hr);
}
END_TEST

START_TEST(mcphost_wait_ready_ends_with_e_closed_on_a_closing_host)
{
    hr_up(&hr);
    hr_server(&hr, "a", "era: legacy", "on initialize");
    hr_load_only(&hr);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 20), 0);
    ck_assert_int_eq(mcphost_close(hr.host), 0);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 1000), MCPHOST_E_CLOSED);
    hr_down(&hr);
}
END_TEST

/* ---- the last reference ------------------------------------------------------------ */

START_TEST(dropping_the_last_reference_kills_a_server_that_ignores_sigterm)
{
    int64_t began;
    int pid;

    up(NULL, DEAF);
    pid = hr_pid(&hr, d, "a_pid");
    start("a_slow", "{\"ms\":5000}");
    hr_until(&hr, rig_workspace_count(&hr.ws, "a.trace", "tools/call") == 2);
    began = mcph_clock_monotonic_ms();
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 1300);
    ck_assert(rig_is_dead(pid));
    /* The completion function does not run, but the host frees its argument. */
    ck_assert_int_eq(n_done, 0);
    ck_assert_int_eq(n_freed, 1);
    ck_assert_int_eq(mcphost_call_wait(hr.calls[1], 0), MCPHOST_E_CLOSED);
    ck_assert_int_eq(mcphost_call_cancel(hr.calls[1]), 0);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_host_that_never_dispatched_has_started_no_server)
{
    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load_only(&hr);
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "spawn"), 0);
    hr_down_ended(&hr);
}
END_TEST

struct handles {
    mcphost_config *config;
    mcphost_dialog *dialog;
    mcphost_call *call;
    mcphost_lease *lease;
    mcphost_catalog *catalog;
    mcphost_tool *tool;
    mcphost_status *status;
    mcphost_problems *problems;
    mcphost_result *result;
};

#define N_HANDLES 9

static void
take_handles(struct handles *h)
{
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &h->config, NULL), 0);
    h->call = mcphost_call_ref(start("a_echo", "{\"text\":\"x\"}"));
    ck_assert_int_eq(hr_end(&hr, h->call), 0);
    h->dialog = mcphost_dialog_ref(d);
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &h->lease), 0);
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &h->catalog), 0);
    h->tool = mcphost_tool_ref(mcphost_catalog_find_tool(h->catalog, "a_echo"));
    ck_assert_int_eq(mcphost_get_status(hr.host, &h->status), 0);
    ck_assert_int_eq(mcphost_get_problems(hr.host, &h->problems), 0);
    h->result = mcphost_result_ref(mcphost_call_get_result(h->call));
}

static void
drop_handle(struct handles *h, int which)
{
    switch (which) {
    case 0:
        mcphost_config_unref(h->config);
        break;
    case 1:
        mcphost_dialog_unref(h->dialog);
        break;
    case 2:
        mcphost_call_unref(h->call);
        break;
    case 3:
        mcphost_lease_unref(h->lease);
        break;
    case 4:
        mcphost_catalog_unref(h->catalog);
        break;
    case 5:
        mcphost_tool_unref(h->tool);
        break;
    case 6:
        mcphost_status_unref(h->status);
        break;
    case 7:
        mcphost_problems_unref(h->problems);
        break;
    default:
        mcphost_result_unref(h->result);
        break;
    }
}

/* Uses a handle after its host has ended. */
static void
use_handle(struct handles *h, int which)
{
    mcphost_catalog *catalog;
    mcphost_lease *lease;
    const char *text;
    size_t len;

    switch (which) {
    case 1:
        ck_assert_int_eq(mcphost_dialog_get_catalog(h->dialog, &catalog),
                         MCPHOST_E_CLOSED);
        ck_assert_int_eq(mcphost_dialog_get_lease(h->dialog, "a", &lease),
                         MCPHOST_E_CLOSED);
        ck_assert_int_eq(mcphost_dialog_close(h->dialog), 0);
        ck_assert_str_eq(mcphost_dialog_get_id(h->dialog), "d");
        break;
    case 2:
        ck_assert_int_eq(mcphost_call_wait(h->call, 0), 1);
        ck_assert_int_eq(mcphost_call_cancel(h->call), 0);
        ck_assert_str_eq(mcphost_tool_get_name(mcphost_call_get_tool(h->call)), "a_echo");
        break;
    case 3:
        ck_assert_int_eq(mcphost_lease_release(h->lease), 0);
        ck_assert_str_eq(mcphost_lease_get_server_id(h->lease), "a");
        break;
    case 4:
        ck_assert_uint_eq(mcphost_catalog_count_tools(h->catalog), 16);
        break;
    case 5:
        ck_assert_str_eq(mcphost_tool_get_original_name(h->tool), "echo");
        break;
    case 6:
        ck_assert_uint_eq(mcphost_status_count_leases(h->status), 1);
        break;
    case 7:
        ck_assert_uint_eq(mcphost_problems_count(h->problems), 0);
        break;
    case 8:
        ck_assert_int_eq(mcphost_result_item_get_text(h->result, 0, &text, &len), 0);
        break;
    default:
        break;
    }
}

/* Drops the handles in `mask` before the host and the other handles after the host.
 * Drops the other handles in reverse order if `backwards` is set.  If `closed` is set,
 * closes the host before the host is dropped. */
static void
end_with(unsigned mask, bool backwards, bool closed)
{
    struct handles h;

    up(NULL, NULL);
    take_handles(&h);
    while (hr.n_calls)
        mcphost_call_unref(hr.calls[--hr.n_calls]);
    mcphost_dialog_unref(hr.dialogs[--hr.n_dialogs]);
    for (int i = 0; i < N_HANDLES; i++)
        if (mask & 1u << i)
            drop_handle(&h, i);
    if (closed) {
        mcphost_close(hr.host);
        while (mcphost_wait(hr.host, 100) >= 0)
            ;
    }
    hr.host = mcphost_unref(hr.host);
    for (int i = 0; i < N_HANDLES; i++) {
        int which = backwards ? N_HANDLES - 1 - i : i;

        if (mask & 1u << which)
            continue;
        use_handle(&h, which);
        drop_handle(&h, which);
    }
    hr_down_ended(&hr);
}

/* Tests a sample of all sets of handles that can be dropped before the host. */
START_TEST(handles_may_be_dropped_before_and_after_their_host)
{
    for (unsigned mask = 0; mask < 1u << N_HANDLES; mask += 23)
        end_with(mask, mask & 8, mask & 1);
    end_with((1u << N_HANDLES) - 1, false, false);
}
END_TEST

/* ---- inside callbacks -------------------------------------------------------------- */

static void
drop_all_in_done(mcphost_call *call, void *arg)
{
    (void)arg;
    n_done++;
    mcphost_call_unref(call);
    hr.n_calls = 0;
    mcphost_dialog_unref(hr.dialogs[0]);
    hr.n_dialogs = 0;
    hr.host = mcphost_unref(hr.host);
}

START_TEST(the_last_reference_may_be_dropped_inside_done)
{
    mcphost_call *call;
    mcphost *host;
    int r = 0;

    up(NULL, NULL);
    host = hr.host;
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, drop_all_in_done, NULL, on_free), 0);
    while (hr.host && r >= 0)
        r = mcphost_wait(host, 1000);
    ck_assert_int_eq(n_done, 1);
    ck_assert_int_eq(n_freed, 1);
    hr_down_ended(&hr);
}
END_TEST

static void
drop_host_at_ready(struct hostrig *rig, const mcphost_event *event)
{
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_READY)
        rig->host = mcphost_unref(rig->host);
}

START_TEST(the_last_reference_may_be_dropped_inside_an_event)
{
    mcphost *host;

    hr_up(&hr);
    hr.on_event = drop_host_at_ready;
    hr_server(&hr, "a", NULL, NULL);
    hr_load_only(&hr);
    host = hr.host;
    while (hr.host)
        ck_assert_int_ge(mcphost_wait(host, 1000), 0);
    hr_down_ended(&hr);
}
END_TEST

static void
call_everything(mcphost_call *call, void *arg)
{
    mcphost_catalog *catalog;
    mcphost_call *next;

    (void)arg;
    n_done++;
    ck_assert_int_eq(mcphost_dispatch(hr.host), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcphost_wait(hr.host, 0), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 0), 1);
    ck_assert_int_eq(mcphost_call_wait(call, 0), MCPHOST_E_BUSY);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    mcphost_catalog_unref(catalog);
    if (n_done > 3)
        return;
    next = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(next, call_everything, NULL, on_free), 0);
}

START_TEST(in_a_callback_waits_return_e_busy_and_other_functions_work)
{
    mcphost_call *call;

    up(SHARED, NULL);
    call = hr_call(&hr, d, "a_echo", NULL);
    ck_assert_int_eq(mcphost_call_start(call, call_everything, NULL, on_free), 0);
    hr_until(&hr, n_done == 4);
    hr_until(&hr, n_freed == 4);
    hr_down(&hr);
}
END_TEST

/* ---- events ------------------------------------------------------------------------ */

static void
on_other_event(const mcphost_event *event, void *arg)
{
    (void)event;
    ++*(int *)arg;
}

static int arg_freed;

static void
on_arg_free(void *arg)
{
    (void)arg;
    arg_freed++;
}

START_TEST(a_replaced_event_function_gets_no_more_events)
{
    int heard = 0, n;

    arg_freed = 0;
    up(NULL, NULL);
    n = hr.n_events;
    ck_assert_int_eq(mcphost_set_event(hr.host, on_other_event, &heard, on_arg_free), 0);
    ck_assert_int_eq(hr.freed, 0);
    hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr.n_events, n);
    ck_assert_int_eq(hr.freed, 1);
    ck_assert_int_gt(heard, 0);
    ck_assert_int_eq(mcphost_set_event(hr.host, NULL, NULL, NULL), 0);
    ck_assert_int_eq(arg_freed, 0);
    hr_turn(&hr, 10);
    ck_assert_int_eq(arg_freed, 1);
    mcphost_close(hr.host);
    while (mcphost_wait(hr.host, 100) >= 0)
        ;
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

/* mcphost_dispatch() calls `free_arg` even if the application set `arg` without a
 * function. */
START_TEST(an_argument_without_a_function_is_freed_by_dispatch)
{
    arg_freed = 0;
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_event(hr.host, NULL, &arg_freed, on_arg_free), 0);
    ck_assert_int_eq(arg_freed, 0);
    hr_turn(&hr, 10);
    ck_assert_int_eq(arg_freed, 1);
    ck_assert_int_eq(hr.freed, 1);
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

/* ---- functions at the wrong time --------------------------------------------------- */

START_TEST(settings_that_must_precede_the_load_are_refused_after_it)
{
    static const char salt[16] = "0123456789abcdef";
    mcphost_config *config;
    int64_t value;

    hr_up(&hr);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 0), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_set_option(hr.host, 0, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_option(hr.host, 999, 1), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_GUARD, 3),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_identity(hr.host, "", "1", NULL), MCPHOST_E_INVALID);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_set_option(hr.host, MCPHOST_OPT_GUARD, 1), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_get_option(hr.host, MCPHOST_OPT_STOP_EOF, &value), 0);
    ck_assert_int_eq(value, 300);
    ck_assert_int_eq(mcphost_set_identity(hr.host, "x", "1", NULL), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, "/x"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_set_guard_path(hr.host, "x"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_verdicts(hr.host, salt, 16, "{\"verdicts\":[]}", 15),
                     MCPHOST_E_STATE);
    /* A loaded host accepts another configuration, but cannot start to follow a
     * file. */
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_load(hr.host, config), 0);
    mcphost_config_unref(config);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL),
                     MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_reload(hr.host), MCPHOST_E_STATE);
    hr_down(&hr);
}
END_TEST

START_TEST(the_id_of_an_open_dialog_cannot_be_used_again)
{
    mcphost_dialog *e;
    mcphost_error *err = NULL;

    up(NULL, NULL);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "d", NULL, &e, &err),
        MCPHOST_E_EXISTS);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "'d'"));
    mcphost_error_unref(err);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "", NULL, &e, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "\xff", NULL, &e, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(
        mcphost_dialog_new(mcphost_default_view(hr.host), "e", "root", &e, NULL), 0);
    ck_assert_str_eq(mcphost_dialog_get_root_id(e), "root");
    ck_assert_str_eq(mcphost_dialog_get_root_id(d), "d");
    mcphost_dialog_unref(e);
    hr_down(&hr);
}
END_TEST

/* The handshake sends the application's name and version to the server. */
START_TEST(initialize_sends_the_identity_that_was_set)
{
    hr_up(&hr);
    ck_assert_int_eq(mcphost_set_identity(hr.host, "my-agent", "7.1", "My Agent"), 0);
    hr_server(&hr, "a", "era: legacy", NULL);
    hr_load(&hr);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"name\":\"my-agent\""), 1);
    ck_assert_int_eq(rig_workspace_count(&hr.ws, "a.trace", "\"version\":\"7.1\""), 1);
    hr_down(&hr);
}
END_TEST

/* ---- a forked child ---------------------------------------------------------------- */

static int
child_checks(mcphost_call *call, mcphost_lease *lease)
{
    mcphost_problems *problems;
    mcphost_catalog *catalog;
    mcphost_dialog *dialog;
    mcphost_status *status;
    mcphost_lease *other;
    mcphost_call *c;
    int good = 0, n = 0;

#define FORKED(expression) (n++, good += (expression) == MCPHOST_E_FORKED)
    FORKED(mcphost_get_fd(hr.host));
    FORKED(mcphost_dispatch(hr.host));
    FORKED(mcphost_wait(hr.host, 10));
    FORKED(mcphost_wait_ready(hr.host, 10));
    FORKED(mcphost_thread_start(hr.host));
    FORKED(mcphost_thread_stop(hr.host));
    FORKED(mcphost_close(hr.host));
    FORKED(mcphost_set_option(hr.host, MCPHOST_OPT_GUARD, 1));
    FORKED(mcphost_set_environment(hr.host, NULL));
    FORKED(mcphost_set_event(hr.host, NULL, NULL, NULL));
    FORKED(mcphost_get_status(hr.host, &status));
    FORKED(mcphost_get_problems(hr.host, &problems));
    FORKED(mcphost_view_get_catalog(mcphost_default_view(hr.host), &catalog));
    FORKED(mcphost_dialog_new(mcphost_default_view(hr.host), "x", NULL, &dialog, NULL));
    FORKED(mcphost_dialog_get_catalog(d, &catalog));
    FORKED(mcphost_dialog_get_lease(d, "a", &other));
    FORKED(mcphost_dialog_close(d));
    FORKED(mcphost_call_new(d, "a_echo", NULL, 0, &c, NULL));
    FORKED(mcphost_call_start(call, NULL, NULL, NULL));
    FORKED(mcphost_call_cancel(call));
    FORKED(mcphost_call_wait(hr.calls[0], 10));
    FORKED(mcphost_lease_release(lease));
    FORKED(mcphost_call_set_trace_context(
        call, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", NULL, NULL,
        NULL));
    n++, good += mcphost_call_get_task_id(call) == NULL;
#undef FORKED
    mcphost_call_unref(call);
    mcphost_lease_unref(lease);
    mcphost_dialog_unref(d);
    mcphost_unref(hr.host);
    return good == n ? 0 : n - good;
}

START_TEST(functions_fail_in_a_forked_child_and_the_parent_goes_on)
{
    mcphost_lease *lease;
    mcphost_call *call;
    int pid, status;
    pid_t child;

    up(NULL, NULL);
    pid = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(mcphost_dialog_get_lease(d, "a", &lease), 0);
    start("a_slow", "{\"ms\":100}");
    hr_turn(&hr, 10);
    call = hr_call(&hr, d, "a_echo", NULL);
    child = fork();
    if (child == 0)
        _exit(child_checks(call, lease));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "killed by %d", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    mcphost_lease_unref(lease);
    ck_assert_int_eq(hr_end(&hr, hr.calls[1]), 0);
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), pid);
    hr_down(&hr);
}
END_TEST

/* ---- the application's loop -------------------------------------------------------- */

static void
next_call(mcphost_call *call, void *arg)
{
    (void)call;
    (void)arg;
    if (++n_done < 50)
        mcphost_call_start(hr_call(&hr, d, "a_echo", NULL), next_call, NULL, on_free);
}

static void
drive(int epfd, uint32_t how)
{
    struct epoll_event ev = {.events = EPOLLIN | how};

    ck_assert_int_eq(epoll_ctl(epfd, EPOLL_CTL_ADD, mcphost_get_fd(hr.host), &ev), 0);
    n_done = 0;
    next_call(NULL, NULL);
    n_done = 0;
    while (n_done < 50) {
        ck_assert_msg(epoll_wait(epfd, &ev, 1, 2000) == 1, "stalled after %d", n_done);
        while (mcphost_dispatch(hr.host) > 0 && how)
            ;
    }
}

START_TEST(an_edge_triggered_loop_that_dispatches_to_the_end_never_stalls)
{
    int epfd;

    up(SHARED, NULL);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    drive(epfd, EPOLLET);
    close(epfd);
    hr_down(&hr);
}
END_TEST

START_TEST(a_level_triggered_loop_may_dispatch_once_for_each_poll)
{
    int epfd;

    up(SHARED, NULL);
    epfd = epoll_create1(EPOLL_CLOEXEC);
    drive(epfd, 0);
    close(epfd);
    hr_down(&hr);
}
END_TEST

START_TEST(the_descriptor_of_an_idle_host_is_not_readable)
{
    struct pollfd p = {.events = POLLIN};

    up(SHARED, NULL);
    p.fd = mcphost_get_fd(hr.host);
    hr_say(&hr, d, "a_echo", NULL);
    while (mcphost_dispatch(hr.host) > 0)
        ;
    rig_pause(20);
    while (mcphost_dispatch(hr.host) > 0)
        ;
    ck_assert_int_eq(poll(&p, 1, 30), 0);
    start("a_slow", "{\"ms\":1}");
    ck_assert_int_eq(poll(&p, 1, 1000), 1);
    hr_down(&hr);
}
END_TEST

static void
add_ends(Suite *suite)
{
    TCase *close = test_case(suite, "close"), *last = test_case(suite, "last");
    TCase *inside = test_case(suite, "inside");

    tcase_set_timeout(close, 20);
    tcase_set_timeout(last, 20);
    tcase_add_test(close, closing_ends_calls_in_flight_and_then_the_host);
    tcase_add_test(close, a_host_that_was_never_loaded_can_be_closed);
    tcase_add_test(close, the_closed_event_is_the_last_event);
    tcase_add_test(close, a_host_can_be_closed_at_any_moment_of_a_start);
    tcase_add_test(close, a_closing_host_cancels_the_retry_of_a_failed_server);
    tcase_add_test(close, a_closing_host_starts_no_server);
    tcase_add_test(close, mcphost_wait_ready_ends_with_e_closed_on_a_closing_host);

    tcase_add_test(last, dropping_the_last_reference_kills_a_server_that_ignores_sigterm);
    tcase_add_test(last, a_host_that_never_dispatched_has_started_no_server);
    tcase_add_test(last, handles_may_be_dropped_before_and_after_their_host);

    tcase_add_test(inside, the_last_reference_may_be_dropped_inside_done);
    tcase_add_test(inside, the_last_reference_may_be_dropped_inside_an_event);
    tcase_add_test(inside, in_a_callback_waits_return_e_busy_and_other_functions_work);
}

static void
add(Suite *suite)
{
    TCase *events = test_case(suite, "events"), *state = test_case(suite, "state");
    TCase *fork = test_case(suite, "fork"), *loops = test_case(suite, "loops");

    add_ends(suite);
    tcase_add_test(events, a_replaced_event_function_gets_no_more_events);
    tcase_add_test(events, an_argument_without_a_function_is_freed_by_dispatch);

    tcase_add_test(state, settings_that_must_precede_the_load_are_refused_after_it);
    tcase_add_test(state, the_id_of_an_open_dialog_cannot_be_used_again);
    tcase_add_test(state, initialize_sends_the_identity_that_was_set);

    tcase_add_test(fork, functions_fail_in_a_forked_child_and_the_parent_goes_on);

    tcase_add_test(loops, an_edge_triggered_loop_that_dispatches_to_the_end_never_stalls);
    tcase_add_test(loops, a_level_triggered_loop_may_dispatch_once_for_each_poll);
    tcase_add_test(loops, the_descriptor_of_an_idle_host_is_not_readable);
}

int
main(void)
{
    return test_main("host-life", add);
}
