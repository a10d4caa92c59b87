/* SPDX-License-Identifier: MIT
 *
 * catalog.h - the room `catalog`: from the raw pages of tools/list to what a
 * reader of a view sees.
 *
 *   pages --mcph_listing_new--> listing --mcph_block_new_server--> block
 *                                built-ins --mcph_block_new_builtin--> block
 *   blocks of a view, in order --mcph_catalog_new--> mcphost_catalog
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
 *  - A *catalog* is the blocks of a view with names unique within it.
 *
 * Each is a pure function of its inputs: the same spec, lists and built-ins in
 * the same order give the same catalog and the same bytes, whatever happened
 * before and whichever server came up first.
 *
 * The only things made later are serialized lists, on demand and once (see
 * mcph_catalog_tools_json), published by one atomic pointer.
 *
 * This room does no input or output, starts nothing, keeps no state of a
 * server, calls no user code and never changes a frame.
 */
#ifndef MCPH_CATALOG_H
#define MCPH_CATALOG_H

#include <mcphost/catalog.h>

#include "base/base.h"
#include "json/json.h"

struct mcph_frame; /* rpc/rpc.h */
struct mcph_spec;  /* config/config.h */

/* ---- listing (listing.c) ---------------------------------------------------- */

/* One page of tools/list.  `tools` is the `tools` array in `frame`, which a scan
 * has checked; the listing takes a reference of its own to the frame. */
struct mcph_listing_page {
    struct mcph_frame *frame;
    struct mcph_span tools;
};

struct mcph_listing;

#define MCPH_LISTING_MAX_TOOLS 100000 /* what 0 for `max_tools` means */

/* Walks the pages.  An element that is no usable tool keeps its place and is
 * lost alone; mcph_block_new_server() makes a finding of it.  Returns 0,
 * MCPHOST_E_LIMIT (more than `max_tools` elements, or a page of 4 GiB),
 * MCPHOST_E_PROTOCOL (a page is not a JSON array), MCPHOST_E_NOMEM. */
int mcph_listing_new(const struct mcph_listing_page *pages, size_t n_pages,
                     size_t max_tools, struct mcph_listing **ret, mcphost_error **reterr);
struct mcph_listing *mcph_listing_ref(struct mcph_listing *listing);
struct mcph_listing *
mcph_listing_unref(struct mcph_listing *listing); /* NULL; NULL is fine */

/* Elements, the unusable ones included. */
size_t mcph_listing_count(const struct mcph_listing *listing);

/* True when both hold the same elements, byte for byte and in order, however
 * they were cut into pages: nothing needs to be published again. */
bool mcph_listing_equal(const struct mcph_listing *a, const struct mcph_listing *b);

/* ---- findings (finding.c) ---------------------------------------------------- */

/* Why a tool, or a whole server, is not in a catalog. */
enum mcph_finding_kind {
    MCPH_FINDING_INVALID_TOOL,    /* no name, schema not an object, ... */
    MCPH_FINDING_INVALID_NAME,    /* the original name */
    MCPH_FINDING_INVALID_RENAMED, /* the name after transforms and name policy */
    MCPH_FINDING_BLACKLISTED,
    MCPH_FINDING_NOT_WHITELISTED,
    MCPH_FINDING_COLLISION, /* the name is taken */
    MCPH_FINDING_SERVER     /* the toolset name is taken, or policy: the server is out */
};

enum mcph_finding_severity {
    MCPH_SEVERITY_INFO,
    MCPH_SEVERITY_WARNING,
    MCPH_SEVERITY_ERROR
};

/* Lives as long as the block or catalog it was taken from.  Strings are
 * NUL-terminated, valid UTF-8 without control characters, and at most a few
 * hundred bytes whatever the server sent. */
struct mcph_finding {
    enum mcph_finding_kind kind;
    enum mcph_finding_severity severity;
    const char *server;  /* server id */
    const char *tool;    /* original name; "#3" (place in the list) when it has none */
    const char *renamed; /* final name, or NULL when it never got one */
    const char *owner;   /* collisions: server id or built-in toolset that has the name */
    const char *text;    /* rule, pattern or reason, in English */
};

/* The kind and id under which requirements B.17 files it:
 * "mcp_tool_blacklisted" and "mcp/server/<id>/tool_blacklisted/<orig>". */
const char *mcph_finding_kind_name(const struct mcph_finding *finding);
int mcph_finding_add_id(struct mcph_buf *buf, const struct mcph_finding *finding);
/* The detail as a JSON object: serverId, toolName and what the kind adds. */
int mcph_finding_add_detail(struct mcph_buf *buf, const struct mcph_finding *finding);
/* One line for people, naming server and tool, no trailing dot. */
int mcph_finding_add_message(struct mcph_buf *buf, const struct mcph_finding *finding);

/* ---- block (block.c) ----------------------------------------------------------- */

struct mcph_block;

/* Publishes a server: `listing` under `spec`, or no tools and no toolset when
 * `listing` is NULL (declared, nothing listed yet).  Keeps references to
 * both.  Order of the decisions: requirements B.8.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_block_new_server(struct mcph_spec *spec, struct mcph_listing *listing,
                          struct mcph_block **ret, mcphost_error **reterr);

/* One built-in tool.  Strings are copied; `handler` is not touched, only
 * handed back by mcph_tool_handler(). */
struct mcph_builtin {
    const char *name;
    const char *title;        /* or NULL */
    const char *description;  /* or NULL */
    const char *input_schema; /* JSON object */
    const void *handler;
};

/* One toolset of built-in tools.  Returns 0, MCPHOST_E_INVALID (a bad name or
 * schema), MCPHOST_E_EXISTS (a name twice), MCPHOST_E_NOMEM. */
int mcph_block_new_builtin(const char *toolset, const struct mcph_builtin *tools,
                           size_t n, struct mcph_block **ret, mcphost_error **reterr);

struct mcph_block *mcph_block_ref(struct mcph_block *block);
struct mcph_block *mcph_block_unref(struct mcph_block *block); /* NULL; NULL is fine */

bool mcph_block_is_builtin(const struct mcph_block *block);
struct mcph_spec *
mcph_block_spec(const struct mcph_block *block); /* borrowed; NULL: built-in */
struct mcph_listing *
mcph_block_listing(const struct mcph_block *block); /* borrowed; may be NULL */
size_t mcph_block_tool_count(const struct mcph_block *block);
mcphost_tool *mcph_block_tool(const struct mcph_block *block, size_t i); /* borrowed */
/* By original name: what a successor of a changed server still offers. */
mcphost_tool *mcph_block_find_original(const struct mcph_block *block, const char *name);

/* ---- tool (tool.c): see <mcphost/catalog.h> for the rest ----------------------- */

struct mcph_block *mcph_tool_block(const mcphost_tool *tool); /* borrowed from the tool */
const void *mcph_tool_handler(const mcphost_tool *tool);      /* NULL: a server's tool */

/* ---- catalog (catalog.c, json.c) ----------------------------------------------- */

/* What happens to a tool whose name is taken. */
enum mcph_collision {
    MCPH_COLLISION_SKIP,  /* the tool is skipped (default) */
    MCPH_COLLISION_REJECT /* its whole server is left out */
};

/* Builds the snapshot of a view from its blocks: servers in file order,
 * built-ins anywhere (they are put in front, in the order given).  Keeps a
 * reference to each block.  A server whose toolset has the name of a built-in
 * toolset or of an earlier server's is left out with a finding.  Returns 0,
 * MCPHOST_E_EXISTS (two built-ins of one name; a host finds out when it
 * declares them), MCPHOST_E_NOMEM. */
int mcph_catalog_new(uint64_t version, struct mcph_block *const *blocks, size_t n,
                     enum mcph_collision policy, mcphost_catalog **ret,
                     mcphost_error **reterr);

/* Like mcphost_catalog_find_tool(), for names that are not NUL-terminated. */
mcphost_tool *mcph_catalog_find(const mcphost_catalog *catalog, const char *name,
                                size_t len);

/* Everything that is not there and why: of each server in order, first what
 * its block lost, then what the view took from it.  Borrowed. */
size_t mcph_catalog_finding_count(const mcphost_catalog *catalog);
const struct mcph_finding *mcph_catalog_finding(const mcphost_catalog *catalog, size_t i);

/* The block behind an entry; borrowed. */
struct mcph_block *mcph_server_block(const mcphost_server *server);
/* True when the view left this server out (its finding says why). */
bool mcph_server_is_rejected(const mcphost_server *server);

#endif
