/* SPDX-License-Identifier: MIT
 *
 * template.h - check, expand and match URI templates (RFC 6570, level 4).
 *
 * A server lists resource templates such as "file:///{+path}{?rev}".  A template with
 * values for its variables gives a URI.  From a URI and its template, the values can be
 * read back.
 *
 * All operators (none + # . / ; ? &) and both modifiers (:length and *) are supported.  A
 * variable with `*` is called exploded.  A value is a string, number, boolean, list or
 * object of JSON.  A null is no value, and neither is a list or object that is empty or
 * holds only nulls.  A variable without a value adds nothing to the URI.
 *
 * A template and a URI have at most 65,536 bytes, and a template has at most 256
 * variables.  The functions need no host and keep nothing.  Any thread may call them.
 */
#ifndef MCPHOST_TEMPLATE_H
#define MCPHOST_TEMPLATE_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_template_check - check a URI template and list its variables.
 *
 * `uri_template` has `len` bytes.  *ret_names gets a JSON array with the names of the
 * variables, each once and in the order of their first appearance.  The caller frees it
 * with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid, and the error has line, column
 *   and the reason), MCPHOST_E_LIMIT (the template is longer than 65,536 bytes or has
 *   more than 256 variables), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_template_check(const char *uri_template, size_t len,
                       MCPHOST_NULLABLE MCPHOST_OWNED char **ret_names,
                       MCPHOST_NULLABLE size_t *ret_len,
                       MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_template_expand - make a URI from a template and values.
 *
 * `values` is a JSON object of `values_len` bytes, with a member for each variable that
 * has a value, or NULL if no variable has a value.  Members that are not variables are
 * ignored.  A number is written as the JSON spells it.  The length of a prefix counts
 * characters.
 *
 * After + and #, reserved characters and escapes such as "%20" in a value are kept, and a
 * '%' that begins no escape becomes "%25".  After other operators, every character of a
 * value that is not unreserved is escaped.
 *
 * *ret_uri gets the URI, which the caller frees with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid, `values` is not a JSON object,
 *   `values` has a variable twice, or the value of a variable is not allowed.  A list or
 *   object that contains a list or object is not allowed.  Neither is a list or object
 *   where the template asks for a prefix.  The error has the reason.  For the template
 *   and for wrong JSON it also has line and column, and for a value that is not allowed
 *   it also has the name of the variable), MCPHOST_E_LIMIT (the template or the URI is
 *   longer than 65,536 bytes, the template has more than 256 variables, or the values are
 *   nested deeper than 512 levels), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_template_expand(const char *uri_template, size_t len,
                        MCPHOST_NULLABLE const char *values, size_t values_len,
                        MCPHOST_OWNED char **ret_uri, MCPHOST_NULLABLE size_t *ret_len,
                        MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_template_match - find the values with which a template gives a URI.
 *
 * `uri` has `uri_len` bytes.  *ret_values gets a JSON object with a member for each
 * variable that has a value.  The caller frees it with mcphost_free().  Expanded with
 * these values, the template gives a URI that is equivalent to `uri`.  The two URIs may
 * differ in the case of their escapes, and in unreserved characters that only one of them
 * escapes.  They may also differ in characters that must be escaped but are not escaped
 * in `uri`.
 *
 * The value of a variable with `*` is an array of strings, or an object if each member
 * has its own name.  The value of another variable is a string, or an array of strings if
 * the value contains commas that are not escaped.
 *
 * After + and #, a list looks like a string.  Therefore a variable with `*` is split at
 * its commas, and the value of another variable is always a string.  Escapes of reserved
 * characters, of '%' and of bytes that are not UTF-8 stay as they are in these values.
 *
 * If several values fit, these rules decide, from left to right:
 *
 *   - An expression without an operator, or with +, is empty if the rest fits.
 *   - A variable has a value if this is possible.
 *   - A value is as short as possible so that the rest fits.  A list of a variable with
 *     `*` after ; ? or & takes all members that have its name.
 *   - An object has no name twice.
 *   - A variable that occurs several times has one value.  The URI fits only if the value
 *     that these rules give is right at all of these places.
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid, or the URI is not UTF-8.  For the
 *   template, the error has line, column and the reason), MCPHOST_E_NOTFOUND (the URI is
 *   not an expansion of the template), MCPHOST_E_LIMIT (the template or the URI is longer
 *   than 65,536 bytes, the template has more than 256 variables, or the product of the
 *   two lengths is too large), MCPHOST_E_NOMEM.
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
