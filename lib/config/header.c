/* SPDX-License-Identifier: MIT
 *
 * header.c - what may be the name of a header of the user's (R17).
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
