/* SPDX-License-Identifier: MIT
 *
 * test_transport_http_cut.c - answers that are cut off at each of their bytes.
 *
 * The transport reports complete messages and drops incomplete messages.  The stream
 * always ends with a reason.
 */
#include "support/runner.h"
#include "unit/httpuser.h"

#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"
#define EVENT_1 "data: {\"method\":\"n\"}\n\n"
#define EVENT_2 "data: " RESULT "\n\n"

static const struct {
    const char *answer;
    const char *first, *second; /* the last bytes of each message; NULL means no
                                 * message */
} answers[] = {
    {JSON, RESULT, NULL},
    {HEAD("application/json") CHUNKED "10\r\n{\"jsonrpc\":\"2.0\"\r\n14\r\n"
                                      ",\"id\":1,\"result\":{}}\r\n0\r\n\r\n",
     "0\r\n\r", /* the answer is complete without its last byte */ NULL},
    {HEAD("text/event-stream") CHUNKED "16\r\n" EVENT_1 "\r\n2c\r\n" EVENT_2
                                       "\r\n0\r\n\r\n",
     EVENT_1, EVENT_2},
    {HEAD("text/event-stream") "\r\n" EVENT_1 EVENT_2, EVENT_1, EVENT_2},
};

/* Returns the offset after the last byte of `what`, or SIZE_MAX if `what` is NULL. */
static size_t
end_of(const char *answer, const char *what)
{
    return what ? (size_t)(strstr(answer, what) - answer) + strlen(what) : SIZE_MAX;
}

static void
cut_at(int which, size_t at, int how)
{
    const char *answer = answers[which].answer;
    struct canned_answer cut = {at ? answer : NULL, at, how, 0};
    char bytes[512], wanted[256];

    memcpy(bytes, answer, at);
    if (at)
        cut.bytes = bytes;
    up();
    can = canned_up(&cut, 1);
    open_with(spec_of("/mcp"));
    say("{}", MCPH_SEND_REQUEST, 1);
    await("/1");
    /* Compare the messages only after a close, because a reset also discards bytes that
     * the transport has not read yet. */
    if (how == CANNED_CLOSE) {
        snprintf(wanted, sizeof(wanted), "%s%s/1 ",
                 at < end_of(answer, answers[which].first) ? ""
                 : answers[which].second                   ? "<1 {\"method\":\"n\"} "
                                                           : "<1 " RESULT " ",
                 at < end_of(answer, answers[which].second) ? "" : "<1 " RESULT " ");
        ck_assert_msg(strcmp(story, wanted) == 0, "cut at %zu: %s (%s)", at, story,
                      last_reason);
    }
    ck_assert_ptr_null(strstr(strstr(story, "/1") + 1, "/1"));
    ck_assert_uint_gt(strlen(last_reason), 10);
    ck_assert_int_eq(t->state, MCPH_TRANSPORT_OPEN);
    down();
}

START_TEST(of_an_answer_cut_at_any_byte_only_complete_messages_are_reported)
{
    size_t len = strlen(answers[_i].answer);

    for (size_t at = 0; at <= len; at++)
        cut_at(_i, at, CANNED_CLOSE);
}
END_TEST

START_TEST(a_connection_reset_at_any_byte_closes_only_the_stream)
{
    size_t len = strlen(answers[_i].answer);

    for (size_t at = 0; at <= len; at += 3)
        cut_at(_i, at, CANNED_RESET);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "cuts");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc,
                        of_an_answer_cut_at_any_byte_only_complete_messages_are_reported,
                        0, MCPH_ARRAY_SIZE(answers));
    tcase_add_loop_test(tc, a_connection_reset_at_any_byte_closes_only_the_stream, 0,
                        MCPH_ARRAY_SIZE(answers));
}

int
main(void)
{
    return test_main("transport-http-cut", add);
}
