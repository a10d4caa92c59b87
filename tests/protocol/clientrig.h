/* SPDX-License-Identifier: MIT
 *
 * clientrig.h - a test rig for a client: a transport in memory, with streams if cr.web is
 * set, the test as server and as owner of the client, and a clock that the test moves.
 *
 * A legacy server speaks a protocol version before 2026-07-28, and a session with this
 * server begins with initialize.  A modern server speaks version 2026-07-28, and answers
 * the probe (the request server/discover).
 */
#ifndef TESTS_PROTOCOL_CR_H
#define TESTS_PROTOCOL_CR_H

#include <check.h>

#include "client/client.h"
#include "support/memory.h"

#define CR_NOBODY    255 /* value of cr.who if the caller identity is unknown */
#define CR_LINES     512
#define CR_QUESTIONS 128

struct cr {
    struct mcph_core *core;
    struct mcph_client_spec spec; /* may be changed between cr_up and cr_start */
    struct mcph_client *client;
    struct mcph_transport *transport; /* the transport in use */
    struct mcph_transport *old[4];    /* transports of earlier connections */
    size_t n_old;
    bool web;                        /* the transport has streams, as in HTTP */
    struct mcph_client_cache *cache; /* the cache of all clients, or NULL; freed by
                                      * cr_down() */
    unsigned char place, who;        /* first bytes of the cache place and of the
                                      * caller identity */
    bool manual_restart; /* if false, the restart event makes a new transport at once */
    bool free_in_event;  /* if set, the next event frees the client */

    char *lines[CR_LINES]; /* the lines that the client sent, in order */
    size_t n_lines, at;
    uint64_t line_streams[CR_LINES]; /* the stream of each line, if `web` is set */
    int line_kinds[CR_LINES];
    char *line_headers[CR_LINES]; /* the headers of each line, as "Name=value
                                   * Name=value" */
    uint64_t given_up[CR_LINES];  /* streams that the client closed */
    size_t n_given_up;

    int ready, restarts, downs, listed, changed, logs, noises, peer_closed, gone;
    int n_changed[MCPH_LIST_KINDS];                       /* how often each kind of
                                                           * list changed */
    struct mcph_client_question *questions[CR_QUESTIONS]; /* NULL for a question that
                                                           * cr_question_answer() has
                                                           * answered or that is over */
    int asked, over;
    char over_why[128];
    /* `lists` and `list_errors` hold the last list and error of each kind.  `list` and
     * `list_error` are the latest of all kinds.  They borrow their references from
     * `lists` and `list_errors`. */
    struct mcph_client_list *lists[MCPH_LIST_KINDS], *list;
    mcphost_error *list_errors[MCPH_LIST_KINDS], *list_error;
    mcphost_error *error;                /* reason of the last `down` or `restart`
                                          * event */
    mcphost_error *sub_error;            /* error of the last refused subscription */
    char log[512], noise[512], odd[512]; /* `odd` is the last odd event, as "kind:
                                          * text" */
    int odds;
    /* all events in order: "ready listed done:1 ..." */
    char story[4096];
};

extern struct cr cr;

void cr_up(void);   /* sets up `cr`; for a checked fixture */
void cr_down(void); /* frees everything, also the contents of all calls */

/* Makes a transport and a client, starts the client and calls cr_turn().  Then cr_sent()
 * returns the client's first message. */
void cr_start(void);
/* Starts a new client in place of the old one.  Forgets the lines and the story, and
 * resets `ready`, `listed`, `changed`, `downs` and `restarts`. */
void cr_another(void);
/* Starts the client again on a new transport, after its restart event. */
void cr_restart(void);
void cr_turn(void);          /* dispatches until nothing is left to do */
void cr_advance(int64_t ms); /* moves the clock and calls cr_turn() */
int64_t cr_now(void);
/* Returns the next line that the client sent, or NULL. */
const char *cr_sent(void);
const char *cr_next(void); /* returns the next line; fails if there is none */
/* Fails unless `line` is the next line that the client sent. */
void cr_expect(const char *line);
void cr_expect_nothing(void);
int cr_state(void);   /* returns MCPH_CLIENT_* */
size_t cr_open(void); /* returns how many operations are in flight or queued */
const struct mcph_rpc_counters *cr_counters(void);
/* Sends one line from the server.  cr_say() also calls cr_turn(). */
void cr_put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cr_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cr_bytes(const char *data, size_t len);
/* Ends the server with this reason and this tail of its stderr.  `tail` may be NULL.
 * Then calls cr_turn(). */
void cr_die(const char *reason, const char *tail);

/* ---- if cr.web is set: each message has a stream ----------------------------------- */

uint64_t cr_stream(void);     /* returns the stream of the line read last */
int cr_kind(void);            /* returns MCPH_SEND_* of the line read last */
const char *cr_headers(void); /* returns the headers of the line read last */
/* Sends a line from the server on a stream, and leaves the stream open.  Stream 0 is the
 * common stream.  It belongs to no request. */
void cr_say_on(uint64_t stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends a line from the server on a stream, and then ends the stream. */
void cr_answer(uint64_t stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends a status from the server, with one header ("name: value") and a body.  `header`
 * and `body` may be NULL.  The status ends the stream unless `stream` is 0. */
void cr_status(uint64_t stream, int code, const char *header, const char *body);
void cr_break(uint64_t stream, int code, const char *reason);

/* Starts a client and answers its handshake as a legacy server of this version.  The
 * server offers tools and logging.  The client becomes READY and reads no list. */
void cr_legacy(const char *version);
/* Starts a client and answers its probe as a modern server that offers tools.  The client
 * becomes READY and reads no list. */
void cr_modern(void);
/* Starts a client and answers its handshake as a server with these capabilities, a JSON
 * object.  After READY, the client sends the requests for lists and subscriptions that
 * cr.spec asks for. */
void cr_meet(bool modern, const char *capabilities);
/* The member _meta of modern requests.  Its last brace is missing, so that members can
 * follow. */
#define CR_META                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","           \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"chost\",\"version\":\"0.3\"}," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"

#define CR_PROBE(n)                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-" n "\",\"method\":\"server/discover\"," \
    "\"params\":{" CR_META "}}}"
#define CR_INIT(id)                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\",\"params\":{" \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":"    \
    "{\"name\":\"chost\",\"version\":\"0.3\"}}}"
#define CR_INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define CR_DISCOVERED(n)                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":\"probe-" n "\",\"result\":{\"resultType\":"          \
    "\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":" \
    "{}}}}"
#define CR_INIT_RESULT(id, version)                                                     \
    "{\"result\":{\"protocolVersion\":\"" version "\",\"capabilities\":{\"tools\":{}}," \
    "\"serverInfo\":{\"name\":\"t\",\"version\":\"1\"}},\"jsonrpc\":\"2.0\",\"id\":" id \
    "}"
#define CR_REFUSED(id)                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}"

/* ---- calls ------------------------------------------------------------------------- */

struct cr_call {
    struct mcph_operation call;
    int number; /* names the call in the story */
    int done, progressed, code;
    double progress, total;
    char *result;
    mcphost_error *error;
    struct mcph_frame *frame;
    bool free_client;      /* if set, the end of the call frees the client */
    struct cr_call *next;  /* if set, the end of the call starts this call */
    struct mcph_list item; /* links the call into the list that cr_down() frees */
};

/* Initializes a call of `tool` with a timeout of 60 s.  If `arguments` is NULL, the call
 * has no arguments. */
void cr_call_init(struct cr_call *call, int number, const char *tool,
                  const char *arguments);
void cr_call_progress(struct cr_call *call); /* asks for progress */
int cr_call_start(struct cr_call *call);     /* returns the result of
                                              * mcph_operation_start() */
void cr_call_go(struct cr_call *call);       /* starts the call and calls cr_turn();
                                              * fails if the start fails */
void cr_call_done(struct cr_call *call);     /* frees the contents of the call */
/* Fails unless the call has ended with this code and an error that names the server and
 * contains `part`. */
void cr_call_failed(const struct cr_call *call, int code, const char *part);

/* Answers cr.questions[i] as the owner of the client, and calls cr_turn(). */
void cr_question_answer(int i, const char *result);

#endif
