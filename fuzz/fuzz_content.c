/* SPDX-License-Identifier: MIT
 *
 * fuzz_content.c - makes items, files and parts of messages from tool results.
 *
 * Each item of the server must become one item, in the same order, with the same content
 * or a text that says that the content was left out.  There must be a file for each item
 * that names a file, and no other file.  Each file must have the right bytes and be below
 * the dialog's directory.  Items that are read from a record must have the same text.
 * Each item must give one part for each provider, or at most one for Anthropic and
 * Gemini, with and without its file.
 *
 * Byte 0 holds the limits (see set_up()).  The names of the server and the tool follow,
 * each with a NUL at its end.  The remaining bytes, expanded (scratch_expand()), are
 * the result.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mcphost/catalog.h>

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX 100000

static struct mcph_items_spec spec;
static uint64_t quota, part_bytes;
static mcphost_result *result;
static mcphost_items *items;
static size_t n_kept; /* number of the items so far that have a file */

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- comparing an item with the server's item -------------------------------------- */

static bool
says(struct mcph_span token, const char *text)
{
    return mcph_json_string_is(token, text, strlen(text));
}

static int64_t
number(struct mcph_span item, const char *name)
{
    int64_t n = -1;

    must(mcph_json_int64(mcph_json_get(item, name), &n) == 0);
    return n;
}

/* Checks that the item's file has exactly these bytes. */
static void
check_kept(struct mcph_span item, struct mcph_span bytes)
{
    char *path = NULL;

    must(spec.place != NULL);
    must(number(item, "byteLength") == (int64_t)bytes.len);
    must(mcph_json_string_dup(mcph_json_get(mcph_json_get(item, "artifact"), "relPath"),
                              &path) == 0);
    must(scratch_has(path, bytes));
    free(path);
    n_kept++;
}

static bool
is_long(struct mcph_span text)
{
    size_t chars = 0;

    for (size_t i = 0; i < text.len; i++)
        chars += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return text.len > 8192 &&
           (spec.text_chars ? chars > spec.text_chars : text.len > spec.text_bytes);
}

static void
check_text(struct mcph_span item, struct mcph_span text)
{
    struct mcph_span shown;
    struct mcph_buf buf;

    mcph_buf_init(&buf, BYTES_MAX);
    must(says(mcph_json_get(item, "type"), "input_text"));
    must(mcph_json_string_get(mcph_json_get(item, "text"), &buf, &shown) == 0);
    if (!is_long(text)) {
        must(shown.len == text.len && memcmp(shown.p, text.p, text.len) == 0);
        must(!mcph_json_get(item, "artifact").p);
    } else {
        must(shown.len <= 3 * 4096 && memcmp(shown.p, text.p, 4093) == 0);
        must(memcmp(shown.p + shown.len - 4096, text.p + text.len - 4096, 4096) == 0);
        must(mcph_utf8_valid(shown.p, shown.len, NULL));
        if (mcph_json_get(item, "artifact").p)
            check_kept(item, text);
        else
            must(!spec.place || quota);
    }
    mcph_buf_done(&buf);
}

/* Checks that the item has the text of `token`, a JSON string of the server. */
static void
check_said(struct mcph_span item, struct mcph_span token)
{
    struct mcph_span text;
    struct mcph_buf buf;

    mcph_buf_init(&buf, BYTES_MAX);
    must(mcph_json_string_get(token, &buf, &text) == 0);
    check_text(item, text);
    mcph_buf_done(&buf);
}

static void
check_blob(struct mcph_span item, struct mcph_span token)
{
    unsigned char *bytes;
    struct mcph_span text;
    struct mcph_buf buf;
    size_t at;
    long n;

    mcph_buf_init(&buf, BYTES_MAX);
    must(mcph_json_string_get(token, &buf, &text) == 0);
    text = scratch_no_prefix(text);
    bytes = malloc(text.len + 8);
    must(bytes != NULL);
    n = scratch_base64(text, bytes, &at);
    if (says(mcph_json_get(item, "type"), "input_text") && n >= 0 &&
        mcph_utf8_valid((char *)bytes, (size_t)n, NULL) && !memchr(bytes, 0, (size_t)n) &&
        (mcph_json_get(item, "artifact").p || (n > 0 && spec.place && !quota))) {
        check_text(item, mcph_span((char *)bytes, (size_t)n)); /* a blob of a text type */
    } else if (mcph_json_get(item, "artifact").p) {
        must(n > 0);
        check_kept(item, mcph_span((char *)bytes, (size_t)n));
    } else {
        must(says(mcph_json_get(item, "type"), "input_text"));
        /* The item may lack a file only if the data is invalid or empty, if there is no
         * directory, or if there is a quota. */
        must(n <= 0 || !spec.place || quota);
    }
    free(bytes);
    mcph_buf_done(&buf);
}

static bool
is_ours(struct mcph_span type)
{
    return says(type, "input_text") || says(type, "input_image") ||
           says(type, "input_audio") || says(type, "input_file");
}

/* Checks an item against the server's item.  An item that is neither a text nor a blob
 * must be the server's own JSON, unless the JSON is too long or has a type of the
 * library's items. */
static void
check_item(struct mcph_span item, size_t index)
{
    struct mcph_span was = mcph_result_item(result, index), token = MCPH_SPAN_NONE;
    struct mcph_span inner = mcph_json_get(was, "resource");
    int kind = mcph_result_item_kind(result, index);
    bool text = false;

    must(mcph_json_type(item) != MCPH_JSON_ANY);
    if (kind == MCPHOST_CONTENT_TEXT || kind == MCPHOST_CONTENT_RESOURCE) {
        token = mcph_json_get(kind == MCPHOST_CONTENT_TEXT ? was : inner, "text");
        text = mcph_json_type(token) == MCPH_JSON_STRING;
    }
    if (kind == MCPHOST_CONTENT_RESOURCE && !text)
        token = mcph_json_get(inner, "blob");
    if (kind == MCPHOST_CONTENT_IMAGE || kind == MCPHOST_CONTENT_AUDIO)
        token = mcph_json_get(was, "data");
    if (text)
        check_said(item, token);
    else if (mcph_json_type(token) == MCPH_JSON_STRING)
        check_blob(item, token);
    else if (is_long(was) || is_ours(mcph_json_get(was, "type")))
        check_text(item, was);
    else
        must(item.len == was.len && memcmp(item.p, was.p, was.len) == 0);
}

static void
check_type(struct mcph_span item)
{
    struct mcph_span type = mcph_json_get(item, "type");

    must(says(type, "input_text") || says(type, "input_image"));
    if (says(type, "input_text"))
        must(mcph_json_type(mcph_json_get(item, "text")) == MCPH_JSON_STRING);
}

/* ---- comparing all items ----------------------------------------------------------- */

/* Returns false if the library must add one item of its own.  If the result has no array
 * "content", this item has the structured content or else the whole result.  If the array
 * has only blank texts or is empty, and there is structured content, this item has the
 * structured content. */
static bool
shows_something(void)
{
    bool blank = true;

    for (size_t i = 0; i < mcph_result_count(result) && blank; i++) {
        const char *text;
        size_t len;

        blank = mcphost_result_item_get_text(result, i, &text, &len) == 0;
        for (size_t k = 0; blank && k < len; k++)
            blank = text[k] && strchr(" \t\r\n", text[k]);
    }
    return mcph_result_has_content(result) &&
           (!blank || !mcph_result_structured(result).p);
}

static void
check_items(void)
{
    struct mcph_span json, item;
    struct mcph_json_iter it;
    uint64_t bytes;
    size_t n = 0;

    json.p = mcphost_items_get_json(items, &json.len);
    must(mcph_json_check(json, 0, NULL, NULL) == 0);
    n_kept = 0;
    mcph_json_iter_init(&it, json);
    for (; mcph_json_iter_next(&it, NULL, &item); n++) {
        if (!spec.all_types)
            check_type(item);
        else if (n < mcph_result_count(result))
            check_item(item, n);
        else if (mcph_json_type(mcph_result_structured(result)) != MCPH_JSON_ANY)
            check_text(item, mcph_result_structured(result));
        else
            check_text(item, result->json);
    }
    must(n == mcph_result_count(result) + !shows_something());
    if (spec.all_types)
        must(scratch_count(&bytes) == n_kept && (!quota || bytes <= quota));
}

static void
check_parts(const mcphost_items *from)
{
    size_t len, n;
    const char *json = mcphost_items_get_json(from, &len);

    n = mcph_json_count(mcph_span(json, len));
    for (int shape = MCPHOST_SHAPE_MCP + 1;
         shape < (int)mcphost_enum_count_values(MCPHOST_ENUM_SHAPE); shape++) {
        struct mcph_span made;
        char *parts = NULL;

        must(mcphost_items_make_parts(from, shape, part_bytes, &parts, &made.len, NULL) ==
             0);
        made.p = parts;
        must(mcph_json_check(made, 0, NULL, NULL) == 0);
        if (shape == MCPHOST_SHAPE_ANTHROPIC || shape == MCPHOST_SHAPE_GEMINI)
            must(mcph_json_count(made) <= n);
        else
            must(mcph_json_count(made) == n || (!n && mcph_json_count(made) == 1));
        mcphost_free(parts);
        must(mcphost_items_make_user_parts(from, shape, part_bytes, &parts, &made.len,
                                           NULL) == 0);
        made.p = parts;
        must(mcph_json_check(made, 0, NULL, NULL) == 0);
        must(mcph_json_count(made) <= 2 * n && mcph_json_count(made) % 2 == 0);
        must(shape == MCPHOST_SHAPE_OPENAI_CHAT || mcph_json_count(made) == 0);
        mcphost_free(parts);
    }
}

static void
check_record(void)
{
    mcphost_items *again = NULL;
    size_t len, again_len;
    const char *json = mcphost_items_get_json(items, &len), *text;

    must(mcphost_items_parse(json, len, spec.place ? scratch_dir() : NULL, &again,
                             NULL) == 0);
    text = mcphost_items_get_text(again, &again_len);
    must(strcmp(mcphost_items_get_json(again, NULL), json) == 0);
    json = mcphost_items_get_text(items, &len);
    must(len == again_len && memcmp(json, text, len) == 0);
    check_parts(again);
    mcphost_items_unref(again);
}

/* ---- inputs ------------------------------------------------------------------------ */

static void
set_up(unsigned limits, const char *server, const char *tool)
{
    static const uint64_t quotas[] = {0, 3, 60, 20000};

    spec = (struct mcph_items_spec){.server = server, .tool = tool};
    spec.text_bytes = limits & 3 ? (size_t)(limits & 3) * 8200 : BYTES_MAX;
    spec.text_chars = limits & 4 ? 9000 : 0;
    quota = quotas[limits >> 3 & 3];
    part_bytes = limits & 32 ? 50 : 0;
    spec.all_types = !(limits & 128);
    if (!(limits & 64))
        must(mcph_artifacts_new(scratch_dir(), "root", "self", quota, &spec.place,
                                NULL) == 0);
}

static void
take_result(const struct mcph_buf *text)
{
    struct mcph_span json;
    struct mcph_frame *frame;

    if (mcph_json_check(mcph_span(text->data, text->len), 0, &json, NULL) < 0 ||
        mcph_json_type(json) != MCPH_JSON_OBJECT)
        return;
    frame = mcph_frame_new(json.p, json.len);
    must(frame && mcph_result_new(frame, mcph_frame_span(frame), &result) == 0);
    mcph_frame_unref(frame);
    must(mcph_items_make(result, &spec, &items) == 0);
    check_items();
    check_record();
    if (spec.place) {
        scratch_empty();
        check_parts(items);
    }
    items = mcphost_items_unref(items);
    result = mcphost_result_unref(result);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *names = (const char *)data + 1, *tool, *rest;
    struct mcph_buf text;

    tool = size > 1 ? memchr(names, '\0', size - 1) : NULL;
    rest = tool ? memchr(tool + 1, '\0', size - 2 - (size_t)(tool - names)) : NULL;
    if (!rest)
        return 0;
    rest++;
    mcph_buf_init(&text, BYTES_MAX);
    scratch_expand(&text, (const uint8_t *)rest, size - 1 - (size_t)(rest - names));
    set_up(data[0], names, tool + 1);
    if (text.data)
        take_result(&text);
    mcph_artifacts_unref(spec.place);
    mcph_buf_done(&text);
    return 0;
}
