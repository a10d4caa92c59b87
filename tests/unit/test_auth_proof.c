/* SPDX-License-Identifier: MIT
 *
 * test_auth_proof.c - client assertions, DPoP proofs, PKCE and the comparison of secrets.
 */
#include <stdio.h>

#include "support/keys.h"
#include "support/runner.h"

static struct mcph_keypair *key;
static struct mcph_buf jwt;

static void
up(void)
{
    key = keys_read("p256-pkcs8");
    mcph_buf_init(&jwt, (size_t)1 << 20);
}

static void
down(void)
{
    mcph_buf_wipe(&jwt);
    key = mcph_keypair_free(key);
}

/* Verifies the JWT in the buffer and returns its claims.  Checks the length of the id,
 * and replaces the id by asterisks. */
static const char *
claims(void)
{
    static char text[4096];
    struct mcph_span made = mcph_span(jwt.data, jwt.len), id;

    ck_assert(keys_verify("p256-pkcs8", made));
    snprintf(text, sizeof(text), "%s", keys_part(made, 1));
    id = mcph_json_get(mcph_span_str(text), "jti");
    ck_assert_uint_eq(id.len, MCPH_TOKEN_SIZE + 1);
    memset((char *)id.p + 1, '*', id.len - 2);
    return text;
}

#define ID "{\"jti\":\"*******************************************\","

/* ---- assertions ------------------------------------------------------------------ */

static void
assert_client(const char *kid)
{
    struct mcph_assertion a = {"me \"x\"", "https://id/t1", kid, 1700000000};

    mcph_buf_clear(&jwt);
    ck_assert_int_eq(mcph_assertion_make(key, &a, &jwt, NULL), 0);
}

/* RFC 7523, section 3 */
START_TEST(an_assertion_names_the_client_and_expires_within_five_minutes)
{
    assert_client(NULL);
    ck_assert_str_eq(keys_part(mcph_span(jwt.data, jwt.len), 0),
                     "{\"alg\":\"ES256\",\"typ\":\"JWT\"}");
    ck_assert_str_eq(claims(), ID
                     "\"iss\":\"me \\\"x\\\"\",\"sub\":\"me \\\"x\\\"\","
                     "\"aud\":\"https://id/t1\",\"iat\":1700000000,\"exp\":1700000240}");
    ck_assert_int_le(MCPH_ASSERTION_S, 300);
}
END_TEST

START_TEST(an_assertion_names_the_key_if_it_has_an_id)
{
    assert_client("key-1");
    ck_assert_str_eq(keys_part(mcph_span(jwt.data, jwt.len), 0),
                     "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"key-1\"}");
}
END_TEST

/* ---- proofs ---------------------------------------------------------------------- */

static int
prove(const char *url, const char *token, const char *nonce, mcphost_error **reterr)
{
    struct mcph_dpop d = {"POST", url, token, nonce, 1700000000};

    mcph_buf_clear(&jwt);
    return mcph_dpop_make(key, &d, &jwt, reterr);
}

/* RFC 9449, section 4.2 */
START_TEST(a_proof_has_the_public_key_and_the_request)
{
    char header[400];

    ck_assert_int_eq(prove("https://a/mcp", NULL, NULL, NULL), 0);
    snprintf(header, sizeof(header),
             "{\"alg\":\"ES256\",\"typ\":\"dpop+jwt\",\"jwk\":%s}",
             mcph_keypair_jwk(key));
    ck_assert_str_eq(keys_part(mcph_span(jwt.data, jwt.len), 0), header);
    ck_assert_str_eq(claims(), ID "\"htu\":\"https://a/mcp\",\"htm\":\"POST\","
                                  "\"iat\":1700000000}");
}
END_TEST

/* The token and the hash of the token are from RFC 9449, section 7.1. */
START_TEST(a_proof_has_the_hash_of_the_token_and_the_nonce_of_the_server)
{
    ck_assert_int_eq(prove("https://a/mcp", "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
                           "n\"1", NULL),
                     0);
    ck_assert_str_eq(claims(),
                     ID "\"htu\":\"https://a/mcp\",\"htm\":\"POST\","
                        "\"iat\":1700000000,"
                        "\"ath\":\"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo\","
                        "\"nonce\":\"n\\\"1\"}");
}
END_TEST

static const struct {
    const char *url, *target;
} targets[] = {
    {"https://a.example/mcp?key=x#y", "https://a.example/mcp"},
    {"https://a.example/mcp#y?z", "https://a.example/mcp"},
    {"https://a.example", "https://a.example/"},
    {"https://a.example?key=/x", "https://a.example/"},
    {"https://a.example#/x", "https://a.example/"},
    {"https://u:p%40@a.example:8443/mcp/", "https://a.example:8443/mcp/"},
    {"http://127.0.0.1:81/%7Ea/%2f//b@c:1", "http://127.0.0.1:81/%7Ea/%2f//b@c:1"},
    {"http://[::1]:81/x", "http://[::1]:81/x"},
};

/* RFC 9449, section 4.2: "without query and fragment parts" */
START_TEST(the_target_of_a_proof_has_neither_userinfo_nor_query_nor_fragment)
{
    char want[200];

    ck_assert_int_eq(prove(targets[_i].url, NULL, NULL, NULL), 0);
    snprintf(want, sizeof(want), "\"htu\":\"%s\",", targets[_i].target);
    test_has(claims(), want);
}
END_TEST

START_TEST(a_text_that_is_no_url_gets_no_proof)
{
    static const char *const urls[] = {"", "a secret?", "https://", "https://a b/"};
    mcphost_error *error = NULL;

    ck_assert_int_eq(prove(urls[_i], NULL, NULL, &error), MCPHOST_E_INVALID);
    ck_assert_str_eq(mcphost_error_get_message(error),
                     "cannot make a DPoP proof: the request's URL cannot be parsed");
    ck_assert_uint_eq(jwt.len, 0);
    mcphost_error_unref(error);
}
END_TEST

START_TEST(no_two_tokens_have_the_same_id)
{
    char ids[4][MCPH_TOKEN_SIZE + 2];

    for (int i = 0; i < 4; i++) {
        struct mcph_span id;

        if (i % 2)
            assert_client(NULL);
        else
            ck_assert_int_eq(prove("https://a/", NULL, NULL, NULL), 0);
        id = mcph_json_get(mcph_span_str(keys_part(mcph_span(jwt.data, jwt.len), 1)),
                           "jti");
        snprintf(ids[i], sizeof(ids[i]), "%.*s", (int)id.len, id.p);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(ids[i], ids[j]);
    }
}
END_TEST

/* ---- secrets --------------------------------------------------------------------- */

/* RFC 7636, appendix B */
START_TEST(a_digest_is_written_in_base64url)
{
    static const char verifier[] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    char digest[MCPH_TOKEN_SIZE];

    ck_assert_int_eq(mcph_digest_make(verifier, strlen(verifier), digest, NULL), 0);
    ck_assert_str_eq(digest, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}
END_TEST

/* RFC 7636, section 4 */
START_TEST(a_verifier_is_random_and_the_challenge_is_its_digest)
{
    struct mcph_pkce a, b;
    char digest[MCPH_TOKEN_SIZE];

    ck_assert_int_eq(mcph_pkce_make(&a, NULL), 0);
    ck_assert_int_eq(mcph_pkce_make(&b, NULL), 0);
    ck_assert_uint_eq(strspn(a.verifier, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
                                         "vwxyz0123456789-_"),
                      43);
    ck_assert_uint_eq(strlen(a.verifier), 43);
    ck_assert_str_ne(a.verifier, b.verifier);
    ck_assert_int_eq(mcph_digest_make(a.verifier, 43, digest, NULL), 0);
    ck_assert_str_eq(a.challenge, digest);
}
END_TEST

/* Compares the tokens place by place.  In each place, more than 100 tokens must differ
 * from the first token. */
START_TEST(each_character_of_a_token_varies)
{
    char tokens[200][MCPH_TOKEN_SIZE];

    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(mcph_token_make(tokens[i], NULL), 0);
        ck_assert_uint_eq(strlen(tokens[i]), 43);
    }
    for (int place = 0; place < 43; place++) {
        int different = 0;

        for (int i = 1; i < 200; i++)
            different += tokens[i][place] != tokens[0][place];
        ck_assert_int_gt(different, 100);
    }
}
END_TEST

START_TEST(secrets_are_equal_only_if_all_bytes_are)
{
    static const char a[] = "secret", b[] = "secreT", c[] = "Secret";

    ck_assert(mcph_equal_secret(mcph_span(a, 6), mcph_span_str("secret")));
    ck_assert(!mcph_equal_secret(mcph_span(a, 6), mcph_span(b, 6)));
    ck_assert(!mcph_equal_secret(mcph_span(a, 6), mcph_span(c, 6)));
    ck_assert(!mcph_equal_secret(mcph_span(a, 6), mcph_span(a, 5)));
    ck_assert(!mcph_equal_secret(mcph_span(a, 5), mcph_span(a, 6)));
    ck_assert(mcph_equal_secret(mcph_span(a, 0), mcph_span(b, 0)));
    ck_assert(!mcph_equal_secret(mcph_span(a, 0), MCPH_SPAN_NONE));
    ck_assert(!mcph_equal_secret(MCPH_SPAN_NONE, MCPH_SPAN_NONE));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "proofs");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_assertion_names_the_client_and_expires_within_five_minutes);
    tcase_add_test(tc, an_assertion_names_the_key_if_it_has_an_id);
    tcase_add_test(tc, a_proof_has_the_public_key_and_the_request);
    tcase_add_test(tc, a_proof_has_the_hash_of_the_token_and_the_nonce_of_the_server);
    tcase_add_loop_test(tc,
                        the_target_of_a_proof_has_neither_userinfo_nor_query_nor_fragment,
                        0, (int)MCPH_ARRAY_SIZE(targets));
    tcase_add_loop_test(tc, a_text_that_is_no_url_gets_no_proof, 0, 4);
    tcase_add_test(tc, no_two_tokens_have_the_same_id);
    tc = test_case(suite, "secrets");
    tcase_add_test(tc, a_digest_is_written_in_base64url);
    tcase_add_test(tc, a_verifier_is_random_and_the_challenge_is_its_digest);
    tcase_add_test(tc, each_character_of_a_token_varies);
    tcase_add_test(tc, secrets_are_equal_only_if_all_bytes_are);
}

int
main(void)
{
    return test_main("auth-proof", add);
}
