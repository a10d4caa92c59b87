/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the room `catalog`: from the raw pages of tools/list to what a
 * reader of a view sees.
 *
 *   pages --mcph_listing_new--> listing --mcph_block_new_server--> block
 *                                built-ins --mcph_block_new_builtin--> block
 *   blocks of a view, in order --mcph_catalog_new--> mcphost_catalog
 *   a catalog under a grant --mcph_catalog_new_granted--> mcphost_catalog
 *
 * Three immutable, reference-counted things, each built once by the dispatcher
 * and then read from any thread without a lock:
 *
 *  - A *listing* is what a server said, byte for byte, with one small record a
 *    tool.  It knows nothing of the configuration: a view-only change makes a
 *    new block from the same listing.
 *  - A *block* is a listing under a spec: filtered, renamed, with a finding for
 *    each tool that is not there.  Built-ins are blocks too; nothing above
 *    tells them apart but their owner.
 *  - A *catalog* is the blocks of a view with names unique within it.  A server
 *    that is disabled, or that never had a valid entry, has no block; that it is
 *    declared says the status, not the catalog.
 *
 * Each is a pure function of its inputs: the same spec, lists and built-ins in
 * the same order after the same snapshot give the same catalog and the same bytes.
 * The snapshot before counts for one thing only: which server has which name.
 *
 * The only things made later are serialized lists, on demand (lists.c), each
 * published by one atomic pointer and never replaced.
 *
 * This room does no input or output, starts nothing, keeps no state of a
 * server, calls no user code and never changes a frame.
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
    MCPH_ABOUT_TITLE, /* the name where it has no title */
    MCPH_ABOUT_DESCRIPTION,
    MCPH_ABOUT_INSTRUCTIONS,
    MCPH_ABOUT_ICONS, /* a JSON array */
    MCPH_ABOUT_N
};

struct mcph_about {
    struct mcph_refs refs;
    size_t len[MCPH_ABOUT_N]; /* of what stands in `texts`, each with a NUL behind it */
    char *texts;
};

/* Copies the texts, each cut to `max_text` bytes (0: no limit).  0, MCPHOST_E_NOMEM. */
int mcph_about_new(const struct mcph_client_info *info, size_t max_text,
                   struct mcph_about **ret);
struct mcph_about *mcph_about_ref(struct mcph_about *about);
struct mcph_about *mcph_about_unref(struct mcph_about *about); /* returns NULL */
/* p NULL: there is none.  NULL for `about` has no texts. */
struct mcph_span mcph_about_text(const struct mcph_about *about, int part);
bool mcph_about_equal(const struct mcph_about *a, const struct mcph_about *b);

/* ---- work in steps -----------------------------------------------------------------
 * Listings and blocks are built in as many steps as their builder has turns for.  A
 * step ends when its budget is used up. */

#define MCPH_STEP_ITEM \
    256 /* what an element costs besides the bytes that are looked at */

static inline void
mcph_steps_spend(size_t *budget, size_t bytes)
{
    size_t cost = bytes + MCPH_STEP_ITEM;

    *budget -= cost < *budget ? cost : *budget;
}

/* ---- kinds of lists (kind.c) ------------------------------------------------------- */

struct mcph_list_kind {
    const char *noun; /* of an element; with an "s", of many */
    const char *method, *array;
    const char *subject; /* the member that it is about */
    size_t subject_len;
    int subject_type; /* MCPH_JSON_* */
    bool needs_subject;
    /* It is told apart by its subject, a URI or a template of URIs, and needs no name;
     * else by its name. */
    bool is_keyed;
    int named; /* MCPH_NAMED_*: whose filter and transform hold */
};

extern const struct mcph_list_kind mcph_list_kinds[MCPH_LIST_KINDS];

/* ---- listing (listing.c) ----------------------------------------------------------- */

/* Why an element cannot be used. */
enum mcph_fault {
    MCPH_FAULT_GOOD = 0,
    MCPH_FAULT_NOT_OBJECT,
    MCPH_FAULT_TWICE, /* a member that we read stands twice */
    MCPH_FAULT_NO_NAME,
    MCPH_FAULT_NAME_TYPE,
    MCPH_FAULT_NO_SUBJECT, /* no inputSchema, no uri, ... */
    MCPH_FAULT_SUBJECT_TYPE,
    MCPH_FAULT_HEADERS /* x-mcp-header where or as it may not be */
};

struct mcph_extent {
    uint32_t at, len; /* len 0: there is none */
};

/* One element: where its parts lie in its page, 56 bytes. */
struct mcph_listed {
    uint32_t page;
    uint8_t fault;                     /* enum mcph_fault */
    bool title_made, description_made; /* the text lies in `texts`, not in the page */
    bool cut : 1;                      /* its page is a shortened definition */
    bool may_be_task : 1, must_be_task : 1; /* MCP 2025-11-25, "Tasks" */
    bool no_model : 1, no_app : 1;          /* may not call it; see app.c */
    struct mcph_extent whole, name; /* tokens; a name of any sort but a string: none */
    struct mcph_extent subject;     /* token */
    struct mcph_extent description_token;  /* with its quotes and escapes */
    struct mcph_extent title, description; /* what they say */
};

#define MCPH_LISTING_MAX 100000 /* what 0 for `max_items` means */

struct mcph_listing {
    struct mcph_refs refs;
    int kind;                  /* MCPH_LIST_* */
    bool has_tasks;            /* one of them may be a task */
    struct mcph_vec frames;    /* struct mcph_frame *: pages, definitions cut short */
    struct mcph_listed *items; /* all elements in order, the unusable ones too */
    size_t n;
    char *texts; /* titles and descriptions that had escapes, each and a NUL */
    struct mcph_about *about; /* what the server said then; set before it is shared */
};

/* Walks the pages of a list of this kind (MCPH_LIST_*), whose `items` a scan has checked;
 * takes references of its own to their frames.  An element that cannot be used keeps its
 * place and is lost alone; mcph_block_new_server() makes a finding of it.  Of one whose
 * description, title or annotations have more than `max_text` bytes (0: no limit), a
 * definition cut short is kept; its subject stays whole.  Returns 0,
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
/* Takes off *budget what it looks at, and stops when nothing is left.  1: another step is
 * needed; 0: *ret is the listing; else as mcph_listing_new(), and the build is over. */
int mcph_listing_step(struct mcph_listing_build *build, size_t *budget,
                      struct mcph_listing **ret, mcphost_error **reterr);
/* Also in the middle; NULL is fine.  Returns NULL. */
struct mcph_listing_build *mcph_listing_build_free(struct mcph_listing_build *build);
struct mcph_listing *mcph_listing_ref(struct mcph_listing *listing);
struct mcph_listing *mcph_listing_unref(struct mcph_listing *listing); /* returns NULL */

/* Adds a text; of one with more than `max` bytes (0: no limit), the beginning in whole
 * characters and a mark.  0 or what the buffer said. */
int mcph_text_cut(struct mcph_span text, size_t max, struct mcph_buf *buf);

/* True when both hold the same elements, byte for byte and in order, however
 * they were cut into pages, and the same about the server: nothing needs to be
 * published again. */
bool mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b);

/* A part of an element's page; p NULL when there is none. */
struct mcph_span mcph_listing_token(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool,
                                    struct mcph_extent extent);
/* What title and description say; p NULL when there is none. */
struct mcph_span mcph_listing_title(const struct mcph_listing *listing,
                                    const struct mcph_listed *tool);
struct mcph_span mcph_listing_description(const struct mcph_listing *listing,
                                          const struct mcph_listed *tool);

/* ---- findings (finding.c) ---------------------------------------------------------- */

/* Why a tool, or a whole server, is not in a catalog, or not as it was listed. */
enum mcph_finding_kind {
    MCPH_FINDING_INVALID,         /* no name, not an object, ... */
    MCPH_FINDING_INVALID_SCHEMA,  /* its inputSchema is none, or not an object */
    MCPH_FINDING_INVALID_NAME,    /* the original name */
    MCPH_FINDING_INVALID_RENAMED, /* the name after transforms and name policy */
    MCPH_FINDING_REFUSED,         /* the application's function refused the name */
    MCPH_FINDING_BLACKLISTED,
    MCPH_FINDING_NOT_WHITELISTED,
    MCPH_FINDING_COLLISION, /* the name is taken */
    MCPH_FINDING_TYPE,      /* a resource, of another media type than is wanted */
    MCPH_FINDING_SAME_ID,   /* a resource whose id is taken: it is there, without one */
    MCPH_FINDING_CUT,       /* its texts were cut short: the tool is there */
    MCPH_FINDING_MORE,      /* so many more of its tools */
    MCPH_FINDING_SERVER     /* the whole server is left out of the view */
};

/* Findings of one server; further ones are only counted. */
#define MCPH_FINDINGS_MAX 100

/* Lives as long as the block or catalog it was taken from.  Strings are
 * NUL-terminated; what came from the server is one line of valid UTF-8 and at
 * most some 200 bytes, whatever it sent. */
struct mcph_finding {
    enum mcph_finding_kind kind;
    int of;             /* MCPH_LIST_*: what `tool` is */
    int severity;       /* MCPHOST_SEVERITY_* */
    const char *server; /* server id */
    const char
        *tool; /* original name, or URI; "#3", its place in the list, when it has none;
                          * NULL for MCPH_FINDING_SERVER and MCPH_FINDING_MORE */
    const char *renamed; /* final name, or NULL when it never got one */
    const char *owner;   /* of collisions, who has the name: a server's id or
                          * "SOURCE:SERVER", or with owner_builtin a built-in toolset's
                          * name */
    bool owner_builtin;
    bool owner_is_itself; /* an earlier tool of the same server has it */
    bool owner_keeps;     /* the owner comes later in the order and had the name before */
    const char *text;     /* rule, pattern or reason; NULL for collisions */
    char *made;           /* the memory of `text`, where it was made for this one */
    size_t more;          /* of MCPH_FINDING_MORE: how many */
    bool of_view;         /* a catalog found it, where another may not */
};

#define MCPH_FINDING_TEXT_MAX 512 /* of `text` in details and messages; longer is cut */

/* The severity follows from the kind.  `server`, `owner` and `text` are
 * borrowed and outlive the finding; `tool` and `renamed` are copied, and so is
 * `text` of MCPH_FINDING_REFUSED.  `place`
 * counts from 0.  NULL: no memory. */
struct mcph_finding *mcph_finding_new(enum mcph_finding_kind kind, int of,
                                      const char *server, struct mcph_span tool,
                                      size_t place, const char *renamed,
                                      const char *text);
void mcph_finding_free(struct mcph_finding *finding); /* NULL is fine */

/* How requirements B.17 files it: kind "mcp_tool_blacklisted", id
 * "mcp/server/<id>/tool_blacklisted/<orig>", detail a JSON object. */
const char *mcph_finding_kind_name(const struct mcph_finding *finding);
int mcph_finding_add_id(struct mcph_buf *buf, const struct mcph_finding *finding);
int mcph_finding_add_detail(struct mcph_buf *buf, const struct mcph_finding *finding);
/* One line for people, naming server and tool, no trailing dot. */
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

/* An element of a list; of a list of tools the handle mcphost_tool.  A reference to it is
 * one to its block. */
struct mcphost_tool {
    struct mcph_block *block;
    uint32_t place;          /* in the listing */
    uint32_t name, original; /* offsets into the block's `names` */
    uint32_t hash;           /* of the name: a catalog is made anew with each change */
    struct mcph_kept kept;   /* texts that were asked for */
};

/* The other kinds are kept in the same way.  Of a resource and a template, `original` is
 * the URI where it had escapes (else MCPH_NO_TEXT: it is read from the page), `name` is
 * MCPH_NO_TEXT where it has no id, and `hash` is that of the URI. */
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

/* A toolset of built-ins: tools of its block, in an order of its own.  A tool may stand
 * in many. */
struct mcph_toolset {
    char *name;
    char *description; /* or NULL */
    mcphost_tool **tools;
    size_t n_tools;
    mcph_list_slot lists[MCPH_N_SHAPES];
};

struct mcph_block {
    struct mcph_refs refs;
    struct mcph_spec *spec;       /* NULL: built-in */
    int arguments, results;       /* MCPHOST_ARGUMENTS_*, MCPHOST_RESULTS_*; of servers */
    unsigned denied;              /* MCPHOST_DENY_*: what its tools may not touch */
    bool serves_on;               /* its server does for turns, after it was removed */
    const void *realm;            /* whose it is; compared by address */
    const void *owner;            /* the publisher's own: which server, and which */
    unsigned edition;             /* state of it, offers this */
    struct mcph_listing *listing; /* NULL: nothing listed yet */
    const char *id;               /* the server's; of built-ins: their owner */
    char *source, *key;           /* of a server: its source (NULL: the default one), and
                                   * what tells it apart from all others, "SOURCE:SERVER"
                                   * (NULL: `id`) */
    char *owner_id;               /* of built-ins: the memory of `id` */
    struct mcph_toolset *sets;    /* of built-ins */
    size_t n_sets;
    mcphost_tool *items; /* what is left, in the server's order; all of built-ins */
    size_t n_items;      /* behind them in `items`: */
    size_t n_apart;      /* tools that apps alone may call, also in the server's order */
    uint32_t *index;     /* of resources and templates, by URI; see keyed.c */
    size_t index_mask;
    char *names;              /* NUL-terminated names */
    struct mcph_vec findings; /* struct mcph_finding *, MCPH_FINDINGS_MAX at most */
    size_t n_more;            /* that are not among them */
    bool collides;            /* two of its tools have one name */
    mcph_list_slot lists[MCPH_N_SHAPES];
    _Atomic(struct mcph_tool_schemas *) schemas; /* schema.c */
};

struct mcph_naming; /* names/names.h */

/* Publishes a server: `listing` under `spec` and a name policy (NULL: that of the
 * transforms), or no tools and no toolset when `listing` is NULL (declared, nothing
 * listed yet).  Keeps references to both.  Order of the decisions: requirements B.8.
 * Returns 0 or MCPHOST_E_NOMEM. */
int mcph_block_new_server(struct mcph_spec *spec, const struct mcph_naming *naming,
                          struct mcph_listing *listing, struct mcph_block **ret,
                          mcphost_error **reterr);

/* The same in steps, of a listing that is there.  NULL: no memory. */
struct mcph_block_build;
struct mcph_block_build *mcph_block_begin(struct mcph_spec *spec,
                                          const struct mcph_naming *naming,
                                          struct mcph_listing *listing);
/* As mcph_listing_step(); the only error is MCPHOST_E_NOMEM. */
int mcph_block_step(struct mcph_block_build *build, size_t *budget,
                    struct mcph_block **ret);
struct mcph_block_build *mcph_block_build_free(struct mcph_block_build *build);

/* The toolset `name` of a block of built-ins: its tools by name. */
struct mcph_toolset_draft {
    const char *name, *description; /* NULL: it has none */
    const char *const *tools;
    size_t n_tools;
};

/* Built-in tools by their definitions, each a JSON object as a server would list it; the
 * place of a tool in the listing, and among the block's, is that of its definition.
 * A tool that stands in no toolset is in no catalog.  Everything is copied.  Returns 0,
 * MCPHOST_E_INVALID (a bad definition; a toolset without a name, or of a tool that is not
 * there), MCPHOST_E_EXISTS (a name twice), MCPHOST_E_NOMEM. */
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

/* Of resources and templates: by URI or template, borrowed, or NULL. */
mcphost_tool *mcph_block_find_uri(const struct mcph_block *block, const char *uri);
/* By original name, borrowed, or NULL.  Of tools, those that the model may call. */
mcphost_tool *mcph_block_find_original(const struct mcph_block *block, const char *name);
/* The tool of this block that may carry out a call of `tool`, which is one of the same
 * server's, perhaps of an older block: the tool itself, or one of the same original name
 * with the same bytes of its inputSchema.  Borrowed; NULL: there is none. */
mcphost_tool *mcph_block_successor(const struct mcph_block *block, mcphost_tool *tool);

/* NULL is fine; unref returns NULL. */
mcphost_tool *mcph_tool_ref(mcphost_tool *tool);
mcphost_tool *mcph_tool_unref(mcphost_tool *tool);

/* ---- tool (tool.c); all borrowed from the tool ------------------------------------- */

/* One of the spans below with a NUL behind it, kept; NULL: none, or no memory. */
const char *mcph_tool_give(const mcphost_tool *tool, struct mcph_span text);

/* What a string token of its definition says, kept; NULL: none, or no memory. */
const char *mcph_item_give_string(const mcphost_tool *item, struct mcph_span token,
                                  size_t *ret_len);
/* Its id, kept; NULL: it has none, or no memory. */
const char *mcph_item_give_id(const mcphost_tool *item);

const char *mcph_tool_name(const mcphost_tool *tool);
const char *mcph_tool_original(const mcphost_tool *tool);
/* The same as JSON, as the server wrote it. */
struct mcph_span mcph_tool_original_token(const mcphost_tool *tool);
/* Whether a legacy server runs it as a task: NULL: never. */
static inline const struct mcph_listed *
mcph_tool_as_task(const mcphost_tool *tool)
{
    const struct mcph_listing *listing = tool->block->listing;

    return listing->has_tasks && listing->items[tool->place].may_be_task
               ? &listing->items[tool->place]
               : NULL;
}
const char *mcph_tool_server_id(const mcphost_tool *tool); /* NULL: built-in */
/* The server's id, or the first toolset that a built-in stands in. */
const char *mcph_tool_toolset(const mcphost_tool *tool);
struct mcph_span mcph_tool_title(const mcphost_tool *tool);
struct mcph_span mcph_tool_description(const mcphost_tool *tool);
struct mcph_span mcph_tool_definition(const mcphost_tool *tool);
struct mcph_span mcph_tool_input_schema(const mcphost_tool *tool);
/* Of a resource the URI, of a template the template: decoded, no NUL behind it. */
struct mcph_span mcph_item_uri(const mcphost_tool *item);
/* Appends its id.  0, MCPHOST_E_NOTFOUND: it has none, MCPHOST_E_NOMEM. */
int mcph_item_add_id(const mcphost_tool *item, struct mcph_buf *buf);
/* An object among the members of the definition, e.g. "annotations"; else p NULL. */
struct mcph_span mcph_tool_member(const mcphost_tool *tool, const char *name);

/* ---- apps (app.c) -------------------------------------------------------------------
 * MCP extension io.modelcontextprotocol/ui. */

/* Who may call a tool with this `_meta`: MCPHOST_VISIBLE_TO_*, or'ed. */
unsigned mcph_app_visibility(struct mcph_span meta);
unsigned mcph_tool_visibility(const mcphost_tool *tool);
/* The `ui://` URI of the tool's app, kept; NULL: it has none, or no memory. */
const char *mcph_tool_give_app_uri(const mcphost_tool *tool, size_t *ret_len);
/* A tool that an app of the server may call, by its original name; borrowed, or NULL. */
mcphost_tool *mcph_block_find_for_app(const struct mcph_block *block, const char *name);
/* The same, of those that the catalog shows: a grant may give single tools alone. */
mcphost_tool *mcph_entry_find_for_app(const mcphost_server *entry, const char *name);

/* ---- skills (skill.c) -------------------------------------------------------------- */

/* Whether an entry of skills/list is one, as the extension wants it.  0, MCPHOST_E_NOMEM,
 * or MCPHOST_E_PROTOCOL and in *ret_why a phrase that says what is wrong with it. */
int mcph_skill_check(struct mcph_span entry, const char **ret_why);
/* The file of a skill with this URI or, relative to the skill, this path (NULL: its
 * SKILL.md), as a URI in `buf`.  0, MCPHOST_E_NOTFOUND (the entry does not list it),
 * MCPHOST_E_NOMEM. */
int mcph_skill_find_file(struct mcph_span entry, const char *file, struct mcph_buf *buf,
                         mcphost_error **reterr);
/* Whether these bytes of the file are what the entry says.  0, MCPHOST_E_PROTOCOL,
 * MCPHOST_E_NOMEM; the error says what differs. */
int mcph_skill_verify(struct mcph_span entry, struct mcph_span uri,
                      struct mcph_span bytes, mcphost_error **reterr);

/* ---- the schemas of a tool, compiled (schema.c) ------------------------------------ */

enum { MCPH_TOOL_INPUT, MCPH_TOOL_OUTPUT, MCPH_N_TOOL_SCHEMAS };

/* *ret_schema lives as long as the tool's block; NULL: the tool has none.  Any thread.
 * `steps` bounds compiling it, and each check against it (MCPHOST_OPT_SCHEMA_STEPS).
 * Returns 0, MCPHOST_E_INVALID (it does not compile; the message names the tool),
 * MCPHOST_E_LIMIT (it costs too much to compile) or MCPHOST_E_NOMEM. */
int mcph_tool_schema(const mcphost_tool *tool, int which, int64_t steps,
                     mcphost_schema **ret_schema, mcphost_error **reterr);
void mcph_tool_schemas_done(struct mcph_block *block);

struct mcph_missing;

/* ---- catalog (catalog.c, lists.c) -------------------------------------------------- */

/* What a view is made of, by block. */
struct mcph_offer {
    struct mcph_block *block;
    struct mcph_block
        *more[MCPH_LIST_KINDS]; /* of a server: what it offers besides tools,
                                               * by kind; each may be NULL */
    bool keeps_names; /* a server keeps the names that it had in the snapshot before */
    bool whole;       /* if the name of one tool is taken, the server is left out; else
                       * the tool is.  A prompt is left out alone in any case. */
};

/* What one server contributes: the handle mcphost_server; for each toolset of built-ins
 * an entry of the same sort that the interface shows as a toolset only. */
struct mcphost_server {
    mcphost_catalog *catalog; /* its owner, not a reference */
    struct mcph_block *block;
    struct mcph_toolset *set; /* of built-ins, else NULL */
    const char *name; /* of its toolset here: the set's, the server's id, or its key */
    mcphost_tool **tools; /* in the catalog's `tools`; of built-ins in `members` */
    size_t n_tools;
    struct mcph_block *more[MCPH_LIST_KINDS]; /* of what it shows besides tools */
    mcphost_tool **prompts;                   /* in the catalog's `prompts` */
    size_t n_prompts;
    mcphost_tool **listed; /* in the catalog's `tools`: those that no entry before has */
    size_t n_listed;
    size_t toolset; /* index of its toolset; SIZE_MAX: none */
    bool rejected;  /* the view left this server out; its finding says why */
    bool partial;   /* a grant gives single tools of it, and nothing else */
    mcph_list_slot lists[MCPH_N_SHAPES]; /* used when tools were lost to collisions */
    mcph_list_slot prompts_list;         /* the same */
};

/* What a higher room keeps with a catalog; its place in a list that only grows. */
struct mcph_catalog_kept {
    struct mcph_catalog_kept *next;
    void (*drop)(struct mcph_catalog_kept *kept); /* with the catalog */
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
    mcphost_tool **members; /* of the toolsets of built-ins */
    size_t n_members;
    mcphost_tool **prompts; /* each once */
    size_t n_prompts;
    struct mcph_map by_name[MCPH_LIST_KINDS]; /* of tools and prompts */
    struct mcph_map by_toolset, by_server;
    struct mcph_vec findings;     /* of each server in order, first what its block lost,
                                   * then what the view took from it */
    struct mcph_vec finders;      /* mcphost_server *: whose each of them is */
    struct mcph_vec own_findings; /* those made here */
    mcph_list_slot lists[MCPH_N_SHAPES];
    mcph_list_slot more_lists[MCPH_LIST_KINDS];
    struct mcphost_grant *grant; /* a reference: what it was made by, or NULL */
    struct mcph_missing *missing;
    size_t n_missing;
};

/* Builds the snapshot of a view from its blocks: servers in the order of the view,
 * built-ins anywhere (they are put in front, in the order given).  Keeps a
 * reference to each block.
 *
 * `before` is the snapshot of the same view that this one follows.  A server that has a
 * name there keeps it, by `keeps_names`, while its block offers a tool of that name;
 * servers are the same if their keys are.  NULL: the order alone decides (a new view).
 *
 * A server whose id is the name of a built-in toolset or of an earlier server's goes by
 * its key; if it has no other, it is left out with a finding.  Returns 0,
 * MCPHOST_E_EXISTS (two built-ins of one name; a host finds out when it
 * declares them), MCPHOST_E_NOMEM. */
int mcph_catalog_new(uint64_t version, const mcphost_catalog *before,
                     const struct mcph_offer *offers, size_t n, mcphost_catalog **ret,
                     mcphost_error **reterr);
/* Stands for the default source, which has no id, in "SOURCE:SERVER". */
#define MCPH_DEFAULT_SOURCE "default"

/* Says whose a server's block is, before anybody sees it: `source` NULL: the default
 * source's.  0, MCPHOST_E_NOMEM. */
int mcph_block_set_source(struct mcph_block *block, const char *source);
/* What tells a server apart from all others, or a block of built-ins from all others. */
static inline const char *
mcph_block_key(const struct mcph_block *block)
{
    return block->key ? block->key : block->id;
}
/* The entry of a server by its key or, which is the same for the first of that id, by its
 * id; NULL: there is none. */
mcphost_server *mcph_catalog_server(const mcphost_catalog *catalog, const char *key);
/* The entry of the server that this block is an edition of; NULL: there is none, or they
 * are built-ins. */
mcphost_server *mcph_catalog_entry(const mcphost_catalog *catalog,
                                   const struct mcph_block *block);
/* What the application or the server says about the toolset; p NULL: nothing. */
struct mcph_span mcph_entry_description(const mcphost_server *entry);
mcphost_catalog *mcph_catalog_ref(mcphost_catalog *catalog);
mcphost_catalog *mcph_catalog_unref(mcphost_catalog *catalog); /* returns NULL */

mcphost_tool *mcph_catalog_find(const mcphost_catalog *catalog, const char *name,
                                size_t len);
mcphost_tool *mcph_catalog_find_prompt(const mcphost_catalog *catalog, const char *name);

/* What an entry shows of one kind (MCPH_LIST_*): in the order of its server, resources
 * and templates as their block has them. */
size_t mcph_entry_count(const mcphost_server *entry, int kind);
mcphost_tool *mcph_entry_item(const mcphost_server *entry, int kind, size_t index);
/* The same of all entries, one after the other; NULL past the end. */
size_t mcph_catalog_count(const mcphost_catalog *catalog, int kind);
mcphost_tool *mcph_catalog_item(const mcphost_catalog *catalog, int kind, size_t index);
/* Of a kind that is told apart by URIs, that of a server by its key.  Any argument may be
 * NULL. */
mcphost_tool *mcph_catalog_find_uri(const mcphost_catalog *catalog, int kind,
                                    const char *server, const char *uri);

/* What one entry shows of one kind, or all when `entry` is NULL, as a JSON array in one
 * of the MCPHOST_SHAPE_* (which the caller has checked; MCP of all kinds but tools).
 * Borrowed from the catalog.  Any thread.  0 or MCPHOST_E_NOMEM. */
int mcph_catalog_json(mcphost_catalog *catalog, int kind, int shape,
                      mcphost_server *entry, struct mcph_span *ret_json);
/* The same by the name of a toolset (NULL: all).  0, MCPHOST_E_NOTFOUND,
 * MCPHOST_E_NOMEM. */
int mcph_catalog_give_json(mcphost_catalog *catalog, int kind, int shape,
                           const char *toolset, const char **ret_json, size_t *ret_len,
                           mcphost_error **reterr);

/* For whoever builds one: room for so many entries, tools, tools of toolsets of
 * built-ins, and prompts; an entry, which keeps a reference to `block`; from now on tools
 * are added to this entry; a tool of it, unless another one (*ret_winner, else NULL) has
 * its name; the entry as a toolset.  NULL and MCPHOST_E_NOMEM: no memory. */
mcphost_catalog *mcph_catalog_alloc(uint64_t version, size_t n_entries, size_t n_tools,
                                    size_t n_members, size_t n_prompts);
mcphost_server *mcph_catalog_add_entry(mcphost_catalog *c, struct mcph_block *block,
                                       struct mcph_toolset *set);
void mcph_catalog_begin_entry(mcphost_catalog *c, mcphost_server *entry);
int mcph_catalog_add_tool(mcphost_catalog *c, mcphost_server *entry, mcphost_tool *tool,
                          mcphost_tool **ret_winner);
int mcph_catalog_add_toolset(mcphost_catalog *c, mcphost_server *entry);
/* Likewise, of a prompt of it; all resources and templates of a block, whose reference it
 * keeps. */
int mcph_catalog_add_prompt(mcphost_catalog *c, mcphost_server *entry,
                            mcphost_tool *prompt, mcphost_tool **ret_winner);
void mcph_catalog_add_more(mcphost_server *entry, struct mcph_block *block);
/* A server's entry is found by its name and by its key, unless others have them. */
int mcph_catalog_index_server(mcphost_catalog *c, mcphost_server *entry);

/* ---- grants (grant.c, granted.c) ------------------------------------------------------
 * What one member of a team may see and call (R83-R87, B.18).  A grant is a text's
 * worth of names; what they stand for is decided against a catalog, each time one
 * is wanted, so that it follows every reload. */

enum mcph_grant_list {
    MCPH_GRANT_TOOLSETS, /* "name"; "*": all that may be given that way; "!name": not
                          * this one, wherever it stands and even if named; "!*": none */
    MCPH_GRANT_TOOLS     /* "name", added after the toolsets; "!name": not this tool,
                          * even if its toolset is given */
};

struct mcph_grant_item {
    char *text; /* without the '!' */
    bool refuses;
    int line, column; /* 0: from no file */
};

struct mcphost_grant { /* built by one thread, then only read */
    struct mcph_refs refs;
    atomic_bool frozen;       /* it is in use */
    struct mcph_vec lists[2]; /* struct mcph_grant_item *, by enum mcph_grant_list */
};

struct mcphost_grant *mcph_grant_new(void); /* NULL: no memory; empty: nothing is given */
struct mcphost_grant *mcph_grant_ref(struct mcphost_grant *grant);
struct mcphost_grant *mcph_grant_unref(struct mcphost_grant *grant); /* returns NULL */

#define MCPH_GRANT_ITEMS_MAX 1024 /* of a list */

/* A text that is blank, or a lone "!", says nothing and is left out.  0,
 * MCPHOST_E_STATE (frozen), MCPHOST_E_LIMIT, MCPHOST_E_NOMEM. */
int mcph_grant_add(struct mcphost_grant *grant, enum mcph_grant_list list,
                   const char *text, int line, int column);
/* Takes everything back: who cannot be understood is given nothing. */
void mcph_grant_clear(struct mcphost_grant *grant);

/* Of toolsets. */
#define MCPH_TOOLSET_NEVER_GIVEN 1u /* by no grant, also not tool by tool */
#define MCPH_TOOLSET_NOT_BY_STAR 2u /* by name only */

/* What a catalog cannot know. */
struct mcph_grant_world {
    /* MCPH_TOOLSET_*; NULL: none has any. */
    unsigned (*flags)(const char *toolset, void *arg);
    /* Why a toolset is missing: UNKNOWN, DOWN, DISABLED or INVALID; NULL: what the
     * catalog says, which is UNKNOWN or DOWN. */
    enum mcphost_lack (*lack)(const char *toolset, void *arg);
    bool config_rejected;
    /* Built-ins outside of the base, in one toolset.  Only a grant that names the
     * toolset, or a tool of it, has it; names of built-ins of the base come first.
     * NULL: none. */
    struct mcph_block *apart;
    void *arg;
};

/* One granted name that gives nothing; lives as long as the grant. */
struct mcph_missing {
    enum mcph_grant_list list;
    enum mcphost_lack lack;
    const struct mcph_grant_item *item;
};

/* Builds what a member sees of `base`: granted toolsets in the order of the grant
 * (those of "*" in that of the base, a toolset named twice at its first place), then
 * those of which only single tools are granted; within each, the server's order.
 * Servers and tools that are not granted are not in it in any form; those granted
 * whose tools are not known yet are, without a toolset.  Built from names and
 * blocks alone: the same grant, base and world give the same bytes.
 *
 * What is granted by name and gives nothing is its `missing`.  Keeps a reference to
 * the grant, which must not be added to any more.  0, MCPHOST_E_NOMEM. */
int mcph_catalog_new_granted(uint64_t version, const mcphost_catalog *base,
                             struct mcphost_grant *grant,
                             const struct mcph_grant_world *world, mcphost_catalog **ret,
                             mcphost_error **reterr);
/* Whether two catalogs, granted or not, show the same and miss the same. */
bool mcph_catalog_same(const mcphost_catalog *a, const mcphost_catalog *b);

/* Whether the grant gives this tool, which may be one of an older base: its toolset is
 * given, or its own name is and means no other tool in the base of now. */
bool mcph_grant_gives(const struct mcphost_grant *grant, const mcphost_catalog *base,
                      const struct mcph_grant_world *world, const mcphost_tool *tool);

/* How a problem of it is filed: id "team/member/<member>/toolset/<name>" (or tool),
 * one line for people. */
int mcph_missing_add_id(struct mcph_buf *buf, const char *member,
                        const struct mcph_missing *missing);
int mcph_missing_add_message(struct mcph_buf *buf, const char *member,
                             const struct mcph_missing *missing);

/* ---- teams (team.c) -----------------------------------------------------------------
 * Who is given what, as a profile has read it. */

struct mcph_team_member {
    char *id;
    struct mcphost_grant *grant; /* never NULL; empty when what was written is invalid */
    bool invalid;                /* the report says why */
    int line, column;
};

struct mcph_team {
    struct mcph_refs refs;
    /* Without servers: its diagnostics, and `status` when the whole is rejected; then
     * there are no members, and who has an earlier team keeps it. */
    mcphost_config *report;
    struct mcph_vec members; /* struct mcph_team_member *, in the order of the file */
    struct mcph_map by_id;
};

/* Takes the report over, also when it returns NULL (no memory). */
struct mcph_team *mcph_team_new(mcphost_config *report);
struct mcph_team *mcph_team_ref(struct mcph_team *team);
struct mcph_team *mcph_team_unref(struct mcph_team *team); /* returns NULL */
/* A member with an empty grant; NULL: no memory.  The id must be new. */
struct mcph_team_member *mcph_team_add(struct mcph_team *team, const char *id);
void mcph_team_drop_members(struct mcph_team *team);
/* NULL: no such member, who is given nothing. */
const struct mcph_team_member *mcph_team_find(const struct mcph_team *team,
                                              const char *id);

/* Something that a team is read from, again and again. */
struct mcph_team_source {
    const char *file; /* absolute; what to watch */
    /* A team comes back also when it is rejected; failure: none could be made. */
    int (*read)(struct mcph_team_source *source, struct mcph_team **ret_team,
                mcphost_error **reterr);
    void (*free)(struct mcph_team_source *source);
};

#endif
