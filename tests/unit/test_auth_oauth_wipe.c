/* SPDX-License-Identifier: MIT
 *
 * test_auth_oauth_wipe.c - after each step of OAuth, no copy of a secret is left in the
 * heap, whether the step succeeded or failed.
 *
 * All secrets except the private key contain the same marker.  The inputs are not in the
 * heap, and the outputs are wiped before the heap is searched.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/auth.h"
#include "auth/key.h"
#include "support/heap.h"
#include "support/keys.h"
#include "support/runner.h"

/* free() overwrites the beginning of a block.  Therefore MARK is at the end of SECRET. */
#define MARK   "this-text-must-not-stay"
#define SECRET "0123456789abcdef0123456789abcdef-" MARK
#define BEARER "\"token_type\":\"Bearer\""
#define MEMBER "\"access_token\":\"" SECRET "\""

/* The message of a failed check is in the heap, and must not contain the marker. */
static const char mark[] = MARK;
static bool is_blind; /* valgrind or a sanitizer keeps the heap elsewhere */

/* Moves each block, so that a buffer that grows always leaves its old bytes behind. */
void *
realloc(void *old, size_t size)
{
    size_t n = old ? malloc_usable_size(old) : 0;
    void *block = malloc(size);

    if (block && old) {
        memcpy(block, old, n < size ? n : size);
        free(old);
    }
    return block;
}

static void
up(void)
{
    char *canary = mcph_strdup(SECRET);

    is_blind = heap_count(mark) == 0;
    mcph_str_wipe(canary);
    if (is_blind)
        printf("not run: the heap is elsewhere under this tool\n");
}

static void
check_heap(void)
{
    ck_assert_int_eq(heap_count(mark), 0);
}

/* ---- documents --------------------------------------------------------------------- */

static const struct {
    const char *text;
    int status, code;
} answers[] = {
    {"{" MEMBER "," BEARER ",\"refresh_token\":\"" SECRET "\",\"id_token\":\"" SECRET
     "\"}",
     200, 0},
    {"{" MEMBER "," BEARER ",\"refresh_token\":7}", 200, MCPHOST_E_PROTOCOL},
    {"{" MEMBER ",\"refresh_token\":\"" SECRET "\\t\"," BEARER "}", 200,
     MCPHOST_E_PROTOCOL},
    {"{" MEMBER ",\"refresh_token\":\"" SECRET "\\u0000\"," BEARER "}", 200,
     MCPHOST_E_PROTOCOL},
    {"{" MEMBER ",\"error\":\"invalid_grant\"}", 400, MCPHOST_E_AUTH},
    /* documents that are refused as a whole */
    {"{" MEMBER "," BEARER "," BEARER "}", 200, MCPHOST_E_PROTOCOL},
    {"{" MEMBER "," MEMBER "," BEARER "}", 200, MCPHOST_E_PROTOCOL},
    {"{\"x\":[{" MEMBER "},{\"y\":1,\"y\":2}]," BEARER "}", 200, MCPHOST_E_PROTOCOL},
    {"{\"x\":{" MEMBER ",\"z\":{\"y\":1,\"y\":2}}," BEARER "}", 200, MCPHOST_E_PROTOCOL},
    {"{\"x\":{" MEMBER "},\"y\":[[{" MEMBER "}]]," BEARER "}", 200, MCPHOST_E_PROTOCOL},
};

START_TEST(the_answer_to_a_token_request_leaves_no_secret_behind)
{
    struct mcph_oauth_refusal refusal = {0};
    struct mcph_oauth_token got = {0};

    ck_assert_int_eq(mcph_oauth_token_read(MCPH_OAUTH_GRANT_CODE, "https://id.ex",
                                           answers[_i].status, answers[_i].text,
                                           strlen(answers[_i].text), NULL, &got, &refusal,
                                           NULL),
                     answers[_i].code);
    mcph_oauth_token_done(&got);
    check_heap();
}
END_TEST

START_TEST(registrations_and_device_codes_leave_no_secret_behind)
{
    static const char registration[] = "{\"client_id\":\"c\",\"client_secret\":\"" SECRET
                                       "\",\"registration_access_token\":\"" SECRET "\"}";
    static const char device[] = "{\"user_code\":\"u\",\"device_code\":\"" SECRET
                                 "\",\"verification_uri\":\"http://id.ex\"}";
    static const struct mcph_oauth_server server = {.url = "https://api.ex"};
    struct mcph_oauth_client client = {0};
    struct mcph_oauth_device code = {0};

    ck_assert_int_eq(mcph_oauth_registration_read("https://id.ex", 201, registration,
                                                  strlen(registration), NULL, &client,
                                                  NULL),
                     0);
    mcph_oauth_client_done(&client);
    ck_assert_int_eq(mcph_oauth_device_read(&server, "https://id.ex", 200, device,
                                            strlen(device), NULL, &code, NULL),
                     MCPHOST_E_DENIED);
    check_heap();
}
END_TEST

/* ---- requests ---------------------------------------------------------------------- */

START_TEST(the_url_for_the_browser_leaves_no_state_behind)
{
    static char scope[5000];
    struct mcph_oauth_issuer issuer = {.authorization = (char *)"https://id.ex/a?x=1"};
    struct mcph_oauth_authorization authorization = {.client_id = "c",
                                                     .redirect_uri = "http://127.0.0.1/",
                                                     .challenge = "ch",
                                                     .state = SECRET,
                                                     .resource = "https://api.ex"};
    char *url = NULL;

    /* The long scope makes the buffer of the URL grow after the state is in the
     * buffer. */
    memset(scope, 'x', sizeof(scope) - 1);
    authorization.scope = scope;
    ck_assert_int_eq(mcph_oauth_authorize_url(&issuer, &authorization, &url, NULL), 0);
    test_has(url, "&state=" SECRET "&");
    mcph_str_wipe(url);
    check_heap();
}
END_TEST

static const struct {
    const char *text;
    int code;
} pasted[] = {
    {"x://cb?code=" SECRET "&state=" SECRET, 0},
    {"code=" SECRET "&state=other", MCPHOST_E_DENIED},
    {"code=" SECRET "&state=" SECRET "&code=2", MCPHOST_E_DENIED},
    {"code=" SECRET "%c3%a9&state=" SECRET, MCPHOST_E_PROTOCOL},
    {"error=access_denied&code=" SECRET "&state=" SECRET, MCPHOST_E_AUTH},
    {SECRET, 0},
    {SECRET "%zz", MCPHOST_E_DENIED},
    {SECRET "\xc3\xa9", MCPHOST_E_PROTOCOL},
};

START_TEST(a_redirect_leaves_no_code_behind)
{
    static const struct mcph_oauth_awaited awaited = {SECRET, "https://id.ex", "x://cb",
                                                      false, true};
    char *code = NULL;
    int why = 0;

    ck_assert_int_eq(mcph_oauth_pasted_read(&awaited, pasted[_i].text,
                                            strlen(pasted[_i].text), NULL, &code, &why,
                                            NULL),
                     pasted[_i].code);
    mcph_str_wipe(code);
    check_heap();
}
END_TEST

START_TEST(forms_leave_no_secret_behind)
{
    static const struct mcph_oauth_request request = {.grant = MCPH_OAUTH_GRANT_CODE,
                                                      .code = SECRET,
                                                      .redirect_uri = "x://cb",
                                                      .verifier = SECRET,
                                                      .resource = "https://api.ex"};
    static const struct mcph_oauth_proof proofs[] = {
        {MCPH_OAUTH_METHOD_BASIC, "c", SECRET, NULL},
        {MCPH_OAUTH_METHOD_POST, "c", SECRET, NULL},
        {MCPH_OAUTH_METHOD_KEY, "c", NULL, SECRET},
        {MCPH_OAUTH_METHOD_KEY, "c", SECRET, NULL},
    };
    struct mcph_buf body, header;

    mcph_buf_init(&body, MCPH_OAUTH_FORM_MAX);
    mcph_buf_init(&header, MCPH_OAUTH_FORM_MAX);
    (void)mcph_oauth_request_add(&request, &proofs[_i], &body, &header, NULL);
    mcph_buf_wipe(&body);
    mcph_buf_wipe(&header);
    check_heap();
}
END_TEST

START_TEST(fixed_headers_leave_no_value_behind)
{
    static const char *const names[] = {"A", "B", "C"};
    static char value[3000] = SECRET;
    struct mcph_fixed fixed = {0};
    struct mcph_buf lines;
    uint64_t at = 0;

    memset(value + sizeof(SECRET) - 1, 'x', sizeof(value) - sizeof(SECRET));
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        ck_assert_int_eq(
            mcph_fixed_set(&fixed, NULL, "https://api.ex:443", names[i], value, NULL), 0);
    mcph_buf_init(&lines, MCPH_OAUTH_FORM_MAX);
    ck_assert_int_eq(
        mcph_fixed_add(&fixed, "s", "https://api.ex:443", 0, &lines, &at, NULL),
        MCPH_FIXED_BESIDE);
    mcph_buf_wipe(&lines);
    mcph_fixed_done(&fixed);
    check_heap();
}
END_TEST

/* ---- keys and tokens --------------------------------------------------------------- */

/* Returns a part of the first base64 line of a key in PEM.  In p256-pkcs8, the end of
 * this part encodes the beginning of the private number. */
static const char *
middle_of(struct mcph_span pem, char ret[24])
{
    const char *line = memchr(pem.p, '\n', pem.len);

    ck_assert_ptr_nonnull(line);
    memcpy(ret, line + 33, 23);
    ret[23] = '\0';
    return ret;
}

START_TEST(a_private_key_leaves_no_text_behind)
{
    struct mcph_keypair *key = NULL;
    static char copy[8192], line[24];
    struct mcph_span pem = keys_text("p256-pkcs8");
    size_t len = pem.len;
    struct mcph_buf made;

    ck_assert_uint_lt(len, sizeof(copy));
    memcpy(copy, pem.p, len);
    explicit_bzero((char *)(uintptr_t)pem.p, len);
    middle_of(mcph_span(copy, len), line);
    ck_assert_int_eq(heap_count(line), 0);
    ck_assert_int_eq(mcph_keypair_read(copy, len, "k", &key, NULL), 0);
    ck_assert_int_eq(heap_count(line), 0);
    mcph_buf_init(&made, MCPH_KEYPAIR_PEM_MAX);
    ck_assert_int_eq(mcph_keypair_write(key, &made, NULL), 0);
    mcph_buf_wipe(&made);
    mcph_keypair_free(key);
    ck_assert_int_eq(heap_count(line), 0);
}
END_TEST

/* Both tokens have the header {}.  The claims of the first token are
 * {"x":"0123456789abcdef-this-text-must-not-stay"}.  The claims of the second token are
 * {"iss":1,"iss":2,"x":"..."} with the same text. */
static const struct {
    const char *token;
    int code;
} tokens[] = {
    {"e30.eyJ4IjoiMDEyMzQ1Njc4OWFiY2RlZi10aGlzLXRleHQtbXVzdC1ub3Qtc3RheSJ9.AA", 0},
    {"e30.eyJpc3MiOjEsImlzcyI6MiwieCI6IjAxMjM0NTY3ODlhYmNkZWYtdGhpcy10ZXh0LW11c3Qtbm90"
     "LXN0YXkifQ.AA",
     MCPHOST_E_INVALID},
};

START_TEST(the_claims_of_a_token_are_wiped)
{
    struct mcph_jwt jwt;

    ck_assert_int_eq(mcph_jwt_read(mcph_span_str(tokens[_i].token), "t", &jwt, NULL),
                     tokens[_i].code);
    ck_assert(is_blind || heap_count(mark) > 0);
    mcph_jwt_done(&jwt);
    check_heap();
}
END_TEST

START_TEST(a_buffer_for_secrets_leaves_no_copy_behind_when_it_grows)
{
    static const char zeros[9000];
    struct mcph_buf buf;

    mcph_buf_init_secret(&buf, 10000);
    ck_assert_int_eq(mcph_buf_adds(&buf, SECRET), 0);
    ck_assert_int_eq(mcph_buf_add(&buf, zeros, sizeof(zeros)), 0);
    ck_assert_mem_eq(buf.data, SECRET, strlen(SECRET));
    ck_assert_int_eq(mcph_buf_add(&buf, zeros, sizeof(zeros)), MCPHOST_E_LIMIT);
    mcph_buf_wipe(&buf);
    check_heap();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "wipe");

    tcase_add_checked_fixture(tc, up, NULL);
    tcase_add_loop_test(tc, the_answer_to_a_token_request_leaves_no_secret_behind, 0,
                        (int)MCPH_ARRAY_SIZE(answers));
    tcase_add_test(tc, registrations_and_device_codes_leave_no_secret_behind);
    tcase_add_test(tc, the_url_for_the_browser_leaves_no_state_behind);
    tcase_add_loop_test(tc, a_redirect_leaves_no_code_behind, 0,
                        (int)MCPH_ARRAY_SIZE(pasted));
    tcase_add_loop_test(tc, forms_leave_no_secret_behind, 0, 4);
    tcase_add_test(tc, fixed_headers_leave_no_value_behind);
    tcase_add_test(tc, a_private_key_leaves_no_text_behind);
    tcase_add_test(tc, a_buffer_for_secrets_leaves_no_copy_behind_when_it_grows);
    tcase_add_loop_test(tc, the_claims_of_a_token_are_wiped, 0,
                        (int)MCPH_ARRAY_SIZE(tokens));
}

int
main(void)
{
    return test_main("auth-oauth-wipe", add);
}
