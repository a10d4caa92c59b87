/* SPDX-License-Identifier: MIT
 *
 * tree.c - make jansson values from a checked text, and write them.
 *
 * scan.c reads the text, because jansson's own parser rejects half a surrogate pair.
 * write.c writes strings and numbers, because jansson's printer writes 0.1 with 17
 * digits.  The functions in this file are recursive.  The scan's nesting limit bounds the
 * recursion.
 */
#include <jansson.h>
#include <stdlib.h>

#include "json/json.h"

struct loader {
    const char *const *raw; /* names with MCPH_JSON_RAW in front; NULL ends the list */
    unsigned flags;         /* MCPH_TREE_* */
    size_t n;               /* values so far */
    struct mcph_span at;    /* the rejected value */
    const char *why;        /* the fault, or NULL if memory is short */
    int code;
};

static bool
is_raw(const char *name)
{
    return strncmp(name, MCPH_JSON_RAW, sizeof(MCPH_JSON_RAW) - 1) == 0;
}

/* ---- wiping ------------------------------------------------------------------------ */

static void
wipe_text(json_t *text)
{
    if (text)
        explicit_bzero((char *)(uintptr_t)json_string_value(text),
                       json_string_length(text));
}

static void
wipe_raw(json_t *value)
{
    const char *name;
    json_t *item;
    size_t i;

    json_array_foreach(value, i, item) wipe_raw(item);
    json_object_foreach(value, name, item)
    {
        if (is_raw(name))
            wipe_text(item);
        else
            wipe_raw(item);
    }
}

void
mcph_json_wipe(json_t *value)
{
    if (value)
        wipe_raw(value);
    json_decref(value);
}

/* ---- reading ----------------------------------------------------------------------- */

static json_t *load_value(struct loader *l, struct mcph_span value);

static json_t *
refuse_value(struct loader *l, struct mcph_span value, const char *why)
{
    l->at = value;
    l->why = why;
    l->code = MCPHOST_E_INVALID;
    return NULL;
}

static json_t *
load_string(struct mcph_span token)
{
    json_t *string = NULL;
    struct mcph_span text;
    struct mcph_buf room;

    mcph_buf_init(&room, SIZE_MAX / 2);
    if (mcph_json_string_get(token, &room, &text) == 0)
        string = json_stringn_nocheck(text.len ? text.p : "", text.len);
    mcph_buf_done(&room);
    return string;
}

static json_t *
load_number(struct loader *l, struct mcph_span token)
{
    bool real = memchr(token.p, '.', token.len) || memchr(token.p, 'e', token.len) ||
                memchr(token.p, 'E', token.len);
    int64_t n;
    double d;

    if (!real && mcph_json_int64(token, &n) == 0)
        return json_integer(n);
    if (real && mcph_json_double(token, &d) == 0)
        return json_real(d);
    return l->flags & MCPH_TREE_LENIENT
               ? json_null()
               : refuse_value(l, token, "the number is too large");
}

static json_t *
load_array(struct loader *l, struct mcph_span value)
{
    json_t *array = json_array();
    struct mcph_json_iter it;
    struct mcph_span item;

    mcph_json_iter_init(&it, value);
    while (array && mcph_json_iter_next(&it, NULL, &item)) {
        json_t *made = load_value(l, item);

        if (json_array_append(array, made) < 0) {
            mcph_json_wipe(made);
            mcph_json_wipe(array);
            return NULL;
        }
        json_decref(made);
    }
    return array;
}

/* Adds a member of raw text. */
static int
load_raw(json_t *object, const char *name, struct mcph_span value)
{
    json_t *text = json_stringn_nocheck(value.p, value.len);
    int r;

    /* Wipe the text of an earlier member of this name, because the new member replaces
     * it. */
    wipe_text(json_object_get(object, name));
    r = json_object_set_nocheck(object, name, text);
    if (r < 0)
        wipe_text(text);
    json_decref(text);
    return r;
}

/* Adds a member.  If `raw` lists the name, adds the value's JSON text under the name with
 * the prefix MCPH_JSON_RAW. */
static int
load_member(struct loader *l, json_t *object, const char *name, struct mcph_span value)
{
    json_t *made;

    for (size_t i = 0; l->raw && l->raw[i]; i++)
        if (strcmp(name, l->raw[i] + sizeof(MCPH_JSON_RAW) - 1) == 0)
            return load_raw(object, l->raw[i], value);
    made = load_value(l, value);
    if (json_object_set_nocheck(object, name, made) < 0) {
        mcph_json_wipe(made);
        return MCPHOST_E_NOMEM;
    }
    json_decref(made);
    return 0;
}

static json_t *
load_object(struct loader *l, struct mcph_span object)
{
    json_t *made = json_object();
    struct mcph_json_iter it;
    struct mcph_span key, value;
    int r = made ? 0 : MCPHOST_E_NOMEM;

    mcph_json_iter_init(&it, object);
    for (size_t n = 0; r == 0 && mcph_json_iter_next(&it, &key, &value); n++) {
        char *name = NULL;

        r = l->flags & MCPH_TREE_LENIENT ? mcph_json_string_show(key, &name)
                                         : mcph_json_string_dup(key, &name);
        if (r == 0)
            r = load_member(l, made, name, value);
        else if (r == MCPHOST_E_INVALID)
            refuse_value(l, key, "a name has a NUL character");
        free(name);
        if (r == 0 && l->flags & MCPH_TREE_UNIQUE && json_object_size(made) == n) {
            refuse_value(l, key, "a member occurs twice");
            r = MCPHOST_E_INVALID;
        }
    }
    if (r < 0) {
        mcph_json_wipe(made);
        return NULL;
    }
    return made;
}

static json_t *
load_value(struct loader *l, struct mcph_span value)
{
    if (++l->n > MCPH_JSON_TREE_VALUES) {
        refuse_value(l, value, "too many values");
        l->code = MCPHOST_E_LIMIT;
        return NULL;
    }
    switch (mcph_json_type(value)) {
    case MCPH_JSON_OBJECT:
        return load_object(l, value);
    case MCPH_JSON_ARRAY:
        return load_array(l, value);
    case MCPH_JSON_STRING:
        return load_string(value);
    case MCPH_JSON_NUMBER:
        return load_number(l, value);
    case MCPH_JSON_BOOL:
        return json_boolean(*value.p == 't');
    default:
        return json_null();
    }
}

int
mcph_json_load(struct mcph_span text, unsigned depth, const char *what,
               const char *const *raw, unsigned flags, json_t **ret_object,
               mcphost_error **reterr)
{
    struct loader l = {.raw = raw, .flags = flags};
    int line, column, r;
    json_t *object;

    r = mcph_json_check_input(text, depth, MCPH_JSON_OBJECT, what, &l.at, reterr);
    if (r < 0)
        return r;
    object = load_object(&l, l.at);
    if (object) {
        *ret_object = object;
        return 0;
    }
    if (!l.why)
        return mcph_err_nomem(reterr);
    mcph_json_position(text, (size_t)(l.at.p - text.p), &line, &column);
    return mcph_err_at(reterr, l.code, NULL, line, column, "%s: %s at line %d, column %d",
                       what, l.why, line, column);
}

void
mcph_json_drop(json_t *value)
{
    json_decref(value);
}

/* ---- writing ----------------------------------------------------------------------- */

static int
add_object(struct mcph_buf *buf, json_t *object)
{
    const char *name;
    json_t *value;

    mcph_buf_addc(buf, '{');
    json_object_foreach(object, name, value)
    {
        if (is_raw(name)) {
            mcph_json_add_key(buf, name + sizeof(MCPH_JSON_RAW) - 1);
            mcph_buf_add(buf, json_string_value(value), json_string_length(value));
        } else {
            mcph_json_add_key(buf, name);
            mcph_json_add_tree(buf, value);
        }
    }
    return mcph_buf_addc(buf, '}');
}

static int
add_array(struct mcph_buf *buf, const json_t *array)
{
    json_t *item;
    size_t i;

    mcph_buf_addc(buf, '[');
    json_array_foreach(array, i, item)
    {
        mcph_json_add_comma(buf);
        mcph_json_add_tree(buf, item);
    }
    return mcph_buf_addc(buf, ']');
}

/* Adds a real number.  Appends ".0" if the number would be spelled like an integer, so
 * that 1.0 is not written as 1. */
static int
add_real(struct mcph_buf *buf, double d)
{
    size_t at = buf->len;

    mcph_json_add_double(buf, d);
    mcph_buf_addc(buf, '\0');
    if (mcph_buf_ok(buf) < 0)
        return mcph_buf_ok(buf);
    buf->len--;
    return strpbrk(buf->data + at, ".e") ? 0 : mcph_buf_adds(buf, ".0");
}

int
mcph_json_add_tree(struct mcph_buf *buf, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return add_object(buf, (json_t *)value);
    case JSON_ARRAY:
        return add_array(buf, value);
    case JSON_STRING:
        return mcph_json_add_string(buf, json_string_value(value),
                                    json_string_length(value));
    case JSON_INTEGER:
        return mcph_buf_addi(buf, json_integer_value(value));
    case JSON_REAL:
        return add_real(buf, json_real_value(value));
    case JSON_NULL:
        return mcph_buf_adds(buf, "null");
    default:
        return mcph_json_add_bool(buf, json_is_true(value));
    }
}
