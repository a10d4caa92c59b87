/* SPDX-License-Identifier: MIT
 *
 * test_files.c - the provider `files` in a host: reading files, their types, parsed
 * values and limits (R156-R158, R161).
 */
#include <limits.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/base.h"
#include "support/filesrig.h"

/* ---- contents ---------------------------------------------------------------------- */

/* R156 R157 */
START_TEST(a_file_is_read_by_its_uri)
{
    fr_mkdir("docs");
    fr_mkdir("docs/deep");
    fr_write("docs/deep/a.md", "# Hi\n\"there\"\n");
    fr_load("");
    ck_assert_str_eq(fr_text("file://docs/deep/a.md"), "# Hi\n\"there\"\n");
    ck_assert_str_eq(fr_get("mimeType"), "text/markdown");
    ck_assert_ptr_null(json_object_get(fr_result, "blob"));
}
END_TEST

/* R158 */
START_TEST(types_follow_extensions)
{
    static const struct {
        const char *name, *bytes, *type;
    } rows[] = {
        {"a.md", "x", "text/markdown"},
        {"a.MD", "x", "text/markdown"},
        {"a.json", "{", "application/json"},
        {"a.yaml", ":", "application/yaml"},
        {"a.b.yml", ":", "application/yaml"},
        {"a.unheard-of", "x", "text/plain"},
        {"a.unheard-of2", "\xff", "application/octet-stream"},
        {"README", "x", "text/plain"},
        {".md", "x", "text/plain"},
        {"a.", "", "text/plain"},
        {"a.png", "\x89PNG", "image/png"},
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++)
        fr_write(rows[i].name, rows[i].bytes);
    fr_load("");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        char uri[64];

        snprintf(uri, sizeof(uri), "file://%s", rows[i].name);
        ck_assert_int_eq(fr_read(uri), 0);
        ck_assert_msg(strcmp(fr_get("mimeType"), rows[i].type) == 0, "%s: %s",
                      rows[i].name, fr_get("mimeType"));
    }
}
END_TEST

/* R161 */
START_TEST(bytes_that_are_not_text_are_returned_as_a_blob)
{
    fr_write_bytes("a.bin", "\0\1\2\xff", 4);
    fr_write_bytes("nul.txt", "a\0b", 3);
    fr_write_bytes("cut.txt", "a\xe2\x82", 3);
    fr_load("");
    ck_assert_int_eq(fr_read("file://a.bin"), 0);
    ck_assert_str_eq(fr_get("blob"), "AAEC/w==");
    ck_assert_ptr_null(json_object_get(fr_result, "text"));
    ck_assert_int_eq(fr_read("file://nul.txt"), 0);
    ck_assert_str_eq(fr_get("blob"), "YQBi");
    ck_assert_int_eq(fr_read("file://cut.txt"), 0);
    ck_assert_str_eq(fr_get("blob"), "YeKC");
}
END_TEST

/* If the provider reads blocks of 2^n bytes, some blocks end within a character, because
 * most of the characters have three bytes. */
START_TEST(a_large_text_is_read_completely)
{
    size_t n = 1000003;
    char *text = malloc(3 * n + 2);

    ck_assert_ptr_nonnull(text);
    text[0] = 'x';
    for (size_t i = 0; i < n; i++)
        memcpy(text + 1 + 3 * i, i % 7 ? "\xe2\x82\xac" : "a\"\n", 3);
    text[3 * n + 1] = '\0';
    fr_write("big.txt", text);
    fr_load("");
    ck_assert(strcmp(fr_text("file://big.txt"), text) == 0);
    free(text);
}
END_TEST

START_TEST(a_large_blob_is_read_completely)
{
    size_t n = 1000001, got = 0, end = 0;
    unsigned char *bytes = malloc(n), *back = malloc(MCPH_BASE64_ROOM(2 * n));
    struct mcph_base64 b64;
    const char *blob;

    ck_assert(bytes && back);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    fr_write_bytes("big", bytes, n);
    fr_load("");
    ck_assert_int_eq(fr_read("file://big"), 0);
    blob = fr_get("blob");
    mcph_base64_init(&b64);
    ck_assert_int_eq(mcph_base64_feed(&b64, blob, strlen(blob), back, &got), 0);
    ck_assert_int_eq(mcph_base64_end(&b64, back + got, &end), 0);
    ck_assert_uint_eq(got + end, n);
    ck_assert_int_eq(memcmp(back, bytes, n), 0);
    free(bytes);
    free(back);
}
END_TEST

/* The provider returns a blob, because each byte of the text takes six bytes in JSON. */
START_TEST(a_text_that_is_too_long_as_json_is_returned_as_a_blob)
{
    size_t n = 6 * 1024 * 1024;
    char *text = malloc(n + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, 1, n);
    text[n] = '\0';
    fr_write("odd.txt", text);
    free(text);
    fr_load("");
    ck_assert_int_eq(fr_read("file://odd.txt"), 0);
    ck_assert_uint_eq(strlen(fr_get("blob")), n / 3 * 4);
    ck_assert_str_eq(fr_get("mimeType"), "text/plain");
}
END_TEST

/* ---- parsed values ----------------------------------------------------------------- */

static const struct {
    const char *name, *text, *value; /* `value` is the parsed value; NULL means none */
} values[] = {
    {"a.json", "{\"a\": [1,\n 2.50, 1E3]}", "{\"a\": [1,  2.50, 1E3]}"},
    {"b.json", "{\"a\":", NULL},
    {"c.yaml", "a: [1, 0x10, true, ~, .5, x]\nb: {c: .inf}\n",
     "{\"a\":[1,16,true,null,0.5,\"x\"],\"b\":{\"c\":\".inf\"}}"},
    {"d.yml", "- &x {k: v}\n- *x\n", "[{\"k\":\"v\"},{\"k\":\"v\"}]"},
    {"e.yaml", "", "null"},
    {"f.yaml", "a: b: c", NULL},
    {"g.yaml", "--- 1\n--- 2\n", NULL},
    {"h.md", "{}", NULL},
    {"i.yaml",
     "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n"
     "e: [*d,*d,*d,*d,*d,*d,*d,*d]\n",
     NULL},
};

/* B.29: the result has the text and, if the text is valid JSON or YAML, the parsed value.
 * i.yaml has no parsed value, because its aliases expand to more nodes than the parser
 * allows. */
START_TEST(json_and_yaml_get_a_parsed_value_beside_the_text)
{
    char uri[64];
    const char *json;
    mcphost_call *call;

    fr_write(values[_i].name, values[_i].text);
    fr_load("");
    snprintf(uri, sizeof(uri), "file://%s", values[_i].name);
    ck_assert_str_eq(fr_text(uri), values[_i].text);
    call = fr_start(uri);
    ck_assert_int_eq(hr_end(&hr, call), 0);
    json = strstr(mcphost_result_get_json(mcphost_call_get_result(call), NULL),
                  ",\"parsed\":");
    if (values[_i].value) {
        ck_assert_ptr_nonnull(json);
        ck_assert_msg(strncmp(json + 10, values[_i].value, strlen(values[_i].value)) == 0,
                      "%s", json);
        ck_assert_str_eq(json + 10 + strlen(values[_i].value), "}]}");
    } else {
        ck_assert_ptr_null(json);
    }
    mcphost_call_unref(call);
}
END_TEST

START_TEST(a_value_that_is_nested_deeply_is_left_out)
{
    char text[1024];

    memset(text, '[', 500);
    memset(text + 500, ']', 500);
    text[1000] = '\0';
    fr_write("a.json", text);
    fr_write("a.yaml", text);
    fr_load("");
    ck_assert_str_eq(fr_text("file://a.json"), text);
    ck_assert_ptr_null(json_object_get(fr_result, "parsed"));
    ck_assert_str_eq(fr_text("file://a.yaml"), text);
    ck_assert_ptr_null(json_object_get(fr_result, "parsed"));
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

START_TEST(a_file_over_max_bytes_is_refused)
{
    fr_write("ten", "0123456789");
    fr_write("eleven", "0123456789a");
    fr_load(", max_bytes: 10");
    ck_assert_str_eq(fr_text("file://ten"), "0123456789");
    ck_assert_int_eq(fr_read("file://eleven"), FR_INTERNAL);
    test_has(fr_why, "larger than max_bytes (10)");
}
END_TEST

/* The provider opens the file while the size is within `max_bytes`.  The file then grows
 * during the read. */
START_TEST(a_file_that_grows_while_it_is_read_does_not_pass_max_bytes)
{
    size_t n = 2 * 1024 * 1024;
    char *text = malloc(n);
    mcphost_call *call;
    int fd;

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', n);
    fr_write_bytes("log", text, n);
    fr_load(", max_bytes: 2500000");
    call = fr_start("file://log");
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    ck_assert_int_ge(mcphost_dispatch(hr.host), 0);
    fd = open(fr_path("log"), O_WRONLY | O_APPEND | O_CLOEXEC);
    ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
    free(text);
    ck_assert_int_eq(fr_end(call), FR_INTERNAL);
    test_has(fr_why, "larger than max_bytes");
}
END_TEST

/* R160 */
START_TEST(only_files_with_an_allowed_extension_are_read)
{
    fr_write("a.md", "x");
    fr_write("b.TXT", "x");
    fr_write("c.json", "x");
    fr_write("md", "x");
    fr_write(".md", "x");
    fr_write("d.tar.gz", "x");
    fr_load(", allowed_extensions: [.md, txt, .Tar.Gz]");
    ck_assert_str_eq(fr_text("file://a.md"), "x");
    ck_assert_str_eq(fr_text("file://b.TXT"), "x");
    ck_assert_int_eq(fr_read("file://d.tar.gz"), 0);
    ck_assert_int_eq(fr_read("file://c.json"), FR_INVALID);
    test_has(fr_why, "extension");
    ck_assert_int_eq(fr_read("file://md"), FR_INVALID);
    ck_assert_int_eq(fr_read("file://.md"), FR_INVALID);
    /* The provider returns this error even if the file is missing, so that the error does
     * not reveal which files exist. */
    ck_assert_int_eq(fr_read("file://gone.json"), FR_INVALID);
    ck_assert_int_eq(fr_read("file://gone.md"), FR_NOT_FOUND);
}
END_TEST

/* ---- special files, links and missing files ---------------------------------------- */

/* The provider does not open a FIFO, because open() would wait for a writer or wake a
 * writer that waits. */
START_TEST(a_special_file_is_refused_and_not_opened)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), writer;

    ck_assert_int_eq(mkfifo(fr_path("fifo"), 0600), 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", fr_path("socket"));
    ck_assert_int_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    close(sock);
    fr_mkdir("dir");
    fr_load("");
    ck_assert_int_eq(fr_read("file://fifo"), FR_INVALID);
    test_has(fr_why, "not a regular file");
    writer = open(fr_path("fifo"), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_eq(writer, -1);
    ck_assert_int_eq(fr_read("file://socket"), FR_INVALID);
    ck_assert_int_eq(fr_read("file://dir"), FR_INVALID);
    test_has(fr_why, "dir://");
    fr_write("file", "x");
    ck_assert_int_eq(fr_read("dir://file"), FR_NOT_FOUND);
    ck_assert_int_eq(fr_read("file://file/x"), FR_NOT_FOUND);
    /* Only root can make a device. */
    if (mknod(fr_path("device"), S_IFCHR | 0600, makedev(1, 5)) == 0)
        ck_assert_int_eq(fr_read("file://device"), FR_INVALID);
}
END_TEST

/* R160 */
START_TEST(links_are_not_followed)
{
    fr_mkdir("dir");
    fr_write("dir/a", "inside");
    ck_assert_int_eq(symlink("../outside.txt", fr_path("out")), 0);
    ck_assert_int_eq(symlink("dir/a", fr_path("in")), 0);
    ck_assert_int_eq(symlink("dir", fr_path("way")), 0);
    ck_assert_int_eq(symlink("..", fr_path("up")), 0);
    fr_load("");
    ck_assert_str_eq(fr_text("file://dir/a"), "inside");
    ck_assert_int_eq(fr_read("file://out"), FR_INVALID);
    test_has(fr_why, "symbolic link");
    ck_assert_int_eq(fr_read("file://in"), FR_INVALID);
    ck_assert_int_eq(fr_read("file://way/a"), FR_INVALID);
    ck_assert_int_eq(fr_read("file://up/outside.txt"), FR_INVALID);
    ck_assert_int_eq(fr_read("dir://up"), FR_INVALID);
    ck_assert_int_eq(fr_read("dir://way"), FR_INVALID);
}
END_TEST

START_TEST(a_missing_file_or_directory_is_not_found)
{
    char uri[400];

    fr_load("");
    ck_assert_int_eq(fr_read("file://none"), FR_NOT_FOUND);
    test_has(fr_why, "'file://none': the resource does not exist");
    ck_assert_int_eq(fr_read("file://none/none"), FR_NOT_FOUND);
    ck_assert_int_eq(fr_read("dir://none"), FR_NOT_FOUND);
    ck_assert_int_eq(fr_read("other://none"), FR_NOT_FOUND);
    snprintf(uri, sizeof(uri), "file://%0255d", 0);
    ck_assert_int_eq(fr_read(uri), FR_NOT_FOUND);
    snprintf(uri, sizeof(uri), "file://%0256d", 0);
    ck_assert_int_eq(fr_read(uri), FR_INVALID);
}
END_TEST

/* ---- the base directory ------------------------------------------------------------ */

START_TEST(a_missing_base_directory_is_made_with_mode_0700)
{
    struct stat st;

    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: new/deep}\n");
    hr_load(&hr);
    hr_loaded(&hr, "a");
    ck_assert_int_eq(stat(rig_workspace_path(&hr.ws, "new/deep"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    ck_assert_int_eq(fr_read("dir://"), 0);
}
END_TEST

START_TEST(after_its_removal_a_base_directory_has_no_resources)
{
    fr_write("a", "x");
    fr_load("");
    ck_assert_str_eq(fr_text("file://a"), "x");
    unlink(fr_path("a"));
    ck_assert_int_eq(rmdir(fr_base), 0);
    ck_assert_int_eq(fr_read("file://a"), FR_NOT_FOUND);
    ck_assert_int_eq(fr_read("dir://"), FR_NOT_FOUND);
    /* The provider does not use a new directory with the name of the deleted base
     * directory. */
    ck_assert_int_eq(mkdir(fr_base, 0700), 0);
    fr_write("a", "y");
    ck_assert_int_eq(fr_read("file://a"), FR_NOT_FOUND);
}
END_TEST

START_TEST(a_base_directory_that_is_a_file_fails_the_server)
{
    rig_workspace_write(&hr.ws, "file", "x");
    hr_entry(&hr, "a:\n  provider: files\n  options: {base_dir: file}\n");
    hr_load(&hr);
    ck_assert_int_ne(hr_server_state(&hr, "a"), MCPHOST_SERVER_LOADED);
    test_has(hr_server_why(&hr, "a"), "base_dir");
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "reading");

    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, fr_up, fr_down);
    tcase_add_test(tc, a_file_is_read_by_its_uri);
    tcase_add_test(tc, types_follow_extensions);
    tcase_add_test(tc, bytes_that_are_not_text_are_returned_as_a_blob);
    tcase_add_test(tc, a_large_text_is_read_completely);
    tcase_add_test(tc, a_large_blob_is_read_completely);
    tcase_add_test(tc, a_text_that_is_too_long_as_json_is_returned_as_a_blob);
    tcase_add_loop_test(tc, json_and_yaml_get_a_parsed_value_beside_the_text, 0,
                        (int)MCPH_ARRAY_SIZE(values));
    tcase_add_test(tc, a_value_that_is_nested_deeply_is_left_out);
    tcase_add_test(tc, a_file_over_max_bytes_is_refused);
    tcase_add_test(tc, a_file_that_grows_while_it_is_read_does_not_pass_max_bytes);
    tcase_add_test(tc, only_files_with_an_allowed_extension_are_read);
    tcase_add_test(tc, a_special_file_is_refused_and_not_opened);
    tcase_add_test(tc, links_are_not_followed);
    tcase_add_test(tc, a_missing_file_or_directory_is_not_found);
    tcase_add_test(tc, a_missing_base_directory_is_made_with_mode_0700);
    tcase_add_test(tc, after_its_removal_a_base_directory_has_no_resources);
    tcase_add_test(tc, a_base_directory_that_is_a_file_fails_the_server);
}

int
main(void)
{
    return test_main("files", add_tests);
}
