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
#include "journal/journal.h"
#include "loop/loop.h"
#include "pool/pool.h"
#include "result/result.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

struct mcph_stack;

/* ---- catalogs (publish.c, review.c) ------------------------------------------------ */

/* A layer or the built-ins changed: by a job, once the host is loaded. */
void mcph_publish_soon_locked(mcphost *host);
/* Of the servers whose blocks are new, those that may not be published go back to what
 * is (review.c). */
void mcph_review(mcphost *host, const struct mcph_vec *views);
/* Why a catalog leaves a server out; NULL: it does not. */
const struct mcph_finding *mcph_publish_find_rejection(const mcphost_catalog *catalog,
                                                       const struct mcph_server *server);
/* The next catalog as `dialog` is to see it (NULL: as the view is), not swapped in.  0 or
 * MCPHOST_E_NOMEM. */
int mcph_publish_build(struct mcph_stack *stack, mcphost_dialog *dialog,
                       mcphost_catalog **ret);
/* The same under the lock, before load; the caller emits the event and drops the
 * old catalog, without the lock. */
int mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old);
/* Swaps in the next catalogs, those of dialogs with lists of their own too, and ends what
 * is over; the same as a job. */
void mcph_publish_now(mcphost *host);
void mcph_publish_soon(mcphost *host);
void mcph_publish_job(struct mcph_job *job);
/* Whether the last attempt of all servers is over: tells and wakes who waits. */
void mcph_host_check_ready(mcphost *host);

/* ---- built-in tools (builtin.c, admin.c) ------------------------------------------- */

struct mcph_builtin_def {
    char *toolset, *name, *description, *schema;
    char *about_toolset;   /* of a toolset's first tool: the toolset's description */
    mcphost_builtin_fn fn; /* the application's, by delivery */
    void *arg;
    mcphost_free_fn free_arg;
    void (*own)(mcphost_call *call); /* or one of ours, at once */
};

/* Before load, from any thread. */
int mcph_builtin_declare(mcphost *host, const char *toolset, const char *name,
                         const char *description, const char *schema,
                         const struct mcph_builtin_def *how, mcphost_error **reterr);
/* Describes a toolset of the application's; NULL: takes its description away.  Before
 * load, from any thread. */
int mcph_builtins_describe(mcphost *host, const char *toolset, const char *text,
                           mcphost_error **reterr);
/* MCPHOST_OPT_ADMIN_TOOLS: puts our own toolset into the catalog, or takes it out.
 * Before load, from any thread.  0, MCPHOST_E_EXISTS (the application has one of its
 * names), MCPHOST_E_STATE, MCPHOST_E_NOMEM, MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_builtins_offer_own(mcphost *host, bool on);
void mcph_builtins_done(mcphost *host);

#define MCPH_ADMIN_TOOLSET "mcp_admin"

/* The toolset's block.  0, MCPHOST_E_NOMEM. */
int mcph_admin_new_block(mcphost *host, struct mcph_block **ret);

/* ---- what a model may set (settable.c) --------------------------------------------- */

/* NULL, or why env_set and env_unset must not touch this variable; from dispatch. */
const char *mcph_settable_refuse(const mcphost *host, const char *name);
/* As mcphost_set_admin_env(). */
int mcph_settable_set(mcphost *host, const char *const *refused,
                      const char *const *allowed);
void mcph_settable_done(mcphost *host);

/* ---- stacks (stack.c) -------------------------------------------------------------- */

/* A source in a view. */
struct mcph_layer {
    struct mcphost_source *source; /* a reference */
    bool chosen;                   /* only these servers of it: */
    struct mcph_vec servers;       /* char * */
};

/* The configurations of a stack, as they were together.  Immutable. */
struct mcph_declared {
    struct mcph_refs refs;
    bool rejected; /* the last one of a source was, as a whole */
    size_t n;
    mcphost_config *configs[]; /* references */
};

/* What a view shows before its grant.  Under the lock. */
struct mcph_stack {
    mcphost *host;
    const char *name;       /* of its view; NULL: the default one */
    bool builtins;          /* the host's built-in tools are in it */
    bool dirty;             /* its layers are not those of its catalog */
    struct mcph_vec layers; /* struct mcph_layer * */
    mcphost_catalog *catalog;
    struct mcph_declared *declared; /* of the last time, or NULL */
};

struct mcph_offers {
    struct mcph_offer *items; /* free() */
    size_t n;
};

/* `servers` NULL: all of the source.  0, MCPHOST_E_EXISTS (it has a layer), _NOMEM. */
int mcph_stack_add_locked(struct mcph_stack *stack, struct mcphost_source *source,
                          const char *const *servers, size_t n);
/* False: it has no layer.  *ret_layer is to be freed without the lock. */
bool mcph_stack_remove_locked(struct mcph_stack *stack,
                              const struct mcphost_source *source,
                              struct mcph_layer **ret_layer);
void mcph_layer_free(struct mcph_layer *layer);
void mcph_stack_done(struct mcph_stack *stack);
/* From dispatch, or before load: whether its catalog is to be made anew; what that is
 * made of, as `dialog` is to see it (NULL: anybody).  0, MCPHOST_E_NOMEM. */
bool mcph_stack_shows_change(const struct mcph_stack *stack);
int mcph_stack_offer_locked(const struct mcph_stack *stack, const mcphost_dialog *dialog,
                            struct mcph_offers *offers);
/* Borrowed; NULL: no memory. */
struct mcph_declared *mcph_stack_declared_locked(struct mcph_stack *stack);
struct mcph_declared *mcph_declared_ref(struct mcph_declared *declared);
struct mcph_declared *mcph_declared_unref(struct mcph_declared *declared); /* NULL */
/* The first entry of this id. */
const struct mcph_config_server *mcph_declared_find(const struct mcph_declared *declared,
                                                    const char *id);

/* ---- views (view.c) ---------------------------------------------------------------- */

/* A catalog as a grant shows it, and what it was made of. */
struct mcph_sight {
    mcphost_catalog *base, *shown; /* references; NULL: nothing was asked for yet */
    struct mcphost_grant *grant;
    struct mcph_declared *declared;
    uint64_t granted;
};

struct mcphost_view {
    struct mcph_refs refs; /* of the default view: not used, it lives with the host */
    mcphost *host;         /* its memory */
    char *name;            /* NULL: the default view */
    struct mcph_list link; /* in host->views, under the lock */
    struct mcph_stack own, *stack; /* `own`, or the default view's */
    bool of_team, in_team; /* under the lock: the team decides its grant; it is in it
                            * now, and the host has a reference */
    /* under the lock */
    struct mcphost_grant *grant; /* NULL: everything in its stack */
    uint64_t granted;            /* the host's version when it got the grant */
    uint64_t told;               /* the like of which an event has told */
    struct mcph_sight sight;
    struct mcph_list turns; /* of no dialog: mcphost_turn.owner_link */
};

struct mcph_toolset_flags {
    char *toolset;
    unsigned flags; /* MCPH_TOOLSET_* */
};

/* Any thread.  The grant is frozen; NULL: a view of its own layers, which has none yet.
 * A view of the team has `of_team`. */
int mcph_view_new(mcphost *host, const char *name, struct mcphost_grant *grant,
                  bool of_team, mcphost_view **ret, mcphost_error **reterr);
/* Any thread; 0 or what the stack says, MCPHOST_E_INVALID (a source of another host, or a
 * view without layers of its own), MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_view_add_source(mcphost_view *view, struct mcphost_source *source,
                         const char *const *servers, size_t n);
int mcph_view_remove_source(mcphost_view *view, const struct mcphost_source *source);
int mcph_view_show_builtins(mcphost_view *view, bool on);
/* References to all views but the default one, or to those with layers of their own;
 * false: no memory, and no view. */
bool mcph_views_collect(mcphost *host, bool layered, struct mcph_vec *views);
void mcph_views_release(struct mcph_vec *views);
void mcph_view_get(mcphost_view *view);
void mcph_view_put(mcphost_view *view);
int mcph_view_set_grant(mcphost_view *view, struct mcphost_grant *grant);
/* The open view of this name, or NULL; under the lock. */
mcphost_view *mcph_view_find_locked(mcphost *host, const char *name);
/* What the view shows now, or a dialog of it (NULL: none).  *ret gets a reference.
 * 0, MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_look(mcphost_view *view, mcphost_dialog *dialog, mcphost_catalog **ret);
/* 0 when the dialog's view gives the tool, MCPHOST_E_DENIED, MCPHOST_E_CLOSED,
 * MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_view_check(mcphost_dialog *dialog, mcphost_tool *tool, mcphost_error **reterr);
/* The refusal, in the same words whatever there is. */
int mcph_view_refuse(const mcphost_view *view, const char *tool, mcphost_error **reterr);
void mcph_sight_done(struct mcph_sight *sight);
/* What the views miss is to be told anew; `_locked`: under the lock. */
void mcph_views_recheck(mcphost *host);
void mcph_views_recheck_locked(mcphost *host);
void mcph_views_report(struct mcph_job *job);
int mcph_view_set_flags(mcphost *host, const char *toolset, unsigned flags);
void mcph_views_done(mcphost *host);

/* ---- the team (team.c) ------------------------------------------------------------- */

int mcph_team_init(mcphost *host);
/* Any thread.  Begin takes the source over when it returns 0. */
int mcph_team_begin(mcphost *host, struct mcph_team_source *source);
int mcph_team_get_view(mcphost *host, const char *member, mcphost_view **ret);
/* The dispatcher's: reads it again; only if it has changed. */
void mcph_team_reload(mcphost *host, bool only_if_changed);
void mcph_team_done(mcphost *host);

/* ---- dialogs (dialog.c) ------------------------------------------------------------ */

struct mcphost_dialog {
    struct mcph_refs users; /* the application's: the last one closes */
    struct mcph_refs refs;  /* ours, and all of those as one */
    mcphost *host;          /* its memory */
    mcphost_view *view;
    char *id, *root_id;
    void *_Atomic user_data;
    atomic_int run_state;     /* MCPHOST_RUN_*, set under the lock */
    char *stop_reason;        /* while it is stopped, JSON; likewise */
    atomic_bool closed;       /* set under the lock */
    mcphost_catalog *catalog; /* its own, or NULL: the view's; under the lock */
    struct mcph_sight sight;  /* of its own, as the view's grant shows it; likewise */
    mcphost_turn
        *turn; /* of mcphost_dialog_begin_turn(), or NULL; likewise, a reference */
    struct mcph_list turns;               /* mcphost_turn.owner_link; likewise */
    struct mcph_artifacts *artifacts;     /* where they are kept, or NULL; likewise */
    struct mcph_scope *scope;             /* its own; does not change */
    struct mcph_scope *agent, *workspace; /* or NULL; set once, under the lock */
    bool leased; /* it has had a lease, so the two above do not change; likewise */
    struct mcph_job close_job;

    /* the dispatcher's */
    char *rejection;           /* the problem that tells of one, or NULL */
    struct mcph_list leases;   /* mcphost_lease.holder_link */
    struct mcph_list own;      /* see own.c */
    struct mcph_list own_link; /* in the host's list of dialogs with such */
};

int mcph_dialog_open(mcphost_view *view, const char *id, const char *root_id,
                     mcphost_dialog **ret, mcphost_error **reterr);
/* A tool of the dialog's present catalog; the caller's reference, NULL: none. */
int mcph_dialog_find_tool(mcphost_dialog *dialog, const char *name, size_t len,
                          mcphost_tool **ret);
int mcph_dialog_close(mcphost_dialog *dialog);
/* The catalog of the dialog's own turn, or what it sees now.  As mcph_view_look(). */
int mcph_dialog_look(mcphost_dialog *dialog, mcphost_catalog **ret);
/* `kind`: MCPHOST_SCOPE_AGENT or _WORKSPACE. */
int mcph_dialog_set_key(mcphost_dialog *dialog, int kind, const char *key);
const char *mcph_dialog_get_key(mcphost_dialog *dialog, int kind);
void mcph_dialog_get(mcphost_dialog *dialog);
void mcph_dialog_put(mcphost_dialog *dialog);

/* ---- what a dialog's provider said (provider.c); any thread ------------------------ */

int mcph_dialog_rejected(mcphost_dialog *dialog, const char *provider, const char *text,
                         size_t len);
int mcph_dialog_goes_on(mcphost_dialog *dialog);
/* A copy; MCPHOST_E_NOTFOUND: it is not stopped. */
int mcph_dialog_stop_reason(mcphost_dialog *dialog, char **ret_json);
/* It is closed, and nobody will say that it goes on; from dispatch. */
void mcph_dialog_forget_rejection(mcphost_dialog *dialog);

/* ---- items of a conversation (items.c) --------------------------------------------- */

/* `dir` NULL: nowhere. */
int mcph_dialog_set_artifacts(mcphost_dialog *dialog, const char *dir, uint64_t quota,
                              mcphost_error **reterr);
/* Of a call that has a result. */
int mcph_call_items(mcphost_call *call, mcphost_items **ret, mcphost_error **reterr);

/* ---- what a dialog's own clients list (own.c) -------------------------------------- */

/* The client of a seat listed its tools. */
void mcph_own_listed(struct mcph_server *server, struct mcph_seat *seat,
                     const struct mcph_made *made);
/* The lease is new: its dialog sees what the other holders of the seat see. */
void mcph_own_join(struct mcph_server *server, mcphost_lease *lease);
/* The client is gone: the dialog sees what the view shows of this server. */
void mcph_own_drop(struct mcph_server *server, mcphost_lease *lease);
/* What the dialog sees of this server instead of the view's block, or NULL. */
struct mcph_block *mcph_own_block(const mcphost_dialog *dialog,
                                  const struct mcph_server *server);
struct mcph_block *mcph_own_block_of(const struct mcph_seat *seat,
                                     const struct mcph_server *server);
/* Filters or names have changed: what the dialogs' clients list is seen through them. */
void mcph_own_refresh(struct mcph_server *server);
/* The view has changed: so do the catalogs made from it. */
void mcph_own_republish(mcphost *host);
void mcph_own_done(mcphost *host);

/* ---- turns (turn.c) ---------------------------------------------------------------- */

struct mcphost_turn {
    struct mcph_refs refs;
    mcphost *host;            /* its memory */
    mcphost_view *view;       /* a reference */
    mcphost_dialog *dialog;   /* likewise; NULL: of all dialogs of the view */
    struct mcph_scope *agent; /* likewise, or NULL */
    mcphost_catalog *catalog; /* likewise */

    /* under the lock */
    struct mcph_list link;       /* in host->turns until it ends */
    struct mcph_list owner_link; /* in the turns of its dialog or view until then */
    bool stale;
};

/* Any thread.  `dialog` NULL: of the view, for this agent (NULL: for none).  0,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_turn_new(mcphost_view *view, mcphost_dialog *dialog, const char *agent,
                  mcphost_turn **ret);
int mcph_turn_end(mcphost_turn *turn);
void mcph_turn_put(mcphost_turn *turn); /* the last one ends it; NULL is fine */
int mcph_turn_is_stale(mcphost_turn *turn);
int mcph_dialog_begin_turn(mcphost_dialog *dialog);
int mcph_dialog_end_turn(mcphost_dialog *dialog);
/* The turns of a view or, with NULL, of an agent. */
int mcph_turns_invalidate(mcphost *host, mcphost_view *view, const char *agent);
/* The dispatcher's.  Whether a turn keeps the server as such, or the lease. */
bool mcph_turn_keeps_server(const struct mcph_server *server);
bool mcph_turn_keeps_lease(const struct mcph_server *server, const mcphost_lease *lease);
/* The catalog of a turn of this dialog that keeps what a block offers as it is, or NULL:
 * a reference.  Any thread. */
mcphost_catalog *mcph_turn_kept(mcphost_dialog *dialog, const struct mcph_block *block);
/* The server that carries out what the block offers, because a turn of the dialog keeps
 * it, or NULL. */
struct mcph_server *mcph_turn_server(mcphost_dialog *dialog,
                                     const struct mcph_block *block);
void mcph_turn_sweep(struct mcph_job *job);

/* ---- leases (leasing.c) ------------------------------------------------------------ */

/* The instance that carries out a call of `dialog` on this edition of a server,
 * starting one where there is none.  0 or MCPHOST_E_NOMEM. */
int mcph_leasing_instance(struct mcph_server *server, unsigned edition,
                          struct mcph_spec *spec, mcphost_dialog *dialog,
                          struct mcph_instance **ret);
/* Ends what the dialog holds of the servers with this id, in this realm or (NULL) in any;
 * false: nothing. */
bool mcph_leasing_end_all(mcphost_dialog *dialog, const char *server,
                          const struct mcph_realm *realm);
/* For the application: any thread. */
int mcph_leasing_get(mcphost_dialog *dialog, const char *server, mcphost_lease **ret);
int mcph_leasing_release(mcphost_lease *lease);
/* Its client is READY: time for the reminders. */
void mcph_leasing_ready(struct mcph_seat *seat);
/* Timer of host->idle: ends the leases that nobody has used for so long. */
void mcph_leasing_sweep(struct mcph_timer *timer);
/* Ends a lease and withdraws its reminder; `now`: without draining. */
void mcph_leasing_end(mcphost_lease *lease, bool now);

/* ---- what a call is for (target.c) ------------------------------------------------- */

/* What run.c carries out without knowing what it is. */
struct mcph_target {
    const struct mcph_target_kind *kind;
    struct mcph_block *block; /* which offered it, held by the target; NULL while the call
                               * waits for it.  Set under the lock, and so is this: */
    mcphost_tool *tool;       /* of a tool's kind; a reference */
};

/* What a kind differs in; for a target that is known, on the dispatcher. */
struct mcph_target_kind {
    const struct mcph_method *method; /* of the operation */
    /* 0, or why the dialog may not have it now. */
    int (*check)(mcphost_call *call, mcphost_error **reterr);
    /* Of a built-in. */
    const struct mcph_builtin_def *(*handler)(const struct mcph_target *target);
    /* Whether `block`, a newer one of the same server, offers it, too. */
    bool (*is_in)(const struct mcph_target *target, const struct mcph_block *block);
    /* How messages call it, and what it is if `block` (NULL: none) does not offer it. */
    void (*describe)(const struct mcph_target *target, char *text, size_t size);
    void (*describe_missing)(const struct mcph_target *target,
                             const struct mcph_block *block, char *text, size_t size);
    /* Names it in the operation, at a server with this spec. */
    void (*aim)(const struct mcph_target *target, const struct mcph_spec *spec,
                struct mcph_operation *op);
    /* 0, or the code that the call is to fail with. */
    int (*check_result)(mcphost_call *call, struct mcph_span result,
                        mcphost_error **reterr);
};

extern const struct mcph_target_kind mcph_target_tool;

/* Takes over the reference; NULL: it is not known yet. */
static inline void
mcph_target_set_tool(struct mcph_target *target, mcphost_tool *tool)
{
    target->kind = &mcph_target_tool;
    target->tool = tool;
    target->block = tool ? tool->block : NULL;
}

/* NULL: a built-in, or not known yet. */
static inline const char *
mcph_target_server_id(const struct mcph_target *target)
{
    return target->block && target->block->spec ? target->block->spec->id : NULL;
}

/* NULL: a server carries it out, or it is not known yet. */
static inline const struct mcph_builtin_def *
mcph_target_handler(const struct mcph_target *target)
{
    return target->block && target->block->handlers ? target->kind->handler(target)
                                                    : NULL;
}

/* ---- calls (call.c, run.c) --------------------------------------------------------- */

enum { MCPH_CALL_NEW, MCPH_CALL_STARTED, MCPH_CALL_ENDED, MCPH_CALL_DONE };

struct mcphost_call {
    struct mcph_refs refs;
    mcphost *host; /* its memory */
    mcphost_dialog *dialog;
    struct mcph_target target;
    char *wanted; /* its name where a server may yet offer it, else NULL */
    int64_t waits_since;
    char *completed;       /* arguments that such a tool's schema completed, or NULL */
    const char *arguments; /* behind the call itself, or `completed` */
    char *meta;
    size_t arguments_len, meta_len;
    int64_t timeout_ms, max_ms; /* -2: the default */
    bool progress_wanted, progress_resets;
    struct mcph_progress *progress; /* of progress.c; NULL: events alone */
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
    struct mcph_restart wait; /* for a server's restart; its link also in host->waiting */
    struct mcph_instance *instance;
    struct mcph_operation op;
    struct mcph_delivery handler; /* a built-in's */
    struct mcph_timer deadline;   /* likewise, and of the wait for a tool; that of a
                                   * server's tool is the client's business */
    mcphost_result *answered;     /* what mcphost_call_answer() brought; under the lock */

    /* set before state ENDED */
    mcphost_result *result;
    mcphost_error *error;
    /* A server's answer, so that it takes no memory of its own.  The call holds a
     * reference to the end; from then on the memory of both is the result's. */
    mcphost_result answer_room;
};

/* progress.c.  Set replaces what was set before; on failure `arg` stays the caller's. */
int mcph_progress_set(mcphost_call *call, mcphost_progress_fn fn, void *arg,
                      mcphost_free_fn free_arg);
void mcph_progress_done(mcphost_call *call); /* frees the argument */
/* The dispatcher's, before the call ends: `total` NaN: unknown; `text` NULL: none. */
void mcph_progress_tell(mcphost_call *call, double progress, double total,
                        const char *text);
void mcph_progress_received(struct mcph_operation *op,
                            const struct mcph_client_progress *progress);

/* The tool that the dialog's model knows by this name, now; the caller's reference.
 * Any thread.  0; MCPHOST_E_BUSY: there is none yet, and a server is still starting
 * (`waits`: also in place of MCPHOST_E_DENIED); or another reason. */
int mcph_call_find(mcphost_dialog *dialog, const char *name, bool waits,
                   mcphost_tool **ret, mcphost_error **reterr);
/* A call of a tool that a server may yet offer (MCPHOST_OPT_WAIT_STARTING). */
int mcph_call_make_waiting(mcphost_dialog *dialog, const char *name,
                           const char *arguments, size_t len, mcphost_call **ret,
                           mcphost_error **reterr);
/* NULL while the call waits for it; any thread. */
mcphost_tool *mcph_call_get_tool(const mcphost_call *call);
/* The dispatcher's: waits for what the call is for, then runs it again. */
void mcph_call_await_target(mcphost_call *call);
/* A server's state has changed: looks for the tools that calls wait for, by a job. */
void mcph_calls_wake(mcphost *host);
void mcph_calls_look(struct mcph_job *job);
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
/* validate.c: *json loses the white space around it, or becomes what *ret_holds holds.
 * `tool` NULL: it is not known yet, and the arguments need only be JSON. */
int mcph_validate_arguments(mcphost *host, const mcphost_tool *tool,
                            struct mcph_span *json, mcphost_schema_report **ret_holds,
                            mcphost_error **reterr);
/* `result`: the object that the server answered.  0, or the code that the call is to
 * fail with. */
int mcph_validate_result(mcphost_call *call, struct mcph_span result,
                         mcphost_error **reterr);
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

/* ---- requests of servers (request.c) ----------------------------------------------- */

struct mcphost_request {
    struct mcph_refs users; /* the application's, and of events on their way */
    struct mcph_refs refs;  /* those and ours */
    mcphost *host;          /* its memory */
    int kind;
    struct mcphost_source *source;         /* a reference */
    char *server, *dialog, *message, *url; /* NULL: none, but `server` */
    mcphost_call *call;                    /* a reference, or NULL */
    struct mcph_frame *frame;
    struct mcph_span params, schema; /* in it */
    char *defaults;
    size_t defaults_len;
    bool settled; /* answered, or over; under the lock, and so are the next three */
    char *answer; /* a result of this length, or NULL: refused, with `code` and `why` */
    size_t answer_len;
    char *why;    /* of a refusal; of credentials: the scope that was granted, or NULL */
    int64_t code; /* of a refusal; of credentials: how long they are good */
    struct mcph_job job;

    /* the dispatcher's */
    struct mcph_client_question *question; /* NULL: it is over, or ... */
    struct mcph_ask *ask;                  /* ... one for credentials; NULL likewise */
    struct mcph_list link;                 /* in host->requests until then */
};

/* The dispatcher's: a server asks, or needs no answer any more. */
void mcph_request_ask(struct mcph_instance *inst, struct mcph_client_question *question,
                      mcphost *host);
void mcph_request_over(struct mcph_client_question *question, const char *why);
/* Any thread; NULL is fine. */
void mcph_request_get_user(mcphost_request *request);
void mcph_request_put_user(mcphost_request *request);
int mcph_request_respond(mcphost_request *request, const char *json, size_t len,
                         mcphost_error **reterr);
int mcph_request_reject(mcphost_request *request, int how, const char *message);
bool mcph_request_is_open(mcphost_request *request);
void mcph_requests_done(mcphost *host); /* their questions are gone */
/* What its kinds have in common: makes it (NULL: no memory), links it, tells of it, and
 * lets go of it. */
mcphost_request *mcph_request_new(mcphost *host, int kind, struct mcphost_source *source,
                                  const char *server);
void mcph_request_tell(mcphost_request *request);
/* It needs no answer any more: the reference of its question is dropped. */
void mcph_request_end(mcphost_request *request, const char *why);
/* credential.c: the answer of the application as the keeper takes it. */
int mcph_credential_read(struct mcph_span json, struct mcph_buf *lines,
                         int64_t *ret_good_ms, char **ret_scope, mcphost_error **reterr);
extern const struct mcph_keeper_events mcph_credential_events;
/* Any thread; arguments as of mcphost_set_credential(). */
int mcph_credential_set(mcphost *host, const char *server, const char *origin,
                        const char *name, const char *value, mcphost_error **reterr);
int mcph_credential_drop(mcphost *host, const char *server);
int mcph_roots_post(mcphost *host);
void mcph_roots_run(struct mcph_job *job);

/* ---- the host (host.c) ------------------------------------------------------------- */

struct mcphost {
    struct mcph_refs refs; /* the application's */
    struct mcph_refs mem;  /* handles that point here, and the above as one */
    struct mcph_core *core;
    struct mcph_pool *pool;
    struct mcph_net *net;       /* the HTTP engine of all servers; NULL once closed */
    struct mcph_keeper *keeper; /* of credentials */
    struct mcphost_view view;
    uint64_t version; /* of the catalog or grant that came last; under the lock */
    struct mcph_workspace workspace;
    struct mcphost_source *source; /* the default one; a reference */
    struct mcph_server *recent;    /* whose tool was called last; the dispatcher's */

    /* under the lock */
    bool loaded;
    bool ready, was_ready; /* what was asked for so far has been tried; at least once */
    unsigned orders;       /* posted and not carried out (order.c) */
    uint64_t order_serial; /* of the last one */
    atomic_bool closing, ended; /* may be read without it, and these */
    _Atomic int64_t options[MCPH_OPTIONS];
    struct mcph_map dialogs; /* id -> open dialog, borrowed */
    struct mcph_journal journal;
    struct mcph_sweep catalog_sweep, team_sweep, grant_sweep; /* what raises problems */
    struct mcph_spool_sink spool;  /* set up before the first server starts */
    struct mcph_ration *held;      /* the memory of all large messages; a reference */
    struct mcph_list views;        /* mcphost_view.link, but the default view */
    struct mcph_vec toolset_flags; /* struct mcph_toolset_flags * */
    bool flags_used;               /* and from then on they stay as they are */
    bool views_posted, turns_posted, roots_posted;
    struct mcph_list turns; /* mcphost_turn.link */
    struct mcph_team *team; /* a reference: the last good one, or NULL */
    struct mcph_team_source *team_source;

    /* the dispatcher's */
    struct mcph_follow team_follow; /* the file of `team_source` */
    struct mcph_list calls;
    struct mcph_list waiting;                     /* mcphost_call.wait.link, for a tool */
    struct mcph_list own;                         /* mcphost_dialog.own_link */
    struct mcph_vec builtin_defs, builtin_blocks; /* until load: under the lock */
    struct mcph_block *admin;                     /* our own toolset; does not change */
    struct mcph_vec env_refused, env_allowed;     /* char *; of settable.c, until load */
    bool env_refused_set;                         /* else the library's own list holds */
    struct mcph_list requests;                    /* mcphost_request.link */
    struct mcph_job roots_job;
    struct mcph_job look_job;
    struct mcph_job team_order;
    bool team_ordered;      /* it is posted */
    bool team_order_checks; /* under the lock: only if the file has changed */
    struct mcph_job close_job, publish_job, team_job, views_job, turns_job;
    struct mcph_timer idle;
    bool idle_set; /* it runs */
    bool publishing;
    bool close_begun, close_posted; /* under the lock, and the next */
    int64_t close_by;               /* -1: no deadline */
    struct mcph_timer close_due;    /* kills what lives then */
};

/* ---- projections (projection.c) ---------------------------------------------------- */

/* One tool of a catalog under a profile. */
struct mcph_projected {
    mcphost_tool *tool;
    const char *name; /* the tool's own, or `made`; NULL: it is left out */
    char *made;
};

/* Kept with its catalog: a reference to it is one to the catalog. */
struct mcphost_projection {
    struct mcph_catalog_kept kept;
    mcphost_catalog *catalog;
    int shape, profile;
    size_t name_max;
    struct mcph_span json; /* the catalog's own for the identity, else `made` */
    char *made;
    struct mcph_projected *tools; /* in the catalog's order; NULL for the identity */
    struct mcph_map by_name;      /* in the list -> struct mcph_projected */
    struct mcph_map by_own;       /* the catalog's name -> struct mcph_projected */
    struct mcph_vec problems;     /* mcphost_problem * */
};

/* Arguments were checked.  *ret is borrowed from the catalog.  0 or MCPHOST_E_NOMEM. */
int mcph_project(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                 mcphost_projection **ret);
/* Of those that a catalog has, the one made last, and the one made before another.
 * Borrowed from the catalog; NULL: there is none. */
const mcphost_projection *mcph_projection_last(mcphost_catalog *catalog);
const mcphost_projection *mcph_projection_before(const mcphost_projection *projection);

int mcph_host_new(mcphost **ret, mcphost_error **reterr);
/* One more of the application's references, unless the last is gone. */
bool mcph_host_try_get(mcphost *host);
void mcph_host_put(mcphost *host);
void mcph_host_get_mem(mcphost *host);
void mcph_host_put_mem(mcphost *host);
/* enter for a handle of this host: also MCPHOST_E_CLOSED once it is closing. */
int mcph_host_enter(mcphost *host);
int mcph_host_begin_close(mcphost *host, int64_t within_ms);
/* Any thread.  Follow takes the reader over when it returns 0. */
int mcph_host_load(struct mcphost_source *source, mcphost_config *config);
int mcph_host_follow(struct mcphost_source *source, struct mcph_config_reader *reader);
int mcph_host_order(struct mcphost_source *source, enum mcph_order what,
                    const char *server);
/* sources.c; any thread.  *ret gets a reference.  0, MCPHOST_E_INVALID, MCPHOST_E_EXISTS,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED, MCPHOST_E_NOMEM. */
int mcph_host_add_source(mcphost *host, const char *id, struct mcphost_source **ret,
                         mcphost_error **reterr);
int mcph_host_remove_source(struct mcphost_source *source);
/* From dispatch: its last server has ended. */
void mcph_source_left(mcphost *host, struct mcphost_source *source);
/* A turn of the view begins: sources look at their files whose mode says so.  `anew`: the
 * sources of the view (NULL: all) read their files, whatever their mode.  Any thread. */
int mcph_host_look(mcphost *host, mcphost_view *view, bool anew);
/* From dispatch: the server that now has the place of the one whose block this is. */
struct mcph_server *mcph_host_find_server(const mcphost *host,
                                          const struct mcph_block *block);
/* That, and the team. */
int mcph_host_reload(mcphost *host, bool only_if_changed);
int mcph_host_set_loaded_locked(mcphost *host); /* 0, MCPHOST_E_NOMEM */

#endif
