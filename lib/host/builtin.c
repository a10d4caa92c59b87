/* SPDX-License-Identifier: MIT
 *
 * builtin.c - tools of the application's and of our own, in the same catalog
 * as the servers' (R27, R211).
 *
 * The application declares its tools one by one; the blocks of all toolsets are made
 * anew after each, in the order in which their toolsets were first named.  Our own
 * toolset is one block, made once (admin.c).  It stands in front of the others while
 * MCPHOST_OPT_ADMIN_TOOLS is set; otherwise it is in no catalog but those of grants
 * that name it, and its names are free.
 */
#include <stdlib.h>
#include <string.h>

#include "host/builtin.h"
#include "host/host.h"
#include "host/publish.h"

static void
def_free(struct mcph_builtin_def *def)
{
    if (!def)
        return;
    free(def->toolset);
    free(def->name);
    free(def->description);
    free(def->schema);
    free(def->about_toolset);
    free(def);
}

static struct mcph_builtin_def *
def_new(const char *toolset, const char *name, const char *description,
        const char *schema, const struct mcph_builtin_def *how)
{
    struct mcph_builtin_def *def = malloc(sizeof(*def));

    if (!def)
        return NULL;
    *def = *how;
    def->toolset = mcph_strdup(toolset);
    def->name = mcph_strdup(name);
    def->description = description ? mcph_strdup(description) : NULL;
    def->schema = mcph_strdup(schema);
    if (def->toolset && def->name && (def->description || !description) && def->schema)
        return def;
    def_free(def);
    return NULL;
}

/* The tool that a toolset begins with, or NULL. */
static struct mcph_builtin_def *
first_of(const mcphost *host, const char *toolset)
{
    for (size_t i = 0; i < host->builtin_defs.n; i++) {
        struct mcph_builtin_def *def = host->builtin_defs.items[i];

        if (strcmp(def->toolset, toolset) == 0)
            return def;
    }
    return NULL;
}

/* All tools of the toolset that begins with `first` as a block. */
static int
make_block(mcphost *host, const struct mcph_builtin_def *first, struct mcph_block **ret,
           mcphost_error **reterr)
{
    const char *toolset = first->toolset;
    struct mcph_block *block = NULL;
    struct mcph_builtin *tools = calloc(host->builtin_defs.n, sizeof(*tools));
    size_t n = 0;
    int r;

    if (!tools)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < host->builtin_defs.n; i++) {
        const struct mcph_builtin_def *def = host->builtin_defs.items[i];

        if (strcmp(def->toolset, toolset) == 0)
            tools[n++] = (struct mcph_builtin){.name = def->name,
                                               .description = def->description,
                                               .input_schema = def->schema,
                                               .handler = def};
    }
    r = mcph_block_new_builtin(toolset, tools, n, &block, reterr);
    free(tools);
    if (r < 0)
        return r;
    if (mcph_block_describe(block, first->about_toolset) < 0) {
        mcph_block_unref(block);
        return mcph_err_nomem(reterr);
    }
    block->realm = host;
    *ret = block;
    return 0;
}

static void
free_blocks(struct mcph_vec *blocks)
{
    for (size_t i = 0; i < blocks->n; i++)
        mcph_block_unref(blocks->items[i]);
    mcph_vec_done(blocks);
}

static int
add_block(struct mcph_vec *blocks, struct mcph_block *block, mcphost_error **reterr)
{
    if (mcph_vec_add(blocks, block) == 0)
        return 0;
    mcph_block_unref(block);
    return mcph_err_nomem(reterr);
}

static int
rebuild(mcphost *host, bool own, mcphost_error **reterr)
{
    struct mcph_vec blocks = {0};
    struct mcph_block *block = NULL;
    int r = 0;

    if (own)
        r = add_block(&blocks, mcph_block_ref(host->admin), reterr);
    for (size_t i = 0; i < host->builtin_defs.n && r == 0; i++) {
        const struct mcph_builtin_def *def = host->builtin_defs.items[i];

        if (first_of(host, def->toolset) != def)
            continue;
        r = make_block(host, def, &block, reterr);
        if (r == 0)
            r = add_block(&blocks, block, reterr);
    }
    if (r == 0) {
        struct mcph_vec old = host->builtin_blocks;

        host->builtin_blocks = blocks;
        blocks = old;
    }
    free_blocks(&blocks);
    return r;
}

static int
refuse_name(const char *name, mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_EXISTS, "there is a built-in tool '%s' already",
                    name);
}

static int
add(mcphost *host, const char *toolset, const char *name, const char *description,
    const char *schema, const struct mcph_builtin_def *how, mcphost_error **reterr)
{
    bool own = host->options[MCPHOST_OPT_ADMIN_TOOLS] != 0;
    struct mcph_builtin_def *def;
    int r;

    if (own && mcph_block_find_original(host->admin, name))
        return refuse_name(name, reterr);
    for (size_t i = 0; i < host->builtin_defs.n; i++) {
        const struct mcph_builtin_def *other = host->builtin_defs.items[i];

        if (strcmp(other->name, name) == 0)
            return refuse_name(name, reterr);
    }
    if (own && strcmp(toolset, MCPH_ADMIN_TOOLSET) == 0)
        return mcph_err(reterr, MCPHOST_E_EXISTS, "there is a toolset '%s' already",
                        toolset);
    def = def_new(toolset, name, description, schema, how);
    if (!def || mcph_vec_add(&host->builtin_defs, def) < 0) {
        def_free(def);
        return mcph_err_nomem(reterr);
    }
    r = rebuild(host, own, reterr);
    if (r < 0) {
        host->builtin_defs.n--;
        def_free(def);
    }
    return r;
}

int
mcph_builtin_declare(mcphost *host, const char *toolset, const char *name,
                     const char *description, const char *schema,
                     const struct mcph_builtin_def *how, mcphost_error **reterr)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG};
    mcphost_catalog *old = NULL;
    int r = mcph_host_enter(host);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (host->loaded)
        r = mcph_err(reterr, MCPHOST_E_STATE, "the host is loaded already");
    else
        r = add(host, toolset, name, description, schema, how, reterr);
    if (r == 0) {
        r = mcph_publish_locked(host, &old);
        if (r < 0) {
            /* Not in the catalog, so not declared. */
            def_free(host->builtin_defs.items[--host->builtin_defs.n]);
            rebuild(host, host->options[MCPHOST_OPT_ADMIN_TOOLS] != 0, NULL);
            mcph_err_nomem(reterr);
        }
    }
    event.version = host->version;
    mcph_core_leave(host->core);
    mcph_catalog_unref(old);
    if (r == 0)
        mcph_emit(&host->journal, &event);
    return r;
}

/* Gives a toolset another description, which is taken over only on success.  Under the
 * lock. */
static int
describe(mcphost *host, struct mcph_builtin_def *first, char *text,
         mcphost_catalog **ret_old, mcphost_error **reterr)
{
    bool own = host->options[MCPHOST_OPT_ADMIN_TOOLS] != 0;
    char *before = first->about_toolset;
    int r;

    first->about_toolset = text;
    r = rebuild(host, own, reterr);
    if (r == 0) {
        r = mcph_publish_locked(host, ret_old);
        if (r < 0)
            mcph_err_nomem(reterr);
    }
    if (r == 0) {
        free(before);
        return 0;
    }
    first->about_toolset = before;
    rebuild(host, own, NULL);
    return r;
}

int
mcph_builtins_describe(mcphost *host, const char *toolset, const char *text,
                       mcphost_error **reterr)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG};
    char *copy = text ? mcph_strdup(text) : NULL;
    struct mcph_builtin_def *first;
    mcphost_catalog *old = NULL;
    int r;

    if (text && !copy)
        return mcph_err_nomem(reterr);
    r = mcph_host_enter(host);
    if (r < 0) {
        free(copy);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    first = first_of(host, toolset);
    if (host->loaded)
        r = mcph_err(reterr, MCPHOST_E_STATE, "the host is loaded already");
    else if (!first)
        r = mcph_err(reterr, MCPHOST_E_NOTFOUND,
                     "the application has no built-in toolset '%s'", toolset);
    else
        r = describe(host, first, copy, &old, reterr);
    event.version = host->version;
    mcph_core_leave(host->core);
    mcph_catalog_unref(old);
    if (r == 0)
        mcph_emit(&host->journal, &event);
    else
        free(copy);
    return r;
}

/* Whether the application has a name of ours. */
static bool
is_taken(const mcphost *host)
{
    for (size_t i = 0; i < host->builtin_defs.n; i++) {
        const struct mcph_builtin_def *def = host->builtin_defs.items[i];

        if (strcmp(def->toolset, MCPH_ADMIN_TOOLSET) == 0 ||
            mcph_block_find_original(host->admin, def->name))
            return true;
    }
    return false;
}

static int
offer_own(mcphost *host, bool on, mcphost_catalog **ret_old)
{
    int r;

    if (on && is_taken(host))
        return MCPHOST_E_EXISTS;
    r = rebuild(host, on, NULL);
    if (r == 0)
        r = mcph_publish_locked(host, ret_old);
    if (r == 0)
        host->options[MCPHOST_OPT_ADMIN_TOOLS] = on;
    else
        rebuild(host, !on, NULL);
    return r;
}

int
mcph_builtins_offer_own(mcphost *host, bool on)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG};
    mcphost_catalog *old = NULL;
    bool changes;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    changes = on != (host->options[MCPHOST_OPT_ADMIN_TOOLS] != 0);
    if (host->loaded)
        r = MCPHOST_E_STATE;
    else if (changes)
        r = offer_own(host, on, &old);
    event.version = host->version;
    mcph_core_leave(host->core);
    mcph_catalog_unref(old);
    if (r == 0 && changes)
        mcph_emit(&host->journal, &event);
    return r;
}

void
mcph_builtins_done(mcphost *host)
{
    for (size_t i = 0; i < host->builtin_defs.n; i++) {
        struct mcph_builtin_def *def = host->builtin_defs.items[i];

        if (def->free_arg)
            def->free_arg(def->arg);
        def_free(def);
    }
    mcph_vec_done(&host->builtin_defs);
    free_blocks(&host->builtin_blocks);
    host->admin = mcph_block_unref(host->admin);
}
