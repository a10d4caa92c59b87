/* SPDX-License-Identifier: MIT
 *
 * sys.c - clocks, random bytes, digests and file descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* Reads a clock in ms.  The function is inline, because a tool call reads the clock
 * several times. */
static inline __attribute__((always_inline)) int64_t
clock_ms(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
mcph_clock_monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

int64_t
mcph_clock_realtime_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

int64_t
mcph_clock_thread_ms(void)
{
    return clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

int
mcph_fd_lift(int fd, int min)
{
    int above, e;

    if (fd < 0 || fd >= min)
        return fd;
    above = fcntl(fd, F_DUPFD_CLOEXEC, min);
    e = errno;
    close(fd);
    errno = e;
    return above;
}

unsigned
mcph_fd_plug(void)
{
    unsigned plugs = 0;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (; fd >= 0 && fd <= 2; fd = open("/dev/null", O_RDWR | O_CLOEXEC))
        plugs |= 1U << fd;
    if (fd >= 0)
        close(fd);
    return plugs;
}

void
mcph_fd_unplug(unsigned plugs)
{
    for (int fd = 0; fd <= 2; fd++)
        if (plugs & 1U << fd)
            close(fd);
}

int
mcph_random_bytes(void *ret_data, size_t len)
{
    char *p = ret_data;

    while (len) {
        ssize_t n = getrandom(p, len, 0);

        if (n < 0) {
            if (errno == EINTR)
                continue;
            return MCPHOST_E_IO;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int
mcph_sha256(const void *data, size_t len, unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    struct mcph_sha256 sha;

    mcph_sha256_init(&sha);
    mcph_sha256_add(&sha, data, len);
    mcph_sha256_end(&sha, ret_digest);
    return 0;
}

void
mcph_hex(const unsigned char *data, size_t len, char *ret_hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        ret_hex[2 * i] = digits[data[i] >> 4];
        ret_hex[2 * i + 1] = digits[data[i] & 15];
    }
    ret_hex[2 * len] = '\0';
}
