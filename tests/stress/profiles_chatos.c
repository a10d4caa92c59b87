/* SPDX-License-Identifier: MIT
 *
 * profiles_chatos.c - rewrites ChatOS plugins, and starts scans of the plugins.
 *
 * A source follows the plugins.  Each mcphost_chatos_run gets some of the apps' servers,
 * and has a view of its own.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mcphost/chatos.h>

#include "stress/profiles.h"

#define N_PLUGINS 2
#define N_APPS    2 /* number of apps of each plugin */

struct run {
    mcphost_chatos_run *handle; /* NULL if there is no run */
    mcphost_view *view;
};

static char dir[96];
static mcphost_chatos *chatos;
static struct run runs[N_RUNS];
static long n_runs, n_scans;

/* ---- plugins ----------------------------------------------------------------------- */

static const char *
path_of(int plugin)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/p%d", dir, plugin);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/p%d/plugin.json", dir, plugin);
    return path;
}

static const char *
text_of(int plugin)
{
    static char text[4096];
    const char *comma = "";
    size_t n = (size_t)snprintf(text, sizeof(text),
                                "{\"id\":\"p%d\",\"name\":\"P\",\"apps\":[", plugin);

    for (int i = 0; i < N_APPS; i++) {
        int server = plugin * N_APPS + i;
        const struct offer *offer = &origins[OF_CHATOS].offers[server];

        if (!offer->present)
            continue;
        n += (size_t)snprintf(
            text + n, sizeof(text) - n,
            "%s{\"id\":\"%c\",\"name\":\"A\",\"entry\":\"index.mjs\",\"ai\":{\"mcp\":{"
            "\"url\":\"cmd://'%s' %s\",\"enabled\":%s}}}",
            comma, 'a' + i, MCPH_TEST_PROGDIR "/fakeserver",
            profiles_script(OF_CHATOS, server, offer), offer->enabled ? "true" : "false");
        comma = ",";
    }
    n += (size_t)snprintf(text + n, sizeof(text) - n, "]}\n");
    STRESS_CHECK(n < sizeof(text));
    return text;
}

static void
on_scanned(mcphost_chatos *whose, void *arg)
{
    pthread_mutex_lock(&st.lock);
    STRESS_CHECK(whose == chatos && arg == &n_scans);
    n_scans++;
    pthread_mutex_unlock(&st.lock);
}

static void
scan(void)
{
    STRESS_CHECK(mcphost_chatos_scan(chatos, on_scanned, &n_scans, NULL) == 0);
}

/* Writes the plugin's manifest, or deletes the manifest if `text` is NULL.  Then scans
 * the plugins and waits for the scan.  Sometimes starts another scan first. */
static void
commit(int plugin, const char *text)
{
    if (profiles_chance(3) == 0)
        scan();
    if (text)
        profiles_save(path_of(plugin), text);
    else
        unlink(path_of(plugin));
    scan();
    STRESS_CHECK(mcphost_chatos_wait(chatos, PATIENT_MS) == 1);
    profiles_await();
}

static void
change(int plugin, unsigned apps)
{
    for (int i = 0; i < N_APPS; i++) {
        int server = plugin * N_APPS + i;
        struct offer next = origins[OF_CHATOS].offers[server];

        if (!(apps & 1U << i))
            continue;
        if (!next.present || profiles_chance(2)) {
            next = profiles_draw();
            next.wanted.common = false;
        } else if (profiles_chance(2)) {
            next.enabled = !next.enabled;
        } else {
            next = (struct offer){0};
        }
        profiles_edit(OF_CHATOS, server, &next);
    }
    commit(plugin, text_of(plugin));
    stress_draw("plugin changed");
}

/* Spoils or deletes a plugin's manifest.  Only this plugin loses its apps.  The directory
 * stays, because turns still start servers in it. */
static void
spoil(int plugin)
{
    for (int i = 0; i < N_APPS; i++)
        profiles_edit(OF_CHATOS, plugin * N_APPS + i, &(struct offer){0});
    if (profiles_chance(2))
        commit(plugin, "{\"id\": \"p0\", \"apps\": [");
    else
        commit(plugin, NULL);
    stress_draw("plugin spoilt");
}

/* ---- runs -------------------------------------------------------------------------- */

/* Changes the servers of a run in the model.  A run shows each wanted shape that starts,
 * because a new run has no earlier shape that could stay published. */
static void
note_run(int origin, unsigned selected)
{
    for (int i = 0; i < N_OF; i++) {
        struct offer next = origins[OF_CHATOS].offers[i];

        next.present = next.present && (selected & 1U << i);
        profiles_edit(origin, i, &next);
    }
}

static void
begin_run(struct run *run, unsigned selected)
{
    char record[512], *end = record + sizeof(record), *at = record;
    const char *comma = "";
    mcphost_error *error;
    int r;

    at += snprintf(at, (size_t)(end - at), "{\"uiApps\":[");
    for (int i = 0; i < N_OF; i++) {
        if (!(selected & 1U << i))
            continue;
        at += snprintf(at, (size_t)(end - at),
                       "%s{\"pluginId\":\"p%d\",\"appId\":\"%c\",\"prompt\":false}",
                       comma, i / N_APPS, 'a' + i % N_APPS);
        comma = ",";
    }
    at += snprintf(at, (size_t)(end - at), "]}");
    note_run(OF_RUNS + (int)(run - runs), selected);
    r = mcphost_chatos_inject(chatos, run->view, record, (size_t)(at - record),
                              MCPHOST_CHATOS_MAIN, NULL, &run->handle, &error);
    if (r < 0)
        stress_fail("inject %s: %s", record, mcphost_error_get_message(error));
    n_runs++;
    profiles_await();
    stress_draw("run injected");
}

static void
end_run(struct run *run)
{
    note_run(OF_RUNS + (int)(run - runs), 0);
    if (profiles_chance(2))
        STRESS_CHECK(mcphost_chatos_run_end(run->handle) == 0);
    run->handle = mcphost_chatos_run_unref(run->handle);
    profiles_await();
    stress_draw("run ended");
}

/* ---- steps ------------------------------------------------------------------------- */

void
chatos_begin(mcphost_view *const *views)
{
    struct origin *o = &origins[OF_CHATOS];

    snprintf(dir, sizeof(dir), "%s/plugins", st.dir);
    STRESS_CHECK(mkdir(dir, 0700) == 0);
    STRESS_CHECK(mcphost_chatos_new(st.host, &chatos, NULL) == 0);
    STRESS_CHECK(mcphost_chatos_set_dir(chatos, MCPHOST_CHATOS_PLUGINS, dir, NULL) == 0);
    STRESS_CHECK(mcphost_chatos_follow(chatos, o->source, MCPHOST_CHATOS_MAIN, NULL) ==
                 0);
    for (int i = 0; i < N_RUNS; i++)
        runs[i].view = views[i];
}

void
chatos_step(void)
{
    struct run *run = &runs[profiles_chance(N_RUNS)];
    unsigned what = profiles_chance(10);
    int plugin = (int)profiles_chance(N_PLUGINS);

    if (what == 0)
        spoil(plugin);
    else if (what < 6)
        change(plugin, 1 + profiles_chance(3));
    else if (run->handle)
        end_run(run);
    else
        begin_run(run, 1 + profiles_chance(15));
}

void
chatos_end(void)
{
    for (int i = 0; i < N_RUNS; i++)
        if (runs[i].handle)
            end_run(&runs[i]);
    mcphost_chatos_unref(chatos);
    printf("stress: %ld runs of apps, %ld scans of their plugins\n", n_runs, n_scans);
}
