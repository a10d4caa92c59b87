/* SPDX-License-Identifier: MIT
 *
 * task.h - calls that their server runs as tasks.
 */
#ifndef MCPH_HOST_TASK_H
#define MCPH_HOST_TASK_H

#include "client/client.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_instance;

#define MCPH_TASK_ID_MAX 65536   /* bytes */
#define MCPH_TASK_TTL_MS 3600000 /* how long a legacy server is asked to keep it */

struct mcph_task {
    mcphost_call *call;
    atomic_int status;                        /* MCPHOST_TASK_* */
    atomic_int_least64_t ttl_ms, interval_ms; /* from the server; -1: it named none */

    /* used by the dispatcher only */
    struct mcph_timer timer; /* the next look at the task, or its end */
    int64_t began, due;      /* due INT64_MAX: no deadline */
    bool follows;            /* the call waits for the result; false: it makes one
                              * request about the task */
    unsigned looks;          /* since the status changed last */
    unsigned lost;           /* looks in a row without an answer */
    bool ending;             /* a legacy server was asked for the result */
    struct mcph_vec answered;
    struct mcph_task_watch watch;

    size_t id_len;
    char id[]; /* with a NUL behind it */
};

/* Makes a task with this id for the call.  0, MCPHOST_E_NOMEM. */
int mcph_task_new(mcphost_call *call, struct mcph_span id, struct mcph_task **ret);
struct mcph_task *mcph_task_free(struct mcph_task *task); /* returns NULL */

/* ---- for the dispatcher ------------------------------------------------------------ */

/* The instance answered the call of a tool with a task: the call follows the task from
 * now on. */
void mcph_task_begin(mcphost_call *call, const struct mcph_client_answer *answer);
/* Starts a call that was made to wait for an existing task. */
void mcph_task_take_up(mcphost_call *call);
/* Stores what the answer to a single tasks/get says.  NULL, or what is wrong with the
 * answer. */
const char *mcph_task_see(mcphost_call *call, struct mcph_span answer);
/* Asks the server to cancel the task. */
void mcph_task_cancel(mcphost_call *call);
/* Ends the look-out for a task whose call has ended. */
void mcph_task_over(struct mcph_task *task);
/* The server notifies of news about a task; `task` is as in the answer to tasks/get. */
void mcph_task_notified(struct mcph_instance *inst, struct mcph_span task, mcphost *host);
/* True if a call of the lease's holder follows a task of the lease's server. */
bool mcph_tasks_need(const mcphost_lease *lease);
/* A question of the call's task goes to the application: the task's status changes. */
void mcph_task_asks(mcphost_call *call);
/* The instance ends: a look that may take long is cancelled there and repeated at the
 * next instance. */
void mcph_tasks_leave(struct mcph_instance *inst, mcphost *host);
/* Frees the tasks/cancel requests that are on their way, after the pool is freed. */
void mcph_tasks_done(mcphost *host);

#endif
