/* SPDX-License-Identifier: MIT
 *
 * canned.h - answers from a can: a thread that listens on 127.0.0.1, reads requests one
 * after the other and writes the bytes it was given, whatever they were.
 *
 * For tests of what reads answers; what behaves like a server is the fake server.
 */
#ifndef TESTS_SUPPORT_CANNED_H
#define TESTS_SUPPORT_CANNED_H

#include <stddef.h>

enum {
    CANNED_KEEP,  /* the connection waits for the next request */
    CANNED_CLOSE, /* an orderly end */
    CANNED_RESET, /* a reset */
    CANNED_HANG   /* silence until canned_down() */
};

struct canned_answer {
    const char *bytes; /* NUL-terminated unless `len` is given; NULL: none */
    size_t len;
    int after;
    int slowly; /* one byte at a time */
};

struct canned;

/* The answers in the order of the requests; what comes after the last is closed.
 * The bytes of `answers` are borrowed. */
struct canned *canned_up(const struct canned_answer *answers, size_t n);
void canned_down(struct canned *canned); /* NULL is fine */
int canned_port(const struct canned *canned);
const char *canned_url(struct canned *canned, const char *path); /* until the next call */
/* The request line, headers and body of the `i`th request as a string, until down; ""
 * when it has not come. */
const char *canned_request(struct canned *canned, size_t i);
size_t canned_count(struct canned *canned);       /* requests so far */
size_t canned_connections(struct canned *canned); /* accepted so far */

#endif
