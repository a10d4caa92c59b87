/* SPDX-License-Identifier: MIT
 *
 * test_ctl_sampling.c - mcphostctl and sampling: a command or a line of batch answers the
 * request of a server for a message of a model.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define PARAMS                                                                   \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":" \
    "\"Say hi\"}}],\"maxTokens\":17}"
#define SAMPLE "on call:echo\n ask sampling/createMessage " PARAMS "\n text %r\n"
#define MESSAGE                                                                 \
    "{\"role\":\"assistant\",\"model\":\"m-1\",\"content\":{\"type\":\"text\"," \
    "\"text\":\"hi there\"}}"
/* A command that saves its input as read.json and answers with answer.json. */
#define COMMAND "sh -c 'cat > read.json; cat answer.json'"

static struct ctl_place place;
static struct ctl_run run;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static void
serve(int i, const char *script)
{
    rig_workspace_write(&place.ws, "a", "era %s\n%s", i == 0 ? "legacy" : "modern",
                        script);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  a:\n    transport: stdio\n    command: %s\n"
        "    args: [-e, \"trace %s/a.trace\", %s/a]\n",
        rig_fakeserver(), place.ws.dir, place.ws.dir);
}

static int
count(const char *text)
{
    return rig_workspace_count(&place.ws, "a.trace", text);
}

static int
exists(const char *name)
{
    struct stat st;

    return stat(rig_workspace_path(&place.ws, name), &st) == 0 && st.st_size > 0;
}

/* R162 */
START_TEST(a_sampling_command_answers_the_request)
{
    char *read;

    serve(_i, SAMPLE);
    rig_workspace_write(&place.ws, "answer.json", "%s\n", MESSAGE);
    ctl_run(&run, &place, "--sampling-command", COMMAND, "call", "echo", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "\"text\":\"hi there\"");
    read = rig_workspace_read(&place.ws, "read.json");
    ck_assert_str_eq(read, PARAMS);
    free(read);
}
END_TEST

static const struct {
    char *format;
    const char *wanted; /* parts of the request, separated by '|' */
    const char *answer;
} formats[] = {
    {"openai", "\"model\":\"big\"|\"messages\":[|\"max_completion_tokens\":17|Say hi",
     "{\"model\":\"big-2\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\","
     "\"message\":{\"role\":\"assistant\",\"content\":\"hi there\"}}]}"},
    {"moonshot", "\"model\":\"big\"|\"max_tokens\":17|Say hi",
     "{\"model\":\"big-2\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\","
     "\"message\":{\"role\":\"assistant\",\"content\":\"hi there\"}}]}"},
    {"openai-responses", "\"model\":\"big\"|\"input\":[|\"max_output_tokens\":17|Say hi",
     "{\"model\":\"big-2\",\"status\":\"completed\",\"output\":[{\"type\":\"message\","
     "\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":"
     "\"output_text\",\"text\":\"hi there\",\"annotations\":[]}]}]}"},
    {"anthropic", "\"model\":\"big\"|\"messages\":[|\"max_tokens\":17|Say hi",
     "{\"type\":\"message\",\"model\":\"big-2\",\"role\":\"assistant\",\"stop_reason\":"
     "\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"hi there\"}]}"},
    {"gemini", "\"contents\":[|\"maxOutputTokens\":17|Say hi",
     "{\"modelVersion\":\"big-2\",\"candidates\":[{\"finishReason\":\"STOP\","
     "\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi there\"}]}}]}"},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

START_TEST(a_sampling_command_can_use_the_form_of_a_model_provider)
{
    char *read;

    serve(_i / N_FORMATS, SAMPLE);
    rig_workspace_write(&place.ws, "answer.json", "%s", formats[_i % N_FORMATS].answer);
    ctl_run(&run, &place, "--sampling-command", COMMAND, "--sampling-format",
            formats[_i % N_FORMATS].format, "--sampling-model", "big", "call", "echo",
            NULL);
    ctl_status_is(&run, 0);
    test_has_all(run.out,
                 "\"role\":\"assistant\"|\"text\":\"hi there\"|\"model\":\"big-2\""
                 "|\"stopReason\":\"endTurn\"");
    read = rig_workspace_read(&place.ws, "read.json");
    test_has_all(read, formats[_i % N_FORMATS].wanted);
    free(read);
}
END_TEST

/* ---- failures ---------------------------------------------------------------------- */

static const struct {
    char *command, *format;
    const char *why;
} failures[] = {
    {"sh -c 'cat >/dev/null; exit 3'", "mcp",
     "the sampling command failed (exit status 3)"},
    {"sh -c 'kill -9 $$'", "mcp", "the sampling command was ended by signal 9"},
    {"no-such-command-at-all", "mcp", "the sampling command was not found"},
    {"sh -c 'echo no JSON'", "mcp", "the sampling command gave no usable answer"},
    {"sh -c 'echo {}'", "openai", "the sampling command gave no usable answer"},
    {"true", "mcp", "the sampling command gave no usable answer"},
    {"sh -c 'echo "
     "\"{\\\"error\\\":{\\\"type\\\":\\\"rate_limit_error\\\",\\\"message\\\":"
     "\\\"too fast\\\"}}\"'",
     "openai", "the model's provider refuses"},
    {"head -c 40000000 /dev/zero", "mcp", "the sampling command wrote more than 32 MiB"},
};

enum { N_FAILURES = sizeof(failures) / sizeof(failures[0]) };

START_TEST(a_failed_command_is_reported_to_the_server_and_on_stderr)
{
    int era = _i / N_FAILURES;

    serve(era, SAMPLE);
    ctl_run(&run, &place, "--sampling-command", failures[_i % N_FAILURES].command,
            "--sampling-format", failures[_i % N_FAILURES].format, "call", "echo", NULL);
    ctl_status_is(&run, era == 0 ? 0 : 4);
    test_has(run.err, "sampling for server 'a': ");
    test_has(run.err, failures[_i % N_FAILURES].why);
    if (era == 0)
        test_has(run.out, failures[_i % N_FAILURES].why);
}
END_TEST

/* mcphostctl also kills the processes that the command left in the background. */
START_TEST(a_command_that_hangs_is_killed)
{
    serve(_i, SAMPLE);
    ctl_run(&run, &place, "--timeout", "1", "--sampling-command",
            "sh -c 'sleep 100 & trap \"\" TERM INT HUP; sleep 100'", "call", "echo",
            NULL);
    ctl_status_is(&run, _i == 0 ? 0 : 4);
    test_has(run.err, "the sampling command gave no answer in time");
}
END_TEST

START_TEST(background_processes_of_a_command_do_not_delay_the_answer)
{
    serve(_i, SAMPLE);
    rig_workspace_write(&place.ws, "answer.json", "%s\n", MESSAGE);
    ctl_run(&run, &place, "--sampling-command", "sh -c 'sleep 100 & cat answer.json'",
            "call", "echo", NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, "hi there");
}
END_TEST

/* Waits for the processes that this test inherited when mcphostctl was killed.  Each
 * process must end by itself. */
static void
reap_adopted(void)
{
    for (int ms = 0; ms < 4000; ms += 10) {
        FILE *f = fopen("/proc/thread-self/children", "re");
        int n = 0;
        pid_t pid;

        ck_assert_ptr_nonnull(f);
        while (fscanf(f, "%d", &pid) == 1)
            n += waitpid(pid, NULL, WNOHANG) >= 0;
        fclose(f);
        if (n == 0)
            return;
        rig_pause(10);
    }
    ck_abort_msg("a process is left");
}

static const int signals[] = {SIGINT, SIGTERM, SIGKILL};

START_TEST(no_command_outlives_mcphostctl)
{
    struct ctl_terminal tty;

    serve(0, SAMPLE);
    ctl_terminal_up(&tty, &place, "--sampling-command",
                    "sh -c 'sleep 100 & echo yes > runs; sleep 100'", "call", "echo",
                    NULL);
    for (int i = 0; i < 400 && !exists("runs"); i++)
        rig_pause(20);
    ck_assert(exists("runs"));
    ck_assert_int_eq(kill(tty.pid, signals[_i]), 0);
    ck_assert_int_eq(ctl_terminal_down(&tty), 128 + signals[_i]);
    if (signals[_i] == SIGKILL)
        reap_adopted();
}
END_TEST

/* R162: Ctrl-\ makes the terminal send a signal to the whole process group.  The group
 * contains the supervisor (ctl/worker.c), a process that runs the command for mcphostctl.
 * The signal must not end the supervisor before the supervisor has killed the processes
 * of the command. */
START_TEST(a_signal_of_the_terminal_leaves_no_process_of_a_command)
{
    int pid = 0;
    FILE *f;

    serve(0, SAMPLE);
    ctl_run(&run, &place, "--timeout", "1", "--sampling-command",
            "sh -c 'sleep 100 & echo $! > child; kill -QUIT $PPID; sleep 100'", "call",
            "echo", NULL);
    ctl_status_is(&run, 0);
    test_has(run.err, "the sampling command gave no answer in time");
    f = fopen(rig_workspace_path(&place.ws, "child"), "re");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%d", &pid), 1);
    fclose(f);
    ck_assert_int_eq(kill(pid, 0), -1);
}
END_TEST

/* mcphostctl must alternate writing and reading, because the request and the answer do
 * not fit into the pipes. */
START_TEST(a_request_larger_than_a_pipe_is_answered)
{
    char *text = malloc(400001), *read;

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', 400000);
    text[400000] = '\0';
    rig_workspace_write(&place.ws, "a",
                        "era legacy\non call:echo\n ask sampling/createMessage "
                        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                        "\"text\",\"text\":\"%s\"}}],\"maxTokens\":1}\n text %%r\n",
                        text);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: stdio\n    command: "
                       "%s\n    args: [%s/a]\n",
                       rig_fakeserver(), place.ws.dir);
    ctl_run(&run, &place, "--sampling-command",
            "sed -e 's/^{/{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":"
            "\"text\",\"text\":\"back\"},/'",
            "call", "echo", NULL);
    ctl_status_is(&run, 0);
    read = strstr(run.out, text);
    ck_assert_ptr_nonnull(read);
    test_has(run.out, "\"text\":\"back\"");
    free(text);
}
END_TEST

/* The library allows 8 open requests of a server.  The library refuses each further
 * request. */
START_TEST(the_ninth_request_of_a_server_at_once_is_refused)
{
    struct ctl_terminal tty;

    serve(0, "on call:echo\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             " request sampling/createMessage " PARAMS "\n"
             "on reply 10\n stderr all are answered\n");
    rig_workspace_write(&place.ws, "answer.json", "%s\n", MESSAGE);
    ctl_terminal_up(&tty, &place, "-v", "--sampling-command",
                    "sh -c 'sleep 0.3; cat answer.json'", "call", "echo", NULL);
    ctl_shows(&tty, "all are answered");
    ctl_types(&tty, "\003");
    ck_assert_int_eq(ctl_terminal_down(&tty), 128 + SIGINT);
    ck_assert_int_eq(count("hi there"), 8);
    ck_assert_int_eq(count("the most that the host allows"), 2);
}
END_TEST

/* R162 */
START_TEST(without_a_command_sampling_is_not_offered)
{
    serve(_i, SAMPLE);
    ctl_run(&run, &place, "call", "echo", NULL);
    ctl_status_is(&run, _i == 0 ? 0 : 4);
    ck_assert_int_eq(count("\"sampling\":{"), 0);
    if (_i == 0)
        test_has(run.out, "-32601");
}
END_TEST

static const struct {
    char *options[2];
    const char *why;
} wrong[] = {
    {{"--sampling-command=", "tools"}, "--sampling-command needs a command"},
    {{"--sampling-command='", "tools"}, "a single quote that is not closed"},
    {{"--sampling-format=mcp", "tools"}, "need --sampling-command"},
    {{"--sampling-events", "tools"}, "with the command 'batch' only"},
};

START_TEST(wrong_sampling_options_are_refused)
{
    serve(0, SAMPLE);
    ctl_run(&run, &place, wrong[_i].options[0], wrong[_i].options[1], NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, wrong[_i].why);
    ctl_run_free(&run);
    ctl_run(&run, &place, "--sampling-command=cat", "--sampling-format=x", "tools", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--sampling-format must be mcp or a provider of --for");
}
END_TEST

/* ---- batch ------------------------------------------------------------------------- */

START_TEST(an_answer_line_of_a_batch_answers_a_sampling_request)
{
    static char events[] = "--sampling-events";
    struct ctl_session session;
    json_t *json;

    serve(_i, SAMPLE);
    place.argument = events;
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"dialog\":\"d\",\"tool\":"
                       "\"echo\"}");
    json = ctl_event(&session, "request");
    ck_assert_str_eq(ctl_string(json, "kind"), "sampling");
    ck_assert_int_eq(ctl_int(json_object_get(json, "params"), "maxTokens"), 17);
    json_decref(json);
    ctl_send(&session, "{\"id\":\"1\",\"op\":\"answer\",\"request\":1,\"content\":{}}");
    json = ctl_answer(&session, "1");
    ck_assert(json_is_false(json_object_get(json, "ok")));
    json_decref(json);
    json_decref(
        ctl_ask(&session, "2", "\"op\":\"answer\",\"request\":1,\"content\":" MESSAGE));
    json = ctl_answer(&session, "c");
    test_has(ctl_said(json_object_get(json, "result")), "hi there");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "sampling");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    tcase_add_loop_test(tc, a_sampling_command_answers_the_request, 0, 2);
    tcase_add_loop_test(tc, a_sampling_command_can_use_the_form_of_a_model_provider, 0,
                        2 * N_FORMATS);
    tcase_add_loop_test(tc, a_failed_command_is_reported_to_the_server_and_on_stderr, 0,
                        2 * N_FAILURES);
    tcase_add_loop_test(tc, a_command_that_hangs_is_killed, 0, 2);
    tcase_add_loop_test(tc, background_processes_of_a_command_do_not_delay_the_answer, 0,
                        2);
    tcase_add_test(tc, a_signal_of_the_terminal_leaves_no_process_of_a_command);
    tcase_add_loop_test(tc, no_command_outlives_mcphostctl, 0, 3);
    tcase_add_test(tc, a_request_larger_than_a_pipe_is_answered);
    tcase_add_test(tc, the_ninth_request_of_a_server_at_once_is_refused);
    tcase_add_loop_test(tc, without_a_command_sampling_is_not_offered, 0, 2);
    tcase_add_loop_test(tc, wrong_sampling_options_are_refused, 0, 4);
    tcase_add_loop_test(tc, an_answer_line_of_a_batch_answers_a_sampling_request, 0, 2);
}

int
main(void)
{
    return test_main("ctl-sampling", add);
}
