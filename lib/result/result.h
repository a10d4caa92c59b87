/* SPDX-License-Identifier: MIT
 *
 * result.h - the room `result`: what a tool answered, as items over the
 * server's own bytes.
 *
 * A result is immutable but for texts that are unescaped on demand, once, under
 * its lock.  This room does no I/O and knows nothing of calls or servers.
 */
#ifndef MCPH_RESULT_H
#define MCPH_RESULT_H

#include <pthread.h>

#include "base/base.h"
#include "json/json.h"
#include "rpc/rpc.h"

#include <mcphost/result.h>

struct mcph_item {
    int kind; /* MCPHOST_CONTENT_* */
    struct mcph_span json;
    struct mcph_span text;       /* a string token, or p NULL */
    struct mcph_span mime;       /* likewise */
    char *made_text, *made_mime; /* unescaped on demand */
    size_t made_len;
};

struct mcphost_result {
    struct mcph_refs refs;
    struct mcph_frame *frame; /* a reference */
    struct mcph_span json, structured;
    bool is_error;
    size_t n_items;
    pthread_mutex_t lock; /* of the made_ members */
    struct mcph_item items[];
};

/* `json` is a checked object inside `frame`.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_result_new(struct mcph_frame *frame, struct mcph_span json,
                    mcphost_result **ret);
/* One text item of our own. */
int mcph_result_new_text(const char *text, size_t len, bool is_error,
                         mcphost_result **ret);

/* The first makes and keeps what the token says. */
int mcph_result_item_text(mcphost_result *result, struct mcph_item *item,
                          struct mcph_span *ret_text);
const char *mcph_result_item_mime(mcphost_result *result, struct mcph_item *item);

#endif
