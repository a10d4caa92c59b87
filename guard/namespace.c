/* SPDX-License-Identifier: MIT
 *
 * namespace.c - a guard that is process 1 of a PID namespace.
 *
 * When process 1 dies, the kernel kills every process in its namespace.  No process
 * inside can kill or stop process 1.  If the kernel does not let the warden make a PID
 * namespace alone, the warden makes a user namespace, too.  The server keeps its user and
 * group in the user namespace.
 */
#include "guard.h"

bool
namespace_is_ours(void)
{
    return (guard.features & MCPH_GUARD_HAS_PID_NS) && sys_getpid() == 1;
}

/* Writes "ID ID 1" to a map file.  This line maps the ID to itself. */
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
