/* SPDX-License-Identifier: MIT
 *
 * test_proc_path.c - finding the program that a command names.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/proc.h"
#include "support/runner.h"

/* The directory of the tests.  dir/a/prog, dir/b/prog and dir/b/only-b are executable
 * files.  dir/c/prog is a file that is not executable.  dir/d/prog is a directory. */
static char dir[64];
static const char *const files[] = {"a/prog", "b/prog", "c/prog", "b/only-b"};

static char *
at(const char *name)
{
    static char path[4][128];
    static int n;

    n = (n + 1) % 4;
    snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name);
    return path[n];
}

static void
up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcph-path-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chdir(dir), 0);
    for (const char *d = "abcd"; *d; d++)
        ck_assert_int_eq(mkdir((char[]){*d, '\0'}, 0755), 0);
    ck_assert_int_eq(mkdir("d/prog", 0755), 0);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(files); i++) {
        int fd = open(files[i], O_WRONLY | O_CREAT, files[i][0] == 'c' ? 0644 : 0755);

        ck_assert_int_ge(fd, 0);
        close(fd);
    }
}

static void
down(void)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(files); i++)
        unlink(at(files[i]));
    rmdir(at("d/prog"));
    for (const char *d = "abcd"; *d; d++)
        rmdir(at((char[]){*d, '\0'}));
    rmdir(dir);
}

static void
finds(const char *command, const char *path, const char *cwd, const char *want)
{
    char *file = NULL;
    struct stat a, b;

    ck_assert_int_eq(mcph_proc_resolve(command, path, cwd, &file, NULL), 0);
    ck_assert_int_eq(file[0], '/');
    ck_assert_int_eq(stat(file, &a), 0);
    ck_assert_int_eq(stat(at(want), &b), 0);
    if (a.st_ino != b.st_ino)
        ck_abort_msg("'%s' is not '%s'", file, want);
    free(file);
}

static void
fails(const char *command, const char *path, const char *cwd, int sys_errno,
      const char *part)
{
    char *file = (char *)"untouched";
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcph_proc_resolve(command, path, cwd, &file, &err), MCPHOST_E_SPAWN);
    ck_assert_str_eq(file, "untouched");
    ck_assert_int_eq(mcphost_error_get_errno(err), sys_errno);
    if (!strstr(mcphost_error_get_message(err), part) ||
        !strstr(mcphost_error_get_message(err), command))
        ck_abort_msg("%s", mcphost_error_get_message(err));
    mcphost_error_unref(err);
}

/* R19 */
START_TEST(the_first_directory_of_the_given_path_wins)
{
    char path[256];

    snprintf(path, sizeof(path), "/nonexistent:%s:%s", at("b"), at("a"));
    finds("prog", path, NULL, "b/prog");
    snprintf(path, sizeof(path), "%s:%s", at("a"), at("b"));
    finds("prog", path, NULL, "a/prog");
    finds("only-b", path, NULL, "b/only-b");
}
END_TEST

START_TEST(directories_and_files_that_may_not_be_executed_are_skipped)
{
    char path[256];

    snprintf(path, sizeof(path), "%s:%s:%s", at("c"), at("d"), at("a"));
    finds("prog", path, NULL, "a/prog");
}
END_TEST

START_TEST(relative_and_empty_entries_start_at_the_childs_directory)
{
    finds("prog", "a", dir, "a/prog");
    finds("prog", "/nonexistent:", at("b"), "b/prog");
    finds("prog", "", at("b"), "b/prog");
    finds("prog", "../b", "a", "b/prog"); /* the cwd `a` is relative to the test's cwd */
    finds("prog", "a", NULL, "a/prog");
}
END_TEST

START_TEST(a_command_with_a_slash_is_not_searched)
{
    finds(at("a/prog"), "/bin", NULL, "a/prog");
    finds("./prog", at("a"), at("b"), "b/prog");
    finds("b/prog", at("a"), NULL, "b/prog");
    fails("./only-b", at("b"), at("a"), ENOENT, at("a"));
    fails("c/prog", at("a"), dir, EACCES, "may not be executed");
    fails("d/prog", at("a"), dir, EISDIR, "may not be executed");
}
END_TEST

START_TEST(a_program_that_is_not_found_is_reported_with_the_path)
{
    fails("no-such", "/nonexistent:/bin", NULL, ENOENT,
          "not found in PATH '/nonexistent:/bin'");
}
END_TEST

START_TEST(a_program_that_may_not_be_executed_is_reported_with_its_place)
{
    char path[256];

    snprintf(path, sizeof(path), "/nonexistent:%s", at("c"));
    fails("prog", path, NULL, EACCES, at("c"));
}
END_TEST

START_TEST(without_a_path_the_usual_directories_are_searched)
{
    char *file = NULL;

    ck_assert_int_eq(mcph_proc_resolve("sh", NULL, NULL, &file, NULL), 0);
    ck_assert_ptr_nonnull(strstr(file, "/bin/sh"));
    free(file);
}
END_TEST

START_TEST(the_path_variable_of_our_process_is_not_used)
{
    setenv("PATH", at("a"), 1);
    fails("prog", "/bin", NULL, ENOENT, "not found");
    finds("prog", at("b"), NULL, "b/prog");
}
END_TEST

START_TEST(an_empty_command_is_invalid)
{
    char *file = NULL;

    ck_assert_int_eq(mcph_proc_resolve("", "/bin", NULL, &file, NULL), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_proc_resolve(NULL, "/bin", NULL, &file, NULL),
                     MCPHOST_E_INVALID);
}
END_TEST

START_TEST(a_very_long_path_is_cut_in_the_message)
{
    char path[5000];
    char *file = NULL;
    mcphost_error *err = NULL;

    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    ck_assert_int_eq(mcph_proc_resolve("prog", path, NULL, &file, &err), MCPHOST_E_SPAWN);
    ck_assert_uint_lt(strlen(mcphost_error_get_message(err)), 500);
    mcphost_error_unref(err);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "path");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_first_directory_of_the_given_path_wins);
    tcase_add_test(tc, directories_and_files_that_may_not_be_executed_are_skipped);
    tcase_add_test(tc, relative_and_empty_entries_start_at_the_childs_directory);
    tcase_add_test(tc, a_command_with_a_slash_is_not_searched);
    tcase_add_test(tc, a_program_that_is_not_found_is_reported_with_the_path);
    tcase_add_test(tc, a_program_that_may_not_be_executed_is_reported_with_its_place);
    tcase_add_test(tc, without_a_path_the_usual_directories_are_searched);
    tcase_add_test(tc, the_path_variable_of_our_process_is_not_used);
    tcase_add_test(tc, an_empty_command_is_invalid);
    tcase_add_test(tc, a_very_long_path_is_cut_in_the_message);
}

int
main(void)
{
    return test_main("proc-path", add);
}
