/* SPDX-License-Identifier: MIT
 *
 * apply.c - apply a configuration: decide which spec each server of a source gets (R95,
 * R99-R105, R114-R116).
 *
 * This file builds the new list of servers next to the present list.  The new list, in
 * the order of the file, then replaces the present list.  Each server gets its new spec.
 * Changes that need no new process are published at once.  After that, the needed
 * processes are started.
 *
 * A configuration that is rejected as a whole changes no server.  A rejected entry leaves
 * the last good edition of its server as it is, and stops the server's lister.  If
 * MCPHOST_LAST_GOOD_NONE is set, a rejected configuration counts as an empty
 * configuration, and a server whose entry is rejected has no tools.
 */
#include <stdlib.h>
#include <string.h>

#include "workspace/workspace.h"

#define AGAIN_MS 1000

/* ---- diagnostics ------------------------------------------------------------------- */

/* Raises the problem of a diagnostic (B.17).  Only the first error of a server becomes
 * its problem.  The other errors are in the configuration's diagnostics.  If there are
 * several files, each file has problems of its own. */
static void
raise_diagnostic(struct mcphost_source *source, const mcphost_config *config,
                 const struct mcph_diag *diag)
{
    const char *slash = diag->part ? "/" : "", *file = diag->part ? diag->file : "";
    char *where = mcph_diag_line(diag);
    char *id = NULL, *detail = NULL;
    struct mcph_problem_draft draft = {.source = source->id,
                                       .server = diag->server,
                                       .message = where,
                                       .severity = MCPHOST_SEVERITY_WARNING,
                                       .sweep = &source->config_sweep};
    struct mcph_config_server *entry =
        diag->server ? mcph_config_find(config, diag->server) : NULL;

    if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR && entry) {
        if (entry->error == diag) {
            id = mcph_asprintf("mcp/server/%s/server_error", diag->server);
            detail = mcph_problem_detail("serverId", diag->server, where);
            draft.kind = "mcp_server_error";
            draft.severity = MCPHOST_SEVERITY_ERROR;
        }
    } else if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR) {
        id = mcph_asprintf("mcp/workspace_config_error%s%s", slash, file);
        detail = mcph_problem_detail("filePath", diag->file, where);
        draft.kind = "mcp_workspace_config_error";
        draft.severity = MCPHOST_SEVERITY_ERROR;
    } else {
        bool sparing = diag->severity == MCPH_DIAGNOSTIC_SPARING;

        id = mcph_asprintf("mcp/config_%s/%s%s%s", sparing ? "error" : "warning",
                           diag->key, slash, file);
        draft.kind = "generic_problem";
        if (sparing)
            draft.severity = MCPHOST_SEVERITY_ERROR;
    }
    draft.id = id;
    draft.detail = detail;
    /* Raise no problem for further errors of a server. */
    if (draft.kind)
        mcph_problem_raise(source->journal, &draft);
    free(id);
    free(detail);
    free(where);
}

/* Warns that a valid server has no manual.  Call this function only if the entries of
 * servers can have manuals, and MCPHOST_OPT_MANUALS is MCPHOST_MANUALS_WANTED (B.5). */
static void
raise_no_manual(struct mcphost_source *source, const struct mcph_config_server *entry)
{
    char *id = mcph_asprintf("mcp/server/%s/no_manual", entry->id);
    char *text = mcph_asprintf("server '%s' has no manual", entry->id);
    char *detail = text ? mcph_problem_detail("serverId", entry->id, text) : NULL;
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .source = source->id,
                                       .server = entry->id,
                                       .message = text,
                                       .detail = detail,
                                       .severity = MCPHOST_SEVERITY_WARNING,
                                       .sweep = &source->config_sweep};

    mcph_problem_raise(source->journal, &draft);
    free(detail);
    free(text);
    free(id);
}

static void
raise_diagnostics(struct mcphost_source *source, const mcphost_config *config)
{
    bool wanted =
        config->has_manuals &&
        mcph_source_policy(source, MCPHOST_OPT_MANUALS) == MCPHOST_MANUALS_WANTED;

    mcph_problem_sweep_begin(source->journal, &source->config_sweep);
    for (size_t i = 0; i < config->diags.n; i++)
        raise_diagnostic(source, config, config->diags.items[i]);
    mcph_provided_raise(source, config, &source->config_sweep);
    for (size_t i = 0; i < config->servers.n && wanted; i++) {
        const struct mcph_config_server *entry = config->servers.items[i];

        if (entry->spec && !entry->spec->manual)
            raise_no_manual(source, entry);
    }
    mcph_problem_sweep_end(source->journal, &source->config_sweep);
}

/* ---- the new list ------------------------------------------------------------------ */

struct shape {
    struct mcph_vec servers; /* the servers of the new configuration, in the
                              * configuration's order */
    struct mcph_map by_id;
    struct mcph_vec made; /* the servers in `servers` that the old list lacks */
};

static void
shape_done(struct shape *shape)
{
    mcph_vec_done(&shape->servers);
    mcph_map_done(&shape->by_id);
    mcph_vec_done(&shape->made);
}

static int
shape_add(struct mcphost_source *source, struct shape *shape, const char *id)
{
    struct mcph_server *server = mcph_map_get(&source->by_id, id, strlen(id));
    int r = mcph_vec_reserve(&shape->servers, 1);

    if (r == 0 && !server) {
        r = mcph_vec_reserve(&shape->made, 1);
        if (r == 0)
            r = mcph_server_new(source, id, &server);
        if (r == 0)
            mcph_vec_add(&shape->made, server);
    }
    if (r == 0)
        r = mcph_map_put(&shape->by_id, server->id, strlen(server->id), server, NULL);
    if (r == 0)
        mcph_vec_add(&shape->servers, server);
    return r;
}

static int
shape_make(struct mcphost_source *source, const mcphost_config *config,
           struct shape *shape)
{
    int r = 0;

    *shape = (struct shape){0};
    for (size_t i = 0; i < config->servers.n && r == 0; i++) {
        const struct mcph_config_server *entry = config->servers.items[i];

        r = shape_add(source, shape, entry->id);
    }
    if (r < 0) {
        for (size_t i = 0; i < shape->made.n; i++)
            mcph_server_free(shape->made.items[i]);
        shape_done(shape);
    }
    return r;
}

/* Exchanges the source's list of servers and the list in `shape`.  `config` becomes the
 * source's configuration. */
static void
shape_swap(struct mcphost_source *source, mcphost_config *config, struct shape *shape)
{
    mcphost_config *old = source->config;
    struct mcph_vec servers = source->servers;
    struct mcph_map by_id = source->by_id;

    mcph_core_lock(source->core);
    source->servers = shape->servers;
    source->by_id = shape->by_id;
    source->config = mcph_config_ref(config);
    for (size_t i = 0; i < config->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];

        server->entry = config->servers.items[i];
        server->of_first_load |= !source->first_load;
    }
    mcph_core_unlock(source->core);
    source->first_load |= config->servers.n > 0;
    shape->servers = servers;
    shape->by_id = by_id;
    mcph_config_unref(old);
}

/* ---- the spec of each server ------------------------------------------------------- */

/* Returns true if the server already has the state MCPHOST_SERVER_CONFIG_INVALID with
 * this diagnostic. */
static bool
has_reported(const struct mcph_server *server, const struct mcph_diag *diag)
{
    mcphost_error *old = server->error;

    if (server->state != MCPHOST_SERVER_CONFIG_INVALID || !old || !diag)
        return server->state == MCPHOST_SERVER_CONFIG_INVALID && !old && !diag;
    return strcmp(mcphost_error_get_message(old), diag->message) == 0 &&
           mcph_streq(mcphost_error_get_file(old), diag->file) &&
           mcphost_error_get_line(old) == diag->line &&
           mcphost_error_get_column(old) == diag->column;
}

static void
want_invalid(struct mcph_server *server)
{
    const struct mcph_diag *diag = server->entry->error;
    const char *why = diag ? diag->message : "its entry is invalid";
    mcphost_error *err = NULL;

    mcph_server_answer(server, why);
    if (mcph_source_keeps_last_good(server->source)) {
        mcph_server_stop_lister(server);
        mcph_timer_cancel(&server->retry);
    } else {
        mcph_server_unwant(server);
    }
    server->attempted = true;
    server->start = false;
    if (has_reported(server, diag))
        return;
    if (diag)
        mcph_err_at(&err, MCPHOST_E_CONFIG, diag->file, diag->line, diag->column, "%s",
                    diag->message);
    mcph_server_set_state(server, MCPHOST_SERVER_CONFIG_INVALID, err);
    mcphost_error_unref(err);
}

static void
want_disabled(struct mcph_server *server)
{
    mcph_server_unwant(server);
    mcph_server_clear_complaint(server);
    if (server->state != MCPHOST_SERVER_DISABLED)
        mcph_server_set_state(server, MCPHOST_SERVER_DISABLED, NULL);
}

static void
want_entry(struct mcph_server *server)
{
    bool held = mcph_server_is_held(server);

    if (server->entry->state == MCPHOST_CONFIG_SERVER_INVALID)
        want_invalid(server);
    else if (held || server->entry->state == MCPHOST_CONFIG_SERVER_DISABLED)
        want_disabled(server);
    else
        mcph_server_want(server, server->entry->spec);
}

/* Removes the servers of the old list that are not in the new list. */
static void
remove_undeclared(struct mcphost_source *source, const struct shape *old)
{
    for (size_t i = 0; i < old->servers.n; i++) {
        struct mcph_server *server = old->servers.items[i];

        if (mcph_map_get(&source->by_id, server->id, strlen(server->id)) != server)
            mcph_server_remove(server);
    }
}

static void
start_wanted(struct mcphost_source *source)
{
    for (size_t i = 0; i < source->servers.n; i++) {
        struct mcph_server *server = source->servers.items[i];

        /* Do not start a server that is rejected and has no good list.  Before a server
         * has listed, only a clash of toolset names can reject it. */
        if (server->start && (server->listing || !server->rejected))
            mcph_server_launch(server);
        else if (server->start)
            mcph_server_answer(server, mcphost_error_get_message(server->error));
        server->start = false;
    }
}

static void
cancel_retry(struct mcphost_source *source)
{
    mcph_timer_cancel(&source->apply_timer);
    source->put_off = mcph_config_unref(source->put_off);
}

/* Keeps `config` and sets the timer that applies it later, because memory is short.  The
 * running servers stay. */
static void
put_off(struct mcphost_source *source, mcphost_config *config)
{
    mcph_log(source->core, MCPHOST_LOG_ERROR, "host", NULL,
             "the configuration is not applied yet: out of memory");
    mcph_config_ref(config);
    cancel_retry(source);
    source->put_off = config;
    mcph_apply_later(source);
    source->started = true;
    source->ws->ops->tried(source->ws->owner);
}

void
mcph_apply_later(struct mcphost_source *source)
{
    mcph_timer_set(&source->apply_timer, mcph_core_now(source->core) + AGAIN_MS);
}

void
mcph_apply_again(struct mcph_timer *timer)
{
    struct mcphost_source *source =
        MCPH_CONTAINER_OF(timer, struct mcphost_source, apply_timer);
    mcphost_config *config = source->put_off;

    if (source->leaving) {
        mcph_source_withdraw(source);
        return;
    }
    if (!config) {
        mcph_apply_providers(source);
        return;
    }
    mcph_config_ref(config);
    mcph_apply_now(source, config, "tried again");
    mcph_config_unref(config);
}

/* Applies a configuration that was read or given.  The entries of providers come before
 * the servers of `config`.  If memory is short, tries again later. */
static void
apply_config(struct mcphost_source *source, mcphost_config *config)
{
    mcphost_config *old = source->given, *all = NULL;
    struct shape shape;

    if (mcph_provided_merge(source, config, &all) < 0 ||
        shape_make(source, all, &shape) < 0) {
        mcph_config_unref(all);
        put_off(source, config);
        return;
    }
    cancel_retry(source);
    source->given = mcph_config_ref(config);
    mcph_config_unref(old);
    shape_swap(source, all, &shape);
    mcph_config_unref(all);
    source->started = source->changed = true;
    for (size_t i = 0; i < source->servers.n; i++)
        want_entry(source->servers.items[i]);
    /* Publish first, because the tools must leave the catalogs before their servers stop
     * (R105, R106). */
    (void)source->ws->ops->publish(source->ws->owner);
    remove_undeclared(source, &shape);
    start_wanted(source);
    shape_done(&shape);
    source->ws->ops->tried(source->ws->owner);
    mcph_source_check_left(source);
}

void
mcph_apply_now(struct mcphost_source *source, mcphost_config *config, const char *why)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_CONFIG,
                                  .state = config->status,
                                  .source = source->id,
                                  .text = why,
                                  .config = config};

    mcph_emit(source->journal, &event);
    raise_diagnostics(source, config);
    mcph_core_lock(source->core);
    source->config_rejected = config->status < 0;
    mcph_core_unlock(source->core);
    source->ws->ops->config_changed(source->ws->owner);
    if (config->status < 0 && source->started && mcph_source_keeps_last_good(source)) {
        mcph_log(source->core, MCPHOST_LOG_WARNING, "host", NULL,
                 "the configuration is rejected; the running servers stay as they are");
        source->ws->ops->tried(source->ws->owner);
        return;
    }
    apply_config(source, config);
}

void
mcph_apply_providers(struct mcphost_source *source)
{
    mcphost_config *config =
        mcph_config_ref(source->put_off ? source->put_off : source->given);

    if (!config)
        config = mcph_config_new("providers", NULL, "", "");
    if (!config) {
        mcph_apply_later(source);
        return;
    }
    raise_diagnostics(source, config);
    source->ws->ops->config_changed(source->ws->owner);
    apply_config(source, config);
    mcph_config_unref(config);
}

int
mcph_apply_nothing(struct mcphost_source *source)
{
    mcphost_config *empty = mcph_config_new("removed", NULL, "", "");

    cancel_retry(source);
    if (!empty)
        return MCPHOST_E_NOMEM;
    mcph_provided_close(source, false);
    mcph_apply_now(source, empty, "removed");
    mcph_config_unref(empty);
    return source->put_off ? MCPHOST_E_NOMEM : 0;
}

/* ---- the end ----------------------------------------------------------------------- */

void
mcph_apply_done(struct mcphost_source *source)
{
    for (size_t i = 0; i < source->servers.n; i++)
        mcph_server_free(source->servers.items[i]);
    mcph_vec_done(&source->servers);
    mcph_map_done(&source->by_id);
    while (!mcph_list_empty(&source->gone))
        mcph_server_free(
            MCPH_LIST_ENTRY(source->gone.next, struct mcph_server, gone_link));
    if (source->open)
        cancel_retry(source);
    mcph_timer_done(&source->apply_timer);
    mcph_config_unref(source->config);
    source->config = NULL;
    source->given = mcph_config_unref(source->given);
    source->loading = mcph_config_unref(source->loading);
    mcph_provided_close(source, true);
}
