/* SPDX-License-Identifier: MIT
 *
 * canned.c - a server that answers requests with prepared bytes.
 *
 * One thread listens.  Each connection has a thread of its own.
 */
#include "support/canned.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS    64
#define CONNECTIONS 64
#define TEXT        65536

struct connection {
    struct canned *can;
    int fd;
    pthread_t thread;
};

struct canned {
    pthread_t thread;
    struct connection connections[CONNECTIONS];
    pthread_mutex_t lock;
    struct canned_answer answers[REQUESTS];
    size_t n_answers, n_requests, n_connections;
    char *requests[REQUESTS];
    int listener, port, stop[2];
    char url[256];
};

/* Waits for input on `fd`.  Returns 0 if canned_down() was called. */
static int
readable(struct canned *c, int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
                          {.fd = c->stop[0], .events = POLLIN}};

    while (poll(p, 2, -1) < 0)
        continue;
    return !p[1].revents;
}

/* Reads one request with its body.  Returns NULL if the connection ends or canned_down()
 * is called.  The caller frees the text. */
static char *
read_request(struct canned *c, int fd)
{
    char *text = calloc(1, TEXT), *body, *length;
    size_t len = 0, want = SIZE_MAX;

    while (text && len < want) {
        ssize_t n = readable(c, fd) ? read(fd, text + len, TEXT - 1 - len) : 0;

        if (n <= 0) {
            free(text);
            return NULL;
        }
        len += (size_t)n;
        body = strstr(text, "\r\n\r\n");
        if (body && want == SIZE_MAX) {
            length = strcasestr(text, "\r\ncontent-length:");
            want = (size_t)(body + 4 - text);
            if (length && length < body)
                want += (size_t)strtoul(length + 17, NULL, 10);
        }
    }
    return text;
}

static void
write_answer(int fd, const struct canned_answer *a)
{
    size_t len = a->len ? a->len : a->bytes ? strlen(a->bytes) : 0, done = 0;

    while (done < len) {
        size_t size = a->slowly ? 1 : len - done;
        ssize_t n = send(fd, a->bytes + done, size, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        done += (size_t)n;
    }
}

static void
serve(struct canned *c, int fd)
{
    static const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    const struct canned_answer *a;
    char *text, byte;
    size_t i;

    for (;;) {
        text = read_request(c, fd);
        if (!text)
            return;
        pthread_mutex_lock(&c->lock);
        i = c->n_requests;
        if (i < REQUESTS)
            c->requests[c->n_requests++] = text;
        else
            free(text);
        pthread_mutex_unlock(&c->lock);
        if (i >= c->n_answers)
            return;
        a = &c->answers[i];
        write_answer(fd, a);
        if (a->after == CANNED_RESET)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        /* Wait until the client closes the connection or canned_down() is called. */
        while (a->after == CANNED_HANG && readable(c, fd) && read(fd, &byte, 1) > 0)
            continue;
        if (a->after != CANNED_KEEP)
            return;
    }
}

static void *
run_connection(void *arg)
{
    struct connection *connection = arg;

    serve(connection->can, connection->fd);
    close(connection->fd);
    return NULL;
}

static void *
run_server(void *arg)
{
    struct canned *c = arg;
    size_t n = 0;

    while (n < CONNECTIONS && readable(c, c->listener)) {
        struct connection *connection = &c->connections[n];

        connection->can = c;
        connection->fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection->fd < 0)
            continue;
        n++;
        /* Count the connection before its first answer, because a test may ask for the
         * number of connections as soon as the test has the answer. */
        pthread_mutex_lock(&c->lock);
        c->n_connections = n;
        pthread_mutex_unlock(&c->lock);
        ck_assert_int_eq(
            pthread_create(&connection->thread, NULL, run_connection, connection), 0);
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(c->connections[i].thread, NULL);
    return NULL;
}

struct canned *
canned_up(const struct canned_answer *answers, size_t n)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    struct canned *c = calloc(1, sizeof(*c));
    socklen_t len = sizeof(addr);

    ck_assert_ptr_nonnull(c);
    ck_assert_uint_le(n, REQUESTS);
    if (n)
        memcpy(c->answers, answers, n * sizeof(*answers));
    c->n_answers = n;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(c->listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
    ck_assert_int_eq(listen(c->listener, 64), 0);
    ck_assert_int_eq(getsockname(c->listener, (struct sockaddr *)&addr, &len), 0);
    c->port = ntohs(addr.sin_port);
    ck_assert_int_eq(pipe2(c->stop, O_CLOEXEC), 0);
    ck_assert_int_eq(pthread_mutex_init(&c->lock, NULL), 0);
    ck_assert_int_eq(pthread_create(&c->thread, NULL, run_server, c), 0);
    return c;
}

void
canned_down(struct canned *c)
{
    if (!c)
        return;
    close(c->stop[1]);
    pthread_join(c->thread, NULL);
    close(c->stop[0]);
    close(c->listener);
    for (size_t i = 0; i < c->n_requests; i++)
        free(c->requests[i]);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

int
canned_port(const struct canned *c)
{
    return c->port;
}

const char *
canned_url(struct canned *c, const char *path)
{
    snprintf(c->url, sizeof(c->url), "http://127.0.0.1:%d%s", c->port, path);
    return c->url;
}

const char *
canned_request(struct canned *c, size_t i)
{
    const char *text;

    pthread_mutex_lock(&c->lock);
    text = i < c->n_requests ? c->requests[i] : "";
    pthread_mutex_unlock(&c->lock);
    return text;
}

size_t
canned_count(struct canned *c)
{
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = c->n_requests;
    pthread_mutex_unlock(&c->lock);
    return n;
}

size_t
canned_connections(struct canned *c)
{
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = c->n_connections;
    pthread_mutex_unlock(&c->lock);
    return n;
}
