/* SPDX-License-Identifier: MIT
 *
 * sys.h - the system calls of mcphost-guard.
 *
 * On x86-64 and aarch64, the functions make the calls without a C library.  Elsewhere, or
 * with -DGUARD_LIBC (for tests), the functions use syscall(2).
 *
 * The guard takes only constants and layouts from the headers of the C library.  Most
 * functions return the value of the kernel, or a negative errno.
 */
#ifndef GUARD_SYS_H
#define GUARD_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#if !defined(GUARD_LIBC) && \
    ((defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__))
#define GUARD_RAW 1
#endif

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#define GUARD_CLONE_INTO_CGROUP 0x200000000ull

/* A flag of pidfd_send_signal() that signals the process group of the process (Linux
 * 6.9). */
#define GUARD_PIDFD_GROUP (1u << 2)

/* A set of signals as the kernel defines it. */
typedef uint64_t guard_sigset;
#define GUARD_SIG(n) ((guard_sigset)1 << ((n)-1))

/* Runs fn(arg) in a new process that shares the caller's memory, on the stack below
 * `stack_top`.  With CLONE_VFORK in `flags`, the caller sleeps until the new process
 * executes a program or ends.  Returns the pid, or a negative errno.  With a C library,
 * the memory is shared only if CLONE_VFORK is set. */
long guard_clone(unsigned long flags, int (*fn)(void *), void *arg, void *stack_top);

#define GUARD_SHARE 0x111ul  /* CLONE_VM, SIGCHLD */
#define GUARD_VFORK 0x4111ul /* GUARD_SHARE and CLONE_VFORK */
#define GUARD_SIDE \
    0x8111ul /* GUARD_SHARE and CLONE_PARENT, for a sibling; fails with a C library */

/* Runs fn(arg) like guard_clone() with GUARD_VFORK, but in the control group of the
 * directory `cgroup` (clone3).  `len` is the size of `stack`.  Returns the pid, or a
 * negative errno.  With a C library, returns -ENOSYS. */
long guard_clone_into(int cgroup, int (*fn)(void *), void *arg, void *stack, size_t len);

#define GUARD_NEWUSER 0x10000000ul
#define GUARD_NEWPID  0x20000000ul

int guard_main(int argc, char **argv, char **envp);

#ifdef GUARD_RAW

#if defined(__x86_64__)
static inline long
sys_call(long n, long a, long b, long c, long d, long e, long f)
{
    long ret;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}
#else
static inline long
sys_call(long n, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#endif

#else /* with a C library */

#include <unistd.h>

static inline long
sys_call(long n, long a, long b, long c, long d, long e, long f)
{
    long r = syscall(n, a, b, c, d, e, f);

    return r < 0 ? -(long)errno : r;
}
#endif

#define SYS0(n)          sys_call(SYS_##n, 0, 0, 0, 0, 0, 0)
#define SYS1(n, a)       sys_call(SYS_##n, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b)    sys_call(SYS_##n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call(SYS_##n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) \
    sys_call(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e) \
    sys_call(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS6(n, a, b, c, d, e, f) \
    sys_call(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline pid_t
sys_getpid(void)
{
    return (pid_t)SYS0(getpid);
}

static inline pid_t
sys_getppid(void)
{
    return (pid_t)SYS0(getppid);
}

static inline long
sys_kill(pid_t pid, int sig)
{
    return SYS2(kill, pid, sig);
}

static inline long
sys_close(int fd)
{
    return SYS1(close, fd);
}

static inline long
sys_open(const char *path, int flags)
{
    return SYS4(openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

/* Writes `text` to an existing file of the kernel, such as a file of /proc.  Returns 0 or
 * a negative errno. */
static inline long
sys_put(int dirfd, const char *path, const char *text, size_t len)
{
    long r, fd = SYS4(openat, dirfd, path, O_WRONLY | O_CLOEXEC, 0);

    if (fd < 0)
        return fd;
    r = SYS3(write, fd, text, len);
    SYS1(close, fd);
    return r < 0 ? r : 0;
}

static inline long
sys_read(int fd, void *data, size_t len)
{
    return SYS3(read, fd, data, len);
}

static inline long
sys_rmdir(int dirfd, const char *path)
{
    return SYS3(unlinkat, dirfd, path, AT_REMOVEDIR);
}

static inline long
sys_getdents(int fd, void *data, size_t len)
{
    return SYS3(getdents64, fd, data, len);
}

static inline long
sys_readlink(const char *path, char *data, size_t len)
{
    return SYS4(readlinkat, AT_FDCWD, path, data, len);
}

/* Reads a state change of the caller's children without waiting.  `options` names the
 * changes: WEXITED, WSTOPPED.  Without WNOWAIT, the call consumes the change, and reaps a
 * dead child.  Returns 0 if there is a matching child, alive or dead, else -ECHILD or
 * another error.  info->si_pid is 0 if no matching child has one of the changes. */
static inline long
sys_child(int type, pid_t id, siginfo_t *info, int options)
{
    info->si_pid = 0;
    return SYS5(waitid, type, id, info, options | WNOHANG | __WALL, 0);
}

static inline long
sys_prctl(int op, unsigned long arg)
{
    return SYS5(prctl, op, arg, 0, 0, 0);
}

static inline long
sys_pidfd_open(pid_t pid)
{
    return SYS2(pidfd_open, pid, 0);
}

static inline long
sys_pidfd_signal(int fd, int sig, unsigned flags)
{
    return SYS4(pidfd_send_signal, fd, sig, 0, flags);
}

static inline long
sys_sigmask(int how, const guard_sigset *set, guard_sigset *old)
{
    return SYS4(rt_sigprocmask, how, set, old, sizeof(*set));
}

static inline long
sys_signalfd(guard_sigset set)
{
    return SYS4(signalfd4, -1, &set, sizeof(set), SFD_CLOEXEC | SFD_NONBLOCK);
}

static inline long
sys_sigwait(guard_sigset set)
{
    return SYS4(rt_sigtimedwait, &set, 0, 0, sizeof(set));
}

static inline long
sys_sendmsg(int fd, const struct msghdr *msg)
{
    return SYS3(sendmsg, fd, msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline long
sys_recv(int fd, void *data, size_t len)
{
    return SYS6(recvfrom, fd, data, len, MSG_DONTWAIT, 0, 0);
}

static inline long
sys_poll(struct pollfd *fds, nfds_t n, int64_t ms)
{
#ifdef GUARD_RAW
    struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};

    return SYS5(ppoll, fds, n, ms < 0 ? NULL : &ts, 0, 0);
#else
    return poll(fds, n, (int)ms) < 0 ? -(long)errno : 0;
#endif
}

static inline int64_t
sys_now_ms(void)
{
    struct timespec ts;

#ifdef GUARD_RAW
    SYS2(clock_gettime, CLOCK_MONOTONIC, &ts);
#else
    clock_gettime(CLOCK_MONOTONIC, &ts);
#endif
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

_Noreturn static inline void
sys_end(int status)
{
    for (;;)
        SYS1(exit_group, status);
}

#endif
