/* SPDX-License-Identifier: MIT
 *
 * plugins.h - the room `plugins`: a directory of shared objects, each of which becomes a
 * provider of a source.
 *
 *   directory --scan.c--> files --file.c--> sealed copies --module.c--> modules
 *   modules --setup.c--> providers --host/native.h--> servers of the source
 *
 * The only room that loads code.  A module's constructors, its entry, its setup, its
 * teardown and its destructors are user code: they run by deliveries.  One step of the
 * work is one turn of the loop.  Everything is the dispatcher's, except what is marked.
 */
#ifndef MCPH_PLUGINS_PLUGINS_H
#define MCPH_PLUGINS_PLUGINS_H

#include "host/host.h"
#include "host/native.h"
#include "host/request.h"

#include <mcphost/plugin.h>
#include <mcphost/plugins.h>

#define MCPH_PLUGINS_MAX      1000                      /* files of a directory */
#define MCPH_PLUGIN_BYTES_MAX ((off_t)64 * 1024 * 1024) /* of a file */

/* ---- files (file.c) ---------------------------------------------------------------- */

/* A file on its way into memory. */
struct mcph_copy {
    int from, to; /* -1: none */
    off_t size, done;
    struct mcph_file_sig sig;
};

/* Opens the directory.  0, MCPHOST_E_NOTFOUND, MCPHOST_E_DENIED (it is not safe), or
 * another code with the detail. */
int mcph_plugins_open_dir(const char *path, int *ret_fd, mcphost_error **reterr);
/* Opens a file of it and judges it. */
int mcph_copy_begin(struct mcph_copy *copy, int dir, const char *name,
                    mcphost_error **reterr);
/* Copies a part.  1: there is more; 0: all is there, and sealed. */
int mcph_copy_step(struct mcph_copy *copy, const char *name, mcphost_error **reterr);
void mcph_copy_end(struct mcph_copy *copy);

/* ---- modules (module.c) ------------------------------------------------------------ */

/* What an entry says of its plugin, while it runs. */
struct mcphost_plugin {
    unsigned declared; /* how often */
    int abi, kind;
    mcphost_setup_fn setup;
    mcphost_teardown_fn teardown;
};

/* Code that was loaded.  The last reference unloads it by a delivery. */
struct mcph_module {
    struct mcph_code code;
    struct mcph_core *core; /* a reference */
    void *handle;
    struct mcphost_plugin said;
    struct mcph_delivery unload;
};

/* User code.  Loads what the descriptor has, and asks its entry.  `name` is for
 * messages. */
int mcph_module_load(struct mcph_core *core, int fd, const char *name,
                     struct mcph_module **ret, mcphost_error **reterr);
/* Any thread.  Returns NULL; NULL is fine. */
struct mcph_module *mcph_module_unref(struct mcph_module *module);

/* ---- settings (settings.c) --------------------------------------------------------- */

/* 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_plugins_check_config(struct mcph_span json, mcphost_error **reterr);
/* `config` NULL: none, as below. */
bool mcph_plugins_is_disabled(const char *config, const char *id);
/* A plugin's own, with the variables (*ret_json) and with their names (*ret_shown) in it;
 * both NULL: there is none. */
int mcph_plugins_settings(mcphost *host, const char *config, const char *id,
                          char **ret_json, char **ret_shown);

/* ---- plugins (plugins.c, scan.c, setup.c) ------------------------------------------ */

enum {
    MCPH_PLUGIN_IDLE,  /* it has no provider */
    MCPH_PLUGIN_SETUP, /* its setup is on its way */
    MCPH_PLUGIN_UP,    /* can be shown */
    MCPH_PLUGIN_SHOWN,
    MCPH_PLUGIN_ENDING /* until its teardown has run */
};

struct mcph_plugin {
    mcphost_plugins *plugins;
    char *id, *file, *path;   /* `file`: its name; `path`: with the directory */
    bool found;               /* in the last listing */
    bool wanted;              /* by the configuration */
    bool stale;               /* the file is to be loaded */
    struct mcph_file_sig sig; /* of the file that was tried last */
    struct mcph_watch *watch;
    struct mcph_module *next; /* loaded, to be set up */
    int phase;                /* MCPH_PLUGIN_* */
    mcphost_provider *provider;
    struct mcph_listener listener;

    /* under the lock */
    int kind, state;
    mcphost_error *error;
};

struct mcphost_plugins {
    struct mcph_refs refs;
    mcphost *host;                 /* kept by the source */
    struct mcphost_source *source; /* kept: mcph_native_keep_source() */
    struct mcph_core *core;        /* the host's */
    char *dir;

    /* under the lock */
    char *config, *only; /* until the scan */
    int reload;          /* MCPHOST_RELOAD_* */
    bool scanned, closed, scan_due;
    bool busy; /* something is to be done */
    struct mcph_job order;
    struct mcph_vec items; /* struct mcph_plugin *, by id; changed by the dispatcher */

    struct mcph_tap tap;
    bool begun, over; /* the tap is there, with a reference; it was taken out */
    bool list_due;    /* the directory is to be read */
    struct mcph_job step;
    bool stepping; /* it is posted, or a delivery will go on */
    struct mcph_watcher *watcher;
    struct mcph_watch *watch;
    struct mcph_timer again; /* a directory that is refused is looked at again */
    struct mcph_plugin *loading;
    struct mcph_copy copy;
    struct mcph_delivery load;
    bool complained; /* there is a problem of the directory */
};

/* The work goes on in the next turn. */
void mcph_plugins_step_soon(mcphost_plugins *plugins);
/* scan.c: reads the directory, begins to follow it. */
void mcph_plugins_list(mcphost_plugins *plugins);
void mcph_plugins_follow(mcphost_plugins *plugins);
void mcph_plugins_unfollow(mcphost_plugins *plugins);
void mcph_plugin_set_state(struct mcph_plugin *plugin, int state, mcphost_error *error);
/* What the error says becomes the plugin's problem; NULL: it has none. */
void mcph_plugin_tell(struct mcph_plugin *plugin, mcphost_error *error);
/* Takes the error over: its file is refused; what runs goes on. */
void mcph_plugin_refuse(struct mcph_plugin *plugin, mcphost_error *error);
void mcph_plugin_free(struct mcph_plugin *plugin);

/* setup.c */
void mcph_plugin_begin(struct mcph_plugin *plugin); /* `next` is set up */
void mcph_plugin_show(struct mcph_plugin *plugin);
void mcph_plugin_end(struct mcph_plugin *plugin);

/* Any thread; as the public functions. */
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
