/* SPDX-License-Identifier: MIT
 *
 * keep.h - files that are kept from one run to the next, for their user's eyes alone.
 */
#ifndef CTL_KEEP_H
#define CTL_KEEP_H

#include <stddef.h>

#include <jansson.h>

#include "text.h"

/* Bytes of the salt that hashes in a file are keyed with. */
enum { KEEP_SALT = 32 };

/* Opens the directory, made if it is missing; -1: nothing can be kept. */
int keep_open(void);
/* Reads a file of at most `most` bytes.  Returns 0, or -1 when it is unusable. */
int keep_read(int dir, const char *name, size_t most, struct text *t);
/* Replaces a file, if that can be done.  Readers see the old one or the new one, never a
 * part. */
void keep_replace(int dir, const char *name, const struct text *t);

/* The salt of a file, its member "salt": each returns 0 or -1. */
int keep_read_salt(const json_t *root, unsigned char *salt);
int keep_make_salt(unsigned char *salt);
void keep_put_salt(struct text *t, const unsigned char *salt);

#endif
