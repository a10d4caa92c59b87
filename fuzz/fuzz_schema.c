/* SPDX-License-Identifier: MIT
 *
 * fuzz_schema.c - compiles a schema and checks values against it.
 *
 * The schema is the bytes up to the first NUL.  The value is the bytes after the NUL.
 * The text of the schema is checked as a value, too.  A compiled schema must give the
 * same answer with and without a report, unless one of the two checks ends with an error.
 * The report must be JSON and match the answer.  Completing a completed value must not
 * change it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "schema/schema.h"

#include <mcphost/mcphost.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_report(const mcphost_schema_report *report)
{
    size_t i, n = mcphost_schema_report_count_errors(report), len;
    const char *json = mcphost_schema_report_get_json(report, &len);

    must(mcph_json_check(mcph_span(json, len), 0, NULL, NULL) == 0);
    must(mcph_json_count(mcph_span(json, len)) == n);
    must(mcph_utf8_valid(mcphost_schema_report_get_text(report),
                         strlen(mcphost_schema_report_get_text(report)), NULL));
    for (i = 0; i < n; i++) {
        must(*mcphost_schema_report_get_schema_path(report, i) != '\0');
        must(*mcphost_schema_report_get_keyword(report, i) != '\0');
    }
}

static void
check_completion(mcphost_schema *schema, struct mcph_span value)
{
    mcphost_schema_report *report = NULL, *again = NULL;
    const char *json, *second;
    size_t len, second_len;
    int r;

    r = mcphost_schema_validate(schema, value.p, value.len, MCPHOST_SCHEMA_DEFAULTS,
                                &report, NULL);
    if (r < 0)
        return;
    json = mcphost_schema_report_get_instance(report, &len);
    must(mcph_json_check(mcph_span(json, len), 0, NULL, NULL) == 0);
    if (mcphost_schema_validate(schema, json, len, MCPHOST_SCHEMA_DEFAULTS, &again,
                                NULL) == r) {
        second = mcphost_schema_report_get_instance(again, &second_len);
        must(second_len == len && memcmp(json, second, len) == 0);
    }
    mcphost_schema_report_unref(again);
    mcphost_schema_report_unref(report);
}

static void
validate(mcphost_schema *schema, struct mcph_span value)
{
    struct mcph_span plain, checked;
    mcphost_schema_report *report = NULL;
    int r = mcphost_schema_validate(schema, value.p, value.len, 0, NULL, NULL), s;

    s = mcphost_schema_validate(schema, value.p, value.len, 0, &report, NULL);
    /* Allow an error in one of the two checks, because the checks take different steps
     * and a limit may stop only one check. */
    must(r == s || r < 0 || s < 0);
    if (mcph_schema_plainly_fits(schema, value, &plain)) {
        must(r == MCPHOST_SCHEMA_VALID || r == MCPHOST_E_LIMIT);
        must(mcph_json_check(value, 0, &checked, NULL) == 0);
        must(plain.p == checked.p && plain.len == checked.len);
    }
    if (s >= 0) {
        must((mcphost_schema_report_count_errors(report) > 0) ==
                 (s == MCPHOST_SCHEMA_INVALID) ||
             strstr(mcphost_schema_report_get_text(report), "more"));
        check_report(report);
        mcphost_schema_report_unref(report);
    } else {
        must(!report);
    }
    check_completion(schema, value);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *split = memchr(text, '\0', size);
    struct mcph_span value = MCPH_SPAN_NONE;
    mcphost_schema *schema = NULL;
    mcphost_error *err = NULL;
    size_t len = split ? (size_t)(split - text) : size;

    if (split)
        value = mcph_span(split + 1, size - len - 1);
    if (mcphost_schema_new(&schema) < 0)
        return 0;
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_FORMATS, size & 1);
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_STEPS, 20000);
    mcphost_schema_set_option(schema, MCPHOST_SCHEMA_OPT_MAX_DEPTH, 200);
    if (mcphost_schema_compile(schema, size ? text : "", len, &err) == 0) {
        must(!err);
        if (value.p)
            validate(schema, value);
        validate(schema, mcph_span(text, len)); /* the text is JSON, because the schema
                                                 * has compiled */
    } else {
        must(err && mcph_utf8_valid(mcphost_error_get_message(err),
                                    strlen(mcphost_error_get_message(err)), NULL));
    }
    mcphost_error_unref(err);
    mcphost_schema_unref(schema);
    return 0;
}
