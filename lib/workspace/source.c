/* SPDX-License-Identifier: MIT
 *
 * source.c - a source: its life, its policies, and the reading of the files that it
 * follows.
 *
 *   made --follow, or a configuration--> loaded --remove--> leaving --> no server left
 *
 * Files are read on the dispatcher.  A source that is removed applies an empty
 * configuration.  The servers of the source then end as if an edit had removed them.
 */
#include <stdlib.h>
#include <string.h>

#include "workspace/workspace.h"

static int read_and_apply(struct mcphost_source *source, const char *why,
                          mcphost_error **reterr);

/* ---- policies ---------------------------------------------------------------------- */

static int
name_policy(const struct mcphost_source *source)
{
    switch (mcph_source_policy(source, MCPHOST_OPT_NAMES)) {
    case MCPHOST_NAMES_SERVER:
        return MCPH_NAME_POLICY_SERVER;
    case MCPHOST_NAMES_FULL:
        return MCPH_NAME_POLICY_FULL;
    case MCPHOST_NAMES_CALLBACK:
        return MCPH_NAME_POLICY_CALLBACK;
    default:
        return MCPH_NAME_POLICY_TRANSFORMS;
    }
}

struct mcph_naming
mcph_source_naming(const struct mcphost_source *source)
{
    struct mcph_naming naming = {.policy = name_policy(source)};

    if (source->namer) {
        naming.fn = (mcphost_name_fn)source->namer->fn;
        naming.arg = source->namer->arg;
    }
    return naming;
}

bool
mcph_source_serves_removed(const struct mcphost_source *source)
{
    return mcph_source_policy(source, MCPHOST_OPT_REMOVED) == MCPHOST_REMOVED_SERVE;
}

bool
mcph_source_keeps_last_good(const struct mcphost_source *source)
{
    return mcph_source_policy(source, MCPHOST_OPT_LAST_GOOD) == MCPHOST_LAST_GOOD_KEEP;
}

bool
mcph_source_keeps_names(const struct mcphost_source *source)
{
    int64_t holders = mcph_source_policy(source, MCPHOST_OPT_HOLDERS);

    return source->settled && holders == MCPHOST_HOLDERS_KEEP;
}

bool
mcph_source_rejects_collisions(const struct mcphost_source *source)
{
    int64_t collision = mcph_source_policy(source, MCPHOST_OPT_COLLISION);

    return collision == MCPHOST_COLLISION_REJECT;
}

/* ---- reading ----------------------------------------------------------------------- */

/* Sets *reterr to the reason why the configuration was rejected as a whole.  Returns the
 * configuration's status. */
static int
report_rejection(const mcphost_config *config, mcphost_error **reterr)
{
    for (size_t i = 0; i < config->diags.n; i++) {
        const struct mcph_diag *diag = config->diags.items[i];

        if (diag->severity == MCPHOST_DIAGNOSTIC_ERROR && !diag->server)
            return mcph_err_at(reterr, config->status, diag->file, diag->line,
                               diag->column, "%s", diag->message);
    }
    return mcph_err(reterr, config->status, "the configuration is rejected");
}

/* Handles a failed reading.  Reading fails only if memory is short.  The files are read
 * again soon.  The host's readiness does not wait for this second reading. */
static void
report_unread(struct mcphost_source *source, const mcphost_error *err)
{
    mcph_log(source->core, MCPHOST_LOG_ERROR, "host", NULL,
             "the configuration cannot be read yet: %s", mcphost_error_get_message(err));
    mcph_follow_unread(&source->follow);
    source->started = true;
    source->ws->ops->tried(source->ws->owner);
}

/* Reads the configuration.  If the configuration names a file that was not watched during
 * the reading, reads the configuration again. */
static int
read_all(struct mcphost_source *source, mcphost_config **ret_config,
         mcphost_error **reterr)
{
    struct mcph_config_reader *reader = source->reader;
    mcphost_config *config = NULL;
    int r = reader->read(reader, &config, reterr);

    /* Ignore the files of a rejected configuration, because the list of files may be
     * incomplete. */
    if (r == 0 && config->status == 0 && mcph_follow_files(&source->follow, config)) {
        mcph_config_unref(config);
        r = reader->read(reader, &config, reterr);
    }
    if (r == 0)
        *ret_config = config;
    return r;
}

static int
read_and_apply(struct mcphost_source *source, const char *why, mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    mcphost_error *err = NULL;
    int r = read_all(source, &config, &err);

    source->follow.unread = false;
    if (r < 0) {
        report_unread(source, err);
    } else {
        mcph_apply_now(source, config, why);
        r = config->status < 0 ? report_rejection(config, &err) : 0;
        mcph_config_unref(config);
    }
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

static void
on_read(struct mcph_follow *follow, const char *why)
{
    (void)read_and_apply(MCPH_CONTAINER_OF(follow, struct mcphost_source, follow), why,
                         NULL);
}

int
mcph_source_read(struct mcphost_source *source, mcphost_error **reterr)
{
    if (!source->reader || source->reader->once || source->leaving)
        return 0;
    (void)mcph_follow_look(&source->follow); /* marks the files as seen */
    return read_and_apply(source, "reload", reterr);
}

void
mcph_source_check(struct mcphost_source *source)
{
    if (source->reader && !source->leaving && mcph_follow_look(&source->follow))
        (void)read_and_apply(source, "changed", NULL);
}

/* ---- edits by the library ---------------------------------------------------------- */

/* Resumes a server that an order has stopped.  Returns true if an order had stopped the
 * server.  The next reading of the configuration then starts the server. */
static bool
resume_server(struct mcphost_source *source, const char *id)
{
    struct mcph_server *server = mcph_server_find(source, id);
    bool held = server && mcph_server_is_held(server);

    if (held)
        mcph_server_resume(server);
    return held;
}

int
mcph_source_set_enabled(struct mcphost_source *source, const char *id, bool enabled,
                        mcphost_error **reterr)
{
    struct mcph_config_reader *reader = source->reader;
    struct mcph_config_edit edit;
    mcphost_error *err = NULL;
    int r;

    if (!reader || !reader->set_enabled)
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "the configuration does not come from a file that can be edited");
    r = reader->set_enabled(reader, id, enabled, &edit, &err);
    /* Mark an edit by the library as seen, because the edit is applied below. */
    if (r > 0)
        mcph_follow_wrote(&source->follow, &edit);
    if (r >= 0 && enabled && resume_server(source, id))
        r = 1; /* apply the file again, although it did not change */
    if (r > 0)
        (void)read_and_apply(source, "edited", NULL);
    if (r < 0)
        mcph_log(source->core, MCPHOST_LOG_WARNING, "host", id, "%s",
                 mcphost_error_get_message(err));
    if (reterr && err)
        *reterr = err;
    else
        mcphost_error_unref(err);
    return r;
}

/* ---- beginning --------------------------------------------------------------------- */

static void
begin_source(struct mcphost_source *source)
{
    mcph_follow_start(&source->follow, source->reader->file, source->reader->counts,
                      mcph_source_policy(source, MCPHOST_OPT_RELOAD),
                      mcph_source_policy(source, MCPHOST_OPT_RELOAD_POLL),
                      mcph_source_policy(source, MCPHOST_OPT_RELOAD_DEBOUNCE));
    (void)read_and_apply(source, "loaded", NULL);
}

static void
run_begin(struct mcph_job *job)
{
    struct mcphost_source *source = MCPH_CONTAINER_OF(job, struct mcphost_source, begin);
    struct mcph_workspace *ws = source->ws;

    if (!source->leaving && !mcph_workspace_is_closing(ws)) {
        if (mcph_source_open(source) < 0) {
            mcph_core_post_later(source->core, job);
            return;
        }
        begin_source(source);
    }
    ws->ops->carried_out(ws->owner);
}

/* Uses the reader's default of a policy, unless the application has set the policy, or
 * has set the host's option to a value other than the option's default. */
static void
take_default(struct mcphost_source *source, int policy, int64_t value)
{
    if (value > 0 && source->realm.policies[policy] == MCPH_POLICY_UNSET &&
        mcph_source_policy(source, policy) == mcph_option_find(policy)->fallback)
        source->realm.policies[policy] = value;
}

int
mcph_source_follow_locked(struct mcphost_source *source,
                          struct mcph_config_reader *reader)
{
    if (source->loaded || source->leaving)
        return MCPHOST_E_STATE;
    take_default(source, MCPHOST_OPT_TRANSPORTS, reader->transports);
    take_default(source, MCPHOST_OPT_START_TIMEOUT, reader->start_ms);
    take_default(source, MCPHOST_OPT_LIST_TIMEOUT, reader->list_ms);
    source->frozen = true;
    source->loaded = true;
    source->reader = reader;
    reader->transports = (unsigned)mcph_source_policy(source, MCPHOST_OPT_TRANSPORTS);
    reader->keeps_last_good = mcph_source_keeps_last_good(source);
    source->ws->ops->ordered(source->ws->owner);
    mcph_core_post_locked(source->core, &source->begin);
    return 0;
}

/* ---- leaving ----------------------------------------------------------------------- */

void
mcph_source_check_left(struct mcphost_source *source)
{
    if (!source->leaving || source->withdrawing || source->left ||
        source->servers.n > 0 || !mcph_list_empty(&source->gone))
        return;
    source->left = true;
    source->ws->ops->left(source, source->ws->owner);
}

/* Removes the servers as an edit would.  The order to remove the source counts as carried
 * out when no catalog shows the tools of these servers any more. */
void
mcph_source_withdraw(struct mcphost_source *source)
{
    struct mcph_workspace *ws = source->ws;

    if (!source->emptied)
        source->emptied = mcph_apply_nothing(source) == 0;
    if (!source->emptied || (source->changed && ws->ops->publish(ws->owner) < 0)) {
        mcph_apply_later(source);
        return;
    }
    source->withdrawing = false;
    ws->ops->carried_out(ws->owner);
    mcph_source_check_left(source);
}

void
mcph_source_leave(struct mcphost_source *source)
{
    mcph_follow_end(&source->follow);
    mcph_source_withdraw(source);
    mcph_problem_forget_server(source->journal, source->id, NULL);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_source_new(struct mcph_workspace *ws, const char *id, struct mcphost_source **ret)
{
    struct mcphost_source *source = calloc(1, sizeof(*source));
    int r = 0;

    if (!source)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&source->refs);
    source->ws = ws;
    source->core = ws->core;
    source->pool = ws->pool;
    source->journal = ws->journal;
    mcph_realm_init(&source->realm, ws->pool);
    mcph_list_init(&source->link);
    mcph_list_init(&source->gone);
    mcph_list_init(&source->makings);
    mcph_list_init(&source->made);
    mcph_list_init(&source->begin.link);
    mcph_list_init(&source->leave.link);
    source->begin.run = run_begin;
    if (id) {
        source->id = mcph_strdup(id);
        if (source->id)
            ws->journal->ops->keep(ws->journal->owner);
        else
            r = MCPHOST_E_NOMEM;
    }
    source->realm.name = source->id;
    if (r < 0) {
        mcph_source_end(source);
        mcph_source_unref(source);
        return r;
    }
    *ret = source;
    return 0;
}

int
mcph_source_open(struct mcphost_source *source)
{
    int r = 0;

    if (source->open)
        return 0;
    r = mcph_timer_init(&source->apply_timer, source->core, mcph_apply_again);
    if (r == 0)
        r = mcph_follow_init(&source->follow, source->core, on_read);
    if (r < 0) {
        mcph_timer_done(&source->apply_timer);
        return r;
    }
    source->open = true;
    mcph_core_lock(source->core);
    mcph_list_remove(&source->link);
    mcph_list_append(&source->ws->sources, &source->link);
    mcph_core_unlock(source->core);
    return 0;
}

void
mcph_source_close(struct mcphost_source *source)
{
    if (!source->open)
        return;
    mcph_follow_end(&source->follow);
    mcph_timer_cancel(&source->apply_timer);
    for (size_t i = 0; i < source->servers.n; i++)
        mcph_server_close(source->servers.items[i]);
}

void
mcph_source_end(struct mcphost_source *source)
{
    mcph_making_done(source);
    if (source->open)
        mcph_follow_done(&source->follow);
    mcph_apply_done(source);
    mcph_realm_done(&source->realm);
    if (source->reader)
        source->reader->free(source->reader);
    source->reader = NULL;
    mcph_hook_unref(source->namer);
    source->namer = NULL;
}

struct mcphost_source *
mcph_source_ref(struct mcphost_source *source)
{
    if (source)
        mcph_refs_get(&source->refs);
    return source;
}

struct mcphost_source *
mcph_source_unref(struct mcphost_source *source)
{
    struct mcph_journal *journal;

    if (!source || !mcph_refs_put(&source->refs))
        return NULL;
    journal = source->id ? source->journal : NULL;
    free(source->id);
    free(source);
    if (journal)
        journal->ops->drop(journal->owner);
    return NULL;
}

static struct mcphost_source *
find_source(const struct mcph_list *sources, const char *id, size_t len)
{
    mcph_list_for_each_entry (source, sources, struct mcphost_source, link) {
        if (source->id && !source->leaving && strncmp(source->id, id, len) == 0 &&
            !source->id[len])
            return source;
    }
    return NULL;
}

struct mcphost_source *
mcph_workspace_find(const struct mcph_workspace *ws, const char *id, size_t len)
{
    return find_source(&ws->sources, id, len);
}

int
mcph_workspace_add_locked(struct mcph_workspace *ws, struct mcphost_source *source)
{
    size_t len = strlen(source->id);

    if (find_source(&ws->sources, source->id, len) ||
        find_source(&ws->coming, source->id, len))
        return MCPHOST_E_EXISTS;
    mcph_list_append(&ws->coming, &mcph_source_ref(source)->link);
    return 0;
}

struct mcphost_source *
mcph_workspace_split(const struct mcph_workspace *ws, const char *key,
                     const char **ret_id)
{
    const char *colon = strchr(key, ':');
    struct mcphost_source *source =
        colon ? mcph_workspace_find(ws, key, (size_t)(colon - key)) : NULL;

    *ret_id = source ? colon + 1 : key;
    return source ? source
                  : MCPH_LIST_ENTRY(ws->sources.next, struct mcphost_source, link);
}

bool
mcph_workspace_is_closing(const struct mcph_workspace *ws)
{
    bool closing;

    mcph_core_lock(ws->core);
    closing = ws->closing;
    mcph_core_unlock(ws->core);
    return closing;
}
