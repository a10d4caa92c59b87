/* SPDX-License-Identifier: MIT
 *
 * result.c - a tool's answer taken apart: items, structured content, isError.
 *
 * Missing or odd members cost only themselves: a result without `content` has
 * no items, an item of a kind that we do not know keeps its JSON (R68, R74).
 */
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

static const struct {
    const char *name;
    int kind;
} kinds[] = {
    {"text", MCPHOST_CONTENT_TEXT},
    {"image", MCPHOST_CONTENT_IMAGE},
    {"audio", MCPHOST_CONTENT_AUDIO},
    {"resource", MCPHOST_CONTENT_RESOURCE},
    {"resource_link", MCPHOST_CONTENT_RESOURCE_LINK},
};

static void
read_item(struct mcph_item *item, struct mcph_span json)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("type"), MCPH_JSON_WANT("text"),
                                    MCPH_JSON_WANT("mimeType")};

    *item = (struct mcph_item){.json = json};
    if (mcph_json_type(json) != MCPH_JSON_OBJECT)
        return;
    mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(kinds); i++)
        if (mcph_json_string_is(want[0].value, kinds[i].name, strlen(kinds[i].name)))
            item->kind = kinds[i].kind;
    if (mcph_json_type(want[1].value) == MCPH_JSON_STRING)
        item->text = want[1].value;
    if (mcph_json_type(want[2].value) == MCPH_JSON_STRING)
        item->mime = want[2].value;
}

int
mcph_result_new(struct mcph_frame *frame, struct mcph_span json, mcphost_result **ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("content"), MCPH_JSON_WANT("isError"),
                                    MCPH_JSON_WANT("structuredContent")};
    struct mcph_json_iter it;
    mcphost_result *result;
    struct mcph_span value;
    size_t n = 0;

    mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) == MCPH_JSON_ARRAY)
        n = mcph_json_count(want[0].value);
    result = calloc(1, sizeof(*result) + n * sizeof(result->items[0]));
    if (!result || pthread_mutex_init(&result->lock, NULL)) {
        free(result);
        return MCPHOST_E_NOMEM;
    }
    mcph_refs_init(&result->refs);
    result->frame = mcph_frame_ref(frame);
    result->json = json;
    result->structured = want[2].value;
    mcph_json_bool(want[1].value, &result->is_error);
    mcph_json_iter_init(&it, n ? want[0].value : MCPH_SPAN_NONE);
    while (result->n_items < n && mcph_json_iter_next(&it, NULL, &value))
        read_item(&result->items[result->n_items++], value);
    *ret = result;
    return 0;
}

int
mcph_result_new_text(const char *text, size_t len, bool is_error, mcphost_result **ret)
{
    struct mcph_frame *frame;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, SIZE_MAX / 2);
    mcph_buf_adds(&buf, "{\"content\":[{\"type\":\"text\",\"text\":");
    mcph_json_add_string(&buf, text, len);
    mcph_buf_adds(&buf, "}]");
    if (is_error)
        mcph_buf_adds(&buf, ",\"isError\":true");
    mcph_buf_addc(&buf, '}');
    r = mcph_buf_ok(&buf);
    if (r < 0)
        goto out;
    frame = mcph_frame_new(buf.data, buf.len);
    if (!frame) {
        r = MCPHOST_E_NOMEM;
        goto out;
    }
    r = mcph_result_new(frame, mcph_frame_span(frame), ret);
    mcph_frame_unref(frame);
out:
    mcph_buf_done(&buf);
    return r;
}

mcphost_result *
mcphost_result_ref(mcphost_result *result)
{
    if (result)
        mcph_refs_get(&result->refs);
    return result;
}

mcphost_result *
mcphost_result_unref(mcphost_result *result)
{
    if (!result || !mcph_refs_put(&result->refs))
        return NULL;
    for (size_t i = 0; i < result->n_items; i++) {
        free(result->items[i].made_text);
        free(result->items[i].made_mime);
    }
    mcph_frame_unref(result->frame);
    pthread_mutex_destroy(&result->lock);
    free(result);
    return NULL;
}

/* Under the lock: `*made` keeps what had to be unescaped. */
static int
say(struct mcph_span token, char **made, size_t *made_len, struct mcph_span *ret)
{
    struct mcph_buf buf;
    struct mcph_span text;
    int r;

    if (*made) {
        *ret = mcph_span(*made, *made_len);
        return 0;
    }
    mcph_buf_init(&buf, SIZE_MAX / 2);
    r = mcph_json_string_get(token, &buf, &text);
    if (r == 0 && buf.data) {
        *made = mcph_buf_steal(&buf, made_len);
        if (*made)
            text = mcph_span(*made, *made_len);
        else
            r = MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&buf);
    if (r == 0)
        *ret = text;
    return r;
}

int
mcph_result_item_text(mcphost_result *result, struct mcph_item *item,
                      struct mcph_span *ret_text)
{
    int r;

    pthread_mutex_lock(&result->lock);
    r = say(item->text, &item->made_text, &item->made_len, ret_text);
    pthread_mutex_unlock(&result->lock);
    return r;
}

const char *
mcph_result_item_mime(mcphost_result *result, struct mcph_item *item)
{
    pthread_mutex_lock(&result->lock);
    if (!item->made_mime && mcph_json_string_dup(item->mime, &item->made_mime) < 0)
        item->made_mime = NULL;
    pthread_mutex_unlock(&result->lock);
    return item->made_mime;
}
