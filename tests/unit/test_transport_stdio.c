/* SPDX-License-Identifier: MIT
 *
 * test_transport_stdio.c - messages to and from real processes, and all ways in which
 * these processes end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/procrig.h"
#include "support/runner.h"
#include "transport/transport.h"

#define WAIT_MS 3000

static struct mcph_core *core;
static struct mcph_transport *t;
static struct mcph_proc_spec spec;
static int fds_before;

/* The counters and texts of the reported events. */
static int ups, messages, closings, gones, stderr_lines, overs;
static pid_t pid;
static char last[256]; /* the last message */
static size_t bytes;   /* the length of all messages together */
static char *reason, *tail;
static int code;
static bool free_on_message;

static void
on_message(struct mcph_transport *tr, uint64_t stream, struct mcph_frame *frame,
           void *arg)
{
    (void)arg;
    /* Use plain ifs, because each assertion calls write(2), and there may be very many
     * messages. */
    if (tr != t || stream != 0 || closings != 0)
        ck_abort_msg("a message out of place");
    messages++;
    bytes += frame->len;
    if (frame->over)
        overs++;
    else
        snprintf(last, sizeof(last), "%.*s", (int)frame->len, frame->data);
    if (free_on_message)
        t = mcph_transport_free(t, 1000);
}

static void
on_closed(struct mcph_transport *tr, uint64_t stream, mcphost_error *err, void *arg)
{
    (void)tr;
    (void)arg;
    ck_assert_uint_eq(stream, 0);
    closings++;
    code = mcphost_error_get_code(err);
    free(reason);
    free(tail);
    reason = mcph_strdup(mcphost_error_get_message(err));
    tail = mcph_strdup(
        mcphost_error_get_stderr_tail(err) ? mcphost_error_get_stderr_tail(err) : "");
}

static void
on_up(struct mcph_transport *tr, pid_t p, void *arg)
{
    (void)tr;
    ck_assert_ptr_eq(arg, &spec);
    ups++;
    pid = p;
}

static void
on_gone(struct mcph_transport *tr, void *arg)
{
    (void)tr;
    (void)arg;
    gones++;
}

static void
on_stderr_line(struct mcph_transport *tr, const char *line, size_t len, uint64_t lost,
               void *arg)
{
    (void)tr;
    (void)line;
    (void)len;
    (void)lost;
    (void)arg;
    stderr_lines++;
}

static const struct mcph_transport_user user = {.message = on_message,
                                                .closed = on_closed};
static const struct mcph_transport_owner owner = {
    .up = on_up, .gone = on_gone, .stderr_line = on_stderr_line};

static void
up(void)
{
    static char guard[512];

    snprintf(guard, sizeof(guard), "%s/mcphost-guard", test_bindir());
    fds_before = procrig_count_fds();
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    mcph_proc_spec_init(&spec);
    spec.server = "stdio";
    spec.guard_path = guard;
    spec.stop_eof_ms = spec.stop_term_ms = 100;
}

static void
down(void)
{
    t = mcph_transport_free(t, 1000);
    mcph_core_drain(core);
    mcph_core_unref(core);
    procrig_no_children();
    ck_assert_int_eq(procrig_count_fds(), fds_before);
    free(reason);
    free(tail);
}

static void
make(char **argv)
{
    static char *env[] = {(char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL};

    spec.command = argv[0];
    spec.argv = argv;
    spec.envp = env;
    ck_assert_int_eq(mcph_stdio_new(core, &spec, &owner, &spec, &t, NULL), 0);
    mcph_transport_set_user(t, &user, NULL);
}

static void
run_server(char **argv)
{
    make(argv);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
}

static void
run_sh(const char *script)
{
    char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                    (char *)(uintptr_t)script, NULL};

    run_server(argv);
}

static void
run_cat(void)
{
    char *argv[] = {(char *)(uintptr_t) "cat", NULL};

    run_server(argv);
}

static void
until(const int *counter, int value)
{
    int64_t end = mcph_clock_monotonic_ms() + WAIT_MS;

    while (*counter < value) {
        ck_assert_msg(
            mcph_clock_monotonic_ms() < end,
            "nothing came in time (%d messages, %zu bytes, %d closings, %d gones)",
            messages, bytes, closings, gones);
        ck_assert_int_ge(mcph_core_wait(core, 100), 0);
    }
}

static int
send_text(const char *text)
{
    return mcph_transport_send(t, mcph_span_str(text), NULL, 0, MCPH_SEND_REQUEST, 0);
}

/* ---- sending and receiving --------------------------------------------------------- */

START_TEST(messages_go_out_and_come_back_in_order)
{
    char text[32];

    run_cat();
    for (int i = 1; i <= 200; i++) {
        snprintf(text, sizeof(text), "{\"n\":%d}", i);
        ck_assert_int_eq(send_text(text), 0);
        until(&messages, i);
        ck_assert_str_eq(last, text);
    }
    until(&ups, 1); /* on_up() runs before the first message */
    ck_assert_int_gt(pid, 1);
}
END_TEST

START_TEST(messages_committed_together_are_written_together)
{
    run_sh("exec dd bs=65536 count=1 2>/dev/null | wc -c");
    ck_assert_int_eq(send_text("123456789"), 0);
    ck_assert_int_eq(send_text("123456789"), 0);
    until(&messages, 1);
    ck_assert_int_eq(atoll(last), 20);
}
END_TEST

/* R21: a flood of tiny messages must not delay other work of the dispatcher. */
START_TEST(one_turn_reports_a_limited_number_of_messages)
{
    int64_t end = mcph_clock_monotonic_ms() + 20000;
    int before, most = 0;

    run_sh("printf '%020000d' 0 | sed 's/0/x\\n/g' >/tmp/mcph-$$; cat /tmp/mcph-$$;"
           " rm /tmp/mcph-$$; read x");
    while (messages < 20000 && mcph_clock_monotonic_ms() < end) {
        before = messages;
        ck_assert_int_ge(mcph_core_wait(core, 100), 0);
        if (messages - before > most)
            most = messages - before;
    }
    ck_assert_int_eq(messages, 20000);
    ck_assert_int_le(most, (int)(MCPH_TURN_BYTES / MCPH_TURN_MESSAGE));
}
END_TEST

START_TEST(reading_and_writing_do_not_wait_for_each_other)
{
    size_t len = 3 * 1024 * 1024;
    char *big = malloc(len + 1);

    memset(big, 'x', len);
    big[len] = '\0';
    run_cat();
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(send_text(big), 0);
    until(&messages, 3);
    ck_assert_uint_eq(bytes, 3 * len);
    ck_assert_int_eq(send_text("{}"), 0);
    until(&messages, 4);
    ck_assert_str_eq(last, "{}");
    free(big);
}
END_TEST

START_TEST(messages_that_exceed_the_queue_of_a_server_are_refused)
{
    static char big[32768];
    int n = 0, r;

    make((char *[]){(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "30", NULL});
    mcph_stdio_set_queue_max(t, 100000);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    memset(big, 'x', sizeof(big) - 1);
    do {
        r = send_text(big);
        ck_assert_int_ge(mcph_core_wait(core, 20), 0);
        n++;
    } while (r == 0 && n < 100);
    ck_assert_int_eq(r, MCPHOST_E_LIMIT);
    ck_assert_int_ge(n, 5); /* the pipe and the queue hold at least four messages */
    ck_assert_int_eq(closings, 0);
}
END_TEST

START_TEST(a_message_over_the_limit_leaves_the_connection_alive)
{
    make((char *[]){(char *)(uintptr_t) "cat", NULL});
    mcph_stdio_set_frame_limit(t, 100);
    ck_assert_int_eq(mcph_transport_open(t, NULL), 0);
    for (int i = 0; i < 2; i++) {
        char text[400];

        snprintf(text, sizeof(text), "{\"id\":7,\"result\":\"%0300d\"}", 0);
        ck_assert_int_eq(send_text(text), 0);
    }
    ck_assert_int_eq(send_text("{}"), 0);
    until(&messages, 3);
    ck_assert_int_eq(overs, 2);
    ck_assert_str_eq(last, "{}");
}
END_TEST

START_TEST(a_message_may_free_the_transport)
{
    free_on_message = true;
    run_sh("echo one; echo two; cat");
    until(&messages, 1);
    while (mcph_core_wait(core, 20) > 0)
        ;
    ck_assert_int_eq(messages, 1);
    ck_assert_int_eq(gones, 0);
}
END_TEST

/* ---- how a server ends ------------------------------------------------------------- */

START_TEST(the_reason_has_the_exit_status_and_the_stderr_tail)
{
    run_sh("echo '{\"last\":1}'; echo oops >&2; exit 3");
    until(&gones, 1);
    ck_assert_int_eq(closings, 1);
    ck_assert_int_eq(code, MCPHOST_E_TRANSPORT);
    ck_assert_str_eq(reason, "exited with status 3");
    ck_assert_str_eq(tail, "oops\n");
    ck_assert_str_eq(last, "{\"last\":1}"); /* the message came before the exit */
    ck_assert_int_eq(stderr_lines, 1);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(the_reason_names_the_signal_that_killed_the_server)
{
    run_sh("kill -9 $$");
    until(&gones, 1);
    ck_assert_ptr_nonnull(strstr(reason, "signal 9"));
}
END_TEST

START_TEST(the_reason_mentions_an_incomplete_message)
{
    run_sh("printf '{\"half'; exit 0");
    until(&gones, 1);
    ck_assert_str_eq(reason, "exited with status 0 in the middle of a message");
    ck_assert_int_eq(messages, 0);
}
END_TEST

START_TEST(all_messages_in_the_pipe_are_read_after_the_exit)
{
    run_sh("i=0; while [ $i -lt 600 ]; do printf '%0100d\\n' $i; i=$((i+1)); done");
    until(&closings, 1);
    ck_assert_int_eq(messages, 600);
    ck_assert_int_eq(atoll(last), 599);
}
END_TEST

START_TEST(a_descendant_that_keeps_the_pipe_open_does_not_hide_the_exit)
{
    int64_t start = mcph_clock_monotonic_ms();

    run_sh("sleep 30 & exit 4");
    until(&gones, 1);
    ck_assert_str_eq(reason, "exited with status 4");
    ck_assert_int_lt(mcph_clock_monotonic_ms() - start, 2000);
}
END_TEST

START_TEST(a_descendant_that_floods_the_pipe_does_not_hide_the_exit)
{
    run_sh("yes $(printf '%01000d' 0) & exit 5");
    until(&gones, 1);
    /* The reason may also mention an incomplete message, because reading stops at a limit
     * while the flood continues. */
    ck_assert_ptr_eq(strstr(reason, "exited with status 5"), reason);
}
END_TEST

START_TEST(a_server_that_closes_its_stdout_but_lives_ends_the_connection)
{
    run_sh("echo one; exec >&-; exec sleep 30");
    until(&gones, 1);
    ck_assert_str_eq(reason, "closed its standard output but did not exit");
    ck_assert_int_eq(messages, 1);
}
END_TEST

START_TEST(a_server_that_closes_its_stdin_but_lives_ends_the_connection)
{
    run_sh("exec <&-; echo ready; exec sleep 30");
    until(&messages, 1);
    until(&ups, 1); /* the guard has closed its copy of the pipe */
    ck_assert_int_eq(send_text("{}"), 0);
    until(&gones, 1);
    ck_assert_str_eq(reason, "closed its standard input but did not exit");
}
END_TEST

START_TEST(after_a_write_to_a_dead_server_the_reason_has_its_exit_status)
{
    run_sh("read x; exit 6");
    ck_assert_int_eq(send_text("{}"), 0);
    while (closings == 0) {
        ck_assert_int_ge(mcph_core_wait(core, 100), 0);
        (void)send_text("{}");
    }
    ck_assert_str_eq(reason, "exited with status 6");
}
END_TEST

START_TEST(opening_a_program_that_does_not_exist_fails_with_e_spawn)
{
    mcphost_error *err = NULL;

    make((char *[]){(char *)(uintptr_t) "/nonexistent/server", NULL});
    ck_assert_int_eq(mcph_transport_open(t, &err), MCPHOST_E_SPAWN);
    ck_assert_ptr_nonnull(strstr(mcphost_error_get_message(err), "/nonexistent/server"));
    mcphost_error_unref(err);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
}
END_TEST

START_TEST(a_program_that_cannot_run_fails_with_e_spawn)
{
    char path[] = "/tmp/mcph-stdio-XXXXXX";
    static const char text[] = "#!/nonexistent/interpreter\n";
    int fd = mkostemp(path, O_CLOEXEC), r;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    ck_assert_int_eq(fchmod(fd, 0700), 0);
    close(fd);
    make((char *[]){path, NULL});
    r = mcph_transport_open(t, NULL);
    if (r == 0) {
        until(&gones, 1);
        r = code;
        ck_assert_int_eq(closings, 1);
        ck_assert_int_eq(ups, 0);
    }
    ck_assert_int_eq(r, MCPHOST_E_SPAWN);
    unlink(path);
}
END_TEST

/* ---- close, kill and free ---------------------------------------------------------- */

START_TEST(close_ends_a_server_by_the_end_of_its_input)
{
    run_sh("cat >/dev/null; echo late; exit 0");
    until(&ups, 1);
    mcph_transport_close(t);
    mcph_transport_close(t);
    ck_assert_int_eq(send_text("{}"), MCPHOST_E_TRANSPORT);
    until(&gones, 1);
    ck_assert_int_eq(messages, 0); /* the transport drops "late" */
    ck_assert_int_eq(closings, 0); /* on_closed() does not run after a close */
}
END_TEST

START_TEST(close_writes_committed_messages)
{
    char path[] = "/tmp/mcph-stdio-XXXXXX", script[64], text[16] = "";
    int fd = mkostemp(path, O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    snprintf(script, sizeof(script), "exec cat >%s", path);
    run_sh(script);
    ck_assert_int_eq(send_text("goodbye"), 0);
    mcph_transport_close(t);
    until(&gones, 1);
    ck_assert_int_eq(read(fd, text, sizeof(text) - 1), 8);
    ck_assert_str_eq(text, "goodbye\n");
    close(fd);
    unlink(path);
}
END_TEST

START_TEST(close_ends_servers_that_ignore_sigterm_or_fill_the_pipe)
{
    static const char *const scripts[] = {
        "trap '' TERM; exec sleep 30",      /* ignores end of input and SIGTERM */
        "exec yes",                         /* fills the pipe */
        "trap '' TERM PIPE; exec yes xxxx", /* ignores SIGTERM and fills the pipe */
    };
    int64_t start = mcph_clock_monotonic_ms();

    run_sh(scripts[_i]);
    until(&ups, 1);
    mcph_transport_close(t);
    until(&gones, 1);
    ck_assert_int_lt(mcph_clock_monotonic_ms() - start, 2000);
}
END_TEST

START_TEST(kill_does_not_wait_for_the_grace_times)
{
    spec.stop_eof_ms = spec.stop_term_ms = 60000;
    run_sh("trap '' TERM; sleep 30; sleep 30");
    until(&ups, 1);
    mcph_transport_kill(t);
    until(&gones, 1);
}
END_TEST

START_TEST(free_at_any_time_leaves_no_process_and_no_descriptor)
{
    static const char *const scripts[] = {"exec sleep 30", "exec yes", "exit 0",
                                          "trap '' TERM; sleep 30 & sleep 30"};

    run_sh(scripts[_i]);
    ck_assert_int_eq(send_text("{}"), 0);
    if (_i % 2)
        until(&ups, 1);
    t = mcph_transport_free(t, 1000);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "to and fro");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, messages_go_out_and_come_back_in_order);
    tcase_add_test(tc, messages_committed_together_are_written_together);
    tcase_add_test(tc, one_turn_reports_a_limited_number_of_messages);
    tcase_add_test(tc, reading_and_writing_do_not_wait_for_each_other);
    tcase_add_test(tc, messages_that_exceed_the_queue_of_a_server_are_refused);
    tcase_add_test(tc, a_message_over_the_limit_leaves_the_connection_alive);
    tcase_add_test(tc, a_message_may_free_the_transport);

    tc = test_case(suite, "ends");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, the_reason_has_the_exit_status_and_the_stderr_tail);
    tcase_add_test(tc, the_reason_names_the_signal_that_killed_the_server);
    tcase_add_test(tc, the_reason_mentions_an_incomplete_message);
    tcase_add_test(tc, all_messages_in_the_pipe_are_read_after_the_exit);
    tcase_add_test(tc, a_descendant_that_keeps_the_pipe_open_does_not_hide_the_exit);
    tcase_add_test(tc, a_descendant_that_floods_the_pipe_does_not_hide_the_exit);
    tcase_add_test(tc, a_server_that_closes_its_stdout_but_lives_ends_the_connection);
    tcase_add_test(tc, a_server_that_closes_its_stdin_but_lives_ends_the_connection);
    tcase_add_test(tc, after_a_write_to_a_dead_server_the_reason_has_its_exit_status);
    tcase_add_test(tc, opening_a_program_that_does_not_exist_fails_with_e_spawn);
    tcase_add_test(tc, a_program_that_cannot_run_fails_with_e_spawn);

    tc = test_case(suite, "endings");
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, close_ends_a_server_by_the_end_of_its_input);
    tcase_add_test(tc, close_writes_committed_messages);
    tcase_add_loop_test(tc, close_ends_servers_that_ignore_sigterm_or_fill_the_pipe, 0,
                        3);
    tcase_add_test(tc, kill_does_not_wait_for_the_grace_times);
    tcase_add_loop_test(tc, free_at_any_time_leaves_no_process_and_no_descriptor, 0, 4);
}

int
main(void)
{
    return test_main("transport-stdio", add);
}
