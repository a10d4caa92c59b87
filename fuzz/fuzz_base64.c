/* SPDX-License-Identifier: MIT
 *
 * fuzz_base64.c - compares the base64 decoder with a simple decoder.
 *
 * The library's decoder gets the text in steps of random sizes.  The simple decoder takes
 * the text bit by bit.  The two decoders must give the same bytes, or report a fault at
 * the same place.
 *
 * Byte 0 holds flags.  Flag 1 also writes the file of a picture, flag 2 escapes every
 * character of the picture's data, flag 4 encodes the text first, flag 8 adds the prefix
 * of a data: URL, and flag 16 allows a text longer than one step of the code that writes
 * the file.  Byte 1 is the seed of the sizes of the steps.  The remaining bytes, expanded
 * (scratch_expand()), are the text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AS_FILE = 1, ESCAPED = 2, ENCODED = 4, PREFIXED = 8, LARGE = 16 };

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- in steps ---------------------------------------------------------------------- */

/* Decodes the text in random steps.  Gives each step a buffer of exactly the size that
 * the step can need.  Returns the number of bytes, or -1 if the text is invalid. */
static long
decode(struct mcph_span text, unsigned seed, unsigned char *out, size_t *ret_at)
{
    struct mcph_base64 b64;
    unsigned char last[2];
    size_t n = 0, got;
    int r = 0;

    mcph_base64_init(&b64);
    while (text.len && r == 0) {
        size_t step;
        unsigned char *room;

        seed = seed * 1103515245u + 12345u;
        step = (seed >> 16) % (seed & 0x8000 ? 5000 : 20) + 1;
        step = step < text.len ? step : text.len;
        room = malloc(MCPH_BASE64_ROOM(step));
        must(room != NULL);
        r = mcph_base64_feed(&b64, text.p, step, room, &got);
        if (r == 0) {
            memcpy(out + n, room, got);
            n += got;
        }
        free(room);
        text = mcph_span(text.p + step, text.len - step);
    }
    if (r == 0)
        r = mcph_base64_end(&b64, last, &got);
    *ret_at = b64.at;
    if (r == 0)
        memcpy(out + n, last, got);
    must(r == 0 || r == MCPHOST_E_INVALID);
    return r < 0 ? -1 : (long)(n + got);
}

static void
check_steps(struct mcph_span text, unsigned seed)
{
    unsigned char *plain = malloc(text.len + 8), *ours = malloc(text.len + 8);
    size_t plain_at = 0, ours_at = 0;
    long n;

    must(plain && ours);
    n = scratch_base64(text, plain, &plain_at);
    must(decode(text, seed, ours, &ours_at) == n && ours_at == plain_at);
    must(n < 0 || memcmp(plain, ours, (size_t)n) == 0);
    free(plain);
    free(ours);
}

/* ---- through a file ---------------------------------------------------------------- */

/* Adds `text` as a JSON string.  If `escaped` is true, escapes every byte. */
static void
add_token(struct mcph_buf *json, struct mcph_span text, bool escaped)
{
    if (!escaped) {
        mcph_json_add_string(json, text.p, text.len);
        return;
    }
    mcph_buf_addc(json, '"');
    for (size_t i = 0; i < text.len; i++) {
        char hex[3];

        mcph_hex((const unsigned char *)text.p + i, 1, hex);
        mcph_buf_add(json, "\\u00", 4);
        mcph_buf_add(json, hex, 2);
    }
    mcph_buf_addc(json, '"');
}

/* Makes the items of a result that holds a picture with this data. */
static mcphost_items *
make(struct mcph_span token)
{
    struct mcph_items_spec spec = {.server = "s", .tool = "t", .text_bytes = 1 << 20};
    struct mcph_frame *frame;
    mcphost_items *items = NULL;
    mcphost_result *result = NULL;
    struct mcph_buf json;

    mcph_buf_init(&json, 1 << 20);
    mcph_buf_adds(&json, "{\"content\":[{\"type\":\"image\",\"data\":");
    mcph_json_add_span(&json, token);
    mcph_buf_adds(&json, "}]}");
    must(mcph_buf_ok(&json) == 0);
    must(mcph_artifacts_new(scratch_dir(), "r", "s", 0, &spec.place, NULL) == 0);
    frame = mcph_frame_new(json.data, json.len);
    must(frame && mcph_result_new(frame, mcph_frame_span(frame), &result) == 0);
    must(mcph_items_make(result, &spec, &items) == 0);
    mcph_frame_unref(frame);
    mcphost_result_unref(result);
    mcph_artifacts_unref(spec.place);
    mcph_buf_done(&json);
    return items;
}

static void
check_kept(const mcphost_items *items, struct mcph_span bytes)
{
    char *path = NULL;
    uint64_t total;
    size_t len;
    const char *json = mcphost_items_get_json(items, &len);
    struct mcph_span item = mcph_span(json + 1, len - 2);

    must(scratch_count(&total) == 1 && total == bytes.len);
    must(mcph_json_string_dup(mcph_json_get(mcph_json_get(item, "artifact"), "relPath"),
                              &path) == 0);
    must(scratch_has(path, bytes));
    free(path);
}

static void
check_left_out(const mcphost_items *items, const char *why)
{
    const char *text = mcphost_items_get_text(items, NULL);
    uint64_t total;

    must(scratch_count(&total) == 0);
    must(strlen(text) > strlen(why) && strcmp(strrchr(text, ':') + 2, why) == 0);
}

/* Makes an item whose data is the text, and checks the item's file.  The file must have
 * the bytes that the simple decoder makes of the text.  If the simple decoder makes no
 * bytes, the item must have no file and must give the reason.  The simple decoder reads
 * the text of the JSON string.  In that text, invalid UTF-8 is replaced. */
static void
check_file(struct mcph_span text, bool escaped)
{
    struct mcph_buf token, said;
    mcphost_items *items;
    unsigned char *plain;
    char why[80];
    size_t at = 0;
    long n;

    mcph_buf_init(&token, 1 << 20);
    mcph_buf_init(&said, 1 << 20);
    add_token(&token, text, escaped);
    must(mcph_json_string_get(mcph_span(token.data, token.len), &said, &text) == 0);
    items = make(mcph_span(token.data, token.len));
    text = scratch_no_prefix(text);
    plain = malloc(text.len + 8);
    must(plain != NULL);
    n = scratch_base64(text, plain, &at);
    snprintf(why, sizeof(why), "its base64 is invalid at character %zu]", at);
    if (n > 0)
        check_kept(items, mcph_span((char *)plain, (size_t)n));
    else
        check_left_out(items, n < 0 ? why : "it is empty]");
    scratch_empty();
    mcphost_items_unref(items);
    free(plain);
    mcph_buf_done(&said);
    mcph_buf_done(&token);
}

/* ---- the target -------------------------------------------------------------------- */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_buf text, bytes;

    if (size < 2)
        return 0;
    /* LARGE: the text may be longer than one step of lib/result/blob.c, which decodes
     * 49152 characters in a step. */
    mcph_buf_init(&bytes, data[0] & LARGE ? 70000 : 2000);
    mcph_buf_init(&text, 100000);
    scratch_expand(&bytes, data + 2, size - 2);
    if (data[0] & PREFIXED)
        mcph_buf_adds(&text, " Data:image/png;base64,");
    if (data[0] & ENCODED)
        mcph_base64_add(&text, bytes.data, bytes.len);
    else
        mcph_buf_add(&text, bytes.data, bytes.len);
    must(text.data || text.len == 0);
    if (text.data) {
        check_steps(mcph_span(text.data, text.len), data[1]);
        if (data[0] & AS_FILE)
            check_file(mcph_span(text.data, text.len), data[0] & ESCAPED);
    }
    mcph_buf_done(&bytes);
    mcph_buf_done(&text);
    return 0;
}
