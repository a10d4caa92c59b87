/* SPDX-License-Identifier: MIT
 *
 * own.c - measures calls of tools that the application runs itself.
 *
 *     own builtin|provider|turn [--calls N] [--warm N] [--times 0]
 *
 *   builtin   calls a tool that is built in (mcphost_builtins)
 *   provider  calls a tool of a provider
 *   turn      calls no tool, and measures a dispatch that finds nothing to do
 *
 * The program uses the public interface.  Each tool answers at once with a text of 64
 * bytes.  The program waits for the call and reads the text of the result, as client.c
 * does.  With --times 0, the program does not time single calls.  It prints one line of
 * JSON.  It runs on one core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/mcphost.h>

#include "common/common.h"

#define PATIENCE_MS 30000

static struct {
    const char *mode;
    size_t calls, warm, times;
} opt = {.calls = 5000, .warm = 1000, .times = 1};

static const char definition[] =
    "{\"name\":\"text64\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}}";
static const char arguments[] = "{\"message\":\"hello\"}";
static const char text[] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void
check_result(int r, const mcphost_error *err, const char *what)
{
    if (r < 0)
        bench_die("%s: %s", what,
                  err ? mcphost_error_get_message(err) : mcphost_strerror(r));
}

/* ---- the tool ---------------------------------------------------------------------- */

static int
carry_out_builtin(mcphost_call *call, const char *json, size_t len, void *arg)
{
    (void)json;
    (void)len;
    (void)arg;
    return mcphost_call_answer(call, text, sizeof(text) - 1, 0);
}

static void
add_builtin(mcphost *host)
{
    static const char *const names[] = {"text64"};
    mcphost_error *err = NULL;
    mcphost_builtins *builtins;

    check_result(mcphost_builtins_new("bench", &builtins, &err), err, "builtins");
    check_result(mcphost_builtins_add_tool(builtins, definition, sizeof(definition) - 1,
                                           carry_out_builtin, NULL, NULL, &err),
                 err, "tool");
    check_result(mcphost_builtins_add_toolset(builtins, "bench", NULL, names, 1, &err),
                 err, "toolset");
    check_result(mcphost_view_set_builtins(mcphost_default_view(host), builtins, &err),
                 err, "view");
    mcphost_builtins_unref(builtins);
}

static int
carry_out(mcphost_provider_call *call, void *arg)
{
    (void)arg;
    return mcphost_provider_call_answer_text(call, text, sizeof(text) - 1, 0);
}

static void
add_provider(mcphost *host)
{
    mcphost_error *err = NULL;
    mcphost_provider *provider;

    check_result(
        mcphost_provider_new(mcphost_default_source(host), "bench", &provider, &err), err,
        "provider");
    check_result(mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, definition,
                                      sizeof(definition) - 1, carry_out, NULL, NULL,
                                      &err),
                 err, "tool");
    check_result(mcphost_provider_start(provider), NULL, "start");
    check_result(mcphost_wait_ready(host, PATIENCE_MS), NULL, "ready");
    mcphost_provider_unref(provider);
}

/* Returns the tool's name in the view.  The name can have a prefix. */
static char *
find_tool(mcphost *host)
{
    mcphost_catalog *catalog;
    char *found = NULL;

    check_result(mcphost_view_get_catalog(mcphost_default_view(host), &catalog), NULL,
                 "catalog");
    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog) && !found; i++) {
        const char *name = mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, i));

        if (strstr(name, "text64"))
            found = bench_must(strdup(name));
    }
    mcphost_catalog_unref(catalog);
    if (!found)
        bench_die("there is no tool");
    return found;
}

/* ---- calls ------------------------------------------------------------------------- */

static void
one_call(mcphost_dialog *dialog, const char *name)
{
    mcphost_error *err = NULL;
    mcphost_call *call;
    const char *got = NULL;
    size_t len = 0;

    check_result(
        mcphost_call_new(dialog, name, arguments, sizeof(arguments) - 1, &call, &err),
        err, "call");
    check_result(mcphost_call_start(call, NULL, NULL, NULL), NULL, "start");
    if (mcphost_call_wait(call, PATIENCE_MS) != 1)
        bench_die("a call did not end");
    if (!mcphost_call_get_result(call))
        check_result(MCPHOST_E_IO, mcphost_call_get_error(call), "result");
    check_result(
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &got, &len), NULL,
        "text");
    if (len != sizeof(text) - 1)
        bench_die("a text of %zu bytes", len);
    mcphost_call_unref(call);
}

static void
run_calls(mcphost *host, mcphost_dialog *dialog, const char *name, size_t n,
          struct bench_samples *times)
{
    double t0;

    for (size_t i = 0; i < n; i++) {
        t0 = times ? bench_now_us() : 0;
        if (name)
            one_call(dialog, name);
        else
            check_result(mcphost_dispatch(host), NULL, "dispatch");
        if (times)
            bench_add(times, bench_now_us() - t0);
    }
}

static void
measure(mcphost *host, mcphost_dialog *dialog, const char *name)
{
    struct bench_samples times = {0};
    double cpu;

    if (opt.times)
        bench_reserve(&times, opt.calls);
    run_calls(host, dialog, name, opt.warm, NULL);
    cpu = bench_cpu_us();
    run_calls(host, dialog, name, opt.calls, opt.times ? &times : NULL);
    cpu = bench_cpu_us() - cpu;
    bench_begin("own", opt.mode);
    if (times.n)
        bench_figure("p50_us", bench_quantile(&times, 0.5));
    bench_figure("cpu_us", cpu / (double)opt.calls);
    bench_end();
    free(times.v);
}

/* ---- the command line -------------------------------------------------------------- */

static void
options(int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {
        {"--calls", &opt.calls}, {"--warm", &opt.warm}, {"--times", &opt.times}};
    size_t k, n = sizeof(numbers) / sizeof(numbers[0]);

    opt.mode = argc > 1 ? argv[1] : "";
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
    mcphost_dialog *dialog;
    mcphost_error *err = NULL;
    mcphost *host;
    char *name = NULL;

    options(argc, argv);
    bench_pin(-1);
    check_result(mcphost_new(&host, &err), err, "host");
    if (strcmp(opt.mode, "builtin") == 0)
        add_builtin(host);
    else if (strcmp(opt.mode, "provider") == 0)
        add_provider(host);
    else if (strcmp(opt.mode, "turn") != 0)
        bench_die("what is '%s'?", opt.mode);
    if (strcmp(opt.mode, "turn") != 0)
        name = find_tool(host);
    check_result(
        mcphost_dialog_new(mcphost_default_view(host), "own", NULL, &dialog, &err), err,
        "dialog");
    measure(host, dialog, name);
    mcphost_dialog_unref(dialog);
    mcphost_unref(host);
    free(name);
    return 0;
}
