/* SPDX-License-Identifier: MIT
 *
 * memory.h - a transport inside the process, whose peer's end is the test's.
 *
 * Two ends joined by the loop's jobs, so that the order of things is what it is on a
 * pipe: nothing arrives before the next turn.
 */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include "transport/transport.h"

struct mcph_memory_peer {
    /* One line that the user sent, without the newline; may be NULL. */
    void (*received)(struct mcph_transport *t, struct mcph_span line, void *arg);
    /* The user closed. */
    void (*closed)(struct mcph_transport *t, void *arg);
};

/* NULL: no memory. */
struct mcph_transport *
mcph_memory_new(struct mcph_core *core, const struct mcph_transport_owner *owner,
                void *owner_arg, const struct mcph_memory_peer *peer, void *peer_arg);
void mcph_memory_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_memory_set_frame_limit(struct mcph_transport *t, size_t limit);
/* Raw bytes to the user, framed or not, as if by one write(2): a message may come
 * in many pieces, a piece may hold many messages.  0, MCPHOST_E_NOMEM or _LIMIT. */
int mcph_memory_peer_write(struct mcph_transport *t, const char *data, size_t len);
/* The peer's end: behind what was written, closed(0) with this reason (a reference
 * is taken; NULL: "closed the connection"). */
void mcph_memory_peer_close(struct mcph_transport *t, mcphost_error *reason);
/* While on, the peer takes nothing: what is sent stays in the queue. */
void mcph_memory_peer_stall(struct mcph_transport *t, bool on);
/* The headers of the messages are asked for and handed to `fn` at commit. */
void mcph_memory_watch_headers(struct mcph_transport *t,
                               void (*fn)(const struct mcph_header *headers,
                                          size_t n_headers, int kind, void *arg),
                               void *arg);

#endif
