/* SPDX-License-Identifier: MIT
 *
 * test_config_yaml.c - parsing a YAML document into a tree whose nodes have line and
 * column (B.2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

/* The last report as "LINE:COLUMN KEY|TEXT", and the numbers of errors and warnings. */
static char said[1024];
static int n_errors, n_warnings;
static struct mcph_doc *doc;

static int
report(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)arg;
    snprintf(said, sizeof(said), "%d:%d %s|%s", line, column, key, text);
    if (severity == MCPHOST_DIAGNOSTIC_ERROR)
        n_errors++;
    else
        n_warnings++;
    return 0;
}

static int
parse_bytes(const char *text, size_t len)
{
    mcph_doc_free(doc);
    doc = NULL;
    said[0] = '\0';
    n_errors = n_warnings = 0;
    return mcph_yaml_parse(text, len, report, NULL, &doc);
}

static int
parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void
down(void)
{
    doc = mcph_doc_free(doc);
}

/* Parses a map and returns the value of its key `a`. */
static const struct mcph_node *
value(const char *text)
{
    const struct mcph_node *node;

    ck_assert_msg(parse(text) == 0, "%s: %s", text, said);
    node = mcph_node_get(doc->root, "a");
    ck_assert_ptr_nonnull(node);
    return node;
}

/* Refused texts, each with its report.  If `said` is NULL, the report contains "not valid
 * YAML". */
static const struct {
    const char *text, *said;
} refused[] = {
    /* duplicate keys at any depth */
    {"a: 1\na: 2", "2:1 a|duplicate key, first on line 1"},
    {"s:\n  x: 1\n  x: 1", "3:3 s.x|duplicate key, first on line 2"},
    {"l:\n- - {k: 1, k: 2}", "2:12 l[0][0].k|duplicate key, first on line 2"},
    {"a: 1\n\"a\": 2", "2:1 a|duplicate key, first on line 1"},
    {"a: 1\n? a\n: 2", "2:3 a|duplicate key, first on line 1"},
    {"&k a: 1\n*k : 2", "2:1 a|duplicate key, first on line 1"},
    {"<<: 1\n<<: 2", "2:1 [\"<<\"]|duplicate key, first on line 1"},
    {"1: a\n\"1\": b", "2:1 1|duplicate key, first on line 1"},
    {"~: a\n~: b", "2:1 [\"~\"]|duplicate key, first on line 1"},
    /* more than one document */
    {"a: 1\n---\nb: 1", "2:1 |a second document begins here, but only one is allowed"},
    {"---\n---\n", "2:1 |a second document begins here, but only one is allowed"},
    {"a: 1\n...\nb: 1", "3:1 |not valid YAML: did not find expected <document start>"},
    /* tabs in the indentation */
    {"a:\n\tb: 1", "2:1 |not valid YAML: a tab cannot indent, use blanks"},
    {"a:\n  b: 1\n\tc: 1", "3:1 |not valid YAML: a tab cannot indent, use blanks"},
    {"a:\n \t- 1", "2:2 |not valid YAML: a tab cannot indent, use blanks"},
    /* aliases without an earlier anchor */
    {"a: *x", "1:4 a|the alias '*x' names no earlier anchor"},
    {"a: &x [*x]", "1:8 a[0]|the alias '*x' names no earlier anchor"},
    {"a: *x\nb: &x 1", "1:4 a|the alias '*x' names no earlier anchor"},
    /* keys that are lists or maps */
    {"? [1]\n: 1", "1:3 |a key cannot be a list or a map"},
    {"? {a: 1}\n: 1", "1:3 |a key cannot be a list or a map"},
    {"a: &x [1]\n*x : 1", "2:1 |a key cannot be a list or a map"},
    /* characters that are not allowed */
    {"a: \"x\\0y\"", "1:4 a|a text cannot hold a NUL character"},
    {"a: \x01", "1:4 |not valid YAML: control characters are not allowed"},
    {"b: 1\na: \xc3\xa9\xff", "2:5 |not valid YAML: invalid leading UTF-8 octet"},
    {"a: \"\xc3\xa9\xc3\"", NULL},
    {"a: \"\xed\xa0\x80\"", NULL},
    {"a: \"\xc0\x80\"", NULL},
    /* errors of syntax */
    {"a: 'x", NULL},
    {"a: [1", NULL},
    {"a: {b: 1", NULL},
    {"a: 1\n b: 2", NULL},
    {"a: b: c", NULL},
    {"- 1\na: 1", NULL},
    {"a: @x", NULL},
    {"a: `x", NULL},
    {"a: %x", NULL},
    {"a: \"\\q\"", NULL},
    {"a: ]", NULL},
    {"!a!b c", NULL},
    {"%YAML 2.0\n---\na: 1", NULL},
};

START_TEST(a_refused_text_is_reported_once_with_its_position) /* R9 R114, K14 */
{
    int r = parse(refused[_i].text);

    ck_assert_msg(r == MCPHOST_E_CONFIG, "'%s' gave %d", refused[_i].text, r);
    ck_assert_ptr_null(doc);
    ck_assert_int_eq(n_errors, 1);
    if (refused[_i].said)
        ck_assert_str_eq(said, refused[_i].said);
    else
        ck_assert_ptr_nonnull(strstr(said, "not valid YAML"));
}
END_TEST

/* Texts with a key `a`, each with the kind and the text of the value of `a`. */
static const struct {
    const char *text;
    int kind;
    const char *value;
} accepted[] = {
    {"a: yes", MCPH_NODE_STRING, "yes"},
    {"a: on", MCPH_NODE_STRING, "on"},
    {"a: 1_000", MCPH_NODE_STRING, "1_000"},
    {"a: true", MCPH_NODE_BOOL, "true"},
    {"a: \"true\"", MCPH_NODE_STRING, "true"},
    {"a: 'null'", MCPH_NODE_STRING, "null"},
    {"a: \"1\"", MCPH_NODE_STRING, "1"},
    {"a: 017", MCPH_NODE_INT, "017"},
    {"a: 0o17", MCPH_NODE_INT, "0o17"},
    {"a: 1.0", MCPH_NODE_FLOAT, "1.0"},
    {"a:", MCPH_NODE_NULL, ""},
    {"a: ~", MCPH_NODE_NULL, "~"},
    {"a: ''", MCPH_NODE_STRING, ""},
    {"a: |\n  1\n", MCPH_NODE_STRING, "1\n"},
    {"a: >-\n  x\n  y\n", MCPH_NODE_STRING, "x y"},
    {"a: x\n  y", MCPH_NODE_STRING, "x y"},
    {"a: x # c", MCPH_NODE_STRING, "x"},
    {"a: x#c", MCPH_NODE_STRING, "x#c"},
    {"a: http://h:1/p", MCPH_NODE_STRING, "http://h:1/p"},
    {"{\"a\":1}", MCPH_NODE_INT, "1"},
    {"{a: [x, y]}", MCPH_NODE_LIST, NULL},
    {"a: {<<: {x: 1}}", MCPH_NODE_MAP, NULL},
    {"a: \"\\u00e9\"", MCPH_NODE_STRING, "\xc3\xa9"},
    {"\xef\xbb\xbf"
     "a: 1",
     MCPH_NODE_INT, "1"},
    {"a: 1\r\nb: 2\r\n", MCPH_NODE_INT, "1"},
    {"a:\t1", MCPH_NODE_INT, "1"},
    {"---\na: 1", MCPH_NODE_INT, "1"},
    {"a: 1\n...\n", MCPH_NODE_INT, "1"},
    {"%YAML 1.2\n---\na: yes", MCPH_NODE_STRING, "yes"},
    {"%YAML 1.1\n---\na: yes", MCPH_NODE_STRING, "yes"},
    {"b: &x v\na: *x", MCPH_NODE_STRING, "v"},
    {"b: &x 1\nc: &x 2\na: *x", MCPH_NODE_INT, "2"},
    {"a: !!str 1", MCPH_NODE_STRING, "1"},
    {"a: ! 1", MCPH_NODE_STRING, "1"},
    {"a: !!int \"1\"", MCPH_NODE_INT, "1"},
    {"a: !!float 1", MCPH_NODE_FLOAT, "1"},
    {"a: !!bool 'true'", MCPH_NODE_BOOL, "true"},
    {"a: !!null ''", MCPH_NODE_NULL, ""},
    {"a: !!seq [1]", MCPH_NODE_LIST, NULL},
    {"a: !!map {b: 1}", MCPH_NODE_MAP, NULL},
};

START_TEST(values_have_the_types_of_the_core_schema)
{
    const struct mcph_node *node = value(accepted[_i].text);

    ck_assert_msg(node->kind == accepted[_i].kind, "'%s' is %s", accepted[_i].text,
                  mcph_node_kind_text(node));
    if (accepted[_i].value)
        ck_assert_str_eq(node->text, accepted[_i].value);
    ck_assert_int_eq(n_warnings, 0);
}
END_TEST

/* Unknown tags and tags that do not fit the value give a warning.  The parser ignores
 * these tags. */
static const struct {
    const char *text;
    int kind;
    const char *said;
} tagged[] = {
    {"a: !secret x", MCPH_NODE_STRING, "1:4 a|the tag '!secret' is not known, ignored"},
    {"a: !n 1", MCPH_NODE_STRING, "1:4 a|the tag '!n' is not known, ignored"},
    {"a: !l [1]", MCPH_NODE_LIST, "1:4 a|the tag '!l' is not known, ignored"},
    {"a: !m {b: 1}", MCPH_NODE_MAP, "1:4 a|the tag '!m' is not known, ignored"},
    {"a: !!int x", MCPH_NODE_STRING,
     "1:4 a|the tag 'tag:yaml.org,2002:int' is not known, ignored"},
    {"a: !!binary aGk=", MCPH_NODE_STRING,
     "1:4 a|the tag 'tag:yaml.org,2002:binary' is not known, ignored"},
    {"a: !!map [1]", MCPH_NODE_LIST,
     "1:4 a|the tag 'tag:yaml.org,2002:map' is not known, ignored"},
};

START_TEST(an_unknown_tag_warns_and_keeps_the_value)
{
    const struct mcph_node *node = value(tagged[_i].text);

    ck_assert_int_eq(node->kind, tagged[_i].kind);
    ck_assert_int_eq(n_warnings, 1);
    ck_assert_int_eq(n_errors, 0);
    ck_assert_str_eq(said, tagged[_i].said);
}
END_TEST

START_TEST(a_text_without_content_is_null)
{
    static const char *const texts[] = {"",      "\n\n",         "# only a comment\n",
                                        "---\n", "\xef\xbb\xbf", "null"};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        ck_assert_int_eq(parse(texts[i]), 0);
        ck_assert_int_eq(doc->root->kind, MCPH_NODE_NULL);
    }
}
END_TEST

START_TEST(a_merge_key_is_an_ordinary_key)
{
    const struct mcph_node *node = value("b: &x {k: 1}\na:\n  <<: *x\n");

    ck_assert_int_eq((int)node->n, 1);
    ck_assert_ptr_null(mcph_node_get(node, "k"));
    ck_assert_ptr_nonnull(mcph_node_get(node, "<<"));
}
END_TEST

START_TEST(members_keep_the_order_of_the_file)
{
    ck_assert_int_eq(parse("b: 1\n2: 1\na: 1\n1: 1\n"), 0);
    ck_assert_int_eq((int)doc->root->n, 4);
    ck_assert_str_eq(doc->root->keys[0]->text, "b");
    ck_assert_str_eq(doc->root->keys[1]->text, "2");
    ck_assert_str_eq(doc->root->keys[2]->text, "a");
    ck_assert_str_eq(doc->root->keys[3]->text, "1");
}
END_TEST

START_TEST(positions_count_characters_from_one)
{
    const struct mcph_node *node;

    ck_assert_int_eq(parse("\xef\xbb\xbf\xc3\xa9: 1\na: [\xe2\x82\xac,\n  x]\n"), 0);
    ck_assert_int_eq(doc->root->keys[0]->column, 1);
    ck_assert_int_eq(doc->root->items[0]->column, 4);
    node = mcph_node_get(doc->root, "a");
    ck_assert_int_eq(node->line, 2);
    ck_assert_int_eq(node->items[1]->line, 3);
    ck_assert_int_eq(node->items[1]->column, 3);
}
END_TEST

static void
repeat(struct mcph_buf *buf, const char *text, size_t n)
{
    while (n--)
        mcph_buf_adds(buf, text);
}

static int
parse_buf(struct mcph_buf *buf)
{
    int r;

    ck_assert_int_eq(mcph_buf_ok(buf), 0);
    r = parse_bytes(buf->data, buf->len);
    mcph_buf_done(buf);
    return r;
}

START_TEST(nesting_beyond_64_levels_is_refused)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4096);
    repeat(&buf, "[", MCPH_DOC_DEPTH_MAX - 1);
    mcph_buf_adds(&buf, "x");
    repeat(&buf, "]", MCPH_DOC_DEPTH_MAX - 1);
    ck_assert_int_eq(parse_buf(&buf), 0);

    repeat(&buf, "[", MCPH_DOC_DEPTH_MAX);
    mcph_buf_adds(&buf, "x");
    repeat(&buf, "]", MCPH_DOC_DEPTH_MAX);
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(said, "nested deeper than 64 levels"));
}
END_TEST

START_TEST(aliases_do_not_nest_beyond_the_limit)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4096);
    mcph_buf_adds(
        &buf, "a: &a [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n"
              "b: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n");
    ck_assert_int_eq(parse_buf(&buf), 0);
    mcph_buf_adds(
        &buf,
        "a: &a [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n"
        "b: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n");
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(said, "nested deeper than 64 levels"));
}
END_TEST

START_TEST(a_million_opening_brackets_are_refused)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, MCPH_YAML_SIZE_MAX);
    repeat(&buf, "[", 1000000);
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    repeat(&buf, "- ", 500000);
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    repeat(&buf, "? ", 500000);
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
}
END_TEST

START_TEST(an_alias_bomb_is_refused)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 8192);
    mcph_buf_adds(&buf, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        mcph_buf_addf(&buf, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            mcph_buf_addf(&buf, "%s*a%d", j ? ", " : "", i - 1);
        mcph_buf_adds(&buf, "]\n");
    }
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(said, "aliases expand to more than 10000 nodes"));
}
END_TEST

START_TEST(aliases_of_a_long_text_count_by_its_length)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, MCPH_YAML_SIZE_MAX);
    mcph_buf_adds(&buf, "b: &t ");
    repeat(&buf, "0123456789", 50000);
    mcph_buf_adds(&buf, "\na: [*t, *t, *t]\n");
    ck_assert_int_eq(parse_buf(&buf), MCPHOST_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(said, "aliases expand to more"));
}
END_TEST

START_TEST(five_hundred_aliases_of_a_small_map_are_accepted)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, MCPH_YAML_SIZE_MAX);
    mcph_buf_adds(&buf, "e: &e {HOME: /root, PATH: /bin}\n");
    for (int i = 0; i < 500; i++)
        mcph_buf_addf(&buf, "s%d: *e\n", i);
    ck_assert_int_eq(parse_buf(&buf), 0);
    ck_assert_int_eq((int)doc->root->n, 501);
    ck_assert_ptr_eq(doc->root->items[0], doc->root->items[500]);
}
END_TEST

START_TEST(a_text_over_1_mib_is_refused)
{
    char *text = malloc(MCPH_YAML_SIZE_MAX + 1);

    memset(text, '#', MCPH_YAML_SIZE_MAX + 1);
    ck_assert_int_eq(parse_bytes(text, MCPH_YAML_SIZE_MAX), 0);
    ck_assert_int_eq(parse_bytes(text, MCPH_YAML_SIZE_MAX + 1), MCPHOST_E_LIMIT);
    ck_assert_str_eq(said, "0:0 |is larger than 1048576 bytes");
    free(text);
}
END_TEST

START_TEST(a_map_of_many_keys_is_read_in_reasonable_time)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, MCPH_YAML_SIZE_MAX);
    for (int i = 0; i < 30000; i++)
        mcph_buf_addf(&buf, "key%d: 1\n", i);
    ck_assert_int_eq(parse_buf(&buf), 0);
    ck_assert_int_eq((int)doc->root->n, 30000);
}
END_TEST

static int
stop(int severity, const char *key, int line, int column, const char *text, void *arg)
{
    (void)severity;
    (void)key;
    (void)line;
    (void)column;
    (void)text;
    return *(int *)arg;
}

START_TEST(the_report_function_may_end_the_parse)
{
    int code = MCPHOST_E_NOMEM;

    ck_assert_int_eq(mcph_yaml_parse("a: !x 1", 7, stop, &code, &doc), MCPHOST_E_NOMEM);
    ck_assert_int_eq(mcph_yaml_parse("a: [", 4, stop, &code, &doc), MCPHOST_E_NOMEM);
    ck_assert_ptr_null(doc);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "yaml"), *limits = test_case(suite, "limits");

    tcase_add_checked_fixture(tc, NULL, down);
    tcase_add_checked_fixture(limits, NULL, down);
    tcase_add_loop_test(tc, a_refused_text_is_reported_once_with_its_position, 0,
                        (int)MCPH_ARRAY_SIZE(refused));
    tcase_add_loop_test(tc, values_have_the_types_of_the_core_schema, 0,
                        (int)MCPH_ARRAY_SIZE(accepted));
    tcase_add_loop_test(tc, an_unknown_tag_warns_and_keeps_the_value, 0,
                        (int)MCPH_ARRAY_SIZE(tagged));
    tcase_add_test(tc, a_text_without_content_is_null);
    tcase_add_test(tc, a_merge_key_is_an_ordinary_key);
    tcase_add_test(tc, members_keep_the_order_of_the_file);
    tcase_add_test(tc, positions_count_characters_from_one);
    tcase_add_test(tc, the_report_function_may_end_the_parse);
    tcase_add_test(limits, nesting_beyond_64_levels_is_refused);
    tcase_add_test(limits, aliases_do_not_nest_beyond_the_limit);
    tcase_add_test(limits, a_million_opening_brackets_are_refused);
    tcase_add_test(limits, an_alias_bomb_is_refused);
    tcase_add_test(limits, aliases_of_a_long_text_count_by_its_length);
    tcase_add_test(limits, five_hundred_aliases_of_a_small_map_are_accepted);
    tcase_add_test(limits, a_text_over_1_mib_is_refused);
    tcase_add_test(limits, a_map_of_many_keys_is_read_in_reasonable_time);
}

int
main(void)
{
    return test_main("config-yaml", add);
}
