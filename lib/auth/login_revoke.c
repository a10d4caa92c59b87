/* SPDX-License-Identifier: MIT
 *
 * login_revoke.c - the revocation of tokens after a logout (RFC 7009).
 *
 * The issuer's metadata are fetched anew, as for each login.  The store has named the
 * issuer, so the MCP server is not asked.  The request is sent once: the record is
 * removed already, and a logout must not last long.
 */
#include "auth/auth.h"
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

static void
finish(struct mcph_login *login)
{
    login->events->done(NULL, NULL, login->arg);
    mcph_login_cancel(login);
}

/* Makes the error of a refused revocation.  A temporary refusal, or a refusal that asks
 * for another DPoP nonce, gets an error that names only the HTTP status. */
static mcphost_error *
make_refusal(const struct mcph_login *login)
{
    const char *advice = mcph_login_advice(login, NULL), *url = login->fetch.url;
    struct mcph_oauth_refusal refusal;
    struct mcph_oauth_doc doc;
    mcphost_error *error = NULL;
    int r = mcph_oauth_answer_open(&doc, login->fetch.step, url, login->fetch.status,
                                   login->fetch.body.data, login->fetch.body.len, advice,
                                   login->means.mask, &refusal, &error);

    if (r == MCPHOST_E_TRANSPORT || refusal.why == MCPH_OAUTH_WHY_NONCE) {
        error = mcphost_error_unref(error);
        mcph_oauth_fail(&error, MCPHOST_E_TRANSPORT, login->fetch.step, url, advice,
                        "the authorization server refused the request with HTTP status "
                        "%d",
                        login->fetch.status);
    }
    return error;
}

/* Handles the answer to the revocation.  An issuer answers 200 also for a
 * token that it does not know. */
static void
on_revoked(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int status = login->fetch.status;
    int r = mcph_login_fetch_check(login, &error);

    if (r < 0)
        mcph_login_fail(login, error);
    else if (status < 200 || status >= 300)
        mcph_login_fail(login, make_refusal(login));
    else
        finish(login);
}

void
mcph_login_revoke(struct mcph_login *login)
{
    mcphost_error *error = NULL;

    if (login->issuer.revocation) {
        mcph_login_request_revocation(login, on_revoked);
        return;
    }
    mcph_oauth_fail(&error, MCPHOST_E_UNSUPPORTED, "token revocation",
                    login->issuer.issuer, mcph_login_advice(login, NULL),
                    "the authorization server has no revocation endpoint");
    mcph_login_fail(login, error);
}

/* ---- start ------------------------------------------------------------------------- */

static void
drop_text(struct mcph_login_way *way, int text)
{
    mcph_str_wipe(way->texts[text]);
    way->texts[text] = NULL;
}

/* Makes the client of `key` the client of the login.  Drops the configured texts of
 * another client or of a client of another issuer, because the configuration may have
 * changed since the tokens were issued.  Returns false if memory is short. */
static bool
take_client(struct mcph_login *login, const struct mcph_store_key *key)
{
    struct mcph_login_way *way = &login->held;
    const char *issuer = way->texts[MCPH_WAY_ISSUER], *client = key->client;
    bool is_configured = mcph_streq(way->texts[MCPH_WAY_CLIENT_ID], client) &&
                         (!issuer || mcph_oauth_issuer_fits(issuer, key->issuer));

    if (!is_configured) {
        drop_text(way, MCPH_WAY_CLIENT_ID);
        drop_text(way, MCPH_WAY_CLIENT_SECRET);
    }
    if (!mcph_streq(way->texts[MCPH_WAY_CLIENT_DOCUMENT], client)) {
        drop_text(way, MCPH_WAY_CLIENT_DOCUMENT);
        if (!is_configured)
            drop_text(way, MCPH_WAY_CLIENT_KEY);
    }
    return login->record.client.id || mcph_str_copy(client, &login->record.client.id);
}

static void
hide_secrets(struct mcph_login *login)
{
    mcph_login_hide(login, login->record.access);
    mcph_login_hide(login, login->record.refresh);
    mcph_login_hide(login, login->record.client.secret);
    mcph_login_hide(login, mcph_login_text(login, MCPH_WAY_CLIENT_SECRET));
}

/* Sets the members that an ordinary login gets from discovery and from the store. */
static int
fill_in(struct mcph_login *login, const struct mcph_login_way *way,
        const struct mcph_store_key *key)
{
    struct mcph_oauth_resource *resource = &login->resource;

    if (mcph_login_way_copy(way, &login->held) < 0 || !take_client(login, key) ||
        !mcph_str_copy(key->resource, &resource->resource) ||
        !mcph_str_copy(key->issuer, &resource->issuers[0]))
        return MCPHOST_E_NOMEM;
    resource->n_issuers = 1;
    login->way = &login->held;
    login->key.issuer = resource->issuers[0];
    login->revokes = true;
    login->deadline = mcph_core_now(login->means.core) + MCPH_LOGIN_REVOKE_MS;
    hide_secrets(login);
    mcph_login_continue(login, mcph_login_find_issuer);
    return 0;
}

int
mcph_login_start_revocation(const struct mcph_login_means *means, const char *url,
                            const struct mcph_login_way *way,
                            const struct mcph_store_key *key,
                            const struct mcph_store_record *record,
                            const struct mcph_login_events *events, void *arg,
                            struct mcph_login **ret)
{
    static const struct mcph_login_cause none = {0};
    struct mcph_login_record made = {.expires_at = -1};
    struct mcph_login *login = NULL;
    int r = mcph_login_record_read(record->text, record->len, &made, NULL);

    if (r == 0 && !made.access && !made.refresh)
        r = MCPHOST_E_NOTFOUND;
    if (r == 0)
        r = mcph_login_start(means, url, way, &none, events, arg, &login);
    if (r < 0) {
        mcph_login_record_done(&made);
        return r;
    }
    /* Unpost the first step of an ordinary login, because a revocation has another first
     * step. */
    mcph_core_unpost(means->core, &login->job);
    login->record = made;
    r = fill_in(login, way, key);
    if (r < 0)
        mcph_login_cancel(login);
    else
        *ret = login;
    return r;
}
