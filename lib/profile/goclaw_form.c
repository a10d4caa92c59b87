/* SPDX-License-Identifier: MIT
 *
 * goclaw_form.c - write .goclaw/mcp.json in its canonical form (R190, B.33).
 *
 * Each level is indented by two spaces.  Servers, variables and headers are sorted by the
 * bytes of their names.  The members of a server whose keys are in mcph_goclaw_keys come
 * first, in the order of this array.  Each of these members is left out if it is null,
 * empty or 0.  All other members of the server follow.  Numbers keep their spelling.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/goclaw.h"
#include "profile/reading.h"

static void put_value(struct mcph_buf *buf, const struct mcph_node *node, int depth,
                      bool sorted);

/* ---- values ------------------------------------------------------------------------ */

static void
put_line(struct mcph_buf *buf, int depth)
{
    mcph_buf_addc(buf, '\n');
    for (int i = 0; i < depth; i++)
        mcph_buf_adds(buf, "  ");
}

/* Writes the name of a member on a new line. */
static void
put_key(struct mcph_buf *buf, const char *name, int depth)
{
    if (buf->len > 0 && buf->data[buf->len - 1] != '{')
        mcph_buf_addc(buf, ',');
    put_line(buf, depth);
    mcph_json_add_str(buf, name);
    mcph_buf_adds(buf, ": ");
}

static void
put_end(struct mcph_buf *buf, char bracket, int depth)
{
    bool empty = buf->len > 0 && strchr("{[", buf->data[buf->len - 1]);

    if (!empty)
        put_line(buf, depth);
    mcph_buf_addc(buf, bracket);
}

struct member {
    const struct mcph_node *key, *item;
};

static int
by_name(const void *a, const void *b)
{
    const struct member *ma = a, *mb = b;

    return strcmp(ma->key->text, mb->key->text);
}

/* Returns the members of a map, sorted by name.  An entry without a key ends the array.
 * Returns NULL if there is no memory. */
static struct member *
sort_members(const struct mcph_node *map)
{
    struct member *members = mcph_reallocarray(NULL, map->n + 1, sizeof(*members));

    if (!members)
        return NULL;
    for (size_t i = 0; i < map->n; i++)
        members[i] = (struct member){map->keys[i], map->items[i]};
    members[map->n] = (struct member){NULL, NULL};
    qsort(members, map->n, sizeof(*members), by_name);
    return members;
}

static void
put_sorted(struct mcph_buf *buf, const struct mcph_node *map, int depth)
{
    struct member *members = sort_members(map);

    if (!members) {
        buf->err = MCPHOST_E_NOMEM;
        return;
    }
    for (const struct member *m = members; m->key; m++) {
        put_key(buf, m->key->text, depth);
        put_value(buf, m->item, depth, false);
    }
    free(members);
}

static void
put_list(struct mcph_buf *buf, const struct mcph_node *list, int depth)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            mcph_buf_addc(buf, ',');
        put_line(buf, depth + 1);
        put_value(buf, list->items[i], depth + 1, false);
    }
    put_end(buf, ']', depth);
}

/* Writes a value.  The function is recursive.  The parser limits the depth. */
static void
put_value(struct mcph_buf *buf, const struct mcph_node *node, int depth, bool sorted)
{
    if (node->kind == MCPH_NODE_MAP) {
        mcph_buf_addc(buf, '{');
        if (sorted)
            put_sorted(buf, node, depth + 1);
        for (size_t i = 0; i < node->n && !sorted; i++) {
            put_key(buf, node->keys[i]->text, depth + 1);
            put_value(buf, node->items[i], depth + 1, false);
        }
        put_end(buf, '}', depth);
    } else if (node->kind == MCPH_NODE_LIST) {
        put_list(buf, node, depth);
    } else if (node->kind == MCPH_NODE_STRING) {
        mcph_json_add_string(buf, node->text, node->len);
    } else {
        mcph_buf_add(buf, node->text, node->len);
    }
}

/* ---- entries ----------------------------------------------------------------------- */

bool
mcph_goclaw_form_knows(const char *key)
{
    const char *const *known = mcph_goclaw_keys;

    while (*known && strcmp(*known, key) != 0)
        known++;
    return *known != NULL;
}

/* Returns true if the member is null, empty or 0.  put_known() then leaves the member
 * out. */
static bool
is_empty(const struct mcph_node *node)
{
    switch (node->kind) {
    case MCPH_NODE_NULL:
        return true;
    case MCPH_NODE_STRING:
        return node->len == 0;
    case MCPH_NODE_LIST:
    case MCPH_NODE_MAP:
        return node->n == 0;
    case MCPH_NODE_INT:
        return node->integer == 0;
    default:
        return false;
    }
}

/* Writes the arguments of a new entry.  Trims each argument and leaves out blank
 * arguments. */
static void
put_arguments(struct mcph_buf *buf, const struct mcph_node *list, int depth)
{
    bool any = false;

    for (size_t i = 0; i < list->n; i++) {
        const struct mcph_node *item = list->items[i];
        struct mcph_span text =
            item->kind == MCPH_NODE_STRING ? mcph_reading_trim(item) : MCPH_SPAN_NONE;

        if (text.p && text.len == 0)
            continue;
        if (any) {
            mcph_buf_addc(buf, ',');
        } else {
            put_key(buf, "args", depth);
            mcph_buf_addc(buf, '[');
        }
        any = true;
        put_line(buf, depth + 1);
        if (text.p)
            mcph_json_add_string(buf, text.p, text.len);
        else
            put_value(buf, item, depth + 1, false);
    }
    if (any)
        put_end(buf, ']', depth);
}

/* Writes the members with the keys of mcph_goclaw_keys.  `edit` (may be NULL) sets
 * `enabled`. */
static void
put_known(struct mcph_buf *buf, const struct mcph_node *entry,
          const struct goclaw_edit *edit, int depth)
{
    bool is_new = edit && edit->what == GOCLAW_PUT;

    for (const char *const *key = mcph_goclaw_keys; *key; key++) {
        const struct mcph_node *node = mcph_node_get(entry, *key);

        if (edit && strcmp(*key, "enabled") == 0) {
            put_key(buf, *key, depth);
            mcph_json_add_bool(buf, edit->enabled);
        } else if (!node || is_empty(node)) {
            /* Leave out a member that is missing or empty. */
        } else if (is_new && strcmp(*key, "args") == 0 && node->kind == MCPH_NODE_LIST) {
            put_arguments(buf, node, depth);
        } else {
            put_key(buf, *key, depth);
            put_value(buf, node, depth, true);
        }
    }
}

static bool
has_same_url(const struct mcph_node *a, const struct mcph_node *b)
{
    const struct mcph_node *ua = mcph_node_get(a, "url"), *ub = mcph_node_get(b, "url");

    return ua && ub && ua->kind == MCPH_NODE_STRING && ub->kind == MCPH_NODE_STRING &&
           strcmp(ua->text, ub->text) == 0;
}

/* Returns true if a new entry keeps the member `key` of the old entry.  `http_headers` is
 * not kept, because it is another spelling of `headers`.  The variable of the bearer
 * token is kept only with the old URL, because a model may choose a new URL.  The token
 * must not be sent to a URL that a model has chosen. */
static bool
is_kept(const struct mcph_node *old, const char *key, const struct mcph_node *entry)
{
    if (strcmp(key, "http_headers") == 0)
        return false;
    return strcmp(key, "bearer_token_env_var") != 0 || has_same_url(old, entry);
}

/* Writes the members that mcph_goclaw_form_knows() does not know.  If `edit` is a
 * GOCLAW_PUT, leaves out the members that is_kept() rejects.  `edit` may be NULL. */
static void
put_others(struct mcph_buf *buf, const struct mcph_node *old,
           const struct goclaw_edit *edit, int depth)
{
    for (size_t i = 0; i < old->n; i++) {
        const char *key = old->keys[i]->text;

        if (mcph_goclaw_form_knows(key) ||
            (edit && edit->what == GOCLAW_PUT && !is_kept(old, key, edit->entry)))
            continue;
        put_key(buf, key, depth);
        put_value(buf, old->items[i], depth, false);
    }
}

/* Writes one entry.  `old` is NULL if the server is new.  `edit` is NULL if the entry is
 * unchanged. */
static void
put_entry(struct mcph_buf *buf, const struct mcph_node *old,
          const struct goclaw_edit *edit, int depth)
{
    bool is_map = old && old->kind == MCPH_NODE_MAP;
    const struct mcph_node *entry = edit && edit->what == GOCLAW_PUT ? edit->entry : old;

    if (entry->kind != MCPH_NODE_MAP) {
        put_value(buf, entry, depth, false);
        return;
    }
    mcph_buf_addc(buf, '{');
    put_known(buf, entry, edit, depth + 1);
    if (is_map)
        put_others(buf, old, edit, depth + 1);
    put_end(buf, '}', depth);
}

/* ---- the document ------------------------------------------------------------------ */

/* Writes the servers in the order of their names, with the edit applied. */
static void
put_servers(struct mcph_buf *buf, const struct mcph_node *servers,
            const struct goclaw_edit *edit)
{
    struct member none = {NULL, NULL}, *members = servers ? sort_members(servers) : &none;
    bool is_due = edit->what == GOCLAW_PUT;

    if (!members) {
        buf->err = MCPHOST_E_NOMEM;
        return;
    }
    for (const struct member *m = members;; m++) {
        int order = m->key ? strcmp(edit->name, m->key->text) : -1;

        if (is_due && order <= 0) {
            put_key(buf, edit->name, 2);
            put_entry(buf, order == 0 ? m->item : NULL, edit, 2);
            is_due = false;
        } else if (m->key && order == 0 && edit->what == GOCLAW_ENABLE) {
            put_key(buf, edit->name, 2);
            put_entry(buf, m->item, edit, 2);
        }
        if (!m->key)
            break;
        if (order == 0)
            continue;
        put_key(buf, m->key->text, 2);
        put_entry(buf, m->item, NULL, 2);
    }
    if (members != &none)
        free(members);
}

void
mcph_goclaw_form_put(struct mcph_buf *buf, const struct mcph_node *root,
                     const struct goclaw_edit *edit)
{
    const struct mcph_node *version = root ? mcph_node_get(root, "version") : NULL;
    const struct mcph_node *servers = root ? mcph_node_get(root, "servers") : NULL;

    mcph_buf_addc(buf, '{');
    put_key(buf, "version", 1);
    if (version && version->kind == MCPH_NODE_INT && version->integer > 1)
        mcph_buf_add(buf, version->text, version->len);
    else
        mcph_buf_addc(buf, '1');
    put_key(buf, "servers", 1);
    mcph_buf_addc(buf, '{');
    put_servers(buf, servers && servers->kind == MCPH_NODE_MAP ? servers : NULL, edit);
    put_end(buf, '}', 1);
    for (size_t i = 0; root && i < root->n; i++) {
        const char *key = root->keys[i]->text;

        if (strcmp(key, "version") == 0 || strcmp(key, "servers") == 0)
            continue;
        put_key(buf, key, 1);
        put_value(buf, root->items[i], 1, false);
    }
    put_end(buf, '}', 0);
    mcph_buf_addc(buf, '\n');
}
