/* SPDX-License-Identifier: MIT
 *
 * test_names_decide.c - the decision on the name of one tool: validity, filter,
 * transforms, an optional full name, and validity again, in this order.
 */
#include <stdio.h>
#include <string.h>

#include "names/names.h"
#include "support/runner.h"

static mcphost_filter *filter;
static mcphost_transform *transform;
static struct mcph_name_decision d;

static void
up(void)
{
    filter = mcph_filter_new();
    transform = mcph_transform_new();
    ck_assert(filter && transform);
}

static void
down(void)
{
    filter = mcph_filter_unref(filter);
    transform = mcph_transform_unref(transform);
}

static void
list(int which, const char *pattern)
{
    ck_assert_int_eq(mcph_filter_add(filter, which, pattern, strlen(pattern)), 0);
}

static void
step(int kind, const char *add, const char *remove)
{
    ck_assert_int_eq(mcph_transform_add(transform, kind, add, strlen(add), remove,
                                        remove ? strlen(remove) : 0),
                     0);
}

static int
decide(const char *name)
{
    struct mcph_name_rules rules = {.filter = filter, .transform = transform};

    ck_assert_int_eq(mcph_name_decide(&rules, name, strlen(name), &d), 0);
    return d.verdict;
}

START_TEST(the_playwright_example_comes_out_as_documented) /* R11 R38 R39 */
{
    list(MCPH_FILTER_WHITELIST, "browser_*");
    list(MCPH_FILTER_WHITELIST, "page_*");
    list(MCPH_FILTER_BLACKLIST, "*_unsafe");
    step(MCPH_TRANSFORM_PREFIX, "playwright_", NULL);

    ck_assert_int_eq(decide("browser_click"), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "playwright_browser_click");
    ck_assert_int_eq((int)d.len, (int)strlen(d.name));
    ck_assert_int_eq(decide("browser_snapshot"), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "playwright_browser_snapshot");
    ck_assert_int_eq(decide("foo"), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "playwright_foo");
    ck_assert_int_eq(decide("browser_unsafe"), MCPH_NAME_ACCEPTED);
    ck_assert_int_eq(decide("x_unsafe"), MCPH_NAME_BLACKLISTED);
    ck_assert_str_eq(d.pattern, "*_unsafe");
    ck_assert_str_eq(d.name, "");
}
END_TEST

START_TEST(patterns_see_the_original_name) /* R34 */
{
    list(MCPH_FILTER_WHITELIST, "x_open");
    step(MCPH_TRANSFORM_PREFIX, "x_", NULL);
    ck_assert_int_eq(decide("open"), MCPH_NAME_NOT_WHITELISTED);
    ck_assert_str_eq(d.pattern, "x_open");
    ck_assert_int_eq(decide("x_open"), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "x_x_open");
}
END_TEST

START_TEST(an_invalid_original_is_refused_even_if_a_transform_would_mend_it) /* R48 R50 */
{
    step(MCPH_TRANSFORM_PREFIX, "good", "a.b");
    ck_assert_int_eq(decide("a.b"), MCPH_NAME_INVALID);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(decide(""), MCPH_NAME_INVALID);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_EMPTY);
}
END_TEST

START_TEST(a_transform_that_makes_a_bad_name_is_refused) /* R48 R50 */
{
    char name[64];

    memset(name, 'n', sizeof(name));
    step(MCPH_TRANSFORM_SUFFIX, "_", NULL);
    name[63] = '\0';
    ck_assert_int_eq(decide(name), MCPH_NAME_ACCEPTED);
    ck_assert_int_eq((int)d.len, 64);

    step(MCPH_TRANSFORM_SUFFIX, "_", NULL);
    ck_assert_int_eq(decide(name), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LENGTH);
    ck_assert_int_eq((int)d.len, 65);
}
END_TEST

START_TEST(a_transform_that_leaves_an_empty_name_is_refused) /* R48 */
{
    step(MCPH_TRANSFORM_PREFIX, "", "open");
    ck_assert_int_eq(decide("open"), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_EMPTY);
    ck_assert_str_eq(d.name, "");
}
END_TEST

START_TEST(nothing_but_the_configured_transforms_changes_a_name) /* R46 R49 */
{
    ck_assert_int_eq(decide("Browser-Click_2"), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "Browser-Click_2");
    ck_assert_int_eq(decide("browser click"), MCPH_NAME_INVALID);
}
END_TEST

/* B.8: the decision reports the first of the rules that refuse a name. */
START_TEST(an_invalid_name_is_invalid_before_it_is_blacklisted) /* R50 */
{
    list(MCPH_FILTER_BLACKLIST, "*");
    ck_assert_int_eq(decide("a.b"), MCPH_NAME_INVALID);
    ck_assert_ptr_null(d.pattern);
}
END_TEST

START_TEST(a_blacklisted_name_is_never_transformed) /* R31 R37 */
{
    list(MCPH_FILTER_BLACKLIST, "open");
    step(MCPH_TRANSFORM_SUFFIX, " bad", NULL);
    ck_assert_int_eq(decide("open"), MCPH_NAME_BLACKLISTED);
    ck_assert_int_eq(decide("close"), MCPH_NAME_INVALID_TRANSFORMED);
}
END_TEST

START_TEST(a_bad_transformed_name_is_shown_on_one_clean_line) /* R50 */
{
    step(MCPH_TRANSFORM_PREFIX, "a\nb\xff\x1b[31m", NULL);
    ck_assert_int_eq(decide("x"), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_ptr_null(strchr(d.name, '\n'));
    ck_assert_ptr_null(strchr(d.name, '\x1b'));
    ck_assert(mcph_utf8_valid(d.name, d.len, NULL));
}
END_TEST

START_TEST(a_long_transformed_name_is_cut_between_characters) /* R50 */
{
    char text[402];

    for (size_t i = 0; i < 400; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[400] = '\0';
    step(MCPH_TRANSFORM_SUFFIX, text, NULL);
    ck_assert_int_eq(decide("x"), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert(d.len > 100 && d.len <= MCPH_NAME_SHOWN_MAX);
    ck_assert_int_eq((int)strlen(d.name), (int)d.len);
    ck_assert(mcph_utf8_valid(d.name, d.len, NULL));
}
END_TEST

START_TEST(a_name_that_grows_without_bound_is_too_long) /* R48 */
{
    char text[1025];

    memset(text, 'a', 1024);
    text[1024] = '\0';
    for (int i = 0; i < 100; i++)
        step(MCPH_TRANSFORM_PREFIX, text, NULL);
    ck_assert_int_eq(decide("x"), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LENGTH);
    ck_assert_int_eq((int)d.len, MCPH_NAME_SHOWN_MAX);
}
END_TEST

/* ---- "mcp_<server>_<tool>" --------------------------------------------------------- */

static int
decide_full(const char *server, const char *name, size_t len)
{
    struct mcph_name_rules rules = {.naming.policy = MCPH_NAME_POLICY_FULL,
                                    .server = server,
                                    .filter = filter,
                                    .transform = transform};

    ck_assert_int_eq(mcph_name_decide(&rules, name, len, &d), 0);
    return d.verdict;
}

static const struct {
    const char *server, *tool, *name;
} full[] = {
    {"com.example.tools.db-client", "query", "mcp_com_example_tools_db-client_query"},
    {"a", "db.query", "mcp_a_db_query"},
    {" A B ", "\tOpen!! It ", NULL}, /* a tab is refused */
    {" A B ", " Open!! It ", "mcp_a_b_open_it"},
    {"_a_", "_b_", "mcp__a___b_"},
    {".a.", "b.", "mcp__a__b_"},
    {"a__b", "c--d", "mcp_a__b_c--d"},
    {"", "", "mcp_server_tool"},
    {" ", "\xe3\x80\x80", "mcp_server_tool"},
    {"\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0", "mcp____"},
    {"s", "\xe2\x84\xaa", "mcp_s_k"},
};

START_TEST(a_full_name_is_made_of_the_normalized_server_and_tool) /* R134 B.23 K3 */
{
    const char *tool = full[_i].tool;
    int verdict = decide_full(full[_i].server, tool, strlen(tool));

    if (full[_i].name) {
        ck_assert_int_eq(verdict, MCPH_NAME_ACCEPTED);
        ck_assert_str_eq(d.name, full[_i].name);
    } else {
        ck_assert_int_eq(verdict, MCPH_NAME_INVALID);
    }
}
END_TEST

START_TEST(an_original_with_control_characters_or_too_many_bytes_is_refused)
{
    char name[MCPH_NAME_TEXT_MAX + 1];

    memset(name, ' ', sizeof(name));
    ck_assert_int_eq(decide_full("s", "a\0b", 3), MCPH_NAME_INVALID);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LINE);
    ck_assert_int_eq(decide_full("s", "a\nb", 3), MCPH_NAME_INVALID);
    ck_assert_int_eq(decide_full("s", "a\x7f", 2), MCPH_NAME_INVALID);
    ck_assert_int_eq(decide_full("s", name, sizeof(name)), MCPH_NAME_INVALID);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LINE);
    ck_assert_int_eq(decide_full("s", name, sizeof(name) - 1), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "mcp_s_tool");
}
END_TEST

/* R134 R47, C1 */
START_TEST(a_full_name_of_more_than_64_characters_is_refused_and_not_cut)
{
    char tool[65];

    memset(tool, 'n', sizeof(tool));
    /* The prefix "mcp_s_" adds six characters. */
    ck_assert_int_eq(decide_full("s", tool, 58), MCPH_NAME_ACCEPTED);
    ck_assert_int_eq((int)d.len, 64);
    ck_assert_int_eq(decide_full("s", tool, 59), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LENGTH);
    ck_assert_int_eq((int)d.len, 65);
}
END_TEST

START_TEST(a_full_name_is_made_after_filter_and_transforms) /* R134 B.8 */
{
    list(MCPH_FILTER_BLACKLIST, "mcp_s_*");
    list(MCPH_FILTER_BLACKLIST, "db.drop");
    step(MCPH_TRANSFORM_PREFIX, "X.", NULL);
    ck_assert_int_eq(decide_full("s", "db.query", 8), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "mcp_s_x_db_query");
    ck_assert_int_eq(decide_full("s", "db.drop", 7), MCPH_NAME_BLACKLISTED);
}
END_TEST

/* ---- the application's function ---------------------------------------------------- */

static struct {
    char server[16], name[256];
    const char *gives; /* the text that on_name() writes; NULL means "SERVER-NAME" */
    int returns, n;
} asked;

static int
on_name(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    ck_assert_ptr_eq(arg, &asked);
    ck_assert_uint_ge(size, 256);
    ck_assert_str_eq(buffer, "");
    asked.n++;
    snprintf(asked.server, sizeof(asked.server), "%s", server);
    snprintf(asked.name, sizeof(asked.name), "%s", name);
    if (asked.gives)
        memcpy(buffer, asked.gives,
               strlen(asked.gives) < size ? strlen(asked.gives) + 1 : size);
    else
        snprintf(buffer, size, "%s-%s", server, name);
    return asked.returns;
}

static int
decide_asked(const char *name, size_t len)
{
    struct mcph_name_rules rules = {
        .naming = {MCPH_NAME_POLICY_CALLBACK, on_name, &asked},
        .server = "s",
        .filter = filter,
        .transform = transform};

    memset(asked.name, 0, sizeof(asked.name));
    asked.n = 0;
    ck_assert_int_eq(mcph_name_decide(&rules, name, len, &d), 0);
    return d.verdict;
}

START_TEST(the_name_function_gets_names_after_filter_and_transforms) /* K3 B.8 */
{
    list(MCPH_FILTER_BLACKLIST, "s-*");
    list(MCPH_FILTER_BLACKLIST, "db.drop");
    step(MCPH_TRANSFORM_PREFIX, "x_", NULL);
    ck_assert_int_eq(decide_asked("find", 4), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(asked.server, "s");
    ck_assert_str_eq(asked.name, "x_find");
    ck_assert_str_eq(d.name, "s-x_find");
    ck_assert_int_eq((int)d.len, 8);
    ck_assert_int_eq(decide_asked("db.drop", 7), MCPH_NAME_BLACKLISTED);
    ck_assert_int_eq(asked.n, 0);
    /* The name that the function returns must be valid. */
    ck_assert_int_eq(decide_asked("db.query", 8), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_CHARACTER);
    ck_assert_str_eq(d.name, "s-x_db.query");
}
END_TEST

START_TEST(the_name_function_gets_any_name_that_is_one_line_of_text) /* K3 */
{
    char name[MCPH_NAME_TEXT_MAX + 1];

    memset(name, '/', sizeof(name));
    asked.gives = "short";
    ck_assert_int_eq(decide_asked(name, sizeof(name) - 1), MCPH_NAME_ACCEPTED);
    ck_assert_str_eq(d.name, "short");
    ck_assert_int_eq(decide_asked(name, sizeof(name)), MCPH_NAME_INVALID);
    ck_assert_int_eq(decide_asked("", 0), MCPH_NAME_ACCEPTED);
    ck_assert_int_eq(asked.n, 1);
    ck_assert_int_eq(decide_asked("a\nb", 3), MCPH_NAME_INVALID);
    ck_assert_int_eq(decide_asked("a\0b", 3), MCPH_NAME_INVALID);
    ck_assert_int_eq(asked.n, 0);
    /* The decision refuses a NUL from a transform, because the NUL would hide the rest of
     * the name from the function. */
    ck_assert_int_eq(
        mcph_transform_add(transform, MCPH_TRANSFORM_PREFIX, "x\0", 2, NULL, 0), 0);
    ck_assert_int_eq(decide_asked("b", 1), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_CHARACTER);
    ck_assert_int_eq(asked.n, 0);
}
END_TEST

START_TEST(a_name_from_the_function_that_is_too_long_or_empty_is_refused) /* K3 R47 */
{
    char name[512];

    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    asked.gives = name; /* fills the buffer, so that no final NUL fits */
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LENGTH);
    name[64] = '\0';
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_ACCEPTED);
    asked.gives = "";
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_EMPTY);
}
END_TEST

START_TEST(the_name_function_can_refuse_with_a_reason) /* K3 */
{
    asked.returns = MCPHOST_E_DENIED;
    asked.gives = "not\nhere";
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_REFUSED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_NONE);
    ck_assert_str_eq(d.name, "not here");
    asked.gives = "";
    asked.returns = 1;
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_REFUSED);
    ck_assert_str_eq(d.name, "");
}
END_TEST

START_TEST(without_a_function_every_name_is_refused) /* K3 */
{
    struct mcph_name_rules rules = {.naming = {.policy = MCPH_NAME_POLICY_CALLBACK},
                                    .server = "s"};

    ck_assert_int_eq(mcph_name_decide(&rules, "a", 1, &d), 0);
    ck_assert_int_eq(d.verdict, MCPH_NAME_REFUSED);
    ck_assert_str_eq(d.name, "no name function is set");
}
END_TEST

START_TEST(a_name_that_grows_too_long_is_not_given_to_the_name_function) /* K3 */
{
    char add[MCPH_NAME_TEXT_MAX + 1];

    memset(add, 'x', MCPH_NAME_TEXT_MAX);
    add[MCPH_NAME_TEXT_MAX] = '\0';
    for (int i = 0; i < 80; i++)
        step(MCPH_TRANSFORM_SUFFIX, add, NULL);
    ck_assert_int_eq(decide_asked("a", 1), MCPH_NAME_INVALID_TRANSFORMED);
    ck_assert_int_eq(d.rule, MCPH_NAME_RULE_LENGTH);
    ck_assert_int_eq((int)d.len, MCPH_NAME_SHOWN_MAX);
    ck_assert_int_eq(asked.n, 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "decide");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_playwright_example_comes_out_as_documented);
    tcase_add_test(tc, patterns_see_the_original_name);
    tcase_add_test(tc, an_invalid_original_is_refused_even_if_a_transform_would_mend_it);
    tcase_add_test(tc, a_transform_that_makes_a_bad_name_is_refused);
    tcase_add_test(tc, a_transform_that_leaves_an_empty_name_is_refused);
    tcase_add_test(tc, nothing_but_the_configured_transforms_changes_a_name);
    tcase_add_test(tc, an_invalid_name_is_invalid_before_it_is_blacklisted);
    tcase_add_test(tc, a_blacklisted_name_is_never_transformed);
    tcase_add_test(tc, a_bad_transformed_name_is_shown_on_one_clean_line);
    tcase_add_test(tc, a_name_that_grows_without_bound_is_too_long);
    tcase_add_test(tc, a_long_transformed_name_is_cut_between_characters);

    tc = test_case(suite, "full names");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, a_full_name_is_made_of_the_normalized_server_and_tool, 0,
                        (int)MCPH_ARRAY_SIZE(full));
    tcase_add_test(tc, an_original_with_control_characters_or_too_many_bytes_is_refused);
    tcase_add_test(tc, a_full_name_of_more_than_64_characters_is_refused_and_not_cut);
    tcase_add_test(tc, a_full_name_is_made_after_filter_and_transforms);

    tc = test_case(suite, "a function");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_name_function_gets_names_after_filter_and_transforms);
    tcase_add_test(tc, the_name_function_gets_any_name_that_is_one_line_of_text);
    tcase_add_test(tc, a_name_from_the_function_that_is_too_long_or_empty_is_refused);
    tcase_add_test(tc, the_name_function_can_refuse_with_a_reason);
    tcase_add_test(tc, without_a_function_every_name_is_refused);
    tcase_add_test(tc, a_name_that_grows_too_long_is_not_given_to_the_name_function);
}

int
main(void)
{
    return test_main("names-decide", add);
}
