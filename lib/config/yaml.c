/* SPDX-License-Identifier: MIT
 *
 * yaml.c - read one YAML document into a tree of nodes with line and column (B.2).
 *
 * libyaml gives events.  This file builds nodes from the events.  This file is stricter
 * than libyaml: one document, no duplicate keys at any depth, no lists or maps as keys,
 * bounded depth and size.  An alias costs no memory, because an alias shares the node
 * of its anchor.  A budget limits the number of nodes to which aliases expand, because
 * code that walks the tree visits a shared node once for each alias.  `<<` is a key
 * like any other key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "config/config.h"

#define PATH_BYTES_MAX ((size_t)64 * 1024)
#define TEXT_MAX       512

struct reader {
    yaml_parser_t parser;
    const char *data; /* the text without a byte order mark */
    size_t len;
    struct mcph_doc *doc;
    struct mcph_map anchors; /* map from anchor name to node */
    struct mcph_vec names;   /* owns the keys of `anchors` */
    struct mcph_buf path;
    size_t aliased; /* number of nodes to which aliases have expanded */
    mcph_doc_report_fn report;
    void *arg;
};

static int read_node(struct reader *rd, const yaml_event_t *event, int depth,
                     struct mcph_node **ret_node);

static int
line_of(yaml_mark_t mark)
{
    return (int)mark.line + 1;
}

static int
column_of(yaml_mark_t mark)
{
    return (int)mark.column + 1;
}

/* Reports a problem under the current key path.  Returns the result of the report
 * function: 0, or the code that ends the parse. */
static int MCPHOST_PRINTF(5, 6)
    report_at(struct reader *rd, int severity, int line, int column, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;

    if (!rd->report)
        return 0;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return rd->report(severity, mcph_path_text(&rd->path), line, column, text, rd->arg);
}

#define refuse(rd, line, column, ...) \
    refused_code(report_at(rd, MCPHOST_DIAGNOSTIC_ERROR, line, column, __VA_ARGS__))

static int
refused_code(int r)
{
    return r < 0 ? r : MCPHOST_E_CONFIG;
}

/* Computes line and column of a byte, for errors that libyaml gives as an offset. */
static void
place_of(const struct reader *rd, size_t offset, int *ret_line, int *ret_column)
{
    int line = 1, column = 1;

    for (size_t i = 0; i < offset && i < rd->len; i++) {
        if (rd->data[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)rd->data[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

static int
refuse_syntax(struct reader *rd)
{
    const yaml_parser_t *p = &rd->parser;
    const char *problem = p->problem ? p->problem : "cannot be parsed";
    int line, column;
    size_t at;

    /* libyaml sets no error in a few places where memory is short.  Therefore treat a
     * missing error as a lack of memory. */
    if (p->error == YAML_MEMORY_ERROR || p->error == YAML_NO_ERROR)
        return MCPHOST_E_NOMEM;
    /* Report the syntax error without a path, because the error may be far from the last
     * key. */
    rd->path.len = 0;
    if (p->error == YAML_READER_ERROR) {
        place_of(rd, p->problem_offset, &line, &column);
        return refuse(rd, line, column, "not valid YAML: %s", problem);
    }
    line = line_of(p->problem_mark);
    column = column_of(p->problem_mark);
    at = p->problem_mark.index; /* character index; in ASCII text also the byte index */
    if (at < rd->len && rd->data[at] == '\t')
        return refuse(rd, line, column,
                      "not valid YAML: a tab cannot indent, use blanks");
    if (p->context)
        return refuse(rd, line, column, "not valid YAML: %s %s", p->context, problem);
    return refuse(rd, line, column, "not valid YAML: %s", problem);
}

static int
next_event(struct reader *rd, yaml_event_t *ret_event)
{
    return yaml_parser_parse(&rd->parser, ret_event) ? 0 : refuse_syntax(rd);
}

static int
refuse_depth(struct reader *rd, const yaml_event_t *event)
{
    return refuse(rd, line_of(event->start_mark), column_of(event->start_mark),
                  "nested deeper than %d levels", MCPH_DOC_DEPTH_MAX);
}

static int
new_node(struct reader *rd, int kind, yaml_mark_t mark, struct mcph_node **ret_node)
{
    return mcph_doc_add(rd->doc, kind, line_of(mark), column_of(mark), ret_node);
}

/* Resolves an alias to the node of its anchor.  The anchor must be earlier in the text.
 * No tree has a cycle, because an anchor is known only after its whole node has been
 * read. */
static int
read_alias(struct reader *rd, const yaml_event_t *event, int depth,
           struct mcph_node **ret_node)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct mcph_node *node = mcph_map_get(&rd->anchors, name, strlen(name));

    if (!node)
        return refuse(rd, line_of(event->start_mark), column_of(event->start_mark),
                      "the alias '*%.64s' names no earlier anchor", name);
    if (depth + node->height - 1 > MCPH_DOC_DEPTH_MAX)
        return refuse_depth(rd, event);
    rd->aliased += node->weight;
    if (rd->aliased > MCPH_YAML_ALIAS_MAX)
        return refuse(rd, line_of(event->start_mark), column_of(event->start_mark),
                      "aliases expand to more than %d nodes in all", MCPH_YAML_ALIAS_MAX);
    *ret_node = node;
    return 0;
}

static int
keep_anchor(struct reader *rd, const yaml_char_t *anchor, struct mcph_node *node)
{
    char *name;

    if (!anchor)
        return 0;
    name = mcph_strdup((const char *)anchor);
    if (!name)
        return MCPHOST_E_NOMEM;
    if (mcph_vec_add(&rd->names, name) < 0) {
        free(name);
        return MCPHOST_E_NOMEM;
    }
    return mcph_map_put(&rd->anchors, name, strlen(name), node, NULL);
}

static int
warn_tag(struct reader *rd, const struct mcph_node *node, const char *tag)
{
    return report_at(rd, MCPHOST_DIAGNOSTIC_WARNING, node->line, node->column,
                     "the tag '%.64s' is not known, ignored", tag);
}

/* Applies a tag to a scalar.  The tag "!" and the core schema's tag for strings make the
 * node a string.  Any other tag of the core schema requires a scalar of its kind.  An
 * integer also fits the tag for floats.  If the tag is unknown or the scalar does not fit
 * the tag, the function makes the node a string and reports a warning. */
static int
apply_tag(struct reader *rd, struct mcph_node *node, const char *tag)
{
    static const char *const kinds[] = {
        [MCPH_NODE_NULL] = "null",   [MCPH_NODE_BOOL] = "bool",  [MCPH_NODE_INT] = "int",
        [MCPH_NODE_FLOAT] = "float", [MCPH_NODE_STRING] = "str",
    };
    static const char core[] = "tag:yaml.org,2002:";
    const char *name = tag + strlen(core);

    node->kind = MCPH_NODE_STRING;
    if (strcmp(tag, "!") == 0)
        return 0;
    if (strncmp(tag, core, strlen(core)) == 0) {
        if (strcmp(name, kinds[MCPH_NODE_STRING]) == 0)
            return 0;
        mcph_scalar_resolve(node);
        if (strcmp(name, kinds[node->kind]) == 0)
            return 0;
        if (node->kind == MCPH_NODE_INT && strcmp(name, kinds[MCPH_NODE_FLOAT]) == 0) {
            node->kind = MCPH_NODE_FLOAT;
            return 0;
        }
        node->kind = MCPH_NODE_STRING;
    }
    return warn_tag(rd, node, tag);
}

static int
read_scalar(struct reader *rd, const yaml_event_t *event, struct mcph_node **ret_node)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    const char *tag = (const char *)event->data.scalar.tag;
    struct mcph_node *node;
    int r;

    r = new_node(rd, MCPH_NODE_STRING, event->start_mark, &node);
    if (r < 0)
        return r;
    if (memchr(value, '\0', len))
        return refuse(rd, node->line, node->column, "a text cannot hold a NUL character");
    r = mcph_node_set_text(node, mcph_span(value, len));
    if (r < 0)
        return r;
    if (tag)
        r = apply_tag(rd, node, tag);
    else if (event->data.scalar.plain_implicit)
        mcph_scalar_resolve(node);
    if (r < 0)
        return r;
    *ret_node = node;
    return keep_anchor(rd, event->data.scalar.anchor, node);
}

static int
collection_tag(struct reader *rd, const struct mcph_node *node, const yaml_char_t *tag,
               const char *expected)
{
    if (!tag || strcmp((const char *)tag, expected) == 0 ||
        strcmp((const char *)tag, "!") == 0)
        return 0;
    return warn_tag(rd, node, (const char *)tag);
}

static int
read_list(struct reader *rd, const yaml_event_t *start, int depth,
          struct mcph_node **ret_node)
{
    struct mcph_node *node, *item;
    size_t mark = rd->path.len;
    yaml_event_t event;
    int r;

    r = new_node(rd, MCPH_NODE_LIST, start->start_mark, &node);
    if (r == 0)
        r = collection_tag(rd, node, start->data.sequence_start.tag, YAML_SEQ_TAG);
    while (r == 0) {
        r = next_event(rd, &event);
        if (r < 0)
            break;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            *ret_node = node;
            return keep_anchor(rd, start->data.sequence_start.anchor, node);
        }
        r = mcph_path_index(&rd->path, node->n);
        if (r == 0)
            r = read_node(rd, &event, depth + 1, &item);
        yaml_event_delete(&event);
        if (r == 0)
            r = mcph_node_add(node, NULL, item);
        rd->path.len = mark;
    }
    return r;
}

/* Reads and checks the key in `event`, and appends the key to the path. */
static int
read_key(struct reader *rd, const yaml_event_t *event, struct mcph_map *seen, int depth,
         struct mcph_node **ret_key)
{
    int line = line_of(event->start_mark), column = column_of(event->start_mark);
    struct mcph_node *key, *first;
    int r;

    if (event->type == YAML_SEQUENCE_START_EVENT ||
        event->type == YAML_MAPPING_START_EVENT)
        return refuse(rd, line, column, "a key cannot be a list or a map");
    r = read_node(rd, event, depth + 1, &key);
    if (r < 0)
        return r;
    if (!key->text)
        return refuse(rd, line, column, "a key cannot be a list or a map");
    first = mcph_map_get(seen, key->text, key->len);
    r = mcph_path_member(&rd->path, key->text);
    if (first)
        return refuse(rd, line, column, "duplicate key, first on line %d", first->line);
    if (r == 0)
        r = mcph_map_put(seen, key->text, key->len, key, NULL);
    *ret_key = key;
    return r;
}

static int
read_member(struct reader *rd, const yaml_event_t *key_event, struct mcph_node *map,
            struct mcph_map *seen, int depth)
{
    struct mcph_node *key, *item;
    yaml_event_t event;
    int r;

    r = read_key(rd, key_event, seen, depth, &key);
    if (r < 0)
        return r;
    r = next_event(rd, &event);
    if (r < 0)
        return r;
    r = read_node(rd, &event, depth + 1, &item);
    yaml_event_delete(&event);
    return r < 0 ? r : mcph_node_add(map, key, item);
}

static int
read_map(struct reader *rd, const yaml_event_t *start, int depth,
         struct mcph_node **ret_node)
{
    size_t mark = rd->path.len;
    struct mcph_map seen = {0};
    struct mcph_node *node;
    yaml_event_t event;
    int r;

    r = new_node(rd, MCPH_NODE_MAP, start->start_mark, &node);
    if (r == 0)
        r = collection_tag(rd, node, start->data.mapping_start.tag, YAML_MAP_TAG);
    while (r == 0) {
        r = next_event(rd, &event);
        if (r < 0)
            break;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            *ret_node = node;
            r = keep_anchor(rd, start->data.mapping_start.anchor, node);
            break;
        }
        r = read_member(rd, &event, node, &seen, depth);
        yaml_event_delete(&event);
        rd->path.len = mark;
    }
    mcph_map_done(&seen);
    return r;
}

static int
read_node(struct reader *rd, const yaml_event_t *event, int depth,
          struct mcph_node **ret_node)
{
    if (depth > MCPH_DOC_DEPTH_MAX)
        return refuse_depth(rd, event);
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return read_alias(rd, event, depth, ret_node);
    case YAML_SCALAR_EVENT:
        return read_scalar(rd, event, ret_node);
    case YAML_SEQUENCE_START_EVENT:
        return read_list(rd, event, depth, ret_node);
    default:
        return read_map(rd, event, depth, ret_node);
    }
}

/* Reads a stream: start, document (start, node, end), end.  Refuses a second document.
 * Makes a null node the root if the stream has no document. */
static int
read_stream(struct reader *rd)
{
    yaml_event_t event;
    int r, type;

    for (;;) {
        r = next_event(rd, &event);
        if (r < 0)
            return r;
        type = (int)event.type;
        if (type == YAML_DOCUMENT_START_EVENT && rd->doc->root)
            r = refuse(rd, line_of(event.start_mark), column_of(event.start_mark),
                       "a second document begins here, but only one is allowed");
        else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
                 type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT)
            r = read_node(rd, &event, 1, &rd->doc->root);
        yaml_event_delete(&event);
        if (r < 0)
            return r;
        if (type == YAML_STREAM_END_EVENT)
            break;
    }
    if (!rd->doc->root) {
        r = new_node(rd, MCPH_NODE_NULL, (yaml_mark_t){0, 0, 0}, &rd->doc->root);
        if (r == 0)
            r = mcph_node_set_text(rd->doc->root, mcph_span("", 0));
    }
    return r;
}

int
mcph_yaml_parse(const char *data, size_t len, mcph_doc_report_fn report, void *arg,
                struct mcph_doc **ret_doc)
{
    struct reader rd = {.report = report, .arg = arg};
    int r;

    mcph_buf_init(&rd.path, PATH_BYTES_MAX);
    if (len > MCPH_YAML_SIZE_MAX) {
        r = report_at(&rd, MCPHOST_DIAGNOSTIC_ERROR, 0, 0, "is larger than %d bytes",
                      MCPH_YAML_SIZE_MAX);
        mcph_buf_done(&rd.path);
        return r < 0 ? r : MCPHOST_E_LIMIT;
    }
    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        len -= 3;
    }
    if (!yaml_parser_initialize(&rd.parser)) {
        mcph_buf_done(&rd.path);
        return MCPHOST_E_NOMEM;
    }
    rd.data = data;
    rd.len = len;
    yaml_parser_set_encoding(&rd.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&rd.parser, (const unsigned char *)data, len);

    rd.doc = calloc(1, sizeof(*rd.doc));
    r = rd.doc ? read_stream(&rd) : MCPHOST_E_NOMEM;
    yaml_parser_delete(&rd.parser);
    mcph_map_done(&rd.anchors);
    for (size_t i = 0; i < rd.names.n; i++)
        free(rd.names.items[i]);
    mcph_vec_done(&rd.names);
    mcph_buf_done(&rd.path);
    if (r < 0)
        mcph_doc_free(rd.doc);
    else
        *ret_doc = rd.doc;
    return r;
}
