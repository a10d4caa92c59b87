/* SPDX-License-Identifier: MIT
 *
 * transport.h - interface of lib/transport: exchange messages with one peer over stdio,
 * HTTP, descriptors or memory.
 *
 * There is one interface for all transports.  A connection has streams, and a message has
 * headers and a kind, because HTTP needs them.  Every other transport has only stream 0
 * and ignores the headers.
 *
 *   new -> open -> [message | status | closed(stream)]* -> closed(0) -> close -> gone
 *
 * A transport has an owner and a user.  The *owner* creates, closes and frees the
 * transport.  The owner gets the events about the peer's process: its pid, a line on
 * stderr, the end of its last process.  The *user*, a protocol client, sends messages and
 * gets the peer's messages.  Events come from dispatch only, never from inside open,
 * begin, commit, close or set_user.  An event may call every function below, even
 * mcph_transport_free().
 *
 * lib/transport knows no method of MCP and keeps no table of requests.  Only the thread
 * that dispatches calls its functions.
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
 * The kinds of messages, for transports that treat them differently.  On HTTP a request
 * opens a stream of its own.  A notification or a response is only acknowledged.
 * INITIALIZE is a request that begins a new legacy session.  INITIALIZE is sent without a
 * session.  All later messages are sent with the session that the answer to INITIALIZE
 * names.  LISTEN is a request whose stream stays open until the peer ends the stream.
 * CALL is a request that may have effects.  A CALL is not sent again once it may have
 * reached the peer.  The transport may send any other request again if the connection
 * ends before the answer.
 *
 * If `streams` of the transport is true, the sender must give each message a number
 * above 0 and must never use this number again on this transport.  The peer's answers
 * to a message are reported under the number of the message.  Messages that belong to
 * no request's stream are reported under 0.  A request's stream ends with one closed(),
 * whether an answer came or not, unless the sender closes the stream, the connection
 * ends, or the server accepts the request over HTTP+SSE and answers on stream 0.
 * closed() reports any other message only if it is refused or cannot be sent.
 */
enum {
    MCPH_SEND_REQUEST,
    MCPH_SEND_NOTIFICATION,
    MCPH_SEND_RESPONSE,
    MCPH_SEND_INITIALIZE,
    MCPH_SEND_LISTEN,
    MCPH_SEND_CALL
};

/* A header with its plain value.  The transport encodes values that its protocol cannot
 * carry. */
struct mcph_header {
    const char *name;
    struct mcph_span value;
};

/* ---- the user's side --------------------------------------------------------------- */

/* The transport's own answer on a stream: an HTTP status other than plain success.  All
 * members are borrowed.  Secrets are masked. */
struct mcph_transport_status {
    int code; /* the HTTP status */
    /* The relevant headers, with names in lower case. */
    const struct mcph_header *headers;
    size_t n_headers;
    /* The first bytes of the body.  If the body is a message, message() does not report
     * this message. */
    struct mcph_span body;
    const char *unhelped; /* why credentials do not help, or NULL */
};

struct mcph_transport_user {
    /* Reports one message, in the order of arrival within its stream.  The frame is
     * borrowed. */
    void (*message)(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame,
                    void *arg);
    /* Reports a message that the transport has already parsed with the default limit on
     * nesting.  `msg->frame` is the message's frame.  If this function is NULL, the
     * transport calls message(). */
    void (*parsed)(struct mcph_transport *t, uint64_t stream,
                   const struct mcph_rpc_message *msg, void *arg);
    /* Reports the transport's own answer.  closed() usually follows.  closed() does not
     * follow 404 on stream 0 (the session is unknown), or 202 over HTTP+SSE (the answer
     * to the request comes on stream 0).  If this function is NULL, only closed() is
     * reported. */
    void (*status)(struct mcph_transport *t, uint64_t stream,
                   const struct mcph_transport_status *status, void *arg);
    /* Reports that stream 0 was interrupted and continues.  The messages that the peer
     * sent on stream 0 in the meantime are lost.  May be NULL. */
    void (*missed)(struct mcph_transport *t, void *arg);
    /* Reports that the peer sends nothing more, but still accepts messages.  closed(0)
     * follows when the peer accepts no more messages.  `reason` is the reason that
     * closed(0) would report.  If this function is NULL, the transport reports closed(0)
     * at once. */
    void (*half_closed)(struct mcph_transport *t, mcphost_error *reason, void *arg);
    /* Reports the end of a stream.  No more events come on this stream.  Stream 0 is the
     * connection.  Its end is the user's last event.  Sending then fails.
     *
     * `reason` is borrowed and never NULL.  If the program never ran, the code of
     * `reason` is MCPHOST_E_SPAWN or, at a limit of descriptors or processes,
     * MCPHOST_E_LIMIT.  For a lost connection, the code is MCPHOST_E_TRANSPORT.  In all
     * other cases it is the code of the error that occurred.  `reason` contains the tail
     * of stderr and, if it is known, the exit status, but does not name the server. */
    void (*closed)(struct mcph_transport *t, uint64_t stream, mcphost_error *reason,
                   void *arg);
};

/* ---- the owner's side -------------------------------------------------------------- */

/* The owner's functions for events.  Each function may be NULL. */
struct mcph_transport_owner {
    /* Reports that the peer runs.  `pid` is the pid of the server's process.  The event
     * comes before the first message.  Only stdio reports this event. */
    void (*up)(struct mcph_transport *t, pid_t pid, void *arg);
    /* Reports that nothing is left of the peer.  No event follows.  The event comes once
     * if the transport was opened, after closed(0) was reported or close was called.  On
     * stdio the event may never come after left(). */
    void (*gone)(struct mcph_transport *t, void *arg);
    /* Only stdio reports these events.  struct mcph_proc_ops in proc/proc.h describes
     * them. */
    void (*stderr_line)(struct mcph_transport *t, const char *line, size_t len,
                        uint64_t lost, void *arg);
    void (*unguarded)(struct mcph_transport *t, mcphost_error *err, void *arg);
    void (*left)(struct mcph_transport *t, int n, void *arg);
};

/* The result of one request of mcph_transport_try_requests(), borrowed.  Secrets are
 * masked. */
struct mcph_trial {
    const char *method; /* "POST" or "GET"; NULL if no time or no memory was left to
                         * prepare the request */
    int status;         /* the HTTP status; 0 if no response came */
    int fault;          /* MCPH_NET_FAULT_*, if no response came */
    /* A message that says why no response came, or NULL. */
    const char *failure;
    const char *type; /* the content type, or NULL */
    /* The first bytes of the body, MCPH_TRIAL_BODY at most.  For an event stream, p is
     * NULL. */
    struct mcph_span body;
};
#define MCPH_TRIAL_BODY 512

/* Receives the results of mcph_transport_try_requests(). */
typedef void (*mcph_tried_fn)(struct mcph_transport *t, const struct mcph_trial *server,
                              const struct mcph_trial *health, void *arg);

/* ---- the functions that a transport implements ------------------------------------- */

struct mcph_transport_ops {
    const char *name; /* the kind of transport, for example "stdio" */
    int (*open)(struct mcph_transport *t, mcphost_error **reterr);
    int (*begin)(struct mcph_transport *t, struct mcph_buf **ret_buf);
    int (*commit)(struct mcph_transport *t, const struct mcph_header *headers,
                  size_t n_headers, int kind, uint64_t stream);
    void (*close_stream)(struct mcph_transport *t, uint64_t stream);
    void (*close)(struct mcph_transport *t);
    void (*kill)(struct mcph_transport *t);
    void (*free)(struct mcph_transport *t, int64_t wait_ms);
    void (*attach_tail)(struct mcph_transport *t, mcphost_error *err);
    /* Writes asterisks over the secrets in `text` that the transport knows.  May be
     * NULL. */
    void (*cover)(struct mcph_transport *t, char *text, size_t len);
    /* The members close_stream, kill, attach_tail and the four members below may be NULL.
     * Each function except cover() implements the function mcph_transport_*() of its
     * name. */
    bool (*awaits_credentials)(struct mcph_transport *t);
    int (*get_containment)(const struct mcph_transport *t);
    size_t (*get_queued)(const struct mcph_transport *t);
    int (*try_requests)(struct mcph_transport *t, struct mcph_span message,
                        int64_t wait_ms, mcph_tried_fn done, void *arg);
};

enum {
    MCPH_TRANSPORT_NEW,
    MCPH_TRANSPORT_OPEN,   /* messages may be sent */
    MCPH_TRANSPORT_CLOSED, /* closed(0) was reported, or close was called */
    MCPH_TRANSPORT_GONE
};

/* The common part of all transports: the first member of each implementation. */
struct mcph_transport {
    const struct mcph_transport_ops *ops;
    struct mcph_core *core;
    int state;
    bool wants_headers; /* if false, the user makes no headers */
    bool streams;       /* each request has a stream of its own */
    const struct mcph_transport_owner *owner;
    void *owner_arg;
    const struct mcph_transport_user *user; /* the receiver of messages; if NULL,
                                             * messages are dropped */
    void *user_arg;
    /* Only transport.c uses these members. */
    const char *server;        /* the peer's name in the trace; NULL if unknown */
    struct mcph_mask *mask;    /* a reference, or NULL */
    struct mcph_buf *building; /* the buffer of a message that will be traced; the message
                                * begins at offset `built` */
    size_t built;
};

/* ---- using a transport (transport.c) ----------------------------------------------- */

/* Starts the transport.  Events report the result.  After a failure, no event comes.  The
 * caller may then only free the transport.  May be called once. */
int mcph_transport_open(struct mcph_transport *t, mcphost_error **reterr);

/* Prepares the trace (MCPHOST_LOG_TRACE).  `server` names the peer and must outlive the
 * transport.  `mask` knows the secrets that neither the trace nor errors may show.  The
 * transport takes a reference to `mask`. */
void mcph_transport_set_trace(struct mcph_transport *t, const char *server,
                              struct mcph_mask *mask);

/* Sets the receiver of messages and closings.  `user` must outlive the transport or stay
 * valid until the next call of this function.  NULL means no receiver. */
void mcph_transport_set_user(struct mcph_transport *t,
                             const struct mcph_transport_user *user, void *arg);

/*
 * These functions send a message in place.  mcph_transport_begin() sets *ret_buf to the
 * buffer.  Then append the message (without a line end and without a raw newline in
 * it).  mcph_transport_commit() sends the message.  Call no other function on the
 * transport between these two calls.  If building the message fails, do not commit: the
 * next begin removes the incomplete message.
 *
 * begin returns 0, MCPHOST_E_TRANSPORT if the transport is not open or is lost, or
 * MCPHOST_E_LIMIT if the peer does not read and the queue is full.  commit returns 0,
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT or, over HTTP, an error of mcph_net_prepare().  On
 * failure, the message is not sent.  stdio and pair write the bytes by a job, so that
 * messages that are committed together are sent together.
 */
int mcph_transport_begin(struct mcph_transport *t, struct mcph_buf **ret_buf);
int mcph_transport_commit(struct mcph_transport *t, const struct mcph_header *headers,
                          size_t n_headers, int kind, uint64_t stream);
/* Sends a complete message with mcph_transport_begin() and mcph_transport_commit(). */
int mcph_transport_send(struct mcph_transport *t, struct mcph_span message,
                        const struct mcph_header *headers, size_t n_headers, int kind,
                        uint64_t stream);

/* Returns the number of sent bytes that the peer has not read yet, as far as this number
 * is known. */
size_t mcph_transport_get_queued(const struct mcph_transport *t);

/* Abandons one stream.  On HTTP this cancels the stream's request.  On a transport
 * without streams this has no effect. */
void mcph_transport_close_stream(struct mcph_transport *t, uint64_t stream);

/* Closes the connection in an orderly way.  A second call has no effect.  stdio still
 * writes the queued messages that the peer accepts at once.  A pair still writes for at
 * most MCPH_PAIR_FLUSH_MS.  A joint transport still reports the sent messages on the
 * other end.  HTTP cancels all messages that are not answered yet.  The transport drops
 * messages that arrive after this call.  It does not report closed(0) any more, but
 * reports gone().  On stdio, this function calls mcph_proc_stop(). */
void mcph_transport_close(struct mcph_transport *t);
/* Closes the connection at once: queued messages are dropped, and a process is killed.  A
 * transport without a function kill() is closed by its close() instead. */
void mcph_transport_kill(struct mcph_transport *t);
/* Frees the transport.  May be called at any time.  No event comes any more.  If a
 * process still lives, kills it and waits for its end, at most `wait_ms`.  `t` may be
 * NULL.  Returns NULL. */
struct mcph_transport *mcph_transport_free(struct mcph_transport *t, int64_t wait_ms);

/* Adds the last bytes of the peer's stderr to an error that the user made. */
void mcph_transport_attach_tail(struct mcph_transport *t, mcphost_error *err);

/* Returns true while the application has been asked for this server's credentials and has
 * not answered.  In this state, the silence of the server is not a fault of the
 * server. */
bool mcph_transport_awaits_credentials(struct mcph_transport *t);
/* Returns MCPHOST_CONTAINMENT_* of the server's process.  AUTO means that the transport
 * has no process, or has not started it yet. */
int mcph_transport_get_containment(const struct mcph_transport *t);
/* Sends two test requests to a server that did not come up, to find out why (B.15).  The
 * first request is `message`, outside of any session.  If the server speaks only
 * HTTP+SSE, the first request is a GET instead.  The second request is GET /health.  If
 * the server opens a session, the transport ends the session.
 *
 * The transport calls `done` with the results at most `wait_ms` and at most five seconds
 * later, never from inside this function.  Ending a session may take half a second
 * longer.  If `wait_ms` is 0 or less, nothing is sent.  Do not send other messages before
 * `done` is called.  Closing the transport ends the trial without an event.
 *
 * Returns 0, MCPHOST_E_STATE if this transport has no test requests, or MCPHOST_E_NOMEM.
 * On failure, `done` is not called. */
int mcph_transport_try_requests(struct mcph_transport *t, struct mcph_span message,
                                int64_t wait_ms, mcph_tried_fn done, void *arg);

/* Implementations call these functions to report events to the owner and the user.  If
 * the transport has no owner or no user, the events for the missing side are dropped.
 * mcph_transport_tell_closed() for stream 0 sets the state CLOSED.
 * mcph_transport_tell_gone() sets the state GONE.  Implementations must check a flag of
 * their own when these functions return, because an event may free the transport. */
void mcph_transport_tell_message(struct mcph_transport *t, uint64_t stream,
                                 struct mcph_frame *frame);
void mcph_transport_tell_parsed(struct mcph_transport *t, uint64_t stream,
                                const struct mcph_rpc_message *msg);
void mcph_transport_tell_status(struct mcph_transport *t, uint64_t stream,
                                const struct mcph_transport_status *status);
void mcph_transport_tell_missed(struct mcph_transport *t);
/* Reports half_closed().  Returns false if the user does not support half-closed
 * transports. */
bool mcph_transport_tell_half_closed(struct mcph_transport *t, mcphost_error *reason);
void mcph_transport_tell_closed(struct mcph_transport *t, uint64_t stream,
                                mcphost_error *reason);
void mcph_transport_tell_gone(struct mcph_transport *t);

/* ---- the trace (trace.c), for implementations -------------------------------------- */

/* Replaces each occurrence of `value` in `text` by asterisks, even if the occurrence is
 * cut at the end of `text`.  Ignores a value, or a cut occurrence, of fewer than 6
 * bytes, because the bytes may be an ordinary word.  Use this function for values that
 * a server itself has named. */
void mcph_cover_value(const char *value, size_t value_len, char *text, size_t len);
/* Logs one line of the trace: `mark` (`<` or `>`), `what` and `text`.  Masks the secrets
 * in `text`. */
void mcph_trace(struct mcph_transport *t, const char *mark, const char *what,
                struct mcph_span text);
static inline bool
mcph_trace_wanted(const struct mcph_transport *t)
{
    return mcph_log_wants(t->core, MCPHOST_LOG_TRACE);
}

/* ---- stdio (stdio.c) ------------------------------------------------------------------
 * The peer is a child process (see lib/proc).  Each message is one line.  When the
 * server has ended, the transport reads the server's last output, up to a limit, and
 * then reports closed(0).  The transport also reports closed(0) in these cases: the
 * server cannot be started, its stdout cannot be watched, memory is exhausted, or the
 * server closed its stdout or stdin and did not end within a short grace time. */

/* Default limit on bytes not yet written. */
#define MCPH_STDIO_QUEUE_MAX ((size_t)64 * 1024 * 1024)
/* Limit in ms on the wait for the exit after the server closed its stdout or stdin. */
#define MCPH_STDIO_GRACE_MS 200
/* Limit on bytes read after the exit. */
#define MCPH_STDIO_DRAIN_MAX ((size_t)1024 * 1024)

/* Makes the transport.  mcph_transport_open() starts the process.  Until then, the
 * transport borrows `spec` and everything that `spec` points to. */
int mcph_stdio_new(struct mcph_core *core, const struct mcph_proc_spec *spec,
                   const struct mcph_transport_owner *owner, void *owner_arg,
                   struct mcph_transport **ret, mcphost_error **reterr);
/* These functions set limits, and the sink and ration of large messages.  A limit of 0
 * means the default limit.  Call these functions before open. */
void mcph_stdio_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_stdio_set_frame_limit(struct mcph_transport *t, size_t limit);
void mcph_stdio_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                         struct mcph_ration *ration);

/* ---- descriptors of the caller (pair.c) -----------------------------------------------
 * The peer is connected already.  Each message is one line.  The transport reads from one
 * descriptor and writes to another descriptor.  One descriptor may be used for both
 * directions.  The descriptors are pipes, sockets, terminals or files.
 *
 * half_closed() comes when the peer ended its output after a complete message and still
 * reads its input.  closed(0) comes:
 *  - when the peer does not read any more, when it ended its output in the middle of a
 *    message or half_closed() cannot be reported, or when reading failed
 *    (MCPHOST_E_TRANSPORT);
 *  - when the peer sent a line over the limit, or does not read and the queue is full
 *    (MCPHOST_E_LIMIT);
 *  - when memory is exhausted.
 *
 * If the queue is full, the transport refuses a message with MCPHOST_E_LIMIT.  If other
 * messages had to wait for the peer already, closed(0) follows and the queue is
 * dropped.  In all other cases, after closed(0) or close, queued messages are still
 * written for at most MCPH_PAIR_FLUSH_MS.  Then gone() is reported.  up() is not
 * reported. */

/* Default limit on bytes not yet written. */
#define MCPH_PAIR_QUEUE_MAX ((size_t)64 * 1024 * 1024)
#define MCPH_PAIR_FLUSH_MS  1000

/* Makes the transport.  Duplicates `in` and `out`.  The caller keeps both descriptors and
 * may close them.  The transport sets O_NONBLOCK only if there is no other way.  The
 * transport restores the flags when it ends or is freed.  The peer sees the end of the
 * connection only when the caller has closed its descriptors as well.  No socket is shut
 * down.  Returns 0, MCPHOST_E_INVALID if a descriptor is not open for reading or writing,
 * MCPHOST_E_LIMIT if there are no more descriptors, or MCPHOST_E_NOMEM. */
int mcph_pair_new(struct mcph_core *core, int in, int out,
                  const struct mcph_transport_owner *owner, void *owner_arg,
                  struct mcph_transport **ret, mcphost_error **reterr);
/* These functions set limits.  0 means the default.  Call these functions before open. */
void mcph_pair_set_queue_max(struct mcph_transport *t, size_t max);
void mcph_pair_set_frame_limit(struct mcph_transport *t, size_t limit);

/* ---- joined in memory (joint.c) -------------------------------------------------------
 * Two ends are joined.  A job reports on one end, in order, each message that is
 * committed on the other end.  Closing or freeing one end reports closed(0) on the other
 * end, after all sent messages.  Then each end that was opened and is not freed reports
 * gone().  An end that is not open yet keeps the messages that it gets.  up() is not
 * reported. */

/* Limit on the queued bytes of each direction. */
#define MCPH_JOINT_QUEUE_MAX ((size_t)64 * 1024 * 1024)

/* Makes both ends.  The owners may be NULL.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_joint_new(struct mcph_core *core, const struct mcph_transport_owner *owner_a,
                   void *arg_a, const struct mcph_transport_owner *owner_b, void *arg_b,
                   struct mcph_transport **ret_a, struct mcph_transport **ret_b);

/* ---- HTTP (http.c) --------------------------------------------------------------------
 * The transport speaks Streamable HTTP of the legacy era (with initialize and sessions)
 * and of the modern era (2026-07-28), or HTTP+SSE of 2024-11-05.  Requests are
 * independent: if a request cannot be sent, its stream is closed with a reason.
 * closed(0) is reported only for HTTP+SSE, when its session is lost.  A legacy server's
 * own messages that belong to no request come on stream 0.  A status 404 on stream 0 or
 * for a request means that the server does not know the session any more.  INITIALIZE
 * begins another session.  up() is not reported. */

/* These values say whether the server speaks HTTP+SSE of 2024-11-05.  With HTTP+SSE, the
 * end of the server's stream is the end of the connection: closed(0). */
enum {
    MCPH_HTTP_SSE_NO,
    MCPH_HTTP_SSE_MAYBE, /* HTTP+SSE is tried if the server refuses initialize */
    MCPH_HTTP_SSE_YES
};

struct mcph_http_spec {
    const char *server; /* name of the server, for the log */
    const char *url;
    /* The configured headers for every request.  The transport leaves out headers that
     * the protocol defines. */
    const struct mcph_net_header *headers;
    size_t n_headers;
    /* The id of a session that the transport continues with its first request, until an
     * INITIALIZE begins another session.  The transport never ends the session of this
     * id.  NULL means no session. */
    const char *session_id;
    int sse; /* MCPH_HTTP_SSE_* */
    struct mcph_net_site site;
    /* The secrets that must not be shown.  The transport adds the headers and credentials
     * that it sends.  If `mask` is NULL, the transport makes a mask of its own. */
    struct mcph_mask *mask;
};

/* Makes the transport.  Copies everything except `net`.  `net` must outlive the
 * transport. */
int mcph_http_new(struct mcph_core *core, struct mcph_net *net,
                  const struct mcph_http_spec *spec,
                  const struct mcph_transport_owner *owner, void *owner_arg,
                  struct mcph_transport **ret, mcphost_error **reterr);
/* These functions set the limit on messages, and the sink and ration of large messages.
 * A limit of 0 means the default limit.  Call these functions before open. */
void mcph_http_set_frame_limit(struct mcph_transport *t, size_t limit);
void mcph_http_set_sink(struct mcph_transport *t, struct mcph_sink *sink,
                        struct mcph_ration *ration);
/* Sets the provider of credentials.  The provider must outlive the transport.  NULL means
 * no provider. */
void mcph_http_set_auth(struct mcph_transport *t, struct mcph_net_auth *auth);
/* Sets how long in ms a stream that stays open may be silent.  0 means the default. */
void mcph_http_set_idle(struct mcph_transport *t, int64_t ms);
/* Sets how long in ms close waits for the response to the DELETE that ends a session.
 * The default is 2000. */
void mcph_http_set_leave(struct mcph_transport *t, int64_t ms);
/* Returns true if the transport leaves out a configured header of this name. */
bool mcph_http_is_reserved(const char *name);

#endif
