/* SPDX-License-Identifier: MIT
 *
 * peer.h - one client on one fake server: real processes and pipes, no host.
 *
 * peer_down() closes the connection and waits until the server has ended.  It fails the
 * test if a descriptor, a thread, a child or a server of the test is left.
 */
#ifndef TESTS_SYSTEM_PEER_H
#define TESTS_SYSTEM_PEER_H

#include "client/client.h"
#include "support/rig.h"
#include "support/runner.h"

#define PEER_LINES 64

struct peer {
    struct rig_census before;
    struct rig_workspace ws;
    struct mcph_core *core;
    struct mcph_client_spec spec; /* a test may change the spec before peer_start() */
    struct mcph_client *client;
    struct mcph_transport *transport; /* the transport in use */
    struct mcph_transport *old;       /* the transport before the last restart */
    const char *command;              /* the program of the server; NULL means the fake
                                       * server */
    size_t frame_limit;               /* the limit of a message in bytes; 0 means the
                                       * default */
    char argv[3][512];

    int ready, restarts, downs, listed, changed, noises, logs, gone, stderr_lines;
    struct mcph_client_list *list;
    mcphost_error *list_error, *error; /* `list_error`: the last list's error, or NULL;
                                        * `error`: the reason of the last `down` or
                                        * `restart` event */
    char noise[512], log[512];
};

extern struct peer peer;

void peer_up(void); /* the fixtures of peer_case(): set up `peer`, and clean up */
void peer_down(void);
/* Makes a test case with peer_up() and peer_down() as checked fixtures. */
TCase *peer_case(Suite *suite, const char *name, double seconds);

/* Appends lines to the fake server's script. */
void peer_script(const char *lines, ...) __attribute__((format(printf, 1, 2)));
void peer_start(void);
/* Runs the event loop until *flag is set.  The test fails after `ms`. */
void peer_until(const int *flag, int ms);
void peer_ready(void);          /* starts the client, which must become ready */
void peer_listed(void);         /* starts the client, which must get all tools */
void peer_fails(int code);      /* starts the client, which must fail with `code` */
void peer_wait(int ms);         /* runs the event loop for `ms` */
size_t peer_count_tools(void);  /* counts the tools in peer.list */
bool peer_traced(const char *); /* waits up to 2 s for this text in the trace */

/* Checks that the error names the server and contains each word, up to a NULL. */
void peer_error_says(const mcphost_error *err, ...);

struct peer_call {
    struct mcph_operation call;
    int done, progress, code;
    char *result;
    mcphost_error *error;
};

/* Starts a call.  If `arguments` is NULL, the call has no arguments. */
void peer_call_start(struct peer_call *call, const char *tool, const char *arguments,
                     int timeout_ms);
void peer_call_end(struct peer_call *call); /* frees the call's members */
/* Runs a call.  The call must end with `code` at most 2 s after its time limit. */
void peer_call(struct peer_call *call, const char *tool, const char *arguments,
               int timeout_ms, int code);
/* Checks that the connection works: the tool `echo` must answer. */
void peer_lives(void);
/* Returns the counters of the client's messages. */
const struct mcph_rpc_counters *peer_counters(void);

#endif
