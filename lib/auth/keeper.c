/* SPDX-License-Identifier: MIT
 *
 * keeper.c - keep the credentials of a host, and ask the owner for missing credentials.
 *
 *   NONE --refused--> ASKING --answered--> GIVEN --refused, expired--> ASKING
 *     ^                 |                    |
 *     `---- turned down, over ---- dropped --'
 *
 * Each pair of server and URL has an entry (struct mcph_entry) with one of these states.
 * All connections of the pair share the state.  The keeper asks the owner one question at
 * a time about each pair: all requests that need the answer wait for the same answer.
 *
 * Each credential has a mark.  Each attempt has the mark of its credential.  A refused
 * request is sent again if the entry has a newer credential, even if the bytes of both
 * credentials are equal.  A request fails if the request is refused more than REFUSALS
 * times, or if the request was sent again and is refused with 403 for scopes that were
 * granted.  Fixed credentials come before supplied credentials.  If a request gets a
 * fixed Authorization header, the keeper does not ask the owner for this request.
 *
 * The keeper asks questions on the dispatcher.  The core's lock guards the credentials,
 * because any thread may change them.
 */
#include "auth/keeper_inner.h"

const bool mcph_auth_is_built = true;

/* ---- memory ------------------------------------------------------------------------ */

/* Copies headers into a buffer that never grows, because growing would leave a copy of
 * the secret in freed memory. */
static int
copy_lines(struct mcph_buf *to, const char *lines, size_t len)
{
    mcph_buf_wipe(to);
    if (mcph_buf_reserve(to, len) < 0)
        return mcph_buf_ok(to);
    return mcph_buf_add(to, lines, len);
}

static void
asking_free(struct mcph_asking *asking)
{
    if (!asking)
        return;
    mcph_login_cancel(asking->login);
    mcph_timer_done(&asking->timer);
    mcph_core_unpost(asking->entry->keeper->core, &asking->job);
    mcph_buf_done(&asking->wanted);
    free(asking->what);
    free(asking->params);
    free(asking);
}

static void
entry_free(struct mcph_entry *e)
{
    asking_free(e->asking);
    mcph_entry_login_done(e);
    mcph_buf_wipe(&e->lines);
    mcph_buf_done(&e->asked);
    mcph_buf_done(&e->granted);
    free(e->server);
    free(e->url);
    free(e->origin);
    free(e->shown);
    free(e);
}

/* ---- the question ------------------------------------------------------------------ */

/* Collects the scopes to ask for: the challenged scopes, and the scopes that were asked
 * for or granted before.  The earlier scopes are included, because a new grant must not
 * lose them (MCP 2026-07-28, "Scope Challenge Handling").  Leaves out each of these three
 * lists that would exceed MCPH_SCOPES_MAX.  The challenge in the question still contains
 * all challenged scopes. */
static int
want_scopes(struct mcph_asking *asking, const char *challenged)
{
    const struct mcph_entry *e = asking->entry;
    size_t len = challenged ? strlen(challenged) : 0;
    int r = mcph_scopes_add(&asking->wanted, e->asked.data, e->asked.len);

    if (r != MCPHOST_E_NOMEM)
        r = mcph_scopes_add(&asking->wanted, e->granted.data, e->granted.len);
    if (r != MCPHOST_E_NOMEM)
        r = mcph_scopes_add(&asking->wanted, challenged, len);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

/* Fills in the question.  Returns false if there is no memory.  Takes the core's lock,
 * because another thread may drop the scopes. */
static bool
fill_question(struct mcph_asking *asking, const struct mcph_refusal *refusal)
{
    struct mcph_entry *e = asking->entry;
    int r;

    asking->status = refusal->status;
    asking->ask.server = e->server;
    mcph_core_lock(e->keeper->core);
    r = want_scopes(asking, refusal->challenge.scope);
    if (r == 0)
        asking->params = mcph_refusal_params(asking, refusal);
    mcph_core_unlock(e->keeper->core);
    asking->what = mcph_refusal_message(refusal);
    return asking->what && asking->params;
}

static void on_due(struct mcph_timer *timer);
static void run_end(struct mcph_job *job);

int
mcph_asking_open(struct mcph_asking *asking)
{
    struct mcph_keeper *k = asking->entry->keeper;
    int r;

    /* The members of `ask` may still point to the texts of a login's question.  The login
     * has ended, and frees these texts. */
    asking->ask.url = asking->entry->shown;
    asking->ask.message = asking->what;
    asking->ask.params = asking->params;
    asking->ask.awaited = NULL;
    asking->is_open = true;
    r = k->events->ask(&asking->ask, k->arg);
    if (r < 0)
        asking->is_open = false;
    else if (k->ask_ms >= 0)
        mcph_timer_set(&asking->timer, mcph_core_now(k->core) + k->ask_ms);
    return r;
}

/* Starts a login, or asks the owner.  Returns 0 or MCPHOST_E_NOMEM. */
static int
open_question(struct mcph_asking *asking, const struct mcph_refusal *refusal)
{
    return mcph_entry_logs_in(asking->entry) ? mcph_entry_log_in(asking, refusal)
                                             : mcph_asking_open(asking);
}

/* Asks for credentials.  Returns false if there is no memory. */
static bool
ask_owner(struct mcph_entry *e, const struct mcph_refusal *refusal)
{
    struct mcph_asking *asking = calloc(1, sizeof(*asking));

    if (!asking)
        return false;
    asking->entry = e;
    asking->job.run = run_end;
    mcph_list_init(&asking->job.link);
    mcph_buf_init(&asking->wanted, MCPH_SCOPES_MAX);
    if (mcph_timer_init(&asking->timer, e->keeper->core, on_due) < 0 ||
        !fill_question(asking, refusal) || open_question(asking, refusal) < 0) {
        asking_free(asking);
        return false;
    }
    e->asking = asking;
    return true;
}

/* ---- the answer -------------------------------------------------------------------- */

/* Resumes all waiting requests.  Each request calls attach_lines() again at once, from
 * inside ready(). */
static void
tell_waiters(struct mcph_entry *e)
{
    struct mcph_list told, *item;

    mcph_list_init(&told);
    mcph_list_splice(&told, &e->waiters);
    e->users++;
    for (item = mcph_list_take_first(&told); item; item = mcph_list_take_first(&told)) {
        struct mcph_net_waiter *waiter =
            MCPH_LIST_ENTRY(item, struct mcph_net_waiter, link);

        waiter->ready(waiter);
    }
    e->users--;
}

void
mcph_asking_drop(struct mcph_asking *asking)
{
    struct mcph_entry *e = asking->entry;

    asking_free(asking);
    e->asking = NULL;
    tell_waiters(e);
}

void
mcph_asking_fail(struct mcph_asking *asking, mcphost_error *error)
{
    struct mcph_entry *e = asking->entry;

    if (!error)
        mcph_err_nomem(&error);
    mcph_err_set_http(error, asking->status, NULL, 0);
    asking_free(asking);
    e->asking = NULL;
    e->refusal = error;
    tell_waiters(e);
    e->refusal = NULL;
    mcphost_error_unref(error);
}

static void
answer_none(struct mcph_asking *asking, const char *why)
{
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_AUTH, "%s; there are no credentials for it: %s",
             asking->what, why);
    mcph_asking_fail(asking, error);
}

void
mcph_ask_refuse(struct mcph_ask *question, const char *why)
{
    struct mcph_asking *asking = MCPH_CONTAINER_OF(question, struct mcph_asking, ask);

    asking->is_open = false;
    if (asking->login)
        mcph_login_decline(asking->login, why);
    else
        answer_none(asking, why);
}

/* Stores the supplied credential.  The caller holds the core's lock. */
static int
store_answer(struct mcph_entry *e, const struct mcph_asking *asking, const char *lines,
             size_t len, const char *scope)
{
    int r = copy_lines(&e->lines, lines, len);

    mcph_buf_clear(&e->asked);
    mcph_buf_clear(&e->granted);
    if (r == 0)
        r = mcph_scopes_add(&e->asked, asking->wanted.data, asking->wanted.len);
    if (r == 0 && scope)
        r = mcph_scopes_add(&e->granted, scope, strlen(scope));
    else if (r == 0)
        r = mcph_scopes_add(&e->granted, e->asked.data, e->asked.len);
    e->given = r == 0;
    e->is_dropped = false;
    e->mark = ++e->keeper->fixed.last_mark;
    return r;
}

void
mcph_ask_answer(struct mcph_ask *question, const char *lines, size_t len, int64_t ms,
                const char *scope)
{
    struct mcph_asking *asking = MCPH_CONTAINER_OF(question, struct mcph_asking, ask);
    struct mcph_entry *e = asking->entry;
    struct mcph_core *core = e->keeper->core;
    int r;

    mcph_core_lock(core);
    r = store_answer(e, asking, lines, len, scope);
    e->due = ms < 0 ? INT64_MAX : mcph_core_now(core) + ms;
    e->early = INT64_MAX;
    mcph_core_unlock(core);
    if (r < 0) {
        answer_none(asking, mcphost_strerror(r));
        return;
    }
    mcph_asking_drop(asking);
}

/* Withdraws the question from the owner. */
static void
withdraw(struct mcph_asking *asking, const char *why)
{
    struct mcph_keeper *k = asking->entry->keeper;

    if (asking->is_open)
        k->events->over(&asking->ask, why, k->arg);
    asking->is_open = false;
}

static void
end_question(struct mcph_asking *asking, const char *why)
{
    withdraw(asking, why);
    answer_none(asking, why);
}

static void
run_end(struct mcph_job *job)
{
    struct mcph_asking *asking = MCPH_CONTAINER_OF(job, struct mcph_asking, job);

    if (asking->is_stale) {
        withdraw(asking, "the configuration of the login has changed");
        mcph_asking_drop(asking);
    } else if (asking->is_abandoned && asking->entry->users == 0) {
        end_question(asking, "the server is disabled or removed, or has another URL");
    }
}

/* Posts the job of a question.  The job may be posted already. */
static void
end_later(struct mcph_asking *asking)
{
    struct mcph_core *core = asking->entry->keeper->core;

    mcph_core_unpost(core, &asking->job);
    mcph_core_post_later(core, &asking->job);
}

void
mcph_asking_expire(struct mcph_asking *asking)
{
    asking->login = mcph_login_cancel(asking->login);
    asking->is_stale = true;
    end_later(asking);
}

/* Ends the question of an entry as soon as no connection uses the entry. */
static void
abandon(struct mcph_entry *e)
{
    if (!e->asking)
        return;
    e->asking->is_abandoned = true;
    end_later(e->asking);
}

static void
on_due(struct mcph_timer *timer)
{
    end_question(MCPH_CONTAINER_OF(timer, struct mcph_asking, timer),
                 "the application did not answer in time");
}

/* ---- requests ---------------------------------------------------------------------- */

static void
add_waiter(struct mcph_entry *e, struct mcph_net_waiter *waiter)
{
    struct mcph_keeper *k = e->keeper;

    mcph_list_remove(&waiter->link);
    mcph_list_append(&e->waiters, &waiter->link);
    if (k->events->waits && e->asking->is_open)
        k->events->waits(&e->asking->ask, k->arg);
}

static bool
may_ask(const struct mcph_entry *e)
{
    return mcph_entry_logs_in(e) || (e->keeper->asks && e->way.mode != MCPHOST_AUTH_NONE);
}

/* BESIDE means that the application has set only headers that are sent together with a
 * token (MCPH_FIXED_BESIDE), and that the entry has no token. */
enum { NOTHING, BESIDE, GIVEN, FIXED };

/* Appends the supplied headers.  Leaves out each header whose name the application's
 * headers have.  The application's headers are the bytes of `lines` from `from` on.  The
 * bytes before `from` may be of any form. */
static int
add_given(const struct mcph_buf *given, struct mcph_buf *lines, size_t from)
{
    size_t own = lines->len;
    int r = 0;

    for (size_t at = 0, end; r == 0 && at < given->len; at = end) {
        const char *name = given->data + at;
        bool has = false;

        end = at + strlen(name) + 1;
        end += strlen(given->data + end) + 1;
        for (size_t i = from; !has && i < own;) {
            has = strcasecmp(lines->data + i, name) == 0;
            i += strlen(lines->data + i) + 1;
            i += strlen(lines->data + i) + 1;
        }
        r = has ? 0 : mcph_buf_add(lines, name, end - at);
    }
    return r;
}

/* Gets the entry's current credential and its mark.  An expired credential counts only if
 * `expired_too` is true.  Appends the credential's headers to `lines`, which may be NULL.
 * The caller holds the core's lock.  Returns NOTHING, BESIDE, GIVEN, FIXED,
 * MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
static int
add_known(struct mcph_entry *e, bool expired_too, struct mcph_buf *lines,
          uint64_t *ret_mark, struct mcph_elsewhere *elsewhere)
{
    struct mcph_keeper *k = e->keeper;
    size_t from = lines ? lines->len : 0;
    uint64_t fixed = 0;
    int r, found;

    if (k->fixed.items.n == 0 && !e->given)
        return NOTHING;
    found = mcph_fixed_add(&k->fixed, e->server, e->origin, e->lines.len, lines, &fixed,
                           elsewhere);
    if (found < 0)
        return found;
    *ret_mark = fixed;
    if (found == MCPH_FIXED_CREDENTIAL)
        return FIXED;
    if (!e->given || (!expired_too && e->due <= mcph_core_now(k->core)))
        return found == MCPH_FIXED_BESIDE ? BESIDE : NOTHING;
    if (e->mark > fixed)
        *ret_mark = e->mark;
    r = lines ? add_given(&e->lines, lines, from) : 0;
    return r < 0 ? r : GIVEN;
}

static void
tell_elsewhere(struct mcph_entry *e, const struct mcph_elsewhere *elsewhere)
{
    struct mcph_keeper *k = e->keeper;
    bool any = elsewhere->name[0] != '\0';

    if (k->events->elsewhere && (any || k->told_elsewhere))
        k->events->elsewhere(e->server, e->origin, any ? elsewhere : NULL, k->arg);
    k->told_elsewhere = k->told_elsewhere || any;
}

/* Begins a login before the credential expires, so that no request waits for the login.
 * A login that cannot begin is due again with the next request. */
static void
log_in_early(struct mcph_entry *e)
{
    static const struct mcph_refusal nothing = {0};
    bool is_due;

    mcph_core_lock(e->keeper->core);
    is_due = e->early <= mcph_core_now(e->keeper->core);
    mcph_core_unlock(e->keeper->core);
    if (is_due && !e->asking && mcph_entry_logs_in(e))
        (void)ask_owner(e, &nothing);
}

static int
attach_lines(struct mcph_net_auth *auth, struct mcph_net_attempt *attempt,
             struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    static const struct mcph_refusal nothing = {0};
    struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);
    /* A request that only ends a session or only looks for a fault asks no question.  It
     * carries the present credential, even if the credential has expired. */
    bool expired, is_minor = attempt->is_quiet || attempt->method[0] == 'D';
    struct mcph_elsewhere elsewhere = {0};
    int r;

    if (strcmp(attempt->url, e->url) != 0 &&
        !mcph_net_url_same_origin(attempt->url, e->url))
        return 0;
    e->has_explained = false;
    mcph_core_lock(e->keeper->core);
    r = add_known(e, is_minor, &attempt->lines, &attempt->mark, &elsewhere);
    expired = e->given;
    mcph_core_unlock(e->keeper->core);
    if (r < 0)
        return mcph_err_nomem(reterr);
    tell_elsewhere(e, &elsewhere);
    if (r == FIXED)
        return 0;
    if (e->refusal && (r != GIVEN || !is_minor)) {
        if (reterr)
            *reterr = mcphost_error_ref(e->refusal);
        return mcphost_error_get_code(e->refusal);
    }
    if (r == GIVEN) {
        if (!is_minor)
            log_in_early(e);
        return mcph_entry_add_proof(e, attempt, reterr);
    }
    if (is_minor || (!e->asking && !(expired && may_ask(e))))
        return 0;
    if (!e->asking && !ask_owner(e, &nothing))
        return mcph_err_nomem(reterr);
    add_waiter(e, waiter);
    return 1;
}

static int
identify(struct mcph_net_auth *auth, struct mcph_buf *who)
{
    struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);
    uint64_t mark;
    int r;

    mcph_core_lock(e->keeper->core);
    r = add_known(e, true, who, &mark, NULL);
    mcph_core_unlock(e->keeper->core);
    return r < 0 ? r : 0;
}

/* Discards the supplied credential, because it is not valid any more. */
static void
discard_given(struct mcph_entry *e)
{
    mcph_core_lock(e->keeper->core);
    e->given = false;
    mcph_buf_wipe(&e->lines);
    mcph_core_unlock(e->keeper->core);
}

static int
fail_auth(mcphost_error **reterr, const char *why)
{
    mcph_err(reterr, MCPHOST_E_AUTH, "%s", why);
    return MCPH_NET_AUTH_FAIL;
}

/* Returns the reason why another credential would not help the request.  Returns NULL if
 * another credential may help. */
static const char *
find_end(struct mcph_entry *e, const struct mcph_net_attempt *attempt,
         const struct mcph_refusal *refusal)
{
    const char *scope = refusal->challenge.scope;
    bool had;

    if (attempt->refusals >= REFUSALS)
        return mcph_entry_logs_in(e)
                   ? "the token of the login was refused, too; log in with another "
                     "account, or tell the operator of the server"
                   : "the credentials that the application gave were refused, too";
    if (refusal->is_invalid || !scope || !*scope || attempt->refusals == 0)
        return NULL;
    mcph_core_lock(e->keeper->core);
    had = mcph_scopes_have(&e->granted, scope, strlen(scope));
    mcph_core_unlock(e->keeper->core);
    return had ? "the scope that it asks for was already granted" : NULL;
}

static int
refused(struct mcph_entry *e, const struct mcph_net_attempt *attempt,
        const struct mcph_refusal *refusal, bool had_token,
        struct mcph_net_waiter *waiter, mcphost_error **reterr)
{
    const char *end;

    if (mcph_entry_is_denied(e, had_token, refusal))
        return MCPH_NET_AUTH_PASS;
    end = e->asking ? NULL : find_end(e, attempt, refusal);
    /* Keep the credential after a 403 without invalid_token, because it is still valid
     * for requests that need other scopes. */
    if (refusal->is_invalid)
        discard_given(e);
    if (end) {
        e->has_explained = mcph_entry_logs_in(e);
        return fail_auth(reterr, end);
    }
    if (!e->asking && !may_ask(e))
        return MCPH_NET_AUTH_PASS;
    if (!e->asking && !ask_owner(e, refusal))
        return fail_auth(reterr, mcphost_strerror(MCPHOST_E_NOMEM));
    add_waiter(e, waiter);
    return MCPH_NET_AUTH_WAIT;
}

static int
answered(struct mcph_net_auth *auth, const struct mcph_net_attempt *attempt,
         const struct mcph_net_answer *answer, struct mcph_net_waiter *waiter,
         mcphost_error **reterr)
{
    struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);
    struct mcph_refusal refusal;
    uint64_t mark = 0;
    bool had_token;
    int known, verdict;

    if (mcph_entry_take_nonce(e, answer) && waiter && attempt->refusals < REFUSALS)
        return MCPH_NET_AUTH_RETRY;
    if (!waiter || (answer->status != 401 && answer->status != 403))
        return MCPH_NET_AUTH_PASS;
    mcph_core_lock(e->keeper->core);
    known = add_known(e, false, NULL, &mark, NULL);
    mcph_core_unlock(e->keeper->core);
    /* If the credential has changed since this attempt, retry the request with the
     * current credential.  With BESIDE, a lower mark only says that the token of the
     * attempt was dropped. */
    if (known == BESIDE ? mark > attempt->mark
                        : known != NOTHING && mark != attempt->mark)
        return MCPH_NET_AUTH_RETRY;
    if (known == FIXED || (known == BESIDE && !e->asking && !may_ask(e)))
        return fail_auth(reterr, "the credential that was set for it is refused");
    /* Another refusal may have dropped the token that this attempt had.  Then the mark of
     * the attempt is higher than the mark of the fixed headers that are left. */
    had_token = known == GIVEN || attempt->mark > mark;
    verdict = mcph_refusal_read(answer, had_token, &refusal) < 0
                  ? fail_auth(reterr, mcphost_strerror(MCPHOST_E_NOMEM))
                  : refused(e, attempt, &refusal, had_token, waiter, reterr);
    mcph_refusal_done(&refusal);
    return verdict;
}

/* Returns true while the keeper asks for a credential.  Also returns true while waiters
 * are told that a question has ended without a credential, and after the token of a login
 * was refused: in these two cases the error already gives the reason, and the caller need
 * not find the reason by test requests. */
static bool
is_asking(struct mcph_net_auth *auth)
{
    const struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);

    return e->asking || e->refusal || e->has_explained;
}

/* ---- entries ----------------------------------------------------------------------- */

static struct mcph_entry *
find_entry(struct mcph_keeper *k, const char *server, const char *url)
{
    mcph_list_for_each_entry (e, &k->entries, struct mcph_entry, link) {
        if (strcmp(e->server, server) == 0 && strcmp(e->url, url) == 0)
            return e;
    }
    return NULL;
}

static struct mcph_entry *
entry_new(struct mcph_keeper *k, const char *server, const char *url)
{
    struct mcph_entry *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->base = (struct mcph_net_auth){.attach = attach_lines,
                                     .answered = answered,
                                     .is_asking = is_asking,
                                     .identify = identify};
    e->keeper = k;
    mcph_list_init(&e->link);
    mcph_list_init(&e->waiters);
    mcph_buf_init(&e->lines, LINES_MAX);
    mcph_buf_init(&e->asked, MCPH_SCOPES_MAX);
    mcph_buf_init(&e->granted, MCPH_SCOPES_MAX);
    e->server = mcph_strdup(server);
    e->url = mcph_strdup(url);
    e->origin = mcph_net_url_origin(url);
    e->shown = mcph_net_url_shown(url);
    if (e->server && e->url && e->origin && e->shown)
        return e;
    entry_free(e);
    return NULL;
}

static bool
is_idle(const struct mcph_entry *e)
{
    return e->users == 0 && !e->asking;
}

/* Frees the least recently used idle entries beyond ENTRIES_MAX, because a host may use
 * many servers, one after the other. */
static void
evict_idle(struct mcph_keeper *k)
{
    size_t n = 0;

    mcph_list_for_each (item, &k->entries)
        n += is_idle(MCPH_LIST_ENTRY(item, struct mcph_entry, link));
    mcph_list_for_each_safe (item, &k->entries) {
        struct mcph_entry *e = MCPH_LIST_ENTRY(item, struct mcph_entry, link);

        if (n <= ENTRIES_MAX)
            return;
        if (!is_idle(e))
            continue;
        mcph_list_remove(&e->link);
        entry_free(e);
        n--;
    }
}

void
mcph_keeper_abandon(struct mcph_keeper *k, const char *server, const char *url)
{
    mcph_list_for_each_entry (e, &k->entries, struct mcph_entry, link) {
        if (strcmp(e->server, server) == 0 && !mcph_streq(e->url, url))
            abandon(e);
    }
}

struct mcph_net_auth *
mcph_keeper_get(struct mcph_keeper *k, const char *server, const char *url)
{
    struct mcph_entry *e = find_entry(k, server, url);

    if (!e)
        e = entry_new(k, server, url);
    if (!e)
        return NULL;
    mcph_keeper_abandon(k, server, url);
    if (e->asking)
        e->asking->is_abandoned = false;
    e->users++;
    mcph_core_lock(k->core);
    mcph_list_remove(&e->link);
    mcph_list_append(&k->entries, &e->link);
    evict_idle(k);
    mcph_core_unlock(k->core);
    return &e->base;
}

void
mcph_keeper_put(struct mcph_net_auth *auth)
{
    struct mcph_entry *e;

    if (!auth)
        return;
    /* Keep the question open, because the answer may take longer than a server's start.
     * The next start can use the answer. */
    e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);
    e->users--;
    if (e->asking && e->asking->is_abandoned)
        abandon(e);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_keeper_new(struct mcph_core *core, const struct mcph_keeper_events *events,
                void *arg, struct mcph_keeper **ret)
{
    struct mcph_keeper *k = calloc(1, sizeof(*k));

    if (!k)
        return MCPHOST_E_NOMEM;
    k->core = mcph_core_ref(core);
    k->events = events;
    k->arg = arg;
    mcph_list_init(&k->entries);
    mcph_list_init(&k->revocations);
    mcph_list_init(&k->forgetting.link);
    k->forgetting.run = mcph_keeper_forget_dropped;
    *ret = k;
    return 0;
}

void
mcph_keeper_close(struct mcph_keeper *k, const char *why)
{
    k->asks = false;
    k->net = NULL; /* so that no login begins */
    mcph_list_for_each (item, &k->entries) {
        struct mcph_asking *asking =
            MCPH_LIST_ENTRY(item, struct mcph_entry, link)->asking;

        if (asking)
            end_question(asking, why);
    }
}

void
mcph_keeper_free(struct mcph_keeper *k)
{
    struct mcph_list *item;

    if (!k)
        return;
    mcph_keeper_end_revocations(k);
    mcph_core_unpost(k->core, &k->forgetting);
    for (item = mcph_list_take_first(&k->entries); item;
         item = mcph_list_take_first(&k->entries))
        entry_free(MCPH_LIST_ENTRY(item, struct mcph_entry, link));
    mcph_store_unref(k->store);
    mcph_fixed_done(&k->fixed);
    mcph_core_unref(k->core);
    free(k);
}

void
mcph_keeper_set_asking(struct mcph_keeper *k, bool asks, int64_t ms)
{
    k->asks = asks;
    k->ask_ms = ms;
}

int
mcph_keeper_set_fixed_locked(struct mcph_keeper *k, const char *server,
                             const char *origin, const char *name, const char *value,
                             const char *bound)
{
    return mcph_fixed_set(&k->fixed, server, origin, name, value, bound);
}

void
mcph_keeper_drop_locked(struct mcph_keeper *k, const char *server)
{
    mcph_list_for_each_entry (e, &k->entries, struct mcph_entry, link) {
        if (server && strcmp(server, e->server) != 0)
            continue;
        e->given = false;
        e->is_dropped = true;
        mcph_buf_wipe(&e->lines);
        mcph_buf_clear(&e->asked);
        mcph_buf_clear(&e->granted);
    }
    if (!k->is_forgetting)
        mcph_core_post_locked(k->core, &k->forgetting);
    k->is_forgetting = true;
}
