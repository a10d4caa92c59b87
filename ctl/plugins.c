/* SPDX-License-Identifier: MIT
 *
 * plugins.c - the option --plugins, and the command that lists plugins or tries each
 * plugin in a process of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "ctl.h"
#include "term.h"

/* The limits of trying one plugin.  PROBE_MS is the time in ms, and PROBE_MAX is the
 * number of bytes of output. */
#define PROBE_MS  30000
#define PROBE_MAX ((size_t)1 << 20)

/* ---- the host's plugins ------------------------------------------------------------ */

static int
until_settled(struct ctl *ctl, void *arg)
{
    (void)arg;
    return ctl->plugins_settled;
}

/* Makes the path absolute, as the library requires.  The directory may be missing,
 * because the library reports a missing directory. */
static char *
find_directory(const struct ctl *ctl)
{
    char here[PATH_MAX], *path = realpath(ctl->opt.plugins, NULL);
    struct text t = {0};

    if (path || *ctl->opt.plugins == '/' || !getcwd(here, sizeof(here)))
        return path ? path : strdup(ctl->opt.plugins);
    text_printf(&t, "%s/%s", here, ctl->opt.plugins);
    return t.data;
}

/* Reads the file of --plugins-config and gives the JSON in it to the plugins.  Returns 0
 * or MCPHOST_E_*.  If the file cannot be read, prints a message with the file's name. */
static int
configure(struct ctl *ctl, mcphost_plugins *plugins, mcphost_error **reterr)
{
    struct text t = {0};
    int r;

    if (!ctl->opt.plugins_config)
        return 0;
    r = input_read(ctl, ctl->opt.plugins_config, &t);
    r = r ? MCPHOST_E_CONFIG
          : mcphost_plugins_set_config(plugins, t.data ? t.data : "", t.len, reterr);
    text_free(&t);
    return r;
}

static int
begin_scan(struct ctl *ctl, mcphost_error **reterr)
{
    const char *only = ctl->plugins_only;
    char *dir = find_directory(ctl);
    int r = dir ? mcphost_plugins_new(mcphost_default_source(ctl->host), dir,
                                      &ctl->plugins, reterr)
                : MCPHOST_E_NOMEM;

    free(dir);
    if (r == 0)
        r = configure(ctl, ctl->plugins, reterr);
    if (r == 0 && only)
        r = mcphost_plugins_set_only(ctl->plugins, only);
    if (r == 0 && !ctl->follow)
        r = mcphost_plugins_set_reload(ctl->plugins, MCPHOST_RELOAD_EXPLICIT);
    return r < 0 ? r : mcphost_plugins_scan(ctl->plugins);
}

int
plugins_open(struct ctl *ctl, mcphost_error **reterr)
{
    int r;

    if (!ctl->opt.plugins)
        return 0;
    r = begin_scan(ctl, reterr);
    if (r == 0)
        r = ctl_run(ctl, until_settled, NULL, ctl->opt.timeout_ms);
    return r < 0 ? r : 0;
}

void
plugins_close(struct ctl *ctl)
{
    ctl->plugins = mcphost_plugins_unref(ctl->plugins);
}

/* ---- rows -------------------------------------------------------------------------- */

static const char *
string_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static const char *
message_of(const json_t *row)
{
    return string_of(json_object_get(row, "error"), "message");
}

static int
color_of(const char *state)
{
    return !state                           ? COLOR_PLAIN
           : strcmp(state, "loaded") == 0   ? COLOR_GREEN
           : strcmp(state, "failed") == 0   ? COLOR_RED
           : strcmp(state, "disabled") == 0 ? COLOR_DIM
                                            : COLOR_YELLOW;
}

static int
print_rows(struct ctl *ctl, const json_t *rows)
{
    static const char *const heads[] = {"PLUGIN", "KIND", "STATE", "FILE", "ERROR", NULL};
    struct table *table;
    struct text t = {0};
    size_t i;
    json_t *row;
    int r;

    if (ctl->opt.json) {
        put_begin(&t, '{');
        put_key(&t, "plugins");
        put_value(&t, rows);
        put_end(&t, '}');
        r = print_json(ctl, &t);
        text_free(&t);
        return r;
    }
    table = table_new(heads);
    json_array_foreach(rows, i, row)
    {
        table_add(table, COLOR_BOLD, string_of(row, "id"));
        table_add(table, COLOR_PLAIN, string_of(row, "kind"));
        table_add(table, color_of(string_of(row, "state")), string_of(row, "state"));
        table_add(table, COLOR_PLAIN, string_of(row, "file"));
        table_add(table, COLOR_PLAIN, message_of(row));
    }
    return print_cut_table(ctl, table);
}

/* Returns STATUS_SERVER if a plugin has an error, else STATUS_OK. */
static int
status_of_rows(const json_t *rows)
{
    int status = STATUS_OK;
    size_t i;
    json_t *row;

    json_array_foreach(rows, i, row) if (message_of(row)) status = STATUS_SERVER;
    return status;
}

static json_t *
rows_of_host(const struct ctl *ctl)
{
    struct text t = {0};
    json_t *root = NULL, *rows;

    if (rows_plugins(&t, ctl->plugins) == 0 && !text_failed(&t))
        root = json_loadb(t.data, t.len, 0, NULL);
    rows = json_incref(json_object_get(root, "plugins"));
    json_decref(root);
    text_free(&t);
    return rows;
}

/* Prints the problems of the directory itself.  Returns STATUS_OK if there are none. */
static int
tell_of_directory(struct ctl *ctl)
{
    mcphost_problems *problems = NULL;
    size_t n = 0;

    if (mcphost_select_problems(ctl->host, MCPHOST_PROBLEMS_ACTIVE, "plugins/directory",
                                NULL, &problems) < 0)
        return out_of_memory(ctl);
    n = mcphost_problems_count(problems);
    for (size_t i = 0; i < n; i++)
        say(ctl, "%s", mcphost_problem_get_message(mcphost_problems_get(problems, i)));
    mcphost_problems_unref(problems);
    return n > 0 ? STATUS_SERVER : STATUS_OK;
}

static int
list(struct ctl *ctl, json_t **ret_rows)
{
    int status;

    ctl->without_servers = 1;
    status = ctl_open(ctl);
    if (status)
        return status;
    *ret_rows = rows_of_host(ctl);
    return *ret_rows ? tell_of_directory(ctl) : out_of_memory(ctl);
}

/* ---- a process for each plugin ----------------------------------------------------- */

struct probe {
    struct worker worker;
    struct text out;
    int status; /* as from waitpid() */
    int at_end, ended;
};

/* Reads the output of the process until the output and the process have ended, until the
 * time `end`, or until there are more than PROBE_MAX bytes. */
static void
watch_probe(struct probe *p, int64_t end)
{
    char part[4096];

    while (!p->at_end || !p->ended) {
        struct pollfd fds[2] = {{.fd = p->at_end ? -1 : p->worker.out, .events = POLLIN},
                                {.fd = p->ended ? -1 : p->worker.line, .events = POLLIN}};
        int64_t left = end - now_ms();
        ssize_t n;

        if (left <= 0 || p->out.len > PROBE_MAX || poll(fds, 2, (int)left) < 0)
            return;
        if (fds[1].revents) {
            int r = worker_has_ended(&p->worker, &p->status);

            if (r < 0)
                return;
            p->ended = r;
        }
        n = fds[0].revents ? read(p->worker.out, part, sizeof(part)) : -1;
        if (n > 0)
            text_add(&p->out, part, (size_t)n);
        else if (fds[0].revents && (n == 0 || errno != EAGAIN))
            p->at_end = 1;
    }
}

static json_t *
make_row(const char *dir, const char *id, const char *why)
{
    struct text t = {0};
    json_t *row;

    text_printf(&t, "%s/%s.so", dir, id);
    row = json_pack("{s:s, s:n, s:s%, s:s, s:{s:i, s:s}}", "id", id, "kind", "file",
                    t.data ? t.data : "", t.len, "state", "failed", "error", "code",
                    MCPHOST_E_SPAWN, "message", why);
    text_free(&t);
    return row;
}

/* Makes a row from the output of the process and from the way in which the process
 * ended. */
static json_t *
judge_probe(const struct probe *p, const char *dir, const char *id)
{
    json_t *root = json_loadb(p->out.data ? p->out.data : "", p->out.len, 0, NULL);
    json_t *row = json_array_get(json_object_get(root, "plugins"), 0);
    struct text why = {0};

    if (!p->ended)
        text_printf(&why, "it did not end within %d s", PROBE_MS / 1000);
    else if (WIFSIGNALED(p->status))
        text_printf(&why, "it ended the process with signal %d (%s)", WTERMSIG(p->status),
                    strsignal(WTERMSIG(p->status)));
    else if (!row)
        text_printf(&why, "it ended the process with status %d", WEXITSTATUS(p->status));
    row = why.data ? make_row(dir, id, why.data) : json_incref(row);
    text_free(&why);
    json_decref(root);
    return row;
}

static json_t *
probe(struct ctl *ctl, const char *dir, const char *id)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *config = ctl->opt.plugins_config;
    char *argv[] = {self,
                    (char *)"--json",
                    (char *)"--plugins",
                    (char *)dir,
                    (char *)"--plugins-config",
                    (char *)(config ? config : "/dev/null"),
                    (char *)"plugins",
                    (char *)"--",
                    (char *)id,
                    NULL};
    struct probe p = {.out = {0}};
    json_t *row;

    self[n > 0 ? n : 0] = '\0';
    if (!config)
        memmove(&argv[4], &argv[6], 4 * sizeof(*argv));
    if (n <= 0 || worker_start(&p.worker, argv) < 0)
        return make_row(dir, id, strerror(errno));
    close(p.worker.in);
    p.worker.in = -1;
    watch_probe(&p, now_ms() + PROBE_MS);
    row = judge_probe(&p, dir, id);
    worker_stop(&p.worker);
    text_free(&p.out);
    return row;
}

static int
is_plugin(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 3 && *entry->d_name != '.' && strncmp(entry->d_name, "__", 2) != 0 &&
           strcmp(entry->d_name + len - 3, ".so") == 0;
}

static int
is_wanted(const struct ctl *ctl, const char *id)
{
    return !ctl->plugins_only || strcmp(ctl->plugins_only, id) == 0;
}

static int
probe_all(struct ctl *ctl, json_t **ret_rows)
{
    char *dir = find_directory(ctl);
    struct dirent **names = NULL;
    json_t *rows = json_array();
    int n = dir ? scandir(dir, &names, is_plugin, alphasort) : 0;
    int status = STATUS_OK;

    if (n < 0) {
        say(ctl, "cannot read '%s': %s", dir, strerror(errno));
        status = STATUS_CONFIG;
    }
    for (int i = 0; i < n; i++) {
        char *id = strndup(names[i]->d_name, strlen(names[i]->d_name) - 3);

        if (!id ||
            (is_wanted(ctl, id) && json_array_append_new(rows, probe(ctl, dir, id)) < 0))
            status = out_of_memory(ctl);
        free(id);
        free(names[i]);
    }
    free(names);
    free(dir);
    *ret_rows = rows;
    return status;
}

int
cmd_plugins(struct ctl *ctl)
{
    json_t *rows = NULL;
    int status;

    if (!ctl->opt.plugins) {
        say(ctl, "the command 'plugins' needs --plugins DIR");
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args > 0)
        ctl->plugins_only = ctl->opt.args[0];
    status = ctl->opt.probe ? probe_all(ctl, &rows) : list(ctl, &rows);
    if (rows) {
        int r = print_rows(ctl, rows);

        if (status == STATUS_OK)
            status = r ? r : status_of_rows(rows);
    }
    json_decref(rows);
    return status;
}
