/* SPDX-License-Identifier: MIT
 *
 * result.h - the result of a call: the server's answer.
 *
 * A result is immutable and reference-counted.  Any thread may use it.  The bytes of a
 * result are the server's own.  They live as long as the result.
 *
 * There is one exception: bytes of strings that are not UTF-8 are replaced by U+FFFD.  A
 * problem of the server reports the replacement.  The library does not repair an answer
 * of more than 2 MiB, or an answer that would grow by more than 1 MiB.  The call then
 * fails with MCPHOST_E_PROTOCOL.
 */
#ifndef MCPHOST_RESULT_H
#define MCPHOST_RESULT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a content item.  Since: 0.1 */
enum mcphost_content_kind {
    MCPHOST_CONTENT_UNKNOWN = 0,      /* a kind that this version does not know */
    MCPHOST_CONTENT_TEXT = 1,         /* a text */
    MCPHOST_CONTENT_IMAGE = 2,        /* a picture: base64 data and a MIME type */
    MCPHOST_CONTENT_AUDIO = 3,        /* a sound: base64 data and a MIME type */
    MCPHOST_CONTENT_RESOURCE = 4,     /* a resource with its text or its data */
    MCPHOST_CONTENT_RESOURCE_LINK = 5 /* the URI of a resource */
};

/* Takes a reference to `result`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_result *
mcphost_result_ref(MCPHOST_NULLABLE mcphost_result *result);

/* Drops a reference to `result`.  Dropping the last reference frees the result.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_result *
mcphost_result_unref(MCPHOST_NULLABLE mcphost_result *result);

/*
 * mcphost_result_get_json - get the result object as the server sent it.
 *
 * The JSON is copied only if the text of an item or the structured content was asked for
 * before.
 *
 * Returns: the result as a JSON object.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_json(const mcphost_result *result, MCPHOST_NULLABLE size_t *ret_len);

/* Returns 1 if the tool says that it failed (`isError`), else 0.  Since: 0.1 */
MCPHOST_API int mcphost_result_is_error(const mcphost_result *result);

/* Returns the `structuredContent`, or NULL if the result has no `structuredContent`.  The
 * value may be any JSON value, null included.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_structured(const mcphost_result *result,
                              MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_result_count_items - count the content items.
 *
 * The items are the content that a tool answered, the contents of a resource, or the
 * content of each message of a prompt, in the server's order.
 *
 * Returns: the number of content items in the result.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_result_count_items(const mcphost_result *result);

/* Returns the kind of the item at `index`, MCPHOST_CONTENT_*, or MCPHOST_CONTENT_UNKNOWN
 * if `index` is past the end.  Since: 0.1 */
MCPHOST_API int mcphost_result_item_get_kind(const mcphost_result *result, size_t index);

/* Returns the JSON of the item at `index`, or NULL if `index` is past the end or memory
 * is short.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_json(const mcphost_result *result, size_t index,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_result_item_get_text - get the text of an item, with its escapes decoded.
 *
 * The item is a text, or a resource that was read.  A resource that is embedded in the
 * answer of a tool has no text here.  Use mcphost_call_make_items() for an embedded
 * resource.
 *
 * The text is not copied if the item is the last item, the text has no escapes, the
 * result does not belong to a prompt, and mcphost_result_get_json() was not called
 * before.  Otherwise the text is made once and kept.
 *
 * Errors: MCPHOST_E_INVALID (the index is past the end, or the item has no text),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_result_item_get_text(mcphost_result *result, size_t index,
                                             MCPHOST_BORROWED const char **ret_text,
                                             size_t *ret_len);

/*
 * mcphost_result_item_repeats_structured - find out whether a text item only repeats the
 * structured content.
 *
 * Many servers put their structured content into a text, too, for hosts that look only at
 * texts.  An application that gives the structured content to the model may leave out a
 * text that repeats the structured content.  An application that gives the text to the
 * model may leave out the structured content.
 *
 * A text repeats the structured content if it is the same JSON value.  White space, the
 * order of members, and the spelling of strings and numbers do not matter.  If the
 * structured content is a string, a text that is this string repeats it, too.  JSON that
 * has a name twice in an object, or more than 1,000,000 values and names, repeats the
 * structured content only byte by byte.  The same holds for all JSON if the library was
 * built without JSON Schema (MCPHOST_PART_SCHEMA).  Each call compares anew.
 *
 * Returns: 1 if the text repeats the structured content, 0 in all other cases.
 * Errors: MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_result_item_repeats_structured(mcphost_result *result,
                                                       size_t index);

/* Returns the `mimeType` of the item or of the resource embedded in the item, or NULL if
 * the `mimeType` is missing or has a NUL, if `index` is past the end, or if memory is
 * short.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_mime_type(mcphost_result *result, size_t index);

/* Returns the `uri` of the item or of the resource embedded in the item, or NULL if the
 * `uri` is missing, if `index` is past the end, or if memory is short.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_uri(mcphost_result *result, size_t index,
                            MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_result_item_get_role - get the role of the prompt's message that has the item.
 *
 * Returns: "user", "assistant" or another text that the server wrote, or NULL if the
 *   result does not belong to a prompt, if `index` is past the end, or if memory is
 *   short.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_role(mcphost_result *result, size_t index,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_result_count_values - count the values that the server proposes.
 *
 * Only the results of mcphost_call_new_complete_prompt() and
 * mcphost_call_new_complete_template() have values.
 *
 * Returns: the number of values in the result.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_result_count_values(mcphost_result *result);

/* Returns the value at `index`, in the server's order, or NULL if `index` is past the
 * end, if the value is no string, or if memory is short.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_value(mcphost_result *result, size_t index,
                         MCPHOST_NULLABLE size_t *ret_len);

/* Returns the number of values that the server has in all, or -1 if the server does not
 * give this number or if the result has no values.  Since: 0.1 */
MCPHOST_API MCPHOST_NEGATIVE_IS_A_VALUE int64_t
mcphost_result_get_total(mcphost_result *result);

/* Returns 1 if the server has more values than the result contains, else 0.
 * Since: 0.1 */
MCPHOST_API int mcphost_result_has_more(mcphost_result *result);

#ifdef __cplusplus
}
#endif
#endif
