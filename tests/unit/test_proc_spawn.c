/* SPDX-License-Identifier: MIT
 *
 * test_proc_spawn.c - starting a server: its environment and descriptors, starts that
 * fail, and the descriptors that a start needs.
 *
 * A guard runs between the host and the server, and ends the process tree of the
 * server.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/guard_proto.h"
#include "support/procrig.h"
#include "support/runner.h"

static struct rig rig;

static void
up(void)
{
    procrig_up(&rig);
}

static void
down(void)
{
    procrig_down(&rig);
}

/* R19 */
START_TEST(a_guarded_server_gets_its_pipes_and_ends_with_its_input)
{
    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_int_gt(rig.pid, 0);
    ck_assert_int_eq(mcph_proc_pid(rig.proc), rig.pid);
    ck_assert(mcph_proc_guarded(rig.proc));
    ck_assert_int_eq(write(mcph_proc_stdin(rig.proc), "hello\n", 6), 6);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "hello");
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_int_eq(rig.exited, 1);
    ck_assert_int_eq(rig.code, CLD_EXITED);
    ck_assert_int_eq(rig.status, 0);
}
END_TEST

START_TEST(events_come_from_dispatch_and_never_from_spawn)
{
    procrig_start(&rig, (char *[]){"true", NULL});
    procrig_sleep(30);
    ck_assert_int_eq(rig.started + rig.exited + rig.gone, 0);
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_int_eq(rig.started, 1);
}
END_TEST

START_TEST(the_exit_status_is_reported_exactly)
{
    char text[MCPH_PROC_EXIT_TEXT];

    procrig_start(&rig, (char *[]){"sh", "-c", "exit 7", NULL});
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.code, CLD_EXITED);
    ck_assert_int_eq(rig.status, 7);
    mcph_proc_exit_text(rig.code, rig.status, text);
    ck_assert_str_eq(text, "exited with status 7");
}
END_TEST

START_TEST(a_death_by_signal_is_reported_with_the_signal)
{
    char text[MCPH_PROC_EXIT_TEXT];

    procrig_start(&rig, (char *[]){"sh", "-c", "kill -9 $$", NULL});
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.code, CLD_KILLED);
    ck_assert_int_eq(rig.status, SIGKILL);
    mcph_proc_exit_text(rig.code, rig.status, text);
    ck_assert_str_eq(text, "killed by signal 9 (Killed)");
}
END_TEST

START_TEST(without_the_program_of_the_guard_no_server_starts)
{
    mcphost_error *err = NULL;

    rig.spec.guard_path = "/nonexistent/mcphost-guard";
    rig.argv = (char *[]){"sh", "-c", "exit 3", NULL};
    ck_assert_int_eq(procrig_try(&rig, &err), MCPHOST_E_SPAWN);
    ck_assert_int_eq(mcphost_error_get_errno(err), ENOENT);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "'/nonexistent/mcphost-guard'"));
    mcphost_error_unref(err);
    ck_assert_ptr_null(rig.proc);
}
END_TEST

/* Writes a script that runs in place of the guard.  Like a guard that could not set
 * itself up, the script reports that the start has failed. */
static void
write_failing_guard(int fd, int sys_errno)
{
    struct mcph_guard_record record = {.kind = MCPH_GUARD_EXECFAIL,
                                       .v = {sys_errno, MCPH_GUARD_STAGE_SETUP}};
    unsigned char bytes[sizeof(record)];

    memcpy(bytes, &record, sizeof(record));
    dprintf(fd, "#!/bin/sh\nprintf '");
    for (size_t i = 0; i < sizeof(bytes); i++)
        dprintf(fd, "\\%03o", bytes[i]);
    dprintf(fd, "' >&%d\n", MCPH_GUARD_FD);
    fchmod(fd, 0755);
    close(fd);
}

START_TEST(a_guard_that_lacks_descriptors_fails_the_start_with_e_limit)
{
    static const int errors[] = {EMFILE, ENFILE, ENOSYS};
    char file[] = "/tmp/mcph-test-XXXXXX";
    int fd = mkstemp(file);

    ck_assert_int_ge(fd, 0);
    write_failing_guard(fd, errors[_i]);
    rig.spec.guard_path = file;
    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    unlink(file);
    ck_assert_int_eq(rig.failed, 1);
    ck_assert_int_eq(rig.fail_code, _i < 2 ? MCPHOST_E_LIMIT : MCPHOST_E_SPAWN);
    ck_assert_int_eq(rig.fail_errno, errors[_i]);
    ck_assert_ptr_nonnull(strstr(rig.message, "the guard of '"));
}
END_TEST

START_TEST(without_an_optional_guard_a_server_runs_and_an_event_says_why)
{
    rig.spec.guard_optional = true;
    rig.spec.guard_path = "/nonexistent/mcphost-guard";
    procrig_start(&rig, (char *[]){"sh", "-c", "exit 3", NULL});
    ck_assert(!mcph_proc_guarded(rig.proc));
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.unguarded, 1);
    ck_assert_int_eq(rig.started, 1);
    ck_assert_int_eq(rig.status, 3);
    ck_assert_ptr_nonnull(strstr(rig.message, "'/nonexistent/mcphost-guard'"));
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
}
END_TEST

START_TEST(a_file_that_is_no_program_fails_with_the_reason)
{
    char file[] = "/tmp/mcph-test-XXXXXX";
    int fd = mkstemp(file);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "nothing", 7), 7);
    fchmod(fd, 0755);
    close(fd);
    procrig_start(&rig, (char *[]){file, NULL});
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    unlink(file);
    ck_assert_int_eq(rig.failed, 1);
    ck_assert_int_eq(rig.started + rig.exited, 0);
    ck_assert_int_eq(rig.fail_code, MCPHOST_E_SPAWN);
    ck_assert_int_eq(rig.fail_errno, ENOEXEC);
    ck_assert_ptr_nonnull(strstr(rig.message, file));
    ck_assert_ptr_nonnull(strstr(rig.message, "#!"));
}
END_TEST

static void
refused(int code, int sys_errno, const char *part)
{
    mcphost_error *err = NULL;

    ck_assert_int_eq(procrig_try(&rig, &err), code);
    ck_assert_int_eq(mcphost_error_get_code(err), code);
    ck_assert_int_eq(mcphost_error_get_errno(err), sys_errno);
    if (!strstr(mcphost_error_get_message(err), part))
        ck_abort_msg("'%s' not in '%s'", part, mcphost_error_get_message(err));
    mcphost_error_unref(err);
    ck_assert_ptr_null(rig.proc);
}

START_TEST(a_missing_program_is_refused_at_once_by_name)
{
    rig.argv = (char *[]){"no-such-program-here", NULL};
    refused(MCPHOST_E_SPAWN, ENOENT,
            "'no-such-program-here' not found in PATH '/usr/bin:/bin'");
}
END_TEST

START_TEST(a_missing_directory_is_refused_by_name)
{
    rig.spec.cwd = "/nonexistent";
    rig.argv = (char *[]){"cat", NULL};
    refused(MCPHOST_E_SPAWN, ENOENT, "'/nonexistent' as the working directory");
}
END_TEST

START_TEST(the_server_runs_in_its_directory)
{
    rig.spec.cwd = "/usr";
    procrig_start(&rig, (char *[]){"pwd", NULL});
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "/usr");
}
END_TEST

/* R12 R14 */
START_TEST(the_server_gets_the_given_environment_and_its_spawn_id_only)
{
    procrig_set_env(&rig, (char *[]){"PATH=/usr/bin:/bin", "A=1", NULL});
    procrig_start(&rig, (char *[]){"env", NULL});
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "PATH=/usr/bin:/bin");
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "A=1");
    ck_assert_int_eq(strncmp(procrig_read_line(&rig, 2000), "MCPHOST_SPAWN_ID=", 17), 0);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "");
    ck_assert_ptr_null(getenv("MCPHOST_SPAWN_ID"));
}
END_TEST

/* A script that prints the attributes of a process that the guard must not change.  The
 * script leaves out pids and times, because they always differ.  It also leaves out the
 * signal for the death of the parent, because /proc does not show that signal. */
static const char probe[] =
    "umask; ulimit -a; nice; cat /proc/self/oom_score_adj; ls /proc/self/fd;"
    "grep -E "
    "'^(Sig(Blk|Ign|Cgt)|ShdPnd|Cpus_allowed:|NoNewPrivs|Seccomp|Groups|Uid|Gid|Cap)'"
    " /proc/self/status; pwd; cat /proc/self/timerslack_ns 2>/dev/null";

static void
probe_server(bool guard, char *ret, size_t size)
{
    rig.spec.use_guard = guard;
    procrig_start(&rig, (char *[]){"sh", "-c", (char *)probe, NULL});
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    procrig_read_all(&rig, ret, size);
    procrig_end(&rig);
}

START_TEST(a_guarded_server_has_the_same_attributes_as_a_direct_child)
{
    static char direct[16384], guarded[16384];
    struct rlimit limit = {512, 600};
    const char *ignored;
    sigset_t set;
    int high = fcntl(0, F_DUPFD, 100); /* lacks FD_CLOEXEC, but the server must not
                                        * inherit this descriptor */

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    umask(027);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    errno = 0;
    (void)!nice(5);

    probe_server(false, direct, sizeof(direct));
    probe_server(true, guarded, sizeof(guarded));
    close(high);
    ck_assert_ptr_nonnull(strstr(direct, "0027\n"));
    ck_assert_ptr_nonnull(strstr(direct, "SigBlk:\t0000000000000000"));
    ignored = strstr(direct, "SigIgn:\t");
    ck_assert_ptr_nonnull(ignored);
    /* Leave out the signals 32 and 33, because posix_spawn() of glibc may leave these
     * signals ignored. */
    ck_assert_uint_eq(strtoull(ignored + 8, NULL, 16) & ~UINT64_C(0x180000000), 0);
    ck_assert_ptr_null(strstr(direct, "\n100\n"));
    ck_assert_str_eq(direct, guarded);
}
END_TEST

START_TEST(the_server_leads_a_process_group_outside_our_session)
{
    char *at;

    procrig_start(&rig, (char *[]){"sh", "-c", "cut -d' ' -f1,5,6 /proc/$$/stat", NULL});
    at = procrig_read_line(&rig, 2000);
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_int_eq(strtol(at, &at, 10), rig.pid);
    ck_assert_int_eq(strtol(at, &at, 10), rig.pid);
    ck_assert_int_ne(strtol(at, &at, 10), getsid(0));
}
END_TEST

START_TEST(an_instance_holds_six_descriptors_and_four_without_the_guard)
{
    int before = procrig_count_fds();

    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_int_eq(procrig_count_fds() - before, 6);
    procrig_end(&rig);
    ck_assert_int_eq(procrig_count_fds(), before);

    rig.spec.use_guard = false;
    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_int_eq(procrig_count_fds() - before, 4);
    procrig_end(&rig);
    ck_assert_int_eq(procrig_count_fds(), before);
}
END_TEST

/* Limits the process so that it can open exactly `more` descriptors.  The new descriptors
 * may fill gaps between the open descriptors. */
static void
allow_fds(int more)
{
    struct rlimit limit;
    int end = 0;

    for (int left = more; left > 0 || fcntl(end, F_GETFD) >= 0; end++)
        left -= fcntl(end, F_GETFD) < 0;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = (rlim_t)end;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* proc.h gives the number of descriptors that a start needs.  A start with fewer
 * descriptors must fail.  A start with exactly this number must succeed. */
START_TEST(without_enough_descriptors_a_start_fails_and_leaves_none_open)
{
    int before = procrig_count_fds(), enough = _i ? 8 : 6;
    char part[64];

    rig.argv = (char *[]){"cat", NULL};
    rig.spec.use_guard = _i;
    for (int n = 0; n < enough; n++) {
        struct rlimit limit;

        allow_fds(n);
        getrlimit(RLIMIT_NOFILE, &limit);
        snprintf(part, sizeof(part), "RLIMIT_NOFILE, is %d", (int)limit.rlim_cur);
        refused(MCPHOST_E_LIMIT, EMFILE, part);
        allow_fds(100);
        ck_assert_int_eq(procrig_count_fds(), before);
        procrig_no_children();
    }
    allow_fds(enough);
    ck_assert_int_eq(procrig_try(&rig, NULL), 0);
    ck_assert_int_eq(mcph_proc_guarded(rig.proc), _i);
    ck_assert(procrig_until(&rig, &rig.started, 2000));
}
END_TEST

START_TEST(our_ends_of_the_pipes_are_close_on_exec_and_nonblocking)
{
    int in, out;

    close(0);
    procrig_start(&rig, (char *[]){"cat", NULL});
    in = mcph_proc_stdin(rig.proc);
    out = mcph_proc_stdout(rig.proc);
    ck_assert_int_ge(in, 3);
    ck_assert_int_ge(out, 3);
    ck_assert(fcntl(in, F_GETFD) & FD_CLOEXEC);
    ck_assert(fcntl(out, F_GETFD) & FD_CLOEXEC);
    ck_assert(fcntl(in, F_GETFL) & O_NONBLOCK);
    ck_assert(fcntl(out, F_GETFL) & O_NONBLOCK);
    ck_assert_int_eq(write(in, "x\n", 2), 2);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "x");
    procrig_end(&rig);
    ck_assert_int_eq(open("/dev/null", O_RDWR), 0);
}
END_TEST

START_TEST(when_a_server_closes_its_output_we_see_a_hang_up)
{
    struct pollfd fd;

    procrig_start(&rig, (char *[]){"sh", "-c", "exec >&- 2>&-; sleep 100", NULL});
    fd = (struct pollfd){.fd = mcph_proc_stdout(rig.proc), .events = POLLIN};
    ck_assert_int_eq(poll(&fd, 1, 2000), 1);
    ck_assert(fd.revents & POLLHUP);
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_int_eq(rig.exited, 0);
}
END_TEST

START_TEST(a_forked_child_frees_without_touching_the_server)
{
    int status;
    pid_t pid;

    procrig_start(&rig, (char *[]){"cat", NULL});
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    pid = fork();
    if (pid == 0) {
        mcph_proc_stop(rig.proc);
        mcph_proc_kill(rig.proc);
        mcph_proc_free(rig.proc, 1000);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    procrig_sleep(20);
    mcph_core_wait(rig.core, 0);
    ck_assert_int_eq(rig.exited, 0);
    ck_assert_int_eq(write(mcph_proc_stdin(rig.proc), "y\n", 2), 2);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "y");
    mcph_proc_stop(rig.proc);
    /* The child must not have removed the sources of the parent from the loop. */
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
}
END_TEST

START_TEST(a_host_that_ignores_sigchld_still_gets_the_status)
{
    signal(SIGCHLD, SIG_IGN);
    procrig_start(&rig, (char *[]){"sh", "-c", "exit 5", NULL});
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.status, 5);
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
}
END_TEST

static void
reap_everything(int sig)
{
    int saved = errno, any = -1;

    (void)sig;
    while (waitpid(any, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

START_TEST(a_host_that_reaps_all_children_still_gets_all_events)
{
    struct sigaction action = {.sa_handler = reap_everything, .sa_flags = SA_RESTART};

    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 5; i++) {
        rig.spec.use_guard = i % 2;
        procrig_start(&rig, (char *[]){"sh", "-c", "exit 5", NULL});
        ck_assert(procrig_until(&rig, &rig.exited, 2000));
        if (rig.spec.use_guard)
            ck_assert_int_eq(rig.status, 5);
        mcph_proc_stop(rig.proc);
        ck_assert(procrig_until(&rig, &rig.gone, 2000));
        procrig_end(&rig);
    }
}
END_TEST

START_TEST(without_the_guard_a_reaping_host_makes_the_status_unknown)
{
    signal(SIGCHLD, SIG_IGN);
    rig.spec.use_guard = false;
    procrig_start(&rig, (char *[]){"sh", "-c", "exit 5", NULL});
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.code, 0);
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "spawn");

    tcase_set_timeout(tc, 15);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_guarded_server_gets_its_pipes_and_ends_with_its_input);
    tcase_add_test(tc, events_come_from_dispatch_and_never_from_spawn);
    tcase_add_test(tc, the_exit_status_is_reported_exactly);
    tcase_add_test(tc, a_death_by_signal_is_reported_with_the_signal);
    tcase_add_test(tc, without_the_program_of_the_guard_no_server_starts);
    tcase_add_loop_test(tc, a_guard_that_lacks_descriptors_fails_the_start_with_e_limit,
                        0, 3);
    tcase_add_test(tc, without_an_optional_guard_a_server_runs_and_an_event_says_why);
    tcase_add_test(tc, a_file_that_is_no_program_fails_with_the_reason);
    tcase_add_test(tc, a_missing_program_is_refused_at_once_by_name);
    tcase_add_test(tc, a_missing_directory_is_refused_by_name);
    tcase_add_test(tc, the_server_runs_in_its_directory);
    tcase_add_test(tc, the_server_gets_the_given_environment_and_its_spawn_id_only);
    tcase_add_test(tc, a_guarded_server_has_the_same_attributes_as_a_direct_child);
    tcase_add_test(tc, the_server_leads_a_process_group_outside_our_session);
    tcase_add_test(tc, an_instance_holds_six_descriptors_and_four_without_the_guard);
    tcase_add_loop_test(tc, without_enough_descriptors_a_start_fails_and_leaves_none_open,
                        0, 2);
    tcase_add_test(tc, our_ends_of_the_pipes_are_close_on_exec_and_nonblocking);
    tcase_add_test(tc, when_a_server_closes_its_output_we_see_a_hang_up);
    tcase_add_test(tc, a_forked_child_frees_without_touching_the_server);
    tcase_add_test(tc, a_host_that_ignores_sigchld_still_gets_the_status);
    tcase_add_test(tc, a_host_that_reaps_all_children_still_gets_all_events);
    tcase_add_test(tc, without_the_guard_a_reaping_host_makes_the_status_unknown);
}

int
main(void)
{
    return test_main("proc-spawn", add);
}
