/* SPDX-License-Identifier: MIT
 *
 * test_login_clients.c - logins by OAuth through a host: the identities of the client,
 * the flows without a user, and tokens that are bound to a key.
 *
 * A question is a request that asks the user to log in.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "support/keys.h"
#include "system/loginrig.h"

static struct loginrig lr;

static void
up(int how, const char *keys, const char *script)
{
    lr_up(&lr, how);
    ar_http(&lr.hr, &lr.ar, "web", keys, script);
}

static void
expect_failed(int code, const char *words)
{
    int found;

    ck_assert_int_ne(hr_server_state(&lr.hr, "web"), MCPHOST_SERVER_LOADED);
    test_has_all(lr_why(&lr, &found), words);
    ck_assert_int_eq(found, code);
}

/* Loads the configuration, and checks the answer of the tool `whoami`.  `account` is the
 * expected answer: the name of the account and the scopes. */
static void
expect_account(const char *account)
{
    hr_load(&lr.hr);
    ck_assert_str_eq(lr_whoami(&lr), account);
}

/* ---- clients of a user ------------------------------------------------------------- */

#define OWN_CLIENT "auth: {clientId: own, clientSecret: canary-secret}"

/* R17 */
START_TEST(a_configured_client_is_not_registered)
{
    up(BROWSER_LOGIN, OWN_CLIENT, "client own basic canary-secret\nregister off");
    expect_account("user tools");
    ck_assert_int_eq(lr_traced(&lr, "client own client_secret_basic"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_secret_that_the_server_does_not_know_is_named)
{
    up(BROWSER_LOGIN, OWN_CLIENT, "client own basic another");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH,
                  "/token: |invalid_client|check the client id and its secret");
    lr_down(&lr);
}
END_TEST

START_TEST(a_server_that_registers_nobody_needs_a_configured_client)
{
    up(BROWSER_LOGIN, NULL, "register off\nmember issuer registration_endpoint");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_CONFIG,
                  "does not register clients|register a client there and configure");
    ck_assert_int_eq(lr.n_asked, 0);
    lr_down(&lr);
}
END_TEST

#define DOCUMENT "https://app.example/client.json"

START_TEST(a_document_is_the_identity_where_documents_are_accepted)
{
    up(BROWSER_LOGIN, "auth: {clientMetadataUrl: \"" DOCUMENT "\"}",
       _i ? "cimd on" : "register on");
    expect_account("user tools");
    ck_assert_int_eq(lr_traced(&lr, "document " DOCUMENT), _i);
    ck_assert_int_eq(lr_traced(&lr, "register client"), !_i);
    lr_down(&lr);
}
END_TEST

static const char *const methods[] = {"none", "basic", "post", "none basic post key"};

START_TEST(a_registered_client_proves_itself_as_the_server_says)
{
    static const char *const words[] = {"none", "client_secret_basic",
                                        "client_secret_post", "none"};
    char script[64], traced[64];

    snprintf(script, sizeof(script), "methods %s", methods[_i]);
    snprintf(traced, sizeof(traced), "client client-1 %s\n", words[_i]);
    up(BROWSER_LOGIN, NULL, script);
    expect_account("user tools");
    ck_assert_int_eq(lr_traced(&lr, traced), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_login_at_a_server_of_2025_03_26_needs_no_metadata)
{
    up(BROWSER_LOGIN, NULL, _i ? "auth legacy\nera legacy" : "auth legacy");
    expect_account("user tools");
    lr_down(&lr);
}
END_TEST

/* The login ends in the middle of its second question, because the client is refused, and
 * the issuer registers no other client. */
START_TEST(a_credential_is_asked_for_if_a_login_without_metadata_loses_its_client)
{
    mcphost_call *call;

    lr_up_kinds(&lr, BROWSER_LOGIN,
                MCPHOST_REQUEST_AUTHORIZE | MCPHOST_REQUEST_CREDENTIALS);
    lr.headers = "{\"headers\":{\"X-Key\":\"canary-key\"}}";
    ar_http(&lr.hr, &lr.ar, "web", "auth: {scopes: [tools]}", "auth legacy");
    expect_account("user tools");
    ar_say(&lr.ar, "forget access\nforget refreshes\nfault register missing\n"
                   "fault authorize once refuse unauthorized_client");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr.n_headers == 1);
    ck_assert_str_eq(lr.header_url, lr.ar.web.url);
    test_has(lr.header_params, "\"status\":401");
    ck_assert_int_eq(lr.n_asked, 2);
    mcphost_call_cancel(call);
    (void)hr_end(&lr.hr, call);
    lr_down(&lr);
}
END_TEST

static const char *const places[] = {"resource-places root\nresource-hint off",
                                     "resource-places path\nresource-hint off",
                                     "resource-places elsewhere",
                                     "resource-hint off\nfault resource once redirect "
                                     "http://127.0.0.1:1/a",
                                     "issuer-places oauth openid\nfault issuer once "
                                     "redirect http://127.0.0.1:1/a",
                                     "issuer own /t1\nissuer-places openid",
                                     "issuer own /t1\nissuer-places tail",
                                     "issuer same /as",
                                     "iss silent",
                                     "iss off"};

START_TEST(metadata_are_found_where_the_server_has_them)
{
    up(BROWSER_LOGIN, NULL, places[_i]);
    expect_account("user tools");
    lr_down(&lr);
}
END_TEST

static void
add_clients(Suite *suite)
{
    TCase *tc = test_case(suite, "clients");

    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_configured_client_is_not_registered);
    tcase_add_test(tc, a_secret_that_the_server_does_not_know_is_named);
    tcase_add_test(tc, a_server_that_registers_nobody_needs_a_configured_client);
    tcase_add_loop_test(tc, a_document_is_the_identity_where_documents_are_accepted, 0,
                        2);
    tcase_add_loop_test(tc, a_registered_client_proves_itself_as_the_server_says, 0, 4);
    tcase_add_loop_test(tc, a_login_at_a_server_of_2025_03_26_needs_no_metadata, 0, 2);
    tcase_add_test(
        tc, a_credential_is_asked_for_if_a_login_without_metadata_loses_its_client);
    tcase_add_loop_test(tc, metadata_are_found_where_the_server_has_them, 0,
                        sizeof(places) / sizeof(places[0]));
}

/* ---- registrations that serve again ------------------------------------------------ */

#define LOGGED_OUT "forget access\nforget refreshes"

/* Logs in.  Then the authorization server forgets all tokens. */
static void
lose_tokens(const char *keys, const char *script)
{
    up(BROWSER_LOGIN, keys, script);
    expect_account("user tools");
    ar_say(&lr.ar, LOGGED_OUT);
}

/* Calls the tool.  The user must have been asked `asked` times, and `registered` clients
 * must have been registered. */
static void
expect_again(int asked, int registered)
{
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, asked);
    ck_assert_int_eq(lr_traced(&lr, "register client-"), registered);
}

static const char *const keeping[] = {"register on", "redirects exact", "methods basic",
                                      "methods post", "refresh off"};

START_TEST(a_registration_serves_later_questions)
{
    lose_tokens(NULL, keeping[_i]);
    expect_again(2, 1);
    ar_say(&lr.ar, LOGGED_OUT);
    expect_again(3, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_registration_serves_at_another_port)
{
    char first[256];
    int fd, on = 1;
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    lose_tokens(NULL, NULL);
    snprintf(first, sizeof(first), "%s", lr_param(lr.asked[0], "redirectUri"));
    in.sin_port = htons((uint16_t)strtol(strrchr(first, ':') + 1, NULL, 10));
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    hr_until(&lr.hr, bind(fd, (struct sockaddr *)&in, sizeof(in)) == 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    expect_again(2, 1);
    ck_assert_str_ne(lr_param(lr.asked[1], "redirectUri"), first);
    close(fd);
    lr_down(&lr);
}
END_TEST

START_TEST(a_registration_serves_later_device_codes)
{
    up(LR_WAIT, "auth: {flow: device}", "device approve 1");
    expect_account("user tools");
    ar_say(&lr.ar, LOGGED_OUT);
    expect_again(2, 1);
    ar_say(&lr.ar, LOGGED_OUT "\nfault device once refuse invalid_client");
    expect_again(3, 2);
    lr_down(&lr);
}
END_TEST

static const char *const unknown[] = {"fault token once refuse invalid_client",
                                      "fault authorize once refuse unauthorized_client"};

START_TEST(a_client_that_the_issuer_refuses_is_registered_anew_at_once)
{
    lose_tokens(NULL, NULL);
    ar_say(&lr.ar, "%s", unknown[_i]);
    expect_again(3, 2);
    ar_say(&lr.ar, LOGGED_OUT);
    expect_again(4, 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_that_was_just_registered_is_not_registered_anew)
{
    char why[2048];

    lose_tokens(NULL, NULL);
    ar_say(&lr.ar, "fault token refuse invalid_client");
    ck_assert_int_eq(lr_fail(&lr, why, sizeof(why)), MCPHOST_E_AUTH);
    test_has_all(why, "/token: |invalid_client");
    ck_assert_int_eq(lr.n_asked, 3);
    ck_assert_int_eq(lr_traced(&lr, "register client-"), 2);
    lr_down(&lr);
}
END_TEST

/* The issuer does not know the client.  The issuer shows an error page to the browser
 * instead of a redirect, so the host does not learn of the error. */
START_TEST(a_question_that_led_to_no_token_is_the_last_with_its_client)
{
    mcphost_call *call;

    up(BROWSER_LOGIN, NULL, "refresh off");
    expect_account("user tools");
    ar_say(&lr.ar, "forget access\nforget clients");
    call = lr_start(&lr);
    hr_until(&lr.hr, lr_traced(&lr, "unknown client") > 0);
    mcphost_request_reject(lr.asked[1], MCPHOST_REJECT_DECLINE, "an error page");
    ck_assert_int_eq(hr_end(&lr.hr, call), MCPHOST_E_AUTH);
    expect_again(3, 2);
    ar_say(&lr.ar, "forget access");
    expect_again(4, 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_refresh_that_does_not_know_the_client_leads_to_a_new_registration)
{
    lose_tokens(NULL, NULL);
    ar_say(&lr.ar, "forget clients");
    expect_again(2, 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_whose_secret_has_expired_is_registered_anew)
{
    char script[128];

    snprintf(script, sizeof(script),
             "methods basic\nmember register client_secret_expires_at %s",
             _i ? "4102444800" : "1000000000");
    lose_tokens(NULL, script);
    expect_again(2, _i ? 1 : 2);
    lr_down(&lr);
}
END_TEST

START_TEST(further_scopes_need_another_registration)
{
    up(BROWSER_LOGIN, NULL, "scopes tools extra\nasks tools\nneeds whoami extra");
    expect_account("user extra tools");
    ck_assert_int_eq(lr_traced(&lr, "register client-"), 2);
    lr_down(&lr);
}
END_TEST

START_TEST(a_logout_forgets_the_registration)
{
    up(BROWSER_LOGIN, NULL, NULL);
    expect_account("user tools");
    ck_assert_int_eq(mcphost_log_out(lr.hr.host, "web", NULL), 0);
    expect_again(2, 2);
    lr_down(&lr);
}
END_TEST

static void
add_registrations(Suite *suite)
{
    TCase *tc = test_case(suite, "registrations");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_registration_serves_later_questions, 0,
                        sizeof(keeping) / sizeof(keeping[0]));
    tcase_add_test(tc, a_registration_serves_at_another_port);
    tcase_add_test(tc, a_registration_serves_later_device_codes);
    tcase_add_loop_test(tc, a_client_that_the_issuer_refuses_is_registered_anew_at_once,
                        0, 2);
    tcase_add_test(tc, a_client_that_was_just_registered_is_not_registered_anew);
    tcase_add_test(tc, a_question_that_led_to_no_token_is_the_last_with_its_client);
    tcase_add_test(tc,
                   a_refresh_that_does_not_know_the_client_leads_to_a_new_registration);
    tcase_add_loop_test(tc, a_client_whose_secret_has_expired_is_registered_anew, 0, 2);
    tcase_add_test(tc, further_scopes_need_another_registration);
    tcase_add_test(tc, a_logout_forgets_the_registration);
}

/* ---- flows without a user ---------------------------------------------------------- */

#define ROBOT "clientId: robot, clientSecret: canary-secret}"

START_TEST(client_credentials_need_no_user)
{
    char script[128];

    lr_up_kinds(&lr, LR_WAIT, _i ? 0 : MCPHOST_REQUEST_AUTHORIZE);
    snprintf(script, sizeof(script), "client robot %s canary-secret\nmethods %s",
             _i ? "post" : "basic", _i ? "post" : "none basic");
    ar_http(&lr.hr, &lr.ar, "web", "auth: {mode: oauth, flow: client_credentials, " ROBOT,
            script);
    expect_account("robot tools");
    ck_assert_int_eq(lr.n_asked, 0);
    ck_assert_int_eq(lr_traced(&lr, "token client ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_with_a_key_needs_no_secret)
{
    static const char *const keys[] = {"p256-pkcs8", "rsa-pkcs8"};

    lr_up(&lr, LR_WAIT);
    lr_keyed(&lr, &lr.ar, "web", keys[_i]);
    expect_account("robot tools");
    ck_assert_int_eq(lr_traced(&lr, "client robot private_key_jwt"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_key_that_cannot_be_read_fails_the_server)
{
    up(LR_WAIT,
       "auth: {flow: client_credentials, clientId: robot, clientKeyFile: /nowhere}",
       NULL);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_CONFIG, "/nowhere");
    lr_down(&lr);
}
END_TEST

/* Appends `format` with the URL of issuer 1 in place of "%s". */
static void
add_formatted(struct mcph_buf *buf, const char *format)
{
    const char *at = strstr(format, "%s");

    mcph_buf_add(buf, format, at ? (size_t)(at - format) : strlen(format));
    if (at) {
        mcph_buf_adds(buf, ar_issuer(&lr.ar, 1));
        mcph_buf_adds(buf, at + 2);
    }
}

/* Makes a server whose login sends an assertion, and returns the assertion.  The
 * assertion is a JWT with these claims, or no JWT if `claims` is NULL.  `keys` are the
 * first keys of the entry.  In both texts, "%s" stands for the issuer. */
static const char *
assertion_up(const char *claims, const char *keys)
{
    static char assertion[512];
    struct mcph_buf plain, text;

    lr_up(&lr, LR_WAIT);
    ar_web(&lr.hr, &lr.ar, "web", "client robot basic canary-secret");
    mcph_buf_init(&plain, 4096);
    mcph_buf_init(&text, 4096);
    mcph_buf_adds(&text, claims ? "e30." : "canary.assertion.x");
    if (claims) {
        add_formatted(&plain, claims);
        mcph_base64url_add(&text, plain.data, plain.len);
        mcph_buf_adds(&text, ".canary");
    }
    snprintf(assertion, sizeof(assertion), "%s", mcph_buf_text(&text));
    text.len = 0;
    add_formatted(&text, keys);
    mcph_buf_adds(&text, "flow: jwt_bearer, assertion: ");
    mcph_buf_adds(&text, assertion);
    mcph_buf_adds(&text, ", " ROBOT);
    hr_url(&lr.hr, "web", lr.ar.web.url, mcph_buf_text(&text));
    mcph_buf_done(&plain);
    mcph_buf_done(&text);
    return assertion;
}

static const struct {
    const char *claims, *keys;
} good_assertions[] = {
    {NULL, "auth: {issuer: '%s', "},
    {"{\"aud\":\"https://elsewhere.example\"}", "auth: {issuer: '%s', "},
    {"{\"aud\":\"%s\"}", "auth: {"},
    {"{\"aud\":[\"https://elsewhere.example\",\"%s/token\"]}", "auth: {"},
};

START_TEST(an_assertion_of_another_party_logs_in)
{
    const char *assertion =
        assertion_up(good_assertions[_i].claims, good_assertions[_i].keys);

    ar_say(&lr.ar, "subject carol %s", assertion);
    expect_account("carol tools");
    ck_assert_int_eq(lr_traced(&lr, "token jwt ok"), 1);
    lr_down(&lr);
}
END_TEST

static const char *const foreign[] = {NULL, "{\"aud\":\"https://elsewhere.example\"}",
                                      "{\"aud\":\"%s/other\"}", "{\"iss\":\"%s\"}"};

START_TEST(only_a_configured_issuer_gets_an_assertion_that_does_not_name_it)
{
    assertion_up(foreign[_i], "auth: {");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_DENIED, "/token: |'auth.assertion' is not|'auth.issuer'");
    ck_assert_int_eq(lr_traced(&lr, "f assertion="), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(an_assertion_that_is_refused_is_named)
{
    assertion_up(NULL, "auth: {issuer: '%s', ");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH, "invalid_grant|/token: |'auth.assertion'");
    lr_down(&lr);
}
END_TEST

/* Makes a server whose login exchanges an identity for a token.  Of the two issuers in
 * `script`, the second issuer is the identity provider. */
static void
exchange_up(const char *script)
{
    char keys[512];

    lr_up(&lr, LR_WAIT);
    ar_web(&lr.hr, &lr.ar, "web", script);
    snprintf(keys, sizeof(keys),
             "auth: {flow: token_exchange, assertion: canary.identity.x, idpTokenUrl: "
             "\"%s/token\", idpClientId: app, idpClientSecret: canary-idp, " ROBOT,
             ar_issuer(&lr.ar, 2));
    hr_url(&lr.hr, "web", lr.ar.web.url, keys);
}

START_TEST(an_identity_is_exchanged_for_a_token)
{
    exchange_up("issuer own\nissuer own\nclient robot basic canary-secret\n"
                "client app basic canary-idp\nsubject carol canary.identity.x");
    expect_account("carol tools");
    ck_assert_int_eq(lr_traced(&lr, "token exchange ok"), 1);
    ck_assert_int_eq(lr_traced(&lr, "token jwt ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(an_identity_provider_that_refuses_is_named)
{
    exchange_up("issuer own\nissuer own\nclient robot basic canary-secret\n"
                "client app basic canary-idp");
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_AUTH,
                  "token exchange at |/token: |invalid_grant|'auth.assertion'");
    ck_assert_ptr_nonnull(strstr(lr_why(&lr, NULL), ar_issuer(&lr.ar, 2)));
    lr_down(&lr);
}
END_TEST

static const char *const lacking[] = {
    "auth: {flow: client_credentials}",
    "auth: {flow: jwt_bearer, clientId: robot}",
    "auth: {flow: token_exchange, clientId: robot, assertion: x, idpClientId: app}",
    "auth: {flow: token_exchange, clientId: robot, idpTokenUrl: \"https://a.example/\"}",
};

START_TEST(a_flow_names_the_key_that_it_lacks)
{
    static const char *const words[] = {"auth.clientId", "auth.assertion",
                                        "auth.idpTokenUrl", "auth.assertion"};

    up(LR_WAIT, lacking[_i], NULL);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_CONFIG, words[_i]);
    lr_down(&lr);
}
END_TEST

START_TEST(a_flow_of_the_host_names_the_key_that_it_lacks)
{
    up(LR_WAIT, "auth: {clientId: robot}", NULL);
    ck_assert_int_eq(
        mcphost_set_option(lr.hr.host, MCPHOST_OPT_LOGIN_FLOW, MCPHOST_FLOW_JWT_BEARER),
        0);
    hr_load(&lr.hr);
    expect_failed(MCPHOST_E_CONFIG, "the flow jwt_bearer has no 'auth.assertion'");
    lr_down(&lr);
}
END_TEST

static void
add_flows(Suite *suite)
{
    TCase *tc = test_case(suite, "flows");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, client_credentials_need_no_user, 0, 2);
    tcase_add_loop_test(tc, a_client_with_a_key_needs_no_secret, 0, 2);
    tcase_add_test(tc, a_key_that_cannot_be_read_fails_the_server);
    tcase_add_loop_test(tc, an_assertion_of_another_party_logs_in, 0, 4);
    tcase_add_loop_test(
        tc, only_a_configured_issuer_gets_an_assertion_that_does_not_name_it, 0, 4);
    tcase_add_test(tc, an_assertion_that_is_refused_is_named);
    tcase_add_test(tc, an_identity_is_exchanged_for_a_token);
    tcase_add_test(tc, an_identity_provider_that_refuses_is_named);
    tcase_add_loop_test(tc, a_flow_names_the_key_that_it_lacks, 0, 4);
    tcase_add_test(tc, a_flow_of_the_host_names_the_key_that_it_lacks);
}

/* ---- proofs of possession ---------------------------------------------------------- */

static const char *const bound[] = {"dpop required", "dpop nonce"};

START_TEST(a_token_is_bound_to_a_key_if_the_server_wants_it)
{
    up(BROWSER_LOGIN, NULL, bound[_i]);
    expect_account("user tools");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_gt(lr_traced(&lr, "h authorization: DPoP at-"), 1);
    ck_assert_int_eq(lr_traced(&lr, "h authorization: Bearer"), 0);
    lr_down(&lr);
}
END_TEST

START_TEST(a_new_nonce_costs_one_more_request)
{
    up(BROWSER_LOGIN, NULL, "dpop nonce");
    expect_account("user tools");
    ar_say(&lr.ar, "forget nonces");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_nonce_outlives_an_overload)
{
    up(BROWSER_LOGIN, NULL, "dpop nonce\nfault token only 2 status 503");
    expect_account("user tools");
    ck_assert_int_eq(lr_traced(&lr, "fault token status"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_bound_refresh_token_is_used_with_its_key)
{
    up(BROWSER_LOGIN, NULL, bound[_i]);
    expect_account("user tools");
    ar_say(&lr.ar, "forget access");
    ck_assert_str_eq(lr_whoami(&lr), "user tools");
    ck_assert_int_eq(lr.n_asked, 1);
    ck_assert_int_eq(lr_traced(&lr, "token refresh ok"), 1);
    lr_down(&lr);
}
END_TEST

START_TEST(a_device_login_gives_a_bound_token)
{
    up(LR_WAIT, "auth: {flow: device}", "dpop nonce\ndevice approve 2");
    expect_account("user tools");
    lr_down(&lr);
}
END_TEST

START_TEST(a_client_without_a_user_gets_a_bound_token)
{
    up(LR_WAIT, "auth: {flow: client_credentials, " ROBOT,
       "dpop nonce\nclient robot basic canary-secret");
    expect_account("robot tools");
    lr_down(&lr);
}
END_TEST

static void
add_dpop(Suite *suite)
{
    TCase *tc = test_case(suite, "dpop");

    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_token_is_bound_to_a_key_if_the_server_wants_it, 0, 2);
    tcase_add_test(tc, a_new_nonce_costs_one_more_request);
    tcase_add_test(tc, a_nonce_outlives_an_overload);
    tcase_add_loop_test(tc, a_bound_refresh_token_is_used_with_its_key, 0, 2);
    tcase_add_test(tc, a_device_login_gives_a_bound_token);
    tcase_add_test(tc, a_client_without_a_user_gets_a_bound_token);
}

static void
add(Suite *suite)
{
    add_clients(suite);
    add_registrations(suite);
    add_flows(suite);
    add_dpop(suite);
}

int
main(void)
{
    return test_main("login-clients", add);
}
