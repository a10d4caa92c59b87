/* SPDX-License-Identifier: MIT
 *
 * cgroup.c - the server's control group (v2), below the host's control group.
 *
 * A process can leave its parent, its session and its environment.  It can leave a
 * control group only by entering another group.  The group changes nothing for the
 * server, because the group has no controllers.  The guard and the warden stay outside of
 * the group.  They hold a lock on the group's directory.  If no process holds this lock,
 * the group has no guard, and a host cleans up the group (lib/proc/cgroup.c).
 */
#include "guard.h"

#include <sys/file.h>
#include <unistd.h>

#define DEPTH_MAX 8    /* greatest depth of the server's own groups that are removed */
#define NAMES_MAX 1024 /* limit on the groups that one pass removes in one directory */
#define END_MAX   100  /* limit on the kills of the group in cgroup_end() */
#define PAUSE_MS  2    /* time that cgroup_end() waits after each kill */

struct dirent64 {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

#define DIRENT_DIR 4

int
cgroup_make(const char *path)
{
    long fd, r = SYS3(mkdirat, AT_FDCWD, path, 0755);

    if (r < 0)
        return (int)-r;
    fd = sys_open(path, O_RDONLY | O_DIRECTORY);
    r = fd;
    if (fd >= 0)
        r = SYS2(flock, fd, LOCK_EX | LOCK_NB);
    if (r >= 0)
        r = SYS3(faccessat, fd, "cgroup.kill", W_OK); /* exists since Linux 5.14 */
    if (r < 0) {
        if (fd >= 0)
            sys_close((int)fd);
        sys_rmdir(AT_FDCWD, path);
        return (int)-r;
    }
    guard.cgroup = (int)fd;
    guard.path = path;
    guard.features |= MCPH_GUARD_HAS_CGROUP;
    return 0;
}

int
cgroup_enter(void)
{
    return (int)-sys_put(guard.cgroup, "cgroup.procs", "0", 1);
}

void
cgroup_kill(void)
{
    if (guard.features & MCPH_GUARD_HAS_CGROUP)
        sys_put(guard.cgroup, "cgroup.kill", "1", 1);
}

static void
remove_below(int dirfd, int depth)
{
    _Alignas(8) char buf[1024];
    int names = 0;
    long n;

    do {
        n = sys_getdents(dirfd, buf, sizeof(buf));
        for (long at = 0; at < n && names < NAMES_MAX;) {
            const struct dirent64 *ent = (const void *)(buf + at);
            long fd;

            at += ent->reclen;
            if (ent->type != DIRENT_DIR || ent->name[0] == '.')
                continue;
            names++;
            if (sys_rmdir(dirfd, ent->name) != -EBUSY || depth == DEPTH_MAX)
                continue;
            fd = SYS4(openat, dirfd, ent->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
            if (fd < 0)
                continue;
            remove_below((int)fd, depth + 1);
            sys_close((int)fd);
            sys_rmdir(dirfd, ent->name);
        }
    } while (n > 0 && names < NAMES_MAX);
}

bool
cgroup_remove(void)
{
    long r = sys_rmdir(AT_FDCWD, guard.path);

    if (r == -EBUSY) {
        SYS3(lseek, guard.cgroup, 0, SEEK_SET);
        remove_below(guard.cgroup, 0);
        r = sys_rmdir(AT_FDCWD, guard.path);
    }
    return r != -EBUSY;
}

void
cgroup_end(void)
{
    if (!(guard.features & MCPH_GUARD_HAS_CGROUP))
        return;
    for (int i = 0; !cgroup_remove() && i < END_MAX; i++) {
        cgroup_kill();
        sys_poll(NULL, 0, PAUSE_MS);
    }
    guard.features &= ~(unsigned)MCPH_GUARD_HAS_CGROUP;
}
