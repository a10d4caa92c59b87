/* SPDX-License-Identifier: MIT
 *
 * rows.c - servers, leases, tools, problems and errors as JSON.
 *
 * The members are part of the interface: see mcphostctl(1).
 */
#include <string.h>

#include "ctl.h"
#include "words.h"

const char *
name_era(const char *version)
{
    if (!version)
        return NULL;
    return strcmp(version, "2026-07-28") >= 0 ? "modern" : "legacy";
}

/* ---- members ----------------------------------------------------------------------- */

static void
member_str(struct text *t, const char *key, const char *value)
{
    put_key(t, key);
    put_str(t, value);
}

static void
member_int(struct text *t, const char *key, int64_t value)
{
    put_key(t, key);
    put_int(t, value);
}

/* For pids and times: what is not known is null. */
static void
member_known(struct text *t, const char *key, int64_t value, int known)
{
    put_key(t, key);
    if (known)
        put_int(t, value);
    else
        put_raw(t, NULL, 0);
}

/* ---- rows -------------------------------------------------------------------------- */

void
row_error(struct text *t, int code, const mcphost_error *err)
{
    const char *data, *tail;
    size_t len = 0;
    int status;

    put_begin(t, '{');
    member_int(t, "code", err ? mcphost_error_get_code(err) : code);
    member_str(t, "message",
               err ? mcphost_error_get_message(err) : mcphost_strerror(code));
    if (err && mcphost_error_get_server_id(err))
        member_str(t, "server", mcphost_error_get_server_id(err));
    if (err && mcphost_error_get_code(err) == MCPHOST_E_RPC) {
        member_int(t, "rpc_code", mcphost_error_get_rpc_code(err));
        data = mcphost_error_get_rpc_data(err, &len);
        if (data) {
            put_key(t, "rpc_data");
            put_raw(t, data, len);
        }
    }
    status = mcphost_error_get_http_status(err);
    if (status > 0)
        member_int(t, "http_status", status);
    tail = err ? mcphost_error_get_stderr_tail(err) : NULL;
    if (tail && *tail)
        member_str(t, "stderr", tail);
    put_end(t, '}');
}

void
row_server(struct text *t, const mcphost_status *status, size_t index)
{
    const char *version = mcphost_status_server_get_version(status, index);
    int64_t pid = mcphost_status_server_get_pid(status, index);
    int64_t ms = mcphost_status_server_get_start_ms(status, index);
    int64_t latency = mcphost_status_server_get_latency_ms(status, index);
    int has_tools = mcphost_status_server_has_tools(status, index);
    mcphost_error *err = mcphost_status_server_get_error(status, index);

    put_begin(t, '{');
    member_str(t, "id", mcphost_status_server_get_id(status, index));
    put_source(t, mcphost_status_server_get_source_id(status, index));
    member_str(t, "transport",
               name_unless_0(MCPHOST_ENUM_TRANSPORT,
                             mcphost_status_server_get_transport(status, index)));
    member_str(t, "era", name_era(version));
    member_str(t, "version", version);
    member_str(t, "state",
               name_of(MCPHOST_ENUM_SERVER_STATE,
                       mcphost_status_server_get_state(status, index)));
    member_known(t, "pid", pid, pid > 0);
    member_str(t, "containment",
               name_unless_0(MCPHOST_ENUM_CONTAINMENT,
                             mcphost_status_server_get_containment(status, index)));
    member_int(t, "tools", (int64_t)mcphost_status_server_count_tools(status, index));
    put_key(t, "has_tools");
    if (has_tools >= 0)
        put_flag(t, has_tools);
    else
        put_raw(t, NULL, 0);
    member_known(t, "ms", ms, ms >= 0);
    member_known(t, "latency_ms", latency, latency >= 0);
    put_key(t, "error");
    if (err)
        row_error(t, 0, err);
    else
        put_raw(t, NULL, 0);
    put_end(t, '}');
}

void
row_lease(struct text *t, const mcphost_status *status, size_t index)
{
    int64_t pid = mcphost_status_lease_get_pid(status, index);

    put_begin(t, '{');
    member_str(t, "server", mcphost_status_lease_get_server_id(status, index));
    put_source(t, mcphost_status_lease_get_source_id(status, index));
    member_str(t, "dialog", mcphost_status_lease_get_dialog_id(status, index));
    member_str(t, "scope",
               mcphost_enum_get_name(MCPHOST_ENUM_SCOPE,
                                     mcphost_status_lease_get_scope(status, index)));
    member_str(t, "scope_key", mcphost_status_lease_get_scope_key(status, index));
    member_known(t, "pid", pid, pid > 0);
    member_str(t, "state",
               name_of(MCPHOST_ENUM_INSTANCE_STATE,
                       mcphost_status_lease_get_state(status, index)));
    member_int(t, "in_flight",
               (int64_t)mcphost_status_lease_count_in_flight(status, index));
    member_int(t, "since_ms", mcphost_status_lease_get_since_ms(status, index));
    put_end(t, '}');
}

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
row_problem(struct text *t, const mcphost_problem *problem)
{
    const char *detail = mcphost_problem_get_detail(problem);

    put_begin(t, '{');
    member_str(t, "id", mcphost_problem_get_id(problem));
    member_str(t, "kind", mcphost_problem_get_kind(problem));
    member_str(t, "severity",
               name_of(MCPHOST_ENUM_SEVERITY, mcphost_problem_get_severity(problem)));
    member_str(t, "server", mcphost_problem_get_server_id(problem));
    put_source(t, mcphost_problem_get_source_id(problem));
    member_str(t, "message", mcphost_problem_get_message(problem));
    put_key(t, "detail");
    put_raw(t, detail, detail ? strlen(detail) : 0);
    member_int(t, "first_seen_ms", mcphost_problem_get_first_seen_ms(problem));
    member_int(t, "last_seen_ms", mcphost_problem_get_last_seen_ms(problem));
    put_end(t, '}');
}

/* ---- arrays ------------------------------------------------------------------------ */

void
rows_servers(struct text *t, const mcphost_status *status)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        row_server(t, status, i);
    put_end(t, ']');
}

void
rows_leases(struct text *t, const mcphost_status *status)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++)
        row_lease(t, status, i);
    put_end(t, ']');
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

void
rows_problems(struct text *t, const mcphost_problems *problems)
{
    put_begin(t, '[');
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        row_problem(t, mcphost_problems_get(problems, i));
    put_end(t, ']');
}
