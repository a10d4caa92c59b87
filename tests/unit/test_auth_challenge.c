/* SPDX-License-Identifier: MIT
 *
 * test_auth_challenge.c - parsing the WWW-Authenticate headers of servers.
 */
#include <stdio.h>
#include <string.h>

#include "auth/auth.h"
#include "support/runner.h"

static char text[3 * MCPH_SCOPES_MAX];

/* Returns the description of the challenge in the header values, or "" if the values hold
 * no challenge.  `second` may be NULL. */
static const char *
said(const char *first, const char *second)
{
    struct mcph_span lines[] = {mcph_span_str(first), mcph_span_str(second)};
    struct mcph_challenge challenge;
    struct mcph_buf buf;
    int r = mcph_challenge_parse(lines, second ? 2 : 1, &challenge);

    ck_assert(r == 0 || r == MCPHOST_E_NOTFOUND);
    mcph_buf_init(&buf, sizeof(text) - 1);
    if (r == 0)
        mcph_challenge_describe(&challenge, &buf);
    snprintf(text, sizeof(text), "%.*s", (int)buf.len, buf.data ? buf.data : "");
    mcph_buf_done(&buf);
    mcph_challenge_done(&challenge);
    return text;
}

static const struct {
    const char *first, *second, *said;
} cases[] = {
    {"Bearer", NULL, "asks for Bearer"},
    {"bearer realm=x", NULL, "asks for bearer in realm \"x\""},
    {"Bearer resource_metadata=\"https://a/b\", scope=\"r w\"", NULL,
     "asks for Bearer with scope \"r w\", described at https://a/b"},
    {"Bearer error=\"insufficient_scope\",error_description=\"say \\\"please\\\"\"", NULL,
     "asks for Bearer, because of insufficient_scope: say \"please\""},
    {"Basic realm=\"x, y\", Bearer scope=a", NULL, "asks for Bearer with scope \"a\""},
    {"Basic realm=\"x\"", "BEARER SCOPE = \"a\"", "asks for BEARER with scope \"a\""},
    {"Negotiate abc==, Bearer scope=a", NULL, "asks for Bearer with scope \"a\""},
    {"Negotiate a/b=, Bearer scope=a", NULL, "asks for Bearer with scope \"a\""},
    {"Negotiate abc==", NULL, "asks for Negotiate"},
    {"Bearer scope=a, Bearer resource_metadata=\"https://a/b\"", NULL,
     "asks for Bearer, described at https://a/b"},
    {"Bearer resource_metadata=\"https://a/b\", DPoP resource_metadata=\"https://c/d\"",
     "Bearer scope=a", "asks for Bearer, described at https://a/b"},
    {"Negotiate, DPoP algs=\"ES256\"", NULL, "asks for DPoP"},
    {"Bearer scope=a, scope=b", NULL, "asks for Bearer with scope \"a\""},
    {"Bearer scope=\"never ends", NULL, "asks for Bearer with scope \"never ends\""},
    {"Bearer scope=", NULL, "asks for Bearer with scope \"\""},
    {"Bearer scope=\"a\nb\x01\xff\"", NULL, NULL},
    {" , ,Bearer  x = 1 , scope=z", NULL, "asks for Bearer with scope \"z\""},
    {"", NULL, ""},
    {"\"", NULL, ""},
    {"=====", NULL, ""},
};

/* RFC 9110, 11.6.1 */
START_TEST(a_challenge_is_parsed_and_described)
{
    said(cases[_i].first, cases[_i].second);
    if (cases[_i].said)
        ck_assert_str_eq(text, cases[_i].said);
    for (const char *p = text; *p; p++)
        ck_assert_int_ge((unsigned char)*p, ' ');
}
END_TEST

static const struct {
    const char *name;
    int max;
} limits[] = {{"resource_metadata", 2048}, {"realm", 2048}, {"scope", MCPH_SCOPES_MAX}};

START_TEST(a_value_that_is_too_long_counts_as_absent)
{
    static char line[100000];

    snprintf(line, sizeof(line), "Bearer %s=\"https://a/%0*d\", error=e", limits[_i].name,
             limits[_i].max - 10, 0);
    said(line, NULL);
    ck_assert_ptr_nonnull(strstr(text, "000"));
    for (int more = 1; more < 90000; more += 80000) {
        snprintf(line, sizeof(line), "Bearer %s=\"%0*d\", error=e", limits[_i].name,
                 limits[_i].max + more, 0);
        ck_assert_str_eq(said(line, NULL), "asks for Bearer, because of e");
    }
}
END_TEST

START_TEST(without_a_header_there_is_no_challenge)
{
    struct mcph_challenge challenge;

    ck_assert_int_eq(mcph_challenge_parse(NULL, 0, &challenge), MCPHOST_E_NOTFOUND);
    mcph_challenge_done(&challenge);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "challenges");

    tcase_add_loop_test(tc, a_challenge_is_parsed_and_described, 0,
                        (int)MCPH_ARRAY_SIZE(cases));
    tcase_add_loop_test(tc, a_value_that_is_too_long_counts_as_absent, 0,
                        (int)MCPH_ARRAY_SIZE(limits));
    tcase_add_test(tc, without_a_header_there_is_no_challenge);
}

int
main(void)
{
    return test_main("auth-challenge", add);
}
