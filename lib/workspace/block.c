/* SPDX-License-Identifier: MIT
 *
 * block.c - make the block of tools that catalogs show from a server's last good edition
 * (R95, R97).
 */
#include "workspace/workspace.h"

int
mcph_block_sign(struct mcph_server *server, struct mcph_block *block)
{
    const struct mcph_realm *realm = &server->source->realm;
    int r = mcph_block_set_source(block, server->source->id);

    if (r < 0)
        return r;
    block->arguments =
        (int)mcph_realm_choose(realm, block->spec->arguments, MCPHOST_OPT_ARGUMENTS);
    block->results =
        (int)mcph_realm_choose(realm, block->spec->results, MCPHOST_OPT_RESULTS);
    block->denied = (unsigned)mcph_realm_policy(realm, MCPHOST_OPT_DENIED);
    block->serves_on = mcph_source_serves_removed(server->source);
    block->realm = server->source->ws->owner;
    block->owner = server;
    block->edition = server->edition;
    return 0;
}

int
mcph_block_of(struct mcph_server *server, struct mcph_listing *listing,
              struct mcph_block **ret, mcphost_error **reterr)
{
    struct mcph_naming naming = mcph_source_naming(server->source);
    int r = mcph_block_new_server(server->spec, &naming, listing, ret, reterr);

    if (r == 0)
        r = mcph_block_sign(server, *ret);
    if (r < 0)
        *ret = mcph_block_unref(*ret);
    return r;
}

/* Returns true if the server's block already shows the last good edition. */
static bool
is_current(const struct mcph_server *server)
{
    const struct mcph_block *block = server->block;

    return block && server->spec && block->listing == server->listing &&
           block->edition == server->edition &&
           mcph_server_same_spec(block->spec, server->spec);
}

/* Takes the block that was made in steps.  Returns NULL if no block was made in steps, or
 * if the block does not show the last good edition any more. */
static struct mcph_block *
take_made(struct mcph_server *server)
{
    struct mcph_block *made = server->made;

    server->made = NULL;
    if (made && made->listing == server->listing && made->spec == server->spec)
        return made;
    return mcph_block_unref(made);
}

/* Makes the server's blocks anew, if they do not show the last good edition. */
static int
refresh_block(struct mcph_server *server)
{
    struct mcph_block *block = take_made(server);
    int r = mcph_more_refresh(server);

    if (r < 0 || is_current(server)) {
        mcph_block_unref(block);
        return r;
    }
    if (block)
        r = mcph_block_sign(server, block);
    else if (server->spec)
        r = mcph_block_of(server, server->listing, &block, NULL);
    if (r < 0) {
        mcph_block_unref(block);
        return r;
    }
    mcph_block_unref(server->block);
    server->block = block;
    if (block)
        server->source->ws->ops->own_refresh(server);
    return 0;
}

void
mcph_blocks_refresh(struct mcphost_source *source)
{
    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];

        source->changed |= server->dirty;
        if (server->dirty && refresh_block(server) < 0)
            mcph_log(source->core, MCPHOST_LOG_ERROR, "host", server->id,
                     "its tools stay as they are: out of memory");
    }
}
