/* SPDX-License-Identifier: MIT
 *
 * test_torture_rpc.c - texts, frames, requests and results while memory runs out.
 *
 * A buffer reports the failure and keeps its content.  The framer loses no bytes.  Every
 * request that was started ends once.
 */
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "rpc/rpc.h"
#include "torture/torture.h"

/* ---- texts ------------------------------------------------------------------------- */

static const char document[] =
    " {\"b\" : [1, 2.50, 1e400, true, null, {\"z\":{}, \"a\":[]}],\n"
    "  \"text\":\"a \\\"quoted\\\" \\u00e9 \\ud83d\\ude00 line\\n\", \"a\": \"plain\"} ";

static int
write_text(void)
{
    struct mcph_span value, text, string;
    struct mcph_buf buf, decoded;
    char *copy = NULL;
    int r;

    mcph_buf_init(&buf, (size_t)1 << 20);
    mcph_buf_init(&decoded, (size_t)1 << 20);
    torture_must(mcph_json_check(mcph_span_str(document), 0, &value, NULL) == 0);
    text = mcph_json_get(value, "text");
    r = mcph_json_add_canonical(&buf, value);
    if (r == 0)
        r = mcph_json_string_get(text, &decoded, &string);
    if (r == 0) {
        torture_must(string.len == 24 && memcmp(string.p, "a \"quoted\" ", 11) == 0);
        r = mcph_json_string_dup(text, &copy);
        torture_must((r == 0) == (copy != NULL));
    }
    for (int i = 0; r == 0 && i < 200; i++) {
        size_t len = buf.len;

        mcph_json_add_comma(&buf);
        mcph_json_add_key(&buf, "key \"quoted\"");
        mcph_json_add_double(&buf, 0.1 * i);
        mcph_json_add_str(&buf, "bad \xff bytes");
        mcph_rpc_add_oneline(&buf, value);
        r = mcph_buf_ok(&buf);
        torture_must(buf.len >= len);
    }
    free(copy);
    mcph_buf_done(&buf);
    mcph_buf_done(&decoded);
    return r;
}

static int
refuse_text(void)
{
    static const char bad[] = "{\"a\":\n [1, 2,, 3]}";
    mcphost_error *error = NULL;
    int r;

    r = mcph_json_check_input(mcph_span_str(bad), 0, MCPH_JSON_OBJECT,
                              "arguments of tool 'x'", NULL, &error);
    torture_must(r == MCPHOST_E_INVALID && error);
    /* Take the code from the error, because mcph_json_check_input() returns
     * MCPHOST_E_INVALID even without memory for the error's detail. */
    r = mcphost_error_get_code(error);
    torture_must(r == MCPHOST_E_NOMEM || mcphost_error_get_line(error) == 2);
    mcphost_error_unref(error);
    return r == MCPHOST_E_INVALID ? 0 : r;
}

static int
make_errors(void)
{
    static const char said[] = "it \xc3\xa9 failed", why[] = "{\"why\":[1,2,3]}";
    mcphost_error *first = NULL, *second = NULL;
    int r, code;

    r = mcph_err_rpc(&first, -32000, said, sizeof(said) - 1, why, sizeof(why) - 1);
    torture_must(first && (r == MCPHOST_E_RPC || r == MCPHOST_E_NOMEM));
    mcph_err_set_stderr_tail(first, "the last words\n", 15);
    mcph_err_set_server(first, NULL, "srv");
    code = mcph_err_copy(&second, first, NULL, "other");
    torture_must(second && code == mcphost_error_get_code(first));
    if (code == MCPHOST_E_RPC)
        code = mcphost_error_get_code(second);
    mcphost_error_unref(second);
    mcphost_error_unref(first);
    second = NULL;
    (void)mcph_err_at(&second, MCPHOST_E_CONFIG, "file", 1, 2, "%s", "a text");
    torture_must(second != NULL);
    if (code == MCPHOST_E_RPC)
        code = mcphost_error_get_code(second);
    mcphost_error_unref(second);
    return code == MCPHOST_E_CONFIG ? 0 : code;
}

static int
fill_containers(void)
{
    static const char keys[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    struct mcph_map map = {0};
    struct mcph_vec vec = {0};
    size_t kept = 0;
    int r = 0;

    for (size_t i = 0; r == 0 && i < 400; i++) {
        const char *key = keys + i % 30;
        size_t len = 1 + i / 30 % 6;
        void *old = NULL;

        r = mcph_map_put(&map, key, len, (void *)(uintptr_t)(i + 1), &old);
        kept += r == 0 && !old;
        torture_must(map.n == kept);
        if (r == 0)
            r = mcph_vec_add(&vec, (void *)(uintptr_t)key);
    }
    if (map.n)
        torture_must(mcph_map_get(&map, "a", 1) != NULL);
    mcph_map_done(&map);
    mcph_vec_done(&vec);
    return r;
}

static const struct {
    int (*run)(void);
    long least;
} plain[] = {{write_text, 4}, {refuse_text, 1}, {make_errors, 5}, {fill_containers, 6}};

START_TEST(texts_errors_and_containers_are_complete_or_fail_with_e_nomem)
{
    torture_run(&(struct torture){.run = plain[_i / 2].run, .least = plain[_i / 2].least},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- frames ------------------------------------------------------------------------ */

#define LIMIT 100000
#define LARGE 70000 /* bytes of a line that is handed over without a copy */
#define OVER  200000

static char stream[LARGE + OVER + 4096];
static size_t stream_len;

static void
put_text(const char *text)
{
    memcpy(stream + stream_len, text, strlen(text));
    stream_len += strlen(text);
}

static void
put_long(size_t len, const char *tail)
{
    put_text("{\"id\":7,\"result\":\"");
    memset(stream + stream_len, 'x', len);
    stream_len += len;
    put_text(tail);
}

static void
make_stream(void)
{
    stream_len = 0;
    put_text("{\"one\":1}\n\n  \r\n{\"two\":2}\r\n");
    put_long(LARGE, "\"}\n");
    put_text("{\"four\":4}\n");
    put_long(OVER, "\"}\n");
    put_text("{\"six\":6}\n{\"unfinished\"");
}

struct counting_sink {
    struct mcph_sink base;
    size_t bytes, ends;
};

static void *
sink_begin(struct mcph_sink *base)
{
    return base;
}

static int
sink_write(void *base, const char *data, size_t len)
{
    (void)data;
    ((struct counting_sink *)base)->bytes += len;
    return 0;
}

static void
sink_end(void *base, struct mcph_frame *frame)
{
    (void)frame;
    ((struct counting_sink *)base)->ends++;
}

/* The sizes of the expected frames in bytes.  0 means a message over the limit. */
static const uint64_t sizes[] = {9, 9, LARGE + 20, 10, 0, 9};

static int
take_frames(struct mcph_framer *framer, size_t *n, int tries)
{
    struct mcph_frame *frame;
    int r;

    for (;;) {
        r = mcph_framer_next(framer, &frame);
        if (r == MCPHOST_E_NOMEM && tries-- > 0)
            continue; /* try again, because the framer has lost nothing */
        if (r <= 0)
            return r;
        torture_must(*n < MCPH_ARRAY_SIZE(sizes));
        if (*n < MCPH_ARRAY_SIZE(sizes))
            torture_must(sizes[*n] == (frame->over ? 0 : frame->len));
        (*n)++;
        mcph_frame_unref(frame);
    }
}

static int
frame_stream(size_t step, int tries)
{
    struct counting_sink sink = {
        .base = {.begin = sink_begin, .write = sink_write, .end = sink_end}};
    struct mcph_framer framer;
    size_t n = 0, at = 0;
    int r = 0, left = tries;

    mcph_framer_init(&framer, LIMIT);
    mcph_framer_set_sink(&framer, &sink.base);
    while (r == 0 && at < stream_len) {
        size_t len = stream_len - at < step ? stream_len - at : step;

        r = mcph_framer_put(&framer, stream + at, len);
        if (r == MCPHOST_E_NOMEM && left-- > 0) {
            r = 0;
            continue;
        }
        at += len;
        if (r == 0)
            r = take_frames(&framer, &n, tries);
    }
    if (r == 0) {
        torture_must(n == MCPH_ARRAY_SIZE(sizes));
        torture_must(mcph_framer_pending(&framer) == 13);
        torture_must(sink.ends == 1 && sink.bytes == OVER + 20);
    }
    mcph_framer_done(&framer);
    return r;
}

static int
frame_at_once(void)
{
    return frame_stream(stream_len, 0);
}

static int
frame_in_pieces(void)
{
    return frame_stream(4096, 0);
}

static int
frame_again(void)
{
    return frame_stream(1000, 1);
}

START_TEST(the_framer_gives_whole_frames_or_returns_e_nomem)
{
    int (*const runs[])(void) = {frame_at_once, frame_in_pieces};

    make_stream();
    torture_run(&(struct torture){.run = runs[_i / 2], .least = 8},
                _i % 2 ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

START_TEST(after_e_nomem_the_framer_loses_nothing_when_it_is_called_again)
{
    make_stream();
    torture_run(&(struct torture){.run = frame_again, .least = 8, .recovers = true},
                FAIL_ONCE);
}
END_TEST

/* ---- requests ---------------------------------------------------------------------- */

#define CALLS 40

static int64_t now;
static int started, ended;

static int64_t
fake_clock(void *arg)
{
    (void)arg;
    return now;
}

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    torture_must(!mcph_rpc_call_waits(call));
    torture_must(answer->code || answer->msg);
    ended++;
}

static int
receive(struct mcph_rpc *rpc, const char *text)
{
    struct mcph_frame *frame = mcph_frame_new(text, strlen(text));

    if (!frame)
        return MCPHOST_E_NOMEM;
    mcph_rpc_receive(rpc, frame);
    mcph_frame_unref(frame);
    return 0;
}

static int
start_all(struct mcph_rpc *rpc, struct mcph_rpc_call *calls, struct mcph_buf *buf)
{
    int r = 0;

    for (int i = 0; r == 0 && i < CALLS; i++) {
        calls[i] = (struct mcph_rpc_call){
            .on_answer = on_answer, .timeout_ms = 1000 + i, .max_ms = 5000};
        r = i ? mcph_rpc_start(rpc, &calls[i])
              : mcph_rpc_start_named(rpc, &calls[i], "named");
        torture_must((r == 0) == mcph_rpc_call_waits(&calls[i]));
        started += r == 0;
        if (r == 0)
            r = mcph_rpc_open_call(buf, &calls[i], "tools/call", 2);
        if (r == 0)
            r = mcph_buf_adds(buf, "}}");
    }
    return r;
}

static int
converse(struct mcph_core *core)
{
    static const struct mcph_rpc_answer lost = {.code = MCPHOST_E_TRANSPORT};
    static const struct mcph_rpc_ops ops = {0};
    struct mcph_rpc_call calls[CALLS];
    struct mcph_rpc rpc;
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, (size_t)1 << 20);
    mcph_rpc_init(&rpc, core, &ops);
    rpc.allow_batch = true;
    r = start_all(&rpc, calls, &buf);
    if (r == 0)
        r = receive(&rpc, "{\"jsonrpc\":\"2.0\",\"id\":\"named\",\"result\":{}}");
    if (r == 0)
        r = receive(&rpc, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}},{\"jsonrpc\":"
                          "\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"m\"}}]");
    if (r == 0) {
        mcph_rpc_add_cancel(&buf, &calls[9], "because of \"that\"");
        mcph_rpc_abandon(&calls[9]);
        started--;
        r = mcph_buf_ok(&buf);
    }
    now += 1020; /* some calls time out */
    (void)mcph_core_dispatch(core);
    while (!mcph_list_empty(&rpc.calls))
        mcph_rpc_settle(MCPH_LIST_ENTRY(rpc.calls.next, struct mcph_rpc_call, link),
                        &lost);
    torture_must(started == ended);
    mcph_rpc_done(&rpc);
    mcph_buf_done(&buf);
    return r;
}

static int
request(void)
{
    struct mcph_core *core = NULL;
    mcphost_error *error = NULL;
    int r;

    started = ended = 0;
    r = mcph_core_new(&core, &error);
    torture_must((r == 0) == !error && (r == 0) == (core != NULL));
    if (r == 0) {
        mcph_core_set_clock(core, fake_clock, NULL);
        r = converse(core);
    }
    mcphost_error_unref(error);
    mcph_core_unref(core);
    return r;
}

START_TEST(if_allocations_fail_every_started_request_ends_once)
{
    torture_run(&(struct torture){.run = request, .least = 5},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

/* ---- results ----------------------------------------------------------------------- */

static const char answer[] =
    "{\"content\":[{\"type\":\"text\",\"text\":\"line\\none\"},{\"type\":\"text\","
    "\"text\":\"plain\"},{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":"
    "\"image\\/"
    "png\"},{\"type\":\"text\",\"text\":\"last\"}],\"structuredContent\":{\"n\":1e400}}";

/* Checks a text that a getter returned.  NULL with a length means that the getter had no
 * memory for a copy. */
static int
is_whole(const char *text, size_t len, const char *expected)
{
    torture_must(len == strlen(expected));
    torture_must(!text || strcmp(text, expected) == 0);
    return text ? 0 : MCPHOST_E_NOMEM;
}

/* Checks that a result returns its original JSON after calls of the getters of texts.
 * The getters of texts write NULs into the JSON in memory. */
static int
ask_for_json(mcphost_result *result)
{
    const char *text;
    size_t len;
    int r;

    text = mcphost_result_get_structured(result, &len);
    torture_must(text && len == 11);
    text = mcphost_result_item_get_json(result, 3, &len);
    r = is_whole(text, len, "{\"type\":\"text\",\"text\":\"last\"}");
    if (r == 0)
        text = mcphost_result_get_json(result, &len);
    if (r == 0)
        r = is_whole(text, len, answer);
    if (r == 0)
        text = mcphost_result_get_structured(result, &len);
    return r == 0 ? is_whole(text, len, "{\"n\":1e400}") : r;
}

static int
look_into(mcphost_result *result)
{
    const char *text = NULL;
    size_t len = 0;
    int r;

    torture_must(mcphost_result_count_items(result) == 4);
    r = mcphost_result_item_get_text(result, 0, &text, &len);
    torture_must(r < 0 || (len == 8 && memcmp(text, "line\none", 8) == 0));
    if (r == 0)
        r = mcphost_result_item_get_text(result, 1, &text, &len);
    if (r == 0 && !mcphost_result_item_get_mime_type(result, 2))
        r = MCPHOST_E_NOMEM;
    if (r == 0)
        torture_must(strcmp(mcphost_result_item_get_mime_type(result, 2), "image/png") ==
                     0);
    if (r == 0)
        r = mcphost_result_item_get_text(result, 3, &text, &len);
    return r == 0 ? ask_for_json(result) : r;
}

static int
read_result(void)
{
    struct mcph_frame *frame = mcph_frame_new(answer, strlen(answer));
    mcphost_result *result = NULL, *own = NULL;
    int r = frame ? 0 : MCPHOST_E_NOMEM;

    if (r == 0)
        r = mcph_result_new(frame, mcph_frame_span(frame), &result);
    if (r == 0)
        r = look_into(result);
    if (r == 0)
        r = mcph_result_new_text("our \"own\"", 9, true, &own);
    torture_must(!own || mcphost_result_is_error(own));
    mcphost_result_unref(result);
    mcphost_result_unref(own);
    mcph_frame_unref(frame);
    return r;
}

/* A result whose structured content equals the JSON in its text.  The names in the text
 * are in another order.  The strings have escapes.  The arrays are so long that the
 * comparison must allocate memory for its parsed form of the JSON. */
static const char twice[] = "{\"structuredContent\":{\"a\":\"\\n\",\"b\":[1,1,1,1,1,1,1,"
                            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},\"content\":[{"
                            "\"type\":\"text\",\"text\":\"{\\\"b"
                            "\\\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                            "1],\\\"a\\\":\\\"\\\\n\\\"}\"}]}";

static int
compare_twice(void)
{
    struct mcph_frame *frame = mcph_frame_new(twice, strlen(twice));
    mcphost_result *result = NULL;
    int r = frame ? 0 : MCPHOST_E_NOMEM;

    if (r == 0)
        r = mcph_result_new(frame, mcph_frame_span(frame), &result);
    if (r == 0)
        r = mcphost_result_item_repeats_structured(result, 0);
    torture_must(r == 1 || r == MCPHOST_E_NOMEM);
    mcphost_result_unref(result);
    mcph_frame_unref(frame);
    return r < 0 ? r : 0;
}

START_TEST(a_text_is_compared_with_structured_content_or_fails_with_e_nomem) /* R72 */
{
    torture_run(&(struct torture){.run = compare_twice, .least = 6},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

START_TEST(a_result_is_read_completely_or_fails_with_e_nomem)
{
    torture_run(&(struct torture){.run = read_result, .least = 5},
                _i ? FAIL_FROM_THEN_ON : FAIL_ONCE);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "messages");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, texts_errors_and_containers_are_complete_or_fail_with_e_nomem,
                        0, 8);
    tcase_add_loop_test(tc, the_framer_gives_whole_frames_or_returns_e_nomem, 0, 4);
    tcase_add_test(tc, after_e_nomem_the_framer_loses_nothing_when_it_is_called_again);
    tcase_add_loop_test(tc, if_allocations_fail_every_started_request_ends_once, 0, 2);
    tcase_add_loop_test(tc, a_result_is_read_completely_or_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(
        tc, a_text_is_compared_with_structured_content_or_fails_with_e_nomem, 0, 2);
}

int
main(void)
{
    return torture_main("torture-rpc", add);
}
