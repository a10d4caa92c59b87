/* SPDX-License-Identifier: MIT
 *
 * meta.c - the free members of a request's _meta: all members except those whose names
 * MCP reserves.
 */
#include <stdlib.h>
#include <string.h>

#include "host/call.h"

/* The prefix of the names that MCP reserves. */
#define RESERVED "io.modelcontextprotocol/"

/* Returns true if MCP reserves the name in this string token.  The token may write the
 * name with escapes. */
static bool
is_reserved(struct mcph_span key)
{
    char begin[sizeof(RESERVED) + 4]; /* holds the prefix and one more character */
    struct mcph_json_text text;
    size_t n;

    if (mcph_json_string_is(key, "progressToken", 13))
        return true;
    mcph_json_text_init(&text, key);
    n = mcph_json_text_next(&text, begin, sizeof(begin));
    return n >= sizeof(RESERVED) - 1 &&
           memcmp(begin, RESERVED, sizeof(RESERVED) - 1) == 0;
}

int
mcph_meta_check_free(struct mcph_span meta, mcphost_error **reterr)
{
    struct mcph_span key, value;
    struct mcph_json_iter members;

    mcph_json_iter_init(&members, meta);
    while (mcph_json_iter_next(&members, &key, &value)) {
        if (is_reserved(key))
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "_meta: the name %.*s belongs to the protocol",
                            (int)(key.len < 100 ? key.len : 100), key.p);
    }
    return 0;
}

int
mcph_meta_add_free(struct mcph_buf *buf, struct mcph_span meta)
{
    struct mcph_span key, value;
    struct mcph_json_iter members;

    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&members, meta);
    while (mcph_json_iter_next(&members, &key, &value)) {
        if (is_reserved(key))
            continue;
        mcph_json_add_comma(buf);
        mcph_buf_add(buf, key.p, key.len);
        mcph_buf_addc(buf, ':');
        mcph_buf_add(buf, value.p, value.len);
    }
    return mcph_buf_addc(buf, '}');
}

int
mcph_call_merge_meta(mcphost_call *call, const char *own)
{
    struct mcph_span given = mcph_span("{}", 2);
    struct mcph_buf over, merged, meta;
    size_t len;
    int r;

    if (call->meta)
        given = mcph_span(call->meta, call->meta_len);
    mcph_buf_init(&over, SIZE_MAX / 4);
    mcph_buf_init(&merged, SIZE_MAX / 4);
    mcph_buf_init(&meta, SIZE_MAX / 4);
    r = mcph_json_add_canonical(&over, given);
    if (r == 0)
        r = mcph_json_add_merged(&merged, mcph_span_str(own),
                                 mcph_span(over.data, over.len));
    if (r == 0)
        r = mcph_meta_add_free(&meta, mcph_span(merged.data, merged.len));
    len = meta.len;
    if (r == 0) {
        free(call->meta);
        call->meta = NULL;
        call->meta_len = len;
        r = mcph_buf_give(&meta, &call->meta, NULL);
    }
    mcph_buf_wipe(&over);
    mcph_buf_wipe(&merged);
    mcph_buf_wipe(&meta);
    return r;
}
