/* SPDX-License-Identifier: MIT
 *
 * filter.c - the public functions of <mcphost/filter.h>.
 *
 * The functions check their arguments and call the code in lib/names.
 */
#include <string.h>

#include "names/names.h"

int
mcphost_filter_new(mcphost_filter **ret_filter)
{
    mcphost_filter *filter;

    if (!ret_filter)
        return MCPHOST_E_INVALID;
    filter = mcph_filter_new();
    if (!filter)
        return MCPHOST_E_NOMEM;
    *ret_filter = filter;
    return 0;
}

mcphost_filter *
mcphost_filter_ref(mcphost_filter *filter)
{
    if (filter)
        mcph_refs_get(&filter->refs);
    return filter;
}

mcphost_filter *
mcphost_filter_unref(mcphost_filter *filter)
{
    return mcph_filter_unref(filter);
}

int
mcphost_filter_add_whitelist(mcphost_filter *filter, const char *pattern)
{
    if (!filter || !mcph_utf8_is_text(pattern))
        return MCPHOST_E_INVALID;
    return mcph_filter_add(filter, MCPH_FILTER_WHITELIST, pattern, strlen(pattern));
}

int
mcphost_filter_add_blacklist(mcphost_filter *filter, const char *pattern)
{
    if (!filter || !mcph_utf8_is_text(pattern))
        return MCPHOST_E_INVALID;
    return mcph_filter_add(filter, MCPH_FILTER_BLACKLIST, pattern, strlen(pattern));
}

int
mcphost_filter_match(mcphost_filter *filter, const char *name, const char **ret_pattern)
{
    if (!filter || !name)
        return MCPHOST_E_INVALID;
    mcph_filter_freeze(filter);
    return mcph_filter_decide(filter, name, strlen(name), ret_pattern);
}
