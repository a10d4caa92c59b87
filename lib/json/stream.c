/* SPDX-License-Identifier: MIT
 *
 * stream.c - follow a text piece by piece, in constant memory, and catch members of the
 * outermost object.
 *
 *   START --{--> FIRST_KEY, KEY --"--> IN_KEY --"--> COLON --:--> BEFORE --> VALUE
 *                 VALUE --> BEHIND --,--> KEY        BEHIND --}--> END
 *   START --any other value--> ALONE --> END_ALONE
 *
 * The checker in strict.c reads keys and values.  At the first fault the checking ends.
 * After the fault the stream only follows strings and brackets.  A fault outside of keys
 * and values leads to JUNK.  In this state the stream ignores all further text.  There
 * are two exceptions, after which the stream still follows the text.  The first exception
 * is a wanted key that appears twice.  The second exception is a missing comma that is
 * the first fault, unless a ']' is in the place of the comma.
 */
#include "json/json.h"
#include "json/bytes.h"

enum {
    START,
    FIRST_KEY,
    KEY,
    IN_KEY,
    COLON,
    BEFORE,
    VALUE,
    BEHIND,
    END,
    ALONE,
    END_ALONE,
    JUNK
};

void
mcph_json_stream_init(struct mcph_json_stream *stream, struct mcph_json_catch *catches,
                      size_t n_catches)
{
    struct mcph_json_stream *s = stream;
    size_t i;

    s->catches = catches;
    s->n_catches = n_catches;
    s->now = NULL;
    s->offset = s->depth = 0;
    s->at = s->end = 0;
    s->state = START;
    s->in_string = s->escaped = false;
    s->key_len = 0;
    mcph_json_strict_begin(&s->strict, MCPH_JSON_DEPTH);
    for (i = 0; i < n_catches; i++) {
        catches[i].len = 0;
        catches[i].at = catches[i].end = 0;
        catches[i].cut = false;
    }
}

static void
set_fault(struct mcph_json_stream *s, const char *why)
{
    if (s->strict.why)
        return;
    s->strict.why = why;
    s->strict.code = MCPHOST_E_INVALID;
}

static void
add_to_key(struct mcph_json_stream *s, const char *data, size_t len)
{
    if (len <= sizeof(s->key) && s->key_len <= sizeof(s->key) - len) {
        memcpy(s->key + s->key_len, data, len);
        s->key_len += len;
    } else {
        s->key_len = SIZE_MAX;
    }
}

/* Ends a key.  Finds the catch that has the key's name, and notes a wanted key that
 * appears twice. */
static void
match_key(struct mcph_json_stream *s)
{
    size_t i;

    s->now = NULL;
    s->twice = false;
    s->state = COLON;
    if (s->key_len == SIZE_MAX)
        return;
    for (i = 0; i < s->n_catches; i++) {
        struct mcph_json_catch *c = &s->catches[i];

        if (!mcph_json_string_is(mcph_span(s->key, s->key_len), c->name, c->name_len))
            continue;
        s->twice = c->end > c->at;
        if (!s->twice)
            s->now = c;
        return;
    }
}

static void
keep_bytes(struct mcph_json_catch *c, const char *data, size_t len)
{
    size_t room = c->size - c->len;

    if (len > room) {
        c->cut = true;
        len = room;
    }
    if (len > 0)
        memcpy(c->value + c->len, data, len);
    c->len += len;
}

/* Ends the value of a member.  `at` is the offset of the end of the value. */
static void
end_value(struct mcph_json_stream *s, uint64_t at)
{
    struct mcph_json_catch *now = s->now;

    s->state = BEHIND;
    s->now = NULL;
    if (!now)
        return;
    now->end = at;
    while (!now->cut && now->len > 0 && mcph_json_is_space(now->value[now->len - 1]))
        now->len--;
}

/* ---- following without checking ---------------------------------------------------- */

static const char *
follow_key(struct mcph_json_stream *s, const char *p, const char *end)
{
    const char *from = p;
    bool closed = false;

    for (; p < end && !closed; p++) {
        closed = !s->escaped && *p == '"';
        s->escaped = !s->escaped && *p == '\\';
    }
    add_to_key(s, from, (size_t)(p - from));
    if (closed)
        match_key(s);
    return p;
}

static const char *
follow_string(struct mcph_json_stream *s, const char *p, const char *end)
{
    bool high = false;

    while (p < end) {
        if (s->escaped) {
            s->escaped = false;
            p++;
            continue;
        }
        p = mcph_json_run(p, p, end, &high);
        if (p >= end)
            break;
        if (*p == '"') {
            s->in_string = false;
            return p + 1;
        }
        s->escaped = *p == '\\';
        p++;
    }
    return end;
}

/* Follows a value to the comma or bracket that ends it, or to `end`. */
static const char *
follow_value(struct mcph_json_stream *s, const char *p, const char *end)
{
    while (p < end) {
        if (s->in_string) {
            p = follow_string(s, p, end);
            continue;
        }
        switch (*p) {
        case '"':
            s->in_string = true;
            break;
        case '{':
        case '[':
            s->depth++;
            break;
        case '}':
        case ']':
            if (s->depth == 0)
                return p;
            s->depth--;
            break;
        case ',':
            if (s->depth == 0)
                return p;
            break;
        default:
            break;
        }
        p++;
    }
    return end;
}

/* Begins to follow the text without checking, after a fault in a key or a value.  If the
 * text is not an object, ignores the rest of the text. */
static void
begin_following(struct mcph_json_stream *s)
{
    s->in_string = mcph_json_strict_in_string(&s->strict, &s->escaped);
    s->depth = s->strict.level;
    if (s->state == ALONE)
        s->state = JUNK;
}

/* ---- keys and values --------------------------------------------------------------- */

static const char *
take_checked(struct mcph_json_stream *s, const char *p, const char *end, bool *ret_done)
{
    const char *stop = mcph_json_strict_feed(&s->strict, p, end);

    *ret_done = stop && mcph_json_strict_done(&s->strict);
    if (stop)
        return stop;
    begin_following(s);
    return s->strict.bad;
}

static const char *
take_key(struct mcph_json_stream *s, const char *p, const char *end)
{
    const char *stop;
    bool done;

    if (s->strict.why)
        return follow_key(s, p, end);
    stop = take_checked(s, p, end, &done);
    add_to_key(s, p, (size_t)(stop - p));
    if (done)
        match_key(s);
    return stop;
}

static const char *
take_value(struct mcph_json_stream *s, const char *p, const char *end, const char *data)
{
    const char *stop;
    bool done = false;

    if (s->strict.why) {
        stop = follow_value(s, p, end);
        done = stop < end;
    } else {
        stop = take_checked(s, p, end, &done);
    }
    if (s->now)
        keep_bytes(s->now, p, (size_t)(stop - p));
    if (done)
        end_value(s, s->offset + (uint64_t)(stop - data));
    return stop;
}

static const char *
take_alone(struct mcph_json_stream *s, const char *p, const char *end, const char *data)
{
    bool done;

    p = take_checked(s, p, end, &done);
    if (done) {
        s->end = s->offset + (uint64_t)(p - data);
        s->state = END_ALONE;
    }
    return p;
}

/* ---- between keys and values ------------------------------------------------------- */

static void
begin_part(struct mcph_json_stream *s, int state, unsigned depth)
{
    s->state = state;
    /* Keep the first fault: do not restart the checker after a fault. */
    if (!s->strict.why)
        mcph_json_strict_begin(&s->strict, depth);
    s->depth = 0;
    s->in_string = s->escaped = false;
}

static void
ignore_rest(struct mcph_json_stream *s, const char *why)
{
    set_fault(s, why);
    s->state = JUNK;
}

static const char *
begin_text(struct mcph_json_stream *s, const char *p, uint64_t at)
{
    s->at = at;
    if (*p == '{') {
        s->state = FIRST_KEY;
        return p + 1;
    }
    begin_part(s, ALONE, MCPH_JSON_DEPTH);
    return p;
}

/* Ends the text's object, whose closing bracket is at `p`. */
static const char *
end_object(struct mcph_json_stream *s, const char *p, uint64_t at)
{
    s->end = at + 1;
    s->state = END;
    return p + 1;
}

/* Handles a byte at `p` that is neither white space nor part of a key or a value.  Does
 * one step of the drawing in the file header. */
static const char *
take_mark(struct mcph_json_stream *s, const char *p, uint64_t at)
{
    switch (s->state) {
    case START:
        return begin_text(s, p, at);
    case FIRST_KEY:
        if (*p == '}')
            return end_object(s, p, at);
        /* fall through */
    case KEY:
        s->key_len = 0;
        begin_part(s, IN_KEY, 1);
        if (*p != '"')
            ignore_rest(s, mcph_json_no_name);
        else if (s->strict.why)
            add_to_key(s, p++, 1);
        return p;
    case COLON:
        if (*p != ':')
            ignore_rest(s, mcph_json_no_colon);
        else
            s->state = BEFORE;
        if (s->twice)
            set_fault(s, mcph_json_twice);
        return p + 1;
    case BEFORE:
        if (s->now)
            s->now->at = at;
        begin_part(s, VALUE, MCPH_JSON_DEPTH - 1);
        return p;
    case BEHIND:
        if (*p == '}')
            return end_object(s, p, at);
        if (*p == ',') {
            s->state = KEY;
            return p + 1;
        }
        if (s->strict.why || *p == ']') {
            ignore_rest(s, mcph_json_no_comma);
            return p + 1;
        }
        set_fault(s, mcph_json_no_comma);
        begin_part(s, VALUE, 0);
        return p;
    default:
        ignore_rest(s, mcph_json_trailing);
        return p + 1;
    }
}

void
mcph_json_stream_feed(struct mcph_json_stream *stream, const char *data, size_t len)
{
    struct mcph_json_stream *s = stream;
    const char *p = data, *end = data + len;

    while (p < end && s->state != JUNK) {
        if (s->state == VALUE) {
            p = take_value(s, p, end, data);
        } else if (s->state == IN_KEY) {
            p = take_key(s, p, end);
        } else if (s->state == ALONE) {
            p = take_alone(s, p, end, data);
        } else {
            p = mcph_json_skip_space(p, end);
            if (p < end)
                p = take_mark(s, p, s->offset + (uint64_t)(p - data));
        }
    }
    s->offset += len;
}

bool
mcph_json_stream_end(struct mcph_json_stream *stream)
{
    return stream->state == END;
}

int
mcph_json_stream_verdict(struct mcph_json_stream *stream,
                         struct mcph_json_fault *ret_fault)
{
    struct mcph_json_stream *s = stream;

    if (s->state == ALONE && mcph_json_strict_end(&s->strict)) {
        s->end = s->offset; /* a number ends with the text */
        s->state = END_ALONE;
    }
    if (s->state != END && s->state != END_ALONE)
        set_fault(s, mcph_json_too_short);
    if (s->strict.why && ret_fault)
        *ret_fault = (struct mcph_json_fault){.why = s->strict.why,
                                              .bad_utf8 = s->strict.bad_utf8};
    return s->strict.why ? s->strict.code : 0;
}
