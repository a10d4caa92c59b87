/* SPDX-License-Identifier: MIT
 *
 * filter.h - whitelists and blacklists of tool names.
 *
 * A pattern is compared with a tool's original name, before any transform.  In a pattern,
 * `*` matches any run of characters, the empty run included.  Every other character
 * matches itself.  A pattern must match the whole name.
 *
 *   no blacklist, no whitelist   every tool passes
 *   whitelist alone              a tool passes if a whitelist pattern matches it
 *   blacklist                    a tool passes unless a blacklist pattern matches it and
 *                                no whitelist pattern matches it
 *
 * A filter needs no host.  One thread builds the filter.  The first use freezes it.
 * After that, any number of threads may use it.
 */
#ifndef MCPHOST_FILTER_H
#define MCPHOST_FILTER_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The decision of a filter about a name.  Since: 0.1 */
enum mcphost_filter_verdict {
    MCPHOST_FILTER_PASSED = 0,         /* the name passes */
    MCPHOST_FILTER_BLACKLISTED = 1,    /* only the blacklist matches the name */
    MCPHOST_FILTER_NOT_WHITELISTED = 2 /* only a whitelist exists; it does not match */
};

/*
 * mcphost_filter_new - make an empty filter.
 *
 * Every name passes an empty filter.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_filter_new(MCPHOST_OWNED mcphost_filter **ret_filter);

/* Takes a reference to `filter`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_filter *
mcphost_filter_ref(MCPHOST_NULLABLE mcphost_filter *filter);

/* Drops a reference to `filter`.  Dropping the last reference frees the filter.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_filter *
mcphost_filter_unref(MCPHOST_NULLABLE mcphost_filter *filter);

/*
 * mcphost_filter_add_whitelist, mcphost_filter_add_blacklist - add a pattern.
 *
 * The filter keeps a copy of `pattern`.  It ignores a pattern that is empty or consists
 * of blanks.
 *
 * Errors: MCPHOST_E_INVALID (the pattern is not UTF-8), MCPHOST_E_STATE (the filter is
 *   frozen), MCPHOST_E_LIMIT (the pattern is longer than 1024 bytes, or the list holds
 *   1024 patterns), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_filter_add_whitelist(mcphost_filter *filter, const char *pattern);
MCPHOST_API int mcphost_filter_add_blacklist(mcphost_filter *filter, const char *pattern);

/*
 * mcphost_filter_match - decide whether a tool of this name passes.
 *
 * *ret_pattern gets the pattern that decided.  For a blacklisted name, *ret_pattern is
 * the first blacklist pattern that matched.  For a name that is not whitelisted,
 * *ret_pattern is a list of all whitelist patterns, joined by ", ".  For a name that
 * passes, *ret_pattern is the first whitelist pattern that matched, or NULL if no pattern
 * matched.  The text lives as long as the filter.
 *
 * The first call freezes the filter.
 *
 * Returns: MCPHOST_FILTER_PASSED (0), MCPHOST_FILTER_BLACKLISTED or
 *   MCPHOST_FILTER_NOT_WHITELISTED.
 * Errors: MCPHOST_E_INVALID.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_filter_match(mcphost_filter *filter, const char *name,
                     MCPHOST_NULLABLE MCPHOST_BORROWED const char **ret_pattern);

#ifdef __cplusplus
}
#endif
#endif
