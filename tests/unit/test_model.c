/* SPDX-License-Identifier: MIT
 *
 * test_model.c - classifying a provider's failure, computing the delay before a request
 * is sent again, and finding the tool whose schema was refused.
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "support/runner.h"

static mcphost_retry *retry;
static int64_t now;

static int64_t
test_now(void)
{
    return now;
}

/* Returns Sun, 06 Nov 1994 08:47:57 GMT in milliseconds since 1970. */
static int64_t
test_date(void)
{
    return INT64_C(784111677000);
}

static int
all_ones(void *ret_data, size_t len)
{
    memset(ret_data, 0xff, len);
    return 0;
}

static void
down(void)
{
    retry = mcphost_retry_unref(retry);
}

static void
new_strategy(int strategy)
{
    mcphost_retry_unref(retry);
    ck_assert_int_eq(mcphost_retry_new(strategy, &retry), 0);
    retry->now_ms = test_now;
    retry->date_ms = test_date;
    retry->random = all_ones;
}

static int
classify(int status, const char *body, const char *error)
{
    return mcphost_classify_failure(status, body, body ? strlen(body) : 0, error);
}

/* Returns the milliseconds before the next attempt, or -1 if no attempt follows. */
static int64_t
judge(unsigned failures, int failure, const char *retry_after)
{
    int64_t delay = -1;
    int r = mcphost_retry_judge(retry, failures, failure, retry_after, &delay);

    ck_assert_int_ge(r, 0);
    ck_assert_int_eq(r == 0, delay == -1);
    return delay;
}

/* ---- classification ---------------------------------------------------------------- */

/* R61, R65 */
START_TEST(the_http_status_decides_the_kind_of_failure)
{
    static const struct {
        int status, failure;
    } cases[] = {{400, MCPHOST_FAILURE_REJECTED},  {401, MCPHOST_FAILURE_REJECTED},
                 {403, MCPHOST_FAILURE_REJECTED},  {404, MCPHOST_FAILURE_REJECTED},
                 {413, MCPHOST_FAILURE_REJECTED},  {422, MCPHOST_FAILURE_REJECTED},
                 {408, MCPHOST_FAILURE_TRANSIENT}, {429, MCPHOST_FAILURE_RATE},
                 {500, MCPHOST_FAILURE_TRANSIENT}, {503, MCPHOST_FAILURE_TRANSIENT},
                 {529, MCPHOST_FAILURE_TRANSIENT}, {302, MCPHOST_FAILURE_FATAL},
                 {0, MCPHOST_FAILURE_FATAL},       {700, MCPHOST_FAILURE_FATAL}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++)
        ck_assert_int_eq(classify(cases[i].status, NULL, NULL), cases[i].failure);
}
END_TEST

/* R61, R66, R210, C2: for example, the word "timeout" does not make a refusal
 * retriable. */
START_TEST(an_error_status_wins_over_words_in_body_and_error)
{
    ck_assert_int_eq(classify(400, NULL, "request timeout: terminated, rate limit"),
                     MCPHOST_FAILURE_REJECTED);
    ck_assert_int_eq(classify(400, "{\"error\":{\"type\":\"rate_limit_error\"}}", NULL),
                     MCPHOST_FAILURE_REJECTED);
    ck_assert_int_eq(
        classify(500, "{\"error\":{\"type\":\"invalid_request_error\"}}", NULL),
        MCPHOST_FAILURE_TRANSIENT);
    ck_assert_int_eq(classify(200, NULL, "timeout"), MCPHOST_FAILURE_FATAL);
}
END_TEST

/* C2: a stream that fails in the middle has begun with the status 200. */
START_TEST(with_status_200_the_error_in_the_body_decides)
{
    static const struct {
        const char *body;
        int failure;
    } cases[] = {
        {"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}"
         "}",
         MCPHOST_FAILURE_TRANSIENT},
        {"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
         "\"timeout\"}}",
         MCPHOST_FAILURE_REJECTED},
        {"{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"}}",
         MCPHOST_FAILURE_REJECTED},
        {"{\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\"}}",
         MCPHOST_FAILURE_TRANSIENT},
        {"[{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\"}}]",
         MCPHOST_FAILURE_REJECTED},
        {"{\"error\":{\"type\":\"invalid_request_error\",\"code\":\"rate_limit_"
         "exceeded\"}}",
         MCPHOST_FAILURE_RATE},
        {"{\"error\":{\"type\":\"server_error\"}}", MCPHOST_FAILURE_TRANSIENT},
        {"{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}",
         MCPHOST_FAILURE_RATE},
        {"{\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"x\"}",
         MCPHOST_FAILURE_RATE},
        {"{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{"
         "\"code\":\"server_error\",\"message\":\"x\"}}}",
         MCPHOST_FAILURE_TRANSIENT},
        {"{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":"
         "\"invalid_prompt\"}}}",
         MCPHOST_FAILURE_REJECTED},
        {"{\"error\":{\"status\":\"RESOURCE_EXHAUSTED\"}}", MCPHOST_FAILURE_RATE},
        {"{\"error\":{\"status\":\"UNAVAILABLE\"}}", MCPHOST_FAILURE_TRANSIENT},
        {"[{\"error\":{\"status\":\"INVALID_ARGUMENT\"}}]", MCPHOST_FAILURE_REJECTED},
        {"{\"error\":{\"code\":502,\"message\":\"x\"}}", MCPHOST_FAILURE_TRANSIENT},
        {"{\"error\":{\"code\":400,\"message\":\"x\"}}", MCPHOST_FAILURE_REJECTED},
        {"{\"error\":{\"code\":1301,\"type\":\"api_error\"}}", MCPHOST_FAILURE_TRANSIENT},
        {"{\"error\":{\"code\":4294967725}}", MCPHOST_FAILURE_FATAL},
        {"{\"error\":{\"code\":-1e400}}", MCPHOST_FAILURE_FATAL},
        {"{\"type\":\"response.completed\",\"response\":{\"error\":null}}",
         MCPHOST_FAILURE_FATAL},
        {"{\"error\":\"x\"}", MCPHOST_FAILURE_FATAL},
        {"{\"error\":{\"type\":\"news_to_us\"}}", MCPHOST_FAILURE_FATAL},
        {"not json", MCPHOST_FAILURE_FATAL},
        {"[]", MCPHOST_FAILURE_FATAL}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++)
        ck_assert_msg(classify(200, cases[i].body, NULL) == cases[i].failure, "%s",
                      cases[i].body);
}
END_TEST

/* B.10 */
START_TEST(without_an_answer_the_error_text_decides)
{
    static const char *const again[] = {"connect ECONNREFUSED 127.0.0.1:1",
                                        "read ECONNRESET",
                                        "getaddrinfo EAI_AGAIN api",
                                        "getaddrinfo ENOTFOUND api",
                                        "UND_ERR_SOCKET",
                                        "TypeError: fetch failed",
                                        "socket hang up",
                                        "terminated",
                                        "Operation timed out",
                                        "Connection timeout"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(again); i++)
        ck_assert_msg(classify(0, NULL, again[i]) == MCPHOST_FAILURE_TRANSIENT, "%s",
                      again[i]);
    ck_assert_int_eq(classify(0, NULL, "Rate limit reached"), MCPHOST_FAILURE_RATE);
    ck_assert_int_eq(classify(0, NULL, "aborted by the user"), MCPHOST_FAILURE_FATAL);
}
END_TEST

/* ---- strategies -------------------------------------------------------------------- */

/* R65, B.10: after the first attempt, the strategy allows 5 more attempts, with delays of
 * min(30 s, 1 s x 2^n) for n = 0 to 4. */
START_TEST(the_standard_strategy_retries_five_times_with_doubling_delays)
{
    new_strategy(MCPHOST_RETRY_STANDARD);
    for (unsigned i = 1; i <= 5; i++)
        ck_assert_int_eq(judge(i, MCPHOST_FAILURE_TRANSIENT, NULL), 1000 << (i - 1));
    ck_assert_int_eq(judge(6, MCPHOST_FAILURE_TRANSIENT, NULL), -1);
    ck_assert_int_eq(judge(6, MCPHOST_FAILURE_RATE, NULL), -1);
}
END_TEST

/* R61, R65: each strategy allows a third attempt after two TRANSIENT failures.  No
 * strategy allows a second attempt after a REJECTED or FATAL failure.  Each strategy
 * limits the number of attempts after RATE failures. */
START_TEST(no_strategy_retries_a_refusal_or_retries_for_ever)
{
    for (int s = MCPHOST_RETRY_STANDARD; s <= MCPHOST_RETRY_CONSERVATIVE; s++) {
        unsigned n = 1;

        new_strategy(s);
        ck_assert_int_eq(judge(1, MCPHOST_FAILURE_REJECTED, "1"), -1);
        ck_assert_int_eq(judge(1, MCPHOST_FAILURE_FATAL, "1"), -1);
        ck_assert_int_gt(judge(1, MCPHOST_FAILURE_TRANSIENT, NULL), 0);
        ck_assert_int_gt(judge(2, MCPHOST_FAILURE_TRANSIENT, NULL), 0);
        while (n < 100 && judge(n, MCPHOST_FAILURE_RATE, NULL) > 0)
            n++;
        ck_assert_uint_lt(n, 32); /* R66: attempts end */
    }
}
END_TEST

START_TEST(the_aggressive_strategy_begins_with_three_quick_retries)
{
    static const int64_t delays[] = {1000, 1500, 2250, 1000, 2000, 4000, 8000, 16000, -1};

    new_strategy(MCPHOST_RETRY_AGGRESSIVE);
    for (unsigned i = 0; i < MCPH_ARRAY_SIZE(delays); i++)
        ck_assert_int_eq(judge(i + 1, MCPHOST_FAILURE_TRANSIENT, NULL), delays[i]);
}
END_TEST

START_TEST(the_conservative_strategy_waits_30_seconds_to_30_minutes_and_ends)
{
    new_strategy(MCPHOST_RETRY_CONSERVATIVE);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 30000);
    ck_assert_int_eq(judge(10, MCPHOST_FAILURE_RATE, NULL), 30000);
    ck_assert_int_eq(judge(11, MCPHOST_FAILURE_RATE, NULL), 45000);
    ck_assert_int_eq(judge(12, MCPHOST_FAILURE_RATE, NULL), 67500);
    ck_assert_int_eq(judge(30, MCPHOST_FAILURE_RATE, NULL), 30 * 60000);
    ck_assert_int_eq(judge(31, MCPHOST_FAILURE_RATE, NULL), -1);
}
END_TEST

START_TEST(rate_limits_double_a_shared_penalty_that_wears_off)
{
    now = 1000000;
    new_strategy(MCPHOST_RETRY_SMART_RATE);
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 0);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 1000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 2000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 4000);
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 4000);
    /* A failure that is not retried raises no penalty. */
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "3601"), -1);
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 4000);
    now += 1000;
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 3000);
    now += 300000;
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 1000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 4000);
    for (int i = 0; i < 20; i++)
        judge(1, MCPHOST_FAILURE_RATE, NULL);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 300000);
    ck_assert_int_eq(judge(11, MCPHOST_FAILURE_RATE, NULL), -1);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_TRANSIENT, NULL), 1000);
    now += INT64_C(24) * 3600000;
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(retry), 0);
}
END_TEST

START_TEST(retry_after_is_honoured_if_it_is_longer_and_at_most_one_hour)
{
    new_strategy(MCPHOST_RETRY_STANDARD);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "7"), 7000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, " 7 "), 7000);
    ck_assert_int_eq(judge(5, MCPHOST_FAILURE_RATE, "7"), 16000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "soon"), 1000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, ""), 1000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "3600"), 3600000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "3601"), -1);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "99999999999999999999999999"), -1);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "Sun, 06 Nov 1994 08:49:37 GMT"),
                     100000);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, "Sun, 06 Nov 1994 08:47:57 GMT"),
                     1000);
}
END_TEST

START_TEST(jitter_adds_at_most_its_percentage)
{
    new_strategy(MCPHOST_RETRY_STANDARD);
    ck_assert_int_eq(mcphost_retry_set_jitter(retry, 101), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_retry_set_jitter(retry, 25), 0);
    ck_assert_int_eq(judge(1, MCPHOST_FAILURE_RATE, NULL), 1250);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    int64_t delay;

    ck_assert_int_eq(mcphost_retry_new(4, &retry), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_retry_new(0, NULL), MCPHOST_E_INVALID);
    new_strategy(MCPHOST_RETRY_STANDARD);
    ck_assert_ptr_eq(mcphost_retry_ref(retry), retry);
    mcphost_retry_unref(retry);
    ck_assert_int_eq(mcphost_retry_judge(retry, 0, MCPHOST_FAILURE_RATE, NULL, &delay),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_retry_judge(retry, 1, 9, NULL, &delay), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_retry_judge(NULL, 1, 1, NULL, &delay), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_retry_get_penalty_ms(NULL), 0);
}
END_TEST

/* ---- the tool that a provider refused ---------------------------------------------- */

/* Returns the index of the tool among `names` that `text` reports as refused.  Returns
 * SIZE_MAX if `text` reports none of the four tools. */
static size_t
blamed(const char *text, const char *const *names)
{
    size_t longest = 0, len = strlen(text), found = mcph_model_blame_place(text, len);

    if (found < 4)
        return found;
    found = SIZE_MAX;
    for (size_t i = 0; i < 4; i++)
        if (mcph_model_blame_name(text, len, names[i], &longest))
            found = i;
    return found;
}

/* R53, R60 */
START_TEST(the_refused_tool_is_found_by_its_index_or_its_name)
{
    static const char *names[] = {"read", "read_file", "web-search", "a"};
    static const struct {
        const char *text;
        size_t place;
    } cases[] = {
        {"Invalid schema for function 'read_file': In context=()", 1},
        {"Invalid schema for function 'read': x", 0},
        {"tools.2.custom.input_schema: JSON schema is invalid", 2},
        {"Invalid 'tools[1].function.parameters': x", 1},
        {"GenerateContentRequest.tools[0].function_declarations[2].parameters: x", 2},
        {"web-search has a bad schema, not web", 2},
        {"tools.9.custom: x", SIZE_MAX},
        {"tools.9.custom: web-search", 2},
        {"read_files, reads and unread", SIZE_MAX},
        {"tools.x", SIZE_MAX},
        {"tools[", SIZE_MAX},
        {"tools[99999999999999999999999]", SIZE_MAX},
        {"", SIZE_MAX},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(cases); i++)
        ck_assert_msg(blamed(cases[i].text, names) == cases[i].place, "%s",
                      cases[i].text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "model");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, the_http_status_decides_the_kind_of_failure);
    tcase_add_test(tc, an_error_status_wins_over_words_in_body_and_error);
    tcase_add_test(tc, with_status_200_the_error_in_the_body_decides);
    tcase_add_test(tc, without_an_answer_the_error_text_decides);
    tcase_add_test(tc, the_standard_strategy_retries_five_times_with_doubling_delays);
    tcase_add_test(tc, no_strategy_retries_a_refusal_or_retries_for_ever);
    tcase_add_test(tc, the_aggressive_strategy_begins_with_three_quick_retries);
    tcase_add_test(tc, the_conservative_strategy_waits_30_seconds_to_30_minutes_and_ends);
    tcase_add_test(tc, rate_limits_double_a_shared_penalty_that_wears_off);
    tcase_add_test(tc, retry_after_is_honoured_if_it_is_longer_and_at_most_one_hour);
    tcase_add_test(tc, jitter_adds_at_most_its_percentage);
    tcase_add_test(tc, invalid_arguments_are_refused);
    tcase_add_test(tc, the_refused_tool_is_found_by_its_index_or_its_name);
}

int
main(void)
{
    return test_main("model", add);
}
