/* SPDX-License-Identifier: MIT
 *
 * test_ctl_cache.c - the file in which mcphostctl keeps the eras of servers between runs.
 *
 * Only the user of mcphostctl can read the file.  No state of the file makes a command
 * fail.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define CACHED "cache/mcphost/verdicts.json"

static struct ctl_place place;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_place_down(&place);
}

static void
run_servers(void)
{
    struct ctl_run run;

    ctl_run(&run, &place, "servers", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
}

static unsigned
mode_of(const char *name)
{
    struct stat st;

    ck_assert_int_eq(lstat(rig_workspace_path(&place.ws, name), &st), 0);
    return st.st_mode & 07777;
}

static json_t *
cached(void)
{
    json_t *json = json_load_file(rig_workspace_path(&place.ws, CACHED), 0, NULL);

    ck_assert_ptr_nonnull(json);
    return json;
}

static size_t
count_verdicts(void)
{
    json_t *json = cached();
    size_t n =
        json_array_size(json_object_get(json_object_get(json, "verdicts"), "verdicts"));

    json_decref(json);
    return n;
}

START_TEST(only_the_user_can_read_the_cached_eras)
{
    run_servers();
    ck_assert_uint_eq(mode_of("cache/mcphost"), 0700);
    ck_assert_uint_eq(mode_of(CACHED), 0600);
    ck_assert_uint_eq(count_verdicts(), 2);
}
END_TEST

START_TEST(the_cache_does_not_contain_the_servers_command)
{
    char *text;

    run_servers();
    text = rig_workspace_read(&place.ws, CACHED);
    ck_assert_ptr_null(strstr(text, "demo-server"));
    free(text);
}
END_TEST

START_TEST(a_second_run_uses_the_same_salt)
{
    json_t *first, *second;

    run_servers();
    first = cached();
    run_servers();
    second = cached();
    ck_assert_uint_eq(strlen(ctl_string(first, "salt")), 64);
    ck_assert_str_eq(ctl_string(first, "salt"), ctl_string(second, "salt"));
    json_decref(first);
    json_decref(second);
}
END_TEST

START_TEST(a_broken_file_is_replaced)
{
    static const char *const broken[] = {
        "",
        "{",
        "[]",
        "{\"format\":2}",
        "{\"format\":1,\"salt\":\"xyz\",\"verdicts\":{}}",
        "\x01\xff",
    };

    run_servers();
    rig_workspace_write(&place.ws, CACHED, "%s", broken[_i]);
    run_servers();
    ck_assert_uint_eq(count_verdicts(), 2);
    ck_assert_uint_eq(mode_of(CACHED), 0600);
}
END_TEST

START_TEST(a_file_that_others_can_read_is_replaced)
{
    json_t *json;
    char *salt;

    run_servers();
    json = cached();
    salt = strdup(ctl_string(json, "salt"));
    json_decref(json);
    ck_assert_int_eq(chmod(rig_workspace_path(&place.ws, CACHED), 0644), 0);
    run_servers();
    json = cached();
    ck_assert_str_ne(ctl_string(json, "salt"), salt);
    ck_assert_uint_eq(mode_of(CACHED), 0600);
    json_decref(json);
    free(salt);
}
END_TEST

START_TEST(a_symbolic_link_in_place_of_the_cache_is_not_followed)
{
    run_servers();
    ck_assert_int_eq(unlink(rig_workspace_path(&place.ws, CACHED)), 0);
    rig_workspace_write(&place.ws, "elsewhere", "mine");
    ck_assert_int_eq(symlink(rig_workspace_path(&place.ws, "elsewhere"),
                             rig_workspace_path(&place.ws, CACHED)),
                     0);
    run_servers();
    ck_assert_int_eq(rig_workspace_count(&place.ws, "elsewhere", "mine"), 1);
    ck_assert_uint_eq(count_verdicts(), 2);
}
END_TEST

START_TEST(a_cache_directory_that_others_can_write_gets_mode_0700)
{
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "cache"), 0755), 0);
    ck_assert_int_eq(mkdir(rig_workspace_path(&place.ws, "cache/mcphost"), 0755), 0);
    ck_assert_int_eq(chmod(rig_workspace_path(&place.ws, "cache/mcphost"), 0777), 0);
    run_servers();
    ck_assert_uint_eq(mode_of("cache/mcphost"), 0700);
}
END_TEST

START_TEST(without_a_cache_directory_nothing_is_kept_and_nothing_fails)
{
    rig_workspace_write(&place.ws, "cache", "a file where a directory should be");
    run_servers();
    ck_assert_int_eq(rig_workspace_count(&place.ws, "cache", "should be"), 1);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "cache");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, only_the_user_can_read_the_cached_eras);
    tcase_add_test(tc, the_cache_does_not_contain_the_servers_command);
    tcase_add_test(tc, a_second_run_uses_the_same_salt);
    tcase_add_loop_test(tc, a_broken_file_is_replaced, 0, 6);
    tcase_add_test(tc, a_file_that_others_can_read_is_replaced);
    tcase_add_test(tc, a_symbolic_link_in_place_of_the_cache_is_not_followed);
    tcase_add_test(tc, a_cache_directory_that_others_can_write_gets_mode_0700);
    tcase_add_test(tc, without_a_cache_directory_nothing_is_kept_and_nothing_fails);
}

int
main(void)
{
    return test_main("ctl-cache", add);
}
