/* SPDX-License-Identifier: MIT
 *
 * test_host_prolong.c - timeouts of calls of built-in tools, with progress and without.
 *
 * The rules for calls of a server's tool (test_client_deadlines.c) also apply to
 * built-in tools.
 */
#include <string.h>

#include "base/base.h"
#include "host/host.h"
#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

/* State of the application that provides the tool. */
static struct {
    mcphost_call *call; /* a reference to the last call that the tool got */
    int runs, told;
} app;

static int
keep_call(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arguments;
    (void)len;
    (void)arg;
    app.runs++;
    mcphost_call_unref(app.call);
    app.call = mcphost_call_ref(call);
    return 0;
}

/* The clock of the host, in milliseconds.  Only the tests advance the clock. */
static int64_t clock_ms;

static int64_t
now_ms(void *arg)
{
    (void)arg;
    return clock_ms;
}

static void
up(void)
{
    memset(&app, 0, sizeof(app));
    clock_ms = mcph_clock_monotonic_ms();
    hr_up(&hr);
    mcph_core_set_clock(hr.host->core, now_ms, NULL);
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "s", "t",
                                              "d", "{}", keep_call, NULL, NULL, NULL),
                     0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
down(void)
{
    app.call = mcphost_call_unref(app.call);
    hr_down(&hr);
}

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t len, void *arg)
{
    (void)call;
    (void)progress;
    (void)total;
    (void)message;
    (void)len;
    (void)arg;
    app.told++;
}

/* Starts a call that the tool keeps and does not answer.  Counts the progress of the call
 * in app.told. */
static mcphost_call *
start_kept_call(int64_t timeout_ms, int resets, int64_t max_ms)
{
    mcphost_call *call = hr_call(&hr, d, "t", "{}");
    int runs = app.runs;

    ck_assert_int_eq(mcphost_call_set_timeout(call, timeout_ms, resets, max_ms), 0);
    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, NULL, NULL), 0);
    hr_go(call);
    hr_until(&hr, app.runs > runs);
    return call;
}

static void
advance_clock(int ms)
{
    clock_ms += ms;
    hr_turn(&hr, 0);
    hr_turn(&hr, 0);
}

/* Reports progress of the call and checks that on_progress() runs. */
static void
report_progress(mcphost_call *call)
{
    int told = app.told;

    ck_assert_int_eq(mcphost_call_report_progress(call, 1, 2, NULL, 0), 0);
    advance_clock(0);
    ck_assert_int_gt(app.told, told);
}

/* R24 */
START_TEST(progress_resets_a_calls_timeout_only_if_the_call_asks_for_it)
{
    mcphost_call *call;

    up();
    call = start_kept_call(100, 1, -1);
    for (int i = 0; i < 5; i++) {
        advance_clock(60);
        ck_assert(!mcphost_call_is_done(call));
        report_progress(call);
    }
    advance_clock(99);
    ck_assert(!mcphost_call_is_done(call));
    advance_clock(1);
    ck_assert(mcphost_call_is_done(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    /* Progress does not reset this call's timeout. */
    call = start_kept_call(100, 0, -1);
    advance_clock(60);
    report_progress(call);
    advance_clock(39);
    ck_assert(!mcphost_call_is_done(call));
    advance_clock(1);
    ck_assert(mcphost_call_is_done(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    down();
}
END_TEST

START_TEST(a_call_ends_at_its_maximum_in_spite_of_progress) /* R24 */
{
    static const struct {
        int64_t timeout_ms;
        int resets;
    } rows[] = {{100, 1}, {-1, 1}, {-1, 0}, {1000, 0}};
    mcphost_call *call;

    up();
    call = start_kept_call(rows[_i].timeout_ms, rows[_i].resets, 350);
    for (int i = 0; i < 5; i++) {
        advance_clock(60);
        report_progress(call);
    }
    advance_clock(49);
    ck_assert(!mcphost_call_is_done(call));
    advance_clock(1);
    ck_assert(mcphost_call_is_done(call));
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_TIMEOUT);
    down();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "prolong");

    tcase_add_test(tc, progress_resets_a_calls_timeout_only_if_the_call_asks_for_it);
    tcase_add_loop_test(tc, a_call_ends_at_its_maximum_in_spite_of_progress, 0, 4);
}

int
main(void)
{
    return test_main("host-prolong", add);
}
