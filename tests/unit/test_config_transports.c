/* SPDX-License-Identifier: MIT
 *
 * test_config_transports.c - the table of transports.
 *
 * The rows of the table must be complete.  The library derives policies from the table.
 */
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

static const struct {
    unsigned allowed;
    const char *text;
} texts[] = {
    {0, "nothing"},
    {MCPHOST_ALLOW_STDIO, "'stdio'"},
    {MCPHOST_ALLOW_STREAMABLE_HTTP, "'streamable_http'"},
    {MCPHOST_ALLOW_SSE, "'sse'"},
    {MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP, "'stdio' or 'streamable_http'"},
    {MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE, "'streamable_http' or 'sse'"},
    {MCPHOST_ALLOW_STDIO | MCPHOST_ALLOW_STREAMABLE_HTTP | MCPHOST_ALLOW_SSE,
     "'stdio', 'streamable_http' or 'sse'"},
    {~0u, "'stdio', 'streamable_http' or 'sse'"},
};

/* R7 */
START_TEST(allowed_transports_are_named_in_the_order_of_the_table)
{
    char text[MCPH_TRANSPORTS_TEXT];

    mcph_transports_text(texts[_i].allowed, text);
    ck_assert_str_eq(text, texts[_i].text);
}
END_TEST

/* A carrier is a child process, the HTTP engine or a provider in memory.  The library
 * could not start a server whose transport lacks a carrier. */
START_TEST(each_transport_has_a_policy_and_a_carrier)
{
    const struct mcph_transport_kind *kind = mcph_transport_kind(_i);

    /* An application's own provider needs no flag MCPHOST_ALLOW_*. */
    ck_assert_int_eq(kind->allowed_by != 0, _i != MCPHOST_TRANSPORT_IN_PROCESS);
    ck_assert_int_gt(kind->carrier, MCPH_CARRIER_NONE);
    ck_assert_int_lt(kind->carrier, MCPH_N_CARRIERS);
    /* An entry has either the keys of a process or the keys of a URL.  An application's
     * own provider has neither. */
    ck_assert_int_eq(kind->has_process + kind->has_url, kind->allowed_by != 0);
    for (int other = MCPHOST_TRANSPORT_NONE; other < MCPH_N_TRANSPORTS; other++)
        ck_assert_int_eq(mcph_transport_allowed(kind->allowed_by, other),
                         kind->allowed_by && other == _i);
}
END_TEST

START_TEST(an_unknown_transport_has_no_property_and_is_never_allowed)
{
    static const struct mcph_transport_kind nothing = {0};
    const struct mcph_transport_kind *kind = mcph_transport_kind(MCPHOST_TRANSPORT_NONE);

    ck_assert_int_eq(memcmp(kind, &nothing, sizeof(nothing)), 0);
    ck_assert(!mcph_transport_allowed(~0u, MCPHOST_TRANSPORT_NONE));
}
END_TEST

/* Other parts of the library rely on these values of the table. */
START_TEST(only_a_child_process_is_pinged_and_only_sse_is_legacy)
{
    const struct mcph_transport_kind *child =
        mcph_transport_kind(MCPHOST_TRANSPORT_STDIO);
    const struct mcph_transport_kind *http =
        mcph_transport_kind(MCPHOST_TRANSPORT_STREAMABLE_HTTP);
    const struct mcph_transport_kind *sse = mcph_transport_kind(MCPHOST_TRANSPORT_SSE);

    ck_assert(child->has_process && child->is_pinged && child->keeps_state);
    ck_assert(!child->has_headers && !child->is_legacy);
    ck_assert(http->has_headers && http->has_session_id && !http->keeps_state);
    ck_assert(!http->is_pinged && !http->is_legacy);
    ck_assert_int_eq(http->fallback, MCPHOST_TRANSPORT_SSE);
    ck_assert(sse->is_legacy && sse->is_one_stream && !sse->has_session_id);
    ck_assert(!sse->is_pinged && !sse->fallback);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "transports");

    tcase_add_loop_test(tc, allowed_transports_are_named_in_the_order_of_the_table, 0,
                        MCPH_ARRAY_SIZE(texts));
    tcase_add_loop_test(tc, each_transport_has_a_policy_and_a_carrier,
                        MCPHOST_TRANSPORT_NONE + 1, MCPH_N_TRANSPORTS);
    tcase_add_test(tc, an_unknown_transport_has_no_property_and_is_never_allowed);
    tcase_add_test(tc, only_a_child_process_is_pinged_and_only_sse_is_legacy);
}

int
main(void)
{
    return test_main("config-transports", add);
}
