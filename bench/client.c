/* SPDX-License-Identifier: MIT
 *
 * client.c - measures the library through its public interface.
 *
 *     client calls [--tool T] [--calls N] [--warm N] [--inflight N] [--idle N] [--json 1]
 *                  [--times 0] [--http 1 | --http 2] [--waiter 1 | --waiter 2]
 *                  [--resources N] [--login 1 | ... | --login 4]
 *     client sign [--calls N]
 *     client cold [--servers N] [--tools N] [--reps N] [--guard 0] [--warden 0]
 *     client idle | sessions [--idle N] | list [--tools N] [--resources N]
 *     client project [--tools N] | spawn [--balloon MIB] [--reps N]
 *
 * The scenarios of floor.c with equal names do the same work without the library, or, for
 * `list`, a part of the work.
 *
 *   calls     tool calls.  --idle opens N more dialogs, with a server each.  --json gets
 *             a result's JSON instead of its text.  With --resources, each call reads a
 *             resource.
 *   sign      signatures with ES256, by libcrypto without the library.  Each proof of
 *             possession (DPoP) needs one of these signatures.
 *   cold      the time from loading a configuration until the tools of all servers are
 *             in the catalog
 *   idle      the memory of a host that does nothing
 *   sessions  the memory that each of many leased servers needs in the host, and for its
 *             guard and warden
 *   list      the time from loading a configuration until a long list of tools is in the
 *             catalog, and the time to look up a name.  With --resources, the list also
 *             has resources, and the names are names of resources.
 *   project   the times to convert a long list of tools to the form of a model provider,
 *             for the first conversion and the second conversion
 *   spawn     the time until the server's process exists
 *
 * With --times 0, the program does not time single calls and lookups.  For `calls` and
 * `sessions`, --http uses one server over HTTP.  The server answers with documents (1) or
 * with streams of one event (2).  With --login, this server is the program in BENCH_AUTH
 * (fakehttp of the tests).  The server needs no token (1), needs no token but gets a
 * header from the configuration that is as long as a token (2), needs a token that the
 * host gets by a login (3), or needs a token and proofs of possession (4).  With --waiter
 * 1, the program waits for calls while the library's thread dispatches.  With --waiter 2,
 * the program calls mcphost_set_driven() and another thread of the program dispatches.
 * The program prints one line of JSON.  Every scenario also takes --free 1.  Without
 * --free 1, the program runs on one core.
 */
#include <linux/kcmp.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <openssl/ec.h>
#include <openssl/evp.h>

#include <mcphost/mcphost.h>

#include "common/common.h"

#define PATIENCE_MS 30000
#define LOOKUPS     2000000u

static struct {
    const char *mode, *tool, *server, *guard_path;
    size_t calls, warm, inflight, idle, servers, tools, reps, balloon, json, free, guard,
        warden, times, http, waiter, resources, login;
} opt = {.tool = "text64",
         .calls = 5000,
         .warm = 1000,
         .inflight = 1,
         .servers = 1,
         .tools = 10,
         .reps = 1,
         .guard = 1,
         .warden = 1,
         .times = 1};

static void
check_result(int r, mcphost_error *err, const char *what)
{
    if (r < 0)
        bench_die("%s: %s", what,
                  err ? mcphost_error_get_message(err) : mcphost_strerror(r));
}

/* ---- a host ------------------------------------------------------------------------ */

static mcphost *
make_host(void)
{
    mcphost_error *err = NULL;
    mcphost *host;

    check_result(mcphost_new(&host, &err), err, "host");
    check_result(mcphost_set_guard_path(host, opt.guard_path), NULL, "guard");
    check_result(mcphost_set_option(host, MCPHOST_OPT_GUARD, (int64_t)opt.guard), NULL,
                 "guard");
    check_result(mcphost_set_option(host, MCPHOST_OPT_WARDEN, (int64_t)opt.warden), NULL,
                 "warden");
    return host;
}

/* Starts the program in BENCH_AUTH as the server.  The server requires a token if
 * opt.login is above 2, and a DPoP proof if opt.login is above 3. */
static char *
start_login_server(int *ret_hold)
{
    char *argv[] = {getenv("BENCH_AUTH"),
                    "-e",
                    opt.login > 2 ? "auth on" : "auth off",
                    "-e",
                    opt.login > 3 ? "dpop required" : "dpop off",
                    "-e",
                    "client bench basic not-secret",
                    "-e",
                    "tool text64",
                    "-e",
                    "on call:text64",
                    "-e",
                    "  text "
                    "0123456789012345678901234567890123456789012345678901234567890123",
                    NULL};

    if (!argv[0])
        bench_die("BENCH_AUTH must name the server");
    return bench_web_run(argv, ret_hold);
}

static const char *
login_keys(void)
{
    switch (opt.login) {
    case 0:
    case 1:
        return "";
    case 2: /* a token as long as the server's: "at-", and 256 bits in base64url */
        return "    headers: {Authorization: Bearer "
               "0123456789012345678901234567890123456789012345}\n";
    default:
        return "    auth: {mode: oauth, flow: client_credentials, clientId: bench, "
               "clientSecret: not-secret}\n";
    }
}

/* Starts an HTTP server and makes a configuration for it.  The server ends with this
 * process. */
static mcphost_config *
make_web_config(void)
{
    mcphost_config *config;
    mcphost_error *err = NULL;
    char *url, *text = NULL;
    int hold, n;

    url = opt.login ? start_login_server(&hold) : bench_web_start(opt.http == 2, &hold);
    n = asprintf(&text,
                 "version: 1\nservers:\n  s0:\n    transport: streamable_http\n"
                 "    url: '%s'\n%s",
                 url, login_keys());
    if (n < 0)
        bench_die("out of memory");
    check_result(mcphost_config_load_memory(text, (size_t)n, "bench", "/", &config, &err),
                 err, "configuration");
    check_result(mcphost_config_get_status(config), NULL, "configuration");
    free(text);
    free(url);
    return config;
}

/* Makes a configuration with opt.servers servers.  If `shared` is true, all dialogs share
 * one process of each server. */
static mcphost_config *
make_config(int shared)
{
    mcphost_config *config;
    mcphost_error *err = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);

    fputs("version: 1\nservers:\n", f);
    for (size_t i = 0; i < opt.servers; i++) {
        fprintf(f, "  s%zu:\n    transport: stdio\n    command: '%s'\n", i, opt.server);
        fprintf(f, "    args: ['--tools', '%zu'", opt.tools);
        if (opt.resources)
            fprintf(f, ", '--resources', '%zu'", opt.resources);
        if (opt.servers > 1)
            fprintf(f, ", '--prefix', 's%zu_'", i);
        fprintf(f, "]\n");
        if (shared)
            fputs("    truely-stateless: true\n", f);
    }
    fclose(f);
    check_result(mcphost_config_load_memory(text, len, "bench", "/", &config, &err), err,
                 "configuration");
    check_result(mcphost_config_get_status(config), NULL, "configuration");
    free(text);
    return config;
}

/* Loads the configuration, waits until the servers are ready, and drops the reference to
 * the configuration. */
static void
load_config(mcphost *host, mcphost_config *config)
{
    check_result(mcphost_load(host, config), NULL, "load");
    check_result(mcphost_wait_ready(host, PATIENCE_MS), NULL, "ready");
    mcphost_config_unref(config);
}

/* Makes a host whose servers are ready. */
static mcphost *
host_up(int shared)
{
    mcphost *host = make_host();

    load_config(host, opt.http ? make_web_config() : make_config(shared));
    return host;
}

static mcphost_dialog *
open_dialog(mcphost *host, size_t number)
{
    mcphost_error *err = NULL;
    mcphost_dialog *dialog;
    char id[32];

    snprintf(id, sizeof(id), "dialog-%zu", number);
    check_result(mcphost_dialog_new(mcphost_default_view(host), id, NULL, &dialog, &err),
                 err, "dialog");
    return dialog;
}

/* ---- calls ------------------------------------------------------------------------- */

static const char arguments[] = "{\"message\":\"hello\"}";

static mcphost_call *
make_call(mcphost_dialog *dialog)
{
    mcphost_error *err = NULL;
    mcphost_call *call;

    if (opt.resources) {
        check_result(
            mcphost_call_new_read(dialog, "s0", "file:///bench/0.txt", &call, &err), err,
            "read");
        return call;
    }
    check_result(
        mcphost_call_new(dialog, opt.tool, arguments, sizeof(arguments) - 1, &call, &err),
        err, "call");
    return call;
}

static bool weigh;     /* true: use_result() also sets `payload` */
static size_t payload; /* size of a result's JSON in bytes */

/* Gets the text of the result or, with --json, the JSON of the result.  Ends the program
 * if this text or JSON has fewer than 32 bytes. */
static void
use_result(mcphost_call *call)
{
    mcphost_result *result = mcphost_call_get_result(call);
    const char *text = NULL;
    size_t len = 0;

    if (!result)
        check_result(MCPHOST_E_IO, mcphost_call_get_error(call), "result");
    if (opt.json)
        text = mcphost_result_get_json(result, &len);
    else
        check_result(mcphost_result_item_get_text(result, 0, &text, &len), NULL, "text");
    if (!text || len < 32)
        bench_die("a result of %zu bytes", len);
    if (weigh)
        mcphost_result_get_json(result, &payload);
}

static void
one_call(mcphost_dialog *dialog)
{
    mcphost_call *call = make_call(dialog);

    check_result(mcphost_call_start(call, NULL, NULL, NULL), NULL, "start");
    if (mcphost_call_wait(call, PATIENCE_MS) != 1)
        bench_die("a call did not end");
    use_result(call);
    mcphost_call_unref(call);
}

static void
run_one_by_one(mcphost_dialog *dialog, size_t n, struct bench_samples *times)
{
    double t0;

    for (size_t i = 0; i < n; i++) {
        t0 = times ? bench_now_us() : 0;
        one_call(dialog);
        if (times)
            bench_add(times, bench_now_us() - t0);
    }
}

struct flood {
    mcphost_dialog *dialog;
    size_t left, in_flight;
};

static void flood_start(struct flood *f);

static void
flood_done(mcphost_call *call, void *arg)
{
    struct flood *f = arg;

    use_result(call);
    f->in_flight--;
    if (f->left > 0)
        flood_start(f);
}

static void
flood_start(struct flood *f)
{
    mcphost_call *call = make_call(f->dialog);

    f->left--;
    f->in_flight++;
    check_result(mcphost_call_start(call, flood_done, f, NULL), NULL, "start");
    mcphost_call_unref(call);
}

static void
run_flood(mcphost *host, mcphost_dialog *dialog, size_t n)
{
    struct flood f = {.dialog = dialog, .left = n};

    while (f.left > 0 && f.in_flight < opt.inflight)
        flood_start(&f);
    while (f.in_flight > 0)
        check_result(mcphost_wait(host, PATIENCE_MS), NULL, "wait");
}

static void
run_calls(mcphost *host, mcphost_dialog *dialog, size_t n, struct bench_samples *times)
{
    if (opt.inflight > 1)
        run_flood(host, dialog, n);
    else
        run_one_by_one(dialog, n, times);
}

static mcphost_dialog **
open_idle(mcphost *host)
{
    mcphost_dialog **idle = bench_must(calloc(opt.idle + 1, sizeof(mcphost_dialog *)));

    for (size_t i = 0; i < opt.idle; i++) {
        idle[i] = open_dialog(host, i + 1);
        one_call(idle[i]);
    }
    return idle;
}

static void
close_idle(mcphost_dialog **idle)
{
    for (size_t i = 0; i < opt.idle; i++)
        mcphost_dialog_unref(idle[i]);
    free(idle);
}

/* ---- another thread dispatches ----------------------------------------------------- */

static struct {
    mcphost *host;
    pthread_t thread;
    atomic_bool stop;
} driver;

static void *
drive(void *arg)
{
    struct pollfd fd = {.fd = mcphost_get_fd(driver.host), .events = POLLIN};

    (void)arg;
    while (!atomic_load(&driver.stop)) {
        poll(&fd, 1, 100);
        while (mcphost_dispatch(driver.host) > 0)
            continue;
    }
    return NULL;
}

static void
driver_start(mcphost *host)
{
    driver.host = host;
    if (opt.waiter == 1)
        check_result(mcphost_thread_start(host), NULL, "thread");
    if (opt.waiter != 2)
        return;
    check_result(mcphost_set_driven(host, 1), NULL, "driver");
    if (pthread_create(&driver.thread, NULL, drive, NULL))
        bench_die("no thread");
}

static void
driver_stop(void)
{
    if (opt.waiter == 1)
        check_result(mcphost_thread_stop(driver.host), NULL, "thread");
    if (opt.waiter != 2)
        return;
    atomic_store(&driver.stop, true);
    pthread_join(driver.thread, NULL);
}

static void
calls(void)
{
    struct bench_samples times = {0};
    mcphost *host = host_up(0);
    mcphost_dialog *dialog = open_dialog(host, 0), **idle = open_idle(host);
    double wall, cpu, rss, peak;

    if (opt.times)
        bench_reserve(&times, opt.calls);
    driver_start(host);
    one_call(dialog); /* the dialog's first call leases the server */
    run_calls(host, dialog, opt.warm, NULL);
    malloc_trim(0);
    bench_forget_peak();
    rss = bench_peak();
    wall = bench_now_us();
    cpu = bench_cpu_us();
    run_calls(host, dialog, opt.calls, opt.times ? &times : NULL);
    cpu = bench_cpu_us() - cpu;
    wall = bench_now_us() - wall;
    peak = bench_peak() - rss;
    weigh = true;
    one_call(dialog);
    driver_stop();
    bench_begin("client", opt.tool);
    if (times.n) {
        bench_figure("p50_us", bench_quantile(&times, 0.5));
        bench_figure("p99_us", bench_quantile(&times, 0.99));
        bench_figure("p99_over_p50",
                     bench_quantile(&times, 0.99) / bench_quantile(&times, 0.5));
    }
    bench_figure("calls_per_s", (double)opt.calls / wall * 1e6);
    bench_figure("cpu_us", cpu / (double)opt.calls);
    bench_figure("peak_over_payload", peak * 1024 / (double)payload);
    bench_end();
    close_idle(idle);
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    free(times.v);
}

/* ---- start-up ---------------------------------------------------------------------- */

/* Counts the tools in the default view, without the library's own tools. */
static size_t
count_tools(mcphost *host)
{
    mcphost_catalog *catalog;
    size_t n = 0;

    check_result(mcphost_view_get_catalog(mcphost_default_view(host), &catalog), NULL,
                 "catalog");
    for (size_t i = 0; i < mcphost_catalog_count_servers(catalog); i++)
        n += mcphost_server_count_tools(mcphost_catalog_get_server(catalog, i));
    mcphost_catalog_unref(catalog);
    return n;
}

static void
cold(void)
{
    struct bench_samples ms = {0};
    double t0, first = -1;

    for (size_t rep = 0; rep < opt.reps; rep++) {
        mcphost *host = make_host();
        mcphost_config *config = make_config(0);

        t0 = bench_now_us();
        load_config(host, config);
        bench_add(&ms, (bench_now_us() - t0) / 1e3);
        if (rep == 0)
            first = bench_since_start_us() / 1e3;
        if (count_tools(host) != opt.servers * opt.tools)
            bench_die("%zu tools came up", count_tools(host));
        mcphost_unref(host);
    }
    bench_begin("client", "cold");
    bench_figure("ms", bench_quantile(&ms, 0.5));
    bench_figure("first_ms", first);
    bench_end();
    free(ms.v);
}

struct spawned {
    double at_us;
};

static void
on_event(const mcphost_event *event, void *arg)
{
    struct spawned *s = arg;

    if (s->at_us == 0 && mcphost_event_get_kind(event) == MCPHOST_EVENT_INSTANCE &&
        mcphost_event_get_pid(event) > 0)
        s->at_us = bench_now_us();
}

static double
spawn_once(void)
{
    struct spawned s = {0};
    mcphost *host = make_host();
    mcphost_config *config = make_config(0);
    double t0;

    check_result(mcphost_set_event(host, on_event, &s, NULL), NULL, "event");
    t0 = bench_now_us();
    check_result(mcphost_load(host, config), NULL, "load");
    while (s.at_us == 0)
        check_result(mcphost_wait(host, PATIENCE_MS), NULL, "wait");
    mcphost_config_unref(config);
    mcphost_unref(host);
    return s.at_us - t0;
}

static void
spawn(void)
{
    size_t size = opt.balloon << 20;
    struct bench_samples us = {0};
    char *p;

    if (size) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            bench_die("no memory for the balloon");
        memset(p, 1, size);
    }
    for (size_t rep = 0; rep < opt.reps; rep++)
        bench_add(&us, spawn_once());
    bench_begin("client", "spawn");
    bench_figure("us", bench_quantile(&us, 0.5));
    bench_end();
    free(us.v);
}

/* Makes opt.calls signatures with ES256.  Each signature covers a text that is as long as
 * the signed part of a DPoP proof: a header with the public key, and the claims, in
 * base64url. */
static void
sign(void)
{
    static const unsigned char text[450];
    unsigned char signature[128];
    EVP_PKEY *key = bench_must(EVP_EC_gen("P-256"));
    double cpu = bench_cpu_us();

    for (size_t i = 0; i < opt.calls; i++) {
        EVP_MD_CTX *ctx = bench_must(EVP_MD_CTX_new());
        size_t len = sizeof(signature);

        if (EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 ||
            EVP_DigestSign(ctx, signature, &len, text, sizeof(text)) != 1)
            bench_die("libcrypto signs nothing");
        EVP_MD_CTX_free(ctx);
    }
    bench_begin("client", "sign");
    bench_figure("cpu_us", (bench_cpu_us() - cpu) / (double)opt.calls);
    bench_end();
    EVP_PKEY_free(key);
}

/* ---- memory ------------------------------------------------------------------------ */

static void
memory_of(pid_t pid, struct bench_memory *ret)
{
    if (!bench_memory(pid, ret))
        bench_die("cannot read the memory of process %d", (int)pid);
}

static void
idle(void)
{
    mcphost *host = make_host();
    struct bench_memory m;

    while (mcphost_dispatch(host) > 0)
        continue;
    memory_of(0, &m);
    bench_begin("client", "idle");
    bench_figure("rss_kib", m.rss);
    bench_figure("anon_kib", m.anon);
    bench_end();
    mcphost_unref(host);
}

/* Returns true if two processes share their memory (CLONE_VM).  Returns false if they do
 * not, or if the kernel has no kcmp(). */
static bool
share_memory(pid_t a, pid_t b)
{
    return syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0;
}

/* Returns the mean memory of a server's guard and warden, in KiB.  The guard is the
 * server's parent.  The warden is the guard's parent.  Memory that the guard and
 * the warden share counts once. */
static double
guards_of(mcphost *host)
{
    mcphost_status *status;
    struct bench_memory guard = {0}, warden = {0};
    double sum = 0;
    size_t n;
    pid_t pid, parent;

    check_result(mcphost_get_status(host, &status), NULL, "status");
    n = mcphost_status_count_leases(status);
    for (size_t i = 0; i < n; i++) {
        pid = bench_parent((pid_t)mcphost_status_lease_get_pid(status, i));
        parent = bench_parent(pid);
        memory_of(pid, &guard);
        memory_of(parent, &warden);
        sum += guard.rss + (share_memory(pid, parent) ? 0 : warden.rss);
    }
    mcphost_status_unref(status);
    if (n == 0)
        bench_die("there is no lease");
    return sum / (double)n;
}

static void
sessions(void)
{
    struct bench_memory before, after;
    mcphost *host = host_up(0);
    mcphost_dialog *first = open_dialog(host, 0), **dialogs;

    one_call(first);
    memory_of(0, &before);
    dialogs = open_idle(host);
    memory_of(0, &after);
    bench_begin("client", "sessions");
    bench_figure("host_kib", (after.rss - before.rss) / (double)opt.idle);
    if (!opt.http)
        bench_figure("guards_kib", guards_of(host));
    bench_end();
    close_idle(dialogs);
    mcphost_dialog_unref(first);
    mcphost_unref(host);
}

/* ---- a long list ------------------------------------------------------------------- */

static double
lookup_ns(mcphost_catalog *catalog)
{
    size_t n = opt.resources ? mcphost_catalog_count_resources(catalog)
                             : mcphost_catalog_count_tools(catalog),
           at = 0;
    const char **names = bench_must(calloc(n, sizeof(*names)));
    double t0;

    for (size_t i = 0; i < n; i++)
        names[i] =
            opt.resources
                ? mcphost_resource_get_uri(mcphost_catalog_get_resource(catalog, i))
                : mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i));
    t0 = bench_now_us();
    for (size_t i = 0; i < LOOKUPS; i++) {
        at = (at + 7919) % n;
        if (opt.resources ? !mcphost_catalog_find_resource(catalog, "s0", names[at])
                          : !mcphost_catalog_find_tool(catalog, names[at]))
            bench_die("nothing is called '%s'", names[at]);
    }
    t0 = bench_now_us() - t0;
    free(names);
    return t0 * 1e3 / LOOKUPS;
}

/* Counts the bytes of the JSON definitions of all tools and resources. */
static size_t
bytes_of(mcphost_catalog *catalog)
{
    size_t sum = 0, len;

    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        if (mcphost_tool_get_definition(mcphost_catalog_get_tool(catalog, i), &len))
            sum += len;
    for (size_t i = 0; i < mcphost_catalog_count_resources(catalog); i++)
        if (mcphost_resource_get_definition(mcphost_catalog_get_resource(catalog, i),
                                            &len))
            sum += len;
    return sum;
}

static void
list(void)
{
    struct bench_memory before, after;
    mcphost_catalog *catalog;
    mcphost_config *config = make_config(1);
    mcphost *host = make_host();
    double t0, cpu;

    malloc_trim(0);
    memory_of(0, &before);
    t0 = bench_now_us();
    cpu = bench_cpu_us();
    load_config(host, config);
    t0 = bench_now_us() - t0;
    cpu = bench_cpu_us() - cpu;
    memory_of(0, &after);
    if (count_tools(host) != opt.tools)
        bench_die("%zu tools came up", count_tools(host));
    check_result(mcphost_view_get_catalog(mcphost_default_view(host), &catalog), NULL,
                 "catalog");
    if (mcphost_catalog_count_resources(catalog) != opt.resources)
        bench_die("%zu resources came up", mcphost_catalog_count_resources(catalog));
    bench_begin("client", "list");
    bench_figure("ms", t0 / 1e3);
    bench_figure("cpu_ms", cpu / 1e3);
    if (opt.times) {
        bench_figure("growth_over_json",
                     (after.rss - before.rss) * 1024 / (double)bytes_of(catalog));
        bench_figure("lookup_ns", lookup_ns(catalog));
    }
    bench_end();
    mcphost_catalog_unref(catalog);
    mcphost_unref(host);
}

static double
project_us(mcphost_catalog *catalog)
{
    mcphost_projection *projection;
    mcphost_error *err = NULL;
    double t0 = bench_now_us();

    check_result(mcphost_projection_new(catalog, MCPHOST_SHAPE_OPENAI_CHAT,
                                        MCPHOST_PROFILE_OPENAI_STRICT, 0, &projection,
                                        &err),
                 err, "projection");
    t0 = bench_now_us() - t0;
    mcphost_projection_unref(projection);
    return t0;
}

static void
project(void)
{
    mcphost *host = host_up(1);
    mcphost_catalog *catalog;

    check_result(mcphost_view_get_catalog(mcphost_default_view(host), &catalog), NULL,
                 "catalog");
    bench_begin("client", "project");
    bench_figure("first_us", project_us(catalog));
    bench_figure("again_us", project_us(catalog));
    bench_end();
    mcphost_catalog_unref(catalog);
    mcphost_unref(host);
}

/* ---- the command line -------------------------------------------------------------- */

static void
parse_options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {
        {"--calls", &opt.calls},       {"--warm", &opt.warm},
        {"--inflight", &opt.inflight}, {"--servers", &opt.servers},
        {"--tools", &opt.tools},       {"--reps", &opt.reps},
        {"--balloon", &opt.balloon},   {"--idle", &opt.idle},
        {"--json", &opt.json},         {"--free", &opt.free},
        {"--guard", &opt.guard},       {"--warden", &opt.warden},
        {"--times", &opt.times},       {"--http", &opt.http},
        {"--waiter", &opt.waiter},     {"--resources", &opt.resources},
        {"--login", &opt.login},
    };
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);

    opt.mode = argc > 1 ? argv[1] : "";
    opt.server = getenv("BENCH_SERVER");
    opt.guard_path = getenv("BENCH_GUARD");
    if (!opt.server || !opt.guard_path)
        bench_die("BENCH_SERVER and BENCH_GUARD must name the server and the guard");
    for (int i = 2; i < argc; i += 2) {
        for (k = 0; k < n && strcmp(argv[i], numbers[k].name) != 0;)
            k++;
        if (i + 1 == argc || (k == n && strcmp(argv[i], "--tool") != 0))
            bench_die("what is '%s'?", argv[i]);
        if (k < n)
            *numbers[k].value = strtoul(argv[i + 1], NULL, 10);
        else
            opt.tool = argv[i + 1];
    }
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
        {"calls", calls}, {"cold", cold},       {"idle", idle},   {"sessions", sessions},
        {"list", list},   {"project", project}, {"spawn", spawn}, {"sign", sign},
    };

    parse_options(argc, argv);
    if (!opt.free)
        bench_pin(-1);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(opt.mode, modes[i].name) == 0) {
            modes[i].run();
            return 0;
        }
    }
    bench_die("what is '%s'?", opt.mode);
}
