/* SPDX-License-Identifier: MIT
 *
 * test_proc_places.c - the guard in environments that lack a feature that the guard uses.
 *
 * In these environments a filter refuses system calls, /proc is missing, /proc shows
 * another PID namespace, the host is process 1, or hidepid is set.
 *
 * A child of the test sets up the environment.  Then this child or a child of its own is
 * the host.  The end of a FIFO shows the end of the tree, because all processes of a
 * server hold the FIFO open.  If the kernel does not permit an environment, the tests of
 * the environment check nothing.
 *
 * By default two guards watch a server.  The warden is the parent of the inner guard.  If
 * the inner guard is killed, the warden ends the process tree of the server.
 *
 * The library adds a variable with a unique value to the environment of each server.  A
 * sweep reads the environments in /proc, and kills the processes that have this value.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"
#include "support/procrig.h"
#include "support/runner.h"

#define NOT_HERE 77 /* exit status: the environment cannot be set up */

static struct rig rig;
static struct procrig_life life;

static void
up(void)
{
    procrig_life_up(&life);
}

static void
down(void)
{
    procrig_life_down(&life);
}

/* ---- servers that the host runs ---------------------------------------------------- */

static const char *const servers[] = {
    "exec 9>$LIFE; echo ready; cat >/dev/null",
    "exec 9>$LIFE; trap '' TERM; echo ready; while :; do sleep 0.01; done",
    "exec 9>$LIFE; setsid sh -c 'trap \"\" TERM; echo ready; sleep 20' & wait",
    "exec 9>$LIFE; (setsid sh -c 'trap \"\" TERM; (sleep 20 &); echo ready; sleep 20' &)"
    "; sleep 0.05; exit 0",
};
#define SERVERS 4

static void
host_starts(int server)
{
    procrig_up(&rig);
    rig.env[1] = life.var;
    rig.spec.stop_eof_ms = rig.spec.stop_term_ms = 50;
    procrig_start(&rig, (char *[]){"sh", "-c", (char *)(uintptr_t)servers[server], NULL});
    ck_assert_str_eq(procrig_read_line(&rig, 5000), "ready");
    ck_assert(procrig_until(&rig, &rig.started, 2000));
}

static void
host_closes(void)
{
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert_int_eq(rig.left, 0);
    mcph_proc_free(rig.proc, 0);
    mcph_core_unref(rig.core);
}

static void
start_and_close(int server)
{
    host_starts(server);
    host_closes();
}

/* Runs `host` in a child after enter() has set up the child's environment.  Returns
 * false if enter() cannot set up the environment. */
static bool
in_place(bool (*enter)(void), void (*host)(int), int arg)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        if (!enter())
            _exit(NOT_HERE);
        host(arg);
        _exit(0);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE)
        return false;
    ck_assert_int_eq(status, 0);
    return true;
}

/* ---- refused system calls ---------------------------------------------------------- */

/* Makes the system calls in `nrs` fail with `err`.  If `arg` is not 0, a call fails
 * only if `arg` is its first argument.  Returns false if the kernel refuses the
 * filter. */
static bool
refuse_calls(const int *nrs, size_t n, int arg, int err)
{
    struct sock_filter code[32];
    struct sock_fprog prog = {.filter = code};
    size_t at = 0;

    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                              offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < n; i++) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                  (unsigned)nrs[i], 0, arg ? 3 : 1);
        if (arg) {
            code[at++] = (struct sock_filter)BPF_STMT(
                BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
            code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                      (unsigned)arg, 0, 1);
        }
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                                  SECCOMP_RET_ERRNO | (unsigned)err);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    prog.len = (unsigned short)at;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

static bool
without_subreaper(void)
{
    static const int nrs[] = {SYS_prctl};

    return refuse_calls(nrs, 1, PR_SET_CHILD_SUBREAPER, EPERM);
}

static bool
without_pidfds(void)
{
    static const int nrs[] = {434, 424}; /* pidfd_open, pidfd_send_signal */

    return refuse_calls(nrs, 2, 0, ENOSYS);
}

static bool
without_processes(void)
{
    static const int nrs[] = {SYS_clone};

    return refuse_calls(nrs, 1, CLONE_VM | CLONE_VFORK | SIGCHLD, EAGAIN);
}

START_TEST(without_a_subreaper_the_whole_tree_ends)
{
    if (in_place(without_subreaper, start_and_close, _i))
        ck_assert(procrig_life_ended(&life, 100));
}
END_TEST

START_TEST(without_pidfds_the_whole_tree_ends)
{
    if (in_place(without_pidfds, start_and_close, _i))
        ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

static void
close_directly(int server)
{
    procrig_up(&rig);
    rig.env[1] = life.var;
    rig.spec.use_guard = false;
    rig.spec.stop_eof_ms = rig.spec.stop_term_ms = 50;
    procrig_start(&rig, (char *[]){"sh", "-c", (char *)(uintptr_t)servers[server], NULL});
    ck_assert_str_eq(procrig_read_line(&rig, 5000), "ready");
    host_closes();
}

START_TEST(without_pidfds_and_a_guard_the_process_group_ends)
{
    if (in_place(without_pidfds, close_directly, _i))
        ck_assert(procrig_life_ended(&life, 100));
}
END_TEST

static void
start_is_refused(int unused)
{
    mcphost_error *err = NULL;
    int r;

    (void)unused;
    procrig_up(&rig);
    rig.argv = (char *[]){"cat", NULL};
    r = procrig_try(&rig, &err);
    if (r == 0) {
        ck_assert(procrig_until(&rig, &rig.gone, 2000));
        ck_assert_int_eq(rig.failed, 1);
        ck_assert_int_eq(rig.fail_code, MCPHOST_E_LIMIT);
    } else { /* an older libc also starts the guard with the refused clone() */
        ck_assert_int_eq(r, MCPHOST_E_LIMIT);
        snprintf(rig.message, sizeof(rig.message), "%s", mcphost_error_get_message(err));
        mcphost_error_unref(err);
    }
    ck_assert_ptr_nonnull(strstr(rig.message, "RLIMIT_NPROC"));
    procrig_down(&rig);
}

START_TEST(the_error_of_a_start_beyond_the_process_limit_names_rlimit_nproc)
{
    in_place(without_processes, start_is_refused, 0);
}
END_TEST

#define CLONE_GUARD (CLONE_VM | SIGCHLD)

static bool
without_pid_namespaces(void)
{
    static const int nrs[] = {SYS_clone};

    return refuse_calls(nrs, 1, CLONE_GUARD | CLONE_NEWPID, EPERM) &&
           refuse_calls(nrs, 1, CLONE_GUARD | CLONE_NEWPID | CLONE_NEWUSER, ENOSPC);
}

static void
namespace_is_refused(int unused)
{
    (void)unused;
    procrig_up(&rig);
    rig.spec.containment = MCPHOST_CONTAINMENT_PID;
    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert_int_eq(rig.failed, 1);
    ck_assert_int_eq(rig.fail_code, MCPHOST_E_SPAWN);
    ck_assert_int_eq(rig.fail_errno, ENOSPC);
    ck_assert_ptr_nonnull(strstr(rig.message, "(containment: pid)"));
    procrig_down(&rig);
}

START_TEST(if_no_pid_namespace_can_be_made_an_explicit_start_fails_with_its_errno)
{
    in_place(without_pid_namespaces, namespace_is_refused, 0);
}
END_TEST

/* ---- another view of /proc --------------------------------------------------------- */

/* Creates namespaces, if necessary together with a new user namespace.  The user
 * namespace needs no mappings.  Returns false if the kernel does not permit the
 * namespaces. */
static bool
new_namespaces(int flags)
{
    return unshare(flags) == 0 || unshare(flags | CLONE_NEWUSER) == 0;
}

static bool
without_proc(void)
{
    return new_namespaces(CLONE_NEWNS) &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}

START_TEST(without_proc_the_whole_tree_ends)
{
    if (in_place(without_proc, start_and_close, _i))
        ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

/* Continues as process 1 of a new PID namespace.  /proc still shows the process ids of
 * the outer namespace.  Returns false if the namespace cannot be created. */
static bool
as_process_1(void)
{
    pid_t pid;
    int status;

    if (!new_namespaces(CLONE_NEWPID))
        return false;
    pid = fork();
    if (pid == 0)
        return true;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return false;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

START_TEST(with_the_proc_of_another_namespace_only_the_tree_ends)
{
    if (in_place(as_process_1, start_and_close, _i))
        ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

static void
lose_the_guards(int server)
{
    host_starts(server);
    /* Kill the warden and the inner guard.  The loop reaches both guards, because the pid
     * of the inner guard is between the pids of the warden and the server. */
    for (pid_t pid = rig.pid - 1; pid >= rig.proc->child; pid--)
        kill(pid, SIGKILL);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    mcph_proc_free(rig.proc, 0);
    mcph_core_unref(rig.core);
}

/* A sweep must not kill the processes that /proc shows, because their ids belong to
 * another namespace.  When the host ends, the kernel ends all processes of the new
 * namespace. */
START_TEST(with_the_proc_of_another_namespace_nothing_is_swept)
{
    if (in_place(as_process_1, lose_the_guards, _i))
        ck_assert(procrig_life_ended(&life, 500));
}
END_TEST

static void
start_and_die(int server)
{
    host_starts(server);
    _exit(0);
}

START_TEST(the_end_of_a_host_that_is_process_1_ends_the_tree)
{
    if (in_place(as_process_1, start_and_die, _i))
        ck_assert(procrig_life_ended(&life, 2000));
}
END_TEST

static bool
as_nobody_with_hidepid(void)
{
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 && setgid(65534) == 0 &&
           setuid(65534) == 0 && access(test_bindir(), X_OK) == 0;
}

START_TEST(with_hidepid_the_whole_tree_ends)
{
    if (in_place(as_nobody_with_hidepid, start_and_close, _i))
        ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "places");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, without_a_subreaper_the_whole_tree_ends, 0, SERVERS);
    tcase_add_loop_test(tc, without_pidfds_the_whole_tree_ends, 0, SERVERS);
    tcase_add_loop_test(tc, without_pidfds_and_a_guard_the_process_group_ends, 0, 2);
    tcase_add_test(tc, the_error_of_a_start_beyond_the_process_limit_names_rlimit_nproc);
    tcase_add_test(
        tc, if_no_pid_namespace_can_be_made_an_explicit_start_fails_with_its_errno);
    tcase_add_loop_test(tc, without_proc_the_whole_tree_ends, 0, SERVERS);
    tcase_add_loop_test(tc, with_the_proc_of_another_namespace_only_the_tree_ends, 0,
                        SERVERS);
    tcase_add_loop_test(tc, with_the_proc_of_another_namespace_nothing_is_swept, 0,
                        SERVERS);
    tcase_add_loop_test(tc, the_end_of_a_host_that_is_process_1_ends_the_tree, 0,
                        SERVERS);
    tcase_add_loop_test(tc, with_hidepid_the_whole_tree_ends, 0, SERVERS);
}

int
main(void)
{
    return test_main("proc-places", add);
}
