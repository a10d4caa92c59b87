/* SPDX-License-Identifier: MIT
 *
 * listen.c - the single subscription of a modern connection (MCP 2026-07-28,
 * "Subscriptions").
 *
 * The subscription names the lists whose changes the server can announce and the owner
 * wants to know.  The subscription also names the resources that the owner subscribed to
 * (subscribe.c), and the watched tasks (tasks.c).
 *
 *   sent --acknowledged--> open --lost--> waiting --delay--> sent
 *     \__ refused, not acknowledged: none, until the resources or tasks change
 *
 * A request cannot be changed.  When the set of resources changes or a task is added, the
 * client sends a second request.  The first request stays open until the server
 * acknowledges the second request, so that no change goes unnoticed in between.  Further
 * changes of the set wait for a third request.
 *
 * A request stays open as long as the connection.  Only the acknowledgment of the request
 * has a deadline.  A notice belongs to the subscription only if it carries the id of the
 * request, because on stdio all messages come over one pipe.  On a transport with
 * streams, the request's stream may break or end while the server continues to run.  The
 * client then sends the request again after a growing delay.  When the server
 * acknowledges the new request, the client reports the lists and resources that may have
 * changed in between.  If the server accepts no subscription, the connection continues,
 * and the client gets no notices.
 */
#include <stdio.h>
#include <string.h>

#include "client/internal.h"

#define METHOD    "subscriptions/listen"
#define ENDED     "the server ended the subscription"
#define FLAGS_MAX 256
#define ACK_MS    60000
#define FIRST_MS  1000
/* Limit on the delay in ms.  If a request was open for at least this time, the delay
 * after the request starts from its smallest value again. */
#define LONGEST_MS 60000

static bool
is_sent(const struct listen_request *request)
{
    return mcph_rpc_call_waits(&request->call);
}

/* Returns the open request whose member `acknowledged` has this value, or NULL. */
static struct listen_request *
find_request(struct mcph_client *c, bool acknowledged)
{
    for (size_t i = 0; i < LISTEN_REQUESTS; i++) {
        struct listen_request *request = &c->listen.requests[i];

        if (is_sent(request) && request->acknowledged == acknowledged)
            return request;
    }
    return NULL;
}

static unsigned
bit_of(const struct listen_request *request)
{
    return 1u << (request - request->client->listen.requests);
}

/* Returns the lists whose changes the client asks for, 1u << MCPH_LIST_*. */
static unsigned
wanted_kinds(const struct mcph_client *c)
{
    return c->spec.listen & c->info.list_changed;
}

/* ---- the end of a request ---------------------------------------------------------- */

/* Returns true if the request was lost and not refused.  A request can be lost only over
 * a transport with streams, while the client is READY.  With an HTTP status of 400 or
 * more, the request is lost if the status is 408, 429, or 500 or more.  With any other
 * status, the request is lost unless the answer is a JSON-RPC error.  A request whose
 * acknowledgment came too late is not lost. */
static bool
is_lost(const struct mcph_client *c, const struct mcph_rpc_answer *answer)
{
    int status = answer->status;

    if (!c->transport || !c->transport->streams || c->state != MCPH_CLIENT_READY ||
        answer->code == MCPHOST_E_TIMEOUT)
        return false;
    if (status >= 400)
        return status >= 500 || status == 408 || status == 429;
    return answer->code != MCPHOST_E_RPC;
}

/* Records that changes go unnoticed from now on, and drops the cached lists.  Does
 * nothing if an acknowledged request is open. */
static void
mark_missed(struct mcph_client *c)
{
    if (find_request(c, true))
        return;
    c->listen.lost = true;
    for (int kind = 0; kind < MCPH_LIST_KINDS; kind++) {
        if (wanted_kinds(c) & 1u << kind)
            mcph_client_cache_forget_list(c, kind);
    }
}

static void
wait_for_next(struct mcph_client *c, const struct listen_request *request)
{
    struct listen *listen = &c->listen;
    int64_t now = mcph_core_now(c->core);

    mark_missed(c);
    if (find_request(c, false))
        return;
    if (request->acknowledged && now - request->since >= LONGEST_MS)
        listen->delay = 0;
    listen->delay = listen->delay ? listen->delay * 2 : FIRST_MS;
    if (listen->delay > LONGEST_MS)
        listen->delay = LONGEST_MS;
    mcph_timer_set(&listen->timer, now + listen->delay);
}

static void update_request(struct mcph_client *c, bool anew);

/* Gives up a request and logs `how`.  If the request named tasks, sends a new request
 * without the tasks.  Otherwise ends the subscriptions that only this request asked
 * for.  Takes over the reference to `error`.  If `error` is NULL, makes the error from
 * `how`. */
static void
give_up_request(struct listen_request *request, const char *how, mcphost_error *error)
{
    struct mcph_client *c = request->client;

    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
             "%s; list changes will not be noticed", how);
    if (!error)
        mcph_client_error(c, &error, MCPHOST_E_TRANSPORT, "%s", how);
    mark_missed(c);
    if (request->tasks) {
        /* The server may have refused the ids of tasks that it no longer knows.
         * Therefore send a request without the ids of tasks. */
        mcph_client_tasks_refused(c);
        mcph_client_subscriptions_end(c, bit_of(request), request->acknowledged, NULL);
        mcphost_error_unref(error);
        update_request(c, true);
        return;
    }
    mcph_client_subscriptions_end(c, bit_of(request), request->acknowledged, error);
    mcphost_error_unref(error);
    mcph_client_listen_update(c);
}

static void
give_up_unsent(struct listen_request *request, int code)
{
    mcphost_error *error = NULL;

    mcph_client_error(request->client, &error, code, METHOD " cannot be sent: %s",
                      mcphost_strerror(code));
    give_up_request(request, METHOD " could not be sent", error);
}

static void
on_listen_end(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct listen_request *request = MCPH_CONTAINER_OF(call, struct listen_request, call);
    struct mcph_client *c = request->client;
    mcphost_error *error = NULL;

    if (answer->code < 0 && mcph_negotiate_was_stranger(c, answer))
        return;
    if (is_lost(c, answer)) {
        mcph_client_subscriptions_end(c, bit_of(request), request->acknowledged, NULL);
        wait_for_next(c, request);
        return;
    }
    if (answer->code < 0)
        mcph_client_answer_error(c, &error, METHOD, answer);
    if (answer->code == MCPHOST_E_TIMEOUT) {
        mcph_client_send_cancel(c, call, "not acknowledged");
        give_up_request(request, METHOD " was not acknowledged", error);
    } else if (answer->code < 0) {
        give_up_request(request, METHOD " was refused", error);
    } else {
        give_up_request(request, ENDED, NULL);
    }
}

/* ---- sending requests -------------------------------------------------------------- */

static int
add_filter(struct mcph_client *c, struct listen_request *request, struct mcph_buf *buf)
{
    mcph_buf_adds(buf, "\"notifications\":{");
    for (size_t i = 0; i < LIST_NOTICES; i++) {
        if (!(mcph_list_notices[i].kinds & wanted_kinds(c)))
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_addf(buf, "\"%s\":true", mcph_list_notices[i].flag);
    }
    mcph_client_subscriptions_add(c, bit_of(request), buf);
    mcph_client_tasks_add(c, request, buf);
    return mcph_buf_addc(buf, '}');
}

static int
send_listen(struct listen_request *request)
{
    struct mcph_client *c = request->client;
    struct mcph_rpc_call *call = &request->call;
    struct mcph_buf params;
    int r;

    mcph_buf_init(&params, FLAGS_MAX + mcph_client_subscriptions_size(c) +
                               mcph_client_tasks_size(c));
    r = add_filter(c, request, &params);
    if (r == 0)
        r = mcph_rpc_start_named(&c->rpc, call, request->id);
    if (r == 0)
        r = mcph_client_send_request(c, call, MCPH_METHOD_LISTEN,
                                     mcph_span(params.data, params.len));
    if (r < 0)
        mcph_rpc_abandon(call);
    mcph_buf_done(&params);
    return r;
}

static void
send_next(struct mcph_client *c)
{
    struct listen *listen = &c->listen;
    struct listen_request *request = &listen->requests[is_sent(&listen->requests[0])];
    int r;

    request->acknowledged = false;
    snprintf(request->id, sizeof(request->id), "listen:%u", ++listen->n);
    request->call.on_answer = on_listen_end;
    request->call.timeout_ms = ACK_MS;
    request->call.max_ms = -1;
    r = send_listen(request);
    if (r < 0 && !mcph_client_is_losing(c, r))
        give_up_unsent(request, r);
}

/* Cancels the acknowledged request, if any. */
static void
close_open(struct mcph_client *c)
{
    struct listen_request *open = find_request(c, true);

    if (!open)
        return;
    mcph_client_send_cancel(c, &open->call, NULL);
    mcph_rpc_abandon(&open->call);
    mcph_client_subscriptions_end(c, bit_of(open), false, NULL);
}

static void
update_request(struct mcph_client *c, bool anew)
{
    if (c->state != MCPH_CLIENT_READY || c->info.era != MCPH_CLIENT_MODERN ||
        find_request(c, false) || mcph_timer_is_set(&c->listen.timer) ||
        !(anew || mcph_client_subscriptions_differ(c) ||
          mcph_client_tasks_differ(c, find_request(c, true))))
        return;
    if (wanted_kinds(c) ||
        mcph_client_subscriptions_size(c) + mcph_client_tasks_size(c) > 0)
        send_next(c);
    else
        close_open(c);
}

void
mcph_client_listen_update(struct mcph_client *c)
{
    update_request(c, false);
}

void
mcph_client_listen_start(struct mcph_client *c)
{
    update_request(c, true);
}

static void
on_due(struct mcph_timer *timer)
{
    mcph_client_listen_start(MCPH_CONTAINER_OF(timer, struct mcph_client, listen.timer));
}

/* ---- messages of the server -------------------------------------------------------- */

static struct listen_request *
find_id(struct mcph_client *c, struct mcph_span id)
{
    if (mcph_json_type(id) != MCPH_JSON_STRING)
        return NULL;
    for (size_t i = 0; i < LISTEN_REQUESTS; i++) {
        struct listen_request *request = &c->listen.requests[i];

        if (is_sent(request) && mcph_json_string_is(id, request->id, strlen(request->id)))
            return request;
    }
    return NULL;
}

static struct listen_request *
find_owner(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct mcph_span meta = mcph_json_get(msg->params, "_meta");

    return find_id(c, mcph_json_get(meta, "io.modelcontextprotocol/subscriptionId"));
}

bool
mcph_client_listen_owns(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    return find_owner(c, msg) != NULL;
}

/* Logs a message if the client wants the server to announce changes of this list, but the
 * server did not agree. */
static void
check_flag(const struct mcph_client *c, const struct list_notice *notice,
           struct mcph_span honoured)
{
    bool on = false;

    if (!(notice->kinds & wanted_kinds(c)) ||
        (mcph_json_bool(mcph_json_get(honoured, notice->flag), &on) == 0 && on))
        return;
    mcph_log(c->core, MCPHOST_LOG_INFO, "client", c->spec.server,
             "the server does not announce changes of its %s", notice->capability);
}

void
mcph_client_listen_acknowledged(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct listen_request *request = find_owner(c, msg);
    struct mcph_span honoured;

    if (!request || request->acknowledged)
        return;
    close_open(c); /* `request` replaces the open request */
    request->acknowledged = true;
    request->since = mcph_core_now(c->core);
    mcph_rpc_call_set_timeout(&request->call, -1);
    honoured = mcph_json_get(msg->params, "notifications");
    for (size_t i = 0; i < LIST_NOTICES; i++)
        check_flag(c, &mcph_list_notices[i], honoured);
    mcph_client_subscriptions_honoured(c, bit_of(request), honoured);
    if (c->listen.lost)
        mcph_client_lists_changed(c, wanted_kinds(c));
    c->listen.lost = false;
    mcph_client_listen_update(c);
}

void
mcph_client_listen_cancelled(struct mcph_client *c, const struct mcph_rpc_message *msg)
{
    struct listen_request *request = find_id(c, mcph_json_get(msg->params, "requestId"));

    if (!request)
        return;
    mcph_rpc_abandon(&request->call);
    give_up_request(request, ENDED, NULL);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_client_listen_init(struct mcph_client *c)
{
    for (size_t i = 0; i < LISTEN_REQUESTS; i++)
        c->listen.requests[i].client = c;
    return mcph_timer_init(&c->listen.timer, c->core, on_due);
}

bool
mcph_client_listen_own(const struct mcph_rpc_call *call)
{
    return call->on_answer == on_listen_end;
}

void
mcph_client_listen_stop(struct mcph_client *c)
{
    mcph_timer_cancel(&c->listen.timer);
    for (size_t i = 0; i < LISTEN_REQUESTS; i++)
        mcph_rpc_abandon(&c->listen.requests[i].call);
}
