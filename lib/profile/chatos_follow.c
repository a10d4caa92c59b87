/* SPDX-License-Identifier: MIT
 *
 * chatos_follow.c - make configurations of the apps' own servers, and give them to the
 * sources that follow a registry.
 */
#include <stdlib.h>

#include "host/native.h"
#include "profile/chatos_run.h"

#define SOURCE          "chatos"
#define CALL_TIMEOUT_MS (10 * 60 * 1000)

/* ---- configurations ---------------------------------------------------------------- */

/* Returns the path of the file that declares the server of an app.  If a default list
 * declares the server, returns the path of the plugin's directory.  Returns NULL if there
 * is no memory. */
static char *
find_file(const struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_ai *ai = entry->app->ai;
    const char *dir = entry->plugin->dir;

    if (ai->mcp == entry->offer.mcp)
        return mcph_profile_join(dir, "plugin.json");
    if (entry->in_file && entry->in_file->mcp == entry->offer.mcp)
        return mcph_profile_join(dir, ai->config);
    return mcph_strdup(dir); /* a default list declares the server */
}

/* Makes a configuration of one server and merges it into `config`, so that diagnostics
 * name the file that declares the server. */
static int
add_server(const struct mcph_chatos_apps *apps, uint64_t flags,
           const struct mcph_chatos_entry *entry, mcphost_config *config)
{
    struct mcph_chatos_place place = mcph_chatos_entry_place(apps, entry);
    char *file = find_file(entry);
    mcphost_config *part =
        file ? mcph_config_new(SOURCE, file, file, config->workspace) : NULL;
    int r = part ? 0 : MCPHOST_E_NOMEM;

    free(file);
    if (r == 0) {
        part->transports = config->transports;
        r = mcph_chatos_add_server(part, entry->server, entry->offer.mcp, &place, flags);
    }
    if (r == 0)
        r = mcph_config_finish(part);
    if (r == 0)
        r = mcph_config_merge(config, part, false);
    mcph_config_unref(part);
    return r;
}

/* Adds the flaws of the scan as diagnostics of the source.  The key of a diagnostic is
 * the directory that has the flaw. */
static int
add_flaws(const struct mcph_chatos_apps *apps, mcphost_config *config)
{
    int r = 0;

    for (size_t i = 0; i < apps->flaws.n && r == 0; i++) {
        const struct mcph_chatos_flaw *flaw = apps->flaws.items[i];

        r = mcph_config_diag(config, MCPH_DIAGNOSTIC_SPARING, NULL, flaw->dir, 0, 0, "%s",
                             flaw->message);
    }
    return r;
}

static int
add_servers(const struct mcph_chatos_apps *apps, uint64_t flags, int flow,
            const struct mcph_vec *only, mcphost_config *config)
{
    const struct mcph_vec *entries = only ? only : &apps->entries;
    int r = 0;

    for (size_t i = 0; i < entries->n && r == 0; i++) {
        const struct mcph_chatos_entry *entry = entries->items[i];
        const struct mcph_chatos_mcp *mcp = entry->offers ? entry->offer.mcp : NULL;

        if (mcp && !entry->no_server && mcph_chatos_allowed(mcp, flow))
            r = add_server(apps, flags, entry, config);
    }
    if (r == 0 && !only)
        r = add_flaws(apps, config);
    return r < 0 ? r : mcph_config_finish(config);
}

int
mcph_chatos_make_config(const struct mcph_chatos_apps *apps, uint64_t flags, int flow,
                        const struct mcph_vec *only, mcphost_config **ret,
                        mcphost_error **reterr)
{
    mcphost_config *config;
    char *workspace;
    int r = mcph_profile_workspace(apps->dirs.paths[MCPHOST_CHATOS_PROJECT], &workspace,
                                   reterr);

    if (r < 0)
        return r;
    config = mcph_config_new(SOURCE, NULL, "plugins", workspace);
    free(workspace);
    if (!config)
        return mcph_err_nomem(reterr);
    config->transports = mcph_transports_known();
    r = add_servers(apps, flags, flow, only, config);
    if (r < 0) {
        mcph_config_unref(config);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    *ret = config;
    return 0;
}

int
mcph_chatos_get_config(mcphost_chatos *chatos, int flow, mcphost_config **ret,
                       mcphost_error **reterr)
{
    struct mcph_chatos_apps *apps = NULL;
    uint64_t flags;
    int r = mcph_chatos_get(chatos, &apps, NULL, &flags);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    r = mcph_chatos_make_config(apps, flags, flow, NULL, ret, reterr);
    mcph_chatos_apps_unref(apps);
    return r;
}

void
mcph_chatos_set_policies_locked(struct mcphost_source *source)
{
    static const struct {
        int option;
        int64_t value;
    } policies[] = {
        {MCPHOST_OPT_NAMES, MCPHOST_NAMES_FULL},
        {MCPHOST_OPT_CALL_TIMEOUT, CALL_TIMEOUT_MS},
        {MCPHOST_OPT_LEASE_SCOPE, MCPHOST_SCOPE_WORKSPACE},
        {MCPHOST_OPT_REMOVED, MCPHOST_REMOVED_SERVE},
        {MCPHOST_OPT_TRANSPORTS,
         MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(policies) && !source->frozen; i++) {
        int64_t *value = &source->realm.policies[policies[i].option];

        if (*value == MCPH_POLICY_UNSET)
            *value = policies[i].value;
    }
}

/* ---- sources ----------------------------------------------------------------------- */

/* Gives a source the servers of the last scan. */
static int
load_source(mcphost_chatos *chatos, struct mcphost_source *source, int flow,
            mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    int r = mcph_chatos_get_config(chatos, flow, &config, reterr);

    if (r == 0) {
        r = mcph_host_load(source, config);
        if (r < 0)
            mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    mcph_config_unref(config);
    return r;
}

static void
follow_free(struct mcph_chatos_follow *follow)
{
    mcph_native_drop_source(follow->source);
    free(follow);
}

void
mcph_chatos_follows_done(mcphost_chatos *chatos)
{
    for (size_t i = 0; i < chatos->follows.n; i++)
        follow_free(chatos->follows.items[i]);
    mcph_vec_done(&chatos->follows);
}

static struct mcph_chatos_follow *
find_follow_locked(const mcphost_chatos *chatos, const struct mcphost_source *source)
{
    for (size_t i = 0; i < chatos->follows.n; i++) {
        struct mcph_chatos_follow *follow = chatos->follows.items[i];

        if (follow->source == source)
            return follow;
    }
    return NULL;
}

/* Adds a source.  If there was a scan, also gives the source the servers of `config`.
 * Returns 1 if the result of the scan or the flags have changed since `config` was made,
 * 0, or an error code.  Adds the source only if the return value is 0. */
static int
add_follow(mcphost_chatos *chatos, struct mcph_chatos_follow *follow,
           const struct mcph_chatos_apps *apps, uint64_t flags, mcphost_config *config)
{
    struct mcphost_source *source = follow->source;
    int r = mcph_host_enter(chatos->host);

    if (r < 0)
        return r;
    if (source->leaving)
        r = MCPHOST_E_STATE;
    else if (find_follow_locked(chatos, source))
        r = MCPHOST_E_EXISTS;
    else if (chatos->apps != apps || chatos->flags != flags)
        r = 1;
    else
        r = mcph_vec_reserve(&chatos->follows, 1);
    if (r == 0) {
        mcph_chatos_set_policies_locked(source);
        if (chatos->scans > 0)
            r = mcph_host_load_locked(source, config);
    }
    if (r == 0)
        mcph_vec_add(&chatos->follows, follow);
    mcph_core_leave(chatos->host->core);
    return r;
}

static int
begin_follow(mcphost_chatos *chatos, struct mcph_chatos_follow *follow,
             mcphost_error **reterr)
{
    struct mcph_chatos_apps *apps = NULL;
    mcphost_config *config = NULL;
    uint64_t flags;
    int r = mcph_chatos_get(chatos, &apps, NULL, &flags);

    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    r = mcph_chatos_make_config(apps, flags, follow->flow, NULL, &config, reterr);
    if (r == 0) {
        r = add_follow(chatos, follow, apps, flags, config);
        if (r < 0)
            mcph_err(reterr, r,
                     r == MCPHOST_E_EXISTS ? "the registry already has this source"
                                           : "%s",
                     mcphost_strerror(r));
    }
    mcph_config_unref(config);
    mcph_chatos_apps_unref(apps);
    return r;
}

int
mcph_chatos_follow(mcphost_chatos *chatos, struct mcphost_source *source, int flow,
                   mcphost_error **reterr)
{
    struct mcph_chatos_follow *follow;
    int r;

    if (source->ws->owner != chatos->host)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the source is of another host");
    follow = calloc(1, sizeof(*follow));

    if (!follow)
        return mcph_err_nomem(reterr);
    mcph_native_keep_source(source);
    follow->source = source;
    follow->flow = flow;
    do
        r = begin_follow(chatos, follow, reterr);
    while (r == 1);
    if (r < 0)
        follow_free(follow);
    return r;
}

/* Removes a source from the registry, because the source has left the host. */
static void
remove_follow(mcphost_chatos *chatos, struct mcph_chatos_follow *follow)
{
    mcph_core_lock(chatos->host->core);
    for (size_t i = 0; i < chatos->follows.n; i++) {
        if (chatos->follows.items[i] == follow) {
            mcph_vec_remove(&chatos->follows, i);
            break;
        }
    }
    mcph_core_unlock(chatos->host->core);
    follow_free(follow);
}

/* Gives each source the servers of the last scan.  A source that is added at the same
 * time gets its servers in add_follow(). */
int
mcph_chatos_apply_all(mcphost_chatos *chatos)
{
    size_t n = SIZE_MAX;
    int err = 0;

    /* The loop runs from the last source to the first, because remove_follow() moves only
     * sources that the loop has already handled. */
    for (;;) {
        struct mcph_chatos_follow *follow = NULL;
        int r;

        mcph_core_lock(chatos->host->core);
        if (n > chatos->follows.n)
            n = chatos->follows.n;
        if (n > 0)
            follow = chatos->follows.items[--n];
        mcph_core_unlock(chatos->host->core);
        if (!follow)
            return err;
        r = load_source(chatos, follow->source, follow->flow, NULL);
        if (r == MCPHOST_E_NOMEM)
            err = r;
        else if (r == MCPHOST_E_STATE)
            remove_follow(chatos, follow);
    }
}
