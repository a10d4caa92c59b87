/* SPDX-License-Identifier: MIT
 *
 * dir.c - list the names in a directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static int
by_bytes(const void *a, const void *b)
{
    const char *const *sa = a, *const *sb = b;

    return strcmp(*sa, *sb);
}

static int
read_names(DIR *dir, const char *path, bool (*counts)(const char *name), size_t max,
           struct mcph_vec *names, mcphost_error **reterr)
{
    for (;;) {
        const struct dirent *entry;
        char *name;

        errno = 0;
        entry = readdir(dir);
        if (!entry)
            return errno ? mcph_err_os(reterr, errno, "cannot read '%s'", path) : 0;
        if (!counts(entry->d_name))
            continue;
        if (names->n == max)
            return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' has more than %zu files", path,
                            max);
        name = mcph_strdup(entry->d_name);
        if (!name || mcph_vec_add(names, name) < 0) {
            free(name);
            return mcph_err_nomem(reterr);
        }
    }
}

static int
open_dir(const char *path, DIR **ret_dir, mcphost_error **reterr)
{
    int fd = mcph_fd_high(open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY));

    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'",
                                path);
        return mcph_err_os(reterr, errno, "cannot open '%s'", path);
    }
    *ret_dir = fdopendir(fd);
    if (!*ret_dir) {
        close(fd);
        return mcph_err_nomem(reterr);
    }
    return 0;
}

int
mcph_dir_list(const char *path, bool (*counts)(const char *name), size_t max,
              struct mcph_vec *ret_names, mcphost_error **reterr)
{
    struct mcph_vec names = {0};
    DIR *dir;
    int r = open_dir(path, &dir, reterr);

    if (r < 0)
        return r;
    r = read_names(dir, path, counts, max, &names, reterr);
    closedir(dir);
    if (r < 0) {
        mcph_dir_list_done(&names);
        return r;
    }
    if (names.n > 0)
        qsort(names.items, names.n, sizeof(void *), by_bytes);
    *ret_names = names;
    return 0;
}

void
mcph_dir_list_done(struct mcph_vec *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i]);
    mcph_vec_done(names);
    *names = (struct mcph_vec){0};
}
