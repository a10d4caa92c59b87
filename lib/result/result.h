/* SPDX-License-Identifier: MIT
 *
 * result.h - the room `result`: what a tool answered, as items over the
 * server's own bytes.
 *
 * A result that nobody looks into costs one small allocation: it is taken
 * apart by the first question, and texts are unescaped when they are asked for,
 * once.  Seen from outside it is immutable; what is found out is kept under its
 * lock.  This room does no I/O and knows nothing of calls or servers.
 */
#ifndef MCPH_RESULT_H
#define MCPH_RESULT_H

#include <pthread.h>

#include "base/base.h"
#include "json/json.h"
#include "rpc/rpc.h"

#include <mcphost/result.h>

struct mcph_result_made; /* an unescaped text */

struct mcph_item {
    struct mcph_span json;
    struct mcph_span type, text; /* the first members of these names, or p NULL */
};

struct mcphost_result {
    struct mcph_refs refs;
    struct mcph_frame *frame; /* a reference */
    struct mcph_span json;
    void (*release)(mcphost_result *result); /* gives its memory back */

    pthread_mutex_t lock; /* of all that follows */
    bool looked;          /* the members below are set */
    bool is_error;
    struct mcph_span structured, content;
    size_t n_items;
    /* The item asked for last, and what comes behind it: items are asked for in
     * order, and each several times (kind, text, type). */
    struct mcph_item item;
    struct mcph_json_iter behind;
    size_t n_behind; /* items up to there */
    struct mcph_result_made *made;
};

/* `json` is a checked object inside `frame`.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_result_new(struct mcph_frame *frame, struct mcph_span json,
                    mcphost_result **ret);
/* The same in zeroed memory of the caller's, of which the last reference says by
 * `release` that it is done with. */
void mcph_result_init(mcphost_result *result, struct mcph_frame *frame,
                      struct mcph_span json, void (*release)(mcphost_result *result));
/* One text item of our own. */
int mcph_result_new_text(const char *text, size_t len, bool is_error,
                         mcphost_result **ret);

/* Any thread; none allocates but the last two. */
bool mcph_result_is_error(mcphost_result *result);
struct mcph_span mcph_result_structured(mcphost_result *result);
size_t mcph_result_count(mcphost_result *result);
struct mcph_span mcph_result_item(mcphost_result *result,
                                  size_t index); /* p NULL: past the end */
int mcph_result_item_kind(mcphost_result *result, size_t index); /* MCPHOST_CONTENT_* */
/* The text of a text item: 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM. */
int mcph_result_item_text(mcphost_result *result, size_t index,
                          struct mcph_span *ret_text);
/* What a member of an item says, when that is a string without NULs; terminated. */
int mcph_result_item_string(mcphost_result *result, size_t index, const char *member,
                            const char **ret_str);

#endif
