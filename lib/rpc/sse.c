/* SPDX-License-Identifier: MIT
 *
 * sse.c - split the bytes of an event stream into events.
 *
 *   line:  NAME --':'--> SPACE --> VALUE --line end--> NAME
 *
 * The parser stores no line.  The value of `data` goes straight into the framer.  The
 * other fields are short.  An empty line ends the event.  An `id` takes effect at the
 * empty line, whether the event has data or not.  A `retry` takes effect at once.  A CR
 * ends a line.  An LF right after the CR belongs to that line end, even if the LF comes
 * with a later read.
 */
#include <string.h>

#include "rpc/rpc.h"

enum { IN_NAME, IN_SPACE, IN_VALUE };
enum { FIELD_OTHER, FIELD_DATA, FIELD_EVENT, FIELD_ID, FIELD_RETRY };

#define RETRY_MAX INT64_C(86400000)

static const char bom[3] = {'\xef', '\xbb', '\xbf'};

static void
begin_line(struct mcph_sse *s)
{
    s->place = IN_NAME;
    s->name_len = 0;
    s->field = FIELD_OTHER;
}

static void
begin_event(struct mcph_sse *s)
{
    s->type_len = 0;
    s->has_data = s->has_id = false;
}

void
mcph_sse_init(struct mcph_sse *sse, size_t limit)
{
    memset(sse, 0, sizeof(*sse));
    mcph_framer_init(&sse->framer, limit);
    sse->retry_ms = -1;
    begin_line(sse);
    begin_event(sse);
}

void
mcph_sse_done(struct mcph_sse *sse)
{
    mcph_framer_done(&sse->framer);
}

void
mcph_sse_restart(struct mcph_sse *sse)
{
    struct mcph_ration *ration = mcph_ration_ref(sse->framer.ration);
    struct mcph_sink *sink = sse->framer.sink;
    size_t limit = sse->framer.limit;

    mcph_framer_done(&sse->framer);
    mcph_framer_init(&sse->framer, limit);
    mcph_framer_set_sink(&sse->framer, sink);
    mcph_framer_set_ration(&sse->framer, ration);
    mcph_ration_unref(ration);
    sse->bom = 0;
    sse->after_cr = false;
    begin_line(sse);
    begin_event(sse);
}

/* ---- fields ------------------------------------------------------------------------ */

static int
field_named(const char *name, size_t len)
{
    static const struct {
        const char *name;
        int field;
    } fields[] = {{"data", FIELD_DATA},
                  {"event", FIELD_EVENT},
                  {"id", FIELD_ID},
                  {"retry", FIELD_RETRY}};

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(fields); i++) {
        if (strlen(fields[i].name) == len && memcmp(fields[i].name, name, len) == 0)
            return fields[i].field;
    }
    return FIELD_OTHER;
}

/* Adds bytes to the data.  The bytes never complete a frame, because they contain no line
 * end. */
static int
put_data(struct mcph_sse *s, const char *p, size_t len)
{
    struct mcph_frame *frame;
    int r;

    if (len == 0)
        return 0;
    r = mcph_framer_put(&s->framer, p, len);
    return r < 0 ? r : mcph_framer_next(&s->framer, &frame);
}

static int
begin_value(struct mcph_sse *s)
{
    s->field = field_named(s->name, s->name_len);
    s->bad_value = false;
    switch (s->field) {
    case FIELD_DATA:
        if (s->has_data)
            return put_data(s, " ", 1);
        s->has_data = true;
        break;
    case FIELD_EVENT:
        s->type_len = 0;
        break;
    case FIELD_ID:
        s->value_len = 0;
        break;
    case FIELD_RETRY:
        s->number = -1;
        break;
    }
    return 0;
}

/* Adds bytes to the event's type.  Cuts a type that is too long, because the library
 * knows no type of this length. */
static void
add_type(struct mcph_sse *s, const char *p, size_t len)
{
    size_t room = sizeof(s->type) - 1 - s->type_len;

    if (len > room)
        len = room;
    memcpy(s->type + s->type_len, p, len);
    s->type_len += len;
}

/* Adds bytes to the event's id.  If the id is too long, stores one byte more than an id
 * may have, so that take_id() detects the length. */
static void
add_id(struct mcph_sse *s, const char *p, size_t len)
{
    size_t room = sizeof(s->value) - s->value_len;

    if (memchr(p, '\0', len))
        s->bad_value = true;
    if (len > room)
        len = room;
    memcpy(s->value + s->value_len, p, len);
    s->value_len += len;
}

static void
add_digits(struct mcph_sse *s, const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (p[i] < '0' || p[i] > '9')
            s->bad_value = true;
        else if (s->number < RETRY_MAX)
            s->number = (s->number < 0 ? 0 : s->number * 10) + (p[i] - '0');
    }
}

static int
add_value(struct mcph_sse *s, const char *p, size_t len)
{
    if (len == 0)
        return 0;
    switch (s->field) {
    case FIELD_DATA:
        return put_data(s, p, len);
    case FIELD_EVENT:
        add_type(s, p, len);
        break;
    case FIELD_ID:
        add_id(s, p, len);
        break;
    case FIELD_RETRY:
        add_digits(s, p, len);
        break;
    }
    return 0;
}

static void
end_value(struct mcph_sse *s)
{
    if (s->field == FIELD_ID && !s->bad_value) {
        s->has_id = true;
        s->event_id_len = s->value_len;
        memcpy(s->event_id, s->value, s->value_len);
    }
    if (s->field == FIELD_RETRY && !s->bad_value && s->number >= 0)
        s->retry_ms = s->number < RETRY_MAX ? s->number : RETRY_MAX;
}

/* ---- events ------------------------------------------------------------------------ */

/* Sets the stream's id.  An id that is too long or unfit for a header becomes "", because
 * the client could not send it to resume the stream. */
static void
take_id(struct mcph_sse *s)
{
    size_t len = s->event_id_len <= MCPH_SSE_ID_MAX ? s->event_id_len : 0;

    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)s->event_id[i] < 0x20 || s->event_id[i] == 0x7f)
            len = 0;
    }
    memcpy(s->id, s->event_id, len);
    s->id[len] = '\0';
}

/* Ends the event at the empty line.  Returns 1 if the event had data, 0 if not, or an
 * error code. */
static int
end_event(struct mcph_sse *s, const char **ret_type, struct mcph_frame **ret_frame)
{
    struct mcph_frame *frame = NULL;
    bool has_data = s->has_data;
    int r = 0;

    if (has_data) {
        r = mcph_framer_put(&s->framer, "\n", 1);
        if (r == 0)
            r = mcph_framer_next(&s->framer, &frame);
        if (r < 0)
            return r;
    }
    if (has_data || s->has_id)
        s->n_events++;
    if (s->has_id)
        take_id(s);
    if (s->type_len == 0)
        add_type(s, "message", 7);
    s->type[s->type_len] = '\0';
    begin_event(s);
    if (!has_data)
        return 0;
    *ret_type = s->type;
    *ret_frame = frame;
    return 1;
}

static int
end_line(struct mcph_sse *s, const char **ret_type, struct mcph_frame **ret_frame)
{
    int r = 0;

    if (s->place == IN_NAME && s->name_len == 0) {
        r = end_event(s, ret_type, ret_frame);
    } else {
        if (s->place == IN_NAME)
            r = begin_value(s);
        end_value(s);
    }
    begin_line(s);
    return r;
}

/* ---- bytes ------------------------------------------------------------------------- */

/* Takes bytes of one part of a line (name, space or value), at most to the end of that
 * part.  Sets *ret_taken to the number of bytes taken. */
static int
take_part(struct mcph_sse *s, const char *p, size_t len, size_t *ret_taken)
{
    const char *colon;
    size_t n = len;
    int r = 0;

    switch (s->place) {
    case IN_NAME:
        colon = memchr(p, ':', len);
        if (colon)
            n = (size_t)(colon - p);
        for (size_t i = 0; i < n && s->name_len < sizeof(s->name); i++)
            s->name[s->name_len++] = p[i];
        if (colon) {
            r = begin_value(s);
            s->place = IN_SPACE;
            n++;
        }
        break;
    case IN_SPACE:
        n = p[0] == ' ';
        s->place = IN_VALUE;
        break;
    default:
        r = add_value(s, p, len);
    }
    *ret_taken = n;
    return r;
}

/* Returns the number of bytes to skip at the beginning of the stream.  These bytes belong
 * to the byte order mark, or equal the first bytes of the mark.  If the mark is not
 * complete, the function adds these bytes to the first line. */
static size_t
skip_bom(struct mcph_sse *s, struct mcph_span bytes)
{
    size_t n = 0;

    while (s->bom < 3 && n < bytes.len) {
        if (bytes.p[n] != bom[s->bom]) {
            for (unsigned i = 0; i < s->bom; i++)
                s->name[s->name_len++] = bom[i];
            s->bom = 3;
            return n;
        }
        s->bom++;
        n++;
    }
    return n;
}

static void
skip_bytes(struct mcph_span *bytes, size_t n)
{
    bytes->p += n;
    bytes->len -= n;
}

/* Returns the length of the line, or of all bytes if they contain no line end. */
static size_t
line_length(struct mcph_span bytes)
{
    const char *lf = memchr(bytes.p, '\n', bytes.len), *cr;
    size_t len = lf ? (size_t)(lf - bytes.p) : bytes.len;

    cr = memchr(bytes.p, '\r', len);
    return cr ? (size_t)(cr - bytes.p) : len;
}

int
mcph_sse_next(struct mcph_sse *sse, struct mcph_span *bytes, const char **ret_type,
              struct mcph_frame **ret_frame)
{
    size_t len, n;
    int r;

    if (sse->bom < 3)
        skip_bytes(bytes, skip_bom(sse, *bytes));
    while (bytes->len > 0) {
        if (sse->after_cr) {
            sse->after_cr = false;
            if (bytes->p[0] == '\n') {
                skip_bytes(bytes, 1);
                continue;
            }
        }
        len = line_length(*bytes);
        while (len > 0) {
            r = take_part(sse, bytes->p, len, &n);
            skip_bytes(bytes, n);
            len -= n;
            if (r < 0)
                return r;
        }
        if (bytes->len == 0)
            break;
        sse->after_cr = bytes->p[0] == '\r';
        skip_bytes(bytes, 1);
        r = end_line(sse, ret_type, ret_frame);
        if (r != 0)
            return r;
    }
    return 0;
}
