/* SPDX-License-Identifier: MIT
 *
 * sampling.h - declarations for the files that convert sampling requests.
 *
 * Requests, bodies and answers are jansson values.  Schemas, and the arguments of tools,
 * are raw in them (MCPH_JSON_RAW): they belong to the tools and pass through.
 */
#ifndef MCPH_MODEL_SAMPLING_H
#define MCPH_MODEL_SAMPLING_H

#include "model/model.h"

#include <jansson.h>
#include <mcphost/catalog.h>
#include <mcphost/sampling.h>

/* A key in the _meta of a tool use: a signature that Gemini expects back with the use. */
#define MCPH_SAMPLING_SIGNATURE "mcphost/thoughtSignature"
/* The prefix of ids that were made here because the provider gave none.  Gemini does not
 * get these ids back. */
#define MCPH_SAMPLING_ID "mcphost_"

/* Adds a note, unless the limit of notes is reached.  0 or MCPHOST_E_NOMEM. */
int mcph_sampling_note(mcphost_sampling *s, const char *fmt, ...) MCPHOST_PRINTF(2, 3);

/* The text of a raw member; p NULL: the object has no such member. */
static inline struct mcph_span
mcph_sampling_raw(const json_t *object, const char *name)
{
    const json_t *text = json_object_get(object, name);

    return mcph_span(json_string_value(text), json_string_length(text));
}

/* The string of a member; NULL: it is none, is empty, or has a NUL in it. */
static inline const char *
mcph_sampling_plain(const json_t *object, const char *name)
{
    const json_t *string = json_object_get(object, name);
    const char *text = json_string_value(string);

    return text && *text && strlen(text) == json_string_length(string) ? text : NULL;
}

/* Sets a raw member to a text.  0 or -1: no memory. */
static inline int
mcph_sampling_set_raw(json_t *object, const char *name, const char *text, size_t len)
{
    return json_object_set_new_nocheck(object, name, json_stringn_nocheck(text, len));
}

/* ---- tools (sampling_tools.c) ------------------------------------------------------ */

/* Reads the request's array of tools (NULL: none) and chooses their names. */
int mcph_sampling_read_tools(mcphost_sampling *s, json_t *tools, mcphost_error **reterr);
void mcph_sampling_tools_done(mcphost_sampling *s);
/* Appends the functions with commas between them.  *ret_n: their number. */
int mcph_sampling_add_tools(mcphost_sampling *s, struct mcph_buf *buf, size_t *ret_n);
/* The provider's name of a tool of the server.  If the request does not offer the tool,
 * the name is in `made`. */
const char *mcph_sampling_name(const mcphost_sampling *s, const char *own,
                               char made[MCPH_PROJECTED_NAME]);

/* ---- providers (sampling_dialect.c) ------------------------------------------------ */

/* A media type as servers name it, and the provider's name of it. */
struct mcph_sampling_media {
    const char *type, *as; /* NULL ends the list */
};

enum {
    MCPH_D_CONFIG = 1,      /* limits are in "generationConfig" */
    MCPH_D_SAID_MEDIA = 2,  /* an assistant's message may hold media */
    MCPH_D_TEXT_RESULT = 4, /* a tool's result is one text */
    MCPH_D_NEED_TOOLS = 8   /* tool uses require a list of tools */
};

/* The form of one provider's requests.  The functions return NULL if there is no
 * memory. */
struct mcph_sampling_dialect {
    unsigned flags;
    const struct mcph_sampling_media *images, *audio; /* NULL: none accepted */
    size_t stops_max;                                 /* 0: none accepted */
    int hottest;                                      /* the highest temperature */
    const char *messages, *max_tokens, *stops;        /* names of members */
    const char *choice, *system; /* likewise; system NULL: it is the first message */
    json_t *(*make_text)(bool said, json_t *text);
    json_t *(*make_media)(bool image, const char *type, const char *base64);
    json_t *(*make_system)(json_t *text);
    json_t *(*make_choice)(const char *mode);
};

const struct mcph_sampling_dialect *mcph_sampling_dialect_of(int shape);
/* True if the provider accepts this member of the request's metadata. */
bool mcph_sampling_takes_metadata(int shape, const char *key, const json_t *value);

/* ---- messages (sampling_message.c) ------------------------------------------------- */

/* The parts collected for a message or for a tool's result. */
struct mcph_sampling_parts {
    json_t *parts;          /* an array, in the provider's form */
    struct mcph_buf joined; /* of a result: the texts, with newlines between them */
    size_t n_media;
    bool text_only, result;
};

/* The state of writing one request. */
struct mcph_sampling_writer {
    mcphost_sampling *s;
    const struct mcph_sampling_dialect *dialect;
    json_t *out;   /* the messages, an array */
    json_t *calls; /* the message's tool uses, if they are outside of its parts */
    struct mcph_buf system; /* the system prompt */
    struct mcph_sampling_parts parts, result;
    bool tools; /* false: tool uses are written as text */
    bool said;  /* the message is the assistant's */
    size_t message, block;
    json_t *uses; /* tool uses that wait for their results: ids with the tools' names */
    mcphost_error **reterr;
};

/* Adds a value, which it takes over, to an array.  Sets the error if that fails or the
 * value is NULL: there is no memory. */
int mcph_sampling_append(struct mcph_sampling_writer *w, json_t *array, json_t *value);
/* Writes the messages and adds to the system prompt. */
int mcph_sampling_add_messages(struct mcph_sampling_writer *w, const json_t *messages);
int mcph_sampling_add_text(struct mcph_sampling_writer *w,
                           struct mcph_sampling_parts *parts, json_t *text);
/* Adds a text that is in a buffer, which is freed. */
int mcph_sampling_add_line(struct mcph_sampling_writer *w,
                           struct mcph_sampling_parts *parts, struct mcph_buf *line);
/* Adds a text and a note that say that `what` is left out, and why.  `type` need not be
 * there. */
int mcph_sampling_leave_out(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const char *what,
                            const json_t *type, const char *why);
int mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why);
/* Gets a string of an object.  If it is not there, sets the error. */
int mcph_sampling_get_string(struct mcph_sampling_writer *w, const json_t *object,
                             const char *name, json_t **ret);

/* Tool uses and results (sampling_use.c). */
int mcph_sampling_add_use(struct mcph_sampling_writer *w, const json_t *block);
int mcph_sampling_add_result(struct mcph_sampling_writer *w, const json_t *block);
/* Fails if a use has no result. */
int mcph_sampling_uses_end(struct mcph_sampling_writer *w);
/* Adds a block that is neither a tool use nor a tool result. */
int mcph_sampling_add_block(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const json_t *block);
/* Writes the message so far, unless it is empty. */
int mcph_sampling_flush(struct mcph_sampling_writer *w);

#endif
