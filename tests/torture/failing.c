/* SPDX-License-Identifier: MIT
 *
 * failing.c - makes allocations fail on demand, and counts and records allocations.
 */
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/instrumented.h"
#include "torture/failing.h"

#define DEPTH   24
#define WATCHED 16384

static _Thread_local struct {
    bool armed, watching, happened;
    int mode, paused;
    long left, count, live;
} state;

bool
failing_possible(void)
{
    /* Call malloc() through a pointer, because the compiler could inline a direct call.
     * Valgrind does not redirect inlined code. */
    void *(*volatile allocate)(size_t) = malloc;
    void *block;

#if INSTRUMENTED
    return false;
#endif
    failing_arm(-1, FAIL_ONCE);
    block = allocate(1);
    free(block);
    return failing_disarm() == 1;
}

void
failing_arm(long nth, int mode)
{
    state.left = nth;
    state.mode = mode;
    state.count = 0;
    state.paused = 0;
    state.happened = false;
    state.armed = true;
}

long
failing_disarm(void)
{
    state.armed = false;
    return state.count;
}

bool
failing_happened(void)
{
    return state.happened;
}

void
failing_pause(void)
{
    state.paused++;
}

void
failing_resume(void)
{
    state.paused--;
}

long
failing_live(void)
{
    return state.live;
}

/* ---- records of allocations -------------------------------------------------------- */

struct origin {
    void *block;
    int n;
    void *frames[DEPTH];
};

static struct origin watched[WATCHED], failed;

static void
write_text(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

void
failing_watch(void)
{
    void *frames[2];

    (void)backtrace(frames, 2); /* the first use loads a library */
    memset(watched, 0, sizeof(watched));
    failed = (struct origin){0};
    state.watching = true;
}

void
failing_report(void)
{
    state.watching = false;
    if (failed.n) {
        write_text("---- the first allocation that failed:\n");
        backtrace_symbols_fd(failed.frames, failed.n, STDERR_FILENO);
    }
    for (size_t i = 0; i < WATCHED; i++) {
        if (!watched[i].block)
            continue;
        write_text("---- never freed:\n");
        backtrace_symbols_fd(watched[i].frames, watched[i].n, STDERR_FILENO);
    }
}

/* ---- malloc and its relatives ------------------------------------------------------ */

#if !INSTRUMENTED

static void
note(struct origin *origin, void *block)
{
    state.watching = false; /* backtrace() may allocate */
    origin->block = block;
    origin->n = backtrace(origin->frames, DEPTH);
    state.watching = true;
}

static void
watch_block(void *block)
{
    for (size_t i = 0; i < WATCHED; i++) {
        if (!watched[i].block) {
            note(&watched[i], block);
            return;
        }
    }
}

static void
unwatch_block(const void *block)
{
    for (size_t i = 0; i < WATCHED; i++) {
        if (watched[i].block == block) {
            watched[i].block = NULL;
            return;
        }
    }
}

/* These are the C library's own functions, under the names that it exports for
 * replacements. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *ptr);

static bool
fails(void)
{
    if (!state.armed || state.paused)
        return false;
    state.count++;
    if (state.left < 0)
        return false;
    if (state.left > 0) {
        state.left--;
        return false;
    }
    if (state.mode == FAIL_ONCE)
        state.left = -1;
    state.happened = true;
    if (state.watching && !failed.n)
        note(&failed, NULL);
    errno = ENOMEM;
    return true;
}

static void *
counted(void *block)
{
    state.live += block != NULL;
    if (block && state.watching)
        watch_block(block);
    return block;
}

static void
uncounted(const void *block)
{
    state.live -= block != NULL;
    if (block && state.watching)
        unwatch_block(block);
}

void *
malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *
realloc(void *ptr, size_t size)
{
    void *block;

    if (fails())
        return NULL;
    if (!ptr)
        return counted(__libc_malloc(size));
    block = __libc_realloc(ptr, size);
    if (block || size == 0) {
        uncounted(ptr);
        counted(block);
    }
    return block;
}

void *
reallocarray(void *ptr, size_t n, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(n, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(ptr, total);
}

void *
memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **ret, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);

    if (!block)
        return ENOMEM;
    *ret = block;
    return 0;
}

void
free(void *ptr)
{
    uncounted(ptr);
    __libc_free(ptr);
}

#endif
