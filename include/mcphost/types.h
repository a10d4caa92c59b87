/* SPDX-License-Identifier: MIT
 *
 * types.h - the handles, and the rules that all headers share.
 *
 * A handle is a pointer to an incomplete type.  No structure of the library is visible to
 * the application.  Times are int64_t milliseconds.  The value -1 means that there is no
 * limit or that the time is not known.  Sizes are size_t.  Texts follow the rule below.
 */
#ifndef MCPHOST_TYPES_H
#define MCPHOST_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define MCPHOST_API               __attribute__((visibility("default")))
#define MCPHOST_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MCPHOST_API
#define MCPHOST_PRINTF(fmt, args)
#endif

/*
 * Marks for programs that read the headers, such as generators of bindings.  The macros
 * are empty.  In front of a function, a mark describes the return value.  In front of a
 * parameter, MCPHOST_NULLABLE describes the parameter itself.  The other marks describe
 * the value that the function stores through the parameter.
 *
 * Without a mark a pointer is not NULL, a number below 0 is an error code, and an integer
 * that a function stores is a plain number.
 */
/* Marks a value that may be NULL.  In front of a parameter, the mark says that the caller
 * may pass NULL. */
#define MCPHOST_NULLABLE
/* Marks a value that belongs to the library, or to the handle from which a function took
 * it.  A value of a handle lives as long as the handle. */
#define MCPHOST_BORROWED
/* Marks a value that belongs to the caller.  The caller releases a handle with its
 * `_unref` function, and any other value with mcphost_free(). */
#define MCPHOST_OWNED
/* Marks a number for which values below 0 are not error codes. */
#define MCPHOST_NEGATIVE_IS_A_VALUE

/*
 * The rule for texts.
 *
 * Each text that the library gives to the application is valid UTF-8 and ends with a NUL,
 * whatever a server sent.  JSON is text.  The rule holds for the results of getters, for
 * values that a function stores through a parameter, and for the arguments of callbacks.
 *
 * A length that comes with a text counts the bytes of the text without the NUL at the
 * end.  A text with a length holds other NULs if a server wrote \u0000 in a string.  The
 * length counts the bytes behind these NULs too, but strlen() does not.  JSON and texts
 * without a length hold no other NUL.
 *
 * NULL with the length 0 means that there is no text.  A getter may copy a part of a
 * larger text when the part is first asked for.  A second call returns the same pointer,
 * because the library keeps the copy.  NULL with another length means that there was no
 * memory for the copy.
 *
 * The rule does not hold for the content of artifacts (mcphost_artifact_read()), because
 * the content is binary.  The rule does not hold for the names of files and directories
 * either: mcphost_config_get_file(), mcphost_config_get_workspace(),
 * mcphost_config_server_get_file(), mcphost_error_get_file(),
 * mcphost_plugin_rows_get_file().  The name of a file or directory ends with a NUL.  The
 * name has the bytes that the file system has, even if these bytes are not UTF-8.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost mcphost;
typedef struct mcphost_builtins mcphost_builtins;
typedef struct mcphost_call mcphost_call;
typedef struct mcphost_catalog mcphost_catalog;
typedef struct mcphost_config mcphost_config;
typedef struct mcphost_dialog mcphost_dialog;
typedef struct mcphost_error mcphost_error;
typedef struct mcphost_event mcphost_event;
typedef struct mcphost_filter mcphost_filter;
typedef struct mcphost_grant mcphost_grant;
typedef struct mcphost_items mcphost_items;
typedef struct mcphost_lease mcphost_lease;
typedef struct mcphost_plugin mcphost_plugin;
typedef struct mcphost_problem mcphost_problem;
typedef struct mcphost_projection mcphost_projection;
typedef struct mcphost_prompt mcphost_prompt;
typedef struct mcphost_provider mcphost_provider;
typedef struct mcphost_provider_call mcphost_provider_call;
typedef struct mcphost_request mcphost_request;
typedef struct mcphost_resource mcphost_resource;
typedef struct mcphost_resource_template mcphost_resource_template;
typedef struct mcphost_result mcphost_result;
typedef struct mcphost_retry mcphost_retry;
typedef struct mcphost_sampling mcphost_sampling;
typedef struct mcphost_schema mcphost_schema;
typedef struct mcphost_schema_report mcphost_schema_report;
typedef struct mcphost_server mcphost_server;
typedef struct mcphost_serving mcphost_serving;
typedef struct mcphost_skill mcphost_skill;
typedef struct mcphost_source mcphost_source;
typedef struct mcphost_subscription mcphost_subscription;
typedef struct mcphost_tool mcphost_tool;
typedef struct mcphost_transform mcphost_transform;
typedef struct mcphost_turn mcphost_turn;
typedef struct mcphost_view mcphost_view;

/*
 * mcphost_free_fn - free an argument that the library does not need any more.
 *
 * A function that takes a callback, its argument `arg` and `free_arg` takes ownership of
 * `arg`.  The library calls `free_arg` once, when nothing can use `arg` any more.  The
 * library holds no lock during this call.
 *
 * The comment of each of these functions says when `free_arg` runs.  It runs on the
 * thread that dispatches, the thread that sets another callback, the thread on which a
 * replaced callback still runs, or the thread that drops the last reference to the
 * object that needs `arg`.  The last mcphost_unref() frees the arguments that the host
 * still needs at its end.  In a forked child, mcphost_unref() does not call `free_arg`.
 *
 * If the function that takes `arg` fails, it calls `free_arg` before it returns.
 *
 * Since: 0.1
 */
typedef void (*mcphost_free_fn)(MCPHOST_NULLABLE void *arg);

/*
 * mcphost_free - free memory that a function has given to the caller.
 *
 * Use only this function to free a text that belongs to the caller, because the library
 * may have another allocator than the application.
 *
 * Since: 0.1
 */
MCPHOST_API void mcphost_free(MCPHOST_NULLABLE void *data);

#ifdef __cplusplus
}
#endif
#endif
