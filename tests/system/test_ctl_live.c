/* SPDX-License-Identifier: MIT
 *
 * test_ctl_live.c - mcphostctl watch on a pseudo-terminal whose other side is the test:
 * the pictures on the screen, and the state of the terminal at the end.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/base.h"
#include "support/ctlrun.h"
#include "support/runner.h"
#include "support/terminal.h"

enum { ROWS = 60, COLUMNS = 200, PATIENCE_MS = 15000 };

static struct ctl_place place;
static char *source; /* the argument of --source; NULL means no --source */
static struct terminal terminal;

/* ---- the terminal ------------------------------------------------------------------ */

static void
up(void)
{
    ctl_place_up(&place);
    terminal = (struct terminal){0};
}

static void
watch(int rows, const char *term)
{
    static char cache[1024], program[4096], term_is[64];
    char *argv[] = {program, "watch", source ? "--source" : NULL, source, NULL};
    char *environment[] = {cache, "PATH=/usr/bin:/bin", "LC_ALL=C", term_is, NULL};

    snprintf(cache, sizeof(cache), "XDG_CACHE_HOME=%s/cache", place.ws.dir);
    snprintf(program, sizeof(program), "%s/mcphostctl", test_bindir());
    snprintf(term_is, sizeof(term_is), "TERM=%s", term);
    terminal_up(&terminal, rows, COLUMNS, place.ws.dir, argv, environment);
}

/* Returns a copy of the last complete picture on the screen, or NULL if the screen has no
 * complete picture yet. */
static char *
picture(void)
{
    static const char top[] = "\033[H", end[] = "\033[J";
    char *from = NULL, *to = NULL;

    for (char *at = terminal.seen ? strstr(terminal.seen, top) : NULL; at;
         at = strstr(at + 1, top)) {
        char *stop = strstr(at, end);

        if (stop) {
            from = at;
            to = stop;
        }
    }
    return from ? strndup(from, (size_t)(to - from)) : NULL;
}

/* Waits for a picture that contains `what`, and returns the picture. */
static char *
shows(const char *what)
{
    int64_t until = mcph_clock_monotonic_ms() + PATIENCE_MS;
    char *last = NULL;

    while (mcph_clock_monotonic_ms() < until) {
        free(last);
        last = picture();
        if (last && strstr(last, what))
            return last;
        ck_assert(terminal_take(&terminal, 100));
    }
    ck_abort_msg("in vain for '%s'; there is: %.1500s", what, last ? last : "nothing");
    return NULL;
}

/* Types Ctrl-C, reads until the terminal closes, and expects the status 130. */
static void
interrupt(void)
{
    int status = 0;

    terminal_type(&terminal, "\003");
    while (terminal_take(&terminal, PATIENCE_MS))
        ;
    ck_assert_int_eq(waitpid(terminal.pid, &status, 0), terminal.pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 130);
}

static void
down(void)
{
    terminal_down(&terminal);
    ctl_place_down(&place);
}

static void
edit(const char *old, const char *new)
{
    char *text = rig_workspace_read(&place.ws, ".minds/mcp.yaml");
    char *at = strstr(text, old);

    ck_assert_ptr_nonnull(at);
    rig_workspace_write(&place.ws, ".minds/mcp.yaml", "%.*s%s%s", (int)(at - text), text,
                        new, at + strlen(old));
    free(text);
}

static size_t
count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

/* ---- the tests --------------------------------------------------------------------- */

START_TEST(the_screen_shows_servers_tools_leases_problems_and_last_reading)
{
    char *now;

    watch(ROWS, "xterm");
    now = shows(" ready\033");
    ck_assert_ptr_nonnull(strstr(now, "mcp.yaml"));
    ck_assert_ptr_nonnull(strstr(now, "last reading: loaded: added desk, added board"));
    ck_assert_ptr_nonnull(strstr(now, "SERVER"));
    ck_assert_ptr_nonnull(strstr(now, "loaded"));
    ck_assert_ptr_nonnull(strstr(now, "2026-07-28"));
    ck_assert_ptr_nonnull(strstr(now, "TOOLSET"));
    ck_assert_ptr_nonnull(strstr(now, "desk_echo"));
    ck_assert_ptr_nonnull(strstr(now, "echo_board count_board"));
    ck_assert_ptr_nonnull(strstr(now, "no leases"));
    ck_assert_ptr_nonnull(strstr(now, "SEVERITY"));
    ck_assert_ptr_nonnull(strstr(now, "mcp_tool_invalid_name"));
    free(now);
    interrupt();
}
END_TEST

START_TEST(with_several_sources_the_tables_have_a_source_column)
{
    static char plug[] = "plug=plug.yaml";
    char *now;

    source = plug;
    rig_workspace_write(&place.ws, "plug.yaml",
                        "version: 1\nservers:\n"
                        "  desk: {transport: stdio, command: '%s', args: [plug]}\n",
                        ctl_demo_server());
    watch(ROWS, "xterm");
    now = shows(" ready\033");
    ck_assert_ptr_nonnull(strstr(now, "plug: plug.yaml"));
    ck_assert_ptr_nonnull(strstr(now, "last reading: plug loaded: added desk"));
    /* The tables of servers, toolsets and problems have the column SOURCE.  The screen
     * shows no table of leases, because there are no leases. */
    ck_assert_uint_eq(count(now, "SOURCE"), 3);
    ck_assert_ptr_nonnull(strstr(now, "plug:desk\033"));
    free(now);
    interrupt();
    source = NULL;
}
END_TEST

/* R88 R94 R114 */
START_TEST(the_screen_shows_the_result_of_each_edit)
{
    char *now;

    watch(ROWS, "xterm");
    free(shows(" ready\033"));
    edit("'desk_'", "'d_'");
    now = shows("last reading: changed: view desk (transform)");
    free(now);
    now = shows("d_echo");
    ck_assert_ptr_null(strstr(now, "  desk_echo "));
    free(now);
    edit("version: 1", "version: [");
    free(shows("last reading: changed: rejected; the running servers stay as they are"));
    now = shows("mcp_workspace_config_error");
    ck_assert_ptr_nonnull(strstr(now, "d_echo"));
    free(now);
    interrupt();
}
END_TEST

START_TEST(the_terminal_is_restored_at_the_end)
{
    struct termios after;
    char *end;

    watch(ROWS, "xterm");
    free(shows(" ready\033"));
    ck_assert_uint_eq(count(terminal.seen, "\033[?1049h"), 1);
    interrupt();
    /* At the end the program leaves the alternate screen and draws nothing more.  The
     * program switches the cursor and line wrapping on as often as off. */
    end = strstr(terminal.seen, "\033[?1049l");
    ck_assert_ptr_nonnull(end);
    ck_assert_ptr_null(strstr(end, "\033[H"));
    ck_assert_ptr_null(strstr(end + 1, "\033["));
    ck_assert_uint_eq(count(terminal.seen, "\033[?25l"),
                      count(terminal.seen, "\033[?25h"));
    ck_assert_uint_eq(count(terminal.seen, "\033[?7l"), count(terminal.seen, "\033[?7h"));
    ck_assert_int_eq(tcgetattr(terminal.master, &after), 0);
    ck_assert_uint_eq(after.c_lflag, terminal.before.c_lflag);
    ck_assert_uint_eq(after.c_oflag, terminal.before.c_oflag);
}
END_TEST

START_TEST(a_picture_is_cut_to_the_rows_of_a_small_screen)
{
    char *now;

    watch(8, "xterm");
    now = shows("loaded");
    ck_assert_uint_eq(count(now, "\r\n"), 7);
    free(now);
    interrupt();
}
END_TEST

/* The name of a server must not move the cursor. */
START_TEST(an_escape_sequence_in_a_server_id_is_not_written)
{
    char *now;

    edit("  desk:\n", "  \"de\\x1b[2Jsk\":\n    transport: stdio\n    command: nowhere\n"
                      "  desk:\n");
    watch(ROWS, "xterm");
    now = shows(" ready\033");
    ck_assert_ptr_null(strstr(now, "\033[2J"));
    free(now);
    interrupt();
}
END_TEST

START_TEST(a_dumb_terminal_gets_plain_lines)
{
    watch(ROWS, "dumb");
    while (!terminal.seen || !strstr(terminal.seen, "\nready"))
        ck_assert(terminal_take(&terminal, PATIENCE_MS));
    ck_assert_ptr_null(strstr(terminal.seen, "\033["));
    ck_assert_ptr_nonnull(strstr(terminal.seen, "server desk: loaded"));
    interrupt();
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "live view");

    if (!terminal_is_possible("test_ctl_live"))
        return;
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_screen_shows_servers_tools_leases_problems_and_last_reading);
    tcase_add_test(tc, with_several_sources_the_tables_have_a_source_column);
    tcase_add_test(tc, the_screen_shows_the_result_of_each_edit);
    tcase_add_test(tc, the_terminal_is_restored_at_the_end);
    tcase_add_test(tc, a_picture_is_cut_to_the_rows_of_a_small_screen);
    tcase_add_test(tc, an_escape_sequence_in_a_server_id_is_not_written);
    tcase_add_test(tc, a_dumb_terminal_gets_plain_lines);
}

int
main(void)
{
    return test_main("ctl-live", add);
}
