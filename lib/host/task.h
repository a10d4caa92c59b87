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

#define MCPH_TASK_ID_MAX 65536 /* the maximum length of a task's id, in bytes */
/* The ttl that a legacy server is asked for if the tool must run as a task and the call
 * names no ttl. */
#define MCPH_TASK_TTL_MS 3600000

struct mcph_task {
    mcphost_call *call;
    atomic_int status;                        /* MCPHOST_TASK_* */
    atomic_int_least64_t ttl_ms, interval_ms; /* sent by the server; -1 means no value */

    /* The members below are used by the dispatcher only. */
    struct mcph_timer timer; /* the timer of the next tasks/get, or of the end of the
                              * call if that is earlier */
    int64_t began, due;      /* `due` INT64_MAX means no deadline */
    bool follows;            /* true if the call waits for the task's result, false if
                              * the call only makes one request about the task */
    unsigned looks;          /* answers to tasks/get since the status last changed */
    unsigned lost;           /* failed requests in a row */
    bool ending;             /* the next request, or the request in flight, is a
                              * tasks/result to a legacy server */
    struct mcph_vec answered;
    struct mcph_task_watch watch;

    size_t id_len;
    char id[]; /* the task's id, with a NUL behind it */
};

/* Makes a task with this id for the call.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_task_new(mcphost_call *call, struct mcph_span id, struct mcph_task **ret);
struct mcph_task *mcph_task_free(struct mcph_task *task); /* always returns NULL */

/* ---- for the dispatcher ------------------------------------------------------------ */

/* Makes the call wait for the task with which the instance answered the call of a
 * tool. */
void mcph_task_begin(mcphost_call *call, const struct mcph_client_answer *answer);
/* Starts a call whose only purpose is to wait for an existing task. */
void mcph_task_take_up(mcphost_call *call);
/* Stores the task's status from the answer to a single tasks/get.  Returns NULL if the
 * answer is valid, else a text about its fault. */
const char *mcph_task_see(mcphost_call *call, struct mcph_span answer);
/* Asks the server to cancel the task that the call follows, unless the task has ended. */
void mcph_task_cancel(mcphost_call *call);
/* Stops the timer and the notifications of a task whose call has ended. */
void mcph_task_over(struct mcph_task *task);
/* Moves the next tasks/get to an earlier time, because the server has sent a notification
 * about the task.  `task` has the members of an answer to tasks/get. */
void mcph_task_notified(struct mcph_instance *inst, struct mcph_span task, mcphost *host);
/* Returns true if a call of the lease's holder follows a task of the lease's server. */
bool mcph_tasks_need(const mcphost_lease *lease);
/* Changes the task's status to MCPHOST_TASK_INPUT_REQUIRED and emits the event, because a
 * question of the call's task goes to the application. */
void mcph_task_asks(mcphost_call *call);
/* Of the instance's requests about tasks, cancels those whose answers can take long.
 * The next instance gets a tasks/get for each task of a cancelled request.  Call this
 * function when an instance begins to drain. */
void mcph_tasks_leave(struct mcph_instance *inst, mcphost *host);
/* Frees the tasks/cancel requests that have no answer yet.  Call this after the pool is
 * freed. */
void mcph_tasks_done(mcphost *host);

#endif
