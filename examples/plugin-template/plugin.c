/* SPDX-License-Identifier: MIT
 *
 * plugin.c - a template for a plugin that offers one tool.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/plugin.h>

/* Runs the tool.  A tool answers the call at once, or keeps a reference to the call and
 * answers the call later from any thread. */
static int
hello(mcphost_provider_call *call, void *arg)
{
    static const char text[] = "hello from a plugin";

    (void)arg;
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

/* Prepares the plugin.  The host calls this function once, before the first call.  If the
 * plugin cannot work, return a negative code.  mcphost_error_new() makes an error with a
 * message and returns its code. */
static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char tool[] = "{\"name\":\"hello\",\"description\":\"Say hello.\","
                               "\"inputSchema\":{\"type\":\"object\"}}";

    (void)arg;
    return mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool, strlen(tool), hello,
                                NULL, NULL, reterr);
}

/* Ends the plugin.  The host calls this function once, after the last call.  End all
 * threads of the plugin before this function returns. */
static void
teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, teardown)
