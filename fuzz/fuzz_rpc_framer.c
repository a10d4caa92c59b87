/* SPDX-License-Identifier: MIT
 *
 * fuzz_rpc_framer.c - compares the lines of the framer with a plain split.
 *
 * The framer gets the stream in random pieces.  The plain split gets the whole stream.
 *
 * Byte 0 gives the limit on a line: 4 * n + 1 bytes, where n is the value of byte 0.
 * Byte 1 is the seed of the sizes of the pieces.  The remaining bytes are the stream.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct keeper {
    struct mcph_sink sink;
    struct mcph_buf got;
    bool done;
};

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void *
keeper_begin(struct mcph_sink *sink)
{
    return MCPH_CONTAINER_OF(sink, struct keeper, sink);
}

static int
keeper_write(void *keeper, const char *data, size_t len)
{
    return mcph_buf_add(&((struct keeper *)keeper)->got, data, len);
}

static void
keeper_end(void *keeper, struct mcph_frame *frame)
{
    ((struct keeper *)keeper)->done = frame != NULL;
}

/* Returns the next line that is not blank or is longer than `limit`, without its line
 * end.  The result's p is NULL at the end of the stream. */
static struct mcph_span
plain_line(const char **p, const char *end, size_t limit)
{
    while (*p < end) {
        const char *from = *p, *newline = memchr(from, '\n', (size_t)(end - from));
        size_t len, i;

        if (!newline)
            break;
        *p = newline + 1;
        len = (size_t)(newline - from);
        if (len > 0 && from[len - 1] == '\r')
            len--;
        for (i = 0; i < len && strchr(" \t\r", from[i]) && from[i]; i++)
            ;
        if (i < len || len > limit)
            return mcph_span(from, len);
    }
    return MCPH_SPAN_NONE;
}

static void
compare_over(const struct mcph_frame *frame, struct keeper *keeper, struct mcph_span line)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id")};
    struct mcph_span value, id = mcph_span(frame->over->id, frame->over->id_len);

    must(frame->wire_len == line.len && keeper->done);
    must(mcph_span_eq(mcph_span(keeper->got.data, keeper->got.len), line));
    if (mcph_json_scan(line, 0, want, 1, &value, NULL) == 0 && *value.p == '{') {
        must(frame->over->is_object);
        if (want[0].value.len <= MCPH_FRAME_ID_MAX)
            must(mcph_span_eq(want[0].value, id));
    }
    mcph_buf_clear(&keeper->got);
    keeper->done = false;
}

static void
drain(struct mcph_framer *framer, struct keeper *keeper, const char **p, const char *end,
      size_t limit)
{
    struct mcph_frame *frame;

    while (mcph_framer_next(framer, &frame) > 0) {
        struct mcph_span line = plain_line(p, end, limit);

        must(line.p != NULL);
        must((frame->over != NULL) == (line.len > limit));
        if (frame->over)
            compare_over(frame, keeper, line);
        else
            must(mcph_span_eq(mcph_frame_span(frame), line));
        mcph_frame_unref(frame);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keeper keeper = {
        .sink = {.begin = keeper_begin, .write = keeper_write, .end = keeper_end}};
    struct mcph_framer framer;
    const char *in, *p, *end;
    unsigned seed;
    size_t limit;

    if (size < 2)
        return 0;
    limit = 4u * data[0] + 1;
    seed = data[1];
    in = p = (const char *)data + 2;
    end = (const char *)data + size;
    mcph_buf_init(&keeper.got, SIZE_MAX / 4);
    mcph_framer_init(&framer, limit);
    mcph_framer_set_sink(&framer, &keeper.sink);
    while (in < end) {
        size_t room, n;
        char *space;

        seed = seed * 1103515245u + 12345u;
        n = (seed >> 16) % (seed & 0x8000 ? 5000 : 20) + 1;
        if (n > (size_t)(end - in))
            n = (size_t)(end - in);
        if (seed & 0x4000) {
            must(mcph_framer_put(&framer, in, n) == 0);
        } else {
            space = mcph_framer_space(&framer, &room);
            must(space && room > 0);
            n = n < room ? n : room;
            memcpy(space, in, n);
            mcph_framer_commit(&framer, n);
        }
        in += n;
        drain(&framer, &keeper, &p, end, limit);
    }
    must(plain_line(&p, end, limit).p == NULL);
    must(mcph_framer_pending(&framer) <= size);
    mcph_framer_done(&framer);
    mcph_buf_done(&keeper.got);
    return 0;
}
