/* SPDX-License-Identifier: MIT
 *
 * test_client_trace.c - the formats of traceparent, tracestate and baggage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "support/runner.h"

#define PARENT "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static int
make(const char *parent, const char *state, const char *baggage, char *why, size_t size)
{
    const char *const parts[MCPH_TRACES] = {parent, state, baggage};
    struct mcph_trace *trace = NULL;
    mcphost_error *err = NULL;
    int r = mcph_trace_new(parts, &trace, &err);

    snprintf(why, size, "%s", err ? mcphost_error_get_message(err) : "");
    for (int i = 0; trace && i < MCPH_TRACES; i++)
        ck_assert(parts[i] ? mcph_span_is(trace->parts[i], parts[i])
                           : !trace->parts[i].p);
    mcphost_error_unref(err);
    free(trace);
    return r;
}

START_TEST(valid_texts_are_kept_unchanged) /* R135 */
{
    static const char *const rows[][3] = {
        {PARENT, NULL, NULL},
        {NULL, NULL, "a=b"},
        {PARENT, "a=b", NULL},
        {PARENT, " a=b\t,, 1t@sys=x y!", "k = v ; p ; q = 1 , l="},
        {PARENT, "a_-*/0=~", "!#$%&'*+-.^_`|~=a=b"},
    };
    char why[200];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++)
        ck_assert_msg(make(rows[i][0], rows[i][1], rows[i][2], why, sizeof(why)) == 0,
                      "%zu: %s", i, why);
}
END_TEST

START_TEST(a_wrong_format_is_refused_by_name) /* R135 */
{
    static const struct {
        const char *parent, *state, *baggage, *says;
    } rows[] = {
        {"", NULL, NULL, "traceparent is not"},
        {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", NULL, NULL,
         "traceparent is not"},
        {PARENT "-x", NULL, NULL, "traceparent is not"},
        {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", NULL, NULL,
         "traceparent has a bad trace-id"},
        {"00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", NULL, NULL,
         "traceparent has a bad trace-id"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", NULL, NULL,
         "traceparent has a bad parent-id"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g", NULL, NULL,
         "traceparent has bad flags"},
        {NULL, "a=b", NULL, "tracestate without traceparent"},
        {PARENT, "", NULL, "tracestate is empty"},
        {PARENT, "A=b", NULL, "tracestate has a bad key"},
        {PARENT, "1a=b", NULL, "tracestate has a bad key"},
        {PARENT, "a", NULL, "tracestate has a bad key"},
        {PARENT, "t@1=b", NULL, "tracestate has a bad key"},
        {PARENT, "t@abcdefghijklmno=b", NULL, "tracestate has a bad key"},
        {PARENT, "a=", NULL, "tracestate has a bad value"},
        {PARENT, "a=b=c", NULL, "tracestate has a bad value"},
        {PARENT, "a=b\r\nx: y", NULL, "tracestate has a bad value"},
        {PARENT, "a=b,c=d,a=e", NULL, "tracestate has a key twice"},
        {NULL, NULL, "", "baggage has a bad member"},
        {NULL, NULL, "a", "baggage has a bad member"},
        {NULL, NULL, "a=b,", "baggage has a bad member"},
        {NULL, NULL, "a=b c", "baggage has a bad member"},
        {NULL, NULL, "a=\"b\"", "baggage has a bad member"},
        {NULL, NULL, "a=b\r\nx: y", "baggage has a bad member"},
        {NULL, NULL, "a=b;", "baggage has a bad property"},
        {NULL, NULL, "a=b;(=c", "baggage has a bad property"},
    };
    char why[200];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        int r = make(rows[i].parent, rows[i].state, rows[i].baggage, why, sizeof(why));

        ck_assert_msg(r == MCPHOST_E_INVALID, "%zu: %d", i, r);
        test_has(why, rows[i].says);
    }
}
END_TEST

START_TEST(over_32_members_or_8192_bytes_are_refused) /* R135 */
{
    char state[400] = "", baggage[MCPH_TRACE_MAX + 2], why[200];

    for (int i = 0; i < 32; i++)
        snprintf(state + strlen(state), sizeof(state) - strlen(state), "%sk%d=v",
                 i ? "," : "", i);
    ck_assert_int_eq(make(PARENT, state, NULL, why, sizeof(why)), 0);
    strncat(state, ",k32=v", sizeof(state) - strlen(state) - 1);
    ck_assert_int_eq(make(PARENT, state, NULL, why, sizeof(why)), MCPHOST_E_INVALID);
    test_has(why, "tracestate has more than 32");
    memset(baggage, 'v', sizeof(baggage));
    memcpy(baggage, "k=", 2);
    baggage[MCPH_TRACE_MAX] = '\0';
    ck_assert_int_eq(make(NULL, NULL, baggage, why, sizeof(why)), 0);
    baggage[MCPH_TRACE_MAX] = 'v';
    baggage[MCPH_TRACE_MAX + 1] = '\0';
    ck_assert_int_eq(make(NULL, NULL, baggage, why, sizeof(why)), MCPHOST_E_LIMIT);
    test_has(why, "baggage has more than 8192 bytes");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "formats");

    tcase_add_test(tc, valid_texts_are_kept_unchanged);
    tcase_add_test(tc, a_wrong_format_is_refused_by_name);
    tcase_add_test(tc, over_32_members_or_8192_bytes_are_refused);
}

int
main(void)
{
    return test_main("client-trace", add);
}
