/* SPDX-License-Identifier: MIT
 *
 * schema.h - JSON Schema: compile once, check many values.
 *
 * Drafts 2020-12 (unless the schema or an option says otherwise), 2019-09, 07, 06 and
 * 04.  Nothing is ever fetched: a reference leads to a place in the schema itself, to
 * one of the drafts' own meta-schemas, or to a document that the application supplied.
 * Numbers are compared and divided exactly, whatever their size.
 *
 * A schema needs no host.  It is set up and compiled by one thread; from then on it is
 * immutable and may be used by any number of threads at once.  See mcphost_schema(3).
 */
#ifndef MCPHOST_SCHEMA_H
#define MCPHOST_SCHEMA_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a schema says of a value.  Since: 0.1 */
enum mcphost_schema_verdict { MCPHOST_SCHEMA_VALID = 0, MCPHOST_SCHEMA_INVALID = 1 };

/* Options, set before the schema is compiled.  Since: 0.1 */
enum mcphost_schema_option {
    /* The draft of documents without `$schema`: one of MCPHOST_SCHEMA_DRAFT_*
     * (default 2020-12). */
    MCPHOST_SCHEMA_OPT_DRAFT = 1,
    /* 1: `format` is checked; 0: it is not (default). */
    MCPHOST_SCHEMA_OPT_FORMATS = 2,
    /* Errors in a report, 1 to 1000 (default 10). */
    MCPHOST_SCHEMA_OPT_MAX_ERRORS = 3,
    /* Subschemas within each other while a value is checked, 16 to 8192 (default
     * 1024); each takes half a kilobyte of stack. */
    MCPHOST_SCHEMA_OPT_MAX_DEPTH = 4,
    /* Steps of compiling, and of one check (default 10,000,000): subschemas applied,
     * values compared, items of patterns tried, dozens of bytes looked at. */
    MCPHOST_SCHEMA_OPT_MAX_STEPS = 5,
    /* Milliseconds of processor time of compiling, and of one check, -1 for no limit
     * (default 1000). */
    MCPHOST_SCHEMA_OPT_MAX_MS = 6,
    /* Bytes of all documents of the schema together (default 8 MiB). */
    MCPHOST_SCHEMA_OPT_MAX_SIZE = 7,
    /* Subschemas of all documents together (default 100,000). */
    MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS = 8,
    /* Values, names counted too, in a value to be checked (default 4,000,000). */
    MCPHOST_SCHEMA_OPT_MAX_VALUES = 9
};

/* Drafts of JSON Schema.  Since: 0.1 */
enum mcphost_schema_draft {
    MCPHOST_SCHEMA_DRAFT_4 = 4,
    MCPHOST_SCHEMA_DRAFT_6 = 6,
    MCPHOST_SCHEMA_DRAFT_7 = 7,
    MCPHOST_SCHEMA_DRAFT_2019_09 = 2019,
    MCPHOST_SCHEMA_DRAFT_2020_12 = 2020
};

/* Flags of mcphost_schema_validate().  Since: 0.1 */
enum mcphost_schema_flag { MCPHOST_SCHEMA_DEFAULTS = 1 /* complete the value first */ };

/*
 * mcphost_schema_new - a schema that is not compiled yet.
 *
 * *ret_schema gets a reference for the caller.  Any thread.
 *
 * Returns 0, MCPHOST_E_INVALID when ret_schema is NULL, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_new(MCPHOST_OWNED mcphost_schema **ret_schema);

/* Takes a reference.  Returns its argument; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_schema *
mcphost_schema_ref(MCPHOST_NULLABLE mcphost_schema *schema);

/* Drops a reference.  Returns NULL; NULL is allowed.  Any thread.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_schema *
mcphost_schema_unref(MCPHOST_NULLABLE mcphost_schema *schema);

/*
 * mcphost_schema_set_option - set one of MCPHOST_SCHEMA_OPT_*.
 *
 * Not from two threads at once.
 *
 * Returns 0, MCPHOST_E_INVALID for an unknown option or a value outside of its range,
 * MCPHOST_E_STATE once mcphost_schema_compile() has been called.
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_set_option(mcphost_schema *schema, int option,
                                          int64_t value);

/*
 * Supplies the document `uri` (absolute, without fragment) that a reference or `$schema`
 * names and that was not added.  Adds it with mcphost_schema_add_document() under that
 * name and returns 0; any other value, or no such document added, makes the schema fail
 * to compile.  Runs inside mcphost_schema_compile(), on its thread.
 * Since: 0.1
 */
typedef int (*mcphost_schema_document_fn)(mcphost_schema *schema, const char *uri,
                                          MCPHOST_NULLABLE void *arg);

/*
 * mcphost_schema_set_documents - set the function that supplies documents.
 *
 * Without it, references to documents that were not added fail.  Takes over `arg`
 * whatever it returns: `free_arg` (may be NULL) runs once, when the schema is compiled
 * or freed, when another function is set, or before this returns if it fails.
 *
 * Returns 0, MCPHOST_E_INVALID when an argument is NULL, MCPHOST_E_STATE once compiled.
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_set_documents(mcphost_schema *schema,
                                             mcphost_schema_document_fn fn,
                                             MCPHOST_NULLABLE void *arg,
                                             MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_schema_add_document - a document that references may lead to.
 *
 * Before mcphost_schema_compile(), or from the function above.  `uri` is its name
 * unless the document has another one in `$id`; both lead to it then.  The bytes are
 * copied.
 *
 * Returns 0, MCPHOST_E_INVALID (no absolute URI, not JSON, a name twice in an
 * object), MCPHOST_E_EXISTS when there is a document of that name, MCPHOST_E_LIMIT,
 * MCPHOST_E_STATE, MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_add_document(mcphost_schema *schema, const char *uri, const char *json,
                            size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_schema_compile - make the schema from its JSON.
 *
 * The bytes are copied.  Once for each schema, also when it fails: a schema that did
 * not compile can only be dropped.  The message of an error names the place in the
 * schema ("#/properties/a/minLength").
 *
 * Returns 0; MCPHOST_E_INVALID: not JSON, a name twice in an object, a keyword's value
 * that its draft does not allow, a pattern that is no regular expression, a draft that
 * is not known; MCPHOST_E_NOTFOUND: a reference leads nowhere; MCPHOST_E_LIMIT;
 * MCPHOST_E_STATE: compiled before; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_compile(mcphost_schema *schema, const char *json, size_t len,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_schema_validate - check a value.
 *
 * With `ret_report` NULL it stops at the first error.  Else *ret_report gets a
 * reference for the caller, for a valid value too: a report without errors.
 * MCPHOST_SCHEMA_DEFAULTS: members that are missing and that a schema has a `default`
 * for are put in first, in copies: mcphost_schema_report_get_instance() has the
 * completed value.  Any thread.
 *
 * Returns MCPHOST_SCHEMA_VALID (0) or MCPHOST_SCHEMA_INVALID (1); MCPHOST_E_INVALID:
 * an argument is NULL, an unknown flag, not JSON, or a name stands twice in an object;
 * MCPHOST_E_STATE: the schema is not compiled; MCPHOST_E_LIMIT: the value or the work
 * is larger than allowed, a pattern takes too long, or the schema refers to itself
 * without end; MCPHOST_E_TIMEOUT: MAX_MS passed; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_validate(mcphost_schema *schema, const char *json, size_t len,
                        uint64_t flags,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_schema_report **ret_report,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_schema_report - what is wrong with a value.
 *
 * Immutable and reference-counted; strings are borrowed from it.  Any thread.
 * Since: 0.1
 */

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_schema_report *
mcphost_schema_report_ref(MCPHOST_NULLABLE mcphost_schema_report *report);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_schema_report *
mcphost_schema_report_unref(MCPHOST_NULLABLE mcphost_schema_report *report);

/* The number of errors; at most MCPHOST_SCHEMA_OPT_MAX_ERRORS.  Since: 0.1 */
MCPHOST_API size_t
mcphost_schema_report_count_errors(const mcphost_schema_report *report);

/* Of one error: the place in the value as a JSON pointer ("" for all of it), the place
 * in the schema as a URI reference ("#/properties/a/type"), the keyword, and in
 * English what was expected and what was found.  NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_instance_path(const mcphost_schema_report *report,
                                        size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_schema_path(const mcphost_schema_report *report, size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_keyword(const mcphost_schema_report *report, size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_expected(const mcphost_schema_report *report, size_t index);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_found(const mcphost_schema_report *report, size_t index);

/* All errors in one line of English, for a model or a person; "" when there is none.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_text(const mcphost_schema_report *report);

/* All errors as a JSON array of objects with the members instancePath, schemaPath,
 * keyword, expected and found; *ret_len gets its length.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_json(const mcphost_schema_report *report,
                               MCPHOST_NULLABLE size_t *ret_len);

/* The value with its defaults, when MCPHOST_SCHEMA_DEFAULTS was asked for, else NULL;
 * *ret_len gets its length.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_instance(const mcphost_schema_report *report,
                                   MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
