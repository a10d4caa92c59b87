/* SPDX-License-Identifier: MIT
 *
 * connection.h - one MCP connection on which the library is the server.
 *
 *   new --service is up--> open --close--> closing --requests are done--> over
 *
 * The client's first message decides the era: `initialize` is legacy (2024-11-05 to
 * 2025-11-25), a request with a protocol version in its _meta is modern (2026-07-28).
 *
 * A *service* carries out the requests of one connection, in the same way for both eras.
 * service.c makes a service from a provider; the room `serve` makes one from a view.
 *
 * Dispatcher only: all functions here are called from mcphost_dispatch().
 */
#ifndef MCPH_PROVIDE_CONNECTION_H
#define MCPH_PROVIDE_CONNECTION_H

#include "provide/provide.h"
#include "transport/transport.h"

struct mcph_connection;
struct mcph_service;

/* ---- requests that a service carries out ------------------------------------------- */

/*
 * A request that the service carries out, from begin() until it is answered or abandoned.
 * The connection owns it and all texts that it refers to.
 */
struct mcph_served {
    struct mcph_connection *connection;
    int method; /* MCPH_PROVIDE_* */
    int kind;   /* COMPLETE only: MCPHOST_FEATURE_PROMPT or _TEMPLATE */
    /* The name of a tool or prompt, the URI of a resource, or the URI template.  All
     * texts here end with a NUL. */
    struct mcph_span name;
    struct mcph_span arguments; /* a JSON object; "{}" if there are none */
    /* COMPLETE only, else p NULL: the argument's name, and its value so far. */
    struct mcph_span argument, value;
    struct mcph_span meta; /* the _meta of the request: an object, or p NULL */
    bool wants_progress;
    /* The lowest level of log messages that the client wants while the request is open:
     * MCPHOST_MESSAGES_*; -1: it wants none. */
    int level;
    void *carried; /* data of the service */
};

/* A question: a request to the client while one of its own requests is carried out.  The
 * service owns the memory. */
struct mcph_served_ask {
    int kind;                /* MCPHOST_REQUEST_FORM, _URL, _SAMPLING, _ROOTS */
    struct mcph_span params; /* a JSON object that lives as long, or p NULL */
    /* Reports the client's answer: `code` 0 and `result`, which is valid during this
     * call; or a negative code and `error`, which is borrowed.  Called once, unless
     * mcph_served_unask() comes first, and never from inside mcph_served_ask().  The
     * question is closed, so the service may free it. */
    void (*answered)(struct mcph_served_ask *ask, int code, struct mcph_span result,
                     mcphost_error *error);

    /* used by the connection only */
    struct mcph_list link; /* in the request's list */
    struct mcph_served *served;
    struct mcph_rpc_call call; /* legacy only */
    uint64_t number;           /* unique in its request; key of a modern question */
    bool is_sent;
};

/* Answers a request.  `result` is a JSON object in `frame`; the connection takes a
 * reference to `frame` if it has to wait.  `served` must not be used any more. */
void mcph_served_answer(struct mcph_served *served, struct mcph_frame *frame,
                        struct mcph_span result);
/* Answers a request with `error`, which is borrowed.  The response has the JSON-RPC code
 * and data of `error` if it has any, else the JSON-RPC code that fits `code`. */
void mcph_served_fail(struct mcph_served *served, int code, mcphost_error *error);
/* Reports progress.  `total` is NaN and `text` is NULL if not known.  A report is dropped
 * unless `progress` has increased. */
void mcph_served_report(struct mcph_served *served, double progress, double total,
                        const char *text);
/* The kinds of questions that the client answers: MCPHOST_REQUEST_*, or'ed. */
unsigned mcph_served_asks(const struct mcph_served *served);
/* Asks the client a question.  Returns 0, MCPHOST_E_DENIED (the client does not answer
 * requests of this kind), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM or MCPHOST_E_TRANSPORT.  On
 * failure nothing was asked. */
int mcph_served_ask(struct mcph_served *served, struct mcph_served_ask *ask);
/* Withdraws a question.  `answered` is not called any more. */
void mcph_served_unask(struct mcph_served_ask *ask);

/* ---- services ---------------------------------------------------------------------- */

/* The features and capabilities that a service offers now. */
struct mcph_service_offer {
    unsigned kinds;  /* 1u << MCPHOST_FEATURE_* */
    bool completion; /* completion/complete */
    bool subscribe;  /* changes of resources are reported */
    bool logging;    /* log messages are sent */
};

struct mcph_service_ops {
    /* Starts the service.  mcph_service_up() follows, but never from inside this
     * function. */
    void (*start)(struct mcph_service *service);
    /* Frees the service.  All requests of the connection were answered or abandoned. */
    void (*free)(struct mcph_service *service);

    /* All functions below are called only once the service is up. */

    void (*get_offer)(struct mcph_service *service, struct mcph_service_offer *ret);
    /* Adds MCP's Implementation, a JSON object with "name" and "version". */
    int (*add_info)(struct mcph_service *service, struct mcph_buf *buf);
    /* Returns a JSON string that is valid until the next call; p NULL: no
     * instructions. */
    struct mcph_span (*get_instructions)(struct mcph_service *service);
    /* Returns a reference to a JSON array of all definitions of a kind.  0 or
     * MCPHOST_E_NOMEM. */
    int (*list)(struct mcph_service *service, int kind, struct mcph_frame **ret);

    /* Starts to carry a request out.  The answer follows later, never from inside this
     * function.  On failure nothing was started: MCPHOST_E_NOTFOUND (the feature does not
     * exist), MCPHOST_E_INVALID (the arguments do not fit), MCPHOST_E_CLOSED and
     * others. */
    int (*begin)(struct mcph_service *service, struct mcph_served *served,
                 mcphost_error **reterr);
    /* The answer is not wanted any more.  The service forgets `served` and its
     * questions. */
    void (*abandon)(struct mcph_service *service, struct mcph_served *served);

    /* Each of the functions below may be NULL.  A URI is subscribed once, however often
     * the client subscribes it.  `subscribe` returns 0, MCPHOST_E_NOTFOUND,
     * MCPHOST_E_INVALID, MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
    int (*subscribe)(struct mcph_service *service, struct mcph_span uri);
    void (*unsubscribe)(struct mcph_service *service, struct mcph_span uri);
    /* Log messages below this level (MCPHOST_MESSAGES_*) are not wanted. */
    void (*set_level)(struct mcph_service *service, int level);
};

/* Embedded in each implementation. */
struct mcph_service {
    const struct mcph_service_ops *ops;
    struct mcph_connection *connection; /* set by the connection; NULL: none */
};

/* Events of a service for its connection.  They are dropped if there is no connection. */

/* With `error` NULL, the service can be used.  Otherwise it cannot; `error` is
 * borrowed. */
void mcph_service_up(struct mcph_service *service, mcphost_error *error);
/* The lists of these features have changed: bits 1u << MCPHOST_FEATURE_*. */
void mcph_service_changed(struct mcph_service *service, unsigned kinds);
void mcph_service_updated(struct mcph_service *service, struct mcph_span uri);
/* A log message.  `logger` is a text, or p NULL; `data` is JSON. */
void mcph_service_logged(struct mcph_service *service, int level, struct mcph_span logger,
                         struct mcph_span data);
/* The service takes no new requests, but answers those that it has. */
void mcph_service_closing(struct mcph_service *service);

/* Makes a service from a provider and takes a reference to the provider (service.c).
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_provider_serve(mcphost_provider *provider, struct mcph_service **ret);

/* ---- connections ------------------------------------------------------------------- */

struct mcph_connection_spec {
    const char *name; /* for the log; copied */
    int era;          /* MCPHOST_ERA_* that the client may speak; AUTO: both */
    unsigned depth;   /* nesting limit of messages; 0: MCPH_JSON_DEPTH */
    /* Each comment begins with the default, which mcph_connection_spec_init() sets. */
    size_t max_requests; /* 256: in flight, with parked ones */
    /* 64 MiB for each of: requests in flight, messages in the inbox, messages in the
     * outbox. */
    size_t max_bytes;
    /* 48 MiB: one result, or the data of one error.  A transport's queue can take
     * more. */
    size_t max_result;
    int64_t request_ms; /* 1 h: limit of a request, without its questions; -1: none */
    int64_t ask_ms;     /* 10 min: limit of the client for a question */
    int64_t finish_ms;  /* 60 s: to finish answers once the client's output has ended */
    int64_t start_ms;   /* 60 s: limit until the service is up */
    size_t max_garbage; /* 100: invalid messages; one more ends the connection */
    /* 8 MiB: bytes that the client has not read.  Beyond this, no request is taken and
     * messages wait in the outbox (max_bytes). */
    size_t max_queued;
    int64_t stall_ms;      /* 60 s: a client that reads nothing for so long is dropped */
    size_t page_items;     /* 1000: definitions in a page of a list */
    size_t page_bytes;     /* 1 MiB: in a page; one definition always fits */
    size_t max_subscribed; /* 1024: subscribed URIs */
    size_t max_listens;    /* 16: open modern subscriptions */
    int64_t ttl_ms;        /* 0: how long a modern client may cache a list */
};

void mcph_connection_spec_init(struct mcph_connection_spec *spec);

/* From inside these functions the owner may call each function below. */
struct mcph_connection_events {
    /* Era and version are agreed on.  May be NULL. */
    void (*ready)(struct mcph_connection *connection, void *arg);
    /* The last event.  The client has ended the connection or exceeded a limit, or a
     * close is done.  The connection does not use the transport any more, so the owner
     * must close it.  `reason` is borrowed. */
    void (*over)(struct mcph_connection *connection, mcphost_error *reason, void *arg);
};

/* Serves a client over `transport`, which is open or will be opened.  The transport must
 * outlive its use by the connection; `events` must outlive the connection.  Takes over
 * `service` on success.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_connection_new(struct mcph_core *core, const struct mcph_connection_spec *spec,
                        struct mcph_transport *transport, struct mcph_service *service,
                        const struct mcph_connection_events *events, void *arg,
                        struct mcph_connection **ret);
/* Takes no new requests.  Open ones may be answered for `drain_ms` (-1: no limit), then
 * the connection is over.  May be called twice. */
void mcph_connection_close(struct mcph_connection *connection, int64_t drain_ms);
/* Ends the connection at any time and abandons its requests.  No event comes any more.
 * Returns NULL; `connection` may be NULL. */
struct mcph_connection *mcph_connection_free(struct mcph_connection *connection);

#endif
