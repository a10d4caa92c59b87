/* SPDX-License-Identifier: MIT
 *
 * clientrig.h - a client on a memory transport, with the test as its server and its
 * owner, and a clock that moves only when told.
 */
#ifndef TESTS_PROTOCOL_CR_H
#define TESTS_PROTOCOL_CR_H

#include <check.h>

#include "client/client.h"
#include "support/memory.h"

#define CR_NOBODY    255
#define CR_LINES     512
#define CR_QUESTIONS 128

struct cr {
    struct mcph_core *core;
    struct mcph_client_spec spec; /* change it between cr_up and cr_start */
    struct mcph_client *client;
    struct mcph_transport *transport; /* the latest */
    struct mcph_transport *old[4];    /* those before */
    size_t n_old;
    bool web;                        /* a transport with streams, as HTTP is: see below */
    struct mcph_client_cache *cache; /* the client's part in it; the rig frees it */
    unsigned char place, who;        /* the digests' first bytes, or CR_NOBODY */
    bool manual_restart; /* else the restart event makes a fresh transport at once */
    bool free_in_event;  /* the next event frees the client */

    char *lines[CR_LINES]; /* what the client sent, in order */
    size_t n_lines, at;
    uint64_t line_streams[CR_LINES]; /* on the web, of each line */
    int line_kinds[CR_LINES];
    char *line_headers[CR_LINES]; /* "Name=value Name=value" */
    uint64_t given_up[CR_LINES];  /* streams that the client closed */
    size_t n_given_up;

    int ready, restarts, downs, listed, changed, logs, noises, peer_closed, gone;
    int n_changed[MCPH_LIST_KINDS];                       /* of `changed` */
    struct mcph_client_question *questions[CR_QUESTIONS]; /* NULL: over */
    int asked, over;
    char over_why[128];
    /* The latest of each kind; and the latest of all, borrowed. */
    struct mcph_client_list *lists[MCPH_LIST_KINDS], *list;
    mcphost_error *list_errors[MCPH_LIST_KINDS], *list_error;
    mcphost_error *error;                /* of down or restart */
    mcphost_error *sub_error;            /* of `subscribed` */
    char log[512], noise[512], odd[512]; /* odd: "kind: text" of the latest */
    int odds;
    /* of everything that happened, in order: "ready listed done:1 ..." */
    char story[4096];
};

extern struct cr cr;

void cr_up(void);   /* checked fixtures */
void cr_down(void); /* all freed; asserts that nothing is left in the core */

/* Makes transport and client and starts; the first message can be read then. */
void cr_start(void);
/* The client goes and another one starts; what happened is counted anew. */
void cr_another(void);
/* A fresh transport for a client that waits for one. */
void cr_restart(void);
void cr_turn(void);          /* until there is nothing to do */
void cr_advance(int64_t ms); /* the clock, then cr_turn */
int64_t cr_now(void);
/* The next line that the client sent, or NULL. */
const char *cr_sent(void);
const char *cr_next(void); /* the same, and there must be one */
/* The next line must be this one. */
void cr_expect(const char *line);
void cr_expect_nothing(void);
int cr_state(void);   /* MCPH_CLIENT_* */
size_t cr_open(void); /* operations in flight or queued */
const struct mcph_rpc_counters *cr_counters(void);
/* The server says one line; without and with cr_turn. */
void cr_put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cr_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cr_bytes(const char *data, size_t len);
/* The server's end. */
void cr_die(const char *reason, const char *tail);

/* ---- on the web: each message has a stream ----------------------------------------- */

uint64_t cr_stream(void);     /* of the line that cr_sent() gave last */
int cr_kind(void);            /* likewise: MCPH_SEND_* */
const char *cr_headers(void); /* likewise */
/* The server says a line on a stream, 0 being nobody's; the stream stays open. */
void cr_say_on(uint64_t stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, and the stream ends. */
void cr_answer(uint64_t stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A status with one header ("name: value", NULL: none) and a body, and the end. */
void cr_status(uint64_t stream, int code, const char *header, const char *body);
void cr_break(uint64_t stream, int code, const char *reason);

/* READY on a legacy server that speaks `version`, with tools; without a list. */
void cr_legacy(const char *version);
/* The same on a modern one. */
void cr_modern(void);
/* READY on a server of either era with these capabilities, an object; with lists and
 * subscriptions as cr.spec says. */
void cr_meet(bool modern, const char *capabilities);
/* {"_meta":...} of modern requests, its members. */
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
    int number; /* for the story */
    int done, progressed, code;
    double progress, total;
    char *result;
    mcphost_error *error;
    struct mcph_frame *frame;
    bool free_client;      /* done frees the client */
    struct cr_call *next;  /* done starts this one */
    struct mcph_list item; /* cr_down() does what cr_call_done() does */
};

/* Arguments NULL: none.  The timeout is 60 s. */
void cr_call_init(struct cr_call *call, int number, const char *tool,
                  const char *arguments);
void cr_call_progress(struct cr_call *call); /* it wants progress */
int cr_call_start(struct cr_call *call);     /* what mcph_operation_start said */
void cr_call_go(struct cr_call *call);       /* it must be taken; and cr_turn */
void cr_call_done(struct cr_call *call);     /* frees what it holds */
/* It has ended with this code, the server's name, and `part` in the message. */
void cr_call_failed(const struct cr_call *call, int code, const char *part);

/* The owner's answer to cr.questions[i], and cr_turn. */
void cr_question_answer(int i, const char *result);

#endif
