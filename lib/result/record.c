/* SPDX-License-Identifier: MIT
 *
 * record.c - items in recorded form: their JSON and their text.
 *
 * The JSON defines the items.  The text is always made from the JSON.  Therefore items
 * that are read from a record have the same text as the recorded items.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/items.h"

#define BYTES_MAX (SIZE_MAX / 2)

/* ---- the text ---------------------------------------------------------------------- */

static const struct {
    const char *type, *what;
} files[] = {{"input_image", "image"}, {"input_audio", "audio"}, {"input_file", "file"}};

/* Adds a string token as text, with blanks in place of control characters.  Adds a number
 * as it is.  Adds a dash for any other value. */
static void
add_member(struct mcph_buf *text, struct mcph_span token)
{
    struct mcph_span said;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, token.len + 1);
    r = mcph_json_string_get(token, &buf, &said);
    if (r == MCPHOST_E_NOMEM)
        text->err = r;
    else if (r == 0)
        mcph_utf8_add_clean(text, said.p, said.len, true);
    else if (mcph_json_type(token) == MCPH_JSON_NUMBER)
        mcph_buf_add(text, token.p, token.len);
    else
        mcph_buf_addc(text, '-');
    mcph_buf_done(&buf);
}

void
mcph_item_describe(struct mcph_span item, struct mcph_buf *text)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("type"), MCPH_JSON_WANT("mimeType"),
                                    MCPH_JSON_WANT("byteLength"), MCPH_JSON_WANT("uri")};
    const char *what = "file";

    mcph_json_pick(item, want, MCPH_ARRAY_SIZE(want));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(files); i++) {
        if (mcph_json_string_is(want[0].value, files[i].type, strlen(files[i].type)))
            what = files[i].what;
    }
    mcph_buf_addf(text, "[%s saved: ", what);
    add_member(text, want[1].value);
    mcph_buf_adds(text, ", ");
    add_member(text, want[2].value);
    mcph_buf_adds(text, " bytes");
    if (want[3].value.p) {
        mcph_buf_adds(text, ", ");
        add_member(text, want[3].value);
    }
    mcph_buf_addc(text, ']');
}

bool
mcph_item_is_blank(struct mcph_span text)
{
    size_t i = 0;

    while (i < text.len && text.p[i] && strchr(" \t\r\n", text.p[i]))
        i++;
    return i == text.len;
}

static bool
is_file(struct mcph_span type)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(files); i++) {
        if (mcph_json_string_is(type, files[i].type, strlen(files[i].type)))
            return true;
    }
    return false;
}

/* Adds one item to the text (B.11): a text unchanged, a file as a description, any other
 * item as JSON.  Each item starts a new line.  Blank texts are left out. */
static void
add_item_text(struct mcph_span item, struct mcph_buf *text)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("type"), MCPH_JSON_WANT("text")};
    struct mcph_span said = item;
    struct mcph_buf buf;

    mcph_buf_init_paged(&buf, BYTES_MAX);
    mcph_json_pick(item, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[1].value) == MCPH_JSON_STRING &&
        mcph_json_string_is(want[0].value, "input_text", 10)) {
        int r = mcph_json_string_get(want[1].value, &buf, &said);

        if (r < 0)
            text->err = r;
    }
    if (!mcph_item_is_blank(said)) {
        if (text->len)
            mcph_buf_addc(text, '\n');
        if (is_file(want[0].value))
            mcph_item_describe(item, text);
        else
            mcph_buf_add(text, said.p, said.len);
    }
    mcph_buf_done(&buf);
}

/* ---- the handle -------------------------------------------------------------------- */

int
mcph_items_new(struct mcph_buf *json, const char *dir, bool is_error, mcphost_items **ret)
{
    mcphost_items *items = mcph_buf_ok(json) ? NULL : calloc(1, sizeof(*items));
    struct mcph_json_iter it;
    struct mcph_span item;
    struct mcph_buf text;
    int r = MCPHOST_E_NOMEM;

    if (!items)
        return r;
    mcph_refs_init(&items->refs);
    items->is_error = is_error;
    mcph_buf_init_paged(&text, BYTES_MAX);
    mcph_json_iter_init(&it, mcph_span(json->data, json->len));
    while (mcph_json_iter_next(&it, NULL, &item))
        add_item_text(item, &text);
    items->dir = dir ? mcph_strdup(dir) : NULL;
    if (!mcph_buf_ok(&text) && (items->dir || !dir)) {
        items->json = mcph_buf_steal(json, &items->json_len);
        items->text = mcph_buf_steal(&text, &items->text_len);
        r = items->json && items->text ? 0 : MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&text);
    if (r == 0)
        *ret = items;
    else
        mcphost_items_unref(items);
    return r;
}

/* Replaces the object of a recorded tool result (R70) in *value by the array of its
 * items.  An array in *value stays.  Sets *ret_is_error.  Fails if *value holds no array
 * of items. */
static int
open_record(struct mcph_span *value, bool *ret_is_error, mcphost_error **reterr)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("contentItems"),
                                    MCPH_JSON_WANT("isError")};

    *ret_is_error = false;
    if (mcph_json_type(*value) == MCPH_JSON_ARRAY)
        return 0;
    mcph_json_pick(*value, want, MCPH_ARRAY_SIZE(want));
    (void)mcph_json_bool(want[1].value, ret_is_error);
    *value = want[0].value;
    return mcph_json_type(*value) == MCPH_JSON_ARRAY
               ? 0
               : mcph_err(reterr, MCPHOST_E_INVALID,
                          "recorded items must be an array, or an object with an array "
                          "'contentItems'");
}

int
mcphost_items_parse(const char *json, size_t len, const char *dir,
                    mcphost_items **ret_items, mcphost_error **reterr)
{
    struct mcph_span value;
    struct mcph_buf copy;
    bool is_error;
    int r;

    if (!json || !ret_items || (dir && dir[0] != '/'))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "an argument is NULL, or the directory is not absolute");
    r = mcph_json_check_input(mcph_span(json, len), 0, MCPH_JSON_ANY, "recorded items",
                              &value, reterr);
    if (r == 0)
        r = open_record(&value, &is_error, reterr);
    if (r < 0)
        return r;
    mcph_buf_init_paged(&copy, BYTES_MAX);
    mcph_buf_add(&copy, value.p, value.len);
    r = mcph_items_new(&copy, dir, is_error, ret_items);
    mcph_buf_done(&copy);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

mcphost_items *
mcphost_items_ref(mcphost_items *items)
{
    if (items)
        mcph_refs_get(&items->refs);
    return items;
}

mcphost_items *
mcphost_items_unref(mcphost_items *items)
{
    if (items && mcph_refs_put(&items->refs)) {
        free(items->dir);
        free(items->json);
        free(items->text);
        free(items);
    }
    return NULL;
}

const char *
mcphost_items_get_json(const mcphost_items *items, size_t *ret_len)
{
    if (ret_len)
        *ret_len = items ? items->json_len : 0;
    return items ? items->json : NULL;
}

const char *
mcphost_items_get_text(const mcphost_items *items, size_t *ret_len)
{
    if (ret_len)
        *ret_len = items ? items->text_len : 0;
    return items ? items->text : NULL;
}

int
mcphost_items_is_error(const mcphost_items *items)
{
    return items && items->is_error;
}
