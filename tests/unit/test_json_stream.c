/* SPDX-License-Identifier: MIT
 *
 * test_json_stream.c - catching members of a JSON text that arrives in pieces.
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

/* In every split of a text into three pieces, the stream must find the same members as in
 * the whole text. */
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

START_TEST(the_offsets_of_a_value_are_reported)
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

START_TEST(a_text_that_is_not_one_whole_object_is_reported)
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

/* The stream finds the id in a text that nests 100000 levels deep and has invalid UTF-8
 * and a raw NUL. */
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

/* ---- the same verdict as the scan -------------------------------------------------- */

/* Texts that use the whole grammar.  The tests below cut and alter these texts. */
static const char *const grammar[] = {
    "{\"id\":42,\"result\":{\"id\":[1,2,{}],\"s\":\"}]\\\"{\\\\\"},\"name\":\"x\"}",
    " { \"a\" : [ true , false , null , [ ] , { } , -0.5e+10 , 12E-3 , 0 ] } ",
    "{\"long member name of some length\":\"\\u00e4\\n\\ud800 and more text here\","
    "\"\\u0069d\":7}",
    "{\"text\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xed\x9f\xbf and a lot of ASCII to "
    "fill more than a block of sixty-four bytes \xc3\xa4\",\"id\":-1.25}",
    "[[[1]],\"a\",{\"b\":[]}]",
    "\"alone\"",
    " 123.5 ",
    "true",
    "{}",
    "{\"id\":1,\"id\":2}",
};

/* Checks whether one of two reported faults is invalid UTF-8.  If a text has two faults,
 * the stream and the scan may report different faults first. */
static bool
is_about_order(const char *a, const char *b)
{
    static const char utf8[] = "invalid UTF-8";

    return strcmp(a, utf8) == 0 || strcmp(b, utf8) == 0;
}

static void
compare(const char *text, size_t len, const size_t cuts[2])
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("id"), MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("result")};
    struct mcph_json_fault fault = {0}, own = {0};
    struct mcph_span value;
    int r = mcph_json_scan(mcph_span(text, len), 0, want, 3, &value, &fault), got;

    begin();
    mcph_json_stream_feed(&stream, text, cuts[0]);
    mcph_json_stream_feed(&stream, text + cuts[0], cuts[1] - cuts[0]);
    mcph_json_stream_feed(&stream, text + cuts[1], len - cuts[1]);
    got = mcph_json_stream_verdict(&stream, &own);
    ck_assert_msg((got == 0) == (r == 0), "%d, not %d (%s, %s): %.*s", got, r,
                  own.why ? own.why : "", fault.why ? fault.why : "", (int)len, text);
    if (r < 0) {
        ck_assert_msg(strcmp(own.why, fault.why) == 0 ||
                          is_about_order(own.why, fault.why),
                      "\"%s\", not \"%s\": %.*s", own.why, fault.why, (int)len, text);
        return;
    }
    ck_assert_uint_eq(stream.at, (uint64_t)(value.p - text));
    ck_assert_uint_eq(stream.end - stream.at, value.len);
    for (size_t i = 0; i < 3; i++) {
        ck_assert((want[i].value.p != NULL) == (catches[i].end > catches[i].at));
        if (!want[i].value.p)
            continue;
        ck_assert_uint_eq(catches[i].at, (uint64_t)(want[i].value.p - text));
        ck_assert_uint_eq(catches[i].end - catches[i].at, want[i].value.len);
    }
}

START_TEST(a_text_in_pieces_gets_the_same_verdict_as_the_whole_text)
{
    for (size_t t = 0; t < MCPH_ARRAY_SIZE(grammar); t++) {
        size_t n = strlen(grammar[t]);

        for (size_t len = 0; len <= n; len++) {
            for (size_t a = 0; a <= len; a++)
                compare(grammar[t], len, (size_t[]){a, a + (len - a) / 2});
        }
    }
}
END_TEST

/* Replaces up to three bytes of each text at random. */
START_TEST(an_altered_text_gets_the_same_verdict_as_from_the_scan)
{
    static const char bytes[] = "{}[]\",:\\u0129eE+-.tfn \n\x01\x80\xc3\xe2\xf0\xff";
    uint64_t random = 88172645463325252u;
    char text[512];

    for (int round = 0; round < 200000; round++) {
        const char *from = grammar[random % MCPH_ARRAY_SIZE(grammar)];
        size_t len = strlen(from), a, b;

        memcpy(text, from, len + 1);
        for (int i = 0; i < 1 + (int)(random >> 60) / 6; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            text[(random >> 20) % len] = bytes[(random >> 40) % (sizeof(bytes) - 1)];
        }
        a = (random >> 8) % (len + 1);
        b = a + (random >> 32) % (len - a + 1);
        compare(text, len, (size_t[]){a, b});
    }
}
END_TEST

/* The stream remembers the kind of each open bracket, even beyond 64 levels. */
START_TEST(brackets_match_at_every_depth_up_to_the_limit)
{
    char text[2 * (6 * MCPH_JSON_DEPTH) + 64];

    for (size_t depth = 1; depth <= MCPH_JSON_DEPTH + 1; depth++) {
        size_t n = 0;

        for (size_t i = 0; i < depth; i++) {
            memcpy(text + n, i % 3 ? "[" : "{\"a\":", i % 3 ? 1 : 5);
            n += i % 3 ? 1 : 5;
        }
        text[n++] = '1';
        for (size_t i = depth; i-- > 0;)
            text[n++] = i % 3 ? ']' : '}';
        compare(text, n, (size_t[]){n / 3, n / 2});
        text[n - 1 - depth / 2] ^= ']' ^ '}';
        compare(text, n, (size_t[]){n / 3, n / 2});
    }
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "stream");

    tcase_add_test(tc, members_are_caught_at_every_split);
    tcase_add_test(tc, the_offsets_of_a_value_are_reported);
    tcase_add_test(tc, a_value_too_long_is_cut);
    tcase_add_test(tc, a_text_that_is_not_one_whole_object_is_reported);
    tcase_add_test(tc, an_id_is_found_in_a_text_that_the_scan_refuses);
    tcase_add_test(tc, a_text_in_pieces_gets_the_same_verdict_as_the_whole_text);
    tcase_add_test(tc, an_altered_text_gets_the_same_verdict_as_from_the_scan);
    tcase_add_test(tc, brackets_match_at_every_depth_up_to_the_limit);
}

int
main(void)
{
    return test_main("json-stream", add);
}
