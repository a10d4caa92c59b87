/* SPDX-License-Identifier: MIT
 *
 * catalog.h - interface of lib/catalog: make the catalogs of views from the raw pages of
 * the servers' lists.
 *
 *   pages --mcph_listing_new--> listing --mcph_block_new_server--> block
 *                                built-ins --mcph_block_new_builtin--> block
 *   blocks of a view, in order --mcph_catalog_new--> mcphost_catalog
 *   a catalog under a grant --mcph_catalog_new_granted--> mcphost_catalog
 *
 * There are three immutable, reference-counted structures.  The dispatcher (the thread
 * that runs the host) builds each structure once.  Then any thread reads the structure
 * without a lock:
 *
 * - A *listing* is a server's list, byte for byte, with a small record for each element.
 *   A listing does not depend on the configuration: after a change of filters or names,
 *   the dispatcher makes a new block from the same listing.
 * - A *block* is the result of a spec (the configuration of a server) for a listing: the
 *   tools that the filters accept, under their final names, and a finding for each tool
 *   that is left out.  Built-ins are in blocks, too.
 * - A *catalog*, also called a snapshot, is the blocks of a view (<mcphost/view.h>), with
 *   names that are unique in the catalog.
 *
 * A server that is disabled, or that never had a valid entry, has no block.  Only the
 * status shows that the configuration declares this server.
 *
 * Each structure is a pure function of its inputs: equal specs, lists and built-ins, in
 * the same order and after the same earlier snapshot, give an equal catalog with equal
 * bytes.  The application's name function must also give equal names.  The earlier
 * snapshot decides only which server keeps which name.
 *
 * Serialized lists (lists.c), compiled schemas (schema.c) and copies of texts are made
 * later, on demand.  Each of them is published by one atomic pointer and never replaced.
 *
 * lib/catalog does no input or output, starts nothing, keeps no state of a server and
 * never changes a frame.  The only user code that it runs is the application's name
 * function, which mcph_name_decide() calls while a block is built.
 */
#ifndef MCPH_CATALOG_H
#define MCPH_CATALOG_H

#include <mcphost/catalog.h>
#include <mcphost/problem.h>

#include "base/base.h"
#include "client/client.h"
#include "json/json.h"

struct mcph_spec; /* defined in config/config.h */

/* ---- a server's description of itself (about.c) ------------------------------------ */

enum {
    MCPH_ABOUT_TITLE, /* the title, or the name if there is no title */
    MCPH_ABOUT_DESCRIPTION,
    MCPH_ABOUT_INSTRUCTIONS,
    MCPH_ABOUT_ICONS, /* a JSON array */
    MCPH_ABOUT_N
};

struct mcph_about {
    struct mcph_refs refs;
    size_t len[MCPH_ABOUT_N]; /* the length of each part in `texts`, without its NUL */
    char *texts;
};

/* Copies the texts that the server has sent about itself.  Cuts each text to `max_text`
 * bytes, unless `max_text` is 0.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_about_new(const struct mcph_client_info *info, size_t max_text,
                   struct mcph_about **ret);
struct mcph_about *mcph_about_ref(struct mcph_about *about);
struct mcph_about *mcph_about_unref(struct mcph_about *about); /* returns NULL */
/* Returns the text `part` (MCPH_ABOUT_*).  If `about` is NULL or lacks this text, the p
 * of the result is NULL. */
struct mcph_span mcph_about_text(const struct mcph_about *about, int part);
bool mcph_about_equal(const struct mcph_about *a, const struct mcph_about *b);

/* ---- work in steps -----------------------------------------------------------------
 * Listings and blocks are built in steps, so that one turn of the dispatcher need not do
 * all the work.  A step ends when its budget is used up. */

#define MCPH_STEP_ITEM \
    256 /* the cost in bytes of an element, added to the bytes that a step reads */

static inline void
mcph_steps_spend(size_t *budget, size_t bytes)
{
    size_t cost = bytes + MCPH_STEP_ITEM;

    *budget -= cost < *budget ? cost : *budget;
}

/* ---- kinds of lists (kind.c) ------------------------------------------------------- */

struct mcph_list_kind {
    const char *noun; /* the word for one element; with an "s", for several elements */
    const char *method, *array;
    const char *subject; /* the member that identifies or describes an element */
    size_t subject_len;
    int subject_type; /* MCPH_JSON_* */
    bool needs_subject;
    /* True if the subject identifies an element.  The subject is then a URI or a URI
     * template.  The element then needs no name.  False if the name identifies an
     * element. */
    bool is_keyed;
    int named; /* MCPH_NAMED_*: the filter and transform that apply */
};

extern const struct mcph_list_kind mcph_list_kinds[MCPH_LIST_KINDS];

/* ---- listing (listing.c) ----------------------------------------------------------- */

/* The reason why an element cannot be used.  MCPH_FAULT_GOOD means that the element can
 * be used. */
enum mcph_fault {
    MCPH_FAULT_GOOD = 0,
    MCPH_FAULT_NOT_OBJECT,
    MCPH_FAULT_TWICE, /* a member that the listing reads occurs twice */
    MCPH_FAULT_NO_NAME,
    MCPH_FAULT_NAME_TYPE,
    MCPH_FAULT_NO_SUBJECT, /* the subject (inputSchema, uri, ...) is missing */
    MCPH_FAULT_SUBJECT_TYPE,
    MCPH_FAULT_HEADERS /* x-mcp-header is wrong or in a wrong place */
};

struct mcph_extent {
    uint32_t at, len; /* offset and length of a part; `len` is 0 if the part is absent */
};

/* One element, in 56 bytes: the positions of its parts in its page. */
struct mcph_listed {
    uint32_t page;
    uint8_t fault;                          /* enum mcph_fault */
    bool title_made;                        /* the title was decoded and is in the
                                             * listing's `texts` */
    bool description_made;                  /* the description was decoded and is in the
                                             * listing's `texts` */
    bool cut : 1;                           /* `page` is the index of a shortened
                                             * definition, because a text or the
                                             * annotations exceed the limit */
    bool may_be_task : 1, must_be_task : 1; /* the tool may run, or must run, as a task
                                             * (MCP 2025-11-25) */
    bool no_model : 1, no_app : 1;          /* no_model: the model may not call the
                                             * tool; no_app: apps may not call the tool
                                             * (app.c) */
    struct mcph_extent whole, name;         /* tokens; `name` is absent if the name is
                                             * not a string */
    struct mcph_extent subject;             /* a token */
    struct mcph_extent description_token;   /* the string token, with its quotes and
                                             * escapes */
    struct mcph_extent title, description;  /* the decoded texts */
};

#define MCPH_LISTING_MAX 100000 /* limit on the elements if `max_items` is 0 */

struct mcph_listing {
    struct mcph_refs refs;
    int kind;                  /* MCPH_LIST_* */
    bool has_tasks;            /* a tool of the list may run as a task */
    struct mcph_vec frames;    /* struct mcph_frame *: pages, and definitions cut short */
    struct mcph_listed *items; /* all elements in order, also unusable elements */
    size_t n;
    char *texts;              /* decoded titles and descriptions, each with a NUL */
    struct mcph_about *about; /* the server's texts; set before other threads see the
                               * listing */
};

/* Makes a listing from the pages of a list of this kind (MCPH_LIST_*).  The `items` of
 * the pages must be valid JSON.  Keeps references to the frames of the pages.  An
 * element that cannot be used keeps its place with a fault.  mcph_block_new_server()
 * adds a finding about the fault.  If the description, title or annotations of an
 * element have more than `max_text` bytes, the listing keeps a shortened definition
 * with the whole subject.  If `max_text` is 0, there is no limit.  Returns 0,
 * MCPHOST_E_LIMIT (more than `max_items` elements, or a page or decoded texts of 4
 * GiB), MCPHOST_E_PROTOCOL (a page is not a JSON array) or MCPHOST_E_NOMEM. */
int mcph_listing_new(int kind, const struct mcph_client_page *pages, size_t n_pages,
                     size_t max_items, size_t max_text, struct mcph_listing **ret,
                     mcphost_error **reterr);
/* Begins the work of mcph_listing_new() in steps.  Returns NULL if memory is short. */
struct mcph_listing_build;
struct mcph_listing_build *mcph_listing_begin(int kind,
                                              const struct mcph_client_page *pages,
                                              size_t n_pages, size_t max_items,
                                              size_t max_text);
/* Does one step.  Subtracts the cost of the work from *budget, and stops when *budget is
 * 0.  Returns 1 if another step is needed, or 0 and the listing in *ret.  On failure,
 * returns an error of mcph_listing_new().  No further step is then possible. */
int mcph_listing_step(struct mcph_listing_build *build, size_t *budget,
                      struct mcph_listing **ret, mcphost_error **reterr);
/* Frees the build, also before its last step.  `build` may be NULL.  Returns NULL. */
struct mcph_listing_build *mcph_listing_build_free(struct mcph_listing_build *build);
struct mcph_listing *mcph_listing_ref(struct mcph_listing *listing);
struct mcph_listing *mcph_listing_unref(struct mcph_listing *listing); /* returns NULL */

/* Adds a text to `buf`.  If the text has more than `max` bytes, adds its beginning, in
 * whole characters, and a mark.  If `max` is 0, there is no limit.  Returns 0 or the
 * buffer's error. */
int mcph_text_cut(struct mcph_span text, size_t max, struct mcph_buf *buf);

/* Checks whether two listings have equal elements, byte for byte and in order, and equal
 * texts about the server.  The pages may be divided differently.  A list that equals the
 * published list need not be published again. */
bool mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b);

/* Returns the part `extent` of the element's page.  If the part is absent, p is NULL. */
struct mcph_span mcph_listing_token(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool,
                                    struct mcph_extent extent);
/* Return the decoded title or description.  If the text is absent, p is NULL. */
struct mcph_span mcph_listing_title(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool);
struct mcph_span mcph_listing_description(const struct mcph_listing *listing,
                                          const struct mcph_listed *tool);

/* ---- findings (finding.c) ---------------------------------------------------------- */

/* The reasons why a tool or a whole server is not in a catalog, or is changed in the
 * catalog. */
enum mcph_finding_kind {
    MCPH_FINDING_INVALID,         /* the element has no name, is not an object, ... */
    MCPH_FINDING_INVALID_SCHEMA,  /* the inputSchema is missing, or not an object */
    MCPH_FINDING_INVALID_NAME,    /* the original name is not valid */
    MCPH_FINDING_INVALID_RENAMED, /* the name is not valid after transforms and policy */
    MCPH_FINDING_REFUSED,         /* the application's function rejected the name */
    MCPH_FINDING_BLACKLISTED,
    MCPH_FINDING_NOT_WHITELISTED,
    MCPH_FINDING_COLLISION, /* another element has the name */
    MCPH_FINDING_TYPE,      /* a resource or template whose media type is not wanted */
    MCPH_FINDING_SAME_ID,   /* the element is shown without its id: another element has
                             * the id, or the id is too long */
    MCPH_FINDING_CUT,       /* the element is shown, but a text is cut short */
    MCPH_FINDING_MORE,      /* counts further elements of the list that are left out */
    MCPH_FINDING_SERVER     /* the whole server is left out of the view */
};

/* Limit on the findings about one list of a server, in the list's block and in a view.
 * For further findings, only the elements that are left out are counted. */
#define MCPH_FINDINGS_MAX 100

/* One reason why an element or a server is not shown, or is changed.  The block or
 * catalog that has the finding owns the finding.  Strings are NUL-terminated.  `tool` is
 * cleaned: it is one line of valid UTF-8, and only about MCPH_NAME_SHOWN_MAX bytes of a
 * longer name are kept. */
struct mcph_finding {
    enum mcph_finding_kind kind;
    int of;             /* MCPH_LIST_*: the kind of list that the element `tool` is in */
    int severity;       /* MCPHOST_SEVERITY_* */
    const char *server; /* server id */
    const char *tool; /* the original name, or the URI, or the place in the list ("#3") if
                * there is no name; NULL for MCPH_FINDING_SERVER and MCPH_FINDING_MORE */
    const char *renamed; /* the final name, or NULL */
    const char *owner;   /* in a collision, the owner of the name: a server's id or
                          * "SOURCE:SERVER"; with owner_builtin, the name of a built-in
                          * toolset */
    bool owner_builtin;
    bool owner_is_itself; /* an earlier element of this server has the name */
    bool owner_keeps;     /* the owner comes later in the view, but had the name in
                           * the earlier snapshot */
    const char *text;     /* rule, pattern or reason; may be NULL */
    char *made;           /* the memory of `text`, if this finding owns it */
    size_t more;          /* only for MCPH_FINDING_MORE: the number of further elements of
                           * the list that are left out; else 0 */
    bool of_view;         /* the finding is true for one view only; another view may
                           * show the tool */
};

#define MCPH_FINDING_TEXT_MAX 512 /* limit on the bytes of a text in a problem */

/* Makes a finding.  The finding's kind decides its severity.  Copies `tool` and
 * `renamed`.  Copies `text` if the kind is MCPH_FINDING_REFUSED.  Borrows `text` if the
 * kind is any other kind.  Borrows `server`.  Borrowed texts must outlive the finding.
 * The `owner` that a caller sets later is borrowed, too.  `place` counts from 0.  Returns
 * NULL if memory is short. */
struct mcph_finding *mcph_finding_new(enum mcph_finding_kind kind, int of,
                                      const char *server, struct mcph_span tool,
                                      size_t place, const char *renamed,
                                      const char *text);
void mcph_finding_free(struct mcph_finding *finding); /* `finding` may be NULL */

/* mcph_finding_kind_name() returns the kind of the finding's problem (B.17), such as
 * "mcp_tool_blacklisted".  mcph_finding_add_id() adds the problem's id, such as
 * "mcp/server/<id>/tool_blacklisted/<original name>".  mcph_finding_add_detail() adds
 * the problem's detail, a JSON object. */
const char *mcph_finding_kind_name(const struct mcph_finding *finding);
int mcph_finding_add_id(struct mcph_buf *buf, const struct mcph_finding *finding);
int mcph_finding_add_detail(struct mcph_buf *buf, const struct mcph_finding *finding);
/* Adds a message for people: one line with the server and the tool, and no full stop. */
int mcph_finding_add_message(struct mcph_buf *buf, const struct mcph_finding *finding);

/* ---- serialized lists (lists.c) ---------------------------------------------------- */

#define MCPH_N_SHAPES 5 /* the number of MCPHOST_SHAPE_* */

/* One JSON array, written once. */
struct mcph_list_text {
    char *json; /* NUL-terminated */
    size_t len;
};

typedef _Atomic(struct mcph_list_text *) mcph_list_slot;

void mcph_list_slots_done(mcph_list_slot *slots, size_t n);

/* ---- block (block.c, tool.c) ------------------------------------------------------- */

/* An element of a list.  An element of a list of tools is the handle mcphost_tool.  A
 * reference to an element is a reference to its block. */
struct mcphost_tool {
    struct mcph_block *block;
    uint32_t place;          /* index of the element in the listing */
    uint32_t name, original; /* offsets into the block's `names` */
    uint32_t hash;           /* the name's hash, which each new catalog needs */
    struct mcph_kept kept;   /* texts that a caller has requested */
};

/* An element of a list of prompts, resources, templates or skills.  A resource, a
 * template and a skill are identified by a URI.  For these three kinds, `hash` is the
 * hash of the URI, and `original` is the offset of the decoded URI; if the URI has no
 * escapes, `original` is MCPH_NO_TEXT and the URI is read from the page.  If the element
 * has no id, `name` is MCPH_NO_TEXT. */
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

/* A toolset of built-ins: some tools of its block, in the toolset's own order.  A tool
 * may be in many toolsets. */
struct mcph_toolset {
    char *name;
    char *description; /* may be NULL */
    mcphost_tool **tools;
    size_t n_tools;
    mcph_list_slot lists[MCPH_N_SHAPES];
};

struct mcph_block {
    struct mcph_refs refs;
    struct mcph_spec *spec;       /* NULL for a block of built-ins */
    int arguments;                /* MCPHOST_ARGUMENTS_*; for servers only */
    int results;                  /* MCPHOST_RESULTS_*; for servers only */
    unsigned denied;              /* MCPHOST_DENY_*: the calls that are not allowed */
    bool serves_on;               /* a dialog turn (lib/host/turn.c) can call the server
                                   * until the turn ends, even after the server was
                                   * removed */
    const void *realm;            /* identifies the mcphost handle of the server; the
                                   * pointer is compared and never followed */
    const void *owner;            /* identifies the server for the code that publishes
                                   * the block */
    unsigned edition;             /* number of the server's edition (workspace.h) */
    struct mcph_listing *listing; /* NULL if the server has listed nothing yet */
    const char *id;               /* the server's id, or the owner of built-ins */
    char *source, *key;           /* the server's source (NULL for the default source)
                                   * and its unique key "SOURCE:SERVER" (NULL if the
                                   * key is `id`) */
    char *owner_id;               /* the memory of `id`, for built-ins */
    struct mcph_toolset *sets;    /* the toolsets of built-ins */
    size_t n_sets;
    mcphost_tool *items; /* in the server's order; the offered items come first */
    size_t n_items;      /* number of items that are offered */
    size_t n_apart;      /* number of further tools that the model may not call */
    uint32_t *index;     /* resources, templates and skills by URI (keyed.c) */
    size_t index_mask;
    char *names;              /* NUL-terminated names and decoded URIs */
    struct mcph_vec findings; /* holds struct mcph_finding *, at most MCPH_FINDINGS_MAX */
    size_t n_more;            /* elements that are left out without a finding */
    bool collides;            /* two elements have the same name or URI */
    mcph_list_slot lists[MCPH_N_SHAPES];
    _Atomic(struct mcph_tool_schemas *) schemas; /* the compiled schemas (schema.c);
                                                  * NULL until the first schema is
                                                  * needed */
};

struct mcph_naming; /* defined in names/names.h */

/* Makes the block of a server from `listing`, under `spec` and a name policy.  If
 * `naming` is NULL, only transforms change names.  `listing` is NULL if the server has
 * listed nothing yet.  The block then has no tools and no toolset.  The block keeps
 * references to `spec` and `listing`.  The decisions are made in the order of B.8.
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_new_server(struct mcph_spec *spec, const struct mcph_naming *naming,
                          struct mcph_listing *listing, struct mcph_block **ret,
                          mcphost_error **reterr);

/* Begins the work of mcph_block_new_server() in steps.  `listing` must not be NULL.
 * Returns NULL if memory is short. */
struct mcph_block_build;
struct mcph_block_build *mcph_block_begin(struct mcph_spec *spec,
                                          const struct mcph_naming *naming,
                                          struct mcph_listing *listing);
/* Does one step of a build, as mcph_listing_step() does.  The only error is
 * MCPHOST_E_NOMEM. */
int mcph_block_step(struct mcph_block_build *build, size_t *budget,
                    struct mcph_block **ret);
struct mcph_block_build *mcph_block_build_free(struct mcph_block_build *build);

/* A draft of the toolset `name` of a block of built-ins, with the names of its tools. */
struct mcph_toolset_draft {
    const char *name, *description; /* `description` may be NULL */
    const char *const *tools;
    size_t n_tools;
};

/* Makes a block of built-in tools.  Each definition is a JSON object as a server would
 * list it.  The listing and the block keep the order of the definitions.  A tool that no
 * toolset names is in no catalog.  Copies all arguments.  Returns 0, MCPHOST_E_INVALID (a
 * bad definition, or a toolset that has no name or names a tool that does not exist),
 * MCPHOST_E_EXISTS (a name occurs twice), MCPHOST_E_LIMIT (too many definitions, or a
 * definition that is nested too deeply) or MCPHOST_E_NOMEM. */
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

/* Finds an element by its URI or URI template.  Returns a borrowed item, or NULL. */
mcphost_tool *mcph_block_find_uri(const struct mcph_block *block, const char *uri);
/* Finds an element by its original name, except tools that the model may not call.
 * Returns a borrowed item, or NULL. */
mcphost_tool *mcph_block_find_original(const struct mcph_block *block, const char *name);
/* Returns the tool of this block that can carry out a call of `tool`.  `tool` may be from
 * an older block of the same server.  The result is `tool` itself, or a tool with the
 * same original name and the same bytes of inputSchema.  The result is borrowed.  Returns
 * NULL if the block has neither tool. */
mcphost_tool *mcph_block_successor(const struct mcph_block *block, mcphost_tool *tool);

/* Take and drop a reference.  `tool` may be NULL.  mcph_tool_unref() returns NULL. */
mcphost_tool *mcph_tool_ref(mcphost_tool *tool);
mcphost_tool *mcph_tool_unref(mcphost_tool *tool);

/* ---- tool (tool.c, keyed.c): all results are borrowed from the tool ---------------- */

/* Returns `text`, a part of the tool's definition, as a NUL-terminated text.  If no NUL
 * follows `text`, the result is a copy that the tool keeps.  Returns NULL if the p of
 * `text` is NULL or memory is short. */
const char *mcph_tool_give(const mcphost_tool *tool, struct mcph_span text);

/* Returns the decoded text of a string token of the definition.  The item keeps the
 * text.  Returns NULL if the token is not a string or memory is short. */
const char *mcph_item_give_string(const mcphost_tool *item, struct mcph_span token,
                                  size_t *ret_len);
/* Returns the id of an item.  The item keeps the text.  Returns NULL if the item has no
 * id or memory is short. */
const char *mcph_item_give_id(const mcphost_tool *item);

const char *mcph_tool_name(const mcphost_tool *tool);
const char *mcph_tool_original(const mcphost_tool *tool);
/* Returns the original name as a JSON token, as the server wrote it. */
struct mcph_span mcph_tool_original_token(const mcphost_tool *tool);
/* Returns the tool's record if the tool may run as a task of MCP 2025-11-25, else
 * NULL. */
static inline const struct mcph_listed *
mcph_tool_as_task(const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;

    return listing->has_tasks && listing->items[tool->place].may_be_task
               ? &listing->items[tool->place]
               : NULL;
}
const char *mcph_tool_server_id(const mcphost_tool *tool); /* returns NULL for a
                                                            * built-in */
/* Returns the server's id or, for a built-in, the name of the first toolset that has the
 * tool.  Returns NULL for a built-in that no toolset has. */
const char *mcph_tool_toolset(const mcphost_tool *tool);
struct mcph_span mcph_tool_title(const mcphost_tool *tool);
struct mcph_span mcph_tool_description(const mcphost_tool *tool);
struct mcph_span mcph_tool_definition(const mcphost_tool *tool);
struct mcph_span mcph_tool_input_schema(const mcphost_tool *tool);
/* Returns the decoded URI or URI template.  The text is not NUL-terminated. */
struct mcph_span mcph_item_uri(const mcphost_tool *item);
/* Appends the item's id.  Returns 0, MCPHOST_E_NOTFOUND (the item has no id) or
 * MCPHOST_E_NOMEM. */
int mcph_item_add_id(const mcphost_tool *item, struct mcph_buf *buf);
/* Returns a member of the definition, such as "annotations".  If the member is absent or
 * is not an object, p is NULL. */
struct mcph_span mcph_tool_member(const mcphost_tool *tool, const char *name);

/* ---- apps (app.c) -------------------------------------------------------------------
 * These functions read the MCP extension io.modelcontextprotocol/ui. */

/* Returns the callers that may use a tool with this `_meta`: MCPHOST_VISIBLE_TO_*
 * bits. */
unsigned mcph_app_visibility(struct mcph_span meta);
unsigned mcph_tool_visibility(const mcphost_tool *tool);
/* Returns the `ui://` URI of the tool's app.  The tool keeps the text.  Returns NULL if
 * the tool has no app or memory is short. */
const char *mcph_tool_give_app_uri(const mcphost_tool *tool, size_t *ret_len);
/* Finds a tool that an app of the server may call, by the tool's original name.  Returns
 * a borrowed tool, or NULL. */
mcphost_tool *mcph_block_find_for_app(const struct mcph_block *block, const char *name);
/* Finds a tool in the entry's block as mcph_block_find_for_app() does.  If a grant gives
 * only some tools of the server, finds only these tools.  Returns NULL if the view
 * excludes the server. */
mcphost_tool *mcph_entry_find_for_app(const mcphost_server *entry, const char *name);

/* ---- skills (skill.c) -------------------------------------------------------------- */

/* Checks an entry of skills/list against the extension.  Returns 0, MCPHOST_E_NOMEM, or
 * MCPHOST_E_PROTOCOL with a phrase in *ret_why that names the fault. */
int mcph_skill_check(struct mcph_span entry, const char **ret_why);
/* Finds a file of a skill by its URI or by its path in the skill, and puts the file's
 * URI into `buf`.  If `file` is NULL, finds SKILL.md.  Returns 0, MCPHOST_E_NOTFOUND
 * (the entry does not list the file, or the path leads out of a dynamic skill),
 * MCPHOST_E_INVALID (`entry` is not an entry of a skill) or MCPHOST_E_NOMEM. */
int mcph_skill_find_file(struct mcph_span entry, const char *file, struct mcph_buf *buf,
                         mcphost_error **reterr);
/* Checks the bytes of the file `uri` against the entry.  Returns 0, MCPHOST_E_PROTOCOL
 * (the bytes differ from the entry, the entry does not list the file, or the entry is not
 * valid) or MCPHOST_E_NOMEM.  If the skill is dynamic, only the front matter of SKILL.md
 * is checked. */
int mcph_skill_verify(struct mcph_span entry, struct mcph_span uri,
                      struct mcph_span bytes, mcphost_error **reterr);

/* ---- the schemas of a tool, compiled (schema.c) ------------------------------------ */

enum { MCPH_TOOL_INPUT, MCPH_TOOL_OUTPUT, MCPH_N_TOOL_SCHEMAS };

/* Returns a compiled schema of the tool.  Compiles the schema at the first call.
 * *ret_schema lives as long as the tool's block.  *ret_schema is NULL if the tool does
 * not have this schema, or if the library was built without lib/schema.  `steps` limits
 * compiling, and each check against the schema (MCPHOST_OPT_SCHEMA_STEPS).  Any thread
 * may call this function.  Returns 0, MCPHOST_E_INVALID (the schema does not compile; the
 * message names the tool), MCPHOST_E_LIMIT (compiling takes too many steps or too long)
 * or MCPHOST_E_NOMEM. */
int mcph_tool_schema(const mcphost_tool *tool, int which, int64_t steps,
                     mcphost_schema **ret_schema, mcphost_error **reterr);
void mcph_tool_schemas_done(struct mcph_block *block);

struct mcph_missing;

/* ---- catalog (catalog.c, lists.c, block.c) ----------------------------------------- */

/* One block that a view shows.  If a prompt's name is taken, only the prompt is left out,
 * even if `whole` is true. */
struct mcph_offer {
    struct mcph_block *block;
    struct mcph_block
        *more[MCPH_LIST_KINDS]; /* a server's other lists, by kind, or NULL */
    bool keeps_names;           /* a server keeps its names of the earlier snapshot */
    bool whole;                 /* the whole server is left out if the name of one of
                                 * its tools is taken, or if two of its tools have
                                 * the same name */
};

/* The handle mcphost_server: the part of one server in a catalog.  Each toolset of
 * built-ins also has an entry of this type.  The interface shows this entry only as a
 * toolset. */
struct mcphost_server {
    mcphost_catalog *catalog; /* the catalog that owns this entry; borrowed */
    struct mcph_block *block;
    struct mcph_toolset *set; /* the toolset of built-ins; NULL for a server */
    const char *name;         /* the toolset's name, or a server's id or key */
    mcphost_tool **tools;     /* a part of the catalog's `tools`, or of `members` for a
                               * toolset of built-ins */
    size_t n_tools;
    struct mcph_block *more[MCPH_LIST_KINDS]; /* the server's other lists */
    mcphost_tool **prompts;                   /* a part of the catalog's `prompts` */
    size_t n_prompts;
    mcphost_tool **listed; /* a part of the catalog's `tools`: the entry's tools that
                            * no earlier entry has */
    size_t n_listed;
    size_t toolset; /* index in the catalog's `toolsets`; SIZE_MAX if the entry is not a
                     * toolset */
    bool rejected;  /* the view excludes this server; see its finding */
    bool partial;   /* a grant gives some tools of this server, but not its whole
                     * toolset */
    mcph_list_slot lists[MCPH_N_SHAPES]; /* lists of tools, used if the entry shows
                                          * only some tools of its block or toolset */
    mcph_list_slot prompts_list;         /* list of prompts, used if the entry shows
                                          * only some prompts of its block */
};

/* A record that another part of the library keeps with a catalog.  A record stays in
 * the catalog's list until the catalog is freed. */
struct mcph_catalog_kept {
    struct mcph_catalog_kept *next;
    void (*drop)(struct mcph_catalog_kept *kept); /* called when the catalog is freed */
};

struct mcphost_catalog {
    struct mcph_refs refs;
    _Atomic(struct mcph_catalog_kept *) kept;
    uint64_t version;
    mcphost_server *entries; /* built-ins, then servers in the view's order */
    size_t n_entries, n_builtin;
    mcphost_server **toolsets;
    size_t n_toolsets;
    mcphost_tool **tools; /* each tool once */
    size_t n_tools;
    mcphost_tool **members; /* the tools of the built-in toolsets */
    size_t n_members;
    mcphost_tool **prompts; /* each prompt once */
    size_t n_prompts;
    struct mcph_map by_name[MCPH_LIST_KINDS]; /* names of tools and prompts */
    struct mcph_map by_toolset, by_server;
    struct mcph_vec findings;     /* the findings of all servers, in the servers' order;
                                   * for each list, first the block's findings, then the
                                   * findings of this view */
    struct mcph_vec finders;      /* mcphost_server *: the server of each finding */
    struct mcph_vec own_findings; /* the findings that this catalog owns */
    mcph_list_slot lists[MCPH_N_SHAPES];
    mcph_list_slot more_lists[MCPH_LIST_KINDS];
    struct mcphost_grant *grant; /* a reference to the grant of this catalog, or NULL */
    struct mcph_missing *missing;
    size_t n_missing;
};

/* Builds the snapshot of a view from its blocks.  `offers` has the servers in the view's
 * order.  Built-ins may be anywhere in `offers`.  The catalog has the built-ins first, in
 * the order given.  The catalog keeps a reference to each block.
 *
 * `before` is the earlier snapshot of the same view, or NULL for a new view.  A server
 * whose `keeps_names` is true keeps each name that it has in `before`, as long as its
 * block offers a tool or prompt of that name and no built-in has the name.  The server is
 * found in `before` by its key.  If `before` is NULL, the first server in `offers` that
 * offers a name gets the name.
 *
 * The name of a server is its id.  If a built-in toolset or an earlier server has this
 * name, the server's key becomes the name of the server.  The server is left out with a
 * finding if the key is taken, too, or if the server is of the default source and a
 * built-in toolset has the server's id.
 *
 * Returns 0, MCPHOST_E_EXISTS (two built-ins have the same name) or MCPHOST_E_NOMEM.
 * Two built-ins of one host never have the same name, because the host refuses the
 * second built-in when the application declares it. */
int mcph_catalog_new(uint64_t version, const mcphost_catalog *before,
                     const struct mcph_offer *offers, size_t n, mcphost_catalog **ret,
                     mcphost_error **reterr);
/* The default source has no id.  Its servers have the keys "default:SERVER". */
#define MCPH_DEFAULT_SOURCE "default"

/* Sets the source of a server's block that has no source yet.  If `source` is NULL, sets
 * the default source.  Call this before other threads can see the block.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_block_set_source(struct mcph_block *block, const char *source);
/* Returns the unique key of a server, or of a block of built-ins. */
static inline const char *
mcph_block_key(const struct mcph_block *block)
{
    return block->key ? block->key : block->id;
}
/* Finds the entry of a server by its key, or the first server with the id `key`.  Returns
 * NULL if no server has this key or id. */
mcphost_server *mcph_catalog_server(const mcphost_catalog *catalog, const char *key);
/* Finds the entry of the server to which this block belongs.  The entry may have a
 * newer or an older block of the same server.  Returns NULL if the catalog has no entry
 * of this server, or if the block is a block of built-ins. */
mcphost_server *mcph_catalog_entry(const mcphost_catalog *catalog,
                                   const struct mcph_block *block);
/* Returns the description that the application or the server gave to the entry's toolset.
 * If there is no description, the p of the result is NULL. */
struct mcph_span mcph_entry_description(const mcphost_server *entry);
mcphost_catalog *mcph_catalog_ref(mcphost_catalog *catalog);
mcphost_catalog *mcph_catalog_unref(mcphost_catalog *catalog); /* returns NULL */

mcphost_tool *mcph_catalog_find(const mcphost_catalog *catalog, const char *name,
                                size_t len);
mcphost_tool *mcph_catalog_find_prompt(const mcphost_catalog *catalog, const char *name);

/* Count and return the items of one kind (MCPH_LIST_*) that an entry shows, in the order
 * of the server or of the toolset of built-ins.  If `index` is past the end, the item is
 * NULL. */
size_t mcph_entry_count(const mcphost_server *entry, int kind);
mcphost_tool *mcph_entry_item(const mcphost_server *entry, int kind, size_t index);
/* Count and return the items of one kind that all entries show, entry after entry. */
size_t mcph_catalog_count(const mcphost_catalog *catalog, int kind);
mcphost_tool *mcph_catalog_item(const mcphost_catalog *catalog, int kind, size_t index);
/* Finds an item by its URI at the server with the id or key `server`.  `kind` is a kind
 * whose elements have URIs.  Returns NULL if an argument is NULL or the server has no
 * item of this kind and URI. */
mcphost_tool *mcph_catalog_find_uri(const mcphost_catalog *catalog, int kind,
                                    const char *server, const char *uri);

/* Sets *ret_json to a JSON array of the items of one kind.  The array has the items that
 * `entry` shows, or that all entries show if `entry` is NULL.  The array is borrowed from
 * the catalog.  `shape` is MCPHOST_SHAPE_*.  The caller has checked `shape`.  Only tools
 * have other shapes than MCP.  Any thread may call this function.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_catalog_json(mcphost_catalog *catalog, int kind, int shape,
                      mcphost_server *entry, struct mcph_span *ret_json);
/* Sets *ret_json and *ret_len to the list of mcph_catalog_json() for the toolset named
 * `toolset`, or for all toolsets if `toolset` is NULL.  Returns 0, MCPHOST_E_NOTFOUND or
 * MCPHOST_E_NOMEM. */
int mcph_catalog_give_json(mcphost_catalog *catalog, int kind, int shape,
                           const char *toolset, const char **ret_json, size_t *ret_len,
                           mcphost_error **reterr);

/* These functions build a catalog in steps.  mcph_catalog_alloc() allocates a catalog for
 * the given numbers of entries, tools, tools of built-in toolsets, and prompts.  It
 * returns NULL if memory is short.  mcph_catalog_add_entry() adds an entry that keeps a
 * reference to `block`.  mcph_catalog_begin_entry() begins the list of the entry's tools.
 * mcph_catalog_add_tool() adds a tool to the entry, unless another tool, *ret_winner, has
 * the tool's name.  mcph_catalog_add_toolset() shows the entry as a toolset.  The int
 * functions return 0 or MCPHOST_E_NOMEM. */
mcphost_catalog *mcph_catalog_alloc(uint64_t version, size_t n_entries, size_t n_tools,
                                    size_t n_members, size_t n_prompts);
mcphost_server *mcph_catalog_add_entry(mcphost_catalog *c, struct mcph_block *block,
                                       struct mcph_toolset *set);
void mcph_catalog_begin_entry(mcphost_catalog *c, mcphost_server *entry);
int mcph_catalog_add_tool(mcphost_catalog *c, mcphost_server *entry, mcphost_tool *tool,
                          mcphost_tool **ret_winner);
int mcph_catalog_add_toolset(mcphost_catalog *c, mcphost_server *entry);
/* mcph_catalog_add_prompt() adds a prompt to the entry, unless another prompt,
 * *ret_winner, has the prompt's name.  mcph_catalog_add_more() adds all items of a block.
 * The entry keeps a reference to the block. */
int mcph_catalog_add_prompt(mcphost_catalog *c, mcphost_server *entry,
                            mcphost_tool *prompt, mcphost_tool **ret_winner);
void mcph_catalog_add_more(mcphost_server *entry, struct mcph_block *block);
/* Enters a server in the index, under its name and under its key.  If the index already
 * has another server under this name or key, that server keeps the place. */
int mcph_catalog_index_server(mcphost_catalog *c, mcphost_server *entry);

/* ---- grants (grant.c, granted.c) ------------------------------------------------------
 * A grant decides which toolsets and tools one member of a team may see and call
 * (R83-R87, B.18).  A grant is only a list of names.  Each time that a grant is used,
 * the names are looked up in the present catalog, so that the grant follows every
 * reload. */

enum mcph_grant_list {
    MCPH_GRANT_TOOLSETS, /* "name" gives a toolset.  "*" gives all toolsets without an
                          * MCPH_TOOLSET_* flag.  "!name" refuses a toolset, and "!*"
                          * refuses all toolsets.  The order of the items does not
                          * matter. */
    MCPH_GRANT_TOOLS     /* "name" adds a tool.  "!name" refuses a tool, even if its
                          * toolset is given. */
};

struct mcph_grant_item {
    char *text; /* without the '!' */
    bool refuses;
    int line, column; /* 0 if the item is not from a file */
};

struct mcphost_grant { /* built by one thread, then only read */
    struct mcph_refs refs;
    atomic_bool frozen;       /* the grant is in use and must not change any more */
    struct mcph_vec lists[2]; /* hold struct mcph_grant_item *; the index is enum
                               * mcph_grant_list */
};

struct mcphost_grant *mcph_grant_new(void); /* returns NULL if memory is short */
struct mcphost_grant *mcph_grant_ref(struct mcphost_grant *grant);
struct mcphost_grant *mcph_grant_unref(struct mcphost_grant *grant); /* returns NULL */

#define MCPH_GRANT_ITEMS_MAX 1024 /* limit on the items in one list */

/* Adds a text to a list.  Ignores a text that is blank or only "!".  Returns 0,
 * MCPHOST_E_STATE (the grant is frozen), MCPHOST_E_LIMIT or MCPHOST_E_NOMEM. */
int mcph_grant_add(struct mcphost_grant *grant, enum mcph_grant_list list,
                   const char *text, int line, int column);
/* Empties the grant, for a member whose entry is invalid. */
void mcph_grant_clear(struct mcphost_grant *grant);

/* Flags of toolsets. */
#define MCPH_TOOLSET_NEVER_GIVEN 1u /* no grant gives the toolset, or any of its tools */
#define MCPH_TOOLSET_NOT_BY_STAR 2u /* only a grant that names the toolset gives it */

/* The facts besides the catalog on which the effect of a grant depends. */
struct mcph_grant_world {
    /* Returns the MCPH_TOOLSET_* flags of a toolset.  If `flags` is NULL, no toolset has
     * flags. */
    unsigned (*flags)(const char *toolset, void *arg);
    /* Returns why no toolset of this name can be given: MCPHOST_LACK_UNKNOWN,
     * MCPHOST_LACK_DOWN, MCPHOST_LACK_DISABLED or MCPHOST_LACK_INVALID.  If `lack` is
     * NULL, the catalog decides between MCPHOST_LACK_UNKNOWN and MCPHOST_LACK_DOWN. */
    enum mcphost_lack (*lack)(const char *toolset, void *arg);
    bool config_rejected;
    /* A block with one toolset of built-ins that is not in the base (the catalog to which
     * the grant is applied), or NULL.  A grant gives this toolset or one of its tools
     * only by name, never by "*".  If the grant gives a built-in of the base that has the
     * name of one of these built-ins, the catalog has the built-in of the base. */
    struct mcph_block *apart;
    void *arg;
};

/* A granted name that gives nothing, although the grant does not refuse it.  `item` lives
 * as long as the grant. */
struct mcph_missing {
    enum mcph_grant_list list;
    enum mcphost_lack lack;
    const struct mcph_grant_item *item;
};

/* Builds the catalog that a member sees: the granted part of `base`.  The granted
 * toolsets come first, in the order of the grant.  "*" gives toolsets in the order of
 * the base.  A toolset that is named twice has its first place.  If only single tools
 * of a toolset are granted, the toolset comes last.  Tools have the server's order.
 * The new catalog contains no name or other fact of a server or tool that is not
 * granted.  A granted server whose tools are not known yet has an entry without a
 * toolset.  The new catalog depends only on names and blocks: equal grants, bases and
 * worlds give equal bytes.
 *
 * `missing` of the new catalog has the granted names that give nothing, but neither "*"
 * nor names that the grant also refuses.  The new catalog keeps a reference to the grant.
 * The grant must not change any more.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_catalog_new_granted(uint64_t version, const mcphost_catalog *base,
                             struct mcphost_grant *grant,
                             const struct mcph_grant_world *world, mcphost_catalog **ret,
                             mcphost_error **reterr);
/* Returns true if two catalogs, granted or not, show the same items of the same blocks
 * and have equal missing names. */
bool mcph_catalog_same(const mcphost_catalog *a, const mcphost_catalog *b);

/* Returns true if the grant gives this tool.  The tool may come from an older base.  If
 * the grant refuses the tool's name, the function returns false.  Otherwise, it returns
 * true if the grant gives the tool's toolset, or if the grant names the tool.  A granted
 * name that belongs to another tool in `base` does not count, nor does a toolset with
 * MCPH_TOOLSET_NEVER_GIVEN. */
bool mcph_grant_gives(const struct mcphost_grant *grant, const mcphost_catalog *base,
                      const struct mcph_grant_world *world, const mcphost_tool *tool);

/* Add the id and the message of a problem about a missing name.  The id is
 * "team/member/<member>/toolset/<name>" (or .../tool/...).  The message is one line for
 * people. */
int mcph_missing_add_id(struct mcph_buf *buf, const char *member,
                        const struct mcph_missing *missing);
int mcph_missing_add_message(struct mcph_buf *buf, const char *member,
                             const struct mcph_missing *missing);

/* ---- teams (team.c) -----------------------------------------------------------------
 * A team is a list of members with their grants.  A profile reads the team from a
 * file. */

struct mcph_team_member {
    char *id;
    struct mcphost_grant *grant; /* never NULL; empty if the member's entry is invalid */
    bool invalid;                /* the team's `report` has the reason */
    int line, column;
};

struct mcph_team {
    struct mcph_refs refs;
    /* A configuration without servers.  It holds the diagnostics of the team's file.  If
     * the whole file is rejected, the `status` of `report` is an error, this team has no
     * members, and the earlier team stays in force. */
    mcphost_config *report;
    struct mcph_vec members; /* struct mcph_team_member *, in the order of the file */
    struct mcph_map by_id;
};

/* Makes a team without members.  Takes over `report`, even on failure.  Returns NULL if
 * memory is short. */
struct mcph_team *mcph_team_new(mcphost_config *report);
struct mcph_team *mcph_team_ref(struct mcph_team *team);
struct mcph_team *mcph_team_unref(struct mcph_team *team); /* returns NULL */
/* Adds a member with an empty grant.  No member may have the id already.  Returns NULL if
 * memory is short. */
struct mcph_team_member *mcph_team_add(struct mcph_team *team, const char *id);
void mcph_team_drop_members(struct mcph_team *team);
/* Finds a member by its id.  Returns NULL if no member has this id.  The caller must then
 * grant nothing. */
const struct mcph_team_member *mcph_team_find(const struct mcph_team *team,
                                              const char *id);

/* A reader of a team's file.  The file may be read many times. */
struct mcph_team_source {
    const char *file; /* the absolute path of the file to watch */
    /* Reads the file and makes a team, even if the file is rejected.  Fails only if no
     * team can be made. */
    int (*read)(struct mcph_team_source *source, struct mcph_team **ret_team,
                mcphost_error **reterr);
    void (*free)(struct mcph_team_source *source);
};

#endif
