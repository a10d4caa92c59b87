/* SPDX-License-Identifier: MIT
 *
 * unresolved.c - a plugin that needs a function which does not exist.
 */
#include <mcphost/plugin.h>

int nobody_has_this(mcphost_provider *provider);

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    (void)arg;
    (void)reterr;
    return nobody_has_this(provider);
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, NULL)
