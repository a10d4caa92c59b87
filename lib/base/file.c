/* SPDX-License-Identifier: MIT
 *
 * file.c - read whole files, and detect changes of a file without reading it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define CHUNK 16384

static int
too_large(mcphost_error **reterr, const char *path, size_t max)
{
    return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' is larger than %zu bytes", path, max);
}

/* Reads a file to its end.  `buf` must be able to grow by `max` bytes. */
static int
read_all(int fd, const char *path, size_t max, struct mcph_buf *buf,
         mcphost_error **reterr)
{
    size_t got = 0;

    for (;;) {
        size_t want = max - got < CHUNK ? max - got : CHUNK;
        char probe;
        ssize_t n;

        if (mcph_buf_reserve(buf, want) < 0)
            return mcph_err_nomem(reterr);
        /* At the limit, read one more byte, to find out whether the file is too large. */
        n = want ? read(fd, buf->data + buf->len, want) : read(fd, &probe, 1);
        if (n == 0)
            return 0;
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return mcph_err_os(reterr, errno, "cannot read '%s'", path);
        }
        if (!want)
            return too_large(reterr, path, max);
        got += (size_t)n;
        buf->len += (size_t)n;
    }
}

int
mcph_file_read_fd(int fd, const char *shown, size_t max, struct mcph_buf *buf,
                  mcphost_error **reterr)
{
    size_t start = buf->len;
    struct stat st;
    int r;

    if (fstat(fd, &st) < 0)
        r = mcph_err_os(reterr, errno, "cannot examine '%s'", shown);
    else if (!S_ISREG(st.st_mode))
        r = mcph_err(reterr, MCPHOST_E_IO, "'%s' is not a regular file", shown);
    else
        r = read_all(fd, shown, max < buf->max - start ? max : buf->max - start, buf,
                     reterr);
    if (r < 0)
        buf->len = start;
    return r;
}

static int
cannot_open(const char *shown, mcphost_error **reterr)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'", shown);
    return mcph_err_os(reterr, errno, "cannot open '%s'", shown);
}

/* If a FIFO has replaced the file, open() would block without O_NONBLOCK. */
#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

int
mcph_file_read(const char *path, size_t max, struct mcph_buf *buf, mcphost_error **reterr)
{
    int fd, r;

    if (buf->err)
        return mcph_err(reterr, buf->err,
                        "cannot read '%s': the buffer is full or out of memory", path);
    fd = mcph_fd_high(open(path, READ_FLAGS));
    if (fd < 0)
        return cannot_open(path, reterr);
    r = mcph_file_read_fd(fd, path, max, buf, reterr);
    close(fd);
    return r;
}

int
mcph_file_read_beneath(int dir, const char *path, const char *shown, size_t max,
                       struct mcph_buf *buf, mcphost_error **reterr)
{
    int fd, r;

    if (buf->err)
        return mcph_err(reterr, buf->err,
                        "cannot read '%s': the buffer is full or out of memory", shown);
    fd = mcph_fd_high(mcph_open_beneath(dir, path, READ_FLAGS, false));
    if (fd < 0 && errno == ELOOP)
        return mcph_err(reterr, MCPHOST_E_DENIED,
                        "'%s' is not opened: a symbolic link is in its path", shown);
    if (fd < 0)
        return cannot_open(shown, reterr);
    r = mcph_file_read_fd(fd, shown, max, buf, reterr);
    close(fd);
    return r;
}

/* ---- signatures -------------------------------------------------------------------- */

#define NS_PER_S INT64_C(1000000000)

static void
fill_sig(int r, const struct stat *st, struct mcph_file_sig *ret_sig)
{
    *ret_sig = (struct mcph_file_sig){0};
    if (r < 0) {
        /* Report an absent file if a parent is not a directory. */
        ret_sig->error = errno == ENOTDIR ? ENOENT : errno;
        return;
    }
    ret_sig->device = (uint64_t)st->st_dev;
    ret_sig->inode = (uint64_t)st->st_ino;
    ret_sig->size = (int64_t)st->st_size;
    ret_sig->mtime_ns = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;
    ret_sig->ctime_ns = (int64_t)st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

void
mcph_file_sign(const char *path, struct mcph_file_sig *ret_sig)
{
    struct stat st;

    fill_sig(stat(path, &st), &st, ret_sig);
}

void
mcph_file_sign_fd(int fd, struct mcph_file_sig *ret_sig)
{
    struct stat st;

    fill_sig(fstat(fd, &st), &st, ret_sig);
}

bool
mcph_file_sig_equal(const struct mcph_file_sig *a, const struct mcph_file_sig *b)
{
    return a->error == b->error && a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* The times after a change, in ms, during which a file counts as young.  SECONDS_MS is
 * for time stamps in whole seconds, TICK_MS for all other time stamps.  The kernel
 * stamps files with the time of its last tick, which is at most 10 ms old.  Some
 * file systems store the time in units of two seconds. */
#define TICK_MS    20
#define SECONDS_MS 2000

static bool
is_young(int64_t stamp_ns, int64_t realtime_ms)
{
    int64_t age = realtime_ms - stamp_ns / 1000000;
    int64_t window = stamp_ns % NS_PER_S ? TICK_MS : SECONDS_MS;

    return age > -window && age < window;
}

bool
mcph_file_sig_young(const struct mcph_file_sig *sig, int64_t realtime_ms)
{
    return sig->error == 0 &&
           (is_young(sig->mtime_ns, realtime_ms) || is_young(sig->ctime_ns, realtime_ms));
}
