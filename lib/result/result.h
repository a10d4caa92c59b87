/* SPDX-License-Identifier: MIT
 *
 * result.h - the room `result`: what a tool answered, as items over the
 * server's own bytes.
 *
 * A result that nobody looks into costs one small allocation: it is taken
 * apart by the first question, and texts are unescaped when they are asked for,
 * once.  Seen from outside it is immutable; what is found out is kept under its
 * lock.  Pictures and the like become files in a directory of their dialog; that
 * happens when somebody asks for the items, on his thread.  What is too large for memory
 * comes in through a file.  This room knows nothing of calls or servers.
 */
#ifndef MCPH_RESULT_H
#define MCPH_RESULT_H

#include <pthread.h>

#include "base/base.h"
#include "json/json.h"
#include "rpc/rpc.h"

#include <mcphost/artifact.h>
#include <mcphost/items.h>
#include <mcphost/result.h>

/* Where the items of a result are: MCP, "Tools", "Resources", "Prompts", "Completion". */
enum {
    MCPH_RESULT_TOOL,       /* `content` */
    MCPH_RESULT_READ,       /* `contents`: resources */
    MCPH_RESULT_PROMPT,     /* `messages`: the content of each */
    MCPH_RESULT_COMPLETION, /* it has none */
    MCPH_RESULT_PLAIN       /* likewise: what is said of a task */
};

struct mcph_item {
    struct mcph_span json;       /* of a prompt: the message around the content */
    struct mcph_span type, text; /* the first members of these names, or p NULL */
};

/* A call has room for one: larger than this, malloc has no quick place for a call. */
struct mcphost_result {
    struct mcph_refs refs;
    struct mcph_frame *frame;                /* a reference */
    struct mcph_span json;                   /* with a NUL behind it */
    void (*release)(mcphost_result *result); /* gives its memory back */
    int form;                                /* MCPH_RESULT_* */

    pthread_mutex_t lock; /* of all that follows */
    bool whole;           /* the JSON was given out: no byte of it changes any more */
    bool looked;          /* the members below are set */
    bool is_error;
    char structured_cut;   /* the byte that a NUL behind `structured` replaces; 0: none */
    uint32_t readers;      /* until they end, no byte of the JSON changes, either */
    const char *text_cut;  /* the quote behind the last item's text that one replaces */
    struct mcph_kept kept; /* texts that were decoded or copied; the JSON, mended */
    uint32_t n_items, n_behind; /* n_behind: see below */
    struct mcph_span structured, content;
    /* The item asked for last, and what comes behind it: items are asked for in
     * order, and each several times (kind, text, type). */
    struct mcph_item item; /* number n_behind - 1 */
    struct mcph_json_iter behind;
};

/* `json` is a checked object inside `frame`, of which nobody reads the byte behind it: a
 * NUL takes its place.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_result_new(struct mcph_frame *frame, struct mcph_span json,
                    mcphost_result **ret);
/* The same in zeroed memory of the caller's, of which the last reference says by
 * `release` that it is done with. */
void mcph_result_init(mcphost_result *result, struct mcph_frame *frame,
                      struct mcph_span json, void (*release)(mcphost_result *result));
/* A copy of what was checked.  0, MCPHOST_E_NOMEM. */
int mcph_result_new_copy(struct mcph_span object, mcphost_result **ret);
/* One text item of our own. */
int mcph_result_new_text(const char *text, size_t len, bool is_error,
                         mcphost_result **ret);

/* Any thread; most allocate nothing. */
bool mcph_result_is_error(mcphost_result *result);
size_t mcph_result_count(mcphost_result *result);
bool mcph_result_has_content(mcphost_result *result); /* an array, empty or not */
int mcph_result_item_kind(mcphost_result *result, size_t index); /* MCPHOST_CONTENT_* */
/* Whether a text item says the structured content once more and nothing else: 1 or 0,
 * MCPHOST_E_NOMEM. */
int mcph_result_item_repeats(mcphost_result *result, size_t index);
/* p NULL: there is none. */
struct mcph_span mcph_result_structured(mcphost_result *result);
/* The text of a text item: 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM. */
int mcph_result_item_text(mcphost_result *result, size_t index,
                          struct mcph_span *ret_text);

/* Around reading the JSON, or items as JSON: it stays undamaged meanwhile.  0 or
 * MCPHOST_E_NOMEM. */
int mcph_result_begin_reading(mcphost_result *result);
void mcph_result_end_reading(mcphost_result *result);
struct mcph_span mcph_result_item(mcphost_result *result,
                                  size_t index); /* p NULL: past the end */

/* What the application is given: with a NUL behind it, as long as the result lives.  p
 * NULL: there is none, or with a length: no memory. */
struct mcph_span mcph_result_give_json(mcphost_result *result);
struct mcph_span mcph_result_give_structured(mcphost_result *result);
struct mcph_span mcph_result_give_item(mcphost_result *result, size_t index);
/* Likewise.  0, MCPHOST_E_INVALID (the item has none; a MIME type has a NUL),
 * MCPHOST_E_NOMEM. */
int mcph_result_give_item_text(mcphost_result *result, size_t index,
                               struct mcph_span *ret_text);
int mcph_result_give_mime_type(mcphost_result *result, size_t index,
                               const char **ret_str);
/* The same for its URI, or that of the resource in it. */
int mcph_result_give_uri(mcphost_result *result, size_t index, struct mcph_span *ret_uri);
/* The same for the role of a prompt's message. */
int mcph_result_give_role(mcphost_result *result, size_t index,
                          struct mcph_span *ret_role);

/* Of a completion; p NULL: past the end, no string, or no memory; -1: not said. */
size_t mcph_result_count_values(mcphost_result *result);
struct mcph_span mcph_result_give_value(mcphost_result *result, size_t index);
int64_t mcph_result_total(mcphost_result *result);
bool mcph_result_has_more(mcphost_result *result);

/* ---- artifacts: writing (artifact.c) --------------------------------------------------
 * Where one dialog's go.  Immutable but for what is used of the quota; any thread. */

struct mcph_artifacts {
    struct mcph_refs refs;
    char *dir, *root_id, *self_id;
    uint64_t quota, max_files; /* 0: none */
    pthread_mutex_t lock;
    bool counted;              /* under the lock: `used` knows what else is there */
    int64_t count_again;       /* not before */
    uint64_t used, unfinished; /* the latter of files that are not whole yet */
    uint64_t files, unfinished_files;
};

/* Returns 0, MCPHOST_E_INVALID, MCPHOST_E_NOMEM. */
int mcph_artifacts_new(const char *dir, const char *root_id, const char *self_id,
                       uint64_t quota, struct mcph_artifacts **ret,
                       mcphost_error **reterr);
/* At most so many files, those of earlier runs included; before the first is made. */
void mcph_artifacts_limit_files(struct mcph_artifacts *place, uint64_t max);
struct mcph_artifacts *
mcph_artifacts_ref(struct mcph_artifacts *place); /* NULL is fine */
struct mcph_artifacts *mcph_artifacts_unref(struct mcph_artifacts *place);

#define MCPH_ARTIFACT_SEGMENT 100 /* bytes of a server's or tool's name in a path */
#define MCPH_ARTIFACT_PATH    (2 * MCPH_ARTIFACT_SEGMENT + 128)

struct mcph_artifact {
    struct mcph_artifacts *place; /* borrowed */
    int dir, fd;
    uint64_t size;
    char path[MCPH_ARTIFACT_PATH]; /* below the place: artifacts/mcp/... */
    char temp[64];                 /* in `dir`, until it is whole */
};

/* A file for what `tool` of `server` said, of a kind that has this extension.  After
 * success either end or abort; after a failed write only abort.  Return 0,
 * MCPHOST_E_LIMIT (the quota, descriptors), MCPHOST_E_IO, MCPHOST_E_NOMEM. */
int mcph_artifact_begin(struct mcph_artifacts *place, const char *server,
                        const char *tool, const char *extension,
                        struct mcph_artifact *artifact, mcphost_error **reterr);
int mcph_artifact_write(struct mcph_artifact *artifact, const void *data, size_t len,
                        mcphost_error **reterr);
/* On failure it has been aborted. */
int mcph_artifact_end(struct mcph_artifact *artifact, mcphost_error **reterr);
void mcph_artifact_abort(struct mcph_artifact *artifact);

/* "png" for "image/png"; "bin" for what has none. */
const char *mcph_artifact_extension(struct mcph_span mime_type);

/* ---- artifacts: reading (artifact_read.c) ------------------------------------------ */

/* The bytes and the number of all of them in a directory. */
int mcph_artifact_usage(const char *dir, uint64_t *ret_bytes, uint64_t *ret_files,
                        mcphost_error **reterr);

/* ---- messages too large for memory (spool.c) --------------------------------------- */

/* What rpc hands such a message to.  Any thread may change nothing: set up before the
 * first message, and done after the last. */
struct mcph_spool_sink {
    struct mcph_sink sink;
    char *dir;    /* where its files are, without names */
    uint64_t max; /* bytes of a message; 0: none is kept */

    /* its own */
    struct mcph_core *core;     /* borrowed */
    struct mcph_list discarded; /* files that are freed in steps, one after the other */
    struct mcph_job job;        /* posted while there are any */
};

int mcph_spool_sink_init(struct mcph_spool_sink *sink, struct mcph_core *core,
                         const char *dir, uint64_t max);
void mcph_spool_sink_done(struct mcph_spool_sink *sink);

/* ---- items of a conversation (items.c, record.c, parts.c; items.h is for these) ---- */

/* Of whom the items are, and what is too long for them. */
struct mcph_items_spec {
    struct mcph_artifacts *place; /* NULL: there is none */
    const char *server, *tool;
    size_t text_bytes; /* longer texts become files */
    size_t text_chars; /* the same in characters; 0: the tool says nothing */
    bool all_types;    /* not only input_text and input_image */
};

/* Returns 0 or MCPHOST_E_NOMEM; writes files. */
int mcph_items_make(mcphost_result *result, const struct mcph_items_spec *spec,
                    mcphost_items **ret);

#endif
