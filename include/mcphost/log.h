/* SPDX-License-Identifier: MIT
 *
 * log.h - one function of the application receives the log lines of a host.
 */
#ifndef MCPHOST_LOG_H
#define MCPHOST_LOG_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The levels.  A level includes all levels above it in this list.  Since: 0.1 */
enum mcphost_log_level {
    MCPHOST_LOG_NONE = 0,    /* no line */
    MCPHOST_LOG_ERROR = 1,   /* something failed or was lost */
    MCPHOST_LOG_WARNING = 2, /* a fault that the host works around */
    MCPHOST_LOG_INFO = 3,    /* actions of the host, and problems that are resolved */
    MCPHOST_LOG_DEBUG = 4,   /* details for debugging */
    /* in the room "wire": each message to a server and from it, cut at 2000 bytes.  Over
     * HTTP, the room also has the headers of requests and the statuses of answers.
     * Headers of the configuration, secrets (mcphost(7)), sessions and requestState are
     * masked.  Arguments and results are not masked. */
    MCPHOST_LOG_TRACE = 5
};

/*
 * mcphost_log_fn - receive one log line.
 *
 * `line` has no line break.  `room` names the part of the library that wrote the line,
 * for example "pool" or "auth".  `server` is the id of the server that the line is about,
 * or NULL.  The texts live until the function returns.  The texts hold no secret
 * (mcphost(7)).  At MCPHOST_LOG_TRACE, the texts hold arguments and results.
 *
 * The function runs on each thread that calls the library or dispatches, perhaps on
 * several threads at once.  The function may release handles with `_unref`, call
 * mcphost_free() and call getters, as the finalizers of a garbage collector do, because
 * no lock of the library is held.  The function must not drop the last reference to the
 * host.  It should call no other function of the library, because every call may write
 * further lines.  A further line runs the log function again before the function has
 * returned.
 *
 * Since: 0.1
 */
typedef void (*mcphost_log_fn)(int level, const char *room,
                               MCPHOST_NULLABLE const char *server, const char *line,
                               MCPHOST_NULLABLE void *arg);

/*
 * mcphost_set_log - set the function that receives log lines.
 *
 * Lines up to `level` go to `fn`.  If `fn` is NULL (the default), no line goes anywhere.
 * If the environment had LIBMCPHOST_DEBUG=error|warning|info|debug|trace when
 * mcphost_new() made the host, lines up to that level go to `fn`, too.  The variable is
 * read by secure_getenv(3).
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: when another function is set or the function is removed, in the last
 * mcphost_unref() of the host, or before this function returns if it fails or `fn` is
 * NULL.  If `fn` is running on another thread at this moment, `free_arg` runs on that
 * thread after `fn` has returned.
 *
 * Errors: MCPHOST_E_INVALID (`level` is unknown), MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
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
