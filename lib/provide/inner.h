/* SPDX-License-Identifier: MIT
 *
 * inner.h - what the files of the room `provide` share among themselves.
 */
#ifndef MCPH_PROVIDE_INNER_H
#define MCPH_PROVIDE_INNER_H

#include "provide/provide.h"

/* provider.c.  The lock is held when it returns 0; MCPHOST_E_STATE: it was started. */
int mcph_provider_enter_new(mcphost_provider *provider);
void mcph_provider_drop_features(mcphost_provider *provider);

/* life.c */
void mcph_life_init(mcphost_provider *provider);
/* An open call has ended: the last one may be waited for. */
void mcph_life_check_calls(mcphost_provider *provider);

/* news.c */
struct mcph_provider_news *
mcph_news_new(mcphost_provider *provider); /* NULL: no memory */
/* Tells at once what waits to be told: what comes before an answer is heard before it. */
void mcph_news_tell(mcphost_provider *provider);
void mcph_news_free(struct mcph_provider_news *news);
/* Discards the news that were not told yet; the dispatcher's. */
void mcph_news_end(mcphost_provider *provider);

/* call.c: ends a call of which the provider rids itself; the dispatcher's. */
void mcph_providing_end(mcphost_provider_call *call, int code, const char *why);
/* Whether it is open; under the lock. */
static inline bool
mcph_providing_is_open(const mcphost_provider_call *call)
{
    return atomic_load_explicit(&call->state, memory_order_relaxed) ==
           MCPH_PROVIDING_OPEN;
}

#endif
