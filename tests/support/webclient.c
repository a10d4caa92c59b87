/* SPDX-License-Identifier: MIT
 *
 * webclient.c - one HTTP request over a plain socket, for tests of HTTP servers.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/webclient.h"

#define WAIT_MS 20000

/* The bytes received so far.  The text has a NUL at its end. */
struct input {
    int fd;
    char *text;
    size_t len, cap;
};

/* Connects to a loopback address.  Looks up no name, because some tests have a name
 * service of their own (names.h). */
static int
open_connection(const char *authority, size_t len)
{
    struct sockaddr_in a4 = {.sin_family = AF_INET};
    struct sockaddr_in6 a6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    bool is_v6 = *authority == '[';
    char text[256], *port;
    int fd;

    snprintf(text, sizeof(text), "%.*s", (int)len, authority);
    port = strrchr(text, ':');
    if (!port ||
        (strncmp(text, "127.0.0.1:", 10) != 0 && strncmp(text, "localhost:", 10) != 0 &&
         strncmp(text, "[::1]:", 6) != 0))
        return -1;
    a4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a4.sin_port = a6.sin6_port = htons((uint16_t)strtoul(port + 1, NULL, 10));
    fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, is_v6 ? (struct sockaddr *)&a6 : (struct sockaddr *)&a4,
                           is_v6 ? sizeof(a6) : sizeof(a4)) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool
send_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* Reads more bytes.  Returns false if the connection has ended, if no bytes come within
 * WAIT_MS, or if the input is longer than WEB_MAX. */
static bool
read_more(struct input *in)
{
    struct pollfd p = {.fd = in->fd, .events = POLLIN};
    ssize_t n;

    if (in->cap - in->len < 65536) {
        in->cap = in->cap * 2 + 131072;
        in->text = realloc(in->text, in->cap);
        if (!in->text)
            abort();
    }
    in->text[in->len] = '\0';
    if (in->len > WEB_MAX || poll(&p, 1, WAIT_MS) != 1)
        return false;
    n = recv(in->fd, in->text + in->len, 65535, 0);
    if (n <= 0)
        return false;
    in->len += (size_t)n;
    in->text[in->len] = '\0';
    return true;
}

char *
web_header(const struct web_answer *answer, const char *name)
{
    size_t len = strlen(name);

    for (const char *l = answer->head; l && *l; l = strstr(l, "\r\n")) {
        l += *l == '\r' ? 2 : 0;
        if (strncasecmp(l, name, len) == 0 && l[len] == ':') {
            l += len + 1;
            l += strspn(l, " ");
            return strndup(l, strcspn(l, "\r"));
        }
    }
    return NULL;
}

static void
add_body(struct web_answer *answer, const char *data, size_t len)
{
    answer->body = realloc(answer->body, answer->len + len + 1);
    if (!answer->body)
        abort();
    memcpy(answer->body + answer->len, data, len);
    answer->len += len;
    answer->body[answer->len] = '\0';
}

/* Reads a body in chunks that begins at `at`.  Returns false if the end is missing. */
static bool
read_chunks(struct input *in, size_t at, struct web_answer *ret)
{
    for (;;) {
        char *end;
        size_t size;

        while ((end = strstr(in->text + at, "\r\n")) == NULL)
            if (!read_more(in))
                return false;
        size = strtoul(in->text + at, NULL, 16);
        at = (size_t)(end + 2 - in->text);
        while (in->len - at < size + 2)
            if (!read_more(in))
                return false;
        add_body(ret, in->text + at, size);
        at += size + 2;
        if (!size)
            return true;
    }
}

/* Reads a body of `length` bytes, or up to the end of the connection if `length` is
 * NULL. */
static bool
read_plain(struct input *in, size_t at, const char *length, struct web_answer *ret)
{
    size_t size = length ? strtoul(length, NULL, 10) : 0;
    bool whole = true;

    while (whole && (!length || in->len - at < size))
        whole = read_more(in);
    add_body(ret, in->text + at, in->len - at);
    return whole || !length;
}

static int
read_response(struct input *in, struct web_answer *ret)
{
    char *end = NULL, *length, *coding;
    bool whole;
    size_t at;

    while (!in->text || (end = strstr(in->text, "\r\n\r\n")) == NULL)
        if (!read_more(in))
            return 0;
    at = (size_t)(end + 4 - in->text);
    ret->head = strndup(in->text, at - 2);
    length = web_header(ret, "Content-Length");
    coding = web_header(ret, "Transfer-Encoding");
    whole = coding ? read_chunks(in, at, ret) : read_plain(in, at, length, ret);
    free(length);
    free(coding);
    if (whole && strlen(ret->head) > 12)
        ret->status = (int)strtol(ret->head + strcspn(ret->head, " "), NULL, 10);
    return ret->status;
}

int
web_ask(const char *method, const char *url, const char *headers, const char *body,
        struct web_answer *ret)
{
    const char *authority = strstr(url, "://"), *path;
    struct input in = {0};
    char *request = NULL;
    int n;

    *ret = (struct web_answer){0};
    if (strncmp(url, "http://", 7) != 0)
        return 0;
    authority += 3;
    path = authority + strcspn(authority, "/?");
    in.fd = open_connection(authority, (size_t)(path - authority));
    if (in.fd < 0)
        return 0;
    n = asprintf(&request,
                 "%s %s%.*s HTTP/1.1\r\nHost: %.*s\r\nContent-Length: %zu\r\n%s\r\n%s",
                 method, *path == '/' ? "" : "/", (int)strcspn(path, "#"), path,
                 (int)(path - authority), authority, body ? strlen(body) : 0,
                 headers ? headers : "", body ? body : "");
    if (n < 0)
        abort();
    if (send_all(in.fd, request, (size_t)n))
        read_response(&in, ret);
    close(in.fd);
    free(request);
    free(in.text);
    return ret->status;
}

void
web_done(struct web_answer *answer)
{
    free(answer->head);
    free(answer->body);
    *answer = (struct web_answer){0};
}
