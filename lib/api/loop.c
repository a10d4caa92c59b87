/* SPDX-License-Identifier: MIT
 *
 * loop.c - the public functions of <mcphost/loop.h>, and mcphost_set_log().
 *
 * While a function dispatches, it holds a reference to the host, because a callback may
 * drop the application's last reference.
 */
#include "host/host.h"

static int
with_host(mcphost *host, int (*fn)(mcphost *host, int64_t arg), int64_t arg)
{
    int r;

    if (!host)
        return MCPHOST_E_INVALID;
    if (!mcph_host_try_get(host))
        return MCPHOST_E_CLOSED;
    r = fn(host, arg);
    mcph_host_put(host);
    return r;
}

int
mcphost_get_fd(mcphost *host)
{
    return host ? mcph_core_get_fd(host->core) : MCPHOST_E_INVALID;
}

static int
dispatch_once(mcphost *host, int64_t unused)
{
    (void)unused;
    return mcph_core_dispatch(host->core);
}

int
mcphost_dispatch(mcphost *host)
{
    return with_host(host, dispatch_once, 0);
}

static int
wait_turn(mcphost *host, int64_t timeout_ms)
{
    return mcph_core_wait(host->core, timeout_ms);
}

int
mcphost_wait(mcphost *host, int64_t timeout_ms)
{
    return with_host(host, wait_turn, timeout_ms);
}

static bool
ready_or_closing(void *arg)
{
    mcphost *host = arg;

    return host->ready || host->closing || host->ended;
}

static int
wait_ready(mcphost *host, int64_t timeout_ms)
{
    bool loaded, ready;
    int r = mcph_host_enter(host);

    if (r < 0)
        return r;
    loaded = host->loaded;
    mcph_core_leave(host->core);
    if (!loaded)
        return MCPHOST_E_STATE;
    r = mcph_core_wait_until(host->core, ready_or_closing, host, timeout_ms);
    if (r <= 0)
        return r;
    mcph_core_lock(host->core);
    ready = host->ready;
    mcph_core_unlock(host->core);
    return ready ? 1 : MCPHOST_E_CLOSED;
}

int
mcphost_wait_ready(mcphost *host, int64_t timeout_ms)
{
    return with_host(host, wait_ready, timeout_ms);
}

int
mcphost_set_driven(mcphost *host, int driven)
{
    return host ? mcph_core_set_driven(host->core, driven != 0) : MCPHOST_E_INVALID;
}

int
mcphost_wake(mcphost *host)
{
    return host ? mcph_core_interrupt(host->core) : MCPHOST_E_INVALID;
}

int
mcphost_thread_start(mcphost *host)
{
    return host ? mcph_core_thread_start(host->core) : MCPHOST_E_INVALID;
}

int
mcphost_thread_stop(mcphost *host)
{
    return host ? mcph_core_thread_stop(host->core) : MCPHOST_E_INVALID;
}

int
mcphost_thread_is_current(mcphost *host)
{
    return host && mcph_core_thread_is_current(host->core);
}

int
mcphost_set_log(mcphost *host, int level, mcphost_log_fn fn, void *arg,
                mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (host && level >= MCPHOST_LOG_NONE && level <= MCPHOST_LOG_TRACE)
        r = mcph_core_forked(host->core)
                ? MCPHOST_E_FORKED
                : mcph_core_set_log(host->core, level, fn, arg, free_arg);
    if (free_arg && (r < 0 || !fn))
        free_arg(arg);
    return r;
}
