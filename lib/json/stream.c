/* SPDX-License-Identifier: MIT
 *
 * stream.c - follows a text chunk by chunk, in constant memory, and catches small
 * members of the outermost object.
 *
 *   START --{--> KEY --"--> IN_KEY --"--> COLON --:--> BEFORE --> VALUE --> KEY ...
 *                                                                       \--> END
 *
 * Anything unexpected leads to JUNK, where all is swallowed.  It follows strings
 * and brackets, and must never take more than one step back.
 */
#include "json/json.h"
#include "json/bytes.h"

enum { START, KEY, IN_KEY, COLON, BEFORE, VALUE, END, JUNK };

void
mcph_json_stream_init(struct mcph_json_stream *stream, struct mcph_json_catch *catches,
                      size_t n_catches)
{
    size_t i;

    *stream = (struct mcph_json_stream){.catches = catches, .n_catches = n_catches};
    for (i = 0; i < n_catches; i++) {
        catches[i].len = 0;
        catches[i].at = catches[i].end = 0;
        catches[i].cut = false;
    }
}

static void
add_to_key(struct mcph_json_stream *s, char c)
{
    if (s->key_len < sizeof(s->key))
        s->key[s->key_len++] = c;
    else
        s->key_len = SIZE_MAX;
}

/* The key is complete: whose value comes next? */
static void
match_key(struct mcph_json_stream *s)
{
    size_t i;

    s->now = NULL;
    if (s->key_len == SIZE_MAX)
        return;
    for (i = 0; i < s->n_catches; i++) {
        struct mcph_json_catch *c = &s->catches[i];

        if (c->at == c->end &&
            mcph_json_string_is(mcph_span(s->key, s->key_len), c->name, c->name_len)) {
            s->now = c;
            return;
        }
    }
}

static void
step_key(struct mcph_json_stream *s, char c)
{
    add_to_key(s, c);
    if (s->escaped) {
        s->escaped = false;
    } else if (c == '\\') {
        s->escaped = true;
    } else if (c == '"') {
        match_key(s);
        s->state = COLON;
    }
}

/* One byte outside of values. */
static void
step(struct mcph_json_stream *s, char c)
{
    if (s->state == IN_KEY) {
        step_key(s, c);
        return;
    }
    if (mcph_json_is_space(c))
        return;
    if (s->state == START && c == '{') {
        s->state = KEY;
    } else if (s->state == KEY && c == '"') {
        s->key_len = 0;
        add_to_key(s, c);
        s->escaped = false;
        s->state = IN_KEY;
    } else if (s->state == KEY && c == '}') {
        s->state = END;
    } else if (s->state == COLON && c == ':') {
        s->state = BEFORE;
    } else {
        s->state = JUNK;
    }
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

/* As far as the value goes: to the comma or brace that ends it, or `end`. */
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

static void
keep(struct mcph_json_catch *c, const char *data, size_t len)
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

static void
end_value(struct mcph_json_stream *s, char c, uint64_t at)
{
    struct mcph_json_catch *now = s->now;

    if (now) {
        now->end = at;
        while (!now->cut && now->len > 0 && mcph_json_is_space(now->value[now->len - 1]))
            now->len--;
        s->now = NULL;
    }
    s->state = c == ',' ? KEY : c == '}' ? END : JUNK;
}

void
mcph_json_stream_feed(struct mcph_json_stream *stream, const char *data, size_t len)
{
    struct mcph_json_stream *s = stream;
    const char *p = data, *end = data + len, *stop;

    while (p < end && s->state != JUNK) {
        if (s->state == BEFORE && !mcph_json_is_space(*p)) {
            if (s->now)
                s->now->at = s->offset + (uint64_t)(p - data);
            s->state = VALUE;
            s->depth = 0;
            s->in_string = s->escaped = false;
        }
        if (s->state != VALUE) {
            step(s, *p++);
            continue;
        }
        stop = follow_value(s, p, end);
        if (s->now)
            keep(s->now, p, (size_t)(stop - p));
        p = stop;
        if (p < end) {
            end_value(s, *p, s->offset + (uint64_t)(p - data));
            p++;
        }
    }
    s->offset += len;
}

bool
mcph_json_stream_end(struct mcph_json_stream *stream)
{
    return stream->state == END;
}
