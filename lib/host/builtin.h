/* SPDX-License-Identifier: MIT
 *
 * builtin.h - built-in tools: making blocks (builtin.c), showing blocks in views
 * (shown.c), calling the tools (handling.c), the tools for resources and skills
 * (offered.c), and the toolset mcp_admin (admin.c, settable.c).
 */
#ifndef MCPH_HOST_BUILTIN_H
#define MCPH_HOST_BUILTIN_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

struct mcph_handling;
struct mcph_stack;

/* ---- blocks of built-in tools (builtin.c) ------------------------------------------ */

/* A built-in tool: its definition, and the function that carries out its calls.  The tool
 * never changes.  Each block that contains the tool and each call of the tool has a
 * reference to the tool.  When the last reference is dropped, `arg` is freed. */
struct mcph_builtin {
    struct mcph_refs refs;
    char *name, *definition;
    size_t definition_len;
    void (*own)(mcphost_call *call); /* the function of a tool of mcp_admin, called at
                                      * once, on the dispatcher; or NULL */
    mcphost_builtin_fn fn;           /* the function of any other tool, called by
                                      * delivery */
    void *arg;
    mcphost_free_fn free_arg;
};

/* The parts of a definition that is not written as JSON yet. */
struct mcph_builtin_draft {
    const char *name, *description; /* `description` may be NULL */
    const char *schema;             /* a JSON object */
    const char *annotations;        /* a JSON object, or NULL */
};

/* A block that is being built: tools, and the toolsets that they are in.  One thread
 * builds the block.  The block is immutable once a view has shown it. */
struct mcphost_builtins {
    struct mcph_refs refs;
    atomic_bool frozen;
    char *owner;
    struct mcph_vec tools; /* struct mcph_builtin * */
    struct mcph_vec sets;  /* struct set *, defined in builtin.c */
};

/* Makes a tool with this definition.  `how` has the tool's function and its `arg`.  Takes
 * over how->arg, also on failure.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (the
 * definition is too long, or its schema is too expensive), MCPHOST_E_NOMEM. */
int mcph_builtin_new(struct mcph_span definition, const struct mcph_builtin *how,
                     struct mcph_builtin **ret, mcphost_error **reterr);
int mcph_builtin_new_draft(const struct mcph_builtin_draft *draft,
                           const struct mcph_builtin *how, struct mcph_builtin **ret,
                           mcphost_error **reterr);
struct mcph_builtin *mcph_builtin_ref(struct mcph_builtin *tool);
/* Drops a reference.  Never call this under the lock: when the last reference is
 * dropped, `free_arg` runs, and it is user code.  `tool` may be NULL. */
void mcph_builtin_unref(struct mcph_builtin *tool);

int mcph_builtins_new(const char *owner, mcphost_builtins **ret);
mcphost_builtins *mcph_builtins_ref(mcphost_builtins *builtins);
/* Drops a reference.  Never call this under the lock: when the last reference is
 * dropped, the tools are freed, and their `free_arg` may run.  `builtins` may be NULL. */
void mcph_builtins_unref(mcphost_builtins *builtins);
/* Adds the tool, with a reference.  Returns 0, MCPHOST_E_STATE (`builtins` is frozen),
 * MCPHOST_E_EXISTS, MCPHOST_E_NOMEM. */
int mcph_builtins_add(mcphost_builtins *builtins, struct mcph_builtin *tool,
                      mcphost_error **reterr);
/* Adds a toolset of these tools.  Returns 0, MCPHOST_E_STATE (`builtins` is frozen),
 * MCPHOST_E_EXISTS, MCPHOST_E_INVALID (the name is empty, or a tool is named twice),
 * MCPHOST_E_NOTFOUND (a tool does not exist), MCPHOST_E_NOMEM. */
int mcph_builtins_add_set(mcphost_builtins *builtins, const char *name,
                          const char *description, const char *const *tools, size_t n,
                          mcphost_error **reterr);
/* Makes the block of built-ins for the catalogs of the host `realm`.  Returns 0,
 * MCPHOST_E_INVALID (a tool is in no toolset), or an error of
 * mcph_block_new_builtin(). */
int mcph_builtins_make_block(mcphost_builtins *builtins, const void *realm,
                             struct mcph_block **ret, mcphost_error **reterr);
/* Makes a copy that is not frozen.  The copy lacks the tool `without`, and any toolset
 * that would be empty.  If `without` is NULL, the copy has all tools.  If `from` is NULL,
 * the copy is empty. */
int mcph_builtins_copy(const mcphost_builtins *from, const char *without,
                       mcphost_builtins **ret);
/* These functions change a copy.  mcph_builtins_put_in() adds a tool to a toolset, and
 * makes the toolset if it does not exist.  mcph_builtins_describe() sets a toolset's
 * description.  If `text` is NULL, the toolset has no description.
 * mcph_builtins_describe() returns MCPHOST_E_NOTFOUND if the toolset does not exist. */
int mcph_builtins_put_in(mcphost_builtins *builtins, const char *toolset,
                         const char *name, mcphost_error **reterr);
int mcph_builtins_describe(mcphost_builtins *builtins, const char *toolset,
                           const char *text, mcphost_error **reterr);
/* Returns true if `builtins` has a tool of this name.  Returns false if `builtins` is
 * NULL. */
bool mcph_builtins_has(const mcphost_builtins *builtins, const char *name);

/* ---- the blocks that views show (shown.c) ------------------------------------------ */

/* A block of built-in tools that a view shows. */
struct mcph_shown {
    mcphost_builtins *builtins; /* a reference */
    struct mcph_block *block;   /* a reference to the block in the view's catalogs */
};

/* These functions set and remove a block as mcphost_view_set_builtins() and
 * mcphost_view_remove_builtins() do.  The view must have layers of its own, or be the
 * default view.  Any thread may call these functions. */
int mcph_shown_set(struct mcph_stack *stack, mcphost_builtins *builtins,
                   mcphost_error **reterr);
int mcph_shown_remove(struct mcph_stack *stack, const char *owner,
                      mcphost_error **reterr);
/* These functions change the block with the built-in tools that were added to a view one
 * by one.  mcph_shown_add_tool() adds a tool, with a reference.  mcph_shown_remove_tool()
 * removes a tool.  mcph_shown_describe() sets the description of a toolset. */
int mcph_shown_add_tool(struct mcph_stack *stack, const char *toolset,
                        struct mcph_builtin *tool, mcphost_error **reterr);
int mcph_shown_remove_tool(struct mcph_stack *stack, const char *name,
                           mcphost_error **reterr);
int mcph_shown_describe(struct mcph_stack *stack, const char *toolset, const char *text,
                        mcphost_error **reterr);
/* Checks that no name in the view's own blocks is also in the host's blocks.  Returns 0
 * or MCPHOST_E_EXISTS.  Call this under the lock. */
int mcph_shown_check_locked(const struct mcph_stack *stack);
/* Sets MCPHOST_OPT_ADMIN_TOOLS.  Puts mcp_admin into the catalogs, or removes mcp_admin
 * from the catalogs.  Any thread may call this, before the load.  Returns 0,
 * MCPHOST_E_EXISTS (a built-in tool or toolset of the application has a name that
 * mcp_admin uses), MCPHOST_E_STATE (the host is loaded), MCPHOST_E_NOMEM,
 * MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_shown_offer_own(mcphost *host, bool on);
/* Returns the block with the index `at` among all blocks that the stack shows, or NULL
 * past the end.  Call this under the lock. */
const struct mcph_shown *mcph_shown_at(const struct mcph_stack *stack, size_t at);
/* Finds the built-in tool that carries out `tool` now for a dialog on this stack.
 * Returns a reference, or NULL if the stack shows no tool that can carry out `tool`.  A
 * tool of mcp_admin is found even if the stack does not show mcp_admin.  *ret_block gets
 * a reference to a block that has the owner of `tool` and a tool with the original name
 * of `tool`, or NULL.  Any thread may call this. */
struct mcph_builtin *mcph_shown_find(struct mcph_stack *stack, mcphost_tool *tool,
                                     struct mcph_block **ret_block);
void mcph_shown_done(struct mcph_vec *shown);
/* Drops the blocks of the host and of all its views.  Call this when the host ends. */
void mcph_shown_drop_all(mcphost *host);

/* ---- calls of built-in tools (handling.c) ------------------------------------------ */

/* Gives the call to the tool.  Takes over the reference to `tool`.  Only the dispatcher
 * may call this. */
void mcph_handling_begin(mcphost_call *call, struct mcph_builtin *tool,
                         int64_t timeout_ms);
/* Runs the mcphost_cancelled_fn of a call that has ended, unless the tool itself ended
 * the call. */
void mcph_handling_ended(mcphost_call *call);
void mcph_handling_free(struct mcph_handling *handling); /* `handling` may be NULL */
/* These functions do the work of the public functions mcphost_call_answer(),
 * mcphost_call_answer_result(), mcphost_call_report_progress() and
 * mcphost_call_is_cancelled().  Any thread may call them. */
int mcph_handling_answer(mcphost_call *call, const char *text, size_t len, bool is_error);
int mcph_handling_answer_result(mcphost_call *call, const char *json, size_t len,
                                mcphost_error **reterr);
int mcph_handling_report(mcphost_call *call, double progress, double total,
                         const char *text, size_t len);
bool mcph_handling_is_cancelled(mcphost_call *call);
/* Sets the call's mcphost_cancelled_fn.  On failure the caller keeps `arg`. */
int mcph_handling_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn, void *arg,
                                mcphost_free_fn free_arg);

/* ---- tools for resources and skills (offered.c) ------------------------------------ */

/* Adds tools for resources and skills to a view, one by one.  `which` is a combination
 * of MCPHOST_RESOURCE_TOOL_*, and names the tools.  On failure, removes the tools that
 * were added before the failure.  If memory is short, a removal may fail, too.  The
 * view must have layers of its own, or be the default view.  Any thread may call
 * this. */
int mcph_resources_offer(struct mcph_stack *stack, unsigned which,
                         mcphost_error **reterr);

/* ---- the toolset mcp_admin (admin.c) ----------------------------------------------- */

#define MCPH_ADMIN_TOOLSET "mcp_admin"

/* Makes the block of mcp_admin.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_admin_init(mcphost *host);

/* ---- variables that a model may set (settable.c) ----------------------------------- */

/* Returns why env_set and env_unset of this dialog must not change the variable, or NULL
 * if these tools may change it.  Only the dispatcher may call this. */
const char *mcph_settable_refuse(const mcphost_dialog *dialog, const char *name);
/* Sets which variables a model may set, as mcphost_set_admin_env() does. */
int mcph_settable_set(mcphost *host, const char *const *refused,
                      const char *const *allowed);
void mcph_settable_done(mcphost *host);

#endif
