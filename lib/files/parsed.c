/* SPDX-License-Identifier: MIT
 *
 * parsed.c - add the value of a JSON or YAML file to its text (B.29).
 *
 * No value is added if the text is invalid, nested too deeply or too large.  The limits
 * keep a turn of the dispatcher short.  A YAML alias counts as a copy of its target.
 */
#include <math.h>
#include <string.h>

#include "files/inner.h"

#define JSON_MAX   ((size_t)1024 * 1024)
#define YAML_MAX   ((size_t)32 * 1024)
#define PARSED_MAX ((size_t)4 * 1024 * 1024)
#define DEPTH_MAX  MCPH_DOC_DEPTH_MAX

/* ---- YAML -------------------------------------------------------------------------- */

static void write_node(const struct mcph_node *node, struct mcph_buf *buf);

/* Writes a number.  If the text of the number in the YAML file is valid JSON, writes
 * this text.  Otherwise writes the value of the number.  Infinity and NaN become
 * strings. */
static void
write_number(const struct mcph_node *node, struct mcph_buf *buf)
{
    struct mcph_span text = mcph_span(node->text, node->len), value;

    if (mcph_json_check(text, 1, &value, NULL) == 0 && value.len == text.len &&
        mcph_json_type(value) == MCPH_JSON_NUMBER)
        mcph_buf_add(buf, node->text, node->len);
    else if (node->kind == MCPH_NODE_INT)
        mcph_buf_addi(buf, node->integer);
    else if (isfinite(node->number))
        mcph_json_add_double(buf, node->number);
    else
        mcph_json_add_string(buf, node->text, node->len);
}

static void
write_items(const struct mcph_node *node, struct mcph_buf *buf)
{
    for (size_t i = 0; i < node->n && mcph_buf_ok(buf) == 0; i++) {
        if (i)
            mcph_buf_addc(buf, ',');
        if (node->kind == MCPH_NODE_MAP) {
            mcph_json_add_string(buf, node->keys[i]->text, node->keys[i]->len);
            mcph_buf_addc(buf, ':');
        }
        write_node(node->items[i], buf);
    }
}

/* Writes a node and all nodes in it as JSON.  The YAML parser limits the depth. */
static void
write_node(const struct mcph_node *node, struct mcph_buf *buf)
{
    switch (node->kind) {
    case MCPH_NODE_NULL:
        mcph_buf_adds(buf, "null");
        break;
    case MCPH_NODE_BOOL:
        mcph_json_add_bool(buf, node->boolean);
        break;
    case MCPH_NODE_INT:
    case MCPH_NODE_FLOAT:
        write_number(node, buf);
        break;
    case MCPH_NODE_STRING:
        mcph_json_add_string(buf, node->text, node->len);
        break;
    case MCPH_NODE_LIST:
        mcph_buf_addc(buf, '[');
        write_items(node, buf);
        mcph_buf_addc(buf, ']');
        break;
    default:
        mcph_buf_addc(buf, '{');
        write_items(node, buf);
        mcph_buf_addc(buf, '}');
        break;
    }
}

static int
add_yaml(struct mcph_span text, struct mcph_buf *buf)
{
    struct mcph_doc *doc = NULL;
    int r = mcph_yaml_parse(text.p ? text.p : "", text.len, NULL, NULL, &doc);

    if (r < 0)
        return r;
    write_node(doc->root, buf);
    mcph_doc_free(doc);
    return mcph_buf_ok(buf);
}

/* ---- JSON and YAML ----------------------------------------------------------------- */

static int
add_json(struct mcph_span text, struct mcph_buf *buf)
{
    struct mcph_span value;
    int r = mcph_json_check(text, DEPTH_MAX, &value, NULL);

    return r < 0 ? r : mcph_rpc_add_oneline(buf, value);
}

bool
mcph_files_add_parsed(const char *mime, struct mcph_span text, struct mcph_buf *buf)
{
    struct mcph_buf value;
    bool is_json = strcmp(mime, "application/json") == 0;
    int r;

    if (text.len > (is_json ? JSON_MAX : YAML_MAX) ||
        (!is_json && strcmp(mime, "application/yaml") != 0))
        return false;
    mcph_buf_init(&value, PARSED_MAX);
    r = is_json ? add_json(text, &value) : add_yaml(text, &value);
    /* Add the value only if the end of the result still fits behind it. */
    if (r == 0 && value.len + 64 < buf->max - buf->len) {
        mcph_buf_adds(buf, ",\"parsed\":");
        mcph_buf_add(buf, value.data, value.len);
    }
    mcph_buf_done(&value);
    return true;
}
