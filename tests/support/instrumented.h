/* SPDX-License-Identifier: MIT
 *
 * instrumented.h - INSTRUMENTED is 1 in a build with AddressSanitizer, ThreadSanitizer or
 * MemorySanitizer, otherwise 0.
 *
 * Measurements of memory mean nothing in a build with one of these sanitizers, because
 * the sanitizer uses memory of its own.
 */
#ifndef TESTS_SUPPORT_INSTRUMENTED_H
#define TESTS_SUPPORT_INSTRUMENTED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif

#endif
