/* SPDX-License-Identifier: MIT
 *
 * test_transport_pair.c - messages over descriptors of the caller, and the state of these
 * descriptors after the transport has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "support/procrig.h"
#include "support/runner.h"
#include "transport/transport.h"

#define WAIT_MS 3000

enum { PIPES, SOCKETS, SOCKET_TWICE, FIFOS, TERMINAL, N_KINDS };

static struct mcph_core *core;
static struct mcph_transport *t;
static int in, out;           /* the caller's descriptors, to read and to write */
static int peer_out, peer_in; /* the peer's descriptors, to write and to read */
static int fds_before;
static int64_t skew;

/* The counters and texts of the reported events. */
static int messages, closings, gones, finishes;
static char last[256];
static char *reason;
static int code;
static bool free_on_message, close_on_message, echo;

static int64_t
skewed(void *arg)
{
    (void)arg;
    return mcph_clock_monotonic_ms() + skew;
}

static int
send_text(const char *text)
{
    return mcph_transport_send(t, mcph_span_str(text), NULL, 0, MCPH_SEND_RESPONSE, 0);
}

static void
on_message(struct mcph_transport *tr, uint64_t stream, struct mcph_frame *frame,
           void *arg)
{
    (void)arg;
    if (tr != t || stream != 0 || closings != 0 || frame->over)
        ck_abort_msg("a message out of place");
    messages++;
    snprintf(last, sizeof(last), "%.*s", (int)frame->len, frame->data);
    if (echo)
        ck_assert_int_eq(send_text(last), 0);
    if (close_on_message)
        mcph_transport_close(t);
    if (free_on_message)
        t = mcph_transport_free(t, 0);
}

static void
on_closed(struct mcph_transport *tr, uint64_t stream, mcphost_error *err, void *arg)
{
    (void)tr;
    (void)arg;
    ck_assert_uint_eq(stream, 0);
    closings++;
    code = mcphost_error_get_code(err);
    free(reason);
    reason = mcph_strdup(mcphost_error_get_message(err));
}

static void
on_gone(struct mcph_transport *tr, void *arg)
{
    (void)tr;
    ck_assert_ptr_eq(arg, &in);
    gones++;
}

static void
on_half_closed(struct mcph_transport *tr, mcphost_error *err, void *arg)
{
    (void)arg;
    ck_assert(tr == t && closings == 0);
    ck_assert_str_eq(mcphost_error_get_message(err), "closed the connection");
    finishes++;
}

static const struct mcph_transport_user user = {.message = on_message,
                                                .closed = on_closed};
/* A user that accepts peers which end their output but still read. */
static const struct mcph_transport_user half = {
    .message = on_message, .half_closed = on_half_closed, .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};

static void
up(void)
{
    fds_before = procrig_count_fds();
    in = out = peer_in = peer_out = -1;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, skewed, NULL);
}

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        ck_assert_int_eq(close(*fd), 0);
    *fd = -1;
}

static void
down(void)
{
    t = mcph_transport_free(t, 0);
    mcph_core_drain(core);
    mcph_core_unref(core);
    if (out == in)
        out = -1;
    if (peer_out == peer_in)
        peer_out = -1;
    close_fd(&in);
    close_fd(&out);
    close_fd(&peer_in);
    close_fd(&peer_out);
    ck_assert_int_eq(procrig_count_fds(), fds_before);
    free(reason);
}

/* ---- descriptors ------------------------------------------------------------------- */

static void
connect_fifo(int *reader, int *writer)
{
    char dir[] = "/tmp/mcph-pair-XXXXXX", path[64];

    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/fifo", dir);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    *reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *writer = open(path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(*reader, 0);
    ck_assert_int_ge(*writer, 0);
    ck_assert_int_eq(fcntl(*reader, F_SETFL, 0), 0);
    unlink(path);
    rmdir(dir);
}

static void
connect_terminal(void)
{
    struct termios raw;
    char name[64];

    peer_in = peer_out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(peer_in, 0);
    ck_assert_int_eq(grantpt(peer_in), 0);
    ck_assert_int_eq(unlockpt(peer_in), 0);
    ck_assert_int_eq(ptsname_r(peer_in, name, sizeof(name)), 0);
    in = out = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(in, 0);
    ck_assert_int_eq(tcgetattr(in, &raw), 0);
    cfmakeraw(&raw);
    ck_assert_int_eq(tcsetattr(in, TCSANOW, &raw), 0);
}

static void
connect_ends(int kind)
{
    int one[2], two[2];

    switch (kind) {
    case PIPES:
        ck_assert_int_eq(pipe2(one, O_CLOEXEC), 0);
        ck_assert_int_eq(pipe2(two, O_CLOEXEC), 0);
        in = one[0], peer_out = one[1];
        peer_in = two[0], out = two[1];
        break;
    case SOCKETS:
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, one), 0);
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two), 0);
        in = one[0], peer_out = one[1];
        peer_in = two[0], out = two[1];
        break;
    case SOCKET_TWICE:
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, one), 0);
        in = out = one[0];
        peer_in = peer_out = one[1];
        break;
    case FIFOS:
        connect_fifo(&in, &peer_out);
        connect_fifo(&peer_in, &out);
        break;
    default:
        connect_terminal();
    }
}

static void
make(void)
{
    ck_assert_int_eq(mcph_pair_new(core, in, out, &owner, &in, &t, NULL), 0);
    mcph_transport_set_user(t, &user, NULL);
}

static void
start(int kind)
{
    connect_ends(kind);
    make();
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
}

static void
turns(int n)
{
    while (n-- > 0 && mcph_core_dispatch(core) >= 0)
        ;
}

static void
until(const int *counter, int value)
{
    int64_t end = mcph_clock_monotonic_ms() + WAIT_MS;

    while (*counter < value) {
        ck_assert_msg(mcph_clock_monotonic_ms() < end,
                      "nothing came in time (%d messages, %d closings, %d gones)",
                      messages, closings, gones);
        ck_assert_int_ge(mcph_core_wait(core, 10), 0);
    }
}

static void
note_text(const char *text)
{
    ck_assert_int_eq(write(peer_out, text, strlen(text)), (ssize_t)strlen(text));
}

/* Reads from the peer's end until `size` bytes have come, the end is reached or WAIT_MS
 * have passed.  Reads at most `piece` bytes in each turn of the dispatcher.  Returns the
 * number of bytes. */
static size_t
read_peer(char *data, size_t size, size_t piece)
{
    int64_t end = mcph_clock_monotonic_ms() + WAIT_MS;
    int flags = fcntl(peer_in, F_GETFL);
    size_t len = 0;
    ssize_t n = 1;

    ck_assert_int_eq(fcntl(peer_in, F_SETFL, flags | O_NONBLOCK), 0);
    while (len < size && n != 0 && mcph_clock_monotonic_ms() < end) {
        n = read(peer_in, data + len, piece < size - len ? piece : size - len);
        if (n > 0)
            len += (size_t)n;
        turns(1);
    }
    ck_assert_int_eq(fcntl(peer_in, F_SETFL, flags), 0);
    return len;
}

static void
expect(const char *text)
{
    char data[256] = "";

    ck_assert_uint_eq(read_peer(data, strlen(text), sizeof(data)), strlen(text));
    ck_assert_str_eq(data, text);
}

/* Returns a text of `len` bytes.  The caller frees the text. */
static char *
big_text(size_t len)
{
    char *text = malloc(len + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void
fill_queue(size_t len)
{
    char *text = big_text(len);

    ck_assert_int_eq(send_text(text), 0);
    free(text);
    turns(3);
}

static bool
is_nonblocking(int fd)
{
    return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

/* ---- sending and receiving --------------------------------------------------------- */

/* R7 */
START_TEST(messages_go_both_ways_over_every_kind_of_descriptor)
{
    start(_i);
    note_text("{\"n\":1}\n{\"n\":");
    until(&messages, 1);
    note_text("2}\r\n");
    until(&messages, 2);
    ck_assert_str_eq(last, "{\"n\":2}");
    ck_assert_int_eq(send_text("one"), 0);
    ck_assert_int_eq(send_text("two"), 0);
    expect("one\ntwo\n");
    ck_assert_int_eq(closings, 0);
}
END_TEST

START_TEST(thousands_of_messages_go_both_ways_at_once)
{
    enum { N = 20000, LEN = 8 };
    int64_t end = mcph_clock_monotonic_ms() + 20000;
    char *data = malloc(N * LEN + 1), *heard = malloc(N * LEN + 1);
    size_t told = 0, len = 0;
    ssize_t n;

    for (int i = 0; i < N; i++)
        snprintf(data + i * LEN, LEN + 1, "%07d\n", i);
    echo = true;
    start(_i);
    fcntl(peer_out, F_SETFL, O_NONBLOCK);
    fcntl(peer_in, F_SETFL, O_NONBLOCK);
    while (len < N * LEN && mcph_clock_monotonic_ms() < end) {
        n = write(peer_out, data + told, N * LEN - told);
        told += n > 0 ? (size_t)n : 0;
        turns(1);
        n = read(peer_in, heard + len, N * LEN - len);
        len += n > 0 ? (size_t)n : 0;
    }
    ck_assert_uint_eq(len, N * LEN);
    ck_assert_int_eq(memcmp(data, heard, len), 0);
    ck_assert_int_eq(messages, N);
    free(data);
    free(heard);
}
END_TEST

START_TEST(a_slow_reader_gets_everything)
{
    size_t len = 1024 * 1024;
    char *heard = malloc(len + 1);

    start(_i);
    fill_queue(len);
    note_text("{}\n"); /* the transport reads `in` while `out` is blocked */
    ck_assert_uint_eq(read_peer(heard, len + 1, 5000), len + 1);
    ck_assert_int_eq(heard[len], '\n');
    ck_assert_int_eq(messages, 1);
    free(heard);
}
END_TEST

START_TEST(files_are_read_to_their_end_and_written)
{
    char path[] = "/tmp/mcph-pair-XXXXXX", text[16] = "";
    char *line = big_text(1000);

    in = mkostemp(path, O_CLOEXEC);
    unlink(path);
    for (int i = 0; i < 600; i++)
        ck_assert_int_eq(dprintf(in, "%s\n", line), 1001);
    ck_assert_int_eq(lseek(in, 0, SEEK_SET), 0);
    out = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    ck_assert_int_ge(out, 0);
    make();
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    ck_assert_int_eq(send_text("answer"), 0);
    until(&gones, 1);
    ck_assert_int_eq(messages, 600);
    ck_assert_str_eq(reason, "closed the connection");
    ck_assert_int_eq(pread(out, text, sizeof(text), 0), 7);
    ck_assert_str_eq(text, "answer\n");
    free(line);
}
END_TEST

START_TEST(the_null_device_is_an_end_of_file)
{
    in = out = open("/dev/null", O_RDWR | O_CLOEXEC);
    make();
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    until(&gones, 1);
    ck_assert_str_eq(reason, "closed the connection");
}
END_TEST

START_TEST(a_message_may_free_or_close_the_transport)
{
    free_on_message = _i == 0;
    close_on_message = _i == 1;
    start(PIPES);
    note_text("one\ntwo\nthree\n");
    until(&messages, 1);
    turns(5);
    ck_assert_int_eq(messages, 1);
    ck_assert_int_eq(closings, 0);
    ck_assert_int_eq(gones, _i);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

/* A peer that never reads costs only bounded memory. */
START_TEST(a_peer_that_never_reads_is_closed_at_the_limit)
{
    char *text = big_text(20000);
    int r = 0, n;

    connect_ends(_i);
    make();
    mcph_pair_set_queue_max(t, 100000);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    for (n = 0; r == 0 && n < 200; n++) {
        r = send_text(text);
        if (n % 3 == 0)
            turns(1);
    }
    ck_assert_int_eq(r, MCPHOST_E_LIMIT);
    ck_assert_int_eq(closings, 0); /* send_text() itself does not report the end */
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_LIMIT);
    until(&gones, 1);
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(code, MCPHOST_E_LIMIT);
    ck_assert_ptr_eq(strstr(reason, "does not read: "), reason);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
    free(text);
}
END_TEST

START_TEST(a_message_that_is_too_large_for_an_empty_queue_is_only_refused)
{
    char *text = big_text(20000);

    connect_ends(PIPES);
    make();
    mcph_pair_set_queue_max(t, 10000);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    ck_assert_int_eq(send_text(text), MCPHOST_E_LIMIT);
    turns(3);
    ck_assert_int_eq(send_text("small"), 0);
    expect("small\n");
    ck_assert_int_eq(closings, 0);
    free(text);
}
END_TEST

START_TEST(a_line_over_the_limit_ends_the_connection)
{
    connect_ends(PIPES);
    make();
    mcph_pair_set_frame_limit(t, 100);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    ck_assert_int_eq(dprintf(peer_out, "{}\n%0200d%s", 0, _i ? "\n{}\n" : ""),
                     _i ? 207 : 203);
    until(&gones, 1);
    ck_assert_int_eq(messages, 1); /* the line after the long line is not reported */
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(code, MCPHOST_E_LIMIT);
    ck_assert_str_eq(reason, "sent a message of more than 100 bytes");
}
END_TEST

/* ---- how a connection ends --------------------------------------------------------- */

START_TEST(an_end_of_file_is_reported_once_after_all_messages)
{
    start(_i);
    note_text("one\ntwo\nthr");
    if (peer_in == peer_out)
        peer_in = -1;
    close_fd(&peer_out);
    until(&gones, 1);
    turns(3);
    ck_assert_int_eq(messages, 2);
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(gones, 1);
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(reason, "closed the connection in the middle of a message");
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
}
END_TEST

/* The transport must not open the named pipe again, because it would then wait for
 * another writer. */
START_TEST(a_named_pipe_without_a_writer_shows_end_of_file)
{
    connect_ends(FIFOS);
    note_text("{}\n");
    close_fd(&peer_out);
    make();
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    until(&gones, 1);
    ck_assert_int_eq(messages, 1);
    ck_assert_str_eq(reason, "closed the connection");
}
END_TEST

/* The test leaves out terminals, because the master of a terminal cannot end only its
 * output. */
START_TEST(a_peer_that_ends_its_output_still_gets_messages)
{
    char heard[64] = "";

    start(_i);
    mcph_transport_set_user(t, &half, NULL);
    note_text("one\n");
    if (peer_in == peer_out)
        ck_assert_int_eq(shutdown(peer_out, SHUT_WR), 0);
    else
        close_fd(&peer_out);
    until(&finishes, 1);
    turns(3);
    ck_assert_int_eq(messages, 1);
    ck_assert_int_eq(closings + gones, 0);
    ck_assert_int_eq(send_text("{}"), 0);
    ck_assert_uint_eq(read_peer(heard, 3, 3), 3);
    if (peer_in == peer_out)
        peer_out = -1;
    close_fd(&peer_in);
    until(&closings, 1);
    ck_assert_str_eq(reason, "closed the connection");
    until(&gones, 1);
    ck_assert_int_eq(finishes, 1);
}
END_TEST

START_TEST(a_peer_that_closes_both_directions_is_reported_at_once)
{
    start(_i);
    mcph_transport_set_user(t, &half, NULL);
    if (peer_in == peer_out)
        peer_in = -1;
    close_fd(&peer_out);
    close_fd(&peer_in);
    until(&gones, 1);
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(messages_queued_at_the_end_of_file_are_still_written)
{
    size_t len = 1024 * 1024;
    char *heard = malloc(len + 1);

    start(SOCKET_TWICE);
    fill_queue(len);
    ck_assert_int_eq(shutdown(peer_out, SHUT_WR), 0); /* ends one direction only */
    until(&closings, 1);
    ck_assert_int_eq(gones, 0);
    ck_assert_uint_eq(read_peer(heard, len + 1, 65536), len + 1);
    until(&gones, 1);
    ck_assert_str_eq(reason, "closed the connection");
    free(heard);
}
END_TEST

/* The transport must not raise SIGPIPE.  The signal would end this test program. */
START_TEST(a_peer_that_closes_its_input_is_reported_once)
{
    start(_i);
    if (_i == SOCKET_TWICE)
        ck_assert_int_eq(shutdown(peer_in, SHUT_RD), 0); /* ends one direction only */
    else
        close_fd(&peer_in);
    ck_assert_int_eq(send_text("{}"), 0);
    until(&gones, 1);
    turns(3);
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(reason, "accepts no more messages: Broken pipe");
}
END_TEST

START_TEST(close_writes_queued_messages_and_drops_incoming_messages)
{
    size_t len = 1024 * 1024;
    char *heard = malloc(len + 1);

    start(_i);
    fill_queue(len);
    mcph_transport_close(t);
    mcph_transport_close(t);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
    note_text("late\n");
    ck_assert_uint_eq(read_peer(heard, len + 1, 65536), len + 1);
    until(&gones, 1);
    ck_assert_int_eq(messages, 0);
    ck_assert_int_eq(closings, 0); /* the end is not reported after a close */
    free(heard);
}
END_TEST

START_TEST(a_peer_that_never_reads_delays_gone_by_one_second)
{
    start(_i);
    fill_queue(1024 * 1024);
    mcph_transport_close(t);
    turns(3);
    skew = 999 - MCPH_PAIR_FLUSH_MS / 2; /* leaves time for a slow machine */
    turns(3);
    ck_assert_int_eq(gones, 0);
    skew = MCPH_PAIR_FLUSH_MS;
    turns(3);
    ck_assert_int_eq(gones, 1);
    ck_assert_int_eq(closings, 0);
}
END_TEST

START_TEST(a_flood_during_the_flush_is_read_and_dropped)
{
    char *text = big_text(65536);
    size_t dropped = 0;
    ssize_t n;

    start(PIPES);
    fill_queue(1024 * 1024);
    mcph_transport_close(t);
    ck_assert_int_eq(fcntl(peer_out, F_SETFL, O_NONBLOCK), 0);
    for (int i = 0; i < 20; i++) {
        n = write(peer_out, text, 65536);
        dropped += n > 0 ? (size_t)n : 0;
        turns(2);
    }
    ck_assert_uint_eq(dropped, 20 * 65536);
    ck_assert_int_eq(messages, 0);
    free(text);
}
END_TEST

START_TEST(kill_does_not_wait_for_queued_messages)
{
    start(PIPES);
    fill_queue(1024 * 1024);
    if (_i)
        mcph_transport_close(t);
    mcph_transport_kill(t);
    ck_assert_int_eq(gones, 0); /* mcph_transport_kill() itself reports nothing */
    turns(3);
    ck_assert_int_eq(gones, 1);
}
END_TEST

START_TEST(free_at_any_time_reports_nothing_and_restores_the_flags)
{
    connect_ends(FIFOS);
    make();
    if (_i > 0)
        ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    if (_i > 1)
        ck_assert_int_eq(send_text("{}"), 0);
    if (_i > 2)
        fill_queue(1024 * 1024);
    if (_i > 3)
        ck_assert_int_eq(send_text("{}"), 0);
    if (_i > 4)
        mcph_transport_close(t);
    t = mcph_transport_free(t, 0);
    turns(3);
    ck_assert_int_eq(gones, 0);
    ck_assert(!is_nonblocking(in));
    ck_assert(!is_nonblocking(out));
}
END_TEST

/* ---- the caller's descriptors ------------------------------------------------------ */

START_TEST(flags_change_only_for_named_pipes_and_are_restored)
{
    /* The transport sets O_NONBLOCK on named pipes, because it does not reopen them. */
    bool changes = _i == FIFOS;

    start(_i);
    ck_assert_int_eq(is_nonblocking(in), changes);
    ck_assert_int_eq(is_nonblocking(out), changes);
    mcph_transport_close(t);
    until(&gones, 1);
    ck_assert(!is_nonblocking(in));
    ck_assert(!is_nonblocking(out));
}
END_TEST

START_TEST(a_nonblocking_flag_that_was_set_before_stays_set)
{
    connect_ends(_i);
    ck_assert_int_eq(fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK), 0);
    make();
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    mcph_transport_close(t);
    until(&gones, 1);
    ck_assert(is_nonblocking(in));
}
END_TEST

START_TEST(a_forked_child_does_not_change_the_flags_of_its_parent)
{
    int status = -1;
    pid_t pid;

    start(FIFOS);
    pid = fork();
    if (pid == 0) {
        mcph_transport_free(t, 0);
        _exit(is_nonblocking(in) && is_nonblocking(out) ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(the_caller_may_close_its_descriptors_at_once)
{
    connect_ends(_i);
    make();
    close(in);
    if (out != in)
        close(out);
    in = out = -1;
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    note_text("{}\n");
    until(&messages, 1);
    ck_assert_int_eq(send_text("[]"), 0);
    expect("[]\n");
    mcph_transport_close(t);
    until(&gones, 1);
    if (_i != TERMINAL) { /* the peer now sees the end of its input */
        char c;

        ck_assert_int_eq(read(peer_in, &c, 1), 0);
    }
}
END_TEST

START_TEST(the_callers_descriptors_outlive_the_transport)
{
    int n = procrig_count_fds();

    start(_i);
    mcph_transport_close(t);
    until(&gones, 1);
    t = mcph_transport_free(t, 0);
    ck_assert_int_eq(procrig_count_fds(), n + (in == out ? 2 : 4));
    ck_assert_int_eq(write(out, "still\n", 6), 6);
    expect("still\n");
}
END_TEST

START_TEST(no_duplicate_takes_the_place_of_a_standard_stream)
{
    int saved = fcntl(0, F_DUPFD_CLOEXEC, 3);

    connect_ends(_i);
    close(0);
    make();
    ck_assert_int_lt(fcntl(0, F_GETFD), 0);
    ck_assert_int_eq(errno, EBADF);
    if (saved >= 0) {
        ck_assert_int_eq(dup2(saved, 0), 0);
        close(saved);
    }
}
END_TEST

START_TEST(descriptors_that_are_closed_or_have_a_wrong_mode_are_refused)
{
    mcphost_error *err = NULL;

    connect_ends(PIPES);
    ck_assert_int_eq(mcph_pair_new(core, -1, out, &owner, &in, &t, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "descriptor -1");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcph_pair_new(core, out, out, &owner, &in, &t, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "not open for reading");
    err = mcphost_error_unref(err);
    ck_assert_int_eq(mcph_pair_new(core, in, in, &owner, &in, &t, &err),
                     MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), "not open for writing");
    mcphost_error_unref(err);
    ck_assert_ptr_null(t);
}
END_TEST

static void
add_transfers(Suite *suite)
{
    TCase *tc = test_case(suite, "to and fro");

    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, messages_go_both_ways_over_every_kind_of_descriptor, 0,
                        N_KINDS);
    tcase_add_loop_test(tc, thousands_of_messages_go_both_ways_at_once, 0, N_KINDS);
    tcase_add_loop_test(tc, a_slow_reader_gets_everything, 0, N_KINDS);
    tcase_add_test(tc, files_are_read_to_their_end_and_written);
    tcase_add_test(tc, the_null_device_is_an_end_of_file);
    tcase_add_loop_test(tc, a_message_may_free_or_close_the_transport, 0, 2);

    tc = test_case(suite, "limits");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_peer_that_never_reads_is_closed_at_the_limit, 0, N_KINDS);
    tcase_add_test(tc, a_message_that_is_too_large_for_an_empty_queue_is_only_refused);
    tcase_add_loop_test(tc, a_line_over_the_limit_ends_the_connection, 0, 2);
}

static void
add(Suite *suite)
{
    TCase *tc;

    add_transfers(suite);
    tc = test_case(suite, "ends");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, an_end_of_file_is_reported_once_after_all_messages, 0,
                        TERMINAL);
    tcase_add_test(tc, a_named_pipe_without_a_writer_shows_end_of_file);
    tcase_add_loop_test(tc, a_peer_that_ends_its_output_still_gets_messages, 0, TERMINAL);
    tcase_add_loop_test(tc, a_peer_that_closes_both_directions_is_reported_at_once, 0,
                        TERMINAL);
    tcase_add_test(tc, messages_queued_at_the_end_of_file_are_still_written);
    tcase_add_loop_test(tc, a_peer_that_closes_its_input_is_reported_once, 0, TERMINAL);
    tcase_add_loop_test(tc, close_writes_queued_messages_and_drops_incoming_messages, 0,
                        N_KINDS);
    tcase_add_loop_test(tc, a_peer_that_never_reads_delays_gone_by_one_second, 0,
                        N_KINDS);
    tcase_add_test(tc, a_flood_during_the_flush_is_read_and_dropped);
    tcase_add_loop_test(tc, kill_does_not_wait_for_queued_messages, 0, 2);
    tcase_add_loop_test(tc, free_at_any_time_reports_nothing_and_restores_the_flags, 0,
                        6);

    tc = test_case(suite, "descriptors");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, flags_change_only_for_named_pipes_and_are_restored, 0,
                        N_KINDS);
    tcase_add_loop_test(tc, a_nonblocking_flag_that_was_set_before_stays_set, 0, N_KINDS);
    tcase_add_test(tc, a_forked_child_does_not_change_the_flags_of_its_parent);
    tcase_add_loop_test(tc, the_caller_may_close_its_descriptors_at_once, 0, N_KINDS);
    tcase_add_loop_test(tc, the_callers_descriptors_outlive_the_transport, 0, N_KINDS);
    tcase_add_loop_test(tc, no_duplicate_takes_the_place_of_a_standard_stream, 0,
                        N_KINDS);
    tcase_add_test(tc, descriptors_that_are_closed_or_have_a_wrong_mode_are_refused);
}

int
main(void)
{
    return test_main("transport-pair", add);
}
