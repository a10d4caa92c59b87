/* SPDX-License-Identifier: MIT
 *
 * parrot.c - a sampling plugin that answers with a fixed text instead of a model.
 *
 * The configuration gives the text: {"answer": "..."}.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/plugin.h>

static char answer[1024]; /* a JSON string, with its quotes */

static void
sample(mcphost_request *request, void *arg)
{
    char message[1200];
    int n = snprintf(message, sizeof(message),
                     "{\"role\":\"assistant\",\"model\":\"parrot\",\"content\":"
                     "{\"type\":\"text\",\"text\":%s}}",
                     answer);

    (void)arg;
    mcphost_request_respond(request, message, (size_t)n, NULL);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char defaults[] = "{\"answer\":\"Pieces of eight!\"}";
    size_t len;
    char *json;
    int r;

    (void)arg;
    r = mcphost_provider_set_defaults(provider, defaults, strlen(defaults), reterr);
    if (r == 0)
        r = mcphost_provider_dup_config(provider, "answer", &json, &len);
    if (r < 0)
        return r;
    if (*json == '"' && len < sizeof(answer))
        memcpy(answer, json, len + 1);
    mcphost_free(json);
    if (!*answer)
        return mcphost_error_new(MCPHOST_E_CONFIG, "'answer' is no short string", reterr);
    return mcphost_provider_set_sampler(provider, sample, NULL, NULL, reterr);
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_SAMPLING, setup, NULL)
