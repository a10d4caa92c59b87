/* SPDX-License-Identifier: MIT
 *
 * inner.h - internal interface of lib/files.
 */
#ifndef MCPH_FILES_INNER_H
#define MCPH_FILES_INNER_H

#include <limits.h>
#include <sys/stat.h>

#include "files/files.h"

#define FILES_PAGE       1000 /* limit on the names in a page of a directory */
#define FILES_PAGE_BYTES ((size_t)512 * 1024)
/* Limit on files and directories that are read at the same time. */
#define FILES_OPEN_MAX   16
#define FILES_WAIT_MAX   1024 /* limit on requests that wait for other requests */
#define FILES_OPEN_COST  4096 /* budget cost of opening a file or directory */
#define FILES_WATCH_MAX  256  /* limit on watched resources */
#define FILES_RESULT_MAX ((size_t)32 * 1024 * 1024)

/* The code for a missing resource (MCP "Resources", "Error Handling"). */
#define FILES_NOT_FOUND (-32002)

/* ---- paths (path.c) ---------------------------------------------------------------- */

/* The place that a URI names, decoded. */
struct files_place {
    bool is_dir;
    size_t len;
    char path[PATH_MAX];      /* relative path without empty names, "." or ".."; "" is
                               * the base */
    char after[NAME_MAX + 1]; /* last name of the previous page; "" means the first
                               * page */
};

/* Decodes a URI.  Returns NULL, or a text that says why the URI is invalid. */
const char *mcph_files_place_parse(struct mcph_span uri, struct files_place *ret);
/* Appends the URI of the entry `name` in the directory `dir`, or of `dir` itself if
 * `name` is NULL.  `is_dir` is true if the URI names a directory. */
void mcph_files_add_uri(struct mcph_buf *buf, bool is_dir, const char *dir,
                        const char *name);
/* Appends text, percent-encoded for a query. */
void mcph_files_add_query(struct mcph_buf *buf, const char *text);

/* ---- types (mime.c) ---------------------------------------------------------------- */

struct files_mime;

#define FILES_GLOBS "/usr/share/mime/globs2"

/* Makes a table of the built-in types and of the types in the file `globs`.  The file may
 * be missing.  Returns NULL if memory is short. */
struct files_mime *mcph_files_mime_new(const char *globs);
void mcph_files_mime_free(struct files_mime *mime); /* `mime` may be NULL */
/* Returns the type of the longest known extension of `name`, or NULL. */
const char *mcph_files_mime_find(const struct files_mime *mime, const char *name);

/* ---- the provider (files.c, reading.c, listing.c) ---------------------------------- */

struct files_work;

struct files {
    struct mcph_topics topics;
    struct mcph_refs refs;
    mcphost_provider *provider; /* borrowed, because the provider owns this struct */
    char *base_dir;
    struct mcph_strings extensions;
    size_t max_bytes;
    bool by_steps;

    /* The members below are for the dispatcher only, from setup to teardown. */
    int base; /* descriptor of the base directory, or -1 */
    struct files_mime *mime;
    struct mcph_list active, waiting; /* lists of struct files_work */
    size_t n_active, n_waiting;
    struct mcph_job job; /* posted while a request is active */
    struct mcph_meter meter;
    struct mcph_watcher *watcher; /* the watcher; NULL while no resource is watched */
    struct mcph_map watched;      /* map from URI to struct watched */
    struct mcph_list all_watched;
};

/* A request that is carried out in steps. */
struct files_work {
    struct mcph_list link;
    mcphost_provider_call *call; /* a reference (mcph_providing_get_user()) */
    struct files_place place;
    /* Does some work and subtracts its cost from the budget.  Returns true if there is
     * more to do.  Returns false if the call has been answered. */
    bool (*step)(struct files *files, struct files_work *work, size_t *budget);
    void (*free)(struct files_work *work);
};

struct files_work *mcph_files_reading_new(void); /* returns NULL if memory is short */
struct files_work *mcph_files_listing_new(void); /* returns NULL if memory is short */

/* Refuses a request with the message "'URI': why". */
void mcph_files_refuse(mcphost_provider_call *call, int64_t code, const char *why);
/* Refuses a request because opening or reading failed with this errno. */
void mcph_files_refuse_errno(mcphost_provider_call *call, int error, bool is_dir);
/* Completes a result that was begun with mcph_files_begin_result(), and answers the call
 * with the result. */
void mcph_files_answer(mcphost_provider_call *call, struct mcph_buf *result);
/* Appends the start of a result with one content: all text before the value of `member`.
 * The caller appends the value. */
void mcph_files_begin_result(mcphost_provider_call *call, const char *mime,
                             const char *member, struct mcph_buf *buf);

/* ---- opening (confine.c) ----------------------------------------------------------- */

/* Opens the base directory.  Makes the directory first if it is missing.  Returns 0, or a
 * code with an error. */
int mcph_files_open_base(struct files *files, mcphost_error **reterr);
/* Opens a file or directory for reading.  Returns a descriptor, or -1 and sets errno.
 * EISDIR means that the path names a directory where a file is wanted.  EBADF means that
 * the path names neither a file nor a directory. */
int mcph_files_open(const struct files *files, const char *path, bool is_dir,
                    struct stat *ret_stat);
/* Returns true if files with this name are offered. */
bool mcph_files_allows(const struct files *files, const char *path);

/* ---- JSON of a text (parsed.c) ----------------------------------------------------- */

/* Appends ',"parsed":' and the value of a text that is JSON or YAML.  Appends nothing if
 * the text is neither, is too large, cannot be parsed, or has a value that does not fit.
 * Returns true if the function tried to parse the text.  In this case, the caller
 * subtracts the cost of the parsing from its budget. */
bool mcph_files_add_parsed(const char *mime, struct mcph_span text, struct mcph_buf *buf);

/* ---- watching (watching.c) --------------------------------------------------------- */

int mcph_files_subscribe(struct mcph_topics *topics, struct mcph_span uri);
void mcph_files_unsubscribe(struct mcph_topics *topics, struct mcph_span uri);
void mcph_files_unwatch_all(struct files *files);

#endif
