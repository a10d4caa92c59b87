/* SPDX-License-Identifier: MIT
 *
 * life.c - the life of a provider: setup, calls, drain, teardown.
 *
 *   NEW --the first listener--> SETUP --> UP --close--> CLOSING --the last call--> DOWN
 *                                 \--> FAILED
 *
 * A close also takes a provider from NEW or FAILED to CLOSING.
 *
 * Setup and teardown run in deliveries (loop/loop.h), because they are functions of the
 * application.  Each posted job and each queued delivery holds a reference to the
 * provider.
 */
#include "provide/inner.h"

static void
set_state(mcphost_provider *provider, int state)
{
    atomic_store_explicit(&provider->state, state, memory_order_release);
}

/* ---- setup ------------------------------------------------------------------------- */

/* Calls `up` of a listener that was told nothing yet.  If the provider was closed before
 * the listener began to listen, calls `closing` instead. */
static void
tell_listener(mcphost_provider *provider, struct mcph_listener *listener)
{
    int state = provider->state;
    bool is_usable = state == MCPH_PROVIDER_UP;

    if (listener->is_told)
        return;
    listener->is_told = true;
    if (is_usable || state == MCPH_PROVIDER_FAILED) {
        if (listener->ops->up)
            listener->ops->up(listener, is_usable ? NULL : provider->why);
    } else if (listener->ops->closing) {
        listener->ops->closing(listener);
    }
}

static void
tell_up(struct mcph_job *job)
{
    mcphost_provider *provider = MCPH_CONTAINER_OF(job, mcphost_provider, up_job);

    mcph_list_for_each_safe (link, &provider->listeners)
        tell_listener(provider, MCPH_LIST_ENTRY(link, struct mcph_listener, link));
    mcph_provider_unref(provider);
}

/* Posts a job that tells the provider's state to each listener that was told nothing
 * yet. */
static void
tell_up_soon(mcphost_provider *provider)
{
    mcph_core_lock(provider->core);
    if (mcph_list_empty(&provider->up_job.link)) {
        mcph_provider_ref(provider);
        mcph_core_post_locked(provider->core, &provider->up_job);
    }
    mcph_core_unlock(provider->core);
}

static void
set_failure(mcphost_provider *provider, int code, mcphost_error *err)
{
    if (!err)
        mcph_err(&err, code, "its setup failed: %s", mcphost_strerror(code));
    mcph_core_lock(provider->core);
    provider->why = err;
    mcph_core_unlock(provider->core);
}

/* Calls the setup function of the application, unless the provider was closed before.
 * Then posts the report to the listeners.  If mcph_provider_close() was called before or
 * during the setup, finishes the close instead. */
static void
run_setup(struct mcph_delivery *delivery)
{
    mcphost_provider *provider =
        MCPH_CONTAINER_OF(delivery, mcphost_provider, life_delivery);
    mcphost_error *err = NULL;
    int r = 0;

    if (!provider->closed) {
        /* Log the configuration of a plugin after the setup, because the setup of a
         * plugin sets the defaults. */
        if (!provider->plugin)
            mcph_provider_log_config(provider);
        if (provider->setup)
            r = provider->setup(provider, provider->life->arg, &err);
        if (provider->plugin)
            mcph_provider_log_config(provider);
        provider->was_set_up = r >= 0;
    }
    if (r < 0)
        set_failure(provider, r, err);
    else
        mcphost_error_unref(err);
    set_state(provider, r < 0 ? MCPH_PROVIDER_FAILED : MCPH_PROVIDER_UP);
    if (provider->closed)
        mcph_provider_close(provider, 0);
    else
        tell_up_soon(provider);
    mcph_provider_unref(provider);
}

void
mcph_provider_listen(mcphost_provider *provider, struct mcph_listener *listener)
{
    listener->is_told = false;
    mcph_list_append(&provider->listeners, &listener->link);
    if (provider->state == MCPH_PROVIDER_NEW) {
        set_state(provider, MCPH_PROVIDER_SETUP);
        mcph_provider_ref(provider);
        provider->life_delivery.deliver = run_setup;
        mcph_list_init(&provider->life_delivery.link);
        mcph_core_deliver(provider->core, &provider->life_delivery);
    } else if (provider->state != MCPH_PROVIDER_SETUP) {
        tell_up_soon(provider);
    }
}

void
mcph_provider_unlisten(mcphost_provider *provider, struct mcph_listener *listener)
{
    mcph_list_remove(&listener->link);
    if (provider->is_withdrawn)
        mcph_provider_withdraw(provider);
}

void
mcph_provider_withdraw(mcphost_provider *provider)
{
    provider->is_withdrawn = true;
    if (mcph_list_empty(&provider->listeners))
        mcph_provider_close(provider, 0);
}

/* ---- teardown ---------------------------------------------------------------------- */

/* Calls the teardown function of the application if the setup succeeded.  Then sets the
 * state DOWN, and drops the features, the pending events, the functions of the
 * application and the reference to a plugin's code. */
static void
run_teardown(struct mcph_delivery *delivery)
{
    mcphost_provider *provider =
        MCPH_CONTAINER_OF(delivery, mcphost_provider, life_delivery);
    struct mcph_hook *life = provider->life;

    if (provider->teardown && provider->was_set_up)
        provider->teardown(provider, life->arg);
    set_state(provider, MCPH_PROVIDER_DOWN);
    mcph_provider_drop_features(provider);
    mcph_news_end(provider);
    provider->life = NULL;
    mcph_hook_unref(life);
    provider->code = mcph_code_unref(provider->code);
    mcph_provider_unref(provider);
}

static void
begin_teardown(mcphost_provider *provider)
{
    mcph_timer_done(&provider->drain);
    mcph_provider_ref(provider);
    provider->life_delivery.deliver = run_teardown;
    mcph_list_init(&provider->life_delivery.link);
    mcph_core_deliver(provider->core, &provider->life_delivery);
}

void
mcph_life_check_calls(mcphost_provider *provider)
{
    if (provider->state == MCPH_PROVIDER_CLOSING && mcph_list_empty(&provider->calls) &&
        !provider->is_ending) {
        provider->is_ending = true;
        begin_teardown(provider);
    }
}

static void
end_calls(mcphost_provider *provider)
{
    mcph_provider_ref(provider);
    while (!mcph_list_empty(&provider->calls))
        mcph_providing_end(
            MCPH_LIST_ENTRY(provider->calls.next, mcphost_provider_call, link),
            MCPHOST_E_CANCELLED, "the provider was closed");
    mcph_life_check_calls(provider);
    mcph_provider_unref(provider);
}

static void
on_drain_due(struct mcph_timer *timer)
{
    end_calls(MCPH_CONTAINER_OF(timer, mcphost_provider, drain));
}

static void
tell_closing(mcphost_provider *provider)
{
    mcph_list_for_each_safe (link, &provider->listeners) {
        struct mcph_listener *l = MCPH_LIST_ENTRY(link, struct mcph_listener, link);

        l->is_told = true;
        if (l->ops->closing)
            l->ops->closing(l);
    }
}

static void
set_drain(mcphost_provider *provider, int64_t drain_ms)
{
    if (mcph_timer_init(&provider->drain, provider->core, on_drain_due) < 0)
        end_calls(provider);
    else
        mcph_timer_set(&provider->drain, mcph_core_now(provider->core) + drain_ms);
}

void
mcph_provider_close(mcphost_provider *provider, int64_t drain_ms)
{
    int state = provider->state;
    bool again = state == MCPH_PROVIDER_CLOSING || state == MCPH_PROVIDER_DOWN;

    mcph_core_lock(provider->core);
    provider->closed = true;
    mcph_core_unlock(provider->core);
    if (state == MCPH_PROVIDER_SETUP)
        return; /* run_setup() closes the provider after the setup */
    mcph_provider_ref(provider);
    if (!again) {
        set_state(provider, MCPH_PROVIDER_CLOSING);
        tell_closing(provider);
    }
    if (drain_ms == 0)
        end_calls(provider);
    else if (drain_ms > 0 && !again)
        set_drain(provider, drain_ms);
    mcph_life_check_calls(provider);
    mcph_provider_unref(provider);
}

void
mcph_life_init(mcphost_provider *provider)
{
    provider->up_job.run = tell_up;
    mcph_list_init(&provider->up_job.link);
    mcph_list_init(&provider->life_delivery.link);
    atomic_init(&provider->state, MCPH_PROVIDER_NEW);
}
