/* SPDX-License-Identifier: MIT
 *
 * rows_lists.c - servers with hostile lists of tools.
 *
 * Most of these servers announce a new list again and again.
 */
#include <stdio.h>
#include <string.h>

#include "isolation/isolation.h"

#define AGAIN_MS 700

static void
changes(struct out *out)
{
    do
        pause_ms(AGAIN_MS);
    while (out_message(out, "{\"jsonrpc\":\"2.0\",\"method\":"
                            "\"notifications/tools/list_changed\"}") &&
           out_flush(out));
}

static void
begin_list(struct out *out, const char *id)
{
    out_begin(out);
    out_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    out_text(out, id);
    out_text(out, ",\"result\":{\"tools\":[");
}

static void
end_list(struct out *out, const char *cursor)
{
    out_text(out, "]");
    if (cursor) {
        out_text(out, ",\"nextCursor\":\"");
        out_text(out, cursor);
        out_text(out, "\"");
    }
    out_text(out, "}}");
    out_end(out);
    out_flush(out);
}

static void
list_n(struct out *out, const char *id, int n, const char *schema)
{
    char text[64];

    begin_list(out, id);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof(text),
                 "%s{\"name\":\"tool_%d\",\"inputSchema\":", i ? "," : "", i);
        out_text(out, text);
        out_text(out, schema);
        out_text(out, "}");
    }
    end_list(out, NULL);
}

static void
many(struct out *out, const char *id, const char *request)
{
    (void)request;
    list_n(out, id, 99000, "{\"type\":\"object\"}");
}

static void
invalid(struct out *out, const char *id, const char *request)
{
    (void)request;
    list_n(out, id, 99000, "[]");
}

static void
same_name(struct out *out, const char *id, const char *request)
{
    (void)request;
    begin_list(out, id);
    for (int i = 0; i < 99000; i++)
        out_text(out, i ? ",{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}"
                        : "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}");
    end_list(out, NULL);
}

/* Answers tools/list with a page that names a new cursor, so that the pages never end. */
static void
endless_pages(struct out *out, const char *id, const char *request)
{
    static unsigned page;
    char cursor[32];

    (void)request;
    snprintf(cursor, sizeof(cursor), "page-%u", page++);
    begin_list(out, id);
    end_list(out, cursor);
}

static void
long_texts(struct out *out, const char *id, const char *request)
{
    (void)request;
    begin_list(out, id);
    for (int i = 0; i < 4; i++) {
        char text[64];

        snprintf(text, sizeof(text), "%s{\"name\":\"t%d\",\"description\":\"",
                 i ? "," : "", i);
        out_text(out, text);
        out_fill(out, 'd', 7u << 20);
        out_text(out, "\",\"inputSchema\":{\"type\":\"object\"}}");
    }
    end_list(out, NULL);
}

static void
escaped_texts(struct out *out, const char *id, const char *request)
{
    (void)request;
    begin_list(out, id);
    out_text(out, "{\"name\":\"t\",\"description\":\"");
    for (int i = 0; i < 1000000; i++)
        out_text(out, "\\u0041");
    out_text(out, "\",\"inputSchema\":{\"type\":\"object\"}}");
    end_list(out, NULL);
}

static void
deep_schemas(struct out *out, const char *id, const char *request)
{
    (void)request;
    begin_list(out, id);
    out_text(out, "{\"name\":\"bait\",\"inputSchema\":{\"type\":\"object\",\"x\":");
    for (int i = 0; i < 50000; i++)
        out_text(out, "[");
    for (int i = 0; i < 50000; i++)
        out_text(out, "]");
    out_text(out, "}}");
    end_list(out, NULL);
}

/* ---- schemas that are expensive to check ------------------------------------------- */

static void
one_tool(struct out *out, const char *id, const char *before, const char *unit, int n,
         const char *behind)
{
    char text[512];

    begin_list(out, id);
    out_text(out, "{\"name\":\"bait\",\"inputSchema\":");
    out_text(out, before);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof(text), unit, i, i, i);
        out_text(out, i ? "," : "");
        out_text(out, text);
    }
    out_text(out, behind);
    out_text(out, "}");
    end_list(out, NULL);
}

static void
patterns(struct out *out, const char *id, const char *request)
{
    (void)request;
    one_tool(out, id, "{\"type\":\"object\",\"properties\":{\"a\":{\"allOf\":[",
             "{\"pattern\":\"^(x+x+)+%d$\"}", 20, "]}}}");
}

static void
pattern_properties(struct out *out, const char *id, const char *request)
{
    (void)request;
    one_tool(out, id, "{\"type\":\"object\",\"patternProperties\":{",
             "\"^(x+)+%d$\":{\"type\":\"string\"}", 20000, "}}");
}

static void
refs(struct out *out, const char *id, const char *request)
{
    (void)request;
    one_tool(out, id, "{\"type\":\"object\",\"$defs\":{\"e\":{}},\"allOf\":[",
             "{\"$ref\":\"#/$defs/e\"}", 20000, "]}");
}

static const struct row rows[] = {
    {.name = "many-tools",
     .what = "99,000 tools",
     .where = STDIO | WEB,
     .hello = changes,
     .list = many},
    {.name = "invalid-tools",
     .what = "99,000 tools that are none",
     .where = STDIO | WEB,
     .hello = changes,
     .list = invalid},
    {.name = "same-name",
     .what = "99,000 tools of one name",
     .where = STDIO,
     .hello = changes,
     .list = same_name},
    {.name = "endless-pages",
     .what = "pages without end",
     .where = STDIO | WEB,
     .hello = changes,
     .list = endless_pages},
    {.name = "long-texts",
     .what = "descriptions of 7 MiB",
     .where = STDIO | WEB,
     .hello = changes,
     .list = long_texts},
    {.name = "escaped-texts",
     .what = "a description of 1,000,000 escapes",
     .where = STDIO,
     .hello = changes,
     .list = escaped_texts},
    {.name = "deep-schema",
     .what = "a schema 50,000 deep",
     .where = STDIO,
     .hello = changes,
     .list = deep_schemas},
    {.name = "schema-pattern",
     .what = "patterns that backtrack",
     .where = STDIO,
     .list = patterns,
     .calls = 1,
     .arguments = 100000,
     .checks = true},
    {.name = "schema-properties",
     .what = "20,000 patternProperties",
     .where = STDIO,
     .list = pattern_properties,
     .calls = 1,
     .arguments = 1000,
     .checks = true},
    {.name = "schema-refs",
     .what = "20,000 $ref",
     .where = STDIO,
     .list = refs,
     .calls = 1,
     .arguments = 1000,
     .checks = true},
};
ROWS(rows)
