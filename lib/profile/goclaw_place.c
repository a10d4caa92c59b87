/* SPDX-License-Identifier: MIT
 *
 * goclaw_place.c - open, lock, read and write directories and files below a workspace,
 * for the other files of the profile (R187).
 *
 * Below the workspace, the functions open every path from a descriptor of the workspace
 * and follow no symbolic link.  A program that renames or links directories at the same
 * time cannot redirect a write out of the workspace.
 *
 * A writer holds flock() on the directory in which it writes.  The lock is not on the
 * file, because each write replaces the file.  There is no lock file, because a lock file
 * would stay among files that people keep under version control.  A writer does not use
 * F_OFD_SETLK, because a write lock needs a descriptor that is open for writing.  A
 * directory cannot be opened for writing.  The kernel releases the lock when the process
 * ends or is killed.
 *
 * A writer tries the lock once and does not wait, because some callers run on the
 * dispatcher, which must not wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "profile/goclaw.h"

#define DIR_MODE  0755
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY)

/* ---- names ------------------------------------------------------------------------- */

const char *
mcph_goclaw_name_fault(struct mcph_span name)
{
    if (!name.p || name.len == 0)
        return "is empty";
    if (name.len > MCPH_GOCLAW_NAME_MAX)
        return "is longer than 255 characters";
    for (size_t i = 0; i < name.len; i++) {
        if (!mcph_name_has_char(name.p[i]))
            return "has a character other than ASCII letters, digits, '_' and '-'";
    }
    return *name.p == '_' || *name.p == '-' ? "does not begin with a letter or a digit"
                                            : NULL;
}

/* ---- the workspace ----------------------------------------------------------------- */

/* Checks that `path` is relative and is not empty.  No name in the path may be "." or
 * "..", or have more than NAME_MAX bytes. */
static bool
stays_below(const char *path)
{
    bool good = *path && *path != '/';

    while (good && *path) {
        size_t len = strcspn(path, "/");

        good = !(len == 1 && *path == '.') &&
               !(len == 2 && path[0] == '.' && path[1] == '.') && len <= NAME_MAX;
        path += len;
        path += strspn(path, "/");
    }
    return good;
}

/* Copies a path without the slashes at its end. */
static char *
copy_dir(const char *path)
{
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/')
        len--;
    return mcph_strndup(path, len);
}

int
mcph_goclaw_new(const char *workspace, const char *skills_dir, uint64_t flags,
                struct mcph_goclaw **ret, mcphost_error **reterr)
{
    struct mcph_goclaw *goclaw;
    int r;

    if (!skills_dir)
        skills_dir = MCPH_GOCLAW_SKILLS;
    if (!stays_below(skills_dir))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the skills directory '%.256s' is not below the workspace",
                        skills_dir);
    goclaw = calloc(1, sizeof(*goclaw));
    if (!goclaw)
        return mcph_err_nomem(reterr);
    goclaw->flags = flags;
    r = mcph_profile_workspace(workspace, &goclaw->workspace, reterr);
    if (r == 0) {
        goclaw->skills_dir = copy_dir(skills_dir);
        goclaw->file = mcph_profile_join(goclaw->workspace, MCPH_GOCLAW_FILE);
        if (!goclaw->skills_dir || !goclaw->file)
            r = mcph_err_nomem(reterr);
    }
    if (r < 0)
        mcph_goclaw_free(goclaw);
    else
        *ret = goclaw;
    return r;
}

void
mcph_goclaw_free(struct mcph_goclaw *goclaw)
{
    if (!goclaw)
        return;
    free(goclaw->workspace);
    free(goclaw->skills_dir);
    free(goclaw->file);
    free(goclaw);
}

int
mcph_goclaw_open_top(const struct mcph_goclaw *goclaw, mcphost_error **reterr)
{
    int fd = mcph_fd_high(open(goclaw->workspace, DIR_FLAGS | O_CLOEXEC));

    if (fd >= 0)
        return fd;
    if (errno == ENOENT || errno == ENOTDIR)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "the workspace '%s'",
                            goclaw->workspace);
    return mcph_err_os(reterr, errno, "the workspace '%s'", goclaw->workspace);
}

/* ---- directories and files below the workspace ------------------------------------- */

int
mcph_goclaw_open(int dir, const char *name, int flags, const char *shown,
                 mcphost_error **reterr)
{
    int fd = mcph_open_beneath(dir, name, flags, false);

    if (fd >= 0)
        return fd;
    if (errno == ELOOP)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "'%s' has a symbolic link in it, which is not followed", shown);
    if (errno == EXDEV)
        return mcph_err(reterr, MCPHOST_E_DENIED, "'%s' leads out of the workspace",
                        shown);
    if (errno == ENOENT)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'", shown);
    return mcph_err_os(reterr, errno, "cannot open '%s'", shown);
}

int
mcph_goclaw_sync(int dir, const char *shown, mcphost_error **reterr)
{
    /* Ignore EINVAL and ENOTSUP, because some file systems cannot sync a directory. */
    if (fsync(dir) == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    return mcph_err_os(reterr, errno, "'%s' is written, but cannot be synced", shown);
}

/* Makes the directory `name` if it is missing, and opens it. */
static int
make_one(int at, const char *name, const char *shown, mcphost_error **reterr)
{
    bool made = mkdirat(at, name, DIR_MODE) == 0;
    int r = 0;

    if (!made && errno != EEXIST)
        return mcph_err_os(reterr, errno, "cannot make '%s'", shown);
    if (made)
        r = mcph_goclaw_sync(at, shown, reterr);
    return r < 0 ? r : mcph_goclaw_open(at, name, DIR_FLAGS, shown, reterr);
}

/* Opens `path` one directory at a time, and makes missing directories. */
static int
make_path(int top, const char *path, mcphost_error **reterr)
{
    char name[NAME_MAX + 1];
    int at = top, fd;

    for (const char *p = path; *p;) {
        size_t len = strcspn(p, "/");

        if (len > NAME_MAX) {
            fd = mcph_err_os(reterr, ENAMETOOLONG, "cannot make '%s'", path);
        } else {
            memcpy(name, p, len);
            name[len] = '\0';
            fd = make_one(at, name, path, reterr);
        }
        if (at != top)
            close(at);
        if (fd < 0)
            return fd;
        at = fd;
        p += len;
        p += strspn(p, "/");
    }
    return at;
}

int
mcph_goclaw_dir_open(struct goclaw_dir *dir, const struct mcph_goclaw *goclaw,
                     const char *path, bool make, mcphost_error **reterr)
{
    *dir = (struct goclaw_dir){.goclaw = goclaw, .path = path, .fd = -1};
    dir->top = mcph_goclaw_open_top(goclaw, reterr);
    if (dir->top < 0)
        return dir->top;
    dir->fd = make ? make_path(dir->top, path, reterr)
                   : mcph_goclaw_open(dir->top, path, DIR_FLAGS, path, reterr);
    if (dir->fd < 0)
        return dir->fd;
    if (flock(dir->fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return mcph_err(reterr, MCPHOST_E_BUSY, "'%s' is being written by someone else",
                        path);
    return mcph_err_os(reterr, errno, "cannot lock '%s'", path);
}

void
mcph_goclaw_dir_close(struct goclaw_dir *dir)
{
    if (dir->fd >= 0)
        close(dir->fd);
    if (dir->top >= 0)
        close(dir->top);
    dir->fd = dir->top = -1;
}

int
mcph_goclaw_dir_check(const struct goclaw_dir *dir, mcphost_error **reterr)
{
    int fd = mcph_open_beneath(dir->top, dir->path, O_PATH | O_DIRECTORY, false);
    struct stat ours, now;
    bool same;

    if (fd < 0)
        return errno == ENOMEM
                   ? mcph_err_nomem(reterr)
                   : mcph_err(reterr, MCPHOST_E_BUSY,
                              "'%s' was moved by someone else meanwhile", dir->path);
    same = fstat(dir->fd, &ours) == 0 && fstat(fd, &now) == 0 &&
           ours.st_dev == now.st_dev && ours.st_ino == now.st_ino;
    close(fd);
    return same ? 0
                : mcph_err(reterr, MCPHOST_E_BUSY,
                           "'%s' was replaced by someone else meanwhile", dir->path);
}

/* ---- reading ----------------------------------------------------------------------- */

int
mcph_goclaw_read(int dir, const char *name, size_t max, const char *shown,
                 struct mcph_buf *buf, struct mcph_file_sig *ret_sig, struct stat *ret_st,
                 mcphost_error **reterr)
{
    /* Set O_NONBLOCK, because opening a FIFO in place of the file must not block. */
    int fd = mcph_goclaw_open(dir, name, O_RDONLY | O_NOCTTY | O_NONBLOCK, shown, reterr),
        r;

    if (fd < 0)
        return fd;
    r = mcph_file_read_fd(fd, shown, max, buf, reterr);
    if (r == 0 && ret_sig)
        mcph_file_sign_fd(fd, ret_sig);
    if (r == 0 && ret_st && fstat(fd, ret_st) < 0)
        r = mcph_err_os(reterr, errno, "cannot examine '%s'", shown);
    close(fd);
    return r;
}

/* ---- writing ----------------------------------------------------------------------- */

static int
write_all(const struct goclaw_new_file *file, struct mcph_span text,
          mcphost_error **reterr)
{
    while (text.len) {
        ssize_t n = write(file->fd, text.p, text.len);

        if (n < 0 && errno != EINTR)
            return mcph_err_os(reterr, errno, "cannot write the new contents of '%s'",
                               file->shown);
        if (n > 0)
            text = mcph_span(text.p + n, text.len - (size_t)n);
    }
    if (fsync(file->fd) < 0)
        return mcph_err_os(reterr, errno, "cannot write the new contents of '%s' to disk",
                           file->shown);
    return 0;
}

/* Gives the new file the owner and the mode of the old file.  Sets the owner before the
 * mode, because a change of the owner clears the set-id bits. */
static int
keep_owner_and_mode(const struct goclaw_new_file *file, const struct stat *old,
                    mcphost_error **reterr)
{
    struct stat st;

    if (fstat(file->fd, &st) < 0 ||
        ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
         fchown(file->fd, old->st_uid, old->st_gid) < 0))
        return mcph_err_os(reterr, errno, "cannot keep the owner of '%s'", file->shown);
    if (fchmod(file->fd, old->st_mode & 07777) < 0)
        return mcph_err_os(reterr, errno, "cannot keep the mode of '%s'", file->shown);
    return 0;
}

int
mcph_goclaw_new_file_write(struct goclaw_new_file *file, struct mcph_span text,
                           const struct stat *old, mode_t mode, mcphost_error **reterr)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, r = 0;

    file->fd = -1;
    /* Check the old file's mode, because a rename would replace even a read-only file. */
    if (old && faccessat(file->dir, file->name, W_OK, AT_EACCESS) < 0 && errno != ENOENT)
        return mcph_err_sys(reterr, MCPHOST_E_DENIED, errno, "cannot replace '%s'",
                            file->shown);
    if (unlinkat(file->dir, file->temp, 0) < 0 && errno != ENOENT)
        return mcph_err_os(reterr, errno,
                           "cannot make a temporary file in the directory of '%s'",
                           file->shown);
    file->fd = mcph_fd_high(openat(file->dir, file->temp, flags, old ? 0600 : mode));
    if (file->fd < 0)
        return mcph_err_os(reterr, errno,
                           "cannot make a temporary file in the directory of '%s'",
                           file->shown);
    if (old)
        r = keep_owner_and_mode(file, old, reterr);
    return r < 0 ? r : write_all(file, text, reterr);
}

int
mcph_goclaw_new_file_place(struct goclaw_new_file *file, mcphost_error **reterr)
{
    if (renameat(file->dir, file->temp, file->dir, file->name) < 0)
        return mcph_err_os(reterr, errno, "cannot replace '%s'", file->shown);
    file->temp = NULL;
    return mcph_goclaw_sync(file->dir, file->shown, reterr);
}

void
mcph_goclaw_new_file_done(struct goclaw_new_file *file)
{
    if (file->fd < 0)
        return;
    close(file->fd);
    file->fd = -1;
    if (file->temp)
        unlinkat(file->dir, file->temp, 0);
}
