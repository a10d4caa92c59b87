/* SPDX-License-Identifier: MIT
 *
 * ask.h - what servers ask, and who answers: the person at the terminal, a command, the
 * reader of batch's events, or an option.
 *
 * ctl_turn() polls what both of these wait for beside the host.
 */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include "ctl.h"

/* ---- ask.c: forms and pages -------------------------------------------------------- */

enum { ASK_FDS = 1 };

/* Finds out who answers.  Returns 0 or, told, a status; *ret_kinds gets the bits of
 * MCPHOST_OPT_REQUESTS that can be answered. */
int ask_open(struct ctl *ctl, int64_t *ret_kinds);
/* Cancels what waits, and what still comes; frees it all, when the host is gone. */
void ask_end(struct ctl *ctl);
void ask_free(struct ctl *ctl);
void ask_event(struct ctl *ctl, const mcphost_event *event);
/* Shows the question whose turn it is, and gives what to poll: how many of `fds`. */
nfds_t ask_poll(struct ctl *ctl, struct pollfd *fds);
/* Reads what was typed. */
void ask_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n);
/* Whether SIGINT was about the questions, which it cancels. */
int ask_interrupt(struct ctl *ctl);
/* Something else is about to be written to the terminal. */
void ask_aside(struct ctl *ctl);
/* Whether the terminal shows a question. */
int ask_is_shown(const struct ctl *ctl);

/* ---- sample.c: requests to the application's model --------------------------------- */

/* At once; more requests wait for their turn. */
enum { SAMPLES_MAX = 8, SAMPLE_FDS = 3 * SAMPLES_MAX };

/* Likewise.  sample_free() leaves no process. */
int sample_open(struct ctl *ctl, int64_t *ret_kinds);
void sample_free(struct ctl *ctl);
void sample_event(struct ctl *ctl, const mcphost_event *event);
/* *timeout_ms becomes shorter where a command has to end by then. */
nfds_t sample_poll(struct ctl *ctl, struct pollfd *fds, int64_t *timeout_ms);
void sample_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n);

/* ---- worker.c: one process and its pipes ------------------------------------------- */

struct worker {
    int in, out, line; /* ours: its stdin, its stdout, the supervisor's socket; or -1 */
    int pid;           /* of the supervisor */
};

/* Runs it without a shell.  0, or -1 with errno. */
int worker_start(struct worker *w, char *const *argv);
/* Whether it has ended: 1, and *ret_status is what waitpid() says of it; 0 not yet;
 * -1 nothing is known of its end. */
int worker_has_ended(struct worker *w, int *ret_status);
/* Kills it with its process group, and closes what is ours. */
void worker_stop(struct worker *w);

#endif
