/* SPDX-License-Identifier: MIT
 *
 * servrig.h - a connection as server over a memory transport, with the test as its client
 * and its provider, and a clock that moves only when told.
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
    struct mcph_connection_spec spec; /* change it between sv_up and sv_start */
    mcphost_provider *provider;
    struct mcph_transport *transport;
    struct mcph_connection *connection;
    bool free_in_event; /* the next event frees the connection */
    int ready, overs, setups, teardowns, peer_closed;
    mcphost_error *reason; /* of the end */

    char *lines[SV_LINES]; /* what the server sent, in order */
    size_t n_lines, at;

    /* calls of "slow", open until the test answers; and what was answered to questions of
     * "ask" */
    mcphost_provider_call *calls[SV_CALLS];
    size_t n_calls;
    int unwanted;
    const char *ask_params; /* of the next question; NULL: none */
    int ask_kind, ask_code, asked, ask_refused;
    unsigned questions; /* how many at once */
    char answer[512], ask_error[256];
    int setup_code; /* what setup returns */
};

extern struct sv sv;

/* The provider has "echo", "slow" and "ask", a resource "mem://a", a template
 * "mem://t/{id}" and a prompt "greet". */
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
/* With capabilities, and more members of _meta. */
#define SV_META_WITH(capabilities, more)                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":" capabilities more "}"

void sv_up(void);            /* a core, a spec, a provider with features */
void sv_start(void);         /* the connection */
void sv_start_quietly(void); /* the same, without a turn of the loop */
void sv_start_with(struct mcph_service *service);
void sv_start_idle(void); /* with a service that does not come up */
/* The same on one of two ends that are joined; the other one, open, is the caller's. */
struct mcph_transport *sv_start_joined(void);
void sv_down(void);
void sv_turn(void);
void sv_advance(int64_t ms);

/* A line from the client, and then all that comes of it. */
void sv_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The next line of the server. */
const char *sv_next(void);
void sv_expect(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sv_silence(void); /* there is none */
/* The next line is an error of this code under this id. */
void sv_error(const char *id, int code);

/* Initialized as this version with these capabilities of the client. */
void sv_legacy(const char *version, const char *capabilities);

void sv_add(int feature, const char *definition, mcphost_provide_fn fn);
/* Answers an open call of "slow" with a text. */
void sv_answer(size_t i, const char *text);
/* One more question of an open call of "ask". */
void sv_ask_again(size_t i);
int sv_slow(mcphost_provider_call *call, void *arg);

#endif
