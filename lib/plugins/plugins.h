/* SPDX-License-Identifier: MIT
 *
 * plugins.h - interface of lib/plugins: load the shared objects of a directory as
 * providers of a source.
 *
 *   directory --scan.c--> files --file.c--> sealed copies --module.c--> modules
 *   modules --setup.c--> providers --host/native.h--> servers of the source
 *
 * No other folder of lib/ loads code.  The constructors, the entry, the setup, the
 * teardown and the destructors of a module are user code and run in deliveries (for the
 * destructors, see struct mcph_module).  Each turn of the dispatcher does one step of the
 * work.  Functions and data belong to the dispatcher unless their comment says otherwise.
 */
#ifndef MCPH_PLUGINS_PLUGINS_H
#define MCPH_PLUGINS_PLUGINS_H

#include "host/host.h"
#include "host/native.h"
#include "host/request.h"

#include <mcphost/plugin.h>
#include <mcphost/plugins.h>

/* False if the library was built without lib/plugins (--disable-plugins). */
extern const bool mcph_plugins_is_built;

#define MCPH_PLUGINS_MAX      1000 /* limit on the files of plugins in a directory */
#define MCPH_PLUGIN_BYTES_MAX ((off_t)64 * 1024 * 1024) /* limit on the bytes of a file */

/* ---- files (file.c) ---------------------------------------------------------------- */

/* A file that is being copied into memory. */
struct mcph_copy {
    int from, to; /* descriptors of the file and of the memory; -1 if not open */
    off_t size, done;
    struct mcph_file_sig sig;
};

/* Opens the directory of plugins.  Returns 0, MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED if the
 * path is not a directory or the directory is not safe, or another error code. */
int mcph_plugins_open_dir(const char *path, int *ret_fd, mcphost_error **reterr);
/* Opens and checks the file `name` in the directory `dir`, and makes the memory for its
 * copy. */
int mcph_copy_begin(struct mcph_copy *copy, int dir, const char *name,
                    mcphost_error **reterr);
/* Copies a part of the file.  Returns 1 if more is left, 0 if the copy is complete and
 * sealed, or an error code. */
int mcph_copy_step(struct mcph_copy *copy, const char *name, mcphost_error **reterr);
void mcph_copy_end(struct mcph_copy *copy);

/* ---- modules (module.c) ------------------------------------------------------------ */

/* The declaration that the entry of a plugin makes. */
struct mcphost_plugin {
    unsigned declared; /* how many declarations the entry has made */
    int abi, kind;
    mcphost_setup_fn setup;
    mcphost_teardown_fn teardown;
};

/* A loaded shared object.  When the last reference is dropped, a delivery unloads the
 * object.  If no thread runs deliveries any more, the thread that drops the reference
 * unloads the object. */
struct mcph_module {
    struct mcph_code code;
    struct mcph_core *core; /* holds a reference */
    void *handle;
    struct mcphost_plugin said;
    struct mcph_delivery unload;
};

/* Loads the object in `fd` and calls its entry.  Both steps run user code.  Error
 * messages call the object `name`. */
int mcph_module_load(struct mcph_core *core, int fd, const char *name,
                     struct mcph_module **ret, mcphost_error **reterr);
/* Drops a reference and returns NULL.  `module` may be NULL.  This function may be called
 * on any thread. */
struct mcph_module *mcph_module_unref(struct mcph_module *module);

/* ---- settings (settings.c) --------------------------------------------------------- */

/* Reads and checks the JSON configuration of plugins.  Returns 0, MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_plugins_load_config(struct mcph_span json, struct json_t **ret_config,
                             mcphost_error **reterr);
/* Checks whether the configuration disables a plugin.  If `config` is NULL (there is no
 * configuration), no plugin is disabled. */
bool mcph_plugins_is_disabled(const struct json_t *config, const char *id);
/* Makes the settings of one plugin.  *ret_settings contains the values of variables.
 * *ret_shown contains the text "${NAME}" in place of each value.  The caller owns both
 * objects.  Both objects are NULL if there are no settings.  Returns 0, MCPHOST_E_LIMIT
 * if the values have more than 1 MiB, or MCPHOST_E_NOMEM. */
int mcph_plugins_settings(mcphost *host, const struct json_t *config, const char *id,
                          struct json_t **ret_settings, struct json_t **ret_shown);

/* ---- plugins (plugins.c, scan.c, setup.c) ------------------------------------------ */

enum {
    MCPH_PLUGIN_IDLE,  /* the plugin has no provider */
    MCPH_PLUGIN_SETUP, /* the setup is running or due */
    MCPH_PLUGIN_UP,    /* the provider is set up, but is no server yet */
    MCPH_PLUGIN_SHOWN,
    MCPH_PLUGIN_ENDING /* the teardown is not over */
};

struct mcph_plugin {
    mcphost_plugins *plugins;
    char *id, *file, *path;   /* `file` is a name, `path` is absolute */
    bool found;               /* the file was in the last listing */
    bool wanted;              /* the configuration does not disable the plugin */
    bool stale;               /* the file must be loaded */
    struct mcph_file_sig sig; /* signature of the file that was last loaded or refused */
    struct mcph_watch *watch;
    struct mcph_module *next; /* the loaded module to be set up next */
    int phase;                /* MCPH_PLUGIN_* */
    mcphost_provider *provider;
    struct mcph_listener listener;

    /* The lock of plugins->core protects the following members. */
    int kind, state;
    mcphost_error *error;
};

struct mcphost_plugins {
    struct mcph_refs refs;
    mcphost *host;                 /* its memory is kept alive with `source` */
    struct mcphost_source *source; /* kept alive by mcph_native_keep_source() */
    struct mcph_core *core;        /* reference to the host's core */
    char *dir;

    /* The lock of `core` protects the members from here to `items`.  `config`, `only` and
     * `reload` are constant after the first scan. */
    struct json_t *config;
    char *only;
    int reload; /* MCPHOST_RELOAD_* */
    bool scanned, closed, scan_due;
    bool busy; /* there is work to do */
    struct mcph_job order;
    /* Holds struct mcph_plugin * in the order of ids.  Only the dispatcher changes the
     * list. */
    struct mcph_vec items;

    /* Tells when the host closes.  The tap holds a reference to this object. */
    struct mcph_tap tap;
    bool begun, over; /* `begun`: the tap was added; `over`: the tap was removed */
    bool list_due;    /* the directory must be read */
    struct mcph_job step;
    bool stepping; /* `step` is posted, or a delivery continues the work */
    struct mcph_watcher *watcher;
    struct mcph_watch *watch;
    struct mcph_timer again; /* repeats a listing that failed */
    struct mcph_plugin *loading;
    struct mcph_copy copy;
    struct mcph_delivery load;
    bool complained; /* a problem of the directory is raised */
};

/* Does the next step in the next turn of the dispatcher. */
void mcph_plugins_step_soon(mcphost_plugins *plugins);
/* These functions of scan.c read the directory, begin to follow it, and stop following
 * it. */
void mcph_plugins_list(mcphost_plugins *plugins);
void mcph_plugins_follow(mcphost_plugins *plugins);
void mcph_plugins_unfollow(mcphost_plugins *plugins);
/* Sets the state and the error of a plugin.  Takes a reference to `error`. */
void mcph_plugin_set_state(struct mcph_plugin *plugin, int state, mcphost_error *error);
/* Raises the plugin's problem with the message of `error`.  If `error` is NULL, clears
 * the problem. */
void mcph_plugin_tell(struct mcph_plugin *plugin, mcphost_error *error);
/* Reports that the file of a plugin is refused, and takes `error` over.  If the plugin's
 * provider is already a server, the provider stays. */
void mcph_plugin_refuse(struct mcph_plugin *plugin, mcphost_error *error);
void mcph_plugin_free(struct mcph_plugin *plugin);

/* These functions of setup.c make a provider from the module of a plugin, show the
 * provider as a server, and end the provider. */
void mcph_plugin_begin(struct mcph_plugin *plugin); /* sets up plugin->next */
void mcph_plugin_show(struct mcph_plugin *plugin);
void mcph_plugin_end(struct mcph_plugin *plugin);

/* The functions below implement the public functions mcphost_plugins_*().  Any thread may
 * call the functions below. */
int mcph_plugins_new(struct mcphost_source *source, const char *dir,
                     mcphost_plugins **ret, mcphost_error **reterr);
mcphost_plugins *mcph_plugins_ref(mcphost_plugins *plugins);
mcphost_plugins *mcph_plugins_unref(mcphost_plugins *plugins);
int mcph_plugins_set_config(mcphost_plugins *plugins, struct mcph_span json,
                            mcphost_error **reterr);
int mcph_plugins_set_only(mcphost_plugins *plugins, const char *id);
int mcph_plugins_set_reload(mcphost_plugins *plugins, int mode);
int mcph_plugins_scan(mcphost_plugins *plugins);
int mcph_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms);
int mcph_plugins_close(mcphost_plugins *plugins);

/* ---- rows (rows.c) ----------------------------------------------------------------- */

struct mcph_plugin_row {
    char *id, *file;
    int kind, state;
    mcphost_error *error;
};

struct mcphost_plugin_rows {
    struct mcph_refs refs;
    struct mcph_plugin_row *rows;
    size_t n;
};

int mcph_plugin_rows_new(mcphost_plugins *plugins, mcphost_plugin_rows **ret);
mcphost_plugin_rows *mcph_plugin_rows_unref(mcphost_plugin_rows *rows);

#endif
