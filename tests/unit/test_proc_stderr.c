/* SPDX-License-Identifier: MIT
 *
 * test_proc_stderr.c - the stderr of a server: lines, limits, lost lines, and the tail
 * for error messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/internal.h"
#include "support/procrig.h"
#include "support/runner.h"

static struct rig rig;

static void
up(void)
{
    procrig_up(&rig);
}

static void
down(void)
{
    procrig_down(&rig);
}

static void
run_script(const char *script)
{
    procrig_start(&rig, (char *[]){"sh", "-c", (char *)(uintptr_t)script, NULL});
}

static void
tail(size_t max, struct mcph_buf *buf)
{
    mcph_buf_init(buf, MCPH_PROC_RING_MAX);
    ck_assert_int_eq(mcph_proc_stderr_tail(rig.proc, max, buf), 0);
}

/* R21 */
START_TEST(each_line_is_reported_without_its_newline)
{
    run_script("printf 'one\\ntwo\\r\\n\\nthree' >&2");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(rig.lines, 3);
    ck_assert_str_eq(rig.line, "three"); /* the last line has no newline */
    ck_assert_uint_eq(rig.lost, 0);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut_and_the_next_is_whole)
{
    run_script("head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; sleep 10");
    ck_assert(procrig_until(&rig, &rig.lines, 2000));
    ck_assert_uint_eq(rig.line_len, MCPH_PROC_LINE_MAX);
    procrig_end(&rig);
    run_script(
        "head -c 9000 /dev/zero | tr '\\0' x >&2; echo >&2; echo next >&2; sleep 10");
    while (rig.lines < 2)
        ck_assert_int_ge(mcph_core_wait(rig.core, 1000), 1);
    ck_assert_str_eq(rig.line, "next");
}
END_TEST

START_TEST(invalid_utf8_and_control_characters_are_replaced)
{
    run_script("printf 'a\\001b\\377c\\033[1m\\303\\251\\n' >&2; sleep 10");
    ck_assert(procrig_until(&rig, &rig.lines, 2000));
    ck_assert_str_eq(rig.line, "a b\xef\xbf\xbd"
                               "c [1m\xc3\xa9");
}
END_TEST

START_TEST(a_line_with_replaced_bytes_keeps_the_limit_of_its_length)
{
    run_script("head -c 8000 /dev/zero | tr '\\0' '\\377' >&2; echo >&2; sleep 10");
    ck_assert(procrig_until(&rig, &rig.lines, 2000));
    ck_assert_uint_le(rig.line_len, MCPH_PROC_LINE_MAX);
    ck_assert_uint_gt(rig.line_len, MCPH_PROC_LINE_MAX - 4);
    ck_assert(mcph_utf8_valid(rig.line, rig.line_len, NULL));
}
END_TEST

/* R21 */
START_TEST(a_flood_does_not_block_the_server_and_losses_are_counted)
{
    run_script(
        "i=0; while [ $i -lt 300 ]; do echo 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; i=$((i+1)); done "
        ">/tmp/mcph-$$;"
        "i=0; while [ $i -lt 200 ]; do cat /tmp/mcph-$$ >&2; i=$((i+1)); done;"
        "rm /tmp/mcph-$$; echo done");
    ck_assert(procrig_until(&rig, &rig.exited, 8000));
    ck_assert_str_eq(procrig_read_line(&rig, 100), "done");
    /* The library reports only MCPH_PROC_LINE_RATE of the 60,000 lines in each second.
     * It counts the other lines as lost. */
    ck_assert_int_ge(rig.lines, MCPH_PROC_LINE_RATE);
    ck_assert_int_lt(rig.lines, 20 * (int)MCPH_PROC_LINE_RATE);
    mcph_proc_stop(rig.proc);
    ck_assert(procrig_until(&rig, &rig.gone, 2000));
    ck_assert_uint_ge(rig.lost + (uint64_t)rig.lines, 60000);
    /* The library sometimes also counts an empty last line. */
    ck_assert_uint_le(rig.lost + (uint64_t)rig.lines, 60001);
    ck_assert_uint_le(rig.proc->err.cap, MCPH_PROC_RING_MAX);
}
END_TEST

/* R21: lines beyond the limit of one turn wait in the pipe. */
START_TEST(one_turn_reports_a_limited_number_of_lines)
{
    int before, most = 0;

    run_script(
        "i=0; while [ $i -lt 150 ]; do echo a line of the usual length, $i; i=$((i+1));"
        " done >/tmp/mcph-$$; cat /tmp/mcph-$$ >&2; rm /tmp/mcph-$$; sleep 10");
    while (rig.lines < 150) {
        before = rig.lines;
        ck_assert_int_ge(mcph_core_wait(rig.core, 5000), 1);
        if (rig.lines - before > most)
            most = rig.lines - before;
    }
    ck_assert_str_eq(rig.line, "a line of the usual length, 149");
    ck_assert_uint_eq(rig.lost, 0);
    ck_assert_int_lt(most, 150);
}
END_TEST

START_TEST(the_tail_is_complete_when_the_exit_is_reported)
{
    struct mcph_buf buf;

    run_script("echo 'cannot open the database' >&2; exit 3");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    tail(MCPH_PROC_TAIL_MAX, &buf);
    ck_assert_uint_eq(buf.len, 25);
    ck_assert_int_eq(memcmp(buf.data, "cannot open the database\n", 25), 0);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(the_tail_is_the_end_of_the_output)
{
    struct mcph_buf buf;
    char want[32];

    /* 20,000 lines of 6 bytes fill the ring almost twice. */
    run_script("seq 10000 29999 >&2");
    ck_assert(procrig_until(&rig, &rig.exited, 4000));
    tail(MCPH_PROC_RING_MAX, &buf);
    ck_assert_uint_eq(buf.len, MCPH_PROC_RING_MAX);
    for (int i = 0; i < 10000; i++) {
        snprintf(want, sizeof(want), "%d\n", 29999 - i);
        ck_assert_int_eq(memcmp(buf.data + buf.len - 6 * (size_t)(i + 1), want, 6), 0);
    }
    mcph_buf_done(&buf);
    tail(7, &buf);
    ck_assert_uint_eq(buf.len, 7);
    ck_assert_int_eq(memcmp(buf.data, "\n29999\n", 7), 0);
    mcph_buf_done(&buf);
}
END_TEST

START_TEST(the_tail_can_be_attached_to_an_error)
{
    mcphost_error *err = NULL;
    const char *text;

    run_script("seq 1 5000 >&2; printf 'last \\377 words' >&2");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    mcph_err(&err, MCPHOST_E_TRANSPORT, "it ended");
    mcph_proc_attach_tail(rig.proc, NULL, err);
    mcph_proc_attach_tail(rig.proc, NULL, NULL);
    text = mcphost_error_get_stderr_tail(err);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_le(strlen(text), MCPH_PROC_TAIL_MAX);
    ck_assert_ptr_nonnull(strstr(text, "\n5000\nlast \xef\xbf\xbd words"));
    mcphost_error_unref(err);
}
END_TEST

START_TEST(a_server_that_writes_no_stderr_takes_no_memory_for_it)
{
    run_script("echo ready; sleep 10");
    procrig_read_line(&rig, 2000);
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    ck_assert_ptr_null(rig.proc->err.ring);
    ck_assert_ptr_null(rig.proc->err.line.data);
}
END_TEST

START_TEST(the_descriptor_is_closed_at_the_end_of_stderr)
{
    int before;

    run_script("echo ready; read line; exec 2>&-; echo closed; sleep 10");
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "ready");
    ck_assert(procrig_until(&rig, &rig.started, 2000));
    before = procrig_count_fds();
    ck_assert_int_eq(write(mcph_proc_stdin(rig.proc), "\n", 1), 1);
    ck_assert_str_eq(procrig_read_line(&rig, 2000), "closed");
    mcph_core_wait(rig.core, 20);
    ck_assert_int_eq(procrig_count_fds(), before - 1);
}
END_TEST

static void
free_on_line(struct rig *the_rig)
{
    the_rig->proc = mcph_proc_free(the_rig->proc, 1000);
}

START_TEST(the_proc_may_be_freed_in_the_event_of_a_line)
{
    rig.on_line = free_on_line;
    run_script("echo a >&2; echo b >&2; echo c >&2; sleep 10");
    ck_assert(procrig_until(&rig, &rig.lines, 2000));
    ck_assert_int_eq(rig.lines, 1);
    ck_assert_ptr_null(rig.proc);
}
END_TEST

static const char *
tail_of_an_error(void)
{
    static char text[8000];
    mcphost_error *error = NULL;

    mcph_err(&error, MCPHOST_E_IO, "x");
    mcph_proc_attach_tail(rig.proc, NULL, error);
    snprintf(text, sizeof(text), "%s", mcphost_error_get_stderr_tail(error));
    mcphost_error_unref(error);
    return text;
}

START_TEST(the_first_line_of_a_stack_trace_is_in_the_tail)
{
    run_script("echo start >&2; echo 'Error: no such thing' >&2; for i in $(seq 300); do "
               "echo \"    at some_function_of_a_long_name (file.js:$i)\" >&2; done; "
               "echo 'Error: of the error' >&2; echo 'Node.js' >&2");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_int_eq(strncmp(tail_of_an_error(), "Error: no such thing\n...\n", 25), 0);
    ck_assert_ptr_nonnull(strstr(tail_of_an_error(), "(file.js:300)"));
}
END_TEST

START_TEST(an_error_among_the_last_lines_is_not_repeated)
{
    run_script("echo start >&2; echo 'Error: no such thing' >&2; echo '    at x' >&2");
    ck_assert(procrig_until(&rig, &rig.exited, 2000));
    ck_assert_str_eq(tail_of_an_error(), "start\nError: no such thing\n    at x\n");
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "stderr");

    tcase_set_timeout(tc, 15);
    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, each_line_is_reported_without_its_newline);
    tcase_add_test(tc, the_first_line_of_a_stack_trace_is_in_the_tail);
    tcase_add_test(tc, an_error_among_the_last_lines_is_not_repeated);
    tcase_add_test(tc, a_line_that_is_too_long_is_cut_and_the_next_is_whole);
    tcase_add_test(tc, invalid_utf8_and_control_characters_are_replaced);
    tcase_add_test(tc, a_line_with_replaced_bytes_keeps_the_limit_of_its_length);
    tcase_add_test(tc, a_flood_does_not_block_the_server_and_losses_are_counted);
    tcase_add_test(tc, one_turn_reports_a_limited_number_of_lines);
    tcase_add_test(tc, the_tail_is_complete_when_the_exit_is_reported);
    tcase_add_test(tc, the_tail_is_the_end_of_the_output);
    tcase_add_test(tc, the_tail_can_be_attached_to_an_error);
    tcase_add_test(tc, a_server_that_writes_no_stderr_takes_no_memory_for_it);
    tcase_add_test(tc, the_descriptor_is_closed_at_the_end_of_stderr);
    tcase_add_test(tc, the_proc_may_be_freed_in_the_event_of_a_line);
}

int
main(void)
{
    return test_main("proc-stderr", add);
}
