/* SPDX-License-Identifier: MIT
 *
 * test_torture_sys.c - a whole host with real servers in which system calls fail.
 *
 * A fault is a kind of system call and an error.  For each fault, the test counts the
 * calls of the kind in a session without a failure.  In each of about 16 further sessions
 * one call of the kind fails.  TORTURE_STEP=1 (torture.h) tries each call.  If the error
 * is SHORT, there is only one session.  In this session no call fails, but each call of
 * the kind moves only one byte.  Failures that also happen on a healthy system (an
 * interruption, a full pipe, a short write) must have no effect.
 *
 * The functions below replace functions of the C library in this program.
 */
#undef _FORTIFY_SOURCE /* fortified calls would bypass the functions below */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture/session.h"
#include "torture/torture.h"

enum {
    EPOLL_CREATE1,
    EPOLL_CTL,
    EPOLL_CTL_SHORT_OF_MEMORY, /* fails only after a failed allocation */
    EPOLL_WAIT,
    EVENTFD,
    TIMERFD_CREATE,
    TIMERFD_SETTIME,
    PIPE2,
    SOCKETPAIR,
    POSIX_SPAWN,
    PIDFD_OPEN,
    PIDFD_SIGNAL,
    READ,
    WRITE,
    PWRITEV2,
    RECVMSG,
    SEND,
    FCNTL,
    OPEN,
    FACCESSAT,
    STAT,
    WAITID,
    POLL,
    GETRANDOM,
    MMAP,
    MADVISE,
    PTHREAD_CREATE
};

#define NONE  (-1)
#define SHORT (-1) /* a fault that is no errno: a call moves only one byte */

static _Thread_local struct {
    int call, error;
    long nth, seen;
} fail = {.call = NONE};

/* Counts a system call of the chosen kind and checks whether the call must fail.  If the
 * call must fail, sets errno. */
static bool
fails(int call)
{
    if (call != fail.call || fail.seen++ != fail.nth || fail.error == SHORT)
        return false;
    errno = fail.error;
    return true;
}

static size_t
shortened(int call, size_t len)
{
    return call == fail.call && fail.error == SHORT && len > 1 ? 1 : len;
}

/* Declares `real`, a pointer to the C library's own function.  Uses memcpy(), because ISO
 * C has no conversion of an object pointer to a function pointer. */
#define REAL(function)                             \
    static __typeof__(function) *real;             \
    if (!real) {                                   \
        void *found = dlsym(RTLD_NEXT, #function); \
        memcpy(&real, &found, sizeof(real));       \
    }

int
epoll_create1(int flags)
{
    REAL(epoll_create1)
    return fails(EPOLL_CREATE1) ? -1 : real(flags);
}

/* Fails only for EPOLL_CTL_ADD, because only adding a descriptor needs memory. */
int
epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    REAL(epoll_ctl)
    if (op == EPOLL_CTL_ADD &&
        (fails(EPOLL_CTL) || (failing_happened() && fails(EPOLL_CTL_SHORT_OF_MEMORY))))
        return -1;
    return real(epfd, op, fd, event);
}

int
epoll_wait(int epfd, struct epoll_event *events, int n, int ms)
{
    REAL(epoll_wait)
    return fails(EPOLL_WAIT) ? -1 : real(epfd, events, n, ms);
}

int
eventfd(unsigned value, int flags)
{
    REAL(eventfd)
    return fails(EVENTFD) ? -1 : real(value, flags);
}

int
timerfd_create(int clock, int flags)
{
    REAL(timerfd_create)
    return fails(TIMERFD_CREATE) ? -1 : real(clock, flags);
}

int
timerfd_settime(int fd, int flags, const struct itimerspec *new_value,
                struct itimerspec *old)
{
    REAL(timerfd_settime)
    return fails(TIMERFD_SETTIME) ? -1 : real(fd, flags, new_value, old);
}

int
pipe2(int fds[2], int flags)
{
    REAL(pipe2)
    return fails(PIPE2) ? -1 : real(fds, flags);
}

int
socketpair(int domain, int type, int protocol, int fds[2])
{
    REAL(socketpair)
    return fails(SOCKETPAIR) ? -1 : real(domain, type, protocol, fds);
}

int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    REAL(posix_spawn)
    return fails(POSIX_SPAWN) ? errno : real(pid, path, actions, attr, argv, envp);
}

long
syscall(long number, ...)
{
    long a[6];
    va_list ap;
    REAL(syscall)

    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if ((number == SYS_pidfd_open && fails(PIDFD_OPEN)) ||
        (number == SYS_pidfd_send_signal && fails(PIDFD_SIGNAL)))
        return -1;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t
read(int fd, void *data, size_t len)
{
    REAL(read)
    return fails(READ) ? -1 : real(fd, data, shortened(READ, len));
}

ssize_t
write(int fd, const void *data, size_t len)
{
    REAL(write)
    return fails(WRITE) ? -1 : real(fd, data, len);
}

ssize_t
pwritev2(int fd, const struct iovec *iov, int n, off_t at, int flags)
{
    struct iovec part = *iov;
    REAL(pwritev2)

    part.iov_len = shortened(PWRITEV2, iov->iov_len);
    return fails(PWRITEV2) ? -1 : real(fd, &part, n, at, flags);
}

ssize_t
recvmsg(int fd, struct msghdr *msg, int flags)
{
    REAL(recvmsg)
    return fails(RECVMSG) ? -1 : real(fd, msg, flags);
}

ssize_t
send(int fd, const void *data, size_t len, int flags)
{
    REAL(send)
    return fails(SEND) ? -1 : real(fd, data, len, flags);
}

int
fcntl(int fd, int command, ...)
{
    va_list ap;
    long arg;
    REAL(fcntl)

    va_start(ap, command);
    arg = va_arg(ap, long);
    va_end(ap);
    return fails(FCNTL) ? -1 : real(fd, command, arg);
}

int
open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;
    REAL(open)

    va_start(ap, flags);
    mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

int
faccessat(int dir, const char *path, int mode, int flags)
{
    REAL(faccessat)
    return fails(FACCESSAT) ? -1 : real(dir, path, mode, flags);
}

int
stat(const char *restrict path, struct stat *restrict st)
{
    REAL(stat)
    return fails(STAT) ? -1 : real(path, st);
}

int
waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    REAL(waitid)
    return fails(WAITID) ? -1 : real(type, id, info, options);
}

int
poll(struct pollfd *fds, nfds_t n, int ms)
{
    REAL(poll)
    return fails(POLL) ? -1 : real(fds, n, ms);
}

ssize_t
getrandom(void *data, size_t len, unsigned flags)
{
    REAL(getrandom)
    return fails(GETRANDOM) ? -1 : real(data, len, flags);
}

void *
mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    REAL(mmap)
    return fails(MMAP) ? MAP_FAILED : real(at, len, protection, flags, fd, offset);
}

int
madvise(void *at, size_t len, int advice)
{
    REAL(madvise)
    return fails(MADVISE) ? -1 : real(at, len, advice);
}

int
pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
               void *(*start)(void *), void *restrict arg)
{
    REAL(pthread_create)
    return fails(PTHREAD_CREATE) ? errno : real(thread, attr, start, arg);
}

/* ---- the sessions ------------------------------------------------------------------ */

/* Runs a session in which call number `nth` of a kind fails.  The numbers start at 0.  -1
 * means that no call fails.  If `error` is SHORT, each call of the kind moves only one
 * byte.  Returns the number of calls of this kind. */
static long
run_failing(int (*session)(void), int call, int error, long nth, int *ret_code)
{
    torture_begin();
    fail.error = error;
    fail.nth = nth;
    fail.seen = 0;
    fail.call = call;
    *ret_code = session();
    fail.call = NONE;
    session_check();
    return fail.seen;
}

static bool
is_documented(int code)
{
    static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_IO,        MCPHOST_E_SPAWN,
                                MCPHOST_E_LIMIT, MCPHOST_E_TRANSPORT, MCPHOST_E_NOTFOUND,
                                MCPHOST_E_GONE};

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

static const struct fault {
    const char *name;
    int call, error;
    bool harmless; /* the fault must have no effect */
    int (*session)(void);
    long least;
} faults[] = {
    {"epoll_create1", EPOLL_CREATE1, EMFILE, false, session_closed, 1},
    {"epoll_ctl", EPOLL_CTL, ENOMEM, false, session_closed, 5},
    {"epoll_ctl", EPOLL_CTL, ENOSPC, false, session_dropped, 5},
    {"epoll_ctl", EPOLL_CTL, ENOSPC, false, session_troubled, 5},
    {"epoll_wait", EPOLL_WAIT, EINTR, true, session_closed, 5},
    {"eventfd", EVENTFD, EMFILE, false, session_closed, 1},
    {"timerfd_create", TIMERFD_CREATE, EMFILE, false, session_closed, 1},
    {"timerfd_settime", TIMERFD_SETTIME, ENOMEM, true, session_polled, 1},
    {"pipe2", PIPE2, EMFILE, false, session_closed, 6},
    {"pipe2", PIPE2, ENFILE, false, session_dropped, 6},
    {"pipe2", PIPE2, EMFILE, false, session_troubled, 6},
    {"socketpair", SOCKETPAIR, EMFILE, false, session_closed, 2},
    {"posix_spawn", POSIX_SPAWN, EAGAIN, false, session_closed, 2},
    {"posix_spawn", POSIX_SPAWN, ENOMEM, false, session_dropped, 2},
    /* EACCES means that the guard is not executable. */
    {"posix_spawn", POSIX_SPAWN, EACCES, false, session_closed, 2},
    {"pidfd_open", PIDFD_OPEN, EMFILE, false, session_closed, 2},
    {"pidfd_open", PIDFD_OPEN, ENOSYS, true, session_closed, 2},
    {"pidfd_send_signal", PIDFD_SIGNAL, ENOSYS, true, session_dropped, 0},
    {"read", READ, EINTR, true, session_closed, 20},
    {"read", READ, EAGAIN, true, session_closed, 20},
    {"read", READ, EIO, false, session_closed, 20},
    {"read", READ, SHORT, true, session_closed, 20},
    {"write", WRITE, EAGAIN, true, session_polled, 1},
    {"pwritev2", PWRITEV2, EINTR, true, session_closed, 8},
    {"pwritev2", PWRITEV2, EAGAIN, true, session_closed, 8},
    {"pwritev2", PWRITEV2, EPIPE, false, session_closed, 8},
    {"pwritev2", PWRITEV2, EOPNOTSUPP, true, session_closed, 1},
    {"pwritev2", PWRITEV2, SHORT, true, session_closed, 8},
    {"recvmsg", RECVMSG, EINTR, true, session_closed, 4},
    {"recvmsg", RECVMSG, EAGAIN, true, session_closed, 4},
    {"recvmsg", RECVMSG, ECONNRESET, false, session_closed, 4},
    {"send", SEND, EAGAIN, true, session_dropped, 1},
    {"send", SEND, EPIPE, true, session_dropped, 1},
    {"fcntl", FCNTL, EMFILE, false, session_closed, 6},
    {"faccessat", FACCESSAT, EACCES, false, session_closed, 2},
    {"stat", STAT, ENOENT, false, session_closed, 2},
    {"waitid", WAITID, EINTR, true, session_closed, 2},
    {"poll", POLL, EINTR, true, session_dropped, 1},
    {"getrandom", GETRANDOM, EINTR, true, session_closed, 1},
    {"getrandom", GETRANDOM, ENOSYS, false, session_closed, 1},
    {"mmap", MMAP, ENOMEM, true, session_closed, 1},
    {"madvise", MADVISE, EINVAL, true, session_closed, 1},
    {"pthread_create", PTHREAD_CREATE, EAGAIN, true, session_threaded, 1},
};

#define TRIES 16 /* approximate number of sessions for each fault */

static void
check_fault(const struct fault *f, long nth, int code)
{
    const char *what = f->error == SHORT ? "one byte" : strerror(f->error);

    ck_assert_msg(!torture_broken(), "%s %ld with %s: %s", f->name, nth, what,
                  torture_broken());
    ck_assert_msg(code == 0 || (!f->harmless && is_documented(code)),
                  "%s %ld with %s: code %d", f->name, nth, what, code);
}

START_TEST(if_a_system_call_fails_a_host_ends_each_call_once_and_leaves_nothing)
{
    const struct fault *f = &faults[_i];
    long n, step;
    int code;

    n = run_failing(f->session, f->call, f->error, -1, &code);
    check_fault(f, -1, code);
    ck_assert_msg(n >= f->least, "%s: only %ld of it", f->name, n);
    if (f->error == SHORT)
        return;
    step = torture_step((n + TRIES - 1) / TRIES);
    for (long nth = torture_first(); nth < n; nth += step) {
        (void)run_failing(f->session, f->call, f->error, nth, &code);
        check_fault(f, nth, code);
    }
    (void)run_failing(f->session, NONE, 0, -1, &code);
    check_fault(f, n, code);
    ck_assert_int_eq(code, 0);
}
END_TEST

START_TEST(if_epoll_ctl_fails_after_an_allocation_a_host_still_leaves_nothing)
{
    long n, step;
    int code;

    failing_arm(-1, FAIL_ONCE);
    (void)run_failing(session_closed, NONE, 0, -1, &code);
    n = failing_disarm();
    ck_assert_int_gt(n, 300);
    step = torture_step(n / TRIES);
    for (long nth = torture_first(); nth < n; nth += step) {
        torture_begin();
        fail.error = ENOSPC;
        fail.nth = fail.seen = 0;
        fail.call = EPOLL_CTL_SHORT_OF_MEMORY;
        failing_arm(nth, FAIL_ONCE);
        code = session_closed();
        (void)failing_disarm();
        fail.call = NONE;
        session_check();
        ck_assert_msg(!torture_broken(), "allocation %ld: %s", nth, torture_broken());
        ck_assert_msg(code == 0 || is_documented(code), "allocation %ld: code %d", nth,
                      code);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sessions");

    tcase_add_checked_fixture(tc, session_up, session_down);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, if_a_system_call_fails_a_host_ends_each_call_once_and_leaves_nothing, 0,
        (int)(sizeof(faults) / sizeof(faults[0])));
    tcase_add_test(tc,
                   if_epoll_ctl_fails_after_an_allocation_a_host_still_leaves_nothing);
}

int
main(void)
{
    return torture_main("torture-sys", add);
}
