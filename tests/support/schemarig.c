/* SPDX-License-Identifier: MIT
 *
 * schemarig.c - schemas and values for tests, written with ' in place of ".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "schema/schema.h"
#include "support/schemarig.h"

const char *
sch_quoted(const char *text)
{
    static char *rooms[4];
    static size_t next;
    char **room = &rooms[next++ % 4], *p;

    free(*room);
    *room = strdup(text);
    ck_assert_ptr_nonnull(*room);
    for (p = *room; *p; p++) {
        if (*p == '\'')
            *p = '"';
    }
    return *room;
}

mcphost_schema *
sch_new(const char *text)
{
    const char *json = sch_quoted(text);
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    if (mcphost_schema_compile(schema, json, strlen(json), &err) < 0)
        ck_abort_msg("%s: %s", json, mcphost_error_get_message(err));
    return schema;
}

int
sch_broken(const char *text, const char **ret_why)
{
    static char why[512];
    const char *json = sch_quoted(text);
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    int r;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    r = mcphost_schema_compile(schema, json, strlen(json), &err);
    ck_assert_msg(r < 0, "%s compiles", json);
    ck_assert_ptr_nonnull(err);
    ck_assert_int_eq(mcphost_error_get_code(err), r);
    snprintf(why, sizeof(why), "%s", mcphost_error_get_message(err));
    if (ret_why)
        *ret_why = why;
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL),
                     MCPHOST_E_STATE);
    mcphost_error_unref(err);
    mcphost_schema_unref(schema);
    return r;
}

bool
sch_plainly(mcphost_schema *schema, const char *value)
{
    const char *json = sch_quoted(value);
    struct mcph_span text = mcph_span_str(json), checked, found = MCPH_SPAN_NONE;

    if (!mcph_schema_plainly_fits(schema, text, &found)) {
        ck_assert_ptr_null(found.p);
        return false;
    }
    ck_assert_int_eq(mcph_json_check(text, 0, &checked, NULL), 0);
    ck_assert(mcph_span_eq(checked, found) && checked.p == found.p);
    return true;
}

int
sch_verdict(mcphost_schema *schema, const char *value)
{
    const char *json = sch_quoted(value);
    mcphost_schema_report *report = NULL;
    int r, brief;

    brief = mcphost_schema_validate(schema, json, strlen(json), 0, NULL, NULL);
    r = mcphost_schema_validate(schema, json, strlen(json), 0, &report, NULL);
    ck_assert_int_eq(r, brief);
    if (sch_plainly(schema, value))
        ck_assert_int_eq(r, MCPHOST_SCHEMA_VALID);
    if (r >= 0)
        ck_assert_int_eq(mcphost_schema_report_count_errors(report) > 0, r);
    else
        ck_assert_ptr_null(report);
    mcphost_schema_report_unref(report);
    return r;
}

int
sch_check(const char *text, const char *value)
{
    mcphost_schema *schema = sch_new(text);
    int r = sch_verdict(schema, value);

    mcphost_schema_unref(schema);
    return r;
}

const char *
sch_line(const char *text, const char *value)
{
    static char line[4096];
    const char *json = sch_quoted(value);
    mcphost_schema *schema = sch_new(text);
    mcphost_schema_report *report = NULL;

    ck_assert_int_ge(
        mcphost_schema_validate(schema, json, strlen(json), 0, &report, NULL), 0);
    snprintf(line, sizeof(line), "%s", mcphost_schema_report_get_text(report));
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
    return line;
}
