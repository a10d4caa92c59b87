/* SPDX-License-Identifier: MIT
 *
 * block.c - make a block: decide which elements of a listing are offered under a spec,
 * and under which names.
 *
 * decide_item() makes the checks of B.8 for a tool or prompt, in the order of B.8.  The
 * last check finds duplicates within the server.  The first reason to leave an element
 * out is the only finding about the element.  A block does not change when another server
 * changes, because names of other servers do not matter here.
 *
 * A block is built in steps, like a listing.
 *
 * Built-ins use the same code: write_page() writes their definitions as a page, as if a
 * server had sent them.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/inner.h"
#include "config/config.h"

/* The bytes that one tool needs in `names`: the original and the final name, each with a
 * NUL.  names_bound() adds the bytes of long original names. */
#define NAMES_PER_TOOL (2 * ((size_t)MCPH_NAME_MAX + 1))

/* The texts of findings about the subject of an element.  The texts are static, because
 * findings borrow them. */
static const char *const subject_faults[MCPH_LIST_KINDS][2] = {
    [MCPH_LIST_TOOLS] = {"it has no inputSchema", "its inputSchema is not an object"},
    [MCPH_LIST_RESOURCES] = {"it has no uri", "its uri is not a string"},
    [MCPH_LIST_TEMPLATES] = {"it has no uriTemplate", "its uriTemplate is not a string"},
    [MCPH_LIST_PROMPTS] = {NULL, "its arguments are not a list"},
    [MCPH_LIST_SKILLS] = {"it has no uri", "its uri is not a string"},
};

const char *
mcph_block_fault_text(const struct mcph_listing *listing, const struct mcph_listed *item)
{
    const char *why;

    switch (item->fault) {
    case MCPH_FAULT_NOT_OBJECT:
        return "its definition is not an object";
    case MCPH_FAULT_TWICE:
        return "a member of its definition occurs twice";
    case MCPH_FAULT_NO_NAME:
        return "it has no name";
    case MCPH_FAULT_NAME_TYPE:
        return "its name is not a string";
    case MCPH_FAULT_HEADERS:
        why = mcph_client_check_headers(mcph_listing_token(listing, item, item->subject));
        return why ? why : "its inputSchema is wrong";
    default:
        return subject_faults[listing->kind][item->fault == MCPH_FAULT_SUBJECT_TYPE];
    }
}

int
mcph_block_lose(struct mcph_block_build *b, enum mcph_finding_kind kind,
                struct mcph_span name, size_t place, const char *renamed,
                const char *text)
{
    struct mcph_block *block = b->block;
    struct mcph_finding *finding;

    block->collides |= kind == MCPH_FINDING_COLLISION;
    /* Limit the findings, because a list may have a hundred thousand bad elements, and
     * the server may send the list again and again. */
    if (block->findings.n >= MCPH_FINDINGS_MAX) {
        block->n_more += kind != MCPH_FINDING_CUT && kind != MCPH_FINDING_SAME_ID;
        return 0;
    }
    if (mcph_vec_reserve(&block->findings, 1) < 0)
        return MCPHOST_E_NOMEM;
    finding = mcph_finding_new(kind, block->listing->kind, block->id, name, place,
                               renamed, text);
    if (!finding)
        return MCPHOST_E_NOMEM;
    if (kind == MCPH_FINDING_COLLISION) {
        finding->owner = block->id;
        finding->owner_builtin = mcph_block_is_builtin(block);
        finding->owner_is_itself = true;
    }
    mcph_vec_add(&block->findings, finding);
    return 0;
}

static const struct mcph_list_kind *
kind_of(const struct mcph_block_build *b)
{
    return &mcph_list_kinds[b->block->listing->kind];
}

static char once, twice; /* values in `made`: `once` if one tool would get the final
                          * name, `twice` if several tools would get it; only the
                          * addresses of the two variables matter */

static uint32_t
keep_name(struct mcph_block_build *b, const char *name, size_t len)
{
    uint32_t at = (uint32_t)b->names.len;

    mcph_buf_add(&b->names, name, len);
    mcph_buf_addc(&b->names, '\0');
    return at;
}

/* Keeps a tool that the model may not call.  The tool has no name in the catalog and
 * cannot take a name from another tool.  Until all tools are decided, the tools that the
 * model may not call are at the end of the array, in reverse order. */
static int
keep_apart(struct mcph_block_build *b, struct mcph_span original, size_t place)
{
    struct mcph_block *block = b->block;
    mcphost_tool *tool = &block->items[block->listing->n - ++block->n_apart];

    tool->block = block;
    tool->place = (uint32_t)place;
    tool->original = tool->name = keep_name(b, original.p, original.len);
    return mcph_buf_ok(&b->names);
}

static int
keep_item(struct mcph_block_build *b, struct mcph_span original, size_t place,
          const struct mcph_name_decision *d)
{
    mcphost_tool *tool = &b->block->items[b->block->n_items];
    size_t before = b->names.len;
    void *other;

    tool->block = b->block;
    tool->place = (uint32_t)place;
    tool->original = keep_name(b, original.p, original.len);
    tool->name = tool->original;
    if (original.len != d->len || memcmp(original.p, d->name, d->len) != 0)
        tool->name = keep_name(b, d->name, d->len);
    tool->hash = mcph_map_hash(d->name, d->len);
    if (mcph_buf_ok(&b->names) < 0 ||
        mcph_map_add(&b->taken, tool->hash, b->names.data + tool->name, d->len, tool,
                     &other) < 0)
        return MCPHOST_E_NOMEM;
    if (other) {
        b->names.len = before;
        return mcph_block_lose(b, MCPH_FINDING_COLLISION, original, place, d->name, NULL);
    }
    b->block->n_items++;
    if (!b->block->listing->items[place].cut)
        return 0;
    return mcph_block_lose(b, MCPH_FINDING_CUT, original, place, NULL,
                           "a text of its definition is longer than the limit");
}

static int
original_name(struct mcph_block_build *b, const struct mcph_listed *tool,
              struct mcph_span *ret)
{
    struct mcph_span token = mcph_listing_token(b->block->listing, tool, tool->name);

    *ret = MCPH_SPAN_NONE;
    if (!token.p)
        return 0;
    mcph_buf_clear(&b->decoded);
    return mcph_json_string_get(token, &b->decoded, ret);
}

static int
decide_item(struct mcph_block_build *b, size_t place)
{
    const struct mcph_listed *tool = &b->block->listing->items[place];
    struct mcph_name_decision d;
    struct mcph_span name;
    int r;

    r = original_name(b, tool, &name);
    if (r < 0)
        return r;
    if (!name.p)
        return mcph_block_lose(b, MCPH_FINDING_INVALID, name, place, NULL,
                               mcph_block_fault_text(b->block->listing, tool));
    r = mcph_name_decide(&b->rules, name.p, name.len, &d);
    if (r == 0 && d.verdict == MCPH_NAME_ACCEPTED &&
        mcph_map_get(&b->made, d.name, d.len) == &twice) {
        b->rules.hashed = true;
        r = mcph_name_decide(&b->rules, name.p, name.len, &d);
        b->rules.hashed = false;
    }
    if (r < 0)
        return r;
    switch (d.verdict) {
    case MCPH_NAME_INVALID:
        return mcph_block_lose(b, MCPH_FINDING_INVALID_NAME, name, place, NULL,
                               mcph_name_rule_text(d.rule));
    case MCPH_NAME_BLACKLISTED:
        return mcph_block_lose(b, MCPH_FINDING_BLACKLISTED, name, place, NULL, d.pattern);
    case MCPH_NAME_NOT_WHITELISTED:
        return mcph_block_lose(b, MCPH_FINDING_NOT_WHITELISTED, name, place, NULL,
                               d.pattern);
    case MCPH_NAME_REFUSED:
        return mcph_block_lose(b, MCPH_FINDING_REFUSED, name, place, NULL,
                               *d.name ? d.name : NULL);
    case MCPH_NAME_INVALID_TRANSFORMED:
        return mcph_block_lose(b, MCPH_FINDING_INVALID_RENAMED, name, place, d.name,
                               mcph_name_rule_text(d.rule));
    default:
        break;
    }
    /* Check faults after the filter, so that a tool that the filter leaves out gets no
     * finding about a fault.  Check faults before the name is taken, so that an unusable
     * tool takes no name from a usable tool. */
    if (tool->fault != MCPH_FAULT_GOOD)
        return mcph_block_lose(b,
                               b->block->listing->kind == MCPH_LIST_TOOLS &&
                                       (tool->fault == MCPH_FAULT_NO_SUBJECT ||
                                        tool->fault == MCPH_FAULT_SUBJECT_TYPE)
                                   ? MCPH_FINDING_INVALID_SCHEMA
                                   : MCPH_FINDING_INVALID,
                               name, place, NULL,
                               mcph_block_fault_text(b->block->listing, tool));
    if (tool->no_model && b->block->spec)
        return keep_apart(b, name, place);
    return keep_item(b, name, place, &d);
}

/* ---- names that are mapped --------------------------------------------------------- */

/* Records in `made` the final name of a tool, and whether an earlier tool has the same
 * final name.  After all tools are counted, decide_item() adds a hash to each final
 * name that several tools have.  Therefore the names do not depend on the order of the
 * tools. */
static int
count_name(struct mcph_block_build *b, size_t place)
{
    const struct mcph_listed *tool = &b->block->listing->items[place];
    struct mcph_name_decision d;
    struct mcph_span name;
    const char *key = b->finals.data + b->finals.len;
    void *other = NULL;
    int r;

    r = original_name(b, tool, &name);
    if (r < 0 || !name.p || tool->fault != MCPH_FAULT_GOOD || tool->no_model)
        return r;
    r = mcph_name_decide(&b->rules, name.p, name.len, &d);
    if (r < 0 || d.verdict != MCPH_NAME_ACCEPTED)
        return r;
    mcph_buf_add(&b->finals, d.name, d.len);
    r = mcph_map_add(&b->made, mcph_map_hash(d.name, d.len), key, d.len, &once, &other);
    if (r == 0 && other)
        r = mcph_map_put(&b->made, key, d.len, &twice, NULL);
    return r;
}

static int
count_begin(struct mcph_block_build *b, size_t n)
{
    int r = mcph_map_reserve(&b->made, n);

    mcph_buf_init(&b->finals, n * MCPH_NAME_MAX + 1);
    if (r == 0) /* `finals` must not move: map keys point into it */
        r = mcph_buf_reserve(&b->finals, n * MCPH_NAME_MAX + 1);
    return r;
}

/* Returns an upper bound on the bytes of the names of all tools. */
static size_t
names_bound(const struct mcph_block_build *b, size_t n)
{
    size_t bound = n * NAMES_PER_TOOL + 1;
    bool any = mcph_transform_maps(b->rules.transform) ||
               mcph_naming_takes_any(&b->rules.naming);

    for (size_t i = 0; i < n && any; i++) {
        size_t len = b->block->listing->items[i].name.len;

        bound += len < MCPH_NAME_TEXT_MAX ? len : MCPH_NAME_TEXT_MAX;
    }
    return bound;
}

/* ---- all tools --------------------------------------------------------------------- */

/* Moves the tools that the model may not call behind the offered tools, and puts the
 * moved tools into the server's order. */
static void
join_apart(struct mcph_block *block)
{
    mcphost_tool *from = block->items + block->listing->n - 1;
    mcphost_tool *to = block->items + block->n_items;

    for (size_t i = 0; i < block->n_apart / 2; i++) {
        mcphost_tool *low = from + 1 - block->n_apart + i, *high = from - i, swap = *low;

        *low = *high;
        *high = swap;
    }
    if (block->n_apart)
        memmove(to, from + 1 - block->n_apart, block->n_apart * sizeof(*to));
}

/* Moves the names from the build to the block, and the tools that the model may not call
 * behind the offered tools.  Frees memory that was reserved for the worst case. */
static int
shrink_block(struct mcph_block_build *b)
{
    struct mcph_block *block = b->block;
    size_t n = block->n_items + block->n_apart;
    mcphost_tool *tools;

    block->names = mcph_buf_steal(&b->names, NULL);
    if (!block->names)
        return MCPHOST_E_NOMEM;
    join_apart(block);
    if (n && n < block->listing->n) {
        tools = mcph_reallocarray(block->items, n, sizeof(*tools));
        if (!tools)
            return MCPHOST_E_NOMEM;
        block->items = tools;
    }
    return 0;
}

/* Reserves memory for the elements of block->listing.  If no transform maps names,
 * there is no count of final names, and `counted` becomes the number of elements at
 * once. */
static int
reserve_items(struct mcph_block_build *b)
{
    struct mcph_block *block = b->block;
    size_t n = block->listing->n, bound;

    block->items = calloc(n ? n : 1, sizeof(*block->items));
    if (!block->items)
        return MCPHOST_E_NOMEM;
    if (kind_of(b)->is_keyed)
        return mcph_keyed_reserve(b);
    bound = names_bound(b, n);
    mcph_buf_init(&b->names, bound);
    mcph_buf_init(&b->decoded, UINT32_MAX);
    if (mcph_buf_reserve(&b->names, bound) < 0 || mcph_map_reserve(&b->taken, n) < 0)
        return MCPHOST_E_NOMEM;
    if (mcph_transform_maps(b->rules.transform))
        return count_begin(b, n);
    b->counted = n;
    return 0;
}

/* Makes a build.  Takes over the block, also on failure.  Returns NULL if memory is
 * short. */
static struct mcph_block_build *
build_new(struct mcph_block *block, const struct mcph_naming *naming)
{
    struct mcph_block_build *b = calloc(1, sizeof(*b));

    if (!b) {
        mcph_block_unref(block);
        return NULL;
    }
    b->block = block;
    if (block->spec) {
        b->rules.filter = mcph_spec_filter(block->spec, kind_of(b)->named);
        b->rules.transform = mcph_spec_transform(block->spec, kind_of(b)->named);
        if (naming)
            b->rules.naming = *naming;
        b->rules.server = block->spec->id;
    }
    return reserve_items(b) < 0 ? mcph_block_build_free(b) : b;
}

/* Returns how many bytes of an element a step reads.  These bytes are the name and, for
 * a kind whose elements are identified by URIs, the URI. */
static size_t
bytes_of(const struct mcph_block_build *b, size_t place)
{
    const struct mcph_listed *listed = &b->block->listing->items[place];

    return listed->name.len + (kind_of(b)->is_keyed ? listed->subject.len : 0);
}

int
mcph_block_step(struct mcph_block_build *b, size_t *budget, struct mcph_block **ret)
{
    size_t n = b->block->listing->n;
    int r = 0;

    while (b->decided < n && r == 0) {
        bool counts = b->counted < n;
        size_t place = counts ? b->counted++ : b->decided++;

        if (*budget == 0) {
            b->counted -= counts;
            b->decided -= !counts;
            return 1;
        }
        if (counts)
            r = count_name(b, place);
        else
            r = kind_of(b)->is_keyed ? mcph_keyed_decide(b, place)
                                     : decide_item(b, place);
        mcph_steps_spend(budget, bytes_of(b, place));
    }
    if (r == 0)
        r = shrink_block(b);
    if (r < 0)
        return r;
    *ret = b->block;
    b->block = NULL;
    return 0;
}

struct mcph_block_build *
mcph_block_build_free(struct mcph_block_build *b)
{
    if (!b)
        return NULL;
    mcph_keyed_done(b);
    mcph_map_done(&b->made);
    mcph_buf_done(&b->finals);
    mcph_map_done(&b->taken);
    mcph_buf_done(&b->decoded);
    mcph_buf_done(&b->names);
    mcph_block_unref(b->block);
    free(b);
    return NULL;
}

static struct mcph_block *
server_new(struct mcph_spec *spec, struct mcph_listing *listing)
{
    struct mcph_block *block = calloc(1, sizeof(*block));

    if (!block)
        return NULL;
    mcph_refs_init(&block->refs);
    block->spec = mcph_spec_ref(spec);
    block->id = spec->id;
    block->listing = mcph_listing_ref(listing);
    return block;
}

struct mcph_block_build *
mcph_block_begin(struct mcph_spec *spec, const struct mcph_naming *naming,
                 struct mcph_listing *listing)
{
    struct mcph_block *block = server_new(spec, listing);

    return block ? build_new(block, naming) : NULL;
}

/* Does all steps of a build, sets *ret to the block, and frees the build.  If `b` is
 * NULL, returns MCPHOST_E_NOMEM. */
static int
build_all(struct mcph_block_build *b, struct mcph_block **ret)
{
    size_t budget = SIZE_MAX;
    int r = b ? mcph_block_step(b, &budget, ret) : MCPHOST_E_NOMEM;

    mcph_block_build_free(b);
    return r;
}

int
mcph_block_new_server(struct mcph_spec *spec, const struct mcph_naming *naming,
                      struct mcph_listing *listing, struct mcph_block **ret,
                      mcphost_error **reterr)
{
    struct mcph_block *block;

    if (listing)
        return build_all(mcph_block_begin(spec, naming, listing), ret) < 0
                   ? mcph_err_nomem(reterr)
                   : 0;
    block = server_new(spec, NULL);
    if (!block)
        return mcph_err_nomem(reterr);
    *ret = block;
    return 0;
}

/* ---- built-ins --------------------------------------------------------------------- */

/* Writes the definitions as a JSON array, as a server with these tools would list them.
 * Fails if a definition is not a JSON object. */
static int
write_page(const struct mcph_span *definitions, size_t n, struct mcph_buf *buf,
           mcphost_error **reterr)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < n; i++) {
        struct mcph_span object;
        int r = mcph_json_check_input(definitions[i], 0, MCPH_JSON_OBJECT,
                                      "definition of a tool", &object, reterr);

        if (r < 0)
            return r;
        mcph_json_add_comma(buf);
        mcph_json_add_span(buf, object);
    }
    mcph_buf_addc(buf, ']');
    if (mcph_buf_ok(buf) == MCPHOST_E_LIMIT)
        return mcph_err(reterr, MCPHOST_E_LIMIT,
                        "the definitions of the tools together are longer than %zu bytes",
                        MCPH_FRAME_LIMIT);
    return mcph_buf_ok(buf) < 0 ? mcph_err_nomem(reterr) : 0;
}

/* Fails if any definition was left out.  A server's bad tools are left out, but a bad
 * built-in is an error of the program. */
static int
refuse_losses(const struct mcph_block *block, mcphost_error **reterr)
{
    const struct mcph_finding *f;

    if (!block->findings.n)
        return 0;
    f = block->findings.items[0];
    if (f->kind == MCPH_FINDING_COLLISION)
        return mcph_err(reterr, MCPHOST_E_EXISTS, "there are two tools '%s'", f->tool);
    if (f->kind == MCPH_FINDING_INVALID_NAME)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the name of tool '%s' %s", f->tool,
                        f->text);
    return mcph_err(reterr, MCPHOST_E_INVALID, "tool '%s': %s", f->tool, f->text);
}

bool
mcph_toolset_has(const struct mcph_toolset *set, const mcphost_tool *tool)
{
    for (size_t i = 0; i < set->n_tools; i++)
        if (set->tools[i] == tool)
            return true;
    return false;
}

static int
add_member(struct mcph_block *block, struct mcph_toolset *set, const char *name,
           mcphost_error **reterr)
{
    mcphost_tool *tool = mcph_block_find_original(block, name);

    if (!tool)
        return mcph_err(reterr, MCPHOST_E_INVALID, "toolset '%s': there is no tool '%s'",
                        set->name, name);
    if (mcph_toolset_has(set, tool))
        return mcph_err(reterr, MCPHOST_E_EXISTS, "toolset '%s' has tool '%s' twice",
                        set->name, name);
    set->tools[set->n_tools++] = tool;
    return 0;
}

static int
add_set(struct mcph_block *block, const struct mcph_toolset_draft *draft,
        mcphost_error **reterr)
{
    struct mcph_toolset *set = &block->sets[block->n_sets];
    int r = 0;

    if (!*draft->name)
        return mcph_err(reterr, MCPHOST_E_INVALID, "a toolset needs a name");
    for (size_t i = 0; i < block->n_sets; i++)
        if (strcmp(block->sets[i].name, draft->name) == 0)
            return mcph_err(reterr, MCPHOST_E_EXISTS, "two toolsets are named '%s'",
                            draft->name);
    block->n_sets++;
    set->name = mcph_strdup(draft->name);
    set->description = draft->description ? mcph_strdup(draft->description) : NULL;
    set->tools = calloc(draft->n_tools + 1, sizeof(mcphost_tool *));
    if (!set->name || !set->tools || (draft->description && !set->description))
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < draft->n_tools && r == 0; i++)
        r = add_member(block, set, draft->tools[i], reterr);
    return r;
}

static int
add_sets(struct mcph_block *block, const struct mcph_toolset_draft *sets, size_t n,
         mcphost_error **reterr)
{
    int r = 0;

    block->sets = calloc(n + 1, sizeof(*block->sets));
    if (!block->sets)
        return mcph_err_nomem(reterr);
    for (size_t i = 0; i < n && r == 0; i++)
        r = add_set(block, &sets[i], reterr);
    return r;
}

static void
free_sets(struct mcph_block *block)
{
    for (size_t i = 0; i < block->n_sets; i++) {
        struct mcph_toolset *set = &block->sets[i];

        mcph_list_slots_done(set->lists, MCPH_N_SHAPES);
        free(set->tools);
        free(set->description);
        free(set->name);
    }
    free(block->sets);
}

/* Makes a block of built-ins from their listing.  Takes over the listing. */
static int
builtin_new(const char *owner, struct mcph_listing *listing, struct mcph_block **ret,
            mcphost_error **reterr)
{
    struct mcph_block *block = calloc(1, sizeof(*block));
    int r;

    if (!block) {
        mcph_listing_unref(listing);
        return mcph_err_nomem(reterr);
    }
    mcph_refs_init(&block->refs);
    block->listing = listing;
    block->id = block->owner_id = mcph_strdup(owner);
    if (!block->id) {
        mcph_block_unref(block);
        return mcph_err_nomem(reterr);
    }
    r = build_all(build_new(block, NULL), ret);
    return r < 0 ? mcph_err_nomem(reterr) : 0;
}

static int
list_definitions(const struct mcph_span *definitions, size_t n, struct mcph_listing **ret,
                 mcphost_error **reterr)
{
    struct mcph_client_page page = {0};
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, MCPH_FRAME_LIMIT);
    r = write_page(definitions, n, &buf, reterr);
    if (r == 0) {
        page.frame = mcph_frame_new(buf.data, buf.len);
        r = page.frame ? 0 : mcph_err_nomem(reterr);
    }
    if (r == 0) {
        page.items = mcph_frame_span(page.frame);
        r = mcph_listing_new(MCPH_LIST_TOOLS, &page, 1, 0, 0, ret, reterr);
    }
    mcph_frame_unref(page.frame);
    mcph_buf_done(&buf);
    return r;
}

int
mcph_block_new_builtin(const char *owner, const struct mcph_span *definitions, size_t n,
                       const struct mcph_toolset_draft *sets, size_t n_sets,
                       struct mcph_block **ret, mcphost_error **reterr)
{
    struct mcph_listing *listing;
    struct mcph_block *block = NULL;
    int r = list_definitions(definitions, n, &listing, reterr);

    if (r == 0)
        r = builtin_new(owner, listing, &block, reterr);
    if (r == 0)
        r = refuse_losses(block, reterr);
    if (r == 0)
        r = add_sets(block, sets, n_sets, reterr);
    if (r < 0)
        mcph_block_unref(block);
    else
        *ret = block;
    return r;
}

/* ---- life -------------------------------------------------------------------------- */

struct mcph_block *
mcph_block_ref(struct mcph_block *block)
{
    if (block)
        mcph_refs_get(&block->refs);
    return block;
}

struct mcph_block *
mcph_block_unref(struct mcph_block *block)
{
    if (!block || !mcph_refs_put(&block->refs))
        return NULL;
    for (size_t i = 0; i < block->findings.n; i++)
        mcph_finding_free(block->findings.items[i]);
    mcph_vec_done(&block->findings);
    mcph_list_slots_done(block->lists, MCPH_N_SHAPES);
    mcph_tool_schemas_done(block);
    mcph_listing_unref(block->listing);
    mcph_spec_unref(block->spec);
    free(block->source);
    free(block->key);
    free(block->owner_id);
    free_sets(block);
    for (size_t i = 0; i < block->n_items + block->n_apart; i++)
        mcph_kept_done(&block->items[i].kept);
    free(block->items);
    free(block->index);
    free(block->names);
    free(block);
    return NULL;
}

int
mcph_block_set_source(struct mcph_block *block, const char *source)
{
    if (block->key)
        return 0;
    if (source)
        block->source = mcph_strdup(source);
    block->key = mcph_asprintf("%s:%s", source ? source : MCPH_DEFAULT_SOURCE, block->id);
    return (block->source || !source) && block->key ? 0 : MCPHOST_E_NOMEM;
}

mcphost_tool *
mcph_block_find_original(const struct mcph_block *block, const char *name)
{
    for (size_t i = 0; i < block->n_items; i++)
        if (mcph_streq(mcph_tool_original(&block->items[i]), name))
            return &block->items[i];
    return NULL;
}

mcphost_tool *
mcph_block_successor(const struct mcph_block *block, mcphost_tool *tool)
{
    mcphost_tool *next;

    if (tool->block == block)
        return tool;
    next = mcph_block_find_original(block, mcph_tool_original(tool));
    if (next && !mcph_span_eq(mcph_tool_input_schema(next), mcph_tool_input_schema(tool)))
        return NULL;
    return next;
}
