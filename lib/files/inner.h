/* SPDX-License-Identifier: MIT
 *
 * inner.h - what the files of the room `files` share among themselves.
 */
#ifndef MCPH_FILES_INNER_H
#define MCPH_FILES_INNER_H

#include <limits.h>
#include <sys/stat.h>

#include "files/files.h"

#define FILES_PAGE       1000 /* names in a page of a directory */
#define FILES_PAGE_BYTES ((size_t)512 * 1024)
#define FILES_OPEN_MAX   16   /* files and directories that are read at once */
#define FILES_WAIT_MAX   1024 /* requests that wait for that */
#define FILES_OPEN_COST  4096 /* of the budget of a turn: opening is work, too */
#define FILES_WATCH_MAX  256  /* resources that are watched */
#define FILES_RESULT_MAX ((size_t)32 * 1024 * 1024)

#define FILES_NOT_FOUND (-32002) /* MCP, "Resources", "Error Handling" */

/* ---- paths (path.c) ---------------------------------------------------------------- */

/* What a URI names, decoded once. */
struct files_place {
    bool is_dir;
    size_t len;
    char path[PATH_MAX]; /* relative, without empty names, "." and ".."; "": the base */
    char after[NAME_MAX + 1]; /* of a page: the name before it; "": the first page */
};

/* NULL; or what is wrong with the URI, which then names nothing. */
const char *mcph_files_place_parse(struct mcph_span uri, struct files_place *ret);
/* Appends the URI of a name in a directory; of the directory itself with NULL. */
void mcph_files_add_uri(struct mcph_buf *buf, bool is_dir, const char *dir,
                        const char *name);
/* Appends text percent-encoded, for a query. */
void mcph_files_add_query(struct mcph_buf *buf, const char *text);

/* ---- types (mime.c) ---------------------------------------------------------------- */

struct files_mime;

#define FILES_GLOBS "/usr/share/mime/globs2"

/* The built-in table, and what `globs` has besides, which need not be there.  NULL: no
 * memory. */
struct files_mime *mcph_files_mime_new(const char *globs);
void mcph_files_mime_free(struct files_mime *mime); /* NULL is fine */
/* By the longest extension that is known; NULL: none is. */
const char *mcph_files_mime_find(const struct files_mime *mime, const char *name);

/* ---- the provider (files.c) -------------------------------------------------------- */

struct files_work;

struct files {
    struct mcph_topics topics;
    struct mcph_refs refs;
    mcphost_provider *provider; /* borrowed: it has our functions */
    char *base_dir;
    struct mcph_strings extensions;
    size_t max_bytes;
    bool by_steps;

    /* the dispatcher's, from setup to teardown */
    int base; /* a descriptor; -1: none */
    struct files_mime *mime;
    struct mcph_list active, waiting; /* struct files_work */
    size_t n_active, n_waiting;
    struct mcph_job job; /* on its way while anything is active */
    struct mcph_meter meter;
    struct mcph_watcher *watcher; /* while anything is watched */
    struct mcph_map watched;      /* URI -> struct watched */
    struct mcph_list all_watched;
};

/* A request that is carried out in steps. */
struct files_work {
    struct mcph_list link;
    mcphost_provider_call *call; /* a reference, as its function's */
    struct files_place place;
    /* Does some work and takes from the budget what it has cost.  True: there is more;
     * else the call has been answered. */
    bool (*step)(struct files *files, struct files_work *work, size_t *budget);
    void (*free)(struct files_work *work);
};

struct files_work *mcph_files_reading_new(void); /* reading.c; NULL: no memory */
struct files_work *mcph_files_listing_new(void); /* listing.c; likewise */

/* Refuses a request: "'URI': why". */
void mcph_files_refuse(mcphost_provider_call *call, int64_t code, const char *why);
/* The same for an errno of opening or reading. */
void mcph_files_refuse_errno(mcphost_provider_call *call, int error, bool is_dir);
/* Answers with one item of contents: what was added to the result up to its text. */
void mcph_files_answer(mcphost_provider_call *call, struct mcph_buf *result);
/* Appends the result up to the value of `member`. */
void mcph_files_begin_result(mcphost_provider_call *call, const char *mime,
                             const char *member, struct mcph_buf *buf);

/* ---- opening (confine.c) ----------------------------------------------------------- */

/* The base directory, which is made if it is missing.  0, or a code with the error. */
int mcph_files_open_base(struct files *files, mcphost_error **reterr);
/* A descriptor for reading, or -1 and errno: EISDIR, and EBADF for what is neither a file
 * nor a directory. */
int mcph_files_open(const struct files *files, const char *path, bool is_dir,
                    struct stat *ret_stat);
/* Whether files of this name are offered. */
bool mcph_files_allows(const struct files *files, const char *path);

/* ---- JSON of a text (parsed.c) ----------------------------------------------------- */

/* Appends ',"parsed":' and the value of a JSON or YAML text, if it is one.  True: it was
 * looked at, which costs. */
bool mcph_files_add_parsed(const char *mime, struct mcph_span text, struct mcph_buf *buf);

/* ---- watching (watching.c) --------------------------------------------------------- */

int mcph_files_subscribe(struct mcph_topics *topics, struct mcph_span uri);
void mcph_files_unsubscribe(struct mcph_topics *topics, struct mcph_span uri);
void mcph_files_unwatch_all(struct files *files);

#endif
