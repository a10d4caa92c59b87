/* SPDX-License-Identifier: MIT
 *
 * stderr.c - read a server's stderr: keep the last bytes for error texts, and report
 * lines.
 *
 * stderr is always read, because a full pipe would block the server.  At most
 * MCPH_PROC_LINE_RATE lines are reported per second.
 *
 * A turn reads at most TURN_BYTES, in steps of CHUNK, and stops after TURN_LINES reported
 * lines.  Further bytes stay in the pipe until the next turn.  Meanwhile the server may
 * block.  When the server has ended, one larger step reads its last output.
 *
 * Memory is limited by the maximum of the ring and of a line.  Neither the ring nor the
 * line is allocated before the server writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "proc/internal.h"

#define RING_FIRST 1024u
#define CHUNK      4096u
#define TURN_BYTES (64u * 1024u)
#define TURN_LINES 64u
#define LAST_LINES 8 /* lines at the end of a tail in which an error is searched for */

/* Grows the ring to hold `want` bytes, at most MCPH_PROC_RING_MAX, and keeps the order of
 * its bytes.  If memory is short, the ring stays as it is. */
static void
grow_ring(struct mcph_proc_stderr *err, size_t want)
{
    size_t cap = err->cap ? err->cap : RING_FIRST;
    char *ring;

    while (cap < want && cap < MCPH_PROC_RING_MAX)
        cap *= 2;
    if (cap == err->cap)
        return;
    ring = malloc(cap);
    if (!ring)
        return; /* a shorter tail is acceptable */
    if (err->len) {
        size_t from = (err->at + err->cap - err->len) % err->cap;
        size_t first = err->cap - from < err->len ? err->cap - from : err->len;

        memcpy(ring, err->ring + from, first);
        memcpy(ring + first, err->ring, err->len - first);
    }
    free(err->ring);
    err->ring = ring;
    err->cap = cap;
    err->at = err->len % cap;
}

static void
ring_add(struct mcph_proc_stderr *err, const char *data, size_t n)
{
    if (err->len + n > err->cap)
        grow_ring(err, err->len + n);
    if (!err->cap)
        return;
    if (n > err->cap) {
        data += n - err->cap;
        n = err->cap;
    }
    while (n) {
        size_t room = err->cap - err->at;
        size_t part = n < room ? n : room;

        memcpy(err->ring + err->at, data, part);
        err->at = (err->at + part) % err->cap;
        err->len = err->len + part < err->cap ? err->len + part : err->cap;
        data += part;
        n -= part;
    }
}

static void
report_line(struct mcph_proc *proc, const char *line, size_t len)
{
    uint64_t lost = proc->err.lost;

    proc->err.lost = 0;
    proc->ops->on_stderr(proc, line, len, lost, proc->arg);
}

/* Resets the count of reported lines if a new second has begun. */
static void
look_at_clock(struct mcph_proc *proc)
{
    struct mcph_proc_stderr *err = &proc->err;
    int64_t second = mcph_core_now(proc->core) / 1000;

    if (second != err->window) {
        err->window = second;
        err->lines = 0;
    }
}

/* The number of bytes shown of an error's first line.  More bytes are kept, so that
 * masking finds a secret that is only partly shown. */
#define ERROR_SHOWN 256
/* The time in ms during which further lines belong to the same error.  A later line can
 * begin another error. */
#define ERROR_MS 2000

static bool
looks_like_an_error(const char *line, size_t len)
{
    static const char *const words[] = {"Error",  "error:", "ERROR",  "Exception",
                                        "panic:", "fatal:", "Fatal:", "FATAL"};

    if (*line == ' ' || *line == '\t') /* a further line of the same error */
        return false;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(words); i++)
        if (memmem(line, len, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Keeps the first line of an error, because a stack trace may be longer than the shown
 * tail. */
static void
note_error(struct mcph_proc *proc)
{
    struct mcph_proc_stderr *err = &proc->err;
    int64_t now = mcph_core_now(proc->core);
    size_t len = err->line.len;

    if ((*err->error && now - err->error_at < ERROR_MS) ||
        !looks_like_an_error(err->line.data, len))
        return;
    if (len > sizeof(err->error) - 1)
        len = sizeof(err->error) - 1;
    memcpy(err->error, err->line.data, len);
    err->error[len] = '\0';
    err->error_at = now;
}

/* Ends a line: reports it, unless it is empty or beyond the line rate.  A reported line
 * may be kept as the first line of an error. */
static void
end_line(struct mcph_proc *proc)
{
    struct mcph_proc_stderr *err = &proc->err;
    struct mcph_buf text;
    size_t len;

    err->skipping = false;
    if (err->line.len && err->line.data[err->line.len - 1] == '\r')
        err->line.len--;
    if (!err->line.len)
        return;
    if (err->lines++ >= MCPH_PROC_LINE_RATE) {
        err->lost++;
        mcph_buf_clear(&err->line);
        return;
    }
    note_error(proc);
    mcph_buf_init(&text, 3 * MCPH_PROC_LINE_MAX + 1);
    if (mcph_utf8_add_clean(&text, err->line.data, err->line.len, true) < 0 ||
        mcph_buf_addc(&text, '\0') < 0) {
        err->lost++;
    } else {
        len = text.len - 1;
        if (len > MCPH_PROC_LINE_MAX) { /* replacing bytes made the line longer */
            len = MCPH_PROC_LINE_MAX;
            while (len && ((unsigned char)text.data[len] & 0xc0) == 0x80)
                len--;
            text.data[len] = '\0';
        }
        report_line(proc, text.data, len);
    }
    mcph_buf_done(&text);
    if (!proc->dead)
        mcph_buf_clear(&err->line);
}

static void
add_part(struct mcph_proc_stderr *err, const char *data, size_t n)
{
    size_t room = MCPH_PROC_LINE_MAX - err->line.len;

    if (err->skipping)
        return;
    if (n > room) {
        n = room;
        err->skipping = true;
    }
    if (n && mcph_buf_add(&err->line, data, n) < 0)
        err->skipping = true;
}

static void
split_lines(struct mcph_proc *proc, const char *data, size_t n)
{
    while (n && !proc->dead) {
        const char *newline = memchr(data, '\n', n);
        size_t part = newline ? (size_t)(newline - data) : n;

        add_part(&proc->err, data, part);
        if (!newline)
            return;
        end_line(proc);
        data += part + 1;
        n -= part + 1;
    }
}

static void
close_stderr(struct mcph_proc *proc)
{
    struct mcph_proc_stderr *err = &proc->err;

    if (err->fd < 0)
        return;
    mcph_source_remove(&err->source);
    mcph_core_drop_fd(proc->core, err->fd);
    close(err->fd);
    err->fd = -1;
}

/* Handles end of file: reports a last line without a newline, and the lost lines that
 * were not yet reported. */
static void
at_end(struct mcph_proc *proc)
{
    close_stderr(proc);
    if (!proc->ops || !proc->ops->on_stderr)
        return;
    end_line(proc);
    if (!proc->dead && proc->ops && proc->err.lost)
        report_line(proc, "", 0);
    if (!proc->dead)
        mcph_buf_done(&proc->err.line);
}

void
mcph_proc_stderr_drain(struct mcph_proc *proc, bool last)
{
    size_t total = 0, max = last ? MCPH_TURN_BYTES : TURN_BYTES;
    char chunk[CHUNK];
    unsigned enough;

    look_at_clock(proc);
    enough = proc->err.lines + (last ? MCPH_PROC_LINE_RATE : TURN_LINES);
    /* Lines beyond the rate do not end the loop, because it is cheap to count them. */
    while (proc->err.fd >= 0 && total < max &&
           (proc->err.lines < enough || proc->err.lines > MCPH_PROC_LINE_RATE)) {
        ssize_t n = read(proc->err.fd, chunk, sizeof(chunk));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            at_end(proc);
            return;
        }
        total += (size_t)n;
        ring_add(&proc->err, chunk, (size_t)n);
        if (proc->ops && proc->ops->on_stderr)
            split_lines(proc, chunk, (size_t)n);
        if (proc->dead)
            return;
    }
    if (proc->err.fd >= 0)
        mcph_core_more(proc->core);
}

static void
on_ready(struct mcph_source *source, uint32_t events)
{
    struct mcph_proc *proc = MCPH_CONTAINER_OF(source, struct mcph_proc, err.source);

    (void)events;
    mcph_proc_enter(proc);
    mcph_proc_stderr_drain(proc, false);
    mcph_proc_leave(proc);
}

void
mcph_proc_stderr_init(struct mcph_proc *proc)
{
    proc->err.fd = -1;
    mcph_source_init(&proc->err.source, proc->core, on_ready);
    mcph_buf_init(&proc->err.line, MCPH_PROC_LINE_MAX);
}

void
mcph_proc_stderr_done(struct mcph_proc *proc)
{
    close_stderr(proc);
    mcph_buf_done(&proc->err.line);
    free(proc->err.ring);
    proc->err.ring = NULL;
    proc->err.cap = proc->err.len = proc->err.at = 0;
}

int
mcph_proc_stderr_tail(const struct mcph_proc *proc, size_t max, struct mcph_buf *buf)
{
    const struct mcph_proc_stderr *err = &proc->err;
    size_t n = err->len < max ? err->len : max;
    size_t from, first;
    int r;

    if (!n)
        return 0;
    r = mcph_buf_reserve(buf, n);
    if (r < 0)
        return r;
    from = (err->at + err->cap - n) % err->cap;
    first = err->cap - from < n ? err->cap - from : n;
    mcph_buf_add(buf, err->ring + from, first);
    return mcph_buf_add(buf, err->ring, n - first);
}

/* Returns true if the last lines of the tail do not contain `line`. */
static bool
is_far_up(const char *line, const struct mcph_buf *tail)
{
    size_t from = tail->len;

    for (int lines = 0; from > 0 && lines <= LAST_LINES; from--)
        lines += tail->data[from - 1] == '\n';
    return !memmem(tail->data + from, tail->len - from, line, strlen(line));
}

/* Adds the first line of the last error if the last lines of the tail do not contain this
 * line. */
static void
add_error(const struct mcph_proc *proc, struct mcph_mask *mask,
          const struct mcph_buf *tail, struct mcph_buf *all)
{
    char line[MCPH_PROC_ERROR_LINE];

    memcpy(line, proc->err.error, sizeof(line));
    mcph_mask_text(mask, line, strlen(line));
    line[ERROR_SHOWN] = '\0';
    if (*line && is_far_up(line, tail))
        mcph_buf_addf(all, "%s\n...\n", line);
}

void
mcph_proc_attach_tail(const struct mcph_proc *proc, struct mcph_mask *mask,
                      mcphost_error *err)
{
    struct mcph_buf tail, all;
    size_t n;

    if (!err)
        return;
    /* Mask more than is shown, because a secret may begin before the shown part. */
    mcph_buf_init(&tail, MCPH_PROC_RING_MAX);
    mcph_buf_init(&all, MCPH_PROC_TAIL_MAX);
    if (mcph_proc_stderr_tail(proc, MCPH_PROC_RING_MAX, &tail) == 0 && tail.len) {
        mcph_mask_text(mask, tail.data, tail.len);
        add_error(proc, mask, &tail, &all);
        n = MCPH_PROC_TAIL_MAX - all.len;
        if (n > tail.len)
            n = tail.len;
        mcph_buf_add(&all, tail.data + tail.len - n, n);
        if (mcph_buf_ok(&all) == 0)
            mcph_err_set_stderr_tail(err, all.data, all.len);
    }
    mcph_buf_done(&tail);
    mcph_buf_done(&all);
}
