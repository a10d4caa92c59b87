/* SPDX-License-Identifier: MIT
 *
 * login_store.c - the store's part of a login: reading, claims, refreshing, writing.
 *
 * Some issuers accept a refresh token only once.  Therefore a process claims the key
 * before it refreshes, and reads the record again under the claim: if another process has
 * refreshed meanwhile, the login takes the token of that process.
 */
#include <stdio.h>
#include <unistd.h>

#include "auth/auth.h"
#include "auth/login_inner.h"
#include "auth/oauth_inner.h"

#define BUSY_MS       5000 /* limit on the wait for a busy store */
#define CONFLICTS_MAX 16   /* limit on writes that conflict with another process */

bool
mcph_login_is_busy(struct mcph_login *login, int r, mcphost_error *error,
                   mcph_login_step again)
{
    int64_t now = mcph_core_now(login->means.core);

    if (r == MCPHOST_E_BUSY && login->busy_until == 0)
        login->busy_until = now + BUSY_MS;
    if (r != MCPHOST_E_BUSY || now >= login->busy_until) {
        login->busy_until = 0;
        return false;
    }
    mcphost_error_unref(error);
    mcph_login_wait(login, MCPH_LOGIN_POLL_MS, again);
    return true;
}

/* ---- reading ----------------------------------------------------------------------- */

static void
read_again(struct mcph_login *login)
{
    mcph_login_read(login, login->then);
}

static int
parse_record(struct mcph_login *login, struct mcph_store_record *text)
{
    mcphost_error *error = NULL;
    int r = mcph_login_record_read(text->text, text->len, &login->record, &error);

    memcpy(login->version, text->version, sizeof(login->version));
    mcph_store_record_done(text);
    if (r == MCPHOST_E_NOMEM) {
        mcph_login_fail(login, error);
        return r;
    }
    /* Continue as if there were no record: the login replaces a record that cannot be
     * read. */
    if (r < 0)
        mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    mcphost_error_unref(error);
    mcph_login_hide(login, login->record.access);
    mcph_login_hide(login, login->record.refresh);
    mcph_login_hide(login, login->record.client.secret);
    return 0;
}

void
mcph_login_read(struct mcph_login *login, mcph_login_step next)
{
    struct mcph_store_record text = {0};
    mcphost_error *error = NULL;
    int r = mcph_store_read(login->means.store, &login->key, &text, &error);

    login->then = next;
    if (mcph_login_is_busy(login, r, error, read_again))
        return;
    mcph_login_record_done(&login->record);
    login->version[0] = '\0';
    if (r == 0) {
        if (parse_record(login, &text) < 0)
            return;
    } else if (r == MCPHOST_E_NOMEM) {
        mcph_login_fail(login, error);
        return;
    } else if (r != MCPHOST_E_NOTFOUND) {
        /* Continue, because without its store the login can still ask the user. */
        mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    }
    mcphost_error_unref(error);
    mcph_login_continue(login, next);
}

/* ---- claims ------------------------------------------------------------------------ */

/* Returns a random number of ms, so that processes that wait do not wake together. */
static int64_t
get_jitter_ms(void)
{
    unsigned char bits;

    return mcph_random_bytes(&bits, 1) == 0 ? bits % MCPH_LOGIN_POLL_MS : 0;
}

static void
claim_again(struct mcph_login *login)
{
    mcph_login_claim(login, -1, login->then);
}

static const char *
name_wait(const struct mcph_login *login)
{
    return login->claim_key == &login->key
               ? "another program refreshes the token"
               : "another login at the same authorization server is not finished";
}

/* Reports the reason of the wait. */
static void
tell_wait(struct mcph_login *login, const mcphost_error *why)
{
    char *text = mcph_asprintf("waiting for a login: %s (%s)", name_wait(login),
                               mcphost_error_get_message(why));

    login->events->waits(text ? text : mcphost_error_get_message(why), login->arg);
    free(text);
}

/* Makes the login fail, because it did not get the claim in time.  Takes over `why`. */
static void
fail_claiming(struct mcph_login *login, mcphost_error *why)
{
    mcphost_error *error = NULL;

    mcph_oauth_fail(&error, MCPHOST_E_TIMEOUT, "login", login->issuer.issuer,
                    "finish or end that login, and try again", "%s (%s)",
                    name_wait(login), mcphost_error_get_message(why));
    mcphost_error_unref(why);
    mcph_login_fail(login, error);
}

void
mcph_login_claim(struct mcph_login *login, int64_t ms, mcph_login_step next)
{
    int64_t now = mcph_core_now(login->means.core);
    mcphost_error *error = NULL;
    char holder[64];
    int r;

    if (ms >= 0)
        login->deadline = now + ms;
    (void)snprintf(holder, sizeof(holder), "process %ld", (long)getpid());
    r = mcph_store_claim(login->means.store, login->claim_key, holder, &login->claim,
                         &error);
    if (r == MCPHOST_E_BUSY && now < login->deadline) {
        tell_wait(login, error);
        mcphost_error_unref(error);
        login->then = next;
        mcph_login_wait(login, MCPH_LOGIN_POLL_MS + get_jitter_ms(), claim_again);
        return;
    }
    login->events->waits(NULL, login->arg);
    if (r == MCPHOST_E_BUSY) {
        fail_claiming(login, error);
        return;
    }
    if (r == MCPHOST_E_NOMEM) {
        mcph_login_fail(login, error);
        return;
    }
    /* Continue without a claim.  Two processes may then refresh at the same time, but
     * without a refresh there would be no token. */
    if (r < 0)
        mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    else if (login->claim->fd >= 0)
        mcph_core_hold_fd(login->means.core, login->claim->fd);
    mcphost_error_unref(error);
    mcph_login_continue(login, next);
}

void
mcph_login_release(struct mcph_login *login)
{
    if (login->claim && login->claim->fd >= 0)
        mcph_core_drop_fd(login->means.core, login->claim->fd);
    mcph_store_release(login->claim);
    login->claim = NULL;
}

/* ---- the decision ------------------------------------------------------------------ */

/* Returns true if the scopes of the record contain the scopes that a 403 asked for, or if
 * no 403 asked for scopes. */
static bool
has_scopes(const struct mcph_login *login)
{
    const char *wanted = login->cause.scope, *scope = login->record.scope;
    struct mcph_buf have;
    bool r;

    if (login->cause.status != 403 || !wanted)
        return true;
    mcph_buf_init(&have, MCPH_SCOPES_MAX);
    r = scope && mcph_scopes_add(&have, scope, strlen(scope)) == 0 &&
        mcph_scopes_have(&have, wanted, strlen(wanted));
    mcph_buf_done(&have);
    return r;
}

/* Returns true if the record's access token can be used without a refresh or a new
 * login. */
static bool
is_good(const struct mcph_login *login)
{
    const struct mcph_login_record *record = &login->record;

    return record->access && has_scopes(login) &&
           !mcph_streq(record->access, login->cause.refused) &&
           (record->expires_at < 0 ||
            record->expires_at * 1000 > mcph_clock_realtime_ms() + 1000);
}

/* Refreshes the record, which was read under the claim.  If the record has a good token
 * now, takes this token.  If the record has no refresh token any more, asks the user. */
static void
refresh(struct mcph_login *login)
{
    if (is_good(login)) {
        mcph_login_finish(login, &login->record);
        return;
    }
    if (!login->record.refresh) {
        mcph_login_release(login);
        mcph_login_ask(login);
        return;
    }
    login->grant = MCPH_OAUTH_GRANT_REFRESH;
    mcph_login_redeem(login);
}

static void
read_for_refresh(struct mcph_login *login)
{
    mcph_login_read(login, refresh);
}

/* Makes the login fail, because the token has all scopes that are known, but lacks a
 * scope that the server does not name. */
static void
fail_scopes(struct mcph_login *login)
{
    mcphost_error *error = NULL;

    mcph_oauth_fail(&error, MCPHOST_E_AUTH, "login", login->url,
                    "add the scope to 'auth.scopes', or ask the operator of the server",
                    "the token lacks a scope that the server does not name, and has all "
                    "scopes that are known (%s)",
                    login->cause.scope ? login->cause.scope : "none");
    mcph_login_fail(login, error);
}

void
mcph_login_decide(struct mcph_login *login)
{
    if (is_good(login)) {
        mcph_login_finish(login, &login->record);
    } else if (login->cause.lacks_scope && login->record.access && has_scopes(login) &&
               mcph_streq(login->record.access, login->cause.refused)) {
        fail_scopes(login);
    } else if (login->record.refresh && has_scopes(login)) {
        login->claim_key = &login->key;
        mcph_login_claim(login, MCPH_LOGIN_CLAIM_MS, read_for_refresh);
    } else {
        mcph_login_ask(login);
    }
}

/* Returns the client's name in the key of the record.  All clients that the issuer has
 * registered have the same name, because only the record has their ids. */
static const char *
name_client(const struct mcph_login *login)
{
    const char *id = mcph_login_text(login, MCPH_WAY_CLIENT_ID);
    const char *document = mcph_login_text(login, MCPH_WAY_CLIENT_DOCUMENT);

    if (id)
        return id;
    return document && login->issuer.takes_cimd ? document : "registered";
}

static int
match_pinned(const struct mcph_store_key *key, void *arg)
{
    struct mcph_login *login = arg;
    int r;

    /* Prefer a record of this login's issuer to the first record of another issuer. */
    if (strcmp(key->client, login->key.client) != 0 ||
        (login->pinned && strcmp(key->issuer, login->issuer.issuer) != 0))
        return 0;
    /* Do not compare the spellings of the two URLs, because the MCP server chooses the
     * spelling of the resource. */
    r = mcph_login_serves(key->resource, login->url);
    if (r <= 0)
        return r;
    free(login->pinned);
    login->pinned = mcph_strdup(key->issuer);
    return login->pinned ? 0 : MCPHOST_E_NOMEM;
}

/* Refuses to send a configured secret to another issuer than in an earlier login, because
 * only the MCP server names the issuer.  Returns MCPHOST_E_BUSY if the store is busy. */
static int
check_pinned(struct mcph_login *login, mcphost_error **reterr)
{
    struct mcph_oauth_identities have = {.configured =
                                             mcph_login_text(login, MCPH_WAY_CLIENT_ID)};
    int chosen, r;

    if (!mcph_login_text(login, MCPH_WAY_CLIENT_SECRET) ||
        mcph_login_text(login, MCPH_WAY_ISSUER))
        return 0;
    r = mcph_store_list(login->means.store, match_pinned, login, reterr);
    if (r < 0)
        return r;
    have.pinned_issuer = login->pinned;
    return mcph_oauth_client_choose(&login->issuer, &have, &chosen, reterr);
}

int
mcph_login_join_scopes(const struct mcph_oauth_scoping *scoping, char **ret,
                       mcphost_error **reterr)
{
    struct mcph_buf scopes;
    int r;

    *ret = NULL;
    mcph_buf_init(&scopes, MCPH_SCOPES_MAX);
    r = mcph_oauth_select_scopes(scoping, &scopes, reterr);
    if (r == 0 && scopes.len > 0) {
        *ret = mcph_strndup(scopes.data, scopes.len);
        r = *ret ? 0 : mcph_err_nomem(reterr);
    }
    mcph_buf_done(&scopes);
    return r;
}

/* Takes the configured scopes and the scopes of the server's metadata in place of the
 * scope that the challenge does not name. */
static int
guess_scope(struct mcph_login *login, mcphost_error **reterr)
{
    const struct mcph_oauth_scoping scoping = {
        .configured = mcph_login_text(login, MCPH_WAY_SCOPES),
        .held = login->resource.scopes};

    if (!login->cause.lacks_scope || login->cause.scope)
        return 0;
    return mcph_login_join_scopes(&scoping, &login->cause.scope, reterr);
}

void
mcph_login_look_up(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int r;

    login->key.issuer = login->issuer.issuer;
    login->key.client = name_client(login);
    r = guess_scope(login, &error);
    if (r == 0)
        r = check_pinned(login, &error);
    if (mcph_login_is_busy(login, r, error, mcph_login_look_up))
        return;
    if (r < 0)
        mcph_login_fail(login, error);
    else
        mcph_login_read(login, mcph_login_decide);
}

/* ---- forgetting -------------------------------------------------------------------- */

/* Writes `record` in place of the record that was read, or as a new record if none was
 * read.  Returns the code of mcph_store_write(), or an error if the record is too long or
 * memory is short. */
static int
write_record(struct mcph_login *login, const struct mcph_login_record *record,
             mcphost_error **reterr)
{
    char version[MCPH_DIGEST_HEX];
    struct mcph_buf buf;
    int r;

    mcph_buf_init_sized(&buf, MCPH_STORE_RECORD_MAX, MCPH_STORE_RECORD_MAX);
    r = mcph_login_record_add(record, &buf);
    if (r < 0)
        mcph_err(reterr, r, "stored tokens: %s", mcphost_strerror(r));
    else
        r = mcph_store_write(login->means.store, &login->key,
                             login->version[0] ? login->version : NULL, buf.data, buf.len,
                             version, reterr);
    if (r == 0)
        memcpy(login->version, version, sizeof(version));
    mcph_buf_wipe(&buf);
    return r;
}

/* Returns true if another process has changed the record since it was read, and the login
 * may read the record again.  Limits the number of reads, because the application's store
 * may report a conflict each time. */
static bool
may_read_again(struct mcph_login *login, int r)
{
    return (r == MCPHOST_E_EXISTS || r == MCPHOST_E_NOTFOUND) &&
           login->conflicts++ < CONFLICTS_MAX;
}

void
mcph_login_doubt(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int r;

    login->record.client.is_doubted = true;
    r = write_record(login, &login->record, &error);
    if (mcph_login_is_busy(login, r, error, mcph_login_doubt))
        return;
    /* Do not warn if another process has changed or removed the record since it was read:
     * the doubt about the old client does not hold for the new record. */
    if (r < 0 && r != MCPHOST_E_EXISTS && r != MCPHOST_E_NOTFOUND)
        mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    mcphost_error_unref(error);
    login->after_client(login);
}

void
mcph_login_forget(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int r = write_record(login, &login->made, &error);

    if (mcph_login_is_busy(login, r, error, mcph_login_forget))
        return;
    mcph_login_record_done(&login->made);
    mcph_login_release(login);
    if (r == 0 || may_read_again(login, r)) {
        /* Read the record again, because another process may have written tokens. */
        mcphost_error_unref(error);
        mcph_login_read(login, mcph_login_decide);
        return;
    }
    /* The store still has the tokens that were refused.  Do not read them again. */
    mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    mcphost_error_unref(error);
    mcph_login_record_done(&login->record);
    mcph_login_ask(login);
}

/* ---- writing ----------------------------------------------------------------------- */

static void
finish_made(struct mcph_login *login)
{
    if (!mcph_login_lingers(login, finish_made))
        mcph_login_finish(login, &login->made);
}

static void write_over(struct mcph_login *login);

static void
read_for_write(struct mcph_login *login)
{
    mcph_login_read(login, write_over);
}

/* Decides which token to keep after another process has written the record first.  After
 * a refresh, uses the other process's token if it is good.  Otherwise, writes the new
 * token, because it may come from a login that the user has just made. */
static void
write_over(struct mcph_login *login)
{
    if (login->grant == MCPH_OAUTH_GRANT_REFRESH && is_good(login))
        mcph_login_finish(login, &login->record);
    else
        mcph_login_write(login);
}

/* Makes the login fail, because the user has logged out during the refresh.  A token of
 * the old login must not be stored again. */
static void
fail_logged_out(struct mcph_login *login)
{
    mcphost_error *error = NULL;

    mcph_oauth_fail(&error, MCPHOST_E_AUTH, "token refresh", login->issuer.token, NULL,
                    "the login was removed during the refresh");
    mcph_login_fail(login, error);
}

void
mcph_login_write(struct mcph_login *login)
{
    mcphost_error *error = NULL;
    int r = write_record(login, &login->made, &error);

    if (mcph_login_is_busy(login, r, error, mcph_login_write))
        return;
    if (r == MCPHOST_E_NOTFOUND && login->grant == MCPH_OAUTH_GRANT_REFRESH) {
        mcphost_error_unref(error);
        fail_logged_out(login);
        return;
    }
    if (r == MCPHOST_E_STATE || may_read_again(login, r)) {
        mcphost_error_unref(error);
        read_for_write(login);
        return;
    }
    /* The token serves this process even if the store cannot keep the token. */
    if (r < 0)
        mcph_login_say(login, MCPHOST_LOG_WARNING, error);
    mcphost_error_unref(error);
    mcph_login_continue(login, finish_made);
}
