/* SPDX-License-Identifier: MIT
 *
 * result.c - the public functions of <mcphost/result.h>, except those that take and drop
 * references (result/result.c).
 */
#include "api/getter.h"
#include "result/result.h"

/* Casts `const` away, because the result caches values for its getters under its own
 * lock, although the application sees the result as constant. */
static mcphost_result *
open_up(const mcphost_result *result)
{
    return (mcphost_result *)(uintptr_t)result;
}

MCPH_GETTER_TEXT(mcphost_result_get_json, const mcphost_result *,
                 mcph_result_give_json(open_up(self)))
MCPH_GETTER(int, mcphost_result_is_error, const mcphost_result *,
            mcph_result_is_error(open_up(self)))
MCPH_GETTER_TEXT(mcphost_result_get_structured, const mcphost_result *,
                 mcph_result_give_structured(open_up(self)))
MCPH_GETTER(size_t, mcphost_result_count_items, const mcphost_result *,
            mcph_result_count(open_up(self)))

int
mcphost_result_item_get_kind(const mcphost_result *result, size_t index)
{
    return result ? mcph_result_item_kind(open_up(result), index)
                  : MCPHOST_CONTENT_UNKNOWN;
}

const char *
mcphost_result_item_get_json(const mcphost_result *result, size_t index, size_t *ret_len)
{
    return mcph_span_give(
        result ? mcph_result_give_item(open_up(result), index) : MCPH_SPAN_NONE, ret_len);
}

int
mcphost_result_item_get_text(mcphost_result *result, size_t index, const char **ret_text,
                             size_t *ret_len)
{
    struct mcph_span text;
    int r;

    if (!result || !ret_text || !ret_len)
        return MCPHOST_E_INVALID;
    r = mcph_result_give_item_text(result, index, &text);
    if (r < 0)
        return r;
    *ret_text = text.p;
    *ret_len = text.len;
    return 0;
}

int
mcphost_result_item_repeats_structured(mcphost_result *result, size_t index)
{
    return result ? mcph_result_item_repeats(result, index) : 0;
}

const char *
mcphost_result_item_get_mime_type(mcphost_result *result, size_t index)
{
    const char *mime;

    if (!result || mcph_result_give_mime_type(result, index, &mime) < 0)
        return NULL;
    return mime;
}

const char *
mcphost_result_item_get_uri(mcphost_result *result, size_t index, size_t *ret_len)
{
    struct mcph_span uri = MCPH_SPAN_NONE;

    if (result && mcph_result_give_uri(result, index, &uri) < 0)
        uri = MCPH_SPAN_NONE;
    return mcph_span_give(uri, ret_len);
}

const char *
mcphost_result_item_get_role(mcphost_result *result, size_t index, size_t *ret_len)
{
    struct mcph_span role = MCPH_SPAN_NONE;

    if (result && mcph_result_give_role(result, index, &role) < 0)
        role = MCPH_SPAN_NONE;
    return mcph_span_give(role, ret_len);
}

MCPH_GETTER(size_t, mcphost_result_count_values, mcphost_result *,
            mcph_result_count_values(self))

const char *
mcphost_result_get_value(mcphost_result *result, size_t index, size_t *ret_len)
{
    return mcph_span_give(result ? mcph_result_give_value(result, index) : MCPH_SPAN_NONE,
                          ret_len);
}

int64_t
mcphost_result_get_total(mcphost_result *result)
{
    return result ? mcph_result_total(result) : -1;
}

MCPH_GETTER(int, mcphost_result_has_more, mcphost_result *, mcph_result_has_more(self))
