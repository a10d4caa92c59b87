/* SPDX-License-Identifier: MIT
 *
 * error.h - error codes and the detail object.
 *
 * Functions return 0 or a positive value on success and one of the negative
 * codes below on failure.  The numbers are stable; new ones may be added, so
 * treat an unknown negative number as a failure of its group.
 */
#ifndef MCPHOST_ERROR_H
#define MCPHOST_ERROR_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Error codes.  Since: 0.1 */
enum mcphost_error_code {
    /* usage */
    MCPHOST_E_INVALID = -1, /* an argument is NULL, or has a value that is not allowed */
    MCPHOST_E_STATE = -2,   /* not possible in the object's present state */
    /* another thread is dispatching, or this is a callback; or there is no such tool yet,
     * because a server is still starting */
    MCPHOST_E_BUSY = -3,
    MCPHOST_E_CLOSED = -4,   /* the host or the dialog is closed */
    MCPHOST_E_FORKED = -5,   /* the handle belongs to the parent process */
    MCPHOST_E_NOTFOUND = -6, /* no tool, server, lease, member or file of this name */
    MCPHOST_E_EXISTS = -7,   /* the name is taken */
    /* system */
    MCPHOST_E_NOMEM = -20, /* out of memory */
    MCPHOST_E_IO = -21,    /* a system call failed; mcphost_error_get_errno() tells */
    MCPHOST_E_SPAWN = -22, /* the server's program could not be started */
    MCPHOST_E_LIMIT = -23, /* a limit was reached; the message names it */
    /* time */
    MCPHOST_E_TIMEOUT = -40,   /* the deadline passed */
    MCPHOST_E_CANCELLED = -41, /* cancelled by the application, or by close */
    MCPHOST_E_WOKEN = -42,     /* mcphost_wake() has ended the wait */
    /* peer */
    MCPHOST_E_PROTOCOL = -60,  /* the server broke the protocol */
    MCPHOST_E_TRANSPORT = -61, /* the connection was lost or never came up */
    MCPHOST_E_AUTH = -62,      /* the server wants credentials */
    MCPHOST_E_RPC = -63,       /* the server answered with a JSON-RPC error */
    MCPHOST_E_GONE = -64, /* the tool's server was removed, or offers no such tool now */
    /* configuration */
    MCPHOST_E_CONFIG = -80, /* the configuration is not acceptable */
    /* policy */
    MCPHOST_E_DENIED = -100 /* not granted, or refused by a policy */
};

/*
 * mcphost_strerror - a short English text for a code.
 *
 * Returns a static string, never NULL, also for unknown codes.  Any thread.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_strerror(int code);

/*
 * mcphost_error - what went wrong, in detail.
 *
 * Immutable and reference-counted.  A function that takes `mcphost_error
 * **reterr` stores a new reference there on failure (when reterr is not NULL)
 * and leaves it alone on success.  Strings are borrowed from the object.
 * Any thread.  Since: 0.1
 */

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_error *
mcphost_error_ref(MCPHOST_NULLABLE mcphost_error *err);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_error *
mcphost_error_unref(MCPHOST_NULLABLE mcphost_error *err);

/* The MCPHOST_E_* code.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_error_get_code(const mcphost_error *err);

/* One line in English, never NULL.  Holds no secret.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED const char *
mcphost_error_get_message(const mcphost_error *err);

/* The id of the server concerned, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_server_id(const mcphost_error *err);

/* The id of that server's source; NULL: the default source, or there is no server.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_source_id(const mcphost_error *err);

/* The errno of a failed system call, or 0.  Since: 0.1 */
MCPHOST_API int mcphost_error_get_errno(const mcphost_error *err);

/* The JSON-RPC error code when the code is MCPHOST_E_RPC, else 0.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_error_get_rpc_code(const mcphost_error *err);

/* The bytes of the JSON-RPC error's `data` member as the server sent them,
 * or NULL; *ret_len gets their number (0 when NULL).  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_rpc_data(const mcphost_error *err, MCPHOST_NULLABLE size_t *ret_len);

/* The file a configuration error stands in, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_file(const mcphost_error *err);

/* Line and column in that file, counted from 1; 0 when unknown.
 * Since: 0.1 */
MCPHOST_API int mcphost_error_get_line(const mcphost_error *err);
MCPHOST_API int mcphost_error_get_column(const mcphost_error *err);

/* The last bytes that the server wrote to stderr before it failed, or NULL:
 * valid UTF-8 (bad bytes replaced), at most 4 KiB.  Since: 0.1
 * If the first line of an error, such as that above a stack trace, is further up than the
 * last 8 lines, it stands in front of them, with a line "..." between.  */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_stderr_tail(const mcphost_error *err);

/* The status of the HTTP answer that was the failure, or that came with the JSON-RPC
 * error; 0: none.  Since: 0.1 */
MCPHOST_API int mcphost_error_get_http_status(const mcphost_error *err);

/* What that answer's Retry-After said, seconds or a date, as mcphost_retry_judge()
 * takes it: one line of at most 64 bytes of it; NULL: nothing.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_retry_after(const mcphost_error *err);

/*
 * mcphost_error_new - an error of the application's own, to be stored as a reason.
 *
 * For functions that are given a `reterr`, such as the setup of a provider, which can end
 * with `return mcphost_error_new(MCPHOST_E_CONFIG, "no key is set", reterr)`.  `code` is
 * below 0; `message` is UTF-8, and is made one line.  *reterr gets a reference; if
 * memory is short, to an error that says so.
 *
 * Returns `code`; MCPHOST_E_INVALID if an argument is wrong, and then stores nothing.
 * Since: 0.1
 */
MCPHOST_API int mcphost_error_new(int code, const char *message,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_error_make_json - an error as a JSON object.
 *
 * Members: code (the number), message, and, where it has them, server, rpc_code and
 * rpc_data (MCPHOST_E_RPC), http_status, stderr.
 * *ret_json is NUL-terminated, valid UTF-8 and the caller's: mcphost_free(); *ret_len
 * (may be NULL) gets its bytes without the NUL.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL), MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (more than
 * 256 MiB).  Since: 0.1
 */
MCPHOST_API int mcphost_error_make_json(const mcphost_error *err,
                                        MCPHOST_OWNED char **ret_json,
                                        MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
