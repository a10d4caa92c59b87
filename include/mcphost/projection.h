/* SPDX-License-Identifier: MIT
 *
 * projection.h - tool lists as a model's provider takes them.
 *
 * Providers differ in what they take as a tool's schema and name.  By default nothing
 * is changed: the servers' bytes go to the provider.  A profile other than that
 * is asked for by name.  It rewrites schemas without touching the catalog: references
 * within a schema are replaced by the schema that they name, keywords that the provider
 * does not know become words behind the description, and tools and parameters whose names
 * it does not take get other names.  A tool that cannot be rewritten is left out, with a
 * problem.
 *
 * A projection is made once for each snapshot and profile and kept with the snapshot.
 * The same catalog gives the same bytes in every process.  Everything here may be called
 * from any thread.
 */
#ifndef MCPHOST_PROJECTION_H
#define MCPHOST_PROJECTION_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How tools are changed.  In brackets the shapes (MCPHOST_SHAPE_*) that go with it.
 * Since: 0.1 */
enum mcphost_profile {
    /* not at all (all shapes) */
    MCPHOST_PROFILE_IDENTITY = 0,
    /* as functions that are not strict (OPENAI_CHAT, OPENAI_RESPONSES) */
    MCPHOST_PROFILE_OPENAI = 1,
    /* as strict functions (the same): every parameter is required, and may be null where
     * it was not; a tool that cannot be strict is sent as by MCPHOST_PROFILE_OPENAI with
     * "strict":false, which is a problem of severity info */
    MCPHOST_PROFILE_OPENAI_STRICT = 2,
    /* (ANTHROPIC) */
    MCPHOST_PROFILE_ANTHROPIC = 3,
    /* in "parameters", the subset of OpenAPI that is taken there (GEMINI) */
    MCPHOST_PROFILE_GEMINI = 4,
    /* Kimi's form of JSON Schema (OPENAI_CHAT) */
    MCPHOST_PROFILE_MOONSHOT = 5
};

/*
 * mcphost_projection_new - the tools of a catalog for a provider.
 *
 * `shape` is one of MCPHOST_SHAPE_*, `profile` one of MCPHOST_PROFILE_* that goes with
 * it.  `name_max` limits names further than the provider does: 16 to 64, or 0; with
 * MCPHOST_PROFILE_IDENTITY 0 alone.  A name that is too long, or that the provider does
 * not take, keeps its beginning and gets a suffix that depends on the name alone, not on
 * the order of the tools.
 *
 * *ret_projection gets a reference; it keeps the catalog.  The second time costs next to
 * nothing.  Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_projection_new(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                       MCPHOST_OWNED mcphost_projection **ret_projection,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference; drops one.  NULL is fine.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_projection *
mcphost_projection_ref(MCPHOST_NULLABLE mcphost_projection *projection);
MCPHOST_API MCPHOST_NULLABLE mcphost_projection *
mcphost_projection_unref(MCPHOST_NULLABLE mcphost_projection *projection);

/* The tools as a JSON array.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_projection_get_json(const mcphost_projection *projection,
                            MCPHOST_NULLABLE size_t *ret_len);

/* How many tools were left out or lost something.  Since: 0.1 */
MCPHOST_API size_t
mcphost_projection_count_problems(const mcphost_projection *projection);

/*
 * mcphost_projection_get_problem - one of them, in the order of the tools.
 *
 * Borrowed; NULL past the end.  Its kind is `mcp_tool_projection_excluded` (a warning:
 * the tool is not in the list), `mcp_tool_projection_reduced` (info: its description is
 * cut to what the provider takes, 1024 characters for OpenAI, with " [...]" at its end)
 * or `mcp_tool_projection_not_strict` (info).  The detail names server, tool,
 * profile and reason.  It is in no store of problems.  Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_projection_get_problem(const mcphost_projection *projection, size_t index);

/* The name that the tool has in the list; NULL when it is not there.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_projection_get_name(const mcphost_projection *projection,
                            const mcphost_tool *tool);

/* The tool that has this name in the list, borrowed, or NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_projection_find_tool(const mcphost_projection *projection, const char *name);

/*
 * mcphost_projection_restore_arguments - a model's arguments as the server wants them.
 *
 * Parameters that have other names in the list, because the provider does not take
 * theirs (`resource-group` for Gemini), get their own back.  Under
 * MCPHOST_PROFILE_OPENAI_STRICT the nulls that stand for optional parameters are left out
 * again.  The rest stays as it is.  `json` must be a JSON object; *ret_json gets another,
 * which is the caller's: mcphost_free().
 *
 * Returns 0, MCPHOST_E_INVALID (NULL, no JSON object), MCPHOST_E_NOTFOUND (the tool is
 * not in the list), MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_projection_restore_arguments(
    const mcphost_projection *projection, const mcphost_tool *tool, const char *json,
    size_t len, MCPHOST_OWNED char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
