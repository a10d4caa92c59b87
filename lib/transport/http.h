/* SPDX-License-Identifier: MIT
 *
 * http.h - the inside of the HTTP transport, for its own files only.
 *
 * An event that is reported to the user may end the exchange or free the transport.
 * Therefore mcph_http_enter() and mcph_http_leave() must be called around each report.
 */
#ifndef MCPH_TRANSPORT_HTTP_H
#define MCPH_TRANSPORT_HTTP_H

#include "net/net.h"
#include "transport/transport.h"

#define HTTP_HEADERS_MAX 128                 /* of one request */
#define HTTP_BODY_MAX    MCPH_NET_AUTH_BODY  /* bytes kept of an error response's body */
#define HTTP_SECRETS_MAX ((size_t)64 * 1024) /* bytes of headers from the provider */
#define HTTP_VERSION_MAX 16
#define HTTP_ID_MAX      32

enum {
    KIND_LISTENER = 16 /* a kind besides MCPH_SEND_*: our GET, stream 0 */
};

/* How the body of a response is treated. */
enum {
    BODY_NONE,  /* the response has not begun */
    BODY_JSON,  /* one message */
    BODY_SSE,   /* a stream of events */
    BODY_ERROR, /* an error response: its first bytes are kept */
    BODY_SKIP
};

/* One message from sending to the end of its stream; or the listener (our GET on stream
 * 0). */
struct exchange {
    struct mcph_list link; /* http->exchanges, http->held or http->answers */
    struct http *http;
    uint64_t stream;
    int kind;
    struct mcph_net_request *req; /* NULL: held, or waiting to be resumed */
    struct mcph_buf lines;        /* the sender's headers: name, NUL, value, NUL, ... */
    struct mcph_net_attempt attempt; /* data for the provider of credentials */
    char *attempt_url;               /* may have a query, which is secret */
    struct mcph_net_waiter waiter;   /* waits for credentials */
    mcphost_error *unhelped;         /* why credentials do not help, or NULL */
    unsigned resends;                /* times sent again after a lost connection */
    bool is_parked;                  /* a redirect waits for credentials */
    struct mcph_buf body;            /* to be sent; later an error response's body */
    bool is_cut;                     /* that body was longer */
    int mode, status;
    struct mcph_sse *sse;  /* for BODY_SSE, and while it may be resumed */
    struct mcph_rpc_id id; /* of the request, in `id_text`; MCPH_RPC_ID_NONE: unknown */
    char id_text[HTTP_ID_MAX];
    struct mcph_framer *framer; /* for BODY_JSON */
    struct mcph_timer timer;    /* until the exchange is resumed or closed */
    mcphost_error *failed;      /* why `timer` will close it; NULL: it will not */
    struct refusal *refusal;    /* INITIALIZE: refusal before the GET, or NULL */
    unsigned attempts;          /* resumes in a row without an event */
    unsigned session_no;        /* number of the session in which it was sent */
    bool initialized;           /* it is the notification that ends the handshake */
    bool is_under_way;          /* counted in http->n_answers */
    bool waits;                 /* is in http->answers */
    bool answered;              /* its answer was reported */
    bool resumed;               /* a GET with Last-Event-ID resumed it */
    bool lived;                 /* the listener: a stream was open once */
    int64_t since;              /* the listener: when its latest stream began */
    unsigned busy;
    bool dead; /* ended; the last mcph_http_leave() frees it */
};

/* A server's refusal, kept to be reported later (http_fault.c). */
struct refusal;
struct http_trial;

#define SSE_ENDPOINT_MS 10000 /* for the stream, then for the event `endpoint` */

/* The state of the legacy handshake. */
enum { SHAKE_NONE, SHAKE_ASKED, SHAKE_ANSWERED, SHAKE_DONE };

struct http {
    struct mcph_transport base;
    struct mcph_net *net;       /* borrowed from the owner */
    struct mcph_net_auth *auth; /* NULL: none */
    struct mcph_net_site site;
    char *server, *url;
    struct mcph_net_header *user; /* the user's headers; we own names and values */
    size_t n_user;
    char *given_session;   /* from the configuration; NULL: none */
    char *session;         /* in use; a secret; NULL: none */
    bool joining;          /* `session` was configured, and no request succeeded yet */
    unsigned session_no;   /* incremented by each INITIALIZE */
    struct mcph_buf given; /* the latest credentials, which the mask knows */
    char version[HTTP_VERSION_MAX]; /* named by the sender; "": none yet */
    int shake;
    int sse;             /* MCPH_HTTP_SSE_* */
    bool old;            /* uses HTTP+SSE: the listener is the session */
    char *endpoint;      /* HTTP+SSE: URL for messages, secret; NULL: unknown */
    struct mcph_buf out; /* the message being built */
    struct mcph_list exchanges, held;
    /* Responses and notifications: n_answers are being sent, and the list has those that
     * wait. */
    struct mcph_list answers;
    size_t n_answers, n_waiting, waiting_bytes;
    bool told_of_answers; /* a warning was logged that some were dropped */
    bool barrier;         /* the handshake's end is being sent; the rest is held */
    struct exchange *listener;
    struct http_trial *trial;         /* NULL: none is running */
    struct mcph_net_request *leaving; /* the DELETE of the session */
    mcphost_error *over;              /* the reason that closes an answered stream */
    struct mcph_job gone_job;
    int64_t idle_ms, leave_ms;
    size_t frame_limit, queue_max;
    struct mcph_sink *sink;
    struct mcph_ration *ration; /* a reference, or NULL */
    unsigned busy;
    bool posted, freed;
};

/* ---- http.c ------------------------------------------------------------------------ */

void mcph_http_enter(struct exchange *x);
/* False: the exchange has ended; do not use it any more. */
bool mcph_http_leave(struct exchange *x);
/* Ends an exchange: removes it from its list and cancels its request. */
void mcph_http_exchange_end(struct exchange *x);
/* The handshake is over: sends the held messages.  `accepted`: the server accepted the
 * notification that ends the handshake. */
void mcph_http_lift_barrier(struct http *h, bool accepted);
void mcph_http_set_session(struct http *h, const char *session); /* NULL: no session */
/* Reports that the connection is lost: closed(0). */
void mcph_http_lose(struct http *h, mcphost_error *error);

/* ---- http_exchange.c --------------------------------------------------------------- */

struct exchange *mcph_http_exchange_new(struct http *h, int kind, uint64_t stream);
void mcph_http_exchange_free(struct exchange *x);
/* Sends the message.  0, MCPHOST_E_NOMEM, MCPHOST_E_INVALID, MCPHOST_E_LIMIT. */
int mcph_http_exchange_start(struct exchange *x);
/* The same; on failure the stream is closed. */
void mcph_http_exchange_start_or_close(struct exchange *x);
/* The same; on failure the stream is closed in the next turn. */
void mcph_http_exchange_start_or_fail(struct exchange *x);
/* Reports closed() for the stream and ends the exchange. */
void mcph_http_exchange_close(struct exchange *x, mcphost_error *reason);

/* ---- http_auth.c: the provider's credentials --------------------------------------- */

/* Begins an attempt.  0: x->attempt has the headers.  1: they are not known yet, and the
 * exchange is started again when they are.  Negative: failed with *reterr. */
int mcph_http_auth_attach(struct exchange *x, const char *method, const char *url,
                          mcphost_error **reterr);
/* The next requests belong to another message, so the counters of attempts begin anew. */
void mcph_http_auth_reset(struct exchange *x);
void mcph_http_forget_given(struct http *h);
/* Tells the provider that a request succeeded. */
void mcph_http_auth_note(struct exchange *x, struct mcph_net_request *req);
/* Called when a request was refused or lost.  True: it was or will be sent again. */
bool mcph_http_auth_again(struct exchange *x, mcphost_error *error);
/* Gets the headers for the target of a redirect.  For `moved` of mcph_net_events. */
bool mcph_http_auth_moved(struct exchange *x, struct mcph_net_request *req,
                          const char *url);
/* Masks a proof that the server repeats in `text`. */
void mcph_http_auth_cover(const struct exchange *x, char *text, size_t len);
void mcph_http_auth_done(struct exchange *x);
bool mcph_http_auth_awaited(struct mcph_transport *t);

/* ---- http_resume.c: streams that are resumed --------------------------------------- */

/* Called when an event stream has ended.  True: it will be resumed. */
bool mcph_http_resume_later(struct exchange *x);
/* Closes the stream in the next turn.  0, MCPHOST_E_NOMEM. */
int mcph_http_fail_later(struct exchange *x, mcphost_error *error);
/* Called when the response to a resuming GET is not an event stream. */
void mcph_http_resume_refused(struct exchange *x);
void mcph_http_listener_start(struct http *h);
void mcph_http_listener_stop(struct http *h);
/* Called when the listener's GET has ended. */
void mcph_http_listener_ended(struct exchange *x);

/* ---- http_sse.c: HTTP+SSE of 2024-11-05 -------------------------------------------- */

/* Opens the stream.  All messages are held until its endpoint is known.  0,
 * MCPHOST_E_NOMEM. */
int mcph_http_sse_begin(struct http *h);
void mcph_http_sse_opened(struct exchange *x); /* the listener's stream is open */
/* Handles an event of the stream.  True: it is a message.  False: it is not, and the
 * exchange may have ended. */
bool mcph_http_sse_take(struct exchange *x, const char *type, struct mcph_frame *frame);
void mcph_http_sse_ended(struct exchange *x, mcphost_error *error);
/* Both are called when a POST was refused.  try: true if HTTP+SSE is tried instead.
 * lost: true if the connection is lost. */
bool mcph_http_sse_try(struct exchange *x);
bool mcph_http_sse_lost(struct exchange *x);
/* Called when the server has accepted a request. */
void mcph_http_sse_accepted(struct exchange *x);

/* ---- http_headers.c ---------------------------------------------------------------- */

/* Adds a header of the sender, encoded for HTTP (MCP 2026-07-28, "Streamable HTTP"). */
int mcph_http_headers_add(struct mcph_buf *lines, const struct mcph_header *header);
/* Collects all headers of a request.  0, MCPHOST_E_LIMIT. */
int mcph_http_headers_make(const struct exchange *x, const char *method,
                           struct mcph_net_header *ret, size_t *ret_n);
/* Iterates over name, NUL, value, NUL, ...; begins with *p NULL.  False: the end. */
bool mcph_http_headers_next(const struct mcph_buf *lines, const char **p,
                            const char **ret_name, const char **ret_value);
bool mcph_http_session_is_valid(const char *session);
/* True if the media type of `type`, without its parameters, is `essence`. */
bool mcph_http_type_is(const char *type, const char *essence);

/* ---- http_fault.c ------------------------------------------------------------------ */

/* Reports a refusal by status and closed(), and ends the exchange. */
void mcph_http_exchange_refused(struct exchange *x);
/* The same in two steps: keep the response (NULL: no memory), and end an exchange with
 * it. */
struct refusal *mcph_http_refusal_new(struct exchange *x);
void mcph_http_refusal_tell(struct exchange *x, struct refusal *refusal);
void mcph_http_refusal_free(struct refusal *refusal); /* NULL is allowed */
/* Replaces secrets that were sent, and the session, by asterisks. */
void mcph_http_redact(const struct http *h, char *text, size_t len);
/* The same for the body of a response; a JSON message stays valid. */
void mcph_http_exchange_redact_body(struct exchange *x);
void mcph_http_exchange_redact(const struct exchange *x, char *text, size_t len);

/* ---- http_trace.c: MCPHOST_LOG_TRACE ----------------------------------------------- */

void mcph_http_trace_request(struct exchange *x, const char *method, const char *url,
                             const struct mcph_net_header *headers, size_t n);
void mcph_http_trace_answer(struct exchange *x, struct mcph_net_request *req);
void mcph_http_trace_end(struct exchange *x, mcphost_error *error); /* NULL: no line */

/* ---- http_trial.c ------------------------------------------------------------------ */

/* Implements mcph_transport_try_requests(). */
int mcph_http_try_requests(struct mcph_transport *t, struct mcph_span message,
                           int64_t wait_ms, mcph_tried_fn done, void *arg);
void mcph_http_trial_end(struct http *h); /* without a report */

#endif
