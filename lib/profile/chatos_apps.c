/* SPDX-License-Identifier: MIT
 *
 * chatos_apps.c - the result of a scan: apps that can be used, and flaws.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos_apps.h"

/* ---- directories ------------------------------------------------------------------- */

void
mcph_chatos_dirs_done(struct mcph_chatos_dirs *dirs)
{
    for (size_t i = 0; i < MCPH_CHATOS_N_DIRS; i++)
        free(dirs->paths[i]);
    memset(dirs, 0, sizeof(*dirs));
}

int
mcph_chatos_dirs_copy(struct mcph_chatos_dirs *to, const struct mcph_chatos_dirs *from)
{
    memset(to, 0, sizeof(*to));
    for (size_t i = 0; i < MCPH_CHATOS_N_DIRS; i++) {
        if (!from->paths[i])
            continue;
        to->paths[i] = mcph_strdup(from->paths[i]);
        if (!to->paths[i]) {
            mcph_chatos_dirs_done(to);
            return MCPHOST_E_NOMEM;
        }
    }
    return 0;
}

/* ---- the objects ------------------------------------------------------------------- */

static void
flaw_free(struct mcph_chatos_flaw *flaw)
{
    free(flaw->dir);
    free(flaw->plugin);
    free(flaw->app);
    free(flaw->message);
    free(flaw);
}

void
mcph_chatos_entry_free(struct mcph_chatos_entry *entry)
{
    if (!entry)
        return;
    mcph_chatos_ai_free(entry->in_file);
    mcph_chatos_ai_free(entry->in_defaults);
    free(entry->server);
    free(entry->normal);
    free(entry->data_dir);
    free(entry);
}

struct mcph_chatos_apps *
mcph_chatos_apps_new(void)
{
    struct mcph_chatos_apps *apps = calloc(1, sizeof(*apps));

    if (apps)
        mcph_refs_init(&apps->refs);
    return apps;
}

struct mcph_chatos_apps *
mcph_chatos_apps_ref(struct mcph_chatos_apps *apps)
{
    if (apps)
        mcph_refs_get(&apps->refs);
    return apps;
}

struct mcph_chatos_apps *
mcph_chatos_apps_unref(struct mcph_chatos_apps *apps)
{
    if (!apps || !mcph_refs_put(&apps->refs))
        return NULL;
    for (size_t i = 0; i < apps->entries.n; i++)
        mcph_chatos_entry_free(apps->entries.items[i]);
    for (size_t i = 0; i < apps->plugins.n; i++)
        mcph_chatos_plugin_free(apps->plugins.items[i]);
    for (size_t i = 0; i < apps->flaws.n; i++)
        flaw_free(apps->flaws.items[i]);
    mcph_vec_done(&apps->entries);
    mcph_vec_done(&apps->plugins);
    mcph_vec_done(&apps->flaws);
    mcph_map_done(&apps->by_plugin);
    mcph_map_done(&apps->by_server);
    mcph_map_done(&apps->by_normal);
    mcph_chatos_dirs_done(&apps->dirs);
    free(apps);
    return NULL;
}

/* ---- filling ----------------------------------------------------------------------- */

/* Copies a text.  Returns NULL if `text` is NULL.  If there is no memory, sets *ok to
 * false and returns NULL. */
static char *
copy_text(const char *text, bool *ok)
{
    char *copied = text ? mcph_strdup(text) : NULL;

    *ok = *ok && (!text || copied);
    return copied;
}

int
mcph_chatos_apps_add_flaw(struct mcph_chatos_apps *apps, bool builtin, const char *dir,
                          const char *plugin, const char *app, char *message)
{
    struct mcph_chatos_flaw *flaw;
    bool ok = message != NULL;

    if (ok && apps->flaws.n == MCPH_CHATOS_FLAWS_MAX) {
        free(message);
        apps->n_left_out++;
        return 0;
    }
    flaw = ok ? calloc(1, sizeof(*flaw)) : NULL;
    if (!flaw) {
        free(message);
        return MCPHOST_E_NOMEM;
    }
    flaw->builtin = builtin;
    flaw->message = message;
    flaw->dir = copy_text(dir, &ok);
    flaw->plugin = copy_text(plugin, &ok);
    flaw->app = copy_text(app, &ok);
    if (ok && mcph_vec_add(&apps->flaws, flaw) == 0)
        return 0;
    flaw_free(flaw);
    return MCPHOST_E_NOMEM;
}

/* Finds the app whose server has the same name or the same normal form as this entry's
 * server.  Returns NULL if no app matches. */
static const struct mcph_chatos_entry *
find_holder(const struct mcph_chatos_apps *apps, const struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_entry *holder =
        mcph_map_get(&apps->by_server, entry->server, strlen(entry->server));

    if (holder || !entry->normal)
        return holder;
    return mcph_map_get(&apps->by_normal, entry->normal, strlen(entry->normal));
}

static int
refuse_entry(struct mcph_chatos_apps *apps, const struct mcph_chatos_entry *entry,
             const struct mcph_chatos_entry *holder)
{
    return mcph_chatos_apps_add_flaw(
        apps, entry->builtin, entry->plugin->dir, entry->plugin->id, entry->app->id,
        mcph_asprintf("its server would be called '%s', but app '%s' of plugin '%s' "
                      "already has '%s'",
                      entry->server, holder->app->id, holder->plugin->id,
                      holder->server));
}

static int
keep_entry(struct mcph_chatos_apps *apps, struct mcph_chatos_entry *entry)
{
    int r = mcph_vec_reserve(&apps->entries, 1);

    if (r == 0)
        r = mcph_map_reserve(&apps->by_server, 1);
    if (r == 0 && entry->normal)
        r = mcph_map_put(&apps->by_normal, entry->normal, strlen(entry->normal), entry,
                         NULL);
    if (r == 0)
        r = mcph_map_put(&apps->by_server, entry->server, strlen(entry->server), entry,
                         NULL);
    if (r == 0)
        mcph_vec_add(&apps->entries, entry);
    return r;
}

int
mcph_chatos_apps_add_entry(struct mcph_chatos_apps *apps, struct mcph_chatos_entry *entry)
{
    const struct mcph_chatos_entry *holder;
    int r = mcph_chatos_normalize(entry->server, &entry->normal);

    if (r == MCPHOST_E_NOMEM) {
        mcph_chatos_entry_free(entry);
        return r;
    }
    holder = find_holder(apps, entry);
    r = holder ? refuse_entry(apps, entry, holder) : keep_entry(apps, entry);
    if (holder || r < 0)
        mcph_chatos_entry_free(entry);
    return r;
}

static int
compare_places(const struct mcph_chatos_app *a, const struct mcph_chatos_app *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int
compare_entries(const void *a, const void *b)
{
    const struct mcph_chatos_entry *const *ea = a, *const *eb = b;
    int order;

    if ((*ea)->builtin != (*eb)->builtin)
        return (*ea)->builtin ? 1 : -1;
    order = strcmp((*ea)->plugin->dir, (*eb)->plugin->dir);
    return order != 0 ? order : compare_places((*ea)->app, (*eb)->app);
}

void
mcph_chatos_apps_sort(struct mcph_chatos_apps *apps)
{
    if (apps->entries.n > 0)
        qsort(apps->entries.items, apps->entries.n, sizeof(void *), compare_entries);
}

/* ---- looking up -------------------------------------------------------------------- */

int
mcph_chatos_apps_find(const struct mcph_chatos_apps *apps, const char *plugin,
                      const char *app, const struct mcph_chatos_entry **ret_entry)
{
    char *name = mcph_asprintf("%s.%s", plugin, app);
    const struct mcph_chatos_entry *entry;

    if (!name)
        return MCPHOST_E_NOMEM;
    entry = mcph_map_get(&apps->by_server, name, strlen(name));
    free(name);
    if (!entry || strcmp(entry->plugin->id, plugin) != 0 ||
        strcmp(entry->app->id, app) != 0)
        return MCPHOST_E_NOTFOUND;
    *ret_entry = entry;
    return 0;
}

struct mcph_chatos_place
mcph_chatos_entry_place(const struct mcph_chatos_apps *apps,
                        const struct mcph_chatos_entry *entry)
{
    char *const *paths = apps->dirs.paths;

    return (struct mcph_chatos_place){
        .plugin_id = entry->plugin->id,
        .app_id = entry->app->id,
        .plugin_dir = entry->plugin->dir,
        .data_dir = entry->data_dir,
        .state_dir = paths[MCPHOST_CHATOS_STATE],
        .session_root = paths[MCPHOST_CHATOS_SESSION],
        .project_root = paths[MCPHOST_CHATOS_PROJECT],
    };
}
