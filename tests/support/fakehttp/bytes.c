/* SPDX-License-Identifier: MIT
 *
 * bytes.c - growing strings of the fake HTTP server.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fakehttp/http.h"

void
bytes_add(struct bytes *b, const char *data, size_t len)
{
    if (b->done && b->done == b->len)
        b->done = b->len = 0;
    if (b->cap - b->len < len + 1) {
        b->cap = (b->len + len + 1) * 2;
        b->p = fake_alloc(b->p, b->cap);
    }
    memcpy(b->p + b->len, data, len);
    b->len += len;
    b->p[b->len] = '\0';
}

void
bytes_str(struct bytes *b, const char *text)
{
    bytes_add(b, text, strlen(text));
}

void
bytes_free(struct bytes *b)
{
    free(b->p);
    *b = (struct bytes){0};
}
