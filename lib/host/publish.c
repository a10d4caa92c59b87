/* SPDX-License-Identifier: MIT
 *
 * publish.c - make the next catalog of each view, and publish it by swapping one pointer
 * (R95, R97, R113).
 *
 * Several lists that come in within one turn of the dispatcher make one catalog.  For
 * each tool or server that a catalog leaves out, the host raises a problem with the
 * reason (R118).  The host clears the problems that no longer hold.
 *
 * A block is a server's list under the filters and names of the server's configuration.
 * A stack has the blocks of one view (stack.c).  A finding is one reason why a block or a
 * catalog leaves out or changes an element or a server.
 */
#include <stdlib.h>
#include <string.h>

#include "host/dialog.h"
#include "host/host.h"
#include "host/publish.h"
#include "host/subscription.h"
#include "host/view.h"
#include "names/names.h"

/* Returns the present catalog of the dialog or, if the dialog has no catalog of its own,
 * of the stack.  In the next catalog, names stay with the servers that have them in the
 * present catalog. */
static const mcphost_catalog *
catalog_before(const struct mcph_stack *stack, const mcphost_dialog *dialog)
{
    return dialog && dialog->catalog ? dialog->catalog : stack->catalog;
}

/* Makes a catalog of `offers`, and frees the contents of `offers`.  The catalog gets its
 * version when it is swapped in, under the lock. */
static int
build_catalog(const struct mcph_stack *stack, const mcphost_dialog *dialog,
              struct mcph_offers *offers, mcphost_catalog **ret)
{
    int r = mcph_catalog_new(0, catalog_before(stack, dialog), offers->items, offers->n,
                             ret, NULL);

    mcph_offers_done(offers);
    return r;
}

int
mcph_publish_build(struct mcph_stack *stack, mcphost_dialog *dialog,
                   mcphost_catalog **ret)
{
    struct mcph_offers offers;
    int r;

    mcph_core_lock(stack->host->core);
    r = mcph_stack_offer_locked(stack, dialog, &offers);
    mcph_core_unlock(stack->host->core);
    return r < 0 ? r : build_catalog(stack, dialog, &offers, ret);
}

/* Returns the stack with this index.  Stack 0 belongs to the default view.  The other
 * stacks belong to `views`, in order. */
static struct mcph_stack *
stack_at(mcphost *host, const struct mcph_vec *views, size_t i)
{
    mcphost_view *view = i == 0 ? &host->view : views->items[i - 1];

    return &view->own;
}

/* ---- findings ---------------------------------------------------------------------- */

static struct mcph_realm *
realm_of(const mcphost_server *entry)
{
    const struct mcph_server *server = entry->block->owner;

    return server ? &server->source->realm : NULL;
}

/* Copies a text that came from a server.  Masks the secrets of that server.  If another
 * server already has the tool's name, also masks the secrets of that other server. */
static char *
masked_text(const mcphost_catalog *catalog, const mcphost_server *entry,
            const struct mcph_finding *finding, const char *text)
{
    const struct mcph_realm *realm = realm_of(entry);
    const mcphost_server *owner = finding->owner && !finding->owner_builtin
                                      ? mcph_catalog_server(catalog, finding->owner)
                                      : NULL;
    char *copy = text && realm
                     ? mcph_mask_copy(mcph_realm_get_mask(realm, finding->server), text)
                     : NULL;

    if (copy && owner && realm_of(owner))
        mcph_mask_text(mcph_realm_get_mask(realm_of(owner), owner->block->id), copy,
                       strlen(copy));
    return copy;
}

/* Begins the problem's id with the view's name, if a view other than the default view has
 * left the tool out.  The name is needed, because other views may show the tool. */
static void
add_view(struct mcph_buf *id, const struct mcph_stack *stack,
         const struct mcph_finding *finding)
{
    if (!stack->name || !finding->of_view)
        return;
    mcph_buf_adds(id, "view/");
    mcph_buf_adds(id, stack->name);
    mcph_buf_addc(id, '/');
}

static void
raise_finding(const struct mcph_stack *stack, const mcphost_catalog *catalog, size_t i)
{
    mcphost *host = stack->host;
    const struct mcph_finding *told = catalog->findings.items[i];
    const mcphost_server *entry = catalog->finders.items[i];
    char *tool = masked_text(catalog, entry, told, told->tool);
    char *renamed = masked_text(catalog, entry, told, told->renamed);
    struct mcph_finding shown = *told, *finding = &shown;
    struct mcph_problem_draft draft = {.kind = mcph_finding_kind_name(finding),
                                       .source = entry->block->source,
                                       .server = finding->server,
                                       .severity = finding->severity,
                                       .sweep = &host->catalog_sweep};
    struct mcph_buf id, message, detail;

    shown.tool = tool;
    shown.renamed = renamed;
    mcph_buf_init(&id, 64 * 1024);
    mcph_buf_init(&message, 64 * 1024);
    mcph_buf_init(&detail, 256 * 1024);
    if ((told->tool && !tool) || (told->renamed && !renamed))
        goto out;
    add_view(&id, stack, finding);
    mcph_finding_add_id(&id, finding);
    mcph_finding_add_message(&message, finding);
    mcph_finding_add_detail(&detail, finding);
    /* If memory was short for the id or the message, mcph_problem_raise() only logs the
     * problem. */
    draft.id = mcph_buf_text(&id);
    draft.message = mcph_buf_text(&message);
    draft.detail = mcph_buf_text(&detail);
out:
    mcph_problem_raise(&host->journal, &draft);
    mcph_buf_done(&id);
    mcph_buf_done(&message);
    mcph_buf_done(&detail);
    free(tool);
    free(renamed);
}

/* Raises the findings of all catalogs as problems.  One sweep is used for all stacks,
 * because a fault in a server's own block is found in the catalog of each stack. */
static void
raise_findings(mcphost *host, const struct mcph_vec *views)
{
    mcph_problem_sweep_begin(&host->journal, &host->catalog_sweep);
    for (size_t v = 0; v <= views->n; v++) {
        const struct mcph_stack *stack = stack_at(host, views, v);
        const mcphost_catalog *catalog = stack->catalog;

        for (size_t i = 0; catalog && i < catalog->findings.n; i++)
            raise_finding(stack, catalog, i);
    }
    mcph_problem_sweep_end(&host->journal, &host->catalog_sweep);
}

/* ---- publishing -------------------------------------------------------------------- */

/* Puts the catalog in the place of the stack's catalog.  Returns the old catalog.  Call
 * this under the lock. */
static mcphost_catalog *
swap_catalog(struct mcph_stack *stack, mcphost_catalog *catalog)
{
    mcphost_catalog *old = stack->catalog;

    catalog->version = ++stack->host->version;
    stack->catalog = catalog;
    return old;
}

int
mcph_publish_locked(mcphost *host, mcphost_catalog **ret_old)
{
    struct mcph_stack *stack = &host->view.own;
    struct mcph_offers offers;
    mcphost_catalog *catalog;
    int r = mcph_stack_offer_locked(stack, NULL, &offers);

    if (r == 0)
        r = build_catalog(stack, NULL, &offers, &catalog);
    if (r == 0)
        *ret_old = swap_catalog(stack, catalog);
    return r;
}

/* Makes the next catalog of a stack and swaps it in.  Returns 1 if the catalog is new, 0
 * if nothing has changed, or an error code. */
static int
publish_stack(struct mcph_stack *stack)
{
    mcphost *host = stack->host;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CATALOG, .text = stack->name};
    mcphost_catalog *catalog, *old;
    int r;

    mcph_core_lock(host->core);
    r = mcph_stack_shows_change(stack);
    stack->dirty = false;
    mcph_core_unlock(host->core);
    if (!r && stack->catalog)
        return 0;
    r = mcph_publish_build(stack, NULL, &catalog);
    if (r < 0) {
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the catalog stays as it is: %s", mcphost_strerror(r));
        mcph_core_lock(host->core);
        stack->dirty = true;
        mcph_core_unlock(host->core);
        return r;
    }
    if (stack->catalog && mcph_catalog_same(stack->catalog, catalog)) {
        mcph_catalog_unref(catalog);
        return 0;
    }
    mcph_core_lock(host->core);
    old = swap_catalog(stack, catalog);
    event.version = host->version;
    mcph_core_unlock(host->core);
    mcph_catalog_unref(old);
    mcph_emit(&host->journal, &event);
    return 1;
}

/* ---- the servers after a publication ----------------------------------------------- */

const struct mcph_finding *
mcph_publish_find_rejection(const mcphost_catalog *catalog,
                            const struct mcph_server *server)
{
    for (size_t i = 0; i < catalog->findings.n; i++) {
        const struct mcph_finding *finding = catalog->findings.items[i];
        const mcphost_server *entry = catalog->finders.items[i];

        if (finding->kind == MCPH_FINDING_SERVER && entry->block->owner == server)
            return finding;
    }
    return NULL;
}

/* For one server: the number of catalogs with an entry of the server, the number of these
 * catalogs that leave the server out, and the largest number of tools of the server that
 * one catalog shows. */
struct views_of {
    size_t n, n_rejected, tools;
    const mcphost_catalog *rejected; /* a catalog that leaves the server out */
};

static struct views_of
look_around(mcphost *host, const struct mcph_vec *views, const struct mcph_server *server)
{
    struct views_of seen = {0};

    for (size_t v = 0; v <= views->n; v++) {
        const mcphost_catalog *catalog = stack_at(host, views, v)->catalog;
        const mcphost_server *entry =
            catalog && server->block ? mcph_catalog_entry(catalog, server->block) : NULL;

        if (!entry || entry->block->owner != server)
            continue;
        seen.n++;
        if (entry->n_tools > seen.tools)
            seen.tools = entry->n_tools;
        if (entry->rejected) {
            seen.n_rejected++;
            seen.rejected = catalog;
        }
    }
    return seen;
}

/* Makes the state of a server MCPHOST_SERVER_UNAVAILABLE, because the catalogs leave the
 * server out.  The error of the server is the finding of `catalog`. */
static void
reject_edition(struct mcph_server *server, const mcphost_catalog *catalog)
{
    const struct mcph_finding *finding;
    mcphost_error *err = NULL;
    struct mcph_buf text;
    const char *why;

    server->attempted = true;
    if (server->state == MCPHOST_SERVER_UNAVAILABLE)
        return;
    mcph_buf_init(&text, 64 * 1024);
    finding = mcph_publish_find_rejection(catalog, server);
    if (finding)
        mcph_finding_add_message(&text, finding);
    why = mcph_buf_text(&text);
    mcph_err(&err, MCPHOST_E_EXISTS, "%s", why ? why : "");
    mcph_server_set_state(server, MCPHOST_SERVER_UNAVAILABLE, err);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
}

static void
mark_loaded(struct mcph_server *server)
{
    struct mcph_core *core = server->source->core;
    int64_t took = mcph_core_now(core) - server->load_began;

    if (server->state == MCPHOST_SERVER_LOADED && !server->committed)
        return;
    mcph_core_lock(core);
    if (server->start_ms < 0)
        server->start_ms = took;
    mcph_core_unlock(core);
    mcph_server_set_state(server, MCPHOST_SERVER_LOADED, NULL);
    server->attempted = true;
}

/* If memory was too short to publish the changes of a server, sets the server's state.
 * A loaded server, and a server whose entry is invalid or disabled, keep their state.
 * Any other server becomes unavailable. */
static void
note_unpublished(struct mcph_server *server)
{
    mcphost_error *err = NULL;

    if (server->state == MCPHOST_SERVER_LOADED ||
        server->entry->state != MCPHOST_CONFIG_SERVER_VALID)
        return;
    mcph_err_nomem(&err);
    mcph_server_unavailable(server, err);
    mcphost_error_unref(err);
}

/* Returns true if the published block shows the last good list, and the entry is
 * valid. */
static bool
is_fresh(const struct mcph_server *server)
{
    return server->listing && server->block &&
           server->block->listing == server->listing &&
           server->entry->state == MCPHOST_CONFIG_SERVER_VALID;
}

/* Answers the calls that wait for a restart of the server. */
static void
answer_orders(struct mcph_server *server, bool published)
{
    if (!published || server->block->listing != server->listing)
        mcph_server_answer(server, "out of memory");
    else if (server->rejected)
        mcph_server_answer(server, mcphost_error_get_message(server->error));
    else
        mcph_server_answer(server, NULL);
}

/* Sets the state of a server after a publication that returned `r`. */
static void
update_server(mcphost *host, const struct mcph_vec *views, struct mcph_server *server,
              int r)
{
    struct views_of seen = look_around(host, views, server);

    mcph_core_lock(host->core);
    server->tools = seen.tools;
    mcph_core_unlock(host->core);
    server->rejected = seen.n > 0 && seen.n_rejected == seen.n;
    /* Decide about the rejection of every server, because another server's list may have
     * freed or taken a name. */
    if (server->rejected && (server->start || (r == 0 && is_fresh(server))))
        reject_edition(server, seen.rejected);
    else if (r == 0 && is_fresh(server))
        mark_loaded(server);
    else if (server->dirty && server->listing)
        note_unpublished(server);
    if (server->dirty && r == 0)
        mcph_server_retire(server);
    if (server->committed)
        server->failures = 0;
    if (server->committed && server->listing)
        answer_orders(server, r == 0 && server->block);
    server->dirty = server->committed = false;
}

static void
tell_all(mcphost *host, const struct mcph_vec *views, int r)
{
    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link) {
        for (size_t i = 0; i < source->servers.n; i++)
            update_server(host, views, source->servers.items[i], r);
        source->changed &= r < 0;
    }
}

static int
publish_views(mcphost *host, const struct mcph_vec *views)
{
    bool any = false;
    int r = 0, s;

    for (size_t v = 0; v <= views->n; v++) {
        s = publish_stack(stack_at(host, views, v));
        any |= s > 0;
        if (s < 0)
            r = s;
    }
    raise_findings(host, views);
    if (any) {
        mcph_own_republish(host);
        mcph_views_recheck(host);
    }
    tell_all(host, views, r);
    return r;
}

int
mcph_publish_now(mcphost *host)
{
    struct mcph_vec views = {0};
    int r = MCPHOST_E_NOMEM;

    mcph_list_for_each_entry (source, &host->workspace.sources, mcphost_source, link)
        mcph_blocks_refresh(source);
    if (mcph_views_collect(host, true, &views)) {
        mcph_review(host, &views);
        r = publish_views(host, &views);
    } else {
        mcph_log(host->core, MCPHOST_LOG_ERROR, "host", NULL,
                 "the catalogs stay as they are: out of memory");
        tell_all(host, &views, r);
    }
    mcph_views_release(&views);
    mcph_subscriptions_look_soon(host);
    mcph_host_check_ready(host);
    return r;
}

void
mcph_publish_soon_locked(mcphost *host)
{
    if (host->publishing || !host->loaded)
        return;
    host->publishing = true;
    mcph_core_post_locked(host->core, &host->publish_job);
}

void
mcph_publish_soon(mcphost *host)
{
    mcph_core_lock(host->core);
    mcph_publish_soon_locked(host);
    mcph_core_unlock(host->core);
}

/* Returns false if the host is closing or has ended, or if a direct call of
 * mcph_publish_now() has done the job's work already. */
static bool
is_needed(mcphost *host)
{
    bool needed;

    mcph_core_lock(host->core);
    host->publishing = false;
    needed = host->view.own.dirty;
    mcph_list_for_each_entry (view, &host->views, const mcphost_view, link)
        needed |= view->own.dirty;
    mcph_core_unlock(host->core);
    if (host->closing || host->ended)
        return false;
    mcph_list_for_each_entry (source, &host->workspace.sources, const mcphost_source,
                              link) {
        for (size_t i = 0; i < source->servers.n && !needed; i++) {
            const struct mcph_server *server = source->servers.items[i];

            needed = server->dirty;
        }
    }
    return needed;
}

void
mcph_publish_job(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, publish_job);

    if (is_needed(host))
        (void)mcph_publish_now(host);
}
