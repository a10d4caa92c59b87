/* SPDX-License-Identifier: MIT
 *
 * test_loop_log.c - the queue of log lines, and writes without SIGPIPE.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "loop/core.h"
#include "support/runner.h"

static struct mcph_core *core;

struct sink {
    int lines, freed;
    int level;
    bool locked;
    char room[16], server[16], last[3000];
};

static void
take_line(int level, const char *room, const char *server, const char *line, void *arg)
{
    struct sink *s = arg;

    s->lines++;
    s->level = level;
    snprintf(s->room, sizeof(s->room), "%s", room);
    snprintf(s->server, sizeof(s->server), "%s", server ? server : "(none)");
    snprintf(s->last, sizeof(s->last), "%s", line);
    if (pthread_mutex_trylock(&core->lock) == 0)
        pthread_mutex_unlock(&core->lock);
    else
        s->locked = true;
}

static void
free_sink(void *arg)
{
    ((struct sink *)arg)->freed++;
}

static struct sink one, two;

static void
up(void)
{
    memset(&one, 0, sizeof(one));
    memset(&two, 0, sizeof(two));
    ck_assert_int_eq(mcph_core_new(&core, NULL), 0);
    ck_assert_int_eq(
        mcph_core_set_log(core, MCPHOST_LOG_INFO, take_line, &one, free_sink), 0);
}

static void
down(void)
{
    core = mcph_core_unref(core);
}

static void
flush(void)
{
    ck_assert_int_eq(mcph_core_enter(core), 0);
    mcph_core_leave(core);
}

START_TEST(a_line_arrives_whole_after_the_lock_is_dropped)
{
    ck_assert_int_eq(mcph_core_enter(core), 0);
    mcph_log(core, MCPHOST_LOG_WARNING, "pool", "files", "%d of %s", 3, "them");
    ck_assert_int_eq(one.lines, 0);
    mcph_core_leave(core);
    ck_assert_int_eq(one.lines, 1);
    ck_assert_int_eq(one.level, MCPHOST_LOG_WARNING);
    ck_assert_str_eq(one.room, "pool");
    ck_assert_str_eq(one.server, "files");
    ck_assert_str_eq(one.last, "3 of them");
    ck_assert(!one.locked);
}
END_TEST

START_TEST(for_a_line_without_a_server_the_function_gets_null)
{
    mcph_log(core, MCPHOST_LOG_ERROR, "pool", NULL, "x");
    flush();
    ck_assert_str_eq(one.server, "(none)");
}
END_TEST

START_TEST(lines_above_the_level_are_dropped)
{
    ck_assert(mcph_log_wants(core, MCPHOST_LOG_INFO));
    ck_assert(!mcph_log_wants(core, MCPHOST_LOG_DEBUG));
    mcph_log(core, MCPHOST_LOG_DEBUG, "pool", NULL, "x");
    flush();
    ck_assert_int_eq(one.lines, 0);
}
END_TEST

START_TEST(the_environment_can_raise_the_log_level_but_not_lower_it)
{
    static const struct {
        const char *value;
        bool info, debug;
    } cases[] = {{"debug", true, true},  {"1", true, true},     {"", false, false},
                 {"none", false, false}, {"info", true, false}, {"error", false, false},
                 {"trace", true, true}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcph_core *asked;

        ck_assert_int_eq(setenv("LIBMCPHOST_DEBUG", cases[i].value, 1), 0);
        ck_assert_int_eq(mcph_core_new(&asked, NULL), 0);
        ck_assert(!mcph_log_wants(asked, MCPHOST_LOG_ERROR));
        ck_assert_int_eq(
            mcph_core_set_log(asked, MCPHOST_LOG_WARNING, take_line, &two, NULL), 0);
        ck_assert(mcph_log_wants(asked, MCPHOST_LOG_WARNING));
        ck_assert_int_eq(mcph_log_wants(asked, MCPHOST_LOG_INFO), cases[i].info);
        ck_assert_int_eq(mcph_log_wants(asked, MCPHOST_LOG_DEBUG), cases[i].debug);
        mcph_core_unref(asked);
    }
    unsetenv("LIBMCPHOST_DEBUG");
}
END_TEST

START_TEST(a_turn_delivers_queued_lines)
{
    mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "x");
    mcph_core_dispatch(core);
    ck_assert_int_eq(one.lines, 1);
    ck_assert(!one.locked);
}
END_TEST

START_TEST(the_queue_keeps_1000_lines_and_the_number_of_lost_lines_is_logged)
{
    for (int i = 0; i < 1500; i++)
        mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "line %d", i);
    flush();
    ck_assert_int_eq(one.lines, 1001);
    ck_assert_str_eq(one.last, "500 log lines were lost");
    ck_assert_int_eq(one.level, MCPHOST_LOG_WARNING);
    mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "again");
    flush();
    ck_assert_int_eq(one.lines, 1002);
    ck_assert_str_eq(one.last, "again");
}
END_TEST

START_TEST(a_line_is_cut_to_at_most_2048_bytes)
{
    char text[5000];

    memset(text, 'x', sizeof(text));
    text[4999] = '\0';
    mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "%s", text);
    flush();
    ck_assert_uint_ge(strlen(one.last), 2000);
    ck_assert_uint_lt(strlen(one.last), 2049);
}
END_TEST

START_TEST(control_characters_and_invalid_utf8_in_a_line_are_replaced)
{
    mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "%s", "a\nb\x1b[1m\xff");
    flush();
    ck_assert_str_eq(one.last, "a b [1m\xef\xbf\xbd");
}
END_TEST

START_TEST(a_replaced_function_is_freed_once_and_gets_no_more_lines)
{
    ck_assert_int_eq(
        mcph_core_set_log(core, MCPHOST_LOG_DEBUG, take_line, &two, free_sink), 0);
    ck_assert_int_eq(one.freed, 1);
    mcph_log(core, MCPHOST_LOG_DEBUG, "pool", NULL, "x");
    flush();
    ck_assert_int_eq(one.lines, 0);
    ck_assert_int_eq(two.lines, 1);
    down();
    ck_assert_int_eq(one.freed, 1);
    ck_assert_int_eq(two.freed, 1);
}
END_TEST

START_TEST(lines_that_were_queued_when_the_log_was_turned_off_are_dropped)
{
    mcph_log(core, MCPHOST_LOG_INFO, "pool", NULL, "old");
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_INFO, NULL, NULL, NULL), 0);
    ck_assert_int_eq(one.freed, 1);
    ck_assert(!mcph_log_wants(core, MCPHOST_LOG_ERROR));
    mcph_log(core, MCPHOST_LOG_ERROR, "pool", NULL, "off");
    ck_assert_int_eq(
        mcph_core_set_log(core, MCPHOST_LOG_INFO, take_line, &two, free_sink), 0);
    flush();
    ck_assert_int_eq(one.lines, 0);
    ck_assert_int_eq(two.lines, 0);
}
END_TEST

START_TEST(a_core_freed_with_queued_lines_frees_them)
{
    mcph_log(core, MCPHOST_LOG_INFO, "pool", "s", "never read");
    down();
    ck_assert_int_eq(one.lines, 0);
    ck_assert_int_eq(one.freed, 1);
}
END_TEST

static atomic_int stop_logging;

static void *
log_away(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop_logging)) {
        mcph_log(core, MCPHOST_LOG_ERROR, "pool", "s", "x");
        if (mcph_core_enter(core) == 0)
            mcph_core_leave(core);
    }
    return NULL;
}

static atomic_int live_sinks, dead_calls;

static void
take_atomic(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)line;
    if (atomic_load((atomic_int *)arg) == 0)
        atomic_fetch_add(&dead_calls, 1);
}

static void
free_atomic(void *arg)
{
    atomic_store((atomic_int *)arg, 0);
    atomic_fetch_sub(&live_sinks, 1);
}

START_TEST(a_function_may_be_replaced_while_other_threads_log)
{
    static atomic_int args[200];
    pthread_t threads[2];

    atomic_store(&stop_logging, 0);
    /* Remove the log function of the fixture, because that function is not safe for
     * several threads. */
    ck_assert_int_eq(mcph_core_set_log(core, MCPHOST_LOG_NONE, NULL, NULL, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, log_away, NULL), 0);
    for (int i = 0; i < 200; i++) {
        atomic_store(&args[i], 1);
        atomic_fetch_add(&live_sinks, 1);
        ck_assert_int_eq(
            mcph_core_set_log(core, MCPHOST_LOG_INFO, take_atomic, &args[i], free_atomic),
            0);
        usleep(50);
    }
    atomic_store(&stop_logging, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&live_sinks), 1);
    down();
    ck_assert_int_eq(atomic_load(&live_sinks), 0);
    ck_assert_int_eq(atomic_load(&dead_calls), 0);
}
END_TEST

/* ---- writes without SIGPIPE -------------------------------------------------------- */

static volatile sig_atomic_t got_sigpipe;
static struct sigaction old_action;
static int fds[2];

static void
on_sigpipe(int sig)
{
    (void)sig;
    got_sigpipe++;
}

static void
pipe_up(void)
{
    struct sigaction action = {.sa_handler = on_sigpipe};

    got_sigpipe = 0;
    sigaction(SIGPIPE, &action, &old_action);
    ck_assert_int_eq(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
}

static void
pipe_down(void)
{
    close(fds[1]);
    sigaction(SIGPIPE, &old_action, NULL);
}

/* Opens the pipe and makes the library block SIGPIPE in all later writes, instead of
 * using the kernel's flag against SIGPIPE.  The library stops using the flag after the
 * first EINVAL.  Here an eventfd returns EINVAL, because a write of one byte is too short
 * for an eventfd. */
static void
masked_up(void)
{
    int evfd = eventfd(0, EFD_CLOEXEC);

    pipe_up();
    ck_assert_int_lt(mcph_write_nosig(evfd, "x", 1), 0);
    ck_assert_int_eq(errno, EINVAL);
    close(evfd);
}

static bool
pending(void)
{
    sigset_t set;

    sigpending(&set);
    return sigismember(&set, SIGPIPE) == 1;
}

static void
write_to_nobody(void)
{
    close(fds[0]);
    ck_assert_int_eq(mcph_write_nosig(fds[1], "x", 1), -1);
    ck_assert_int_eq(errno, EPIPE);
}

START_TEST(a_write_reaches_the_reader)
{
    char got[8];

    ck_assert_int_eq(mcph_write_nosig(fds[1], "hello", 5), 5);
    ck_assert_int_eq(read(fds[0], got, sizeof(got)), 5);
    ck_assert_mem_eq(got, "hello", 5);
    close(fds[0]);
}
END_TEST

START_TEST(a_write_without_a_reader_fails_with_epipe_and_no_signal)
{
    sigset_t mask;

    write_to_nobody();
    ck_assert_int_eq(got_sigpipe, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    ck_assert_int_eq(sigismember(&mask, SIGPIPE), 0);
    ck_assert(!pending());
}
END_TEST

START_TEST(if_the_host_blocks_sigpipe_a_failed_write_leaves_no_signal_pending)
{
    sigset_t set, old;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    write_to_nobody();
    ck_assert(!pending());
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    ck_assert_int_eq(got_sigpipe, 0);
}
END_TEST

START_TEST(a_pending_sigpipe_of_the_hosts_own_stays)
{
    sigset_t set, old;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    raise(SIGPIPE);
    write_to_nobody();
    ck_assert(pending());
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    ck_assert_int_eq(got_sigpipe, 1);
}
END_TEST

START_TEST(a_write_to_a_full_pipe_fails_with_eagain)
{
    static char block[1 << 20];

    ck_assert_int_gt(mcph_write_nosig(fds[1], block, sizeof(block)), 0);
    ck_assert_int_eq(mcph_write_nosig(fds[1], block, sizeof(block)), -1);
    ck_assert_int_eq(errno, EAGAIN);
    close(fds[0]);
}
END_TEST

static void
add_writes(TCase *tc)
{
    tcase_add_test(tc, a_write_reaches_the_reader);
    tcase_add_test(tc, a_write_without_a_reader_fails_with_epipe_and_no_signal);
    tcase_add_test(tc,
                   if_the_host_blocks_sigpipe_a_failed_write_leaves_no_signal_pending);
    tcase_add_test(tc, a_pending_sigpipe_of_the_hosts_own_stays);
    tcase_add_test(tc, a_write_to_a_full_pipe_fails_with_eagain);
}

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "log");

    tcase_add_checked_fixture(tc, up, down);
    tcase_add_test(tc, a_line_arrives_whole_after_the_lock_is_dropped);
    tcase_add_test(tc, for_a_line_without_a_server_the_function_gets_null);
    tcase_add_test(tc, lines_above_the_level_are_dropped);
    tcase_add_test(tc, the_environment_can_raise_the_log_level_but_not_lower_it);
    tcase_add_test(tc, a_turn_delivers_queued_lines);
    tcase_add_test(tc, the_queue_keeps_1000_lines_and_the_number_of_lost_lines_is_logged);
    tcase_add_test(tc, a_line_is_cut_to_at_most_2048_bytes);
    tcase_add_test(tc, control_characters_and_invalid_utf8_in_a_line_are_replaced);
    tcase_add_test(tc, a_replaced_function_is_freed_once_and_gets_no_more_lines);
    tcase_add_test(tc, lines_that_were_queued_when_the_log_was_turned_off_are_dropped);
    tcase_add_test(tc, a_core_freed_with_queued_lines_frees_them);
    tcase_add_test(tc, a_function_may_be_replaced_while_other_threads_log);
    tc = test_case(suite, "write");
    tcase_add_checked_fixture(tc, pipe_up, pipe_down);
    add_writes(tc);
    tc = test_case(suite, "write-masked");
    tcase_add_checked_fixture(tc, masked_up, pipe_down);
    add_writes(tc);
}

int
main(void)
{
    return test_main("loop-log", add);
}
