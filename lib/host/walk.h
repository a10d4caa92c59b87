/* SPDX-License-Identifier: MIT
 *
 * walk.h - functions that the built-in tools for resources and skills share: a walk
 * through a dialog's catalog, and a read on behalf of a model's call.
 */
#ifndef MCPH_HOST_WALK_H
#define MCPH_HOST_WALK_H

#include "host/call.h"

/* ---- walking through a catalog (walk.c) -------------------------------------------- */

/* the maximum length in bytes of a list that a model gets */
#define MCPH_ROWS_MAX ((size_t)256 * 1024)

/* One walk, on behalf of a call, through the elements (resources, templates, skills) of a
 * catalog. */
struct mcph_walk {
    struct mcph_job job;
    mcphost_call *call; /* a reference */
    mcphost_catalog *catalog;
    size_t entry, place; /* the next element: `entry` is the index of its server's
                          * entry, `place` its index in the entry's list of the kind
                          * `kind` */
    int kind;
    /* Visits one element.  Returns false to end the walk. */
    bool (*visit)(struct mcph_walk *walk, const mcphost_server *entry,
                  const mcphost_tool *item);
    void (*end)(struct mcph_walk *walk);

    struct mcph_span server, query, id; /* the arguments of the call; if p is NULL, any
                                         * value fits */
    char *texts;                        /* the memory of `server`, `query` and `id` */
    size_t *back;                       /* the search table of the query; see
                                         * prepare_words() in walk.c */
    size_t looked;                      /* bytes that were searched or written in this
                                         * run of the job */
    unsigned kinds;                     /* a set of 1u << MCPH_LIST_*: the kinds that
                                         * are visited */
    struct mcph_buf scratch, id_buf;
    bool failed; /* true if memory was too short for an id or a text */

    struct mcph_buf rows; /* the JSON of the list, from `{"...":[` to the last row; at
                           * most MCPH_ROWS_MAX bytes */
    size_t left_out;
    const mcphost_server *found_in; /* found_in: the entry of the server; found: the
                                     * element that the tool looks for; both are NULL
                                     * until the element is found */
    const mcphost_tool *found;
};

/* Makes a walk for a call of a built-in tool.  The walk takes its own reference to the
 * call.  Returns 0, or the code that the call fails with. */
int mcph_walk_begin(mcphost_call *call, struct mcph_walk **ret);
/* Reads the texts of the members `names` from the arguments.  The arguments must fit the
 * schema.  *to[i] gets the text of names[i], and does not change if the member is absent.
 * The texts end with a NUL and live as long as the walk.  Returns 0 or
 * MCPHOST_E_NOMEM. */
int mcph_walk_take(struct mcph_walk *walk, struct mcph_span args,
                   const char *const *names, struct mcph_span *const *to, size_t n);
/* Starts the walk if `r` is 0, else frees the walk.  Returns r. */
int mcph_walk_go(struct mcph_walk *walk, int r);
/* Starts a walk like mcph_walk_go(), for a list to which `visit` adds rows.  If the
 * catalog does not show the server that the model named, the function answers the call
 * with an error text, and returns 0. */
int mcph_walk_list(struct mcph_walk *walk, int r);
void mcph_walk_free(struct mcph_walk *walk);
/* Returns true if `text`, or one of the members `names` of `object`, contains the query,
 * or if there is no query. */
bool mcph_walk_fits(struct mcph_walk *walk, struct mcph_span text,
                    struct mcph_span object, const char *const *names, size_t n);
/* Members of an object, by name and type.  mcph_walk_copy() appends each of these members
 * that `object` has with this type. */
struct mcph_walk_member {
    const char *name;
    int type; /* MCPH_JSON_* */
};
void mcph_walk_copy(struct mcph_buf *rows, struct mcph_span object,
                    const struct mcph_walk_member *members, size_t n);
/* Ends the row that began at the length `begin` of `rows`.  If the row makes the list
 * too long (MCPH_ROWS_MAX), removes the row and counts it in `left_out`. */
void mcph_walk_end_row(struct mcph_walk *walk, size_t begin);

/* ---- reading on behalf of a model's call (fetching.c) ------------------------------ */

/* Ends the call if an attempt to answer the call failed with the code `r`.  Does nothing
 * if `r` is 0 (the call was answered) or MCPHOST_E_STATE (the call has ended). */
void mcph_said(mcphost_call *call, int r);
/* Answers the model's call with this text.  If the answer cannot be made, ends the
 * call. */
void mcph_say(mcphost_call *call, bool is_error, const char *text);
/* Answers the model's call with the message of the error or, if `err` is NULL, of the
 * code. */
void mcph_say_error(mcphost_call *call, const mcphost_error *err, int code);
/* Starts `read` for the model's call.  Takes over the reference to `read`.  The contents
 * that `read` gets become the result of the model's call.  If the model's call is
 * cancelled, `read` is cancelled too.  Returns 0, or an error code if `read` was not
 * started. */
int mcph_fetch_start(mcphost_call *call, mcphost_call *read);

/* ---- the tools: each a mcphost_builtin_fn ------------------------------------------ */

int mcph_tool_list_resources(mcphost_call *call, const char *arguments, size_t len,
                             void *arg);
int mcph_tool_fetch_resource(mcphost_call *call, const char *arguments, size_t len,
                             void *arg);
int mcph_tool_list_skills(mcphost_call *call, const char *arguments, size_t len,
                          void *arg);
int mcph_tool_read_skill(mcphost_call *call, const char *arguments, size_t len,
                         void *arg);

#endif
