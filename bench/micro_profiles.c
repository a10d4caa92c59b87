/* SPDX-License-Identifier: MIT
 *
 * micro_profiles.c - measures the reading of large configurations.
 *
 *     build/bench/micro_profiles [--figures]
 *
 * The program takes four measurements:
 *
 *   - It scans a folder of 1,000 ChatOS plugins and makes a configuration of their apps.
 *   - It reads a .goclaw/mcp.json of 1,000 servers after an edit of one server, and
 *     compares the configurations before and after the edit.
 *   - It reads an mcpServers file of 1,000 servers after an edit of one server, and
 *     compares the configurations before and after the edit.
 *   - It formats 10,000 argument lists as cmd:// URLs and parses the URLs again.
 *
 * A time is the best of several runs, with the files in the page cache.  The goal is 50
 * ms for each of the first three measurements.  --figures prints one line for
 * bench/run.sh.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/chatos_run.h"
#include "profile/goclaw.h"

#define N     1000
#define LISTS 10000
#define RUNS  9

static char root[] = "/tmp/micro_profiles.XXXXXX";

static _Noreturn void
die(const char *what)
{
    fprintf(stderr, "micro_profiles: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void
must(int r, const char *what)
{
    if (r < 0) {
        fprintf(stderr, "micro_profiles: %s: %s\n", what, mcphost_strerror(r));
        exit(2);
    }
}

static double
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void
best(double *ms, double since)
{
    double took = now_ms() - since;

    if (*ms == 0 || took < *ms)
        *ms = took;
}

static const char *
path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static FILE *
create(const char *name)
{
    FILE *f = fopen(path_of(name), "w");

    if (!f)
        die(name);
    return f;
}

static void
make_dir(const char *name)
{
    if (mkdir(path_of(name), 0755) < 0 && errno != EEXIST)
        die(name);
}

/* ---- plugins ----------------------------------------------------------------------- */

static void
make_plugins(void)
{
    char name[64];

    make_dir("plugins");
    for (int i = 0; i < N; i++) {
        FILE *f;

        snprintf(name, sizeof(name), "plugins/p%d", i);
        make_dir(name);
        snprintf(name, sizeof(name), "plugins/p%d/server.mjs", i);
        fclose(create(name));
        snprintf(name, sizeof(name), "plugins/p%d/plugin.json", i);
        f = create(name);
        fprintf(f,
                "{\"manifestVersion\":1,\"id\":\"com.example.p%d\",\"name\":\"Plugin "
                "%d\",\"version\":\"1.0.0\",\"description\":\"One of many plugins.\","
                "\"apps\":[{\"id\":\"app\",\"name\":\"App\",\"description\":\"An app "
                "with a server.\",\"entry\":{\"type\":\"module\",\"path\":"
                "\"index.mjs\"},\"ai\":{\"mcp\":{\"entry\":\"server.mjs\",\"args\":["
                "\"--root\",\"data\"],\"callMeta\":{\"workdir\":\"$dataDir\"},"
                "\"tags\":[\"x\"]},\"mcpPrompt\":{\"zh\":\"zh.md\",\"en\":\"en.md\"},"
                "\"mcpServers\":[\"files\",\"web\"],\"prompts\":true}}]}",
                i, i);
        fclose(f);
    }
}

static double
scan_plugins(void)
{
    struct mcph_chatos_dirs dirs = {0};
    double ms = 0;

    dirs.paths[MCPHOST_CHATOS_PLUGINS] = strdup(path_of("plugins"));
    dirs.paths[MCPHOST_CHATOS_STATE] = strdup(root);
    for (int run = 0; run < RUNS; run++) {
        struct mcph_chatos_scan *scan = NULL;
        struct mcph_chatos_apps *apps;
        mcphost_config *config = NULL;
        double since = now_ms();
        int r;

        must(mcph_chatos_scan_new(&dirs, NULL, &scan), "scan");
        do
            r = mcph_chatos_scan_step(scan);
        while (r > 0);
        must(r, "scan");
        apps = mcph_chatos_scan_take(scan);
        must(mcph_chatos_make_config(apps, 0, MCPHOST_CHATOS_MAIN, NULL, &config, NULL),
             "configuration");
        best(&ms, since);
        if (config->servers.n != N)
            die("plugins");
        mcph_config_unref(config);
        mcph_chatos_apps_unref(apps);
        mcph_chatos_scan_free(scan);
    }
    mcph_chatos_dirs_done(&dirs);
    return ms;
}

/* ---- files of servers -------------------------------------------------------------- */

static void
make_servers(const char *name, const char *key, const char *more, int edited)
{
    FILE *f = create(name);

    fprintf(f, "{%s\"%s\":{", more, key);
    for (int i = 0; i < N; i++)
        fprintf(f,
                "%s\"server-%d\":{\"enabled\":true,\"type\":\"stdio\",\"command\":"
                "\"npx\",\"args\":[\"-y\",\"@example/server-%d\",\"%s\"],\"env\":{"
                "\"KEY\":\"value-%d\"}}",
                i ? "," : "", i, i, i == edited ? "--new" : "--old", i);
    fputs("}}", f);
    fclose(f);
}

static mcphost_config *
read_servers(struct mcph_config_reader *reader)
{
    mcphost_config *config = NULL;

    must(reader->read(reader, &config, NULL), "read");
    if (config->status < 0 || config->servers.n != N)
        die("servers");
    return config;
}

/* Counts the servers in `to` that differ from `from`. */
static int
count_changed(const mcphost_config *from, const mcphost_config *to)
{
    int n = 0;

    for (size_t i = 0; i < to->servers.n; i++) {
        const struct mcph_config_server *now = to->servers.items[i];
        const struct mcph_config_server *was = mcph_config_find(from, now->id);

        if (!was || !now->spec || !was->spec ||
            memcmp(now->spec->launch_hash, was->spec->launch_hash, MCPH_DIGEST_LEN) ||
            memcmp(now->spec->view_hash, was->spec->view_hash, MCPH_DIGEST_LEN))
            n++;
    }
    return n;
}

static double
load_and_compare(struct mcph_config_reader *before, struct mcph_config_reader *after)
{
    double ms = 0;

    before->transports = after->transports = mcph_transports_known();
    for (int run = 0; run < RUNS; run++) {
        mcphost_config *from = read_servers(before), *to;
        double since = now_ms();

        to = read_servers(after);
        if (count_changed(from, to) != 1)
            die("compare");
        best(&ms, since);
        mcph_config_unref(from);
        mcph_config_unref(to);
    }
    before->free(before);
    after->free(after);
    return ms;
}

static double
goclaw(void)
{
    struct mcph_config_reader *before, *after;

    make_servers("a.json", "servers", "\"version\":1,", -1);
    make_servers("b.json", "servers", "\"version\":1,", 500);
    must(mcph_goclaw_source_new("a.json", root, 0, &before, NULL), "reader");
    must(mcph_goclaw_source_new("b.json", root, 0, &after, NULL), "reader");
    return load_and_compare(before, after);
}

static double
mcpservers(void)
{
    struct mcph_config_reader *before, *after;

    make_servers("c.json", "mcpServers", "", -1);
    make_servers("d.json", "mcpServers", "", 500);
    must(mcph_mcpservers_reader_new(path_of("c.json"), root, &before, NULL), "reader");
    must(mcph_mcpservers_reader_new(path_of("d.json"), root, &after, NULL), "reader");
    return load_and_compare(before, after);
}

/* ---- command lines ----------------------------------------------------------------- */

static double
command_lines(void)
{
    static const char *const words[] = {"--root", "/a b/c", "it's", "\"q\"", "\\", "x",
                                        "$(id)",  "`id`",   "*",    "a\nb",  ";"};
    double ms = 0;

    for (int run = 0; run < RUNS; run++) {
        double since = now_ms();

        srandom(7);
        for (int i = 0; i < LISTS; i++) {
            struct mcph_strings args = {0}, back = {0};
            char *url = NULL;

            for (long n = random() % 6; n > 0; n--)
                must(mcph_strings_add(&args,
                                      words[(size_t)random() % MCPH_ARRAY_SIZE(words)]),
                     "list");
            must(mcph_chatos_cmd_format("node", "/s.mjs", &args, &url), "format");
            must(mcph_chatos_cmd_parse(url, strlen(url), &back, NULL), "parse");
            if (back.n != args.n + 2)
                die("round trip");
            free(url);
            mcph_strings_done(&args);
            mcph_strings_done(&back);
        }
        best(&ms, since);
    }
    return ms;
}

int
main(int argc, char **argv)
{
    bool figures = argc > 1 && strcmp(argv[1], "--figures") == 0;
    double plugins, goclaw_ms, mcpservers_ms, lists;
    char command[64];

    if (!mkdtemp(root))
        die(root);
    make_plugins();
    plugins = scan_plugins();
    goclaw_ms = goclaw();
    mcpservers_ms = mcpservers();
    lists = command_lines();
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    if (system(command) != 0)
        die(root);
    if (figures)
        printf("{\"who\":\"profiles\",\"what\":\"profiles\",\"plugins_ms\":%.6g,"
               "\"goclaw_ms\":%.6g,\"mcpservers_ms\":%.6g,\"lists_ms\":%.6g}\n",
               plugins, goclaw_ms, mcpservers_ms, lists);
    else
        printf("1,000 plugins scanned and resolved  %8.2f ms\n"
               "1,000 servers of goclaw, compared   %8.2f ms\n"
               "1,000 servers of mcpServers, too    %8.2f ms\n"
               "10,000 command lines there and back %8.2f ms\n",
               plugins, goclaw_ms, mcpservers_ms, lists);
    return 0;
}
