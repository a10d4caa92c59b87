/* SPDX-License-Identifier: MIT
 *
 * beneath.c - opening what is below a directory, and nothing else.
 *
 * The kernel's openat2() does it in one step.  Where it is missing, or a filter of system
 * calls forbids it, the path is walked name by name.  In both ways no symbolic link is
 * followed anywhere, so that whoever renames and links meanwhile gains nothing: each name
 * is looked up in a directory that is already open.
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

/* No step may lead upwards, whatever the kernel says of it. */
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

/* ---- one step ---------------------------------------------------------------------- */

/* -1 with ENOSYS: it has to be walked. */
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
    /* A filter forbids it; or the kernel knows no such flag; or a rename came between. */
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

/* ---- a walk ------------------------------------------------------------------------ */

/* For a link O_DIRECTORY says that it is no directory. */
static int
why_not(int dir, const char *name, int error)
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
        errno = why_not(dir, name, errno);
        return -1;
    }
    if ((flags & O_PATH) && (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode)))
        return close_with(fd, ELOOP);
    return fd;
}

static int
walk(int dir, const char *path, int flags)
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
        fd = walk(dir, path, flags);
    return mcph_fd_high(fd);
}
