/* SPDX-License-Identifier: MIT
 *
 * fuzz_sse.c - compares the parser of event streams with a plain parser.
 *
 * The library's parser gets the stream in random pieces.  The plain parser reads line by
 * line.
 *
 * Byte 0 gives the limit on the data of an event: 4 * n + 1 bytes, where n is the value
 * of byte 0.  Byte 1 is the seed of the sizes of the pieces.  The remaining bytes are the
 * stream.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* The events that a parser has found, as text. */
struct log {
    struct mcph_buf text;
};

static void
note(struct log *log, const char *type, const char *data, size_t len, size_t limit)
{
    size_t i;

    for (i = 0; i < len && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r'); i++)
        ;
    mcph_buf_addf(&log->text, "%s:", type);
    if (len > limit)
        mcph_buf_addf(&log->text, "over %zu", len);
    else if (i == len)
        mcph_buf_adds(&log->text, "blank");
    else
        mcph_buf_add(&log->text, data, len);
    mcph_buf_addc(&log->text, '\n');
}

/* ---- the plain parser -------------------------------------------------------------- */

struct plain {
    struct mcph_buf data, id, last_id;
    char type[MCPH_SSE_TYPE_MAX];
    size_t type_len;
    bool has_data, has_id;
    int64_t retry;
};

static void
plain_field(struct plain *p, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len), *value = line + len;
    size_t name = colon ? (size_t)(colon - line) : len, n = 0;

    if (colon) {
        value = colon + 1;
        value += value < line + len && *value == ' ';
        n = (size_t)(line + len - value);
    }
    if (name == 4 && memcmp(line, "data", 4) == 0) {
        if (p->has_data)
            mcph_buf_addc(&p->data, ' ');
        mcph_buf_add(&p->data, value, n);
        p->has_data = true;
    } else if (name == 5 && memcmp(line, "event", 5) == 0) {
        n = n < sizeof(p->type) - 1 ? n : sizeof(p->type) - 1;
        memcpy(p->type, value, n);
        p->type[n] = '\0';
        p->type_len = n;
    } else if (name == 2 && memcmp(line, "id", 2) == 0 && !memchr(value, '\0', n)) {
        mcph_buf_clear(&p->id);
        mcph_buf_add(&p->id, value, n);
        p->has_id = true;
    } else if (name == 5 && memcmp(line, "retry", 5) == 0 && n > 0) {
        int64_t number = 0;

        for (size_t i = 0; i < n; i++) {
            if (value[i] < '0' || value[i] > '9')
                return;
            if (number < 86400000)
                number = number * 10 + (value[i] - '0');
        }
        p->retry = number < 86400000 ? number : 86400000;
    }
}

static void
plain_dispatch(struct plain *p, struct log *log, size_t limit)
{
    bool good = p->id.len <= MCPH_SSE_ID_MAX;

    for (size_t i = 0; i < p->id.len; i++)
        good = good && (unsigned char)p->id.data[i] >= 0x20 && p->id.data[i] != 0x7f;
    if (p->has_id) {
        mcph_buf_clear(&p->last_id);
        if (good)
            mcph_buf_add(&p->last_id, p->id.data, p->id.len);
    }
    if (p->has_data)
        note(log, p->type_len ? p->type : "message", p->data.data, p->data.len, limit);
    mcph_buf_clear(&p->data);
    p->type_len = 0;
    p->has_data = p->has_id = false;
}

static void
plain_read(const char *in, size_t len, struct log *log, size_t limit)
{
    struct plain p = {.retry = -1};
    const char *end = in + len, *q;

    mcph_buf_init(&p.data, SIZE_MAX / 4);
    mcph_buf_init(&p.id, SIZE_MAX / 4);
    mcph_buf_init(&p.last_id, SIZE_MAX / 4);
    if (len >= 3 && memcmp(in, "\xef\xbb\xbf", 3) == 0)
        in += 3;
    for (;;) {
        for (q = in; q < end && *q != '\r' && *q != '\n'; q++)
            ;
        if (q == end)
            break;
        if (q == in)
            plain_dispatch(&p, log, limit);
        else
            plain_field(&p, in, (size_t)(q - in));
        in = q + 1;
        if (*q == '\r' && in < end && *in == '\n')
            in++;
    }
    mcph_buf_addf(&log->text, "retry %lld id %.*s\n", (long long)p.retry,
                  (int)p.last_id.len, p.last_id.data ? p.last_id.data : "");
    mcph_buf_done(&p.data);
    mcph_buf_done(&p.id);
    mcph_buf_done(&p.last_id);
}

/* ---- the library's parser ---------------------------------------------------------- */

static void
ours_read(const char *in, size_t len, struct log *log, size_t limit, unsigned seed)
{
    const char *end = in + len, *type;
    struct mcph_frame *frame;
    struct mcph_sse sse;

    mcph_sse_init(&sse, limit);
    while (in < end) {
        struct mcph_span bytes;
        size_t n;

        seed = seed * 1103515245u + 12345u;
        n = (seed >> 16) % (seed & 0x8000 ? 5000 : 20) + 1;
        bytes = mcph_span(in, n < (size_t)(end - in) ? n : (size_t)(end - in));
        in += bytes.len;
        while (mcph_sse_next(&sse, &bytes, &type, &frame) > 0) {
            if (!frame)
                note(log, type, "", 0, limit);
            else if (frame->over)
                mcph_buf_addf(&log->text, "%s:over %zu\n", type, (size_t)frame->wire_len);
            else
                note(log, type, frame->data, frame->len, limit);
            mcph_frame_unref(frame);
        }
        must(bytes.len == 0);
    }
    mcph_buf_addf(&log->text, "retry %lld id %s\n", (long long)sse.retry_ms, sse.id);
    mcph_sse_done(&sse);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct log ours, plain;
    size_t limit;

    if (size < 2)
        return 0;
    limit = 4u * data[0] + 1;
    mcph_buf_init(&ours.text, SIZE_MAX / 4);
    mcph_buf_init(&plain.text, SIZE_MAX / 4);
    ours_read((const char *)data + 2, size - 2, &ours, limit, data[1]);
    plain_read((const char *)data + 2, size - 2, &plain, limit);
    must(ours.text.len == plain.text.len &&
         memcmp(ours.text.data, plain.text.data, ours.text.len) == 0);
    mcph_buf_done(&ours.text);
    mcph_buf_done(&plain.text);
    return 0;
}
