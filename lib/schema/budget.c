/* SPDX-License-Identifier: MIT
 *
 * budget.c - limit the steps and the processor time of one compilation or check.
 *
 * A step is about 25 ns of work.  Each loop whose length depends on a schema or a value
 * charges its steps before or while it runs.  Therefore the steps alone bound all work.
 * This bound is the same on every machine.  Time is a second bound.  The time is
 * processor time, so that other processes on a busy machine do not use up the limit.
 */
#include "schema/inner.h"

#define LOOK_EVERY 4096 /* steps between two readings of the clock */
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
    /* Start the time limit at the first call of this function, because most checks end
     * before this call. */
    if (budget->until == UNKNOWN)
        budget->until = budget->ms < 0 ? INT64_MAX : now + budget->ms;
    if (budget->steps > budget->max)
        budget->err = MCPHOST_E_LIMIT;
    else if (now > budget->until)
        budget->err = MCPHOST_E_TIMEOUT;
    /* Once the budget is spent, `look` stays 0, so that every later charge returns
     * `err`. */
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
