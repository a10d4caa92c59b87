/* SPDX-License-Identifier: MIT
 *
 * builtins.h - blocks of built-in tools that the application carries out.
 *
 *   new -> add_tool, add_toolset -> mcphost_view_set_builtins() -> unref
 *
 * Built-in tools appear in the same catalogs as the tools of servers.  Applications and
 * models find, list and call them like the tools of servers.  If a built-in tool and a
 * tool of a server have the same name, the built-in tool gets the name.
 *
 * A block has an owner.  A view has one block of each owner.  The application replaces
 * and removes the block as a whole.  A block needs no host.  One thread builds the block.
 * The first view that gets the block freezes the block.  After that, any number of
 * threads and views may use the block.
 *
 * mcphost_view_add_builtin() adds a single tool without a block.
 */
#ifndef MCPHOST_BUILTINS_H
#define MCPHOST_BUILTINS_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_builtin_fn - carry out a call of a built-in tool.
 *
 * Runs on the thread that dispatches.  `arguments` is a JSON object that fits the tool's
 * input schema.  The text of `arguments` ends with a NUL.  It is valid only while the
 * function runs.
 *
 * The function answers the call with mcphost_call_answer() or
 * mcphost_call_answer_result(), at once or later from any thread.  To answer the call
 * later, it takes a reference to `call`.
 *
 * Returns: 0, or a negative error code with which the call fails.
 * Since: 0.1
 */
typedef int (*mcphost_builtin_fn)(mcphost_call *call, const char *arguments,
                                  size_t arguments_len, MCPHOST_NULLABLE void *arg);

/*
 * mcphost_builtins_new - make an empty block of built-in tools.
 *
 * `owner` is a word that the application chooses.
 *
 * Errors: MCPHOST_E_INVALID (the owner is empty or not UTF-8), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_builtins_new(const char *owner, MCPHOST_OWNED mcphost_builtins **ret_builtins,
                     MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `builtins`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_builtins *
mcphost_builtins_ref(MCPHOST_NULLABLE mcphost_builtins *builtins);

/* Drops a reference to `builtins`.  Dropping the last reference frees the block.  A view
 * that shows the block has a reference.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_builtins *
mcphost_builtins_unref(MCPHOST_NULLABLE mcphost_builtins *builtins);

/* Returns the owner of the block, or NULL if `builtins` is NULL.  The owner lives as long
 * as the block.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_builtins_get_owner(MCPHOST_NULLABLE const mcphost_builtins *builtins);

/*
 * mcphost_builtins_add_tool - add a tool.
 *
 * `definition` is a JSON object of `len` bytes.  The function copies it.  The object
 * describes the tool as a server lists a tool in MCP.  It has "name" and "inputSchema",
 * and as needed "title", "description", "outputSchema", "annotations" and "_meta".  Both
 * schemas must compile.
 *
 * The library takes ownership of `arg`, even if this function fails.  On failure
 * `free_arg` runs before this function returns.  Otherwise `free_arg` runs once, after
 * the application and all views have released the block, and all calls that `fn` got have
 * been released.  `free_arg` runs on the thread that makes the last of these releases,
 * never while `fn` runs.  A thread that has a reference to a call of the tool may use
 * `arg`.
 *
 * Errors: MCPHOST_E_INVALID (the definition is wrong), MCPHOST_E_EXISTS (the block has a
 *   tool of this name), MCPHOST_E_STATE (a view has received the block), MCPHOST_E_LIMIT
 *   (the definition is longer than 4 MiB or nested too deeply, or a schema takes too many
 *   steps to compile), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
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
 * The block keeps the order of the toolsets, and the order of the tools in each toolset.
 * A tool may be in several toolsets, and can be found in each of them.  A list of all
 * tools has the tool once, in the first of its toolsets that the catalog shows.  A grant
 * of any of these toolsets gives the tool, unless the grant excludes the tool itself.
 *
 * `description` is UTF-8 text, or NULL for none.  The function copies all texts.
 *
 * Errors: MCPHOST_E_INVALID (the toolset's name is empty or not UTF-8, the description is
 *   not UTF-8, or `tools` has a name twice), MCPHOST_E_NOTFOUND (a name in `tools`
 *   is not the name of a tool of the block), MCPHOST_E_EXISTS (the block has a toolset of
 *   this name), MCPHOST_E_STATE (a view has received the block), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
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
