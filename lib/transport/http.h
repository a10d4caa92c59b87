/* SPDX-License-Identifier: MIT
 *
 * http.h - declarations that only the files of the HTTP transport share.
 *
 * Call mcph_http_enter() before each report of an event, and mcph_http_leave() after the
 * report.  The user may end the exchange or free the transport during the report.
 */
#ifndef MCPH_TRANSPORT_HTTP_H
#define MCPH_TRANSPORT_HTTP_H

#include "net/net.h"
#include "transport/transport.h"

#define HTTP_HEADERS_MAX 128                /* limit on the headers of one request */
#define HTTP_BODY_MAX    MCPH_NET_AUTH_BODY /* bytes kept of an error response's body */
/* Limit on the bytes of the headers that the provider of credentials adds. */
#define HTTP_SECRETS_MAX ((size_t)64 * 1024)
#define HTTP_VERSION_MAX 16
#define HTTP_ID_MAX      32

enum {
    KIND_LISTENER = 16 /* in addition to MCPH_SEND_*: the GET on stream 0 */
};

/* The ways to read the body of a response. */
enum {
    BODY_NONE,  /* the response has not begun */
    BODY_JSON,  /* the body is one message */
    BODY_SSE,   /* the body is a stream of events */
    BODY_ERROR, /* an error response: its first bytes are kept */
    BODY_SKIP
};

/* One message from sending to the end of its stream, or the listener (the GET on stream
 * 0). */
struct exchange {
    struct mcph_list link; /* in http->exchanges, http->held or http->answers */
    struct http *http;
    uint64_t stream;
    int kind;
    struct mcph_net_request *req; /* the running request; NULL if no request runs */
    struct mcph_buf lines;        /* the sender's headers: name, NUL, value, NUL, ... */
    struct mcph_net_attempt attempt; /* data for the provider of credentials */
    char *attempt_url;               /* the URL of `attempt`; its query may be secret */
    struct mcph_net_waiter waiter;   /* waits for credentials */
    mcphost_error *unhelped;         /* why credentials do not help, or NULL */
    unsigned resends;                /* number of resends after a lost connection */
    bool is_parked;                  /* a redirect waits for credentials */
    struct mcph_buf body;            /* the body to be sent; later an error response's
                                      * body */
    bool is_cut;                     /* the error response's body exceeded
                                      * HTTP_BODY_MAX */
    int mode, status;
    struct mcph_sse *sse;  /* reads the stream, for BODY_SSE and while the stream may
                            * be resumed */
    struct mcph_rpc_id id; /* the request's id, in `id_text`; MCPH_RPC_ID_NONE if
                            * unknown */
    char id_text[HTTP_ID_MAX];
    struct mcph_framer *framer; /* reads the body, for BODY_JSON */
    struct mcph_timer timer;    /* runs until the exchange is resumed or closed; with
                                 * HTTP+SSE, limits the wait for `endpoint` */
    mcphost_error *failed;      /* the error with which the exchange will be closed, or
                                 * NULL */
    struct refusal *refusal;    /* the refusal of the POST of INITIALIZE, kept while
                                 * HTTP+SSE is tried; or NULL */
    unsigned attempts;          /* resumes in a row that brought no event */
    unsigned session_no;        /* number of the session in which the message was sent */
    bool initialized;           /* the message is the notification that ends the
                                 * handshake */
    bool is_under_way;          /* counted in http->n_answers */
    bool waits;                 /* is in http->answers */
    bool answered;              /* the answer was reported */
    bool resumed;               /* a GET with Last-Event-ID resumes the stream */
    bool lived;                 /* listener only: a stream was open once */
    int64_t since;              /* listener only: start of its latest stream, in ms */
    unsigned busy;
    bool dead; /* ended; the last mcph_http_leave() frees the exchange */
};

/* A server's refusal, kept to be reported later (http_fault.c). */
struct refusal;
struct http_trial;

/* Limit in ms for the opening of the stream of HTTP+SSE.  The same limit holds for the
 * wait for the event `endpoint`. */
#define SSE_ENDPOINT_MS 10000

/* The state of the legacy handshake. */
enum { SHAKE_NONE, SHAKE_ASKED, SHAKE_ANSWERED, SHAKE_DONE };

struct http {
    struct mcph_transport base;
    struct mcph_net *net;       /* borrowed from the owner */
    struct mcph_net_auth *auth; /* the provider of credentials, or NULL */
    struct mcph_net_site site;
    char *server, *url;
    struct mcph_net_header *user; /* configured headers, with owned names and values */
    size_t n_user;
    char *given_session;   /* the session from the configuration, or NULL */
    char *session;         /* the session in use, a secret, or NULL */
    bool joining;          /* `session` was configured, and no request succeeded yet */
    unsigned session_no;   /* incremented by each INITIALIZE */
    struct mcph_buf given; /* the latest credentials that were added to the mask */
    char version[HTTP_VERSION_MAX]; /* the sender's protocol version; "" if unknown */
    int shake;
    int sse;             /* MCPH_HTTP_SSE_* */
    bool old;            /* HTTP+SSE is used; its session is the listener's stream */
    char *endpoint;      /* URL for messages with HTTP+SSE, a secret; NULL if unknown */
    struct mcph_buf out; /* the message being built */
    struct mcph_list exchanges, held;
    /* Exchanges that send responses and notifications.  `answers` lists the exchanges
     * that wait.  `n_waiting` is the number of these exchanges.  `waiting_bytes` is the
     * size of their bodies.  `n_answers` is the number of exchanges that are being
     * sent. */
    struct mcph_list answers;
    size_t n_answers, n_waiting, waiting_bytes;
    bool told_of_answers; /* a warning was logged that some answers were dropped */
    bool barrier;         /* messages are held: the notification that ends the handshake
                           * is being sent, or `endpoint` is not known yet */
    struct exchange *listener;
    struct http_trial *trial;         /* the trial that is running, or NULL */
    struct mcph_net_request *leaving; /* the DELETE that ends the session, or NULL */
    mcphost_error *over; /* closes a stream on which the server has sent a message; a call
                          * that is still open then fails with this error, because the
                          * message was no answer */
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
/* Ends a report.  Returns false if the exchange has ended.  Do not use an exchange that
 * has ended. */
bool mcph_http_leave(struct exchange *x);
/* Ends an exchange: removes the exchange from its list and cancels its request. */
void mcph_http_exchange_end(struct exchange *x);
/* Sends the held messages: at the end of the handshake, before another INITIALIZE, or
 * when the endpoint of HTTP+SSE is known.  `accepted` is true if the server accepted the
 * notification that ends the handshake.  If `accepted` is true, also starts the listener,
 * unless HTTP+SSE is used. */
void mcph_http_lift_barrier(struct http *h, bool accepted);
/* Replaces the session.  NULL means no session. */
void mcph_http_set_session(struct http *h, const char *session);
/* Ends all exchanges, and reports the loss of the connection by closed(0). */
void mcph_http_lose(struct http *h, mcphost_error *error);

/* ---- http_exchange.c --------------------------------------------------------------- */

struct exchange *mcph_http_exchange_new(struct http *h, int kind, uint64_t stream);
void mcph_http_exchange_free(struct exchange *x);
/* Sends the message.  Returns 0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT or an error of
 * mcph_net_prepare().  With a provider of credentials, MCPHOST_E_NOMEM is the only
 * error that is returned: any other error closes the stream later. */
int mcph_http_exchange_start(struct exchange *x);
/* Sends the message.  On failure, closes the stream. */
void mcph_http_exchange_start_or_close(struct exchange *x);
/* Sends the message.  On failure, closes the stream as mcph_http_fail_later() does. */
void mcph_http_exchange_start_or_fail(struct exchange *x);
/* Reports closed() for the stream and ends the exchange. */
void mcph_http_exchange_close(struct exchange *x, mcphost_error *reason);

/* ---- http_auth.c: the provider's credentials --------------------------------------- */

/* Begins an attempt to send the request.  Returns 0 if x->attempt has the headers, or if
 * there is no provider of credentials.  Returns 1 if the headers are not known yet.  In
 * this case, the exchange starts again when the headers are known.  On failure, returns a
 * negative code and sets *reterr. */
int mcph_http_auth_attach(struct exchange *x, const char *method, const char *url,
                          mcphost_error **reterr);
/* Resets the counters of attempts.  Call this before a GET that resumes a stream, because
 * the attempts of the earlier request do not count for this GET. */
void mcph_http_auth_reset(struct exchange *x);
void mcph_http_forget_given(struct http *h);
/* Reports to the provider of credentials that a request succeeded. */
void mcph_http_auth_note(struct exchange *x, struct mcph_net_request *req);
/* Sends a refused or lost request again if another sending can help.  Returns true if the
 * request was sent again, or waits to be sent again. */
bool mcph_http_auth_again(struct exchange *x, mcphost_error *error);
/* Sets the headers for the target of a redirect.  Returns false if the request is not
 * sent to the target now.  `moved` of mcph_net_events calls this function. */
bool mcph_http_auth_moved(struct exchange *x, struct mcph_net_request *req,
                          const char *url);
/* Masks the attempt's proofs in `text`, because the server may repeat them. */
void mcph_http_auth_cover(const struct exchange *x, char *text, size_t len);
void mcph_http_auth_done(struct exchange *x);
bool mcph_http_auth_awaited(struct mcph_transport *t);

/* ---- http_resume.c: streams that are resumed --------------------------------------- */

/* Resumes an event stream that has ended, after a pause.  Returns false if the stream is
 * not resumed. */
bool mcph_http_resume_later(struct exchange *x);
/* Closes the stream by a timer that is due at once, and never inside this call.  Returns
 * 0 or MCPHOST_E_NOMEM. */
int mcph_http_fail_later(struct exchange *x, mcphost_error *error);
/* Handles a response to a resuming GET, if the response is not an event stream. */
void mcph_http_resume_refused(struct exchange *x);
void mcph_http_listener_start(struct http *h);
void mcph_http_listener_stop(struct http *h);
/* Handles the end of the listener's GET. */
void mcph_http_listener_ended(struct exchange *x);

/* ---- http_sse.c: HTTP+SSE of 2024-11-05 -------------------------------------------- */

/* Opens the stream.  The transport holds all messages until the endpoint is known.
 * Returns 0, MCPHOST_E_NOMEM, or an error of mcph_http_exchange_start(). */
int mcph_http_sse_begin(struct http *h);
void mcph_http_sse_opened(struct exchange *x); /* starts the time limit of `endpoint` */
/* Handles an event of the stream.  Returns true if the event is a message.  If the
 * function returns false, the exchange may have ended. */
bool mcph_http_sse_take(struct exchange *x, const char *type, struct mcph_frame *frame);
void mcph_http_sse_ended(struct exchange *x, mcphost_error *error);
/* These functions handle the refusal of a POST.  mcph_http_sse_try() returns true if
 * HTTP+SSE is tried in place of Streamable HTTP, or if HTTP+SSE could not be started and
 * the function has reported the refusal.  mcph_http_sse_lost() returns true if the
 * connection is lost. */
bool mcph_http_sse_try(struct exchange *x);
bool mcph_http_sse_lost(struct exchange *x);
/* Reports that the server has accepted a request, and ends the exchange. */
void mcph_http_sse_accepted(struct exchange *x);

/* ---- http_headers.c ---------------------------------------------------------------- */

/* Adds a header of the sender, encoded for HTTP (MCP 2026-07-28, "Streamable HTTP").
 * Returns 0 or the error code of the buffer. */
int mcph_http_headers_add(struct mcph_buf *lines, const struct mcph_header *header);
/* Collects all headers of a request.  Returns 0 or MCPHOST_E_LIMIT. */
int mcph_http_headers_make(const struct exchange *x, const char *method,
                           struct mcph_net_header *ret, size_t *ret_n);
/* Gets the next header of `lines` (name, NUL, value, NUL, ...).  Set *p to NULL before
 * the first call.  Returns false at the end. */
bool mcph_http_headers_next(const struct mcph_buf *lines, const char **p,
                            const char **ret_name, const char **ret_value);
bool mcph_http_session_is_valid(const char *session);
/* Returns true if the media type of `type`, without its parameters, is `essence`. */
bool mcph_http_type_is(const char *type, const char *essence);

/* ---- http_fault.c ------------------------------------------------------------------ */

/* Reports a refusal by status() and closed(), and ends the exchange. */
void mcph_http_exchange_refused(struct exchange *x);
/* These functions do the work of mcph_http_exchange_refused() in two steps.
 * mcph_http_refusal_new() keeps the response, or returns NULL if there is no memory.
 * mcph_http_refusal_tell() reports the response and ends an exchange. */
struct refusal *mcph_http_refusal_new(struct exchange *x);
void mcph_http_refusal_tell(struct exchange *x, struct refusal *refusal);
void mcph_http_refusal_free(struct refusal *refusal); /* `refusal` may be NULL */
/* Replaces the secrets of the mask, the sessions (in use and configured), and the session
 * in the endpoint's URL by asterisks. */
void mcph_http_redact(const struct http *h, char *text, size_t len);
/* These functions replace secrets by asterisks, also secrets that were sent in this
 * exchange only.  mcph_http_exchange_redact_body() changes the response's body.  A JSON
 * message in the body stays valid, unless memory is short. */
void mcph_http_exchange_redact_body(struct exchange *x);
void mcph_http_exchange_redact(const struct exchange *x, char *text, size_t len);

/* ---- http_trace.c: MCPHOST_LOG_TRACE ----------------------------------------------- */

void mcph_http_trace_request(struct exchange *x, const char *method, const char *url,
                             const struct mcph_net_header *headers, size_t n);
void mcph_http_trace_answer(struct exchange *x, struct mcph_net_request *req);
/* Writes why a request failed.  If `error` is NULL, writes nothing. */
void mcph_http_trace_end(struct exchange *x, mcphost_error *error);

/* ---- http_trial.c ------------------------------------------------------------------ */

/* Implements mcph_transport_try_requests(). */
int mcph_http_try_requests(struct mcph_transport *t, struct mcph_span message,
                           int64_t wait_ms, mcph_tried_fn done, void *arg);
void mcph_http_trial_end(struct http *h); /* ends a trial without a report */

#endif
