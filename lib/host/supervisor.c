/* SPDX-License-Identifier: MIT
 *
 * supervisor.c - declared servers become running ones (R95, R100, R110, R116).
 *
 *   STARTING --listed, published--> LOADED
 *      \______ down, refused ______> UNAVAILABLE
 *
 * All servers start at once, as many as the pool's slots allow; each is
 * published alone, and what is wrong with one costs that one.  The instance
 * that listed the tools of a server stays for a while as the spare: it becomes
 * everybody's when the server is stateless, else the first dialog's lease, and
 * never serves a second one.
 */
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

/* ---- state ------------------------------------------------------------------------ */

struct mcph_server *
mcph_server_find(mcphost *host, const char *id)
{
    return host->started ? mcph_map_get(&host->by_id, id, strlen(id)) : NULL;
}

void
mcph_server_set_state(struct mcph_server *server, int state, mcphost_error *error)
{
    mcphost *host = server->host;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_SERVER,
                                  .state = state,
                                  .server = server->entry->id,
                                  .error = error};
    mcphost_error *old;

    mcph_core_lock(host->core);
    old = server->error;
    server->state = state;
    server->error = mcphost_error_ref(error);
    mcph_core_unlock(host->core);
    mcphost_error_unref(old);
    mcph_emit(host, &event);
}

void
mcph_server_set_pid(struct mcph_server *server, int64_t pid)
{
    mcph_core_lock(server->host->core);
    server->pid = pid;
    mcph_core_unlock(server->host->core);
}

/* The first attempt is over, well or badly. */
static void
attempted(struct mcph_server *server)
{
    server->attempted = true;
    mcph_host_check_ready(server->host);
}

void
mcph_server_unavailable(struct mcph_server *server, mcphost_error *error)
{
    server->complained = true;
    mcph_problem_server(server->host, server->entry->id, MCPHOST_SEVERITY_ERROR,
                        mcphost_error_get_message(error));
    mcph_server_set_state(server, MCPHOST_SERVER_UNAVAILABLE, error);
    attempted(server);
}

/* ---- the spare ----------------------------------------------------------------------- */

struct mcph_instance *
mcph_server_take_spare(struct mcph_server *server)
{
    struct mcph_instance *spare = server->spare;

    server->spare = NULL;
    mcph_timer_cancel(&server->spare_timer);
    if (spare && !server->spec->stateless)
        mcph_server_set_pid(server, 0);
    return spare && mcph_instance_usable(spare) ? spare : NULL;
}

static void
on_spare_timer(struct mcph_timer *timer)
{
    struct mcph_server *server =
        MCPH_CONTAINER_OF(timer, struct mcph_server, spare_timer);
    struct mcph_instance *spare = mcph_server_take_spare(server);

    if (spare)
        mcph_instance_close(spare, false);
}

/* The lister has done its work: what becomes of it. */
static void
keep_lister(struct mcph_server *server, struct mcph_instance *inst)
{
    mcphost *host = server->host;
    int64_t wait = host->options[MCPHOST_OPT_FIRST_LEASE_WAIT];

    server->lister = NULL;
    server->spare = inst;
    if (server->spec->stateless)
        return;
    if (wait == 0)
        on_spare_timer(&server->spare_timer);
    else
        mcph_timer_set(&server->spare_timer, mcph_core_now(host->core) + wait);
}

/* ---- what instances report --------------------------------------------------------------- */

static void
tell_instance(struct mcph_instance *inst, mcphost_error *reason)
{
    struct mcph_server *server = inst->owner;
    struct mcphost_event event = {.kind = MCPHOST_EVENT_INSTANCE,
                                  .state = inst->state,
                                  .server = inst->spec->id,
                                  .dialog = inst->dialog,
                                  .pid = inst->pid,
                                  .error = reason};

    mcph_emit(server->host, &event);
}

/* Whether its process is the one that the server's status names. */
static bool
is_main(const struct mcph_server *server, const struct mcph_instance *inst)
{
    return inst == server->lister || inst == server->spare ||
           (inst->lease && inst->lease == server->shared);
}

static void
on_ready(struct mcph_server *server, struct mcph_instance *inst)
{
    const struct mcph_client_info *info = mcph_client_get_info(inst->client);

    mcph_core_lock(server->host->core);
    server->version = info->version;
    mcph_core_unlock(server->host->core);
    if (inst->lease)
        mcph_leasing_ready(server->host, inst->lease);
}

static void
on_dead(struct mcph_server *server, struct mcph_instance *inst, mcphost_error *reason)
{
    if (inst->lease && inst->dialog)
        mcph_own_drop(server, inst->lease->scope);
    if (inst == server->spare)
        mcph_server_take_spare(server);
    if (inst == server->lister) {
        server->lister = NULL;
        /* Without a reason the host is closing. */
        if (reason)
            mcph_server_unavailable(server, reason);
    }
}

static void
on_state(struct mcph_instance *inst, mcphost_error *reason, void *arg)
{
    struct mcph_server *server = inst->owner;

    (void)arg;
    if (is_main(server, inst))
        mcph_server_set_pid(server, inst->state == MCPHOST_INSTANCE_DEAD ? 0 : inst->pid);
    if (reason)
        mcph_log(server->host->core, MCPHOST_LOG_WARNING, "host", inst->spec->id, "%s",
                 mcphost_error_get_message(reason));
    tell_instance(inst, reason);
    if (inst->state == MCPHOST_INSTANCE_READY)
        on_ready(server, inst);
    if (inst->state == MCPHOST_INSTANCE_DEAD)
        on_dead(server, inst, reason);
}

static void
refuse_list(struct mcph_server *server, struct mcph_instance *inst, mcphost_error *error)
{
    bool first = inst == server->lister;

    mcph_log(server->host->core, MCPHOST_LOG_WARNING, "host", server->entry->id, "%s",
             mcphost_error_get_message(error));
    if (!first)
        return; /* the last good list stays */
    server->lister = NULL;
    mcph_server_set_pid(server, 0);
    mcph_server_unavailable(server, error);
    mcph_instance_close(inst, true);
}

/* A list that ended early is a problem until one does not. */
static void
tell_cut(struct mcph_server *server, const struct mcph_client_list *list)
{
    if (list->cut)
        mcph_problem_server(server->host, server->entry->id, MCPHOST_SEVERITY_WARNING,
                            mcphost_error_get_message(list->cut));
    else if (server->complained)
        mcph_problem_server_clear(server->host, server->entry->id);
    server->complained = list->cut != NULL;
}

static void
on_listed(struct mcph_instance *inst, struct mcph_client_list *list, mcphost_error *error,
          void *arg)
{
    struct mcph_server *server = inst->owner;
    mcphost *host = arg;
    struct mcph_listing *listing = NULL;
    mcphost_error *err = NULL;

    /* A leased client's list changes nobody else's tools (architecture 2). */
    if (inst->dialog) {
        if (inst->lease)
            mcph_own_listed(server, inst->lease->scope, list, error);
        return;
    }
    if (error) {
        refuse_list(server, inst, error);
        return;
    }
    if (mcph_listing_new(list->pages, list->n_pages,
                         (size_t)host->options[MCPHOST_OPT_LIST_TOOLS], &listing,
                         &err) < 0) {
        mcph_err_set_server(err, server->entry->id);
        refuse_list(server, inst, err);
        mcphost_error_unref(err);
        return;
    }
    tell_cut(server, list);
    if (inst == server->lister)
        keep_lister(server, inst);
    if (server->listing && mcph_listing_equal(server->listing, listing)) {
        mcph_listing_unref(listing);
        return;
    }
    mcph_listing_unref(server->listing);
    server->listing = listing;
    server->dirty = true;
    if (!host->publishing) {
        host->publishing = true;
        mcph_core_post(host->core, &host->publish_job);
    }
}

static void
on_tools_changed(struct mcph_instance *inst, void *arg)
{
    mcphost *host = arg;
    int r;

    if (inst->state != MCPHOST_INSTANCE_READY)
        return;
    r = mcph_client_list_tools(inst->client);
    if (r < 0)
        mcph_log(host->core, MCPHOST_LOG_WARNING, "host", inst->spec->id,
                 "its changed tools cannot be listed: %s", mcphost_strerror(r));
}

static void
on_log(struct mcph_instance *inst, struct mcph_span level, struct mcph_span data,
       void *arg)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_LOG,
                                  .server = inst->spec->id,
                                  .dialog = inst->dialog,
                                  .pid = inst->pid,
                                  .data = data.p,
                                  .data_len = data.len};
    char *text = NULL;

    if (mcph_json_type(level) == MCPH_JSON_STRING &&
        mcph_json_string_dup(level, &text) == 0)
        event.level = text;
    mcph_emit(arg, &event);
    free(text);
}

static void
on_stderr_line(struct mcph_instance *inst, const char *line, void *arg)
{
    struct mcphost_event event = {.kind = MCPHOST_EVENT_LOG,
                                  .server = inst->spec->id,
                                  .dialog = inst->dialog,
                                  .pid = inst->pid,
                                  .text = line};

    mcph_emit(arg, &event);
}

static void
on_noise(struct mcph_instance *inst, const char *text, void *arg)
{
    mcphost *host = arg;
    char *id = mcph_asprintf("mcp/server/%s/stdout_noise", inst->spec->id);
    char *message = mcph_asprintf("server '%s': wrote something to stdout that is no "
                                  "protocol message; logs belong on stderr: %s",
                                  inst->spec->id, text);
    struct mcph_problem_draft draft = {.id = id,
                                       .kind = "generic_problem",
                                       .server = inst->spec->id,
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    mcph_problem_raise(host, &draft);
    free(id);
    free(message);
}

static void
on_unguarded(struct mcph_instance *inst, mcphost_error *reason, void *arg)
{
    char *message = mcph_asprintf("servers run without mcphost-guard, so processes that "
                                  "they leave behind may survive a crash of the host: %s",
                                  mcphost_error_get_message(reason));
    struct mcph_problem_draft draft = {.id = "mcp/unguarded",
                                       .kind = "generic_problem",
                                       .message = message,
                                       .severity = MCPHOST_SEVERITY_WARNING};

    (void)inst;
    mcph_problem_raise(arg, &draft);
    free(message);
}

static void
on_closed(void *arg)
{
    mcphost *host = arg;

    mcph_emit(host, &host->closed_event);
    mcph_core_set_closed(host->core);
}

const struct mcph_pool_ops mcph_supervisor_ops = {
    .state = on_state,
    .listed = on_listed,
    .tools_changed = on_tools_changed,
    .log = on_log,
    .stderr_line = on_stderr_line,
    .noise = on_noise,
    .unguarded = on_unguarded,
    .closed = on_closed,
};

/* ---- loading ------------------------------------------------------------------------------ */

static void
server_free(struct mcph_server *server)
{
    if (server->host->recent == server)
        server->host->recent = NULL;
    mcph_timer_done(&server->spare_timer);
    mcph_block_unref(server->block);
    mcph_listing_unref(server->listing);
    mcphost_error_unref(server->error);
    free(server);
}

/* What can fail for want of memory is done here, on the caller's thread. */
static int
server_new(mcphost *host, const struct mcph_config_server *entry,
           struct mcph_vec *servers, struct mcph_map *by_id)
{
    struct mcph_server *server = calloc(1, sizeof(*server));
    int r;

    if (!server)
        return MCPHOST_E_NOMEM;
    server->host = host;
    server->entry = entry;
    server->start_ms = -1;
    server->state = MCPHOST_SERVER_STARTING;
    if (entry->state == MCPHOST_CONFIG_SERVER_INVALID)
        server->state = MCPHOST_SERVER_CONFIG_INVALID;
    else if (entry->state == MCPHOST_CONFIG_SERVER_DISABLED)
        server->state = MCPHOST_SERVER_DISABLED;
    else
        server->spec = entry->spec;
    server->attempted = !server->spec;
    r = server->spec ? mcph_block_new_server(server->spec, NULL, &server->block, NULL)
                     : 0;
    if (r == 0)
        r = mcph_vec_add(servers, server);
    if (r < 0) {
        server_free(server);
        return r;
    }
    if (entry->state == MCPHOST_CONFIG_SERVER_INVALID && entry->error)
        mcph_err_at(&server->error, MCPHOST_E_CONFIG, entry->error->file,
                    entry->error->line, entry->error->column, "%s",
                    entry->error->message);
    return mcph_map_put(by_id, entry->id, strlen(entry->id), server, NULL);
}

static void
free_servers(struct mcph_vec *servers, struct mcph_map *by_id)
{
    for (size_t i = 0; i < servers->n; i++)
        server_free(servers->items[i]);
    mcph_vec_done(servers);
    mcph_map_done(by_id);
}

/* Which problem a diagnostic is (B.17).  A server's errors are one problem, its
 * first; the diagnostics of the configuration have them all. */
static void
raise_diagnostic(mcphost *host, const mcphost_config *config,
                 const struct mcph_diag *diag)
{
    char *where = mcph_asprintf("%s:%d:%d: %s", diag->file, diag->line, diag->column,
                                diag->message);
    char *id = NULL;
    struct mcph_problem_draft draft = {
        .server = diag->server, .message = where, .severity = MCPHOST_SEVERITY_WARNING};
    struct mcph_config_server *entry =
        diag->server ? mcph_config_find(config, diag->server) : NULL;

    if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR && entry) {
        if (entry->error == diag)
            mcph_problem_server(host, diag->server, MCPHOST_SEVERITY_ERROR, where);
    } else if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR) {
        draft.kind = "mcp_workspace_config_error";
        draft.id = "mcp/workspace_config_error";
        draft.severity = MCPHOST_SEVERITY_ERROR;
        draft.detail = mcph_problem_detail("filePath", diag->file, where);
        mcph_problem_raise(host, &draft);
        free((char *)(uintptr_t)draft.detail);
    } else {
        id = mcph_asprintf("mcp/config_warning/%s", diag->key);
        draft.kind = "generic_problem";
        draft.id = id;
        mcph_problem_raise(host, &draft);
    }
    free(id);
    free(where);
}

static void
start(struct mcph_server *server)
{
    mcphost_error *err = NULL;

    server->load_began = mcph_core_now(server->host->core);
    if (mcph_timer_init(&server->spare_timer, server->host->core, on_spare_timer) == 0 &&
        mcph_instance_new(server->host->pool, server->spec, MCPH_INSTANCE_LISTING, 0,
                          server, &server->lister) == 0)
        return;
    mcph_err_nomem(&err);
    mcph_server_unavailable(server, err);
    mcphost_error_unref(err);
}

static void
run_load(struct mcph_job *job)
{
    mcphost *host = MCPH_CONTAINER_OF(job, mcphost, load_job);
    const mcphost_config *config = host->config;
    bool over;

    mcph_core_lock(host->core);
    over = host->closing || host->ended;
    mcph_core_unlock(host->core);
    if (over)
        return;
    host->started = true;
    for (size_t i = 0; i < config->diags.n; i++)
        raise_diagnostic(host, config, config->diags.items[i]);
    mcph_publish(host);
    for (size_t i = 0; i < host->servers.n; i++) {
        struct mcph_server *server = host->servers.items[i];

        /* With nothing listed yet only its id can be in the way. */
        if (server->spec && !mcph_publish_rejected(server))
            start(server);
    }
    mcph_host_check_ready(host);
}

int
mcph_supervisor_load(mcphost *host, mcphost_config *config)
{
    struct mcph_vec servers = {0};
    struct mcph_map by_id = {0};
    int r = 0;

    for (size_t i = 0; i < config->servers.n && r == 0; i++)
        r = server_new(host, config->servers.items[i], &servers, &by_id);
    if (r < 0) {
        free_servers(&servers, &by_id);
        return r;
    }
    mcph_core_lock(host->core);
    host->servers = servers;
    host->by_id = by_id;
    host->config = mcph_config_ref(config);
    host->load_job.run = run_load;
    mcph_list_init(&host->load_job.link);
    mcph_core_post_locked(host->core, &host->load_job);
    mcph_core_unlock(host->core);
    return 0;
}

void
mcph_supervisor_done(mcphost *host)
{
    free_servers(&host->servers, &host->by_id);
    mcph_config_unref(host->config);
    host->config = NULL;
}
