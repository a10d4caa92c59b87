/* SPDX-License-Identifier: MIT
 *
 * key.c - private keys: read, make, write, describe as JWK, and sign.
 *
 * A key keeps a context that is prepared for signing.  Each signature copies the
 * context, which costs less than preparing a new context.  Nothing changes a key after
 * its creation.  Therefore threads can share a key without a lock.
 */
#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>

#include "auth/key.h"

#define COORDINATE 32 /* bytes of each number in a P-256 key or signature */
#define JWK_MAX    ((size_t)4 * 1024)

struct mcph_keypair {
    EVP_PKEY *pair;
    EVP_MD_CTX *prepared; /* is copied for each signature */
    bool is_rsa;
    char *jwk;
    char thumbprint[MCPH_TOKEN_SIZE];
};

/* ---- errors of libcrypto --------------------------------------------------------- */

/* Begins a step with libcrypto.  end_step() or ERR_pop_to_mark() ends the step. */
static void
begin_step(void)
{
    ERR_set_mark();
    errno = 0;
}

/* Returns true if memory was short in the step that just failed.  libcrypto often
 * reports only a later error that the lack of memory caused.  Therefore the function
 * also checks errno. */
static bool
was_short(void)
{
    return errno == ENOMEM ||
           ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE;
}

/* Ends a step.  If the step failed, makes an error with libcrypto's reason.  Removes
 * the errors of the step from libcrypto's queue. */
static int
end_step(bool good, const char *doing, mcphost_error **reterr)
{
    const char *why = good ? NULL : ERR_reason_error_string(ERR_peek_last_error());
    int r = 0;

    if (!good && was_short())
        r = mcph_err_nomem(reterr);
    else if (!good)
        r = mcph_err(reterr, MCPHOST_E_STATE, "cannot %s with libcrypto: %s", doing,
                     why ? why : "no reason is known");
    ERR_pop_to_mark();
    return r;
}

/* ---- the public key -------------------------------------------------------------- */

/* Adds a number of the public key to the JWK, as the member `name`.  `width` is the
 * number of bytes to write.  If `width` is 0, writes as few bytes as possible. */
static bool
add_number(struct mcph_buf *jwk, const char *name, const EVP_PKEY *pair,
           const char *parameter, int width)
{
    unsigned char bytes[MCPH_KEYPAIR_RSA_MAX / 8];
    BIGNUM *number = NULL;
    int len = -1;

    if (EVP_PKEY_get_bn_param(pair, parameter, &number) == 1 &&
        BN_num_bytes(number) <= (int)sizeof(bytes))
        len = BN_bn2binpad(number, bytes, width ? width : BN_num_bytes(number));
    BN_free(number);
    if (len <= 0)
        return false;
    mcph_json_add_key(jwk, name);
    mcph_buf_addc(jwk, '"');
    mcph_base64url_add(jwk, bytes, (size_t)len);
    return mcph_buf_addc(jwk, '"') == 0;
}

static bool
add_jwk(struct mcph_buf *jwk, const EVP_PKEY *pair, bool is_rsa)
{
    bool good;

    mcph_buf_addc(jwk, '{');
    if (is_rsa) {
        good = add_number(jwk, "e", pair, OSSL_PKEY_PARAM_RSA_E, 0);
        mcph_json_add_member(jwk, "kty", "RSA");
        good = good && add_number(jwk, "n", pair, OSSL_PKEY_PARAM_RSA_N, 0);
    } else {
        mcph_json_add_member(jwk, "crv", "P-256");
        mcph_json_add_member(jwk, "kty", "EC");
        good = add_number(jwk, "x", pair, OSSL_PKEY_PARAM_EC_PUB_X, COORDINATE) &&
               add_number(jwk, "y", pair, OSSL_PKEY_PARAM_EC_PUB_Y, COORDINATE);
    }
    return mcph_buf_addc(jwk, '}') == 0 && good;
}

static int
describe(struct mcph_keypair *key, mcphost_error **reterr)
{
    struct mcph_buf jwk;
    bool good;
    int r;

    mcph_buf_init(&jwk, JWK_MAX);
    begin_step();
    good = add_jwk(&jwk, key->pair, key->is_rsa);
    r = end_step(good, "describe the public key", reterr);
    if (r == 0)
        r = mcph_digest_make(jwk.data, jwk.len, key->thumbprint, reterr);
    if (r == 0) {
        key->jwk = mcph_buf_steal(&jwk, NULL);
        r = key->jwk ? 0 : mcph_err_nomem(reterr);
    }
    mcph_buf_done(&jwk);
    return r;
}

/* ---- making a key ---------------------------------------------------------------- */

struct mcph_keypair *
mcph_keypair_free(struct mcph_keypair *key)
{
    if (key) {
        EVP_MD_CTX_free(key->prepared);
        EVP_PKEY_free(key->pair); /* wipes the private key */
        free(key->jwk);
        free(key);
    }
    return NULL;
}

/* Makes a key from libcrypto's key pair.  Takes over the pair, also on failure. */
static int
make_key(EVP_PKEY *pair, struct mcph_keypair **ret, mcphost_error **reterr)
{
    struct mcph_keypair *key = mcph_zalloc(sizeof(*key), 0);
    bool good;
    int r;

    if (!key) {
        EVP_PKEY_free(pair);
        return mcph_err_nomem(reterr);
    }
    key->pair = pair;
    key->is_rsa = EVP_PKEY_is_a(pair, "RSA") == 1;
    begin_step();
    key->prepared = EVP_MD_CTX_new();
    good = key->prepared &&
           EVP_DigestSignInit(key->prepared, NULL, EVP_sha256(), NULL, pair) == 1;
    r = end_step(good, "prepare the private key", reterr);
    if (r == 0)
        r = describe(key, reterr);
    if (r == 0)
        *ret = key;
    else
        mcph_keypair_free(key);
    return r;
}

int
mcph_keypair_new(struct mcph_keypair **ret, mcphost_error **reterr)
{
    EVP_PKEY *pair;
    int r;

    begin_step();
    pair = EVP_EC_gen("P-256");
    r = end_step(pair != NULL, "make a private key", reterr);
    return r < 0 ? r : make_key(pair, ret, reterr);
}

/* ---- reading and writing --------------------------------------------------------- */

static int
note_encryption(char *password, int size, int is_writing, void *is_encrypted)
{
    (void)password;
    (void)size;
    (void)is_writing;
    *(bool *)is_encrypted = true;
    return -1;
}

static int
read_pem(const char *pem, size_t len, const char *what, EVP_PKEY **ret,
         mcphost_error **reterr)
{
    bool is_encrypted = false, is_short;
    EVP_PKEY *pair = NULL;
    BIO *bio;

    begin_step();
    bio = BIO_new_mem_buf(pem, (int)len);
    /* Without a callback, libcrypto would ask for a password on the terminal. */
    if (bio)
        pair = PEM_read_bio_PrivateKey(bio, NULL, note_encryption, &is_encrypted);
    is_short = !pair && was_short();
    BIO_free(bio);
    ERR_pop_to_mark();
    if (is_short)
        return mcph_err_nomem(reterr);
    if (!pair && is_encrypted)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "%s: the private key is encrypted; store it without a password, "
                        "for example with `openssl pkey`",
                        what);
    if (!pair)
        return mcph_err(reterr, MCPHOST_E_INVALID, "%s: there is no private key in PEM",
                        what);
    *ret = pair;
    return 0;
}

static int
check_kind(const EVP_PKEY *pair, const char *what, mcphost_error **reterr)
{
    const char *kind = EVP_PKEY_get0_type_name(pair);
    int bits = EVP_PKEY_get_bits(pair);
    char curve[64] = "";

    if (EVP_PKEY_is_a(pair, "RSA") == 1) {
        if (bits >= MCPH_KEYPAIR_RSA_MIN && bits <= MCPH_KEYPAIR_RSA_MAX)
            return 0;
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "%s: the RSA key has %d bits; it must have from %d to %d", what,
                        bits, MCPH_KEYPAIR_RSA_MIN, MCPH_KEYPAIR_RSA_MAX);
    }
    if (EVP_PKEY_is_a(pair, "EC") == 1) {
        (void)EVP_PKEY_get_group_name(pair, curve, sizeof(curve), NULL);
        if (strcmp(curve, "prime256v1") == 0)
            return 0;
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "%s: the private key has the curve %s; it must have P-256", what,
                        *curve ? curve : "without a name");
    }
    return mcph_err(reterr, MCPHOST_E_INVALID,
                    "%s: the private key is of the kind %s; it must be EC (P-256) or RSA",
                    what, kind ? kind : "(unknown)");
}

/* Checks that the public key belongs to the private key.  Otherwise each server would
 * refuse each signature, without a useful reason. */
static int
check_pair(const struct mcph_keypair *key, const char *what, mcphost_error **reterr)
{
    unsigned char signature[MCPH_SIGNATURE_MAX];
    size_t len = sizeof(signature);
    EVP_MD_CTX *signer, *verifier;
    bool is_short, good;

    begin_step();
    signer = EVP_MD_CTX_new();
    verifier = EVP_MD_CTX_new();
    good = signer && verifier && EVP_MD_CTX_copy_ex(signer, key->prepared) == 1 &&
           EVP_DigestSign(signer, signature, &len, (const unsigned char *)"", 0) == 1 &&
           EVP_DigestVerifyInit(verifier, NULL, EVP_sha256(), NULL, key->pair) == 1 &&
           EVP_DigestVerify(verifier, signature, len, (const unsigned char *)"", 0) == 1;
    is_short = !good && was_short();
    EVP_MD_CTX_free(signer);
    EVP_MD_CTX_free(verifier);
    ERR_pop_to_mark();
    if (is_short)
        return mcph_err_nomem(reterr);
    return good
               ? 0
               : mcph_err(reterr, MCPHOST_E_INVALID,
                          "%s: the private key and its public key do not belong together",
                          what);
}

int
mcph_keypair_read(const char *pem, size_t len, const char *what,
                  struct mcph_keypair **ret, mcphost_error **reterr)
{
    struct mcph_keypair *key = NULL;
    EVP_PKEY *pair = NULL;
    int r;

    if (len > MCPH_KEYPAIR_PEM_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "%s: more than %zu bytes", what,
                        MCPH_KEYPAIR_PEM_MAX);
    r = read_pem(pem, len, what, &pair, reterr);
    if (r < 0)
        return r;
    r = check_kind(pair, what, reterr);
    if (r < 0) {
        EVP_PKEY_free(pair);
        return r;
    }
    r = make_key(pair, &key, reterr);
    if (r == 0)
        r = check_pair(key, what, reterr);
    if (r == 0)
        *ret = key;
    else
        mcph_keypair_free(key);
    return r;
}

int
mcph_keypair_write(const struct mcph_keypair *key, struct mcph_buf *pem,
                   mcphost_error **reterr)
{
    char *text = NULL;
    long len = 0;
    BIO *bio;
    bool good;
    int r;

    begin_step();
    bio = BIO_new(BIO_s_mem()); /* BIO_free() wipes the memory */
    good = bio &&
           PEM_write_bio_PKCS8PrivateKey(bio, key->pair, NULL, NULL, 0, NULL, NULL) == 1;
    if (good)
        len = BIO_get_mem_data(bio, &text);
    r = end_step(good && len > 0, "write the private key", reterr);
    if (r == 0) {
        r = mcph_buf_add(pem, text, (size_t)len);
        if (r < 0)
            r = mcph_err(reterr, r, "cannot write the private key: it is too long");
    }
    BIO_free(bio);
    return r;
}

/* ---- using a key ----------------------------------------------------------------- */

const char *
mcph_keypair_algorithm(const struct mcph_keypair *key)
{
    return key->is_rsa ? "RS256" : "ES256";
}

const char *
mcph_keypair_jwk(const struct mcph_keypair *key)
{
    return key->jwk;
}

const char *
mcph_keypair_thumbprint(const struct mcph_keypair *key)
{
    return key->thumbprint;
}

/* Writes the two numbers of an ECDSA signature, each at its full width. */
static bool
join_numbers(const unsigned char *der, size_t len, unsigned char *ret)
{
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)len);
    bool good =
        signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), ret, COORDINATE) > 0 &&
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), ret + COORDINATE, COORDINATE) > 0;

    ECDSA_SIG_free(signature);
    return good;
}

int
mcph_keypair_sign(const struct mcph_keypair *key, const void *data, size_t len,
                  unsigned char *ret_signature, size_t *ret_len, mcphost_error **reterr)
{
    unsigned char made[MCPH_SIGNATURE_MAX], joined[2 * COORDINATE];
    size_t n = sizeof(made);
    EVP_MD_CTX *ctx;
    bool good;
    int r;

    begin_step();
    ctx = EVP_MD_CTX_new();
    good = ctx && EVP_MD_CTX_copy_ex(ctx, key->prepared) == 1 &&
           EVP_DigestSign(ctx, made, &n, data, len) == 1 &&
           (key->is_rsa || join_numbers(made, n, joined));
    EVP_MD_CTX_free(ctx);
    r = end_step(good, "sign", reterr);
    if (r < 0)
        return r;
    if (!key->is_rsa)
        n = sizeof(joined);
    memcpy(ret_signature, key->is_rsa ? made : joined, n);
    *ret_len = n;
    return 0;
}
