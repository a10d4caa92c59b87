/* SPDX-License-Identifier: MIT
 *
 * http.h - the inside of the HTTP transport, shared by its files alone.
 *
 * Whatever tells the user something may come back to find the exchange ended or the
 * transport freed: mcph_http_enter() and mcph_http_leave() stand around it.
 */
#ifndef MCPH_TRANSPORT_HTTP_H
#define MCPH_TRANSPORT_HTTP_H

#include "net/net.h"
#include "transport/transport.h"

#define HTTP_HEADERS_MAX 128                 /* of one request */
#define HTTP_BODY_MAX    MCPH_NET_AUTH_BODY  /* of an error's body */
#define HTTP_SECRETS_MAX ((size_t)64 * 1024) /* of what credentials add */
#define HTTP_VERSION_MAX 16
#define HTTP_ID_MAX      32

enum {
    KIND_LISTENER = 16 /* beside MCPH_SEND_*: our GET, stream 0 */
};

/* What is made of the body. */
enum {
    BODY_NONE,  /* no head yet */
    BODY_JSON,  /* one message */
    BODY_SSE,   /* events */
    BODY_ERROR, /* its first bytes are kept */
    BODY_SKIP
};

/* One message on its way, up to the end of its stream; or the listener. */
struct exchange {
    struct mcph_list link; /* http->exchanges, http->held or http->answers */
    struct http *http;
    uint64_t stream;
    int kind;
    struct mcph_net_request *req; /* NULL: held, or waiting to be taken up again */
    struct mcph_buf lines;        /* the sender's headers: name, NUL, value, NUL, ... */
    struct mcph_net_attempt attempt; /* what the provider of credentials sees and adds */
    char *attempt_url;               /* a secret, as it may have a query */
    struct mcph_net_waiter waiter;   /* for credentials */
    mcphost_error *unhelped;         /* why credentials do not help; NULL: not said */
    unsigned resends;                /* after connections that were lost */
    bool is_parked;                  /* a redirect waits for credentials */
    struct mcph_buf body;            /* to be sent; then an error's body */
    bool is_cut;                     /* ... which had more */
    int mode, status;
    struct mcph_sse *sse;       /* BODY_SSE, and while it may be taken up again */
    char id[HTTP_ID_MAX];       /* ... the request's, as a token; "": not known */
    struct mcph_framer *framer; /* BODY_JSON */
    struct mcph_timer timer;    /* until it is taken up again, or closed */
    mcphost_error *failed;      /* why it will be closed; NULL: it will not */
    struct refusal *refusal;    /* INITIALIZE: what came before the GET; NULL: nothing */
    unsigned attempts;          /* in a row that brought nothing */
    unsigned session_no;        /* in which it was sent */
    bool initialized;           /* the notification that ends the handshake */
    bool is_under_way;          /* one of http->n_answers */
    bool waits;                 /* in http->answers */
    bool answered;              /* its answer was told */
    bool resumed;               /* a GET with Last-Event-ID took it up */
    bool lived;                 /* the listener: there was a stream once */
    int64_t since;              /* ... and this one */
    unsigned busy;
    bool dead; /* taken out; the memory goes with the last mcph_http_leave() */
};

/* What a server said in refusing, to be told later (http_fault.c). */
struct refusal;
struct http_diagnosis;

#define SSE_ENDPOINT_MS 10000 /* for the stream, and then for the event */

/* The legacy handshake, as far as it concerns us. */
enum { SHAKE_NONE, SHAKE_ASKED, SHAKE_ANSWERED, SHAKE_DONE };

struct http {
    struct mcph_transport base;
    struct mcph_net *net;       /* the owner's */
    struct mcph_net_auth *auth; /* NULL: none */
    struct mcph_net_site site;
    char *server, *url;
    struct mcph_net_header *user; /* the user's headers; their texts are ours */
    size_t n_user;
    char *given_session;   /* of the configuration; NULL: none */
    char *session;         /* in use; NULL: none.  A secret, as are the headers */
    bool joining;          /* it is the given one, and nothing was accepted in it yet */
    unsigned session_no;   /* grows with each INITIALIZE */
    struct mcph_buf given; /* to the latest request: the mask has it */
    char version[HTTP_VERSION_MAX]; /* "": the sender has named none yet */
    int shake;
    int sse;             /* MCPH_HTTP_SSE_* */
    bool old;            /* HTTP+SSE it is: the listener is the session */
    char *endpoint;      /* ... where messages go; a secret; NULL: not known yet */
    struct mcph_buf out; /* the message being built */
    struct mcph_list exchanges, held;
    /* Answers and notifications: so many under way, and those that wait for that. */
    struct mcph_list answers;
    size_t n_answers, n_waiting, waiting_bytes;
    bool told_of_answers; /* some were dropped */
    bool barrier;         /* the handshake's end is on its way: the rest is held */
    struct exchange *listener;
    struct http_diagnosis *diagnosis; /* NULL: none under way */
    struct mcph_net_request *leaving; /* DELETE */
    mcphost_error *over;              /* what closes a stream that was answered */
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
/* False: the exchange has ended meanwhile, do not touch it again. */
bool mcph_http_leave(struct exchange *x);
/* Takes it out and cancels what it still does. */
void mcph_http_exchange_end(struct exchange *x);
/* The handshake is over, accepted or not: what was held goes. */
void mcph_http_lift_barrier(struct http *h, bool accepted);
void mcph_http_set_session(struct http *h, const char *session); /* NULL: none */
/* The connection as a whole is over. */
void mcph_http_lose(struct http *h, mcphost_error *error);

/* ---- http_exchange.c --------------------------------------------------------------- */

struct exchange *mcph_http_exchange_new(struct http *h, int kind, uint64_t stream);
void mcph_http_exchange_free(struct exchange *x);
/* Sends it: 0, MCPHOST_E_NOMEM, MCPHOST_E_INVALID, MCPHOST_E_LIMIT. */
int mcph_http_exchange_start(struct exchange *x);
/* The same; when it cannot be sent, its stream is closed. */
void mcph_http_exchange_start_or_close(struct exchange *x);
/* The same, in the next turn. */
void mcph_http_exchange_start_or_fail(struct exchange *x);
/* Tells the end of its stream and ends it. */
void mcph_http_exchange_close(struct exchange *x, mcphost_error *reason);

/* ---- http_auth.c: the provider's credentials --------------------------------------- */

/* Begins the attempt: 0: x->attempt has the headers; 1: the exchange is started again
 * when they are known; or negative, with the reason. */
int mcph_http_auth_attach(struct exchange *x, const char *method, const char *url,
                          mcphost_error **reterr);
/* The requests that follow are of another message. */
void mcph_http_auth_reset(struct exchange *x);
void mcph_http_forget_given(struct http *h);
/* A success: only noted. */
void mcph_http_auth_note(struct exchange *x, struct mcph_net_request *req);
/* It was refused, or lost on the way: true when it is or will be sent again. */
bool mcph_http_auth_again(struct exchange *x, mcphost_error *error);
/* The headers of x->attempt where a redirect leads; as `moved` of mcph_net_events. */
bool mcph_http_auth_moved(struct exchange *x, struct mcph_net_request *req,
                          const char *url);
/* A proof that the server repeats is covered in `text`. */
void mcph_http_auth_cover(const struct exchange *x, char *text, size_t len);
void mcph_http_auth_done(struct exchange *x);
bool mcph_http_auth_awaited(struct mcph_transport *t);

/* ---- http_resume.c: streams that are taken up again -------------------------------- */

/* An event stream is over: true when it will be taken up again. */
bool mcph_http_resume_later(struct exchange *x);
/* Its stream is closed in the next turn: 0, or MCPHOST_E_NOMEM. */
int mcph_http_fail_later(struct exchange *x, mcphost_error *error);
/* The answer to a GET is there, and is no event stream. */
void mcph_http_resume_refused(struct exchange *x);
void mcph_http_listener_start(struct http *h);
void mcph_http_listener_stop(struct http *h);
/* The end of the listener's GET. */
void mcph_http_listener_ended(struct exchange *x);

/* ---- http_sse.c: the transport of 2024-11-05 --------------------------------------- */

/* Opens the stream; all that is sent is held until its endpoint is known: 0, NOMEM. */
int mcph_http_sse_begin(struct http *h);
void mcph_http_sse_opened(struct exchange *x); /* the listener's stream is there */
/* An event of it: true when it is a message; false: it may have ended. */
bool mcph_http_sse_take(struct exchange *x, const char *type, struct mcph_frame *frame);
void mcph_http_sse_ended(struct exchange *x, mcphost_error *error);
/* A POST was refused: true when it is to go there instead, or when all is lost. */
bool mcph_http_sse_try(struct exchange *x);
bool mcph_http_sse_lost(struct exchange *x);
/* A request was taken. */
void mcph_http_sse_accepted(struct exchange *x);

/* ---- http_headers.c ---------------------------------------------------------------- */

/* Adds a header of the sender in the form that the wire takes (MCP 2026-07-28,
 * "Streamable HTTP"). */
int mcph_http_headers_add(struct mcph_buf *lines, const struct mcph_header *header);
/* All headers of a request: 0, or MCPHOST_E_LIMIT. */
int mcph_http_headers_make(const struct exchange *x, const char *method,
                           struct mcph_net_header *ret, size_t *ret_n);
/* Steps over name, NUL, value, NUL, ... from *p NULL on: false at the end. */
bool mcph_http_headers_next(const struct mcph_buf *lines, const char **p,
                            const char **ret_name, const char **ret_value);
bool mcph_http_session_is_valid(const char *session);
/* The content type's essence is this one. */
bool mcph_http_type_is(const char *type, const char *essence);

/* ---- http_fault.c ------------------------------------------------------------------ */

/* Tells status and closed(), and ends it. */
void mcph_http_exchange_refused(struct exchange *x);
/* The same in two steps: what came (NULL: no memory), and the end of an exchange by it.
 */
struct refusal *mcph_http_refusal_new(struct exchange *x);
void mcph_http_refusal_tell(struct exchange *x, struct refusal *refusal);
void mcph_http_refusal_free(struct refusal *refusal); /* NULL is fine */
/* Puts asterisks where a secret that was sent, or the session, stands in `text`. */
void mcph_http_redact(const struct http *h, char *text, size_t len);
/* The same of the body of an answer, in which a message stays one. */
void mcph_http_exchange_redact_body(struct exchange *x);
void mcph_http_exchange_redact(const struct exchange *x, char *text, size_t len);

/* ---- http_trace.c: MCPHOST_LOG_TRACE ----------------------------------------------- */

void mcph_http_trace_request(struct exchange *x, const char *method, const char *url,
                             const struct mcph_net_header *headers, size_t n);
void mcph_http_trace_answer(struct exchange *x, struct mcph_net_request *req);
void mcph_http_trace_end(struct exchange *x, mcphost_error *error); /* NULL: nothing */

/* ---- http_diagnose.c --------------------------------------------------------------- */

/* As mcph_transport_diagnose(). */
int mcph_http_diagnose(struct mcph_transport *t, mcphost_error *error, int64_t wait_ms,
                       mcph_diagnosed_fn done, void *arg);
void mcph_http_diagnosis_end(struct http *h); /* says nothing any more */

#endif
