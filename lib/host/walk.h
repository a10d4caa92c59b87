/* SPDX-License-Identifier: MIT
 *
 * walk.h - what the built-in tools share by which a model looks through what servers
 * offer and reads it: the way through a dialog's catalog, and a read for a model's call.
 */
#ifndef MCPH_HOST_WALK_H
#define MCPH_HOST_WALK_H

#include "host/call.h"

/* ---- going through what is shown (walk.c) ------------------------------------------ */

#define MCPH_ROWS_MAX ((size_t)256 * 1024) /* bytes of a list that a model gets */

/* A call on its way through the catalog. */
struct mcph_walk {
    struct mcph_job job;
    mcphost_call *call; /* a reference */
    mcphost_catalog *catalog;
    size_t entry, place; /* the next element */
    int kind;
    /* Looks at one; false: that was the one. */
    bool (*visit)(struct mcph_walk *walk, const mcphost_server *entry,
                  const mcphost_tool *item);
    void (*end)(struct mcph_walk *walk);

    struct mcph_span server, query, id; /* in the call's arguments; p NULL: any */
    char *texts;                        /* that they point into */
    size_t *back;                       /* of the query, see mcph_walk_list() */
    size_t looked;                      /* bytes, in this turn */
    unsigned kinds;                     /* 1u << MCPH_LIST_*: which are looked at */
    struct mcph_buf scratch, id_buf;
    bool failed; /* there was no memory for an id or a text */

    struct mcph_buf rows; /* of a list: `{"...":[` and what follows; has a limit */
    size_t left_out;
    const mcphost_server *found_in; /* of one that is looked for */
    const mcphost_tool *found;
};

/* For a handler's call.  Takes over nothing.  0, or what the call fails with. */
int mcph_walk_begin(mcphost_call *call, struct mcph_walk **ret);
/* Takes the texts of these members (p NULL: absent) out of the arguments, which fit the
 * schema.  They end with a NUL and live as long as the walk.  0, MCPHOST_E_NOMEM. */
int mcph_walk_take(struct mcph_walk *walk, struct mcph_span args,
                   const char *const *names, struct mcph_span *const *to, size_t n);
/* Sets out, if r is 0; else it ends here.  Returns r. */
int mcph_walk_go(struct mcph_walk *walk, int r);
/* The same for a list, which `visit` adds rows to: a server that the walk is for and the
 * catalog does not show is an answer. */
int mcph_walk_list(struct mcph_walk *walk, int r);
void mcph_walk_free(struct mcph_walk *walk);
/* Whether an element's `text`, or one of these members of its definition, has the query
 * in it. */
bool mcph_walk_fits(struct mcph_walk *walk, struct mcph_span text,
                    struct mcph_span object, const char *const *names, size_t n);
/* Adds the members of the object that have these names and types. */
struct mcph_walk_member {
    const char *name;
    int type; /* MCPH_JSON_* */
};
void mcph_walk_copy(struct mcph_buf *rows, struct mcph_span object,
                    const struct mcph_walk_member *members, size_t n);
/* Ends a row, which began where `rows` had this length: one that the list has no room for
 * is taken away and counted. */
void mcph_walk_end_row(struct mcph_walk *walk, size_t begin);

/* ---- reading for a model's call (fetching.c) --------------------------------------- */

/* After an attempt to answer with the code `r`: a call that cannot be answered ends for
 * want of what the answer needs; one that was answered, or has ended, stays as it is. */
void mcph_said(mcphost_call *call, int r);
/* Ends the model's call with this text. */
void mcph_say(mcphost_call *call, bool is_error, const char *text);
/* The same with what the error says, or the code where there is none. */
void mcph_say_error(mcphost_call *call, const mcphost_error *err, int code);
/* Starts `read`, which is taken over, for the model's call: it is cancelled with that,
 * and its contents are the call's result.  0, or why it cannot be started. */
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
