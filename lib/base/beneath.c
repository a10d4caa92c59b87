/* SPDX-License-Identifier: MIT
 *
 * beneath.c - open a path below a directory, without ever leaving that directory.
 *
 * The kernel's openat2() opens the path in one step.  If openat2() is missing, or a
 * system call filter forbids openat2(), open_by_walk() walks the path name by name.
 * Neither way follows a symbolic link.  Each name is looked up in a directory that is
 * already open, so that nobody can redirect the path by renaming or linking at the same
 * time.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "base/base.h"

static bool
is_name(const char *name, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(name, text, len) == 0;
}

/* Returns true if the path is absolute or contains "..".  The kernel would allow a ".."
 * that stays below the directory.  The library allows no "..". */
static bool
leads_out(const char *path)
{
    bool out = path[0] == '/';

    while (!out && *path) {
        size_t len = strcspn(path, "/");

        out = is_name(path, len, "..");
        path += len;
        path += strspn(path, "/");
    }
    return out;
}

static int
close_with(int fd, int error)
{
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

/* ---- openat2() --------------------------------------------------------------------- */

/* Opens the path with openat2().  Returns -1 with ENOSYS if the path has to be walked. */
static int
open_at_once(int dir, const char *path, int flags)
{
#ifdef SYS_openat2
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                      RESOLVE_NO_MAGICLINKS};
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

    if (fd >= 0)
        return (int)fd;
    /* Walk the path if a filter forbids openat2() (EPERM), if the kernel does not know a
     * flag (E2BIG, EINVAL), or if a rename happened at the same time (EAGAIN). */
    if (errno == EPERM || errno == E2BIG || errno == EINVAL || errno == EAGAIN)
        errno = ENOSYS;
    return -1;
#else
    (void)dir;
    (void)path;
    (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

/* ---- walking name by name ---------------------------------------------------------- */

/* Returns the errno to report for a failed open.  With O_DIRECTORY the kernel reports
 * ENOTDIR for a symbolic link.  The callers expect ELOOP. */
static int
errno_of_open(int dir, const char *name, int error)
{
    struct stat st;

    if (error == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(st.st_mode))
        return ELOOP;
    return error == EMLINK ? ELOOP : error;
}

static int
open_name(int dir, const char *name, int flags)
{
    int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0) {
        errno = errno_of_open(dir, name, errno);
        return -1;
    }
    if ((flags & O_PATH) && (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode)))
        return close_with(fd, ELOOP);
    return fd;
}

static int
open_by_walk(int dir, const char *path, int flags)
{
    char name[NAME_MAX + 1];
    int at = -1, fd;

    for (;;) {
        size_t len = strcspn(path, "/");
        const char *next = path + len + strspn(path + len, "/");

        if (len > NAME_MAX)
            return close_with(at, ENAMETOOLONG);
        memcpy(name, path, len);
        name[len] = '\0';
        if (!*next)
            break;
        fd = open_name(at < 0 ? dir : at, name, O_PATH | O_DIRECTORY);
        if (fd < 0)
            return close_with(at, errno);
        if (at >= 0)
            close(at);
        at = fd;
        path = next;
    }
    fd = open_name(at < 0 ? dir : at, name, flags);
    if (fd < 0)
        return close_with(at, errno);
    if (at >= 0)
        close(at);
    return fd;
}

int
mcph_open_beneath(int dir, const char *path, int flags, bool by_steps)
{
    int fd = -1;

    if (leads_out(path)) {
        errno = EXDEV;
        return -1;
    }
    if (!*path)
        path = ".";
    errno = ENOSYS;
    if (!by_steps)
        fd = open_at_once(dir, path, flags);
    if (fd < 0 && errno == ENOSYS)
        fd = open_by_walk(dir, path, flags);
    return mcph_fd_high(fd);
}
