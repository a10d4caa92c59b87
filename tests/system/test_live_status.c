/* SPDX-License-Identifier: MIT
 *
 * test_live_status.c - the list of servers in the status, and the delays before the host
 * starts a failed server again.
 */
#include <stdio.h>
#include <string.h>

#include "host/host.h"
#include "support/hostrig.h"

#define SHARED "truely-stateless: true"
#define FEW    "no-tools\ntool echo\ntool pid\n"

static struct hostrig hr;

/* Returns the states of all servers as "id state; ...". */
static const char *
states(void)
{
    static char text[512];
    mcphost_status *status;
    size_t len = 0;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    text[0] = '\0';
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %d", i ? "; " : "",
                                mcphost_status_server_get_id(status, i),
                                mcphost_status_server_get_state(status, i));
        ck_assert_int_eq(mcphost_status_server_get_transport(status, i),
                         strcmp(mcphost_status_server_get_id(status, i), "bad") == 0
                             ? MCPHOST_TRANSPORT_NONE
                             : MCPHOST_TRANSPORT_STDIO);
    }
    mcphost_status_unref(status);
    return text;
}

static void
servers(bool reversed)
{
    hr_edit(&hr);
    for (int i = 0; i < 5; i++) {
        switch (reversed ? 4 - i : i) {
        case 0:
            hr_server(&hr, "works", SHARED, FEW);
            break;
        case 1:
            hr_server(&hr, "slow", "era: legacy", "on initialize\n delay 60000\n answer");
            break;
        case 2:
            hr_entry(&hr, "dead: {transport: stdio, command: /no/such/program}");
            break;
        case 3:
            hr_entry(&hr, "bad: {transport: carrier-pigeon}");
            break;
        default:
            hr_entry(&hr, "off: {transport: stdio, command: x, enabled: false}");
        }
    }
}

/* R117 B.17 */
START_TEST(servers_are_listed_with_their_states_in_the_order_of_the_file)
{
    char expected[128];
    int pid;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_option(&hr, MCPHOST_OPT_START_TIMEOUT, 50000);
    servers(false);
    hr_save(&hr);
    ck_assert_int_eq(mcphost_load_workspace(hr.host, hr.ws.dir, NULL, NULL), 0);
    snprintf(expected, sizeof(expected), "works %d; slow %d; dead %d; bad %d; off %d",
             MCPHOST_SERVER_LOADED, MCPHOST_SERVER_STARTING, MCPHOST_SERVER_UNAVAILABLE,
             MCPHOST_SERVER_CONFIG_INVALID, MCPHOST_SERVER_DISABLED);
    hr_until(&hr, strcmp(states(), expected) == 0);
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "dead"), "/no/such/program"));
    ck_assert_ptr_nonnull(strstr(hr_server_why(&hr, "bad"), "streamable_http"));
    ck_assert_str_eq(hr_server_why(&hr, "works"), "");
    pid = hr_pid(&hr, hr_dialog(&hr, "d"), "works_pid");
    servers(true);
    hr_reload(&hr);
    snprintf(expected, sizeof(expected), "off %d; bad %d; dead %d; slow %d; works %d",
             MCPHOST_SERVER_DISABLED, MCPHOST_SERVER_CONFIG_INVALID,
             MCPHOST_SERVER_UNAVAILABLE, MCPHOST_SERVER_STARTING, MCPHOST_SERVER_LOADED);
    hr_until(&hr, strcmp(states(), expected) == 0);
    ck_assert_int_eq((int)hr_server_pid(&hr, "works"), pid);
    hr_down(&hr);
}
END_TEST

/* ---- retries ----------------------------------------------------------------------- */

#define FAILURES 16

static struct {
    struct mcph_job job;
    int64_t wait[FAILURES]; /* ms before each retry; -1 means no retry */
} failing;

static void
run_failing(struct mcph_job *job)
{
    struct mcph_server *server = mcph_server_find(hr.host->source, "a");
    mcphost_error *err = NULL;

    (void)job;
    mcph_err(&err, MCPHOST_E_SPAWN, "does not start");
    for (int i = 0; i < FAILURES; i++) {
        mcph_server_unavailable(server, err);
        failing.wait[i] = mcph_timer_is_set(&server->retry)
                              ? server->retry.due - mcph_core_now(hr.host->core)
                              : -1;
    }
    mcphost_error_unref(err);
}

static void
fail_often(void)
{
    failing.job.run = run_failing;
    mcph_list_init(&failing.job.link);
    mcph_core_post(hr.host->core, &failing.job);
    hr_turn(&hr, 5);
}

/* B.16 */
START_TEST(the_retry_delay_doubles_up_to_60_seconds_and_has_jitter)
{
    int different = 0;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_server(&hr, "a", NULL, FEW);
    hr_follow(&hr);
    fail_often();
    for (int i = 0; i < FAILURES; i++) {
        int64_t most = i < 6 ? (int64_t)1000 << i : 60000;

        ck_assert_int_le(failing.wait[i], most);
        ck_assert_int_ge(failing.wait[i], most * 4 / 5 - 50);
        different += i > 6 && failing.wait[i] != failing.wait[i - 1];
    }
    ck_assert_int_gt(different, 0);
    /* A reload of the file resets the delay. */
    hr_reload(&hr);
    fail_often();
    ck_assert_int_le(failing.wait[0], 1000);
    hr_down(&hr);
}
END_TEST

START_TEST(without_the_retry_option_no_retry_is_scheduled) /* B.16 */
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_RETRY, 0);
    hr_server(&hr, "a", NULL, FEW);
    hr_follow(&hr);
    fail_often();
    for (int i = 0; i < FAILURES; i++)
        ck_assert_int_eq(failing.wait[i], -1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "states");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, servers_are_listed_with_their_states_in_the_order_of_the_file);

    tc = test_case(suite, "retry");
    tcase_add_test(tc, the_retry_delay_doubles_up_to_60_seconds_and_has_jitter);
    tcase_add_test(tc, without_the_retry_option_no_retry_is_scheduled);
}

int
main(void)
{
    return test_main("live-status", add);
}
