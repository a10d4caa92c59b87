/* SPDX-License-Identifier: MIT
 *
 * keeper_login.c - the keeper's logins: OAuth in place of questions for credentials.
 */
#include "auth/keeper_inner.h"

/* The shortest and the longest pause in ms after a failed login, while the old token is
 * valid. */
#define AGAIN_MS     10000
#define AGAIN_MAX_MS 3600000

/* ---- settings ---------------------------------------------------------------------- */

bool
mcph_entry_logs_in(const struct mcph_entry *e)
{
    const struct mcph_keeper *k = e->keeper;

    if (!k->net || !k->store)
        return false;
    return e->way.mode == MCPHOST_AUTH_OAUTH ||
           (e->way.mode == MCPHOST_AUTH_AUTO && (k->asks_logins || k->keeps_tokens));
}

/* Forgets the token of the last login. */
static void
forget_token(struct mcph_entry *e)
{
    mcph_str_wipe(e->access);
    e->access = NULL;
    e->dpop = mcph_keypair_free(e->dpop);
    free(e->nonce);
    e->nonce = NULL;
}

void
mcph_keeper_forget_dropped(struct mcph_job *job)
{
    struct mcph_keeper *k = MCPH_CONTAINER_OF(job, struct mcph_keeper, forgetting);

    mcph_core_lock(k->core);
    k->is_forgetting = false;
    mcph_list_for_each_entry (e, &k->entries, struct mcph_entry, link) {
        if (e->is_dropped)
            forget_token(e);
        e->is_dropped = false;
    }
    mcph_core_unlock(k->core);
}

/* Keeps a copy of the URL of the resource's metadata. */
static int
keep_metadata(struct mcph_entry *e, const char *metadata)
{
    char *copy;

    if (!mcph_str_copy(metadata, &copy))
        return MCPHOST_E_NOMEM;
    free(e->metadata);
    e->metadata = copy;
    return 0;
}

void
mcph_entry_login_done(struct mcph_entry *e)
{
    forget_token(e);
    free(e->metadata);
    mcph_login_way_done(&e->way);
    mcph_net_site_done(&e->site);
    e->mask = mcph_mask_unref(e->mask);
}

int
mcph_entry_copy_site(const struct mcph_net_site *site, struct mcph_net_site *ret)
{
    /* Leave the client certificate out, because it is for the MCP server alone. */
    const struct mcph_net_site part = {.proxy = site->proxy,
                                       .no_proxy = site->no_proxy,
                                       .ca_file = site->ca_file,
                                       .ca_dir = site->ca_dir,
                                       .public_only = site->public_only};

    return mcph_net_site_copy(&part, ret);
}

int
mcph_keeper_set_way(struct mcph_net_auth *auth, const struct mcph_login_way *way,
                    const struct mcph_net_site *site, struct mcph_mask *mask)
{
    struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);
    struct mcph_login_way new_way;
    struct mcph_net_site new_site;

    /* Keep the settings of a running login, also its `site`, if the new way is the
     * same. */
    if (e->asking && e->asking->login && mcph_login_way_equal(way, &e->way))
        return 0;
    if (mcph_login_way_copy(way, &new_way) < 0)
        return MCPHOST_E_NOMEM;
    if (mcph_entry_copy_site(site, &new_site) < 0) {
        mcph_login_way_done(&new_way);
        return MCPHOST_E_NOMEM;
    }
    if (e->asking && e->asking->login)
        mcph_asking_expire(e->asking);
    if (!mcph_login_way_equal(way, &e->way)) {
        mcph_core_lock(e->keeper->core);
        e->given = e->given && !e->access;
        mcph_core_unlock(e->keeper->core);
        forget_token(e);
    }
    mcph_login_way_done(&e->way);
    mcph_net_site_done(&e->site);
    mcph_mask_unref(e->mask);
    e->way = new_way;
    e->site = new_site;
    e->mask = mcph_mask_ref(mask);
    return 0;
}

/* ---- questions --------------------------------------------------------------------- */

static int
on_ask(const struct mcph_login_question *question, void *arg)
{
    struct mcph_asking *asking = arg;
    struct mcph_keeper *k = asking->entry->keeper;

    asking->ask.url = question->url;
    asking->ask.message = question->message;
    asking->ask.params = question->params;
    asking->ask.awaited = &question->awaited;
    asking->is_open = true;
    if (k->events->ask(&asking->ask, k->arg) == 0)
        return 0;
    asking->is_open = false;
    return MCPHOST_E_NOMEM;
}

static void
on_over(const char *why, void *arg)
{
    struct mcph_asking *asking = arg;
    struct mcph_keeper *k = asking->entry->keeper;

    if (asking->is_open)
        k->events->over(&asking->ask, why, k->arg);
    asking->is_open = false;
}

static void
on_waits(const char *why, void *arg)
{
    struct mcph_asking *asking = arg;
    struct mcph_keeper *k = asking->entry->keeper;

    if (k->events->delayed)
        k->events->delayed(asking->entry->server, why, k->arg);
}

/* ---- the end of a login ------------------------------------------------------------ */

/* Keeps the key of a token.  The nonce of the server stays if the key stays, because a
 * lost nonce costs a refused request. */
static int
keep_key(struct mcph_entry *e, const char *pem)
{
    struct mcph_keypair *key = NULL;

    if (pem && mcph_keypair_read(pem, strlen(pem), "the stored key", &key, NULL) < 0)
        return MCPHOST_E_NOMEM;
    if (!key || !e->dpop ||
        strcmp(mcph_keypair_thumbprint(key), mcph_keypair_thumbprint(e->dpop)) != 0) {
        free(e->nonce);
        e->nonce = NULL;
    }
    mcph_keypair_free(e->dpop);
    e->dpop = key;
    return 0;
}

static int
keep_token(struct mcph_entry *e, const struct mcph_login_token *token,
           struct mcph_buf *lines)
{
    size_t len = strlen(token->access);
    char *access = mcph_strndup(token->access, len);

    if (!access || keep_key(e, token->dpop_key) < 0) {
        mcph_str_wipe(access);
        return MCPHOST_E_NOMEM;
    }
    mcph_str_wipe(e->access);
    e->access = access;
    if (mcph_buf_reserve(lines, len + 32) < 0)
        return mcph_buf_ok(lines);
    mcph_buf_add(lines, "Authorization", sizeof("Authorization"));
    mcph_buf_adds(lines, e->dpop ? "DPoP " : "Bearer ");
    return mcph_buf_add(lines, token->access, len + 1);
}

static void
fail_asking(struct mcph_asking *asking, const mcphost_error *why)
{
    const char *after = mcphost_error_get_retry_after(why);
    mcphost_error *error = NULL;
    int code = why ? mcphost_error_get_code(why) : MCPHOST_E_NOMEM;

    if (code == MCPHOST_E_UNSUPPORTED)
        code = MCPHOST_E_AUTH;
    mcph_err(&error, code, "%s; the login failed: %s", asking->what,
             why ? mcphost_error_get_message(why) : mcphost_strerror(code));
    if (after) /* Retry-After delays the next start of the server */
        mcph_err_set_http(error, mcphost_error_get_http_status(why), after,
                          strlen(after));
    mcph_asking_fail(asking, error);
}

int64_t
mcph_login_pause_ms(const mcphost_error *why)
{
    const char *after = mcphost_error_get_retry_after(why);
    int64_t s = after ? strtoll(after, NULL, 10) : 0;

    if (s > AGAIN_MAX_MS / 1000)
        return AGAIN_MAX_MS;
    return s * 1000 > AGAIN_MS ? s * 1000 : AGAIN_MS;
}

/* Handles the failure of a login that began before the old token expired: the old token
 * stays in use, and the next login begins after mcph_login_pause_ms().  Returns false if
 * a refusal began the login, if there is no old token, or if the old token has
 * expired. */
static bool
keep_old_token(struct mcph_asking *asking, const mcphost_error *why)
{
    struct mcph_entry *e = asking->entry;
    struct mcph_core *core = e->keeper->core;
    int64_t now = mcph_core_now(core);
    bool serves;

    mcph_core_lock(core);
    serves = asking->status == 0 && e->given && e->due > now;
    if (serves)
        e->early = now + mcph_login_pause_ms(why);
    mcph_core_unlock(core);
    if (!serves)
        return false;
    mcph_log(core, MCPHOST_LOG_WARNING, "auth", e->server,
             "the token is still valid, but getting the next one failed: %s",
             why ? mcphost_error_get_message(why) : mcphost_strerror(MCPHOST_E_NOMEM));
    mcph_asking_drop(asking);
    return true;
}

/* Asks the owner for credentials in place of a login that the server does not support.
 * Returns false if the owner is not asked. */
static bool
ask_instead(struct mcph_asking *asking, const mcphost_error *why)
{
    const struct mcph_entry *e = asking->entry;

    return e->keeper->asks && e->way.mode == MCPHOST_AUTH_AUTO && why &&
           mcphost_error_get_code(why) == MCPHOST_E_UNSUPPORTED &&
           mcph_asking_open(asking) == 0;
}

static void
on_done(const struct mcph_login_token *token, const mcphost_error *why, void *arg)
{
    struct mcph_asking *asking = arg;
    struct mcph_entry *e = asking->entry;
    struct mcph_core *core = e->keeper->core;
    struct mcph_buf lines;

    asking->login = NULL; /* the login frees itself */
    if (!token) {
        if (!keep_old_token(asking, why) && !ask_instead(asking, why))
            fail_asking(asking, why);
        return;
    }
    mcph_buf_init(&lines, LINES_MAX);
    if (keep_token(e, token, &lines) < 0) {
        fail_asking(asking, NULL);
    } else {
        mcph_ask_answer(&asking->ask, lines.data, lines.len, token->ms, token->scope);
        mcph_core_lock(core);
        e->early =
            token->early_ms < 0 ? INT64_MAX : mcph_core_now(core) + token->early_ms;
        mcph_core_unlock(core);
    }
    mcph_buf_wipe(&lines);
}

static const struct mcph_login_events login_events = {
    .ask = on_ask, .over = on_over, .waits = on_waits, .done = on_done};

static bool
names_scope(const struct mcph_refusal *refusal)
{
    const char *scope = refusal->challenge.scope;

    return scope && *scope;
}

/* Returns true if the server wants a scope that it does not name. */
static bool
lacks_unnamed_scope(const struct mcph_refusal *refusal)
{
    return refusal->status == 403 && !names_scope(refusal) &&
           mcph_streq(refusal->challenge.error, "insufficient_scope");
}

bool
mcph_entry_is_denied(const struct mcph_entry *e, bool had_token,
                     const struct mcph_refusal *refusal)
{
    if (refusal->status != 403 || refusal->is_invalid || refusal->n == 0)
        return refusal->status == 403 && !refusal->is_invalid;
    return had_token && mcph_entry_logs_in(e) && !names_scope(refusal) &&
           !lacks_unnamed_scope(refusal);
}

int
mcph_entry_log_in(struct mcph_asking *asking, const struct mcph_refusal *refusal)
{
    struct mcph_entry *e = asking->entry;
    struct mcph_keeper *k = e->keeper;
    const struct mcph_challenge *challenge = &refusal->challenge;
    bool lacks_scope = lacks_unnamed_scope(refusal);
    const struct mcph_login_means means = {.core = k->core,
                                           .net = k->net,
                                           .site = &e->site,
                                           .store = k->store,
                                           .mask = e->mask,
                                           .asks = k->asks_logins,
                                           .ask_ms = k->ask_ms,
                                           .fetch_ms = k->fetch_ms};
    char *held =
        mcph_strndup(asking->wanted.len ? asking->wanted.data : "", asking->wanted.len);
    const struct mcph_login_cause cause = {
        .status = refusal->is_invalid ? 401 : refusal->status,
        .hint = challenge->metadata ? challenge->metadata : e->metadata,
        .is_old_hint = !challenge->metadata,
        .scope = lacks_scope ? NULL : challenge->scope,
        .held = held,
        .refused = refusal->status != 403 || refusal->is_invalid || lacks_scope
                       ? e->access
                       : NULL,
        .lacks_scope = lacks_scope,
        .wants_dpop = challenge->scheme && strcasecmp(challenge->scheme, "DPoP") == 0};
    int r = held ? 0 : MCPHOST_E_NOMEM;

    if (r == 0 && challenge->metadata)
        r = keep_metadata(e, challenge->metadata);
    if (r == 0)
        r = mcph_login_start(&means, e->url, &e->way, &cause, &login_events, asking,
                             &asking->login);
    free(held);
    return r;
}

void
mcph_ask_paste(struct mcph_ask *ask, const char *text, size_t len)
{
    struct mcph_asking *asking = MCPH_CONTAINER_OF(ask, struct mcph_asking, ask);

    asking->is_open = false;
    mcph_login_paste(asking->login, text, len);
}

/* ---- proofs ------------------------------------------------------------------------ */

int
mcph_entry_add_proof(struct mcph_entry *e, struct mcph_net_attempt *attempt,
                     mcphost_error **reterr)
{
    const struct mcph_dpop dpop = {.method = attempt->method,
                                   .url = attempt->url,
                                   .token = e->access,
                                   .nonce = e->nonce,
                                   .now_s = mcph_clock_realtime_ms() / 1000};
    int r;

    if (!e->dpop)
        return 0;
    mcph_buf_add(&attempt->proof, "DPoP", sizeof("DPoP"));
    r = mcph_dpop_make(e->dpop, &dpop, &attempt->proof, reterr);
    return r == 0 && mcph_buf_addc(&attempt->proof, '\0') < 0 ? mcph_err_nomem(reterr)
                                                              : r;
}

bool
mcph_entry_take_nonce(struct mcph_entry *e, const struct mcph_net_answer *answer)
{
    const char *nonce, *challenge;
    char *copy;

    if (!e->dpop)
        return false;
    nonce = answer->header(answer, "dpop-nonce", 0);
    if (!nonce)
        return false;
    copy = mcph_strdup(nonce);
    if (!copy)
        return false;
    free(e->nonce);
    e->nonce = copy;
    if (answer->status != 401)
        return false;
    challenge = answer->header(answer, "www-authenticate", 0);
    return challenge && strstr(challenge, "use_dpop_nonce");
}

/* ---- the keeper -------------------------------------------------------------------- */

void
mcph_keeper_set_net(struct mcph_keeper *k, struct mcph_net *net)
{
    k->net = net;
}

struct mcph_store *
mcph_keeper_set_store(struct mcph_keeper *k, struct mcph_store *store, bool keeps_tokens)
{
    struct mcph_store *old = k->store;

    k->store = store;
    k->keeps_tokens = keeps_tokens;
    return old;
}

void
mcph_keeper_set_fetch_ms(struct mcph_keeper *k, int64_t ms)
{
    k->fetch_ms = ms;
}

void
mcph_keeper_set_logins(struct mcph_keeper *k, bool asks)
{
    k->asks_logins = asks;
}
