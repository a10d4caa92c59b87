/* SPDX-License-Identifier: MIT
 *
 * keep.c - files that are kept from one run to the next.
 *
 * The files are in $XDG_CACHE_HOME/mcphost or in ~/.cache/mcphost.  Only their owner can
 * read the files and enter the directory.  A file that other users can read, or that
 * cannot be parsed, counts as missing and is replaced.  A bad file is never an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep.h"

/* ---- the directory ----------------------------------------------------------------- */

/* Opens mcphostctl's directory `name` below `parent`.  Makes the directory if it is
 * missing. */
static int
open_dir(const char *parent, const char *name)
{
    struct stat st;
    int top = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd;

    if (top < 0)
        return -1;
    if (mkdirat(top, name, 0700) < 0 && errno != EEXIST) {
        close(top);
        return -1;
    }
    fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(top);
    if (fd < 0)
        return -1;
    /* Take other users' permissions away from a directory that existed before. */
    if (fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
        ((st.st_mode & 077) && fchmod(fd, 0700) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

int
keep_open(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    struct text path = {0};
    int fd = -1;

    if (cache && cache[0] == '/') {
        /* Make a missing base directory with mode 0700, as the XDG specification
         * requires. */
        if (mkdir(cache, 0700) == 0 || errno == EEXIST)
            return open_dir(cache, "mcphost");
        return -1;
    }
    if (!home || home[0] != '/')
        return -1;
    text_printf(&path, "%s/.cache", home);
    if (!text_failed(&path) && (mkdir(path.data, 0700) == 0 || errno == EEXIST))
        fd = open_dir(path.data, "mcphost");
    text_free(&path);
    return fd;
}

/* ---- reading ----------------------------------------------------------------------- */

int
keep_read(int dir, const char *name, size_t most, struct text *t)
{
    char part[16384];
    struct stat st;
    ssize_t n = -1;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        !(st.st_mode & 077)) {
        do {
            n = read(fd, part, sizeof(part));
            if (n > 0)
                text_add(t, part, (size_t)n);
        } while (n > 0 && t->len <= most);
    }
    close(fd);
    return n == 0 && !text_failed(t) ? 0 : -1;
}

static int
from_hex(const char *hex, unsigned char *salt)
{
    static const char digits[] = "0123456789abcdef";

    if (!hex || strlen(hex) != 2 * KEEP_SALT)
        return -1;
    for (size_t i = 0; i < 2 * KEEP_SALT; i++) {
        const char *digit = strchr(digits, hex[i]);

        if (!digit)
            return -1;
        salt[i / 2] = (unsigned char)(salt[i / 2] << 4 | (digit - digits));
    }
    return 0;
}

int
keep_read_salt(const json_t *root, unsigned char *salt)
{
    return from_hex(json_string_value(json_object_get(root, "salt")), salt);
}

int
keep_make_salt(unsigned char *salt)
{
    return getrandom(salt, KEEP_SALT, 0) == KEEP_SALT ? 0 : -1;
}

/* ---- writing ----------------------------------------------------------------------- */

void
keep_put_salt(struct text *t, const unsigned char *salt)
{
    char hex[2 * KEEP_SALT + 1];

    for (size_t i = 0; i < KEEP_SALT; i++)
        snprintf(hex + 2 * i, 3, "%02x", salt[i]);
    put_key(t, "salt");
    put_str(t, hex);
}

static int
write_whole(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

void
keep_replace(int dir, const char *file, const struct text *t)
{
    char name[128];
    int fd;

    snprintf(name, sizeof(name), ".%s.%ld", file, (long)getpid());
    unlinkat(dir, name, 0);
    fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (write_whole(fd, t->data, t->len) < 0 || fsync(fd) < 0 ||
        renameat(dir, name, dir, file) < 0)
        unlinkat(dir, name, 0);
    close(fd);
}
