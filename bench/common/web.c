/* SPDX-License-Identifier: MIT
 *
 * web.c - carries the answers of the benchmark server over HTTP at the lowest cost.
 *
 * The server has one epoll loop, with one read and one write for all requests that have
 * arrived on a connection.  It supports only the requests of the benchmarks: POST with
 * Content-Length on a connection that is kept open.  It answers any other method with
 * 405.  It has no sessions.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

#define READ_SIZE (256u * 1024u)

struct conn {
    int fd;
    struct bench_bytes in, out;
    size_t sent;
    bool waits; /* epoll watches for EPOLLOUT, not for EPOLLIN */
};

static struct bench_web web;
static int epoll_fd;

static void
add_head(struct conn *c, size_t len)
{
    char head[160];
    int n;

    if (len == 0)
        n = snprintf(head, sizeof(head),
                     "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    else if (web.sse)
        n = snprintf(head, sizeof(head),
                     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "%zx\r\nevent: message\ndata: ",
                     len + 23);
    else
        n = snprintf(head, sizeof(head),
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     len);
    bench_bytes_add(&c->out, head, (size_t)n);
}

/* Handles one message and adds the HTTP response to the output.  If the server has no
 * answer, the response is 202 with an empty body. */
static void
answer(struct conn *c, const char *body, size_t len)
{
    web.answer->len = 0;
    web.serve(body, len);
    if (web.answer->len) /* drop the answer's newline */
        web.answer->len--;
    add_head(c, web.answer->len);
    if (web.answer->len == 0)
        return;
    bench_bytes_add(&c->out, web.answer->p, web.answer->len);
    if (web.sse)
        bench_bytes_add(&c->out, "\n\n\r\n0\r\n\r\n", 9);
}

/* Handles one request at the front of the input.  Returns the request's length, or 0 if
 * the request is incomplete. */
static size_t
take_request(struct conn *c, char *p, size_t len)
{
    static const char refused[] =
        "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
    char *end = memmem(p, len, "\r\n\r\n", 4), *length;
    size_t head, body = 0;

    if (!end)
        return 0;
    head = (size_t)(end + 4 - p);
    length = memmem(p, head, "ontent-", 7);
    while (length && strncasecmp(length + 7, "length:", 7) != 0)
        length = memmem(length + 7, head - (size_t)(length + 7 - p), "ontent-", 7);
    if (length)
        body = strtoul(length + 14, NULL, 10);
    if (len < head + body)
        return 0;
    if (memcmp(p, "POST", 4) == 0)
        answer(c, p + head, body);
    else
        bench_bytes_add(&c->out, refused, sizeof(refused) - 1);
    return head + body;
}

static void
drop(struct conn *c)
{
    close(c->fd);
    free(c->in.p);
    free(c->out.p);
    free(c);
}

static void
set_events(struct conn *c, int op, unsigned events)
{
    struct epoll_event ev = {.events = events, .data.ptr = c};

    if (epoll_ctl(epoll_fd, op, c->fd, &ev) < 0)
        bench_die("epoll: %s", strerror(errno));
}

/* Sends as much output as possible.  Returns false if the connection has ended. */
static bool
flush(struct conn *c)
{
    while (c->sent < c->out.len) {
        ssize_t n = send(c->fd, c->out.p + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN) {
            if (!c->waits)
                set_events(c, EPOLL_CTL_MOD, EPOLLOUT);
            c->waits = true;
            return true;
        }
        if (n < 0)
            return false;
        c->sent += (size_t)n;
    }
    c->sent = c->out.len = 0;
    if (c->waits)
        set_events(c, EPOLL_CTL_MOD, EPOLLIN);
    c->waits = false;
    return true;
}

static bool
serve_connection(struct conn *c)
{
    size_t done = 0, n;
    ssize_t got;

    if (c->out.len)
        return flush(c);
    bench_bytes_reserve(&c->in, READ_SIZE + 1);
    got = recv(c->fd, c->in.p + c->in.len, READ_SIZE, 0);
    if (got <= 0)
        return false;
    c->in.len += (size_t)got;
    c->in.p[c->in.len] = '\0';
    while ((n = take_request(c, c->in.p + done, c->in.len - done)) > 0)
        done += n;
    c->in.len -= done;
    memmove(c->in.p, c->in.p + done, c->in.len);
    return flush(c);
}

static void
take_connection(int listener)
{
    struct conn *c = bench_must(calloc(1, sizeof(*c)));
    int on = 1;

    c->fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (c->fd < 0) {
        free(c);
        return;
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    set_events(c, EPOLL_CTL_ADD, EPOLLIN);
}

/* Listens on a free port of the loopback interface and prints the URL in one line. */
static int
listen_somewhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t size = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) < 0 || listen(fd, 512) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &size) < 0)
        bench_die("cannot listen: %s", strerror(errno));
    printf("http://127.0.0.1:%d/mcp\n", ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

void
bench_web_serve(const struct bench_web *how)
{
    struct epoll_event found[64], in = {.events = EPOLLIN};
    static int end; /* the address of `end` marks the events of stdin */
    int listener = listen_somewhere();

    web = *how;
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &in) < 0)
        bench_die("epoll: %s", strerror(errno));
    in.data.ptr = &end;
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, 0, &in) < 0)
        bench_die("epoll: %s", strerror(errno));
    for (;;) {
        int n = epoll_wait(epoll_fd, found, 64, -1);

        for (int i = 0; i < n; i++) {
            struct conn *c = found[i].data.ptr;

            if (found[i].data.ptr == &end)
                return;
            if (!c)
                take_connection(listener);
            else if (!serve_connection(c))
                drop(c);
        }
    }
}
