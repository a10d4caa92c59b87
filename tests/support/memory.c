/* SPDX-License-Identifier: MIT
 *
 * memory.c - a transport inside the process.
 *
 * One job serves both directions.  The job first passes the lines of the transport's user
 * to the peer, then passes the peer's bytes through a framer to the user.  A send only
 * queues the data, so that the events come in the same order as over a pipe.  Data that
 * does not fit into one turn, or for which there was no memory, waits for the next turn.
 */
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

#define QUEUE_MAX   ((size_t)64 * 1024 * 1024)
#define NOMEM_TRIES 8

struct chunk {
    struct mcph_list link;
    size_t len;
    char data[];
};

struct memory {
    struct mcph_transport base;
    const struct mcph_memory_peer *peer;
    void *peer_arg;
    void (*on_headers)(const struct mcph_header *, size_t, int, void *);
    void *headers_arg;
    struct mcph_buf out;       /* lines that wait for the peer */
    size_t committed;          /* bytes of complete lines in `out` */
    struct mcph_framer framer; /* splits the bytes for the user into messages */
    struct mcph_list chunks;   /* of struct chunk: bytes that the peer wrote */
    size_t chunk_bytes;
    mcphost_error *reason; /* the peer's reason for closing; may be NULL */
    unsigned nomem;        /* attempts in a row that failed for lack of memory */
    bool ended;            /* the peer has closed its side */
    bool closed;           /* the user has closed the transport */
    bool stalled, posted, busy, freed;
    struct mcph_job job;
};

static struct memory *
memory_of(struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF(t, struct memory, base);
}

static void
post(struct memory *m)
{
    if (m->posted)
        return;
    m->posted = true;
    mcph_core_post(m->base.core, &m->job);
}

static void
release(struct memory *m)
{
    mcph_list_for_each_safe (it, &m->chunks)
        free(MCPH_LIST_ENTRY(it, struct chunk, link));
    mcph_framer_done(&m->framer);
    mcph_buf_done(&m->out);
    mcphost_error_unref(m->reason);
    mcph_core_unref(m->base.core);
    free(m);
}

/* ---- to the peer ------------------------------------------------------------------- */

static void
give_lines(struct memory *m)
{
    struct mcph_buf out = m->out;
    const char *p, *end, *nl;

    if (m->committed == 0 || m->stalled)
        return;
    p = out.data;
    end = p + m->committed;
    mcph_buf_init(&m->out, out.max);
    m->committed = 0;
    while (!m->freed && p < end) {
        nl = memchr(p, '\n', (size_t)(end - p));
        if (m->peer && m->peer->received)
            m->peer->received(&m->base, mcph_span(p, (size_t)(nl - p)), m->peer_arg);
        p = nl + 1;
    }
    mcph_buf_done(&out);
}

/* ---- to the user ------------------------------------------------------------------- */

/* Passes the frames that the framer holds to the user.  Returns 0 or MCPHOST_E_NOMEM. */
static int
give_frames(struct memory *m)
{
    struct mcph_frame *frame;
    int r;

    for (;;) {
        r = mcph_framer_next(&m->framer, &frame);
        if (r <= 0)
            return r;
        m->nomem = 0;
        mcph_transport_tell_message(&m->base, 0, frame);
        mcph_frame_unref(frame);
        if (m->freed)
            return 0;
    }
}

static int
give_chunks(struct memory *m)
{
    size_t given = 0;
    int r = give_frames(m);

    while (r == 0 && !m->freed && given < MCPH_TURN_BYTES &&
           !mcph_list_empty(&m->chunks)) {
        struct chunk *c = MCPH_LIST_ENTRY(m->chunks.next, struct chunk, link);

        r = mcph_framer_put(&m->framer, c->data, c->len);
        if (r < 0)
            return r;
        mcph_list_remove(&c->link);
        m->chunk_bytes -= c->len;
        given += c->len;
        free(c);
        r = give_frames(m);
    }
    return r;
}

static void
tell_end(struct memory *m, int code, const char *text)
{
    mcphost_error *err = NULL;

    if (m->reason)
        err = mcphost_error_ref(m->reason);
    else
        mcph_err(&err, code, "%s", text);
    mcph_transport_tell_closed(&m->base, 0, err);
    mcphost_error_unref(err);
    if (!m->freed)
        mcph_transport_tell_gone(&m->base);
}

static void
work(struct memory *m)
{
    int r;

    give_lines(m);
    if (m->freed)
        return;
    if (m->closed) {
        if (m->peer && m->peer->closed)
            m->peer->closed(&m->base, m->peer_arg);
        if (!m->freed)
            mcph_transport_tell_gone(&m->base);
        return;
    }
    r = give_chunks(m);
    if (m->freed || m->closed)
        return;
    if (r < 0 && ++m->nomem >= NOMEM_TRIES) {
        tell_end(m, MCPHOST_E_NOMEM, "out of memory while reading");
        return;
    }
    if (r < 0 || !mcph_list_empty(&m->chunks))
        post(m);
    else if (m->ended && m->base.state == MCPH_TRANSPORT_OPEN)
        tell_end(m, MCPHOST_E_TRANSPORT, "closed the connection");
}

static void
run_job(struct mcph_job *job)
{
    struct memory *m = MCPH_CONTAINER_OF(job, struct memory, job);

    m->posted = false;
    if (!m->freed) {
        m->busy = true;
        work(m);
        m->busy = false;
    }
    if (m->freed)
        release(m);
}

/* ---- the transport's functions ----------------------------------------------------- */

static int
memory_open(struct mcph_transport *t, mcphost_error **reterr)
{
    (void)reterr;
    post(memory_of(t));
    return 0;
}

static int
memory_begin(struct mcph_transport *t, struct mcph_buf **ret_buf)
{
    struct memory *m = memory_of(t);

    if (m->ended)
        return MCPHOST_E_TRANSPORT;
    m->out.len = m->committed; /* drop the written part of a failed message */
    m->out.err = 0;
    *ret_buf = &m->out;
    return 0;
}

static int
memory_commit(struct mcph_transport *t, const struct mcph_header *headers,
              size_t n_headers, int kind, uint64_t stream)
{
    struct memory *m = memory_of(t);
    int r = mcph_buf_addc(&m->out, '\n');

    (void)stream;
    if (r < 0)
        return r;
    m->committed = m->out.len;
    if (m->on_headers)
        m->on_headers(headers, n_headers, kind, m->headers_arg);
    post(m);
    return 0;
}

static void
memory_close(struct mcph_transport *t)
{
    struct memory *m = memory_of(t);

    m->closed = true;
    post(m);
}

static void
memory_free(struct mcph_transport *t, int64_t wait_ms)
{
    struct memory *m = memory_of(t);

    (void)wait_ms;
    m->freed = true;
    if (!m->posted && !m->busy)
        release(m);
}

static size_t
memory_get_queued(const struct mcph_transport *t)
{
    return MCPH_CONTAINER_OF(t, const struct memory, base)->committed;
}

static const struct mcph_transport_ops memory_ops = {
    .name = "memory",
    .open = memory_open,
    .begin = memory_begin,
    .commit = memory_commit,
    .close = memory_close,
    .free = memory_free,
    .get_queued = memory_get_queued,
};

struct mcph_transport *
mcph_memory_new(struct mcph_core *core, const struct mcph_transport_owner *owner,
                void *owner_arg, const struct mcph_memory_peer *peer, void *peer_arg)
{
    struct memory *m = calloc(1, sizeof(*m));

    if (!m)
        return NULL;
    m->base.ops = &memory_ops;
    m->base.core = mcph_core_ref(core);
    m->base.owner = owner;
    m->base.owner_arg = owner_arg;
    m->peer = peer;
    m->peer_arg = peer_arg;
    m->job.run = run_job;
    mcph_list_init(&m->chunks);
    mcph_framer_init(&m->framer, 0);
    mcph_buf_init(&m->out, QUEUE_MAX);
    return &m->base;
}

void
mcph_memory_set_queue_max(struct mcph_transport *t, size_t max)
{
    memory_of(t)->out.max = max;
}

void
mcph_memory_set_frame_limit(struct mcph_transport *t, size_t limit)
{
    mcph_framer_set_limit(&memory_of(t)->framer, limit);
}

/* ---- the peer's functions ---------------------------------------------------------- */

int
mcph_memory_peer_write(struct mcph_transport *t, const char *data, size_t len)
{
    struct memory *m = memory_of(t);
    struct chunk *c;

    if (m->ended)
        return 0;
    if (len > QUEUE_MAX - m->chunk_bytes)
        return MCPHOST_E_LIMIT;
    c = malloc(sizeof(*c) + len);
    if (!c)
        return MCPHOST_E_NOMEM;
    memcpy(c->data, data, len);
    c->len = len;
    mcph_list_append(&m->chunks, &c->link);
    m->chunk_bytes += len;
    post(m);
    return 0;
}

void
mcph_memory_peer_close(struct mcph_transport *t, mcphost_error *reason)
{
    struct memory *m = memory_of(t);

    if (m->ended)
        return;
    m->ended = true;
    m->reason = mcphost_error_ref(reason);
    post(m);
}

void
mcph_memory_peer_stall(struct mcph_transport *t, bool on)
{
    struct memory *m = memory_of(t);

    m->stalled = on;
    if (!on)
        post(m);
}

void
mcph_memory_watch_headers(struct mcph_transport *t,
                          void (*fn)(const struct mcph_header *headers, size_t n_headers,
                                     int kind, void *arg),
                          void *arg)
{
    struct memory *m = memory_of(t);

    m->base.wants_headers = fn != NULL;
    m->on_headers = fn;
    m->headers_arg = arg;
}
