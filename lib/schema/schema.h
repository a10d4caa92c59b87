/* SPDX-License-Identifier: MIT
 *
 * schema.h - interface of lib/schema: compile a JSON Schema once, check many values.
 *
 * A schema is compiled from the bytes of its documents into nodes, one for each
 * subschema.  A value is checked as its author wrote it.  Numbers of any size are exact.
 * The supported drafts are 2020-12, 2019-09, 07, 06 and 04.
 *
 * A compiled schema is immutable and may be used by any number of threads.  The work that
 * a schema or a value can cause is bounded by depth, by steps and by processor time
 * (budget.c).  Callouts or a match limit bound the work of PCRE2.
 *
 * lib/schema does no I/O.  The caller's function supplies documents that were not added.
 * Without that function, references to missing documents fail.
 */
#ifndef MCPH_SCHEMA_H
#define MCPH_SCHEMA_H

#include "base/base.h"
#include "json/json.h"

#include <mcphost/schema.h>

/* False if the library was built without JSON Schema (--disable-schema).  The library
 * then checks no values. */
extern const bool mcph_schema_is_built;

int mcph_schema_new(mcphost_schema **ret_schema);
mcphost_schema *mcph_schema_ref(mcphost_schema *schema);
mcphost_schema *mcph_schema_unref(mcphost_schema *schema);

/* Sets an option.  Returns MCPHOST_E_INVALID for an unknown option or value, or
 * MCPHOST_E_STATE if the compilation has begun. */
int mcph_schema_set_option(mcphost_schema *schema, int option, int64_t value);
/* Sets the function that supplies missing documents.  If the call succeeds, the schema
 * owns `arg`. */
int mcph_schema_set_documents(mcphost_schema *schema, mcphost_schema_document_fn fn,
                              void *arg, mcphost_free_fn free_arg);
int mcph_schema_add_document(mcphost_schema *schema, const char *uri,
                             struct mcph_span json, mcphost_error **reterr);
/* Compiles the schema.  Call this function once.  After this call the schema never
 * changes. */
int mcph_schema_compile(mcphost_schema *schema, struct mcph_span json,
                        mcphost_error **reterr);

/* A flag of mcph_schema_validate() in addition to MCPHOST_SCHEMA_*.  The flag says that
 * mcph_json_check() has already accepted the value and that no blanks surround the
 * value. */
#define MCPH_SCHEMA_CHECKED ((uint64_t)1 << 32)

/*
 * Checks a value.  If `ret_report` is NULL, the check stops at the first error and
 * usually allocates no memory for a value of a few dozen items.  Returns
 * MCPHOST_SCHEMA_VALID, MCPHOST_SCHEMA_INVALID, or a negative code if the schema is not
 * compiled, the value is not JSON, an object has a name twice, a limit was reached or
 * there is no memory.
 */
int mcph_schema_validate(mcphost_schema *schema, struct mcph_span json, uint64_t flags,
                         mcphost_schema_report **ret_report, mcphost_error **reterr);

/*
 * Runs a fast check (plain.c) on a text that was not checked before.  Returns true if the
 * text is valid JSON and fits the schema.  In this case, *ret_value is the value without
 * surrounding blanks.  If the function returns false, the text may still fit: use
 * mcph_schema_validate().
 */
bool mcph_schema_plainly_fits(const mcphost_schema *schema, struct mcph_span json,
                              struct mcph_span *ret_value);

/*
 * Compares two checked JSON texts: numbers by value, strings by their decoded texts,
 * objects in any order of members.  Returns 1 if the texts are equal, else 0.  If a text
 * has more than `max_values` values and names, or an object has a name twice, returns 1
 * only if the texts are equal byte by byte.  A build without JSON Schema compares all
 * texts byte by byte.  Returns MCPHOST_E_NOMEM if there is no memory.
 */
int mcph_schema_same(struct mcph_span a, struct mcph_span b, uint32_t max_values);

mcphost_schema_report *mcph_schema_report_ref(mcphost_schema_report *report);
mcphost_schema_report *mcph_schema_report_unref(mcphost_schema_report *report);
size_t mcph_schema_report_count(const mcphost_schema_report *report);
/* The texts of one error.  mcph_schema_report_text() returns NULL past the last error. */
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
