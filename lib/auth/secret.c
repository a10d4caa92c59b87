/* SPDX-License-Identifier: MIT
 *
 * secret.c - random texts, digests as texts, PKCE, and the comparison of secrets.
 */
#include <openssl/crypto.h>

#include "auth/key.h"

_Static_assert(MCPH_TOKEN_SIZE == (MCPH_DIGEST_LEN * 4 + 2) / 3 + 1,
               "256 bits and a NUL");

/* Writes 256 bits as base64url.  Wipes the bits. */
static int
write_bits(unsigned char bits[MCPH_DIGEST_LEN], char *ret, mcphost_error **reterr)
{
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, 2 * MCPH_TOKEN_SIZE);
    r = mcph_base64url_add(&text, bits, MCPH_DIGEST_LEN);
    explicit_bzero(bits, MCPH_DIGEST_LEN);
    if (r == 0) {
        memcpy(ret, text.data, MCPH_TOKEN_SIZE - 1);
        ret[MCPH_TOKEN_SIZE - 1] = '\0';
    }
    mcph_buf_wipe(&text);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

int
mcph_token_make(char ret_token[MCPH_TOKEN_SIZE], mcphost_error **reterr)
{
    unsigned char bits[MCPH_DIGEST_LEN];

    if (mcph_random_bytes(bits, sizeof(bits)) < 0)
        return mcph_err(reterr, MCPHOST_E_IO, "cannot make a secret: no random bytes");
    return write_bits(bits, ret_token, reterr);
}

int
mcph_digest_make(const void *data, size_t len, char ret_digest[MCPH_TOKEN_SIZE],
                 mcphost_error **reterr)
{
    unsigned char bits[MCPH_DIGEST_LEN];
    int r = mcph_sha256(data, len, bits);

    return r < 0 ? mcph_err_nomem(reterr) : write_bits(bits, ret_digest, reterr);
}

int
mcph_pkce_make(struct mcph_pkce *ret, mcphost_error **reterr)
{
    struct mcph_pkce made;
    int r = mcph_token_make(made.verifier, reterr);

    if (r == 0)
        r = mcph_digest_make(made.verifier, sizeof(made.verifier) - 1, made.challenge,
                             reterr);
    if (r == 0)
        *ret = made;
    explicit_bzero(&made, sizeof(made));
    return r;
}

bool
mcph_equal_secret(struct mcph_span a, struct mcph_span b)
{
    return a.p && b.p && a.len == b.len && CRYPTO_memcmp(a.p, b.p, a.len) == 0;
}
