/* SPDX-License-Identifier: MIT
 *
 * test_profile_edit.c - setting `enabled` of a server in .minds/mcp.yaml.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile/profile.h"
#include "support/runner.h"

#define TEXT                                                                 \
    "version: 1\r\nservers:\r\n  # the web\r\n  web: {command: x} # one\r\n" \
    "  \"b\":\r\n    command: y\r\n    enabled: true   # two\r\n"

static char dir[64], file[96];
static struct mcph_config_reader *source;
static struct mcph_config_edit edit;
static int saves; /* how many more times the editor saves the file between the library's
                   * read and rename */

static void
put_file(const char *text)
{
    FILE *f = fopen(file, "we");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

/* Replaces fsync() of the C library.  Saves the file as an editor would, because
 * libmcphost checks after fsync() whether the file has changed. */
int
fsync(int fd)
{
    if (saves > 0) {
        char text[512];

        saves--;
        snprintf(text, sizeof(text), TEXT "# saved, %d more\r\n", saves);
        put_file(text);
    }
    return (int)syscall(SYS_fsync, fd);
}

static void
holds(const char *text)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4096);
    ck_assert_int_eq(mcph_file_read(file, 4096, &buf, NULL), 0);
    mcph_buf_addc(&buf, '\0');
    ck_assert_str_eq(buf.data, text);
    mcph_buf_done(&buf);
}

static void
up(void)
{
    char path[80];

    saves = 0;
    snprintf(dir, sizeof(dir), "/tmp/mcphost-edit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/.minds", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(file, sizeof(file), "%s/.minds/mcp.yaml", dir);
    put_file(TEXT);
    ck_assert_int_eq(mcph_dominds_source_new(NULL, dir, &source, NULL), 0);
    ck_assert_str_eq(source->file, file);
}

static void
down(void)
{
    char path[80];

    source->free(source);
    unlink(file);
    snprintf(path, sizeof(path), "%s/.minds", dir);
    ck_assert_int_eq(rmdir(path), 0); /* fails if .minds still has a file */
    ck_assert_int_eq(rmdir(dir), 0);
}

static int
set(const char *id, bool enabled)
{
    return source->set_enabled(source, id, enabled, &edit, NULL);
}

START_TEST(an_edit_changes_only_the_text_of_enabled) /* B.14 */
{
    struct mcph_file_sig first, now;

    mcph_file_sign(file, &first);
    ck_assert_int_eq(set("web", false), 1);
    ck_assert(mcph_file_sig_equal(&edit.before, &first));
    mcph_file_sign(file, &now);
    ck_assert(mcph_file_sig_equal(&edit.after, &now));
    ck_assert_int_eq(set("b", false), 1);
    ck_assert(mcph_file_sig_equal(&edit.before, &now));
    holds(
        "version: 1\r\nservers:\r\n  # the web\r\n  web: {enabled: false, command: x} # "
        "one\r\n  \"b\":\r\n    command: y\r\n    enabled: false   # two\r\n");
    ck_assert_int_eq(set("b", true), 1);
    ck_assert_int_eq(set("web", true), 1);
    holds("version: 1\r\nservers:\r\n  # the web\r\n  web: {enabled: true, command: x} # "
          "one\r\n  \"b\":\r\n    command: y\r\n    enabled: true   # two\r\n");
}
END_TEST

START_TEST(a_file_that_has_the_value_already_is_not_written) /* B.14 */
{
    struct mcph_file_sig first, now;

    mcph_file_sign(file, &first);
    edit.before.error = edit.after.error = 77;
    ck_assert_int_eq(set("b", true), 0);
    ck_assert_int_eq(set("web", true), 0);
    mcph_file_sign(file, &now);
    ck_assert(mcph_file_sig_equal(&first, &now));
    ck_assert_int_eq(edit.before.error, 77);
    ck_assert_int_eq(edit.after.error, 77);
}
END_TEST

START_TEST(an_edit_is_made_again_on_the_text_that_an_editor_saves_meanwhile)
{
    saves = 2;
    ck_assert_int_eq(set("b", false), 1);
    holds("version: 1\r\nservers:\r\n  # the web\r\n  web: {command: x} # one\r\n"
          "  \"b\":\r\n    command: y\r\n    enabled: false   # two\r\n# saved, 0 "
          "more\r\n");
    saves = 1000; /* the edit fails if the editor saves during each attempt */
    ck_assert_int_eq(set("web", false), MCPHOST_E_STATE);
    ck_assert_int_eq(saves, 997);
    holds(TEXT "# saved, 997 more\r\n");
}
END_TEST

START_TEST(a_refusal_names_the_file_and_leaves_it_alone)
{
    mcphost_error *err = NULL;

    ck_assert_int_eq(source->set_enabled(source, "none", false, &edit, &err),
                     MCPHOST_E_NOTFOUND);
    ck_assert_str_eq(mcphost_error_get_file(err), file);
    err = mcphost_error_unref(err);
    holds(TEXT);
    put_file("version: 1\nx: &w {command: x}\nservers: {web: *w}\n");
    ck_assert_int_eq(source->set_enabled(source, "web", false, &edit, &err),
                     MCPHOST_E_CONFIG);
    ck_assert_int_eq(mcphost_error_get_line(err), 3);
    ck_assert_int_eq(mcphost_error_get_column(err), 16);
    err = mcphost_error_unref(err);
    ck_assert_int_eq(unlink(file), 0);
    ck_assert_int_eq(set("web", false), MCPHOST_E_NOTFOUND);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "edit");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, an_edit_changes_only_the_text_of_enabled);
    tcase_add_test(tc, a_file_that_has_the_value_already_is_not_written);
    tcase_add_test(tc, an_edit_is_made_again_on_the_text_that_an_editor_saves_meanwhile);
    tcase_add_test(tc, a_refusal_names_the_file_and_leaves_it_alone);
}

int
main(void)
{
    return test_main("profile-edit", add);
}
