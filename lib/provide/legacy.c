/* SPDX-License-Identifier: MIT
 *
 * legacy.c - methods of the legacy era: initialize, ping and logging/setLevel.
 *
 * MCP 2025-11-25, "Lifecycle", "Ping", "Logging".
 */
#include <string.h>

#include "provide/engine.h"

static const char *const versions[] = {CONN_LEGACY, "2025-06-18", CONN_BATCHES,
                                       CONN_OLDEST};

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

int
mcph_legacy_level_of(struct mcph_span name)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(levels); i++) {
        if (mcph_json_string_is(name, levels[i], strlen(levels[i])))
            return MCPHOST_MESSAGES_DEBUG + (int)i;
    }
    return 0;
}

const char *
mcph_legacy_level_name(int level)
{
    return levels[level - MCPHOST_MESSAGES_DEBUG];
}

void
mcph_legacy_add_versions(struct mcph_buf *buf)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(versions); i++) {
        mcph_json_add_comma(buf);
        mcph_json_add_str(buf, versions[i]);
    }
}

/* Returns the legacy version that the client asks for.  If this version is not supported,
 * returns the newest legacy version.  A client that does not support the returned version
 * should disconnect. */
static const char *
choose_version(struct mcph_span wanted)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(versions); i++) {
        if (mcph_json_string_is(wanted, versions[i], strlen(versions[i])))
            return versions[i];
    }
    return versions[0];
}

static void
answer_initialize(struct mcph_connection *c, const struct request *req)
{
    struct mcph_span instructions = c->service->ops->get_instructions(c->service);
    struct mcph_buf *buf;
    int r;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, req->msg->id.raw, false);
    mcph_json_add_member(buf, "protocolVersion", c->version);
    mcph_json_add_key(buf, "capabilities");
    mcph_conn_add_capabilities(c->announced, c->version, buf);
    mcph_json_add_key(buf, "serverInfo");
    r = c->service->ops->add_info(c->service, buf);
    if (instructions.p) {
        mcph_json_add_key(buf, "instructions");
        mcph_json_add_span(buf, instructions);
    }
    mcph_buf_adds(buf, "}}");
    mcph_reply_commit(c, buf, r, MCPH_SEND_RESPONSE, c->stream);
}

void
mcph_legacy_initialize(struct mcph_connection *c, const struct conn_method *method,
                       const struct request *req)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("protocolVersion"),
                                    MCPH_JSON_WANT("capabilities")};

    (void)method;
    if (c->era != CONN_UNDECIDED) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_REQUEST,
                          "initialize may be sent only once");
        return;
    }
    if (req->params.p)
        (void)mcph_json_pick(req->params, want, MCPH_ARRAY_SIZE(want));
    if (mcph_json_type(want[0].value) != MCPH_JSON_STRING ||
        (want[1].value.p && mcph_json_type(want[1].value) != MCPH_JSON_OBJECT)) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS,
                          "protocolVersion or capabilities are missing");
        return;
    }
    c->era = CONN_ERA_LEGACY;
    c->version = choose_version(want[0].value);
    c->asks = mcph_asks_of(want[1].value);
    c->announced = mcph_conn_offers(c);
    c->rpc.allow_batch = strcmp(c->version, CONN_BATCHES) == 0;
    answer_initialize(c, req);
    mcph_conn_ready(c);
}

void
mcph_legacy_ping(struct mcph_connection *c, const struct conn_method *method,
                 const struct request *req)
{
    (void)method;
    mcph_reply_nothing(c, req);
}

void
mcph_legacy_set_level(struct mcph_connection *c, const struct conn_method *method,
                      const struct request *req)
{
    int level = mcph_legacy_level_of(mcph_json_get(req->params, "level"));

    (void)method;
    if (level == 0) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS, "the level does not exist");
        return;
    }
    c->level = level;
    mcph_work_check_level(c);
    mcph_reply_nothing(c, req);
}
