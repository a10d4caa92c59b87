/* SPDX-License-Identifier: MIT
 *
 * schema.c - the compiled schemas of a block's tools.
 *
 * The first thread that needs a schema compiles the schema.  The block keeps the result.
 * If two threads compile the same schema, the second result is dropped.  A schema that
 * does not compile is not kept.
 */
#include <stdlib.h>

#include "catalog/catalog.h"
#include "schema/schema.h"

/* The time limit in ms of compiling a schema, and of each check.  A check runs on the
 * thread that makes the call, or on the dispatcher, and a long check would delay this
 * thread.  The limit on steps ends most long checks first.  The time limit ends a check
 * whose single steps take too long. */
#define CHECK_MS 250

struct mcph_tool_schemas {
    _Atomic(mcphost_schema *) at[1]; /* there are count_slots() slots */
};

static size_t
count_slots(const struct mcph_block *block)
{
    return (block->n_items + block->n_apart) * MCPH_N_TOOL_SCHEMAS;
}

static struct mcph_tool_schemas *
slots_of(struct mcph_block *block)
{
    struct mcph_tool_schemas *slots = atomic_load(&block->schemas), *mine;

    if (slots)
        return slots;
    mine = calloc(count_slots(block), sizeof(mine->at[0]));
    if (!mine)
        return NULL;
    if (atomic_compare_exchange_strong(&block->schemas, &slots, mine))
        return mine;
    free(mine);
    return slots;
}

static int
compile_schema(const mcphost_tool *tool, struct mcph_span text, int64_t steps,
               mcphost_schema **ret, mcphost_error **reterr)
{
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int r = mcph_schema_new(&schema);

    if (r < 0)
        return mcph_err_nomem(reterr);
    mcph_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_MS, CHECK_MS);
    mcph_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, steps);
    r = mcph_schema_compile(schema, text, &err);
    if (r == 0) {
        *ret = schema;
        return 0;
    }
    mcph_schema_unref(schema);
    if (r == MCPHOST_E_TIMEOUT)
        r = MCPHOST_E_LIMIT;
    else if (r != MCPHOST_E_NOMEM && r != MCPHOST_E_LIMIT)
        r = MCPHOST_E_INVALID;
    r = r == MCPHOST_E_NOMEM ? mcph_err_nomem(reterr)
                             : mcph_err(reterr, r, "tool '%s': %s", mcph_tool_name(tool),
                                        mcphost_error_get_message(err));
    mcphost_error_unref(err);
    return r;
}

/* Returns the slot of a schema, or NULL if the block has no slots yet. */
static _Atomic(mcphost_schema *) *
slot_of(struct mcph_tool_schemas *slots, const mcphost_tool *tool, int which)
{
    size_t at = (size_t)(tool - tool->block->items) * MCPH_N_TOOL_SCHEMAS + (size_t)which;

    return slots ? &slots->at[at] : NULL;
}

/* Compiles a schema and puts it into its slot, unless another thread was faster.  If
 * the tool lacks this schema, sets *ret_schema to NULL and returns 0. */
static int
make_schema(const mcphost_tool *tool, int which, int64_t steps,
            mcphost_schema **ret_schema, mcphost_error **reterr)
{
    struct mcph_span text = which == MCPH_TOOL_INPUT
                                ? mcph_tool_input_schema(tool)
                                : mcph_tool_member(tool, "outputSchema");
    struct mcph_tool_schemas *slots;
    _Atomic(mcphost_schema *) *slot;
    mcphost_schema *schema = NULL, *mine = NULL;
    int r;

    *ret_schema = NULL;
    if (!mcph_schema_is_built)
        return 0;
    slots = text.p ? slots_of(tool->block) : NULL;
    slot = slot_of(slots, tool, which);
    if (!slot)
        return text.p ? mcph_err_nomem(reterr) : 0;
    r = compile_schema(tool, text, steps, &mine, reterr);
    if (r < 0)
        return r;
    if (atomic_compare_exchange_strong(slot, &schema, mine))
        schema = mine;
    else
        mcph_schema_unref(mine);
    *ret_schema = schema;
    return 0;
}

int
mcph_tool_schema(const mcphost_tool *tool, int which, int64_t steps,
                 mcphost_schema **ret_schema, mcphost_error **reterr)
{
    _Atomic(mcphost_schema *) *slot =
        slot_of(atomic_load(&tool->block->schemas), tool, which);
    mcphost_schema *schema = slot ? atomic_load(slot) : NULL;

    if (!schema)
        return make_schema(tool, which, steps, ret_schema, reterr);
    *ret_schema = schema;
    return 0;
}

void
mcph_tool_schemas_done(struct mcph_block *block)
{
    struct mcph_tool_schemas *slots = atomic_load(&block->schemas);
    size_t i;

    for (i = 0; slots && i < count_slots(block); i++)
        mcph_schema_unref(atomic_load(&slots->at[i]));
    free(slots);
}
