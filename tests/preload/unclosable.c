/* SPDX-License-Identifier: MIT
 *
 * unclosable.c - a library to preload into mcphostctl, so that the host of mcphostctl
 * never closes.
 *
 * mcphost_close() closes nothing.  After the first call of mcphost_close(),
 * clock_gettime() adds 20 s to the monotonic clock, and poll() waits for at most 1 ms.
 * The program therefore notices at once that its deadline has passed.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct mcphost;
int mcphost_close(struct mcphost *host);

static atomic_bool closing;

__attribute__((visibility("default"))) int
mcphost_close(struct mcphost *host)
{
    (void)host;
    closing = true;
    return 0;
}

__attribute__((visibility("default"))) int
clock_gettime(clockid_t id, struct timespec *ts)
{
    int r = (int)syscall(SYS_clock_gettime, id, ts);

    if (r == 0 && id == CLOCK_MONOTONIC && closing)
        ts->tv_sec += 20;
    return r;
}

__attribute__((visibility("default"))) int
poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct timespec ts = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

    if (closing)
        ts = (struct timespec){0, 1000000};
    return (int)syscall(SYS_ppoll, fds, n, timeout_ms < 0 && !closing ? NULL : &ts, NULL,
                        0);
}
