/* SPDX-License-Identifier: MIT
 *
 * tsan.c - shows ThreadSanitizer the synchronization inside Rust's std.
 *
 * The std of a toolchain is not instrumented, so ThreadSanitizer sees only the parts of
 * std that the compiler puts into the tests and the crate.  tsan.sh links the tests with
 * --wrap for the functions below.  LOCK_CONTENDED and SCOPED_THREAD_ENDS are the symbols
 * of two functions of std.  A program calls the first for a mutex that is locked, and the
 * second at the end of a thread of a scope.
 */

/* the number of words of std's ScopeData */
#define SCOPE_WORDS 3

#define JOIN(prefix, symbol)   #prefix #symbol
#define SYMBOL(prefix, symbol) __asm__(JOIN(prefix, symbol))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

long __real___tsan_atomic64_fetch_sub(volatile long *count, long n, int order);
long __wrap___tsan_atomic64_fetch_sub(volatile long *count, long n, int order);

void real_lock_contended(void *mutex) SYMBOL(__real_, LOCK_CONTENDED);
void wrap_lock_contended(void *mutex) SYMBOL(__wrap_, LOCK_CONTENDED);

void real_scoped_thread_ends(void **scope, _Bool panicked)
    SYMBOL(__real_, SCOPED_THREAD_ENDS);
void wrap_scoped_thread_ends(void **scope, _Bool panicked)
    SYMBOL(__wrap_, SCOPED_THREAD_ENDS);

/* The drop of an Arc releases its count, and acquires it by a fence if the count is 0.
 * ThreadSanitizer does not know fences. */
long
__wrap___tsan_atomic64_fetch_sub(volatile long *count, long n, int order)
{
    if (order == __ATOMIC_RELEASE)
        order = __ATOMIC_ACQ_REL;
    return __real___tsan_atomic64_fetch_sub(count, n, order);
}

/* The unlock, which is a part of the program, releases the mutex at this address. */
void
wrap_lock_contended(void *mutex)
{
    real_lock_contended(mutex);
    __tsan_acquire(mutex);
}

/* The end of the scope, which is a part of the program, acquires the number of threads.
 * The number is one of the words, and the compiler decides which one. */
void
wrap_scoped_thread_ends(void **scope, _Bool panicked)
{
    for (int i = 0; i < SCOPE_WORDS; i++)
        __tsan_release(scope + i);
    real_scoped_thread_ends(scope, panicked);
}
