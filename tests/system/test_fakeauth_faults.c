/* SPDX-License-Identifier: MIT
 *
 * test_fakeauth_faults.c - the fake authorization server: each kind of fault, and the
 * requests that a fault affects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/runner.h"
#include "system/authclient.h"

static struct ac ac;

/* ---- one request of a step --------------------------------------------------------- */

static int
ask_resource(void)
{
    char url[256];

    snprintf(url, sizeof(url), "%.*s/.well-known/oauth-protected-resource",
             (int)(strlen(ac.ar.web.url) - 4), ac.ar.web.url);
    return ac_get(&ac, url);
}

static int
ask_issuer(void)
{
    char url[256];

    snprintf(url, sizeof(url), "%s/.well-known/oauth-authorization-server",
             ar_issuer(&ac.ar, 1));
    return ac_get(&ac, url);
}

static int
ask_challenge(void)
{
    *ac.access = '\0';
    return ac_call(&ac, "whoami");
}

static int
ask_use(void)
{
    return ac_call(&ac, "whoami");
}

static int
ask_register(void)
{
    return ac_register(&ac, "client_secret_post");
}

static int
ask_authorize(void)
{
    return ac_get(&ac, ac_url(&ac, NULL));
}

static char code[256];

static int
ask_token(void)
{
    return ac_redeem(&ac, code);
}

static int
ask_refresh(void)
{
    return ac_refresh(&ac, ac.refresh);
}

static int
ask_device(void)
{
    return ac_form(&ac, "/device_authorization", "client_id=%s", ac.client);
}

static int
ask_revoke(void)
{
    return ac_form(&ac, "/revoke", "client_id=%s&token=%s", ac.client, ac.refresh);
}

static const struct {
    const char *name;
    int (*ask)(void);
    int status; /* the HTTP status without a fault */
} steps[] = {
    {"challenge", ask_challenge, 401}, {"resource", ask_resource, 200},
    {"issuer", ask_issuer, 200},       {"register", ask_register, 201},
    {"authorize", ask_authorize, 302}, {"token", ask_token, 200},
    {"refresh", ask_refresh, 200},     {"device", ask_device, 200},
    {"revoke", ask_revoke, 200},       {"use", ask_use, 200},
};

#define N_STEPS (int)(sizeof(steps) / sizeof(steps[0]))
#define N_SENT  (N_STEPS - 1) /* without the last step, `use` */

/* Starts a server, logs in, and gets a further code, so that the request of any of
 * `steps` can follow. */
static void
ready(const char *script)
{
    ac_up(&ac, script);
    ac_all(&ac, NULL);
    snprintf(code, sizeof(code), "%s", ac_param(ac_login(&ac, NULL), "code"));
}

/* Sets a fault for the step and sends the step's request.  Returns the HTTP status. */
static int
ask(int step, const char *fault)
{
    ar_say(&ac.ar, "fault %s %s", steps[step].name, fault);
    return steps[step].ask();
}

static void
has_header(const char *name, const char *part)
{
    char *value = web_header(&ac.answer, name);

    test_has(value, part);
    free(value);
}

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- faults of every step ---------------------------------------------------------- */

START_TEST(every_step_can_be_replaced_by_a_status)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "once status 429 7"), 429);
    has_header("Retry-After", "7");
    ck_assert_int_eq(steps[_i].ask(), steps[_i].status);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_repeat_the_request)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "once echo 400"), 400);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_request");
    test_has(ac_text(&ac, "error_description"), "Host: 127.0.0.1");
    ck_assert_int_eq(ask(_i, "once echo 500"), 500);
    test_has(ac.answer.body, "Host: 127.0.0.1");
    ck_assert_int_eq(ask(8, "once echo 500"), 500);
    test_has(ac.answer.body, ac.refresh);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_be_missing)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "missing"), _i ? 404 : 401);
    if (_i == 0)
        ck_assert_ptr_null(web_header(&ac.answer, "WWW-Authenticate"));
    ar_say(&ac.ar, "fault %s none", steps[_i].name);
    if (_i == 0)
        ck_assert_int_eq(ac_register(&ac, "none"), 201);
    else
        ck_assert_int_eq(steps[_i].ask(), steps[_i].status);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_redirect)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "first 1 redirect http://elsewhere.example/x"), 307);
    has_header("Location", "http://elsewhere.example/x");
    ck_assert_int_eq(steps[_i].ask(), steps[_i].status);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_cut_the_connection)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "once cut"), 0);
    ck_assert_int_eq(steps[_i].ask(), steps[_i].status);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_answer_without_end)
{
    ready(NULL);
    ask(_i, "endless abc");
    ck_assert_uint_ge(ac.answer.len, WEB_MAX / 2);
    ac_down(&ac);
}
END_TEST

START_TEST(every_step_can_end_the_process)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "crash"), 0);
    ck_assert_int_eq(steps[_i].ask(), 0);
    ar_again(&ac.ar);
    ck_assert_int_eq(ask_issuer(), 200);
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_be_late)
{
    int64_t from;

    ready(NULL);
    from = now_ms();
    ck_assert_int_eq(ask(_i, "slow 40"), steps[_i].status);
    ck_assert_int_ge(now_ms() - from, 40);
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_come_byte_by_byte)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "drip 0"), steps[_i].status);
    ck_assert_int_eq(ar_traced(&ac.ar, " drip"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_end_in_the_middle)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "half"), 0);
    ck_assert_ptr_nonnull(ac.answer.head);
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_have_another_type)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "type application/x-fake"), steps[_i].status);
    has_header("Content-Type", "application/x-fake");
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_be_lost)
{
    ready(NULL);
    ck_assert_int_eq(ask(_i, "once lost"), 0);
    ck_assert_int_eq(ar_traced(&ac.ar, " lost"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(every_answer_can_have_a_wrong_date)
{
    char *date;
    struct tm tm = {0};
    time_t skew;

    ready(NULL);
    ck_assert_int_eq(ask(_i, "skew -3600"), steps[_i].status);
    date = web_header(&ac.answer, "Date");
    ck_assert_ptr_nonnull(strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &tm));
    skew = time(NULL) - timegm(&tm);
    ck_assert(skew >= 3600 && skew < 3660);
    free(date);
    ac_down(&ac);
}
END_TEST

/* ---- faults of documents ----------------------------------------------------------- */

static const int documents[] = {1, 2, 3, 5, 6, 7}; /* the steps that answer with JSON */

START_TEST(a_document_can_be_garbage)
{
    ready(NULL);
    ask(documents[_i], "garbage");
    ck_assert_int_eq(ac.answer.status, 200);
    ck_assert_ptr_null(ac.json);
    ac_down(&ac);
}
END_TEST

START_TEST(a_document_can_be_huge)
{
    ready(NULL);
    ask(documents[_i], "huge 100k");
    ck_assert_uint_ge(ac.answer.len, 100000);
    ck_assert_ptr_nonnull(ac.json);
    ac_down(&ac);
}
END_TEST

START_TEST(a_document_can_have_a_nul)
{
    ready(NULL);
    ask(documents[_i], "nul");
    ck_assert_uint_lt(strlen(ac.answer.body), ac.answer.len);
    ac_down(&ac);
}
END_TEST

START_TEST(a_document_can_have_any_member)
{
    ready(NULL);
    ar_say(&ac.ar, "member %s more {\"x\":[1]}\nmember %s expires_in\nmember %s scope",
           steps[documents[_i]].name, steps[documents[_i]].name,
           steps[documents[_i]].name);
    steps[documents[_i]].ask();
    ck_assert_ptr_nonnull(json_object_get(ac.json, "more"));
    ck_assert_ptr_null(json_object_get(ac.json, "expires_in"));
    ac_down(&ac);
}
END_TEST

START_TEST(a_refusal_has_the_word_of_the_script)
{
    ready(NULL);
    ck_assert_int_eq(ask(documents[_i], "once refuse invalid_client a\\nb"), 401);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_client");
    ck_assert_str_eq(ac_text(&ac, "error_description"), "a\nb");
    ck_assert_int_eq(ask(documents[_i], "refuse-ok invalid_grant"), 200);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_grant");
    ac_down(&ac);
}
END_TEST

static const struct {
    int step;
    const char *member, *lie, *absurd;
} lies[] = {
    {1, "resource", "https://elsewhere.example/mcp", NULL},
    {2, "issuer", "https://elsewhere.example", NULL},
    {3, "client_id", "", "client_secret_expires_at"},
    {5, "token_type", "mac", "expires_in"},
    {6, "token_type", "mac", "expires_in"},
    {7, "verification_uri", "javascript:alert(1)", "expires_in"},
};

START_TEST(a_document_can_lie)
{
    ready(NULL);
    ask(lies[_i].step, "once lying");
    ck_assert_str_eq(ac_text(&ac, lies[_i].member), lies[_i].lie);
    ac_down(&ac);
}
END_TEST

START_TEST(an_expiry_can_be_absurd)
{
    char text[64];

    if (!lies[_i].absurd)
        return;
    ready(NULL);
    snprintf(text, sizeof(text), "\"%s\":-1.5e300", lies[_i].absurd);
    ask(lies[_i].step, "absurd-expiry -1.5e300");
    test_has(ac.answer.body, text);
    ac_down(&ac);
}
END_TEST

/* ---- faults of challenges ---------------------------------------------------------- */

START_TEST(a_challenge_can_lie_be_garbage_or_huge)
{
    char *value;

    ac_up(&ac, "asks a b");
    ask(0, "once lying https://evil.example/prm");
    has_header("WWW-Authenticate", "resource_metadata=\"https://evil.example/prm\"");
    ask(0, "once garbage");
    has_header("WWW-Authenticate", "=,\"");
    ask(0, "once huge 5000");
    value = web_header(&ac.answer, "WWW-Authenticate");
    ck_assert_uint_ge(strlen(value), 5000);
    free(value);
    ask(0, "once refuse invalid_request");
    has_header("WWW-Authenticate", "error=\"invalid_request\"");
    ar_say(&ac.ar, "challenge Basic, Bearer resource_metadata=%%m, DPoP");
    ask_challenge();
    has_header("WWW-Authenticate", "Basic, Bearer resource_metadata=http://127.0.0.1:");
    ar_say(&ac.ar, "challenge Bearer\nresource-hint off");
    ask_challenge();
    has_header("WWW-Authenticate", "Bearer");
    ac_down(&ac);
}
END_TEST

START_TEST(a_good_token_can_be_refused)
{
    ready(NULL);
    ck_assert_int_eq(ask(9, "once refuse invalid_token"), 401);
    has_header("WWW-Authenticate", "error=\"invalid_token\"");
    ck_assert_int_eq(ask(9, "once refuse insufficient_scope"), 403);
    ck_assert_int_eq(ask(9, "once nonce-loop"), 401);
    has_header("WWW-Authenticate", "error=\"use_dpop_nonce\"");
    has_header("DPoP-Nonce", "nonce-");
    ac_is(&ac, "user tools");
    ac_down(&ac);
}
END_TEST

/* ---- faults of redirects ----------------------------------------------------------- */

/* Logs in with a fault.  Returns the query of the redirect. */
static const char *
login(const char *fault)
{
    ar_say(&ac.ar, "fault authorize once %s", fault);
    return ac_login(&ac, NULL);
}

START_TEST(a_redirect_can_break_every_rule)
{
    const char *query;
    char first[256];

    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    ck_assert_str_eq(ac_param(login("wrong-state"), "state"), "a-wrong-state");
    test_has_not(login("no-state"), "state=");
    ck_assert_str_eq(ac_param(login("wrong-iss"), "iss"), "https://elsewhere.example");
    ck_assert_str_eq(ac_param(login("wrong-iss https://x.example"), "iss"),
                     "https://x.example");
    test_has_not(login("no-iss"), "iss=");
    test_has(login("code-twice"), "&code=another-code");
    test_has(login("garbage"), "&%zz=%");
    test_has(login("nul"), "%00&state");
    ck_assert_uint_ge(strlen(ac_param(login("huge 10k"), "code")), 10000);
    query = login("refuse access_denied no \\x1b[31mway");
    ck_assert_str_eq(ac_param(query, "error"), "access_denied");
    ck_assert_str_eq(ac_param(query, "error_description"), "no \x1b[31mway");
    ck_assert_str_eq(ac_param(query, "iss"), ar_issuer(&ac.ar, 1));
    snprintf(first, sizeof(first), "%s", ac_param(ac_login(&ac, NULL), "code"));
    ck_assert_str_eq(ac_param(login("same-code"), "code"), first);
    ck_assert_str_ne(ac_param(ac_login(&ac, NULL), "code"), first);
    ac_down(&ac);
}
END_TEST

/* ---- which requests, and when ------------------------------------------------------ */

START_TEST(a_fault_is_for_the_requests_that_the_script_names)
{
    static const int statuses[] = {500, 500, 200, 503, 200};

    ac_up(&ac, "fault issuer first 2 status 500\nfault issuer only 4 status 503");
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(ask_issuer(), statuses[i]);
    ck_assert_int_eq(ask(2, "only 2 status 502"), 200);
    ck_assert_int_eq(ask_issuer(), 502);
    ck_assert_int_eq(ask_issuer(), 200);
    ck_assert_int_eq(ar_traced(&ac.ar, "fault issuer status"), 4);
    ac_down(&ac);
}
END_TEST

START_TEST(a_lost_answer_comes_after_the_rotation)
{
    char first[256];

    ready(_i ? "rotate strict" : "rotate grace");
    snprintf(first, sizeof(first), "%s", ac.refresh);
    ck_assert_int_eq(ask(6, "once lost"), 0);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 ok"), 1);
    ck_assert_int_eq(ac_refresh(&ac, first), _i ? 400 : 200);
    ck_assert_int_eq(ar_traced(&ac.ar, _i ? "refresh 1 reused" : "refresh 1 grace"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(a_cut_request_rotates_nothing)
{
    ready("rotate strict");
    ck_assert_int_eq(ask(6, "once cut"), 0);
    ck_assert_int_eq(ac_refresh(&ac, ac.refresh), 200);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 ok"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(an_answer_can_be_held)
{
    struct browser *browser;

    ready(NULL);
    ar_say(&ac.ar, "fault authorize once hold");
    browser = browser_start(ac_url(&ac, NULL), BROWSER_LOGIN);
    while (ar_traced(&ac.ar, "fault authorize hold") == 0)
        rig_pause(5);
    ck_assert_int_eq(ask_refresh(), 200); /* the server serves other requests */
    ck_assert(!browser_is_done(browser));
    ar_say(&ac.ar, "release authorize");
    ck_assert_int_eq(browser_end(browser), 0); /* nothing listens at the redirect URL */
    ac_down(&ac);
}
END_TEST

START_TEST(a_fault_can_be_of_one_server_only)
{
    char url[256];

    ac_up(&ac, "issuer own\nissuer own\nfault issuer@2 first 1 status 500");
    snprintf(url, sizeof(url), "%s/.well-known/oauth-authorization-server",
             ar_issuer(&ac.ar, 2));
    ck_assert_int_eq(ask_issuer(), 200);
    ck_assert_int_eq(ac_get(&ac, url), 500);
    ck_assert_int_eq(ac_get(&ac, url), 200);
    ac_down(&ac);
}
END_TEST

START_TEST(a_token_request_can_demand_nonces_without_end)
{
    ready(NULL);
    ar_say(&ac.ar, "fault token nonce-loop");
    for (int i = 1; i <= 3; i++) {
        char nonce[32];

        snprintf(nonce, sizeof(nonce), "nonce-%d", i);
        ck_assert_int_eq(ask_token(), 400);
        ck_assert_str_eq(ac_text(&ac, "error"), "use_dpop_nonce");
        has_header("DPoP-Nonce", nonce);
    }
    ac_down(&ac);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "steps");
    int n_documents = sizeof(documents) / sizeof(documents[0]);

    tcase_add_loop_test(tc, every_step_can_be_replaced_by_a_status, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_repeat_the_request, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_be_missing, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_redirect, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_cut_the_connection, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_answer_without_end, 0, N_STEPS);
    tcase_add_loop_test(tc, every_step_can_end_the_process, 0, N_STEPS);
    tcase_add_loop_test(tc, every_answer_can_be_late, 0, N_SENT);
    tcase_add_loop_test(tc, every_answer_can_come_byte_by_byte, 0, N_SENT);
    tcase_add_loop_test(tc, every_answer_can_end_in_the_middle, 0, N_SENT);
    tcase_add_loop_test(tc, every_answer_can_have_another_type, 0, N_SENT);
    tcase_add_loop_test(tc, every_answer_can_be_lost, 0, N_SENT);
    tcase_add_loop_test(tc, every_answer_can_have_a_wrong_date, 0, N_SENT);
    tc = test_case(suite, "documents");
    tcase_add_loop_test(tc, a_document_can_be_garbage, 0, n_documents);
    tcase_add_loop_test(tc, a_document_can_be_huge, 0, n_documents);
    tcase_add_loop_test(tc, a_document_can_have_a_nul, 0, n_documents);
    tcase_add_loop_test(tc, a_document_can_have_any_member, 0, n_documents);
    tcase_add_loop_test(tc, a_refusal_has_the_word_of_the_script, 0, n_documents);
    tcase_add_loop_test(tc, a_document_can_lie, 0, n_documents);
    tcase_add_loop_test(tc, an_expiry_can_be_absurd, 0, n_documents);
    tc = test_case(suite, "others");
    tcase_add_test(tc, a_challenge_can_lie_be_garbage_or_huge);
    tcase_add_test(tc, a_good_token_can_be_refused);
    tcase_add_test(tc, a_redirect_can_break_every_rule);
    tcase_add_test(tc, a_fault_is_for_the_requests_that_the_script_names);
    tcase_add_loop_test(tc, a_lost_answer_comes_after_the_rotation, 0, 2);
    tcase_add_test(tc, a_cut_request_rotates_nothing);
    tcase_add_test(tc, an_answer_can_be_held);
    tcase_add_test(tc, a_fault_can_be_of_one_server_only);
    tcase_add_test(tc, a_token_request_can_demand_nonces_without_end);
}

int
main(void)
{
    return test_main("fakeauth-faults", add);
}
