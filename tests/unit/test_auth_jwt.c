/* SPDX-License-Identifier: MIT
 *
 * test_auth_jwt.c - signing JSON Web Tokens (JWTs), and reading JWTs of other programs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/keys.h"
#include "support/runner.h"

static struct mcph_buf jwt;

static void
up(void)
{
    mcph_buf_init(&jwt, (size_t)1 << 20);
}

static void
down(void)
{
    mcph_buf_wipe(&jwt);
}

/* ---- signing --------------------------------------------------------------------- */

/* RFC 7515, appendix A.2 */
START_TEST(the_rsa_example_of_rfc_7515_is_reproduced)
{
    static const char claims[] = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n "
                                 "\"http://example.com/is_root\":true}";
    struct mcph_keypair *key = keys_read("rsa-pkcs1");

    mcph_buf_adds(&jwt, "x=");
    ck_assert_int_eq(
        mcph_jwt_sign(key, MCPH_SPAN_NONE, mcph_span_str(claims), &jwt, NULL), 0);
    ck_assert_str_eq(
        mcph_buf_text(&jwt),
        "x=eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA"
        "6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0X"
        "F9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZ"
        "cAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0G"
        "arZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2"
        "w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
    mcph_keypair_free(key);
}
END_TEST

static void
sign(const struct mcph_keypair *key)
{
    mcph_buf_clear(&jwt);
    ck_assert_int_eq(mcph_jwt_sign(key, mcph_span_str("\"typ\":\"JWT\",\"kid\":\"k\""),
                                   mcph_span_str("{\"a\":1}"), &jwt, NULL),
                     0);
}

static const char *const names[] = {"p256-pkcs8", "rsa-pkcs8", "p256-short-x",
                                    "p256-short-y"};

START_TEST(a_signed_jwt_has_header_and_claims_and_verifies)
{
    struct mcph_keypair *key = keys_read(names[_i]);
    struct mcph_span made;
    char header[100];

    sign(key);
    made = mcph_span(jwt.data, jwt.len);
    snprintf(header, sizeof(header), "{\"alg\":\"%s\",\"typ\":\"JWT\",\"kid\":\"k\"}",
             mcph_keypair_algorithm(key));
    ck_assert_str_eq(keys_part(made, 0), header);
    ck_assert_str_eq(keys_part(made, 1), "{\"a\":1}");
    ck_assert_ptr_null(memchr(made.p, '=', made.len));
    ck_assert(keys_verify(names[_i], made));
    jwt.data[0] ^= 1;
    ck_assert(!keys_verify(names[_i], made));
    mcph_keypair_free(key);
}
END_TEST

/* The arithmetic of tests/unit/verify_jws.py shares no code with libcrypto. */
START_TEST(another_implementation_verifies_the_signatures)
{
    char command[4200];
    FILE *other;
    int status;

    if (system("python3 -c 'pow(3, -1, 7)' 2>/dev/null") != 0) {
        printf("not run: there is no python3 of 3.8 or later\n");
        return;
    }
    snprintf(command, sizeof(command), "python3 '%s/tests/unit/verify_jws.py'",
             test_srcdir());
    other = popen(command, "we");
    ck_assert_ptr_nonnull(other);
    for (int i = 0; i < 20; i++) {
        struct mcph_keypair *key = NULL;

        if (i < (int)MCPH_ARRAY_SIZE(names))
            key = keys_read(names[i]);
        else
            ck_assert_int_eq(mcph_keypair_new(&key, NULL), 0);
        sign(key);
        fprintf(other, "%s\t%.*s\n", mcph_keypair_jwk(key), (int)jwt.len, jwt.data);
        mcph_keypair_free(key);
    }
    status = pclose(other);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* Each of the two numbers begins with a zero byte in about one signature of 256.  The
 * test signs until it has seen both cases. */
START_TEST(each_number_of_a_signature_has_its_full_width)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8");
    unsigned char signature[MCPH_SIGNATURE_MAX];
    bool seen[2] = {false, false};
    size_t len;

    for (int i = 0; i < 20000 && !(seen[0] && seen[1]); i++) {
        mcph_buf_clear(&jwt);
        ck_assert_int_eq(mcph_keypair_sign(key, "x.y", 3, signature, &len, NULL), 0);
        ck_assert_uint_eq(len, 64);
        if (signature[0] && signature[32])
            continue;
        seen[0] |= !signature[0];
        seen[1] |= !signature[32];
        mcph_buf_adds(&jwt, "x.y.");
        mcph_base64url_add(&jwt, signature, len);
        ck_assert(keys_verify("p256-pkcs8", mcph_span(jwt.data, jwt.len)));
    }
    ck_assert(seen[0] && seen[1]);
    mcph_keypair_free(key);
}
END_TEST

START_TEST(a_jwt_that_does_not_fit_changes_nothing)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8");
    mcphost_error *error = NULL;
    struct mcph_buf small;

    mcph_buf_init(&small, 100);
    mcph_buf_adds(&small, "x=");
    ck_assert_int_eq(
        mcph_jwt_sign(key, MCPH_SPAN_NONE, mcph_span_str("{}"), &small, &error),
        MCPHOST_E_LIMIT);
    ck_assert_uint_eq(small.len, 2);
    ck_assert_str_eq(mcphost_error_get_message(error),
                     "cannot sign a JWT: it is too long");
    mcphost_error_unref(error);
    mcph_buf_done(&small);
    mcph_keypair_free(key);
}
END_TEST

/* ---- one key in several threads and processes ------------------------------------ */

static void *
sign_often(void *key)
{
    struct mcph_buf own;
    long bad = 0;

    mcph_buf_init(&own, (size_t)1 << 20);
    for (int i = 0; i < 50; i++) {
        mcph_buf_clear(&own);
        bad += mcph_jwt_sign(key, MCPH_SPAN_NONE, mcph_span_str("{}"), &own, NULL) != 0;
    }
    if (!bad)
        return mcph_buf_steal(&own, NULL);
    mcph_buf_done(&own);
    return NULL;
}

START_TEST(many_threads_sign_with_one_key)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8");
    pthread_t threads[8];
    void *made;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sign_often, key), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(threads); i++) {
        ck_assert_int_eq(pthread_join(threads[i], &made), 0);
        ck_assert_ptr_nonnull(made);
        ck_assert(keys_verify("p256-pkcs8", mcph_span_str(made)));
        free(made);
    }
    mcph_keypair_free(key);
}
END_TEST

/* Two signatures of different texts with the same random number would reveal the private
 * key. */
START_TEST(parent_and_child_do_not_sign_with_the_same_random_number)
{
    struct mcph_keypair *key = keys_read("p256-pkcs8");
    unsigned char ours[MCPH_SIGNATURE_MAX], theirs[MCPH_SIGNATURE_MAX];
    int fds[2], status;
    size_t len;
    pid_t pid;

    ck_assert_int_eq(mcph_keypair_sign(key, "x", 1, ours, &len, NULL), 0);
    ck_assert_int_eq(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        bool good = mcph_keypair_sign(key, "x", 1, theirs, &len, NULL) == 0;

        mcph_keypair_free(key); /* valgrind looks for leaks in the child, too */
        _exit(good && write(fds[1], theirs, 64) == 64 ? 0 : 1);
    }
    ck_assert_int_eq(mcph_keypair_sign(key, "x", 1, ours, &len, NULL), 0);
    ck_assert_int_eq(read(fds[0], theirs, sizeof(theirs)), 64);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_ne(memcmp(ours, theirs, 32), 0);
    mcph_keypair_free(key);
}
END_TEST

/* ---- reading --------------------------------------------------------------------- */

/* Makes a JWT of a header, claims and a signature.  `signature` is base64url. */
static struct mcph_span
make(const char *header, const char *claims, const char *signature)
{
    mcph_buf_clear(&jwt);
    mcph_base64url_add(&jwt, header, strlen(header));
    mcph_buf_addc(&jwt, '.');
    mcph_base64url_add(&jwt, claims, strlen(claims));
    mcph_buf_addc(&jwt, '.');
    ck_assert_int_eq(mcph_buf_adds(&jwt, signature), 0);
    return mcph_span(jwt.data, jwt.len);
}

/* Reads a JWT that must be refused.  The error's message must contain `says`. */
static void
refuse(struct mcph_span token, int code, const char *says)
{
    mcphost_error *error = NULL;
    struct mcph_jwt read;

    ck_assert_int_eq(mcph_jwt_read(token, "the ID token", &read, &error), code);
    ck_assert_ptr_eq(strstr(mcphost_error_get_message(error), "the ID token: "),
                     mcphost_error_get_message(error));
    test_has(mcphost_error_get_message(error), says);
    mcphost_error_unref(error);
    mcph_jwt_done(&read);
}

START_TEST(the_claims_of_a_jwt_are_read)
{
    struct mcph_span token =
        make("{\"alg\":\"RS256\"}",
             "{\"iss\":\"https://id\",\"aud\":\"me\",\"exp\":1.5e9,\"more\":{\"iss\":1}}",
             "AA");
    struct mcph_jwt read;
    double expires;

    ck_assert_int_eq(mcph_jwt_read(token, "t", &read, NULL), 0);
    ck_assert(mcph_json_string_is(read.issuer, "https://id", 10));
    ck_assert_int_eq(mcph_json_double(read.expires, &expires), 0);
    ck_assert_double_eq(expires, 1.5e9);
    ck_assert(mcph_span_is(read.audience, "\"me\""));
    ck_assert(mcph_span_is(
        mcph_json_get(mcph_span(read.text.data, read.text.len), "more"), "{\"iss\":1}"));
    mcph_jwt_done(&read);
    ck_assert_ptr_null(read.issuer.p);
    ck_assert_ptr_null(read.text.data);
}
END_TEST

static const struct {
    const char *token, *says;
} malformed[] = {
    {"", "a JWT has three parts"},
    {"e30", "a JWT has three parts"},
    {"e30.e30", "a JWT has three parts"},
    {"e30.e30.AA.AA", "a JWT has three parts"},
    {"e30.e30.AA.AA.AA", "a JWT has three parts"},
    {"e30.e30.", "the JWT has no signature in base64url"},
    {"e30.e30.A A", "the JWT has no signature in base64url"},
    {"e30.e30.AA==", "the JWT has no signature in base64url"},
    {"e30.e30.\xc3\xa4", "the JWT has no signature in base64url"},
    {".e30.AA", "a part of the JWT is not base64url"},
    {"e30..AA", "a part of the JWT is not base64url"},
    {"e30=.e30.AA", "a part of the JWT is not base64url"},
    {"e30.e 30.AA", "a part of the JWT is not base64url"},
    {"e30.e30\n.AA", "a part of the JWT is not base64url"},
    {"e30.e3+.AA", "a part of the JWT is not base64url"},
    {"e30.e30AA.AA", "a part of the JWT is not base64url"},
    {"W10.e30.AA", "expected object, found array"},
    {"e30.W10.AA", "expected object, found array"},
    {"e30.e30t.AA", "not valid JSON at line 1, column 3"},
    {"e30t.e30.AA", "not valid JSON at line 1, column 3"},
    {"e30.AAAA.AA", "not valid JSON"},
};

/* RFC 7515, section 5.2 */
START_TEST(a_malformed_jwt_is_refused)
{
    refuse(mcph_span_str(malformed[_i].token), MCPHOST_E_INVALID, malformed[_i].says);
}
END_TEST

/* RFC 7519, section 4 */
START_TEST(a_claim_that_occurs_twice_is_refused)
{
    refuse(make("{}", "{\"aud\":\"a\",\"aud\":\"b\"}", "AA"), MCPHOST_E_INVALID,
           "a claim of the JWT occurs twice");
    refuse(make("{}", "{\"exp\":1,\"e\\u0078p\":2}", "AA"), MCPHOST_E_INVALID,
           "a claim of the JWT occurs twice");
}
END_TEST

START_TEST(a_jwt_that_is_too_long_or_too_deep_is_refused)
{
    static char text[MCPH_JWT_MAX + 2];
    char deep[2 * MCPH_JWT_DEPTH + 10] = "{\"a\":";
    struct mcph_jwt read;

    memset(text, 'A', sizeof(text));
    memcpy(text, "e30.e30.", 8);
    ck_assert_int_eq(mcph_jwt_read(mcph_span(text, MCPH_JWT_MAX), "t", &read, NULL), 0);
    mcph_jwt_done(&read);
    refuse(mcph_span(text, MCPH_JWT_MAX + 1), MCPHOST_E_LIMIT, "more than 65536 bytes");
    memset(deep + 5, '[', MCPH_JWT_DEPTH);
    memset(deep + 5 + MCPH_JWT_DEPTH, ']', MCPH_JWT_DEPTH);
    deep[5 + 2 * MCPH_JWT_DEPTH] = '}';
    refuse(make("{}", deep, "AA"), MCPHOST_E_LIMIT, "not valid JSON");
}
END_TEST

START_TEST(a_message_does_not_contain_the_claims)
{
    mcphost_error *error = NULL;
    struct mcph_jwt read;

    ck_assert_int_eq(
        mcph_jwt_read(make("{}", "{\"sub\":hunter2}", "AA"), "t", &read, &error),
        MCPHOST_E_INVALID);
    test_has_not(mcphost_error_get_message(error), "hunter");
    mcphost_error_unref(error);
    mcph_jwt_done(&read);
}
END_TEST

static const struct {
    const char *claims;
    bool has;
} audiences[] = {
    {"{\"aud\":\"https://a/\"}", true},
    {"{\"aud\":\"https:\\/\\/a\\u002f\"}", true},
    {"{\"aud\":[\"b\",\"https://a/\"]}", true},
    {"{\"aud\":[\"https://a/\"]}", true},
    {"{\"aud\":\"https://a\"}", false},
    {"{\"aud\":\"https://a/b\"}", false},
    {"{\"aud\":[]}", false},
    {"{\"aud\":[\"b\",[\"https://a/\"]]}", false},
    {"{\"aud\":{\"https://a/\":\"https://a/\"}}", false},
    {"{\"aud\":null}", false},
    {"{}", false},
    {"{\"x\":{\"aud\":\"https://a/\"}}", false},
};

/* RFC 7519, section 4.1.3 */
START_TEST(the_audience_is_a_string_or_a_list_and_is_compared_exactly)
{
    struct mcph_jwt read;

    ck_assert_int_eq(
        mcph_jwt_read(make("{}", audiences[_i].claims, "AA"), "t", &read, NULL), 0);
    ck_assert_int_eq(mcph_jwt_has_audience(&read, "https://a/"), audiences[_i].has);
    mcph_jwt_done(&read);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "signing");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_rsa_example_of_rfc_7515_is_reproduced);
    tcase_add_loop_test(tc, a_signed_jwt_has_header_and_claims_and_verifies, 0,
                        (int)MCPH_ARRAY_SIZE(names));
    tcase_add_test(tc, another_implementation_verifies_the_signatures);
    tcase_add_test(tc, each_number_of_a_signature_has_its_full_width);
    tcase_add_test(tc, a_jwt_that_does_not_fit_changes_nothing);
    tcase_add_test(tc, many_threads_sign_with_one_key);
    tcase_add_test(tc, parent_and_child_do_not_sign_with_the_same_random_number);
    tc = test_case(suite, "reading");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_claims_of_a_jwt_are_read);
    tcase_add_loop_test(tc, a_malformed_jwt_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(malformed));
    tcase_add_test(tc, a_claim_that_occurs_twice_is_refused);
    tcase_add_test(tc, a_jwt_that_is_too_long_or_too_deep_is_refused);
    tcase_add_test(tc, a_message_does_not_contain_the_claims);
    tcase_add_loop_test(tc, the_audience_is_a_string_or_a_list_and_is_compared_exactly, 0,
                        (int)MCPH_ARRAY_SIZE(audiences));
}

int
main(void)
{
    return test_main("auth-jwt", add);
}
