/* SPDX-License-Identifier: MIT
 *
 * rows.c - take a snapshot of the plugins: a row with state and error for each file.
 */
#include <stdlib.h>

#include "plugins/plugins.h"

mcphost_plugin_rows *
mcph_plugin_rows_unref(mcphost_plugin_rows *rows)
{
    if (!rows || !mcph_refs_put(&rows->refs))
        return NULL;
    for (size_t i = 0; i < rows->n; i++) {
        free(rows->rows[i].id);
        free(rows->rows[i].file);
        mcphost_error_unref(rows->rows[i].error);
    }
    free(rows->rows);
    free(rows);
    return NULL;
}

/* Fills `rows` with one row for each plugin.  Call this function under the lock. */
static int
fill_locked(const mcphost_plugins *plugins, mcphost_plugin_rows *rows)
{
    rows->rows = calloc(plugins->items.n + 1, sizeof(*rows->rows));
    if (!rows->rows)
        return MCPHOST_E_NOMEM;
    for (size_t i = 0; i < plugins->items.n; i++) {
        const struct mcph_plugin *plugin = plugins->items.items[i];
        struct mcph_plugin_row *row = &rows->rows[rows->n++];

        row->id = mcph_strdup(plugin->id);
        row->file = mcph_strdup(plugin->path);
        row->kind = plugin->kind;
        row->state = plugin->state;
        row->error = mcphost_error_ref(plugin->error);
        if (!row->id || !row->file)
            return MCPHOST_E_NOMEM;
    }
    return 0;
}

int
mcph_plugin_rows_new(mcphost_plugins *plugins, mcphost_plugin_rows **ret)
{
    mcphost_plugin_rows *rows = calloc(1, sizeof(*rows));
    int r;

    if (!rows)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&rows->refs);
    r = mcph_core_enter_closed(plugins->core);
    if (r == 0) {
        r = fill_locked(plugins, rows);
        mcph_core_leave(plugins->core);
    }
    if (r < 0)
        mcph_plugin_rows_unref(rows);
    else
        *ret = rows;
    return r;
}
