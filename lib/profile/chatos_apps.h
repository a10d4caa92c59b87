/* SPDX-License-Identifier: MIT
 *
 * chatos_apps.h - the apps of ChatOS plugins: folders that are read in steps, and what
 * was found there (R141, R142, B.20, B.25-B.28).
 *
 * A scan belongs to one thread.  What it has found is immutable: any thread may use it.
 */
#ifndef MCPH_PROFILE_CHATOS_APPS_H
#define MCPH_PROFILE_CHATOS_APPS_H

#include <mcphost/chatos.h>

#include "profile/chatos.h"

#define MCPH_CHATOS_N_DIRS (MCPHOST_CHATOS_SESSION + 1)

/* Limits of ours. */
#define MCPH_CHATOS_PLUGINS_MAX  4096                  /* names in a folder of plugins */
#define MCPH_CHATOS_DEFAULTS_MAX 10000                 /* names of default lists */
#define MCPH_CHATOS_PLUGIN_BYTES ((size_t)1024 * 1024) /* read of one plugin by a scan */
#define MCPH_CHATOS_SCAN_BYTES   ((size_t)256 * 1024 * 1024) /* read by one scan */
#define MCPH_CHATOS_FLAWS_MAX    1000                        /* of one scan */

struct mcph_chatos_dirs {
    char *paths[MCPH_CHATOS_N_DIRS]; /* by enum mcphost_chatos_dir; NULL: none */
};

void mcph_chatos_dirs_done(struct mcph_chatos_dirs *dirs);
/* 0, MCPHOST_E_NOMEM; then `to` is empty. */
int mcph_chatos_dirs_copy(struct mcph_chatos_dirs *to,
                          const struct mcph_chatos_dirs *from);

/* An app that can be used. */
struct mcph_chatos_entry {
    const struct mcph_chatos_plugin *plugin;
    const struct mcph_chatos_app *app;
    bool builtin;                                 /* its plugin is of the second folder */
    char *server;                                 /* "PLUGIN.APP" */
    char *normal;                                 /* its normal form; NULL: it has none */
    char *data_dir;                               /* NULL: there is no state directory */
    struct mcph_chatos_ai *in_file, *in_defaults; /* NULL: none */
    bool offers;                                  /* `offer` is set */
    struct mcph_chatos_offer offer;
    const char *no_server; /* why `offer.mcp` is of no use, a static text; or NULL */
};

/* Something that was found and cannot be used. */
struct mcph_chatos_flaw {
    char *dir;          /* absolute: the plugin's, or a folder of plugins */
    char *plugin, *app; /* ids; NULL: of no app, or not known */
    char *message;
    bool builtin;
};

struct mcph_chatos_apps {
    struct mcph_refs refs;
    struct mcph_chatos_dirs dirs; /* as they were then */
    struct mcph_vec plugins;      /* struct mcph_chatos_plugin *: each id once */
    struct mcph_vec entries;   /* struct mcph_chatos_entry *, in the order of plugins */
    struct mcph_vec flaws;     /* struct mcph_chatos_flaw * */
    size_t n_left_out;         /* flaws beyond MCPH_CHATOS_FLAWS_MAX */
    struct mcph_map by_plugin; /* id -> the same */
    struct mcph_map by_server; /* server name -> entry */
    struct mcph_map by_normal; /* its normal form, of which names of tools and prompts
                                   * are made -> the same */
    bool failed; /* a folder, or a plugin in it, could not be read for a reason that has
                  * nothing to do with it, such as too many open files */
};

struct mcph_chatos_apps *mcph_chatos_apps_ref(struct mcph_chatos_apps *apps);
/* Returns NULL; NULL is fine. */
struct mcph_chatos_apps *mcph_chatos_apps_unref(struct mcph_chatos_apps *apps);
/* 0, MCPHOST_E_NOTFOUND, MCPHOST_E_NOMEM.  *ret_entry is borrowed. */
int mcph_chatos_apps_find(const struct mcph_chatos_apps *apps, const char *plugin,
                          const char *app, const struct mcph_chatos_entry **ret_entry);
/* Where paths of the app lead, for callMeta and the environment; borrowed. */
struct mcph_chatos_place mcph_chatos_entry_place(const struct mcph_chatos_apps *apps,
                                                 const struct mcph_chatos_entry *entry);

/* ---- a scan (chatos_scan.c, chatos_found.c) ---------------------------------------- */

struct mcph_chatos_scan;

/* `dirs` is copied.  `before`, of which the scan takes a reference, is what there is
 * (NULL: nothing): plugins that are in it go before new ones of their folder, so that
 * nobody takes over an id or a name.  0, MCPHOST_E_NOMEM. */
int mcph_chatos_scan_new(const struct mcph_chatos_dirs *dirs,
                         struct mcph_chatos_apps *before, struct mcph_chatos_scan **ret);
/* Reads the next folder, manifest or app.  1: there is more to read; 0: that was the
 * last; MCPHOST_E_NOMEM. */
int mcph_chatos_scan_step(struct mcph_chatos_scan *scan);
/* What was found, after the last step; a reference. */
struct mcph_chatos_apps *mcph_chatos_scan_take(struct mcph_chatos_scan *scan);
void mcph_chatos_scan_free(struct mcph_chatos_scan *scan); /* NULL is fine */

/* ---- for the scan alone ------------------------------------------------------------ */

struct mcph_chatos_apps *mcph_chatos_apps_new(void); /* NULL: out of memory */
/* Notes what cannot be used.  Takes `message` over; NULL: out of memory.  `plugin` and
 * `app` may be NULL.  0, MCPHOST_E_NOMEM. */
int mcph_chatos_apps_add_flaw(struct mcph_chatos_apps *apps, bool builtin,
                              const char *dir, const char *plugin, const char *app,
                              char *message);
/* Takes the entry over in any case.  If an earlier app has its server's name, or one of
 * the same normal form, a flaw says so, and the entry is freed.  0, MCPHOST_E_NOMEM. */
int mcph_chatos_apps_add_entry(struct mcph_chatos_apps *apps,
                               struct mcph_chatos_entry *entry);
/* Puts the entries into the order of folders, directories and manifests. */
void mcph_chatos_apps_sort(struct mcph_chatos_apps *apps);
void mcph_chatos_entry_free(struct mcph_chatos_entry *entry);

/* ---- as JSON (chatos_rows.c) ------------------------------------------------------- */

/* Appends an array with a row for each app and each flaw; the flaws are those of `failed`
 * if it is not NULL.  0, MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
int mcph_chatos_put_rows(const struct mcph_chatos_apps *apps,
                         const struct mcph_chatos_apps *failed, struct mcph_buf *buf);
/* Appends the text of its prompt, from the manifest or from its file.  0;
 * MCPHOST_E_NOTFOUND without an error: it has none in this language, or with one: the
 * file is missing; or another code with an error. */
int mcph_chatos_read_prompt(const struct mcph_chatos_entry *entry, int language,
                            struct mcph_buf *buf, mcphost_error **reterr);
/* Appends the record of its own server, or null.  0, MCPHOST_E_NOMEM. */
int mcph_chatos_put_server(const struct mcph_chatos_entry *entry, struct mcph_buf *buf);
/* Appends what an app contributes: its server's URL, the texts of its prompts, what it
 * exposes.  Reads the files of prompts.  0, MCPHOST_E_NOTFOUND (no such app),
 * MCPHOST_E_NOMEM, MCPHOST_E_LIMIT. */
int mcph_chatos_put_contribution(const struct mcph_chatos_apps *apps, const char *plugin,
                                 const char *app, struct mcph_buf *buf,
                                 mcphost_error **reterr);

#endif
