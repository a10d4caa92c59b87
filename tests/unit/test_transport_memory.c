/* SPDX-License-Identifier: MIT
 *
 * test_transport_memory.c - a transport inside the process, and behaviour that all
 * transports share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/runner.h"

static struct mcph_core *core;
static struct mcph_transport *t;
static char story[4096];
static bool free_on_message, close_on_message, free_on_line;
static char *reason;

static void
note_text(const char *what, const char *text, size_t len)
{
    size_t n = strlen(story);

    snprintf(story + n, sizeof(story) - n, "%s:%.*s ", what, (int)len, text);
}

static void
on_message(struct mcph_transport *tr, uint64_t stream, struct mcph_frame *frame,
           void *arg)
{
    ck_assert_ptr_eq(tr, t);
    ck_assert_ptr_eq(arg, &core);
    ck_assert_uint_eq(stream, 0);
    note_text("message", frame->data, frame->len);
    if (free_on_message)
        t = mcph_transport_free(t, 0);
    else if (close_on_message)
        mcph_transport_close(t);
}

static void
on_closed(struct mcph_transport *tr, uint64_t stream, mcphost_error *err, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(tr, t);
    ck_assert_uint_eq(stream, 0);
    ck_assert_int_eq(tr->state, MCPH_TRANSPORT_CLOSED);
    free(reason);
    reason = mcph_strdup(mcphost_error_get_message(err));
    note_text("closed", "", 0);
}

static void
on_gone(struct mcph_transport *tr, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(tr, t);
    note_text("gone", "", 0);
}

static void
on_line(struct mcph_transport *tr, struct mcph_span line, void *arg)
{
    (void)tr;
    (void)arg;
    note_text("line", line.p, line.len);
    if (free_on_line)
        t = mcph_transport_free(t, 0);
}

static void
on_peer_closed(struct mcph_transport *tr, void *arg)
{
    (void)tr;
    (void)arg;
    note_text("peer-closed", "", 0);
}

static const struct mcph_transport_user user = {.message = on_message,
                                                .closed = on_closed};
static const struct mcph_transport_owner owner = {.gone = on_gone};
static const struct mcph_memory_peer peer = {on_line, on_peer_closed};

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
    t = mcph_memory_new(core, &owner, NULL, &peer, NULL);
    mcph_transport_set_user(t, &user, &core);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    turn();
}

static void
down(void)
{
    mcph_transport_free(t, 0);
    mcph_core_drain(core);
    mcph_core_unref(core);
    free(reason);
}

static int
send_text(const char *text)
{
    return mcph_transport_send(t, mcph_span_str(text), NULL, 0, MCPH_SEND_REQUEST, 0);
}

static void
write_text(const char *text)
{
    ck_assert_int_eq(mcph_memory_peer_write(t, text, strlen(text)), 0);
}

START_TEST(messages_do_not_arrive_inside_a_send)
{
    ck_assert_int_eq(send_text("one"), 0);
    ck_assert_int_eq(send_text("two"), 0);
    write_text("a\nb");
    write_text("c\n");
    ck_assert_str_eq(story, "");
    turn();
    ck_assert_str_eq(story, "line:one line:two message:a message:bc ");
}
END_TEST

START_TEST(a_message_that_is_not_committed_is_discarded)
{
    struct mcph_buf *buf;

    ck_assert_int_eq(mcph_transport_begin(t, &buf), 0);
    mcph_buf_adds(buf, "half a mess");
    ck_assert_int_eq(send_text("whole"), 0);
    turn();
    ck_assert_str_eq(story, "line:whole ");
}
END_TEST

START_TEST(messages_that_exceed_the_queue_of_a_stalled_peer_are_refused)
{
    mcph_memory_set_queue_max(t, 10);
    mcph_memory_peer_stall(t, true);
    ck_assert_int_eq(send_text("12345"), 0);
    ck_assert_int_eq(send_text("1234"), MCPHOST_E_LIMIT); /* the line end exceeds the
                                                           * limit */
    ck_assert_int_eq(send_text("123"), 0);
    ck_assert_int_eq(send_text("123456789"), MCPHOST_E_LIMIT);
    turn();
    ck_assert_str_eq(story, "");
    mcph_memory_peer_stall(t, false);
    turn();
    ck_assert_str_eq(story, "line:12345 line:123 ");
}
END_TEST

START_TEST(messages_written_before_the_end_are_reported_before_it)
{
    write_text("a\n");
    mcph_memory_peer_close(t, NULL);
    mcph_memory_peer_close(t, NULL);
    /* The transport drops "b", because the peer has already closed the connection. */
    ck_assert_int_eq(mcph_memory_peer_write(t, "b\n", 2), 0);
    ck_assert_int_eq(send_text("x"), MCPHOST_E_TRANSPORT);
    turn();
    ck_assert_str_eq(story, "message:a closed: gone: ");
    ck_assert_str_eq(reason, "closed the connection");
}
END_TEST

START_TEST(the_reason_of_the_end_is_reported)
{
    mcphost_error *err = NULL;

    mcph_err(&err, MCPHOST_E_TRANSPORT, "exited with status 3");
    mcph_memory_peer_close(t, err);
    mcphost_error_unref(err);
    turn();
    ck_assert_str_eq(reason, "exited with status 3");
    ck_assert_int_eq(send_text("x"), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(after_close_sent_messages_arrive_and_received_messages_are_dropped)
{
    ck_assert_int_eq(send_text("last"), 0);
    write_text("late\n");
    mcph_transport_close(t);
    mcph_transport_close(t);
    ck_assert_int_eq(send_text("x"), MCPHOST_E_TRANSPORT);
    turn();
    ck_assert_str_eq(story, "line:last peer-closed: gone: ");
}
END_TEST

START_TEST(a_message_may_close_or_free_the_transport)
{
    free_on_message = _i == 0;
    close_on_message = _i == 1;
    write_text("a\nb\n");
    turn();
    ck_assert_str_eq(story, _i == 0 ? "message:a " : "message:a peer-closed: gone: ");
}
END_TEST

START_TEST(a_line_may_free_the_transport)
{
    free_on_line = true;
    ck_assert_int_eq(send_text("one"), 0);
    ck_assert_int_eq(send_text("two"), 0);
    turn();
    ck_assert_str_eq(story, "line:one ");
}
END_TEST

START_TEST(a_large_delivery_takes_several_turns)
{
    size_t len = MCPH_TURN_BYTES;
    char *big = malloc(len);
    int turns = 0;

    memset(big, '\n', len);
    big[len - 2] = 'z';
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(mcph_memory_peer_write(t, big, len), 0);
    while (mcph_core_dispatch(core) > 0)
        turns++;
    ck_assert_int_ge(turns, 2);
    ck_assert_uint_eq(strlen(story), 12 * strlen("message:z "));
    free(big);
}
END_TEST

START_TEST(a_second_open_is_refused)
{
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcph_transport_open(t, &err), MCPHOST_E_STATE);
    mcphost_error_unref(err);
}
END_TEST

START_TEST(before_open_sending_fails_and_close_has_no_effect)
{
    mcph_transport_free(t, 0);
    t = mcph_memory_new(core, &owner, NULL, &peer, NULL);
    ck_assert_int_eq(send_text("x"), MCPHOST_E_TRANSPORT);
    mcph_transport_close(t);
    turn();
    ck_assert_str_eq(story, "");
    ck_assert_ptr_null(mcph_transport_free(NULL, 0));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "memory");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, messages_do_not_arrive_inside_a_send);
    tcase_add_test(tc, a_message_that_is_not_committed_is_discarded);
    tcase_add_test(tc, messages_that_exceed_the_queue_of_a_stalled_peer_are_refused);
    tcase_add_test(tc, messages_written_before_the_end_are_reported_before_it);
    tcase_add_test(tc, the_reason_of_the_end_is_reported);
    tcase_add_test(tc,
                   after_close_sent_messages_arrive_and_received_messages_are_dropped);
    tcase_add_loop_test(tc, a_message_may_close_or_free_the_transport, 0, 2);
    tcase_add_test(tc, a_line_may_free_the_transport);
    tcase_add_test(tc, a_large_delivery_takes_several_turns);
    tcase_add_test(tc, a_second_open_is_refused);
    tcase_add_test(tc, before_open_sending_fails_and_close_has_no_effect);
}

int
main(void)
{
    return test_main("transport-memory", add);
}
