/* SPDX-License-Identifier: MIT
 *
 * modern.c - methods and checks of the modern era.
 *
 * In the modern era, each request names its protocol version and the client's
 * capabilities (MCP 2026-07-28, "Versioning", "Discovery").
 */
#include <string.h>

#include "provide/engine.h"

/* Adds the JSON array of supported versions. */
static void
add_versions(const struct mcph_connection *c, struct mcph_buf *buf)
{
    mcph_buf_addc(buf, '[');
    mcph_json_add_str(buf, CONN_MODERN);
    if (c->spec.era != MCPHOST_ERA_MODERN)
        mcph_legacy_add_versions(buf);
    mcph_buf_addc(buf, ']');
}

/* Refuses a version.  The error data is {"supported":[...],"requested":"..."}. */
void
mcph_modern_refuse_version(struct mcph_connection *c, const struct request *req,
                           struct mcph_span version)
{
    struct mcph_buf data;

    mcph_buf_init(&data, version.len + 1024);
    mcph_buf_adds(&data, "{\"supported\":");
    add_versions(c, &data);
    if (mcph_json_type(version) == MCPH_JSON_STRING) {
        mcph_json_add_key(&data, "requested");
        mcph_json_add_span(&data, version);
    }
    mcph_buf_addc(&data, '}');
    mcph_reply_error_on(
        c, req->msg->id.raw, CONN_CODE_VERSION, "Unsupported protocol version",
        mcph_buf_ok(&data) == 0 ? mcph_span(data.data, data.len) : MCPH_SPAN_NONE,
        c->stream);
    mcph_buf_done(&data);
}

bool
mcph_modern_is(const struct request *req)
{
    return mcph_json_get(req->meta, CONN_META("protocolVersion")).p != NULL;
}

bool
mcph_modern_read(struct mcph_connection *c, struct request *req)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT(CONN_META("protocolVersion")),
                                    MCPH_JSON_WANT(CONN_META("clientCapabilities")),
                                    MCPH_JSON_WANT(CONN_META("logLevel"))};

    req->modern = true;
    if (req->meta.p)
        (void)mcph_json_pick(req->meta, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) != MCPH_JSON_STRING) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS,
                          "_meta has no " CONN_META("protocolVersion"));
        return false;
    }
    if (!mcph_json_string_is(want[0].value, CONN_MODERN, strlen(CONN_MODERN))) {
        mcph_modern_refuse_version(c, req, want[0].value);
        return false;
    }
    if (mcph_json_type(want[1].value) != MCPH_JSON_OBJECT) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS,
                          "_meta has no " CONN_META("clientCapabilities"));
        return false;
    }
    req->level = want[2].value.p ? mcph_legacy_level_of(want[2].value) : CONN_LEVEL_NONE;
    if (req->level == 0) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS, "the logLevel does not exist");
        return false;
    }
    req->asks = mcph_asks_of(want[1].value);
    return true;
}

void
mcph_modern_discover(struct mcph_connection *c, const struct conn_method *method,
                     const struct request *req)
{
    struct mcph_span instructions = c->service->ops->get_instructions(c->service);
    struct mcph_buf *buf;
    int r;

    (void)method;
    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, req->msg->id.raw, true);
    mcph_json_add_key(buf, "supportedVersions");
    add_versions(c, buf);
    mcph_json_add_key(buf, "capabilities");
    mcph_conn_add_capabilities(mcph_conn_offers(c), CONN_MODERN, buf);
    if (instructions.p) {
        mcph_json_add_key(buf, "instructions");
        mcph_json_add_span(buf, instructions);
    }
    mcph_reply_add_cache(buf, c->spec.ttl_ms);
    mcph_buf_adds(buf, ",\"_meta\":{\"" CONN_META("serverInfo") "\":");
    r = c->service->ops->add_info(c->service, buf);
    mcph_buf_adds(buf, "}}}");
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, c->stream);
}
