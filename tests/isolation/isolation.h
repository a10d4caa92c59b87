/* SPDX-License-Identifier: MIT
 *
 * isolation.h - measures how much one hostile server costs the other servers of a host.
 *
 * A row is one hostile server.  The driver runs each row in a separate process.  The
 * process has a host with a healthy server and the hostile server.  The process calls the
 * healthy server without a pause and measures each turn of the loop.  To add a row, add
 * an entry to a table in tests/isolation/rows_*.c, or a file with a table of its own.
 * Tables register themselves.
 *
 * A row's functions run in the hostile server.  The hostile server is another process of
 * this program (`isolation --serve ROW`).
 */
#ifndef ISOLATION_H
#define ISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- rows -------------------------------------------------------------------------- */

struct out;
struct web_request;

enum { STDIO = 1, WEB = 2 };

struct row {
    const char *name, *what;
    int where;      /* the transports of the row: STDIO, WEB or STDIO | WEB */
    unsigned calls; /* calls in flight to the hostile server; may be 0 */
    bool keeps;     /* the application keeps the latest KEPT_MAX results */
    bool asks;      /* the application offers elicitation, sampling and roots */
    bool checks;    /* the host checks arguments with schemas (MCPHOST_ARGUMENTS_FULL) */
    bool items;     /* the application makes items of each result */
    bool deaf;      /* on stdio, the server reads nothing after the session begins */
    int64_t max_bytes;   /* the limit of bytes per turn; 0 means the default */
    int64_t max_steps;   /* the limit of steps per turn; 0 means the default */
    size_t arguments;    /* bytes in the arguments of each call */
    const char *version; /* the protocol version; NULL means 2025-06-18 */
    /* Runs after the session has begun: on stdio in a thread of its own unless `deaf` is
     * set, over HTTP on a GET stream. */
    void (*hello)(struct out *out);
    /* Answers a call.  `token` is the progress token, or "".  If this member is NULL, a
     * call gets an empty result. */
    void (*call)(struct out *out, const char *id, const char *token);
    /* Answers tools/list.  If this member is NULL, the list has one tool named "bait". */
    void (*list)(struct out *out, const char *id, const char *request);
    /* Runs on stdio before the server reads the first byte. */
    void (*start)(void);
    /* Handles a request over HTTP before the session does.  Returns false to leave the
     * request to the session. */
    bool (*web)(struct out *out, const struct web_request *req);
};

#define KEPT_MAX 64

struct row_table {
    const struct row *rows;
    size_t n;
    struct row_table *next;
};
void rows_register(struct row_table *table);
const struct row *row_find(const char *name);
extern struct row_table *row_tables;

#define ROWS(table)                                                                      \
    static __attribute__((constructor)) void register_rows(void)                         \
    {                                                                                    \
        static struct row_table entry = {table, sizeof(table) / sizeof(table[0]), NULL}; \
                                                                                         \
        rows_register(&entry);                                                           \
    }

/* ---- output of a hostile server (serve.c) ------------------------------------------ */

/* These functions append bytes to the output.  Each function returns false once the
 * client has closed the connection. */
bool out_raw(struct out *out, const void *data, size_t len);
bool out_text(struct out *out, const char *text);
bool out_fill(struct out *out, char c, size_t n);
/* These functions begin a message, end a message, or write a whole message.  A message is
 * a line on stdio and an event over HTTP. */
bool out_begin(struct out *out);
bool out_end(struct out *out);
bool out_message(struct out *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool out_flush(struct out *out);
bool out_result(struct out *out, const char *id, const char *result);
bool out_is_web(const struct out *out);
void pause_ms(unsigned ms);
void serve(const struct row *row, bool web) __attribute__((noreturn));
/* Copies the JSON value of a member from a message that the library sent.  The copy ends
 * before the first comma, closing bracket or newline, so that only numbers and simple
 * strings are complete.  The copy also ends when `ret` is full.  Makes `ret` empty if the
 * member is absent. */
void member(const char *message, const char *name, char *ret, size_t size);

/* ---- HTTP (web.c) ------------------------------------------------------------------ */

struct web_request {
    char method[16];
    const char *head, *body, *rpc; /* `rpc`: the message's JSON-RPC method, or "" */
    char id[64];
};
void web_serve(const struct row *row) __attribute__((noreturn));
/* Writes the head of a response, with the header lines `more` ("Name: value\r\n").  If
 * `length` is below 0, a chunked body follows. */
void web_head(struct out *out, int status, const char *type, const char *more,
              long length);

/* ---- meters (meter.c) -------------------------------------------------------------- */

/* The cost of one turn of the loop. */
struct turn {
    int64_t bytes_in, bytes_out; /* bytes that the dispatching thread has read, and bytes
                                  * that it has written */
    int64_t steps;               /* allocations; 0 if meter_has_steps is false */
    int64_t cpu_ns;
};
void meter_begin(void);
void meter_end(struct turn *ret);
extern const bool meter_has_steps;

#endif
