/* SPDX-License-Identifier: MIT
 *
 * result.h - interface of lib/result: the results of tool calls, and the files for their
 * large parts.
 *
 * A result reads its items in place, from the bytes that the server sent.  A result that
 * nobody reads costs at most one small allocation.  The first getter parses the result.
 * Texts are decoded once, when they are first requested.  A result is immutable to its
 * users.  A lock guards the parsed state.
 *
 * Pictures, audio and other blobs become files in a directory of their dialog.  The files
 * are written when items are made, on the calling thread.  A message too large for memory
 * is read from a file.
 *
 * lib/result does not know calls or servers.
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

/* The form of a result: the member that holds its items (MCP sections "Tools",
 * "Resources", "Prompts" and "Completion"). */
enum {
    MCPH_RESULT_TOOL,       /* `content` */
    MCPH_RESULT_READ,       /* `contents`: resources */
    MCPH_RESULT_PROMPT,     /* `messages`: the content of each message */
    MCPH_RESULT_COMPLETION, /* no items */
    MCPH_RESULT_PLAIN       /* no items: tasks, skills */
};

struct mcph_item {
    struct mcph_span json;       /* the item; in a prompt, the message around it */
    struct mcph_span type, text; /* the first `type` and `text`; p is NULL if absent */
};

/* Each call embeds a result.  Do not enlarge this struct, because malloc has no fast path
 * for a larger call. */
struct mcphost_result {
    struct mcph_refs refs;
    struct mcph_frame *frame;                /* a reference */
    struct mcph_span json;                   /* followed by a NUL */
    void (*release)(mcphost_result *result); /* frees the result */
    int form;                                /* MCPH_RESULT_* */

    pthread_mutex_t lock; /* guards `json` and all members below */
    bool whole;           /* the JSON was returned and must not change any more */
    bool looked;          /* the result was parsed */
    bool is_error;
    char structured_cut;        /* the byte behind `structured` that a NUL replaces, or
                                 * 0 */
    uint32_t readers;           /* while `readers` is not 0, the JSON must not change */
    const char *text_cut;       /* the quote behind the text of the last item, if a NUL
                                 * replaces this quote; else NULL */
    struct mcph_kept kept;      /* owns the decoded or copied texts, and the restored
                                 * JSON */
    uint32_t n_items, n_behind; /* `n_items`: number of items; `n_behind`: number of
                                 * items before the position of `behind` */
    struct mcph_span structured, content;
    /* The current item, and the items behind it.  The result keeps its position, because
     * callers read the items in order and read each item several times (kind, text,
     * type). */
    struct mcph_item item; /* item number n_behind - 1 */
    struct mcph_json_iter behind;
};

/* Makes a result of `json`, a checked object inside `frame`.  Writes a NUL over the byte
 * behind the object.  No other code may read this byte.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_result_new(struct mcph_frame *frame, struct mcph_span json,
                    mcphost_result **ret);
/* Makes a result as mcph_result_new() does, but in zeroed memory of the caller.
 * `release` is called when the last reference is dropped. */
void mcph_result_init(mcphost_result *result, struct mcph_frame *frame,
                      struct mcph_span json, void (*release)(mcphost_result *result));
/* Makes a result of a copy of `object`.  The object must have been checked.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_result_new_copy(struct mcph_span object, mcphost_result **ret);
/* Makes a result with one text item.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_result_new_text(const char *text, size_t len, bool is_error,
                         mcphost_result **ret);

/* These functions return facts about a result.  Any thread may call the functions.  Most
 * of the functions allocate nothing. */
bool mcph_result_is_error(mcphost_result *result);
size_t mcph_result_count(mcphost_result *result);
bool mcph_result_has_content(mcphost_result *result); /* also returns true for an
                                                       * empty array */
int mcph_result_item_kind(mcphost_result *result, size_t index); /* MCPHOST_CONTENT_* */
/* Returns 1 if a text item repeats the structured content and contains nothing else, 0 if
 * it does not, or MCPHOST_E_NOMEM. */
int mcph_result_item_repeats(mcphost_result *result, size_t index);
/* Returns the structured content.  p is NULL if the result has no structured content. */
struct mcph_span mcph_result_structured(mcphost_result *result);
/* Finds the text of a text item.  Returns 0, MCPHOST_E_INVALID (the item has no text) or
 * MCPHOST_E_NOMEM. */
int mcph_result_item_text(mcphost_result *result, size_t index,
                          struct mcph_span *ret_text);

/* These functions begin and end a reading of the JSON, or of items as JSON.  Between the
 * two calls, no byte of the JSON changes.  mcph_result_begin_reading() returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_result_begin_reading(mcphost_result *result);
void mcph_result_end_reading(mcphost_result *result);
struct mcph_span mcph_result_item(mcphost_result *result,
                                  size_t index); /* p is NULL past the end */

/* These functions return texts for the application.  A NUL follows each text.  The text
 * lives as long as the result.  p is NULL if the result does not have the text.  If
 * memory is short, p is NULL and the length is not 0. */
struct mcph_span mcph_result_give_json(mcphost_result *result);
struct mcph_span mcph_result_give_structured(mcphost_result *result);
struct mcph_span mcph_result_give_item(mcphost_result *result, size_t index);
/* These functions get the text and the MIME type of an item for the application.  A NUL
 * follows the text and the MIME type.  The functions return 0, MCPHOST_E_INVALID or
 * MCPHOST_E_NOMEM.  MCPHOST_E_INVALID means that the item has no text or no MIME type, or
 * that the MIME type contains a NUL. */
int mcph_result_give_item_text(mcphost_result *result, size_t index,
                               struct mcph_span *ret_text);
int mcph_result_give_mime_type(mcphost_result *result, size_t index,
                               const char **ret_str);
/* Gets the URI of the item, or of the resource in the item, as
 * mcph_result_give_item_text() gets a text. */
int mcph_result_give_uri(mcphost_result *result, size_t index, struct mcph_span *ret_uri);
/* Gets the role of a prompt's message as mcph_result_give_item_text() gets a text. */
int mcph_result_give_role(mcphost_result *result, size_t index,
                          struct mcph_span *ret_role);

/* These functions return the values of a completion.  p is NULL past the end, if the
 * value is no string, or if memory is short.  The total is -1 if the server gives no
 * total. */
size_t mcph_result_count_values(mcphost_result *result);
struct mcph_span mcph_result_give_value(mcphost_result *result, size_t index);
int64_t mcph_result_total(mcphost_result *result);
bool mcph_result_has_more(mcphost_result *result);

/* ---- artifacts: writing (artifact.c) --------------------------------------------------
 * A struct mcph_artifacts is the place for the artifacts of one dialog.  Any thread may
 * use the place.  After the setup only the counters change.  The lock guards the
 * counters. */

struct mcph_artifacts {
    struct mcph_refs refs;
    char *dir, *root_id, *self_id;
    uint64_t quota, max_files; /* 0 means no limit */
    pthread_mutex_t lock;
    bool counted;              /* `used` and `files` include all files of earlier runs */
    int64_t count_again;       /* time in ms of the monotonic clock before which no
                                * count begins, unless the last count failed */
    uint64_t used, unfinished; /* `used`: bytes of all files; `unfinished`: bytes of
                                * incomplete files */
    uint64_t files, unfinished_files;
};

/* Makes the place for the artifacts of a dialog.  Returns 0, MCPHOST_E_INVALID or
 * MCPHOST_E_NOMEM. */
int mcph_artifacts_new(const char *dir, const char *root_id, const char *self_id,
                       uint64_t quota, struct mcph_artifacts **ret,
                       mcphost_error **reterr);
/* Limits the number of files.  The limit includes files of earlier runs.  Call this
 * function before the first file is made. */
void mcph_artifacts_limit_files(struct mcph_artifacts *place, uint64_t max);
/* These functions take and drop a reference.  `place` may be NULL.
 * mcph_artifacts_unref() returns NULL. */
struct mcph_artifacts *mcph_artifacts_ref(struct mcph_artifacts *place);
struct mcph_artifacts *mcph_artifacts_unref(struct mcph_artifacts *place);

#define MCPH_ARTIFACT_SEGMENT 100 /* limit on the bytes of a name in a path */
#define MCPH_ARTIFACT_PATH    (2 * MCPH_ARTIFACT_SEGMENT + 128)

struct mcph_artifact {
    struct mcph_artifacts *place; /* borrowed */
    int dir, fd;
    uint64_t size;
    char path[MCPH_ARTIFACT_PATH]; /* relative to the place: artifacts/mcp/... */
    char temp[64];                 /* name in `dir` until the file is complete */
};

/* These functions begin a file for data from `tool` of `server`, with this extension, and
 * write to the file.  After a successful begin, call mcph_artifact_end() or
 * mcph_artifact_abort() once.  After a failed write, only mcph_artifact_abort() is
 * allowed.  The functions return 0, MCPHOST_E_LIMIT (quota or descriptors), MCPHOST_E_IO
 * or MCPHOST_E_NOMEM. */
int mcph_artifact_begin(struct mcph_artifacts *place, const char *server,
                        const char *tool, const char *extension,
                        struct mcph_artifact *artifact, mcphost_error **reterr);
int mcph_artifact_write(struct mcph_artifact *artifact, const void *data, size_t len,
                        mcphost_error **reterr);
/* Completes the file.  On failure, the file is already aborted. */
int mcph_artifact_end(struct mcph_artifact *artifact, mcphost_error **reterr);
void mcph_artifact_abort(struct mcph_artifact *artifact);

/* Returns the file extension of a MIME type: "png" for "image/png", "bin" for an unknown
 * type. */
const char *mcph_artifact_extension(struct mcph_span mime_type);

/* ---- artifacts: reading (artifact_read.c) ------------------------------------------ */

/* Counts the artifacts in a directory and their bytes. */
int mcph_artifact_usage(const char *dir, uint64_t *ret_bytes, uint64_t *ret_files,
                        mcphost_error **reterr);

/* ---- messages too large for memory (spool.c) --------------------------------------- */

/* A sink that writes messages to files if they are too large for memory.  Set the sink
 * up before the first message.  Release the sink after the last message.  The owner may
 * change `dir` and `max` until the first message comes. */
struct mcph_spool_sink {
    struct mcph_sink sink;
    char *dir;    /* directory for the files without names; NULL before the setup */
    uint64_t max; /* longest message in bytes; 0 keeps no message */

    /* The members below are private. */
    struct mcph_core *core;     /* borrowed */
    struct mcph_list discarded; /* files to free, step by step */
    struct mcph_job job;        /* posted while `discarded` is not empty */
};

int mcph_spool_sink_init(struct mcph_spool_sink *sink, struct mcph_core *core,
                         const char *dir, uint64_t max);
void mcph_spool_sink_done(struct mcph_spool_sink *sink);

/* ---- items of a conversation (items.c, record.c, parts.c) -------------------------- */

/* The origin of the items, and the limits for their texts. */
struct mcph_items_spec {
    struct mcph_artifacts *place; /* may be NULL */
    const char *server, *tool;
    /* The limit on the bytes of a text.  A longer text becomes a file, if it also has
     * more than 8 KiB.  Unused if `text_chars` is not 0. */
    size_t text_bytes;
    size_t text_chars; /* the same limit, in characters; 0 if the tool sets no limit */
    bool all_types;    /* allows types other than input_text and input_image */
};

/* Makes the items of a result.  Writes files for base64 data and for long texts.  Returns
 * 0 or MCPHOST_E_NOMEM. */
int mcph_items_make(mcphost_result *result, const struct mcph_items_spec *spec,
                    mcphost_items **ret);

#endif
