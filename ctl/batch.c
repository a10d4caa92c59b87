/* SPDX-License-Identifier: MIT
 *
 * batch.c - the command `batch`: its loop, its input and its output.
 *
 * Input and output never wait for each other.  Output is queued, and written as the
 * reader takes it.  While too much output is queued, no more commands are read.  At the
 * end of the input, calls in flight still finish.  `quit` and signals cancel the calls.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

/* The maximum length of an input line in bytes. */
#define LINE_MAX_BYTES ((size_t)64 << 20)
/* Limits of queued output, in bytes.  Above OUT_FLOODED, log and progress events are left
 * out.  From OUT_FULL on, no commands are read. */
#define OUT_FLOODED ((size_t)1 << 20)
#define OUT_FULL    ((size_t)16 << 20)
/* The time limit in ms for a reader that takes no bytes after the host is closed.  After
 * this time, batch discards the output that is still queued. */
#define LAST_LINES_MS 10000

/* ---- answers ----------------------------------------------------------------------- */

static void
begin_answer(struct batch *b, const char *id, size_t id_len, int ok)
{
    put_begin(&b->out, '{');
    put_key(&b->out, "id");
    put_raw(&b->out, id, id_len);
    put_key(&b->out, "ok");
    put_flag(&b->out, ok);
    put_key(&b->out, ok ? "result" : "error");
}

static void
end_answer(struct batch *b)
{
    put_end(&b->out, '}');
    text_puts(&b->out, "\n");
}

void
batch_answer(struct batch *b, const char *id, size_t id_len, const char *result,
             size_t len)
{
    begin_answer(b, id, id_len, 1);
    put_raw(&b->out, result, len);
    end_answer(b);
}

void
batch_refuse(struct batch *b, const char *id, size_t id_len, int code,
             const char *message)
{
    begin_answer(b, id, id_len, 0);
    put_begin(&b->out, '{');
    put_key(&b->out, "code");
    put_int(&b->out, code);
    put_key(&b->out, "message");
    put_str(&b->out, message ? message : mcphost_strerror(code));
    put_end(&b->out, '}');
    end_answer(b);
}

void
batch_refuse_error(struct batch *b, const char *id, size_t id_len, int code,
                   const mcphost_error *err)
{
    begin_answer(b, id, id_len, 0);
    row_error(&b->out, code, err);
    end_answer(b);
}

static size_t
queued(const struct batch *b)
{
    return b->out.len - b->written;
}

int
batch_is_flooded(const struct batch *b)
{
    return queued(b) > OUT_FLOODED;
}

/* ---- output ------------------------------------------------------------------------ */

/* Writes as many bytes as stdout takes without blocking.  Call this function after poll()
 * has reported that stdout is writable. */
static ssize_t
write_some(const char *data, size_t len)
{
    struct stat st;

    if (fstat(STDOUT_FILENO, &st) < 0)
        return -1;
    if (S_ISSOCK(st.st_mode))
        return send(STDOUT_FILENO, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    /* Write at most PIPE_BUF bytes to a pipe, because a pipe that poll() reports as
     * writable takes this number without blocking. */
    if (!S_ISREG(st.st_mode) && len > PIPE_BUF)
        len = PIPE_BUF;
    return write(STDOUT_FILENO, data, len);
}

/* Writes queued output while the reader takes it.  `events` are the revents of stdout. */
static void
write_output(struct batch *b, short events)
{
    while (events && queued(b) > 0 && !b->broken) {
        struct pollfd pfd = {.fd = STDOUT_FILENO, .events = POLLOUT};
        ssize_t n = write_some(b->out.data + b->written, queued(b));

        if (n < 0 && errno != EINTR && errno != EAGAIN)
            b->broken = 1;
        if (n > 0)
            b->written += (size_t)n;
        if (n < 0 || poll(&pfd, 1, 0) < 0)
            break;
        events = pfd.revents;
    }
    /* Remove written bytes only when they are more than half of the queue, so that a long
     * queue is not moved after each write. */
    if (b->written > b->out.len / 2) {
        text_consume(&b->out, b->written);
        b->written = 0;
    }
    if (text_failed(&b->out))
        b->broken = 1;
}

static void
write_last(struct batch *b)
{
    while (queued(b) > 0 && !b->broken) {
        struct pollfd pfd = {.fd = STDOUT_FILENO, .events = POLLOUT};

        if (poll(&pfd, 1, LAST_LINES_MS) <= 0) {
            b->broken = 1;
            return;
        }
        write_output(b, pfd.revents);
    }
}

/* ---- input ------------------------------------------------------------------------- */

static void
read_input(struct batch *b)
{
    char part[65536];
    ssize_t n = read(STDIN_FILENO, part, sizeof(part));

    if (n > 0)
        text_add(&b->in, part, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        b->eof = 1;
    if (text_failed(&b->in))
        b->broken = 1;
}

/* Returns true if commands may be carried out now. */
static int
is_open(const struct batch *b)
{
    return !b->ending && !b->wait.due && !b->reload.due && !b->quit.due &&
           queued(b) < OUT_FULL;
}

static void
take_line(struct batch *b, size_t len)
{
    if (!b->skipping)
        batch_line(b, b->in.data, len);
    b->skipping = 0;
}

/* Discards a line that is longer than LINE_MAX_BYTES, as its bytes arrive.  Refuses the
 * line once. */
static void
skip_line(struct batch *b)
{
    if (!b->skipping)
        batch_refuse(b, NULL, 0, MCPHOST_E_LIMIT, "a command of more than 64 MiB");
    b->skipping = 1;
    text_consume(&b->in, b->in.len);
    b->scanned = 0;
}

/* Returns true if answers to servers may be carried out although the operation `wait`
 * holds back the other lines.  The calls that `wait` waits for may need these answers. */
static int
is_open_for_answers(const struct batch *b)
{
    return !b->ending && b->wait.due && !b->reload.due && !b->quit.due && b->requests &&
           !b->skipping && queued(b) < OUT_FULL;
}

static const char *
find_line_end(const struct batch *b)
{
    return b->in.len > 0 ? memchr(b->in.data, '\n', b->in.len) : NULL;
}

static int
has_answer(const struct batch *b)
{
    const char *end = is_open_for_answers(b) ? find_line_end(b) : NULL;

    return end && batch_is_answer(b->in.data, (size_t)(end - b->in.data));
}

/* Carries out complete lines.  At the end of the input, also carries out a last line
 * without a line break. */
static void
take_lines(struct batch *b)
{
    while (b->in.len > 0 && (is_open(b) || has_answer(b))) {
        const char *from = b->in.data + b->scanned;
        const char *newline = memchr(from, '\n', b->in.len - b->scanned);
        size_t len = newline ? (size_t)(newline - b->in.data) : b->in.len;

        if (!newline && !b->eof) {
            b->scanned = b->in.len;
            if (b->in.len > LINE_MAX_BYTES)
                skip_line(b);
            return;
        }
        take_line(b, len);
        text_consume(&b->in, newline ? len + 1 : len);
        b->scanned = 0;
    }
}

/* ---- the loop ---------------------------------------------------------------------- */

/* Starts closing the host after quit, a signal or a write error, or when the input has
 * ended and no call and no answer is pending.  At the end of the input, cancels the open
 * requests of servers. */
static void
check_end(struct batch *b)
{
    int idle =
        b->eof && b->in.len == 0 && b->n_calls == 0 && !b->wait.due && !b->reload.due;

    if (b->eof && b->in.len == 0)
        batch_cancel_requests(b);
    if (b->ending || !(idle || b->quit.due || b->broken || b->ctl->signal))
        return;
    b->ending = 1;
    ctl_begin_close(b->ctl);
}

static int
poll_and_turn(struct batch *b, int64_t timeout_ms)
{
    struct pollfd fds[4] = {{.fd = -1}};
    /* While `wait` holds back the lines, read only until the first line is complete,
     * because this line may be an answer. */
    int ahead =
        is_open_for_answers(b) && !find_line_end(b) && b->in.len <= LINE_MAX_BYTES;
    int reading = !b->eof && (is_open(b) || ahead);
    int writing = queued(b) > 0 && !b->broken;
    int r;

    fds[2] = (struct pollfd){.fd = reading ? STDIN_FILENO : -1, .events = POLLIN};
    fds[3] = (struct pollfd){.fd = writing ? STDOUT_FILENO : -1, .events = POLLOUT};
    r = ctl_turn(b->ctl, fds, 4, timeout_ms);
    if (fds[2].revents)
        read_input(b);
    write_output(b, fds[3].revents);
    return r;
}

static int
run_batch(struct batch *b)
{
    int signals = 0;

    while (!b->ctl->closed) {
        int64_t left, reload;
        int r;

        take_lines(b);
        reload = batch_check_reload(b);
        left = batch_check_wait(b);
        if (left < 0 || (reload >= 0 && reload < left))
            left = reload;
        check_end(b);
        if (b->ending && !signals)
            signals = b->ctl->n_signals + 1;
        /* After a signal while the host is closing, do not wait for the servers any
         * longer. */
        if (signals && b->ctl->n_signals >= signals)
            return MCPHOST_E_CANCELLED;
        if (b->ending)
            left = ctl_close_left(b->ctl);
        if (b->ending && left == 0)
            return 0; /* no time is left: ctl_close() will kill the servers */
        r = poll_and_turn(b, left);
        if (r < 0)
            return r;
    }
    return 0;
}

static void
batch_free(struct batch *b)
{
    batch_cancel_requests(b);
    batch_end_turns(b, NULL);
    batch_free_dialogs(b);
    free(b->wait.id);
    free(b->reload.id);
    free(b->quit.id);
    text_free(&b->in);
    text_free(&b->out);
}

int
cmd_batch(struct ctl *ctl)
{
    struct batch b = {.ctl = ctl, .wait_end = -1};
    int status, r = 0;

    ctl->on_event = batch_event;
    ctl->user = &b;
    ctl->follow = ctl->has_turns = 1;
    status = ctl_open(ctl);
    if (status == 0)
        r = run_batch(&b);
    if (r < 0 && r != MCPHOST_E_CANCELLED)
        say_error(ctl, r, NULL);
    /* Close the host before the last lines are written, because closing may still queue
     * events.  Answer `quit` last, when no process is left. */
    ctl_close(ctl);
    if (b.quit.due && r == 0)
        batch_answer(&b, b.quit.id, b.quit.id_len, "true", 4);
    write_last(&b);
    if (ctl->signal)
        status = 128 + ctl->signal;
    else if (status == 0 && (r < 0 || b.broken))
        status = STATUS_SERVER;
    ctl->on_event = NULL;
    batch_free(&b);
    return status;
}
