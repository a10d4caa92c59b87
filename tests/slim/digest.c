/* SPDX-License-Identifier: MIT
 *
 * digest.c - prints the SHA-256 of its input.
 *
 * The program adds the input to the digest in pieces of 1 to 97 bytes.
 */
#include <stdio.h>

#include "base/base.h"

int
main(void)
{
    unsigned char digest[MCPH_DIGEST_LEN], piece[97];
    char hex[MCPH_DIGEST_HEX];
    struct mcph_sha256 sha;
    size_t want = 1, n;

    mcph_sha256_init(&sha);
    while ((n = fread(piece, 1, want, stdin)) > 0) {
        mcph_sha256_add(&sha, piece, n);
        want = want % sizeof(piece) + 1;
    }
    mcph_sha256_end(&sha, digest);
    mcph_hex(digest, sizeof(digest), hex);
    puts(hex);
    return 0;
}
