/* SPDX-License-Identifier: MIT
 *
 * task.h - calls whose server goes on with them as a task.
 */
#ifndef MCPH_HOST_TASK_H
#define MCPH_HOST_TASK_H

#include "client/client.h"
#include "loop/loop.h"

#include <mcphost/mcphost.h>

struct mcph_instance;

#define MCPH_TASK_ID_MAX 65536   /* bytes */
#define MCPH_TASK_TTL_MS 3600000 /* that a legacy server is asked for */

struct mcph_task {
    mcphost_call *call;
    atomic_int status;                        /* MCPHOST_TASK_* */
    atomic_int_least64_t ttl_ms, interval_ms; /* as the server said; -1: it did not */

    /* the dispatcher's */
    struct mcph_timer timer; /* the next look, or the end */
    int64_t began, due;      /* INT64_MAX: none */
    bool follows;            /* a call follows it, and does not ask once alone */
    unsigned looks;          /* since the server said something new */
    unsigned lost;           /* looks in a row that brought no answer */
    bool ending;             /* a legacy server is asked for the result */
    struct mcph_vec answered;
    struct mcph_task_watch watch;

    size_t id_len;
    char id[]; /* with a NUL behind it */
};

/* The call is to look after this task.  0, MCPHOST_E_NOMEM. */
int mcph_task_new(mcphost_call *call, struct mcph_span id, struct mcph_task **ret);
struct mcph_task *mcph_task_free(struct mcph_task *task); /* returns NULL */

/* ---- the dispatcher's -------------------------------------------------------------- */

/* The call of a tool was answered with a task, by its instance. */
void mcph_task_begin(mcphost_call *call, const struct mcph_client_answer *answer);
/* The call was made for a task that is there already. */
void mcph_task_take_up(mcphost_call *call);
/* Keeps what the answer to a single request for the call's task says.  NULL, or what is
 * wrong with it. */
const char *mcph_task_see(mcphost_call *call, struct mcph_span answer);
/* Tells the server that nobody wants the result any more. */
void mcph_task_cancel(mcphost_call *call);
/* The call has ended. */
void mcph_task_over(struct mcph_task *task);
/* The server says that something of a task is new: `task` as tasks/get gives it. */
void mcph_task_notified(struct mcph_instance *inst, struct mcph_span task, mcphost *host);
/* A call of its holder has a task at the lease's server. */
bool mcph_tasks_need(const mcphost_lease *lease);
/* A question of the call's task is put to the application. */
void mcph_task_asks(mcphost_call *call);
/* The instance is to end: tasks that ask something go on at the next one. */
void mcph_tasks_leave(struct mcph_instance *inst, mcphost *host);
/* Frees what still tells servers of cancelled tasks; the pool is gone. */
void mcph_tasks_done(mcphost *host);

#endif
