/* SPDX-License-Identifier: MIT
 *
 * items.h - what a tool answered, as a runtime records it and a model reads it.
 *
 * A result holds the server's own bytes (result.h).  Items are made from it for the
 * conversation: texts as they are, and everything that does not belong into one
 * (pictures, sounds, blobs, texts too large) as a file of the dialog and a reference
 * to it.  They are immutable, reference-counted, and any thread's.
 */
#ifndef MCPHOST_ITEMS_H
#define MCPHOST_ITEMS_H

#include <mcphost/artifact.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_items_parse - items from their recorded JSON.
 *
 * `dir` is the directory that their artifacts are in now (NULL: there are none any more).
 * `json` is the array that mcphost_items_get_json() gave, or the object
 * {"contentItems":[...],"isError":true}, whose other members are
 * passed over.  Items of unknown types are kept as they are.  Returns 0,
 * MCPHOST_E_INVALID (no such JSON, with its place; `dir` not absolute),
 * MCPHOST_E_LIMIT (nesting), MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_items_parse(const char *json, size_t len, MCPHOST_NULLABLE const char *dir,
                    MCPHOST_OWNED mcphost_items **ret_items,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference; drops one.  NULL is fine.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_items *
mcphost_items_ref(MCPHOST_NULLABLE mcphost_items *items);
MCPHOST_API MCPHOST_NULLABLE mcphost_items *
mcphost_items_unref(MCPHOST_NULLABLE mcphost_items *items);

/* Whether the tool says that it failed: `isError` of the result, or of the recorded
 * object.  For Anthropic's `is_error` of a tool_result, say.  Since: 0.1 */
MCPHOST_API int mcphost_items_is_error(const mcphost_items *items);

/* The items as a JSON array, as `contentItems` has it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_items_get_json(const mcphost_items *items, MCPHOST_NULLABLE size_t *ret_len);

/* The same for a person and for models that only read: line by line the texts that
 * are not blank, and for each file a line about it.  Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_items_get_text(const mcphost_items *items, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_items_make_parts - the items as parts of a message to a model.
 *
 * `shape` is one of these MCPHOST_SHAPE_*:
 *
 *     OPENAI_RESPONSES  input_text, input_image (a data: URL), input_file
 *     OPENAI_CHAT       text: content of a tool message, which takes nothing else;
 *                       files are in mcphost_items_make_user_parts()
 *     ANTHROPIC         text, image, document: content of a tool_result
 *     GEMINI            text, inlineData
 *
 * Files are read from the dialog's directory, on the caller's thread.  A picture that
 * is not image/jpeg, image/png, image/gif or image/webp, or only says so and its bytes
 * do not, another file that the shape has no part for, and one that is not there any
 * more become a text that says so; one larger than `max_bytes` too (0: 20 MiB).  Blank
 * texts are left out for Anthropic and Gemini, which refuse them.
 * *ret_json is the caller's: mcphost_free().
 *
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM.  Since: 0.1
 */
MCPHOST_API int
mcphost_items_make_parts(const mcphost_items *items, int shape, uint64_t max_bytes,
                         MCPHOST_OWNED char **ret_json, MCPHOST_NULLABLE size_t *ret_len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_items_make_user_parts - what goes into a user message behind the tool message.
 *
 * With OPENAI_CHAT the files that the API does not take in a tool message: image_url (a
 * data: URL), input_audio (WAV, MP3) and file (PDF), each after a text with the path by
 * which the tool message names it.  If there are several tool messages, the user message
 * stands behind the last.  "[]": no user message is needed; so it is with every other
 * shape.  Arguments, failures and *ret_json are those of mcphost_items_make_parts().
 * Since: 0.1
 */
MCPHOST_API int
mcphost_items_make_user_parts(const mcphost_items *items, int shape, uint64_t max_bytes,
                              MCPHOST_OWNED char **ret_json,
                              MCPHOST_NULLABLE size_t *ret_len,
                              MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

#ifdef __cplusplus
}
#endif
#endif
