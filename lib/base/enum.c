/* SPDX-License-Identifier: MIT
 *
 * enum.c - names of the public enumerators.
 *
 * scripts/enums.awk generates the tables from the headers when the library is built.
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include <mcphost/chatos.h>
#include <mcphost/goclaw.h>
#include <mcphost/mcphost.h>

struct word {
    int value;
    const char *name;
};

/* The part of `words` that holds the enumerators of one enumeration. */
struct range {
    unsigned short first, n;
};

#include "base/enums.h"

static const struct word *
word_at(int which, size_t index)
{
    if (which < 0 || (size_t)which >= MCPH_ARRAY_SIZE(ranges) || index >= ranges[which].n)
        return NULL;
    return &words[ranges[which].first + index];
}

const char *
mcphost_enum_get_name(int which, int value)
{
    const struct word *word;

    for (size_t i = 0; (word = word_at(which, i)); i++) {
        if (word->value == value)
            return word->name;
    }
    return NULL;
}

int
mcphost_enum_find_value(int which, const char *name, int *ret_value)
{
    const struct word *word;

    if (!name || !ret_value || !word_at(which, 0))
        return MCPHOST_E_INVALID;
    for (size_t i = 0; (word = word_at(which, i)); i++) {
        if (strcmp(word->name, name) == 0) {
            *ret_value = word->value;
            return 0;
        }
    }
    return MCPHOST_E_NOTFOUND;
}

int
mcphost_enum_get_value(int which, size_t index, int *ret_value)
{
    const struct word *word = word_at(which, index);

    if (!ret_value)
        return MCPHOST_E_INVALID;
    if (!word)
        return MCPHOST_E_NOTFOUND;
    *ret_value = word->value;
    return 0;
}

size_t
mcphost_enum_count_values(int which)
{
    return word_at(which, 0) ? ranges[which].n : 0;
}

void
mcph_enum_put(int which, size_t n, bool numbers, struct mcph_buf *buf)
{
    const struct word *word;

    for (size_t i = 0; i < n && (word = word_at(which, i)); i++) {
        if (i > 0)
            mcph_buf_adds(buf, i + 1 < n && word_at(which, i + 1) ? ", " : " or ");
        if (numbers)
            mcph_buf_addf(buf, "%s (%d)", word->name, word->value);
        else
            mcph_buf_addf(buf, "'%s'", word->name);
    }
}
