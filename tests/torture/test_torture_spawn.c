/* SPDX-License-Identifier: MIT
 *
 * test_torture_spawn.c - the start of a process in which one allocation or one call of
 * the functions below fails.
 *
 * The start fails as documented, or it works.  No descriptor and no child process is
 * left.
 *
 * The tests make each call and each allocation fail in turn.  The functions below replace
 * functions of the C library in this program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/procrig.h"
#include "support/runner.h"
#include "torture/failing.h"

enum { PIPE2, SOCKETPAIR, EPOLL_CTL, POSIX_SPAWN, PIDFD_OPEN, CALLS };

static const char *const names[] = {"pipe2", "socketpair", "epoll_ctl", "posix_spawn",
                                    "pidfd_open"};
static int fail_call = -1, fail_nth, fail_errno, seen;

/* Counts a system call of the chosen kind and checks whether the call must fail.  If the
 * call must fail, sets errno. */
static bool
fails(int call)
{
    if (call != fail_call || seen++ != fail_nth)
        return false;
    errno = fail_errno;
    return true;
}

/* Declares `real`, a pointer to the C library's own function.  Uses memcpy(), because ISO
 * C has no conversion of an object pointer to a function pointer. */
#define REAL(function)                         \
    __typeof__(function) *real;                \
    void *found = dlsym(RTLD_NEXT, #function); \
    memcpy(&real, &found, sizeof(real))

int
pipe2(int fds[2], int flags)
{
    REAL(pipe2);

    return fails(PIPE2) ? -1 : real(fds, flags);
}

int
socketpair(int domain, int type, int protocol, int fds[2])
{
    REAL(socketpair);

    return fails(SOCKETPAIR) ? -1 : real(domain, type, protocol, fds);
}

int
epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    REAL(epoll_ctl);

    return op == EPOLL_CTL_ADD && fails(EPOLL_CTL) ? -1 : real(epfd, op, fd, event);
}

int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    REAL(posix_spawn);

    return fails(POSIX_SPAWN) ? fail_errno : real(pid, path, actions, attr, argv, envp);
}

long
syscall(long number, ...)
{
    long a[6];
    va_list ap;
    REAL(syscall);

    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_pidfd_open && fails(PIDFD_OPEN))
        return -1;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static struct rig rig;

static void
up(void)
{
    static char cat[] = "cat", *argv[] = {cat, NULL};

    procrig_up(&rig);
    rig.argv = argv;
}

static void
down(void)
{
    procrig_down(&rig);
}

/* Starts a process while call number `nth` of a kind fails.  The numbers start at 0.
 * Returns false if the start makes no call with this number. */
static bool
start_fails_once(int call, int nth, int err, int want)
{
    int before = procrig_count_fds(), r;
    mcphost_error *error = NULL;

    fail_call = call;
    fail_nth = nth;
    fail_errno = err;
    seen = 0;
    r = procrig_try(&rig, &error);
    fail_call = -1;
    if (seen <= nth) {
        ck_assert_int_eq(r, 0);
        procrig_end(&rig);
        return false;
    }
    if (r != want)
        ck_abort_msg("%s %d with %s: %d (%s)", names[call], nth, strerror(err), r,
                     error ? mcphost_error_get_message(error) : "works");
    if (r < 0)
        ck_assert_ptr_null(rig.proc);
    else
        ck_assert(procrig_until(&rig, &rig.started, 2000)); /* the failure is harmless */
    mcphost_error_unref(error);
    procrig_end(&rig);
    ck_assert_int_eq(procrig_count_fds(), before);
    procrig_no_children();
    return true;
}

static const struct {
    int call, err, want, least;
} calls[] = {
    {PIPE2, EMFILE, MCPHOST_E_LIMIT, 3},
    {PIPE2, ENFILE, MCPHOST_E_LIMIT, 3},
    {SOCKETPAIR, EMFILE, MCPHOST_E_LIMIT, 1},
    {SOCKETPAIR, ENOMEM, MCPHOST_E_NOMEM, 1},
    {EPOLL_CTL, ENOSPC, MCPHOST_E_LIMIT, 3},
    {EPOLL_CTL, ENOMEM, MCPHOST_E_LIMIT, 3},
    {POSIX_SPAWN, EAGAIN, MCPHOST_E_LIMIT, 1},
    {POSIX_SPAWN, ENOMEM, MCPHOST_E_NOMEM, 1},
    {POSIX_SPAWN, EMFILE, MCPHOST_E_LIMIT, 1},
    {POSIX_SPAWN, E2BIG, MCPHOST_E_SPAWN, 1},
    {POSIX_SPAWN, EACCES, MCPHOST_E_SPAWN, 1}, /* the guard is not executable */
    {PIDFD_OPEN, EMFILE, MCPHOST_E_LIMIT, 1},
    {PIDFD_OPEN, ENOSYS, 0, 1},
    {PIDFD_OPEN, EPERM, 0, 1},
};

START_TEST(a_system_call_that_fails_leaves_nothing_half_open)
{
    int n = 0;

    while (n < 50 && start_fails_once(calls[_i].call, n, calls[_i].err, calls[_i].want))
        n++;
    ck_assert_int_ge(n, calls[_i].least);
    ck_assert_int_lt(n, 50);
}
END_TEST

START_TEST(an_allocation_that_fails_leaves_nothing_half_open)
{
    long n = 0, made = 0;

    do {
        int before = procrig_count_fds(), r;
        mcphost_error *error = NULL;

        rig.spec.use_guard = _i == 0;
        failing_arm(n, FAIL_ONCE);
        r = procrig_try(&rig, &error);
        made = failing_disarm();
        if (n < made && r < 0)
            ck_assert_int_eq(r, MCPHOST_E_NOMEM);
        else
            ck_assert_int_eq(r, 0);
        mcphost_error_unref(error);
        procrig_end(&rig);
        ck_assert_int_eq(procrig_count_fds(), before);
        procrig_no_children();
    } while (n++ < made && n < 200);
    ck_assert_int_ge(made, 5);
    ck_assert_int_lt(n, 200);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "spawn");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_system_call_that_fails_leaves_nothing_half_open, 0,
                        (int)MCPH_ARRAY_SIZE(calls));
    tcase_add_loop_test(tc, an_allocation_that_fails_leaves_nothing_half_open, 0, 2);
}

int
main(void)
{
    return test_main("torture-spawn", add);
}
