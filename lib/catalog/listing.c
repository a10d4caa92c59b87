/* SPDX-License-Identifier: MIT
 *
 * listing.c - what a server listed, with a record of 56 bytes a tool.
 *
 * The pages' frames are kept and never copied: a record holds offsets into
 * them, so 10,000 tools cost little more than their text.  Only titles and
 * descriptions with escapes are decoded, into one block of memory.
 *
 * A tool with a text beyond the limit gets a page of its own, with the definition cut
 * short, and is read from there.
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
    size_t cap, max_tools, max_text;
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

static void
want_parts(struct mcph_json_want want[N_WANTED])
{
    want[NAME] = (struct mcph_json_want)MCPH_JSON_WANT("name");
    want[TITLE] = (struct mcph_json_want)MCPH_JSON_WANT("title");
    want[DESCRIPTION] = (struct mcph_json_want)MCPH_JSON_WANT("description");
    want[SCHEMA] = (struct mcph_json_want)MCPH_JSON_WANT("inputSchema");
    want[ANNOTATIONS] = (struct mcph_json_want)MCPH_JSON_WANT("annotations");
}

/* Of a good tool. */
static int
read_parts(struct build *b, const struct mcph_json_want want[N_WANTED],
           struct mcph_listed *tool)
{
    struct mcph_span title = want[TITLE].value;
    int r;

    tool->name = extent(b, want[NAME].value);
    tool->input_schema = extent(b, want[SCHEMA].value);
    if (mcph_json_type(want[DESCRIPTION].value) == MCPH_JSON_STRING)
        tool->description_token = extent(b, want[DESCRIPTION].value);
    if (mcph_json_type(title) != MCPH_JSON_STRING)
        title = mcph_json_get(want[ANNOTATIONS].value, "title");
    r = text_extent(b, title, &tool->title, &tool->title_made);
    if (r == 0)
        r = text_extent(b, want[DESCRIPTION].value, &tool->description,
                        &tool->description_made);
    return r;
}

/* ---- texts without end ------------------------------------------------------------- */

/* What stands behind the part of a text that is left. */
#define CUT_MARK " [... cut here: %zu bytes in all]"

static bool
is_long(const struct build *b, struct mcph_span token)
{
    return b->max_text && token.len > b->max_text;
}

int
mcph_text_cut(struct mcph_span text, size_t max, struct mcph_buf *buf)
{
    size_t len = max;

    if (max == 0 || text.len <= max)
        return mcph_buf_add(buf, text.p, text.len);
    while (len > 0 && ((unsigned char)text.p[len] & 0xc0) == 0x80)
        len--;
    mcph_buf_add(buf, text.p, len);
    return mcph_buf_addf(buf, CUT_MARK, text.len);
}

/* A string, cut. */
static void
add_cut(const struct build *b, struct mcph_span token, struct mcph_buf *buf)
{
    struct mcph_buf decoded, cut;
    struct mcph_span text;
    int r;

    mcph_buf_init(&decoded, token.len);
    mcph_buf_init(&cut, b->max_text + 64);
    r = mcph_json_string_get(token, &decoded, &text);
    if (r == 0 && text.len <= b->max_text) {
        mcph_buf_add(buf, token.p, token.len);
    } else if (r == 0) {
        r = mcph_text_cut(text, b->max_text, &cut);
        if (r == 0)
            mcph_json_add_string(buf, cut.data, cut.len);
    }
    if (r < 0)
        buf->err = r;
    mcph_buf_done(&decoded);
    mcph_buf_done(&cut);
}

/* Of annotations that are too long: those that the protocol names. */
static void
add_annotations(const struct build *b, struct mcph_span annotations, struct mcph_buf *buf)
{
    static const char *const names[] = {"title", "readOnlyHint", "destructiveHint",
                                        "idempotentHint", "openWorldHint"};

    mcph_buf_addc(buf, '{');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        struct mcph_span value = mcph_json_get(annotations, names[i]);
        int type = mcph_json_type(value);

        if (type != MCPH_JSON_STRING && type != MCPH_JSON_BOOL)
            continue;
        mcph_json_add_key(buf, names[i]);
        if (type == MCPH_JSON_STRING)
            add_cut(b, value, buf);
        else
            mcph_buf_add(buf, value.p, value.len);
    }
    mcph_buf_addc(buf, '}');
}

static int
write_short(const struct build *b, struct mcph_span whole, struct mcph_buf *buf)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&it, whole);
    while (mcph_json_iter_next(&it, &key, &value)) {
        bool name = mcph_json_string_is(key, "name", 4);
        int type = mcph_json_type(value);

        mcph_json_add_comma(buf);
        mcph_buf_add(buf, key.p, key.len);
        mcph_buf_addc(buf, ':');
        if (type == MCPH_JSON_STRING && !name)
            add_cut(b, value, buf);
        else if (type == MCPH_JSON_OBJECT && is_long(b, value) &&
                 mcph_json_string_is(key, "annotations", 11))
            add_annotations(b, value, buf);
        else
            mcph_buf_add(buf, value.p, value.len);
    }
    return mcph_buf_addc(buf, '}');
}

/* Reads a tool from a definition made shorter, which is a page of its own. */
static int
read_short(struct build *b, struct mcph_span whole, struct mcph_listed *tool)
{
    struct mcph_json_want want[N_WANTED];
    struct mcph_json_iter members;
    const char *page = b->base;
    struct mcph_frame *frame = NULL;
    struct mcph_span value;
    struct mcph_buf buf;
    int r;

    /* Escapes may be longer than those of the server. */
    mcph_buf_init(&buf, whole.len * 6 + 1024);
    r = write_short(b, whole, &buf);
    if (r == 0) {
        frame = mcph_frame_new(buf.data, buf.len);
        r = frame ? mcph_vec_add(&b->listing->frames, frame) : MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&buf);
    if (r < 0) {
        mcph_frame_unref(frame);
        return r;
    }
    value = mcph_frame_span(frame);
    b->base = value.p;
    tool->page = (uint32_t)(b->listing->frames.n - 1);
    tool->cut = true;
    tool->whole = extent(b, value);
    mcph_json_iter_init(&members, value);
    want_parts(want);
    mcph_json_pick_members(&members, want, N_WANTED);
    r = read_parts(b, want, tool);
    b->base = page;
    return r;
}

/* The element that `it` has opened; into its members and past it, so that its bytes are
 * passed over once. */
static int
read_tool(struct build *b, struct mcph_json_iter *it, struct mcph_span value,
          struct mcph_listed *tool)
{
    struct mcph_json_iter members;
    struct mcph_json_want want[N_WANTED];
    struct mcph_span whole;
    int r;

    if (mcph_json_type(value) != MCPH_JSON_OBJECT) {
        tool->whole = extent(b, mcph_json_iter_end(it));
        tool->fault = MCPH_TOOL_NOT_OBJECT;
        return 0;
    }
    mcph_json_iter_init(&members, value);
    want_parts(want);
    r = mcph_json_pick_members(&members, want, N_WANTED);
    whole = mcph_json_iter_past(it, &members);
    tool->whole = extent(b, whole);
    tool->fault = (uint8_t)fault_of(want, r);
    if (mcph_json_type(want[NAME].value) == MCPH_JSON_STRING)
        tool->name = extent(b, want[NAME].value);
    if (tool->fault != MCPH_TOOL_GOOD)
        return 0;
    if (b->headers && mcph_client_check_headers(want[SCHEMA].value)) {
        tool->input_schema = extent(b, want[SCHEMA].value);
        tool->fault = MCPH_TOOL_HEADERS;
        return 0;
    }
    if (is_long(b, want[DESCRIPTION].value) || is_long(b, want[TITLE].value) ||
        is_long(b, want[ANNOTATIONS].value))
        return read_short(b, whole, tool);
    return read_parts(b, want, tool);
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
    uint32_t number = (uint32_t)b->listing->frames.n;
    int r;

    if (mcph_json_type(page->tools) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL, "'tools' of tools/list is no list");
    if (page->frame->len > UINT32_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "a page of tools/list is over 4 GiB");
    b->base = page->frame->data;
    b->headers = page->headers;
    r = mcph_vec_add(&b->listing->frames, page->frame);
    if (r < 0)
        return mcph_err_nomem(reterr);
    mcph_frame_ref(page->frame);
    mcph_json_iter_init(&it, page->tools);
    while (r == 0 && mcph_json_iter_open(&it, NULL, &value)) {
        struct mcph_listed *tool = new_record(b, &r);

        if (!tool)
            break;
        tool->page = number;
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
                 size_t max_text, struct mcph_listing **ret, mcphost_error **reterr)
{
    struct build b = {.max_tools = max_tools ? max_tools : MCPH_LISTING_MAX_TOOLS,
                      .max_text = max_text};
    int r = 0;

    mcph_buf_init(&b.texts, UINT32_MAX);
    b.listing = calloc(1, sizeof(*b.listing));
    if (!b.listing)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&b.listing->refs);
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
    for (size_t i = 0; i < listing->frames.n; i++)
        mcph_frame_unref(listing->frames.items[i]);
    mcph_vec_done(&listing->frames);
    free(listing->tools);
    free(listing->texts);
    mcph_about_unref(listing->about);
    free(listing);
    return NULL;
}

struct mcph_span
mcph_listing_token(const struct mcph_listing *listing, const struct mcph_listed *tool,
                   struct mcph_extent extent_)
{
    const struct mcph_frame *page;

    if (!extent_.len)
        return MCPH_SPAN_NONE;
    page = listing->frames.items[tool->page];
    return mcph_span(page->data + extent_.at, extent_.len);
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
    if (!a || !b || a->n != b->n || !mcph_about_equal(a->about, b->about))
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!mcph_span_eq(mcph_listing_token(a, &a->tools[i], a->tools[i].whole),
                          mcph_listing_token(b, &b->tools[i], b->tools[i].whole)))
            return false;
    return true;
}
