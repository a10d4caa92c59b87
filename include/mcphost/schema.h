/* SPDX-License-Identifier: MIT
 *
 * schema.h - JSON Schema: compile a schema once, check many values.
 *
 * The library knows the drafts 2020-12, 2019-09, 07, 06 and 04.  Without `$schema`, the
 * draft is 2020-12 or the draft that MCPHOST_SCHEMA_OPT_DRAFT sets.  The library fetches
 * nothing: a reference leads to a place in the schema itself, to a meta-schema of a
 * draft, or to a document that the application supplied.  Numbers of any size are
 * compared and divided exactly.
 *
 * A schema needs no host.  One thread sets the schema up and compiles it.  A compiled
 * schema is immutable.  Any number of threads may use it at once.
 */
#ifndef MCPHOST_SCHEMA_H
#define MCPHOST_SCHEMA_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The decision of a schema about a value.  Since: 0.1 */
enum mcphost_schema_verdict {
    MCPHOST_SCHEMA_VALID = 0,  /* the value fits the schema */
    MCPHOST_SCHEMA_INVALID = 1 /* the value does not fit the schema */
};

/* Options of a schema, set before it is compiled.  Since: 0.1 */
enum mcphost_schema_option {
    /* the draft of documents without `$schema`: one of MCPHOST_SCHEMA_DRAFT_*, by default
     * MCPHOST_SCHEMA_DRAFT_2020_12 */
    MCPHOST_SCHEMA_OPT_DRAFT = 1,
    /* whether `format` is checked: 1 for yes, 0 (the default) for no */
    MCPHOST_SCHEMA_OPT_FORMATS = 2,
    /* the greatest number of errors in a report: 1 to 1000, default 10 */
    MCPHOST_SCHEMA_OPT_MAX_ERRORS = 3,
    /* the deepest nesting of subschemas while a value is checked: 16 to 8192, default
     * 1024; each level takes half a kilobyte of stack */
    MCPHOST_SCHEMA_OPT_MAX_DEPTH = 4,
    /* the limit on the steps of compiling, and on the steps of one check: default
     * 10,000,000.  In one step the library applies a subschema, compares a few values,
     * tries an item of a pattern, or reads a few dozen bytes. */
    MCPHOST_SCHEMA_OPT_MAX_STEPS = 5,
    /* the limit on the processor time of compiling, and on that of one check, in
     * milliseconds: default 1000, -1 for no limit */
    MCPHOST_SCHEMA_OPT_MAX_MS = 6,
    /* the limit on the total bytes of all documents of the schema: default 8 MiB */
    MCPHOST_SCHEMA_OPT_MAX_SIZE = 7,
    /* the limit on the total subschemas of all documents: default 100,000 */
    MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS = 8,
    /* the limit on the values and names of members in a value to be checked: default
     * 4,000,000 */
    MCPHOST_SCHEMA_OPT_MAX_VALUES = 9
};

/* Drafts of JSON Schema.  Since: 0.1 */
enum mcphost_schema_draft {
    MCPHOST_SCHEMA_DRAFT_4 = 4,          /* draft-04 */
    MCPHOST_SCHEMA_DRAFT_6 = 6,          /* draft-06 */
    MCPHOST_SCHEMA_DRAFT_7 = 7,          /* draft-07 */
    MCPHOST_SCHEMA_DRAFT_2019_09 = 2019, /* 2019-09 */
    MCPHOST_SCHEMA_DRAFT_2020_12 = 2020  /* 2020-12 */
};

/* Flags of mcphost_schema_validate().  Since: 0.1 */
enum mcphost_schema_flag {
    MCPHOST_SCHEMA_DEFAULTS = 1 /* before the check, add missing members with a default */
};

/*
 * mcphost_schema_new - make a schema that is not compiled yet.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOMEM, MCPHOST_E_UNSUPPORTED (the library was
 *   built without JSON Schema).
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_new(MCPHOST_OWNED mcphost_schema **ret_schema);

/* Takes a reference to `schema`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_schema *
mcphost_schema_ref(MCPHOST_NULLABLE mcphost_schema *schema);

/* Drops a reference to `schema`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_schema *
mcphost_schema_unref(MCPHOST_NULLABLE mcphost_schema *schema);

/*
 * mcphost_schema_set_option - set an option of the schema.
 *
 * `option` is MCPHOST_SCHEMA_OPT_*.
 *
 * Errors: MCPHOST_E_INVALID (`option` is unknown, or the value is out of range),
 *   MCPHOST_E_STATE (mcphost_schema_compile() has been called).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_set_option(mcphost_schema *schema, int option,
                                          int64_t value);

/*
 * mcphost_schema_document_fn - supply a document that was not added.
 *
 * The function runs inside mcphost_schema_compile(), on the thread that called
 * mcphost_schema_compile().  The library calls this function if a reference or `$schema`
 * leads to a document that was not added and that is not a meta-schema of the library.
 * `uri` is the document's absolute URI without a fragment.  The function adds the
 * document with mcphost_schema_add_document() under this URI.  If the document is still
 * missing after the call, the schema does not compile.
 *
 * Returns: 0 if the document was added, else another value.  The library ignores the
 *   value: it looks for the document.
 * Since: 0.1
 */
typedef int (*mcphost_schema_document_fn)(mcphost_schema *schema, const char *uri,
                                          MCPHOST_NULLABLE void *arg);

/*
 * mcphost_schema_set_documents - set the function that supplies documents.
 *
 * The function `fn` replaces the function that was set before.  Without a function, a
 * schema with a reference to a document that was not added does not compile.
 *
 * The library takes ownership of `arg`, even if this function fails.  `free_arg` runs
 * once: when the schema is compiled or freed, when another function is set, or, if this
 * function fails, before it returns.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_STATE (mcphost_schema_compile() has been called).
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int mcphost_schema_set_documents(mcphost_schema *schema,
                                             mcphost_schema_document_fn fn,
                                             MCPHOST_NULLABLE void *arg,
                                             MCPHOST_NULLABLE mcphost_free_fn free_arg);

/*
 * mcphost_schema_add_document - add a document that references may lead to.
 *
 * Call this function before mcphost_schema_compile(), or in a
 * mcphost_schema_document_fn.  `uri` is the absolute URI of the document.  If the
 * document has another URI in `$id`, both URIs lead to the document.  `json` is a text of
 * `len` bytes.  The function copies the text.
 *
 * Errors: MCPHOST_E_INVALID (the URI is not absolute or has a fragment, the text is not
 *   JSON, or an object has a name twice), MCPHOST_E_EXISTS (there is a document with this
 *   URI), MCPHOST_E_LIMIT (the documents are larger than MCPHOST_SCHEMA_OPT_MAX_SIZE, the
 *   text is nested deeper than 512 levels, or the schema is being compiled and reaches
 *   MCPHOST_SCHEMA_OPT_MAX_STEPS), MCPHOST_E_TIMEOUT (the schema is being compiled, and
 *   this takes longer than MCPHOST_SCHEMA_OPT_MAX_MS), MCPHOST_E_STATE (the schema is
 *   compiled, or its compilation has failed), MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_add_document(mcphost_schema *schema, const char *uri, const char *json,
                            size_t len,
                            MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_schema_compile - compile the schema from its JSON.
 *
 * `json` is a text of `len` bytes.  The function copies the text.  A schema is compiled
 * only once.  If compiling fails, the schema can only be released.  The message of an
 * error names the place in the schema, such as "#/properties/a/minLength".
 *
 * Errors: MCPHOST_E_INVALID (the text is not JSON, an object has a name twice, a schema
 *   is neither an object nor a boolean, a keyword has a value that the draft does not
 *   allow, a pattern is not a regular expression, an `$id` or an anchor occurs twice, the
 *   draft is not known, or the meta-schema requires a vocabulary that is not known),
 *   MCPHOST_E_NOTFOUND (a reference has no target), MCPHOST_E_LIMIT (the text is nested
 *   deeper than 512 levels, a URI is longer than 65,536 bytes, or
 *   MCPHOST_SCHEMA_OPT_MAX_SIZE, MCPHOST_SCHEMA_OPT_MAX_SUBSCHEMAS or
 *   MCPHOST_SCHEMA_OPT_MAX_STEPS is reached), MCPHOST_E_TIMEOUT (compiling takes longer
 *   than MCPHOST_SCHEMA_OPT_MAX_MS), MCPHOST_E_STATE (the function was called before),
 *   MCPHOST_E_NOMEM.
 * Thread: one thread at a time.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_compile(mcphost_schema *schema, const char *json, size_t len,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_schema_validate - check a value.
 *
 * `json` is a text of `len` bytes.  If `ret_report` is NULL, the check stops at the first
 * error.  Otherwise *ret_report gets a report.  The report has no errors if the value is
 * valid.
 *
 * `flags` is 0 or MCPHOST_SCHEMA_DEFAULTS.  With this flag, missing members for which the
 * schema has a `default` are added before the check.  The value at `json` is not changed.
 * mcphost_schema_report_get_instance() returns the completed value.
 *
 * Returns: MCPHOST_SCHEMA_VALID (0) or MCPHOST_SCHEMA_INVALID (1).
 * Errors: MCPHOST_E_INVALID (a flag is not known, the text is not JSON, or an object has
 *   a name twice), MCPHOST_E_STATE (the schema is not compiled), MCPHOST_E_LIMIT (the
 *   value is nested deeper than 512 levels, MCPHOST_SCHEMA_OPT_MAX_VALUES,
 *   MCPHOST_SCHEMA_OPT_MAX_STEPS or MCPHOST_SCHEMA_OPT_MAX_DEPTH is reached, a pattern
 *   takes too long for a string, the schema refers to itself without end, the value is
 *   too large with its defaults, or defaults add further defaults without end),
 *   MCPHOST_E_TIMEOUT (the check takes longer than MCPHOST_SCHEMA_OPT_MAX_MS),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_schema_validate(mcphost_schema *schema, const char *json, size_t len,
                        uint64_t flags,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_schema_report **ret_report,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* ---- reports --------------------------------------------------------------------------
 *
 * A mcphost_schema_report describes the errors in a value.  It is immutable.
 */

/* Takes a reference to `report`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_schema_report *
mcphost_schema_report_ref(MCPHOST_NULLABLE mcphost_schema_report *report);

/* Drops a reference to `report`.  Returns: NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_schema_report *
mcphost_schema_report_unref(MCPHOST_NULLABLE mcphost_schema_report *report);

/* Returns the number of errors in the report, at most MCPHOST_SCHEMA_OPT_MAX_ERRORS.
 * Since: 0.1 */
MCPHOST_API size_t
mcphost_schema_report_count_errors(const mcphost_schema_report *report);

/* Returns the place of an error in the value, as a JSON pointer ("" for the whole value),
 * or NULL if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_instance_path(const mcphost_schema_report *report,
                                        size_t index);

/* Returns the place, in the schema, of the keyword that the value violates, as a URI
 * reference such as "#/properties/a/type", or NULL if `index` is past the end.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_schema_path(const mcphost_schema_report *report, size_t index);

/* Returns the keyword that the value violates ("false" for a schema that no value fits),
 * or NULL if `index` is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_keyword(const mcphost_schema_report *report, size_t index);

/* Returns a phrase in English that describes the expected value, or NULL if `index` is
 * past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_expected(const mcphost_schema_report *report, size_t index);

/* Returns a phrase in English that describes the value that was found, or NULL if `index`
 * is past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_found(const mcphost_schema_report *report, size_t index);

/* Returns the errors of the report in one line of English, for a model or a person, or ""
 * if the value is valid.  If the report leaves out errors, the line ends with their
 * number, as in "and 3 more".  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_text(const mcphost_schema_report *report);

/* Returns the errors of the report as a JSON array of objects with the members
 * instancePath, schemaPath, keyword, expected and found.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_json(const mcphost_schema_report *report,
                               MCPHOST_NULLABLE size_t *ret_len);

/* Returns the value that was checked, completed with the defaults of the schema, or NULL
 * if mcphost_schema_validate() was called without MCPHOST_SCHEMA_DEFAULTS.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_schema_report_get_instance(const mcphost_schema_report *report,
                                   MCPHOST_NULLABLE size_t *ret_len);

#ifdef __cplusplus
}
#endif
#endif
