/* SPDX-License-Identifier: MIT
 *
 * writer.c - set servers.<id>.enabled in a text that a person wrote (B.14).
 *
 * The events of the YAML parser give the place of the value, or the place where it must
 * be added.  The edit changes the bytes.  Then this file parses both texts and compares
 * the trees.  It accepts the edit only if nothing but this value differs.  Therefore an
 * error in this file can make an edit fail, but cannot change another value.
 *
 * Comments, order, quotes, line ends and a byte order mark are kept because no other byte
 * changes.  This file wipes its copies of the texts, because the texts may hold secrets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "config/config.h"

#define KEY            "enabled"
#define PATH_BYTES_MAX ((size_t)4096)
#define INDENT_MAX     256
#define INSERT_MAX     1024
#define N_TRIES        3

/* A range of bytes in the text.  `to` is after the last byte. */
struct range {
    size_t from, to;
};

/* The server's place in the text, found from the events.  Offsets do not count a byte
 * order mark. */
struct place {
    bool found;         /* the server is written as its own map, not an alias */
    bool merged;        /* the server has a key `<<` */
    bool flow;          /* the map is written in braces */
    bool has_value;     /* `enabled` exists, and its value is a scalar or alias */
    bool has_first;     /* the server has at least one key */
    size_t start;       /* start of the map, with anchor and tag */
    struct range id;    /* the key that names the server */
    struct range first; /* the server's first key */
    struct range value;
    int line, column; /* place of the value, or of the server if the value is missing */
};

struct edit {
    const char *data; /* without a byte order mark */
    size_t len;
    const char *shown, *id;
    bool enabled;
    struct place place;
    /* The last position of byte_at(), in characters and in bytes. */
    size_t chars, bytes;
    mcphost_error *err; /* the error of the last parse */
};

/* ---- finding the place ------------------------------------------------------------- */

/* Converts a mark of the parser to a byte offset.  The mark counts characters.  The
 * conversion is fast if the marks are in the order of the text. */
static size_t
byte_at(struct edit *edit, yaml_mark_t mark)
{
    if (mark.index < edit->chars)
        edit->chars = edit->bytes = 0;
    while (edit->chars < mark.index && edit->bytes < edit->len) {
        edit->bytes++;
        while (edit->bytes < edit->len &&
               ((unsigned char)edit->data[edit->bytes] & 0xc0) == 0x80)
            edit->bytes++;
        edit->chars++;
    }
    return edit->bytes;
}

static struct range
range_of(struct edit *edit, const yaml_event_t *event)
{
    size_t from = byte_at(edit, event->start_mark);

    return (struct range){from, byte_at(edit, event->end_mark)};
}

static bool
scalar_is(const yaml_event_t *event, const char *text)
{
    return event->type == YAML_SCALAR_EVENT &&
           event->data.scalar.length == strlen(text) &&
           memcmp(event->data.scalar.value, text, strlen(text)) == 0;
}

/* The maps that contain the value: the root, `servers`, the server. */
enum { ROOT, SERVERS, SERVER, N_MAPS };

struct walk {
    struct edit *edit;
    int depth;  /* number of open lists and maps */
    int inside; /* number of open maps that contain the value */
    bool key;   /* the next node at this depth is a key */
    bool match; /* the last key leads to the value, or is `enabled` */
};

static void
note_key(struct walk *walk, const yaml_event_t *event)
{
    static const char *const path[] = {"servers", NULL, KEY};
    struct place *place = &walk->edit->place;
    const char *wanted = path[walk->inside - 1];

    walk->match = scalar_is(event, wanted ? wanted : walk->edit->id);
    if (walk->inside == SERVERS + 1 && walk->match)
        place->id = range_of(walk->edit, event);
    if (walk->inside != SERVER + 1)
        return;
    if (!place->has_first) {
        place->has_first = true;
        place->first = range_of(walk->edit, event);
    }
    place->merged |= scalar_is(event, "<<");
}

static void
note_value(struct walk *walk, const yaml_event_t *event)
{
    struct place *place = &walk->edit->place;

    if (!walk->match)
        return;
    place->line = (int)event->start_mark.line + 1;
    place->column = (int)event->start_mark.column + 1;
    if (walk->inside != SERVER + 1)
        return;
    if (event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT) {
        place->has_value = true;
        place->value = range_of(walk->edit, event);
    }
}

static void
enter_map(struct walk *walk, const yaml_event_t *event)
{
    struct place *place = &walk->edit->place;

    walk->inside++;
    walk->key = true;
    walk->match = false;
    if (walk->inside != SERVER + 1)
        return;
    place->found = true;
    place->start = byte_at(walk->edit, event->start_mark);
    place->flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
}

/* Handles one event.  Uses only the keys and values of one map, the innermost open map
 * that contains the value of `enabled`. */
static void
handle_event(struct walk *walk, const yaml_event_t *event)
{
    bool opens = event->type == YAML_MAPPING_START_EVENT ||
                 event->type == YAML_SEQUENCE_START_EVENT;
    bool closes =
        event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
    bool here = walk->depth == walk->inside;

    if (closes) {
        walk->depth--;
        if (walk->depth < walk->inside)
            walk->inside--;
        /* Expect a key next.  The closed node was a value, because the reader refuses
         * lists and maps as keys. */
        if (walk->depth == walk->inside)
            walk->key = true;
        return;
    }
    if (!opens && event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return;
    if (here && walk->inside > 0) {
        if (walk->key)
            note_key(walk, event);
        else
            note_value(walk, event);
        walk->key = !walk->key;
    }
    if (!opens)
        return;
    walk->depth++;
    if (here && event->type == YAML_MAPPING_START_EVENT && walk->inside < N_MAPS &&
        (walk->inside == 0 || (walk->match && walk->key)))
        enter_map(walk, event);
}

/* Finds the place of the value.  The text is well formed, because the caller has parsed
 * it before. */
static int
find_place(struct edit *edit)
{
    struct walk walk = {.edit = edit};
    yaml_parser_t parser;
    yaml_event_t event;
    int r = 0;
    bool more = true;

    if (!yaml_parser_initialize(&parser))
        return MCPHOST_E_NOMEM;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)edit->data, edit->len);
    while (more && r == 0) {
        if (!yaml_parser_parse(&parser, &event)) {
            r = MCPHOST_E_NOMEM;
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        handle_event(&walk, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return r;
}

/* ---- comparing --------------------------------------------------------------------- */

static bool
same_node(const struct mcph_node *a, const struct mcph_node *b)
{
    if (a->kind != b->kind || a->n != b->n || a->len != b->len)
        return false;
    if (a->len && memcmp(a->text, b->text, a->len) != 0)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->keys && !same_node(a->keys[i], b->keys[i]))
            return false;
        if (!same_node(a->items[i], b->items[i]))
            return false;
    }
    return true;
}

/* Returns true if two maps are equal except for the member `key`.  `same_member` compares
 * that member. */
static bool
same_but(const struct mcph_node *a, const struct mcph_node *b, const char *key,
         bool (*same_member)(const struct edit *, const struct mcph_node *,
                             const struct mcph_node *),
         const struct edit *edit)
{
    const struct mcph_node *in_a, *in_b;
    size_t i = 0, j = 0;

    if (a->kind != MCPH_NODE_MAP || b->kind != MCPH_NODE_MAP)
        return false;
    in_a = mcph_node_get(a, key);
    in_b = mcph_node_get(b, key);
    if (!same_member(edit, in_a, in_b))
        return false;
    for (;;) {
        while (i < a->n && a->items[i] == in_a && strcmp(a->keys[i]->text, key) == 0)
            i++;
        while (j < b->n && b->items[j] == in_b && strcmp(b->keys[j]->text, key) == 0)
            j++;
        if (i == a->n || j == b->n)
            return i == a->n && j == b->n;
        if (!same_node(a->keys[i], b->keys[j]) || !same_node(a->items[i], b->items[j]))
            return false;
        i++;
        j++;
    }
}

static bool
is_set(const struct edit *edit, const struct mcph_node *a, const struct mcph_node *b)
{
    (void)a;
    return b && b->kind == MCPH_NODE_BOOL && b->boolean == edit->enabled;
}

static bool
same_server(const struct edit *edit, const struct mcph_node *a, const struct mcph_node *b)
{
    return a && b && same_but(a, b, KEY, is_set, edit);
}

static bool
same_servers(const struct edit *edit, const struct mcph_node *a,
             const struct mcph_node *b)
{
    return a && b && same_but(a, b, edit->id, same_server, edit);
}

static bool
same_document(const struct edit *edit, const struct mcph_doc *a, const struct mcph_doc *b)
{
    return same_but(a->root, b->root, "servers", same_servers, edit);
}

/* ---- the edit ---------------------------------------------------------------------- */

static bool
is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t
line_start(const struct edit *edit, size_t at)
{
    while (at > 0 && !is_break(edit->data[at - 1]))
        at--;
    return at;
}

/* Returns the line end ("\n", "\r\n" or "\r") that precedes the line of `at`.  If `at` is
 * on the first line, returns the end of that line, or "\n" if the text has only this
 * line. */
static const char *
line_end(const struct edit *edit, size_t at)
{
    size_t i = line_start(edit, at);

    if (i == 0) {
        while (i < edit->len && !is_break(edit->data[i]))
            i++;
        if (i < edit->len && edit->data[i] == '\r' && i + 1 < edit->len &&
            edit->data[i + 1] == '\n')
            return "\r\n";
        return i < edit->len && edit->data[i] == '\r' ? "\r" : "\n";
    }
    if (edit->data[i - 1] == '\r')
        return "\r";
    return i > 1 && edit->data[i - 2] == '\r' ? "\r\n" : "\n";
}

/* Returns true if there are only blanks from `from` to `to`. */
static bool
only_blanks(const struct edit *edit, size_t from, size_t to)
{
    while (from < to && is_blank(edit->data[from]))
        from++;
    return from == to;
}

/* Moves the place of insertion back over comments and empty lines, because they belong
 * to the key that follows.  Does not move past the line of the server's key.  Returns
 * the beginning of the line found. */
static size_t
over_comments(const struct edit *edit, size_t line)
{
    for (;;) {
        size_t above, p;

        if (line < 2)
            return line;
        above = line - 1;
        if (edit->data[above] == '\n' && above > 0 && edit->data[above - 1] == '\r')
            above--;
        above = line_start(edit, above);
        if (above <= edit->place.id.to)
            return line;
        for (p = above; p < line && is_blank(edit->data[p]); p++)
            continue;
        if (edit->data[p] != '#' && !is_break(edit->data[p]))
            return line;
        line = above;
    }
}

/* Finds the value to replace, without its anchor and tag.  Adds the new value to
 * `insert`. */
static void
replace_value(struct edit *edit, int attempt, size_t *ret_at, size_t *ret_len,
              struct mcph_buf *insert)
{
    size_t from = edit->place.value.from, to = edit->place.value.to;

    while (from < to && (edit->data[from] == '&' || edit->data[from] == '!')) {
        while (from < to && !is_blank(edit->data[from]) && !is_break(edit->data[from]))
            from++;
        while (from < to && is_blank(edit->data[from]))
            from++;
    }
    /* If the value is empty (`enabled:`, `{enabled}`), add a blank in the second attempt,
     * and a colon and a blank in the third attempt. */
    if (from == to && attempt > 0)
        mcph_buf_adds(insert, attempt == 1 ? " " : ": ");
    mcph_buf_adds(insert, edit->enabled ? "true" : "false");
    *ret_at = from;
    *ret_len = to - from;
}

static void
add_key(struct edit *edit, bool quoted, struct mcph_buf *insert)
{
    mcph_buf_adds(insert, quoted ? "\"" KEY "\": " : KEY ": ");
    mcph_buf_adds(insert, edit->enabled ? "true" : "false");
}

/* Adds `enabled` as the first key of a map in braces.  The key gets its own line if the
 * next key is on a line of its own. */
static void
insert_flow(struct edit *edit, size_t *ret_at, struct mcph_buf *insert)
{
    const struct place *place = &edit->place;
    size_t at = place->start, line;

    if (!place->has_first) { /* add the key after the brace */
        const char *brace = memchr(edit->data + at, '{', edit->len - at);

        *ret_at = brace ? (size_t)(brace - edit->data) + 1 : at;
        add_key(edit, edit->data[place->id.from] == '"', insert);
        return;
    }
    at = place->first.from;
    line = line_start(edit, at);
    add_key(edit, edit->data[at] == '"', insert);
    mcph_buf_addc(insert, ',');
    if (only_blanks(edit, line, at) && at - line <= INDENT_MAX && line > place->start) {
        mcph_buf_adds(insert, line_end(edit, line));
        mcph_buf_add(insert, edit->data + line, at - line);
    } else {
        mcph_buf_addc(insert, ' ');
    }
    *ret_at = at;
}

/* Adds `enabled` as the first key of a map in block style. */
static void
insert_block(struct edit *edit, size_t *ret_at, struct mcph_buf *insert)
{
    size_t at = edit->place.first.from, line = line_start(edit, at), column = 0;

    if (only_blanks(edit, line, at) && at - line <= INDENT_MAX) {
        mcph_buf_add(insert, edit->data + line, at - line);
        add_key(edit, false, insert);
        mcph_buf_adds(insert, line_end(edit, line));
        *ret_at = over_comments(edit, line);
        return;
    }
    /* Move the old first key to a line of its own in the same column, because other text
     * precedes it in its line, e.g. `? web` and `: `. */
    for (size_t i = line; i < at; i++)
        column += ((unsigned char)edit->data[i] & 0xc0) != 0x80;
    add_key(edit, false, insert);
    mcph_buf_adds(insert, line_end(edit, at));
    for (size_t i = 0; i < column && i < INDENT_MAX; i++)
        mcph_buf_addc(insert, ' ');
    *ret_at = at;
}

static int
keep_error(int severity, const char *key, int line, int column, const char *text,
           void *arg)
{
    struct edit *edit = arg;

    if (severity == MCPHOST_DIAGNOSTIC_ERROR && !edit->err)
        mcph_err_at(&edit->err, MCPHOST_E_CONFIG, edit->shown, line, column, "%s%s%s",
                    key, *key ? ": " : "", text);
    return 0;
}

/* Makes attempt number `attempt` of the edit.  Returns 1 if `text` is correct, 0 if
 * `text` is not correct, or MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
static int
attempt_edit(struct edit *edit, int attempt, const struct mcph_doc *before,
             const char *all, size_t all_len, struct mcph_buf *text)
{
    size_t bom = all_len - edit->len, at = 0, gone = 0;
    struct mcph_doc *after = NULL;
    struct mcph_buf insert;
    int r;

    mcph_buf_init(&insert, INSERT_MAX);
    if (edit->place.has_value)
        replace_value(edit, attempt, &at, &gone, &insert);
    else if (edit->place.flow)
        insert_flow(edit, &at, &insert);
    else
        insert_block(edit, &at, &insert);
    mcph_buf_clear(text);
    mcph_buf_add(text, all, bom + at);
    mcph_buf_add(text, insert.data, insert.len);
    mcph_buf_add(text, all + bom + at + gone, edit->len - at - gone);
    r = insert.err ? insert.err : mcph_buf_ok(text);
    mcph_buf_done(&insert);
    if (r == 0)
        r = mcph_yaml_parse(text->data, text->len, keep_error, edit, &after);
    edit->err = mcphost_error_unref(edit->err);
    if (r == 0)
        r = same_document(edit, before, after);
    else if (r == MCPHOST_E_CONFIG)
        r = 0;
    mcph_doc_free(after);
    return r;
}

/* Makes an error under the key path of the server, or of its member `key`.  Returns
 * `code`. */
static int
fail_at_key(struct edit *edit, int code, const char *key, int line, int column,
            const char *why, mcphost_error **reterr)
{
    struct mcph_buf path;

    mcph_buf_init(&path, PATH_BYTES_MAX);
    mcph_path_member(&path, "servers");
    mcph_path_member(&path, edit->id);
    if (key)
        mcph_path_member(&path, key);
    mcph_err_at(reterr, code, edit->shown, line, column, "%s: %s", mcph_path_text(&path),
                why);
    mcph_buf_done(&path);
    return code;
}

static int
refuse_edit(struct edit *edit, const char *why, mcphost_error **reterr)
{
    return fail_at_key(edit, MCPHOST_E_CONFIG, KEY, edit->place.line, edit->place.column,
                       why, reterr);
}

static int
too_large(struct edit *edit, mcphost_error **reterr)
{
    return mcph_err_at(reterr, MCPHOST_E_LIMIT, edit->shown, 0, 0,
                       "is larger than %d bytes, or would be", MCPH_YAML_SIZE_MAX);
}

/* Makes the edit.  `there` is true if the server has the key `enabled`, with a value
 * other than edit->enabled.  Returns 1, or an error, for example if the edit is
 * refused. */
static int
make_edit(struct edit *edit, const struct mcph_doc *doc, bool there, const char *all,
          size_t all_len, struct mcph_buf *text, mcphost_error **reterr)
{
    int r = find_place(edit);

    /* Allocate once, because growing would leave copies of secrets behind. */
    if (r == 0)
        r = mcph_buf_reserve(text, all_len + INSERT_MAX);
    if (r < 0)
        return r == MCPHOST_E_LIMIT ? too_large(edit, reterr) : mcph_err_nomem(reterr);
    if (!edit->place.found)
        return refuse_edit(edit, "cannot be changed: the server is an alias", reterr);
    if (edit->place.merged && !there)
        return refuse_edit(edit, "cannot be added: the server has a '<<' key", reterr);
    if (there != edit->place.has_value)
        return refuse_edit(edit, "expected true or false, found a list or map", reterr);
    for (int attempt = 0; attempt < N_TRIES; attempt++) {
        r = attempt_edit(edit, attempt, doc, all, all_len, text);
        if (r == 1)
            return 1;
        if (r < 0)
            return r == MCPHOST_E_LIMIT ? too_large(edit, reterr)
                                        : mcph_err_nomem(reterr);
    }
    return refuse_edit(edit, "cannot be changed without changing other parts of the file",
                       reterr);
}

/* Finds the server and checks that it is a map. */
static int
find_server(struct edit *edit, const struct mcph_doc *doc,
            const struct mcph_node **ret_server, mcphost_error **reterr)
{
    const struct mcph_node *servers = NULL, *server = NULL;

    if (doc->root->kind == MCPH_NODE_MAP)
        servers = mcph_node_get(doc->root, "servers");
    if (servers && servers->kind == MCPH_NODE_MAP)
        server = mcph_node_get(servers, edit->id);
    if (!server)
        return fail_at_key(edit, MCPHOST_E_NOTFOUND, NULL, 0, 0,
                           "the server does not exist", reterr);
    if (server->kind != MCPH_NODE_MAP)
        return fail_at_key(edit, MCPHOST_E_CONFIG, NULL, server->line, server->column,
                           "expected a map, found something else", reterr);
    *ret_server = server;
    return 0;
}

int
mcph_config_set_enabled(const char *data, size_t len, const char *shown, const char *id,
                        bool enabled, struct mcph_buf *ret_text, mcphost_error **reterr)
{
    struct edit edit = {
        .data = data, .len = len, .shown = shown, .id = id, .enabled = enabled};
    const struct mcph_node *server = NULL, *value;
    struct mcph_doc *doc = NULL;
    int r;

    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        edit.data += 3;
        edit.len -= 3;
    }
    r = mcph_yaml_parse(data, len, keep_error, &edit, &doc);
    if (r < 0) {
        if (r == MCPHOST_E_CONFIG && reterr && edit.err) {
            *reterr = edit.err;
            return r;
        }
        mcphost_error_unref(edit.err);
        if (r == MCPHOST_E_NOMEM)
            return mcph_err_nomem(reterr);
        return r == MCPHOST_E_LIMIT ? too_large(&edit, reterr) : r;
    }
    r = find_server(&edit, doc, &server, reterr);
    if (r < 0)
        goto out;
    value = mcph_node_get(server, KEY);
    if (value ? value->kind == MCPH_NODE_BOOL && value->boolean == enabled : enabled)
        goto out;
    r = make_edit(&edit, doc, value != NULL, data, len, ret_text, reterr);
    if (r <= 0)
        mcph_buf_wipe(ret_text);
out:
    mcph_doc_free(doc);
    return r;
}
