/* SPDX-License-Identifier: MIT
 *
 * chatos_text.c - read texts, paths, lists and flags of the files of ChatOS (B.20).
 *
 * The functions trim each text that they read.  Messages show no value, because any value
 * may be a secret.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "profile/reading.h"

/* ---- paths ------------------------------------------------------------------------- */

/* Removes the last component of an absolute path without a slash at its end.  The empty
 * path stands for the root and stays as it is. */
static void
step_up(struct mcph_buf *path)
{
    while (path->len > 0 && path->data[path->len - 1] != '/')
        path->len--;
    if (path->len > 0)
        path->len--;
}

/* Appends the components of `text` to `path`, and resolves "." and "..". */
static int
append_steps(struct mcph_buf *path, struct mcph_span text)
{
    const char *p = text.p, *end = text.p + text.len;

    while (p < end) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t len = (size_t)((slash ? slash : end) - p);

        if (len == 2 && p[0] == '.' && p[1] == '.') {
            step_up(path);
        } else if (len > 0 && !(len == 1 && *p == '.')) {
            mcph_buf_addc(path, '/');
            mcph_buf_add(path, p, len);
        }
        p += len + (slash ? 1 : 0);
    }
    return mcph_buf_ok(path);
}

/* Returns the part of `path` below `dir`, "" if `path` is `dir`, or NULL if `path` is not
 * below `dir`. */
static const char *
path_below(const char *dir, size_t dir_len, const char *path)
{
    if (dir_len > 0 && strncmp(path, dir, dir_len) != 0)
        return NULL;
    if (path[dir_len] == '\0')
        return "";
    return path[dir_len] == '/' ? path + dir_len + 1 : NULL;
}

static int
make_relative(struct mcph_buf *base, struct mcph_buf *path, char **ret_path,
              const char **ret_why)
{
    const char *whole = mcph_buf_text(path), *rest;
    char *copy;

    if (!whole)
        return mcph_buf_ok(path);
    rest = path->len < base->len ? NULL : path_below(base->data, base->len, whole);
    if (!rest || !*rest) {
        *ret_why = rest ? "the directory itself" : "one that leads out of it";
        return MCPHOST_E_CONFIG;
    }
    copy = mcph_strdup(rest);
    if (!copy)
        return MCPHOST_E_NOMEM;
    *ret_path = copy;
    return 0;
}

int
mcph_chatos_path(const char *dir, struct mcph_span path, char **ret_path,
                 const char **ret_why)
{
    struct mcph_buf base, whole;
    int r;

    mcph_buf_init(&base, MCPH_CHATOS_PATH_MAX);
    mcph_buf_init(&whole, MCPH_CHATOS_PATH_MAX);
    r = append_steps(&base, mcph_span_str(dir));
    if (r == 0 && base.len > 0 && !(path.len > 0 && *path.p == '/'))
        r = mcph_buf_add(&whole, base.data, base.len);
    if (r == 0)
        r = append_steps(&whole, path);
    if (r == 0)
        r = make_relative(&base, &whole, ret_path, ret_why);
    if (r == MCPHOST_E_LIMIT) {
        *ret_why = "one that is too long";
        r = MCPHOST_E_CONFIG;
    }
    mcph_buf_done(&base);
    mcph_buf_done(&whole);
    return r;
}

#define LOOKED_AT 100 /* limit on keys of a map that are checked for misspellings */
#define ID_MAX    200 /* limit on the bytes of an id */

/* ---- one value --------------------------------------------------------------------- */

/* Gets the trimmed text of a node.  Reports an error if the node is not a string, or if
 * the text is blank and `need` forbids a blank text. */
static bool
is_text(struct chatos_reading *rd, const struct mcph_node *node, int need,
        struct mcph_span *ret_text)
{
    if (!mcph_check_kind(rd->check, node, MCPH_NODE_STRING, "a string"))
        return false;
    *ret_text = mcph_chatos_trim(node->text, node->len);
    if (need == CHATOS_ANY || ret_text->len > 0)
        return true;
    mcph_check_error(rd->check, node,
                     "expected a string that is not blank, found a blank one");
    return false;
}

char *
mcph_chatos_read_text(struct chatos_reading *rd, const struct mcph_node *node, int need)
{
    struct mcph_span text;
    char *copy;

    if (!is_text(rd, node, need, &text))
        return NULL;
    copy = mcph_strndup(text.p, text.len);
    mcph_reading_keep_nomem(rd->check, copy != NULL);
    return copy;
}

char *
mcph_chatos_read_path(struct chatos_reading *rd, const struct mcph_node *node,
                      bool sparing)
{
    static const char fmt[] = "expected a path inside the plugin's directory, found %s";
    const char *why = NULL;
    struct mcph_span text;
    char *path = NULL;
    int r;

    if (!is_text(rd, node, CHATOS_FILLED, &text))
        return NULL;
    r = mcph_chatos_path(rd->dir, text, &path, &why);
    if (r == MCPHOST_E_CONFIG && sparing)
        mcph_check_sparing(rd->check, node, fmt, why);
    else if (r == MCPHOST_E_CONFIG)
        mcph_check_error(rd->check, node, fmt, why);
    mcph_reading_keep_nomem(rd->check, r != MCPHOST_E_NOMEM);
    return path;
}

/* ---- members ----------------------------------------------------------------------- */

void
mcph_chatos_missing(struct chatos_reading *rd, const struct mcph_node *map,
                    const char *key, const char *expected)
{
    size_t mark = mcph_check_enter(rd->check, key);

    mcph_check_error(rd->check, map, "expected %s, found nothing", expected);
    mcph_check_leave(rd->check, mark);
}

char *
mcph_chatos_read_text_at(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key, int need)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    char *text = NULL;
    size_t mark;

    if (node) {
        mark = mcph_check_enter(rd->check, key);
        text = mcph_chatos_read_text(rd, node, need);
        mcph_check_leave(rd->check, mark);
    } else if (need == CHATOS_NEEDED) {
        mcph_chatos_missing(rd, map, key, "a string");
    }
    return text;
}

char *
mcph_chatos_read_text_or(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key, const char *fallback)
{
    char *text;

    if (mcph_node_get(map, key))
        return mcph_chatos_read_text_at(rd, map, key, CHATOS_ANY);
    text = mcph_strdup(fallback);
    mcph_reading_keep_nomem(rd->check, text != NULL);
    return text;
}

/* Returns a description of the flaw of an id, or NULL if the id is good.  The rules are
 * strict, because the library makes names and paths from ids. */
static const char *
find_id_flaw(const char *id)
{
    if (strlen(id) > ID_MAX)
        return "one that is too long";
    if (strcmp(id, ".") == 0 || strcmp(id, "..") == 0 || strchr(id, '/'))
        return "one that is a path";
    for (const char *p = id; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return "one with a control character";
    }
    return NULL;
}

char *
mcph_chatos_read_id_at(struct chatos_reading *rd, const struct mcph_node *map)
{
    char *id = mcph_chatos_read_text_at(rd, map, "id", CHATOS_NEEDED);
    const char *flaw = id ? find_id_flaw(id) : NULL;
    size_t mark;

    if (!flaw)
        return id;
    free(id);
    mark = mcph_check_enter(rd->check, "id");
    mcph_check_error(rd->check, mcph_node_get(map, "id"), "expected an id, found %s",
                     flaw);
    mcph_check_leave(rd->check, mark);
    return NULL;
}

char *
mcph_chatos_read_path_at(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key, bool sparing)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    char *path;
    size_t mark;

    if (!node)
        return NULL;
    mark = mcph_check_enter(rd->check, key);
    path = mcph_chatos_read_path(rd, node, sparing);
    mcph_check_leave(rd->check, mark);
    return path;
}

/* Appends the strings of a list.  Stops at the first bad item, because a file may have
 * very many bad items. */
void
mcph_chatos_read_texts(struct chatos_reading *rd, const struct mcph_node *list, int need,
                       struct mcph_strings *texts)
{
    const struct mcph_check *check = rd->check;
    size_t errors = check->n_errors;

    for (size_t i = 0; i < list->n && check->n_errors == errors && !check->err; i++) {
        size_t mark = mcph_check_enter_index(rd->check, i);
        char *text = mcph_chatos_read_text(rd, list->items[i], need);

        mcph_check_leave(rd->check, mark);
        if (text)
            mcph_reading_keep_nomem(rd->check, mcph_strings_add(texts, text) == 0);
        free(text);
    }
}

void
mcph_chatos_read_texts_at(struct chatos_reading *rd, const struct mcph_node *map,
                          const char *key, struct mcph_strings *texts)
{
    const struct mcph_node *list =
        mcph_check_member(rd->check, map, key, MCPH_NODE_LIST, "a list of strings");
    size_t mark;

    if (!list)
        return;
    mark = mcph_check_enter(rd->check, key);
    mcph_chatos_read_texts(rd, list, CHATOS_ANY, texts);
    mcph_check_leave(rd->check, mark);
}

int
mcph_chatos_read_flag_at(struct chatos_reading *rd, const struct mcph_node *map,
                         const char *key)
{
    const struct mcph_node *node =
        mcph_check_member(rd->check, map, key, MCPH_NODE_BOOL, "true or false");

    return node ? node->boolean : -1;
}

static bool
is_among(const char *key, const char *const *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(key, known[i]) == 0)
            return true;
    }
    return false;
}

void
mcph_chatos_warn_misspelt(struct chatos_reading *rd, const struct mcph_node *map,
                          const char *const *known, size_t n)
{
    for (size_t i = 0; i < map->n && i < LOOKED_AT; i++) {
        const struct mcph_node *key = map->keys[i];
        const char *nearest;
        size_t mark;

        if (is_among(key->text, known, n))
            continue;
        nearest = mcph_name_nearest(key->text, key->len, known, n);
        if (!nearest)
            continue;
        mark = mcph_check_enter(rd->check, key->text);
        mcph_check_warn(rd->check, key, "unknown key, ignored; did you mean '%s'?",
                        nearest);
        mcph_check_leave(rd->check, mark);
    }
}
