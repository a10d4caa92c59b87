/* SPDX-License-Identifier: MIT
 *
 * servrig.h - a test rig for a server connection: a memory transport, the test as client
 * and as provider, and a clock that the test moves.
 */
#ifndef TESTS_PROTOCOL_SR_H
#define TESTS_PROTOCOL_SR_H

#include <check.h>

#include "provide/connection.h"
#include "support/memory.h"

#define SV_LINES 4096
#define SV_CALLS 300

struct sv {
    struct mcph_core *core;
    struct mcph_connection_spec spec; /* may be changed between sv_up and sv_start */
    mcphost_provider *provider;
    struct mcph_transport *transport;
    struct mcph_connection *connection;
    bool free_in_event; /* if set, the next event frees the connection */
    int ready, overs, setups, teardowns, peer_closed;
    mcphost_error *reason; /* why the connection ended */

    char *lines[SV_LINES]; /* the lines that the server sent, in order */
    size_t n_lines, at;

    /* Calls of "slow" and "ask", and completions of the value "?", in the order of their
     * arrival.  A call is missing if the library refused its last question at once.  An
     * entry is NULL after sv_answer() has answered the call. */
    mcphost_provider_call *calls[SV_CALLS];
    size_t n_calls;
    int unwanted;
    const char *ask_params; /* params of the questions that "ask" asks */
    int ask_kind, ask_code, asked, ask_refused;
    unsigned questions; /* how many questions "ask" asks at once; 0 means one */
    char answer[512], ask_error[256];
    int setup_code; /* the result of the setup function */
};

extern struct sv sv;

/* The provider has the tools "echo", "slow" and "ask", a resource "mem://a", a template
 * "mem://t/{id}" and a prompt "greet" with completions. */
#define SV_ECHO                                                               \
    "{\"name\":\"echo\",\"description\":\"Says it again.\",\"inputSchema\":{" \
    "\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},"    \
    "\"required\":[\"text\"]}}"
#define SV_SLOW     "{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}}"
#define SV_ASK      "{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\"}}"
#define SV_RESOURCE "{\"uri\":\"mem://a\",\"name\":\"a\",\"mimeType\":\"text/plain\"}"
#define SV_TEMPLATE "{\"uriTemplate\":\"mem://t/{id}\",\"name\":\"t\"}"
#define SV_PROMPT \
    "{\"name\":\"greet\",\"arguments\":[{\"name\":\"who\",\"required\":true}]}"
#define SV_TOOLS "[" SV_ECHO "," SV_SLOW "," SV_ASK "]"

#define SV_META                                                              \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
/* Makes a `_meta` member with these client capabilities.  `more` holds further members,
 * each with a comma in front. */
#define SV_META_WITH(capabilities, more)                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":" capabilities more "}"

void sv_up(void);            /* makes a core, a spec and the provider */
void sv_start(void);         /* starts the connection */
void sv_start_quietly(void); /* starts the connection without a turn of the loop */
void sv_start_with(struct mcph_service *service);
void sv_start_idle(void); /* starts the connection with a service that never becomes
                           * ready */
/* Starts a connection over one of two joined transports.  Opens the other transport, the
 * client's, and returns it.  The caller owns the returned transport. */
struct mcph_transport *sv_start_joined(void);
void sv_down(void);
void sv_turn(void);
void sv_advance(int64_t ms);

/* Sends a line from the client and calls sv_turn(). */
void sv_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns the next line that the server sent.  Fails if there is none. */
const char *sv_next(void);
void sv_expect(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sv_silence(void); /* fails if the server sent a line that was not read */
/* Fails unless the next line is an error with this id and code. */
void sv_error(const char *id, int code);

/* Starts a connection and initializes it with this version and these capabilities of the
 * client. */
void sv_legacy(const char *version, const char *capabilities);

void sv_add(int feature, const char *definition, mcphost_provide_fn fn);
/* Answers the open call sv.calls[i] with a text, and calls sv_turn(). */
void sv_answer(size_t i, const char *text);
/* Asks one more question in the open call sv.calls[i] of "ask", and calls sv_turn(). */
void sv_ask_again(size_t i);
int sv_slow(mcphost_provider_call *call, void *arg);

#endif
