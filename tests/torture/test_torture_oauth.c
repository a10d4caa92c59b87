/* SPDX-License-Identifier: MIT
 *
 * test_torture_oauth.c - places, documents, forms and answers of OAuth while memory runs
 * out.
 *
 * A function gives the usual result or fails with MCPHOST_E_NOMEM.
 */
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "torture/torture.h"

#define PRM "/.well-known/oauth-protected-resource"

static const struct mcph_oauth_server server = {.url = "https://api.ex/v1/mcp"};

static int
check_urls(void)
{
    static const struct {
        const char *server, *url;
        int code;
    } cases[] = {
        {"https://api.ex/mcp", "https://id.ex/t", 0},
        {"https://api.ex/mcp", "https://10.1.2.3/", MCPHOST_E_DENIED},
        {"https://api.ex/mcp", "https://[::1]/", MCPHOST_E_DENIED},
        {"https://api.ex/mcp", "http://127.0.0.1:1/", MCPHOST_E_DENIED},
        {"https://10.0.0.5/mcp", "https://10.1.2.3/", 0},
        {"http://localhost:1/mcp", "http://127.0.0.1:2/", 0},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++) {
        struct mcph_oauth_server from = {.url = cases[i].server};
        mcphost_error *err = NULL;
        int r = mcph_oauth_check_url(&from, "URL", cases[i].url, &err);

        torture_must(r == cases[i].code || r == MCPHOST_E_NOMEM);
        torture_must((r < 0) == (err != NULL));
        mcphost_error_unref(err);
        if (r == MCPHOST_E_NOMEM)
            return r;
    }
    return 0;
}

/* Checks that a request for a private address is restricted to public addresses, even if
 * memory runs out. */
static int
restrict_addresses(void)
{
    struct mcph_oauth_server from = {.url = "https://api.ex/mcp"};

    torture_must(mcph_oauth_is_public_only(&from, "https://10.1.2.3/"));
    return 0;
}

static int
find_places(void)
{
    struct mcph_oauth_places resource = {0}, issuer = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_resource_places(&server, NULL, &resource, &err);

    torture_told(r, err);
    torture_must(r < 0 ? resource.n == 0
                       : strcmp(resource.urls[0], "https://api.ex" PRM "/v1/mcp") == 0);
    mcph_oauth_places_done(&resource);
    if (r < 0)
        return r;
    r = mcph_oauth_issuer_places(&server, "https://id.ex/t1", &issuer, &err);
    torture_told(r, err);
    torture_must(issuer.n == (r < 0 ? 0 : 3));
    mcph_oauth_places_done(&issuer);
    return r;
}

static int
read_resource(void)
{
    static const char text[] =
        "{\"resource\":\"https://api.ex\",\"authorization_servers\":[\"http://no.ex\","
        "\"https://id.ex\"],\"scopes_supported\":[\"r\",\"w\"],"
        "\"dpop_signing_alg_values_supported\":[\"ES256\"]}";
    struct mcph_oauth_resource got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_resource_read(&server, "https://api.ex" PRM, text, strlen(text),
                                     &got, &err);

    torture_told(r, err);
    torture_must(r == 0 ? strcmp(got.scopes, "r w") == 0 : !got.resource);
    mcph_oauth_resource_done(&got);
    return r;
}

static int
read_issuer(void)
{
    static const char text[] =
        "{\"issuer\":\"https://id.ex\",\"authorization_endpoint\":\"https://id.ex/a\","
        "\"token_endpoint\":\"https://id.ex/t\",\"scopes_supported\":[\"r\"],"
        "\"code_challenge_methods_supported\":[\"S256\"]}";
    struct mcph_oauth_issuer got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_issuer_read(&server, "https://id.ex/m", "https://id.ex/", false,
                                   text, strlen(text), &got, &err);

    torture_told(r, err);
    torture_must(r == 0 ? got.has_s256 && got.token : !got.issuer);
    mcph_oauth_issuer_done(&got);
    return r;
}

static int
refuse_issuer(void)
{
    static const char text[] = "{\"issuer\":\"https://evil.ex\"}";
    struct mcph_oauth_issuer got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_issuer_read(&server, "https://id.ex/m", "https://id.ex/", false,
                                   text, strlen(text), &got, &err);

    torture_must(r == MCPHOST_E_DENIED || r == MCPHOST_E_NOMEM);
    torture_must(err != NULL);
    mcphost_error_unref(err);
    return r == MCPHOST_E_DENIED ? 0 : r;
}

static int
make_default_issuer(void)
{
    struct mcph_oauth_issuer got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_issuer_default(&server, &got, &err);

    torture_told(r, err);
    torture_must((r == 0) == (got.registration != NULL));
    mcph_oauth_issuer_done(&got);
    return r;
}

static int
refuse_new_issuer(void)
{
    static const struct mcph_oauth_identities have = {.configured = "c",
                                                      .pinned_issuer = "https://old.ex"};
    struct mcph_oauth_issuer issuer = {.issuer = (char *)"https://id.ex"};
    mcphost_error *err = NULL;
    int chosen = -1, r = mcph_oauth_client_choose(&issuer, &have, &chosen, &err);

    torture_must((r == MCPHOST_E_DENIED || r == MCPHOST_E_NOMEM) && err && chosen < 0);
    mcphost_error_unref(err);
    return r == MCPHOST_E_DENIED ? 0 : r;
}

static int
register_client(void)
{
    static const char *const uris[] = {"http://127.0.0.1:5/cb", NULL};
    static const struct mcph_oauth_registration registration = {"x", uris, 3, "r", 1};
    static const char text[] = "{\"client_id\":\"c\",\"client_secret\":\"s\\u0041\","
                               "\"token_endpoint_auth_method\":\"none\"}";
    struct mcph_oauth_client got = {0};
    mcphost_error *err = NULL;
    struct mcph_buf body;
    int r;

    mcph_buf_init(&body, 4096);
    r = mcph_oauth_registration_add(&registration, &body, &err);
    torture_told(r, err);
    mcph_buf_done(&body);
    if (r < 0)
        return r;
    r = mcph_oauth_registration_read("https://id.ex/reg", 201, text, strlen(text), NULL,
                                     &got, &err);
    torture_told(r, err);
    torture_must(r == 0 ? strcmp(got.secret, "sA") == 0 : !got.id);
    mcph_oauth_client_done(&got);
    return r;
}

static int
make_url(void)
{
    static const struct mcph_oauth_scoping scoping = {.challenged = "w",
                                                      .held = "r",
                                                      .issuer = "offline_access",
                                                      .wants_refresh = true};
    struct mcph_oauth_issuer issuer = {.authorization = (char *)"https://id.ex/a?t=1"};
    struct mcph_oauth_authorization authorization = {
        .client_id = "c", .redirect_uri = "x:/", .challenge = "ch", .state = "st"};
    mcphost_error *err = NULL;
    struct mcph_buf scopes;
    char *url = NULL;
    int r;

    mcph_buf_init(&scopes, 4096);
    r = mcph_oauth_select_scopes(&scoping, &scopes, &err);
    torture_told(r, err);
    authorization.scope = r == 0 ? mcph_buf_text(&scopes) : NULL;
    if (authorization.scope) {
        r = mcph_oauth_authorize_url(&issuer, &authorization, &url, &err);
        torture_told(r, err);
        torture_must((r == 0) == (url != NULL));
    }
    free(url);
    mcph_buf_done(&scopes);
    return r;
}

static int
read_redirects(void)
{
    static const struct mcph_oauth_awaited awaited = {"st", "https://id.ex", "x://cb",
                                                      false, true};
    static const char *const texts[] = {
        "x://cb?code=abc&state=st", "4%2F0abc",
        "error=access_denied&error_description=no&state=st"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        mcphost_error *err = NULL;
        char *code = NULL;
        int why = 0, r = mcph_oauth_pasted_read(&awaited, texts[i], strlen(texts[i]),
                                                NULL, &code, &why, &err);

        torture_must((r == 0) == (code != NULL) && (r < 0) == (err != NULL));
        torture_must(r == MCPHOST_E_NOMEM || r == (i == 2 ? MCPHOST_E_AUTH : 0));
        mcph_str_wipe(code);
        mcphost_error_unref(err);
        if (r == MCPHOST_E_NOMEM)
            return r;
    }
    return 0;
}

static int
make_forms(void)
{
    static const struct mcph_oauth_request request = {
        .grant = MCPH_OAUTH_GRANT_REFRESH, .refresh_token = "r/1", .resource = "x:/"};
    static const struct mcph_oauth_proof proof = {MCPH_OAUTH_METHOD_BASIC, "c", "s", "j"};
    struct mcph_buf body, header;
    mcphost_error *err = NULL;
    int r;

    mcph_buf_init(&body, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&header, MCPH_OAUTH_FORM_MAX);
    r = mcph_oauth_request_add(&request, &proof, &body, &header, &err);
    torture_told(r, err);
    torture_must((r == 0) == (body.len > 0) && (r == 0) == (header.len > 0));
    if (r == 0) {
        size_t before = body.len;

        r = mcph_oauth_revocation_add("t", true, &proof, &body, &header, &err);
        torture_told(r, err);
        torture_must(r == 0 || body.len == before);
    }
    if (r == 0) {
        r = mcph_oauth_device_add("r", "x:/", &proof, &body, &header, &err);
        torture_told(r, err);
    }
    mcph_buf_wipe(&body);
    mcph_buf_wipe(&header);
    return r;
}

static int
read_token(void)
{
    static const char text[] =
        "{\"access_token\":\"a\\/\",\"token_type\":\"Bearer\",\"expires_in\":\"60\","
        "\"refresh_token\":\"r\",\"id_token\":\"i\",\"scope\":\"s\"}";
    struct mcph_oauth_refusal refusal = {0};
    struct mcph_oauth_token got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_token_read(MCPH_OAUTH_GRANT_CODE, "https://id.ex/t", 200, text,
                                  strlen(text), NULL, &got, &refusal, &err);

    torture_told(r, err);
    torture_must(refusal.why == MCPH_OAUTH_WHY_NONE);
    torture_must(r == 0 ? strcmp(got.access, "a/") == 0 && got.expires_s == 60
                        : !got.access);
    mcph_oauth_token_done(&got);
    return r;
}

static int
refuse_token(void)
{
    static const char text[] = "{\"error\":\"slow_down\",\"error_description\":\"no\"}";
    struct mcph_oauth_refusal refusal = {0};
    struct mcph_oauth_token got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_token_read(MCPH_OAUTH_GRANT_DEVICE, "https://id.ex/t", 400, text,
                                  strlen(text), NULL, &got, &refusal, &err);

    torture_must((r == MCPHOST_E_AUTH || r == MCPHOST_E_NOMEM) && err);
    torture_must(r == MCPHOST_E_NOMEM || refusal.why == MCPH_OAUTH_WHY_SLOW_DOWN);
    mcphost_error_unref(err);
    return r == MCPHOST_E_AUTH ? 0 : r;
}

static int
read_device(void)
{
    static const char text[] = "{\"device_code\":\"d\",\"user_code\":\"u\","
                               "\"verification_uri\":\"https://id.ex\","
                               "\"verification_uri_complete\":\"https://id.ex/u\"}";
    struct mcph_oauth_device got = {0};
    mcphost_error *err = NULL;
    int r = mcph_oauth_device_read(&server, "https://id.ex/d", 200, text, strlen(text),
                                   NULL, &got, &err);

    torture_told(r, err);
    torture_must(r == 0 ? strcmp(got.uri, "https://id.ex") == 0 : !got.uri);
    mcph_oauth_device_done(&got);
    return r;
}

static const struct torture runs[] = {
    {.run = check_urls, .least = 30},
    {.run = restrict_addresses, .least = 10, .recovers = true},
    {.run = find_places, .least = 30},
    {.run = read_resource, .least = 30},
    {.run = read_issuer, .least = 30},
    {.run = refuse_issuer, .least = 10},
    {.run = make_default_issuer, .least = 10},
    {.run = refuse_new_issuer, .least = 8},
    {.run = register_client, .least = 20},
    {.run = make_url, .least = 4},
    {.run = read_redirects, .least = 5},
    {.run = make_forms, .least = 3},
    {.run = read_token, .least = 15},
    {.run = refuse_token, .least = 8},
    {.run = read_device, .least = 20},
};

START_TEST(a_step_of_oauth_is_complete_or_fails_with_e_nomem)
{
    torture_run(&runs[_i / 2], _i % 2);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "oauth");

    tcase_add_loop_test(tc, a_step_of_oauth_is_complete_or_fails_with_e_nomem, 0,
                        2 * (int)MCPH_ARRAY_SIZE(runs));
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return torture_main("torture-oauth", add);
}
