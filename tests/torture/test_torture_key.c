/* SPDX-License-Identifier: MIT
 *
 * test_torture_key.c - keys, signatures, tokens and proofs while memory runs out.
 *
 * The allocations of libcrypto and libcurl fail, too.
 */
#include <openssl/crypto.h>

#include "support/keys.h"
#include "torture/torture.h"

static struct mcph_keypair *key;
static int (*running)(void);

/* MCPHOST_E_INVALID and MCPHOST_E_STATE occur because libcrypto may hide a lack of
 * memory, and the parser of libcurl always hides a lack of memory. */
static const int codes[] = {MCPHOST_E_NOMEM, MCPHOST_E_INVALID, MCPHOST_E_STATE, 0};

/* ---- keys ------------------------------------------------------------------------ */

static char pem_text[MCPH_KEYPAIR_PEM_MAX];
static size_t pem_len;

static int
read_and_write(void)
{
    struct mcph_keypair *made = NULL;
    mcphost_error *error = NULL;
    struct mcph_buf pem;
    int r = mcph_keypair_read(pem_text, pem_len, "key", &made, &error);

    torture_must((r == 0) == (made != NULL));
    if (torture_told(r, error)) {
        error = NULL;
        mcph_buf_init(&pem, MCPH_KEYPAIR_PEM_MAX);
        r = mcph_keypair_write(made, &pem, &error);
        torture_must(r == 0 || pem.len == 0);
        (void)torture_told(r, error);
        mcph_buf_wipe(&pem);
    }
    mcph_keypair_free(made);
    return torture_code();
}

static int
make_new(void)
{
    struct mcph_keypair *made = NULL;
    mcphost_error *error = NULL;
    int r = mcph_keypair_new(&made, &error);

    torture_must((r == 0) == (made != NULL));
    (void)torture_told(r, error);
    mcph_keypair_free(made);
    return torture_code();
}

/* ---- tokens ---------------------------------------------------------------------- */

static bool
tell(int r, mcphost_error *error, struct mcph_buf *jwt)
{
    torture_must(r == 0 ? jwt->len > 100 : jwt->len == 0);
    mcph_buf_wipe(jwt);
    mcph_buf_init(jwt, MCPH_JWT_MAX);
    return torture_told(r, error);
}

static int
make_proofs(void)
{
    const struct mcph_assertion a = {"client", "https://id/", "k", 1700000000};
    const struct mcph_dpop d = {"POST", "https://u@a/x?y", "token", "nonce", 1700000000};
    mcphost_error *error = NULL;
    struct mcph_buf jwt;
    int r;

    mcph_buf_init(&jwt, MCPH_JWT_MAX);
    r = mcph_assertion_make(key, &a, &jwt, &error);
    (void)tell(r, error, &jwt);
    error = NULL;
    r = mcph_dpop_make(key, &d, &jwt, &error);
    (void)tell(r, error, &jwt);
    return torture_code();
}

static int
read_token(void)
{
    static const char token[] = "e30.eyJpc3MiOiJpIiwiYXVkIjpbImEiXX0.AA";
    mcphost_error *error = NULL;
    struct mcph_jwt jwt;
    int r = mcph_jwt_read(mcph_span_str(token), "token", &jwt, &error);

    if (torture_told(r, error))
        torture_must(mcph_jwt_has_audience(&jwt, "a"));
    mcph_jwt_done(&jwt);
    return torture_code();
}

static int
make_secrets(void)
{
    struct mcph_pkce pkce = {.verifier = "untouched"};
    mcphost_error *error = NULL;
    int r = mcph_pkce_make(&pkce, &error);

    torture_must(r == 0 || strcmp(pkce.verifier, "untouched") == 0);
    (void)torture_told(r, error);
    return torture_code();
}

/* Runs the scenario of the row.  Then frees the thread's state of libcrypto, because the
 * error queue in this state keeps the memory of the error texts. */
static int
run_row(void)
{
    int r = running();

    OPENSSL_thread_stop();
    return r;
}

/* ---- the tests ------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(void);
    long least;
    const int *codes;
} rows[] = {
    {"p256-sec1", read_and_write, 100, codes}, {"rsa-pkcs8", read_and_write, 100, codes},
    {"p256-pkcs8", make_new, 50, codes},       {"p256-pkcs8", make_proofs, 40, codes},
    {"rsa-pkcs1", make_proofs, 40, codes},     {"p256-pkcs8", read_token, 2, NULL},
    {"p256-pkcs8", make_secrets, 2, NULL},
};

static void
down(void)
{
    key = mcph_keypair_free(key);
}

START_TEST(if_allocations_fail_key_and_token_functions_succeed_or_report_an_error)
{
    int row = _i / 2;
    struct mcph_span pem = keys_text(rows[row].name);

    memcpy(pem_text, pem.p, pem.len);
    pem_len = pem.len;
    key = keys_read(rows[row].name);
    running = rows[row].run;
    torture_run(&(struct torture){.run = run_row,
                                  .least = rows[row].least,
                                  .step = _i % 2 ? 7 : 1,
                                  .codes = rows[row].codes},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "keys");

    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(
        tc, if_allocations_fail_key_and_token_functions_succeed_or_report_an_error, 0,
        2 * (int)MCPH_ARRAY_SIZE(rows));
}

int
main(void)
{
    return torture_main("torture-key", add);
}
