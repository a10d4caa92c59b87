/* SPDX-License-Identifier: MIT
 *
 * test_transport_joint.c - two transports joined in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "transport/transport.h"

static struct mcph_core *core;
static struct mcph_transport *ends[2]; /* named a and b in the story */
static char story[8192];
static bool free_on_message, close_on_message, answer_on_message;
static char *reason;
static size_t told;

static char
name_of(struct mcph_transport *t)
{
    return t == ends[0] ? 'a' : 'b';
}

static void
note_text(struct mcph_transport *t, const char *what, size_t len)
{
    size_t n = strlen(story);

    snprintf(story + n, sizeof(story) - n, "%c:%.*s ", name_of(t), (int)len, what);
}

static void
on_message(struct mcph_transport *t, uint64_t stream, struct mcph_frame *frame, void *arg)
{
    ck_assert_ptr_eq(arg, ends);
    ck_assert_uint_eq(stream, 0);
    ck_assert_uint_eq(frame->wire_len, frame->len);
    told += frame->len;
    if (frame->len < 64)
        note_text(t, frame->data, frame->len);
    if (answer_on_message && t == ends[1])
        ck_assert_int_eq(
            mcph_transport_send(t, mcph_span_str("ok"), NULL, 0, MCPH_SEND_RESPONSE, 0),
            0);
    if (free_on_message)
        ends[1] = mcph_transport_free(ends[1], 0);
    else if (close_on_message)
        mcph_transport_close(t);
}

static void
on_closed(struct mcph_transport *t, uint64_t stream, mcphost_error *err, void *arg)
{
    (void)arg;
    ck_assert_uint_eq(stream, 0);
    free(reason);
    reason = mcph_strdup(mcphost_error_get_message(err));
    note_text(t, "closed", 6);
}

static void
on_gone(struct mcph_transport *t, void *arg)
{
    (void)arg;
    note_text(t, "gone", 4);
}

static const struct mcph_transport_user user = {.message = on_message,
                                                .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};

static void
turn(void)
{
    while (mcph_core_dispatch(core) > 0)
        ;
}

static void
up(void)
{
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_joint_new(core, &owner, NULL, &owner, NULL, &ends[0], &ends[1]),
                     0);
    for (int i = 0; i < 2; i++) {
        mcph_transport_set_user(ends[i], &user, ends);
        ck_assert_int_eq(mcph_transport_open(ends[i], NULL), 0);
    }
    turn();
}

static void
down(void)
{
    for (int i = 0; i < 2; i++)
        ends[i] = mcph_transport_free(ends[i], 0);
    mcph_core_drain(core);
    mcph_core_unref(core);
    free(reason);
}

static int
send_text(int end, const char *text)
{
    return mcph_transport_send(ends[end], mcph_span_str(text), NULL, 0, MCPH_SEND_REQUEST,
                               0);
}

START_TEST(messages_are_reported_in_order_and_never_inside_a_commit)
{
    ck_assert_int_eq(send_text(0, "one"), 0);
    ck_assert_int_eq(send_text(0, "two"), 0);
    ck_assert_int_eq(send_text(1, "three"), 0);
    ck_assert_str_eq(story, "");
    turn();
    ck_assert_str_eq(story, "b:one b:two a:three ");
}
END_TEST

START_TEST(an_answer_may_be_sent_from_inside_a_message)
{
    answer_on_message = true;
    ck_assert_int_eq(send_text(0, "one"), 0);
    ck_assert_int_eq(send_text(0, "two"), 0);
    turn();
    ck_assert_str_eq(story, "b:one b:two a:ok a:ok ");
}
END_TEST

START_TEST(a_message_that_is_not_committed_is_discarded)
{
    struct mcph_buf *buf;

    ck_assert_int_eq(mcph_transport_begin(ends[0], &buf), 0);
    mcph_buf_adds(buf, "half a mess");
    ck_assert_int_eq(send_text(0, "whole"), 0);
    turn();
    ck_assert_str_eq(story, "b:whole ");
}
END_TEST

START_TEST(closing_one_end_is_reported_to_the_other_after_sent_messages)
{
    ck_assert_int_eq(send_text(0, "last"), 0);
    ck_assert_int_eq(send_text(1, "late"), 0);
    mcph_transport_close(ends[0]);
    mcph_transport_close(ends[0]);
    ck_assert_int_eq(send_text(0, "x"), MCPHOST_E_TRANSPORT);
    ck_assert_int_eq(send_text(1, "x"), MCPHOST_E_TRANSPORT);
    turn();
    ck_assert_str_eq(story, "b:last b:closed b:gone a:gone ");
    ck_assert_str_eq(reason, "closed the connection");
    mcph_transport_close(ends[1]);
    turn();
    ck_assert_str_eq(story, "b:last b:closed b:gone a:gone ");
}
END_TEST

START_TEST(freeing_one_end_is_reported_only_to_the_other)
{
    ck_assert_int_eq(send_text(0, "last"), 0);
    ends[0] = mcph_transport_free(ends[0], 0);
    turn();
    ck_assert_str_eq(story, "b:last b:closed b:gone ");
    ck_assert_int_eq(send_text(1, "x"), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(a_message_may_close_or_free_its_end)
{
    free_on_message = _i == 0;
    close_on_message = _i == 1;
    ck_assert_int_eq(send_text(0, "one"), 0);
    ck_assert_int_eq(send_text(0, "two"), 0);
    turn();
    ck_assert_str_eq(story, _i == 0 ? "b:one a:closed a:gone "
                                    : "b:one b:gone a:closed a:gone ");
}
END_TEST

START_TEST(closing_both_ends_reports_only_gone)
{
    mcph_transport_close(ends[0]);
    mcph_transport_close(ends[1]);
    turn();
    ck_assert_str_eq(story, "b:gone a:gone ");
}
END_TEST

START_TEST(an_end_that_is_not_open_keeps_messages_until_the_queue_is_full)
{
    size_t len = (size_t)20 * 1024 * 1024;
    char *big = malloc(len + 1);

    down();
    reason = NULL;
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(mcph_joint_new(core, NULL, NULL, NULL, NULL, &ends[0], &ends[1]), 0);
    mcph_transport_set_user(ends[1], &user, ends);
    ck_assert_int_eq(mcph_transport_open(ends[0], NULL), 0);
    memset(big, 'x', len);
    big[len] = '\0';
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(send_text(0, big), 0);
    ck_assert_int_eq(send_text(0, big), MCPHOST_E_LIMIT);
    ck_assert_int_eq(send_text(0, "small"), 0);
    turn();
    ck_assert_uint_eq(told, 0);
    ck_assert_int_eq(mcph_transport_open(ends[1], NULL), 0);
    turn();
    ck_assert_uint_eq(told, 3 * len + 5);
    ck_assert_int_eq(send_text(0, "again"), 0);
    free(big);
}
END_TEST

static int
turns_of(void)
{
    int n = 0;

    while (mcph_core_dispatch(core) > 0)
        n++;
    return n;
}

START_TEST(a_turn_reports_a_limited_number_of_messages)
{
    for (unsigned i = 0; i < 4 * MCPH_TURN_BYTES / MCPH_TURN_MESSAGE; i++)
        ck_assert_int_eq(send_text(0, "{}"), 0);
    ck_assert_int_ge(turns_of(), 4);
    ck_assert_uint_eq(told, 8 * MCPH_TURN_BYTES / MCPH_TURN_MESSAGE);
}
END_TEST

START_TEST(a_large_message_is_checked_over_several_turns)
{
    size_t len = 8 * MCPH_TURN_BYTES;
    char *big = malloc(len + 1);

    memset(big, 'x', len);
    big[0] = '"';
    big[len - 1] = '"';
    big[len] = '\0';
    ck_assert_int_eq(send_text(0, big), 0);
    ck_assert_int_eq(send_text(0, "{}"), 0);
    ck_assert_int_ge(turns_of(), 8);
    ck_assert_uint_eq(told, len + 2);
    free(big);
}
END_TEST

START_TEST(ends_may_be_freed_in_any_order_with_messages_under_way)
{
    ck_assert_int_eq(send_text(0, "one"), 0);
    ck_assert_int_eq(send_text(1, "two"), 0);
    for (int i = 0; i < 2; i++) {
        int end = i ^ _i;

        ends[end] = mcph_transport_free(ends[end], 0);
    }
    turn();
    ck_assert_str_eq(story, "");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "joint");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, messages_are_reported_in_order_and_never_inside_a_commit);
    tcase_add_test(tc, an_answer_may_be_sent_from_inside_a_message);
    tcase_add_test(tc, a_message_that_is_not_committed_is_discarded);
    tcase_add_test(tc, closing_one_end_is_reported_to_the_other_after_sent_messages);
    tcase_add_test(tc, freeing_one_end_is_reported_only_to_the_other);
    tcase_add_loop_test(tc, a_message_may_close_or_free_its_end, 0, 2);
    tcase_add_test(tc, closing_both_ends_reports_only_gone);
    tcase_add_test(tc, an_end_that_is_not_open_keeps_messages_until_the_queue_is_full);
    tcase_add_test(tc, a_turn_reports_a_limited_number_of_messages);
    tcase_add_test(tc, a_large_message_is_checked_over_several_turns);
    tcase_add_loop_test(tc, ends_may_be_freed_in_any_order_with_messages_under_way, 0, 2);
}

int
main(void)
{
    return test_main("transport-joint", add);
}
