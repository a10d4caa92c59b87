/* SPDX-License-Identifier: MIT
 *
 * keys.h - private keys for tests, from the corpus of the fuzz target `key`.
 *
 * The keys protect nothing.  rsa-* and p256-pkcs8 are the keys of RFC 7515, appendixes
 * A.2 and A.3.
 */
#ifndef TESTS_SUPPORT_KEYS_H
#define TESTS_SUPPORT_KEYS_H

#include "auth/key.h"

/* Returns the text of a file of the corpus, valid until the next call. */
struct mcph_span keys_text(const char *name);
struct mcph_keypair *keys_read(const char *name);
/* Verifies a compact JWS with the key of a file, by libcrypto. */
bool keys_verify(const char *name, struct mcph_span jws);
/* Returns the decoded part of a JWS (0: the header, 1: the claims), valid until the next
 * call. */
const char *keys_part(struct mcph_span jws, int part);

#endif
