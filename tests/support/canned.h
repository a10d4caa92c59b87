/* SPDX-License-Identifier: MIT
 *
 * canned.h - a server that answers requests on 127.0.0.1 with prepared bytes.  The server
 * runs in threads of the test.
 *
 * The bytes may be an invalid response.  The server is for tests of the code that parses
 * responses.  Use the fake server where the test needs a peer that behaves like an MCP
 * server.
 */
#ifndef TESTS_SUPPORT_CANNED_H
#define TESTS_SUPPORT_CANNED_H

#include <stddef.h>

enum {
    CANNED_KEEP,  /* keep the connection for the next request */
    CANNED_CLOSE, /* close the connection in the usual way */
    CANNED_RESET, /* reset the connection */
    /* Send nothing more until the client closes the connection or canned_down() is
     * called. */
    CANNED_HANG
};

struct canned_answer {
    const char *bytes; /* NUL-terminated if `len` is 0; NULL means no bytes */
    size_t len;
    int after;
    int slowly; /* send one byte at a time */
};

struct canned;

/* Starts a server that answers the i-th request with answers[i].  After the last answer,
 * the server closes the connection of each further request and sends no answer.  Copies
 * `answers`, but borrows the bytes of the answers. */
struct canned *canned_up(const struct canned_answer *answers, size_t n);
void canned_down(struct canned *canned); /* `canned` may be NULL */
int canned_port(const struct canned *canned);
/* Returns the URL of a path on the server.  The text is valid until the next call. */
const char *canned_url(struct canned *canned, const char *path);
/* Returns the request line, headers and body of the `i`th request as a string, valid
 * until canned_down().  Returns "" if the server has not received that request yet. */
const char *canned_request(struct canned *canned, size_t i);
size_t canned_count(struct canned *canned);       /* number of received requests */
size_t canned_connections(struct canned *canned); /* number of connections */

#endif
