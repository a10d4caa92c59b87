/* SPDX-License-Identifier: MIT
 *
 * serve.c - the hostile server of a row over stdio, and the output functions for rows.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "isolation/out.h"

#define LIFETIME_S 120

void
pause_ms(unsigned ms)
{
    struct timespec ts = {ms / 1000, (long)(ms % 1000) * 1000000};

    nanosleep(&ts, NULL);
}

/* ---- bytes out --------------------------------------------------------------------- */

static bool
write_all(struct out *out, const char *data, size_t len)
{
    while (len > 0 && !out->lost) {
        ssize_t n = write(out->fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        out->lost = n <= 0;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return !out->lost;
}

/* Writes the buffer under the lock.  If the buffer holds complete messages, threads that
 * share a pipe do not break each other's lines. */
bool
out_flush(struct out *out)
{
    char size[32];

    if (out->len == 0)
        return !out->lost;
    pthread_mutex_lock(out->lock);
    if (out->chunked) {
        snprintf(size, sizeof(size), "%zx\r\n", out->len);
        write_all(out, size, strlen(size));
    }
    write_all(out, out->buf, out->len);
    if (out->chunked)
        write_all(out, "\r\n", 2);
    pthread_mutex_unlock(out->lock);
    out->len = 0;
    return !out->lost;
}

bool
out_raw(struct out *out, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0 && !out->lost) {
        size_t room = sizeof(out->buf) - out->len, n = len < room ? len : room;

        memcpy(out->buf + out->len, p, n);
        out->len += n;
        p += n;
        len -= n;
        if (out->len == sizeof(out->buf))
            out_flush(out);
    }
    return !out->lost;
}

bool
out_text(struct out *out, const char *text)
{
    return out_raw(out, text, strlen(text));
}

bool
out_fill(struct out *out, char c, size_t n)
{
    char block[4096];

    memset(block, c, sizeof(block));
    while (n > 0 && !out->lost) {
        size_t part = n < sizeof(block) ? n : sizeof(block);

        out_raw(out, block, part);
        n -= part;
    }
    return !out->lost;
}

bool
out_is_web(const struct out *out)
{
    return out->web;
}

bool
out_begin(struct out *out)
{
    return out->web ? out_text(out, "data: ") : !out->lost;
}

bool
out_end(struct out *out)
{
    return out_text(out, out->web ? "\n\n" : "\n");
}

bool
out_message(struct out *out, const char *fmt, ...)
{
    char text[16384];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    /* Flush first if the message may not fit.  out_flush() must write whole messages,
     * because other threads write to the same descriptor. */
    if (sizeof(out->buf) - out->len < strlen(text) + 16)
        out_flush(out);
    out_begin(out);
    out_text(out, text);
    out_end(out);
    return !out->lost;
}

bool
out_result(struct out *out, const char *id, const char *result)
{
    out_begin(out);
    out_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    out_text(out, id);
    out_text(out, ",\"result\":");
    out_text(out, result);
    out_text(out, "}");
    out_end(out);
    return out_flush(out);
}

/* ---- the session ------------------------------------------------------------------- */

void
member(const char *message, const char *name, char *ret, size_t size)
{
    char key[64];
    const char *p;
    size_t n = 0;

    snprintf(key, sizeof(key), "\"%s\":", name);
    p = strstr(message, key);
    *ret = '\0';
    if (!p)
        return;
    p += strlen(key);
    while (p[n] && n < size - 1 && !strchr(",}]\n", p[n]))
        n++;
    memcpy(ret, p, n);
    ret[n] = '\0';
}

void
session_answer(const struct row *row, struct out *out, const char *message)
{
    char method[64], id[64], token[64];

    member(message, "method", method, sizeof(method));
    member(message, "id", id, sizeof(id));
    if (!*id || !*method)
        return;
    if (strcmp(method, "\"initialize\"") == 0) {
        char text[256];

        snprintf(text, sizeof(text),
                 "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{"
                 "\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
                 "\"hostile\",\"version\":\"1\"}}",
                 row->version ? row->version : "2025-06-18");
        out_result(out, id, text);
    } else if (strcmp(method, "\"tools/list\"") == 0) {
        if (row->list)
            row->list(out, id, message);
        else
            out_result(out, id,
                       "{\"tools\":[{\"name\":\"bait\",\"inputSchema\":{\"type\":"
                       "\"object\"}}]}");
    } else if (strcmp(method, "\"tools/call\"") == 0) {
        member(message, "progressToken", token, sizeof(token));
        if (row->call)
            row->call(out, id, token);
        else
            out_result(out, id, "{\"content\":[]}");
    } else {
        out_message(out,
                    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,"
                    "\"message\":\"no such method\"}}",
                    id);
    }
    out_flush(out);
}

static pthread_mutex_t stdout_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct row *served;
static struct out replies = {.fd = 1, .lock = &stdout_lock},
                  floods = {.fd = 1, .lock = &stdout_lock};

static void *
run_hello(void *arg)
{
    (void)arg;
    served->hello(&floods);
    out_flush(&floods);
    return NULL;
}

static void
say_hello(void)
{
    pthread_t thread;

    if (!served->hello)
        return;
    if (served->deaf) {
        run_hello(NULL);
        for (;;)
            pause();
    }
    if (pthread_create(&thread, NULL, run_hello, NULL) == 0)
        pthread_detach(thread);
}

static void
serve_stdio(void)
{
    char *line = NULL;
    size_t size = 0;

    if (served->start)
        served->start();
    while (getline(&line, &size, stdin) > 0) {
        session_answer(served, &replies, line);
        if (strstr(line, "\"notifications/initialized\""))
            say_hello();
    }
    free(line);
    _exit(0);
}

void
serve(const struct row *row, bool web)
{
    signal(SIGPIPE, SIG_IGN);
    alarm(LIFETIME_S);
    served = row;
    if (web)
        web_serve(row);
    serve_stdio();
    _exit(0);
}
