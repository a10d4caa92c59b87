/* SPDX-License-Identifier: MIT
 *
 * sampling.h - declarations for the files that convert sampling requests.
 *
 * Requests, bodies and answers are jansson values.  Schemas and the arguments of tools
 * are raw members of these values (MCPH_JSON_RAW), because they belong to the tools and
 * pass through unchanged.
 */
#ifndef MCPH_MODEL_SAMPLING_H
#define MCPH_MODEL_SAMPLING_H

#include "model/model.h"

#include <jansson.h>
#include <mcphost/catalog.h>
#include <mcphost/sampling.h>

/* The key of a signature in the _meta of a tool use.  Gemini expects the signature back
 * with the tool use. */
#define MCPH_SAMPLING_SIGNATURE "mcphost/thoughtSignature"
/* The prefix of ids that this library made because the provider gave none.  Gemini does
 * not get these ids back. */
#define MCPH_SAMPLING_ID "mcphost_"

/* Adds a note, unless the limit of notes is reached.  Returns 0 or MCPHOST_E_NOMEM. */
int mcph_sampling_note(mcphost_sampling *s, const char *fmt, ...) MCPHOST_PRINTF(2, 3);

/* Returns the text of a raw member.  If the object has no member `name`, the `p` of the
 * result is NULL. */
static inline struct mcph_span
mcph_sampling_raw(const json_t *object, const char *name)
{
    const json_t *text = json_object_get(object, name);

    return mcph_span(json_string_value(text), json_string_length(text));
}

/* Returns the string of a member, or NULL if the member is not a string, is empty, or
 * contains a NUL. */
static inline const char *
mcph_sampling_plain(const json_t *object, const char *name)
{
    const json_t *string = json_object_get(object, name);
    const char *text = json_string_value(string);

    return text && *text && strlen(text) == json_string_length(string) ? text : NULL;
}

/* Sets a raw member to a text.  Returns 0, or -1 if there is no memory. */
static inline int
mcph_sampling_set_raw(json_t *object, const char *name, const char *text, size_t len)
{
    return json_object_set_new_nocheck(object, name, json_stringn_nocheck(text, len));
}

/* ---- tools (sampling_tools.c) ------------------------------------------------------ */

/* Reads the request's array of tools and chooses the provider's names of the tools.
 * `tools` is NULL if the request has no tools. */
int mcph_sampling_read_tools(mcphost_sampling *s, json_t *tools, mcphost_error **reterr);
void mcph_sampling_tools_done(mcphost_sampling *s);
/* Appends the tools as functions of the provider, with commas between them.  Stores their
 * number in *ret_n. */
int mcph_sampling_add_tools(mcphost_sampling *s, struct mcph_buf *buf, size_t *ret_n);
/* Returns the provider's name of a tool of the server.  If no name was chosen for the
 * tool, writes a name to `made`, or returns `own` if the profile changes no names. */
const char *mcph_sampling_name(const mcphost_sampling *s, const char *own,
                               char made[MCPH_PROJECTED_NAME]);

/* ---- providers (sampling_dialect.c) ------------------------------------------------ */

/* A media type as servers name it, and the provider's name of the type. */
struct mcph_sampling_media {
    const char *type, *as; /* `type` is NULL at the end of the list */
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
    const struct mcph_sampling_media *images, *audio; /* NULL if the provider accepts
                                                       * no media of the kind */
    size_t stops_max;                                 /* limit on stop sequences; 0 if
                                                       * the provider accepts no stop
                                                       * sequences */
    int hottest;                                      /* the highest temperature */
    const char *messages, *max_tokens, *stops;        /* names of members */
    const char *choice, *system; /* `system`: NULL if the system prompt is a message */
    json_t *(*make_text)(bool said, json_t *text);
    json_t *(*make_media)(bool image, const char *type, const char *base64);
    json_t *(*make_system)(json_t *text);
    json_t *(*make_choice)(const char *mode);
};

const struct mcph_sampling_dialect *mcph_sampling_dialect_of(int shape);
/* Returns true if the provider accepts this member of the request's metadata. */
bool mcph_sampling_takes_metadata(int shape, const char *key, const json_t *value);

/* ---- messages (sampling_message.c) ------------------------------------------------- */

/* The parts collected for a message or for a tool's result. */
struct mcph_sampling_parts {
    json_t *parts;          /* an array, in the provider's form */
    struct mcph_buf joined; /* the texts of a result or of a system message, with newlines
                             * between them */
    size_t n_media;
    bool text_only, result;
};

/* The state of writing one request. */
struct mcph_sampling_writer {
    mcphost_sampling *s;
    const struct mcph_sampling_dialect *dialect;
    json_t *out;            /* the messages, an array */
    json_t *calls;          /* the message's tool uses, if they are not among its parts */
    struct mcph_buf system; /* the system prompt */
    struct mcph_sampling_parts parts, result;
    bool tools; /* if false, tool uses are written as text */
    bool said;  /* the message is the assistant's */
    size_t message, block;
    json_t *uses; /* maps the id of each tool use without a result to its tool's name */
    mcphost_error **reterr;
};

/* Adds a value to an array.  Takes over the value.  If there is no memory, sets the
 * error.  A NULL value means that there was no memory to make the value. */
int mcph_sampling_append(struct mcph_sampling_writer *w, json_t *array, json_t *value);
/* Writes the messages.  Messages with the role "system" are added to the system
 * prompt. */
int mcph_sampling_add_messages(struct mcph_sampling_writer *w, const json_t *messages);
int mcph_sampling_add_text(struct mcph_sampling_writer *w,
                           struct mcph_sampling_parts *parts, json_t *text);
/* Adds the text that is in `line`.  Frees `line`. */
int mcph_sampling_add_line(struct mcph_sampling_writer *w,
                           struct mcph_sampling_parts *parts, struct mcph_buf *line);
/* Adds a text and a note which explain why `what` is left out.  `type` may be NULL. */
int mcph_sampling_leave_out(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const char *what,
                            const json_t *type, const char *why);
int mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why);
/* Gets a string member of an object.  If the member is missing or not a string, sets the
 * error. */
int mcph_sampling_get_string(struct mcph_sampling_writer *w, const json_t *object,
                             const char *name, json_t **ret);

/* These functions add a tool use and a tool result to the message (sampling_use.c). */
int mcph_sampling_add_use(struct mcph_sampling_writer *w, const json_t *block);
int mcph_sampling_add_result(struct mcph_sampling_writer *w, const json_t *block);
/* Fails if a tool use has no result. */
int mcph_sampling_uses_end(struct mcph_sampling_writer *w);
/* Adds a block that is neither a tool use nor a tool result. */
int mcph_sampling_add_block(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const json_t *block);
/* Writes the message so far, unless it is empty. */
int mcph_sampling_flush(struct mcph_sampling_writer *w);

#endif
