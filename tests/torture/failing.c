/* SPDX-License-Identifier: MIT
 *
 * failing.c - see failing.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "torture/failing.h"

/* The C library's own, under the names it keeps for this purpose. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void __libc_free(void *ptr);

static _Thread_local struct {
    bool armed, paused;
    int mode;
    long left, count, live;
} state;

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
    errno = ENOMEM;
    return true;
}

static void *
counted(void *ptr)
{
    state.live += ptr != NULL;
    return ptr;
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
    block = __libc_realloc(ptr, size);
    if (!ptr)
        counted(block);
    else if (!block && size == 0)
        state.live--;
    return block;
}

void
free(void *ptr)
{
    state.live -= ptr != NULL;
    __libc_free(ptr);
}

void
failing_arm(long nth, int mode)
{
    state.left = nth;
    state.mode = mode;
    state.count = 0;
    state.paused = false;
    state.armed = true;
}

long
failing_disarm(void)
{
    state.armed = false;
    return state.count;
}

void
failing_pause(void)
{
    state.paused = true;
}

void
failing_resume(void)
{
    state.paused = false;
}

long
failing_live(void)
{
    return state.live;
}
