/* SPDX-License-Identifier: MIT
 *
 * format.c - the formats of JSON Schema for dates, times, ids, pointers and regexes.
 *
 * Each format has a function that checks a string and returns true or false.  Formats for
 * names, addresses and URIs are in format_net.c.
 */
#include <string.h>

#include "schema/format.h"

bool
mcph_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool
mcph_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool
mcph_is_hex(char c)
{
    return mcph_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Reads exactly `n` digits at *p.  Moves *p past the digits that were read, also on
 * failure.  Returns false if fewer digits follow. */
static bool
read_digits(const char **p, const char *end, int n, int *ret_value)
{
    int value = 0;

    for (; n > 0; n--, ++*p) {
        if (*p >= end || !mcph_is_digit(**p))
            return false;
        value = value * 10 + (**p - '0');
    }
    *ret_value = value;
    return true;
}

static bool
read_char(const char **p, const char *end, char c)
{
    if (*p >= end || **p != c)
        return false;
    ++*p;
    return true;
}

static bool
read_date(const char **p, const char *end)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!read_digits(p, end, 4, &year) || !read_char(p, end, '-') ||
        !read_digits(p, end, 2, &month) || !read_char(p, end, '-') ||
        !read_digits(p, end, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    return month != 2 || day < 29 ||
           (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Reads the UTC offset, in minutes east of Greenwich. */
static bool
read_offset(const char **p, const char *end, int *ret_minutes)
{
    int hours, minutes, sign;

    *ret_minutes = 0;
    if (*p < end && (**p == 'Z' || **p == 'z')) {
        ++*p;
        return true;
    }
    if (*p >= end || (**p != '+' && **p != '-'))
        return false;
    sign = *(*p)++ == '-' ? -1 : 1;
    if (!read_digits(p, end, 2, &hours) || !read_char(p, end, ':') ||
        !read_digits(p, end, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_minutes = sign * (hours * 60 + minutes);
    return true;
}

static bool
read_time(const char **p, const char *end)
{
    int hour, minute, second, offset, utc;

    if (!read_digits(p, end, 2, &hour) || !read_char(p, end, ':') ||
        !read_digits(p, end, 2, &minute) || !read_char(p, end, ':') ||
        !read_digits(p, end, 2, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
    if (read_char(p, end, '.')) {
        if (*p >= end || !mcph_is_digit(**p))
            return false;
        while (*p < end && mcph_is_digit(**p))
            ++*p;
    }
    if (!read_offset(p, end, &offset))
        return false;
    /* Allow second 60 only in the last minute of a day in UTC, where leap seconds are. */
    utc = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
    return second < 60 || utc == 23 * 60 + 59;
}

static bool
is_date(const char *p, size_t len)
{
    const char *end = p + len;

    return read_date(&p, end) && p == end;
}

static bool
is_time(const char *p, size_t len)
{
    const char *end = p + len;

    return read_time(&p, end) && p == end;
}

static bool
is_date_time(const char *p, size_t len)
{
    const char *end = p + len;

    if (!read_date(&p, end) || p >= end || (*p | 0x20) != 't')
        return false;
    p++;
    return read_time(&p, end) && p == end;
}

/* Reads numbers with units.  Each unit occurs at most once, in the order of `units`. */
static bool
read_units(const char **p, const char *end, const char *units)
{
    bool any = false;
    size_t next = 0, n = strlen(units);

    while (*p < end && mcph_is_digit(**p)) {
        const char *found;

        while (*p < end && mcph_is_digit(**p))
            ++*p;
        found = *p < end && next < n ? memchr(units + next, **p, n - next) : NULL;
        if (!found)
            return false;
        /* Refuse days directly after years, and seconds directly after hours, as RFC 3339
         * does. */
        if (any && found != units + next)
            return false;
        next = (size_t)(found - units) + 1;
        ++*p;
        any = true;
    }
    return any;
}

static bool
is_duration(const char *p, size_t len)
{
    const char *end = p + len;

    if (!read_char(&p, end, 'P') || p == end)
        return false;
    if (len > 2 && end[-1] == 'W')
        return read_units(&p, end, "W") && p == end;
    if (*p != 'T' && !read_units(&p, end, "YMD"))
        return false;
    if (p == end)
        return true;
    return read_char(&p, end, 'T') && read_units(&p, end, "HMS") && p == end;
}

static bool
is_uuid(const char *p, size_t len)
{
    size_t i;

    if (len != 36)
        return false;
    for (i = 0; i < len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? p[i] != '-' : !mcph_is_hex(p[i]))
            return false;
    }
    return true;
}

static bool
is_pointer(const char *p, size_t len)
{
    size_t i;

    if (len > 0 && *p != '/')
        return false;
    for (i = 0; i < len; i++) {
        if (p[i] == '~' && (i + 1 == len || (p[i + 1] != '0' && p[i + 1] != '1')))
            return false;
    }
    return true;
}

static bool
is_relative_pointer(const char *p, size_t len)
{
    const char *end = p + len;

    if (p == end || !mcph_is_digit(*p))
        return false;
    if (*p == '0')
        p++;
    else
        while (p < end && mcph_is_digit(*p))
            p++;
    if (end - p == 1 && *p == '#')
        return true;
    return is_pointer(p, (size_t)(end - p));
}

static bool
is_regex(const char *p, size_t len)
{
    const char *why;
    struct mcph_buf buf;
    pcre2_code *code = NULL;
    PCRE2_SIZE at;
    int error;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    if (mcph_pattern_translate(mcph_span(p, len), true, &buf, &why) == 0)
        code = pcre2_compile((PCRE2_SPTR)(buf.data ? buf.data : ""), buf.len,
                             PCRE2_UTF | PCRE2_ALLOW_EMPTY_CLASS |
                                 PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C,
                             &error, &at, NULL);
    mcph_buf_done(&buf);
    pcre2_code_free(code);
    return code != NULL;
}

uint64_t
mcph_format_cost(mcph_format_fn check, size_t len)
{
    /* Charge more for a regular expression, because it must be compiled.  Other formats
     * read their bytes once or twice. */
    return check == is_regex ? 64 + (uint64_t)len : len / 32;
}

mcph_format_fn
mcph_format_find(struct mcph_span name)
{
    static const struct {
        const char *name;
        mcph_format_fn check;
    } formats[] = {
        {"date-time", is_date_time},
        {"date", is_date},
        {"time", is_time},
        {"duration", is_duration},
        {"uuid", is_uuid},
        {"json-pointer", is_pointer},
        {"relative-json-pointer", is_relative_pointer},
        {"regex", is_regex},
        {"email", mcph_format_email},
        {"idn-email", mcph_format_idn_email},
        {"hostname", mcph_format_hostname},
        {"idn-hostname", mcph_format_idn_hostname},
        {"ipv4", mcph_format_ipv4},
        {"ipv6", mcph_format_ipv6},
        {"uri", mcph_format_uri},
        {"uri-reference", mcph_format_uri_reference},
        {"iri", mcph_format_iri},
        {"iri-reference", mcph_format_iri_reference},
        {"uri-template", mcph_format_uri_template},
    };
    size_t i;

    for (i = 0; i < MCPH_ARRAY_SIZE(formats); i++) {
        if (mcph_span_is(name, formats[i].name))
            return formats[i].check;
    }
    return NULL;
}
