/* SPDX-License-Identifier: MIT
 *
 * error.h - error codes, and errors in detail.
 *
 * A function returns 0 or a positive number if it succeeds, and one of the negative codes
 * below if it fails.  The numbers never change.  Later versions may add codes: treat an
 * unknown negative number as a failure.
 *
 * An error object describes a failure in detail.  It never changes.  It is
 * reference-counted.  A function with a parameter `mcphost_error **reterr` stores a new
 * reference in *reterr if it fails, unless `reterr` is NULL.  If the function succeeds,
 * it stores nothing.  Any thread may use an error, also in a forked child.
 */
#ifndef MCPHOST_ERROR_H
#define MCPHOST_ERROR_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The error codes.  Since: 0.1 */
enum mcphost_error_code {
    /* ---- usage ---- */

    MCPHOST_E_INVALID = -1, /* an argument is NULL, or has a value that is not allowed */
    MCPHOST_E_STATE = -2,   /* the object's present state does not allow the call */
    /* another thread is dispatching, or a callback made the call, or the tool is missing
     * while a server is still starting, or another process uses the store of tokens */
    MCPHOST_E_BUSY = -3,
    MCPHOST_E_CLOSED = -4, /* the host or the dialog is closed */
    MCPHOST_E_FORKED = -5, /* the handle belongs to the parent process */
    /* there is no tool, server, lease, file or other object of the given name or id; or
     * the server does not offer the method */
    MCPHOST_E_NOTFOUND = -6,
    MCPHOST_E_EXISTS = -7, /* the name is taken */
    /* the library was built without a part that the function needs (see
     * mcphost_has_part()), or a newer version of the library has written the store of
     * tokens */
    MCPHOST_E_UNSUPPORTED = -8,

    /* ---- system ---- */

    MCPHOST_E_NOMEM = -20, /* memory is short */
    MCPHOST_E_IO = -21,    /* a system call failed (see mcphost_error_get_errno()) */
    MCPHOST_E_SPAWN = -22, /* the server's program could not be started */
    MCPHOST_E_LIMIT = -23, /* the operation exceeds a limit that the message names */

    /* ---- time ---- */

    MCPHOST_E_TIMEOUT = -40, /* the deadline passed */
    /* the application cancelled the operation, or the host or the dialog was closed */
    MCPHOST_E_CANCELLED = -41,
    MCPHOST_E_WOKEN = -42, /* mcphost_wake() has ended the wait */

    /* ---- the server ---- */

    MCPHOST_E_PROTOCOL = -60,  /* the server broke the protocol */
    MCPHOST_E_TRANSPORT = -61, /* the connection was lost or never came up */
    MCPHOST_E_AUTH = -62,      /* the server wants credentials */
    MCPHOST_E_RPC = -63,       /* the server answered with a JSON-RPC error */
    /* the server was removed, no longer offers the tool or prompt, or has changed the
     * input schema of the tool */
    MCPHOST_E_GONE = -64,

    /* ---- configuration and policy ---- */

    MCPHOST_E_CONFIG = -80, /* the configuration is not acceptable */
    MCPHOST_E_DENIED = -100 /* access is not granted, or a policy forbids the operation */
};

/*
 * mcphost_strerror - get a short English text for a code.
 *
 * Returns: a static text, also for an unknown code.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED const char *mcphost_strerror(int code);

/* Takes a reference to `err`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_error *
mcphost_error_ref(MCPHOST_NULLABLE mcphost_error *err);

/* Drops a reference to `err`.  Dropping the last reference frees the error.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_error *
mcphost_error_unref(MCPHOST_NULLABLE mcphost_error *err);

/* Gets the code of the error.  Returns: one of MCPHOST_E_*, the code below 0 that
 * mcphost_error_new() got, or 0 if `err` is NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int
mcphost_error_get_code(const mcphost_error *err);

/* Returns one line in English that describes the failure.  The line holds no secret.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED const char *
mcphost_error_get_message(const mcphost_error *err);

/* Returns the id of the server that the error is about, or NULL if the error is about no
 * server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_server_id(const mcphost_error *err);

/* Returns the id of the source of the server that the error is about, or NULL if the
 * error is about no server or about a server of the default source.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_source_id(const mcphost_error *err);

/* Returns the errno of the system call that failed, or 0 if no system call failed.
 * Since: 0.1 */
MCPHOST_API int mcphost_error_get_errno(const mcphost_error *err);

/* Returns the code of the JSON-RPC error that a server has sent, or 0 if this error is of
 * another kind.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_error_get_rpc_code(const mcphost_error *err);

/*
 * mcphost_error_get_rpc_data - get the data of the JSON-RPC error.
 *
 * The data are the bytes of the member `data` as the server sent them, with secrets
 * masked (mcphost(7)).
 *
 * Returns: the data as JSON of *ret_len bytes, or NULL if the error has no data of a
 *   JSON-RPC error.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_rpc_data(const mcphost_error *err, MCPHOST_NULLABLE size_t *ret_len);

/* Returns the name of the file with the configuration error, or NULL if the error is not
 * about a file.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_file(const mcphost_error *err);

/* Returns the line of the configuration error, counted from 1, or 0 if the error has no
 * line.  Since: 0.1 */
MCPHOST_API int mcphost_error_get_line(const mcphost_error *err);

/* Returns the column of the configuration error, counted from 1, or 0 if the error has no
 * column.  Since: 0.1 */
MCPHOST_API int mcphost_error_get_column(const mcphost_error *err);

/*
 * mcphost_error_get_stderr_tail - get the last text that the server wrote to stderr.
 *
 * The text is the last bytes of stderr, at most 4 KiB.  The first line of an error, such
 * as the line above a stack trace, may be further up than the last 8 lines.  In this
 * case, the text begins with that line, cut at 256 bytes, and a line "...".
 *
 * Returns: the last text that the server wrote to stderr, or NULL if the error has no
 *   text from stderr.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_stderr_tail(const mcphost_error *err);

/* Returns the status of the HTTP answer that caused the error or carried the JSON-RPC
 * error, or 0 if the error has no HTTP answer.  Since: 0.1 */
MCPHOST_API int mcphost_error_get_http_status(const mcphost_error *err);

/* Returns the value of Retry-After in the HTTP answer, or NULL if the error has no HTTP
 * answer or the HTTP answer has no header Retry-After.  If a login has failed, the value
 * is that of the authorization server.  The value is one line of at most 64 bytes, with
 * seconds or a date, as mcphost_retry_judge() takes it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_error_get_retry_after(const mcphost_error *err);

/*
 * mcphost_error_new - make an error object.
 *
 * Use this function in a function of the application that has a parameter `reterr`.  For
 * example, the setup of a provider can end with
 *
 *   return mcphost_error_new(MCPHOST_E_CONFIG, "no key is set", reterr);
 *
 * `code` is below 0.  A blank replaces each control character of the message, such as a
 * line break.  If memory is short, or if `code` is MCPHOST_E_NOMEM, the message is "out
 * of memory".  If an argument is not valid, the function stores nothing.
 *
 * Returns: `code`.
 * Errors: MCPHOST_E_INVALID (`code` is not below 0, or `message` is not UTF-8).
 * Since: 0.1
 */
MCPHOST_API int mcphost_error_new(int code, const char *message,
                                  MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_error_make_json - write an error as a JSON object.
 *
 * The members are code (the number) and message, and, as far as the error has them,
 * source (unless it is the default source), server, rpc_code and rpc_data
 * (MCPHOST_E_RPC), http_status and stderr.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (the text would be longer
 *   than 256 MiB).
 * Since: 0.1
 */
MCPHOST_API int mcphost_error_make_json(const mcphost_error *err,
                                        MCPHOST_OWNED char **ret_json,
                                        MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
