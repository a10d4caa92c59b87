/* SPDX-License-Identifier: MIT
 *
 * test_host_lists.c - lists of tools that take several turns of the dispatcher, and
 * changes during these turns.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "host/call.h"
#include "host/dialog.h"
#include "host/host.h"
#include "support/hostrig.h"

static struct hostrig hr;
static mcphost_dialog *d;

#define SHARED "truely-stateless: true"
#define FEW    "era legacy\nno-tools\ntool grow\ntool pid\n"
#define GROWS  "on call:grow\n use many\n changed\n text grown\n"
#define MANY   "no-tools\ngenerate 20000\n"

static bool
is_making(void)
{
    return !mcph_list_empty(&hr.host->source->makings);
}

static size_t
n_tools(const char *server)
{
    size_t n = 0;

    mcph_core_lock(hr.host->core);
    for (size_t i = 0; i < hr.host->source->servers.n; i++) {
        const struct mcph_server *s = hr.host->source->servers.items[i];

        if (mcph_streq(s->id, server))
            n = s->tools;
    }
    mcph_core_unlock(hr.host->core);
    return n;
}

/* Dispatches until no list is being made.  Returns the number of turns. */
static int
count_turns(void)
{
    int n = 0;

    for (int64_t end = hr_deadline(); is_making() && hr_in_time(end); n++)
        hr_turn(&hr, 10);
    ck_assert(!is_making());
    return n;
}

static void
up_in_the_middle(void)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "b", SHARED, "no-tools\ntool pid\n");
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_server(&hr, "a", SHARED, MANY);
    hr_load_only(&hr);
    hr_until(&hr, is_making());
}

/* Starts a server that answers two calls and then changes its list to 20,000 tools.
 * Returns while the list is being made. */
static void
grow_in_the_middle(const char *keys)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_RESTART_DELAY, 1);
    hr_server(&hr, "a", keys, FEW GROWS "set many\n" MANY);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    hr_pid(&hr, d, "a_pid");
    ck_assert_str_eq(hr_say(&hr, d, "a_grow", NULL), "grown");
    hr_until(&hr, is_making());
}

START_TEST(other_servers_answer_while_a_long_list_is_made)
{
    up_in_the_middle();
    ck_assert_int_eq(hr_server_state(&hr, "a"), MCPHOST_SERVER_STARTING);
    hr_pid(&hr, d, "b_pid");
    count_turns();
    hr_until(&hr, hr_server_state(&hr, "a") == MCPHOST_SERVER_LOADED);
    ck_assert_uint_eq(n_tools("a"), 20000);
    ck_assert(hr_has(&hr, "a_t0") && hr_has(&hr, "a_t19999"));
    hr_down(&hr);
}
END_TEST

START_TEST(a_short_list_is_made_in_the_turn_in_which_it_arrives)
{
    bool seen = false;

    hr_up(&hr);
    hr_server(&hr, "a", SHARED, "no-tools\ngenerate 500\n");
    hr_load_only(&hr);
    hr_until(&hr, (seen |= is_making()) || hr_has(&hr, "a_t0"));
    ck_assert(!seen);
    ck_assert_uint_eq(n_tools("a"), 500);
    hr_down(&hr);
}
END_TEST

/* The dispatcher may run a job several times in a turn, but the host makes only one step
 * of a list in each turn. */
START_TEST(a_list_of_20000_tools_takes_at_least_ten_turns)
{
    up_in_the_middle();
    ck_assert_int_ge(count_turns(), 10);
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_can_be_closed_while_a_list_is_made)
{
    up_in_the_middle();
    hr_down(&hr);
}
END_TEST

START_TEST(a_host_can_be_freed_while_a_list_is_made)
{
    up_in_the_middle();
    hr.host = mcphost_unref(hr.host);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(a_server_removed_while_its_list_is_made_never_shows_the_list)
{
    up_in_the_middle();
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, "no-tools\ntool pid\n");
    hr_load_only(&hr);
    hr_until(&hr, !is_making());
    hr_turn(&hr, 10);
    ck_assert(!hr_has(&hr, "a_t0"));
    hr_pid(&hr, d, "b_pid");
    hr_down(&hr);
}
END_TEST

START_TEST(a_server_restarted_while_its_list_is_made_lists_again)
{
    up_in_the_middle();
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, "no-tools\ntool pid\n");
    hr_server(&hr, "a", SHARED "\nenv: {OTHER: x}", MANY);
    hr_load_only(&hr);
    hr_until(&hr, !is_making());
    ck_assert(!hr_has(&hr, "a_t0"));
    hr_until(&hr, hr_has(&hr, "a_t19999"));
    ck_assert_uint_eq(n_tools("a"), 20000);
    hr_down(&hr);
}
END_TEST

/* A changed filter takes effect, whether the edit comes while the host reads the list or
 * while the host decides names. */
START_TEST(a_filter_edited_while_a_list_is_made_takes_effect)
{
    up_in_the_middle();
    for (int i = 0; i < 2 * _i; i++)
        hr_turn(&hr, 10);
    ck_assert(is_making());
    hr_edit(&hr);
    hr_server(&hr, "b", SHARED, "no-tools\ntool pid\n");
    hr_server(&hr, "a", SHARED "\ntools: {blacklist: [t0]}", MANY);
    hr_load_only(&hr);
    hr_until(&hr, hr_has(&hr, "a_t19999"));
    ck_assert(!hr_has(&hr, "a_t0"));
    ck_assert_uint_eq(n_tools("a"), 19999);
    hr_down(&hr);
}
END_TEST

START_TEST(a_server_that_dies_while_its_list_is_made_keeps_its_old_tools)
{
    pid_t pid;

    grow_in_the_middle(SHARED);
    pid = (pid_t)hr_server_pid(&hr, "a");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    for (int64_t end = hr_deadline(); kill(pid, 0) == 0; usleep(1000))
        ck_assert(hr_in_time(end)); /* the host notices the death in its next turn */
    hr_until(&hr,
             hr_count(&hr, MCPHOST_EVENT_INSTANCE, "a", NULL, MCPHOST_INSTANCE_DEAD) > 0);
    ck_assert(!is_making());
    ck_assert(hr_has(&hr, "a_grow"));
    hr_down(&hr);
}
END_TEST

START_TEST(a_changed_list_is_shown_once_it_is_complete)
{
    grow_in_the_middle(SHARED);
    ck_assert(hr_has(&hr, "a_grow") && !hr_has(&hr, "a_t0"));
    count_turns();
    hr_until(&hr, hr_has(&hr, "a_t19999"));
    ck_assert_uint_eq(n_tools("a"), 20000);
    hr_down(&hr);
}
END_TEST

START_TEST(a_long_list_of_a_dialogs_own_instance_is_shown_to_that_dialog_only)
{
    mcphost_call *call;

    grow_in_the_middle(NULL);
    count_turns();
    ck_assert_int_eq(mcphost_call_new(d, "a_t19999", NULL, 0, &call, NULL), 0);
    mcphost_call_unref(call);
    ck_assert(hr_has(&hr, "a_grow") && !hr_has(&hr, "a_t19999"));
    hr_down(&hr);
}
END_TEST

START_TEST(a_lease_released_while_its_list_is_made_discards_the_list)
{
    grow_in_the_middle(NULL);
    hr_release(d, "a");
    hr_until(&hr, !is_making());
    hr_until(&hr, hr_leases(&hr) == 0);
    ck_assert_str_eq(hr_tools(&hr, d), HR_ADMIN " a_grow a_pid");
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "lists");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, other_servers_answer_while_a_long_list_is_made);
    tcase_add_test(tc, a_short_list_is_made_in_the_turn_in_which_it_arrives);
    tcase_add_test(tc, a_list_of_20000_tools_takes_at_least_ten_turns);
    tcase_add_test(tc, a_host_can_be_closed_while_a_list_is_made);
    tcase_add_test(tc, a_host_can_be_freed_while_a_list_is_made);
    tcase_add_test(tc, a_server_removed_while_its_list_is_made_never_shows_the_list);
    tcase_add_test(tc, a_server_restarted_while_its_list_is_made_lists_again);
    tcase_add_loop_test(tc, a_filter_edited_while_a_list_is_made_takes_effect, 0, 6);
    tcase_add_test(tc, a_server_that_dies_while_its_list_is_made_keeps_its_old_tools);
    tcase_add_test(tc, a_changed_list_is_shown_once_it_is_complete);
    tcase_add_test(tc,
                   a_long_list_of_a_dialogs_own_instance_is_shown_to_that_dialog_only);
    tcase_add_test(tc, a_lease_released_while_its_list_is_made_discards_the_list);
}

int
main(void)
{
    return test_main("host-lists", add);
}
