/* SPDX-License-Identifier: MIT
 *
 * host.h - the room `host`: the host itself, its servers (supervisor), dialogs,
 * calls, problems, events and built-in tools.
 *
 * Here the pieces meet: a configuration becomes running instances, their lists
 * become catalogs, a call finds its instance.  The room decides nothing that a
 * policy of policy.h could decide, and runs user code only by deliveries.
 *
 * Life.  The application's references end the host; the memory goes when the
 * handles that point to it (dialogs, calls, leases, events) are gone too.  They
 * find `ended` set and answer MCPHOST_E_CLOSED.
 */
#ifndef MCPH_HOST_H
#define MCPH_HOST_H

#include "catalog/catalog.h"
#include "config/config.h"
#include "loop/loop.h"
#include "pool/pool.h"
#include "result/result.h"

#include <mcphost/mcphost.h>

#define MCPH_OPTIONS 64 /* numbers of MCPHOST_OPT_* are below */

/* ---- events (event.c) ------------------------------------------------------------ */

struct mcph_event_sink; /* the application's function, reference-counted */

struct mcphost_event {
    struct mcph_delivery delivery;
    mcphost *host;
    int kind, state;
    int64_t pid;
    uint64_t version;
    const char *server, *dialog, *text, *level, *data;
    size_t data_len;
    double progress, total;
    mcphost_call *call;
    mcphost_problem *problem;
    mcphost_error *error;
};

/* Queues a copy of `event`, whose strings are copied and whose handles get a
 * reference.  One that cannot be allocated is lost and logged. */
void mcph_emit(mcphost *host, const struct mcphost_event *event);
int mcph_event_set_sink(mcphost *host, mcphost_event_fn fn, void *arg,
                        mcphost_free_fn free_arg);
void mcph_event_drop_sink(mcphost *host);

/* ---- problems (problem.c) ---------------------------------------------------------- */

struct mcphost_problem {
    struct mcph_refs refs;
    char *id, *kind, *message, *server, *detail;
    int severity;
    int64_t first;
    _Atomic int64_t last;
    unsigned sweep; /* of which sweep of findings; 0: of none */
};

struct mcph_problem_store { /* under the core's lock; changed by the dispatcher */
    struct mcph_vec items;  /* struct mcphost_problem * */
    struct mcph_map by_id;
    uint64_t version;
    unsigned sweep;
};

/* What a problem is made of; strings are copied.  `detail` is a JSON object; NULL
 * stands for one with the message as its text. */
struct mcph_problem_draft {
    const char *id, *kind, *server, *message, *detail;
    int severity;
    bool swept; /* belongs to the present sweep */
};

/* Raises it, or changes the one with this id.  Tells and logs when it is new or
 * looks different.  Short of memory, which a missing id or message means too: logged
 * only. */
void mcph_problem_raise(mcphost *host, const struct mcph_problem_draft *draft);
void mcph_problem_clear(mcphost *host, const char *id);
/* Between the two all problems raised with `swept` are kept, others of earlier
 * sweeps are cleared by the end. */
void mcph_problem_sweep_begin(mcphost *host);
void mcph_problem_sweep_end(mcphost *host);
void mcph_problems_done(struct mcph_problem_store *store);
/* {KEY: VALUE, "errorText": TEXT}, with a NULL value only the text; NULL: no memory. */
char *mcph_problem_detail(const char *key, const char *value, const char *error_text);
/* mcp/server/<id>/server_error, raised and cleared. */
void mcph_problem_server(mcphost *host, const char *server, int severity,
                         const char *error_text);
void mcph_problem_server_clear(mcphost *host, const char *server);

/* ---- servers (supervisor.c, publish.c) ------------------------------------------------ */

struct mcph_server {
    mcphost *host;
    const struct mcph_config_server *entry; /* of host->config */
    struct mcph_spec *spec;                 /* of entry; NULL: invalid or disabled */
    struct mcph_listing *listing;           /* the last good one */
    struct mcph_block *block;     /* what is published; never NULL with a spec */
    struct mcph_instance *lister; /* lists; NULL afterwards */
    struct mcph_instance *spare;  /* has listed, serves nobody yet, may be leased */
    struct mcph_timer spare_timer;
    mcphost_lease *shared; /* of a stateless server */
    bool attempted;        /* the first start came to an end */
    bool dirty;            /* a new listing waits for the publish job */
    bool complained;       /* its problem was raised here, not by the catalog */
    int64_t load_began;

    /* for status, under the lock */
    int state;           /* MCPHOST_SERVER_* */
    const char *version; /* static */
    size_t tools;
    int64_t start_ms;
    mcphost_error *error; /* a reference */
    int64_t pid;
};

/* Builds the servers, then takes them over and starts them from dispatch. */
int mcph_supervisor_load(mcphost *host, mcphost_config *config);
void mcph_supervisor_done(mcphost *host);
/* For the dispatcher; NULL before the servers are taken over. */
struct mcph_server *mcph_server_find(mcphost *host, const char *id);
void mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error);
void mcph_server_set_pid(struct mcph_server *server, int64_t pid);
/* It cannot be used, and the first attempt is over: the state, and a problem. */
void mcph_server_unavailable(struct mcph_server *server, mcphost_error *error);
/* Takes the spare, if there is one. */
struct mcph_instance *mcph_server_take_spare(struct mcph_server *server);
extern const struct mcph_pool_ops mcph_supervisor_ops;

/* Builds the next catalog and swaps it in, those of dialogs with lists of their own
 * too.  0, or MCPHOST_E_NOMEM (the present one stays). */
int mcph_publish(mcphost *host);
/* The next catalog as `dialog` is to see it (NULL: as the view is), not swapped in. */
int mcph_publish_build(mcphost *host, mcphost_dialog *dialog, mcphost_catalog **ret);
/* The same under the lock, before load; the caller emits the event and drops the
 * old catalog, without the lock. */
int mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old);
void mcph_publish_job(struct mcph_job *job); /* of servers that are dirty */
/* True when the catalog leaves the server out, which is then told. */
bool mcph_publish_rejected(struct mcph_server *server);
/* The first attempt of all servers is over: tells and wakes who waits. */
void mcph_host_check_ready(mcphost *host);

/* ---- built-in tools (builtin.c, admin.c) ------------------------------------------------ */

struct mcph_builtin_def {
    char *toolset, *name, *description, *schema;
    mcphost_builtin_fn fn; /* the application's, by delivery */
    void *arg;
    mcphost_free_fn free_arg;
    void (*own)(mcphost_call *call); /* or one of ours, at once */
    bool retired;                    /* ours, not wanted; under the lock */
};

/* Before load, from any thread. */
int mcph_builtin_declare(mcphost *host, const char *toolset, const char *name,
                         const char *description, const char *schema,
                         const struct mcph_builtin_def *how, mcphost_error **reterr);
/* Takes our own out of the blocks again; under the lock, before load. */
int mcph_builtins_retire_own(mcphost *host);
void mcph_builtins_done(mcphost *host);
int mcph_admin_declare(mcphost *host);

/* ---- views and dialogs (dialog.c) --------------------------------------------------------- */

struct mcphost_view {
    mcphost *host;
    mcphost_catalog *catalog; /* under the lock */
    uint64_t version;
};

struct mcphost_dialog {
    struct mcph_refs users; /* the application's: the last one closes */
    struct mcph_refs refs;  /* ours, and all of those as one */
    mcphost *host;          /* its memory */
    mcphost_view *view;
    char *id, *root_id;
    void *_Atomic user_data;
    atomic_bool closed;       /* set under the lock */
    mcphost_catalog *catalog; /* its own, or NULL: the view's; under the lock */
    struct mcph_job close_job;

    /* the dispatcher's */
    struct mcph_list leases;   /* mcphost_lease.scope_link */
    struct mcph_list own;      /* see own.c */
    struct mcph_list own_link; /* in the host's list of dialogs with such */
};

int mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                     mcphost_dialog **ret, mcphost_error **reterr);
/* A tool of the dialog's present catalog; the caller's reference, NULL: none. */
int mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                          mcphost_tool **ret);
int mcph_dialog_close(mcphost_dialog *dialog);
void mcph_dialog_get(mcphost_dialog *dialog);
void mcph_dialog_put(mcphost_dialog *dialog);

/* ---- what a dialog's own clients list (own.c) ------------------------------------------------ */

/* A leased client listed its tools, or could not (`error`). */
void mcph_own_listed(struct mcph_server *server, mcphost_dialog *dialog,
                     struct mcph_client_list *list, mcphost_error *error);
/* The client is gone: the dialog sees what the view shows of this server. */
void mcph_own_drop(struct mcph_server *server, mcphost_dialog *dialog);
/* What the dialog sees of this server instead of the view's block, or NULL. */
struct mcph_block *mcph_own_block(const mcphost_dialog *dialog,
                                  const struct mcph_server *server);
/* The view has changed: so do the catalogs made from it. */
void mcph_own_republish(mcphost *host);
void mcph_own_done(mcphost *host);

/* ---- leases (leasing.c) ------------------------------------------------------------------- */

/* The instance that carries out a call of `dialog` on this server, starting one
 * where there is none.  0 or MCPHOST_E_NOMEM. */
int mcph_leasing_instance(struct mcph_server *server, mcphost_dialog *dialog,
                          struct mcph_instance **ret);
/* The dialog's lease on a server, or NULL. */
mcphost_lease *mcph_leasing_find(mcphost_dialog *dialog, const char *server);
/* For the application: any thread. */
int mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret);
int mcph_leasing_release(mcphost_lease *lease);
/* Its client is READY: time for the reminder. */
void mcph_leasing_ready(mcphost *host, mcphost_lease *lease);
/* Ends a lease and withdraws its reminder; `now`: without draining. */
void mcph_leasing_end(mcphost *host, mcphost_lease *lease, bool now);

/* ---- calls (call.c, run.c) ------------------------------------------------------------------ */

enum { MCPH_CALL_NEW, MCPH_CALL_STARTED, MCPH_CALL_ENDED, MCPH_CALL_DONE };

struct mcphost_call {
    struct mcph_refs refs;
    mcphost *host; /* its memory */
    mcphost_dialog *dialog;
    mcphost_tool *tool;
    const char *arguments; /* behind the call itself */
    char *meta;
    size_t arguments_len, meta_len;
    int64_t timeout_ms, max_ms; /* -2: the default */
    bool progress_wanted, progress_resets;
    void *_Atomic user_data;

    mcphost_done_fn done;
    void *arg;
    mcphost_free_fn free_arg;
    atomic_int state; /* MCPH_CALL_* */
    bool cancelled;   /* asked for; under the lock */
    struct mcph_job submit, cancel, answer;
    struct mcph_delivery delivery;

    /* the dispatcher's */
    struct mcph_list link; /* in host->calls while STARTED and taken */
    bool active;
    struct mcph_instance *instance;
    struct mcph_client_call client;
    struct mcph_delivery handler; /* a built-in's */
    struct mcph_timer deadline;   /* likewise; a server's is the client's business */
    mcphost_result *answered;     /* what mcphost_call_answer() brought; under the lock */

    /* set before state ENDED */
    mcphost_result *result;
    mcphost_error *error;
    /* A server's answer, so that it takes no memory of its own.  The call holds a
     * reference to the end; from then on the memory of both is the result's. */
    mcphost_result answer_room;
};

/* Takes over the reference to `tool`, whatever comes of it. */
int mcph_call_make(mcphost_dialog *dialog, mcphost_tool *tool, const char *arguments,
                   size_t len, mcphost_call **ret, mcphost_error **reterr);
int mcph_call_set_meta(mcphost_call *call, const char *json, size_t len,
                       mcphost_error **reterr);
int mcph_call_submit(mcphost_call *call, mcphost_done_fn done, void *arg,
                     mcphost_free_fn free_arg);
int mcph_call_request_cancel(mcphost_call *call);
int mcph_call_post_answer(mcphost_call *call, const char *text, size_t len,
                          bool is_error);
void mcph_call_put(mcphost_call *call);
/* The result of a server's answer, in the call's own memory; for a call that is active,
 * once. */
mcphost_result *mcph_call_take_answer(mcphost_call *call, struct mcph_frame *frame,
                                      struct mcph_span json);
/* run.c, the dispatcher's: ends the call now.  Takes over `result`; `error` is
 * borrowed and, when code is 0, NULL. */
void mcph_call_finish(mcphost_call *call, int code, mcphost_result *result,
                      mcphost_error *error);
void mcph_call_fail(mcphost_call *call, int code, const char *text);
/* Ends all calls of a list, which is empty then. */
void mcph_calls_cancel(struct mcph_list *calls, const char *text);
/* Ours: a built-in's answer from the dispatcher. */
void mcph_call_say(mcphost_call *call, bool is_error, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
void mcph_call_run(struct mcph_job *job);
void mcph_call_run_cancel(struct mcph_job *job);
void mcph_call_run_answer(struct mcph_job *job);
void mcph_call_deliver(struct mcph_delivery *delivery);

/* ---- the host (host.c) -------------------------------------------------------------------------- */

struct mcphost {
    struct mcph_refs refs; /* the application's */
    struct mcph_refs mem;  /* handles that point here, and the above as one */
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcphost_view view;
    struct mcph_server *recent; /* whose tool was called last; the dispatcher's */

    /* under the lock */
    bool loaded, ready;
    atomic_bool closing, ended; /* may be read without it, and these */
    _Atomic int64_t options[MCPH_OPTIONS];
    struct mcph_map dialogs; /* id -> open dialog, borrowed */
    struct mcph_problem_store problems;
    struct mcph_event_sink *sink;
    mcphost_config *config;  /* a reference, set once by load */
    struct mcph_vec servers; /* struct mcph_server *, in file order, set once */

    /* the dispatcher's */
    bool silent;  /* the last reference is gone: no user code but free functions */
    bool started; /* the servers are taken over */
    struct mcph_map by_id; /* servers; set by load */
    struct mcph_list calls;
    struct mcph_list own;                         /* mcphost_dialog.own_link */
    struct mcph_vec builtin_defs, builtin_blocks; /* until load: under the lock */
    struct mcph_job load_job, close_job, publish_job;
    bool publishing, close_begun;
    struct mcphost_event ready_event, closed_event; /* which must not be lost */
    char *verdicts; /* handed out by mcphost_get_verdicts() */
};

int mcph_host_new(mcphost **ret, mcphost_error **reterr);
/* One more of the application's references, unless the last is gone. */
bool mcph_host_try_get(mcphost *host);
void mcph_host_put(mcphost *host);
void mcph_host_get_mem(mcphost *host);
void mcph_host_put_mem(mcphost *host);
/* enter for a handle of this host: also MCPHOST_E_CLOSED once it is closing. */
int mcph_host_enter(mcphost *host);
int mcph_host_begin_close(mcphost *host);
int mcph_host_load(mcphost *host, mcphost_config *config);

#endif
