/* SPDX-License-Identifier: MIT
 *
 * scratch.h - helpers of fuzz targets: a directory for artifacts, and a base64 decoder.
 */
#ifndef FUZZ_SCRATCH_H
#define FUZZ_SCRATCH_H

#include "result/items.h"

/* Returns the dialog's directory, in memory if possible.  The first call makes the
 * directory.  The process removes the directory when it exits.  The dialog's directory is
 * deep inside a directory that holds nothing else, so that scratch_count() finds a file
 * that a path with ".." has put outside of the dialog's directory. */
const char *scratch_dir(void);
/* Counts the files in the dialog's directory and their bytes.  Aborts if a file is
 * outside of the artifacts, incomplete or readable by other users, or if an entry is
 * neither a directory nor a file. */
size_t scratch_count(uint64_t *ret_bytes);
void scratch_empty(void);
/* Checks whether an artifact has exactly these bytes. */
bool scratch_has(const char *path, struct mcph_span bytes);

/* Decodes base64 into `out`.  `out` must be able to hold `text.len` bytes.  Returns the
 * number of bytes, or -1 if there is a fault.  *ret_at is the place of the fault, or
 * `text.len`. */
long scratch_base64(struct mcph_span text, unsigned char *out, size_t *ret_at);
/* Returns the text without the prefix of a data: URL.  Returns a text without this prefix
 * unchanged. */
struct mcph_span scratch_no_prefix(struct mcph_span text);

/* Makes a long text from a short input and adds it to the buffer, up to the buffer's
 * maximum.  A byte 1 followed by a byte n repeats the character before these two bytes
 * 64 * n times. */
void scratch_expand(struct mcph_buf *buf, const uint8_t *data, size_t size);

#endif
