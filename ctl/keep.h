/* SPDX-License-Identifier: MIT
 *
 * keep.h - files that are kept from one run to the next, readable only by their user.
 */
#ifndef CTL_KEEP_H
#define CTL_KEEP_H

#include <stddef.h>

#include <jansson.h>

#include "text.h"

/* The size in bytes of the salt that keys the hashes in a file. */
enum { KEEP_SALT = 32 };

/* Opens the directory of kept files, and makes the directory if it is missing.  Returns
 * -1 if nothing can be kept. */
int keep_open(void);
/* Reads a file of at most `most` bytes.  Returns 0, or -1 if the file is unusable. */
int keep_read(int dir, const char *name, size_t most, struct text *t);
/* Replaces a file if possible.  Readers see the old file or the new file, never a mix. */
void keep_replace(int dir, const char *name, const struct text *t);

/* keep_read_salt() reads the salt from the member "salt" of a file's root object.
 * keep_make_salt() makes a new salt.  Both return 0 or -1.  keep_put_salt() writes the
 * member "salt". */
int keep_read_salt(const json_t *root, unsigned char *salt);
int keep_make_salt(unsigned char *salt);
void keep_put_salt(struct text *t, const unsigned char *salt);

#endif
