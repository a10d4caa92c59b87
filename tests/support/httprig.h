/* SPDX-License-Identifier: MIT
 *
 * httprig.h - fake HTTP servers for a test, alone or as servers of a host under test.
 *
 *     struct httprig web;
 *
 *     hr_up(&hr);
 *     hr_http(&hr, &web, "a", NULL, "reply sse");
 *     hr_load(&hr);
 *     ...
 *     hr_down(&hr);
 *
 * hr_down() ends the host before the servers, so that the servers see the end of their
 * sessions.  The servers are processes of the program fakehttp (fakehttp.c).
 */
#ifndef TESTS_SUPPORT_HTTPRIG_H
#define TESTS_SUPPORT_HTTPRIG_H

#include <sys/types.h>

#include "support/hostrig.h"

#define HTTP_ISSUERS 4

struct httprig {
    struct httprig *next; /* the next server of the same host */
    pid_t pid;            /* 0 means that the server is not running */
    int hold;             /* the server's stdin; closing it ends the server */
    int port;
    char script[128];
    char issuers[HTTP_ISSUERS][128]; /* URLs of the authorization servers */
    char url[128];
};

const char *rig_fakehttp(void);

/* Starts a server with the lines of `script`.  `script` may be NULL.  The workspace keeps
 * the script as `name`.script and the trace as `name`.trace. */
void http_up(struct httprig *web, struct rig_workspace *ws, const char *name,
             const char *script);
void http_down(struct httprig *web);
/* Ends the server and starts a new process with the same script at the same ports.  The
 * new process knows no session that a client of the old process has begun. */
void http_again(struct httprig *web);

/* Starts a server that outlives the host.  The census expects the server's process and
 * pipe.  hr_down() ends the server. */
void hr_web(struct hostrig *hr, struct httprig *web, const char *id, const char *script);
/* Starts a server with hr_web() and adds an entry for the server to the host's
 * configuration.  The comment of hr_server() describes `keys`. */
void hr_http(struct hostrig *hr, struct httprig *web, const char *id, const char *keys,
             const char *script);
/* Adds an entry for a server at `url`.  Starts no server. */
void hr_url(struct hostrig *hr, const char *id, const char *url, const char *keys);
/* Counts how often the trace of server `id` contains `what`. */
int hr_traced(struct hostrig *hr, const char *id, const char *what);

#endif
