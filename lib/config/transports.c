/* SPDX-License-Identifier: MIT
 *
 * transports.c - the names of the transports, and which of them a policy allows
 * (architecture.md section 5: Dominds has two).
 */
#include <string.h>

#include "config/config.h"

static const char *const names[] = {
    [MCPHOST_TRANSPORT_STDIO] = "stdio",
    [MCPHOST_TRANSPORT_HTTP] = "streamable_http",
    [MCPHOST_TRANSPORT_SSE] = "sse",
};

int
mcph_transport_named(const char *name)
{
    for (int i = MCPHOST_TRANSPORT_STDIO; i < (int)MCPH_ARRAY_SIZE(names); i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return MCPHOST_TRANSPORT_NONE;
}

const char *
mcph_transport_name(int transport)
{
    return names[transport];
}

bool
mcph_transport_allowed(unsigned allowed, int transport)
{
    return transport != MCPHOST_TRANSPORT_NONE &&
           (allowed & (1u << (unsigned)(transport - 1))) != 0;
}

const char *
mcph_transports_text(unsigned allowed)
{
    static const char *const texts[] = {
        "nothing",
        "'stdio'",
        "'streamable_http'",
        "'stdio' or 'streamable_http'",
        "'sse'",
        "'stdio' or 'sse'",
        "'streamable_http' or 'sse'",
        "'stdio', 'streamable_http' or 'sse'",
    };

    return texts[allowed & 7u];
}
