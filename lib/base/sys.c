/* SPDX-License-Identifier: MIT
 *
 * sys.c - clocks, random bytes and digests: what the system is asked for.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* The plain functions, which OpenSSL 3 calls deprecated: the others load providers
 * and configuration first, which is more work than a server's whole start, and
 * may leave errors in the queue, which is the application's. */
#define OPENSSL_API_COMPAT 10101
#include <openssl/sha.h>

#include "base/base.h"

static int64_t
clock_ms(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
mcph_clock_monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

int64_t
mcph_clock_realtime_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

int
mcph_random_bytes(void *ret_data, size_t len)
{
    char *p = ret_data;

    while (len) {
        ssize_t n = getrandom(p, len, 0);

        if (n < 0) {
            if (errno == EINTR)
                continue;
            return MCPHOST_E_IO;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int
mcph_sha256(const void *data, size_t len, unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    SHA256_CTX ctx;

    SHA256_Init(&ctx);
    SHA256_Update(&ctx, data, len);
    SHA256_Final(ret_digest, &ctx);
    return 0;
}

void
mcph_hex(const unsigned char *data, size_t len, char *ret_hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        ret_hex[2 * i] = digits[data[i] >> 4];
        ret_hex[2 * i + 1] = digits[data[i] & 15];
    }
    ret_hex[2 * len] = '\0';
}
