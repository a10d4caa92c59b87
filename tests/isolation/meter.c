/* SPDX-License-Identifier: MIT
 *
 * meter.c - measures one turn of the loop in numbers that do not depend on the machine's
 * load.
 *
 * The numbers are bytes read and written, allocations, and the thread's own CPU time.  To
 * count bytes, the program defines read(), write() and similar functions itself.  The
 * dynamic linker binds libcurl's calls to these functions instead of the functions in
 * libc, because libcurl is a shared library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "isolation/isolation.h"

static _Thread_local struct {
    bool on;
    struct turn now;
    struct timespec begun;
} meter;

/* ---- bytes ------------------------------------------------------------------------- */

static ssize_t
count(int64_t *sum, long n)
{
    if (meter.on && n > 0)
        *sum += n;
    return n;
}

ssize_t
read(int fd, void *buf, size_t len)
{
    return count(&meter.now.bytes_in, syscall(SYS_read, fd, buf, len));
}

ssize_t
recv(int fd, void *buf, size_t len, int flags)
{
    return count(&meter.now.bytes_in,
                 syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL));
}

ssize_t
write(int fd, const void *buf, size_t len)
{
    return count(&meter.now.bytes_out, syscall(SYS_write, fd, buf, len));
}

ssize_t
send(int fd, const void *buf, size_t len, int flags)
{
    return count(&meter.now.bytes_out, syscall(SYS_sendto, fd, buf, len, flags, NULL, 0));
}

ssize_t
pwritev2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
    return count(&meter.now.bytes_out,
                 syscall(SYS_pwritev2, fd, iov, (long)n, (long)offset, 0L, flags));
}

/* ---- allocations ------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const bool meter_has_steps = false;
#else
const bool meter_has_steps = true;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

void *
malloc(size_t size)
{
    meter.now.steps += meter.on;
    return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    meter.now.steps += meter.on;
    return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
    meter.now.steps += meter.on;
    return __libc_realloc(p, size);
}
#endif

/* ---- one turn ---------------------------------------------------------------------- */

void
meter_begin(void)
{
    meter.now = (struct turn){0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &meter.begun);
    meter.on = true;
}

void
meter_end(struct turn *ret)
{
    struct timespec end;

    meter.on = false;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    meter.now.cpu_ns = (int64_t)(end.tv_sec - meter.begun.tv_sec) * 1000000000 +
                       (end.tv_nsec - meter.begun.tv_nsec);
    *ret = meter.now;
}
