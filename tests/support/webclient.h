/* SPDX-License-Identifier: MIT
 *
 * webclient.h - one HTTP request over a plain socket, for tests of HTTP servers.
 *
 * The client shares no code with the library, and works in threads and in children of a
 * test.
 */
#ifndef TESTS_SUPPORT_WEBCLIENT_H
#define TESTS_SUPPORT_WEBCLIENT_H

#include <stddef.h>

#define WEB_MAX ((size_t)16 * 1024 * 1024) /* web_ask() stops reading at this size */

struct web_answer {
    int status; /* 0 if no whole response came */
    char *head; /* the header lines */
    char *body; /* NUL-terminated */
    size_t len;
};

/* Sends a request to an http URL of 127.0.0.1, localhost or [::1] with a port, and waits
 * at most 20 s for each part of the response.  `headers` has whole lines that end in
 * "\r\n".  `headers` and `body` may be NULL.  Returns the status.  Call web_done() in any
 * case. */
int web_ask(const char *method, const char *url, const char *headers, const char *body,
            struct web_answer *ret);
void web_done(struct web_answer *answer);
/* Returns the value of a response header, or NULL.  The caller frees the text. */
char *web_header(const struct web_answer *answer, const char *name);

#endif
