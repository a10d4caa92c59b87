/* SPDX-License-Identifier: MIT
 *
 * goclaw_entry.c - read one server of .goclaw/mcp.json (R190, R191, B.33, B.37, B.39).
 *
 * mcph_reading_keys() reads an entry by the table of keys.  The dialect lists the keys
 * that the profile has.  An error in an entry makes only the server of this entry
 * invalid.
 *
 * Members that are null or empty count as absent, because goclaw writes null and empty
 * members.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "profile/goclaw.h"
#include "profile/reading.h"

#include <mcphost/policy.h>

#define BEARER        "bearer_token_env_var"
#define AUTHORIZATION "Authorization"

const char *const mcph_goclaw_keys[] = {"enabled", "type", "command", "args",
                                        "url",     "env",  "headers", "timeoutSeconds",
                                        NULL};
const char *const mcph_goclaw_later_keys[] = {"enabled_tools",
                                              "disabled_tools",
                                              "startup_timeout_sec",
                                              "tool_timeout_sec",
                                              "http_headers",
                                              BEARER,
                                              NULL};

/* ---- the transport ----------------------------------------------------------------- */

static const struct {
    const char *name;
    int transport;
} types[] = {
    {"stdio", MCPHOST_TRANSPORT_STDIO},
    {"http", MCPHOST_TRANSPORT_STREAMABLE_HTTP},
    {"sse", MCPHOST_TRANSPORT_SSE},
};

/* Returns the type of an entry, or NULL.  If `type` is missing, `command` or `url`
 * decides the type. */
static const char *
type_of(const struct mcph_node *map)
{
    const struct mcph_node *node = mcph_node_get(map, "type");

    if (node)
        return node->kind == MCPH_NODE_STRING ? node->text : NULL;
    return mcph_node_get(map, "command") ? "stdio"
           : mcph_node_get(map, "url")   ? "http"
                                         : NULL;
}

static int
transport_of(const struct mcph_node *map, unsigned allowed)
{
    const char *type = type_of(map);

    for (size_t i = 0; type && i < MCPH_ARRAY_SIZE(types); i++) {
        if (strcmp(type, types[i].name) == 0 &&
            mcph_transport_allowed(allowed, types[i].transport))
            return types[i].transport;
    }
    return MCPHOST_TRANSPORT_NONE;
}

/* Writes the allowed types for a message: "'stdio', 'http' or 'sse'". */
static void
types_text(unsigned allowed, char *ret, size_t size)
{
    const char *names[MCPH_ARRAY_SIZE(types)];
    size_t n = 0, len = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(types); i++) {
        if (mcph_transport_allowed(allowed, types[i].transport))
            names[n++] = types[i].name;
    }
    snprintf(ret, size, "nothing");
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(ret + len, size - len, "%s'%s'",
                                i == 0       ? ""
                                : i == n - 1 ? " or "
                                             : ", ",
                                names[i]);
}

/* Reports a missing or invalid `type`.  mcph_reading_keys() calls this function only for
 * `type`, because no other key in `spellings` is marked MCPH_KEY_OF_PROFILE.  A valid
 * type is already in rd->spec->transport. */
static void
read_own(struct reading *rd, const struct mcph_key *key, const char *spelled,
         const struct mcph_node *node)
{
    const char *type = type_of(rd->map);
    char expected[64];
    size_t mark;

    (void)key;
    if (rd->spec->transport != MCPHOST_TRANSPORT_NONE)
        return;
    types_text(rd->check->config->transports, expected, sizeof(expected));
    mark = mcph_check_enter(rd->check, spelled);
    if (!type && !node)
        mcph_check_error(rd->check, rd->map, "expected %s, found nothing", expected);
    else if (!node || mcph_check_kind(rd->check, node, MCPH_NODE_STRING, expected))
        mcph_check_error(rd->check, node ? node : rd->map, "expected %s, found '%.32s'",
                         expected, type);
    mcph_check_leave(rd->check, mark);
}

/* Reports an entry with both `command` and `url` as an error, because it is not clear
 * which key is meant. */
static void
check_target(struct reading *rd)
{
    const struct mcph_node *url = mcph_node_get(rd->map, "url");
    size_t mark;

    if (!url || !mcph_node_get(rd->map, "command"))
        return;
    mark = mcph_check_enter(rd->check, "url");
    mcph_check_error(rd->check, url, "expected either 'command' or 'url', found both");
    mcph_check_leave(rd->check, mark);
}

/* ---- values ------------------------------------------------------------------------ */

static bool
is_bearer_set(const struct mcph_node *map)
{
    return mcph_node_get(map, BEARER) != NULL;
}

/* Reads a value.  Every value is a literal, because the file has no notation for
 * variables (B.33).  If the entry names a bearer token, an Authorization header is not
 * used and gives a warning. */
static void
read_value(struct reading *rd, const struct mcph_key *key, const char *name,
           const struct mcph_node *node)
{
    if (!mcph_check_kind(rd->check, node, MCPH_NODE_STRING, "a string"))
        return;
    if (key->kind == MCPH_KEY_HEADERS && strcasecmp(name, AUTHORIZATION) == 0 &&
        is_bearer_set(rd->map))
        mcph_check_warn(rd->check, node, "not used, because '%s' is set", BEARER);
    else
        mcph_reading_add_value(rd, key, name, node, node->text, NULL);
}

static const struct spelling spellings[] = {
    {"transport", "type"}, {"command", "command"}, {"args", "args"}, {"url", "url"},
    {"env", "env"},        {"headers", "headers"}, {NULL, NULL},
};

/* Keys that the functions below read. */
static const char *const others[] = {
    "enabled",          "timeoutSeconds", "startup_timeout_sec",
    "tool_timeout_sec", "http_headers",   BEARER,
    "enabled_tools",    "disabled_tools", NULL};

static const struct dialect dialect = {
    .spellings = spellings,
    .others = others,
    .read = read_own,
    .value = read_value,
};

/* Checks whether a key that needs a transport with a URL is present and has an effect.
 * `node` is the value of the key, or NULL.  If the transport has no URL, the key gives a
 * warning. */
static bool
has_url_key(struct reading *rd, const struct mcph_node *node)
{
    int transport = rd->spec->transport;

    if (!node || transport == MCPHOST_TRANSPORT_NONE)
        return false;
    if (mcph_transport_kind(transport)->has_url)
        return true;
    mcph_check_warn(rd->check, node, "has no meaning with transport '%s', ignored",
                    mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, transport));
    return false;
}

static bool
has_header(const struct mcph_spec *spec, const char *name)
{
    size_t i = 0;

    while (i < spec->headers.n && strcasecmp(spec->headers.items[i].name, name) != 0)
        i++;
    return i < spec->headers.n;
}

/* Reads `http_headers`, which is the name of the key `headers` in later versions of
 * goclaw. */
static void
read_later_headers(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "http_headers");
    const struct mcph_key *key = mcph_key_find("headers");
    size_t mark = mcph_check_enter(rd->check, "http_headers"), inner;

    if (has_url_key(rd, node) &&
        mcph_check_kind(rd->check, node, MCPH_NODE_MAP, "a map")) {
        for (size_t i = 0; i < node->n; i++) {
            const char *name = node->keys[i]->text;

            inner = mcph_check_enter(rd->check, name);
            if (!mcph_header_name_ok(name, node->keys[i]->len))
                mcph_check_error(rd->check, node->keys[i],
                                 "expected the name of an HTTP header, found a key with "
                                 "other characters");
            else if (has_header(rd->spec, name))
                mcph_check_error(rd->check, node->keys[i],
                                 "the header is also in 'headers'");
            else
                read_value(rd, key, name, node->items[i]);
            mcph_check_leave(rd->check, inner);
        }
    }
    mcph_check_leave(rd->check, mark);
}

/* Reads the name of the variable that holds the bearer token.  Each start of the server
 * reads the token from the environment.  No file contains the token. */
static void
read_bearer(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, BEARER);
    size_t mark = mcph_check_enter(rd->check, BEARER);

    if (has_url_key(rd, node) && mcph_reading_filled(rd->check, node)) {
        if (strchr(node->text, '='))
            mcph_check_error(rd->check, node,
                             "expected the name of an environment variable, found one "
                             "with a '='");
        else
            mcph_reading_keep_nomem(rd->check,
                                    mcph_values_add(&rd->spec->headers, AUTHORIZATION,
                                                    "Bearer ", node->text) == 0);
    }
    mcph_check_leave(rd->check, mark);
}

/* ---- tools ------------------------------------------------------------------------- */

/* Returns the list at `key`, or NULL if the key is absent or not a list of tool names.
 * An item must not be a pattern, so that the item matches only the tool that it names. */
static const struct mcph_node *
names_of(struct reading *rd, const char *key)
{
    const struct mcph_node *list = mcph_node_get(rd->map, key);
    size_t mark = mcph_check_enter(rd->check, key), errors = rd->check->n_errors;

    if (list && mcph_check_kind(rd->check, list, MCPH_NODE_LIST, "a list of strings")) {
        if (list->n > MCPH_NAME_LIST_MAX)
            mcph_check_error(rd->check, list, "expected at most %d names, found %zu",
                             MCPH_NAME_LIST_MAX, list->n);
        for (size_t i = 0; i < list->n && i < MCPH_NAME_LIST_MAX; i++) {
            const struct mcph_node *item = list->items[i];
            size_t inner = mcph_check_enter_index(rd->check, i);

            if (mcph_reading_filled(rd->check, item) && strchr(item->text, '*'))
                mcph_check_error(rd->check, item,
                                 "expected the name of a tool, found one with a '*'");
            mcph_check_leave(rd->check, inner);
        }
    }
    mcph_check_leave(rd->check, mark);
    return rd->check->n_errors == errors ? list : NULL;
}

static bool
has_name(const struct mcph_node *list, const char *name)
{
    size_t i = 0;

    while (list && i < list->n && strcmp(list->items[i]->text, name) != 0)
        i++;
    return list && i < list->n;
}

static void
add_pattern(struct reading *rd, int list, const struct mcph_node *at, const char *text)
{
    int r = mcph_filter_add(rd->spec->filter, list, text, strlen(text));

    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(rd->check, at, "expected a name of at most %d bytes, found more",
                         MCPH_NAME_TEXT_MAX);
    else
        mcph_reading_keep_nomem(rd->check, r == 0);
}

/* Makes the filter of the tools from one list: the enabled tools without the disabled
 * tools or, if there is no list of enabled tools, the disabled tools (B.39).  If all
 * enabled tools are also disabled, the filter blocks every tool.  The filter does not
 * get both lists, because a filter with both lists passes the tools of its whitelist
 * even if they are on its blacklist, and passes tools that are on neither list. */
static void
read_tools(struct reading *rd)
{
    const struct mcph_node *allowed = names_of(rd, "enabled_tools");
    const struct mcph_node *denied = names_of(rd, "disabled_tools");
    const struct mcph_node *list = allowed ? allowed : denied;
    int which = allowed ? MCPH_FILTER_WHITELIST : MCPH_FILTER_BLACKLIST;
    size_t n = 0;

    if (!list)
        return;
    rd->spec->filter = mcph_filter_new();
    mcph_reading_keep_nomem(rd->check, rd->spec->filter != NULL);
    for (size_t i = 0; rd->spec->filter && i < list->n; i++) {
        if (allowed && has_name(denied, list->items[i]->text))
            continue;
        add_pattern(rd, which, list->items[i], list->items[i]->text);
        n++;
    }
    if (rd->spec->filter && n == 0)
        add_pattern(rd, MCPH_FILTER_BLACKLIST, list, "*");
}

/* ---- time-outs --------------------------------------------------------------------- */

const char *
mcph_goclaw_found(const struct mcph_node *node)
{
    return node->kind == MCPH_NODE_FLOAT ? node->text : mcph_node_kind_text(node);
}

/* Reads a number of seconds and sets *ret to milliseconds, unless the key is absent,
 * invalid or 0. */
static void
read_seconds(struct reading *rd, const char *name, bool whole, int64_t *ret)
{
    const struct mcph_node *node = mcph_node_get(rd->map, name);
    size_t mark = mcph_check_enter(rd->check, name);
    bool is_number =
        node && (node->kind == MCPH_NODE_INT || node->kind == MCPH_NODE_FLOAT);

    if (node && (!is_number || (whole && node->kind != MCPH_NODE_INT)))
        mcph_check_error(rd->check, node, "expected a %snumber of seconds, found %.32s",
                         whole ? "whole " : "", mcph_goclaw_found(node));
    else if (node && !(node->number >= 0 && node->number <= MCPH_GOCLAW_TIMEOUT_MAX))
        mcph_check_error(rd->check, node, "expected seconds from 0 to %d, found %.32s",
                         MCPH_GOCLAW_TIMEOUT_MAX, node->text);
    else if (node && node->number > 0)
        *ret = node->number < 0.001 ? 1 : (int64_t)(node->number * 1000 + 0.5);
    mcph_check_leave(rd->check, mark);
}

/* Reads the time limits.  The limit on starts is also the limit on lists.  If two keys
 * set the limit on starts, `startup_timeout_sec` has priority.  If no key sets a limit,
 * the policy of the source applies. */
static void
read_timeouts(struct reading *rd)
{
    struct mcph_spec *spec = rd->spec;

    read_seconds(rd, "timeoutSeconds", true, &spec->start_timeout_ms);
    read_seconds(rd, "startup_timeout_sec", false, &spec->start_timeout_ms);
    spec->list_timeout_ms = spec->start_timeout_ms;
    read_seconds(rd, "tool_timeout_sec", false, &spec->call_timeout_ms);
}

/* ---- the server -------------------------------------------------------------------- */

/* Checks the name of a server.  A name that the tools would refuse to write gives only a
 * warning, because people may write other names into the file. */
static void
check_name(struct mcph_check *check, const struct mcph_node *key)
{
    const char *why = mcph_goclaw_name_fault(mcph_span(key->text, key->len));

    if (mcph_text_blank(key->text))
        mcph_check_error(check, key, "expected a name for the server, found a blank");
    else if (why)
        mcph_check_warn(check, key, "the name of the server %s", why);
}

/* Checks whether the member counts as absent, because it is null or empty.  An empty
 * `enabled` counts as present, so that the reader reports an error. */
static bool
is_empty(const struct mcph_node *key, const struct mcph_node *node)
{
    bool has_nothing =
        (node->kind == MCPH_NODE_STRING && node->len == 0) ||
        ((node->kind == MCPH_NODE_LIST || node->kind == MCPH_NODE_MAP) && node->n == 0);

    return node->kind == MCPH_NODE_NULL ||
           (has_nothing && strcmp(key->text, "enabled") != 0);
}

static void
drop_empty(struct mcph_node *map)
{
    size_t n = 0;

    for (size_t i = 0; i < map->n; i++) {
        if (is_empty(map->keys[i], map->items[i]))
            continue;
        map->keys[n] = map->keys[i];
        map->items[n++] = map->items[i];
    }
    map->n = n;
}

static void
read_keys(struct reading *rd)
{
    check_target(rd);
    mcph_reading_keys(rd);
    read_later_headers(rd);
    read_bearer(rd);
    read_tools(rd);
    read_timeouts(rd);
}

void
mcph_goclaw_read_server(struct mcph_check *check, struct mcph_config_server *server,
                        const struct mcph_node *key, struct mcph_node *node)
{
    struct reading rd = {.check = check, .map = node, .dialect = &dialect};
    size_t errors = check->n_errors;

    check->server = server->id;
    check_name(check, key);
    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "an object"))
        goto out;
    drop_empty(node);
    server->transport = transport_of(node, check->config->transports);
    if (!mcph_check_bool(check, node, "enabled", false)) {
        if (check->n_errors == errors)
            server->state = MCPHOST_CONFIG_SERVER_DISABLED;
        goto out;
    }
    rd.spec = mcph_reading_spec_new(check, server, key);
    if (!rd.spec)
        goto out;
    rd.spec->transport = server->transport;
    read_keys(&rd);
    if (check->err == 0 && check->n_errors == errors)
        mcph_reading_seal(check, server, rd.spec);
out:
    mcph_spec_unref(rd.spec);
    check->server = NULL;
}
