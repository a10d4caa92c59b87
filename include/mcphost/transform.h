/* SPDX-License-Identifier: MIT
 *
 * transform.h - make the name that a model uses from a tool's own name.
 *
 * A transform is a list of steps.  The steps are applied in the order in which they were
 * added.  Each step changes the name that the step before it made.  A step adds a prefix
 * or a suffix to the name, or replaces characters.
 *
 * A transform does not check the new name.  A catalog offers a tool only if its new name
 * has 1 to 64 ASCII letters, digits, '_' and '-'.
 *
 * A transform needs no host.  One thread builds the transform.  The first use freezes the
 * transform.  After the first use, any number of threads may use the transform.
 */
#ifndef MCPHOST_TRANSFORM_H
#define MCPHOST_TRANSFORM_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_transform_new - make a transform without steps.
 *
 * A transform without steps changes no name.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_new(MCPHOST_OWNED mcphost_transform **ret_transform);

/* Takes a reference to `transform`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_transform *
mcphost_transform_ref(MCPHOST_NULLABLE mcphost_transform *transform);

/* Drops a reference to `transform`.  Dropping the last reference frees the transform.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_transform *
mcphost_transform_unref(MCPHOST_NULLABLE mcphost_transform *transform);

/*
 * mcphost_transform_add_prefix - add a step that prepends `prefix`.
 *
 * The step prepends `prefix` even if the name already begins with `prefix`.  The
 * transform keeps a copy of `prefix`.
 *
 * Errors: MCPHOST_E_INVALID (a text is not UTF-8), MCPHOST_E_STATE
 *   (mcphost_transform_apply() has been called for the transform), MCPHOST_E_LIMIT (a
 *   text is longer than 1024 bytes, or the transform has 1024 steps), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_prefix(mcphost_transform *transform,
                                             const char *prefix);

/*
 * mcphost_transform_add_prefix_replace - add a step that exchanges a prefix.
 *
 * If the name begins with `remove`, the step removes this beginning.  The step prepends
 * `add` in either case.  Both texts may be "".  The transform keeps copies of both texts.
 *
 * Errors: those of mcphost_transform_add_prefix().
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_prefix_replace(mcphost_transform *transform,
                                                     const char *remove, const char *add);

/*
 * mcphost_transform_add_suffix - add a step that appends `suffix`.
 *
 * The step appends `suffix` even if the name already ends with `suffix`.  The transform
 * keeps a copy of `suffix`.
 *
 * Errors: those of mcphost_transform_add_prefix().
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_suffix(mcphost_transform *transform,
                                             const char *suffix);

/*
 * mcphost_transform_add_map - add a step that replaces the characters that no name may
 * have.
 *
 * `replacement` is "_" or "-".  The step puts `replacement` in the place of each byte
 * other than ASCII letters, digits, '_' and '-'.
 *
 * If the name is longer than 64 bytes at this step, the step cuts the name to 64 bytes.
 * The cut name has the first 55 bytes, `replacement`, and eight hexadecimal digits of a
 * hash of the whole name as it was before the step.
 *
 * In a catalog, a transform may make the same name for several tools of one server.  In
 * this case the step also appends `replacement` and eight digits of a hash to each of
 * these names in which it has replaced a byte.  Before the step appends these nine
 * bytes, it cuts a name of more than 55 bytes to 55 bytes.
 *
 * If a transform has this step, a tool's own name need not be valid: the name may have 1
 * to 1024 printable ASCII characters of any kind.
 *
 * Errors: MCPHOST_E_INVALID (`replacement` is neither "_" nor "-"), those of
 *   mcphost_transform_add_prefix().
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_map(mcphost_transform *transform,
                                          const char *replacement);

/*
 * mcphost_transform_apply - make the new name of a tool.
 *
 * Writes the new name and a NUL to `ret_name` if they fit into `size` bytes.  If they do
 * not fit, the function writes nothing: compare the returned length with `size`.  If
 * `size` is 0, `ret_name` may be NULL, and the function only returns the length.
 *
 * The first call freezes the transform.
 *
 * Returns: the length of the new name in bytes, without the NUL.
 * Errors: MCPHOST_E_INVALID (the name is not UTF-8, or `ret_name` is NULL and `size` is
 *   not 0), MCPHOST_E_LIMIT (the name grows beyond 4 MiB), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_apply(mcphost_transform *transform, const char *name,
                                        MCPHOST_NULLABLE char *ret_name, size_t size);

#ifdef __cplusplus
}
#endif
#endif
