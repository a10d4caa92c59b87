/* SPDX-License-Identifier: MIT
 *
 * heap.h - looks for secrets that were left in memory.
 */
#ifndef TESTS_SUPPORT_HEAP_H
#define TESTS_SUPPORT_HEAP_H

/* Counts the copies of `text` in the heap of the process, also in freed blocks.  `text`
 * itself must not be in the heap.  Under a sanitizer, the heap is elsewhere, and the
 * count is always 0. */
int heap_count(const char *text);

#endif
