/* SPDX-License-Identifier: MIT
 *
 * inner.h - declarations for the files of lib/provide only.
 */
#ifndef MCPH_PROVIDE_INNER_H
#define MCPH_PROVIDE_INNER_H

#include "provide/provide.h"

/* Takes the core's lock to change a provider before its start (provider.c).  Returns 0
 * with the lock held, MCPHOST_E_STATE if the provider was started or closed, or the code
 * of mcph_core_enter(). */
int mcph_provider_enter_new(mcphost_provider *provider);
void mcph_provider_drop_features(mcphost_provider *provider);

/* The functions of life.c. */
void mcph_life_init(mcphost_provider *provider);
/* Begins the teardown if the provider is closing and its list of calls is empty.  Call
 * this function after a call has left the list. */
void mcph_life_check_calls(mcphost_provider *provider);

/* The functions of news.c. */
struct mcph_provider_news *
mcph_news_new(mcphost_provider *provider); /* returns NULL if memory is short */
/* Reports pending events at once, so that the client gets them before an answer. */
void mcph_news_tell(mcphost_provider *provider);
void mcph_news_free(struct mcph_provider_news *news);
/* Discards pending events.  Call this function in the dispatcher only. */
void mcph_news_end(mcphost_provider *provider);

/* Ends a call of a closing provider, if the call's answer was not reported yet
 * (call.c).  The call gets an error, even if the provider's function has answered the
 * call.  Call this function in the dispatcher only. */
void mcph_providing_end(mcphost_provider_call *call, int code, const char *why);
/* Returns true if the call is open.  Call this function under the lock. */
static inline bool
mcph_providing_is_open(const mcphost_provider_call *call)
{
    return atomic_load_explicit(&call->state, memory_order_relaxed) ==
           MCPH_PROVIDING_OPEN;
}

#endif
