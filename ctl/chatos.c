/* SPDX-License-Identifier: MIT
 *
 * chatos.c - folders of ChatOS plugins as sources, and the commands `apps` and `app`.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "chatos.h"
#include "term.h"

#define SCAN_MS         30000
#define CALL_TIMEOUT_MS (10 * 60 * 1000) /* the limit of ChatOS for a call, in ms */

/* ---- a folder ---------------------------------------------------------------------- */

/* Returns true if a subdirectory has a plugin.json with the word "apps".  Other programs
 * have files of the same name, but without apps. */
int
chatos_is_in(const char *directory)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    int found = 0;

    while (dir && !found) {
        struct text path = {0};

        entry = readdir(dir);
        if (!entry)
            break;
        if (*entry->d_name == '.')
            continue;
        text_printf(&path, "%s/%s/plugin.json", directory, entry->d_name);
        found = !text_failed(&path) && file_contains(path.data, "\"apps\"");
        text_free(&path);
    }
    if (dir)
        closedir(dir);
    return found;
}

const char *
chatos_directory(const struct ctl *ctl)
{
    const struct profile *profile = profile_find("chatos");

    for (size_t i = 0; i < ctl->n_sources; i++) {
        if (ctl->sources[i].profile == profile)
            return ctl->sources[i].directory;
    }
    return NULL;
}

mcphost_chatos *
chatos_of_sources(const struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->n_sources; i++) {
        if (ctl->sources[i].chatos)
            return ctl->sources[i].chatos;
    }
    return NULL;
}

/* ---- a registry -------------------------------------------------------------------- */

static int
set_dirs(const struct ctl *ctl, mcphost_chatos *chatos, const char *directory,
         mcphost_error **reterr)
{
    const struct options *opt = &ctl->opt;
    const struct {
        int dir;
        const char *path;
    } dirs[] = {
        {MCPHOST_CHATOS_PLUGINS, directory},
        {MCPHOST_CHATOS_BUILTIN_PLUGINS, opt->builtin_plugins},
        {MCPHOST_CHATOS_DEFAULTS, opt->defaults},
        {MCPHOST_CHATOS_STATE, opt->state_dir},
        {MCPHOST_CHATOS_PROJECT, opt->project_root},
        {MCPHOST_CHATOS_SESSION, opt->session_root},
    };
    int r = 0;

    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && r == 0; i++) {
        if (dirs[i].path)
            r = mcphost_chatos_set_dir(chatos, dirs[i].dir, dirs[i].path, reterr);
    }
    return r;
}

int
chatos_open(const struct ctl *ctl, mcphost *host, const char *directory,
            mcphost_chatos **ret, mcphost_error **reterr)
{
    mcphost_chatos *chatos = NULL;
    int r = mcphost_chatos_new(host, &chatos, reterr);

    if (r == 0)
        r = set_dirs(ctl, chatos, directory, reterr);
    if (r == 0)
        r = mcphost_chatos_scan(chatos, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_chatos_wait(chatos, SCAN_MS);
    if (r == 0)
        r = MCPHOST_E_TIMEOUT;
    if (r < 0) {
        mcphost_chatos_unref(chatos);
        return r;
    }
    *ret = chatos;
    return 0;
}

/* ---- ChatOS as a source ------------------------------------------------------------ */

/* Reads the servers that the user's agent may have.  `transports` is not used, because
 * the profile allows all transports. */
int
chatos_load(const struct ctl *ctl, const char *directory, unsigned transports,
            mcphost_config **ret, mcphost_error **reterr)
{
    mcphost_chatos *chatos = NULL;
    mcphost *host = NULL;
    int r = mcphost_new(&host, reterr);

    (void)transports;
    if (r == 0)
        r = chatos_open(ctl, host, directory, &chatos, reterr);
    if (r == 0)
        r = mcphost_chatos_get_config(chatos, MCPHOST_CHATOS_MAIN, ret, reterr);
    mcphost_chatos_unref(chatos);
    mcphost_unref(host);
    return r;
}

int
chatos_follow(const struct ctl *ctl, struct source *source, mcphost_error **reterr)
{
    int r = chatos_open(ctl, ctl->host, source->directory, &source->chatos, reterr);

    return r < 0 ? r
                 : mcphost_chatos_follow(source->chatos, source->handle,
                                         MCPHOST_CHATOS_MAIN, reterr);
}

/* Sets three of the policies that mcphost_chatos_follow() sets (names, lease scope and
 * call timeout), for servers that are read once. */
int
chatos_set_policies(const struct ctl *ctl, mcphost_source *source, mcphost_error **reterr)
{
    const struct {
        int option;
        int64_t value;
    } policies[] = {
        {MCPHOST_OPT_NAMES, MCPHOST_NAMES_FULL},
        {MCPHOST_OPT_LEASE_SCOPE, MCPHOST_SCOPE_WORKSPACE},
        {MCPHOST_OPT_CALL_TIMEOUT, CALL_TIMEOUT_MS},
    };
    /* Leave out the last policy (the call timeout) if --timeout sets the timeout. */
    size_t n = sizeof(policies) / sizeof(policies[0]) - (ctl->opt.timeout_ms >= 0);
    int r = 0;

    for (size_t i = 0; i < n && r == 0; i++)
        r = mcphost_source_set_policy(source, policies[i].option, policies[i].value,
                                      reterr);
    return r;
}

/* ---- the commands `apps` and `app` ------------------------------------------------- */

/* Scans the folder of plugins, calls `get` with `plugin` and `app` (NULL for get_apps()),
 * and parses the JSON that `get` returns.  The caller owns *ret.  Returns 0, or a
 * STATUS_* after printing the reason. */
static int
query_registry(struct ctl *ctl,
               int (*get)(mcphost_chatos *chatos, const char *plugin, const char *app,
                          char **ret, mcphost_error **reterr),
               const char *plugin, const char *app, json_t **ret)
{
    const char *directory = chatos_directory(ctl);
    mcphost_chatos *chatos = NULL;
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    char *json = NULL;
    int r;

    if (directory && access(directory, R_OK) < 0) {
        say(ctl, "'%s': %s", directory, strerror(errno));
        return STATUS_USAGE;
    }
    if (!directory) {
        say(ctl, "there are no ChatOS plugins here; name their folder: --profile chatos "
                 "-C DIR");
        return STATUS_USAGE;
    }
    r = mcphost_new(&host, &err);
    if (r == 0)
        r = chatos_open(ctl, host, directory, &chatos, &err);
    if (r == 0)
        r = get(chatos, plugin, app, &json, &err);
    if (r == 0)
        *ret = json_loads(json, 0, NULL);
    if (r == 0 && !*ret)
        r = MCPHOST_E_NOMEM;
    if (r < 0)
        say_error(ctl, r, err);
    mcphost_error_unref(err);
    mcphost_free(json);
    mcphost_chatos_unref(chatos);
    mcphost_unref(host);
    return r < 0 ? STATUS_CONFIG : 0;
}

static int
get_apps(mcphost_chatos *chatos, const char *plugin, const char *app, char **ret,
         mcphost_error **reterr)
{
    (void)plugin;
    (void)app;
    return mcphost_chatos_list_apps(chatos, ret, NULL, reterr);
}

static int
get_app(mcphost_chatos *chatos, const char *plugin, const char *app, char **ret,
        mcphost_error **reterr)
{
    return mcphost_chatos_get_contribution(chatos, plugin, app, ret, NULL, reterr);
}

static const char *
string_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* Writes the words of a list, separated by blanks.  For true, writes "all". */
static void
put_words(struct text *t, const json_t *value)
{
    const json_t *word;
    size_t i;

    if (json_is_true(value))
        text_puts(t, "all");
    json_array_foreach(value, i, word)
        text_printf(t, "%s%s", i ? " " : "", json_string_value(word));
}

static void
add_words(struct table *table, const json_t *row, const char *key)
{
    struct text t = {0};

    put_words(&t, json_object_get(row, key));
    table_add(table, COLOR_PLAIN, t.data);
    text_free(&t);
}

static int
print_apps(struct ctl *ctl, const json_t *rows)
{
    static const char *const heads[] = {"PLUGIN",  "APP",     "SERVER", "PROMPTS",
                                        "SERVERS", "EXPOSED", "URL",    NULL};
    struct table *table = table_new(heads);
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (string_of(row, "error"))
            continue;
        table_add(table, COLOR_BOLD, string_of(row, "plugin"));
        table_add(table, COLOR_PLAIN, string_of(row, "app"));
        table_add(table, COLOR_PLAIN, string_of(row, "server"));
        add_words(table, row, "prompts");
        add_words(table, row, "mcpServers");
        add_words(table, row, "exposedPrompts");
        table_add(table, COLOR_PLAIN, string_of(row, "url"));
    }
    return print_cut_table(ctl, table);
}

static int
print_object(struct ctl *ctl, const char *key, const json_t *value)
{
    struct text t = {0};
    int r;

    if (key) {
        put_begin(&t, '{');
        put_key(&t, key);
    }
    put_value(&t, value);
    if (key)
        put_end(&t, '}');
    r = print_json(ctl, &t);
    text_free(&t);
    return r;
}

/* Prints each error with its plugin or, if the plugin is not known, with its
 * directory. */
static void
print_errors(const json_t *rows)
{
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        const char *error = string_of(row, "error"), *app = string_of(row, "app");
        const char *where = string_of(row, "plugin");
        struct text t = {0};

        if (!error)
            continue;
        text_printf(&t, "%s%s%s: %s", where ? where : string_of(row, "dir"),
                    app ? ":" : "", app ? app : "", error);
        if (!text_failed(&t))
            term_print(stdout, "", t.data, t.len);
        putchar('\n');
        text_free(&t);
    }
}

int
cmd_apps(struct ctl *ctl)
{
    json_t *rows = NULL;
    int status = query_registry(ctl, get_apps, NULL, NULL, &rows);

    if (status == 0)
        status = ctl->opt.json ? print_object(ctl, "apps", rows) : print_apps(ctl, rows);
    if (status == 0 && !ctl->opt.json)
        print_errors(rows);
    json_decref(rows);
    return status;
}

/* Returns true if `ref` names the app of this row.  `ref` is "PLUGIN:APP", or the name of
 * the app's server, "PLUGIN.APP".  "uiapp:" may precede both forms. */
static int
is_meant(const json_t *row, const char *ref)
{
    const char *plugin = string_of(row, "plugin"), *app = string_of(row, "app");
    struct text colon = {0}, dot = {0};
    int same;

    if (strncmp(ref, "uiapp:", 6) == 0)
        ref += 6;
    if (!plugin || !app || string_of(row, "error"))
        return 0;
    text_printf(&colon, "%s:%s", plugin, app);
    text_printf(&dot, "%s.%s", plugin, app);
    same = !text_failed(&colon) && !text_failed(&dot) &&
           (strcmp(colon.data, ref) == 0 || strcmp(dot.data, ref) == 0);
    text_free(&colon);
    text_free(&dot);
    return same;
}

static void
add_row(struct table *table, const char *key, const char *value)
{
    if (!value)
        return;
    table_add(table, COLOR_BOLD, key);
    table_add_text(table, COLOR_PLAIN, value, strlen(value));
}

static void
add_list(struct table *table, const char *key, const json_t *value)
{
    struct text t = {0};

    put_words(&t, value);
    add_row(table, key, t.data);
    text_free(&t);
}

static int
print_app(struct ctl *ctl, const json_t *row, const json_t *app)
{
    static const char *const heads[] = {"WHAT", "VALUE", NULL};
    static const char *const languages[] = {"zh", "en"};
    const json_t *mcp = json_object_get(app, "mcp"), *error;
    struct table *table;
    size_t i;

    if (ctl->opt.json)
        return print_object(ctl, NULL, app);
    table = table_new(heads);
    add_row(table, "plugin", string_of(app, "pluginId"));
    add_row(table, "app", string_of(app, "appId"));
    add_row(table, "name", string_of(app, "name"));
    add_row(table, "server", string_of(mcp, "name"));
    add_row(table, "url", string_of(row, "url")); /* the URL without its secrets */
    add_list(table, "exposed servers", json_object_get(app, "mcpServers"));
    add_list(table, "exposed prompts", json_object_get(app, "prompts"));
    for (i = 0; i < 2; i++) {
        const json_t *prompt =
            json_object_get(json_object_get(app, "mcpPrompt"), languages[i]);

        add_row(table, "prompt", string_of(prompt, "name"));
        add_row(table, "", string_of(prompt, "text"));
    }
    json_array_foreach(json_object_get(app, "errors"), i, error)
        add_row(table, "error", json_string_value(error));
    return print_table(ctl, table);
}

int
cmd_app(struct ctl *ctl)
{
    json_t *rows = NULL, *app = NULL;
    const json_t *row, *found = NULL;
    int status = query_registry(ctl, get_apps, NULL, NULL, &rows);
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (!found && is_meant(row, ctl->opt.args[0]))
            found = row;
    }
    if (status == 0 && !found) {
        say(ctl, "there is no app '%s'; 'mcphostctl apps' lists them", ctl->opt.args[0]);
        status = STATUS_USAGE;
    }
    if (status == 0)
        status = query_registry(ctl, get_app, string_of(found, "plugin"),
                                string_of(found, "app"), &app);
    if (status == 0)
        status = print_app(ctl, found, app);
    json_decref(app);
    json_decref(rows);
    return status;
}
