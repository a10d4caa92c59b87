/* SPDX-License-Identifier: MIT
 *
 * template.h - check, expand and match URI templates (RFC 6570, level 4).
 *
 * A server lists resource templates such as "file:///{+path}{?rev}".  A template with
 * values for its variables gives a URI.  mcphost_template_match() reads the values back
 * from a URI.
 *
 * The functions support all operators (none + # . / ; ? &) and both modifiers (:length
 * and *).  A variable with `*` is called exploded.  A value is a string, number, boolean,
 * list or object of JSON.  A null is no value.  A list or object that is empty or holds
 * only nulls is no value either.  A variable without a value adds nothing to the URI.
 *
 * A template and a URI have at most 65,536 bytes.  A template has at most 256 variables.
 * The functions need no host and keep nothing.  Any thread may call them.
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
 * variables, each once and in the order of their first appearance.  The caller frees the
 * array with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid; the error has line, column and
 *   the reason), MCPHOST_E_LIMIT (the template is longer than 65,536 bytes or has more
 *   than 256 variables), MCPHOST_E_NOMEM.
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
 * ignored.  A number keeps the spelling that it has in the JSON.  The length of a prefix
 * counts characters.
 *
 * After + and #, reserved characters and escapes such as "%20" in a value are kept.  A
 * '%' that begins no escape becomes "%25".  After other operators, and without an
 * operator, every character of a value is escaped unless it is unreserved.
 *
 * A list or object that contains a list or object is not allowed.  A list or object is
 * also not allowed for a variable with a prefix.  The error has the reason.  For the
 * template and for wrong JSON, the error also has line and column.  For a value that is
 * not allowed, the error also has the name of the variable.
 *
 * *ret_uri gets the URI.  The caller frees the URI with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid, `values` is not a JSON object,
 *   `values` has a variable twice, or the value of a variable is not allowed),
 *   MCPHOST_E_LIMIT (the template or the URI is longer than 65,536 bytes, the template
 *   has more than 256 variables, or the values are nested deeper than 512 levels),
 *   MCPHOST_E_NOMEM.
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
 * variable that has a value.  The caller frees the object with mcphost_free().  With
 * these values, the template gives a URI that is equivalent to `uri`.  The two URIs may
 * differ in the case of their escapes, and in unreserved characters that only one of them
 * escapes.  They may also differ in characters that must be escaped but are not escaped
 * in `uri`.
 *
 * The value of a variable with `*` is an array of strings, or an object if each member
 * has its own name.  The value of another variable is a string, or an array of strings if
 * the value contains commas that are not escaped.
 *
 * After + and #, the value of a variable with `*` is split at its commas.  The value of
 * another variable after + and # is always a string, because a list looks like a string
 * in this place.  In both values, escapes of reserved characters, of '%' and of bytes
 * that are not UTF-8 stay as they are.
 *
 * If several values fit, these rules select the values, from left to right:
 *
 *   - An expression without an operator, or with +, is empty if the other parts of the
 *     template then fit.
 *   - A variable has a value if this is possible.
 *   - A value is as short as the other parts of the template allow.  A list of a variable
 *     with `*` after ; ? or & takes all members that have its name.
 *   - An object has no name twice.
 *   - A variable that occurs several times has one value.  The URI fits only if the value
 *     that these rules give is right at all of these places.
 *
 * Errors: MCPHOST_E_INVALID (the template is not valid, or the URI is not UTF-8; for a
 *   template that is not valid, the error has line, column and the reason),
 *   MCPHOST_E_NOTFOUND (the URI is not an expansion of the template), MCPHOST_E_LIMIT
 *   (the template or the URI is longer than 65,536 bytes, the template has more than 256
 *   variables, or the product of the lengths of the template and the URI is too large),
 *   MCPHOST_E_NOMEM.
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
