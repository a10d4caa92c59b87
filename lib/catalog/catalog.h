/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the room `catalog`: make what a view shows from the raw pages of
 * tools/list.
 *
 *   pages --mcph_listing_new--> listing --mcph_block_new_server--> block
 *                                built-ins --mcph_block_new_builtin--> block
 *   blocks of a view, in order --mcph_catalog_new--> mcphost_catalog
 *   a catalog under a grant --mcph_catalog_new_granted--> mcphost_catalog
 *
 * There are three immutable, reference-counted structures.  The dispatcher builds each
 * one once; then any thread reads it without a lock:
 *
 *   - A *listing* is a server's list, byte for byte, with one small record a tool.  It
 *     knows nothing of the configuration: a change of filters or names makes a new block
 *     from the same listing.
 *   - A *block* is a listing under a spec: filtered and renamed, with a finding for each
 *     tool that is left out.  Built-ins are blocks, too; the rooms above tell them apart
 *     only by their owner.
 *   - A *catalog* is the blocks of a view, with names that are unique in it.  A server
 *     that is disabled, or that never had a valid entry, has no block.  The status, not
 *     the catalog, says that this server is declared.
 *
 * Each is a pure function of its inputs: the same spec, lists and built-ins, in the same
 * order and after the same earlier snapshot, give the same catalog and the same bytes.
 * The earlier snapshot decides only which server keeps which name.
 *
 * Only serialized lists are made later, on demand (lists.c).  Each of them is published
 * by one atomic pointer and never replaced.
 *
 * This room does no input or output, starts nothing, keeps no state of a server, calls no
 * user code and never changes a frame.
 */
#ifndef MCPH_CATALOG_H
#define MCPH_CATALOG_H

#include <mcphost/catalog.h>
#include <mcphost/problem.h>

#include "base/base.h"
#include "client/client.h"
#include "json/json.h"

struct mcph_spec; /* config/config.h */

/* ---- what a server says about itself (about.c) ------------------------------------- */

enum {
    MCPH_ABOUT_TITLE, /* the name, if there is no title */
    MCPH_ABOUT_DESCRIPTION,
    MCPH_ABOUT_INSTRUCTIONS,
    MCPH_ABOUT_ICONS, /* a JSON array */
    MCPH_ABOUT_N
};

struct mcph_about {
    struct mcph_refs refs;
    size_t len[MCPH_ABOUT_N]; /* of each part in `texts`, without the NUL behind it */
    char *texts;
};

/* Copies the texts, each cut to `max_text` bytes (0: no limit).  0, MCPHOST_E_NOMEM. */
int mcph_about_new(const struct mcph_client_info *info, size_t max_text,
                   struct mcph_about **ret);
struct mcph_about *mcph_about_ref(struct mcph_about *about);
struct mcph_about *mcph_about_unref(struct mcph_about *about); /* returns NULL */
/* A part; p NULL: there is none.  `about` may be NULL, which has no parts. */
struct mcph_span mcph_about_text(const struct mcph_about *about, int part);
bool mcph_about_equal(const struct mcph_about *a, const struct mcph_about *b);

/* ---- work in steps -----------------------------------------------------------------
 * Listings and blocks are built in steps, so that one turn of the dispatcher need not do
 * all the work.  A step ends when its budget is used up. */

#define MCPH_STEP_ITEM \
    256 /* the cost of an element besides the bytes that a step looks at */

static inline void
mcph_steps_spend(size_t *budget, size_t bytes)
{
    size_t cost = bytes + MCPH_STEP_ITEM;

    *budget -= cost < *budget ? cost : *budget;
}

/* ---- kinds of lists (kind.c) ------------------------------------------------------- */

struct mcph_list_kind {
    const char *noun; /* for one element; with an "s", for several */
    const char *method, *array;
    const char *subject; /* the member that identifies or describes an element */
    size_t subject_len;
    int subject_type; /* MCPH_JSON_* */
    bool needs_subject;
    /* The subject, a URI or a URI template, identifies an element, which needs no name.
     * False: the name identifies it. */
    bool is_keyed;
    int named; /* MCPH_NAMED_*: the filter and transform that apply */
};

extern const struct mcph_list_kind mcph_list_kinds[MCPH_LIST_KINDS];

/* ---- listing (listing.c) ----------------------------------------------------------- */

/* Why an element cannot be used. */
enum mcph_fault {
    MCPH_FAULT_GOOD = 0,
    MCPH_FAULT_NOT_OBJECT,
    MCPH_FAULT_TWICE, /* a member that we read occurs twice */
    MCPH_FAULT_NO_NAME,
    MCPH_FAULT_NAME_TYPE,
    MCPH_FAULT_NO_SUBJECT, /* no inputSchema, no uri, ... */
    MCPH_FAULT_SUBJECT_TYPE,
    MCPH_FAULT_HEADERS /* x-mcp-header is wrong or in a wrong place */
};

struct mcph_extent {
    uint32_t at, len; /* len 0: there is none */
};

/* One element, in 56 bytes: the positions of its parts in its page. */
struct mcph_listed {
    uint32_t page;
    uint8_t fault;                     /* enum mcph_fault */
    bool title_made, description_made; /* the text lies in `texts`, not in the page */
    bool cut : 1;                      /* its page is a shortened definition */
    bool may_be_task : 1, must_be_task : 1; /* MCP 2025-11-25, "Tasks" */
    bool no_model : 1, no_app : 1;          /* the model or apps may not call it; app.c */
    struct mcph_extent whole, name;         /* tokens; a name that is no string: none */
    struct mcph_extent subject;             /* token */
    struct mcph_extent description_token;   /* with quotes and escapes */
    struct mcph_extent title, description;  /* the decoded texts */
};

#define MCPH_LISTING_MAX 100000 /* the limit if `max_items` is 0 */

struct mcph_listing {
    struct mcph_refs refs;
    int kind;                  /* MCPH_LIST_* */
    bool has_tasks;            /* a tool in it may run as a task */
    struct mcph_vec frames;    /* struct mcph_frame *: pages, and definitions cut short */
    struct mcph_listed *items; /* all elements in order, also those that cannot be used */
    size_t n;
    char *texts;              /* decoded titles and descriptions, each with a NUL */
    struct mcph_about *about; /* of the server at that time; set before others see it */
};

/* Reads the pages of a list of this kind (MCPH_LIST_*), whose `items` were checked by a
 * scan, and takes references to their frames.  An element that cannot be used keeps its
 * place, and only this element is lost; mcph_block_new_server() makes a finding of it.
 * If the description, title or annotations of an element have more than `max_text` bytes
 * (0: no limit), a definition cut short is kept, with the whole subject.  Returns 0,
 * MCPHOST_E_LIMIT (more than `max_items` elements, or a page of 4 GiB),
 * MCPHOST_E_PROTOCOL (a page is not a JSON array), MCPHOST_E_NOMEM. */
int mcph_listing_new(int kind, const struct mcph_client_page *pages, size_t n_pages,
                     size_t max_items, size_t max_text, struct mcph_listing **ret,
                     mcphost_error **reterr);
/* The same in steps.  NULL: no memory. */
struct mcph_listing_build;
struct mcph_listing_build *mcph_listing_begin(int kind,
                                              const struct mcph_client_page *pages,
                                              size_t n_pages, size_t max_items,
                                              size_t max_text);
/* Subtracts from *budget what it looks at, and stops when *budget is 0.  1: another step
 * is needed; 0: *ret is the listing; else an error of mcph_listing_new(), and the build
 * is over. */
int mcph_listing_step(struct mcph_listing_build *build, size_t *budget,
                      struct mcph_listing **ret, mcphost_error **reterr);
/* May be called before the build is complete; NULL is fine.  Returns NULL. */
struct mcph_listing_build *mcph_listing_build_free(struct mcph_listing_build *build);
struct mcph_listing *mcph_listing_ref(struct mcph_listing *listing);
struct mcph_listing *mcph_listing_unref(struct mcph_listing *listing); /* returns NULL */

/* Adds a text.  If it has more than `max` bytes (0: no limit), adds its beginning, in
 * whole characters, and a mark.  0, or the buffer's error. */
int mcph_text_cut(struct mcph_span text, size_t max, struct mcph_buf *buf);

/* True if both have the same elements, byte for byte and in order, and the same texts
 * about the server.  How the elements are cut into pages does not matter.  Nothing needs
 * to be published again then. */
bool mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b);

/* A part of an element's page; p NULL: there is none. */
struct mcph_span mcph_listing_token(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool,
                                    struct mcph_extent extent);
/* The decoded title and description; p NULL: there is none. */
struct mcph_span mcph_listing_title(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool);
struct mcph_span mcph_listing_description(const struct mcph_listing *listing,
                                          const struct mcph_listed *tool);

/* ---- findings (finding.c) ---------------------------------------------------------- */

/* Why a tool or a whole server is not in a catalog, or is there in another form. */
enum mcph_finding_kind {
    MCPH_FINDING_INVALID,         /* no name, not an object, ... */
    MCPH_FINDING_INVALID_SCHEMA,  /* the inputSchema is missing, or not an object */
    MCPH_FINDING_INVALID_NAME,    /* the original name is not valid */
    MCPH_FINDING_INVALID_RENAMED, /* the name is not valid after transforms and policy */
    MCPH_FINDING_REFUSED,         /* the application's function refused the name */
    MCPH_FINDING_BLACKLISTED,
    MCPH_FINDING_NOT_WHITELISTED,
    MCPH_FINDING_COLLISION, /* the name is taken */
    MCPH_FINDING_TYPE,      /* a resource whose media type is not wanted */
    MCPH_FINDING_SAME_ID,   /* a resource whose id is taken: it is shown without an id */
    MCPH_FINDING_CUT,       /* a text was cut short: the tool is shown */
    MCPH_FINDING_MORE,      /* counts further tools that are left out */
    MCPH_FINDING_SERVER     /* the whole server is left out of the view */
};

/* The most findings of one server; further ones are only counted. */
#define MCPH_FINDINGS_MAX 100

/* Lives as long as the block or catalog that it is taken from.  Strings are
 * NUL-terminated.  A text from the server is one line of valid UTF-8 and at most some 200
 * bytes, whatever the server sent. */
struct mcph_finding {
    enum mcph_finding_kind kind;
    int of;             /* MCPH_LIST_*: the kind of `tool` */
    int severity;       /* MCPHOST_SEVERITY_* */
    const char *server; /* server id */
    const char
        *tool; /* original name, or URI; "#3", its place in the list, if it has none;
                * NULL for MCPH_FINDING_SERVER and MCPH_FINDING_MORE */
    const char *renamed; /* final name; NULL: it never got one */
    const char *owner;   /* of a collision, the owner of the name: a server's id or
                          * "SOURCE:SERVER"; with owner_builtin, the name of a built-in
                          * toolset */
    bool owner_builtin;
    bool owner_is_itself; /* an earlier tool of the same server */
    bool owner_keeps;     /* the owner is later in the order, but had the name before */
    const char *text;     /* rule, pattern or reason; NULL for collisions */
    char *made;           /* the memory of `text`, if this finding owns it */
    size_t more;          /* of MCPH_FINDING_MORE: the number */
    bool of_view;         /* made for one view; other views may show the tool */
};

#define MCPH_FINDING_TEXT_MAX 512 /* of `text` in details and messages; the rest is cut */

/* The kind decides the severity.  `server`, `owner` and `text` are borrowed and outlive
 * the finding.  `tool` and `renamed` are copied, and so is the `text` of
 * MCPH_FINDING_REFUSED.  `place` counts from 0.  NULL: no memory. */
struct mcph_finding *mcph_finding_new(enum mcph_finding_kind kind, int of,
                                      const char *server, struct mcph_span tool,
                                      size_t place, const char *renamed,
                                      const char *text);
void mcph_finding_free(struct mcph_finding *finding); /* NULL is fine */

/* The parts of the finding's problem (B.17): the kind, such as "mcp_tool_blacklisted";
 * the id, "mcp/server/<id>/tool_blacklisted/<original name>"; the detail, a JSON
 * object. */
const char *mcph_finding_kind_name(const struct mcph_finding *finding);
int mcph_finding_add_id(struct mcph_buf *buf, const struct mcph_finding *finding);
int mcph_finding_add_detail(struct mcph_buf *buf, const struct mcph_finding *finding);
/* Adds one line for people, which names the server and the tool and has no dot at its
 * end. */
int mcph_finding_add_message(struct mcph_buf *buf, const struct mcph_finding *finding);

/* ---- serialized lists (lists.c) ---------------------------------------------------- */

#define MCPH_N_SHAPES 5 /* MCPHOST_SHAPE_* */

/* One JSON array, written once. */
struct mcph_list_text {
    char *json; /* NUL-terminated */
    size_t len;
};

typedef _Atomic(struct mcph_list_text *) mcph_list_slot;

void mcph_list_slots_done(mcph_list_slot *slots, size_t n);

/* ---- block (block.c) --------------------------------------------------------------- */

/* An element of a list.  In a list of tools it is the handle mcphost_tool.  A reference
 * to an element is a reference to its block. */
struct mcphost_tool {
    struct mcph_block *block;
    uint32_t place;          /* in the listing */
    uint32_t name, original; /* offsets into the block's `names` */
    uint32_t hash;           /* of the name; each new catalog needs it */
    struct mcph_kept kept;   /* texts that a caller has asked for */
};

/* The other kinds are kept in the same way.  Of elements that a URI identifies,
 * `original` is the URI if it had escapes, else MCPH_NO_TEXT: it is read from the page.
 * `name` is MCPH_NO_TEXT if the element has no id, and `hash` is the hash of the URI. */
#define MCPH_NO_TEXT UINT32_MAX
struct mcphost_prompt {
    struct mcphost_tool item;
};
struct mcphost_resource {
    struct mcphost_tool item;
};
struct mcphost_resource_template {
    struct mcphost_tool item;
};
struct mcphost_skill {
    struct mcphost_tool item;
};

/* A toolset of built-ins: some tools of its block, in an order of its own.  A tool may be
 * in many toolsets. */
struct mcph_toolset {
    char *name;
    char *description; /* or NULL */
    mcphost_tool **tools;
    size_t n_tools;
    mcph_list_slot lists[MCPH_N_SHAPES];
};

struct mcph_block {
    struct mcph_refs refs;
    struct mcph_spec *spec;       /* NULL: of built-ins */
    int arguments, results;       /* MCPHOST_ARGUMENTS_*, MCPHOST_RESULTS_*; of servers */
    unsigned denied;              /* MCPHOST_DENY_*: the calls that are not allowed */
    bool serves_on;               /* turns keep its server after it was removed */
    const void *realm;            /* the host of the server; only compared */
    const void *owner;            /* the server, for the room that publishes it */
    unsigned edition;             /* of the server */
    struct mcph_listing *listing; /* NULL: nothing listed yet */
    const char *id;               /* of the server; of built-ins: their owner */
    char *source, *key;           /* of a server: its source (NULL: the default one),
                                   * and its unique key "SOURCE:SERVER" (NULL: `id` is
                                   * the key) */
    char *owner_id;               /* of built-ins: the memory of `id` */
    struct mcph_toolset *sets;    /* of built-ins */
    size_t n_sets;
    mcphost_tool *items; /* in the server's order: first those that are offered */
    size_t n_items;      /* how many are offered */
    size_t n_apart;      /* how many follow them that only apps may call */
    uint32_t *index;     /* of resources and templates, by URI; see keyed.c */
    size_t index_mask;
    char *names;              /* NUL-terminated names */
    struct mcph_vec findings; /* struct mcph_finding *, MCPH_FINDINGS_MAX at most */
    size_t n_more;            /* findings that were only counted */
    bool collides;            /* two of its tools have the same name */
    mcph_list_slot lists[MCPH_N_SHAPES];
    _Atomic(struct mcph_tool_schemas *) schemas; /* schema.c */
};

struct mcph_naming; /* names/names.h */

/* Makes the block of a server: `listing` under `spec` and a name policy (NULL: transforms
 * alone make the names).  `listing` NULL: a server that has listed nothing yet, with no
 * tools and no toolset.  Keeps references to both.  The decisions are made in the order
 * of B.8.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_new_server(struct mcph_spec *spec, const struct mcph_naming *naming,
                          struct mcph_listing *listing, struct mcph_block **ret,
                          mcphost_error **reterr);

/* The same in steps; `listing` is not NULL.  NULL: no memory. */
struct mcph_block_build;
struct mcph_block_build *mcph_block_begin(struct mcph_spec *spec,
                                          const struct mcph_naming *naming,
                                          struct mcph_listing *listing);
/* As mcph_listing_step(); the only error is MCPHOST_E_NOMEM. */
int mcph_block_step(struct mcph_block_build *build, size_t *budget,
                    struct mcph_block **ret);
struct mcph_block_build *mcph_block_build_free(struct mcph_block_build *build);

/* The toolset `name` of a block of built-ins, with the names of its tools. */
struct mcph_toolset_draft {
    const char *name, *description; /* `description` NULL: none */
    const char *const *tools;
    size_t n_tools;
};

/* Makes built-in tools from their definitions, each a JSON object as a server would list
 * it.  Tools have the order of their definitions, in the listing and in the block.  A
 * tool in no toolset is in no catalog.  Everything is copied.  Returns 0,
 * MCPHOST_E_INVALID (a bad definition; a toolset without a name, or with a tool that does
 * not exist), MCPHOST_E_EXISTS (a name occurs twice), MCPHOST_E_NOMEM. */
int mcph_block_new_builtin(const char *owner, const struct mcph_span *definitions,
                           size_t n, const struct mcph_toolset_draft *sets, size_t n_sets,
                           struct mcph_block **ret, mcphost_error **reterr);
bool mcph_toolset_has(const struct mcph_toolset *set, const mcphost_tool *tool);

struct mcph_block *mcph_block_ref(struct mcph_block *block);
struct mcph_block *mcph_block_unref(struct mcph_block *block); /* returns NULL */

static inline bool
mcph_block_is_builtin(const struct mcph_block *block)
{
    return !block->spec;
}

/* Finds an element by its URI or URI template; borrowed, or NULL. */
mcphost_tool *mcph_block_find_uri(const struct mcph_block *block, const char *uri);
/* Finds an element by its original name; borrowed, or NULL.  Tools that only apps may
 * call are not found. */
mcphost_tool *mcph_block_find_original(const struct mcph_block *block, const char *name);
/* The tool of this block that may carry out a call of `tool`, a tool of the same server
 * that may be of an older block: the tool itself, or a tool with the same original name
 * and the same bytes of inputSchema.  Borrowed; NULL: there is none. */
mcphost_tool *mcph_block_successor(const struct mcph_block *block, mcphost_tool *tool);

/* NULL is fine; unref returns NULL. */
mcphost_tool *mcph_tool_ref(mcphost_tool *tool);
mcphost_tool *mcph_tool_unref(mcphost_tool *tool);

/* ---- tool (tool.c); all borrowed from the tool ------------------------------------- */

/* A copy of one of the spans below with a NUL behind it, which the tool keeps; NULL: no
 * span, or no memory. */
const char *mcph_tool_give(const mcphost_tool *tool, struct mcph_span text);

/* The decoded text of a string token of the definition, which the item keeps; NULL: none,
 * or no memory. */
const char *mcph_item_give_string(const mcphost_tool *item, struct mcph_span token,
                                  size_t *ret_len);
/* The id of an item, which the item keeps; NULL: it has none, or no memory. */
const char *mcph_item_give_id(const mcphost_tool *item);

const char *mcph_tool_name(const mcphost_tool *tool);
const char *mcph_tool_original(const mcphost_tool *tool);
/* The original name as JSON, as the server wrote it. */
struct mcph_span mcph_tool_original_token(const mcphost_tool *tool);
/* How a legacy server may run the tool as a task; NULL: it never does. */
static inline const struct mcph_listed *
mcph_tool_as_task(const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;

    return listing->has_tasks && listing->items[tool->place].may_be_task
               ? &listing->items[tool->place]
               : NULL;
}
const char *mcph_tool_server_id(const mcphost_tool *tool); /* NULL: built-in */
/* The server's id; of a built-in, the first toolset that it is in. */
const char *mcph_tool_toolset(const mcphost_tool *tool);
struct mcph_span mcph_tool_title(const mcphost_tool *tool);
struct mcph_span mcph_tool_description(const mcphost_tool *tool);
struct mcph_span mcph_tool_definition(const mcphost_tool *tool);
struct mcph_span mcph_tool_input_schema(const mcphost_tool *tool);
/* The decoded URI or URI template, without a NUL behind it. */
struct mcph_span mcph_item_uri(const mcphost_tool *item);
/* Appends the item's id.  0, MCPHOST_E_NOTFOUND (it has none), MCPHOST_E_NOMEM. */
int mcph_item_add_id(const mcphost_tool *item, struct mcph_buf *buf);
/* A member of the definition that is an object, such as "annotations"; else p NULL. */
struct mcph_span mcph_tool_member(const mcphost_tool *tool, const char *name);

/* ---- apps (app.c) -------------------------------------------------------------------
 * MCP extension io.modelcontextprotocol/ui. */

/* The callers that may use a tool with this `_meta`: MCPHOST_VISIBLE_TO_*, or'ed. */
unsigned mcph_app_visibility(struct mcph_span meta);
unsigned mcph_tool_visibility(const mcphost_tool *tool);
/* The `ui://` URI of the tool's app, which the tool keeps; NULL: it has none, or no
 * memory. */
const char *mcph_tool_give_app_uri(const mcphost_tool *tool, size_t *ret_len);
/* A tool that an app of the server may call, by its original name; borrowed, or NULL. */
mcphost_tool *mcph_block_find_for_app(const struct mcph_block *block, const char *name);
/* The same among the tools that the catalog shows: a grant may give only some of them. */
mcphost_tool *mcph_entry_find_for_app(const mcphost_server *entry, const char *name);

/* ---- skills (skill.c) -------------------------------------------------------------- */

/* Checks an entry of skills/list against the extension.  0, MCPHOST_E_NOMEM, or
 * MCPHOST_E_PROTOCOL: *ret_why is a phrase that says what is wrong. */
int mcph_skill_check(struct mcph_span entry, const char **ret_why);
/* Finds a file of a skill by its URI, or by its path in the skill (NULL: SKILL.md), and
 * puts its URI into `buf`.  0, MCPHOST_E_NOTFOUND (the entry does not list the file),
 * MCPHOST_E_NOMEM. */
int mcph_skill_find_file(struct mcph_span entry, const char *file, struct mcph_buf *buf,
                         mcphost_error **reterr);
/* Checks these bytes of the file against the entry.  0, MCPHOST_E_PROTOCOL (the error
 * says what differs), MCPHOST_E_NOMEM. */
int mcph_skill_verify(struct mcph_span entry, struct mcph_span uri,
                      struct mcph_span bytes, mcphost_error **reterr);

/* ---- the schemas of a tool, compiled (schema.c) ------------------------------------ */

enum { MCPH_TOOL_INPUT, MCPH_TOOL_OUTPUT, MCPH_N_TOOL_SCHEMAS };

/* *ret_schema lives as long as the tool's block; NULL: the tool has no such schema.  Any
 * thread.  `steps` limits compiling, and each check against the schema
 * (MCPHOST_OPT_SCHEMA_STEPS).  Returns 0, MCPHOST_E_INVALID (the schema does not compile;
 * the message names the tool), MCPHOST_E_LIMIT (it costs too much to compile),
 * MCPHOST_E_NOMEM. */
int mcph_tool_schema(const mcphost_tool *tool, int which, int64_t steps,
                     mcphost_schema **ret_schema, mcphost_error **reterr);
void mcph_tool_schemas_done(struct mcph_block *block);

struct mcph_missing;

/* ---- catalog (catalog.c, lists.c) -------------------------------------------------- */

/* One block that a view shows.  A prompt whose name is taken is left out alone, whatever
 * `whole` is. */
struct mcph_offer {
    struct mcph_block *block;
    struct mcph_block
        *more[MCPH_LIST_KINDS]; /* of a server: its other lists, by kind, or NULL */
    bool keeps_names;           /* a server keeps its names of the earlier snapshot */
    bool whole; /* a taken tool name leaves out the server, not the tool */
};

/* The part of one server in a catalog; it is the handle mcphost_server.  Each toolset of
 * built-ins has an entry of this type, too, which the interface shows only as a
 * toolset. */
struct mcphost_server {
    mcphost_catalog *catalog; /* its owner, not a reference */
    struct mcph_block *block;
    struct mcph_toolset *set; /* of built-ins, else NULL */
    const char *name; /* of its toolset: the set's name, the server's id, or its key */
    mcphost_tool **tools; /* in the catalog's `tools`; of built-ins in `members` */
    size_t n_tools;
    struct mcph_block *more[MCPH_LIST_KINDS]; /* its other lists, by kind */
    mcphost_tool **prompts;                   /* in the catalog's `prompts` */
    size_t n_prompts;
    mcphost_tool **listed; /* in the catalog's `tools`: those that no earlier entry has */
    size_t n_listed;
    size_t toolset; /* index of its toolset; SIZE_MAX: none */
    bool rejected;  /* the view left this server out; its finding says why */
    bool partial;   /* a grant gives only single tools of it */
    mcph_list_slot lists[MCPH_N_SHAPES]; /* used if a collision took tools away */
    mcph_list_slot prompts_list;         /* likewise for prompts */
};

/* Data that a higher room keeps with a catalog, in a list that only grows. */
struct mcph_catalog_kept {
    struct mcph_catalog_kept *next;
    void (*drop)(struct mcph_catalog_kept *kept); /* called when the catalog is freed */
};

struct mcphost_catalog {
    struct mcph_refs refs;
    _Atomic(struct mcph_catalog_kept *) kept;
    uint64_t version;
    mcphost_server *entries; /* built-ins, then servers in file order */
    size_t n_entries, n_builtin;
    mcphost_server **toolsets;
    size_t n_toolsets;
    mcphost_tool **tools; /* each once */
    size_t n_tools;
    mcphost_tool **members; /* tools of toolsets of built-ins */
    size_t n_members;
    mcphost_tool **prompts; /* each once */
    size_t n_prompts;
    struct mcph_map by_name[MCPH_LIST_KINDS]; /* of tools and prompts */
    struct mcph_map by_toolset, by_server;
    struct mcph_vec findings;     /* by server, in order: first of its block, then of
                                   * this view */
    struct mcph_vec finders;      /* mcphost_server *: the server of each finding */
    struct mcph_vec own_findings; /* the findings that this catalog owns */
    mcph_list_slot lists[MCPH_N_SHAPES];
    mcph_list_slot more_lists[MCPH_LIST_KINDS];
    struct mcphost_grant *grant; /* a reference to the grant that it was made under, or
                                  * NULL */
    struct mcph_missing *missing;
    size_t n_missing;
};

/* Builds the snapshot of a view from its blocks.  Servers are given in the order of the
 * view.  Built-ins may be anywhere; they are put in front, in the order given.  Keeps a
 * reference to each block.
 *
 * `before` is the earlier snapshot of the same view.  With `keeps_names`, a server that
 * has a name there keeps it as long as its block offers a tool of that name.  Two servers
 * are the same if their keys are equal.  `before` NULL: only the order decides (a new
 * view).
 *
 * If the id of a server is the name of a built-in toolset or of an earlier server, the
 * server's key becomes its name.  If the key is taken, too, the server is left out with a
 * finding, and so is a server of the default source whose id is the name of a built-in
 * toolset.  Returns 0, MCPHOST_E_EXISTS (two built-ins have the same name; a host finds
 * this out when they are declared), MCPHOST_E_NOMEM. */
int mcph_catalog_new(uint64_t version, const mcphost_catalog *before,
                     const struct mcph_offer *offers, size_t n, mcphost_catalog **ret,
                     mcphost_error **reterr);
/* The default source has no id; this word takes its place in "SOURCE:SERVER". */
#define MCPH_DEFAULT_SOURCE "default"

/* Sets the source of a server's block, before other threads see the block.  `source`
 * NULL: the default source.  0, MCPHOST_E_NOMEM. */
int mcph_block_set_source(struct mcph_block *block, const char *source);
/* The unique key of a server, or of a block of built-ins. */
static inline const char *
mcph_block_key(const struct mcph_block *block)
{
    return block->key ? block->key : block->id;
}
/* Finds the entry of a server by its key.  The id finds the first server with this id.
 * NULL: there is none. */
mcphost_server *mcph_catalog_server(const mcphost_catalog *catalog, const char *key);
/* The entry of the server that this block belongs to, perhaps with another edition.
 * NULL: there is none, or the block is of built-ins. */
mcphost_server *mcph_catalog_entry(const mcphost_catalog *catalog,
                                   const struct mcph_block *block);
/* The description of the toolset, by the application or the server; p NULL: none. */
struct mcph_span mcph_entry_description(const mcphost_server *entry);
mcphost_catalog *mcph_catalog_ref(mcphost_catalog *catalog);
mcphost_catalog *mcph_catalog_unref(mcphost_catalog *catalog); /* returns NULL */

mcphost_tool *mcph_catalog_find(const mcphost_catalog *catalog, const char *name,
                                size_t len);
mcphost_tool *mcph_catalog_find_prompt(const mcphost_catalog *catalog, const char *name);

/* The items of one kind (MCPH_LIST_*) that an entry shows, in the order of the server;
 * NULL past the end. */
size_t mcph_entry_count(const mcphost_server *entry, int kind);
mcphost_tool *mcph_entry_item(const mcphost_server *entry, int kind, size_t index);
/* The same for all entries, one after the other. */
size_t mcph_catalog_count(const mcphost_catalog *catalog, int kind);
mcphost_tool *mcph_catalog_item(const mcphost_catalog *catalog, int kind, size_t index);
/* Finds an item by its URI at the server with this key; `kind` is a kind with URIs.  Any
 * argument may be NULL. */
mcphost_tool *mcph_catalog_find_uri(const mcphost_catalog *catalog, int kind,
                                    const char *server, const char *uri);

/* The items of one kind that an entry shows (`entry` NULL: all entries), as a JSON array
 * in one of the shapes MCPHOST_SHAPE_*, which the caller has checked.  Only tools have
 * another shape than MCP.  Borrowed from the catalog.  Any thread.  0 or
 * MCPHOST_E_NOMEM. */
int mcph_catalog_json(mcphost_catalog *catalog, int kind, int shape,
                      mcphost_server *entry, struct mcph_span *ret_json);
/* The same by the name of a toolset (NULL: all toolsets).  0, MCPHOST_E_NOTFOUND,
 * MCPHOST_E_NOMEM. */
int mcph_catalog_give_json(mcphost_catalog *catalog, int kind, int shape,
                           const char *toolset, const char **ret_json, size_t *ret_len,
                           mcphost_error **reterr);

/* Steps of building a catalog.  `alloc`: makes room for so many entries, tools, tools of
 * toolsets of built-ins, and prompts; NULL: no memory.  `add_entry`: adds an entry, which
 * keeps a reference to `block`.  `begin_entry`: tools are added to this entry from now
 * on.  `add_tool`: adds a tool of it, unless another tool has the name (*ret_winner, else
 * NULL).  `add_toolset`: shows the entry as a toolset.  The codes are 0 and
 * MCPHOST_E_NOMEM. */
mcphost_catalog *mcph_catalog_alloc(uint64_t version, size_t n_entries, size_t n_tools,
                                    size_t n_members, size_t n_prompts);
mcphost_server *mcph_catalog_add_entry(mcphost_catalog *c, struct mcph_block *block,
                                       struct mcph_toolset *set);
void mcph_catalog_begin_entry(mcphost_catalog *c, mcphost_server *entry);
int mcph_catalog_add_tool(mcphost_catalog *c, mcphost_server *entry, mcphost_tool *tool,
                          mcphost_tool **ret_winner);
int mcph_catalog_add_toolset(mcphost_catalog *c, mcphost_server *entry);
/* Likewise, `add_prompt` adds a prompt of the entry, and `add_more` all items of a block,
 * to which the entry keeps a reference. */
int mcph_catalog_add_prompt(mcphost_catalog *c, mcphost_server *entry,
                            mcphost_tool *prompt, mcphost_tool **ret_winner);
void mcph_catalog_add_more(mcphost_server *entry, struct mcph_block *block);
/* Enters a server's entry under its name and its key, unless other servers have these. */
int mcph_catalog_index_server(mcphost_catalog *c, mcphost_server *entry);

/* ---- grants (grant.c, granted.c) ------------------------------------------------------
 * What one member of a team may see and call (R83-R87, B.18).  A grant is only a list of
 * names.  Their meaning is decided against a catalog each time it is needed, so that it
 * follows every reload. */

enum mcph_grant_list {
    MCPH_GRANT_TOOLSETS, /* "name"; "*": all toolsets that "*" may give; "!name": not
                          * this one, at any place and even if it is named; "!*": none */
    MCPH_GRANT_TOOLS     /* "name", added after the toolsets; "!name": not this tool,
                          * even if its toolset is given */
};

struct mcph_grant_item {
    char *text; /* without the '!' */
    bool refuses;
    int line, column; /* 0: not from a file */
};

struct mcphost_grant { /* built by one thread, then only read */
    struct mcph_refs refs;
    atomic_bool frozen;       /* it is in use, and does not change any more */
    struct mcph_vec lists[2]; /* struct mcph_grant_item *, by enum mcph_grant_list */
};

struct mcphost_grant *mcph_grant_new(void); /* NULL: no memory; gives nothing yet */
struct mcphost_grant *mcph_grant_ref(struct mcphost_grant *grant);
struct mcphost_grant *mcph_grant_unref(struct mcphost_grant *grant); /* returns NULL */

#define MCPH_GRANT_ITEMS_MAX 1024 /* of a list */

/* Adds a text to a list.  A text that is blank, or only "!", is ignored.  0,
 * MCPHOST_E_STATE (frozen), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_grant_add(struct mcphost_grant *grant, enum mcph_grant_list list,
                   const char *text, int line, int column);
/* Empties the grant: a member whose entry is invalid is given nothing. */
void mcph_grant_clear(struct mcphost_grant *grant);

/* Flags of toolsets. */
#define MCPH_TOOLSET_NEVER_GIVEN 1u /* no grant gives it, nor a tool of it */
#define MCPH_TOOLSET_NOT_BY_STAR 2u /* only a grant that names it gives it */

/* What a grant needs to know besides the catalog. */
struct mcph_grant_world {
    /* MCPH_TOOLSET_* of a toolset; NULL: no toolset has flags. */
    unsigned (*flags)(const char *toolset, void *arg);
    /* Why a toolset is missing: UNKNOWN, DOWN, DISABLED or INVALID.  NULL: the catalog
     * decides between UNKNOWN and DOWN. */
    enum mcphost_lack (*lack)(const char *toolset, void *arg);
    bool config_rejected;
    /* Built-ins that are not in the base, in one toolset.  Only a grant that names the
     * toolset or a tool of it gives them.  Built-ins of the base win a name against them.
     * NULL: there are none. */
    struct mcph_block *apart;
    void *arg;
};

/* One granted name that gives nothing.  Lives as long as the grant. */
struct mcph_missing {
    enum mcph_grant_list list;
    enum mcphost_lack lack;
    const struct mcph_grant_item *item;
};

/* Builds what a member sees of `base`.  First come the granted toolsets, in the order of
 * the grant: "*" stands for toolsets in the order of the base, and a toolset that is
 * named twice counts at its first place.  Then come the toolsets of which only single
 * tools are granted.  Tools have the server's order.  Servers and tools that are not
 * granted are not in the result in any form.  A granted server whose tools are not known
 * yet is in it without a toolset.  The result depends on names and blocks alone: the same
 * grant, base and world give the same bytes.
 *
 * The names that are granted and give nothing are its `missing`.  Keeps a reference to
 * the grant, which must not change any more.  0, MCPHOST_E_NOMEM. */
int mcph_catalog_new_granted(uint64_t version, const mcphost_catalog *base,
                             struct mcphost_grant *grant,
                             const struct mcph_grant_world *world, mcphost_catalog **ret,
                             mcphost_error **reterr);
/* Whether two catalogs, granted or not, show the same and lack the same. */
bool mcph_catalog_same(const mcphost_catalog *a, const mcphost_catalog *b);

/* Whether the grant gives this tool, which may come from an older base: the grant gives
 * its toolset, or names the tool, and the name means no other tool in the present
 * base. */
bool mcph_grant_gives(const struct mcphost_grant *grant, const mcphost_catalog *base,
                      const struct mcph_grant_world *world, const mcphost_tool *tool);

/* The id and the message of a problem about a missing name: id
 * "team/member/<member>/toolset/<name>" (or tool), and one line for people. */
int mcph_missing_add_id(struct mcph_buf *buf, const char *member,
                        const struct mcph_missing *missing);
int mcph_missing_add_message(struct mcph_buf *buf, const char *member,
                             const struct mcph_missing *missing);

/* ---- teams (team.c) -----------------------------------------------------------------
 * The members of a team and their grants, as a profile has read them. */

struct mcph_team_member {
    char *id;
    struct mcphost_grant *grant; /* never NULL; empty if the member's entry is invalid */
    bool invalid;                /* `report` says why */
    int line, column;
};

struct mcph_team {
    struct mcph_refs refs;
    /* A configuration without servers: diagnostics, and `status` if the whole file is
     * rejected.  Then there are no members, and an earlier team stays in force. */
    mcphost_config *report;
    struct mcph_vec members; /* struct mcph_team_member *, in the order of the file */
    struct mcph_map by_id;
};

/* Takes the report over, also when it returns NULL (no memory). */
struct mcph_team *mcph_team_new(mcphost_config *report);
struct mcph_team *mcph_team_ref(struct mcph_team *team);
struct mcph_team *mcph_team_unref(struct mcph_team *team); /* returns NULL */
/* Adds a member with an empty grant.  The id must be new.  NULL: no memory. */
struct mcph_team_member *mcph_team_add(struct mcph_team *team, const char *id);
void mcph_team_drop_members(struct mcph_team *team);
/* NULL: there is no such member, so nothing is given. */
const struct mcph_team_member *mcph_team_find(const struct mcph_team *team,
                                              const char *id);

/* A reader of a team's file, which may be read many times. */
struct mcph_team_source {
    const char *file; /* absolute; the file to watch */
    /* Makes a team also if it is rejected.  Fails only if none can be made. */
    int (*read)(struct mcph_team_source *source, struct mcph_team **ret_team,
                mcphost_error **reterr);
    void (*free)(struct mcph_team_source *source);
};

#endif
