/* SPDX-License-Identifier: MIT
 *
 * dump.c - servers, leases, problems and errors as JSON, and mcphost_error_new().
 *
 * The names of the members are part of the interface.  The member "source" is present
 * only if the source is not the default source.
 */
#include <string.h>

#include "base/base.h"
#include "json/json.h"

#include <mcphost/mcphost.h>

#define DUMP_MAX ((size_t)256 << 20)

/* ---- members ----------------------------------------------------------------------- */

static void
add_int(struct mcph_buf *buf, const char *key, int64_t value)
{
    mcph_json_add_key(buf, key);
    mcph_buf_addi(buf, value);
}

/* Adds a pid or a time as the member `key`, or null if the value is not known. */
static void
add_known(struct mcph_buf *buf, const char *key, int64_t value, bool known)
{
    if (known)
        add_int(buf, key, value);
    else
        mcph_json_add_member(buf, key, NULL);
}

/* Adds the name of a value as the member `key`.  Adds null if the value has no name, or
 * if the value is 0 and `zero` is false. */
static void
add_name(struct mcph_buf *buf, const char *key, int which, int value, bool zero)
{
    mcph_json_add_member(buf, key,
                         value || zero ? mcphost_enum_get_name(which, value) : NULL);
}

static void
add_raw(struct mcph_buf *buf, const char *key, const char *json, size_t len)
{
    mcph_json_add_key(buf, key);
    mcph_buf_add(buf, json, len);
}

static void
add_source(struct mcph_buf *buf, const char *id)
{
    if (id)
        mcph_json_add_member(buf, "source", id);
}

/* ---- rows -------------------------------------------------------------------------- */

static void
add_error(struct mcph_buf *buf, const mcphost_error *err)
{
    const char *source = mcphost_error_get_source_id(err), *data, *tail;
    const char *server = mcphost_error_get_server_id(err);
    size_t len = 0;

    mcph_buf_addc(buf, '{');
    add_int(buf, "code", mcphost_error_get_code(err));
    mcph_json_add_member(buf, "message", mcphost_error_get_message(err));
    if (source)
        mcph_json_add_member(buf, "source", source);
    if (server)
        mcph_json_add_member(buf, "server", server);
    if (mcphost_error_get_code(err) == MCPHOST_E_RPC) {
        add_int(buf, "rpc_code", mcphost_error_get_rpc_code(err));
        data = mcphost_error_get_rpc_data(err, &len);
        if (data)
            add_raw(buf, "rpc_data", data, len);
    }
    if (mcphost_error_get_http_status(err) > 0)
        add_int(buf, "http_status", mcphost_error_get_http_status(err));
    tail = mcphost_error_get_stderr_tail(err);
    if (tail && *tail)
        mcph_json_add_member(buf, "stderr", tail);
    mcph_buf_addc(buf, '}');
}

static void
add_server(struct mcph_buf *buf, const mcphost_status *status, size_t i)
{
    mcphost_error *err = mcphost_status_server_get_error(status, i);
    int64_t pid = mcphost_status_server_get_pid(status, i);
    int64_t ms = mcphost_status_server_get_start_ms(status, i);
    int64_t latency = mcphost_status_server_get_latency_ms(status, i);
    int has_tools = mcphost_status_server_has_tools(status, i);

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "id", mcphost_status_server_get_id(status, i));
    add_source(buf, mcphost_status_server_get_source_id(status, i));
    add_name(buf, "transport", MCPHOST_ENUM_TRANSPORT,
             mcphost_status_server_get_transport(status, i), false);
    add_name(buf, "era", MCPHOST_ENUM_ERA, mcphost_status_server_get_era(status, i),
             false);
    mcph_json_add_member(buf, "version", mcphost_status_server_get_version(status, i));
    add_name(buf, "state", MCPHOST_ENUM_SERVER_STATE,
             mcphost_status_server_get_state(status, i), true);
    add_known(buf, "pid", pid, pid > 0);
    add_name(buf, "containment", MCPHOST_ENUM_CONTAINMENT,
             mcphost_status_server_get_containment(status, i), false);
    add_int(buf, "tools", (int64_t)mcphost_status_server_count_tools(status, i));
    mcph_json_add_key(buf, "has_tools");
    mcph_buf_adds(buf, has_tools < 0 ? "null" : has_tools ? "true" : "false");
    add_known(buf, "ms", ms, ms >= 0);
    add_known(buf, "latency_ms", latency, latency >= 0);
    mcph_json_add_key(buf, "error");
    if (err)
        add_error(buf, err);
    else
        mcph_buf_adds(buf, "null");
    mcph_buf_addc(buf, '}');
}

static void
add_lease(struct mcph_buf *buf, const mcphost_status *status, size_t i)
{
    int64_t pid = mcphost_status_lease_get_pid(status, i);

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "server", mcphost_status_lease_get_server_id(status, i));
    add_source(buf, mcphost_status_lease_get_source_id(status, i));
    mcph_json_add_member(buf, "dialog", mcphost_status_lease_get_dialog_id(status, i));
    add_name(buf, "scope", MCPHOST_ENUM_SCOPE, mcphost_status_lease_get_scope(status, i),
             true);
    mcph_json_add_member(buf, "scope_key", mcphost_status_lease_get_scope_key(status, i));
    add_known(buf, "pid", pid, pid > 0);
    add_name(buf, "state", MCPHOST_ENUM_INSTANCE_STATE,
             mcphost_status_lease_get_state(status, i), true);
    add_int(buf, "in_flight", (int64_t)mcphost_status_lease_count_in_flight(status, i));
    add_int(buf, "since_ms", mcphost_status_lease_get_since_ms(status, i));
    mcph_buf_addc(buf, '}');
}

static void
add_problem(struct mcph_buf *buf, const mcphost_problem *problem)
{
    size_t len;
    const char *detail = mcphost_problem_get_detail(problem, &len);

    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "id", mcphost_problem_get_id(problem));
    mcph_json_add_member(buf, "kind", mcphost_problem_get_kind(problem));
    add_name(buf, "severity", MCPHOST_ENUM_SEVERITY,
             mcphost_problem_get_severity(problem), true);
    mcph_json_add_member(buf, "server", mcphost_problem_get_server_id(problem));
    add_source(buf, mcphost_problem_get_source_id(problem));
    mcph_json_add_member(buf, "message", mcphost_problem_get_message(problem));
    add_raw(buf, "detail", detail, len);
    add_int(buf, "first_seen_ms", mcphost_problem_get_first_seen_ms(problem));
    add_int(buf, "last_seen_ms", mcphost_problem_get_last_seen_ms(problem));
    if (mcphost_problem_is_resolved(problem))
        add_int(buf, "resolved_ms", mcphost_problem_get_resolved_ms(problem));
    mcph_buf_addc(buf, '}');
}

/* ---- errors and dumps -------------------------------------------------------------- */

int
mcphost_error_new(int code, const char *message, mcphost_error **reterr)
{
    if (code >= 0 || !message || !mcph_utf8_is_text(message))
        return MCPHOST_E_INVALID;
    return mcph_err(reterr, code, "%s", message);
}

int
mcphost_error_make_json(const mcphost_error *err, char **ret_json, size_t *ret_len)
{
    struct mcph_buf buf;

    if (!err || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, DUMP_MAX);
    add_error(&buf, err);
    return mcph_buf_give(&buf, ret_json, ret_len);
}

int
mcphost_problem_make_json(const mcphost_problem *problem, char **ret_json,
                          size_t *ret_len)
{
    struct mcph_buf buf;

    if (!problem || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, DUMP_MAX);
    add_problem(&buf, problem);
    return mcph_buf_give(&buf, ret_json, ret_len);
}

int
mcphost_problems_make_json(const mcphost_problems *problems, char **ret_json,
                           size_t *ret_len)
{
    struct mcph_buf buf;

    if (!problems || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, DUMP_MAX);
    mcph_buf_addc(&buf, '{');
    add_int(&buf, "version", (int64_t)mcphost_problems_get_version(problems));
    mcph_json_add_key(&buf, "problems");
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < mcphost_problems_count(problems); i++)
        add_problem(&buf, mcphost_problems_get(problems, i));
    mcph_buf_adds(&buf, "]}");
    return mcph_buf_give(&buf, ret_json, ret_len);
}

int
mcphost_status_server_make_json(const mcphost_status *status, size_t index,
                                char **ret_json, size_t *ret_len)
{
    struct mcph_buf buf;

    if (index >= mcphost_status_count_servers(status) || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, DUMP_MAX);
    add_server(&buf, status, index);
    return mcph_buf_give(&buf, ret_json, ret_len);
}

int
mcphost_status_make_json(const mcphost_status *status, char **ret_json, size_t *ret_len)
{
    struct mcph_buf buf;

    if (!status || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, DUMP_MAX);
    mcph_buf_adds(&buf, "{\"servers\":[");
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
        add_server(&buf, status, i);
    mcph_buf_adds(&buf, "],\"leases\":[");
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++)
        add_lease(&buf, status, i);
    mcph_buf_adds(&buf, "]}");
    return mcph_buf_give(&buf, ret_json, ret_len);
}
