/* SPDX-License-Identifier: MIT
 *
 * guard_path.c - find the program mcphost-guard.
 *
 * A library that was moved after its installation, for example in a Python wheel, does
 * not find the guard at the path that was set at build time.  Then this file looks for
 * the guard at fixed places relative to the file that contains the library.  The current
 * directory, PATH and argv[0] are never used, because other users may choose them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/internal.h"

#ifndef MCPH_GUARD_PATH
#define MCPH_GUARD_PATH "/usr/libexec/mcphost-guard"
#endif

#define MAPS_MAX ((size_t)64 * 1024 * 1024)
#define N_PLACES 4

/* Returns the path at the end of the line of /proc/self/maps that contains the address
 * `at`.  Returns NULL if no line contains the address, or if the line has no path. */
static char *
find_mapped_path(char *maps, uintptr_t at)
{
    char *rest = NULL;

    for (char *line = strtok_r(maps, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *end = NULL;
        uintptr_t first = (uintptr_t)strtoull(line, &end, 16), last;

        if (*end != '-')
            continue;
        last = (uintptr_t)strtoull(end + 1, &end, 16);
        if (at >= first && at < last)
            return strchr(end, '/');
    }
    return NULL;
}

/* Gets the path of the library from the kernel, because dladdr() may give a path relative
 * to a former current directory.  For a program that contains the library, dladdr() gives
 * argv[0]. */
int
mcph_library_file(char **ret_file)
{
    struct mcph_buf maps;
    char *found;
    int r;

    *ret_file = NULL;
    mcph_buf_init(&maps, MAPS_MAX);
    r = mcph_file_read("/proc/self/maps", MAPS_MAX - 1, &maps, NULL);
    if (r == 0)
        r = mcph_buf_addc(&maps, '\0');
    found = r == 0 ? find_mapped_path(maps.data, (uintptr_t)mcph_library_file) : NULL;
    /* Keep the text " (deleted)" that the kernel appends to the path of a deleted file.
     * mcph_guard_find_near() finds no file at this path. */
    if (found) {
        *ret_file = mcph_strdup(found);
        if (!*ret_file)
            r = MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&maps);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

/* Returns true if a file or directory belongs to the user of the process, to root, or to
 * the owner of the library, and if only its owner and its group may write to it. */
static bool
is_trusted(const struct stat *st, uid_t library_owner)
{
    return (st->st_uid == 0 || st->st_uid == geteuid() || st->st_uid == library_owner) &&
           !(st->st_mode & S_IWOTH);
}

/* Returns true if a file may be executed as the guard.  Refuses a symbolic link, because
 * the link may belong to another user than its target. */
static bool
is_guard(const char *dir, const char *file, uid_t library_owner)
{
    struct stat of_dir, of_file;

    return stat(dir, &of_dir) == 0 && is_trusted(&of_dir, library_owner) &&
           lstat(file, &of_file) == 0 && S_ISREG(of_file.st_mode) &&
           is_trusted(&of_file, library_owner) && access(file, X_OK) == 0;
}

/* Returns the length of the directory of a path of `len` bytes, without the slash at the
 * end.  The directory of "/file" has the length 0. */
static size_t
parent_len(const char *path, size_t len)
{
    while (len && path[len - 1] != '/')
        len--;
    return len ? len - 1 : 0;
}

static bool
ends_with_lib(const char *path, size_t len)
{
    size_t from = parent_len(path, len);
    const char *name = path + from + (from < len);

    len -= from + (from < len);
    return len >= 3 && len <= 5 && memcmp(name, "lib", 3) == 0 &&
           (len == 3 || memcmp(name + 3, "64", len - 3) == 0 ||
            memcmp(name + 3, "32", len - 3) == 0);
}

/* Makes the path of the directory number `place` that may hold the guard, with a slash at
 * the end.  *ret_dir is NULL if the library is not where this place requires.  Returns 0
 * or MCPHOST_E_NOMEM. */
static int
make_place(const char *library, size_t place, char **ret_dir)
{
    size_t own = parent_len(library, strlen(library)), above = parent_len(library, own);
    size_t len = own;
    const char *dir = "";

    *ret_dir = NULL;
    switch (place) {
    case 0: /* the library is in PREFIX/lib */
        len = above;
        dir = "/libexec";
        break;
    case 1: /* the library is in PREFIX/lib/TRIPLET */
        if (!ends_with_lib(library, above))
            return 0;
        len = parent_len(library, above);
        dir = "/libexec";
        break;
    case 2:
        break;
    default: /* the library is in PREFIX/lib of a build tree */
        len = above;
        dir = "/bin";
        break;
    }
    *ret_dir = mcph_asprintf("%.*s%s/", (int)len, library, dir);
    return *ret_dir ? 0 : MCPHOST_E_NOMEM;
}

int
mcph_guard_find_near(const char *library, char **ret_path)
{
    struct stat st;
    int r = 0;

    *ret_path = NULL;
    if (library[0] != '/' || stat(library, &st) < 0)
        return 0;
    for (size_t place = 0; r == 0 && !*ret_path && place < N_PLACES; place++) {
        char *dir, *file = NULL;

        r = make_place(library, place, &dir);
        if (dir) {
            file = mcph_asprintf("%smcphost-guard", dir);
            if (!file)
                r = MCPHOST_E_NOMEM;
        }
        if (file && is_guard(dir, file, st.st_uid)) {
            *ret_path = file;
            file = NULL;
        }
        free(dir);
        free(file);
    }
    return r;
}

int
mcph_guard_find(const char *installed, char **ret_path)
{
    char *library = NULL;
    struct stat st;
    int r = 0;

    *ret_path = NULL;
    if (!installed)
        installed = MCPH_GUARD_PATH;
    /* Do not search near the library in a program with AT_SECURE set (for example a
     * set-uid program), because the place of the library is not trusted then. */
    if (stat(installed, &st) < 0 && !getauxval(AT_SECURE))
        r = mcph_library_file(&library);
    if (r == 0 && library)
        r = mcph_guard_find_near(library, ret_path);
    free(library);
    if (r == 0 && !*ret_path) {
        *ret_path = mcph_strdup(installed);
        r = *ret_path ? 0 : MCPHOST_E_NOMEM;
    }
    return r;
}
