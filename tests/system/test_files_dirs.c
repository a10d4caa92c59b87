/* SPDX-License-Identifier: MIT
 *
 * test_files_dirs.c - the provider `files` in a host: lists of directories (R156, R159).
 */
#include <dirent.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "base/base.h"
#include "support/filesrig.h"
#include "support/instrumented.h"

/* R159 */
START_TEST(a_directory_is_a_sorted_list_of_names_and_uris)
{
    fr_mkdir("z");
    fr_mkdir("a");
    fr_write("b.md", "x");
    fr_write("B.md", "x");
    fr_load("");
    ck_assert_str_eq(fr_text("dir://"),
                     "{\"current_directory\":\"/\",\"files\":["
                     "{\"name\":\"B.md\",\"uri\":\"file://B.md\"},"
                     "{\"name\":\"b.md\",\"uri\":\"file://b.md\"}],\"directories\":["
                     "{\"name\":\"a\",\"uri\":\"dir://a\"},"
                     "{\"name\":\"z\",\"uri\":\"dir://z\"}]}");
    ck_assert_str_eq(fr_get("mimeType"), "inode/directory");
    ck_assert_str_eq(fr_text("dir://a"),
                     "{\"current_directory\":\"a\",\"files\":[],\"directories\":[]}");
    fr_mkdir("a/c");
    fr_write("a/c/f", "x");
    ck_assert_str_eq(fr_text("dir://a/c"),
                     "{\"current_directory\":\"a/c\",\"files\":["
                     "{\"name\":\"f\",\"uri\":\"file://a/c/f\"}],\"directories\":[]}");
}
END_TEST

START_TEST(entries_that_cannot_be_read_are_not_listed)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", fr_path("s.md"));
    ck_assert_int_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    close(sock);
    ck_assert_int_eq(mkfifo(fr_path("f.md"), 0600), 0);
    ck_assert_int_eq(symlink("..", fr_path("l.md")), 0);
    fr_write("c.json", "x");
    fr_write("d.Md", "x");
    fr_mkdir("e");
    fr_load(", allowed_extensions: [md]");
    ck_assert_str_eq(fr_text("dir://"),
                     "{\"current_directory\":\"/\",\"files\":["
                     "{\"name\":\"d.Md\",\"uri\":\"file://d.Md\"}],\"directories\":["
                     "{\"name\":\"e\",\"uri\":\"dir://e\"}]}");
}
END_TEST

/* Names with unusual bytes.  A file with any of these names can be read by its listed
 * URI. */
static const char *const names[] = {
    "a b",
    "a%20b",
    "a%2Fb",
    "a?b",
    "a#b",
    "a\\b",
    "..a",
    "...",
    "a\"b",
    "a\nb",
    "\x01",
    "\xff\xfe",
    "a\xe2\x82",
    "\xc0\xae\xc0\xae",
    "\xc3\xa4",
    "%",
    "a&b=c+d",
    "{path}",
    "~",
    "-",
    "a'b(c)*!,;:@",
    "\xef\xbc\x8e\xef\xbc\x8e",
    "?after=x",
    " ",
    "trailing.",
    "trailing ",
};

START_TEST(each_name_can_be_read_by_its_listed_uri)
{
    size_t n = MCPH_ARRAY_SIZE(names);
    json_t *page, *entry;
    size_t i;

    fr_mkdir("d%41 \xff");
    for (i = 0; i < n; i++) {
        char path[300], content[16];

        snprintf(path, sizeof(path), "d%%41 \xff/%s", names[i]);
        snprintf(content, sizeof(content), "%zu", i);
        fr_write(path, content);
    }
    fr_load("");
    page = fr_dir("dir://");
    entry = json_array_get(json_object_get(page, "directories"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(entry, "name")),
                     "d%41 \xef\xbf\xbd");
    ck_assert_str_eq(json_string_value(json_object_get(entry, "uri")),
                     "dir://d%2541%20%FF");
    json_decref(page);
    page = fr_dir("dir://d%2541%20%FF");
    ck_assert_uint_eq(json_array_size(json_object_get(page, "files")), n);
    json_array_foreach(json_object_get(page, "files"), i, entry)
    {
        const char *uri = json_string_value(json_object_get(entry, "uri"));
        const char *shown = json_string_value(json_object_get(entry, "name"));
        unsigned long which = strtoul(fr_text(uri), NULL, 10);

        ck_assert_uint_lt(which, n);
        if (!strpbrk(names[which], "\xff\xc0\xe2"))
            ck_assert_str_eq(shown, names[which]);
    }
    json_decref(page);
}
END_TEST

/* ---- pages ------------------------------------------------------------------------- */

static void
make_files(const char *dir, int n)
{
    char name[64];

    for (int i = 0; i < n; i++) {
        int fd;

        snprintf(name, sizeof(name), "%s/f%06d", dir, (int)((i * 7919ll) % n));
        fd = open(fr_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ck_assert_int_ge(fd, 0);
        close(fd);
    }
}

/* Reads all pages from `uri` on.  Checks that the names differ and are in order.  Returns
 * the number of names, and the number of pages in *ret_pages. */
static size_t
count_pages(const char *uri, size_t *ret_pages)
{
    char last[64] = "", at[256];
    size_t n = 0, i;

    snprintf(at, sizeof(at), "%s", uri);
    *ret_pages = 0;
    for (;;) {
        json_t *page = fr_dir(at), *entry;
        const char *next = json_string_value(json_object_get(page, "next"));

        ++*ret_pages;
        json_array_foreach(json_object_get(page, "files"), i, entry)
        {
            const char *name = json_string_value(json_object_get(entry, "name"));

            ck_assert_int_gt(strcmp(name, last), 0);
            snprintf(last, sizeof(last), "%s", name);
            n++;
        }
        ck_assert_uint_le(i, 1000);
        if (next)
            snprintf(at, sizeof(at), "%s", next);
        json_decref(page);
        if (!next)
            return n;
    }
}

START_TEST(a_directory_of_over_1000_names_has_pages)
{
    size_t pages;
    json_t *page;

    fr_mkdir("big");
    make_files("big", 2500);
    fr_load("");
    page = fr_dir("dir://big");
    ck_assert_str_eq(json_string_value(json_object_get(page, "next")),
                     "dir://big?after=f000999");
    json_decref(page);
    ck_assert_uint_eq(count_pages("dir://big", &pages), 2500);
    ck_assert_uint_eq(pages, 3);
    /* No empty page follows a full last page. */
    for (int i = 2000; i < 2500; i++) {
        char name[64];

        snprintf(name, sizeof(name), "big/f%06d", i);
        unlink(fr_path(name));
    }
    ck_assert_uint_eq(count_pages("dir://big", &pages), 2000);
    ck_assert_uint_eq(pages, 2);
    ck_assert_int_eq(fr_read("dir://big?after=a/b"), FR_INVALID);
    ck_assert_int_eq(fr_read("dir://?after=x"), 0);
}
END_TEST

/* A page begins after the name in its URI, even if a file of this name no longer
 * exists. */
START_TEST(a_deleted_name_does_not_shift_later_pages)
{
    size_t pages;

    fr_mkdir("big");
    make_files("big", 1500);
    fr_load("");
    for (int i = 500; i < 1000; i++) {
        char name[64];

        snprintf(name, sizeof(name), "big/f%06d", i);
        unlink(fr_path(name));
    }
    ck_assert_uint_eq(count_pages("dir://big?after=f000999", &pages), 500);
    ck_assert_uint_eq(count_pages("dir://big?after=f000700", &pages), 500);
}
END_TEST

static int64_t
now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Puts the base directory into /dev/shm if /dev/shm exists.  Making 100,000 files in
 * /dev/shm takes only a second. */
static void
use_memory(void)
{
    char dir[] = "/dev/shm/mcphost-test.XXXXXX", options[128];

    if (!mkdtemp(dir)) {
        fr_load("");
        return;
    }
    snprintf(fr_base, sizeof(fr_base), "%s", dir);
    snprintf(options, sizeof(options),
             "a:\n  provider: files\n  options: {base_dir: %s}\n", dir);
    hr_entry(&hr, options);
    hr_load(&hr);
    hr_loaded(&hr, "a");
}

static void
clear_memory(void)
{
    DIR *dir = opendir(fr_path("huge"));
    const struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    (void)rmdir(fr_path("huge"));
    (void)rmdir(fr_base);
}

/* The test measures a dispatcher turn in processor time, so that a busy machine adds
 * nothing to the result. */
START_TEST(a_huge_directory_costs_short_turns_and_little_memory)
{
    int64_t longest = 0, begin;
    mcphost_call *call;
    size_t pages;
    long before;
    int turns = 0;

    use_memory();
    fr_mkdir("huge");
    make_files("huge", 100000);
    ck_assert_int_eq(fr_read("dir://huge"), 0);
    before = rig_anon_kib();
    call = fr_start("dir://huge?after=f050000");
    while (!mcphost_call_is_done(call)) {
        begin = now_us();
        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
        begin = now_us() - begin;
        longest = begin > longest ? begin : longest;
        turns++;
    }
    ck_assert_int_eq(fr_end(call), 0);
    ck_assert_int_gt(turns, 20);
    printf("100,000 names: %d turns, the longest took %lld us\n", turns,
           (long long)longest);
    if (!INSTRUMENTED) {
        ck_assert_int_lt(longest, 5000);
        ck_assert_int_lt(rig_anon_kib() - before, 4096);
    }
    ck_assert_uint_eq(count_pages("dir://huge?after=f096999", &pages), 3000);
    ck_assert_uint_eq(pages, 3);
    clear_memory();
}
END_TEST

/* Reads `uri` to its end.  Returns the longest dispatcher turn in us. */
static int64_t
longest_turn(const char *uri)
{
    mcphost_call *call = fr_start(uri);
    int64_t longest = 0;

    while (!mcphost_call_is_done(call)) {
        int64_t begin = now_us();

        ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
        begin = now_us() - begin;
        longest = begin > longest ? begin : longest;
    }
    ck_assert_int_eq(fr_end(call), 0);
    return longest;
}

/* The limits of the longest turn are high, because the end of a read delivers the whole
 * content in one turn of the dispatcher.  The answer of a server arrives in one turn,
 * too. */
START_TEST(large_files_are_read_in_steps)
{
    static const struct {
        const char *name, *line;
        size_t size;
        int64_t most_us;
    } rows[] = {
        {"f.txt", "some words and a \"quote\"\n", 10000000, 60000},
        {"f.bin", "\xff\xfe\xfd", 10000000, 60000},
        {"f.json", " ", 1000000, 30000},
        {"f.yaml", "- {a: 1, b: [x, y]}\n", 32000, 30000},
    };
    char *text = malloc(10000000);

    ck_assert_ptr_nonnull(text);
    fr_load("");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        size_t len = strlen(rows[i].line), n = rows[i].size / len * len;
        char uri[32];
        int64_t us;

        for (size_t at = 0; at < n; at += len)
            memcpy(text + at, rows[i].line, len);
        if (i == 2)
            memcpy(text, "[]", 2);
        fr_write_bytes(rows[i].name, text, n);
        snprintf(uri, sizeof(uri), "file://%s", rows[i].name);
        us = longest_turn(uri);
        printf("%s, %zu bytes: the longest turn took %lld us\n", rows[i].name, n,
               (long long)us);
        if (!INSTRUMENTED)
            ck_assert_int_lt(us, rows[i].most_us);
    }
    free(text);
}
END_TEST

/* ---- many at once ------------------------------------------------------------------ */

/* The test starts more reads than the provider carries out at the same time.  During the
 * reads, the host must have fewer than 40 more descriptors than before. */
START_TEST(many_reads_at_once_are_all_answered)
{
    mcphost_call *calls[200];
    char *big = malloc(100000);
    int most = 0;

    ck_assert_ptr_nonnull(big);
    memset(big, 'x', 100000);
    fr_write_bytes("f", big, 100000);
    free(big);
    fr_load("");
    for (int i = 0; i < 200; i++)
        calls[i] = fr_start(i % 2 ? "file://f" : "dir://");
    for (int i = 0; i < 20; i++) {
        int fds;

        (void)mcphost_dispatch(hr.host);
        fds = rig_census_take().fds;
        most = fds > most ? fds : most;
    }
    ck_assert_int_lt(most, hr.before.fds + 40);
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(fr_end(calls[i]), 0);
}
END_TEST

START_TEST(a_read_that_is_cancelled_ends)
{
    mcphost_call *call;

    fr_mkdir("big");
    make_files("big", 4000);
    fr_load("");
    call = fr_start("dir://big");
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    ck_assert_int_eq(mcphost_call_cancel(call), 0);
    ck_assert_int_eq(hr_end(&hr, call), MCPHOST_E_CANCELLED);
    mcphost_call_unref(call);
    ck_assert_int_eq(fr_read("dir://"), 0);
}
END_TEST

/* The end of the host closes the descriptors of reads. */
START_TEST(a_host_that_ends_during_reads_leaks_nothing)
{
    mcphost_call *calls[40];

    fr_mkdir("big");
    make_files("big", 4000);
    fr_load("");
    for (int i = 0; i < 40; i++)
        calls[i] = fr_start("dir://big");
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    for (int i = 0; i < 40; i++)
        mcphost_call_unref(calls[i]);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "dirs");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_test(tc, a_directory_is_a_sorted_list_of_names_and_uris);
    tcase_add_test(tc, entries_that_cannot_be_read_are_not_listed);
    tcase_add_test(tc, each_name_can_be_read_by_its_listed_uri);
    tcase_add_test(tc, a_directory_of_over_1000_names_has_pages);
    tcase_add_test(tc, a_deleted_name_does_not_shift_later_pages);
    tcase_add_test(tc, many_reads_at_once_are_all_answered);
    tcase_add_test(tc, a_read_that_is_cancelled_ends);
    tcase_add_test(tc, a_host_that_ends_during_reads_leaks_nothing);
    tc = test_case(suite, "huge");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_test(tc, large_files_are_read_in_steps);
    tcase_add_test(tc, a_huge_directory_costs_short_turns_and_little_memory);
}

int
main(void)
{
    return test_main("files-dirs", add_tests);
}
