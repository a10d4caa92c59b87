/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_redirect.c - the redirect that ends an authorization.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "support/runner.h"

#define STATE  "st4te"
#define ISSUER "https://id.ex/t1"
#define ISS    "iss=https%3A%2F%2Fid.ex%2Ft1"
#define URI    "http://127.0.0.1:5000/cb"

static char message[4096], code[4096];
static int why;

static bool has_s256 = true;

/* Reads a redirect, and keeps the code, the message and the reason. */
static int
read_text(const char *text, size_t len, bool sends_iss, bool pasted)
{
    struct mcph_oauth_awaited awaited = {STATE, ISSUER, URI, sends_iss, has_s256};
    struct mcph_mask *mask = mcph_mask_new();
    mcphost_error *err = NULL;
    char *got = NULL;
    int r;

    ck_assert_int_eq(mcph_mask_add(mask, "s3cret-value", 12), 0);
    why = MCPH_OAUTH_WHY_NONE;
    r = pasted ? mcph_oauth_pasted_read(&awaited, text, len, mask, &got, &why, &err)
               : mcph_oauth_redirect_read(&awaited, text, len, mask, &got, &why, &err);
    snprintf(message, sizeof(message), "%s", mcphost_error_get_message(err));
    snprintf(code, sizeof(code), "%s", got ? got : "(none)");
    ck_assert_int_eq(r, mcphost_error_get_code(err));
    ck_assert_int_eq(r == 0, got != NULL);
    mcphost_error_unref(err);
    mcph_str_wipe(got);
    mcph_mask_unref(mask);
    return r;
}

static const struct {
    const char *query;
    bool sends_iss;
    int code;
    const char *says; /* the code in the query, or a part of the error's message */
} redirects[] = {
    {"code=abc&state=" STATE, false, 0, "abc"},
    {"state=" STATE "&code=a%2Fb+c%2b&x=1&&y", false, 0, "a/b c+"},
    {"code=abc&state=" STATE "&" ISS, true, 0, "abc"},
    {"code=abc&state=" STATE "&" ISS, false, 0, "abc"},
    /* the issuer is missing or wrong (RFC 9207) */
    {"code=abc&state=" STATE, true, MCPHOST_E_DENIED, "does not name"},
    {"code=abc&state=" STATE "&iss=", true, MCPHOST_E_DENIED, "comes from another"},
    {"code=abc&state=" STATE "&iss=https%3A%2F%2Fid.ex%2Ft1%2F", true, MCPHOST_E_DENIED,
     "comes from another"},
    {"code=abc&state=" STATE "&iss=https%3A%2F%2Fevil.ex", false, MCPHOST_E_DENIED,
     "comes from another"},
    /* the state is missing or wrong */
    {"code=abc", false, MCPHOST_E_DENIED, "the state is missing"},
    {"code=abc&state=", false, MCPHOST_E_DENIED, "the state is missing"},
    {"code=abc&state=st4t", false, MCPHOST_E_DENIED, "the state is missing"},
    {"code=abc&state=st4tee", false, MCPHOST_E_DENIED, "the state is missing"},
    {"code=abc&state=st4tE", false, MCPHOST_E_DENIED, "the state is missing"},
    {"code=abc&state=St4te", false, MCPHOST_E_DENIED, "the state is missing"},
    {"error=access_denied", false, MCPHOST_E_DENIED, "the state is missing"},
    /* other faults of the parameters */
    {"code=abc&code=abc&state=" STATE, false, MCPHOST_E_DENIED, "occurs twice"},
    {"code=abc&c%6fde=x&state=" STATE, false, MCPHOST_E_DENIED, "occurs twice"},
    {"code=abc&state=" STATE "&state=" STATE, false, MCPHOST_E_DENIED, "occurs twice"},
    {"code=a%00c&state=" STATE, false, MCPHOST_E_DENIED, "not allowed"},
    {"code=a%0ac&state=" STATE, false, MCPHOST_E_DENIED, "not allowed"},
    {"code=a%7fc&state=" STATE, false, MCPHOST_E_DENIED, "not allowed"},
    {"code=abc&state=" STATE "&x=\x01", false, MCPHOST_E_DENIED, "not allowed"},
    {"code=abc&state=" STATE "&x=%f", false, MCPHOST_E_DENIED, "not allowed"},
    {"code=abc&state=" STATE "&x=%", false, MCPHOST_E_DENIED, "not allowed"},
    {"code=abc&state=" STATE "&x=%g0", false, MCPHOST_E_DENIED, "not allowed"},
    {"code=abc&state=" STATE "&x=%ff", false, MCPHOST_E_DENIED, "not allowed"},
    {"code=%c3%a9&state=" STATE, false, MCPHOST_E_PROTOCOL, "the code has a character"},
    {"code=&state=" STATE, false, MCPHOST_E_PROTOCOL, "the code is empty"},
    {"state=" STATE, false, MCPHOST_E_PROTOCOL, "neither a code nor an error"},
    {"", false, MCPHOST_E_DENIED, "the state is missing"},
    {"&&&", false, MCPHOST_E_DENIED, "the state is missing"},
    {"=code", false, MCPHOST_E_DENIED, "the state is missing"},
};

START_TEST(a_redirect_is_accepted_only_with_its_state_and_its_issuer)
{
    int r = read_text(redirects[_i].query, strlen(redirects[_i].query),
                      redirects[_i].sends_iss, false);

    ck_assert_msg(r == redirects[_i].code, "%s: %d %s", redirects[_i].query, r, message);
    if (r == 0)
        ck_assert_str_eq(code, redirects[_i].says);
    else
        test_has(message, redirects[_i].says);
    test_has_not(message, "abc");
    test_has_not(message, STATE);
}
END_TEST

static const struct {
    const char *query;
    bool sends_iss;
    int code, why;
    const char *says;
} errors[] = {
    {"error=access_denied&state=" STATE, false, MCPHOST_E_AUTH, MCPH_OAUTH_WHY_USER,
     "authorization at https://id.ex/t1: the authorization server refused the request: "
     "access_denied; log in "
     "again"},
    {"error=invalid_scope&error_description=no+%22w%22%09&code=abc&state=" STATE, false,
     MCPHOST_E_DENIED, MCPH_OAUTH_WHY_NONE, "not allowed"},
    {"error=invalid_scope&error_description=no+%22w%22&code=abc&state=" STATE, false,
     MCPHOST_E_AUTH, MCPH_OAUTH_WHY_SCOPE, "invalid_scope (no \"w\")"},
    {"error=x&error_description=s3cret-value&state=" STATE, false, MCPHOST_E_AUTH,
     MCPH_OAUTH_WHY_OTHER, "x (************)"},
    {"error=temporarily_unavailable&state=" STATE, false, MCPHOST_E_TRANSPORT,
     MCPH_OAUTH_WHY_LATER, "try again later"},
    {"error=told-by-nobody&state=" STATE, true, MCPHOST_E_DENIED, MCPH_OAUTH_WHY_NONE,
     "does not name"},
    {"error=told-by-nobody&state=" STATE "&iss=https://evil.ex", false, MCPHOST_E_DENIED,
     MCPH_OAUTH_WHY_NONE, "comes from another"},
    {"error=told-by-nobody&state=x", false, MCPHOST_E_DENIED, MCPH_OAUTH_WHY_NONE,
     "the state"},
};

START_TEST(an_error_is_believed_only_with_its_state_and_its_issuer)
{
    int r = read_text(errors[_i].query, strlen(errors[_i].query), errors[_i].sends_iss,
                      false);

    ck_assert_msg(r == errors[_i].code, "%s: %d %s", errors[_i].query, r, message);
    ck_assert_int_eq(why, errors[_i].why);
    test_has(message, errors[_i].says);
    test_has_not(message, "told-by-nobody");
    test_has_not(message, "s3cret");
}
END_TEST

START_TEST(a_nul_byte_in_a_redirect_is_refused)
{
    static const char query[] = "code=a\0bc&state=" STATE;

    ck_assert_int_eq(read_text(query, sizeof(query) - 1, false, false), MCPHOST_E_DENIED);
    test_has(message, "not allowed");
}
END_TEST

START_TEST(the_size_of_a_redirect_and_the_number_of_its_parameters_are_limited)
{
    size_t len = MCPH_OAUTH_REDIRECT_MAX;
    char *query = malloc(len + 1);
    struct mcph_buf buf;

    ck_assert_ptr_nonnull(query);
    memset(query, 'x', len + 1);
    memcpy(query, "code=abc&state=" STATE "&", 21);
    ck_assert_int_eq(read_text(query, len, false, false), 0);
    ck_assert_int_eq(read_text(query, len + 1, false, false), MCPHOST_E_DENIED);
    ck_assert_int_eq(read_text(query, len + 1, false, true), MCPHOST_E_DENIED);
    free(query);
    mcph_buf_init(&buf, 4096);
    mcph_buf_adds(&buf, "code=abc&state=" STATE);
    for (size_t i = 2; i < 64; i++)
        mcph_buf_addf(&buf, "&x%zu=1", i);
    ck_assert_int_eq(read_text(buf.data, buf.len, false, false), 0);
    mcph_buf_adds(&buf, "&y=1");
    ck_assert_int_eq(read_text(buf.data, buf.len, false, false), MCPHOST_E_DENIED);
    test_has(message, "too many parameters");
    mcph_buf_done(&buf);
}
END_TEST

static const struct {
    const char *text;
    bool sends_iss;
    int code;
    const char *says;
} pasted[] = {
    {URI "?code=abc&state=" STATE, false, 0, "abc"},
    {" \t" URI "?code=abc&state=" STATE "#fragment\r\n", false, 0, "abc"},
    {"?code=abc&state=" STATE, false, 0, "abc"},
    {"code=abc&state=" STATE, false, 0, "abc"},
    {"state=" STATE "&code=a?b", false, 0, "a?b"},
    {ISS "&state=" STATE "&code=abc", true, 0, "abc"},
    {"4/0AbC-d_e=", false, 0, "4/0AbC-d_e="},
    {"4%2F0AbC+d\n", false, 0, "4/0AbC+d"},
    {"code=", false, 0, "code="},
    {URI "?code=abc&state=other", false, MCPHOST_E_DENIED, "the state"},
    {URI "?error=access_denied&state=" STATE, false, MCPHOST_E_AUTH, "access_denied"},
    {URI, false, MCPHOST_E_DENIED, "is not the redirect of this login; paste the URL"},
    {"https://id.ex/auth?code=abc&state=" STATE, false, MCPHOST_E_DENIED,
     "is not the redirect"},
    {"http://127.0.0.1:5001/cb?code=abc&state=" STATE, false, MCPHOST_E_DENIED,
     "is not the redirect"},
    {URI "x?code=abc&state=" STATE, false, MCPHOST_E_DENIED, "is not the redirect"},
    {"http://127.0.0.1:5000/c?code=abc&state=" STATE, false, MCPHOST_E_DENIED,
     "is not the redirect"},
    {"abc", true, MCPHOST_E_DENIED, "paste the whole URL"},
    {"two words", false, MCPHOST_E_DENIED, "is not a code"},
    {"two\nlines", false, MCPHOST_E_DENIED, "is not a code"},
    {"a%20b", false, MCPHOST_E_DENIED, "is not a code"},
    {"100%", false, MCPHOST_E_DENIED, "is not a code"},
    {"caf\xc3\xa9", false, MCPHOST_E_PROTOCOL, "the code has a character"},
    {"", false, MCPHOST_E_PROTOCOL, "the code is empty"},
    {" \n", false, MCPHOST_E_PROTOCOL, "the code is empty"},
};

START_TEST(a_pasted_text_is_a_url_a_query_or_a_code)
{
    int r =
        read_text(pasted[_i].text, strlen(pasted[_i].text), pasted[_i].sends_iss, true);

    ck_assert_msg(r == pasted[_i].code, "%s: %d %s", pasted[_i].text, r, message);
    if (r == 0)
        ck_assert_str_eq(code, pasted[_i].says);
    else
        test_has(message, pasted[_i].says);
    test_has_not(message, "abc");
}
END_TEST

/* Without PKCE, the authorization server would accept a code of another person's
 * login. */
START_TEST(without_pkce_a_code_alone_is_refused_and_a_redirect_is_not)
{
    static const char query[] = "code=abc&state=" STATE;

    has_s256 = false;
    ck_assert_int_eq(read_text("abc", 3, false, true), MCPHOST_E_DENIED);
    test_has(message, "does not list PKCE with S256; paste the whole URL");
    test_has_not(message, "abc");
    ck_assert_int_eq(read_text(query, sizeof(query) - 1, false, true), 0);
    ck_assert_int_eq(read_text(query, sizeof(query) - 1, false, false), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "redirects");

    tcase_add_loop_test(tc, a_redirect_is_accepted_only_with_its_state_and_its_issuer, 0,
                        (int)MCPH_ARRAY_SIZE(redirects));
    tcase_add_loop_test(tc, an_error_is_believed_only_with_its_state_and_its_issuer, 0,
                        (int)MCPH_ARRAY_SIZE(errors));
    tcase_add_test(tc, a_nul_byte_in_a_redirect_is_refused);
    tcase_add_test(tc,
                   the_size_of_a_redirect_and_the_number_of_its_parameters_are_limited);
    tc = test_case(suite, "pasted texts");
    tcase_add_loop_test(tc, a_pasted_text_is_a_url_a_query_or_a_code, 0,
                        (int)MCPH_ARRAY_SIZE(pasted));
    tcase_add_test(tc, without_pkce_a_code_alone_is_refused_and_a_redirect_is_not);
}

int
main(void)
{
    return test_main("auth-oauth-redirect", add);
}
