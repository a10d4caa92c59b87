/* SPDX-License-Identifier: MIT
 *
 * chatos_apps.h - scan folders of ChatOS plugins for apps, in steps (R141, R142, B.20,
 * B.25-B.28).
 *
 * Only one thread may use a scan.  Any thread may use the result of a scan, because the
 * result never changes.
 */
#ifndef MCPH_PROFILE_CHATOS_APPS_H
#define MCPH_PROFILE_CHATOS_APPS_H

#include <mcphost/chatos.h>

#include "profile/chatos.h"

#define MCPH_CHATOS_N_DIRS (MCPHOST_CHATOS_SESSION + 1)

/* Limits of this library. */
#define MCPH_CHATOS_PLUGINS_MAX  4096                  /* names in a folder of plugins */
#define MCPH_CHATOS_DEFAULTS_MAX 10000                 /* names of default lists */
#define MCPH_CHATOS_PLUGIN_BYTES ((size_t)1024 * 1024) /* bytes read of a plugin */
#define MCPH_CHATOS_SCAN_BYTES   ((size_t)256 * 1024 * 1024) /* bytes read in a scan */
#define MCPH_CHATOS_FLAWS_MAX    1000                        /* flaws in a scan result */

struct mcph_chatos_dirs {
    char *paths[MCPH_CHATOS_N_DIRS]; /* indexed by enum mcphost_chatos_dir; NULL if not
                                      * set */
};

void mcph_chatos_dirs_done(struct mcph_chatos_dirs *dirs);
/* Copies `from` to `to`.  Returns 0 or MCPHOST_E_NOMEM.  On failure, `to` is empty. */
int mcph_chatos_dirs_copy(struct mcph_chatos_dirs *to,
                          const struct mcph_chatos_dirs *from);

/* An app that can be used. */
struct mcph_chatos_entry {
    const struct mcph_chatos_plugin *plugin;
    const struct mcph_chatos_app *app;
    bool builtin;   /* the plugin is a built-in plugin */
    char *server;   /* "PLUGIN.APP" */
    char *normal;   /* normal form of `server`; NULL if it has none */
    char *data_dir; /* NULL if no state directory is set */
    struct mcph_chatos_ai *in_file, *in_defaults; /* contributions of ai.config
                                                   * (`in_file`) and of a default
                                                   * list (`in_defaults`), or NULL */
    bool offers;                                  /* `offer` is set */
    struct mcph_chatos_offer offer;
    const char *no_server; /* static text with the reason why `offer.mcp` is unusable,
                            * or NULL */
};

/* A plugin, an app or a part of an app that cannot be used. */
struct mcph_chatos_flaw {
    char *dir;          /* absolute path of the plugin or of a folder */
    char *plugin, *app; /* ids, or NULL if the flaw has no known plugin or app */
    char *message;
    bool builtin;
};

struct mcph_chatos_apps {
    struct mcph_refs refs;
    struct mcph_chatos_dirs dirs; /* directories at the time of the scan */
    struct mcph_vec plugins;      /* struct mcph_chatos_plugin *, with unique ids */
    struct mcph_vec entries;   /* struct mcph_chatos_entry *, sorted when the scan ends */
    struct mcph_vec flaws;     /* struct mcph_chatos_flaw * */
    size_t n_left_out;         /* number of flaws beyond MCPH_CHATOS_FLAWS_MAX */
    struct mcph_map by_plugin; /* maps ids to plugins */
    struct mcph_map by_server; /* maps server names to entries */
    /* Maps the normal form of a server name to the entry.  No two entries have the same
     * normal form, because the library makes the names of tools and prompts from it. */
    struct mcph_map by_normal;
    /* True if the scan failed to read a folder, a plugin or the default lists for a
     * reason outside of the plugins, for example too many open files. */
    bool failed;
};

struct mcph_chatos_apps *mcph_chatos_apps_ref(struct mcph_chatos_apps *apps);
/* Drops a reference.  Returns NULL.  `apps` may be NULL. */
struct mcph_chatos_apps *mcph_chatos_apps_unref(struct mcph_chatos_apps *apps);
/* Finds an app.  *ret_entry is borrowed.  Returns 0, MCPHOST_E_NOTFOUND or
 * MCPHOST_E_NOMEM. */
int mcph_chatos_apps_find(const struct mcph_chatos_apps *apps, const char *plugin,
                          const char *app, const struct mcph_chatos_entry **ret_entry);
/* Returns the ids and directories of an app.  Callers put them into the `_meta` of calls
 * and into the environment of the app's server.  The texts are borrowed. */
struct mcph_chatos_place mcph_chatos_entry_place(const struct mcph_chatos_apps *apps,
                                                 const struct mcph_chatos_entry *entry);

/* ---- a scan (chatos_scan.c) -------------------------------------------------------- */

struct mcph_chatos_scan;

/* Starts a scan.  Copies `dirs`.  `before` is the result of the last scan, or NULL.  The
 * scan takes a reference to `before`.  In each folder, the scan reads the plugins of
 * `before` first, so that a new plugin cannot take over the id or name of an older
 * plugin.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_chatos_scan_new(const struct mcph_chatos_dirs *dirs,
                         struct mcph_chatos_apps *before, struct mcph_chatos_scan **ret);
/* Reads the next folder, manifest or app.  Returns 1 if there is more to read, 0 if the
 * scan is over, or MCPHOST_E_NOMEM. */
int mcph_chatos_scan_step(struct mcph_chatos_scan *scan);
/* Returns a reference to the result.  Call this function after the last step. */
struct mcph_chatos_apps *mcph_chatos_scan_take(struct mcph_chatos_scan *scan);
void mcph_chatos_scan_free(struct mcph_chatos_scan *scan); /* NULL is allowed */

/* ---- for chatos_scan.c only -------------------------------------------------------- */

struct mcph_chatos_apps *mcph_chatos_apps_new(void); /* NULL if memory is short */
/* Adds a flaw.  Takes over `message`.  If `message` is NULL, returns MCPHOST_E_NOMEM.
 * `plugin` and `app` may be NULL.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_chatos_apps_add_flaw(struct mcph_chatos_apps *apps, bool builtin,
                              const char *dir, const char *plugin, const char *app,
                              char *message);
/* Adds an entry and takes it over, also on failure.  If the server of an earlier app has
 * the same name or the same normal form, frees the entry and adds a flaw.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_chatos_apps_add_entry(struct mcph_chatos_apps *apps,
                               struct mcph_chatos_entry *entry);
/* Sorts the entries by folder (the user's plugins first), by the plugin's directory, and
 * by the app's place in the manifest. */
void mcph_chatos_apps_sort(struct mcph_chatos_apps *apps);
void mcph_chatos_entry_free(struct mcph_chatos_entry *entry);

/* ---- as JSON (chatos_rows.c) ------------------------------------------------------- */

/* Appends an array with a row for each app and each flaw and, if flaws are left out, a
 * row with their number.  If `failed` is not NULL, takes the flaws from `failed`.
 * Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_LIMIT. */
int mcph_chatos_put_rows(const struct mcph_chatos_apps *apps,
                         const struct mcph_chatos_apps *failed, struct mcph_buf *buf);
/* Appends the text of the app's prompt, from the manifest or from the prompt's file.
 * Returns 0 or an error code.  If the code is MCPHOST_E_NOTFOUND and *reterr is not set,
 * there is no prompt in this language.  If the code is MCPHOST_E_NOTFOUND and *reterr is
 * set, the prompt's file or the plugin's directory is missing.  With any other code,
 * *reterr is set if the prompt is in a file. */
int mcph_chatos_read_prompt(const struct mcph_chatos_entry *entry, int language,
                            struct mcph_buf *buf, mcphost_error **reterr);
/* Appends the record of the app's own server, or null if the app has no server that can
 * be used.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_chatos_put_server(const struct mcph_chatos_entry *entry, struct mcph_buf *buf);
/* Appends the contribution of an app: its server with the URL, the texts of its prompts,
 * its agent, the names that it exposes, and its errors.  Reads the files of prompts.
 * Returns 0, MCPHOST_E_NOTFOUND if the app does not exist, MCPHOST_E_NOMEM or
 * MCPHOST_E_LIMIT. */
int mcph_chatos_put_contribution(const struct mcph_chatos_apps *apps, const char *plugin,
                                 const char *app, struct mcph_buf *buf,
                                 mcphost_error **reterr);

#endif
