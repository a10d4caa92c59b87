/* SPDX-License-Identifier: MIT
 *
 * test_examples.c - the programs of examples/, and the text of embed.c in README.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

static struct ctl_place place;
static char *out;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    free(out);
    ctl_place_down(&place);
}

/* Runs `command` in the place's workspace, with $build and $src set.  Sets `out` to the
 * output of the command.  Returns the exit status. */
static int
shell(const char *command)
{
    char build[4200], src[4200];
    int status;
    pid_t pid;

    snprintf(build, sizeof(build), "%s/..", test_bindir());
    snprintf(src, sizeof(src), "%s", test_srcdir());
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (chdir(place.ws.dir) < 0 || setenv("build", build, 1) < 0 ||
            setenv("src", src, 1) < 0 || !freopen("output", "w", stdout) ||
            dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
            _exit(126);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    out = rig_workspace_read(&place.ws, "output");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
has(const char *what)
{
    ck_assert_msg(strstr(out, what) != NULL, "no \"%s\" in: %s", what, out);
}

START_TEST(embed_lists_tools_calls_a_tool_and_stops)
{
    int status = shell("\"$build/examples/embed\" . desk_echo '{\"text\":\"hello\"}'");

    ck_assert_msg(status == 0, "%s", out);
    has("desk_echo\n");
    has("{\"content\":[{\"type\":\"text\",\"text\":\"hello (process ");
}
END_TEST

START_TEST(embed_reports_why_it_failed)
{
    ck_assert_int_eq(shell("\"$build/examples/embed\" . nothing '{}'"), 1);
    has("embed: there is no tool 'nothing'");
}
END_TEST

START_TEST(loop_runs_its_lines_concurrently)
{
    int status = shell("{ echo 'desk_count {\"to\":2,\"step_ms\":10}';"
                       "  echo desk_tally; echo nothing; } | \"$build/examples/loop\" .");

    ck_assert_msg(status == 0, "%s", out);
    has("all servers came up or failed");
    has("desk_tally: {\"content\"");
    has("counted to 2");
    has("nothing: there is no tool");
}
END_TEST

START_TEST(the_readme_shows_the_embedding_example_as_it_is)
{
    /* Compare README's block of C with embed.c without the comment on top of embed.c. */
    ck_assert_int_eq(shell("awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "
                           "  \"$src/README.md\" >readme.c &&"
                           "sed '1,/^ \\*\\/$/d' \"$src/examples/embed.c\" >embed.c &&"
                           "diff embed.c readme.c"),
                     0);
}
END_TEST

START_TEST(the_script_of_the_demo_succeeds)
{
    int status = shell("\"$src/examples/demo/run.sh\" \"$build\"");

    ck_assert_msg(status == 0, "%s", out);
    has("all of it was so");
}
END_TEST

#define COUNTING                                                                     \
    "mkfifo in; \"$build/examples/demo/demo-server\" <in >answers & exec 3>in;"      \
    "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}' >&3;"                 \
    "echo "                                                                          \
    "'{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":" \
    "\"count\",\"arguments\":{\"to\":1000,\"step_ms\":20},\"_meta\":{"               \
    "\"progressToken\":\"p\"}}}' >&3;"                                               \
    "until grep -q notifications/progress answers; do sleep 0.02; done;"

/* The test ends the server in the middle of a call. */
START_TEST(the_demo_server_ends_with_its_input_and_on_a_signal)
{
    int status =
        shell(_i == 0 ? COUNTING "exec 3>&-; wait $!" : COUNTING "kill $!; wait $!");

    ck_assert_msg(status == (_i == 0 ? 0 : 128 + SIGTERM), "%d: %s", status, out);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "examples");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, embed_lists_tools_calls_a_tool_and_stops);
    tcase_add_test(tc, embed_reports_why_it_failed);
    tcase_add_test(tc, loop_runs_its_lines_concurrently);
    tcase_add_test(tc, the_readme_shows_the_embedding_example_as_it_is);
    tcase_add_test(tc, the_script_of_the_demo_succeeds);
    tcase_add_loop_test(tc, the_demo_server_ends_with_its_input_and_on_a_signal, 0, 2);
}

int
main(void)
{
    return test_main("examples", add);
}
