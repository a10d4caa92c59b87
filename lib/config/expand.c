/* SPDX-License-Identifier: MIT
 *
 * expand.c - replace variables of the host's environment in texts: "${NAME}", or
 * "${NAME:-text}" with a default.
 *
 * A spec keeps its texts unchanged, so that no value of a variable is in a hash or is
 * shown.  This file replaces the variables when a server starts.  Texts that only look
 * like a variable, "$NAME" or "${NAME%.c}", stay unchanged, because they may be meant for
 * a shell that the server runs.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#define TEXT_MAX ((size_t)1024 * 1024)

#define LETTERS "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

struct variable {
    const char *name, *fallback, *end; /* `end` points behind the closing brace;
                                        * `fallback` is NULL if the variable has no
                                        * default */
    size_t name_len, fallback_len;
};

/* Finds the first variable of a text.  Returns false if the text has no variable. */
static bool
find_variable(const char *text, struct variable *ret)
{
    for (; (text = strstr(text, "${")); text += 2) {
        const char *name = text + 2, *close = strchr(name, '}');
        size_t len = strspn(name, LETTERS DIGITS);

        if (!close)
            return false;
        if (len == 0 || strchr(DIGITS, *name))
            continue;
        *ret = (struct variable){.name = name, .name_len = len, .end = close + 1};
        if (name[len] == '}')
            return true;
        if (strncmp(name + len, ":-", 2) == 0) {
            ret->fallback = name + len + 2;
            ret->fallback_len = (size_t)(close - ret->fallback);
            return true;
        }
    }
    return false;
}

bool
mcph_text_has_variables(const char *text)
{
    struct variable v;

    return find_variable(text, &v);
}

/* ---- one spec ---------------------------------------------------------------------- */

struct expansion {
    const struct mcph_spec *from;
    struct mcph_spec *to;
    mcph_env_lookup_fn lookup;
    void *arg;
    struct mcph_buf where; /* e.g. "args[2]", "headers.Authorization" */
    mcphost_error *err;
};

static int
fail_at_key(struct expansion *e, int code, const char *what, const char *name)
{
    return mcph_err_at(&e->err, code, e->from->file, e->from->line, e->from->column,
                       "%s: %s%s%s%s", mcph_path_text(&e->where), what, name ? " '" : "",
                       name ? name : "", name ? "' is not set" : "");
}

static int
add_variable(struct expansion *e, const struct variable *v, struct mcph_buf *buf)
{
    char *name = mcph_strndup(v->name, v->name_len);
    const char *value = name ? e->lookup(name, e->arg) : NULL;
    int r = 0;

    if (value)
        mcph_buf_adds(buf, value);
    else if (v->fallback)
        mcph_buf_add(buf, v->fallback, v->fallback_len);
    else if (!name)
        r = mcph_err_nomem(&e->err);
    else if (e->from->variables != MCPH_VARIABLES_EMPTY)
        r = fail_at_key(e, MCPHOST_E_CONFIG, "environment variable", name);
    free(name);
    return r;
}

static int
expand_variables(struct expansion *e, const char *text, char **ret)
{
    struct mcph_buf buf;
    struct variable v;
    int r = 0;

    mcph_buf_init(&buf, TEXT_MAX);
    while (r == 0 && find_variable(text, &v)) {
        mcph_buf_add(&buf, text, (size_t)(v.name - 2 - text));
        r = add_variable(e, &v, &buf);
        text = v.end;
    }
    mcph_buf_adds(&buf, text);
    if (r == 0 && mcph_buf_ok(&buf) == MCPHOST_E_LIMIT)
        r = fail_at_key(e, MCPHOST_E_LIMIT, "the text with its variables is too long",
                        NULL);
    *ret = r == 0 ? mcph_buf_steal(&buf, NULL) : NULL;
    mcph_buf_wipe(&buf);
    return r == 0 && !*ret ? mcph_err_nomem(&e->err) : r;
}

/* ---- kinds of keys ----------------------------------------------------------------- */

static int
expand_url(struct expansion *e, char **field)
{
    char *url = NULL;
    const char *why;
    int r = mcph_url_normalize(*field, strlen(*field), &url, &why);

    if (r == MCPHOST_E_CONFIG) {
        mcph_buf_addf(&e->where, ": expected an http or https URL, found one that %s",
                      why);
        return mcph_err_at(&e->err, r, e->from->file, e->from->line, e->from->column,
                           "%s", mcph_path_text(&e->where));
    }
    if (r < 0)
        return mcph_err_nomem(&e->err);
    mcph_str_wipe(*field);
    *field = url;
    return 0;
}

/* Checks an expanded path.  A path that begins with a variable can be checked only after
 * the expansion. */
static int
expand_path(struct expansion *e, char **field)
{
    return **field == '/'
               ? 0
               : fail_at_key(e, MCPHOST_E_CONFIG,
                             "expected an absolute path, found a relative one", NULL);
}

static int
expand_text(struct expansion *e, const struct mcph_key *key, const char *text,
            char **field)
{
    int r = 0;

    if (!text)
        return 0;
    r = expand_variables(e, text, field);
    if (r < 0 || !mcph_text_has_variables(text))
        return r;
    if (key->kind == MCPH_KEY_URL)
        return expand_url(e, field);
    if (key->kind == MCPH_KEY_PATH || key->kind == MCPH_KEY_FILE ||
        key->kind == MCPH_KEY_DIRECTORY ||
        (key->kind == MCPH_KEY_PROGRAM && strchr(*field, '/')))
        return expand_path(e, field);
    return 0;
}

static int
expand_strings(struct expansion *e, const struct mcph_strings *from,
               struct mcph_strings *to)
{
    int r = 0;

    for (size_t i = 0; i < from->n && r == 0; i++) {
        size_t mark = e->where.len;
        char *text = NULL;

        mcph_path_index(&e->where, i);
        r = expand_variables(e, from->items[i], &text);
        if (r == 0 && mcph_strings_add(to, text) < 0)
            r = mcph_err_nomem(&e->err);
        mcph_str_wipe(text);
        e->where.len = mark;
    }
    return r;
}

static int
expand_values(struct expansion *e, const struct mcph_key *key,
              const struct mcph_values *from, struct mcph_values *to)
{
    int r = 0;

    for (size_t i = 0; i < from->n && r == 0; i++) {
        const struct mcph_value *v = &from->items[i];
        size_t mark = e->where.len;
        char *text = NULL;

        if (key->kind != MCPH_KEY_VALUE)
            mcph_path_member(&e->where, v->name);
        r = expand_variables(e, v->text, &text);
        if (r == 0 && mcph_values_add(to, v->name, text, v->env) < 0)
            r = mcph_err_nomem(&e->err);
        mcph_str_wipe(text);
        e->where.len = mark;
    }
    return r;
}

static int
expand_key(struct expansion *e, const struct mcph_key *key)
{
    const void *from = mcph_key_get(key, e->from);
    void *to = mcph_key_field(key, e->to);

    e->where.len = 0;
    mcph_buf_adds(&e->where, key->name);
    if (mcph_key_has_text(key))
        return expand_text(e, key, *(char *const *)from, to);
    if (mcph_key_has_values(key))
        return expand_values(e, key, from, to);
    if (key->kind == MCPH_KEY_STRINGS)
        return expand_strings(e, from, to);
    mcph_key_copy_number(key, from, to);
    return 0;
}

/* Makes a spec with the members that errors of a start mention.  Returns NULL if memory
 * is short. */
static struct mcph_spec *
copy_head(const struct mcph_spec *spec)
{
    struct mcph_spec *copy = mcph_spec_new(spec->id, spec->source);

    if (!copy)
        return NULL;
    copy->line = spec->line;
    copy->column = spec->column;
    copy->file = spec->file ? mcph_strdup(spec->file) : NULL;
    return spec->file && !copy->file ? mcph_spec_unref(copy) : copy;
}

int
mcph_spec_expand(struct mcph_spec *spec, mcph_env_lookup_fn lookup, void *arg,
                 struct mcph_spec **ret, mcphost_error **reterr)
{
    struct expansion e = {.from = spec, .lookup = lookup, .arg = arg};
    const struct mcph_key *key;
    int r = 0;

    if (spec->variables == MCPH_VARIABLES_NONE) {
        *ret = mcph_spec_ref(spec);
        return 0;
    }
    mcph_buf_init(&e.where, TEXT_MAX);
    e.to = copy_head(spec);
    if (!e.to)
        r = mcph_err_nomem(&e.err);
    for (size_t i = 0; r == 0 && (key = mcph_key_at(i)); i++) {
        if (key->flags & MCPH_KEY_LAUNCH)
            r = expand_key(&e, key);
    }
    mcph_buf_wipe(&e.where);
    if (r < 0) {
        mcph_spec_unref(e.to);
        mcph_err_set_server(e.err, NULL, spec->id);
        if (reterr)
            *reterr = e.err;
        else
            mcphost_error_unref(e.err);
        return r;
    }
    *ret = e.to;
    return 0;
}
