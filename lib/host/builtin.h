/* SPDX-License-Identifier: MIT
 *
 * builtin.h - built-in tools: blocks of them (builtin.c), what views show of them
 * (shown.c), calls of them (handling.c), tools for resources (resources.c), and our own
 * toolset (admin.c, settable.c).
 */
#ifndef MCPH_HOST_BUILTIN_H
#define MCPH_HOST_BUILTIN_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

struct mcph_handling;
struct mcph_stack;

/* ---- blocks of built-in tools (builtin.c) ------------------------------------------ */

/* A tool: what it says, and what carries it out.  It does not change.  Blocks have
 * references, and so has each call that was handed to it: `arg` outlives both. */
struct mcph_builtin {
    struct mcph_refs refs;
    char *name, *definition;
    size_t definition_len;
    void (*own)(mcphost_call *call); /* one of ours, which runs at once; or else */
    mcphost_builtin_fn fn;           /* the application's, which runs by delivery */
    void *arg;
    mcphost_free_fn free_arg;
};

/* What it says of itself, where that is not written as JSON already. */
struct mcph_builtin_draft {
    const char *name, *description; /* NULL: it has none */
    const char *schema;             /* JSON object */
    const char *annotations;        /* likewise, or NULL */
};

/* Tools, and the toolsets that they stand in.  Built by one thread; once a view has shown
 * it, it does not change. */
struct mcphost_builtins {
    struct mcph_refs refs;
    atomic_bool frozen;
    char *owner;
    struct mcph_vec tools; /* struct mcph_builtin * */
    struct mcph_vec sets;  /* of builtin.c */
};

/* A tool with this definition; `how` says what carries it out, and its `arg` is taken
 * over whatever is returned.  0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT (too long, or its
 * schema is too expensive), MCPHOST_E_NOMEM. */
int mcph_builtin_new(struct mcph_span definition, const struct mcph_builtin *how,
                     struct mcph_builtin **ret, mcphost_error **reterr);
int mcph_builtin_new_draft(const struct mcph_builtin_draft *draft,
                           const struct mcph_builtin *how, struct mcph_builtin **ret,
                           mcphost_error **reterr);
struct mcph_builtin *mcph_builtin_ref(struct mcph_builtin *tool);
/* The last one runs `free_arg`, so never under the lock.  NULL is fine. */
void mcph_builtin_unref(struct mcph_builtin *tool);

int mcph_builtins_new(const char *owner, mcphost_builtins **ret);
mcphost_builtins *mcph_builtins_ref(mcphost_builtins *builtins);
void mcph_builtins_unref(mcphost_builtins *builtins); /* as mcph_builtin_unref() */
/* Takes a reference.  0, MCPHOST_E_STATE (frozen), MCPHOST_E_EXISTS, MCPHOST_E_NOMEM. */
int mcph_builtins_add(mcphost_builtins *builtins, struct mcph_builtin *tool,
                      mcphost_error **reterr);
/* 0, the same, MCPHOST_E_INVALID (no name, a tool twice), MCPHOST_E_NOTFOUND (a tool). */
int mcph_builtins_add_set(mcphost_builtins *builtins, const char *name,
                          const char *description, const char *const *tools, size_t n,
                          mcphost_error **reterr);
/* What a catalog of `realm` is made of.  0, MCPHOST_E_INVALID (a tool without a toolset),
 * MCPHOST_E_NOMEM. */
int mcph_builtins_make_block(mcphost_builtins *builtins, const void *realm,
                             struct mcph_block **ret, mcphost_error **reterr);
/* A copy that is not frozen; `without` a tool (NULL: of all), and without toolsets of
 * that tool alone.  `from` NULL: an empty one. */
int mcph_builtins_copy(const mcphost_builtins *from, const char *without,
                       mcphost_builtins **ret);
/* Changes of a copy: a tool of it stands in this toolset, too, which may be new; a
 * toolset has this description (NULL: none). */
int mcph_builtins_put_in(mcphost_builtins *builtins, const char *toolset,
                         const char *name, mcphost_error **reterr);
int mcph_builtins_describe(mcphost_builtins *builtins, const char *toolset,
                           const char *text, mcphost_error **reterr);
/* NULL for `builtins` has none. */
bool mcph_builtins_has(const mcphost_builtins *builtins, const char *name);

/* ---- what views show (shown.c) ----------------------------------------------------- */

/* A block in a view. */
struct mcph_shown {
    mcphost_builtins *builtins; /* a reference */
    struct mcph_block *block;   /* likewise: what the view's catalogs have */
};

/* Any thread; as the public functions, for a view that is layered. */
int mcph_shown_set(struct mcph_stack *stack, mcphost_builtins *builtins,
                   mcphost_error **reterr);
int mcph_shown_remove(struct mcph_stack *stack, const char *owner,
                      mcphost_error **reterr);
/* The short way: one tool more or less in a block of the view's own, or another
 * description of a toolset of it.  Takes a reference to `tool`. */
int mcph_shown_add_tool(struct mcph_stack *stack, const char *toolset,
                        struct mcph_builtin *tool, mcphost_error **reterr);
int mcph_shown_remove_tool(struct mcph_stack *stack, const char *name,
                           mcphost_error **reterr);
int mcph_shown_describe(struct mcph_stack *stack, const char *toolset, const char *text,
                        mcphost_error **reterr);
/* Whether the view may show the host's, too; under the lock.  0, MCPHOST_E_EXISTS. */
int mcph_shown_check_locked(const struct mcph_stack *stack);
/* MCPHOST_OPT_ADMIN_TOOLS: puts our own toolset into the catalogs, or takes it out.
 * Before load, from any thread.  0, MCPHOST_E_EXISTS (the application has one of its
 * names), MCPHOST_E_STATE, MCPHOST_E_NOMEM, MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_shown_offer_own(mcphost *host, bool on);
/* The blocks of a stack in their order; NULL: there are no more.  Under the lock. */
const struct mcph_shown *mcph_shown_at(const struct mcph_stack *stack, size_t at);
/* What carries the tool out now for a dialog on this stack: a reference; NULL: nothing
 * does.  *ret_block is a block that has a tool of its name: a reference, or NULL.  Any
 * thread. */
struct mcph_builtin *mcph_shown_find(struct mcph_stack *stack, mcphost_tool *tool,
                                     struct mcph_block **ret_block);
void mcph_shown_done(struct mcph_vec *shown);
/* Those of the host and of all its views, when it ends. */
void mcph_shown_drop_all(mcphost *host);

/* ---- calls of built-in tools (handling.c) ------------------------------------------ */

/* The dispatcher's: hands the call to the tool, to which it takes over the reference. */
void mcph_handling_begin(mcphost_call *call, struct mcph_builtin *tool,
                         int64_t timeout_ms);
/* The call has ended: tells the tool's function, unless that has ended it. */
void mcph_handling_ended(mcphost_call *call);
void mcph_handling_free(struct mcph_handling *handling); /* NULL is fine */
/* Any thread; as the public functions. */
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

/* Any thread; as the public function, for a view that is layered. */
int mcph_resources_offer(struct mcph_stack *stack, unsigned which,
                         mcphost_error **reterr);

/* ---- our own toolset (admin.c) ----------------------------------------------------- */

#define MCPH_ADMIN_TOOLSET "mcp_admin"

/* 0, MCPHOST_E_NOMEM. */
int mcph_admin_init(mcphost *host);

/* ---- what a model may set (settable.c) --------------------------------------------- */

/* NULL, or why env_set and env_unset of this dialog must not touch the variable; from
 * dispatch. */
const char *mcph_settable_refuse(const mcphost_dialog *dialog, const char *name);
/* As mcphost_set_admin_env(). */
int mcph_settable_set(mcphost *host, const char *const *refused,
                      const char *const *allowed);
void mcph_settable_done(mcphost *host);

#endif
