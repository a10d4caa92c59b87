/* SPDX-License-Identifier: MIT
 *
 * fuzz_store_text.c - reads and changes the text of tokens.json.
 *
 * A text that the reader accepts is changed: a record is put under a key, replaced, and
 * removed again.  The reader must accept each new text, and must find a record that was
 * put.  The number of the other entries must not change.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/store_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static const struct mcph_store_key key = {"fuzz\"\\\n", "r", "c", ""};

static size_t
count(const struct mcph_tokens *tokens)
{
    struct mcph_token_entry entry;
    struct mcph_json_iter it;
    size_t n = 0;

    mcph_json_iter_init(&it, tokens->list);
    while (mcph_tokens_next(&it, &entry))
        n++;
    must(n == mcph_json_count(tokens->list));
    return n;
}

/* Puts a record and returns the checked new text, in `room`. */
static struct mcph_tokens
put(const struct mcph_tokens *tokens, const char *record, struct mcph_buf *room)
{
    struct mcph_token_entry entry;
    struct mcph_tokens after;

    must(mcph_tokens_put(tokens, &key, mcph_span_str(record), room) == 0);
    must(mcph_tokens_check(mcph_span(room->data, room->len), "made", &after, NULL) == 0);
    must(mcph_tokens_find(&after, &key, &entry));
    must(mcph_span_is(entry.record, record));
    return after;
}

static void
check_changes(const struct mcph_tokens *tokens)
{
    size_t n = count(tokens);
    struct mcph_buf one, two, three;
    struct mcph_tokens first, second, third;
    struct mcph_token_entry entry;
    bool known = mcph_tokens_find(tokens, &key, &entry);

    first = put(tokens, "{}", &one);
    must(count(&first) == n + !known);
    second = put(&first, "{\"longer\":[1]}", &two);
    must(count(&second) == n + !known);
    must(mcph_tokens_remove(&second, &key, &three) == 0);
    must(mcph_tokens_check(mcph_span(three.data, three.len), "made", &third, NULL) == 0);
    must(count(&third) == n - known);
    mcph_buf_wipe(&one);
    mcph_buf_wipe(&two);
    mcph_buf_wipe(&three);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_tokens tokens = {MCPH_SPAN_NONE, MCPH_SPAN_NONE};
    mcphost_error *err = NULL;
    int r;

    if (size > 1 << 20)
        return 0;
    r = mcph_tokens_check(mcph_span((const char *)data, size), "file", &tokens, &err);
    must((r < 0) == (err != NULL));
    must(r == 0 || (!tokens.list.p && mcphost_error_get_message(err)[0]));
    mcphost_error_unref(err);
    if (r == 0)
        check_changes(&tokens);
    return 0;
}
