/* SPDX-License-Identifier: MIT
 *
 * json.c - read one JSON document into a tree of nodes with line and column.
 *
 *   text --relax--> RFC 8259 --scan--> valid JSON --walk--> nodes
 *
 * The walk does not check syntax, because the scanner of lib/json checks the grammar.  If
 * comments and trailing commas are allowed, this file replaces them by blanks first.  All
 * other bytes keep their places.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#define PATH_BYTES_MAX ((size_t)64 * 1024)
#define TEXT_MAX       512

struct reader {
    struct mcph_span text;    /* the text as RFC 8259 */
    struct mcph_span written; /* the same text, with comments, for the places in errors */
    struct mcph_doc *doc;
    struct mcph_buf path;
    struct mcph_buf decoded; /* the current string */
    /* `at` is an offset into the text.  The offset only moves forward.  `line` and
     * `column` are the place of `at`. */
    size_t at;
    int line, column;
    mcph_doc_report_fn report;
    void *arg;
};

static int read_value(struct reader *rd, struct mcph_span value,
                      struct mcph_node **ret_node);

/* Reports an error under the current key path.  Returns the code that ends the parse. */
static int MCPHOST_PRINTF(4, 5)
    refuse_at(struct reader *rd, int line, int column, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;
    int r;

    if (!rd->report)
        return MCPHOST_E_CONFIG;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r = rd->report(MCPHOST_DIAGNOSTIC_ERROR, mcph_path_text(&rd->path), line, column,
                   text, rd->arg);
    return r < 0 ? r : MCPHOST_E_CONFIG;
}

static int
refuse_syntax(struct reader *rd, size_t at, const char *why)
{
    int line, column;

    mcph_json_position(rd->written, at, &line, &column);
    return refuse_at(rd, line, column, "not valid JSON: %s", why);
}

/* ---- comments and commas ----------------------------------------------------------- */

/* Returns the end of the string that begins at `p`, or `end` if the string is not
 * closed. */
static const char *
skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\' && p + 1 < end;
    return p < end ? p + 1 : end;
}

/* Returns the end of the comment that begins at `p`, or NULL if the comment is not
 * closed. */
static const char *
skip_comment(const char *p, const char *end)
{
    if (p[1] == '/') {
        const char *line = memchr(p, '\n', (size_t)(end - p));

        return line ? line : end;
    }
    for (p += 2; p + 1 < end; p++) {
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
    }
    return NULL;
}

/* Turns the text into RFC 8259 in place.  Replaces comments by blanks.  Also replaces a
 * comma by a blank if an item precedes the comma and the end of the container follows. */
static int
relax_text(struct reader *rd, char *text, size_t len)
{
    char *comma = NULL, *p = text;
    const char *end = text + len;
    char last = '\0'; /* the last byte that is not blank */

    while (p < end) {
        if (*p == '"') {
            p = text + (skip_string(p, end) - text);
            last = '"';
            comma = NULL;
        } else if (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*')) {
            const char *behind = skip_comment(p, end);

            if (!behind)
                return refuse_syntax(rd, (size_t)(p - text), "a comment has no end");
            for (; p < behind; p++) {
                if (*p != '\n' && *p != '\r')
                    *p = ' ';
            }
        } else if (strchr(" \t\r\n", *p) && *p != '\0') {
            p++;
        } else {
            if ((*p == '}' || *p == ']') && comma)
                *comma = ' ';
            comma = *p == ',' && !(last == '\0' || strchr(",:[{", last)) ? p : NULL;
            last = *p++;
        }
    }
    return 0;
}

/* ---- scalars ----------------------------------------------------------------------- */

/* Counts lines and columns up to `p`. */
static void
count_lines(struct reader *rd, const char *p)
{
    for (; rd->at < (size_t)(p - rd->text.p); rd->at++) {
        unsigned char c = (unsigned char)rd->written.p[rd->at];

        if (c == '\n') {
            rd->line++;
            rd->column = 1;
        } else if ((c & 0xc0) != 0x80) {
            rd->column++;
        }
    }
}

static int
new_node(struct reader *rd, int kind, struct mcph_span value, struct mcph_node **ret_node)
{
    count_lines(rd, value.p);
    if (rd->doc->nodes.n >= MCPH_JSON_DOC_NODES)
        return refuse_at(rd, rd->line, rd->column, "more than %d values",
                         MCPH_JSON_DOC_NODES);
    return mcph_doc_add(rd->doc, kind, rd->line, rd->column, ret_node);
}

static unsigned
hex4(const char *p)
{
    char digits[5] = {p[0], p[1], p[2], p[3], '\0'};

    return (unsigned)strtoul(digits, NULL, 16);
}

/* Returns true if a string token contains an unpaired surrogate.  An unpaired surrogate
 * is not a character. */
static bool
has_half_a_pair(struct mcph_span token)
{
    const char *p = token.p + 1, *end = token.p + token.len - 1;

    while (p < end) {
        unsigned c;

        if (*p++ != '\\')
            continue;
        if (*p++ != 'u')
            continue;
        c = hex4(p);
        p += 4;
        if (c < 0xd800 || c > 0xdfff)
            continue;
        if (c > 0xdbff || end - p < 6 || p[0] != '\\' || p[1] != 'u' ||
            hex4(p + 2) < 0xdc00 || hex4(p + 2) > 0xdfff)
            return true;
        p += 6;
    }
    return false;
}

static int
read_string(struct reader *rd, struct mcph_span token, struct mcph_node **ret_node)
{
    struct mcph_span text;
    struct mcph_node *node;
    int r = new_node(rd, MCPH_NODE_STRING, token, &node);

    if (r < 0)
        return r;
    if (has_half_a_pair(token))
        return refuse_at(rd, node->line, node->column,
                         "a text cannot hold half of a surrogate pair");
    rd->decoded.len = 0;
    r = mcph_json_string_get(token, &rd->decoded, &text);
    if (r < 0)
        return r;
    if (memchr(text.p, '\0', text.len))
        return refuse_at(rd, node->line, node->column,
                         "a text cannot hold a NUL character");
    *ret_node = node;
    return mcph_node_set_text(node, text);
}

static int
read_number(struct reader *rd, struct mcph_span token, struct mcph_node **ret_node)
{
    struct mcph_node *node;
    int r = new_node(rd, MCPH_NODE_FLOAT, token, &node);

    if (r < 0)
        return r;
    if (mcph_json_int64(token, &node->integer) == 0) {
        node->kind = MCPH_NODE_INT;
        node->number = (double)node->integer;
    } else if (mcph_json_double(token, &node->number) < 0) {
        node->number = *token.p == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    *ret_node = node;
    return mcph_node_set_text(node, token);
}

static int
read_word(struct reader *rd, int kind, struct mcph_span token,
          struct mcph_node **ret_node)
{
    struct mcph_node *node;
    int r = new_node(rd, kind, token, &node);

    if (r < 0)
        return r;
    node->boolean = *token.p == 't';
    *ret_node = node;
    return mcph_node_set_text(node, token);
}

/* ---- containers -------------------------------------------------------------------- */

static int
read_list(struct reader *rd, struct mcph_span value, struct mcph_node **ret_node)
{
    size_t mark = rd->path.len;
    struct mcph_node *node, *item;
    struct mcph_json_iter it;
    struct mcph_span element;
    int r = new_node(rd, MCPH_NODE_LIST, value, &node);

    mcph_json_iter_init(&it, value);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &element)) {
        r = mcph_path_index(&rd->path, node->n);
        if (r == 0)
            r = read_value(rd, element, &item);
        if (r == 0)
            r = mcph_node_add(node, NULL, item);
        rd->path.len = mark;
    }
    if (r == 0)
        *ret_node = node;
    return r;
}

/* Reads and checks a key, and appends the key to the path. */
static int
read_key(struct reader *rd, struct mcph_span token, struct mcph_map *seen,
         struct mcph_node **ret_key)
{
    struct mcph_node *key, *first;
    int r = read_string(rd, token, &key);

    if (r < 0)
        return r;
    first = mcph_map_get(seen, key->text, key->len);
    r = mcph_path_member(&rd->path, key->text);
    if (first)
        return refuse_at(rd, key->line, key->column, "duplicate key, first on line %d",
                         first->line);
    if (r == 0)
        r = mcph_map_put(seen, key->text, key->len, key, NULL);
    *ret_key = key;
    return r;
}

static int
read_map(struct reader *rd, struct mcph_span value, struct mcph_node **ret_node)
{
    size_t mark = rd->path.len;
    struct mcph_map seen = {0};
    struct mcph_node *node, *key = NULL, *item;
    struct mcph_json_iter it;
    struct mcph_span name, member;
    int r = new_node(rd, MCPH_NODE_MAP, value, &node);

    mcph_json_iter_init(&it, value);
    while (r == 0 && mcph_json_iter_next(&it, &name, &member)) {
        r = read_key(rd, name, &seen, &key);
        if (r == 0)
            r = read_value(rd, member, &item);
        if (r == 0)
            r = mcph_node_add(node, key, item);
        rd->path.len = mark;
    }
    mcph_map_done(&seen);
    if (r == 0)
        *ret_node = node;
    return r;
}

static int
read_value(struct reader *rd, struct mcph_span value, struct mcph_node **ret_node)
{
    switch (mcph_json_type(value)) {
    case MCPH_JSON_OBJECT:
        return read_map(rd, value, ret_node);
    case MCPH_JSON_ARRAY:
        return read_list(rd, value, ret_node);
    case MCPH_JSON_STRING:
        return read_string(rd, value, ret_node);
    case MCPH_JSON_NUMBER:
        return read_number(rd, value, ret_node);
    case MCPH_JSON_BOOL:
        return read_word(rd, MCPH_NODE_BOOL, value, ret_node);
    default:
        return read_word(rd, MCPH_NODE_NULL, value, ret_node);
    }
}

/* ---- the document ------------------------------------------------------------------ */

/* Checks and reads the document.  Containers have one level less than MCPH_DOC_DEPTH_MAX,
 * because a scalar counts as a level below its container. */
static int
read_document(struct reader *rd)
{
    struct mcph_json_fault fault;
    struct mcph_span value;
    int r = mcph_json_check(rd->text, MCPH_DOC_DEPTH_MAX - 1, &value, &fault);

    if (r < 0)
        return refuse_syntax(rd, fault.at, fault.why);
    rd->doc = calloc(1, sizeof(*rd->doc));
    return rd->doc ? read_value(rd, value, &rd->doc->root) : MCPHOST_E_NOMEM;
}

static int
read_relaxed(struct reader *rd)
{
    size_t len = rd->text.len;
    char *text = mcph_strndup(rd->text.p, len);
    int r = text ? relax_text(rd, text, len) : MCPHOST_E_NOMEM;

    if (r == 0) {
        rd->text = mcph_span(text, len);
        r = read_document(rd);
    }
    if (text)
        explicit_bzero(text, len);
    free(text);
    return r;
}

int
mcph_json_parse(const char *data, size_t len, size_t size_max, unsigned flags,
                mcph_doc_report_fn report, void *arg, struct mcph_doc **ret_doc)
{
    struct reader rd = {.report = report, .arg = arg, .line = 1, .column = 1};
    int r;

    mcph_buf_init(&rd.path, PATH_BYTES_MAX);
    mcph_buf_init(&rd.decoded, SIZE_MAX / 4);
    if (len > size_max) {
        r = refuse_at(&rd, 0, 0, "is larger than %zu bytes", size_max);
        r = r == MCPHOST_E_CONFIG ? MCPHOST_E_LIMIT : r;
        goto out;
    }
    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        len -= 3;
    }
    rd.text = rd.written = mcph_span(data, len);
    r = flags & MCPH_JSON_DOC_RELAXED ? read_relaxed(&rd) : read_document(&rd);
out:
    mcph_buf_done(&rd.path);
    mcph_buf_wipe(&rd.decoded);
    if (r < 0)
        mcph_doc_free(rd.doc);
    else
        *ret_doc = rd.doc;
    return r;
}
