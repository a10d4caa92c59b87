/* SPDX-License-Identifier: MIT
 *
 * scratch.c - helpers of fuzz targets: a directory for artifacts, and a base64 decoder.
 */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directories above the artifacts.  A file in one of these directories shows a ".."
 * that the library has not refused. */
#define DEEP "/1/2/3/4"

static char top[64], dir[96];
static size_t n_files;
static uint64_t n_bytes;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the directory ----------------------------------------------------------------- */

static void
forget(void)
{
    mcphost_artifact_delete_all(dir, NULL);
    for (char *slash = dir + strlen(dir); slash >= dir + strlen(top); slash--) {
        if (*slash != '/' && *slash)
            continue;
        *slash = '\0';
        rmdir(dir);
    }
}

static int
make(const char *below)
{
    snprintf(top, sizeof(top), "%s/mcphost-fuzz-XXXXXX", below);
    return mkdtemp(top) ? 0 : -1;
}

const char *
scratch_dir(void)
{
    if (*dir)
        return dir;
    must(make("/dev/shm") == 0 || make("/tmp") == 0);
    snprintf(dir, sizeof(dir), "%s" DEEP, top);
    for (char *slash = dir + strlen(top); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(dir, 0700);
        *slash = '/';
    }
    must(mkdir(dir, 0700) == 0);
    atexit(forget);
    return dir;
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    size_t len = strlen(dir), n = strlen(path);

    must(type == FTW_D || type == FTW_F);
    if (type == FTW_F) {
        must(n > len && strncmp(path, dir, len) == 0 &&
             strncmp(path + len, "/artifacts/mcp/", 15) == 0);
        must(ftw->level == 9 && path[ftw->base] != '.' && (st->st_mode & 07777) == 0600);
        n_files++;
        n_bytes += (uint64_t)st->st_size;
    } else {
        must(n > len ? strncmp(path + len, "/artifacts", 10) == 0
                     : strncmp(path, dir, n) == 0);
        must((st->st_mode & 07777) == 0700);
    }
    return 0;
}

size_t
scratch_count(uint64_t *ret_bytes)
{
    n_files = 0;
    n_bytes = 0;
    must(*scratch_dir() && nftw(top, visit, 16, FTW_PHYS) == 0);
    *ret_bytes = n_bytes;
    return n_files;
}

void
scratch_empty(void)
{
    uint64_t bytes;

    must(mcphost_artifact_delete_all(dir, NULL) == 0);
    must(scratch_count(&bytes) == 0);
    /* Remove the empty directory.  The next artifact makes it again. */
    must(rmdir(dir) == 0 || access(dir, F_OK) < 0);
}

bool
scratch_has(const char *path, struct mcph_span bytes)
{
    char *have = malloc(bytes.len + 1);
    size_t n = 0;
    bool same;

    must(have && mcphost_artifact_read(dir, path, 0, have, bytes.len + 1, &n, NULL) == 0);
    same = n == bytes.len && memcmp(have, bytes.p, n) == 0;
    free(have);
    return same;
}

/* ---- base64, the simple way -------------------------------------------------------- */

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int
digit(char c)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(plain, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;

    return at ? (int)(at - plain) : -1;
}

struct mcph_span
scratch_no_prefix(struct mcph_span text)
{
    const char *p = text.p, *end = p + text.len, *mark;

    while (p < end && is_space(*p))
        p++;
    if (end - p < 5 || strncasecmp(p, "data:", 5) != 0)
        return text;
    mark = memmem(p, (size_t)(end - p), "base64,", 7);
    return mark ? mcph_span(mark + 7, (size_t)(end - mark) - 7) : text;
}

long
scratch_base64(struct mcph_span text, unsigned char *out, size_t *ret_at)
{
    size_t n_bits = 0, padding = 0, i;

    memset(out, 0, text.len);
    for (i = 0; i < text.len; i++) {
        int value = digit(text.p[i]);

        *ret_at = i;
        if (is_space(text.p[i]))
            continue;
        if (text.p[i] == '=') {
            /* Allow two padding characters after 12 bits of a group, and one after 18
             * bits. */
            if (++padding > (n_bits % 24 == 12 ? 2 : n_bits % 24 == 18 ? 1 : 0))
                return -1;
            continue;
        }
        if (value < 0 || padding)
            return -1;
        for (int bit = 5; bit >= 0; bit--, n_bits++)
            if (n_bits / 8 < text.len && (value >> bit & 1))
                out[n_bits / 8] |= (unsigned char)(0x80 >> n_bits % 8);
    }
    *ret_at = i;
    if (n_bits % 24 == 6 || (padding && n_bits % 24 + padding * 6 != 24))
        return -1;
    return (long)(n_bits / 8);
}

/* ---- inputs ------------------------------------------------------------------------ */

void
scratch_expand(struct mcph_buf *buf, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size && !buf->err; i++) {
        char c = (char)data[i];
        unsigned n = 1;

        if (c == 1 && buf->len && i + 1 < size) {
            c = buf->data[buf->len - 1];
            n = 64u * data[++i];
        }
        while (n-- && !mcph_buf_addc(buf, c))
            ;
    }
}
