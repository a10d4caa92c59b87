/* SPDX-License-Identifier: MIT
 *
 * owner.h - the owner of a client, for sessions in which memory runs out: what it is
 * told is counted, and what must hold is told to torture_must().
 */
#ifndef TESTS_TORTURE_OWNER_H
#define TESTS_TORTURE_OWNER_H

#include "client/client.h"
#include "torture/torture.h"

/* Of the latest run. */
struct owner {
    struct mcph_core *core;
    int64_t now;  /* the core's clock */
    bool refused; /* no client came of it */
    int ready, downs, listed, complete_lists;
    int taken, answered, good; /* calls */
    int asked, over;           /* questions */
    int wanted, told, updated; /* subscriptions */
};

extern struct owner owner;
/* 1u << MCPH_LIST_*: the kinds that are listed and listened to. */
extern unsigned owner_kinds;

/* What a server's question has as its params. */
#define OWNER_FORM                                                                  \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}" \
    "}}"

/* The session on a core of its own.  Fails the test when something is left or was not
 * so.  Returns the number of allocations. */
long owner_run(void (*session)(void), long nth, int mode);
/* Unless a client was refused: each call has ended, and it came up or it went down. */
void owner_check(long nth);

/* Opens the transport (NULL: it was refused) and starts a client on it.  It may be NULL
 * and is to be freed also when it was refused. */
struct mcph_client *owner_start(struct mcph_transport *transport);
void owner_call(struct mcph_client *c, struct mcph_operation *call, const char *tool);
/* The same of any method, MCPH_METHOD_*. */
void owner_ask(struct mcph_client *c, struct mcph_operation *op, int method,
               const char *name);
void owner_subscribe(struct mcph_client *c, const char *uri);
/* Of a call that may have been taken. */
void owner_cancel(struct mcph_operation *call);

#endif
