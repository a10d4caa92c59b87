/* SPDX-License-Identifier: MIT
 *
 * problem.h - what is wrong with servers and configuration, as structured entries.
 *
 * The store keeps one active problem for each id; a snapshot of it is immutable.
 * Every problem is logged too.  A problem that no longer holds is resolved: a
 * history keeps the last resolved problem of each id, up to 256 of them, until it is
 * forgotten.  A problem that comes back is a new problem, with a new time of first sight.
 */
#ifndef MCPHOST_PROBLEM_H
#define MCPHOST_PROBLEM_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_problems mcphost_problems;

/* How bad it is.  Since: 0.1 */
enum mcphost_severity {
    MCPHOST_SEVERITY_INFO = 1,
    MCPHOST_SEVERITY_WARNING = 2,
    MCPHOST_SEVERITY_ERROR = 3
};

/*
 * mcphost_get_problems - the active problems, worst first, then newest, then by id.
 *
 * *ret_problems gets a reference.  Any thread.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_get_problems(mcphost *host,
                                     MCPHOST_OWNED mcphost_problems **ret_problems);

/* Which problems, for mcphost_select_problems().  Since: 0.1 */
enum mcphost_problems_flag { MCPHOST_PROBLEMS_ACTIVE = 1, MCPHOST_PROBLEMS_RESOLVED = 2 };

/*
 * mcphost_select_problems - problems of a kind, also resolved ones.
 *
 * `flags` says which, one or both; `id_prefix` and `server_id` NULL are any.  Active
 * ones come first, each part in the order of mcphost_get_problems().  *ret_problems
 * gets a reference.  Any thread.
 * Returns 0, MCPHOST_E_INVALID (no flag or an unknown one), MCPHOST_E_FORKED,
 * MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_select_problems(mcphost *host, uint64_t flags,
                                        MCPHOST_NULLABLE const char *id_prefix,
                                        MCPHOST_NULLABLE const char *server_id,
                                        MCPHOST_OWNED mcphost_problems **ret_problems);

/*
 * mcphost_forget_problem - remove a resolved problem from the history.
 *
 * `id` NULL: all of them.  The version of the store grows, no event comes.  Any thread.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND, MCPHOST_E_STATE (it is active and
 * was never resolved), MCPHOST_E_FORKED.  Since: 0.1
 */
MCPHOST_API int mcphost_forget_problem(mcphost *host, MCPHOST_NULLABLE const char *id);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_problems *
mcphost_problems_ref(MCPHOST_NULLABLE mcphost_problems *problems);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_problems *
mcphost_problems_unref(MCPHOST_NULLABLE mcphost_problems *problems);

/* Grows with each visible change of the store.  Since: 0.1 */
MCPHOST_API uint64_t mcphost_problems_get_version(const mcphost_problems *problems);

/* How many there are.  Since: 0.1 */
MCPHOST_API size_t mcphost_problems_count(const mcphost_problems *problems);

/* The one at `index`, borrowed from the snapshot; NULL past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_problems_get(const mcphost_problems *problems, size_t index);

/* The one with this id, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_problems_find(const mcphost_problems *problems, const char *id);

/*
 * mcphost_problems_make_json - the whole snapshot as JSON.
 *
 * {"version":N,"problems":[...]}, with a mcphost_problem_make_json() for each problem, in
 * this order.
 * *ret_json is NUL-terminated, valid UTF-8 and the caller's: mcphost_free(); *ret_len
 * (may be NULL) gets its bytes without the NUL.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL), MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (more than
 * 256 MiB).  Since: 0.1
 */
MCPHOST_API int mcphost_problems_make_json(const mcphost_problems *problems,
                                           MCPHOST_OWNED char **ret_json,
                                           MCPHOST_NULLABLE size_t *ret_len);

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_problem *
mcphost_problem_ref(MCPHOST_NULLABLE mcphost_problem *problem);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_problem *
mcphost_problem_unref(MCPHOST_NULLABLE mcphost_problem *problem);

/* The id, such as "mcp/server/web/server_error".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_id(const mcphost_problem *problem);

/* The kind, such as "mcp_server_error" (mcphost(7) lists them).  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_kind(const mcphost_problem *problem);

/* MCPHOST_SEVERITY_*.  Since: 0.1 */
MCPHOST_API int mcphost_problem_get_severity(const mcphost_problem *problem);

/* One line for people, without secrets.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_message(const mcphost_problem *problem);

/* The id of the source whose problem it is; NULL: the default source, or none.  The id of
 * a problem of another source than the default one begins with "source/ID/".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_source_id(const mcphost_problem *problem);

/* The server concerned, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_server_id(const mcphost_problem *problem);

/* The particulars as a JSON object.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_detail(const mcphost_problem *problem,
                           MCPHOST_NULLABLE size_t *ret_len);

/* When it was first and last seen, ms since the epoch.  Since: 0.1 */
MCPHOST_API int64_t mcphost_problem_get_first_seen_ms(const mcphost_problem *problem);
MCPHOST_API int64_t mcphost_problem_get_last_seen_ms(const mcphost_problem *problem);

/* Whether it no longer holds, and since when, ms since the epoch; -1: it is active.
 * Since: 0.1 */
MCPHOST_API int mcphost_problem_is_resolved(const mcphost_problem *problem);
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_problem_get_resolved_ms(const mcphost_problem *problem);

/*
 * mcphost_problem_make_json - a problem as a JSON object.
 *
 * Members: id, kind, severity (its name), server (or null), source (if it is not the
 * default one), message, detail (an object), first_seen_ms, last_seen_ms, and resolved_ms
 * if it is resolved.
 * *ret_json is NUL-terminated, valid UTF-8 and the caller's: mcphost_free(); *ret_len
 * (may be NULL) gets its bytes without the NUL.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID (NULL), MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (more than
 * 256 MiB).  Since: 0.1
 */
MCPHOST_API int mcphost_problem_make_json(const mcphost_problem *problem,
                                          MCPHOST_OWNED char **ret_json,
                                          MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
