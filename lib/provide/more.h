/* SPDX-License-Identifier: MIT
 *
 * more.h - what a call has that reports progress, asks its client side, or wants to hear
 * that it is not wanted any more: most calls have none of it.
 */
#ifndef MCPH_PROVIDE_MORE_H
#define MCPH_PROVIDE_MORE_H

#include "provide/inner.h"

/* Those of a call; NULL is fine.  Frees arguments, so never under the lock. */
void mcph_more_free(struct mcph_providing_more *more);
/* The dispatcher's: the call is over.  `unwanted`: its function is told. */
void mcph_more_over(mcphost_provider_call *call, bool unwanted);
/* Any thread; for a call that is open.  0, MCPHOST_E_STATE, MCPHOST_E_NOMEM,
 * MCPHOST_E_FORKED. */
int mcph_more_report(mcphost_provider_call *call, double progress, double total,
                     const char *text, size_t len);
/* The questions of a call, made if there are none; under the lock.  NULL: no memory. */
struct mcph_list *mcph_more_asks_locked(mcphost_provider_call *call, size_t **ret_n);

/* ask.c; the dispatcher's. */
void mcph_asks_over(struct mcph_list *asks);

#endif
