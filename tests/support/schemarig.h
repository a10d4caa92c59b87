/* SPDX-License-Identifier: MIT
 *
 * schemarig.h - schemas and values for tests, written with ' for ".
 */
#ifndef TESTS_SUPPORT_SCHEMARIG_H
#define TESTS_SUPPORT_SCHEMARIG_H

#include <stdbool.h>

#include <mcphost/mcphost.h>

/* The text with every ' made a "; one of four rooms, used in turn. */
const char *sch_quoted(const char *text);

/* Must compile. */
mcphost_schema *sch_new(const char *text);
/* Must not: returns the code, and the message in *ret_why, good until the next one. */
int sch_broken(const char *text, const char **ret_why);
/* What a schema says of a value; with a report, without it and at sight it must be the
 * same. */
int sch_verdict(mcphost_schema *schema, const char *value);
bool sch_plainly(mcphost_schema *schema, const char *value); /* it fits at sight */
/* A schema, and what it says of a value. */
int sch_check(const char *schema, const char *value);
/* The report's line, good until the next one. */
const char *sch_line(const char *schema, const char *value);

#endif
