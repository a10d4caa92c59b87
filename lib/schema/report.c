/* SPDX-License-Identifier: MIT
 *
 * report.c - describe the errors in a value so that a model can correct them.
 *
 * The check of a value makes all texts of the report.  A finished report does not change.
 * Each text is one line of UTF-8, whatever the value contains.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

#define ENTRY_MAX    ((size_t)64 * 1024)
#define REPORT_MAX   ((size_t)1024 * 1024)
#define INSTANCE_MAX ((size_t)256 * 1024 * 1024)
#define EXCERPT      60

int
mcph_report_new(size_t max, mcphost_schema_report **ret_report)
{
    mcphost_schema_report *report = mcph_zalloc(sizeof(*report), 0);

    if (!report)
        return MCPHOST_E_NOMEM;
    mcph_refs_init(&report->refs);
    report->max = max;
    mcph_buf_init(&report->buf, REPORT_MAX);
    mcph_buf_init(&report->line, 2 * REPORT_MAX);
    mcph_buf_init(&report->json, 8 * REPORT_MAX);
    mcph_buf_init(&report->instance, INSTANCE_MAX);
    *ret_report = report;
    return 0;
}

mcphost_schema_report *
mcph_schema_report_ref(mcphost_schema_report *report)
{
    if (report)
        mcph_refs_get(&report->refs);
    return report;
}

mcphost_schema_report *
mcph_schema_report_unref(mcphost_schema_report *report)
{
    if (!report || !mcph_refs_put(&report->refs))
        return NULL;
    mcph_buf_done(&report->buf);
    mcph_buf_done(&report->line);
    mcph_buf_done(&report->json);
    mcph_buf_done(&report->instance);
    free(report->texts);
    free(report);
    return NULL;
}

void
mcph_report_value(const struct mcph_schema_value *item, char *room, size_t size)
{
    int n = item->len < EXCERPT ? (int)item->len : EXCERPT;
    const char *more = item->len > EXCERPT ? "..." : "";

    switch (item->type) {
    case MCPH_JSON_OBJECT:
        snprintf(room, size, "an object with %u member%s", item->n,
                 item->n == 1 ? "" : "s");
        break;
    case MCPH_JSON_ARRAY:
        snprintf(room, size, "an array with %u item%s", item->n, item->n == 1 ? "" : "s");
        break;
    case MCPH_JSON_STRING:
        snprintf(room, size, "string \"%.*s%s\"", n, item->p, more);
        break;
    case MCPH_JSON_NUMBER:
        snprintf(room, size, "number %.*s%s", n, item->p, more);
        break;
    default:
        snprintf(room, size, "%.*s", n, item->p);
    }
}

/* ---- entries ----------------------------------------------------------------------- */

static void
add_way(struct mcph_buf *buf, const struct mcph_way *way)
{
    size_t i;

    if (way->up)
        add_way(buf, way->up);
    mcph_buf_addc(buf, '/');
    if (!way->name) {
        mcph_buf_addi(buf, (int64_t)way->index);
        return;
    }
    for (i = 0; i < way->name->len; i++) {
        char c = way->name->p[i];

        if (c == '~' || c == '/')
            mcph_buf_adds(buf, c == '~' ? "~0" : "~1");
        else
            mcph_buf_addc(buf, c);
    }
}

/* Appends `part` to `buf` as one NUL-terminated text, stores the offset of this text in
 * *ret_at, and empties `part`. */
static int
close_text(struct mcph_buf *buf, struct mcph_buf *part, size_t *ret_at)
{
    int r = mcph_buf_ok(part);

    *ret_at = buf->len;
    if (r == 0 && part->len > 0)
        r = mcph_utf8_add_clean(buf, part->data, part->len, true);
    if (r == 0)
        r = mcph_buf_addc(buf, '\0');
    mcph_buf_clear(part);
    return r;
}

static int
add_texts(struct mcph_buf *buf, size_t at[MCPH_SCHEMA_N_TEXTS],
          const struct mcph_way *way, const struct mcph_schema_node *node, int keyword,
          const char *expected, const char *found)
{
    struct mcph_buf part;
    int r;

    mcph_buf_init(&part, ENTRY_MAX);
    if (way)
        add_way(&part, way);
    r = close_text(buf, &part, &at[MCPH_SCHEMA_INSTANCE_PATH]);
    if (r == 0) {
        mcph_node_path(&part, node, keyword);
        r = close_text(buf, &part, &at[MCPH_SCHEMA_SCHEMA_PATH]);
    }
    if (r == 0) {
        mcph_buf_adds(&part,
                      keyword ? mcph_keyword_name((enum mcph_keyword)keyword) : "false");
        r = close_text(buf, &part, &at[MCPH_SCHEMA_KEYWORD]);
    }
    if (r == 0) {
        mcph_buf_adds(&part, expected);
        r = close_text(buf, &part, &at[MCPH_SCHEMA_EXPECTED]);
    }
    if (r == 0) {
        mcph_buf_adds(&part, found);
        r = close_text(buf, &part, &at[MCPH_SCHEMA_FOUND]);
    }
    mcph_buf_done(&part);
    return r;
}

int
mcph_report_add(mcphost_schema_report *report, const struct mcph_way *way,
                const struct mcph_schema_node *node, int keyword, const char *expected,
                const char *found)
{
    size_t at[MCPH_SCHEMA_N_TEXTS] = {0}, *texts, len = report->buf.len;
    int r;

    if (report->n >= report->max) {
        report->more++;
        return 0;
    }
    texts = mcph_reallocarray(report->texts, report->n + 1, sizeof(at));
    if (!texts)
        return MCPHOST_E_NOMEM;
    report->texts = texts;
    r = add_texts(&report->buf, at, way, node, keyword, expected, found);
    if (r == MCPHOST_E_LIMIT) { /* only count an error whose texts are too long */
        report->buf.err = 0;
        report->buf.len = len;
        report->more++;
        return 0;
    }
    memcpy(texts + report->n * MCPH_SCHEMA_N_TEXTS, at, sizeof(at));
    report->n += r == 0;
    return r;
}

const char *
mcph_schema_report_text(const mcphost_schema_report *report, size_t index, int which)
{
    if (index >= report->n)
        return NULL;
    return report->buf.data + report->texts[index * MCPH_SCHEMA_N_TEXTS + (size_t)which];
}

/* ---- the finished report ----------------------------------------------------------- */

static void
add_line(mcphost_schema_report *report, size_t i)
{
    const char *path = mcph_schema_report_text(report, i, MCPH_SCHEMA_INSTANCE_PATH);

    if (i > 0)
        mcph_buf_adds(&report->line, "; ");
    mcph_buf_adds(&report->line, *path ? "at " : "at the top");
    mcph_buf_adds(&report->line, path);
    mcph_buf_adds(&report->line, ": expected ");
    mcph_buf_adds(&report->line,
                  mcph_schema_report_text(report, i, MCPH_SCHEMA_EXPECTED));
    mcph_buf_adds(&report->line, ", found ");
    mcph_buf_adds(&report->line, mcph_schema_report_text(report, i, MCPH_SCHEMA_FOUND));
}

static void
add_object(mcphost_schema_report *report, size_t i)
{
    static const char *const names[MCPH_SCHEMA_N_TEXTS] = {
        [MCPH_SCHEMA_INSTANCE_PATH] = "instancePath",
        [MCPH_SCHEMA_SCHEMA_PATH] = "schemaPath",
        [MCPH_SCHEMA_KEYWORD] = "keyword",
        [MCPH_SCHEMA_EXPECTED] = "expected",
        [MCPH_SCHEMA_FOUND] = "found",
    };
    int which;

    mcph_json_add_comma(&report->json);
    mcph_buf_addc(&report->json, '{');
    for (which = 0; which < MCPH_SCHEMA_N_TEXTS; which++) {
        mcph_json_add_member(&report->json, names[which],
                             mcph_schema_report_text(report, i, which));
    }
    mcph_buf_addc(&report->json, '}');
}

int
mcph_report_finish(mcphost_schema_report *report)
{
    size_t i;

    mcph_buf_addc(&report->json, '[');
    for (i = 0; i < report->n; i++) {
        add_line(report, i);
        add_object(report, i);
    }
    if (report->more > 0)
        mcph_buf_addf(&report->line, "%sand %zu more", report->n ? "; " : "",
                      report->more);
    mcph_buf_addc(&report->line, '\0');
    mcph_buf_addc(&report->json, ']');
    mcph_buf_addc(&report->json, '\0');
    mcph_buf_addc(&report->instance, '\0');
    if (mcph_buf_ok(&report->line) < 0 || mcph_buf_ok(&report->json) < 0 ||
        mcph_buf_ok(&report->instance) < 0)
        return MCPHOST_E_NOMEM;
    return 0;
}

size_t
mcph_schema_report_count(const mcphost_schema_report *report)
{
    return report->n;
}

struct mcph_span
mcph_schema_report_line(const mcphost_schema_report *report)
{
    return mcph_span(report->line.data, report->line.len - 1);
}

struct mcph_span
mcph_schema_report_json(const mcphost_schema_report *report)
{
    return mcph_span(report->json.data, report->json.len - 1);
}

struct mcph_span
mcph_schema_report_instance(const mcphost_schema_report *report)
{
    if (!report->completed)
        return MCPH_SPAN_NONE;
    return mcph_span(report->instance.data, report->instance.len - 1);
}
