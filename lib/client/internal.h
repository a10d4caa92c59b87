/* SPDX-License-Identifier: MIT
 *
 * internal.h - the inside of a client, shared by the files of this room alone.
 *
 * A client is freed in a job, never inside a call from below: any function that
 * called its owner looks at `freed` before it goes on.
 */
#ifndef MCPH_CLIENT_INTERNAL_H
#define MCPH_CLIENT_INTERNAL_H

#include "client/client.h"

#define NEWEST_MODERN "2026-07-28"
#define AGAIN_MAX     3 /* how often in a row all is agreed anew */

/* Of a server that fails at the probe and may know only initialize. */
#define CLIENT_ERA_HINT                                                           \
    "; if it speaks only versions before 2026-07-28, 'era: legacy' in its entry " \
    "spares it that question"

/* What one answer to the probe means (MCP 2026-07-28, versioning; probe.c). */
enum {
    PROBE_LEGACY,  /* the server does not know the modern protocol */
    PROBE_MODERN,  /* it speaks `version` */
    PROBE_CORRECT, /* ask again with `version` */
    PROBE_FAIL     /* there is nothing that both speak */
};

struct probe_verdict {
    int kind;
    const char *version;  /* static */
    mcphost_error *error; /* PROBE_FAIL: the caller's reference */
};

/* What is kept, and how long it may be (cache.c). */
enum { CACHE_DISCOVER, CACHE_LISTS, CACHE_KINDS = CACHE_LISTS + MCPH_LIST_KINDS };

struct cache_hints {
    int64_t until; /* the least of all pages */
    bool public;   /* none of them is private */
    uint64_t asked;
    bool known; /* whose they are, and the same from the first to the last */
    unsigned char who[MCPH_DIGEST_LEN];
};

struct list_page {
    struct mcph_client_page page;
    struct mcph_span next; /* the cursor, a string token in the page's frame */
};

/* One for each kind of list, MCPH_LIST_*. */
struct list_job {
    struct mcph_client *client;
    int kind;
    bool running;
    bool again;     /* the list changed while it ran */
    bool empty;     /* nothing to ask: only the event is due */
    bool postponed; /* until all is agreed anew */
    int unsent;     /* < 0: why the server could not be asked; only the event is due */
    struct mcph_rpc_call call;
    struct mcph_timer timer;         /* the deadline of the whole list, or the event */
    struct mcph_timer changed_timer; /* until a change is told */
    struct list_page *pages;
    size_t n_pages, cap;
    size_t bytes;
    struct cache_hints hints;
    struct mcph_client_list *recalled; /* nothing to ask: this is it; else NULL */
    bool begun_anew;                   /* after a cursor that was refused */
};

/* A notification that lists have changed (lists.c). */
#define LIST_NOTICES 3
struct list_notice {
    const char *capability; /* of the server, whose listChanged announces it */
    const char *method;
    const char *flag; /* asks for it in subscriptions/listen */
    unsigned kinds;   /* 1u << MCPH_LIST_* */
};
extern const struct list_notice mcph_list_notices[LIST_NOTICES];

struct ping {
    struct mcph_rpc_call call;
    struct mcph_timer timer;
    uint64_t heard; /* messages, when the silence began */
};

struct listen_request {
    struct mcph_client *client;
    struct mcph_rpc_call call;
    char id[24];
    bool acknowledged;
    int64_t since;  /* acknowledged */
    unsigned tasks; /* tasks.n when it was sent; 0: it named no task */
};

/* At most one request is acknowledged, and at most one is not. */
#define LISTEN_REQUESTS 2
struct listen {
    struct listen_request requests[LISTEN_REQUESTS];
    struct mcph_timer timer; /* until it is sent again */
    unsigned n;              /* how many were sent */
    int64_t delay;           /* that was last */
    bool lost;               /* nobody knows what changed meanwhile */
};

struct subscriptions {
    struct mcph_list all; /* struct subscription (subscribe.c) */
    struct mcph_map by_uri;
    size_t n, bytes;         /* of URIs */
    size_t n_asking;         /* legacy: requests under way */
    struct mcph_timer timer; /* there is something to do */
    struct mcph_timer update_timer;
    uint64_t n_foreign; /* notices of what nobody subscribed to */
};

struct log_level {
    struct mcph_rpc_call call;
    bool changed; /* since it was sent */
};

struct mcph_client {
    struct mcph_core *core;
    struct mcph_client_spec spec; /* its strings are ours */
    const struct mcph_client_events *events;
    void *arg;
    int state;
    bool freed;
    struct mcph_job free_job;

    struct mcph_transport *transport; /* NULL: none in use */
    struct mcph_rpc rpc;
    struct mcph_buf meta;     /* modern: the members that every _meta has */
    const char *meta_version; /* ... of which version; static */

    /* negotiation */
    const char *want; /* the modern version that the probe asks for; static */
    struct mcph_rpc_call probe, init, take_up;
    struct mcph_timer probe_timer, start_timer;
    unsigned n_probes;
    bool corrected;            /* the one correction of the version is used up */
    bool modern_for_sure;      /* restarted because of a modern answer */
    bool restarted;            /* the one fresh transport is used up */
    bool begin_legacy;         /* the next start sends initialize, else the probe */
    bool probed;               /* the probe was sent over this transport */
    bool talking_legacy;       /* initialize was sent over this transport */
    mcphost_error *init_error; /* initialize failed, the probe is still open */
    struct mcph_client_info info;
    int64_t latency_ms; /* of the last of our own requests; -1: none was answered */
    bool told_no_type;  /* the missing resultType was logged */
    bool told_foreign;  /* an answer under an id that no call has was told */

    struct mcph_client_cache *cache; /* NULL: none */
    unsigned char cache_place[MCPH_DIGEST_LEN];
    struct cache_hints probe_hints;
    struct mcph_frame *recalled; /* an earlier answer to the probe, which is not sent */
    bool unproven;               /* READY by that, and nothing good came since */

    struct list_job lists[MCPH_LIST_KINDS];
    struct listen listen;
    struct subscriptions subscriptions;
    struct {
        struct mcph_list watches; /* struct mcph_task_watch */
        size_t count;             /* of them; few, as each request names all */
        unsigned n;               /* how many were added in all */
        bool refused;             /* the server does not take their ids */
    } tasks;
    struct ping ping;
    struct log_level level;

    struct mcph_list in_flight, queued; /* struct mcph_operation, in order */
    size_t n_in_flight, n_queued;
    struct mcph_client_gate *gate; /* a reference, or NULL */
    struct mcph_list gate_link;    /* waits there */

    struct mcph_list questions; /* struct mcph_client_question: open */
    size_t n_questions;
    size_t n_unowned;     /* of them of no known call */
    uint64_t streams;     /* numbers given to messages, on a transport with streams */
    uint64_t old_streams; /* of them, up to here: before all was agreed anew */
    unsigned n_again;     /* how often that was in a row */
    bool holding;         /* no call is sent: all is agreed anew, or the tools listed */
    struct mcph_client_list *fresh; /* what was listed for calls that were refused */
};

/* ---- cache.c: answers that may be used again --------------------------------------- */

/* What is fresh and for us, as a reference; NULL: nothing. */
struct mcph_frame *mcph_client_cache_find_discover(const struct mcph_client *c,
                                                   const char *version);
struct mcph_client_list *mcph_client_cache_find_list(const struct mcph_client *c,
                                                     int kind);
/* Before something is asked for, and for each part of its answer. */
void mcph_client_cache_hints_begin(const struct mcph_client *c,
                                   struct cache_hints *hints);
void mcph_client_cache_hints_add(const struct mcph_client *c, struct mcph_span result,
                                 struct cache_hints *hints);
/* As far as it may be kept. */
void mcph_client_cache_keep_discover(const struct mcph_client *c, const char *version,
                                     const struct cache_hints *hints,
                                     struct mcph_frame *frame);
void mcph_client_cache_keep_list(const struct mcph_client *c,
                                 const struct cache_hints *hints,
                                 struct mcph_client_list *list);
void mcph_client_cache_forget_list(const struct mcph_client *c, int kind);
void mcph_client_cache_forget_all(const struct mcph_client *c);

/* ---- headers.c: Mcp-Param-* -------------------------------------------------------- */

#define PARAMS_FIRST 3 /* before them, the headers of every request */

struct params {
    size_t n;
    struct mcph_header items[PARAMS_FIRST + MCPH_CLIENT_PARAMS_MAX + MCPH_TRACES];
    size_t at[MCPH_CLIENT_PARAMS_MAX];
    struct mcph_buf text;
};

/* 0 or what the buffer said; done in any case. */
int mcph_client_params_make(struct params *params, struct mcph_span schema,
                            struct mcph_span arguments);
void mcph_client_params_done(struct params *params);

/* ---- stream.c: streams of HTTP ----------------------------------------------------- */

void mcph_stream_status(struct mcph_client *c, uint64_t stream, int status,
                        const struct mcph_header *headers, size_t n_headers,
                        struct mcph_span body);
void mcph_stream_closed(struct mcph_client *c, uint64_t stream, mcphost_error *reason);
/* Whether an answer means that the request was not carried out, and why. */
enum {
    REFUSAL_NONE,
    REFUSAL_STRANGER, /* the server does not know our session, or our version */
    REFUSAL_HEADERS,  /* the headers do not fit the tool as it is now */
    REFUSAL_LOST /* no refusal: nobody knows; a request without effects is repeated */
};
int mcph_stream_refusal(const struct mcph_client *c,
                        const struct mcph_rpc_answer *answer);
/* Whether the stream ended with neither an answer nor a status. */
bool mcph_stream_is_lost(const struct mcph_client *c,
                         const struct mcph_rpc_answer *answer);
/* Whether it is a legacy server's refusal of the session. */
bool mcph_stream_session_is_unknown(const struct mcph_rpc_answer *answer);
/* Whether a stream began before all was agreed anew: what it says of the session is of
 * one that is over. */
bool mcph_stream_is_old(const struct mcph_client *c, uint64_t stream);

/* ---- client.c: errors and the end -------------------------------------------------- */

/* An error that names the server; the caller's reference in *reterr. */
int mcph_client_error(const struct mcph_client *c, mcphost_error **reterr, int code,
                      const char *fmt, ...) MCPHOST_PRINTF(4, 5);
/* The same out of the error object of an answer; `what` goes in front. */
int mcph_client_rpc_error(const struct mcph_client *c, mcphost_error **reterr,
                          const char *what, const struct mcph_rpc_answer *answer);
/* Whether the silence is the application's, which has not answered the request for the
 * credentials of this server; then with the error.  `what` is what was late. */
bool mcph_client_awaits_credentials(const struct mcph_client *c, mcphost_error **reterr,
                                    const char *what);
/* Why an answer is no good, for the requests that we make on our own account. */
int mcph_client_answer_error(const struct mcph_client *c, mcphost_error **reterr,
                             const char *method, const struct mcph_rpc_answer *answer);
/* Tells the owner what a person should know of the server. */
void mcph_client_odd(struct mcph_client *c, const char *kind, const char *text);
/* A send failed because the connection is lost, which the transport will say in a
 * moment and with the better reason: wait for that. */
bool mcph_client_is_losing(const struct mcph_client *c, int code);
/* Takes the reference: everything ends, the owner is told. */
void mcph_client_go_down(struct mcph_client *c, mcphost_error *error);
/* Takes the reference: lets the transport go and asks for a fresh one. */
void mcph_client_restart(struct mcph_client *c, mcphost_error *reason);
/* One of our own requests was answered. */
void mcph_client_measure(struct mcph_client *c, const struct mcph_rpc_call *call,
                         const struct mcph_rpc_answer *answer);
/* READY: what was held back starts. */
void mcph_client_go_ready(struct mcph_client *c);

/* ---- send.c: messages out ---------------------------------------------------------- */

/* Begins a request whose id is `call`'s: up to the brace of params, of which `more`
 * bytes are to come besides _meta. */
int mcph_client_send_begin(struct mcph_client *c, const struct mcph_rpc_call *call,
                           const struct mcph_method *method, size_t more,
                           struct mcph_buf **ret_buf);
/* The members of a checked object, in one line; nothing where there are none. */
int mcph_client_send_members(struct mcph_buf *buf, struct mcph_span object);
/* The _meta of a request as a member of params, with its comma, when there is anything to
 * say: the progress token of a call that has on_progress, and of the operation (NULL: a
 * request of the client's own) the trace context and the members of its own _meta. */
int mcph_client_send_meta(const struct mcph_client *c, struct mcph_buf *buf,
                          const struct mcph_rpc_call *call,
                          const struct mcph_operation *op);
/* Closes params' request and sends it; `op` as above. */
int mcph_client_send_commit(struct mcph_client *c, struct mcph_rpc_call *call,
                            struct mcph_buf *buf, const struct mcph_method *method,
                            const struct mcph_operation *op, struct params *params);
/* Sends one of the client's own requests, MCPH_METHOD_*, for `call`, which has been
 * started; `params` are members without braces. */
int mcph_client_send_request(struct mcph_client *c, struct mcph_rpc_call *call,
                             int method, struct mcph_span params);
int mcph_client_send_notification(struct mcph_client *c, const char *method);
/* Tells the server that an answer is not wanted any more; best effort. */
void mcph_client_send_cancel(struct mcph_client *c, const struct mcph_rpc_call *call,
                             const char *reason);
void mcph_client_send_result(struct mcph_client *c, struct mcph_span id,
                             struct mcph_span result);
void mcph_client_send_refusal(struct mcph_client *c, struct mcph_span id, int64_t code,
                              const char *message);
/* {"name":..,"version":..,"title":..} */
int mcph_client_add_identity(const struct mcph_client *c, struct mcph_buf *buf);
/* Fills c->meta for this version; on failure it stays as it was. */
int mcph_client_make_meta(struct mcph_client *c, const char *version);

/* ---- probe.c: versions and verdicts ------------------------------------------------ */

/* The static string of a version that we speak, or NULL. */
const char *mcph_modern_version(struct mcph_span token);
const char *mcph_legacy_version(struct mcph_span token);
const char *mcph_modern_named(const char *version);  /* or the newest; NULL is fine */
bool mcph_version_is_modern(struct mcph_span token); /* by its date, known or not */
/* Whether an answer to it, or to initialize, says anything about the era. */
bool mcph_probe_is_verdict(const struct mcph_rpc_answer *answer);
void mcph_probe_classify(const struct mcph_client *c,
                         const struct mcph_rpc_answer *answer, bool corrected,
                         struct probe_verdict *ret);

/* ---- negotiate.c ------------------------------------------------------------------- */

int mcph_negotiate_init(struct mcph_client *c,
                        const char *cached_version); /* 0 or NOMEM */
int
mcph_negotiate_start(struct mcph_client *c); /* the first message over this transport */
void mcph_negotiate_stop(struct mcph_client *c); /* abandons and cancels all */
/* READY, and the server does not know us any more: once more, over the same transport. */
void mcph_negotiate_again(struct mcph_client *c);
/* The answer is a refusal by a server that was never asked which version it speaks:
 * then all is agreed anew. */
bool mcph_negotiate_was_stranger(struct mcph_client *c,
                                 const struct mcph_rpc_answer *answer);
/* The transport closed before READY. */
void mcph_negotiate_closed(struct mcph_client *c, mcphost_error *reason);
void mcph_negotiate_stray_error(struct mcph_client *c,
                                const struct mcph_rpc_message *msg);

/* ---- ping.c ------------------------------------------------------------------------ */

int mcph_client_ping_init(struct mcph_client *c); /* 0 or NOMEM */
void mcph_client_ping_start(struct mcph_client *c);
void mcph_client_ping_stop(struct mcph_client *c);

/* ---- lists.c ----------------------------------------------------------------------- */

int mcph_client_lists_init(struct mcph_client *c); /* 0 or NOMEM */
void mcph_client_lists_stop(struct mcph_client *c);
void mcph_client_lists_done(struct mcph_client *c);
/* READY: lists what the owner wants, and what was postponed. */
void mcph_client_lists_begin(struct mcph_client *c);
/* The lists that run begin anew when all is agreed anew. */
void mcph_client_lists_postpone(struct mcph_client *c);
bool mcph_client_lists_are_running(const struct mcph_client *c);
/* Whether it asks for a page of a list. */
bool mcph_client_lists_own(const struct mcph_rpc_call *call);
/* The lists of these kinds, 1u << MCPH_LIST_*, have changed, or may have. */
void mcph_client_lists_changed(struct mcph_client *c, unsigned kinds);
/* The notice that a notification is, or NULL. */
const struct list_notice *mcph_client_lists_notice(const struct mcph_rpc_message *msg);
/* Lists the tools for calls that were refused, and then sends the calls. */
void mcph_client_lists_refresh_tools(struct mcph_client *c);
/* The tool's input schema in the list that mcph_client_lists_refresh_tools() read.
 * `p` is NULL if the tool is not in it. */
struct mcph_span mcph_client_lists_fresh_schema(const struct mcph_client *c,
                                                struct mcph_span name);

/* ---- listen.c ---------------------------------------------------------------------- */

int mcph_client_listen_init(struct mcph_client *c); /* 0 or NOMEM */
void mcph_client_listen_start(struct mcph_client *c);
/* Asks anew where the resources that are wanted are others than before. */
void mcph_client_listen_update(struct mcph_client *c);
void mcph_client_listen_stop(struct mcph_client *c);
void mcph_client_listen_acknowledged(struct mcph_client *c,
                                     const struct mcph_rpc_message *msg);
void mcph_client_listen_cancelled(struct mcph_client *c,
                                  const struct mcph_rpc_message *msg);
/* A notice that came for our subscription. */
bool mcph_client_listen_owns(struct mcph_client *c, const struct mcph_rpc_message *msg);
bool mcph_client_listen_own(const struct mcph_rpc_call *call);

/* ---- subscribe.c ------------------------------------------------------------------- */

int mcph_client_subscriptions_init(struct mcph_client *c);   /* 0 or NOMEM */
void mcph_client_subscriptions_begin(struct mcph_client *c); /* READY */
/* The server tells of nothing any more, until it is READY again. */
void mcph_client_subscriptions_stop(struct mcph_client *c);
void mcph_client_subscriptions_drop(struct mcph_client *c);
void mcph_client_subscriptions_done(struct mcph_client *c);
/* Whether it is a legacy request for one. */
bool mcph_client_subscriptions_own(const struct mcph_rpc_call *call);
/* notifications/resources/updated */
void mcph_client_subscriptions_updated(struct mcph_client *c,
                                       const struct mcph_rpc_message *msg);
/* Any of them may have changed unheard. */
void mcph_client_subscriptions_missed(struct mcph_client *c);
/* Modern: an upper bound of what mcph_client_subscriptions_add() adds, 0: nothing. */
size_t mcph_client_subscriptions_size(const struct mcph_client *c);
/* What is wanted is not what the open request names. */
bool mcph_client_subscriptions_differ(const struct mcph_client *c);
/* Adds the member of the filter for the request with this bit. */
void mcph_client_subscriptions_add(struct mcph_client *c, unsigned bit,
                                   struct mcph_buf *buf);
/* The server acknowledged that request, and what it honours. */
void mcph_client_subscriptions_honoured(struct mcph_client *c, unsigned bit,
                                        struct mcph_span honoured);
/* That request has ended.  With `gap` the server told under it, and what changes goes
 * unheard.  With an error it is not sent again, and what no other request names ends. */
void mcph_client_subscriptions_end(struct mcph_client *c, unsigned bit, bool gap,
                                   mcphost_error *error);

/* ---- tasks.c ----------------------------------------------------------------------- */

/* As those of subscriptions. */
size_t mcph_client_tasks_size(const struct mcph_client *c);
bool mcph_client_tasks_differ(const struct mcph_client *c,
                              const struct listen_request *open);
void mcph_client_tasks_add(struct mcph_client *c, struct listen_request *request,
                           struct mcph_buf *buf);
/* The request was refused, perhaps for the ids of tasks in it: they are left out. */
void mcph_client_tasks_refused(struct mcph_client *c);
void mcph_client_tasks_drop(struct mcph_client *c);
/* notifications/tasks, and the legacy notifications/tasks/status */
bool mcph_client_tasks_notice(struct mcph_client *c, const struct mcph_rpc_message *msg);

/* ---- level.c ----------------------------------------------------------------------- */

void mcph_client_level_begin(struct mcph_client *c); /* READY */
void mcph_client_level_stop(struct mcph_client *c);

/* ---- method.c ---------------------------------------------------------------------- */

/* MCPH_OFFERS_* of an object of capabilities. */
unsigned mcph_method_offers(struct mcph_span capabilities);
/* MCPHOST_E_NOTFOUND, with the capability that the server would have to name. */
int mcph_method_not_offered(const struct mcph_client *c, const struct mcph_method *method,
                            mcphost_error **reterr);
/* MCP 2026-07-28, "Results": 0, or PROTOCOL and *ret_why is what it was answered with;
 * or something that the method allows: a request for input, a task. */
enum { METHOD_ASKS = 1, METHOD_TASK };
int mcph_method_check_result(struct mcph_client *c, const struct mcph_method *method,
                             struct mcph_span result, const char **ret_why);

/* ---- operation.c ------------------------------------------------------------------- */

/* Sends what waits, as far as it may. */
void mcph_operations_pump(struct mcph_client *c);
/* Sends one of them, and waits at the gate if there are more. */
void mcph_operations_turn(struct mcph_client *c);
/* Ends all with this error. */
void mcph_operations_fail(struct mcph_client *c, mcphost_error *error);
/* The session has ended: those whose answers would come on its common stream are sent
 * again in the next session if they have no effects, and end if they may. */
void mcph_operations_lost(struct mcph_client *c);
void mcph_operations_forget(struct mcph_client *c);

/* Ends an operation: its server BEFORE the call of 'NAME': BEHIND. */
void mcph_operation_fail(struct mcph_operation *op, int code, const char *before,
                         const char *behind);
/* Sends an operation again that is in flight but has no request under way; if it cannot
 * be sent, it may be over and gone. */
void mcph_operation_again(struct mcph_operation *op, int64_t timeout_ms, int64_t max_ms);

/* ---- gate.c: calls in flight, of all clients of the gate --------------------------- */

void mcph_gate_enter(struct mcph_client *c);
void mcph_gate_leave(struct mcph_client *c);
/* Of a client that has one: there is a place, and no other client waits for it. */
bool mcph_gate_is_open(const struct mcph_client *c);
void mcph_gate_wait(struct mcph_client *c); /* for a turn */
void mcph_gate_drop(struct mcph_client *c); /* no call is in flight */

/* ---- question.c, rounds.c: what the server asks ------------------------------------ */

int mcph_question_add_capabilities(const struct mcph_client *c, struct mcph_buf *buf,
                                   bool legacy);
/* A request of the server's: asked, or refused. */
void mcph_question_ask(struct mcph_client *c, const struct mcph_rpc_message *msg);
void mcph_question_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg);
/* notifications/elicitation/complete: the user is done on the page of a question. */
void mcph_question_completed(struct mcph_client *c, const struct mcph_rpc_message *msg);
/* Makes one; NULL with a code (DENIED: nothing of the kind was offered, PROTOCOL: it
 * cannot be asked like this, LIMIT, NOMEM) and a phrase. */
struct mcph_client_question *
mcph_question_new(struct mcph_client *c, struct mcph_operation *op,
                  struct mcph_frame *frame, struct mcph_span method,
                  struct mcph_span params, int *ret_code, const char **ret_why);
/* The owner hears of those that are new. */
void mcph_questions_tell(struct mcph_client *c);
/* Nobody needs the answer any more: told, and freed. */
void mcph_question_over(struct mcph_client_question *q, const char *why);
void mcph_question_free(struct mcph_client_question *q);
/* The same for those that the server asked by requests, in the course of this call or
 * (NULL) of the session, or all there are. */
void mcph_questions_over(struct mcph_client *c, const struct mcph_operation *op, bool all,
                         const char *why);
/* The call has ended on a connection that goes on: those that were asked in its course
 * are cancelled, or refused, for the server may still wait for the answers. */
void mcph_questions_give_up(struct mcph_client *c, const struct mcph_operation *op);

/* The call was answered with a request for input.  False: it is about a task, and all of
 * it was answered before. */
bool mcph_rounds_asked(struct mcph_client *c, struct mcph_operation *op,
                       const struct mcph_rpc_answer *answer);
/* The server has taken the answers to what a task asked: not asked again. */
void mcph_rounds_taken(struct mcph_operation *op);
/* The call was refused until pages were opened, which somebody can be asked for. */
bool mcph_rounds_want_pages(const struct mcph_client *c,
                            const struct mcph_rpc_answer *answer);
void mcph_rounds_pages(struct mcph_client *c, struct mcph_operation *op,
                       const struct mcph_rpc_answer *answer);
void mcph_rounds_answered(struct mcph_client_question *q);
void mcph_rounds_refused(struct mcph_client_question *q, const char *message);
/* For an operation that has rounds: what the next one adds to params, and about how much
 * that is. */
int mcph_rounds_add(const struct mcph_operation *op, struct mcph_buf *buf);
size_t mcph_rounds_size(const struct mcph_operation *op);
void mcph_rounds_end(struct mcph_operation *op, const char *why);

#endif
