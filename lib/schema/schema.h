/* SPDX-License-Identifier: MIT
 *
 * schema.h - the room `schema`: JSON Schema, compiled once and checked often.
 *
 * A schema is compiled from the bytes of its documents into nodes, one for each
 * subschema; an instance is checked as its author wrote it, so numbers of any size are
 * exact.  Drafts 2020-12, 2019-09, 07, 06 and 04.
 *
 * A compiled schema is immutable and may be used by any number of threads.  What a schema
 * or an instance can make us do is bounded: by depth, by steps, by processor time
 * (budget.c); callouts count what PCRE2 does.
 *
 * This room does no I/O: a document that is not here is asked for by a function of the
 * caller's, or it does not exist.
 */
#ifndef MCPH_SCHEMA_H
#define MCPH_SCHEMA_H

#include "base/base.h"
#include "json/json.h"

#include <mcphost/schema.h>

int mcph_schema_new(mcphost_schema **ret_schema);
mcphost_schema *mcph_schema_ref(mcphost_schema *schema);
mcphost_schema *mcph_schema_unref(mcphost_schema *schema);

/* MCPHOST_E_INVALID: no such option or value; MCPHOST_E_STATE: compiled. */
int mcph_schema_set_option(mcphost_schema *schema, int option, int64_t value);
/* Who is asked for documents.  Takes `arg` over when it succeeds. */
int mcph_schema_set_documents(mcphost_schema *schema, mcphost_schema_document_fn fn,
                              void *arg, mcphost_free_fn free_arg);
int mcph_schema_add_document(mcphost_schema *schema, const char *uri,
                             struct mcph_span json, mcphost_error **reterr);
/* Once; afterwards the schema never changes. */
int mcph_schema_compile(mcphost_schema *schema, struct mcph_span json,
                        mcphost_error **reterr);

/* A flag besides MCPHOST_SCHEMA_*: the instance is a value that mcph_json_check() has
 * accepted, without anything around it. */
#define MCPH_SCHEMA_CHECKED ((uint64_t)1 << 32)

/*
 * Checks an instance.  With `ret_report` NULL it stops at the first error and takes
 * no memory for an instance of a few dozen values.  Returns MCPHOST_SCHEMA_VALID,
 * MCPHOST_SCHEMA_INVALID, or a negative code: the instance is no JSON, has a name
 * twice, a limit was reached, no memory.
 */
int mcph_schema_validate(mcphost_schema *schema, struct mcph_span json, uint64_t flags,
                         mcphost_schema_report **ret_report, mcphost_error **reterr);

/*
 * Whether a text, not checked before, is right and fits, so that nothing is left to be
 * done; then *ret_value is the value without the blank around it.  False says nothing.
 */
bool mcph_schema_plainly_fits(const mcphost_schema *schema, struct mcph_span json,
                              struct mcph_span *ret_value);

/*
 * Whether two checked JSON texts are one value: numbers by what they are worth, strings
 * by what they say, objects in any order.  1 or 0; 0 too for a text with more than
 * `max_values` values and for one that has a name twice.  MCPHOST_E_NOMEM.
 */
int mcph_schema_same(struct mcph_span a, struct mcph_span b, uint32_t max_values);

mcphost_schema_report *mcph_schema_report_ref(mcphost_schema_report *report);
mcphost_schema_report *mcph_schema_report_unref(mcphost_schema_report *report);
size_t mcph_schema_report_count(const mcphost_schema_report *report);
/* One of the texts of an error, NULL past the end. */
enum {
    MCPH_SCHEMA_INSTANCE_PATH,
    MCPH_SCHEMA_SCHEMA_PATH,
    MCPH_SCHEMA_KEYWORD,
    MCPH_SCHEMA_EXPECTED,
    MCPH_SCHEMA_FOUND,
    MCPH_SCHEMA_N_TEXTS
};
const char *mcph_schema_report_text(const mcphost_schema_report *report, size_t index,
                                    int which);
struct mcph_span mcph_schema_report_line(const mcphost_schema_report *report);
struct mcph_span mcph_schema_report_json(const mcphost_schema_report *report);
struct mcph_span mcph_schema_report_instance(const mcphost_schema_report *report);

#endif
