/* SPDX-License-Identifier: MIT
 *
 * test_auth_keeper.c - the keeper of a host's credentials: fixed credentials, and
 * credentials that the keeper asks the application for.
 */
#include <stdio.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/keeper_inner.h"
#include "support/runner.h"

#define URL    "https://one.example/mcp?key=hush"
#define OTHER  "https://two.example/mcp"
#define ORIGIN "https://one.example:443"
#define TOKEN  "Authorization\0Bearer t1"
#define NEWER  "Authorization\0Bearer t2"

static struct mcph_core *core;
static struct mcph_keeper *keeper;
static struct mcph_net_auth *auth;
static struct mcph_ask *ask;
static int n_asked, n_over, n_ready;
static char over_why[128], got[512];
static int64_t now;

/* A request that may wait for a credential.  After the wait, on_ready() attaches the
 * headers to the request again. */
struct waiting {
    struct mcph_net_waiter waiter;
    struct mcph_net_attempt attempt;
    int code, status;
    char lines[256], why[512];
};

static struct waiting one, two;

static int64_t
get_now(void *arg)
{
    (void)arg;
    return now;
}

static int
on_ask(struct mcph_ask *a, void *arg)
{
    ck_assert_ptr_eq(arg, &keeper);
    ask = a;
    n_asked++;
    return 0;
}

static void
on_over(struct mcph_ask *a, const char *why, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(a, ask);
    n_over++;
    snprintf(over_why, sizeof(over_why), "%s", why);
}

static const struct mcph_keeper_events events = {.ask = on_ask, .over = on_over};

/* Writes headers as "Name=value;". */
static void
spell(const struct mcph_buf *lines, char *text, size_t size)
{
    size_t at = 0, n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < lines->len && n + 2 < size; i++) {
        if (lines->data[i])
            text[n++] = lines->data[i];
        else
            text[n++] = at++ % 2 == 0 ? '=' : ';';
        text[n] = '\0';
    }
}

static int
ask_for(struct mcph_net_auth *a, const char *method, const char *url, struct waiting *w)
{
    struct mcph_net_attempt *attempt = &w->attempt;
    mcphost_error *error = NULL;

    attempt->method = method;
    attempt->url = url;
    attempt->mark = 0;
    mcph_buf_init(&attempt->lines, 65536);
    w->code = a->attach(a, attempt, &w->waiter, &error);
    spell(&attempt->lines, w->lines, sizeof(w->lines));
    w->status = mcphost_error_get_http_status(error);
    snprintf(w->why, sizeof(w->why), "%s", error ? mcphost_error_get_message(error) : "");
    mcph_buf_done(&attempt->lines);
    mcphost_error_unref(error);
    return w->code;
}

static void
on_ready(struct mcph_net_waiter *waiter)
{
    struct waiting *w = MCPH_CONTAINER_OF(waiter, struct waiting, waiter);

    n_ready++;
    ask_for(auth, "POST", URL, w);
}

/* Returns the headers of a request to `server` at `url`. */
static const char *
carried(const char *server, const char *url)
{
    struct mcph_net_auth *a = mcph_keeper_get(keeper, server, url);
    struct waiting w = {.waiter.ready = on_ready};

    mcph_list_init(&w.waiter.link);
    ck_assert_ptr_nonnull(a);
    ck_assert_int_eq(ask_for(a, "POST", url, &w), 0);
    mcph_keeper_put(a);
    snprintf(got, sizeof(got), "%s", w.lines);
    return got;
}

static int
set_fixed(const char *server, const char *origin, const char *name, const char *value)
{
    int r;

    mcph_core_lock(core);
    r = mcph_keeper_set_fixed_locked(keeper, server, origin, name, value, NULL);
    mcph_core_unlock(core);
    return r;
}

static const char *said; /* the challenge of the server */

static const char *
get_header(const struct mcph_net_answer *answer, const char *name, size_t index)
{
    (void)answer;
    return index == 0 && strcmp(name, "www-authenticate") == 0 ? said : NULL;
}

static struct mcph_mask *mask; /* the secrets of the server's entry */

static void
cover(const struct mcph_net_answer *answer, char *text, size_t len)
{
    (void)answer;
    mcph_mask_text(mask, text, len);
}

/* Reports to the keeper that the server refused the last attempt of the request.  Returns
 * the keeper's verdict. */
static int
refused(struct waiting *w, int status, const char *challenge)
{
    const struct mcph_net_answer answer = {
        .status = status, .header = get_header, .cover = cover};
    mcphost_error *error = NULL;
    int verdict;

    said = challenge;
    verdict = auth->answered(auth, &w->attempt, &answer, &w->waiter, &error);
    snprintf(w->why, sizeof(w->why), "%s", error ? mcphost_error_get_message(error) : "");
    mcphost_error_unref(error);
    w->attempt.refusals +=
        verdict == MCPH_NET_AUTH_RETRY || verdict == MCPH_NET_AUTH_WAIT;
    return verdict;
}

static void
answer(const char *token, size_t len)
{
    mcph_ask_answer(ask, token, len, -1, NULL);
}

static void
up(void)
{
    now = 1000;
    n_asked = n_over = n_ready = 0;
    ask = NULL;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_core_set_clock(core, get_now, NULL);
    ck_assert_int_eq(mcph_keeper_new(core, &events, &keeper, &keeper), 0);
    mcph_keeper_set_asking(keeper, true, 5000);
    auth = mcph_keeper_get(keeper, "s", URL);
    one = two = (struct waiting){.waiter.ready = on_ready};
    mcph_list_init(&one.waiter.link);
    mcph_list_init(&two.waiter.link);
}

static void
down(void)
{
    mcph_keeper_put(auth);
    mcph_keeper_free(keeper);
    mcph_core_unref(core);
}

/* ---- fixed credentials ------------------------------------------------------------- */

START_TEST(a_fixed_header_is_sent_only_to_its_server_and_origin)
{
    ck_assert_str_eq(carried("s", URL), "");
    set_fixed("s", NULL, "X-A", "server");
    set_fixed(NULL, ORIGIN, "X-B", "origin");
    set_fixed("s", "https://two.example:443", "X-C", "both");
    ck_assert_str_eq(carried("s", URL), "X-A=server;X-B=origin;");
    ck_assert_str_eq(carried("t", URL), "X-B=origin;");
    /* If a header is set for a server, but for no origin, the keeper sends the header
     * only to the origin of the server's first request. */
    ck_assert_str_eq(carried("s", OTHER), "X-C=both;");
    ck_assert_str_eq(carried("t", OTHER), "");
    ck_assert_str_eq(carried("t", "http://one.example/mcp"), "");
    ck_assert_str_eq(carried("t", "https://one.example:8443/mcp"), "");
    ck_assert_str_eq(carried("t", "https://ONE.example:443/other"), "X-B=origin;");
    ck_assert_str_eq(carried("t", "https://evil@two.example/"), "");
}
END_TEST

START_TEST(the_more_specific_fixed_header_is_sent)
{
    set_fixed(NULL, ORIGIN, "authorization", "o");
    ck_assert_str_eq(carried("s", URL), "authorization=o;");
    set_fixed("s", NULL, "Authorization", "s");
    ck_assert_str_eq(carried("s", URL), "Authorization=s;");
    set_fixed("s", ORIGIN, "AUTHORIZATION", "b");
    ck_assert_str_eq(carried("s", URL), "AUTHORIZATION=b;");
    set_fixed("s", ORIGIN, "Authorization", NULL);
    ck_assert_str_eq(carried("s", URL), "Authorization=s;");
    set_fixed("s", NULL, "Authorization", "t");
    ck_assert_str_eq(carried("s", URL), "Authorization=t;");
    set_fixed("s", NULL, "Authorization", NULL);
    set_fixed(NULL, ORIGIN, "Authorization", NULL);
    ck_assert_str_eq(carried("s", URL), "");
    ck_assert_int_eq(set_fixed(NULL, NULL, "X", "x"), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(the_number_of_fixed_headers_is_limited)
{
    char name[16];

    for (int i = 0; i < MCPH_FIXED_MAX; i++) {
        snprintf(name, sizeof(name), "X-%d", i);
        ck_assert_int_eq(set_fixed("t", NULL, name, "v"), 0);
    }
    ck_assert_int_eq(set_fixed("t", NULL, "X-more", "v"), MCPHOST_E_LIMIT);
    ck_assert_int_eq(set_fixed("t", NULL, "X-7", "w"), 0);
}
END_TEST

START_TEST(a_refused_fixed_credential_asks_no_question)
{
    set_fixed("s", NULL, "Authorization", "Bearer t1");
    ask_for(auth, "POST", URL, &one);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_FAIL);
    ck_assert_str_eq(one.why, "the credential that was set for it is refused");
    /* The keeper retries the request, because the credential has changed since the
     * request was sent. */
    set_fixed("s", NULL, "Authorization", "Bearer t2");
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_RETRY);
    ask_for(auth, "POST", URL, &one);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_FAIL);
    ck_assert_int_eq(n_asked, 0);
}
END_TEST

/* If the application has set Authorization, the keeper does not ask for a credential.
 * Each other header is sent beside the credential that the keeper gets. */
START_TEST(other_fixed_headers_are_sent_beside_a_token)
{
    set_fixed("s", NULL, "X-Key", "k1");
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 0);
    ck_assert_str_eq(one.lines, "X-Key=k1;");
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    answer(TOKEN "\0x-key\0k2", sizeof(TOKEN "\0x-key\0k2"));
    ck_assert_str_eq(one.lines, "X-Key=k1;Authorization=Bearer t1;");
    set_fixed("s", NULL, "aUTHORIZATION", "Basic mine");
    ck_assert_str_eq(carried("s", URL), "X-Key=k1;aUTHORIZATION=Basic mine;");
    ask_for(auth, "POST", URL, &one);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_FAIL);
    ck_assert_int_eq(n_asked, 1);
}
END_TEST

/* identify() appends the credential to bytes of its caller.  In the library, these bytes
 * are a digest.  In this test, the bytes look like a header, so that the test fails if
 * the keeper reads the bytes as a header. */
START_TEST(the_bytes_before_the_credential_are_no_headers)
{
    static const char before[] = "authorization\0x";
    struct mcph_buf who;

    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 0);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    answer(TOKEN, sizeof(TOKEN));
    mcph_buf_init(&who, 4096);
    ck_assert_int_eq(mcph_buf_add(&who, before, sizeof(before)), 0);
    ck_assert_int_eq(auth->identify(auth, &who), 0);
    ck_assert_uint_eq(who.len, sizeof(before) + sizeof("Authorization\0Bearer t1"));
    mcph_buf_done(&who);
}
END_TEST

START_TEST(a_newer_credential_is_tried_even_if_its_bytes_are_equal)
{
    set_fixed("s", NULL, "Authorization", "Bearer t1");
    ask_for(auth, "POST", URL, &one);
    set_fixed("s", NULL, "Authorization", "Bearer t1");
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_RETRY);
    /* A credential for another server does not count as a newer credential. */
    ask_for(auth, "POST", URL, &one);
    set_fixed("t", NULL, "Authorization", "Bearer t1");
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_FAIL);
}
END_TEST

START_TEST(a_status_200_or_404_asks_no_question)
{
    const struct mcph_net_answer good = {.status = 200, .header = get_header};

    said = "Bearer";
    ask_for(auth, "POST", URL, &one);
    ck_assert_int_eq(auth->answered(auth, &one.attempt, &good, NULL, NULL),
                     MCPH_NET_AUTH_PASS);
    ck_assert_int_eq(refused(&one, 404, "Bearer"), MCPH_NET_AUTH_PASS);
    ck_assert_int_eq(n_asked, 0);
}
END_TEST

/* ---- questions --------------------------------------------------------------------- */

START_TEST(one_question_serves_all_waiting_requests)
{
    ck_assert_int_eq(refused(&one, 401, "Bearer scope=\"a b\", realm=r"),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(n_asked, 1);
    ck_assert_str_eq(ask->server, "s");
    ck_assert_str_eq(ask->url, "https://one.example/mcp");
    ck_assert_str_eq(ask->message,
                     "answered with HTTP status 401: it wants credentials; it asks for "
                     "Bearer with scope \"a b\" in realm \"r\"");
    ck_assert_str_eq(ask->params,
                     "{\"origin\":\"https://one.example:443\",\"status\":401,"
                     "\"challenges\":[\"Bearer scope=\\\"a b\\\", realm=r\"],"
                     "\"scheme\":\"Bearer\",\"realm\":\"r\",\"scope\":\"a b\","
                     "\"wantedScope\":\"a b\"}");
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(n_ready, 2);
    ck_assert_str_eq(one.lines, "Authorization=Bearer t1;");
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
    /* The keeper uses the token only for requests to this server at this origin. */
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    ck_assert_str_eq(carried("t", URL), "");
    ck_assert_str_eq(carried("s", OTHER), "");
    ck_assert_int_eq(n_asked, 1);
}
END_TEST

/* The keeper masks the scope only in the question.  Therefore the later scope "****:read"
 * counts as another scope than "acme:read". */
START_TEST(a_question_shows_the_challenge_with_secrets_masked)
{
    const struct mcph_login_way way = {.mode = MCPHOST_AUTH_AUTO};
    const struct mcph_net_site site = {0};

    mask = mcph_mask_new();
    ck_assert_int_eq(mcph_mask_add(mask, "acme", 4), 0);
    ck_assert_int_eq(mcph_keeper_set_way(auth, &way, &site, mask), 0);
    ck_assert_int_eq(refused(&one, 401,
                             "Bearer scope=\"acme:read\", realm=acme, "
                             "resource_metadata=\"https://acme.example/r\""),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_ptr_null(strstr(ask->message, "acme"));
    ck_assert_ptr_null(strstr(ask->params, "acme"));
    ck_assert_ptr_nonnull(strstr(ask->params, "\"wantedScope\":\"****:read\""));
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(refused(&one, 403, "Bearer scope=\"****:read\""),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_ptr_nonnull(strstr(ask->params, "\"wantedScope\":\"****:read ****:read\""));
    mask = mcph_mask_unref(mask);
}
END_TEST

START_TEST(a_new_request_waits_for_the_answer_too)
{
    refused(&one, 401, "Bearer");
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 1);
    ck_assert_int_eq(ask_for(auth, "DELETE", URL, &(struct waiting){.code = 9}), 0);
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(n_ready, 2);
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
}
END_TEST

START_TEST(a_request_that_stopped_waiting_is_not_resumed)
{
    refused(&one, 401, "Bearer");
    refused(&two, 401, "Bearer");
    mcph_list_remove(&one.waiter.link);
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(n_ready, 1);
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
}
END_TEST

START_TEST(a_refused_question_fails_the_waiting_requests_with_the_reason)
{
    refused(&one, 401, "Bearer scope=x");
    mcph_ask_refuse(ask, "the user declined");
    ck_assert_int_eq(one.code, MCPHOST_E_AUTH);
    ck_assert_int_eq(one.status, 401);
    ck_assert_str_eq(
        one.why,
        "answered with HTTP status 401: it wants credentials; it asks for Bearer with "
        "scope \"x\"; there are no credentials for it: the user declined");
    /* The next request carries no credentials.  When the server refuses that request, the
     * keeper asks the application for credentials again. */
    ck_assert_str_eq(carried("s", URL), "");
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(n_asked, 2);
}
END_TEST

START_TEST(a_request_that_is_refused_three_times_is_not_sent_again)
{
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
        answer(TOKEN, sizeof(TOKEN));
        ck_assert_str_eq(one.lines, "Authorization=Bearer t1;");
    }
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_FAIL);
    ck_assert_ptr_nonnull(strstr(one.why, "were refused, too"));
    ck_assert_ptr_null(strstr(one.why, "t1"));
    ck_assert_int_eq(n_asked, 2);
    /* The next request carries no credentials.  When the server refuses that request, the
     * keeper asks the application for credentials again. */
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 0);
    ck_assert_str_eq(two.lines, "");
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
}
END_TEST

START_TEST(a_token_that_came_for_another_request_is_tried_at_once)
{
    refused(&one, 401, "Bearer");
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_RETRY);
    ck_assert_int_eq(n_asked, 1);
    /* The keeper does not use a refused credential for other requests. */
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 1);
    answer(NEWER, sizeof(NEWER));
    ck_assert_str_eq(one.lines, "Authorization=Bearer t2;");
    ck_assert_str_eq(two.lines, "Authorization=Bearer t2;");
}
END_TEST

START_TEST(a_403_without_a_challenge_asks_no_question)
{
    ck_assert_int_eq(refused(&one, 403, NULL), MCPH_NET_AUTH_PASS);
    ck_assert_int_eq(n_asked, 0);
    ck_assert_int_eq(refused(&one, 403, "Bearer error=insufficient_scope"),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(n_asked, 1);
    ck_assert_ptr_nonnull(strstr(ask->params, "\"error\":\"insufficient_scope\""));
}
END_TEST

/* The test does not dispatch, so that the login does not start and `net` is not used. */
START_TEST(a_403_after_a_header_beside_the_token_begins_a_login)
{
    static int net;
    struct mcph_store *store;

    ck_assert_int_eq(mcph_store_memory_new(&store), 0);
    ck_assert_ptr_null(mcph_keeper_set_store(keeper, store, true));
    mcph_keeper_set_net(keeper, (struct mcph_net *)&net);
    set_fixed("s", NULL, "X-Key", "k");
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 0);
    ck_assert_str_eq(one.lines, "X-Key=k;");
    ck_assert_int_eq(refused(&one, 403, "Bearer resource_metadata=\"" URL "\""),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(n_asked, 0);
}
END_TEST

/* Two requests have the same token.  The refusal of the first request drops the token.
 * The 403 of the second request then begins no login, because that request had a token.
 * The test does not dispatch, so that the login of the first request does not start and
 * `net` is not used. */
START_TEST(a_403_for_a_token_that_was_dropped_meanwhile_begins_no_login)
{
    static int net;
    struct mcph_store *store;

    if (_i)
        set_fixed("s", NULL, "X-Key", "k");
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 0);
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 0);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_WAIT);
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(mcph_store_memory_new(&store), 0);
    ck_assert_ptr_null(mcph_keeper_set_store(keeper, store, true));
    mcph_keeper_set_net(keeper, (struct mcph_net *)&net);
    ck_assert_int_eq(refused(&one, 403, "Bearer error=invalid_token"),
                     MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(refused(&two, 403, "Bearer realm=r"), MCPH_NET_AUTH_PASS);
}
END_TEST

START_TEST(with_asking_off_no_question_is_asked)
{
    mcph_keeper_set_asking(keeper, false, -1);
    ck_assert_int_eq(refused(&one, 401, "Bearer"), MCPH_NET_AUTH_PASS);
    ck_assert_int_eq(n_asked, 0);
}
END_TEST

/* ---- scopes ------------------------------------------------------------------------ */

#define WANTS(scope) "\"wantedScope\":\"" scope "\""
#define HAS(scope)   "\"grantedScope\":\"" scope "\""

/* MCP 2026-07-28, "Scope Challenge Handling" */
START_TEST(a_step_up_asks_for_granted_scopes_too)
{
    refused(&one, 401, "Bearer scope=\"read list\"");
    ck_assert_ptr_nonnull(strstr(ask->params, WANTS("read list")));
    ck_assert_ptr_null(strstr(ask->params, "grantedScope"));
    mcph_ask_answer(ask, TOKEN, sizeof(TOKEN), -1, _i ? "read profile" : NULL);
    ck_assert_int_eq(refused(&one, 403, "Bearer error=insufficient_scope, scope=write"),
                     MCPH_NET_AUTH_WAIT);
    if (_i) {
        ck_assert_ptr_nonnull(strstr(ask->params, HAS("read profile")));
        ck_assert_ptr_nonnull(strstr(ask->params, WANTS("read list profile write")));
    } else {
        ck_assert_ptr_nonnull(strstr(ask->params, HAS("read list")));
        ck_assert_ptr_nonnull(strstr(ask->params, WANTS("read list write")));
    }
    ck_assert_ptr_nonnull(strstr(ask->params, "\"scope\":\"write\""));
}
END_TEST

START_TEST(scopes_are_kept_through_an_expiry_and_dropped_with_the_credential)
{
    refused(&one, 401, "Bearer scope=read");
    mcph_ask_answer(ask, TOKEN, sizeof(TOKEN), 500, NULL);
    now += 500;
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 1);
    ck_assert_ptr_nonnull(strstr(ask->params, HAS("read") "," WANTS("read")));
    answer(NEWER, sizeof(NEWER));
    mcph_core_lock(core);
    mcph_keeper_drop_locked(keeper, "s");
    mcph_core_unlock(core);
    refused(&two, 401, "Bearer scope=write");
    ck_assert_ptr_nonnull(strstr(ask->params, WANTS("write")));
    ck_assert_ptr_null(strstr(ask->params, "grantedScope"));
}
END_TEST

START_TEST(a_request_that_is_refused_for_granted_scopes_fails)
{
    const char *challenge = "Bearer error=insufficient_scope, scope=\"b a\"";

    refused(&one, 403, challenge);
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(refused(&one, 403, challenge), MCPH_NET_AUTH_FAIL);
    ck_assert_str_eq(one.why, "the scope that it asks for was already granted");
    /* Other requests still carry the credential. */
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    ck_assert_int_eq(n_asked, 1);
    /* The keeper asks the application for a credential when the server refuses another
     * request.  The keeper asks for another credential when the new credential lacks a
     * scope. */
    ask_for(auth, "POST", URL, &two);
    ck_assert_int_eq(refused(&two, 403, challenge), MCPH_NET_AUTH_WAIT);
    mcph_ask_answer(ask, NEWER, sizeof(NEWER), -1, "a");
    ck_assert_int_eq(refused(&two, 403, challenge), MCPH_NET_AUTH_WAIT);
}
END_TEST

START_TEST(a_question_for_scopes_leaves_the_credential_to_other_requests)
{
    const char *challenge = "Bearer error=insufficient_scope, scope=b";

    refused(&one, 401, "Bearer");
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_int_eq(refused(&one, 403, challenge), MCPH_NET_AUTH_WAIT);
    ck_assert_int_eq(n_asked, 2);
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    mcph_ask_refuse(ask, "no more scopes");
    ck_assert_int_lt(one.code, 0);
    ck_assert_ptr_nonnull(strstr(one.why, "no more scopes"));
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    ck_assert_int_eq(n_asked, 2);
}
END_TEST

START_TEST(scopes_are_a_set_with_a_limit)
{
    struct mcph_buf scopes, large;

    mcph_buf_init(&scopes, 16);
    mcph_buf_init(&large, 64);
    mcph_buf_adds(&large, "a abc 0123456789abcdef");
    ck_assert_int_eq(mcph_scopes_add(&scopes, "  ab a  ab ", 11), 0);
    ck_assert_int_eq(mcph_scopes_add(&scopes, NULL, 0), 0);
    ck_assert_uint_eq(scopes.len, 4);
    ck_assert(mcph_scopes_have(&scopes, "a ab", 4));
    ck_assert(!mcph_scopes_have(&scopes, "b", 1));
    ck_assert_int_eq(mcph_scopes_add(&scopes, large.data, large.len), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(scopes.len, 4);
    ck_assert_int_eq(mcph_scopes_add(&scopes, "c", 1), 0);
    ck_assert_int_eq(memcmp(scopes.data, "ab a c", 6), 0);
    mcph_buf_done(&scopes);
    mcph_buf_done(&large);
}
END_TEST

/* ---- time -------------------------------------------------------------------------- */

START_TEST(an_expired_credential_asks_before_the_request_is_sent)
{
    refused(&one, 401, "Bearer");
    mcph_ask_answer(ask, TOKEN, sizeof(TOKEN), 500, NULL);
    now += 499;
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    now++;
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 1);
    ck_assert_int_eq(n_asked, 2);
    ck_assert_str_eq(ask->message, "its credentials have expired");
    /* A DELETE carries the expired credential, and the keeper does not ask for another
     * credential. */
    ck_assert_int_eq(ask_for(auth, "DELETE", URL, &two), 0);
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
    answer(NEWER, sizeof(NEWER));
    ck_assert_str_eq(one.lines, "Authorization=Bearer t2;");
}
END_TEST

/* The library sends a quiet request to find out why a server did not start. */
START_TEST(a_quiet_request_asks_no_question)
{
    refused(&one, 401, "Bearer");
    mcph_ask_answer(ask, TOKEN, sizeof(TOKEN), 500, NULL);
    now += 500;
    two.attempt.is_quiet = true;
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 0);
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(ask_for(auth, "POST", URL, &one), 1);
    ck_assert_int_eq(n_asked, 2);
    /* A quiet request does not wait for the answer to a question either. */
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 0);
}
END_TEST

START_TEST(an_unanswered_question_times_out)
{
    refused(&one, 401, "Bearer");
    now += 5000;
    mcph_core_wait(core, 0);
    ck_assert_int_eq(n_over, 1);
    ck_assert_str_eq(over_why, "the application did not answer in time");
    ck_assert_int_eq(one.code, MCPHOST_E_AUTH);
}
END_TEST

START_TEST(a_question_outlives_the_connection_that_it_came_from)
{
    refused(&one, 401, "Bearer");
    mcph_list_remove(&one.waiter.link);
    mcph_keeper_put(auth);
    auth = mcph_keeper_get(keeper, "s", URL);
    ck_assert_int_eq(ask_for(auth, "POST", URL, &two), 1);
    answer(TOKEN, sizeof(TOKEN));
    ck_assert_str_eq(two.lines, "Authorization=Bearer t1;");
    ck_assert_int_eq(n_asked, 1);
}
END_TEST

START_TEST(supplied_credentials_can_be_dropped)
{
    refused(&one, 401, "Bearer");
    answer(TOKEN, sizeof(TOKEN));
    set_fixed("t", NULL, "X-A", "a");
    mcph_core_lock(core);
    mcph_keeper_drop_locked(keeper, "t");
    mcph_core_unlock(core);
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
    mcph_core_lock(core);
    mcph_keeper_drop_locked(keeper, _i ? "s" : NULL);
    mcph_core_unlock(core);
    ck_assert_str_eq(carried("s", URL), "");
    ck_assert_str_eq(carried("t", URL), "X-A=a;");
}
END_TEST

START_TEST(closing_the_keeper_ends_its_questions)
{
    refused(&one, 401, "Bearer");
    mcph_keeper_close(keeper, "the host is closing");
    ck_assert_int_eq(n_over, 1);
    ck_assert_int_eq(one.code, MCPHOST_E_AUTH);
    ck_assert_int_eq(refused(&two, 401, "Bearer"), MCPH_NET_AUTH_PASS);
}
END_TEST

START_TEST(many_unused_entries_do_not_displace_an_entry_in_use)
{
    char url[64];

    for (int i = 0; i < 2000; i++) {
        snprintf(url, sizeof(url), "https://h%d.example/", i);
        carried("s", url);
    }
    /* The keeper keeps the entry that `auth` uses, and the credential of this entry. */
    refused(&one, 401, "Bearer");
    answer(TOKEN, sizeof(TOKEN));
    for (int i = 0; i < 600; i++) {
        snprintf(url, sizeof(url), "https://i%d.example/", i);
        carried("s", url);
    }
    ck_assert_str_eq(carried("s", URL), "Authorization=Bearer t1;");
}
END_TEST

START_TEST(another_origin_gets_no_credentials)
{
    refused(&one, 401, "Bearer");
    answer(TOKEN, sizeof(TOKEN));
    set_fixed("s", NULL, "X-A", "a");
    ck_assert_int_eq(ask_for(auth, "GET", OTHER, &two), 0);
    ck_assert_str_eq(two.lines, "");
    ck_assert_int_eq(ask_for(auth, "GET", "https://one.example/health", &two), 0);
    ck_assert_str_eq(two.lines, "X-A=a;Authorization=Bearer t1;");
}
END_TEST

/* Any thread may call mcph_keeper_drop_locked().  The dispatcher then forgets the token
 * in its next turn. */
START_TEST(the_token_of_a_login_is_forgotten_with_the_credential)
{
    struct mcph_entry *e = MCPH_CONTAINER_OF(auth, struct mcph_entry, base);

    e->access = mcph_strdup("t1");
    mcph_core_lock(core);
    mcph_keeper_drop_locked(keeper, "t");
    mcph_core_unlock(core);
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_ptr_nonnull(e->access);
    mcph_core_lock(core);
    mcph_keeper_drop_locked(keeper, "s");
    mcph_keeper_drop_locked(keeper, "s");
    mcph_core_unlock(core);
    ck_assert_int_ge(mcph_core_dispatch(core), 0);
    ck_assert_ptr_null(e->access);
}
END_TEST

START_TEST(the_pause_after_a_failed_refresh_follows_retry_after_within_limits)
{
    static const struct {
        const char *after;
        int64_t ms;
    } cases[] = {{NULL, 10000}, {"0", 10000}, {"60", 60000}, {"99999", 3600000}};

    ck_assert_int_eq(mcph_login_pause_ms(NULL), 10000);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        mcphost_error *error = NULL;

        mcph_err(&error, MCPHOST_E_TRANSPORT, "busy");
        if (cases[i].after)
            mcph_err_set_http(error, 503, cases[i].after, strlen(cases[i].after));
        ck_assert_int_eq(mcph_login_pause_ms(error), cases[i].ms);
        mcphost_error_unref(error);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "credentials");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_fixed_header_is_sent_only_to_its_server_and_origin);
    tcase_add_test(tc, the_more_specific_fixed_header_is_sent);
    tcase_add_test(tc, the_number_of_fixed_headers_is_limited);
    tcase_add_test(tc, a_refused_fixed_credential_asks_no_question);
    tcase_add_test(tc, one_question_serves_all_waiting_requests);
    tcase_add_test(tc, a_question_shows_the_challenge_with_secrets_masked);
    tcase_add_test(tc, a_new_request_waits_for_the_answer_too);
    tcase_add_test(tc, a_request_that_stopped_waiting_is_not_resumed);
    tcase_add_test(tc, a_refused_question_fails_the_waiting_requests_with_the_reason);
    tcase_add_test(tc, other_fixed_headers_are_sent_beside_a_token);
    tcase_add_test(tc, the_bytes_before_the_credential_are_no_headers);
    tcase_add_test(tc, a_newer_credential_is_tried_even_if_its_bytes_are_equal);
    tcase_add_test(tc, a_status_200_or_404_asks_no_question);
    tcase_add_test(tc, a_request_that_is_refused_three_times_is_not_sent_again);
    tcase_add_loop_test(tc, a_step_up_asks_for_granted_scopes_too, 0, 2);
    tcase_add_test(tc, scopes_are_kept_through_an_expiry_and_dropped_with_the_credential);
    tcase_add_test(tc, a_request_that_is_refused_for_granted_scopes_fails);
    tcase_add_test(tc, a_question_for_scopes_leaves_the_credential_to_other_requests);
    tcase_add_test(tc, scopes_are_a_set_with_a_limit);
    tcase_add_test(tc, a_token_that_came_for_another_request_is_tried_at_once);
    tcase_add_test(tc, a_403_without_a_challenge_asks_no_question);
    tcase_add_test(tc, a_403_after_a_header_beside_the_token_begins_a_login);
    tcase_add_loop_test(tc, a_403_for_a_token_that_was_dropped_meanwhile_begins_no_login,
                        0, 2);
    tcase_add_test(tc, with_asking_off_no_question_is_asked);
    tcase_add_test(tc, an_expired_credential_asks_before_the_request_is_sent);
    tcase_add_test(tc, a_quiet_request_asks_no_question);
    tcase_add_test(tc, an_unanswered_question_times_out);
    tcase_add_test(tc, a_question_outlives_the_connection_that_it_came_from);
    tcase_add_loop_test(tc, supplied_credentials_can_be_dropped, 0, 2);
    tcase_add_test(tc, closing_the_keeper_ends_its_questions);
    tcase_add_test(tc, many_unused_entries_do_not_displace_an_entry_in_use);
    tcase_add_test(tc, another_origin_gets_no_credentials);
    tcase_add_test(tc, the_token_of_a_login_is_forgotten_with_the_credential);
    tcase_add_test(tc,
                   the_pause_after_a_failed_refresh_follows_retry_after_within_limits);
}

int
main(void)
{
    return test_main("auth-keeper", add);
}
