/* SPDX-License-Identifier: MIT
 *
 * sampling.h - sampling for a provider: what its files share.
 */
#ifndef MCPH_MODEL_SAMPLING_H
#define MCPH_MODEL_SAMPLING_H

#include "model/model.h"

#include <mcphost/catalog.h>
#include <mcphost/sampling.h>

/* In the _meta of a tool use: what Gemini wants back with it. */
#define MCPH_SAMPLING_SIGNATURE "mcphost/thoughtSignature"
/* What ids begin with that a provider did not give; it does not get them back. */
#define MCPH_SAMPLING_ID "mcphost_"

/* Adds a note, unless there are as many as there may be.  0 or MCPHOST_E_NOMEM. */
int mcph_sampling_note(mcphost_sampling *s, const char *fmt, ...) MCPHOST_PRINTF(2, 3);

/* ---- tools (sampling_tools.c) ------------------------------------------------------ */

/* Reads the request's array of tools (p NULL: none) and gives them names. */
int mcph_sampling_read_tools(mcphost_sampling *s, struct mcph_span tools,
                             mcphost_error **reterr);
void mcph_sampling_tools_done(mcphost_sampling *s);
/* Adds the functions with commas between them; *ret_n gets how many. */
int mcph_sampling_add_tools(mcphost_sampling *s, struct mcph_buf *buf, size_t *ret_n);
/* The provider's name of a tool of the server; `made` holds one for a tool that the
 * request does not offer.  NULL: no memory. */
const char *mcph_sampling_name(const mcphost_sampling *s, const char *own,
                               char made[MCPH_PROJECTED_NAME]);

/* ---- providers (sampling_dialect.c) ------------------------------------------------ */

/* A media type as servers name it, and as the provider wants it. */
struct mcph_sampling_media {
    const char *type, *as; /* NULL: the end */
};

enum {
    MCPH_D_CONFIG = 1,      /* limits stand in "generationConfig" */
    MCPH_D_SAID_MEDIA = 2,  /* an assistant's message may hold media */
    MCPH_D_TEXT_RESULT = 4, /* a tool's result is one text */
    MCPH_D_NEED_TOOLS = 8   /* tool uses are taken only beside a list of tools */
};

/* A part's writer writes it without a comma. */
struct mcph_sampling_dialect {
    unsigned flags;
    const struct mcph_sampling_media *images, *audio; /* NULL: it takes none */
    size_t stops_max;                                 /* 0: it takes none */
    double hottest;                                   /* the highest temperature */
    const char *messages, *max_tokens, *stops;        /* names of members */
    void (*add_text)(struct mcph_buf *buf, bool said, struct mcph_span text);
    void (*add_media)(struct mcph_buf *buf, bool image, const char *type,
                      struct mcph_span base64);
    void (*add_system)(struct mcph_buf *buf, struct mcph_span text);
    void (*add_choice)(struct mcph_buf *buf, const char *mode);
};

const struct mcph_sampling_dialect *mcph_sampling_dialect_of(int shape);
/* Whether the provider takes this member of the request's metadata. */
bool mcph_sampling_takes_metadata(int shape, struct mcph_span key,
                                  struct mcph_span value);

/* ---- messages (sampling_message.c) ------------------------------------------------- */

/* Where parts are gathered: a message, or the result of a tool. */
struct mcph_sampling_parts {
    struct mcph_buf parts;  /* as the provider has them, commas between them */
    struct mcph_buf joined; /* the texts, lines between them */
    size_t n, n_media;
    bool text_only, result;
};

/* A use of a tool that waits for its result. */
struct mcph_sampling_use {
    char *id, *own;
    bool answered;
};

/* One request being written. */
struct mcph_sampling_writer {
    mcphost_sampling *s;
    const struct mcph_sampling_dialect *dialect;
    struct mcph_buf out;    /* the messages, commas between them */
    struct mcph_buf system; /* the system prompt */
    struct mcph_buf
        calls; /* the message's tool uses, where they stand beside its parts */
    struct mcph_sampling_parts parts, result;
    struct mcph_buf text, bytes, base64; /* of the part at hand */
    bool tools;                          /* tool uses are written as such */
    bool said;                           /* by the assistant */
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
/* Adds a text that says that `what` is left out and why, and a note. */
int mcph_sampling_leave_out(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, const char *what,
                            struct mcph_span type, const char *why);
int mcph_sampling_invalid(struct mcph_sampling_writer *w, const char *why);
/* What a string token says, in `text` until the next; a code with an error. */
int mcph_sampling_text(struct mcph_sampling_writer *w, struct mcph_span token,
                       struct mcph_span *ret_text);

/* Uses and results (sampling_use.c). */
int mcph_sampling_add_use(struct mcph_sampling_writer *w, struct mcph_span block);
int mcph_sampling_add_result(struct mcph_sampling_writer *w, struct mcph_span block);
/* Each use has its result now; then they are forgotten. */
int mcph_sampling_uses_end(struct mcph_sampling_writer *w);
void mcph_sampling_uses_done(struct mcph_sampling_writer *w);
/* A block of a message or of a result that is no use of a tool. */
int mcph_sampling_add_block(struct mcph_sampling_writer *w,
                            struct mcph_sampling_parts *parts, struct mcph_span block);
/* Writes what the message has so far; nothing if that is nothing. */
int mcph_sampling_flush(struct mcph_sampling_writer *w);

#endif
