/* SPDX-License-Identifier: MIT
 *
 * test_catalog_listing.c - listings: the records of tools that the library makes from the
 * raw pages of tools/list.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "support/catalog.h"
#include "support/runner.h"

static struct mcph_listing *listing;

static void
down(void)
{
    listing = mcph_listing_unref(listing);
}

static void
span_is(struct mcph_span span, const char *want)
{
    ck_assert_msg(mcph_span_is(span, want), "'%.*s' is not '%s'", (int)span.len,
                  span.p ? span.p : "", want);
}

static void
fault_is(size_t i, enum mcph_fault fault)
{
    ck_assert_uint_lt(i, listing->n);
    ck_assert_msg(listing->items[i].fault == fault, "tool %zu has fault %d, not %d", i,
                  listing->items[i].fault, fault);
}

/* R52: the library passes on the unknown parts of a schema unchanged. */
START_TEST(the_schema_is_kept_byte_for_byte)
{
    const char *schema = "{ \"type\" : [\"object\"],\"x-\\u0041\": 1e400,"
                         "\"maximum\":18446744073709551616, \"default\":\"\\ud800\"}";
    char *tools = mcph_asprintf("[{\"inputSchema\": %s ,\"name\":\"a\"}]", schema);

    listing = catrig_listing(tools);
    ck_assert_uint_eq(listing->n, 1);
    fault_is(0, MCPH_FAULT_GOOD);
    span_is(mcph_listing_token(listing, &listing->items[0], listing->items[0].subject),
            schema);
    free(tools);
}
END_TEST

START_TEST(an_unusable_tool_does_not_affect_the_others)
{
    listing = catrig_listing("[{\"name\":\"a\",\"inputSchema\":{}},"
                             "7,"
                             "{\"inputSchema\":{}},"
                             "{\"name\":null,\"inputSchema\":{}},"
                             "{\"name\":\"b\"},"
                             "{\"name\":\"c\",\"inputSchema\":[]},"
                             "{\"name\":\"d\",\"name\":\"e\",\"inputSchema\":{}},"
                             "{\"name\":\"f\",\"inputSchema\":{}}]");
    ck_assert_uint_eq(listing->n, 8);
    fault_is(0, MCPH_FAULT_GOOD);
    fault_is(1, MCPH_FAULT_NOT_OBJECT);
    fault_is(2, MCPH_FAULT_NO_NAME);
    fault_is(3, MCPH_FAULT_NAME_TYPE);
    fault_is(4, MCPH_FAULT_NO_SUBJECT);
    fault_is(5, MCPH_FAULT_SUBJECT_TYPE);
    fault_is(6, MCPH_FAULT_TWICE);
    fault_is(7, MCPH_FAULT_GOOD);
}
END_TEST

START_TEST(texts_without_escapes_point_into_the_page)
{
    const char *page = "[{\"name\":\"a\",\"title\":\"T\",\"description\":\"d\xc3\xa9\","
                       "\"inputSchema\":{}}]";
    const char *data, *title;

    listing = catrig_listing(page);
    span_is(mcph_listing_title(listing, &listing->items[0]), "T");
    span_is(mcph_listing_description(listing, &listing->items[0]), "d\xc3\xa9");
    data = ((const struct mcph_frame *)listing->frames.items[0])->data;
    title = mcph_listing_title(listing, &listing->items[0]).p;
    ck_assert(title >= data &&
              title < data + ((const struct mcph_frame *)listing->frames.items[0])->len);
    ck_assert_ptr_null(listing->texts);
}
END_TEST

START_TEST(texts_with_escapes_are_decoded)
{
    struct mcph_span title;

    listing =
        catrig_listing("[{\"name\":\"a\",\"title\":\"x\\ty\",\"description\":"
                       "\"\\u00e9\\n\\ud83d\\ude00\\ud800\",\"inputSchema\":{}},"
                       "{\"name\":\"b\",\"description\":\"\\\"\",\"inputSchema\":{}}]");
    title = mcph_listing_title(listing, &listing->items[0]);
    span_is(title, "x\ty");
    ck_assert_int_eq(title.p[title.len], '\0');
    span_is(mcph_listing_description(listing, &listing->items[0]),
            "\xc3\xa9\n\xf0\x9f\x98\x80\xef\xbf\xbd");
    span_is(mcph_listing_description(listing, &listing->items[1]), "\"");
    ck_assert_ptr_null(mcph_listing_title(listing, &listing->items[1]).p);
}
END_TEST

START_TEST(without_a_title_the_title_of_the_annotations_is_used)
{
    listing = catrig_listing(
        "[{\"name\":\"a\",\"inputSchema\":{},\"annotations\":{\"title\":\"A\"}},"
        "{\"name\":\"b\",\"inputSchema\":{},\"title\":\"B\","
        "\"annotations\":{\"title\":\"A\"}},"
        "{\"name\":\"c\",\"inputSchema\":{},\"title\":7,\"annotations\":null},"
        "{\"name\":\"d\",\"inputSchema\":{},\"title\":null,"
        "\"annotations\":{\"title\":\"A\"}}]");
    span_is(mcph_listing_title(listing, &listing->items[0]), "A");
    span_is(mcph_listing_title(listing, &listing->items[1]), "B");
    ck_assert_ptr_null(mcph_listing_title(listing, &listing->items[2]).p);
    span_is(mcph_listing_title(listing, &listing->items[3]), "A");
}
END_TEST

/* A listing keeps a tool even if the tool's description is not a string. */
START_TEST(a_description_of_another_type_counts_as_absent)
{
    listing = catrig_listing("[{\"name\":\"a\",\"description\":null,\"inputSchema\":{}},"
                             "{\"name\":\"b\",\"description\":[1],\"inputSchema\":{}}]");
    fault_is(0, MCPH_FAULT_GOOD);
    fault_is(1, MCPH_FAULT_GOOD);
    ck_assert_ptr_null(mcph_listing_description(listing, &listing->items[0]).p);
    ck_assert_ptr_null(mcph_listing_description(listing, &listing->items[1]).p);
    ck_assert_uint_eq(listing->items[1].description_token.len, 0);
}
END_TEST

START_TEST(a_listing_without_pages_has_no_tools)
{
    listing = catrig_pages(NULL, 0);
    ck_assert_uint_eq(listing->n, 0);
}
END_TEST

START_TEST(the_tools_of_all_pages_are_listed_in_order)
{
    const char *pages[] = {"[{\"name\":\"a\",\"inputSchema\":{}}]", "[]",
                           "[{\"name\":\"b\",\"inputSchema\":{}},{\"name\":\"c\"}]"};

    listing = catrig_pages(pages, 3);
    ck_assert_uint_eq(listing->n, 3);
    span_is(mcph_listing_token(listing, &listing->items[1], listing->items[1].name),
            "\"b\"");
    ck_assert_uint_eq(listing->items[1].page, 2);
}
END_TEST

START_TEST(listings_with_equal_tools_in_equal_order_are_equal)
{
    const char *a = "{\"name\":\"a\",\"inputSchema\":{}}";
    const char *b = "{\"name\":\"b\",\"inputSchema\":{}}";
    const char *a_spaced = "{\"name\":\"a\", \"inputSchema\":{}}";
    char *one = mcph_asprintf("[%s,%s]", a, b), *cut[2], *swapped, *spaced, *fewer;
    struct mcph_listing *other;

    cut[0] = mcph_asprintf("[ %s]", a);
    cut[1] = mcph_asprintf("[%s ]", b);
    swapped = mcph_asprintf("[%s,%s]", b, a);
    spaced = mcph_asprintf("[%s,%s]", a_spaced, b);
    fewer = mcph_asprintf("[%s]", a);
    listing = catrig_listing(one);

    other = catrig_pages((const char *const *)cut, 2);
    ck_assert(mcph_listing_equal(listing, other));
    mcph_listing_unref(other);
    other = catrig_listing(swapped);
    ck_assert(!mcph_listing_equal(listing, other));
    mcph_listing_unref(other);
    other = catrig_listing(spaced);
    ck_assert(!mcph_listing_equal(listing, other));
    mcph_listing_unref(other);
    other = catrig_listing(fewer);
    ck_assert(!mcph_listing_equal(listing, other));
    mcph_listing_unref(other);
    ck_assert(mcph_listing_equal(listing, listing));
    ck_assert(!mcph_listing_equal(listing, NULL));
    free(one);
    free(cut[0]);
    free(cut[1]);
    free(swapped);
    free(spaced);
    free(fewer);
}
END_TEST

static int
try_page(const char *text, size_t max, size_t max_text, mcphost_error **reterr)
{
    struct mcph_client_page page = {.frame = mcph_frame_new(text, strlen(text))};
    int r;

    page.items = mcph_frame_span(page.frame);
    r = mcph_listing_new(MCPH_LIST_TOOLS, &page, 1, max, max_text, &listing, reterr);
    mcph_frame_unref(page.frame);
    return r;
}

static const char *
text_of(struct mcph_span span)
{
    static char text[1024];

    snprintf(text, sizeof(text), "%.*s", (int)span.len, span.p ? span.p : "");
    return text;
}

/* R118: a cut text has only whole characters.  The mark gives the length of the whole
 * text in JSON, where the line break has two bytes. */
START_TEST(texts_beyond_the_limit_are_cut_with_a_mark)
{
    ck_assert_int_eq(
        try_page("[{\"x\":[1, 2],\"name\":\"a\",\"description\":\"0123456789\\n"
                 "\xc3\xa9"
                 "defghijklmnopq\",\"title\":\"Short\",\"inputSchema\":{ "
                 "\"description\":\"schemas stay as they are\" }},"
                 "{\"name\":\"b\",\"description\":\"brief\",\"inputSchema\":{}}]",
                 0, 12, NULL),
        0);
    ck_assert_uint_eq(listing->n, 2);
    ck_assert_str_eq(text_of(mcph_listing_description(listing, &listing->items[0])),
                     "0123456789\n [... cut here: 28 bytes in all]");
    ck_assert_str_eq(
        text_of(mcph_listing_token(listing, &listing->items[0], listing->items[0].whole)),
        "{\"x\":[1, 2],\"name\":\"a\",\"description\":\"0123456789\\n [... cut here: 28 "
        "bytes in all]\",\"title\":\"Short\",\"inputSchema\":{ \"description\":\"schemas "
        "stay as they are\" }}");
    ck_assert(listing->items[0].cut && !listing->items[1].cut);
    ck_assert_str_eq(text_of(mcph_listing_description(listing, &listing->items[1])),
                     "brief");
    ck_assert_str_eq(text_of(mcph_listing_title(listing, &listing->items[0])), "Short");
}
END_TEST

/* R118 */
START_TEST(too_long_annotations_keep_only_members_of_the_protocol)
{
    ck_assert_int_eq(
        try_page("[{\"name\":\"a\",\"annotations\":{\"more\":[1,2,3],\"readOnlyHint\":"
                 "true,\"title\":\"A title that is too long\",\"openWorldHint\":7},"
                 "\"inputSchema\":{}}]",
                 0, 16, NULL),
        0);
    ck_assert_str_eq(
        text_of(mcph_listing_token(listing, &listing->items[0], listing->items[0].whole)),
        "{\"name\":\"a\",\"annotations\":{\"title\":\"A title that is  [... cut here: 24 "
        "bytes in all]\",\"readOnlyHint\":true},\"inputSchema\":{}}");
    ck_assert_str_eq(text_of(mcph_listing_title(listing, &listing->items[0])),
                     "A title that is  [... cut here: 24 bytes in all]");
}
END_TEST

/* Each of the four elements takes a step.  A fifth step finds the end of the second
 * page. */
START_TEST(a_listing_read_in_steps_equals_a_listing_read_at_once)
{
    static const char *const texts[] = {
        "[{\"name\":\"a\",\"description\":\"too long for its limit\","
        "\"inputSchema\":{}},7,{\"name\":\"b\",\"title\":\"\\u0041\","
        "\"inputSchema\":{}}]",
        "[{\"name\":\"c\",\"inputSchema\":{}}]"};
    struct mcph_client_page pages[2] = {0};
    struct mcph_listing *whole = NULL;
    struct mcph_listing_build *build;
    int n = 0, r;

    for (int i = 0; i < 2; i++) {
        pages[i].frame = mcph_frame_new(texts[i], strlen(texts[i]));
        pages[i].items = mcph_frame_span(pages[i].frame);
    }
    ck_assert_int_eq(mcph_listing_new(MCPH_LIST_TOOLS, pages, 2, 0, 8, &whole, NULL), 0);
    build = mcph_listing_begin(MCPH_LIST_TOOLS, pages, 2, 0, 8);
    for (int i = 0; i < 2; i++)
        mcph_frame_unref(pages[i].frame); /* the build has its own references */
    do {
        size_t budget = 1;

        r = mcph_listing_step(build, &budget, &listing, NULL);
        ck_assert_int_ge(r, 0);
        n++;
    } while (r > 0);
    mcph_listing_build_free(build);
    ck_assert_int_eq(n, 5);
    ck_assert_uint_eq(listing->n, 4);
    ck_assert(mcph_listing_equal(whole, listing));
    ck_assert_int_eq(memcmp(whole->items, listing->items, 4 * sizeof(*whole->items)), 0);
    mcph_listing_unref(whole);
}
END_TEST

/* The listing decodes only the part that it keeps.  The mark therefore gives the length
 * of the text with its escapes. */
START_TEST(a_long_text_of_escapes_is_decoded_up_to_its_limit)
{
    struct mcph_buf text;

    mcph_buf_init(&text, 1 << 20);
    mcph_buf_adds(&text, "[{\"name\":\"a\",\"description\":\"");
    for (int i = 0; i < 1000; i++)
        mcph_buf_adds(&text, "\\u00e9");
    mcph_buf_adds(&text, "\",\"inputSchema\":{}},{\"name\":\"b\",\"description\":\""
                         "\\u0041\\u0042\\u0043\",\"inputSchema\":{}}]");
    mcph_buf_addc(&text, '\0');
    ck_assert_int_eq(mcph_buf_ok(&text), 0);
    ck_assert_int_eq(try_page(text.data, 0, 9, NULL), 0);
    mcph_buf_done(&text);
    ck_assert_str_eq(
        text_of(mcph_listing_description(listing, &listing->items[0])),
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 [... cut here: 6000 bytes in all]");
    /* The listing does not cut this description, because the decoded text is within the
     * limit. */
    ck_assert_str_eq(text_of(mcph_listing_description(listing, &listing->items[1])),
                     "ABC");
    ck_assert(listing->items[0].cut && !listing->items[1].cut);
}
END_TEST

/* R118: the quotes of the JSON string do not count. */
START_TEST(a_text_of_the_length_of_the_limit_does_not_count_as_cut)
{
    static const char *const whole = "{ \"name\":\"a\",\"description\":\"12345678\","
                                     "\"title\":\"1234567\",\"inputSchema\":{}}";
    char *page = mcph_asprintf("[%s]", whole);

    ck_assert_int_eq(try_page(page, 0, 8, NULL), 0);
    ck_assert(!listing->items[0].cut);
    ck_assert_str_eq(
        text_of(mcph_listing_token(listing, &listing->items[0], listing->items[0].whole)),
        whole);
    free(page);
}
END_TEST

/* MCP 2026-07-28, Streamable HTTP: a listing rejects only the tool with the wrong
 * x-mcp-header. */
START_TEST(a_tool_with_a_wrong_header_is_unusable_if_headers_are_used)
{
    static const char text[] =
        "[{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"p\":{\"type\":\"number\","
        "\"x-mcp-header\":\"P\"}}}},{\"name\":\"b\",\"inputSchema\":{\"properties\":{"
        "\"p\":{\"type\":\"string\",\"x-mcp-header\":\"P\"}}}}]";
    struct mcph_client_page page = {.frame = mcph_frame_new(text, strlen(text)),
                                    .headers = _i == 1};

    page.items = mcph_frame_span(page.frame);
    ck_assert_int_eq(mcph_listing_new(MCPH_LIST_TOOLS, &page, 1, 0, 0, &listing, NULL),
                     0);
    mcph_frame_unref(page.frame);
    fault_is(0, _i == 1 ? MCPH_FAULT_HEADERS : MCPH_FAULT_GOOD);
    fault_is(1, MCPH_FAULT_GOOD);
}
END_TEST

START_TEST(a_list_of_more_tools_than_the_limit_is_refused)
{
    mcphost_error *err = NULL;

    ck_assert_int_eq(try_page("[1,2,3]", 3, 0, NULL), 0);
    listing = mcph_listing_unref(listing);
    ck_assert_int_eq(try_page("[1,2,3,4]", 3, 0, &err), MCPHOST_E_LIMIT);
    ck_assert_ptr_null(listing);
    ck_assert_str_eq(mcphost_error_get_message(err),
                     "the server lists more than 3 tools");
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_page_that_is_not_an_array_is_refused)
{
    mcphost_error *err = NULL;

    ck_assert_int_eq(try_page("{\"name\":1}", 0, 0, &err), MCPHOST_E_PROTOCOL);
    ck_assert_ptr_null(listing);
    mcphost_error_unref(err);
}
END_TEST

#define MANY 10000

static char *
many_tools(void)
{
    struct mcph_buf buf;
    char *text;

    mcph_buf_init(&buf, (size_t)16 << 20);
    mcph_buf_addc(&buf, '[');
    for (int i = 0; i < MANY; i++)
        mcph_buf_addf(&buf,
                      "%s{\"name\":\"tool_%05d\",\"description\":\"Tool number %d, which "
                      "does one thing.\\nAnd another.\",\"inputSchema\":{\"type\":"
                      "\"object\",\"properties\":{\"path\":{\"type\":\"string\","
                      "\"description\":\"%0150d\"},\"n\":{\"type\":\"integer\","
                      "\"minimum\":0}},\"required\":[\"path\"],"
                      "\"additionalProperties\":false}}",
                      i ? "," : "", i, i, i);
    mcph_buf_addc(&buf, ']');
    text = mcph_buf_steal(&buf, NULL);
    ck_assert_ptr_nonnull(text);
    return text;
}

/* Returns the number of bytes that malloc() has in use, including mmapped blocks.  The
 * number does not grow under sanitizers and valgrind, because these tools replace
 * malloc(). */
static size_t
in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

START_TEST(ten_thousand_tools_need_at_most_1_6_times_the_bytes_of_their_text)
{
    char *text = many_tools();
    size_t len = strlen(text), before = in_use(), after;
    struct mcph_block *block;
    mcphost_catalog *catalog;

    block = catrig_server("big", text);
    catalog = catrig_catalog(block, NULL);
    after = in_use();
    ck_assert_uint_eq(mcphost_catalog_count_tools(catalog), MANY);
    ck_assert_ptr_nonnull(mcphost_catalog_find_tool(catalog, "tool_09999"));
    ck_assert_ptr_null(mcphost_catalog_find_tool(catalog, "tool_10000"));
    ck_assert_msg(after - before <= len / 10 * 16, "%zu bytes for %zu of text",
                  after - before, len);
    mcphost_catalog_unref(catalog);
    free(text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "listing");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_test(tc, the_schema_is_kept_byte_for_byte);
    tcase_add_test(tc, an_unusable_tool_does_not_affect_the_others);
    tcase_add_test(tc, texts_without_escapes_point_into_the_page);
    tcase_add_test(tc, texts_with_escapes_are_decoded);
    tcase_add_test(tc, without_a_title_the_title_of_the_annotations_is_used);
    tcase_add_test(tc, a_description_of_another_type_counts_as_absent);
    tcase_add_test(tc, a_listing_without_pages_has_no_tools);
    tcase_add_test(tc, the_tools_of_all_pages_are_listed_in_order);
    tcase_add_test(tc, listings_with_equal_tools_in_equal_order_are_equal);
    tcase_add_loop_test(tc, a_tool_with_a_wrong_header_is_unusable_if_headers_are_used, 0,
                        2);
    tcase_add_test(tc, texts_beyond_the_limit_are_cut_with_a_mark);
    tcase_add_test(tc, too_long_annotations_keep_only_members_of_the_protocol);
    tcase_add_test(tc, a_listing_read_in_steps_equals_a_listing_read_at_once);
    tcase_add_test(tc, a_long_text_of_escapes_is_decoded_up_to_its_limit);
    tcase_add_test(tc, a_text_of_the_length_of_the_limit_does_not_count_as_cut);
    tcase_add_test(tc, a_list_of_more_tools_than_the_limit_is_refused);
    tcase_add_test(tc, a_page_that_is_not_an_array_is_refused);
    tcase_add_test(tc, ten_thousand_tools_need_at_most_1_6_times_the_bytes_of_their_text);
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return test_main("catalog-listing", add);
}
