/* SPDX-License-Identifier: MIT
 *
 * test_json_write.c - adding JSON to a buffer.
 *
 * The added text is valid JSON.  It is canonical JSON if the caller asks for that form.
 */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/runner.h"

static struct mcph_buf buf;

static void
up(void)
{
    mcph_buf_init(&buf, 100000);
}

static void
down(void)
{
    mcph_buf_done(&buf);
}

static void
expect(const char *text)
{
    ck_assert_uint_eq(buf.len, strlen(text));
    ck_assert_mem_eq(buf.data, text, buf.len);
    mcph_buf_clear(&buf);
}

START_TEST(quotes_backslashes_and_control_characters_are_escaped)
{
    ck_assert_int_eq(mcph_json_add_string(&buf, "a\"\\/\b\f\n\r\t\x01\x1f\0z\x7f", 14),
                     0);
    expect("\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u0000z\x7f\"");
    mcph_json_add_str(&buf, "");
    expect("\"\"");
    mcph_json_add_str(&buf, NULL);
    expect("null");
    mcph_json_add_str(&buf, "h\xc3\xa4\xf0\x9f\x98\x80");
    expect("\"h\xc3\xa4\xf0\x9f\x98\x80\"");
}
END_TEST

/* Any bytes become valid JSON.  Valid UTF-8 is read back unchanged. */
START_TEST(strings_of_valid_utf8_survive_a_round_trip)
{
    unsigned seed = 7;

    for (int round = 0; round < 2000; round++) {
        char text[80];
        struct mcph_buf back;
        struct mcph_span got;
        size_t len;

        seed = seed * 1103515245u + 12345u;
        len = (seed >> 16) % sizeof(text);
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1103515245u + 12345u;
            text[i] = (char)((seed >> 16) & (round % 2 ? 0x7f : 0xff));
        }
        mcph_buf_clear(&buf);
        ck_assert_int_eq(mcph_json_add_string(&buf, text, len), 0);
        ck_assert_int_eq(mcph_json_check(mcph_span(buf.data, buf.len), 0, NULL, NULL), 0);
        if (!mcph_utf8_valid(text, len, NULL))
            continue;
        mcph_buf_init(&back, 1000);
        ck_assert_int_eq(mcph_json_string_get(mcph_span(buf.data, buf.len), &back, &got),
                         0);
        ck_assert(mcph_span_eq(got, mcph_span(text, len)));
        mcph_buf_done(&back);
    }
}
END_TEST

START_TEST(bad_bytes_become_replacement_characters)
{
    mcph_json_add_string(&buf, "a\xff\"\xc3", 4);
    expect("\"a\xef\xbf\xbd\\\"\xef\xbf\xbd\"");
}
END_TEST

START_TEST(commas_are_added_only_between_members_and_elements)
{
    mcph_json_add_comma(&buf);
    mcph_buf_addc(&buf, '{');
    mcph_json_add_key(&buf, "a");
    mcph_buf_addc(&buf, '[');
    for (int i = 0; i < 3; i++) {
        mcph_json_add_comma(&buf);
        mcph_buf_addi(&buf, i);
    }
    mcph_buf_addc(&buf, ']');
    mcph_json_add_key(&buf, "b\"");
    mcph_json_add_bool(&buf, true);
    mcph_json_add_key(&buf, "c");
    mcph_json_add_span(&buf, MCPH_SPAN_NONE);
    mcph_buf_addc(&buf, '}');
    ck_assert_int_eq(mcph_buf_ok(&buf), 0);
    expect("{\"a\":[0,1,2],\"b\\\"\":true,\"c\":null}");
}
END_TEST

static void
canonical(const char *text)
{
    ck_assert_int_eq(mcph_json_check(mcph_span_str(text), 0, NULL, NULL), 0);
    ck_assert_int_eq(mcph_json_add_canonical(&buf, mcph_span_str(text)), 0);
}

START_TEST(equal_values_have_one_canonical_form)
{
    canonical("{\"b\" : [1, "
              "{\"y\":\"\\u00e4\\u002f\",\"x\":null}],\n\"a\":{},\"aa\":1e5,\"\":true}");
    expect("{\"\":true,\"a\":{},\"aa\":1e5,\"b\":[1,{\"x\":null,\"y\":\"\xc3\xa4/\"}]}");
    canonical(
        "{\"a\":{ "
        "},\"\\u0061a\":1e5,\"\":true,\"b\":[1,{\"x\":null,\"y\":\"\xc3\xa4\\/\"}]}");
    expect("{\"\":true,\"a\":{},\"aa\":1e5,\"b\":[1,{\"x\":null,\"y\":\"\xc3\xa4/\"}]}");
    canonical("[ ]");
    expect("[]");
}
END_TEST

START_TEST(a_full_buffer_is_reported)
{
    struct mcph_buf small;

    mcph_buf_init(&small, 5);
    ck_assert_int_eq(mcph_json_add_string(&small, "abcdef", 6), MCPHOST_E_LIMIT);
    mcph_buf_clear(&small);
    ck_assert_int_eq(mcph_json_add_canonical(&small, mcph_span_str("{\"a\":[1,2]}")),
                     MCPHOST_E_LIMIT);
    mcph_buf_clear(&small);
    ck_assert_int_eq(mcph_json_add_string(&small, "abc", 3), 0);
    mcph_buf_done(&small);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "write");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, quotes_backslashes_and_control_characters_are_escaped);
    tcase_add_test(tc, strings_of_valid_utf8_survive_a_round_trip);
    tcase_add_test(tc, bad_bytes_become_replacement_characters);
    tcase_add_test(tc, commas_are_added_only_between_members_and_elements);
    tcase_add_test(tc, equal_values_have_one_canonical_form);
    tcase_add_test(tc, a_full_buffer_is_reported);
}

int
main(void)
{
    return test_main("json-write", add);
}
