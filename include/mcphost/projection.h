/* SPDX-License-Identifier: MIT
 *
 * projection.h - tool lists in the form that a model's provider accepts.
 *
 * Providers differ in the schemas and the names of tools that they accept.  By default
 * the library changes nothing: the servers' bytes go to the provider.  The application
 * may select a profile for its provider.  A profile does not change the catalog.  It
 * makes another list of the catalog's tools:
 *
 *   - A reference within a schema is replaced by the schema that the reference names.
 *   - A keyword that the provider does not know becomes words behind the description.
 *     A keyword that the conversion does not know is dropped.
 *   - A tool or parameter whose name the provider does not accept gets another name.
 *   - A tool that cannot be converted is left out.  A problem reports the tool.
 *
 * A projection is made once for each catalog, shape, profile and limit of names.  The
 * catalog keeps the projection.  The same catalog gives the same bytes in every process.
 * Any thread may call these functions.
 */
#ifndef MCPHOST_PROJECTION_H
#define MCPHOST_PROJECTION_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How tools are converted.  The shapes (MCPHOST_SHAPE_*) that fit a profile are in
 * brackets.  Since: 0.1 */
enum mcphost_profile {
    /* nothing is changed (all shapes) */
    MCPHOST_PROFILE_IDENTITY = 0,
    /* functions that are not strict (OPENAI_CHAT, OPENAI_RESPONSES) */
    MCPHOST_PROFILE_OPENAI = 1,
    /* strict functions (OPENAI_CHAT, OPENAI_RESPONSES): every parameter is required.  A
     * parameter that the server does not require may be null.  A tool that cannot be
     * strict is sent as by MCPHOST_PROFILE_OPENAI with "strict":false.  A problem of
     * severity info reports the tool. */
    MCPHOST_PROFILE_OPENAI_STRICT = 2,
    /* functions whose schema has the type object and no anyOf, oneOf or allOf at its root
     * (ANTHROPIC) */
    MCPHOST_PROFILE_ANTHROPIC = 3,
    /* functions whose `parameters` keep to Gemini's subset of OpenAPI (GEMINI) */
    MCPHOST_PROFILE_GEMINI = 4,
    /* functions in Kimi's form of JSON Schema (OPENAI_CHAT) */
    MCPHOST_PROFILE_MOONSHOT = 5
};

/*
 * mcphost_projection_new - convert the tools of a catalog for a provider.
 *
 * `shape` is MCPHOST_SHAPE_* and `profile` is MCPHOST_PROFILE_*.  `name_max` limits the
 * length of names further than the provider does: 16 to 64, or 0 for no further limit.
 * If `profile` is MCPHOST_PROFILE_IDENTITY, `name_max` must be 0.  A name that is too
 * long, or that the provider does not accept, keeps its beginning and gets a suffix.  The
 * suffix depends on the name, not on the order of the tools.
 *
 * A reference to the projection is also a reference to the catalog.  A second call with
 * the same arguments costs next to nothing.
 *
 * Errors: MCPHOST_E_INVALID (`profile` is unknown, the profile does not accept the shape,
 *   or `name_max` is out of range), MCPHOST_E_LIMIT (the projection is longer than 256
 *   MiB), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_projection_new(mcphost_catalog *catalog, int shape, int profile, size_t name_max,
                       MCPHOST_OWNED mcphost_projection **ret_projection,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `projection`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_projection *
mcphost_projection_ref(MCPHOST_NULLABLE mcphost_projection *projection);

/* Drops a reference to `projection`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_projection *
mcphost_projection_unref(MCPHOST_NULLABLE mcphost_projection *projection);

/* Returns the converted tools as a JSON array.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_projection_get_json(const mcphost_projection *projection,
                            MCPHOST_NULLABLE size_t *ret_len);

/* Returns the number of problems with tools that were left out, shortened or not sent as
 * strict.  Since: 0.1 */
MCPHOST_API size_t
mcphost_projection_count_problems(const mcphost_projection *projection);

/*
 * mcphost_projection_get_problem - get a problem, in the order of the tools.
 *
 * The kind of the problem is one of:
 *
 *     mcp_tool_projection_excluded    a warning: the tool is not in the list
 *     mcp_tool_projection_reduced     info: the description is cut to the length that
 *                                     the provider accepts, 1024 characters for OpenAI,
 *                                     and ends with " [...]"
 *     mcp_tool_projection_not_strict  info: the tool is not sent as strict
 *
 * The problem's detail names server, tool, profile and reason.  The host's list of
 * problems does not have these problems.
 *
 * Returns: the problem at `index`, or NULL past the end.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_problem *
mcphost_projection_get_problem(const mcphost_projection *projection, size_t index);

/* Returns the name that the tool has in the projection, or NULL if the projection does
 * not have the tool.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_projection_get_name(const mcphost_projection *projection,
                            const mcphost_tool *tool);

/* Returns the tool that has this name in the projection, or NULL if the projection has no
 * tool of this name.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE mcphost_tool *
mcphost_projection_find_tool(const mcphost_projection *projection, const char *name);

/*
 * mcphost_projection_restore_arguments - convert a model's arguments to the arguments
 * that the server expects.
 *
 * Some parameters have other names in the list, because the provider does not accept the
 * server's name (`resource-group` for Gemini).  These parameters get the server's name
 * again.  If the profile is MCPHOST_PROFILE_OPENAI_STRICT, a null in place of an optional
 * parameter is removed.  All other members stay unchanged.
 *
 * `json` is a JSON object of `len` bytes.  *ret_json gets the converted object.  The
 * caller frees *ret_json with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (`json` is not a JSON object), MCPHOST_E_NOTFOUND (the
 *   projection does not have the tool), MCPHOST_E_LIMIT (the JSON is nested deeper than
 *   512 levels), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_projection_restore_arguments(
    const mcphost_projection *projection, const mcphost_tool *tool, const char *json,
    size_t len, MCPHOST_OWNED char **ret_json, size_t *ret_len,
    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
