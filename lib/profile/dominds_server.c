/* SPDX-License-Identifier: MIT
 *
 * dominds_server.c - one server of .minds/mcp.yaml (R5-R8, R12-R17, B.3-B.5).
 *
 * Whatever is wrong here costs this server only, and all of it is reported,
 * not just the first.  Values of env, headers, url and sessionId never stand
 * in a message.  A disabled server is not looked at further.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/dominds.h"

#include <mcphost/policy.h>

#define TIMEOUT_MAX_S 86400
#define CALLS_MAX     100000

/* ---- filter and transform ---------------------------------------------------------- */

static void
read_patterns(struct reading *rd, const struct mcph_node *tools, const char *key,
              int list)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *node;
    size_t mark;

    node = mcph_check_member(check, tools, key, MCPH_NODE_LIST, "a list of strings");
    if (!node)
        return;
    mark = mcph_check_enter(check, key);
    for (size_t i = 0; i < node->n; i++) {
        const struct mcph_node *item = node->items[i];
        size_t inner = mcph_check_enter_index(check, i);
        int r;

        if (mcph_check_kind(check, item, MCPH_NODE_STRING, "a string")) {
            r = mcph_filter_add(rd->spec->filter, list, item->text, item->len);
            if (r == MCPHOST_E_LIMIT)
                mcph_check_error(
                    check, item,
                    "expected at most %d patterns of at most %d bytes, found "
                    "more",
                    MCPH_NAME_LIST_MAX, MCPH_NAME_TEXT_MAX);
            else
                dominds_keep_nomem(check, r == 0);
        }
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
}

static void
add_step(struct reading *rd, const struct mcph_node *item, int kind,
         const struct mcph_node *add, const struct mcph_node *remove)
{
    int r;

    r = mcph_transform_add(rd->spec->transform, kind, add->text, add->len,
                           remove ? remove->text : NULL, remove ? remove->len : 0);
    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(
            rd->check, item,
            "expected at most %d steps with texts of at most %d bytes, found "
            "more",
            MCPH_NAME_LIST_MAX, MCPH_NAME_TEXT_MAX);
    else
        dominds_keep_nomem(rd->check, r == 0);
}

static void
read_prefix(struct reading *rd, const struct mcph_node *item,
            const struct mcph_node *prefix)
{
    static const char *const known[] = {"remove", "add"};
    static const char expected[] = "a string or {remove: string, add: string}";
    const struct mcph_node *remove, *add;
    struct mcph_check *check = rd->check;
    size_t mark = mcph_check_enter(check, "prefix");

    if (prefix->kind == MCPH_NODE_STRING) {
        add_step(rd, item, MCPH_TRANSFORM_PREFIX, prefix, NULL);
    } else if (mcph_check_kind(check, prefix, MCPH_NODE_MAP, expected)) {
        mcph_check_unknown(check, prefix, known, MCPH_ARRAY_SIZE(known));
        remove = mcph_check_member(check, prefix, "remove", MCPH_NODE_STRING, "a string");
        add = mcph_check_member(check, prefix, "add", MCPH_NODE_STRING, "a string");
        if (!mcph_node_get(prefix, "remove") || !mcph_node_get(prefix, "add"))
            mcph_check_error(check, prefix, "expected both 'remove' and 'add', found %s",
                             remove ? "only 'remove'"
                             : add  ? "only 'add'"
                                    : "neither");
        else if (remove && add)
            add_step(rd, item, MCPH_TRANSFORM_PREFIX, add, remove);
    }
    mcph_check_leave(check, mark);
}

static void
read_map(struct reading *rd, const struct mcph_node *item)
{
    const struct mcph_node *map;

    map = mcph_check_member(rd->check, item, "map", MCPH_NODE_STRING, "'_' or '-'");
    if (map && strcmp(map->text, "_") != 0 && strcmp(map->text, "-") != 0)
        mcph_check_error(rd->check, map, "expected '_' or '-', found '%s'", map->text);
    else if (map)
        add_step(rd, item, MCPH_TRANSFORM_MAP, map, NULL);
}

static void
read_step(struct reading *rd, const struct mcph_node *item)
{
    static const char *const known[] = {"prefix", "suffix", "map"};
    struct mcph_check *check = rd->check;
    const struct mcph_node *prefix, *suffix;

    if (!mcph_check_kind(check, item, MCPH_NODE_MAP,
                         "{prefix: ...}, {suffix: ...} or {map: ...}"))
        return;
    mcph_check_unknown(check, item, known, MCPH_ARRAY_SIZE(known));
    prefix = mcph_node_get(item, "prefix");
    if (prefix) {
        if (mcph_node_get(item, "suffix"))
            mcph_check_warn(check, item,
                            "'suffix' is ignored beside 'prefix'; make it an item of its "
                            "own");
        read_prefix(rd, item, prefix);
        return;
    }
    if (!mcph_node_get(item, "suffix")) {
        if (mcph_node_get(item, "map"))
            read_map(rd, item);
        else
            mcph_check_error(check, item,
                             "expected 'prefix', 'suffix' or 'map', found none");
        return;
    }
    suffix = mcph_check_member(check, item, "suffix", MCPH_NODE_STRING, "a string");
    if (suffix)
        add_step(rd, item, MCPH_TRANSFORM_SUFFIX, suffix, NULL);
}

/* Present under `map`, it is read and true is returned. */
static bool
read_transform(struct reading *rd, const struct mcph_node *map)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *list;
    size_t mark;

    list = mcph_check_member(check, map, "transform", MCPH_NODE_LIST, "a list");
    if (list) {
        mark = mcph_check_enter(check, "transform");
        for (size_t i = 0; i < list->n; i++) {
            size_t inner = mcph_check_enter_index(check, i);

            read_step(rd, list->items[i]);
            mcph_check_leave(check, inner);
        }
        mcph_check_leave(check, mark);
    }
    return mcph_node_get(map, "transform") != NULL;
}

/* `tools.transform` takes the place of the server's `transform` (B.5). */
static void
read_names(struct reading *rd)
{
    static const char *const known[] = {"whitelist", "blacklist", "transform"};
    struct mcph_check *check = rd->check;
    const struct mcph_node *tools;
    bool replaced = false;

    rd->spec->filter = mcph_filter_new();
    rd->spec->transform = mcph_transform_new();
    dominds_keep_nomem(check, rd->spec->filter && rd->spec->transform);
    if (check->err)
        return;
    tools = mcph_check_member(check, rd->map, "tools", MCPH_NODE_MAP, "a map");
    if (tools) {
        size_t mark = mcph_check_enter(check, "tools");

        mcph_check_unknown(check, tools, known, MCPH_ARRAY_SIZE(known));
        read_patterns(rd, tools, "whitelist", MCPH_FILTER_WHITELIST);
        read_patterns(rd, tools, "blacklist", MCPH_FILTER_BLACKLIST);
        replaced = read_transform(rd, tools);
        mcph_check_leave(check, mark);
    }
    if (!replaced)
        read_transform(rd, rd->map);
}

/* ---- transports -------------------------------------------------------------------- */

static void
read_args(struct reading *rd)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *list;
    size_t mark;

    list = mcph_check_member(check, rd->map, "args", MCPH_NODE_LIST, "a list of strings");
    if (!list)
        return;
    mark = mcph_check_enter(check, "args");
    for (size_t i = 0; i < list->n; i++) {
        size_t inner = mcph_check_enter_index(check, i);

        if (mcph_check_kind(check, list->items[i], MCPH_NODE_STRING, "a string"))
            dominds_keep_nomem(check,
                               mcph_spec_add_arg(rd->spec, list->items[i]->text) == 0);
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
}

/* Relative ones start at the workspace; blanks around the text do not count. */
static void
read_cwd(struct reading *rd)
{
    const char *workspace = rd->check->config->workspace;
    const struct mcph_node *node = dominds_filled_string(rd, rd->map, "cwd");
    const char *text, *end;
    char *trimmed;

    if (!node) {
        rd->spec->cwd = mcph_strdup(workspace);
    } else {
        text = node->text + strspn(node->text, " \t\r\n\v\f");
        end = node->text + node->len;
        while (end > text && strchr(" \t\r\n\v\f", end[-1]))
            end--;
        trimmed = mcph_strndup(text, (size_t)(end - text));
        rd->spec->cwd = trimmed ? mcph_profile_join(workspace, trimmed) : NULL;
        free(trimmed);
    }
    dominds_keep_nomem(rd->check, rd->spec->cwd != NULL);
}

/* A string that is one of `n`; *ret keeps its value when it is none or not there. */
static void
read_choice(struct reading *rd, const char *key, const char *const *choices, size_t n,
            const char *expected, int *ret)
{
    const struct mcph_node *node;
    size_t mark;

    node = mcph_check_member(rd->check, rd->map, key, MCPH_NODE_STRING, expected);
    if (!node)
        return;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(node->text, choices[i]) == 0) {
            *ret = (int)i;
            return;
        }
    }
    mark = mcph_check_enter(rd->check, key);
    mcph_check_error(rd->check, node, "expected %s, found '%.32s'", expected, node->text);
    mcph_check_leave(rd->check, mark);
}

static void
read_containment(struct reading *rd)
{
    static const char *const modes[] = {
        [MCPHOST_CONTAINMENT_AUTO] = "auto",
        [MCPHOST_CONTAINMENT_TREE] = "tree",
        [MCPHOST_CONTAINMENT_CGROUP] = "cgroup",
        [MCPHOST_CONTAINMENT_PID] = "pid",
    };

    read_choice(rd, "containment", modes, MCPH_ARRAY_SIZE(modes),
                "'auto', 'tree', 'cgroup' or 'pid'", &rd->spec->containment);
}

static void
read_stdio(struct reading *rd)
{
    const struct mcph_node *command;

    if (!mcph_node_get(rd->map, "command")) {
        dominds_missing(rd, "command", "the program to run");
    } else {
        command = dominds_filled_string(rd, rd->map, "command");
        if (command) {
            rd->spec->command =
                mcph_profile_command(rd->check->config->workspace, command->text);
            dominds_keep_nomem(rd->check, rd->spec->command != NULL);
        }
    }
    read_args(rd);
    dominds_values(rd, "env", &rd->spec->env);
    read_cwd(rd);
    read_containment(rd);
}

/* Keys of the other transport have no effect; that is worth a word. */
static void
warn_misplaced(struct reading *rd, const struct mcph_node *map, const char *const *keys,
               size_t n, const char *transport)
{
    for (size_t i = 0; i < n; i++) {
        const struct mcph_node *node = mcph_node_get(map, keys[i]);
        size_t mark;

        if (!node)
            continue;
        mark = mcph_check_enter(rd->check, keys[i]);
        mcph_check_warn(rd->check, node, "has no meaning with transport '%s', ignored",
                        transport);
        mcph_check_leave(rd->check, mark);
    }
}

/* ---- extensions: timeouts, era, checks --------------------------------------------- */

static void
read_timeout(struct reading *rd, const struct mcph_node *map, const char *key,
             int64_t *ret)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    size_t mark;

    if (!node)
        return;
    mark = mcph_check_enter(rd->check, key);
    if (node->kind != MCPH_NODE_INT && node->kind != MCPH_NODE_FLOAT)
        mcph_check_error(rd->check, node, "expected a number of seconds, found %s",
                         mcph_node_kind_text(node));
    else if (!(node->number >= 0.001 && node->number <= TIMEOUT_MAX_S))
        mcph_check_error(rd->check, node,
                         "expected seconds from 0.001 to %d, found %.32s", TIMEOUT_MAX_S,
                         node->text);
    else
        *ret = (int64_t)(node->number * 1000 + 0.5);
    mcph_check_leave(rd->check, mark);
}

static void
read_timeouts(struct reading *rd)
{
    static const char *const known[] = {"start", "list", "call", "connect", "idle"};
    bool http = rd->spec->transport != MCPHOST_TRANSPORT_STDIO;
    const struct mcph_node *map;
    size_t mark;

    map = mcph_check_member(rd->check, rd->map, "timeouts", MCPH_NODE_MAP,
                            "a map with 'start', 'list' and 'call'");
    if (!map)
        return;
    mark = mcph_check_enter(rd->check, "timeouts");
    mcph_check_unknown(rd->check, map, known, MCPH_ARRAY_SIZE(known));
    read_timeout(rd, map, "start", &rd->spec->start_timeout_ms);
    read_timeout(rd, map, "list", &rd->spec->list_timeout_ms);
    read_timeout(rd, map, "call", &rd->spec->call_timeout_ms);
    if (http) {
        read_timeout(rd, map, "connect", &rd->spec->connect_timeout_ms);
        read_timeout(rd, map, "idle", &rd->spec->idle_timeout_ms);
    } else {
        warn_misplaced(rd, map, &known[3], 2, "stdio");
    }
    mcph_check_leave(rd->check, mark);
}

/* Of all dialogs together. */
static void
read_calls(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "callsInFlight");
    size_t mark;

    if (!node)
        return;
    mark = mcph_check_enter(rd->check, "callsInFlight");
    if (node->kind != MCPH_NODE_INT && node->kind != MCPH_NODE_FLOAT)
        mcph_check_error(rd->check, node, "expected a whole number, found %s",
                         mcph_node_kind_text(node));
    else if (node->kind != MCPH_NODE_INT || node->integer < 1 ||
             node->integer > CALLS_MAX)
        mcph_check_error(rd->check, node,
                         "expected a whole number from 1 to %d, found %.32s", CALLS_MAX,
                         node->text);
    else
        rd->spec->calls_in_flight = (size_t)node->integer;
    mcph_check_leave(rd->check, mark);
}

/* There is no modern version over the transport of 2024-11-05. */
static void
check_era(struct reading *rd)
{
    const struct mcph_node *node = mcph_node_get(rd->map, "era");
    size_t mark = mcph_check_enter(rd->check, "era");

    if (node && rd->spec->transport == MCPHOST_TRANSPORT_SSE &&
        rd->spec->era == MCPHOST_ERA_MODERN)
        mcph_check_error(rd->check, node,
                         "expected 'auto' or 'legacy' with transport 'sse', found "
                         "'modern'");
    mcph_check_leave(rd->check, mark);
}

static void
read_choices(struct reading *rd)
{
    static const char *const eras[] = {
        [MCPHOST_ERA_AUTO] = "auto",
        [MCPHOST_ERA_LEGACY] = "legacy",
        [MCPHOST_ERA_MODERN] = "modern",
    };
    static const char *const arguments[] = {
        [MCPHOST_ARGUMENTS_OBJECT] = "object",
        [MCPHOST_ARGUMENTS_OFF] = "off",
        [MCPHOST_ARGUMENTS_FULL] = "full",
        [MCPHOST_ARGUMENTS_COMPLETE] = "complete",
    };
    static const char *const results[] = {
        [MCPHOST_RESULTS_OFF] = "off",
        [MCPHOST_RESULTS_REPORT] = "report",
        [MCPHOST_RESULTS_FAIL] = "fail",
    };

    read_choice(rd, "era", eras, MCPH_ARRAY_SIZE(eras), "'auto', 'legacy' or 'modern'",
                &rd->spec->era);
    read_choice(rd, "arguments", arguments, MCPH_ARRAY_SIZE(arguments),
                "'object', 'off', 'full' or 'complete'", &rd->spec->arguments);
    read_choice(rd, "results", results, MCPH_ARRAY_SIZE(results),
                "'off', 'report' or 'fail'", &rd->spec->results);
    check_era(rd);
}

/* ---- the server -------------------------------------------------------------------- */

static int
transport_of(const struct mcph_node *map, unsigned allowed)
{
    const struct mcph_node *node = mcph_node_get(map, "transport");
    int transport = MCPHOST_TRANSPORT_NONE;

    if (node && node->kind == MCPH_NODE_STRING)
        transport = mcph_transport_named(node->text);
    return mcph_transport_allowed(allowed, transport) ? transport
                                                      : MCPHOST_TRANSPORT_NONE;
}

static void
report_transport(struct reading *rd)
{
    const char *expected = mcph_transports_text(rd->check->config->transports);
    const struct mcph_node *node = mcph_node_get(rd->map, "transport");
    size_t mark;

    if (!node) {
        dominds_missing(rd, "transport", expected);
        return;
    }
    mark = mcph_check_enter(rd->check, "transport");
    if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, expected))
        mcph_check_error(rd->check, node, "expected %s, found '%.32s'", expected,
                         node->text);
    mcph_check_leave(rd->check, mark);
}

static void
read_fields(struct reading *rd)
{
    static const char *const known[] = {
        "transport",  "enabled",       "truely-stateless",
        "command",    "args",          "env",
        "cwd",        "url",           "headers",
        "sessionId",  "tools",         "transform",
        "timeouts",   "era",           "arguments",
        "results",    "manual",        "prompts",
        "resources",  "proxy",         "tls",
        "publicOnly", "callsInFlight", "containment",
    };
    static const char *const stdio_keys[] = {"command", "args", "env", "cwd",
                                             "containment"};
    static const char *const http_keys[] = {"url",   "headers", "sessionId",
                                            "proxy", "tls",     "publicOnly"};

    mcph_check_unknown(rd->check, rd->map, known, MCPH_ARRAY_SIZE(known));
    switch (rd->spec->transport) {
    case MCPHOST_TRANSPORT_STDIO:
        read_stdio(rd);
        warn_misplaced(rd, rd->map, http_keys, MCPH_ARRAY_SIZE(http_keys), "stdio");
        break;
    case MCPHOST_TRANSPORT_HTTP:
    case MCPHOST_TRANSPORT_SSE:
        dominds_http(rd);
        warn_misplaced(rd, rd->map, stdio_keys, MCPH_ARRAY_SIZE(stdio_keys),
                       mcph_transport_name(rd->spec->transport));
        break;
    default:
        report_transport(rd);
    }
    rd->spec->stateless = mcph_check_bool(rd->check, rd->map, "truely-stateless", false);
    read_names(rd);
    read_timeouts(rd);
    read_calls(rd);
    read_choices(rd);
    dominds_manual(rd);
}

/* An id is a toolset's name and may be any text, but a plain one is wiser. */
static void
check_id(struct mcph_check *check, const struct mcph_node *key)
{
    if (mcph_text_blank(key->text))
        mcph_check_error(check, key, "expected an id for the server, found a blank");
    else if (mcph_name_check(key->text, key->len) != MCPH_NAME_RULE_NONE)
        mcph_check_warn(
            check, key,
            "a server id is better made of 1 to 64 ASCII letters, digits, '_' "
            "and '-'");
}

void
mcph_dominds_server(struct mcph_check *check, struct mcph_config_server *server,
                    const struct mcph_node *key, const struct mcph_node *node)
{
    struct reading rd = {.check = check, .map = node};
    size_t errors = check->n_errors;

    check->server = server->id;
    check_id(check, key);
    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "a map"))
        goto out;
    server->transport = transport_of(node, check->config->transports);
    if (!mcph_check_bool(check, node, "enabled", true)) {
        if (check->n_errors == errors)
            server->state = MCPHOST_CONFIG_SERVER_DISABLED;
        goto out;
    }

    rd.spec = mcph_spec_new(server->id, check->config->source);
    dominds_keep_nomem(check, rd.spec != NULL);
    if (!rd.spec)
        goto out;
    if (check->config->file) {
        rd.spec->file = mcph_strdup(check->config->file);
        dominds_keep_nomem(check, rd.spec->file != NULL);
    }
    rd.spec->line = key->line;
    rd.spec->column = key->column;
    rd.spec->transport = server->transport;
    read_fields(&rd);
    if (check->err == 0 && check->n_errors == errors) {
        check->err = mcph_spec_seal(rd.spec);
        if (check->err == 0)
            server->spec = mcph_spec_ref(rd.spec);
    }
out:
    mcph_spec_unref(rd.spec);
    check->server = NULL;
}
