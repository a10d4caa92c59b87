/* SPDX-License-Identifier: MIT
 *
 * isolation.h - the rig that measures what one hostile server costs the others.
 *
 * A row is one hostile server.  The driver runs each row in a process of its own: a
 * host with a healthy server and the hostile one, calls to the healthy server without a
 * pause, and meters on what each turn of the loop costs.  To add a row, add an entry to
 * a table in tests/isolation/rows_*.c, or a file with a table of its own: tables
 * register themselves.
 *
 * A row's functions run in the hostile server, which is this program again
 * (`isolation --serve ROW`).
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
    int where;      /* STDIO and WEB or'ed: the row runs over each */
    unsigned calls; /* of the hostile server's tool in flight; 0: it is not called */
    bool keeps;     /* the application keeps the results, the latest KEPT_MAX */
    bool asks;      /* the application offers elicitation, sampling and roots */
    bool checks;    /* arguments are checked against schemas (MCPHOST_ARGUMENTS_FULL) */
    bool items;     /* the application makes items of each result */
    bool deaf;      /* stdio: nothing is read once the session has begun */
    int64_t max_bytes; /* per turn, where a row is allowed another number; 0: the limit */
    int64_t max_steps; /* likewise */
    size_t arguments;  /* bytes of the calls' arguments */
    const char *version; /* of the protocol; NULL: 2025-06-18 */
    /* The session has begun: on stdio a thread of its own, over HTTP a GET stream. */
    void (*hello)(struct out *out);
    /* Answers a call; `token` is the progress token, or "".  NULL: an empty result. */
    void (*call)(struct out *out, const char *id, const char *token);
    /* Answers tools/list.  NULL: one tool named "bait". */
    void (*list)(struct out *out, const char *id, const char *request);
    /* stdio: before the first byte is read. */
    void (*start)(void);
    /* HTTP: sees each request first; true: it has answered. */
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

/* ---- what a hostile server writes with (serve.c) ----------------------------------- */

/* Each returns false when nobody reads any more. */
bool out_raw(struct out *out, const void *data, size_t len); /* bytes as they are */
bool out_text(struct out *out, const char *text);
bool out_fill(struct out *out, char c, size_t n);
/* One message: a line on stdio, an event over HTTP. */
bool out_begin(struct out *out);
bool out_end(struct out *out);
bool out_message(struct out *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool out_flush(struct out *out);
bool out_result(struct out *out, const char *id, const char *result);
bool out_is_web(const struct out *out);
void out_own(struct out *out); /* what follows is flushed at once */
void pause_ms(unsigned ms);
void serve(const struct row *row, bool web) __attribute__((noreturn));
/* The value of a member of a message of the library's, as it stands there. */
void member(const char *message, const char *name, char *ret, size_t size);

/* ---- HTTP (web.c) ------------------------------------------------------------------ */

struct web_request {
    char method[16];
    const char *head, *body, *rpc; /* rpc: the method of the message, or "" */
    char id[64];
};
void web_serve(const struct row *row) __attribute__((noreturn));
/* The head of an answer, with `more` header lines ("Name: value\r\n"). */
void web_head(struct out *out, int status, const char *type, const char *more,
              long length);
/* How a session's messages are answered, for a row that changes the bytes. */
char *web_answer(const struct row *row, const struct web_request *req);

/* ---- meters (meter.c) -------------------------------------------------------------- */

/* Of one turn of the loop. */
struct turn {
    int64_t bytes_in, bytes_out; /* read and written by the thread that dispatches */
    int64_t steps;               /* allocations: 0 where a sanitizer has its own */
    int64_t cpu_ns;
};
void meter_begin(void);
void meter_end(struct turn *ret);
extern const bool meter_has_steps;

#endif
