/* SPDX-License-Identifier: MIT
 *
 * problem.h - problems: lasting faults of servers and configurations, as structured
 * entries.
 *
 * A host keeps one active problem for each id.  The host writes each problem to the log.
 * A problem that no longer holds is resolved.  A history keeps the last resolved problem
 * of each id, at most 256 problems, until the application forgets them.  If a resolved
 * problem comes back, it is a new problem, which is first seen at that time.
 *
 * Any thread may call these functions.  A problem and a snapshot of problems never
 * change, except the time when an active problem was last seen.
 */
#ifndef MCPHOST_PROBLEM_H
#define MCPHOST_PROBLEM_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcphost_problems mcphost_problems;

/* The severity of a problem.  Since: 0.1 */
enum mcphost_severity {
    MCPHOST_SEVERITY_INFO = 1,    /* worth knowing */
    MCPHOST_SEVERITY_WARNING = 2, /* a part is left out or odd; all other parts work */
    MCPHOST_SEVERITY_ERROR = 3    /* something does not work */
};

/*
 * mcphost_get_problems - take a snapshot of the active problems.
 *
 * The problems are ordered by severity, the worst first.  Problems of equal severity are
 * ordered by the time when they were first seen, the latest first, and then by id.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_get_problems(mcphost *host,
                                     MCPHOST_OWNED mcphost_problems **ret_problems);

/* Flags of mcphost_select_problems().  Since: 0.1 */
enum mcphost_problems_flag {
    MCPHOST_PROBLEMS_ACTIVE = 1,  /* problems that are not resolved */
    MCPHOST_PROBLEMS_RESOLVED = 2 /* resolved problems of the history */
};

/*
 * mcphost_select_problems - take a snapshot of some of the problems, also of resolved
 * problems.
 *
 * `flags` is one of MCPHOST_PROBLEMS_*, or the sum of several flags.  `id_prefix` selects
 * the problems whose id begins with this text.  `server_id` selects the problems of this
 * server.  If `id_prefix` is NULL, the function selects problems with any id.  If
 * `server_id` is NULL, the function selects problems with and without a server.  Active
 * problems come first.  The active and the resolved problems each have the order of
 * mcphost_get_problems().
 *
 * Errors: MCPHOST_E_INVALID (`flags` has no bit or an unknown bit), MCPHOST_E_FORKED,
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_select_problems(mcphost *host, uint64_t flags,
                                        MCPHOST_NULLABLE const char *id_prefix,
                                        MCPHOST_NULLABLE const char *server_id,
                                        MCPHOST_OWNED mcphost_problems **ret_problems);

/*
 * mcphost_forget_problem - remove a resolved problem from the history.
 *
 * If `id` is NULL, the function removes all resolved problems.  If it removes a problem,
 * the version of the problems (mcphost_problems_get_version()) grows.  No event reports
 * the removal.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (there is no problem of this id),
 *   MCPHOST_E_STATE (the problem is active, and the history has no problem of this id),
 *   MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_forget_problem(mcphost *host, MCPHOST_NULLABLE const char *id);

/* Takes a reference to `problems`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_problems *
mcphost_problems_ref(MCPHOST_NULLABLE mcphost_problems *problems);

/* Drops a reference to `problems`.  Dropping the last reference frees the snapshot.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_problems *
mcphost_problems_unref(MCPHOST_NULLABLE mcphost_problems *problems);

/* Returns the version number of the snapshot.  The version grows with each visible change
 * of the problems of the host.  Since: 0.1 */
MCPHOST_API uint64_t mcphost_problems_get_version(const mcphost_problems *problems);

/* Returns the number of problems in the snapshot.  Since: 0.1 */
MCPHOST_API size_t mcphost_problems_count(const mcphost_problems *problems);

/* Returns the problem at `index`, or NULL if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_problems_get(const mcphost_problems *problems, size_t index);

/* Returns the problem with the id `id`, or NULL if the snapshot has no problem with this
 * id.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_problems_find(const mcphost_problems *problems, const char *id);

/*
 * mcphost_problems_make_json - write a snapshot as JSON.
 *
 * The JSON is {"version":N,"problems":[...]}, with the object of
 * mcphost_problem_make_json() for each problem, in the order of the snapshot.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (the text would be longer
 *   than 256 MiB).
 * Since: 0.1
 */
MCPHOST_API int mcphost_problems_make_json(const mcphost_problems *problems,
                                           MCPHOST_OWNED char **ret_json,
                                           MCPHOST_NULLABLE size_t *ret_len);

/* Takes a reference to `problem`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_problem *
mcphost_problem_ref(MCPHOST_NULLABLE mcphost_problem *problem);

/* Drops a reference to `problem`.  Dropping the last reference frees the problem.
 * Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_problem *
mcphost_problem_unref(MCPHOST_NULLABLE mcphost_problem *problem);

/* Returns the id of the problem, such as "mcp/server/web/server_error".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_id(const mcphost_problem *problem);

/* Returns the kind of the problem, such as "mcp_server_error".  mcphost(7) lists all
 * kinds.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_kind(const mcphost_problem *problem);

/* Returns the severity of the problem, MCPHOST_SEVERITY_*.  Since: 0.1 */
MCPHOST_API int mcphost_problem_get_severity(const mcphost_problem *problem);

/* Returns the message of the problem, one line for people.  The message holds no secret.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_message(const mcphost_problem *problem);

/* Returns the id of the source that has the problem, or NULL for the default source and
 * for problems of no source.  The id of a problem of any other source begins with
 * "source/ID/".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_source_id(const mcphost_problem *problem);

/* Returns the id of the server that has the problem, or NULL if the problem belongs to no
 * server.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_server_id(const mcphost_problem *problem);

/*
 * mcphost_problem_get_detail - get the details for programs.
 *
 * mcphost(7) lists the members for each kind.
 *
 * Returns: the details as a JSON object of *ret_len bytes.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_problem_get_detail(const mcphost_problem *problem,
                           MCPHOST_NULLABLE size_t *ret_len);

/* Returns the time when the host first saw the problem, in milliseconds since 1970.
 * Since: 0.1 */
MCPHOST_API int64_t mcphost_problem_get_first_seen_ms(const mcphost_problem *problem);

/* Returns the time when the host last saw the problem, in milliseconds since 1970.  The
 * time grows if an active problem is seen again without a change.  Since: 0.1 */
MCPHOST_API int64_t mcphost_problem_get_last_seen_ms(const mcphost_problem *problem);

/* Returns 1 if the problem is resolved, or 0 if the problem is active.  Since: 0.1 */
MCPHOST_API int mcphost_problem_is_resolved(const mcphost_problem *problem);

/* Returns the time when the problem was resolved, in milliseconds since 1970, or -1 if
 * the problem is active.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_problem_get_resolved_ms(const mcphost_problem *problem);

/*
 * mcphost_problem_make_json - write a problem as a JSON object.
 *
 * The members are id, kind, severity (its name), server (or null), source (unless it is
 * the default source), message, detail (an object), first_seen_ms, last_seen_ms and, if
 * the problem is resolved, resolved_ms.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT (the text would be longer
 *   than 256 MiB).
 * Since: 0.1
 */
MCPHOST_API int mcphost_problem_make_json(const mcphost_problem *problem,
                                          MCPHOST_OWNED char **ret_json,
                                          MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
