/* SPDX-License-Identifier: MIT
 *
 * making.c - turn a list that an instance sent into a listing and a block, in steps.
 *
 * A list may have 100,000 tools or megabytes of text.  Other servers must not wait until
 * the whole list is read.  A list of at most MCPH_TURN_BYTES is read at once, as far as
 * one step goes.  The list of an ordinary server is ready in the turn in which it
 * arrives.  A job reads a longer list, or the rest of a list, one step a turn.
 *
 * A struct making is the work on one list.  It belongs to the instance that sent the
 * list.  The work ends with the instance.  A newer list of the same kind from the same
 * instance cancels the older work.
 */
#include <stdlib.h>

#include "workspace/workspace.h"

/* A step may examine four times as many bytes as a connection may read in a turn
 * (MCPH_TURN_BYTES), because examining bytes and names is cheaper than reading a
 * stream. */
#define RATE 4

struct making {
    struct mcph_list link; /* in mcphost_source.makings */
    struct mcphost_source *source;
    struct mcph_instance *inst;
    struct mcph_job job;
    struct mcph_meter meter;
    struct mcph_about *about; /* the server's description of itself; or NULL */
    struct mcph_listing_build *reading;
    struct mcph_block_build *deciding;
    struct mcph_made made;
};

static void
making_free(struct making *m)
{
    mcph_list_remove(&m->link);
    mcph_core_lock(m->source->core);
    mcph_list_remove(&m->job.link);
    mcph_core_unlock(m->source->core);
    mcph_listing_build_free(m->reading);
    mcph_block_build_free(m->deciding);
    mcph_about_unref(m->about);
    mcph_client_list_unref(m->made.list);
    mcph_listing_unref(m->made.listing);
    mcph_block_unref(m->made.block);
    mcphost_error_unref(m->made.error);
    free(m);
}

/* Returns the listing of the server, or of the holders of the instance's seat, that
 * equals `made.listing`.  Returns NULL if neither has an equal listing. */
static struct mcph_listing *
find_known(const struct making *m)
{
    const struct mcph_server *server = m->inst->owner;
    struct mcph_listing *listing = m->made.listing;
    struct mcph_listing *good = m->made.kind == MCPH_LIST_TOOLS
                                    ? server->listing
                                    : server->more[m->made.kind].listing;
    const struct mcph_block *own;

    if (good && mcph_listing_equal(good, listing))
        return good;
    own = m->inst->seat && m->inst->scope
              ? server->source->ws->ops->own_block(m->inst->seat, server, m->made.kind)
              : NULL;
    return own && mcph_listing_equal(own->listing, listing) ? own->listing : NULL;
}

/* Begins to make the block of a list that has been read.  If the list is not the lister's
 * and find_known() finds an equal listing, uses this listing and makes no block.  If
 * memory is short here, the block is made later, when the server is published. */
static void
begin_block(struct making *m)
{
    const struct mcph_server *server = m->inst->owner;
    bool first = m->inst == server->lister;
    struct mcph_spec *spec = first ? server->wanted : server->spec;
    struct mcph_naming naming = mcph_source_naming(m->source);
    struct mcph_listing *known;

    /* If not all dialogs share the instance, take the server's description of itself from
     * the server's last list of tools, because the instance runs the same server. */
    if (m->made.kind == MCPH_LIST_TOOLS)
        m->made.listing->about = mcph_about_ref(
            m->about || !m->inst->scope || !server->listing ? m->about
                                                            : server->listing->about);
    known = first ? NULL : find_known(m);
    if (known) {
        mcph_listing_unref(m->made.listing);
        m->made.listing = mcph_listing_ref(known);
    } else if (spec) {
        m->deciding = mcph_block_begin(spec, &naming, m->made.listing);
    }
}

/* Does one step of reading the list or making its block.  Returns true if nothing is left
 * to do. */
static bool
run_step(struct making *m, size_t *budget)
{
    int r;

    if (m->reading) {
        r = mcph_listing_step(m->reading, budget, &m->made.listing, &m->made.error);
        if (r > 0)
            return false;
        m->reading = mcph_listing_build_free(m->reading);
        if (r == 0)
            begin_block(m);
    }
    if (m->deciding) {
        r = mcph_block_step(m->deciding, budget, &m->made.block);
        if (r > 0)
            return false;
        m->deciding = mcph_block_build_free(m->deciding);
    }
    return true;
}

static void
run_making(struct making *m)
{
    size_t budget = mcph_meter_left(&m->meter, m->source->core), left = RATE * budget;

    if (left == 0 || !run_step(m, &left)) {
        mcph_meter_spend(&m->meter, budget);
        mcph_core_post(m->source->core, &m->job);
        return;
    }
    mcph_list_remove(&m->link); /* take `m` out of the list, because the report may end
                                 * the instance, which frees the makings in the list */
    mcph_report_made(m->inst, &m->made);
    making_free(m);
}

static void
run_job(struct mcph_job *job)
{
    run_making(MCPH_CONTAINER_OF(job, struct making, job));
}

static void
cancel_kind(struct mcphost_source *source, const struct mcph_instance *inst, int kind)
{
    mcph_list_for_each_safe (item, &source->makings) {
        struct making *m = MCPH_LIST_ENTRY(item, struct making, link);

        if (m->inst == inst && m->made.kind == kind)
            making_free(m);
    }
}

void
mcph_making_cancel(struct mcphost_source *source, const struct mcph_instance *inst)
{
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++)
        cancel_kind(source, inst, kind);
}

static size_t
bytes_of(const struct mcph_client_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n_pages; i++)
        n += list->pages[i].frame->len;
    return n;
}

int
mcph_making_begin(struct mcphost_source *source, struct mcph_instance *inst,
                  struct mcph_client_list *list)
{
    size_t max_text = (size_t)mcph_source_policy(source, MCPHOST_OPT_TOOL_TEXT);
    const struct mcph_client_info *info = mcph_client_get_info(inst->client);
    struct making *m = calloc(1, sizeof(*m));

    cancel_kind(source, inst, list->kind);
    if (!m)
        return MCPHOST_E_NOMEM;
    m->source = source;
    m->inst = inst;
    m->job.run = run_job;
    mcph_list_init(&m->job.link);
    mcph_list_append(&source->makings, &m->link);
    m->made.kind = list->kind;
    m->made.list = mcph_client_list_ref(list);
    m->reading = mcph_listing_begin(
        list->kind, list->pages, list->n_pages,
        (size_t)mcph_source_policy(source, MCPHOST_OPT_LIST_TOOLS), max_text);
    if (!m->reading || (info && !inst->scope && list->kind == MCPH_LIST_TOOLS &&
                        mcph_about_new(info, max_text, &m->about) < 0)) {
        making_free(m);
        return MCPHOST_E_NOMEM;
    }
    /* Let a job read a long list, because receiving the list has already taken enough
     * time of this turn. */
    if (bytes_of(list) > MCPH_TURN_BYTES)
        mcph_core_post(source->core, &m->job);
    else
        run_making(m);
    return 0;
}

void
mcph_making_done(struct mcphost_source *source)
{
    while (!mcph_list_empty(&source->makings))
        making_free(MCPH_LIST_ENTRY(source->makings.next, struct making, link));
}
