/* SPDX-License-Identifier: MIT
 *
 * dominds_value.c - values of a server's entry that may come from the environment
 * (R12, R13, R17).
 *
 * A literal, {env: NAME} or {prefix: text, env: NAME}.  Any of them may be a secret:
 * what is wrong is told without them.
 */
#include <string.h>

#include "profile/dominds.h"
#include "transport/transport.h"

void
dominds_keep_nomem(struct mcph_check *check, bool good)
{
    if (!good && check->err == 0)
        check->err = MCPHOST_E_NOMEM;
}

void
dominds_missing(struct reading *rd, const char *key, const char *expected)
{
    size_t mark = mcph_check_enter(rd->check, key);

    mcph_check_error(rd->check, rd->map, "expected %s, found nothing", expected);
    mcph_check_leave(rd->check, mark);
}

const struct mcph_node *
dominds_filled_string(struct reading *rd, const struct mcph_node *map, const char *key)
{
    const struct mcph_node *node;
    size_t mark;

    node = mcph_check_member(rd->check, map, key, MCPH_NODE_STRING, "a string");
    if (!node || !mcph_text_blank(node->text))
        return node;
    mark = mcph_check_enter(rd->check, key);
    mcph_check_error(rd->check, node,
                     "expected a string that is not blank, found a blank one");
    mcph_check_leave(rd->check, mark);
    return NULL;
}

static bool
name_ok(struct mcph_check *check, const struct mcph_node *key, bool headers)
{
    if (headers && !mcph_header_name_ok(key->text, strlen(key->text)))
        mcph_check_error(check, key,
                         "expected the name of an HTTP header, found a key with "
                         "other characters");
    else if (!headers && (!*key->text || strchr(key->text, '=')))
        mcph_check_error(check, key,
                         "expected the name of an environment variable, found "
                         "one that is empty or has a '='");
    else
        return true;
    return false;
}

static void
add_value(struct reading *rd, struct mcph_values *values, const char *name,
          const struct mcph_node *node, const char *text, const char *env)
{
    const char *why = NULL;

    if (values == &rd->spec->proxy && !env)
        why = mcph_proxy_check(text);
    if (values != &rd->spec->env && !mcph_header_value_ok(text, strlen(text)))
        mcph_check_error(rd->check, node,
                         "expected a text on one line, found a control character");
    else if (why)
        mcph_check_error(rd->check, node, "expected 'none' or a proxy, found one that %s",
                         why);
    else
        dominds_keep_nomem(rd->check, mcph_values_add(values, name, text, env) == 0);
}

/* A literal, {env: NAME} or {prefix: text, env: NAME}. */
static void
read_value(struct reading *rd, struct mcph_values *values, const char *name,
           const struct mcph_node *node)
{
    static const char *const known[] = {"env", "prefix"};
    struct mcph_check *check = rd->check;
    const struct mcph_node *env, *prefix;

    if (node->kind == MCPH_NODE_STRING) {
        add_value(rd, values, name, node, node->text, NULL);
        return;
    }
    if (node->kind != MCPH_NODE_MAP) {
        mcph_check_kind(check, node, MCPH_NODE_STRING, "a string or {env: NAME}");
        return;
    }
    mcph_check_unknown(check, node, known, MCPH_ARRAY_SIZE(known));
    prefix = mcph_check_member(check, node, "prefix", MCPH_NODE_STRING, "a string");
    if (!mcph_node_get(node, "env")) {
        mcph_check_error(check, node,
                         "expected a string or {env: NAME}, found a map without "
                         "'env'");
        return;
    }
    env = dominds_filled_string(rd, node, "env");
    if (env && (prefix || !mcph_node_get(node, "prefix")))
        add_value(rd, values, name, node, prefix ? prefix->text : "", env->text);
}

/* R17: the protocol's own are not the user's. */
static void
check_header(struct mcph_check *check, const struct mcph_node *key)
{
    if (mcph_http_is_reserved(key->text))
        mcph_check_warn(check, key, "the protocol says what is in this header, ignored");
}

void
dominds_values(struct reading *rd, const char *key, struct mcph_values *values)
{
    struct mcph_check *check = rd->check;
    const struct mcph_node *map;
    size_t mark;

    map = mcph_check_member(check, rd->map, key, MCPH_NODE_MAP, "a map");
    if (!map)
        return;
    mark = mcph_check_enter(check, key);
    for (size_t i = 0; i < map->n; i++) {
        size_t inner = mcph_check_enter(check, map->keys[i]->text);

        if (values == &rd->spec->headers)
            check_header(check, map->keys[i]);
        if (name_ok(check, map->keys[i], values == &rd->spec->headers))
            read_value(rd, values, map->keys[i]->text, map->items[i]);
        mcph_check_leave(check, inner);
    }
    mcph_check_leave(check, mark);
}

void
dominds_value(struct reading *rd, const struct mcph_node *map, const char *key,
              const char *name, struct mcph_values *values)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    size_t mark;

    if (!node)
        return;
    mark = mcph_check_enter(rd->check, key);
    read_value(rd, values, name, node);
    mcph_check_leave(rd->check, mark);
}
