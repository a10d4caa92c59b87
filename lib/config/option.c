/* SPDX-License-Identifier: MIT
 *
 * option.c - the table of the options in policy.h.
 *
 * Code that sets or checks an option reads the limits, the default and the texts of
 * messages from the table.  A new option needs a row here, its number in policy.h, its
 * lines in the manual, and code that uses the option.  A test compares the manual's table
 * of values with these rows.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "config/config.h"
#include <mcphost/logins.h>

#define EXPECTED_MAX 512

#define ENDLESS (INT64_MAX / 4)
#define YEAR    (INT64_C(1000) * 3600 * 24 * 365)
#define KIB     INT64_C(1024)
#define MIB     (1024 * KIB)
#define GIB     (1024 * MIB)
#define TIB     (1024 * GIB)

#define MS     MCPH_OPTION_MS
#define COUNT  MCPH_OPTION_COUNT
#define BYTES  MCPH_OPTION_BYTES
#define BOOL   MCPH_OPTION_BOOL
#define CHOICE MCPH_OPTION_CHOICE
#define FLAGS  MCPH_OPTION_FLAGS

#define SOURCE MCPH_OPTION_OF_SOURCE
#define LATE   MCPH_OPTION_ANY_TIME

#define OPT(option)  MCPHOST_OPT_##option
#define ENUM(values) MCPHOST_ENUM_##values

/* The columns are the option, its kind, its smallest and its largest value, its default,
 * its values, its flags, and a directory of lib that uses the option. */
static const struct mcph_option options[] = {
    {OPT(START_TIMEOUT), MS, 1, ENDLESS, 60000, 0, SOURCE, "pool"},
    {OPT(LIST_TIMEOUT), MS, 1, ENDLESS, 15000, 0, SOURCE, "pool"},
    {OPT(CALL_TIMEOUT), MS, 0, ENDLESS, 60000, ENUM(TIMEOUT), SOURCE, "host"},
    {OPT(PROBE_TIMEOUT), MS, 1, ENDLESS, 5000, 0, SOURCE, "pool"},
    {OPT(DRAIN_TIMEOUT), MS, 0, ENDLESS, MCPHOST_DRAIN_AUTO, ENUM(DRAIN), SOURCE, "pool"},
    {OPT(STOP_EOF), MS, 0, 600000, 2000, 0, SOURCE, "pool"},
    {OPT(STOP_TERM), MS, 0, 600000, 2000, 0, SOURCE, "pool"},
    {OPT(FIRST_LEASE_WAIT), MS, 0, ENDLESS, 30000, 0, SOURCE, "workspace"},
    {OPT(RESTART_DELAY), MS, 1, 60000, 1000, 0, SOURCE, "pool"},
    {OPT(RELOAD_DEBOUNCE), MS, 100, 500, 200, 0, SOURCE, "workspace"},
    {OPT(RELOAD_POLL), MS, 10, 3600000, 1500, 0, SOURCE, "workspace"},
    {OPT(LEASE_IDLE), MS, 0, ENDLESS, 0, 0, SOURCE, "host"},
    {OPT(PING), MS, 0, ENDLESS, 0, 0, SOURCE, "pool"},
    {OPT(PING_TIMEOUT), MS, 1, ENDLESS, 10000, 0, SOURCE, "pool"},
    {OPT(CRASH_WINDOW), MS, 1, ENDLESS, 60000, 0, SOURCE, "workspace"},
    {OPT(REQUEST_TIMEOUT), MS, 0, YEAR, 600000, ENUM(TIMEOUT), 0, "pool"},
    {OPT(WAIT_STARTING), MS, 0, ENDLESS, 0, 0, LATE, "host"},
    {OPT(TASK_TIMEOUT), MS, 0, ENDLESS, 86400000, ENUM(TIMEOUT), SOURCE, "host"},
    {OPT(CONCURRENT_STARTS), COUNT, 1, 1024, 8, 0, 0, "pool"},
    {OPT(CALLS_IN_FLIGHT), COUNT, 1, 65536, 256, 0, 0, "pool"},
    {OPT(QUEUED_CALLS), COUNT, 0, 1048576, 4096, 0, 0, "pool"},
    {OPT(MESSAGE_BYTES), BYTES, KIB, 4 * GIB, 64 * MIB, 0, 0, "pool"},
    {OPT(LIST_PAGES), COUNT, 1, 100000, 64, 0, SOURCE, "pool"},
    {OPT(LIST_TOOLS), COUNT, 1, 10000000, 100000, 0, SOURCE, "workspace"},
    {OPT(TEXT_SPILL), BYTES, 8192, TIB, MIB, 0, LATE, "host"},
    {OPT(SPOOL_BYTES), BYTES, 0, TIB, GIB, 0, 0, "host"},
    {OPT(CACHE_BYTES), BYTES, 0, 4 * GIB, 16 * MIB, 0, 0, "pool"},
    {OPT(SAMPLING_OPEN), COUNT, 1, 256, 8, 0, SOURCE, "host"},
    {OPT(SAMPLING_RATE), COUNT, 1, 1000000, 60, 0, SOURCE, "host"},
    {OPT(SAMPLING_DEPTH), COUNT, 1, 16, 1, 0, SOURCE, "host"},
    {OPT(SCHEMA_STEPS), COUNT, 1000, TIB, 200000, 0, 0, "host"},
    {OPT(TOOL_TEXT), BYTES, 64, GIB, 32 * KIB, 0, SOURCE, "workspace"},
    {OPT(HELD_BYTES), BYTES, MIB, TIB, 192 * MIB, 0, 0, "host"},
    {OPT(ARTIFACT_FILES), COUNT, 0, TIB, 10000, 0, LATE, "host"},
    {OPT(INHERIT_ENV), CHOICE, 0, 0, MCPHOST_ENV_ALL, ENUM(INHERITED_ENV), SOURCE,
     "pool"},
    {OPT(COLLISION), CHOICE, 0, 0, MCPHOST_COLLISION_SKIP, ENUM(COLLISION), SOURCE,
     "workspace"},
    {OPT(ARGUMENTS), CHOICE, 0, 0, MCPHOST_ARGUMENTS_OBJECT, ENUM(ARGUMENTS_CHECK),
     SOURCE, "workspace"},
    {OPT(GUARD), CHOICE, 0, 0, MCPHOST_GUARD_REQUIRED, ENUM(GUARD_MODE), 0, "pool"},
    {OPT(WARDEN), BOOL, 0, 1, 1, 0, 0, "pool"},
    {OPT(ADMIN_TOOLS), BOOL, 0, 1, 0, 0, 0, "host"},
    {OPT(RETRY), BOOL, 0, 1, 1, 0, SOURCE, "workspace"},
    {OPT(RELOAD), CHOICE, 0, 0, MCPHOST_RELOAD_WATCH, ENUM(RELOAD_MODE), SOURCE,
     "workspace"},
    {OPT(SHOW_ENV), BOOL, 0, 1, 0, 0, LATE, "host"},
    {OPT(REMOVED), CHOICE, 0, 0, MCPHOST_REMOVED_SUCCESSOR, ENUM(REMOVED), SOURCE,
     "workspace"},
    {OPT(REQUESTS), FLAGS, 0, 0, 0, ENUM(REQUEST_KIND), 0, "pool"},
    {OPT(LAST_GOOD), CHOICE, 0, 0, MCPHOST_LAST_GOOD_KEEP, ENUM(LAST_GOOD), SOURCE,
     "workspace"},
    {OPT(RESULTS), CHOICE, 0, 0, MCPHOST_RESULTS_OFF, ENUM(RESULTS_CHECK), SOURCE,
     "workspace"},
    {OPT(TRANSPORTS), FLAGS, 1, 0, MCPH_TRANSPORTS_USUAL, ENUM(ALLOWED_TRANSPORT), SOURCE,
     "pool"},
    {OPT(HTTP_DIAGNOSIS), BOOL, 0, 1, 1, 0, SOURCE, "pool"},
    {OPT(HOLDERS), CHOICE, 0, 0, MCPHOST_HOLDERS_KEEP, ENUM(HOLDERS), SOURCE,
     "workspace"},
    {OPT(NAMES), CHOICE, 0, 0, MCPHOST_NAMES_TRANSFORMS, ENUM(NAMES), SOURCE,
     "workspace"},
    {OPT(MANUALS), CHOICE, 0, 0, MCPHOST_MANUALS_OPTIONAL, ENUM(MANUALS), SOURCE,
     "workspace"},
    {OPT(LEASE_SCOPE), CHOICE, 0, 0, MCPHOST_SCOPE_DIALOG, ENUM(SCOPE), SOURCE,
     "workspace"},
    {OPT(MESSAGES), CHOICE, 0, 0, MCPHOST_MESSAGES_UNASKED, ENUM(MESSAGE_LEVEL), SOURCE,
     "pool"},
    {OPT(APPS), BOOL, 0, 1, 0, 0, SOURCE, "pool"},
    {OPT(DENIED), FLAGS, 0, 0, 0, ENUM(DENY), SOURCE, "workspace"},
    {OPT(SERVED_ERA), CHOICE, 0, 0, MCPHOST_ERA_AUTO, ENUM(ERA), LATE, "serve"},
    {OPT(LOGIN_FLOW), CHOICE, 0, 0, MCPHOST_FLOW_AUTO, ENUM(LOGIN_FLOW), SOURCE, "pool"},
    {OPT(ITEM_TYPES), CHOICE, 0, 0, MCPHOST_ITEMS_TEXT_IMAGE, ENUM(ITEM_TYPES), LATE,
     "host"},
};

const struct mcph_option *
mcph_option_at(size_t index)
{
    return index < MCPH_ARRAY_SIZE(options) ? &options[index] : NULL;
}

const struct mcph_option *
mcph_option_find(int number)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(options); i++) {
        if (options[i].number == number)
            return &options[i];
    }
    return NULL;
}

static bool
allows_value(const struct mcph_option *option, int64_t value)
{
    int named = value == (int)value ? (int)value : INT_MAX, bit;

    if (option->kind == FLAGS) {
        if (value < option->min)
            return false;
        for (size_t i = 0; mcphost_enum_get_value(option->values, i, &bit) == 0; i++)
            value &= ~(int64_t)bit;
        return value == 0;
    }
    return (option->kind != CHOICE && value >= option->min && value <= option->max) ||
           mcphost_enum_get_name(option->values, named);
}

void
mcph_option_expected(const struct mcph_option *option, struct mcph_buf *buf)
{
    static const char *const units[] = {
        [MS] = "milliseconds", [COUNT] = "a number", [BYTES] = "bytes",
        [BOOL] = "0 or 1",     [CHOICE] = "",        [FLAGS] = "the sum of some of "};

    mcph_buf_adds(buf, units[option->kind]);
    if (option->kind <= BYTES) {
        mcph_buf_addf(buf, " from %" PRId64, option->min);
        if (option->max < ENDLESS)
            mcph_buf_addf(buf, " to %" PRId64, option->max);
        else
            mcph_buf_adds(buf, " on");
        if (option->values)
            mcph_buf_adds(buf, ", or ");
    }
    mcph_enum_put(option->values, SIZE_MAX, true, buf);
    if (option->kind == FLAGS && option->min == 0)
        mcph_buf_adds(buf, ", or 0");
}

int
mcph_option_check(int number, int64_t value, mcphost_error **reterr)
{
    const struct mcph_option *option = mcph_option_find(number);
    struct mcph_buf expected;
    int r;

    if (!option)
        return mcph_err(reterr, MCPHOST_E_INVALID, "no option has the number %d", number);
    if (allows_value(option, value))
        return 0;
    if (!reterr)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&expected, EXPECTED_MAX);
    mcph_option_expected(option, &expected);
    r = mcph_buf_ok(&expected);
    if (r < 0)
        mcph_err_nomem(reterr);
    else
        r = mcph_err(reterr, MCPHOST_E_INVALID,
                     "option %s: expected %.*s, found %" PRId64,
                     mcphost_enum_get_name(ENUM(OPTION), number), (int)expected.len,
                     expected.data, value);
    mcph_buf_done(&expected);
    return r;
}
