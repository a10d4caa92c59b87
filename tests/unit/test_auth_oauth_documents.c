/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_documents.c - reading the metadata of resources and of authorization
 * servers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "support/runner.h"

#define PRM "/.well-known/oauth-protected-resource"
#define AT  "https://api.ex/own/metadata"

static const struct mcph_oauth_server server = {.url = "https://api.ex/v1/mcp"};
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

static int
read_resource_of(const char *place, const char *text, struct mcph_oauth_resource *ret)
{
    mcphost_error *err = NULL;

    return told(mcph_oauth_resource_read(&server, place, text, strlen(text), ret, &err),
                &err);
}

static int
read_resource(const char *text, struct mcph_oauth_resource *ret)
{
    return read_resource_of(AT "?key=hidden", text, ret);
}

static int
read_issuer(const char *issuer, bool relaxed, const char *text,
            struct mcph_oauth_issuer *ret)
{
    mcphost_error *err = NULL;

    return told(mcph_oauth_issuer_read(&server, "https://id.ex/.well-known/x", issuer,
                                       relaxed, text, strlen(text), ret, &err),
                &err);
}

/* ---- resources --------------------------------------------------------------------- */

START_TEST(all_members_of_resource_metadata_are_read)
{
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(
        read_resource("{\"resource\":\"https://api.ex/v1/mcp\","
                      "\"authorization_servers\":[\"https://id.ex/t1\",\"https://b.ex\"],"
                      "\"scopes_supported\":[\"r\",\"w\",\"bad word\",7],"
                      "\"bearer_methods_supported\":[\"header\",\"body\"],"
                      "\"dpop_bound_access_tokens_required\":true,"
                      "\"dpop_signing_alg_values_supported\":[\"ES256\",\"RS256\"],"
                      "\"other\":{\"x\":1e400}}",
                      &got),
        0);
    ck_assert_str_eq(got.resource, "https://api.ex/v1/mcp");
    ck_assert_uint_eq(got.n_issuers, 2);
    ck_assert_str_eq(got.issuers[0], "https://id.ex/t1");
    ck_assert_str_eq(got.issuers[1], "https://b.ex");
    ck_assert_str_eq(got.scopes, "r w");
    ck_assert_str_eq(got.dpop_algs, "ES256 RS256");
    ck_assert(got.takes_header && got.wants_dpop);
    mcph_oauth_resource_done(&got);
}
END_TEST

START_TEST(absent_members_of_resource_metadata_have_defaults)
{
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(read_resource("{\"resource\":\"https://api.ex/v1/mcp\"}", &got), 0);
    ck_assert_uint_eq(got.n_issuers, 0);
    ck_assert_ptr_null(got.scopes);
    ck_assert_ptr_null(got.dpop_algs);
    ck_assert(got.takes_header && !got.wants_dpop);
    mcph_oauth_resource_done(&got);
    ck_assert_int_eq(
        read_resource("{\"resource\":\"https://api.ex/v1/mcp\",\"bearer_methods_"
                      "supported\":[\"body\"],\"scopes_supported\":null}",
                      &got),
        0);
    ck_assert(!got.takes_header);
    mcph_oauth_resource_done(&got);
}
END_TEST

static const struct {
    const char *place, *resource;
    const char *fault; /* NULL: the document is accepted */
} resources[] = {
    /* accepted: the document names the server itself and may have any URL */
    {AT, "https://api.ex/v1/mcp", NULL},
    {AT, "https://API.ex:443/v1/mcp", NULL},
    {AT, "https://api.ex/v1/mcp/", NULL},
    {"https://other.ex/x", "https://api.ex/v1/mcp", NULL},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp", NULL},
    /* accepted: the document names a resource that contains the server, and is at the
     * well-known URL of this resource or of a path above */
    {"https://api.ex" PRM, "https://api.ex", NULL},
    {"https://API.ex:443" PRM "/", "https://api.ex/", NULL},
    {"https://api.ex" PRM "/v1", "https://api.ex/v1", NULL},
    {"https://api.ex" PRM "/v1/", "https://api.ex/v1/", NULL},
    {"https://api.ex" PRM, "https://api.ex/v1", NULL},
    /* refused: the document names a resource that contains the server, but is at
     * another URL */
    {AT, "https://api.ex", "does not come from the well-known place"},
    {AT, "https://api.ex/v1", "does not come from the well-known place"},
    {"https://api.ex/v1" PRM, "https://api.ex", "does not come from"},
    {"https://api.ex/v1" PRM, "https://api.ex/v1", "does not come from"},
    {"https://api.ex" PRM "/v1/mcp", "https://api.ex/v1", "does not come from"},
    {"https://api.ex" PRM "/v1", "https://api.ex/", "does not come from"},
    {"https://api.ex" PRM "-x", "https://api.ex", "does not come from"},
    {"https://api.ex" PRM "?v=1", "https://api.ex", "does not come from"},
    {"https://other.ex" PRM, "https://api.ex", "does not come from"},
    {"https://api.ex:8443" PRM, "https://api.ex", "does not come from"},
    /* refused: the document names another resource, whatever the document's URL */
    {"https://api.ex" PRM, "https://api.ex/v1/m", "not this server"},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp/more", "not this server"},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp?x=1", "not this server"},
    {"https://api.ex" PRM, "https://api.ex/v2", "not this server"},
    {"https://api.ex" PRM, "https://api.ex:8443/v1/mcp", "not this server"},
    {"https://api.ex" PRM, "https://api.exx/v1/mcp", "not this server"},
    {"https://api.ex" PRM, "https://api.e", "not this server"},
    {"https://api.ex" PRM, "http://api.ex/v1/mcp", "not an https URL"},
    {"https://api.ex" PRM, "https://u@api.ex/v1/mcp", "a user name"},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp#f", "a fragment"},
    /* refused: paths that programs understand in different ways */
    {"https://api.ex" PRM, "https://api.ex/v2/../v1/mcp", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v1/./mcp", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp/..", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v1/mcp/.", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v2/%2e%2E/v1/mcp", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v2/.%2e/v1/mcp", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/v1/%2e/mcp", "the segment"},
    {"https://api.ex" PRM, "https://api.ex/..?x", "the segment"},
    /* refused as another resource, because these segments are not dot segments */
    {"https://api.ex" PRM, "https://api.ex/v1/...", "not this server"},
    {"https://api.ex" PRM, "https://api.ex/v1/..x/.y", "not this server"},
};

/* RFC 9728, section 3.3 */
START_TEST(metadata_of_another_resource_is_refused)
{
    struct mcph_oauth_resource got = {0};
    char text[256];
    int r;

    snprintf(text, sizeof(text), "{\"resource\":\"%s\"}", resources[_i].resource);
    r = read_resource_of(resources[_i].place, text, &got);
    ck_assert_msg(r == (resources[_i].fault ? MCPHOST_E_DENIED : 0), "%s at %s: %d %s",
                  text, resources[_i].place, r, message);
    if (resources[_i].fault)
        test_has(message, resources[_i].fault);
    else
        ck_assert_str_eq(got.resource, resources[_i].resource);
    mcph_oauth_resource_done(&got);
}
END_TEST

START_TEST(a_resource_with_a_dot_segment_is_refused_even_if_the_server_has_it)
{
    static const struct mcph_oauth_server dots = {.url = "https://api.ex/a/../mcp"};
    static const char text[] = "{\"resource\":\"https://api.ex/a/../mcp\"}";
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(mcph_oauth_resource_read(&dots, AT, text, strlen(text), &got, NULL),
                     MCPHOST_E_DENIED);
}
END_TEST

START_TEST(a_resource_with_a_query_is_accepted_if_the_server_has_the_same_url)
{
    static const struct mcph_oauth_server with_query = {.url = "https://api.ex/mcp?x=1"};
    static const char text[] = "{\"resource\":\"https://api.ex/mcp?x=1\"}";
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(
        mcph_oauth_resource_read(&with_query, AT, text, strlen(text), &got, NULL), 0);
    mcph_oauth_resource_done(&got);
}
END_TEST

static const struct {
    const char *text;
    int code;
    const char *says;
} bad_resources[] = {
    {"", MCPHOST_E_PROTOCOL, "not valid JSON"},
    {"[]", MCPHOST_E_PROTOCOL, "expected object, found array"},
    {"{}", MCPHOST_E_PROTOCOL, "\"resource\" is missing"},
    {"{\"resource\":null}", MCPHOST_E_PROTOCOL, "\"resource\" is missing"},
    {"{\"resource\":7}", MCPHOST_E_PROTOCOL, "\"resource\" is not a text"},
    {"{\"resource\":\"a\",\"resource\":\"b\"}", MCPHOST_E_PROTOCOL, "occurs twice"},
    {"{\"resource\":\"https://api.ex\\u0000\"}", MCPHOST_E_PROTOCOL,
     "a control character"},
    {"{\"resource\":\"https://api.ex/v1/mcp\",\"scopes_supported\":\"r w\"}",
     MCPHOST_E_PROTOCOL, "\"scopes_supported\" is not an array"},
    {"{\"resource\":\"https://api.ex/v1/mcp\",\"authorization_servers\":[\"http://"
     "id.ex?hidden\","
     "\"https://10.0.0.1\"]}",
     MCPHOST_E_DENIED,
     "no authorization server can be used: issuer at http://id.ex/: the URL is not an "
     "https URL"},
    {"{\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
     MCPHOST_E_LIMIT, "nesting"},
};

START_TEST(a_document_that_breaks_the_rules_is_refused_with_the_reason)
{
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(read_resource(bad_resources[_i].text, &got), bad_resources[_i].code);
    test_has(message, "protected-resource metadata at " AT ": ");
    test_has(message, bad_resources[_i].says);
    test_has_not(message, "hidden");
    ck_assert_ptr_null(got.resource);
}
END_TEST

START_TEST(issuers_that_are_not_allowed_are_left_out)
{
    struct mcph_oauth_resource got = {0};

    ck_assert_int_eq(read_resource("{\"resource\":\"https://api.ex/v1/mcp\","
                                   "\"authorization_servers\":[\"http://id.ex\",7,"
                                   "\"https://a.ex\\u0000\",\"https://b.ex\"]}",
                                   &got),
                     0);
    ck_assert_uint_eq(got.n_issuers, 1);
    ck_assert_str_eq(got.issuers[0], "https://b.ex");
    mcph_oauth_resource_done(&got);
}
END_TEST

START_TEST(the_number_of_issuers_is_limited)
{
    for (size_t n = MCPH_OAUTH_ISSUERS_MAX; n <= MCPH_OAUTH_ISSUERS_MAX + 1; n++) {
        struct mcph_oauth_resource got = {0};
        struct mcph_buf text;

        mcph_buf_init(&text, 4096);
        mcph_buf_adds(
            &text, "{\"resource\":\"https://api.ex/v1/mcp\",\"authorization_servers\":");
        for (size_t i = 0; i < n; i++)
            mcph_buf_addf(&text, "%c\"https://id%zu.ex\"", i ? ',' : '[', i);
        ck_assert_int_eq(mcph_buf_adds(&text, "]}"), 0);
        ck_assert_int_eq(read_resource(mcph_buf_text(&text), &got),
                         n > MCPH_OAUTH_ISSUERS_MAX ? MCPHOST_E_LIMIT : 0);
        mcph_oauth_resource_done(&got);
        mcph_buf_done(&text);
    }
}
END_TEST

START_TEST(a_document_of_more_than_1_mib_is_refused)
{
    struct mcph_oauth_resource got = {0};
    size_t len = MCPH_OAUTH_DOCUMENT_MAX;
    char *text = malloc(len + 2);

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', len + 1);
    text[len + 1] = '\0';
    memcpy(text, "{\"resource\":\"https://api.ex/v1/mcp\"}", 36);
    text[len] = '\0';
    ck_assert_int_eq(read_resource(text, &got), 0);
    mcph_oauth_resource_done(&got);
    text[len] = ' ';
    ck_assert_int_eq(read_resource(text, &got), MCPHOST_E_LIMIT);
    free(text);
}
END_TEST

/* ---- issuers ----------------------------------------------------------------------- */

#define ISSUER  "\"issuer\":\"https://id.ex/t1\","
#define TOKEN   "\"token_endpoint\":\"https://id.ex/t1/token\""
#define MINIMUM "{" ISSUER TOKEN "}"
#define GRANT   "urn:ietf:params:oauth:grant-type:"

START_TEST(all_members_of_issuer_metadata_are_read)
{
    struct mcph_oauth_issuer got = {0};

    ck_assert_int_eq(
        read_issuer("https://id.ex/t1", false,
                    "{" ISSUER TOKEN
                    ",\"authorization_endpoint\":\"https://id.ex/t1/auth?tenant=1\","
                    "\"registration_endpoint\":\"https://id.ex/t1/reg\","
                    "\"device_authorization_endpoint\":\"https://id.ex/t1/dev\","
                    "\"revocation_endpoint\":\"https://id.ex/t1/rev\","
                    "\"scopes_supported\":[\"openid\",\"offline_access\"],"
                    "\"response_types_supported\":[\"code\"],"
                    "\"code_challenge_methods_supported\":[\"plain\",\"S256\"],"
                    "\"token_endpoint_auth_methods_supported\":[\"none\","
                    "\"client_secret_post\",\"client_secret_basic\",\"private_key_jwt\"],"
                    "\"token_endpoint_auth_signing_alg_values_supported\":[\"ES256\"],"
                    "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\","
                    "\"client_credentials\",\"" GRANT "token-exchange\",\"" GRANT
                    "jwt-bearer\",\"" GRANT "device_code\",\"password\"],"
                    "\"authorization_grant_profiles_supported\":["
                    "\"urn:ietf:params:oauth:grant-profile:id-jag\"],"
                    "\"dpop_signing_alg_values_supported\":[\"ES256\"],"
                    "\"authorization_response_iss_parameter_supported\":true,"
                    "\"client_id_metadata_document_supported\":true}",
                    &got),
        0);
    ck_assert_str_eq(got.issuer, "https://id.ex/t1");
    ck_assert_str_eq(got.authorization, "https://id.ex/t1/auth?tenant=1");
    ck_assert_str_eq(got.token, "https://id.ex/t1/token");
    ck_assert_str_eq(got.registration, "https://id.ex/t1/reg");
    ck_assert_str_eq(got.device, "https://id.ex/t1/dev");
    ck_assert_str_eq(got.revocation, "https://id.ex/t1/rev");
    ck_assert_str_eq(got.scopes, "openid offline_access");
    ck_assert_str_eq(got.dpop_algs, "ES256");
    ck_assert_str_eq(got.assertion_algs, "ES256");
    ck_assert_uint_eq(got.methods, 15);
    ck_assert_uint_eq(got.grants, 63);
    ck_assert(got.lists_methods && got.gives_code && got.has_s256 && got.sends_iss &&
              got.takes_cimd && got.takes_id_jag);
    ck_assert_int_eq(mcph_oauth_issuer_check_code(&server, &got, NULL), 0);
    mcph_oauth_issuer_done(&got);
}
END_TEST

START_TEST(absent_members_of_issuer_metadata_have_defaults)
{
    struct mcph_oauth_issuer got = {0};

    ck_assert_int_eq(read_issuer("https://id.ex/t1", false, MINIMUM, &got), 0);
    ck_assert_ptr_null(got.authorization);
    ck_assert_ptr_null(got.registration);
    ck_assert_ptr_null(got.scopes);
    ck_assert_uint_eq(got.methods, 0);
    ck_assert_uint_eq(got.grants, MCPH_OAUTH_GRANT_CODE);
    ck_assert(got.gives_code && !got.lists_methods && !got.has_s256 && !got.sends_iss &&
              !got.takes_cimd && !got.takes_id_jag);
    mcph_oauth_issuer_done(&got);
}
END_TEST

static const struct {
    const char *wanted, *found; /* `found`: NULL for a document without an issuer */
    bool relaxed;
    int code;
} issuers[] = {
    {"https://id.ex/t1", "https://id.ex/t1", false, 0},
    {"https://id.ex/", "https://id.ex", false, 0},
    {"https://id.ex", "https://id.ex/", false, MCPHOST_E_DENIED},
    {"https://id.ex/t1/", "https://id.ex/t1", false, MCPHOST_E_DENIED},
    {"https://id.ex/t1", "https://id.ex/t1/", false, MCPHOST_E_DENIED},
    {"https://id.ex/t1", "https://id.ex/t2", false, MCPHOST_E_DENIED},
    {"https://id.ex/t1", "https://id.ex", false, MCPHOST_E_DENIED},
    {"https://id.ex/t1", "https://ID.ex/t1", false, MCPHOST_E_DENIED},
    {"https://id.ex", "https://evil.ex", false, MCPHOST_E_DENIED},
    {"https://id.ex", "http://id.ex", false, MCPHOST_E_DENIED},
    {"https://id.ex", NULL, false, MCPHOST_E_PROTOCOL},
    {"https://id.ex", "https://id.ex/", true, 0},
    {"https://id.ex", "https://id.ex/t1", true, 0},
    {"https://id.ex", NULL, true, 0},
    {"https://id.ex", "https://evil.ex", true, MCPHOST_E_DENIED},
    {"https://id.ex", "https://id.ex:8443", true, MCPHOST_E_DENIED},
    {"https://id.ex", "http://id.ex", true, MCPHOST_E_DENIED},
};

/* RFC 8414, section 3.3 */
START_TEST(a_document_of_another_issuer_is_refused)
{
    struct mcph_oauth_issuer got = {0};
    char text[256];

    if (issuers[_i].found)
        snprintf(text, sizeof(text), "{\"issuer\":\"%s\"," TOKEN "}", issuers[_i].found);
    else
        snprintf(text, sizeof(text), "{" TOKEN "}");
    ck_assert_msg(read_issuer(issuers[_i].wanted, issuers[_i].relaxed, text, &got) ==
                      issuers[_i].code,
                  "%s: %s", text, message);
    if (issuers[_i].code == 0)
        ck_assert_str_eq(got.issuer,
                         issuers[_i].found ? issuers[_i].found : issuers[_i].wanted);
    mcph_oauth_issuer_done(&got);
}
END_TEST

static const struct {
    const char *text;
    int code;
    const char *says;
} bad_issuers[] = {
    {"{" ISSUER "\"x\":1}", MCPHOST_E_PROTOCOL, "\"token_endpoint\" is missing"},
    {"{" ISSUER "\"token_endpoint\":\"http://id.ex/token?k=hidden\"}", MCPHOST_E_DENIED,
     "token_endpoint at http://id.ex/token: the URL is not an https URL"},
    {"{" ISSUER TOKEN ",\"authorization_endpoint\":\"javascript:alert(1)\"}",
     MCPHOST_E_DENIED, "authorization_endpoint"},
    {"{" ISSUER TOKEN ",\"registration_endpoint\":\"https://10.0.0.1/\"}",
     MCPHOST_E_DENIED,
     "registration_endpoint at https://10.0.0.1/: the URL is in a "
     "private network"},
    {"{" ISSUER TOKEN ",\"device_authorization_endpoint\":\"http://id.ex/\"}",
     MCPHOST_E_DENIED, "device_authorization_endpoint"},
    {"{" ISSUER TOKEN ",\"revocation_endpoint\":[]}", MCPHOST_E_PROTOCOL,
     "\"revocation_endpoint\" is not a text"},
};

START_TEST(an_endpoint_that_is_not_allowed_makes_the_document_unusable)
{
    struct mcph_oauth_issuer got = {0};

    ck_assert_int_eq(read_issuer("https://id.ex/t1", false, bad_issuers[_i].text, &got),
                     bad_issuers[_i].code);
    test_has(message, bad_issuers[_i].says);
    test_has_not(message, "hidden");
    ck_assert_ptr_null(got.issuer);
}
END_TEST

static const struct {
    const char *more;
    bool takes_no_pkce;
    int code;
    const char *says;
} gates[] = {
    {",\"code_challenge_methods_supported\":[\"S256\"]", false, 0, ""},
    {"", false, MCPHOST_E_DENIED, "does not list S256"},
    {",\"code_challenge_methods_supported\":[\"plain\"]", false, MCPHOST_E_DENIED,
     "does not list S256"},
    {"", true, 0, ""},
    {",\"code_challenge_methods_supported\":[\"S256\"],\"response_types_supported\":"
     "[\"token\"]",
     false, MCPHOST_E_PROTOCOL, "gives no authorization codes"},
};

START_TEST(an_issuer_without_pkce_is_refused_unless_the_user_accepts_it)
{
    struct mcph_oauth_server user = server;
    struct mcph_oauth_issuer got = {0};
    mcphost_error *err = NULL;
    char text[512];

    user.takes_no_pkce = gates[_i].takes_no_pkce;
    snprintf(text, sizeof(text),
             "{" ISSUER TOKEN ",\"authorization_endpoint\":\"https://id.ex/a\"%s}",
             gates[_i].more);
    ck_assert_int_eq(read_issuer("https://id.ex/t1", false, text, &got), 0);
    ck_assert_int_eq(told(mcph_oauth_issuer_check_code(&user, &got, &err), &err),
                     gates[_i].code);
    test_has(message, gates[_i].says);
    free(got.authorization);
    got.authorization = NULL;
    ck_assert_int_eq(mcph_oauth_issuer_check_code(&user, &got, NULL), MCPHOST_E_PROTOCOL);
    mcph_oauth_issuer_done(&got);
}
END_TEST

START_TEST(a_server_without_metadata_has_the_default_endpoints)
{
    static const struct mcph_oauth_server plain = {.url = "http://api.ex/mcp"};
    struct mcph_oauth_issuer got = {0};

    ck_assert_int_eq(mcph_oauth_issuer_default(&server, &got, NULL), 0);
    ck_assert_str_eq(got.issuer, "https://api.ex");
    ck_assert_str_eq(got.authorization, "https://api.ex/authorize");
    ck_assert_str_eq(got.token, "https://api.ex/token");
    ck_assert_str_eq(got.registration, "https://api.ex/register");
    ck_assert_int_eq(mcph_oauth_issuer_check_code(&server, &got, NULL), 0);
    mcph_oauth_issuer_done(&got);
    ck_assert_int_eq(mcph_oauth_issuer_default(&plain, &got, NULL), MCPHOST_E_DENIED);
    ck_assert_ptr_null(got.issuer);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "resources");

    tcase_add_test(tc, all_members_of_resource_metadata_are_read);
    tcase_add_test(tc, absent_members_of_resource_metadata_have_defaults);
    tcase_add_loop_test(tc, metadata_of_another_resource_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(resources));
    tcase_add_test(tc,
                   a_resource_with_a_dot_segment_is_refused_even_if_the_server_has_it);
    tcase_add_test(tc,
                   a_resource_with_a_query_is_accepted_if_the_server_has_the_same_url);
    tcase_add_loop_test(tc, a_document_that_breaks_the_rules_is_refused_with_the_reason,
                        0, (int)MCPH_ARRAY_SIZE(bad_resources));
    tcase_add_test(tc, issuers_that_are_not_allowed_are_left_out);
    tcase_add_test(tc, the_number_of_issuers_is_limited);
    tcase_add_test(tc, a_document_of_more_than_1_mib_is_refused);
    tc = test_case(suite, "issuers");
    tcase_add_test(tc, all_members_of_issuer_metadata_are_read);
    tcase_add_test(tc, absent_members_of_issuer_metadata_have_defaults);
    tcase_add_loop_test(tc, a_document_of_another_issuer_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(issuers));
    tcase_add_loop_test(tc, an_endpoint_that_is_not_allowed_makes_the_document_unusable,
                        0, (int)MCPH_ARRAY_SIZE(bad_issuers));
    tcase_add_loop_test(tc, an_issuer_without_pkce_is_refused_unless_the_user_accepts_it,
                        0, (int)MCPH_ARRAY_SIZE(gates));
    tcase_add_test(tc, a_server_without_metadata_has_the_default_endpoints);
}

int
main(void)
{
    return test_main("auth-oauth-documents", add);
}
