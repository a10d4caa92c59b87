/* SPDX-License-Identifier: MIT
 *
 * lines.h - one message a line, over two descriptors: what stdio.c and pair.c share.
 * Private to the room.
 *
 * Reading: straight into the framer's buffer, at most MCPH_TURN_BYTES a turn, of which
 * each message takes its share; messages that are left go on by a job in the next turn.
 * Writing: messages gather in one buffer, a job writes it once all jobs of the turn
 * have had their say; only while the peer does not take more does the descriptor stand
 * in epoll.  The two never wait for each other, so a peer that blocks on its output while
 * we block on its input cannot happen.
 *
 * A transport embeds struct mcph_lines first and decides by its operations what an end
 * of file, a lost reader or a lack of memory means.
 */
#ifndef MCPH_TRANSPORT_LINES_H
#define MCPH_TRANSPORT_LINES_H

#include "transport/transport.h"

/* How a turn of reading ended. */
enum {
    MCPH_LINES_MORE,   /* the turn's budget is spent */
    MCPH_LINES_EMPTY,  /* there is no more for now */
    MCPH_LINES_EOF,    /* nothing more comes; `fault` says why */
    MCPH_LINES_NOMEM,  /* reading goes on in a moment */
    MCPH_LINES_BEHIND, /* the framer holds more than this turn may take */
    MCPH_LINES_OVER    /* a line over the limit, and `strict` */
};

struct mcph_lines;

struct mcph_lines_ops {
    /* The descriptor to write to. */
    int (*out_fd)(struct mcph_lines *l);
    /* A turn of reading has ended like this, with anything but NOMEM.  After EOF the
     * source has been removed. */
    void (*was_read)(struct mcph_lines *l, int how);
    /* Memory was short for so many tries that reading does not go on. */
    void (*starved)(struct mcph_lines *l);
    /* Writing has failed, with this errno; the queue has been dropped. */
    void (*broken)(struct mcph_lines *l, int fault);
    /* The queue is empty.  May be NULL. */
    void (*drained)(struct mcph_lines *l);
    /* Frees the transport; calls mcph_lines_done(). */
    void (*release)(struct mcph_lines *l);
};

struct mcph_lines {
    struct mcph_transport base;
    const struct mcph_lines_ops *ops;
    struct mcph_framer framer;
    struct mcph_buf out;
    size_t committed; /* of out; behind it a message is being built */
    size_t written;   /* of out */
    struct mcph_source in, outs;
    int in_fd; /* -1: nothing more is read */
    struct mcph_job flush, ahead;
    struct mcph_meter meter; /* of what is read */
    struct mcph_timer retry;
    unsigned nomem; /* tries in a row that found no memory */
    size_t taken;   /* bytes that were read */
    int fault;      /* errno of the read that ended it; 0: end of file */
    unsigned busy;  /* inside a call to somebody else */
    bool left;      /* the framer may hold frames that were not given */
    bool eof;       /* nothing more comes in */
    bool half;      /* and the peer still reads */
    bool broken;    /* the peer takes nothing more */
    bool ended;     /* the user was told, or nobody wants to know any more */
    bool posted;    /* `flush` */
    bool behind;    /* `ahead` is posted: there is more for the next turn */
    bool freed;
    /* Set before the first turn: */
    bool strict;                /* a line over the limit ends the reading */
    bool in_socket, out_socket; /* non-blocking by the call, not by the descriptor */
    bool in_file, out_file;     /* always ready, and unknown to epoll */
};

/* 0, MCPHOST_E_NOMEM.  Either way mcph_lines_done() is due. */
int mcph_lines_init(struct mcph_lines *l, struct mcph_core *core,
                    const struct mcph_lines_ops *ops, size_t queue_max);
void mcph_lines_done(struct mcph_lines *l);
/* From now on nothing is told; release follows, maybe at once. */
void mcph_lines_free(struct mcph_lines *l);

static inline struct mcph_lines *
mcph_lines_of(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF((struct mcph_transport *)(uintptr_t)t, struct mcph_lines,
                             base);
}

/* Around whatever may tell somebody something.  After leave it may have been released. */
static inline void
mcph_lines_enter(struct mcph_lines *l)
{
    l->busy++;
}
void mcph_lines_leave(struct mcph_lines *l);

/* Reads for a turn and goes on later by itself; between enter and leave. */
void mcph_lines_read_turn(struct mcph_lines *l);
/* The same in the next turn. */
void mcph_lines_read_later(struct mcph_lines *l);
/* Reads so much at once; between enter and leave.  Returns MCPH_LINES_*. */
int mcph_lines_read(struct mcph_lines *l, size_t budget);
void mcph_lines_stop_reading(struct mcph_lines *l);

/* Writes what the peer takes at once. */
void mcph_lines_write(struct mcph_lines *l);
/* Has the queue written at the end of the turn. */
void mcph_lines_post_flush(struct mcph_lines *l);
/* Drops the queue. */
void mcph_lines_stop_writing(struct mcph_lines *l);

/* For struct mcph_transport_ops. */
int mcph_lines_begin(struct mcph_transport *t, struct mcph_buf **ret_buf);
size_t mcph_lines_get_queued(const struct mcph_transport *t);
int mcph_lines_commit(struct mcph_transport *t, const struct mcph_header *headers,
                      size_t n_headers, int kind, uint64_t stream);

#endif
