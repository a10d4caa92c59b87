/* SPDX-License-Identifier: MIT
 *
 * longtext.c - a text too long for a model: its head and tail, and the whole as a file.
 */
#include <string.h>

#include "result/items.h"

#define EDGE 4096 /* bytes of the head and of the tail */

/* The number of characters, as far as it matters: no more than `most` + 1. */
static size_t
count_characters(struct mcph_span text, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n <= most; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return n;
}

static bool
is_long(const struct mcph_items_spec *spec, struct mcph_span text)
{
    /* No text of two edges gets shorter by being cut. */
    if (text.len <= (size_t)2 * EDGE)
        return false;
    if (spec->text_chars)
        return text.len > spec->text_chars &&
               count_characters(text, spec->text_chars) > spec->text_chars;
    return text.len > spec->text_bytes;
}

/* Where a character begins, at `at` or before it. */
static size_t
boundary(struct mcph_span text, size_t at)
{
    while (at > 0 && at < text.len && ((unsigned char)text.p[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static uint64_t
count_lines(struct mcph_span text)
{
    const char *p = text.p, *end = text.p + text.len;
    uint64_t n = 0;

    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));

        n++;
        p = newline ? newline + 1 : end;
    }
    return n;
}

/* `path` NULL: it could not be kept, for this reason. */
static void
add_item(struct mcph_making *making, struct mcph_span text, struct mcph_span uri,
         const char *path, const char *why)
{
    size_t head = boundary(text, EDGE), tail = boundary(text, text.len - EDGE);
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];
    struct mcph_buf shown;

    mcph_buf_init(&shown, (size_t)4 * EDGE);
    mcph_buf_add(&shown, text.p, head);
    mcph_buf_addf(&shown, "\n[%zu of %zu bytes left out here; %s%s]\n", tail - head,
                  text.len,
                  path ? "the whole is " : "the whole was not kept: ", path ? path : why);
    mcph_buf_add(&shown, text.p + tail, text.len - tail);
    mcph_item_open(making, "input_text");
    mcph_json_add_key(&making->json, "text");
    mcph_json_add_string(&making->json, shown.data, shown.len);
    mcph_json_add_key(&making->json, "byteLength");
    mcph_buf_addi(&making->json, (int64_t)text.len);
    mcph_json_add_key(&making->json, "lineCount");
    mcph_buf_addi(&making->json, (int64_t)count_lines(text));
    mcph_sha256(text.p, text.len, digest);
    mcph_hex(digest, sizeof(digest), hex);
    mcph_json_add_key(&making->json, "sha256");
    mcph_json_add_str(&making->json, hex);
    if (path)
        mcph_item_add_artifact(making, path);
    mcph_item_close(making, uri);
    if (mcph_buf_ok(&shown))
        making->json.err = MCPHOST_E_NOMEM;
    mcph_buf_done(&shown);
}

bool
mcph_item_add_long_text(struct mcph_making *making, struct mcph_span text,
                        struct mcph_span uri)
{
    const struct mcph_items_spec *spec = making->spec;
    struct mcph_artifact artifact;
    mcphost_error *error = NULL;
    int r;

    if (!is_long(spec, text))
        return false;
    if (!spec->place)
        r = mcph_err(&error, MCPHOST_E_STATE,
                     "the dialog has no directory for artifacts");
    else
        r = mcph_artifact_begin(spec->place, spec->server, spec->tool, "txt", &artifact,
                                &error);
    if (r == 0) {
        r = mcph_artifact_write(&artifact, text.p, text.len, &error);
        if (r == 0)
            r = mcph_artifact_end(&artifact, &error);
        else
            mcph_artifact_abort(&artifact);
    }
    if (r == MCPHOST_E_NOMEM)
        making->json.err = r; /* it may be asked for again */
    else
        add_item(making, text, uri, r == 0 ? artifact.path : NULL,
                 mcphost_error_get_message(error));
    mcphost_error_unref(error);
    return true;
}
