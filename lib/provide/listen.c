/* SPDX-License-Identifier: MIT
 *
 * listen.c - subscriptions/listen: open requests of a modern client for notifications.
 * A "listen" is one of these requests.
 *
 *   asked --acknowledged--> open --cancelled by the client--> over
 *                             \__ the connection closes: a result
 *
 * MCP 2026-07-28, "Subscriptions".
 */
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

static const struct {
    const char *flag;
    unsigned kinds, offers;
} flags[] = {
    {"toolsListChanged", 1u << MCPHOST_FEATURE_TOOL, OFFERS_TOOLS},
    {"promptsListChanged", 1u << MCPHOST_FEATURE_PROMPT, OFFERS_PROMPTS},
    {"resourcesListChanged",
     1u << MCPHOST_FEATURE_RESOURCE | 1u << MCPHOST_FEATURE_TEMPLATE, OFFERS_RESOURCES},
};

bool
mcph_conn_listen_has(const struct listen *listen, const struct topic *topic)
{
    for (size_t i = 0; i < listen->topics.n; i++) {
        if (listen->topics.items[i] == topic)
            return true;
    }
    return false;
}

/* ---- the end of a listen ----------------------------------------------------------- */

static void
listen_free(struct mcph_connection *c, struct listen *listen)
{
    for (size_t i = 0; i < listen->topics.n; i++)
        mcph_topic_put(c, listen->topics.items[i]);
    mcph_vec_done(&listen->topics);
    free(listen);
}

void
mcph_conn_listen_end(struct mcph_connection *c, struct listen *listen)
{
    mcph_inbound_unbind(c, &listen->in);
    mcph_list_remove(&listen->in.link);
    c->n_listens--;
    listen_free(c, listen);
}

/* Sends the result of a listen that the server ends. */
static void
send_final_result(struct mcph_connection *c, const struct inbound *in)
{
    struct mcph_buf *buf;

    if (!mcph_reply_begin(c, &buf))
        return;
    mcph_reply_open(buf, inbound_id(in), true);
    mcph_buf_adds(buf, ",\"_meta\":{\"" CONN_META("subscriptionId") "\":");
    mcph_buf_add(buf, in->id, in->id_len);
    mcph_buf_adds(buf, "}}}");
    mcph_reply_commit(c, buf, 0, MCPH_SEND_RESPONSE, in->stream);
}

void
mcph_conn_listen_finish_all(struct mcph_connection *c)
{
    mcph_list_for_each_safe (it, &c->inbound) {
        struct inbound *in = MCPH_LIST_ENTRY(it, struct inbound, link);

        if (in->kind != INBOUND_LISTEN)
            continue;
        send_final_result(c, in);
        mcph_conn_listen_end(c, MCPH_CONTAINER_OF(in, struct listen, in));
    }
}

/* ---- the beginning of a listen ----------------------------------------------------- */

/* Adds a resource to a listen.  Skips a resource whose URI is not valid, or to which
 * mcph_topic_get() allows no subscription.  Returns 0 or MCPHOST_E_NOMEM. */
static int
add_topic(struct mcph_connection *c, struct listen *listen, struct mcph_span token)
{
    struct topic *topic = NULL;
    struct mcph_span uri;
    struct mcph_buf buf;
    int r = mcph_vec_reserve(&listen->topics, 1);

    mcph_buf_init(&buf, CONN_URI_MAX);
    if (r == 0 && mcph_json_string_get(token, &buf, &uri) == 0)
        r = mcph_topic_get(c, uri, &topic);
    mcph_buf_done(&buf);
    if (!topic)
        return r == MCPHOST_E_NOMEM ? r : 0;
    if (mcph_conn_listen_has(listen, topic))
        mcph_topic_put(c, topic);
    else
        (void)mcph_vec_add(&listen->topics, topic);
    return 0;
}

static int
read_filter(struct mcph_connection *c, struct listen *listen, struct mcph_span filter)
{
    struct mcph_span uris = mcph_json_get(filter, "resourceSubscriptions"), uri;
    unsigned offers = mcph_conn_offers(c);
    struct mcph_json_iter it;
    int r = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(flags); i++) {
        bool on = false;

        (void)mcph_json_bool(mcph_json_get(filter, flags[i].flag), &on);
        if (on && offers & flags[i].offers)
            listen->kinds |= flags[i].kinds;
    }
    if (mcph_json_type(uris) != MCPH_JSON_ARRAY || !(offers & OFFERS_SUBSCRIBE))
        return 0;
    mcph_json_iter_init(&it, uris);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &uri))
        r = add_topic(c, listen, uri);
    return r;
}

/* Sends the acknowledgement of a listen: the list of the notifications that the server
 * accepted. */
static void
acknowledge(struct mcph_connection *c, const struct listen *listen)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_adds(&buf, "\"notifications\":{");
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(flags); i++) {
        if (!(listen->kinds & flags[i].kinds))
            continue;
        mcph_json_add_key(&buf, flags[i].flag);
        mcph_buf_adds(&buf, "true");
    }
    if (listen->topics.n > 0) {
        mcph_json_add_key(&buf, "resourceSubscriptions");
        mcph_buf_addc(&buf, '[');
        for (size_t i = 0; i < listen->topics.n; i++) {
            const struct topic *topic = listen->topics.items[i];

            mcph_json_add_comma(&buf);
            mcph_json_add_string(&buf, topic->uri, topic->len);
        }
        mcph_buf_addc(&buf, ']');
    }
    mcph_buf_addc(&buf, '}');
    if (mcph_buf_ok(&buf) < 0)
        mcph_conn_end(c, MCPHOST_E_NOMEM, "a subscription cannot be acknowledged");
    else
        mcph_reply_notify(c, "notifications/subscriptions/acknowledged",
                          mcph_span(buf.data, buf.len), inbound_id(&listen->in),
                          listen->in.stream);
    mcph_buf_done(&buf);
}

void
mcph_conn_listen_begin(struct mcph_connection *c, const struct conn_method *method,
                       const struct request *req)
{
    struct mcph_span filter = mcph_json_get(req->params, "notifications");
    struct listen *listen;

    (void)method;
    if (mcph_json_type(filter) != MCPH_JSON_OBJECT) {
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS, "notifications are missing");
        return;
    }
    if (c->state == CONN_CLOSING || c->n_listens >= c->spec.max_listens) {
        mcph_reply_refuse(c, req, CONN_CODE_UNAVAILABLE,
                          c->state == CONN_CLOSING ? "the server is closing"
                                                   : "too many subscriptions are open");
        return;
    }
    listen = calloc(1, sizeof(*listen));
    if (listen && (read_filter(c, listen, filter) < 0 ||
                   mcph_inbound_bind(c, &listen->in, req) < 0)) {
        listen_free(c, listen);
        listen = NULL;
    }
    if (!listen) {
        mcph_reply_refuse(c, req, MCPH_RPC_INTERNAL_ERROR, "out of memory");
        return;
    }
    listen->in.kind = INBOUND_LISTEN;
    mcph_list_append(&c->inbound, &listen->in.link);
    c->n_listens++;
    acknowledge(c, listen);
}
