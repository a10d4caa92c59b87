/* SPDX-License-Identifier: MIT
 *
 * owner.h - the owner of a client, for sessions in which memory runs out.
 *
 * The owner counts the events that the client reports, and checks the client's rules with
 * torture_must().
 */
#ifndef TESTS_TORTURE_OWNER_H
#define TESTS_TORTURE_OWNER_H

#include "client/client.h"
#include "torture/torture.h"

/* The state of the latest run. */
struct owner {
    struct mcph_core *core;
    int64_t now;  /* the core's clock in ms */
    bool refused; /* the client was not created or not started */
    int ready, downs, listed, complete_lists;
    int taken, answered, good; /* counts of calls */
    int asked, over;           /* counts of the events `question` and `question_over` */
    /* counts of subscriptions, and of the events `subscribed` and `updated` */
    int wanted, told, updated;
};

extern struct owner owner;
/* The kinds of lists that the client fetches and listens to: 1u << MCPH_LIST_*. */
extern unsigned owner_kinds;

/* The params of an elicitation that a test server sends. */
#define OWNER_FORM                                                                  \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}" \
    "}}"

/* Runs the session on a new core while allocation number `nth` fails.  Fails the test if
 * a torture_must() was false or a block is not freed.  Returns the number of
 * allocations. */
long owner_run(void (*session)(void), long nth, int mode);
/* Checks that each call has ended and that the client became ready or went down.  Checks
 * nothing if no client was started. */
void owner_check(long nth);

/* Opens the transport and starts a client on the transport.  Returns NULL if `transport`
 * is NULL or the client could not be created.  The caller frees the client even if
 * owner.refused says that the client was not started. */
struct mcph_client *owner_start(struct mcph_transport *transport);
void owner_call(struct mcph_client *c, struct mcph_operation *call, const char *tool);
/* Starts an operation of any method (MCPH_METHOD_*), as owner_call() does for
 * tools/call. */
void owner_ask(struct mcph_client *c, struct mcph_operation *op, int method,
               const char *name);
void owner_subscribe(struct mcph_client *c, const char *uri);
/* Cancels the call if it is still in flight. */
void owner_cancel(struct mcph_operation *call);

#endif
