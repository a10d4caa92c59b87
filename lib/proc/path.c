/* SPDX-License-Identifier: MIT
 *
 * path.c - resolve a configured command to the absolute path of a program.
 *
 * The search uses the child's PATH, not the host's PATH, because the configuration may
 * set the child's PATH.  posix_spawn() gets the absolute path, so that a failure of
 * posix_spawn() concerns the program and not the search.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/proc.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define PATH_SHOWN   300 /* bytes of PATH shown in an error message */

/* Checks whether the host may execute the file.  Returns 0 or an errno. */
static int
try_file(const char *file)
{
    struct stat st;

    if (stat(file, &st) < 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

static char *
make_absolute(const char *cwd, const char *dir, size_t dir_len, const char *name)
{
    const char *slash = dir_len && dir[dir_len - 1] != '/' ? "/" : "";

    if ((dir_len ? dir[0] : name[0]) == '/')
        return mcph_asprintf("%.*s%s%s", (int)dir_len, dir, slash, name);
    return mcph_asprintf("%s/%.*s%s%s", cwd, (int)dir_len, dir, slash, name);
}

static int
resolve_error(mcphost_error **reterr, int sys_errno, const char *command,
              const char *where)
{
    if (sys_errno == ENOENT || sys_errno == ENOTDIR)
        return mcph_err_sys(reterr, MCPHOST_E_SPAWN, ENOENT,
                            "program '%s' not found in %s", command, where);
    if (sys_errno == EACCES || sys_errno == EPERM)
        return mcph_err_sys(reterr, MCPHOST_E_SPAWN, EACCES,
                            "program '%s' was found in %s, but may not be executed",
                            command, where);
    return mcph_err_sys(reterr, MCPHOST_E_SPAWN, sys_errno,
                        "program '%s' in %s cannot be used", command, where);
}

static int
resolve_file(const char *command, const char *cwd, char **ret_file,
             mcphost_error **reterr)
{
    char *file = make_absolute(cwd, "", 0, command);
    int e;

    if (!file)
        return mcph_err_nomem(reterr);
    e = try_file(file);
    if (e) {
        free(file);
        if (e == ENOENT || e == ENOTDIR)
            return mcph_err_sys(reterr, MCPHOST_E_SPAWN, ENOENT,
                                "program '%s' does not exist (from directory '%s')",
                                command, cwd);
        return mcph_err_sys(reterr, MCPHOST_E_SPAWN, e,
                            "program '%s' may not be executed", command);
    }
    *ret_file = file;
    return 0;
}

/* Searches the directories of `path` as execvp() does.  EACCES is reported only if no
 * directory has an executable file. */
static int
search_path(const char *command, const char *path, const char *cwd, char **ret_file,
            mcphost_error **reterr)
{
    char where[PATH_SHOWN + 16], denied[PATH_SHOWN + 16];
    int err = ENOENT;
    const char *dir = path;

    snprintf(where, sizeof(where), "PATH '%.*s'%s", PATH_SHOWN, path,
             strlen(path) > PATH_SHOWN ? "..." : "");
    for (;;) {
        const char *end = strchrnul(dir, ':');
        size_t len = (size_t)(end - dir);
        char *file = make_absolute(cwd, len ? dir : ".", len ? len : 1, command);
        int e;

        if (!file)
            return mcph_err_nomem(reterr);
        e = try_file(file);
        if (e == 0) {
            *ret_file = file;
            return 0;
        }
        free(file);
        if (e != ENOENT && e != ENOTDIR && err == ENOENT) {
            err = EACCES;
            snprintf(denied, sizeof(denied), "'%.*s'",
                     len < PATH_SHOWN ? (int)len : PATH_SHOWN, dir);
        }
        if (!*end)
            break;
        dir = end + 1;
    }
    return resolve_error(reterr, err, command, err == ENOENT ? where : denied);
}

int
mcph_proc_resolve(const char *command, const char *path, const char *cwd, char **ret_file,
                  mcphost_error **reterr)
{
    char *own = NULL, *base = NULL;
    int r;

    if (!command || !*command)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the command is empty");
    if (!cwd || cwd[0] != '/') {
        own = getcwd(NULL, 0);
        if (!own)
            return mcph_err_os(reterr, errno, "cannot determine the working directory");
    }
    if (cwd && own) {
        base = mcph_asprintf("%s/%s", own, cwd);
        if (!base) {
            r = mcph_err_nomem(reterr);
            goto out;
        }
    }
    if (!cwd)
        cwd = own;
    else if (base)
        cwd = base;
    if (strchr(command, '/'))
        r = resolve_file(command, cwd, ret_file, reterr);
    else
        r = search_path(command, path ? path : DEFAULT_PATH, cwd, ret_file, reterr);
out:
    free(base);
    free(own);
    return r;
}
