/* SPDX-License-Identifier: MIT
 *
 * relay.c - an HTTP proxy for tests.
 *
 * One thread listens.  Each connection has a thread of its own, which ends when the
 * client or the target closes the connection.
 */
#include "support/relay.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 64
#define HEAD        16384

struct connection {
    struct relay *relay;
    int fd;
    pthread_t thread;
    char head[HEAD];
};

struct relay {
    pthread_t thread;
    pthread_mutex_t lock;
    struct connection connections[CONNECTIONS];
    size_t n;
    int listener, port, target, stop[2];
    const char *login;
    struct connection *seen[CONNECTIONS];
    size_t n_seen;
};

/* Waits for input on `fd`.  Returns 0 if relay_down() was called. */
static int
readable(struct relay *r, int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
                          {.fd = r->stop[0], .events = POLLIN}};

    while (poll(p, 2, -1) < 0)
        continue;
    return !p[1].revents;
}

/* Reads the head of a request.  Reads byte by byte, because the bytes after the head
 * belong to the target. */
static int
read_head(struct connection *c)
{
    char text[HEAD] = "";
    size_t len = 0;

    while (len < HEAD - 1) {
        if (!readable(c->relay, c->fd) || read(c->fd, text + len, 1) != 1)
            return 0;
        if (++len >= 4 && memcmp(text + len - 4, "\r\n\r\n", 4) == 0)
            break;
    }
    memcpy(c->head, text, len);
    pthread_mutex_lock(&c->relay->lock);
    c->relay->seen[c->relay->n_seen++] = c;
    pthread_mutex_unlock(&c->relay->lock);
    return 1;
}

static int
put_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

        if (n <= 0)
            return 0;
        data += n;
        len -= (size_t)n;
    }
    return 1;
}

static int
move(int from, int to)
{
    char bytes[16384];
    ssize_t n = read(from, bytes, sizeof(bytes));

    return n > 0 && put_all(to, bytes, (size_t)n);
}

static int
dial(int port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    close(fd);
    return -1;
}

static void
bring(struct connection *c, int to)
{
    struct pollfd p[3] = {{.fd = c->fd, .events = POLLIN},
                          {.fd = to, .events = POLLIN},
                          {.fd = c->relay->stop[0], .events = POLLIN}};

    for (;;) {
        if (poll(p, 3, -1) < 0)
            continue;
        if (p[2].revents || (p[0].revents && !move(c->fd, to)) ||
            (p[1].revents && !move(to, c->fd)))
            return;
    }
}

static int
may_pass(const struct connection *c)
{
    char line[256];

    if (!c->relay->login)
        return 1;
    snprintf(line, sizeof(line), "\r\nProxy-Authorization: Basic %s\r\n",
             c->relay->login);
    return strcasestr(c->head, line) != NULL;
}

static void
serve(struct connection *c)
{
    static const char denied[] = "HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n"
                                 "Proxy-Authenticate: Basic realm=\"x\"\r\n\r\n";
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    int tunnel, to;

    if (!read_head(c))
        return;
    if (!may_pass(c)) {
        put_all(c->fd, denied, sizeof(denied) - 1);
        return;
    }
    to = dial(c->relay->target);
    if (to < 0)
        return;
    tunnel = strncmp(c->head, "CONNECT ", 8) == 0;
    if (tunnel ? put_all(c->fd, established, sizeof(established) - 1)
               : put_all(to, c->head, strlen(c->head)))
        bring(c, to);
    close(to);
}

static void *
run_connection(void *arg)
{
    struct connection *c = arg;

    serve(c);
    close(c->fd);
    return NULL;
}

static void *
run_relay(void *arg)
{
    struct relay *r = arg;

    while (r->n < CONNECTIONS && readable(r, r->listener)) {
        struct connection *c = &r->connections[r->n];

        c->relay = r;
        c->fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
        if (c->fd < 0)
            continue;
        r->n++;
        ck_assert_int_eq(pthread_create(&c->thread, NULL, run_connection, c), 0);
    }
    for (size_t i = 0; i < r->n; i++)
        pthread_join(r->connections[i].thread, NULL);
    return NULL;
}

struct relay *
relay_up(int target, const char *login)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    struct relay *r = calloc(1, sizeof(*r));
    socklen_t len = sizeof(addr);

    ck_assert_ptr_nonnull(r);
    r->target = target;
    r->login = login;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(r->listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
    ck_assert_int_eq(listen(r->listener, 64), 0);
    ck_assert_int_eq(getsockname(r->listener, (struct sockaddr *)&addr, &len), 0);
    r->port = ntohs(addr.sin_port);
    ck_assert_int_eq(pipe2(r->stop, O_CLOEXEC), 0);
    ck_assert_int_eq(pthread_mutex_init(&r->lock, NULL), 0);
    ck_assert_int_eq(pthread_create(&r->thread, NULL, run_relay, r), 0);
    return r;
}

void
relay_down(struct relay *r)
{
    if (!r)
        return;
    close(r->stop[1]);
    pthread_join(r->thread, NULL);
    close(r->stop[0]);
    close(r->listener);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

int
relay_port(const struct relay *r)
{
    return r->port;
}

size_t
relay_count(struct relay *r)
{
    size_t n;

    pthread_mutex_lock(&r->lock);
    n = r->n_seen;
    pthread_mutex_unlock(&r->lock);
    return n;
}

const char *
relay_head(struct relay *r, size_t i)
{
    const char *head;

    pthread_mutex_lock(&r->lock);
    head = i < r->n_seen ? r->seen[i]->head : "";
    pthread_mutex_unlock(&r->lock);
    return head;
}
