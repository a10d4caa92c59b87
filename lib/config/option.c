/* SPDX-License-Identifier: MIT
 *
 * option.c - the options of policy.h, one row each: it drives setting, checking,
 * defaults and messages.
 *
 * A new option is a row here, its number in policy.h, its lines in the manual, and its
 * use.  A test compares the manual's table of values with these rows.
 */
#include <inttypes.h>
#include <string.h>

#include "config/config.h"

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

#define OPT(option) MCPHOST_OPT_##option
#define TRANSPORTS  "stdio streamable_http sse"
#define QUESTIONS   "form url sampling roots sampling_tools credentials"

/* Name, number, kind, least and greatest number, default, words, flags, room. */
static const struct mcph_option options[] = {
    {"start_timeout", OPT(START_TIMEOUT), MS, 1, ENDLESS, 60000, NULL, SOURCE, "pool"},
    {"list_timeout", OPT(LIST_TIMEOUT), MS, 1, ENDLESS, 15000, NULL, SOURCE, "pool"},
    {"call_timeout", OPT(CALL_TIMEOUT), MS, 0, ENDLESS, 60000, "none", SOURCE, "host"},
    {"probe_timeout", OPT(PROBE_TIMEOUT), MS, 1, ENDLESS, 5000, NULL, SOURCE, "pool"},
    {"drain_timeout", OPT(DRAIN_TIMEOUT), MS, 0, ENDLESS, MCPHOST_DRAIN_AUTO,
     "auto infinite", SOURCE, "pool"},
    {"stop_eof", OPT(STOP_EOF), MS, 0, 600000, 2000, NULL, SOURCE, "pool"},
    {"stop_term", OPT(STOP_TERM), MS, 0, 600000, 2000, NULL, SOURCE, "pool"},
    {"first_lease_wait", OPT(FIRST_LEASE_WAIT), MS, 0, ENDLESS, 30000, NULL, SOURCE,
     "workspace"},
    {"restart_delay", OPT(RESTART_DELAY), MS, 1, 60000, 1000, NULL, SOURCE, "pool"},
    {"reload_debounce", OPT(RELOAD_DEBOUNCE), MS, 100, 500, 200, NULL, SOURCE,
     "workspace"},
    {"reload_poll", OPT(RELOAD_POLL), MS, 10, 3600000, 1500, NULL, SOURCE, "workspace"},
    {"lease_idle", OPT(LEASE_IDLE), MS, 0, ENDLESS, 0, NULL, SOURCE, "host"},
    {"ping", OPT(PING), MS, 0, ENDLESS, 0, NULL, SOURCE, "pool"},
    {"ping_timeout", OPT(PING_TIMEOUT), MS, 1, ENDLESS, 10000, NULL, SOURCE, "pool"},
    {"crash_window", OPT(CRASH_WINDOW), MS, 1, ENDLESS, 60000, NULL, SOURCE, "workspace"},
    {"request_timeout", OPT(REQUEST_TIMEOUT), MS, 0, YEAR, 600000, "none", 0, "pool"},
    {"wait_starting", OPT(WAIT_STARTING), MS, 0, ENDLESS, 0, NULL, LATE, "host"},
    {"concurrent_starts", OPT(CONCURRENT_STARTS), COUNT, 1, 1024, 8, NULL, 0, "pool"},
    {"calls_in_flight", OPT(CALLS_IN_FLIGHT), COUNT, 1, 65536, 256, NULL, 0, "pool"},
    {"queued_calls", OPT(QUEUED_CALLS), COUNT, 0, 1048576, 4096, NULL, 0, "pool"},
    {"message_bytes", OPT(MESSAGE_BYTES), BYTES, KIB, 4 * GIB, 64 * MIB, NULL, 0, "pool"},
    {"list_pages", OPT(LIST_PAGES), COUNT, 1, 100000, 64, NULL, SOURCE, "pool"},
    {"list_tools", OPT(LIST_TOOLS), COUNT, 1, 10000000, 100000, NULL, SOURCE,
     "workspace"},
    {"text_spill", OPT(TEXT_SPILL), BYTES, 8192, TIB, MIB, NULL, LATE, "host"},
    {"spool_bytes", OPT(SPOOL_BYTES), BYTES, 0, TIB, GIB, NULL, 0, "host"},
    {"cache_bytes", OPT(CACHE_BYTES), BYTES, 0, 4 * GIB, 16 * MIB, NULL, 0, "pool"},
    {"schema_steps", OPT(SCHEMA_STEPS), COUNT, 1000, TIB, 200000, NULL, 0, "host"},
    {"tool_text", OPT(TOOL_TEXT), BYTES, 64, GIB, 32 * KIB, NULL, SOURCE, "workspace"},
    {"held_bytes", OPT(HELD_BYTES), BYTES, MIB, TIB, 192 * MIB, NULL, 0, "host"},
    {"artifact_files", OPT(ARTIFACT_FILES), COUNT, 0, TIB, 10000, NULL, LATE, "host"},
    {"inherit_env", OPT(INHERIT_ENV), CHOICE, 0, 0, MCPHOST_ENV_ALL, "all minimal none",
     SOURCE, "pool"},
    {"collision", OPT(COLLISION), CHOICE, 0, 0, MCPHOST_COLLISION_SKIP, "skip reject",
     SOURCE, "workspace"},
    {"arguments", OPT(ARGUMENTS), CHOICE, 0, 0, MCPHOST_ARGUMENTS_OBJECT,
     "object off full complete", SOURCE, "workspace"},
    {"guard", OPT(GUARD), CHOICE, 0, 0, MCPHOST_GUARD_REQUIRED, "none required optional",
     0, "pool"},
    {"warden", OPT(WARDEN), BOOL, 0, 1, 1, NULL, 0, "pool"},
    {"admin_tools", OPT(ADMIN_TOOLS), BOOL, 0, 1, 0, NULL, 0, "host"},
    {"retry", OPT(RETRY), BOOL, 0, 1, 1, NULL, SOURCE, "workspace"},
    {"reload", OPT(RELOAD), CHOICE, 0, 0, MCPHOST_RELOAD_WATCH,
     "watch poll turn explicit", SOURCE, "workspace"},
    {"show_env", OPT(SHOW_ENV), BOOL, 0, 1, 0, NULL, LATE, "host"},
    {"removed", OPT(REMOVED), CHOICE, 0, 0, MCPHOST_REMOVED_SUCCESSOR, "successor serve",
     SOURCE, "workspace"},
    {"requests", OPT(REQUESTS), FLAGS, 0, 0, 0, QUESTIONS, 0, "pool"},
    {"last_good", OPT(LAST_GOOD), CHOICE, 0, 0, MCPHOST_LAST_GOOD_KEEP, "keep none",
     SOURCE, "workspace"},
    {"results", OPT(RESULTS), CHOICE, 0, 0, MCPHOST_RESULTS_OFF, "off report fail",
     SOURCE, "workspace"},
    {"transports", OPT(TRANSPORTS), FLAGS, 1, 0, MCPH_TRANSPORTS_USUAL, TRANSPORTS,
     SOURCE, "pool"},
    {"http_diagnosis", OPT(HTTP_DIAGNOSIS), BOOL, 0, 1, 1, NULL, SOURCE, "pool"},
    {"holders", OPT(HOLDERS), CHOICE, 0, 0, MCPHOST_HOLDERS_KEEP, "keep by_order", SOURCE,
     "workspace"},
    {"names", OPT(NAMES), CHOICE, 0, 0, MCPHOST_NAMES_TRANSFORMS, "transforms server",
     SOURCE, "workspace"},
    {"manuals", OPT(MANUALS), CHOICE, 0, 0, MCPHOST_MANUALS_OPTIONAL, "optional wanted",
     SOURCE, "workspace"},
    {"lease_scope", OPT(LEASE_SCOPE), CHOICE, 0, 0, MCPHOST_SCOPE_DIALOG,
     "dialog agent workspace everyone", SOURCE, "workspace"},
    {"item_types", OPT(ITEM_TYPES), CHOICE, 0, 0, MCPHOST_ITEMS_TEXT_IMAGE,
     "text_image all", LATE, "host"},
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
allows(const struct mcph_option *option, int64_t value)
{
    int n = mcph_words_count(option->words);

    if (option->kind == CHOICE)
        return value >= 0 && value < n;
    if (option->kind == FLAGS)
        return value >= option->min && value < INT64_C(1) << n;
    return (value >= option->min && value <= option->max) || (value < 0 && value >= -n);
}

void
mcph_option_expected(const struct mcph_option *option, struct mcph_buf *buf)
{
    static const char *const units[] = {
        [MS] = "milliseconds", [COUNT] = "a number", [BYTES] = "bytes",
        [BOOL] = "0 or 1",     [CHOICE] = "",        [FLAGS] = "the sum of some of "};
    static const int numbers[] = {
        [MS] = MCPH_WORDS_DOWN,          [COUNT] = MCPH_WORDS_DOWN,
        [BYTES] = MCPH_WORDS_DOWN,       [BOOL] = MCPH_WORDS_DOWN,
        [CHOICE] = MCPH_WORDS_FROM_ZERO, [FLAGS] = MCPH_WORDS_BITS};

    mcph_buf_adds(buf, units[option->kind]);
    if (option->kind <= BYTES) {
        mcph_buf_addf(buf, " from %" PRId64, option->min);
        if (option->max < ENDLESS)
            mcph_buf_addf(buf, " to %" PRId64, option->max);
        else
            mcph_buf_adds(buf, " on");
        if (option->words)
            mcph_buf_adds(buf, ", or ");
    }
    mcph_words_put(option->words, numbers[option->kind], buf);
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
    if (allows(option, value))
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
                     "option %s: expected %.*s, found %" PRId64, option->name,
                     (int)expected.len, expected.data, value);
    mcph_buf_done(&expected);
    return r;
}
