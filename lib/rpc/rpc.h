/* SPDX-License-Identifier: MIT
 *
 * rpc.h - the room `rpc`: JSON-RPC 2.0 as MCP uses it, without any I/O.
 *
 *   bytes --framer--> frames --endpoint--> answers, progress, requests, notices
 *
 * Three parts, each usable alone: the newline framer (bytes in, frames out), the
 * message (one frame in, what it is out), and the endpoint (the table of requests
 * that wait for an answer, with their deadlines).  Builders add outgoing messages
 * to a buffer of the caller; they end without a newline, the transport frames.
 *
 * All of it belongs to the thread that dispatches.  It never reads or writes a
 * file descriptor, never calls user code, and knows of MCP only how progress and
 * cancellation are spelled.
 */
#ifndef MCPH_RPC_H
#define MCPH_RPC_H

#include "base/base.h"
#include "json/json.h"
#include "loop/loop.h"

/* ---- frames (frame.c) ----------------------------------------------------------
 * One message as it came, immutable and reference-counted (any thread).  Whoever
 * keeps a span of it keeps a reference. */

#define MCPH_FRAME_ID_MAX 256

/* The memory that large messages may hold in all, being read or kept; any thread.  Those
 * of at most MCPH_RATION_FREE bytes do not count.  A share counts in its whole, too, and
 * grows only while it is at most as large as what the whole then has left: a single share
 * may take half of it, two take a third each, and there is always room for another. */
struct mcph_ration {
    struct mcph_refs refs;
    struct mcph_ration *whole; /* of a share: a reference */
    atomic_size_t used;
    size_t max; /* of a whole; set before the first message */
};
#define MCPH_RATION_FREE (64u * 1024u)

/* A share, or with NULL a whole without a limit.  NULL: no memory. */
struct mcph_ration *mcph_ration_new(struct mcph_ration *whole);
struct mcph_ration *mcph_ration_ref(struct mcph_ration *ration);   /* NULL is fine */
struct mcph_ration *mcph_ration_unref(struct mcph_ration *ration); /* NULL is fine */
/* False, and nothing is taken: there is not enough left. */
bool mcph_ration_take(struct mcph_ration *ration, size_t n);
/* The same for what is in memory already. */
void mcph_ration_add(struct mcph_ration *ration, size_t n);
void mcph_ration_give_back(struct mcph_ration *ration, size_t n);

/* What is known of a message that outgrew the in-memory limit, or its ration. */
struct mcph_frame_over {
    char id[MCPH_FRAME_ID_MAX]; /* the id token; id_len 0: none seen, or too long */
    size_t id_len;
    bool starved;   /* the ration is used up, the limit was not reached */
    bool is_object; /* the bytes were one whole object */
    bool has_method, has_result, has_error;
    uint64_t result_at, result_end; /* offsets in the message; equal: none */
};

/* ---- what was found while a message was read (envelope.c) -------------------------
 * A large message is checked piece by piece as its bytes come, so that its end costs no
 * long turn.  What mcph_rpc_parse() would look for stands here then. */

enum {
    MCPH_MEMBER_RESULT, /* answers are the most: what they hold stands first */
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
    char id[MCPH_FRAME_ID_MAX]; /* the id token, as far as there is room */
    uint64_t fed;               /* bytes of the message that it has seen */
    int code;                   /* 0, or why it is no JSON text */
    struct mcph_json_fault fault;
};

void mcph_envelope_begin(struct mcph_envelope *envelope);
void mcph_envelope_feed(struct mcph_envelope *envelope, const char *data, size_t len);
void mcph_envelope_end(struct mcph_envelope *envelope);
/* The member was seen; the message may have ended within its value. */
static inline bool
mcph_envelope_has(const struct mcph_envelope *envelope, int member)
{
    return envelope->members[member].end != envelope->members[member].at;
}

struct mcph_frame {
    struct mcph_refs refs;
    const char *data; /* NULL when over the limit */
    size_t len;
    uint64_t wire_len;              /* bytes on the wire, without the line end */
    struct mcph_frame_over *over;   /* NULL for a normal frame */
    struct mcph_envelope *envelope; /* of a large message; NULL: it is not checked yet */
    void *block;                    /* memory taken over, or NULL */
    size_t block_size;          /* of a block of pages, a file's too; 0: from malloc */
    struct mcph_ration *ration; /* a reference; NULL: it does not count */
    size_t rationed;            /* bytes taken of it */
};

/* A frame with a copy of the bytes and a NUL: one allocation; NULL: no memory. */
struct mcph_frame *mcph_frame_new(const char *data, size_t len);
/* The same without the copy: what is added to a buffer between the two (the first sets it
 * up) are the bytes.  NULL: no memory, or over the limit; the buffer is empty then. */
void mcph_frame_open(struct mcph_buf *buf, size_t room);
struct mcph_frame *mcph_frame_close(struct mcph_buf *buf);
/* Takes over `block` (malloc) that holds the bytes; on NULL it stays the caller's. */
struct mcph_frame *mcph_frame_take(void *block, const char *data, size_t len);
struct mcph_frame *mcph_frame_ref(struct mcph_frame *frame);
struct mcph_frame *
mcph_frame_unref(struct mcph_frame *frame); /* NULL is fine; returns NULL */
static inline struct mcph_span
mcph_frame_span(const struct mcph_frame *frame)
{
    return mcph_span(frame->data, frame->len);
}

/* ---- newline framer (framer.c) -----------------------------------------------------
 *   while ((n = read(fd, mcph_framer_space(f, &size), size)) > 0) {
 *       mcph_framer_commit(f, n);
 *       while ((r = mcph_framer_next(f, &frame)) > 0) { ...; mcph_frame_unref(frame); }
 *   }
 * A line ends with LF or CRLF; lines of nothing but white space are skipped.  Up to
 * MCPH_FRAME_COPY bytes are copied, a larger line takes the read buffer over.  A
 * line longer than the limit is followed in constant memory, its bytes go to the
 * sink, and at its end it comes out as a frame with `over` set, unless the sink has
 * kept the bytes: then it is a frame like the others.  */

#define MCPH_FRAME_COPY  (16u * 1024u)
#define MCPH_FRAME_LIMIT ((size_t)64 * 1024 * 1024)

/* Where the bytes of over-limit messages go: a spool for each message, several at a
 * time.  Embedded in its owner. */
struct mcph_sink {
    /* A message begins.  NULL: it is discarded. */
    void *(*begin)(struct mcph_sink *sink);
    /* The bytes of the message in order, from its first.  A negative answer: no more
     * of it, the rest is discarded; `end` follows. */
    int (*write)(void *spool, const char *data, size_t len);
    /* Frees the spool.  The message is complete: its bytes may be given to the frame,
     * by `data`, `len`, `block` and `block_size`.  With NULL it is forgotten. */
    void (*end)(void *spool, struct mcph_frame *frame);
};

struct mcph_framer {
    struct mcph_buf buf;
    size_t start;   /* of the line being read */
    size_t scanned; /* no newline in [start, scanned) */
    size_t limit;
    size_t hint, offered; /* room for the next read; room given to the last */
    uint64_t n_lines, n_over,
        n_bytes; /* frames given out, of them over the limit; bytes read */
    struct mcph_sink *sink;
    struct mcph_envelope *envelope; /* of the line being read, once it is long; or NULL */
    struct mcph_framer_over *over;  /* the line being followed, or NULL */
    bool behind;
    bool starved;               /* more was read than the ration has */
    struct mcph_ration *ration; /* a reference, or NULL */
    size_t rationed;            /* bytes taken of it */
};
#define MCPH_FRAMER_STEP (256u * 1024u)
#define MCPH_FRAMER_LONG (64u * 1024u) /* a longer line is checked while it is read */

void mcph_framer_init(struct mcph_framer *framer, size_t limit); /* 0: MCPH_FRAME_LIMIT */
void mcph_framer_done(struct mcph_framer *framer);
/* For the messages that outgrow the limit from now on; NULL: discard. */
void mcph_framer_set_sink(struct mcph_framer *framer, struct mcph_sink *sink);
/* Of what is in memory; NULL: there is no limit.  Before the first byte. */
void mcph_framer_set_ration(struct mcph_framer *framer, struct mcph_ration *ration);
void mcph_framer_set_limit(struct mcph_framer *framer, size_t limit);
/* Room to read into, some KiB at least and more while a large line comes in; NULL:
 * no memory.  All frames must have been taken out first. */
char *mcph_framer_space(struct mcph_framer *framer, size_t *ret_size);
void mcph_framer_commit(struct mcph_framer *framer, size_t n);
/* space, copy, commit: for bytes that are in memory already.  0 or MCPHOST_E_NOMEM
 * (then nothing was taken). */
int mcph_framer_put(struct mcph_framer *framer, const char *data, size_t len);
/* True when the last mcph_framer_next() stopped in the middle of the bytes that it has:
 * of a line past the limit it looks at MCPH_FRAMER_STEP bytes at a time. */
static inline bool
mcph_framer_is_behind(const struct mcph_framer *framer)
{
    return framer->behind;
}
/* 1 and a frame (the caller's reference), 0 when the bytes end before a line does,
 * or MCPHOST_E_NOMEM (nothing is lost, it may be called again). */
int mcph_framer_next(struct mcph_framer *framer, struct mcph_frame **ret_frame);
/* Bytes of the unfinished line: at end of file, what the peer broke off. */
uint64_t mcph_framer_pending(const struct mcph_framer *framer);

/* ---- event streams (sse.c) ----------------------------------------------------------
 * Server-sent events as MCP uses them (WHATWG HTML, "Server-sent events"): each
 * message is the data of one event.  Bytes in at any cut, one event at a time out; the
 * lines of its data are joined by a space, which in JSON is as good as a line end.
 * Data over the limit come out as those of the newline framer do. */

#define MCPH_SSE_ID_MAX   512 /* a longer id, or one that no header can carry, is none */
#define MCPH_SSE_TYPE_MAX 32

struct mcph_sse {
    struct mcph_framer framer; /* of the data; its sink and limit are the owner's */
    /* What the stream said so far, for taking it up again. */
    char id[MCPH_SSE_ID_MAX + 1]; /* of the last event that had one; "": none */
    int64_t retry_ms;             /* -1: not said */
    uint64_t n_events;            /* complete ones, with data or without */

    /* its own */
    char event_id[MCPH_SSE_ID_MAX + 1], value[MCPH_SSE_ID_MAX + 1];
    char type[MCPH_SSE_TYPE_MAX], name[8];
    size_t event_id_len, value_len, type_len, name_len;
    int64_t number;
    int field, place;
    unsigned bom; /* bytes of it seen; 3: past the beginning */
    bool after_cr, has_data, has_id, bad_value;
};

void mcph_sse_init(struct mcph_sse *sse, size_t limit); /* 0: MCPH_FRAME_LIMIT */
void mcph_sse_done(struct mcph_sse *sse);
/* A new stream takes the old one up: what is unfinished is forgotten, id and retry
 * stay. */
void mcph_sse_restart(struct mcph_sse *sse);
/* Takes bytes off the front of `bytes`, up to the end of an event that has data.
 * 1: such an event; *ret_type is its type, valid until the next call, *ret_frame its
 * data (the caller's reference), or NULL when they are blank.  0: all is taken.
 * MCPHOST_E_NOMEM: the stream is of no use any more. */
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
    int64_t n;            /* MCPH_RPC_ID_INT */
    struct mcph_span raw; /* the token as sent, to be echoed verbatim */
};

enum {
    MCPH_RPC_GARBAGE = 0, /* not a message: `why` says why */
    MCPH_RPC_REQUEST,
    MCPH_RPC_NOTIFICATION,
    MCPH_RPC_RESULT,
    MCPH_RPC_ERROR,
    MCPH_RPC_BATCH /* an array: `whole` is to be iterated */
};

struct mcph_rpc_message {
    int kind;
    struct mcph_rpc_id id;
    struct mcph_span method; /* string token, quotes included: mcph_json_string_is() */
    struct mcph_span params; /* object or array; p NULL: none */
    struct mcph_span result; /* any value */
    struct mcph_span error;  /* object */
    struct mcph_span whole;  /* the message without white space around it */
    const char *why;         /* garbage: a static phrase */
    /* Garbage that nevertheless names an id and looks like an answer: a broken
     * answer to that request. */
    bool is_answer;
    bool bad_utf8;            /* garbage: for the bytes of a string alone */
    struct mcph_frame *frame; /* what the spans point into, borrowed; or NULL */
};

/* What one text is.  Never fails: what is no message is garbage. */
void mcph_rpc_parse(struct mcph_span text, unsigned depth, struct mcph_rpc_message *ret);
/* The same of a frame, of which more may be known; `ret->frame` is set. */
void mcph_rpc_parse_frame(struct mcph_frame *frame, unsigned depth,
                          struct mcph_rpc_message *ret);
/* The same for an element of a batch, which the scan of the batch has checked. */
void mcph_rpc_parse_element(struct mcph_span value, struct mcph_rpc_message *ret);
/* An id token: 0, or MCPHOST_E_INVALID for anything but null, an int64 (also written as
 * "7.0") or a string. */
int mcph_rpc_id_parse(struct mcph_span token, struct mcph_rpc_id *ret_id);
/* The number that an answer's id stands for: an integer, or a string of its digits. */
bool mcph_rpc_id_number(const struct mcph_rpc_id *id, int64_t *ret_n);
/* Whether an answer's id is this id of ours: an integer may come back as a string. */
bool mcph_rpc_id_answers(const struct mcph_rpc_id *own, const struct mcph_rpc_id *id);
bool mcph_rpc_id_eq(const struct mcph_rpc_id *a,
                    const struct mcph_rpc_id *b); /* type and value */
bool mcph_rpc_method_is(const struct mcph_rpc_message *msg, const char *method);

/* The members of an error object; missing ones are 0 and p NULL.  `ret_message` is
 * a string token or p NULL. */
void mcph_rpc_error_read(struct mcph_span error, int64_t *ret_code,
                         struct mcph_span *ret_message, struct mcph_span *ret_data);

/* ---- building messages (build.c) ---------------------------------------------------
 * Spliced into `buf`; `params` are the caller's bytes, taken as they are, without a
 * newline in them when the transport frames by lines (mcph_json_add_canonical() or
 * mcph_rpc_add_oneline() see to that); p NULL leaves the member out.  `method` is
 * plain text without anything to escape.  Return 0 or what the buffer said, then
 * `buf` is as it was. */

int mcph_rpc_add_notification(struct mcph_buf *buf, const char *method,
                              struct mcph_span params);
/* Answers to the peer's requests; `id` is the peer's token. */
int mcph_rpc_add_result(struct mcph_buf *buf, struct mcph_span id,
                        struct mcph_span result);
int mcph_rpc_add_error(struct mcph_buf *buf, struct mcph_span id, int64_t code,
                       const char *message, struct mcph_span data);
/* The bytes of a checked value with line ends outside of strings made spaces: what
 * an application wrote over several lines fits into one. */
int mcph_rpc_add_oneline(struct mcph_buf *buf, struct mcph_span value);

/* MCP's Implementation; `title` NULL: none.  What the buffer said; a failed one is not
 * mended. */
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

/* The end of a request; borrowed, valid during the call of on_answer only. */
struct mcph_rpc_answer {
    /* 0: `msg->result` is there.  MCPHOST_E_RPC: `msg->error` is there.
     * MCPHOST_E_LIMIT: the answer outgrew the limit, `frame->over` tells more.
     * MCPHOST_E_PROTOCOL: the answer is broken, `why` says how.
     * MCPHOST_E_TIMEOUT: a deadline passed.  Anything else: the code that
     * mcph_rpc_fail_all() or mcph_rpc_settle() was given. */
    int code;
    const char *why;
    const struct mcph_rpc_message *msg; /* NULL when nothing came */
    struct mcph_frame *frame;           /* likewise; mcph_frame_ref() to keep it */
    mcphost_error *error;               /* of mcph_rpc_fail_all(), or NULL */
    int status;                         /* HTTP's, where the answer came with one */
    struct mcph_span retry_after;       /* likewise, or p NULL */
};

/*
 * One request that waits for its answer; embedded in its owner, who zeroes it and
 * fills in the first part.  Its functions may free it, start other calls and
 * abandon any, but not take the endpoint down.
 */
struct mcph_rpc_call {
    /* Exactly once, unless the call is abandoned before. */
    void (*on_answer)(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer);
    /* Progress for this request, always before its answer; may be NULL. */
    void (*on_progress)(struct mcph_rpc_call *call, const struct mcph_rpc_message *msg);
    int64_t timeout_ms;   /* from the start, or from the last progress; -1: none */
    int64_t max_ms;       /* from the start, whatever happens; -1: none */
    bool progress_resets; /* progress starts timeout_ms anew */

    /* the endpoint's own */
    struct mcph_rpc *rpc; /* NULL: not waiting */
    struct mcph_list link;
    struct mcph_timer timer;
    int64_t id;       /* the request's id, and its progress token */
    const char *name; /* or this one, a string id */
    int64_t started, soft_due, hard_due;
    uint64_t stream; /* what the owner sent it on; 0: nothing of the kind */
    int64_t left;    /* of timeout_ms, while it is paused */
    unsigned paused; /* how often */
};

struct mcph_rpc_counters {
    uint64_t messages; /* frames and elements of batches */
    uint64_t garbage;  /* neither request, notification nor answer */
    uint64_t over_limit;
    uint64_t unknown_ids;      /* answers to what was never asked */
    uint64_t double_answers;   /* a second answer to one request */
    uint64_t late_answers;     /* to abandoned or expired requests: silent */
    uint64_t foreign;          /* unknown or second answers while calls waited */
    uint64_t unknown_progress; /* progress for nobody */
    uint64_t wrong_stream;     /* answers that came on another request's stream */
    uint64_t mended;           /* answers with strings that were no UTF-8 */
};

/* What the endpoint's owner does with what is no answer; each may be NULL. */
struct mcph_rpc_ops {
    void (*on_request)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* All notifications but the progress of a waiting request. */
    void (*on_notification)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* An error answer without an id that came on no request's stream: only the owner can
     * guess which request it answers. */
    void (*on_stray_error)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* The first garbage of this endpoint; later ones are only counted, unless
     * `tells_all_garbage`. */
    void (*on_garbage)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* An answer under an id that no call has, while calls wait: one of them may wait for
     * just this answer. */
    void (*on_foreign)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
    /* The first answer that had strings which are no UTF-8, as it is without them; later
     * ones are only counted.  Its request hears of it next. */
    void (*on_mended)(struct mcph_rpc *rpc, const struct mcph_rpc_message *msg);
};

/* Bytes that an answer may grow by when U+FFFD takes the place of what is no UTF-8; more
 * is no text that was spoiled, and the answer is broken. */
#define MCPH_RPC_MEND_MAX ((size_t)1 << 20)
/* A longer answer is not mended: it is copied and checked anew in one turn. */
#define MCPH_RPC_MEND_LEN ((size_t)2 << 20)

#define MCPH_RPC_MAX_PENDING 65536

/* Messages and bytes of a batch, which is taken apart in one turn. */
#define MCPH_RPC_BATCH_MAX 1000u
#define MCPH_RPC_BATCH_LEN ((size_t)4 << 20)

struct mcph_rpc {
    struct mcph_core *core;
    const struct mcph_rpc_ops *ops;
    bool allow_batch; /* protocol version 2025-03-26; MCPH_RPC_BATCH_MAX messages each */
    bool tells_all_garbage;
    unsigned depth; /* nesting limit; 0: the default */
    size_t max_pending;
    /* What the frame came on that is being received; set by the owner.  An answer on
     * one stream to a request on another is dropped. */
    uint64_t stream;
    struct mcph_rpc_counters counters;
    const char *garbage_why; /* of the latest garbage, a static phrase; or NULL */
    int64_t garbage_at;      /* when it came */

    /* its own */
    int64_t next_id;
    struct mcph_list calls; /* waiting, in the order of their start */
    size_t n_calls, cap;
    struct mcph_rpc_call **slots; /* by id */
    int64_t *abandoned;           /* a ring of the latest */
    size_t abandoned_at;
};

/* Embedded in the owner; `ops` must outlive it.  Cannot fail. */
void mcph_rpc_init(struct mcph_rpc *rpc, struct mcph_core *core,
                   const struct mcph_rpc_ops *ops);
/* Forgets all that waits (on_answer is not called) and frees; safe on zeroed
 * memory. */
void mcph_rpc_done(struct mcph_rpc *rpc);

/*
 * Gives the call the next id (`call->id`) and starts its deadlines.  To be called
 * before the request is built; when it cannot be sent after all, abandon it.
 * Returns 0, MCPHOST_E_NOMEM, or MCPHOST_E_LIMIT (max_pending).
 */
int mcph_rpc_start(struct mcph_rpc *rpc, struct mcph_rpc_call *call);
/* The same under a string id; `name` is borrowed for as long as the call waits and
 * is unique among those that wait (else MCPHOST_E_EXISTS). */
int mcph_rpc_start_named(struct mcph_rpc *rpc, struct mcph_rpc_call *call,
                         const char *name);
/* Stop waiting: on_answer is not called, a late answer is dropped in silence.  No
 * effect when it does not wait. */
void mcph_rpc_abandon(struct mcph_rpc_call *call);
static inline bool
mcph_rpc_call_waits(const struct mcph_rpc_call *call)
{
    return call->rpc != NULL;
}
/* Starts timeout_ms anew from now with this value (-1: no more). */
void mcph_rpc_call_set_timeout(struct mcph_rpc_call *call, int64_t timeout_ms);
/* Stops the clock of timeout_ms, not that of max_ms, until it was resumed as often as
 * paused; for calls that wait. */
void mcph_rpc_call_pause(struct mcph_rpc_call *call);
void mcph_rpc_call_resume(struct mcph_rpc_call *call);
/* What is left of timeout_ms, also after the answer; -1: it has none. */
int64_t mcph_rpc_call_left(const struct mcph_rpc_call *call, int64_t now);

/*
 * One frame from the peer, in wire order.  The frame is borrowed.  Calls what it is
 * meant for before it returns; those functions must not take the endpoint down
 * (post a job for that).
 */
void mcph_rpc_receive(struct mcph_rpc *rpc, struct mcph_frame *frame);
/* The request that was sent on this stream and waits, or NULL. */
struct mcph_rpc_call *mcph_rpc_find_stream(struct mcph_rpc *rpc, uint64_t stream);
/* Ends a waiting request with this answer, as if it had come. */
void mcph_rpc_settle(struct mcph_rpc_call *call, const struct mcph_rpc_answer *answer);
/* Ends every waiting request with this code, in the order of their start; `error`
 * (may be NULL) is borrowed. */
void mcph_rpc_fail_all(struct mcph_rpc *rpc, int code, mcphost_error *error);

/* The request of this call up to the brace of an object `params`, with room for `more`
 * bytes.  The caller adds members and "}}". */
int mcph_rpc_open_call(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                       const char *method, size_t more);
int mcph_rpc_add_cancel(struct mcph_buf *buf, const struct mcph_rpc_call *call,
                        const char *reason);

#endif
