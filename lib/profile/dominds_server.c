/* SPDX-License-Identifier: MIT
 *
 * dominds_server.c - read one server of .minds/mcp.yaml (R5-R8, R12-R17, B.3-B.5).
 *
 * Errors in an entry make only the server of this entry invalid.  This file reports all
 * errors of an entry.  Messages never contain values of env, headers, url and sessionId.
 * If a server is disabled, this file does not read the rest of the server's entry.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/dominds.h"

#include <mcphost/policy.h>

/* ---- transform --------------------------------------------------------------------- */

static void
add_step(struct reading *rd, mcphost_transform *steps, const struct mcph_node *item,
         int kind, const struct mcph_node *add, const struct mcph_node *remove)
{
    int r;

    r = mcph_transform_add(steps, kind, add->text, add->len, remove ? remove->text : NULL,
                           remove ? remove->len : 0);
    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(
            rd->check, item,
            "expected at most %d steps with texts of at most %d bytes, found "
            "more",
            MCPH_NAME_LIST_MAX, MCPH_NAME_TEXT_MAX);
    else
        mcph_reading_keep_nomem(rd->check, r == 0);
}

static void
read_prefix(struct reading *rd, mcphost_transform *steps, const struct mcph_node *item,
            const struct mcph_node *prefix)
{
    static const char *const known[] = {"remove", "add"};
    static const char expected[] = "a string or {remove: string, add: string}";
    const struct mcph_node *remove, *add;
    struct mcph_check *check = rd->check;
    size_t mark = mcph_check_enter(check, "prefix");

    if (prefix->kind == MCPH_NODE_STRING) {
        add_step(rd, steps, item, MCPH_TRANSFORM_PREFIX, prefix, NULL);
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
            add_step(rd, steps, item, MCPH_TRANSFORM_PREFIX, add, remove);
    }
    mcph_check_leave(check, mark);
}

static void
read_map(struct reading *rd, mcphost_transform *steps, const struct mcph_node *item)
{
    const struct mcph_node *map;

    map = mcph_check_member(rd->check, item, "map", MCPH_NODE_STRING, "'_' or '-'");
    if (map && strcmp(map->text, "_") != 0 && strcmp(map->text, "-") != 0)
        mcph_check_error(rd->check, map, "expected '_' or '-', found '%s'", map->text);
    else if (map)
        add_step(rd, steps, item, MCPH_TRANSFORM_MAP, map, NULL);
}

static const char *const step_keys[] = {"prefix", "suffix", "map"};

/* Returns the first key of the step, or NULL if the step has no key.  Warns about the
 * other keys, which are ignored. */
static const char *
pick_key(struct mcph_check *check, const struct mcph_node *item)
{
    const char *picked = NULL;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(step_keys); i++) {
        if (!mcph_node_get(item, step_keys[i]))
            continue;
        if (picked)
            mcph_check_warn(check, item,
                            "'%s' is ignored next to '%s'; make it a separate item",
                            step_keys[i], picked);
        else
            picked = step_keys[i];
    }
    return picked;
}

static void
read_step(struct reading *rd, mcphost_transform *steps, const struct mcph_node *item)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *suffix;
    const char *key;

    if (!mcph_check_kind(check, item, MCPH_NODE_MAP,
                         "{prefix: ...}, {suffix: ...} or {map: ...}"))
        return;
    mcph_check_unknown(check, item, step_keys, MCPH_ARRAY_SIZE(step_keys));
    key = pick_key(check, item);
    if (mcph_streq(key, "prefix")) {
        read_prefix(rd, steps, item, mcph_node_get(item, key));
    } else if (mcph_streq(key, "suffix")) {
        suffix = mcph_check_member(check, item, key, MCPH_NODE_STRING, "a string");
        if (suffix)
            add_step(rd, steps, item, MCPH_TRANSFORM_SUFFIX, suffix, NULL);
    } else if (key) {
        read_map(rd, steps, item);
    } else {
        mcph_check_error(check, item, "expected 'prefix', 'suffix' or 'map', found none");
    }
}

/* Reads the transform of a server, or of its tools, prompts, resources or skills
 * (B.5). */
static void
read_steps(struct reading *rd, const struct mcph_key *key, const char *name,
           const struct mcph_node *list)
{
    mcphost_transform **steps = mcph_key_field(key, rd->spec);
    struct mcph_check *check = rd->check;
    size_t start = mcph_check_enter(check, name);

    if (mcph_check_kind(check, list, MCPH_NODE_LIST, "a list")) {
        *steps = mcph_transform_new();
        mcph_reading_keep_nomem(check, *steps != NULL);
        for (size_t i = 0; i < list->n && check->err == 0; i++) {
            size_t mark = mcph_check_enter_index(check, i);

            read_step(rd, *steps, list->items[i]);
            mcph_check_leave(check, mark);
        }
    }
    mcph_check_leave(check, start);
}

/* ---- the server -------------------------------------------------------------------- */

static int
transport_of(const struct mcph_node *map, unsigned allowed)
{
    const struct mcph_node *node = mcph_node_get(map, "transport");
    int transport = MCPHOST_TRANSPORT_NONE;

    if (mcph_node_get(map, "provider"))
        return node ? MCPHOST_TRANSPORT_NONE : MCPHOST_TRANSPORT_IN_PROCESS;
    if (node && node->kind == MCPH_NODE_STRING)
        (void)mcphost_enum_find_value(MCPHOST_ENUM_TRANSPORT, node->text, &transport);
    return mcph_transport_allowed(allowed, transport) ? transport
                                                      : MCPHOST_TRANSPORT_NONE;
}

static void
report_transport(struct reading *rd, const struct mcph_node *node)
{
    size_t mark = mcph_check_enter(rd->check, "transport");
    char expected[MCPH_TRANSPORTS_TEXT];

    mcph_transports_text(rd->check->config->transports, expected);
    if (!node)
        mcph_check_error(rd->check, rd->map, "expected %s, found nothing", expected);
    else if (mcph_node_get(rd->map, "provider"))
        mcph_check_error(rd->check, node,
                         "expected either 'transport' or 'provider', found both");
    else if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, expected))
        mcph_check_error(rd->check, node, "expected %s, found '%.32s'", expected,
                         node->text);
    mcph_check_leave(rd->check, mark);
}

static void
read_provider(struct reading *rd, const struct mcph_key *key,
              const struct mcph_node *node)
{
    size_t mark = mcph_check_enter(rd->check, key->name);
    char **field = mcph_key_field(key, rd->spec);
    struct mcph_buf expected;
    const char *names;

    mcph_buf_init(&expected, 256);
    mcph_shipped_text(&expected);
    names = mcph_buf_text(&expected);
    if (!names) {
        mcph_reading_keep_nomem(rd->check, false);
    } else if (!mcph_check_kind(rd->check, node, MCPH_NODE_STRING, names)) {
        /* Do nothing, because mcph_check_kind() has reported the error. */
    } else if (!mcph_shipped_known(node->text)) {
        mcph_check_error(rd->check, node, "expected %s, found '%.32s'", names,
                         node->text);
    } else {
        *field = mcph_strdup(node->text);
        mcph_reading_keep_nomem(rd->check, *field != NULL);
    }
    mcph_buf_done(&expected);
    mcph_check_leave(rd->check, mark);
}

static void
check_era(struct reading *rd)
{
    const struct mcph_transport_kind *kind = mcph_transport_kind(rd->spec->transport);
    const struct mcph_node *node = mcph_node_get(rd->map, "era");
    size_t mark = mcph_check_enter(rd->check, "era");

    if (node && kind->is_legacy && rd->spec->era == MCPHOST_ERA_MODERN)
        mcph_check_error(
            rd->check, node,
            "expected 'auto' or 'legacy' with transport '%s', found "
            "'modern'",
            mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, rd->spec->transport));
    mcph_check_leave(rd->check, mark);
}

static void
read_own(struct reading *rd, const struct mcph_key *key, const char *name,
         const struct mcph_node *node)
{
    if (key->kind == MCPH_KEY_STEPS) {
        if (node)
            read_steps(rd, key, name, node);
    } else if (key->flags & MCPH_KEY_INSIDE) {
        if (node)
            read_provider(rd, key, node);
    } else if (key->kind == MCPH_KEY_TEXT)
        mcph_dominds_manual(rd, node);
    else if (rd->spec->transport == MCPHOST_TRANSPORT_NONE)
        report_transport(rd, node);
}

static const char *const others[] = {"enabled", NULL};

static const struct dialect dialect = {
    .others = others,
    .read = read_own,
    .value = mcph_dominds_value,
    .header = mcph_dominds_header,
};

/* Checks the id of a server.  A blank id is an error, because the id becomes the name of
 * the toolset.  An id that is too long or has unusual characters gives a warning. */
static void
check_id(struct mcph_check *check, const struct mcph_node *key)
{
    if (mcph_text_blank(key->text))
        mcph_check_error(check, key, "expected an id for the server, found a blank");
    else if (mcph_name_check(key->text, key->len) != MCPH_NAME_RULE_NONE)
        mcph_check_warn(check, key,
                        "a server id should have 1 to 64 characters, only ASCII letters, "
                        "digits, '_' and '-'");
}

void
mcph_dominds_server(struct mcph_check *check, struct mcph_config_server *server,
                    const struct mcph_node *key, struct mcph_node *node)
{
    struct reading rd = {.check = check, .map = node, .dialect = &dialect};
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

    rd.spec = mcph_reading_spec_new(check, server, key);
    if (!rd.spec)
        goto out;
    if (server->transport == MCPHOST_TRANSPORT_IN_PROCESS)
        mcph_spec_set_inside(rd.spec);
    else
        rd.spec->transport = server->transport;
    mcph_reading_keys(&rd);
    check_era(&rd);
    if (check->err == 0 && check->n_errors == errors)
        mcph_reading_seal(check, server, rd.spec);
out:
    mcph_spec_unref(rd.spec);
    check->server = NULL;
}
