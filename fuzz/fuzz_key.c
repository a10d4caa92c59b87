/* SPDX-License-Identifier: MIT
 *
 * fuzz_key.c - reads private keys.
 *
 * A key that is accepted must sign.  Writing the key as PEM and reading the PEM must give
 * a key with the same public key.  Nothing may stay in the error queue of libcrypto.
 */
#include <openssl/err.h>
#include <stdlib.h>

#include "auth/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_key(const struct mcph_keypair *key)
{
    unsigned char signature[MCPH_SIGNATURE_MAX];
    struct mcph_keypair *again = NULL;
    struct mcph_buf pem;
    size_t len;

    must(mcph_keypair_sign(key, "x", 1, signature, &len, NULL) == 0);
    must(mcph_keypair_algorithm(key)[0] == 'E' ? len == 64 : len >= 256 && len <= 1024);
    mcph_buf_init(&pem, MCPH_KEYPAIR_PEM_MAX);
    must(mcph_keypair_write(key, &pem, NULL) == 0);
    must(mcph_keypair_read(pem.data, pem.len, "again", &again, NULL) == 0);
    must(strcmp(mcph_keypair_jwk(key), mcph_keypair_jwk(again)) == 0);
    must(mcph_json_check(mcph_span_str(mcph_keypair_jwk(key)), 1, NULL, NULL) == 0);
    mcph_buf_wipe(&pem);
    mcph_keypair_free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcph_keypair *key = NULL;
    mcphost_error *error = NULL;
    int r = mcph_keypair_read((const char *)data, size, "key", &key, &error);

    must((r == 0) == (key != NULL) && (r < 0) == (error != NULL));
    if (r == 0)
        check_key(key);
    must(ERR_peek_error() == 0);
    mcph_keypair_free(key);
    mcphost_error_unref(error);
    return 0;
}
