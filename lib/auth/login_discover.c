/* SPDX-License-Identifier: MIT
 *
 * login_discover.c - find the resource, and its authorization server (MCP, "Authorization
 * Server Discovery").
 *
 * No document is remembered between logins, because a server may change its
 * authorization server at any time.  Only the resource_metadata of the last challenge
 * is remembered (`is_old_hint`).  If no place has resource metadata with an issuer, and
 * no issuer is configured, the login follows the revision 2025-03-26: the server's
 * origin is the issuer, and may have default endpoints.
 */
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

static const char resource_step[] = "protected-resource metadata";
static const char issuer_step[] = "authorization-server metadata";

/* Returns true if a later request may succeed: the server is overloaded or has a
 * fault. */
static bool
is_busy(int status)
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

/* Returns true if the next place may have the document: the server does not have the
 * document at this place (502, or 4xx other than the statuses of is_busy()), or answers
 * with a redirect. */
static bool
is_missing(const struct mcph_login *login)
{
    int status = login->fetch.status;

    return login->fetch.is_moved || status == 502 ||
           (status >= 300 && status < 500 && !is_busy(status));
}

static void
set_fault(struct mcph_login *login, mcphost_error *fault)
{
    mcphost_error_unref(login->fault);
    login->fault = fault;
}

static mcphost_error *
take_fault(struct mcph_login *login)
{
    mcphost_error *fault = login->fault;

    login->fault = NULL;
    return fault;
}

static void
fetch_place(struct mcph_login *login, const char *step, mcph_login_step next)
{
    struct mcph_login_request request = {.step = step,
                                         .url = login->places.urls[login->place]};

    mcph_login_fetch(login, &request, next);
}

/* Makes the error for an answer that does not have the requested document. */
static mcphost_error *
make_missing(struct mcph_login *login, const char *step)
{
    bool is_late = is_busy(login->fetch.status);
    mcphost_error *error = NULL;

    if (mcph_login_fetch_check(login, &error) == 0)
        mcph_oauth_fail(&error, is_late ? MCPHOST_E_TRANSPORT : MCPHOST_E_PROTOCOL, step,
                        login->fetch.url,
                        is_late ? mcph_login_advice(login, "try again later")
                                : "check the server's URL",
                        "the server answers with HTTP status %d", login->fetch.status);
    return error;
}

/* ---- the issuer -------------------------------------------------------------------- */

static void on_issuer(struct mcph_login *login);

static void
use_issuer(struct mcph_login *login)
{
    if (login->revokes)
        mcph_login_revoke(login);
    else
        mcph_login_look_up(login);
}

/* Returns true if the login needs the page at which the user logs in. */
static bool
needs_page(const struct mcph_login *login)
{
    return !login->revokes && !mcph_login_is_alone(login) &&
           login->way->flow != MCPHOST_FLOW_DEVICE;
}

/* Ends the search for metadata of the issuer at this place, because of `why`.  If
 * `may_go_on` is true, tries the next place.  After the last place, uses the default
 * endpoints if no issuer was named (`is_legacy`) and no place has metadata of the issuer.
 * Otherwise fails the login. */
static void
leave_issuer_place(struct mcph_login *login, mcphost_error *why, bool may_go_on)
{
    bool all_missing = login->is_legacy && !login->fault && is_missing(login);
    mcphost_error *error = NULL;

    if (may_go_on && ++login->place < login->places.n) {
        /* Keep the error of the first place that has a document which is not good.  If
         * no place has a good document, the login fails with this error.  Do the same
         * for a redirect, unless the server may have no metadata at all. */
        if (!login->fault &&
            (!is_missing(login) || (login->fetch.is_moved && !login->is_legacy)))
            set_fault(login, mcphost_error_ref(why));
        mcphost_error_unref(why);
        fetch_place(login, issuer_step, on_issuer);
        return;
    }
    if (may_go_on && all_missing) {
        mcphost_error_unref(why);
        login->is_guessed = true;
        if (mcph_oauth_issuer_default(&login->server, &login->issuer, &error) < 0)
            mcph_login_fail(login, error);
        else
            use_issuer(login);
        return;
    }
    if (may_go_on && login->fault) {
        mcphost_error_unref(why);
        why = take_fault(login);
    }
    mcph_login_fail(login, why);
}

static void
on_issuer(struct mcph_login *login)
{
    const char *issuer = login->key.issuer;
    mcphost_error *error = NULL;
    int r;

    if (login->fetch.status != 200) {
        error = make_missing(login, issuer_step);
        leave_issuer_place(login, error, is_missing(login));
        return;
    }
    r = mcph_login_fetch_check(login, &error);
    if (r == 0)
        r = mcph_oauth_issuer_read(&login->server, login->fetch.url, issuer,
                                   login->is_legacy, login->fetch.body.data,
                                   login->fetch.body.len, &login->issuer, &error);
    if (r == 0 && needs_page(login)) {
        r = mcph_oauth_issuer_check_code(&login->server, &login->issuer, &error);
        if (r < 0 && login->way->flow == MCPHOST_FLOW_AUTO && login->issuer.device) {
            mcphost_error_unref(error);
            error = NULL;
            r = 0;
        }
        if (r < 0)
            mcph_oauth_issuer_done(&login->issuer);
    }
    if (r < 0) {
        leave_issuer_place(login, error,
                           r == MCPHOST_E_PROTOCOL || r == MCPHOST_E_DENIED);
        return;
    }
    set_fault(login, NULL);
    use_issuer(login);
}

void
mcph_login_find_issuer(struct mcph_login *login)
{
    const char *only = mcph_login_text(login, MCPH_WAY_METADATA_URL);
    mcphost_error *error = NULL;
    int r = 0;

    mcph_oauth_places_done(&login->places);
    login->places = (struct mcph_oauth_places){0};
    login->place = 0;
    if (only) {
        login->places.urls[0] = mcph_strdup(only);
        login->places.n = login->places.urls[0] ? 1 : 0;
        r = login->places.n ? 0 : mcph_err_nomem(&error);
    } else {
        r = mcph_oauth_issuer_places(&login->server, login->key.issuer, &login->places,
                                     &error);
    }
    if (r < 0)
        mcph_login_fail(login, error);
    else
        fetch_place(login, issuer_step, on_issuer);
}

/* ---- the resource ------------------------------------------------------------------ */

/* A search for an issuer whose tokens the store has. */
struct stored {
    const struct mcph_login *login;
    const char *found;
};

static int
match_stored(const struct mcph_store_key *key, void *arg)
{
    struct stored *stored = arg;
    const struct mcph_oauth_resource *resource = &stored->login->resource;

    if (strcmp(key->resource, resource->resource) != 0 ||
        strcmp(key->account, stored->login->key.account) != 0)
        return 0;
    for (size_t i = 0; i < resource->n_issuers && !stored->found; i++) {
        if (mcph_oauth_issuer_fits(resource->issuers[i], key->issuer))
            stored->found = resource->issuers[i];
    }
    return 0;
}

/* Chooses an issuer: the configured issuer, else an issuer whose tokens are stored, else
 * the first issuer of the resource.  Returns NULL and an error if the server does not
 * name the configured issuer, the store is busy, or memory is short. */
static const char *
choose_issuer(struct mcph_login *login, mcphost_error **reterr)
{
    const struct mcph_oauth_resource *resource = &login->resource;
    const char *wanted = mcph_login_text(login, MCPH_WAY_ISSUER);
    struct stored stored = {.login = login};

    if (!wanted) {
        int r = resource->n_issuers > 1
                    ? mcph_store_list(login->means.store, match_stored, &stored, reterr)
                    : 0;

        if (r == MCPHOST_E_BUSY || r == MCPHOST_E_NOMEM)
            return NULL;
        if (r < 0 && reterr)
            *reterr = mcphost_error_unref(*reterr);
        return stored.found ? stored.found : resource->issuers[0];
    }
    for (size_t i = 0; i < resource->n_issuers; i++) {
        if (strcmp(resource->issuers[i], wanted) == 0)
            return resource->issuers[i];
    }
    mcph_oauth_fail(reterr, MCPHOST_E_DENIED, resource_step, login->url,
                    "correct 'auth.issuer', or configure a client of the new "
                    "authorization server",
                    "the server does not name the configured issuer %s", wanted);
    return NULL;
}

/* Continues the login with the metadata of the resource: chooses one of the issuers, and
 * then looks for the issuer's metadata. */
static void
use_resource(struct mcph_login *login)
{
    mcphost_error *error = NULL;

    login->key.resource = login->resource.resource;
    login->key.issuer = choose_issuer(login, &error);
    if (mcph_login_is_busy(login, mcphost_error_get_code(error), error, use_resource))
        return;
    if (login->key.issuer)
        mcph_login_find_issuer(login);
    else
        mcph_login_fail(login, error);
}

/* Continues the login if there is no metadata of the resource, or if the metadata name no
 * issuer.  In these cases, the configured issuer or the server's origin is the issuer. */
static void
use_origin(struct mcph_login *login)
{
    const char *issuer = mcph_login_text(login, MCPH_WAY_ISSUER);

    login->is_legacy = issuer == NULL;
    /* Metadata without an issuer has set `resource` already. */
    if (!login->resource.resource)
        login->resource.resource = mcph_oauth_canonical_resource(login->url);
    login->resource.issuers[0] =
        issuer ? mcph_strdup(issuer) : mcph_oauth_root(login->url);
    login->resource.n_issuers = login->resource.issuers[0] ? 1 : 0;
    if (!login->resource.resource || login->resource.n_issuers == 0)
        mcph_login_fail(login, NULL);
    else
        use_resource(login);
}

/* Looks at the well-known places in place of an old hint, because the server may have
 * moved its metadata since it gave the hint.  Returns false if the hint is not old. */
static bool
forget_hint(struct mcph_login *login)
{
    if (!login->cause.hint || !login->cause.is_old_hint)
        return false;
    free(login->cause.hint);
    login->cause.hint = NULL;
    mcph_oauth_places_done(&login->places);
    mcph_login_discover(login);
    return true;
}

static void
on_resource(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int r;

    if (login->fetch.status != 200) {
        if (forget_hint(login))
            return;
        if (!is_missing(login) || login->cause.hint) {
            mcph_login_fail(login, make_missing(login, resource_step));
            return;
        }
        if (++login->place < login->places.n)
            fetch_place(login, resource_step, on_resource);
        else
            use_origin(login);
        return;
    }
    r = mcph_login_fetch_check(login, &error);
    if (r == 0)
        r = mcph_oauth_resource_read(&login->server, login->fetch.url,
                                     login->fetch.body.data, login->fetch.body.len,
                                     &login->resource, &error);
    if (r < 0 && r != MCPHOST_E_NOMEM && forget_hint(login))
        mcphost_error_unref(error);
    else if (r < 0)
        mcph_login_fail(login, error);
    else if (login->resource.n_issuers == 0)
        use_origin(login);
    else
        use_resource(login);
}

/* Refuses a login for a server whose URL is plain http and not on loopback, because the
 * host would send the token there unencrypted.  The URL of the metadata does not protect
 * the token, because a challenge can name any https URL. */
static int
check_server(const struct mcph_login *login, mcphost_error **reterr)
{
    char *root = mcph_oauth_root(login->url);
    int r = root ? mcph_oauth_check_url(&login->server, "login", root, reterr)
                 : mcph_err_nomem(reterr);

    free(root);
    return r;
}

void
mcph_login_discover(struct mcph_login *login)
{
    const char *account = mcph_login_text(login, MCPH_WAY_ACCOUNT);
    mcphost_error *error = NULL;

    login->key.account = account ? account : "";
    if (check_server(login, &error) < 0 ||
        mcph_oauth_resource_places(&login->server, login->cause.hint, &login->places,
                                   &error) < 0)
        mcph_login_fail(login, error);
    else
        fetch_place(login, resource_step, on_resource);
}
