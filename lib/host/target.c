/* SPDX-License-Identifier: MIT
 *
 * target.c - what calls are for: the kinds of targets, and what they differ in.
 *
 * run.c carries every call out in the same way: it looks for the server whose block
 * offers the target, leases an instance, and starts an operation.  The rows here say how
 * a target of each kind is checked, found again, named on the wire, and how its result
 * is checked.
 */
#include <stdio.h>

#include "host/builtin.h"
#include "host/call.h"
#include "host/view.h"

/* ---- tools ------------------------------------------------------------------------- */

static int
check_tool(mcphost_call *call, mcphost_error **reterr)
{
    return mcph_view_check(call->dialog, call->target.tool, reterr);
}

/* Under the same original name and with the same bytes of the input schema. */
static bool
tool_is_in(const struct mcph_target *target, const struct mcph_block *block)
{
    return mcph_block_successor(block, target->tool) != NULL;
}

static void
describe_tool(const struct mcph_target *target, char *text, size_t size)
{
    snprintf(text, size, "tool '%s'", mcph_tool_name(target->tool));
}

static void
describe_missing_tool(const struct mcph_target *target, const struct mcph_block *block,
                      char *text, size_t size)
{
    const char *name = mcph_tool_original(target->tool);
    bool changed = block && mcph_block_find_original(block, name);

    snprintf(text, size, "tool '%s' %s", name,
             changed ? "has another input schema now" : "is no longer offered");
}

static void
aim_at_tool(const struct mcph_target *target, const struct mcph_spec *spec,
            struct mcph_operation *op)
{
    /* Never the transformed name (R23). */
    op->name = mcph_span_str(mcph_tool_original(target->tool));
    op->name_token = mcph_tool_original_token(target->tool);
    if (mcph_transport_kind(spec->transport)->has_headers)
        op->schema = mcph_tool_input_schema(target->tool);
}

const struct mcph_target_kind mcph_target_tool = {
    .method = &mcph_methods[MCPH_METHOD_CALL_TOOL],
    .check = check_tool,
    .is_in = tool_is_in,
    .describe = describe_tool,
    .describe_missing = describe_missing_tool,
    .aim = aim_at_tool,
    .check_result = mcph_validate_result,
};
