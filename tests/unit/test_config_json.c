/* SPDX-License-Identifier: MIT
 *
 * test_config_json.c - parsing a JSON document into a tree whose nodes have line and
 * column (K14).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

/* The last report as "LINE:COLUMN KEY|TEXT", and the number of errors. */
static char said[1024];
static int n_errors;
static struct mcph_doc *doc;

static int
report(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)arg;
    snprintf(said, sizeof(said), "%d:%d %s|%s", line, column, key, text);
    n_errors += severity == MCPHOST_DIAGNOSTIC_ERROR;
    return 0;
}

static int
parse_bytes(const char *text, size_t len, unsigned flags)
{
    doc = mcph_doc_free(doc);
    said[0] = '\0';
    n_errors = 0;
    return mcph_json_parse(text, len, MCPH_JSON_DOC_SIZE, flags, report, NULL, &doc);
}

static int
parse(const char *text)
{
    return parse_bytes(text, strlen(text), 0);
}

static void
down(void)
{
    doc = mcph_doc_free(doc);
}

/* Writes a tree as one line of positions, kinds and texts. */
static void
show(const struct mcph_node *node, struct mcph_buf *buf)
{
    mcph_buf_addf(buf, "%d:%d", node->line, node->column);
    switch (node->kind) {
    case MCPH_NODE_LIST:
        mcph_buf_adds(buf, "[");
        for (size_t i = 0; i < node->n; i++)
            show(node->items[i], buf);
        mcph_buf_adds(buf, "]");
        break;
    case MCPH_NODE_MAP:
        mcph_buf_adds(buf, "{");
        for (size_t i = 0; i < node->n; i++) {
            show(node->keys[i], buf);
            mcph_buf_adds(buf, ">");
            show(node->items[i], buf);
        }
        mcph_buf_adds(buf, "}");
        break;
    default:
        mcph_buf_addf(buf, "%c(%s)", "nbifs"[node->kind], node -> text);
    }
}

/* Valid texts, each with its tree. */
static const struct {
    const char *text, *tree;
    unsigned flags;
} read_[] = {
    {"1", "1:1i(1)", 0},
    {" \n null", "2:2n(null)", 0},
    {"{}", "1:1{}", 0},
    {"[]", "1:1[]", 0},
    {"\xef\xbb\xbf[true]", "1:1[1:2b(true)]", 0},
    {"{\"a\": 1,\n  \"b\": [false, null]}",
     "1:1{1:2s(a)>1:7i(1)2:3s(b)>2:8[2:9b(false)2:16n(null)]}", 0},
    {"[\r\n\t-0.5e3,\r\n1e400]", "1:1[2:2f(-0.5e3)3:1f(1e400)]", 0},
    {"[9223372036854775807, 9223372036854775808]",
     "1:1[1:2i(9223372036854775807)1:23f(9223372036854775808)]", 0},
    /* a column counts characters, not bytes */
    {"{\"\xc3\xa9\": \"\xf0\x9f\x98\x80\", \"b\": 1}",
     "1:1{1:2s(\xc3\xa9)>1:7s(\xf0\x9f\x98\x80)1:12s(b)>1:17i(1)}", 0},
    /* escapes and a surrogate pair */
    {"\"\\u0041\\ud83d\\ude00\\n\\/\\\\u0000\"", "1:1s(A\xf0\x9f\x98\x80\n/\\u0000)", 0},
    /* comment marks in a string are text */
    {"[\"/* \\\" // */\"]", "1:1[1:2s(/* \" // */)]", MCPH_JSON_DOC_RELAXED},
    {"// one\n[1, // two\n 2, /* three\n */ 3,\n]", "2:1[2:2i(1)3:2i(2)4:5i(3)]",
     MCPH_JSON_DOC_RELAXED},
    {"{\"a\": 1, /**/ } // end", "1:1{1:2s(a)>1:7i(1)}", MCPH_JSON_DOC_RELAXED},
    {"[[1,],[{},],\"x\",]", "1:1[1:2[1:3i(1)]1:7[1:8{}]1:13s(x)]", MCPH_JSON_DOC_RELAXED},
    {"/* \xc3\xa9 */ [1]", "1:9[1:10i(1)]", MCPH_JSON_DOC_RELAXED},
};

START_TEST(documents_are_parsed_with_the_position_of_each_node) /* R9 */
{
    struct mcph_buf buf;

    ck_assert_msg(parse_bytes(read_[_i].text, strlen(read_[_i].text), read_[_i].flags) ==
                      0,
                  "%s: %s", read_[_i].text, said);
    ck_assert_int_eq(n_errors, 0);
    mcph_buf_init(&buf, 10000);
    show(doc->root, &buf);
    ck_assert_str_eq(mcph_buf_text(&buf), read_[_i].tree);
    mcph_buf_done(&buf);
}
END_TEST

/* Invalid texts, each with its report.  NULL means a report with "not valid JSON". */
static const struct {
    const char *text, *said;
    unsigned flags;
} refused[] = {
    {"", NULL, 0},
    {"{\"a\":1,\n \"a\":2}", "2:2 a|duplicate key, first on line 1", 0},
    {"{\"a\":1,\"\\u0061\":2}", "1:8 a|duplicate key, first on line 1", 0},
    {"{\"s\":[{\"k\":1,\"k\":1}]}", "1:14 s[0].k|duplicate key, first on line 1", 0},
    {"{\"a\":\"\\ud83d\"}", "1:6 a|a text cannot hold half of a surrogate pair", 0},
    {"{\"a\":\"\\ude00\\ud83d\"}", "1:6 a|a text cannot hold half of a surrogate pair",
     0},
    {"{\"a\":\"\\ud83d\\u0041\"}", "1:6 a|a text cannot hold half of a surrogate pair",
     0},
    {"{\"a\":\"\\ud83dx\\ude00\"}", "1:6 a|a text cannot hold half of a surrogate pair",
     0},
    {"[\"x\\u0000\"]", "1:2 [0]|a text cannot hold a NUL character", 0},
    {"{\"\\u0000\":1}", "1:2 |a text cannot hold a NUL character", 0},
    {"[1 // one\n]", NULL, 0},
    {"[1,]", NULL, 0},
    {"[,]", NULL, MCPH_JSON_DOC_RELAXED},
    {"{,}", NULL, MCPH_JSON_DOC_RELAXED},
    {"[1,,]", NULL, MCPH_JSON_DOC_RELAXED},
    {"{\"a\":,}", NULL, MCPH_JSON_DOC_RELAXED},
    {"[1],", NULL, MCPH_JSON_DOC_RELAXED},
    {",[1]", NULL, MCPH_JSON_DOC_RELAXED},
    {"[1]\n /* ", "2:2 |not valid JSON: a comment has no end", MCPH_JSON_DOC_RELAXED},
    {"[1] /", NULL, MCPH_JSON_DOC_RELAXED},
    {"[\"x", NULL, MCPH_JSON_DOC_RELAXED},
    {"[\"x\\", NULL, MCPH_JSON_DOC_RELAXED},
    {"[\"\xff\"]", NULL, 0},
    {"[01]", NULL, 0},
    {"[1] [2]", NULL, 0},
    {"{a:1}", NULL, 0},
    {"['a']", NULL, MCPH_JSON_DOC_RELAXED},
    {"# x\n[1]", NULL, MCPH_JSON_DOC_RELAXED},
};

START_TEST(a_refused_document_is_reported_once_with_its_position) /* R9 */
{
    ck_assert_int_eq(
        parse_bytes(refused[_i].text, strlen(refused[_i].text), refused[_i].flags),
        MCPHOST_E_CONFIG);
    ck_assert_ptr_null(doc);
    ck_assert_int_eq(n_errors, 1);
    if (refused[_i].said)
        ck_assert_str_eq(said, refused[_i].said);
    else
        ck_assert_msg(strstr(said, "|not valid JSON: "), "%s", said);
}
END_TEST

START_TEST(a_fault_far_down_has_its_line_and_column) /* R9 */
{
    ck_assert_int_eq(parse("{\n  \"servers\": {\n    \"a\": tru\n  }\n}"),
                     MCPHOST_E_CONFIG);
    ck_assert_msg(strncmp(said, "3:10 |not valid JSON: ", 22) == 0, "%s", said);
}
END_TEST

/* Parses `depth` nested lists. */
static int
parse_deep(size_t depth)
{
    char text[4096];

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return parse_bytes(text, 2 * depth, 0);
}

START_TEST(too_deep_nesting_is_refused) /* R114 */
{
    ck_assert_int_eq(parse_deep(MCPH_DOC_DEPTH_MAX - 1), 0);
    ck_assert_int_eq(doc->root->height, MCPH_DOC_DEPTH_MAX - 1);
    ck_assert_int_eq(parse_deep(MCPH_DOC_DEPTH_MAX), MCPHOST_E_CONFIG);
    ck_assert_msg(strncmp(said, "1:64 |", 6) == 0, "%s", said);
}
END_TEST

START_TEST(too_many_bytes_or_values_are_refused) /* R114 */
{
    size_t n = 2 * MCPH_JSON_DOC_NODES + 3;
    char *text = malloc(n);

    ck_assert_int_eq(mcph_json_parse("[1]", 3, 2, 0, report, NULL, &doc),
                     MCPHOST_E_LIMIT);
    ck_assert_str_eq(said, "0:0 |is larger than 2 bytes");
    ck_assert_int_eq(mcph_json_parse("[]", 2, 2, 0, report, NULL, &doc), 0);
    for (size_t i = 0; i < n; i += 2)
        memcpy(text + i, i == 0 ? "[1" : ",1", i + 1 < n ? 2 : 1);
    text[n - 1] = ']';
    ck_assert_int_eq(parse_bytes(text, n, 0), MCPHOST_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(said, "more than 1000000 values"));
    free(text);
}
END_TEST

START_TEST(numbers_beyond_a_double_are_infinite) /* R9 */
{
    ck_assert_int_eq(parse("[1e400,-1e400]"), 0);
    ck_assert(isinf(doc->root->items[0]->number) && doc->root->items[0]->number > 0);
    ck_assert(isinf(doc->root->items[1]->number) && doc->root->items[1]->number < 0);
}
END_TEST

static int
stop(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)severity, (void)key, (void)line, (void)column, (void)text;
    return *(int *)arg;
}

START_TEST(the_report_function_can_end_the_parse_with_its_code) /* R9 */
{
    int code = MCPHOST_E_NOMEM;

    ck_assert_int_eq(mcph_json_parse("[", 1, 10, 0, stop, &code, &doc), MCPHOST_E_NOMEM);
    ck_assert_int_eq(mcph_json_parse("[1]", 3, 2, 0, stop, &code, &doc), MCPHOST_E_NOMEM);
    ck_assert_ptr_null(doc);
}
END_TEST

START_TEST(json_and_yaml_give_equal_trees_for_one_document) /* R9 */
{
    static const char text[] =
        "{\"servers\": {\"a\": {\"command\": \"x\",\n \"args\": [\"1\", true, 2, 2.5]}}}";
    struct mcph_doc *yaml = NULL;
    struct mcph_buf a, b;

    ck_assert_int_eq(parse(text), 0);
    ck_assert_int_eq(mcph_yaml_parse(text, sizeof(text) - 1, report, NULL, &yaml), 0);
    mcph_buf_init(&a, 10000);
    mcph_buf_init(&b, 10000);
    show(doc->root, &a);
    show(yaml->root, &b);
    ck_assert_str_eq(mcph_buf_text(&a), mcph_buf_text(&b));
    mcph_buf_done(&a);
    mcph_buf_done(&b);
    mcph_doc_free(yaml);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "json");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_loop_test(tc, documents_are_parsed_with_the_position_of_each_node, 0,
                        sizeof(read_) / sizeof(read_[0]));
    tcase_add_loop_test(tc, a_refused_document_is_reported_once_with_its_position, 0,
                        sizeof(refused) / sizeof(refused[0]));
    tcase_add_test(tc, a_fault_far_down_has_its_line_and_column);
    tcase_add_test(tc, too_deep_nesting_is_refused);
    tcase_add_test(tc, too_many_bytes_or_values_are_refused);
    tcase_add_test(tc, numbers_beyond_a_double_are_infinite);
    tcase_add_test(tc, the_report_function_can_end_the_parse_with_its_code);
    tcase_add_test(tc, json_and_yaml_give_equal_trees_for_one_document);
}

int
main(void)
{
    return test_main("config-json", add_tests);
}
