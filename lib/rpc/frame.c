/* SPDX-License-Identifier: MIT
 *
 * frame.c - one message as it came: immutable bytes with a reference count.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

struct mcph_frame *
mcph_frame_new(const char *data, size_t len)
{
    struct mcph_frame *frame;
    char *copy;

    if (len > SIZE_MAX - sizeof(*frame))
        return NULL;
    frame = malloc(sizeof(*frame) + len);
    if (!frame)
        return NULL;
    copy = (char *)(frame + 1);
    if (len > 0)
        memcpy(copy, data, len);
    *frame = (struct mcph_frame){.data = copy, .len = len, .wire_len = len};
    mcph_refs_init(&frame->refs);
    return frame;
}

struct mcph_frame *
mcph_frame_take(void *block, const char *data, size_t len)
{
    struct mcph_frame *frame = malloc(sizeof(*frame));

    if (!frame)
        return NULL;
    *frame =
        (struct mcph_frame){.data = data, .len = len, .wire_len = len, .block = block};
    mcph_refs_init(&frame->refs);
    return frame;
}

struct mcph_frame *
mcph_frame_ref(struct mcph_frame *frame)
{
    mcph_refs_get(&frame->refs);
    return frame;
}

struct mcph_frame *
mcph_frame_unref(struct mcph_frame *frame)
{
    if (!frame || !mcph_refs_put(&frame->refs))
        return NULL;
    free(frame->over);
    if (frame->block_size)
        mcph_pages_free(frame->block, frame->block_size);
    else
        free(frame->block);
    free(frame);
    return NULL;
}
