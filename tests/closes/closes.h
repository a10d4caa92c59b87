/* SPDX-License-Identifier: MIT
 *
 * closes.h - what the parts of the program `closes` share.
 */
#ifndef TESTS_CLOSES_H
#define TESTS_CLOSES_H

#include <stdbool.h>
#include <stdint.h>

#include <mcphost/mcphost.h>

#define HOSTS_MAX 64

struct options {
    uint64_t seed;
    long closes, only; /* only: this close alone; -1: all */
    int64_t deadline_ms;
    int hosts;
    bool verbose;
};

extern struct options opt;

/* Says why, ends the program. */
void closes_fail(const char *what) __attribute__((noreturn));
int64_t closes_now(void);

/* ---- kinds.c ----------------------------------------------------------------------- */

struct closes_web {
    const char *script; /* of fakehttp, one directive a line; NULL: nobody listens */
    char url[64];
    int pid, hold; /* hold: its stdin */
};

/* A kind of server: a command, or a server over HTTP that all hosts use. */
struct closes_kind {
    const char *name;
    const char *command, *args; /* args: the elements of a YAML list */
    struct closes_web *web;
};

extern const struct closes_kind closes_kinds[];
extern const unsigned closes_n_kinds;

void webs_up(void);
void webs_down(void);

int closes_descriptors(void);
/* Fails the program if a child process does not end soon. */
void closes_check_children(void);

/* ---- what a host may have besides the servers of its file (more.c) ----------------- */

/* A second source, a view of layers that shows it, a dialog there, and turns. */
struct closes_more {
    mcphost_source *source;
    mcphost_view *view;
    mcphost_dialog *dialog;
    mcphost_turn *turns[4];
};

/* Before the host loads: a built-in tool "never" that gives no answer and, as `chance`
 * has it, a function that is asked before calls and leaves some of them waiting. */
bool closes_more_open(mcphost *host, unsigned chance);
/* Does something that is drawn by `chance`; the host may be closing. */
void closes_more_act(struct closes_more *more, mcphost *host, const char *dir,
                     mcphost_dialog *dialog, unsigned chance);
void closes_more_done(struct closes_more *more);

#endif
