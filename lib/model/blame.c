/* SPDX-License-Identifier: MIT
 *
 * blame.c - find the tool whose schema a provider refused, from the provider's error
 * text.
 *
 * Providers name the tool, or its place in the request's list of tools:
 *
 *     Invalid schema for function 'NAME': ...
 *     tools.3.custom.input_schema: ...
 *     Invalid 'tools[3].function.name': ...
 *     ...tools[0].function_declarations[3].parameters...
 *
 * If the text contains a place, the place decides, because it is exact.  If the text
 * contains several names, the longest name decides.
 */
#include <string.h>

#include "model/model.h"

static bool
is_name_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '-';
}

/* Returns the number that follows `word` and a "[" or ".".  Returns SIZE_MAX if no number
 * follows `word`. */
static size_t
place_behind(const char *text, size_t len, const char *word)
{
    const char *end = text + len, *p;
    size_t n = strlen(word);

    for (p = memmem(text, len, word, n); p; p = memmem(p, (size_t)(end - p), word, n)) {
        size_t place = 0;

        p += n;
        if (end - p < 2 || (*p != '[' && *p != '.') || p[1] < '0' || p[1] > '9')
            continue;
        for (p++; p < end && *p >= '0' && *p <= '9' && place < 1000000; p++)
            place = place * 10 + (size_t)(*p - '0');
        return place;
    }
    return SIZE_MAX;
}

static bool
has_word(const char *text, size_t len, const char *word, size_t n)
{
    const char *end = text + len, *p;

    for (p = memmem(text, len, word, n); p; p = memmem(p, (size_t)(end - p), word, n)) {
        if ((p == text || !is_name_byte(p[-1])) && (p + n == end || !is_name_byte(p[n])))
            return true;
        p++;
    }
    return false;
}

size_t
mcph_model_blame_place(const char *text, size_t len)
{
    size_t place = place_behind(text, len, "function_declarations");

    return place != SIZE_MAX ? place : place_behind(text, len, "tools");
}

bool
mcph_model_blame_name(const char *text, size_t len, const char *name, size_t *longest)
{
    size_t n = strlen(name);

    if (n <= *longest || !has_word(text, len, name, n))
        return false;
    *longest = n;
    return true;
}
