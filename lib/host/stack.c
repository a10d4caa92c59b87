/* SPDX-License-Identifier: MIT
 *
 * stack.c - stacks: the built-in tools and the layers of sources of a view.  The view's
 * grant then chooses from the tools of the stack.
 *
 * A block has the tools, or the elements of another list, that a server or an owner of
 * built-in tools offers.  An offer has the blocks of one server or owner for the next
 * catalog.
 *
 * Any thread may change the layers, under the lock.  The dispatcher makes the catalog.
 */
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/view.h"

void
mcph_layer_free(struct mcph_layer *layer)
{
    if (!layer)
        return;
    for (size_t i = 0; i < layer->servers.n; i++)
        free(layer->servers.items[i]);
    mcph_vec_done(&layer->servers);
    mcph_source_unref(layer->source);
    free(layer);
}

static struct mcph_layer *
layer_new(struct mcphost_source *source, const char *const *servers, size_t n)
{
    struct mcph_layer *layer = calloc(1, sizeof(*layer));

    if (!layer)
        return NULL;
    layer->source = mcph_source_ref(source);
    layer->chosen = servers != NULL;
    for (size_t i = 0; servers && i < n; i++) {
        char *id = mcph_strdup(servers[i]);

        if (!id || mcph_vec_add(&layer->servers, id) < 0) {
            free(id);
            mcph_layer_free(layer);
            return NULL;
        }
    }
    return layer;
}

/* Returns the index of the source's layer, or stack->layers.n if the source has no
 * layer. */
static size_t
find_layer(const struct mcph_stack *stack, const struct mcphost_source *source)
{
    size_t i = 0;

    for (; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        if (layer->source == source)
            break;
    }
    return i;
}

int
mcph_stack_add_locked(struct mcph_stack *stack, struct mcphost_source *source,
                      const char *const *servers, size_t n)
{
    struct mcph_layer *layer;

    if (find_layer(stack, source) < stack->layers.n)
        return MCPHOST_E_EXISTS;
    layer = layer_new(source, servers, n);
    if (!layer || mcph_vec_add(&stack->layers, layer) < 0) {
        mcph_layer_free(layer);
        return MCPHOST_E_NOMEM;
    }
    stack->dirty = true;
    return 0;
}

struct mcph_layer *
mcph_stack_remove_locked(struct mcph_stack *stack, const struct mcphost_source *source)
{
    size_t i = find_layer(stack, source);
    struct mcph_layer *layer;

    if (i == stack->layers.n)
        return NULL;
    layer = stack->layers.items[i];
    mcph_vec_remove(&stack->layers, i);
    stack->dirty = true;
    return layer;
}

void
mcph_stack_done(struct mcph_stack *stack)
{
    for (size_t i = 0; i < stack->layers.n; i++)
        mcph_layer_free(stack->layers.items[i]);
    mcph_vec_done(&stack->layers);
    mcph_shown_done(&stack->shown);
    stack->declared = mcph_declared_unref(stack->declared);
    stack->catalog = mcph_catalog_unref(stack->catalog);
}

bool
mcph_layer_shows(const struct mcph_layer *layer, const char *server)
{
    if (!layer->chosen)
        return true;
    for (size_t i = 0; i < layer->servers.n; i++) {
        if (strcmp(layer->servers.items[i], server) == 0)
            return true;
    }
    return false;
}

/* Returns the SERVER in `id`, if `id` is "SOURCE:SERVER" for a server that the layer
 * shows.  Otherwise returns NULL. */
static const char *
strip_source(const struct mcph_layer *layer, const char *id)
{
    const char *source = layer->source->id ? layer->source->id : MCPH_DEFAULT_SOURCE;
    size_t len = strlen(source);

    if (strncmp(id, source, len) != 0 || id[len] != ':')
        return NULL;
    return mcph_layer_shows(layer, id + len + 1) ? id + len + 1 : NULL;
}

struct mcphost_source *
mcph_stack_find_server(const struct mcph_stack *stack, const char *id,
                       const char **ret_server)
{
    const struct mcph_layer *by_name = NULL, *usual = NULL;

    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];
        const char *server = strip_source(layer, id);

        *ret_server = id;
        if (mcph_layer_shows(layer, id) && mcph_server_find(layer->source, id))
            return mcph_source_ref(layer->source);
        if (server && !by_name)
            by_name = layer;
        if (!layer->source->id)
            usual = layer;
    }
    if (!by_name)
        return usual && mcph_layer_shows(usual, id) ? mcph_source_ref(usual->source)
                                                    : NULL;
    *ret_server = strip_source(by_name, id);
    return mcph_source_ref(by_name->source);
}

bool
mcph_stack_shows_change(const struct mcph_stack *stack)
{
    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        if (layer->source->changed)
            return true;
    }
    return stack->dirty;
}

static size_t
count_layers(const struct mcph_stack *stack)
{
    size_t n = 0;

    while (mcph_shown_at(stack, n))
        n++;
    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        n += layer->source->servers.n;
    }
    return n;
}

/* Adds an offer, with references to its blocks.  The references keep the blocks alive
 * while the catalog is made without the lock.  Another thread may remove built-in tools
 * meanwhile. */
static void
add_offer(struct mcph_offers *offers, struct mcph_offer offer)
{
    mcph_block_ref(offer.block);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        mcph_block_ref(offer.more[kind]);
    offers->items[offers->n++] = offer;
}

/* Returns the server's block of this kind as the dialog sees it.  If `dialog` is NULL,
 * returns the block that the view shows. */
static struct mcph_block *
block_for(const mcphost_dialog *dialog, const struct mcph_server *server, int kind)
{
    struct mcph_block *own = dialog ? mcph_own_block(dialog, server, kind) : NULL;

    if (own)
        return own;
    return kind == MCPH_LIST_TOOLS ? server->block : server->more[kind].block;
}

static void
offer_layer(const struct mcph_layer *layer, const mcphost_dialog *dialog,
            struct mcph_offers *offers)
{
    const struct mcphost_source *source = layer->source;
    struct mcph_offer offer = {.keeps_names = mcph_source_keeps_names(source),
                               .whole = mcph_source_rejects_collisions(source)};

    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];

        offer.block = block_for(dialog, server, MCPH_LIST_TOOLS);
        for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
            if (kind != MCPH_LIST_TOOLS)
                offer.more[kind] = block_for(dialog, server, kind);
        }
        if (offer.block && mcph_layer_shows(layer, server->id))
            add_offer(offers, offer);
    }
}

int
mcph_stack_offer_locked(const struct mcph_stack *stack, const mcphost_dialog *dialog,
                        struct mcph_offers *offers)
{
    const struct mcph_shown *shown;

    offers->n = 0;
    offers->items = calloc(count_layers(stack) + 1, sizeof(*offers->items));
    if (!offers->items)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; (shown = mcph_shown_at(stack, i)); i++)
        add_offer(offers, (struct mcph_offer){.block = shown->block});
    for (size_t i = 0; i < stack->layers.n; i++)
        offer_layer(stack->layers.items[i], dialog, offers);
    return 0;
}

static void
offer_done(struct mcph_offer *offer)
{
    mcph_block_unref(offer->block);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        mcph_block_unref(offer->more[kind]);
}

void
mcph_offers_done(struct mcph_offers *offers)
{
    for (size_t i = 0; i < offers->n; i++)
        offer_done(&offers->items[i]);
    free(offers->items);
}

/* ---- the configurations of a stack ------------------------------------------------- */

struct mcph_declared *
mcph_declared_ref(struct mcph_declared *declared)
{
    if (declared)
        mcph_refs_get(&declared->refs);
    return declared;
}

struct mcph_declared *
mcph_declared_unref(struct mcph_declared *declared)
{
    if (!declared || !mcph_refs_put(&declared->refs))
        return NULL;
    for (size_t i = 0; i < declared->n; i++)
        mcph_config_unref(declared->configs[i]);
    free(declared);
    return NULL;
}

/* Returns true if `declared` has the present configurations of the layers. */
static bool
is_current(const struct mcph_declared *declared, const struct mcph_stack *stack)
{
    bool rejected = false;
    size_t n = 0;

    if (!declared)
        return false;
    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        rejected |= layer->source->config_rejected;
        if (!layer->source->config)
            continue;
        if (n >= declared->n || declared->configs[n] != layer->source->config)
            return false;
        n++;
    }
    return n == declared->n && rejected == declared->rejected;
}

struct mcph_declared *
mcph_stack_declared_locked(struct mcph_stack *stack)
{
    struct mcph_declared *declared;

    if (is_current(stack->declared, stack))
        return stack->declared;
    declared =
        calloc(1, sizeof(*declared) + stack->layers.n * sizeof(declared->configs[0]));
    if (!declared)
        return NULL;
    mcph_refs_init(&declared->refs);
    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct mcph_layer *layer = stack->layers.items[i];

        declared->rejected |= layer->source->config_rejected;
        if (layer->source->config)
            declared->configs[declared->n++] = mcph_config_ref(layer->source->config);
    }
    mcph_declared_unref(stack->declared);
    stack->declared = declared;
    return declared;
}

const struct mcph_config_server *
mcph_declared_find(const struct mcph_declared *declared, const char *id)
{
    for (size_t i = 0; declared && i < declared->n; i++) {
        const struct mcph_config_server *entry =
            mcph_config_find(declared->configs[i], id);

        if (entry)
            return entry;
    }
    return NULL;
}
