/* SPDX-License-Identifier: MIT
 *
 * workspace.c - helpers that the profiles share: paths that start at a workspace, and
 * reports of the document readers as diagnostics.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile.h"

char *
mcph_profile_join(const char *dir, const char *path)
{
    size_t len = strlen(dir);

    if (path[0] == '/')
        return mcph_strdup(path);
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    while (path[0] == '/')
        path++;
    if (!*path || strcmp(path, ".") == 0)
        return mcph_strdup(dir);
    return mcph_asprintf(len > 0 && dir[len - 1] == '/' ? "%s%s" : "%s/%s", dir, path);
}

char *
mcph_profile_command(const char *dir, const char *command)
{
    return strchr(command, '/') ? mcph_profile_join(dir, command) : mcph_strdup(command);
}

int
mcph_profile_workspace(const char *dir, char **ret_path, mcphost_error **reterr)
{
    char *cwd, *path;

    if (dir && dir[0] == '/') {
        path = mcph_strdup(dir);
    } else {
        cwd = getcwd(NULL, 0);
        if (!cwd)
            return mcph_err_os(reterr, errno, "cannot determine the current directory");
        path = mcph_profile_join(cwd, dir ? dir : ".");
        free(cwd);
    }
    if (!path)
        return mcph_err_nomem(reterr);
    /* Remove slashes at the end, because `dir/` and `dir` must give the same launch
     * hash. */
    for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
        path[len - 1] = '\0';
    *ret_path = path;
    return 0;
}

int
mcph_profile_check_workspace(const char *dir, mcphost_error **reterr)
{
    struct stat st;

    if (stat(dir, &st) < 0)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "the workspace '%s'", dir);
    if (!S_ISDIR(st.st_mode))
        return mcph_err(reterr, MCPHOST_E_NOTFOUND,
                        "the workspace '%s' is not a directory", dir);
    return 0;
}

int
mcph_profile_report(int severity, const char *key, int line, int column, const char *text,
                    void *arg)
{
    mcphost_config *config = arg;

    if (severity == MCPHOST_DIAGNOSTIC_ERROR)
        return mcph_config_fail(config, MCPHOST_E_CONFIG, key, line, column, "%s", text);
    return mcph_config_diag(config, severity, NULL, key, line, column, "%s", text);
}
