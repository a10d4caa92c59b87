/* SPDX-License-Identifier: MIT
 *
 * test_files_confine.c - URIs that must not lead out of the base directory (R160).
 *
 * One test combines the spellings of URIs from parts.  Another test has a list of
 * spellings.  The tests try each spelling as a file and as a directory, once with
 * openat2() and once with the walk that opens one component at a time.  If FILES_CORPUS
 * is set in the environment, the tests print each spelling and its outcome.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/inner.h"
#include "support/rig.h"
#include "support/runner.h"

static struct rig_workspace ws;
static struct files files;
static char base[PATH_MAX];
static long tried, opened, escapes;

static void
put_link(const char *target, const char *name)
{
    ck_assert_int_eq(symlinkat(target, files.base, name), 0);
}

/* Makes files with the text INSIDE in the base directory and files with the text OUTSIDE
 * elsewhere.  Symbolic links at several depths lead out of the base directory. */
static void
up(void)
{
    static const char *const dirs[] = {"base",       "base/a",   "base/a/b",
                                       "base/a/b/c", "base/...", "base/..a",
                                       "out",        "out/deep", "base2"};
    /* Some of these names look like percent escapes or like ways upwards.  All names are
     * plain names of files. */
    static const char *const inside[] = {
        "f",      "a/f",    "a/b/f",  "a/b/c/f", ".../f", "..a/f",    "..\\f",
        "%2e%2e", "..%2ff", "%2fetc", "f ",      "f.",    "\xc0\xae", "..\\..\\f"};

    rig_workspace_up(&ws, NULL);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(dirs); i++)
        ck_assert_int_eq(mkdir(rig_workspace_path(&ws, dirs[i]), 0700), 0);
    rig_workspace_write(&ws, "secret.txt", "OUTSIDE");
    rig_workspace_write(&ws, "f", "OUTSIDE");
    rig_workspace_write(&ws, "out/f", "OUTSIDE");
    rig_workspace_write(&ws, "out/deep/f", "OUTSIDE");
    rig_workspace_write(&ws, "base2/f", "OUTSIDE");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(inside); i++) {
        char name[64];

        snprintf(name, sizeof(name), "base/%s", inside[i]);
        rig_workspace_write(&ws, name, "INSIDE");
    }
    snprintf(base, sizeof(base), "%s", rig_workspace_path(&ws, "base"));
    files = (struct files){.base = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    ck_assert_int_ge(files.base, 0);
    put_link("../secret.txt", "link");
    put_link("../../../secret.txt", "a/b/link");
    put_link("..", "up");
    put_link("../..", "a/up");
    put_link("../out", "a/out");
    put_link("../../../../out", "a/b/c/out");
    put_link("/", "root");
    put_link("/proc/self/root", "a/magic");
    put_link("/proc/self/cwd", "cwd");
    put_link("/proc/self/fd", "a/fds");
    put_link("link", "twice");
    put_link("a/out", "way");
    put_link(ws.dir, "abs");
    put_link("f", "in");
    put_link("loop", "loop");
    tried = opened = escapes = 0;
}

static void
down(void)
{
    close(files.base);
    rig_workspace_down(&ws);
}

/* ---- one spelling ------------------------------------------------------------------ */

static bool
is_outside(int fd, bool is_dir)
{
    char link[64], target[PATH_MAX], text[16] = "";
    ssize_t n;

    if (!is_dir) {
        n = read(fd, text, sizeof(text) - 1);
        return n < 0 || strncmp(text, "INSIDE", 6) != 0;
    }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, target, sizeof(target) - 1);
    ck_assert_int_gt(n, 0);
    target[n] = '\0';
    n = (ssize_t)strlen(base);
    return strncmp(target, base, (size_t)n) != 0 || (target[n] && target[n] != '/');
}

/* Returns 0 if the URI opens a file or a directory, an errno value if the open fails, and
 * -1 if the URI is refused. */
static int
try_one(const char *uri, bool by_steps)
{
    struct files_place place;
    const char *why = mcph_files_place_parse(mcph_span_str(uri), &place);
    struct stat st;
    int fd, error = 0;

    files.by_steps = by_steps;
    tried++;
    if (why)
        return -1;
    fd = mcph_files_open(&files, place.path, place.is_dir, &st);
    if (fd < 0)
        return errno;
    opened++;
    if (is_outside(fd, place.is_dir)) {
        fprintf(stderr, "ESCAPE: %s%s\n", uri, by_steps ? " (walk)" : "");
        escapes++;
    }
    close(fd);
    return error;
}

static void
try_path(const char *path)
{
    static const char *const schemes[] = {"file://", "dir://"};
    const char *list = getenv("FILES_CORPUS");

    for (size_t i = 0; i < 2; i++) {
        char uri[1024];
        int at_once, walked;

        snprintf(uri, sizeof(uri), "%s%s", schemes[i], path);
        at_once = try_one(uri, false);
        walked = try_one(uri, true);
        ck_assert_msg(at_once == walked, "%s: %d at once, %d walked", uri, at_once,
                      walked);
        if (list)
            printf("%-12s %s\n",
                   at_once < 0 ? "refused"
                   : at_once   ? strerror(at_once)
                               : "INSIDE",
                   uri);
    }
}

/* ---- the spellings ----------------------------------------------------------------- */

static const char *const ups[] = {
    "..",
    "%2e%2e",
    "%2E%2E",
    ".%2e",
    "%2e.",
    "%252e%252e",
    "%252E%252E",
    "%25%32%65%25%32%65",
    "%%32%65%%32%65",
    "..%00",
    "%00..",
    "..%20",
    ".. ",
    "..%09",
    "..%0a",
    "..;",
    "...",
    "....",
    "..\\",
    "..%5c",
    "%c0%ae%c0%ae",
    "%e0%80%ae%e0%80%ae",
    "%f0%80%80%ae%f0%80%80%ae",
    "%uff0e%uff0e",
    "\xef\xbc\x8e\xef\xbc\x8e",
    "%EF%BC%8E%EF%BC%8E",
    "\xe2\x80\xa4\xe2\x80\xa4",
    "\xe2\x80\xa5",
    ".\xe2\x80\x8b.",
    ".%00.",
    "./..",
    "a/..",
    "a/../..",
    "up",
    "root",
    "a/up",
    "a/magic",
};

static const char *const separators[] = {
    "/",   "//",    "/./",    "%2f",          "%2F",          "%252f", "\\",
    "%5c", "%255c", "%c0%af", "\xe2\x88\x95", "\xe2\x81\x84", "/%2e/", "/%00/",
};

static const char *const prefixes[] = {"", "/", "./", "a/", "a/b/", "%2f", "none/", "f/"};

static const char *const targets[] = {"secret.txt", "f",      "out/f",
                                      "base2/f",    "base/f", ""};

/* R160 */
START_TEST(a_uri_combined_from_parts_never_opens_a_file_outside_the_base)
{
    char path[512];

    for (size_t u = 0; u < MCPH_ARRAY_SIZE(ups); u++) {
        for (size_t s = 0; s < MCPH_ARRAY_SIZE(separators); s++) {
            for (size_t p = 0; p < MCPH_ARRAY_SIZE(prefixes); p++) {
                size_t t = (u + s + p) % MCPH_ARRAY_SIZE(targets);

                snprintf(path, sizeof(path), "%s%s%s%s", prefixes[p], ups[u],
                         separators[s], targets[t]);
                try_path(path);
                snprintf(path, sizeof(path), "%s%s%s%s%s%s", prefixes[p], ups[u],
                         separators[s], ups[u], separators[s], targets[t]);
                try_path(path);
            }
        }
    }
    printf("%ld spellings, %ld opened inside, %ld escapes\n", tried, opened, escapes);
    ck_assert_int_eq(escapes, 0);
    ck_assert_int_gt(opened, 10);
}
END_TEST

static const char *const written[] = {
    "/etc/passwd",
    "//etc/passwd",
    "///etc/passwd",
    "%2fetc%2fpasswd",
    "%2Fetc/passwd",
    "%252fetc%252fpasswd",
    "localhost/etc/passwd",
    "/proc/self/root/etc/passwd",
    "/proc/self/fd/0",
    "/dev/fd/0",
    "/dev/stdin",
    "~/.ssh/id_rsa",
    "~root/.bashrc",
    "$HOME/x",
    "${HOME}/x",
    "`id`",
    "C:\\windows\\win.ini",
    "c:/windows/win.ini",
    "\\\\server\\share\\f",
    "\\etc\\passwd",
    "a/../../secret.txt",
    "a/b/../../../secret.txt",
    "a/./../../secret.txt",
    "a//../../secret.txt",
    "a/b/c/../../../../secret.txt",
    "a/..",
    "a/.",
    "..",
    "../",
    ".",
    "./",
    "./f",
    "a/./f",
    "a//f",
    "//f",
    "f/",
    "f/.",
    "f/..",
    "f//",
    "a/",
    "a/b/",
    "../base/f",
    "../base",
    "../base2/f",
    "../f",
    "2/f",
    "a/..%2f..%2fsecret.txt",
    "..%2fsecret.txt",
    "..%252fsecret.txt",
    "%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt",
    ".%2e/secret.txt",
    "%252e%252e/secret.txt",
    "..%00/secret.txt",
    "../secret.txt%00",
    "f%00",
    "f%00.md",
    "%00",
    "%00/../secret.txt",
    "..%c0%afsecret.txt",
    "%c0%ae%c0%ae/secret.txt",
    "%c0%ae%c0%ae%c0%afsecret.txt",
    "..\\secret.txt",
    "..%5csecret.txt",
    "..%255csecret.txt",
    "link",
    "link/",
    "twice",
    "in",
    "loop",
    "loop/f",
    "up/secret.txt",
    "up",
    "a/up/secret.txt",
    "a/b/link",
    "a/out/f",
    "a/out",
    "a/out/deep/f",
    "way/f",
    "way/deep/f",
    "a/b/c/out/f",
    "root/etc/passwd",
    "root",
    "a/magic/etc/passwd",
    "a/magic",
    "cwd/secret.txt",
    "cwd",
    "a/fds/0",
    "a/fds/1",
    "abs/secret.txt",
    "abs/base/f",
    "abs",
    "up/base/f",
    "a/up/base/f",
    "link/../f",
    "up/../f",
    "F",
    "A/f",
    "SECRET.TXT",
    "f ",
    "f%20",
    "f.",
    "f..",
    "f::$DATA",
    "con",
    "f?after=../secret.txt",
    "f#../secret.txt",
    "?after=../secret.txt",
    "a?after=f",
    "a?after=%2e%2e%2fsecret.txt",
    "a?x=../secret.txt",
    "a?",
    "?",
    "%",
    "%2",
    "%zz",
    "%2g",
    "f%",
    "%25",
    "%252e",
    ".../f",
    "..a/f",
    "",
    " ",
    "%20",
    "%0a",
    "a\nb",
};

/* R160 */
START_TEST(a_listed_uri_never_opens_a_file_outside_the_base)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(written); i++)
        try_path(written[i]);
    printf("%ld spellings, %ld opened inside, %ld escapes\n", tried, opened, escapes);
    ck_assert_int_eq(escapes, 0);
    ck_assert_int_gt(opened, 10);
}
END_TEST

/* R160: a refusal names the fault.  The parser decodes a percent escape only once. */
START_TEST(a_refusal_names_the_fault_and_escapes_are_decoded_once)
{
    static const struct {
        const char *uri, *why;
    } rows[] = {
        {"file://..", "'..'"},          {"file://a/%2e%2e/f", "'..'"},
        {"dir://a/..", "'..'"},         {"file://a/./f", "'.'"},
        {"file:///f", "absolute"},      {"file://%2ff", "absolute"},
        {"file://", "empty name"},      {"file://a//f", "empty name"},
        {"file://a/", "empty name"},    {"dir://a/", "empty name"},
        {"file://f%00", "NUL"},         {"file://f%0", "percent"},
        {"file://f%", "percent"},       {"file://f%g0", "percent"},
        {"file://f%0g", "percent"},     {"dir://a?before=f", "query"},
        {"dir://a?after=a/b", "slash"}, {"http://f", "neither"},
        {"file:/f", "neither"},         {"", "neither"},
    };
    struct files_place place;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++) {
        const char *why = mcph_files_place_parse(mcph_span_str(rows[i].uri), &place);

        ck_assert_msg(why && strstr(why, rows[i].why), "%s: %s", rows[i].uri, why);
    }
    ck_assert_ptr_null(
        mcph_files_place_parse(mcph_span_str("file://%252e%252e"), &place));
    ck_assert_str_eq(place.path, "%2e%2e");
    ck_assert_ptr_null(
        mcph_files_place_parse(mcph_span_str("dir://a%2Fb?after=%252F"), &place));
    ck_assert_str_eq(place.path, "a/b");
    ck_assert_str_eq(place.after, "%2F");
    ck_assert_ptr_null(mcph_files_place_parse(mcph_span_str("dir://"), &place));
    ck_assert_uint_eq(place.len, 0);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_refused)
{
    size_t size = (size_t)3 * PATH_MAX;
    char *uri = malloc(size);
    struct files_place place;
    size_t n;

    ck_assert_ptr_nonnull(uri);
    n = (size_t)snprintf(uri, size, "file://");
    while (n < 7 + PATH_MAX - 2)
        n += (size_t)snprintf(uri + n, size - n, "a/");
    snprintf(uri + n, size - n, "b");
    ck_assert_ptr_null(mcph_files_place_parse(mcph_span(uri, 7 + PATH_MAX - 1), &place));
    ck_assert_ptr_nonnull(
        mcph_files_place_parse(mcph_span(uri, 7 + PATH_MAX + 1), &place));
    free(uri);
}
END_TEST

/* ---- mcph_open_beneath() alone ----------------------------------------------------- */

static int
open_errno(const char *path, int flags, bool by_steps)
{
    int fd = mcph_open_beneath(files.base, path, flags, by_steps);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* R160: a path that skipped the check of the URI still cannot lead out of the base
 * directory. */
START_TEST(paths_upwards_and_symbolic_links_are_refused_without_the_uri_check)
{
    for (int steps = 0; steps < 2; steps++) {
        ck_assert_int_eq(open_errno("..", O_PATH, steps), EXDEV);
        ck_assert_int_eq(open_errno("a/../f", O_RDONLY, steps), EXDEV);
        ck_assert_int_eq(open_errno("a/b/..", O_PATH, steps), EXDEV);
        ck_assert_int_eq(open_errno("/etc", O_PATH, steps), EXDEV);
        ck_assert_int_eq(open_errno("link", O_RDONLY, steps), ELOOP);
        ck_assert_int_eq(open_errno("link", O_PATH, steps), ELOOP);
        ck_assert_int_eq(open_errno("in", O_RDONLY, steps), ELOOP);
        ck_assert_int_eq(open_errno("a/up/secret.txt", O_RDONLY, steps), ELOOP);
        ck_assert_int_eq(open_errno("a/magic/etc", O_RDONLY, steps), ELOOP);
        ck_assert_int_eq(open_errno("up", O_RDONLY | O_DIRECTORY, steps), ELOOP);
        ck_assert_int_eq(open_errno("none/f", O_RDONLY, steps), ENOENT);
        ck_assert_int_eq(open_errno("f/f", O_RDONLY, steps), ENOTDIR);
        ck_assert_int_eq(open_errno("", O_PATH, steps), 0);
        ck_assert_int_eq(open_errno("a/./b//c/f", O_RDONLY, steps), 0);
    }
}
END_TEST

/* Without a check, the kernel would follow a magic link below /proc out of the base
 * directory in one step. */
START_TEST(magic_links_below_proc_are_not_followed)
{
    int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char path[64];

    ck_assert_int_ge(proc, 0);
    for (int steps = 0; steps < 2; steps++) {
        int mine = files.base;

        files.base = proc;
        snprintf(path, sizeof(path), "%d/root/etc/passwd", (int)getpid());
        ck_assert_int_eq(open_errno(path, O_RDONLY, steps), ELOOP);
        snprintf(path, sizeof(path), "%d/cwd", (int)getpid());
        ck_assert_int_eq(open_errno(path, O_RDONLY | O_DIRECTORY, steps), ELOOP);
        snprintf(path, sizeof(path), "%d/fd/%d", (int)getpid(), mine);
        ck_assert_int_eq(open_errno(path, O_PATH, steps), ELOOP);
        ck_assert_int_eq(open_errno("self/status", O_RDONLY, steps), ELOOP);
        files.base = mine;
    }
    close(proc);
}
END_TEST

START_TEST(no_uri_leaks_a_descriptor)
{
    struct rig_census before = rig_census_take();

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(written); i++)
        try_path(written[i]);
    rig_census_check(&before, 0);
}
END_TEST

static void
add_tests(Suite *suite)
{
    TCase *tc = test_case(suite, "confine");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_uri_combined_from_parts_never_opens_a_file_outside_the_base);
    tcase_add_test(tc, a_listed_uri_never_opens_a_file_outside_the_base);
    tcase_add_test(tc, a_refusal_names_the_fault_and_escapes_are_decoded_once);
    tcase_add_test(tc, a_path_that_is_too_long_is_refused);
    tcase_add_test(tc,
                   paths_upwards_and_symbolic_links_are_refused_without_the_uri_check);
    tcase_add_test(tc, magic_links_below_proc_are_not_followed);
    tcase_add_test(tc, no_uri_leaks_a_descriptor);
}

int
main(void)
{
    return test_main("files-confine", add_tests);
}
