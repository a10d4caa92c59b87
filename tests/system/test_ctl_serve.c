/* SPDX-License-Identifier: MIT
 *
 * test_ctl_serve.c - mcphostctl serve --stdio as a process: its end, the processes that
 * it must not leave behind, and clients that misbehave.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/instrumented.h"
#include "support/runner.h"

#define HELLO_WITH(capabilities)                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":" capabilities    \
    ",\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define HELLO       HELLO_WITH("{}")
#define HELLO_ASKED HELLO_WITH("{\"sampling\":{}}")
#define READY       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define CALL(id, name)                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"" name "\",\"arguments\":{}}}"

static struct ctl_place place;
static struct ctl_session session;
static char stdio[] = "--stdio", serve[] = "serve";

/* Writes a workspace with one fake server that runs this script. */
static void
up(const char *script)
{
    ctl_place_up(&place);
    place.argument = stdio;
    rig_workspace_write(&place.ws, "script", "%s", script);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: stdio\n"
                       "    command: '%s'\n    args: ['%s']\n",
                       rig_fakeserver(), rig_workspace_path(&place.ws, "script"));
}

static void
begin(void)
{
    ctl_session_up_as(&session, &place, serve);
}

/* Reads the next line.  The line must contain `what`. */
static void
expect_line(const char *what)
{
    char *line = ctl_line(&session);

    ck_assert_msg(line != NULL, "the end instead of %s", what);
    test_has(line, what);
    free(line);
}

static void
send_initialize(void)
{
    begin();
    ctl_send(&session, "%s", HELLO);
    expect_line("\"serverInfo\"");
    ctl_send(&session, "%s", READY);
}

static void
ends_with(int status)
{
    ck_assert_int_eq(ctl_session_down(&session), status);
    ctl_place_down(&place);
}

/* Closes the reading end of the output of mcphostctl, so that further lines are lost. */
static void
stop_reading(void)
{
    close(session.out);
    session.out = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void
stderr_has(const char *what)
{
    char *text = rig_workspace_read(&place.ws, "stderr");

    test_has(text, what);
    free(text);
}

/* Returns the peak memory of mcphostctl in KiB. */
static long
peak(void)
{
    char path[64], line[256];
    long kib = -1;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)session.pid);
    f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    while (kib < 0 && fgets(line, sizeof(line), f))
        sscanf(line, "VmHWM: %ld", &kib);
    fclose(f);
    return kib;
}

/* ---- processes left behind --------------------------------------------------------- */

/* The script of a server that ignores SIGTERM and the end of its input.  A call of its
 * tool `echo` starts a child and a daemon.  The call never ends. */
#define CLINGING "ignore term\nignore eof\non call:echo\n child 60\n daemon 60\n hang\n"

enum { CLIENT = 1, SERVE = 2 };
static const int victims[] = {CLIENT, SERVE, CLIENT | SERVE};

/* Checks that all processes end within `ms`.  The test has adopted the processes that
 * lost their parent. */
static void
expect_no_process(int ms)
{
    rig_reap_adopted(ms);
    rig_census_check(&place.before, 0);
}

/* Starts a client in a process of its own, and waits until the client's call is under
 * way.  *ret_ctl becomes the process id of the client's mcphostctl. */
static pid_t
start_client(pid_t *ret_ctl)
{
    int told[2];
    pid_t pid;

    ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        send_initialize();
        ctl_send(&session, "%s", CALL(1, "echo"));
        while (rig_workspace_count(&place.ws, "trace", "tools/call") == 0)
            rig_pause(5);
        rig_pause(50); /* the daemon needs time to detach */
        if (write(told[1], &session.pid, sizeof(session.pid)) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    close(told[1]);
    ck_assert_int_eq(read(told[0], ret_ctl, sizeof(*ret_ctl)), (int)sizeof(*ret_ctl));
    close(told[0]);
    return pid;
}

/* `_i` selects the victims: the client, `mcphostctl serve`, or both.  If only `serve`
 * is a victim, the test kills the client 50 ms later.  All processes must end within two
 * seconds after the last kill. */
START_TEST(no_process_is_left_when_client_or_serve_is_killed)
{
    pid_t client, ctl = 0;

    up("");
    rig_workspace_write(&place.ws, "script", "trace %s\n" CLINGING,
                        rig_workspace_path(&place.ws, "trace"));
    client = start_client(&ctl);
    if (victims[_i] & CLIENT)
        kill(client, SIGKILL);
    if (victims[_i] & SERVE)
        kill(ctl, SIGKILL);
    if (!(victims[_i] & CLIENT)) {
        rig_pause(50);
        kill(client, SIGKILL); /* end the client that outlived serve */
    }
    expect_no_process(2000);
    ctl_place_down(&place);
}
END_TEST

START_TEST(a_client_that_closes_leaves_no_process)
{
    up("");
    rig_workspace_write(&place.ws, "script", "trace %s\n" CLINGING,
                        rig_workspace_path(&place.ws, "trace"));
    send_initialize();
    ctl_send(&session, "%s", CALL(1, "echo"));
    while (rig_workspace_count(&place.ws, "trace", "tools/call") == 0)
        rig_pause(5);
    close(session.in);
    close(session.out);
    expect_no_process(2000);
    free(session.data);
    ctl_place_down(&place);
}
END_TEST

/* ---- the end of the client's input ------------------------------------------------- */

/* A client may write its requests and close its end of the pipe.  The client gets all
 * answers, even if the servers have yet to start. */
START_TEST(requests_before_the_end_of_the_input_are_answered)
{
    up("on call:echo\n delay 100\n text late\n");
    begin();
    ctl_send(&session, "%s", HELLO);
    ctl_send(&session, "%s", READY);
    ctl_send(&session, "%s", CALL(1, "echo"));
    close(session.in);
    session.in = -1;
    expect_line("\"serverInfo\"");
    expect_line("late");
    ck_assert_ptr_null(ctl_line(&session));
    ends_with(0);
}
END_TEST

/* serve does not wait for the answer to a question after the end of the input, because
 * the answer cannot arrive. */
START_TEST(a_question_is_not_waited_for_after_the_end_of_the_input)
{
    up("on call:echo\n ask sampling/createMessage {\"messages\":[],\"maxTokens\":1}\n"
       " text asked\n");
    begin();
    ctl_send(&session, "%s", HELLO_ASKED);
    expect_line("\"serverInfo\"");
    ctl_send(&session, "%s", CALL(1, "echo"));
    expect_line("sampling/createMessage");
    close(session.in);
    session.in = -1;
    ck_assert_ptr_null(ctl_line(&session));
    ends_with(0);
}
END_TEST

START_TEST(an_incomplete_line_at_the_end_of_the_input_is_ignored)
{
    up("");
    send_initialize();
    ck_assert_int_eq(write(session.in, "{\"jsonrpc\":\"2.0\",", 17), 17);
    close(session.in);
    session.in = -1;
    ck_assert_ptr_null(ctl_line(&session));
    ends_with(0);
}
END_TEST

START_TEST(a_client_that_closes_the_output_ends_serve)
{
    up("on call:echo\n hang\n");
    send_initialize();
    ctl_send(&session, "%s", CALL(1, "echo"));
    close(session.out);
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    ck_assert_int_eq(waitpid(session.pid, NULL, 0), session.pid);
    close(session.in);
    free(session.data);
    ctl_place_down(&place);
}
END_TEST

/* ---- hostile clients --------------------------------------------------------------- */

START_TEST(the_101st_line_of_garbage_ends_serve)
{
    up("");
    send_initialize();
    for (int i = 0; i < 100; i++)
        ctl_send(&session, "no message");
    for (int i = 0; i < 100; i++)
        expect_line("-32700");
    ctl_send(&session, "no message");
    ck_assert_ptr_null(ctl_line(&session));
    ck_assert_int_eq(ctl_session_down(&session), 4);
    stderr_has("the connection to the client has ended");
    ctl_place_down(&place);
}
END_TEST

START_TEST(a_request_before_initialize_is_refused)
{
    up("");
    begin();
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    expect_line("-32600");
    ctl_send(&session, "%s", HELLO);
    expect_line("\"serverInfo\"");
    ends_with(0);
}
END_TEST

START_TEST(a_repeated_id_is_refused_and_a_stray_cancel_is_ignored)
{
    up("on call:echo\n delay 50\n text first\n");
    send_initialize();
    ctl_send(&session, "%s", CALL(1, "echo"));
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    expect_line("-32600");
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                       "\"params\":{\"requestId\":99}}");
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    expect_line("first");
    ends_with(0);
}
END_TEST

#define FLOOD     (INSTRUMENTED ? 10000 : 100000)
#define BATCH     1000
#define IN_FLIGHT 256

/* Reads lines until serve has refused `n` requests. */
static void
expect_refusals(int n)
{
    while (n > 0) {
        char *line = ctl_line(&session);

        ck_assert_msg(line != NULL, "the end before %d refusals", n);
        n -= strstr(line, "too many requests are in flight") != NULL;
        free(line);
    }
}

START_TEST(a_flood_of_requests_uses_bounded_memory)
{
    int refused = 0, sent = 0;
    long before;

    up("on call:echo\n hang\n");
    send_initialize();
    before = peak();
    while (sent < FLOOD) {
        for (int i = 0; i < BATCH; i++)
            ctl_send(&session,
                     "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"echo\",\"arguments\":{}}}",
                     ++sent);
        if (sent > IN_FLIGHT)
            expect_refusals(sent - IN_FLIGHT - refused);
        refused = sent > IN_FLIGHT ? sent - IN_FLIGHT : 0;
    }
    ctl_send(&session, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
    expect_line("\"p\"");
    if (!INSTRUMENTED)
        ck_assert_int_lt(peak() - before, 32 * 1024);
    stop_reading(); /* serve ends without waiting for the calls in flight */
    ends_with(0);
}
END_TEST

START_TEST(a_client_that_never_reads_is_closed_and_uses_bounded_memory)
{
    static const char ask[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n";
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    long before, after = 0;
    int r = 0;

    up("generate 200\n");
    send_initialize();
    sigaction(SIGPIPE, &ignore, NULL);
    before = peak();
    for (int i = 0; i < 20000 && r >= 0; i++) {
        r = (int)write(session.in, ask, sizeof(ask) - 1);
        if (r > 0)
            after = i % 500 == 0 ? peak() : after;
    }
    ck_assert_int_lt(r, 0);
    if (!INSTRUMENTED)
        ck_assert_int_lt(after - before, 64 * 1024);
    stop_reading();
    ck_assert_int_eq(ctl_session_down(&session), 4);
    stderr_has("the connection to the client has ended");
    ctl_place_down(&place);
}
END_TEST

START_TEST(a_line_over_the_limit_ends_serve)
{
    static char block[1 << 20];
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    long before, after = 0;
    ssize_t r = 1;

    up("");
    send_initialize();
    sigaction(SIGPIPE, &ignore, NULL);
    before = peak();
    memset(block, 'x', sizeof(block));
    for (int i = 0; i < 80 && r > 0; i++) {
        r = write(session.in, block, sizeof(block));
        if (r > 0 && !rig_is_dead(session.pid))
            after = peak();
    }
    ck_assert_int_lt(r, 0);
    if (!INSTRUMENTED)
        ck_assert_int_lt(after - before, 160 * 1024);
    ck_assert_int_eq(ctl_session_down(&session), 4);
    stderr_has("sent a message of more than 67108864 bytes");
    ctl_place_down(&place);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "left");

    tcase_add_loop_test(tc, no_process_is_left_when_client_or_serve_is_killed, 0, 3);
    tcase_add_test(tc, a_client_that_closes_leaves_no_process);
    tc = test_case(suite, "half-closed");
    tcase_add_test(tc, requests_before_the_end_of_the_input_are_answered);
    tcase_add_test(tc, a_question_is_not_waited_for_after_the_end_of_the_input);
    tcase_add_test(tc, an_incomplete_line_at_the_end_of_the_input_is_ignored);
    tcase_add_test(tc, a_client_that_closes_the_output_ends_serve);
    tc = test_case(suite, "hostile");
    tcase_add_test(tc, the_101st_line_of_garbage_ends_serve);
    tcase_add_test(tc, a_request_before_initialize_is_refused);
    tcase_add_test(tc, a_repeated_id_is_refused_and_a_stray_cancel_is_ignored);
    tcase_add_test(tc, a_flood_of_requests_uses_bounded_memory);
    tcase_add_test(tc, a_client_that_never_reads_is_closed_and_uses_bounded_memory);
    tcase_add_test(tc, a_line_over_the_limit_ends_serve);
}

int
main(void)
{
    return test_main("ctl-serve", add);
}
