/* SPDX-License-Identifier: MIT
 *
 * items.h - a tool's answer as items, for a record and for a model.
 *
 * A result (result.h) holds the server's own bytes.  Items are made from a result for the
 * conversation.  A text stays a text.  Pictures, sounds, other binary data, and texts
 * that are too large become files in the directory of the dialog.  The item of a file
 * names the file.  Items are immutable and reference-counted.  Any thread may use them.
 */
#ifndef MCPHOST_ITEMS_H
#define MCPHOST_ITEMS_H

#include <mcphost/artifact.h>
#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mcphost_items_parse - make items from their recorded JSON.
 *
 * `json` is the array that mcphost_items_get_json() returned, or an object
 * {"contentItems":[...],"isError":true} with that array.  Other members of the object are
 * ignored.  Items of unknown types are kept as they are.  `dir` is the absolute path of
 * the directory in which the files of the items are now, or NULL if the files no longer
 * exist.  If the JSON is not valid, the error has the line and the column.
 *
 * Errors: MCPHOST_E_INVALID (the JSON is not valid or is not a record of items, or `dir`
 *   is not absolute), MCPHOST_E_LIMIT (the JSON is nested deeper than 512 levels),
 *   MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_items_parse(const char *json, size_t len, MCPHOST_NULLABLE const char *dir,
                    MCPHOST_OWNED mcphost_items **ret_items,
                    MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/* Takes a reference to `items`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_items *
mcphost_items_ref(MCPHOST_NULLABLE mcphost_items *items);

/* Drops a reference to `items`.  Dropping the last reference frees the items.  Returns:
 * NULL.  Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_items *
mcphost_items_unref(MCPHOST_NULLABLE mcphost_items *items);

/* Returns 1 if `isError` of the result or of the recorded object is true, else 0.
 * Since: 0.1 */
MCPHOST_API int mcphost_items_is_error(const mcphost_items *items);

/* Returns the items as a JSON array.  The application can record this array.
 * Since: 0.1 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_items_get_json(const mcphost_items *items, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_items_get_text - get the items as plain text.
 *
 * This text is for people, and for models that read only text.  It consists of the texts
 * that are not blank, a line about each file, and the JSON of every other item.  Each
 * part begins on a new line.
 *
 * Returns: the items as plain text.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_items_get_text(const mcphost_items *items, MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_items_make_parts - convert the items to parts of a message to a model.
 *
 * `shape` is one of these MCPHOST_SHAPE_*:
 *
 *     OPENAI_RESPONSES  input_text, input_image (a data: URL), input_file
 *     OPENAI_CHAT       text: the content of a tool message, which holds nothing else;
 *                       mcphost_items_make_user_parts() returns the files
 *     ANTHROPIC         text, image, document: the content of a tool_result
 *     GEMINI            text, inlineData
 *
 * The function reads the files from the directory of the items, on the caller's thread.
 * A text that reports the omission takes the place of
 *
 *     - a picture whose type or whose bytes are none of image/jpeg, image/png, image/gif
 *       and image/webp;
 *     - another file, if the shape has no part for its type;
 *     - a file larger than `max_bytes` (0 means 20 MiB);
 *     - a file that does not exist any more.
 *
 * The reason is that the provider of a model refuses the whole request if the provider
 * does not accept one part.
 *
 * Blank texts are left out for ANTHROPIC and GEMINI, because these providers refuse blank
 * texts.  The caller frees *ret_json with mcphost_free().
 *
 * Errors: MCPHOST_E_INVALID (`shape` is not the shape of a provider), MCPHOST_E_NOMEM.
 * Since: 0.1
 */
MCPHOST_API int
mcphost_items_make_parts(const mcphost_items *items, int shape, uint64_t max_bytes,
                         MCPHOST_OWNED char **ret_json, MCPHOST_NULLABLE size_t *ret_len,
                         MCPHOST_NULLABLE MCPHOST_OWNED mcphost_error **reterr);

/*
 * mcphost_items_make_user_parts - make the parts of the user message that follows the
 * tool message.
 *
 * If `shape` is MCPHOST_SHAPE_OPENAI_CHAT, the parts are the files that a tool message
 * cannot hold: image_url (a data: URL), input_audio (WAV, MP3) and file (PDF).  A text in
 * front of each file gives the path by which the tool message names the file.  If there
 * are several tool messages, put the user message behind the last tool message.
 *
 * A file that a provider would refuse is left out, because the tool message has a text in
 * its place.  For every other shape, and if no file is left, *ret_json is "[]": no user
 * message is needed.  `max_bytes` is as in mcphost_items_make_parts().  The caller frees
 * *ret_json with mcphost_free().
 *
 * Errors: those of mcphost_items_make_parts().
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
