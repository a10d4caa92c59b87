/* SPDX-License-Identifier: MIT
 *
 * reading.c - read one server's entry by the table of keys (R5, R8, R12, R17, R20).
 *
 * The functions report every error, with the key path as the dialect writes it.  They
 * open no file, because each start of the server checks whether the files that the entry
 * names can be read.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/reading.h"

#define TIMEOUT_MAX_S 86400
#define SESSION_MAX   4096
#define KNOWN_MAX     64 /* limit on the keys in one map */
#define BLANKS        " \t\r\n\v\f"

void
mcph_reading_keep_nomem(struct mcph_check *check, bool good)
{
    if (!good && check->err == 0)
        check->err = MCPHOST_E_NOMEM;
}

bool
mcph_reading_filled(struct mcph_check *check, const struct mcph_node *node)
{
    if (!mcph_check_kind(check, node, MCPH_NODE_STRING, "a string"))
        return false;
    if (!mcph_text_blank(node->text))
        return true;
    mcph_check_error(check, node,
                     "expected a string that is not blank, found a blank one");
    return false;
}

/* ---- entries ----------------------------------------------------------------------- */

int
mcph_reading_servers(struct mcph_check *check, const struct mcph_node *servers,
                     void (*read)(struct mcph_check *check,
                                  struct mcph_config_server *server,
                                  const struct mcph_node *key, struct mcph_node *node))
{
    for (size_t i = 0; i < servers->n && check->err == 0; i++) {
        const struct mcph_node *key = servers->keys[i];
        struct mcph_config_server *server;
        size_t mark;

        server = mcph_config_add_server(check->config, key->text, key->line, key->column);
        if (!server)
            return MCPHOST_E_NOMEM;
        mark = mcph_check_enter(check, key->text);
        read(check, server, key, servers->items[i]);
        mcph_check_leave(check, mark);
    }
    return check->err;
}

struct mcph_spec *
mcph_reading_spec_new(struct mcph_check *check, const struct mcph_config_server *server,
                      const struct mcph_node *key)
{
    struct mcph_spec *spec = mcph_spec_new(server->id, check->config->source);

    if (spec && check->config->file) {
        spec->file = mcph_strdup(check->config->file);
        if (!spec->file)
            spec = mcph_spec_unref(spec);
    }
    mcph_reading_keep_nomem(check, spec != NULL);
    if (spec) {
        spec->line = key->line;
        spec->column = key->column;
    }
    return spec;
}

void
mcph_reading_seal(struct mcph_check *check, struct mcph_config_server *server,
                  struct mcph_spec *spec)
{
    check->err = mcph_spec_seal(spec);
    if (check->err == 0)
        server->spec = mcph_spec_ref(spec);
}

struct mcph_span
mcph_reading_trim(const struct mcph_node *node)
{
    const char *text = node->text + strspn(node->text, BLANKS);
    const char *end = node->text + node->len;

    while (end > text && strchr(BLANKS, end[-1]))
        end--;
    return mcph_span(text, (size_t)(end - text));
}

/* ---- texts ------------------------------------------------------------------------- */

static bool
has_variables(const struct reading *rd, const char *text)
{
    return rd->spec->variables != MCPH_VARIABLES_NONE && mcph_text_has_variables(text);
}

/* Checks whether a path begins with a variable.  The callers do not join this path to the
 * workspace, because the value of the variable may be absolute.  Each start of the server
 * resolves the variable. */
static bool
begins_with_variable(const struct reading *rd, const char *text)
{
    return has_variables(rd, text) && text[0] == '$';
}

static void
keep_text(struct reading *rd, char **field, char *text)
{
    *field = text;
    mcph_reading_keep_nomem(rd->check, text != NULL);
}

/* Reads a text.  A blank text counts as absent. */
static void
read_text(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
          void *field)
{
    (void)key;
    if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, "a string") &&
        !mcph_text_blank(node->text))
        keep_text(rd, field, mcph_strdup(node->text));
}

/* Checks a session id.  Accepts at most SESSION_MAX visible ASCII characters, because the
 * id goes into a header unchanged. */
static bool
is_session(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++) {
        if (text[i] < 0x21 || text[i] > 0x7e)
            return false;
    }
    return len <= SESSION_MAX;
}

static void
read_session(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
             void *field)
{
    if (node->kind != MCPH_NODE_STRING || mcph_text_blank(node->text) ||
        is_session(node->text))
        read_text(rd, key, node, field);
    else
        mcph_check_error(
            rd->check, node,
            "expected at most %d visible ASCII characters, found others or more",
            SESSION_MAX);
}

static void
read_url(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
         void *field)
{
    const char *why;
    int r;

    if (!mcph_reading_filled(rd->check, node))
        return;
    if (has_variables(rd, node->text)) {
        keep_text(rd, field, mcph_strdup(node->text));
        return;
    }
    r = mcph_url_normalize(node->text, node->len, field, &why);
    if (r == MCPHOST_E_CONFIG)
        mcph_check_error(rd->check, node, "expected %s, found one that %s", key->wanted,
                         why);
    else
        mcph_reading_keep_nomem(rd->check, r == 0);
}

static void
read_program(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
             void *field)
{
    (void)key;
    if (!mcph_reading_filled(rd->check, node))
        return;
    keep_text(rd, field,
              begins_with_variable(rd, node->text)
                  ? mcph_strdup(node->text)
                  : mcph_profile_command(rd->check->config->workspace, node->text));
}

/* Reads a path.  Relative paths start at the workspace (R1).  Drops leading and trailing
 * blanks.  Does not join a path that begins with a variable.  A blank path is an
 * error. */
static void
read_path(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
          void *field)
{
    struct mcph_span text;
    char *trimmed;

    (void)key;
    if (!mcph_reading_filled(rd->check, node))
        return;
    text = mcph_reading_trim(node);
    trimmed = mcph_strndup(text.p, text.len);
    if (trimmed && begins_with_variable(rd, trimmed)) {
        keep_text(rd, field, trimmed);
        return;
    }
    keep_text(rd, field,
              trimmed ? mcph_profile_join(rd->check->config->workspace, trimmed) : NULL);
    free(trimmed);
}

/* ---- lists ------------------------------------------------------------------------- */

static void
read_string(struct reading *rd, const struct mcph_key *key, const struct mcph_node *item,
            void *field)
{
    mcphost_filter **filter = field;
    const char *why = key->fault ? key->fault(item->text) : NULL;
    int r;

    if (why) {
        mcph_check_error(rd->check, item, "expected %s, found one that %s", key->good,
                         why);
        return;
    }
    if (key->kind == MCPH_KEY_STRINGS) {
        mcph_reading_keep_nomem(rd->check, mcph_strings_add(field, item->text) == 0);
        return;
    }
    if (!*filter)
        *filter = mcph_filter_new();
    r = *filter ? mcph_filter_add(*filter, key->number, item->text, item->len)
                : MCPHOST_E_NOMEM;
    if (r == MCPHOST_E_LIMIT)
        mcph_check_error(rd->check, item,
                         "expected at most %d patterns of at most %d bytes, found more",
                         MCPH_NAME_LIST_MAX, MCPH_NAME_TEXT_MAX);
    else
        mcph_reading_keep_nomem(rd->check, r == 0);
}

static void
read_strings(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
             void *field)
{
    struct mcph_check *check = rd->check;

    if (!mcph_check_kind(check, node, MCPH_NODE_LIST, "a list of strings"))
        return;
    for (size_t i = 0; i < node->n; i++) {
        size_t mark = mcph_check_enter_index(check, i);

        if (mcph_check_kind(check, node->items[i], MCPH_NODE_STRING, "a string"))
            read_string(rd, key, node->items[i], field);
        mcph_check_leave(check, mark);
    }
}

/* ---- values ------------------------------------------------------------------------ */

void
mcph_reading_add_value(struct reading *rd, const struct mcph_key *key, const char *name,
                       const struct mcph_node *node, const char *text, const char *env)
{
    const char *why = !env && key->fault ? key->fault(text) : NULL;

    if (key->kind != MCPH_KEY_VARIABLES && !mcph_header_value_ok(text, strlen(text)))
        mcph_check_error(rd->check, node,
                         "expected a text on one line, found a control character");
    else if (why)
        mcph_check_error(rd->check, node, "expected %s, found one that %s", key->good,
                         why);
    else
        mcph_reading_keep_nomem(rd->check, mcph_values_add(mcph_key_field(key, rd->spec),
                                                           name, text, env) == 0);
}

static void
read_value(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
           void *field)
{
    (void)field;
    rd->dialect->value(rd, key, key->name, node);
}

static bool
name_ok(struct mcph_check *check, const struct mcph_node *key, bool header)
{
    if (header && !mcph_header_name_ok(key->text, strlen(key->text)))
        mcph_check_error(check, key,
                         "expected the name of an HTTP header, found a key with "
                         "other characters");
    else if (!header && (!*key->text || strchr(key->text, '=')))
        mcph_check_error(check, key,
                         "expected the name of an environment variable, found "
                         "one that is empty or has a '='");
    else
        return true;
    return false;
}

static void
read_values(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
            void *field)
{
    bool header = key->kind == MCPH_KEY_HEADERS;
    struct mcph_check *check = rd->check;

    (void)field;
    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "a map"))
        return;
    for (size_t i = 0; i < node->n; i++) {
        const struct mcph_node *name = node->keys[i];
        size_t mark = mcph_check_enter(check, name->text);

        if (header && rd->dialect->header)
            rd->dialect->header(rd, name);
        if (name_ok(check, name, header))
            rd->dialect->value(rd, key, name->text, node->items[i]);
        mcph_check_leave(check, mark);
    }
}

/* ---- numbers ----------------------------------------------------------------------- */

static bool
is_number(const struct mcph_node *node)
{
    return node->kind == MCPH_NODE_INT || node->kind == MCPH_NODE_FLOAT;
}

static void
read_time(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
          void *field)
{
    (void)key;
    if (!is_number(node))
        mcph_check_error(rd->check, node, "expected a number of seconds, found %s",
                         mcph_node_kind_text(node));
    else if (!(node->number >= 0.001 && node->number <= TIMEOUT_MAX_S))
        mcph_check_error(rd->check, node,
                         "expected seconds from 0.001 to %d, found %.32s", TIMEOUT_MAX_S,
                         node->text);
    else
        *(int64_t *)field = (int64_t)(node->number * 1000 + 0.5);
}

static void
read_count(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
           void *field)
{
    if (!is_number(node))
        mcph_check_error(rd->check, node, "expected a whole number, found %s",
                         mcph_node_kind_text(node));
    else if (node->kind != MCPH_NODE_INT || node->integer < 1 ||
             node->integer > key->number)
        mcph_check_error(rd->check, node,
                         "expected a whole number from 1 to %d, found %.32s", key->number,
                         node->text);
    else
        *(size_t *)field = (size_t)node->integer;
}

static void
read_bool(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
          void *field)
{
    (void)key;
    if (mcph_check_kind(rd->check, node, MCPH_NODE_BOOL, "true or false"))
        *(bool *)field = node->boolean;
}

static void
read_choice(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node,
            void *field)
{
    size_t n = key->n_values ? key->n_values : SIZE_MAX;
    struct mcph_buf expected;
    const char *what;
    int value = 0, r;

    mcph_buf_init(&expected, 256);
    mcph_enum_put(key->values, n, false, &expected);
    what = mcph_buf_text(&expected);
    if (!what) {
        mcph_reading_keep_nomem(rd->check, false);
    } else if (mcph_check_kind(rd->check, node, MCPH_NODE_STRING, what)) {
        r = mcphost_enum_find_value(key->values, node->text, &value);
        if (r < 0 || (size_t)value >= n)
            mcph_check_error(rd->check, node, "expected %s, found '%.32s'", what,
                             node->text);
        else
            *(int *)field = value;
    }
    mcph_buf_done(&expected);
}

/* ---- the keys of a map ------------------------------------------------------------- */

typedef void (*read_fn)(struct reading *rd, const struct mcph_key *key,
                        const struct mcph_node *node, void *field);

static const read_fn readers[] = {
    [MCPH_KEY_TEXT] = read_text,       [MCPH_KEY_URL] = read_url,
    [MCPH_KEY_SESSION] = read_session, [MCPH_KEY_PROGRAM] = read_program,
    [MCPH_KEY_PATH] = read_path,       [MCPH_KEY_FILE] = read_path,
    [MCPH_KEY_DIRECTORY] = read_path,  [MCPH_KEY_VARIABLES] = read_values,
    [MCPH_KEY_HEADERS] = read_values,  [MCPH_KEY_VALUE] = read_value,
    [MCPH_KEY_STRINGS] = read_strings, [MCPH_KEY_PATTERNS] = read_strings,
    [MCPH_KEY_TIME] = read_time,       [MCPH_KEY_COUNT] = read_count,
    [MCPH_KEY_BOOL] = read_bool,       [MCPH_KEY_CHOICE] = read_choice,
};

static const char *
spelled(const struct dialect *dialect, const char *name)
{
    const struct spelling *s = dialect->spellings;

    if (!s)
        return name;
    while (s->key && strcmp(s->key, name) != 0)
        s++;
    return s->spelled;
}

/* Returns the name of the key as the dialect writes it, or NULL if entries cannot have
 * the key. */
static const char *
written_name(const struct dialect *dialect, const struct mcph_key *key)
{
    return key->flags & MCPH_KEY_MADE ? NULL : spelled(dialect, key->name);
}

/* Returns the last part of `path` if `path` is a member of the map `parent`, else NULL.
 * If `parent` is "", the map is the entry itself. */
static const char *
member_of(const char *path, const char *parent)
{
    size_t len = strlen(parent);

    if (!path)
        return NULL;
    if (len > 0) {
        if (strncmp(path, parent, len) != 0 || path[len] != '.')
            return NULL;
        path += len + 1;
    }
    return strchr(path, '.') ? NULL : path;
}

/* Reports an unknown key in a strict map as an error, because a misspelled limit must not
 * mean "no limit". */
static void
refuse_key(struct reading *rd, const struct mcph_node *key)
{
    size_t mark = mcph_check_enter(rd->check, key->text);

    mcph_check_error(rd->check, key, "unknown option");
    mcph_check_leave(rd->check, mark);
}

static void
report_unknown(struct reading *rd, const struct mcph_node *map, const char *const *known,
               size_t n, void (*tell)(struct reading *rd, const struct mcph_node *key))
{
    for (size_t i = 0; i < map->n; i++) {
        size_t k = 0;

        while (k < n && strcmp(known[k], map->keys[i]->text) != 0)
            k++;
        if (k == n)
            tell(rd, map->keys[i]);
    }
}

static void
check_unknown(struct reading *rd, const struct mcph_node *map, const char *parent,
              bool strict)
{
    const char *const *others = rd->dialect->others;
    const char *known[KNOWN_MAX], *name;
    const struct mcph_key *key;
    size_t n = 0;

    for (size_t i = 0; (key = mcph_key_at(i)); i++) {
        name = member_of(written_name(rd->dialect, key), parent);
        if (name && n < KNOWN_MAX)
            known[n++] = name;
    }
    for (; others && *others; others++) {
        name = member_of(*others, parent);
        if (name && n < KNOWN_MAX)
            known[n++] = name;
    }
    if (strict)
        report_unknown(rd, map, known, n, refuse_key);
    else if (rd->dialect->unknown)
        report_unknown(rd, map, known, n, rd->dialect->unknown);
    else
        mcph_check_unknown(rd->check, map, known, n);
}

static void read_members(struct reading *rd, const struct mcph_node *map,
                         const char *parent, bool strict);

/* Reads the value of a key.  The current path is the path of `node`. */
static void
read_node(struct reading *rd, const struct mcph_key *key, const struct mcph_node *node)
{
    const struct mcph_key *plain =
        key->plain && node->kind == MCPH_NODE_STRING ? mcph_key_find(key->plain) : NULL;

    if (plain)
        key = plain;
    if (key->kind != MCPH_KEY_MAP)
        readers[key->kind](rd, key, node, mcph_key_field(key, rd->spec));
    else if (mcph_check_kind(rd->check, node, MCPH_NODE_MAP,
                             key->good ? key->good : "a map"))
        read_members(rd, node, spelled(rd->dialect, key->name),
                     (key->flags & MCPH_KEY_STRICT) != 0);
}

/* Reports an error if `key` needs another key beside it and the other key is missing. */
static void
check_needs(struct reading *rd, const struct mcph_key *key, const struct mcph_node *map,
            const char *parent, const struct mcph_node *node)
{
    const char *other =
        key->needs ? member_of(spelled(rd->dialect, key->needs), parent) : NULL;

    if (other && !mcph_node_get(map, other))
        mcph_check_error(rd->check, node, "expected '%s' next to it, found nothing",
                         other);
}

static void
read_key(struct reading *rd, const struct mcph_key *key, const struct mcph_node *map,
         const char *parent, const char *name)
{
    const struct mcph_node *node = mcph_node_get(map, name);
    int transport = rd->spec->transport;
    size_t mark;

    if (!mcph_key_fits(key, transport) && transport == MCPHOST_TRANSPORT_NONE)
        return;
    if (key->flags & MCPH_KEY_OF_PROFILE) {
        rd->dialect->read(rd, key, name, node);
        return;
    }
    mark = mcph_check_enter(rd->check, name);
    if (!mcph_key_fits(key, transport)) {
        if (node)
            mcph_check_warn(rd->check, node,
                            "has no meaning with transport '%s', ignored",
                            mcphost_enum_get_name(MCPHOST_ENUM_TRANSPORT, transport));
    } else if (node) {
        check_needs(rd, key, map, parent, node);
        read_node(rd, key, node);
    } else if (key->wanted) {
        mcph_check_error(rd->check, map, "expected %s, found nothing", key->wanted);
    }
    mcph_check_leave(rd->check, mark);
}

static void
read_members(struct reading *rd, const struct mcph_node *map, const char *parent,
             bool strict)
{
    const struct mcph_key *key;

    check_unknown(rd, map, parent, strict);
    for (size_t i = 0; (key = mcph_key_at(i)); i++) {
        const char *name = member_of(written_name(rd->dialect, key), parent);

        if (name)
            read_key(rd, key, map, parent, name);
    }
}

void
mcph_reading_keys(struct reading *rd)
{
    read_members(rd, rd->map, "", false);
    if (!rd->spec->cwd)
        keep_text(rd, &rd->spec->cwd, mcph_strdup(rd->check->config->workspace));
}
