/* SPDX-License-Identifier: MIT
 *
 * test_rpc_framer.c - the framer finds the lines, wherever the bytes are split.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "support/runner.h"

static struct mcph_framer framer;

static void
up(void)
{
    mcph_framer_init(&framer, 0);
}

static void
down(void)
{
    mcph_framer_done(&framer);
}

/* Passes bytes to the framer by mcph_framer_space() and mcph_framer_commit(), as a
 * transport does. */
static void
read_in(const char *data, size_t len)
{
    while (len > 0) {
        size_t size, n;
        char *space = mcph_framer_space(&framer, &size);

        ck_assert_ptr_nonnull(space);
        n = len < size ? len : size;
        memcpy(space, data, n);
        mcph_framer_commit(&framer, n);
        data += n;
        len -= n;
    }
}

static struct mcph_frame *
next(void)
{
    struct mcph_frame *frame = NULL;
    int r = mcph_framer_next(&framer, &frame);

    ck_assert_int_ge(r, 0);
    ck_assert(r == (frame != NULL));
    return frame;
}

static void
expect(const char *text)
{
    struct mcph_frame *frame = next();

    ck_assert_msg(frame != NULL, "no frame, expected %s", text);
    ck_assert(mcph_span_is(mcph_frame_span(frame), text));
    ck_assert_uint_eq(frame->wire_len, strlen(text));
    mcph_frame_unref(frame);
}

/* R21 */
START_TEST(messages_come_out_whole_at_every_split)
{
    static const char text[] =
        "{\"id\":1}\n{\"a\":\"\xf0\x9f\x98\x80\"}\r\n\n \t\r\n[]\nbanner\n";
    size_t n = sizeof(text) - 1;

    for (size_t a = 0; a <= n; a++) {
        for (size_t b = a; b <= n; b++) {
            const size_t cuts[] = {0, a, b, n};
            struct mcph_frame *frames[8];
            size_t count = 0;

            for (int i = 0; i < 3; i++) {
                struct mcph_frame *frame;

                read_in(text + cuts[i], cuts[i + 1] - cuts[i]);
                for (frame = next(); frame; frame = next())
                    frames[count++] = frame;
            }
            ck_assert_uint_eq(count, 4);
            ck_assert(mcph_span_is(mcph_frame_span(frames[0]), "{\"id\":1}"));
            ck_assert(
                mcph_span_is(mcph_frame_span(frames[1]), "{\"a\":\"\xf0\x9f\x98\x80\"}"));
            ck_assert(mcph_span_is(mcph_frame_span(frames[2]), "[]"));
            ck_assert(mcph_span_is(mcph_frame_span(frames[3]), "banner"));
            while (count > 0)
                mcph_frame_unref(frames[--count]);
            ck_assert_uint_eq(mcph_framer_pending(&framer), 0);
        }
    }
}
END_TEST

START_TEST(lines_that_come_byte_by_byte_are_found)
{
    static const char text[] = "{\"id\":1}\r\n{}\n";

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        read_in(text + i, 1);
        if (i == 9)
            expect("{\"id\":1}");
        else if (i == 12)
            expect("{}");
        else
            ck_assert_ptr_null(next());
    }
    ck_assert_uint_eq(framer.n_lines, 2);
    ck_assert_uint_eq(framer.n_bytes, 13);
}
END_TEST

START_TEST(an_unfinished_line_is_pending)
{
    read_in("{}\n{\"id\"", 8);
    expect("{}");
    ck_assert_ptr_null(next());
    ck_assert_uint_eq(mcph_framer_pending(&framer), 5);
    ck_assert_int_eq(mcph_framer_put(&framer, ":1}\n", 4), 0);
    expect("{\"id\":1}");
    ck_assert_uint_eq(mcph_framer_pending(&framer), 0);
}
END_TEST

static char *
line(size_t len, char fill)
{
    char *text = malloc(len + 1);

    memset(text, fill, len);
    text[len] = '\n';
    return text;
}

/* Most sizes are close to the smallest buffer or to MCPH_FRAME_COPY.  The framer copies a
 * line of up to MCPH_FRAME_COPY bytes, and usually gives the buffer of a longer line to
 * the line's frame.  Short lines stand before and after each long line. */
START_TEST(large_lines_and_the_lines_around_them_keep_their_bytes)
{
    static const size_t sizes[] = {4095, 4096, 16383, 16384, 16385, 65536, 300000};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(sizes); i++) {
        char *big = line(sizes[i], (char)('a' + i));
        struct mcph_frame *frame;

        read_in("first\n", 6);
        read_in(big, sizes[i] + 1);
        read_in("last\npart", 9);
        expect("first");
        frame = next();
        ck_assert_uint_eq(frame->len, sizes[i]);
        ck_assert_mem_eq(frame->data, big, sizes[i]);
        expect("last");
        ck_assert_ptr_null(next());
        read_in("ial\n", 4);
        expect("partial");
        /* Later reads do not change the bytes of a frame. */
        ck_assert_mem_eq(frame->data, big, sizes[i]);
        mcph_frame_unref(frame);
        free(big);
    }
}
END_TEST

START_TEST(small_frames_are_copied_and_large_frames_take_the_buffer)
{
    char *small = line(MCPH_FRAME_COPY, 'x'), *large = line(MCPH_FRAME_COPY + 1, 'x');
    struct mcph_frame *frame;
    const char *data;

    read_in(small, MCPH_FRAME_COPY + 1);
    frame = next();
    ck_assert_ptr_null(frame->block);
    mcph_frame_unref(frame);
    read_in(large, MCPH_FRAME_COPY + 2);
    data = framer.buf.data;
    ck_assert_ptr_null(framer.over);
    frame = next();
    ck_assert_ptr_nonnull(frame->block);
    ck_assert_ptr_ne(framer.buf.data, data); /* the frame took over the old buffer */
    mcph_frame_unref(frame);
    free(small);
    free(large);
}
END_TEST

/* The buffer of a message of several megabytes consists of mapped pages, which can grow
 * without a second copy of the message.  The frame takes over these pages. */
START_TEST(a_frame_of_3_megabytes_gets_mapped_pages_of_its_own_size)
{
    size_t len = 3000000;
    char *large = line(len, 'x');
    struct mcph_frame *frame;

    read_in(large, len);
    ck_assert(framer.buf.mapped);
    read_in("\n{}\n", 4);
    frame = next();
    ck_assert_uint_eq(frame->block_size, len);
    ck_assert_mem_eq(frame->data, large, len);
    expect("{}");
    ck_assert(!framer.buf.mapped);
    mcph_frame_unref(frame);
    free(large);
}
END_TEST

START_TEST(the_buffer_is_small_again_after_a_large_message)
{
    char *big = line(1000000, 'x');

    mcph_framer_put(&framer, big, 1000001);
    mcph_frame_unref(next());
    for (int i = 0; i < 20; i++) {
        read_in("{}\n", 3);
        expect("{}");
        ck_assert_ptr_null(next());
    }
    ck_assert_uint_le(framer.buf.cap, 4096);
    free(big);
}
END_TEST

START_TEST(a_frame_can_be_built_without_a_copy)
{
    static char large[100000];
    struct mcph_frame *frame;
    struct mcph_buf buf;

    memset(large, 'x', sizeof(large));
    for (size_t room = 0; room < 200000; room = room * 3 + 10) {
        mcph_frame_open(&buf, room);
        mcph_buf_adds(&buf, "begin");
        mcph_buf_add(&buf, large, sizeof(large));
        mcph_buf_adds(&buf, "end");
        frame = mcph_frame_close(&buf);
        ck_assert_uint_eq(frame->len, sizeof(large) + 8);
        ck_assert_uint_eq(frame->wire_len, frame->len);
        ck_assert_mem_eq(frame->data, "beginxxx", 8);
        ck_assert_str_eq(frame->data + frame->len - 4, "xend");
        mcph_frame_unref(frame);
    }
    mcph_frame_open(&buf, 0);
    mcph_buf_adds(&buf, "x");
    buf.err = MCPHOST_E_NOMEM;
    ck_assert_ptr_null(mcph_frame_close(&buf));
    ck_assert_ptr_null(buf.data);
}
END_TEST

START_TEST(the_last_reference_frees_a_frame)
{
    struct mcph_frame *frame;

    read_in("abc\n", 4);
    frame = next();
    ck_assert_ptr_eq(mcph_frame_ref(frame), frame);
    ck_assert_ptr_null(mcph_frame_unref(frame));
    ck_assert(mcph_span_is(mcph_frame_span(frame), "abc"));
    ck_assert_ptr_null(mcph_frame_unref(frame));
    ck_assert_ptr_null(mcph_frame_unref(NULL));
}
END_TEST

/* ---- past the limit ---------------------------------------------------------------- */

struct keeper {
    struct mcph_sink sink;
    struct mcph_buf got;
    int begins, ends, breaks, refuse_after;
    bool refuse_all, gives;
};

static void *
keeper_begin(struct mcph_sink *sink)
{
    struct keeper *k = MCPH_CONTAINER_OF(sink, struct keeper, sink);

    k->begins++;
    return k->refuse_all ? NULL : k;
}

static int
keeper_write(void *spool, const char *data, size_t len)
{
    struct keeper *k = spool;

    if (k->refuse_after >= 0 && k->got.len + len > (size_t)k->refuse_after)
        return MCPHOST_E_LIMIT;
    return mcph_buf_add(&k->got, data, len);
}

static void
keeper_end(void *spool, struct mcph_frame *frame)
{
    struct keeper *k = spool;

    if (!frame) {
        k->breaks++;
        return;
    }
    k->ends++;
    if (!k->gives)
        return;
    frame->len = k->got.len;
    frame->data = frame->block = mcph_buf_steal(&k->got, NULL);
}

static void
keeper_init(struct keeper *k)
{
    *k = (struct keeper){
        .sink = {.begin = keeper_begin, .write = keeper_write, .end = keeper_end},
        .refuse_after = -1};
    mcph_buf_init(&k->got, 10000);
}

static void
expect_over(const char *id, uint64_t wire_len, bool object)
{
    struct mcph_frame *frame = next();

    ck_assert_ptr_nonnull(frame);
    ck_assert_ptr_nonnull(frame->over);
    ck_assert_ptr_null(frame->data);
    ck_assert(mcph_span_is(mcph_span(frame->over->id, frame->over->id_len), id));
    ck_assert_uint_eq(frame->wire_len, wire_len);
    ck_assert_int_eq(frame->over->is_object, object);
    mcph_frame_unref(frame);
}

START_TEST(the_id_of_a_message_past_the_limit_is_found_at_every_split)
{
    static const char *const texts[] = {
        "{\"id\":77,\"result\":{\"text\":\"0123456789012345678901234567890123456789\"}}"
        "\r\n{\"next\":1}\n",
        "{\"result\":{\"text\":\"0123456789012345678901234567890123456789\",\"id\":5},"
        "\"id\":77}\r\n{\"next\":1}\n",
    };

    mcph_framer_set_limit(&framer, 20);
    for (size_t t = 0; t < 2; t++) {
        size_t n = strlen(texts[t]);

        for (size_t a = 0; a <= n; a++) {
            struct mcph_frame *frames[3] = {NULL}, *frame;
            struct keeper k;
            size_t count = 0;

            keeper_init(&k);
            mcph_framer_set_sink(&framer, &k.sink);
            read_in(texts[t], a);
            for (frame = next(); frame; frame = next())
                frames[count++] = frame;
            read_in(texts[t] + a, n - a);
            for (frame = next(); frame; frame = next())
                frames[count++] = frame;
            ck_assert_uint_eq(count, 2);
            ck_assert_ptr_nonnull(frames[0]->over);
            ck_assert(mcph_span_is(
                mcph_span(frames[0]->over->id, frames[0]->over->id_len), "77"));
            ck_assert(frames[0]->over->is_object && frames[0]->over->has_result);
            ck_assert(!frames[0]->over->has_method && !frames[0]->over->has_error);
            ck_assert_mem_eq(texts[t] + frames[0]->over->result_at, "{\"text\"", 7);
            ck_assert_uint_eq(frames[0]->wire_len, n - 13);
            /* The sink, which takes the bytes of messages past the limit, gets the
             * message without the line end. */
            ck_assert_uint_eq(k.got.len, n - 13);
            ck_assert_mem_eq(k.got.data, texts[t], n - 13);
            ck_assert_int_eq(k.ends, 1);
            ck_assert_int_eq(k.breaks, 0);
            ck_assert(mcph_span_is(mcph_frame_span(frames[1]), "{\"next\":1}"));
            mcph_frame_unref(frames[0]);
            mcph_frame_unref(frames[1]);
            mcph_buf_done(&k.got);
        }
    }
}
END_TEST

START_TEST(a_message_past_the_limit_that_the_sink_keeps_is_a_normal_frame)
{
    static const char text[] = "{\"id\":7,\"result\":{\"text\":\"0123456789\"}}\n{}\n";
    struct mcph_frame *frame;
    struct keeper k;

    keeper_init(&k);
    k.gives = true;
    mcph_framer_set_limit(&framer, 20);
    mcph_framer_set_sink(&framer, &k.sink);
    read_in(text, strlen(text));
    frame = next();
    ck_assert_ptr_null(frame->over);
    ck_assert(mcph_span_is(mcph_frame_span(frame),
                           "{\"id\":7,\"result\":{\"text\":\"0123456789\"}}"));
    ck_assert_uint_eq(frame->wire_len, frame->len);
    mcph_frame_unref(frame);
    frame = next();
    ck_assert(mcph_span_is(mcph_frame_span(frame), "{}"));
    mcph_frame_unref(frame);
    ck_assert_int_eq(k.begins, 1);
}
END_TEST

START_TEST(a_sink_that_refuses_a_message_is_not_called_again_for_it)
{
    struct keeper k;

    keeper_init(&k);
    k.refuse_all = true;
    mcph_framer_set_limit(&framer, 10);
    mcph_framer_set_sink(&framer, &k.sink);
    read_in("0123456789ab\n", 13);
    expect_over("", 12, false);
    ck_assert_int_eq(k.begins, 1);
    ck_assert_int_eq(k.ends + k.breaks, 0);
}
END_TEST

/* R21: a line of 100 MiB takes only constant memory.  The framer then returns the next
 * line. */
START_TEST(a_line_past_the_limit_takes_constant_memory)
{
    static char chunk[65536];
    size_t total = 0;

    mcph_framer_set_limit(&framer, 100000);
    memset(chunk, 'x', sizeof(chunk));
    read_in("{\"result\":\"", 11);
    for (; total < 100u << 20; total += sizeof(chunk)) {
        read_in(chunk, sizeof(chunk));
        ck_assert_ptr_null(next());
        ck_assert_uint_le(framer.buf.cap, 512 * 1024);
    }
    ck_assert_uint_eq(mcph_framer_pending(&framer), total + 11);
    read_in("\",\"id\":\"last\"}\n{}\n", 18);
    expect_over("\"last\"", total + 11 + 14, true);
    expect("{}");
    ck_assert_uint_eq(framer.n_over, 1);
}
END_TEST

/* R21: when a line reaches the limit, the buffer may hold megabytes of the line.  A
 * single call must not scan all these bytes. */
START_TEST(a_line_past_the_limit_is_scanned_in_steps_of_256_kib)
{
    static char text[4 * MCPH_FRAMER_STEP];
    struct mcph_frame *frame;
    unsigned steps = 0;

    memset(text, 'x', sizeof(text));
    mcph_framer_set_limit(&framer, sizeof(text) - 1);
    ck_assert_int_eq(mcph_framer_put(&framer, text, sizeof(text)), 0);
    do {
        ck_assert_int_eq(mcph_framer_next(&framer, &frame), 0);
        steps++;
    } while (mcph_framer_is_behind(&framer));
    ck_assert_uint_eq(steps, 4);
    read_in("\n{}\n", 4);
    expect_over("", sizeof(text), false);
    expect("{}");
}
END_TEST

/* R21: a ration limits the bytes of all large messages in memory together. */
START_TEST(a_line_beyond_the_ration_is_dropped_until_another_frame_is_freed)
{
    static char text[100000];
    struct mcph_frame *frame;
    struct mcph_ration *ration = mcph_ration_new(NULL);
    struct keeper k;

    keeper_init(&k);
    ration->max = 200000;
    mcph_framer_set_sink(&framer, &k.sink);
    mcph_framer_set_ration(&framer, ration);
    memset(text, ' ', sizeof(text));
    memcpy(text, "{\"id\":5,\"result\":1", 19);
    text[sizeof(text) - 2] = '}';
    text[sizeof(text) - 1] = '\n';
    read_in(text, sizeof(text));
    frame = next();
    ck_assert_ptr_null(frame->over);
    ck_assert_uint_ge(atomic_load(&ration->used), sizeof(text));
    read_in(text, sizeof(text));
    expect_over("5", sizeof(text) - 1, true);
    read_in("{\"small\":1}\n", 12);
    expect("{\"small\":1}");
    mcph_frame_unref(frame);
    read_in(text, sizeof(text));
    frame = next();
    ck_assert_ptr_null(frame->over);
    ck_assert_int_eq(k.begins, 0);
    /* A frame may outlive its framer and the other references to the ration. */
    mcph_framer_done(&framer);
    ck_assert_uint_ge(atomic_load(&ration->used), sizeof(text));
    mcph_ration_unref(ration);
    mcph_frame_unref(frame);
}
END_TEST

static struct mcph_ration *
share_of(struct mcph_ration *whole)
{
    struct mcph_ration *share = mcph_ration_new(whole);

    ck_assert_ptr_nonnull(share);
    return share;
}

/* R21: each share may take at most as many bytes as it leaves to the other shares. */
START_TEST(a_share_takes_at_most_as_much_as_it_leaves)
{
    struct mcph_ration *whole = mcph_ration_new(NULL), *a = share_of(whole);
    struct mcph_ration *b = share_of(whole), *c = share_of(whole);

    whole->max = 1000;
    ck_assert(mcph_ration_take(a, 500));
    ck_assert(!mcph_ration_take(a, 1));
    ck_assert(mcph_ration_take(b, 250));
    ck_assert(!mcph_ration_take(b, 1));
    ck_assert(mcph_ration_take(c, 100));
    mcph_ration_give_back(a, 400);
    ck_assert(mcph_ration_take(b, 25));
    /* mcph_ration_add() counts bytes that are already in memory, even beyond the
     * limit. */
    mcph_ration_add(c, 5000);
    ck_assert(!mcph_ration_take(b, 1));
    mcph_ration_give_back(c, 5100);
    mcph_ration_give_back(b, 275);
    ck_assert_uint_eq(atomic_load(&whole->used), 100);
    /* A share holds a reference to the whole ration. */
    mcph_ration_unref(whole);
    ck_assert(mcph_ration_take(a, 400));
    mcph_ration_unref(a);
    mcph_ration_unref(b);
    mcph_ration_unref(c);
}
END_TEST

START_TEST(a_line_of_exactly_the_limit_is_a_normal_frame)
{
    mcph_framer_set_limit(&framer, 10);
    read_in("0123456789\n01234567890\n0123456789\r\n", 35);
    expect("0123456789");
    expect_over("", 11, false);
    expect("0123456789");
    read_in("0123456789", 10);
    ck_assert_ptr_null(next());
    ck_assert_ptr_null(framer.over);
    read_in("\r", 1);
    ck_assert_ptr_null(next());
    read_in("\n", 1);
    expect("0123456789");
}
END_TEST

START_TEST(blank_lines_are_skipped_up_to_the_limit_and_count_beyond_it)
{
    mcph_framer_set_limit(&framer, 4);
    read_in("    \r\n     \n{}\n", 15);
    expect_over("", 5, false);
    expect("{}");
    read_in("   ", 3);
    ck_assert_ptr_null(next());
    read_in("  ", 2);
    ck_assert_ptr_null(next());
    read_in("\n", 1);
    expect_over("", 5, false);
}
END_TEST

START_TEST(a_spool_that_refuses_bytes_or_loses_its_line_is_ended_without_a_frame)
{
    struct keeper k;

    keeper_init(&k);
    k.refuse_after = 15;
    mcph_framer_set_limit(&framer, 10);
    mcph_framer_set_sink(&framer, &k.sink);
    read_in("0123456789ab", 12);
    ck_assert_ptr_null(next());
    ck_assert_uint_eq(k.got.len, 12);
    read_in("cdefgh", 6);
    ck_assert_ptr_null(next());
    ck_assert_int_eq(k.breaks, 1);
    read_in("ij\n", 3);
    expect_over("", 20, false);
    ck_assert_int_eq(k.breaks, 1);
    ck_assert_int_eq(k.ends, 0);
    read_in("0123456789a", 11);
    k.refuse_after = -1;
    ck_assert_ptr_null(next());
    mcph_framer_done(&framer); /* the input ends within the line */
    ck_assert_int_eq(k.breaks, 2);
    mcph_buf_done(&k.got);
}
END_TEST

START_TEST(an_id_over_256_bytes_counts_as_no_id)
{
    char text[600];

    mcph_framer_set_limit(&framer, 10);
    memset(text, '1', sizeof(text));
    memcpy(text, "{\"id\":", 6);
    memcpy(text + 598, "}\n", 2);
    read_in(text, 600);
    expect_over("", 599, true);
}
END_TEST

/* ---- long lines are checked while they are read ------------------------------------ */

static size_t
put_text(char *room, size_t at, const char *text)
{
    size_t len = strlen(text);

    memcpy(room + at, text, len + 1);
    return at + len;
}

/* Writes a message of about `len` bytes that repeats `unit` and ends with `tail`.
 * Returns the length of the message. */
static size_t
long_message(char *room, size_t len, const char *unit, const char *tail)
{
    size_t n = put_text(room, 0, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"");

    while (n + strlen(unit) < len)
        n = put_text(room, n, unit);
    return put_text(room, n, tail);
}

static void
is_parsed_as_a_whole(struct mcph_frame *frame)
{
    struct mcph_rpc_message whole, known;

    ck_assert_ptr_nonnull(frame);
    ck_assert_ptr_nonnull(frame->envelope);
    mcph_rpc_parse(mcph_frame_span(frame), 0, &whole);
    mcph_rpc_parse_frame(frame, 0, &known);
    ck_assert_int_eq(known.kind, whole.kind);
    if (whole.kind == MCPH_RPC_GARBAGE) {
        ck_assert_str_eq(known.why, whole.why);
        ck_assert_int_eq(known.bad_utf8, whole.bad_utf8);
    }
    ck_assert_int_eq(known.is_answer, whole.is_answer);
    ck_assert_int_eq(known.id.kind, whole.id.kind);
    ck_assert_int_eq(known.id.n, whole.id.n);
    ck_assert_ptr_eq(known.result.p, whole.result.p);
    ck_assert_uint_eq(known.result.len, whole.result.len);
    ck_assert_ptr_eq(known.error.p, whole.error.p);
    ck_assert_ptr_eq(known.whole.p, whole.whole.p);
    ck_assert_uint_eq(known.whole.len, whole.whole.len);
}

/* R21: when the end of a long line arrives, the bytes before that end are already
 * checked. */
START_TEST(a_long_line_is_checked_before_its_end)
{
    static const char *const tails[] = {"\"}",     " \"}  ",           "\xff\"}",
                                        "\x01\"}", "\",\"error\":{}}", "\",\"id\":8}",
                                        "\"} x"};
    static char text[3 * MCPH_FRAMER_LONG];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tails); i++) {
        size_t n = long_message(text, 2 * MCPH_FRAMER_LONG, "\\u00e4", tails[i]);
        struct mcph_frame *frame;

        for (size_t at = 0; at < n; at += 16384) {
            read_in(text + at, n - at < 16384 ? n - at : 16384);
            ck_assert_ptr_null(next());
        }
        ck_assert_ptr_nonnull(framer.envelope);
        ck_assert_uint_eq(framer.envelope->fed, n);
        read_in("\r\n", 2);
        frame = next();
        is_parsed_as_a_whole(frame);
        ck_assert_ptr_null(framer.envelope);
        mcph_frame_unref(frame);
    }
    read_in("{}\n", 3);
    expect("{}");
}
END_TEST

START_TEST(the_check_of_a_long_blank_line_does_not_affect_the_next_line)
{
    static char text[3 * MCPH_FRAMER_LONG];
    struct mcph_frame *frame;
    size_t n;

    memset(text, ' ', 2 * MCPH_FRAMER_LONG);
    read_in(text, 2 * MCPH_FRAMER_LONG);
    ck_assert_ptr_null(next());
    read_in("\n", 1);
    n = long_message(text, 2 * MCPH_FRAMER_LONG, "x", "\"}");
    read_in(text, n);
    ck_assert_ptr_null(next());
    read_in("\n", 1);
    frame = next();
    is_parsed_as_a_whole(frame);
    mcph_frame_unref(frame);
}
END_TEST

/* The check of a line past the limit includes the bytes that came before the line reached
 * the limit. */
START_TEST(a_line_past_the_limit_keeps_the_check_of_its_first_bytes)
{
    static char text[5 * MCPH_FRAMER_LONG];
    size_t n = long_message(text, 4 * MCPH_FRAMER_LONG, "\\\"", "\"}");
    struct mcph_frame *frame = NULL;

    mcph_framer_set_limit(&framer, 2 * MCPH_FRAMER_LONG);
    text[n++] = '\n';
    for (size_t at = 0; at < n; at += 16384) {
        read_in(text + at, n - at < 16384 ? n - at : 16384);
        frame = next();
    }
    ck_assert_ptr_nonnull(frame);
    ck_assert_ptr_nonnull(frame->over);
    ck_assert(frame->over->is_object && frame->over->has_result);
    ck_assert(!frame->over->has_error && !frame->over->has_method);
    ck_assert(mcph_span_is(mcph_span(frame->over->id, frame->over->id_len), "7"));
    ck_assert_int_eq(frame->envelope->code, 0);
    ck_assert_uint_eq(frame->envelope->fed, n - 1);
    mcph_frame_unref(frame);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "lines");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, messages_come_out_whole_at_every_split);
    tcase_add_test(tc, lines_that_come_byte_by_byte_are_found);
    tcase_add_test(tc, an_unfinished_line_is_pending);
    tcase_add_test(tc, large_lines_and_the_lines_around_them_keep_their_bytes);
    tcase_add_test(tc, small_frames_are_copied_and_large_frames_take_the_buffer);
    tcase_add_test(tc, a_frame_of_3_megabytes_gets_mapped_pages_of_its_own_size);
    tcase_add_test(tc, the_buffer_is_small_again_after_a_large_message);
    tcase_add_test(tc, a_frame_can_be_built_without_a_copy);
    tcase_add_test(tc, the_last_reference_frees_a_frame);
    tc = test_case(suite, "limit");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_id_of_a_message_past_the_limit_is_found_at_every_split);
    tcase_add_test(tc, a_line_past_the_limit_takes_constant_memory);
    tcase_add_test(tc, a_line_past_the_limit_is_scanned_in_steps_of_256_kib);
    tcase_add_test(tc, a_line_beyond_the_ration_is_dropped_until_another_frame_is_freed);
    tcase_add_test(tc, a_share_takes_at_most_as_much_as_it_leaves);
    tcase_add_test(tc, a_line_of_exactly_the_limit_is_a_normal_frame);
    tcase_add_test(tc, blank_lines_are_skipped_up_to_the_limit_and_count_beyond_it);
    tcase_add_test(tc, a_message_past_the_limit_that_the_sink_keeps_is_a_normal_frame);
    tcase_add_test(tc, a_sink_that_refuses_a_message_is_not_called_again_for_it);
    tcase_add_test(tc,
                   a_spool_that_refuses_bytes_or_loses_its_line_is_ended_without_a_frame);
    tcase_add_test(tc, an_id_over_256_bytes_counts_as_no_id);
    tcase_add_test(tc, a_long_line_is_checked_before_its_end);
    tcase_add_test(tc, the_check_of_a_long_blank_line_does_not_affect_the_next_line);
    tcase_add_test(tc, a_line_past_the_limit_keeps_the_check_of_its_first_bytes);
}

int
main(void)
{
    return test_main("rpc-framer", add);
}
