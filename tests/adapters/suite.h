/* SPDX-License-Identifier: MIT
 *
 * suite.h - the tests of an adapter, for any loop.
 *
 * A program defines these functions for its loop, and calls run_suite():
 *
 *   loop_run()                  runs the loop until loop_quit() is called
 *   loop_quit()                 ends loop_run(); a callback may call loop_quit()
 *   loop_later(fn)              calls fn once from the loop, after some milliseconds
 *   loop_attach(host, i)        attaches a host as number i, with the callback
 *                               on_ended(); returns 0 or a negative error code
 *   loop_detach(i)              detaches the host with the number i
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#define HOSTS 2

static void loop_run(void);
static void loop_quit(void);
static void loop_later(void (*fn)(void));
static int loop_attach(mcphost *host, int i);
static void loop_detach(int i);

static mcphost *hosts[HOSTS];
static mcphost_dialog *dialogs[HOSTS];
static int ended[HOSTS]; /* for each host: the code that on_ended() got, at first 0 */
static int calls, failures, freed;

#define CHECK(what)                                            \
    do {                                                       \
        if (!(what)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
            failures++;                                        \
        }                                                      \
    } while (0)

static void
on_ended(mcphost *host, int code, void *arg)
{
    int all = 1;

    for (int i = 0; i < HOSTS; i++) {
        if (hosts[i] && hosts[i] == host)
            ended[i] = code;
        if (hosts[i] && ended[i] == 0)
            all = 0;
    }
    (void)arg;
    if (all)
        loop_quit();
}

static int
answer_echo(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    return mcphost_call_answer(call, arguments, len, 0);
}

static void
count_free(void *arg)
{
    (void)arg;
    freed++;
}

static void
make_host(int i)
{
    mcphost_view *view;

    CHECK(mcphost_new(&hosts[i], NULL) == 0);
    view = mcphost_default_view(hosts[i]);
    CHECK(mcphost_view_add_builtin(view, "own", "echo", NULL, "{\"type\":\"object\"}",
                                   answer_echo, NULL, count_free, NULL) == 0);
    CHECK(mcphost_dialog_new(view, "me", NULL, &dialogs[i], NULL) == 0);
    CHECK(loop_attach(hosts[i], i) == 0);
    ended[i] = 0;
}

/* Releases the dialog and the host.  The adapter may still hold a reference to the
 * host. */
static void
drop_host(int i)
{
    dialogs[i] = mcphost_dialog_unref(dialogs[i]);
    hosts[i] = mcphost_unref(hosts[i]);
}

static void
start_call(int i, mcphost_done_fn done)
{
    mcphost_call *call = NULL;

    CHECK(mcphost_call_new(dialogs[i], "echo", "{}", 2, &call, NULL) == 0);
    CHECK(mcphost_call_start(call, done, &hosts[i], NULL) == 0);
    mcphost_call_unref(call);
}

static int
index_of(void *arg)
{
    return (int)((mcphost **)arg - hosts);
}

/* ---- a host that is closed in a callback, after many calls ------------------------- */

static void
call_again(mcphost_call *call, void *arg)
{
    CHECK(mcphost_call_get_result(call) != NULL);
    if (++calls < 1000)
        start_call(index_of(arg), call_again);
    else
        CHECK(mcphost_close(hosts[index_of(arg)]) == 0);
}

static void
closes_in_a_callback(void)
{
    calls = 0;
    make_host(0);
    start_call(0, call_again);
    loop_run();
    CHECK(calls == 1000 && ended[0] == MCPHOST_E_CLOSED);
    loop_detach(0);
    drop_host(0);
}

/* ---- two hosts --------------------------------------------------------------------- */

static int calls_of[HOSTS];

static void
call_both(mcphost_call *call, void *arg)
{
    int i = index_of(arg);

    (void)call;
    if (++calls_of[i] < 300)
        start_call(i, call_both);
    else
        CHECK(mcphost_close(hosts[i]) == 0);
}

static void
two_hosts_share_a_loop(void)
{
    for (int i = 0; i < HOSTS; i++) {
        calls_of[i] = 0;
        make_host(i);
        start_call(i, call_both);
    }
    loop_run();
    for (int i = 0; i < HOSTS; i++) {
        CHECK(calls_of[i] == 300 && ended[i] == MCPHOST_E_CLOSED);
        loop_detach(i);
        drop_host(i);
    }
}

/* ---- detaching in a callback, also with the last reference ------------------------- */

static void
detach_here(mcphost_call *call, void *arg)
{
    (void)call;
    loop_detach(index_of(arg));
    drop_host(index_of(arg));
    loop_later(loop_quit);
}

static void
detaches_in_a_callback(void)
{
    freed = 0;
    make_host(0);
    start_call(0, detach_here);
    loop_run();
    CHECK(freed == 1);
}

/* ---- a host that is detached is not dispatched; it can be attached again ----------- */

static void
close_it(mcphost_call *call, void *arg)
{
    (void)call;
    calls++;
    CHECK(mcphost_close(hosts[index_of(arg)]) == 0);
}

static void
attaches_again(void)
{
    calls = 0;
    make_host(0);
    loop_detach(0);
    start_call(0, close_it);
    loop_later(loop_quit);
    loop_run();
    CHECK(calls == 0);
    CHECK(loop_attach(hosts[0], 0) == 0);
    loop_run();
    CHECK(calls == 1 && ended[0] == MCPHOST_E_CLOSED);
    loop_detach(0);
    drop_host(0);
}

/* ---- a call from the loop wakes the host ------------------------------------------- */

static void
call_from_the_loop(void)
{
    start_call(0, close_it);
}

static void
sleeps_until_there_is_work(void)
{
    calls = 0;
    make_host(0);
    loop_later(call_from_the_loop);
    loop_run();
    CHECK(calls == 1 && ended[0] == MCPHOST_E_CLOSED);
    loop_detach(0);
    drop_host(0);
}

/* ---- a burst of calls -------------------------------------------------------------- */

static void
count_down(mcphost_call *call, void *arg)
{
    (void)call;
    if (--calls == 0)
        CHECK(mcphost_close(hosts[index_of(arg)]) == 0);
}

static void
many_calls_at_once_end(void)
{
    calls = 5000;
    make_host(0);
    for (int i = 0; i < 5000; i++)
        start_call(0, count_down);
    loop_run();
    CHECK(calls == 0 && ended[0] == MCPHOST_E_CLOSED);
    loop_detach(0);
    drop_host(0);
}

/* ---- hosts that cannot be attached ------------------------------------------------- */

static void
refuses_unattachable_hosts(void)
{
    CHECK(loop_attach(NULL, 1) == MCPHOST_E_INVALID);
    CHECK(mcphost_new(&hosts[0], NULL) == 0);
    CHECK(mcphost_thread_start(hosts[0]) == 0);
    CHECK(loop_attach(hosts[0], 1) == MCPHOST_E_STATE);
    CHECK(mcphost_thread_stop(hosts[0]) == 0);
    drop_host(0);
}

static void
run_one(const char *name, void (*test)(void))
{
    int before = failures;

    test();
    printf("%s: %s\n", name, before == failures ? "ok" : "FAILED");
    fflush(stdout);
}

static int
run_suite(void)
{
    run_one("closes_in_a_callback", closes_in_a_callback);
    run_one("two_hosts_share_a_loop", two_hosts_share_a_loop);
    run_one("detaches_in_a_callback", detaches_in_a_callback);
    run_one("attaches_again", attaches_again);
    run_one("sleeps_until_there_is_work", sleeps_until_there_is_work);
    run_one("many_calls_at_once_end", many_calls_at_once_end);
    run_one("refuses_unattachable_hosts", refuses_unattachable_hosts);
    return failures != 0;
}

#endif
