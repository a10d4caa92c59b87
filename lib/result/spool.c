/* SPDX-License-Identifier: MIT
 *
 * spool.c - messages too large for memory, kept in a file without a name.
 *
 * The file is gone from its directory before the first byte is in it.  A complete
 * message is mapped: its pages are the file's, and the system may give them up and
 * read them again, so that a result of a gigabyte costs the application no memory that
 * it cannot get back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "result/result.h"

struct spool {
    int fd;
    uint64_t size, max;
};

static int
open_nameless(const char *dir)
{
    int fd = mcph_fd_high(open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    char *name;

    /* Some file systems cannot make a file without a name. */
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    name = mcph_asprintf("%s/mcphost-XXXXXX", dir);
    if (!name)
        return -1;
    fd = mcph_fd_high(mkostemp(name, O_CLOEXEC));
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

static void *
spool_begin(struct mcph_sink *sink)
{
    struct mcph_spool_sink *owner = MCPH_CONTAINER_OF(sink, struct mcph_spool_sink, sink);
    struct spool *spool = owner->dir && owner->max ? malloc(sizeof(*spool)) : NULL;

    if (!spool)
        return NULL;
    *spool = (struct spool){.fd = open_nameless(owner->dir), .max = owner->max};
    if (spool->fd >= 0)
        return spool;
    free(spool);
    return NULL;
}

static int
spool_write(void *arg, const char *data, size_t len)
{
    struct spool *spool = arg;

    if (len > spool->max - spool->size)
        return MCPHOST_E_LIMIT;
    spool->size += len;
    while (len) {
        ssize_t n = write(spool->fd, data, len);

        if (n < 0 && errno != EINTR)
            return MCPHOST_E_IO;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static void
spool_end(void *arg, struct mcph_frame *frame)
{
    struct spool *spool = arg;
    void *map = MAP_FAILED;

    if (frame && spool->size)
        map = mmap(NULL, (size_t)spool->size, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (map != MAP_FAILED) {
        frame->data = map;
        frame->len = (size_t)spool->size;
        frame->block = map;
        frame->block_size = (size_t)spool->size;
    }
    close(spool->fd);
    free(spool);
}

int
mcph_spool_sink_init(struct mcph_spool_sink *sink, const char *dir, uint64_t max)
{
    char *copy = mcph_strdup(dir);
    struct mcph_ration *ration = copy ? mcph_ration_new() : NULL;

    if (!ration) {
        free(copy);
        return MCPHOST_E_NOMEM;
    }
    *sink = (struct mcph_spool_sink){
        .sink = {spool_begin, spool_write, spool_end, ration}, .dir = copy, .max = max};
    return 0;
}

void
mcph_spool_sink_done(struct mcph_spool_sink *sink)
{
    free(sink->dir);
    sink->dir = NULL;
    sink->sink.ration = mcph_ration_unref(sink->sink.ration);
}
