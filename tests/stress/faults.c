/* SPDX-License-Identifier: MIT
 *
 * faults.c - system calls that fail now and then.
 *
 * The functions below replace functions of the C library.  The library under test is
 * linked into this program, and therefore calls these functions.  The faults are a full
 * disk, files that cannot be read, inotify at its limits, an inotify descriptor that
 * breaks, and a wall clock that is wrong.  Only one read() of the inotify descriptor
 * fails.  Each other fault lasts until a step ends it.  A wrong wall clock does not
 * affect the kernel's time stamps of files.
 */
#undef _FORTIFY_SOURCE /* fortified calls would bypass the functions below */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stress/stress.h"

static atomic_int disk, unreadable, init_errno, add_errno, read_errno;
static atomic_int inotify_fd = -1;
static atomic_long wall_s;

/* ---- functions that the library calls ---------------------------------------------- */

static bool
ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), n = strlen(end);

    return len >= n && strcmp(path + len - n, end) == 0;
}

int
open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (flags & O_CREAT)
        mode = va_arg(ap, mode_t);
    va_end(ap);
    if (atomic_load(&unreadable) && (flags & O_ACCMODE) == O_RDONLY &&
        ends_with(path, "/mcp.yaml")) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
openat(int dir, const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (flags & O_CREAT)
        mode = va_arg(ap, mode_t);
    va_end(ap);
    if (flags & O_CREAT && atomic_load(&disk) == FULL_FOR_NAMES) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

/* With FULL_FOR_BYTES, a write() to an empty file writes half of the bytes, as on a full
 * disk.  A write() of one byte, or to a file that is not empty, fails. */
ssize_t
write(int fd, const void *data, size_t len)
{
    struct stat status;
    int how = atomic_load(&disk);

    if (how == FULL_FOR_BYTES && fd > 2 && fstat(fd, &status) == 0 &&
        S_ISREG(status.st_mode)) {
        if (status.st_size > 0 || len < 2) {
            errno = ENOSPC;
            return -1;
        }
        len /= 2;
    }
    return syscall(SYS_write, fd, data, len);
}

int
fsync(int fd)
{
    struct stat status;

    if (atomic_load(&disk) == FULL_FOR_SYNC && fstat(fd, &status) == 0 &&
        S_ISREG(status.st_mode)) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int
inotify_init1(int flags)
{
    int fd, error = atomic_load(&init_errno);

    if (error) {
        errno = error;
        return -1;
    }
    fd = (int)syscall(SYS_inotify_init1, flags);
    atomic_store(&inotify_fd, fd);
    return fd;
}

int
inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    int error = atomic_load(&add_errno);

    if (error) {
        errno = error;
        return -1;
    }
    return (int)syscall(SYS_inotify_add_watch, fd, path, mask);
}

ssize_t
read(int fd, void *data, size_t len)
{
    int error = atomic_load(&read_errno);

    if (error && fd >= 0 && fd == atomic_load(&inotify_fd)) {
        atomic_store(&read_errno, 0);
        errno = error;
        return -1;
    }
    return syscall(SYS_read, fd, data, len);
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    int r = (int)syscall(SYS_clock_gettime, id, ts);

    if (r == 0 && id == CLOCK_REALTIME)
        ts->tv_sec += atomic_load(&wall_s);
    return r;
}

/* ---- functions that the steps call ------------------------------------------------- */

void
faults_disk(int how)
{
    atomic_store(&disk, how);
}

void
faults_unreadable(bool yes)
{
    atomic_store(&unreadable, yes);
}

void
faults_inotify(int init, int add)
{
    atomic_store(&init_errno, init);
    atomic_store(&add_errno, add);
    /* Break the open descriptor, too.  Otherwise the library would not meet the new
     * limit. */
    atomic_store(&read_errno, init || add ? EIO : 0);
}

void
faults_clock(long seconds)
{
    atomic_store(&wall_s, seconds);
}

bool
faults_clock_is_set(void)
{
    return atomic_load(&wall_s) != 0;
}
