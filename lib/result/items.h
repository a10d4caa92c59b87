/* SPDX-License-Identifier: MIT
 *
 * items.h - the room `result`, its second half: the items of a conversation, made
 * from a result (items.c, blob.c, longtext.c), recorded, and given to a model
 * (parts.c).
 */
#ifndef MCPH_RESULT_ITEMS_H
#define MCPH_RESULT_ITEMS_H

#include "result/result.h"

#include <mcphost/items.h>

struct mcphost_items {
    struct mcph_refs refs;
    char *dir;     /* of the artifacts, or NULL */
    bool is_error; /* the tool says that it failed */
    char *json, *text;
    size_t json_len, text_len;
};

/* Items being made. */
struct mcph_making {
    const struct mcph_items_spec *spec;
    struct mcph_buf json;
};

/* Pieces of an item.  Each adds to the buffer, which remembers a failure. */
void mcph_item_open(struct mcph_making *making, const char *type);
void mcph_item_add_artifact(struct mcph_making *making, const char *path);
void mcph_item_close(struct mcph_making *making, struct mcph_span uri);
/* A text item. */
void mcph_item_say(struct mcph_making *making, struct mcph_span text,
                   struct mcph_span uri);
/* The same of our own words: "[image left out: ...]". */
void mcph_item_sayf(struct mcph_making *making, const char *fmt, ...)
    MCPHOST_PRINTF(2, 3);
/* Base64 that becomes a file (blob.c).  `what` is its kind in our own words, `data` a
 * string token, `mime_type` one or absent. */
void mcph_item_add_blob(struct mcph_making *making, const char *what,
                        struct mcph_span data, struct mcph_span mime_type,
                        struct mcph_span uri);
/* What the first bytes of a file say it is, of image/png, image/jpeg, image/gif and
 * image/webp; NULL: none of them. */
const char *mcph_picture_type(const unsigned char *p, size_t len);

/* A text, or what a string token says, that becomes a file if it is too long for an item
 * (longtext.c): then true. */
bool mcph_item_add_long_text(struct mcph_making *making, struct mcph_span text,
                             struct mcph_span uri);
bool mcph_item_add_long_string(struct mcph_making *making, struct mcph_span token,
                               struct mcph_span uri);

/* Items from the array in `json`, which is checked and taken out of the buffer
 * (record.c).  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_items_new(struct mcph_buf *json, const char *dir, bool is_error,
                   mcphost_items **ret);

/* What is said of a file instead of showing it: "[image saved: image/png, 12 bytes]". */
void mcph_item_describe(struct mcph_span item, struct mcph_buf *text);

/* Nothing but white space. */
bool mcph_item_is_blank(struct mcph_span text);

#endif
