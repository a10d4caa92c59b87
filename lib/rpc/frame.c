/* SPDX-License-Identifier: MIT
 *
 * frame.c - frames (messages as they came, with a reference count) and memory rations.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

struct mcph_ration *
mcph_ration_new(struct mcph_ration *whole)
{
    struct mcph_ration *ration = malloc(sizeof(*ration));

    if (!ration)
        return NULL;
    mcph_refs_init(&ration->refs);
    atomic_init(&ration->used, 0);
    ration->whole = mcph_ration_ref(whole);
    ration->max = SIZE_MAX;
    return ration;
}

struct mcph_ration *
mcph_ration_ref(struct mcph_ration *ration)
{
    if (ration)
        mcph_refs_get(&ration->refs);
    return ration;
}

struct mcph_ration *
mcph_ration_unref(struct mcph_ration *ration)
{
    if (ration && mcph_refs_put(&ration->refs)) {
        mcph_ration_unref(ration->whole);
        free(ration);
    }
    return NULL;
}

void
mcph_ration_add(struct mcph_ration *ration, size_t n)
{
    atomic_fetch_add(&ration->used, n);
    if (ration->whole)
        atomic_fetch_add(&ration->whole->used, n);
}

void
mcph_ration_give_back(struct mcph_ration *ration, size_t n)
{
    atomic_fetch_sub(&ration->used, n);
    if (ration->whole)
        atomic_fetch_sub(&ration->whole->used, n);
}

bool
mcph_ration_take(struct mcph_ration *ration, size_t n)
{
    const struct mcph_ration *whole = ration->whole ? ration->whole : ration;
    size_t used;

    mcph_ration_add(ration, n);
    used = atomic_load(&whole->used);
    if (used <= whole->max &&
        (whole == ration || atomic_load(&ration->used) <= whole->max - used))
        return true;
    mcph_ration_give_back(ration, n);
    return false;
}

static struct mcph_frame *
init_frame(struct mcph_frame *frame, const char *data, size_t len)
{
    *frame = (struct mcph_frame){.data = data, .len = len, .wire_len = len};
    mcph_refs_init(&frame->refs);
    return frame;
}

struct mcph_frame *
mcph_frame_new(const char *data, size_t len)
{
    struct mcph_frame *frame;
    char *copy;

    if (len > SIZE_MAX - sizeof(*frame) - 1)
        return NULL;
    frame = malloc(sizeof(*frame) + len + 1);
    if (!frame)
        return NULL;
    copy = (char *)(frame + 1);
    if (len > 0)
        memcpy(copy, data, len);
    copy[len] = '\0';
    return init_frame(frame, copy, len);
}

/* Sets up the buffer of a frame.  The buffer holds the struct mcph_frame, followed by the
 * bytes. */
void
mcph_frame_open(struct mcph_buf *buf, size_t room)
{
    mcph_buf_init_sized(buf, SIZE_MAX / 4, sizeof(struct mcph_frame) + room + 1);
    if (buf->data)
        buf->len = sizeof(struct mcph_frame);
}

struct mcph_frame *
mcph_frame_close(struct mcph_buf *buf)
{
    size_t len = buf->len - sizeof(struct mcph_frame);
    struct mcph_frame *frame;
    char *data;

    mcph_buf_addc(buf, '\0');
    if (mcph_buf_ok(buf) < 0) {
        mcph_buf_done(buf);
        return NULL;
    }
    /* Free the unused bytes now, because the frame may be kept for long. */
    data =
        buf->cap - buf->len > buf->len / 4 + 1024 ? realloc(buf->data, buf->len) : NULL;
    frame = (struct mcph_frame *)(void *)(data ? data : buf->data);
    return init_frame(frame, (char *)(frame + 1), len);
}

struct mcph_frame *
mcph_frame_take(void *block, const char *data, size_t len)
{
    struct mcph_frame *frame = malloc(sizeof(*frame));

    if (!frame)
        return NULL;
    init_frame(frame, data, len)->block = block;
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
    if (frame->ration)
        mcph_ration_give_back(frame->ration, frame->rationed);
    mcph_ration_unref(frame->ration);
    free(frame->over);
    free(frame->envelope);
    if (frame->block_size)
        mcph_pages_free(frame->block, frame->block_size);
    else
        free(frame->block);
    free(frame);
    return NULL;
}
