/* SPDX-License-Identifier: MIT
 *
 * pending.h - the table of waiting requests (pending.c), for endpoint.c alone.
 */
#ifndef MCPH_RPC_PENDING_H
#define MCPH_RPC_PENDING_H

#include "rpc/rpc.h"

struct mcph_rpc_call *mcph_rpc_pending_find(struct mcph_rpc *rpc,
                                            const struct mcph_rpc_id *id);
/* Counts an answer that no call waits for.  Returns true if the answer counts as late
 * (struct mcph_rpc_counters). */
bool mcph_rpc_pending_miss(struct mcph_rpc *rpc, const struct mcph_rpc_id *id);
/* Removes the call from the table and then calls its on_answer. */
void mcph_rpc_pending_finish(struct mcph_rpc_call *call,
                             const struct mcph_rpc_answer *answer);
/* Restarts the call's timeout_ms after progress, if the call has `progress_resets`. */
void mcph_rpc_pending_progress(struct mcph_rpc_call *call);

#endif
