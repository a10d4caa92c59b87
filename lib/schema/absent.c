/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of lib/schema, for a build with --disable-schema.
 *
 * The other folders of lib/ check no value against a schema in this build.  Arguments
 * only have to be a JSON object, or any JSON with MCPHOST_ARGUMENTS_OFF.  Structured
 * content only has to be JSON.
 */
#include <string.h>

#include "schema/schema.h"

const bool mcph_schema_is_built = false;

int
mcph_schema_new(mcphost_schema **ret_schema)
{
    (void)ret_schema;
    return MCPHOST_E_UNSUPPORTED;
}

mcphost_schema *
mcph_schema_ref(mcphost_schema *schema)
{
    (void)schema;
    return NULL;
}

mcphost_schema *
mcph_schema_unref(mcphost_schema *schema)
{
    (void)schema;
    return NULL;
}

int
mcph_schema_set_option(mcphost_schema *schema, int option, int64_t value)
{
    (void)schema;
    (void)option;
    (void)value;
    return MCPHOST_E_UNSUPPORTED;
}

int
mcph_schema_set_documents(mcphost_schema *schema, mcphost_schema_document_fn fn,
                          void *arg, mcphost_free_fn free_arg)
{
    (void)schema;
    (void)fn;
    (void)arg;
    (void)free_arg;
    return MCPHOST_E_UNSUPPORTED;
}

int
mcph_schema_add_document(mcphost_schema *schema, const char *uri, struct mcph_span json,
                         mcphost_error **reterr)
{
    (void)schema;
    (void)uri;
    (void)json;
    (void)reterr;
    return MCPHOST_E_UNSUPPORTED;
}

int
mcph_schema_compile(mcphost_schema *schema, struct mcph_span json, mcphost_error **reterr)
{
    (void)schema;
    (void)json;
    (void)reterr;
    return MCPHOST_E_UNSUPPORTED;
}

int
mcph_schema_validate(mcphost_schema *schema, struct mcph_span json, uint64_t flags,
                     mcphost_schema_report **ret_report, mcphost_error **reterr)
{
    (void)schema;
    (void)json;
    (void)flags;
    (void)ret_report;
    (void)reterr;
    return MCPHOST_SCHEMA_VALID;
}

bool
mcph_schema_plainly_fits(const mcphost_schema *schema, struct mcph_span json,
                         struct mcph_span *ret_value)
{
    (void)schema;
    (void)json;
    (void)ret_value;
    return false;
}

int
mcph_schema_same(struct mcph_span a, struct mcph_span b, uint32_t max_values)
{
    (void)max_values;
    /* Texts with other blanks or another order of members count as different. */
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

mcphost_schema_report *
mcph_schema_report_ref(mcphost_schema_report *report)
{
    (void)report;
    return NULL;
}

mcphost_schema_report *
mcph_schema_report_unref(mcphost_schema_report *report)
{
    (void)report;
    return NULL;
}

size_t
mcph_schema_report_count(const mcphost_schema_report *report)
{
    (void)report;
    return 0;
}

const char *
mcph_schema_report_text(const mcphost_schema_report *report, size_t index, int which)
{
    (void)report;
    (void)index;
    (void)which;
    return NULL;
}

struct mcph_span
mcph_schema_report_line(const mcphost_schema_report *report)
{
    (void)report;
    return mcph_span(NULL, 0);
}

struct mcph_span
mcph_schema_report_json(const mcphost_schema_report *report)
{
    (void)report;
    return mcph_span(NULL, 0);
}

struct mcph_span
mcph_schema_report_instance(const mcphost_schema_report *report)
{
    (void)report;
    return mcph_span(NULL, 0);
}
