/* SPDX-License-Identifier: MIT
 *
 * tasks.h - scripts of fake servers whose tool `build` continues as the task t-1.
 */
#ifndef TESTS_SUPPORT_TASKS_H
#define TESTS_SUPPORT_TASKS_H

#define MODERN                                                                         \
    "era modern\n"                                                                     \
    "capabilities {\"tools\":{\"listChanged\":true},\"extensions\":{\"io.modelcontext" \
    "protocol/tasks\":{}}}\n"                                                          \
    "tool build\n"
#define LEGACY                                                             \
    "era legacy\n"                                                         \
    "capabilities {\"tools\":{},\"tasks\":{\"cancel\":{},\"requests\":"    \
    "{\"tools\":{\"call\":{}}}}}\n"                                        \
    "tool-json {\"name\":\"build\",\"inputSchema\":{\"type\":\"object\"}," \
    "\"execution\":{\"taskSupport\":\"required\"}}\n"

/* The macros below are parts of scripts about the task `t-1`.  NEW(status, more) is the
 * action `result` with the task as the modern era writes it.  OLD(status) contains the
 * members of the task as the legacy era writes them.  BEGUN and OLD_BEGUN answer the call
 * of the tool `build` with the task.  DONE(text) is the member `result` of a task that
 * has ended. */
#define NEW(status, more)                                                           \
    "result {\"resultType\":\"complete\",\"taskId\":\"t-1\",\"status\":\"" status   \
    "\",\"createdAt\":\"2026-11-21T10:00:00Z\",\"ttlMs\":900000,\"pollIntervalMs\"" \
    ":60" more "}\n"
#define BEGUN                                                                           \
    "on call:build\n result {\"resultType\":\"task\",\"taskId\":\"t-1\",\"status\""     \
    ":\"working\",\"statusMessage\":\"queued\",\"ttlMs\":900000,\"pollIntervalMs\":60}" \
    "\n"
#define OLD(status) \
    "\"taskId\":\"t-1\",\"status\":\"" status "\",\"ttl\":900000,\"pollInterval\":60"
#define OLD_BEGUN  "on call:build\n result {\"task\":{" OLD("working") "}}\n"
#define DONE(text) ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

/* Members that make a modern task ask the user (ASK) or the model (ASK_MODEL). */
#define ASK                                                                           \
    ",\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\",\"params\":"      \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"user\":{\"type\":\"string\"}}}}}}"
#define ASK_MODEL                                                                  \
    ",\"inputRequests\":{\"m\":{\"method\":\"sampling/createMessage\",\"params\":" \
    "{\"messages\":[],\"maxTokens\":5}}}"

#endif
