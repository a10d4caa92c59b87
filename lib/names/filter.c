/* SPDX-License-Identifier: MIT
 *
 * filter.c - wildcard patterns, and the whitelist and blacklist that consist of them.
 *
 * A filter is filled by one thread and then frozen.  It applies to the original name only
 * (R34).  Callers must never pass a transformed name.
 */
#include <stdlib.h>
#include <string.h>

#include "names/names.h"

/*
 * Matches a name against a pattern.  Compares ordinary characters one by one, and keeps
 * the position of the last star.  After a mismatch, returns to the last star and lets the
 * star take one byte more.  Never returns to an earlier star, because the part before the
 * last star has already matched as far left as possible.
 */
bool
mcph_name_match(const char *pattern, size_t pattern_len, const char *name, size_t len)
{
    size_t p = 0, n = 0, star_p = 0, star_n = 0;
    bool star = false;

    while (n < len) {
        if (p < pattern_len && pattern[p] == '*') {
            star = true;
            star_p = ++p;
            star_n = n;
        } else if (p < pattern_len && pattern[p] == name[n]) {
            p++;
            n++;
        } else if (star) {
            p = star_p;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern_len && pattern[p] == '*')
        p++;
    return p == pattern_len;
}

mcphost_filter *
mcph_filter_new(void)
{
    mcphost_filter *filter = calloc(1, sizeof(*filter));

    if (filter) {
        mcph_refs_init(&filter->refs);
        atomic_init(&filter->frozen, false);
    }
    return filter;
}

mcphost_filter *
mcph_filter_unref(mcphost_filter *filter)
{
    if (!filter || !mcph_refs_put(&filter->refs))
        return NULL;
    for (size_t l = 0; l < MCPH_ARRAY_SIZE(filter->lists); l++) {
        for (size_t i = 0; i < filter->lists[l].n; i++)
            free(filter->lists[l].items[i].text);
        free(filter->lists[l].items);
    }
    free(filter->whitelist_text);
    free(filter);
    return NULL;
}

void
mcph_filter_freeze(mcphost_filter *filter)
{
    atomic_store_explicit(&filter->frozen, true, memory_order_release);
}

static bool
is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!memchr(" \t\r\n\v\f", text[i], 6))
            return false;
    }
    return true;
}

int
mcph_filter_add(mcphost_filter *filter, int list, const char *pattern, size_t len)
{
    struct mcph_patterns *patterns = &filter->lists[list];
    struct mcph_pattern *items;
    char *copy, *joined = NULL;

    if (atomic_load_explicit(&filter->frozen, memory_order_acquire))
        return MCPHOST_E_STATE;
    if (is_blank(pattern, len))
        return 0;
    if (len > MCPH_NAME_TEXT_MAX || patterns->n >= MCPH_NAME_LIST_MAX)
        return MCPHOST_E_LIMIT;

    items = mcph_reallocarray(patterns->items, patterns->n + 1, sizeof(*items));
    if (!items)
        return MCPHOST_E_NOMEM;
    patterns->items = items;
    copy = mcph_strndup(pattern, len);
    if (!copy)
        return MCPHOST_E_NOMEM;
    if (list == MCPH_FILTER_WHITELIST) {
        joined = filter->whitelist_text
                     ? mcph_asprintf("%s, %s", filter->whitelist_text, copy)
                     : mcph_strdup(copy);
        if (!joined) {
            free(copy);
            return MCPHOST_E_NOMEM;
        }
        free(filter->whitelist_text);
        filter->whitelist_text = joined;
    }
    items[patterns->n].text = copy;
    items[patterns->n].len = len;
    patterns->n++;
    return 0;
}

static const char *
first_match(const struct mcph_patterns *patterns, const char *name, size_t len,
            const char *other, size_t other_len)
{
    for (size_t i = 0; i < patterns->n; i++) {
        const struct mcph_pattern *pattern = &patterns->items[i];

        if (mcph_name_match(pattern->text, pattern->len, name, len) ||
            (other && mcph_name_match(pattern->text, pattern->len, other, other_len)))
            return pattern->text;
    }
    return NULL;
}

/* Decides whether an item with two names passes.  With a blacklist, the whitelist only
 * makes exceptions from the blacklist.  Without a blacklist, a whitelist that is not
 * empty restricts which names pass (R35-R40). */
int
mcph_filter_decide_either(const mcphost_filter *filter, const char *name, size_t len,
                          const char *other, size_t other_len, const char **ret_pattern)
{
    const char *white, *black = NULL;
    int verdict = MCPHOST_FILTER_PASSED;

    if (!filter) {
        white = NULL;
    } else {
        white = first_match(&filter->lists[MCPH_FILTER_WHITELIST], name, len, other,
                            other_len);
        if (!white && filter->lists[MCPH_FILTER_BLACKLIST].n > 0) {
            black = first_match(&filter->lists[MCPH_FILTER_BLACKLIST], name, len, other,
                                other_len);
            if (black)
                verdict = MCPHOST_FILTER_BLACKLISTED;
        } else if (!white && filter->lists[MCPH_FILTER_WHITELIST].n > 0) {
            verdict = MCPHOST_FILTER_NOT_WHITELISTED;
        }
    }

    if (ret_pattern) {
        *ret_pattern = verdict == MCPHOST_FILTER_PASSED        ? white
                       : verdict == MCPHOST_FILTER_BLACKLISTED ? black
                                                               : filter->whitelist_text;
    }
    return verdict;
}

int
mcph_filter_decide(const mcphost_filter *filter, const char *name, size_t len,
                   const char **ret_pattern)
{
    return mcph_filter_decide_either(filter, name, len, NULL, 0, ret_pattern);
}
