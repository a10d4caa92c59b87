/* SPDX-License-Identifier: MIT
 *
 * sleep.c - threads that sleep until a turn of another thread makes their condition true.
 *
 * The threads sleep on a counter (a futex), not on a condition variable.  If a thread may
 * be sleeping, a thread that changes data of a condition increments the counter and wakes
 * all sleepers.  A signal handler may wake sleepers, too.  A sleeper reads the counter
 * before it checks its condition, so that a change between the check and the sleep ends
 * the sleep at once.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loop/core.h"

_Static_assert(sizeof(atomic_uint) == sizeof(uint32_t), "a futex has 32 bits");

void
mcph_core_wake_sleepers(struct mcph_core *core)
{
    atomic_fetch_add(&core->beat, 1);
    syscall(SYS_futex, &core->beat, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void
mcph_core_beat(struct mcph_core *core)
{
    if (atomic_exchange(&core->sleepers, false))
        mcph_core_wake_sleepers(core);
}

bool
mcph_core_sleep_locked(struct mcph_core *core, unsigned seen, int64_t deadline)
{
    struct timespec ts = {.tv_sec = (time_t)(deadline / 1000),
                          .tv_nsec = (long)(deadline % 1000) * 1000000};
    long r;
    int e;

    mcph_core_unlock(core);
    r = syscall(SYS_futex, &core->beat, FUTEX_WAIT_BITSET_PRIVATE, seen,
                deadline < 0 ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);
    e = errno;
    mcph_core_lock(core);
    return r == 0 || e != ETIMEDOUT;
}

/* ---- ending a wait ----------------------------------------------------------------- */

/* Ends the waits in progress, or the next wait.  Takes no lock and preserves errno,
 * because signal handlers may call this function. */
int
mcph_core_interrupt(struct mcph_core *core)
{
    static const uint64_t one = 1;
    int e = errno;

    if (mcph_core_forked(core))
        return MCPHOST_E_FORKED;
    atomic_fetch_add(&core->interrupts, 1);
    mcph_core_wake_sleepers(core);
    (void)!write(core->evfd, &one, sizeof(one));
    errno = e;
    return 0;
}

bool
mcph_core_interrupted_locked(struct mcph_core *core, unsigned begun)
{
    unsigned now = atomic_load(&core->interrupts);

    if (now == begun)
        return false;
    /* Leave the count of taken interrupts unchanged if the core is deserted, so that all
     * later waits end, too. */
    if (!core->deserted)
        core->interrupts_taken = now;
    return true;
}
