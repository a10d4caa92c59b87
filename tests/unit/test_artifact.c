/* SPDX-License-Identifier: MIT
 *
 * test_artifact.c - artifacts, the files of a dialog: their names, writing, reading,
 * quota and deletion.
 *
 * No name and no path may lead out of the dialog's directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/result.h"
#include "support/runner.h"

static char top[40], dir[48];
static struct mcph_artifacts *place;
static mcphost_error *error;

static void
up(void)
{
    snprintf(top, sizeof(top), "/tmp/mcphost-artifact-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(dir, sizeof(dir), "%s/dialog", top);
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 0, &place, NULL), 0);
}

static void
down(void)
{
    char command[80];

    place = mcph_artifacts_unref(place);
    error = mcphost_error_unref(error);
    snprintf(command, sizeof(command), "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

/* Writes an artifact and returns its path. */
static const char *
write_one(const char *server, const char *tool, const char *extension, const char *text)
{
    static struct mcph_artifact artifact;

    ck_assert_int_eq(
        mcph_artifact_begin(place, server, tool, extension, &artifact, &error), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, text, strlen(text), &error), 0);
    ck_assert_int_eq(mcph_artifact_end(&artifact, &error), 0);
    return artifact.path;
}

static mode_t
mode_of(const char *path)
{
    char full[512];
    struct stat st;

    snprintf(full, sizeof(full), "%s/%s", dir, path);
    ck_assert_int_eq(lstat(full, &st), 0);
    return st.st_mode & 07777;
}

static int
refuse_path(const char *path)
{
    int fd = -1, r = mcphost_artifact_open(dir, path, &fd, NULL, &error);

    ck_assert_int_eq(fd, -1);
    ck_assert_ptr_nonnull(mcphost_error_get_message(error));
    error = mcphost_error_unref(error);
    return r;
}

static int
count(const char *path, uint64_t size, int64_t mtime_ms, void *arg)
{
    ck_assert_int_eq(strncmp(path, "artifacts/mcp/", 14), 0);
    ck_assert_int_gt(mtime_ms, 0);
    *(uint64_t *)arg += 1000 + size;
    return 0;
}

static uint64_t
listed(void)
{
    uint64_t sum = 0;

    ck_assert_int_eq(mcphost_artifact_list(dir, count, &sum, &error), 0);
    return sum;
}

/* ---- writing ----------------------------------------------------------------------- */

/* R69, B.11 */
START_TEST(the_path_is_made_of_server_tool_time_and_a_random_uuid)
{
    const char *path = write_one("files", "take_picture", "png", "x"), *stem;

    ck_assert_int_eq(strncmp(path, "artifacts/mcp/files/take_picture/", 33), 0);
    stem = path + 33;
    ck_assert_uint_eq(strlen(stem), 24 + 1 + 36 + 4);
    ck_assert_int_eq(stem[10], 'T');
    ck_assert_int_eq(stem[39], '4');
    ck_assert_ptr_nonnull(strchr("89ab", stem[44]));
    ck_assert_str_eq(stem + 61, ".png");
}
END_TEST

START_TEST(directories_are_0700_and_files_0600)
{
    const char *path;

    umask(0);
    path = write_one("s", "t", "bin", "x");
    ck_assert_uint_eq(mode_of(path), 0600);
    ck_assert_uint_eq(mode_of("."), 0700);
    ck_assert_uint_eq(mode_of("artifacts"), 0700);
    ck_assert_uint_eq(mode_of("artifacts/mcp"), 0700);
    ck_assert_uint_eq(mode_of("artifacts/mcp/s"), 0700);
    ck_assert_uint_eq(mode_of("artifacts/mcp/s/t"), 0700);
}
END_TEST

/* B.11, K4: writes artifacts for servers and tools with hostile names. */
START_TEST(hostile_names_become_one_plain_segment)
{
    static const struct {
        const char *name, *segment;
    } names[] = {{"", "unnamed"},
                 {"  \t ", "unnamed"},
                 {".", "_"},
                 {"..", "_."},
                 {"../../etc", "_._.._etc"},
                 {"/", "_"},
                 {"/etc/passwd", "_etc_passwd"},
                 {" a b ", "a_b"},
                 {".hidden", "_hidden"},
                 {"a\\b:c", "a_b_c"},
                 {"na\xc3\xafve", "na__ve"},
                 {"\x01\x02x\x7f", "x_"},
                 {"con", "con"},
                 {"%2e%2e%2f", "_2e_2e_2f"},
                 {"a\nb", "a_b"},
                 {"-rf", "-rf"}};
    char expected[64];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        const char *path = write_one(names[i].name, "t", "bin", "x");

        snprintf(expected, sizeof(expected), "artifacts/mcp/%s/t/", names[i].segment);
        ck_assert_int_eq(strncmp(path, expected, strlen(expected)), 0);
        path = write_one("s", names[i].name, "bin", "x");
        snprintf(expected, sizeof(expected), "artifacts/mcp/s/%s/", names[i].segment);
        ck_assert_int_eq(strncmp(path, expected, strlen(expected)), 0);
    }
    ck_assert_uint_eq(listed(), 1001 * 2 * MCPH_ARRAY_SIZE(names));
}
END_TEST

/* Checks whether the path is exactly artifacts/mcp/SEGMENT/SEGMENT/FILE and has only
 * harmless characters. */
static bool
is_plain(const char *path)
{
    int slashes = 0;

    if (strncmp(path, "artifacts/mcp/", 14) != 0)
        return false;
    for (const char *p = path + 14; *p; p++) {
        bool begins = p[-1] == '/';

        if (*p == '/' || *p == '.'
                ? begins
                : !strchr(
                      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-",
                      *p))
            return false;
        slashes += *p == '/';
    }
    return slashes == 2;
}

/* Counts the entries below a directory that are not directories.  Sets *pure to false if
 * an entry is neither a file nor a directory. */
static int
walk(const char *path, bool *pure)
{
    char inner[600];
    struct dirent *entry;
    DIR *stream = opendir(path);
    int n = 0;

    ck_assert_ptr_nonnull(stream);
    for (entry = readdir(stream); entry; entry = readdir(stream)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        *pure &= entry->d_type == DT_DIR || entry->d_type == DT_REG;
        n += entry->d_type == DT_DIR ? walk(inner, pure) : 1;
    }
    closedir(stream);
    return n;
}

/* R69, R160, B.11: writes artifacts for each name that up to three of the pieces form.
 * Uses each name for a server and for a tool. */
START_TEST(no_hostile_name_leads_out_of_the_directory)
{
    static const char *const pieces[] = {
        ".", "..", "/", "\\", ":", " ", "\n", "a", "%2f", "\xc0\xae", "\xe2\x80\xae", ""};
    enum { N = MCPH_ARRAY_SIZE(pieces) };
    bool pure = true;
    int written = 0;
    char name[64];

    for (int i = 0; i < N * N * N; i++) {
        const char *path;

        snprintf(name, sizeof(name), "%s%s%s", pieces[i % N], pieces[i / N % N],
                 pieces[i / N / N]);
        path = write_one(name, "t", "bin", "x");
        ck_assert_msg(is_plain(path), "'%s' gave %s", name, path);
        path = write_one("s", name, "bin", "x");
        ck_assert_msg(is_plain(path), "'%s' gave %s", name, path);
        written += 2;
    }
    /* The dialog's directory and its parent have no file but the artifacts. */
    ck_assert_int_eq(walk(top, &pure), written);
    ck_assert(pure);
    ck_assert_uint_eq(listed(), 1001 * (uint64_t)written);
}
END_TEST

START_TEST(long_names_are_cut_and_remain_distinct)
{
    char name[2][400], path[MCPH_ARTIFACT_PATH];

    for (int i = 0; i < 2; i++) {
        memset(name[i], 'x', 399);
        name[i][398] = (char)('a' + i);
        name[i][399] = '\0';
    }
    snprintf(path, sizeof(path), "%s", write_one(name[0], name[0], "bin", "1"));
    ck_assert_int_ne(strncmp(path, write_one(name[1], name[0], "bin", "1"), 114), 0);
    ck_assert_int_eq(strncmp(path, write_one(name[0], name[1], "bin", "1"), 114), 0);
    ck_assert_uint_eq(strcspn(path + 14, "/"), MCPH_ARTIFACT_SEGMENT);
}
END_TEST

START_TEST(a_symbolic_link_in_place_of_the_directory_is_refused)
{
    struct mcph_artifact artifact;
    char link[80], elsewhere[80];

    ck_assert_int_eq(mkdir(dir, 0700), 0);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", dir);
    ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
    snprintf(link, sizeof(link), "%s/artifacts", dir);
    ck_assert_int_eq(symlink(elsewhere, link), 0);
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "bin", &artifact, &error),
                     MCPHOST_E_IO);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), dir));
}
END_TEST

START_TEST(an_aborted_file_leaves_nothing)
{
    struct mcph_artifact artifact;
    char path[80];

    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "bin", &artifact, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, "half", 4, NULL), 0);
    ck_assert_uint_eq(listed(), 0);
    mcph_artifact_abort(&artifact);
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/t", dir);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

/* A limit on the file size makes the write fail as a full disk would. */
START_TEST(a_failed_write_leaves_no_artifact)
{
    struct rlimit limit = {.rlim_cur = 1000, .rlim_max = RLIM_INFINITY};
    struct mcph_artifact artifact;
    char data[2000] = "";

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "bin", &artifact, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, data, sizeof(data), &error),
                     MCPHOST_E_IO);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "File too large"));
    mcph_artifact_abort(&artifact);
    ck_assert_uint_eq(listed(), 0);
}
END_TEST

/* R69: the quota also limits the number of files, because a result may hold 100,000
 * images of one byte. */
START_TEST(the_quota_limits_the_number_of_files)
{
    struct mcph_artifact a;

    for (int i = 0; i < 2; i++) {
        place = mcph_artifacts_unref(place); /* the new `place` also counts the files
                                              * of the old `place` */
        ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 0, &place, NULL), 0);
        mcph_artifacts_limit_files(place, 2);
        ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "txt", &a, NULL), 0);
        mcph_artifact_abort(&a); /* an aborted file does not count */
        ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "txt", &a, NULL), 0);
        ck_assert_int_eq(mcph_artifact_end(&a, NULL), 0);
    }
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "txt", &a, &error),
                     MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "2 files"));
    place->count_again = 0; /* allow the next count at once */
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "txt", &a, NULL), 0);
    mcph_artifact_abort(&a);
}
END_TEST

START_TEST(the_quota_counts_the_files_of_earlier_runs)
{
    struct mcph_artifact artifact;

    write_one("s", "t", "bin", "0123456789");
    mcph_artifacts_unref(place);
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 15, &place, NULL), 0);
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "bin", &artifact, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, "0123", 4, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, "45", 2, &error), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "15 bytes"));
    mcph_artifact_abort(&artifact);
    /* The bytes of the aborted file no longer count against the quota. */
    write_one("s", "t", "bin", "01234");
    ck_assert_uint_eq(listed(), 2015);
}
END_TEST

START_TEST(deleted_files_do_not_count_against_the_quota)
{
    struct mcph_artifact artifact;

    mcph_artifacts_unref(place);
    ck_assert_int_eq(mcph_artifacts_new(dir, "root", "self", 15, &place, NULL), 0);
    write_one("s", "t", "bin", "0123456789");
    ck_assert_int_eq(mcph_artifact_begin(place, "s", "t", "bin", &artifact, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, "01", 2, NULL), 0);
    ck_assert_int_eq(mcph_artifact_write(&artifact, "2345", 4, NULL), MCPHOST_E_LIMIT);
    ck_assert_int_eq(unlinkat(artifact.dir, artifact.temp, 0), 0);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    /* The bytes of the file that is being written still count against the quota, although
     * the file is deleted. */
    ck_assert_int_eq(mcph_artifact_write(&artifact, "23456789abcdef", 14, NULL),
                     MCPHOST_E_LIMIT);
    mcph_artifact_abort(&artifact);
    place->count_again = 0; /* allow the next count at once */
    write_one("s", "t", "bin", "0123456789abcde");
    ck_assert_uint_eq(listed(), 1015);
}
END_TEST

START_TEST(a_relative_directory_is_refused)
{
    struct mcph_artifacts *other = NULL;

    ck_assert_int_eq(mcph_artifacts_new("here", "r", "s", 0, &other, &error),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_null(other);
}
END_TEST

/* ---- reading ----------------------------------------------------------------------- */

/* R71 */
START_TEST(a_written_artifact_can_be_read_in_parts)
{
    const char *path = write_one("s", "t", "png", "0123456789");
    char buf[20];
    uint64_t size;
    size_t n;
    int fd;

    ck_assert_int_eq(mcphost_artifact_open(dir, path, &fd, &size, NULL), 0);
    ck_assert_uint_eq(size, 10);
    ck_assert_int_eq(read(fd, buf, 20), 10);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    ck_assert_int_eq(mcphost_artifact_read(dir, path, 0, buf, 4, &n, NULL), 0);
    ck_assert(n == 4 && memcmp(buf, "0123", 4) == 0);
    ck_assert_int_eq(mcphost_artifact_read(dir, path, 8, buf, 4, &n, NULL), 0);
    ck_assert(n == 2 && memcmp(buf, "89", 2) == 0);
    ck_assert_int_eq(mcphost_artifact_read(dir, path, 99, buf, 4, &n, NULL), 0);
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* R160, B.11 */
START_TEST(a_path_that_is_not_an_artifact_path_is_refused)
{
    static const char *const paths[] = {"",
                                        "/",
                                        "artifacts",
                                        "artifacts/",
                                        "/artifacts/x",
                                        "other/x",
                                        "artifacts//x",
                                        "artifacts/./x",
                                        "artifacts/../x",
                                        "artifacts/x/..",
                                        "artifacts/x/../../../etc/passwd",
                                        "artifacts/x/",
                                        "artifacts\\x",
                                        "artifacts/a\\..\\b",
                                        "artifacts/c:x",
                                        "./artifacts/x",
                                        " artifacts/x",
                                        "artifactsx/y",
                                        "../artifacts/x",
                                        "artifacts/mcp/s/t/../../../.."};
    char longer[2000];

    write_one("s", "t", "png", "x");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(paths); i++)
        ck_assert_msg(refuse_path(paths[i]) == MCPHOST_E_INVALID, "%s", paths[i]);
    memset(longer, 'a', sizeof(longer));
    memcpy(longer, "artifacts/", 10);
    longer[sizeof(longer) - 1] = '\0';
    ck_assert_int_eq(refuse_path(longer), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(links_fifos_sockets_and_directories_are_not_opened)
{
    char path[120], long_path[320];

    write_one("s", "t", "png", "x");
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/t/link.png", dir);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/t/link.png"), MCPHOST_E_NOTFOUND);
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/out", dir);
    ck_assert_int_eq(symlink("/etc", path), 0);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/out/passwd"), MCPHOST_E_NOTFOUND);
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/t/fifo", dir);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/t/fifo"), MCPHOST_E_NOTFOUND);
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/t/socket", dir);
    ck_assert_int_eq(mknod(path, S_IFSOCK | 0600, 0), 0);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/t/socket"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/t"), MCPHOST_E_NOTFOUND);
    ck_assert_int_eq(refuse_path("artifacts/mcp/s/t/none.png"), MCPHOST_E_NOTFOUND);
    snprintf(long_path, sizeof(long_path), "artifacts/%0300d", 1);
    ck_assert_int_eq(refuse_path(long_path), MCPHOST_E_NOTFOUND);
    ck_assert_uint_eq(listed(), 1001);
}
END_TEST

START_TEST(the_extension_gives_the_mime_type)
{
    ck_assert_str_eq(mcphost_artifact_get_mime_type("a/b.png"), "image/png");
    ck_assert_str_eq(mcphost_artifact_get_mime_type("a/b.jpg"), "image/jpeg");
    ck_assert_str_eq(mcphost_artifact_get_mime_type("a/b.svg"), "image/svg+xml");
    ck_assert_str_eq(mcphost_artifact_get_mime_type("a/b.bin"),
                     "application/octet-stream");
    ck_assert_str_eq(mcphost_artifact_get_mime_type("a/b"), "application/octet-stream");
    ck_assert_str_eq(mcph_artifact_extension(mcph_span_str("image/jpg")), "jpg");
    ck_assert_str_eq(mcph_artifact_extension(mcph_span_str("IMAGE/PNG")), "png");
    ck_assert_str_eq(mcph_artifact_extension(mcph_span_str("image/tiff")), "bin");
}
END_TEST

/* ---- listing and deleting ---------------------------------------------------------- */

static int
stop(const char *path, uint64_t size, int64_t mtime_ms, void *arg)
{
    (void)path;
    (void)size;
    (void)mtime_ms;
    ++*(int *)arg;
    return 7;
}

START_TEST(the_callback_can_stop_a_listing)
{
    int n = 0;

    write_one("s", "t", "png", "x");
    write_one("s", "t", "png", "y");
    ck_assert_int_eq(mcphost_artifact_list(dir, stop, &n, NULL), 7);
    ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(a_missing_directory_has_no_artifacts)
{
    ck_assert_uint_eq(listed(), 0);
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, NULL), 0);
    ck_assert_int_eq(mcphost_artifact_list("here", count, NULL, NULL), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(deletion_removes_all_artifacts_and_nothing_else)
{
    char path[120], outside[80];

    write_one("s", "t", "png", "x");
    write_one("s2", "t", "png", "y");
    snprintf(outside, sizeof(outside), "%s/outside", top);
    ck_assert_int_eq(mkdir(outside, 0700), 0);
    snprintf(path, sizeof(path), "%s/keep", outside);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    snprintf(path, sizeof(path), "%s/artifacts/mcp/s/link", dir);
    ck_assert_int_eq(symlink(outside, path), 0);
    snprintf(path, sizeof(path), "%s/mine", dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, &error), 0);
    ck_assert_int_eq(access(path, F_OK), 0);
    snprintf(path, sizeof(path), "%s/keep", outside);
    ck_assert_int_eq(access(path, F_OK), 0);
    snprintf(path, sizeof(path), "%s/artifacts", dir);
    ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* One directory is nested too deep for mcphost_artifact_delete_all().  The function
 * deletes everything else and reports the failure. */
START_TEST(deletion_continues_after_a_failure)
{
    char path[300];
    int n = snprintf(path, sizeof(path), "%s/artifacts/mcp/deep", dir);

    for (int i = 0; i < 20; i++) {
        char server[16];

        snprintf(server, sizeof(server), "s%d", i);
        write_one(server, "t", "png", "x");
    }
    for (int i = 0; i < 12; i++) {
        ck_assert_int_eq(mkdir(path, 0700), 0);
        n += snprintf(path + n, sizeof(path) - (size_t)n, "/d");
    }
    ck_assert_int_eq(mcphost_artifact_delete_all(dir, &error), MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(error), "nested too deep"));
    snprintf(path, sizeof(path), "rm -r %s/artifacts/mcp/deep", dir);
    ck_assert_int_eq(system(path), 0);
    snprintf(path, sizeof(path), "%s/artifacts/mcp", dir);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "artifact");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_path_is_made_of_server_tool_time_and_a_random_uuid);
    tcase_add_test(tc, directories_are_0700_and_files_0600);
    tcase_add_test(tc, hostile_names_become_one_plain_segment);
    tcase_add_test(tc, long_names_are_cut_and_remain_distinct);
    tcase_add_test(tc, a_symbolic_link_in_place_of_the_directory_is_refused);
    tcase_add_test(tc, an_aborted_file_leaves_nothing);
    tcase_add_test(tc, a_failed_write_leaves_no_artifact);
    tcase_add_test(tc, the_quota_limits_the_number_of_files);
    tcase_add_test(tc, the_quota_counts_the_files_of_earlier_runs);
    tcase_add_test(tc, deleted_files_do_not_count_against_the_quota);
    tcase_add_test(tc, a_relative_directory_is_refused);
    tcase_add_test(tc, a_written_artifact_can_be_read_in_parts);
    tcase_add_test(tc, a_path_that_is_not_an_artifact_path_is_refused);
    tcase_add_test(tc, links_fifos_sockets_and_directories_are_not_opened);
    tcase_add_test(tc, the_extension_gives_the_mime_type);
    tcase_add_test(tc, the_callback_can_stop_a_listing);
    tcase_add_test(tc, a_missing_directory_has_no_artifacts);
    tcase_add_test(tc, deletion_removes_all_artifacts_and_nothing_else);
    tcase_add_test(tc, deletion_continues_after_a_failure);
    tc = test_case(suite, "names");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, no_hostile_name_leads_out_of_the_directory);
}

int
main(void)
{
    return test_main("artifact", add);
}
