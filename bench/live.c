/* SPDX-License-Identifier: MIT
 *
 * live.c - measures edits of a file that a host follows, through the public interface.
 *
 *     live reload [--servers N] [--reps N] [--free 1]
 *     live swap [--tools N] [--reps N] [--free 1]
 *
 * `reload` edits one of N servers again and again.  Each edit renames a new file over
 * the old file.  begun_ms, view_ms and launch_ms begin at the rename, and exclude the
 * debounce time:
 *
 *   begun_ms   until the host reports that it has read the file
 *   view_ms    until the catalog has new names for the edited server's tools
 *   cpu_ms     the processor time of the host for an edit that renames tools
 *   launch_ms  until the catalog shows the tools of a new process of the server, minus
 *              start_ms
 *   start_ms   from loading a configuration of this server alone until it is ready
 *
 * The program fails if an edit changes the process of a server that needs no new process.
 * It also fails if a server that needs a new process keeps the old process.
 *
 * `swap` replaces a catalog of N tools again and again, while another thread gets the
 * catalog all the time.  For each replacement the program takes two times: the longest
 * time that the dispatcher held a mutex, and the longest time that the other thread
 * waited for a mutex.  held_us and wait_us are the medians of these times.  To measure
 * them, the program replaces the functions that lock and unlock a mutex.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/mcphost.h>

#include "common/common.h"

#define PATIENCE_MS 60000
#define DEBOUNCE_MS 100

static struct {
    size_t servers, tools, reps, free;
    const char *server, *guard_path;
} opt = {.servers = 200, .tools = 10000, .reps = 15};

static void
check_result(int r, const char *what)
{
    if (r < 0)
        bench_die("%s: %s", what, mcphost_strerror(r));
}

/* ---- mutexes ----------------------------------------------------------------------- */

static int (*real_lock)(pthread_mutex_t *mutex), (*real_unlock)(pthread_mutex_t *mutex);
static _Thread_local struct {
    bool on;
    double since, held, waited;
} watch;

static void *
find_symbol(const char *name)
{
    return bench_must(dlsym(RTLD_NEXT, name));
}

int
pthread_mutex_lock(pthread_mutex_t *mutex)
{
    double t0 = 0;
    int r;

    if (!watch.on)
        return real_lock(mutex);
    r = pthread_mutex_trylock(mutex);
    if (r != 0) {
        t0 = bench_now_us();
        r = real_lock(mutex);
    }
    watch.since = bench_now_us();
    if (t0 > 0 && watch.since - t0 > watch.waited)
        watch.waited = watch.since - t0;
    return r;
}

int
pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    double held = watch.on ? bench_now_us() - watch.since : 0;

    if (held > watch.held)
        watch.held = held;
    return real_unlock(mutex);
}

static __attribute__((constructor)) void
find_mutexes(void)
{
    void *lock = find_symbol("pthread_mutex_lock"),
         *unlock = find_symbol("pthread_mutex_unlock");

    memcpy(&real_lock, &lock, sizeof(lock)); /* POSIX's way to store a function pointer */
    memcpy(&real_unlock, &unlock, sizeof(unlock));
}

/* ---- a host ------------------------------------------------------------------------ */

/* Times of the first CONFIG event, of the last CATALOG event, and of the last SETTLED
 * event that came after a CONFIG event, since the program last set these times to 0.  0
 * means no event. */
static double config_us, catalog_us, settled_us;
static double cpu_us; /* processor time of the last reload, in us */

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CONFIG && config_us == 0)
        config_us = bench_now_us();
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_CATALOG)
        catalog_us = bench_now_us();
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_SETTLED && config_us > 0)
        settled_us = bench_now_us();
}

static mcphost *
make_host(void)
{
    mcphost_error *err = NULL;
    mcphost *host;

    check_result(mcphost_new(&host, &err), "host");
    check_result(mcphost_set_guard_path(host, opt.guard_path), "guard");
    check_result(mcphost_set_option(host, MCPHOST_OPT_RELOAD_DEBOUNCE, DEBOUNCE_MS),
                 "debounce");
    check_result(mcphost_set_event(host, on_event, NULL, NULL), "event");
    return host;
}

/* Writes a configuration.  A new value of `view` renames the tools of server `changed`.
 * A new value of `launch` gives the first server a new process. */
static void
write_servers(FILE *f, size_t changed, size_t view, size_t launch, size_t tools)
{
    fputs("version: 1\nservers:\n", f);
    for (size_t i = 0; i < opt.servers; i++) {
        fprintf(f,
                "  s%zu:\n    transport: stdio\n    command: '%s'\n"
                "    args: ['--tools', '%zu', '--prefix', 's%zu_']\n"
                "    env: {RUN: '%zu'}\n    transform: [{prefix: 'p%zu_'}]\n"
                "    truely-stateless: true\n",
                i, opt.server, tools, i, i == 0 ? launch : 0, i == changed ? view : 0);
    }
}

/* ---- reloads ----------------------------------------------------------------------- */

static char dir[64], file[96], fresh[96];

static void
write_fresh(size_t changed, size_t view, size_t launch)
{
    FILE *f = bench_must(fopen(fresh, "we"));

    write_servers(f, changed, view, launch, 3);
    fclose(f);
}

static void
rename_fresh(void)
{
    if (rename(fresh, file) < 0)
        bench_die("cannot rename '%s'", fresh);
}

static void
make_dir(void)
{
    char minds[80];

    snprintf(dir, sizeof(dir), "/tmp/mcphost-bench.XXXXXX");
    if (!mkdtemp(dir))
        bench_die("no directory below /tmp");
    snprintf(minds, sizeof(minds), "%s/.minds", dir);
    snprintf(file, sizeof(file), "%s/mcp.yaml", minds);
    snprintf(fresh, sizeof(fresh), "%s/.mcp.yaml.new", minds);
    if (mkdir(minds, 0700) < 0)
        bench_die("cannot make '%s'", minds);
}

static void
remove_dir(void)
{
    unlink(file);
    *strrchr(file, '/') = '\0';
    rmdir(file);
    rmdir(dir);
}

static int64_t *
take_pids(mcphost *host)
{
    int64_t *pids = bench_must(calloc(opt.servers, sizeof(*pids)));
    mcphost_status *status;

    check_result(mcphost_get_status(host, &status), "status");
    if (mcphost_status_count_servers(status) != opt.servers)
        bench_die("%zu servers", mcphost_status_count_servers(status));
    for (size_t i = 0; i < opt.servers; i++)
        pids[i] = mcphost_status_server_get_pid(status, i);
    mcphost_status_unref(status);
    return pids;
}

static void
compare_pids(mcphost *host, const int64_t *before, size_t changed, bool launched)
{
    int64_t *now = take_pids(host);

    for (size_t i = 0; i < opt.servers; i++)
        if (now[i] <= 0 || (now[i] == before[i]) == (launched && i == changed))
            bench_die("the process of s%zu was %d, is %d", i, (int)before[i],
                      (int)now[i]);
    free(now);
}

static double
since(double then)
{
    return (bench_now_us() - then) / 1e3;
}

/* Makes one edit.  Returns the time in ms from the rename until the catalog shows the
 * edit, without the debounce time. */
static double
reload_once(mcphost *host, size_t changed, size_t view, size_t launch,
            struct bench_samples *begun)
{
    bool launched = view == 0 && changed == 0;
    int64_t *pids = take_pids(host);
    double t0;

    write_fresh(changed, view, launch);
    config_us = catalog_us = settled_us = 0;
    cpu_us = bench_cpu_us();
    t0 = bench_now_us();
    rename_fresh();
    while (settled_us == 0 || catalog_us == 0) {
        check_result(mcphost_wait(host, PATIENCE_MS), "wait");
        if (since(t0) > PATIENCE_MS)
            bench_die("the edit is not noticed");
    }
    cpu_us = bench_cpu_us() - cpu_us;
    bench_add(begun, (config_us - t0) / 1e3 - DEBOUNCE_MS);
    compare_pids(host, pids, changed, launched);
    free(pids);
    return (catalog_us - t0) / 1e3 - DEBOUNCE_MS;
}

/* Starts the first server alone in a new host.  Returns the time in ms from loading the
 * configuration until the server is ready. */
static double
start_alone(size_t rep)
{
    size_t servers = opt.servers;
    mcphost *host = make_host();
    double t0;

    opt.servers = 1;
    write_fresh(0, 0, rep);
    opt.servers = servers;
    t0 = bench_now_us();
    check_result(mcphost_load_workspace(host, dir, fresh, NULL), "load");
    check_result(mcphost_wait_ready(host, PATIENCE_MS), "ready");
    t0 = since(t0);
    mcphost_unref(host);
    return t0;
}

static void
reload(void)
{
    struct bench_samples begun = {0}, view = {0}, launch = {0}, alone = {0}, cpu = {0};
    mcphost *host = make_host();

    make_dir();
    write_fresh(0, 0, 0);
    rename_fresh();
    check_result(mcphost_load_workspace(host, dir, NULL, NULL), "load");
    check_result(mcphost_wait_ready(host, PATIENCE_MS), "ready");
    for (size_t rep = 1; rep <= opt.reps; rep++) {
        size_t changed = 1 + rep * 7919 % (opt.servers - 1);

        bench_add(&view, reload_once(host, changed, rep, rep - 1, &begun));
        bench_add(&cpu, cpu_us / 1e3);
        /* Undo the edit, so that the next edit changes only the launch. */
        reload_once(host, changed, 0, rep - 1, &begun);
        bench_add(&launch, reload_once(host, 0, 0, rep, &begun));
        bench_add(&alone, start_alone(rep));
    }
    mcphost_unref(host);
    remove_dir();
    bench_begin("live", "reload");
    bench_figure("begun_ms", bench_quantile(&begun, 0.5));
    bench_figure("view_ms", bench_quantile(&view, 0.5));
    bench_figure("cpu_ms", bench_quantile(&cpu, 0.5));
    bench_figure("launch_ms", bench_quantile(&launch, 0.5) - bench_quantile(&alone, 0.5));
    bench_figure("start_ms", bench_quantile(&alone, 0.5));
    bench_end();
}

/* ---- swaps ------------------------------------------------------------------------- */

static struct {
    mcphost *host;
    atomic_bool over;
    atomic_int round;
    struct bench_samples waits; /* the longest wait of each round, in us */
} reader;

/* Gets the catalog as often as possible.  Notes the longest wait of each round. */
static void *
read_on(void *arg)
{
    int round = 0;

    (void)arg;
    watch.on = true;
    while (!atomic_load(&reader.over)) {
        mcphost_catalog *catalog;

        check_result(
            mcphost_view_get_catalog(mcphost_default_view(reader.host), &catalog),
            "catalog");
        mcphost_catalog_unref(catalog);
        if (atomic_load(&reader.round) == round)
            continue;
        round = atomic_load(&reader.round);
        bench_add(&reader.waits, watch.waited);
        watch.waited = 0;
    }
    return NULL;
}

static void
load_swapped(mcphost *host, size_t view)
{
    mcphost_config *config;
    mcphost_error *err = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *f = bench_must(open_memstream(&text, &len));

    write_servers(f, 0, view, 0, opt.tools);
    fclose(f);
    check_result(mcphost_config_load_memory(text, len, "bench", "/", &config, &err),
                 "config");
    check_result(mcphost_load(host, config), "load");
    mcphost_config_unref(config);
    free(text);
}

static double
swap_once(mcphost *host, size_t view)
{
    load_swapped(host, view);
    watch.held = 0;
    watch.on = true;
    for (catalog_us = 0; catalog_us == 0;)
        check_result(mcphost_wait(host, PATIENCE_MS), "wait");
    watch.on = false;
    atomic_fetch_add(&reader.round, 1);
    return watch.held;
}

static void
swap(void)
{
    struct bench_samples held = {0};
    pthread_t thread;

    opt.servers = 1;
    bench_reserve(&reader.waits, opt.reps + 1);
    reader.host = make_host();
    load_swapped(reader.host, 0);
    check_result(mcphost_wait_ready(reader.host, PATIENCE_MS), "ready");
    if (pthread_create(&thread, NULL, read_on, NULL))
        bench_die("no thread");
    for (size_t rep = 1; rep <= opt.reps; rep++)
        bench_add(&held, swap_once(reader.host, rep));
    atomic_store(&reader.over, true);
    pthread_join(thread, NULL);
    mcphost_unref(reader.host);
    bench_begin("live", "swap");
    bench_figure("held_us", bench_quantile(&held, 0.5));
    bench_figure("wait_us", bench_quantile(&reader.waits, 0.5));
    bench_end();
}

/* ---- the command line -------------------------------------------------------------- */

static void
options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {{"--servers", &opt.servers},
                   {"--tools", &opt.tools},
                   {"--reps", &opt.reps},
                   {"--free", &opt.free}};
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);

    opt.server = getenv("BENCH_SERVER");
    opt.guard_path = getenv("BENCH_GUARD");
    if (!opt.server || !opt.guard_path)
        bench_die("BENCH_SERVER and BENCH_GUARD must name the server and the guard");
    for (int i = 2; i < argc; i += 2) {
        for (k = 0; k < n && strcmp(argv[i], numbers[k].name) != 0;)
            k++;
        if (i + 1 == argc || k == n)
            bench_die("what is '%s'?", argv[i]);
        *numbers[k].value = strtoul(argv[i + 1], NULL, 10);
    }
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    options(argc, argv);
    if (!opt.free)
        bench_pin(-1);
    if (strcmp(mode, "reload") == 0)
        reload();
    else if (strcmp(mode, "swap") == 0)
        swap();
    else
        bench_die("what is '%s'?", mode);
    return 0;
}
