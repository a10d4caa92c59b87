/* SPDX-License-Identifier: MIT
 *
 * uri.h - interface of lib/uri: expand and match URI templates (RFC 6570, level 4).
 *
 * These are pure functions over texts: they do no I/O, know nothing of servers or MCP,
 * and keep no state.
 */
#ifndef MCPH_URI_H
#define MCPH_URI_H

#include "json/json.h"

#define MCPH_URI_MAX           65536 /* limit on the bytes of a template or a URI */
#define MCPH_TEMPLATE_VARS_MAX 256   /* limit on the variables of a template */

/* Checks that a text may be sent to a server as a URI: it must be UTF-8 of 1 to
 * MCPH_URI_MAX bytes without control characters.  The syntax is not checked, because
 * servers invent their own schemes.  Returns 0, MCPHOST_E_INVALID or MCPHOST_E_LIMIT. */
int mcph_uri_check(struct mcph_span uri, mcphost_error **reterr);

/* An operator (RFC 6570, appendix A): `c` is the character with which an expression
 * begins, or NUL in the entry for expressions without an operator. */
struct mcph_template_op {
    const char *first; /* text before the first value in the expansion */
    char c, sep;
    bool named;    /* the variable's name precedes a value */
    bool assigns;  /* an empty value has "=" after the name */
    bool reserved; /* values keep reserved characters and percent escapes */
};

struct mcph_template_var {
    size_t name;     /* index into `names` */
    unsigned prefix; /* limit on the characters of the value; 0 means no limit */
    bool explode;
};

struct mcph_template_part {
    const struct mcph_template_op *op; /* the operator of an expression; NULL for a
                                        * literal */
    struct mcph_span literal;
    size_t first, n; /* `first`: index in `vars` of the expression's first variable;
                      * `n`: number of its variables */
};

/* A parsed template.  The spans point into its text.  `names` has each name once, in the
 * order of first appearance. */
struct mcph_template {
    struct mcph_span text;
    struct mcph_template_part *parts;
    struct mcph_template_var *vars;
    struct mcph_span *names;
    size_t n_parts, n_vars, n_names;
};

/* Parses a template.  `text` must outlive the template.  Returns 0, MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM.  The error for a mistake in the template names
 * line, column and reason. */
int mcph_template_parse(struct mcph_span text, struct mcph_template **ret_template,
                        mcphost_error **reterr);
void mcph_template_free(struct mcph_template *template); /* `template` may be NULL */

/* Appends the expansion to `buf`.  `values` is a JSON object that the function checks.
 * Members of `values` that are not variables are ignored.  If `complete` is true, each
 * variable must have a value that is not empty.  Returns 0, MCPHOST_E_INVALID (`values`
 * is not a JSON object, has a variable twice, or has an unsuitable value),
 * MCPHOST_E_LIMIT (the URI is too long) or MCPHOST_E_NOMEM. */
int mcph_template_expand(const struct mcph_template *template, struct mcph_span values,
                         bool complete, struct mcph_buf *buf, mcphost_error **reterr);

/* Appends the variables of a URI as a JSON object.  Returns 0, MCPHOST_E_NOTFOUND (the
 * URI is not an expansion of the template), MCPHOST_E_INVALID (the URI is not UTF-8),
 * MCPHOST_E_LIMIT or MCPHOST_E_NOMEM.  On failure `buf` is unchanged. */
int mcph_template_match(const struct mcph_template *template, struct mcph_span uri,
                        struct mcph_buf *buf, mcphost_error **reterr);

#endif
