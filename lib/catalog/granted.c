/* SPDX-License-Identifier: MIT
 *
 * granted.c - make the catalog of one member of a team from the base (the catalog without
 * a grant) and the member's grant (R83-R87, B.18).
 *
 * There are two steps.  take_marks() marks each entry and each tool of the base that a
 * name of the grant gives.  take_marks() also records the names that give nothing as
 * missing, unless the grant refuses them.  put_together() then builds the catalog from
 * the marked entries and tools.  A tool without a mark is not in the result.  Nobody can
 * find, list or call this tool in the result.
 *
 * An unknown name gives nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

/* The parts of one entry of the base that the grant gives. */
struct mark {
    bool whole;   /* the entry's whole toolset is granted */
    bool some;    /* single tools of the entry are granted */
    bool without; /* the entry is granted, but its tools are not known */
};

struct granting {
    const mcphost_catalog *base;
    const struct mcphost_grant *grant;
    const struct mcph_grant_world *world;
    struct mark *marks; /* by index in base->entries */
    size_t *order;      /* indices of entries with tools, in the order of the grant */
    size_t n_order;
    struct mcph_map tools, not_tools, not_toolsets; /* sets of names: granted tools,
                                                     * refused tools, refused toolsets */
    bool no_toolsets;                               /* the grant has "!*" */
    struct mcph_missing *missing;
    size_t n_missing;
};

/* Returns the index of world->apart in `marks`.  This index follows the indices of the
 * base's entries. */
static size_t
apart_place(const struct granting *g)
{
    return g->base->n_entries;
}

static struct mcph_block *
copy_block(const struct granting *g)
{
    return g->world ? g->world->apart : NULL;
}

/* Returns the toolset of the built-ins in world->apart. */
static const struct mcph_toolset *
apart_set(const struct granting *g)
{
    return &copy_block(g)->sets[0];
}

static size_t
place_of(const struct granting *g, const mcphost_server *entry)
{
    return (size_t)(entry - g->base->entries);
}

static unsigned
flags_of(const struct granting *g, const char *toolset)
{
    return g->world && g->world->flags ? g->world->flags(toolset, g->world->arg) : 0;
}

static bool
has_name(const struct mcph_map *names, const char *name)
{
    return mcph_map_get(names, name, strlen(name)) != NULL;
}

static bool
is_refused(const struct granting *g, const char *toolset)
{
    return g->no_toolsets || has_name(&g->not_toolsets, toolset);
}

static void
add_missing(struct granting *g, enum mcph_grant_list list, enum mcphost_lack lack,
            const struct mcph_grant_item *item)
{
    g->missing[g->n_missing++] = (struct mcph_missing){list, lack, item};
}

/* ---- marks ------------------------------------------------------------------------- */

static void
put_in_order(struct granting *g, size_t place)
{
    if (!g->marks[place].whole && !g->marks[place].some)
        g->order[g->n_order++] = place;
}

static void
give_toolset(struct granting *g, const mcphost_server *entry)
{
    size_t place = place_of(g, entry);

    if (entry->toolset == SIZE_MAX) {
        g->marks[place].without = true;
        return;
    }
    put_in_order(g, place);
    g->marks[place].whole = true;
}

/* Gives all toolsets without an MCPH_TOOLSET_* flag, unless the grant refuses them, in
 * the order of the base.  Gives entries without a toolset last, because the base has no
 * order of toolsets for them yet. */
static void
give_all(struct granting *g)
{
    for (size_t i = 0; i < g->base->n_toolsets; i++) {
        const mcphost_server *entry = g->base->toolsets[i];
        const char *name = entry->name;

        if (!is_refused(g, name) && flags_of(g, name) == 0)
            give_toolset(g, entry);
    }
    for (size_t i = g->base->n_builtin; i < g->base->n_entries; i++) {
        const mcphost_server *entry = &g->base->entries[i];
        const char *name = entry->name;

        if (entry->toolset == SIZE_MAX && !entry->rejected && !is_refused(g, name) &&
            flags_of(g, name) == 0)
            give_toolset(g, entry);
    }
}

static enum mcphost_lack
lack_of(const struct granting *g, const char *name, const mcphost_server *declared)
{
    const struct mcph_grant_world *world = g->world;
    enum mcphost_lack lack = declared ? MCPHOST_LACK_DOWN : MCPHOST_LACK_UNKNOWN;

    if (world && world->lack)
        lack = world->lack(name, world->arg);
    if (lack == MCPHOST_LACK_UNKNOWN && world && world->config_rejected)
        lack = MCPHOST_LACK_CONFIG_INVALID;
    return lack;
}

static void
give_named(struct granting *g, const struct mcph_grant_item *item)
{
    const char *name = item->text;
    size_t len = strlen(name);
    const mcphost_server *entry = mcph_map_get(&g->base->by_toolset, name, len);
    const mcphost_server *declared = mcph_map_get(&g->base->by_server, name, len);

    if (is_refused(g, name))
        return;
    if (flags_of(g, name) & MCPH_TOOLSET_NEVER_GIVEN) {
        add_missing(g, MCPH_GRANT_TOOLSETS, MCPHOST_LACK_NOT_ASSIGNABLE, item);
        return;
    }
    if (entry) {
        give_toolset(g, entry);
        return;
    }
    if (!declared && copy_block(g) && strcmp(apart_set(g)->name, name) == 0) {
        put_in_order(g, apart_place(g));
        g->marks[apart_place(g)].whole = true;
        return;
    }
    if (declared && !declared->rejected)
        give_toolset(g, declared);
    add_missing(g, MCPH_GRANT_TOOLSETS, lack_of(g, name, declared), item);
}

static bool
has_tool(const mcphost_server *entry, const mcphost_tool *tool)
{
    return entry->set ? mcph_toolset_has(entry->set, tool) : entry->block == tool->block;
}

/* Finds a toolset that has the tool and that the grant may give.  Prefers a toolset
 * that is already granted; otherwise takes the first toolset of the base.  Returns
 * false if there is no toolset of this kind. */
static bool
find_in_base(const struct granting *g, const mcphost_tool *tool, size_t *ret_place)
{
    bool found = false;

    for (size_t i = 0; i < g->base->n_entries; i++) {
        const mcphost_server *entry = &g->base->entries[i];

        if (!has_tool(entry, tool) || flags_of(g, entry->name) & MCPH_TOOLSET_NEVER_GIVEN)
            continue;
        if (!found || g->marks[i].whole)
            *ret_place = i;
        found = true;
        if (g->marks[i].whole)
            break;
    }
    return found;
}

/* Finds the toolset that shows the granted tool `name`.  If no toolset can show the tool,
 * returns false and sets *ret_lack to the reason. */
static bool
find_tool(const struct granting *g, const char *name, size_t *ret_place,
          enum mcphost_lack *ret_lack)
{
    const mcphost_tool *tool = mcph_catalog_find(g->base, name, strlen(name));

    *ret_lack = MCPHOST_LACK_NOT_ASSIGNABLE;
    if (tool)
        return find_in_base(g, tool, ret_place);
    if (!copy_block(g) || !mcph_block_find_original(copy_block(g), name)) {
        *ret_lack = g->world && g->world->config_rejected ? MCPHOST_LACK_CONFIG_INVALID
                                                          : MCPHOST_LACK_UNKNOWN;
        return false;
    }
    *ret_place = apart_place(g);
    return !(flags_of(g, apart_set(g)->name) & MCPH_TOOLSET_NEVER_GIVEN);
}

static int
give_tool(struct granting *g, const struct mcph_grant_item *item)
{
    enum mcphost_lack lack;
    size_t place = 0;

    if (has_name(&g->not_tools, item->text))
        return 0;
    if (!find_tool(g, item->text, &place, &lack)) {
        add_missing(g, MCPH_GRANT_TOOLS, lack, item);
        return 0;
    }
    put_in_order(g, place);
    g->marks[place].some = true;
    return mcph_map_put(&g->tools, item->text, strlen(item->text), (void *)item, NULL);
}

/* Collects the refused names.  This step comes first, because a refusal counts wherever
 * it is in the grant. */
static int
take_refusals(struct granting *g)
{
    static const enum mcph_grant_list lists[] = {MCPH_GRANT_TOOLSETS, MCPH_GRANT_TOOLS};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(lists); i++) {
        const struct mcph_vec *items = &g->grant->lists[lists[i]];
        bool toolsets = lists[i] == MCPH_GRANT_TOOLSETS;

        for (size_t k = 0; k < items->n; k++) {
            struct mcph_grant_item *item = items->items[k];

            if (!item->refuses)
                continue;
            if (toolsets && strcmp(item->text, "*") == 0)
                g->no_toolsets = true;
            else if (mcph_map_put(toolsets ? &g->not_toolsets : &g->not_tools, item->text,
                                  strlen(item->text), item, NULL) < 0)
                return MCPHOST_E_NOMEM;
        }
    }
    return 0;
}

static int
take_marks(struct granting *g)
{
    const struct mcph_vec *toolsets = &g->grant->lists[MCPH_GRANT_TOOLSETS];
    const struct mcph_vec *tools = &g->grant->lists[MCPH_GRANT_TOOLS];
    int r = take_refusals(g);

    for (size_t i = 0; i < toolsets->n; i++) {
        const struct mcph_grant_item *item = toolsets->items[i];

        if (item->refuses)
            continue;
        if (strcmp(item->text, "*") == 0)
            give_all(g);
        else
            give_named(g, item);
    }
    for (size_t i = 0; i < tools->n && r == 0; i++) {
        const struct mcph_grant_item *item = tools->items[i];

        if (!item->refuses)
            r = give_tool(g, item);
    }
    return r;
}

/* ---- the catalog ------------------------------------------------------------------- */

static bool
is_given(const struct granting *g, const char *name, bool whole)
{
    return !has_name(&g->not_tools, name) && (whole || has_name(&g->tools, name));
}

static bool
is_shown(const struct granting *g, size_t place, const char *name)
{
    const struct mark *mark = &g->marks[place];

    return (mark->whole || mark->some) && is_given(g, name, mark->whole);
}

/* Returns true if a built-in of the base with this name is in the result. */
static bool
is_taken(const struct granting *g, const char *name)
{
    const mcphost_tool *tool = mcph_catalog_find(g->base, name, strlen(name));

    for (size_t i = 0; tool && i < g->base->n_builtin; i++) {
        if (has_tool(&g->base->entries[i], tool) && is_shown(g, i, name))
            return true;
    }
    return false;
}

/* Returns true if a tool of world->apart has this name in the result.  Built-ins of the
 * base have priority over tools of world->apart.  Tools of world->apart have priority
 * over tools of servers. */
static bool
is_apart(const struct granting *g, const char *name)
{
    return copy_block(g) && is_shown(g, apart_place(g), name) &&
           mcph_block_find_original(copy_block(g), name) && !is_taken(g, name);
}

/* Adds the granted tools of the base's entry `from` to `entry`, and shows `entry` as a
 * toolset.  Adds prompts, resources and skills only if the whole toolset is granted. */
static int
add_tools(const struct granting *g, mcphost_catalog *c, mcphost_server *entry,
          const mcphost_server *from, bool whole)
{
    entry->partial = !whole;
    for (size_t i = 0; whole && i < from->n_prompts; i++) {
        mcphost_tool *other; /* not used, because names are unique in the base */

        if (mcph_catalog_add_prompt(c, entry, from->prompts[i], &other) < 0)
            return MCPHOST_E_NOMEM;
    }
    for (int kind = 0; whole && kind < MCPH_LIST_KINDS; kind++) {
        if (from->more[kind])
            mcph_catalog_add_more(entry, from->more[kind]);
    }
    for (size_t i = 0; i < from->n_tools; i++) {
        mcphost_tool *tool = from->tools[i], *other;
        const char *name = mcph_tool_name(tool);

        if (!is_given(g, name, whole) || is_apart(g, name))
            continue;
        if (mcph_catalog_add_tool(c, entry, tool, &other) < 0)
            return MCPHOST_E_NOMEM;
    }
    return mcph_catalog_add_toolset(c, entry);
}

static int
add_apart(const struct granting *g, mcphost_catalog *c, mcphost_server *entry)
{
    const struct mcph_toolset *set = apart_set(g);
    mcphost_tool *other;

    for (size_t i = 0; i < set->n_tools; i++) {
        mcphost_tool *tool = set->tools[i];

        if (is_apart(g, mcph_tool_name(tool)) &&
            mcph_catalog_add_tool(c, entry, tool, &other) < 0)
            return MCPHOST_E_NOMEM;
    }
    return mcph_catalog_add_toolset(c, entry);
}

/* Adds the entry of world->apart if it is marked, then the marked entries in the order of
 * the base.  Sets places[i] to the index of the new entry for the mark `i`. */
static int
add_entries(const struct granting *g, mcphost_catalog *c, size_t *places)
{
    size_t place = apart_place(g);
    int r = 0;

    if (g->marks[place].whole || g->marks[place].some) {
        places[place] = c->n_entries;
        mcph_catalog_add_entry(c, copy_block(g), &copy_block(g)->sets[0]);
        c->n_builtin++;
    }
    for (size_t i = 0; i < g->base->n_entries && r == 0; i++) {
        const struct mark *mark = &g->marks[i];
        const mcphost_server *from = &g->base->entries[i];
        mcphost_server *entry;

        if (!mark->whole && !mark->some && !mark->without)
            continue;
        places[i] = c->n_entries;
        entry = mcph_catalog_add_entry(c, from->block, from->set);
        entry->name = from->name;
        if (i < g->base->n_builtin)
            c->n_builtin++;
        else
            r = mcph_catalog_index_server(c, entry);
    }
    return r;
}

/* Builds the result from the marks.  Entries have the order of the base.  Toolsets have
 * the order of the grant.  The list of all tools follows the order of the toolsets. */
static int
put_together(const struct granting *g, mcphost_catalog *c)
{
    size_t *places = malloc((g->base->n_entries + 1) * sizeof(*places));
    int r;

    if (!places)
        return MCPHOST_E_NOMEM;
    r = add_entries(g, c, places);
    for (size_t i = 0; i < g->n_order && r == 0; i++) {
        size_t from = g->order[i];
        mcphost_server *entry = &c->entries[places[from]];

        mcph_catalog_begin_entry(c, entry);
        if (from == apart_place(g))
            r = add_apart(g, c, entry);
        else
            r = add_tools(g, c, entry, &g->base->entries[from], g->marks[from].whole);
    }
    free(places);
    return r;
}

static int
granting_init(struct granting *g)
{
    size_t n = g->base->n_entries + 1;
    size_t names = g->grant->lists[0].n + g->grant->lists[1].n + 1;

    g->marks = calloc(n, sizeof(*g->marks));
    g->order = calloc(n, sizeof(*g->order));
    g->missing = calloc(names, sizeof(*g->missing));
    return g->marks && g->order && g->missing ? 0 : MCPHOST_E_NOMEM;
}

static void
granting_done(struct granting *g)
{
    mcph_map_done(&g->tools);
    mcph_map_done(&g->not_tools);
    mcph_map_done(&g->not_toolsets);
    free(g->marks);
    free(g->order);
    free(g->missing);
}

int
mcph_catalog_new_granted(uint64_t version, const mcphost_catalog *base,
                         struct mcphost_grant *grant,
                         const struct mcph_grant_world *world, mcphost_catalog **ret,
                         mcphost_error **reterr)
{
    struct granting g = {.base = base, .grant = grant, .world = world};
    size_t more = copy_block(&g) ? copy_block(&g)->n_items : 0;
    mcphost_catalog *c =
        mcph_catalog_alloc(version, base->n_entries + 1, base->n_tools + more,
                           base->n_members + more, base->n_prompts);
    int r;

    r = c ? granting_init(&g) : MCPHOST_E_NOMEM;
    if (r == 0)
        r = take_marks(&g);
    if (r == 0)
        r = put_together(&g, c);
    if (r < 0) {
        mcph_catalog_unref(c);
        granting_done(&g);
        return mcph_err_nomem(reterr);
    }
    c->grant = mcph_grant_ref(grant);
    c->missing = g.missing;
    c->n_missing = g.n_missing;
    g.missing = NULL;
    granting_done(&g);
    *ret = c;
    return 0;
}

/* ---- comparing --------------------------------------------------------------------- */

static bool
same_missing(const mcphost_catalog *a, const mcphost_catalog *b)
{
    if (a->n_missing != b->n_missing)
        return false;
    for (size_t i = 0; i < a->n_missing; i++) {
        const struct mcph_missing *x = &a->missing[i], *y = &b->missing[i];

        if (x->list != y->list || x->lack != y->lack ||
            strcmp(x->item->text, y->item->text) != 0)
            return false;
    }
    return true;
}

bool
mcph_catalog_same(const mcphost_catalog *a, const mcphost_catalog *b)
{
    if (a->n_entries != b->n_entries || a->n_toolsets != b->n_toolsets ||
        a->n_tools != b->n_tools)
        return false;
    for (size_t i = 0; i < a->n_entries; i++)
        if (a->entries[i].block != b->entries[i].block ||
            a->entries[i].set != b->entries[i].set ||
            a->entries[i].partial != b->entries[i].partial ||
            a->entries[i].n_tools != b->entries[i].n_tools ||
            a->entries[i].n_prompts != b->entries[i].n_prompts ||
            memcmp(a->entries[i].more, b->entries[i].more, sizeof(a->entries[i].more)) !=
                0)
            return false;
    for (size_t i = 0; i < a->n_toolsets; i++)
        if (a->toolsets[i]->block != b->toolsets[i]->block ||
            a->toolsets[i]->set != b->toolsets[i]->set)
            return false;
    for (size_t i = 0; i < a->n_tools; i++)
        if (a->tools[i] != b->tools[i])
            return false;
    for (size_t i = 0; i < a->n_prompts; i++)
        if (a->prompts[i] != b->prompts[i])
            return false;
    return same_missing(a, b);
}

/* ---- one tool ---------------------------------------------------------------------- */

static bool
lists_name(const struct mcphost_grant *grant, enum mcph_grant_list list, const char *name,
           bool refuses)
{
    const struct mcph_vec *items = &grant->lists[list];

    for (size_t i = 0; i < items->n; i++) {
        const struct mcph_grant_item *item = items->items[i];

        if (item->refuses == refuses && strcmp(item->text, name) == 0)
            return true;
    }
    return false;
}

static bool
gives_toolset(const struct mcphost_grant *grant, const char *toolset, unsigned flags)
{
    if (lists_name(grant, MCPH_GRANT_TOOLSETS, "*", true) ||
        lists_name(grant, MCPH_GRANT_TOOLSETS, toolset, true))
        return false;
    if (lists_name(grant, MCPH_GRANT_TOOLSETS, toolset, false))
        return true;
    return flags == 0 && lists_name(grant, MCPH_GRANT_TOOLSETS, "*", false);
}

/* Returns the name of toolset number `at`, counted from 0, of the toolsets that have the
 * tool.  Returns NULL if `at` is past the last of these toolsets. */
static const char *
toolset_at(const mcphost_catalog *base, const mcphost_tool *tool, size_t at)
{
    const struct mcph_block *block = tool->block;
    const mcphost_server *entry = mcph_catalog_entry(base, block);

    if (!mcph_block_is_builtin(block))
        return at > 0 ? NULL : entry ? entry->name : block->id;
    for (size_t i = 0; i < block->n_sets; i++) {
        if (mcph_toolset_has(&block->sets[i], tool) && at-- == 0)
            return block->sets[i].name;
    }
    return NULL;
}

static bool
is_of_same(const mcphost_tool *a, const mcphost_tool *b)
{
    return mcph_block_is_builtin(a->block) == mcph_block_is_builtin(b->block) &&
           strcmp(mcph_block_key(a->block), mcph_block_key(b->block)) == 0 &&
           strcmp(mcph_tool_original(a), mcph_tool_original(b)) == 0;
}

bool
mcph_grant_gives(const struct mcphost_grant *grant, const mcphost_catalog *base,
                 const struct mcph_grant_world *world, const mcphost_tool *tool)
{
    const char *name = mcph_tool_name(tool), *toolset;
    const mcphost_tool *now;
    bool may_give = false;

    if (lists_name(grant, MCPH_GRANT_TOOLS, name, true))
        return false;
    for (size_t i = 0; (toolset = toolset_at(base, tool, i)); i++) {
        unsigned flags = world && world->flags ? world->flags(toolset, world->arg) : 0;

        if (world && world->apart == tool->block)
            flags |= MCPH_TOOLSET_NOT_BY_STAR;
        if (flags & MCPH_TOOLSET_NEVER_GIVEN)
            continue;
        may_give = true;
        if (gives_toolset(grant, toolset, flags))
            return true;
    }
    if (!may_give || !lists_name(grant, MCPH_GRANT_TOOLS, name, false))
        return false;
    now = mcph_catalog_find(base, name, strlen(name));
    return !now || is_of_same(now, tool);
}
