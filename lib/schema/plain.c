/* SPDX-License-Identifier: MIT
 *
 * plain.c - a fast check for simple objects, the usual arguments of calls.
 *
 * The fast check handles an object whose names are all in `properties` and whose values
 * are scalars, if the schema of each value has no rule but a type.  The fast check needs
 * only the pass that checks the syntax of the text.  check.c parses all other values into
 * a tape and checks the tape.
 */
#include <string.h>

#include "schema/inner.h"

#define MEMBERS_MAX 16

/* Returns the member rule of a schema that permits objects and has no other rule, no
 * patterns and at most 64 names.  Returns NULL for any other schema. */
static const struct mcph_members *
members_of(const struct mcph_schema_node *node)
{
    const struct mcph_members *members;

    if (node->never || node->n_rules != 1 || node->rules[0].kind != RULE_MEMBERS ||
        (node->types && !(node->types & TYPE_BIT(MCPH_JSON_OBJECT))))
        return NULL;
    members = node->rules[0].members;
    return members->n_patterns == 0 && members->n_names <= 64 ? members : NULL;
}

static bool
type_fits(const struct mcph_schema_node *node, struct mcph_span token)
{
    int type = mcph_json_type(token);

    if (node->never || node->n_rules > 0)
        return false;
    return !node->types || (node->types & TYPE_BIT(type)) ||
           (type == MCPH_JSON_NUMBER && (node->types & TYPE_INTEGER) &&
            mcph_is_written_integer(token.p, token.len));
}

bool
mcph_schema_plainly_fits(const mcphost_schema *schema, struct mcph_span json,
                         struct mcph_span *ret_value)
{
    const struct mcph_members *rule =
        schema->state == SCHEMA_READY ? members_of(schema->root) : NULL;
    struct mcph_json_member members[MEMBERS_MAX];
    struct mcph_span value;
    uint64_t seen = 0;
    uint32_t required = 0;
    int n;

    if (!rule)
        return false;
    n = mcph_json_scan_flat(json, members, MEMBERS_MAX, &value);
    for (int i = 0; i < n; i++) {
        const struct mcph_name *name = mcph_members_find(rule, members[i].name);
        uint64_t bit = name ? (uint64_t)1 << (name - rule->names) : 0;

        /* Leave the object to the full check if a name is unknown or occurs twice, or if
         * a value does not fit.  The full check reports the errors. */
        if (!name || !name->node || (seen & bit) ||
            !type_fits(name->node, members[i].value))
            return false;
        seen |= bit;
        required += name->required > 0;
    }
    if (n < 0 || required < rule->n_required)
        return false;
    *ret_value = value;
    return true;
}
