/* SPDX-License-Identifier: MIT
 *
 * transform.h - how a tool's name is changed: prefixes, suffixes, characters.
 *
 * Steps are applied in the order in which they were added, each to what the
 * one before it made.  A transform says nothing about whether the outcome is
 * an acceptable tool name (1 to 64 ASCII letters, digits, '_' and '-').
 *
 * A transform needs no host.  It is built by one thread; its first use freezes
 * it, and from then on it may be used by any number of threads.
 */
#ifndef MCPHOST_TRANSFORM_H
#define MCPHOST_TRANSFORM_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_transform_new - a transform without steps, which changes nothing.
 *
 * *ret_transform gets a reference for the caller.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID when ret_transform is NULL, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_new(MCPHOST_OWNED mcphost_transform **ret_transform);

/* Takes a reference.  Returns its argument; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_transform *
mcphost_transform_ref(MCPHOST_NULLABLE mcphost_transform *transform);

/* Drops a reference.  Returns NULL; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_transform *
mcphost_transform_unref(MCPHOST_NULLABLE mcphost_transform *transform);

/*
 * mcphost_transform_add_prefix - prepend `prefix`, also to a name that begins
 * with it already.
 *
 * The string is copied.  Not from two threads at once.
 *
 * Returns 0, MCPHOST_E_INVALID when an argument is NULL or no UTF-8, MCPHOST_E_STATE
 * when the transform has been used, MCPHOST_E_LIMIT for a text over 1024 bytes or more
 * than 1024 steps, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_prefix(mcphost_transform *transform,
                                             const char *prefix);

/*
 * mcphost_transform_add_prefix_replace - strip `remove` from the beginning if
 * the name begins with it, then prepend `add` in either case.
 *
 * Either may be "".  Copies, threads and return values as
 * mcphost_transform_add_prefix().
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_prefix_replace(mcphost_transform *transform,
                                                     const char *remove, const char *add);

/*
 * mcphost_transform_add_suffix - append `suffix`.
 *
 * Copies, threads and return values as mcphost_transform_add_prefix().
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_suffix(mcphost_transform *transform,
                                             const char *suffix);

/*
 * mcphost_transform_add_map - put `replacement`, "_" or "-", for each character other
 * than ASCII letters, digits, '_' and '-'.
 *
 * A name that is longer than 64 characters by then is cut, and ends with the replacement
 * and eight hexadecimal digits of a hash of the whole name.  In a catalog the names of
 * two tools of one server that would be the same end like this, too.  Under a transform
 * that maps, a tool's own name may be any of 1 to 1024 printable ASCII characters.
 *
 * Returns as mcphost_transform_add_prefix(); MCPHOST_E_INVALID for another replacement.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_add_map(mcphost_transform *transform,
                                          const char *replacement);

/*
 * mcphost_transform_apply - the transformed name.
 *
 * Writes the new name and a NUL to ret_name when they fit into `size` bytes,
 * and nothing at all when they do not: compare the returned length with
 * `size`.  ret_name may be NULL when size is 0, which measures.  Freezes the
 * transform.  Any thread.
 *
 * Returns the length of the new name without the NUL; MCPHOST_E_INVALID when
 * transform or name is NULL, the name no UTF-8, or ret_name NULL and size not 0;
 * MCPHOST_E_LIMIT when a name grows over 4 MiB; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_transform_apply(mcphost_transform *transform, const char *name,
                                        MCPHOST_NULLABLE char *ret_name, size_t size);

#ifdef __cplusplus
}
#endif
#endif
