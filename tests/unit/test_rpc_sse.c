/* SPDX-License-Identifier: MIT
 *
 * test_rpc_sse.c - parsing event streams, whole and cut at every byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "support/runner.h"

static char story[65536];

static void
add_to_story(const char *fmt, const char *a, size_t len)
{
    size_t n = strlen(story);

    snprintf(story + n, sizeof(story) - n, fmt, (int)len, a);
}

static void
feed(struct mcph_sse *sse, const char *data, size_t len)
{
    struct mcph_span bytes = mcph_span(data, len);
    struct mcph_frame *frame;
    const char *type;
    int r;

    for (;;) {
        r = mcph_sse_next(sse, &bytes, &type, &frame);
        ck_assert_int_ge(r, 0);
        if (r == 0)
            break;
        add_to_story("%.*s", type, strlen(type));
        if (!frame)
            add_to_story("(blank)%.*s", "", 0);
        else if (frame->over)
            add_to_story("<over:%.*s>", frame->over->id, frame->over->id_len);
        else
            add_to_story("[%.*s]", frame->data, frame->len);
        add_to_story("%.*s ", "", 0);
        mcph_frame_unref(frame);
    }
    ck_assert_uint_eq(bytes.len, 0);
}

static void
finish(struct mcph_sse *sse)
{
    char text[64];

    snprintf(text, sizeof(text), "%lld n=%llu", (long long)sse->retry_ms,
             (unsigned long long)sse->n_events);
    add_to_story("id=%.*s ", sse->id, strlen(sse->id));
    add_to_story("retry=%.*s", text, strlen(text));
    mcph_sse_done(sse);
}

static const char *
run_reader(const char *data, size_t len, size_t cut_a, size_t cut_b, size_t limit)
{
    struct mcph_sse sse;

    story[0] = '\0';
    mcph_sse_init(&sse, limit);
    feed(&sse, data, cut_a);
    feed(&sse, data + cut_a, cut_b - cut_a);
    feed(&sse, data + cut_b, len - cut_b);
    finish(&sse);
    return story;
}

static const struct {
    const char *in, *story;
    size_t len; /* the length of `in`; 0 means strlen(in) */
} streams[] = {
    {"", "id= retry=-1 n=0", 0},
    {"data: {}\n\n", "message[{}] id= retry=-1 n=1", 0},
    {"data:{}\r\n\r\n", "message[{}] id= retry=-1 n=1", 0},
    {"data: {}\r\r", "message[{}] id= retry=-1 n=1", 0},
    {"data: {}\r\n\ndata: 1\r\r\ndata: 2\n\r",
     "message[{}] message[1] message[2] id= "
     "retry=-1 n=3",
     0},
    {"\xef\xbb\xbf"
     "data: 1\n\n",
     "message[1] id= retry=-1 n=1", 0},
    {"\xef\xbb\xbf\xef\xbb\xbf"
     "data: 1\n\n",
     "id= retry=-1 n=0", 0},
    {"\xef\xbb"
     "data: 1\n\ndata: 2\n\n",
     "message[2] id= retry=-1 n=1", 0},
    {"data: [1,\ndata: 2]\n\n", "message[[1, 2]] id= retry=-1 n=1", 0},
    {"data:  two\n\n", "message[ two] id= retry=-1 n=1", 0},
    {"data: 1", "id= retry=-1 n=0", 0},
    {"data: 1\n", "id= retry=-1 n=0", 0},
    {": hi\n\n: there\ndata: 1\n:\n\n", "message[1] id= retry=-1 n=1", 0},
    {"event: ping\ndata: 1\n\ndata: 2\n\n", "ping[1] message[2] id= retry=-1 n=2", 0},
    {"data: 1\nevent: ping\n\n", "ping[1] id= retry=-1 n=1", 0},
    {"event: message\ndata: 1\n\n", "message[1] id= retry=-1 n=1", 0},
    {"event: a\nevent\ndata: 1\n\n", "message[1] id= retry=-1 n=1", 0},
    {"event: ping\n\ndata: 1\n\n", "message[1] id= retry=-1 n=1", 0},
    {"id: 7\ndata:\nretry: 500\n\n", "message(blank) id=7 retry=500 n=1", 0},
    {"id: 7\n\n", "id=7 retry=-1 n=1", 0},
    {"id: 7\n", "id= retry=-1 n=0", 0},
    {"id: 7\ndata: 1\n\ndata: 2\n\n", "message[1] message[2] id=7 retry=-1 n=2", 0},
    {"id: 7\n\nid\n\n", "id= retry=-1 n=2", 0},
    {"id: 7\nid: 8\n\n", "id=8 retry=-1 n=1", 0},
    {"id: 7\n\nid: 8\0x\ndata: 1\n\n", "message[1] id=7 retry=-1 n=2", 24},
    {"id: 7\nid: 8\0x\ndata: 1\n\n", "message[1] id=7 retry=-1 n=1", 23},
    {"id: a\tb\ndata: 1\n\n", "message[1] id= retry=-1 n=1", 0},
    {"retry: 10\n", "id= retry=10 n=0", 0},
    {"retry: 10x\nretry: -1\nretry:\nretry\nretry: 1.5\n", "id= retry=-1 n=0", 0},
    {"retry: 99999999999999999999999\n", "id= retry=86400000 n=0", 0},
    {"retry: 007\n", "id= retry=7 n=0", 0},
    {"Data: 1\ndatas: 2\ndat: 3\n\n", "id= retry=-1 n=0", 0},
    {"data\n\n", "message(blank) id= retry=-1 n=1", 0},
    {"averylongfieldname: 1\ndata: 1\n\n", "message[1] id= retry=-1 n=1", 0},
    {"\n\n\r\n\r\rdata: 1\n\n\n", "message[1] id= retry=-1 n=1", 0},
    {"event: 012345678901234567890123456789012345\ndata: 1\n\n",
     "0123456789012345678901234567890[1] id= retry=-1 n=1", 0},
    {"data: a:b: c\n\n", "message[a:b: c] id= retry=-1 n=1", 0},
};

START_TEST(a_whole_stream_gives_its_events)
{
    size_t len = streams[_i].len ? streams[_i].len : strlen(streams[_i].in);

    ck_assert_str_eq(run_reader(streams[_i].in, len, 0, 0, 0), streams[_i].story);
}
END_TEST

/* Tries every pair of cuts.  The pairs cut each token at every place, into up to three
 * pieces. */
START_TEST(two_cuts_at_any_place_do_not_change_the_events)
{
    size_t len = streams[_i].len ? streams[_i].len : strlen(streams[_i].in);

    for (size_t a = 0; a <= len; a++) {
        for (size_t b = a; b <= len; b++)
            ck_assert_msg(
                strcmp(run_reader(streams[_i].in, len, a, b, 0), streams[_i].story) == 0,
                "cut at %zu and %zu: %s", a, b, story);
    }
}
END_TEST

START_TEST(data_over_the_limit_become_a_frame_with_their_id_only)
{
    static const char in[] =
        "data: {\"id\":5,\"result\":\"0123456789\ndata: 012345\"}\n\n"
        "data: {\"id\":6}\n\n";

    for (size_t a = 0; a < sizeof(in); a++)
        ck_assert_str_eq(run_reader(in, sizeof(in) - 1, a, sizeof(in) - 1, 20),
                         "message<over:5> message[{\"id\":6}] id= retry=-1 n=2");
}
END_TEST

START_TEST(an_id_over_512_bytes_counts_as_no_id)
{
    static char in[2 * MCPH_SSE_ID_MAX];

    for (size_t n = MCPH_SSE_ID_MAX - 1; n < MCPH_SSE_ID_MAX + 3; n++) {
        struct mcph_sse sse;
        size_t len = (size_t)snprintf(in, sizeof(in), "id: %0*d\n\n", (int)n, 1);

        mcph_sse_init(&sse, 0);
        feed(&sse, in, len);
        ck_assert_uint_eq(strlen(sse.id), n <= MCPH_SSE_ID_MAX ? n : 0);
        mcph_sse_done(&sse);
    }
}
END_TEST

START_TEST(a_line_of_3_mib_is_one_event)
{
    size_t len = 3 * 1024 * 1024, n = 0;
    char *data = malloc(len), *line;
    struct mcph_frame *frame;
    struct mcph_span bytes;
    struct mcph_sse sse;
    const char *type;

    ck_assert_ptr_nonnull(data);
    memset(data, 'x', len);
    line = data;
    memcpy(line, "data: ", 6);
    data[len - 2] = data[len - 1] = '\n';
    mcph_sse_init(&sse, 0);
    for (size_t at = 0; at < len; at += 16384) {
        bytes = mcph_span(data + at, len - at < 16384 ? len - at : 16384);
        while (mcph_sse_next(&sse, &bytes, &type, &frame) > 0) {
            ck_assert_uint_eq(frame->len, len - 8);
            mcph_frame_unref(frame);
            n++;
        }
    }
    ck_assert_uint_eq(n, 1);
    mcph_sse_done(&sse);
    free(data);
}
END_TEST

START_TEST(a_thousand_events_in_one_piece_are_all_returned)
{
    static char in[32 * 1024];
    size_t len = 0, n = 0;
    struct mcph_frame *frame;
    struct mcph_span bytes;
    struct mcph_sse sse;
    const char *type;

    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(in + len, sizeof(in) - len, "data: {\"n\":%d}\n\n", i);
    bytes = mcph_span(in, len);
    mcph_sse_init(&sse, 0);
    while (mcph_sse_next(&sse, &bytes, &type, &frame) > 0) {
        n++;
        mcph_frame_unref(frame);
    }
    ck_assert_uint_eq(n, 1000);
    mcph_sse_done(&sse);
}
END_TEST

START_TEST(a_restarted_stream_keeps_only_id_and_retry)
{
    static const char first[] = "id: 7\nretry: 9\ndata: 1\n\nevent: ping\nid: 8\ndata: {";
    static const char second[] = "\xef\xbb\xbf"
                                 "data: 2\n\n";
    struct mcph_sse sse;

    story[0] = '\0';
    mcph_sse_init(&sse, 0);
    feed(&sse, first, sizeof(first) - 1);
    mcph_sse_restart(&sse);
    feed(&sse, second, sizeof(second) - 1);
    finish(&sse);
    ck_assert_str_eq(story, "message[1] message[2] id=7 retry=9 n=2");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sse");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_whole_stream_gives_its_events, 0, MCPH_ARRAY_SIZE(streams));
    tcase_add_loop_test(tc, two_cuts_at_any_place_do_not_change_the_events, 0,
                        MCPH_ARRAY_SIZE(streams));
    tcase_add_test(tc, data_over_the_limit_become_a_frame_with_their_id_only);
    tcase_add_test(tc, an_id_over_512_bytes_counts_as_no_id);
    tcase_add_test(tc, a_line_of_3_mib_is_one_event);
    tcase_add_test(tc, a_thousand_events_in_one_piece_are_all_returned);
    tcase_add_test(tc, a_restarted_stream_keeps_only_id_and_retry);
}

int
main(void)
{
    return test_main("rpc-sse", add);
}
