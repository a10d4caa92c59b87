/* SPDX-License-Identifier: MIT
 *
 * scratch.h - a place for artifacts under a fuzzer, and base64 decoded as one would at
 * first.
 */
#ifndef FUZZ_SCRATCH_H
#define FUZZ_SCRATCH_H

#include "result/items.h"

/* The dialog's directory, in memory where there is such a thing; made by the first
 * question, gone with the process.  Around it is room to get out into. */
const char *scratch_dir(void);
/* The files there.  Aborts if anything is not where artifacts are, is unfinished, open to
 * others, or neither a directory nor a file. */
size_t scratch_count(uint64_t *ret_bytes);
void scratch_empty(void);
/* Whether an artifact says exactly this. */
bool scratch_has(const char *path, struct mcph_span bytes);

/* Decodes; `out` has room for `text.len` bytes.  Returns their number, or minus one and
 * the place of what is wrong. */
long scratch_base64(struct mcph_span text, unsigned char *out, size_t *ret_at);
/* The text behind the prefix of a data: URL, if it has one (B.11). */
struct mcph_span scratch_no_prefix(struct mcph_span text);

/* So that small inputs say much: the byte 1 and n after it repeat what stands last
 * 64 * n times.  Adds to the buffer up to its maximum. */
void scratch_expand(struct mcph_buf *buf, const uint8_t *data, size_t size);

#endif
