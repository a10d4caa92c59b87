/* SPDX-License-Identifier: MIT
 *
 * engine.h - declarations shared by the files that implement a connection.
 *
 *   frame --receive.c--> message --method.c--> legacy, modern, pages, inbound, listen
 *                                                      |
 *                                            service --+--> reply.c --> transport
 *
 * A "work" is one request that the service carries out.  A "listen" is one request
 * subscriptions/listen of a modern client.
 *
 * A function that sends a message or calls the service may end the connection.  The
 * memory of an ended connection stays valid until the functions of lib/provide return,
 * because a later job frees the connection.  After a call of a function of this kind,
 * check conn_is_over() before you use the connection.
 */
#ifndef MCPH_PROVIDE_ENGINE_H
#define MCPH_PROVIDE_ENGINE_H

#include "provide/connection.h"

#define CONN_MODERN     "2026-07-28"
#define CONN_LEGACY     "2025-11-25"
#define CONN_BATCHES    "2025-03-26" /* the only version with batches */
#define CONN_OLDEST     "2024-11-05"
#define CONN_META(name) "io.modelcontextprotocol/" name

/* The JSON-RPC error codes of lib/provide.  MCP leaves -32000 to -32019 to
 * implementations.  The MCP SDKs use -32000 for a closed connection and -32001 for a
 * timeout. */
enum {
    CONN_CODE_UNAVAILABLE = -32000,
    CONN_CODE_TIMEOUT = -32001,
    CONN_CODE_NO_RESOURCE = -32002, /* legacy era only */
    CONN_CODE_VERSION = -32022      /* modern era only */
};

#define CONN_ID_MAX  MCPH_FRAME_ID_MAX /* limit on bytes of an id or a progress token */
#define CONN_KEY_MAX (CONN_ID_MAX + 24)
#define CONN_URI_MAX ((size_t)8 * 1024)
/* Limit on the cost of one message, in bytes of answers and of lists that were read.  A
 * batch could otherwise ask for many answers. */
#define CONN_BATCH_COST ((size_t)4 * 1024 * 1024)
#define CONN_INBOX_MAX  4096u /* limit on messages in the inbox */
#define CONN_LEVEL_NONE (MCPHOST_MESSAGES_EMERGENCY + 1) /* no log messages are wanted */

enum { CONN_UNDECIDED, CONN_ERA_LEGACY, CONN_ERA_MODERN };

enum {
    CONN_WAITING, /* the service is not up yet */
    CONN_OPEN,
    CONN_CLOSING, /* new works and listens are refused; open works are finished */
    CONN_OVER
};

/* A request of the client while it is being handled. */
struct request {
    const struct mcph_rpc_message *msg;
    struct mcph_span params; /* an object; p may be NULL */
    struct mcph_span meta;   /* _meta of the params, an object; p may be NULL */
    bool modern;
    unsigned asks; /* MCPHOST_REQUEST_* that the client answers during the request */
    int level;     /* modern era: the lowest MCPHOST_MESSAGES_* that the client wants */
};

enum { CONN_IN_LEGACY = 1, CONN_IN_MODERN = 2, CONN_IN_BOTH = 3 };
/* A method that a client may call: a row of method.c. */
struct conn_method {
    const char *name; /* name of the method on the wire */
    unsigned eras;
    unsigned needs; /* one of OFFERS_* that the service must offer; 0 for none */
    bool early;     /* allowed before the era is decided */
    int what;       /* MCPH_PROVIDE_* of a request, or MCPHOST_FEATURE_* of a list */
    void (*handle)(struct mcph_connection *c, const struct conn_method *method,
                   const struct request *req);
};

enum {
    OFFERS_TOOLS = 1,
    OFFERS_RESOURCES = 2,
    OFFERS_PROMPTS = 4,
    OFFERS_COMPLETION = 8,
    OFFERS_LOGGING = 16,
    OFFERS_SUBSCRIBE = 32
};

/* Returns the row of the method whose name is the JSON string `name`, or NULL if no
 * method has the name. */
const struct conn_method *mcph_conn_find_method(struct mcph_span name);
/* Returns the OFFERS_* that the service currently offers. */
unsigned mcph_conn_offers(const struct mcph_connection *c);
/* Adds the JSON object of server capabilities. */
int mcph_conn_add_capabilities(unsigned offers, const char *version,
                               struct mcph_buf *buf);

/* ---- requests in flight (inbound.c) ------------------------------------------------ */

enum { INBOUND_WORK, INBOUND_LISTEN };

/* A request of the client that has not ended yet. */
struct inbound {
    struct mcph_list link; /* link in connection->inbound, in the order of arrival */
    int kind;              /* one of INBOUND_* */
    bool bound;            /* connection->by_id has the request under its id */
    char id[CONN_ID_MAX];  /* JSON token, which is sent back unchanged */
    size_t id_len;
    char key[CONN_KEY_MAX]; /* type and value of the id */
    size_t key_len;
    uint64_t stream;
};

/* Enters the request in connection->by_id.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_inbound_bind(struct mcph_connection *c, struct inbound *in,
                      const struct request *req);
void mcph_inbound_unbind(struct mcph_connection *c, struct inbound *in);
/* Returns the request in flight with this id, or NULL if no request has the id. */
struct inbound *mcph_inbound_find(struct mcph_connection *c,
                                  const struct mcph_rpc_id *id);
static inline struct mcph_span
inbound_id(const struct inbound *in)
{
    return mcph_span(in->id, in->id_len);
}

/* A request that the service carries out.  While a modern request is parked,
 * connection->by_id does not have the request. */
struct work {
    struct inbound in;
    struct mcph_served served;
    const struct conn_method *method;
    bool modern;
    bool answered;            /* the service has answered, and `parked` keeps the
                               * answer */
    struct mcph_frame *frame; /* frame into which `served` and `params` point */
    struct mcph_span params;
    char *texts[3];          /* copies of name, argument and value */
    size_t cost;             /* bytes that count toward max_bytes */
    char token[CONN_ID_MAX]; /* the progress token */
    size_t token_len;        /* length of the token; 0 if there is none */
    double progress;         /* the progress that was sent last */
    int level;               /* modern era: the lowest MCPHOST_MESSAGES_* wanted */
    struct mcph_timer timer; /* runs for the request's time limit; while the request is
                              * parked, runs for the client's time limit */
    int64_t left;            /* ms left for the request when the timer last started or
                              * stopped; -1 means no limit */
    struct mcph_list asks;   /* open questions, a list of struct mcph_served_ask */
    size_t n_asks;
    unsigned can_ask; /* MCPHOST_REQUEST_* that the client answers */
    uint64_t asked;   /* number of questions so far */
    struct parked *parked;
    struct mcph_job round; /* modern era: job that sends all new questions together */
    bool round_posted;
};

static inline struct work *
work_of(struct mcph_served *served)
{
    return MCPH_CONTAINER_OF(served, struct work, served);
}

/* Handles tools/call, resources/read, prompts/get and completion/complete. */
void mcph_inbound_request(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
/* Handles notifications/cancelled. */
void mcph_inbound_cancel(struct mcph_connection *c, const struct mcph_rpc_message *msg);
/* Ends a work without an answer to the client and frees the work.  Notifies the service,
 * unless the service has answered. */
void mcph_work_abandon(struct work *work);
/* Reads progress token, log level and capabilities of a request.  Call this function
 * again when the client sends a parked request again. */
void mcph_work_take_request(struct work *work, const struct request *req);
void mcph_work_start_clock(struct work *work);
void mcph_work_stop_clock(struct work *work);
/* Passes the lowest wanted level of log messages to the service, if this level has
 * changed. */
void mcph_work_check_level(struct mcph_connection *c);
void mcph_inbound_abandon_all(struct mcph_connection *c);

/* ---- questions (asks.c) and parked requests (parked.c) ----------------------------- */

/* Returns the MCPHOST_REQUEST_* that a client with these capabilities answers. */
unsigned mcph_asks_of(struct mcph_span capabilities);
/* Adds the members of the question's params. */
int mcph_asks_add_params(const struct mcph_served_ask *ask, bool modern,
                         struct mcph_buf *buf);
/* Discards all open questions of a work without an answer to the service, and stops the
 * work's timer.  A legacy client gets a cancellation of each question. */
void mcph_asks_forget(struct work *work);
/* Ends a question and reports its answer to the service. */
void mcph_asks_settle(struct mcph_served_ask *ask, int code, struct mcph_span result,
                      mcphost_error *error);

struct parked;
/* Posts a job that answers a modern request with all questions that were not sent yet.
 * The job parks the work.  If the work is parked already, posts no job: the questions
 * then wait until the client sends the request again. */
void mcph_parked_ask(struct work *work);
void mcph_parked_run_round(struct mcph_job *job);
/* Continues a parked work with a request that has a requestState.  Returns true if the
 * request was handled, even by an error.  Returns false if the request is not modern or
 * has no requestState. */
bool mcph_parked_take_up(struct mcph_connection *c, const struct conn_method *method,
                         const struct request *req);
/* Keeps the answer to a parked work until the client sends the request again, at most for
 * spec.ask_ms. */
void mcph_parked_keep(struct work *work, struct mcph_frame *frame,
                      struct mcph_span result, int code, mcphost_error *error);
/* Frees the parked state of a work.  Does nothing if the work is not parked. */
void mcph_parked_drop(struct work *work);

/* ---- subscriptions (topic.c, listen.c) --------------------------------------------- */

struct listen {
    struct inbound in;
    unsigned kinds;         /* lists whose changes are announced, 1u <<
                             * MCPHOST_FEATURE_* */
    struct mcph_vec topics; /* the subscribed struct topic * */
};

struct topic {
    struct mcph_list link; /* link in connection->all_topics */
    char *uri;
    size_t len;
    size_t n;    /* number of users: the legacy session, and each listen */
    bool legacy; /* the legacy session is a user */
};

/* Adds a user to the subscription of a URI.  The first user makes the connection
 * subscribe to the URI at the service.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_topic_get(struct mcph_connection *c, struct mcph_span uri, struct topic **ret);
void mcph_topic_put(struct mcph_connection *c, struct topic *topic);
/* Drops the subscriptions of a legacy session that ends. */
void mcph_topics_end(struct mcph_connection *c);
void mcph_topic_subscribe(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
void mcph_topic_unsubscribe(struct mcph_connection *c, const struct conn_method *method,
                            const struct request *req);

void mcph_conn_listen_begin(struct mcph_connection *c, const struct conn_method *method,
                            const struct request *req);
/* Ends a listen.  Sends no result. */
void mcph_conn_listen_end(struct mcph_connection *c, struct listen *listen);
/* Ends all listens with their results. */
void mcph_conn_listen_finish_all(struct mcph_connection *c);
bool mcph_conn_listen_has(const struct listen *listen, const struct topic *topic);

/* ---- lists (pages.c) --------------------------------------------------------------- */

/* The index of a list: where its definitions begin and end. */
struct listing {
    struct mcph_frame *frame; /* a reference; NULL if the list was not read yet */
    struct page_item *items;
    size_t n;
};

void mcph_conn_pages_list(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
void mcph_conn_pages_done(struct mcph_connection *c);

/* ---- eras (legacy.c, modern.c) ----------------------------------------------------- */

void mcph_legacy_initialize(struct mcph_connection *c, const struct conn_method *method,
                            const struct request *req);
void mcph_legacy_ping(struct mcph_connection *c, const struct conn_method *method,
                      const struct request *req);
void mcph_legacy_set_level(struct mcph_connection *c, const struct conn_method *method,
                           const struct request *req);
void mcph_modern_discover(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
/* Reads the protocol version, the client's capabilities and the log level from the _meta
 * of a modern request.  Returns false if the request was answered with an error. */
bool mcph_modern_read(struct mcph_connection *c, struct request *req);
bool mcph_modern_is(const struct request *req);
/* Refuses the client's version, with a list of the supported versions. */
void mcph_modern_refuse_version(struct mcph_connection *c, const struct request *req,
                                struct mcph_span version);
void mcph_legacy_add_versions(struct mcph_buf *buf); /* adds strings, but no brackets */
/* Returns MCPHOST_MESSAGES_* for the name of a level.  `name` is a JSON string in quotes.
 * Returns 0 for an unknown name. */
int mcph_legacy_level_of(struct mcph_span name);
const char *mcph_legacy_level_name(int level);

/* ---- messages for a client that reads slowly (outbox.c) ---------------------------- */

struct outbox {
    struct mcph_list items; /* list of struct outbox_item, in the order of sending */
    size_t n, bytes;
    struct mcph_buf buf; /* the message that is being built */
    struct mcph_timer timer;
    size_t queued; /* bytes in the transport's queue at the last check */
    int64_t moved; /* time when `queued` last decreased, or when the first message came */
};

int mcph_outbox_init(struct mcph_connection *c); /* returns 0 or MCPHOST_E_NOMEM */
void mcph_outbox_done(struct mcph_connection *c);
/* Returns true if new messages must wait in the outbox.  The connection then drops log
 * messages and progress. */
bool mcph_outbox_is_due(const struct mcph_connection *c);
/* Returns a buffer for one message.  mcph_outbox_commit() then queues the message and
 * returns 0 or MCPHOST_E_NOMEM. */
struct mcph_buf *mcph_outbox_begin(struct mcph_connection *c);
int mcph_outbox_commit(struct mcph_connection *c, int kind, uint64_t stream);

/* ---- the connection ---------------------------------------------------------------- */

struct mcph_connection {
    struct mcph_core *core;
    struct mcph_connection_spec spec; /* `name` is a copy */
    struct mcph_transport *transport; /* NULL after the end of the connection */
    struct mcph_service *service;
    const struct mcph_connection_events *events;
    void *arg;
    int state; /* CONN_WAITING to CONN_OVER */
    int era;
    const char *version;   /* a static string; NULL if not agreed on yet */
    bool initialized;      /* legacy era: notifications/initialized has come */
    unsigned asks;         /* legacy era: MCPHOST_REQUEST_* that the client answers */
    unsigned announced;    /* legacy era: OFFERS_* in the answer to initialize */
    mcphost_error *broken; /* why the service cannot be used, or NULL */
    mcphost_error *reason; /* why the connection ended */
    mcphost_error *deaf;   /* why the client sends nothing more, or NULL */
    bool freed, is_up;
    struct mcph_job end_job;
    bool end_posted;
    struct mcph_timer start_timer, drain_timer;

    struct mcph_rpc rpc;    /* parses messages; holds the questions to the client */
    struct mcph_list inbox; /* list of struct inbox_item, not handled yet (receive.c) */
    size_t n_inbox, inbox_bytes;
    struct mcph_job inbox_job;
    bool inbox_posted;
    struct outbox outbox;
    uint64_t stream;     /* stream of the message that is being handled */
    size_t sending_from; /* where the message that is being built begins in its buffer */
    struct mcph_meter meter;
    size_t spent_before; /* meter.spent before the message that is being handled */
    size_t n_garbage;

    struct mcph_list inbound; /* list of struct inbound */
    struct mcph_map by_id;
    size_t n_works, n_listens, bytes;
    struct mcph_list parked; /* list of struct parked */
    struct mcph_map topics;  /* map from URI to struct topic */
    struct mcph_list all_topics;
    int level;      /* legacy era: lowest MCPHOST_MESSAGES_* that the client wants */
    int told_level; /* the level that was last passed to the service */
    struct listing listings[MCPH_PROVIDE_FEATURES];
};

static inline bool
conn_is_over(const struct mcph_connection *c)
{
    return c->state == CONN_OVER;
}

/* Ends the connection.  Sending and receiving stop at once.  A job then ends the works
 * and reports the end to the owner. */
void mcph_conn_end(struct mcph_connection *c, int code, const char *why);
/* Ends the connection as mcph_conn_end() does, with an error as the reason.  Takes over
 * the reference to `reason`. */
void mcph_conn_end_with(struct mcph_connection *c, mcphost_error *reason);
/* Ends a connection that is closing or whose client sends no more messages.  Does nothing
 * while messages or works remain for which the connection must wait.  Call this function
 * when a work has ended. */
void mcph_conn_check_drain(struct mcph_connection *c);

/* Records that the client sends no more messages.  The connection ends when the client's
 * requests are answered, or when drain_timer is due. */
void mcph_conn_half_closed(struct mcph_connection *c, mcphost_error *reason);

/* Reports to the owner that era and version are agreed on. */
void mcph_conn_ready(struct mcph_connection *c);

/* ---- receiving (receive.c) --------------------------------------------------------- */

extern const struct mcph_transport_user mcph_conn_receive_user;
void mcph_conn_receive_init(struct mcph_connection *c);
void mcph_conn_receive_done(struct mcph_connection *c);
/* Posts a job that handles the messages in the inbox, unless the outbox holds
 * messages. */
void mcph_conn_receive_go_on(struct mcph_connection *c);

/* ---- sending (reply.c) -------------------------------------------------------------
 * If a message cannot be sent, the connection ends, because an answer must not get
 * lost. */

/* Gets a buffer of the transport or of the outbox.  The caller adds one message to it and
 * then calls mcph_reply_commit().  Returns false if the connection has ended or is about
 * to end. */
bool mcph_reply_begin(struct mcph_connection *c, struct mcph_buf **ret_buf);
/* Sends the message, or puts it into the outbox.  `r` is the result of building the
 * message.  An error ends the connection. */
void mcph_reply_commit(struct mcph_connection *c, struct mcph_buf *buf, int r, int kind,
                       uint64_t stream);
/* Writes the beginning of a response, up to the members of its result.  A modern result
 * gets a resultType. */
void mcph_reply_open(struct mcph_buf *buf, struct mcph_span id, bool modern);
/* Adds the members ttlMs and cacheScope. */
void mcph_reply_add_cache(struct mcph_buf *buf, int64_t ttl);
/* Sends a whole result.  `result` is an object.  A modern result gets the required
 * members that it lacks.  In place of a result larger than `max_result`, or a modern
 * result whose resultType is not "complete", sends an error. */
void mcph_reply_result(struct mcph_connection *c, const struct inbound *in, bool modern,
                       bool cacheable, struct mcph_span result);
/* Sends a result without members of its own. */
void mcph_reply_nothing(struct mcph_connection *c, const struct request *req);
void mcph_reply_error_on(struct mcph_connection *c, struct mcph_span id, int64_t code,
                         const char *message, struct mcph_span data, uint64_t stream);
void mcph_reply_refuse(struct mcph_connection *c, const struct request *req, int64_t code,
                       const char *message);
/* Sends a notification.  `params` has members without braces.  `tag` is the id of the
 * listen to which the notification belongs; it goes into the notification's _meta.  The p
 * of `params` and the p of `tag` may be NULL. */
void mcph_reply_notify(struct mcph_connection *c, const char *method,
                       struct mcph_span params, struct mcph_span tag, uint64_t stream);

#endif
