/* SPDX-License-Identifier: MIT
 *
 * web.c - the hostile server of a row over HTTP, with a thread for each connection.
 *
 * The server prints its URL on stdout and exits at the end of its stdin.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "isolation/out.h"

#define HEAD_MAX ((size_t)64 * 1024)
#define BODY_MAX ((size_t)64 * 1024 * 1024)

static const struct row *served;

void
web_head(struct out *out, int status, const char *type, const char *more, long length)
{
    char text[1024];

    snprintf(text, sizeof(text), "HTTP/1.1 %d OK\r\nContent-Type: %s\r\n", status, type);
    out->chunked = false;
    out_text(out, text);
    out_text(out, more);
    if (length >= 0) {
        snprintf(text, sizeof(text), "Content-Length: %ld\r\n\r\n", length);
        out_text(out, text);
    } else {
        out_text(out, "Transfer-Encoding: chunked\r\n\r\n");
        out_flush(out);
        out->chunked = true;
    }
}

static void
end_stream(struct out *out)
{
    out_flush(out);
    out->chunked = false;
    out_text(out, "0\r\n\r\n");
    out_flush(out);
}

static void
answer_get(struct out *out)
{
    if (!served->hello) {
        web_head(out, 405, "text/plain", "", 0);
        out_flush(out);
        return;
    }
    web_head(out, 200, "text/event-stream", "", -1);
    served->hello(out);
    out_flush(out);
    while (!out->lost) {
        char c;

        if (recv(out->fd, &c, 1, 0) <= 0)
            out->lost = true;
    }
}

static void
answer_post(struct out *out, const struct web_request *req)
{
    bool first = strcmp(req->rpc, "\"initialize\"") == 0;

    if (!*req->rpc || !*req->id) {
        web_head(out, 202, "text/plain", "", 0);
        out_flush(out);
        return;
    }
    web_head(out, 200, "text/event-stream", first ? "Mcp-Session-Id: hostile\r\n" : "",
             -1);
    session_answer(served, out, req->body);
    end_stream(out);
}

static void
answer(struct out *out, const struct web_request *req)
{
    if (served->web && served->web(out, req))
        out_flush(out);
    else if (strcmp(req->method, "GET") == 0)
        answer_get(out);
    else if (strcmp(req->method, "POST") == 0)
        answer_post(out, req);
    else {
        web_head(out, 200, "text/plain", "", 0);
        out_flush(out);
    }
    out->chunked = false;
}

/* Reads until `head` holds the whole head of a request.  *len counts all bytes in `head`,
 * including bytes after the head.  Returns the length of the head, or 0 if the connection
 * ends or the head is too long. */
static size_t
read_head(int fd, char *head, size_t *len)
{
    for (;;) {
        char *end;
        ssize_t n;

        head[*len] = '\0';
        end = strstr(head, "\r\n\r\n");
        if (end)
            return (size_t)(end - head) + 4;
        n = *len < HEAD_MAX ? recv(fd, head + *len, HEAD_MAX - *len, 0) : 0;
        if (n <= 0)
            return 0;
        *len += (size_t)n;
    }
}

static char *
read_body(int fd, const char *head, const char *have, size_t n_have, size_t *ret_used)
{
    const char *p = strcasestr(head, "\r\ncontent-length:");
    size_t len = p ? strtoul(p + 17, NULL, 10) : 0, at;
    char *body = len <= BODY_MAX ? malloc(len + 1) : NULL;

    if (!body)
        return NULL;
    at = n_have < len ? n_have : len;
    *ret_used = at;
    memcpy(body, have, at);
    while (at < len) {
        ssize_t n = recv(fd, body + at, len - at, 0);

        if (n <= 0) {
            free(body);
            return NULL;
        }
        at += (size_t)n;
    }
    body[len] = '\0';
    return body;
}

static void *
run_connection(void *arg)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct out *out = calloc(1, sizeof(*out));
    char *head = malloc(HEAD_MAX + 1), *body, rpc[64];
    struct web_request req;
    size_t len = 0, n, used;

    out->fd = (int)(intptr_t)arg;
    out->web = true;
    out->lock = &lock;
    while (!out->lost && (n = read_head(out->fd, head, &len)) > 0) {
        body = read_body(out->fd, head, head + n, len - n, &used);
        if (!body)
            break;
        req = (struct web_request){.head = head, .body = body, .rpc = rpc};
        sscanf(head, "%15s", req.method);
        member(body, "method", rpc, sizeof(rpc));
        member(body, "id", req.id, sizeof(req.id));
        answer(out, &req);
        memmove(head, head + n + used, len - n - used);
        len -= n + used;
        free(body);
    }
    close(out->fd);
    free(head);
    free(out);
    return NULL;
}

static void *
await_end(void *arg)
{
    char c;

    (void)arg;
    while (read(0, &c, 1) > 0)
        ;
    _exit(0);
}

void
web_serve(const struct row *row)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    pthread_attr_t attr;
    pthread_t thread;

    served = row;
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 1024) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) < 0)
        _exit(1);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    pthread_create(&thread, &attr, await_end, NULL);
    printf("http://127.0.0.1:%d/mcp\n", ntohs(at.sin_port));
    fflush(stdout);
    for (;;) {
        int peer = accept(fd, NULL, NULL);

        if (peer < 0)
            continue;
        setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (pthread_create(&thread, &attr, run_connection, (void *)(intptr_t)peer) != 0)
            close(peer);
    }
}
