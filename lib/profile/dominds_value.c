/* SPDX-License-Identifier: MIT
 *
 * dominds_value.c - read values of a server's entry that may come from the environment
 * (R12, R13, R17).
 *
 * A value is a literal, {env: NAME} or {prefix: text, env: NAME}.  The error messages of
 * this file contain no literal, prefix or NAME, because each of them may be a secret.
 */
#include <string.h>

#include "profile/dominds.h"
#include "transport/transport.h"

void
mcph_dominds_value(struct reading *rd, const struct mcph_key *key, const char *name,
                   const struct mcph_node *node)
{
    static const char *const known[] = {"env", "prefix"};
    struct mcph_check *check = rd->check;
    const struct mcph_node *env, *prefix;
    size_t mark;
    bool filled;

    if (node->kind == MCPH_NODE_STRING) {
        mcph_reading_add_value(rd, key, name, node, node->text, NULL);
        return;
    }
    if (node->kind != MCPH_NODE_MAP) {
        mcph_check_kind(check, node, MCPH_NODE_STRING, "a string or {env: NAME}");
        return;
    }
    mcph_check_unknown(check, node, known, MCPH_ARRAY_SIZE(known));
    prefix = mcph_check_member(check, node, "prefix", MCPH_NODE_STRING, "a string");
    env = mcph_node_get(node, "env");
    if (!env) {
        mcph_check_error(check, node,
                         "expected a string or {env: NAME}, found a map without "
                         "'env'");
        return;
    }
    mark = mcph_check_enter(check, "env");
    filled = mcph_reading_filled(check, env);
    mcph_check_leave(check, mark);
    if (filled && (prefix || !mcph_node_get(node, "prefix")))
        mcph_reading_add_value(rd, key, name, node, prefix ? prefix->text : "",
                               env->text);
}

/* Warns if the protocol itself sets the header `name` (R17). */
void
mcph_dominds_header(struct reading *rd, const struct mcph_node *name)
{
    if (mcph_http_is_reserved(name->text))
        mcph_check_warn(rd->check, name, "the protocol sets this header itself, ignored");
}
