/* SPDX-License-Identifier: MIT
 *
 * tape.c - parse a checked JSON text into items that are fast to walk.
 *
 * A check against a schema examines the same value many times.  On the tape, each
 * examination is a few steps over items of a fixed size instead of a search through
 * text.  The parser refuses an object that has a name twice, because readers of JSON
 * disagree about its meaning.
 *
 * add_container() is recursive.  The nesting limit of the JSON check bounds the depth.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

/* Up to this number of names are compared pair by pair.  More names are sorted. */
#define FEW_NAMES 12

static int
grow_tape(struct mcph_tape *tape)
{
    uint32_t cap = tape->cap < tape->max / 2 ? tape->cap * 2 : tape->max;
    struct mcph_schema_value *at;

    if (tape->n >= tape->max)
        return MCPHOST_E_LIMIT;
    at = mcph_reallocarray(tape->at == tape->room ? NULL : tape->at, cap, sizeof(*at));
    if (!at)
        return MCPHOST_E_NOMEM;
    if (tape->at == tape->room)
        memcpy(at, tape->room, tape->n * sizeof(*at));
    tape->at = at;
    tape->cap = cap;
    return 0;
}

static int
take_item(struct mcph_tape *tape, uint32_t *ret_at)
{
    int r = tape->n < tape->cap ? 0 : grow_tape(tape);

    *ret_at = tape->n;
    tape->n += r == 0;
    return r;
}

/* Decodes a string.  tape->text can hold all decoded texts, because a decoded text is
 * never longer than its token. */
static struct mcph_span
text_of(struct mcph_tape *tape, struct mcph_span token)
{
    struct mcph_span text = mcph_span(token.p + 1, token.len - 2);
    struct mcph_buf buf = {.cap = token.len, .max = token.len};

    if (!memchr(text.p, '\\', text.len))
        return text;
    buf.data = tape->text + tape->text_len;
    mcph_json_string_get(token, &buf, &text);
    tape->text_len += text.len;
    return text;
}

static int
add_scalar(struct mcph_tape *tape, struct mcph_span token)
{
    uint32_t at;
    int r = take_item(tape, &at), type = mcph_json_type(token);

    if (r < 0)
        return r;
    if (type == MCPH_JSON_STRING)
        token = text_of(tape, token);
    tape->at[at] = (struct mcph_schema_value){
        .p = token.p, .len = token.len, .next = at + 1, .type = (uint8_t)type};
    return 0;
}

static bool
same_values(const struct mcph_schema_value *a, const struct mcph_schema_value *b)
{
    return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

int
mcph_tape_by_text(const void *x, const void *y)
{
    const struct mcph_schema_value *a = *(const struct mcph_schema_value *const *)x;
    const struct mcph_schema_value *b = *(const struct mcph_schema_value *const *)y;

    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return memcmp(a->p, b->p, a->len);
}

static int
look_at_many(struct mcph_tape *tape, const struct mcph_schema_value *object)
{
    const struct mcph_schema_value **names =
        mcph_reallocarray(NULL, object->n, sizeof(*names));
    uint32_t i, at = (uint32_t)(object - tape->at) + 1;
    int r = 0;

    if (!names)
        return MCPHOST_E_NOMEM;
    for (i = 0; i < object->n; i++, at = tape->at[at + 1].next)
        names[i] = &tape->at[at];
    qsort(names, object->n, sizeof(*names), mcph_tape_by_text);
    for (i = 1; i < object->n && r == 0; i++) {
        if (same_values(names[i - 1], names[i])) {
            tape->twice = mcph_span(names[i]->p, names[i]->len);
            r = MCPHOST_E_INVALID;
        }
    }
    free(names);
    return r;
}

/* Checks that no name occurs twice in the object.  If a name occurs twice, returns
 * MCPHOST_E_INVALID and sets tape->twice. */
static int
look_at_names(struct mcph_tape *tape, uint32_t object)
{
    const struct mcph_schema_value *names[FEW_NAMES];
    uint32_t i, j, n = tape->at[object].n, at = object + 1;

    if (n > FEW_NAMES)
        return look_at_many(tape, &tape->at[object]);
    for (i = 0; i < n; i++, at = tape->at[at + 1].next) {
        names[i] = &tape->at[at];
        for (j = 0; j < i; j++) {
            if (same_values(names[i], names[j])) {
                tape->twice = mcph_span(names[i]->p, names[i]->len);
                return MCPHOST_E_INVALID;
            }
        }
    }
    return 0;
}

/* Adds the container that begins at `open`.  At the end, `it` is at the closing bracket
 * of the container. */
static int
add_container(struct mcph_tape *tape, struct mcph_span open, struct mcph_json_iter *it)
{
    struct mcph_json_iter inner;
    struct mcph_span key, value;
    uint32_t at, n = 0;
    int r = take_item(tape, &at);

    mcph_json_iter_init(it, open);
    while (r == 0 && mcph_json_iter_open(it, &key, &value)) {
        int type = mcph_json_type(value);

        if (it->object)
            r = add_scalar(tape, key);
        if (r < 0)
            break;
        if (type == MCPH_JSON_OBJECT || type == MCPH_JSON_ARRAY) {
            r = add_container(tape, value, &inner);
            mcph_json_iter_past(it, &inner);
        } else {
            r = add_scalar(tape, mcph_json_iter_end(it));
        }
        n++;
    }
    if (r < 0)
        return r;
    tape->at[at] = (struct mcph_schema_value){.p = open.p,
                                              .len = (size_t)(it->p - open.p) + 1,
                                              .next = tape->n,
                                              .n = n,
                                              .type = it->object ? MCPH_JSON_OBJECT
                                                                 : MCPH_JSON_ARRAY};
    return it->object && n > 1 ? look_at_names(tape, at) : 0;
}

int
mcph_tape_init(struct mcph_tape *tape, struct mcph_span value, uint32_t max)
{
    struct mcph_json_iter it;
    int type = mcph_json_type(value), r;

    tape->at = tape->room;
    tape->n = 0;
    tape->cap = max < MCPH_TAPE_ROOM ? max : MCPH_TAPE_ROOM;
    tape->max = max;
    tape->text = NULL;
    tape->text_len = 0;
    tape->twice = MCPH_SPAN_NONE;
    if (memchr(value.p, '\\', value.len)) {
        tape->text = malloc(value.len);
        if (!tape->text)
            return MCPHOST_E_NOMEM;
    }
    if (type == MCPH_JSON_OBJECT || type == MCPH_JSON_ARRAY)
        r = add_container(tape, value, &it);
    else
        r = add_scalar(tape, value);
    /* Keep tape->text, because `twice` may point into this text.  mcph_tape_done() frees
     * the text. */
    return r;
}

void
mcph_tape_done(struct mcph_tape *tape)
{
    if (tape->at != tape->room)
        free(tape->at);
    free(tape->text);
    tape->at = tape->room;
    tape->text = NULL;
}

uint32_t
mcph_tape_member(const struct mcph_schema_value *tape, uint32_t object, const char *name,
                 size_t len)
{
    uint32_t i, n = tape[object].n, at = object + 1;

    for (i = 0; i < n; i++, at = tape[at + 1].next) {
        if (tape[at].len == len && memcmp(tape[at].p, name, len) == 0)
            return at + 1;
    }
    return MCPH_TAPE_NONE;
}
