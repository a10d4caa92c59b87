/* SPDX-License-Identifier: MIT
 *
 * memory.h - a transport inside the process, whose peer is the test.
 *
 * A job of the loop connects the peer and the user, which is the library's code that uses
 * the transport.  Nothing arrives before the next turn of the loop, so that events have
 * the same order as on a pipe.
 */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include "transport/transport.h"

struct mcph_memory_peer {
    /* Receives one line that the transport's user sent, without the newline.  May be
     * NULL. */
    void (*received)(struct mcph_transport *t, struct mcph_span line, void *arg);
    /* Runs after the user has closed the transport. */
    void (*closed)(struct mcph_transport *t, void *arg);
};

/* Makes a transport and its peer.  Returns NULL if there is no memory. */
struct mcph_transport *
mcph_memory_new(struct mcph_core *core, const struct mcph_transport_owner *owner,
                void *owner_arg, const struct mcph_memory_peer *peer, void *peer_arg);
void mcph_memory_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_memory_set_frame_limit(struct mcph_transport *t, size_t limit);
/* Passes raw bytes from the peer to the user.  The bytes of one call may be a part of a
 * message or many messages.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
int mcph_memory_peer_write(struct mcph_transport *t, const char *data, size_t len);
/* Ends the peer's side.  The user first gets everything that the peer wrote.  Then the
 * transport calls the user's function closed() with stream 0 and this reason.  Takes a
 * reference to `reason`.  If `reason` is NULL, the reason is "closed the connection". */
void mcph_memory_peer_close(struct mcph_transport *t, mcphost_error *reason);
/* If `on` is true, makes the peer stop reading.  Otherwise makes the peer read again.
 * While the peer does not read, sent messages stay in the queue. */
void mcph_memory_peer_stall(struct mcph_transport *t, bool on);
/* Makes the user build headers for each message.  Passes the headers to `fn` when the
 * user commits the message. */
void mcph_memory_watch_headers(struct mcph_transport *t,
                               void (*fn)(const struct mcph_header *headers,
                                          size_t n_headers, int kind, void *arg),
                               void *arg);

#endif
