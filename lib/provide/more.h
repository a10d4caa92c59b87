/* SPDX-License-Identifier: MIT
 *
 * more.h - the extra state of a call that reports progress, asks the client side, or
 * watches for its cancellation.  Most calls have no extra state.
 */
#ifndef MCPH_PROVIDE_MORE_H
#define MCPH_PROVIDE_MORE_H

#include "provide/inner.h"

/* Frees the extra state of a call.  `more` may be NULL.  Never call this function under
 * the lock, because the function runs `free_arg` of the application. */
void mcph_more_free(struct mcph_providing_more *more);
/* Ends the questions of a call that is over.  If `unwanted` is true, queues the call's
 * watch function.  Call mcph_more_over() in the dispatcher only. */
void mcph_more_over(mcphost_provider_call *call, bool unwanted);
/* Posts a progress report of an open call.  Any thread may call this function.  Returns
 * 0, MCPHOST_E_STATE, MCPHOST_E_NOMEM or MCPHOST_E_FORKED. */
int mcph_more_report(mcphost_provider_call *call, double progress, double total,
                     const char *text, size_t len);
/* Returns the list of the call's open questions.  *ret_n points to the number of
 * questions.  Call this function under the lock.  Returns NULL if memory is short. */
struct mcph_list *mcph_more_asks_locked(mcphost_provider_call *call, size_t **ret_n);

/* Ends all questions with MCPHOST_E_CANCELLED (ask.c).  Call this function in the
 * dispatcher only. */
void mcph_asks_over(struct mcph_list *asks);

#endif
