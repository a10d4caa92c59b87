/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_client.c - the client's identity, its registration, its scopes and the
 * URL for the browser.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "support/runner.h"

static char message[4096];

/* Keeps the error's message, and drops the error. */
static int
told(int r, mcphost_error **err)
{
    snprintf(message, sizeof(message), "%s", mcphost_error_get_message(*err));
    ck_assert_int_eq(r, mcphost_error_get_code(*err));
    mcphost_error_unref(*err);
    return r;
}

/* ---- choosing an identity ---------------------------------------------------------- */

static const struct {
    const char *configured, *configured_issuer, *document, *stored_issuer;
    bool takes_cimd, registers;
    int code, chosen;
} identities[] = {
    {"id", NULL, "https://us.ex/c", "https://id.ex", true, true, 0,
     MCPH_OAUTH_CLIENT_CONFIGURED},
    {"id", "https://id.ex", NULL, NULL, false, false, 0, MCPH_OAUTH_CLIENT_CONFIGURED},
    {"id", "https://id.ex/", NULL, NULL, false, false, 0, MCPH_OAUTH_CLIENT_CONFIGURED},
    {"id", "https://id.ex/t", NULL, NULL, false, false, MCPHOST_E_DENIED, -1},
    {"id", "https://id.ex.old", NULL, NULL, false, false, MCPHOST_E_DENIED, -1},
    {"id", "https://old.ex", "https://us.ex/c", NULL, true, true, MCPHOST_E_DENIED, -1},
    {NULL, NULL, "https://us.ex/c", "https://id.ex", true, true, 0,
     MCPH_OAUTH_CLIENT_DOCUMENT},
    {NULL, NULL, "https://us.ex/c", "https://id.ex", false, true, 0,
     MCPH_OAUTH_CLIENT_STORED},
    {NULL, NULL, NULL, "https://old.ex", true, true, 0, MCPH_OAUTH_CLIENT_REGISTER},
    {NULL, NULL, NULL, NULL, true, true, 0, MCPH_OAUTH_CLIENT_REGISTER},
    {NULL, NULL, NULL, "https://old.ex", true, false, MCPHOST_E_CONFIG, -1},
};

START_TEST(the_identity_is_chosen_in_the_order_of_the_protocol)
{
    struct mcph_oauth_issuer issuer = {.issuer = (char *)"https://id.ex"};
    struct mcph_oauth_identities have = {
        identities[_i].configured, identities[_i].configured_issuer,
        identities[_i].document, identities[_i].stored_issuer, NULL};
    mcphost_error *err = NULL;
    int chosen = -1;

    issuer.takes_cimd = identities[_i].takes_cimd;
    if (identities[_i].registers)
        issuer.registration = (char *)"https://id.ex/reg";
    ck_assert_int_eq(told(mcph_oauth_client_choose(&issuer, &have, &chosen, &err), &err),
                     identities[_i].code);
    ck_assert_int_eq(chosen, identities[_i].chosen);
}
END_TEST

static const struct {
    const char *configured, *configured_issuer, *pinned_issuer;
    int code;
} pins[] = {
    {"id", NULL, NULL, 0},
    {"id", NULL, "https://id.ex", 0},
    {"id", NULL, "https://id.ex/", MCPHOST_E_DENIED},
    {"id", NULL, "https://old.ex/t?key=hidden", MCPHOST_E_DENIED},
    {"id", "https://id.ex", "https://old.ex/t", 0},
    {NULL, NULL, "https://old.ex/t", 0},
};

START_TEST(a_configured_client_stays_with_the_issuer_of_its_earlier_login)
{
    struct mcph_oauth_issuer issuer = {.issuer = (char *)"https://id.ex",
                                       .registration = (char *)"https://id.ex/reg"};
    struct mcph_oauth_identities have = {.configured = pins[_i].configured,
                                         .configured_issuer = pins[_i].configured_issuer,
                                         .pinned_issuer = pins[_i].pinned_issuer};
    mcphost_error *err = NULL;
    int chosen = -1;

    ck_assert_int_eq(told(mcph_oauth_client_choose(&issuer, &have, &chosen, &err), &err),
                     pins[_i].code);
    ck_assert_int_eq(chosen == -1, pins[_i].code != 0);
    if (pins[_i].code == 0)
        return;
    test_has_all(message, "authorization server https://id.ex/ now|used with "
                          "https://|set auth.issuer|log out");
    test_has_not(message, "hidden");
}
END_TEST

#define HERE  "http://127.0.0.1:1001/callback"
#define THERE "http://127.0.0.1:2002/callback"

/* Each row has a stored client and a wanted registration.  `covers` is true if the client
 * covers the registration at the time 1000. */
static const struct {
    const char *name, *redirect, *scope, *secret;
    int64_t expires_s;
    bool is_doubted;
    const char *wanted_redirect, *wanted_scope;
    bool covers;
} stored[] = {
    {"App", HERE, NULL, NULL, 0, false, HERE, NULL, true},
    {"App", HERE, NULL, NULL, 0, false, THERE, NULL, true},
    {"App", HERE, NULL, NULL, 0, true, HERE, NULL, false},
    {"Ap", HERE, NULL, NULL, 0, false, HERE, NULL, false},
    {NULL, HERE, NULL, NULL, 0, false, HERE, NULL, false},
    {"App", HERE, NULL, NULL, 0, false, "http://127.0.0.1:1001/other", NULL, false},
    {"App", HERE, NULL, NULL, 0, false, "http://127.0.0.2:1001/callback", NULL, false},
    {"App", HERE, NULL, NULL, 0, false, NULL, NULL, false},
    {"App", NULL, NULL, NULL, 0, false, HERE, NULL, false},
    {"App", NULL, NULL, NULL, 0, false, NULL, NULL, true},
    {"App", HERE, "a b", NULL, 0, false, HERE, "b", true},
    {"App", HERE, "a b", NULL, 0, false, HERE, "b c", false},
    {"App", HERE, NULL, NULL, 0, false, HERE, "a", false},
    {"App", HERE, "a", NULL, 0, false, HERE, NULL, true},
    {"App", HERE, NULL, "s", 0, false, HERE, NULL, true},
    {"App", HERE, NULL, "s", 1001, false, HERE, NULL, true},
    {"App", HERE, NULL, "s", 1000, false, HERE, NULL, false},
    {"App", HERE, NULL, NULL, 1000, false, HERE, NULL, true},
};

START_TEST(a_registration_is_used_again_only_for_what_it_covers)
{
    const struct mcph_oauth_client client = {.id = (char *)"c",
                                             .secret = (char *)stored[_i].secret,
                                             .expires_s = stored[_i].expires_s,
                                             .name = (char *)stored[_i].name,
                                             .redirect_uri = (char *)stored[_i].redirect,
                                             .scope = (char *)stored[_i].scope,
                                             .is_doubted = stored[_i].is_doubted};
    const char *const uris[] = {stored[_i].wanted_redirect, NULL};
    const struct mcph_oauth_registration wanted = {
        .name = "App", .redirect_uris = uris, .scope = stored[_i].wanted_scope};
    struct mcph_oauth_client nobody = client;

    ck_assert_int_eq(mcph_oauth_client_covers(&client, &wanted, 1000), stored[_i].covers);
    ck_assert_uint_eq(mcph_oauth_client_port(&client), stored[_i].redirect ? 1001 : 0);
    nobody.id = NULL;
    ck_assert(!mcph_oauth_client_covers(&nobody, &wanted, 1000));
}
END_TEST

enum {
    NONE = MCPH_OAUTH_METHOD_NONE,
    BASIC = MCPH_OAUTH_METHOD_BASIC,
    POST = MCPH_OAUTH_METHOD_POST,
    KEY = MCPH_OAUTH_METHOD_KEY,
};

static const struct {
    int offered; /* the methods that the server lists; -1: no list */
    int assigned;
    bool has_secret, has_key;
    int code, chosen;
} methods[] = {
    {-1, 0, false, false, 0, NONE},
    {-1, 0, true, false, 0, BASIC},
    {-1, POST, true, false, 0, POST},
    {-1, NONE, true, false, 0, NONE},
    {BASIC | POST, POST, true, false, 0, POST},
    {BASIC | POST | NONE, 0, true, false, 0, BASIC},
    {POST | NONE, 0, true, false, 0, POST},
    {POST, BASIC, true, false, 0, POST},
    {BASIC, POST, false, false, 0, NONE},
    {NONE, 0, true, false, 0, NONE},
    {BASIC | POST, 0, false, false, 0, NONE},
    {KEY | BASIC, 0, true, true, 0, KEY},
    {KEY | BASIC, BASIC, true, true, 0, BASIC},
    {KEY, 0, true, false, MCPHOST_E_CONFIG, -1},
    {BASIC, 0, false, true, MCPHOST_E_CONFIG, -1},
    {0, 0, true, false, MCPHOST_E_CONFIG, -1},
};

START_TEST(the_method_of_authentication_is_supported_by_both_sides)
{
    struct mcph_oauth_issuer issuer = {.token = (char *)"https://id.ex/token"};
    struct mcph_oauth_client client = {.method = methods[_i].assigned};
    mcphost_error *err = NULL;
    int chosen = -1;

    issuer.lists_methods = methods[_i].offered >= 0;
    issuer.methods = issuer.lists_methods ? (unsigned)methods[_i].offered : 0;
    if (methods[_i].has_secret)
        client.secret = (char *)"s3cret";
    ck_assert_int_eq(told(mcph_oauth_choose_method(&issuer, &client, methods[_i].has_key,
                                                   &chosen, &err),
                          &err),
                     methods[_i].code);
    ck_assert_int_eq(chosen, methods[_i].chosen);
}
END_TEST

/* ---- registration ------------------------------------------------------------------ */

static void
check_registration(const struct mcph_oauth_registration *registration, const char *json)
{
    struct mcph_buf body;

    mcph_buf_init(&body, 4096);
    ck_assert_int_eq(mcph_oauth_registration_add(registration, &body, NULL), 0);
    ck_assert_str_eq(mcph_buf_text(&body), json);
    mcph_buf_done(&body);
}

START_TEST(a_registration_request_has_the_members_of_the_protocol)
{
    static const char *const loopback[] = {"http://127.0.0.1:5/cb", "http://[::1]:5/cb",
                                           NULL};
    static const char *const none[] = {NULL};

    check_registration(
        &(struct mcph_oauth_registration){
            "caf\xc3\xa9", loopback, MCPH_OAUTH_GRANT_CODE | MCPH_OAUTH_GRANT_REFRESH,
            "r w", MCPH_OAUTH_METHOD_NONE},
        "{\"client_name\":\"caf\xc3\xa9\",\"redirect_uris\":[\"http://127.0.0.1:5/cb\","
        "\"http://[::1]:5/cb\"],\"grant_types\":[\"authorization_code\","
        "\"refresh_token\"],\"response_types\":[\"code\"],"
        "\"token_endpoint_auth_method\":\"none\",\"application_type\":\"native\","
        "\"scope\":\"r w\"}");
    check_registration(&(struct mcph_oauth_registration){"x", none,
                                                         MCPH_OAUTH_GRANT_DEVICE, "",
                                                         MCPH_OAUTH_METHOD_POST},
                       "{\"client_name\":\"x\",\"grant_types\":[\"urn:ietf:params:"
                       "oauth:grant-type:device_code\"],\"response_types\":[],"
                       "\"token_endpoint_auth_method\":\"client_secret_post\","
                       "\"application_type\":\"native\"}");
}
END_TEST

START_TEST(a_client_with_a_redirect_to_a_web_server_is_of_type_web)
{
    static const struct {
        const char *uri, *type;
    } cases[] = {
        {"https://us.ex/cb", "\"web\""},
        {"https://localhost/cb", "\"native\""},
        {"com.example.app:/cb", "\"native\""},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        const char *const uris[] = {cases[i].uri, NULL};
        struct mcph_oauth_registration registration = {"x", uris, 1, NULL, 1};
        struct mcph_buf body;

        mcph_buf_init(&body, 4096);
        ck_assert_int_eq(mcph_oauth_registration_add(&registration, &body, NULL), 0);
        test_has(mcph_buf_text(&body), cases[i].type);
        mcph_buf_done(&body);
    }
}
END_TEST

static int
read_registration(int status, const char *text, struct mcph_mask *mask,
                  struct mcph_oauth_client *ret)
{
    mcphost_error *err = NULL;

    return told(mcph_oauth_registration_read("https://id.ex/reg?k=hidden", status, text,
                                             strlen(text), mask, ret, &err),
                &err);
}

START_TEST(the_answer_to_a_registration_is_read)
{
    struct mcph_oauth_client got = {0};

    ck_assert_int_eq(read_registration(201, "{\"client_id\":\"c1\"}", NULL, &got), 0);
    ck_assert_str_eq(got.id, "c1");
    ck_assert_ptr_null(got.secret);
    ck_assert_int_eq(got.expires_s, 0);
    ck_assert_int_eq(got.method, 0);
    mcph_oauth_client_done(&got);
    ck_assert_int_eq(
        read_registration(200,
                          "{\"client_id\":\"c1\",\"client_secret\":\"s \\u0041\","
                          "\"client_secret_expires_at\":1893456000,"
                          "\"token_endpoint_auth_method\":\"client_secret_post\"}",
                          NULL, &got),
        0);
    ck_assert_str_eq(got.secret, "s A");
    ck_assert_int_eq(got.expires_s, 1893456000);
    ck_assert_int_eq(got.method, MCPH_OAUTH_METHOD_POST);
    mcph_oauth_client_done(&got);
}
END_TEST

static const struct {
    int status;
    const char *text;
    int code;
    const char *says;
} refusals[] = {
    {400,
     "{\"error\":\"invalid_redirect_uri\",\"error_description\":\"not\\nthis\\u001b["
     "1m\"}",
     MCPHOST_E_AUTH,
     "client registration at https://id.ex/reg: the authorization server refused the "
     "request: invalid_redirect_uri (not this [1m); configure a client"},
    {200, "{\"error\":\"nope\"}", MCPHOST_E_AUTH, "refused the request: nope"},
    {403, "<html>", MCPHOST_E_AUTH, "refused the request with HTTP status 403"},
    {429, "", MCPHOST_E_TRANSPORT, "with HTTP status 429; try again later"},
    {503, "{}", MCPHOST_E_TRANSPORT, "with HTTP status 503; try again later"},
    {302, "{\"client_id\":\"c1\"}", MCPHOST_E_AUTH, "with HTTP status 302"},
    {400, "{\"error\":\"x\",\"error_description\":\"the secret s3cret-value\"}",
     MCPHOST_E_AUTH, "refused the request: x (the secret ************)"},
    {201, "{}", MCPHOST_E_PROTOCOL, "the answer has no \"client_id\""},
    {201, "{\"client_id\":\"\"}", MCPHOST_E_PROTOCOL, "the answer has no \"client_id\""},
    {201, "not JSON", MCPHOST_E_PROTOCOL, "not valid JSON"},
    {201, "{\"client_id\":\"c\",\"client_secret\":\"a\\nb\"}", MCPHOST_E_PROTOCOL,
     "a character that is not allowed"},
    {201, "{\"client_id\":\"c\",\"token_endpoint_auth_method\":\"tls_client_auth\"}",
     MCPHOST_E_PROTOCOL, "does not support the method"},
};

START_TEST(a_refused_registration_is_reported_with_the_reason_of_the_server)
{
    struct mcph_oauth_client got = {0};
    struct mcph_mask *mask = mcph_mask_new();

    ck_assert_int_eq(mcph_mask_add(mask, "s3cret-value", 12), 0);
    ck_assert_int_eq(
        read_registration(refusals[_i].status, refusals[_i].text, mask, &got),
        refusals[_i].code);
    test_has(message, refusals[_i].says);
    test_has_not(message, "hidden");
    ck_assert_ptr_null(got.id);
    mcph_mask_unref(mask);
}
END_TEST

START_TEST(a_long_reason_is_cut)
{
    struct mcph_oauth_client got = {0};
    char text[8192];

    snprintf(text, sizeof(text),
             "{\"error\":\"%0100d\",\"error_description\":\"%07000d\"}", 0, 0);
    ck_assert_int_eq(read_registration(400, text, NULL, &got), MCPHOST_E_AUTH);
    ck_assert_uint_lt(strlen(message), 800);
    test_has(message, "0... (0");
}
END_TEST

/* ---- scopes ------------------------------------------------------------------------ */

static const struct {
    struct mcph_oauth_scoping in;
    const char *out;
} scopings[] = {
    {{"c", "u", "s t", NULL, NULL, false}, "c"},
    {{NULL, "u", "s t", NULL, NULL, false}, "u"},
    {{"", "", "s t", NULL, NULL, false}, "s t"},
    {{NULL, NULL, NULL, NULL, NULL, false}, ""},
    {{"w", NULL, "s", "r w", NULL, false}, "w r"},
    {{"c", NULL, NULL, NULL, "x offline_access", true}, "c offline_access"},
    {{"c", NULL, NULL, NULL, "x offline_access", false}, "c"},
    {{"c", NULL, NULL, NULL, "x", true}, "c"},
    {{"c", NULL, NULL, NULL, NULL, true}, "c"},
    {{"offline_access c", NULL, NULL, NULL, "offline_access", true}, "offline_access c"},
    {{NULL, NULL, NULL, NULL, "offline_access", true}, ""},
};

START_TEST(scopes_are_selected_in_the_order_of_the_protocol)
{
    struct mcph_buf got;

    mcph_buf_init(&got, MCPH_OAUTH_URL_MAX);
    ck_assert_int_eq(mcph_oauth_select_scopes(&scopings[_i].in, &got, NULL), 0);
    ck_assert_str_eq(mcph_buf_text(&got), scopings[_i].out);
    mcph_buf_done(&got);
}
END_TEST

START_TEST(scopes_that_are_too_long_are_refused)
{
    struct mcph_oauth_scoping scoping = {.challenged = "abcdef"};
    mcphost_error *err = NULL;
    struct mcph_buf got;

    mcph_buf_init(&got, 4);
    ck_assert_int_eq(told(mcph_oauth_select_scopes(&scoping, &got, &err), &err),
                     MCPHOST_E_LIMIT);
    test_has(message, "longer than 4 bytes");
    mcph_buf_done(&got);
}
END_TEST

/* ---- the URL for the browser ------------------------------------------------------- */

#define OURS                                                                     \
    "response_type=code&client_id=c%201&redirect_uri=http%3A%2F%2F127.0.0.1%3A5" \
    "%2Fcb&code_challenge=ch&code_challenge_method=S256&state=st"

static const struct {
    const char *endpoint, *resource, *scope, *audience, *url;
} authorizations[] = {
    {"https://id.ex/a", "https://api.ex/mcp", "r w", NULL,
     "https://id.ex/a?" OURS "&resource=https%3A%2F%2Fapi.ex%2Fmcp&scope=r%20w"},
    {"https://id.ex/a", NULL, "", NULL, "https://id.ex/a?" OURS},
    {"https://id.ex/a?", NULL, NULL, NULL, "https://id.ex/a?" OURS},
    {"https://id.ex/a?t=1&&u=a%20b", NULL, NULL, NULL,
     "https://id.ex/a?t=1&u=a%20b&" OURS},
    {"https://id.ex/a?state=x&t=1&%73tate=y&client_id&%zz=1", NULL, NULL, NULL,
     "https://id.ex/a?t=1&" OURS},
    {"https://id.ex/a?scope=own&prompt=login", NULL, NULL, NULL,
     "https://id.ex/a?scope=own&prompt=login&" OURS},
    {"https://id.ex/a?prompt=login", NULL, "r offline_access", "api",
     "https://id.ex/a?" OURS "&scope=r%20offline_access&audience=api&prompt=consent"},
};

START_TEST(the_url_for_the_browser_has_each_parameter_once)
{
    struct mcph_oauth_issuer issuer = {.authorization =
                                           (char *)authorizations[_i].endpoint};
    struct mcph_oauth_authorization authorization = {"c 1",
                                                     "http://127.0.0.1:5/cb",
                                                     "ch",
                                                     "st",
                                                     authorizations[_i].resource,
                                                     authorizations[_i].scope,
                                                     authorizations[_i].audience};
    char *url = NULL;

    ck_assert_int_eq(mcph_oauth_authorize_url(&issuer, &authorization, &url, NULL), 0);
    ck_assert_str_eq(url, authorizations[_i].url);
    free(url);
}
END_TEST

START_TEST(a_url_for_the_browser_that_is_too_long_is_refused)
{
    struct mcph_oauth_issuer issuer = {.authorization =
                                           (char *)"https://id.ex/a?k=hidden"};
    struct mcph_oauth_authorization authorization = {.client_id = "c",
                                                     .redirect_uri = "x:/",
                                                     .challenge = "c",
                                                     .state = "secret-state"};
    size_t len = 30000;
    char *scope = malloc(len), *url = NULL;
    mcphost_error *err = NULL;

    ck_assert_ptr_nonnull(scope);
    memset(scope, '/', len - 1);
    scope[len - 1] = '\0';
    authorization.scope = scope;
    ck_assert_int_eq(
        told(mcph_oauth_authorize_url(&issuer, &authorization, &url, &err), &err),
        MCPHOST_E_LIMIT);
    ck_assert_str_eq(message,
                     "authorization at https://id.ex/a: the URL is too long; tell the "
                     "operator of the server");
    ck_assert_ptr_null(url);
    free(scope);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "identity");

    tcase_add_loop_test(tc, the_identity_is_chosen_in_the_order_of_the_protocol, 0,
                        (int)MCPH_ARRAY_SIZE(identities));
    tcase_add_loop_test(tc,
                        a_configured_client_stays_with_the_issuer_of_its_earlier_login, 0,
                        (int)MCPH_ARRAY_SIZE(pins));
    tcase_add_loop_test(tc, a_registration_is_used_again_only_for_what_it_covers, 0,
                        (int)MCPH_ARRAY_SIZE(stored));
    tcase_add_loop_test(tc, the_method_of_authentication_is_supported_by_both_sides, 0,
                        (int)MCPH_ARRAY_SIZE(methods));
    tc = test_case(suite, "registration");
    tcase_add_test(tc, a_registration_request_has_the_members_of_the_protocol);
    tcase_add_test(tc, a_client_with_a_redirect_to_a_web_server_is_of_type_web);
    tcase_add_test(tc, the_answer_to_a_registration_is_read);
    tcase_add_loop_test(tc,
                        a_refused_registration_is_reported_with_the_reason_of_the_server,
                        0, (int)MCPH_ARRAY_SIZE(refusals));
    tcase_add_test(tc, a_long_reason_is_cut);
    tc = test_case(suite, "authorization");
    tcase_add_loop_test(tc, scopes_are_selected_in_the_order_of_the_protocol, 0,
                        (int)MCPH_ARRAY_SIZE(scopings));
    tcase_add_test(tc, scopes_that_are_too_long_are_refused);
    tcase_add_loop_test(tc, the_url_for_the_browser_has_each_parameter_once, 0,
                        (int)MCPH_ARRAY_SIZE(authorizations));
    tcase_add_test(tc, a_url_for_the_browser_that_is_too_long_is_refused);
}

int
main(void)
{
    return test_main("auth-oauth-client", add);
}
