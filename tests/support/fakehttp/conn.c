/* SPDX-License-Identifier: MIT
 *
 * conn.c - reads and writes the sockets of the fake HTTP server.
 *
 * The bytes are plain or pass through TLS.  The server sends them whole or in pieces of
 * the size that the script's `chunk` sets.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/fakehttp/http.h"

static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "fakehttp: %s: %s\n", what, strerror(errno));
    _exit(2);
}

/* Listens on the loopback address of IPv4, on all addresses of IPv4 and IPv6, or on the
 * loopback address of IPv6, as the script's `listen` says. */
struct listener *
conn_listen(struct http *http, int port)
{
    bool v6 = http->family && strcmp(http->family, "4") != 0;
    struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 a6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port)};
    socklen_t size = v6 ? sizeof(a6) : sizeof(a4);
    int on = 1, only = v6 && strcmp(http->family, "6") == 0;
    struct epoll_event ev = {.events = EPOLLIN};
    struct listener *at = fake_alloc(NULL, sizeof(*at)), **last = &http->listeners;

    a4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a6.sin6_addr = only ? in6addr_loopback : in6addr_any;
    *at = (struct listener){.fd = socket(v6 ? AF_INET6 : AF_INET,
                                         SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (at->fd < 0)
        die("socket");
    setsockopt(at->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (v6)
        setsockopt(at->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
    if (bind(at->fd, v6 ? (struct sockaddr *)&a6 : (struct sockaddr *)&a4, size) < 0 ||
        listen(at->fd, 512) < 0)
        die("bind");
    if (getsockname(at->fd, v6 ? (struct sockaddr *)&a6 : (struct sockaddr *)&a4, &size) <
        0)
        die("getsockname");
    at->port = ntohs(v6 ? a6.sin6_port : a4.sin_port);
    ev.data.ptr = at;
    if (epoll_ctl(http->epoll, EPOLL_CTL_ADD, at->fd, &ev) < 0)
        die("epoll_ctl");
    while (*last)
        last = &(*last)->next;
    *last = at;
    return at;
}

char *
conn_origin(const struct http *http, const struct listener *at)
{
    const char *host = http->family && strcmp(http->family, "4") != 0
                           ? strcmp(http->family, "6") == 0 ? "[::1]" : "localhost"
                           : "127.0.0.1";
    char *origin = NULL;

    if (asprintf(&origin, "%s://%s:%d", http->tls_mode ? "https" : "http", host,
                 at->port) < 0)
        _exit(99);
    return origin;
}

static void
update_events(struct http *http, struct conn *conn)
{
    struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = conn};

    if (conn->want_write)
        ev.events |= EPOLLOUT;
    if (conn->peer_closed) /* otherwise epoll reports the end repeatedly */
        ev.events &= ~(unsigned)(EPOLLIN | EPOLLRDHUP);
    epoll_ctl(http->epoll, EPOLL_CTL_MOD, conn->fd, &ev);
}

static void
take_connection(struct http *http, const struct listener *at)
{
    int fd = accept4(at->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP};
    struct conn *conn;

    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    conn = fake_alloc(NULL, sizeof(*conn));
    *conn = (struct conn){.fd = fd, .at = at, .next = http->conns, .shaken = !http->tls};
    http->conns = conn;
    if (http->tls && strcmp(http->tls_mode, "mute") != 0) {
        conn->ssl = SSL_new(http->tls);
        SSL_set_fd(conn->ssl, fd);
        SSL_set_accept_state(conn->ssl);
    }
    ev.data.ptr = conn;
    if (epoll_ctl(http->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
        die("epoll_ctl");
    fake_trace(http->fake, "connect", NULL);
    if (fake_has_block(http->fake, "connect")) {
        conn->exchange = exchange_new(http, conn);
        fake_event_from(http->fake, "connect", NULL, conn->exchange);
        conn->exchange->conn = NULL;
        conn->exchange = NULL;
    }
}

/* Reads from the connection.  Returns the number of bytes, a value below 0 if the read
 * would block or was interrupted, or 0 at the end of the input and after an error. */
static ssize_t
do_read(struct conn *conn, char *to, size_t size)
{
    ssize_t n;

    if (!conn->ssl) {
        n = read(conn->fd, to, size);
        return n < 0 && errno != EAGAIN && errno != EINTR ? 0 : n;
    }
    ERR_clear_error();
    n = SSL_read(conn->ssl, to, (int)size);
    if (n > 0)
        return n;
    switch (SSL_get_error(conn->ssl, (int)n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return -1;
    default:
        return 0;
    }
}

static ssize_t
do_write(struct conn *conn, const char *from, size_t size)
{
    ssize_t n;

    if (!conn->ssl) {
        n = send(conn->fd, from, size, MSG_NOSIGNAL);
        return n < 0 && errno != EAGAIN && errno != EINTR ? 0 : n;
    }
    ERR_clear_error();
    n = SSL_write(conn->ssl, from, size > 65536 ? 65536 : (int)size);
    if (n > 0)
        return n;
    switch (SSL_get_error(conn->ssl, (int)n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return -1;
    default:
        return 0;
    }
}

void
conn_cut(struct http *http, struct conn *conn, bool reset)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    struct exchange *ex = conn->exchange;

    if (conn->dead)
        return;
    conn->dead = true;
    conn->exchange = NULL;
    if (reset)
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    close(conn->fd);
    if (ex) {
        ex->conn = NULL;
        exchange_gone(http, ex);
    }
}

/* Sends the output.  If the script sets `chunk`, a call sends only one piece.  The client
 * then receives the pieces separately. */
void
conn_flush(struct http *http, struct conn *conn)
{
    struct bytes *out = &conn->out;
    bool wanted = conn->want_write;

    while (!conn->dead && out->done < out->len) {
        size_t left = out->len - out->done, chunk = http->fake->chunk;
        ssize_t n =
            do_write(conn, out->p + out->done, chunk && chunk < left ? chunk : left);

        if (n == 0) {
            conn_cut(http, conn, false);
            return;
        }
        if (n > 0)
            out->done += (size_t)n;
        if (n < 0 || chunk)
            break;
    }
    if (conn->dead)
        return;
    conn->want_write =
        out->done < out->len || (conn->exchange && conn->exchange->endless);
    if (out->done == out->len) {
        out->done = out->len = 0;
        if (conn->close_after) {
            if (conn->ssl)
                SSL_shutdown(conn->ssl);
            conn_cut(http, conn, false);
            return;
        }
    }
    if (conn->want_write != wanted)
        update_events(http, conn);
}

void
conn_write(struct http *http, struct conn *conn, const char *data, size_t len)
{
    if (conn->dead)
        return;
    bytes_add(&conn->out, data, len);
    if (!conn->want_write) {
        conn->want_write = true;
        update_events(http, conn);
    }
}

static void
shake(struct http *http, struct conn *conn)
{
    int rc;

    ERR_clear_error();
    rc = SSL_do_handshake(conn->ssl);
    if (rc == 1) {
        conn->shaken = true;
        return;
    }
    rc = SSL_get_error(conn->ssl, rc);
    if (rc != SSL_ERROR_WANT_READ && rc != SSL_ERROR_WANT_WRITE)
        conn_cut(http, conn, false);
}

/* Handles a client that has closed its side: closes the connection, and discards the
 * unsent rest of the response. */
static void
end_of_input(struct http *http, struct conn *conn)
{
    conn->peer_closed = true;
    fake_trace(http->fake, "gone", conn->exchange ? conn->exchange->path : NULL);
    conn_cut(http, conn, false);
}

static void
serve_connection(struct http *http, struct conn *conn, unsigned events)
{
    static char chunk[65536];
    ssize_t n;

    if (conn->dead)
        return;
    if (!conn->shaken && !conn->ssl) { /* the script sets tls mode `mute` */
        if (events & (EPOLLRDHUP | EPOLLHUP))
            conn_cut(http, conn, false);
        return;
    }
    if (!conn->shaken)
        shake(http, conn);
    if (conn->dead || !conn->shaken)
        return;
    if (events & EPOLLOUT) {
        if (conn->exchange && conn->exchange->endless)
            exchange_pump(http, conn->exchange);
        conn_flush(http, conn);
    }
    while (!conn->dead && (n = do_read(conn, chunk, sizeof(chunk))) >= 0) {
        if (n == 0) {
            end_of_input(http, conn);
            return;
        }
        bytes_add(&conn->in, chunk, (size_t)n);
        request_take(http, conn);
    }
    if (!conn->dead && conn->want_write && !http->fake->chunk)
        conn_flush(http, conn);
}

void
conn_event(struct http *http, void *from, unsigned events)
{
    for (const struct listener *at = http->listeners; at; at = at->next)
        if (at == from) {
            take_connection(http, at);
            return;
        }
    serve_connection(http, from, events);
}

void
conn_sweep(struct http *http)
{
    struct conn **p = &http->conns;

    while (*p) {
        struct conn *conn = *p;

        if (!conn->dead) {
            p = &conn->next;
            continue;
        }
        *p = conn->next;
        SSL_free(conn->ssl);
        bytes_free(&conn->in);
        bytes_free(&conn->out);
        free(conn);
    }
}
