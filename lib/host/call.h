/* SPDX-License-Identifier: MIT
 *
 * call.h - calls: what they are for, and their way from the start to the completion.
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

/* ---- what a call is for (target.c) ------------------------------------------------- */

/* What run.c carries out without knowing what it is. */
struct mcph_target {
    const struct mcph_target_kind *kind;
    struct mcph_block *block; /* which offered it, held by the target; NULL while the call
                               * waits for it.  Set under the lock, and so is this: */
    mcphost_tool *tool;       /* of a tool's kind, a reference, which holds the block */
    struct mcph_span name;    /* of other kinds: the URI, the prompt's original name, or
                               * what is completed; in the memory of the call */
};

/* What a kind differs in; for a target that is known, on the dispatcher. */
struct mcph_target_kind {
    const struct mcph_method *method; /* of the operation */
    /* 0, or why the dialog may not have it now. */
    int (*check)(mcphost_call *call, mcphost_error **reterr);
    /* Whether `block`, a newer one of the same server, offers it, too. */
    bool (*is_in)(const struct mcph_target *target, const struct mcph_block *block);
    /* How messages call it, and what it is if `block` (NULL: none) does not offer it. */
    void (*describe)(const struct mcph_target *target, char *text, size_t size);
    void (*describe_missing)(const struct mcph_target *target,
                             const struct mcph_block *block, char *text, size_t size);
    /* Names it in the operation, at a server with this spec. */
    void (*aim)(const struct mcph_target *target, const struct mcph_spec *spec,
                struct mcph_operation *op);
    int form;           /* of the result, MCPH_RESULT_* */
    const char *folder; /* of artifacts, where that is not the tool's name */
    /* 0, or the code that the call is to fail with. */
    int (*check_result)(mcphost_call *call, struct mcph_span result,
                        mcphost_error **reterr);
};

extern const struct mcph_target_kind mcph_target_tool, mcph_target_app_tool,
    mcph_target_read, mcph_target_prompt, mcph_target_completion, mcph_target_task,
    mcph_target_get_task, mcph_target_update_task, mcph_target_cancel_task,
    mcph_target_get_skill, mcph_target_skill_file, mcph_target_directory;

/* The result is no good, because `why`: "server 'id': answered METHOD with WHY".  Returns
 * MCPHOST_E_PROTOCOL. */
int mcph_target_refuse(const mcphost_call *call, const char *why, mcphost_error **reterr);
/* skill.c: as check_result. */
int mcph_skill_check_entry(mcphost_call *call, struct mcph_span result,
                           mcphost_error **reterr);
int mcph_skill_check_file(mcphost_call *call, struct mcph_span result,
                          mcphost_error **reterr);
int mcph_skill_check_directory(mcphost_call *call, struct mcph_span result,
                               mcphost_error **reterr);

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

/* NULL: the default source's, or none. */
static inline const char *
mcph_target_source_id(const struct mcph_target *target)
{
    return target->block && target->block->spec ? target->block->source : NULL;
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
    struct mcph_trace *trace; /* NULL: none */
    /* What its server goes on with; NULL: none.  Set under the lock. */
    struct mcph_task *task;
    int64_t timeout_ms, max_ms; /* -2: the default */
    bool progress_wanted, progress_resets;
    uint8_t log_level; /* MCPHOST_MESSAGES_* of a modern server whose entry names none */
    unsigned depth;    /* sampling requests that it serves to answer, one for another */
    struct mcph_progress *progress; /* of progress.c; NULL: events alone */
    void *_Atomic user_data;
    struct mcph_approval *approval; /* of approval.c; NULL: nobody is asked; set under
                                     * the lock */

    mcphost_done_fn done;
    void *arg;
    mcphost_free_fn free_arg;
    atomic_int state; /* MCPH_CALL_* */
    bool cancelled;   /* asked for; under the lock */
    bool tracing;     /* mcphost_trace_context_fn runs; under the lock */
    bool active;      /* the dispatcher's, as what follows */
    struct mcph_job submit, cancel;
    struct mcph_delivery delivery;

    /* the dispatcher's */
    struct mcph_list link;    /* in host->calls while STARTED and taken */
    struct mcph_restart wait; /* for a server's restart; its link also in host->waiting */
    struct mcph_instance *instance;
    struct mcph_operation op;
    struct mcph_handling *handling; /* by a built-in tool, once it has the call; set under
                                     * the lock */
    struct mcph_carried *carried;   /* by a provider, until it has answered */
    struct mcph_timer deadline;     /* likewise, and of the wait for a tool; that of a
                                     * server's tool is the client's business */

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

/* approval.c.  Set, allow and refuse are as the public functions, but on failure `arg`
 * stays the caller's. */
int mcph_approval_set(mcphost *host, mcphost_before_call_fn fn, void *arg,
                      mcphost_free_fn free_arg);
int mcph_approval_set_trace(mcphost *host, mcphost_trace_context_fn fn, void *arg,
                            mcphost_free_fn free_arg);
int mcph_approval_allow(mcphost_call *call);
int mcph_approval_refuse(mcphost_call *call, const char *text, size_t len);
void mcph_approval_free(struct mcph_approval *approval); /* NULL is fine */
/* The dispatcher's: whether the call has to wait, as the application is asked first, or
 * has failed; once it is allowed, it is run again. */
bool mcph_approval_awaits(mcphost_call *call);

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
struct mcph_span mcph_call_get_arguments(const mcphost_call *call);
/* The dispatcher's: waits for what the call is for, then runs it again. */
void mcph_call_await_target(mcphost_call *call);
/* A server's state has changed: looks for the tools that calls wait for, by a job. */
void mcph_calls_wake(mcphost *host);
void mcph_calls_look(struct mcph_job *job);
/* A call whose target is to be set, with a copy of the arguments and room for `more`
 * bytes behind their NUL.  NULL: no memory. */
mcphost_call *mcph_call_alloc(mcphost_dialog *dialog, struct mcph_span arguments,
                              size_t more);
/* reading.c: what is no tool call.  The server by its key in the dialog's view. */
/* As mcphost_call_new_app_tool(). */
int mcph_call_make_app_tool(mcphost_dialog *dialog, const char *server, const char *name,
                            const char *arguments, size_t len, mcphost_call **ret,
                            mcphost_error **reterr);
int mcph_call_make_read(mcphost_dialog *dialog, const char *server, struct mcph_span uri,
                        mcphost_call **ret, mcphost_error **reterr);
/* By the name that the dialog's view has for it; `arguments` p NULL: none. */
int mcph_call_make_prompt(mcphost_dialog *dialog, const char *name,
                          struct mcph_span arguments, mcphost_call **ret,
                          mcphost_error **reterr);
/* Of a template's variable, or of a prompt's argument: `value` is its beginning,
 * `context` (p NULL: none) an object of the other ones' values. */
struct mcph_completion {
    struct mcph_span argument, value, context;
};
int mcph_call_complete_template(mcphost_dialog *dialog, const char *server,
                                struct mcph_span template, struct mcph_completion wanted,
                                mcphost_call **ret, mcphost_error **reterr);
int mcph_call_complete_prompt(mcphost_dialog *dialog, const char *name,
                              struct mcph_completion wanted, mcphost_call **ret,
                              mcphost_error **reterr);
/* A call of a kind that has a name; takes over the block.  What is left behind the name
 * in the call's memory has room for `more` bytes: *ret_more.  `arguments` p NULL: none.
 * */
int mcph_call_make_named(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                         struct mcph_block *block, struct mcph_span name,
                         struct mcph_span arguments, size_t more, char **ret_more,
                         mcphost_call **ret, mcphost_error **reterr);
/* skill.c.  The entry of a skill; one of its files, NULL: its SKILL.md, checked against
 * this entry, which may be what the first was answered with; a directory, from this
 * cursor (NULL: the beginning) on. */
int mcph_call_make_get_skill(mcphost_dialog *dialog, const char *server,
                             struct mcph_span uri, mcphost_call **ret,
                             mcphost_error **reterr);
int mcph_call_make_skill_file(mcphost_dialog *dialog, const char *server,
                              struct mcph_span entry, const char *file,
                              mcphost_call **ret, mcphost_error **reterr);
int mcph_call_make_directory(mcphost_dialog *dialog, const char *server,
                             struct mcph_span uri, const char *cursor, mcphost_call **ret,
                             mcphost_error **reterr);
/* Of a task of which the application has kept the id, by the kind of target.  `responses`
 * p NULL: none. */
int mcph_call_make_for_task(mcphost_dialog *dialog, const struct mcph_target_kind *kind,
                            const char *server, const char *id,
                            struct mcph_span responses, mcphost_call **ret,
                            mcphost_error **reterr);
/* Takes over the reference to `tool`, whatever comes of it. */
int mcph_call_make(mcphost_dialog *dialog, mcphost_tool *tool, const char *arguments,
                   size_t len, mcphost_call **ret, mcphost_error **reterr);
/* Appends the object without the members that are the protocol's. */
int mcph_meta_add_free(struct mcph_buf *buf, struct mcph_span meta);
/* On the dispatcher, before the call is sent: puts the members of `own`, an object in
 * canonical form, under those of the call's own _meta.  0, MCPHOST_E_NOMEM. */
int mcph_call_merge_meta(mcphost_call *call, const char *own);
int mcph_call_set_meta(mcphost_call *call, const char *json, size_t len,
                       mcphost_error **reterr);
/* As the public function; the parts are those of mcph_trace_new(). */
int mcph_call_set_trace(mcphost_call *call, const char *const *parts,
                        mcphost_error **reterr);
int mcph_call_submit(mcphost_call *call, mcphost_done_fn done, void *arg,
                     mcphost_free_fn free_arg);
int mcph_call_request_cancel(mcphost_call *call);
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
/* The same of a built-in's answer, whatever the policy for servers is. */
int mcph_validate_answer(mcphost *host, const mcphost_tool *tool, struct mcph_span result,
                         mcphost_error **reterr);
mcphost_result *mcph_call_take_answer(mcphost_call *call, struct mcph_frame *frame,
                                      struct mcph_span json);
/* carrying.c, the dispatcher's: false: the call goes to the instance's client, as at any
 * server.  Ended: by something else than the provider's answer. */
bool mcph_carrying_begin(mcphost_call *call, struct mcph_instance *inst,
                         int64_t timeout_ms);
void mcph_carrying_ended(mcphost_call *call);
/* What the application said to a question of the provider's in the course of the call. */
void mcph_carrying_answer(mcphost_call *call, struct mcph_ask_out *asked, int code,
                          struct mcph_span result, mcphost_error *error);
/* The instance is DEAD: its calls end. */
void mcph_carrying_lost(const struct mcph_instance *inst, mcphost *host);
/* run.c, the dispatcher's: ends the call now.  Takes over `result`; `error` is
 * borrowed and, when code is 0, NULL. */
void mcph_call_finish(mcphost_call *call, int code, mcphost_result *result,
                      mcphost_error *error);
void mcph_call_fail(mcphost_call *call, int code, const char *text);
/* The same by what its server answered, of which the server's state takes note. */
void mcph_call_conclude(mcphost_call *call, const struct mcph_client_answer *answer);
/* Ends all calls of a list, which is empty then. */
void mcph_calls_cancel(struct mcph_list *calls, const char *text);
/* Ours: a built-in's answer from the dispatcher. */
void mcph_call_say(mcphost_call *call, bool is_error, const char *fmt, ...)
    MCPHOST_PRINTF(3, 4);
void mcph_call_run(struct mcph_job *job);
void mcph_call_run_cancel(struct mcph_job *job);
void mcph_call_deliver(struct mcph_delivery *delivery);

#endif
