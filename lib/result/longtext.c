/* SPDX-License-Identifier: MIT
 *
 * longtext.c - writes a text that is too long for a model to a file, and shows the head
 * and tail of the text.
 *
 * A text with escapes is decoded in steps, twice: first until it is known to be too long,
 * then from its beginning into the file.  Memory never holds a second copy of the text.
 */
#include <string.h>

#include "result/items.h"

#define EDGE      4096 /* limit on the bytes of the head, and of the tail */
#define STEP      16384
#define CHARACTER 4 /* limit on the bytes of a UTF-8 character */

/* A reader of a text in steps.  A text without escapes is one step. */
struct reader {
    struct mcph_span plain;
    struct mcph_json_text escaped;
    char room[STEP];
};

static void
init_reader(struct reader *reader, struct mcph_span text, bool is_token)
{
    reader->plain = is_token ? MCPH_SPAN_NONE : text;
    mcph_json_text_init(&reader->escaped, is_token ? text : MCPH_SPAN_NONE);
}

/* Returns the next step of the text, or an empty span after the last step. */
static struct mcph_span
next_step(struct reader *reader)
{
    struct mcph_span step = reader->plain;

    reader->plain = MCPH_SPAN_NONE;
    if (step.len)
        return step;
    return mcph_span(reader->room,
                     mcph_json_text_next(&reader->escaped, reader->room, STEP));
}

/* ---- the length of a text ---------------------------------------------------------- */

/* Counts the characters of a text.  Stops at `most` + 1. */
static size_t
count_characters(struct mcph_span text, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n <= most; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return n;
}

static bool
is_long(const struct mcph_items_spec *spec, struct mcph_span text, bool is_token)
{
    size_t len = 0, characters = 0, most = spec->text_chars;
    struct mcph_span step;
    struct reader reader;

    /* Keep a text of at most 2 * EDGE bytes, because the head and the tail would not be
     * shorter.  Keep a text whose token is within the limit, because a text is never
     * longer than its token. */
    if (text.len <= (size_t)2 * EDGE || text.len <= (most ? most : spec->text_bytes))
        return false;
    init_reader(&reader, text, is_token);
    for (step = next_step(&reader); step.len; step = next_step(&reader)) {
        len += step.len;
        if (most)
            characters += count_characters(step, most - characters);
        if (len > (size_t)2 * EDGE && (most ? characters > most : len > spec->text_bytes))
            return true;
    }
    return false;
}

/* ---- the text that is shown -------------------------------------------------------- */

struct summary {
    uint64_t len, lines;
    bool in_line; /* true if the last line has no newline */
    size_t n_head, n_tail;
    /* add_shown() cuts the head and the tail between characters.  To find the boundary,
     * add_shown() needs one more byte of the head and three more bytes of the tail. */
    char head[EDGE + 1], tail[EDGE + CHARACTER - 1];
    struct mcph_sha256 digest;
};

static void
count_lines(struct summary *summary, struct mcph_span step)
{
    const char *p = step.p, *end = step.p + step.len;

    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));

        summary->lines += !summary->in_line;
        summary->in_line = !newline;
        p = newline ? newline + 1 : end;
    }
}

static void
add_step(struct summary *summary, struct mcph_span step)
{
    size_t room = sizeof(summary->head) - summary->n_head;
    size_t n = step.len < room ? step.len : room, kept;

    memcpy(summary->head + summary->n_head, step.p, n);
    summary->n_head += n;
    n = step.len < sizeof(summary->tail) ? step.len : sizeof(summary->tail);
    kept = sizeof(summary->tail) - n;
    if (kept > summary->n_tail)
        kept = summary->n_tail;
    memmove(summary->tail, summary->tail + summary->n_tail - kept, kept);
    memcpy(summary->tail + kept, step.p + step.len - n, n);
    summary->n_tail = kept + n;
    summary->len += step.len;
    count_lines(summary, step);
    mcph_sha256_add(&summary->digest, step.p, step.len);
}

/* Returns the start of the character that contains the byte at `at`. */
static size_t
character_start(const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* Adds the text of an item: the head, a line about the omitted part, and the tail.
 * `path` is NULL if the text was not kept.  In this case `why` gives the reason. */
static void
add_shown(struct mcph_making *making, const struct summary *summary, const char *path,
          const char *why)
{
    size_t head = character_start(summary->head, EDGE);
    size_t from = character_start(summary->tail, summary->n_tail - EDGE);
    size_t tail = summary->n_tail - from;
    struct mcph_buf shown;

    mcph_buf_init(&shown, (size_t)4 * EDGE);
    mcph_buf_add(&shown, summary->head, head);
    mcph_buf_addf(&shown, "\n[%llu of %llu bytes left out here; %s%s]\n",
                  (unsigned long long)(summary->len - head - tail),
                  (unsigned long long)summary->len,
                  path ? "the whole text is in " : "the whole text was not stored: ",
                  path ? path : why);
    mcph_buf_add(&shown, summary->tail + from, tail);
    mcph_json_add_key(&making->json, "text");
    mcph_json_add_string(&making->json, shown.data, shown.len);
    if (mcph_buf_ok(&shown))
        making->json.err = MCPHOST_E_NOMEM;
    mcph_buf_done(&shown);
}

static void
add_item(struct mcph_making *making, struct summary *summary, struct mcph_span uri,
         const char *path, const char *why)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    char hex[MCPH_DIGEST_HEX];

    mcph_item_open(making, "input_text");
    add_shown(making, summary, path, why);
    mcph_json_add_key(&making->json, "byteLength");
    mcph_buf_addi(&making->json, (int64_t)summary->len);
    mcph_json_add_key(&making->json, "lineCount");
    mcph_buf_addi(&making->json, (int64_t)summary->lines);
    mcph_sha256_end(&summary->digest, digest);
    mcph_hex(digest, sizeof(digest), hex);
    mcph_json_add_member(&making->json, "sha256", hex);
    if (path)
        mcph_item_add_artifact(making, path);
    mcph_item_close(making, uri);
}

/* ---- the whole text ---------------------------------------------------------------- */

/* Reads the text to its end and adds every step to the summary.  Also writes each step to
 * a new file, until a write fails.  Returns 0 if the file is complete, or an error
 * code. */
static int
write_whole(const struct mcph_items_spec *spec, struct reader *reader,
            struct summary *summary, struct mcph_artifact *artifact,
            mcphost_error **reterr)
{
    struct mcph_span step;
    int r;

    if (spec->place)
        r = mcph_artifact_begin(spec->place, spec->server, spec->tool, "txt", artifact,
                                reterr);
    else
        r = mcph_err(reterr, MCPHOST_E_STATE,
                     "the dialog has no directory for artifacts");
    for (step = next_step(reader); step.len; step = next_step(reader)) {
        add_step(summary, step);
        if (r < 0)
            continue;
        r = mcph_artifact_write(artifact, step.p, step.len, reterr);
        if (r < 0)
            mcph_artifact_abort(artifact);
    }
    return r < 0 ? r : mcph_artifact_end(artifact, reterr);
}

static bool
add_long(struct mcph_making *making, struct mcph_span text, bool is_token,
         struct mcph_span uri)
{
    struct mcph_artifact artifact;
    struct summary summary;
    struct reader reader;
    mcphost_error *error = NULL;
    int r;

    if (!is_long(making->spec, text, is_token))
        return false;
    summary = (struct summary){.len = 0};
    mcph_sha256_init(&summary.digest);
    init_reader(&reader, text, is_token);
    r = write_whole(making->spec, &reader, &summary, &artifact, &error);
    if (r == MCPHOST_E_NOMEM)
        making->json.err = r; /* out of memory: the caller may try again */
    else
        add_item(making, &summary, uri, r == 0 ? artifact.path : NULL,
                 mcphost_error_get_message(error));
    mcphost_error_unref(error);
    return true;
}

bool
mcph_item_add_long_text(struct mcph_making *making, struct mcph_span text,
                        struct mcph_span uri)
{
    return add_long(making, text, false, uri);
}

bool
mcph_item_add_long_string(struct mcph_making *making, struct mcph_span token,
                          struct mcph_span uri)
{
    struct mcph_span text = mcph_span(token.p + 1, token.len - 2);
    bool escaped = memchr(text.p, '\\', text.len) != NULL;

    return add_long(making, escaped ? token : text, escaped, uri);
}
