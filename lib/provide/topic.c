/* SPDX-License-Identifier: MIT
 *
 * topic.c - notifications for the client: changes of lists and resources, log messages.
 *
 * A legacy client gets the changes of all lists that the answer to `initialize`
 * announced, the changes of resources to which it has subscribed, and log messages from
 * the level that it has set.  Changes of lists are sent only after the client has sent
 * notifications/initialized.  A modern client gets the changes that its requests
 * `subscriptions/listen` name (listen.c).  A modern client gets log messages while a
 * request that asks for log messages is in flight.
 *
 * MCP 2025-11-25, "Resources", "Subscriptions"; "Logging".  MCP 2026-07-28,
 * "Subscriptions".
 */
#include <stdlib.h>
#include <string.h>

#include "provide/engine.h"

/* ---- subscribed resources ---------------------------------------------------------- */

static void
topic_free(struct topic *topic)
{
    mcph_list_remove(&topic->link);
    free(topic->uri);
    free(topic);
}

static struct topic *
topic_new(struct mcph_connection *c, struct mcph_span uri)
{
    struct topic *topic = calloc(1, sizeof(*topic));

    if (!topic)
        return NULL;
    mcph_list_append(&c->all_topics, &topic->link);
    topic->uri = mcph_strndup(uri.p, uri.len);
    topic->len = uri.len;
    if (topic->uri && mcph_map_put(&c->topics, topic->uri, topic->len, topic, NULL) == 0)
        return topic;
    topic_free(topic);
    return NULL;
}

int
mcph_topic_get(struct mcph_connection *c, struct mcph_span uri, struct topic **ret)
{
    struct topic *topic = mcph_map_get(&c->topics, uri.p, uri.len);
    int r = 0;

    if (!topic) {
        if (uri.len == 0 || uri.len > CONN_URI_MAX)
            return MCPHOST_E_INVALID;
        if (c->topics.n >= c->spec.max_subscribed)
            return MCPHOST_E_LIMIT;
        topic = topic_new(c, uri);
        if (!topic)
            return MCPHOST_E_NOMEM;
        if (c->service->ops->subscribe)
            r = c->service->ops->subscribe(c->service, mcph_span(topic->uri, topic->len));
        if (r < 0) {
            mcph_map_remove(&c->topics, topic->uri, topic->len);
            topic_free(topic);
            return r;
        }
    }
    topic->n++;
    *ret = topic;
    return 0;
}

void
mcph_topic_put(struct mcph_connection *c, struct topic *topic)
{
    if (--topic->n > 0)
        return;
    mcph_map_remove(&c->topics, topic->uri, topic->len);
    if (c->service->ops->unsubscribe)
        c->service->ops->unsubscribe(c->service, mcph_span(topic->uri, topic->len));
    topic_free(topic);
}

void
mcph_topics_end(struct mcph_connection *c)
{
    mcph_list_for_each_safe (it, &c->all_topics) {
        struct topic *topic = MCPH_LIST_ENTRY(it, struct topic, link);

        if (topic->legacy)
            mcph_topic_put(c, topic);
    }
}

static void
refuse_topic(struct mcph_connection *c, const struct request *req, int code)
{
    if (code == MCPHOST_E_NOTFOUND)
        mcph_reply_refuse(c, req, CONN_CODE_NO_RESOURCE, "Resource not found");
    else if (code == MCPHOST_E_INVALID)
        mcph_reply_refuse(c, req, MCPH_RPC_INVALID_PARAMS,
                          "the uri is missing or not valid");
    else if (code == MCPHOST_E_LIMIT)
        mcph_reply_refuse(c, req, CONN_CODE_UNAVAILABLE,
                          "too many resources are subscribed");
    else
        mcph_reply_refuse(c, req, MCPH_RPC_INTERNAL_ERROR, mcphost_strerror(code));
}

static int
set_subscription(struct mcph_connection *c, struct mcph_span uri, bool on)
{
    struct topic *topic = mcph_map_get(&c->topics, uri.p, uri.len);
    int r = 0;

    if (on && (!topic || !topic->legacy)) {
        r = mcph_topic_get(c, uri, &topic);
        if (r == 0)
            topic->legacy = true;
    } else if (!on && topic && topic->legacy) {
        topic->legacy = false;
        mcph_topic_put(c, topic);
    }
    return r;
}

static void
answer_subscribe(struct mcph_connection *c, const struct request *req, bool on)
{
    struct mcph_span token = mcph_json_get(req->params, "uri"), uri;
    struct mcph_buf buf;
    int r = MCPHOST_E_INVALID;

    mcph_buf_init(&buf, CONN_URI_MAX);
    if (mcph_json_type(token) == MCPH_JSON_STRING)
        r = mcph_json_string_get(token, &buf, &uri) == 0 ? set_subscription(c, uri, on)
                                                         : MCPHOST_E_INVALID;
    mcph_buf_done(&buf);
    if (r < 0)
        refuse_topic(c, req, r);
    else
        mcph_reply_nothing(c, req);
}

void
mcph_topic_subscribe(struct mcph_connection *c, const struct conn_method *method,
                     const struct request *req)
{
    (void)method;
    answer_subscribe(c, req, true);
}

void
mcph_topic_unsubscribe(struct mcph_connection *c, const struct conn_method *method,
                       const struct request *req)
{
    (void)method;
    answer_subscribe(c, req, false);
}

/* ---- events of the service --------------------------------------------------------- */

/* Returns the connection that receives the events of this service, or NULL. */
static struct mcph_connection *
listener_of(const struct mcph_service *service)
{
    struct mcph_connection *c = service->connection;

    return c && !conn_is_over(c) ? c : NULL;
}

static void
tell_listens(struct mcph_connection *c, const char *method, unsigned kinds,
             const struct topic *topic, struct mcph_span params)
{
    mcph_list_for_each_entry (in, &c->inbound, const struct inbound, link) {
        const struct listen *listen = MCPH_CONTAINER_OF(in, struct listen, in);

        if (in->kind == INBOUND_LISTEN &&
            (topic ? mcph_conn_listen_has(listen, topic) : (listen->kinds & kinds) != 0))
            mcph_reply_notify(c, method, params, inbound_id(in), in->stream);
    }
}

#define RESOURCES (1u << MCPHOST_FEATURE_RESOURCE | 1u << MCPHOST_FEATURE_TEMPLATE)

static const struct {
    const char *method;
    unsigned kinds, offers;
} notices[] = {
    {"notifications/tools/list_changed", 1u << MCPHOST_FEATURE_TOOL, OFFERS_TOOLS},
    {"notifications/resources/list_changed", RESOURCES, OFFERS_RESOURCES},
    {"notifications/prompts/list_changed", 1u << MCPHOST_FEATURE_PROMPT, OFFERS_PROMPTS},
};

void
mcph_service_changed(struct mcph_service *service, unsigned kinds)
{
    struct mcph_connection *c = listener_of(service);

    for (size_t i = 0; c && i < MCPH_ARRAY_SIZE(notices); i++) {
        if (!(kinds & notices[i].kinds))
            continue;
        if (c->initialized && c->announced & notices[i].offers)
            mcph_reply_notify(c, notices[i].method, MCPH_SPAN_NONE, MCPH_SPAN_NONE, 0);
        tell_listens(c, notices[i].method, notices[i].kinds, NULL, MCPH_SPAN_NONE);
    }
}

void
mcph_service_updated(struct mcph_service *service, struct mcph_span uri)
{
    static const char method[] = "notifications/resources/updated";
    struct mcph_connection *c = listener_of(service);
    const struct topic *topic = c ? mcph_map_get(&c->topics, uri.p, uri.len) : NULL;
    struct mcph_span params;
    struct mcph_buf buf;

    if (!topic)
        return;
    mcph_buf_init(&buf, 6 * uri.len + 64);
    mcph_json_add_key(&buf, "uri");
    mcph_json_add_string(&buf, uri.p, uri.len);
    params = mcph_span(buf.data, buf.len);
    if (mcph_buf_ok(&buf) < 0) {
        mcph_conn_end(c, MCPHOST_E_NOMEM, "a change cannot be announced");
    } else {
        if (topic->legacy)
            mcph_reply_notify(c, method, params, MCPH_SPAN_NONE, 0);
        tell_listens(c, method, 0, topic, params);
    }
    mcph_buf_done(&buf);
}

/* Returns true if the client wants a message of this level.  Sets *ret_stream to the
 * stream of a modern request that wants the message, or to 0 for a legacy client. */
static bool
wants_message(const struct mcph_connection *c, int level, uint64_t *ret_stream)
{
    *ret_stream = 0;
    if (c->era == CONN_ERA_LEGACY)
        return level >= c->level;
    mcph_list_for_each_entry (in, &c->inbound, const struct inbound, link) {
        *ret_stream = in->stream;
        if (in->kind == INBOUND_WORK && in->bound &&
            level >= MCPH_CONTAINER_OF(in, struct work, in)->level)
            return true;
    }
    return false;
}

void
mcph_service_logged(struct mcph_service *service, int level, struct mcph_span logger,
                    struct mcph_span data)
{
    struct mcph_connection *c = listener_of(service);
    struct mcph_buf buf;
    uint64_t stream;

    if (!c || !wants_message(c, level, &stream) || mcph_outbox_is_due(c))
        return;
    mcph_buf_init(&buf, data.len + 6 * logger.len + 256);
    mcph_json_add_member(&buf, "level", mcph_legacy_level_name(level));
    if (logger.p) {
        mcph_json_add_key(&buf, "logger");
        mcph_json_add_string(&buf, logger.p, logger.len);
    }
    mcph_json_add_key(&buf, "data");
    /* Drop the message if memory is short. */
    if (mcph_rpc_add_oneline(&buf, data) == 0 && mcph_buf_ok(&buf) == 0)
        mcph_reply_notify(c, "notifications/message", mcph_span(buf.data, buf.len),
                          MCPH_SPAN_NONE, stream);
    mcph_buf_done(&buf);
}

void
mcph_service_closing(struct mcph_service *service)
{
    struct mcph_connection *c = listener_of(service);

    if (c)
        mcph_connection_close(c, -1);
}
