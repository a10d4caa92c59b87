/* SPDX-License-Identifier: MIT
 *
 * uri.h - the room `uri`: URI templates (RFC 6570, level 4), expanded and matched.
 *
 * Pure functions over texts: nothing here does I/O, knows servers or MCP, or keeps state.
 */
#ifndef MCPH_URI_H
#define MCPH_URI_H

#include "json/json.h"

#define MCPH_URI_MAX           65536 /* bytes of a template or of a URI */
#define MCPH_TEMPLATE_VARS_MAX 256   /* of all expressions */

/* Whether the text may go to a server as a URI.  Nothing is known of the schemes that
 * servers make up: it is UTF-8 of 1 to MCPH_URI_MAX bytes without control characters.
 * 0, MCPHOST_E_INVALID, MCPHOST_E_LIMIT. */
int mcph_uri_check(struct mcph_span uri, mcphost_error **reterr);

/* What the first character of an expression selects (RFC 6570, appendix A). */
struct mcph_template_op {
    const char *first; /* in front of the first value */
    char c, sep;
    bool named;    /* a value has the variable's name in front */
    bool assigns;  /* an empty value has "=" behind the name */
    bool reserved; /* values keep reserved characters and percent escapes */
};

struct mcph_template_var {
    size_t name;     /* index into names */
    unsigned prefix; /* at most so many characters; 0: all */
    bool explode;
};

struct mcph_template_part {
    const struct mcph_template_op *op; /* NULL: a literal */
    struct mcph_span literal;
    size_t first, n; /* variables of an expression */
};

/* Texts are borrowed from the template's text.  `names` has each name once, in the order
 * of their first appearance. */
struct mcph_template {
    struct mcph_span text;
    struct mcph_template_part *parts;
    struct mcph_template_var *vars;
    struct mcph_span *names;
    size_t n_parts, n_vars, n_names;
};

/* Parses a template.  `text` must outlive it.  Returns 0, MCPHOST_E_INVALID,
 * MCPHOST_E_LIMIT, MCPHOST_E_NOMEM; a refusal names the column and the reason. */
int mcph_template_parse(struct mcph_span text, struct mcph_template **ret_template,
                        mcphost_error **reterr);
void mcph_template_free(struct mcph_template *template); /* NULL is allowed */

/* Appends the expansion to `buf`.  `values` is a JSON object, not yet checked, of which
 * other members are passed over.  With `complete` each variable must have a value that is
 * not empty.  Returns 0; MCPHOST_E_INVALID (the error names the variable, or line and
 * column), MCPHOST_E_LIMIT (the URI is too long), MCPHOST_E_NOMEM. */
int mcph_template_expand(const struct mcph_template *template, struct mcph_span values,
                         bool complete, struct mcph_buf *buf, mcphost_error **reterr);

/* Appends the variables of a URI as a JSON object.  Returns 0; MCPHOST_E_NOTFOUND (no
 * expansion of the template is this URI; `buf` is as it was), MCPHOST_E_INVALID (not
 * UTF-8), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_template_match(const struct mcph_template *template, struct mcph_span uri,
                        struct mcph_buf *buf, mcphost_error **reterr);

#endif
