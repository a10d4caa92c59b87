/* SPDX-License-Identifier: MIT
 *
 * memory.h - a transport inside the process, for which the test plays the peer.
 *
 * Jobs of the loop join the two ends, so events come in the same order as on a pipe:
 * nothing arrives before the next turn.
 */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include "transport/transport.h"

struct mcph_memory_peer {
    /* One line that the transport's user sent, without the newline.  May be NULL. */
    void (*received)(struct mcph_transport *t, struct mcph_span line, void *arg);
    /* The user closed the transport. */
    void (*closed)(struct mcph_transport *t, void *arg);
};

/* Returns NULL if there is no memory. */
struct mcph_transport *
mcph_memory_new(struct mcph_core *core, const struct mcph_transport_owner *owner,
                void *owner_arg, const struct mcph_memory_peer *peer, void *peer_arg);
void mcph_memory_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_memory_set_frame_limit(struct mcph_transport *t, size_t limit);
/* Passes raw bytes to the user, framed or not, as if by one write(2): a message may come
 * in many pieces, a piece may hold many messages.  Returns 0, MCPHOST_E_NOMEM or
 * _LIMIT. */
int mcph_memory_peer_write(struct mcph_transport *t, const char *data, size_t len);
/* Ends the peer's side.  After everything that was written, the user gets closed(0) with
 * this reason.  A reference is taken.  NULL: "closed the connection". */
void mcph_memory_peer_close(struct mcph_transport *t, mcphost_error *reason);
/* While on, the peer reads nothing, so sent messages stay in the queue. */
void mcph_memory_peer_stall(struct mcph_transport *t, bool on);
/* Makes the user build headers for each message, and passes them to `fn` at commit. */
void mcph_memory_watch_headers(struct mcph_transport *t,
                               void (*fn)(const struct mcph_header *headers,
                                          size_t n_headers, int kind, void *arg),
                               void *arg);

#endif
