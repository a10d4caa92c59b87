/* SPDX-License-Identifier: MIT
 *
 * closes.c - closes hosts at random moments.
 *
 *   closes [-n CLOSES] [-s SEED] [-j HOSTS] [-o NUMBER] [-d DEADLINE_MS] [-v]
 *
 * Each close must end.  Each close has a host of its own, with a random mix of servers
 * over stdio and HTTP.  Some servers are healthy.  Other servers fail, linger, refuse
 * requests, hang, or are retried by the host.  In addition, the program adds and removes
 * sources, and makes calls that never get an answer.  Each step of stopping a server
 * takes at most 50 ms.  HOSTS hosts live at once, each in its own thread.
 *
 * The program prints the seed.  Equal seeds draw equal closes.  The program first runs
 * close 0.  With -o it then runs only the close with this number.  Otherwise it runs all
 * closes.  A close that does not end by the deadline fails the program at once.
 * The deadline is long enough for busy machines, because it only has to find closes that
 * hang.  The last line is `N passed, N failed`.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "closes/closes.h"

#define LADDER_MS   50
#define SERVERS_MAX 6
#define CALLS_MAX   8

struct options opt = {.closes = 300, .hosts = 16, .only = -1, .deadline_ms = 30000};

static atomic_long next_close, n_calls, n_slow;
static _Atomic int64_t slowest_ms;

/* A run: one host, which is closed while its calls and events are under way. */
struct run {
    long number;
    uint64_t chance;
    mcphost *host;
    mcphost_dialog *dialogs[2];
    struct closes_more more;
    char dir[64];
    char kinds[256]; /* names of the kinds of the host's servers, for messages */
    atomic_int n_events, n_done;
    int n_started;
    int close_at; /* number of the event at which the host is closed; 0 if none */
    bool thread;  /* a thread of the library dispatches */
    atomic_bool closed;
};

/* ---- helpers ----------------------------------------------------------------------- */

int64_t
closes_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
closes_fail(const char *what)
{
    printf("closes: seed %llu: %s\n0 passed, 1 failed\n", (unsigned long long)opt.seed,
           what);
    fflush(stdout);
    _exit(1);
}

static void
fail(const struct run *run, const char *what)
{
    char text[512];

    snprintf(text, sizeof(text), "close %ld (again alone: -s %llu -o %ld) of %s: %s",
             run->number, (unsigned long long)opt.seed, run->number, run->kinds, what);
    closes_fail(text);
}

static unsigned
draw(struct run *run, unsigned n)
{
    uint64_t z = run->chance += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return (unsigned)((z ^ z >> 31) >> 16) % n;
}

/* ---- servers ----------------------------------------------------------------------- */

static void
add_server(struct run *run, FILE *f, int i)
{
    const struct closes_kind *kind = &closes_kinds[draw(run, closes_n_kinds)];
    size_t len = strlen(run->kinds);

    snprintf(run->kinds + len, sizeof(run->kinds) - len, "%s%s", i ? ", " : "",
             kind->name);
    fprintf(f, "  s%d:\n    transform: [{prefix: s%d_}]\n", i, i);
    if (kind->web)
        fprintf(f, "    transport: streamable_http\n    url: \"%s\"\n", kind->web->url);
    else
        fprintf(f, "    transport: stdio\n    command: \"%s\"\n    args: [%s]\n",
                kind->command, kind->args);
    if (draw(run, 2))
        fputs("    truely-stateless: true\n", f);
}

static void
write_workspace(struct run *run)
{
    char path[96];
    unsigned n = 1 + draw(run, SERVERS_MAX);
    FILE *f;

    snprintf(run->dir, sizeof(run->dir), "/tmp/mcphost-closes.XXXXXX");
    if (!mkdtemp(run->dir))
        fail(run, "no directory");
    snprintf(path, sizeof(path), "%s/.minds", run->dir);
    if (mkdir(path, 0700) < 0)
        fail(run, "no directory");
    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", run->dir);
    f = fopen(path, "we");
    if (!f)
        fail(run, "no file");
    fputs("version: 1\nservers:\n", f);
    for (unsigned i = 0; i < n; i++)
        add_server(run, f, (int)i);
    if (fclose(f) != 0)
        fail(run, "the file cannot be written");
}

static void
remove_workspace(struct run *run)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/.minds/mcp.yaml", run->dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/.minds", run->dir);
    rmdir(path);
    rmdir(run->dir);
}

/* ---- the host ---------------------------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    struct run *run = arg;
    int kind = mcphost_event_get_kind(event);
    char text[128];

    if (atomic_load(&run->closed)) {
        snprintf(text, sizeof(text), "an event '%s' came after MCPHOST_EVENT_CLOSED",
                 mcphost_enum_get_name(MCPHOST_ENUM_EVENT_KIND, kind));
        fail(run, text);
    }
    if (kind == MCPHOST_EVENT_CLOSED)
        atomic_store(&run->closed, true);
    else if (atomic_fetch_add(&run->n_events, 1) + 1 == run->close_at)
        mcphost_close(run->host);
}

static void
on_done(mcphost_call *call, void *arg)
{
    struct run *run = arg;

    (void)call;
    atomic_fetch_add(&run->n_done, 1);
}

static void
set(struct run *run, int option, int64_t value)
{
    if (mcphost_set_option(run->host, option, value) < 0)
        fail(run, "an option cannot be set");
}

static void
set_options(struct run *run)
{
    set(run, MCPHOST_OPT_STOP_EOF, LADDER_MS);
    set(run, MCPHOST_OPT_STOP_TERM, LADDER_MS);
    set(run, MCPHOST_OPT_RELOAD_POLL, 50);
    set(run, MCPHOST_OPT_RESTART_DELAY, 1);
    set(run, MCPHOST_OPT_CONCURRENT_STARTS, 1 + draw(run, 8));
    set(run, MCPHOST_OPT_PROBE_TIMEOUT, 20 + draw(run, 500));
    set(run, MCPHOST_OPT_START_TIMEOUT, 100 + draw(run, 2000));
    set(run, MCPHOST_OPT_FIRST_LEASE_WAIT, draw(run, 3) ? 30000 : draw(run, 100));
    set(run, MCPHOST_OPT_LEASE_IDLE, draw(run, 2) ? 0 : 1 + draw(run, 100));
    set(run, MCPHOST_OPT_GUARD, draw(run, 4) != 0);
    set(run, MCPHOST_OPT_WARDEN, draw(run, 2));
    set(run, MCPHOST_OPT_PING, draw(run, 2) ? 0 : 10);
    set(run, MCPHOST_OPT_REQUESTS, draw(run, 2) ? MCPHOST_REQUEST_CREDENTIALS : 0);
}

static void
open_host(struct run *run)
{
    if (mcphost_new(&run->host, NULL) < 0 ||
        mcphost_set_guard_path(run->host, MCPH_TEST_BINDIR "/mcphost-guard") < 0 ||
        mcphost_set_event(run->host, on_event, run, NULL) < 0)
        fail(run, "no host");
    set_options(run);
    if (!closes_more_open(run->host, draw(run, 1000)))
        fail(run, "no built-in tool");
    for (int i = 0; i < 2; i++)
        if (mcphost_dialog_new(mcphost_default_view(run->host), i ? "b" : "a", NULL,
                               &run->dialogs[i], NULL) < 0)
            fail(run, "no dialog");
    if (mcphost_load_workspace(run->host, run->dir, NULL, NULL) < 0)
        fail(run, "the workspace cannot be loaded");
    if (run->thread && mcphost_thread_start(run->host) < 0)
        fail(run, "no thread");
}

/* ---- until the close --------------------------------------------------------------- */

static void
pump(struct run *run, int64_t ms)
{
    int64_t until = closes_now() + ms, left = ms;

    while (left > 0 && !atomic_load(&run->closed)) {
        if (run->thread)
            usleep(1000);
        else if (mcphost_wait(run->host, left) < 0)
            return;
        left = until - closes_now();
    }
}

/* Starts a call of a random tool.  A refusal is not a failure, because the host may be
 * closing already. */
static void
start_call(struct run *run)
{
    static const char *const tools[] = {"echo", "pid", "slow", "count"};
    mcphost_call *call;
    char name[32];

    snprintf(name, sizeof(name), "s%u_%s", draw(run, SERVERS_MAX), tools[draw(run, 4)]);
    if (mcphost_call_new(run->dialogs[draw(run, 2)], name, "{\"ms\":1000,\"n\":50}", 18,
                         &call, NULL) < 0)
        return;
    if (mcphost_call_start(call, on_done, run, NULL) == 0) {
        run->n_started++;
        atomic_fetch_add(&n_calls, 1);
    }
    mcphost_call_unref(call);
}

static void
do_random_action(struct run *run)
{
    char id[16];

    switch (draw(run, 9)) {
    case 0:
        snprintf(id, sizeof(id), "s%u", draw(run, SERVERS_MAX));
        (void)mcphost_restart_server(run->host, id);
        break;
    case 1:
        (void)mcphost_reload(run->host);
        break;
    case 2:
        snprintf(id, sizeof(id), "s%u", draw(run, SERVERS_MAX));
        (void)mcphost_set_server_enabled(run->host, id, (int)draw(run, 2));
        break;
    case 3:
    case 4:
    case 5:
        closes_more_act(&run->more, run->host, run->dir, run->dialogs[0],
                        draw(run, 1000000));
        break;
    default:
        if (run->n_started < CALLS_MAX)
            start_call(run);
    }
}

/* Draws the time before the close, in milliseconds.  One case in five draws from the
 * range of 700 to 1100 ms, because the host retries a failed server in this range.
 * Another case in five waits 300 ms and draws `close_at`, the event at which the host is
 * closed. */
static int64_t
draw_moment(struct run *run)
{
    switch (draw(run, 5)) {
    case 0:
        return 0;
    case 1:
        return draw(run, 60);
    case 2:
        return draw(run, 400);
    case 3:
        return 700 + draw(run, 400);
    default:
        run->close_at = 1 + (int)draw(run, 40);
        return 300;
    }
}

static void
live(struct run *run)
{
    int64_t ms = draw_moment(run), until = closes_now() + ms;

    while (closes_now() < until && !atomic_load(&run->closed)) {
        pump(run, 1 + draw(run, 40));
        if (draw(run, 2))
            do_random_action(run);
    }
    if (draw(run, 2))
        do_random_action(run);
}

/* ---- the close --------------------------------------------------------------------- */

static void
check_deadline(struct run *run, int64_t began)
{
    mcphost_status *status = NULL;

    if (closes_now() - began < opt.deadline_ms)
        return;
    if (mcphost_get_status(run->host, &status) == 0)
        for (size_t i = 0; i < mcphost_status_count_servers(status); i++)
            printf("  %s: state %d, pid %lld\n", mcphost_status_server_get_id(status, i),
                   mcphost_status_server_get_state(status, i),
                   (long long)mcphost_status_server_get_pid(status, i));
    fail(run, "the host does not close");
}

static void
note_time(int64_t ms)
{
    int64_t seen = atomic_load(&slowest_ms);

    while (ms > seen && !atomic_compare_exchange_weak(&slowest_ms, &seen, ms))
        ;
    if (ms > 20 * LADDER_MS)
        atomic_fetch_add(&n_slow, 1);
}

static void
close_host(struct run *run)
{
    int64_t began = closes_now();
    int r = 0;

    if (mcphost_close(run->host) < 0)
        fail(run, "mcphost_close() fails");
    while (run->thread ? !atomic_load(&run->closed) : r >= 0) {
        if (run->thread)
            usleep(1000);
        else
            r = mcphost_wait(run->host, 100);
        check_deadline(run, began);
    }
    if (!run->thread && r != MCPHOST_E_CLOSED)
        fail(run, mcphost_strerror(r));
    note_time(closes_now() - began);
    if (run->thread && mcphost_thread_stop(run->host) < 0)
        fail(run, "the thread cannot be stopped");
    if (!atomic_load(&run->closed))
        fail(run, "MCPHOST_EVENT_CLOSED did not come");
    if (atomic_load(&run->n_done) != run->n_started)
        fail(run, "a call did not end");
}

static void
run_close(long number)
{
    struct run run = {.number = number};

    run.chance = opt.seed * 1000003 + (uint64_t)number;
    run.thread = draw(&run, 4) == 0;
    if (opt.verbose)
        printf("close %ld\n", number);
    write_workspace(&run);
    open_host(&run);
    live(&run);
    close_host(&run);
    /* Release the handles before the host or after it, at random. */
    if (draw(&run, 2))
        run.host = mcphost_unref(run.host);
    for (int i = 0; i < 2; i++)
        mcphost_dialog_unref(run.dialogs[i]);
    closes_more_done(&run.more);
    mcphost_unref(run.host);
    remove_workspace(&run);
}

/* ---- all closes -------------------------------------------------------------------- */

static void *
work(void *arg)
{
    long number;

    (void)arg;
    while ((number = atomic_fetch_add(&next_close, 1)) < opt.closes)
        run_close(number);
    return NULL;
}

static void
run_all(void)
{
    pthread_t threads[HOSTS_MAX];

    for (int i = 0; i < opt.hosts; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            closes_fail("no thread");
    for (int i = 0; i < opt.hosts; i++)
        pthread_join(threads[i], NULL);
}

static void
options(int argc, char **argv)
{
    int c;

    opt.seed = (uint64_t)time(NULL);
    while ((c = getopt(argc, argv, "n:s:j:o:d:v")) != -1) {
        if (c == 'n')
            opt.closes = strtol(optarg, NULL, 10);
        else if (c == 's')
            opt.seed = strtoull(optarg, NULL, 10);
        else if (c == 'j')
            opt.hosts = (int)strtol(optarg, NULL, 10);
        else if (c == 'o')
            opt.only = strtol(optarg, NULL, 10);
        else if (c == 'd')
            opt.deadline_ms = strtol(optarg, NULL, 10);
        else if (c == 'v')
            opt.verbose = true;
        else
            _exit(2);
    }
    if (opt.hosts < 1 || opt.hosts > HOSTS_MAX)
        _exit(2);
}

int
main(int argc, char **argv)
{
    int before;

    setvbuf(stdout, NULL, _IOLBF, 0);
    options(argc, argv);
    printf("closes: seed %llu, %ld closes, %d hosts at once\n",
           (unsigned long long)opt.seed, opt.closes, opt.hosts);
    webs_up();
    run_close(0); /* a first run, because the libraries open descriptors that stay open */
    before = closes_descriptors();
    if (opt.only >= 0)
        run_close(opt.only);
    else
        run_all();
    if (closes_descriptors() != before)
        closes_fail("descriptors are left open");
    webs_down();
    closes_check_children();
    printf(
        "closes: %ld calls; the slowest close took %lld ms, %ld took more than %d ms\n",
        atomic_load(&n_calls), (long long)atomic_load(&slowest_ms), atomic_load(&n_slow),
        20 * LADDER_MS);
    printf("%ld passed, 0 failed\n", opt.only >= 0 ? 1 : opt.closes);
    return 0;
}
