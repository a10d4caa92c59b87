/* SPDX-License-Identifier: MIT
 *
 * test_profile_many.c - several files, or the files of a directory, as one configuration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/profile.h"
#include "support/rig.h"
#include "support/runner.h"

#define SERVER(id)  "  " id ": {transport: stdio, command: c}\n"
#define FILE_OF(id) "version: 1\nservers:\n" SERVER(id)
#define BAD         "version: 2\n"

static struct rig_workspace ws;
static struct mcph_config_reader *reader;
static mcphost_config *config;

static void
up(void)
{
    rig_workspace_up(&ws, NULL);
    reader = NULL;
    config = NULL;
}

static void
down(void)
{
    mcph_config_unref(config);
    if (reader)
        reader->free(reader);
    rig_workspace_down(&ws);
}

static const char *
in(const char *name)
{
    return rig_workspace_path(&ws, name);
}

/* Makes the directory of a file and writes the file. */
static void
put_file(const char *name, const char *text)
{
    char dir[64];

    snprintf(dir, sizeof(dir), "%s", name);
    for (char *slash = strchr(dir, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(in(dir), 0700);
        *slash = '/';
    }
    rig_workspace_write(&ws, name, "%s", text);
}

static void
remove_file(const char *name)
{
    ck_assert_int_eq(unlink(in(name)), 0);
}

static void
read_again(void)
{
    mcph_config_unref(config);
    config = NULL;
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
}

/* Opens a reader of the directory `dir` of the workspace and reads the files.  The reader
 * keeps the last good servers of a file. */
static void
open_dir(void)
{
    ck_assert_int_eq(mcph_dir_reader_new(in("dir"), ws.dir, &reader, NULL), 0);
    reader->keeps_last_good = true;
    read_again();
}

static void
open_files(const char *const *files, size_t n)
{
    ck_assert_int_eq(mcph_many_reader_new(files, n, ws.dir, &reader, NULL), 0);
    reader->keeps_last_good = true;
    read_again();
}

/* Returns the ids of the servers in order, such as "a b -c".  A '-' marks an invalid
 * server. */
static const char *
servers(void)
{
    static char text[1024];

    text[0] = '\0';
    for (size_t i = 0; i < config->servers.n; i++) {
        const struct mcph_config_server *server = config->servers.items[i];
        size_t len = strlen(text);

        snprintf(text + len, sizeof(text) - len, "%s%s%s", i ? " " : "",
                 server->state == MCPHOST_CONFIG_SERVER_INVALID ? "-" : "", server->id);
    }
    return text;
}

/* Returns "NAME:LINE:COLUMN MESSAGE\n" for each diagnostic.  NAME is the name of the file
 * without its directory. */
static const char *
diags(void)
{
    static char text[8192];

    text[0] = '\0';
    for (size_t i = 0; i < config->diags.n; i++) {
        const struct mcph_diag *diag = config->diags.items[i];
        const char *slash = strrchr(diag->file, '/');
        size_t len = strlen(text);

        snprintf(text + len, sizeof(text) - len, "%s:%d:%d %s\n",
                 slash ? slash + 1 : diag->file, diag->line, diag->column, diag->message);
    }
    return text;
}

/* ---- order ------------------------------------------------------------------------- */

START_TEST(files_of_a_directory_are_read_in_the_order_of_their_names) /* R3 */
{
    put_file("dir/b.yaml", FILE_OF("of-b"));
    put_file("dir/a.yml", "version: 1\nservers:\n" SERVER("z") SERVER("y"));
    put_file("dir/C.yaml", FILE_OF("of-C"));
    put_file("dir/a-b.yaml", FILE_OF("of-a-b"));
    open_dir();
    ck_assert_str_eq(servers(), "of-C of-a-b z y of-b");
    ck_assert_str_eq(diags(), "");
    ck_assert_int_eq(config->status, 0);
}
END_TEST

START_TEST(other_files_hidden_files_and_subdirectories_are_ignored)
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/.b.yaml", FILE_OF("b"));
    put_file("dir/.yaml", FILE_OF("c"));
    put_file("dir/d.yaml~", FILE_OF("d"));
    put_file("dir/e.YAML", FILE_OF("e"));
    put_file("dir/yaml", FILE_OF("f"));
    put_file("dir/sub/g.yaml", FILE_OF("g"));
    open_dir();
    ck_assert_str_eq(servers(), "a");
    ck_assert_uint_eq(config->diags.n, 0);
}
END_TEST

START_TEST(files_of_a_set_are_read_in_its_order) /* R3 */
{
    const char *const files[] = {in("z.yaml"), in("a.conf"), in("m.yaml")};

    put_file("z.yaml", FILE_OF("of-z"));
    put_file("a.conf", FILE_OF("of-a"));
    put_file("m.yaml", FILE_OF("of-m"));
    open_files(files, 3);
    ck_assert_str_eq(servers(), "of-z of-a of-m");
    /* The reader itself holds the name of the first file.  The configuration lists only
     * the other files. */
    ck_assert_str_eq(reader->file, files[0]);
    ck_assert_ptr_null(reader->counts);
    ck_assert_uint_eq(config->files.n, 2);
    ck_assert_str_eq(config->files.items[0], files[1]);
    ck_assert_str_eq(config->files.items[1], files[2]);
}
END_TEST

START_TEST(the_configuration_lists_each_file_of_a_directory_to_be_watched) /* R88 */
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", BAD);
    put_file("dir/c.yaml",
             "version: 1\nservers:\n"
             "  c: {transport: stdio, command: c, manual: {contentFile: m.md}}\n");
    put_file("m.md", "Read this.\n");
    open_dir();
    ck_assert_str_eq(reader->file, in("dir"));
    ck_assert(reader->counts("x.yaml") && reader->counts("x.yml"));
    ck_assert(!reader->counts(".x.yaml") && !reader->counts("x.yaml~") &&
              !reader->counts("yml") && !reader->counts(".yml"));
    ck_assert_uint_eq(config->files.n, 4);
    ck_assert_str_eq(config->files.items[0], in("dir/a.yaml"));
    ck_assert_str_eq(config->files.items[1], in("dir/b.yaml"));
    ck_assert_str_eq(config->files.items[2], in("dir/c.yaml"));
    ck_assert_str_eq(config->files.items[3], in("m.md"));
    ck_assert(config->has_manuals);
}
END_TEST

/* ---- faults ------------------------------------------------------------------------ */

START_TEST(a_bad_file_does_not_affect_the_servers_of_other_files) /* R3 R114 */
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", BAD);
    put_file("dir/c.yaml", FILE_OF("c"));
    put_file("dir/d.yaml", "");
    open_dir();
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(servers(), "a c");
    ck_assert_uint_eq(config->diags.n, 2);
    ck_assert_ptr_nonnull(strstr(diags(), "b.yaml:1:10 version: expected the number 1"));
    ck_assert_ptr_nonnull(strstr(diags(), "d.yaml:1:1 expected a map"));
}
END_TEST

START_TEST(a_file_that_turns_bad_keeps_its_last_good_servers) /* R3 R114 R115 */
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", "version: 1\nservers:\n" SERVER("b") "  i: {transport: 7}\n");
    put_file("dir/c.yaml", FILE_OF("c"));
    open_dir();
    ck_assert_str_eq(servers(), "a b -i c");
    reader->keeps_last_good = _i == 0;
    put_file("dir/b.yaml", BAD);
    for (int i = 0; i < 2; i++) {
        read_again();
        ck_assert_int_eq(config->status, 0);
        ck_assert_str_eq(servers(), _i ? "a c" : "a b -i c");
        /* The reader also keeps the diagnostic of an invalid server. */
        ck_assert_uint_eq(config->diags.n, _i ? 1 : 2);
        ck_assert_ptr_nonnull(strstr(diags(), "b.yaml:1:10 version: expected"));
        if (!_i)
            ck_assert_ptr_nonnull(mcph_config_find(config, "i")->error);
    }
    put_file("dir/b.yaml", FILE_OF("b"));
    read_again();
    ck_assert_str_eq(servers(), "a b c");
    ck_assert_str_eq(diags(), "");
}
END_TEST

START_TEST(removing_a_file_from_a_directory_removes_its_servers) /* R93 */
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", FILE_OF("b"));
    open_dir();
    remove_file("dir/a.yaml");
    read_again();
    ck_assert_str_eq(servers(), "b");
    ck_assert_str_eq(diags(), "");
    /* A file that returns after its removal counts as a new file.  The reader has no last
     * good servers for a new file. */
    put_file("dir/a.yaml", BAD);
    read_again();
    ck_assert_str_eq(servers(), "b");
    remove_file("dir/a.yaml");
    remove_file("dir/b.yaml");
    read_again();
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(servers(), "");
    ck_assert_str_eq(diags(), "");
}
END_TEST

START_TEST(a_missing_file_of_a_set_does_not_affect_the_others) /* R3 R114 */
{
    const char *const files[] = {in("a.yaml"), in("b.yaml")};

    put_file("b.yaml", FILE_OF("b"));
    open_files(files, 2);
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(servers(), "b");
    ck_assert_uint_eq(config->diags.n, 1);
    ck_assert_ptr_nonnull(strstr(diags(), "a.yaml:0:0 cannot open"));
    remove_file("b.yaml");
    read_again();
    ck_assert_str_eq(servers(), "b"); /* the reader keeps the last good servers */
    ck_assert_uint_eq(config->diags.n, 2);
}
END_TEST

START_TEST(a_missing_directory_fails_with_e_notfound) /* R114 */
{
    open_dir();
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
    ck_assert_ptr_nonnull(strstr(diags(), "dir:0:0 cannot open"));
    put_file("dir/a.yaml", FILE_OF("a"));
    read_again();
    ck_assert_int_eq(config->status, 0);
    ck_assert_str_eq(servers(), "a");
    remove_file("dir/a.yaml");
    ck_assert_int_eq(rmdir(in("dir")), 0);
    put_file("dir", "a file");
    read_again();
    ck_assert_int_eq(config->status, MCPHOST_E_NOTFOUND);
    ck_assert_uint_eq(config->servers.n, 0);
}
END_TEST

START_TEST(directories_fifos_and_broken_links_are_reported_each_by_itself)
{
    put_file("dir/a.yaml", FILE_OF("a"));
    ck_assert_int_eq(mkdir(in("dir/b.yaml"), 0700), 0);
    ck_assert_int_eq(mkfifo(in("dir/c.yaml"), 0600), 0);
    ck_assert_int_eq(symlink("nowhere", in("dir/d.yaml")), 0);
    ck_assert_int_eq(symlink("e.yaml", in("dir/e.yaml")), 0);
    open_dir();
    ck_assert_str_eq(servers(), "a");
    ck_assert_uint_eq(config->diags.n, 4);
    ck_assert_ptr_nonnull(strstr(diags(), "b.yaml' is not a regular file"));
    ck_assert_ptr_nonnull(strstr(diags(), "c.yaml' is not a regular file"));
    ck_assert_ptr_nonnull(strstr(diags(), "d.yaml:0:0 cannot open"));
    ck_assert_ptr_nonnull(strstr(diags(), "e.yaml:0:0 cannot open"));
}
END_TEST

START_TEST(the_target_of_a_linked_file_is_read)
{
    put_file("a.conf", FILE_OF("a"));
    put_file("b.conf", FILE_OF("b"));
    put_file("dir/z.yaml", FILE_OF("z"));
    ck_assert_int_eq(symlink("../a.conf", in("dir/l.yaml")), 0);
    open_dir();
    ck_assert_str_eq(servers(), "a z");
    remove_file("dir/l.yaml");
    ck_assert_int_eq(symlink("../b.conf", in("dir/l.yaml")), 0);
    read_again();
    ck_assert_str_eq(servers(), "b z");
}
END_TEST

START_TEST(control_characters_in_the_name_of_a_file_are_not_shown) /* R8 */
{
    put_file("dir/a\n\033[2J\377.yaml", BAD);
    open_dir();
    ck_assert_uint_eq(config->diags.n, 1);
    ck_assert_ptr_nonnull(strstr(diags(), "a  [2J\357\277\275.yaml:1:10 version:"));
    ck_assert_str_eq(config->files.items[0], in("dir/a\n\033[2J\377.yaml"));
}
END_TEST

/* ---- the same id twice ------------------------------------------------------------- */

START_TEST(a_second_server_with_the_same_id_is_ignored_and_reported) /* R3 R115 */
{
    const struct mcph_config_server *server;
    mcphost_config *picked;

    put_file("dir/a.yaml",
             "version: 1\n\nservers:\n  x: {transport: stdio, command: first}\n");
    put_file("dir/b.yaml", "version: 1\nservers:\n" SERVER(
                               "b") "  x: {transport: stdio, command: 7, oddd: 1}\n");
    open_dir();
    ck_assert_str_eq(servers(), "x b");
    server = mcph_config_find(config, "x");
    ck_assert_str_eq(server->spec->command, "first");
    ck_assert_str_eq(server->spec->file, in("dir/a.yaml"));
    ck_assert_ptr_null(server->error);
    ck_assert_ptr_nonnull(strstr(diags(), "b.yaml:4:3 servers.x: declared already at "));
    ck_assert_ptr_nonnull(strstr(diags(), "/dir/a.yaml:4:3, and that one is used\n"));
    /* Other faults of the second server do not affect the first server. */
    ck_assert_ptr_nonnull(strstr(diags(), "servers.x.command: "));
    for (size_t i = 0; i < config->diags.n; i++)
        ck_assert_int_ne(((struct mcph_diag *)config->diags.items[i])->severity,
                         MCPHOST_DIAGNOSTIC_ERROR);
    ck_assert_int_eq(mcph_config_pick(config, "x", &picked), 0);
    ck_assert_uint_eq(picked->diags.n, 0);
    ck_assert_str_eq(picked->file, in("dir/a.yaml"));
    mcph_config_unref(picked);
    /* After the removal of the first file, the configuration has the second server. */
    remove_file("dir/a.yaml");
    read_again();
    ck_assert_str_eq(servers(), "b -x");
}
END_TEST

START_TEST(an_invalid_server_is_picked_with_its_own_diagnostics) /* R115 */
{
    mcphost_config *picked;

    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", "version: 1\nservers:\n  i: {transport: stdio}\n");
    open_dir();
    ck_assert_str_eq(servers(), "a -i");
    ck_assert_int_eq(mcph_config_pick(config, "i", &picked), 0);
    ck_assert_uint_eq(picked->servers.n, 1);
    ck_assert_uint_ge(picked->diags.n, 1);
    ck_assert_str_eq(((struct mcph_diag *)picked->diags.items[0])->file,
                     in("dir/b.yaml"));
    mcph_config_unref(picked);
    ck_assert_int_eq(mcph_config_pick(config, "none", &picked), MCPHOST_E_NOTFOUND);
}
END_TEST

/* ---- files that are read again ----------------------------------------------------- */

static const struct mcph_spec *
spec(const char *id)
{
    return mcph_config_find(config, id)->spec;
}

/* Waits until the times of the files are old enough to be trusted.  Then reads again. */
static void
wait_and_read_again(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
    read_again();
}

START_TEST(a_file_that_is_unchanged_is_not_read_again) /* R94 */
{
    const struct mcph_spec *a, *b, *c;
    mcphost_config *first;

    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", FILE_OF("b"));
    put_file("dir/c.yaml", FILE_OF("c"));
    open_dir();
    wait_and_read_again();
    first = mcph_config_ref(config); /* keeps the old specs, so that no new spec gets
                                      * the address of an old spec */
    a = spec("a");
    b = spec("b");
    c = spec("c");
    put_file("dir/b.yaml", "version: 1\nservers:\n  b: {transport: stdio, command: d}\n");
    remove_file("dir/c.yaml");
    read_again();
    ck_assert_str_eq(servers(), "a b");
    ck_assert_ptr_eq(spec("a"), a);
    ck_assert_ptr_ne(spec("b"), b);
    ck_assert_str_eq(spec("b")->command, "d");
    put_file("dir/c.yaml", FILE_OF("c"));
    read_again();
    ck_assert_str_eq(servers(), "a b c");
    ck_assert_ptr_eq(spec("a"), a);
    ck_assert_ptr_ne(spec("c"), c);
    mcph_config_unref(first);
}
END_TEST

START_TEST(a_file_that_names_a_changed_file_is_read_again) /* R88 */
{
    put_file("dir/a.yaml",
             "version: 1\nservers:\n"
             "  a: {transport: stdio, command: c, manual: {contentFile: m.md}}\n");
    put_file("m.md", "First.\n");
    open_dir();
    wait_and_read_again();
    ck_assert_str_eq(spec("a")->manual, "First.\n");
    put_file("m.md", "Second.\n");
    read_again();
    ck_assert_str_eq(spec("a")->manual, "Second.\n");
}
END_TEST

START_TEST(a_bad_file_that_is_mended_by_a_rename_is_read) /* R114 */
{
    put_file("dir/a.yaml", FILE_OF("a"));
    open_dir();
    wait_and_read_again();
    ck_assert_int_eq(rename(in("dir/a.yaml"), in("saved")), 0);
    put_file("dir/a.yaml", BAD);
    read_again();
    ck_assert_uint_eq(config->diags.n, 1);
    ck_assert_int_eq(rename(in("saved"), in("dir/a.yaml")), 0);
    read_again();
    ck_assert_str_eq(servers(), "a");
    ck_assert_uint_eq(config->diags.n, 0);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------ */

START_TEST(a_thousand_files_are_read_and_one_more_is_refused)
{
    char name[64], text[128];

    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "dir/f%03d.yaml", i);
        snprintf(text, sizeof(text), FILE_OF("s%03d"), i);
        put_file(name, text);
    }
    open_dir();
    ck_assert_uint_eq(config->servers.n, 1000);
    ck_assert_uint_eq(config->files.n, 1000);
    ck_assert_str_eq(((struct mcph_config_server *)config->servers.items[999])->id,
                     "s999");
    put_file("dir/more.yaml", FILE_OF("more"));
    read_again();
    ck_assert_int_eq(config->status, MCPHOST_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(diags(), "has more than 1000 files"));
    remove_file("dir/more.yaml");
    read_again();
    ck_assert_uint_eq(config->servers.n, 1000);
}
END_TEST

START_TEST(a_file_that_is_too_large_does_not_affect_the_others)
{
    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", FILE_OF("b"));
    ck_assert_int_eq(truncate(in("dir/b.yaml"), MCPH_YAML_SIZE_MAX + 1), 0);
    open_dir();
    ck_assert_str_eq(servers(), "a");
    ck_assert_ptr_nonnull(strstr(diags(), "is larger than"));
}
END_TEST

START_TEST(diagnostics_of_all_files_have_one_limit_that_hides_no_error)
{
    mcphost_config *parts[3];

    config = mcph_config_new("test", NULL, "whole", "/ws");
    for (int p = 0; p < 3; p++) {
        parts[p] = mcph_config_new("test", "f", p ? p == 1 ? "f1" : "f2" : "f0", "/ws");
        mcph_config_add_server(parts[p], p ? p == 1 ? "s1" : "s2" : "s0", 2000, 1);
        for (int i = 0; i < MCPH_DIAG_MAX + 5; i++)
            mcph_config_diag(parts[p], MCPHOST_DIAGNOSTIC_WARNING, NULL, "k", 1 + i, 1,
                             "odd");
        mcph_config_diag(parts[p], MCPHOST_DIAGNOSTIC_ERROR,
                         p ? p == 1 ? "s1" : "s2" : "s0", "servers", 2000, 2, "bad");
        ck_assert_int_eq(mcph_config_finish(parts[p]), 0);
        ck_assert_int_eq(mcph_config_merge(config, parts[p], false), 0);
        mcph_config_unref(parts[p]);
    }
    ck_assert_int_eq(mcph_config_finish(config), 0);
    /* The diagnostics are the MCPH_DIAG_MAX + 1 diagnostics of the first part, the error
     * of each of the two other parts, and a message with the number of messages that are
     * left out. */
    ck_assert_uint_eq(config->diags.n, MCPH_DIAG_MAX + 1 + 2 + 1);
    ck_assert_str_eq(mcph_config_find(config, "s2")->error->message, "servers: bad");
    ck_assert_str_eq(mcph_config_find(config, "s2")->error->file, "f2");
    ck_assert_str_eq(
        ((struct mcph_diag *)config->diags.items[config->diags.n - 1])->message,
        "2015 more messages are left out");
}
END_TEST

START_TEST(empty_duplicate_and_too_large_sets_are_refused)
{
    const char *const twice[] = {in("a.yaml"), in("b.yaml"), in("a.yaml")};
    const char *const null[] = {in("a.yaml"), NULL};
    const char *many[1001];
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcph_many_reader_new(twice, 0, ws.dir, &reader, NULL),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_many_reader_new(twice, 3, ws.dir, &reader, &err),
                     MCPHOST_E_INVALID);
    ck_assert_ptr_nonnull(
        strstr(mcphost_error_get_message(err), "a.yaml' is listed twice"));
    mcphost_error_unref(err);
    ck_assert_int_eq(mcph_many_reader_new(null, 2, ws.dir, &reader, NULL),
                     MCPHOST_E_INVALID);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(many); i++)
        many[i] = "x";
    ck_assert_int_eq(mcph_many_reader_new(many, 1001, ws.dir, &reader, NULL),
                     MCPHOST_E_LIMIT);
    ck_assert_ptr_null(reader);
}
END_TEST

/* ---- editing ----------------------------------------------------------------------- */

static void
says(const char *name, const char *text)
{
    char *now = rig_workspace_read(&ws, name);

    ck_assert_str_eq(now, text);
    free(now);
}

START_TEST(enabled_is_written_into_the_file_that_declares_the_server) /* B.14 */
{
    struct mcph_config_edit edit;
    struct mcph_file_sig now;
    mcphost_error *err = NULL;

    put_file("dir/a.yaml", FILE_OF("a"));
    put_file("dir/b.yaml", FILE_OF("x"));
    put_file("dir/c.yaml", "version: 1\nservers:\n" SERVER("c") SERVER("x"));
    open_dir();
    ck_assert_int_eq(reader->set_enabled(reader, "x", false, &edit, NULL), 1);
    ck_assert_str_eq(edit.file, in("dir/b.yaml"));
    mcph_file_sign(edit.file, &now);
    ck_assert(mcph_file_sig_equal(&edit.after, &now));
    says("dir/a.yaml", FILE_OF("a"));
    says("dir/b.yaml", "version: 1\nservers:\n"
                       "  x: {enabled: false, transport: stdio, command: c}\n");
    says("dir/c.yaml", "version: 1\nservers:\n" SERVER("c") SERVER("x"));
    ck_assert_int_eq(reader->set_enabled(reader, "x", false, &edit, NULL), 0);
    ck_assert_int_eq(reader->set_enabled(reader, "none", false, &edit, &err),
                     MCPHOST_E_NOTFOUND);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "'none'"));
    err = mcphost_error_unref(err);
    /* The reader cannot edit a server if it can no longer read the server's file.  The
     * error names the file. */
    put_file("dir/b.yaml", "version: [\n");
    read_again();
    ck_assert_int_eq(reader->set_enabled(reader, "x", true, &edit, &err),
                     MCPHOST_E_CONFIG);
    ck_assert_str_eq(mcphost_error_get_file(err), in("dir/b.yaml"));
    mcphost_error_unref(err);
}
END_TEST

START_TEST(enabled_is_written_into_the_file_whose_server_is_used) /* B.14 R114 */
{
    struct mcph_config_edit edit;

    put_file("dir/a.yaml", FILE_OF("x"));
    put_file("dir/b.yaml", FILE_OF("x"));
    open_dir();
    reader->keeps_last_good = _i == 0;
    put_file("dir/a.yaml", "version: [\n");
    read_again();
    ck_assert_str_eq(servers(), "x");
    if (_i == 0) { /* the reader still has the bad file's last good server */
        ck_assert_int_eq(reader->set_enabled(reader, "x", false, &edit, NULL),
                         MCPHOST_E_CONFIG);
    } else {
        ck_assert_int_eq(reader->set_enabled(reader, "x", false, &edit, NULL), 1);
        ck_assert_str_eq(edit.file, in("dir/b.yaml"));
    }
    says("dir/a.yaml", "version: [\n");
}
END_TEST

START_TEST(the_transports_of_the_source_apply_to_each_file)
{
    put_file("dir/a.yaml",
             "version: 1\nservers:\n  s: {transport: sse, url: http://h/}\n");
    open_dir();
    ck_assert_str_eq(servers(), "-s");
    reader->transports |= MCPHOST_ALLOW_SSE;
    read_again();
    ck_assert_str_eq(servers(), "s");
}
END_TEST

START_TEST(paths_in_the_files_start_at_the_workspace)
{
    put_file("dir/a.yaml", "version: 1\nservers:\n"
                           "  a: {transport: stdio, command: ./run}\n");
    open_dir();
    ck_assert_str_eq(mcph_config_find(config, "a")->spec->command, in("run"));
    ck_assert_str_eq(config->workspace, ws.dir);
    ck_assert_ptr_null(config->file);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "order");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, files_of_a_directory_are_read_in_the_order_of_their_names);
    tcase_add_test(tc, other_files_hidden_files_and_subdirectories_are_ignored);
    tcase_add_test(tc, files_of_a_set_are_read_in_its_order);
    tcase_add_test(tc, the_configuration_lists_each_file_of_a_directory_to_be_watched);

    tc = test_case(suite, "bad");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_bad_file_does_not_affect_the_servers_of_other_files);
    tcase_add_loop_test(tc, a_file_that_turns_bad_keeps_its_last_good_servers, 0, 2);
    tcase_add_test(tc, removing_a_file_from_a_directory_removes_its_servers);
    tcase_add_test(tc, a_missing_file_of_a_set_does_not_affect_the_others);
    tcase_add_test(tc, a_missing_directory_fails_with_e_notfound);
    tcase_add_test(tc, directories_fifos_and_broken_links_are_reported_each_by_itself);
    tcase_add_test(tc, the_target_of_a_linked_file_is_read);
    tcase_add_test(tc, control_characters_in_the_name_of_a_file_are_not_shown);

    tc = test_case(suite, "twice");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_second_server_with_the_same_id_is_ignored_and_reported);
    tcase_add_test(tc, an_invalid_server_is_picked_with_its_own_diagnostics);

    tc = test_case(suite, "again");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_file_that_is_unchanged_is_not_read_again);
    tcase_add_test(tc, a_file_that_names_a_changed_file_is_read_again);
    tcase_add_test(tc, a_bad_file_that_is_mended_by_a_rename_is_read);

    tc = test_case(suite, "limits");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_thousand_files_are_read_and_one_more_is_refused);
    tcase_add_test(tc, a_file_that_is_too_large_does_not_affect_the_others);
    tcase_add_test(tc, diagnostics_of_all_files_have_one_limit_that_hides_no_error);
    tcase_add_test(tc, empty_duplicate_and_too_large_sets_are_refused);

    tc = test_case(suite, "edits");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, enabled_is_written_into_the_file_that_declares_the_server);
    tcase_add_loop_test(tc, enabled_is_written_into_the_file_whose_server_is_used, 0, 2);
    tcase_add_test(tc, the_transports_of_the_source_apply_to_each_file);
    tcase_add_test(tc, paths_in_the_files_start_at_the_workspace);
}

int
main(void)
{
    return test_main("profile-many", add);
}
