/* SPDX-License-Identifier: MIT
 *
 * browser.h - the browser of a user who logs in at a fake authorization server.
 *
 * The functions do not use the test framework Check, so that threads and other programs
 * may call the functions, too.
 */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#include <stdbool.h>

/* The actions of a user (LOGIN, DENY), and attacks on the login (STATE, TWICE). */
enum {
    BROWSER_LOGIN, /* follow the redirect to the client */
    BROWSER_DENY,  /* deny the login, so that the redirect has error=access_denied */
    BROWSER_STATE, /* change the state in the redirect, then follow the redirect */
    BROWSER_TWICE  /* follow the redirect twice */
};

/* Opens the URL of an authorization request.  Returns the URL of the redirect, which the
 * user could paste, or NULL if the server does not redirect.  The caller frees the
 * text. */
char *browser_redirect(const char *url, int how);
/* Opens the URL and follows the redirect.  Returns the last status, or 0 if the last
 * connection ended without a response. */
int browser_open(const char *url, int how);

/* A browser in a thread, for a test whose own loop serves the redirect. */
struct browser;

struct browser *browser_start(const char *url, int how);
bool browser_is_done(struct browser *browser);
int browser_end(struct browser *browser); /* waits, and returns the last status */

#endif
