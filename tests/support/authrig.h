/* SPDX-License-Identifier: MIT
 *
 * authrig.h - starts a fake MCP server that requires access tokens, with its
 * authorization servers.  A test uses the server with or without a host.
 *
 *     struct authrig ar;
 *
 *     hr_up(&hr);
 *     ar_http(&hr, &ar, "a", NULL, "rotate grace\naccount alice");
 *     hr_load(&hr);
 *     ...
 *     ck_assert_int_eq(ar_traced(&ar, "login alice"), 1);
 *     hr_down(&hr);
 *
 * fakeauth/directive.c describes the directives of the script.  The functions below put
 * `auth on` before the script.  The functions of browser.h act as the user's browser.
 */
#ifndef TESTS_SUPPORT_AUTHRIG_H
#define TESTS_SUPPORT_AUTHRIG_H

#include "support/browser.h"
#include "support/httprig.h"

struct authrig {
    struct httprig web; /* web.url is the MCP endpoint; web.issuers are the issuers */
    struct rig_workspace *ws;
    char name[64];
};

/* Starts the server as http_up() does. */
void ar_up(struct authrig *ar, struct rig_workspace *ws, const char *name,
           const char *script);
void ar_down(struct authrig *ar);
/* Ends the server and starts a new process at the same ports.  The new process does not
 * know the clients, logins and tokens that the old process has registered or issued. */
void ar_again(struct authrig *ar);
/* These functions start the server for the host `hr`, as hr_web() and hr_http() do. */
void ar_web(struct hostrig *hr, struct authrig *ar, const char *id, const char *script);
void ar_http(struct hostrig *hr, struct authrig *ar, const char *id, const char *keys,
             const char *script);

/* Returns the path of browser_main, the program that a client under test starts as the
 * user's browser. */
const char *ar_browser(void);
/* Returns the URL of an issuer; the numbers begin with 1. */
const char *ar_issuer(const struct authrig *ar, int number);
/* Sends more lines of the script to the running server.  The server must not use TLS. */
void ar_say(struct authrig *ar, const char *lines, ...) RIG_PRINTF(2, 3);
/* Counts how often the trace contains `what`, for example "login alice". */
int ar_traced(const struct authrig *ar, const char *what);
/* Lets the user of a device approve or deny the code at the first issuer. */
void ar_approve(struct authrig *ar, const char *user_code, bool denies);

#endif
