/* SPDX-License-Identifier: MIT
 *
 * connection.h - one MCP connection as a server, for a service.
 *
 *   new --service is up--> open --close--> closing --requests are done--> over
 *
 * The client's first message decides the era: `initialize` is legacy (2024-11-05 to
 * 2025-11-25), a request with a protocol version in its _meta is modern (2026-07-28).
 * Both eras are carried out by the same service, in the same way.
 *
 * A *service* is what a connection serves.  Each connection has one of its own:
 * service.c makes one of a provider; another room makes one of a view.
 *
 * All of it belongs to the dispatcher.
 */
#ifndef MCPH_PROVIDE_CONNECTION_H
#define MCPH_PROVIDE_CONNECTION_H

#include "provide/provide.h"
#include "transport/transport.h"

struct mcph_connection;
struct mcph_service;

/* ---- requests that a service carries out ------------------------------------------- */

/*
 * A request in the hands of the service, from begin() until it is answered or abandoned.
 * The connection owns it, with all texts that it refers to.
 */
struct mcph_served {
    struct mcph_connection *connection;
    int method; /* MCPH_PROVIDE_* */
    int kind;   /* of COMPLETE: MCPHOST_FEATURE_PROMPT or _TEMPLATE */
    /* Texts with a NUL behind them: the name of a tool or prompt, the URI of a resource,
     * the template. */
    struct mcph_span name;
    struct mcph_span arguments; /* a JSON object; "{}" where there are none */
    /* Of COMPLETE: texts, the argument and how its value begins; else p NULL. */
    struct mcph_span argument, value;
    struct mcph_span meta; /* the _meta of the request, an object; p NULL: none */
    bool wants_progress;
    /* The lowest level of log messages that the client wants in its course:
     * MCPHOST_MESSAGES_*; -1: none. */
    int level;
    void *carried; /* the service's own */
};

/* A request to the client in the course of another; in memory of the service. */
struct mcph_served_ask {
    int kind;                /* MCPHOST_REQUEST_FORM, _URL, _SAMPLING, _ROOTS */
    struct mcph_span params; /* a JSON object that lives as long; p NULL: none */
    /* The client's answer: `code` 0 and `result`, valid during this call; or negative and
     * `error`, borrowed.  Once, unless unasked; not from inside ask.  It is not asked any
     * more, and may be freed. */
    void (*answered)(struct mcph_served_ask *ask, int code, struct mcph_span result,
                     mcphost_error *error);

    /* the connection's own */
    struct mcph_list link; /* in the request's */
    struct mcph_served *served;
    struct mcph_rpc_call call; /* legacy */
    uint64_t number;           /* modern: the key of the question; unique in the call */
    bool is_sent;
};

/* The answer: `result` is a JSON object in `frame`, of which a reference is taken.  The
 * request is over, and must not be used any more. */
void mcph_served_answer(struct mcph_served *served, struct mcph_frame *frame,
                        struct mcph_span result);
/* The same with an error, borrowed: its RPC code and data if it has one, else the code of
 * JSON-RPC that fits `code`. */
void mcph_served_fail(struct mcph_served *served, int code, mcphost_error *error);
/* `total` NaN: not known; `text` NULL: none.  Dropped unless it increases. */
void mcph_served_report(struct mcph_served *served, double progress, double total,
                        const char *text);
/* Whether the client answers requests of this kind. */
bool mcph_served_can_ask(const struct mcph_served *served, int kind);
/* 0; MCPHOST_E_DENIED (the client does not answer such requests), MCPHOST_E_LIMIT,
 * MCPHOST_E_NOMEM, MCPHOST_E_TRANSPORT: then nothing was asked. */
int mcph_served_ask(struct mcph_served *served, struct mcph_served_ask *ask);
/* The answer is not wanted any more. */
void mcph_served_unask(struct mcph_served_ask *ask);

/* ---- services ---------------------------------------------------------------------- */

/* What a service offers at the moment. */
struct mcph_service_offer {
    unsigned kinds;  /* 1u << MCPHOST_FEATURE_* */
    bool completion; /* completion/complete */
    bool subscribe;  /* changes of resources are told */
    bool logging;    /* messages are told */
};

struct mcph_service_ops {
    /* Begins; mcph_service_up() follows, not from inside. */
    void (*start)(struct mcph_service *service);
    /* The connection is over: all of its requests were answered or abandoned. */
    void (*free)(struct mcph_service *service);

    /* All the rest only once it is up. */

    void (*get_offer)(struct mcph_service *service, struct mcph_service_offer *ret);
    /* Adds MCP's Implementation, a JSON object with "name" and "version". */
    int (*add_info)(struct mcph_service *service, struct mcph_buf *buf);
    /* A JSON string; p NULL: none.  It lives as long as the service. */
    struct mcph_span (*get_instructions)(struct mcph_service *service);
    /* All definitions of a kind, a JSON array; a reference.  0, MCPHOST_E_NOMEM. */
    int (*list)(struct mcph_service *service, int kind, struct mcph_frame **ret);

    /* Carries a request out; the answer follows, not from inside.  If it fails, nothing
     * was begun: MCPHOST_E_NOTFOUND (there is no such feature), MCPHOST_E_INVALID (the
     * arguments do not fit), MCPHOST_E_CLOSED, and others. */
    int (*begin)(struct mcph_service *service, struct mcph_served *served,
                 mcphost_error **reterr);
    /* No answer is wanted any more; the service forgets `served` and its questions. */
    void (*abandon)(struct mcph_service *service, struct mcph_served *served);

    /* What the connection wants to hear of; each may be NULL.  A URI is subscribed once,
     * however often the client asks for it.  0; MCPHOST_E_NOTFOUND, MCPHOST_E_INVALID,
     * MCPHOST_E_NOMEM. */
    int (*subscribe)(struct mcph_service *service, struct mcph_span uri);
    void (*unsubscribe)(struct mcph_service *service, struct mcph_span uri);
    /* Messages below this level (MCPHOST_MESSAGES_*) are not wanted. */
    void (*set_level)(struct mcph_service *service, int level);
};

/* Embedded first in each implementation. */
struct mcph_service {
    const struct mcph_service_ops *ops;
    struct mcph_connection *connection; /* set by it; NULL: nobody listens */
};

/* News of a service for its connection.  Without a connection they are dropped. */

/* It can be used; or it cannot, because of `error`, borrowed. */
void mcph_service_up(struct mcph_service *service, mcphost_error *error);
/* These lists are others now: bits 1u << MCPHOST_FEATURE_*. */
void mcph_service_changed(struct mcph_service *service, unsigned kinds);
void mcph_service_updated(struct mcph_service *service, struct mcph_span uri);
/* `logger` is a text, p NULL: none; `data` is JSON. */
void mcph_service_logged(struct mcph_service *service, int level, struct mcph_span logger,
                         struct mcph_span data);
/* It takes no new requests and will answer those that it has. */
void mcph_service_closing(struct mcph_service *service);

/* Serves a provider, of which a reference is taken (service.c).  0, MCPHOST_E_NOMEM. */
int mcph_provider_serve(mcphost_provider *provider, struct mcph_service **ret);

/* ---- connections ------------------------------------------------------------------- */

struct mcph_connection_spec {
    const char *name; /* for the log, copied */
    int era;          /* MCPHOST_ERA_*: of its clients; AUTO: either */
    unsigned depth;   /* nesting limit of messages; 0: MCPH_JSON_DEPTH */
    /* The defaults are those of mcph_connection_spec_init(). */
    size_t max_requests; /* 256: in flight, parked ones too */
    /* 64 MiB: of requests in flight; of messages that wait to be looked at; of those that
     * wait to be sent. */
    size_t max_bytes;
    /* 48 MiB: of one result, or of an error's data; a transport's queue has room. */
    size_t max_result;
    int64_t request_ms; /* 1 h: how long one may take, without its questions; -1: any */
    int64_t ask_ms;     /* 10 min: how long the client may take for a question */
    int64_t finish_ms;  /* 60 s: for answers, once the client has ended its output */
    int64_t start_ms;   /* 60 s: until the service is up */
    size_t max_garbage; /* 100: messages that are none, then it is closed */
    /* 8 MiB: what the client has not read; then no request is taken, and what is sent
     * waits here (max_bytes). */
    size_t max_queued;
    int64_t stall_ms;      /* 60 s: a client that reads nothing meanwhile is given up */
    size_t page_items;     /* 1000: definitions in a page of a list */
    size_t page_bytes;     /* 1 MiB: likewise, but one is in any case */
    size_t max_subscribed; /* 1024 URIs */
    size_t max_listens;    /* 16: modern subscriptions */
    int64_t ttl_ms;        /* 0: how long a modern client may keep a list */
};

void mcph_connection_spec_init(struct mcph_connection_spec *spec);

/* From any of them the owner may call each function below. */
struct mcph_connection_events {
    /* Era and version are agreed on.  May be NULL. */
    void (*ready)(struct mcph_connection *connection, void *arg);
    /* The last event: the client has ended the connection or broken a limit, or a close
     * is done.  The connection does not use the transport any more; the owner is to close
     * it.  `reason` is borrowed. */
    void (*over)(struct mcph_connection *connection, mcphost_error *reason, void *arg);
};

/* Serves over a transport, which is open or about to be, and outlives the connection's
 * use of it.  Takes the service over if it returns 0; `events` must outlive the
 * connection.  0, MCPHOST_E_NOMEM. */
int mcph_connection_new(struct mcph_core *core, const struct mcph_connection_spec *spec,
                        struct mcph_transport *transport, struct mcph_service *service,
                        const struct mcph_connection_events *events, void *arg,
                        struct mcph_connection **ret);
/* Takes no new request.  Those that it has may be answered for `drain_ms` more (-1: for
 * as long as they take); then it is over.  Twice is fine. */
void mcph_connection_close(struct mcph_connection *connection, int64_t drain_ms);
/* At any time; no event comes any more.  Its requests are abandoned.  Returns NULL; NULL
 * is allowed. */
struct mcph_connection *mcph_connection_free(struct mcph_connection *connection);

/* "2025-11-25"; NULL: not agreed on yet. */
const char *mcph_connection_get_version(const struct mcph_connection *connection);

#endif
