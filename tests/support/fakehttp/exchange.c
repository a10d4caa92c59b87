/* SPDX-License-Identifier: MIT
 *
 * exchange.c - responses and sessions of the fake HTTP server.
 *
 * The server sends a response in one piece or as a stream of events.  A client can resume
 * a stream.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakehttp/http.h"

struct exchange *
exchange_new(struct http *http, struct conn *conn)
{
    struct exchange *ex = fake_alloc(NULL, sizeof(*ex));

    *ex = (struct exchange){.conn = conn, .number = ++http->n_exchanges, .length = -1};
    ex->next = http->exchanges;
    http->exchanges = ex;
    return ex;
}

static void
exchange_free(struct exchange *ex)
{
    for (size_t i = 0; i < ex->n_events; i++)
        bytes_free(&ex->events[i]);
    free(ex->events);
    free(ex->verb);
    free(ex->path);
    free(ex->head);
    free(ex->session);
    free(ex->reason);
    free(ex->type);
    free(ex->endless);
    free(ex->listen_id);
    free(ex->listens);
    bytes_free(&ex->headers);
    bytes_free(&ex->held);
    free(ex);
}

bool
exchange_is_running(const struct http *http, const struct exchange *ex)
{
    for (const struct fake_run *run = http->fake->runs; run; run = run->link)
        if (run->peer == ex)
            return true;
    return false;
}

/* Frees the exchanges that have no connection, no event to resume and no run. */
void
exchange_sweep(struct http *http)
{
    struct exchange **p = &http->exchanges;

    while (*p) {
        struct exchange *ex = *p;

        if (ex->conn || ex->n_events || exchange_is_running(http, ex)) {
            p = &ex->next;
            continue;
        }
        *p = ex->next;
        exchange_free(ex);
    }
}

/* Handles a client that has closed the connection.  A closed connection cancels a modern
 * request. */
void
exchange_gone(struct http *http, struct exchange *ex)
{
    if (ex->modern)
        fake_drop_runs_of(http->fake, ex);
    if (fake_has_block(http->fake, "gone"))
        fake_event_from(http->fake, "gone", NULL, NULL);
}

/* ---- heads ------------------------------------------------------------------------- */

static const char *
reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},          {202, "Accepted"},     {307, "Temporary Redirect"},
        {400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"},
        {404, "Not Found"},   {409, "Conflict"},     {429, "Too Many Requests"},
        {500, "Oops"},        {502, "Bad Gateway"},  {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Status";
}

static void
write_str(struct http *http, struct exchange *ex, const char *text)
{
    if (ex->conn)
        conn_write(http, ex->conn, text, strlen(text));
}

/* Writes the head of a response without the headers about the length and without the
 * final empty line. */
static void
write_head(struct http *http, struct exchange *ex, int status, const char *type)
{
    char line[512];

    if (ex->status)
        status = ex->status;
    if (ex->type)
        type = ex->type;
    snprintf(line, sizeof(line), "HTTP/1.1 %d %s\r\n", status,
             ex->reason ? ex->reason : reason_of(status));
    write_str(http, ex, line);
    if (type && *type) {
        snprintf(line, sizeof(line), "Content-Type: %s\r\n", type);
        write_str(http, ex, line);
    }
    if (ex->headers.len && ex->conn)
        conn_write(http, ex->conn, ex->headers.p, ex->headers.len);
}

/* Ends the response and takes the next request of the connection. */
static void
finish_response(struct http *http, struct exchange *ex)
{
    struct conn *conn = ex->conn;

    ex->state = BODY_DONE;
    if (!conn)
        return;
    ex->conn = NULL;
    conn->exchange = NULL;
    if (ex->length != -1)
        conn->close_after = true; /* the client cannot tell where the next
                                   * response starts */
    request_take(http, conn);
}

void
exchange_reply(struct http *http, struct exchange *ex, int status, const char *type,
               const char *body, size_t len)
{
    char line[64];

    if (ex->state != BODY_NONE)
        return;
    write_head(http, ex, status, type);
    if (ex->length != -2) {
        snprintf(line, sizeof(line), "Content-Length: %ld\r\n",
                 ex->length >= 0 ? ex->length : (long)len);
        write_str(http, ex, line);
    } else {
        write_str(http, ex, "Connection: close\r\n");
    }
    write_str(http, ex, "\r\n");
    if (ex->conn)
        conn_write(http, ex->conn, body, len);
    finish_response(http, ex);
}

/* ---- streams ----------------------------------------------------------------------- */

void
exchange_data(struct http *http, struct exchange *ex, const char *data, size_t len)
{
    char size[32];

    if (!ex->conn || !len)
        return;
    if (ex->chunked) {
        snprintf(size, sizeof(size), "%zx\r\n", len);
        write_str(http, ex, size);
    }
    conn_write(http, ex->conn, data, len);
    if (ex->chunked)
        write_str(http, ex, "\r\n");
}

/* Gives the event an id and keeps the event for a client that resumes the stream. */
static void
keep_event(struct exchange *ex, struct bytes *event, const char *text, size_t len)
{
    char id[64];

    snprintf(id, sizeof(id), "id: %d-%zu\n", ex->number, ex->n_events + 1);
    bytes_str(event, id);
    bytes_add(event, text, len);
    if (ex->n_events == ex->cap_events) {
        ex->cap_events = ex->cap_events ? ex->cap_events * 2 : 8;
        ex->events = fake_alloc(ex->events, ex->cap_events * sizeof(*ex->events));
    }
    ex->events[ex->n_events] = (struct bytes){0};
    bytes_add(&ex->events[ex->n_events++], event->p, event->len);
}

static void
emit(struct http *http, struct exchange *ex, const char *text, size_t len)
{
    struct bytes event = {0};

    if (http->resumable && !ex->modern)
        keep_event(ex, &event, text, len);
    else
        bytes_add(&event, text, len);
    exchange_data(http, ex, event.p, event.len);
    bytes_free(&event);
}

void
exchange_open(struct http *http, struct exchange *ex, bool sse)
{
    char retry[64];
    int n;

    if (ex->state != BODY_NONE)
        return;
    ex->state = BODY_OPEN;
    ex->sse = sse;
    write_head(http, ex, 200, sse ? "text/event-stream" : "application/json");
    ex->chunked = ex->length == -1 && !http->no_chunks;
    if (sse)
        write_str(http, ex, "Cache-Control: no-cache\r\n");
    if (ex->chunked) {
        write_str(http, ex, "Transfer-Encoding: chunked\r\n");
    } else if (ex->length >= 0) {
        snprintf(retry, sizeof(retry), "Content-Length: %ld\r\n", ex->length);
        write_str(http, ex, retry);
    } else {
        ex->length = -2;
        write_str(http, ex, "Connection: close\r\n");
    }
    write_str(http, ex, "\r\n");
    if (sse && http->resumable && !ex->modern) {
        n = http->retry >= 0
                ? snprintf(retry, sizeof(retry), "retry: %ld\ndata: \n\n", http->retry)
                : snprintf(retry, sizeof(retry), "data: \n\n");
        emit(http, ex, retry, (size_t)n);
    }
}

void
exchange_open_any(struct http *http, struct exchange *ex)
{
    exchange_open(http, ex, !ex->type || strstr(ex->type, "event-stream") != NULL);
}

void
exchange_event(struct http *http, struct exchange *ex, const char *text, size_t len)
{
    struct bytes event = {0};

    exchange_open(http, ex, true);
    if (ex->state != BODY_OPEN)
        return;
    bytes_str(&event, "event: message\ndata: ");
    bytes_add(&event, text, len);
    bytes_str(&event, "\n\n");
    emit(http, ex, event.p, event.len);
    bytes_free(&event);
}

void
exchange_end(struct http *http, struct exchange *ex)
{
    if (ex->state == BODY_NONE && ex->held.len)
        exchange_reply(http, ex, 200, "application/json", ex->held.p, ex->held.len);
    else if (ex->state == BODY_NONE)
        exchange_reply(http, ex, ex->is_request ? 200 : 202, NULL, "", 0);
    if (ex->state != BODY_OPEN)
        return;
    if (ex->chunked)
        write_str(http, ex, "0\r\n\r\n");
    finish_response(http, ex);
}

void
exchange_cut(struct http *http, struct exchange *ex, bool reset)
{
    struct conn *conn = ex->conn;

    if (!conn)
        return;
    ex->conn = NULL;
    conn->exchange = NULL;
    conn->close_after = !reset;
    if (conn->out.done == conn->out.len && !reset)
        conn_cut(http, conn, false);
    if (reset) {
        conn_flush(http, conn);
        conn_cut(http, conn, true);
    }
}

void
exchange_endless(struct http *http, struct exchange *ex, const char *text)
{
    exchange_open_any(http, ex);
    free(ex->endless);
    ex->endless = strdup(text);
    if (ex->conn)
        conn_write(http, ex->conn, "", 0);
}

/* Writes more of an endless body if the connection has no unsent bytes. */
void
exchange_pump(struct http *http, struct exchange *ex)
{
    struct bytes block = {0};

    if (!ex->conn || ex->conn->out.done < ex->conn->out.len)
        return;
    while (block.len < 65536)
        bytes_str(&block, ex->endless);
    exchange_data(http, ex, block.p, block.len);
    bytes_free(&block);
}

bool
exchange_resume(struct http *http, struct exchange *ex, const char *last)
{
    char *rest;
    long number = strtol(last, &rest, 10);
    size_t seen = *rest == '-' ? strtoul(rest + 1, NULL, 10) : 0;
    struct exchange *old = http->exchanges;

    while (old && (old->number != number || !old->n_events))
        old = old->next;
    if (!old)
        return false;
    if (old->conn)
        conn_cut(http, old->conn, false);
    exchange_open(http, ex, true); /* sends the head and the first event */
    for (size_t i = seen; i < old->n_events; i++)
        exchange_data(http, ex, old->events[i].p, old->events[i].len);
    if (old->state == BODY_DONE) {
        exchange_end(http, ex);
        return true;
    }
    /* Send later events to the client's new connection. */
    old->conn = ex->conn;
    old->chunked = ex->chunked;
    ex->conn->exchange = old;
    ex->conn = NULL;
    return true;
}

/* ---- sessions ---------------------------------------------------------------------- */

struct session *
session_find(struct http *http, const char *id)
{
    struct session *s = http->sessions;

    while (s && strcmp(s->id, id) != 0)
        s = s->next;
    return s;
}

struct session *
session_new_named(struct http *http, const char *id)
{
    struct session *s = fake_alloc(NULL, sizeof(*s));

    *s = (struct session){.next = http->sessions};
    snprintf(s->id, sizeof(s->id), "%s", id);
    http->sessions = s;
    return s;
}

struct session *
session_new(struct http *http)
{
    char id[64];

    snprintf(id, sizeof(id), "session-%d-secret", ++http->n_sessions);
    return session_new_named(http, id);
}

void
session_forget(struct http *http, const char *id)
{
    struct session **p = &http->sessions;

    while (*p) {
        struct session *s = *p;

        if (id && strcmp(s->id, id) != 0) {
            p = &s->next;
            continue;
        }
        *p = s->next;
        free(s);
    }
}
