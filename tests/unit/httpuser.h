/* SPDX-License-Identifier: MIT
 *
 * httpuser.h - the fixture of the HTTP transport tests.
 *
 * The fixture opens a transport to a server with canned answers.  The story is a text of
 * the events that the transport reported.
 *
 * Include this header only in the main file of a test program, because the header defines
 * static variables.
 */
#ifndef TESTS_UNIT_HTTPUSER_H
#define TESTS_UNIT_HTTPUSER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/canned.h"
#include "transport/transport.h"

static struct mcph_core *core;
static struct mcph_net *net;
static struct mcph_transport *t;
static struct canned *can;
/* The events so far: "<STREAM MESSAGE" for a message, "#STREAM=STATUS,HEADERS:BODY" for a
 * reported HTTP answer, "/STREAM" for a closed stream, and "~0" for missed messages.
 * MESSAGE is "over" for a message over the limit.  HEADERS are the names of the headers,
 * without content-type. */
static char story[16384], last_reason[2048], last_pause[256], last_body_end[11];
static char last_unhelped[256];
static size_t last_body_len;
/* Streams whose next message makes the test act.  A message on `close_on` closes the
 * stream.  A message on `free_on` frees the transport.  0 means no stream. */
static uint64_t close_on, free_on;
static bool gone;

static inline void
tell(const char *fmt, unsigned long long n, const char *text, size_t len)
{
    size_t at = strlen(story);

    snprintf(story + at, sizeof(story) - at, fmt, n, (int)len, text);
}

static inline void
on_message(struct mcph_transport *tr, uint64_t stream, struct mcph_frame *frame,
           void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(tr, t);
    tell("<%llu %.*s ", stream, frame->over ? "over" : frame->data,
         frame->over ? 4 : frame->len);
    if (close_on && stream == close_on)
        mcph_transport_close_stream(t, stream);
    if (free_on && stream == free_on)
        t = mcph_transport_free(t, 0);
}

static inline void
on_status(struct mcph_transport *tr, uint64_t stream,
          const struct mcph_transport_status *status, void *arg)
{
    const struct mcph_header *headers = status->headers;
    struct mcph_span body = status->body;
    char text[64];

    (void)tr;
    (void)arg;
    snprintf(text, sizeof(text), "=%d", status->code);
    tell("#%llu%.*s", stream, text, strlen(text));
    for (size_t i = 0; i < status->n_headers; i++)
        if (strcmp(headers[i].name, "content-type") != 0)
            tell(",%.0llu%.*s", 0, headers[i].name, strlen(headers[i].name));
    snprintf(last_unhelped, sizeof(last_unhelped), "%s",
             status->unhelped ? status->unhelped : "");
    last_body_len = body.len;
    snprintf(last_body_end, sizeof(last_body_end), "%.*s", body.len < 10 ? 0 : 10,
             body.len < 10 ? "" : body.p + body.len - 10);
    tell(":%.0llu%.*s ", 0, body.p ? body.p : "", body.len);
}

static inline void
on_closed(struct mcph_transport *tr, uint64_t stream, mcphost_error *reason, void *arg)
{
    const char *pause = mcphost_error_get_retry_after(reason);

    (void)tr;
    (void)arg;
    snprintf(last_reason, sizeof(last_reason), "%s", mcphost_error_get_message(reason));
    snprintf(last_pause, sizeof(last_pause), "%s", pause ? pause : "");
    tell("/%llu%.*s ", stream, "", 0);
}

static inline void
on_gone(struct mcph_transport *tr, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(tr, t);
    gone = true;
}

static void
on_missed(struct mcph_transport *tr, void *arg)
{
    (void)tr;
    (void)arg;
    tell("~%llu%.*s ", 0, "", 0);
}

static const struct mcph_transport_user user = {
    .message = on_message, .status = on_status, .missed = on_missed, .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};

static inline void
up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_net_new(core, &net, NULL), 0);
    t = NULL;
    can = NULL;
    close_on = free_on = 0;
    gone = false;
    story[0] = last_reason[0] = '\0';
}

static inline void
down(void)
{
    mcph_transport_free(t, 0);
    mcph_net_free(net);
    mcph_core_unref(core);
    canned_down(can);
}

static inline struct mcph_http_spec
spec_of(const char *path)
{
    return (struct mcph_http_spec){.server = "s", .url = canned_url(can, path)};
}

static inline void
open_with(struct mcph_http_spec spec)
{
    ck_assert_int_eq(mcph_http_new(core, net, &spec, &owner, NULL, &t, NULL), 0);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    mcph_transport_set_user(t, &user, NULL);
}

static inline void
send_with(const char *text, int kind, uint64_t stream, const struct mcph_header *headers,
          size_t n)
{
    ck_assert_int_eq(
        mcph_transport_send(t, mcph_span_str(text), headers, n, kind, stream), 0);
}

static inline void
say(const char *text, int kind, uint64_t stream)
{
    send_with(text, kind, stream, NULL, 0);
}

/* Waits until the story contains `needle`.  Fails after 20 s. */
static inline void
await(const char *needle)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    while (!strstr(story, needle) && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 50);
    ck_assert_msg(strstr(story, needle), "no %s in: %s (%s)", needle, story, last_reason);
}

static inline void
await_requests(size_t n)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;

    while (canned_count(can) < n && mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 5);
    ck_assert_uint_ge(canned_count(can), n);
}

static inline void
settle(int ms)
{
    int64_t end = mcph_clock_monotonic_ms() + ms;

    while (mcph_clock_monotonic_ms() < end)
        mcph_core_wait(core, 5);
}

static inline int
sent_header(size_t i, const char *line)
{
    char text[512];

    snprintf(text, sizeof(text), "\r\n%s\r\n", line);
    return strstr(canned_request(can, i), text) != NULL;
}

#define CAN(...)                                                 \
    static const struct canned_answer answers[] = {__VA_ARGS__}; \
    can = canned_up(answers, MCPH_ARRAY_SIZE(answers));          \
    open_with(spec_of("/mcp"))
#define HEAD(type) "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n"
#define LEN(n)     "Content-Length: " #n "\r\n\r\n"
#define RESULT     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" /* has 36 bytes */
#define JSON       HEAD("application/json") LEN(36) RESULT
#define EVENTS     HEAD("text/event-stream") "Connection: close\r\n\r\n"
#define ACCEPTED   "HTTP/1.1 202 Accepted\r\n" LEN(0)
#define KEEP       0, CANNED_KEEP, 0
#define CLOSE      0, CANNED_CLOSE, 0
#define HANG       0, CANNED_HANG, 0
#define INITIALIZE_JSON \
    HEAD("application/json") "Mcp-Session-Id: sess-12345\r\n" LEN(36) RESULT

#endif
