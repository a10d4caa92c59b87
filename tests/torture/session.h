/* SPDX-License-Identifier: MIT
 *
 * session.h - a whole host with real servers, from the first call of the interface to
 * the last, for programs that let something fail in it.
 *
 * Whatever fails, a session ends within its deadlines, each call ends once, each
 * free function runs once, and no process, descriptor or thread is left: what is not
 * so is told to torture_must().
 */
#ifndef TESTS_TORTURE_SESSION_H
#define TESTS_TORTURE_SESSION_H

#include <mcphost/mcphost.h>

/* Checked fixtures: the configuration, and the census before. */
void session_up(void);
void session_down(void);

/* Each gives 0, or the first code that said that something failed. */
int session_closed(void);   /* ended by mcphost_close() */
int session_dropped(void);  /* ended by the last mcphost_unref(), calls in flight */
int session_troubled(void); /* with a server that dies and lists that change */
int session_polled(void);   /* driven by poll() and mcphost_dispatch() alone */
int session_threaded(void); /* driven by a thread of the library, if there is one */

/* Closes a host, which ends within its deadlines. */
void session_close(mcphost *host);

/* Fails the test when something is left. */
void session_check(void);

/* What the servers' failures may look like from outside. */
extern const int session_codes[];

#endif
