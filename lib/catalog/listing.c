/* SPDX-License-Identifier: MIT
 *
 * listing.c - what a server listed, with a record of 56 bytes a tool.
 *
 * The pages' frames are kept and never copied: a record holds offsets into
 * them, so 10,000 tools cost little more than their text.  Only titles and
 * descriptions with escapes are decoded, into one block of memory.
 *
 * An element that is no usable tool keeps its record, with a fault, so that
 * places in the list and comparisons hold.  A listing knows nothing of filters
 * or names that are allowed; it never changes after mcph_listing_new().
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "client/client.h"

_Static_assert(sizeof(struct mcph_listed) == 56, "a record a tool: see performance.md");

struct build {
    struct mcph_listing *listing;
    size_t cap, max_tools;
    const char *base; /* of the page being read */
    bool headers;     /* its annotations count */
    struct mcph_buf texts;
};

enum { NAME, TITLE, DESCRIPTION, SCHEMA, ANNOTATIONS, N_WANTED };

static struct mcph_extent
extent(const struct build *b, struct mcph_span token)
{
    if (!token.p)
        return (struct mcph_extent){0};
    return (struct mcph_extent){(uint32_t)(token.p - b->base), (uint32_t)token.len};
}

/* Where the text of a string token lies: in the page, or (*ret_made) in texts. */
static int
text_extent(struct build *b, struct mcph_span token, struct mcph_extent *ret_extent,
            bool *ret_made)
{
    size_t before = b->texts.len;
    struct mcph_span text;
    int r;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return 0;
    r = mcph_json_string_get(token, &b->texts, &text);
    if (r < 0)
        return r;
    *ret_made = b->texts.len > before;
    if (*ret_made)
        *ret_extent =
            (struct mcph_extent){(uint32_t)before, (uint32_t)(b->texts.len - before)};
    else
        *ret_extent = extent(b, text);
    return 0;
}

static enum mcph_tool_fault
fault_of(const struct mcph_json_want *want, int picked)
{
    if (picked < 0)
        return MCPH_TOOL_TWICE;
    if (!want[NAME].value.p)
        return MCPH_TOOL_NO_NAME;
    if (mcph_json_type(want[NAME].value) != MCPH_JSON_STRING)
        return MCPH_TOOL_NAME_TYPE;
    if (!want[SCHEMA].value.p)
        return MCPH_TOOL_NO_SCHEMA;
    if (mcph_json_type(want[SCHEMA].value) != MCPH_JSON_OBJECT)
        return MCPH_TOOL_SCHEMA_TYPE;
    return MCPH_TOOL_GOOD;
}

/* The element that `it` has opened; into its members and past it, so that its bytes are
 * passed over once. */
static int
read_tool(struct build *b, struct mcph_json_iter *it, struct mcph_span value,
          struct mcph_listed *tool)
{
    struct mcph_json_iter members;
    struct mcph_json_want want[N_WANTED] = {
        [NAME] = MCPH_JSON_WANT("name"),
        [TITLE] = MCPH_JSON_WANT("title"),
        [DESCRIPTION] = MCPH_JSON_WANT("description"),
        [SCHEMA] = MCPH_JSON_WANT("inputSchema"),
        [ANNOTATIONS] = MCPH_JSON_WANT("annotations"),
    };
    struct mcph_span title;
    int r;

    if (mcph_json_type(value) != MCPH_JSON_OBJECT) {
        tool->whole = extent(b, mcph_json_iter_end(it));
        tool->fault = MCPH_TOOL_NOT_OBJECT;
        return 0;
    }
    mcph_json_iter_init(&members, value);
    r = mcph_json_pick_members(&members, want, N_WANTED);
    tool->whole = extent(b, mcph_json_iter_past(it, &members));
    tool->fault = (uint8_t)fault_of(want, r);
    if (mcph_json_type(want[NAME].value) == MCPH_JSON_STRING)
        tool->name = extent(b, want[NAME].value);
    if (tool->fault != MCPH_TOOL_GOOD)
        return 0;
    tool->input_schema = extent(b, want[SCHEMA].value);
    if (b->headers && mcph_client_check_headers(want[SCHEMA].value)) {
        tool->fault = MCPH_TOOL_HEADERS;
        return 0;
    }
    if (mcph_json_type(want[DESCRIPTION].value) == MCPH_JSON_STRING)
        tool->description_token = extent(b, want[DESCRIPTION].value);
    title = want[TITLE].value;
    if (mcph_json_type(title) != MCPH_JSON_STRING)
        title = mcph_json_get(want[ANNOTATIONS].value, "title");
    r = text_extent(b, title, &tool->title, &tool->title_made);
    if (r == 0)
        r = text_extent(b, want[DESCRIPTION].value, &tool->description,
                        &tool->description_made);
    return r;
}

static struct mcph_listed *
new_record(struct build *b, int *ret_code)
{
    struct mcph_listing *listing = b->listing;
    struct mcph_listed *tools;
    size_t cap;

    if (listing->n == b->max_tools) {
        *ret_code = MCPHOST_E_LIMIT;
        return NULL;
    }
    if (listing->n == b->cap) {
        cap = b->cap ? b->cap * 2 : 16;
        tools = mcph_reallocarray(listing->tools, cap, sizeof(*tools));
        if (!tools) {
            *ret_code = MCPHOST_E_NOMEM;
            return NULL;
        }
        listing->tools = tools;
        b->cap = cap;
    }
    tools = &listing->tools[listing->n++];
    memset(tools, 0, sizeof(*tools));
    return tools;
}

static int
read_page(struct build *b, const struct mcph_client_page *page, mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span value;
    int r = 0;

    if (mcph_json_type(page->tools) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL, "'tools' of tools/list is no list");
    if (page->frame->len > UINT32_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "a page of tools/list is over 4 GiB");
    b->base = page->frame->data;
    b->headers = page->headers;
    b->listing->frames[b->listing->n_frames++] = mcph_frame_ref(page->frame);
    mcph_json_iter_init(&it, page->tools);
    while (r == 0 && mcph_json_iter_open(&it, NULL, &value)) {
        struct mcph_listed *tool = new_record(b, &r);

        if (!tool)
            break;
        tool->page = (uint32_t)(b->listing->n_frames - 1);
        r = read_tool(b, &it, value, tool);
    }
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r == MCPHOST_E_LIMIT && b->listing->n == b->max_tools)
        return mcph_err(reterr, r, "the server lists more than %zu tools", b->max_tools);
    if (r < 0)
        return mcph_err(reterr, r, "the texts of the server's tools are over 4 GiB");
    return 0;
}

/* Gives back what growing by doubling left over. */
static int
fit(struct build *b)
{
    struct mcph_listing *listing = b->listing;
    struct mcph_listed *tools;

    if (b->texts.len) {
        listing->texts = mcph_buf_steal(&b->texts, NULL);
        if (!listing->texts)
            return MCPHOST_E_NOMEM;
    }
    if (listing->n && listing->n < b->cap) {
        tools = mcph_reallocarray(listing->tools, listing->n, sizeof(*tools));
        if (!tools)
            return MCPHOST_E_NOMEM;
        listing->tools = tools;
    }
    return 0;
}

int
mcph_listing_new(const struct mcph_client_page *pages, size_t n_pages, size_t max_tools,
                 struct mcph_listing **ret, mcphost_error **reterr)
{
    struct build b = {.max_tools = max_tools ? max_tools : MCPH_LISTING_MAX_TOOLS};
    int r = 0;

    mcph_buf_init(&b.texts, UINT32_MAX);
    b.listing = calloc(1, sizeof(*b.listing));
    if (!b.listing)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&b.listing->refs);
    b.listing->frames = calloc(n_pages ? n_pages : 1, sizeof(struct mcph_frame *));
    if (!b.listing->frames) {
        r = mcph_err_nomem(reterr);
        goto out;
    }
    for (size_t i = 0; i < n_pages && r == 0; i++)
        r = read_page(&b, &pages[i], reterr);
    if (r < 0)
        goto out;
    r = fit(&b);
    if (r < 0) {
        r = mcph_err_nomem(reterr);
        goto out;
    }
    *ret = b.listing;
    b.listing = NULL;
out:
    mcph_listing_unref(b.listing);
    mcph_buf_done(&b.texts);
    return r;
}

struct mcph_listing *
mcph_listing_ref(struct mcph_listing *listing)
{
    if (listing)
        mcph_refs_get(&listing->refs);
    return listing;
}

struct mcph_listing *
mcph_listing_unref(struct mcph_listing *listing)
{
    if (!listing || !mcph_refs_put(&listing->refs))
        return NULL;
    for (size_t i = 0; i < listing->n_frames; i++)
        mcph_frame_unref(listing->frames[i]);
    free(listing->frames);
    free(listing->tools);
    free(listing->texts);
    free(listing);
    return NULL;
}

struct mcph_span
mcph_listing_token(const struct mcph_listing *listing, const struct mcph_listed *tool,
                   struct mcph_extent extent_)
{
    if (!extent_.len)
        return MCPH_SPAN_NONE;
    return mcph_span(listing->frames[tool->page]->data + extent_.at, extent_.len);
}

static struct mcph_span
text(const struct mcph_listing *listing, const struct mcph_listed *tool,
     struct mcph_extent where, bool made)
{
    if (made)
        return mcph_span(listing->texts + where.at, where.len);
    return mcph_listing_token(listing, tool, where);
}

struct mcph_span
mcph_listing_title(const struct mcph_listing *listing, const struct mcph_listed *tool)
{
    return text(listing, tool, tool->title, tool->title_made);
}

struct mcph_span
mcph_listing_description(const struct mcph_listing *listing,
                         const struct mcph_listed *tool)
{
    return text(listing, tool, tool->description, tool->description_made);
}

bool
mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!mcph_span_eq(mcph_listing_token(a, &a->tools[i], a->tools[i].whole),
                          mcph_listing_token(b, &b->tools[i], b->tools[i].whole)))
            return false;
    return true;
}
