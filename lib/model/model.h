/* SPDX-License-Identifier: MIT
 *
 * model.h - the room `model`: what stands between tools and the providers of models:
 * what a refusal means, and whose it was; schemas, and requests for sampling, as
 * a provider takes them.
 *
 * Pure functions and small tables: no I/O, no clock but the one that is handed in, and
 * nothing of hosts or dialogs.
 */
#ifndef MCPH_MODEL_H
#define MCPH_MODEL_H

#include <pthread.h>

#include "base/base.h"
#include "json/json.h"

#include <mcphost/projection.h>
#include <mcphost/retry.h>
#include <mcphost/sampling.h>

struct mcphost_retry {
    struct mcph_refs refs;
    int strategy, jitter;
    int64_t (*now_ms)(void);  /* monotonic */
    int64_t (*date_ms)(void); /* since 1970 */
    int (*random)(void *ret_data, size_t len);
    pthread_mutex_t lock; /* of the two below */
    int64_t penalty_ms, penalty_at;
};

/* The value of Retry-After (RFC 9110, 10.2.3): seconds, or a date; ms from now, which is
 * `date_ms` after 1970; 0: it is past, or nothing that can be read. */
int64_t mcph_model_read_after(const char *text, int64_t date_ms);

/* ---- whose schema was refused (blame.c) -------------------------------------------- */

/* The place in the request's list of tools that a provider's error text names, or
 * SIZE_MAX.  It is exact and counts before names. */
size_t mcph_model_blame_place(const char *text, size_t len);
/* Whether the text has the name and it is longer than any before: *longest is 0 to begin
 * with. */
bool mcph_model_blame_name(const char *text, size_t len, const char *name,
                           size_t *longest);

/* ---- tools as a provider takes them (profile.c, project.c, restore.c) -------------- */

#define MCPH_PROJECT_WHY    200
#define MCPH_PROJECTED_NAME 80

enum {
    MCPH_PROJECT_LOOSE = 1, /* it could not be made strict, and is not */
    MCPH_PROJECT_EMPTY = 4  /* it takes no arguments */
};

/* The shapes (MCPHOST_SHAPE_*) that go with a profile, as bits; 0: there is no such
 * profile. */
unsigned mcph_model_shapes(int profile);

/*
 * A name that the provider takes and that is at most `name_max` bytes long (0: the
 * provider's own limit, else 16 to 64).  Returns 0 when that is the name itself, 1 when
 * it was changed; then it depends on the name and `round` (0 to 9) alone.  `name` is any
 * text, `profile` a known one.  MCPHOST_E_NOMEM.
 */
int mcph_model_tool_name(int profile, size_t name_max, const char *name, unsigned round,
                         char ret_name[MCPH_PROJECTED_NAME]);

/*
 * Adds to `out` the schema that stands for `schema`, a checked JSON object, with this
 * provider.  *ret_flags gets MCPH_PROJECT_*.  Returns 0, or after leaving `out` as it
 * was MCPHOST_E_LIMIT (there is none; `ret_why` says why, it is set with LOOSE too) or
 * MCPHOST_E_NOMEM.
 */
int mcph_model_project(int profile, struct mcph_span schema, struct mcph_buf *out,
                       unsigned *ret_flags, char ret_why[MCPH_PROJECT_WHY]);

/*
 * How much of a tool's description the provider takes: the bytes of its beginning that
 * leave room for a mark, or SIZE_MAX: all.  *ret_max gets the limit in characters.
 */
size_t mcph_model_description(int profile, struct mcph_span text, size_t *ret_max);
#define MCPH_DESCRIPTION_MARK " [...]"

/* A tool whose name and schema were made to fit.  Texts are decoded; p NULL: none. */
struct mcph_function {
    int shape, profile; /* not MCPHOST_SHAPE_MCP */
    const char *name;
    struct mcph_span title, description;
    struct mcph_span schema;
    unsigned flags; /* MCPH_PROJECT_* */
};

/* Adds the function, after a comma if one is due.  Returns 0, 1 (its description was cut
 * to *ret_max characters), or what the buffer said (function.c). */
int mcph_model_add_function(const struct mcph_function *f, struct mcph_buf *buf,
                            size_t *ret_max);

/*
 * Adds the arguments, a checked JSON object, as the server wants them: with the server's
 * own names of parameters.  For strict functions a null is left out if `schema`, the
 * server's own, neither requires the member nor lets it be null: the model wrote it for a
 * parameter that it does not set.  0 or MCPHOST_E_NOMEM.
 */
int mcph_model_restore(int profile, struct mcph_span schema, struct mcph_span arguments,
                       struct mcph_buf *out);

/* ---- sampling (sampling*.c): as the public functions, arguments were checked ------- */

#define MCPH_SAMPLING_MAX ((size_t)256 * 1024 * 1024)

/* A tool that the server offers to the model. */
struct mcph_sampling_tool {
    char *own, *name; /* the server's and the provider's; `name` NULL: it is left out */
    struct mcph_span value, schema; /* in `tools_text` */
};

struct mcphost_sampling {
    struct mcph_refs refs;
    int shape, profile;
    unsigned modalities;
    char *model;      /* or NULL */
    char *tools_text; /* the request's array of tools, or NULL */
    struct mcph_sampling_tool *tools;
    size_t n_tools;
    struct mcph_map by_own, by_name; /* -> struct mcph_sampling_tool */
    char *json;
    size_t json_len;
    struct mcph_vec notes; /* char * */
};

int mcph_sampling_make(struct mcph_span params, int shape, int profile, const char *model,
                       unsigned modalities, mcphost_sampling **ret,
                       mcphost_error **reterr);
void mcph_sampling_free(mcphost_sampling *s);
int mcph_sampling_answer(const mcphost_sampling *s, struct mcph_span answer,
                         struct mcph_buf *out, mcphost_error **reterr);

#endif
