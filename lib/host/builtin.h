/* SPDX-License-Identifier: MIT
 *
 * builtin.h - built-in tools: blocks of them (builtin.c), the blocks that views show
 * (shown.c), calls of the tools (handling.c), tools for resources and skills (offered.c),
 * and the toolset mcp_admin (admin.c, settable.c).
 */
#ifndef MCPH_HOST_BUILTIN_H
#define MCPH_HOST_BUILTIN_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

struct mcph_handling;
struct mcph_stack;

/* ---- blocks of built-in tools (builtin.c) ------------------------------------------ */

/* A tool: its definition, and the function that carries it out.  Immutable.  Blocks have
 * references to the tool, and so has each call that it was given, so `arg` outlives
 * both. */
struct mcph_builtin {
    struct mcph_refs refs;
    char *name, *definition;
    size_t definition_len;
    void (*own)(mcphost_call *call); /* of mcp_admin: runs at once, on the dispatcher;
                                      * or NULL */
    mcphost_builtin_fn fn;           /* any other tool's function, which runs by
                                      * delivery */
    void *arg;
    mcphost_free_fn free_arg;
};

/* The parts of a definition that is not written as JSON yet. */
struct mcph_builtin_draft {
    const char *name, *description; /* description NULL: none */
    const char *schema;             /* a JSON object */
    const char *annotations;        /* a JSON object, or NULL */
};

/* A block in the making: tools, and the toolsets that they are in.  Built by one thread,
 * and immutable once a view has shown it. */
struct mcphost_builtins {
    struct mcph_refs refs;
    atomic_bool frozen;
    char *owner;
    struct mcph_vec tools; /* struct mcph_builtin * */
    struct mcph_vec sets;  /* struct set * of builtin.c */
};

/* Makes a tool with this definition.  `how` has its function and its `arg`, which is
 * taken over also on failure.  0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (too long, or its
 * schema is too expensive), MCPHOST_E_NOMEM. */
int mcph_builtin_new(struct mcph_span definition, const struct mcph_builtin *how,
                     struct mcph_builtin **ret, mcphost_error **reterr);
int mcph_builtin_new_draft(const struct mcph_builtin_draft *draft,
                           const struct mcph_builtin *how, struct mcph_builtin **ret,
                           mcphost_error **reterr);
struct mcph_builtin *mcph_builtin_ref(struct mcph_builtin *tool);
/* The last reference runs `free_arg`, so never call this under the lock.  NULL is
 * fine. */
void mcph_builtin_unref(struct mcph_builtin *tool);

int mcph_builtins_new(const char *owner, mcphost_builtins **ret);
mcphost_builtins *mcph_builtins_ref(mcphost_builtins *builtins);
void mcph_builtins_unref(mcphost_builtins *builtins); /* as mcph_builtin_unref() */
/* Takes a reference.  0, MCPHOST_E_STATE (frozen), MCPHOST_E_EXISTS, MCPHOST_E_NOMEM. */
int mcph_builtins_add(mcphost_builtins *builtins, struct mcph_builtin *tool,
                      mcphost_error **reterr);
/* 0, MCPHOST_E_STATE (frozen), MCPHOST_E_EXISTS, MCPHOST_E_INVALID (the name is empty, or
 * a tool is named twice), MCPHOST_E_NOTFOUND (no such tool), MCPHOST_E_NOMEM. */
int mcph_builtins_add_set(mcphost_builtins *builtins, const char *name,
                          const char *description, const char *const *tools, size_t n,
                          mcphost_error **reterr);
/* Makes the block that catalogs of `realm` show.  0, MCPHOST_E_INVALID (a tool is in no
 * toolset), MCPHOST_E_NOMEM. */
int mcph_builtins_make_block(mcphost_builtins *builtins, const void *realm,
                             struct mcph_block **ret, mcphost_error **reterr);
/* Makes a copy that is not frozen.  The copy lacks the tool `without` (NULL: it has all
 * tools), and a toolset that has this tool only.  `from` NULL: the copy is empty. */
int mcph_builtins_copy(const mcphost_builtins *from, const char *without,
                       mcphost_builtins **ret);
/* Change a copy.  mcph_builtins_put_in() adds a tool to a toolset, which it makes if
 * there is none.  mcph_builtins_describe() sets a toolset's description (NULL: none). */
int mcph_builtins_put_in(mcphost_builtins *builtins, const char *toolset,
                         const char *name, mcphost_error **reterr);
int mcph_builtins_describe(mcphost_builtins *builtins, const char *toolset,
                           const char *text, mcphost_error **reterr);
/* False if `builtins` is NULL. */
bool mcph_builtins_has(const mcphost_builtins *builtins, const char *name);

/* ---- the blocks that views show (shown.c) ------------------------------------------ */

/* One block in a view. */
struct mcph_shown {
    mcphost_builtins *builtins; /* a reference */
    struct mcph_block *block;   /* a reference: the block in the view's catalogs */
};

/* As the public functions, for a view that is layered.  Any thread. */
int mcph_shown_set(struct mcph_stack *stack, mcphost_builtins *builtins,
                   mcphost_error **reterr);
int mcph_shown_remove(struct mcph_stack *stack, const char *owner,
                      mcphost_error **reterr);
/* For mcphost_view_add_builtin() and its relatives: change the block of single tools that
 * a view has, by one tool or by the description of a toolset.  Take a reference to
 * `tool`. */
int mcph_shown_add_tool(struct mcph_stack *stack, const char *toolset,
                        struct mcph_builtin *tool, mcphost_error **reterr);
int mcph_shown_remove_tool(struct mcph_stack *stack, const char *name,
                           mcphost_error **reterr);
int mcph_shown_describe(struct mcph_stack *stack, const char *toolset, const char *text,
                        mcphost_error **reterr);
/* Whether the view may show the host's blocks too.  Under the lock.  0,
 * MCPHOST_E_EXISTS. */
int mcph_shown_check_locked(const struct mcph_stack *stack);
/* MCPHOST_OPT_ADMIN_TOOLS: puts mcp_admin into the catalogs, or takes it out.  Before the
 * load, from any thread.  0, MCPHOST_E_EXISTS (a built-in of the application has one of
 * its names), MCPHOST_E_STATE, MCPHOST_E_NOMEM, MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_shown_offer_own(mcphost *host, bool on);
/* The block at a place of a stack, in order; NULL: past the end.  Under the lock. */
const struct mcph_shown *mcph_shown_at(const struct mcph_stack *stack, size_t at);
/* Finds what carries out the tool now for a dialog on this stack: a reference; NULL:
 * nothing does.  *ret_block gets a reference to a block that has a tool of its name, or
 * NULL.  Any thread. */
struct mcph_builtin *mcph_shown_find(struct mcph_stack *stack, mcphost_tool *tool,
                                     struct mcph_block **ret_block);
void mcph_shown_done(struct mcph_vec *shown);
/* Drops the blocks of the host and of all its views, when the host ends. */
void mcph_shown_drop_all(mcphost *host);

/* ---- calls of built-in tools (handling.c) ------------------------------------------ */

/* Gives the call to the tool.  Takes over the reference to `tool`.  Dispatcher only. */
void mcph_handling_begin(mcphost_call *call, struct mcph_builtin *tool,
                         int64_t timeout_ms);
/* The call has ended: runs its mcphost_cancelled_fn, unless the tool itself ended the
 * call. */
void mcph_handling_ended(mcphost_call *call);
void mcph_handling_free(struct mcph_handling *handling); /* NULL is fine */
/* As the public functions.  Any thread. */
int mcph_handling_answer(mcphost_call *call, const char *text, size_t len, bool is_error);
int mcph_handling_answer_result(mcphost_call *call, const char *json, size_t len,
                                mcphost_error **reterr);
int mcph_handling_report(mcphost_call *call, double progress, double total,
                         const char *text, size_t len);
bool mcph_handling_is_cancelled(mcphost_call *call);
/* On failure `arg` stays the caller's. */
int mcph_handling_set_cancelled(mcphost_call *call, mcphost_cancelled_fn fn, void *arg,
                                mcphost_free_fn free_arg);

/* ---- tools for resources and skills (offered.c) ------------------------------------ */

/* As the public function, for a view that is layered.  Any thread. */
int mcph_resources_offer(struct mcph_stack *stack, unsigned which,
                         mcphost_error **reterr);

/* ---- the toolset mcp_admin (admin.c) ----------------------------------------------- */

#define MCPH_ADMIN_TOOLSET "mcp_admin"

/* 0, MCPHOST_E_NOMEM. */
int mcph_admin_init(mcphost *host);

/* ---- variables that a model may set (settable.c) ----------------------------------- */

/* NULL, or why env_set and env_unset of this dialog must not change the variable.
 * Dispatcher only. */
const char *mcph_settable_refuse(const mcphost_dialog *dialog, const char *name);
/* As mcphost_set_admin_env(). */
int mcph_settable_set(mcphost *host, const char *const *refused,
                      const char *const *allowed);
void mcph_settable_done(mcphost *host);

#endif
