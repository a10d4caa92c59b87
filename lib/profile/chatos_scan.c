/* SPDX-License-Identifier: MIT
 *
 * chatos_scan.c - scan two folders of plugins in steps: a step reads a folder, a manifest
 * or an app.
 *
 * A scan opens the files of a plugin from the descriptor of the plugin's directory.  A
 * scan opens no file through a symbolic link below the two folders.  A plugin that
 * disappears during the scan counts as missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/chatos_apps.h"

#define MANIFEST "plugin.json"

static const int folders[] = {MCPHOST_CHATOS_PLUGINS, MCPHOST_CHATOS_BUILTIN_PLUGINS};

#define PLUGIN_FLAWS_MAX 20 /* limit on the flaws reported for one plugin */

struct mcph_chatos_scan {
    struct mcph_chatos_apps *apps;
    struct mcph_chatos_apps *before; /* reference to the last result, or NULL */
    size_t folder;                   /* index into `folders` */
    bool open;                       /* the folder is being read */
    int top;                         /* descriptor of the folder, or -1 */
    char *root;                      /* real path of the folder, or NULL */
    char *first;                     /* real path of the first folder, set once that
                                      * folder is read */
    struct mcph_vec names;
    size_t next;                       /* index into `names` */
    struct mcph_chatos_plugin *plugin; /* plugin whose apps are being read, or NULL */
    int dir;                           /* descriptor of the plugin's directory, or -1 */
    size_t app;                        /* index of the plugin's next app */
    size_t n_flaws;                    /* number of flaws of the plugin */
    size_t bytes, plugin_bytes;        /* bytes read so far, in all and of this plugin */
    struct mcph_vec defaults;          /* names of the default lists */
    int defaults_dir;                  /* descriptor of the folder of default lists, or
                                        * -1 */
};

static bool
is_builtin(const struct mcph_chatos_scan *scan)
{
    return folders[scan->folder] == MCPHOST_CHATOS_BUILTIN_PLUGINS;
}

/* Adds a flaw.  Takes `message` over.  Limits the flaws of one plugin, so that these
 * flaws do not crowd out the flaws of other plugins. */
static int
add_flaw(struct mcph_chatos_scan *scan, const char *dir, const char *plugin,
         const char *app, char *message)
{
    if (!message)
        return MCPHOST_E_NOMEM;
    scan->n_flaws++;
    if (scan->n_flaws > PLUGIN_FLAWS_MAX) {
        free(message);
        if (scan->n_flaws > PLUGIN_FLAWS_MAX + 1)
            return 0;
        message = mcph_strdup("further errors of this plugin are left out");
        app = NULL;
    }
    return mcph_chatos_apps_add_flaw(scan->apps, is_builtin(scan), dir, plugin, app,
                                     message);
}

/* Adds a flaw with the message of `err`, and releases `err`. */
static int
add_error(struct mcph_chatos_scan *scan, const char *dir, const char *plugin,
          const char *app, mcphost_error *err)
{
    int r = add_flaw(scan, dir, plugin, app,
                     mcph_strdup(err ? mcphost_error_get_message(err) : "out of memory"));

    mcphost_error_unref(err);
    return r;
}

static int
close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- files ------------------------------------------------------------------------- */

/* Checks whether the cause of an error lies outside of the file: too many open files, or
 * an I/O error of the device. */
static bool
is_passing(int error)
{
    return error == EMFILE || error == ENFILE || error == EIO;
}

/* Reads a file like mcph_file_read_beneath(), within the limits of a plugin and of a
 * scan. */
static int
read_file(struct mcph_chatos_scan *scan, int dir, const char *path, const char *shown,
          size_t max, struct mcph_buf *buf, mcphost_error **reterr)
{
    int r;

    mcph_buf_init(buf, max + 1);
    if (scan->plugin_bytes >= MCPH_CHATOS_PLUGIN_BYTES)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "'%s' is not read: the plugin has more than %zu bytes", shown,
                        MCPH_CHATOS_PLUGIN_BYTES);
    if (scan->bytes >= MCPH_CHATOS_SCAN_BYTES)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "'%s' is not read: the plugins have more than %zu bytes", shown,
                        MCPH_CHATOS_SCAN_BYTES);
    r = mcph_file_read_beneath(dir, path, shown, max, buf, reterr);
    scan->apps->failed |= r < 0 && is_passing(mcphost_error_get_errno(*reterr));
    scan->bytes += buf->len;
    scan->plugin_bytes += buf->len;
    return r;
}

/* Returns the id of the app in which the reader of the manifest has found the error, or
 * NULL.  The diagnostic has the name of the app's server, PLUGIN.APP (R128). */
static const char *
app_of(const struct mcph_chatos_plugin *plugin, const struct mcph_diag *diag)
{
    return diag->server ? diag->server + strlen(plugin->id) + 1 : NULL;
}

/* Adds the errors of a report as flaws.  `app` is the app that the report is about.  If
 * `app` is NULL, the report is about the manifest. */
static int
add_report(struct mcph_chatos_scan *scan, const struct mcph_chatos_plugin *plugin,
           const char *app, const mcphost_config *report)
{
    int r = 0;

    for (size_t i = 0; i < report->diags.n && r == 0; i++) {
        const struct mcph_diag *diag = report->diags.items[i];

        if (diag->severity != MCPHOST_DIAGNOSTIC_WARNING)
            r = add_flaw(scan, plugin->dir, plugin->id, app ? app : app_of(plugin, diag),
                         mcph_diag_line(diag));
    }
    return r;
}

/* Adds one flaw for a plugin that is rejected as a whole, with the plugin's first
 * error. */
static int
add_rejection(struct mcph_chatos_scan *scan, const struct mcph_chatos_plugin *plugin)
{
    const struct mcph_diag *first = mcph_config_first_error(plugin->report);
    return add_flaw(scan, plugin->dir, plugin->id, NULL,
                    first ? mcph_diag_line(first)
                          : mcph_asprintf("'%s' cannot be used", plugin->dir));
}

/* ---- an app ------------------------------------------------------------------------ */

/* Reads a text with the keys of `ai` and adds the errors of the text as flaws.  If the
 * text cannot be used, *ret_ai stays NULL.  Returns 0 or MCPHOST_E_NOMEM. */
static int
read_ai(struct mcph_chatos_scan *scan, const char *app, int dir, const char *path,
        const char *shown, struct mcph_chatos_ai **ret_ai)
{
    const struct mcph_chatos_plugin *plugin = scan->plugin;
    mcphost_config *report = NULL;
    mcphost_error *err = NULL;
    struct mcph_buf text;
    int r = read_file(scan, dir, path, shown, MCPH_CHATOS_AI_MAX, &text, &err);

    if (r < 0) {
        r = r == MCPHOST_E_NOMEM ? r : add_error(scan, plugin->dir, plugin->id, app, err);
        mcph_buf_done(&text);
        return r;
    }
    r = mcph_chatos_ai_parse(text.data, text.len, shown, plugin->dir, ret_ai, &report);
    mcph_buf_done(&text);
    if (r == 0)
        r = add_report(scan, plugin, app, report);
    mcph_config_unref(report);
    return r;
}

static int
read_config_file(struct mcph_chatos_scan *scan, struct mcph_chatos_entry *entry)
{
    const char *path = entry->app->ai->config;
    char *shown;
    int r;

    if (!path)
        return 0;
    shown = mcph_asprintf("%s/%s", scan->plugin->dir, path);
    r = shown ? read_ai(scan, entry->app->id, scan->dir, path, shown, &entry->in_file)
              : MCPHOST_E_NOMEM;
    free(shown);
    return r;
}

static bool
has_name(const struct mcph_vec *names, const char *name)
{
    size_t from = 0, to = names->n;

    while (from < to) {
        size_t at = from + (to - from) / 2;
        int order = strcmp(name, names->items[at]);

        if (order == 0)
            return true;
        if (order < 0)
            to = at;
        else
            from = at + 1;
    }
    return false;
}

/* Reads the default list of the app: the first file that can be used, in the order .yaml,
 * .yml, .json (B.25). */
static int
read_defaults(struct mcph_chatos_scan *scan, struct mcph_chatos_entry *entry)
{
    static const char *const extensions[] = {"yaml", "yml", "json"};
    const char *folder = scan->apps->dirs.paths[MCPHOST_CHATOS_DEFAULTS];
    char *key = NULL, *name, *shown;
    int r;

    if (scan->defaults.n == 0)
        return 0;
    r = mcph_chatos_default_key(entry->plugin->id, entry->app->id, &key);
    if (r == MCPHOST_E_INVALID)
        return 0;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(extensions) && r == 0 && !entry->in_defaults;
         i++) {
        name = mcph_asprintf("%s.%s", key, extensions[i]);
        shown = mcph_asprintf("%s/%s.%s", folder, key, extensions[i]);
        if (!name || !shown)
            r = MCPHOST_E_NOMEM;
        else if (has_name(&scan->defaults, name))
            r = read_ai(scan, entry->app->id, scan->defaults_dir, name, shown,
                        &entry->in_defaults);
        free(name);
        free(shown);
    }
    free(key);
    return r;
}

/* Checks the entry of the app's own server.  The entry must be a regular file in the
 * plugin's directory, after symbolic links are resolved.  Sets *ret_flaw to a text that
 * describes the flaw, or to NULL if there is no flaw.  If the entry leads out of the
 * directory, also sets entry->no_server.  Returns 0 or MCPHOST_E_NOMEM. */
static int
find_entry_flaw(struct mcph_chatos_scan *scan, struct mcph_chatos_entry *entry,
                const char **ret_flaw)
{
    static const char absent[] = "does not exist, or is not a file";
    const char *dir = scan->plugin->dir;
    size_t len = strlen(dir);
    char *path, *real;
    struct stat st;
    int fd = mcph_open_beneath(scan->dir, entry->offer.mcp->entry, O_PATH, false);

    *ret_flaw = NULL;
    if (fd < 0 && is_passing(errno)) {
        scan->apps->failed = true;
        *ret_flaw = errno == EIO ? "cannot be opened: I/O error"
                                 : "cannot be opened: too many open files";
        return 0;
    }
    if (fd >= 0 || errno != ELOOP) {
        if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
            *ret_flaw = absent;
        close_fd(fd);
        return 0;
    }
    path = mcph_asprintf("%s/%s", dir, entry->offer.mcp->entry);
    if (!path)
        return MCPHOST_E_NOMEM;
    real = realpath(path, NULL);
    free(path);
    if (!real && errno == ENOMEM)
        return MCPHOST_E_NOMEM;
    if (!real || stat(real, &st) < 0 || !S_ISREG(st.st_mode)) {
        *ret_flaw = absent;
    } else if (strncmp(real, dir, len) != 0 || real[len] != '/') {
        *ret_flaw = "leads out of the plugin's directory through a symbolic link";
        entry->no_server = "its entry leads out of the plugin's directory";
    }
    free(real);
    return 0;
}

static int
check_entry(struct mcph_chatos_scan *scan, struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_plugin *plugin = scan->plugin;
    const struct mcph_chatos_mcp *mcp = entry->offer.mcp;
    const char *flaw = NULL;
    int r = 0;

    if (!mcp || !mcp->entry)
        return 0;
    r = find_entry_flaw(scan, entry, &flaw);
    if (r < 0 || !flaw)
        return r;
    return add_flaw(scan, plugin->dir, plugin->id, entry->app->id,
                    mcph_asprintf("ai.mcp.entry: '%s' %s", mcp->entry, flaw));
}

static int
read_offer(struct mcph_chatos_scan *scan, struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_app *app = entry->app;
    int r = 0;

    if (!app->ai)
        return 0;
    r = read_config_file(scan, entry);
    if (r == 0)
        r = read_defaults(scan, entry);
    if (r < 0)
        return r;
    entry->offers =
        mcph_chatos_offer(app->ai, entry->in_file, entry->in_defaults, &entry->offer);
    if (entry->offers && entry->offer.mcp && !entry->offer.mcp->url &&
        !entry->offer.mcp->entry)
        entry->no_server = "its entry leads out of the plugin's directory";
    return entry->offers ? check_entry(scan, entry) : 0;
}

static int
read_app(struct mcph_chatos_scan *scan)
{
    const struct mcph_chatos_plugin *plugin = scan->plugin;
    const char *state = scan->apps->dirs.paths[MCPHOST_CHATOS_STATE];
    struct mcph_chatos_entry *entry = calloc(1, sizeof(*entry));
    int r = MCPHOST_E_NOMEM;

    if (!entry)
        return r;
    entry->plugin = plugin;
    entry->app = plugin->apps.items[scan->app++];
    entry->builtin = is_builtin(scan);
    entry->server = mcph_chatos_server_name(plugin->id, entry->app->id);
    if (state)
        entry->data_dir = mcph_asprintf("%s/ui_apps/data/%s", state, plugin->id);
    if (entry->server && (!state || entry->data_dir))
        r = read_offer(scan, entry);
    if (r == 0)
        return mcph_chatos_apps_add_entry(scan->apps, entry);
    mcph_chatos_entry_free(entry);
    return r;
}

static void
end_plugin(struct mcph_chatos_scan *scan)
{
    scan->plugin = NULL;
    scan->app = scan->n_flaws = scan->plugin_bytes = 0;
    scan->dir = close_fd(scan->dir);
}

/* ---- a plugin ---------------------------------------------------------------------- */

/* Returns 1 if an earlier plugin with the same id replaces this plugin, 0 if no earlier
 * plugin has the id, or MCPHOST_E_NOMEM.  Adds a flaw only if both plugins are in one
 * folder, because a plugin of the user may replace a built-in plugin. */
static int
is_replaced(struct mcph_chatos_scan *scan, const struct mcph_chatos_plugin *plugin)
{
    struct mcph_chatos_plugin *other =
        mcph_map_get(&scan->apps->by_plugin, plugin->id, strlen(plugin->id));
    size_t len = strlen(scan->root);
    int r;

    if (!other)
        return 0;
    if (strncmp(other->dir, scan->root, len) != 0 || other->dir[len] != '/')
        return 1;
    r = add_flaw(scan, plugin->dir, plugin->id, NULL,
                 mcph_asprintf("the plugin in '%s' already has this id", other->dir));
    return r < 0 ? r : 1;
}

/* Adds a plugin, if it can be used.  Takes `plugin` over. */
static int
add_plugin(struct mcph_chatos_scan *scan, struct mcph_chatos_plugin *plugin)
{
    struct mcph_chatos_apps *apps = scan->apps;
    int r;

    if (plugin->report->status < 0) {
        r = add_rejection(scan, plugin);
        mcph_chatos_plugin_free(plugin);
        return r;
    }
    r = is_replaced(scan, plugin);
    if (r == 0)
        r = mcph_vec_reserve(&apps->plugins, 1);
    if (r == 0)
        r = mcph_map_put(&apps->by_plugin, plugin->id, strlen(plugin->id), plugin, NULL);
    if (r != 0) {
        mcph_chatos_plugin_free(plugin);
        return r < 0 ? r : 0;
    }
    mcph_vec_add(&apps->plugins, plugin);
    scan->plugin = plugin;
    return add_report(scan, plugin, NULL, plugin->report);
}

static int
read_manifest(struct mcph_chatos_scan *scan, const char *dir)
{
    struct mcph_chatos_plugin *plugin = NULL;
    char *shown = mcph_asprintf("%s/" MANIFEST, dir);
    mcphost_error *err = NULL;
    struct mcph_buf text;
    int r;

    if (!shown)
        return MCPHOST_E_NOMEM;
    r = read_file(scan, scan->dir, MANIFEST, shown, MCPH_CHATOS_MANIFEST_MAX, &text,
                  &err);
    if (r == 0)
        r = mcph_chatos_manifest_parse(text.data, text.len, shown, dir, &plugin);
    mcph_buf_done(&text);
    free(shown);
    if (plugin)
        return add_plugin(scan, plugin);
    if (r == MCPHOST_E_NOMEM || r == MCPHOST_E_NOTFOUND) {
        mcphost_error_unref(err);
        return r == MCPHOST_E_NOMEM ? r : 0;
    }
    return add_error(scan, dir, NULL, NULL, err);
}

static int
read_plugin(struct mcph_chatos_scan *scan, const char *name)
{
    char *dir = mcph_asprintf("%s/%s", scan->root, name);
    int r = 0;

    if (!dir)
        return MCPHOST_E_NOMEM;
    scan->dir = mcph_fd_high(
        mcph_open_beneath(scan->top, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK, false));
    scan->apps->failed |= scan->dir < 0 && is_passing(errno);
    if (scan->dir >= 0)
        r = read_manifest(scan, dir);
    else if (errno == ELOOP)
        r = add_flaw(
            scan, dir, NULL, NULL,
            mcph_asprintf("'%s' is a symbolic link, which is not followed", dir));
    else if (errno != ENOENT && errno != ENOTDIR)
        r = add_flaw(scan, dir, NULL, NULL,
                     mcph_asprintf("cannot open '%s': %s", dir, strerror(errno)));
    if (!scan->plugin)
        end_plugin(scan);
    free(dir);
    return r;
}

/* ---- a folder ---------------------------------------------------------------------- */

static bool
any_name(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void
close_folder(struct mcph_chatos_scan *scan)
{
    scan->top = close_fd(scan->top);
    mcph_dir_list_done(&scan->names);
    if (is_builtin(scan))
        free(scan->root);
    else
        scan->first = scan->root;
    scan->root = NULL;
    scan->next = 0;
    scan->open = false;
}

/* Makes the path of the present folder: the path that was set, or else ui_apps/plugins in
 * the state or project directory.  *ret_path is NULL if no path is known. */
static int
folder_path(const struct mcph_chatos_scan *scan, char **ret_path)
{
    char *const *paths = scan->apps->dirs.paths;
    const char *path = paths[folders[scan->folder]];
    const char *above =
        paths[is_builtin(scan) ? MCPHOST_CHATOS_PROJECT : MCPHOST_CHATOS_STATE];

    *ret_path = NULL;
    if (!path && !above)
        return 0;
    *ret_path = path ? mcph_strdup(path) : mcph_asprintf("%s/ui_apps/plugins", above);
    return *ret_path ? 0 : MCPHOST_E_NOMEM;
}

/* Maps the names of directories to the plugins of the last scan that are in this
 * folder. */
static int
find_known(const struct mcph_chatos_scan *scan, struct mcph_map *known)
{
    size_t len = strlen(scan->root);
    int r = 0;

    for (size_t i = 0; scan->before && i < scan->before->plugins.n && r == 0; i++) {
        struct mcph_chatos_plugin *plugin = scan->before->plugins.items[i];
        const char *name;

        if (strncmp(plugin->dir, scan->root, len) != 0 || plugin->dir[len] != '/')
            continue;
        name = plugin->dir + len + 1;
        r = mcph_map_put(known, name, strlen(name), plugin, NULL);
    }
    return r;
}

/* Moves plugins of the last scan to the front, so that a new plugin cannot take over the
 * id or name of an older plugin.  Returns 0 or MCPHOST_E_NOMEM. */
static int
put_known_first(struct mcph_chatos_scan *scan)
{
    struct mcph_vec *names = &scan->names, order = {0};
    struct mcph_map known = {0};
    int r = find_known(scan, &known);

    if (r == 0)
        r = mcph_vec_reserve(&order, names->n);
    for (int wanted = 1; wanted >= 0 && r == 0; wanted--) {
        for (size_t i = 0; i < names->n; i++) {
            const char *name = names->items[i];

            if ((mcph_map_get(&known, name, strlen(name)) != NULL) == (wanted == 1))
                mcph_vec_add(&order, names->items[i]);
        }
    }
    mcph_map_done(&known);
    if (r < 0)
        return r;
    mcph_vec_done(names);
    *names = order;
    return 0;
}

/* Makes the error for a folder that cannot be opened.  A missing folder gives
 * MCPHOST_E_NOTFOUND without a message, because it counts as a folder without plugins. */
static int
folder_error(const char *path, mcphost_error **reterr)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return MCPHOST_E_NOTFOUND;
    return mcph_err_os(reterr, errno, "cannot open '%s'", path);
}

/* Finds the real path of the folder, lists the folder and opens it.  If the folder is the
 * first folder again, scan->root becomes NULL. */
static int
list_folder(struct mcph_chatos_scan *scan, const char *path, mcphost_error **reterr)
{
    int r;

    scan->root = realpath(path, NULL);
    if (!scan->root)
        return folder_error(path, reterr);
    if (scan->first && strcmp(scan->root, scan->first) == 0) {
        free(scan->root); /* skip this folder, because both settings name it */
        scan->root = NULL;
        return 0;
    }
    r = mcph_dir_list(scan->root, any_name, MCPH_CHATOS_PLUGINS_MAX, &scan->names,
                      reterr);
    if (r < 0)
        return r;
    scan->top = mcph_fd_high(open(scan->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return scan->top < 0 ? folder_error(path, reterr) : put_known_first(scan);
}

/* Opens and lists a folder.  A missing folder has no plugins.  If a folder cannot be read
 * for another reason, marks the scan as failed, so that the result of the scan does not
 * take the place of an earlier result that has the plugins of the folder. */
static int
open_folder(struct mcph_chatos_scan *scan)
{
    mcphost_error *err = NULL;
    char *path;
    int r = folder_path(scan, &path);

    if (r < 0 || !path)
        return r;
    r = list_folder(scan, path, &err);
    scan->open = r == 0 && scan->top >= 0;
    if (r < 0 && r != MCPHOST_E_NOTFOUND && r != MCPHOST_E_NOMEM) {
        scan->apps->failed = true;
        r = add_error(scan, path, NULL, NULL, err);
    } else {
        mcphost_error_unref(err);
    }
    scan->n_flaws = 0;
    if (!scan->open)
        close_folder(scan);
    free(path);
    return r == MCPHOST_E_NOMEM ? r : 0;
}

/* Lists the names of the default lists once, so that the scan opens no file for an app
 * without a default list. */
static int
open_defaults(struct mcph_chatos_scan *scan)
{
    const char *path = scan->apps->dirs.paths[MCPHOST_CHATOS_DEFAULTS];
    mcphost_error *err = NULL;
    int r;

    if (!path)
        return 0;
    r = mcph_dir_list(path, any_name, MCPH_CHATOS_DEFAULTS_MAX, &scan->defaults, &err);
    if (r == 0) {
        scan->defaults_dir = mcph_fd_high(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (scan->defaults_dir < 0)
            r = mcph_err_os(&err, errno, "cannot open '%s'", path);
    }
    if (r == 0)
        return 0;
    mcph_dir_list_done(&scan->defaults);
    if (r == MCPHOST_E_NOTFOUND || r == MCPHOST_E_NOMEM) {
        mcphost_error_unref(err);
        return r == MCPHOST_E_NOMEM ? r : 0;
    }
    /* Mark the scan as failed, because an app without its default list may expose
     * everything (B.26).  The result of a failed scan does not replace the earlier
     * result. */
    scan->apps->failed = true;
    return add_error(scan, path, NULL, NULL, err);
}

/* ---- the scan ---------------------------------------------------------------------- */

int
mcph_chatos_scan_new(const struct mcph_chatos_dirs *dirs, struct mcph_chatos_apps *before,
                     struct mcph_chatos_scan **ret)
{
    struct mcph_chatos_scan *scan = calloc(1, sizeof(*scan));

    if (!scan)
        return MCPHOST_E_NOMEM;
    scan->before = mcph_chatos_apps_ref(before);
    scan->top = scan->dir = scan->defaults_dir = -1;
    scan->apps = mcph_chatos_apps_new();
    if (!scan->apps || mcph_chatos_dirs_copy(&scan->apps->dirs, dirs) < 0 ||
        open_defaults(scan) < 0) {
        mcph_chatos_scan_free(scan);
        return MCPHOST_E_NOMEM;
    }
    *ret = scan;
    return 0;
}

int
mcph_chatos_scan_step(struct mcph_chatos_scan *scan)
{
    int r = 0;

    if (scan->folder == MCPH_ARRAY_SIZE(folders))
        return 0;
    if (scan->plugin) {
        if (scan->app < scan->plugin->apps.n)
            r = read_app(scan);
        else
            end_plugin(scan);
    } else if (!scan->open) {
        r = open_folder(scan);
        scan->folder += scan->open || r < 0 ? 0 : 1;
    } else if (scan->next < scan->names.n) {
        r = read_plugin(scan, scan->names.items[scan->next++]);
    } else {
        close_folder(scan);
        scan->folder++;
    }
    if (r < 0)
        return r;
    return scan->folder < MCPH_ARRAY_SIZE(folders) ? 1 : 0;
}

struct mcph_chatos_apps *
mcph_chatos_scan_take(struct mcph_chatos_scan *scan)
{
    struct mcph_chatos_apps *apps = scan->apps;

    scan->apps = NULL;
    mcph_chatos_apps_sort(apps);
    return apps;
}

void
mcph_chatos_scan_free(struct mcph_chatos_scan *scan)
{
    if (!scan)
        return;
    end_plugin(scan);
    if (scan->root)
        close_folder(scan);
    free(scan->first);
    scan->defaults_dir = close_fd(scan->defaults_dir);
    mcph_dir_list_done(&scan->defaults);
    mcph_chatos_apps_unref(scan->apps);
    mcph_chatos_apps_unref(scan->before);
    free(scan);
}
