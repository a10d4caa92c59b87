/* SPDX-License-Identifier: MIT
 *
 * template.h - URI templates, RFC 6570 level 4: checked, expanded, matched.
 *
 * A server lists resource templates such as "file:///{+path}{?rev}".  With values for the
 * variables a template becomes a URI, and from such a URI the values can be read again.
 *
 * All operators (none + # . / ; ? &) and both modifiers (:length and *) are known.  A
 * value is a string, number, boolean, list or object of JSON; null and an empty list or
 * object are no value, and the variable leaves nothing in the URI.  Templates and URIs
 * have at most 65536 bytes, a template at most 256 variables.
 *
 * The functions need no host and keep nothing.  Any thread.
 */
#ifndef MCPHOST_TEMPLATE_H
#define MCPHOST_TEMPLATE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_template_check - whether a text is a URI template.
 *
 * `uri_template` has `len` bytes.  *ret_names (may be NULL) gets the names of its
 * variables, each once and in the order of their first appearance, as a JSON array of
 * strings, with a NUL behind it; *ret_len (may be NULL) its length.  It is the caller's,
 * for mcphost_free().
 *
 * Returns 0; MCPHOST_E_INVALID (an argument is NULL, or the text is no template: the
 * error has line, column and the reason); MCPHOST_E_LIMIT; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_template_check(const char *uri_template, size_t len,
                       MCPHOST_NULLABLE MCPHOST_OWNED char **ret_names,
                       MCPHOST_NULLABLE size_t *ret_len,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_template_expand - the URI that a template gives with these values.
 *
 * `values` is a JSON object of `values_len` bytes, with a member for each variable that
 * has a value; NULL stands for {}.  Other members are passed over.  Numbers are written
 * as the JSON spells them.  A prefix counts characters.  In + and #, reserved characters
 * and escapes such as "%20" of a value are kept; a '%' that begins no escape becomes
 * "%25".
 *
 * *ret_uri gets the URI with a NUL behind it, *ret_len (may be NULL) its length.  It is
 * the caller's, for mcphost_free().
 *
 * Returns 0; MCPHOST_E_INVALID (an argument is NULL; the template is none; `values` is
 * no such object; or the error names a variable whose value is a list or an object with
 * another in it, or is one and has a prefix); MCPHOST_E_LIMIT; MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_template_expand(const char *uri_template, size_t len,
                        MCPHOST_NULLABLE const char *values, size_t values_len,
                        MCPHOST_OWNED char **ret_uri, MCPHOST_NULLABLE size_t *ret_len,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_template_match - the values that make a template this URI.
 *
 * *ret_values gets a JSON object with a member for each variable that has a value, with a
 * NUL behind it; *ret_len (may be NULL) its length.  It is the caller's, for
 * mcphost_free().  Expanded with these values the template gives a URI that is equivalent
 * to `uri`: it may differ in the case of escapes and in characters that are escaped in
 * one without need or unescaped in the other against the rules.
 *
 * An exploded variable is an array of strings, or an object if each member has a name of
 * its own.  A variable with a comma that is no part of its value is an array of strings.
 * Any other is a string.  In + and # a list cannot be told from a string: an exploded
 * variable is split at its commas, any other is a string, and what the template would
 * not escape itself stays escaped.
 *
 * Where several values fit, from left to right each variable has a value rather than
 * none, and the shortest with which the rest fits, though an exploded list of ; ? or &
 * takes all members of its name; an expression without operator, or with +, is empty if
 * the rest fits.  In an object no name stands twice.  A variable that stands more than
 * once has one value, and fits only if the one found this way makes all of its places.
 *
 * Returns 0; MCPHOST_E_NOTFOUND (the URI is no expansion of the template);
 * MCPHOST_E_INVALID (an argument is NULL, the template is none, the URI is not UTF-8);
 * MCPHOST_E_LIMIT (also: both together are too long to compare); MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_template_match(const char *uri_template, size_t len, const char *uri,
                       size_t uri_len, MCPHOST_OWNED char **ret_values,
                       MCPHOST_NULLABLE size_t *ret_len,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
