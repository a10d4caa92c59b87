/* SPDX-License-Identifier: MIT
 *
 * plugin.c - begin here: a plugin with one tool.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/plugin.h>

/* What the tool does.  Answer at once, or keep a reference to the call and answer later
 * from any thread. */
static int
hello(mcphost_provider_call *call, void *arg)
{
    static const char text[] = "hello from a plugin";

    (void)arg;
    return mcphost_provider_call_answer_text(call, text, strlen(text), 0);
}

/* Runs once, before anything is asked.  Return a negative code, perhaps by
 * mcphost_error_new(), if the plugin cannot work. */
static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char tool[] = "{\"name\":\"hello\",\"description\":\"Say hello.\","
                               "\"inputSchema\":{\"type\":\"object\"}}";

    (void)arg;
    return mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool, strlen(tool), hello,
                                NULL, NULL, reterr);
}

/* Runs once, behind the last call.  Threads must have ended when it returns. */
static void
teardown(mcphost_provider *provider, void *arg)
{
    (void)provider;
    (void)arg;
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, teardown)
