/* SPDX-License-Identifier: MIT
 *
 * value.c - values of `env`, `headers` and other keys that may be secrets: literals and
 * references to variables of the host's environment (R12, R13, R16, R17).
 *
 * A value is a declaration.  The code that starts a server resolves the value.  This file
 * wipes a resolved text before it frees the text, because the text may be a secret.  No
 * message contains a resolved text.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

int
mcph_values_add(struct mcph_values *values, const char *name, const char *text,
                const char *env)
{
    struct mcph_value *items, v;

    items = mcph_reallocarray(values->items, values->n + 1, sizeof(*items));
    if (!items)
        return MCPHOST_E_NOMEM;
    values->items = items;
    v.name = mcph_strdup(name);
    v.text = mcph_strdup(text);
    v.env = env ? mcph_strdup(env) : NULL;
    if (!v.name || !v.text || (env && !v.env)) {
        free(v.name);
        mcph_str_wipe(v.text);
        free(v.env);
        return MCPHOST_E_NOMEM;
    }
    items[values->n++] = v;
    return 0;
}

void
mcph_values_done(struct mcph_values *values)
{
    for (size_t i = 0; i < values->n; i++) {
        struct mcph_value *v = &values->items[i];

        free(v->name);
        mcph_str_wipe(v->text);
        free(v->env);
    }
    free(values->items);
    *values = (struct mcph_values){0};
}

void
mcph_pairs_done(struct mcph_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        free(pairs->items[i].name);
        mcph_str_wipe(pairs->items[i].text);
    }
    free(pairs->items);
    *pairs = (struct mcph_pairs){0};
}

static char *
join_texts(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    char *text = malloc(a_len + b_len + 1);

    if (text) {
        memcpy(text, a, a_len);
        memcpy(text + a_len, b, b_len + 1);
    }
    return text;
}

/* Returns the fault of a resolved value, or NULL if the value is valid. */
static const char *
fault_of(const struct mcph_key *key, const char *text)
{
    if (key->kind == MCPH_KEY_VARIABLES)
        return NULL;
    if (!mcph_header_value_ok(text, strlen(text)))
        return "has a control character";
    return key->fault ? key->fault(text) : NULL;
}

/* Finds the key whose field is `values`. */
static const struct mcph_key *
key_of(const struct mcph_spec *spec, const struct mcph_values *values)
{
    const struct mcph_key *key;

    for (size_t i = 0; (key = mcph_key_at(i)); i++) {
        if (mcph_key_has_values(key) && mcph_key_get(key, spec) == values)
            break;
    }
    return key;
}

int
mcph_spec_resolve(const struct mcph_spec *spec, const struct mcph_values *values,
                  mcph_env_lookup_fn lookup, void *arg, struct mcph_pairs *ret_pairs,
                  mcphost_error **reterr)
{
    const struct mcph_key *key = key_of(spec, values);
    bool one = key->kind == MCPH_KEY_VALUE; /* a key of the kind VALUE has one value;
                                             * messages name this value by the key
                                             * alone */
    const char *map = one ? "" : key->name, *dot = one ? "" : ".";
    struct mcph_pairs pairs = {0};
    mcphost_error *err = NULL;
    int r = 0;

    if (values->n > 0) {
        pairs.items = calloc(values->n, sizeof(*pairs.items));
        if (!pairs.items)
            return mcph_err_nomem(reterr);
    }
    for (size_t i = 0; i < values->n && r == 0; i++) {
        const struct mcph_value *v = &values->items[i];
        struct mcph_pair *pair = &pairs.items[pairs.n++];
        const char *found = v->env ? lookup(v->env, arg) : "";
        const char *why;

        if (!found) {
            r = mcph_err_at(&err, MCPHOST_E_CONFIG, spec->file, spec->line, spec->column,
                            "%s%s%s: environment variable '%s' is not set", map, dot,
                            v->name, v->env);
            break;
        }
        pair->name = mcph_strdup(v->name);
        pair->text = join_texts(v->text, found);
        why = pair->text ? fault_of(key, pair->text) : NULL;
        if (!pair->name || !pair->text)
            r = mcph_err_nomem(&err);
        else if (why)
            r = mcph_err_at(&err, MCPHOST_E_CONFIG, spec->file, spec->line, spec->column,
                            "%s%s%s: the value %s", map, dot, v->name, why);
    }
    if (r < 0) {
        mcph_pairs_done(&pairs);
        mcph_err_set_server(err, NULL, spec->id);
        if (reterr)
            *reterr = err;
        else
            mcphost_error_unref(err);
        return r;
    }
    *ret_pairs = pairs;
    return 0;
}
