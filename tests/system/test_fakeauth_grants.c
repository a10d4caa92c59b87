/* SPDX-License-Identifier: MIT
 *
 * test_fakeauth_grants.c - the fake authorization server: the authentication of clients,
 * the grants without a browser, proofs of possession, several servers, and the places of
 * metadata.
 *
 * The library makes the assertions and proofs, because authclient.h cannot use keys.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "support/canned.h"
#include "support/hostrig.h"
#include "support/keys.h"
#include "support/runner.h"
#include "system/authclient.h"

#define URN "urn:ietf:params:oauth:"

static struct ac ac;

static const char *
at_root(const char *path)
{
    static char url[512];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", ac.ar.web.port, path);
    return url;
}

static const char *
at_issuer(int number, const char *path)
{
    static char url[512];

    snprintf(url, sizeof(url), "%s%s", ar_issuer(&ac.ar, number), path);
    return url;
}

static void
is_error(int status, int wanted, const char *word)
{
    ck_assert_int_eq(status, wanted);
    ck_assert_str_eq(ac_text(&ac, "error"), word);
}

/* ---- clients ----------------------------------------------------------------------- */

START_TEST(a_secret_is_accepted_only_by_the_method_of_its_client)
{
    static const char *const methods[] = {"client_secret_post", "client_secret_basic"};
    char secret[128], id[64], plain[256];
    struct mcph_buf encoded;

    ac_up(&ac, NULL);
    ck_assert_int_eq(ac_register(&ac, methods[_i]), 201);
    ck_assert_str_eq(ac_text(&ac, "token_endpoint_auth_method"), methods[_i]);
    snprintf(secret, sizeof(secret), "%s", ac_text(&ac, "client_secret"));
    snprintf(id, sizeof(id), "%s", ac.client);
    is_error(ac_redeem(&ac, "x"), 401, "invalid_client");
    snprintf(plain, sizeof(plain), "%s:%s", id, secret);
    mcph_buf_init(&encoded, 1024);
    ck_assert_int_eq(mcph_base64_add(&encoded, plain, strlen(plain)), 0);
    snprintf(ac.headers, sizeof(ac.headers), "Authorization: Basic %.*s\r\n",
             (int)encoded.len, encoded.data);
    is_error(ac_form(&ac, "/token", "grant_type=client_credentials&resource=%s",
                     ac.ar.web.url),
             _i ? 200 : 401, _i ? "" : "invalid_client");
    *ac.headers = '\0';
    is_error(ac_form(&ac, "/token",
                     "grant_type=client_credentials&resource=%s&client_id=%s"
                     "&client_secret=%s",
                     ac.ar.web.url, id, secret),
             _i ? 401 : 200, _i ? "invalid_client" : "");
    ck_assert_int_eq(ar_traced(&ac.ar, "client-1 refused: wrong method"), 2);
    mcph_buf_done(&encoded);
    ac_down(&ac);
}
END_TEST

/* Sends a request with an assertion that this key signs. */
static int
assert_client(const char *key_name, const char *id, const char *audience, int64_t now)
{
    struct mcph_assertion assertion = {id, audience, NULL, now};
    struct mcph_keypair *key = keys_read(key_name);
    struct mcph_buf jwt;
    int status;

    mcph_buf_init(&jwt, 65536);
    ck_assert_int_eq(mcph_assertion_make(key, &assertion, &jwt, NULL), 0);
    status =
        ac_form(&ac, "/token",
                "grant_type=client_credentials&resource=%s&client_assertion_type=" URN
                "client-assertion-type:jwt-bearer&client_assertion=%.*s",
                ac.ar.web.url, (int)jwt.len, jwt.data);
    mcph_buf_wipe(&jwt);
    mcph_keypair_free(key);
    return status;
}

START_TEST(a_client_with_a_key_signs_assertions)
{
    static const char *const keys[] = {"p256-pkcs8", "rsa-pkcs8"};
    struct mcph_span pem;
    char file[64];

    ac_up(&ac, NULL);
    snprintf(file, sizeof(file), "%s", "client.pem");
    pem = keys_text(keys[_i]);
    rig_workspace_write(&ac.ws, file, "%.*s", (int)pem.len, pem.p);
    ar_say(&ac.ar, "client robot key %s", rig_workspace_path(&ac.ws, file));
    ck_assert_int_eq(assert_client(keys[_i], "robot", at_issuer(1, ""), time(NULL)), 200);
    snprintf(ac.access, sizeof(ac.access), "%s", ac_text(&ac, "access_token"));
    ck_assert_str_eq(ac_text(&ac, "refresh_token"), "");
    ac_is(&ac, "robot tools");
    ck_assert_int_eq(assert_client(keys[!_i], "robot", at_issuer(1, ""), time(NULL)),
                     401);
    ck_assert_int_eq(assert_client(keys[_i], "other", at_issuer(1, ""), time(NULL)), 401);
    ck_assert_int_eq(assert_client(keys[_i], "robot", "http://x", time(NULL)), 401);
    ck_assert_int_eq(assert_client(keys[_i], "robot", at_issuer(1, ""), 1000), 401);
    ar_say(&ac.ar, "fault token once skew 3600");
    ck_assert_int_eq(assert_client(keys[_i], "robot", at_issuer(1, ""), time(NULL)), 401);
    ck_assert_int_eq(assert_client(keys[_i], "robot", at_issuer(1, ""), time(NULL)), 200);
    ac_down(&ac);
}
END_TEST

START_TEST(a_request_whose_body_has_another_type_is_refused)
{
    static const char *const paths[] = {"/register", "/token"};
    struct web_answer answer;

    ac_up(&ac, NULL);
    ck_assert_int_eq(web_ask("POST", at_issuer(1, paths[_i]),
                             _i ? "Content-Type: application/json\r\n" : NULL, "{}",
                             &answer),
                     415);
    web_done(&answer);
    ac_down(&ac);
}
END_TEST

START_TEST(registration_can_be_off_and_forgotten)
{
    ac_up(&ac, "client known any\nregister off");
    ck_assert_int_eq(ac_register(&ac, "none"), 403);
    ac_get(&ac, at_issuer(1, "/.well-known/oauth-authorization-server"));
    ck_assert_str_eq(ac_text(&ac, "registration_endpoint"), "");
    snprintf(ac.client, sizeof(ac.client), "known");
    ck_assert_int_eq(ac_redeem(&ac, ac_param(ac_login(&ac, NULL), "code")), 200);
    ac_is(&ac, "user tools");
    ar_say(&ac.ar, "forget clients");
    is_error(ac_refresh(&ac, ac.refresh), 401, "invalid_client");
    ck_assert_str_eq(ac_login(&ac, NULL), "");
    ac_down(&ac);
}
END_TEST

START_TEST(the_url_of_a_document_can_be_a_client)
{
    ac_up(&ac, "cimd on");
    ac_get(&ac, at_issuer(1, "/.well-known/oauth-authorization-server"));
    ck_assert(
        json_is_true(json_object_get(ac.json, "client_id_metadata_document_supported")));
    snprintf(ac.client, sizeof(ac.client), "https://client.example/me.json");
    ck_assert_int_eq(ac_redeem(&ac, ac_param(ac_login(&ac, NULL), "code")), 200);
    ck_assert_int_eq(ar_traced(&ac.ar, "document https://client.example/me.json"), 1);
    ac_down(&ac);
}
END_TEST

/* ---- grants without a browser ------------------------------------------------------ */

START_TEST(an_identity_of_one_issuer_serves_at_another)
{
    char id_token[4096], id_jag[4096];

    /* The first issuer is the identity provider.  The resource trusts only the second
     * issuer. */
    ac_up(&ac, "issuer own\nissuer own\ntrusts 2\nclient robot any\naccount alice");
    snprintf(ac.client, sizeof(ac.client), "robot");
    ck_assert_int_eq(
        ac_redeem(&ac, ac_param(ac_login(&ac, "&scope=openid&nonce=n"), "code")), 200);
    snprintf(id_token, sizeof(id_token), "%s", ac_text(&ac, "id_token"));
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN
                     "grant-type:token-exchange&requested_token_type=" URN
                     "token-type:id-jag&subject_token=%s&subject_token_type=" URN
                     "token-type:id_token&audience=%s&resource=%s&client_id=robot",
                     id_token, ar_issuer(&ac.ar, 2), ac.ar.web.url),
             200, "");
    ck_assert_str_eq(ac_text(&ac, "token_type"), "N_A");
    ck_assert_str_eq(ac_text(&ac, "issued_token_type"), URN "token-type:id-jag");
    snprintf(id_jag, sizeof(id_jag), "%s", ac_text(&ac, "access_token"));
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN
                     "grant-type:jwt-bearer&assertion=%s&client_id=robot",
                     id_jag),
             400, "invalid_grant"); /* the ID-JAG's audience is the second issuer */
    ac.issuer = 2;
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN
                     "grant-type:jwt-bearer&assertion=%s&client_id=robot",
                     id_jag),
             200, "");
    snprintf(ac.access, sizeof(ac.access), "%s", ac_text(&ac, "access_token"));
    ac_is(&ac, "alice tools");
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN
                     "grant-type:jwt-bearer&assertion=%s&client_id=robot",
                     id_token),
             400, "invalid_grant"); /* the id token's audience is the client */
    ar_say(&ac.ar, "skew 3600");
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN
                     "grant-type:jwt-bearer&assertion=%s&client_id=robot",
                     id_jag),
             400, "invalid_grant"); /* the ID-JAG has expired */
    ac_down(&ac);
}
END_TEST

START_TEST(the_script_can_name_a_token_of_another_issuer)
{
    ac_up(&ac, "client robot any\nsubject carol from.else.where");
    is_error(ac_form(&ac, "/token",
                     "grant_type=" URN "grant-type:jwt-bearer&assertion=from.else.where"
                     "&client_id=robot&resource=%s",
                     ac.ar.web.url),
             200, "");
    snprintf(ac.access, sizeof(ac.access), "%s", ac_text(&ac, "access_token"));
    ac_is(&ac, "carol tools");
    ac_down(&ac);
}
END_TEST

START_TEST(a_grant_that_the_script_leaves_out_is_refused)
{
    ac_up(&ac, "grants code\nclient robot any");
    is_error(ac_form(&ac, "/token", "grant_type=client_credentials&client_id=robot"), 400,
             "unsupported_grant_type");
    is_error(ac_form(&ac, "/token", "grant_type=other&client_id=robot"), 400,
             "unsupported_grant_type");
    ac_down(&ac);
}
END_TEST

/* ---- proofs of possession ---------------------------------------------------------- */

/* Sets ac.headers to a DPoP proof for a POST to `url`, and to the access token `token`
 * unless `token` is NULL. */
static void
prove(struct mcph_keypair *key, const char *url, const char *token, const char *nonce)
{
    struct mcph_dpop dpop = {"POST", url, token, nonce, time(NULL)};
    struct mcph_buf jwt;

    mcph_buf_init(&jwt, 65536);
    ck_assert_int_eq(mcph_dpop_make(key, &dpop, &jwt, NULL), 0);
    snprintf(ac.headers, sizeof(ac.headers), "%s%s%sDPoP: %.*s\r\n",
             token ? "Authorization: DPoP " : "", token ? token : "", token ? "\r\n" : "",
             (int)jwt.len, jwt.data);
    mcph_buf_wipe(&jwt);
}

/* Returns the nonce of the last answer. */
static const char *
nonce(void)
{
    static char text[64];
    char *value = web_header(&ac.answer, "DPoP-Nonce");

    snprintf(text, sizeof(text), "%s", value ? value : "");
    free(value);
    return text;
}

START_TEST(a_token_is_bound_to_the_key_of_its_proof)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8"), *other = keys_read("rsa-pkcs8");
    char code[256], token[256];

    ac_up(&ac, "dpop nonce");
    ac_register(&ac, "none");
    snprintf(code, sizeof(code), "%s", ac_param(ac_login(&ac, NULL), "code"));
    is_error(ac_redeem(&ac, code), 400, "invalid_dpop_proof");
    prove(key, at_issuer(1, "/token"), NULL, NULL);
    is_error(ac_redeem(&ac, code), 400, "use_dpop_nonce");
    prove(key, at_issuer(1, "/token"), NULL, nonce());
    is_error(ac_redeem(&ac, code), 200, "");
    ck_assert_str_eq(ac_text(&ac, "token_type"), "DPoP");
    is_error(ac_redeem(&ac, code), 400, "invalid_dpop_proof"); /* the proof was used */
    snprintf(token, sizeof(token), "%s", ac.access);

    *ac.headers = '\0';
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401); /* a call without a proof */
    *ac.access = '\0';
    /* The resource refuses the nonce that the issuer gave. */
    prove(key, ac.ar.web.url, token, "nonce-1");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_str_ne(nonce(), "nonce-1");
    prove(key, ac.ar.web.url, token, nonce());
    ac_is(&ac, "user tools");
    prove(other, ac.ar.web.url, token, nonce());
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    prove(key, "http://127.0.0.1/mcp", token, "nonce-2");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ar_traced(&ac.ar, "dpop htu"), 1);
    mcph_keypair_free(key);
    mcph_keypair_free(other);
    ac_down(&ac);
}
END_TEST

START_TEST(a_refresh_token_of_a_public_client_is_bound_too)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8"), *other = keys_read("rsa-pkcs8");

    ac_up(&ac, "dpop on");
    ac_register(&ac, "none");
    prove(key, at_issuer(1, "/token"), NULL, NULL);
    is_error(ac_redeem(&ac, ac_param(ac_login(&ac, NULL), "code")), 200, "");
    prove(other, at_issuer(1, "/token"), NULL, NULL);
    is_error(ac_refresh(&ac, ac.refresh), 400, "invalid_dpop_proof");
    prove(key, at_issuer(1, "/token"), NULL, NULL);
    is_error(ac_refresh(&ac, ac.refresh), 200, "");
    mcph_keypair_free(key);
    mcph_keypair_free(other);
    ac_down(&ac);
}
END_TEST

/* ---- places and servers ------------------------------------------------------------ */

static const struct {
    const char *script, *there, *missing;
} places[] = {
    {"issuer own /t1", "/.well-known/oauth-authorization-server/t1",
     "/.well-known/oauth-authorization-server"},
    {"issuer own /t1\nissuer-places openid", "/.well-known/openid-configuration/t1",
     "/t1/.well-known/openid-configuration"},
    {"issuer own /t1\nissuer-places tail", "/t1/.well-known/openid-configuration",
     "/.well-known/openid-configuration/t1"},
    {"issuer-places openid", "/.well-known/openid-configuration",
     "/.well-known/oauth-authorization-server"},
};

START_TEST(metadata_are_where_the_script_wants_them)
{
    char url[256];
    int port;

    ac_up(&ac, places[_i].script);
    port = (int)strtol(strchr(ar_issuer(&ac.ar, 1) + 7, ':') + 1, NULL, 10);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, places[_i].there);
    ck_assert_int_eq(ac_get(&ac, url), 200);
    ck_assert_str_eq(ac_text(&ac, "issuer"), ar_issuer(&ac.ar, 1));
    snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, places[_i].missing);
    ck_assert_int_eq(ac_get(&ac, url), 404);
    ac_all(&ac, NULL);
    ac_is(&ac, "user tools");
    ar_say(&ac.ar, "resource-places elsewhere");
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-protected-resource")), 404);
    ck_assert_int_eq(ac_get(&ac, at_root("/elsewhere/resource-metadata")), 200);
    ac_down(&ac);
}
END_TEST

START_TEST(the_old_revision_has_its_endpoints_at_the_root)
{
    char url[1024];

    ac_up(&ac, "auth legacy");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-protected-resource")), 404);
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-authorization-server")),
                     404);
    ck_assert_str_eq(ar_issuer(&ac.ar, 1), at_root(""));
    ac_register(&ac, "none");
    snprintf(url, sizeof(url),
             "%s/authorize?response_type=code&client_id=%s&redirect_uri=" AC_REDIRECT
             "&code_challenge=" AC_CHALLENGE "&code_challenge_method=S256&state=s",
             ar_issuer(&ac.ar, 1), ac.client);
    ck_assert_int_eq(ac_get(&ac, url), 302);
    ac_all(&ac, NULL);
    ac_is(&ac, "user tools");
    ar_say(&ac.ar, "issuer-places oauth");
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-authorization-server")),
                     200);
    ac_down(&ac);
}
END_TEST

START_TEST(a_resource_that_changes_its_issuer_takes_no_token_of_the_old_issuer)
{
    char *document;

    ac_up(&ac, "issuer own\nissuer own\nissuer same /as");
    ac_all(&ac, NULL);
    ac_is(&ac, "user tools");
    ar_say(&ac.ar, "trusts 2 3");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ar_traced(&ac.ar, "rejected: token of another issuer"), 1);
    ac_get(&ac, at_root("/.well-known/oauth-protected-resource"));
    document = json_dumps(ac.json, 0);
    test_has_not(document, ar_issuer(&ac.ar, 1));
    test_has(document, ar_issuer(&ac.ar, 2));
    test_has(document, at_root("/as"));
    free(document);
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-authorization-server/as")),
                     200);
    ac_down(&ac);
}
END_TEST

/* ---- the browser and the rig ------------------------------------------------------- */

static const struct {
    int how;
    size_t requests;
    const char *has, *has_not;
} browsers[] = {
    {BROWSER_LOGIN, 1, "&state=abcd", "error="},
    {BROWSER_DENY, 1, "error=access_denied", "code="},
    {BROWSER_STATE, 1, "&state=xbcd", "&state=abcd"},
    {BROWSER_TWICE, 2, "&state=abcd", "error="},
};

START_TEST(a_browser_follows_the_redirect_to_a_loopback_port)
{
    static const struct canned_answer page = {
        .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .after = CANNED_CLOSE};
    struct canned_answer pages[2] = {page, page};
    struct canned *door = canned_up(pages, 2);
    struct browser *browser;
    char url[1024];

    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    snprintf(url, sizeof(url),
             "%s/authorize?response_type=code&client_id=%s"
             "&redirect_uri=http://127.0.0.1:%d/callback&code_challenge=" AC_CHALLENGE
             "&code_challenge_method=S256&state=abcd&resource=%s",
             ar_issuer(&ac.ar, 1), ac.client, canned_port(door), ac.ar.web.url);
    browser = browser_start(url, browsers[_i].how);
    ck_assert_int_eq(browser_end(browser), 200);
    ck_assert_uint_eq(canned_count(door), browsers[_i].requests);
    test_has(canned_request(door, 0), browsers[_i].has);
    test_has_not(canned_request(door, 0), browsers[_i].has_not);
    ar_say(&ac.ar, "redirects exact");
    ck_assert_int_eq(browser_open(url, BROWSER_LOGIN), 400);
    canned_down(door);
    ac_down(&ac);
}
END_TEST

/* Runs browser_main with the user's decision in the environment. */
static void
run_browser(const char *url, const char *how)
{
    char decision[64], log[128];
    char *argv[] = {(char *)ar_browser(), (char *)url, NULL};
    char *env[] = {decision, log, NULL};
    pid_t pid;
    int status;

    snprintf(decision, sizeof(decision), "FAKE_BROWSER=%s", how);
    snprintf(log, sizeof(log), "FAKE_BROWSER_LOG=%s",
             rig_workspace_path(&ac.ws, "browser.log"));
    ck_assert_int_eq(posix_spawn(&pid, argv[0], NULL, NULL, argv, env), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

START_TEST(a_browser_can_be_a_program)
{
    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    run_browser(ac_url(&ac, NULL), "login");
    ck_assert_int_eq(ar_traced(&ac.ar, "login user"), 1);
    run_browser(ac_url(&ac, NULL), "deny");
    ck_assert_int_eq(ar_traced(&ac.ar, "authorize access_denied"), 1);
    run_browser(ac_url(&ac, NULL), "closed");
    ck_assert_int_eq(ar_traced(&ac.ar, "http GET /authorize"), 2);
    ck_assert_int_eq(rig_workspace_count(&ac.ws, "browser.log", "/authorize?"), 3);
    ac_down(&ac);
}
END_TEST

START_TEST(a_host_can_have_a_server_that_wants_tokens)
{
    static struct hostrig hr;
    struct authrig ar;

    hr_up(&hr);
    ar_http(&hr, &ar, "a", NULL, "issuer own /t1");
    hr_load(&hr);
    hr_until(&hr, ar_traced(&ar, "refused 401 no token") >= 1);
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "clients");

    tcase_add_loop_test(tc, a_secret_is_accepted_only_by_the_method_of_its_client, 0, 2);
    tcase_add_loop_test(tc, a_client_with_a_key_signs_assertions, 0, 2);
    tcase_add_loop_test(tc, a_request_whose_body_has_another_type_is_refused, 0, 2);
    tcase_add_test(tc, registration_can_be_off_and_forgotten);
    tcase_add_test(tc, the_url_of_a_document_can_be_a_client);
    tc = test_case(suite, "grants");
    tcase_add_test(tc, an_identity_of_one_issuer_serves_at_another);
    tcase_add_test(tc, the_script_can_name_a_token_of_another_issuer);
    tcase_add_test(tc, a_grant_that_the_script_leaves_out_is_refused);
    tc = test_case(suite, "dpop");
    tcase_add_test(tc, a_token_is_bound_to_the_key_of_its_proof);
    tcase_add_test(tc, a_refresh_token_of_a_public_client_is_bound_too);
    tc = test_case(suite, "places");
    tcase_add_loop_test(tc, metadata_are_where_the_script_wants_them, 0, 4);
    tcase_add_test(tc, the_old_revision_has_its_endpoints_at_the_root);
    tcase_add_test(tc,
                   a_resource_that_changes_its_issuer_takes_no_token_of_the_old_issuer);
    tc = test_case(suite, "rig");
    tcase_add_loop_test(tc, a_browser_follows_the_redirect_to_a_loopback_port, 0, 4);
    tcase_add_test(tc, a_browser_can_be_a_program);
    tcase_add_test(tc, a_host_can_have_a_server_that_wants_tokens);
}

int
main(void)
{
    return test_main("fakeauth-grants", add);
}
