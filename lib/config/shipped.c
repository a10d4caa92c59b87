/* SPDX-License-Identifier: MIT
 *
 * shipped.c - the providers that the library ships, by their names in a configuration.
 *
 * A new provider needs a name here, its keys in key.c with MCPH_KEY_INSIDE, and code in
 * pool/inside.c that makes the provider.
 */
#include <string.h>

#include "config/config.h"

static const char *const names[] = {"files"};

bool
mcph_shipped_known(const char *name)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

void
mcph_shipped_text(struct mcph_buf *buf)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++)
        mcph_buf_addf(buf, "%s'%s'", i ? " or " : "", names[i]);
}

const char *
mcph_extension_check(const char *text)
{
    text += *text == '.';
    if (!*text)
        return "is empty";
    if (strchr(text, '/'))
        return "has a slash";
    return strlen(text) > MCPH_EXTENSION_MAX ? "is too long" : NULL;
}

/* Sets the members that are the same for every shipped provider.  The era is legacy,
 * because a legacy server may send messages outside of a request, and a provider may need
 * to send these messages.  Results are not checked, because the code of a shipped
 * provider makes only correct results. */
void
mcph_spec_set_inside(struct mcph_spec *spec)
{
    spec->transport = MCPHOST_TRANSPORT_IN_PROCESS;
    spec->era = MCPHOST_ERA_LEGACY;
    spec->stateless = true;
    spec->arguments = MCPHOST_ARGUMENTS_FULL;
    spec->results = MCPHOST_RESULTS_OFF;
}
