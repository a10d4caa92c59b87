/* SPDX-License-Identifier: MIT
 *
 * chatos_admin.c - the application's own list of servers and prompts, with the flags that
 * decide which agents may have them (B.27).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/chatos_run.h"

#define SHOWN "list of servers and prompts"

static const struct kind {
    const char *key;
    int kind;
} kinds[] = {
    {"mcpServers", MCPHOST_CHATOS_SERVER},
    {"prompts", MCPHOST_CHATOS_PROMPT},
};

/* ---- items and lists --------------------------------------------------------------- */

static void
item_free(struct mcph_chatos_item *item)
{
    if (!item)
        return;
    free(item->id);
    free(item->name);
    free(item->title);
    free(item->content);
    mcph_str_wipe(item->json);
    free(item);
}

struct mcph_chatos_admin *
mcph_chatos_admin_new(void)
{
    struct mcph_chatos_admin *admin = calloc(1, sizeof(*admin));

    if (admin)
        mcph_refs_init(&admin->refs);
    return admin;
}

struct mcph_chatos_admin *
mcph_chatos_admin_ref(struct mcph_chatos_admin *admin)
{
    mcph_refs_get(&admin->refs);
    return admin;
}

struct mcph_chatos_admin *
mcph_chatos_admin_unref(struct mcph_chatos_admin *admin)
{
    if (!admin || !mcph_refs_put(&admin->refs))
        return NULL;
    for (size_t i = 0; i < admin->items.n; i++)
        item_free(admin->items.items[i]);
    mcph_vec_done(&admin->items);
    free(admin);
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------- */

struct target {
    struct mcph_chatos_admin *admin;
    struct mcph_span text; /* the whole JSON text */
};

/* Checks whether the main agent may have a server of this name if no record of the server
 * sets `allowMain` (B.27). */
static bool
is_for_main(const char *name)
{
    static const char *const names[] = {"subagent_router", "task_manager",
                                        "project_files"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static void
fill_item(struct chatos_reading *rd, const struct mcph_node *node,
          struct mcph_chatos_item *item, struct mcph_span json)
{
    int main = mcph_chatos_read_flag_at(rd, node, "allowMain");

    item->name = mcph_chatos_read_text_at(rd, node, "name", CHATOS_NEEDED);
    item->id = mcph_chatos_read_text_or(rd, node, "id", item->name ? item->name : "");
    item->title = mcph_chatos_read_text_or(rd, node, "title", "");
    item->content = mcph_chatos_read_text_or(rd, node, "content", "");
    item->allow_sub = mcph_chatos_read_flag_at(rd, node, "allowSub") != 0;
    if (main >= 0)
        item->allow_main = main > 0;
    else
        item->allow_main = item->kind == MCPHOST_CHATOS_PROMPT ||
                           (item->name && is_for_main(item->name));
    item->json = mcph_strndup(json.p, json.len);
    item->json_len = json.len;
    if (!item->json)
        rd->check->err = MCPHOST_E_NOMEM;
}

static void
read_item(struct chatos_reading *rd, const struct mcph_node *node, int kind,
          struct mcph_span json, struct mcph_chatos_admin *admin)
{
    struct mcph_chatos_item *item;

    if (!mcph_check_kind(rd->check, node, MCPH_NODE_MAP, "a map"))
        return;
    item = calloc(1, sizeof(*item));
    if (!item || mcph_vec_add(&admin->items, item) < 0) {
        free(item);
        rd->check->err = MCPHOST_E_NOMEM;
        return;
    }
    item->kind = kind;
    fill_item(rd, node, item, json);
}

static void
read_list(struct chatos_reading *rd, const struct mcph_node *root,
          const struct kind *kind, struct target *target)
{
    const struct mcph_node *list =
        mcph_check_member(rd->check, root, kind->key, MCPH_NODE_LIST, "a list");
    struct mcph_span json, key;
    struct mcph_json_iter it;
    size_t mark, item;

    if (!list)
        return;
    mark = mcph_check_enter(rd->check, kind->key);
    mcph_json_iter_init(&it, mcph_json_get(target->text, kind->key));
    for (size_t i = 0; i < list->n && mcph_json_iter_next(&it, &key, &json); i++) {
        item = mcph_check_enter_index(rd->check, i);
        read_item(rd, list->items[i], kind->kind, json, target->admin);
        mcph_check_leave(rd->check, item);
    }
    mcph_check_leave(rd->check, mark);
}

static void
read_admin(struct chatos_reading *rd, const struct mcph_node *root, void *arg)
{
    if (!mcph_check_kind(rd->check, root, MCPH_NODE_MAP,
                         "a map with 'mcpServers' or 'prompts'"))
        return;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(kinds); i++)
        read_list(rd, root, &kinds[i], arg);
}

int
mcph_chatos_admin_parse(const char *json, size_t len, struct mcph_chatos_admin **ret,
                        mcphost_error **reterr)
{
    struct target target = {.admin = mcph_chatos_admin_new(),
                            .text = mcph_chatos_trim(json, len)};
    int r;

    if (!target.admin)
        return mcph_err_nomem(reterr);
    r = mcph_chatos_read_json(json, len, MCPH_CHATOS_ADMIN_MAX, SHOWN, read_admin,
                              &target, reterr);
    if (r < 0) {
        mcph_chatos_admin_unref(target.admin);
        return r;
    }
    *ret = target.admin;
    return 0;
}

/* ---- looking up -------------------------------------------------------------------- */

const struct mcph_chatos_item *
mcph_chatos_admin_by_id(const struct mcph_chatos_admin *admin, int kind, const char *id)
{
    for (size_t i = 0; i < admin->items.n; i++) {
        const struct mcph_chatos_item *item = admin->items.items[i];

        if (item->kind == kind && strcmp(item->id, id) == 0)
            return item;
    }
    return NULL;
}

const struct mcph_chatos_item *
mcph_chatos_admin_by_name(const struct mcph_chatos_admin *admin, int kind,
                          const char *name)
{
    for (size_t i = 0; i < admin->items.n; i++) {
        const struct mcph_chatos_item *item = admin->items.items[i];

        if (item->kind == kind && strcasecmp(item->name, name) == 0)
            return item;
    }
    return NULL;
}

bool
mcph_chatos_admin_allows(const struct mcph_chatos_admin *admin, const char *server,
                         int flow)
{
    const struct mcph_chatos_item *item =
        mcph_chatos_admin_by_name(admin, MCPHOST_CHATOS_SERVER, server);

    if (flow == MCPHOST_CHATOS_SUB)
        return !item || item->allow_sub;
    return item ? item->allow_main : is_for_main(server);
}

/* ---- copies with further records --------------------------------------------------- */

static bool
is_stored(const struct mcph_vec *stored, const struct mcph_chatos_item *item)
{
    for (size_t i = 0; i < stored->n; i++) {
        const struct mcph_chatos_stored *one = stored->items[i];

        if (one->kind == item->kind && strcasecmp(one->name, item->name) == 0)
            return true;
    }
    return false;
}

static void
put_kind(const struct mcph_chatos_admin *admin, const struct mcph_vec *stored,
         const struct kind *kind, struct mcph_buf *buf)
{
    mcph_json_add_key(buf, kind->key);
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < admin->items.n; i++) {
        const struct mcph_chatos_item *item = admin->items.items[i];

        if (item->kind != kind->kind || is_stored(stored, item))
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, item->json, item->json_len);
    }
    for (size_t i = 0; i < stored->n; i++) {
        const struct mcph_chatos_stored *one = stored->items[i];

        if (one->kind != kind->kind)
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_adds(buf, one->json);
    }
    mcph_buf_addc(buf, ']');
}

/* Makes a copy of the list with further records.  Writes the copy as JSON and parses this
 * JSON, so that only fill_item() sets the members of an item. */
int
mcph_chatos_admin_with(const struct mcph_chatos_admin *admin,
                       const struct mcph_vec *stored, struct mcph_chatos_admin **ret)
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, MCPH_CHATOS_ADMIN_MAX);
    mcph_buf_addc(&buf, '{');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(kinds); i++)
        put_kind(admin, stored, &kinds[i], &buf);
    mcph_buf_addc(&buf, '}');
    r = mcph_buf_ok(&buf);
    if (r == 0)
        r = mcph_chatos_admin_parse(buf.data, buf.len, ret, NULL);
    mcph_buf_wipe(&buf);
    return r;
}
