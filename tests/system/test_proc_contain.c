/* SPDX-License-Identifier: MIT
 *
 * test_proc_contain.c - the containment of a server's processes by the guard's process
 * tree, a control group or a PID namespace.
 *
 * By default two guards watch a server.  The warden is the parent of the inner guard.  If
 * the inner guard is killed, the warden ends the process tree of the server.
 *
 * A script that begins with DAEMON opens a FIFO for writing, and each process of this
 * server inherits the descriptor.  When the test reads end of file from the FIFO, the
 * process tree has ended.  If a mode is not available here, the tests of the mode print
 * the reason and check nothing.
 *
 * The library adds a variable with a unique value to the environment of each server.  A
 * sweep reads the environments in /proc, and kills the processes that have this value.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"
#include "support/procrig.h"
#include "support/runner.h"

/* Opens the FIFO, and starts a daemon without the environment variable by which a sweep
 * finds the processes of the server. */
#define DAEMON \
    "exec 9>$LIFE; (setsid env -i sleep 15 </dev/null >/dev/null 2>&1 &); sleep 0.05; "

static struct rig rig;
static struct procrig_life life;

static void
up(void)
{
    procrig_life_up(&life);
    procrig_up(&rig);
    rig.env[1] = life.var;
}

static void
down(void)
{
    procrig_down(&rig);
    procrig_life_down(&life);
}

static void
run_script(const char *script)
{
    procrig_start(&rig, (char *[]){"sh", "-c", (char *)(uintptr_t)script, NULL});
    ck_assert(procrig_until(&rig, &rig.started, 5000));
    ck_assert_str_eq(procrig_read_line(&rig, 5000), "ready");
}

/* Returns the numeric field `at` of /proc/PID/stat.  The state of the process is field 0,
 * the parent is field 1, the process group is field 2, and the session is field 3. */
static pid_t
stat_field(pid_t pid, int at)
{
    char path[64], text[256] = "", *field;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
    close(fd);
    field = strrchr(text, ')') + 2;
    for (int i = 0; i < at; i++)
        field = strchr(field, ' ') + 1;
    return (pid_t)strtol(field, NULL, 10);
}

static void
kill_guards(void)
{
    pid_t inner = stat_field(rig.pid, 1), warden = rig.proc->child;

    ck_assert_int_eq(kill(warden, SIGSTOP), 0); /* a stopped warden ends no tree */
    ck_assert_int_eq(kill(inner, SIGKILL), 0);
    ck_assert_int_eq(kill(warden, SIGKILL), 0);
}

static void
stop(void)
{
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
}

/* ---- the process tree -------------------------------------------------------------- */

START_TEST(guard_and_warden_share_neither_process_group_nor_session)
{
    pid_t inner, warden;

    run_script("echo ready; cat");
    inner = stat_field(rig.pid, 1);
    warden = rig.proc->child;
    ck_assert_int_eq(stat_field(inner, 1), warden);
    for (int field = 2; field <= 3; field++) {
        ck_assert_int_eq(stat_field(warden, field), warden);
        ck_assert_int_eq(stat_field(inner, field), inner);
    }
    ck_assert_int_eq(stat_field(rig.pid, 2), rig.pid);
    stop();
}
END_TEST

START_TEST(if_the_group_of_one_guard_is_killed_the_other_ends_the_tree)
{
    pid_t inner;

    run_script(DAEMON "echo ready; cat");
    inner = stat_field(rig.pid, 1);
    ck_assert_int_eq(kill(_i == 0 ? -inner : -rig.proc->child, SIGKILL), 0);
    if (_i == 1)
        mcph_proc_kill(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert(procrig_life_ended(&life, 0));
    ck_assert(!rig.proc->sweeping && rig.proc->clean == 0); /* the tree ended without a
                                                             * sweep */
}
END_TEST

/* ---- a control group --------------------------------------------------------------- */

static char *base; /* the group that contains the groups of a test */

static bool
have_cgroups(void)
{
    char path[512], file[600], *own;
    int e = mcph_cgroup_find(&own);

    if (e == 0) {
        snprintf(path, sizeof(path), "%s/contain-test-%d", own, (int)getpid());
        free(own);
        snprintf(file, sizeof(file), "%s/cgroup.kill", path);
        e = mkdir(path, 0755) < 0 ? errno : 0;
    }
    if (e == 0 && access(file, W_OK) < 0) {
        e = errno;
        rmdir(path);
    }
    if (e) {
        fprintf(stderr, "no control group can be made here: %s\n", strerror(e));
        return false;
    }
    base = strdup(path);
    rig.spec.cgroup_dir = base;
    rig.spec.containment = MCPHOST_CONTAINMENT_CGROUP;
    return true;
}

static int
count_groups(void)
{
    DIR *groups = opendir(base);
    const struct dirent *entry;
    int n = 0;

    ck_assert_ptr_nonnull(groups);
    while ((entry = readdir(groups)) != NULL)
        n += entry->d_type == DT_DIR && entry->d_name[0] != '.';
    closedir(groups);
    return n;
}

static void
end_cgroups(void)
{
    ck_assert_int_eq(count_groups(), 0);
    ck_assert_int_eq(rmdir(base), 0);
    free(base);
}

START_TEST(a_server_has_its_own_control_group_until_it_ends)
{
    if (!have_cgroups())
        return;
    rig.spec.containment =
        _i == 0 ? MCPHOST_CONTAINMENT_CGROUP : MCPHOST_CONTAINMENT_AUTO;
    run_script(DAEMON "grep -c /mcphost- /proc/self/cgroup >&2; echo ready; cat");
    ck_assert(procrig_until(&rig, &rig.lines, 5000));
    ck_assert_str_eq(rig.line, "1");
    ck_assert_int_eq(mcph_proc_containment(rig.proc), MCPHOST_CONTAINMENT_CGROUP);
    ck_assert_int_eq(count_groups(), 1);
    stop();
    ck_assert(procrig_life_ended(&life, 0));
    end_cgroups();
}
END_TEST

START_TEST(in_a_control_group_nothing_outlives_both_guards)
{
    if (!have_cgroups())
        return;
    run_script(DAEMON "echo ready; cat");
    kill_guards();
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert(procrig_life_ended(&life, 0));
    end_cgroups();
}
END_TEST

START_TEST(groups_that_a_server_makes_inside_its_own_are_removed_with_it)
{
    char script[1024];

    if (!have_cgroups())
        return;
    snprintf(script, sizeof(script),
             "g=%s/$(sed -n 's/^0::.*\\/\\(mcphost-\\)/\\1/p' /proc/self/cgroup); "
             "mkdir $g/a $g/a/b $g/c; echo $$ >$g/a/b/cgroup.procs; " DAEMON
             "echo ready; cat",
             base);
    run_script(script);
    if (_i == 1)
        kill_guards();
    else
        mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert(procrig_life_ended(&life, 0));
    end_cgroups();
}
END_TEST

START_TEST(a_server_that_does_not_start_leaves_no_group)
{
    char file[64];

    if (!have_cgroups())
        return;
    snprintf(file, sizeof(file), "%s/none", life.dir);
    ck_assert_int_ge(close(open(file, O_CREAT | O_WRONLY, 0755)), 0);
    ck_assert_int_eq(truncate(file, 1), 0);
    procrig_start(&rig, (char *[]){file, NULL});
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    unlink(file);
    ck_assert_int_eq(rig.failed, 1);
    ck_assert_int_eq(rig.fail_errno, ENOEXEC);
    end_cgroups();
}
END_TEST

/* The test locks one of two groups.  A lock means that the guard of the group lives. */
START_TEST(only_a_group_whose_guard_is_dead_is_swept)
{
    char path[2][600], file[700];
    int held, fd, status;
    pid_t pid;

    if (!have_cgroups())
        return;
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/" MCPH_CGROUP_PREFIX "%d", base, i);
        ck_assert_int_eq(mkdir(path[i], 0755), 0);
    }
    held = open(path[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(flock(held, LOCK_EX | LOCK_NB), 0);
    pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    snprintf(file, sizeof(file), "%s/cgroup.procs", path[0]);
    fd = open(file, O_WRONLY | O_CLOEXEC);
    ck_assert_int_gt(dprintf(fd, "%d", (int)pid), 0);
    close(fd);

    mcph_cgroup_sweep(base, MCPH_CGROUP_AGE);
    ck_assert_int_eq(count_groups(), 2);
    ck_assert_int_eq(waitpid(pid, &status, WNOHANG), 0);
    mcph_cgroup_sweep(base, -10);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    mcph_cgroup_sweep(base, -10);
    ck_assert_int_eq(access(path[0], F_OK), -1);
    ck_assert_int_eq(rmdir(path[1]), 0);
    close(held);
    end_cgroups();
}
END_TEST

START_TEST(a_group_that_cannot_be_made_fails_an_explicit_start_with_its_errno)
{
    rig.spec.containment = MCPHOST_CONTAINMENT_CGROUP;
    rig.spec.cgroup_dir = "/nonexistent";
    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert_int_eq(rig.failed, 1);
    ck_assert_int_eq(rig.started, 0);
    ck_assert_int_eq(rig.fail_code, MCPHOST_E_SPAWN);
    ck_assert_int_eq(rig.fail_errno, ENOENT);
    ck_assert_ptr_nonnull(strstr(rig.message, "(containment: cgroup)"));
}
END_TEST

START_TEST(auto_falls_back_to_the_tree_if_no_group_can_be_made)
{
    rig.spec.cgroup_dir = _i == 0 ? "/nonexistent" : NULL;
    run_script("echo ready; cat");
    ck_assert_int_eq(mcph_proc_containment(rig.proc), MCPHOST_CONTAINMENT_TREE);
    stop();
}
END_TEST

static void
expect_refused(int sys_errno, const char *part)
{
    mcphost_error *err = NULL;

    rig.argv = (char *[]){"cat", NULL};
    ck_assert_int_eq(procrig_try(&rig, &err), MCPHOST_E_SPAWN);
    ck_assert_int_eq(mcphost_error_get_errno(err), sys_errno);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), part));
    mcphost_error_unref(err);
}

START_TEST(an_explicit_mode_that_the_host_cannot_offer_is_refused_at_once)
{
    rig.spec.containment = MCPHOST_CONTAINMENT_CGROUP;
    rig.spec.cgroup_errno = EROFS;
    expect_refused(EROFS, "(containment: cgroup)");
    rig.spec.use_guard = false;
    expect_refused(ENOTSUP, "(containment: cgroup)");
    rig.spec.containment = MCPHOST_CONTAINMENT_PID;
    expect_refused(ENOTSUP, "(containment: pid)");
    rig.spec.use_guard = rig.spec.guard_optional = true;
    rig.spec.guard_path = "/nonexistent";
    expect_refused(ENOENT, "'/nonexistent'"); /* only a guard can make a namespace */
}
END_TEST

/* ---- a PID namespace --------------------------------------------------------------- */

static bool
have_namespaces(void)
{
    bool have;

    rig.spec.containment = MCPHOST_CONTAINMENT_PID;
    procrig_start(&rig, (char *[]){"true", NULL});
    while (!rig.exited && !rig.failed)
        ck_assert_int_ge(mcph_core_wait(rig.core, 5000), 0);
    have = !rig.failed;
    if (!have)
        fprintf(stderr, "no PID namespace can be made here: %s\n", rig.message);
    procrig_end(&rig);
    return have;
}

START_TEST(in_a_pid_namespace_the_guard_is_process_1_and_the_host_has_the_outer_pid)
{
    if (!have_namespaces())
        return;
    run_script("echo ready; echo $PPID; cat; exit 7");
    ck_assert_str_eq(procrig_read_line(&rig, 5000), "1");
    ck_assert_int_eq(mcph_proc_containment(rig.proc), MCPHOST_CONTAINMENT_PID);
    ck_assert_int_eq(stat_field(stat_field(rig.pid, 1), 1), rig.proc->child);
    stop();
    ck_assert_int_eq(rig.code, CLD_EXITED);
    ck_assert_int_eq(rig.status, 7);
}
END_TEST

START_TEST(in_a_pid_namespace_nothing_outlives_the_guard)
{
    if (!have_namespaces())
        return;
    run_script(DAEMON "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    if (_i == 0)
        kill_guards();
    else if (_i == 1)
        kill(stat_field(rig.pid, 1), SIGKILL);
    else
        mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

/* Counts the lines "T", with which processes report SIGTERM. */
static void
count_traps(struct rig *the_rig)
{
    if (strcmp(the_rig->line, "T") == 0)
        the_rig->left++;
}

START_TEST(in_a_pid_namespace_each_process_gets_sigterm_once)
{
    if (!have_namespaces())
        return;
    rig.on_line = count_traps;
    rig.spec.stop_term_ms = 2000;
    /* The outer shell sets its trap first, because the inner shell reports "ready". */
    run_script(
        "trap 'echo T >&2' TERM;"
        "setsid sh -c 'trap \"echo T >&2\" TERM; echo ready; sleep 0.2; sleep 0.05; "
        "exit' &"
        "wait; wait");
    stop();
    ck_assert_int_eq(rig.left, 2);
}
END_TEST

START_TEST(a_pid_namespace_has_a_warden_even_without_the_option)
{
    if (!have_namespaces())
        return;
    rig.spec.warden = false;
    run_script(DAEMON "echo ready; cat");
    kill(stat_field(rig.pid, 1), SIGKILL);
    ck_assert(procrig_until(&rig, &rig.gone, 5000));
    ck_assert(procrig_life_ended(&life, 0));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "contain");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, guard_and_warden_share_neither_process_group_nor_session);
    tcase_add_loop_test(tc, if_the_group_of_one_guard_is_killed_the_other_ends_the_tree,
                        0, 2);
    tcase_add_loop_test(tc, a_server_has_its_own_control_group_until_it_ends, 0, 2);
    tcase_add_test(tc, in_a_control_group_nothing_outlives_both_guards);
    tcase_add_loop_test(tc, groups_that_a_server_makes_inside_its_own_are_removed_with_it,
                        0, 2);
    tcase_add_test(tc, a_server_that_does_not_start_leaves_no_group);
    tcase_add_test(tc, only_a_group_whose_guard_is_dead_is_swept);
    tcase_add_test(tc,
                   a_group_that_cannot_be_made_fails_an_explicit_start_with_its_errno);
    tcase_add_loop_test(tc, auto_falls_back_to_the_tree_if_no_group_can_be_made, 0, 2);
    tcase_add_test(tc, an_explicit_mode_that_the_host_cannot_offer_is_refused_at_once);
    tcase_add_test(
        tc, in_a_pid_namespace_the_guard_is_process_1_and_the_host_has_the_outer_pid);
    tcase_add_loop_test(tc, in_a_pid_namespace_nothing_outlives_the_guard, 0, 3);
    tcase_add_test(tc, in_a_pid_namespace_each_process_gets_sigterm_once);
    tcase_add_test(tc, a_pid_namespace_has_a_warden_even_without_the_option);
}

int
main(void)
{
    return test_main("proc-contain", add);
}
