/* SPDX-License-Identifier: MIT
 *
 * replace.c - replace the contents of an existing file, all or nothing.
 *
 * mcph_file_replace() writes the new bytes to a temporary file in the same directory and
 * syncs this file to disk.  One rename gives the temporary file the old name.  The
 * function syncs the directory last.  Until the rename, a reader sees no change.  Every
 * failure before the rename removes the temporary file.
 *
 * The function never writes to the old file itself.  It creates no file if there is no
 * old file.  The owner of a file never changes: the replacement fails if the owner cannot
 * be kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define NAME_TRIES 16
/* The number of bytes of the old name that fit into the temporary name, beside '.', 16
 * digits and ".tmp". */
#define STEM_MAX (NAME_MAX - 24)

struct replacing {
    const char *path; /* as the caller wrote it, for messages */
    char *target;     /* the absolute directory, without symbolic links */
    char *base;       /* the file's name, behind the NUL that ends the directory */
    int dir, fd;
    char temp[NAME_MAX + 1]; /* name of the temporary file; "" while there is no temporary
                              * file */
    struct stat st;          /* the state of the old file */
};

static int
open_target(struct replacing *rp, mcphost_error **reterr)
{
    char *slash;
    int r = 0;

    rp->target = realpath(rp->path, NULL);
    if (!rp->target) {
        if (errno == ENOENT || errno == ENOTDIR)
            return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot replace '%s'",
                                rp->path);
        return mcph_err_os(reterr, errno, "cannot replace '%s'", rp->path);
    }
    slash = strrchr(rp->target, '/');
    rp->base = slash + 1;
    *slash = '\0';
    rp->dir = mcph_fd_high(
        open(slash == rp->target ? "/" : rp->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (rp->dir < 0)
        return mcph_err_os(reterr, errno, "cannot open the directory of '%s'", rp->path);
    if (fstatat(rp->dir, rp->base, &rp->st, AT_SYMLINK_NOFOLLOW) < 0)
        r = errno;
    else if (!S_ISREG(rp->st.st_mode))
        return mcph_err(reterr, MCPHOST_E_IO, "'%s' is not a regular file", rp->path);
    /* Refuse a read-only file.  The rename needs no right to write the file itself.
     * Without this check, a read-only file would therefore be replaced, too. */
    else if (faccessat(rp->dir, rp->base, W_OK, AT_EACCESS) < 0)
        r = errno;
    return r ? mcph_err_os(reterr, r, "cannot replace '%s'", rp->path) : 0;
}

/* Creates the temporary file.  Only its owner can use the file until the file gets its
 * final mode. */
static int
make_temp(struct replacing *rp, mcphost_error **reterr)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        unsigned char random[8];
        char hex[2 * sizeof(random) + 1];

        if (mcph_random_bytes(random, sizeof(random)) < 0)
            return mcph_err(reterr, MCPHOST_E_IO,
                            "cannot replace '%s': cannot get random bytes", rp->path);
        mcph_hex(random, sizeof(random), hex);
        snprintf(rp->temp, sizeof(rp->temp), ".%.*s%s.tmp", STEM_MAX, rp->base, hex);
        rp->fd = mcph_fd_high(openat(rp->dir, rp->temp,
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     0600));
        if (rp->fd >= 0)
            return 0;
        rp->temp[0] = '\0';
        if (errno != EEXIST)
            break;
    }
    return mcph_err_os(reterr, errno,
                       "cannot make a temporary file in the directory of '%s'", rp->path);
}

static int
write_all(struct replacing *rp, const char *data, size_t len, mcphost_error **reterr)
{
    while (len) {
        ssize_t n = write(rp->fd, data, len);

        if (n < 0) {
            if (errno == EINTR)
                continue;
            return mcph_err_os(reterr, errno, "cannot write the new contents of '%s'",
                               rp->path);
        }
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Gives the temporary file the owner and mode of the old file.  The owner comes first,
 * because fchown() clears the set-id bits of the mode. */
static int
keep_owner_and_mode(struct replacing *rp, mcphost_error **reterr)
{
    struct stat st;

    if (fstat(rp->fd, &st) < 0)
        return mcph_err_os(reterr, errno, "cannot keep the owner of '%s'", rp->path);
    if ((st.st_uid != rp->st.st_uid || st.st_gid != rp->st.st_gid) &&
        fchown(rp->fd, rp->st.st_uid, rp->st.st_gid) < 0)
        return mcph_err_os(reterr, errno, "cannot keep the owner of '%s'", rp->path);
    if (fchmod(rp->fd, rp->st.st_mode & 07777) < 0)
        return mcph_err_os(reterr, errno, "cannot keep the mode of '%s'", rp->path);
    return 0;
}

static int
rename_over_target(struct replacing *rp, const struct mcph_file_sig *expected,
                   mcphost_error **reterr)
{
    struct mcph_file_sig now;

    if (fsync(rp->fd) < 0)
        return mcph_err_os(reterr, errno, "cannot write the new contents of '%s' to disk",
                           rp->path);
    /* Check as late as possible: changes that other programs save after this check are
     * lost. */
    mcph_file_sign(rp->path, &now);
    if (expected && !mcph_file_sig_equal(expected, &now))
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "'%s' was changed by someone else meanwhile", rp->path);
    if (renameat(rp->dir, rp->temp, rp->dir, rp->base) < 0)
        return mcph_err_os(reterr, errno, "cannot replace '%s'", rp->path);
    rp->temp[0] = '\0';
    return 0;
}

/* Syncs the directory.  Ignores EINVAL and ENOTSUP, because some file systems cannot sync
 * a directory. */
static int
sync_directory(struct replacing *rp, mcphost_error **reterr)
{
    if (fsync(rp->dir) == 0 || errno == EINVAL || errno == ENOTSUP)
        return 0;
    return mcph_err_os(reterr, errno,
                       "'%s' is replaced, but its directory cannot be synced", rp->path);
}

int
mcph_file_replace(const char *path, const void *data, size_t len,
                  const struct mcph_file_sig *expected, struct mcph_file_sig *ret_sig,
                  mcphost_error **reterr)
{
    struct replacing rp = {.path = path, .dir = -1, .fd = -1};
    int r;

    r = open_target(&rp, reterr);
    if (r == 0)
        r = make_temp(&rp, reterr);
    if (r == 0)
        r = write_all(&rp, data, len, reterr);
    if (r == 0)
        r = keep_owner_and_mode(&rp, reterr);
    if (r == 0)
        r = rename_over_target(&rp, expected, reterr);
    if (r == 0)
        r = sync_directory(&rp, reterr);
    /* Sign the open file, and only now, because the rename has changed the ctime.  Do
     * not sign the path, because another process may already have replaced the file
     * there. */
    if (r == 0 && ret_sig)
        mcph_file_sign_fd(rp.fd, ret_sig);
    if (rp.temp[0])
        unlinkat(rp.dir, rp.temp, 0);
    if (rp.fd >= 0)
        close(rp.fd);
    if (rp.dir >= 0)
        close(rp.dir);
    free(rp.target);
    return r;
}
