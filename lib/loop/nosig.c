/* SPDX-License-Identifier: MIT
 *
 * nosig.c - keep SIGPIPE away from the process: write to a pipe whose reader may have
 * closed it, and block signals while a library runs that may write to closed sockets.
 *
 * The process's signal handling does not change.  Linux 6.18 can suppress the signal
 * (RWF_NOSIGNAL).  On older kernels write_masked() blocks the signal in this thread
 * during the write.  If the write caused a SIGPIPE, write_masked() takes the signal from
 * the queue before it restores the mask.  A SIGPIPE that was pending before stays
 * pending.
 */
#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "loop/loop.h"

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x00000100
#endif

static ssize_t
write_masked(int fd, const void *data, size_t len)
{
    static const struct timespec no_time;
    sigset_t pipe_only, old, pending;
    bool was_pending;
    ssize_t n;
    int e;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
    n = write(fd, data, len);
    e = errno;
    if (n < 0 && e == EPIPE && !was_pending)
        while (sigtimedwait(&pipe_only, NULL, &no_time) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = e;
    return n;
}

ssize_t
mcph_write_nosig(int fd, const void *data, size_t len)
{
    static atomic_bool unsupported;
    struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
    ssize_t n;

    if (!atomic_load_explicit(&unsupported, memory_order_relaxed)) {
        n = pwritev2(fd, &iov, 1, -1, RWF_NOSIGNAL);
        if (n >= 0 || (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS))
            return n;
        atomic_store_explicit(&unsupported, true, memory_order_relaxed);
    }
    return write_masked(fd, data, len);
}

_Static_assert(sizeof(((struct mcph_sigguard *)0)->old) >= sizeof(sigset_t),
               "a mask fits into the guard");

void
mcph_sigguard_enter(struct mcph_sigguard *guard)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    memcpy(guard->old, &old, sizeof(old));
}

void
mcph_sigguard_leave(const struct mcph_sigguard *guard)
{
    static const struct timespec no_time;
    sigset_t old, pipe_only, pending;

    memcpy(&old, guard->old, sizeof(old));
    /* If the old mask does not block SIGPIPE, take a pending SIGPIPE from the queue.  The
     * enclosed calls have caused this signal: an unblocked signal is never pending. */
    if (sigismember(&old, SIGPIPE) == 0) {
        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) == 1) {
            sigemptyset(&pipe_only);
            sigaddset(&pipe_only, SIGPIPE);
            while (sigtimedwait(&pipe_only, NULL, &no_time) < 0 && errno == EINTR)
                ;
        }
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
