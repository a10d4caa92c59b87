/* SPDX-License-Identifier: MIT
 *
 * test_proc_stop.c - ending a server: the steps of a stop, the immediate kill, the end of
 * the whole process tree, and guards that are killed or suspended.
 *
 * A guard runs between the host and the server, and ends the tree of the server.  A
 * warden is a second guard, between the host and the guard.  If the guard is killed,
 * the warden ends the tree of the server.
 *
 * In most tests, all processes of a tree hold a FIFO open.  The end of file of the FIFO
 * shows that the last process of the tree has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"
#include "support/procrig.h"
#include "support/runner.h"

static struct rig rig;
static struct procrig_life life;

static void
up(void)
{
    procrig_up(&rig);
    rig.spec.stop_eof_ms = rig.spec.stop_term_ms = 50;
    procrig_life_up(&life);
    rig.env[1] = life.var;
}

static void
down(void)
{
    procrig_life_down(&life);
    procrig_down(&rig);
}

/* Runs a script.  The script must print "ready".  All processes of the script hold the
 * FIFO open. */
static void
run_script(const char *script)
{
    static char text[1024];

    snprintf(text, sizeof(text), "exec 9>$LIFE; %s", script);
    procrig_start(&rig, (char *[]){"sh", "-c", text, NULL});
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "ready");
    ck_assert(procrig_until(&rig, &rig.started, 2000));
}

/* Returns the number of milliseconds after on_gone() in which a process of the tree may
 * still exist.  With a guard, no process exists any more.  Without a guard, killed
 * processes may still be dying. */
static int
proven_ms(void)
{
    return rig.spec.use_guard ? 0 : 100;
}

/* A part of a script that starts a daemon.  The daemon ignores SIGTERM and has its own
 * session. */
#define DAEMON "setsid sh -c 'trap \"\" TERM; echo ready; sleep 30' & "

static int64_t
stop_and_measure(void)
{
    int64_t began = mcph_clock_monotonic_ms();

    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 4000));
    ck_assert(procrig_life_ended(&life, proven_ms()));
    return mcph_clock_monotonic_ms() - began;
}

static void
set_mode(int i)
{
    rig.spec.use_guard = i != 1;
    rig.spec.warden = i == 0;
}

/* Many tests below run once for each mode of set_mode(): 0 has a guard and a warden, 1
 * has no guard, 2 has a guard alone. */

START_TEST(a_server_that_ends_with_its_input_gets_no_signal)
{
    set_mode(_i);
    rig.spec.stop_eof_ms = 2000;
    run_script("trap 'exit 9' TERM; echo ready; cat >/dev/null");
    ck_assert_int_lt(stop_and_measure(), 1000);
    ck_assert_int_eq(rig.code, CLD_EXITED);
    ck_assert_int_eq(rig.status, 0);
    ck_assert_int_eq(mcph_proc_stdin(rig.proc), -1);
}
END_TEST

START_TEST(a_server_that_ignores_the_end_of_its_input_gets_sigterm)
{
    int64_t ms;

    set_mode(_i);
    rig.spec.stop_term_ms = 2000;
    run_script("trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done");
    ms = stop_and_measure();
    ck_assert_int_ge(ms, 50);
    ck_assert_int_lt(ms, 1000);
    ck_assert_int_eq(rig.status, 9);
}
END_TEST

/* R108 */
START_TEST(a_server_that_ignores_sigterm_is_killed)
{
    int64_t ms;

    set_mode(_i);
    run_script("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    ms = stop_and_measure();
    ck_assert_int_ge(ms, 100);
    ck_assert_int_lt(ms, 1000);
    ck_assert_int_eq(rig.code, CLD_KILLED);
    ck_assert_int_eq(rig.status, SIGKILL);
}
END_TEST

START_TEST(a_server_suspended_by_sigstop_is_ended_too)
{
    set_mode(_i);
    run_script("echo ready; kill -STOP $$");
    stop_and_measure();
}
END_TEST

START_TEST(a_stop_ends_the_daemons_of_a_server_that_has_ended)
{
    set_mode(_i);
    run_script(DAEMON "wait $!; :");
    kill(rig.pid, SIGKILL);
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert(!procrig_life_ended(&life, 20)); /* the daemon runs until the stop */
    ck_assert_int_eq(rig.gone, 0);
    stop_and_measure();
}
END_TEST

START_TEST(output_written_before_the_end_can_be_read_after_it)
{
    set_mode(_i);
    run_script("echo ready; echo answer; exit 4");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_str_eq(procrig_read_line(&rig, 100), "answer");
    ck_assert_str_eq(procrig_read_line(&rig, 100), "");
}
END_TEST

START_TEST(kill_ends_everything_at_once)
{
    int64_t began = mcph_clock_monotonic_ms();

    set_mode(_i);
    rig.spec.stop_eof_ms = rig.spec.stop_term_ms = 60000;
    run_script(DAEMON "trap '' TERM; wait");
    mcph_proc_kill(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert(procrig_life_ended(&life, proven_ms()));
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 2000);
    ck_assert_int_eq(rig.exited, 1);
}
END_TEST

START_TEST(a_kill_during_a_stop_takes_effect_at_once)
{
    set_mode(_i);
    rig.spec.stop_term_ms = 60000;
    run_script("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    mcph_proc_stop(rig.proc);
    while (rig.proc->phase == MCPH_PHASE_EOF)
        ck_assert_int_ge(mcph_core_wait(rig.core, 1000), 0);
    mcph_proc_kill(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
}
END_TEST

START_TEST(a_free_ends_the_whole_tree_within_its_time_limit)
{
    int64_t began;

    set_mode(_i);
    rig.spec.stop_eof_ms = rig.spec.stop_term_ms = 60000;
    run_script(DAEMON "trap '' TERM; wait");
    began = mcph_clock_monotonic_ms();
    rig.proc = mcph_proc_free(rig.proc, 1000);
    ck_assert_int_le(mcph_clock_monotonic_ms() - began, 1000);
    ck_assert(procrig_life_ended(&life, proven_ms()));
    ck_assert_int_eq(rig.exited + rig.gone, 0); /* no events after the free */
}
END_TEST

START_TEST(a_stop_before_the_event_of_the_start_works)
{
    set_mode(_i);
    procrig_start(&rig, (char *[]){"sh", "-c", "exec 9>$LIFE; cat; sleep 30", NULL});
    mcph_proc_stop(rig.proc);
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 4000));
    ck_assert_int_eq(rig.started, 1);
    ck_assert_int_eq(rig.exited, 1);
}
END_TEST

START_TEST(a_free_before_the_event_of_the_start_works)
{
    set_mode(_i);
    procrig_start(&rig, (char *[]){"sleep", "30", NULL});
    rig.proc = mcph_proc_free(rig.proc, 1000);
    procrig_no_children();
}
END_TEST

static void
free_in_event(struct mcph_proc *proc)
{
    ck_assert_ptr_eq(proc, rig.proc);
    rig.proc = mcph_proc_free(proc, 1000);
    rig.left = 1;
}

static void
free_started(struct mcph_proc *proc, pid_t pid, void *arg)
{
    (void)pid;
    (void)arg;
    free_in_event(proc);
}

static void
free_exited(struct mcph_proc *proc, int code, int status, void *arg)
{
    (void)code;
    (void)status;
    (void)arg;
    free_in_event(proc);
}

static void
free_error(struct mcph_proc *proc, mcphost_error *err, void *arg)
{
    (void)err;
    (void)arg;
    free_in_event(proc);
}

static void
free_gone(struct mcph_proc *proc, void *arg)
{
    (void)arg;
    free_in_event(proc);
}

START_TEST(the_proc_may_be_freed_from_any_event)
{
    for (int event = 0; event < 4; event++) {
        struct mcph_proc_ops ops = rig.ops;
        char *argv[] = {"sh", "-c", "exit 0", NULL};

        set_mode(_i);
        rig.left = 0;
        if (event == 0)
            rig.ops.on_started = free_started;
        else if (event == 1)
            rig.ops.on_exited = free_exited;
        else if (event == 2)
            rig.ops.on_gone = free_gone;
        else
            rig.ops.on_unguarded = free_error;
        if (event == 3)
            rig.spec.guard_path = "/nonexistent";
        rig.spec.guard_optional = event == 3;
        if (event == 3 && !rig.spec.use_guard)
            return; /* without use_guard, on_unguarded() never runs */
        procrig_start(&rig, argv);
        if (event == 2) {
            ck_assert(procrig_until(&rig, &rig.exited, 2000));
            if (rig.proc) /* the tree may have become empty in the same turn */
                mcph_proc_stop(rig.proc);
        }
        ck_assert(procrig_until(&rig, &rig.left, 2000));
        ck_assert_ptr_null(rig.proc);
        procrig_no_children();
        rig.ops = ops;
        rig.exited = 0;
    }
}
END_TEST

/* The next tests kill, suspend or signal the guard or the warden. */

/* Returns the pid of the server's parent.  The parent is the guard, which runs below the
 * warden if there is a warden. */
static pid_t
inner_guard(void)
{
    char path[64], text[256] = "", *at;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)rig.pid);
    fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
    close(fd);
    at = strrchr(text, ')');
    ck_assert_ptr_nonnull(at);
    return (pid_t)strtol(at + 4, NULL, 10);
}

/* Sends a signal to the guard and then to the warden, because they are not in one process
 * group.  Suspends both processes first, so that neither process notices the end of the
 * other process. */
static void
signal_guards(int sig)
{
    pid_t inner = inner_guard();

    kill(inner, SIGSTOP);
    kill(rig.proc->child, SIGSTOP);
    kill(inner, sig);
    kill(rig.proc->child, sig);
}

START_TEST(after_guard_and_warden_were_killed_no_process_is_left)
{
    rig.spec.warden = _i == 0;
    run_script(DAEMON "wait");
    signal_guards(SIGKILL);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert(procrig_life_ended(&life, 100));
    ck_assert_int_eq(rig.exited, 1);
    ck_assert_int_eq(rig.code, 0); /* the exit status is unknown */
}
END_TEST

START_TEST(a_killed_guard_is_replaced_by_the_warden)
{
    pid_t inner;

    run_script(DAEMON "wait");
    inner = inner_guard();
    ck_assert_int_gt(inner, 1);
    ck_assert_int_ne(inner, rig.proc->child);
    kill(inner, SIGKILL);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert(procrig_life_ended(&life, 0));
    /* The library does not search for processes, because the warden has reported the end
     * of the tree. */
    ck_assert(!rig.proc->sweeping && rig.proc->clean == 0);
}
END_TEST

/* The guard ends before it has read all bytes that the host sent.  In this case the
 * socket returns ECONNRESET before the last records of the guard.  The library must still
 * read these records. */
START_TEST(the_last_records_of_a_guard_are_read_after_its_end)
{
    struct pollfd end = {.events = POLLIN};

    rig.spec.warden = false;
    run_script("echo ready; cat");
    end.fd = rig.proc->childfd;
    ck_assert_int_eq(kill(rig.proc->child, SIGSTOP), 0);
    mcph_proc_ask_guard(rig.proc, MCPH_GUARD_STOP);
    mcph_proc_ask_guard(rig.proc, MCPH_GUARD_STOP);
    mcph_proc_close_stdin(rig.proc);
    ck_assert(procrig_life_ended(&life, 2000));
    ck_assert_int_eq(kill(rig.proc->child, SIGCONT), 0);
    ck_assert_int_eq(poll(&end, 1, 2000), 1);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_int_eq(rig.exited, 1);
    /* The library does not search for processes, because the guard has reported the end
     * of the tree. */
    ck_assert(!rig.proc->sweeping && rig.proc->clean == 0);
}
END_TEST

START_TEST(a_killed_warden_changes_nothing_for_the_server)
{
    run_script("echo ready; cat; exit 6");
    kill(rig.proc->child, SIGKILL);
    while (!rig.proc->reaped)
        ck_assert_int_ge(mcph_core_wait(rig.core, 1000), 0);
    ck_assert_int_eq(rig.exited + rig.gone, 0);
    ck_assert_int_eq(write(mcph_proc_stdin(rig.proc), "still\n", 6), 6);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "still");
    stop_and_measure();
    ck_assert_int_eq(rig.status, 6);
}
END_TEST

START_TEST(a_stopped_guard_is_woken_by_the_warden)
{
    run_script("trap '' TERM; echo ready; while :; do sleep 0.01; done");
    kill(inner_guard(), SIGSTOP);
    ck_assert_int_lt(stop_and_measure(), 1000);
}
END_TEST

START_TEST(stopped_guards_are_woken_or_replaced_by_the_watchdog)
{
    rig.spec.warden = _i == 0;
    run_script(DAEMON "trap '' TERM; wait");
    signal_guards(SIGSTOP);
    ck_assert_int_lt(stop_and_measure(), 3000);
}
END_TEST

START_TEST(a_free_with_stopped_guards_leaves_no_process)
{
    rig.spec.warden = _i == 0;
    run_script(DAEMON "trap '' TERM; wait");
    signal_guards(SIGSTOP);
    rig.proc = mcph_proc_free(rig.proc, 1000);
    ck_assert(procrig_life_ended(&life, 100));
}
END_TEST

START_TEST(a_stopped_warden_ends_with_its_server)
{
    run_script("echo ready; cat");
    kill(rig.proc->child, SIGSTOP);
    ck_assert_int_lt(stop_and_measure(), 2000);
}
END_TEST

START_TEST(sigterm_to_the_guard_starts_a_stop)
{
    rig.spec.warden = _i == 0;
    run_script("trap 'exit 8' TERM; echo ready; while :; do sleep 0.01; done");
    kill(rig.proc->child, SIGTERM);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_int_eq(rig.status, 8);
}
END_TEST

/* Counts only the lines "T", because the shell also reports the killed sleep on
 * stderr. */
static void
count_traps(struct rig *the_rig)
{
    if (strcmp(the_rig->line, "T") == 0)
        the_rig->left++;
}

START_TEST(sigterm_reaches_each_process_once_also_in_other_sessions)
{
    rig.on_line = count_traps;
    rig.spec.stop_term_ms = 2000;
    run_script(
        "setsid sh -c 'trap \"echo T >&2\" TERM; echo ready; sleep 0.2; sleep 0.05; "
        "exit' &"
        "trap 'echo T >&2' TERM; wait; wait");
    stop_and_measure();
    ck_assert_int_eq(rig.left, 2);
}
END_TEST

/* Each flag forbids the guard to use a feature, to simulate a system that lacks the
 * feature.  Each of the last two rows forbids two features. */
START_TEST(on_systems_that_lack_a_feature_a_stop_leaves_no_process)
{
    static const unsigned flags[] = {
        MCPH_GUARD_NO_PROC,
        MCPH_GUARD_NO_CHILDREN,
        MCPH_GUARD_NO_SUBREAPER,
        MCPH_GUARD_NO_PIDFD,
        MCPH_GUARD_NO_PROC | MCPH_GUARD_NO_PIDFD,
        MCPH_GUARD_NO_CHILDREN | MCPH_GUARD_NO_PIDFD,
    };

    rig.spec.guard_flags = flags[_i % 6];
    rig.spec.warden = _i < 6;
    run_script(DAEMON "wait");
    ck_assert_int_lt(stop_and_measure(), 2500);
}
END_TEST

START_TEST(twenty_servers_are_killed_within_a_second)
{
    struct mcph_proc *procs[20];
    int64_t began;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(procs); i++) {
        run_script(DAEMON "trap '' TERM; wait");
        procs[i] = rig.proc;
        rig.out_len = 0;
    }
    began = mcph_clock_monotonic_ms();
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(procs); i++)
        mcph_proc_kill(procs[i]);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(procs); i++)
        mcph_proc_free(procs[i], 1000 - (mcph_clock_monotonic_ms() - began));
    rig.proc = NULL;
    ck_assert_int_lt(mcph_clock_monotonic_ms() - began, 1000);
    ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

START_TEST(a_forked_child_of_the_host_does_not_keep_a_server_alive)
{
    pid_t pid;

    run_script("echo ready; cat");
    pid = fork(); /* the child holds the host's ends of the pipes and guard socket */
    if (pid == 0)
        for (;;)
            pause();
    ck_assert_int_lt(stop_and_measure(), 1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "stop");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_server_that_ends_with_its_input_gets_no_signal, 0, 3);
    tcase_add_loop_test(tc, a_server_that_ignores_the_end_of_its_input_gets_sigterm, 0,
                        3);
    tcase_add_loop_test(tc, a_server_that_ignores_sigterm_is_killed, 0, 3);
    tcase_add_loop_test(tc, a_server_suspended_by_sigstop_is_ended_too, 0, 3);
    tcase_add_loop_test(tc, a_stop_ends_the_daemons_of_a_server_that_has_ended, 0, 3);
    tcase_add_loop_test(tc, output_written_before_the_end_can_be_read_after_it, 0, 3);
    tcase_add_loop_test(tc, kill_ends_everything_at_once, 0, 3);
    tcase_add_loop_test(tc, a_kill_during_a_stop_takes_effect_at_once, 0, 3);
    tcase_add_loop_test(tc, a_free_ends_the_whole_tree_within_its_time_limit, 0, 3);
    tcase_add_loop_test(tc, a_stop_before_the_event_of_the_start_works, 0, 3);
    tcase_add_loop_test(tc, a_free_before_the_event_of_the_start_works, 0, 3);
    tcase_add_loop_test(tc, the_proc_may_be_freed_from_any_event, 0, 3);
    tcase_add_loop_test(tc, after_guard_and_warden_were_killed_no_process_is_left, 0, 2);
    tcase_add_test(tc, a_killed_guard_is_replaced_by_the_warden);
    tcase_add_loop_test(tc, the_last_records_of_a_guard_are_read_after_its_end, 0,
                        6); /* 6 times, because the test depends on a race */
    tcase_add_test(tc, a_killed_warden_changes_nothing_for_the_server);
    tcase_add_test(tc, a_stopped_guard_is_woken_by_the_warden);
    tcase_add_loop_test(tc, stopped_guards_are_woken_or_replaced_by_the_watchdog, 0, 2);
    tcase_add_loop_test(tc, a_free_with_stopped_guards_leaves_no_process, 0, 2);
    tcase_add_test(tc, a_stopped_warden_ends_with_its_server);
    tcase_add_loop_test(tc, sigterm_to_the_guard_starts_a_stop, 0, 2);
    tcase_add_test(tc, sigterm_reaches_each_process_once_also_in_other_sessions);
    tcase_add_loop_test(tc, on_systems_that_lack_a_feature_a_stop_leaves_no_process, 0,
                        12);
    tcase_add_test(tc, twenty_servers_are_killed_within_a_second);
    tcase_add_test(tc, a_forked_child_of_the_host_does_not_keep_a_server_alive);
}

int
main(void)
{
    return test_main("proc-stop", add);
}
