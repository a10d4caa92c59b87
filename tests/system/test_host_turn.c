/* SPDX-License-Identifier: MIT
 *
 * test_host_turn.c - handles of dialog turns: overlapping, nested, stale, and
 * longer-lived than their dialogs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/hostrig.h"

#define FEW    "no-tools\ntool echo\ntool pid\n"
#define SHARED "truely-stateless: true"

enum { SUCCESSOR = MCPHOST_REMOVED_SUCCESSOR, SERVE = MCPHOST_REMOVED_SERVE };

static struct hostrig hr;
static mcphost_dialog *d, *e;

static void
up(int policy, const char *keys)
{
    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_REMOVED, policy);
    hr_option(&hr, MCPHOST_OPT_FIRST_LEASE_WAIT, 0);
    hr_server(&hr, "a", keys, FEW);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    e = hr_dialog(&hr, "e");
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "x"), 0);
    ck_assert_int_eq(mcphost_dialog_set_agent(e, "x"), 0);
}

/* Loads a configuration with the server `id` only.  Waits until the catalog has
 * exactly the tools `shown`. */
static void
edit(const char *id, const char *keys, const char *shown)
{
    hr_edit(&hr);
    hr_server(&hr, id, keys, FEW);
    hr_load_only(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), shown) == 0);
}

static mcphost_turn *
begin(mcphost_dialog *dialog)
{
    mcphost_turn *turn = NULL;

    ck_assert_int_eq(mcphost_turn_new(dialog, &turn), 0);
    ck_assert_ptr_nonnull(turn);
    return turn;
}

static bool
has(mcphost_turn *turn, const char *tool)
{
    mcphost_catalog *catalog;
    bool found;

    ck_assert_int_eq(mcphost_turn_get_catalog(turn, &catalog), 0);
    found = mcphost_catalog_find_tool(catalog, tool) != NULL;
    mcphost_catalog_unref(catalog);
    return found;
}

/* Runs a call in a turn.  Returns the number in the call's answer, or the call's error
 * code. */
static int
call_in(mcphost_dialog *dialog, mcphost_turn *turn, const char *tool)
{
    mcphost_call *call;
    int r = mcphost_call_new_in_turn(dialog, turn, tool, NULL, 0, &call, NULL);

    if (r < 0)
        return r;
    hr_go(call);
    r = hr_end(&hr, call);
    if (r == 0)
        r = (int)strtol(hr_text(&hr, call), NULL, 10);
    mcphost_call_unref(call);
    return r;
}

/* ---- turns at the same time -------------------------------------------------------- */

/* R96, R198, K2: tests both policies for removed servers, with turns in one dialog and in
 * two dialogs. */
START_TEST(overlapping_turns_of_an_agent_keep_their_own_catalogs)
{
    static const struct {
        int policy;
        bool two;
    } rows[] = {{SUCCESSOR, false}, {SUCCESSOR, true}, {SERVE, false}, {SERVE, true}};
    mcphost_dialog *other;
    mcphost_turn *old, *new;
    int pid;

    up(rows[_i].policy, "scope: agent");
    other = rows[_i].two ? e : d;
    old = begin(d);
    pid = call_in(d, old, "a_pid");
    ck_assert_int_gt(pid, 0);
    edit("b", "scope: agent", "b_echo b_pid");
    new = begin(other);
    ck_assert(has(old, "a_pid") && !has(old, "b_pid"));
    ck_assert(has(new, "b_pid") && !has(new, "a_pid"));
    ck_assert_int_gt(call_in(other, new, "b_pid"), 0);
    ck_assert_int_eq(call_in(d, old, "b_pid"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(call_in(other, new, "a_pid"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(call_in(d, old, "a_pid"),
                     rows[_i].policy == SERVE ? pid : MCPHOST_E_GONE);
    mcphost_turn_unref(new);
    ck_assert(has(old, "a_pid"));
    mcphost_turn_unref(old);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(nested_turns_of_a_dialog_end_in_any_order)
{
    mcphost_turn *outer, *inner;
    int old, new;

    up(SERVE, NULL);
    outer = begin(d);
    old = call_in(d, outer, "a_pid");
    hr_edit(&hr);
    hr_server(&hr, "a", "env: {GENERATION: \"2\"}", FEW "tool more\n");
    hr_load_only(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "a_echo a_pid a_more") == 0);
    inner = begin(d);
    new = call_in(d, inner, "a_pid");
    ck_assert_int_ne(new, old);
    ck_assert_int_eq(call_in(d, outer, "a_pid"), old);
    mcphost_turn_unref(_i ? inner : outer);
    ck_assert_int_eq(call_in(d, _i ? outer : inner, "a_pid"), _i ? old : new);
    mcphost_turn_unref(_i ? outer : inner);
    hr_until(&hr, rig_is_dead(old));
    ck_assert(!rig_is_dead(new));
    hr_down(&hr);
}
END_TEST

/* R96: the agent's other dialog gets the process of the edited server. */
START_TEST(a_turn_keeps_the_lease_of_its_own_dialog_only)
{
    mcphost_turn *turn;
    int old, new;

    up(SERVE, "scope: agent");
    old = hr_pid(&hr, d, "a_pid");
    ck_assert_int_eq(hr_pid(&hr, e, "a_pid"), old);
    turn = begin(d);
    hr_edit(&hr);
    hr_server(&hr, "a", "scope: agent\nenv: {EDITION: \"2\"}", FEW "tool more\n");
    hr_load_only(&hr);
    hr_until(&hr, strcmp(hr_tools(&hr, NULL), "a_echo a_pid a_more") == 0);
    hr_until(&hr, hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "e", 0) == 1);
    ck_assert_int_eq(hr_count(&hr, MCPHOST_EVENT_LEASE, "a", "d", 0), 0);
    new = hr_pid(&hr, e, "a_pid");
    ck_assert_int_ne(new, old);
    ck_assert_int_eq(call_in(d, turn, "a_pid"), old);
    mcphost_turn_unref(turn);
    hr_until(&hr, rig_is_dead(old));
    ck_assert_int_eq(hr_pid(&hr, d, "a_pid"), new);
    hr_down(&hr);
}
END_TEST

/* The process ends with the last turn that shows the removed server. */
START_TEST(a_removed_server_serves_until_the_last_of_two_turns_ends)
{
    mcphost_turn *one, *two;
    int pid;

    up(SERVE, SHARED);
    one = begin(d);
    two = begin(e);
    pid = call_in(d, one, "a_pid");
    edit("b", SHARED, "b_echo b_pid");
    ck_assert_int_eq(mcphost_turn_end(one), 0);
    ck_assert_int_eq(mcphost_turn_end(one), 0);
    ck_assert_int_eq(call_in(d, one, "a_pid"), MCPHOST_E_GONE);
    ck_assert_int_eq(call_in(e, two, "a_pid"), pid);
    mcphost_turn_unref(one);
    mcphost_turn_unref(two);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(a_turn_of_a_view_can_be_used_by_all_its_dialogs)
{
    mcphost_turn *turn = NULL;
    mcphost_dialog *other;
    mcphost_grant *grant;
    mcphost_view *view;
    int pid;

    up(SERVE, NULL);
    ck_assert_int_eq(mcphost_turn_new_view(mcphost_default_view(hr.host), "x", &turn), 0);
    pid = hr_pid(&hr, d, "a_pid");
    edit("b", NULL, "b_echo b_pid");
    ck_assert_int_eq(call_in(d, turn, "a_pid"), pid);
    ck_assert_int_gt(call_in(e, turn, "a_pid"), 0);
    ck_assert_int_eq(call_in(e, turn, "b_pid"), MCPHOST_E_NOTFOUND);

    grant = hr_grant("*", NULL);
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "f", NULL, &other, NULL), 0);
    ck_assert_int_eq(call_in(other, turn, "a_pid"), MCPHOST_E_INVALID);
    mcphost_dialog_unref(other);
    mcphost_view_unref(view);
    mcphost_grant_unref(grant);
    mcphost_turn_unref(turn);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

/* ---- the end of turns -------------------------------------------------------------- */

START_TEST(a_turn_outlives_its_dialog)
{
    mcphost_turn *turn, *none = NULL;
    mcphost_call *call;
    int pid;

    up(SERVE, SHARED);
    turn = begin(d);
    pid = call_in(d, turn, "a_pid");
    mcphost_dialog_close(d);
    edit("b", SHARED, "b_echo b_pid");
    ck_assert(has(turn, "a_pid"));
    ck_assert_int_eq(mcphost_call_new_in_turn(d, turn, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_CLOSED);
    ck_assert_int_eq(call_in(e, turn, "a_pid"), MCPHOST_E_INVALID);
    ck_assert(!rig_is_dead(pid));
    ck_assert_int_eq(mcphost_turn_new(d, &none), MCPHOST_E_CLOSED);
    ck_assert_ptr_null(none);
    mcphost_turn_unref(turn);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

START_TEST(a_turn_outlives_its_host)
{
    mcphost_turn *turn;

    up(_i, NULL);
    turn = mcphost_turn_ref(begin(d));
    mcphost_turn_unref(turn);
    call_in(d, turn, "a_pid");
    hr.host = mcphost_unref(hr.host);
    ck_assert(has(turn, "a_pid"));
    ck_assert_int_eq(mcphost_turn_is_stale(turn), 0);
    ck_assert_int_eq(mcphost_turn_end(turn), 0);
    mcphost_turn_unref(turn);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(wrong_arguments_of_turn_functions_are_refused)
{
    mcphost_turn *turn;
    mcphost_catalog *catalog;
    mcphost_call *call;

    up(SUCCESSOR, NULL);
    turn = begin(d);
    ck_assert_int_eq(mcphost_turn_new(NULL, &turn), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_new(d, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_new_view(NULL, NULL, &turn), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_new_view(mcphost_default_view(hr.host), "", &turn),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_end(NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_get_catalog(NULL, &catalog), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_get_catalog(turn, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_turn_is_stale(NULL), 0);
    ck_assert_int_eq(mcphost_call_new_in_turn(d, NULL, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_call_new_in_turn(e, turn, "a_pid", NULL, 0, &call, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_invalidate_agent(NULL, "x"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, ""), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, "\xff"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_invalidate_view(NULL), MCPHOST_E_INVALID);
    ck_assert_ptr_null(mcphost_turn_ref(NULL));
    ck_assert_ptr_null(mcphost_turn_unref(turn));
    hr_down(&hr);
}
END_TEST

/* ---- invalidation ------------------------------------------------------------------ */

static void
invalidate(bool view)
{
    int r = view ? mcphost_invalidate_view(mcphost_default_view(hr.host))
                 : mcphost_invalidate_agent(hr.host, "x");

    ck_assert_int_eq(r, 0);
}

/* R198, R199, R200, B.36, K2: invalidating an agent makes the open turns of this agent
 * stale.  Invalidating a view makes the open turns of all its dialogs stale.  The host
 * reads the file again, even with MCPHOST_RELOAD_EXPLICIT, so that the next turn sees the
 * edit. */
START_TEST(an_invalidated_agents_next_turn_reads_the_file_again)
{
    mcphost_turn *old, *others, *new;
    mcphost_dialog *f;
    bool view = _i != 0;

    hr_up(&hr);
    hr_option(&hr, MCPHOST_OPT_ADMIN_TOOLS, 0);
    hr_option(&hr, MCPHOST_OPT_RELOAD, MCPHOST_RELOAD_EXPLICIT);
    hr_option(&hr, MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE);
    hr_server(&hr, "a", NULL, FEW);
    hr_follow(&hr);
    d = hr_dialog(&hr, "d");
    f = hr_dialog(&hr, "f");
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "x"), 0);
    ck_assert_int_eq(mcphost_dialog_set_agent(f, "y"), 0);
    old = begin(d);
    others = begin(f);
    hr_edit(&hr);
    hr_server(&hr, "b", NULL, FEW);
    hr_save(&hr);
    ck_assert_int_eq(mcphost_invalidate_agent(hr.host, "nobody"), 0);
    ck_assert_int_eq(mcphost_turn_is_stale(old), 0);
    invalidate(view);
    ck_assert_int_eq(mcphost_turn_is_stale(old), 1);
    ck_assert_int_eq(mcphost_turn_is_stale(others), view);
    ck_assert_int_eq(mcphost_wait_ready(hr.host, 10000), 1);
    new = begin(d);
    ck_assert_int_eq(mcphost_turn_is_stale(new), 0);
    ck_assert(has(new, "b_pid") && !has(new, "a_pid"));
    ck_assert_int_gt(call_in(d, new, "b_pid"), 0);
    ck_assert(has(old, "a_pid") && !has(old, "b_pid"));
    ck_assert_int_gt(call_in(d, old, "a_pid"), 0);
    mcphost_turn_unref(old);
    mcphost_turn_unref(others);
    mcphost_turn_unref(new);
    hr_down(&hr);
}
END_TEST

/* R198 */
START_TEST(invalidating_a_view_makes_only_its_own_turns_stale)
{
    mcphost_turn *mine, *others;
    mcphost_dialog *f;
    mcphost_view *view;

    up(SUCCESSOR, SHARED);
    ck_assert_int_eq(mcphost_view_new_layered(hr.host, "v", &view, NULL), 0);
    ck_assert_int_eq(mcphost_dialog_new(view, "f", NULL, &f, NULL), 0);
    mine = begin(d);
    others = begin(f);
    ck_assert_int_eq(mcphost_invalidate_view(view), 0);
    ck_assert_int_eq(mcphost_turn_is_stale(mine), 0);
    ck_assert_int_eq(mcphost_turn_is_stale(others), 1);
    ck_assert_ptr_null(mcphost_turn_unref(mine));
    ck_assert_ptr_null(mcphost_turn_unref(others));
    ck_assert_ptr_null(mcphost_dialog_unref(f));
    ck_assert_ptr_null(mcphost_view_unref(view));
    hr_down(&hr);
}
END_TEST

/* mcphost_dialog_begin_turn() keeps the open turn unless that turn is stale. */
START_TEST(begin_turn_replaces_a_stale_turn)
{
    up(SUCCESSOR, SHARED);
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    edit("b", SHARED, "b_echo b_pid");
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    invalidate(_i);
    ck_assert_str_eq(hr_tools(&hr, d), "a_echo a_pid");
    ck_assert_int_eq(mcphost_dialog_begin_turn(d), 0);
    ck_assert_str_eq(hr_tools(&hr, d), "b_echo b_pid");
    hr_down(&hr);
}
END_TEST

/* ---- threads ----------------------------------------------------------------------- */

#define THREADS 8
#define ROUNDS  200

static atomic_int bad, n_over;

static void
expect(bool good)
{
    if (!good)
        atomic_fetch_add(&bad, 1);
}

static void
one_round(unsigned n)
{
    mcphost_dialog *dialog = n % 2 ? d : e;
    mcphost_turn *outer = NULL, *inner = NULL;
    mcphost_catalog *catalog = NULL;

    expect(mcphost_turn_new(dialog, &outer) == 0);
    if (n % 3)
        expect(mcphost_turn_new(dialog, &inner) == 0);
    else
        expect(mcphost_turn_new_view(mcphost_default_view(hr.host), "x", &inner) == 0);
    expect(mcphost_invalidate_agent(hr.host, "x") == 0);
    expect(mcphost_turn_is_stale(outer) == 1 && mcphost_turn_is_stale(inner) == 1);
    expect(mcphost_dialog_begin_turn(dialog) == 0);
    expect(mcphost_invalidate_view(mcphost_default_view(hr.host)) == 0);
    expect(mcphost_turn_get_catalog(outer, &catalog) == 0);
    mcphost_turn_unref(n % 5 ? outer : inner);
    if (n % 7 == 0)
        expect(mcphost_dialog_end_turn(dialog) == 0);
    mcphost_turn_unref(n % 5 ? inner : outer);
    expect(mcphost_catalog_get_version(catalog) > 0);
    mcphost_catalog_unref(catalog);
}

static void *
invalidator(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        one_round(i + (unsigned)(size_t)arg);
    atomic_fetch_add(&n_over, 1);
    return NULL;
}

/* R197 R198 */
START_TEST(eight_threads_may_begin_invalidate_and_end_turns_at_once)
{
    pthread_t threads[THREADS];
    mcphost_turn *turn;
    int pid;

    bad = n_over = 0;
    up(_i, SHARED);
    turn = begin(d);
    pid = call_in(d, turn, "a_pid");
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, invalidator, (void *)i), 0);
    edit("b", SHARED, "b_echo b_pid");
    hr_until(&hr, n_over == THREADS);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(mcphost_turn_is_stale(turn), 1);
    ck_assert_int_eq(call_in(d, turn, "a_pid"), _i == SERVE ? pid : MCPHOST_E_GONE);
    ck_assert_int_eq(mcphost_dialog_end_turn(d), 0);
    ck_assert_int_eq(mcphost_dialog_end_turn(e), 0);
    mcphost_turn_unref(turn);
    hr_until(&hr, rig_is_dead(pid));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "many");

    tcase_add_loop_test(tc, overlapping_turns_of_an_agent_keep_their_own_catalogs, 0, 4);
    tcase_add_loop_test(tc, nested_turns_of_a_dialog_end_in_any_order, 0, 2);
    tcase_add_test(tc, a_turn_keeps_the_lease_of_its_own_dialog_only);
    tcase_add_test(tc, a_removed_server_serves_until_the_last_of_two_turns_ends);
    tcase_add_test(tc, a_turn_of_a_view_can_be_used_by_all_its_dialogs);

    tc = test_case(suite, "ends");
    tcase_add_test(tc, a_turn_outlives_its_dialog);
    tcase_add_loop_test(tc, a_turn_outlives_its_host, SUCCESSOR, SERVE + 1);
    tcase_add_test(tc, wrong_arguments_of_turn_functions_are_refused);

    tc = test_case(suite, "invalid");
    tcase_add_loop_test(tc, an_invalidated_agents_next_turn_reads_the_file_again, 0, 2);
    tcase_add_test(tc, invalidating_a_view_makes_only_its_own_turns_stale);
    tcase_add_loop_test(tc, begin_turn_replaces_a_stale_turn, 0, 2);

    tc = test_case(suite, "threads");
    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, eight_threads_may_begin_invalidate_and_end_turns_at_once,
                        SUCCESSOR, SERVE + 1);
}

int
main(void)
{
    return test_main("host-turn", add);
}
