/* SPDX-License-Identifier: MIT
 *
 * confine.c - open the base directory, and files and directories below the base
 * directory.
 *
 * The base directory is opened once.  mcph_files_open() examines a file before it opens
 * the file for reading, because opening a FIFO or a device can have effects and can
 * block.  mcph_files_open() examines the opened file again, in case somebody replaced the
 * file in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "files/inner.h"

/* ---- the base directory ------------------------------------------------------------ */

/* Makes the missing directories of a path.  Returns 0, or -1 and errno. */
static int
make_dirs(const char *path)
{
    char part[PATH_MAX];
    size_t len = strlen(path);

    if (len >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, path, len + 1);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(part, 0700);
        *p = '/';
    }
    return mkdir(part, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

int
mcph_files_open_base(struct files *files, mcphost_error **reterr)
{
    int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    int fd = open(files->base_dir, flags);

    if (fd < 0 && errno == ENOENT && make_dirs(files->base_dir) == 0)
        fd = open(files->base_dir, flags);
    if (fd < 0)
        return mcph_err_os(reterr, errno, "base_dir: cannot open '%s'", files->base_dir);
    files->base = mcph_fd_high(fd);
    return files->base < 0 ? mcph_err_os(reterr, errno, "base_dir") : 0;
}

/* ---- files and directories below the base directory -------------------------------- */

/* Returns 0 if `fd` is a directory (`is_dir` is true) or a regular file (`is_dir` is
 * false).  Otherwise returns an errno. */
static int
check_kind(int fd, bool is_dir, struct stat *ret_stat)
{
    if (fstat(fd, ret_stat) < 0)
        return errno;
    if (S_ISDIR(ret_stat->st_mode) && !is_dir)
        return EISDIR;
    if (S_ISDIR(ret_stat->st_mode)) /* a directory with 0 links was removed */
        return ret_stat->st_nlink ? 0 : ENOENT;
    if (is_dir)
        return ENOTDIR;
    return S_ISREG(ret_stat->st_mode) ? 0 : EBADF;
}

static int
open_and_examine(const struct files *files, const char *path, int flags, bool is_dir,
                 struct stat *ret_stat)
{
    int fd = mcph_open_beneath(files->base, path, flags, files->by_steps), error;

    if (fd < 0)
        return -1;
    error = check_kind(fd, is_dir, ret_stat);
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

int
mcph_files_open(const struct files *files, const char *path, bool is_dir,
                struct stat *ret_stat)
{
    int flags = O_RDONLY | (is_dir ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY);
    int fd = open_and_examine(files, path, O_PATH, is_dir, ret_stat);

    if (fd < 0)
        return -1;
    close(fd);
    return open_and_examine(files, path, flags, is_dir, ret_stat);
}

/* ---- extensions -------------------------------------------------------------------- */

/* Returns true if the name ends with the extension, ignoring case.  A name such as ".md"
 * has no extension. */
static bool
has_extension(const char *name, const char *extension)
{
    size_t len = strlen(name), n;

    extension += *extension == '.';
    n = strlen(extension);
    return len > n + 1 && name[len - n - 1] == '.' &&
           strcasecmp(name + len - n, extension) == 0;
}

bool
mcph_files_allows(const struct files *files, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < files->extensions.n; i++) {
        if (has_extension(name, files->extensions.items[i]))
            return true;
    }
    return files->extensions.n == 0;
}
