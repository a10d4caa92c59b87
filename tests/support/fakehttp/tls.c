/* SPDX-License-Identifier: MIT
 *
 * tls.c - good and bad certificates, which the fake HTTP server makes when it starts.
 *
 * The DIRECTORY of the script's directive `tls` gets ca.pem, the certificate of the
 * authority that a client must trust.  The subdirectory authorities/ gets the same
 * certificate under the file name that OpenSSL looks for.  The authority also signs
 * client.pem.  The key of client.pem is client.key.  locked.key is client.key encrypted
 * with the password "fake".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "support/fakehttp/http.h"

#define HOUR 3600L

static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "fakehttp: tls: %s\n", what);
    _exit(2);
}

static void
extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509_EXTENSION *ext;
    X509V3_CTX ctx;

    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    if (!ext)
        die("extension");
    X509_add_ext(cert, ext, -1);
    X509_EXTENSION_free(ext);
}

/* Makes a certificate that the issuer signs.  If `issuer` is NULL, the certificate is
 * self-signed.  `names` are the certificate's alternative names.  If `names` is NULL, the
 * certificate belongs to an authority. */
static X509 *
make(EVP_PKEY *key, const char *cn, X509 *issuer, EVP_PKEY *issuer_key, const char *names,
     bool expired)
{
    static long serial;
    X509 *cert = X509_new();
    X509_NAME *name;

    if (!key || !cert)
        die("no memory");
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), ++serial * 1000 + getpid() % 1000);
    X509_gmtime_adj(X509_getm_notBefore(cert), -48 * HOUR);
    X509_gmtime_adj(X509_getm_notAfter(cert), (expired ? -24 : 24) * HOUR);
    X509_set_pubkey(cert, key);
    name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)cn, -1,
                               -1, 0);
    X509_set_issuer_name(cert, issuer ? X509_get_subject_name(issuer) : name);
    extend(cert, issuer ? issuer : cert, NID_basic_constraints,
           names ? "CA:FALSE" : "critical,CA:TRUE");
    extend(cert, issuer ? issuer : cert, NID_key_usage,
           names ? "digitalSignature" : "critical,keyCertSign");
    if (names)
        extend(cert, issuer, NID_subject_alt_name, names);
    if (!X509_sign(cert, issuer_key ? issuer_key : key, EVP_sha256()))
        die("sign");
    return cert;
}

static FILE *
open_in(const char *dir, const char *name)
{
    char *path = NULL;
    FILE *f;

    if (asprintf(&path, "%s/%s", dir, name) < 0)
        _exit(99);
    f = fopen(path, "we");
    if (!f)
        die(path);
    free(path);
    return f;
}

static void
save_cert(const char *dir, const char *name, X509 *cert)
{
    FILE *f = open_in(dir, name);

    PEM_write_X509(f, cert);
    fclose(f);
}

static void
save_key(const char *dir, const char *name, EVP_PKEY *key)
{
    static const char password[] = "fake";
    FILE *f = open_in(dir, name);

    PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
    fclose(f);
    f = open_in(dir, "locked.key");
    PEM_write_PrivateKey(f, key, EVP_aes_256_cbc(), NULL, 0, NULL, (void *)password);
    fclose(f);
}

static void
save_authority(const char *dir, X509 *ca)
{
    char sub[256], name[32];

    snprintf(sub, sizeof(sub), "%s/authorities", dir);
    snprintf(name, sizeof(name), "%08lx.0", X509_subject_name_hash(ca));
    if (mkdir(sub, 0700) < 0 && errno != EEXIST)
        die(sub);
    save_cert(dir, "ca.pem", ca);
    save_cert(sub, name, ca);
}

void
tls_init(struct http *http)
{
    const char *mode = http->tls_mode, *dir = http->tls_dir;
    bool is_self = mode && strcmp(mode, "self-signed") == 0;
    const char *names = "DNS:localhost,DNS:fake.invalid,IP:127.0.0.1,IP:::1";
    EVP_PKEY *ca_key, *key, *client_key, *other_key;
    X509 *ca, *cert, *client, *other;

    if (!mode)
        return;
    ca_key = EVP_EC_gen("P-256");
    key = EVP_EC_gen("P-256");
    client_key = EVP_EC_gen("P-256");
    other_key = EVP_EC_gen("P-256");
    ca = make(ca_key, "fake authority", NULL, NULL, NULL, false);
    other = make(other_key, "other authority", NULL, NULL, NULL, false);
    if (strcmp(mode, "wrong-name") == 0)
        names = "DNS:elsewhere.example";
    if (is_self)
        cert = make(key, "fake self", NULL, NULL, NULL, false);
    else if (strcmp(mode, "unknown") == 0)
        cert = make(key, "fake", other, other_key, names, false);
    else
        cert = make(key, "fake", ca, ca_key, names, strcmp(mode, "expired") == 0);
    client = make(client_key, "fake client", ca, ca_key, "DNS:client", false);
    save_authority(dir, ca);
    save_cert(dir, "client.pem", client);
    save_key(dir, "client.key", client_key);
    http->tls = SSL_CTX_new(TLS_server_method());
    if (!http->tls || SSL_CTX_use_certificate(http->tls, cert) != 1 ||
        SSL_CTX_use_PrivateKey(http->tls, key) != 1)
        die("context");
    SSL_CTX_set_mode(http->tls,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (strcmp(mode, "client") == 0) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(http->tls), ca);
        SSL_CTX_set_verify(http->tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                           NULL);
    }
    if (strcmp(mode, "old") == 0) {
        SSL_CTX_set_security_level(http->tls, 0);
        SSL_CTX_set_max_proto_version(http->tls, TLS1_1_VERSION);
    }
}
