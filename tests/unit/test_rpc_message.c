/* SPDX-License-Identifier: MIT
 *
 * test_rpc_message.c - parsing and building JSON-RPC messages.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "support/runner.h"

static struct mcph_rpc_message
parse(const char *text)
{
    struct mcph_rpc_message msg;

    mcph_rpc_parse(mcph_span_str(text), 0, &msg);
    return msg;
}

static int
kind(const char *text)
{
    return parse(text).kind;
}

START_TEST(each_kind_of_message_is_recognized)
{
    struct mcph_rpc_message msg;

    msg =
        parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":1}}");
    ck_assert_int_eq(msg.kind, MCPH_RPC_REQUEST);
    ck_assert(mcph_rpc_method_is(&msg, "ping"));
    ck_assert(mcph_span_is(msg.params, "{\"a\":1}"));
    ck_assert_int_eq(msg.id.kind, MCPH_RPC_ID_INT);
    ck_assert(msg.id.n == 1);

    msg = parse(" {\"method\":\"notifications\\/x\",\"jsonrpc\":\"2.0\"} ");
    ck_assert_int_eq(msg.kind, MCPH_RPC_NOTIFICATION);
    ck_assert(mcph_rpc_method_is(&msg, "notifications/x"));
    ck_assert_ptr_null(msg.params.p);

    msg = parse("{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":\"a\"}");
    ck_assert_int_eq(msg.kind, MCPH_RPC_RESULT);
    ck_assert_int_eq(msg.id.kind, MCPH_RPC_ID_STRING);
    ck_assert(mcph_span_is(msg.id.raw, "\"a\""));
    ck_assert(mcph_span_is(msg.result, "{}"));

    msg = parse("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601},\"id\":2}");
    ck_assert_int_eq(msg.kind, MCPH_RPC_ERROR);
    ck_assert(mcph_span_is(msg.error, "{\"code\":-32601}"));

    ck_assert_int_eq(kind("[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"), MCPH_RPC_BATCH);
}
END_TEST

START_TEST(an_error_may_have_no_id)
{
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}"),
                     MCPH_RPC_ERROR);
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1}}"),
                     MCPH_RPC_ERROR);
    ck_assert_int_eq(parse("{\"jsonrpc\":\"2.0\",\"error\":{}}").id.kind,
                     MCPH_RPC_ID_NONE);
}
END_TEST

START_TEST(a_null_result_beside_an_error_is_ignored_and_vice_versa)
{
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":null}"),
                     MCPH_RPC_RESULT);
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null,\"error\":{}}"),
                     MCPH_RPC_ERROR);
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}"),
                     MCPH_RPC_RESULT);
    ck_assert_int_eq(kind("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":null}"),
                     MCPH_RPC_NOTIFICATION);
}
END_TEST

/* R21 */
START_TEST(a_text_that_is_no_message_is_garbage)
{
    static const char *const texts[] = {
        "Server listening on stdio",
        "\"text\"",
        "1",
        "null",
        "{}",
        "[]",
        "{\"id\":1}",
        "{\"level\":30,\"id\":1,\"result\":\"ok\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":2.0,\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":18446744073709551616,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":true,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":[1],\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":7}",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"text\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}",
        "Content-Length: 20",
        "\xef\xbb\xbf{}",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        struct mcph_rpc_message msg = parse(texts[i]);

        ck_assert_msg(msg.kind == MCPH_RPC_GARBAGE, "not garbage: %s", texts[i]);
        ck_assert_ptr_nonnull(msg.why);
    }
}
END_TEST

/* The parser gives the id of a broken answer.  The call with this id can then fail at
 * once with a reason, and need not wait for its deadline. */
START_TEST(a_broken_answer_still_names_its_request)
{
    static const char *const texts[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":\"text\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\xff\"}",
        "{\"result\":[1,],\"jsonrpc\":\"2.0\",\"id\":7}",
        "{\"result\":\"\x01\",\"jsonrpc\":\"2.0\",\"id\": 7 }",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}{\"jsonrpc\":\"2.0\",\"method\":"
        "\"x\"}",
    };
    static const char *const not_ours[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"result\":[1,]}",
        "{\"id\":7,\"result\":[1,]}",
        "{\"jsonrpc\":\"2.0\",\"id\":07,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":7},}",
        "{\"jsonrpc\":\"2.0\",\"id\":[7],\"result\":[1,]}",
        "not JSON at all",
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        struct mcph_rpc_message msg = parse(texts[i]);

        ck_assert_msg(msg.kind == MCPH_RPC_GARBAGE && msg.is_answer, "%s", texts[i]);
        ck_assert(msg.id.kind == MCPH_RPC_ID_INT && msg.id.n == 7);
    }
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(not_ours); i++)
        ck_assert_msg(!parse(not_ours[i]).is_answer, "%s", not_ours[i]);
}
END_TEST

START_TEST(an_answer_nested_beyond_the_limit_is_broken)
{
    char text[2000] = "{\"jsonrpc\":\"2.0\",\"result\":";
    size_t n = strlen(text);
    struct mcph_rpc_message msg;

    memset(text + n, '[', 600);
    memset(text + n + 600, ']', 600);
    memcpy(text + n + 1200, ",\"id\":7}", 9);
    msg = parse(text);
    ck_assert_int_eq(msg.kind, MCPH_RPC_GARBAGE);
    ck_assert_str_eq(msg.why, "nesting is deeper than allowed");
    ck_assert(msg.is_answer && msg.id.n == 7);
    mcph_rpc_parse(mcph_span_str(text), 700, &msg);
    ck_assert_int_eq(msg.kind, MCPH_RPC_RESULT);
}
END_TEST

START_TEST(ids_are_compared_by_type_and_value)
{
    static const char *const tokens[] = {"1",           "\"1\"", "2", "\"a\"",
                                         "\"\\u0061\"", "null",  "-1"};
    struct mcph_rpc_id ids[MCPH_ARRAY_SIZE(tokens)];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tokens); i++)
        ck_assert_int_eq(mcph_rpc_id_parse(mcph_span_str(tokens[i]), &ids[i]), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(tokens); i++) {
        for (size_t j = 0; j < MCPH_ARRAY_SIZE(tokens); j++) {
            bool same = i == j || (i == 3 && j == 4) || (i == 4 && j == 3);

            ck_assert_int_eq(mcph_rpc_id_eq(&ids[i], &ids[j]), same);
        }
    }
}
END_TEST

START_TEST(elements_of_a_batch_are_parsed_like_messages)
{
    struct mcph_rpc_message msg;

    mcph_rpc_parse_element(mcph_span_str("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}"),
                           &msg);
    ck_assert_int_eq(msg.kind, MCPH_RPC_RESULT);
    mcph_rpc_parse_element(mcph_span_str("[]"), &msg);
    ck_assert_int_eq(msg.kind, MCPH_RPC_GARBAGE);
    mcph_rpc_parse_element(
        mcph_span_str("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":5}"), &msg);
    ck_assert_int_eq(msg.kind, MCPH_RPC_GARBAGE);
}
END_TEST

START_TEST(missing_members_of_an_error_object_are_0_or_null)
{
    struct mcph_span message, data;
    int64_t code;

    mcph_rpc_error_read(mcph_span_str("{\"data\":{\"a\":[1]},\"message\":\"n\\u00f6\","
                                      "\"code\":-32601}"),
                        &code, &message, &data);
    ck_assert(code == -32601);
    ck_assert(mcph_span_is(message, "\"n\\u00f6\""));
    ck_assert(mcph_span_is(data, "{\"a\":[1]}"));
    mcph_rpc_error_read(mcph_span_str("{\"code\":\"x\",\"message\":5}"), &code, &message,
                        &data);
    ck_assert(code == 0);
    ck_assert_ptr_null(message.p);
    ck_assert_ptr_null(data.p);
}
END_TEST

/* ---- building messages ------------------------------------------------------------- */

static void
expect(struct mcph_buf *buf, const char *text)
{
    ck_assert(mcph_span_is(mcph_span(buf->data, buf->len), text));
    ck_assert_int_eq(mcph_json_check(mcph_span(buf->data, buf->len), 0, NULL, NULL), 0);
    mcph_buf_clear(buf);
}

START_TEST(messages_are_spliced_from_their_parts)
{
    struct mcph_rpc_call call = {.id = 12}, last = {.id = INT64_MAX},
                         named = {.name = "a\"b"};
    struct mcph_buf buf;

    mcph_buf_init(&buf, 10000);
    mcph_rpc_open_call(&buf, &last, "tools/call", 10);
    mcph_buf_adds(&buf, "\"name\":\"x\"}}");
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"id\":9223372036854775807,\"method\":\"tools/"
                 "call\",\"params\":{\"name\":\"x\"}}");
    mcph_rpc_open_call(&buf, &call, "m", 2);
    mcph_buf_adds(&buf, "}}");
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"m\",\"params\":{}}");
    mcph_rpc_open_call(&buf, &named, "m", 2);
    mcph_buf_adds(&buf, "}}");
    expect(&buf,
           "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"m\",\"params\":{}}");
    mcph_rpc_add_notification(&buf, "notifications/initialized", MCPH_SPAN_NONE);
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    mcph_rpc_add_cancel(&buf, &call, NULL);
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                 "cancelled\",\"params\":{\"requestId\":12}}");
    mcph_rpc_add_cancel(&buf, &named, "a \"reason\"");
    expect(&buf,
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
           "\"params\":{\"requestId\":\"a\\\"b\",\"reason\":\"a \\\"reason\\\"\"}}");
    mcph_rpc_add_result(&buf, mcph_span_str("\"x\\u0041\""), mcph_span_str("{}"));
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"id\":\"x\\u0041\",\"result\":{}}");
    mcph_rpc_add_error(&buf, mcph_span_str("1"), MCPH_RPC_METHOD_NOT_FOUND,
                       "method not found", mcph_span_str("[1]"));
    expect(&buf, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
                 "\"message\":\"method not found\",\"data\":[1]}}");
    mcph_rpc_add_oneline(&buf, mcph_span_str("{\n \"a\":\r\n\"\\n\"}"));
    expect(&buf, "{  \"a\":  \"\\n\"}");
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(a_message_is_added_whole_or_not_at_all)
{
    struct mcph_rpc_call call = {.id = 1};
    struct mcph_buf buf;

    for (size_t max = 0; max < 64; max++) {
        int r;

        mcph_buf_init(&buf, max + 4);
        mcph_buf_adds(&buf, "head");
        r = mcph_rpc_add_cancel(&buf, &call, NULL);
        ck_assert_int_eq(r, MCPHOST_E_LIMIT);
        ck_assert(mcph_span_is(mcph_span(buf.data, buf.len), "head"));
        ck_assert_int_eq(mcph_rpc_open_call(
                             &buf, &call, "0123456789012345678901234567890123456789", 0),
                         MCPHOST_E_LIMIT);
        ck_assert_int_eq(mcph_buf_ok(&buf), 0);
        ck_assert_uint_eq(buf.len, 4);
        mcph_buf_done(&buf);
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "parse");

    tcase_add_test(tc, each_kind_of_message_is_recognized);
    tcase_add_test(tc, an_error_may_have_no_id);
    tcase_add_test(tc, a_null_result_beside_an_error_is_ignored_and_vice_versa);
    tcase_add_test(tc, a_text_that_is_no_message_is_garbage);
    tcase_add_test(tc, a_broken_answer_still_names_its_request);
    tcase_add_test(tc, an_answer_nested_beyond_the_limit_is_broken);
    tcase_add_test(tc, ids_are_compared_by_type_and_value);
    tcase_add_test(tc, elements_of_a_batch_are_parsed_like_messages);
    tcase_add_test(tc, missing_members_of_an_error_object_are_0_or_null);
    tc = test_case(suite, "build");
    tcase_add_test(tc, messages_are_spliced_from_their_parts);
    tcase_add_test(tc, a_message_is_added_whole_or_not_at_all);
}

int
main(void)
{
    return test_main("rpc-message", add);
}
