/* SPDX-License-Identifier: MIT
 *
 * heap.h - looks for secrets that were left in memory.
 */
#ifndef TESTS_SUPPORT_HEAP_H
#define TESTS_SUPPORT_HEAP_H

/* Counts the copies of `text` in the mapping [heap] of the process, also in freed blocks.
 * Does not count copies in other mappings, where malloc() puts very large blocks and the
 * blocks of other threads.  `text` itself must not be in the heap.  Under a sanitizer or
 * valgrind, the heap is elsewhere, and the count is always 0. */
int heap_count(const char *text);

#endif
