/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of lib/plugins, for a build with --disable-plugins.
 *
 * The library does not refer to dlopen() in this build.
 */
#include "plugins/plugins.h"

const bool mcph_plugins_is_built = false;

int
mcph_plugins_close(mcphost_plugins *plugins)
{
    (void)plugins;
    return mcph_err_unsupported(NULL, "plugins");
}

int
mcph_plugins_new(struct mcphost_source *source, const char *dir, mcphost_plugins **ret,
                 mcphost_error **reterr)
{
    (void)source;
    (void)dir;
    (void)ret;
    return mcph_err_unsupported(reterr, "plugins");
}

mcphost_plugins *
mcph_plugins_ref(mcphost_plugins *plugins)
{
    (void)plugins;
    return NULL;
}

int
mcph_plugins_scan(mcphost_plugins *plugins)
{
    (void)plugins;
    return mcph_err_unsupported(NULL, "plugins");
}

int
mcph_plugins_set_config(mcphost_plugins *plugins, struct mcph_span json,
                        mcphost_error **reterr)
{
    (void)plugins;
    (void)json;
    return mcph_err_unsupported(reterr, "plugins");
}

int
mcph_plugins_set_only(mcphost_plugins *plugins, const char *id)
{
    (void)plugins;
    (void)id;
    return mcph_err_unsupported(NULL, "plugins");
}

int
mcph_plugins_set_reload(mcphost_plugins *plugins, int mode)
{
    (void)plugins;
    (void)mode;
    return mcph_err_unsupported(NULL, "plugins");
}

mcphost_plugins *
mcph_plugins_unref(mcphost_plugins *plugins)
{
    (void)plugins;
    return NULL;
}

int
mcph_plugins_wait(mcphost_plugins *plugins, int64_t timeout_ms)
{
    (void)plugins;
    (void)timeout_ms;
    return mcph_err_unsupported(NULL, "plugins");
}

int
mcph_plugin_rows_new(mcphost_plugins *plugins, mcphost_plugin_rows **ret)
{
    (void)plugins;
    (void)ret;
    return mcph_err_unsupported(NULL, "plugins");
}

mcphost_plugin_rows *
mcph_plugin_rows_unref(mcphost_plugin_rows *rows)
{
    (void)rows;
    return NULL;
}
