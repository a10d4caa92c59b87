/* SPDX-License-Identifier: MIT
 *
 * framer.c - split the incoming bytes into lines, one frame a line.
 *
 * The bytes [start, len) of the buffer hold the line that is being read.  The part
 * [start, scanned) is known to hold no newline and is not searched again.  `hint` is
 * the number of free bytes that the next read should get.  `hint` grows when a read
 * fills all free bytes of the buffer.  `hint` shrinks when a read brings fewer bytes
 * than a sixteenth of `hint`.  A connection with small messages therefore soon keeps no
 * more than one page.
 *
 * If the framer has a ration and the buffer holds more than MCPH_RATION_FREE bytes, all
 * bytes in the buffer are taken from the ration.  When a line becomes a frame, the frame
 * takes over the line's bytes of the ration.  If the ration does not suffice for a line,
 * the line is treated like a line past the limit, but the sink does not get the line.
 *
 * A long line is checked while it is read.  Therefore the end of the line does not make a
 * long turn of the dispatcher.  The frame gets the result of the check as its envelope.
 * If memory is too short for an envelope, the line is checked when it is parsed, like a
 * short line.
 *
 * A line past the limit puts the framer into another state: `over` follows the line in
 * constant memory until its newline.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"

#define READ_MIN 4096u         /* least free bytes for a read; smallest `hint` */
#define READ_MAX (64u * 1024u) /* largest `hint`; a pipe gives no more at once */

struct mcph_framer_over {
    uint64_t seen;            /* bytes of the line that the envelope has checked and
                               * over_feed() has not received yet */
    struct mcph_frame *frame; /* made at the start, so that the end cannot fail */
    struct mcph_sink *sink;
    void *spool;  /* the sink's spool; NULL if the bytes are discarded */
    bool held_cr; /* a CR was held back: it ends the line if an LF follows */
};

/* ---- the ration -------------------------------------------------------------------- */

/* Returns the number of bytes that a line of `len` bytes takes from the ration.  The
 * number grows in steps, so that not every read changes the ration. */
static size_t
ration_for(size_t len)
{
    return len > MCPH_RATION_FREE ? (len | (MCPH_RATION_FREE - 1)) + 1 : 0;
}

static void
settle_ration(struct mcph_framer *f)
{
    size_t want = ration_for(f->buf.len);

    f->starved = false;
    if (want <= f->rationed)
        mcph_ration_give_back(f->ration, f->rationed - want);
    else
        f->starved = !mcph_ration_take(f->ration, want - f->rationed);
    if (!f->starved)
        f->rationed = want;
}

/* Adjusts the bytes taken from the ration to the buffer's length.  Call this after each
 * change of the length. */
static inline void
account_buffer(struct mcph_framer *f)
{
    if (f->ration && (f->buf.len > MCPH_RATION_FREE || f->rationed > 0))
        settle_ration(f);
}

/* Charges the ration for the bytes of a frame that has left the buffer.  The bytes are
 * given back when the frame is freed. */
static void
account_frame(struct mcph_framer *f, struct mcph_frame *frame)
{
    size_t want = ration_for(frame->len);

    if (!f->ration || want == 0)
        return;
    frame->ration = mcph_ration_ref(f->ration);
    frame->rationed = want;
    /* Do not check the number of bytes again, because the ration admitted the bytes of
     * this line when they were read. */
    mcph_ration_add(f->ration, want);
    account_buffer(f);
}

/* ---- life -------------------------------------------------------------------------- */

void
mcph_framer_init(struct mcph_framer *framer, size_t limit)
{
    *framer = (struct mcph_framer){.hint = READ_MIN};
    mcph_buf_init_paged(&framer->buf, 0);
    mcph_framer_set_limit(framer, limit);
}

/* Makes the sink discard the bytes of the line that the sink has taken. */
static void
over_discard(struct mcph_framer_over *over)
{
    if (over->spool)
        over->sink->end(over->spool, NULL);
    over->spool = NULL;
}

static void
over_free(struct mcph_framer_over *over)
{
    if (!over)
        return;
    over_discard(over);
    mcph_frame_unref(over->frame);
    free(over);
}

void
mcph_framer_done(struct mcph_framer *framer)
{
    over_free(framer->over);
    framer->over = NULL;
    free(framer->envelope);
    framer->envelope = NULL;
    mcph_buf_done(&framer->buf);
    framer->start = framer->scanned = 0;
    framer->buf.len = 0;
    account_buffer(framer);
    framer->ration = mcph_ration_unref(framer->ration);
}

void
mcph_framer_set_sink(struct mcph_framer *framer, struct mcph_sink *sink)
{
    framer->sink = sink;
}

void
mcph_framer_set_ration(struct mcph_framer *framer, struct mcph_ration *ration)
{
    struct mcph_ration *before = framer->ration;

    framer->ration = mcph_ration_ref(ration);
    mcph_ration_unref(before);
}

void
mcph_framer_set_limit(struct mcph_framer *framer, size_t limit)
{
    size_t held = framer->buf.cap;

    if (limit == 0)
        limit = MCPH_FRAME_LIMIT;
    if (limit > SIZE_MAX / 4)
        limit = SIZE_MAX / 4;
    framer->limit = limit;
    /* Let the buffer also hold the bytes that show that a line is too long. */
    framer->buf.max = (held > limit ? held : limit) + 2 * READ_MAX;
}

/* ---- bytes in ---------------------------------------------------------------------- */

/* Goes back to the start of the buffer when no bytes are left.  Frees the buffer if it is
 * larger than the traffic needs. */
static void
rewind_buffer(struct mcph_framer *f)
{
    f->buf.len = f->start = f->scanned = 0;
    account_buffer(f);
    if (f->buf.cap > READ_MIN && f->buf.cap > f->hint)
        mcph_buf_done(&f->buf);
}

char *
mcph_framer_space(struct mcph_framer *framer, size_t *ret_size)
{
    struct mcph_buf *buf = &framer->buf;
    size_t more;

    if (framer->start == buf->len)
        rewind_buffer(framer);
    if (buf->cap - buf->len < READ_MIN || buf->cap - buf->len < framer->hint / 4) {
        if (framer->start > 0) {
            mcph_buf_consume(buf, framer->start);
            framer->scanned -= framer->start;
            framer->start = 0;
        }
        /* Grow to the hint and not past the hint, because malloc() may have to map a
         * larger block afresh. */
        more = framer->hint;
        if (buf->len + READ_MIN <= more)
            more -= buf->len;
        if (mcph_buf_reserve(buf, more) < 0) {
            buf->err = 0; /* lets the caller try again */
            return NULL;
        }
    }
    framer->offered = buf->cap - buf->len;
    *ret_size = framer->offered;
    return buf->data + buf->len;
}

void
mcph_framer_commit(struct mcph_framer *framer, size_t n)
{
    framer->buf.len += n;
    framer->n_bytes += n;
    account_buffer(framer);
    if (n >= framer->offered)
        framer->hint = framer->hint < READ_MAX / 16 ? framer->hint * 16 : READ_MAX;
    else if (n < framer->hint / 16)
        framer->hint = framer->hint / 2 > READ_MIN ? framer->hint / 2 : READ_MIN;
}

int
mcph_framer_put(struct mcph_framer *framer, const char *data, size_t len)
{
    struct mcph_buf *buf = &framer->buf;

    if (framer->start == buf->len)
        rewind_buffer(framer);
    /* Move the line to the front of the buffer only if the move frees at least as many
     * bytes as it copies. */
    if (framer->start >= buf->len - framer->start && buf->cap - buf->len < len) {
        mcph_buf_consume(buf, framer->start);
        framer->scanned -= framer->start;
        framer->start = 0;
    }
    /* Raise the buffer's limit if necessary.  The limit exists for reads, but this caller
     * has all bytes in memory already. */
    if (buf->max < SIZE_MAX / 2 && len < SIZE_MAX / 4 && buf->max < buf->len + len)
        buf->max = buf->len + len;
    if (mcph_buf_add(buf, data, len) < 0) {
        buf->err = 0;
        return MCPHOST_E_NOMEM;
    }
    framer->n_bytes += len;
    account_buffer(framer);
    return 0;
}

/* ---- the envelope ------------------------------------------------------------------ */

static struct mcph_envelope *
begin_envelope(struct mcph_framer *f)
{
    if (!f->envelope)
        f->envelope = malloc(sizeof(*f->envelope));
    if (f->envelope)
        mcph_envelope_begin(f->envelope);
    return f->envelope;
}

/* Checks the first `len` bytes of the line.  Skips the bytes that were checked before. */
static void
check_line(struct mcph_framer *f, size_t len)
{
    size_t fed = f->envelope ? (size_t)f->envelope->fed : 0;

    if (f->envelope || begin_envelope(f))
        mcph_envelope_feed(f->envelope, f->buf.data + f->start + fed, len - fed);
}

static void
give_envelope(struct mcph_framer *f, struct mcph_frame *frame)
{
    mcph_envelope_end(f->envelope);
    frame->envelope = f->envelope;
    f->envelope = NULL;
}

/* ---- a line within the limit ------------------------------------------------------- */

/* Gives the buffer's memory to the frame.  Cuts the memory down to `size` bytes if the
 * memory can shrink in place. */
static void
give_block(struct mcph_frame *frame, struct mcph_buf *buf, size_t size)
{
    char *block;

    if (buf->mapped)
        block = mcph_pages_resize(buf->data, buf->cap, size);
    else
        block = realloc(buf->data, size);
    if (buf->mapped)
        frame->block_size = block ? size : buf->cap;
    frame->block = block ? block : buf->data;
}

/* Makes the frame of a line out of the buffer.  Moves the bytes behind the line to a new
 * buffer.  Returns NULL if memory is short. */
static struct mcph_frame *
take_buffer(struct mcph_framer *f, size_t len, size_t next)
{
    struct mcph_frame *frame;
    struct mcph_buf rest;

    mcph_buf_init_paged(&rest, f->buf.max);
    if (mcph_buf_add(&rest, f->buf.data + next, f->buf.len - next) < 0)
        return NULL;
    frame = mcph_frame_take(NULL, NULL, len);
    if (!frame) {
        mcph_buf_done(&rest);
        return NULL;
    }
    give_block(frame, &f->buf, f->start + len);
    frame->data = (const char *)frame->block + f->start;
    f->buf = rest;
    f->start = f->scanned = 0;
    account_frame(f, frame);
    return frame;
}

static struct mcph_frame *
make_frame(struct mcph_framer *f, size_t len, size_t next)
{
    struct mcph_frame *frame;

    /* Give the buffer to the frame only if the line takes most of the buffer. */
    if (len > MCPH_FRAME_COPY && f->start <= len / 4 && f->buf.len - next <= len / 4)
        return take_buffer(f, len, next);
    frame = mcph_frame_new(f->buf.data + f->start, len);
    if (!frame)
        return NULL;
    f->start = f->scanned = next;
    account_frame(f, frame);
    return frame;
}

static bool
is_blank(const char *p, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
            return false;
    }
    return true;
}

/* ---- a line past the limit --------------------------------------------------------- */

static int
over_begin(struct mcph_framer *f)
{
    struct mcph_framer_over *over = calloc(1, sizeof(*over));
    struct mcph_frame_over *info;

    if (!over)
        return MCPHOST_E_NOMEM;
    over->frame = mcph_frame_new(NULL, 0);
    info = over->frame ? calloc(1, sizeof(*info)) : NULL;
    if (!info || (!f->envelope && !begin_envelope(f))) {
        free(info);
        over_free(over);
        return MCPHOST_E_NOMEM;
    }
    over->frame->data = NULL;
    over->frame->over = info;
    info->starved = f->starved;
    over->sink = f->sink;
    over->spool = f->sink && !f->starved ? f->sink->begin(f->sink) : NULL;
    over->seen = f->envelope->fed;
    f->over = over;
    return 0;
}

static void
over_feed(struct mcph_framer *f, const char *data, size_t len)
{
    struct mcph_framer_over *over = f->over;
    size_t skip = len < over->seen ? len : (size_t)over->seen;

    if (len == 0)
        return;
    over->seen -= skip;
    mcph_envelope_feed(f->envelope, data + skip, len - skip);
    over->frame->wire_len += len;
    if (over->spool && over->sink->write(over->spool, data, len) < 0)
        over_discard(over);
}

/* Adds bytes of the line, but holds back a CR at their end. */
static void
over_add(struct mcph_framer *f, const char *data, size_t len)
{
    struct mcph_framer_over *over = f->over;

    if (len == 0)
        return;
    if (over->held_cr)
        over_feed(f, "\r", 1);
    over->held_cr = data[len - 1] == '\r';
    over_feed(f, data, len - over->held_cr);
}

static struct mcph_frame *
over_finish(struct mcph_framer *f)
{
    struct mcph_framer_over *over = f->over;
    struct mcph_envelope *e = f->envelope;
    struct mcph_frame *frame = over->frame;
    struct mcph_frame_over *info = frame->over;

    give_envelope(f, frame);
    info->is_object = mcph_json_stream_end(&e->stream);
    info->id_len = e->members[MCPH_MEMBER_ID].cut ? 0 : e->members[MCPH_MEMBER_ID].len;
    memcpy(info->id, e->id, info->id_len);
    info->has_method = mcph_envelope_has(e, MCPH_MEMBER_METHOD);
    info->has_result = mcph_envelope_has(e, MCPH_MEMBER_RESULT);
    info->has_error = mcph_envelope_has(e, MCPH_MEMBER_ERROR);
    info->result_at = e->members[MCPH_MEMBER_RESULT].at;
    info->result_end = e->members[MCPH_MEMBER_RESULT].end;
    if (over->spool)
        over->sink->end(over->spool, frame);
    over->spool = NULL;
    if (frame->data) {
        free(frame->over);
        frame->over = NULL;
    }
    over->frame = NULL;
    over_free(over);
    f->over = NULL;
    f->n_over++;
    return frame;
}

/* Consumes the available bytes of the line, MCPH_FRAMER_STEP at most.  Returns the frame
 * of the line if its newline is among these bytes, else NULL. */
static struct mcph_frame *
over_next(struct mcph_framer *f)
{
    const char *from = f->buf.data + f->start;
    size_t have = f->buf.len - f->start;
    size_t len = have < MCPH_FRAMER_STEP ? have : MCPH_FRAMER_STEP;
    const char *newline = len > 0 ? memchr(from, '\n', len) : NULL;

    over_add(f, from, newline ? (size_t)(newline - from) : len);
    f->behind = !newline && len < have;
    if (f->behind) {
        f->start += len;
        return NULL;
    }
    if (!newline) {
        rewind_buffer(f);
        return NULL;
    }
    f->start += (size_t)(newline - from) + 1;
    f->scanned = f->start;
    return over_finish(f);
}

/* ---- frames out -------------------------------------------------------------------- */

/* Finds the next complete line that is not blank.  Sets *ret_len to the length of the
 * line without its line end, and *ret_next to the beginning of the next line.  Returns 1,
 * or 0 if no line is complete. */
static int
find_line(struct mcph_framer *f, size_t *ret_len, size_t *ret_next)
{
    const char *newline;
    size_t len;

    for (;;) {
        newline = f->scanned < f->buf.len
                      ? memchr(f->buf.data + f->scanned, '\n', f->buf.len - f->scanned)
                      : NULL;
        if (!newline) {
            f->scanned = f->buf.len;
            return 0;
        }
        len = (size_t)(newline - f->buf.data) - f->start;
        *ret_next = f->start + len + 1;
        if (len > 0 && newline[-1] == '\r')
            len--;
        /* Do not skip a blank line that exceeds the limit.  The framer cannot skip this
         * line if the line arrives in several reads, and the size of the reads must not
         * change the result. */
        if (len > f->limit || !is_blank(f->buf.data + f->start, len))
            break;
        free(f->envelope);
        f->envelope = NULL;
        f->start = f->scanned = *ret_next;
    }
    *ret_len = len;
    return 1;
}

/* Returns the length of the line that has no end yet.  A CR at the end of the bytes does
 * not count, because it may be part of the line end. */
static size_t
unfinished_len(const struct mcph_framer *f)
{
    size_t len = f->buf.len - f->start;

    return len > 0 && f->buf.data[f->buf.len - 1] == '\r' ? len - 1 : len;
}

int
mcph_framer_next(struct mcph_framer *framer, struct mcph_frame **ret_frame)
{
    struct mcph_frame *frame;
    size_t len = 0, next = 0;
    int found = 0;

    if (!framer->over) {
        found = find_line(framer, &len, &next);
        if (!found)
            len = unfinished_len(framer);
        if (len > framer->limit || (framer->starved && len > MCPH_RATION_FREE)) {
            if (over_begin(framer) < 0)
                return MCPHOST_E_NOMEM;
        } else if (!found) {
            if (len > MCPH_FRAMER_LONG)
                check_line(framer, len);
            if (framer->start == framer->buf.len)
                rewind_buffer(framer);
            return 0;
        }
    }
    if (framer->over) {
        frame = over_next(framer);
        if (!frame)
            return 0;
    } else {
        if (framer->envelope)
            check_line(framer, len);
        frame = make_frame(framer, len, next);
        if (!frame) {
            framer->scanned = next - 1; /* the next call finds the newline at once */
            return MCPHOST_E_NOMEM;
        }
        if (framer->envelope)
            give_envelope(framer, frame);
    }
    framer->n_lines++;
    *ret_frame = frame;
    return 1;
}

uint64_t
mcph_framer_pending(const struct mcph_framer *framer)
{
    uint64_t n = framer->buf.len - framer->start;

    if (framer->over)
        n += framer->over->frame->wire_len + framer->over->held_cr;
    return n;
}
