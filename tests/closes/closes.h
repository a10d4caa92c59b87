/* SPDX-License-Identifier: MIT
 *
 * closes.h - declarations that the files of the program `closes` share.
 */
#ifndef TESTS_CLOSES_H
#define TESTS_CLOSES_H

#include <stdbool.h>
#include <stdint.h>

#include <mcphost/mcphost.h>

#define HOSTS_MAX 64

struct options {
    uint64_t seed;
    long closes, only; /* only: number of a close to run alone; -1 means all */
    int64_t deadline_ms;
    int hosts;
    bool verbose;
};

extern struct options opt;

/* Prints the reason and ends the program. */
void closes_fail(const char *what) __attribute__((noreturn));
int64_t closes_now(void);

/* ---- kinds.c ----------------------------------------------------------------------- */

struct closes_web {
    const char *script; /* one directive per line; NULL: no server listens at the URL */
    char url[64];
    int pid, hold; /* `hold`: the writing end of the server's stdin */
};

/* A kind of server: a command, or a server over HTTP that all hosts use. */
struct closes_kind {
    const char *name;
    const char *command, *args; /* args: elements of a YAML list */
    struct closes_web *web;
};

extern const struct closes_kind closes_kinds[];
extern const unsigned closes_n_kinds;

void webs_up(void);
void webs_down(void);

int closes_descriptors(void);
/* Fails the program if a child process does not end by the deadline. */
void closes_check_children(void);

/* ---- other objects of a host, besides the servers of its file (more.c) ------------- */

/* A second source, a layered view that shows it, a dialog of that view, and turns. */
struct closes_more {
    mcphost_source *source;
    mcphost_view *view;
    mcphost_dialog *dialog;
    mcphost_turn *turns[4];
};

/* Adds a built-in tool "never" that gives no answer.  For some values of `chance`, also
 * sets a before-call function.  The before-call function refuses some calls and leaves
 * other calls waiting.  Call this function before the host loads.  Returns false on
 * failure. */
bool closes_more_open(mcphost *host, unsigned chance);
/* Carries out an action that `chance` selects.  The host may be closing already. */
void closes_more_act(struct closes_more *more, mcphost *host, const char *dir,
                     mcphost_dialog *dialog, unsigned chance);
void closes_more_done(struct closes_more *more);

#endif
