/* SPDX-License-Identifier: MIT
 *
 * cgroup.c - servers' control groups (v2) on the host's side: find the directory for
 * them, and clean up groups whose guard is dead.
 *
 * A guard makes the group `mcphost-ID` below the host's own group.  The guard keeps the
 * group locked (flock) while the guard lives.  If another process gets the lock of an old
 * group, no guard is left for the processes in the group.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/internal.h"

#define FILE_MAX  (1024 * 1024) /* limit on the bytes read of a file */
#define DEPTH_MAX 8             /* limit on the levels of groups that are removed */
#define NAMES_MAX 1024          /* limit on the entries read of one directory */

/* ---- find the directory ------------------------------------------------------------ */

static int
read_text(const char *path, struct mcph_buf *buf)
{
    char chunk[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC), e = 0;
    ssize_t n;

    if (fd < 0)
        return errno;
    do {
        n = read(fd, chunk, sizeof(chunk));
        if (n > 0)
            mcph_buf_add(buf, chunk, (size_t)n);
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n < 0)
        e = errno;
    close(fd);
    mcph_buf_add(buf, "", 1);
    if (!e && mcph_buf_ok(buf) < 0)
        e = ENOMEM;
    return e;
}

/* Finds the line "0::/path" of /proc/self/cgroup and returns "/path", in place.  Returns
 * NULL if there is no unified hierarchy. */
static char *
own_group(char *text)
{
    for (char *line = strtok_r(text, "\n", &text); line;
         line = strtok_r(NULL, "\n", &text))
        if (strncmp(line, "0::/", 4) == 0)
            return line + 3;
    return NULL;
}

/* Parses "ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS... - TYPE ..." in place.  If TYPE
 * is cgroup2, returns true, and sets *ret_root to ROOT and *ret_point to MOUNTPOINT. */
static bool
is_mount(char *line, char **ret_root, char **ret_point)
{
    const char *type = strstr(line, " - ");
    char *save = NULL, *field = strtok_r(line, " ", &save);

    if (!type || strncmp(type, " - cgroup2 ", 11) != 0)
        return false;
    for (int i = 0; i < 3 && field; i++)
        field = strtok_r(NULL, " ", &save);
    *ret_root = field;
    *ret_point = field ? strtok_r(NULL, " ", &save) : NULL;
    return *ret_point && !strchr(*ret_point, '\\'); /* escaped blanks are not supported */
}

/* Returns the directory of `group` in a cgroup file system that has the group `root` at
 * its mount point `point`.  Returns NULL if `group` is not below `root` or memory is
 * short. */
static char *
group_dir(const char *point, const char *root, const char *group)
{
    size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(group, root, len) != 0 || (group[len] != '/' && group[len] != '\0') ||
        strstr(group, "/..") || strstr(root, "/.."))
        return NULL;
    group += len;
    return mcph_asprintf("%s%s", point, strcmp(group, "/") == 0 ? "" : group);
}

static char *
find_dir(char *mounts, const char *group)
{
    char *dir = NULL, *root, *point;

    for (char *line = strtok_r(mounts, "\n", &mounts); line && !dir;
         line = strtok_r(NULL, "\n", &mounts))
        if (is_mount(line, &root, &point))
            dir = group_dir(point, root, group);
    return dir;
}

static int
may_use(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), e = 0;

    if (fd < 0)
        return errno;
    if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
        faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
        e = errno;
    close(fd);
    return e;
}

int
mcph_cgroup_find(char **ret_dir)
{
    struct mcph_buf own, mounts;
    char *dir = NULL, *group;
    int e;

    mcph_buf_init(&own, FILE_MAX);
    mcph_buf_init(&mounts, FILE_MAX);
    e = read_text("/proc/self/cgroup", &own);
    if (!e)
        e = read_text("/proc/self/mountinfo", &mounts);
    group = e ? NULL : own_group(own.data);
    if (group)
        dir = find_dir(mounts.data, group);
    if (!e && !dir)
        e = ENOENT; /* cgroup v2 does not exist, or is not mounted here */
    if (!e)
        e = may_use(dir);
    if (!e)
        *ret_dir = dir;
    else
        free(dir);
    mcph_buf_done(&own);
    mcph_buf_done(&mounts);
    return e;
}

/* ---- end a group ------------------------------------------------------------------- */

static void
write_file(int dirfd, const char *file, const char *text)
{
    int fd = openat(dirfd, file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, text, strlen(text));
    close(fd);
}

static bool remove_group(int dirfd, const char *name, int depth);

/* Removes the groups that the server made inside its own group.  Closes `fd`. */
static void
remove_below(int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;

    if (!dir) {
        close(fd);
        return;
    }
    for (int i = 0; i < NAMES_MAX && (entry = readdir(dir)) != NULL; i++)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            remove_group(fd, entry->d_name, depth + 1);
    closedir(dir);
}

static bool
remove_group(int dirfd, const char *name, int depth)
{
    int fd;

    if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
        return true;
    if (depth == DEPTH_MAX)
        return false;
    fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        remove_below(fd, depth);
    return unlinkat(dirfd, name, AT_REMOVEDIR) == 0 || errno != EBUSY;
}

bool
mcph_cgroup_end(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT;
    write_file(fd, "cgroup.kill", "1");
    close(fd);
    return remove_group(AT_FDCWD, path, 0);
}

static void
sweep_group(int dirfd, const char *name, int64_t before_s)
{
    struct stat st;
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_ctime < before_s &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        write_file(fd, "cgroup.kill", "1");
        remove_group(dirfd, name, 0);
    }
    close(fd);
}

void
mcph_cgroup_sweep(const char *path, int64_t age_s)
{
    int64_t before_s = mcph_clock_realtime_ms() / 1000 - age_s;
    DIR *dir = opendir(path);
    const struct dirent *entry;

    if (!dir)
        return;
    for (int i = 0; i < NAMES_MAX && (entry = readdir(dir)) != NULL; i++)
        if (strncmp(entry->d_name, MCPH_CGROUP_PREFIX, strlen(MCPH_CGROUP_PREFIX)) == 0)
            sweep_group(dirfd(dir), entry->d_name, before_s);
    closedir(dir);
}
