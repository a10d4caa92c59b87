/* SPDX-License-Identifier: MIT
 *
 * call.h - calls: their targets, and their way from the start to the completion.
 */
#ifndef MCPH_HOST_CALL_H
#define MCPH_HOST_CALL_H

#include "catalog/catalog.h"
#include "client/client.h"
#include "loop/loop.h"
#include "result/result.h"
#include "workspace/workspace.h"

#include <mcphost/mcphost.h>

struct mcph_carried;
struct mcph_handling;
struct mcph_task;

/* ---- targets of calls (target.c) --------------------------------------------------- */

/* The object of a call, for example a tool, a resource, a prompt or a task.  run.c
 * carries out calls of all kinds. */
struct mcph_target {
    const struct mcph_target_kind *kind;
    struct mcph_block *block; /* the block that offers the target, held by the target, or
                               * by `tool` if `tool` is set; NULL while the call waits
                               * for its tool; set under the lock */
    mcphost_tool *tool;       /* a reference; the tool holds the block; NULL if the
                               * tool is not known yet, and for targets of other kinds;
                               * set under the lock */
    struct mcph_span name;    /* the URI, the prompt's original name, the name of the
                               * argument to complete, or the task's id, in the memory
                               * of the call; not used for tools */
};

/* One kind of target.  The functions run on the dispatcher, once the target is known. */
struct mcph_target_kind {
    const struct mcph_method *method; /* the method of the operation */
    /* Checks that the dialog may use the target now.  Returns 0, or the code that the
     * call fails with. */
    int (*check)(mcphost_call *call, mcphost_error **reterr);
    /* Returns true if `block`, a newer block of the same server, also offers the
     * target. */
    bool (*is_in)(const struct mcph_target *target, const struct mcph_block *block);
    /* describe() writes the name of the target that messages use.  describe_missing()
     * writes why `block` does not offer the target.  `block` is NULL if the server has no
     * block. */
    void (*describe)(const struct mcph_target *target, char *text, size_t size);
    void (*describe_missing)(const struct mcph_target *target,
                             const struct mcph_block *block, char *text, size_t size);
    /* Sets the target's name in the operation, for a server with this spec. */
    void (*aim)(const struct mcph_target *target, const struct mcph_spec *spec,
                struct mcph_operation *op);
    int form;           /* the form of the result, MCPH_RESULT_* */
    const char *folder; /* the folder for artifacts of the result; NULL means the
                         * tool's name */
    /* Checks a result.  Returns 0, or the code that the call fails with. */
    int (*check_result)(mcphost_call *call, struct mcph_span result,
                        mcphost_error **reterr);
};

extern const struct mcph_target_kind mcph_target_tool, mcph_target_app_tool,
    mcph_target_read, mcph_target_prompt, mcph_target_completion, mcph_target_task,
    mcph_target_get_task, mcph_target_update_task, mcph_target_cancel_task,
    mcph_target_get_skill, mcph_target_skill_file, mcph_target_directory;

/* Makes the error "server 'id': answered METHOD with WHY" about an unusable result.
 * Returns MCPHOST_E_PROTOCOL. */
int mcph_target_refuse(const mcphost_call *call, const char *why, mcphost_error **reterr);
/* Check the results of calls for skills.  These functions of skill.c are used as
 * `check_result`. */
int mcph_skill_check_entry(mcphost_call *call, struct mcph_span result,
                           mcphost_error **reterr);
int mcph_skill_check_file(mcphost_call *call, struct mcph_span result,
                          mcphost_error **reterr);
int mcph_skill_check_directory(mcphost_call *call, struct mcph_span result,
                               mcphost_error **reterr);

/* Makes the tool the call's target, and takes over the reference.  If `tool` is NULL, the
 * tool is not known yet. */
static inline void
mcph_target_set_tool(struct mcph_target *target, mcphost_tool *tool)
{
    target->kind = &mcph_target_tool;
    target->tool = tool;
    target->block = tool ? tool->block : NULL;
}

/* Returns the server's id, or NULL if the tool is a built-in or not known yet. */
static inline const char *
mcph_target_server_id(const struct mcph_target *target)
{
    return target->block && target->block->spec ? target->block->spec->id : NULL;
}

/* Returns the source's id, or NULL for the default source, for a built-in, and for a tool
 * that is not known yet. */
static inline const char *
mcph_target_source_id(const struct mcph_target *target)
{
    return target->block && target->block->spec ? target->block->source : NULL;
}

/* ---- calls (call.c, run.c, starting.c, meta.c, and the files that are named below) - */

enum { MCPH_CALL_NEW, MCPH_CALL_STARTED, MCPH_CALL_ENDED, MCPH_CALL_DONE };

struct mcphost_call {
    struct mcph_refs refs;
    mcphost *host; /* `dialog` keeps the host's memory */
    mcphost_dialog *dialog;
    struct mcph_target target;
    char *wanted; /* the name of a tool that no server offered when the call was made;
                   * otherwise NULL */
    int64_t waits_since;
    char *completed;       /* for a call with `wanted`, the arguments and the defaults
                            * of the tool's schema; or NULL */
    const char *arguments; /* in the memory behind the call, or `completed` */
    char *meta;
    size_t arguments_len, meta_len;
    struct mcph_trace *trace; /* NULL if the call has no trace context */
    /* The task that the server runs for the call, or NULL.  Set under the lock. */
    struct mcph_task *task;
    int64_t timeout_ms, max_ms; /* -2 means the default, -1 means no limit */
    bool progress_wanted, progress_resets;
    uint8_t log_level; /* the log level (MCPHOST_MESSAGES_*) for a modern server whose
                        * entry names no level */
    unsigned depth;    /* the number of nested sampling requests that led to this call */
    struct mcph_progress *progress; /* defined in progress.c; NULL if no function was
                                     * set */
    void *_Atomic user_data;
    struct mcph_approval *approval; /* defined in approval.c; NULL if no function is
                                     * asked before the call; set under the lock */

    mcphost_done_fn done;
    void *arg;
    mcphost_free_fn free_arg;
    atomic_int state; /* MCPH_CALL_* */
    atomic_bool
        cancelled; /* the application has cancelled the call; set under the lock */
    bool tracing;  /* mcphost_trace_context_fn is running; guarded by the lock */
    bool active;   /* the call runs and has not ended; dispatcher only */
    struct mcph_job submit, cancel;
    struct mcph_delivery delivery;

    /* The members down to `deadline` are used by the dispatcher only. */
    struct mcph_list link;    /* in host->calls from the first run of `submit` to the
                               * end of the call */
    struct mcph_restart wait; /* in the list of a server's restarts, or in
                               * host->waiting */
    struct mcph_instance *instance;
    struct mcph_operation op;
    struct mcph_handling *handling; /* set if a built-in tool carries out the call;
                                     * changed only under the lock */
    struct mcph_carried *carried;   /* set while a provider carries out the call */
    struct mcph_timer deadline;     /* the timer of calls at built-in tools and
                                     * providers, and of calls that wait for a tool or
                                     * for the application's approval; the client times
                                     * all other requests, and task->timer times the
                                     * wait for a task */

    /* `result` and `error` are set before `state` becomes MCPH_CALL_ENDED. */
    mcphost_result *result;
    mcphost_error *error;
    /* Memory for the result of a server's answer, to save an allocation.  If this memory
     * is used, the call holds a reference to the result.  When the call is freed, the
     * application may still have references to the result.  Therefore the memory of the
     * call is freed together with the result. */
    mcphost_result answer_room;
};

/* Sets the function that gets the call's progress, in place of the function that was set
 * before (progress.c).  On failure the caller keeps `arg`. */
int mcph_progress_set(mcphost_call *call, mcphost_progress_fn fn, void *arg,
                      mcphost_free_fn free_arg);
void mcph_progress_done(mcphost_call *call); /* frees the function's `arg` */
/* Reports progress of the call to the call's progress function, and emits
 * MCPHOST_EVENT_PROGRESS.  If the total is unknown, `total` is NaN.  `text` may be NULL.
 * Only the dispatcher may call this. */
void mcph_progress_tell(mcphost_call *call, double progress, double total,
                        const char *text);
void mcph_progress_received(struct mcph_operation *op,
                            const struct mcph_client_progress *progress);

/* Work like mcphost_set_before_call(), mcphost_set_trace_context(), mcphost_call_allow()
 * and mcphost_call_refuse() (approval.c).  On failure the caller keeps `arg`. */
int mcph_approval_set(mcphost *host, mcphost_before_call_fn fn, void *arg,
                      mcphost_free_fn free_arg);
int mcph_approval_set_trace(mcphost *host, mcphost_trace_context_fn fn, void *arg,
                            mcphost_free_fn free_arg);
int mcph_approval_allow(mcphost_call *call);
int mcph_approval_refuse(mcphost_call *call, const char *text, size_t len);
void mcph_approval_free(struct mcph_approval *approval); /* may be NULL */
/* Asks the application about the call, if mcphost_set_before_call() or
 * mcphost_set_trace_context() has set a function.  Returns true if the call must not run
 * now, because the application is asked first or the call has failed.  If the application
 * allows the call, the call is run again.  Only the dispatcher may call this. */
bool mcph_approval_awaits(mcphost_call *call);

/* Finds the tool that the dialog's model knows by this name now.  *ret gets a reference.
 * Returns 0, an error code, or MCPHOST_E_BUSY if there is no tool of this name yet but a
 * server is still starting or no server was started yet.  If the view has a grant,
 * returns MCPHOST_E_DENIED instead of MCPHOST_E_NOTFOUND and, if `waits` is false, also
 * instead of MCPHOST_E_BUSY.  Any thread may call this. */
int mcph_call_find(mcphost_dialog *dialog, const char *name, bool waits,
                   mcphost_tool **ret, mcphost_error **reterr);
/* Makes a call of a tool that a server may offer later (MCPHOST_OPT_WAIT_STARTING). */
int mcph_call_make_waiting(mcphost_dialog *dialog, const char *name,
                           const char *arguments, size_t len, mcphost_call **ret,
                           mcphost_error **reterr);
/* Returns the call's tool, or NULL while the call waits for its tool.  Any thread may
 * call this. */
mcphost_tool *mcph_call_get_tool(const mcphost_call *call);
struct mcph_span mcph_call_get_arguments(const mcphost_call *call);
/* Makes the call wait until its tool is found, then runs the call again.  The call fails
 * if no server can offer the tool any more, or if the time is up.  Only the dispatcher
 * may call this. */
void mcph_call_await_target(mcphost_call *call);
/* Posts the job that looks for the tools that calls wait for.  Call this when a server's
 * state has changed. */
void mcph_calls_wake(mcphost *host);
void mcph_calls_look(struct mcph_job *job);
/* Makes a call with a copy of the arguments and `more` bytes of room behind their NUL.
 * The caller sets the target.  Returns NULL if memory is short. */
mcphost_call *mcph_call_alloc(mcphost_dialog *dialog, struct mcph_span arguments,
                              size_t more);
/* Makes a call of an app's tool, as mcphost_call_new_app_tool() does. */
int mcph_call_make_app_tool(mcphost_dialog *dialog, const char *server, const char *name,
                            const char *arguments, size_t len, mcphost_call **ret,
                            mcphost_error **reterr);
/* Makes a call that reads a resource (reading.c).  `server` is the server's id or key in
 * the dialog's view. */
int mcph_call_make_read(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                        mcphost_call **ret, mcphost_error **reterr);
/* Makes a call that gets a prompt (reading.c).  `name` is the prompt's name in the
 * dialog's view.  If `arguments` has p NULL, the prompt gets no arguments. */
int mcph_call_make_prompt(mcphost_dialog *dialog, const char *name,
                          struct mcph_span arguments, mcphost_call **ret,
                          mcphost_error **reterr);
/* The variable of a template, or the argument of a prompt, whose value is completed.
 * `value` is the beginning of the value.  `context` is an object with the values of the
 * other variables or arguments.  If `context` has p NULL, no other values are given. */
struct mcph_completion {
    struct mcph_span argument, value, context;
};
int mcph_call_complete_template(mcphost_dialog *dialog, const char *server,
                                struct mcph_span template, struct mcph_completion wanted,
                                mcphost_call **ret, mcphost_error **reterr);
int mcph_call_complete_prompt(mcphost_dialog *dialog, const char *name,
                              struct mcph_completion wanted, mcphost_call **ret,
                              mcphost_error **reterr);
/* Makes a call of a kind whose target has a name (reading.c).  Takes over the block, also
 * on failure.  *ret_more gets `more` bytes of room behind the name, in the call's memory.
 * If `arguments` has p NULL, the call has no arguments. */
int mcph_call_make_named(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                         struct mcph_block *block, struct mcph_span name,
                         struct mcph_span arguments, size_t more, char **ret_more,
                         mcphost_call **ret, mcphost_error **reterr);
/* Make calls for skills (skill.c).  mcph_call_make_get_skill() gets the entry of a skill.
 * mcph_call_make_skill_file() reads a file of the skill, or SKILL.md if `file` is NULL.
 * The file is checked against `entry`.  The result of mcph_call_make_get_skill() can be
 * used as `entry`.  mcph_call_make_directory() lists a directory from `cursor` on, or
 * from the beginning if `cursor` is NULL. */
int mcph_call_make_get_skill(mcphost_dialog *dialog, const char *server,
                             struct mcph_span uri, mcphost_call **ret,
                             mcphost_error **reterr);
int mcph_call_make_skill_file(mcphost_dialog *dialog, const char *server,
                              struct mcph_span entry, const char *file,
                              mcphost_call **ret, mcphost_error **reterr);
int mcph_call_make_directory(mcphost_dialog *dialog, const char *server,
                             struct mcph_span uri, const char *cursor, mcphost_call **ret,
                             mcphost_error **reterr);
/* Makes a call about a task whose id the application has kept.  `kind` is one of the
 * targets for tasks.  If `responses` has p NULL, the call sends no responses. */
int mcph_call_make_for_task(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                            const char *server, const char *id,
                            struct mcph_span responses, mcphost_call **ret,
                            mcphost_error **reterr);
/* Makes a call of the tool.  Takes over the reference to `tool`, also on failure. */
int mcph_call_make(mcphost_dialog *dialog, mcphost_tool *tool, const char *arguments,
                   size_t len, mcphost_call **ret, mcphost_error **reterr);
/* Checks that no member of the object is reserved by MCP.  Returns 0 or
 * MCPHOST_E_INVALID. */
int mcph_meta_check_free(struct mcph_span meta, mcphost_error **reterr);
/* Appends the object `meta` to `buf`, without the members that the protocol reserves. */
int mcph_meta_add_free(struct mcph_buf *buf, struct mcph_span meta);
/* Adds the members of `own`, an object in canonical form, to the call's _meta.  A member
 * that _meta already has is kept.  If both members are objects, the two objects are
 * merged.  Members that the protocol reserves are left out.  Call this on the dispatcher
 * before the call is sent.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_call_merge_meta(mcphost_call *call, const char *own);
int mcph_call_set_meta(mcphost_call *call, const char *json, size_t len,
                       mcphost_error **reterr);
/* Sets the call's trace context, as mcphost_call_set_trace_context() does.  `parts` has
 * the form that mcph_trace_new() describes. */
int mcph_call_set_trace(mcphost_call *call, const char *const *parts,
                        mcphost_error **reterr);
int mcph_call_submit(mcphost_call *call, mcphost_done_fn done, void *arg,
                     mcphost_free_fn free_arg);
int mcph_call_request_cancel(mcphost_call *call);
void mcph_call_put(mcphost_call *call);
/* Checks the arguments of a call as the policy says.  With MCPHOST_ARGUMENTS_COMPLETE,
 * also adds the defaults of the schema (validate.c).  Removes the white space around
 * *json.  If defaults were added, *json then points into *ret_holds.  If `tool` is NULL,
 * the tool is not known yet, and the arguments need only be JSON. */
int mcph_validate_arguments(mcphost *host, const mcphost_tool *tool,
                            struct mcph_span *json, mcphost_schema_report **ret_holds,
                            mcphost_error **reterr);
/* Checks the structured content of `result`, the object that the server answered with, as
 * the policy on results says.  Returns 0, or the code that the call fails with. */
int mcph_validate_result(mcphost_call *call, struct mcph_span result,
                         mcphost_error **reterr);
/* Checks the answer of a built-in tool against the tool's output schema, whatever
 * MCPHOST_OPT_RESULTS is. */
int mcph_validate_answer(mcphost *host, const mcphost_tool *tool, struct mcph_span result,
                         mcphost_error **reterr);
/* Makes the result of a server's answer in the call's `answer_room`.  Call this once for
 * each call, while the call is active. */
mcphost_result *mcph_call_take_answer(mcphost_call *call, struct mcph_frame *frame,
                                      struct mcph_span json);
/* mcph_carrying_begin() gives the call to the provider of the instance.
 * mcph_carrying_begin() returns false if the call must go to the instance's client, as
 * for any other server.  mcph_carrying_ended() cleans up after a call that ends without
 * the provider's answer.  Only the dispatcher may call these functions of carrying.c. */
bool mcph_carrying_begin(mcphost_call *call, struct mcph_instance *inst,
                         int64_t timeout_ms);
void mcph_carrying_ended(mcphost_call *call);
/* Passes on the application's answer to a question that the provider asked during the
 * call. */
void mcph_carrying_answer(mcphost_call *call, struct mcph_ask_out *asked, int code,
                          struct mcph_span result, mcphost_error *error);
/* Ends the calls at a provider whose instance is DEAD. */
void mcph_carrying_lost(const struct mcph_instance *inst, mcphost *host);
/* Ends the call now.  Takes over `result`.  `error` is borrowed, and is NULL if `code` is
 * 0.  Only the dispatcher may call this function and the functions that follow. */
void mcph_call_finish(mcphost_call *call, int code, mcphost_result *result,
                      mcphost_error *error);
void mcph_call_fail(mcphost_call *call, int code, const char *text);
/* Ends the call with its server's answer, and notes in the server's state whether the
 * server failed. */
void mcph_call_conclude(mcphost_call *call, const struct mcph_client_answer *answer);
/* Ends all calls of a list, and empties the list (host.c). */
void mcph_calls_cancel(struct mcph_list *calls, const char *text);
/* Ends a call of an mcp_admin tool with the text that `fmt` gives.  `is_error` marks the
 * result as an error. */
void mcph_call_say(mcphost_call *call, bool is_error, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
void mcph_call_run(struct mcph_job *job);
void mcph_call_run_cancel(struct mcph_job *job);
void mcph_call_deliver(struct mcph_delivery *delivery);

#endif
