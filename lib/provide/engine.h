/* SPDX-License-Identifier: MIT
 *
 * engine.h - the inside of a connection, shared by the files that carry it out.
 *
 *   frame --receive.c--> message --method.c--> legacy, modern, pages, inbound, listen
 *                                                      |
 *                                            service --+--> reply.c --> transport
 *
 * A connection is freed in a job, never inside a call from below.  A function that has
 * sent a message or called the service checks conn_is_over() before it goes on to use the
 * connection.
 */
#ifndef MCPH_PROVIDE_ENGINE_H
#define MCPH_PROVIDE_ENGINE_H

#include "provide/connection.h"

#define CONN_MODERN     "2026-07-28"
#define CONN_LEGACY     "2025-11-25"
#define CONN_BATCHES    "2025-03-26" /* the only version with batches */
#define CONN_OLDEST     "2024-11-05"
#define CONN_META(name) "io.modelcontextprotocol/" name

/* Codes of our own (MCP leaves -32000 to -32019 to implementations); the SDKs use them in
 * the same way. */
enum {
    CONN_CODE_UNAVAILABLE = -32000,
    CONN_CODE_TIMEOUT = -32001,
    CONN_CODE_NO_RESOURCE = -32002, /* legacy */
    CONN_CODE_VERSION = -32022      /* modern */
};

#define CONN_ID_MAX  MCPH_FRAME_ID_MAX /* bytes of an id, or a progress token */
#define CONN_KEY_MAX (CONN_ID_MAX + 24)
#define CONN_URI_MAX ((size_t)8 * 1024)
/* Limit of bytes sent in answer to one message: a batch may ask for many answers. */
#define CONN_BATCH_COST ((size_t)4 * 1024 * 1024)
#define CONN_INBOX_MAX  4096u /* messages that wait to be looked at */
#define CONN_LEVEL_NONE (MCPHOST_MESSAGES_EMERGENCY + 1) /* no messages */

enum { CONN_UNDECIDED, CONN_ERA_LEGACY, CONN_ERA_MODERN };

enum {
    CONN_WAITING, /* for the service */
    CONN_OPEN,
    CONN_CLOSING, /* requests in flight are finished */
    CONN_OVER
};

/* A request of the client while it is being handled. */
struct request {
    const struct mcph_rpc_message *msg;
    struct mcph_span params; /* an object; p NULL: none */
    struct mcph_span meta;   /* its _meta, an object; p NULL: none */
    bool modern;
    unsigned asks; /* MCPHOST_REQUEST_* that the client answers in its course */
    int level;     /* modern: of the log messages that it wants */
};

/* A method that a client may call: a row of method.c. */
enum { CONN_IN_LEGACY = 1, CONN_IN_MODERN = 2, CONN_IN_BOTH = 3 };
struct conn_method {
    const char *name; /* on the wire */
    unsigned eras;
    unsigned needs; /* OFFERS_* */
    bool early;     /* may come before the era is decided, and does not decide it */
    int what;       /* MCPH_PROVIDE_* of a request; MCPHOST_FEATURE_* of a list */
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

/* The row of this method, a string token; NULL: there is none. */
const struct conn_method *mcph_conn_find_method(struct mcph_span name);
/* What the service offers at the moment: OFFERS_*. */
unsigned mcph_conn_offers(const struct mcph_connection *c);
/* Adds the object of capabilities. */
int mcph_conn_add_capabilities(unsigned offers, const char *version,
                               struct mcph_buf *buf);

/* ---- requests in flight (inbound.c) ------------------------------------------------ */

enum { INBOUND_WORK, INBOUND_LISTEN };

/* Under an id of the client's, until it is answered. */
struct inbound {
    struct mcph_list link; /* in connection->inbound, in the order of arrival */
    int kind;              /* INBOUND_* */
    bool bound;            /* it has an id, and is found by it */
    char id[CONN_ID_MAX];  /* the token, to be echoed */
    size_t id_len;
    char key[CONN_KEY_MAX]; /* type and value of the id */
    size_t key_len;
    uint64_t stream;
};

/* Binds it to the id: 0, MCPHOST_E_NOMEM. */
int mcph_inbound_bind(struct mcph_connection *c, struct inbound *in,
                      const struct request *req);
void mcph_inbound_unbind(struct mcph_connection *c, struct inbound *in);
/* The request of this id; NULL: none. */
struct inbound *mcph_inbound_find(struct mcph_connection *c,
                                  const struct mcph_rpc_id *id);
static inline struct mcph_span
inbound_id(const struct inbound *in)
{
    return mcph_span(in->id, in->id_len);
}

/* A request that the service carries out.  Modern: without an id while it is parked. */
struct work {
    struct inbound in;
    struct mcph_served served;
    const struct conn_method *method;
    bool modern;
    bool answered; /* the service has done with it; parked, the answer is kept */
    struct mcph_frame *frame; /* the spans of `served` and `params` point into it */
    struct mcph_span params;
    char *texts[3];          /* name, argument, value */
    size_t cost;             /* bytes that count */
    char token[CONN_ID_MAX]; /* of progress */
    size_t token_len;        /* 0: none */
    double progress;         /* the last that was told */
    int level;               /* of log messages that it wants */
    struct mcph_timer timer; /* its time; while parked that of the client */
    int64_t left;            /* of its time, while that stands still */
    struct mcph_list asks;   /* struct mcph_served_ask: open */
    size_t n_asks;
    unsigned can_ask; /* MCPHOST_REQUEST_* */
    uint64_t asked;   /* questions so far */
    struct parked *parked;
    struct mcph_job round; /* modern: questions are sent together */
    bool round_posted;
};

static inline struct work *
work_of(struct mcph_served *served)
{
    return MCPH_CONTAINER_OF(served, struct work, served);
}

/* tools/call, resources/read, prompts/get, completion/complete */
void mcph_inbound_request(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
/* notifications/cancelled */
void mcph_inbound_cancel(struct mcph_connection *c, const struct mcph_rpc_message *msg);
/* It is over without an answer, and the service is told. */
void mcph_work_abandon(struct work *work);
/* Reads progress token, log level and capabilities of a request; a request that was
 * parked has new ones when the client sends it again. */
void mcph_work_take_request(struct work *work, const struct request *req);
void mcph_work_start_clock(struct work *work);
void mcph_work_stop_clock(struct work *work);
/* The lowest level of log messages that anybody wants has changed, perhaps. */
void mcph_work_check_level(struct mcph_connection *c);
void mcph_inbound_abandon_all(struct mcph_connection *c);

/* ---- questions (asks.c) and parked requests (parked.c) ----------------------------- */

/* The requests that a client with these capabilities answers: MCPHOST_REQUEST_*. */
unsigned mcph_asks_of(struct mcph_span capabilities);
const char *mcph_asks_method(const struct mcph_served_ask *ask);
/* Adds the members of its params. */
int mcph_asks_add_params(const struct mcph_served_ask *ask, bool modern,
                         struct mcph_buf *buf);
/* They are not asked any more; nobody is told. */
void mcph_asks_forget(struct work *work);
/* Takes it out and tells its answer. */
void mcph_asks_settle(struct mcph_served_ask *ask, int code, struct mcph_span result,
                      mcphost_error *error);

struct parked;
/* Modern: the questions that were not sent become the answer, and the work is parked. */
void mcph_parked_ask(struct work *work);
void mcph_parked_run_round(struct mcph_job *job);
/* Whether a work that is parked is meant, which then goes on: true, and the request was
 * dealt with. */
bool mcph_parked_take_up(struct mcph_connection *c, const struct conn_method *method,
                         const struct request *req);
/* The service has answered a work that is parked: the answer is kept. */
void mcph_parked_keep(struct work *work, struct mcph_frame *frame,
                      struct mcph_span result, int code, mcphost_error *error);
/* Of a parked work: it is forgotten. */
void mcph_parked_drop(struct work *work);

/* ---- subscriptions (topic.c, listen.c) --------------------------------------------- */

struct listen {
    struct inbound in;
    unsigned kinds;         /* 1u << MCPHOST_FEATURE_*: changes that it hears of */
    struct mcph_vec topics; /* struct topic * */
};

struct topic {
    struct mcph_list link; /* in connection->all_topics */
    char *uri;
    size_t len;
    size_t n;    /* users: the session, and each listen */
    bool legacy; /* the session does */
};

/* Takes one more reference to the subscription of a URI: 0; MCPHOST_E_NOTFOUND,
 * MCPHOST_E_INVALID, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_topic_get(struct mcph_connection *c, struct mcph_span uri, struct topic **ret);
void mcph_topic_put(struct mcph_connection *c, struct topic *topic);
/* Those of the session end with it. */
void mcph_topics_end(struct mcph_connection *c);
void mcph_topic_subscribe(struct mcph_connection *c, const struct conn_method *method,
                          const struct request *req);
void mcph_topic_unsubscribe(struct mcph_connection *c, const struct conn_method *method,
                            const struct request *req);

void mcph_conn_listen_begin(struct mcph_connection *c, const struct conn_method *method,
                            const struct request *req);
/* The client does not want it any more. */
void mcph_conn_listen_end(struct mcph_connection *c, struct listen *listen);
/* We end all of them, with their results. */
void mcph_conn_listen_finish_all(struct mcph_connection *c);
bool mcph_conn_listen_has(const struct listen *listen, const struct topic *topic);

/* ---- lists (pages.c) --------------------------------------------------------------- */

/* Where the definitions of a list begin and end. */
struct listing {
    struct mcph_frame *frame; /* a reference; NULL: not listed yet */
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
/* Reads the members of _meta that a modern request must have.  False: it was answered
 * with an error. */
bool mcph_modern_read(struct mcph_connection *c, struct request *req);
bool mcph_modern_is(const struct request *req);
/* The version of the client is not spoken; it gets a list of those that are. */
void mcph_modern_refuse_version(struct mcph_connection *c, const struct request *req,
                                struct mcph_span version);
void mcph_legacy_add_versions(struct mcph_buf *buf); /* without the brackets */
/* MCPHOST_MESSAGES_* of a string token; 0: none of them. */
int mcph_legacy_level_of(struct mcph_span name);
const char *mcph_legacy_level_name(int level);

/* ---- messages for a client that reads slowly (outbox.c) ---------------------------- */

struct outbox {
    struct mcph_list items; /* struct outbox_item, in order */
    size_t n, bytes;
    struct mcph_buf buf; /* a message that is being built */
    struct mcph_timer timer;
    size_t queued; /* at the transport, when that was looked at last */
    int64_t moved; /* when it was less than before */
};

int mcph_outbox_init(struct mcph_connection *c); /* 0, MCPHOST_E_NOMEM */
void mcph_outbox_done(struct mcph_connection *c);
/* Whether messages are to wait here.  Log messages and progress are dropped meanwhile. */
bool mcph_outbox_is_due(const struct mcph_connection *c);
/* A buffer for one; then mcph_outbox_commit(): 0, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
struct mcph_buf *mcph_outbox_begin(struct mcph_connection *c);
int mcph_outbox_commit(struct mcph_connection *c, int kind, uint64_t stream);

/* ---- the connection ---------------------------------------------------------------- */

struct mcph_connection {
    struct mcph_core *core;
    struct mcph_connection_spec spec; /* its name is ours */
    struct mcph_transport *transport; /* NULL: not used any more */
    struct mcph_service *service;
    const struct mcph_connection_events *events;
    void *arg;
    int state; /* CONN_WAITING, ... */
    int era;
    const char *version;   /* static; NULL: not agreed on yet */
    bool initialized;      /* legacy: the client has said so */
    unsigned asks;         /* legacy: MCPHOST_REQUEST_* that the client answers */
    unsigned announced;    /* OFFERS_* */
    mcphost_error *broken; /* why the service cannot be used */
    mcphost_error *reason; /* of the end */
    mcphost_error *deaf;   /* the client sends nothing more: why it will end */
    bool freed, is_up;
    struct mcph_job end_job;
    bool end_posted;
    struct mcph_timer start_timer, drain_timer;

    struct mcph_rpc rpc;    /* takes messages apart; our questions wait there */
    struct mcph_list inbox; /* struct inbox_item: not looked at yet (receive.c) */
    size_t n_inbox, inbox_bytes;
    struct mcph_job inbox_job;
    bool inbox_posted;
    struct outbox outbox;
    uint64_t stream;     /* of the message that is looked at */
    size_t sending_from; /* where the message under construction begins in the buffer */
    struct mcph_meter meter;
    size_t spent_before; /* the message that is looked at */
    size_t n_garbage;

    struct mcph_list inbound; /* struct inbound */
    struct mcph_map by_id;
    size_t n_works, n_listens, bytes;
    struct mcph_list parked; /* struct parked */
    struct mcph_map topics;  /* struct topic, by URI */
    struct mcph_list all_topics;
    int level;      /* legacy: of log messages */
    int told_level; /* the level that the service was told */
    struct listing listings[MCPH_PROVIDE_FEATURES];
};

static inline bool
conn_is_over(const struct mcph_connection *c)
{
    return c->state == CONN_OVER;
}

/* Ends it: nothing is sent or taken any more; a job does the rest. */
void mcph_conn_end(struct mcph_connection *c, int code, const char *why);
/* The same; takes the reference. */
void mcph_conn_end_with(struct mcph_connection *c, mcphost_error *reason);
/* To be called when a request has ended: a close that waited for it alone goes on. */
void mcph_conn_check_drain(struct mcph_connection *c);

/* The client sends nothing more: what it has asked is answered, then it ends. */
void mcph_conn_half_closed(struct mcph_connection *c, mcphost_error *reason);

/* Era and version are agreed on. */
void mcph_conn_ready(struct mcph_connection *c);

/* ---- taking in (receive.c) --------------------------------------------------------- */

extern const struct mcph_transport_user mcph_conn_receive_user;
void mcph_conn_receive_init(struct mcph_connection *c);
void mcph_conn_receive_done(struct mcph_connection *c);
/* Handles the messages that wait in the inbox, as soon as that is allowed. */
void mcph_conn_receive_go_on(struct mcph_connection *c);

/* ---- sending (reply.c) -------------------------------------------------------------
 * A message that cannot be sent ends the connection: an answer must not get lost. */

/* Gives the transport's buffer, to which the caller adds one message before it calls
 * mcph_reply_commit().  Returns false if the connection has ended or is about to end. */
bool mcph_reply_begin(struct mcph_connection *c, struct mcph_buf **ret_buf);
/* `r` is the result of building the message. */
void mcph_reply_commit(struct mcph_connection *c, struct mcph_buf *buf, int r, int kind,
                       uint64_t stream);
/* An answer up to the members of its result; a modern one gets a resultType. */
void mcph_reply_open(struct mcph_buf *buf, struct mcph_span id, bool modern);
/* The members ttlMs and cacheScope. */
void mcph_reply_add_cache(struct mcph_buf *buf, int64_t ttl);
/* A whole result, an object.  Members that a modern result must have are added. */
void mcph_reply_result(struct mcph_connection *c, const struct inbound *in, bool modern,
                       bool cacheable, struct mcph_span result);
/* One without members of its own. */
void mcph_reply_nothing(struct mcph_connection *c, const struct request *req);
void mcph_reply_error_on(struct mcph_connection *c, struct mcph_span id, int64_t code,
                         const char *message, struct mcph_span data, uint64_t stream);
void mcph_reply_refuse(struct mcph_connection *c, const struct request *req, int64_t code,
                       const char *message);
/* `params` are members without braces; p NULL: none.  `tag`: the id of a listen, which
 * goes into _meta, or p NULL. */
void mcph_reply_notify(struct mcph_connection *c, const char *method,
                       struct mcph_span params, struct mcph_span tag, uint64_t stream);

#endif
