/* SPDX-License-Identifier: MIT
 *
 * rows.c - servers, leases, tools, problems, plugins and errors as JSON.
 *
 * The library makes all of this JSON except the JSON of tools, and of errors that have
 * only a code.  The members are part of the interface that mcphostctl(1) describes.
 */
#include <string.h>

#include "ctl.h"

static void
member_str(struct text *t, const char *key, const char *value)
{
    put_key(t, key);
    put_str(t, value);
}

/* ---- JSON that the library makes --------------------------------------------------- */

/* Writes the JSON that a function ..._make_json() has made.  `r` is the function's return
 * value.  If `r` is negative, marks `t` as failed.  If `key` is not NULL, writes only the
 * value of this member.  Frees `json`. */
static void
put_made(struct text *t, int r, char *json, size_t len, const char *key)
{
    const char *s = json;

    if (r == 0 && key)
        s = find_member(json, len, key, &len);
    if (r < 0)
        t->failed = 1;
    else
        put_raw(t, s, len);
    mcphost_free(json);
}

void
row_error(struct text *t, int code, const mcphost_error *err)
{
    char *json = NULL;
    size_t len = 0;
    int r;

    if (err) {
        r = mcphost_error_make_json(err, &json, &len);
        put_made(t, r, json, len, NULL);
        return;
    }
    put_begin(t, '{');
    put_key(t, "code");
    put_int(t, code);
    member_str(t, "message", mcphost_strerror(code));
    put_end(t, '}');
}

void
row_problem(struct text *t, const mcphost_problem *problem)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_problem_make_json(problem, &json, &len);

    put_made(t, r, json, len, NULL);
}

void
row_server(struct text *t, const mcphost_status *status, size_t index)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_status_server_make_json(status, index, &json, &len);

    put_made(t, r, json, len, NULL);
}

static void
rows_of_status(struct text *t, const mcphost_status *status, const char *key)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_status_make_json(status, &json, &len);

    put_made(t, r, json, len, key);
}

void
rows_servers(struct text *t, const mcphost_status *status)
{
    rows_of_status(t, status, "servers");
}

void
rows_leases(struct text *t, const mcphost_status *status)
{
    rows_of_status(t, status, "leases");
}

void
rows_problems(struct text *t, const mcphost_problems *problems)
{
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_problems_make_json(problems, &json, &len);

    put_made(t, r, json, len, "problems");
}

int
rows_plugins(struct text *t, mcphost_plugins *plugins)
{
    mcphost_plugin_rows *rows = NULL;
    char *json = NULL;
    size_t len = 0;
    int r = mcphost_plugins_get_rows(plugins, &rows);

    if (r == 0)
        r = mcphost_plugin_rows_make_json(rows, &json, &len);
    if (r == 0) {
        put_begin(t, '{');
        put_key(t, "plugins");
        put_raw(t, json, len);
        put_end(t, '}');
    }
    mcphost_free(json);
    mcphost_plugin_rows_unref(rows);
    return r;
}

/* ---- tools ------------------------------------------------------------------------- */

void
row_tool(struct text *t, const mcphost_tool *tool, const char *toolset)
{
    size_t len = 0;
    const char *description = mcphost_tool_get_description(tool, &len);

    put_begin(t, '{');
    member_str(t, "name", mcphost_tool_get_name(tool));
    member_str(t, "original", mcphost_tool_get_original_name(tool));
    member_str(t, "server", mcphost_tool_get_server_id(tool));
    put_source(t, mcphost_tool_get_source_id(tool));
    member_str(t, "toolset", toolset);
    put_key(t, "description");
    put_text(t, description, len);
    put_end(t, '}');
}

void
rows_tools(struct text *t, const mcphost_catalog *catalog, const char *toolset)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_catalog_count_toolsets(catalog); i++) {
        const char *name = mcphost_catalog_get_toolset(catalog, i);
        size_t n = mcphost_catalog_count_toolset_tools(catalog, i);

        for (size_t k = 0; k < n && (!toolset || strcmp(name, toolset) == 0); k++)
            row_tool(t, mcphost_catalog_get_toolset_tool(catalog, i, k), name);
    }
    put_end(t, ']');
}
