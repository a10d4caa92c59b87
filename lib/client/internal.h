/* SPDX-License-Identifier: MIT
 *
 * internal.h - declarations shared by the files of lib/client alone.
 *
 * Only a job frees the memory of a client.  Therefore the memory stays while lib/rpc or
 * another lower folder of lib/ runs a function of the client.  The owner may free the
 * client in an event.  mcph_client_free() then sets `freed` and posts the job.  A
 * function that has called the owner must therefore check `freed` before it continues.
 */
#ifndef MCPH_CLIENT_INTERNAL_H
#define MCPH_CLIENT_INTERNAL_H

#include "client/client.h"

#define NEWEST_MODERN "2026-07-28"
/* Limit on handshakes that are repeated in a row.  After AGAIN_MAX repetitions, if a
 * modern HTTP server refuses the version or session once more, the client does not repeat
 * the handshake, and this refusal becomes the answer to the request.  In all other cases
 * mcph_negotiate_again() ends the client. */
#define AGAIN_MAX 3

/* A hint for the error of a server that fails at the probe.  The server may know only
 * initialize. */
#define CLIENT_ERA_HINT                                                          \
    "; if the server speaks only versions before 2026-07-28, set 'era: legacy' " \
    "in its entry to skip this request"

/* The meanings of an answer to the probe (MCP 2026-07-28, versioning; probe.c). */
enum {
    PROBE_LEGACY,  /* the server does not know the modern protocol */
    PROBE_MODERN,  /* the server speaks `version` */
    PROBE_CORRECT, /* send the probe again with `version` */
    PROBE_FAIL     /* the handshake fails: no version in common, or the server refused
                    * or did not read the probe */
};

struct probe_verdict {
    int kind;
    const char *version;  /* a static string, for PROBE_MODERN and PROBE_CORRECT */
    mcphost_error *error; /* the error of PROBE_FAIL; the caller owns the reference */
};

/* The kinds of cached answers (cache.c). */
enum { CACHE_DISCOVER, CACHE_LISTS, CACHE_KINDS = CACHE_LISTS + MCPH_LIST_KINDS };

struct cache_hints {
    int64_t until; /* the time until which all parts of the answer are fresh, by the
                    * monotonic clock, in ms */
    bool public;   /* each part of the answer has the cacheScope "public" */
    uint64_t asked;
    bool known; /* `who` is known and was equal for all parts of the answer */
    unsigned char who[MCPH_DIGEST_LEN];
};

struct list_page {
    struct mcph_client_page page;
    struct mcph_span next; /* nextCursor, a string token in the page's frame */
};

/* The state of one kind of list, MCPH_LIST_*. */
struct list_job {
    struct mcph_client *client;
    int kind;
    bool running;
    bool again;     /* the list is due again, because the list changed while it was
                     * read */
    bool empty;     /* only the event `listed` is due, because the server lacks this
                     * list */
    bool postponed; /* the list was postponed: it is read after the repeated handshake */
    int unsent;     /* the error code if the request could not be sent, so that only the
                     * event `listed` is due; else 0 */
    struct mcph_rpc_call call;
    struct mcph_timer timer;         /* the deadline of the whole list, or the time
                                      * when `listed` is due */
    struct mcph_timer changed_timer; /* runs until the event `changed` */
    struct list_page *pages;
    size_t n_pages, cap;
    size_t bytes;
    struct cache_hints hints;
    struct mcph_client_list *recalled; /* a cached list that is reported in place of an
                                        * answer of the server, or NULL */
    bool begun_anew;                   /* the first page was requested again after a
                                        * cursor was refused */
};

/* A kind of notification by which a server announces that lists have changed
 * (lists.c). */
#define LIST_NOTICES 3
struct list_notice {
    const char *capability; /* the capability whose member listChanged says that the
                             * server sends the notification */
    const char *method;
    const char *flag; /* member of subscriptions/listen that requests the notification */
    unsigned kinds;   /* the lists that the notification reports as changed, 1u <<
                       * MCPH_LIST_* */
};
extern const struct list_notice mcph_list_notices[LIST_NOTICES];

struct ping {
    struct mcph_rpc_call call;
    struct mcph_timer timer;
    uint64_t heard; /* number of received messages when the silence began */
};

struct listen_request {
    struct mcph_client *client;
    struct mcph_rpc_call call;
    char id[24];
    bool acknowledged;
    int64_t since;  /* time of the acknowledgment */
    unsigned tasks; /* the number of watches added so far (tasks.n) when the request was
                     * sent; 0 if the request names no task */
};

/* The largest number of open requests of the subscription.  While two requests are open,
 * the server has acknowledged one request and not yet the other request. */
#define LISTEN_REQUESTS 2
struct listen {
    struct listen_request requests[LISTEN_REQUESTS];
    struct mcph_timer timer; /* runs until the next request is sent */
    unsigned n;              /* number of requests sent so far */
    int64_t delay;           /* the last delay, in ms, before a request; 0 means no delay
                              * yet */
    bool lost;               /* true if the client may have missed changes */
};

struct subscriptions {
    struct mcph_list all; /* list of struct subscription (subscribe.c) */
    struct mcph_map by_uri;
    size_t n, bytes;         /* number of subscriptions; bytes of their URIs */
    size_t n_asking;         /* legacy era: number of requests without an answer yet */
    struct mcph_timer timer; /* set if a request to the server or an event may be due, or
                              * if a subscription may have to be freed */
    struct mcph_timer update_timer;
    bool told_foreign; /* the event `odd` was sent because the server announced a change
                        * of a resource without a subscription */
};

struct log_level {
    struct mcph_rpc_call call;
    bool changed; /* the level changed after `call` was sent */
};

struct mcph_client {
    struct mcph_core *core;
    struct mcph_client_spec spec; /* the owner's settings, with copies of the strings */
    const struct mcph_client_events *events;
    void *arg;
    int state;
    bool freed;
    struct mcph_job free_job;

    struct mcph_transport *transport; /* the transport in use, or NULL */
    struct mcph_rpc rpc;
    struct mcph_buf meta;     /* modern era: the members that every _meta has */
    const char *meta_version; /* the version in `meta`, a static string */

    /* The members for the negotiation. */
    const char *want; /* the modern version that the probe asks for, a static string */
    struct mcph_rpc_call probe, init, take_up;
    struct mcph_timer probe_timer, start_timer;
    unsigned n_probes;
    bool corrected;            /* the client has sent the probe again with another
                                * version; allowed once */
    bool modern_for_sure;      /* the client was restarted because the server gave a
                                * modern answer */
    bool restarted;            /* the `restart` event was sent; allowed once */
    bool begin_legacy;         /* the next start sends initialize, not the probe */
    bool probed;               /* the probe was sent over this transport */
    bool talking_legacy;       /* initialize or the ping of a resumed session was sent
                                * over this transport; false again if the server refuses
                                * initialize or turns out to be modern */
    mcphost_error *init_error; /* error of initialize, while the probe is still open */
    struct mcph_client_info info;
    int64_t latency_ms; /* latency in ms of the client's last own request with a good
                         * answer; -1 before the first good answer */
    bool told_no_type;  /* a missing resultType was logged */
    bool told_foreign;  /* the event `odd` was sent because an answer had an unknown id */

    struct mcph_client_cache *cache; /* the cache, or NULL */
    unsigned char cache_place[MCPH_DIGEST_LEN];
    struct cache_hints probe_hints;
    struct mcph_frame *recalled; /* a cached answer to the probe; the client uses it and
                                  * sends no probe; may be NULL */
    bool unproven;               /* the client is READY because of `recalled`, and the
                                  * server has not yet given a good answer */

    struct list_job lists[MCPH_LIST_KINDS];
    struct listen listen;
    struct subscriptions subscriptions;
    struct {
        struct mcph_list watches; /* list of struct mcph_task_watch */
        size_t count;             /* the number of watches; there is a small limit,
                                   * because each request names all tasks */
        unsigned n;               /* number of watches that were ever added */
        bool refused;             /* the server does not take ids of tasks */
    } tasks;
    struct ping ping;
    struct log_level level;

    struct mcph_list in_flight, queued; /* lists of struct mcph_operation, in the order of
                                         * sending */
    size_t n_in_flight, n_queued;
    struct mcph_client_gate *gate; /* reference to the gate, or NULL */
    struct mcph_list gate_link;    /* link in the gate's list of waiting clients */

    struct mcph_list questions; /* list of the open struct mcph_client_question */
    size_t n_questions;
    size_t n_unowned;     /* number of open questions whose operation is not known */
    uint64_t streams;     /* number of the last stream; 0 before the first stream */
    uint64_t old_streams; /* streams up to this number belong to an earlier session */
    unsigned n_again;     /* number of handshakes repeated in a row */
    bool holding;         /* true from a refusal of the session or version until the
                           * handshake is repeated, and while the tools are listed again
                           * because of `fresh`: no operation is sent */
    struct mcph_client_list *fresh; /* the list of tools that was read again, because
                                     * the server had refused the headers of calls; or
                                     * NULL */
};

/* ---- cache.c: cached answers ------------------------------------------------------- */

/* These functions return a reference to a cached answer, or NULL.  They return only an
 * answer that is fresh and that this client may use. */
struct mcph_frame *mcph_client_cache_find_discover(const struct mcph_client *c,
                                                   const char *version);
struct mcph_client_list *mcph_client_cache_find_list(const struct mcph_client *c,
                                                     int kind);
/* These functions collect how long the cache may keep an answer, and for which caller.
 * Call mcph_client_cache_hints_begin() before the request is sent.  Call
 * mcph_client_cache_hints_add() for each part of the answer. */
void mcph_client_cache_hints_begin(const struct mcph_client *c,
                                   struct cache_hints *hints);
void mcph_client_cache_hints_add(const struct mcph_client *c, struct mcph_span result,
                                 struct cache_hints *hints);
/* mcph_client_cache_keep_discover() and mcph_client_cache_keep_list() store an answer in
 * the cache if the hints permit this.  mcph_client_cache_forget_list() drops the cached
 * lists of one kind of the client's server, and mcph_client_cache_forget_all() drops all
 * cached answers of this server. */
void mcph_client_cache_keep_discover(const struct mcph_client *c, const char *version,
                                     const struct cache_hints *hints,
                                     struct mcph_frame *frame);
void mcph_client_cache_keep_list(const struct mcph_client *c,
                                 const struct cache_hints *hints,
                                 struct mcph_client_list *list);
void mcph_client_cache_forget_list(const struct mcph_client *c, int kind);
void mcph_client_cache_forget_all(const struct mcph_client *c);

/* ---- headers.c: Mcp-Param-* -------------------------------------------------------- */

/* The number of places at the start of `items` for the headers that name the version, the
 * method and the operation. */
#define PARAMS_FIRST 3

struct params {
    size_t n;
    struct mcph_header items[PARAMS_FIRST + MCPH_CLIENT_PARAMS_MAX + MCPH_TRACES];
    size_t at[MCPH_CLIENT_PARAMS_MAX];
    struct mcph_buf text;
};

/* Makes the headers for the arguments of a call.  Returns 0 or the code of the buffer.
 * Call mcph_client_params_done() in either case. */
int mcph_client_params_make(struct params *params, struct mcph_span schema,
                            struct mcph_span arguments);
void mcph_client_params_done(struct params *params);

/* ---- stream.c: streams of HTTP ----------------------------------------------------- */

void mcph_stream_status(struct mcph_client *c, uint64_t stream,
                        const struct mcph_transport_status *status);
void mcph_stream_closed(struct mcph_client *c, uint64_t stream, mcphost_error *reason);
/* The reasons for which the client may send a request again.  mcph_stream_refusal()
 * returns the reason that the answer gives.  It never returns REFUSAL_LOST, because a
 * lost answer gives no reason. */
enum {
    REFUSAL_NONE,
    REFUSAL_STRANGER, /* the server does not know the client's session or version, or the
                       * cached answer to the probe is outdated */
    REFUSAL_HEADERS,  /* the headers do not fit the tool's current schema */
    REFUSAL_LOST      /* the answer is lost, but the request has no effects */
};
int mcph_stream_refusal(const struct mcph_client *c,
                        const struct mcph_rpc_answer *answer);
/* Returns true if the stream of the request ended with neither an answer nor a status. */
bool mcph_stream_is_lost(const struct mcph_client *c,
                         const struct mcph_rpc_answer *answer);
/* Returns true if a legacy server answers that it does not know the session. */
bool mcph_stream_session_is_unknown(const struct mcph_rpc_answer *answer);
/* Returns true if the stream began before the handshake was repeated.  A refusal on this
 * stream concerns the session that has ended. */
bool mcph_stream_is_old(const struct mcph_client *c, uint64_t stream);

/* ---- client.c: errors and the end -------------------------------------------------- */

/* Makes an error that names the server.  The caller gets the reference in *reterr.
 * Returns `code`. */
int mcph_client_error(const struct mcph_client *c, mcphost_error **reterr, int code,
                      const char *fmt, ...) MCPHOST_PRINTF(4, 5);
/* Makes an error from the error object of an answer.  The message begins with `what`. */
int mcph_client_rpc_error(const struct mcph_client *c, mcphost_error **reterr,
                          const char *what, const struct mcph_rpc_answer *answer);
/* Returns true if a request is late because the application has not answered the request
 * for credentials of this server.  *reterr is then the error.  `what` names the late
 * request. */
bool mcph_client_awaits_credentials(const struct mcph_client *c, mcphost_error **reterr,
                                    const char *what);
/* Makes the error for one of the client's own requests that failed.  The request may have
 * failed with an answer or without an answer.  Returns the code of the error. */
int mcph_client_answer_error(const struct mcph_client *c, mcphost_error **reterr,
                             const char *method, const struct mcph_rpc_answer *answer);
/* Sends the event `odd` about odd behaviour of the server that a person should know. */
void mcph_client_odd(struct mcph_client *c, const char *kind, const char *text);
/* Returns true if a send failed because the connection is lost.  The caller then only
 * waits, because the transport soon reports the loss with a better reason. */
bool mcph_client_is_losing(const struct mcph_client *c, int code);
/* Ends all activity of the client and reports `down`.  Takes over the reference to
 * `error`. */
void mcph_client_go_down(struct mcph_client *c, mcphost_error *error);
/* Releases the transport and reports `restart`.  Takes over the reference to `reason`. */
void mcph_client_restart(struct mcph_client *c, mcphost_error *reason);
/* Records the latency of one of the client's own requests, if the answer is good. */
void mcph_client_measure(struct mcph_client *c, const struct mcph_rpc_call *call,
                         const struct mcph_rpc_answer *answer);
/* Turns the client READY and starts all activity that waited for this state. */
void mcph_client_go_ready(struct mcph_client *c);

/* ---- send.c: sending messages ------------------------------------------------------ */

/* Begins a request with the id of `call`, up to the opening brace of its params.  `more`
 * is the number of bytes that the caller adds to params, without _meta. */
int mcph_client_send_begin(struct mcph_client *c, const struct mcph_rpc_call *call,
                           const struct mcph_method *method, size_t more,
                           struct mcph_buf **ret_buf);
/* Adds the members of a checked JSON object, in one line.  Adds nothing for an empty
 * object. */
int mcph_client_send_members(struct mcph_buf *buf, struct mcph_span object);
/* Adds the _meta of a request to params, with a comma if needed.  Adds nothing if _meta
 * would be empty.  _meta holds c->meta (modern era), the progress token of a call that
 * has on_progress, and the operation's log level, trace context and own members.  `op` is
 * NULL for the client's own requests. */
int mcph_client_send_meta(const struct mcph_client *c, struct mcph_buf *buf,
                          const struct mcph_rpc_call *call,
                          const struct mcph_operation *op);
/* Closes the params and the request, and sends the request.  `op` is NULL for the
 * client's own requests.  `params` has the headers for arguments, or is NULL. */
int mcph_client_send_commit(struct mcph_client *c, struct mcph_rpc_call *call,
                            struct mcph_buf *buf, const struct mcph_method *method,
                            const struct mcph_operation *op, struct params *params);
/* Sends one of the client's own requests, MCPH_METHOD_*.  The caller has started `call`.
 * `params` are members without braces. */
int mcph_client_send_request(struct mcph_client *c, struct mcph_rpc_call *call,
                             int method, struct mcph_span params);
int mcph_client_send_notification(struct mcph_client *c, const char *method);
/* Cancels a call at the server.  Sends notifications/cancelled, except over modern HTTP.
 * Closes the call's stream if the transport has streams.  Ignores failures. */
void mcph_client_send_cancel(struct mcph_client *c, const struct mcph_rpc_call *call,
                             const char *reason);
void mcph_client_send_result(struct mcph_client *c, struct mcph_span id,
                             struct mcph_span result);
void mcph_client_send_refusal(struct mcph_client *c, struct mcph_span id, int64_t code,
                              const char *message);
/* Adds the identity of the host, {"name":..,"version":..,"title":..}. */
int mcph_client_add_identity(const struct mcph_client *c, struct mcph_buf *buf);
/* Makes c->meta for this version and sets c->meta_version.  On failure changes
 * nothing. */
int mcph_client_make_meta(struct mcph_client *c, const char *version);

/* ---- probe.c: versions and verdicts ------------------------------------------------ */

/* Returns the static string of the legacy version in `token`, or NULL if this library
 * does not speak that version. */
const char *mcph_legacy_version(struct mcph_span token);
/* Returns the static string of the modern version `version`.  If `version` is NULL or not
 * a known modern version, returns the newest modern version. */
const char *mcph_modern_named(const char *version);
/* Returns true if the answer to the probe or to initialize says anything about the
 * era. */
bool mcph_probe_is_verdict(const struct mcph_rpc_answer *answer);
void mcph_probe_classify(const struct mcph_client *c,
                         const struct mcph_rpc_answer *answer, bool corrected,
                         struct probe_verdict *ret);

/* ---- negotiate.c ------------------------------------------------------------------- */

int mcph_negotiate_init(struct mcph_client *c,
                        const char *cached_version); /* returns 0 or MCPHOST_E_NOMEM */
/* Sends the first message over the client's transport: the probe, initialize or a ping.
 * Sends nothing if the answer to the probe is cached. */
int mcph_negotiate_start(struct mcph_client *c);
/* Abandons the requests of the negotiation and stops its timers. */
void mcph_negotiate_stop(struct mcph_client *c);
/* Repeats the handshake of a READY client over the same transport, because the server no
 * longer knows the client.  After AGAIN_MAX repetitions in a row, ends the client
 * instead. */
void mcph_negotiate_again(struct mcph_client *c);
/* Repeats the handshake and returns true if the client is READY because of a cached
 * answer to the probe, and mcph_stream_refusal() finds REFUSAL_STRANGER in `answer`.
 * Otherwise returns false. */
bool mcph_negotiate_was_stranger(struct mcph_client *c,
                                 const struct mcph_rpc_answer *answer);
/* Handles the end of the transport of a CONNECTING client: restarts or ends the client.
 * Takes over the reference to `reason`. */
void mcph_negotiate_closed(struct mcph_client *c, mcphost_error *reason);
void mcph_negotiate_stray_error(struct mcph_client *c,
                                const struct mcph_rpc_message *msg);

/* ---- ping.c ------------------------------------------------------------------------ */

int mcph_client_ping_init(struct mcph_client *c); /* returns 0 or MCPHOST_E_NOMEM */
void mcph_client_ping_start(struct mcph_client *c);
void mcph_client_ping_stop(struct mcph_client *c);

/* ---- lists.c ----------------------------------------------------------------------- */

int mcph_client_lists_init(struct mcph_client *c); /* returns 0 or MCPHOST_E_NOMEM */
void mcph_client_lists_stop(struct mcph_client *c);
void mcph_client_lists_done(struct mcph_client *c);
/* Reads the lists that the owner wants and the lists that were postponed.
 * mcph_client_go_ready() calls this function. */
void mcph_client_lists_begin(struct mcph_client *c);
/* Stops the reads of lists because the handshake is repeated.  mcph_client_lists_begin()
 * reads these lists again after the handshake. */
void mcph_client_lists_postpone(struct mcph_client *c);
bool mcph_client_lists_are_running(const struct mcph_client *c);
/* Returns true if the call asks for a page of a list. */
bool mcph_client_lists_own(const struct mcph_rpc_call *call);
/* Handles the news that lists have changed, or may have changed.  `kinds` has the bits of
 * these lists, 1u << MCPH_LIST_*. */
void mcph_client_lists_changed(struct mcph_client *c, unsigned kinds);
/* Returns the entry of mcph_list_notices for a notification, or NULL. */
const struct list_notice *mcph_client_lists_notice(const struct mcph_rpc_message *msg);
/* Lists the tools again, because the server refused the headers of a call.  The client
 * sends no operation until the list has ended. */
void mcph_client_lists_refresh_tools(struct mcph_client *c);
/* Returns the tool's input schema in the list that mcph_client_lists_refresh_tools()
 * read.  The schema's p is NULL if the tool is not in that list. */
struct mcph_span mcph_client_lists_fresh_schema(const struct mcph_client *c,
                                                struct mcph_span name);

/* ---- listen.c ---------------------------------------------------------------------- */

int mcph_client_listen_init(struct mcph_client *c); /* returns 0 or MCPHOST_E_NOMEM */
void mcph_client_listen_start(struct mcph_client *c);
/* Sends a new request if the wanted resources or tasks have changed.  Closes the open
 * request if nothing is wanted any more. */
void mcph_client_listen_update(struct mcph_client *c);
void mcph_client_listen_stop(struct mcph_client *c);
void mcph_client_listen_acknowledged(struct mcph_client *c,
                                     const struct mcph_rpc_message *msg);
void mcph_client_listen_cancelled(struct mcph_client *c,
                                  const struct mcph_rpc_message *msg);
/* Returns true if the notification belongs to the subscription of this client. */
bool mcph_client_listen_owns(struct mcph_client *c, const struct mcph_rpc_message *msg);
bool mcph_client_listen_own(const struct mcph_rpc_call *call);

/* ---- subscribe.c ------------------------------------------------------------------- */

/* Prepares the subscriptions.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_client_subscriptions_init(struct mcph_client *c);
/* Asks the server for the subscribed resources, when the client turns READY. */
void mcph_client_subscriptions_begin(struct mcph_client *c);
/* Abandons the requests to subscribe and unsubscribe, and marks all subscriptions as
 * off. */
void mcph_client_subscriptions_stop(struct mcph_client *c);
void mcph_client_subscriptions_drop(struct mcph_client *c);
void mcph_client_subscriptions_done(struct mcph_client *c);
/* Returns true if the call is a legacy request to subscribe or unsubscribe. */
bool mcph_client_subscriptions_own(const struct mcph_rpc_call *call);
/* Handles notifications/resources/updated. */
void mcph_client_subscriptions_updated(struct mcph_client *c,
                                       const struct mcph_rpc_message *msg);
/* Reports a change of each resource whose changes the server announces, because the
 * client may have missed changes. */
void mcph_client_subscriptions_missed(struct mcph_client *c);
/* Returns an upper bound of the bytes that mcph_client_subscriptions_add() adds.  Returns
 * 0 if that function adds nothing.  Only the modern era uses this function. */
size_t mcph_client_subscriptions_size(const struct mcph_client *c);
/* Returns true if the wanted resources differ from the resources in the open request.
 * Ignores a resource that is not wanted any more if the server refused the request that
 * left the resource out. */
bool mcph_client_subscriptions_differ(const struct mcph_client *c);
/* Adds the wanted resources to the filter of the listen request with this bit. */
void mcph_client_subscriptions_add(struct mcph_client *c, unsigned bit,
                                   struct mcph_buf *buf);
/* Records that the server has acknowledged the listen request with this bit.  `honoured`
 * has the resources that the server accepts. */
void mcph_client_subscriptions_honoured(struct mcph_client *c, unsigned bit,
                                        struct mcph_span honoured);
/* Records that the listen request with this bit has ended.  `gap` is true if the server
 * had acknowledged the request and no other request replaces it; the client then misses
 * changes from now on.  If `error` is not NULL, the client does not send the request
 * again, and `error` ends the subscriptions that are in no other request. */
void mcph_client_subscriptions_end(struct mcph_client *c, unsigned bit, bool gap,
                                   mcphost_error *error);

/* ---- tasks.c ----------------------------------------------------------------------- */

/* These functions work like mcph_client_subscriptions_size(),
 * mcph_client_subscriptions_differ() and mcph_client_subscriptions_add(), for the watched
 * tasks in the listen request. */
size_t mcph_client_tasks_size(const struct mcph_client *c);
bool mcph_client_tasks_differ(const struct mcph_client *c,
                              const struct listen_request *open);
void mcph_client_tasks_add(struct mcph_client *c, struct listen_request *request,
                           struct mcph_buf *buf);
/* Records that a listen request that named tasks has failed.  Later listen requests name
 * no tasks, because the server may have refused their ids. */
void mcph_client_tasks_refused(struct mcph_client *c);
void mcph_client_tasks_drop(struct mcph_client *c);
/* Handles notifications/tasks and the legacy notifications/tasks/status.  Returns false
 * for any other notification. */
bool mcph_client_tasks_notice(struct mcph_client *c, const struct mcph_rpc_message *msg);

/* ---- level.c ----------------------------------------------------------------------- */

/* Sends the owner's log level, if any, to a legacy server when the client turns READY. */
void mcph_client_level_begin(struct mcph_client *c);
void mcph_client_level_stop(struct mcph_client *c);

/* ---- method.c ---------------------------------------------------------------------- */

/* Returns the MCPH_OFFERS_* bits for an object of capabilities. */
unsigned mcph_method_offers(struct mcph_span capabilities);
/* Makes an error that names the missing capability.  Returns MCPHOST_E_NOTFOUND. */
int mcph_method_not_offered(const struct mcph_client *c, const struct mcph_method *method,
                            mcphost_error **reterr);
/* Checks a result (MCP 2026-07-28, "Results").  Returns 0 if the result is complete,
 * METHOD_ASKS if it is a request for input, or METHOD_TASK if it is a task, provided
 * that the method allows this kind of result.  Otherwise returns MCPHOST_E_PROTOCOL and
 * sets *ret_why to a phrase that describes the result. */
enum { METHOD_ASKS = 1, METHOD_TASK };
int mcph_method_check_result(struct mcph_client *c, const struct mcph_method *method,
                             struct mcph_span result, const char **ret_why);

/* ---- operation.c ------------------------------------------------------------------- */

/* Sends queued operations until a limit on the operations in flight is reached. */
void mcph_operations_pump(struct mcph_client *c);
/* Sends one queued operation, if the client may send now.  If the client may send more
 * queued operations, queues the client at the gate again. */
void mcph_operations_turn(struct mcph_client *c);
/* Ends all operations with this error. */
void mcph_operations_fail(struct mcph_client *c, mcphost_error *error);
/* Handles the end of the session for operations whose answers would come on the common
 * stream of the session.  Puts each of these operations that has no effects back into the
 * queue for the next session, once.  Ends an operation with an error if the operation may
 * have effects or cannot be put back. */
void mcph_operations_lost(struct mcph_client *c);
void mcph_operations_forget(struct mcph_client *c);

/* Ends an operation with an error that reads "SERVER BEFORE the call of 'NAME':
 * BEHIND". */
void mcph_operation_fail(struct mcph_operation *op, int code, const char *before,
                         const char *behind);
/* Sends an operation once more.  The operation must be in flight and must have no open
 * request.  If the operation cannot be sent, ends it, unless the connection is being
 * lost.  The owner may have freed the operation when this function returns. */
void mcph_operation_again(struct mcph_operation *op, int64_t timeout_ms, int64_t max_ms);

/* ---- gate.c: operations in flight, of all clients of the gate ---------------------- */

void mcph_gate_enter(struct mcph_client *c);
void mcph_gate_leave(struct mcph_client *c);
/* Returns true if there is a free place and no other client waits for a place.  The
 * client must have a gate. */
bool mcph_gate_is_open(const struct mcph_client *c);
void mcph_gate_wait(struct mcph_client *c); /* queues the client at the gate; the gate
                                             * later calls mcph_operations_turn() */
void mcph_gate_drop(struct mcph_client *c); /* releases the client's gate; no operation
                                             * may be in flight */

/* ---- question.c, rounds.c: questions of the server --------------------------------- */

int mcph_question_add_capabilities(const struct mcph_client *c, struct mcph_buf *buf,
                                   bool legacy);
/* Handles a request of the server: passes it to the owner as a question, or refuses the
 * request. */
void mcph_question_ask(struct mcph_client *c, const struct mcph_rpc_message *msg);
void mcph_question_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg);
/* Handles notifications/elicitation/complete.  The notification reports that the user has
 * finished on the page of a question. */
void mcph_question_completed(struct mcph_client *c, const struct mcph_rpc_message *msg);
/* Makes a question.  On failure returns NULL and sets *ret_why to a phrase.  *ret_code is
 * then MCPHOST_E_DENIED (the client did not offer this method), MCPHOST_E_PROTOCOL (the
 * question is not valid, or the client did not offer its mode or its use of tools),
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
struct mcph_client_question *
mcph_question_new(struct mcph_client *c, struct mcph_operation *op,
                  struct mcph_frame *frame, struct mcph_span method,
                  struct mcph_span params, int *ret_code, const char **ret_why);
/* Reports new questions to the owner. */
void mcph_questions_tell(struct mcph_client *c);
/* Reports a question as over, with the reason `why`, and frees the question. */
void mcph_question_over(struct mcph_client_question *q, const char *why);
/* Ends questions as mcph_question_over() does.  If `all` is true, ends every question.
 * Otherwise ends the questions that the server asked by requests in the course of this
 * operation, or in the whole session if `op` is NULL. */
void mcph_questions_over(struct mcph_client *c, const struct mcph_operation *op, bool all,
                         const char *why);
/* Cancels or refuses the questions of an operation that has ended, because the server may
 * still wait for the answers.  Call this function only while the connection continues. */
void mcph_questions_give_up(struct mcph_client *c, const struct mcph_operation *op);

/* Handles an answer that is a request for input.  Returns false if the operation is about
 * a task whose questions were all answered before. */
bool mcph_rounds_asked(struct mcph_client *c, struct mcph_operation *op,
                       const struct mcph_rpc_answer *answer);
/* Records that the server has accepted the answers to the questions of a task, so that
 * the client does not ask these questions again. */
void mcph_rounds_taken(struct mcph_operation *op);
/* Returns true if the server refuses the operation until the user has opened pages, and
 * the user can be asked to open the pages. */
bool mcph_rounds_want_pages(const struct mcph_client *c,
                            const struct mcph_rpc_answer *answer);
void mcph_rounds_pages(struct mcph_client *c, struct mcph_operation *op,
                       const struct mcph_rpc_answer *answer);
void mcph_rounds_answered(struct mcph_client_question *q);
void mcph_rounds_refused(struct mcph_client_question *q, const char *message);
/* These functions are for an operation that has rounds.  mcph_rounds_add() adds the
 * answers of the round to params.  mcph_rounds_size() returns an upper bound of the bytes
 * that mcph_rounds_add() adds. */
int mcph_rounds_add(const struct mcph_operation *op, struct mcph_buf *buf);
size_t mcph_rounds_size(const struct mcph_operation *op);
void mcph_rounds_end(struct mcph_operation *op, const char *why);

#endif
