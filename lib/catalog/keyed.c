/* SPDX-License-Identifier: MIT
 *
 * keyed.c - resources, resource templates and skills: decide which elements of a list are
 * offered, and find an element by its URI.
 *
 * Requests to the server use the URI as the server wrote it.  A URI may be as long as a
 * page.  The id under which an element is shown comes from the element's name or URI, and
 * a transform can change the id.  The decisions have the same order as for tools (B.8):
 * the URI, the filter, whether the element can be used, the media type, and whether an
 * earlier element has the URI.  If two elements would get the same id, only the first
 * element gets the id, and the other element gets a finding.
 *
 * The block copies as little as possible of an element, because a server may list 100,000
 * resources.  The URI is read from the page, unless the URI has escapes.  The id is made
 * on request.  The index has four bytes for each slot.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/inner.h"
#include "config/config.h"
#include "uri/uri.h"

/* ---- texts ------------------------------------------------------------------------- */

/* Returns the URI of an element: a part of the page or, if the URI has escapes, the
 * decoded text in `names`. */
static struct mcph_span
key_of(const struct mcph_block *block, const char *names, const mcphost_tool *item)
{
    const struct mcph_listed *listed = &block->listing->items[item->place];
    struct mcph_span token = mcph_listing_token(block->listing, listed, listed->subject);

    if (item->original != MCPH_NO_TEXT)
        return mcph_span_str(names + item->original);
    return mcph_span(token.p + 1, token.len - 2);
}

struct mcph_span
mcph_item_uri(const mcphost_tool *item)
{
    return key_of(item->block, item->block->names, item);
}

/* Decodes a string token.  If the token is not a string, the p of *ret is NULL. */
static int
decode_string(struct mcph_span token, struct mcph_buf *buf, struct mcph_span *ret)
{
    *ret = MCPH_SPAN_NONE;
    mcph_buf_clear(buf);
    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return 0;
    return mcph_json_string_get(token, buf, ret);
}

/* Returns the fault of a URI, or NULL if the URI has no fault.  A URI must have a
 * scheme, unless it is a template: "file" alone is not a URI (R156). */
static const char *
uri_fault(int kind, struct mcph_span uri)
{
    size_t i = 0;

    if (uri.len == 0)
        return "is empty";
    for (size_t k = 0; k < uri.len; k++) {
        if ((unsigned char)uri.p[k] < 0x20 || uri.p[k] == 0x7f)
            return "has a control character";
    }
    if (kind == MCPH_LIST_TEMPLATES)
        return NULL;
    while (i < uri.len && (((uri.p[i] | 0x20) >= 'a' && (uri.p[i] | 0x20) <= 'z') ||
                           (i > 0 && ((uri.p[i] >= '0' && uri.p[i] <= '9') ||
                                      memchr("+-.", uri.p[i], 3)))))
        i++;
    return i > 0 && i < uri.len && uri.p[i] == ':' ? NULL : "has no scheme";
}

/* ---- ids --------------------------------------------------------------------------- */

/* Makes an id from the name or, if there is no name, from the URI (B.19), and adds the id
 * to `buf`.  Returns 0, MCPHOST_E_NOMEM, or MCPHOST_E_LIMIT if the text becomes too
 * long. */
static int
add_id(const struct mcph_block *block, struct mcph_span name, struct mcph_span uri,
       struct mcph_buf *buf)
{
    struct mcph_span text = name.len > 0 ? name : uri;
    const mcphost_transform *transform =
        mcph_spec_transform(block->spec, mcph_list_kinds[block->listing->kind].named);
    struct mcph_buf made;
    int r;

    if (!transform || transform->n == 0)
        return mcph_name_add_id(text.p, text.len, buf);
    mcph_buf_init(&made, text.len + (size_t)64 * 1024);
    r = mcph_transform_apply(transform, text.p, text.len, false, &made);
    if (r == 0)
        r = mcph_name_add_id(made.data ? made.data : "", made.len, buf);
    mcph_buf_done(&made);
    return r;
}

int
mcph_item_add_id(const mcphost_tool *item, struct mcph_buf *buf)
{
    const struct mcph_listing *listing = item->block->listing;
    const struct mcph_listed *listed = &listing->items[item->place];
    struct mcph_span token = mcph_listing_token(listing, listed, listed->name), name;
    struct mcph_buf decoded;
    int r;

    if (item->name == MCPH_NO_TEXT)
        return MCPHOST_E_NOTFOUND;
    mcph_buf_init(&decoded, token.len + 1);
    r = decode_string(token, &decoded, &name);
    if (r == 0)
        r = add_id(item->block, name, mcph_item_uri(item), buf);
    mcph_buf_done(&decoded);
    return r;
}

/* Enters the id of an element.  If an earlier element has the id, or the id would be too
 * long, adds a finding and leaves the element without an id. */
static int
take_id(struct mcph_block_build *b, size_t place, struct mcph_span name,
        struct mcph_span uri, mcphost_tool *item)
{
    void *other = NULL;
    int r;

    mcph_buf_clear(&b->finals);
    r = add_id(b->block, name, uri, &b->finals);
    if (r == MCPHOST_E_LIMIT) {
        item->name = MCPH_NO_TEXT;
        return mcph_block_lose(b, MCPH_FINDING_SAME_ID, uri, place, NULL,
                               "its id would be too long");
    }
    if (r < 0)
        return r;
    b->ids[place] = mcph_hash64(b->finals.data, b->finals.len);
    r = mcph_map_put(&b->made, (const char *)&b->ids[place], sizeof(b->ids[place]), item,
                     &other);
    if (r < 0 || !other)
        return r;
    item->name = MCPH_NO_TEXT;
    r = mcph_map_put(&b->made, (const char *)&b->ids[place], sizeof(b->ids[place]), other,
                     NULL);
    return r < 0 ? r
                 : mcph_block_lose(b, MCPH_FINDING_SAME_ID, uri, place, NULL,
                                   "an earlier item has the same id");
}

/* ---- the index --------------------------------------------------------------------- */

/* Returns the slot that holds the index of this URI's item, counted from 1.  If no item
 * has this URI, returns a free slot for the item. */
static uint32_t *
find_slot(const struct mcph_block *block, const char *names, uint32_t hash,
          struct mcph_span uri)
{
    for (size_t i = hash;; i++) {
        uint32_t *slot = &block->index[i & block->index_mask];
        const mcphost_tool *item = *slot ? &block->items[*slot - 1] : NULL;

        if (!item ||
            (item->hash == hash && mcph_span_eq(key_of(block, names, item), uri)))
            return slot;
    }
}

mcphost_tool *
mcph_block_find_uri(const struct mcph_block *block, const char *uri)
{
    size_t len = strlen(uri);
    uint32_t place;

    if (!block->index)
        return NULL;
    place = *find_slot(block, block->names, mcph_map_hash(uri, len), mcph_span(uri, len));
    return place ? &block->items[place - 1] : NULL;
}

int
mcph_keyed_reserve(struct mcph_block_build *b)
{
    struct mcph_block *block = b->block;
    size_t n = block->listing->n, slots = 4;

    while (slots / 4 * 3 < n)
        slots *= 2;
    mcph_buf_init(&b->label, UINT32_MAX);
    mcph_buf_init(&b->finals, UINT32_MAX);
    mcph_buf_init(&b->names, UINT32_MAX);
    mcph_buf_init(&b->decoded, UINT32_MAX);
    block->index = calloc(slots, sizeof(*block->index));
    block->index_mask = slots - 1;
    b->ids = calloc(n ? n : 1, sizeof(*b->ids));
    b->counted = n;
    return block->index && b->ids && mcph_buf_reserve(&b->names, 1) == 0 &&
                   mcph_map_reserve(&b->made, n) == 0
               ? 0
               : MCPHOST_E_NOMEM;
}

void
mcph_keyed_done(struct mcph_block_build *b)
{
    mcph_buf_done(&b->label);
    free(b->ids);
}

/* ---- one element ------------------------------------------------------------------- */

static int
keep_item(struct mcph_block_build *b, size_t place, struct mcph_span name,
          struct mcph_span uri)
{
    struct mcph_block *block = b->block;
    mcphost_tool *item = &block->items[block->n_items];
    bool made = uri.p == b->decoded.data;
    uint32_t *slot;
    int r;

    *item = (mcphost_tool){.block = block,
                           .place = (uint32_t)place,
                           .original = MCPH_NO_TEXT,
                           .hash = mcph_map_hash(uri.p, uri.len)};
    slot = find_slot(block, b->names.data, item->hash, uri);
    if (*slot)
        return mcph_block_lose(b, MCPH_FINDING_COLLISION, uri, place, NULL, NULL);
    if (made) {
        item->original = (uint32_t)b->names.len;
        mcph_buf_add(&b->names, uri.p, uri.len);
        mcph_buf_addc(&b->names, '\0');
        if (mcph_buf_ok(&b->names) < 0)
            return MCPHOST_E_NOMEM;
    }
    r = take_id(b, place, name, uri, item);
    if (r < 0)
        return r;
    *slot = (uint32_t)++block->n_items;
    if (!block->listing->items[place].cut)
        return 0;
    return mcph_block_lose(b, MCPH_FINDING_CUT, uri, place, NULL,
                           "a text of its definition is longer than the limit");
}

/* Returns true if the element has a wanted media type.  If the spec names no types, all
 * types are wanted.  Types are compared exactly.  A resource without a type does not
 * match.  A template without a type matches, because its resources may have a wanted
 * type.  Skills always match. */
static bool
has_wanted_type(const struct mcph_block *block, const struct mcph_listed *listed)
{
    const struct mcph_strings *types = &block->spec->mime_types;
    struct mcph_span type;

    if (types->n == 0 || block->listing->kind == MCPH_LIST_SKILLS)
        return true;
    type = mcph_json_get(mcph_listing_token(block->listing, listed, listed->whole),
                         "mimeType");
    if (mcph_json_type(type) != MCPH_JSON_STRING)
        return block->listing->kind == MCPH_LIST_TEMPLATES;
    for (size_t i = 0; i < types->n; i++) {
        if (mcph_json_string_is(type, types->items[i], strlen(types->items[i])))
            return true;
    }
    return false;
}

/* Checks whether the template can be expanded.  Returns 1 if the template can be
 * expanded.  Otherwise adds a finding and returns 0, so that only this template is left
 * out.  Returns MCPHOST_E_NOMEM if memory is short. */
static int
check_template(struct mcph_block_build *b, size_t place, struct mcph_span text)
{
    struct mcph_template *template = NULL;
    size_t before = b->block->findings.n;
    mcphost_error *err = NULL;
    char *why;
    int r = mcph_template_parse(text, &template, &err);

    mcph_template_free(template);
    if (r == 0)
        return 1;
    why = r == MCPHOST_E_NOMEM ? NULL : mcph_strdup(mcphost_error_get_message(err));
    mcphost_error_unref(err);
    if (!why)
        return MCPHOST_E_NOMEM;
    r = mcph_block_lose(b, MCPH_FINDING_INVALID, text, place, NULL, why);
    if (b->block->findings.n > before)
        ((struct mcph_finding *)b->block->findings.items[before])->made = why;
    else
        free(why);
    return r;
}

int
mcph_keyed_decide(struct mcph_block_build *b, size_t place)
{
    const struct mcph_listing *listing = b->block->listing;
    const struct mcph_listed *listed = &listing->items[place];
    struct mcph_span name, uri;
    const char *why, *pattern;
    int r;

    r = decode_string(mcph_listing_token(listing, listed, listed->subject), &b->decoded,
                      &uri);
    if (r == 0)
        r = decode_string(mcph_listing_token(listing, listed, listed->name), &b->label,
                          &name);
    if (r < 0)
        return r;
    if (!uri.p)
        return mcph_block_lose(b, MCPH_FINDING_INVALID, name, place, NULL,
                               mcph_block_fault_text(listing, listed));
    why = uri_fault(listing->kind, uri);
    if (why)
        return mcph_block_lose(b, MCPH_FINDING_INVALID_NAME, uri, place, NULL, why);
    switch (mcph_filter_decide_either(b->rules.filter, uri.p, uri.len, name.p, name.len,
                                      &pattern)) {
    case MCPHOST_FILTER_BLACKLISTED:
        return mcph_block_lose(b, MCPH_FINDING_BLACKLISTED, uri, place, NULL, pattern);
    case MCPHOST_FILTER_NOT_WHITELISTED:
        return mcph_block_lose(b, MCPH_FINDING_NOT_WHITELISTED, uri, place, NULL,
                               pattern);
    default:
        break;
    }
    if (listed->fault != MCPH_FAULT_GOOD)
        return mcph_block_lose(b, MCPH_FINDING_INVALID, uri, place, NULL,
                               mcph_block_fault_text(listing, listed));
    if (listing->kind == MCPH_LIST_SKILLS) {
        r = mcph_skill_check(mcph_listing_token(listing, listed, listed->whole), &why);
        if (r == MCPHOST_E_NOMEM)
            return r;
        if (r < 0)
            return mcph_block_lose(b, MCPH_FINDING_INVALID, uri, place, NULL, why);
    }
    if (listing->kind == MCPH_LIST_TEMPLATES) {
        r = check_template(b, place, uri);
        if (r <= 0)
            return r;
    }
    if (!has_wanted_type(b->block, listed))
        return mcph_block_lose(b, MCPH_FINDING_TYPE, uri, place, NULL,
                               "its media type is not listed");
    return keep_item(b, place, name, uri);
}
