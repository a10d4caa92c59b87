/* SPDX-License-Identifier: MIT
 *
 * test_json_stream.c - small members caught in a text that comes in pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/runner.h"

static char id[16], name[8];
static struct mcph_json_catch catches[3];
static struct mcph_json_stream stream;

static void
begin(void)
{
    catches[0] = (struct mcph_json_catch){
        .name = "id", .name_len = 2, .value = id, .size = sizeof(id)};
    catches[1] = (struct mcph_json_catch){
        .name = "name", .name_len = 4, .value = name, .size = sizeof(name)};
    catches[2] = (struct mcph_json_catch){.name = "result", .name_len = 6};
    mcph_json_stream_init(&stream, catches, 3);
}

static bool
caught(int i, const char *text)
{
    return mcph_span_is(mcph_span(catches[i].value, catches[i].len), text) &&
           !catches[i].cut && catches[i].end > catches[i].at;
}

/* Every split of a text into three gives the same. */
START_TEST(members_are_caught_at_every_split)
{
    static const char *const texts[] = {
        "{\"id\":42,\"result\":{\"id\":1,\"s\":\"}]\\\"{\\\\\"},\"name\":\"x\"}",
        " { \"result\" : [ { \"id\" : 3 } , [ ] ] , \"name\" : \"x\" , \"id\" : 42 } ",
        "{\"x\":\"\\\\\",\"\\u0069d\":42 "
        ",\"result\":\"id\\\":7,\",\"name\":\"x\",\"id\":9}",
    };

    for (size_t t = 0; t < MCPH_ARRAY_SIZE(texts); t++) {
        size_t n = strlen(texts[t]);

        for (size_t a = 0; a <= n; a++) {
            for (size_t b = a; b <= n; b++) {
                begin();
                mcph_json_stream_feed(&stream, texts[t], a);
                mcph_json_stream_feed(&stream, texts[t] + a, b - a);
                mcph_json_stream_feed(&stream, texts[t] + b, n - b);
                ck_assert(mcph_json_stream_end(&stream));
                ck_assert(caught(0, "42"));
                ck_assert(caught(1, "\"x\""));
                ck_assert(catches[2].end > catches[2].at && catches[2].cut);
            }
        }
    }
}
END_TEST

START_TEST(the_place_of_a_value_is_told)
{
    const char *text = "{\"a\":0,\"result\":[1,2],\"id\":1}";

    begin();
    mcph_json_stream_feed(&stream, text, 10);
    mcph_json_stream_feed(&stream, text + 10, strlen(text) - 10);
    ck_assert_uint_eq(catches[2].at, 16);
    ck_assert_uint_eq(catches[2].end, 21);
}
END_TEST

START_TEST(a_value_too_long_is_cut)
{
    const char *text = "{\"id\":\"0123456789012345\",\"name\":\"123456\"}";

    begin();
    mcph_json_stream_feed(&stream, text, strlen(text));
    ck_assert(catches[0].cut);
    ck_assert_uint_eq(catches[0].len, sizeof(id));
    ck_assert(caught(1, "\"123456\""));
}
END_TEST

START_TEST(what_is_no_whole_object_is_told)
{
    static const char *const texts[] = {
        "", "[{\"id\":1}]", "{\"id\":1", "{\"id\"", "{\"id\":1}x", "banner", "{id:1}"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        begin();
        mcph_json_stream_feed(&stream, texts[i], strlen(texts[i]));
        ck_assert_msg(!mcph_json_stream_end(&stream), "%s", texts[i]);
    }
    begin();
    mcph_json_stream_feed(&stream, "{}", 2);
    ck_assert(mcph_json_stream_end(&stream));
}
END_TEST

/* Deeper than any stack, broken UTF-8, a raw NUL: the id is found all the same. */
START_TEST(an_id_is_found_in_a_text_that_the_scan_refuses)
{
    size_t n = 100000;
    char *deep = malloc(n);

    memset(deep, '[', n);
    begin();
    mcph_json_stream_feed(&stream, "{\"result\":", 10);
    mcph_json_stream_feed(&stream, deep, n);
    memset(deep, ']', n);
    mcph_json_stream_feed(&stream, deep, n);
    mcph_json_stream_feed(&stream, ",\"x\":\"\xff\0\",\"id\":5}", 17);
    free(deep);
    ck_assert(mcph_json_stream_end(&stream));
    ck_assert(caught(0, "5"));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "stream");

    tcase_add_test(tc, members_are_caught_at_every_split);
    tcase_add_test(tc, the_place_of_a_value_is_told);
    tcase_add_test(tc, a_value_too_long_is_cut);
    tcase_add_test(tc, what_is_no_whole_object_is_told);
    tcase_add_test(tc, an_id_is_found_in_a_text_that_the_scan_refuses);
}

int
main(void)
{
    return test_main("json-stream", add);
}
