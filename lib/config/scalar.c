/* SPDX-License-Identifier: MIT
 *
 * scalar.c - resolve plain scalars by the core schema of YAML 1.2 (section 10.3.2).
 *
 * A plain scalar is null, a boolean, an integer in one of three bases, or a float.  A
 * plain scalar of any other form is a string.  Therefore `yes` and `on` are strings, and
 * 017 is seventeen.
 *
 * This file parses numbers itself, because strtod() depends on the locale of the process.
 */
#include <math.h>
#include <string.h>

#include "config/config.h"

static bool
is_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

static int
digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Reads an integer of the form [-+]?[0-9]+, 0o[0-7]+ or 0x[0-9a-fA-F]+.  An integer that
 * does not fit an int64_t becomes a float.  Returns false for any other text. */
static bool
read_int(struct mcph_node *node)
{
    const char *p = node->text;
    bool minus = false, fits = true;
    double number = 0;
    int64_t n = 0;
    int base = 10;

    if (p[0] == '0' && (p[1] == 'o' || p[1] == 'x')) {
        base = p[1] == 'o' ? 8 : 16;
        p += 2;
    } else if (*p == '-' || *p == '+') {
        minus = *p++ == '-';
    }
    if (!*p)
        return false;
    for (; *p; p++) {
        int digit = digit_value(*p);

        if (digit >= base)
            return false;
        number = number * base + digit;
        if (fits && (__builtin_mul_overflow(n, base, &n) ||
                     (minus ? __builtin_sub_overflow(n, digit, &n)
                            : __builtin_add_overflow(n, digit, &n))))
            fits = false;
    }
    node->kind = fits ? MCPH_NODE_INT : MCPH_NODE_FLOAT;
    node->integer = fits ? n : 0;
    node->number = fits ? (double)n : minus ? -number : number;
    return true;
}

/* Reads a number of the form [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? as a
 * float.  Returns false for any other text. */
static bool
read_decimal(struct mcph_node *node)
{
    const char *p = node->text;
    bool minus = false, exp_minus = false;
    int digits = 0, scale = 0, exponent = 0;
    double number = 0;

    if (*p == '-' || *p == '+')
        minus = *p++ == '-';
    for (; *p >= '0' && *p <= '9'; p++, digits++)
        number = number * 10 + (*p - '0');
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++, digits++) {
            if (scale > -300) { /* digits after this place do not change the number */
                number = number * 10 + (*p - '0');
                scale--;
            }
        }
    }
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '-' || *p == '+')
            exp_minus = *p++ == '-';
        if (!*p)
            return false;
        for (; *p >= '0' && *p <= '9'; p++) {
            if (exponent < 10000)
                exponent = exponent * 10 + (*p - '0');
        }
    }
    if (*p)
        return false;

    scale += exp_minus ? -exponent : exponent;
    for (; scale > 0 && number < INFINITY && number > 0; scale--)
        number *= 10;
    /* Divide once, because each division may round.  Powers of ten are exact up to
     * 10^22. */
    if (scale < 0 && scale >= -22) {
        double power = 1;

        for (; scale < 0; scale++)
            power *= 10;
        number /= power;
    }
    for (; scale < 0 && number > 0; scale++)
        number /= 10;
    node->kind = MCPH_NODE_FLOAT;
    node->number = minus ? -number : number;
    return true;
}

static bool
read_special(struct mcph_node *node)
{
    static const char *const inf[] = {".inf", ".Inf", ".INF"};
    static const char *const nan_words[] = {".nan", ".NaN", ".NAN"};
    const char *p = node->text;
    bool minus = *p == '-';

    if (is_any(p, nan_words, MCPH_ARRAY_SIZE(nan_words))) {
        node->number = (double)NAN;
    } else {
        if (*p == '-' || *p == '+')
            p++;
        if (!is_any(p, inf, MCPH_ARRAY_SIZE(inf)))
            return false;
        node->number = minus ? -(double)INFINITY : (double)INFINITY;
    }
    node->kind = MCPH_NODE_FLOAT;
    return true;
}

void
mcph_scalar_resolve(struct mcph_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};

    if (is_any(node->text, nulls, MCPH_ARRAY_SIZE(nulls))) {
        node->kind = MCPH_NODE_NULL;
    } else if (is_any(node->text, trues, MCPH_ARRAY_SIZE(trues))) {
        node->kind = MCPH_NODE_BOOL;
        node->boolean = true;
    } else if (is_any(node->text, falses, MCPH_ARRAY_SIZE(falses))) {
        node->kind = MCPH_NODE_BOOL;
        node->boolean = false;
    } else if (!read_int(node) && !read_decimal(node) && !read_special(node)) {
        node->kind = MCPH_NODE_STRING;
    }
}

const char *
mcph_node_kind_text(const struct mcph_node *node)
{
    static const char *const texts[] = {
        [MCPH_NODE_NULL] = "nothing (null)", [MCPH_NODE_BOOL] = "a boolean",
        [MCPH_NODE_INT] = "a number",        [MCPH_NODE_FLOAT] = "a number",
        [MCPH_NODE_STRING] = "a string",     [MCPH_NODE_LIST] = "a list",
        [MCPH_NODE_MAP] = "a map",
    };

    return texts[node->kind];
}
