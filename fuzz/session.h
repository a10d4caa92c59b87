/* SPDX-License-Identifier: MIT
 *
 * session.h - a client under a fuzzer, whatever carries its messages: what it tells is
 * checked, its calls are counted, and the input is read byte by byte.
 *
 * The program that has the carrier gives the function that connects, and says what the
 * bytes mean.
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
    bool under_way, again;        /* `again`: its end begins it anew */
    struct mcph_task_watch watch; /* of the task that it looks after */
    struct mcph_vec answered;
};

struct session {
    struct mcph_core *core;
    struct mcph_client *client;
    struct mcph_client_spec spec;
    struct mcph_transport *transport, *retired;
    struct session_slot slots[SESSION_CALLS];
    size_t outstanding;
    struct mcph_client_question *questions[SESSION_QUESTIONS]; /* not answered */
    unsigned wanted[SESSION_URIS];   /* how often each URI is subscribed to */
    struct mcph_client_cache *cache; /* of all clients, one after the other */
    bool down, odd;                  /* odd: as the carrier likes */
    int64_t now;
    const uint8_t *in, *end;
    void (*connect)(void); /* makes `transport` */
};

extern struct session ses;

void must(bool holds);
unsigned session_next(void); /* the next byte; 0 at the end */

/* Sets all up by the first byte, and connects. */
void session_begin(const uint8_t *data, size_t size, void (*connect)(void));
/* Frees all but the core. */
void session_end(void);

void session_connect(void); /* if there is a client and nothing that it is on */
void session_retire(void);  /* the transport is given up */
void session_new_client(void);
void session_free_client(void);
/* A call from these bytes; `tool` says what is called. */
void session_call(struct session_slot *slot, const char *tool, unsigned how);
void session_turn(void);

/* What either program does: 0 call, 1 cancel, 2 list, 3 the clock, 4 connect, 5 stop,
 * 6 another client, 7 a turn, 8 an answer to a question, 9 subscribe, 10 unsubscribe,
 * 11 the level of log messages. */
#define SESSION_ACTS 12
void session_act(unsigned what, const char *tool);
/* After each act. */
void session_check(void);

#endif
