/* SPDX-License-Identifier: MIT
 *
 * test_config_front.c - the front matter of a SKILL.md.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "support/runner.h"

static const struct {
    const char *text;
    int code, line;
    const char *name; /* the value of `name`, or NULL */
} rows[] = {
    {"---\nname: a\n---\n", 0, 0, "a"},
    {"---\r\nname: a\r\n---\r\nbody", 0, 0, "a"},
    {"---\nname: a\n---", 0, 0, "a"},
    {"---\n---\nname: a\n---\n", 0, 0, NULL},
    {"---\n- a\n---\n", 0, 0, NULL},
    {"---\nname: a\n----\n---x\n --- \n", MCPHOST_E_NOTFOUND, 0, NULL},
    {"---\nname: a\n", MCPHOST_E_NOTFOUND, 0, NULL},
    {"", MCPHOST_E_NOTFOUND, 0, NULL},
    {"---", MCPHOST_E_NOTFOUND, 0, NULL},
    {"\n---\nname: a\n---\n", MCPHOST_E_NOTFOUND, 0, NULL},
    {"# a\n", MCPHOST_E_NOTFOUND, 0, NULL},
    {"---\nname: a\nb: [\n---\n", MCPHOST_E_CONFIG, 4, NULL},
    {"---\nname: a\nname: b\n---\n", MCPHOST_E_CONFIG, 3, NULL},
    {"---\nname: \xff\n---\n", MCPHOST_E_CONFIG, 2, NULL},
};

START_TEST(front_matter_is_yaml_between_two_marks) /* R179, B.38 */
{
    struct mcph_span text = mcph_span(rows[_i].text, strlen(rows[_i].text));
    const struct mcph_node *name;
    struct mcph_doc *doc = NULL;
    int line = 0;

    ck_assert_int_eq(mcph_front_parse(text, &doc, &line), rows[_i].code);
    ck_assert_int_eq(line, rows[_i].line);
    ck_assert_int_eq(doc != NULL, rows[_i].code == 0);
    name = doc && doc->root && doc->root->kind == MCPH_NODE_MAP
               ? mcph_node_get(doc->root, "name")
               : NULL;
    ck_assert_int_eq(name != NULL, rows[_i].name != NULL);
    if (name)
        ck_assert_str_eq(name->text, rows[_i].name);
    mcph_doc_free(doc);
}
END_TEST

/* The limit holds for a text with the closing mark and for a text without the closing
 * mark. */
START_TEST(front_matter_over_the_limit_is_refused)
{
    size_t len = MCPH_FRONT_MAX + 32;
    struct mcph_doc *doc = NULL;
    char *text = malloc(len);

    ck_assert_ptr_nonnull(text);
    memset(text, '#', len);
    memcpy(text, "---\n", 4);
    ck_assert_int_eq(mcph_front_parse(mcph_span(text, len), &doc, NULL), MCPHOST_E_LIMIT);
    memcpy(text + 4 + MCPH_FRONT_MAX + 1, "\n---\n", 5);
    ck_assert_int_eq(mcph_front_parse(mcph_span(text, len), &doc, NULL), MCPHOST_E_LIMIT);
    memcpy(text + 4 + MCPH_FRONT_MAX - 1, "\n---\n", 5);
    ck_assert_int_eq(mcph_front_parse(mcph_span(text, len), &doc, NULL), 0);
    mcph_doc_free(doc);
    free(text);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "front");

    tcase_add_loop_test(tc, front_matter_is_yaml_between_two_marks, 0,
                        (int)MCPH_ARRAY_SIZE(rows));
    tcase_add_test(tc, front_matter_over_the_limit_is_refused);
}

int
main(void)
{
    return test_main("config-front", add);
}
