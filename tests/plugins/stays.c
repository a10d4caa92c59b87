/* SPDX-License-Identifier: MIT
 *
 * stays.c - a plugin that cannot be unloaded, because it is linked with -z nodelete.  Its
 * tool answers with the number of times that setup has run.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/plugin.h>

static int setups;

static int
on_count(mcphost_provider_call *call, void *arg)
{
    char text[16];

    (void)arg;
    snprintf(text, sizeof(text), "%d", setups);
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char tool[] =
        "{\"name\":\"count\",\"inputSchema\":{\"type\":\"object\"}}";

    (void)arg;
    setups++;
    return mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool, strlen(tool),
                                on_count, NULL, NULL, reterr);
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, NULL)
