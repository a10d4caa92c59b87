/* SPDX-License-Identifier: MIT
 *
 * client.h - the room `client`: one MCP connection, seen from the client.
 *
 * Negotiation between the two eras of the protocol, lists with their pages, operations
 * (calls of tools among them), cancellation, progress, the server's questions, log
 * messages, change notices, subscriptions to resources.  Sans-I/O: it is driven by the
 * events of a transport and by timers of the loop, both on the thread that dispatches.
 *
 *   NEW -start-> PROBING / INITIALIZING -> READY -> DOWN
 *                     |  ^
 *      restart event  v  | start with a fresh transport (once)
 *                   WAITING
 *
 * The room must never spawn, read or write anything itself, must know nothing of
 * configurations, leases and names, and must not repeat what may have had effects: it
 * tells its owner what happened.  The transport is the owner's: he makes, opens, closes
 * and frees it; the client only listens to it and sends.
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
struct mcph_operation; /* one thing asked of the server: see below */

enum {
    MCPH_CLIENT_AUTO = MCPHOST_ERA_AUTO,
    MCPH_CLIENT_LEGACY = MCPHOST_ERA_LEGACY,
    MCPH_CLIENT_MODERN = MCPHOST_ERA_MODERN
};

int mcph_client_era(const char *version); /* of a protocol version; AUTO: NULL */

enum {
    MCPH_CLIENT_NEW,
    MCPH_CLIENT_CONNECTING, /* probe or initialize is on its way */
    MCPH_CLIENT_WAITING,    /* for a fresh transport after the restart event */
    MCPH_CLIENT_READY,
    MCPH_CLIENT_DOWN /* nothing more will happen */
};

/* ---- what the owner sets ----------------------------------------------------------- */

/* Filled by mcph_client_spec_init(), then by the owner; everything is copied. */
struct mcph_client_spec {
    const char *server; /* id, for messages */
    const char *source; /* of the server, likewise; NULL: the default one */
    /* What is not to be shown of what the server writes, or NULL.  Referenced. */
    struct mcph_mask *mask;
    /* Who we are: clientInfo. */
    const char *name, *version, *title; /* title NULL: none */
    int era;                            /* MCPH_CLIENT_AUTO */
    /* With era AUTO, what an earlier connection with the same launch hash found out:
     * AUTO (nothing), LEGACY (then there is no probe; should the handshake be
     * refused, it is probed after all) or MODERN (the probe asks for this version
     * first; it is sent all the same, for the server's capabilities). */
    int cached_era;
    const char *cached_version; /* NULL: none */

    int64_t probe_ms;   /* 5000: how long the probe alone is waited for */
    int64_t start_ms;   /* 60000: from the first start to READY; -1: none */
    int64_t list_ms;    /* 15000: one whole list, or the answer to one of the smaller
                         * requests of the client's own; -1: none */
    int64_t changed_ms; /* 100: notices of a change within this time count as one */
    /* 0: a legacy server that is asked nothing and says nothing for so long is pinged;
     * 0 is never.  One that does not answer in ping_timeout_ms (10000) is lost. */
    int64_t ping_ms, ping_timeout_ms;

    unsigned lists; /* 1u << MCPH_LIST_*, tools: listed as soon as it is READY */
    /* The same, tools: changes of these kinds are asked for where a server (modern) tells
     * of them only when asked. */
    unsigned listen;
    const char *log_level; /* NULL: do not ask for log messages; "info", ... (level.c) */

    /* The transport was given a session: it is taken up without a handshake, as that of
     * a legacy server, unless the server does not know it. */
    bool session;

    /* Which questions the server may ask, MCPHOST_REQUEST_*: that much is advertised,
     * the rest is refused. */
    unsigned questions;    /* 0 */
    bool tasks;            /* whether a modern server may answer a tool call with a task;
                            * default: false */
    bool apps;             /* servers are told that apps are shown; default: false */
    int64_t question_ms;   /* 600000: how long one is waited for; -1: none */
    unsigned max_rounds;   /* 10: how often one operation may ask for more (modern) */
    size_t max_open;       /* 256 questions at once */
    size_t max_open_bytes; /* 64 MiB: of the messages they came in, beyond the first */

    size_t max_pages;              /* 64 */
    size_t max_list_bytes;         /* 64 MiB: all pages of a list */
    size_t max_subscriptions;      /* 1024 resources */
    size_t max_subscription_bytes; /* 1 MiB: all their URIs */
    size_t max_in_flight;          /* 256 operations at the server at once */
    size_t max_queued;             /* 4096 more wait here */
    unsigned depth;                /* nesting limit of messages; 0: MCPH_JSON_DEPTH */
};

void mcph_client_spec_init(struct mcph_client_spec *spec);

/* ---- methods (method.c) ------------------------------------------------------------ */

/* What a client can ask of a server: the rows of mcph_methods. */
enum {
    /* the client's own requests */
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
    MCPH_METHOD_SUBSCRIBE,   /* legacy */
    MCPH_METHOD_UNSUBSCRIBE, /* legacy */
    /* operations */
    MCPH_METHOD_CALL_TOOL,
    MCPH_METHOD_READ_RESOURCE,
    MCPH_METHOD_GET_PROMPT,
    MCPH_METHOD_COMPLETE,
    MCPH_METHOD_GET_TASK,
    MCPH_METHOD_UPDATE_TASK, /* modern */
    MCPH_METHOD_CANCEL_TASK,
    MCPH_METHOD_TASK_RESULT, /* legacy */
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
    MCPH_OFFERS_TASKS = 1 << 4, /* or the extension of this name */
    MCPH_OFFERS_LOGGING = 1 << 5,
    MCPH_OFFERS_ALL = (1 << 6) - 1,
    MCPH_OFFERS_TASK_CALLS = 1 << 6, /* legacy: of tools, where they are asked for */
    MCPH_OFFERS_SKILLS = 1 << 7,     /* the extension of this name */
    MCPH_OFFERS_DIRECTORIES = 1 << 8 /* of it, that directories can be read */
};

struct mcph_method {
    const char *name; /* on the wire */
    /* MCPH_SEND_*.  A CALL may have effects: once it may have reached the server it is
     * never sent again.  An operation that is a REQUEST is sent again, once, when the
     * connection ends under it. */
    int kind;
    unsigned needs; /* MCPH_OFFERS_*, or 0 */

    /* operations */
    const char *what;     /* in messages, before the operation's name */
    struct mcph_span key; /* the member of params that has the name, with its colon; p
                           * NULL: none, and the arguments are the params */
    struct mcph_span no_arguments; /* where there are none; p NULL: no member */
    struct mcph_span
        arguments; /* the member for arguments, from its comma to its colon */
    bool named;    /* modern HTTP: Mcp-Name is the operation's name */
    bool params;   /* modern HTTP: arguments go into headers, as the schema says */
    bool asks;     /* modern: may be answered with a request for input */
    bool starts;   /* may be answered with a task, which goes on without us */
    bool task;     /* what it is answered with is about a task */
    bool progress; /* the server may tell of it */
};

extern const struct mcph_method mcph_methods[MCPH_METHODS];

/* ---- what the server said about itself --------------------------------------------- */

/* Spans point into the frame of the answer and live until the next ready.  Display
 * only: never a reason to behave differently (but for the capabilities). */
struct mcph_client_info {
    int era;                       /* MCPH_CLIENT_LEGACY or _MODERN */
    const char *version;           /* static: one of those that we speak */
    struct mcph_frame *frame;      /* a reference keeps the spans */
    struct mcph_span capabilities; /* an object, or p NULL */
    struct mcph_span server_info;  /* an object {name, version, ...}, or p NULL */
    struct mcph_span instructions; /* a string token, or p NULL; not trusted */
    unsigned offers;               /* MCPH_OFFERS_* */
    unsigned list_changed; /* 1u << MCPH_LIST_*: changes of these kinds are told */
    bool subscribe;        /* resources can be subscribed to */
    bool taken_up; /* the session of the configuration: the server was not asked for any
                    * of this, that it offers everything is assumed */
};

/* ---- a list ------------------------------------------------------------------------ */

/* The kinds of lists. */
enum {
    MCPH_LIST_TOOLS,
    MCPH_LIST_RESOURCES,
    MCPH_LIST_TEMPLATES, /* of resources, and offered with them */
    MCPH_LIST_PROMPTS,
    MCPH_LIST_SKILLS,
    MCPH_LIST_KINDS
};

struct mcph_client_page {
    struct mcph_frame *frame;
    struct mcph_span items; /* the array, as the server wrote it */
    bool headers; /* of tools: arguments are told in headers; a tool that does not pass
                   * mcph_client_check_headers() must not be used */
};

/* Whether the x-mcp-header annotations of a tool's input schema are allowed: NULL, or
 * a phrase that says what is wrong ("its inputSchema has ..."). */
#define MCPH_CLIENT_PARAMS_MAX 64
const char *mcph_client_check_headers(struct mcph_span schema);

/* Immutable and reference-counted (any thread). */
struct mcph_client_list {
    struct mcph_refs refs;
    int kind; /* MCPH_LIST_* */
    /* The list was cut: a cursor came twice, or the limit on pages or bytes was met; or
     * the server does not offer this kind (NOTFOUND).  NULL: it is complete. */
    mcphost_error *cut;
    size_t n_pages; /* 0 when the server does not offer this kind */
    struct mcph_client_page pages[];
};

struct mcph_client_list *mcph_client_list_ref(struct mcph_client_list *list);
struct mcph_client_list *
mcph_client_list_unref(struct mcph_client_list *list); /* NULL is fine; returns NULL */

/* ---- questions --------------------------------------------------------------------- */

/*
 * What a server asks in the course of an operation: as a request of its own (legacy) or
 * in the answer to it, and then it is sent again with what it asked for (modern).
 * The client's; the owner hears of it by `question`, and it lives until he answers or
 * refuses it or hears `mcph_question_over`.
 */
struct mcph_client_question {
    int kind;                  /* one of MCPHOST_REQUEST_* */
    struct mcph_operation *op; /* in whose course; NULL: that cannot be known */
    struct mcph_frame *frame;  /* what the spans point into */
    struct mcph_span params;   /* an object; p NULL: none */
    struct mcph_span message;  /* string tokens, of elicitation, or p NULL */
    struct mcph_span url;
    struct mcph_span schema; /* of FORM: passed mcph_form_check() */
    void *owner;             /* the owner's own */

    /* the client's own */
    struct mcph_client *client;
    struct mcph_list link, round_link;
    struct mcph_timer timer;
    struct mcph_span id;  /* the server's; p NULL: asked by an answer */
    struct mcph_span key; /* ... under this name */
    char *answer;         /* to be sent with the other answers of the round */
    size_t answer_len;
    bool told, answered, pauses;
};

/* Reads `params` of a question, of which nothing else but its frame is set, by its method
 * (a string token): its kind and the spans.  `on`: what is answered, MCPHOST_REQUEST_*.
 * 0; MCPHOST_E_DENIED: nothing of the kind is; MCPHOST_E_PROTOCOL: it cannot be asked
 * like this, and *ret_why says why. */
int mcph_client_question_read(unsigned on, struct mcph_span method,
                              struct mcph_client_question *q, const char **ret_why);

/* It answered under an id that no call has; it does not know the session that it was to
 * go on with; strings of its answers are not UTF-8. */
#define MCPH_CLIENT_ODD_ID      "foreign_id"
#define MCPH_CLIENT_ODD_SESSION "session_unknown"
#define MCPH_CLIENT_ODD_UTF8    "invalid_utf8"
/* It tells of a change of a resource that nobody subscribed to. */
#define MCPH_CLIENT_ODD_UPDATE "foreign_update"

/* ---- events ------------------------------------------------------------------------ */

/* Each may be NULL but `restart` and `down`.  From any of them the owner may call
 * every function below, mcph_client_free() too.  Errors are borrowed and name the
 * server. */
struct mcph_client_events {
    /* READY: mcph_client_get_info() says what was agreed on, which with era AUTO is
     * the verdict to be kept under the launch hash.  Again, when a server on HTTP did
     * not know us any more and all was agreed anew. */
    void (*ready)(struct mcph_client *client, void *arg);
    /* The old transport has been let go and is to be closed; a fresh one is needed,
     * by mcph_client_start(), now or later.  `reason` says why (the server ended on
     * the probe, or turned out to be modern after all).  This is no crash; it
     * happens at most once in a client's life. */
    void (*restart)(struct mcph_client *client, mcphost_error *reason, void *arg);
    /* It never became READY, or the connection is lost.  All operations have got their
     * answers before.  The transport has been let go and is to be closed. */
    void (*down)(struct mcph_client *client, mcphost_error *reason, void *arg);
    /* The end of a list of this kind: `list` is borrowed, or NULL and `error` says why.
     * Other lists go on, whatever happened to this one. */
    void (*listed)(struct mcph_client *client, int kind, struct mcph_client_list *list,
                   mcphost_error *error, void *arg);
    /* The list of this kind has changed; list again if you care. */
    void (*changed)(struct mcph_client *client, int kind, void *arg);
    /* The server tells when this resource changes (error NULL), or it does not, and the
     * subscription is over.  `uri` lives until the function returns or frees the
     * client. */
    void (*subscribed)(struct mcph_client *client, struct mcph_span uri,
                       mcphost_error *error, void *arg);
    /* This resource that was subscribed to, or a part of it, has changed, `count` times
     * since the last event; or it may have, while the server could not tell. */
    void (*updated)(struct mcph_client *client, struct mcph_span uri, uint64_t count,
                    void *arg);
    /* Something of a task is new; `task` as tasks/get gives it, or less. */
    void (*task)(struct mcph_client *client, struct mcph_span task, void *arg);
    /* notifications/message: `level` and `logger` are string tokens (p NULL: none),
     * `data` any value. */
    void (*log)(struct mcph_client *client, struct mcph_span level,
                struct mcph_span logger, struct mcph_span data, void *arg);
    /* The server asks.  NULL, with spec.questions 0. */
    void (*question)(struct mcph_client *client, struct mcph_client_question *question,
                     void *arg);
    /* It need not be answered any more, because `why`: the server or the application
     * gave the call up, the time is over, the connection is lost.  A phrase. */
    void (*question_over)(struct mcph_client *client,
                          struct mcph_client_question *question, const char *why,
                          void *arg);
    /* The first thing that is no protocol message (R21); later ones are only
     * counted.  `text` is printable UTF-8 on one line, shortened. */
    void (*noise)(struct mcph_client *client, const char *text, void *arg);
    /* The server does what a person should know of, once of each kind at a time: `kind`
     * is one of MCPH_CLIENT_ODD_*, `text` a phrase that goes on after "server 'id': ". */
    void (*odd)(struct mcph_client *client, const char *kind, const char *text,
                void *arg);
    /* Fills in what the server can tell apart of us, as it is now: an answer that is not
     * public is kept for the same alone.  False: that cannot be said.  Nothing else may
     * be called from here. */
    bool (*who)(struct mcph_client *client, unsigned char ret_who[MCPH_DIGEST_LEN],
                void *arg);
};

/* ---- life -------------------------------------------------------------------------- */

/* `events` must outlive the client.  0, MCPHOST_E_NOMEM, MCPHOST_E_INVALID. */
int mcph_client_new(struct mcph_core *core, const struct mcph_client_spec *spec,
                    const struct mcph_client_events *events, void *arg,
                    struct mcph_client **ret, mcphost_error **reterr);

/* Begins to talk over an open transport, which must outlive the client's use of it
 * (until down, restart, stop or free).  In state NEW or WAITING, else
 * MCPHOST_E_STATE.  On failure the transport is not used and the state is as
 * before. */
int mcph_client_start(struct mcph_client *client, struct mcph_transport *transport,
                      mcphost_error **reterr);

/* Ends every operation with this error (its `done` runs inside), and every question
 * before it (question_over), releases the transport and turns DOWN.  No other event
 * follows.  `error` may be NULL. */
void mcph_client_stop(struct mcph_client *client, int code, mcphost_error *error);

/* ---- what may be kept (cache.c) -------------------------------------------------------
 * Answers that modern servers allow to be used again for a while (MCP 2026-07-28,
 * "Caching"), for all clients of one owner: a client that finds them need not ask.
 * Thrown away where the server says that they have changed, and where that may have
 * gone unheard. */

struct mcph_client_cache;

/* Holds answers of at most so many bytes.  NULL: no memory. */
struct mcph_client_cache *mcph_client_cache_new(struct mcph_core *core, size_t max_bytes);
/* After its clients.  Returns NULL; NULL is allowed. */
struct mcph_client_cache *mcph_client_cache_free(struct mcph_client_cache *cache);
/* All that the server at this place said; NULL is allowed. */
void mcph_client_cache_forget(struct mcph_client_cache *cache,
                              const unsigned char place[MCPH_DIGEST_LEN]);
/* Before a start.  `place` is which server it is, by its configuration.  `cache`
 * outlives the client; NULL: none. */
void mcph_client_set_cache(struct mcph_client *client, struct mcph_client_cache *cache,
                           const unsigned char place[MCPH_DIGEST_LEN]);

/* At any time.  Operations that are not finished are forgotten: their `done` does not run
 * (mcph_client_stop() first, for that).  The memory goes with the next turn of the
 * loop.  Returns NULL; NULL is allowed. */
struct mcph_client *mcph_client_free(struct mcph_client *client);

int mcph_client_get_state(const struct mcph_client *client);
/* NULL before READY. */
const struct mcph_client_info *mcph_client_get_info(const struct mcph_client *client);
size_t mcph_client_in_flight(const struct mcph_client *client); /* queued ones too */
/* How long the server took for the last of our own requests (handshake, a page of the
 * list, ping) that it answered, in ms; -1: none yet. */
int64_t mcph_client_get_latency(const struct mcph_client *client);
const struct mcph_rpc_counters *
mcph_client_get_counters(const struct mcph_client *client);

/* ---- operations of several clients (gate.c) ---------------------------------------- */

/* A limit on the operations at one server, whoever's they are.  On the dispatcher. */
struct mcph_client_gate;

struct mcph_client_gate *mcph_client_gate_new(struct mcph_core *core,
                                              size_t max); /* NULL: no memory */
struct mcph_client_gate *mcph_client_gate_ref(struct mcph_client_gate *gate);
/* Returns NULL; NULL is allowed. */
struct mcph_client_gate *mcph_client_gate_unref(struct mcph_client_gate *gate);
/* SIZE_MAX: none.  What is over a lower limit goes on. */
void mcph_client_gate_set_max(struct mcph_client_gate *gate, size_t max);
/* Takes a reference.  Operations that are in flight count from now on.  Once only. */
void mcph_client_set_gate(struct mcph_client *client, struct mcph_client_gate *gate);
struct mcph_client_gate *mcph_client_get_gate(const struct mcph_client *client);

/* ---- lists (lists.c) --------------------------------------------------------------- */

/* Lists all pages of one kind, MCPH_LIST_*.  One `listed` event follows, never from
 * inside; while a list of this kind runs, asking again adds nothing.  Lists of several
 * kinds run at once.  0, MCPHOST_E_STATE (not READY), MCPHOST_E_NOMEM, or why it could
 * not be sent. */
int mcph_client_list(struct mcph_client *client, int kind);

/* ---- subscriptions to resources (subscribe.c, listen.c) ---------------------------- */

/*
 * From now on `updated` tells when this resource, or a part of it, has changed; the URI
 * is copied.  `subscribed` says whether the server does that, never from inside.  A
 * client that is not READY asks when it is, and all subscriptions are made again when all
 * is agreed anew; they end with the client.  Subscribing twice wants unsubscribing twice.
 *
 * 0 or, and then nothing changed: MCPHOST_E_INVALID (no URI can be like this),
 * MCPHOST_E_LIMIT (max_subscriptions, max_subscription_bytes), MCPHOST_E_TRANSPORT
 * (DOWN), MCPHOST_E_NOMEM.
 */
int mcph_client_subscribe(struct mcph_client *client, struct mcph_span uri,
                          mcphost_error **reterr);
/* No effect on what is not subscribed to. */
void mcph_client_unsubscribe(struct mcph_client *client, struct mcph_span uri);
/* How many notices told of resources that nobody had subscribed to; they are dropped. */
uint64_t mcph_client_get_foreign_updates(const struct mcph_client *client);

/* ---- tasks (tasks.c) --------------------------------------------------------------- */

/* A task whose server is to tell when something of it is new, by the event `task`, where
 * it does that (modern).  The owner's, zeroed at first. */
struct mcph_task_watch {
    struct mcph_list link; /* in the client's */
    struct mcph_client *client;
    struct mcph_span id; /* lives as long as the watch */
};

/* At this client, and no other.  The watch ends with the client. */
void mcph_client_watch_task(struct mcph_client *client, struct mcph_task_watch *watch);
void mcph_client_unwatch_task(struct mcph_task_watch *watch); /* idempotent */

/* ---- log messages (level.c) -------------------------------------------------------- */

/* Asks for log messages of this level and above, from now on: "debug", "info", "notice",
 * "warning", "error", "critical", "alert", "emergency"; NULL: for none (a legacy server,
 * which cannot be asked for none, is asked for the highest level).  At any time.
 * 0, MCPHOST_E_INVALID (no such level), MCPHOST_E_NOMEM: then nothing changed. */
int mcph_client_set_log_level(struct mcph_client *client, const char *level);

/* ---- operations (operation.c) ------------------------------------------------------
 * What an owner asks of the server: a tool call, a read, a prompt, a completion, a task.
 * All methods have progress, cancellation, deadlines, the gate, the server's questions,
 * rounds where the method allows them, and are sent again where that is safe. */

/* Of notifications/progress. */
struct mcph_client_progress {
    double progress;
    double total; /* has_total */
    bool has_total;
    struct mcph_span message; /* a string token, or p NULL */
    struct mcph_span params;  /* all of it */
};

/* The end of an operation; borrowed, valid during `done`. */
struct mcph_client_answer {
    int code;    /* 0, or MCPHOST_E_* */
    bool task;   /* code 0: the result is a task, whose end is not known yet, in place of
                * what was asked for */
    bool modern; /* code 0: it was given in the modern era */
    struct mcph_span result;  /* code 0: the result object, the server's own bytes; an
                              * isError result is a result */
    struct mcph_frame *frame; /* code 0: what `result` points into; LIMIT: with `over`;
                               * mcph_frame_ref() keeps it */
    mcphost_error *error;     /* code < 0: never NULL, names the server */
};

/* ---- trace context (trace.c) -------------------------------------------------------
 * What W3C Trace Context and Baggage send along with a request: in _meta, and over HTTP
 * in headers of the same names. */

enum { MCPH_TRACE_PARENT, MCPH_TRACE_STATE, MCPH_TRACE_BAGGAGE, MCPH_TRACES };

#define MCPH_TRACE_MAX 8192 /* bytes of each */

extern const char *const mcph_trace_names[MCPH_TRACES];

struct mcph_trace {
    struct mcph_span parts[MCPH_TRACES]; /* p NULL: not there */
};

/* Copies them (NULL: not there) into one block, for free().  0; MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT: the error names the member; MCPHOST_E_NOMEM. */
int mcph_trace_new(const char *const parts[MCPH_TRACES], struct mcph_trace **ret_trace,
                   mcphost_error **reterr);

/*
 * One operation; embedded in its owner, who zeroes it and fills in the first part.  The
 * strings must live until `done`: an operation may be sent later, and again.
 */
struct mcph_operation {
    const struct mcph_method *method; /* a row of mcph_methods */
    /* The tool's original name (R23), the prompt's name, the resource's URI, the task's
     * id, in plain text; of a completion what it is for, in messages only. */
    struct mcph_span name;
    struct mcph_span name_token; /* the same as JSON, or p NULL */
    /* A checked JSON object, or p NULL: the arguments of a tool (p NULL: {}) or a prompt;
     * all params of a completion. */
    struct mcph_span arguments;
    union {
        struct mcph_span schema; /* of a tool: its input schema, as far as known */
        /* Of tasks/get: the names of what was answered (char *, from malloc); a task
         * names each question once in its life.  NULL: they are asked again. */
        struct mcph_vec *answered;
    };
    struct mcph_span meta; /* a checked JSON object whose members go into _meta; p NULL:
                            * none.  progressToken and, on modern connections, the
                            * io.modelcontextprotocol/ keys are ours: leave them out */
    const struct mcph_trace *trace; /* NULL: none; a member of `meta` wins over it */
    int64_t timeout_ms;             /* from mcph_operation_start(); -1: none */
    int64_t max_ms;                 /* whatever progress comes; -1: none */
    bool progress_resets;           /* progress starts timeout_ms anew */
    /* MCPHOST_MESSAGES_*: the log messages that are wanted in its course, from a modern
     * server that is asked for none otherwise. */
    uint8_t log_level;
    /* Of a legacy server with MCPH_OFFERS_TASK_CALLS: the tool is to run as a task, which
     * is kept for so long, in ms; 0: it is not. */
    uint32_t task_ttl_ms;
    /* Wanted when set; always before done. */
    void (*progress)(struct mcph_operation *op,
                     const struct mcph_client_progress *progress);
    /* Exactly once unless the operation is cancelled or the client freed, and never from
     * inside mcph_operation_start().  May free the operation. */
    void (*done)(struct mcph_operation *op, const struct mcph_client_answer *answer);

    /* the client's own */
    struct mcph_client *client; /* NULL: not under way */
    struct mcph_list link;      /* in flight or queued */
    struct mcph_rpc_call rpc;
    struct mcph_timer timer; /* while queued */
    int64_t queued_at, waited;
    bool queued, paused;
    bool again, relisted;       /* it was sent again; with a fresh list */
    struct mcph_rounds *rounds; /* NULL: the server has asked for nothing */
};

/* Sends it, or queues it when the client is not READY yet or enough are in flight.
 * Returns 0 or, and then `done` does not run: MCPHOST_E_LIMIT (the queue is full, or
 * the server does not read), MCPHOST_E_NOTFOUND (the server does not offer what the
 * method needs; `done` brings it while the client is not READY), MCPHOST_E_TRANSPORT
 * (DOWN), MCPHOST_E_NOMEM. */
int mcph_operation_start(struct mcph_client *client, struct mcph_operation *op,
                         mcphost_error **reterr);
/* Takes it back: the server is told (notifications/cancelled with `reason`, which may
 * be NULL) if it knows of the operation, a late answer is dropped, `done` does not run.
 * No effect on an operation that is not under way. */
void mcph_operation_cancel(struct mcph_operation *op, const char *reason);

/* ---- the forms of elicitation (form.c) ------------------------------------------------
 * MCP 2025-11-25 and 2026-07-28, "Elicitation": the requested schema is an object whose
 * properties are strings, numbers, booleans or choices, nothing nested.  Pure functions
 * over checked JSON, for any thread. */

#define MCPH_FORM_FIELDS_MAX 256

/* Whether `schema` is one that may be asked for: 0, MCPHOST_E_PROTOCOL with what is
 * wrong, or MCPHOST_E_NOMEM. */
int mcph_form_check(struct mcph_span schema, mcphost_error **reterr);

/*
 * Adds to `buf` the content of an accepted form: the members of `content` (an object;
 * p NULL: none), in the order of the schema, and the defaults of those that are not
 * among them.  The schema was checked.
 *
 * 0, MCPHOST_E_INVALID with the field that does not fit or is missing, or what the
 * buffer said.
 */
int mcph_form_fill(struct mcph_span schema, struct mcph_span content,
                   struct mcph_buf *buf, mcphost_error **reterr);
/* The same for a form that is not filled in to its end: a field may be missing, required
 * or not. */
int mcph_form_fill_part(struct mcph_span schema, struct mcph_span content,
                        struct mcph_buf *buf, mcphost_error **reterr);
/* The same for a form that nobody has filled in yet: what has no default is left out,
 * required or not. */
int mcph_form_defaults(struct mcph_span schema, struct mcph_buf *buf);

/* ---- answering questions ----------------------------------------------------------- */

/* With a result object, checked JSON that fits the kind; copied.  The question is gone
 * when it returns; the `done` of its call may have run. */
void mcph_client_question_answer(struct mcph_client_question *question,
                                 struct mcph_span result);
/* There will be no answer: a server that asked by a request gets an error with this
 * code and message, a call that asked for more ends with MCPHOST_E_DENIED. */
void mcph_client_question_refuse(struct mcph_client_question *question, int64_t code,
                                 const char *message);
/* The roots have changed: legacy servers are told, if they may ask for them. */
void mcph_client_roots_changed(struct mcph_client *client);

#endif
