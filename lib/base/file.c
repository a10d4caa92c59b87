/* SPDX-License-Identifier: MIT
 *
 * file.c - reading whole files.
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

/* `max` is no more than what the buffer takes. */
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
        /* At the limit only the end of the file may follow. */
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
mcph_file_read(const char *path, size_t max, struct mcph_buf *buf, mcphost_error **reterr)
{
    size_t start = buf->len;
    struct stat st;
    int fd, r;

    if (buf->err)
        return mcph_err(reterr, buf->err, "cannot read '%s': no room", path);
    if (max > buf->max - start)
        max = buf->max - start;
    /* O_NONBLOCK: a FIFO put in the file's place must not hang us. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return mcph_err_sys(reterr, MCPHOST_E_NOTFOUND, errno, "cannot open '%s'",
                                path);
        return mcph_err_os(reterr, errno, "cannot open '%s'", path);
    }
    if (fstat(fd, &st) < 0)
        r = mcph_err_os(reterr, errno, "cannot examine '%s'", path);
    else if (!S_ISREG(st.st_mode))
        r = mcph_err(reterr, MCPHOST_E_IO, "'%s' is not a regular file", path);
    else
        r = read_all(fd, path, max, buf, reterr);
    close(fd);
    if (r < 0)
        buf->len = start;
    return r;
}
