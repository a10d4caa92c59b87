/* SPDX-License-Identifier: MIT
 *
 * session.h - whole sessions of a host with real servers, for programs that make system
 * calls or allocations fail.
 *
 * A session uses the interface from mcphost_new() to the last mcphost_unref().  Whatever
 * fails, the session ends within its deadlines.  Each call ends once.  Each free function
 * runs once.  The session checks these rules with torture_must().
 */
#ifndef TESTS_TORTURE_SESSION_H
#define TESTS_TORTURE_SESSION_H

#include <mcphost/mcphost.h>

/* The checked fixtures of the tests.  session_up() makes the configuration and counts the
 * processes, descriptors and threads that exist before the test. */
void session_up(void);
void session_down(void);

/* Each of these functions runs a session and returns 0 or the first error code. */
int session_closed(void);   /* ended by mcphost_close() */
int session_dropped(void);  /* ended by the last mcphost_unref() during calls */
int session_troubled(void); /* with lists that change, and a server that dies */
int session_polled(void);   /* driven by poll() and mcphost_dispatch() alone */
int session_threaded(void); /* driven by the library's thread, if the thread can start */

/* Closes a host and checks that the host ends within its deadlines. */
void session_close(mcphost *host);

/* Fails the test if a process, descriptor or thread is left. */
void session_check(void);

/* The errors that a session may return if a system call or an allocation fails.  The list
 * ends with 0. */
extern const int session_codes[];

#endif
