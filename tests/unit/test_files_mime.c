/* SPDX-License-Identifier: MIT
 *
 * test_files_mime.c - MIME types of files, found by the extensions of their names (R158).
 */
#include <check.h>
#include <string.h>

#include "files/inner.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_workspace ws;
static struct files_mime *mime;

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    rig_workspace_write(&ws, "globs2",
                        "# a comment\n"
                        "80:application/x-first:*.Odd\n"
                        "50:application/x-second:*.odd\n"
                        "50:application/x-two:*.odd.gz\n"
                        "50:application/x-own:*.md\n"
                        "50:application/x-cased:*.C++:cs\n"
                        "50:text/x-makefile:makefile\n"
                        "50:text/x-glob:*.[ab]\n"
                        "50::*.none\n"
                        "nonsense\n"
                        "10:application/x-last:*.last");
    mime = mcph_files_mime_new(rig_workspace_path(&ws, "globs2"));
    ck_assert_ptr_nonnull(mime);
}

static void
down(void)
{
    mcph_files_mime_free(mime);
    rig_workspace_down(&ws);
}

/* R158 */
START_TEST(the_longest_known_extension_decides_the_type)
{
    static const struct {
        const char *name, *type;
    } rows[] = {
        {"a.md", "text/markdown"}, /* the library's types override types in files */
        {"a.odd", "application/x-first"},
        {"a.ODD", "application/x-first"},
        {"a.odd.gz", "application/x-two"},
        {"a.b.odd.gz", "application/x-two"},
        {"a.b.gz", "application/gzip"},
        {"a.c++", "application/x-cased"},
        {"a.last", "application/x-last"},
        {"makefile", NULL},
        {"a.makefile", NULL},
        {"a.a", NULL},
        {"a.none", NULL},
        {".odd", NULL},
        {"..odd", "application/x-first"},
        {"odd", NULL},
        {"a.", NULL},
        {"", NULL},
        {"a.0123456789012345678901234567890123456789", NULL},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        const char *type = mcph_files_mime_find(mime, rows[i].name);

        ck_assert_msg(mcph_streq(type, rows[i].type), "%s: %s", rows[i].name,
                      type ? type : "none");
    }
}
END_TEST

START_TEST(without_the_system_table_the_built_in_types_are_used)
{
    struct files_mime *own = mcph_files_mime_new("/nowhere/globs2");

    ck_assert_ptr_nonnull(own);
    ck_assert_str_eq(mcph_files_mime_find(own, "a.yml"), "application/yaml");
    ck_assert_ptr_null(mcph_files_mime_find(own, "a.odd"));
    mcph_files_mime_free(own);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "mime");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_longest_known_extension_decides_the_type);
    tcase_add_test(tc, without_the_system_table_the_built_in_types_are_used);
}

int
main(void)
{
    return test_main("files-mime", add_tests);
}
