/* SPDX-License-Identifier: MIT
 *
 * plugins.c - the public functions of <mcphost/plugins.h> and <mcphost/plugin.h>.
 */
#include "api/getter.h"
#include "plugins/plugins.h"

#define JSON_MAX ((size_t)256 << 20)

/* ---- for plugins ------------------------------------------------------------------- */

int
mcphost_plugin_declare(mcphost_plugin *plugin, int abi, int kind, mcphost_setup_fn setup,
                       mcphost_teardown_fn teardown)
{
    if (!plugin || !setup)
        return MCPHOST_E_INVALID;
    plugin->declared++;
    plugin->abi = abi;
    plugin->kind = kind;
    plugin->setup = setup;
    plugin->teardown = teardown;
    return 0;
}

/* ---- for hosts --------------------------------------------------------------------- */

int
mcphost_plugins_new(mcphost_source *source, const char *dir,
                    mcphost_plugins **ret_plugins, mcphost_error **reterr)
{
    if (!source || !dir || !ret_plugins)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_plugins_new(source, dir, ret_plugins, reterr);
}

mcphost_plugins *
mcphost_plugins_ref(mcphost_plugins *plugins)
{
    return mcph_plugins_ref(plugins);
}

mcphost_plugins *
mcphost_plugins_unref(mcphost_plugins *plugins)
{
    return mcph_plugins_unref(plugins);
}

int
mcphost_plugins_set_config(mcphost_plugins *plugins, const char *json, size_t len,
                           mcphost_error **reterr)
{
    if (!plugins || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_plugins_set_config(plugins, mcph_span(json, len), reterr);
}

int
mcphost_plugins_set_only(mcphost_plugins *plugins, const char *id)
{
    return plugins ? mcph_plugins_set_only(plugins, id) : MCPHOST_E_INVALID;
}

int
mcphost_plugins_set_reload(mcphost_plugins *plugins, int mode)
{
    return plugins ? mcph_plugins_set_reload(plugins, mode) : MCPHOST_E_INVALID;
}

int
mcphost_plugins_scan(mcphost_plugins *plugins)
{
    return plugins ? mcph_plugins_scan(plugins) : MCPHOST_E_INVALID;
}

int
mcphost_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms)
{
    return plugins ? mcph_plugins_wait(plugins, timeout_ms) : MCPHOST_E_INVALID;
}

int
mcphost_plugins_close(mcphost_plugins *plugins)
{
    return plugins ? mcph_plugins_close(plugins) : MCPHOST_E_INVALID;
}

/* ---- rows -------------------------------------------------------------------------- */

static const struct mcph_plugin_row no_row;

static const struct mcph_plugin_row *
row_at(const mcphost_plugin_rows *rows, size_t index)
{
    return rows && index < rows->n ? &rows->rows[index] : &no_row;
}

int
mcphost_plugins_get_rows(mcphost_plugins *plugins, mcphost_plugin_rows **ret_rows)
{
    return plugins && ret_rows ? mcph_plugin_rows_new(plugins, ret_rows)
                               : MCPHOST_E_INVALID;
}

mcphost_plugin_rows *
mcphost_plugin_rows_ref(mcphost_plugin_rows *rows)
{
    if (rows)
        mcph_refs_get(&rows->refs);
    return rows;
}

mcphost_plugin_rows *
mcphost_plugin_rows_unref(mcphost_plugin_rows *rows)
{
    return mcph_plugin_rows_unref(rows);
}

MCPH_GETTER(size_t, mcphost_plugin_rows_count, const mcphost_plugin_rows *, self->n)

const char *
mcphost_plugin_rows_get_id(const mcphost_plugin_rows *rows, size_t index)
{
    return row_at(rows, index)->id;
}

int
mcphost_plugin_rows_get_kind(const mcphost_plugin_rows *rows, size_t index)
{
    return row_at(rows, index)->kind;
}

const char *
mcphost_plugin_rows_get_file(const mcphost_plugin_rows *rows, size_t index)
{
    return row_at(rows, index)->file;
}

int
mcphost_plugin_rows_get_state(const mcphost_plugin_rows *rows, size_t index)
{
    return row_at(rows, index)->state;
}

mcphost_error *
mcphost_plugin_rows_get_error(const mcphost_plugin_rows *rows, size_t index)
{
    return row_at(rows, index)->error;
}

static void
add_error(struct mcph_buf *buf, const mcphost_error *error)
{
    char *json;
    size_t len;
    int r;

    mcph_json_add_key(buf, "error");
    if (!error) {
        mcph_buf_adds(buf, "null");
        return;
    }
    r = mcphost_error_make_json(error, &json, &len);
    if (r < 0) {
        buf->err = r;
        return;
    }
    mcph_buf_add(buf, json, len);
    mcphost_free(json);
}

static void
add_row(struct mcph_buf *buf, const struct mcph_plugin_row *row)
{
    mcph_json_add_comma(buf);
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "id", row->id);
    mcph_json_add_member(
        buf, "kind",
        row->kind ? mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_KIND, row->kind) : NULL);
    mcph_json_add_member(buf, "file", row->file);
    mcph_json_add_member(buf, "state",
                         mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_STATE, row->state));
    add_error(buf, row->error);
    mcph_buf_addc(buf, '}');
}

int
mcphost_plugin_rows_make_json(const mcphost_plugin_rows *rows, char **ret_json,
                              size_t *ret_len)
{
    struct mcph_buf buf;

    if (!rows || !ret_json)
        return MCPHOST_E_INVALID;
    mcph_buf_init(&buf, JSON_MAX);
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < rows->n; i++)
        add_row(&buf, &rows->rows[i]);
    mcph_buf_addc(&buf, ']');
    return mcph_buf_give(&buf, ret_json, ret_len);
}
