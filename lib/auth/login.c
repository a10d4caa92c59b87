/* SPDX-License-Identifier: MIT
 *
 * login.c - the life of a login: start, waits, end.
 */
#include <inttypes.h>
#include <stdio.h>

#include "auth/auth.h"
#include "auth/login_inner.h"

/* A token is due for replacement this many seconds before it expires, or a fifth of its
 * remaining life before it expires, if a fifth is less.  Without this time, a token could
 * expire on its way to the server. */
#define EARLY_S 60

/* The time in ms for which a login still serves the redirect URI after the redirect, so
 * that the browser can load the page with the result of the login. */
#define LINGER_MS      1000
#define LINGER_POLL_MS 20

/* A token counts as valid for at least this many ms, whatever the server says about its
 * life.  Otherwise each request would begin a login. */
#define LIFE_MIN_MS 1000

#define SKEW_S 60 /* errors do not mention a smaller difference of the clocks */

/* ---- waits ------------------------------------------------------------------------- */

static void
run_next(struct mcph_login *login)
{
    mcph_login_step next = login->next;

    login->next = NULL;
    next(login);
}

static void
run_job(struct mcph_job *job)
{
    run_next(MCPH_CONTAINER_OF(job, struct mcph_login, job));
}

static void
on_due(struct mcph_timer *timer)
{
    run_next(MCPH_CONTAINER_OF(timer, struct mcph_login, timer));
}

void
mcph_login_continue(struct mcph_login *login, mcph_login_step next)
{
    login->next = next;
    mcph_core_post_later(login->means.core, &login->job);
}

void
mcph_login_wait(struct mcph_login *login, int64_t ms, mcph_login_step next)
{
    login->next = next;
    mcph_timer_set(&login->timer, mcph_core_now(login->means.core) + ms);
}

/* ---- ends -------------------------------------------------------------------------- */

void
mcph_login_reset_question(struct mcph_login *login)
{
    login->door = mcph_door_close(login->door);
    /* Wipe the URL, because its query has the state, a secret. */
    mcph_str_wipe((char *)(uintptr_t)login->question.url);
    free((char *)(uintptr_t)login->question.message);
    free((char *)(uintptr_t)login->question.params);
    login->question = (struct mcph_login_question){0};
    mcph_oauth_client_done(&login->client);
    mcph_oauth_device_done(&login->device);
    explicit_bzero(&login->pkce, sizeof(login->pkce));
    explicit_bzero(login->state, sizeof(login->state));
    free(login->redirect_uri);
    login->redirect_uri = NULL;
    mcph_str_wipe(login->code);
    login->code = NULL;
    login->is_reused = login->is_taken = login->is_answered = false;
}

struct mcph_login *
mcph_login_cancel(struct mcph_login *login)
{
    if (!login)
        return NULL;
    mcph_timer_done(&login->timer);
    mcph_core_unpost(login->means.core, &login->job);
    mcph_login_fetch_done(login);
    free(login->fetch.nonce);
    free(login->fetch.nonce_url);
    mcph_login_reset_question(login);
    mcph_login_release(login);
    mcph_oauth_places_done(&login->places);
    mcph_oauth_resource_done(&login->resource);
    mcph_oauth_issuer_done(&login->issuer);
    mcph_login_record_done(&login->record);
    mcph_login_record_done(&login->made);
    mcph_keypair_free(login->dpop);
    mcph_keypair_free(login->signer);
    free(login->scope);
    free(login->pinned);
    mcph_str_wipe(login->jag);
    mcph_str_wipe(login->cause.refused);
    free(login->cause.hint);
    free(login->cause.scope);
    free(login->cause.held);
    mcphost_error_unref(login->error);
    mcphost_error_unref(login->fault);
    mcph_login_way_done(&login->held);
    free(login->url);
    free(login);
    return NULL;
}

bool
mcph_login_lingers(struct mcph_login *login, mcph_login_step next)
{
    if (!login->door || !login->is_taken || login->is_answered ||
        mcph_core_now(login->means.core) >= login->taken_at + LINGER_MS)
        return false;
    mcph_login_wait(login, LINGER_POLL_MS, next);
    return true;
}

static void
report_failure(struct mcph_login *login)
{
    static const struct mcph_login_token *const none = NULL;
    mcphost_error *error = login->error;

    if (mcph_login_lingers(login, report_failure))
        return;
    login->error = NULL;
    if (!error)
        mcph_err_nomem(&error);
    mcph_login_close_question(login, mcphost_error_get_message(error));
    login->events->done(none, error, login->arg);
    mcphost_error_unref(error);
    mcph_login_cancel(login);
}

const char *
mcph_login_advice(const struct mcph_login *login, const char *advice)
{
    return login->revokes ? "end the login at the page of the authorization server"
                          : advice;
}

/* Adds a fact from the headers of the last answer to the message of `error`: the pause
 * that the server asks for, or a difference of the clocks.  A server whose clock differs
 * may refuse proofs and assertions. */
static mcphost_error *
add_headers(const struct mcph_login *login, mcphost_error *error)
{
    int64_t retry_s = login->fetch.retry_s, skew_s = login->fetch.skew_s;
    int code = error ? mcphost_error_get_code(error) : MCPHOST_E_NOMEM;
    mcphost_error *longer = NULL;
    char after[24];

    if (code == MCPHOST_E_TRANSPORT && retry_s > 0 && !login->revokes) {
        mcph_err(&longer, code, "%s, after %" PRId64 " s",
                 mcphost_error_get_message(error), retry_s);
        snprintf(after, sizeof(after), "%" PRId64, retry_s);
        mcph_err_set_http(longer, login->fetch.status, after, strlen(after));
    } else if (code == MCPHOST_E_AUTH && login->fetch.is_post &&
               (skew_s > SKEW_S || skew_s < -SKEW_S))
        mcph_err(&longer, code,
                 "%s, and check the clock: the server's clock differs by %" PRId64 " s",
                 mcphost_error_get_message(error), skew_s);
    if (!longer)
        return error;
    mcphost_error_unref(error);
    return longer;
}

void
mcph_login_fail(struct mcph_login *login, mcphost_error *error)
{
    mcphost_error_unref(login->error);
    /* Mask the message, because the server's challenge may repeat a secret in the URL of
     * its metadata. */
    error = add_headers(login, error);
    login->error = mcph_err_masked(error, login->means.mask);
    mcphost_error_unref(error);
    mcph_login_fetch_done(login);
    mcph_login_release(login);
    mcph_timer_cancel(&login->timer);
    mcph_core_unpost(login->means.core, &login->job);
    mcph_login_continue(login, report_failure);
}

/* Returns the ms before the record's token expires, at least LIFE_MIN_MS, or -1 if
 * unknown. */
static int64_t
get_life_ms(const struct mcph_login_record *record)
{
    int64_t left;

    if (record->expires_at < 0)
        return -1;
    left = record->expires_at * 1000 - mcph_clock_realtime_ms();
    return left > LIFE_MIN_MS ? left : LIFE_MIN_MS;
}

/* Returns the ms before the token should be replaced.  Returns -1 if `life_ms` is -1, or
 * if only the user can replace the token. */
static int64_t
get_early_ms(const struct mcph_login *login, const struct mcph_login_record *record,
             int64_t life_ms)
{
    int64_t early = life_ms / 5 > EARLY_S * 1000 ? EARLY_S * 1000 : life_ms / 5;

    if (life_ms < 0 || (!record->refresh && !mcph_login_is_alone(login)))
        return -1;
    return life_ms - early;
}

void
mcph_login_finish(struct mcph_login *login, const struct mcph_login_record *record)
{
    int64_t life_ms = get_life_ms(record);
    struct mcph_login_token token = {.access = record->access,
                                     .scope = record->scope,
                                     .ms = life_ms,
                                     .early_ms = get_early_ms(login, record, life_ms),
                                     .dpop_key = record->dpop_key};

    mcph_login_close_question(login, MCPH_LOGIN_ANSWERED);
    mcph_login_release(login);
    mcph_login_hide(login, record->access);
    mcph_login_hide(login, record->refresh);
    login->events->waits(NULL, login->arg);
    login->events->done(&token, NULL, login->arg);
    mcph_login_cancel(login);
}

void
mcph_login_say(struct mcph_login *login, int level, mcphost_error *error)
{
    mcphost_error *shown = mcph_err_masked(error, login->means.mask);

    mcph_log(login->means.core, level, "auth", NULL, "%s",
             shown ? mcphost_error_get_message(shown)
                   : mcphost_strerror(MCPHOST_E_NOMEM));
    mcphost_error_unref(shown);
}

void
mcph_login_hide(struct mcph_login *login, const char *secret)
{
    if (secret && login->means.mask &&
        mcph_mask_add(login->means.mask, secret, strlen(secret)) < 0)
        login->is_unmasked = true;
}

/* ---- start ------------------------------------------------------------------------- */

int
mcph_login_start(const struct mcph_login_means *means, const char *url,
                 const struct mcph_login_way *way, const struct mcph_login_cause *cause,
                 const struct mcph_login_events *events, void *arg,
                 struct mcph_login **ret)
{
    struct mcph_login *login = calloc(1, sizeof(*login));

    if (!login)
        return MCPHOST_E_NOMEM;
    login->means = *means;
    login->way = way;
    login->events = events;
    login->arg = arg;
    login->record.expires_at = login->made.expires_at = -1;
    login->cause.status = cause->status;
    login->cause.is_old_hint = cause->is_old_hint;
    login->cause.wants_dpop = cause->wants_dpop;
    login->cause.lacks_scope = cause->lacks_scope;
    mcph_list_init(&login->job.link);
    login->job.run = run_job;
    if (!mcph_str_copy(url, &login->url) ||
        !mcph_str_copy(cause->hint, &login->cause.hint) ||
        !mcph_str_copy(cause->scope, &login->cause.scope) ||
        !mcph_str_copy(cause->held, &login->cause.held) ||
        !mcph_str_copy(cause->refused, &login->cause.refused) ||
        mcph_timer_init(&login->timer, means->core, on_due) < 0) {
        mcph_login_cancel(login);
        return MCPHOST_E_NOMEM;
    }
    login->server = (struct mcph_oauth_server){.url = login->url,
                                               .takes_private = way->takes_private,
                                               .takes_no_pkce = way->takes_no_pkce};
    mcph_login_continue(login, mcph_login_discover);
    *ret = login;
    return 0;
}
