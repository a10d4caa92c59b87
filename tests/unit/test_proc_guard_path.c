/* SPDX-License-Identifier: MIT
 *
 * test_proc_guard_path.c - finding the guard (the program mcphost-guard) near a library
 * that was moved.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/proc.h"
#include "support/runner.h"

static char dir[64];

static const char *
at(const char *name)
{
    static char path[4][160];
    static int n;

    n = (n + 1) % 4;
    snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name);
    return path[n];
}

/* Makes a file and the directories above the file.  Returns the path of the file. */
static const char *
make(const char *name, mode_t mode)
{
    char *path = strdup(at(name));
    int fd;

    for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fchmod(fd, mode), 0);
    close(fd);
    free(path);
    return at(name);
}

static void
up(void)
{
    snprintf(dir, sizeof(dir), "/tmp/mcph-guard-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
down(void)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "/bin/rm -r %s", dir);
    ck_assert_int_eq(system(command), 0);
}

/* Checks that the search near `library` finds the guard `want`, or no guard if `want` is
 * NULL. */
static void
finds(const char *library, const char *want)
{
    char *path = (char *)"untouched";

    ck_assert_int_eq(mcph_guard_find_near(at(library), &path), 0);
    if (!want)
        ck_assert_msg(!path, "found %s", path);
    else
        ck_assert_str_eq(path ? path : "none", at(want));
    free(path);
}

START_TEST(the_places_near_the_library_have_an_order)
{
    make("p/lib/libmcphost.so.0", 0644);
    finds("p/lib/libmcphost.so.0", NULL);
    make("p/bin/mcphost-guard", 0755);
    finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    make("p/lib/mcphost-guard", 0755);
    finds("p/lib/libmcphost.so.0", "p/lib/mcphost-guard");
    make("p/libexec/mcphost-guard", 0755);
    finds("p/lib/libmcphost.so.0", "p/libexec/mcphost-guard");
}
END_TEST

START_TEST(a_directory_for_one_kind_of_machine_is_below_lib)
{
    make("p/lib/some-arch/libmcphost.so.0", 0644);
    make("p/lib64/some-arch/libmcphost.so.0", 0644);
    make("p/other/some-arch/libmcphost.so.0", 0644);
    make("p/libexec/mcphost-guard", 0755);
    finds("p/lib/some-arch/libmcphost.so.0", "p/libexec/mcphost-guard");
    finds("p/lib64/some-arch/libmcphost.so.0", "p/libexec/mcphost-guard");
    finds("p/other/some-arch/libmcphost.so.0", NULL);
}
END_TEST

START_TEST(files_that_others_may_have_made_are_skipped)
{
    make("p/lib/libmcphost.so.0", 0644);
    make("p/bin/mcphost-guard", 0755);
    make("p/libexec/mcphost-guard", 0757); /* other users may write the file */
    finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    make("p/libexec/mcphost-guard", 0644); /* the file is not executable */
    finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    ck_assert_int_eq(unlink(at("p/libexec/mcphost-guard")), 0);
    ck_assert_int_eq(symlink("/bin/true", at("p/libexec/mcphost-guard")), 0);
    finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    ck_assert_int_eq(unlink(at("p/libexec/mcphost-guard")), 0);
    make("p/libexec/mcphost-guard", 0755);
    ck_assert_int_eq(chmod(at("p/libexec"), 0777), 0);
    finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    ck_assert_int_eq(chmod(at("p/libexec"), 0755), 0);
    finds("p/lib/libmcphost.so.0", "p/libexec/mcphost-guard");
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(at("p/libexec/mcphost-guard"), 65534, 65534), 0);
        finds("p/lib/libmcphost.so.0", "p/bin/mcphost-guard");
    }
}
END_TEST

START_TEST(the_current_directory_and_path_are_not_searched)
{
    char *path = NULL;

    make("lib/libmcphost.so.0", 0644);
    make("lib/mcphost-guard", 0755);
    make("mcphost-guard", 0755);
    ck_assert_int_eq(chdir(dir), 0);
    ck_assert_int_eq(setenv("PATH", dir, 1), 0);
    ck_assert_int_eq(mcph_guard_find_near("lib/libmcphost.so.0", &path), 0);
    ck_assert_ptr_null(path);
    ck_assert_int_eq(mcph_guard_find("/nonexistent/mcphost-guard", &path), 0);
    ck_assert_str_eq(path, "/nonexistent/mcphost-guard");
    free(path);
}
END_TEST

START_TEST(the_installed_guard_is_preferred)
{
    char *path = NULL, *want = strdup(make("installed", 0644));

    ck_assert_int_eq(mcph_guard_find(want, &path), 0);
    ck_assert_str_eq(path, want);
    free(path);
    free(want);
}
END_TEST

START_TEST(the_file_of_the_library_is_this_program)
{
    char *file = NULL, own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

    ck_assert_int_gt(n, 0);
    own[n] = '\0';
    ck_assert_int_eq(mcph_library_file(&file), 0);
    ck_assert_str_eq(file, own);
    free(file);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "guard-path");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_places_near_the_library_have_an_order);
    tcase_add_test(tc, a_directory_for_one_kind_of_machine_is_below_lib);
    tcase_add_test(tc, files_that_others_may_have_made_are_skipped);
    tcase_add_test(tc, the_current_directory_and_path_are_not_searched);
    tcase_add_test(tc, the_installed_guard_is_preferred);
    tcase_add_test(tc, the_file_of_the_library_is_this_program);
}

int
main(void)
{
    return test_main("proc-guard-path", add);
}
