/* SPDX-License-Identifier: MIT
 *
 * keys.c - private keys for tests.
 */
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>

#include "support/keys.h"
#include "support/runner.h"

struct mcph_span
keys_text(const char *name)
{
    static char text[MCPH_KEYPAIR_PEM_MAX];
    char path[4200];
    FILE *file;
    size_t len;

    snprintf(path, sizeof(path), "%s/fuzz/corpus/key/%s", test_srcdir(), name);
    file = fopen(path, "re");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    len = fread(text, 1, sizeof(text), file);
    fclose(file);
    return mcph_span(text, len);
}

struct mcph_keypair *
keys_read(const char *name)
{
    struct mcph_span text = keys_text(name);
    mcphost_error *error = NULL;
    struct mcph_keypair *key = NULL;
    int r = mcph_keypair_read(text.p, text.len, name, &key, &error);

    ck_assert_msg(r == 0, "%s", r ? mcphost_error_get_message(error) : "");
    return key;
}

/* Decodes base64url.  Returns the number of bytes. */
static size_t
decode(struct mcph_span text, unsigned char *room)
{
    struct mcph_base64 b64;
    size_t n, more;

    mcph_base64_init(&b64);
    ck_assert_int_eq(mcph_base64_feed(&b64, text.p, text.len, room, &n), 0);
    ck_assert_int_eq(mcph_base64_end(&b64, room + n, &more), 0);
    return n + more;
}

static struct mcph_span
find_part(struct mcph_span jws, int part)
{
    const char *end = jws.p + jws.len, *from = jws.p, *dot;

    for (int i = 0; i < part; i++) {
        from = memchr(from, '.', (size_t)(end - from));
        ck_assert_ptr_nonnull(from);
        from++;
    }
    dot = memchr(from, '.', (size_t)(end - from));
    return mcph_span(from, (size_t)((dot ? dot : end) - from));
}

const char *
keys_part(struct mcph_span jws, int part)
{
    static char text[MCPH_JWT_MAX];

    text[decode(find_part(jws, part), (unsigned char *)text)] = '\0';
    return text;
}

/* Turns the raw signature of a JWS into DER.  Returns the length. */
static size_t
make_der(const unsigned char *raw, unsigned char *der)
{
    ECDSA_SIG *signature = ECDSA_SIG_new();
    int len;

    ck_assert_int_eq(ECDSA_SIG_set0(signature, BN_bin2bn(raw, 32, NULL),
                                    BN_bin2bn(raw + 32, 32, NULL)),
                     1);
    len = i2d_ECDSA_SIG(signature, &der);
    ck_assert_int_gt(len, 0);
    ECDSA_SIG_free(signature);
    return (size_t)len;
}

bool
keys_verify(const char *name, struct mcph_span jws)
{
    struct mcph_span pem = keys_text(name), signature = find_part(jws, 2);
    BIO *bio = BIO_new_mem_buf(pem.p, (int)pem.len);
    EVP_PKEY *pair = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char raw[MCPH_SIGNATURE_MAX + 8], der[MCPH_SIGNATURE_MAX];
    size_t len = decode(signature, raw), signed_len = jws.len - signature.len - 1;
    bool is_ec = EVP_PKEY_is_a(pair, "EC"), good;

    ck_assert(!is_ec || len == 64);
    if (is_ec)
        len = make_der(raw, der);
    good = EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, pair) == 1 &&
           EVP_DigestVerify(ctx, is_ec ? der : raw, len, (const unsigned char *)jws.p,
                            signed_len) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pair);
    BIO_free(bio);
    return good;
}
