/* SPDX-License-Identifier: MIT
 *
 * goclaw_tree.c - remove a directory with its contents (R184, R187).
 *
 * The functions open each directory from the descriptor of its parent.  They remove a
 * symbolic link like a file and never follow the link.  They remove no file outside of
 * the tree, even if another process renames directories at the same time.  They refuse
 * mounted file systems.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/goclaw.h"

struct removal {
    const char *shown;
    mcphost_error **reterr;
    dev_t device;
    uint64_t mount; /* id of the mount, or 0 if the kernel is older than Linux 5.8 */
    bool remove;
    int depth;
    size_t n; /* names counted so far */
};

static int remove_dir(struct removal *rm, int parent, const char *name);

static int
fail_removal(const struct removal *rm, const char *what)
{
    return mcph_err_os(rm->reterr, errno, "cannot %s '%s'", what, rm->shown);
}

/* Removes an entry of the directory `dir`: a directory with its contents, or any other
 * file.  If rm->remove is false, removes nothing, and only counts the names. */
static int
remove_entry(struct removal *rm, int dir, const char *name)
{
    struct stat st;

    if (++rm->n > MCPH_GOCLAW_NAMES_MAX)
        return mcph_err(rm->reterr, MCPHOST_E_LIMIT, "'%s' has more than %d files",
                        rm->shown, MCPH_GOCLAW_NAMES_MAX);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : fail_removal(rm, "examine");
    if (S_ISDIR(st.st_mode))
        return remove_dir(rm, dir, name);
    if (rm->remove && unlinkat(dir, name, 0) < 0 && errno != ENOENT)
        return fail_removal(rm, "remove");
    return 0;
}

static int
remove_entries(struct removal *rm, DIR *dir)
{
    for (;;) {
        const struct dirent *entry;
        const char *name;
        int r;

        errno = 0;
        entry = readdir(dir);
        if (!entry)
            return errno ? fail_removal(rm, "read") : 0;
        name = entry->d_name;
        if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])))
            continue;
        r = remove_entry(rm, dirfd(dir), name);
        if (r < 0)
            return r;
    }
}

/* Returns the id of the mount that a directory belongs to, or 0 if it is not known. */
static uint64_t
mount_of(int fd)
{
    struct statx sx;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) < 0 ||
        !(sx.stx_mask & STATX_MNT_ID))
        return 0;
    return sx.stx_mnt_id;
}

static int
check_dir(const struct removal *rm, int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return fail_removal(rm, "examine");
    /* Also compare the mounts, because a bind mount of the same file system has the same
     * device. */
    if (st.st_dev != rm->device || mount_of(fd) != rm->mount)
        return mcph_err(rm->reterr, MCPHOST_E_DENIED, "a file system is mounted in '%s'",
                        rm->shown);
    if (rm->depth >= MCPH_GOCLAW_DEPTH_MAX)
        return mcph_err(rm->reterr, MCPHOST_E_LIMIT,
                        "'%s' has more than %d levels of directories", rm->shown,
                        MCPH_GOCLAW_DEPTH_MAX);
    return 0;
}

static int
remove_dir(struct removal *rm, int parent, const char *name)
{
    int fd =
            mcph_goclaw_open(parent, name, O_RDONLY | O_DIRECTORY, rm->shown, rm->reterr),
        r;
    DIR *dir;

    if (fd < 0)
        return fd;
    r = check_dir(rm, fd);
    if (r < 0) {
        close(fd);
        return r;
    }
    dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return mcph_err_nomem(rm->reterr);
    }
    rm->depth++;
    r = remove_entries(rm, dir);
    rm->depth--;
    closedir(dir);
    if (r == 0 && rm->remove && unlinkat(parent, name, AT_REMOVEDIR) < 0)
        r = fail_removal(rm, "remove");
    return r;
}

int
mcph_goclaw_remove_tree(int dir, const char *name, bool remove, const char *shown,
                        mcphost_error **reterr)
{
    struct removal rm = {.shown = shown, .reterr = reterr, .remove = remove};
    struct stat st;

    if (fstat(dir, &st) < 0)
        return fail_removal(&rm, "examine");
    rm.device = st.st_dev;
    rm.mount = mount_of(dir);
    return remove_dir(&rm, dir, name);
}
