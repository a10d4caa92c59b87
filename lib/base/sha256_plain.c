/* SPDX-License-Identifier: MIT
 *
 * sha256_plain.c - the digest SHA-256 (FIPS 180-4) in a build without libcrypto
 * (--disable-http).
 */
#include <endian.h>
#include <string.h>

#include "base/base.h"

#define BLOCK 64

struct state {
    uint32_t h[8];
    uint64_t len; /* the number of bytes added */
    unsigned char block[BLOCK];
};

_Static_assert(sizeof(struct state) <= sizeof(struct mcph_sha256), "room for the state");

static const uint32_t first[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t
turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void
add_block(struct state *state, const unsigned char *block)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 16; i++) {
        memcpy(&w[i], block + 4 * i, 4);
        w[i] = be32toh(w[i]);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, state->h, sizeof(v));
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                     ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        uint32_t b = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += a;
        v[0] = a + b;
    }
    for (int i = 0; i < 8; i++)
        state->h[i] += v[i];
}

static struct state *
state_of(struct mcph_sha256 *sha)
{
    return (struct state *)(void *)sha->state;
}

void
mcph_sha256_init(struct mcph_sha256 *sha)
{
    struct state *state = state_of(sha);

    memcpy(state->h, first, sizeof(first));
    state->len = 0;
}

void
mcph_sha256_add(struct mcph_sha256 *sha, const void *data, size_t len)
{
    struct state *state = state_of(sha);
    const unsigned char *p = data;

    while (len) {
        size_t have = state->len % BLOCK, n = BLOCK - have < len ? BLOCK - have : len;

        memcpy(state->block + have, p, n);
        state->len += n;
        p += n;
        len -= n;
        if (have + n == BLOCK)
            add_block(state, state->block);
    }
}

void
mcph_sha256_end(struct mcph_sha256 *sha, unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    static const unsigned char padding[BLOCK] = {0x80};
    struct state *state = state_of(sha);
    uint64_t bits = htobe64(state->len * 8);
    size_t have = state->len % BLOCK;

    mcph_sha256_add(sha, padding, (have < 56 ? 56 : 56 + BLOCK) - have);
    mcph_sha256_add(sha, &bits, sizeof(bits));
    for (int i = 0; i < 8; i++) {
        uint32_t word = htobe32(state->h[i]);

        memcpy(ret_digest + 4 * i, &word, sizeof(word));
    }
}
