/* SPDX-License-Identifier: MIT
 *
 * test_torture_uri.c - URI templates while memory runs out.
 *
 * Each function gives the usual result or fails with MCPHOST_E_NOMEM.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "torture/torture.h"

static const char text[] = "x://{a:2}/{+b}{/c*}{?d*,a}{;e,f}";
static const char values[] = "{\"a\":\"\\u00e9tude\",\"b\":\"p/q\",\"c\":[\"1\",\"2\"],"
                             "\"d\":{\"k\":\"v w\"},\"e\":[\"3\",\"4\"]}";
static const char uri[] = "x://%C3%A9t/p/q/1/2?k=v%20w&a=%C3%A9tude;e=3,4";

static int
check_templates(void)
{
    mcphost_error *err = NULL;
    char *names = NULL;
    int r = mcphost_template_check(text, strlen(text), &names, NULL, &err);

    torture_must((r == 0) == (names != NULL));
    if (names)
        torture_must(strcmp(names, "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]") == 0);
    mcphost_free(names);
    torture_told(r, err);
    return r;
}

static int
expand(void)
{
    mcphost_error *err = NULL;
    char *made = NULL;
    int r = mcphost_template_expand(text, strlen(text), values, strlen(values), &made,
                                    NULL, &err);

    torture_must((r == 0) == (made != NULL));
    if (made)
        torture_must(strcmp(made, uri) == 0);
    mcphost_free(made);
    torture_told(r, err);
    return r;
}

static int
match(void)
{
    mcphost_error *err = NULL;
    char *found = NULL;
    int r =
        mcphost_template_match(text, strlen(text), uri, strlen(uri), &found, NULL, &err);

    torture_must((r == 0) == (found != NULL));
    if (found)
        torture_must(strstr(found, "\"d\":{\"k\":\"v w\"}") != NULL);
    mcphost_free(found);
    torture_told(r, err);
    return r;
}

START_TEST(a_template_is_checked_or_fails_with_e_nomem) /* R156 */
{
    torture_run(&(struct torture){.run = check_templates, .least = 5}, _i);
}
END_TEST

START_TEST(a_template_is_expanded_or_fails_with_e_nomem) /* R156 */
{
    torture_run(&(struct torture){.run = expand, .least = 6}, _i);
}
END_TEST

START_TEST(a_uri_is_matched_or_fails_with_e_nomem) /* R156 */
{
    torture_run(&(struct torture){.run = match, .least = 12}, _i);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "templates");

    tcase_add_loop_test(tc, a_template_is_checked_or_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, a_template_is_expanded_or_fails_with_e_nomem, 0, 2);
    tcase_add_loop_test(tc, a_uri_is_matched_or_fails_with_e_nomem, 0, 2);
    tcase_set_timeout(tc, 60);
}

int
main(void)
{
    return torture_main("torture-uri", add);
}
