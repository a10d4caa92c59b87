/* SPDX-License-Identifier: MIT
 *
 * test_host_close.c - closing with a deadline, and kept events and texts that outlive the
 * host.
 */
#include <pthread.h>
#include <string.h>

#include "support/hostrig.h"

#define DEAF "ignore eof\nignore term"

static struct hostrig hr;

/* Starts a server that ignores both the end of its input and SIGTERM.  Only a deadline
 * can end the server in time, because the host waits 10 minutes after the end of input
 * and 10 minutes after SIGTERM.  Returns the server's process id. */
static int
deaf_up(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_STOP_EOF, 600000);
    hr_option(&hr, MCPHOST_OPT_STOP_TERM, 600000);
    hr_server(&hr, "a", NULL, DEAF);
    hr_load(&hr);
    return hr_pid(&hr, hr_dialog(&hr, "d"), "a_pid");
}

static void
check_end(int pid)
{
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_CLOSED, NULL, NULL, -1) == 1);
    ck_assert(rig_is_dead(pid));
    ck_assert_int_eq(mcphost_dispatch(hr.host), MCPHOST_E_CLOSED);
    hr_down(&hr);
}

/* R108 */
START_TEST(a_server_that_has_not_ended_at_the_deadline_is_killed)
{
    int pid = deaf_up();

    ck_assert_int_eq(mcphost_close_within(hr.host, 20), 0);
    check_end(pid);
}
END_TEST

START_TEST(of_several_deadlines_the_earliest_holds) /* R108 */
{
    int pid = deaf_up();

    ck_assert_int_eq(mcphost_close(hr.host), 0);
    hr_turn(&hr, 20);
    ck_assert_int_eq(mcphost_close_within(hr.host, 500000), 0);
    ck_assert_int_eq(mcphost_close_within(hr.host, 0), 0);
    ck_assert_int_eq(mcphost_close_within(hr.host, -1), 0);
    ck_assert_int_eq(mcphost_close_within(hr.host, 600000), 0);
    check_end(pid);
}
END_TEST

START_TEST(a_very_late_deadline_kills_no_server)
{
    int pid = deaf_up();

    ck_assert_int_eq(mcphost_close_within(hr.host, -2), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_close_within(NULL, 0), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_close_within(hr.host, INT64_MAX), 0);
    hr_turn(&hr, 30);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_CLOSED, NULL, NULL, -1), 0);
    ck_assert_int_eq(mcphost_close_within(hr.host, 0), 0);
    check_end(pid);
}
END_TEST

/* ---- kept events ------------------------------------------------------------------- */

static mcphost_event *kept[64];
static int n_kept;

static void
keep_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    if (n_kept < 64)
        kept[n_kept++] = mcphost_event_ref(event);
}

static void *
read_kept_events(void *arg)
{
    int *closed = arg;

    for (int i = 0; i < n_kept; i++) {
        const mcphost_event *e = kept[i];

        *closed += mcphost_event_get_kind(e) == MCPHOST_EVENT_CLOSED;
        if (mcphost_event_get_kind(e) == MCPHOST_EVENT_INSTANCE &&
            strcmp(mcphost_event_get_server_id(e), "a") != 0)
            *closed += 100;
        if (mcphost_event_get_kind(e) == MCPHOST_EVENT_PROBLEM)
            *closed += mcphost_problem_get_id(mcphost_event_get_problem(e)) ? 0 : 100;
        kept[i] = mcphost_event_unref(kept[i]);
    }
    return NULL;
}

START_TEST(a_kept_event_outlives_the_host_and_any_thread_may_read_it)
{
    pthread_t thread;
    int closed = 0;

    n_kept = 0;
    hr_up(&hr);
    hr.on_event = keep_event;
    hr_server(&hr, "a", NULL, NULL);
    hr_entry(&hr, "bad: {transport: stdio}");
    hr_load(&hr);
    hr_say(&hr, hr_dialog(&hr, "d"), "a_echo", "{\"text\":\"x\"}");
    hr_close(&hr);
    ck_assert_int_gt(n_kept, 4);
    ck_assert_int_eq(pthread_create(&thread, NULL, read_kept_events, &closed), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(closed, 1);
    ck_assert_ptr_null(mcphost_event_ref(NULL));
    ck_assert_ptr_null(mcphost_event_unref(NULL));
    hr_clear(&hr);
}
END_TEST

/* ---- texts that the caller owns ---------------------------------------------------- */

START_TEST(verdict_texts_outlive_the_host)
{
    static const char salt[16] = "0123456789abcdef";
    char *one = NULL, *two = NULL;
    size_t len = 0;

    hr_up(&hr);
    hr_server(&hr, "a", NULL, NULL);
    hr_load(&hr);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 16, &one, &len), 0);
    ck_assert_int_eq(mcphost_get_verdicts(hr.host, salt, 16, &two, &len), 0);
    ck_assert_ptr_ne(one, two);
    hr_close(&hr);
    ck_assert_str_eq(one, two);
    ck_assert_uint_eq(strlen(one), len);
    mcphost_free(one);
    mcphost_free(two);
    mcphost_free(NULL);
    hr_clear(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "close");

    tcase_add_test(tc, a_server_that_has_not_ended_at_the_deadline_is_killed);
    tcase_add_test(tc, of_several_deadlines_the_earliest_holds);
    tcase_add_test(tc, a_very_late_deadline_kills_no_server);
    tcase_add_test(tc, a_kept_event_outlives_the_host_and_any_thread_may_read_it);
    tcase_add_test(tc, verdict_texts_outlive_the_host);
}

int
main(void)
{
    return test_main("host-close", add);
}
