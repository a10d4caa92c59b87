/* SPDX-License-Identifier: MIT
 *
 * sampling.h - declarations for the files that convert sampling requests.
 */
#ifndef MCPH_MODEL_SAMPLING_H
#define MCPH_MODEL_SAMPLING_H

#include "model/model.h"

#include <mcphost/catalog.h>
#include <mcphost/sampling.h>

/* A key in the _meta of a tool use: a signature that Gemini expects back with the use. */
#define MCPH_SAMPLING_SIGNATURE "mcphost/thoughtSignature"
/* The prefix of ids that were made here because the provider gave none.  Gemini does not
 * get these ids back. */
#define MCPH_SAMPLING_ID "mcphost_"

/* Adds a note, unless the limit of notes is reached.  0 or MCPHOST_E_NOMEM. */
int mcph_sampling_note(mcphost_sampling *s, const char *fmt, ...) MCPHOST_PRINTF(2, 3);

/* ---- tools (sampling_tools.c) ------------------------------------------------------ */

/* Reads the request's array of tools (p NULL: none) and chooses their names. */
int mcph_sampling_read_tools(mcphost_sampling *s, struct mcph_span tools,
                             mcphost_error **reterr);
void mcph_sampling_tools_done(mcphost_sampling *s);
/* Appends the functions with commas between them.  *ret_n: their number. */
int mcph_sampling_add_tools(mcphost_sampling *s, struct mcph_buf *buf, size_t *ret_n);
/* The provider's name of a tool of the server.  If the request does not offer the tool,
 * the name is in `made`.  NULL: no memory. */
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

/* The form of one provider's requests.  add_text() and add_media() write no comma. */
struct mcph_sampling_dialect {
    unsigned flags;
    const struct mcph_sampling_media *images, *audio; /* NULL: none accepted */
    size_t stops_max;                                 /* 0: none accepted */
    double hottest;                                   /* the highest temperature */
    const char *messages, *max_tokens, *stops;        /* names of members */
    void (*add_text)(struct mcph_buf *buf, bool said, struct mcph_span text);
    void (*add_media)(struct mcph_buf *buf, bool image, const char *type,
                      struct mcph_span base64);
    void (*add_system)(struct mcph_buf *buf, struct mcph_span text);
    void (*add_choice)(struct mcph_buf *buf, const char *mode);
};

const struct mcph_sampling_dialect *mcph_sampling_dialect_of(int shape);
/* True if the provider accepts this member of the request's metadata. */
bool mcph_sampling_takes_metadata(int shape, struct mcph_span key,
                                  struct mcph_span value);

/* ---- messages (sampling_message.c) ------------------------------------------------- */

/* The parts collected for a message or for a tool's result. */
struct mcph_sampling_parts {
    struct mcph_buf parts;  /* in the provider's form, with commas between them */
    struct mcph_buf joined; /* the texts, with newlines between them */
    size_t n, n_media;
    bool text_only, result;
};

/* A use of a tool that waits for its result. */
struct mcph_sampling_use {
    char *id, *own;
    bool answered;
};

/* The state of writing one request. */
struct mcph_sampling_writer {
    mcphost_sampling *s;
    const struct mcph_sampling_dialect *dialect;
    struct mcph_buf out;    /* the messages, with commas between them */
    struct mcph_buf system; /* the system prompt */
    struct mcph_buf calls; /* the message's tool uses, if they are outside of its parts */
    struct mcph_sampling_parts parts, result;
    struct mcph_buf text, bytes, base64; /* of the current part */
    bool tools;                          /* false: tool uses are written as text */
    bool said;                           /* the message is the assistant's */
    size_t message, block;
    struct mcph_vec
        uses; /* struct mcph_sampling_use *: of the assistant's last message */
    struct mcph_map by_id;
    size_t n_open;
    mcphost_error **reterr;
};

/* Writes the messages and adds to the system prompt. */
int mcph_sampling_add_messages(struct mcph_sampling_writer *w, struct mcph_span messages);
int mcph_sampling_add_text(struct mcph_sampling_writer *w,
                           struct mcph_sampling_parts *parts, struct mcph_span text);
/* Adds a text and a note that say that `what` is left out, and why. */
int mcph_sampling_leave_out(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const char *what,
                            struct mcph_span type, const char *why);
int mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why);
/* Decodes a string token into w->text, which is valid until the next call.  A failure
 * sets the error. */
int mcph_sampling_text(struct mcph_sampling_writer *w, struct mcph_span token,
                       struct mcph_span *ret_text);

/* Tool uses and results (sampling_use.c). */
int mcph_sampling_add_use(struct mcph_sampling_writer *w, struct mcph_span block);
int mcph_sampling_add_result(struct mcph_sampling_writer *w, struct mcph_span block);
/* Fails if a use has no result.  Otherwise forgets all uses. */
int mcph_sampling_uses_end(struct mcph_sampling_writer *w);
void mcph_sampling_uses_done(struct mcph_sampling_writer *w);
/* Adds a block that is neither a tool use nor a tool result. */
int mcph_sampling_add_block(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, struct mcph_span block);
/* Writes the message so far, unless it is empty. */
int mcph_sampling_flush(struct mcph_sampling_writer *w);

#endif
