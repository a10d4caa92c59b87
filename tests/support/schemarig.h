/* SPDX-License-Identifier: MIT
 *
 * schemarig.h - schemas and values for tests, written with ' in place of ".
 */
#ifndef TESTS_SUPPORT_SCHEMARIG_H
#define TESTS_SUPPORT_SCHEMARIG_H

#include <stdbool.h>

#include <mcphost/mcphost.h>

/* Returns the text with each ' replaced by ".  The result is valid until the fourth later
 * call. */
const char *sch_quoted(const char *text);

/* Compiles a schema.  The test fails if the schema does not compile. */
mcphost_schema *sch_new(const char *text);
/* Checks that a schema does not compile.  Returns the error code.  *ret_why becomes the
 * error's message unless `ret_why` is NULL.  The message is valid until the next call. */
int sch_broken(const char *text, const char **ret_why);
/* Validates a value with a report and without a report.  The two results must be equal.
 * A value that passes the fast check (mcph_schema_plainly_fits()) must be valid.  Returns
 * MCPHOST_SCHEMA_VALID, MCPHOST_SCHEMA_INVALID or an error code. */
int sch_verdict(mcphost_schema *schema, const char *value);
/* Returns the result of the fast check alone. */
bool sch_plainly(mcphost_schema *schema, const char *value);
/* Compiles a schema and validates a value against it.  Returns the result of
 * sch_verdict(). */
int sch_check(const char *schema, const char *value);
/* Returns the text of the report about a value.  The text is valid until the next
 * call. */
const char *sch_line(const char *schema, const char *value);

#endif
