/* SPDX-License-Identifier: MIT
 *
 * test_fakeauth.c - the behaviour of the fake authorization server towards clients.
 *
 * The client is authclient.h, which shares no code with the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "system/authclient.h"

static struct ac ac;

static const char *
at_root(const char *path)
{
    static char url[512];

    snprintf(url, sizeof(url), "%.*s%s", (int)(strlen(ac.ar.web.url) - 4), ac.ar.web.url,
             path);
    return url;
}

static const char *
at_issuer(int number, const char *path)
{
    static char url[512];

    snprintf(url, sizeof(url), "%s%s", ar_issuer(&ac.ar, number), path);
    return url;
}

/* Checks that a header of the last answer contains the text. */
static void
has_header(const char *name, const char *part)
{
    char *value = web_header(&ac.answer, name);

    test_has(value, part);
    free(value);
}

/* ---- the ordinary way -------------------------------------------------------------- */

START_TEST(a_client_that_follows_the_challenge_logs_in)
{
    char *issuer;

    ac_up(&ac, "account alice\nasks tools");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    has_header("WWW-Authenticate", "Bearer resource_metadata=\"");
    has_header("WWW-Authenticate", "/.well-known/oauth-protected-resource/mcp\"");
    has_header("WWW-Authenticate", "scope=\"tools\"");
    ck_assert_int_eq(ac_get(&ac, at_root("/.well-known/oauth-protected-resource/mcp")),
                     200);
    ck_assert_str_eq(ac_text(&ac, "resource"), ac.ar.web.url);
    issuer = json_dumps(json_object_get(ac.json, "authorization_servers"), 0);
    test_has(issuer, ar_issuer(&ac.ar, 1));
    free(issuer);
    ck_assert_int_eq(ac_get(&ac, at_issuer(1, "/.well-known/oauth-authorization-server")),
                     200);
    ck_assert_str_eq(ac_text(&ac, "issuer"), ar_issuer(&ac.ar, 1));
    ck_assert_str_eq(ac_text(&ac, "token_endpoint"), at_issuer(1, "/token"));
    ac_all(&ac, NULL);
    ac_is(&ac, "alice tools");
    ck_assert_int_eq(ar_traced(&ac.ar, "register client-1"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "login alice"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "token code ok"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(redirects_carry_the_state_and_the_issuer)
{
    const char *query;

    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    query = ac_login(&ac, NULL);
    ck_assert_str_eq(ac_param(query, "state"), "a state");
    ck_assert_str_eq(ac_param(query, "iss"), ar_issuer(&ac.ar, 1));
    ck_assert_int_eq(strlen(ac_param(query, "code")) > 40, 1);
    query = ac_login(&ac, "&fake=deny");
    ck_assert_str_eq(ac_param(query, "error"), "access_denied");
    ck_assert_str_eq(ac_param(query, "state"), "a state");
    ck_assert_str_eq(ac_param(query, "code"), "");
    ac_down(&ac);
}
END_TEST

START_TEST(wrong_authorization_requests_are_refused)
{
    static const char *const wrong[][2] = {
        {"&response_type=token", "invalid_request"}, /* two response_types */
        {"&resource=http://other.example/mcp", "invalid_request"},
    };
    char url[1024];

    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    for (size_t i = 0; i < 2; i++)
        ck_assert_str_eq(ac_param(ac_login(&ac, wrong[i][0]), "error"), wrong[i][1]);
    snprintf(url, sizeof(url),
             "%s/authorize?response_type=code&client_id=%s&redirect_uri=" AC_REDIRECT
             "&code_challenge=" AC_CHALLENGE "&code_challenge_method=S256&resource=x",
             ar_issuer(&ac.ar, 1), ac.client);
    ck_assert_int_eq(ac_get(&ac, url), 302);
    has_header("Location", "error=invalid_target");
    snprintf(url, sizeof(url),
             "%s/authorize?response_type=code&client_id=%s&redirect_uri=" AC_REDIRECT
             "&resource=%s",
             ar_issuer(&ac.ar, 1), ac.client, ac.ar.web.url);
    ck_assert_int_eq(ac_get(&ac, url), 302);
    has_header("Location", "error=invalid_request");
    snprintf(url, sizeof(url), "%s/authorize?client_id=nobody", ar_issuer(&ac.ar, 1));
    ck_assert_int_eq(ac_get(&ac, url), 400);
    snprintf(url, sizeof(url), "%s/authorize?client_id=%s&redirect_uri=http://x.example",
             ar_issuer(&ac.ar, 1), ac.client);
    ck_assert_int_eq(ac_get(&ac, url), 400);
    ck_assert_int_eq(ar_traced(&ac.ar, "login "), 0);
    ac_down(&ac);
}
END_TEST

START_TEST(a_code_serves_once_and_only_its_client)
{
    char code[256];

    ac_up(&ac, NULL);
    ac_register(&ac, "none");
    snprintf(code, sizeof(code), "%s", ac_param(ac_login(&ac, NULL), "code"));
    ck_assert_int_eq(ac_form(&ac, "/token",
                             "grant_type=authorization_code&code=%s&client_id=%s"
                             "&redirect_uri=" AC_REDIRECT
                             "&code_verifier=wrong&resource=%s",
                             code, ac.client, ac.ar.web.url),
                     400);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_grant");
    ac_register(&ac, "none");
    ck_assert_int_eq(ac_redeem(&ac, code), 400);
    snprintf(ac.client, sizeof(ac.client), "client-1");
    ck_assert_int_eq(ac_redeem(&ac, code), 200);
    ac_is(&ac, "user tools");
    ck_assert_int_eq(ac_redeem(&ac, code), 400);
    /* The second use of the code has ended the login. */
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ar_traced(&ac.ar, "code used twice"), 1);
    ac_down(&ac);
}
END_TEST

/* ---- access tokens ----------------------------------------------------------------- */

START_TEST(the_endpoint_takes_only_valid_tokens)
{
    ac_up(&ac, NULL);
    snprintf(ac.access, sizeof(ac.access), "at-made-up");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    has_header("WWW-Authenticate", "error=\"invalid_token\"");
    ac_all(&ac, NULL);
    ac_is(&ac, "user tools");
    ar_say(&ac.ar, "forget access");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ac_refresh(&ac, ac.refresh), 200);
    ac_is(&ac, "user tools");
    ck_assert_int_eq(
        ac_form(&ac, "/revoke", "token=%s&client_id=%s", ac.access, ac.client), 200);
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(
        ac_form(&ac, "/revoke", "token=%s&client_id=%s", ac.refresh, ac.client), 200);
    ck_assert_int_eq(ac_refresh(&ac, ac.refresh), 400);
    ck_assert_int_eq(ar_traced(&ac.ar, "revoke access"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "revoke refresh"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(access_tokens_expire)
{
    ac_up(&ac, "expires 0 60");
    ac_all(&ac, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(ac.json, "expires_in")), 60);
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ar_traced(&ac.ar, "rejected: expired token"), 1);
    ar_say(&ac.ar, "expires 60 none");
    ck_assert_int_eq(ac_refresh(&ac, ac.refresh), 200);
    ck_assert_ptr_null(json_object_get(ac.json, "expires_in"));
    ac_is(&ac, "user tools");
    ac_down(&ac);
}
END_TEST

START_TEST(a_login_uses_the_hinted_account_or_else_the_next_account)
{
    static const char *const who[] = {"alice tools", "bob tools", "bob tools"};

    ac_up(&ac, "account alice\naccount bob");
    for (int i = 0; i < 3; i++) {
        ac_all(&ac, NULL);
        ac_is(&ac, who[i]);
    }
    ac_all(&ac, "&login_hint=carol");
    ac_is(&ac, "carol tools");
    ar_say(&ac.ar, "account dave");
    ac_all(&ac, NULL);
    ac_is(&ac, "dave tools");
    ac_down(&ac);
}
END_TEST

START_TEST(a_tool_can_need_a_scope)
{
    ac_up(&ac, "scopes read write\nneeds echo write");
    ac_all(&ac, "&scope=read");
    ac_is(&ac, "user read");
    ck_assert_int_eq(ac_call(&ac, "echo"), 403);
    has_header("WWW-Authenticate", "error=\"insufficient_scope\"");
    has_header("WWW-Authenticate", "scope=\"write\"");
    ac_all(&ac, "&scope=read%20write");
    ck_assert_int_eq(ac_call(&ac, "echo"), 200);
    ar_say(&ac.ar, "allows read");
    ac_all(&ac, "&scope=read%20write");
    ac_is(&ac, "user read");
    ac_down(&ac);
}
END_TEST

/* ---- refresh tokens ---------------------------------------------------------------- */

START_TEST(without_rotation_the_refresh_token_stays)
{
    char first[256];

    ac_up(&ac, "rotate off");
    ac_all(&ac, NULL);
    snprintf(first, sizeof(first), "%s", ac.refresh);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(ac_refresh(&ac, first), 200);
        ck_assert_str_eq(ac_text(&ac, "refresh_token"), "");
        ac_is(&ac, "user tools");
    }
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 ok"), 3);
    ac_down(&ac);
}
END_TEST

START_TEST(strict_rotation_ends_the_login_when_a_token_is_used_again)
{
    char first[256], second[256];

    ac_up(&ac, "rotate strict");
    ac_all(&ac, NULL);
    snprintf(first, sizeof(first), "%s", ac.refresh);
    ck_assert_int_eq(ac_refresh(&ac, first), 200);
    snprintf(second, sizeof(second), "%s", ac.refresh);
    ck_assert_str_ne(first, second);
    ac_is(&ac, "user tools");
    ck_assert_int_eq(ac_refresh(&ac, first), 400);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_grant");
    ck_assert_int_eq(ac_refresh(&ac, second), 400);
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 ok"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 reused"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 revoked"), 1);
    ac_down(&ac);
}
END_TEST

START_TEST(grace_accepts_a_token_until_its_successor_was_used)
{
    char first[256], second[256], third[256];

    ac_up(&ac, "rotate grace");
    ac_all(&ac, NULL);
    snprintf(first, sizeof(first), "%s", ac.refresh);
    ck_assert_int_eq(ac_refresh(&ac, first), 200);
    snprintf(second, sizeof(second), "%s", ac.refresh);
    /* The client refreshes with `first` again, as if it had lost `second`. */
    ck_assert_int_eq(ac_refresh(&ac, first), 200);
    snprintf(third, sizeof(third), "%s", ac.refresh);
    ck_assert_int_eq(ac_refresh(&ac, third), 200);
    ck_assert_int_eq(ac_refresh(&ac, first), 400);
    ck_assert_int_eq(ac_refresh(&ac, second), 400);
    ac_is(&ac, "user tools"); /* the login has not ended */
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 grace"), 1);
    ck_assert_int_eq(ar_traced(&ac.ar, "refresh 1 dead"), 2);
    ac_down(&ac);
}
END_TEST

/* ---- devices ----------------------------------------------------------------------- */

static int
poll_device(const char *code)
{
    int status = ac_form(&ac, "/token",
                         "grant_type=urn:ietf:params:oauth:grant-type:device_code"
                         "&device_code=%s&client_id=%s",
                         code, ac.client);

    snprintf(ac.access, sizeof(ac.access), "%s", ac_text(&ac, "access_token"));
    return status;
}

START_TEST(a_device_gets_its_tokens_when_the_user_has_approved)
{
    char device[256], user[64];

    ac_up(&ac, "device interval 0\naccount alice");
    ac_register(&ac, "none");
    for (int denies = 0; denies < 2; denies++) {
        ck_assert_int_eq(ac_form(&ac, "/device_authorization", "client_id=%s&resource=%s",
                                 ac.client, ac.ar.web.url),
                         200);
        snprintf(device, sizeof(device), "%s", ac_text(&ac, "device_code"));
        snprintf(user, sizeof(user), "%s", ac_text(&ac, "user_code"));
        ck_assert_int_eq(ac_get(&ac, ac_text(&ac, "verification_uri_complete")), 200);
        ck_assert_int_eq(poll_device(device), 400);
        ck_assert_str_eq(ac_text(&ac, "error"), "authorization_pending");
        ar_approve(&ac.ar, user, denies);
        ck_assert_int_eq(poll_device(device), denies ? 400 : 200);
        if (denies)
            ck_assert_str_eq(ac_text(&ac, "error"), "access_denied");
        else
            ac_is(&ac, "alice tools");
    }
    ac_down(&ac);
}
END_TEST

START_TEST(a_device_that_polls_too_often_must_slow_down)
{
    char device[256];

    ac_up(&ac, "device interval 60\ndevice approve 2");
    ac_register(&ac, "none");
    ac_form(&ac, "/device_authorization", "client_id=%s", ac.client);
    snprintf(device, sizeof(device), "%s", ac_text(&ac, "device_code"));
    ck_assert_int_eq(poll_device(device), 400);
    ck_assert_str_eq(ac_text(&ac, "error"), "authorization_pending");
    ck_assert_int_eq(poll_device(device), 400);
    ck_assert_str_eq(ac_text(&ac, "error"), "slow_down");
    ac_down(&ac);
}
END_TEST

/* ---- the browser and the rig ------------------------------------------------------- */

START_TEST(a_server_that_starts_again_keeps_its_ports_and_forgets_its_tokens)
{
    char url[128], issuer[128];

    ac_up(&ac, "issuer own /t1\nissuer own\ntrusts 1 2");
    ac_all(&ac, NULL);
    snprintf(url, sizeof(url), "%s", ac.ar.web.url);
    snprintf(issuer, sizeof(issuer), "%s", ar_issuer(&ac.ar, 2));
    ar_again(&ac.ar);
    ck_assert_str_eq(url, ac.ar.web.url);
    ck_assert_str_eq(issuer, ar_issuer(&ac.ar, 2));
    ck_assert_int_eq(ac_refresh(&ac, ac.refresh), 401);
    ck_assert_str_eq(ac_text(&ac, "error"), "invalid_client");
    ck_assert_int_eq(ac_call(&ac, "whoami"), 401);
    ac_down(&ac);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "ways");

    tcase_add_test(tc, a_client_that_follows_the_challenge_logs_in);
    tcase_add_test(tc, redirects_carry_the_state_and_the_issuer);
    tcase_add_test(tc, wrong_authorization_requests_are_refused);
    tcase_add_test(tc, a_code_serves_once_and_only_its_client);
    tcase_add_test(tc, the_endpoint_takes_only_valid_tokens);
    tcase_add_test(tc, access_tokens_expire);
    tcase_add_test(tc, a_login_uses_the_hinted_account_or_else_the_next_account);
    tcase_add_test(tc, a_tool_can_need_a_scope);
    tcase_add_test(tc, without_rotation_the_refresh_token_stays);
    tcase_add_test(tc, strict_rotation_ends_the_login_when_a_token_is_used_again);
    tcase_add_test(tc, grace_accepts_a_token_until_its_successor_was_used);
    tcase_add_test(tc, a_device_gets_its_tokens_when_the_user_has_approved);
    tcase_add_test(tc, a_device_that_polls_too_often_must_slow_down);
    tcase_add_test(tc, a_server_that_starts_again_keeps_its_ports_and_forgets_its_tokens);
}

int
main(void)
{
    return test_main("fakeauth", add);
}
