/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_places.c - the URLs that OAuth may fetch, and the places of metadata.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "support/runner.h"

#define PRM "/.well-known/oauth-protected-resource"
#define ASM "/.well-known/oauth-authorization-server"
#define OID "/.well-known/openid-configuration"

static const struct {
    const char *server, *url, *fault; /* `fault`: NULL if the URL is allowed */
} urls[] = {
    {"https://api.ex/mcp", "https://id.ex/t1", NULL},
    {"https://api.ex/mcp", "https://id.ex:8443/t1?x=1", NULL},
    {"https://api.ex/mcp", "HTTPS://id.ex", NULL},
    {"https://api.ex/mcp", "http://id.ex/t1", "not an https URL"},
    {"https://api.ex/mcp", "http://localhost:9000/", "of this machine"},
    {"https://api.ex/mcp", "http://127.0.0.1:9000/", "of this machine"},
    {"https://api.ex/mcp", "https://localhost/", "in a private network"},
    {"https://api.ex/mcp", "https://10.1.2.3/", "in a private network"},
    {"https://api.ex/mcp", "https://0x0a010203/", "in a private network"},
    {"https://api.ex/mcp", "https://169.254.169.254/latest", "in a private network"},
    {"https://api.ex/mcp", "https://[::1]/", "in a private network"},
    {"https://api.ex/mcp", "https://[::ffff:10.0.0.1]:8443/", "in a private network"},
    {"https://api.ex/mcp", "https://93.184.216.34/", NULL},
    {"https://api.ex/mcp", "https://[2606:2800:220:1::1]/", NULL},
    {"https://10.0.0.5/mcp", "https://10.1.2.3/", NULL},
    {"https://10.0.0.5/mcp", "http://10.1.2.3/", "not an https URL"},
    {"http://localhost:3000/mcp", "http://127.0.0.1:9000/", NULL},
    {"http://127.0.0.1:3000/mcp", "http://[::1]:9000/x", NULL},
    {"http://127.0.0.1:3000/mcp", "http://10.1.2.3/", "not an https URL"},
    {"http://127.0.0.1:3000/mcp", "http://id.ex/", "not an https URL"},
    {"https://api.ex/mcp", "https://user@id.ex/", "a user name"},
    {"https://api.ex/mcp", "https://user:pw@id.ex/", "a user name"},
    {"https://api.ex/mcp", "https://id.ex/@x", NULL},
    {"https://api.ex/mcp", "https://id%2eex/", "an escape in its host"},
    {"https://api.ex/mcp", "https://%31%30.1.2.3/", "an escape in its host"},
    {"https://api.ex/mcp", "https://[fe80::1%25eth0]/", "an escape in its host"},
    {"https://api.ex/mcp", "https://id.ex%2f@x", "a user name"},
    {"https://api.ex/mcp", "https://id.ex%2f.evil.ex", "an escape in its host"},
    {"https://api.ex/mcp", "https://id.ex/%2e?%20", NULL},
    {"https://api.ex/mcp", "https://id.ex/#x", "a fragment"},
    {"https://api.ex/mcp", "https:///id.ex/", "no host"},
    {"https://api.ex/mcp", "https:/id.ex/", "not an https URL"},
    {"https://api.ex/mcp", "javascript:alert(1)", "not an https URL"},
    {"https://api.ex/mcp", "file:///etc/passwd", "not an https URL"},
    {"https://api.ex/mcp", "https://id.ex\\@evil.ex/", "not allowed"},
    {"https://api.ex/mcp", "https://id.ex/a b", "not allowed"},
    {"https://api.ex/mcp", "https://id.ex/\x7f", "not allowed"},
    {"https://api.ex/mcp", "https://\xc3\xa9.ex/", "not allowed"},
    {"https://api.ex/mcp", "https://id.ex:99999/", "no valid host or port"},
    {"https://api.ex/mcp", "https://[::zz]/", "no valid host or port"},
    {"https://api.ex/mcp", "", "not an https URL"},
};

START_TEST(only_urls_that_are_safe_to_fetch_are_allowed)
{
    struct mcph_oauth_server server = {.url = urls[_i].server};
    mcphost_error *err = NULL;
    int r = mcph_oauth_check_url(&server, "issuer", urls[_i].url, &err);

    ck_assert_msg(r == (urls[_i].fault ? MCPHOST_E_DENIED : 0), "%s: %d %s", urls[_i].url,
                  r, mcphost_error_get_message(err));
    if (urls[_i].fault)
        test_has(mcphost_error_get_message(err), urls[_i].fault);
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_url_in_a_private_network_is_allowed_if_the_user_accepts_it)
{
    struct mcph_oauth_server server = {.url = "https://api.ex/", .takes_private = true};

    ck_assert_int_eq(mcph_oauth_check_url(&server, "issuer", "https://10.1.2.3/", NULL),
                     0);
    ck_assert_int_eq(mcph_oauth_check_url(&server, "issuer", "http://10.1.2.3/", NULL),
                     MCPHOST_E_DENIED);
}
END_TEST

START_TEST(a_refused_url_is_shown_without_user_and_query)
{
    struct mcph_oauth_server server = {.url = "https://api.ex/mcp"};
    mcphost_error *err = NULL;

    mcph_oauth_check_url(&server, "token_endpoint", "https://u:secret@id.ex/t?k=hidden",
                         &err);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "token_endpoint at https://id.ex/t: the URL has a user name or a "
                     "password; tell the operator of the server");
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_url_that_is_too_long_is_refused)
{
    struct mcph_oauth_server server = {.url = "https://api.ex/mcp"};
    char url[MCPH_OAUTH_URL_MAX + 2];

    memset(url, 'a', sizeof(url));
    memcpy(url, "https://id.ex/", 14);
    url[MCPH_OAUTH_URL_MAX] = '\0';
    ck_assert_int_eq(mcph_oauth_check_url(&server, "issuer", url, NULL), 0);
    url[MCPH_OAUTH_URL_MAX] = 'a';
    url[MCPH_OAUTH_URL_MAX + 1] = '\0';
    ck_assert_int_eq(mcph_oauth_check_url(&server, "issuer", url, NULL),
                     MCPHOST_E_DENIED);
}
END_TEST

static const struct {
    const char *server, *url;
    bool takes_private, is;
} publics[] = {
    {"https://api.ex/mcp", "https://id.ex/", false, true},
    {"https://api.ex/mcp", "https://id.ex/", true, false},
    {"https://api.ex/mcp", "https://api.ex/token", false, false},
    {"https://api.ex/mcp", "https://api.ex:8443/token", false, true},
    {"https://10.0.0.1/mcp", "https://id.ex/", false, false},
    {"http://localhost:1/mcp", "https://id.ex/", false, false},
    {"https://93.184.216.34/mcp", "https://id.ex/", false, true},
};

START_TEST(a_public_server_leads_only_to_public_addresses)
{
    struct mcph_oauth_server server = {publics[_i].server, publics[_i].takes_private,
                                       false};

    ck_assert_int_eq(mcph_oauth_is_public_only(&server, publics[_i].url), publics[_i].is);
}
END_TEST

/* ---- places ------------------------------------------------------------------------ */

static char text[2048];

/* Returns the URLs, separated by blanks, or the error's message. */
static const char *
list_places(int r, struct mcph_oauth_places *places, mcphost_error *err)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, sizeof(text) - 1);
    for (size_t i = 0; i < places->n; i++)
        mcph_buf_addf(&buf, "%s%s", i ? " " : "", places->urls[i]);
    if (r < 0)
        mcph_buf_adds(&buf, mcphost_error_get_message(err));
    mcph_buf_addc(&buf, '\0');
    memcpy(text, buf.data, buf.len);
    mcph_buf_done(&buf);
    mcph_oauth_places_done(places);
    mcphost_error_unref(err);
    return text;
}

static const char *
list_resource(const char *url, const char *hint)
{
    struct mcph_oauth_server server = {.url = url};
    struct mcph_oauth_places places = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_resource_places(&server, hint, &places, &err);

    return list_places(r, &places, err);
}

static const char *
list_issuer(const char *issuer)
{
    struct mcph_oauth_server server = {.url = "https://api.ex/mcp"};
    struct mcph_oauth_places places = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_issuer_places(&server, issuer, &places, &err);

    return list_places(r, &places, err);
}

/* RFC 9728, section 3.1 */
START_TEST(resource_metadata_is_looked_for_with_the_path_and_then_at_the_root)
{
    ck_assert_str_eq(list_resource("https://api.ex/a/mcp", NULL),
                     "https://api.ex" PRM "/a/mcp https://api.ex" PRM);
    ck_assert_str_eq(list_resource("https://API.ex:8443/mcp/?key=secret#f", NULL),
                     "https://api.ex:8443" PRM "/mcp https://api.ex:8443" PRM);
    ck_assert_str_eq(list_resource("https://u:p@api.ex:443/mcp", NULL),
                     "https://api.ex" PRM "/mcp https://api.ex" PRM);
    ck_assert_str_eq(list_resource("http://127.0.0.1:80/mcp", NULL),
                     "http://127.0.0.1" PRM "/mcp http://127.0.0.1" PRM);
}
END_TEST

START_TEST(a_server_at_the_root_has_one_place_of_resource_metadata)
{
    ck_assert_str_eq(list_resource("https://api.ex/", NULL), "https://api.ex" PRM);
    ck_assert_str_eq(list_resource("https://api.ex", NULL), "https://api.ex" PRM);
}
END_TEST

START_TEST(the_hint_of_a_challenge_is_the_only_place)
{
    ck_assert_str_eq(list_resource("https://api.ex/mcp", "https://x.ex/meta?v=1"),
                     "https://x.ex/meta?v=1");
    test_has(list_resource("https://api.ex/mcp", "http://x.ex/meta"), "not an https URL");
}
END_TEST

START_TEST(a_plain_http_server_elsewhere_has_no_place)
{
    test_has(list_resource("http://api.ex/mcp", NULL), "not an https URL");
}
END_TEST

/* RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4 */
START_TEST(issuer_metadata_is_looked_for_in_the_order_of_the_protocol)
{
    ck_assert_str_eq(list_issuer("https://id.ex/t1"), "https://id.ex" ASM "/t1 "
                                                      "https://id.ex" OID "/t1 "
                                                      "https://id.ex/t1" OID);
    ck_assert_str_eq(list_issuer("https://id.ex/t1/"), "https://id.ex" ASM "/t1 "
                                                       "https://id.ex" OID "/t1 "
                                                       "https://id.ex/t1" OID);
}
END_TEST

START_TEST(an_issuer_without_a_path_has_two_places)
{
    ck_assert_str_eq(list_issuer("https://id.ex"),
                     "https://id.ex" ASM " https://id.ex" OID);
    ck_assert_str_eq(list_issuer("https://id.ex:443/"),
                     "https://id.ex" ASM " https://id.ex" OID);
}
END_TEST

START_TEST(an_issuer_with_a_query_or_a_wrong_scheme_is_refused)
{
    test_has(list_issuer("https://id.ex/?a=hidden"), "has a query");
    test_has_not(text, "hidden");
    test_has(list_issuer("http://id.ex/"), "not an https URL");
}
END_TEST

START_TEST(the_root_of_a_url_has_no_default_port)
{
    static const char *const cases[][2] = {
        {"https://API.ex:443/mcp?x#y", "https://api.ex"},
        {"https://api.ex:80/", "https://api.ex:80"},
        {"http://api.ex:80/", "http://api.ex"},
        {"http://[::1]:3000/", "http://[::1]:3000"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        char *root = mcph_oauth_root(cases[i][0]);

        ck_assert_str_eq(root, cases[i][1]);
        free(root);
    }
    ck_assert_ptr_null(mcph_oauth_root("ftp://api.ex/"));
}
END_TEST

START_TEST(the_canonical_resource_has_no_query_and_no_lone_slash)
{
    static const char *const cases[][2] = {
        {"https://API.ex/", "https://api.ex"},
        {"https://api.ex", "https://api.ex"},
        {"https://u:p@API.ex:443/MCP?key=secret#f", "https://api.ex/MCP"},
        {"https://api.ex:8443/mcp/", "https://api.ex:8443/mcp/"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        char *resource = mcph_oauth_canonical_resource(cases[i][0]);

        ck_assert_str_eq(resource, cases[i][1]);
        free(resource);
    }
    ck_assert_ptr_null(mcph_oauth_canonical_resource("nothing"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "urls");

    tcase_add_loop_test(tc, only_urls_that_are_safe_to_fetch_are_allowed, 0,
                        (int)MCPH_ARRAY_SIZE(urls));
    tcase_add_test(tc, a_url_in_a_private_network_is_allowed_if_the_user_accepts_it);
    tcase_add_test(tc, a_refused_url_is_shown_without_user_and_query);
    tcase_add_test(tc, a_url_that_is_too_long_is_refused);
    tcase_add_loop_test(tc, a_public_server_leads_only_to_public_addresses, 0,
                        (int)MCPH_ARRAY_SIZE(publics));
    tc = test_case(suite, "places");
    tcase_add_test(tc,
                   resource_metadata_is_looked_for_with_the_path_and_then_at_the_root);
    tcase_add_test(tc, a_server_at_the_root_has_one_place_of_resource_metadata);
    tcase_add_test(tc, the_hint_of_a_challenge_is_the_only_place);
    tcase_add_test(tc, a_plain_http_server_elsewhere_has_no_place);
    tcase_add_test(tc, issuer_metadata_is_looked_for_in_the_order_of_the_protocol);
    tcase_add_test(tc, an_issuer_without_a_path_has_two_places);
    tcase_add_test(tc, an_issuer_with_a_query_or_a_wrong_scheme_is_refused);
    tcase_add_test(tc, the_root_of_a_url_has_no_default_port);
    tcase_add_test(tc, the_canonical_resource_has_no_query_and_no_lone_slash);
}

int
main(void)
{
    return test_main("auth-oauth-places", add);
}
