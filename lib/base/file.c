/* SPDX-License-Identifier: MIT
 *
 * file.c - reading whole files.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static int
read_all(int fd, const char *path, size_t max, struct mcph_buf *buf,
         mcphost_error **reterr)
{
    size_t start = buf->len;

    for (;;) {
        ssize_t n;
        int r;

        if (buf->len - start > max)
            return mcph_err(reterr, MCPHOST_E_LIMIT, "'%s' is larger than %zu bytes",
                            path, max);
        r = mcph_buf_reserve(buf, 16384);
        if (r == MCPHOST_E_NOMEM)
            return mcph_err_nomem(reterr);
        if (r < 0)
            return mcph_err(reterr, r, "'%s' is larger than %zu bytes", path, max);
        n = read(fd, buf->data + buf->len, buf->cap - buf->len);
        if (n == 0)
            return 0;
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return mcph_err_os(reterr, errno, "cannot read '%s'", path);
        }
        buf->len += (size_t)n;
    }
}

int
mcph_file_read(const char *path, size_t max, struct mcph_buf *buf, mcphost_error **reterr)
{
    size_t start = buf->len;
    struct stat st;
    int fd, r;

    /* O_NONBLOCK: a FIFO put in the file's place must not hang us. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        int e = errno;

        r = mcph_err_os(reterr, e, "cannot open '%s'", path);
        return e == ENOENT || e == ENOTDIR ? MCPHOST_E_NOTFOUND : r;
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
