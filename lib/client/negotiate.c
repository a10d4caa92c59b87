/* SPDX-License-Identifier: MIT
 *
 * negotiate.c - find out on the real connection which era a server speaks.
 *
 *            answer says modern
 *   PROBE ------------------------------------------------> READY (modern)
 *     |  answer says legacy                    valid answer
 *     |------------------------> INITIALIZE ---------------> READY (legacy)
 *     |  no answer for probe_ms      ^ |
 *     |------> both are open --------| | refused, the probe still open
 *     |                                v
 *     |  the server ended            wait for the probe: modern -> restart as modern
 *     |------> restart, INITIALIZE
 *
 * If the cache (cache.c) has an answer to the probe, the client does not send the probe.
 *
 * The client resumes a session named in the configuration as the session of a legacy
 * server, with neither probe nor initialize:
 *
 *   PING ---- any answer ----> READY (legacy)
 *     |  the session is unknown
 *     `-----------------------> INITIALIZE, without the session
 *
 * The negotiation follows MCP 2026-07-28, "Versioning", for stdio.  The client needs no
 * particular error code to recognize a legacy server (probe.c).  After probe_ms of
 * silence, except over HTTP, the client also sends initialize, because the server may
 * start slowly or may ignore requests that it does not know.  The first valid answer
 * wins.  If the server ends after the probe and before the client is READY, the server is
 * started once more, without a probe.  This end does not count as a crash.
 */
#include "client/internal.h"

#define DISCOVER    "server/discover"
#define ONLY_LEGACY "initialize (the only handshake that 'era' or the transport allows)"

static const char *const probe_ids[] = {"probe-1", "probe-2", "probe-3", "probe-4"};

static bool
call_is_open(const struct mcph_rpc_call *call)
{
    return mcph_rpc_call_waits(call);
}

/* ---- sending the first message ----------------------------------------------------- */

static int
send_probe(struct mcph_client *c, const char *want)
{
    int r;

    c->want = want;
    r = mcph_client_make_meta(c, want);
    if (r < 0)
        return r;
    mcph_client_cache_hints_begin(c, &c->probe_hints);
    c->probe.timeout_ms = c->probe.max_ms = -1;
    r = mcph_rpc_start_named(&c->rpc, &c->probe, probe_ids[c->n_probes]);
    if (r < 0)
        return r;
    r = mcph_client_send_request(c, &c->probe, MCPH_METHOD_DISCOVER, MCPH_SPAN_NONE);
    if (r < 0) {
        mcph_rpc_abandon(&c->probe);
        return r;
    }
    c->probed = true;
    if (c->n_probes + 1 < MCPH_ARRAY_SIZE(probe_ids))
        c->n_probes++;
    return 0;
}

static int
send_initialize(struct mcph_client *c)
{
    const struct mcph_method *method = &mcph_methods[MCPH_METHOD_INITIALIZE];
    struct mcph_buf *buf;
    int r;

    mcph_buf_done(&c->meta); /* legacy requests do not carry this _meta */
    c->init.timeout_ms = c->init.max_ms = -1;
    r = mcph_rpc_start(&c->rpc, &c->init);
    if (r < 0)
        return r;
    r = mcph_client_send_begin(c, &c->init, method, 256, &buf);
    if (r == 0) {
        mcph_buf_adds(buf, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":");
        mcph_question_add_capabilities(c, buf, true);
        mcph_buf_adds(buf, ",\"clientInfo\":");
        mcph_client_add_identity(c, buf);
        r = mcph_client_send_commit(c, &c->init, buf, method, NULL, NULL);
    }
    if (r < 0)
        mcph_rpc_abandon(&c->init);
    else
        c->talking_legacy = true;
    return r;
}

static void
fail_unsent(struct mcph_client *c, int code)
{
    mcphost_error *error = NULL;

    if (mcph_client_is_losing(c, code))
        return;
    mcph_client_error(c, &error, code, "the handshake cannot be sent: %s",
                      mcphost_strerror(code));
    mcph_client_go_down(c, error);
}

/* Returns true if the client may still try initialize: the configuration forces no era,
 * initialize was not refused, and the server was not found to be modern. */
static bool
may_fall_back(const struct mcph_client *c)
{
    return c->spec.era == MCPH_CLIENT_AUTO && !c->init_error && !c->modern_for_sure;
}

static void
fall_back(struct mcph_client *c)
{
    int r;

    mcph_timer_cancel(&c->probe_timer);
    r = send_initialize(c);
    if (r < 0)
        fail_unsent(c, r);
}

/* ---- the result of the negotiation ------------------------------------------------- */

/* Returns true if the capability exists and its member `flag` is true. */
static bool
has_flag(struct mcph_span capabilities, const char *capability, const char *flag)
{
    struct mcph_span object = mcph_json_get(capabilities, capability);
    bool on = false;

    return mcph_json_type(object) == MCPH_JSON_OBJECT &&
           mcph_json_bool(mcph_json_get(object, flag), &on) == 0 && on;
}

static void
read_capabilities(struct mcph_client_info *info, struct mcph_span capabilities)
{
    if (mcph_json_type(capabilities) != MCPH_JSON_OBJECT)
        return;
    info->capabilities = capabilities;
    info->offers = mcph_method_offers(capabilities);
    for (size_t i = 0; i < LIST_NOTICES; i++) {
        if (has_flag(capabilities, mcph_list_notices[i].capability, "listChanged"))
            info->list_changed |= mcph_list_notices[i].kinds;
    }
    info->subscribe = has_flag(capabilities, "resources", "subscribe");
}

/* Fills in c->info from the answer to the probe or to initialize. */
static void
read_agreement(struct mcph_client *c, int era, const char *version,
               const struct mcph_rpc_answer *answer)
{
    struct mcph_json_want want[] = {
        MCPH_JSON_WANT("capabilities"), MCPH_JSON_WANT("instructions"),
        MCPH_JSON_WANT("serverInfo"), MCPH_JSON_WANT("_meta")};
    struct mcph_client_info *info = &c->info;
    struct mcph_span who;

    (void)mcph_json_pick(answer->msg->result, want, MCPH_ARRAY_SIZE(want));
    mcph_frame_unref(info->frame);
    *info = (struct mcph_client_info){0};
    info->era = era;
    info->version = version;
    info->frame = mcph_frame_ref(answer->frame);
    read_capabilities(info, want[0].value);
    /* Add the offer of completions, because version 2024-11-05 has completions but no
     * capability for completions. */
    if (mcph_streq(version, "2024-11-05"))
        info->offers |= MCPH_OFFERS_COMPLETIONS;
    if (mcph_json_type(want[1].value) == MCPH_JSON_STRING)
        info->instructions = want[1].value;
    who = want[2].value;
    if (era == MCPH_CLIENT_MODERN) {
        who = MCPH_SPAN_NONE;
        if (mcph_json_type(want[3].value) == MCPH_JSON_OBJECT)
            who = mcph_json_get(want[3].value, "io.modelcontextprotocol/serverInfo");
    }
    if (mcph_json_type(who) == MCPH_JSON_OBJECT)
        info->server_info = who;
}

/* ---- the answer to the probe ------------------------------------------------------- */

static void
go_modern(struct mcph_client *c, const char *version,
          const struct mcph_rpc_answer *answer)
{
    mcphost_error *why = NULL;
    int r;

    if (c->init_error) {
        /* The server refused initialize, and may be in any state now.  Therefore start
         * the server again, but only once. */
        if (c->restarted) {
            why = c->init_error;
            c->init_error = NULL;
            mcph_client_go_down(c, why);
            return;
        }
        c->begin_legacy = false;
        c->want = version;
        mcph_client_error(c, &why, MCPHOST_E_PROTOCOL,
                          "offered protocol version %s after it had refused initialize",
                          version);
        mcphost_error_unref(c->init_error);
        c->init_error = NULL;
        c->modern_for_sure = true;
        mcph_client_restart(c, why);
        return;
    }
    r = mcph_client_make_meta(c, version);
    if (r < 0) {
        fail_unsent(c, r);
        return;
    }
    read_agreement(c, MCPH_CLIENT_MODERN, version, answer);
    mcph_client_go_ready(c);
}

/* ---- a cached answer --------------------------------------------------------------- */

/* Looks for a cached answer to the probe.  If the cache has an answer, makes the probe
 * timer due now, so that on_probe_due() uses the answer, and returns true.  Returns
 * false if the probe must be sent. */
static bool
recall_probe(struct mcph_client *c)
{
    if (c->state == MCPH_CLIENT_NEW)
        c->recalled = mcph_client_cache_find_discover(c, c->want);
    if (c->recalled)
        mcph_timer_set(&c->probe_timer, mcph_core_now(c->core));
    return c->recalled != NULL;
}

static void
take_recalled(struct mcph_client *c)
{
    struct mcph_rpc_message msg = {0};
    struct mcph_rpc_answer answer = {.msg = &msg, .frame = c->recalled};
    struct probe_verdict verdict;

    c->recalled = NULL;
    mcph_rpc_parse_frame(answer.frame, c->spec.depth, &msg);
    mcph_probe_classify(c, &answer, true, &verdict); /* always PROBE_MODERN, because
                                                      * only modern answers are cached */
    c->unproven = true;
    go_modern(c, verdict.version, &answer);
    mcph_frame_unref(answer.frame);
}

static void
probe_says_legacy(struct mcph_client *c)
{
    mcphost_error *error = NULL;

    if (call_is_open(&c->init))
        return; /* wait for the answer to initialize */
    if (c->init_error) {
        error = c->init_error;
        c->init_error = NULL;
    } else if (!may_fall_back(c)) {
        mcph_client_error(c, &error, MCPHOST_E_PROTOCOL,
                          "offers no modern protocol version%s",
                          c->modern_for_sure ? " any more" : ", but 'era' requires one");
    } else {
        fall_back(c);
        return;
    }
    mcph_client_go_down(c, error);
}

static void
on_probe_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, probe);
    struct probe_verdict verdict;
    int r;

    mcph_client_measure(c, call, answer);
    mcph_probe_classify(c, answer, c->corrected, &verdict);
    switch (verdict.kind) {
    case PROBE_MODERN:
        mcph_client_cache_hints_add(c, answer->msg->result, &c->probe_hints);
        mcph_client_cache_keep_discover(c, c->want, &c->probe_hints, answer->frame);
        go_modern(c, verdict.version, answer);
        break;
    case PROBE_CORRECT:
        c->corrected = true;
        r = send_probe(c, verdict.version);
        if (r < 0)
            fail_unsent(c, r);
        break;
    case PROBE_FAIL:
        if (call_is_open(&c->init))
            mcphost_error_unref(verdict.error);
        else
            mcph_client_go_down(c, verdict.error);
        break;
    default:
        probe_says_legacy(c);
    }
}

/* ---- the answer to initialize ------------------------------------------------------ */

/* Checks the answer to initialize.  Returns 0, or a code with the reason why the
 * handshake failed. */
static int
check_initialize(struct mcph_client *c, const struct mcph_rpc_answer *answer,
                 const char **ret_version, mcphost_error **reterr)
{
    struct mcph_span token;
    int len;

    if (answer->code < 0)
        return mcph_client_answer_error(
            c, reterr, c->spec.era == MCPH_CLIENT_LEGACY ? ONLY_LEGACY : "initialize",
            answer);
    token = mcph_json_get(answer->msg->result, "protocolVersion");
    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return mcph_client_error(c, reterr, MCPHOST_E_PROTOCOL,
                                 "answered initialize without a protocol version");
    *ret_version = mcph_legacy_version(token);
    if (*ret_version)
        return 0;
    len = token.len < 40 ? (int)token.len : 40;
    return mcph_client_error(
        c, reterr, MCPHOST_E_PROTOCOL,
        "answered initialize with protocol version %.*s, which the host does not support",
        len, mcph_utf8_valid(token.p, (size_t)len, NULL) ? token.p : "?");
}

/* Handles the answer to initialize, the handshake of a legacy server (MCP 2025-11-25,
 * "Lifecycle"). */
static void
on_init_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, init);
    mcphost_error *error = NULL;
    const char *version;

    mcph_client_measure(c, call, answer);
    if (check_initialize(c, answer, &version, &error) == 0) {
        read_agreement(c, MCPH_CLIENT_LEGACY, version, answer);
        mcph_client_go_ready(c);
        return;
    }
    c->talking_legacy = false;
    if (call_is_open(&c->probe)) {
        c->init_error = error; /* keep the error, because the server may still answer
                                * the probe as a modern server */
        return;
    }
    /* Send the probe after all, because the era that an earlier connection found may be
     * outdated. */
    if (c->spec.era == MCPH_CLIENT_AUTO && c->n_probes == 0 &&
        mcph_probe_is_verdict(answer) && send_probe(c, NEWEST_MODERN) == 0) {
        c->init_error = error;
        return;
    }
    mcph_client_go_down(c, error);
}

/* ---- a session that another client began ------------------------------------------- */

/* The version that a server assumes if a request names no version (MCP 2025-06-18,
 * "Protocol Version Header"). */
#define UNNAMED_VERSION "2025-03-26"

/* Turns READY with the resumed session.  Assumes that the server has MCPH_OFFERS_ALL and
 * takes subscriptions, because without initialize the capabilities are not known. */
static void
go_on_with_session(struct mcph_client *c)
{
    mcph_frame_unref(c->info.frame);
    c->info = (struct mcph_client_info){.era = MCPH_CLIENT_LEGACY,
                                        .version = UNNAMED_VERSION,
                                        .offers = MCPH_OFFERS_ALL,
                                        .subscribe = true,
                                        .taken_up = true};
    mcph_client_go_ready(c);
}

static void
tell_unknown_session(struct mcph_client *c)
{
    c->info.taken_up = false;
    mcph_client_odd(c, MCPH_CLIENT_ODD_SESSION,
                    "does not know the session in 'sessionId'; a new session is started");
}

/* Handles the answer to the ping that resumes a session.  A JSON-RPC error without a
 * failed HTTP status counts as success, because the server accepted the session and read
 * the ping. */
static void
on_taken_up(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(call, struct mcph_client, take_up);
    mcphost_error *error = NULL;

    mcph_client_measure(c, call, answer);
    if (mcph_stream_session_is_unknown(answer)) {
        tell_unknown_session(c);
        if (!c->freed && c->state == MCPH_CLIENT_CONNECTING)
            fall_back(c);
    } else if (answer->code == 0 || (answer->code == MCPHOST_E_RPC && !answer->status)) {
        go_on_with_session(c);
    } else {
        mcph_client_answer_error(c, &error, "ping", answer);
        mcph_client_go_down(c, error);
    }
}

/* Sends the ping that resumes a session.  The ping shows at the start whether the session
 * has ended, before a call needs the session. */
static int
send_take_up(struct mcph_client *c)
{
    int r;

    c->take_up.timeout_ms = c->take_up.max_ms = -1;
    r = mcph_rpc_start(&c->rpc, &c->take_up);
    if (r < 0)
        return r;
    r = mcph_client_send_request(c, &c->take_up, MCPH_METHOD_PING, MCPH_SPAN_NONE);
    if (r < 0)
        mcph_rpc_abandon(&c->take_up);
    else
        c->talking_legacy = true;
    return r;
}

/* ---- other events of the negotiation ----------------------------------------------- */

static void
on_probe_due(struct mcph_timer *timer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(timer, struct mcph_client, probe_timer);

    if (c->recalled)
        take_recalled(c);
    else if (may_fall_back(c) && !call_is_open(&c->init))
        fall_back(c);
}

static void
on_start_due(struct mcph_timer *timer)
{
    struct mcph_client *c = MCPH_CONTAINER_OF(timer, struct mcph_client, start_timer);
    const char *what = call_is_open(&c->take_up) ? "ping"
                       : c->talking_legacy       ? "initialize"
                                                 : DISCOVER;
    mcphost_error *error = c->init_error;

    c->init_error = NULL;
    if (!error && !mcph_client_awaits_credentials(c, &error, what)) {
        mcph_client_error(
            c, &error, MCPHOST_E_TIMEOUT, "did not answer %s within %lld ms%s", what,
            (long long)c->spec.start_ms,
            c->talking_legacy || c->spec.era != MCPH_CLIENT_AUTO ? "" : CLIENT_ERA_HINT);
        if (c->transport)
            mcph_transport_attach_tail(c->transport, error);
    }
    mcph_client_go_down(c, error);
}

/* Takes an error without an id as the answer to the oldest open request of the
 * negotiation. */
void
mcph_negotiate_stray_error(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_rpc_answer answer = {
        .code = MCPHOST_E_RPC, .msg = msg, .frame = msg->frame};
    struct mcph_rpc_call *call = call_is_open(&c->take_up) ? &c->take_up
                                 : call_is_open(&c->probe) ? &c->probe
                                                           : &c->init;

    if (!call_is_open(call))
        return;
    mcph_rpc_abandon(call);
    call->on_answer(call, &answer);
}

void
mcph_negotiate_closed(struct mcph_client *c, mcphost_error *reason)
{
    /* Restart the client without the probe, because the probe may have ended the
     * server.  Some servers also refuse the probe and then end before they answer
     * initialize.  Do not restart while operations are in flight, because the server
     * cannot answer them any more, and mcph_client_go_down() ends them. */
    if (c->probed && c->n_in_flight == 0 && may_fall_back(c) && !c->restarted &&
        mcphost_error_get_code(reason) == MCPHOST_E_TRANSPORT) {
        c->begin_legacy = true;
        mcph_client_restart(c, reason);
        return;
    }
    if (c->init_error) {
        mcphost_error_unref(reason);
        reason = c->init_error;
        c->init_error = NULL;
    }
    mcph_client_go_down(c, reason);
}

/* ---- start and stop ---------------------------------------------------------------- */

int
mcph_negotiate_init(struct mcph_client *c, const char *cached_version)
{
    int era = c->spec.era == MCPH_CLIENT_AUTO ? c->spec.cached_era : c->spec.era;

    c->begin_legacy = era == MCPH_CLIENT_LEGACY;
    c->want = mcph_modern_named(cached_version);
    c->probe.on_answer = on_probe_answer;
    c->init.on_answer = on_init_answer;
    c->take_up.on_answer = on_taken_up;
    if (mcph_timer_init(&c->probe_timer, c->core, on_probe_due) < 0)
        return MCPHOST_E_NOMEM;
    return mcph_timer_init(&c->start_timer, c->core, on_start_due);
}

/* Starts the time limit of the probe.  Sets no limit over HTTP, because a server that
 * is silent over HTTP may belong to either era. */
static void
wait_for_probe(struct mcph_client *c, int64_t now)
{
    if (call_is_open(&c->probe) && may_fall_back(c) && !c->transport->streams)
        mcph_timer_set(&c->probe_timer, now + c->spec.probe_ms);
}

int
mcph_negotiate_start(struct mcph_client *c)
{
    int64_t now = mcph_core_now(c->core);
    int r = 0;

    if (c->spec.session)
        r = send_take_up(c);
    else if (c->begin_legacy)
        r = send_initialize(c);
    else if (!recall_probe(c))
        r = send_probe(c, c->want);
    if (r < 0)
        return r;
    wait_for_probe(c, now);
    /* Set this deadline only in the state NEW, because it limits all attempts of the
     * start together. */
    if (c->state == MCPH_CLIENT_NEW && c->spec.start_ms >= 0)
        mcph_timer_set(&c->start_timer, now + c->spec.start_ms);
    return 0;
}

void
mcph_negotiate_again(struct mcph_client *c)
{
    bool legacy = c->info.era == MCPH_CLIENT_LEGACY;
    int64_t now = mcph_core_now(c->core);
    mcphost_error *error = NULL;
    int r;

    if (c->n_again++ == AGAIN_MAX) {
        mcph_client_error(c, &error, MCPHOST_E_PROTOCOL,
                          "started a session and then did not know it, %d times in a row",
                          AGAIN_MAX);
        mcph_client_go_down(c, error);
        return;
    }
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
             "does not know the session any more; the handshake is repeated");
    if (c->info.taken_up)
        tell_unknown_session(c);
    if (c->freed || c->state != MCPH_CLIENT_READY)
        return;
    mcph_client_cache_forget_all(c);
    c->unproven = false;
    mcph_client_lists_postpone(c);
    mcph_client_listen_stop(c);
    mcph_client_subscriptions_stop(c);
    mcph_client_ping_stop(c);
    mcph_client_level_stop(c);
    c->state = MCPH_CLIENT_CONNECTING;
    c->old_streams = c->streams;
    c->holding = false;
    c->corrected = c->modern_for_sure = false;
    c->talking_legacy = legacy;
    c->n_probes = 0;
    c->begin_legacy = legacy;
    r = legacy ? send_initialize(c) : send_probe(c, NEWEST_MODERN);
    if (r < 0) {
        fail_unsent(c, r);
        return;
    }
    wait_for_probe(c, now);
    if (c->spec.start_ms >= 0)
        mcph_timer_set(&c->start_timer, now + c->spec.start_ms);
    if (!legacy)
        return;
    /* End the questions and operations last, because their owners may free the client. */
    mcph_questions_over(c, NULL, false, "the session has ended");
    mcph_operations_lost(c);
}

bool
mcph_negotiate_was_stranger(struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    if (!c->unproven || mcph_stream_refusal(c, answer) != REFUSAL_STRANGER)
        return false;
    mcph_negotiate_again(c);
    return true;
}

void
mcph_negotiate_stop(struct mcph_client *c)
{
    mcph_timer_cancel(&c->probe_timer);
    mcph_timer_cancel(&c->start_timer);
    mcph_rpc_abandon(&c->probe);
    mcph_rpc_abandon(&c->init);
    mcph_rpc_abandon(&c->take_up);
    mcphost_error_unref(c->init_error);
    c->init_error = NULL;
    c->recalled = mcph_frame_unref(c->recalled);
}
