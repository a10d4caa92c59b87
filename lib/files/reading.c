/* SPDX-License-Identifier: MIT
 *
 * reading.c - read one file as a resource: its text, or its bytes in base64.
 *
 *   OPEN --> READ --> CHECK --text--> WRITE --> answered
 *                       \--no text--> ENCODE --> answered
 *
 * If the escapes make the text longer than the limit of a result, WRITE stops and ENCODE
 * begins.
 *
 * Each step takes some of the budget of the turn.  The size limit also applies to the
 * bytes that were read, because a file can grow after it was opened.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/inner.h"

#define CHUNK ((size_t)48 * 1024) /* bytes of a step; a multiple of 3, for base64 */
/* Parsing one byte costs as much as copying this many bytes. */
#define PARSE_COST 16

enum { OPEN, READ, CHECK, WRITE, ENCODE };

struct reading {
    struct files_work work;
    int phase;
    int fd;
    struct mcph_buf raw, result;
    size_t at; /* bytes of `raw` that were checked or written */
};

static struct reading *
reading_of(struct files_work *work)
{
    return MCPH_CONTAINER_OF(work, struct reading, work);
}

/* ---- reading the bytes ------------------------------------------------------------- */

static bool
refuse_large(const struct files *files, struct files_work *work)
{
    char why[96];

    snprintf(why, sizeof(why), "the file is larger than max_bytes (%zu)",
             files->max_bytes);
    mcph_files_refuse(work->call, MCPH_RPC_INTERNAL_ERROR, why);
    return false;
}

static void
spend_budget(size_t *budget, size_t cost)
{
    *budget -= cost < *budget ? cost : *budget;
}

static bool
open_file(const struct files *files, struct reading *rd, size_t *budget)
{
    struct stat st;

    spend_budget(budget, FILES_OPEN_COST);
    rd->fd = mcph_files_open(files, rd->work.place.path, false, &st);
    if (rd->fd < 0) {
        mcph_files_refuse_errno(rd->work.call, errno, false);
        return false;
    }
    if (st.st_size > 0 && (uintmax_t)st.st_size > files->max_bytes)
        return refuse_large(files, &rd->work);
    /* Allow one byte more than the limit.  If this byte can be read, the file is too
     * large. */
    mcph_buf_init_paged(&rd->raw, files->max_bytes + 1);
    rd->phase = READ;
    return true;
}

static bool
read_some(const struct files *files, struct reading *rd, size_t *budget)
{
    size_t left = files->max_bytes + 1 - rd->raw.len;
    size_t want = left < CHUNK ? left : CHUNK;
    ssize_t n;

    if (mcph_buf_reserve(&rd->raw, want) < 0) {
        mcph_files_refuse(rd->work.call, MCPH_RPC_INTERNAL_ERROR, "out of memory");
        return false;
    }
    n = read(rd->fd, rd->raw.data + rd->raw.len, want);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0) {
        mcph_files_refuse_errno(rd->work.call, errno, false);
        return false;
    }
    spend_budget(budget, (size_t)n);
    rd->raw.len += (size_t)n;
    if (rd->raw.len > files->max_bytes)
        return refuse_large(files, &rd->work);
    if (n == 0)
        rd->phase = CHECK;
    return true;
}

/* ---- checking for text ------------------------------------------------------------- */

/* Returns the length of the next chunk.  A chunk for base64 ends with a whole group of
 * three bytes.  A chunk of text ends with a whole character. */
static size_t
next_chunk(const struct reading *rd)
{
    size_t left = rd->raw.len - rd->at, n = left < CHUNK ? left : CHUNK, back = 0;

    if (n == left || rd->phase == ENCODE)
        return n;
    while (back < 3 && ((unsigned char)rd->raw.data[rd->at + n - back] & 0xc0) == 0x80)
        back++;
    return n - back;
}

static const char *
mime_of(const struct files *files, const struct reading *rd)
{
    const char *path = rd->work.place.path, *slash = strrchr(path, '/');

    return mcph_files_mime_find(files->mime, slash ? slash + 1 : path);
}

static void
begin_writing(const struct files *files, struct reading *rd, bool is_text)
{
    const char *mime = mime_of(files, rd);

    if (!mime)
        mime = is_text ? "text/plain" : "application/octet-stream";
    mcph_buf_done(&rd->result);
    mcph_buf_init_paged(&rd->result, FILES_RESULT_MAX);
    mcph_files_begin_result(rd->work.call, mime, is_text ? "text" : "blob", &rd->result);
    mcph_buf_addc(&rd->result, '"');
    rd->at = 0;
    rd->phase = is_text ? WRITE : ENCODE;
}

/* Checks whether the next chunk is text.  Begins the result once the kind of the file is
 * known.  A file with a NUL is not treated as text. */
static void
check_some(const struct files *files, struct reading *rd, size_t *budget)
{
    size_t n = next_chunk(rd);
    const char *p = rd->raw.data + rd->at;

    if (n > 0 && (memchr(p, '\0', n) || !mcph_utf8_valid(p, n, NULL))) {
        begin_writing(files, rd, false);
        return;
    }
    rd->at += n;
    spend_budget(budget, n);
    if (rd->at == rd->raw.len)
        begin_writing(files, rd, true);
}

/* ---- writing the result ------------------------------------------------------------ */

static bool
finish_reading(const struct files *files, struct reading *rd, size_t *budget)
{
    const char *mime = mime_of(files, rd);

    mcph_buf_addc(&rd->result, '"');
    if (rd->phase == WRITE && mime &&
        mcph_files_add_parsed(mime, mcph_span(rd->raw.data, rd->raw.len), &rd->result))
        spend_budget(budget, PARSE_COST * rd->raw.len);
    mcph_files_answer(rd->work.call, &rd->result);
    return false;
}

static bool
write_some(const struct files *files, struct reading *rd, size_t *budget)
{
    size_t n = next_chunk(rd);
    const char *p = rd->raw.data + rd->at;
    int r = 0;

    if (n == 0)
        return finish_reading(files, rd, budget);
    r = rd->phase == WRITE ? mcph_json_add_part(&rd->result, p, n)
                           : mcph_base64_add(&rd->result, p, n);
    if (r == MCPHOST_E_LIMIT && rd->phase == WRITE) {
        begin_writing(files, rd, false); /* the text has so many escapes that it exceeds
                                          * the limit; use base64 */
        return true;
    }
    rd->at += n;
    spend_budget(budget, n);
    return r == 0 ? true : finish_reading(files, rd, budget);
}

static bool
reading_step(struct files *files, struct files_work *work, size_t *budget)
{
    struct reading *rd = reading_of(work);

    switch (rd->phase) {
    case OPEN:
        return open_file(files, rd, budget);
    case READ:
        return read_some(files, rd, budget);
    case CHECK:
        check_some(files, rd, budget);
        return true;
    default:
        return write_some(files, rd, budget);
    }
}

/* ---- life -------------------------------------------------------------------------- */

static void
reading_free(struct files_work *work)
{
    struct reading *rd = reading_of(work);

    if (rd->fd >= 0)
        close(rd->fd);
    mcph_buf_done(&rd->raw);
    mcph_buf_done(&rd->result);
    free(rd);
}

struct files_work *
mcph_files_reading_new(void)
{
    struct reading *rd = calloc(1, sizeof(*rd));

    if (!rd)
        return NULL;
    rd->fd = -1;
    rd->work.step = reading_step;
    rd->work.free = reading_free;
    return &rd->work;
}
