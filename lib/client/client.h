/* SPDX-License-Identifier: MIT
 *
 * client.h - interface of lib/client: one MCP connection, seen from the client.
 *
 * The client negotiates the era of the protocol (legacy: the revisions up to 2025-11-25;
 * modern: 2026-07-28 and later), reads lists with their pages, and runs operations (calls
 * of tools among them) with cancellation and progress.  It passes on the server's
 * questions, log messages, change notices and subscriptions to resources.  It does no
 * I/O.  Events of a transport and timers of the loop drive the client, on the thread that
 * dispatches.
 *
 *   NEW -start-> CONNECTING -> READY -> DOWN
 *                  |  ^
 *   restart event  v  | start with a fresh transport (once)
 *                WAITING
 *
 * While the handshake is repeated, a READY client is CONNECTING again.
 *
 * lib/client must never spawn, read or write anything itself.  It must know nothing of
 * configurations, of leases (pool.h) and of the names that catalogs give to tools.  It
 * must not repeat a request that may have had effects.  The client reports the loss of a
 * request to its owner.  The owner makes, opens, closes and frees the transport.  The
 * client only receives the transport's events and sends messages.
 *
 * Protocol references are to MCP 2025-11-25 and 2026-07-28.
 */
#ifndef MCPH_CLIENT_H
#define MCPH_CLIENT_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"
#include "rpc/rpc.h"
#include "transport/transport.h"

#include <mcphost/config.h>
#include <mcphost/request.h>

struct mcph_client;
struct mcph_operation; /* one request of the owner to the server; defined below */

enum {
    MCPH_CLIENT_AUTO = MCPHOST_ERA_AUTO,
    MCPH_CLIENT_LEGACY = MCPHOST_ERA_LEGACY,
    MCPH_CLIENT_MODERN = MCPHOST_ERA_MODERN
};

int mcph_client_era(const char *version); /* returns the era of the version,
                                           * MCPH_CLIENT_*; AUTO if `version` is NULL */

enum {
    MCPH_CLIENT_NEW,
    MCPH_CLIENT_CONNECTING, /* the handshake runs */
    MCPH_CLIENT_WAITING,    /* the restart event asked for a fresh transport */
    MCPH_CLIENT_READY,
    MCPH_CLIENT_DOWN /* the end has begun: only `question_over`, the `done` of operations
                      * and `down` may still come */
};

/* ---- the spec of a client ---------------------------------------------------------- */

/* The settings of a client.  mcph_client_spec_init() sets the defaults.  The owner then
 * sets the members that it needs.  The client copies all members.  Times are in ms. */
struct mcph_client_spec {
    const char *server; /* id of the server, for messages */
    const char *source; /* source of the server, for messages; NULL means the default
                         * source */
    /* Masks secrets in the texts that the server writes.  NULL masks nothing.  The client
     * takes a reference. */
    struct mcph_mask *mask;
    /* The host's identity, sent as clientInfo. */
    const char *name, *version, *title; /* title may be NULL */
    int era;                            /* one of MCPH_CLIENT_*; default: AUTO */
    /* The era that an earlier connection with the same launch hash (the hash of the
     * settings with which a server is started) found out, or AUTO if no connection has
     * found out the era.  The client uses this era only if `era` is AUTO.  If the cached
     * era is LEGACY, the client sends no probe (server/discover) unless the server
     * refuses the handshake.  If the cached era is MODERN, the client still sends the
     * probe, because the answer has the server's capabilities; the probe asks for
     * `cached_version` first.  The client sends no probe if the cache of answers has the
     * answer (cache.c). */
    int cached_era;
    const char *cached_version; /* version that belongs to `cached_era`; may be NULL */

    int64_t probe_ms;   /* time to wait for the probe's answer before initialize is sent,
                         * except over HTTP; default: 5000 */
    int64_t start_ms;   /* time limit from the first start to READY, and on each repeated
                         * handshake; -1 means no limit; default: 60000 */
    int64_t list_ms;    /* time limit for one whole list, and for the answer to
                         * logging/setLevel, resources/subscribe or
                         * resources/unsubscribe; -1 means no limit; default: 15000 */
    int64_t changed_ms; /* change notices within this time count as one notice;
                         * default: 100 */
    /* The client pings a legacy server that has no operation and no list to answer and
     * sends nothing for ping_ms.  The default of 0 means never.  If the server then sends
     * no message within ping_timeout_ms (default: 10000), the server counts as lost. */
    int64_t ping_ms, ping_timeout_ms;

    unsigned lists; /* lists to read at READY, 1u << MCPH_LIST_*; default: tools */
    /* The lists whose changes the client asks a modern server to announce, 1u <<
     * MCPH_LIST_*; default: tools. */
    unsigned listen;
    const char *log_level; /* lowest level of log messages to ask for (level.c); if NULL,
                            * the client names no level: a modern server then sends no
                            * messages, and a legacy server chooses the level */

    /* True if the transport has the id of an earlier session.  The client then resumes
     * the session without a handshake, as the session of a legacy server.  If the server
     * does not know the session, a handshake follows. */
    bool session;

    /* The questions that the server may ask, MCPHOST_REQUEST_*.  The client advertises
     * exactly these kinds and refuses all others. */
    unsigned questions;    /* default: no questions */
    bool tasks;            /* a modern server may answer a tool call with a task;
                            * default: false */
    bool apps;             /* the client tells the server that the application can show
                            * apps; default: false */
    int64_t question_ms;   /* time until a question times out; -1 means never; default:
                            * 600000 */
    unsigned max_rounds;   /* how many times a server may ask for input in its answers to
                            * one operation; default: 10 */
    size_t max_open;       /* limit on open questions; default: 256 */
    size_t max_open_bytes; /* limit on the bytes of messages with open questions; the
                            * first message is always accepted; default: 64 MiB */

    size_t max_pages;              /* limit on the pages of a list; default: 64 */
    size_t max_list_bytes;         /* limit on the bytes of a list; default: 64 MiB */
    size_t max_subscriptions;      /* limit on subscribed resources; default: 1024 */
    size_t max_subscription_bytes; /* limit on the bytes of the subscribed URIs;
                                    * default: 1 MiB */
    size_t max_in_flight;          /* limit on operations sent and not answered;
                                    * default: 256 */
    size_t max_queued;             /* limit on operations that wait to be sent;
                                    * default: 4096 */
    unsigned depth;                /* nesting limit of messages; 0 means
                                    * MCPH_JSON_DEPTH */
};

void mcph_client_spec_init(struct mcph_client_spec *spec);

/* ---- methods (method.c) ------------------------------------------------------------ */

/* All methods that a client can call: the rows of mcph_methods. */
enum {
    /* The methods of the client's own requests. */
    MCPH_METHOD_INITIALIZE,
    MCPH_METHOD_DISCOVER,
    MCPH_METHOD_PING,
    MCPH_METHOD_SET_LEVEL,
    MCPH_METHOD_LISTEN,
    MCPH_METHOD_LIST_TOOLS,
    MCPH_METHOD_LIST_RESOURCES,
    MCPH_METHOD_LIST_TEMPLATES,
    MCPH_METHOD_LIST_PROMPTS,
    MCPH_METHOD_LIST_SKILLS,
    MCPH_METHOD_SUBSCRIBE,   /* legacy era only */
    MCPH_METHOD_UNSUBSCRIBE, /* legacy era only */
    /* The methods of operations. */
    MCPH_METHOD_CALL_TOOL,
    MCPH_METHOD_READ_RESOURCE,
    MCPH_METHOD_GET_PROMPT,
    MCPH_METHOD_COMPLETE,
    MCPH_METHOD_GET_TASK,
    MCPH_METHOD_UPDATE_TASK, /* modern era only */
    MCPH_METHOD_CANCEL_TASK,
    MCPH_METHOD_TASK_RESULT, /* legacy era only */
    MCPH_METHOD_GET_SKILL,
    MCPH_METHOD_READ_DIRECTORY,
    MCPH_METHODS
};

/* The capabilities of a server. */
enum {
    MCPH_OFFERS_TOOLS = 1 << 0,
    MCPH_OFFERS_RESOURCES = 1 << 1,
    MCPH_OFFERS_PROMPTS = 1 << 2,
    MCPH_OFFERS_COMPLETIONS = 1 << 3,
    MCPH_OFFERS_TASKS = 1 << 4, /* the capability `tasks` or the tasks extension */
    MCPH_OFFERS_LOGGING = 1 << 5,
    MCPH_OFFERS_ALL = (1 << 6) - 1,
    MCPH_OFFERS_TASK_CALLS = 1 << 6, /* legacy era: a tool call may ask to run as a
                                      * task */
    MCPH_OFFERS_SKILLS = 1 << 7,     /* the skills extension */
    MCPH_OFFERS_DIRECTORIES = 1 << 8 /* the skills extension with `directoryRead` */
};

struct mcph_method {
    const char *name; /* name of the method on the wire */
    /* How the method is sent, MCPH_SEND_*.  A request with MCPH_SEND_CALL may have
     * effects.  Therefore the client sends it again only if the server refused it before
     * carrying it out, never if the answer is lost.  An operation with MCPH_SEND_REQUEST
     * is sent again, once, if its stream or session ends before the answer comes. */
    int kind;
    unsigned needs; /* the capability that the server must offer, MCPH_OFFERS_*, or 0 */

    /* The members below are used for operations only. */
    const char *what;     /* name in messages, before the operation's name */
    struct mcph_span key; /* text of the params member that holds the operation's name,
                           * up to the colon; if p is NULL, the arguments are the whole
                           * params */
    struct mcph_span no_arguments; /* sent if the operation has no arguments; if p is
                                    * NULL, nothing is sent */
    struct mcph_span
        arguments; /* text before the arguments in params: comma, key and colon */
    bool named;    /* over modern HTTP, the header Mcp-Name has the operation's name */
    bool params;   /* over modern HTTP, the tool's schema puts arguments into headers */
    bool asks;     /* in the modern era, the answer may be a request for input */
    bool starts;   /* the answer may be a task that the server then runs */
    bool task;     /* the answer describes a task */
    bool progress; /* the server may send progress */
};

extern const struct mcph_method mcph_methods[MCPH_METHODS];

/* ---- the result of the negotiation ------------------------------------------------- */

/* The facts about the server from the negotiation.  The spans point into the frame of the
 * answer and live until the next `ready` event.  The members `server_info` and
 * `instructions` are untrusted texts of the server.  Show them or pass them on, but never
 * change behavior because of them. */
struct mcph_client_info {
    int era;                       /* MCPH_CLIENT_LEGACY or MCPH_CLIENT_MODERN */
    const char *version;           /* a static string, one of the versions in probe.c */
    struct mcph_frame *frame;      /* frame of the answer; take a reference to keep the
                                    * spans; NULL if `taken_up` */
    struct mcph_span capabilities; /* an object; p is NULL if absent */
    struct mcph_span server_info;  /* an object {name, version, ...}; p is NULL if
                                    * absent */
    struct mcph_span instructions; /* a string token; p is NULL if absent; untrusted */
    unsigned offers;               /* the server's capabilities, MCPH_OFFERS_* */
    unsigned list_changed;         /* the lists whose changes the server announces, 1u <<
                                    * MCPH_LIST_* */
    bool subscribe;                /* the server takes subscriptions to resources */
    bool taken_up; /* an earlier session was resumed without initialize; the server is
                    * assumed to have MCPH_OFFERS_ALL and to take subscriptions */
};

/* ---- a list ------------------------------------------------------------------------ */

enum {
    MCPH_LIST_TOOLS,
    MCPH_LIST_RESOURCES,
    MCPH_LIST_TEMPLATES, /* resource templates; the capability is `resources` */
    MCPH_LIST_PROMPTS,
    MCPH_LIST_SKILLS,
    MCPH_LIST_KINDS
};

struct mcph_client_page {
    struct mcph_frame *frame;
    struct mcph_span items; /* the array, as the server wrote it */
    bool headers; /* calls of the page's tools can send arguments in headers: use no tool
                   * whose inputSchema mcph_client_check_headers() refuses */
};

#define MCPH_CLIENT_PARAMS_MAX 64 /* limit on the annotations in one input schema */

/* Checks the x-mcp-header annotations in the input schema of a tool.  Returns NULL if
 * they are allowed, else a phrase that names the fault ("its inputSchema has ..."). */
const char *mcph_client_check_headers(struct mcph_span schema);

/* A list that was read from a server.  The list is immutable and reference-counted.  Any
 * thread may use the list. */
struct mcph_client_list {
    struct mcph_refs refs;
    int kind; /* one of MCPH_LIST_* */
    /* The reason why the list is incomplete, or NULL if the list is complete.  The list
     * is cut at a cursor that is empty or came twice, and at the limit on pages or bytes.
     * If the server does not offer this kind of list, the error is MCPHOST_E_NOTFOUND. */
    mcphost_error *cut;
    size_t n_pages; /* number of pages; 0 if the server does not offer this kind */
    struct mcph_client_page pages[];
};

struct mcph_client_list *mcph_client_list_ref(struct mcph_client_list *list);
/* Releases a reference and returns NULL.  `list` may be NULL. */
struct mcph_client_list *mcph_client_list_unref(struct mcph_client_list *list);

/* ---- questions --------------------------------------------------------------------- */

/*
 * A question of the server.  A legacy server asks by a request of its own.  A modern
 * server asks in its answer to an operation.  The client then sends the operation again
 * with the answers to the questions, or, for a task, sends the answers by tasks/update.
 * A legacy server may also refuse an operation until the user has opened pages.  Each
 * page is then a question in an answer, too (rounds.c).
 *
 * The question belongs to the client.  The owner gets the question by the event
 * `question`.  The question lives until the owner answers or refuses it, or until the
 * event `question_over` has been reported.
 */
struct mcph_client_question {
    int kind;                  /* one of MCPHOST_REQUEST_* */
    struct mcph_operation *op; /* the operation of the question; NULL if the operation
                                * is not known */
    struct mcph_frame *frame;  /* the frame that the spans point into */
    struct mcph_span params;   /* an object; p is NULL if absent */
    struct mcph_span message;  /* token of an elicitation's message; p is NULL for
                                * other kinds */
    struct mcph_span url;
    struct mcph_span schema; /* schema of an MCPHOST_REQUEST_FORM, which
                              * mcph_form_check() accepted */
    void *owner;             /* for the owner's use */

    /* The members below are private to the client. */
    struct mcph_client *client;
    struct mcph_list link, round_link;
    struct mcph_timer timer;
    struct mcph_span id;  /* id of the server's request; p is NULL if the server asked
                           * in an answer */
    struct mcph_span key; /* name of the question in the server's answer */
    char *answer;         /* the owner's answer, kept until the round ends */
    size_t answer_len;
    bool told, answered, pauses;
};

/* Reads a question.  Set `params` of `q` before the call.  `method` is a string token.
 * `on` has the kinds that may be asked, MCPHOST_REQUEST_*.  On success sets the kind
 * and the spans and returns 0.  Otherwise *ret_why is the reason.  Returns
 * MCPHOST_E_DENIED if the method asks no question, or if `on` lacks every kind of this
 * method.  Returns MCPHOST_E_PROTOCOL if the question is not valid, or wants a mode or
 * tools that `on` lacks.  Returns MCPHOST_E_NOMEM if memory is short. */
int mcph_client_question_read(unsigned on, struct mcph_span method,
                              struct mcph_client_question *q, const char **ret_why);

/* Kinds of the event `odd`.  MCPH_CLIENT_ODD_ID: the server answered with an id that no
 * call has.  MCPH_CLIENT_ODD_SESSION: the server does not know the session that the
 * client tried to resume.  MCPH_CLIENT_ODD_UTF8: the server sent strings that are not
 * UTF-8. */
#define MCPH_CLIENT_ODD_ID      "foreign_id"
#define MCPH_CLIENT_ODD_SESSION "session_unknown"
#define MCPH_CLIENT_ODD_UTF8    "invalid_utf8"
/* Another kind of the event `odd`.  MCPH_CLIENT_ODD_UPDATE: the server announced a change
 * of a resource to which the client has no subscription. */
#define MCPH_CLIENT_ODD_UPDATE "foreign_update"

/* ---- events ------------------------------------------------------------------------ */

/* The events of a client.  Only `restart` and `down` are mandatory.  All others may be
 * NULL.  From any event except `who` the owner may call every function below, even
 * mcph_client_free().  Errors are borrowed and name the server. */
struct mcph_client_events {
    /* Reports that the client is READY.  mcph_client_get_info() has the result of the
     * negotiation.  If the spec's era is AUTO, the owner keeps the negotiated era and
     * version under the launch hash.  The event comes again after each repeated
     * handshake.  A handshake is repeated if the server no longer knows the client. */
    void (*ready)(struct mcph_client *client, void *arg);
    /* Reports that the client has released the old transport and needs a fresh transport.
     * The owner must close the old transport, and must pass a fresh transport to
     * mcph_client_start(), now or later.  `reason` has the cause: the server ended
     * because of the probe (this end does not count as a crash), or the server refused
     * initialize and then answered the probe as a modern server.  The event comes at most
     * once in a client's life. */
    void (*restart)(struct mcph_client *client, mcphost_error *reason, void *arg);
    /* Reports that the client never became READY, or that the connection is lost.  Before
     * the event, all operations have ended.  The client has released the transport.  The
     * owner must close the transport. */
    void (*down)(struct mcph_client *client, mcphost_error *reason, void *arg);
    /* Reports the end of reading a list of this kind.  `list` is borrowed.  If the
     * reading failed, `list` is NULL and `error` has the reason.  In either case the
     * reading of other lists continues. */
    void (*listed)(struct mcph_client *client, int kind, struct mcph_client_list *list,
                   mcphost_error *error, void *arg);
    /* Reports that the list of this kind has changed, or may have changed.  To read the
     * list again, call mcph_client_list(). */
    void (*changed)(struct mcph_client *client, int kind, void *arg);
    /* Reports the result of a subscription.  If `error` is NULL, the server announces
     * changes of this resource from now on.  Otherwise the server announces no changes.
     * The subscription has then ended.  `uri` lives until the function returns or frees
     * the client. */
    void (*subscribed)(struct mcph_client *client, struct mcph_span uri,
                       mcphost_error *error, void *arg);
    /* Reports that a subscribed resource, or a part of it, has changed `count` times
     * since the last event.  If the server could not announce changes for a while, the
     * event also comes, although the resource may be unchanged. */
    void (*updated)(struct mcph_client *client, struct mcph_span uri, uint64_t count,
                    void *arg);
    /* Reports that the state of a task changed.  `task` is an object as tasks/get returns
     * it, perhaps with fewer members. */
    void (*task)(struct mcph_client *client, struct mcph_span task, void *arg);
    /* Passes on a notifications/message of the server.  `level` and `logger` are string
     * tokens, and `data` is any value.  The p of a missing member is NULL. */
    void (*log)(struct mcph_client *client, struct mcph_span level,
                struct mcph_span logger, struct mcph_span data, void *arg);
    /* Passes on a question of the server.  If this member or question_over is NULL, the
     * client offers no questions. */
    void (*question)(struct mcph_client *client, struct mcph_client_question *question,
                     void *arg);
    /* Reports that a question need not be answered any more.  `why` is a phrase with the
     * reason, for example that the call has ended, that the server cancelled the request,
     * or that the time limit has passed. */
    void (*question_over)(struct mcph_client *client,
                          struct mcph_client_question *question, const char *why,
                          void *arg);
    /* Reports the first bytes of the server that are not a protocol message (R21).  The
     * client counts further bytes of this kind, but does not report them.  `text` is
     * printable UTF-8 on one line, shortened. */
    void (*noise)(struct mcph_client *client, const char *text, void *arg);
    /* Reports an oddity of the server that a person should know of.  `kind` is one of
     * MCPH_CLIENT_ODD_*.  Each kind is reported once.  `text` is a phrase that continues
     * "server 'id': ". */
    void (*odd)(struct mcph_client *client, const char *kind, const char *text,
                void *arg);
    /* Fills in the caller identity that keys private cache entries: a digest of
     * everything by which the server can distinguish this caller from others at this
     * moment.  Returns false if the identity is not known.  Do not call any function of
     * the client from this event. */
    bool (*who)(struct mcph_client *client, unsigned char ret_who[MCPH_DIGEST_LEN],
                void *arg);
};

/* ---- life -------------------------------------------------------------------------- */

/* Creates a client.  `events` must outlive the client.  Returns 0, MCPHOST_E_NOMEM, or
 * MCPHOST_E_INVALID if the spec has no server, name or version, or an event that is
 * mandatory is NULL. */
int mcph_client_new(struct mcph_core *core, const struct mcph_client_spec *spec,
                    const struct mcph_client_events *events, void *arg,
                    struct mcph_client **ret, mcphost_error **reterr);

/* Starts the negotiation over an open transport.  The transport must live as long as the
 * client uses it: until down, restart, stop or free.  Returns 0, MCPHOST_E_STATE if the
 * state is neither NEW nor WAITING, or the code with which the sending failed.  On
 * failure the transport is not used and the state is unchanged. */
int mcph_client_start(struct mcph_client *client, struct mcph_transport *transport,
                      mcphost_error **reterr);

/* Stops the client: ends all questions (with `question_over`), ends all operations with
 * `error` (their `done` runs inside this call), releases the transport and turns DOWN.
 * No other event follows.  If `error` is NULL, makes an error with `code`. */
void mcph_client_stop(struct mcph_client *client, int code, mcphost_error *error);

/* ---- cached answers (cache.c) -------------------------------------------------------
 * Modern servers allow some answers to be used again for a while (MCP 2026-07-28,
 * "Caching").  All clients of one owner share the cache.  A client that finds an answer
 * in the cache does not ask the server.  The client drops an entry if the server
 * announces a change, or if an announcement may have been lost. */

struct mcph_client_cache;

/* Creates a cache.  `max_bytes` limits the total size of the kept answers.  Returns NULL
 * if memory is short. */
struct mcph_client_cache *mcph_client_cache_new(struct mcph_core *core, size_t max_bytes);
/* Frees the cache.  Call this function after all clients of the cache were freed.
 * Returns NULL.  `cache` may be NULL. */
struct mcph_client_cache *mcph_client_cache_free(struct mcph_client_cache *cache);
/* Drops all answers of the server that `place` identifies.  `cache` may be NULL. */
void mcph_client_cache_forget(struct mcph_client_cache *cache,
                              const unsigned char place[MCPH_DIGEST_LEN]);
/* Sets the cache of a client.  Call this function before mcph_client_start().  `place`
 * identifies the server by its configuration.  `cache` must outlive the client.  NULL
 * means no cache. */
void mcph_client_set_cache(struct mcph_client *client, struct mcph_client_cache *cache,
                           const unsigned char place[MCPH_DIGEST_LEN]);

/* ---- the end of a client, and facts about it (client.c) ---------------------------- */

/* Frees the client.  The function may be called at any time.  Drops unfinished operations
 * without running their `done`.  To let `done` run, call mcph_client_stop() first.  A job
 * frees the memory later.  Returns NULL.  `client` may be NULL. */
struct mcph_client *mcph_client_free(struct mcph_client *client);

/* Returns the result of the negotiation.  Returns NULL before READY and while the
 * handshake is repeated.  A client that is DOWN still returns its last result. */
const struct mcph_client_info *mcph_client_get_info(const struct mcph_client *client);
/* Returns the time in ms that the server took for its last good answer to the handshake,
 * to a request for a page of a list, or to a ping.  Returns -1 before the first good
 * answer. */
int64_t mcph_client_get_latency(const struct mcph_client *client);

/* ---- a server that did not come up (diagnose.c) ------------------------------------ */

/* Returns the initialize request that mcph_transport_try_requests() sends as a test. */
struct mcph_span mcph_client_test_request(void);
/* Explains an error by the results of two test requests, `server` and `health`.
 * Returns a new error with the code, the server and the HTTP details of `error`.  The
 * new message has the message of `error`, the results, the likely cause and the next
 * step.  If memory is short, returns `error` itself.  The caller gets a reference. */
mcphost_error *mcph_client_diagnose(mcphost_error *error, const struct mcph_trial *server,
                                    const struct mcph_trial *health);

/* ---- operations of several clients (gate.c) ---------------------------------------- */

/* A gate: a limit on the operations at one server, for all clients of the server
 * together.  Use a gate only on the thread that dispatches. */
struct mcph_client_gate;

struct mcph_client_gate *mcph_client_gate_new(struct mcph_core *core,
                                              size_t max); /* returns NULL if memory is
                                                            * short */
struct mcph_client_gate *mcph_client_gate_ref(struct mcph_client_gate *gate);
/* Releases a reference and returns NULL.  `gate` may be NULL. */
struct mcph_client_gate *mcph_client_gate_unref(struct mcph_client_gate *gate);
/* Sets the limit.  SIZE_MAX means no limit.  If the limit is lowered, operations in
 * flight beyond the limit continue. */
void mcph_client_gate_set_max(struct mcph_client_gate *gate, size_t max);
/* Sets the gate of a client.  The client takes a reference to the gate.  From now on, the
 * gate counts the client's operations in flight.  `gate` may be NULL.  Call this function
 * only once for a client. */
void mcph_client_set_gate(struct mcph_client *client, struct mcph_client_gate *gate);
struct mcph_client_gate *mcph_client_get_gate(const struct mcph_client *client);

/* ---- lists (lists.c) --------------------------------------------------------------- */

/* Reads all pages of one kind of list, MCPH_LIST_*.  One `listed` event follows, but
 * not from inside this call.  If a list of this kind is being read already, the call has
 * no effect.  Lists of several kinds are read at the same time.  Returns 0,
 * MCPHOST_E_STATE (the client is not READY), MCPHOST_E_NOMEM, or the code with which the
 * sending failed. */
int mcph_client_list(struct mcph_client *client, int kind);

/* ---- subscriptions to resources (subscribe.c, listen.c) ---------------------------- */

/*
 * Subscribes to a resource.  The URI is copied.  From now on the event `updated` reports
 * each change of the resource or a part of it.  The event `subscribed` reports whether
 * the server accepts the subscription, but never from inside this call.  If the client is
 * not READY, it asks the server when it becomes READY.  After a repeated handshake all
 * subscriptions are made again.  All subscriptions end with the client.  Each
 * mcph_client_subscribe() needs its own mcph_client_unsubscribe().
 *
 * Returns 0, MCPHOST_E_INVALID (the URI is empty or not UTF-8), MCPHOST_E_LIMIT
 * (max_subscriptions, max_subscription_bytes), MCPHOST_E_TRANSPORT (the client
 * is DOWN) or MCPHOST_E_NOMEM.  An error leaves everything unchanged.
 */
int mcph_client_subscribe(struct mcph_client *client, struct mcph_span uri,
                          mcphost_error **reterr);
/* Ends one subscription to the URI.  Has no effect if the client has no subscription to
 * the URI. */
void mcph_client_unsubscribe(struct mcph_client *client, struct mcph_span uri);

/* ---- tasks (tasks.c) --------------------------------------------------------------- */

/* A watch on one task.  The client asks a modern server to announce changes of the task.
 * The event `task` reports these changes.  The watch is embedded in its owner.  The owner
 * zeroes the watch first. */
struct mcph_task_watch {
    struct mcph_list link; /* link in the client's list of watches */
    struct mcph_client *client;
    struct mcph_span id; /* the task's id, which must live as long as the watch */
};

/* Begins to watch the task at this client, and ends the watch at any other client.  The
 * watch ends with the client.  If the client has too many watches (64) or the id is too
 * long (over 1024 bytes), no watch begins. */
void mcph_client_watch_task(struct mcph_client *client, struct mcph_task_watch *watch);
void mcph_client_unwatch_task(struct mcph_task_watch *watch); /* may be called twice */

/* ---- log messages (level.c) -------------------------------------------------------- */

/* Sets the lowest level of log messages that the server should send: "debug", "info",
 * "notice", "warning", "error", "critical", "alert" or "emergency".  NULL asks for no
 * messages.  If NULL replaces a level while the client is READY, the client asks a legacy
 * server for the highest level, because the legacy protocol has no level that means no
 * messages.  In a new session the client then names no level, and a legacy server chooses
 * the level.  The function may be called at any time.  Returns 0, MCPHOST_E_INVALID
 * (another level) or MCPHOST_E_NOMEM.  On failure nothing changes. */
int mcph_client_set_log_level(struct mcph_client *client, const char *level);

/* ---- operations (operation.c) ------------------------------------------------------
 * An operation is one request of an owner to the server: a tool call, a read, a prompt,
 * a completion, a task.  All methods share the code for progress, cancellation,
 * deadlines, the gate and the server's questions.  For a method with `asks`, the server
 * may ask for input in several rounds (rounds.c).  After a failure, the client sends an
 * operation again only if the server has not carried out the operation, or if the
 * operation has no effects. */

/* The content of one notifications/progress. */
struct mcph_client_progress {
    double progress;
    double total; /* valid if `has_total` */
    bool has_total;
    struct mcph_span message; /* a string token; p is NULL if absent */
    struct mcph_span params;  /* all params of the notification */
};

/* The outcome of an operation.  The answer is borrowed and valid only during `done`. */
struct mcph_client_answer {
    int code;    /* result code, 0 or MCPHOST_E_* */
    bool task;   /* `result` describes a task that still runs, and is not the result of
                  * the method (code 0 only) */
    bool modern; /* the answer came in the modern era (code 0 only) */
    struct mcph_span result;  /* the result object in the server's own bytes, even with
                               * isError (code 0 only) */
    struct mcph_frame *frame; /* the frame of the answer, or NULL if no answer message
                               * came.  If code is 0, `result` points into this frame.
                               * If the answer was too large, `over` of the frame is set.
                               * mcph_frame_ref() keeps the frame */
    mcphost_error *error;     /* the reason, which names the server; never NULL if code
                               * < 0 */
};

/* ---- trace context (trace.c) -------------------------------------------------------
 * W3C Trace Context and Baggage of a request.  The client sends both in _meta, and over
 * HTTP also in headers of the same names. */

enum { MCPH_TRACE_PARENT, MCPH_TRACE_STATE, MCPH_TRACE_BAGGAGE, MCPH_TRACES };

#define MCPH_TRACE_MAX 8192 /* limit on the bytes of each part */

extern const char *const mcph_trace_names[MCPH_TRACES];

struct mcph_trace {
    struct mcph_span parts[MCPH_TRACES]; /* p is NULL if the part is not set */
};

/* Checks the parts and copies them into one block.  The caller frees the block by free().
 * A part is NULL if it is not set.  Returns 0, MCPHOST_E_NOMEM, or MCPHOST_E_INVALID or
 * MCPHOST_E_LIMIT with an error that names the member. */
int mcph_trace_new(const char *const parts[MCPH_TRACES], struct mcph_trace **ret_trace,
                   mcphost_error **reterr);

/* ---- one operation (operation.c) --------------------------------------------------- */

/*
 * One operation.  The operation is embedded in its owner.  Zero the operation, and fill
 * in the members in front of the private part.  The strings must live until `done` or
 * mcph_operation_cancel(), because an operation may be sent later, or twice.
 */
struct mcph_operation {
    const struct mcph_method *method; /* a row of mcph_methods */
    /* The name in plain text: the tool's original name, never the transformed name (R23),
     * the prompt's name, the resource's URI or the task's id.  The name of a completion
     * appears in messages only. */
    struct mcph_span name;
    struct mcph_span name_token; /* `name` as a JSON string; p may be NULL */
    /* A checked JSON object; p may be NULL.  For a tool or a prompt, the object has the
     * arguments.  Without arguments a tool gets {}.  For tasks/update, the object has the
     * answers.  For a completion or the read of a directory, the object has all
     * params. */
    struct mcph_span arguments;
    union {
        struct mcph_span schema; /* input schema of a tool, if known */
        /* The names of the questions that were answered, for tasks/get, as JSON strings
         * (char *, from malloc).  A task uses each name once in its life.  If this member
         * is NULL, the task's questions are not asked. */
        struct mcph_vec *answered;
    };
    struct mcph_span meta; /* a checked JSON object whose members go into _meta; p may
                            * be NULL.  Leave out progressToken and, on modern
                            * connections, the keys that begin with
                            * io.modelcontextprotocol/, because the client sets
                            * them */
    const struct mcph_trace *trace; /* trace context, or NULL; the members of `meta`
                                     * take precedence */
    int64_t timeout_ms;             /* time limit from mcph_operation_start(); -1 means
                                     * no limit */
    int64_t max_ms;                 /* time limit that progress does not extend; -1
                                     * means no limit */
    bool progress_resets;           /* progress restarts timeout_ms */
    /* The level of log messages that the client asks a modern server for, for this
     * operation alone (MCPHOST_MESSAGES_*).  The client ignores this level if the client
     * itself has a log level. */
    uint8_t log_level;
    /* The time in ms for which a legacy server with MCPH_OFFERS_TASK_CALLS should keep
     * the task.  If the time is not 0, the client asks the server to run the tool as a
     * task. */
    uint32_t task_ttl_ms;
    /* Reports progress.  NULL if the owner wants no progress.  The client never calls
     * this function after `done`. */
    void (*progress)(struct mcph_operation *op,
                     const struct mcph_client_progress *progress);
    /* Reports the end.  The client calls this function exactly once, unless the operation
     * is cancelled or the client is freed.  The client never calls this function from
     * inside mcph_operation_start().  The function may free the operation. */
    void (*done)(struct mcph_operation *op, const struct mcph_client_answer *answer);

    /* The members below are private to the client. */
    struct mcph_client *client; /* the client; NULL before the start and after the end */
    struct mcph_list link;      /* link in the list of operations in flight, or in the
                                 * queue */
    struct mcph_rpc_call rpc;
    struct mcph_timer timer; /* the deadline while the operation is queued */
    int64_t queued_at, waited;
    bool queued, paused;
    bool again, relisted;       /* again: the operation was sent again; relisted: it was
                                 * sent again after the list of tools was read anew */
    struct mcph_rounds *rounds; /* state of the rounds; NULL if the server has not
                                 * asked for input */
};

/* Sends the operation.  Queues it if the client is not READY yet, the connection is being
 * lost, enough operations are in flight, or other operations are queued already.  Returns
 * 0, or an error after which `done` does not run: MCPHOST_E_LIMIT (the queue is full, or
 * the server does not read), MCPHOST_E_NOTFOUND (the server does not offer the capability
 * that the method needs), MCPHOST_E_TRANSPORT (the client is DOWN), MCPHOST_E_NOMEM.  If
 * the operation was queued, `done` reports a missing capability. */
int mcph_operation_start(struct mcph_client *client, struct mcph_operation *op,
                         mcphost_error **reterr);
/* Cancels the operation.  If the server knows the operation, the server gets
 * notifications/cancelled with `reason`, which may be NULL.  Over HTTP, the client
 * instead closes the stream if the server is modern.  A late answer is dropped.  `done`
 * does not run.  The function has no effect on an operation that was not started or has
 * ended. */
void mcph_operation_cancel(struct mcph_operation *op, const char *reason);

/* ---- the forms of elicitation (form.c) ------------------------------------------------
 * MCP 2025-11-25 and 2026-07-28, "Elicitation".  The requested schema is an object
 * whose properties are strings, numbers, booleans or choices, but not objects.  These
 * functions take checked JSON and keep no state.  Any thread may call them. */

#define MCPH_FORM_FIELDS_MAX 256

/* Checks whether a form may have this schema.  Returns 0, MCPHOST_E_PROTOCOL with the
 * fault, or MCPHOST_E_NOMEM. */
int mcph_form_check(struct mcph_span schema, mcphost_error **reterr);

/*
 * Adds the content of an accepted form to `buf`: the members of `content` in the order
 * of the schema, and the defaults of missing members.  `content` is an object, or has a
 * NULL p, which means no members.  Check the schema with mcph_form_check() before.
 *
 * Returns 0 or the code of the buffer.  Returns MCPHOST_E_INVALID, with an error that
 * names the field, if a member of `content` is not a field of the form, occurs twice, or
 * has a value that does not fit, or if a required field has no value and no default.
 */
int mcph_form_fill(struct mcph_span schema, struct mcph_span content,
                   struct mcph_buf *buf, mcphost_error **reterr);
/* Adds the content of a form that is only partly filled in, as mcph_form_fill() does,
 * but accepts a form without its required fields. */
int mcph_form_fill_part(struct mcph_span schema, struct mcph_span content,
                        struct mcph_buf *buf, mcphost_error **reterr);
/* Adds the defaults of a form that nobody has filled in yet to `buf`.  Leaves out fields
 * without a default, even if they are required.  Returns 0 or the code of the buffer. */
int mcph_form_defaults(struct mcph_span schema, struct mcph_buf *buf);

/* ---- answering questions ----------------------------------------------------------- */

/* Answers the question with a copy of `result`.  `result` is a checked JSON object that
 * fits the kind of the question.  Do not use the question after this call.  The `done`
 * of the question's operation can run inside this call. */
void mcph_client_question_answer(struct mcph_client_question *question,
                                 struct mcph_span result);
/* Returns the answer to a question of this kind (MCPHOST_REQUEST_*) that the owner leaves
 * without an answer.  Returns MCPH_SPAN_NONE if the question is then refused with
 * MCPH_RPC_INTERNAL_ERROR. */
struct mcph_span mcph_client_question_give_up(int kind);
/* Refuses to answer the question.  If the server asked by a request, the server gets an
 * error with this code and message.  If the server asked in an answer, the operation ends
 * with MCPHOST_E_DENIED.  Do not use the question after this call. */
void mcph_client_question_refuse(struct mcph_client_question *question, int64_t code,
                                 const char *message);
/* Notifies a legacy server that the roots have changed, if the server may ask for roots.
 * Has no effect unless the client is READY. */
void mcph_client_roots_changed(struct mcph_client *client);

#endif
