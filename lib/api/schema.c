/* SPDX-License-Identifier: MIT
 *
 * schema.c - the public functions of <mcphost/schema.h>.
 *
 * The functions check their arguments and call the code in lib/schema.
 */
#include "api/getter.h"
#include "schema/schema.h"

#define FLAGS MCPHOST_SCHEMA_DEFAULTS

int
mcphost_schema_new(mcphost_schema **ret_schema)
{
    return ret_schema ? mcph_schema_new(ret_schema) : MCPHOST_E_INVALID;
}

mcphost_schema *
mcphost_schema_ref(mcphost_schema *schema)
{
    return mcph_schema_ref(schema);
}

mcphost_schema *
mcphost_schema_unref(mcphost_schema *schema)
{
    return mcph_schema_unref(schema);
}

int
mcphost_schema_set_option(mcphost_schema *schema, int option, int64_t value)
{
    return schema ? mcph_schema_set_option(schema, option, value) : MCPHOST_E_INVALID;
}

int
mcphost_schema_set_documents(mcphost_schema *schema, mcphost_schema_document_fn fn,
                             void *arg, mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (schema && fn)
        r = mcph_schema_set_documents(schema, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_schema_add_document(mcphost_schema *schema, const char *uri, const char *json,
                            size_t len, mcphost_error **reterr)
{
    if (!schema || !uri || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_schema_add_document(schema, uri, mcph_span(json, len), reterr);
}

int
mcphost_schema_compile(mcphost_schema *schema, const char *json, size_t len,
                       mcphost_error **reterr)
{
    if (!schema || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_schema_compile(schema, mcph_span(json, len), reterr);
}

int
mcphost_schema_validate(mcphost_schema *schema, const char *json, size_t len,
                        uint64_t flags, mcphost_schema_report **ret_report,
                        mcphost_error **reterr)
{
    if (!schema || !json)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (flags & ~(uint64_t)FLAGS)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an unknown flag is set");
    return mcph_schema_validate(schema, mcph_span(json, len), flags, ret_report, reterr);
}

/* ---- reports ----------------------------------------------------------------------- */

mcphost_schema_report *
mcphost_schema_report_ref(mcphost_schema_report *report)
{
    return mcph_schema_report_ref(report);
}

mcphost_schema_report *
mcphost_schema_report_unref(mcphost_schema_report *report)
{
    return mcph_schema_report_unref(report);
}

MCPH_GETTER(size_t, mcphost_schema_report_count_errors, const mcphost_schema_report *,
            mcph_schema_report_count(self))

static const char *
report_text(const mcphost_schema_report *report, size_t index, int which)
{
    return report ? mcph_schema_report_text(report, index, which) : NULL;
}

const char *
mcphost_schema_report_get_instance_path(const mcphost_schema_report *report, size_t index)
{
    return report_text(report, index, MCPH_SCHEMA_INSTANCE_PATH);
}

const char *
mcphost_schema_report_get_schema_path(const mcphost_schema_report *report, size_t index)
{
    return report_text(report, index, MCPH_SCHEMA_SCHEMA_PATH);
}

const char *
mcphost_schema_report_get_keyword(const mcphost_schema_report *report, size_t index)
{
    return report_text(report, index, MCPH_SCHEMA_KEYWORD);
}

const char *
mcphost_schema_report_get_expected(const mcphost_schema_report *report, size_t index)
{
    return report_text(report, index, MCPH_SCHEMA_EXPECTED);
}

const char *
mcphost_schema_report_get_found(const mcphost_schema_report *report, size_t index)
{
    return report_text(report, index, MCPH_SCHEMA_FOUND);
}

MCPH_GETTER(const char *, mcphost_schema_report_get_text, const mcphost_schema_report *,
            mcph_schema_report_line(self).p)
MCPH_GETTER_TEXT(mcphost_schema_report_get_json, const mcphost_schema_report *,
                 mcph_schema_report_json(self))
MCPH_GETTER_TEXT(mcphost_schema_report_get_instance, const mcphost_schema_report *,
                 mcph_schema_report_instance(self))
