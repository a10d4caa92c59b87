/* SPDX-License-Identifier: MIT
 *
 * keeper_revoke.c - revocations of tokens after logouts.
 *
 * A revocation belongs to no struct mcph_entry, because the configuration may lose the
 * server while the revocation is in flight.  Also, a host that logs out may never have
 * started the server.
 */
#include "auth/keeper_inner.h"

struct revocation {
    struct mcph_list link; /* in keeper->revocations */
    struct mcph_keeper *keeper;
    char *server, *issuer;
    struct mcph_net_site site; /* owns its texts */
    struct mcph_mask *mask;
    struct mcph_login *login;
};

/* ---- the log ----------------------------------------------------------------------- */

static void
tell(struct mcph_core *core, const char *server, const char *issuer,
     const mcphost_error *why)
{
    char *origin = mcph_net_url_origin(issuer);

    mcph_log(core, MCPHOST_LOG_WARNING, "auth", server,
             "logout: the token is removed here, but not revoked at %s: %s",
             origin ? origin : "its authorization server",
             why ? mcphost_error_get_message(why) : mcphost_strerror(MCPHOST_E_NOMEM));
    free(origin);
}

void
mcph_logout_tell(struct mcph_core *core, const struct mcph_logout *logout,
                 const mcphost_error *why)
{
    tell(core, logout->server, logout->key.issuer, why);
}

static void
tell_success(const struct revocation *rv)
{
    char *origin = mcph_net_url_origin(rv->issuer);

    mcph_log(rv->keeper->core, MCPHOST_LOG_INFO, "auth", rv->server,
             "logout: the token is removed here, and revoked at %s",
             origin ? origin : "its authorization server");
    free(origin);
}

/* ---- the end ----------------------------------------------------------------------- */

static void
revocation_free(struct revocation *rv)
{
    mcph_list_remove(&rv->link);
    mcph_login_cancel(rv->login);
    mcph_net_site_done(&rv->site);
    mcph_mask_unref(rv->mask);
    free(rv->server);
    free(rv->issuer);
    free(rv);
}

static void
on_done(const struct mcph_login_token *token, const mcphost_error *why, void *arg)
{
    struct revocation *rv = arg;
    struct mcph_keeper *k = rv->keeper;

    (void)token;
    if (why)
        tell(k->core, rv->server, rv->issuer, why);
    else
        tell_success(rv);
    rv->login = NULL; /* the login frees itself */
    revocation_free(rv);
    if (mcph_list_empty(&k->revocations) && k->events->revoked)
        k->events->revoked(k->arg);
}

void
mcph_keeper_end_revocations(struct mcph_keeper *k)
{
    mcphost_error *error = NULL;

    if (mcph_list_empty(&k->revocations))
        return;
    mcph_err(&error, MCPHOST_E_CLOSED, "the host was closed before the answer");
    mcph_list_for_each_safe (item, &k->revocations) {
        struct revocation *rv = MCPH_LIST_ENTRY(item, struct revocation, link);

        tell(k->core, rv->server, rv->issuer, error);
        revocation_free(rv);
    }
    mcphost_error_unref(error);
}

bool
mcph_keeper_is_revoking(const struct mcph_keeper *k)
{
    return !mcph_list_empty(&k->revocations);
}

/* ---- the start --------------------------------------------------------------------- */

static const struct mcph_login_events revocation_events = {.done = on_done};

static int
start(struct revocation *rv, struct mcph_net *net, const struct mcph_logout *logout,
      const struct mcph_login_way *way)
{
    const struct mcph_login_means means = {.core = rv->keeper->core,
                                           .net = net,
                                           .site = &rv->site,
                                           .mask = rv->mask,
                                           .fetch_ms = rv->keeper->fetch_ms};

    return mcph_login_start_revocation(&means, logout->url, way, &logout->key,
                                       &logout->record, &revocation_events, rv,
                                       &rv->login);
}

void
mcph_keeper_revoke(struct mcph_keeper *k, struct mcph_net *net,
                   const struct mcph_logout *logout, const struct mcph_login_way *way,
                   const struct mcph_net_site *site, struct mcph_mask *mask)
{
    struct revocation *rv = calloc(1, sizeof(*rv));
    mcphost_error *error = NULL;
    int r = MCPHOST_E_NOMEM;

    if (!rv) {
        mcph_logout_tell(k->core, logout, NULL);
        return;
    }
    rv->keeper = k;
    mcph_list_init(&rv->link);
    rv->mask = mcph_mask_ref(mask);
    if (mcph_str_copy(logout->server, &rv->server) &&
        mcph_str_copy(logout->key.issuer, &rv->issuer) &&
        mcph_entry_copy_site(site, &rv->site) == 0)
        r = start(rv, net, logout, way);
    if (r == 0) {
        mcph_list_append(&k->revocations, &rv->link);
        return;
    }
    if (r != MCPHOST_E_NOTFOUND) {
        mcph_err(&error, r, "stored tokens: %s", mcphost_strerror(r));
        mcph_logout_tell(k->core, logout, error);
    }
    mcphost_error_unref(error);
    revocation_free(rv);
}
