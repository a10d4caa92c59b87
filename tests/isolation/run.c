/* SPDX-License-Identifier: MIT
 *
 * run.c - runs one row: a host with a healthy and a hostile server, in this process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#include "isolation/run.h"

#define SAMPLES_MAX 2000000
#define HOSTILE_MAX 64
#define LOOK_US     20000 /* time between two counts of descriptors */
#define READY_US    20000000
#define CLOSE_US    20000000

struct hostile_call {
    struct run *run;
    mcphost_call *call, *over; /* `call`: a call in flight; `over`: a call that has ended
                                * and whose result has no items yet */
};

struct run {
    const struct row *row;
    const struct run_options *options;
    struct run_result *result;
    mcphost *host;
    mcphost_dialog *dialog;
    char program[4096], url[256];
    int web_in; /* the hostile web server ends when this descriptor is closed */
    char *arguments;
    int64_t *samples;
    size_t n_samples;
    mcphost_call *healthy;
    int64_t since, looked;
    struct hostile_call hostile[HOSTILE_MAX];
    mcphost_result *kept[KEPT_MAX];
    size_t n_kept;
    long rss_before;
};

static int64_t
now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void
die(const char *what, int r)
{
    fprintf(stderr, "isolation: %s: %s\n", what, mcphost_strerror(r));
    _exit(3);
}

static void
check_code(int r, const char *what)
{
    if (r < 0)
        die(what, r);
}

/* ---- memory and descriptors of the host -------------------------------------------- */

static long
status_kb(const char *name)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long kb = 0;

    while (f && fgets(line, sizeof(line), f)) {
        if (strncmp(line, name, strlen(name)) == 0)
            kb = strtol(line + strlen(name), NULL, 10);
    }
    if (f)
        fclose(f);
    return kb;
}

static int
count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = -1; /* do not count the descriptor of `dir` */

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n - 2;
}

static void
note_descriptors(struct run *run, int64_t now)
{
    int fds;

    if (now - run->looked < LOOK_US)
        return;
    run->looked = now;
    fds = count_fds();
    if (fds > run->result->fds)
        run->result->fds = fds;
}

/* ---- turns ------------------------------------------------------------------------- */

static void
raise_worst(int64_t *worst, int64_t is)
{
    if (is > *worst)
        *worst = is;
}

/* Runs one turn of the loop.  If the last turn left no work, waits for work first, at
 * most 20 ms.  Returns a value below 0 if the host has ended. */
static int
turn(struct run *run, bool *more)
{
    struct pollfd p = {.fd = mcphost_get_fd(run->host), .events = POLLIN};
    struct run_result *result = run->result;
    struct turn cost;
    int r;

    if (!*more)
        poll(&p, 1, 20);
    meter_begin();
    r = mcphost_dispatch(run->host);
    meter_end(&cost);
    *more = r > 0;
    raise_worst(&result->worst.bytes_in, cost.bytes_in);
    raise_worst(&result->worst.bytes_out, cost.bytes_out);
    raise_worst(&result->worst.steps, cost.steps);
    raise_worst(&result->worst.cpu_ns, cost.cpu_ns);
    return r;
}

/* ---- calls ------------------------------------------------------------------------- */

static void
healthy_failed(struct run *run, mcphost_error *error)
{
    run->result->n_failed++;
    if (run->options->verbose)
        fprintf(stderr, "  healthy: %s\n",
                error ? mcphost_error_get_message(error) : "not found");
}

static void
healthy_done(mcphost_call *call, void *arg)
{
    struct run *run = arg;

    if (mcphost_call_get_result(call) && run->n_samples < SAMPLES_MAX)
        run->samples[run->n_samples++] = now_us() - run->since;
    else
        healthy_failed(run, mcphost_call_get_error(call));
    run->healthy = mcphost_call_unref(run->healthy);
}

static void
call_healthy(struct run *run)
{
    int r = mcphost_call_new(run->dialog, "echo", "{}", 2, &run->healthy, NULL);

    if (r < 0) {
        healthy_failed(run, NULL);
        return;
    }
    run->since = now_us();
    check_code(mcphost_call_start(run->healthy, healthy_done, run, NULL), "start");
}

static void
keep_result(struct run *run, mcphost_result *result)
{
    mcphost_result **place = &run->kept[run->n_kept++ % KEPT_MAX];

    mcphost_result_unref(*place);
    *place = mcphost_result_ref(result);
}

static void
hostile_done(mcphost_call *call, void *arg)
{
    struct hostile_call *slot = arg;
    struct run *run = slot->run;
    mcphost_result *result = mcphost_call_get_result(call);
    mcphost_error *error = mcphost_call_get_error(call);

    run->result->n_hostile++;
    if (run->options->verbose)
        fprintf(stderr, "  %s\n", error ? mcphost_error_get_message(error) : "a result");
    if (result && run->row->keeps)
        keep_result(run, result);
    if (result && run->row->items)
        slot->over = mcphost_call_ref(slot->call);
    slot->call = mcphost_call_unref(slot->call);
}

/* Makes items of the results that hostile calls brought.  The delay of the healthy call
 * does not include the time of this function, because a careful application makes items
 * on another thread. */
static void
make_items(struct run *run)
{
    int64_t before = now_us();

    for (unsigned i = 0; i < run->row->calls; i++) {
        struct hostile_call *slot = &run->hostile[i];
        mcphost_items *items = NULL;

        if (!slot->over)
            continue;
        mcphost_call_make_items(slot->over, &items, NULL);
        mcphost_items_unref(items);
        slot->over = mcphost_call_unref(slot->over);
    }
    run->since += now_us() - before;
}

static void
call_hostile(struct run *run)
{
    size_t len = strlen(run->arguments);

    for (unsigned i = 0; i < run->row->calls; i++) {
        struct hostile_call *slot = &run->hostile[i];

        slot->run = run;
        if (slot->call || mcphost_call_new(run->dialog, "bait", run->arguments, len,
                                           &slot->call, NULL) < 0)
            continue;
        mcphost_call_set_timeout(slot->call, 3000, 0, -1);
        mcphost_call_set_progress(slot->call, NULL, NULL, NULL);
        check_code(mcphost_call_start(slot->call, hostile_done, slot, NULL), "start");
    }
}

/* ---- the host ---------------------------------------------------------------------- */

static void
on_event(const mcphost_event *event, void *arg)
{
    mcphost_request *request = mcphost_event_get_request(event);

    (void)arg;
    if (request && mcphost_event_get_state(event))
        mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, NULL);
}

static void
on_log(int level, const char *room, const char *server, const char *text, void *arg)
{
    (void)level;
    (void)room;
    (void)server;
    (void)text;
    (void)arg;
}

static void
load_host(struct run *run, bool hostile, int where)
{
    mcphost_config *config;
    char text[16384];
    int n = snprintf(text, sizeof(text),
                     "version: 1\nservers:\n"
                     "  healthy: {transport: stdio, command: '%s', "
                     "args: ['--serve', healthy], truely-stateless: true}\n",
                     run->program);

    if (hostile && where == WEB)
        snprintf(text + n, sizeof(text) - (size_t)n,
                 "  hostile: {transport: streamable_http, url: '%s', era: legacy, "
                 "truely-stateless: true}\n",
                 run->url);
    else if (hostile)
        snprintf(text + n, sizeof(text) - (size_t)n,
                 "  hostile: {transport: stdio, command: '%s', "
                 "args: ['--serve', '%s'], era: legacy, truely-stateless: true}\n",
                 run->program, run->row->name);
    check_code(mcphost_config_load_memory(text, strlen(text), NULL, "/", &config, NULL),
               "config");
    if (mcphost_config_get_status(config) < 0)
        die("config", mcphost_config_get_status(config));
    check_code(mcphost_load(run->host, config), "load");
    mcphost_config_unref(config);
}

static void
start_web(struct run *run)
{
    char *argv[] = {run->program, (char *)"--serve", (char *)(uintptr_t)run->row->name,
                    (char *)"--web", NULL};
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    size_t n = 0;
    pid_t pid;

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        die("pipe", MCPHOST_E_IO);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&pid, run->program, &actions, NULL, argv, environ) != 0)
        die("spawn", MCPHOST_E_SPAWN);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    while (n < sizeof(run->url) - 1 && read(out[0], run->url + n, 1) == 1 &&
           run->url[n] != '\n')
        n++;
    run->url[n] = '\0';
    close(out[0]);
    run->web_in = in[1];
}

static void
make_host(struct run *run)
{
    mcphost_error *err = NULL;
    char guard[4096];
    char *slash;

    check_code(mcphost_new(&run->host, &err), "host");
    snprintf(guard, sizeof(guard), "%s", run->program);
    slash = strrchr(guard, '/'); /* the program is in build/tests, the guard in
                                  * build/bin */
    if (slash)
        snprintf(slash, sizeof(guard) - (size_t)(slash - guard), "/../bin/mcphost-guard");
    check_code(mcphost_set_guard_path(run->host, guard), "guard");
    check_code(mcphost_set_event(run->host, on_event, run, NULL), "event");
    check_code(mcphost_set_log(run->host, MCPHOST_LOG_INFO, on_log, run, NULL), "log");
    if (run->row->asks)
        check_code(mcphost_set_option(run->host, MCPHOST_OPT_REQUESTS,
                                      MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_SAMPLING |
                                          MCPHOST_REQUEST_ROOTS),
                   "requests");
    if (run->row->checks)
        check_code(
            mcphost_set_option(run->host, MCPHOST_OPT_ARGUMENTS, MCPHOST_ARGUMENTS_FULL),
            "arguments");
    check_code(mcphost_dialog_new(mcphost_default_view(run->host), "d", NULL,
                                  &run->dialog, &err),
               "dialog");
}

static void
await_healthy(struct run *run)
{
    int64_t deadline = now_us() + READY_US;
    bool more = false;

    load_host(run, false, STDIO);
    for (;;) {
        mcphost_call *call;

        if (mcphost_call_new(run->dialog, "echo", "{}", 2, &call, NULL) == 0) {
            mcphost_call_unref(call);
            break;
        }
        if (now_us() > deadline)
            die("the healthy server does not come up", MCPHOST_E_TIMEOUT);
        check_code(turn(run, &more), "dispatch");
    }
}

/* ---- the row ----------------------------------------------------------------------- */

static void
measure_turns(struct run *run)
{
    int64_t end = now_us() + run->options->ms * 1000, now;
    bool more = false;

    for (now = now_us(); now < end; now = now_us()) {
        if (!run->healthy)
            call_healthy(run);
        call_hostile(run);
        make_items(run);
        check_code(turn(run, &more), "dispatch");
        note_descriptors(run, now);
    }
}

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void
sum_up(struct run *run)
{
    struct run_result *r = run->result;
    size_t n = run->n_samples;
    int64_t pending = run->healthy ? now_us() - run->since : 0;

    r->rss_kb = status_kb("VmHWM:") - run->rss_before;
    r->n_calls = n;
    if (n == 0)
        return;
    qsort(run->samples, n, sizeof(*run->samples), compare);
    r->p50_us = run->samples[n / 2];
    r->p99_us = run->samples[n - 1 - n / 100];
    r->max_us = run->samples[n - 1];
    /* Count the time of a call that is still in flight, because this call may hang. */
    raise_worst(&r->max_us, pending);
}

static void
finish(struct run *run)
{
    int64_t deadline = now_us() + CLOSE_US;
    struct run_result result = *run->result;
    bool more = false;

    mcphost_close(run->host);
    while (now_us() < deadline && turn(run, &more) >= 0)
        ;
    *run->result = result; /* do not count the close */
    make_items(run);
    for (size_t i = 0; i < KEPT_MAX; i++)
        mcphost_result_unref(run->kept[i]);
    mcphost_dialog_unref(run->dialog);
    mcphost_unref(run->host);
    if (run->web_in >= 0)
        close(run->web_in);
    free(run->samples);
    free(run->arguments);
}

static void
make_arguments(struct run *run)
{
    size_t n = run->row->arguments;

    run->arguments = calloc(1, n + 16);
    memcpy(run->arguments, "{\"a\":\"", 6);
    memset(run->arguments + 6, 'x', n);
    memcpy(run->arguments + 6 + n, "\"}", 3);
}

void
run_row(const struct row *row, int where, const struct run_options *options,
        struct run_result *ret)
{
    struct run run = {.row = row, .options = options, .result = ret, .web_in = -1};
    ssize_t n = readlink(options->program, run.program, sizeof(run.program) - 1);

    if (n < 0)
        die("program", MCPHOST_E_IO);
    run.samples = calloc(SAMPLES_MAX, sizeof(*run.samples));
    make_arguments(&run);
    if (where == WEB)
        start_web(&run);
    make_host(&run);
    await_healthy(&run);
    ret->worst = (struct turn){0};
    run.rss_before = status_kb("VmRSS:");
    load_host(&run, true, where);
    measure_turns(&run);
    sum_up(&run);
    finish(&run);
    ret->done = true;
}
