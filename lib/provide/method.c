/* SPDX-License-Identifier: MIT
 *
 * method.c - the table of the methods that a client can call.
 *
 * A row names the eras that have the method, the capability that the service must offer,
 * and the function that handles the request.  No other file of lib/provide compares
 * the names of request methods.
 */
#include <string.h>

#include "provide/engine.h"

static const struct conn_method methods[] = {
    {.name = "initialize",
     .eras = CONN_IN_LEGACY,
     .early = true,
     .handle = mcph_legacy_initialize},
    {.name = "ping", .eras = CONN_IN_LEGACY, .early = true, .handle = mcph_legacy_ping},
    {.name = "server/discover",
     .eras = CONN_IN_MODERN,
     .early = true,
     .handle = mcph_modern_discover},
    {.name = "tools/list",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_TOOLS,
     .what = MCPHOST_FEATURE_TOOL,
     .handle = mcph_conn_pages_list},
    {.name = "tools/call",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_TOOLS,
     .what = MCPH_PROVIDE_CALL,
     .handle = mcph_inbound_request},
    {.name = "resources/list",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_RESOURCES,
     .what = MCPHOST_FEATURE_RESOURCE,
     .handle = mcph_conn_pages_list},
    {.name = "resources/templates/list",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_RESOURCES,
     .what = MCPHOST_FEATURE_TEMPLATE,
     .handle = mcph_conn_pages_list},
    {.name = "resources/read",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_RESOURCES,
     .what = MCPH_PROVIDE_READ,
     .handle = mcph_inbound_request},
    {.name = "resources/subscribe",
     .eras = CONN_IN_LEGACY,
     .needs = OFFERS_SUBSCRIBE,
     .handle = mcph_topic_subscribe},
    {.name = "resources/unsubscribe",
     .eras = CONN_IN_LEGACY,
     .needs = OFFERS_SUBSCRIBE,
     .handle = mcph_topic_unsubscribe},
    {.name = "prompts/list",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_PROMPTS,
     .what = MCPHOST_FEATURE_PROMPT,
     .handle = mcph_conn_pages_list},
    {.name = "prompts/get",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_PROMPTS,
     .what = MCPH_PROVIDE_GET,
     .handle = mcph_inbound_request},
    {.name = "completion/complete",
     .eras = CONN_IN_BOTH,
     .needs = OFFERS_COMPLETION,
     .what = MCPH_PROVIDE_COMPLETE,
     .handle = mcph_inbound_request},
    {.name = "logging/setLevel",
     .eras = CONN_IN_LEGACY,
     .needs = OFFERS_LOGGING,
     .handle = mcph_legacy_set_level},
    {.name = "subscriptions/listen",
     .eras = CONN_IN_MODERN,
     .handle = mcph_conn_listen_begin},
};

const struct conn_method *
mcph_conn_find_method(struct mcph_span name)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(methods); i++) {
        if (mcph_json_string_is(name, methods[i].name, strlen(methods[i].name)))
            return &methods[i];
    }
    return NULL;
}

/* ---- capabilities ------------------------------------------------------------------ */

unsigned
mcph_conn_offers(const struct mcph_connection *c)
{
    struct mcph_service_offer offer = {0};
    unsigned found = 0;

    c->service->ops->get_offer(c->service, &offer);
    if (offer.kinds & 1u << MCPHOST_FEATURE_TOOL)
        found |= OFFERS_TOOLS;
    if (offer.kinds & (1u << MCPHOST_FEATURE_RESOURCE | 1u << MCPHOST_FEATURE_TEMPLATE))
        found |= OFFERS_RESOURCES | (offer.subscribe ? OFFERS_SUBSCRIBE : 0);
    if (offer.kinds & 1u << MCPHOST_FEATURE_PROMPT)
        found |= OFFERS_PROMPTS;
    if (offer.completion)
        found |= OFFERS_COMPLETION;
    if (offer.logging)
        found |= OFFERS_LOGGING;
    return found;
}

static void
add_capability(struct mcph_buf *buf, bool offered, const char *name, const char *value)
{
    if (!offered)
        return;
    mcph_json_add_key(buf, name);
    mcph_buf_adds(buf, value);
}

/* Adds the object of capabilities.  Leaves out completions for MCP 2024-11-05, because
 * this version has no capability for completions. */
int
mcph_conn_add_capabilities(unsigned offers, const char *version, struct mcph_buf *buf)
{
    bool subscribe = offers & OFFERS_SUBSCRIBE;

    mcph_buf_addc(buf, '{');
    add_capability(buf, offers & OFFERS_LOGGING, "logging", "{}");
    add_capability(buf, offers & OFFERS_COMPLETION && strcmp(version, CONN_OLDEST) != 0,
                   "completions", "{}");
    add_capability(buf, offers & OFFERS_PROMPTS, "prompts", "{\"listChanged\":true}");
    add_capability(buf, offers & OFFERS_RESOURCES, "resources",
                   subscribe ? "{\"subscribe\":true,\"listChanged\":true}"
                             : "{\"listChanged\":true}");
    add_capability(buf, offers & OFFERS_TOOLS, "tools", "{\"listChanged\":true}");
    return mcph_buf_addc(buf, '}');
}
