/* SPDX-License-Identifier: MIT
 *
 * churn.h - declarations that the files of the program `churn` share.
 */
#ifndef TESTS_CHURN_H
#define TESTS_CHURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mcphost/mcphost.h>

/* Prints the reason and ends the program. */
void churn_fail(const char *what) __attribute__((noreturn));

/* ---- a round (churn.c) ------------------------------------------------------------- */

struct churn {
    mcphost *host;
    unsigned number; /* the round's number */
    atomic_uint ids; /* makes each id unique */
    atomic_bool over;
    /* `given`: arguments that the program gave to the library; `freed`: arguments that
     * the library freed; `started`: calls that were started; `done`: calls that ended. */
    atomic_long given, freed, started, done;
    atomic_long asked, handled, told, progress;
};

extern struct churn churn;

/* ---- chance ------------------------------------------------------------------------ */

static inline unsigned
churn_draw(uint64_t *state, unsigned n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 32) % n;
}

/* ---- handles that the threads share (share.c) ---------------------------------------
 *
 * Each kind of handle has N_PLACES places.  A thread puts a handle into a place, and any
 * other thread can take a reference to the handle at any time. */

enum { A_SOURCE, A_VIEW, A_DIALOG, A_TURN, AN_ASKED_CALL, AN_OPEN_CALL, N_KINDS };

#define N_PLACES 12

/* Puts a handle into a place and takes over the reference to the handle.  Releases the
 * place's earlier handle.  `handle` may be NULL. */
void share_put(int kind, unsigned place, void *handle);
/* Returns a reference to the handle in a place, or NULL if the place is empty.  If `take`
 * is true, moves the place's own reference to the caller and leaves the place empty. */
void *share_get(int kind, unsigned place, bool take);
void *share_unref(int kind, void *handle);
void share_clear(void);

/* ---- the application's functions (user.c) ------------------------------------------ */

/* Returns an argument that the library must free exactly once. */
void *user_give(void);
void user_free(void *arg);
void user_done(mcphost_call *call, void *arg);
void user_progress(mcphost_call *call, double progress, double total, const char *text,
                   size_t len, void *arg);
int user_before_call(mcphost_call *call, void *arg);
int user_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg);
void user_event(const mcphost_event *event, void *arg);

/* ---- steps (steps.c) --------------------------------------------------------------- */

void steps_load(mcphost_source *source, uint64_t *chance);
/* Carries out one random step. */
void steps_run(uint64_t *chance);

#endif
