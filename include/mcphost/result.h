/* SPDX-License-Identifier: MIT
 *
 * result.h - what a server answered to a call.
 *
 * Immutable, reference-counted, any thread.  The bytes are the server's own and
 * live as long as the result.  In one case they are changed: each byte of a string that
 * is not UTF-8 is replaced by U+FFFD, and a problem of the server says so.  If such an
 * answer has more than 2 MiB, its call fails with MCPHOST_E_PROTOCOL.
 */
#ifndef MCPHOST_RESULT_H
#define MCPHOST_RESULT_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of content items.  Since: 0.1 */
enum mcphost_content_kind {
    MCPHOST_CONTENT_UNKNOWN = 0, /* a kind this version does not know: look at its JSON */
    MCPHOST_CONTENT_TEXT = 1,
    MCPHOST_CONTENT_IMAGE = 2,
    MCPHOST_CONTENT_AUDIO = 3,
    MCPHOST_CONTENT_RESOURCE = 4,
    MCPHOST_CONTENT_RESOURCE_LINK = 5
};

/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_result *
mcphost_result_ref(MCPHOST_NULLABLE mcphost_result *result);

/* Drops a reference.  Returns NULL; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_result *
mcphost_result_unref(MCPHOST_NULLABLE mcphost_result *result);

/* The result object as the server sent it.  It is not copied, unless the text of an item
 * or the structured content was asked for before: of texts and JSON, what is asked for
 * first costs nothing.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_json(const mcphost_result *result, MCPHOST_NULLABLE size_t *ret_len);

/* Whether the tool says that it failed (`isError`).  Since: 0.1 */
MCPHOST_API int mcphost_result_is_error(const mcphost_result *result);

/* The bytes of `structuredContent`; it may be any JSON value, null included.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_structured(const mcphost_result *result,
                              MCPHOST_NULLABLE size_t *ret_len);

/* The number of content items, and the kind of each, in the server's order: of what a
 * tool answered, the contents of a resource, or those of a prompt's messages.
 * Since: 0.1 */
MCPHOST_API size_t mcphost_result_count_items(const mcphost_result *result);
MCPHOST_API int mcphost_result_item_get_kind(const mcphost_result *result, size_t index);

/* An item's own JSON, a copy.  NULL past the end.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_json(const mcphost_result *result, size_t index,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_result_item_get_text - the text of a text item, or of a resource that was
 * read, escapes undone.
 *
 * A resource embedded in what a tool answered has no text here: see
 * mcphost_call_make_items().
 *
 * The server's own bytes if it is the last item, nothing in it was escaped, and
 * mcphost_result_get_json() was not called before; else made once and kept.  *ret_text
 * and *ret_len are set on success.
 *
 * Returns 0, MCPHOST_E_INVALID (past the end, it has no text), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int mcphost_result_item_get_text(mcphost_result *result, size_t index,
                                             MCPHOST_BORROWED const char **ret_text,
                                             size_t *ret_len);

/*
 * mcphost_result_item_repeats_structured - whether a text item adds nothing.
 *
 * Servers put their structured content into a text as well, for hosts that look at
 * nothing else.  1: the item's text is `structuredContent` written as JSON, however it
 * is spaced, ordered and spelled, or the very string that it is; an application that
 * gives the model the structured content may leave this item out, and the reverse.
 * 0: it is not, or there is no such item, or no structured content; also for JSON that
 * is not compared, with a name twice in an object or of more than 1,000,000 values.  Each
 * call compares anew.
 *
 * Returns 1, 0, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int mcphost_result_item_repeats_structured(mcphost_result *result,
                                                       size_t index);

/* The `mimeType` of an item, or of the resource embedded in it; NULL also if it holds a
 * NUL.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_mime_type(mcphost_result *result, size_t index);

/* The `uri` of an item, or of the resource embedded in it; NULL: it has none, or no
 * memory.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_uri(mcphost_result *result, size_t index,
                            MCPHOST_NULLABLE size_t *ret_len);

/* Who says an item of a prompt: "user", "assistant", or what the server wrote in its
 * place; NULL: the result is of no prompt, or no memory.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_item_get_role(mcphost_result *result, size_t index,
                             MCPHOST_NULLABLE size_t *ret_len);

/*
 * What the server proposes for a value (mcphost_call_new_complete_prompt(),
 * mcphost_call_new_complete_template()), in its order.  0
 * and NULL for the result of any other call.  `total` is how many there are, -1 when the
 * server does not say; has_more whether it has more than these.  Since: 0.1
 */
MCPHOST_API size_t mcphost_result_count_values(mcphost_result *result);
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_result_get_value(mcphost_result *result, size_t index,
                         MCPHOST_NULLABLE size_t *ret_len);
MCPHOST_API int64_t mcphost_result_get_total(mcphost_result *result);
MCPHOST_API int mcphost_result_has_more(mcphost_result *result);

#ifdef __cplusplus
}
#endif
#endif
