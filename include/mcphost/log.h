/* SPDX-License-Identifier: MIT
 *
 * log.h - the library's own log lines, handed to a function of the host.
 */
#ifndef MCPHOST_LOG_H
#define MCPHOST_LOG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels, most urgent first.  Since: 0.1 */
enum mcphost_log_level {
    MCPHOST_LOG_NONE = 0,
    MCPHOST_LOG_ERROR = 1,
    MCPHOST_LOG_WARNING = 2,
    MCPHOST_LOG_INFO = 3,
    MCPHOST_LOG_DEBUG = 4,
    /* What goes to servers and comes from them, in the room "wire": each message, cut at
     * 2 KiB, and over HTTP the headers and statuses.  Headers of the configuration,
     * secrets (mcphost(7)) and sessions are covered, and so is requestState;
     * arguments and results are not. */
    MCPHOST_LOG_TRACE = 5
};

/*
 * mcphost_log_fn - receives one line, without a newline.
 *
 * `room` names the part of the library that speaks ("pool", "config", ...),
 * `server` is a server id or NULL.  Runs on whichever thread called the
 * library, after every lock is dropped; it must not call the library.  Lines
 * hold no secret.  The strings are valid during the call only.
 * Since: 0.1
 */
typedef void (*mcphost_log_fn)(int level, const char *room,
                               MCPHOST_NULLABLE const char *server, const char *line,
                               MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_log - set the function that gets log lines; NULL: none (the default).
 *
 * Takes over `arg` whatever it returns: `free_arg` (may be NULL) runs once,
 * when the function is replaced, when the host is freed, or before this
 * returns if it fails or `fn` is NULL.  `level`: lines up to this level are delivered.
 * If the environment had LIBMCPHOST_DEBUG=error|warning|info|debug|trace when the host
 * was made (read by secure_getenv(3), once), lines up to that level are delivered too.
 * Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_set_log(mcphost *host, int level,
                                MCPHOST_NULLABLE mcphost_log_fn fn,
                                MCPHOST_NULLABLE void *arg,
                                MCPHOST_NULLABLE mcphost_free_fn free_arg);

#ifdef __cplusplus
}
#endif
#endif
