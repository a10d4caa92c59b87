/* SPDX-License-Identifier: MIT
 *
 * rpc.h - interface of lib/rpc: JSON-RPC 2.0 as MCP uses it, without any I/O.
 *
 *   bytes --framer--> frames --endpoint--> answers, progress, requests, notifications
 *
 * Each part of lib/rpc can be used alone.  The newline framer and the parser of event
 * streams turn bytes into frames.  The message parser turns a frame into a message.  The
 * endpoint keeps the table of the requests that wait for an answer, with their deadlines.
 * Builders add outgoing messages to a buffer of the caller.  Builders add no newline at
 * the end, because the transport frames the messages.
 *
 * Only the dispatcher may use framers, event streams and endpoints.  lib/rpc never reads
 * or writes a file descriptor and never calls user code.  lib/rpc knows only three
 * things of MCP: how progress and cancellation are spelled, and the object
 * Implementation.
 */
#ifndef MCPH_RPC_H
#define MCPH_RPC_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"

/* ---- frames (frame.c) ----------------------------------------------------------
 * A frame is one message as it came.  A frame is reference-counted.  Any thread may use a
 * frame.  The bytes of a frame do not change, except that a result may write NULs into
 * its own message (result.h).  A caller that keeps a span of a frame must keep a
 * reference to the frame. */

#define MCPH_FRAME_ID_MAX 256

/* A ration limits the memory of all large messages together, while they are read or kept.
 * Any thread may use a ration.  Messages of at most MCPH_RATION_FREE bytes do not count.
 *
 * A ration is a whole or a share of a whole.  The bytes of a share also count in its
 * whole.  A share may grow only if, after the growth, the share is not larger than the
 * rest of its whole.  A single share may therefore take half of the whole.  Two shares
 * may take a third each.  A part of the whole is left for another share. */
struct mcph_ration {
    struct mcph_refs refs;
    struct mcph_ration *whole; /* a reference to the whole; NULL if this is a whole */
    atomic_size_t used;
    size_t max; /* the limit of a whole; the owner sets it before the first message */
};
#define MCPH_RATION_FREE (64u * 1024u)

/* Makes a share of `whole`, or a whole without a limit if `whole` is NULL.  Returns NULL
 * if memory is short. */
struct mcph_ration *mcph_ration_new(struct mcph_ration *whole);
struct mcph_ration *mcph_ration_ref(struct mcph_ration *ration);   /* NULL is allowed */
struct mcph_ration *mcph_ration_unref(struct mcph_ration *ration); /* NULL is allowed */
/* Takes `n` bytes from the ration and returns true.  If too little is left, takes nothing
 * and returns false. */
bool mcph_ration_take(struct mcph_ration *ration, size_t n);
/* Counts bytes that are in memory already, even if they exceed the limit. */
void mcph_ration_add(struct mcph_ration *ration, size_t n);
void mcph_ration_give_back(struct mcph_ration *ration, size_t n);

/* Facts about a message that exceeds the limit on messages, or for which too little of
 * the ration is left. */
struct mcph_frame_over {
    char id[MCPH_FRAME_ID_MAX]; /* the id token; id_len is 0 if no id was seen or the
                                 * id is too long */
    size_t id_len;
    bool starved;   /* the ration was too small; the limit on messages was not reached */
    bool is_object; /* the bytes are one complete object */
    bool has_method, has_result, has_error;
    uint64_t result_at, result_end; /* offsets of the result in the message; equal if
                                     * there is no result */
};

/* ---- the members of a message that is checked while it is read (envelope.c) -------
 * A large message is checked piece by piece as its bytes come, so that the end of the
 * message does not make a long turn of the dispatcher.  The envelope keeps the members
 * that mcph_rpc_parse() would look for. */

enum {
    MCPH_MEMBER_RESULT, /* first, because most messages are answers */
    MCPH_MEMBER_JSONRPC,
    MCPH_MEMBER_ID,
    MCPH_MEMBER_METHOD,
    MCPH_MEMBER_PARAMS,
    MCPH_MEMBER_ERROR,
    MCPH_N_MEMBERS
};

struct mcph_envelope {
    struct mcph_json_stream stream;
    struct mcph_json_catch members[MCPH_N_MEMBERS];
    char id[MCPH_FRAME_ID_MAX]; /* the id token; cut if it is too long */
    uint64_t fed;               /* bytes of the message that were checked */
    int code;                   /* 0, or an error code if the message is not JSON */
    struct mcph_json_fault fault;
};

void mcph_envelope_begin(struct mcph_envelope *envelope);
void mcph_envelope_feed(struct mcph_envelope *envelope, const char *data, size_t len);
void mcph_envelope_end(struct mcph_envelope *envelope);
/* Returns true if the member was seen, even if the message ended within its value. */
static inline bool
mcph_envelope_has(const struct mcph_envelope *envelope, int member)
{
    return envelope->members[member].end != envelope->members[member].at;
}

struct mcph_frame {
    struct mcph_refs refs;
    const char *data; /* NULL if `over` is set */
    size_t len;
    uint64_t wire_len;              /* bytes on the wire, without the line end */
    struct mcph_frame_over *over;   /* NULL for a normal frame */
    struct mcph_envelope *envelope; /* the envelope of a large message; NULL if the
                                     * message was not checked yet */
    void *block;                    /* the memory that the frame frees, or NULL */
    size_t block_size;              /* size if `block` is pages or a mapped file; 0 if
                                     * malloc() made `block` */
    struct mcph_ration *ration;     /* a reference; NULL if no ration counts the frame */
    size_t rationed;                /* bytes taken from the ration */
};

/* Makes a frame with a copy of the bytes and a NUL after them, in one allocation.
 * Returns NULL if memory is short. */
struct mcph_frame *mcph_frame_new(const char *data, size_t len);
/* These functions make a frame without a copy.  mcph_frame_open() sets up the buffer.
 * The caller then adds the bytes to the buffer.  mcph_frame_close() makes a frame that
 * owns these bytes: do not use the buffer after this call.  mcph_frame_close() returns
 * NULL if memory is short or the buffer's limit is exceeded.  In this case it has freed
 * the buffer. */
void mcph_frame_open(struct mcph_buf *buf, size_t room);
struct mcph_frame *mcph_frame_close(struct mcph_buf *buf);
/* Makes a frame of the bytes in `block`.  `block` must be from malloc.  The frame takes
 * over `block`.  Returns NULL if memory is short.  In this case the caller still owns
 * `block`. */
struct mcph_frame *mcph_frame_take(void *block, const char *data, size_t len);
struct mcph_frame *mcph_frame_ref(struct mcph_frame *frame);
struct mcph_frame *
mcph_frame_unref(struct mcph_frame *frame); /* NULL is allowed; returns NULL */
static inline struct mcph_span
mcph_frame_span(const struct mcph_frame *frame)
{
    return mcph_span(frame->data, frame->len);
}

/* ---- newline framer (framer.c) -----------------------------------------------------
 *   while ((p = mcph_framer_space(f, &size)) && (n = read(fd, p, size)) > 0) {
 *       mcph_framer_commit(f, n);
 *       while ((r = mcph_framer_next(f, &frame)) > 0) { ...; mcph_frame_unref(frame); }
 *   }
 * A line ends with LF or CRLF.  A line that has only white space is skipped.  A line of
 * up to MCPH_FRAME_COPY bytes is copied.  The frame of a larger line usually takes over
 * the read buffer.
 *
 * A line longer than the limit is followed in constant memory.  Its bytes go to the sink.
 * At its end the line becomes a frame with `over` set.  If the sink kept the bytes, the
 * line becomes a normal frame instead. */

#define MCPH_FRAME_COPY  (16u * 1024u)
#define MCPH_FRAME_LIMIT ((size_t)64 * 1024 * 1024)

/* A sink takes the bytes of over-limit messages.  For each of these messages, the sink
 * makes a spool, which stores the bytes.  Several spools may exist at a time.  The owner
 * of the sink embeds this struct. */
struct mcph_sink {
    /* Makes the spool of a message.  If the function returns NULL, the message is
     * discarded. */
    void *(*begin)(struct mcph_sink *sink);
    /* Takes the bytes of the message, in order from the first.  If the function returns a
     * negative code, the framer discards the rest of the message and calls `end`. */
    int (*write)(void *spool, const char *data, size_t len);
    /* Frees the spool.  If `frame` is not NULL, the message is complete.  The function
     * may then give the bytes to the frame by setting `data`, `len`, `block` and
     * `block_size`.  If `frame` is NULL, the message is discarded. */
    void (*end)(void *spool, struct mcph_frame *frame);
};

struct mcph_framer {
    struct mcph_buf buf;
    size_t start;   /* where the line being read begins */
    size_t scanned; /* [start, scanned) holds no newline */
    size_t limit;
    size_t hint, offered; /* `hint`: size to offer for the next read; `offered`: size
                           * that was offered for the last read */
    uint64_t n_lines, n_over,
        n_bytes; /* `n_lines`: frames returned; `n_over`: frames over the limit;
                  * `n_bytes`: bytes read */
    struct mcph_sink *sink;
    struct mcph_envelope *envelope; /* the envelope of the line being read; NULL if the
                                     * line is not long */
    struct mcph_framer_over *over;  /* state of a line past the limit, or NULL */
    bool behind;
    bool starved;               /* more was read than the ration allows */
    struct mcph_ration *ration; /* a reference, or NULL */
    size_t rationed;            /* bytes taken from the ration */
};
#define MCPH_FRAMER_STEP (256u * 1024u)
#define MCPH_FRAMER_LONG (64u * 1024u) /* a longer line is checked while it is read */

/* Initialises a framer.  If `limit` is 0, MCPH_FRAME_LIMIT applies. */
void mcph_framer_init(struct mcph_framer *framer, size_t limit);
void mcph_framer_done(struct mcph_framer *framer);
/* Sets the sink of the messages that outgrow the limit from now on.  If `sink` is NULL,
 * these messages are discarded. */
void mcph_framer_set_sink(struct mcph_framer *framer, struct mcph_sink *sink);
/* Sets the ration from which the framer takes the memory of large messages.  NULL means
 * no ration.  Call this function before the framer gets its first byte. */
void mcph_framer_set_ration(struct mcph_framer *framer, struct mcph_ration *ration);
void mcph_framer_set_limit(struct mcph_framer *framer, size_t limit);
/* Returns memory to read into: a few KiB at least, more while a large line comes in.
 * Returns NULL if memory is short.  Call this only after mcph_framer_next() has returned
 * all frames. */
char *mcph_framer_space(struct mcph_framer *framer, size_t *ret_size);
void mcph_framer_commit(struct mcph_framer *framer, size_t n);
/* Adds bytes that are in memory already.  Use this in place of mcph_framer_space() and
 * mcph_framer_commit().  Returns 0 or MCPHOST_E_NOMEM.  On failure nothing was added. */
int mcph_framer_put(struct mcph_framer *framer, const char *data, size_t len);
/* Returns true if the last mcph_framer_next() stopped before the end of the bytes in the
 * buffer.  In a line past the limit, one call handles at most MCPH_FRAMER_STEP bytes. */
static inline bool
mcph_framer_is_behind(const struct mcph_framer *framer)
{
    return framer->behind;
}
/* Takes the next line.  Returns 1 and the line's frame in *ret_frame (the caller's
 * reference), 0 if no complete line is left or mcph_framer_is_behind() returns true, or
 * MCPHOST_E_NOMEM.  After MCPHOST_E_NOMEM nothing is lost.  The caller may then call the
 * function again. */
int mcph_framer_next(struct mcph_framer *framer, struct mcph_frame **ret_frame);
/* Returns the number of bytes of the unfinished line.  At end of file, the peer has left
 * that line incomplete. */
uint64_t mcph_framer_pending(const struct mcph_framer *framer);

/* ---- event streams (sse.c) ----------------------------------------------------------
 * The parser reads server-sent events as MCP uses them (WHATWG HTML, "Server-sent
 * events"): each message is the data of one event.  The parser takes bytes in pieces of
 * any size and returns one event at a time.  It joins the lines of an event's data by a
 * space.  JSON allows a space wherever it allows a line end.  Data over the limit are
 * treated as the newline framer treats a line over the limit. */

#define MCPH_SSE_ID_MAX   512 /* a longer id counts as no id */
#define MCPH_SSE_TYPE_MAX 32

struct mcph_sse {
    struct mcph_framer framer; /* takes the data; the owner sets the sink and the limit */
    /* The state that a client needs to resume the stream. */
    char id[MCPH_SSE_ID_MAX + 1]; /* id of the last event that had an id, or "" */
    int64_t retry_ms;             /* the wait before a reconnect; -1 if the server
                                   * named no wait */
    uint64_t n_events;            /* complete events that had data or an id */

    /* Only sse.c uses these members. */
    char event_id[MCPH_SSE_ID_MAX + 1], value[MCPH_SSE_ID_MAX + 1];
    char type[MCPH_SSE_TYPE_MAX], name[8];
    size_t event_id_len, value_len, type_len, name_len;
    int64_t number;
    int field, place;
    unsigned bom; /* number of bytes of the byte order mark that were seen; 3 if the mark
                   * has ended or is absent */
    bool after_cr, has_data, has_id, bad_value;
};

/* Initialises a parser.  If `limit` is 0, MCPH_FRAME_LIMIT applies. */
void mcph_sse_init(struct mcph_sse *sse, size_t limit);
void mcph_sse_done(struct mcph_sse *sse);
/* Begins a new stream that resumes the old stream.  Discards unfinished data.  Keeps `id`
 * and `retry_ms`. */
void mcph_sse_restart(struct mcph_sse *sse);
/* Takes bytes off the front of `bytes`, up to the end of an event that has data.  Returns
 * 1 at the end of this event.  Then *ret_type is the event's type, valid until the next
 * call.  *ret_frame is the caller's reference to the event's data, or NULL if the data
 * are blank.  Returns 0 if all bytes are taken.  After MCPHOST_E_NOMEM the stream cannot
 * be used any more. */
int mcph_sse_next(struct mcph_sse *sse, struct mcph_span *bytes, const char **ret_type,
                  struct mcph_frame **ret_frame);

/* ---- messages (message.c) ---------------------------------------------------------- */

enum {
    MCPH_RPC_ID_NONE = 0, /* absent, or null */
    MCPH_RPC_ID_INT,
    MCPH_RPC_ID_STRING
};

struct mcph_rpc_id {
    int kind;
    int64_t n;            /* the value of an MCPH_RPC_ID_INT */
    struct mcph_span raw; /* the token as sent; an answer repeats the token unchanged */
};

enum {
    MCPH_RPC_GARBAGE = 0, /* not a message: `why` gives the reason */
    MCPH_RPC_REQUEST,
    MCPH_RPC_NOTIFICATION,
    MCPH_RPC_RESULT,
    MCPH_RPC_ERROR,
    MCPH_RPC_BATCH /* an array: iterate over `whole` */
};

struct mcph_rpc_message {
    int kind;
    struct mcph_rpc_id id;
    struct mcph_span method; /* string token with quotes, for mcph_json_string_is() */
    struct mcph_span params; /* an object or array; p is NULL if the message has no
                              * params */
    struct mcph_span result; /* any value */
    struct mcph_span error;  /* an object */
    struct mcph_span whole;  /* the message without white space around it */
    const char *why;         /* for garbage: the reason, a static phrase */
    /* True for a broken answer: garbage that still names an id and looks like the answer
     * to the request with this id. */
    bool is_answer;
    bool bad_utf8;            /* garbage only because a string is not UTF-8 */
    struct mcph_frame *frame; /* the frame that the spans point into, borrowed; or NULL */
};

/* Classifies one JSON text.  Never fails: a text that is not a message is
 * MCPH_RPC_GARBAGE. */
void mcph_rpc_parse(struct mcph_span text, unsigned depth, struct mcph_rpc_message *ret);
/* Classifies a frame, and sets `ret->frame`.  If the frame has an envelope and `depth` is
 * the default, the frame's bytes are not parsed again. */
void mcph_rpc_parse_frame(struct mcph_frame *frame, unsigned depth,
                          struct mcph_rpc_message *ret);
/* Classifies an element of a batch.  The scan of the batch has checked the element. */
void mcph_rpc_parse_element(struct mcph_span value, struct mcph_rpc_message *ret);
/* Reads an id token.  Returns 0, or MCPHOST_E_INVALID if the token is present but neither
 * null, nor an int64 (also written as "7.0"), nor a string. */
int mcph_rpc_id_parse(struct mcph_span token, struct mcph_rpc_id *ret_id);
/* Gets the number that the id of an answer means: an integer, or a string of its digits.
 * Returns false if the id is no number. */
bool mcph_rpc_id_number(const struct mcph_rpc_id *id, int64_t *ret_n);
/* Returns true if the id of an answer, `id`, is the id of the library's request, `own`.
 * An integer may come back as a string. */
bool mcph_rpc_id_answers(const struct mcph_rpc_id *own, const struct mcph_rpc_id *id);
bool mcph_rpc_id_eq(const struct mcph_rpc_id *a,
                    const struct mcph_rpc_id *b); /* compares type and value */
bool mcph_rpc_method_is(const struct mcph_rpc_message *msg, const char *method);

/* Gets the members of an error object.  `ret_message` is a string token.  A missing code
 * is 0.  A missing message or missing data has p NULL. */
void mcph_rpc_error_read(struct mcph_span error, int64_t *ret_code,
                         struct mcph_span *ret_message, struct mcph_span *ret_data);

/* ---- building messages (build.c) ---------------------------------------------------
 * These functions add a message to `buf`.  They copy `params` as it is.  If its p is
 * NULL, they leave the member out.  `params` must not contain a newline if the transport
 * frames by lines: mcph_json_add_canonical() and mcph_rpc_add_oneline() remove newlines.
 * `method` is plain text in which nothing needs escapes.  The functions return 0 or the
 * error code of the buffer.  On failure they leave `buf` as it was. */

int mcph_rpc_add_notification(struct mcph_buf *buf, const char *method,
                              struct mcph_span params);
/* These functions add an answer to a request of the peer.  `id` is the id token of that
 * request. */
int mcph_rpc_add_result(struct mcph_buf *buf, struct mcph_span id,
                        struct mcph_span result);
int mcph_rpc_add_error(struct mcph_buf *buf, struct mcph_span id, int64_t code,
                       const char *message, struct mcph_span data);
/* Adds the bytes of a checked value, with spaces in place of the line ends outside of
 * strings.  A value that an application wrote over several lines then fits into one
 * line. */
int mcph_rpc_add_oneline(struct mcph_buf *buf, struct mcph_span value);

/* Adds an MCP "Implementation" object.  `title` may be NULL.  Returns 0 or the error code
 * of the buffer.  On failure the buffer stays in its error state. */
int mcph_rpc_add_identity(struct mcph_buf *buf, const char *name, const char *version,
                          const char *title);

enum {
    MCPH_RPC_PARSE_ERROR = -32700,
    MCPH_RPC_INVALID_REQUEST = -32600,
    MCPH_RPC_METHOD_NOT_FOUND = -32601,
    MCPH_RPC_INVALID_PARAMS = -32602,
    MCPH_RPC_INTERNAL_ERROR = -32603
};

/* ---- the endpoint (endpoint.c, pending.c) ------------------------------------------ */

struct mcph_rpc;
struct mcph_rpc_call;

/* Tells how a request ended.  The struct is borrowed, and is valid only during the call
 * of on_answer. */
struct mcph_rpc_answer {
    /* The end of the request:
     *   0                   `msg->result` is set
     *   MCPHOST_E_RPC       `msg->error` is set
     *   MCPHOST_E_LIMIT     the answer outgrew the limit or the ration; `frame->over` has
     *                       the details
     *   MCPHOST_E_PROTOCOL  the answer is broken; `why` gives the reason
     *   MCPHOST_E_TIMEOUT   a deadline passed
     * Any other code was passed to mcph_rpc_settle(). */
    int code;
    const char *why;
    const struct mcph_rpc_message *msg; /* NULL if no message came */
    struct mcph_frame *frame;           /* NULL if no message came; mcph_frame_ref() keeps
                                         * the frame */
    mcphost_error *error;               /* from mcph_rpc_settle(), or NULL */
    int status;                         /* HTTP status of a refused answer, or 0 */
    struct mcph_span retry_after;       /* value of the Retry-After header, or p NULL */
};

/*
 * One request that waits for its answer.  The struct is embedded in its owner.  The owner
 * zeroes the struct and fills in the members up to `progress_resets`.  The callbacks may
 * free the call, start other calls and abandon any call, but must not destroy the
 * endpoint.
 */
struct mcph_rpc_call {
    /* Receives the end of the request.  The endpoint calls this function exactly once,
     * unless the call is abandoned or the endpoint is destroyed before. */
    void (*on_answer)(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer);
    /* Receives each progress notification of this request, always before the answer.
     * This function may be NULL. */
    void (*on_progress)(struct mcph_rpc_call *call, const struct mcph_rpc_message *msg);
    int64_t timeout_ms;   /* limit in ms from the start or, with `progress_resets`, from
                           * the last progress; -1 means no limit */
    int64_t max_ms;       /* limit in ms from the start; -1 means no limit */
    bool progress_resets; /* progress restarts timeout_ms */

    /* The owner sets `stream` after mcph_rpc_start().  The endpoint sets the other
     * members below. */
    struct mcph_rpc *rpc; /* NULL if the call does not wait */
    struct mcph_list link;
    struct mcph_timer timer;
    int64_t id;       /* the request's id, and its progress token */
    const char *name; /* the id if it is a string; NULL if `id` is the id */
    int64_t started, soft_due, hard_due;
    uint64_t stream; /* the stream that the request was sent on, or 0 */
    int64_t left;    /* while the call is paused, the rest of timeout_ms */
    unsigned paused; /* number of pauses that were not resumed */
};

/* Counters of messages.  pending.c remembers the ids of the last requests that were
 * abandoned, settled or timed out.  An answer to such a request counts as late if its id
 * is remembered, and otherwise as a second answer. */
struct mcph_rpc_counters {
    uint64_t messages; /* frames and elements of batches */
    uint64_t garbage;  /* neither request, notification nor answer */
    uint64_t over_limit;
    uint64_t unknown_ids;      /* answers with an id that was never used; also second
                                * answers with a string id */
    uint64_t double_answers;   /* second answers with a number as id */
    uint64_t late_answers;     /* answers to requests that were abandoned or settled, or
                                * that timed out */
    uint64_t foreign;          /* unknown or second answers that came while calls
                                * waited */
    uint64_t unknown_progress; /* progress that belongs to no waiting call */
    uint64_t wrong_stream;     /* answers on the stream of another request */
    uint64_t mended;           /* mended answers: a string was not UTF-8 */
};

/* Callbacks for mended answers, and for messages that do not belong to a waiting
 * request.  Each callback may be NULL. */
struct mcph_rpc_ops {
    void (*on_request)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* Receives all notifications except progress. */
    void (*on_notification)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* Receives an error answer that has no id and came on no request's stream.  Only the
     * owner can guess which request the error answers. */
    void (*on_stray_error)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* Receives the first garbage of this endpoint.  Later garbage is only counted, unless
     * `tells_all_garbage` is set. */
    void (*on_garbage)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* Receives an answer with an id that no call has, while calls wait.  The peer may
     * have changed the id: then one of the calls waits for this answer in vain.  An
     * answer that counts as late (struct mcph_rpc_counters) is not reported. */
    void (*on_foreign)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* Receives the first answer that had strings which are not UTF-8.  `msg` is the
     * mended answer.  Later mended answers are only counted.  If the request still waits,
     * the request's own on_answer is called next. */
    void (*on_mended)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
};

/* Limit on the bytes by which an answer may grow when U+FFFD replaces bytes that are not
 * UTF-8.  An answer that would grow more counts as broken, because its strings are
 * probably no text. */
#define MCPH_RPC_MEND_MAX ((size_t)1 << 20)
/* The longest answer that is mended.  The limit exists because one turn of the dispatcher
 * must copy the answer and check it again. */
#define MCPH_RPC_MEND_LEN ((size_t)2 << 20)

#define MCPH_RPC_MAX_PENDING 65536

/* Limits on the messages and the bytes of a batch.  The limits exist because one turn of
 * the dispatcher handles the whole batch. */
#define MCPH_RPC_BATCH_MAX 1000u
#define MCPH_RPC_BATCH_LEN ((size_t)4 << 20)

struct mcph_rpc {
    struct mcph_core *core;
    const struct mcph_rpc_ops *ops;
    bool allow_batch; /* true in protocol version 2025-03-26, the only version with
                       * batches */
    bool tells_all_garbage;
    unsigned depth; /* limit on nesting; 0 for the default */
    size_t max_pending;
    /* The stream of the frame that is being received, or 0.  The owner sets this member.
     * If an answer comes on one stream and its request was sent on another stream, the
     * answer is dropped. */
    uint64_t stream;
    struct mcph_rpc_counters counters;
    const char *garbage_why; /* the reason of the latest garbage, a static phrase; or
                              * NULL */
    int64_t garbage_at;      /* when the latest garbage came (mcph_core_round_now()) */

    /* Only the endpoint uses these members. */
    int64_t next_id;
    struct mcph_list calls; /* waiting calls, in the order of their start */
    size_t n_calls, cap;
    struct mcph_rpc_call **slots; /* hash table of the calls, by id */
    int64_t *abandoned;           /* ring of the ids that were abandoned, settled or timed
                                   * out last */
    size_t abandoned_at;
};

/* Initialises an endpoint inside its owner's struct.  `ops` must outlive the endpoint.
 * The function cannot fail. */
void mcph_rpc_init(struct mcph_rpc *rpc, struct mcph_core *core,
                   const struct mcph_rpc_ops *ops);
/* Discards all waiting calls without calling on_answer, and frees all memory.  Does
 * nothing on zeroed memory. */
void mcph_rpc_done(struct mcph_rpc *rpc);

/*
 * Gives the call the next id (`call->id`) and starts its deadlines.  Call this before you
 * build the request.  If the request cannot be sent after all, abandon the call.  Returns
 * 0, MCPHOST_E_NOMEM, or MCPHOST_E_LIMIT if `max_pending` calls wait.
 */
int mcph_rpc_start(struct mcph_rpc *rpc, struct mcph_rpc_call *call);
/* Starts the call as mcph_rpc_start() does, but under a string id.  `name` is borrowed
 * for as long as the call waits.  Also returns MCPHOST_E_EXISTS, if a waiting call has
 * the same name. */
int mcph_rpc_start_named(struct mcph_rpc *rpc, struct mcph_rpc_call *call,
                         const char *name);
/* Stops waiting for the answer.  on_answer is not called.  A late answer is dropped
 * silently.  Has no effect on a call that does not wait. */
void mcph_rpc_abandon(struct mcph_rpc_call *call);
static inline bool
mcph_rpc_call_waits(const struct mcph_rpc_call *call)
{
    return call->rpc != NULL;
}
/* Sets timeout_ms and restarts its clock.  If the call is paused, the clock runs when the
 * pause ends.  -1 means no limit. */
void mcph_rpc_call_set_timeout(struct mcph_rpc_call *call, int64_t timeout_ms);
/* These functions stop and restart the clock of timeout_ms, for calls that wait.  The
 * clock runs again after as many resumes as pauses.  The clock of max_ms is not
 * stopped. */
void mcph_rpc_call_pause(struct mcph_rpc_call *call);
void mcph_rpc_call_resume(struct mcph_rpc_call *call);
/* Returns the rest of timeout_ms, also after the answer.  Returns -1 if the call has no
 * timeout. */
int64_t mcph_rpc_call_left(const struct mcph_rpc_call *call, int64_t now);

/*
 * Takes one frame from the peer, in wire order.  The frame is borrowed.  The callbacks
 * run before the function returns.  A callback must not destroy the endpoint.  Post a job
 * to destroy the endpoint.
 */
void mcph_rpc_receive(struct mcph_rpc *rpc, struct mcph_frame *frame);
/* Takes a frame as mcph_rpc_receive() does, but after mcph_rpc_parse_frame() has parsed
 * the frame with depth 0.  `msg->frame` is set.  The frame is parsed again only if the
 * endpoint has another limit on nesting. */
void mcph_rpc_receive_parsed(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
/* Returns the waiting request that was sent on this stream, or NULL. */
struct mcph_rpc_call *mcph_rpc_find_stream(struct mcph_rpc *rpc, uint64_t stream);
/* Ends a waiting request with this answer, as if the peer had sent the answer. */
void mcph_rpc_settle(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer);

/* Adds the request of this call up to the opening brace of its `params`.  Reserves memory
 * for `more` bytes.  The caller adds the members of `params` and "}}". */
int mcph_rpc_open_call(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                       const char *method, size_t more);
int mcph_rpc_add_cancel(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                        const char *reason);

#endif
