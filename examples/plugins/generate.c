/* SPDX-License-Identifier: MIT
 *
 * generate.c - a plugin with a tool that asks the application's model for a text.
 *
 * The tool needs no API key of a model's provider.  It sends a sampling request, as MCP
 * defines it.  The host answers the request with the application's model, or with a
 * sampling plugin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mcphost/plugin.h>

/* Answers the call with the model's message, unchanged, or with the message of the
 * error. */
static void
on_answer(mcphost_provider_call *call, int code, const char *json, size_t len,
          const mcphost_error *error, void *arg)
{
    (void)arg;
    if (code < 0) {
        json = mcphost_error_get_message(error);
        len = strlen(json);
    }
    mcphost_provider_call_answer_text(call, json, len, code < 0);
    mcphost_provider_call_unref(call);
}

/* Returns the value of "prompt", a JSON string with its quotes, or NULL if it is not
 * found.  The tool's schema requires the member. */
static const char *
find_prompt(const char *arguments, size_t *ret_len)
{
    const char *at = strstr(arguments, "\"prompt\":"), *end;

    if (!at)
        return NULL;
    at += strlen("\"prompt\":");
    at += strspn(at, " \t\r\n");
    end = *at == '"' ? at + 1 : NULL;
    while (end && *end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    *ret_len = end ? (size_t)(end + 1 - at) : 0;
    return end ? at : NULL;
}

static int
request_sampling(mcphost_provider_call *call, const char *prompt, size_t prompt_len)
{
    static const char form[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":%.*s}}"
        "],\"maxTokens\":1000,\"temperature\":0.7}";
    size_t room = sizeof(form) + prompt_len;
    char *params = malloc(room);
    int n, r;

    if (!params)
        return MCPHOST_E_NOMEM;
    n = snprintf(params, room, form, (int)prompt_len, prompt);
    /* Keep the call until the answer arrives. */
    mcphost_provider_call_ref(call);
    r = mcphost_provider_request_sampling(call, params, (size_t)n, on_answer, NULL, NULL,
                                          NULL);
    if (r < 0)
        mcphost_provider_call_unref(call);
    free(params);
    return r;
}

static int
generate(mcphost_provider_call *call, void *arg)
{
    static const char none[] = "there is no prompt";
    size_t len;
    const char *prompt =
        find_prompt(mcphost_provider_call_get_arguments(call, NULL), &len);

    (void)arg;
    if (!prompt || len > 100000)
        return mcphost_provider_call_answer_text(call, none, strlen(none), 1);
    return request_sampling(call, prompt, len);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char tool[] =
        "{\"name\":\"generate_content\",\"description\":\"Ask the model for a text.\","
        "\"inputSchema\":{\"type\":\"object\",\"required\":[\"prompt\"],"
        "\"properties\":{\"prompt\":{\"type\":\"string\",\"minLength\":1}}}}";

    (void)arg;
    return mcphost_provider_add(provider, MCPHOST_FEATURE_TOOL, tool, strlen(tool),
                                generate, NULL, NULL, reterr);
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_TOOL, setup, NULL)
