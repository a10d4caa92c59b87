/* SPDX-License-Identifier: MIT
 *
 * peer.h - one client on one fake server: real processes and pipes, no host.
 *
 * peer_down() closes, waits until nothing is left of the server, and fails the test
 * when a descriptor, a thread, a child or a server of the test is left.
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
    struct mcph_client_spec spec; /* change it between peer_up and peer_start */
    struct mcph_client *client;
    struct mcph_transport *transport; /* the latest */
    struct mcph_transport *old;       /* the one before a restart */
    const char *command;              /* NULL: the fake server */
    size_t frame_limit;               /* 0: the default */
    char argv[3][512];

    int ready, restarts, downs, listed, changed, noises, logs, gone, stderr_lines;
    struct mcph_client_list *list;
    mcphost_error *list_error, *error; /* of listed; of down or restart */
    char noise[512], log[512];
};

extern struct peer peer;

void peer_up(void); /* checked fixtures */
void peer_down(void);
/* A case with these two. */
TCase *peer_case(Suite *suite, const char *name, double seconds);

/* Lines of the fake server's script, added to what was said before. */
void peer_script(const char *lines, ...) __attribute__((format(printf, 1, 2)));
void peer_start(void);
/* Turns until *flag; the test fails after `ms`. */
void peer_until(const int *flag, int ms);
void peer_ready(void);          /* starts, and it must become ready */
void peer_listed(void);         /* ... and list its tools, whole */
void peer_fails(int code);      /* starts, and it must go down with this code */
void peer_wait(int ms);         /* turns for that long */
size_t peer_count_tools(void);  /* of the list */
bool peer_traced(const char *); /* the server has seen a line with this in it */

/* The last error names the server and holds each of these words, up to a NULL. */
void peer_error_says(const mcphost_error *err, ...);

struct peer_call {
    struct mcph_operation call;
    int done, progress, code;
    char *result;
    mcphost_error *error;
};

/* Starts a call; `arguments` NULL: none. */
void peer_call_start(struct peer_call *call, const char *tool, const char *arguments,
                     int timeout_ms);
void peer_call_end(struct peer_call *call); /* frees what it holds */
/* A whole call that must end with this code within its time and 2 s. */
void peer_call(struct peer_call *call, const char *tool, const char *arguments,
               int timeout_ms, int code);
/* The connection lives: echo answers. */
void peer_lives(void);
/* What the client has counted. */
const struct mcph_rpc_counters *peer_counters(void);

#endif
