/* SPDX-License-Identifier: MIT
 *
 * namespace.c - a guard that is process 1 of a PID namespace.
 *
 * The kernel kills everything in the namespace when its process 1 dies, and lets
 * no process inside signal it.  Without the right to make one, the namespace is
 * made in a new user namespace, in which the server keeps its user and group.
 */
#include "guard.h"

bool
namespace_is_ours(void)
{
    return (guard.features & MCPH_GUARD_HAS_PID_NS) && sys_getpid() == 1;
}

/* "ID ID 1" */
static long
map_one(const char *path, long id)
{
    char text[64], *at = text;

    at = procfs_put_number(at, id);
    *at++ = ' ';
    at = procfs_put_number(at, id);
    *at++ = ' ';
    *at++ = '1';
    return sys_put(AT_FDCWD, path, text, (size_t)(at - text));
}

int
namespace_map(long uid, long gid)
{
    long r = sys_put(AT_FDCWD, "/proc/self/setgroups", "deny", 4);

    if (r == 0 || r == -ENOENT)
        r = map_one("/proc/self/gid_map", gid);
    if (r == 0)
        r = map_one("/proc/self/uid_map", uid);
    return (int)-r;
}
