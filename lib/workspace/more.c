/* SPDX-License-Identifier: MIT
 *
 * more.c - the lists of a server besides tools: resources, resource templates, prompts
 * and skills.
 *
 * Each kind has a last good list of its own.  The list of tools decides whether an
 * edition of a server is good.  If the list of another kind fails, the last good list of
 * that kind stays.  A problem reports the failure.  The failure does not affect the other
 * kinds.  A list that a lister sends waits until the lister's list of tools is good.
 *
 * A server awaits the lists that an instance was started for.  A load is over only when
 * each of these lists has come or failed.  The tools are published as soon as they are
 * read.
 */
#include <stdlib.h>

#include "workspace/workspace.h"

void
mcph_more_await(struct mcph_server *server, const struct mcph_instance *inst)
{
    server->awaits = inst;
    server->awaited = 0;
    for (int kind = 0; inst && kind < MCPH_LIST_KINDS; kind++)
        server->awaited |= kind == MCPH_LIST_TOOLS ? 0 : 1u << kind;
    mcph_more_forget_next(server);
}

void
mcph_more_heard(struct mcph_server *server, const struct mcph_instance *inst, int kind)
{
    if (inst != server->awaits)
        return;
    server->awaited &= ~(1u << kind);
    if (server->awaited == 0)
        mcph_more_lost(server, inst);
}

void
mcph_more_lost(struct mcph_server *server, const struct mcph_instance *inst)
{
    if (inst != server->awaits)
        return;
    server->awaits = NULL;
    server->awaited = 0;
    mcph_server_time_spare(server);
    server->source->ws->ops->tried(server->source->ws->owner);
}

/* ---- last good lists --------------------------------------------------------------- */

void
mcph_more_forget_next(struct mcph_server *server)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct mcph_more *more = &server->more[kind];

        more->next = mcph_listing_unref(more->next);
        more->next_made = mcph_block_unref(more->next_made);
    }
}

static bool
take_list(struct mcph_more *more, struct mcph_listing *listing, struct mcph_block *made)
{
    if (more->listing && mcph_listing_equal(more->listing, listing))
        return false;
    mcph_listing_unref(more->listing);
    more->listing = mcph_listing_ref(listing);
    mcph_block_unref(more->made);
    more->made = mcph_block_ref(made);
    return true;
}

void
mcph_more_commit(struct mcph_server *server)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct mcph_more *more = &server->more[kind];

        if (more->next)
            take_list(more, more->next, more->next_made);
    }
    mcph_more_forget_next(server);
}

bool
mcph_more_listed(struct mcph_server *server, const struct mcph_instance *inst,
                 const struct mcph_made *made)
{
    struct mcph_more *more = &server->more[made->kind];

    if (inst != server->lister)
        return take_list(more, made->listing, made->block);
    mcph_listing_unref(more->next);
    more->next = mcph_listing_ref(made->listing);
    mcph_block_unref(more->next_made);
    more->next_made = mcph_block_ref(made->block);
    return false;
}

void
mcph_more_drop(struct mcph_server *server)
{
    mcph_more_forget_next(server);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        struct mcph_more *more = &server->more[kind];

        more->listing = mcph_listing_unref(more->listing);
        more->block = mcph_block_unref(more->block);
        more->made = mcph_block_unref(more->made);
    }
}

void
mcph_more_restore(struct mcph_server *server, struct mcph_block *const *good)
{
    mcph_more_drop(server);
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (!good[kind])
            continue;
        server->more[kind].listing = mcph_listing_ref(good[kind]->listing);
        server->more[kind].block = mcph_block_ref(good[kind]);
    }
}

/* ---- blocks ------------------------------------------------------------------------ */

static bool
is_current(const struct mcph_server *server, const struct mcph_more *more)
{
    const struct mcph_block *block = more->block;

    if (!more->listing)
        return !block;
    return block && block->listing == more->listing &&
           block->edition == server->edition &&
           mcph_server_same_spec(block->spec, server->spec);
}

static int
refresh_kind(struct mcph_server *server, struct mcph_more *more)
{
    struct mcph_block *block = more->made;
    int r = 0;

    more->made = NULL;
    if (is_current(server, more) || !server->spec) {
        mcph_block_unref(block);
        return 0;
    }
    if (block && (block->listing != more->listing || block->spec != server->spec))
        block = mcph_block_unref(block);
    if (block)
        r = mcph_block_sign(server, block);
    else if (more->listing)
        r = mcph_block_of(server, more->listing, &block, NULL);
    if (r < 0) {
        mcph_block_unref(block);
        return r;
    }
    mcph_block_unref(more->block);
    more->block = block;
    return 0;
}

int
mcph_more_refresh(struct mcph_server *server)
{
    int r = 0;

    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        int s = refresh_kind(server, &server->more[kind]);

        r = s < 0 ? s : r;
    }
    return r;
}

/* ---- problems ---------------------------------------------------------------------- */

void
mcph_more_tell(struct mcph_server *server, int kind, mcphost_error *error)
{
    const char *source = server->source->id, *what = mcph_list_kinds[kind].array;
    char *id = mcph_asprintf("mcp/server/%s/list_error/%s", server->id, what);
    const char *text = error ? mcphost_error_get_message(error) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "mcp_list_error",
                                       .source = source,
                                       .server = server->id,
                                       .message = text,
                                       .severity = MCPHOST_SEVERITY_WARNING};
    char *detail = text ? mcph_problem_detail("serverId", server->id, text) : NULL;

    draft.detail = detail;
    if (error)
        mcph_problem_raise(server->source->journal, &draft);
    else if (server->more[kind].complained)
        mcph_problem_clear(server->source->journal, source, id);
    server->more[kind].complained = error != NULL;
    free(detail);
    free(id);
}
