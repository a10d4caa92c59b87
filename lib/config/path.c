/* SPDX-License-Identifier: MIT
 *
 * path.c - key paths for messages: servers.web.args[1], servers["a b"].
 *
 * A key with characters other than letters, digits, '_' and '-' is quoted and cleaned.  A
 * long key is cut, because the message also gives line and column of the key.
 */
#include <string.h>

#include "config/config.h"

#define KEY_SHOWN_MAX 96

static bool
is_plain(const char *key, size_t len)
{
    if (len == 0 || len > KEY_SHOWN_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = key[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return true;
}

int
mcph_path_member(struct mcph_buf *path, const char *key)
{
    size_t len = strlen(key), shown = len;

    if (is_plain(key, len)) {
        if (path->len > 0)
            mcph_buf_addc(path, '.');
        return mcph_buf_add(path, key, len);
    }
    if (shown > KEY_SHOWN_MAX) {
        shown = KEY_SHOWN_MAX;
        while (shown > 0 && ((unsigned char)key[shown] & 0xc0) == 0x80)
            shown--;
    }
    mcph_buf_adds(path, "[\"");
    mcph_utf8_add_clean(path, key, shown, true);
    return mcph_buf_adds(path, shown < len ? "...\"]" : "\"]");
}

int
mcph_path_index(struct mcph_buf *path, size_t index)
{
    mcph_buf_addc(path, '[');
    mcph_buf_addi(path, (int64_t)index);
    return mcph_buf_addc(path, ']');
}

const char *
mcph_path_text(struct mcph_buf *path)
{
    if (mcph_buf_reserve(path, 1) < 0)
        return "";
    path->data[path->len] = '\0';
    return path->data;
}
