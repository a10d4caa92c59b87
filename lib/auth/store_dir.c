/* SPDX-License-Identifier: MIT
 *
 * store_dir.c - the directory of the file store: make it, open it and the files in it,
 * and refuse a directory or a file that other users could read or change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/store_inner.h"

int
mcph_store_default_dir(const char *state_home, const char *home, char **ret,
                       mcphost_error **reterr)
{
    char *path;

    if (state_home && *state_home == '/')
        path = mcph_asprintf("%s/mcphost", state_home);
    else if (home && *home == '/')
        path = mcph_asprintf("%s/.local/state/mcphost", home);
    else
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "there is no directory for tokens: neither XDG_STATE_HOME nor "
                        "HOME is set to an absolute path");
    if (!path)
        return mcph_err_nomem(reterr);
    *ret = path;
    return 0;
}

/* Makes a directory and its parents.  Ignores failures of mkdir(), because opening the
 * directory then fails. */
static int
make_dirs(const char *path, mcphost_error **reterr)
{
    char *part = mcph_strdup(path);

    if (!part)
        return mcph_err_nomem(reterr);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(part, 0700);
        *p = '/';
    }
    (void)mkdir(part, 0700);
    free(part);
    return 0;
}

/* Checks that a directory (`name` is NULL) or a file belongs to the user of this process,
 * and that its mode gives no rights to other users.  Also refuses a file that is not a
 * regular file. */
static int
check_owner(int fd, const char *path, const char *name, mcphost_error **reterr)
{
    const char *slash = name ? "/" : "";
    struct stat st;

    name = name ? name : "";
    if (fstat(fd, &st) < 0)
        return mcph_err_os(reterr, errno, "cannot examine '%s%s%s'", path, slash, name);
    if (*name && !S_ISREG(st.st_mode))
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tokens are not used: '%s%s%s' is not a regular file", path,
                        slash, name);
    if (st.st_uid != geteuid())
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tokens are not used: '%s%s%s' belongs to the user %u, and this "
                        "process to the user %u",
                        path, slash, name, (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & 077)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tokens are not used: the mode %04o of '%s%s%s' gives rights to "
                        "other users; use chmod %s",
                        (unsigned)st.st_mode & 07777, path, slash, name,
                        *name ? "600" : "700");
    return 0;
}

static int
open_path(const char *path)
{
    return mcph_fd_high(
        open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

int
mcph_store_dir_open(const char *path, bool make, int *ret_fd, mcphost_error **reterr)
{
    int fd = open_path(path), r;

    if (fd < 0 && errno == ENOENT && make) {
        r = make_dirs(path, reterr);
        if (r < 0)
            return r;
        fd = open_path(path);
    }
    if (fd < 0 && errno == ENOENT)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'", path);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tokens are not used: '%s' is a symbolic link, or not a "
                        "directory",
                        path);
    if (fd < 0)
        return mcph_err_os(reterr, errno, "cannot open '%s'", path);
    r = check_owner(fd, path, NULL, reterr);
    if (r < 0) {
        close(fd);
        return r;
    }
    *ret_fd = fd;
    return 0;
}

int
mcph_store_dir_file(int dir, const char *path, const char *name, int flags, int *ret_fd,
                    mcphost_error **reterr)
{
    /* If `name` is a FIFO, openat() would block without O_NONBLOCK. */
    int fd = mcph_fd_high(
        openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
    int r;

    if (fd < 0 && errno == ENOENT)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s/%s'",
                            path, name);
    if (fd < 0 && errno == ELOOP)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "tokens are not used: '%s/%s' is a symbolic link", path, name);
    if (fd < 0)
        return mcph_err_os(reterr, errno, "cannot open '%s/%s'", path, name);
    r = check_owner(fd, path, name, reterr);
    if (r < 0) {
        close(fd);
        return r;
    }
    *ret_fd = fd;
    return 0;
}

/* Returns true if the name leads to the open file. */
static bool
is_current(int dir, int fd, const char *name)
{
    struct stat locked, named;

    return fstat(fd, &locked) == 0 &&
           fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

int
mcph_store_dir_lock(int dir, int fd, const char *path, const char *name,
                    mcphost_error **reterr)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return is_current(dir, fd, name) ? 0 : 1;
    if (errno == EWOULDBLOCK)
        return MCPHOST_E_BUSY;
    return mcph_err_os(reterr, errno, "cannot lock '%s/%s'", path, name);
}
