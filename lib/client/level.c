/* SPDX-License-Identifier: MIT
 *
 * level.c - set the lowest level of log messages that a server sends.
 *
 * A legacy server gets the level by logging/setLevel, again in each new session.  A
 * modern server gets the level in _meta of each request (send.c).  If the level changes
 * while the server has not answered the previous request, the client sends the new level
 * after that answer.  The client sends only the latest level.
 *
 * MCP 2025-11-25 and 2026-07-28, "Logging".
 */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

/* The highest level.  A legacy server gets this level in place of "no messages", if the
 * owner removes the level while the client is READY. */
#define LEAST "emergency"

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  LEAST};

static void send_level(struct mcph_client *c, const char *level);

/* Handles the answer to logging/setLevel.  Only logs a failure, because nothing depends
 * on the level. */
static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, level.call);

    if (answer->code == MCPHOST_E_TIMEOUT && !answer->error)
        mcph_client_send_cancel(c, call, "timed out");
    if (answer->code < 0)
        mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
                 "logging/setLevel was not accepted");
    if (c->level.changed)
        send_level(c, c->spec.log_level ? c->spec.log_level : LEAST);
}

static void
send_level(struct mcph_client *c, const char *level)
{
    struct mcph_rpc_call *call = &c->level.call;
    struct mcph_buf params;

    c->level.changed = mcph_rpc_call_waits(call);
    if (c->level.changed)
        return;
    mcph_buf_init(&params, 256);
    mcph_json_add_member(&params, "level", level);
    call->timeout_ms = c->spec.list_ms;
    call->max_ms = -1;
    call->on_answer = on_answer;
    if (mcph_buf_ok(&params) < 0 || mcph_rpc_start(&c->rpc, call) < 0 ||
        mcph_client_send_request(c, call, MCPH_METHOD_SET_LEVEL,
                                 mcph_span(params.data, params.len)) < 0)
        mcph_rpc_abandon(call);
    mcph_buf_done(&params);
}

static bool
uses_set_level(const struct mcph_client *c)
{
    return c->info.era == MCPH_CLIENT_LEGACY && (c->info.offers & MCPH_OFFERS_LOGGING);
}

void
mcph_client_level_begin(struct mcph_client *c)
{
    if (uses_set_level(c) && c->spec.log_level)
        send_level(c, c->spec.log_level);
}

void
mcph_client_level_stop(struct mcph_client *c)
{
    mcph_rpc_abandon(&c->level.call);
    c->level.changed = false;
}

static bool
is_level(const char *level)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(levels); i++) {
        if (mcph_streq(level, levels[i]))
            return true;
    }
    return false;
}

int
mcph_client_set_log_level(struct mcph_client *c, const char *level)
{
    const char *before = c->spec.log_level;
    char *own;
    int r = 0;

    if (level && !is_level(level))
        return MCPHOST_E_INVALID;
    if (before && level ? strcmp(before, level) == 0 : before == level)
        return 0;
    own = level ? mcph_strdup(level) : NULL;
    if (level && !own)
        return MCPHOST_E_NOMEM;
    c->spec.log_level = own;
    if (c->state == MCPH_CLIENT_READY && c->info.era == MCPH_CLIENT_MODERN)
        r = mcph_client_make_meta(c, c->meta_version);
    if (r < 0) {
        c->spec.log_level = before;
        free(own);
        return r;
    }
    if (c->state == MCPH_CLIENT_READY && uses_set_level(c))
        send_level(c, own ? own : LEAST);
    free((char *)(uintptr_t)before);
    return 0;
}
