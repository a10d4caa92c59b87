/* SPDX-License-Identifier: MIT
 *
 * budget.c - what a compile or a check may cost: steps, and processor time.
 *
 * A step is some 25 ns of work.  Each loop whose length a schema or a value decides
 * spends its steps before it runs, or while it runs, so that the steps alone end
 * everything, and end it at the same place on each machine.  The time is only the
 * second bound; it is processor time, since a busy machine is no fault of the schema.
 */
#include "schema/inner.h"

#define LOOK_EVERY 4096 /* steps between two looks at the clock */
#define UNKNOWN    INT64_MIN

void
mcph_budget_init(struct mcph_budget *budget, const mcphost_schema *schema)
{
    *budget = (struct mcph_budget){
        .max = (uint64_t)schema->options[MCPHOST_SCHEMA_OPT_MAX_STEPS],
        .ms = schema->options[MCPHOST_SCHEMA_OPT_MAX_MS],
        .until = UNKNOWN,
    };
    budget->look = budget->max < LOOK_EVERY ? budget->max + 1 : LOOK_EVERY;
}

int
mcph_budget_look(struct mcph_budget *budget)
{
    int64_t now = budget->ms < 0 ? 0 : mcph_clock_thread_ms();

    if (budget->err)
        return budget->err;
    /* Most checks end before the clock is read at all. */
    if (budget->until == UNKNOWN)
        budget->until = budget->ms < 0 ? INT64_MAX : now + budget->ms;
    if (budget->steps > budget->max)
        budget->err = MCPHOST_E_LIMIT;
    else if (now > budget->until)
        budget->err = MCPHOST_E_TIMEOUT;
    /* A budget that is spent stays so: each later look ends here. */
    if (budget->err)
        budget->look = 0;
    else
        budget->look = budget->max - budget->steps < LOOK_EVERY
                           ? budget->max + 1
                           : budget->steps + LOOK_EVERY;
    return budget->err;
}

int
mcph_schema_spend(mcphost_schema *schema, uint64_t steps, mcphost_error **reterr)
{
    int r = mcph_budget_spend(&schema->budget, steps);

    if (r == 0)
        return 0;
    return mcph_err(reterr, r,
                    r == MCPHOST_E_LIMIT ? "compiling the schema takes too many steps"
                                         : "compiling the schema takes too long");
}
