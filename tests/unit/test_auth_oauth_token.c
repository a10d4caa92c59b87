/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_token.c - the forms for the token endpoint, the endpoint's answers, and
 * the device grant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/oauth.h"
#include "support/runner.h"

#define AT   "https://id.ex/token?k=hidden"
#define TYPE "urn%3Aietf%3Aparams%3Aoauth%3A"

static char message[4096], body[4096], header[1024];

/* Keeps the error's message, and drops the error. */
static int
told(int r, mcphost_error **err)
{
    snprintf(message, sizeof(message), "%s", mcphost_error_get_message(*err));
    ck_assert_int_eq(r, mcphost_error_get_code(*err));
    mcphost_error_unref(*err);
    return r;
}

/* ---- forms ------------------------------------------------------------------------- */

static struct mcph_buf form, line;

static void
begin(void)
{
    mcph_buf_init(&form, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&line, MCPH_OAUTH_FORM_MAX);
}

/* Keeps the texts of the form and of the header, and drops the buffers. */
static void
end(void)
{
    snprintf(body, sizeof(body), "%.*s", (int)form.len, form.data ? form.data : "");
    snprintf(header, sizeof(header), "%.*s", (int)line.len, line.data ? line.data : "");
    mcph_buf_wipe(&form);
    mcph_buf_wipe(&line);
}

static int
make_request(const struct mcph_oauth_request *request,
             const struct mcph_oauth_proof *proof)
{
    mcphost_error *err = NULL;
    int r;

    begin();
    r = told(mcph_oauth_request_add(request, proof, &form, &line, &err), &err);
    end();
    return r;
}

static const struct mcph_oauth_proof nobody = {.method = MCPH_OAUTH_METHOD_NONE,
                                               .client_id = "c 1"};

static const struct {
    struct mcph_oauth_request request;
    const char *form;
} requests[] = {
    {{.grant = MCPH_OAUTH_GRANT_CODE,
      .code = "a/b+c",
      .redirect_uri = "http://127.0.0.1:5/cb",
      .verifier = "v~._-",
      .resource = "https://api.ex/mcp",
      .scope = "ignored"},
     "grant_type=authorization_code&code=a%2Fb%2Bc&redirect_uri=http%3A%2F%2F127.0.0.1%"
     "3A5%2Fcb&code_verifier=v~._-&resource=https%3A%2F%2Fapi.ex%2Fmcp&client_id=c%201"},
    {{.grant = MCPH_OAUTH_GRANT_REFRESH,
      .refresh_token = "r&1=",
      .resource = "https://api.ex",
      .scope = "r w"},
     "grant_type=refresh_token&refresh_token=r%261%3D&resource=https%3A%2F%2Fapi.ex&"
     "scope=r%20w&client_id=c%201"},
    {{.grant = MCPH_OAUTH_GRANT_CLIENT, .scope = "", .audience = "api"},
     "grant_type=client_credentials&audience=api&client_id=c%201"},
    {{.grant = MCPH_OAUTH_GRANT_EXCHANGE,
      .subject_token = "id.t.k",
      .subject_type = MCPH_OAUTH_TYPE_ID_TOKEN,
      .requested_type = MCPH_OAUTH_TYPE_ID_JAG,
      .audience = "https://id.ex"},
     "grant_type=" TYPE "grant-type%3Atoken-exchange&subject_token=id.t.k&"
     "subject_token_type=" TYPE "token-type%3Aid_token&requested_token_type=" TYPE
     "token-type%3Aid-jag&audience=https%3A%2F%2Fid.ex&client_id=c%201"},
    {{.grant = MCPH_OAUTH_GRANT_JWT, .assertion = "j.w.t", .scope = "r"},
     "grant_type=" TYPE
     "grant-type%3Ajwt-bearer&assertion=j.w.t&scope=r&client_id=c%201"},
    {{.grant = MCPH_OAUTH_GRANT_DEVICE, .device_code = "d\xc3\xa9", .scope = "ignored"},
     "grant_type=" TYPE "grant-type%3Adevice_code&device_code=d%C3%A9&client_id=c%201"},
};

START_TEST(each_grant_has_its_parameters)
{
    ck_assert_int_eq(make_request(&requests[_i].request, &nobody), 0);
    ck_assert_str_eq(body, requests[_i].form);
    ck_assert_str_eq(header, "");
}
END_TEST

static const struct {
    struct mcph_oauth_proof proof;
    const char *form, *header;
} proofs[] = {
    {{MCPH_OAUTH_METHOD_BASIC, "a:b", "s ecr&t", NULL},
     "grant_type=client_credentials",
     "Basic YSUzQWI6cyUyMGVjciUyNnQ="},
    {{MCPH_OAUTH_METHOD_BASIC, "c", "", NULL},
     "grant_type=client_credentials",
     "Basic Yzo="},
    {{MCPH_OAUTH_METHOD_POST, "c", "s&1", NULL},
     "grant_type=client_credentials&client_id=c&client_secret=s%261",
     ""},
    {{MCPH_OAUTH_METHOD_NONE, "c", "unused", NULL},
     "grant_type=client_credentials&client_id=c",
     ""},
    {{MCPH_OAUTH_METHOD_KEY, "c", "unused", "j.w.t"},
     "grant_type=client_credentials&client_id=c&client_assertion_type=" TYPE
     "client-assertion-type%3Ajwt-bearer&client_assertion=j.w.t",
     ""},
};

/* RFC 6749, section 2.3.1; RFC 7523, section 2.2 */
START_TEST(each_method_proves_the_identity_of_the_client)
{
    struct mcph_oauth_request request = {.grant = MCPH_OAUTH_GRANT_CLIENT};

    ck_assert_int_eq(make_request(&request, &proofs[_i].proof), 0);
    ck_assert_str_eq(body, proofs[_i].form);
    ck_assert_str_eq(header, proofs[_i].header);
}
END_TEST

static const struct {
    struct mcph_oauth_request request;
    struct mcph_oauth_proof proof;
} incomplete[] = {
    {{.grant = 0}, {1, "c", "s", "j"}},
    {{.grant = 3}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CODE, .code = "c", .redirect_uri = "u"},
     {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CODE, .code = "c", .verifier = "v"}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CODE, .redirect_uri = "u", .verifier = "v"},
     {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_REFRESH}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_EXCHANGE, .subject_token = "t"}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_JWT}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_DEVICE}, {1, "c", "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CLIENT}, {MCPH_OAUTH_METHOD_NONE, NULL, "s", "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CLIENT}, {MCPH_OAUTH_METHOD_BASIC, "c", NULL, "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CLIENT}, {MCPH_OAUTH_METHOD_POST, "c", NULL, "j"}},
    {{.grant = MCPH_OAUTH_GRANT_CLIENT}, {MCPH_OAUTH_METHOD_KEY, "c", "s", NULL}},
};

START_TEST(a_request_without_a_needed_member_is_refused_and_adds_nothing)
{
    ck_assert_int_eq(make_request(&incomplete[_i].request, &incomplete[_i].proof),
                     MCPHOST_E_INVALID);
    ck_assert_str_eq(body, "");
    ck_assert_str_eq(header, "");
}
END_TEST

START_TEST(a_form_that_does_not_fit_leaves_no_part_behind)
{
    struct mcph_oauth_proof proof = {MCPH_OAUTH_METHOD_BASIC, "c", "s3cret", NULL};
    struct mcph_oauth_request request = {.grant = MCPH_OAUTH_GRANT_CLIENT};

    begin();
    line.max = 10;
    mcph_buf_adds(&line, "h");
    ck_assert_int_eq(mcph_buf_reserve(&form, 4096), 0);
    memset(form.data, 0, form.cap);
    mcph_buf_adds(&form, "f");
    ck_assert_int_eq(mcph_oauth_request_add(&request, &proof, &form, &line, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert(mcph_buf_ok(&form) == 0 && mcph_buf_ok(&line) == 0);
    ck_assert_ptr_null(memmem(form.data, form.cap, "client_credentials", 18));
    end();
    begin();
    form.max = 10;
    ck_assert_int_eq(mcph_oauth_request_add(&request, &proof, &form, &line, NULL),
                     MCPHOST_E_LIMIT);
    end();
    ck_assert_str_eq(body, "");
}
END_TEST

START_TEST(a_form_with_a_token_of_5000_bytes_is_made)
{
    char *token = malloc(5001);
    struct mcph_oauth_request request = {.grant = MCPH_OAUTH_GRANT_REFRESH};

    ck_assert_ptr_nonnull(token);
    memset(token, '/', 5000);
    token[5000] = '\0';
    request.refresh_token = token;
    begin();
    ck_assert_int_eq(mcph_oauth_request_add(&request, &nobody, &form, &line, NULL), 0);
    ck_assert_uint_gt(form.len, 15000);
    ck_assert_uint_ge(form.cap, form.len);
    end();
    free(token);
}
END_TEST

/* RFC 7009 */
START_TEST(a_revocation_names_the_kind_of_the_token)
{
    begin();
    ck_assert_int_eq(mcph_oauth_revocation_add("t+1", true, &nobody, &form, &line, NULL),
                     0);
    end();
    ck_assert_str_eq(body, "token=t%2B1&token_type_hint=refresh_token&client_id=c%201");
    begin();
    ck_assert_int_eq(mcph_oauth_revocation_add("t", false, &nobody, &form, &line, NULL),
                     0);
    end();
    ck_assert_str_eq(body, "token=t&token_type_hint=access_token&client_id=c%201");
    begin();
    ck_assert_int_eq(mcph_oauth_revocation_add(NULL, false, &nobody, &form, &line, NULL),
                     MCPHOST_E_INVALID);
    end();
}
END_TEST

/* ---- answers ----------------------------------------------------------------------- */

static struct mcph_oauth_refusal refusal;

static int
read_token(int grant, int status, const char *text, struct mcph_oauth_token *ret)
{
    struct mcph_mask *mask = mcph_mask_new();
    mcphost_error *err = NULL;
    int r;

    ck_assert_int_eq(mcph_mask_add(mask, "s3cret-value", 12), 0);
    refusal = (struct mcph_oauth_refusal){99, 99};
    r = told(mcph_oauth_token_read(grant, AT, status, text, strlen(text), mask, ret,
                                   &refusal, &err),
             &err);
    mcph_mask_unref(mask);
    test_has_not(message, "hidden");
    return r;
}

START_TEST(all_members_of_a_token_are_read)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(
        read_token(MCPH_OAUTH_GRANT_CODE, 200,
                   "{\"access_token\":\"a\\/1\",\"token_type\":\"bEARER\","
                   "\"expires_in\":3600,\"refresh_token\":\"r 1\",\"scope\":\"r w\","
                   "\"id_token\":\"i.d.t\",\"extra\":[1],\"error\":null}",
                   &got),
        0);
    ck_assert_str_eq(got.access, "a/1");
    ck_assert_str_eq(got.refresh, "r 1");
    ck_assert_str_eq(got.id_token, "i.d.t");
    ck_assert_str_eq(got.scope, "r w");
    ck_assert_int_eq(got.expires_s, 3600);
    ck_assert(!got.is_dpop);
    ck_assert_int_eq(refusal.why, MCPH_OAUTH_WHY_NONE);
    mcph_oauth_token_done(&got);
}
END_TEST

START_TEST(absent_members_of_a_token_have_defaults)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_CODE, 200,
                                "{\"access_token\":\"a\",\"token_type\":\"dpop\","
                                "\"refresh_token\":\"\",\"scope\":[\"r\"]}",
                                &got),
                     0);
    ck_assert_ptr_null(got.refresh);
    ck_assert_ptr_null(got.id_token);
    ck_assert_ptr_null(got.scope);
    ck_assert_int_eq(got.expires_s, -1);
    ck_assert(got.is_dpop);
    mcph_oauth_token_done(&got);
}
END_TEST

static const struct {
    const char *text;
    int64_t seconds;
} expiries[] = {
    {"3600", 3600},
    {"\"3600\"", 3600},
    {"3599.9", 3599},
    {"36e2", 3600},
    {"0", 0},
    {"-5", 0},
    {"-1e99", 0},
    {"-1e999", 0},
    {"99999999999", MCPH_OAUTH_EXPIRES_MAX},
    {"99999999999999999999999", MCPH_OAUTH_EXPIRES_MAX},
    {"1e300", MCPH_OAUTH_EXPIRES_MAX},
    {"1e999", MCPH_OAUTH_EXPIRES_MAX},
    {"\"1e999\"", MCPH_OAUTH_EXPIRES_MAX},
    {"null", -1},
    {"true", -1},
    {"{}", -1},
    {"\"\"", -1},
    {"\"soon\"", -1},
    {"\"3600 s\"", -1},
    {"\"[1]\"", -1},
};

START_TEST(an_expiry_is_a_number_or_a_text_and_absurd_values_are_limited)
{
    struct mcph_oauth_token got = {0};
    char text[256];

    snprintf(text, sizeof(text),
             "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"expires_in\":%s}",
             expiries[_i].text);
    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_CODE, 200, text, &got), 0);
    ck_assert_int_eq(got.expires_s, expiries[_i].seconds);
    mcph_oauth_token_done(&got);
}
END_TEST

#define BEARER "\"token_type\":\"Bearer\""

static const struct {
    const char *text;
    const char *says;
} bad_tokens[] = {
    {"", "not valid JSON"},
    {"access_token=a&token_type=bearer", "not valid JSON"},
    {"[\"canary\"]", "expected object"},
    {"{" BEARER "}", "has no \"access_token\""},
    {"{\"access_token\":\"\"," BEARER "}", "has no \"access_token\""},
    {"{\"access_token\":7," BEARER "}", "\"access_token\" is not a text"},
    {"{\"access_token\":\"canary\"}", "has no \"token_type\""},
    {"{\"access_token\":\"canary\",\"token_type\":\"canary\"}",
     "neither Bearer nor DPoP"},
    {"{\"access_token\":\"canary\",\"token_type\":\"N_A\"}", "neither Bearer nor DPoP"},
    {"{\"access_token\":\"canary x\"," BEARER "}", "not allowed"},
    {"{\"access_token\":\"canary\\r\\nX: y\"," BEARER "}", "not allowed"},
    {"{\"access_token\":\"canary\\u0000\"," BEARER "}", "a NUL character"},
    {"{\"access_token\":\"canary\xc3\xa9\"," BEARER "}", "not allowed"},
    {"{\"access_token\":\"canary\",\"refresh_token\":\"canary\\t\"," BEARER "}",
     "\"refresh_token\" has a character"},
    {"{\"access_token\":\"canary\",\"refresh_token\":{\"canary\":1}," BEARER "}",
     "\"refresh_token\" is not a text"},
    {"{\"access_token\":\"canary\",\"access_token\":\"b\"," BEARER "}", "occurs twice"},
    {"{\"access_token\":\"canary\",\"scope\":\"\\u001b\"," BEARER "}",
     "\"scope\" has a control character"},
    {"{\"access_token\":\"canary\",\"scope\":\"\\u0085\"," BEARER "}",
     "\"scope\" has a control character"},
    {"{\"access_token\":\"canary\",\"scope\":\"a\\u202e\"," BEARER "}",
     "\"scope\" has a control character"},
};

START_TEST(an_answer_without_a_usable_token_is_refused_with_the_reason)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_CODE, 200, bad_tokens[_i].text, &got),
                     MCPHOST_E_PROTOCOL);
    test_has(message, "token request at https://id.ex/token: ");
    test_has(message, bad_tokens[_i].says);
    test_has_not(message, "canary");
    ck_assert_ptr_null(got.access);
}
END_TEST

#define EXCHANGED "{\"access_token\":\"canary\",\"token_type\":\"N_A\""

START_TEST(an_exchanged_token_may_be_of_no_type)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_EXCHANGE, 200,
                                EXCHANGED ",\"issued_token_type\":"
                                          "\"" MCPH_OAUTH_TYPE_ID_JAG "\"}",
                                &got),
                     0);
    mcph_oauth_token_done(&got);
}
END_TEST

static const char *const unwanted[] = {
    EXCHANGED "}",
    EXCHANGED ",\"issued_token_type\":7}",
    EXCHANGED ",\"issued_token_type\":\"" MCPH_OAUTH_TYPE_ID_TOKEN "\"}",
    EXCHANGED ",\"issued_token_type\":"
              "\"urn:ietf:params:oauth:token-type:access_token\"}",
};

START_TEST(an_exchange_that_gives_another_kind_of_token_is_refused)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_EXCHANGE, 200, unwanted[_i], &got),
                     MCPHOST_E_PROTOCOL);
    test_has_all(message, "token exchange at |\"issued_token_type\"|id-jag");
    test_has_not(message, "canary");
    ck_assert_ptr_null(got.access);
}
END_TEST

START_TEST(a_token_that_is_too_long_is_refused)
{
    static const char start[] = "{" BEARER ",\"access_token\":\"";
    size_t len = MCPH_OAUTH_TOKEN_MAX + 100;
    char *text = malloc(len);
    struct mcph_oauth_token got = {0};

    ck_assert_ptr_nonnull(text);
    memset(text, 'a', len);
    memcpy(text, start, sizeof(start) - 1);
    memcpy(text + len - 3, "\"}", 3);
    ck_assert_int_eq(read_token(MCPH_OAUTH_GRANT_CODE, 200, text, &got),
                     MCPHOST_E_PROTOCOL);
    test_has(message, "too long");
    free(text);
}
END_TEST

static const struct {
    int status;
    const char *text;
    int code, why, interval;
    const char *says;
} refused[] = {
    {400, "{\"error\":\"invalid_grant\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_GRANT, 0,
     "invalid_grant; log in again"},
    {200, "{\"error\":\"invalid_grant\",\"access_token\":\"a\"," BEARER "}",
     MCPHOST_E_AUTH, MCPH_OAUTH_WHY_GRANT, 0, "invalid_grant"},
    {401, "{\"error\":\"invalid_client\",\"error_description\":\"s3cret-value\"}",
     MCPHOST_E_AUTH, MCPH_OAUTH_WHY_CLIENT, 0, "invalid_client (************)"},
    {400, "{\"error\":\"unauthorized_client\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_CLIENT, 0,
     "unauthorized_client"},
    {400, "{\"error\":\"invalid_scope\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_SCOPE, 0,
     "invalid_scope"},
    {400, "{\"error\":\"authorization_pending\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_PENDING,
     0, "authorization_pending"},
    {400, "{\"error\":\"slow_down\",\"interval\":\"12\"}", MCPHOST_E_AUTH,
     MCPH_OAUTH_WHY_SLOW_DOWN, 12, "slow_down"},
    {400, "{\"error\":\"slow_down\",\"interval\":1e99}", MCPHOST_E_AUTH,
     MCPH_OAUTH_WHY_SLOW_DOWN, 300, "slow_down"},
    {400, "{\"error\":\"slow_down\",\"interval\":-7}", MCPHOST_E_AUTH,
     MCPH_OAUTH_WHY_SLOW_DOWN, 0, "slow_down"},
    {400, "{\"error\":\"expired_token\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_EXPIRED, 0,
     "log in again"},
    {400, "{\"error\":\"access_denied\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_USER, 0,
     "allow the access"},
    {400, "{\"error\":\"use_dpop_nonce\"}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_NONCE, 0,
     "use_dpop_nonce"},
    {400, "{\"error\":{\"code\":1}}", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_OTHER, 0,
     "HTTP status 400"},
    {200, "{\"error\":7,\"access_token\":\"a\"," BEARER "}", MCPHOST_E_AUTH,
     MCPH_OAUTH_WHY_OTHER, 0, "HTTP status 200"},
    {404, "<html>", MCPHOST_E_AUTH, MCPH_OAUTH_WHY_OTHER, 0, "HTTP status 404"},
    {429, "{\"message\":\"too many\"}", MCPHOST_E_TRANSPORT, MCPH_OAUTH_WHY_LATER, 0,
     "HTTP status 429 (too many); try again later"},
    {503, "", MCPHOST_E_TRANSPORT, MCPH_OAUTH_WHY_LATER, 0, "HTTP status 503"},
    {500, "{\"error\":\"invalid_grant\"}", MCPHOST_E_TRANSPORT, MCPH_OAUTH_WHY_GRANT, 0,
     "invalid_grant"},
    {500, "{\"error\":\"server_error\"}", MCPHOST_E_TRANSPORT, MCPH_OAUTH_WHY_LATER, 0,
     "server_error"},
};

START_TEST(a_refusal_has_its_reason_whatever_the_status)
{
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(
        read_token(MCPH_OAUTH_GRANT_DEVICE, refused[_i].status, refused[_i].text, &got),
        refused[_i].code);
    ck_assert_int_eq(refusal.why, refused[_i].why);
    ck_assert_int_eq(refusal.interval_s, refused[_i].interval);
    test_has(message, refused[_i].says);
    ck_assert_ptr_null(got.access);
}
END_TEST

/* ---- the device grant -------------------------------------------------------------- */

static const struct mcph_oauth_server server = {.url = "https://api.ex/mcp"};

static int
read_device(int status, const char *text, struct mcph_oauth_device *ret)
{
    mcphost_error *err = NULL;

    return told(mcph_oauth_device_read(&server, "https://id.ex/device?k=hidden", status,
                                       text, strlen(text), NULL, ret, &err),
                &err);
}

START_TEST(a_device_request_has_scope_and_resource)
{
    begin();
    ck_assert_int_eq(
        mcph_oauth_device_add("r w", "https://api.ex/mcp", &nobody, &form, &line, NULL),
        0);
    end();
    ck_assert_str_eq(body, "scope=r%20w&resource=https%3A%2F%2Fapi.ex%2Fmcp&"
                           "client_id=c%201");
    begin();
    ck_assert_int_eq(mcph_oauth_device_add("", NULL, &nobody, &form, &line, NULL), 0);
    end();
    ck_assert_str_eq(body, "client_id=c%201");
}
END_TEST

#define CODES "\"device_code\":\"canary\",\"user_code\":\"WDJB-MJHT\""
#define GOTO  "\"verification_uri\":\"https://id.ex/go\""

START_TEST(the_answer_to_a_device_request_is_read)
{
    struct mcph_oauth_device got = {0};

    ck_assert_int_eq(read_device(200,
                                 "{" CODES "," GOTO
                                 ",\"verification_uri_complete\":\"https://id.ex/"
                                 "go?c=W\",\"expires_in\":1800,\"interval\":\"7\"}",
                                 &got),
                     0);
    ck_assert_str_eq(got.device_code, "canary");
    ck_assert_str_eq(got.user_code, "WDJB-MJHT");
    ck_assert_str_eq(got.uri, "https://id.ex/go");
    ck_assert_str_eq(got.uri_complete, "https://id.ex/go?c=W");
    ck_assert_int_eq(got.expires_s, 1800);
    ck_assert_int_eq(got.interval_s, 7);
    mcph_oauth_device_done(&got);
}
END_TEST

START_TEST(absent_or_absurd_times_of_a_device_request_have_defaults)
{
    struct mcph_oauth_device got = {0};

    ck_assert_int_eq(read_device(200,
                                 "{" CODES ",\"verification_url\":\"https://id.ex/go\","
                                 "\"verification_uri_complete\":\"javascript:1\","
                                 "\"interval\":0}",
                                 &got),
                     0);
    ck_assert_str_eq(got.uri, "https://id.ex/go");
    ck_assert_ptr_null(got.uri_complete);
    ck_assert_int_eq(got.expires_s, 600);
    ck_assert_int_eq(got.interval_s, 5);
    mcph_oauth_device_done(&got);
    ck_assert_int_eq(
        read_device(200, "{" CODES "," GOTO ",\"expires_in\":1e99,\"interval\":1e99}",
                    &got),
        0);
    ck_assert_int_eq(got.expires_s, 24 * 3600);
    ck_assert_int_eq(got.interval_s, 300);
    mcph_oauth_device_done(&got);
}
END_TEST

static const struct {
    const char *code; /* with the escapes of a JSON string */
    bool is_allowed;
} user_codes[] = {
    {"WDJB-MJHT", true},
    {"123 456 789", true},
    {"a", true},
    {"0123456789012345678901234567890123456789012345678901234567890123", true},
    {"~!x*", true},
    {"A  B", false},
    {"A--B", false},
    {"A- B", false},
    {" A", false},
    {"A ", false},
    {"-A", false},
    {"A-", false},
    {"-", false},
    {" ", false},
    {"A\\tB", false},
    {"A\\u007f", false},
    {"A\\u009b", false},
    {"A\\u202eB", false},
    {"caf\xc3\xa9", false},
    {"\xd0\x90", false},
};

START_TEST(a_user_code_is_visible_ascii_with_single_blanks_and_hyphens_inside)
{
    struct mcph_oauth_device got = {0};
    char text[256];

    snprintf(text, sizeof(text),
             "{" GOTO ",\"device_code\":\"canary\",\"user_code\":\"%s\"}",
             user_codes[_i].code);
    ck_assert_msg(read_device(200, text, &got) ==
                      (user_codes[_i].is_allowed ? 0 : MCPHOST_E_PROTOCOL),
                  "%s: %s", text, message);
    if (user_codes[_i].is_allowed)
        ck_assert_str_eq(got.user_code, user_codes[_i].code);
    else
        test_has(message, "\"user_code\"");
    mcph_oauth_device_done(&got);
}
END_TEST

static const struct {
    int status;
    const char *text;
    int code;
    const char *says;
} bad_devices[] = {
    {200, "{" CODES "}", MCPHOST_E_PROTOCOL, "has no \"verification_uri\""},
    {200, "{" GOTO ",\"user_code\":\"u\"}", MCPHOST_E_PROTOCOL, "has no \"device_code\""},
    {200, "{" GOTO ",\"device_code\":\"canary\"}", MCPHOST_E_PROTOCOL,
     "no \"user_code\""},
    {200, "{" GOTO ",\"device_code\":\"canary\",\"user_code\":\"\"}", MCPHOST_E_PROTOCOL,
     "no \"user_code\""},
    {200, "{" GOTO ",\"device_code\":\"\",\"user_code\":\"u\"}", MCPHOST_E_PROTOCOL,
     "has no \"device_code\""},
    {200, "{" GOTO ",\"device_code\":\"canary\",\"user_code\":\"\\u001b[2J\"}",
     MCPHOST_E_PROTOCOL, "a control character"},
    {200,
     "{" GOTO ",\"device_code\":\"canary\",\"user_code\":\"0123456789012345678901234567"
     "8901234567890123456789012345678901234\"}",
     MCPHOST_E_PROTOCOL, "too long"},
    {200, "{" CODES ",\"verification_uri\":\"javascript:alert(1)\"}", MCPHOST_E_DENIED,
     "verification URI at "},
    {200, "{" CODES ",\"verification_uri\":\"https://id.ex/\\u202e\"}",
     MCPHOST_E_PROTOCOL, "\"verification_uri\" has a control character"},
    {200, "{" CODES ",\"verification_uri\":\"http://id.ex/go\"}", MCPHOST_E_DENIED,
     "verification URI at http://id.ex/go: the URL is not an https URL"},
    {400, "{\"error\":\"unauthorized_client\"}", MCPHOST_E_AUTH, "unauthorized_client"},
};

START_TEST(an_unusable_answer_to_a_device_request_is_refused_with_the_reason)
{
    struct mcph_oauth_device got = {0};

    ck_assert_int_eq(read_device(bad_devices[_i].status, bad_devices[_i].text, &got),
                     bad_devices[_i].code);
    test_has(message, bad_devices[_i].says);
    test_has_not(message, "canary");
    test_has_not(message, "hidden");
    ck_assert_ptr_null(got.user_code);
}
END_TEST

START_TEST(the_interval_grows_when_the_server_asks_for_it_or_does_not_answer)
{
    static const struct {
        int64_t now;
        struct mcph_oauth_refusal refusal;
        int64_t next;
    } cases[] = {
        {5, {MCPH_OAUTH_WHY_PENDING, 0}, 5},
        {5, {MCPH_OAUTH_WHY_SLOW_DOWN, 0}, 10},
        {5, {MCPH_OAUTH_WHY_SLOW_DOWN, 30}, 30},
        {20, {MCPH_OAUTH_WHY_SLOW_DOWN, 5}, 25},
        {298, {MCPH_OAUTH_WHY_SLOW_DOWN, 0}, 300},
        {5, {MCPH_OAUTH_WHY_LOST, 0}, 10},
        {160, {MCPH_OAUTH_WHY_LOST, 0}, 300},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++)
        ck_assert_int_eq(mcph_oauth_device_next(cases[i].now, &cases[i].refusal),
                         cases[i].next);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "forms");

    tcase_add_loop_test(tc, each_grant_has_its_parameters, 0,
                        (int)MCPH_ARRAY_SIZE(requests));
    tcase_add_loop_test(tc, each_method_proves_the_identity_of_the_client, 0,
                        (int)MCPH_ARRAY_SIZE(proofs));
    tcase_add_loop_test(tc, a_request_without_a_needed_member_is_refused_and_adds_nothing,
                        0, (int)MCPH_ARRAY_SIZE(incomplete));
    tcase_add_test(tc, a_form_that_does_not_fit_leaves_no_part_behind);
    tcase_add_test(tc, a_form_with_a_token_of_5000_bytes_is_made);
    tcase_add_test(tc, a_revocation_names_the_kind_of_the_token);
    tc = test_case(suite, "answers");
    tcase_add_test(tc, all_members_of_a_token_are_read);
    tcase_add_test(tc, absent_members_of_a_token_have_defaults);
    tcase_add_loop_test(tc, an_expiry_is_a_number_or_a_text_and_absurd_values_are_limited,
                        0, (int)MCPH_ARRAY_SIZE(expiries));
    tcase_add_loop_test(tc, an_answer_without_a_usable_token_is_refused_with_the_reason,
                        0, (int)MCPH_ARRAY_SIZE(bad_tokens));
    tcase_add_test(tc, an_exchanged_token_may_be_of_no_type);
    tcase_add_loop_test(tc, an_exchange_that_gives_another_kind_of_token_is_refused, 0,
                        sizeof(unwanted) / sizeof(unwanted[0]));
    tcase_add_test(tc, a_token_that_is_too_long_is_refused);
    tcase_add_loop_test(tc, a_refusal_has_its_reason_whatever_the_status, 0,
                        (int)MCPH_ARRAY_SIZE(refused));
    tc = test_case(suite, "devices");
    tcase_add_test(tc, a_device_request_has_scope_and_resource);
    tcase_add_test(tc, the_answer_to_a_device_request_is_read);
    tcase_add_test(tc, absent_or_absurd_times_of_a_device_request_have_defaults);
    tcase_add_loop_test(
        tc, a_user_code_is_visible_ascii_with_single_blanks_and_hyphens_inside, 0,
        (int)MCPH_ARRAY_SIZE(user_codes));
    tcase_add_loop_test(tc,
                        an_unusable_answer_to_a_device_request_is_refused_with_the_reason,
                        0, (int)MCPH_ARRAY_SIZE(bad_devices));
    tcase_add_test(tc, the_interval_grows_when_the_server_asks_for_it_or_does_not_answer);
}

int
main(void)
{
    return test_main("auth-oauth-token", add);
}
