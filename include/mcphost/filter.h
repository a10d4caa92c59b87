/* SPDX-License-Identifier: MIT
 *
 * filter.h - which tools pass: whitelist and blacklist patterns.
 *
 * Patterns are compared with a tool's original name, before any transform.
 * In a pattern `*` stands for any run of characters, also none; every other
 * character stands for itself; the pattern covers the whole name.
 *
 *   blacklist empty, whitelist empty    every tool passes
 *   blacklist empty, whitelist given    only what the whitelist matches passes
 *   blacklist given                     what it matches is out, unless the
 *                                       whitelist matches too; all else passes
 *
 * A filter needs no host.  It is built by one thread; its first use freezes
 * it, and from then on it may be used by any number of threads.
 */
#ifndef MCPHOST_FILTER_H
#define MCPHOST_FILTER_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a filter says of a name.  Since: 0.1 */
enum mcphost_filter_verdict {
    MCPHOST_FILTER_PASSED = 0,
    MCPHOST_FILTER_BLACKLISTED = 1,    /* on the blacklist and not on the whitelist */
    MCPHOST_FILTER_NOT_WHITELISTED = 2 /* no blacklist, and not on the whitelist */
};

/*
 * mcphost_filter_new - an empty filter, which everything passes.
 *
 * *ret_filter gets a reference for the caller.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID when ret_filter is NULL, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_filter_new(MCPHOST_OWNED mcphost_filter **ret_filter);

/* Takes a reference.  Returns its argument; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_filter *
mcphost_filter_ref(MCPHOST_NULLABLE mcphost_filter *filter);

/* Drops a reference.  Returns NULL; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_filter *
mcphost_filter_unref(MCPHOST_NULLABLE mcphost_filter *filter);

/*
 * mcphost_filter_add_whitelist, mcphost_filter_add_blacklist - add a pattern.
 *
 * `pattern` is copied.  One that is empty or all blanks is dropped and does
 * not count as an entry.  Not from two threads at once.
 *
 * Returns 0, MCPHOST_E_INVALID when an argument is NULL or no UTF-8, MCPHOST_E_STATE
 * when the filter has been used, MCPHOST_E_LIMIT for a pattern over 1024 bytes or more
 * than 1024 of them in a list, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_filter_add_whitelist(mcphost_filter *filter, const char *pattern);
MCPHOST_API int mcphost_filter_add_blacklist(mcphost_filter *filter, const char *pattern);

/*
 * mcphost_filter_match - whether a name passes, and what decided it.
 *
 * *ret_pattern (ret_pattern may be NULL) gets a string that lives as long as
 * the filter: when blacklisted, the first blacklist pattern that matched; when
 * not whitelisted, all whitelist patterns joined by ", "; when passed, the
 * first whitelist pattern that matched, or NULL when none did.  Freezes the
 * filter.  Any thread.
 *
 * Returns MCPHOST_FILTER_PASSED (0), MCPHOST_FILTER_BLACKLISTED or
 * MCPHOST_FILTER_NOT_WHITELISTED; MCPHOST_E_INVALID when filter or name is NULL.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_filter_match(mcphost_filter *filter, const char *name,
                     MCPHOST_NULLABLE MCPHOST_BORROWED const char **ret_pattern);

#ifdef __cplusplus
}
#endif
#endif
