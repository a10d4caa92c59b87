/* SPDX-License-Identifier: MIT
 *
 * strict.c - check one value whose bytes come in pieces, in constant memory.
 *
 * The check accepts the values that the scan (scan.c) accepts.  The check uses the scan
 * for members and elements that are in the piece as a whole.  A *place* is where a piece
 * may end: between two tokens, or inside a string, a number or a word.  Like the scan,
 * the check keeps one bit for each open container.
 *
 *   VALUE --[--> FIRST_VALUE      FIRST_KEY, KEY --"--> STRING --"--> COLON --> VALUE
 *         --{--> FIRST_KEY        BEHIND --,--> KEY or VALUE    BEHIND --]}--> BEHIND
 *
 * At level 0 the place is DONE instead of BEHIND.
 */
#include "json/json.h"
#include "json/bytes.h"

enum {
    VALUE,
    FIRST_VALUE,
    FIRST_KEY,
    KEY,
    COLON,
    BEHIND,
    DONE,
    STRING,
    ESCAPE,
    HEX, /* `n` digits of \u are missing */
    WORD,
    NUMBER_MINUS,
    NUMBER_ZERO,
    NUMBER_WHOLE,
    NUMBER_POINT,
    NUMBER_FRACTION,
    NUMBER_E,
    NUMBER_SIGN,
    NUMBER_EXPONENT,
};

void
mcph_json_strict_begin(struct mcph_json_strict *s, unsigned depth)
{
    s->place = VALUE;
    s->level = 0;
    s->max = depth;
    s->path = 0;
    s->is_key = false;
    s->n_tail = 0;
    s->why = NULL;
    s->code = 0;
    s->bad_utf8 = false;
}

bool
mcph_json_strict_done(const struct mcph_json_strict *s)
{
    return s->place == DONE;
}

bool
mcph_json_strict_in_string(const struct mcph_json_strict *s, bool *ret_escaped)
{
    *ret_escaped = s->place == ESCAPE;
    return s->place == STRING || s->place == ESCAPE || s->place == HEX;
}

static const char *
fail_value(struct mcph_json_strict *s, const char *at, const char *why)
{
    s->bad = at;
    s->why = why;
    s->code = MCPHOST_E_INVALID;
    return NULL;
}

static void
end_value(struct mcph_json_strict *s)
{
    s->place = s->level > 0 ? BEHIND : DONE;
}

/* ---- strings ----------------------------------------------------------------------- */

static size_t
char_len(char first)
{
    unsigned char c = (unsigned char)first;

    return c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
}

/* Returns how many bytes at the end of a piece belong to a character that continues in
 * the next piece. */
static size_t
cut_char_len(const char *p, size_t len)
{
    for (size_t n = 1; n <= 3 && n <= len; n++) {
        unsigned char c = (unsigned char)p[len - n];

        if (c >= 0xc0)
            return char_len(p[len - n]) > n ? n : 0;
        if (c < 0x80)
            break;
    }
    return 0;
}

/* Checks a run of a string without escapes.  If `open` is true, accepts an incomplete
 * last character, because the string may continue after the run. */
static bool
is_utf8(struct mcph_json_strict *s, const char *p, size_t len, bool open)
{
    while (s->n_tail > 0 && len > 0) {
        s->tail[s->n_tail++] = *p++;
        len--;
        if (s->n_tail < char_len(s->tail[0]))
            continue;
        if (!mcph_utf8_valid(s->tail, s->n_tail, NULL))
            return false;
        s->n_tail = 0;
    }
    if (s->n_tail > 0)
        return open;
    if (open)
        s->n_tail = (unsigned)cut_char_len(p, len);
    if (s->n_tail > 0)
        memcpy(s->tail, p + len - s->n_tail, s->n_tail);
    return mcph_utf8_valid(p, len - s->n_tail, NULL);
}

static bool
is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Skips valid escapes at `p` as long as six bytes, the length of the longest escape, are
 * left. */
static const char *
skip_escapes(const char *p, const char *end)
{
    while (end - p >= 6 && *p == '\\') {
        if (p[1] == 'u') {
            if (!is_hex(p[2]) || !is_hex(p[3]) || !is_hex(p[4]) || !is_hex(p[5]))
                break;
            p += 6;
        } else if (p[1] && strchr("\"\\/bfnrt", p[1])) {
            p += 2;
        } else {
            break;
        }
    }
    return p;
}

static const char *
in_string(struct mcph_json_strict *s, const char *p, const char *end)
{
    bool high = s->n_tail > 0;
    const char *from = p;

    p = mcph_json_run(p, p, end, &high);
    if (high && !is_utf8(s, from, (size_t)(p - from), p == end)) {
        s->bad_utf8 = true;
        return fail_value(s, p, mcph_json_bad_utf8);
    }
    if (p == end)
        return p;
    if (*p == '\\') {
        from = p;
        p = skip_escapes(p, end);
        if (p > from)
            return p;
        s->place = ESCAPE;
    } else if (*p != '"') {
        return fail_value(s, p, "control character in a string");
    } else if (s->is_key) {
        s->is_key = false;
        s->place = COLON;
    } else {
        end_value(s);
    }
    return p + 1;
}

static const char *
in_escape(struct mcph_json_strict *s, const char *p)
{
    if (s->place == HEX) {
        if (!is_hex(*p))
            return fail_value(s, p, "'\\u' needs four hexadecimal digits");
        if (--s->n == 0)
            s->place = STRING;
        return p + 1;
    }
    if (!*p || !strchr("\"\\/bfnrtu", *p))
        return fail_value(s, p, "unknown escape in a string");
    s->place = *p == 'u' ? HEX : STRING;
    s->n = 4;
    return p + 1;
}

/* Begins the string whose opening quote is at `p`.  If the string is short and plain and
 * ends in this piece, skips it as a whole. */
static const char *
begin_string(struct mcph_json_strict *s, const char *p, const char *end, bool is_key)
{
    const char *behind = mcph_json_short_string(p + 1, p + 1, end);

    if (!behind) {
        s->is_key = is_key;
        s->place = STRING;
        return p + 1;
    }
    if (is_key)
        s->place = COLON;
    else
        end_value(s);
    return behind;
}

/* ---- numbers and words ------------------------------------------------------------- */

/* Returns the place in a number after the byte `c`, or -1 if `c` does not belong to the
 * number. */
static int
next_place(int place, char c)
{
    bool digit = c >= '0' && c <= '9';

    switch (place) {
    case NUMBER_MINUS:
        return !digit ? -1 : c == '0' ? NUMBER_ZERO : NUMBER_WHOLE;
    case NUMBER_ZERO:
    case NUMBER_WHOLE:
        if (digit)
            return place == NUMBER_WHOLE ? NUMBER_WHOLE : -1;
        return c == '.' ? NUMBER_POINT : (c | 0x20) == 'e' ? NUMBER_E : -1;
    case NUMBER_POINT:
        return digit ? NUMBER_FRACTION : -1;
    case NUMBER_FRACTION:
        return digit ? NUMBER_FRACTION : (c | 0x20) == 'e' ? NUMBER_E : -1;
    case NUMBER_E:
        if (c == '+' || c == '-')
            return NUMBER_SIGN;
        return digit ? NUMBER_EXPONENT : -1;
    default: /* NUMBER_SIGN, NUMBER_EXPONENT */
        return digit ? NUMBER_EXPONENT : -1;
    }
}

static bool
is_whole_number(int place)
{
    return place == NUMBER_ZERO || place == NUMBER_WHOLE || place == NUMBER_FRACTION ||
           place == NUMBER_EXPONENT;
}

static const char *
in_number(struct mcph_json_strict *s, const char *p, const char *end)
{
    int place = s->place, next;

    for (; p < end; p++) {
        next = next_place(place, *p);
        if (next < 0)
            break;
        place = next;
    }
    s->place = place;
    if (p == end)
        return p;
    if (!is_whole_number(place))
        return fail_value(s, p, "a digit is missing");
    if (place == NUMBER_ZERO && *p >= '0' && *p <= '9')
        return fail_value(s, p, "a number begins with 0");
    end_value(s);
    return p;
}

static const char *
in_word(struct mcph_json_strict *s, const char *p, const char *end)
{
    for (; p < end && *s->word; p++, s->word++) {
        if (*p != *s->word)
            return fail_value(s, p, mcph_json_unexpected);
    }
    if (!*s->word)
        end_value(s);
    return p;
}

/* ---- containers -------------------------------------------------------------------- */

static const char *
open_container(struct mcph_json_strict *s, const char *p)
{
    bool object = *p == '{';

    if (s->level >= s->max) {
        fail_value(s, p, mcph_json_too_deep);
        s->code = MCPHOST_E_LIMIT;
        return NULL;
    }
    if (s->level > 0 && s->level % 64 == 0)
        s->stack[s->level / 64 - 1] = s->path;
    s->path = s->path << 1 | object;
    s->level++;
    s->place = object ? FIRST_KEY : FIRST_VALUE;
    return p + 1;
}

static const char *
close_container(struct mcph_json_strict *s, const char *p)
{
    s->level--;
    s->path >>= 1;
    if (s->level > 0 && s->level % 64 == 0)
        s->path = s->stack[s->level / 64 - 1];
    end_value(s);
    return p + 1;
}

/* ---- between the tokens ------------------------------------------------------------ */

static const char *
begin_value(struct mcph_json_strict *s, const char *p, const char *end)
{
    switch (*p) {
    case '{':
    case '[':
        return open_container(s, p);
    case '"':
        return begin_string(s, p, end, false);
    case 't':
        s->word = "true";
        break;
    case 'f':
        s->word = "false";
        break;
    case 'n':
        s->word = "null";
        break;
    case '-':
        s->place = NUMBER_MINUS;
        return p + 1;
    case '0':
        s->place = NUMBER_ZERO;
        return p + 1;
    case '1' ... '9':
        s->place = NUMBER_WHOLE;
        return p + 1;
    default:
        return fail_value(s, p, mcph_json_unexpected);
    }
    s->place = WORD;
    return p;
}

static const char *
behind_value(struct mcph_json_strict *s, const char *p)
{
    bool object = s->path & 1;

    if (*p == (object ? '}' : ']'))
        return close_container(s, p);
    if (*p != ',')
        return fail_value(s, p, mcph_json_no_comma);
    s->place = object ? KEY : VALUE;
    return p + 1;
}

/* Handles a byte at `p` that is between two tokens and is not white space. */
static const char *
at_token(struct mcph_json_strict *s, const char *p, const char *end)
{
    switch (s->place) {
    case FIRST_VALUE:
        return *p == ']' ? close_container(s, p) : begin_value(s, p, end);
    case VALUE:
        return begin_value(s, p, end);
    case FIRST_KEY:
        if (*p == '}')
            return close_container(s, p);
        /* fall through */
    case KEY:
        return *p == '"' ? begin_string(s, p, end, true)
                         : fail_value(s, p, mcph_json_no_name);
    case COLON:
        s->place = VALUE;
        return *p == ':' ? p + 1 : fail_value(s, p, mcph_json_no_colon);
    default:
        return behind_value(s, p);
    }
}

const char *
mcph_json_strict_feed(struct mcph_json_strict *s, const char *p, const char *end)
{
    if (s->why)
        return NULL;
    while (p && p < end && s->place != DONE) {
        if (s->level > 0 && s->place == (s->path & 1 ? KEY : VALUE)) {
            p = mcph_json_scan_members(s, p, end);
            s->place = s->level == 0 ? DONE : s->path & 1 ? KEY : VALUE;
        }
        if (s->place == DONE)
            break;
        if (s->place < DONE) {
            p = mcph_json_skip_space(p, end);
            if (p < end)
                p = at_token(s, p, end);
        } else if (s->place == STRING) {
            p = in_string(s, p, end);
        } else if (s->place < WORD) {
            p = in_escape(s, p);
        } else if (s->place == WORD) {
            p = in_word(s, p, end);
        } else {
            p = in_number(s, p, end);
        }
    }
    return p;
}

bool
mcph_json_strict_end(struct mcph_json_strict *s)
{
    if (is_whole_number(s->place) && s->level == 0)
        s->place = DONE;
    if (s->place != DONE && !s->why)
        fail_value(s, NULL, mcph_json_too_short);
    return !s->why;
}
