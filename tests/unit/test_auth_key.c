/* SPDX-License-Identifier: MIT
 *
 * test_auth_key.c - reading, making, writing and describing private keys.
 */
#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/keys.h"
#include "support/runner.h"

#define P256_JWK                                             \
    "{\"crv\":\"P-256\",\"kty\":\"EC\","                     \
    "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\"," \
    "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}"
#define P256_PRINT "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U"
#define RSA_JWK                                                                        \
    "{\"e\":\"AQAB\",\"kty\":\"RSA\",\"n\":\"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQ" \
    "oTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMs"     \
    "D1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsL"    \
    "A9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7"    \
    "aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ\"}"
#define RSA_PRINT "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8"

static const struct {
    const char *name, *algorithm, *jwk, *thumbprint;
} readable[] = {
    {"p256-pkcs8", "ES256", P256_JWK, P256_PRINT},
    {"p256-sec1", "ES256", P256_JWK, P256_PRINT},
    {"rsa-pkcs1", "RS256", RSA_JWK, RSA_PRINT},
    {"rsa-pkcs8", "RS256", RSA_JWK, RSA_PRINT},
    {"p256-parameters", "ES256", NULL, NULL},
    {"certificate-and-key", "ES256", NULL, NULL},
    {"p256-short-x", "ES256", NULL, "XF_clIjE1BypRfM-cCWgqF9M2KCeEiZkgbpmge1x1ZQ"},
    {"p256-short-y", "ES256", NULL, "00DWtAPfPk5BS556HroYufpbIQJYcPAL6t1L1BPaOK8"},
};

/* RFC 7517, RFC 7518, RFC 7638 */
START_TEST(a_private_key_in_pem_is_read_and_described)
{
    struct mcph_keypair *key = keys_read(readable[_i].name);

    ck_assert_str_eq(mcph_keypair_algorithm(key), readable[_i].algorithm);
    if (readable[_i].jwk)
        ck_assert_str_eq(mcph_keypair_jwk(key), readable[_i].jwk);
    if (readable[_i].thumbprint)
        ck_assert_str_eq(mcph_keypair_thumbprint(key), readable[_i].thumbprint);
    ck_assert_ptr_null(mcph_keypair_free(key));
}
END_TEST

static const struct {
    const char *name, *says;
} refused[] = {
    {"nothing", "there is no private key in PEM"},
    {"cut", "there is no private key in PEM"},
    {"der", "there is no private key in PEM"},
    {"public", "there is no private key in PEM"},
    {"p256-encrypted", "the private key is encrypted; store it without a password"},
    {"p256-encrypted-sec1", "the private key is encrypted; store it without a password"},
    {"rsa-encrypted-pkcs1", "the private key is encrypted; store it without a password"},
    {"p384", "the private key has the curve secp384r1; it must have P-256"},
    {"rsa-1024", "the RSA key has 1024 bits; it must have from 2048 to 8192"},
    {"ed25519", "the private key is of the kind ED25519; it must be EC (P-256) or RSA"},
    {"rsa-pss", "the private key is of the kind RSA-PSS; it must be EC (P-256) or RSA"},
    {"p256-mismatch", "the private key and its public key do not belong together"},
};

START_TEST(a_text_without_a_usable_key_is_refused_with_the_reason)
{
    struct mcph_span text = keys_text(refused[_i].name);
    struct mcph_keypair *key = (struct mcph_keypair *)&text;
    mcphost_error *error = NULL;

    ck_assert_int_eq(mcph_keypair_read(text.p, text.len, "client_key", &key, &error),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_eq(key, (struct mcph_keypair *)&text);
    test_has(mcphost_error_get_message(error), refused[_i].says);
    ck_assert_ptr_eq(strstr(mcphost_error_get_message(error), "client_key: "),
                     mcphost_error_get_message(error));
    ck_assert_uint_eq(ERR_peek_error(), 0);
    mcphost_error_unref(error);
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused)
{
    char *text = malloc(MCPH_KEYPAIR_PEM_MAX + 1);
    struct mcph_span pem = keys_text("p256-pkcs8");
    struct mcph_keypair *key = NULL;
    mcphost_error *error = NULL;

    memset(text, '\n', MCPH_KEYPAIR_PEM_MAX + 1);
    memcpy(text, pem.p, pem.len);
    ck_assert_int_eq(
        mcph_keypair_read(text, MCPH_KEYPAIR_PEM_MAX + 1, "key", &key, &error),
        MCPHOST_E_LIMIT);
    ck_assert_str_eq(mcphost_error_get_message(error), "key: more than 65536 bytes");
    mcphost_error_unref(error);
    ck_assert_int_eq(mcph_keypair_read(text, MCPH_KEYPAIR_PEM_MAX, "key", &key, NULL), 0);
    mcph_keypair_free(key);
    free(text);
}
END_TEST

START_TEST(an_encrypted_key_asks_no_terminal_for_a_password)
{
    struct mcph_span text = keys_text("p256-encrypted");
    int in[2], out[2], status;
    char said[100];
    pid_t pid;

    ck_assert_int_eq(pipe(in) | pipe(out), 0);
    pid = fork();
    if (pid == 0) {
        struct mcph_keypair *key = NULL;

        /* Without a terminal, libcrypto would read the password from standard input. */
        setsid();
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        _exit(mcph_keypair_read(text.p, text.len, "key", &key, NULL) == MCPHOST_E_INVALID
                  ? 0
                  : 1);
    }
    close(out[1]);
    ck_assert_int_eq(write(in[1], "xyzzy\n", 6), 6);
    ck_assert_int_eq(read(out[0], said, sizeof(said)), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_new_key_is_written_as_pkcs8_and_read_again)
{
    struct mcph_keypair *key = NULL, *again = NULL;
    struct mcph_buf pem;

    ck_assert_int_eq(mcph_keypair_new(&key, NULL), 0);
    mcph_buf_init(&pem, MCPH_KEYPAIR_PEM_MAX);
    ck_assert_int_eq(mcph_keypair_write(key, &pem, NULL), 0);
    ck_assert_int_eq(memcmp(pem.data, "-----BEGIN PRIVATE KEY-----\n", 28), 0);
    ck_assert_int_eq(mcph_keypair_read(pem.data, pem.len, "key", &again, NULL), 0);
    ck_assert_str_eq(mcph_keypair_jwk(key), mcph_keypair_jwk(again));
    mcph_buf_wipe(&pem);
    mcph_keypair_free(again);
    ck_assert_int_eq(mcph_keypair_new(&again, NULL), 0);
    ck_assert_str_ne(mcph_keypair_thumbprint(key), mcph_keypair_thumbprint(again));
    mcph_keypair_free(again);
    mcph_keypair_free(key);
}
END_TEST

START_TEST(a_key_is_written_as_it_was_read)
{
    struct mcph_keypair *key = keys_read(_i ? "rsa-pkcs1" : "p256-sec1");
    struct mcph_span pkcs8 = keys_text(_i ? "rsa-pkcs8" : "p256-pkcs8");
    mcphost_error *error = NULL;
    struct mcph_buf pem;

    mcph_buf_init(&pem, MCPH_KEYPAIR_PEM_MAX);
    ck_assert_int_eq(mcph_keypair_write(key, &pem, NULL), 0);
    ck_assert(mcph_span_eq(mcph_span(pem.data, pem.len), pkcs8));
    mcph_buf_wipe(&pem);
    mcph_buf_init(&pem, 10);
    ck_assert_int_eq(mcph_keypair_write(key, &pem, &error), MCPHOST_E_LIMIT);
    ck_assert_uint_eq(pem.len, 0);
    ck_assert_str_eq(mcphost_error_get_message(error),
                     "cannot write the private key: it is too long");
    mcphost_error_unref(error);
    mcph_buf_wipe(&pem);
    mcph_keypair_free(key);
}
END_TEST

/* The library leaves the application's errors in libcrypto's queue, and adds no errors to
 * the queue. */
START_TEST(the_error_queue_of_libcrypto_stays_as_it_is)
{
    static const char *const names[] = {"p256-pkcs8", "p256-encrypted", "p384", "nothing",
                                        "p256-mismatch"};

    ERR_raise(ERR_LIB_USER, 77);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        struct mcph_span text = keys_text(names[i]);
        struct mcph_keypair *key = NULL;

        (void)mcph_keypair_read(text.p, text.len, "key", &key, NULL);
        ck_assert_int_eq(ERR_GET_REASON(ERR_peek_last_error()), 77);
        mcph_keypair_free(key);
    }
    ck_assert_int_eq(ERR_GET_REASON(ERR_get_error()), 77);
    ck_assert_uint_eq(ERR_get_error(), 0);
}
END_TEST

START_TEST(freeing_a_null_key_has_no_effect)
{
    ck_assert_ptr_null(mcph_keypair_free(NULL));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "keys");

    tcase_add_loop_test(tc, a_private_key_in_pem_is_read_and_described, 0,
                        (int)MCPH_ARRAY_SIZE(readable));
    tcase_add_loop_test(tc, a_text_without_a_usable_key_is_refused_with_the_reason, 0,
                        (int)MCPH_ARRAY_SIZE(refused));
    tcase_add_test(tc, a_text_that_is_too_long_is_refused);
    tcase_add_test(tc, an_encrypted_key_asks_no_terminal_for_a_password);
    tcase_add_test(tc, a_new_key_is_written_as_pkcs8_and_read_again);
    tcase_add_loop_test(tc, a_key_is_written_as_it_was_read, 0, 2);
    tcase_add_test(tc, the_error_queue_of_libcrypto_stays_as_it_is);
    tcase_add_test(tc, freeing_a_null_key_has_no_effect);
}

int
main(void)
{
    return test_main("auth-key", add);
}
