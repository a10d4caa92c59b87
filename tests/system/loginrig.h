/* SPDX-License-Identifier: MIT
 *
 * loginrig.h - a host whose server wants a login, and the user of this host.
 *
 *     struct loginrig lr;
 *
 *     lr_up(&lr, BROWSER_LOGIN);
 *     ar_http(&lr.hr, &lr.ar, "web", NULL, "account alice");
 *     hr_load(&lr.hr);
 *     ck_assert_str_eq(lr_whoami(&lr), "alice tools");
 *     lr_down(&lr);
 *
 * The rig keeps every text that the library shows: all lines of the log, texts of events,
 * messages and params of requests, errors, problems and the status.  lr_down() fails the
 * test if one of these texts contains a marked secret (secretrig.h), or a secret that a
 * server got: a code, a token, a state, a verifier, or the secret or an assertion of a
 * client.
 */
#ifndef TESTS_SYSTEM_LOGINRIG_H
#define TESTS_SYSTEM_LOGINRIG_H

#include <stdio.h>

#include "support/authrig.h"
#include "support/secretrig.h"

#define LR_MAX  32
#define LR_WAIT (-1) /* the user does nothing; the test answers the request */

struct loginrig {
    struct hostrig hr;
    struct authrig ar; /* the server "web" */
    int how;           /* what the user does with each request: BROWSER_* or LR_WAIT */
    /* The answer to requests for credentials.  If `headers` is NULL, a request for
     * credentials fails the test. */
    const char *headers;
    int n_headers; /* number of requests that `headers` has answered */
    /* The URL and the params of the last request for credentials. */
    char header_url[256], header_params[1024];
    mcphost_request *asked[LR_MAX];
    char *urls[LR_MAX]; /* the URLs that the requests `asked` contain */
    struct browser *browsers[LR_MAX];
    int n_asked, n_over;
    char over[1024];          /* why the request that ended last has ended */
    struct secretrig secrets; /* all texts that the library has shown */
};

/* Makes a host that reports requests of the kind AUTHORIZE to the rig, and does not retry
 * the start of a server by itself.  `how` becomes lr->how. */
void lr_up(struct loginrig *lr, int how);
/* Works like lr_up(), but the host reports requests of the kinds in `kinds`
 * (MCPHOST_REQUEST_*). */
void lr_up_kinds(struct loginrig *lr, int how, int64_t kinds);
/* Closes the host, checks that no secret was shown, and ends the servers. */
void lr_down(struct loginrig *lr);
/* Does the work of lr_down(), but does not close the host, because the test has already
 * closed the host. */
void lr_down_ended(struct loginrig *lr);

/* Adds the present status and problems to the texts that were shown. */
void lr_tell_state(struct loginrig *lr);

/* Calls the tool `whoami` of the server "web" in a new dialog.  Returns the text of the
 * result. */
const char *lr_whoami(struct loginrig *lr);
/* Works like lr_whoami(), but calls the tool `whoami` of the server `server`. */
const char *lr_whoami_of(struct loginrig *lr, const char *server);
/* Starts a call of `whoami` of the server "web" in a new dialog, and returns the call. */
mcphost_call *lr_start(struct loginrig *lr);
/* Starts a call with lr_start().  The call must fail within 20 s.  Returns the error's
 * code, and copies the error's message to `why`. */
int lr_fail(struct loginrig *lr, char *why, size_t size);
/* Returns the message of the error of the server "web" in the host's status, or "" if
 * there is no error.  *ret_code becomes the error's code or 0, unless `ret_code` is
 * NULL. */
const char *lr_why(struct loginrig *lr, int *ret_code);
/* Restarts the server "web", and calls lr_settle(). */
void lr_restart(struct loginrig *lr);
/* Waits until the server "web" is loaded or has failed.  The test fails after 20 s. */
void lr_settle(struct loginrig *lr);
/* Starts the fake server `server`, and adds an entry for the server to the configuration.
 * The client `robot` of the entry proves its identity with a key of keys.h. */
void lr_keyed(struct loginrig *lr, struct authrig *ar, const char *server,
              const char *key);
/* Loads the configuration, and waits until the host has asked the user to log in. */
void lr_load_asked(struct loginrig *lr);

/* Returns the text of a member of the params of a request, or "" if the member is
 * absent.  The text is valid until the next call. */
const char *lr_param(const mcphost_request *request, const char *name);
/* Answers with {"redirect": text}.  Returns the code of mcphost_request_respond(). */
int lr_paste(mcphost_request *request, const char *text);
/* Returns the number of requests that are open. */
int lr_open(struct loginrig *lr);
/* Counts how often the trace of the server "web" contains `what`. */
int lr_traced(struct loginrig *lr, const char *what);

#endif
