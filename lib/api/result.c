/* SPDX-License-Identifier: MIT
 *
 * result.c - the public face of tool results.
 */
#include "result/result.h"

static const struct mcph_item *
item_at(const mcphost_result *result, size_t index)
{
    return result && index < result->n_items ? &result->items[index] : NULL;
}

static const char *
bytes(struct mcph_span span, size_t *ret_len)
{
    if (ret_len)
        *ret_len = span.p ? span.len : 0;
    return span.p;
}

const char *
mcphost_result_get_json(const mcphost_result *result, size_t *ret_len)
{
    return bytes(result ? result->json : MCPH_SPAN_NONE, ret_len);
}

int
mcphost_result_is_error(const mcphost_result *result)
{
    return result && result->is_error;
}

const char *
mcphost_result_get_structured(const mcphost_result *result, size_t *ret_len)
{
    return bytes(result ? result->structured : MCPH_SPAN_NONE, ret_len);
}

size_t
mcphost_result_count_items(const mcphost_result *result)
{
    return result ? result->n_items : 0;
}

int
mcphost_result_item_get_kind(const mcphost_result *result, size_t index)
{
    const struct mcph_item *item = item_at(result, index);

    return item ? item->kind : MCPHOST_CONTENT_UNKNOWN;
}

const char *
mcphost_result_item_get_json(const mcphost_result *result, size_t index, size_t *ret_len)
{
    const struct mcph_item *item = item_at(result, index);

    return bytes(item ? item->json : MCPH_SPAN_NONE, ret_len);
}

int
mcphost_result_item_get_text(mcphost_result *result, size_t index, const char **ret_text,
                             size_t *ret_len)
{
    struct mcph_span text;
    int r;

    if (!ret_text || !ret_len || !result || index >= result->n_items ||
        result->items[index].kind != MCPHOST_CONTENT_TEXT || !result->items[index].text.p)
        return MCPHOST_E_INVALID;
    r = mcph_result_item_text(result, &result->items[index], &text);
    if (r < 0)
        return r;
    *ret_text = text.p;
    *ret_len = text.len;
    return 0;
}

const char *
mcphost_result_item_get_mime_type(mcphost_result *result, size_t index)
{
    if (!result || index >= result->n_items || !result->items[index].mime.p)
        return NULL;
    return mcph_result_item_mime(result, &result->items[index]);
}
