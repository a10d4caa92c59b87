/* SPDX-License-Identifier: MIT
 *
 * items.c - makes the items of a conversation from a tool result.
 *
 * Each content item of the server becomes one item, in the server's order (R74).  Data
 * that cannot be kept becomes a text item that gives the reason.  The call does not fail,
 * and the list of items has no gap.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/items.h"

#define BYTES_MAX (SIZE_MAX / 2)

/* ---- pieces ------------------------------------------------------------------------ */

void
mcph_item_open(struct mcph_making *making, const char *type)
{
    mcph_json_add_comma(&making->json);
    mcph_buf_adds(&making->json, "{\"type\":");
    mcph_json_add_str(&making->json, type);
}

void
mcph_item_add_artifact(struct mcph_making *making, const char *path)
{
    const struct mcph_artifacts *place = making->spec->place;

    mcph_json_add_key(&making->json, "artifact");
    mcph_buf_adds(&making->json, "{\"rootId\":");
    mcph_json_add_str(&making->json, place->root_id);
    mcph_json_add_member(&making->json, "selfId", place->self_id);
    mcph_json_add_member(&making->json, "relPath", path);
    mcph_buf_addc(&making->json, '}');
}

void
mcph_item_close(struct mcph_making *making, struct mcph_span uri)
{
    if (mcph_json_type(uri) == MCPH_JSON_STRING) {
        mcph_json_add_key(&making->json, "uri");
        mcph_json_add_span(&making->json, uri);
    }
    mcph_buf_addc(&making->json, '}');
}

void
mcph_item_say(struct mcph_making *making, struct mcph_span text, struct mcph_span uri)
{
    mcph_item_open(making, "input_text");
    mcph_json_add_key(&making->json, "text");
    mcph_json_add_string(&making->json, text.p, text.len);
    mcph_item_close(making, uri);
}

void
mcph_item_sayf(struct mcph_making *making, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (n > 0)
        mcph_item_say(making, mcph_span_str(text), MCPH_SPAN_NONE);
}

/* ---- kinds ------------------------------------------------------------------------- */

/* Adds a text from the JSON string `token`.  A long text becomes a file. */
static void
add_text(struct mcph_making *making, struct mcph_span token, struct mcph_span uri)
{
    struct mcph_span text;
    struct mcph_buf buf;
    int r;

    if (mcph_item_add_long_string(making, token, uri))
        return;
    mcph_buf_init_paged(&buf, BYTES_MAX);
    r = mcph_json_string_get(token, &buf, &text);
    if (r < 0)
        making->json.err = r;
    else
        mcph_item_say(making, text, uri);
    mcph_buf_done(&buf);
}

/* Returns true if the item has a type of this library's own items.  A server must not be
 * able to forge an item of the library, because the item can name a file. */
static bool
looks_like_ours(struct mcph_span item)
{
    static const char *const ours[] = {"input_text", "input_image", "input_audio",
                                       "input_file"};
    struct mcph_span type = mcph_json_get(item, "type");

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(ours); i++) {
        if (mcph_json_string_is(type, ours[i], strlen(ours[i])))
            return true;
    }
    return false;
}

/* Adds the item as the server sent it.  The item becomes a text if it is too long, if it
 * looks like an item of this library, or if other types than input_text and input_image
 * are not wanted. */
static void
add_raw(struct mcph_making *making, struct mcph_span item)
{
    if (mcph_item_add_long_text(making, item, MCPH_SPAN_NONE))
        return;
    if (!making->spec->all_types || looks_like_ours(item)) {
        mcph_item_say(making, item, MCPH_SPAN_NONE);
        return;
    }
    mcph_json_add_comma(&making->json);
    mcph_json_add_span(&making->json, item);
}

/* Adds the text or the blob of `resource`.  The members of a resource are "uri",
 * "mimeType", and "text" or "blob".  Returns false if the resource has no text and no
 * blob. */
static bool
add_resource(struct mcph_making *making, struct mcph_span resource)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("uri"), MCPH_JSON_WANT("mimeType"),
                                    MCPH_JSON_WANT("text"), MCPH_JSON_WANT("blob")};

    mcph_json_pick(resource, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[2].value) == MCPH_JSON_STRING)
        add_text(making, want[2].value, want[0].value);
    else if (mcph_json_type(want[3].value) == MCPH_JSON_STRING)
        mcph_item_add_blob(making, "resource", want[3].value, want[1].value,
                           want[0].value);
    else
        return false;
    return true;
}

static void
add_item(struct mcph_making *making, mcphost_result *result, size_t index)
{
    struct mcph_span item = mcph_result_item(result, index), token;
    bool done = false;

    switch (mcph_result_item_kind(result, index)) {
    case MCPHOST_CONTENT_TEXT:
        token = mcph_json_get(item, "text");
        done = mcph_json_type(token) == MCPH_JSON_STRING;
        if (done)
            add_text(making, token, MCPH_SPAN_NONE);
        break;
    case MCPHOST_CONTENT_IMAGE:
    case MCPHOST_CONTENT_AUDIO:
        token = mcph_json_get(item, "data");
        done = mcph_json_type(token) == MCPH_JSON_STRING;
        if (done)
            mcph_item_add_blob(
                making,
                mcph_result_item_kind(result, index) == MCPHOST_CONTENT_IMAGE ? "image"
                                                                              : "audio",
                token, mcph_json_get(item, "mimeType"), MCPH_SPAN_NONE);
        break;
    case MCPHOST_CONTENT_RESOURCE:
        done = add_resource(making, result->form == MCPH_RESULT_READ
                                        ? item
                                        : mcph_json_get(item, "resource"));
        break;
    default:
        break;
    }
    if (!done)
        add_raw(making, item);
}

/* Returns true if all `n` items are blank texts, or `n` is 0. */
static bool
is_silent(struct mcph_making *making, mcphost_result *result, size_t n)
{
    struct mcph_span text;

    for (size_t i = 0; i < n; i++) {
        int r = mcph_result_item_text(result, i, &text);

        if (r == MCPHOST_E_NOMEM)
            making->json.err = r;
        if (r < 0 || !mcph_item_is_blank(text))
            return false;
    }
    return true;
}

/* Adds one text for a result without an array `content`, and for a result with structured
 * content whose `content` is empty or has only blank texts (B.11).  The text is the
 * structured content.  If the result has no structured content, the text is the whole
 * JSON of the result. */
static void
add_whole(struct mcph_making *making, mcphost_result *result)
{
    struct mcph_span structured = mcph_result_structured(result);
    struct mcph_span text = structured.p ? structured : result->json;

    if (!mcph_item_add_long_text(making, text, MCPH_SPAN_NONE))
        mcph_item_say(making, text, MCPH_SPAN_NONE);
}

int
mcph_items_make(mcphost_result *result, const struct mcph_items_spec *spec,
                mcphost_items **ret)
{
    struct mcph_making making = {.spec = spec};
    size_t n = mcph_result_count(result);
    int r = mcph_result_begin_reading(result);

    if (r < 0)
        return r;
    mcph_buf_init_paged(&making.json, BYTES_MAX);
    mcph_buf_addc(&making.json, '[');
    for (size_t i = 0; i < n && !mcph_buf_ok(&making.json); i++)
        add_item(&making, result, i);
    if (!mcph_result_has_content(result) ||
        (mcph_result_structured(result).p && is_silent(&making, result, n)))
        add_whole(&making, result);
    mcph_result_end_reading(result);
    mcph_buf_addc(&making.json, ']');
    r = mcph_items_new(&making.json, spec->place ? spec->place->dir : NULL,
                       mcph_result_is_error(result), ret);
    mcph_buf_done(&making.json);
    return r;
}
