/* SPDX-License-Identifier: MIT
 *
 * churn.c - uses one host from many threads at once, by steps that the threads draw at
 * random.
 *
 *   churn [-n ROUNDS] [-t MS] [-j THREADS] [-s SEED] [-v]
 *
 * All threads make, change, use and release sources, views, dialogs, turns, built-in
 * tools and calls, through handles that they share.  Meanwhile the servers answer, hang,
 * send requests, change their tools or fail to start.  The host dispatches on its own
 * thread or, in every other round, on the main thread.  For the main thread,
 * mcphost_set_driven() declares that the program itself dispatches.  The program closes
 * the host while the threads work, or after the threads have ended.  Each round then
 * checks:
 *
 *   - each call that was started ended once, with a result or an error;
 *   - each argument was freed once;
 *   - the host closed in time, and left no process and no descriptor.
 *
 * The last line is `N passed, N failed`.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"

#define THREADS_MAX  64
#define CLOSE_MS     1500  /* passed to mcphost_close_within() */
#define CLOSED_BY_MS 20000 /* long enough for a busy machine with a sanitizer */

struct churn churn;

static struct {
    uint64_t seed;
    unsigned rounds, threads, ms;
    bool verbose;
} opt = {.seed = 1, .rounds = 10, .threads = 6, .ms = 1000};

void
churn_fail(const char *what)
{
    printf("churn: round %u, seed %llu: %s\n0 passed, 1 failed\n", churn.number,
           (unsigned long long)opt.seed, what);
    fflush(stdout);
    abort();
}

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- threads ----------------------------------------------------------------------- */

static void *
work(void *arg)
{
    uint64_t chance = opt.seed * 1000003 + churn.number * 1009 + (uintptr_t)arg;

    for (int i = 0; i < 10; i++)
        churn_draw(&chance, 1);
    while (!atomic_load(&churn.over)) {
        steps_run(&chance);
        if (churn_draw(&chance, 4) == 0)
            usleep(1000);
    }
    return NULL;
}

static void
drive(int64_t until)
{
    struct pollfd fd = {.fd = mcphost_get_fd(churn.host), .events = POLLIN};

    while (now_ms() < until) {
        poll(&fd, 1, 20);
        while (mcphost_dispatch(churn.host) > 0 && now_ms() < until)
            continue;
    }
}

static void
let_time_pass(unsigned ms, bool drives)
{
    if (drives)
        drive(now_ms() + ms);
    else
        usleep(ms * 1000);
}

/* ---- a round ----------------------------------------------------------------------- */

static void
open_host(bool drives)
{
    uint64_t chance = opt.seed + churn.number + 1;

    if (mcphost_new(&churn.host, NULL) < 0 ||
        mcphost_set_guard_path(churn.host, MCPH_TEST_BINDIR "/mcphost-guard") < 0)
        churn_fail("no host");
    mcphost_set_option(churn.host, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM);
    mcphost_set_option(churn.host, MCPHOST_OPT_STOP_EOF, 200);
    mcphost_set_option(churn.host, MCPHOST_OPT_STOP_TERM, 200);
    mcphost_set_event(churn.host, user_event, user_give(), user_free);
    mcphost_set_before_call(churn.host, user_before_call, user_give(), user_free);
    if (drives)
        mcphost_set_driven(churn.host, 1);
    else
        mcphost_thread_start(churn.host);
    steps_load(mcphost_default_source(churn.host), &chance);
}

static void
close_host(bool drives)
{
    int64_t begun = now_ms();
    int r;

    mcphost_close_within(churn.host, CLOSE_MS);
    share_clear();
    if (!drives)
        mcphost_thread_stop(churn.host);
    do {
        r = mcphost_wait(churn.host, 100);
        if (now_ms() - begun > CLOSED_BY_MS)
            churn_fail("the host does not close");
    } while (r != MCPHOST_E_CLOSED);
    mcphost_unref(churn.host);
    share_clear(); /* releases handles that callbacks have added */
}

static int
count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir && readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Checks whether the process has children.  WNOWAIT leaves the children unreaped. */
static bool
has_children(void)
{
    idtype_t any = P_ALL;
    siginfo_t info = {0};

    return waitid(any, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static void
check_leaks(int descriptors)
{
    if (atomic_load(&churn.started) != atomic_load(&churn.done))
        churn_fail("calls that were started and done are not the same number");
    if (atomic_load(&churn.given) != atomic_load(&churn.freed))
        churn_fail("arguments were not freed");
    if (has_children())
        churn_fail("a child process was left");
    if (count_descriptors() != descriptors)
        churn_fail("a descriptor was left");
}

static void
run_round(unsigned number)
{
    bool drives = number & 1, amid = number & 2;
    int descriptors = count_descriptors();
    pthread_t threads[THREADS_MAX];

    memset(&churn, 0, sizeof(churn));
    churn.number = number;
    open_host(drives);
    for (unsigned i = 0; i < opt.threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1)) != 0)
            churn_fail("no thread");
    let_time_pass(opt.ms, drives);
    if (amid)
        mcphost_close_within(churn.host, CLOSE_MS);
    let_time_pass(amid ? 50 : 0, drives);
    atomic_store(&churn.over, true);
    for (unsigned i = 0; i < opt.threads; i++)
        pthread_join(threads[i], NULL);
    close_host(drives);
    check_leaks(descriptors);
    if (opt.verbose)
        printf("round %u: %ld calls, %ld asked about, %ld of built-in tools, %ld told of "
               "their end, %ld progress\n",
               number, atomic_load(&churn.started), atomic_load(&churn.asked),
               atomic_load(&churn.handled), atomic_load(&churn.told),
               atomic_load(&churn.progress));
}

static unsigned
number(void)
{
    return (unsigned)strtoul(optarg, NULL, 10);
}

int
main(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "n:t:j:s:v")) != -1) {
        if (c == 'n')
            opt.rounds = number();
        else if (c == 't')
            opt.ms = number();
        else if (c == 'j')
            opt.threads = number() % (THREADS_MAX + 1);
        else if (c == 's')
            opt.seed = strtoull(optarg, NULL, 10);
        else if (c == 'v')
            opt.verbose = true;
        else
            return 2;
    }
    for (unsigned i = 0; i < opt.rounds; i++)
        run_round(i);
    printf("churn: %u rounds of %u threads, seed %llu\n1 passed, 0 failed\n", opt.rounds,
           opt.threads, (unsigned long long)opt.seed);
    return 0;
}
