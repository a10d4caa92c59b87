/* SPDX-License-Identifier: MIT
 *
 * test_ctl_watch.c - the output of mcphostctl watch during a series of edits, compared
 * with ctl_watch.expected.
 *
 * Each section of that file is the title of an edit and the lines that watch prints after
 * the edit.  PID replaces each process id, and DIR replaces the path of the workspace.
 * The test compares lines about processes after all other lines, because lines about
 * processes have a fixed order only within one server.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

enum { MAX_LINES = 64 };

static struct ctl_place place;
static struct ctl_session session;
static FILE *expected;

static void
up(void)
{
    char path[4096];

    ctl_place_up(&place);
    snprintf(path, sizeof(path), "%s/tests/system/ctl_watch.expected", test_srcdir());
    expected = fopen(path, "re");
    ck_assert_ptr_nonnull(expected);
    /* Skip the line of the licence and the blank line behind it. */
    ck_assert_ptr_nonnull(fgets(path, sizeof(path), expected));
    ck_assert_ptr_nonnull(fgets(path, sizeof(path), expected));
}

static void
down(void)
{
    fclose(expected);
    ctl_place_down(&place);
}

/* Saves a configuration as an editor does, by renaming.  %1$s and %2$s are the demo
 * server. */
__attribute__((format(printf, 1, 0))) static void
save(const char *fmt)
{
    char text[4096], from[4096], to[4096];

    /* Pass the demo server twice, because `fmt` names the demo server at most twice. */
    snprintf(text, sizeof(text), fmt, ctl_demo_server(), ctl_demo_server());
    rig_workspace_write(&place.ws, ".minds/saving", "%s", text);
    snprintf(from, sizeof(from), "%s", rig_workspace_path(&place.ws, ".minds/saving"));
    snprintf(to, sizeof(to), "%s", rig_workspace_path(&place.ws, ".minds/mcp.yaml"));
    ck_assert_int_eq(rename(from, to), 0);
}

/* Replaces the parts of a line that differ from run to run. */
static void
replace_variables(char *line)
{
    char *at = strstr(line, place.ws.dir), *pid = strstr(line, ", pid ");
    size_t len = strlen(place.ws.dir);

    if (at) {
        memcpy(at, "DIR", 3);
        memmove(at + 3, at + len, strlen(at + len) + 1);
    }
    if (pid) {
        size_t digits = strspn(pid + 6, "0123456789");

        ck_assert_uint_gt(digits, 2);
        memcpy(pid + 6, "PID", 3);
        memmove(pid + 9, pid + 6 + digits, strlen(pid + 6 + digits) + 1);
    }
}

/* Writes the lines to `to`.  Writes lines about processes after all other lines, in
 * groups by server. */
static void
print_in_order(char *to, size_t size, char *const *lines, size_t n)
{
    static const char *const last[] = {"process desk", "process board"};

    to[0] = '\0';
    for (int pass = -1; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            if (pass < 0 ? strncmp(lines[i], "process ", 8) != 0
                         : strncmp(lines[i], last[pass], strlen(last[pass])) == 0)
                snprintf(to + strlen(to), size - strlen(to), "%s\n", lines[i]);
        }
    }
}

/* Returns the next line that is not about a built-in tool. */
static char *
next_line(void)
{
    for (;;) {
        char *line = ctl_line(&session);

        ck_assert_ptr_nonnull(line);
        if (strncmp(line, "tool + mcp_", 11) != 0 &&
            strncmp(line, "tool + env_", 11) != 0)
            return line;
        free(line);
    }
}

/* Reads the next section of the expected file and returns the number of its lines.  The
 * section must have this title. */
static size_t
read_section(const char *title, char *text, size_t size)
{
    char line[1024];
    size_t n = 0;

    text[0] = '\0';
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), expected));
    line[strcspn(line, "\n")] = '\0';
    ck_assert_str_eq(line, title);
    while (fgets(line, sizeof(line), expected) && line[0] != '\n') {
        snprintf(text + strlen(text), size - strlen(text), "%s", line);
        n++;
    }
    return n;
}

static void
expect(const char *title)
{
    char wanted[16384], got[16384], *lines[MAX_LINES];
    size_t n = read_section(title, wanted, sizeof(wanted));

    ck_assert_uint_le(n, MAX_LINES);
    for (size_t i = 0; i < n; i++) {
        lines[i] = next_line();
        replace_variables(lines[i]);
    }
    print_in_order(got, sizeof(got), lines, n);
    for (size_t i = 0; i < n; i++)
        free(lines[i]);
    ck_assert_msg(strcmp(got, wanted) == 0, "%s\nexpected:\n%s\ngot:\n%s", title, wanted,
                  got);
}

#define DESK(args, more)                                                         \
    "version: 1\nservers:\n"                                                     \
    "  desk:\n    transport: stdio\n    command: '%1$s'\n    args: [" args "]\n" \
    "    tools: { whitelist: [echo, count] }\n" more
#define BOARD(suffix)                                              \
    "  board:\n    truely-stateless: true\n    transport: stdio\n" \
    "    command: '%2$s'\n    args: [--modern, board]\n"           \
    "    tools: { whitelist: [echo] }\n    transform: [{ suffix: '" suffix "' }]\n"

/* R94 R105 R114 */
START_TEST(each_edit_prints_the_expected_lines)
{
    struct ctl_run run;

    save(DESK("desk", ""));
    ctl_session_up_as(&session, &place, "watch");
    expect("# a workspace with one server");
    save(DESK("desk", BOARD("_board")));
    expect("# a server is added");
    save(DESK("desk", BOARD("_b")));
    expect("# its names change");
    save(DESK("desk, two", BOARD("_b")));
    expect("# the other's arguments change");
    save("version: 1\nservers: [\n");
    expect("# half a file");
    save(DESK("desk, {}", BOARD("_b")));
    expect("# a bad entry");
    save(DESK("desk, two", BOARD("_b")));
    expect("# mended");
    ctl_run(&run, &place, "disable", "board", NULL);
    ctl_status_is(&run, 0);
    ctl_run_free(&run);
    expect("# a server is disabled by another process");
    save(DESK("desk, two", BOARD("_b")) "# no more\n");
    expect("# and enabled");
    save(DESK("desk, two", BOARD("_b")) "# a comment\n");
    expect("# a comment");
    ck_assert_int_eq(unlink(rig_workspace_path(&place.ws, ".minds/mcp.yaml")), 0);
    expect("# the file is deleted");
    kill(session.pid, SIGINT);
    ck_assert_int_eq(ctl_session_down(&session), 130);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "watch");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, each_edit_prints_the_expected_lines);
}

int
main(void)
{
    return test_main("ctl-watch", add);
}
