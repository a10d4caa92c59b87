/* SPDX-License-Identifier: MIT
 *
 * sha256.c - the digest SHA-256, computed by libcrypto.
 *
 * A build without HTTP has sha256_plain.c instead, and does not depend on libcrypto.
 */
/* Use the plain functions.  OpenSSL 3 deprecates them, and this macro turns off the
 * warnings.  The EVP functions first load providers and configuration.  Loading these
 * takes more work than a server's whole start.  The EVP functions may also leave errors
 * in OpenSSL's queue.  The queue belongs to the application. */
#define OPENSSL_API_COMPAT 10101
#include <openssl/sha.h>

#include "base/base.h"

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct mcph_sha256), "room for the state");
_Static_assert(_Alignof(SHA256_CTX) <= _Alignof(struct mcph_sha256), "as it is aligned");

static SHA256_CTX *
state_of(struct mcph_sha256 *sha)
{
    return (SHA256_CTX *)(void *)sha->state;
}

void
mcph_sha256_init(struct mcph_sha256 *sha)
{
    SHA256_Init(state_of(sha));
}

void
mcph_sha256_add(struct mcph_sha256 *sha, const void *data, size_t len)
{
    SHA256_Update(state_of(sha), data, len);
}

void
mcph_sha256_end(struct mcph_sha256 *sha, unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    SHA256_Final(ret_digest, state_of(sha));
}
