/* SPDX-License-Identifier: MIT
 *
 * pending.h - between endpoint.c and pending.c; private to the room `rpc`.
 */
#ifndef MCPH_RPC_PENDING_H
#define MCPH_RPC_PENDING_H

#include "rpc/rpc.h"

struct mcph_rpc_call *mcph_rpc_pending_find(struct mcph_rpc *rpc,
                                            const struct mcph_rpc_id *id);
/* Counts an answer that no call waits for: true if a call waited for it once and was
 * abandoned. */
bool mcph_rpc_pending_miss(struct mcph_rpc *rpc, const struct mcph_rpc_id *id);
/* Out of the table, then on_answer. */
void mcph_rpc_pending_finish(struct mcph_rpc_call *call,
                             const struct mcph_rpc_answer *answer);
/* Progress came: starts the deadline anew when the call wants that. */
void mcph_rpc_pending_progress(struct mcph_rpc_call *call);

#endif
