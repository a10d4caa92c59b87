/* SPDX-License-Identifier: MIT
 *
 * httprig.h - fake HTTP servers (fakehttp.c) of a test, alone or as servers of a host
 * under test.
 *
 *     struct httprig web;
 *
 *     hr_up(&hr);
 *     hr_http(&hr, &web, "a", NULL, "reply sse");
 *     hr_load(&hr);
 *     ...
 *     hr_down(&hr); // first the host: the server has seen the end of its sessions
 */
#ifndef TESTS_SUPPORT_HTTPRIG_H
#define TESTS_SUPPORT_HTTPRIG_H

#include <sys/types.h>

#include "support/hostrig.h"

struct httprig {
    struct httprig *next; /* of those that the same host has */
    pid_t pid;            /* 0: it does not run */
    int hold;             /* its stdin: it lives as long as this is open */
    int port;
    char script[128];
    char url[128];
};

const char *rig_fakehttp(void);

/* Starts one on this script (lines; NULL: none), which is kept as `name`.script in the
 * workspace; it traces to `name`.trace. */
void http_up(struct httprig *web, struct rig_workspace *ws, const char *name,
             const char *script);
void http_down(struct httprig *web);
/* The same script at the same port: a new process that knows nothing. */
void http_again(struct httprig *web);

/* One that outlives the host: the census knows of it.  It goes with hr_down(). */
void hr_web(struct hostrig *hr, struct httprig *web, const char *id, const char *script);
/* The same as a server of the host, as hr_server() has it. */
void hr_http(struct hostrig *hr, struct httprig *web, const char *id, const char *keys,
             const char *script);
/* An entry alone for what listens at `url`. */
void hr_url(struct hostrig *hr, const char *id, const char *url, const char *keys);
/* How often its trace contains this. */
int hr_traced(struct hostrig *hr, const char *id, const char *what);

#endif
