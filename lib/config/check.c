/* SPDX-License-Identifier: MIT
 *
 * check.c - walk a parsed tree and report errors with their key path.
 *
 * The reader of a format states the kinds of values that it expects.  This file reports
 * values of another kind.  This file never shows a value, because any value may be a
 * secret.  Only the text that a reader passes to mcph_check_error(), mcph_check_sparing()
 * or mcph_check_warn() can show a value.
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"

#define PATH_MAX_BYTES ((size_t)64 * 1024)
#define TEXT_MAX       1024

void
mcph_check_init(struct mcph_check *check, mcphost_config *config)
{
    *check = (struct mcph_check){.config = config};
    mcph_buf_init(&check->path, PATH_MAX_BYTES);
}

void
mcph_check_done(struct mcph_check *check)
{
    mcph_buf_done(&check->path);
}

static void
keep_error(struct mcph_check *check, int r)
{
    if (r < 0 && check->err == 0)
        check->err = r;
}

size_t
mcph_check_enter(struct mcph_check *check, const char *key)
{
    size_t mark = check->path.len;

    keep_error(check, mcph_path_member(&check->path, key));
    return mark;
}

size_t
mcph_check_enter_index(struct mcph_check *check, size_t index)
{
    size_t mark = check->path.len;

    keep_error(check, mcph_path_index(&check->path, index));
    return mark;
}

void
mcph_check_leave(struct mcph_check *check, size_t mark)
{
    check->path.len = mark;
}

static void
report_at(struct mcph_check *check, int severity, const struct mcph_node *node,
          const char *fmt, va_list ap)
{
    char text[TEXT_MAX];

    if (check->err)
        return;
    vsnprintf(text, sizeof(text), fmt, ap);
    keep_error(check, mcph_config_diag(check->config, severity, check->server,
                                       mcph_path_text(&check->path), node->line,
                                       node->column, "%s", text));
    if (severity == MCPHOST_DIAGNOSTIC_ERROR)
        check->n_errors++;
}

void
mcph_check_error(struct mcph_check *check, const struct mcph_node *node, const char *fmt,
                 ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_at(check, MCPHOST_DIAGNOSTIC_ERROR, node, fmt, ap);
    va_end(ap);
}

void
mcph_check_sparing(struct mcph_check *check, const struct mcph_node *node,
                   const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_at(check, MCPH_DIAGNOSTIC_SPARING, node, fmt, ap);
    va_end(ap);
}

void
mcph_check_warn(struct mcph_check *check, const struct mcph_node *node, const char *fmt,
                ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_at(check, MCPHOST_DIAGNOSTIC_WARNING, node, fmt, ap);
    va_end(ap);
}

bool
mcph_check_kind(struct mcph_check *check, const struct mcph_node *node, int kind,
                const char *expected)
{
    bool unquoted = node->kind == MCPH_NODE_BOOL || node->kind == MCPH_NODE_INT ||
                    node->kind == MCPH_NODE_FLOAT;

    if (node->kind == kind)
        return true;
    mcph_check_error(check, node, "expected %s, found %s%s", expected,
                     mcph_node_kind_text(node),
                     kind == MCPH_NODE_STRING && unquoted ? " (put it in quotes)" : "");
    return false;
}

const struct mcph_node *
mcph_check_member(struct mcph_check *check, const struct mcph_node *map, const char *key,
                  int kind, const char *expected)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    size_t mark;
    bool good;

    if (!node)
        return NULL;
    mark = mcph_check_enter(check, key);
    good = mcph_check_kind(check, node, kind, expected);
    mcph_check_leave(check, mark);
    return good ? node : NULL;
}

bool
mcph_check_bool(struct mcph_check *check, const struct mcph_node *map, const char *key,
                bool fallback)
{
    const struct mcph_node *node =
        mcph_check_member(check, map, key, MCPH_NODE_BOOL, "true or false");

    return node ? node->boolean : fallback;
}

void
mcph_check_unknown(struct mcph_check *check, const struct mcph_node *map,
                   const char *const *known, size_t n)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct mcph_node *key = map->keys[i];
        const char *nearest;
        size_t mark, k;

        for (k = 0; k < n && strcmp(key->text, known[k]) != 0; k++)
            continue;
        if (k < n)
            continue;
        nearest = mcph_name_nearest(key->text, key->len, known, n);
        mark = mcph_check_enter(check, key->text);
        if (nearest)
            mcph_check_warn(check, key, "unknown key, ignored; did you mean '%s'?",
                            nearest);
        else
            mcph_check_warn(check, key, "unknown key, ignored");
        mcph_check_leave(check, mark);
    }
}

bool
mcph_text_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}
