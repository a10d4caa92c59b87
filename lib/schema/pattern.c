/* SPDX-License-Identifier: MIT
 *
 * pattern.c - translate regular expressions of ECMA-262 for PCRE2.
 *
 * Syntax with the same meaning in both dialects is copied.  Syntax with another meaning
 * in PCRE2 is rewritten (`.`, `\s`, `\v`, `\uXXXX`, long names of properties).  Syntax
 * that only PCRE2 has is refused: verbs, recursion, callouts, atomic groups, possessive
 * quantifiers.  If `strict` is false, common mistakes are accepted as in browsers.  For
 * example, an escaped letter that has no meaning as an escape matches the letter itself.
 * If `strict` is false, the syntax of other dialects for named groups, inline flags and
 * anchors is accepted, too.
 */
#include <stdlib.h>
#include <string.h>

#include "schema/inner.h"

/* The white space and line ends of ECMA-262. */
#define SPACES                                                                         \
    "\\t\\n\\x0b\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}" \
    "\\x{205f}\\x{3000}\\x{feff}"
#define NO_LINE_END "[^\\n\\r\\x{2028}\\x{2029}]"

struct reader {
    const char *p, *end;
    struct mcph_buf *buf;
    const char *why;
    bool strict, in_class, after_set; /* `after_set`: the last item was a set of
                                       * characters such as \d */
};

static bool
refuse_pattern(struct reader *r, const char *why)
{
    r->why = why;
    return false;
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads exactly `n` hex digits at `p`.  Returns false if fewer digits follow. */
static bool
read_hex(const char *p, const char *end, int n, unsigned *ret_c)
{
    unsigned c = 0;

    for (; n > 0; n--, p++) {
        if (p >= end || hex_digit(*p) < 0)
            return false;
        c = c * 16 + (unsigned)hex_digit(*p);
    }
    *ret_c = c;
    return true;
}

static bool
put_code(struct reader *r, unsigned c)
{
    /* Replace a surrogate by U+FFFD, because checked strings contain U+FFFD in place of
     * an unpaired surrogate. */
    mcph_buf_addf(r->buf, "\\x{%x}", c >= 0xd800 && c <= 0xdfff ? 0xfffdu : c);
    return true;
}

static bool
put_literal(struct reader *r, char c)
{
    if (r->strict)
        return refuse_pattern(r, "an escape that ECMA-262 does not define");
    mcph_buf_addc(r->buf, c);
    return true;
}

/* Translates the rest of an escape after "\u". */
static bool
read_unicode(struct reader *r)
{
    unsigned c, low;
    const char *p;

    if (r->p < r->end && *r->p == '{') {
        for (c = 0, p = r->p + 1; p < r->end && hex_digit(*p) >= 0 && c < 0x110000; p++)
            c = c * 16 + (unsigned)hex_digit(*p);
        if (p >= r->end || *p != '}' || p == r->p + 1 || c > 0x10ffff)
            return put_literal(r, 'u');
        r->p = p + 1;
        return put_code(r, c);
    }
    if (!read_hex(r->p, r->end, 4, &c))
        return put_literal(r, 'u');
    r->p += 4;
    if (c >= 0xd800 && c <= 0xdbff && r->end - r->p >= 6 && r->p[0] == '\\' &&
        r->p[1] == 'u' && read_hex(r->p + 2, r->end, 4, &low) && low >= 0xdc00 &&
        low <= 0xdfff) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        r->p += 6;
    }
    return put_code(r, c);
}

/* Maps the long name of a Unicode general category to the short name.  Returns NULL if
 * the long name is not known. */
static const char *
category(struct mcph_span name)
{
    static const char *const names[][2] = {
        {"Letter", "L"},
        {"Cased_Letter", "L&"},
        {"LC", "L&"},
        {"Uppercase_Letter", "Lu"},
        {"Lowercase_Letter", "Ll"},
        {"Titlecase_Letter", "Lt"},
        {"Modifier_Letter", "Lm"},
        {"Other_Letter", "Lo"},
        {"Mark", "M"},
        {"Combining_Mark", "M"},
        {"Nonspacing_Mark", "Mn"},
        {"Spacing_Mark", "Mc"},
        {"Enclosing_Mark", "Me"},
        {"Number", "N"},
        {"Decimal_Number", "Nd"},
        {"digit", "Nd"},
        {"Letter_Number", "Nl"},
        {"Other_Number", "No"},
        {"Symbol", "S"},
        {"Math_Symbol", "Sm"},
        {"Currency_Symbol", "Sc"},
        {"Modifier_Symbol", "Sk"},
        {"Other_Symbol", "So"},
        {"Punctuation", "P"},
        {"punct", "P"},
        {"Connector_Punctuation", "Pc"},
        {"Dash_Punctuation", "Pd"},
        {"Open_Punctuation", "Ps"},
        {"Close_Punctuation", "Pe"},
        {"Initial_Punctuation", "Pi"},
        {"Final_Punctuation", "Pf"},
        {"Other_Punctuation", "Po"},
        {"Separator", "Z"},
        {"Space_Separator", "Zs"},
        {"Line_Separator", "Zl"},
        {"Paragraph_Separator", "Zp"},
        {"Other", "C"},
        {"Control", "Cc"},
        {"cntrl", "Cc"},
        {"Format", "Cf"},
        {"Surrogate", "Cs"},
        {"Private_Use", "Co"},
        {"Unassigned", "Cn"},
    };
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        if (mcph_span_is(name, names[i][0]))
            return names[i][1];
    }
    return NULL;
}

/* Translates the rest of an escape after "\p" or "\P". */
static bool
read_property(struct reader *r, char letter)
{
    const char *close = memchr(r->p, '}', (size_t)(r->end - r->p)), *equals, *known;
    struct mcph_span name;

    if (r->p >= r->end || *r->p != '{' || !close)
        return put_literal(r, letter);
    name = mcph_span(r->p + 1, (size_t)(close - r->p - 1));
    r->p = close + 1;
    equals = memchr(name.p, '=', name.len);
    if (equals)
        name = mcph_span(equals + 1, (size_t)(name.p + name.len - equals - 1));
    known = category(name);
    mcph_buf_addf(r->buf, "\\%c{", letter);
    if (known)
        mcph_buf_adds(r->buf, known);
    else
        mcph_buf_add(r->buf, name.p, name.len);
    mcph_buf_addc(r->buf, '}');
    r->after_set = true;
    return true;
}

/* Translates a numeric escape whose first digit is `digit`.  The caller has already
 * consumed this digit. */
static bool
read_number(struct reader *r, char digit)
{
    unsigned n = (unsigned)(digit - '0');

    if (digit == '0' && (r->p >= r->end || *r->p < '0' || *r->p > '9'))
        return put_code(r, 0);
    if (r->in_class || digit == '0')
        return put_literal(r, digit);
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9' && n < 1000; r->p++)
        n = n * 10 + (unsigned)(*r->p - '0');
    mcph_buf_addf(r->buf, "\\g{%u}", n);
    return true;
}

static bool
read_space(struct reader *r, char letter)
{
    if (!r->in_class)
        mcph_buf_adds(r->buf, letter == 's' ? "[" SPACES "]" : "[^" SPACES "]");
    else
        mcph_buf_adds(r->buf, letter == 's' ? SPACES : "\\S");
    r->after_set = true;
    return true;
}

static bool
read_control(struct reader *r)
{
    char c = r->p < r->end ? (char)(*r->p | 0x20) : 0;

    if (c < 'a' || c > 'z') {
        if (r->strict)
            return refuse_pattern(r, "'\\c' without a letter");
        mcph_buf_adds(r->buf, "\\\\c");
        return true;
    }
    r->p++;
    return put_code(r, (unsigned)(c - 'a' + 1));
}

static bool
read_letter(struct reader *r, char c)
{
    unsigned code;

    switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
        r->after_set = true;
        /* fall through */
    case 'b':
    case 't':
    case 'n':
    case 'r':
    case 'f':
        mcph_buf_addf(r->buf, "\\%c", c);
        return true;
    case 'B':
        if (r->in_class)
            return put_literal(r, c);
        mcph_buf_adds(r->buf, "\\B");
        return true;
    case 's':
    case 'S':
        return read_space(r, c);
    case 'v':
        return put_code(r, 0x0b);
    case 'c':
        return read_control(r);
    case 'p':
    case 'P':
        return read_property(r, c);
    case 'u':
        return read_unicode(r);
    case 'x':
        if (!read_hex(r->p, r->end, 2, &code))
            return put_literal(r, 'x');
        r->p += 2;
        return put_code(r, code);
    case 'k':
        if (r->in_class || r->p >= r->end || *r->p != '<')
            return put_literal(r, 'k');
        mcph_buf_adds(r->buf, "\\k");
        return true;
    case 'A':
    case 'Z':
    case 'z':
        /* If `strict` is false, keep these escapes, which are anchors in other dialects.
         * An author who writes them means the anchors and not the letters. */
        if (r->in_class || r->strict)
            return put_literal(r, c);
        mcph_buf_addf(r->buf, "\\%c", c);
        return true;
    default:
        return put_literal(r, c);
    }
}

/* Translates an escape.  The caller has already consumed the backslash. */
static bool
read_escape(struct reader *r)
{
    char c;

    if (r->p >= r->end)
        return refuse_pattern(r, "a backslash at the end");
    c = *r->p++;
    r->after_set = false;
    if (c >= '0' && c <= '9')
        return read_number(r, c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return read_letter(r, c);
    if ((unsigned char)c < 0x80)
        mcph_buf_addc(r->buf, '\\');
    mcph_buf_addc(r->buf, c);
    return true;
}

/* Translates the start of a group.  The caller has already consumed the "(".  Refuses
 * unknown kinds of group. */
static bool
read_group(struct reader *r)
{
    const char *p = r->p, *end = r->end;

    mcph_buf_addc(r->buf, '(');
    if (p < end && *p == '*')
        return refuse_pattern(r, "'*' after '(' has nothing to repeat");
    if (p >= end || *p != '?')
        return true;
    p++;
    if (p < end && *p == '<') { /* a named group, or a lookbehind */
        r->p = p + 1;
        mcph_buf_adds(r->buf, "?<");
        return true;
    }
    if (p < end && (*p == ':' || *p == '=' || *p == '!'))
        return true;
    if (!r->strict && end - p >= 2 && *p == 'P' && (p[1] == '<' || p[1] == '='))
        return true;
    if (!r->strict) {
        while (p < end && memchr("ims-", *p, 4))
            p++;
        if (p > r->p + 1 && p < end && (*p == ')' || *p == ':'))
            return true;
    }
    return refuse_pattern(r, "a kind of group that ECMA-262 does not define");
}

/* Returns the length of the quantifier at `p`, without a "?" that makes it lazy, or 0 if
 * there is no quantifier. */
static size_t
quantifier_len(const char *p, const char *end)
{
    const char *first = p + 1, *q = first;

    if (p < end && memchr("*+?", *p, 3))
        return 1;
    if (p >= end || *p != '{')
        return 0;
    while (q < end && *q >= '0' && *q <= '9')
        q++;
    if (q == first)
        return 0;
    if (q < end && *q == ',')
        q++;
    while (q < end && *q >= '0' && *q <= '9')
        q++;
    return q < end && *q == '}' ? (size_t)(q + 1 - p) : 0;
}

/* Copies a quantifier of `len` bytes.  The caller has already consumed the first byte.
 * Refuses a second quantifier behind the first, because PCRE2 would accept it and, for a
 * "+", make the first possessive. */
static bool
read_quantifier(struct reader *r, size_t len)
{
    mcph_buf_add(r->buf, r->p - 1, len);
    r->p += len - 1;
    if (r->p < r->end && *r->p == '?')
        mcph_buf_addc(r->buf, *r->p++);
    if (quantifier_len(r->p, r->end) > 0)
        return refuse_pattern(r, "a quantifier after a quantifier has nothing to repeat");
    return true;
}

/* Checks whether a hyphen in a class is literal.  A hyphen is literal if it is beside a
 * set of characters like \d. */
static bool
is_plain_hyphen(const struct reader *r)
{
    if (r->after_set)
        return true;
    return r->end - r->p >= 2 && *r->p == '\\' && memchr("dDwWsSpP", r->p[1], 8);
}

static bool
read_in_class(struct reader *r, char c)
{
    switch (c) {
    case ']':
        r->in_class = false;
        mcph_buf_addc(r->buf, c);
        break;
    case '[':
        mcph_buf_adds(r->buf, "\\[");
        break;
    case '-':
        mcph_buf_adds(r->buf, is_plain_hyphen(r) ? "\\-" : "-");
        break;
    default:
        mcph_buf_addc(r->buf, c);
    }
    r->after_set = false;
    return true;
}

int
mcph_pattern_translate(struct mcph_span text, bool strict, struct mcph_buf *buf,
                       const char **ret_why)
{
    struct reader r = {
        .p = text.p, .end = text.p + text.len, .buf = buf, .strict = strict};
    bool ok = true;
    size_t len;

    while (ok && r.p < r.end) {
        char c = *r.p++;

        if (c == '\\') {
            ok = read_escape(&r);
        } else if (r.in_class) {
            ok = read_in_class(&r, c);
        } else if (c == '[') {
            mcph_buf_addc(buf, c);
            if (r.p < r.end && *r.p == '^')
                mcph_buf_addc(buf, *r.p++);
            r.in_class = true;
            r.after_set = false;
        } else if (c == '(') {
            ok = read_group(&r);
        } else if (c == '.') {
            mcph_buf_adds(buf, NO_LINE_END);
        } else {
            len = quantifier_len(r.p - 1, r.end);
            if (len > 0)
                ok = read_quantifier(&r, len);
            else if (c == '{')
                mcph_buf_adds(buf, "\\{"); /* PCRE2 10.43 repeats with {,2} and { 2 } */
            else
                mcph_buf_addc(buf, c);
        }
    }
    if (!ok) {
        *ret_why = r.why;
        return MCPHOST_E_INVALID;
    }
    return mcph_buf_ok(buf);
}

/* ---- cost of a match --------------------------------------------------------------- */

#define SIMPLE_LEN   256 /* limit on the bytes of a simple pattern */
#define SIMPLE_REACH 64

/* Reads a count after "{" and returns the largest number in the count.  Sets
 * *ret_variable to true if the count contains a comma. */
static size_t
read_count(struct mcph_span text, size_t i, bool *ret_variable)
{
    size_t n = 0, most = 0;

    for (; i < text.len && text.p[i] != '}'; i++) {
        char c = text.p[i];

        if (c == ',') {
            *ret_variable = true;
            n = 0;
        } else if (c >= '0' && c <= '9' && n < 100000) {
            n = n * 10 + (size_t)(c - '0');
        }
        most = n > most ? n : most;
    }
    return most;
}

/*
 * Chooses how a match with the pattern is charged, and sets `reach`.  A pattern is simple
 * if it is anchored at the start, has no groups and no alternatives, and repeats at most
 * one item a variable number of times.  The work of a match with a simple pattern grows
 * only with the length of the string.  SIMPLE_LEN limits the length of a simple pattern.
 * SIMPLE_REACH limits the counts in a simple pattern.
 */
static void
choose_charge(struct mcph_schema_pattern *pattern)
{
    struct mcph_span text = pattern->text;
    bool in_class = false, simple = text.len > 0 && *text.p == '^';
    size_t i, n, variable = 0;

    pattern->reach = 0;
    for (i = 0; i < text.len; i++) {
        char c = text.p[i];
        bool range = false;

        if (c == '\\' && i + 1 < text.len) {
            c = text.p[++i];
            /* Set `reach` to the maximum, because a back reference compares the text of
             * its group byte by byte. */
            if (!in_class && ((c >= '1' && c <= '9') || c == 'k'))
                pattern->reach = SIZE_MAX;
        } else if (in_class) {
            in_class = c != ']';
        } else if (c == '[') {
            in_class = true;
        } else if (c == '(' || c == '|') {
            simple = false;
            if (text.len - i > 3 && memcmp(text.p + i, "(?P=", 4) == 0)
                pattern->reach = SIZE_MAX;
        } else if (c == '*' || c == '+' || c == '?') {
            variable++;
        } else if (c == '{') {
            n = read_count(text, i + 1, &range);
            variable += range;
            pattern->reach = n > pattern->reach ? n : pattern->reach;
        }
    }
    if (simple && variable <= 1 && pattern->reach <= SIMPLE_REACH &&
        text.len <= SIMPLE_LEN)
        pattern->how = PATTERN_SIMPLE;
    else
        pattern->how = PATTERN_COUNTED;
}

/* Compiles the translated pattern, with callouts if the pattern is PATTERN_COUNTED.  If
 * the callouts make the pattern too large for PCRE2, compiles the pattern as
 * PATTERN_LARGE without callouts.  On failure, returns NULL and stores PCRE2's error code
 * in *error. */
static pcre2_code *
compile_pattern(struct mcph_schema_pattern *pattern, const struct mcph_buf *buf,
                int *error)
{
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS |
                             PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
    PCRE2_SPTR text = (PCRE2_SPTR)(buf->data ? buf->data : "");
    pcre2_code *code;
    PCRE2_SIZE at;

    choose_charge(pattern);
    code = pcre2_compile(text, buf->len,
                         options |
                             (pattern->how == PATTERN_COUNTED ? PCRE2_AUTO_CALLOUT : 0),
                         error, &at, NULL);
    if (code || pattern->how == PATTERN_SIMPLE || *error != PCRE2_ERROR_PATTERN_TOO_LARGE)
        return code;
    pattern->how = PATTERN_LARGE;
    return pcre2_compile(text, buf->len, options, error, &at, NULL);
}

int
mcph_pattern_compile(mcphost_schema *schema, struct mcph_schema_pattern *pattern,
                     char *why_room, size_t why_size)
{
    const char *why = NULL;
    struct mcph_buf buf;
    pcre2_code *code = NULL;
    size_t size = 0;
    int r, error = 0;

    r = mcph_budget_spend(&schema->budget, 16 + pattern->text.len);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, SIZE_MAX / 4);
    r = mcph_pattern_translate(pattern->text, false, &buf, &why);
    if (r == 0) {
        code = compile_pattern(pattern, &buf, &error);
        r = code ? 0 : MCPHOST_E_INVALID;
    } else if (r == MCPHOST_E_INVALID) {
        strncpy(why_room, why, why_size - 1);
        why_room[why_size - 1] = '\0';
    }
    if (error == PCRE2_ERROR_HEAP_FAILED || error == PCRE2_ERROR_NOMEMORY ||
        r == MCPHOST_E_LIMIT)
        r = MCPHOST_E_NOMEM;
    else if (r < 0 && error != 0)
        pcre2_get_error_message(error, (PCRE2_UCHAR *)why_room, why_size);
    if (r == 0 && mcph_vec_add(&schema->codes, code) < 0) {
        pcre2_code_free(code);
        r = MCPHOST_E_NOMEM;
    }
    mcph_buf_done(&buf);
    if (r < 0)
        return r;
    pattern->code = code;
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &size);
    return mcph_budget_spend(&schema->budget, size / 32);
}
