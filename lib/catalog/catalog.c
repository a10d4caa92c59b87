/* SPDX-License-Identifier: MIT
 *
 * catalog.c - put the blocks of a view together, with unique names.
 *
 * A built-in always gets its name, whatever servers offer.  If several servers offer a
 * name, the server that had the name in the earlier snapshot keeps the name, provided
 * that `keeps_names` is set in its offer.  If no server keeps the name, the first server
 * in the order of the configuration gets the name.  Without an earlier snapshot, each
 * name goes to the first server in the order that offers the name.
 *
 * mcph_catalog_new() first enters the names of built-ins, then the names that servers
 * keep (claim_kept()).  Then the function adds the servers in their order.
 *
 * After mcph_catalog_new(), a catalog gets only its version (host/publish.c), serialized
 * lists (lists.c) and the data of struct mcph_catalog_kept.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "config/config.h"

static int
add_finding(mcphost_catalog *c, mcphost_server *entry, const struct mcph_finding *finding)
{
    if (mcph_vec_reserve(&c->findings, 1) < 0 || mcph_vec_reserve(&c->finders, 1) < 0)
        return MCPHOST_E_NOMEM;
    mcph_vec_add(&c->findings, (void *)finding);
    mcph_vec_add(&c->finders, entry);
    return 0;
}

/* Returns true if the block's server is not added yet, because it is later in the
 * order. */
static bool
is_later(const mcphost_catalog *c, const struct mcph_block *block)
{
    return !mcph_block_is_builtin(block) &&
           !mcph_catalog_server(c, mcph_block_key(block));
}

/* Returns the name of the tool's owner: a built-in toolset's name, a server's key, or the
 * id of a server of the default source. */
static const char *
name_of_owner(const mcphost_tool *tool)
{
    if (mcph_block_is_builtin(tool->block))
        return mcph_tool_toolset(tool);
    return tool->block->source ? mcph_block_key(tool->block) : tool->block->id;
}

static int
kind_of(const mcphost_tool *tool)
{
    return tool->block->listing->kind;
}

/* Makes a finding about a list of the kind `of`, and adds it to the catalog.  The catalog
 * owns the finding.  `tool` is the element that is left out, or the element because of
 * which the whole server is left out.  `winner` is the element that already has the name.
 * `tool` and `winner` may be NULL. */
static int
add_own_finding(mcphost_catalog *c, enum mcph_finding_kind kind, int of,
                mcphost_server *entry, const mcphost_tool *tool,
                const mcphost_tool *winner, const char *text)
{
    const struct mcph_block *block = entry->block;
    struct mcph_span original =
        tool ? mcph_span_str(mcph_tool_original(tool)) : MCPH_SPAN_NONE;
    struct mcph_finding *finding;

    if (mcph_vec_reserve(&c->own_findings, 1) < 0)
        return MCPHOST_E_NOMEM;
    finding = mcph_finding_new(kind, of, block->id, original, tool ? tool->place : 0,
                               tool ? mcph_tool_name(tool) : NULL, text);
    if (!finding)
        return MCPHOST_E_NOMEM;
    if (winner) {
        finding->owner_builtin = mcph_block_is_builtin(winner->block);
        finding->owner = name_of_owner(winner);
        finding->owner_keeps = is_later(c, winner->block);
    }
    finding->of_view = true;
    mcph_vec_add(&c->own_findings, finding);
    return add_finding(c, entry, finding);
}

static int
add_more_finding(mcphost_catalog *c, int of, mcphost_server *entry, size_t more)
{
    int r = add_own_finding(c, MCPH_FINDING_MORE, of, entry, NULL, NULL, NULL);
    struct mcph_finding *finding;

    if (r == 0) {
        finding = c->own_findings.items[c->own_findings.n - 1];
        finding->more = more;
    }
    return r;
}

/* Finds another tool or prompt that has the name of `tool`.  Returns NULL if no other
 * item has the name. */
static mcphost_tool *
find_winner(const mcphost_catalog *c, const mcphost_tool *tool)
{
    const char *name = mcph_tool_name(tool);
    mcphost_tool *winner = mcph_map_get(&c->by_name[kind_of(tool)], name, strlen(name));

    return winner == tool ? NULL : winner;
}

/* Enters the name of a tool or prompt.  *ret_winner becomes another item that has the
 * name already, or NULL.  *ret_again becomes true if this item was entered before. */
static int
claim_name(mcphost_catalog *c, mcphost_tool *tool, mcphost_tool **ret_winner,
           bool *ret_again)
{
    const char *name = mcph_tool_name(tool);
    void *winner;

    if (mcph_map_add(&c->by_name[kind_of(tool)], tool->hash, name, strlen(name), tool,
                     &winner) < 0)
        return MCPHOST_E_NOMEM;
    *ret_again = winner == tool;
    *ret_winner = winner == tool ? NULL : winner;
    return 0;
}

int
mcph_catalog_add_prompt(mcphost_catalog *c, mcphost_server *entry, mcphost_tool *prompt,
                        mcphost_tool **ret_winner)
{
    bool again;

    if (claim_name(c, prompt, ret_winner, &again) < 0)
        return MCPHOST_E_NOMEM;
    if (*ret_winner)
        return 0;
    c->prompts[c->n_prompts++] = prompt;
    entry->n_prompts++;
    return 0;
}

void
mcph_catalog_add_more(mcphost_server *entry, struct mcph_block *block)
{
    entry->more[block->listing->kind] = mcph_block_ref(block);
}

int
mcph_catalog_add_tool(mcphost_catalog *c, mcphost_server *entry, mcphost_tool *tool,
                      mcphost_tool **ret_winner)
{
    bool shared;

    /* Do not refuse a tool whose name is already entered for this same tool.  A
     * built-in may be in an earlier toolset, and claim_kept() may have entered a
     * server's tool. */
    if (claim_name(c, tool, ret_winner, &shared) < 0)
        return MCPHOST_E_NOMEM;
    shared = shared && entry->set;
    if (*ret_winner)
        return 0;
    if (!shared) {
        c->tools[c->n_tools++] = tool;
        entry->n_listed++;
    }
    if (entry->set)
        c->members[c->n_members++] = tool;
    entry->n_tools++;
    return 0;
}

int
mcph_catalog_add_toolset(mcphost_catalog *c, mcphost_server *entry)
{
    const char *name = entry->name;

    if (mcph_map_put(&c->by_toolset, name, strlen(name), entry, NULL) < 0)
        return MCPHOST_E_NOMEM;
    entry->toolset = c->n_toolsets;
    c->toolsets[c->n_toolsets++] = entry;
    return 0;
}

void
mcph_catalog_begin_entry(mcphost_catalog *c, mcphost_server *entry)
{
    entry->listed = c->tools + c->n_tools;
    entry->tools = entry->set ? c->members + c->n_members : entry->listed;
    entry->prompts = c->prompts + c->n_prompts;
}

mcphost_server *
mcph_catalog_add_entry(mcphost_catalog *c, struct mcph_block *block,
                       struct mcph_toolset *set)
{
    mcphost_server *entry = &c->entries[c->n_entries++];

    entry->catalog = c;
    entry->block = mcph_block_ref(block);
    entry->set = set;
    entry->name = set ? set->name : block->id;
    entry->toolset = SIZE_MAX;
    mcph_catalog_begin_entry(c, entry);
    return entry;
}

static int
add_set(mcphost_catalog *c, struct mcph_block *block, struct mcph_toolset *set,
        mcphost_error **reterr)
{
    mcphost_server *entry = mcph_catalog_add_entry(c, block, set);

    c->n_builtin++;
    if (mcph_map_get(&c->by_toolset, set->name, strlen(set->name)))
        return mcph_err(reterr, MCPHOST_E_EXISTS, "two built-in toolsets are named '%s'",
                        set->name);
    for (size_t i = 0; i < set->n_tools; i++) {
        mcphost_tool *tool = set->tools[i], *other;

        if (mcph_catalog_add_tool(c, entry, tool, &other) < 0)
            return mcph_err_nomem(reterr);
        if (other)
            return mcph_err(reterr, MCPHOST_E_EXISTS,
                            "toolsets '%s' and '%s' both have a tool '%s'",
                            mcph_tool_toolset(other), set->name, mcph_tool_name(tool));
    }
    if (mcph_catalog_add_toolset(c, entry) < 0)
        return mcph_err_nomem(reterr);
    return 0;
}

static int
add_builtin(mcphost_catalog *c, struct mcph_block *block, mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; i < block->n_sets && r == 0; i++)
        r = add_set(c, block, &block->sets[i], reterr);
    return r;
}

static bool
is_free(const mcphost_catalog *c, const char *name)
{
    return !mcph_map_get(&c->by_toolset, name, strlen(name)) &&
           !mcph_catalog_server(c, name);
}

static const char *
why_taken(const mcphost_catalog *c, const char *name)
{
    const mcphost_server *other = mcph_map_get(&c->by_toolset, name, strlen(name));

    return other && mcph_block_is_builtin(other->block)
               ? "a built-in toolset has this name"
               : "an earlier server has this name";
}

/* Decides whether the view leaves the server out.  If so, adds a finding and returns
 * true.  If the entry's name is taken, first tries the server's key as the entry's
 * name.  *ret_code becomes the error of adding the finding, or stays 0. */
static bool
leave_out(mcphost_catalog *c, mcphost_server *entry, bool whole, int *ret_code)
{
    const struct mcph_block *block = entry->block;

    /* If the name is taken, use the key as the name.  A server of the default source
     * gets its key as its name only if another server has the same id.  Therefore an
     * application with only one source never gets a key as a name. */
    if (!is_free(c, entry->name) &&
        (block->source || mcph_catalog_server(c, entry->name)))
        entry->name = mcph_block_key(block);
    if (!is_free(c, entry->name)) {
        *ret_code = add_own_finding(c, MCPH_FINDING_SERVER, MCPH_LIST_TOOLS, entry, NULL,
                                    NULL, why_taken(c, entry->name));
        return true;
    }
    if (!whole)
        return false;
    if (block->collides) {
        *ret_code = add_own_finding(c, MCPH_FINDING_SERVER, MCPH_LIST_TOOLS, entry, NULL,
                                    NULL, "two of its tools have one name");
        return true;
    }
    for (size_t i = 0; i < block->n_items; i++) {
        const mcphost_tool *tool = &block->items[i], *winner = find_winner(c, tool);

        if (winner) {
            *ret_code = add_own_finding(c, MCPH_FINDING_SERVER, MCPH_LIST_TOOLS, entry,
                                        tool, winner, "a tool's name is already taken");
            return true;
        }
    }
    return false;
}

/* Returns true if an element of the same kind and of the same server had the name of
 * `tool` in the earlier snapshot.  `tool` is a tool or a prompt. */
static bool
keeps_name(const mcphost_catalog *before, const mcphost_tool *tool)
{
    const char *name = mcph_tool_name(tool);
    const mcphost_tool *old =
        mcph_map_get(&before->by_name[kind_of(tool)], name, strlen(name));

    return old && !mcph_block_is_builtin(old->block) &&
           strcmp(mcph_block_key(old->block), mcph_block_key(tool->block)) == 0;
}

/* Enters each tool or prompt whose server keeps the name.  Built-in tools are entered
 * already. */
static int
claim_kept(mcphost_catalog *c, const mcphost_catalog *before,
           const struct mcph_block *block)
{
    for (size_t i = 0; before && i < block->n_items; i++) {
        mcphost_tool *tool = &block->items[i], *winner;
        bool again;

        if (keeps_name(before, tool) && claim_name(c, tool, &winner, &again) < 0)
            return MCPHOST_E_NOMEM;
    }
    return 0;
}

static int
claim_all_kept(mcphost_catalog *c, const mcphost_catalog *before,
               const struct mcph_offer *offer)
{
    const struct mcph_block *prompts = offer->more[MCPH_LIST_PROMPTS];
    int r = claim_kept(c, before, offer->block);

    return r == 0 && prompts ? claim_kept(c, before, prompts) : r;
}

/* Removes the names that were entered for a server that is left out. */
static void
drop_claims(mcphost_catalog *c, const struct mcph_block *block)
{
    for (size_t i = 0; block && i < block->n_items; i++) {
        const char *name = mcph_tool_name(&block->items[i]);
        struct mcph_map *by_name = &c->by_name[kind_of(&block->items[i])];

        if (mcph_map_get(by_name, name, strlen(name)) == &block->items[i])
            mcph_map_remove(by_name, name, strlen(name));
    }
}

int
mcph_catalog_index_server(mcphost_catalog *c, mcphost_server *entry)
{
    const char *key = mcph_block_key(entry->block);
    int r = 0;

    if (!mcph_catalog_server(c, entry->name))
        r = mcph_map_put(&c->by_server, entry->name, strlen(entry->name), entry, NULL);
    if (r == 0 && !mcph_catalog_server(c, key))
        r = mcph_map_put(&c->by_server, key, strlen(key), entry, NULL);
    return r;
}

/* Adds the findings of a block, then the block's tools or prompts.  If the name of an
 * item is taken in the view, leaves the item out and adds a finding.  If there are more
 * than MCPH_FINDINGS_MAX findings, the last finding (MCPH_FINDING_MORE) counts the
 * further items. */
static int
add_named(mcphost_catalog *c, mcphost_server *entry, const struct mcph_block *block)
{
    int kind = block->listing ? block->listing->kind : MCPH_LIST_TOOLS, r = 0;
    size_t said = block->findings.n, more = block->n_more;

    for (size_t i = 0; i < block->findings.n && r == 0; i++)
        r = add_finding(c, entry, block->findings.items[i]);
    for (size_t i = 0; i < block->n_items && r == 0; i++) {
        mcphost_tool *item = &block->items[i], *winner = NULL;

        if (kind == MCPH_LIST_TOOLS)
            r = mcph_catalog_add_tool(c, entry, item, &winner);
        else if (kind == MCPH_LIST_PROMPTS)
            r = mcph_catalog_add_prompt(c, entry, item, &winner);
        else
            break;
        if (r == 0 && winner && said < MCPH_FINDINGS_MAX) {
            r = add_own_finding(c, MCPH_FINDING_COLLISION, kind, entry, item, winner,
                                NULL);
            said++;
        } else if (winner) {
            more++;
        }
    }
    return r == 0 && more > 0 ? add_more_finding(c, kind, entry, more) : r;
}

static int
add_server(mcphost_catalog *c, const struct mcph_offer *offer)
{
    struct mcph_block *block = offer->block;
    mcphost_server *entry = mcph_catalog_add_entry(c, block, NULL);
    int r = 0;

    entry->rejected = leave_out(c, entry, offer->whole, &r);
    if (r < 0)
        return r;
    if (entry->rejected) {
        drop_claims(c, block);
        drop_claims(c, offer->more[MCPH_LIST_PROMPTS]);
    }
    r = mcph_catalog_index_server(c, entry);
    if (r < 0 || entry->rejected)
        return r;
    r = add_named(c, entry, block);
    for (int kind = 0; kind < MCPH_LIST_KINDS && r == 0; kind++) {
        if (!offer->more[kind])
            continue;
        mcph_catalog_add_more(entry, offer->more[kind]);
        r = add_named(c, entry, offer->more[kind]);
    }
    if (r == 0 && block->listing)
        r = mcph_catalog_add_toolset(c, entry);
    return r;
}

mcphost_catalog *
mcph_catalog_alloc(uint64_t version, size_t n, size_t n_tools, size_t n_members,
                   size_t n_prompts)
{
    mcphost_catalog *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    mcph_refs_init(&c->refs);
    c->version = version;
    c->entries = calloc(n ? n : 1, sizeof(*c->entries));
    c->toolsets = calloc(n ? n : 1, sizeof(mcphost_server *));
    c->tools = calloc(n_tools ? n_tools : 1, sizeof(mcphost_tool *));
    c->members = calloc(n_members ? n_members : 1, sizeof(mcphost_tool *));
    c->prompts = calloc(n_prompts ? n_prompts : 1, sizeof(mcphost_tool *));
    if (!c->entries || !c->toolsets || !c->tools || !c->members || !c->prompts)
        return mcph_catalog_unref(c);
    return c;
}

static mcphost_catalog *
alloc_for(uint64_t version, const struct mcph_offer *offers, size_t n, size_t *ret_tools)
{
    size_t n_entries = 0, n_tools = 0, n_members = 0, n_prompts = 0;

    for (size_t i = 0; i < n; i++) {
        const struct mcph_block *block = offers[i].block;
        const struct mcph_block *prompts = offers[i].more[MCPH_LIST_PROMPTS];

        n_prompts += prompts ? prompts->n_items : 0;
        n_tools += block->n_items;
        n_entries += mcph_block_is_builtin(block) ? block->n_sets : 1;
        for (size_t k = 0; k < block->n_sets; k++)
            n_members += block->sets[k].n_tools;
    }
    *ret_tools = n_tools;
    return mcph_catalog_alloc(version, n_entries, n_tools, n_members, n_prompts);
}

int
mcph_catalog_new(uint64_t version, const mcphost_catalog *before,
                 const struct mcph_offer *offers, size_t n, mcphost_catalog **ret,
                 mcphost_error **reterr)
{
    mcphost_catalog *c;
    size_t n_tools;
    int r = 0;

    c = alloc_for(version, offers, n, &n_tools);
    if (!c)
        return mcph_err_nomem(reterr);
    if (mcph_map_reserve(&c->by_name[MCPH_LIST_TOOLS], n_tools) < 0) {
        r = mcph_err_nomem(reterr);
        goto out;
    }
    for (size_t i = 0; i < n && r == 0; i++)
        if (mcph_block_is_builtin(offers[i].block))
            r = add_builtin(c, offers[i].block, reterr);
    if (r < 0)
        goto out;
    for (size_t i = 0; i < n && r == 0; i++)
        if (!mcph_block_is_builtin(offers[i].block) && offers[i].keeps_names)
            r = claim_all_kept(c, before, &offers[i]);
    for (size_t i = 0; i < n && r == 0; i++)
        if (!mcph_block_is_builtin(offers[i].block))
            r = add_server(c, &offers[i]);
    if (r < 0) {
        r = mcph_err_nomem(reterr);
        goto out;
    }
    *ret = c;
    c = NULL;
out:
    mcph_catalog_unref(c);
    return r;
}

mcphost_server *
mcph_catalog_server(const mcphost_catalog *catalog, const char *key)
{
    return mcph_map_get(&catalog->by_server, key, strlen(key));
}

mcphost_server *
mcph_catalog_entry(const mcphost_catalog *catalog, const struct mcph_block *block)
{
    return mcph_block_is_builtin(block)
               ? NULL
               : mcph_catalog_server(catalog, mcph_block_key(block));
}

struct mcph_span
mcph_entry_description(const mcphost_server *entry)
{
    const struct mcph_listing *listing = entry->block->listing;

    if (entry->set)
        return entry->set->description ? mcph_span_str(entry->set->description)
                                       : MCPH_SPAN_NONE;
    return listing ? mcph_about_text(listing->about, MCPH_ABOUT_DESCRIPTION)
                   : MCPH_SPAN_NONE;
}

mcphost_catalog *
mcph_catalog_ref(mcphost_catalog *catalog)
{
    if (catalog)
        mcph_refs_get(&catalog->refs);
    return catalog;
}

static void
entry_done(mcphost_server *entry)
{
    mcph_list_slots_done(entry->lists, MCPH_N_SHAPES);
    mcph_list_slots_done(&entry->prompts_list, 1);
    mcph_block_unref(entry->block);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        mcph_block_unref(entry->more[kind]);
}

mcphost_catalog *
mcph_catalog_unref(mcphost_catalog *catalog)
{
    struct mcph_catalog_kept *kept;

    if (!catalog || !mcph_refs_put(&catalog->refs))
        return NULL;
    kept = atomic_load_explicit(&catalog->kept, memory_order_acquire);
    while (kept) {
        struct mcph_catalog_kept *next = kept->next;

        kept->drop(kept);
        kept = next;
    }
    for (size_t i = 0; i < catalog->own_findings.n; i++)
        mcph_finding_free(catalog->own_findings.items[i]);
    mcph_vec_done(&catalog->own_findings);
    mcph_vec_done(&catalog->findings);
    mcph_vec_done(&catalog->finders);
    mcph_list_slots_done(catalog->lists, MCPH_N_SHAPES);
    mcph_list_slots_done(catalog->more_lists, MCPH_LIST_KINDS);
    for (size_t i = 0; i < catalog->n_entries; i++)
        entry_done(&catalog->entries[i]);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        mcph_map_done(&catalog->by_name[kind]);
    mcph_map_done(&catalog->by_toolset);
    mcph_map_done(&catalog->by_server);
    mcph_grant_unref(catalog->grant);
    free(catalog->missing);
    free(catalog->entries);
    free(catalog->toolsets);
    free(catalog->tools);
    free(catalog->members);
    free(catalog->prompts);
    free(catalog);
    return NULL;
}

mcphost_tool *
mcph_catalog_find(const mcphost_catalog *catalog, const char *name, size_t len)
{
    return mcph_map_get(&catalog->by_name[MCPH_LIST_TOOLS], name, len);
}

mcphost_tool *
mcph_catalog_find_prompt(const mcphost_catalog *catalog, const char *name)
{
    return mcph_map_get(&catalog->by_name[MCPH_LIST_PROMPTS], name, strlen(name));
}

/* ---- items of an entry, by kind ---------------------------------------------------- */

size_t
mcph_entry_count(const mcphost_server *entry, int kind)
{
    if (kind == MCPH_LIST_TOOLS)
        return entry->n_tools;
    if (kind == MCPH_LIST_PROMPTS)
        return entry->n_prompts;
    return entry->more[kind] ? entry->more[kind]->n_items : 0;
}

mcphost_tool *
mcph_entry_item(const mcphost_server *entry, int kind, size_t index)
{
    if (index >= mcph_entry_count(entry, kind))
        return NULL;
    if (kind == MCPH_LIST_TOOLS)
        return entry->tools[index];
    if (kind == MCPH_LIST_PROMPTS)
        return entry->prompts[index];
    return &entry->more[kind]->items[index];
}

size_t
mcph_catalog_count(const mcphost_catalog *catalog, int kind)
{
    size_t n = 0;

    if (kind == MCPH_LIST_TOOLS)
        return catalog->n_tools;
    for (size_t i = 0; i < catalog->n_toolsets; i++)
        n += mcph_entry_count(catalog->toolsets[i], kind);
    return n;
}

mcphost_tool *
mcph_catalog_find_uri(const mcphost_catalog *catalog, int kind, const char *server,
                      const char *uri)
{
    const mcphost_server *entry =
        catalog && server && uri ? mcph_catalog_server(catalog, server) : NULL;

    return entry && entry->more[kind] ? mcph_block_find_uri(entry->more[kind], uri)
                                      : NULL;
}

mcphost_tool *
mcph_catalog_item(const mcphost_catalog *catalog, int kind, size_t index)
{
    if (kind == MCPH_LIST_TOOLS)
        return index < catalog->n_tools ? catalog->tools[index] : NULL;
    for (size_t i = 0; i < catalog->n_toolsets; i++) {
        size_t n = mcph_entry_count(catalog->toolsets[i], kind);

        if (index < n)
            return mcph_entry_item(catalog->toolsets[i], kind, index);
        index -= n;
    }
    return NULL;
}
