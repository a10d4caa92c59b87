/* SPDX-License-Identifier: MIT
 *
 * review.c - a plugin with a prompt that asks for a review.
 *
 * The configuration gives the tone of the review: {"tone": "..."}.
 */
#include <stdio.h>
#include <string.h>

#include <mcphost/plugin.h>

static int
ask_for_review(mcphost_provider_call *call, void *arg)
{
    mcphost_provider *self = mcphost_provider_call_get_provider(call);
    size_t len;
    const char *arguments = mcphost_provider_call_get_arguments(call, &len);
    char text[4096], *tone;
    int n, r = mcphost_provider_dup_config(self, "tone", &tone, NULL);

    (void)arg;
    if (r < 0)
        return r;
    n = snprintf(text, sizeof(text), "Review what follows.  Your tone is %.100s.\n\n%.*s",
                 tone, (int)(len < 3000 ? len : 3000), arguments);
    mcphost_free(tone);
    return mcphost_provider_call_answer_text(call, text, (size_t)n, 0);
}

static int
setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    static const char defaults[] = "{\"tone\":\"friendly\"}";
    static const char prompt[] =
        "{\"name\":\"review\",\"description\":\"Ask for a review.\",\"arguments\":["
        "{\"name\":\"code\",\"required\":true}]}";
    int r;

    (void)arg;
    r = mcphost_provider_set_defaults(provider, defaults, strlen(defaults), reterr);
    if (r < 0)
        return r;
    return mcphost_provider_add(provider, MCPHOST_FEATURE_PROMPT, prompt, strlen(prompt),
                                ask_for_review, NULL, NULL, reterr);
}

MCPHOST_PLUGIN(MCPHOST_PLUGIN_PROMPT, setup, NULL)
