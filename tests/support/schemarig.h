/* SPDX-License-Identifier: MIT
 *
 * schemarig.h - schemas and values for tests, written with ' in place of ".
 */
#ifndef TESTS_SUPPORT_SCHEMARIG_H
#define TESTS_SUPPORT_SCHEMARIG_H

#include <stdbool.h>

#include <mcphost/mcphost.h>

/* The text with each ' replaced by ".  Valid until the fourth call after this one. */
const char *sch_quoted(const char *text);

/* Compiles a schema, which must succeed. */
mcphost_schema *sch_new(const char *text);
/* Compiles a schema, which must fail.  Returns the code.  *ret_why is the message, valid
 * until the next call. */
int sch_broken(const char *text, const char **ret_why);
/* Validates a value, with a report, without one, and with the fast check.  All must
 * agree.  Returns MCPHOST_SCHEMA_VALID, MCPHOST_SCHEMA_INVALID or an error code. */
int sch_verdict(mcphost_schema *schema, const char *value);
bool sch_plainly(mcphost_schema *schema, const char *value); /* only the fast check */
/* Compiles a schema and validates a value against it. */
int sch_check(const char *schema, const char *value);
/* The text of the report about a value.  Valid until the next call. */
const char *sch_line(const char *schema, const char *value);

#endif
