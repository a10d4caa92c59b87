/* SPDX-License-Identifier: MIT
 *
 * look.c - observes the host from outside: its catalog, its status and its processes.
 *
 * When the host is at rest, its catalog, status and processes must agree with the model.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress/stress.h"

#define QUIET_MS 15000

/* ---- the catalog ------------------------------------------------------------------- */

static mcphost_catalog *
get_catalog(void)
{
    mcphost_catalog *catalog;
    uint64_t version;

    STRESS_CHECK(mcphost_view_get_catalog(mcphost_default_view(st.host), &catalog) == 0);
    version = mcphost_catalog_get_version(catalog);
    pthread_mutex_lock(&st.lock);
    if (version < st.version && !st.thread)
        stress_fail("version %lu after %lu", (unsigned long)version,
                    (unsigned long)st.version);
    pthread_mutex_unlock(&st.lock);
    return catalog;
}

void
look_tool(mcphost_tool *tool, struct observed *seen)
{
    const char *server = mcphost_tool_get_server_id(tool);

    snprintf(seen->name, sizeof(seen->name), "%s", mcphost_tool_get_name(tool));
    seen->server = -1;
    if (server)
        STRESS_CHECK(sscanf(server, "s%d", &seen->server) == 1);
}

size_t
look_catalog(struct observed *seen)
{
    mcphost_catalog *catalog = get_catalog();
    size_t n = mcphost_catalog_count_tools(catalog);

    STRESS_CHECK(n <= N_OBSERVED);
    for (size_t i = 0; i < n; i++)
        look_tool(mcphost_catalog_get_tool(catalog, i), &seen[i]);
    mcphost_catalog_unref(catalog);
    return n;
}

void
look_builtins(void)
{
    mcphost_catalog *catalog = get_catalog();

    st.n_builtins = (int)mcphost_catalog_count_tools(catalog);
    st.builtins = calloc((size_t)st.n_builtins + 1, sizeof(*st.builtins));
    STRESS_CHECK(st.builtins != NULL);
    for (int i = 0; i < st.n_builtins; i++)
        st.builtins[i] =
            strdup(mcphost_tool_get_name(mcphost_catalog_get_tool(catalog, (size_t)i)));
    mcphost_catalog_unref(catalog);
}

/* ---- the status -------------------------------------------------------------------- */

/* Counts the servers of the default source.  The status lists these servers before all
 * other servers. */
static size_t
count_servers(const mcphost_status *status)
{
    size_t n = 0, all = mcphost_status_count_servers(status);

    while (n < all && !mcphost_status_server_get_source_id(status, n))
        n++;
    return n;
}

/* Checks whether the host has the servers of the file that was written last, or no
 * servers if the file was deleted. */
bool
look_applied(void)
{
    mcphost_status *status;
    char marker[32];
    size_t at = 0, n;
    bool yes = true;

    STRESS_CHECK(mcphost_get_status(st.host, &status) == 0);
    n = count_servers(status);
    for (int i = 0; i < N_SERVERS && st.written && yes; i++) {
        char id[16];

        if (!st.file[st.file_order[i]].present)
            continue;
        snprintf(id, sizeof(id), "s%d", st.file_order[i]);
        yes = at < n && strcmp(mcphost_status_server_get_id(status, at), id) == 0;
        at++;
    }
    if (st.written && yes) {
        snprintf(marker, sizeof(marker), "m%ld", st.marker);
        yes =
            at + 1 == n && strcmp(mcphost_status_server_get_id(status, at), marker) == 0;
    } else if (!st.written) {
        yes = n == 0;
    }
    mcphost_status_unref(status);
    return yes;
}

/* Checks whether the row of a server in the status agrees with the model, when the host
 * is at rest. */
static bool
row_fits(const mcphost_status *status, size_t row, const struct server *s)
{
    int state = mcphost_status_server_get_state(status, row);
    bool error = mcphost_status_server_get_error(status, row) != NULL;

    /* The host does not check a disabled entry for errors. */
    if (!s->entry.enabled)
        return state == MCPHOST_SERVER_DISABLED && !error;
    if (s->entry.invalid)
        return state == MCPHOST_SERVER_CONFIG_INVALID && error;
    if (model_comes_up(&s->entry.want))
        return state == MCPHOST_SERVER_LOADED && !error;
    /* The wanted launch does not start.  Accept a last good edition with an error, or no
     * edition.  Without an edition, the next attempt may be in progress. */
    for (int i = 0; i < s->n_may; i++) {
        bool works = s->may[i].launch != 0;

        if (works && state == MCPHOST_SERVER_LOADED && error)
            return true;
        if (!works && ((state == MCPHOST_SERVER_UNAVAILABLE && error) ||
                       (state == MCPHOST_SERVER_STARTING && !error)))
            return true;
    }
    return false;
}

static bool
rows_fit(char *why, size_t size)
{
    mcphost_status *status;
    size_t row = 0;
    bool yes = true;

    STRESS_CHECK(mcphost_get_status(st.host, &status) == 0);
    for (int i = 0; i < N_SERVERS && yes; i++) {
        const struct server *s = &st.servers[st.order[i]];

        if (!s->entry.present)
            continue;
        yes = row < mcphost_status_count_servers(status) && row_fits(status, row, s);
        if (!yes && row < mcphost_status_count_servers(status))
            snprintf(why, size, "the status of s%d is %d (%s)", st.order[i],
                     mcphost_status_server_get_state(status, row),
                     mcphost_status_server_get_error(status, row)
                         ? mcphost_error_get_message(
                               mcphost_status_server_get_error(status, row))
                         : "no error");
        row++;
    }
    mcphost_status_unref(status);
    return yes;
}

/* ---- processes --------------------------------------------------------------------- */

/* Returns the launch of a process, or 0 if the process is not a server of this test. */
static int
launch_of(const char *pid)
{
    char path[300], text[4096], name[64];
    int fd, launch = 0;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    if (strlen(text) < 11 || strcmp(text + strlen(text) - 11, "/fakeserver") != 0)
        return 0;
    snprintf(name, sizeof(name), "name %s-", st.tag);
    for (const char *arg = text; arg < text + n; arg += strlen(arg) + 1)
        if (strncmp(arg, name, strlen(name)) == 0)
            launch = (int)strtol(arg + strlen(name), NULL, 10);
    return launch;
}

int
look_processes(pid_t *pids, int *launches, int size)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int n = 0;

    STRESS_CHECK(dir != NULL);
    while ((entry = readdir(dir)) != NULL && n < size) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        launches[n] = launch_of(entry->d_name);
        pids[n] = (pid_t)strtol(entry->d_name, NULL, 10);
        if (launches[n])
            n++;
    }
    closedir(dir);
    return n;
}

static int
allowed_by(const struct server *s, int launch)
{
    const struct edition *want = &s->entry.want;
    int n = 0;

    /* Allow one shared process, or one process for each dialog and a spare. */
    for (int i = 0; i < s->n_may; i++)
        if (s->may[i].launch == launch)
            n = s->may[i].shared && n <= 1 ? 1 : N_DIALOGS + 1;
    /* Allow one more process for an attempt to start a launch that always fails. */
    if (want->launch == launch && s->entry.present && s->entry.enabled &&
        !s->entry.invalid && !model_comes_up(want))
        n++;
    return n;
}

/* Returns the largest number of processes that a launch may have when the host is at
 * rest. */
static int
allowed(int launch)
{
    int n = 0;

    for (int i = 0; i < N_SERVERS; i++)
        n += allowed_by(&st.servers[i], launch);
    return n;
}

static bool
processes_fit(char *why, size_t size)
{
    pid_t pids[512];
    int launches[512];
    int n = look_processes(pids, launches, 512);

    for (int i = 0; i < n; i++) {
        int same = 0;

        for (int j = 0; j < n; j++)
            same += launches[j] == launches[i];
        if (same > allowed(launches[i])) {
            snprintf(why, size, "%d processes of launch %d (%d), expected %d at most",
                     same, launches[i], (int)pids[i], allowed(launches[i]));
            return false;
        }
    }
    return true;
}

static bool
editions_fit(char *why, size_t size)
{
    model_observe();
    for (int i = 0; i < N_SERVERS; i++) {
        const struct server *s = &st.servers[i];
        bool wanted = s->entry.present && s->entry.enabled && !s->entry.invalid &&
                      model_comes_up(&s->entry.want);

        if (wanted && !model_reached(i)) {
            snprintf(why, size, "it does not come up: %s", model_text(i));
            return false;
        }
    }
    return true;
}

/* Prints the servers, the leases and the processes, to explain a failure. */
static void
print_status(void)
{
    mcphost_status *status;
    pid_t pids[512];
    int launches[512];
    int n = look_processes(pids, launches, 512);

    STRESS_CHECK(mcphost_get_status(st.host, &status) == 0);
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        mcphost_error *error = mcphost_status_server_get_error(status, i);

        printf("    %s: state %d, pid %d, %s\n", mcphost_status_server_get_id(status, i),
               mcphost_status_server_get_state(status, i),
               (int)mcphost_status_server_get_pid(status, i),
               error ? mcphost_error_get_message(error) : "no error");
    }
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++) {
        const char *dialog = mcphost_status_lease_get_dialog_id(status, i);

        printf("    lease of %s, dialog %s: state %d, pid %d\n",
               mcphost_status_lease_get_server_id(status, i), dialog ? dialog : "none",
               mcphost_status_lease_get_state(status, i),
               (int)mcphost_status_lease_get_pid(status, i));
    }
    for (int i = 0; i < n; i++)
        printf("    process %d of launch %d\n", (int)pids[i], launches[i]);
    mcphost_status_unref(status);
}

void
look_quiet(void)
{
    int64_t until = mcph_clock_monotonic_ms() + QUIET_MS;
    char why[1024] = "";

    traffic_drain();
    edit_restore();
    while (!(editions_fit(why, sizeof(why)) && rows_fit(why, sizeof(why)) &&
             processes_fit(why, sizeof(why)))) {
        if (mcph_clock_monotonic_ms() > until) {
            print_status();
            stress_fail("it does not come to rest: %s", why);
        }
        stress_pump(5);
    }
    model_observe();
    for (int i = 0; i < N_SERVERS; i++)
        st.servers[i].dying = false;
    http_reap(false);
    STRESS_CHECK(st.n_freed ==
                 st.n_results + st.n_gone + st.n_died + st.n_cancelled + st.n_denied);
    traffic_go();
}

/* ---- this process ------------------------------------------------------------------ */

int
look_children(void)
{
    char path[64], text[4096];
    int fd, n = 0;
    ssize_t len;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    len = read(fd, text, sizeof(text));
    close(fd);
    for (ssize_t i = 0; i < len; i++)
        n += text[i] == ' ';
    return n;
}

int
look_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    /* The loop counts `.` and `..`, too, but must not count the descriptor of `dir`. */
    int n = -1;

    STRESS_CHECK(dir != NULL);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

long
look_rss_kib(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long kib = -1;

    STRESS_CHECK(f != NULL);
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    fclose(f);
    return kib;
}
