/* SPDX-License-Identifier: MIT
 *
 * dominds_manual.c - the manual of a server (B.5).
 *
 * A manual is a text for people and models.  A manual that is too long gives an error.
 * Any other fault of a manual gives a warning.  No fault of a manual makes the server
 * invalid.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/dominds.h"

#define CHARS_MAX 25000
#define BYTES_MAX ((size_t)4 * CHARS_MAX)
#define CUT_MARK  "\n[... cut here]"

struct manual {
    struct mcph_check *check;
    struct mcph_buf text; /* at most BYTES_MAX bytes, plus CUT_MARK */
    bool too_long;
};

/* ---- the text ---------------------------------------------------------------------- */

static void
put_text(struct manual *m, const char *text, size_t len)
{
    size_t room = BYTES_MAX - m->text.len;

    if (len > room) {
        m->too_long = true;
        len = room;
    }
    mcph_buf_add(&m->text, text, len);
}

/* Appends one part.  A blank line separates the part from an earlier part. */
static void
put_part(struct manual *m, const char *title, const char *text, size_t len)
{
    if (m->text.len > 0)
        put_text(m, m->text.data[m->text.len - 1] == '\n' ? "\n" : "\n\n",
                 m->text.data[m->text.len - 1] == '\n' ? 1 : 2);
    if (title) {
        put_text(m, "## ", 3);
        put_text(m, title, strlen(title));
        put_text(m, "\n\n", 2);
    }
    put_text(m, text, len);
}

/* Returns the length in bytes of the text, or of its first CHARS_MAX characters if the
 * text is longer.  If the text is longer, sets `too_long`. */
static size_t
length_within_limit(struct manual *m)
{
    size_t chars = 0;

    for (size_t i = 0; i < m->text.len; i++) {
        if (((unsigned char)m->text.data[i] & 0xc0) == 0x80)
            continue;
        if (++chars > CHARS_MAX) {
            m->too_long = true;
            return i;
        }
    }
    return m->text.len;
}

/* ---- the parts of a manual --------------------------------------------------------- */

/* Returns the member `key` if it is a text that is not blank, else NULL.  A value that is
 * not a text gives a warning. */
static const struct mcph_node *
text_of(struct manual *m, const struct mcph_node *map, const char *key)
{
    const struct mcph_node *node = mcph_node_get(map, key);
    size_t mark;

    if (!node || (node->kind == MCPH_NODE_STRING && !mcph_text_blank(node->text)))
        return node;
    if (node->kind == MCPH_NODE_STRING)
        return NULL;
    mark = mcph_check_enter(m->check, key);
    mcph_check_warn(m->check, node, "expected a string, found %s, ignored",
                    mcph_node_kind_text(node));
    mcph_check_leave(m->check, mark);
    return NULL;
}

static void
read_content_file(struct manual *m, const struct mcph_node *map)
{
    const struct mcph_node *node = text_of(m, map, "contentFile");
    size_t mark = mcph_check_enter(m->check, "contentFile");
    mcphost_error *err = NULL;
    struct mcph_buf text;
    char *path = NULL;
    int r = 0;

    mcph_buf_init(&text, MCPH_YAML_SIZE_MAX + (size_t)64 * 1024);
    if (node) {
        path = mcph_profile_join(m->check->config->workspace, node->text);
        mcph_reading_keep_nomem(m->check, path != NULL);
    }
    if (path)
        r = mcph_config_add_file(m->check->config, path);
    if (path && r == 0)
        r = mcph_file_read(path, MCPH_YAML_SIZE_MAX, &text, &err);
    if (r == MCPHOST_E_NOMEM)
        mcph_reading_keep_nomem(m->check, false);
    else if (r < 0)
        mcph_check_warn(m->check, node, "%s", mcphost_error_get_message(err));
    else if (text.len > 0 && (!mcph_utf8_valid(text.data, text.len, NULL) ||
                              memchr(text.data, '\0', text.len)))
        mcph_check_warn(m->check, node, "the file '%.200s' is not UTF-8 text, ignored",
                        node->text);
    else if (text.len > 0)
        put_part(m, NULL, text.data, text.len);
    mcphost_error_unref(err);
    mcph_buf_done(&text);
    free(path);
    mcph_check_leave(m->check, mark);
}

/* Reads one item {title, content} of the list `sections`. */
static void
read_section(struct manual *m, const struct mcph_node *node)
{
    static const char *const known[] = {"title", "content"};
    const struct mcph_node *title, *content;

    if (node->kind != MCPH_NODE_MAP) {
        mcph_check_warn(m->check, node,
                        "expected a map of title and content, found %s, ignored",
                        mcph_node_kind_text(node));
        return;
    }
    mcph_check_unknown(m->check, node, known, MCPH_ARRAY_SIZE(known));
    title = text_of(m, node, "title");
    content = text_of(m, node, "content");
    if (content)
        put_part(m, title ? title->text : NULL, content->text, content->len);
}

static void
read_sections(struct manual *m, const struct mcph_node *map)
{
    const struct mcph_node *node = mcph_node_get(map, "sections"), *content;
    size_t mark = mcph_check_enter(m->check, "sections"), inner;

    if (node && node->kind == MCPH_NODE_LIST) {
        for (size_t i = 0; i < node->n; i++) {
            inner = mcph_check_enter_index(m->check, i);
            read_section(m, node->items[i]);
            mcph_check_leave(m->check, inner);
        }
    } else if (node && node->kind == MCPH_NODE_MAP) {
        for (size_t i = 0; i < node->n; i++) {
            content = text_of(m, node, node->keys[i]->text);
            if (content)
                put_part(m, node->keys[i]->text, content->text, content->len);
        }
    } else if (node && node->kind != MCPH_NODE_NULL) {
        mcph_check_warn(m->check, node, "expected a list or a map, found %s, ignored",
                        mcph_node_kind_text(node));
    }
    mcph_check_leave(m->check, mark);
}

static void
read_parts(struct manual *m, const struct mcph_node *node)
{
    static const char *const known[] = {"content", "contentFile", "sections"};
    const struct mcph_node *content;

    if (node->kind == MCPH_NODE_STRING) {
        if (!mcph_text_blank(node->text))
            put_part(m, NULL, node->text, node->len);
        return;
    }
    if (node->kind != MCPH_NODE_MAP) {
        if (node->kind != MCPH_NODE_NULL)
            mcph_check_warn(m->check, node,
                            "expected a string, or a map of content, contentFile and "
                            "sections, found %s, ignored",
                            mcph_node_kind_text(node));
        return;
    }
    mcph_check_unknown(m->check, node, known, MCPH_ARRAY_SIZE(known));
    content = text_of(m, node, "content");
    if (content)
        put_part(m, NULL, content->text, content->len);
    read_content_file(m, node);
    read_sections(m, node);
}

void
mcph_dominds_manual(struct reading *rd, const struct mcph_node *node)
{
    struct manual m = {.check = rd->check};
    size_t mark;

    if (!node)
        return;
    mark = mcph_check_enter(rd->check, "manual");
    mcph_buf_init(&m.text, BYTES_MAX + sizeof(CUT_MARK));
    read_parts(&m, node);
    m.text.len = length_within_limit(&m);
    if (m.too_long) {
        mcph_check_sparing(rd->check, node, "longer than %d characters, cut", CHARS_MAX);
        mcph_buf_adds(&m.text, CUT_MARK);
    }
    if (mcph_buf_ok(&m.text) == 0 && m.text.len > 0)
        rd->spec->manual = mcph_buf_steal(&m.text, NULL);
    mcph_reading_keep_nomem(rd->check, mcph_buf_ok(&m.text) == 0 &&
                                           (rd->spec->manual || m.text.len == 0));
    mcph_buf_done(&m.text);
    mcph_check_leave(rd->check, mark);
}
