/* SPDX-License-Identifier: MIT
 *
 * artifact_read.c - opens, reads, lists and deletes artifacts.
 *
 * The path of an artifact can come from anywhere.  is_artifact_path() first checks a path
 * as text.  Then open_by_steps() opens each step of the path without following symbolic
 * links, so that no path can lead out of the dialog's directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/result.h"

#define DEPTH_MAX 8 /* limit on the levels of a walk; artifacts need fewer */
#define PATH_MOST 1024

/* ---- opening ----------------------------------------------------------------------- */

/* Returns true if `path` has the form of an artifact's path (B.11). */
static bool
is_artifact_path(const char *path)
{
    size_t len = strlen(path);

    if (strncmp(path, "artifacts/", 10) != 0 || len >= PATH_MOST || strpbrk(path, "\\:"))
        return false;
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n == 0 || (n == 1 && path[0] == '.') ||
            (n == 2 && memcmp(path, "..", 2) == 0))
            return false;
        path += n;
        if (*path == '/' && !*++path)
            return false; /* the path of a directory ends in a slash */
    }
    return true;
}

static int
not_found(int error, const char *dir, const char *path, mcphost_error **reterr)
{
    /* Report MCPHOST_E_NOTFOUND if no artifact can have the path.  ELOOP, ENOTDIR and
     * EMLINK mean that a step is a link or no directory.  ENXIO means that the file is a
     * socket.  ENAMETOOLONG means that no file can have the name. */
    if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == EMLINK ||
        error == ENXIO || error == ENAMETOOLONG)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, error, "no artifact '%s' in '%s'",
                            path, dir);
    return mcph_err_os(reterr, error, "cannot open '%s' in '%s'", path, dir);
}

/* Opens the file at `path`, step by step from `dir`.  Closes `dir` in any case.  Returns
 * a descriptor, or -1 with the error in errno. */
static int
open_by_steps(int dir, const char *path)
{
    char step[PATH_MOST];
    int fd = dir, error;

    while (fd >= 0) {
        size_t n = strcspn(path, "/");
        bool last = !path[n];
        /* Use O_NONBLOCK, so that opening a FIFO does not hang. */
        int flags = last ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY;

        memcpy(step, path, n);
        step[n] = '\0';
        fd = mcph_fd_high(openat(dir, step, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags));
        error = errno;
        close(dir);
        errno = error;
        if (last)
            break;
        dir = fd;
        path += n + 1;
    }
    return fd;
}

int
mcphost_artifact_open(const char *dir, const char *path, int *ret_fd, uint64_t *ret_size,
                      mcphost_error **reterr)
{
    struct stat st;
    int fd;

    if (!dir || !path || !ret_fd || dir[0] != '/')
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "an argument is NULL, or the directory is not absolute");
    if (!is_artifact_path(path))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "'%.200s' is not the path of an artifact", path);
    fd = mcph_fd_high(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd >= 0)
        fd = open_by_steps(fd, path);
    if (fd < 0)
        return not_found(errno, dir, path, reterr);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return not_found(ENOENT, dir, path, reterr);
    }
    *ret_fd = fd;
    if (ret_size)
        *ret_size = (uint64_t)st.st_size;
    return 0;
}

int
mcphost_artifact_read(const char *dir, const char *path, uint64_t offset, void *buf,
                      size_t len, size_t *ret_len, mcphost_error **reterr)
{
    size_t got = 0;
    int fd, r;

    if (!ret_len || (!buf && len) || offset > INT64_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "a result argument is NULL, or the offset is too large");
    r = mcphost_artifact_open(dir, path, &fd, NULL, reterr);
    if (r < 0)
        return r;
    while (got < len) {
        ssize_t n = pread(fd, (char *)buf + got, len - got, (off_t)(offset + got));

        if (n == 0)
            break;
        if (n < 0 && errno != EINTR) {
            r = mcph_err_os(reterr, errno, "cannot read '%s' in '%s'", path, dir);
            break;
        }
        got += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (r == 0)
        *ret_len = got;
    return r;
}

/* ---- walking: listing, counting, deleting ------------------------------------------ */

struct walk {
    const char *dir;
    char path[PATH_MOST]; /* the path of the current entry */
    /* Visits a file with the state `st`.  If `everything` is true, also visits each
     * directory after its entries.  `st` is NULL for a directory. */
    int (*visit)(struct walk *walk, int parent, const char *name, const struct stat *st);
    mcphost_artifact_fn fn;
    void *arg;
    uint64_t bytes;
    uint64_t files;
    bool everything; /* also visit links, temporary files and directories */
    int first;       /* the first failure, if a walk continues after failures; or 0 */
    mcphost_error **reterr;
};

static int walk_in(struct walk *walk, int dir, size_t len, int depth);

/* Handles the failure `r`.  A walk that deletes continues after a failure: records the
 * first failure and returns 0.  For any other walk, returns `r`, which ends the walk. */
static int
walk_note(struct walk *walk, int r)
{
    if (!walk->everything)
        return r;
    if (!walk->first)
        walk->first = r;
    return 0;
}

static int
walk_fail(struct walk *walk, int error)
{
    return walk_note(walk,
                     mcph_err_os(walk->first ? NULL : walk->reterr, error,
                                 "cannot examine '%s' in '%s'", walk->path, walk->dir));
}

static int
walk_entry(struct walk *walk, int dir, const char *name, size_t len, int depth)
{
    struct stat st;
    int fd, r;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : walk_fail(walk, errno);
    if (!S_ISDIR(st.st_mode)) {
        if (walk->everything || (S_ISREG(st.st_mode) && name[0] != '.'))
            return walk->visit(walk, dir, name, &st);
        return 0;
    }
    if (depth == DEPTH_MAX)
        return walk_note(walk,
                         mcph_err(walk->first ? NULL : walk->reterr, MCPHOST_E_LIMIT,
                                  "'%s' in '%s' is nested too deep for an artifact",
                                  walk->path, walk->dir));
    fd = mcph_fd_high(openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0)
        return errno == ENOENT ? 0 : walk_fail(walk, errno);
    r = walk_in(walk, fd, len, depth + 1);
    walk->path[len] = '\0';
    if (r == 0 && walk->everything)
        r = walk->visit(walk, dir, name, NULL);
    return r;
}

/* Walks through `dir` and closes it.  The path of `dir` has `len` bytes. */
static int
walk_in(struct walk *walk, int dir, size_t len, int depth)
{
    DIR *stream = fdopendir(dir);
    struct dirent *entry;
    int r = 0;

    if (!stream) {
        r = walk_fail(walk, errno);
        close(dir);
        return r;
    }
    while (r == 0) {
        size_t n;

        errno = 0;
        entry = readdir(stream);
        if (!entry) {
            if (errno)
                r = walk_fail(walk, errno);
            break;
        }
        n = strlen(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (len + 1 + n >= sizeof(walk->path))
            continue; /* this is no artifact, because the path is too long to open */
        walk->path[len] = '/';
        memcpy(walk->path + len + 1, entry->d_name, n + 1);
        r = walk_entry(walk, dirfd(stream), entry->d_name, len + 1 + n, depth);
        walk->path[len] = '\0';
    }
    closedir(stream);
    return r;
}

/* Visits the files below artifacts/mcp.  If walk->everything is true, also visits links,
 * temporary files and directories, and last the directory artifacts/mcp itself. */
static int
walk_start(struct walk *walk)
{
    static const char top[] = "artifacts/mcp";
    int fd;

    if (!walk->dir || walk->dir[0] != '/')
        return mcph_err(walk->reterr, MCPHOST_E_INVALID,
                        "the directory of artifacts must be absolute");
    memcpy(walk->path, top, sizeof(top));
    fd = mcph_fd_high(open(walk->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd >= 0) {
        int parent = mcph_fd_high(
            openat(fd, "artifacts", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));

        close(fd);
        fd = parent;
    }
    if (fd >= 0) {
        int r = walk_entry(walk, fd, "mcp", sizeof(top) - 1, 0);

        close(fd);
        return r < 0 || !walk->first ? r : walk->first;
    }
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return 0;
    return mcph_err_os(walk->reterr, errno, "cannot examine the artifacts in '%s'",
                       walk->dir);
}

static int
report_file(struct walk *walk, int parent, const char *name, const struct stat *st)
{
    (void)parent;
    (void)name;
    if (!mcph_utf8_is_text(walk->path))
        return 0; /* no artifact has a path that is not UTF-8 */
    return walk->fn(walk->path, (uint64_t)st->st_size,
                    (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000,
                    walk->arg);
}

int
mcphost_artifact_list(const char *dir, mcphost_artifact_fn fn, void *arg,
                      mcphost_error **reterr)
{
    struct walk walk = {
        .dir = dir, .visit = report_file, .fn = fn, .arg = arg, .reterr = reterr};

    if (!fn)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the callback is NULL");
    return walk_start(&walk);
}

static int
add_size(struct walk *walk, int parent, const char *name, const struct stat *st)
{
    (void)parent;
    (void)name;
    walk->bytes += (uint64_t)st->st_size;
    walk->files++;
    return 0;
}

int
mcph_artifact_usage(const char *dir, uint64_t *ret_bytes, uint64_t *ret_files,
                    mcphost_error **reterr)
{
    struct walk walk = {.dir = dir, .visit = add_size, .reterr = reterr};
    int r = walk_start(&walk);

    if (r == 0) {
        *ret_bytes = walk.bytes;
        *ret_files = walk.files;
    }
    return r;
}

static int
unlink_entry(struct walk *walk, int parent, const char *name, const struct stat *st)
{
    if (unlinkat(parent, name, st ? 0 : AT_REMOVEDIR) < 0 && errno != ENOENT)
        return walk_fail(walk, errno);
    return 0;
}

int
mcphost_artifact_delete_all(const char *dir, mcphost_error **reterr)
{
    struct walk walk = {
        .dir = dir, .visit = unlink_entry, .everything = true, .reterr = reterr};
    int r = walk_start(&walk), fd;

    if (r == 0) {
        fd = mcph_fd_high(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd >= 0) {
            unlinkat(fd, "artifacts", AT_REMOVEDIR); /* fails if other files are left */
            close(fd);
        }
    }
    return r;
}
