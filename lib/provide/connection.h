/* SPDX-License-Identifier: MIT
 *
 * connection.h - one MCP connection on which the library is the server.
 *
 *   new --service is up--> open --close--> closing --requests are done--> over
 *
 * The first request decides the era.  `ping`, `server/discover` and a request that is
 * refused before the era is known do not count.  `initialize` begins the legacy era
 * (2024-11-05 to 2025-11-25).  Any other request with a protocol version in its _meta
 * begins the modern era (2026-07-28).
 *
 * A *service* carries out the requests of one connection and need not know the era.
 * service.c makes a service from a provider.  lib/serve makes a service from a view.  A
 * modern request is *parked* after the connection has answered the request with
 * questions, until the client sends the request again (parked.c).
 *
 * All functions of this file run in the dispatcher only.
 */
#ifndef MCPH_PROVIDE_CONNECTION_H
#define MCPH_PROVIDE_CONNECTION_H

#include "provide/provide.h"
#include "transport/transport.h"

struct mcph_connection;
struct mcph_service;

/* ---- requests that a service carries out ------------------------------------------- */

/*
 * A request that the service carries out, from begin() until the answer or abandon().
 * The connection owns the struct and all texts in the struct.
 */
struct mcph_served {
    struct mcph_connection *connection;
    int method; /* one of MCPH_PROVIDE_* */
    int kind;   /* kind of the feature for COMPLETE, MCPHOST_FEATURE_PROMPT or
                 * _TEMPLATE */
    /* The name of a tool or prompt, the URI of a resource, or the URI template.  A NUL
     * follows `name`, `argument` and `value`. */
    struct mcph_span name;
    struct mcph_span arguments; /* a JSON object; "{}" if the client sent no arguments */
    /* For COMPLETE, the argument's name and its value so far.  For other methods, the p
     * of both members is NULL. */
    struct mcph_span argument, value;
    struct mcph_span meta; /* the _meta of the request, an object; p is NULL if there is
                            * no _meta */
    bool wants_progress;
    /* The lowest level of log messages that the client wants while the request is open,
     * MCPHOST_MESSAGES_*, or -1 if the client wants none. */
    int level;
    void *carried; /* data of the service */
};

/* A question: a request to the client while the service carries out a request of the
 * client.  The service owns the memory. */
struct mcph_served_ask {
    int kind;                /* MCPHOST_REQUEST_FORM, _URL, _SAMPLING, _ROOTS */
    struct mcph_span params; /* a JSON object that lives as long as the question; p may
                              * be NULL */
    /* Reports the client's answer.  If `code` is 0, `result` is valid during this call.
     * If `code` is negative, `error` is borrowed.  The connection calls this function
     * once, unless mcph_served_unask() or the end of the request comes first.  The
     * connection never calls this function from inside mcph_served_ask().  This function
     * may free the question, because the connection no longer uses the question. */
    void (*answered)(struct mcph_served_ask *ask, int code, struct mcph_span result,
                     mcphost_error *error);

    /* The connection alone uses the members below. */
    struct mcph_list link; /* link in the request's list */
    struct mcph_served *served;
    struct mcph_rpc_call call; /* the request to a legacy client */
    uint64_t number;           /* unique within its request; key of a modern question */
    bool is_sent;
};

/* Answers a request.  `result` is a JSON object in `frame`.  The connection takes a
 * reference to `frame` if the answer must wait.  Do not use `served` after this
 * call. */
void mcph_served_answer(struct mcph_served *served, struct mcph_frame *frame,
                        struct mcph_span result);
/* Answers a request with an error.  `error` is borrowed and may be NULL.  If `code` is
 * MCPHOST_E_RPC, the response has the JSON-RPC code and the data of `error`; in the
 * modern era, -32602 replaces the code -32002.  For any other `code`, the response has
 * the JSON-RPC code that fits `code`. */
void mcph_served_fail(struct mcph_served *served, int code, mcphost_error *error);
/* Reports progress.  `total` is NaN if it is not known.  `text` may be NULL.  Drops the
 * report if `progress` is not finite or has not increased, if the client wants no
 * progress, while the request is parked, and while messages must wait in the outbox. */
void mcph_served_report(struct mcph_served *served, double progress, double total,
                        const char *text);
/* Returns the kinds of requests that the client answers: MCPHOST_REQUEST_*, or'ed. */
unsigned mcph_served_asks(const struct mcph_served *served);
/* Asks the client a question.  Returns 0, MCPHOST_E_DENIED (the client does not answer
 * requests of this kind), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM or MCPHOST_E_TRANSPORT.  On
 * failure no question was asked. */
int mcph_served_ask(struct mcph_served *served, struct mcph_served_ask *ask);
/* Withdraws a question.  The connection then does not call `answered` any more. */
void mcph_served_unask(struct mcph_served_ask *ask);

/* ---- services ---------------------------------------------------------------------- */

/* The features and capabilities that a service currently offers. */
struct mcph_service_offer {
    unsigned kinds;  /* kinds of features, 1u << MCPHOST_FEATURE_* */
    bool completion; /* the service answers completion/complete */
    bool subscribe;  /* the service reports changes of resources */
    bool logging;    /* the service sends log messages */
};

struct mcph_service_ops {
    /* Starts the service.  mcph_service_up() follows, unless the service closes first.
     * This function never calls mcph_service_up() itself. */
    void (*start)(struct mcph_service *service);
    /* Frees the service.  Before this call, the connection has answered or abandoned
     * all requests. */
    void (*free)(struct mcph_service *service);

    /* The connection calls the functions below only after the service is up. */

    void (*get_offer)(struct mcph_service *service, struct mcph_service_offer *ret);
    /* Adds the object Implementation of MCP, which has "name" and "version". */
    int (*add_info)(struct mcph_service *service, struct mcph_buf *buf);
    /* Returns the instructions as a JSON string that is valid until the next call.  The p
     * of the string is NULL if there are no instructions. */
    struct mcph_span (*get_instructions)(struct mcph_service *service);
    /* Makes a JSON array of all definitions of a kind.  The caller gets a reference.
     * Returns 0 or a negative code. */
    int (*list)(struct mcph_service *service, int kind, struct mcph_frame **ret);

    /* Starts to carry out a request.  The answer follows later, never from inside this
     * function.  On failure the request was not started.  The code is MCPHOST_E_NOTFOUND
     * (the feature does not exist), MCPHOST_E_INVALID (the arguments do not fit),
     * MCPHOST_E_CLOSED or another code. */
    int (*begin)(struct mcph_service *service, struct mcph_served *served,
                 mcphost_error **reterr);
    /* Ends a request whose answer is not wanted any more.  The service forgets `served`
     * and its questions. */
    void (*abandon)(struct mcph_service *service, struct mcph_served *served);

    /* `subscribe` and `unsubscribe` begin and end the service's subscription to a URI.
     * The connection calls `subscribe` once for a URI, however often the client
     * subscribes.  `subscribe` returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_INVALID,
     * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM.  These functions and the functions below may be
     * NULL. */
    int (*subscribe)(struct mcph_service *service, struct mcph_span uri);
    void (*unsubscribe)(struct mcph_service *service, struct mcph_span uri);
    /* Sets the lowest level of log messages (MCPHOST_MESSAGES_*) that the client wants.
     * A value above MCPHOST_MESSAGES_EMERGENCY means that the client wants no
     * messages. */
    void (*set_level)(struct mcph_service *service, int level);
};

/* The base of a service.  Each implementation embeds this struct. */
struct mcph_service {
    const struct mcph_service_ops *ops;
    struct mcph_connection *connection; /* connection that uses the service, or NULL */
};

/* A service reports its events to the connection by the functions below.  If the service
 * has no connection, the functions do nothing. */

/* Reports that the start of the service has ended.  If `error` is NULL, the service is
 * up.  Otherwise the service cannot be used, and `error`, which is borrowed, says why. */
void mcph_service_up(struct mcph_service *service, mcphost_error *error);
/* Reports that the lists of these features have changed, 1u << MCPHOST_FEATURE_*. */
void mcph_service_changed(struct mcph_service *service, unsigned kinds);
void mcph_service_updated(struct mcph_service *service, struct mcph_span uri);
/* Reports a log message.  `logger` is a text.  The p of `logger` may be NULL.  `data` is
 * JSON. */
void mcph_service_logged(struct mcph_service *service, int level, struct mcph_span logger,
                         struct mcph_span data);
/* Reports that the service takes no new requests.  It still answers its open requests. */
void mcph_service_closing(struct mcph_service *service);

/* Makes a service from a provider and takes a reference to the provider (service.c).
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_provider_serve(mcphost_provider *provider, struct mcph_service **ret);

/* ---- life of a connection ---------------------------------------------------------- */

struct mcph_connection_spec {
    const char *name; /* name of the connection in the log; copied */
    int era;          /* MCPHOST_ERA_* that the client may speak; AUTO allows both eras */
    unsigned depth;   /* nesting limit of messages; 0 means MCPH_JSON_DEPTH */
    /* mcph_connection_spec_init() sets the defaults that the comments below give. */
    size_t max_requests; /* limit on requests in flight and parked; default: 256 */
    /* Limit on the bytes of the requests in flight.  A single request in flight may be
     * larger.  The inbox and the outbox each have a limit of the same size.  The default
     * is 64 MiB. */
    size_t max_bytes;
    /* Limit on the bytes of one result, or of the data of one error.  The default is 48
     * MiB.  The queue of a transport can hold more bytes. */
    size_t max_result;
    int64_t request_ms; /* limit in ms on a request, without the time of its questions;
                         * -1 means no limit; default: 1 h */
    int64_t ask_ms;     /* limit in ms on the client's answer to a question; default:
                         * 10 min */
    int64_t finish_ms;  /* limit in ms on the time to finish the open answers after
                         * the client has sent its last message; default: 60 s */
    int64_t start_ms;   /* limit in ms until the service is up; default: 60 s */
    size_t max_garbage; /* number of invalid messages allowed; default: 100 */
    /* Limit on the bytes in the transport's queue that the client has not read.  The
     * default is 8 MiB.  Beyond this limit, messages wait in the outbox (max_bytes).
     * While messages wait there, the connection handles no message of the client. */
    size_t max_queued;
    int64_t stall_ms;      /* a client that reads nothing for this time, in ms, while
                            * messages wait in the outbox, is dropped; default: 60 s */
    size_t page_items;     /* limit on the definitions in a page; default: 1000 */
    size_t page_bytes;     /* limit on the bytes of a page; a single definition may be
                            * larger; default: 1 MiB */
    size_t max_subscribed; /* limit on subscribed URIs; default: 1024 */
    size_t max_listens;    /* limit on open modern subscriptions; default: 16 */
    int64_t ttl_ms;        /* ms that a modern client may cache a list or the answer to
                            * server/discover; default: 0 */
};

void mcph_connection_spec_init(struct mcph_connection_spec *spec);

/* The events of a connection.  The owner may call each function below from inside these
 * functions. */
struct mcph_connection_events {
    /* Reports that era and version are agreed on.  The function may be NULL. */
    void (*ready)(struct mcph_connection *connection, void *arg);
    /* Reports that the connection is over.  No other event follows.  `reason` says why,
     * and is borrowed.  The owner must close the transport, because the connection does
     * not use the transport any more. */
    void (*over)(struct mcph_connection *connection, mcphost_error *reason, void *arg);
};

/* Serves a client over `transport`, which may be open or not open yet.  The transport
 * must stay valid until over() is called or mcph_connection_free() returns.  `events`
 * must outlive the connection.  Takes over `service` on success.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_connection_new(struct mcph_core *core, const struct mcph_connection_spec *spec,
                        struct mcph_transport *transport, struct mcph_service *service,
                        const struct mcph_connection_events *events, void *arg,
                        struct mcph_connection **ret);
/* Refuses new requests for the service and new modern subscriptions, and ends the open
 * modern subscriptions.  The connection is over when all open requests are answered, at
 * the latest after `drain_ms` (-1 means no limit).  A parked request whose answer waits
 * for the client is abandoned.  A second call is allowed. */
void mcph_connection_close(struct mcph_connection *connection, int64_t drain_ms);
/* Ends the connection at any time and abandons its requests.  No event follows.  Returns
 * NULL.  `connection` may be NULL. */
struct mcph_connection *mcph_connection_free(struct mcph_connection *connection);

#endif
