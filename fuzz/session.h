/* SPDX-License-Identifier: MIT
 *
 * session.h - a client in a fuzz target, over any transport.
 *
 * The session checks the events of the client, counts its calls and reads the input byte
 * by byte.  The fuzz target makes the transport and decides the meaning of the bytes.
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include <stdint.h>

#include "client/client.h"
#include "support/memory.h"

#define SESSION_CALLS     12
#define SESSION_QUESTIONS 3
#define SESSION_URIS      5

struct session_slot {
    struct mcph_operation call;
    bool under_way, again;        /* `again`: start the call again at its end */
    struct mcph_task_watch watch; /* watch of the call's task */
    struct mcph_vec answered;
};

struct session {
    struct mcph_core *core;
    struct mcph_client *client;
    struct mcph_client_spec spec;
    struct mcph_transport *transport, *retired;
    struct session_slot slots[SESSION_CALLS];
    size_t outstanding;
    struct mcph_client_question *questions[SESSION_QUESTIONS]; /* open questions */
    unsigned wanted[SESSION_URIS];   /* number of subscriptions of each URI */
    struct mcph_client_cache *cache; /* shared by all clients of an input */
    bool down, odd;                  /* `odd` selects a variant of the transport */
    int64_t now;
    const uint8_t *in, *end;
    void (*connect)(void); /* makes `transport` */
};

extern struct session ses;

void must(bool holds);
unsigned session_next(void); /* returns the next byte of the input; 0 at the end */

/* Makes the client that the first byte selects, and connects it. */
void session_begin(const uint8_t *data, size_t size, void (*connect)(void));
/* Frees everything except the core. */
void session_end(void);

void session_connect(void); /* connects the client if it has no transport */
void session_retire(void);  /* closes the transport; a later call frees it */
void session_new_client(void);
void session_free_client(void);
/* Starts a call.  The bits of `how` select its options. */
void session_call(struct session_slot *slot, const char *tool, unsigned how);
void session_turn(void);

/* Carries out a common action.  The actions are 0 call, 1 cancel, 2 list, 3 advance the
 * clock, 4 connect, 5 stop, 6 make another client, 7 run the loop, 8 answer a question, 9
 * subscribe, 10 unsubscribe, 11 set the level of log messages. */
#define SESSION_ACTS 12
void session_act(unsigned what, const char *tool);
/* Checks the client's counters.  Call this function after each action. */
void session_check(void);

#endif
