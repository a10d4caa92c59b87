/* SPDX-License-Identifier: MIT
 *
 * validate.c - check the arguments of a tool call before the call, and the structured
 * content of its result after the call.
 *
 * The arguments and the results of a built-in tool are always checked.  For a server's
 * tool, the policies of the server's source are in force, unless the server's entry names
 * a policy (R54).  Arguments are checked on the thread that makes the call, or on the
 * dispatcher if the call waits for its tool.  Results of servers are checked on the
 * dispatcher.  Results of built-in tools are checked on the thread that answers.  Schemas
 * are compiled once for each edition of a tool.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"
#include "host/host.h"
#include "schema/schema.h"

#define ARGUMENTS_MAX ((size_t)32 * 1024 * 1024)

static int
policy_of(const mcphost *host, const mcphost_tool *tool)
{
    if (!mcph_block_is_builtin(tool->block))
        return tool->block->arguments;
    /* Always check the arguments of a built-in tool, because its function relies on the
     * schema. */
    return host->options[MCPHOST_OPT_ARGUMENTS] == MCPHOST_ARGUMENTS_COMPLETE
               ? MCPHOST_ARGUMENTS_COMPLETE
               : MCPHOST_ARGUMENTS_FULL;
}

/* Turns the result of a check into a code and an error.  The error has one line about all
 * faults.  Takes over `err`, but not the report. */
static int
report_verdict(int r, const mcphost_schema_report *report, mcphost_error *err,
               const char *what, const mcphost_tool *tool, mcphost_error **reterr)
{
    if (r == MCPHOST_SCHEMA_INVALID)
        r = mcph_err(reterr, MCPHOST_E_INVALID, "%s of tool '%s': %s", what,
                     mcph_tool_name(tool), mcph_schema_report_line(report).p);
    else if (r == MCPHOST_E_NOMEM)
        r = mcph_err_nomem(reterr);
    else if (r != MCPHOST_SCHEMA_VALID)
        r = mcph_err(reterr, r < 0 ? r : MCPHOST_E_LIMIT, "%s of tool '%s': %s", what,
                     mcph_tool_name(tool),
                     err ? mcphost_error_get_message(err) : "checking took too long");
    mcphost_error_unref(err);
    return r;
}

/* Checks that `json` fits the schema.  The caller has checked that `json` is JSON. */
static int
check_fit(mcphost_schema *schema, struct mcph_span json, const char *what,
          const mcphost_tool *tool, mcphost_error **reterr)
{
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    int r = mcph_schema_validate(schema, json, MCPH_SCHEMA_CHECKED, NULL, &err);

    /* Repeat the check with a report.  Only a refusal needs a report. */
    if (r == MCPHOST_SCHEMA_INVALID)
        r = mcph_schema_validate(schema, json, 0, &report, &err);
    r = report_verdict(r, report, err, what, tool, reterr);
    mcph_schema_report_unref(report);
    return r;
}

/* Adds the schema's defaults to the arguments, then checks the arguments.  On success,
 * *json points into *ret_holds. */
static int
complete_value(mcphost_schema *schema, struct mcph_span *json, const mcphost_tool *tool,
               mcphost_schema_report **ret_holds, mcphost_error **reterr)
{
    mcphost_schema_report *report = NULL;
    mcphost_error *err = NULL;
    int r = mcph_schema_validate(schema, *json, MCPHOST_SCHEMA_DEFAULTS, &report, &err);

    r = report_verdict(r, report, err, "arguments", tool, reterr);
    if (r == 0 && mcph_schema_report_instance(report).len > ARGUMENTS_MAX)
        r = mcph_err(reterr, MCPHOST_E_LIMIT,
                     "arguments of tool '%s' with their defaults are larger than %zu "
                     "bytes",
                     mcph_tool_name(tool), ARGUMENTS_MAX);
    if (r < 0) {
        mcph_schema_report_unref(report);
        return r;
    }
    *json = mcph_schema_report_instance(report);
    *ret_holds = report;
    return 0;
}

/* Checks that *json is JSON of this type.  Removes the white space around *json. */
static int
check_text(const mcphost_tool *tool, int type, struct mcph_span *json,
           mcphost_error **reterr)
{
    struct mcph_span value;
    char *what;
    int r;

    if (mcph_json_check(*json, 0, &value, NULL) == 0 &&
        (type == MCPH_JSON_ANY || mcph_json_type(value) == type)) {
        *json = value;
        return 0;
    }
    what = tool ? mcph_asprintf("arguments of tool '%s'", mcph_tool_name(tool))
                : mcph_strdup("arguments");
    if (!what)
        return mcph_err_nomem(reterr);
    r = mcph_json_check_input(*json, 0, type, what, json, reterr);
    free(what);
    return r;
}

int
mcph_validate_arguments(mcphost *host, const mcphost_tool *tool, struct mcph_span *json,
                        mcphost_schema_report **ret_holds, mcphost_error **reterr)
{
    int policy = tool ? policy_of(host, tool) : MCPHOST_ARGUMENTS_OFF;
    int type = policy == MCPHOST_ARGUMENTS_OFF ? MCPH_JSON_ANY : MCPH_JSON_OBJECT;
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int r, unready = 0;

    if (json->len > ARGUMENTS_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "arguments are larger than %zu bytes",
                        ARGUMENTS_MAX);
    if (policy == MCPHOST_ARGUMENTS_FULL || policy == MCPHOST_ARGUMENTS_COMPLETE)
        unready =
            mcph_tool_schema(tool, MCPH_TOOL_INPUT,
                             host->options[MCPHOST_OPT_SCHEMA_STEPS], &schema, &err);
    /* Try the quick check first.  It can accept only arguments that have few members,
     * all of them scalars with names from the schema.  Most arguments are of this
     * kind. */
    if (policy == MCPHOST_ARGUMENTS_FULL && schema &&
        mcph_schema_plainly_fits(schema, *json, json))
        return 0;
    r = check_text(tool, type, json, reterr);
    if (r == 0 && unready < 0) {
        r = unready;
        if (reterr)
            *reterr = mcphost_error_ref(err);
    } else if (r == 0 && schema) {
        r = policy == MCPHOST_ARGUMENTS_COMPLETE
                ? complete_value(schema, json, tool, ret_holds, reterr)
                : check_fit(schema, *json, "arguments", tool, reterr);
    }
    mcphost_error_unref(err);
    return r;
}

/* ---- results ----------------------------------------------------------------------- */

static int
check_result(mcphost *host, const mcphost_tool *tool, struct mcph_span content,
             mcphost_error **reterr)
{
    mcphost_schema *schema = NULL;
    int r = mcph_tool_schema(tool, MCPH_TOOL_OUTPUT,
                             host->options[MCPHOST_OPT_SCHEMA_STEPS], &schema, reterr);

    if (r < 0 || !schema)
        return r;
    if (!content.p)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "tool '%s' has an output schema, but its result has no "
                        "structured content",
                        mcph_tool_name(tool));
    return check_fit(schema, content, "structured content", tool, reterr);
}

/* Returns true if the tool marks the result as a failure.  The result of a failure need
 * not fit the output schema. */
static bool
is_failure(struct mcph_span result)
{
    bool is_error = false;

    mcph_json_bool(mcph_json_get(result, "isError"), &is_error);
    return is_error;
}

int
mcph_validate_answer(mcphost *host, const mcphost_tool *tool, struct mcph_span result,
                     mcphost_error **reterr)
{
    if (is_failure(result))
        return 0;
    return check_result(host, tool, mcph_json_get(result, "structuredContent"), reterr);
}

int
mcph_validate_result(mcphost_call *call, struct mcph_span result, mcphost_error **reterr)
{
    const mcphost_tool *tool = call->target.tool;
    int policy = tool->block->results, r;
    const char *server = mcph_tool_server_id(tool), *source = tool->block->source;
    mcphost_error *err, *seen = NULL;

    if (policy == MCPHOST_RESULTS_OFF || is_failure(result))
        return 0;
    r = check_result(call->host, tool, mcph_json_get(result, "structuredContent"), &seen);
    err = mcph_err_masked(seen, call->instance ? call->instance->mask : NULL);
    mcphost_error_unref(seen);
    if (r < 0 && policy == MCPHOST_RESULTS_FAIL) {
        r = r == MCPHOST_E_NOMEM ? mcph_err_nomem(reterr)
                                 : mcph_err(reterr, MCPHOST_E_PROTOCOL, "%s",
                                            mcphost_error_get_message(err));
        if (reterr)
            mcph_err_set_server(*reterr, source, server);
    } else if (r < 0) {
        mcph_problem_result(&call->host->journal, source, server,
                            mcph_tool_original(tool), mcphost_error_get_message(err));
        r = 0;
    } else if (policy == MCPHOST_RESULTS_REPORT) {
        mcph_problem_result(&call->host->journal, source, server,
                            mcph_tool_original(tool), NULL);
    }
    mcphost_error_unref(err);
    return r;
}
