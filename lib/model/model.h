/* SPDX-License-Identifier: MIT
 *
 * model.h - interface of lib/model: tools and sampling for the providers of models.
 *
 * A provider here is a service that runs models (OpenAI, Anthropic, Gemini, Moonshot).
 * lib/model classifies a provider's failures, decides about retries, finds the tool that
 * a provider refused, rewrites schemas for a provider, and converts sampling requests and
 * answers.
 *
 * lib/model consists of pure functions and small tables, except retry.c: a retry policy
 * keeps a penalty, and reads clocks and random bytes.  lib/model does no I/O otherwise,
 * and knows nothing about hosts or dialogs.
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
    int64_t (*now_ms)(void);  /* reads a monotonic clock */
    int64_t (*date_ms)(void); /* returns the current time in ms since 1970 */
    int (*random)(void *ret_data, size_t len);
    pthread_mutex_t lock; /* protects the two members below */
    int64_t penalty_ms, penalty_at;
};

/* Reads the value of Retry-After (RFC 9110, 10.2.3): seconds, or a date.  `date_ms` is
 * the current time in ms since 1970.  Returns the ms from now, or 0 if the time is past
 * or the text cannot be read. */
int64_t mcph_model_read_after(const char *text, int64_t date_ms);

/* ---- tool that was refused (blame.c) ----------------------------------------------- */

/* Returns the index that a provider's error text gives for a tool in the request's list
 * of tools, or SIZE_MAX if the text gives no index.  An index is exact.  Therefore it has
 * priority over the names that mcph_model_blame_name() finds. */
size_t mcph_model_blame_place(const char *text, size_t len);
/* Returns true and stores the length of the name in *longest if the text contains `name`
 * and the name is longer than *longest.  Before the first call, set *longest to 0. */
bool mcph_model_blame_name(const char *text, size_t len, const char *name,
                           size_t *longest);

/* ---- tools for a provider (profile.c, project.c, restore.c) ------------------------ */

#define MCPH_PROJECT_WHY    200
#define MCPH_PROJECTED_NAME 80

enum {
    MCPH_PROJECT_LOOSE = 1, /* the written schema is not strict, because no strict
                             * schema is possible */
    MCPH_PROJECT_EMPTY = 4  /* the written schema has no properties */
};

/* Returns the shapes (MCPHOST_SHAPE_*) that fit a profile, as bits.  Returns 0 if the
 * profile is unknown. */
unsigned mcph_model_shapes(int profile);

/*
 * Writes a name that the provider accepts, of at most `name_max` bytes, to `ret_name`.
 * `name_max` is 16 to 64, or 0 for the provider's own limit.  Returns true if the written
 * name differs from `name`.  A changed name depends only on `profile`, `name_max`, `name`
 * and `round` (0 to 9).  `name` may be any text.  `profile` must be known.
 */
bool mcph_model_tool_name(int profile, size_t name_max, const char *name, unsigned round,
                          char ret_name[MCPH_PROJECTED_NAME]);

/*
 * Appends to `out` the schema that replaces `schema`, a checked JSON object, for the
 * provider of `profile`.  Stores MCPH_PROJECT_* in *ret_flags.  Returns 0,
 * MCPHOST_E_LIMIT if the provider cannot take the schema, or MCPHOST_E_NOMEM.  An error
 * leaves `out` unchanged.  For MCPHOST_E_LIMIT and MCPH_PROJECT_LOOSE, writes the reason
 * to `ret_why`.
 */
int mcph_model_project(int profile, struct mcph_span schema, struct mcph_buf *out,
                       unsigned *ret_flags, char ret_why[MCPH_PROJECT_WHY]);

/*
 * Returns how many bytes of a tool's description to keep so that these bytes and
 * MCPH_DESCRIPTION_MARK fit into the provider's limit.  Returns SIZE_MAX if the whole
 * description fits.  Stores the limit in characters in *ret_max.
 */
size_t mcph_model_description(int profile, struct mcph_span text, size_t *ret_max);
#define MCPH_DESCRIPTION_MARK " [...]"

/* A tool with a name and schema that fit the provider.  The texts are decoded.  The `p`
 * of a missing text is NULL. */
struct mcph_function {
    int shape, profile; /* `shape` is not MCPHOST_SHAPE_MCP */
    const char *name;
    struct mcph_span title, description;
    struct mcph_span schema;
    unsigned flags; /* MCPH_PROJECT_* */
};

/* Appends the function, with a comma before it if necessary.  Returns 0, 1 if the
 * description was cut to *ret_max characters, or the error of the buffer (function.c). */
int mcph_model_add_function(const struct mcph_function *f, struct mcph_buf *buf,
                            size_t *ret_max);

/*
 * Appends the arguments, a checked JSON object, with the server's own names of
 * parameters.  `schema` is the server's own schema.  For strict functions, drops a null
 * if `schema` neither requires the member nor allows null.  The model writes this null
 * because a strict schema requires every parameter, even if the model has no value for
 * the parameter.  Returns 0 or MCPHOST_E_NOMEM.
 */
int mcph_model_restore(int profile, struct mcph_span schema, struct mcph_span arguments,
                       struct mcph_buf *out);

/* ---- sampling (sampling*.c): the public functions, with checked arguments ---------- */

#define MCPH_SAMPLING_MAX ((size_t)256 * 1024 * 1024)

/* A tool that the server offers to the model. */
struct mcph_sampling_tool {
    struct json_t *value;    /* borrowed from the request */
    const char *own;         /* the tool's name at the server; borrowed from `value` */
    struct mcph_span schema; /* the input schema, as the server wrote it; borrowed */
    char *name;              /* the tool's name for the provider; NULL if the tool is
                              * left out */
};

struct mcphost_sampling {
    struct mcph_refs refs;
    int shape, profile;
    unsigned modalities;
    char *model;            /* name of the model, or NULL */
    struct json_t *offered; /* the request's array of tools, or NULL */
    struct mcph_sampling_tool *tools;
    size_t n_tools;
    struct mcph_map by_own, by_name; /* maps to struct mcph_sampling_tool * */
    char *json;
    size_t json_len;
    struct mcph_vec notes; /* holds char * */
};

int mcph_sampling_make(struct mcph_span params, int shape, int profile, const char *model,
                       unsigned modalities, mcphost_sampling **ret,
                       mcphost_error **reterr);
void mcph_sampling_free(mcphost_sampling *s);
int mcph_sampling_answer(const mcphost_sampling *s, struct mcph_span answer,
                         struct mcph_buf *out, mcphost_error **reterr);

#endif
