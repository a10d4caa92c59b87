/* SPDX-License-Identifier: MIT
 *
 * builtins.h - blocks of built-in tools: tools that the application carries out.
 *
 *   new -> add_tool, add_toolset -> mcphost_view_set_builtins() -> unref
 *
 * Built-in tools stand in the same catalogs as the tools of servers, are found, listed
 * and called in the same way, and win every name.  A block has an owner:
 * a view has one block of each, which is replaced and removed as a whole.
 *
 * mcphost_view_add_builtin() is the short way for a tool alone.
 */
#ifndef MCPHOST_BUILTINS_H
#define MCPHOST_BUILTINS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_builtin_fn - carries out a call of a built-in tool.
 *
 * Runs from dispatch.  `arguments` is a JSON object that fits the tool's input schema,
 * valid during this call.  The function answers with mcphost_call_answer() or
 * mcphost_call_answer_result(), at once or later from any thread (it then keeps a
 * reference to `call`), or refuses by returning a negative code, with which the call
 * fails.
 * Since: 0.1
 */
typedef int (*mcphost_builtin_fn)(mcphost_call *call, const char *arguments,
                                  size_t arguments_len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_builtins_new - an empty block of built-in tools.
 *
 * `owner` is a word that the application chooses, not empty, UTF-8.  The block is
 * filled by one thread; the first view that gets it freezes it, and from then on any
 * number of threads may use it.  *ret_builtins gets a reference.  Needs no host.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_builtins_new(const char *owner, MCPHOST_OWNED mcphost_builtins **ret_builtins,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_builtins *
mcphost_builtins_ref(MCPHOST_NULLABLE mcphost_builtins *builtins);

/* Drops a reference; a view that shows the block has one of its own.  Returns NULL; NULL
 * is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_builtins *
mcphost_builtins_unref(MCPHOST_NULLABLE mcphost_builtins *builtins);

/* The owner; borrowed.  NULL for NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_builtins_get_owner(MCPHOST_NULLABLE const mcphost_builtins *builtins);

/*
 * mcphost_builtins_add_tool - add a tool.
 *
 * `definition` is a JSON object of `len` bytes, which is copied: a tool as a server would
 * list it, with "name" and "inputSchema", and what else MCP names: "title",
 * "description", "outputSchema", "annotations", "_meta".  Both schemas must compile.
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once, when nothing
 * needs the tool any more: the application and each view have released the block, and
 * each call that `fn` was given has been released.  So it never runs while `fn` does, and
 * a thread that has a call may use `arg`.  It runs on the thread that releases the last
 * of them.
 *
 * Returns 0, MCPHOST_E_INVALID (the definition is wrong), MCPHOST_E_EXISTS (the block has
 * a tool of this name), MCPHOST_E_STATE (a view has got the block), MCPHOST_E_LIMIT (more
 * than 4 MiB, or a schema that is too expensive), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_builtins_add_tool(mcphost_builtins *builtins, const char *definition, size_t len,
                          mcphost_builtin_fn fn, MCPHOST_NULLABLE void *arg,
                          MCPHOST_NULLABLE mcphost_free_fn free_arg,
                          MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_builtins_add_toolset - add a toolset of tools that the block has.
 *
 * Toolsets, and the tools in each, keep the order in which they are named.  A tool may
 * stand in many toolsets: it is the same tool, found in each and listed once, with the
 * first of them that a catalog shows; a grant of any of them gives it.  `description`
 * (NULL: none) is UTF-8 text.  Everything is copied.
 *
 * Returns 0, MCPHOST_E_INVALID (also: a tool is named twice), MCPHOST_E_NOTFOUND (the
 * block has no such tool), MCPHOST_E_EXISTS (the block has a toolset of this name),
 * MCPHOST_E_STATE (a view has got the block), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_builtins_add_toolset(mcphost_builtins *builtins, const char *toolset,
                             MCPHOST_NULLABLE const char *description,
                             const char *const *tools, size_t n_tools,
                             MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
