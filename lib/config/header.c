/* SPDX-License-Identifier: MIT
 *
 * header.c - check the names and values of configured headers (R17).
 */
#include <string.h>

#include "config/config.h"

bool
mcph_header_name_ok(const char *name, size_t len)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (size_t i = 0; i < len; i++) {
        if (!memchr(token, name[i], sizeof(token) - 1))
            return false;
    }
    return len > 0 && len <= 256;
}

bool
mcph_header_value_ok(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)value[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}
