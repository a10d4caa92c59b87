/* SPDX-License-Identifier: MIT
 *
 * fuzz_json_span.c - runs the JSON scanner, walkers, writer and stream on one text.
 *
 * If jansson accepts a text, the scanner must accept the text, too.  If jansson refuses a
 * text because of the text's grammar, the scanner must refuse the text, too.  Empty texts
 * and texts with a NUL byte are not compared with jansson.
 *
 * The walkers must split the text into values that are JSON.  The text's canonical form
 * must be JSON.  Making the canonical form of the canonical form must change nothing.  In
 * an object, the stream must find the same `id` as the scanner.  If mcph_json_scan_flat()
 * accepts a text, it must find the same members as a walker.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_scalar(struct mcph_span value)
{
    struct mcph_span text;
    struct mcph_buf buf;
    int64_t n;
    double d;
    bool b;

    (void)mcph_json_int64(value, &n);
    (void)mcph_json_double(value, &d);
    (void)mcph_json_bool(value, &b);
    mcph_buf_init(&buf, value.len + 1);
    if (mcph_json_string_get(value, &buf, &text) == 0) {
        must(mcph_utf8_valid(text.p, text.len, NULL));
        must(mcph_json_string_is(value, text.p, text.len));
        must(mcph_json_string_eq(value, value));
    } else {
        must(mcph_json_type(value) != MCPH_JSON_STRING);
    }
    mcph_buf_done(&buf);
}

static void
walk(struct mcph_span value, int level)
{
    struct mcph_json_iter it;
    struct mcph_span key, item;
    size_t n = 0;

    must(mcph_json_type(value) != MCPH_JSON_ANY);
    if (level < 4)
        must(mcph_json_check(value, 0, NULL, NULL) == 0);
    check_scalar(value);
    mcph_json_iter_init(&it, value);
    while (mcph_json_iter_next(&it, &key, &item)) {
        must(item.p >= value.p && item.p + item.len <= value.p + value.len);
        if (key.p)
            check_scalar(key);
        walk(item, level + 1);
        n++;
    }
    must(n == mcph_json_count(value));
}

static void
canonical(struct mcph_span value)
{
    struct mcph_buf once, twice;

    mcph_buf_init(&once, SIZE_MAX / 4);
    mcph_buf_init(&twice, SIZE_MAX / 4);
    must(mcph_json_add_canonical(&once, value) == 0);
    must(mcph_json_check(mcph_span(once.data, once.len), 0, NULL, NULL) == 0);
    must(mcph_json_add_canonical(&twice, mcph_span(once.data, once.len)) == 0);
    must(mcph_span_eq(mcph_span(once.data, once.len), mcph_span(twice.data, twice.len)));
    mcph_buf_done(&once);
    mcph_buf_done(&twice);
}

static void
check_stream(struct mcph_span text, const struct mcph_json_want *want, bool accepted)
{
    char value[64];
    struct mcph_json_catch caught = {.name = want->name,
                                     .name_len = want->name_len,
                                     .value = value,
                                     .size = sizeof(value)};
    struct mcph_json_stream stream;
    size_t half = text.len / 2;
    bool whole;

    mcph_json_stream_init(&stream, &caught, 1);
    mcph_json_stream_feed(&stream, text.p, half);
    mcph_json_stream_feed(&stream, text.p + half, text.len - half);
    whole = mcph_json_stream_end(&stream);
    must(caught.end <= text.len);
    if (mcph_json_stream_verdict(&stream, NULL) == 0)
        must(mcph_json_check(text, 0, NULL, NULL) == 0);
    else
        must(!accepted);
    if (!accepted)
        return;
    must(whole);
    must((want->value.p != NULL) == (caught.end > caught.at));
    if (want->value.p)
        must(want->value.p == text.p + caught.at);
    if (want->value.p && !caught.cut)
        must(mcph_span_eq(want->value, mcph_span(value, caught.len)));
}

/* Checks that mcph_json_scan_flat() finds the same members as a walker. */
static void
check_flat(struct mcph_span text)
{
    struct mcph_json_member members[4];
    struct mcph_span value, checked, key, item;
    struct mcph_json_iter it;
    int n = mcph_json_scan_flat(text, members, 4, &value);

    if (n < 0)
        return;
    must(mcph_json_check(text, 0, &checked, NULL) == 0);
    must(value.p == checked.p && value.len == checked.len);
    mcph_json_iter_init(&it, value);
    for (int i = 0; i < n; i++) {
        must(mcph_json_iter_next(&it, &key, &item));
        must(mcph_json_string_is(key, members[i].name.p, members[i].name.len));
        must(item.p == members[i].value.p && item.len == members[i].value.len);
    }
    must(!mcph_json_iter_next(&it, &key, &item));
}

/* Returns true if jansson refuses a text because of the text's grammar.  jansson 2.14
 * also refuses values that do not fit the types of jansson: numbers, NULs in names,
 * halves of surrogate pairs.  These refusals say nothing about the grammar. */
static bool
grammar_is_wrong(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_invalid_syntax:
        return !strstr(error->text, "Unicode");
    case json_error_invalid_utf8:
    case json_error_premature_end_of_input:
    case json_error_end_of_input_expected:
        return true;
    default:
        return false;
    }
}

static void
compare(struct mcph_span text)
{
    /* 2048 is jansson's limit of the depth. */
    bool accepted = mcph_json_check(text, 2048, NULL, NULL) == 0;
    json_error_t error;
    json_t *tree;

    /* Leave out a text with a raw NUL, because jansson accepts a raw NUL after a
     * number. */
    if (text.len == 0 || memchr(text.p, '\0', text.len))
        return;
    tree = json_loadb(text.p, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (tree)
        must(accepted);
    else if (grammar_is_wrong(&error))
        must(!accepted);
    json_decref(tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_span text = mcph_span((const char *)data, size), value;
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id"), MCPH_JSON_WANT("result")};
    struct mcph_json_fault fault = {0};
    struct mcph_buf buf;
    int r, line, column;

    r = mcph_json_scan(text, 0, want, 2, &value, &fault);
    if (r == 0) {
        walk(value, 0);
        canonical(value);
    } else {
        must(fault.at <= size && fault.why);
        mcph_json_position(text, fault.at, &line, &column);
        must(line >= 1 && column >= 1);
    }
    check_stream(text, &want[0], r == 0 && *value.p == '{');
    check_flat(text);
    compare(text);

    mcph_buf_init(&buf, SIZE_MAX / 4);
    must(mcph_json_add_string(&buf, text.p, text.len) == 0);
    must(mcph_json_check(mcph_span(buf.data, buf.len), 0, NULL, NULL) == 0);
    mcph_buf_done(&buf);
    return 0;
}
