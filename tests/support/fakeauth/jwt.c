/* SPDX-License-Identifier: MIT
 *
 * jwt.c - JSON Web Tokens and their keys (RFC 7515, RFC 7517, RFC 7638) for the fake
 * authorization server.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/sha.h>

#include "support/fakeauth/inner.h"

#define P256 32 /* bytes of a coordinate, and of each half of a signature */

/* ---- base64url --------------------------------------------------------------------- */

char *
jwt_encode(const void *data, size_t len)
{
    char *text = fake_alloc(NULL, (len + 2) / 3 * 4 + 1);
    size_t n = (size_t)EVP_EncodeBlock((unsigned char *)text, data, (int)len);

    while (n && text[n - 1] == '=')
        n--;
    text[n] = '\0';
    for (char *p = text; *p; p++)
        *p = (char)(*p == '+' ? '-' : *p == '/' ? '_' : *p);
    return text;
}

unsigned char *
jwt_decode(const char *text, size_t len, size_t *ret_len)
{
    size_t padded = (len + 3) / 4 * 4;
    char *in = fake_alloc(NULL, padded + 1);
    unsigned char *out = fake_alloc(NULL, padded + 1);
    int n;

    memset(in, '=', padded);
    for (size_t i = 0; i < len; i++)
        in[i] = (char)(text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i]);
    n = EVP_DecodeBlock(out, (unsigned char *)in, (int)padded);
    free(in);
    *ret_len = n < 0 ? 0 : (size_t)n - (padded - len);
    out[*ret_len] = '\0';
    return out;
}

char *
jwt_digest(const char *text)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)text, strlen(text), digest);
    return jwt_encode(digest, sizeof(digest));
}

/* ---- keys -------------------------------------------------------------------------- */

static BIGNUM *
number_of(json_t *jwk, const char *name)
{
    const char *text = json_string_value(json_object_get(jwk, name));
    unsigned char *bytes;
    BIGNUM *number;
    size_t len;

    if (!text)
        return NULL;
    bytes = jwt_decode(text, strlen(text), &len);
    number = BN_bin2bn(bytes, (int)len, NULL);
    free(bytes);
    return number;
}

static EVP_PKEY *
make_key(const char *type, OSSL_PARAM_BLD *build)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    if (!params || !ctx || EVP_PKEY_fromdata_init(ctx) != 1 ||
        EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    return key;
}

EVP_PKEY *
jwt_key(json_t *jwk)
{
    const char *type = json_string_value(json_object_get(jwk, "kty"));
    bool is_rsa = type && strcmp(type, "RSA") == 0;
    BIGNUM *a = number_of(jwk, is_rsa ? "n" : "x");
    BIGNUM *b = number_of(jwk, is_rsa ? "e" : "y");
    unsigned char point[1 + 2 * P256] = {4};
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;

    if (a && b && is_rsa) {
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, a);
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, b);
        key = make_key("RSA", build);
    } else if (a && b && BN_bn2binpad(a, point + 1, P256) == P256 &&
               BN_bn2binpad(b, point + 1 + P256, P256) == P256) {
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         sizeof(point));
        key = make_key("EC", build);
    }
    OSSL_PARAM_BLD_free(build);
    BN_free(a);
    BN_free(b);
    return key;
}

json_t *
jwt_jwk(EVP_PKEY *key)
{
    unsigned char x[P256], y[P256];
    BIGNUM *a = NULL, *b = NULL;
    char *x_text, *y_text;
    json_t *jwk;

    if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &a) != 1 ||
        EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &b) != 1)
        _exit(99);
    BN_bn2binpad(a, x, P256);
    BN_bn2binpad(b, y, P256);
    x_text = jwt_encode(x, P256);
    y_text = jwt_encode(y, P256);
    jwk = json_pack("{s:s,s:s,s:s,s:s}", "crv", "P-256", "kty", "EC", "x", x_text, "y",
                    y_text);
    free(x_text);
    free(y_text);
    BN_free(a);
    BN_free(b);
    return jwk;
}

char *
jwt_thumbprint(json_t *jwk)
{
    static const char *const members[] = {"crv", "e", "kty", "n", "x", "y"};
    json_t *required = json_object();
    char *text, *digest;

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        json_object_set(required, members[i], json_object_get(jwk, members[i]));
    text = json_dumps(required, JSON_COMPACT | JSON_SORT_KEYS);
    digest = jwt_digest(text);
    free(text);
    json_decref(required);
    return digest;
}

/* ---- tokens ------------------------------------------------------------------------ */

static char *
encode_json(json_t *steals)
{
    char *text = json_dumps(steals, JSON_COMPACT),
         *encoded = jwt_encode(text, strlen(text));

    free(text);
    json_decref(steals);
    return encoded;
}

/* Signs the text, and returns the two numbers of the signature one after the other, as
 * RFC 7518 requires, in base64url. */
static char *
sign_text(EVP_PKEY *key, const char *text)
{
    unsigned char der[128], raw[2 * P256];
    const unsigned char *p = der;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t len = sizeof(der);
    ECDSA_SIG *sig;

    if (EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 ||
        EVP_DigestSign(ctx, der, &len, (const unsigned char *)text, strlen(text)) != 1)
        _exit(99);
    EVP_MD_CTX_free(ctx);
    sig = d2i_ECDSA_SIG(NULL, &p, (long)len);
    BN_bn2binpad(ECDSA_SIG_get0_r(sig), raw, P256);
    BN_bn2binpad(ECDSA_SIG_get0_s(sig), raw + P256, P256);
    ECDSA_SIG_free(sig);
    return jwt_encode(raw, sizeof(raw));
}

char *
jwt_sign(EVP_PKEY *key, json_t *header, json_t *claims)
{
    char *a, *b, *text, *signature, *jwt;

    json_object_set_new(header, "alg", json_string("ES256"));
    a = encode_json(header);
    b = encode_json(claims);
    text = auth_format("%s.%s", a, b);
    signature = sign_text(key, text);
    jwt = auth_format("%s.%s", text, signature);
    free(a);
    free(b);
    free(text);
    free(signature);
    return jwt;
}

json_t *
jwt_part(const char *jwt, int part)
{
    const char *start = jwt;
    unsigned char *text;
    json_t *value;
    size_t len;

    for (; part > 0 && start; part--) {
        start = strchr(start, '.');
        start = start ? start + 1 : NULL;
    }
    if (!start || !strchr(start, '.'))
        return NULL;
    text = jwt_decode(start, strcspn(start, "."), &len);
    value = json_loadb((char *)text, len, 0, NULL);
    free(text);
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

/* Makes the DER form of a signature with ES256.  Returns the length of this form, or
 * 0. */
static size_t
der_of(const unsigned char *raw, size_t len, unsigned char **ret)
{
    ECDSA_SIG *sig = ECDSA_SIG_new();
    int n = 0;

    if (len == 2 * P256 && ECDSA_SIG_set0(sig, BN_bin2bn(raw, P256, NULL),
                                          BN_bin2bn(raw + P256, P256, NULL)) == 1)
        n = i2d_ECDSA_SIG(sig, ret);
    ECDSA_SIG_free(sig);
    return n > 0 ? (size_t)n : 0;
}

bool
jwt_verify(EVP_PKEY *key, const char *jwt)
{
    const char *dot = strrchr(jwt, '.');
    json_t *header = jwt_part(jwt, 0);
    const char *alg = json_string_value(json_object_get(header, "alg"));
    bool is_ec = alg && strcmp(alg, "ES256") == 0;
    unsigned char *raw, *der = NULL;
    EVP_MD_CTX *ctx;
    bool good = false;
    size_t len;

    if (alg && dot && (is_ec || strcmp(alg, "RS256") == 0) &&
        is_ec == (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC)) {
        raw = jwt_decode(dot + 1, strlen(dot + 1), &len);
        if (is_ec)
            len = der_of(raw, len, &der);
        ctx = EVP_MD_CTX_new();
        good = len && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
               EVP_DigestVerify(ctx, is_ec ? der : raw, len, (const unsigned char *)jwt,
                                (size_t)(dot - jwt)) == 1;
        EVP_MD_CTX_free(ctx);
        OPENSSL_free(der);
        free(raw);
    }
    json_decref(header);
    return good;
}
