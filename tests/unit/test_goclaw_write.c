/* SPDX-License-Identifier: MIT
 *
 * test_goclaw_write.c - edits of .goclaw/mcp.json.
 *
 * The tests check the form of the file, refused edits, and many writers at once.  Some
 * writers kill themselves during an edit.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/goclaw.h"
#include "support/conf.h"
#include "support/rig.h"
#include "support/runner.h"

#define FILE_NAME ".goclaw/mcp.json"
#define STDIO     "{\"type\":\"stdio\",\"command\":\"x\"}"

static struct rig_workspace ws;
static struct mcph_goclaw *goclaw;
static mcphost_error *err;
static struct mcph_config_edit edit;
static const char *saved; /* the text that another program saves during an edit; NULL
                           * means a new text each time */
static int saves, moves;
static int deadly; /* a process kills itself before and after each fsync() with a
                    * chance of 1 in `deadly`; 0 means never */

/* ---- other programs during an edit ------------------------------------------------- */

static void
perhaps_die(void)
{
    if (deadly > 0 && random() % deadly == 0)
        kill(getpid(), SIGKILL);
}

/* Replaces fsync() of the C library.  A test can change the file here, because the
 * library checks after fsync() whether the file has changed since it was read. */
int
fsync(int fd)
{
    int r;

    if (saves > 0) {
        saves--;
        if (saved)
            rig_workspace_write(&ws, FILE_NAME, "%s", saved);
        else
            rig_workspace_write(&ws, FILE_NAME, "{\"servers\":{\"t%d\":{}}}", saves);
    }
    if (moves > 0) {
        moves--;
        ck_assert_int_eq(
            rename(rig_workspace_path(&ws, ".goclaw"), rig_workspace_path(&ws, "moved")),
            0);
        ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw"), 0755), 0);
    }
    perhaps_die();
    r = (int)syscall(SYS_fsync, fd);
    perhaps_die();
    return r;
}

static struct mcph_span
span(const char *text)
{
    return mcph_span(text, strlen(text));
}

static int
put_server(const char *name, const char *entry)
{
    err = mcphost_error_unref(err);
    return mcph_goclaw_put_server(goclaw, span(name), span(entry), &edit, &err);
}

static int delete (const char *name)
{
    err = mcphost_error_unref(err);
    return mcph_goclaw_delete_server(goclaw, span(name), &edit, &err);
}

static int
enable(const char *name, bool enabled)
{
    err = mcphost_error_unref(err);
    return mcph_goclaw_enable_server(goclaw, span(name), enabled, &edit, &err);
}

static void
write_file(const char *text)
{
    if (mkdir(rig_workspace_path(&ws, ".goclaw"), 0755) < 0)
        ck_assert_int_eq(errno, EEXIST);
    rig_workspace_write(&ws, FILE_NAME, "%s", text);
}

static void
holds(const char *text)
{
    char *now = rig_workspace_read(&ws, FILE_NAME);

    ck_assert_str_eq(now, text);
    free(now);
    ck_assert_int_ne(access(rig_workspace_path(&ws, ".goclaw/.mcp.json.tmp"), F_OK), 0);
}

static void
up(void)
{
    saves = moves = deadly = 0;
    rig_workspace_up(&ws, NULL);
    ck_assert_int_eq(mcph_goclaw_new(ws.dir, NULL, 0, &goclaw, NULL), 0);
}

static void
down(void)
{
    err = mcphost_error_unref(err);
    mcph_goclaw_free(goclaw);
    rig_workspace_down(&ws);
}

/* ---- the form ---------------------------------------------------------------------- */

START_TEST(the_first_put_creates_the_directory_and_the_file) /* R190 R193, B.33 */
{
    struct stat st;

    ck_assert_int_eq(put_server("web", STDIO), 1);
    holds("{\n  \"version\": 1,\n  \"servers\": {\n    \"web\": {\n"
          "      \"enabled\": true,\n      \"type\": \"stdio\",\n"
          "      \"command\": \"x\"\n    }\n  }\n}\n");
    ck_assert_int_eq(stat(rig_workspace_path(&ws, FILE_NAME), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_str_eq(edit.file, rig_workspace_path(&ws, FILE_NAME));
    ck_assert_int_eq(edit.before.error, ENOENT);
    ck_assert_uint_eq(edit.after.inode, st.st_ino);
}
END_TEST

/* Tests requirements R193, B.33, B.35 and K16. */
START_TEST(members_have_a_fixed_order_and_empty_members_are_left_out)
{
    ck_assert_int_eq(
        put_server("b", "{\"timeoutSeconds\":9,\"headers\":{\"Z\":\"1\",\"A\":\"<2>\"},"
                        "\"url\":\"http://h/\",\"env\":{},\"args\":[],\"command\":\"\","
                        "\"type\":\"http\",\"enabled\":false,\"name\":\"b\"}"),
        1);
    ck_assert_int_eq(
        put_server("a", "{\"type\":\"stdio\",\"command\":\"x\",\"timeoutSeconds\":0,"
                        "\"args\":[\" one \",\"\",\"\\t\",\"two\"],\"url\":null}"),
        1);
    holds("{\n  \"version\": 1,\n  \"servers\": {\n    \"a\": {\n"
          "      \"enabled\": true,\n      \"type\": \"stdio\",\n"
          "      \"command\": \"x\",\n      \"args\": [\n        \"one\",\n"
          "        \"two\"\n      ]\n    },\n    \"b\": {\n"
          "      \"enabled\": false,\n      \"type\": \"http\",\n"
          "      \"url\": \"http://h/\",\n      \"headers\": {\n"
          "        \"A\": \"<2>\",\n        \"Z\": \"1\"\n      },\n"
          "      \"timeoutSeconds\": 9\n    }\n  }\n}\n");
}
END_TEST

START_TEST(args_with_only_blank_items_are_left_out) /* B.35 */
{
    char *now;

    ck_assert_int_eq(
        put_server("a", "{\"type\":\"stdio\",\"command\":\"x\",\"args\":[\" \"]}"), 1);
    now = rig_workspace_read(&ws, FILE_NAME);
    test_has_not(now, "args");
    free(now);
}
END_TEST

START_TEST(a_put_keeps_unknown_members_and_replaces_known_members) /* R193, K16 */
{
    write_file("{\"$schema\":\"s\",\"servers\":{\"b\":{\"note\":[1,{\"x\":1e400}],"
               "\"enabled\":true,\"type\":\"stdio\",\"command\":\"old\","
               "\"args\":[\"gone\"]},\"a\":{\"alpha\":{},\"command\":\" kept \"},"
               "\"c\":[true]},\"version\":3,\"more\":{\"z\":null,\"y\":[]}}");
    /* K20: a higher version needs the flag MCPHOST_GOCLAW_ANY_VERSION. */
    ck_assert_int_eq(put_server("b", STDIO), MCPHOST_E_CONFIG);
    goclaw->flags = MCPHOST_GOCLAW_ANY_VERSION;
    ck_assert_int_eq(put_server("b", STDIO), 1);
    holds("{\n  \"version\": 3,\n  \"servers\": {\n    \"a\": {\n"
          "      \"command\": \" kept \",\n      \"alpha\": {}\n    },\n    \"b\": {\n"
          "      \"enabled\": true,\n      \"type\": \"stdio\",\n"
          "      \"command\": \"x\",\n      \"note\": [\n        1,\n        {\n"
          "          \"x\": 1e400\n        }\n      ]\n    },\n    \"c\": [\n"
          "      true\n    ]\n  },\n  \"$schema\": \"s\",\n  \"more\": {\n"
          "    \"z\": null,\n    \"y\": []\n  }\n}\n");
}
END_TEST

#define LATER(url)                                                                      \
    "{\"servers\":{\"a\":{\"enabled\":true,\"url\":\"" url                              \
    "\",\"headers\":{\"H\":\"1\"},\"http_headers\":{\"I\":\"1\"},\"tool_timeout_sec\":" \
    "9,"                                                                                \
    "\"bearer_token_env_var\":\"TOKEN\",\"enabled_tools\":[\"t\"]}}}"
#define WEB(url) "{\"type\":\"http\",\"url\":\"" url "\"}"

START_TEST(a_put_keeps_later_keys_but_a_token_only_if_the_url_stays) /* R193, K16, B.39 */
{
    write_file(LATER("http://h/"));
    ck_assert_int_eq(put_server("a", WEB("http://h/")), 1);
    holds("{\n  \"version\": 1,\n  \"servers\": {\n    \"a\": {\n"
          "      \"enabled\": true,\n      \"type\": \"http\",\n"
          "      \"url\": \"http://h/\",\n      \"tool_timeout_sec\": 9,\n"
          "      \"bearer_token_env_var\": \"TOKEN\",\n      \"enabled_tools\": [\n"
          "        \"t\"\n      ]\n    }\n  }\n}\n");
    ck_assert_int_eq(put_server("a", WEB("http://evil/")), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "TOKEN"), 0);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "enabled_tools"), 1);
    write_file(LATER("http://h/"));
    ck_assert_int_eq(put_server("a", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "TOKEN"), 0);
    /* mcph_goclaw_enable_server() changes no member other than `enabled`. */
    write_file(LATER("http://h/"));
    ck_assert_int_eq(enable("a", false), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "TOKEN"), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "http_headers"), 1);
}
END_TEST

START_TEST(a_put_that_changes_nothing_does_not_write) /* R193 */
{
    struct stat first, second;

    ck_assert_int_eq(put_server("web", STDIO), 1);
    ck_assert_int_eq(stat(rig_workspace_path(&ws, FILE_NAME), &first), 0);
    ck_assert_int_eq(put_server("web", STDIO), 0);
    ck_assert_int_eq(stat(rig_workspace_path(&ws, FILE_NAME), &second), 0);
    ck_assert_uint_eq(first.st_ino, second.st_ino);
}
END_TEST

START_TEST(a_missing_workspace_has_its_own_error_message) /* R193 R194 */
{
    mcph_goclaw_free(goclaw);
    ck_assert_int_eq(mcph_goclaw_new("/nowhere/at/all", NULL, 0, &goclaw, NULL), 0);
    ck_assert_int_eq(delete ("a"), MCPHOST_E_NOTFOUND);
    test_has(mcphost_error_get_message(err), "the workspace '/nowhere/at/all'");
    ck_assert_int_eq(put_server("a", STDIO), MCPHOST_E_NOTFOUND);
    mcph_goclaw_free(goclaw);
    ck_assert_int_eq(mcph_goclaw_new(ws.dir, NULL, 0, &goclaw, NULL), 0);
    ck_assert_int_eq(delete ("a"), MCPHOST_E_NOTFOUND);
    test_has(mcphost_error_get_message(err), "there is no server 'a'");
}
END_TEST

START_TEST(a_delete_removes_only_its_server) /* R194 */
{
    ck_assert_int_eq(put_server("a", STDIO), 1);
    ck_assert_int_eq(put_server("b", STDIO), 1);
    ck_assert_int_eq(delete ("a"), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "\"a\""), 0);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "\"b\""), 1);
    ck_assert_int_eq(delete ("a"), MCPHOST_E_NOTFOUND);
    test_has(mcphost_error_get_message(err), "there is no server 'a'");
    ck_assert_int_eq(delete ("b"), 1);
    holds("{\n  \"version\": 1,\n  \"servers\": {}\n}\n");
}
END_TEST

START_TEST(enable_sets_the_member_and_returns_0_if_nothing_changes) /* R195 */
{
    write_file("{\"servers\":{\"a\":{\"type\":\"stdio\",\"command\":\"x\"}}}");
    ck_assert_int_eq(enable("a", false), 0); /* a missing "enabled" counts as false */
    ck_assert_int_eq(enable("a", true), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "\"enabled\": true"), 1);
    ck_assert_int_eq(enable("a", true), 0);
    ck_assert_int_eq(enable("a", false), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "\"enabled\": false"), 1);
    ck_assert_int_eq(enable("none", true), MCPHOST_E_NOTFOUND);
}
END_TEST

START_TEST(invalid_names_can_be_enabled_and_deleted_but_not_put) /* R194 R195, B.34 */
{
    write_file("{\"servers\":{\"my.web/1\":{\"type\":\"stdio\",\"command\":\"x\"}}}");
    ck_assert_int_eq(enable("my.web/1", true), 1);
    ck_assert_int_eq(delete ("my.web/1"), 1);
    ck_assert_int_eq(put_server("my.web/1", STDIO), MCPHOST_E_INVALID);
}
END_TEST

START_TEST(the_source_sets_enabled_in_its_own_file) /* R195 */
{
    struct mcph_config_reader *reader;
    mcphost_config *config;

    ck_assert_int_eq(put_server("a", STDIO), 1);
    ck_assert_int_eq(mcph_goclaw_source_new(NULL, ws.dir, 0, &reader, NULL), 0);
    ck_assert_int_eq(reader->set_enabled(reader, "a", false, &edit, NULL), 1);
    ck_assert_ptr_eq(edit.file, reader->file);
    ck_assert_int_eq(reader->read(reader, &config, NULL), 0);
    ck_assert_int_eq(mcph_config_find(config, "a")->state,
                     MCPHOST_CONFIG_SERVER_DISABLED);
    mcph_config_unref(config);
    reader->free(reader);
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------- */

static const struct {
    const char *entry, *said;
} bad[] = {
    {"[]", "expected an object, found a list"},
    {"{", "not valid JSON"},
    {"{\"type\":\"stdio\"}", "command: expected the program to run, found nothing"},
    {"{\"type\":\"sse\"}", "url: expected an http or https URL, found nothing"},
    {"{\"args\":[]}", "type: expected 'stdio', 'http' or 'sse', found nothing"},
    {"{\"command\":\"x\",\"url\":\"http://h/\"}",
     "expected either 'command' or 'url', found both"},
    {"{\"type\":\"stdio\",\"command\":\"x\",\"enabled_tools\":[]}",
     "unknown key 'enabled_tools'"},
    {"{\"type\":\"ws\",\"enabled\":false}", "found 'ws'"},
    {"{\"type\":\"stdio\",\"command\":\"x\",\"enabled\":\"yes\"}",
     "expected true or false"},
    {"{\"type\":\"stdio\",\"command\":\"x\",\"timeoutSeconds\":-1}", "from 0 to 86400"},
    {"{\"type\":\"stdio\",\"command\":\"x\",\"env\":{\"A\":1}}",
     "env.A: expected a string"},
    {"{\"type\":\"stdio\",\"comand\":\"x\"}", "unknown key 'comand'"},
    {"{\"type\":\"stdio\",\"command\":\"x\",\"args\":[1]}", "args[0]: expected a string"},
    {"{\"type\":\"stdio\",\"type\":\"sse\"}", "duplicate key"},
};

START_TEST(an_entry_that_could_not_be_read_back_is_refused) /* R193, B.35 */
{
    ck_assert_int_eq(put_server("x", bad[_i].entry), MCPHOST_E_INVALID);
    test_has(mcphost_error_get_message(err), bad[_i].said);
    ck_assert_int_ne(access(rig_workspace_path(&ws, ".goclaw"), F_OK), 0);
}
END_TEST

START_TEST(an_invalid_server_name_is_refused) /* R187, B.34, K4 */
{
    static const char *const names[] = {"",    ".",        "..",           "a/b",
                                        "-a",  "_a",       "a.b",          "a b",
                                        "a\n", "\xc3\xa9", "\xef\xbd\x81", "a%2fb"};
    char longest[MCPH_GOCLAW_NAME_MAX + 2];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        ck_assert_msg(put_server(names[i], STDIO) == MCPHOST_E_INVALID, "'%s'", names[i]);
    ck_assert_int_eq(
        mcph_goclaw_put_server(goclaw, mcph_span("a\0b", 3), span(STDIO), NULL, NULL),
        MCPHOST_E_INVALID);
    ck_assert_int_eq(mcph_goclaw_delete_server(goclaw, mcph_span("a\0b", 3), NULL, NULL),
                     MCPHOST_E_INVALID);
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_assert_int_eq(put_server(longest, STDIO), MCPHOST_E_INVALID);
    longest[sizeof(longest) - 2] = '\0';
    ck_assert_int_eq(put_server(longest, STDIO), 1);
    ck_assert_int_eq(put_server("0-_Z", STDIO), 1);
}
END_TEST

static const char *const unreadable[] = {
    "{\n  oops",        "[]", "{\"version\":\"1\"}",
    "{\"servers\":[]}", " ",  "{\"servers\":{\"a\":{},\"a\":{}}}"};

START_TEST(a_file_that_the_reader_rejects_is_not_changed) /* R190, B.33 */
{
    write_file(unreadable[_i]);
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_CONFIG);
    ck_assert_str_eq(mcphost_error_get_file(err), goclaw->file);
    ck_assert_int_ge(mcphost_error_get_line(err), 1);
    ck_assert_int_ge(mcphost_error_get_column(err), 1);
    ck_assert_int_eq(delete ("a"), MCPHOST_E_CONFIG);
    holds(unreadable[_i]);
}
END_TEST

START_TEST(an_empty_file_gets_the_first_server) /* B.33 */
{
    write_file("");
    ck_assert_int_eq(put_server("x", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "\"x\": {"), 1);
}
END_TEST

START_TEST(no_symbolic_link_is_followed_out_of_the_workspace) /* R187, C1 */
{
    struct rig_workspace out;

    rig_workspace_up(&out, NULL);
    ck_assert_int_eq(symlink(out.dir, rig_workspace_path(&ws, ".goclaw")), 0);
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_DENIED);
    ck_assert_int_ne(access(rig_workspace_path(&out, "mcp.json"), F_OK), 0);
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, ".goclaw")), 0);

    rig_workspace_write(&out, "mcp.json", "%s", "{}");
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw"), 0755), 0);
    ck_assert_int_eq(
        symlink(rig_workspace_path(&out, "mcp.json"), rig_workspace_path(&ws, FILE_NAME)),
        0);
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_DENIED);
    ck_assert_int_eq(unlink(rig_workspace_path(&ws, FILE_NAME)), 0);

    /* The library does not follow a link in place of its temporary file either. */
    ck_assert_int_eq(symlink(rig_workspace_path(&out, "mcp.json"),
                             rig_workspace_path(&ws, ".goclaw/.mcp.json.tmp")),
                     0);
    ck_assert_int_eq(put_server("x", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&out, "mcp.json", "x"), 0);
    rig_workspace_down(&out);
}
END_TEST

START_TEST(a_fifo_in_place_of_the_file_fails_with_e_io_and_does_not_block) /* R187 */
{
    ck_assert_int_eq(mkdir(rig_workspace_path(&ws, ".goclaw"), 0755), 0);
    ck_assert_int_eq(mkfifo(rig_workspace_path(&ws, FILE_NAME), 0600), 0);
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_IO);
}
END_TEST

START_TEST(a_put_beyond_the_limits_of_number_or_size_fails_with_e_limit) /* R193 */
{
    struct mcph_buf text;

    mcph_buf_init(&text, (size_t)4 * 1024 * 1024);
    mcph_buf_adds(&text, "{\"servers\":{");
    for (int i = 0; i < MCPH_GOCLAW_SERVERS_MAX; i++)
        mcph_buf_addf(&text, "%s\"s%d\":{}", i ? "," : "", i);
    mcph_buf_adds(&text, "}}");
    write_file(mcph_buf_text(&text));
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_LIMIT);
    ck_assert_int_eq(put_server("s7", STDIO), 1);
    mcph_buf_clear(&text);
    mcph_buf_adds(&text, "{\"type\":\"stdio\",\"command\":\"");
    for (int i = 0; i < MCPH_GOCLAW_SIZE_MAX / 2; i++)
        mcph_buf_adds(&text, "xx");
    mcph_buf_adds(&text, "\"}");
    ck_assert_int_eq(put_server("s8", mcph_buf_text(&text)), MCPHOST_E_LIMIT);
    mcph_buf_done(&text);
}
END_TEST

START_TEST(a_put_keeps_the_file_mode_and_does_not_replace_a_read_only_file) /* R186 */
{
    struct stat st;

    write_file("{}");
    ck_assert_int_eq(chmod(rig_workspace_path(&ws, FILE_NAME), 0640), 0);
    ck_assert_int_eq(put_server("x", STDIO), 1);
    ck_assert_int_eq(stat(rig_workspace_path(&ws, FILE_NAME), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
    if (geteuid() == 0)
        return; /* root may write whatever the mode is */
    ck_assert_int_eq(chmod(rig_workspace_path(&ws, FILE_NAME), 0440), 0);
    ck_assert_int_eq(put_server("y", STDIO), MCPHOST_E_DENIED);
}
END_TEST

/* ---- other programs that write the file -------------------------------------------- */

START_TEST(edits_in_a_locked_directory_fail_at_once_with_e_busy) /* R193 */
{
    int fd;

    write_file("{}");
    fd = open(rig_workspace_path(&ws, ".goclaw"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(put_server("x", STDIO), MCPHOST_E_BUSY);
    ck_assert_int_eq(delete ("x"), MCPHOST_E_BUSY);
    ck_assert_int_eq(enable("x", true), MCPHOST_E_BUSY);
    close(fd);
    holds("{}");
    ck_assert_int_eq(put_server("x", STDIO), 1);
}
END_TEST

START_TEST(a_save_by_a_program_that_takes_no_lock_is_kept) /* R193, K16 */
{
    write_file("{}");
    saved = "{\"servers\":{\"theirs\":{}}}";
    saves = 1;
    ck_assert_int_eq(put_server("ours", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "theirs"), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "ours"), 1);
}
END_TEST

START_TEST(after_three_attempts_on_a_changing_file_a_put_fails_with_e_state) /* R193 */
{
    write_file("{}");
    saved = NULL;
    saves = 100;
    ck_assert_int_eq(put_server("ours", STDIO), MCPHOST_E_STATE);
    ck_assert_int_eq(saves, 97);
    saves = 0;
    holds("{\"servers\":{\"t97\":{}}}");
}
END_TEST

START_TEST(a_save_of_the_same_bytes_is_not_a_change) /* R193 */
{
    write_file("{}");
    saved = "{}";
    saves = 1;
    ck_assert_int_eq(put_server("ours", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "ours"), 1);
}
END_TEST

START_TEST(a_put_fails_with_e_busy_if_the_directory_is_replaced_meanwhile) /* R187 R193 */
{
    write_file("{}");
    moves = 1;
    ck_assert_int_eq(put_server("ours", STDIO), MCPHOST_E_BUSY);
    ck_assert_int_eq(rig_workspace_count(&ws, "moved/mcp.json", "ours"), 0);
    ck_assert_int_eq(put_server("ours", STDIO), 1);
    ck_assert_int_eq(rig_workspace_count(&ws, FILE_NAME, "ours"), 1);
}
END_TEST

/* ---- eight writers ----------------------------------------------------------------- */

#define WRITERS 8
#define EDITS   24 /* edits by each writer */
#define RATE    40 /* the value of `deadly` */

/* `done` counts, for each writer, the edits that have returned success.  A delete also
 * counts if the server is already missing.  `killed` counts killed processes.  `busy`
 * counts edits that returned MCPHOST_E_BUSY. */
static struct {
    atomic_int done[WRITERS];
    atomic_int killed, busy;
} * shared;

static void
edit_once(int writer, int n)
{
    char name[32], entry[96];
    int r;

    for (;;) {
        if (n % 6 == 5) {
            snprintf(name, sizeof(name), "w%d-%d", writer, n - 1);
            r = mcph_goclaw_delete_server(goclaw, span(name), NULL, NULL);
            if (r == MCPHOST_E_NOTFOUND)
                r = 1; /* count the delete that a killed writer has made */
        } else {
            snprintf(name, sizeof(name), "w%d-%d", writer, n);
            snprintf(entry, sizeof(entry),
                     "{\"type\":\"stdio\",\"command\":\"c%d\",\"timeoutSeconds\":%d}", n,
                     n + 1);
            r = mcph_goclaw_put_server(goclaw, span(name), span(entry), NULL, NULL);
        }
        if (r != MCPHOST_E_BUSY)
            break;
        atomic_fetch_add(&shared->busy, 1);
        usleep(200 + (unsigned)(random() % 800));
    }
    if (r < 0)
        _exit(1);
    atomic_store(&shared->done[writer], n + 1);
}

static pid_t
begin_writer(int writer, unsigned seed)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    srandom(seed);
    deadly = RATE;
    for (int n = atomic_load(&shared->done[writer]); n < EDITS; n++)
        edit_once(writer, n);
    _exit(0);
}

/* Checks that the file is valid and holds every edit that has been counted as done. */
static void
check_edits(bool at_end)
{
    int done[WRITERS];
    mcphost_config *config = NULL;
    char name[32], *text;

    for (int w = 0; w < WRITERS; w++)
        done[w] = atomic_load(&shared->done[w]);
    text = rig_workspace_read(&ws, FILE_NAME);
    for (int w = 0; w < WRITERS && !*text; w++)
        ck_assert_int_eq(done[w], 0);
    ck_assert_int_eq(
        mcph_goclaw_parse(text, strlen(text), FILE_NAME, ws.dir, 0, &config, NULL), 0);
    ck_assert_msg(config->status == 0, "%s", conf_diags(config));
    for (int w = 0; w < WRITERS; w++) {
        for (int n = 0; n < done[w]; n++) {
            bool deleted = n % 6 == 5 || (n % 6 == 4 && n + 1 < done[w]);
            /* While the writer deletes this server in the next edit, the server may be
             * present or missing. */
            bool either = !at_end && n % 6 == 4 && n + 1 >= done[w];

            snprintf(name, sizeof(name), "w%d-%d", w, n);
            if (!either)
                ck_assert_msg(!mcph_config_find(config, name) == deleted, "%s of %d: %s",
                              name, done[w], deleted ? "is there" : "is lost");
        }
    }
    mcph_config_unref(config);
    free(text);
}

START_TEST(eight_writers_that_are_killed_at_random_lose_no_edit) /* R190 R193 R194, K16 */
{
    unsigned seed = (unsigned)mcph_clock_monotonic_ms();
    pid_t pids[WRITERS];
    int living = WRITERS;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    for (int w = 0; w < WRITERS; w++)
        pids[w] = begin_writer(w, seed++);
    while (living > 0) {
        check_edits(false);
        for (int w = 0; w < WRITERS; w++) {
            int status;

            if (pids[w] < 0 || waitpid(pids[w], &status, WNOHANG) != pids[w])
                continue;
            ck_assert_msg(WIFSIGNALED(status) || WEXITSTATUS(status) == 0,
                          "writer %d, status %d, seed %u", w, status, seed);
            if (WIFSIGNALED(status)) {
                ck_assert_int_eq(WTERMSIG(status), SIGKILL);
                atomic_fetch_add(&shared->killed, 1);
                pids[w] = begin_writer(w, seed++);
            } else {
                pids[w] = -1;
                living--;
            }
        }
    }
    check_edits(true);
    for (int w = 0; w < WRITERS; w++)
        ck_assert_int_eq(atomic_load(&shared->done[w]), EDITS);
    ck_assert_int_gt(atomic_load(&shared->killed), 0);
    /* A temporary file that a killed process left does not prevent the next edit. */
    ck_assert_int_eq(put_server("last", STDIO), 1);
    ck_assert_int_ne(access(rig_workspace_path(&ws, ".goclaw/.mcp.json.tmp"), F_OK), 0);
    munmap(shared, sizeof(*shared));
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "form");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_first_put_creates_the_directory_and_the_file);
    tcase_add_test(tc, members_have_a_fixed_order_and_empty_members_are_left_out);
    tcase_add_test(tc, args_with_only_blank_items_are_left_out);
    tcase_add_test(tc, a_put_keeps_unknown_members_and_replaces_known_members);
    tcase_add_test(tc, a_put_keeps_later_keys_but_a_token_only_if_the_url_stays);
    tcase_add_test(tc, a_put_that_changes_nothing_does_not_write);
    tcase_add_test(tc, a_missing_workspace_has_its_own_error_message);
    tcase_add_test(tc, a_delete_removes_only_its_server);
    tcase_add_test(tc, enable_sets_the_member_and_returns_0_if_nothing_changes);
    tcase_add_test(tc, invalid_names_can_be_enabled_and_deleted_but_not_put);
    tcase_add_test(tc, the_source_sets_enabled_in_its_own_file);

    tc = test_case(suite, "refusals");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_loop_test(tc, an_entry_that_could_not_be_read_back_is_refused, 0,
                        (int)MCPH_ARRAY_SIZE(bad));
    tcase_add_test(tc, an_invalid_server_name_is_refused);
    tcase_add_loop_test(tc, a_file_that_the_reader_rejects_is_not_changed, 0,
                        (int)MCPH_ARRAY_SIZE(unreadable));
    tcase_add_test(tc, an_empty_file_gets_the_first_server);
    tcase_add_test(tc, no_symbolic_link_is_followed_out_of_the_workspace);
    tcase_add_test(tc, a_fifo_in_place_of_the_file_fails_with_e_io_and_does_not_block);
    tcase_add_test(tc, a_put_beyond_the_limits_of_number_or_size_fails_with_e_limit);
    tcase_add_test(tc, a_put_keeps_the_file_mode_and_does_not_replace_a_read_only_file);

    tc = test_case(suite, "others");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, edits_in_a_locked_directory_fail_at_once_with_e_busy);
    tcase_add_test(tc, a_save_by_a_program_that_takes_no_lock_is_kept);
    tcase_add_test(tc, after_three_attempts_on_a_changing_file_a_put_fails_with_e_state);
    tcase_add_test(tc, a_save_of_the_same_bytes_is_not_a_change);
    tcase_add_test(tc, a_put_fails_with_e_busy_if_the_directory_is_replaced_meanwhile);

    tc = test_case(suite, "eight writers");
    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, eight_writers_that_are_killed_at_random_lose_no_edit);
}

int
main(void)
{
    return test_main("goclaw-write", add);
}
