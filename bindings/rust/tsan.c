/* SPDX-License-Identifier: MIT
 *
 * tsan.c - shows ThreadSanitizer the synchronization inside Rust's std.
 *
 * The std of a toolchain is not instrumented, so ThreadSanitizer sees only the parts of
 * std that the compiler puts into the tests and the crate.  tsan.sh links the tests with
 * --wrap for the functions below.  LOCK_CONTENDED and SCOPED_THREAD_ENDS are the symbols
 * of two functions of std.  A program calls LOCK_CONTENDED for a mutex that is locked,
 * and SCOPED_THREAD_ENDS at the end of a thread of a scope.
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

/* Use acquire-release order, because std releases the count of an Arc and then acquires
 * the count with a fence.  ThreadSanitizer does not know fences. */
long
__wrap___tsan_atomic64_fetch_sub(volatile long *count, long n, int order)
{
    if (order == __ATOMIC_RELEASE)
        order = __ATOMIC_ACQ_REL;
    return __real___tsan_atomic64_fetch_sub(count, n, order);
}

/* Adds the acquire of std, which ThreadSanitizer does not see.  The unlock of the mutex
 * is compiled into the program, and releases this address. */
void
wrap_lock_contended(void *mutex)
{
    real_lock_contended(mutex);
    __tsan_acquire(mutex);
}

/* Adds the release of std, which ThreadSanitizer does not see.  The end of the scope is
 * compiled into the program, and acquires the number of running threads.  The function
 * releases every word, because only the compiler knows which word has the number. */
void
wrap_scoped_thread_ends(void **scope, _Bool panicked)
{
    for (int i = 0; i < SCOPE_WORDS; i++)
        __tsan_release(scope + i);
    real_scoped_thread_ends(scope, panicked);
}
