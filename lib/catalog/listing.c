/* SPDX-License-Identifier: MIT
 *
 * listing.c - a server's list, with a record of 56 bytes for each element.
 *
 * The frames of the pages are kept and never copied.  10,000 elements cost little more
 * than their text, because a record has only offsets into the frames.  Only titles and
 * descriptions with escapes are decoded, into one block of memory.
 *
 * If a text of an element may exceed the limit, read_short() writes a shortened
 * definition of the element.  If this definition lacks a part of the element, the
 * definition becomes a page of the listing, and the element is read from this page.
 *
 * An element that cannot be used also has a record, with a fault.  Therefore the other
 * elements keep their places in the list, and mcph_listing_equal() also notices a
 * change of an unusable element.  A listing does not depend on filters or on rules for
 * names.  A listing never changes once it is built.
 *
 * A listing is built in steps, because a list may have 100,000 elements or megabytes of
 * text.  Reading a list of this length in one turn of the dispatcher would delay all
 * other work.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "client/client.h"

_Static_assert(sizeof(struct mcph_listed) == 56,
               "a record an element: see performance.md");

struct mcph_listing_build {
    struct mcph_listing *listing;   /* the listing to build; its first frames are the
                                     * frames of `pages`, in the same order */
    struct mcph_client_page *pages; /* a copy of the caller's array */
    size_t n_pages, page;
    struct mcph_json_iter it; /* position in the current page, if `open` is true */
    bool open;
    size_t cap, max_items, max_text;
    const char *base; /* the bytes of the current page */
    struct mcph_buf texts;
};

enum { NAME, TITLE, DESCRIPTION, SUBJECT, ANNOTATIONS, EXECUTION, META, N_WANTED };

static const struct mcph_list_kind *
kind_of(const struct mcph_listing_build *b)
{
    return &mcph_list_kinds[b->listing->kind];
}

static struct mcph_extent
token_extent(const struct mcph_listing_build *b, struct mcph_span token)
{
    if (!token.p)
        return (struct mcph_extent){0};
    return (struct mcph_extent){(uint32_t)(token.p - b->base), (uint32_t)token.len};
}

/* Finds the text of a string token.  The text is in the page or, if *ret_made becomes
 * true, decoded in `texts`.  If the token is not a string, changes nothing. */
static int
text_extent(struct mcph_listing_build *b, struct mcph_span token,
            struct mcph_extent *ret_extent, bool *ret_made)
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
    if (!*ret_made) {
        *ret_extent = token_extent(b, text);
        return 0;
    }
    *ret_extent =
        (struct mcph_extent){(uint32_t)before, (uint32_t)(b->texts.len - before)};
    return mcph_buf_addc(&b->texts, '\0');
}

static enum mcph_fault
fault_of(const struct mcph_list_kind *kind, const struct mcph_json_want *want, int picked)
{
    struct mcph_span name = want[NAME].value, subject = want[SUBJECT].value;

    if (picked < 0)
        return MCPH_FAULT_TWICE;
    if (!name.p && !kind->is_keyed)
        return MCPH_FAULT_NO_NAME;
    if (name.p && mcph_json_type(name) != MCPH_JSON_STRING)
        return MCPH_FAULT_NAME_TYPE;
    if (!subject.p && kind->needs_subject)
        return MCPH_FAULT_NO_SUBJECT;
    if (subject.p && mcph_json_type(subject) != kind->subject_type)
        return MCPH_FAULT_SUBJECT_TYPE;
    return MCPH_FAULT_GOOD;
}

static void
want_parts(const struct mcph_list_kind *kind, struct mcph_json_want want[N_WANTED])
{
    want[NAME] = (struct mcph_json_want)MCPH_JSON_WANT("name");
    want[TITLE] = (struct mcph_json_want)MCPH_JSON_WANT("title");
    want[DESCRIPTION] = (struct mcph_json_want)MCPH_JSON_WANT("description");
    want[SUBJECT] =
        (struct mcph_json_want){.name = kind->subject, .name_len = kind->subject_len};
    want[ANNOTATIONS] = (struct mcph_json_want)MCPH_JSON_WANT("annotations");
    want[EXECUTION] = (struct mcph_json_want)MCPH_JSON_WANT("execution");
    want[META] = (struct mcph_json_want)MCPH_JSON_WANT("_meta");
}

/* Reads execution.taskSupport (MCP 2025-11-25, "Tasks"). */
static void
read_task_support(struct mcph_span execution, struct mcph_listed *tool)
{
    struct mcph_span token = MCPH_SPAN_NONE;

    if (mcph_json_type(execution) == MCPH_JSON_OBJECT)
        token = mcph_json_get(execution, "taskSupport");
    tool->must_be_task = mcph_json_string_is(token, "required", 8);
    tool->may_be_task = tool->must_be_task || mcph_json_string_is(token, "optional", 8);
}

/* Fills the record of an element that has no fault.  If the element is a tool that may
 * run as a task, sets `has_tasks` of the listing. */
static int
read_parts(struct mcph_listing_build *b, const struct mcph_json_want want[N_WANTED],
           struct mcph_listed *tool)
{
    struct mcph_span title = want[TITLE].value;
    int r;

    if (want[EXECUTION].value.p) {
        read_task_support(want[EXECUTION].value, tool);
        b->listing->has_tasks = b->listing->has_tasks || tool->may_be_task;
    }
    if (want[META].value.p && b->listing->kind == MCPH_LIST_TOOLS) {
        unsigned seen_by = mcph_app_visibility(want[META].value);

        tool->no_model = !(seen_by & MCPHOST_VISIBLE_TO_MODEL);
        tool->no_app = !(seen_by & MCPHOST_VISIBLE_TO_APPS);
    }
    tool->name = token_extent(b, want[NAME].value);
    tool->subject = token_extent(b, want[SUBJECT].value);
    if (mcph_json_type(want[DESCRIPTION].value) == MCPH_JSON_STRING)
        tool->description_token = token_extent(b, want[DESCRIPTION].value);
    if (mcph_json_type(title) != MCPH_JSON_STRING)
        title = mcph_json_get(want[ANNOTATIONS].value, "title");
    r = text_extent(b, title, &tool->title, &tool->title_made);
    if (r == 0)
        r = text_extent(b, want[DESCRIPTION].value, &tool->description,
                        &tool->description_made);
    return r;
}

/* ---- texts that are too long ------------------------------------------------------- */

/* The mark that follows the kept part of a text that is cut. */
#define CUT_MARK " [... cut here: %zu bytes in all]"

/* Returns true if the token is longer than the limit.  The text of a string token may
 * still be within the limit, because the token has quotes and escapes. */
static bool
is_long(const struct mcph_listing_build *b, struct mcph_span token)
{
    return b->max_text && token.len > b->max_text;
}

/* Returns how many bytes are kept of a text that is longer than `max`.  Counts only whole
 * characters. */
static size_t
kept_len(struct mcph_span text, size_t max)
{
    size_t len = max;

    while (len > 0 && ((unsigned char)text.p[len] & 0xc0) == 0x80)
        len--;
    return len;
}

int
mcph_text_cut(struct mcph_span text, size_t max, struct mcph_buf *buf)
{
    if (max == 0 || text.len <= max)
        return mcph_buf_add(buf, text.p, text.len);
    mcph_buf_add(buf, text.p, kept_len(text, max));
    return mcph_buf_addf(buf, CUT_MARK, text.len);
}

/* Adds a string token.  If its text has more than `max_text` bytes, cuts the text and
 * returns true.  Decodes a long token only up to the limit.  Therefore CUT_MARK states
 * the length of the text in JSON, with its escapes. */
static bool
add_cut(const struct mcph_listing_build *b, struct mcph_span token, struct mcph_buf *buf)
{
    /* Decode one byte more than the limit to see whether the text is too long.  Reserve
     * three more bytes, because a decoded escape may have four bytes. */
    size_t room = b->max_text + 1 + 3;
    struct mcph_json_text text;
    bool is_cut = false;
    struct mcph_buf cut;
    int r;

    if (!is_long(b, token)) {
        mcph_buf_add(buf, token.p, token.len);
        return false;
    }
    mcph_buf_init(&cut, room + 64);
    r = mcph_buf_reserve(&cut, room + 64);
    if (r == 0) {
        mcph_json_text_init(&text, token);
        cut.len = mcph_json_text_next(&text, cut.data, room);
        is_cut = cut.len > b->max_text;
        if (!is_cut) {
            mcph_buf_add(buf, token.p, token.len);
        } else {
            cut.len = kept_len(mcph_span(cut.data, cut.len), b->max_text);
            r = mcph_buf_addf(&cut, CUT_MARK, token.len - 2);
            if (r == 0)
                mcph_json_add_string(buf, cut.data, cut.len);
        }
    }
    if (r < 0)
        buf->err = r;
    mcph_buf_done(&cut);
    return is_cut;
}

/* Adds annotations that are too long.  Adds only the members that the protocol names, and
 * cuts their strings. */
static void
add_annotations(const struct mcph_listing_build *b, struct mcph_span annotations,
                struct mcph_buf *buf)
{
    static const char *const names[] = {
        "title",         "readOnlyHint", "destructiveHint", "idempotentHint",
        "openWorldHint", "priority",     "lastModified"};

    mcph_buf_addc(buf, '{');
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        struct mcph_span value = mcph_json_get(annotations, names[i]);
        int type = mcph_json_type(value);

        /* Skip a value that is neither a string nor a boolean.  Only `priority` may be a
         * number. */
        if (type != MCPH_JSON_STRING && type != MCPH_JSON_BOOL &&
            !(type == MCPH_JSON_NUMBER && strcmp(names[i], "priority") == 0))
            continue;
        mcph_json_add_key(buf, names[i]);
        if (type == MCPH_JSON_STRING)
            (void)add_cut(b, value, buf);
        else
            mcph_buf_add(buf, value.p, value.len);
    }
    mcph_buf_addc(buf, '}');
}

/* Finds the next member, or returns false at the end.  If `known` has the value, takes
 * its length from `known`, because a search for the end takes time. */
static bool
next_member(struct mcph_json_iter *it, const struct mcph_json_want known[N_WANTED],
            struct mcph_span *ret_key, struct mcph_span *ret_value)
{
    if (!mcph_json_iter_open(it, ret_key, ret_value))
        return false;
    for (int i = 0; i < N_WANTED; i++) {
        if (known[i].value.p == ret_value->p) {
            *ret_value = known[i].value;
            it->p += ret_value->len;
            it->open = false;
            return true;
        }
    }
    *ret_value = mcph_json_iter_end(it);
    return true;
}

/* Writes the shortened definition.  Sets *ret_cut to true if the definition lacks a part
 * of a text or of the annotations. */
static int
write_short(const struct mcph_listing_build *b, struct mcph_span whole,
            const struct mcph_json_want known[N_WANTED], struct mcph_buf *buf,
            bool *ret_cut)
{
    struct mcph_json_iter it;
    struct mcph_span key, value;

    *ret_cut = false;
    mcph_buf_addc(buf, '{');
    mcph_json_iter_init(&it, whole);
    while (next_member(&it, known, &key, &value)) {
        bool whole_text =
            value.p == known[NAME].value.p || value.p == known[SUBJECT].value.p;
        int type = mcph_json_type(value);

        mcph_json_add_comma(buf);
        mcph_buf_add(buf, key.p, key.len);
        mcph_buf_addc(buf, ':');
        if (type == MCPH_JSON_STRING && !whole_text) {
            *ret_cut = add_cut(b, value, buf) || *ret_cut;
        } else if (type == MCPH_JSON_OBJECT && is_long(b, value) &&
                   mcph_json_string_is(key, "annotations", 11)) {
            add_annotations(b, value, buf);
            *ret_cut = true;
        } else {
            mcph_buf_add(buf, value.p, value.len);
        }
    }
    return mcph_buf_addc(buf, '}');
}

/* Makes a page with a shortened definition of the element, and reads the element from
 * this page.  If no text of the element exceeds the limit, reads the element as it is. */
static int
read_short(struct mcph_listing_build *b, struct mcph_span whole,
           const struct mcph_json_want known[N_WANTED], struct mcph_listed *tool)
{
    struct mcph_json_want want[N_WANTED];
    struct mcph_json_iter members;
    const char *page = b->base;
    struct mcph_frame *frame = NULL;
    struct mcph_span value;
    struct mcph_buf buf;
    bool is_cut;
    int r;

    /* Six bytes for each byte suffice, because an escape that the host writes has at
     * most six bytes. */
    mcph_buf_init(&buf, whole.len * 6 + 1024);
    r = write_short(b, whole, known, &buf, &is_cut);
    if (r == 0 && !is_cut) {
        mcph_buf_done(&buf);
        return read_parts(b, known, tool);
    }
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
    tool->whole = token_extent(b, value);
    mcph_json_iter_init(&members, value);
    want_parts(kind_of(b), want);
    mcph_json_pick_members(&members, want, N_WANTED);
    r = read_parts(b, want, tool);
    b->base = page;
    return r;
}

/* Reads the element that `it` has opened, and moves `it` behind the element, so that the
 * bytes are read only once. */
static int
read_item(struct mcph_listing_build *b, struct mcph_json_iter *it, struct mcph_span value,
          struct mcph_listed *tool)
{
    struct mcph_json_iter members;
    struct mcph_json_want want[N_WANTED];
    struct mcph_span whole;
    int r;

    if (mcph_json_type(value) != MCPH_JSON_OBJECT) {
        tool->whole = token_extent(b, mcph_json_iter_end(it));
        tool->fault = MCPH_FAULT_NOT_OBJECT;
        return 0;
    }
    mcph_json_iter_init(&members, value);
    want_parts(kind_of(b), want);
    r = mcph_json_pick_members(&members, want, N_WANTED);
    whole = mcph_json_iter_past(it, &members);
    tool->whole = token_extent(b, whole);
    tool->fault = (uint8_t)fault_of(kind_of(b), want, r);
    if (mcph_json_type(want[NAME].value) == MCPH_JSON_STRING)
        tool->name = token_extent(b, want[NAME].value);
    if (kind_of(b)->is_keyed && mcph_json_type(want[SUBJECT].value) == MCPH_JSON_STRING)
        tool->subject = token_extent(b, want[SUBJECT].value);
    if (tool->fault != MCPH_FAULT_GOOD)
        return 0;
    if (b->listing->kind == MCPH_LIST_TOOLS && b->pages[b->page].headers &&
        mcph_client_check_headers(want[SUBJECT].value)) {
        tool->subject = token_extent(b, want[SUBJECT].value);
        tool->fault = MCPH_FAULT_HEADERS;
        return 0;
    }
    if (is_long(b, want[DESCRIPTION].value) || is_long(b, want[TITLE].value) ||
        is_long(b, want[ANNOTATIONS].value))
        return read_short(b, whole, want, tool);
    return read_parts(b, want, tool);
}

static struct mcph_listed *
new_record(struct mcph_listing_build *b, int *ret_code)
{
    struct mcph_listing *listing = b->listing;
    struct mcph_listed *tools;
    size_t cap;

    if (listing->n == b->max_items) {
        *ret_code = MCPHOST_E_LIMIT;
        return NULL;
    }
    if (listing->n == b->cap) {
        cap = b->cap ? b->cap * 2 : 16;
        tools = mcph_reallocarray(listing->items, cap, sizeof(*tools));
        if (!tools) {
            *ret_code = MCPHOST_E_NOMEM;
            return NULL;
        }
        listing->items = tools;
        b->cap = cap;
    }
    tools = &listing->items[listing->n++];
    memset(tools, 0, sizeof(*tools));
    return tools;
}

static int
open_page(struct mcph_listing_build *b, mcphost_error **reterr)
{
    const struct mcph_client_page *page = &b->pages[b->page];

    if (mcph_json_type(page->items) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL, "'%s' of %s is not a list",
                        kind_of(b)->array, kind_of(b)->method);
    if (page->frame->len > UINT32_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "a page of %s is over 4 GiB",
                        kind_of(b)->method);
    b->base = page->frame->data;
    mcph_json_iter_init(&b->it, page->items);
    b->open = true;
    return 0;
}

/* Reads the next element of the page.  Returns 1 if there was an element, 0 if the page
 * has ended, or an error code. */
static int
read_next(struct mcph_listing_build *b, size_t *budget, mcphost_error **reterr)
{
    struct mcph_listed *tool;
    struct mcph_span value;
    int r = 0;

    if (!mcph_json_iter_open(&b->it, NULL, &value)) {
        b->open = false;
        b->page++;
        return 0;
    }
    tool = new_record(b, &r);
    if (tool) {
        tool->page = (uint32_t)b->page;
        r = read_item(b, &b->it, value, tool);
        mcph_steps_spend(budget, (size_t)(b->it.p - value.p));
    }
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (!tool)
        return mcph_err(reterr, r, "the server lists more than %zu %ss", b->max_items,
                        kind_of(b)->noun);
    if (r < 0)
        return mcph_err(reterr, r, "the texts of the server's %ss are over 4 GiB",
                        kind_of(b)->noun);
    return 1;
}

/* Moves the texts from the build to the listing, and frees memory that was reserved but
 * not needed. */
static int
shrink_listing(struct mcph_listing_build *b)
{
    struct mcph_listing *listing = b->listing;
    struct mcph_listed *tools;

    if (b->texts.len) {
        listing->texts = mcph_buf_steal(&b->texts, NULL);
        if (!listing->texts)
            return MCPHOST_E_NOMEM;
    }
    if (listing->n && listing->n < b->cap) {
        tools = mcph_reallocarray(listing->items, listing->n, sizeof(*tools));
        if (!tools)
            return MCPHOST_E_NOMEM;
        listing->items = tools;
    }
    return 0;
}

struct mcph_listing_build *
mcph_listing_begin(int kind, const struct mcph_client_page *pages, size_t n_pages,
                   size_t max_items, size_t max_text)
{
    struct mcph_listing_build *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->max_items = max_items ? max_items : MCPH_LISTING_MAX;
    b->max_text = max_text;
    b->n_pages = n_pages;
    mcph_buf_init(&b->texts, UINT32_MAX);
    b->pages = calloc(n_pages ? n_pages : 1, sizeof(*b->pages));
    b->listing = calloc(1, sizeof(*b->listing));
    if (b->listing) {
        mcph_refs_init(&b->listing->refs);
        b->listing->kind = kind;
    }
    if (!b->pages || !b->listing || mcph_vec_reserve(&b->listing->frames, n_pages) < 0)
        return mcph_listing_build_free(b);
    for (size_t i = 0; i < n_pages; i++) {
        b->pages[i] = pages[i];
        mcph_vec_add(&b->listing->frames, mcph_frame_ref(pages[i].frame));
    }
    return b;
}

int
mcph_listing_step(struct mcph_listing_build *b, size_t *budget, struct mcph_listing **ret,
                  mcphost_error **reterr)
{
    int r;

    while (b->page < b->n_pages) {
        if (*budget == 0)
            return 1;
        r = b->open ? read_next(b, budget, reterr) : open_page(b, reterr);
        if (r < 0)
            return r;
    }
    if (shrink_listing(b) < 0)
        return mcph_err_nomem(reterr);
    *ret = b->listing;
    b->listing = NULL;
    return 0;
}

struct mcph_listing_build *
mcph_listing_build_free(struct mcph_listing_build *b)
{
    if (!b)
        return NULL;
    mcph_listing_unref(b->listing);
    mcph_buf_done(&b->texts);
    free(b->pages);
    free(b);
    return NULL;
}

int
mcph_listing_new(int kind, const struct mcph_client_page *pages, size_t n_pages,
                 size_t max_items, size_t max_text, struct mcph_listing **ret,
                 mcphost_error **reterr)
{
    struct mcph_listing_build *b =
        mcph_listing_begin(kind, pages, n_pages, max_items, max_text);
    size_t budget = SIZE_MAX;
    int r = b ? mcph_listing_step(b, &budget, ret, reterr) : mcph_err_nomem(reterr);

    mcph_listing_build_free(b);
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
    free(listing->items);
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
listed_text(const struct mcph_listing *listing, const struct mcph_listed *tool,
            struct mcph_extent where, bool made)
{
    if (made)
        return mcph_span(listing->texts + where.at, where.len);
    return mcph_listing_token(listing, tool, where);
}

struct mcph_span
mcph_listing_title(const struct mcph_listing *listing, const struct mcph_listed *tool)
{
    return listed_text(listing, tool, tool->title, tool->title_made);
}

struct mcph_span
mcph_listing_description(const struct mcph_listing *listing,
                         const struct mcph_listed *tool)
{
    return listed_text(listing, tool, tool->description, tool->description_made);
}

bool
mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->n != b->n || !mcph_about_equal(a->about, b->about))
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!mcph_span_eq(mcph_listing_token(a, &a->items[i], a->items[i].whole),
                          mcph_listing_token(b, &b->items[i], b->items[i].whole)))
            return false;
    return true;
}
