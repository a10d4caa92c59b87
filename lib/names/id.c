/* SPDX-License-Identifier: MIT
 *
 * id.c - make the id under which a resource is listed (B.19) from any text, with only the
 * characters that a tool name may have.
 */
#include <string.h>

#include "names/names.h"

#define EMPTY_ID "resource"

int
mcph_name_add_id(const char *text, size_t len, struct mcph_buf *buf)
{
    size_t start = buf->len, first;

    mcph_buf_reserve(buf, len + sizeof(EMPTY_ID));
    for (size_t i = 0; i < len; i++) {
        if (mcph_name_has_char(text[i]))
            mcph_buf_addc(buf, text[i]);
        else if (i == 0 || mcph_name_has_char(text[i - 1]))
            mcph_buf_addc(buf, '_');
    }
    if (mcph_buf_ok(buf) < 0)
        return buf->err;
    while (buf->len > start && buf->data[buf->len - 1] == '_')
        buf->len--;
    for (first = start; first < buf->len && buf->data[first] == '_';)
        first++;
    memmove(buf->data + start, buf->data + first, buf->len - first);
    buf->len -= first - start;
    return buf->len > start ? 0 : mcph_buf_adds(buf, EMPTY_ID);
}
