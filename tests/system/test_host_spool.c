/* SPDX-License-Identifier: MIT
 *
 * test_host_spool.c - results that are too large for memory.
 *
 * The host spools each result to a file without a name.  The host makes the items of a
 * dialog from this file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/httprig.h"

static struct hostrig hr;
static mcphost_dialog *d;
static char dir[200];

/* The bytes that the host has freed from files without a name.  `freed_at_once` is the
 * greatest number in one system call, and `freed` is the sum of all calls. */
static off_t freed_at_once, freed;

static void
note_freed(int fd, off_t left)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink > 0)
        return;
    freed += st.st_size - left;
    if (st.st_size - left > freed_at_once)
        freed_at_once = st.st_size - left;
}

int
ftruncate(int fd, off_t len)
{
    note_freed(fd, len);
    return (int)syscall(SYS_ftruncate, fd, len);
}

int
close(int fd)
{
    note_freed(fd, 0);
    return (int)syscall(SYS_close, fd);
}

static void
up(const char *spool_dir, int64_t spool_bytes)
{
    hr_up(&hr);
    hr_server(&hr, "a", "truely-stateless: true",
              "on call:big\n id-last\n text-bytes 3M\non call:add\n text small\n"
              "on call:slow\n id-last\n text-bytes 20M");
    hr_option(&hr, MCPHOST_OPT_MESSAGE_BYTES, 100000);
    hr_option(&hr, MCPHOST_OPT_SPOOL_BYTES, spool_bytes);
    snprintf(dir, sizeof(dir), "%s/%s", hr.ws.dir, spool_dir);
    ck_assert_int_eq(mcphost_set_spool_dir(hr.host, dir), 0);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
}

static void
expect_text(mcphost_call *call)
{
    const char *text;
    size_t len;

    ck_assert_int_eq(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len), 0);
    ck_assert_uint_eq(len, 3 << 20);
    ck_assert_int_eq(text[0], text[len - 1]);
}

START_TEST(a_result_over_the_memory_limit_is_delivered_whole)
{
    mcphost_call *call;

    up(".", 1 << 24);
    call = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    expect_text(call);
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
    hr_down(&hr);
}
END_TEST

START_TEST(the_spool_file_has_no_name)
{
    struct dirent *entry;
    mcphost_call *call;
    DIR *stream;

    up(".", 1 << 24);
    call = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    stream = opendir(hr.ws.dir);
    for (entry = readdir(stream); entry; entry = readdir(stream))
        ck_assert_ptr_null(strstr(entry->d_name, "mcphost-"));
    closedir(stream);
    hr_down(&hr);
}
END_TEST

/* hr_down() checks that no descriptor stays open. */
START_TEST(a_result_over_the_spool_limit_fails_only_its_call)
{
    mcphost_call *call;

    up(".", 1 << 20);
    call = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(hr_why(call), "server 'a'"));
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
    hr_down(&hr);
}
END_TEST

/* R21: the host frees a large file in more than one system call. */
START_TEST(a_discarded_spool_file_is_freed_in_steps)
{
    mcphost_call *call;

    up(".", 1 << 24);
    call = hr_start(&hr, d, "a_slow", "{}");
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
    while (freed < 15 << 20)
        ck_assert_int_eq(mcphost_wait(hr.host, 5000), 1);
    ck_assert_int_le(freed_at_once, 8 << 20);
    ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
    hr_down(&hr);
}
END_TEST

/* The last unref of the host frees the rest of the spool file.  hr_down_ended() checks
 * that no descriptor stays open. */
START_TEST(a_host_that_ends_frees_the_rest_of_a_discarded_file)
{
    up(".", 1 << 24);
    hr_start(&hr, d, "a_slow", "{}");
    while (freed == 0)
        ck_assert_int_eq(mcphost_wait(hr.host, 5000), 1);
    ck_assert_int_lt(freed, 15 << 20);
    hr.host = mcphost_unref(hr.host);
    ck_assert_int_gt(freed, 15 << 20);
    hr_down_ended(&hr);
}
END_TEST

START_TEST(without_a_spool_file_the_call_fails_and_the_connection_lives_on)
{
    mcphost_call *call;
    int64_t sizes[] = {1 << 24, 0};

    for (int i = 0; i < 2; i++) {
        up(i ? "." : "is/not/there", sizes[i]);
        call = hr_start(&hr, d, "a_big", "{}");
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
        ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
        hr_down(&hr);
    }
}
END_TEST

/* A limit of one megabyte for each file acts like a full disk. */
START_TEST(a_full_disk_fails_only_the_call_with_the_large_result)
{
    struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
    mcphost_call *call;

    up(".", 1 << 24);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int i = 0; i < 2; i++) {
        call = hr_start(&hr, d, "a_big", "{}");
        ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
        ck_assert_ptr_nonnull(strstr(hr_why(call), "server 'a'"));
        ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
    }
    limit.rlim_cur = RLIM_INFINITY;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    call = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    expect_text(call);
    hr_down(&hr);
}
END_TEST

START_TEST(a_spooled_result_becomes_an_artifact_that_is_read_at_any_offset)
{
    char store[220], path[400], part[10];
    mcphost_items *items = NULL;
    const char *json, *at;
    mcphost_call *call;
    size_t n;

    up(".", 1 << 24);
    snprintf(store, sizeof(store), "%s/store", hr.ws.dir);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, store, 0, NULL), 0);
    call = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, call), 0);
    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    json = mcphost_items_get_json(items, NULL);
    ck_assert_ptr_nonnull(strstr(json, "\"byteLength\":3145728"));
    at = strstr(json, "\"relPath\":\"") + 11;
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "\""), at);
    for (uint64_t offset = 0; offset < 3 << 20; offset += (3 << 19) - 5) {
        ck_assert_int_eq(mcphost_artifact_read(store, path, offset, part, 10, &n, NULL),
                         0);
        ck_assert_uint_eq(n, 10);
        ck_assert_int_eq(part[0], part[9]);
    }
    mcphost_items_unref(items);
    ck_assert_int_eq(mcphost_artifact_delete_all(store, NULL), 0);
    rmdir(store);
    hr_down(&hr);
}
END_TEST

START_TEST(the_spool_directory_can_be_set_only_before_the_load)
{
    up(".", 1 << 24);
    ck_assert_int_eq(mcphost_set_spool_dir(hr.host, "/tmp"), MCPHOST_E_STATE);
    ck_assert_int_eq(mcphost_set_spool_dir(hr.host, "here"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_set_spool_dir(NULL, "/tmp"), MCPHOST_E_INVALID);
    hr_down(&hr);
}
END_TEST

/* ---- over HTTP: a document, or an event of a stream -------------------------------- */

static const char *const replies[] = {"era legacy\nreply json", "era modern\nreply json",
                                      "era legacy\nreply sse", "era modern\nreply sse"};

START_TEST(over_http_a_result_over_the_memory_limit_is_delivered_whole)
{
    struct httprig web;
    mcphost_call *call;
    char script[200];

    snprintf(script, sizeof(script),
             "%s\non call:big\n text-bytes 3M\non call:add\n text small", replies[_i]);
    for (int i = 0; i < 2; i++) {
        hr_up(&hr);
        hr_http(&hr, &web, "a", "truely-stateless: true", script);
        hr_option(&hr, MCPHOST_OPT_MESSAGE_BYTES, 100000);
        hr_option(&hr, MCPHOST_OPT_SPOOL_BYTES, i ? 1 << 20 : 1 << 24);
        ck_assert_int_eq(mcphost_set_spool_dir(hr.host, hr.ws.dir), 0);
        hr_load(&hr);
        d = hr_dialog(&hr, "d");
        call = hr_start(&hr, d, "a_big", "{}");
        if (i) { /* the result is also over MCPHOST_OPT_SPOOL_BYTES */
            ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_LIMIT);
            ck_assert_ptr_nonnull(strstr(hr_why(call), "server 'a'"));
        } else {
            ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
            expect_text(call);
        }
        ck_assert_str_eq(hr_say(&hr, d, "a_add", "{}"), "small");
        hr_down(&hr);
    }
}
END_TEST

/* R21: one server cannot take all the memory for large results. */
START_TEST(held_results_of_one_server_are_limited_in_bytes)
{
    mcphost_call *first, *second;
    struct httprig web;

    hr_up(&hr);
    if (_i == 0)
        hr_server(&hr, "a", "truely-stateless: true", "on call:big\n text-bytes 3M");
    else
        hr_http(&hr, &web, "a", "truely-stateless: true", "on call:big\n text-bytes 3M");
    hr_option(&hr, MCPHOST_OPT_HELD_BYTES, 8 << 20);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    first = hr_start(&hr, d, "a_big", "{}");
    ck_assert_msg(hr_end(&hr, first) == 0, "%s", hr_why(first));
    second = hr_start(&hr, d, "a_big", "{}");
    ck_assert_int_eq(hr_end(&hr, second), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(hr_why(second), "MCPHOST_OPT_HELD_BYTES"));
    ck_assert_ptr_eq(hr.calls[0], first);
    hr.calls[0] = mcphost_call_unref(first);
    ck_assert_str_eq(hr_say(&hr, d, "a_echo", "{\"text\":\"x\"}"), "x");
    second = hr_start(&hr, d, "a_big", "{}");
    ck_assert_msg(hr_end(&hr, second) == 0, "%s", hr_why(second));
    expect_text(second);
    hr_down(&hr);
}
END_TEST

/* R21 */
START_TEST(a_server_at_its_limit_of_held_results_does_not_limit_others)
{
    static const char script[] = "on call:big\n text-bytes 1M";
    mcphost_call *call;
    struct httprig web;
    int r;

    hr_up(&hr);
    if (_i == 0)
        hr_server(&hr, "a", "truely-stateless: true", script);
    else
        hr_http(&hr, &web, "a", "truely-stateless: true", script);
    hr_server(&hr, "b", "truely-stateless: true", script);
    hr_option(&hr, MCPHOST_OPT_HELD_BYTES, 5 << 20);
    hr_load(&hr);
    d = hr_dialog(&hr, "d");
    do {
        call = hr_start(&hr, d, "a_big", "{}");
        r = hr_end(&hr, call);
    } while (r == 0);
    ck_assert_int_eq(r, MCPHOST_E_LIMIT);
    call = hr_start(&hr, d, "b_big", "{}");
    ck_assert_msg(hr_end(&hr, call) == 0, "%s", hr_why(call));
    hr_down(&hr);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "spool");

    tcase_add_test(tc, a_result_over_the_memory_limit_is_delivered_whole);
    tcase_add_test(tc, the_spool_file_has_no_name);
    tcase_add_test(tc, a_result_over_the_spool_limit_fails_only_its_call);
    tcase_add_test(tc, a_discarded_spool_file_is_freed_in_steps);
    tcase_add_test(tc, a_host_that_ends_frees_the_rest_of_a_discarded_file);
    tcase_add_test(tc, without_a_spool_file_the_call_fails_and_the_connection_lives_on);
    tcase_add_test(tc, a_full_disk_fails_only_the_call_with_the_large_result);
    tcase_add_test(tc, a_spooled_result_becomes_an_artifact_that_is_read_at_any_offset);
    tcase_add_test(tc, the_spool_directory_can_be_set_only_before_the_load);
    tcase_add_loop_test(tc, held_results_of_one_server_are_limited_in_bytes, 0, 2);
    tcase_add_loop_test(tc, a_server_at_its_limit_of_held_results_does_not_limit_others,
                        0, 2);
    tc = test_case(suite, "http");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, over_http_a_result_over_the_memory_limit_is_delivered_whole,
                        0, sizeof(replies) / sizeof(replies[0]));
}

int
main(void)
{
    return test_main("host-spool", add);
}
