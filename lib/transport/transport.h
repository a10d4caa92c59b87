/* SPDX-License-Identifier: MIT
 *
 * transport.h - the room `transport`: messages to and from one peer, by whatever
 * carries them.
 *
 * One interface, written for HTTP from the start: a connection has streams, a
 * message has headers and a kind.  A transport that knows neither (`stdio`)
 * has one stream, 0, and ignores the headers.
 *
 *   new -> open -> [message | status | closed(stream)]* -> closed(0) -> close -> gone
 *
 * Two parties look at a transport.  Its *owner* made it, is told of what happens
 * to the peer as a thing in the world (a pid, a line on stderr, nothing left of
 * it), closes and frees it.  Its *user*, a protocol client, sends and is told of
 * messages.  Both may be called from dispatch only, never from inside open, begin,
 * commit, close or set_user, and both may call every function below from there,
 * mcph_transport_free() too.
 *
 * This room knows no method of MCP and keeps no table of requests.  It belongs to
 * the thread that dispatches.
 */
#ifndef MCPH_TRANSPORT_H
#define MCPH_TRANSPORT_H

#include <sys/types.h>

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "net/net.h"
#include "proc/proc.h"
#include "rpc/rpc.h"

struct mcph_transport;

/*
 * What a message is, for transports to which it matters: a request opens a stream of
 * its own on HTTP, notifications and responses are acknowledged and done.  INITIALIZE
 * is a request that begins a legacy session anew: none is named with it, and the one
 * that its answer names goes with all that follows.  LISTEN is a request whose stream
 * stays open for as long as the peer likes.  CALL is a request that may have effects: a
 * transport that sends others again when a connection ends under them does not send this
 * one again once it may have reached the peer.
 *
 * With `streams` the sender gives each message a number, above 0 and never twice on
 * one transport; what the peer says in answer is told under it.  What comes on no
 * request's stream is told under 0.  The stream of a request ends by closed() once,
 * after the answer or for want of one; of the others nothing is told unless they were
 * refused or could not be sent.
 */
enum {
    MCPH_SEND_REQUEST,
    MCPH_SEND_NOTIFICATION,
    MCPH_SEND_RESPONSE,
    MCPH_SEND_INITIALIZE,
    MCPH_SEND_LISTEN,
    MCPH_SEND_CALL
};

/* A header by its plain value; the transport encodes what its wire cannot carry. */
struct mcph_header {
    const char *name;
    struct mcph_span value;
};

/* ---- the user's side --------------------------------------------------------------- */

struct mcph_transport_user {
    /* One message, in wire order within its stream.  The frame is borrowed. */
    void (*message)(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame,
                    void *arg);
    /* What the carrier itself said about a stream, when that was not plain success:
     * an HTTP status with the headers that matter (names in lower case) and the first
     * bytes of the body, which may be a message that is not told otherwise.  closed()
     * follows.  May be NULL: then such a stream just closes. */
    void (*status)(struct mcph_transport *t, uint64_t stream, int code,
                   const struct mcph_header *headers, size_t n_headers,
                   struct mcph_span body, void *arg);
    /* Stream 0 had broken off and goes on: what the peer said there meanwhile is lost.
     * May be NULL. */
    void (*missed)(struct mcph_transport *t, void *arg);
    /* The peer sends nothing more, but still takes messages; closed(0) follows when it
     * does not, too.  `reason` is what closed(0) would say.  May be NULL: then closed(0)
     * is told instead. */
    void (*half_closed)(struct mcph_transport *t, mcphost_error *reason, void *arg);
    /* Nothing more comes on this stream.  Stream 0 is the connection: the last event
     * for the user; a send fails from now on.  `reason` is borrowed and never NULL:
     * MCPHOST_E_SPAWN when the program never ran, MCPHOST_E_TRANSPORT for a
     * connection lost, others as they are.  It says what is known (exit status) and
     * carries the tail of stderr; it does not name the server. */
    void (*closed)(struct mcph_transport *t, uint64_t stream, mcphost_error *reason,
                   void *arg);
};

/* ---- the owner's side -------------------------------------------------------------- */

/* Each may be NULL. */
struct mcph_transport_owner {
    /* The peer runs; `pid` is the server's, 0 when there is none to speak of.
     * Before the first message. */
    void (*up)(struct mcph_transport *t, pid_t pid, void *arg);
    /* Nothing is left of the peer and nothing more will be heard: the last event.
     * It comes once for a transport that was opened, after closed(0) was told or
     * close was called. */
    void (*gone)(struct mcph_transport *t, void *arg);
    /* stdio: as in proc/proc.h. */
    void (*stderr_line)(struct mcph_transport *t, const char *line, size_t len,
                        uint64_t lost, void *arg);
    void (*unguarded)(struct mcph_transport *t, mcphost_error *err, void *arg);
    void (*left)(struct mcph_transport *t, int n, void *arg);
};

/* `error` is borrowed. */
typedef void (*mcph_diagnosed_fn)(struct mcph_transport *t, mcphost_error *error,
                                  void *arg);

/* ---- what a transport implements --------------------------------------------------- */

struct mcph_transport_ops {
    const char *name; /* "stdio" */
    int (*open)(struct mcph_transport *t, mcphost_error **reterr);
    int (*begin)(struct mcph_transport *t, struct mcph_buf **ret_buf);
    int (*commit)(struct mcph_transport *t, const struct mcph_header *headers,
                  size_t n_headers, int kind, uint64_t stream);
    void (*close_stream)(struct mcph_transport *t, uint64_t stream);
    void (*close)(struct mcph_transport *t);
    void (*kill)(struct mcph_transport *t);
    void (*free)(struct mcph_transport *t, int64_t wait_ms);
    void (*attach_tail)(struct mcph_transport *t, mcphost_error *err);
    /* Puts asterisks where secrets that it knows stand in `text`; may be NULL. */
    void (*cover)(struct mcph_transport *t, char *text, size_t len);
    /* As the functions mcph_transport_*() of these names; may be NULL. */
    bool (*awaits_credentials)(struct mcph_transport *t);
    int (*get_containment)(const struct mcph_transport *t);
    size_t (*get_queued)(const struct mcph_transport *t);
    int (*diagnose)(struct mcph_transport *t, mcphost_error *error, int64_t wait_ms,
                    mcph_diagnosed_fn done, void *arg);
};

enum {
    MCPH_TRANSPORT_NEW,
    MCPH_TRANSPORT_OPEN,   /* messages may be sent */
    MCPH_TRANSPORT_CLOSED, /* closed(0) was told, or close was called */
    MCPH_TRANSPORT_GONE
};

/* Embedded first in each implementation. */
struct mcph_transport {
    const struct mcph_transport_ops *ops;
    struct mcph_core *core;
    int state;
    bool wants_headers; /* the user makes headers only when this is set */
    bool streams;       /* each request has a stream of its own */
    const struct mcph_transport_owner *owner;
    void *owner_arg;
    const struct mcph_transport_user
        *user; /* NULL: nobody listens, messages are dropped */
    void *user_arg;
    /* transport.c's own */
    const char *server;        /* for the trace; NULL: unknown */
    struct mcph_mask *mask;    /* a reference, or NULL */
    struct mcph_buf *building; /* of a message that is traced, behind `built` */
    size_t built;
};

/* ---- using one (transport.c) ------------------------------------------------------- */

/* Starts; what comes of it is told by events.  On failure no event comes and the
 * transport may only be freed.  May be called once. */
int mcph_transport_open(struct mcph_transport *t, mcphost_error **reterr);

/* For the trace (MCPHOST_LOG_TRACE): whom it leads to, which outlives the transport; and
 * what is not to be shown in it nor in errors.  Takes a reference. */
void mcph_transport_set_trace(struct mcph_transport *t, const char *server,
                              struct mcph_mask *mask);

/* Who gets messages and closings from now on; `user` (NULL: nobody) must outlive
 * the transport or the next call. */
void mcph_transport_set_user(struct mcph_transport *t,
                             const struct mcph_transport_user *user, void *arg);

/*
 * Sending in place: begin gives the buffer behind which the message is to be added
 * (without a line end and without a raw newline in it), commit sends it.  Between
 * the two nothing else may be called on the transport.  When building fails, nobody
 * commits: the next begin takes away what was added.
 *
 * begin returns 0, MCPHOST_E_TRANSPORT (not open, or lost) or MCPHOST_E_LIMIT (the
 * peer does not read and the queue is full).  commit returns 0, or NOMEM or LIMIT,
 * and then the message is taken out again.  Bytes leave at the end of the turn:
 * what was committed together goes out together.
 */
int mcph_transport_begin(struct mcph_transport *t, struct mcph_buf **ret_buf);
int mcph_transport_commit(struct mcph_transport *t, const struct mcph_header *headers,
                          size_t n_headers, int kind, uint64_t stream);
/* Both around a message that exists already. */
int mcph_transport_send(struct mcph_transport *t, struct mcph_span message,
                        const struct mcph_header *headers, size_t n_headers, int kind,
                        uint64_t stream);

/* Bytes that were sent and that the peer has not taken yet, as far as it is known. */
size_t mcph_transport_get_queued(const struct mcph_transport *t);

/* Gives up one stream (HTTP: cancels its request); without streams no effect. */
void mcph_transport_close_stream(struct mcph_transport *t, uint64_t stream);

/* The orderly end, idempotent.  What is queued is still written as far as the peer
 * takes it at once; messages that come in the meantime are dropped; closed(0) is
 * not told any more; gone follows.  On stdio this is the stop ladder. */
void mcph_transport_close(struct mcph_transport *t);
/* The same without patience. */
void mcph_transport_kill(struct mcph_transport *t);
/* At any time; no event comes any more.  What still lives is killed and waited for,
 * at most `wait_ms`.  Returns NULL; NULL is allowed. */
struct mcph_transport *mcph_transport_free(struct mcph_transport *t, int64_t wait_ms);

/* Hangs what the peer said last on stderr on an error of the user's own making. */
void mcph_transport_attach_tail(struct mcph_transport *t, mcphost_error *err);

/* Whether the application is asked for the credentials that this server wants, and has
 * not answered: the silence is not the server's. */
bool mcph_transport_awaits_credentials(struct mcph_transport *t);
/* MCPHOST_CONTAINMENT_* of the server's process; AUTO: it has none, or not yet. */
int mcph_transport_get_containment(const struct mcph_transport *t);
/* Why the server did not come up (B.15): the transport asks the server, and tells `done`,
 * at most `wait_ms` and five seconds later and never from inside, the same error with the
 * answers, the likely cause and a remedy.  wait_ms 0 or less: nothing is asked, because
 * the server was silent for all its time.  Nothing else is sent over the transport
 * meanwhile.  Closing it ends the diagnosis without an event.  0, MCPHOST_E_STATE (this
 * transport has no diagnosis) or MCPHOST_E_NOMEM; on failure `done` is not told. */
int mcph_transport_diagnose(struct mcph_transport *t, mcphost_error *error,
                            int64_t wait_ms, mcph_diagnosed_fn done, void *arg);

/* For implementations: tell the parties, if there are any.  After tell_closed(0)
 * the state is CLOSED; after tell_gone GONE.  The transport may have been freed
 * when they return; implementations look at a flag of their own. */
void mcph_transport_tell_message(struct mcph_transport *t, uint64_t stream,
                                 struct mcph_frame *frame);
void mcph_transport_tell_status(struct mcph_transport *t, uint64_t stream, int code,
                                const struct mcph_header *headers, size_t n_headers,
                                struct mcph_span body);
void mcph_transport_tell_missed(struct mcph_transport *t);
/* False: the user does not take it. */
bool mcph_transport_tell_half_closed(struct mcph_transport *t, mcphost_error *reason);
void mcph_transport_tell_closed(struct mcph_transport *t, uint64_t stream,
                                mcphost_error *reason);
void mcph_transport_tell_gone(struct mcph_transport *t);

/* ---- the trace (trace.c); for implementations -------------------------------------- */

/* Puts asterisks where the value stands as it is, if it is long enough to be told from a
 * word: for what a server itself has named. */
void mcph_cover_value(const char *value, size_t value_len, char *text, size_t len);
/* One line of the trace, begun with `<` or `>`, secrets covered. */
void mcph_trace(struct mcph_transport *t, const char *mark, const char *what,
                struct mcph_span text);
static inline bool
mcph_trace_wanted(const struct mcph_transport *t)
{
    return mcph_log_wants(t->core, MCPHOST_LOG_TRACE);
}

/* ---- stdio (stdio.c) ------------------------------------------------------------------
 * A child process of lib/proc, one message a line.  closed(0) comes when the server
 * ended (what it had written is read first, up to a limit), when it closed its
 * stdout or stdin and did not end within a short grace, or when memory ran out. */

#define MCPH_STDIO_QUEUE_MAX ((size_t)64 * 1024 * 1024) /* bytes not yet written */
#define MCPH_STDIO_GRACE_MS  200 /* from end of file to the news of the exit */
#define MCPH_STDIO_DRAIN_MAX ((size_t)1024 * 1024) /* read after the exit, at most */

/* The process starts in open; until then `spec` and all it points to are borrowed. */
int mcph_stdio_new(struct mcph_core *core, const struct mcph_proc_spec *spec,
                   const struct mcph_transport_owner *owner, void *owner_arg,
                   struct mcph_transport **ret, mcphost_error **reterr);
/* Limits; 0 means the default.  Before open. */
void mcph_stdio_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_stdio_set_frame_limit(struct mcph_transport *t, size_t limit);
void mcph_stdio_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                         struct mcph_ration *ration);
pid_t mcph_stdio_pid(const struct mcph_transport *t); /* 0: not known yet */

/* ---- descriptors of somebody else (pair.c) --------------------------------------------
 * A peer that others have connected: one message a line, read from one descriptor and
 * written to another, which may be the same.  Pipes, sockets, terminals and files.
 *
 * half_closed() comes when the peer has ended its output behind a whole message and still
 * takes input.  closed(0) comes when it takes no more input, or has ended its output in
 * the middle of a message (MCPHOST_E_TRANSPORT), when it sent a line over the limit, or
 * when it does not read and the queue is full (both MCPHOST_E_LIMIT), and when memory ran
 * out.  A message that
 * finds the queue full is refused with MCPHOST_E_LIMIT; closed(0) follows if the peer
 * already kept others waiting.  What is queued when the peer's output ends, or at close,
 * is still written for MCPH_PAIR_FLUSH_MS at most; gone follows.  up() is not told. */

#define MCPH_PAIR_QUEUE_MAX ((size_t)64 * 1024 * 1024) /* bytes not yet written */
#define MCPH_PAIR_FLUSH_MS  1000

/* Takes duplicates: `in` and `out` stay the caller's, who may close them, and their flags
 * are the same again when the transport is gone or freed.  Only as far as there is no
 * other way they are non-blocking meanwhile.  The connection ends for the peer when the
 * caller's descriptors are closed, too; nothing is shut down.
 * 0; MCPHOST_E_INVALID: not open, or not for reading or writing; MCPHOST_E_LIMIT: no
 * more descriptors; MCPHOST_E_NOMEM. */
int mcph_pair_new(struct mcph_core *core, int in, int out,
                  const struct mcph_transport_owner *owner, void *owner_arg,
                  struct mcph_transport **ret, mcphost_error **reterr);
/* Limits; 0 means the default.  Before open. */
void mcph_pair_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_pair_set_frame_limit(struct mcph_transport *t, size_t limit);

/* ---- joined in memory (joint.c) -------------------------------------------------------
 * Two ends: what is committed on one is told on the other, in order, by a job.  Closing
 * or freeing one tells closed(0) on the other, behind what was sent; gone follows on
 * both.  An end that is not open yet keeps what it is sent.  up() is not told. */

#define MCPH_JOINT_QUEUE_MAX ((size_t)64 * 1024 * 1024) /* not yet told, each way */

/* The owners may be NULL.  0, MCPHOST_E_NOMEM. */
int mcph_joint_new(struct mcph_core *core, const struct mcph_transport_owner *owner_a,
                   void *arg_a, const struct mcph_transport_owner *owner_b, void *arg_b,
                   struct mcph_transport **ret_a, struct mcph_transport **ret_b);

/* ---- HTTP (http.c) --------------------------------------------------------------------
 * Streamable HTTP of both eras.  Each request stands for itself: when it cannot be
 * sent its stream is closed, with a reason that says what happened; closed(0) is told
 * only when memory ran out.  A legacy server's own messages come on stream 0; a status
 * 404 told there says that it knows the session no more, and so does one for a request:
 * INITIALIZE begins another.  up() is not told. */

/* Whether the server speaks HTTP+SSE of 2024-11-05: then the end of its stream is told
 * by closed(0). */
enum {
    MCPH_HTTP_SSE_NO,
    MCPH_HTTP_SSE_MAYBE, /* if it takes no initialize otherwise */
    MCPH_HTTP_SSE_YES
};

struct mcph_http_spec {
    const char *server; /* for the log */
    const char *url;
    /* The user's, on every request; those that the protocol has a say in are left out. */
    const struct mcph_net_header *headers;
    size_t n_headers;
    /* To be taken up by the first request, until an INITIALIZE begins another; never
     * ended.  NULL: none. */
    const char *session_id;
    int sse; /* MCPH_HTTP_SSE_* */
    struct mcph_net_site site;
    /* What is not to be shown; the headers and credentials that it sends are added.
     * NULL: one of its own. */
    struct mcph_mask *mask;
};

/* Everything is copied but `net`, which outlives the transport. */
int mcph_http_new(struct mcph_core *core, struct mcph_net *net,
                  const struct mcph_http_spec *spec,
                  const struct mcph_transport_owner *owner, void *owner_arg,
                  struct mcph_transport **ret, mcphost_error **reterr);
/* As of stdio; before open. */
void mcph_http_set_frame_limit(struct mcph_transport *t, size_t limit);
void mcph_http_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                        struct mcph_ration *ration);
/* Who keeps the credentials, and outlives the transport; NULL: nobody. */
void mcph_http_set_auth(struct mcph_transport *t, struct mcph_net_auth *auth);
/* How long a stream that stays open may be silent; 0: the default. */
void mcph_http_set_idle(struct mcph_transport *t, int64_t ms);
/* How long close waits for the answer to the DELETE that ends a session: 2000. */
void mcph_http_set_leave(struct mcph_transport *t, int64_t ms);
/* Whether a user's header of this name would be left out. */
bool mcph_http_is_reserved(const char *name);

#endif
