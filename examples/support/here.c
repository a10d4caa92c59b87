/* SPDX-License-Identifier: MIT
 *
 * here.c - lets the examples run from the build tree.
 *
 * An installed library knows the path of mcphost-guard.  The examples use a library that
 * is not installed, but their sources must not differ from a user's program.  The linker
 * replaces the calls of mcphost_new() by the function below (--wrap).  The function sets
 * the path of the guard in the build tree.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

int __real_mcphost_new(mcphost **ret_host, mcphost_error **reterr);
int __wrap_mcphost_new(mcphost **ret_host, mcphost_error **reterr);

int
__wrap_mcphost_new(mcphost **ret_host, mcphost_error **reterr)
{
    static const char to_guard[] = "../bin/mcphost-guard";
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - sizeof(to_guard));
    int r = __real_mcphost_new(ret_host, reterr);
    char *name;

    if (r < 0 || len <= 0)
        return r;
    path[len] = '\0';
    name = strrchr(path, '/');
    if (!name)
        return r;
    memcpy(name + 1, to_guard, sizeof(to_guard));
    return mcphost_set_guard_path(*ret_host, path);
}
