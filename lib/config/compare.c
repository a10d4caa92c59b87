/* SPDX-License-Identifier: MIT
 *
 * compare.c - name the keys that differ between two specs (R99).
 *
 * The hashes show whether a server is unchanged.  If a hash differs, this file compares
 * the keys of this hash and names the keys that were edited.  The result contains the
 * names of keys, variables and headers.  The result contains no values.
 */
#include <string.h>

#include "config/config.h"

/* Appends a key, with a comma if another key precedes it. */
static void
add_key(struct mcph_buf *keys, const char *key)
{
    if (keys->len > 0)
        mcph_buf_adds(keys, ", ");
    mcph_buf_adds(keys, key);
}

/* Appends the path KEY.NAME for each name in `a` that `b` lacks.  If `changed` is true,
 * also appends the path KEY.NAME for each name that has different values in `a` and
 * `b`. */
static int
add_values(struct mcph_buf *keys, const char *key, const struct mcph_values *a,
           const struct mcph_values *b, bool changed)
{
    struct mcph_map others = {0};
    int r = 0;

    for (size_t i = 0; i < b->n && r == 0; i++)
        r = mcph_map_put(&others, b->items[i].name, strlen(b->items[i].name),
                         &b->items[i], NULL);
    for (size_t i = 0; i < a->n && r == 0; i++) {
        const struct mcph_value *mine = &a->items[i];
        const struct mcph_value *other =
            mcph_map_get(&others, mine->name, strlen(mine->name));

        if (other && (!changed || (mcph_streq(mine->text, other->text) &&
                                   mcph_streq(mine->env, other->env))))
            continue;
        add_key(keys, key);
        mcph_path_member(keys, mine->name);
    }
    mcph_map_done(&others);
    return r;
}

static int
compare_values(struct mcph_buf *keys, const char *key, const struct mcph_values *from,
               const struct mcph_values *to)
{
    int r = add_values(keys, key, from, to, true);

    return r < 0 ? r : add_values(keys, key, to, from, false);
}

/* Compares the canonical forms of one key in two specs, and appends the key if the forms
 * differ.  Wipes the forms, because they may hold secrets. */
static int
compare_field(struct mcph_buf *keys, const struct mcph_key *key,
              const struct mcph_spec *from, const struct mcph_spec *to)
{
    struct mcph_buf a, b;
    int r;

    mcph_buf_init(&a, SIZE_MAX);
    mcph_buf_init(&b, SIZE_MAX);
    r = mcph_key_put(key, from, &a);
    if (r == 0)
        r = mcph_key_put(key, to, &b);
    if (r == 0 && (a.len != b.len || (a.len > 0 && memcmp(a.data, b.data, a.len) != 0)))
        add_key(keys, key->name);
    mcph_buf_wipe(&a);
    mcph_buf_wipe(&b);
    return r;
}

static int
compare_keys(struct mcph_buf *keys, const struct mcph_spec *from,
             const struct mcph_spec *to, unsigned which)
{
    const struct mcph_key *key;
    int r = 0;

    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++) {
        if (!(key->flags & which))
            continue;
        if (key->kind == MCPH_KEY_VARIABLES || key->kind == MCPH_KEY_HEADERS)
            r = compare_values(keys, key->name, mcph_key_get(key, from),
                               mcph_key_get(key, to));
        else
            r = compare_field(keys, key, from, to);
    }
    return r;
}

int
mcph_spec_compare(const struct mcph_spec *from, const struct mcph_spec *to,
                  struct mcph_buf *keys)
{
    bool launch = memcmp(from->launch_hash, to->launch_hash, MCPH_DIGEST_LEN) != 0;
    bool view = memcmp(from->view_hash, to->view_hash, MCPH_DIGEST_LEN) != 0;
    int r = launch ? compare_keys(keys, from, to, MCPH_KEY_LAUNCH) : 0;

    if (r == 0 && view)
        r = compare_keys(keys, from, to, MCPH_KEY_VIEW);
    if (r == 0)
        r = mcph_buf_ok(keys);
    if (r < 0)
        return r;
    if (launch)
        return MCPHOST_CONFIG_CHANGE_LAUNCH;
    return view ? MCPHOST_CONFIG_CHANGE_VIEW : MCPHOST_CONFIG_CHANGE_NONE;
}
