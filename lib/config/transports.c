/* SPDX-License-Identifier: MIT
 *
 * transports.c - the table of transports, and the transports that a policy allows.
 */
#include <stdio.h>

#include "config/config.h"

const struct mcph_transport_kind mcph_transport_kinds[MCPH_N_TRANSPORTS] = {
    [MCPHOST_TRANSPORT_STDIO] = {.allowed_by = MCPHOST_ALLOW_STDIO,
                                 .carrier = MCPH_CARRIER_CHILD,
                                 .has_process = true,
                                 .keeps_state = true,
                                 .is_pinged = true},
    [MCPHOST_TRANSPORT_STREAMABLE_HTTP] = {.allowed_by = MCPHOST_ALLOW_STREAMABLE_HTTP,
                                           .carrier = MCPH_CARRIER_HTTP,
                                           .fallback = MCPHOST_TRANSPORT_SSE,
                                           .has_url = true,
                                           .has_session_id = true,
                                           .has_headers = true},
    [MCPHOST_TRANSPORT_SSE] = {.allowed_by = MCPHOST_ALLOW_SSE,
                               .carrier = MCPH_CARRIER_HTTP,
                               .has_url = true,
                               .has_headers = true,
                               .keeps_state = true,
                               .is_one_stream = true,
                               .is_legacy = true},
    [MCPHOST_TRANSPORT_IN_PROCESS] = {.carrier = MCPH_CARRIER_PROVIDER,
                                      .keeps_state = true},
};

bool
mcph_transport_allowed(unsigned allowed, int transport)
{
    return (allowed & mcph_transport_kind(transport)->allowed_by) != 0;
}

unsigned
mcph_transports_known(void)
{
    unsigned known = 0;

    for (int i = MCPHOST_TRANSPORT_NONE + 1; i < MCPH_N_TRANSPORTS; i++)
        known |= mcph_transport_kinds[i].allowed_by;
    return known;
}

void
mcph_transports_text(unsigned allowed, char ret[MCPH_TRANSPORTS_TEXT])
{
    unsigned left = allowed & mcph_transports_known();
    size_t len = 0;

    snprintf(ret, MCPH_TRANSPORTS_TEXT, "nothing");
    for (int i = MCPHOST_TRANSPORT_NONE + 1; i < MCPH_N_TRANSPORTS; i++) {
        const struct mcph_transport_kind *kind = &mcph_transport_kinds[i];
        const char *gap = len == 0 ? "" : ", ";

        if (!(left & kind->allowed_by))
            continue;
        left &= ~kind->allowed_by;
        if (len > 0 && !left)
            gap = " or ";
        len += (size_t)snprintf(ret + len, MCPH_TRANSPORTS_TEXT - len, "%s'%s'", gap,
                                mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, i));
        if (len >= MCPH_TRANSPORTS_TEXT)
            return;
    }
}
