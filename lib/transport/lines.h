/* SPDX-License-Identifier: MIT
 *
 * lines.h - one message per line over two descriptors: the common part of stdio.c and
 * pair.c.  Private to lib/transport.
 *
 * Bytes are read straight into the framer's buffer, at most MCPH_TURN_BYTES a turn.  Each
 * message costs a part of this budget.  A job continues with the remaining messages in
 * the next turn.
 *
 * Messages to be written are collected in one buffer.  A job writes the buffer.  The
 * descriptor to write to is in the epoll set only while the peer accepts no more bytes.
 * No deadlock occurs when the peer blocks on its output while its input is full, because
 * reading and writing never wait for each other.
 *
 * A transport embeds struct mcph_lines as its first member.  The operations of the
 * transport decide how to treat end of file, a lost reader and a lack of memory.
 */
#ifndef MCPH_TRANSPORT_LINES_H
#define MCPH_TRANSPORT_LINES_H

#include "transport/transport.h"

/* The result of reading for a turn. */
enum {
    MCPH_LINES_MORE,   /* the turn's budget is spent */
    MCPH_LINES_EMPTY,  /* nothing more is available now */
    MCPH_LINES_EOF,    /* the input has ended; `fault` says why */
    MCPH_LINES_NOMEM,  /* no memory; reading is tried again shortly */
    MCPH_LINES_BEHIND, /* the budget is spent, and the framer holds frames */
    MCPH_LINES_OVER    /* a line exceeded the limit, and `strict` is set */
};

struct mcph_lines;

struct mcph_lines_ops {
    /* Returns the descriptor to write to. */
    int (*out_fd)(struct mcph_lines *l);
    /* Called when a turn of reading has ended.  `how` is any result except
     * MCPH_LINES_NOMEM.  After MCPH_LINES_EOF the source has been removed. */
    void (*was_read)(struct mcph_lines *l, int how);
    /* Called when too many tries in a row have found no memory for reading. */
    void (*starved)(struct mcph_lines *l);
    /* Called when writing failed with the errno `fault`.  The queue has been dropped. */
    void (*broken)(struct mcph_lines *l, int fault);
    /* Called when the queue is empty.  May be NULL. */
    void (*drained)(struct mcph_lines *l);
    /* Frees the transport.  The function must call mcph_lines_done(). */
    void (*release)(struct mcph_lines *l);
};

struct mcph_lines {
    struct mcph_transport base;
    const struct mcph_lines_ops *ops;
    struct mcph_framer framer;
    struct mcph_buf out;
    size_t committed; /* bytes of `out` to be sent; a message being built follows */
    size_t written;   /* bytes of `out` that were written */
    struct mcph_source in, outs;
    int in_fd; /* the descriptor to read from; -1 when reading has ended */
    struct mcph_job flush, ahead;
    struct mcph_meter meter; /* counts the bytes read in a turn */
    struct mcph_timer retry;
    unsigned nomem; /* tries in a row that found no memory for reading */
    size_t taken;   /* total of bytes read */
    int fault;      /* errno that ended the input; 0 at end of file */
    unsigned busy;  /* depth of calls that can run callbacks of the user */
    bool left;      /* the framer may hold frames not yet reported */
    bool eof;       /* the input has ended */
    bool half;      /* the input has ended, but the peer still reads */
    bool broken;    /* the peer accepts no more bytes */
    bool ended;     /* closed(0) was reported, or close was called */
    bool posted;    /* `flush` is posted */
    bool behind;    /* `ahead` is posted: the next turn continues reading */
    bool freed;
    /* The transport sets these members before the first turn. */
    bool strict;                /* a line over the limit ends the reading */
    bool in_socket, out_socket; /* the descriptor is a socket: MSG_DONTWAIT keeps calls
                                 * from blocking */
    bool in_file, out_file;     /* the descriptor is a file that epoll refuses; the file
                                 * is always ready */
};

/* Initialises the common part of a transport.  Returns 0 or MCPHOST_E_NOMEM.  Call
 * mcph_lines_done() in either case. */
int mcph_lines_init(struct mcph_lines *l, struct mcph_core *core,
                    const struct mcph_lines_ops *ops, size_t queue_max);
void mcph_lines_done(struct mcph_lines *l);
/* Stops reading and writing.  Calls release() at once, or when nothing uses the transport
 * any more.  After this call, no event is reported. */
void mcph_lines_free(struct mcph_lines *l);

static inline struct mcph_lines *
mcph_lines_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF((struct mcph_transport *)(uintptr_t)t, struct mcph_lines,
                             base);
}

/* Call mcph_lines_enter() before code that can report an event, and mcph_lines_leave()
 * after this code.  After mcph_lines_leave() the transport may have been released. */
static inline void
mcph_lines_enter(struct mcph_lines *l)
{
    l->busy++;
}
void mcph_lines_leave(struct mcph_lines *l);

/* Reads for a turn.  Later turns continue the reading without another call.  Call this
 * between mcph_lines_enter() and mcph_lines_leave(). */
void mcph_lines_read_turn(struct mcph_lines *l);
/* Begins to read in the next turn.  Later turns continue the reading without another
 * call. */
void mcph_lines_read_later(struct mcph_lines *l);
/* Reads at most `budget` bytes now.  Call this between mcph_lines_enter() and
 * mcph_lines_leave().  Returns MCPH_LINES_*. */
int mcph_lines_read(struct mcph_lines *l, size_t budget);
void mcph_lines_stop_reading(struct mcph_lines *l);

/* Writes as many queued bytes as the peer accepts now, at most MCPH_TURN_BYTES. */
void mcph_lines_write(struct mcph_lines *l);
/* Posts a job that writes the queue. */
void mcph_lines_post_flush(struct mcph_lines *l);
/* Stops writing and drops the queue. */
void mcph_lines_stop_writing(struct mcph_lines *l);

/* Functions for struct mcph_transport_ops. */
int mcph_lines_begin(struct mcph_transport *t, struct mcph_buf **ret_buf);
size_t mcph_lines_get_queued(const struct mcph_transport *t);
int mcph_lines_commit(struct mcph_transport *t, const struct mcph_header *headers,
                      size_t n_headers, int kind, uint64_t stream);

#endif
