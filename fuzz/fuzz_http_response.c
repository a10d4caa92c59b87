/* SPDX-License-Identifier: MIT
 *
 * fuzz_http_response.c - passes any bytes of a server through libcurl and the transport.
 *
 * The bytes are status lines, headers and bodies.  connect() below replaces each
 * connection of libcurl by a pair of sockets.  libcurl must connect only to the address
 * in the URL, even if a redirect names another address.
 *
 * Byte 0 sets up the user of the transport.  Byte 1 selects the first message that the
 * user sends.  The target gathers all further bytes as bytes of the server, except these:
 *
 *   01     send the gathered bytes on the newest or chosen connection, and run the loop
 *   02     send the gathered bytes, run the loop and end the connection
 *   03 N   send another message, see send_one()
 *   04 N   advance the clock by N * 100 ms
 *   05 N   choose another connection for the gathered bytes
 *   06 N   abandon a stream
 *   07     close the transport
 *   08     reset the connection
 *   0b N   send the gathered bytes N times
 *   0e B   gather the byte B
 *
 * The stream of a message must end at most once.  There must be no event for a stream
 * that has ended or was abandoned.  No message may be longer than the limit.  At the end,
 * no connection may be open.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"
#include "transport/transport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STREAMS     16
#define CONNECTIONS 24
#define GATHERED    4096
#define PORT        8080
#define FRAME_LIMIT 3000
#define TURN        300 /* maximum number of steps in one run of the loop */
#define TURNS       400 /* maximum number of runs of the loop for one input */

enum { IS_UNUSED, IS_SENT, IS_REFUSED, IS_OVER };

enum {
    SETUP_CLOSES = 1,  /* abandon a stream when a message arrives on it */
    SETUP_SENDS = 2,   /* send another message when a stream has ended */
    SETUP_SESSION = 4, /* resume a session */
    SETUP_IDLE = 8
};

static struct {
    const uint8_t *in, *end;
    unsigned setup;
    struct mcph_core *core;
    struct mcph_net *net;
    struct mcph_transport *transport;
    int64_t now;
    int stream[STREAMS]; /* state of each stream; stream 0 is the connection */
    bool request[STREAMS];
    uint64_t n_streams;
    int connection[CONNECTIONS]; /* the server's ends of the connections; -1 if closed */
    int n_connections, to;
    char gathered[GATHERED];
    size_t n_gathered;
    int n_turns;
    bool closing, gone;
} f;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static unsigned
next(void)
{
    return f.in < f.end ? *f.in++ : 0;
}

static int64_t
fuzz_clock(void *arg)
{
    (void)arg;
    return f.now;
}

/* ---- the server's end -------------------------------------------------------------- */

int
connect(int fd, const struct sockaddr *addr, socklen_t len)
{
    const struct sockaddr_in *in = (const void *)addr;
    int ends[2];

    must(len >= sizeof(*in) && in->sin_family == AF_INET && in->sin_port == htons(PORT) &&
         in->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    if (f.n_connections == CONNECTIONS) {
        errno = ECONNREFUSED;
        return -1;
    }
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    must(dup3(ends[0], fd, O_CLOEXEC) == fd);
    close(ends[0]);
    f.to = f.n_connections++;
    f.connection[f.to] = ends[1];
    return 0;
}

/* Reads and discards the bytes that libcurl sent.  Returns false if libcurl has closed
 * its end. */
static bool
drain(int fd)
{
    char waste[4096];
    ssize_t n;

    do
        n = recv(fd, waste, sizeof(waste), MSG_DONTWAIT);
    while (n > 0);
    return n < 0 && errno == EAGAIN;
}

static void
hang_up(int which, bool drained)
{
    if (which >= f.n_connections || f.connection[which] < 0)
        return;
    /* Read all bytes first, because closing a socket with unread bytes would reset the
     * connection. */
    if (drained)
        (void)drain(f.connection[which]);
    close(f.connection[which]);
    f.connection[which] = -1;
}

static void
turn(void)
{
    f.n_turns++;
    for (int i = 0; i < TURN && mcph_core_dispatch(f.core) > 0; i++)
        ;
}

/* Sends the gathered bytes up to `times` times, each time from the first byte, and runs
 * the loop after each time.  Bytes that the socket does not accept are lost.  Then
 * discards the gathered bytes. */
static void
deliver(unsigned times)
{
    int fd = f.n_connections ? f.connection[f.to] : -1;

    for (unsigned i = 0; i < times && fd >= 0 && f.n_gathered && f.n_turns < TURNS; i++) {
        (void)!send(fd, f.gathered, f.n_gathered, MSG_NOSIGNAL | MSG_DONTWAIT);
        turn();
        fd = f.connection[f.to];
    }
    f.n_gathered = 0;
}

/* ---- the user's end ---------------------------------------------------------------- */

static const struct mcph_header modern[] = {
    {"MCP-Protocol-Version", {"2026-07-28", 10}},
    {"Mcp-Method", {"tools/call", 10}},
    {"Mcp-Name", {"n\xc3\xa4me", 5}},
};
static const struct mcph_header legacy[] = {{"MCP-Protocol-Version", {"2025-11-25", 10}}};

/* Sends a message.  The low bits of `how` select the kind.  With the flag 8, the message
 * has the headers of a modern client.  With the flag 16 and without the flag 8, it has
 * the headers of a legacy client.  With neither flag, it has no headers. */
static void
send_one(unsigned how)
{
    static const int kinds[] = {MCPH_SEND_REQUEST, MCPH_SEND_NOTIFICATION,
                                MCPH_SEND_RESPONSE, MCPH_SEND_INITIALIZE,
                                MCPH_SEND_LISTEN};
    int kind = kinds[how % 8 % 5];
    uint64_t stream = f.n_streams + 1;
    size_t n = how & 8 ? 3 : how & 16 ? 1 : 0;

    if (stream == STREAMS || !f.transport || f.closing)
        return;
    f.n_streams = stream;
    f.stream[stream] = IS_SENT;
    f.request[stream] = kind == MCPH_SEND_REQUEST || kind == MCPH_SEND_INITIALIZE ||
                        kind == MCPH_SEND_LISTEN;
    must(mcph_transport_send(f.transport, mcph_span_str("{\"id\":1}"),
                             how & 8 ? modern : legacy, n, kind, stream) == 0);
}

static void
give_up(uint64_t stream)
{
    if (!f.transport || stream == 0 || stream > f.n_streams)
        return;
    mcph_transport_close_stream(f.transport, stream);
    f.stream[stream] = IS_OVER;
}

/* Checks that the text is one line of UTF-8. */
static void
must_be_text(const char *text)
{
    must(mcph_utf8_valid(text, strlen(text), NULL));
    for (; *text; text++)
        must((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static bool
is_known(const struct mcph_transport *t, uint64_t stream)
{
    return t == f.transport && !f.closing && stream <= f.n_streams;
}

static void
on_message(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame, void *arg)
{
    (void)arg;
    must(is_known(t, stream));
    must(stream == 0 || (f.stream[stream] == IS_SENT && f.request[stream]));
    must(frame->over || frame->len <= FRAME_LIMIT);
    if (!frame->over && frame->len > 0 && frame->data[0] == 'F')
        f.transport = mcph_transport_free(f.transport, 0);
    else if (f.setup & SETUP_CLOSES)
        give_up(stream);
}

static void
on_status(struct mcph_transport *t, uint64_t stream,
          const struct mcph_transport_status *status, void *arg)
{
    (void)arg;
    must(is_known(t, stream));
    must(status->code >= 200 && status->body.len <= 64 * 1024);
    for (size_t i = 0; i < status->n_headers; i++)
        must(status->headers[i].value.p != NULL && status->headers[i].name != NULL);
    if (stream == 0) {
        must(status->code == 404);
        return;
    }
    must(f.stream[stream] == IS_SENT);
    f.stream[stream] = IS_REFUSED;
}

static void
on_closed(struct mcph_transport *t, uint64_t stream, mcphost_error *reason, void *arg)
{
    (void)arg;
    must(is_known(t, stream));
    must(stream > 0);
    must(f.stream[stream] == IS_SENT || f.stream[stream] == IS_REFUSED);
    must(reason != NULL);
    must_be_text(mcphost_error_get_message(reason));
    f.stream[stream] = IS_OVER;
    if (f.setup & SETUP_SENDS)
        send_one((unsigned)stream);
}

static void
on_gone(struct mcph_transport *t, void *arg)
{
    (void)arg;
    must(t == f.transport && f.closing && !f.gone);
    f.gone = true;
}

static const struct mcph_transport_user user = {
    .message = on_message, .status = on_status, .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};

/* ---- one input --------------------------------------------------------------------- */

static void
begin(const uint8_t *data, size_t size)
{
    static const struct mcph_net_header secret = {"Authorization", "Bearer abcdefgh", 15};
    struct mcph_http_spec spec = {.server = "s",
                                  .url = "http://127.0.0.1:8080/mcp?key=hidden",
                                  .headers = &secret,
                                  .n_headers = 1};

    memset(&f, 0, sizeof(f));
    f.in = data;
    f.end = data + size;
    f.now = 1000;
    f.setup = next();
    spec.session_id = f.setup & SETUP_SESSION ? "given-session" : NULL;
    must(mcph_core_new(&f.core, NULL) == 0);
    mcph_core_set_clock(f.core, fuzz_clock, NULL);
    must(mcph_net_new(f.core, &f.net, NULL) == 0);
    must(mcph_http_new(f.core, f.net, &spec, &owner, NULL, &f.transport, NULL) == 0);
    mcph_http_set_frame_limit(f.transport, FRAME_LIMIT);
    mcph_http_set_idle(f.transport, f.setup & SETUP_IDLE ? 2000 : 0);
    must(mcph_transport_open(f.transport, NULL) == 0);
    mcph_transport_set_user(f.transport, &user, NULL);
    send_one(next());
    turn();
}

static void
close_transport(void)
{
    if (!f.transport || f.closing)
        return;
    f.closing = true;
    mcph_transport_close(f.transport);
    turn();
}

static void
wait_for(int64_t ms)
{
    f.now += ms;
    turn();
}

static void
gather(unsigned byte)
{
    f.gathered[f.n_gathered++] = (char)byte;
    if (f.n_gathered == GATHERED)
        deliver(1);
}

static void
act(unsigned byte)
{
    unsigned n;

    switch (byte) {
    case 0x01:
        deliver(1);
        break;
    case 0x02:
        deliver(1);
        hang_up(f.to, true);
        turn();
        break;
    case 0x03:
        send_one(next());
        turn();
        break;
    case 0x04:
        wait_for((int64_t)next() * 100);
        break;
    case 0x05:
        n = next();
        f.to = f.n_connections ? (int)n % f.n_connections : 0;
        break;
    case 0x06:
        give_up(next() % STREAMS);
        turn();
        break;
    case 0x07:
        close_transport();
        break;
    case 0x08:
        hang_up(f.to, false);
        turn();
        break;
    case 0x0b:
        deliver(next());
        break;
    case 0x0e:
        gather(next());
        break;
    default:
        gather(byte);
    }
}

/* Ends the input and checks that no connection is open.  Advances the clock by 61 s,
 * because the transport waits up to 60 s for the answer to a notification or a
 * response. */
static void
end(void)
{
    deliver(1);
    for (int i = 0; i < f.n_connections; i++)
        hang_up(i, true);
    turn();
    wait_for(61000);
    close_transport();
    wait_for(5000);
    must(!f.transport || f.gone);
    f.transport = mcph_transport_free(f.transport, 0);
    f.net = mcph_net_free(f.net);
    for (int i = 0; i < f.n_connections; i++) {
        must(f.connection[i] < 0 || !drain(f.connection[i]));
        hang_up(i, true);
    }
    mcph_core_drain(f.core);
    f.core = mcph_core_unref(f.core);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin(data, size);
    while (f.in < f.end && f.n_turns < TURNS)
        act(next());
    end();
    return 0;
}
