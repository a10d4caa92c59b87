/* SPDX-License-Identifier: MIT
 *
 * subscribe.c - the resources that the owner subscribed to.
 *
 * This file records the owner's wishes and the server's state separately.  A timer, at
 * most once in each turn of the dispatcher, adapts the server's state to the wishes:
 *
 *   legacy: each resource has a request, resources/subscribe or resources/unsubscribe
 *   modern: all resources are part of the single subscription of listen.c
 *
 * After a repeated handshake or the loss of a modern subscription, the client asks the
 * server for all resources again.  If a resource may have changed meanwhile, the client
 * reports a change of the resource.  If several notifications about one resource come
 * within spec.changed_ms, the client reports one update with their number.
 *
 * MCP 2025-11-25, "Resources"; 2026-07-28, "Subscriptions".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

#define AT_ONCE   8 /* limit on legacy requests that wait for an answer */
#define SHOWN_MAX 80

struct subscription {
    struct mcph_list link; /* link in the client's list of subscriptions */
    struct mcph_client *client;
    unsigned users;       /* number of the owner's subscriptions; 0 means not wanted */
    bool on;              /* the server announces changes of the resource */
    bool missed;          /* the server announced changes earlier, but since then may
                           * have failed to announce a change */
    bool tell;            /* the event `subscribed` is due */
    mcphost_error *error; /* the error for `subscribed` that ends the subscription */

    /* The members for the legacy era. */
    struct mcph_rpc_call call;
    bool leaving; /* `call` is resources/unsubscribe */
    bool again;   /* `call` was sent a second time, because its stream was lost */

    /* The members for the modern era.  `in` has the bits of the requests of listen.c that
     * name the resource. */
    unsigned in;
    bool honoured;
    bool stuck; /* the resource is not wanted any more, but the server refused the
                 * request that left the resource out */

    uint64_t n_updates; /* number of updates that are not reported yet */
    size_t len;
    char uri[];
};

static struct subscription *
subscription_of(struct mcph_list *it)
{
    return MCPH_LIST_ENTRY(it, struct subscription, link);
}

static bool
is_wanted(const struct subscription *sub)
{
    return sub->users > 0 && !sub->error;
}

static bool
is_of_use(const struct subscription *sub)
{
    return sub->users > 0 || sub->on || sub->in || mcph_rpc_call_waits(&sub->call);
}

/* Starts the timer whose function asks the server, reports events and frees
 * subscriptions. */
static void
look_soon(struct mcph_client *c)
{
    mcph_timer_set(&c->subscriptions.timer, mcph_core_now(c->core));
}

static void
add_update(struct subscription *sub)
{
    struct mcph_client *c = sub->client;
    struct mcph_timer *timer = &c->subscriptions.update_timer;

    sub->n_updates++;
    if (!mcph_timer_is_set(timer))
        mcph_timer_set(timer, mcph_core_now(c->core) + c->spec.changed_ms);
}

/* ---- the server's answer about one resource ---------------------------------------- */

static void
confirm_subscription(struct subscription *sub)
{
    if (sub->missed)
        add_update(sub);
    else if (!sub->on)
        sub->tell = true;
    sub->on = true;
    sub->missed = sub->again = false;
    look_soon(sub->client);
}

/* Records that the server announces no changes of the resource until the client asks
 * again. */
static void
mark_lost(struct subscription *sub)
{
    sub->missed |= sub->on;
    sub->on = false;
    look_soon(sub->client);
}

/* Ends the subscription with `error`, because the server refuses the subscription or the
 * request cannot be sent.  Keeps a reference to `error`, unless the subscription has an
 * error already. */
static void
refuse_subscription(struct subscription *sub, mcphost_error *error)
{
    sub->on = false;
    sub->in = 0;
    if (!sub->error)
        sub->error = mcphost_error_ref(error);
    look_soon(sub->client);
}

static void
refuse_unoffered(struct mcph_client *c)
{
    mcphost_error *error = NULL;

    if (c->info.subscribe || c->subscriptions.n == 0)
        return;
    mcph_client_error(
        c, &error, MCPHOST_E_NOTFOUND,
        "offers no subscriptions to resources: its capabilities do not name "
        "'resources.subscribe'");
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link)
        refuse_subscription(sub, error);
    mcphost_error_unref(error);
}

/* ---- legacy era: one request for each resource ------------------------------------- */

static void
on_answer(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer)
{
    struct subscription *sub = MCPH_CONTAINER_OF(call, struct subscription, call);
    struct mcph_client *c = sub->client;
    mcphost_error *error = NULL;

    c->subscriptions.n_asking--;
    look_soon(c);
    if (answer->code == MCPHOST_E_TIMEOUT && !answer->error)
        mcph_client_send_cancel(c, call, "timed out");
    if (sub->leaving) {
        /* Ignore the answer, because the resource is not wanted any more. */
        sub->on = false;
    } else if (answer->code == 0) {
        confirm_subscription(sub);
    } else if (mcph_stream_is_lost(c, answer) && !sub->again) {
        sub->again = true;
    } else {
        mcph_client_answer_error(c, &error, mcph_methods[MCPH_METHOD_SUBSCRIBE].name,
                                 answer);
        refuse_subscription(sub, error);
        mcphost_error_unref(error);
    }
}

static int
send_one(struct subscription *sub, int method)
{
    struct mcph_client *c = sub->client;
    struct mcph_buf params;
    int r;

    mcph_buf_init(&params, 6 * sub->len + 16);
    mcph_buf_adds(&params, "\"uri\":");
    mcph_json_add_string(&params, sub->uri, sub->len);
    sub->call.on_answer = on_answer;
    sub->call.timeout_ms = c->spec.list_ms;
    sub->call.max_ms = -1;
    r = mcph_buf_ok(&params);
    if (r == 0)
        r = mcph_rpc_start(&c->rpc, &sub->call);
    if (r == 0)
        r = mcph_client_send_request(c, &sub->call, method,
                                     mcph_span(params.data, params.len));
    if (r < 0)
        mcph_rpc_abandon(&sub->call);
    mcph_buf_done(&params);
    return r;
}

/* Sends the request to subscribe or unsubscribe.  Returns false if the connection is
 * being lost. */
static bool
send_wish(struct subscription *sub)
{
    struct mcph_client *c = sub->client;
    mcphost_error *error = NULL;
    int r;

    sub->leaving = !is_wanted(sub);
    r = send_one(sub, sub->leaving ? MCPH_METHOD_UNSUBSCRIBE : MCPH_METHOD_SUBSCRIBE);
    if (mcph_client_is_losing(c, r))
        return false;
    if (r == 0) {
        c->subscriptions.n_asking++;
    } else if (sub->leaving) {
        sub->on = false;
    } else {
        mcph_client_error(c, &error, r,
                          "the subscription to a resource cannot be sent: %s",
                          mcphost_strerror(r));
        refuse_subscription(sub, error);
        mcphost_error_unref(error);
    }
    return true;
}

static void
send_wishes(struct mcph_client *c)
{
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        if (c->subscriptions.n_asking >= AT_ONCE)
            return;
        if (!mcph_rpc_call_waits(&sub->call) && is_wanted(sub) != sub->on &&
            !send_wish(sub))
            return;
    }
}

bool
mcph_client_subscriptions_own(const struct mcph_rpc_call *call)
{
    return call->on_answer == on_answer;
}

/* ---- modern era: all resources in one request -------------------------------------- */

size_t
mcph_client_subscriptions_size(const struct mcph_client *c)
{
    size_t size = 0;

    mcph_list_for_each_entry (sub, &c->subscriptions.all, const struct subscription,
                              link) {
        if (is_wanted(sub))
            size += 6 * sub->len + 32;
    }
    return size;
}

bool
mcph_client_subscriptions_differ(const struct mcph_client *c)
{
    mcph_list_for_each_entry (sub, &c->subscriptions.all, const struct subscription,
                              link) {
        if (is_wanted(sub) != (sub->in != 0) && !sub->stuck)
            return true;
    }
    return false;
}

void
mcph_client_subscriptions_add(struct mcph_client *c, unsigned bit, struct mcph_buf *buf)
{
    const char *before = "\"resourceSubscriptions\":[";

    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        if (!is_wanted(sub))
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_adds(buf, before);
        mcph_json_add_string(buf, sub->uri, sub->len);
        sub->in |= bit;
        before = "";
    }
    if (!*before)
        mcph_buf_addc(buf, ']');
}

void
mcph_client_subscriptions_end(struct mcph_client *c, unsigned bit, bool gap,
                              mcphost_error *error)
{
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        sub->stuck |= error && !is_wanted(sub);
        if (!(sub->in & bit))
            continue;
        sub->in &= ~bit;
        if (error && !sub->in && is_wanted(sub))
            refuse_subscription(sub, error);
        else if (gap || !sub->in)
            mark_lost(sub);
    }
}

/* Marks the resources that the server accepts.  Returns false if memory is too short to
 * read all URIs. */
static bool
mark_honoured(struct mcph_client *c, struct mcph_span uris)
{
    struct mcph_span token, uri;
    struct mcph_json_iter it;
    struct subscription *sub;
    struct mcph_buf decoded;
    bool known = true;
    int r;

    mcph_buf_init(&decoded, uris.len + 16);
    mcph_json_iter_init(&it, uris);
    while (mcph_json_iter_next(&it, NULL, &token)) {
        mcph_buf_clear(&decoded);
        r = mcph_json_string_get(token, &decoded, &uri);
        known = known && r != MCPHOST_E_NOMEM;
        if (r < 0)
            continue;
        sub = mcph_map_get(&c->subscriptions.by_uri, uri.p, uri.len);
        if (sub)
            sub->honoured = true;
    }
    mcph_buf_done(&decoded);
    return known;
}

void
mcph_client_subscriptions_honoured(struct mcph_client *c, unsigned bit,
                                   struct mcph_span honoured)
{
    struct mcph_span uris = mcph_json_get(honoured, "resourceSubscriptions");
    bool known = mcph_json_type(uris) != MCPH_JSON_ARRAY || mark_honoured(c, uris);
    mcphost_error *error = NULL;

    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        if ((sub->in & bit) && (sub->honoured || !known))
            confirm_subscription(sub);
        else if (sub->in & bit) {
            if (!error)
                mcph_client_error(c, &error, MCPHOST_E_NOTFOUND,
                                  "does not announce changes of the resource: it did not "
                                  "acknowledge the subscription");
            refuse_subscription(sub, error);
        }
        sub->honoured = false;
    }
    mcphost_error_unref(error);
}

/* ---- notices ----------------------------------------------------------------------- */

/* Returns true if `uri` is a part of the resource.  A notification can name a
 * part of a resource (MCP 2025-11-25, "Resources"). */
static bool
is_part(const struct subscription *sub, struct mcph_span uri)
{
    return uri.len > sub->len && memcmp(uri.p, sub->uri, sub->len) == 0 &&
           (sub->uri[sub->len - 1] == '/' || memchr("/?#", uri.p[sub->len], 3));
}

/* Counts an update of `uri` for the subscription to `uri`.  Without this subscription,
 * counts the update for each subscription to a resource that `uri` is a part of.  Returns
 * false if no subscription matches. */
static bool
count_update(struct mcph_client *c, struct mcph_span uri)
{
    struct subscription *own = mcph_map_get(&c->subscriptions.by_uri, uri.p, uri.len);
    bool found = false;

    if (own) {
        add_update(own);
        return true;
    }
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        if (is_part(sub, uri)) {
            add_update(sub);
            found = true;
        }
    }
    return found;
}

static void
tell_foreign(struct mcph_client *c, struct mcph_span uri)
{
    struct mcph_buf text;

    if (c->subscriptions.told_foreign)
        return;
    c->subscriptions.told_foreign = true;
    mcph_buf_init(&text, 1024);
    mcph_buf_adds(&text, "announces a change of the resource '");
    mcph_utf8_add_clean(&text, uri.p, uri.len < SHOWN_MAX ? uri.len : SHOWN_MAX, true);
    mcph_buf_adds(&text, uri.len > SHOWN_MAX ? "...'" : "'");
    mcph_buf_adds(&text, ", to which nobody subscribed; such notices are dropped");
    if (mcph_buf_text(&text))
        mcph_client_odd(c, MCPH_CLIENT_ODD_UPDATE, text.data);
    mcph_buf_done(&text);
}

void
mcph_client_subscriptions_updated(struct mcph_client *c,
                                  const struct mcph_rpc_message *msg)
{
    struct mcph_span token = mcph_json_get(msg->params, "uri"), uri;
    struct mcph_buf decoded;

    mcph_buf_init(&decoded, token.len + 16);
    if (mcph_json_type(token) == MCPH_JSON_STRING &&
        mcph_json_string_get(token, &decoded, &uri) == 0 && !count_update(c, uri))
        tell_foreign(c, uri);
    mcph_buf_done(&decoded);
}

void
mcph_client_subscriptions_missed(struct mcph_client *c)
{
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        if (sub->on)
            add_update(sub);
    }
}

/* ---- events for the owner ---------------------------------------------------------- */

static void
unlink_subscription(struct subscription *sub)
{
    struct subscriptions *subs = &sub->client->subscriptions;

    mcph_list_remove(&sub->link);
    mcph_map_remove(&subs->by_uri, sub->uri, sub->len);
    subs->n--;
    subs->bytes -= sub->len;
}

static void
free_subscription(struct subscription *sub)
{
    mcph_rpc_abandon(&sub->call);
    mcphost_error_unref(sub->error);
    free(sub);
}

/* Takes the first subscription and moves it to the end of the list, because the owner may
 * change the list in an event.  Returns NULL if there is no subscription or the client
 * has ended. */
static struct subscription *
rotate_next(struct mcph_client *c)
{
    struct mcph_list *item;

    if (c->freed || c->state == MCPH_CLIENT_DOWN)
        return NULL;
    item = mcph_list_take_first(&c->subscriptions.all);
    if (item)
        mcph_list_append(&c->subscriptions.all, item);
    return item ? subscription_of(item) : NULL;
}

static void
tell_answer(struct subscription *sub)
{
    struct mcph_client *c = sub->client;
    struct mcph_span uri = mcph_span(sub->uri, sub->len);
    bool over = sub->error || !is_of_use(sub);
    bool told = (sub->error || sub->tell) && sub->users > 0 && c->events->subscribed;

    sub->tell = false;
    if (over)
        unlink_subscription(sub);
    if (told)
        c->events->subscribed(c, uri, over ? sub->error : NULL, c->arg);
    if (over)
        free_subscription(sub);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_client *c =
        MCPH_CONTAINER_OF(timer, struct mcph_client, subscriptions.timer);
    struct subscription *sub;

    if (c->state == MCPH_CLIENT_READY)
        refuse_unoffered(c);
    if (c->state == MCPH_CLIENT_READY && c->info.era == MCPH_CLIENT_LEGACY)
        send_wishes(c);
    else
        mcph_client_listen_update(c);
    for (size_t n = c->subscriptions.n; n > 0 && (sub = rotate_next(c)) != NULL; n--)
        tell_answer(sub);
}

static void
on_update_due(struct mcph_timer *timer)
{
    struct mcph_client *c =
        MCPH_CONTAINER_OF(timer, struct mcph_client, subscriptions.update_timer);
    struct subscription *sub;

    for (size_t n = c->subscriptions.n; n > 0 && (sub = rotate_next(c)) != NULL; n--) {
        uint64_t count = sub->n_updates;

        sub->n_updates = 0;
        if (count > 0 && is_wanted(sub) && c->events->updated)
            c->events->updated(c, mcph_span(sub->uri, sub->len), count, c->arg);
    }
}

/* ---- subscribing and unsubscribing ------------------------------------------------- */

static int
add_subscription(struct mcph_client *c, struct mcph_span uri, mcphost_error **reterr)
{
    struct subscriptions *subs = &c->subscriptions;
    struct subscription *sub;

    if (subs->n >= c->spec.max_subscriptions ||
        uri.len > c->spec.max_subscription_bytes - subs->bytes)
        return mcph_client_error(c, reterr, MCPHOST_E_LIMIT,
                                 "has %zu subscriptions to resources, with %zu bytes of "
                                 "URIs; no more are allowed",
                                 subs->n, subs->bytes);
    sub = calloc(1, sizeof(*sub) + uri.len);
    if (!sub)
        return mcph_err_nomem(reterr);
    memcpy(sub->uri, uri.p, uri.len);
    sub->len = uri.len;
    sub->client = c;
    sub->users = 1;
    if (mcph_map_put(&subs->by_uri, sub->uri, sub->len, sub, NULL) < 0) {
        free(sub);
        return mcph_err_nomem(reterr);
    }
    mcph_list_append(&subs->all, &sub->link);
    subs->n++;
    subs->bytes += sub->len;
    look_soon(c);
    return 0;
}

int
mcph_client_subscribe(struct mcph_client *c, struct mcph_span uri, mcphost_error **reterr)
{
    struct subscription *sub;

    if (c->state == MCPH_CLIENT_DOWN)
        return mcph_client_error(c, reterr, MCPHOST_E_TRANSPORT,
                                 "is not connected any more");
    if (uri.len == 0 || !mcph_utf8_valid(uri.p, uri.len, NULL))
        return mcph_client_error(c, reterr, MCPHOST_E_INVALID,
                                 "cannot be asked for a resource whose URI is %s",
                                 uri.len == 0 ? "empty" : "not UTF-8");
    sub = mcph_map_get(&c->subscriptions.by_uri, uri.p, uri.len);
    if (!sub)
        return add_subscription(c, uri, reterr);
    sub->users++;
    sub->stuck = false;
    sub->tell |= sub->on && !mcph_rpc_call_waits(&sub->call);
    look_soon(c);
    return 0;
}

void
mcph_client_unsubscribe(struct mcph_client *c, struct mcph_span uri)
{
    struct subscription *sub = mcph_map_get(&c->subscriptions.by_uri, uri.p, uri.len);

    if (!sub || sub->users == 0)
        return;
    sub->users--;
    look_soon(c);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_client_subscriptions_init(struct mcph_client *c)
{
    struct subscriptions *subs = &c->subscriptions;

    mcph_list_init(&subs->all);
    if (mcph_timer_init(&subs->timer, c->core, on_due) < 0)
        return MCPHOST_E_NOMEM;
    return mcph_timer_init(&subs->update_timer, c->core, on_update_due);
}

void
mcph_client_subscriptions_begin(struct mcph_client *c)
{
    refuse_unoffered(c);
    if (c->subscriptions.n > 0)
        look_soon(c);
}

void
mcph_client_subscriptions_stop(struct mcph_client *c)
{
    mcph_list_for_each_entry (sub, &c->subscriptions.all, struct subscription, link) {
        mcph_rpc_abandon(&sub->call);
        sub->in = 0;
        sub->stuck = sub->again = false;
        mark_lost(sub);
    }
    c->subscriptions.n_asking = 0;
}

void
mcph_client_subscriptions_drop(struct mcph_client *c)
{
    struct subscriptions *subs = &c->subscriptions;

    mcph_list_for_each_safe (it, &subs->all) {
        unlink_subscription(subscription_of(it));
        free_subscription(subscription_of(it));
    }
    subs->n_asking = 0;
    mcph_timer_cancel(&subs->timer);
    mcph_timer_cancel(&subs->update_timer);
}

void
mcph_client_subscriptions_done(struct mcph_client *c)
{
    mcph_timer_done(&c->subscriptions.timer);
    mcph_timer_done(&c->subscriptions.update_timer);
    mcph_map_done(&c->subscriptions.by_uri);
}
