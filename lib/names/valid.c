/* SPDX-License-Identifier: MIT
 *
 * valid.c - decide which names a tool may have (R47).
 *
 * A name has 1 to 64 bytes, each an ASCII letter, digit, '_' or '-'.  The check covers
 * all `len` bytes, and so refuses a newline or a NUL at the end, too.
 */
#include "names/names.h"

/* Returns true if a tool name may have this character.  isalnum() is not used, because
 * its result depends on the locale. */
bool
mcph_name_has_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

int
mcph_name_check(const char *name, size_t len)
{
    if (len == 0)
        return MCPH_NAME_RULE_EMPTY;
    if (len > MCPH_NAME_MAX)
        return MCPH_NAME_RULE_LENGTH;
    for (size_t i = 0; i < len; i++) {
        if (!mcph_name_has_char(name[i]))
            return MCPH_NAME_RULE_CHARACTER;
    }
    return MCPH_NAME_RULE_NONE;
}

const char *
mcph_name_rule_text(int rule)
{
    switch (rule) {
    case MCPH_NAME_RULE_EMPTY:
        return "is empty";
    case MCPH_NAME_RULE_LENGTH:
        return "is longer than 64 characters";
    case MCPH_NAME_RULE_CHARACTER:
        return "has a character other than ASCII letters, digits, '_' and '-'";
    case MCPH_NAME_RULE_LINE:
        return "has a control character, or more than 1024 bytes";
    default:
        return "is valid";
    }
}
