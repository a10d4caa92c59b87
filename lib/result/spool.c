/* SPDX-License-Identifier: MIT
 *
 * spool.c - files without names, for messages that are too large for memory.
 *
 * Even before the first byte is written, the file has no name in any directory.
 * spool_end() maps a complete message.  The system can drop the mapped pages and read
 * them again, because the pages belong to the file.  A result of a gigabyte therefore
 * takes no memory that the system cannot reclaim.
 *
 * A job shortens a large discarded file in steps and closes the file when it is empty.
 * Without the job, closing the file would free all its pages in one system call.  This
 * call takes long for a gigabyte.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "result/result.h"

/* Limit on the bytes that one turn of the dispatcher frees.  A file that is not larger is
 * freed at once. */
#define STEP ((uint64_t)8 << 20)

struct spool {
    struct mcph_list link; /* in sink->discarded, once the file is discarded */
    struct mcph_spool_sink *sink;
    int fd;
    uint64_t size, max;
};

static int
open_nameless(const char *dir)
{
    int fd = mcph_fd_high(open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    char *name;

    /* If the file system cannot make a file without a name, make a file and remove its
     * name. */
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
    *spool =
        (struct spool){.sink = owner, .fd = open_nameless(owner->dir), .max = owner->max};
    mcph_list_init(&spool->link);
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
    while (len) {
        ssize_t n = write(spool->fd, data, len);

        if (n < 0 && errno != EINTR)
            return MCPHOST_E_IO;
        if (n > 0) {
            spool->size += (uint64_t)n;
            data += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static void
spool_free(struct spool *spool)
{
    mcph_list_remove(&spool->link);
    close(spool->fd);
    free(spool);
}

/* Frees at most STEP bytes of the first discarded file.  Posts the job again if discarded
 * files are left. */
static void
truncate_step(struct mcph_job *job)
{
    struct mcph_spool_sink *sink = MCPH_CONTAINER_OF(job, struct mcph_spool_sink, job);
    struct spool *spool = MCPH_LIST_ENTRY(sink->discarded.next, struct spool, link);

    spool->size -= spool->size < STEP ? spool->size : STEP;
    if (ftruncate(spool->fd, (off_t)spool->size) < 0 || spool->size == 0)
        spool_free(spool);
    if (!mcph_list_empty(&sink->discarded))
        mcph_core_post_later(sink->core, job);
}

static void
discard_spool(struct spool *spool)
{
    struct mcph_spool_sink *sink = spool->sink;

    if (spool->size <= STEP) {
        spool_free(spool);
        return;
    }
    if (mcph_list_empty(&sink->discarded))
        mcph_core_post_later(sink->core, &sink->job);
    mcph_list_append(&sink->discarded, &spool->link);
}

static void
spool_end(void *arg, struct mcph_frame *frame)
{
    struct spool *spool = arg;
    void *map;

    if (!frame || spool->size == 0) {
        discard_spool(spool);
        return;
    }
    /* The mapping is private and writable, because a result writes a NUL behind the texts
     * that it returns. */
    map = mmap(NULL, (size_t)spool->size, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_NORESERVE, spool->fd, 0);
    if (map == MAP_FAILED) {
        discard_spool(spool);
        return;
    }
    frame->data = map;
    frame->len = (size_t)spool->size;
    frame->block = map;
    frame->block_size = (size_t)spool->size;
    spool_free(spool);
}

int
mcph_spool_sink_init(struct mcph_spool_sink *sink, struct mcph_core *core,
                     const char *dir, uint64_t max)
{
    char *copy = mcph_strdup(dir);

    if (!copy)
        return MCPHOST_E_NOMEM;
    *sink = (struct mcph_spool_sink){.sink = {spool_begin, spool_write, spool_end},
                                     .core = core,
                                     .job = {.run = truncate_step},
                                     .dir = copy,
                                     .max = max};
    mcph_list_init(&sink->job.link);
    mcph_list_init(&sink->discarded);
    return 0;
}

void
mcph_spool_sink_done(struct mcph_spool_sink *sink)
{
    if (!sink->dir)
        return;
    mcph_core_unpost(sink->core, &sink->job);
    while (!mcph_list_empty(&sink->discarded))
        spool_free(MCPH_LIST_ENTRY(sink->discarded.next, struct spool, link));
    free(sink->dir);
    sink->dir = NULL;
}
