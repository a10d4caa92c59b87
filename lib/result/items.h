/* SPDX-License-Identifier: MIT
 *
 * items.h - internal interface of lib/result for the items of a conversation.
 *
 * items.c, blob.c and longtext.c make the items from a result.  record.c records the
 * items.  parts.c writes the items as parts of a message to a model.
 */
#ifndef MCPH_RESULT_ITEMS_H
#define MCPH_RESULT_ITEMS_H

#include "result/result.h"

#include <mcphost/items.h>

struct mcphost_items {
    struct mcph_refs refs;
    char *dir;     /* the directory of the artifacts, or NULL */
    bool is_error; /* the tool reported a failure */
    char *json, *text;
    size_t json_len, text_len;
};

/* A list of items that is being made. */
struct mcph_making {
    const struct mcph_items_spec *spec;
    struct mcph_buf json;
};

/* These functions write pieces of an item to the buffer making->json.  The buffer records
 * a failure. */
void mcph_item_open(struct mcph_making *making, const char *type);
void mcph_item_add_artifact(struct mcph_making *making, const char *path);
void mcph_item_close(struct mcph_making *making, struct mcph_span uri);
/* Adds a text item. */
void mcph_item_say(struct mcph_making *making, struct mcph_span text,
                   struct mcph_span uri);
/* Adds a text item in the library's own words, such as "[image left out: ...]". */
void mcph_item_sayf(struct mcph_making *making, const char *fmt, ...)
    MCPHOST_PRINTF(2, 3);
/* Writes base64 data to a file and adds an item for the file (blob.c).  If the spec does
 * not allow all types, the item of a file that is not a picture is a text item that names
 * the file.  A resource that is a text becomes a text item instead.  Data that cannot be
 * kept becomes a text item with the reason.  `what` is "image", "audio" or "resource".
 * `data` and `mime_type` are string tokens.  `mime_type` may be absent. */
void mcph_item_add_blob(struct mcph_making *making, const char *what,
                        struct mcph_span data, struct mcph_span mime_type,
                        struct mcph_span uri);
/* Returns the type that the first bytes of a file show: image/png, image/jpeg, image/gif
 * or image/webp.  Returns NULL if the bytes show none of these types. */
const char *mcph_picture_type(const unsigned char *p, size_t len);

/* If a text is too long for an item, these functions write the text to a file, add an
 * item for the file and return true (longtext.c).  If the file cannot be written, the
 * item says why.  If the text is short enough, the functions return false.
 * mcph_item_add_long_text() takes plain bytes.  mcph_item_add_long_string() takes a JSON
 * string token. */
bool mcph_item_add_long_text(struct mcph_making *making, struct mcph_span text,
                             struct mcph_span uri);
bool mcph_item_add_long_string(struct mcph_making *making, struct mcph_span token,
                               struct mcph_span uri);

/* Makes items from the array in `json`.  The array must have been checked.  Takes the
 * bytes out of the buffer (record.c).  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_items_new(struct mcph_buf *json, const char *dir, bool is_error,
                   mcphost_items **ret);

/* Adds a text that describes a file: "[image saved: image/png, 12 bytes]".  If the item
 * has a URI, a comma and the URI come before the closing bracket. */
void mcph_item_describe(struct mcph_span item, struct mcph_buf *text);

/* Returns true if `text` holds only white space. */
bool mcph_item_is_blank(struct mcph_span text);

#endif
