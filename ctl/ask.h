/* SPDX-License-Identifier: MIT
 *
 * ask.h - answers to requests of servers: from the person at the terminal, from a
 * command, from the program that reads the events of `batch`, or by an option.
 *
 * ctl_turn() polls the descriptors of ask.c and sample.c together with the host's
 * descriptor.
 */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include "ctl.h"

/* ---- ask.c: forms, pages and logins ------------------------------------------------ */

enum { ASK_FDS = 1 };

/* Chooses how forms, pages and logins are answered.  Opens the terminal if a person
 * answers them.  Adds to *ret_kinds the kinds of requests that can be answered, as bits
 * of MCPHOST_OPT_REQUESTS.  Returns 0, or a STATUS_* after printing the reason. */
int ask_open(struct ctl *ctl, int64_t *ret_kinds);
/* ask_end() cancels all questions and closes the terminal.  Later questions are cancelled
 * at once.  ask_free() frees the state.  Call ask_free() after the host is freed. */
void ask_end(struct ctl *ctl);
void ask_free(struct ctl *ctl);
void ask_event(struct ctl *ctl, const mcphost_event *event);
/* Shows the next question if none is shown.  Fills `fds` with the descriptors to poll,
 * and returns their number. */
nfds_t ask_poll(struct ctl *ctl, struct pollfd *fds);
/* Reads and handles the user's input after poll(). */
void ask_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n);
/* Handles a SIGINT: cancels the questions if a question is shown, no SIGINT has
 * cancelled questions before, and the command is not `login`.  Returns 1 if it
 * cancelled them, else 0. */
int ask_interrupt(struct ctl *ctl);
/* Ends the line of the prompt.  Call this function before other output goes to the
 * terminal. */
void ask_aside(struct ctl *ctl);
/* Returns true if the terminal shows a question. */
int ask_is_shown(const struct ctl *ctl);

/* ---- sample.c: requests to the application's model --------------------------------- */

/* The greatest number of requests whose commands run at once.  Further requests wait in a
 * queue. */
enum { SAMPLES_MAX = 8, SAMPLE_FDS = 3 * SAMPLES_MAX };

/* sample_open() prepares --sampling-command, and returns as ask_open() does.
 * sample_free() also ends the processes of commands that still run. */
int sample_open(struct ctl *ctl, int64_t *ret_kinds);
void sample_free(struct ctl *ctl);
void sample_event(struct ctl *ctl, const mcphost_event *event);
/* Starts the commands of queued requests, and fills `fds` as ask_poll() does.  Reduces
 * *timeout_ms to the time that is left until the earliest deadline of a running
 * command. */
nfds_t sample_poll(struct ctl *ctl, struct pollfd *fds, int64_t *timeout_ms);
void sample_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n);

/* ---- worker.c: one process and its pipes ------------------------------------------- */

/* A command, and the supervisor: the process that runs the command and kills its process
 * group. */
struct worker {
    int in, out, line; /* descriptors: the command's stdin and stdout, and the
                        * supervisor's socket; -1 if closed */
    int pid;           /* the supervisor's process id */
};

/* Runs `argv` without a shell.  Returns 0, or -1 with errno. */
int worker_start(struct worker *w, char *const *argv);
/* Returns 1 if the command has ended, and sets *ret_status to its waitpid() status.
 * Returns 0 if the command has not ended yet, and -1 if its status cannot be read. */
int worker_has_ended(struct worker *w, int *ret_status);
/* Kills the command with its process group, and closes the descriptors of `w`. */
void worker_stop(struct worker *w);

#endif
