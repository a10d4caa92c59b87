/* SPDX-License-Identifier: MIT
 *
 * headers.c - send arguments of tool calls in headers (MCP 2026-07-28, "Streamable HTTP":
 * x-mcp-header).
 *
 * The input schema of a tool may annotate a property with a name.  The client then also
 * sends the value of the property as the header Mcp-Param-NAME.  The host must not use a
 * tool with a forbidden annotation.  This file passes the values on as plain text.  The
 * transport encodes the values, so that no argument can end a line of the HTTP request.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "client/internal.h"

#define KEY        "x-mcp-header"
#define PREFIX     "Mcp-Param-"
#define DEPTH_MAX  64                  /* limit on the depth of properties */
#define LEVELS_MAX (2 * DEPTH_MAX + 4) /* limit on nested brackets that are checked */
#define TEXT_MAX   ((size_t)1024 * 1024)
#define SAFE_MAX   INT64_C(9007199254740991)

/* Returns false if the schema has no annotation and need not be walked.  A backslash and
 * 'u' count as an annotation, because the annotation's name may be spelled with
 * escapes. */
static bool
may_have_some(struct mcph_span schema)
{
    return schema.p && (memmem(schema.p, schema.len, KEY, sizeof(KEY) - 1) ||
                        memmem(schema.p, schema.len, "\\u", 2));
}

static bool
string_is(struct mcph_span token, const char *text)
{
    return mcph_json_type(token) == MCPH_JSON_STRING &&
           mcph_json_string_is(token, text, strlen(text));
}

/* ---- whether a tool may be used ----------------------------------------------------
 * The check makes one pass over the bytes of the schema.  The schema is valid JSON.  If
 * the check read each object and array as a span of its own, it would look at each byte
 * once for each bracket around the byte. */

enum {
    PLACE_VALUES, /* values that contain no schemas */
    PLACE_SCHEMA,
    PLACE_PROPERTIES, /* the `properties` of a schema; each member is a schema */
    PLACE_ARRAY       /* an array whose objects are schemas */
};

struct level {
    int place;
    bool object;
    bool reach;                       /* the path from the root to this level leads
                                       * through `properties` only */
    bool property;                    /* the level is a member of `properties` */
    struct mcph_span key, name, type; /* key: the last key; name: the value of KEY;
                                       * type: the value of `type`.  If `name` or `type`
                                       * is an object or array, it has only the first
                                       * byte of the value */
};

struct check {
    struct mcph_span names[MCPH_CLIENT_PARAMS_MAX]; /* names of the annotations found
                                                     * so far, as string tokens */
    size_t n;
    const char *why;
    struct level levels[LEVELS_MAX];
    size_t depth;
    bool wants_key;
};

/* Returns true for a string that is a token of RFC 9110, written without escapes.  No
 * character of a token needs an escape. */
static bool
is_name(struct mcph_span token)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    if (mcph_json_type(token) != MCPH_JSON_STRING || token.len < 3)
        return false;
    for (size_t i = 1; i < token.len - 1; i++) {
        char c = token.p[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
            !(c >= 'A' && c <= 'Z') && !strchr(others, c))
            return false;
    }
    return true;
}

static void
check_one(struct check *check, struct mcph_span type, struct mcph_span name, bool reach)
{
    if (!is_name(name)) {
        check->why =
            "its inputSchema has an x-mcp-header that is not a valid header name";
        return;
    }
    if (!reach) {
        check->why =
            "its inputSchema has an x-mcp-header in a place where it is not allowed";
        return;
    }
    if (!string_is(type, "string") && !string_is(type, "integer") &&
        !string_is(type, "boolean")) {
        check->why = "its inputSchema has an x-mcp-header on a property that is not a "
                     "string, integer or boolean";
        return;
    }
    for (size_t i = 0; i < check->n; i++) {
        if (check->names[i].len == name.len &&
            strncasecmp(check->names[i].p, name.p, name.len) == 0)
            check->why = "its inputSchema has the same x-mcp-header twice";
    }
    if (check->n == MCPH_CLIENT_PARAMS_MAX)
        check->why = "its inputSchema has too many x-mcp-headers";
    else
        check->names[check->n++] = name;
}

/* Returns true for a keyword of JSON Schema that holds plain data, not schemas. */
static bool
holds_values(struct mcph_span key)
{
    return string_is(key, "default") || string_is(key, "const") ||
           string_is(key, "enum") || string_is(key, "examples");
}

/* Returns the innermost level.  Returns NULL outside of the schema, and deeper than
 * LEVELS_MAX. */
static struct level *
top_level(struct check *check)
{
    return check->depth > 0 && check->depth <= LEVELS_MAX
               ? &check->levels[check->depth - 1]
               : NULL;
}

static int
place_below(const struct level *up, bool object)
{
    switch (up->place) {
    case PLACE_PROPERTIES:
        return object ? PLACE_SCHEMA : PLACE_VALUES;
    case PLACE_SCHEMA:
        if (string_is(up->key, "properties"))
            return PLACE_PROPERTIES;
        if (holds_values(up->key))
            return PLACE_VALUES;
        return object ? PLACE_SCHEMA : PLACE_ARRAY;
    case PLACE_ARRAY:
        return object ? PLACE_SCHEMA : PLACE_ARRAY;
    default:
        return PLACE_VALUES;
    }
}

static void
enter_bracket(struct check *check, bool object)
{
    const struct level *up = top_level(check);
    struct level level = {.place = PLACE_VALUES, .object = object};

    if (check->depth == 0) {
        level.place = PLACE_SCHEMA;
        level.reach = true;
    } else if (up) {
        level.place = place_below(up, object);
        level.property = up->place == PLACE_PROPERTIES;
        level.reach = up->reach && (level.property || level.place == PLACE_PROPERTIES);
    }
    if (check->depth++ < LEVELS_MAX)
        check->levels[check->depth - 1] = level;
    check->wants_key = object;
}

/* Ends a level and checks the annotation of the level's schema.  If the schema belongs to
 * a property, any value of x-mcp-header is an annotation.  In any other place, an object
 * under the key x-mcp-header is no annotation, because it can be a schema with this name,
 * for example in `$defs`. */
static void
leave_bracket(struct check *check)
{
    const struct level *level = top_level(check);

    if (level && level->place == PLACE_SCHEMA && level->name.p &&
        (level->property || mcph_json_type(level->name) != MCPH_JSON_OBJECT))
        check_one(check, level->type, level->name, level->reach && level->property);
    check->depth -= check->depth > 0;
    check->wants_key = false;
}

static void
note_token(struct check *check, const char *p, size_t len)
{
    struct level *level = top_level(check);

    if (!level || level->place == PLACE_VALUES)
        return;
    if (check->wants_key)
        level->key = mcph_span(p, len);
    else if (level->place == PLACE_SCHEMA && !level->name.p && string_is(level->key, KEY))
        level->name = mcph_span(p, len);
    else if (level->place == PLACE_SCHEMA && !level->type.p &&
             string_is(level->key, "type"))
        level->type = mcph_span(p, len);
}

/* Returns the end of the string or word that begins at `p`. */
static const char *
skip_token(const char *p, const char *end)
{
    const char *q = p + 1, *slash;

    if (*p != '"') {
        while (q < end && !memchr(",]} \t\r\n", *q, 7))
            q++;
        return q;
    }
    for (q = memchr(q, '"', (size_t)(end - q)); q;
         q = memchr(q, '"', (size_t)(end - q))) {
        for (slash = q; slash[-1] == '\\'; slash--)
            ;
        q++;
        if ((q - slash) % 2 == 1)
            return q;
    }
    return end;
}

static void
walk_schema(struct check *check, struct mcph_span schema)
{
    const char *p = schema.p, *end = p + schema.len, *next;

    for (; p < end && !check->why; p = next) {
        next = p + 1;
        switch (*p) {
        case '{':
        case '[':
            note_token(check, p, 1);
            enter_bracket(check, *p == '{');
            break;
        case '}':
        case ']':
            leave_bracket(check);
            break;
        case ',':
            check->wants_key = top_level(check) && top_level(check)->object;
            break;
        case ':':
        case ' ':
        case '\t':
        case '\r':
        case '\n':
            break;
        default:
            next = skip_token(p, end);
            note_token(check, p, (size_t)(next - p));
            check->wants_key = false;
        }
    }
}

const char *
mcph_client_check_headers(struct mcph_span schema)
{
    struct check check;

    if (!may_have_some(schema) || mcph_json_type(schema) != MCPH_JSON_OBJECT)
        return NULL;
    if (mcph_json_get(schema, KEY).p)
        return "its inputSchema has an x-mcp-header in a place where it is not allowed";
    check.n = check.depth = 0;
    check.why = NULL;
    check.wants_key = false;
    walk_schema(&check, schema);
    return check.why;
}

/* ---- the headers of one call ------------------------------------------------------- */

/* Adds the value of a header as plain text.  Returns false if the argument cannot be sent
 * in a header. */
static bool
add_value(struct mcph_buf *buf, struct mcph_span type, struct mcph_span value)
{
    struct mcph_buf decoded;
    struct mcph_span text;
    int64_t n;
    bool good;

    if (string_is(type, "boolean") && mcph_json_type(value) == MCPH_JSON_BOOL) {
        mcph_json_add_span(buf, value);
        return true;
    }
    if (string_is(type, "integer") && mcph_json_type(value) == MCPH_JSON_NUMBER) {
        double d;

        if (mcph_json_int64(value, &n) < 0) {
            if (mcph_json_double(value, &d) < 0 || d < -(double)SAFE_MAX ||
                d > (double)SAFE_MAX || d != (double)(int64_t)d)
                return false;
            n = (int64_t)d;
        }
        if (n < -SAFE_MAX || n > SAFE_MAX)
            return false;
        mcph_buf_addi(buf, n);
        return true;
    }
    if (!string_is(type, "string") || mcph_json_type(value) != MCPH_JSON_STRING)
        return false;
    mcph_buf_init(&decoded, TEXT_MAX);
    good = mcph_json_string_get(value, &decoded, &text) == 0;
    if (good)
        mcph_buf_add(buf, text.p, text.len);
    mcph_buf_done(&decoded);
    return good;
}

static void
add_param(struct params *params, struct mcph_span name, struct mcph_span type,
          struct mcph_span value)
{
    struct mcph_buf *buf = &params->text;
    size_t at = buf->len, from;

    if (params->n == MCPH_CLIENT_PARAMS_MAX || !is_name(name))
        return;
    mcph_buf_adds(buf, PREFIX);
    mcph_buf_add(buf, name.p + 1, name.len - 2);
    mcph_buf_addc(buf, '\0');
    from = buf->len;
    if (!add_value(buf, type, value)) {
        buf->len = at;
        return;
    }
    params->at[params->n] = at;
    params->items[PARAMS_FIRST + params->n].value = mcph_span(NULL, buf->len - from);
    params->n++;
}

static void
collect_params(struct params *params, struct mcph_span schema, struct mcph_span arguments,
               unsigned depth)
{
    struct mcph_span properties = mcph_json_get(schema, "properties"), key, part, value;
    struct mcph_json_iter it, args;
    struct mcph_span k, v;

    if (mcph_json_type(properties) != MCPH_JSON_OBJECT || depth > DEPTH_MAX ||
        mcph_json_type(arguments) != MCPH_JSON_OBJECT)
        return;
    mcph_json_iter_init(&it, properties);
    while (mcph_json_iter_next(&it, &key, &part)) {
        if (mcph_json_type(part) != MCPH_JSON_OBJECT)
            continue;
        value = MCPH_SPAN_NONE;
        mcph_json_iter_init(&args, arguments);
        while (!value.p && mcph_json_iter_next(&args, &k, &v)) {
            if (mcph_json_string_eq(k, key))
                value = v;
        }
        if (!value.p)
            continue;
        if (mcph_json_get(part, KEY).p)
            add_param(params, mcph_json_get(part, KEY), mcph_json_get(part, "type"),
                      value);
        collect_params(params, part, value, depth + 1);
    }
}

int
mcph_client_params_make(struct params *params, struct mcph_span schema,
                        struct mcph_span arguments)
{
    params->n = 0;
    mcph_buf_init(&params->text, TEXT_MAX);
    if (may_have_some(schema))
        collect_params(params, schema, arguments, 0);
    /* Set the pointers only now, because a growing buffer moves the text. */
    for (size_t i = 0; i < params->n; i++) {
        struct mcph_header *h = &params->items[PARAMS_FIRST + i];

        h->name = params->text.data + params->at[i];
        h->value.p = h->name + strlen(h->name) + 1;
    }
    return mcph_buf_ok(&params->text);
}

void
mcph_client_params_done(struct params *params)
{
    mcph_buf_done(&params->text);
}
