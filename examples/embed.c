/* SPDX-License-Identifier: MIT
 *
 * embed.c - starts the servers of a workspace, lists their tools and calls a tool.
 *
 *   embed DIR TOOL ARGUMENTS-AS-JSON
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/mcphost.h>

static int
run(mcphost *host, char **argv, mcphost_error **reterr)
{
    mcphost_config *config = NULL;
    mcphost_catalog *tools = NULL;
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    const char *json;
    size_t len;
    int r;

    /* Read DIR/.minds/mcp.yaml, and start its servers. */
    r = mcphost_config_load_workspace(argv[1], &config, reterr);
    if (r == 0)
        r = mcphost_load(host, config);
    /* Wait until each server has started or failed, at most 60 s. */
    if (r == 0)
        r = mcphost_wait_ready(host, 60000);
    if (r >= 0)
        r = mcphost_dialog_new(mcphost_default_view(host), "me", NULL, &dialog, reterr);
    if (r == 0)
        r = mcphost_dialog_get_catalog(dialog, &tools);
    for (size_t i = 0; i < mcphost_catalog_count_tools(tools); i++)
        puts(mcphost_tool_get_name(mcphost_catalog_get_tool(tools, i)));

    if (r == 0)
        r = mcphost_call_new(dialog, argv[2], argv[3], strlen(argv[3]), &call, reterr);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(call, -1);
    json = mcphost_result_get_json(mcphost_call_get_result(call), &len);
    if (json)
        printf("%.*s\n", (int)len, json); /* exactly as the server sent it */
    else if (r > 0)
        *reterr = mcphost_error_ref(mcphost_call_get_error(call));

    mcphost_call_unref(call);
    mcphost_catalog_unref(tools);
    mcphost_dialog_unref(dialog);
    mcphost_config_unref(config);
    return json ? 0 : r;
}

int
main(int argc, char **argv)
{
    mcphost_error *err = NULL;
    mcphost *host = NULL;
    int r = argc == 4 ? mcphost_new(&host, &err) : MCPHOST_E_INVALID;

    if (r == 0)
        r = run(host, argv, &err);
    if (r != 0)
        fprintf(stderr, "embed: %s\n",
                err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_close(host);
    while (mcphost_wait(host, -1) >= 0) /* MCPHOST_E_CLOSED: all servers have ended */
        ;
    mcphost_error_unref(err);
    mcphost_unref(host);
    return r != 0;
}
