/* SPDX-License-Identifier: MIT
 *
 * types.h - the opaque handles and what all headers share.
 *
 * No structure of the library crosses the interface: handles are pointers to
 * incomplete types, texts follow one rule (below), times are int64_t
 * milliseconds (-1: none), sizes are size_t.
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
 * What a declaration says to programs that read it, such as those that make bindings.
 * The macros are empty.  In front of a function they are about what it returns, in front
 * of a parameter about that, or about what is stored there.
 *
 * Nothing: a pointer is not NULL, a number below 0 is an error, and an integer that is
 * stored is a number.
 */
/* It may be NULL; a parameter: NULL may be passed. */
#define MCPHOST_NULLABLE
/* It belongs to the handle that was asked and lives as long, or to the library. */
#define MCPHOST_BORROWED
/* It is the caller's: a handle, to be dropped by its `_unref`, or else data for
 * mcphost_free(). */
#define MCPHOST_OWNED
/* A number below 0 is a value and no error. */
#define MCPHOST_NEGATIVE_IS_A_VALUE

/*
 * The rule for texts.
 *
 * Each text that the library gives to the application is valid UTF-8 and ends with a NUL,
 * whatever a server sent.  JSON is text.  The rule holds for what a getter returns, for
 * what is stored through a parameter, and for what a callback is passed.
 *
 * A length that comes with a text counts its bytes without that NUL.  A text with a
 * length may hold other NULs, where a server wrote \u0000 in a string: the length
 * counts all its bytes, strlen() fewer.  JSON and texts without a length hold no other
 * NUL.
 *
 * NULL with the length 0 means that there is no such text.  A part of a larger text may
 * be copied when it is first asked for.  The copy is kept, so a second call returns the
 * same pointer.  NULL with another length means that there was no memory for the copy.
 *
 * The rule does not hold for the content of artifacts (mcphost_artifact_read()), which
 * is binary, nor for the names of files and directories: mcphost_config_get_file(),
 * mcphost_config_get_workspace(), mcphost_config_server_get_file(),
 * mcphost_error_get_file().  Such a name ends with a NUL, but has the bytes that the
 * file system has, which may be no UTF-8.
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

/* Frees a user argument that the library has taken over.  Runs exactly once, with no
 * library lock held: from mcphost_dispatch(); from the last mcphost_unref(); or, if the
 * function that took the argument fails, on the caller's thread before it returns.  These
 * functions say when the arguments that they take are freed: mcphost_builtins_add_tool()
 * and mcphost_view_add_builtin(), mcphost_call_set_progress(), mcphost_set_before_call(),
 * mcphost_set_log() and mcphost_schema_set_documents().  Since: 0.1 */
typedef void (*mcphost_free_fn)(MCPHOST_NULLABLE void *arg);

/*
 * mcphost_free - free what a function has given to the caller.
 *
 * Texts that are said to be the caller's are freed with this function and no other: the
 * library may have another allocator than the application.  NULL is allowed.  Any thread.
 * Since: 0.1
 */
MCPHOST_API void mcphost_free(MCPHOST_NULLABLE void *data);

#ifdef __cplusplus
}
#endif
#endif
