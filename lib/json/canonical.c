/* SPDX-License-Identifier: MIT
 *
 * canonical.c - write equal values in one spelling, for hashing and comparing.  Numbers
 * keep their spelling.
 *
 * The functions are recursive.  The scan's nesting limit bounds the recursion.
 */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

struct member {
    size_t at, len; /* place and length of the member's key in the buffer of keys */
    size_t order;
    struct mcph_span value;
};

static int
add_string(struct mcph_buf *buf, struct mcph_span token)
{
    struct mcph_buf text;
    struct mcph_span plain;
    int r;

    mcph_buf_init(&text, token.len + 1);
    r = mcph_json_string_get(token, &text, &plain);
    if (r == 0)
        r = mcph_json_add_string(buf, plain.p, plain.len);
    mcph_buf_done(&text);
    return r;
}

static int
compare_keys(const void *a, const void *b, void *arg)
{
    const struct member *x = a, *y = b;
    const struct mcph_buf *keys = arg;
    int r;

    r = memcmp(keys->data + x->at, keys->data + y->at, x->len < y->len ? x->len : y->len);
    if (r == 0)
        r = (x->len > y->len) - (x->len < y->len);
    return r ? r : (x->order > y->order) - (x->order < y->order);
}

static int
collect_members(struct mcph_span object, struct member *members, struct mcph_buf *keys)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;
    size_t i = 0;
    int r;

    mcph_json_iter_init(&it, object);
    while (mcph_json_iter_next(&it, &key, &value)) {
        members[i] = (struct member){.at = keys->len, .order = i, .value = value};
        r = add_string(keys, key);
        if (r < 0)
            return r;
        members[i].len = keys->len - members[i].at;
        i++;
    }
    return 0;
}

static int
add_object(struct mcph_buf *buf, struct mcph_span object)
{
    size_t i, n = mcph_json_count(object);
    struct member *members;
    struct mcph_buf keys;
    int r;

    members = mcph_reallocarray(NULL, n + 1, sizeof(*members));
    if (!members)
        return MCPHOST_E_NOMEM;
    mcph_buf_init(&keys, SIZE_MAX / 2);
    r = collect_members(object, members, &keys);
    if (r < 0)
        goto out;
    qsort_r(members, n, sizeof(*members), compare_keys, &keys);
    r = mcph_buf_addc(buf, '{');
    for (i = 0; i < n && r == 0; i++) {
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, keys.data + members[i].at, members[i].len);
        mcph_buf_addc(buf, ':');
        r = mcph_json_add_canonical(buf, members[i].value);
    }
    if (r == 0)
        r = mcph_buf_addc(buf, '}');
out:
    mcph_buf_done(&keys);
    free(members);
    return r;
}

static int
add_array(struct mcph_buf *buf, struct mcph_span array)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    int r;

    r = mcph_buf_addc(buf, '[');
    mcph_json_iter_init(&it, array);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &value)) {
        r = mcph_json_add_comma(buf);
        if (r == 0)
            r = mcph_json_add_canonical(buf, value);
    }
    return r < 0 ? r : mcph_buf_addc(buf, ']');
}

int
mcph_json_add_canonical(struct mcph_buf *buf, struct mcph_span value)
{
    int r;

    switch (mcph_json_type(value)) {
    case MCPH_JSON_OBJECT:
        r = add_object(buf, value);
        break;
    case MCPH_JSON_ARRAY:
        r = add_array(buf, value);
        break;
    case MCPH_JSON_STRING:
        r = add_string(buf, value);
        break;
    default:
        r = mcph_json_add_span(buf, value);
    }
    return r < 0 ? r : mcph_buf_ok(buf);
}
