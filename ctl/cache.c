/* SPDX-License-Identifier: MIT
 *
 * cache.c - verdicts on servers' eras, kept from one run to the next.
 *
 * $XDG_CACHE_HOME/mcphost/verdicts.json, or below ~/.cache: a file that its owner alone
 * can read, in a directory that its owner alone can enter.  The verdicts are the
 * library's own JSON; the salt that they are keyed with stands beside them.  What is
 * not as it should be is as good as nothing, and is replaced; it is never an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"

#define CACHE_FILE  "verdicts.json"
#define FORMAT      1
#define CACHE_MAX   ((size_t)1 << 20)
#define SALT_LENGTH 32

struct cache {
    int dir; /* -1: nothing is kept */
    unsigned char salt[SALT_LENGTH];
    struct text before; /* the verdicts that were read */
};

/* ---- the directory ----------------------------------------------------------------- */

/* Opens a directory of ours below `parent`, made if it is missing. */
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
    /* One that was there with more rights than it should have is narrowed. */
    if (fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
        ((st.st_mode & 077) && fchmod(fd, 0700) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int
open_cache_dir(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    struct text path = {0};
    int fd = -1;

    if (cache && cache[0] == '/') {
        /* The base directory belongs to the user's whole desktop: made, as it asks. */
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

static int
read_whole(int dir, struct text *t)
{
    char part[16384];
    struct stat st;
    ssize_t n = -1;
    int fd = openat(dir, CACHE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        !(st.st_mode & 077)) {
        do {
            n = read(fd, part, sizeof(part));
            if (n > 0)
                text_add(t, part, (size_t)n);
        } while (n > 0 && t->len <= CACHE_MAX);
    }
    close(fd);
    return n == 0 && !text_failed(t) ? 0 : -1;
}

static int
from_hex(const char *hex, unsigned char *salt)
{
    static const char digits[] = "0123456789abcdef";

    if (!hex || strlen(hex) != 2 * SALT_LENGTH)
        return -1;
    for (size_t i = 0; i < 2 * SALT_LENGTH; i++) {
        const char *digit = strchr(digits, hex[i]);

        if (!digit)
            return -1;
        salt[i / 2] = (unsigned char)(salt[i / 2] << 4 | (digit - digits));
    }
    return 0;
}

/* Fills in salt and verdicts from the file.  Returns 0, or -1 when it is unusable. */
static int
read_cache(struct cache *cache)
{
    struct text t = {0};
    json_t *root = NULL;
    const char *verdicts;
    size_t len = 0;
    int r = -1;

    if (read_whole(cache->dir, &t) < 0)
        goto out;
    root = json_loadb(t.data ? t.data : "", t.len, JSON_REJECT_DUPLICATES, NULL);
    if (json_integer_value(json_object_get(root, "format")) != FORMAT)
        goto out;
    if (from_hex(json_string_value(json_object_get(root, "salt")), cache->salt) < 0)
        goto out;
    verdicts = find_member(t.data, t.len, "verdicts", &len);
    if (!verdicts)
        goto out;
    text_add(&cache->before, verdicts, len);
    r = text_failed(&cache->before) ? -1 : 0;
out:
    json_decref(root);
    text_free(&t);
    return r;
}

static int
make_salt(unsigned char *salt)
{
    return getrandom(salt, SALT_LENGTH, 0) == SALT_LENGTH ? 0 : -1;
}

static void
cache_free(struct cache *cache)
{
    if (!cache)
        return;
    if (cache->dir >= 0)
        close(cache->dir);
    text_free(&cache->before);
    free(cache);
}

void
cache_load(struct ctl *ctl)
{
    struct cache *cache = calloc(1, sizeof(*cache));

    if (!cache)
        return;
    cache->dir = open_cache_dir();
    if (cache->dir >= 0 && read_cache(cache) == 0) {
        mcphost_set_verdicts(ctl->host, cache->salt, SALT_LENGTH, cache->before.data,
                             cache->before.len);
    } else if (cache->dir < 0 || make_salt(cache->salt) < 0) {
        cache_free(cache);
        return;
    }
    ctl->cache = cache;
}

/* ---- writing ----------------------------------------------------------------------- */

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

/* Readers see the old file or the new one, never a part. */
static void
replace_file(int dir, const struct text *t)
{
    char name[64];
    int fd;

    snprintf(name, sizeof(name), ".%s.%ld", CACHE_FILE, (long)getpid());
    unlinkat(dir, name, 0);
    fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (write_whole(fd, t->data, t->len) < 0 || fsync(fd) < 0 ||
        renameat(dir, name, dir, CACHE_FILE) < 0)
        unlinkat(dir, name, 0);
    close(fd);
}

static void
save(struct cache *cache, const char *verdicts, size_t len)
{
    char hex[2 * SALT_LENGTH + 1];
    struct text t = {0};

    for (size_t i = 0; i < SALT_LENGTH; i++)
        snprintf(hex + 2 * i, 3, "%02x", cache->salt[i]);
    put_begin(&t, '{');
    put_key(&t, "format");
    put_int(&t, FORMAT);
    put_key(&t, "salt");
    put_str(&t, hex);
    put_key(&t, "verdicts");
    put_raw(&t, verdicts, len);
    put_end(&t, '}');
    text_puts(&t, "\n");
    if (!text_failed(&t))
        replace_file(cache->dir, &t);
    text_free(&t);
}

void
cache_save(struct ctl *ctl)
{
    struct cache *cache = ctl->cache;
    char *verdicts = NULL;
    size_t len = 0;

    ctl->cache = NULL;
    if (!cache)
        return;
    if (mcphost_get_verdicts(ctl->host, cache->salt, SALT_LENGTH, &verdicts, &len) == 0 &&
        (len != cache->before.len || memcmp(verdicts, cache->before.data, len) != 0))
        save(cache, verdicts, len);
    mcphost_free(verdicts);
    cache_free(cache);
}
