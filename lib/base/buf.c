/* SPDX-License-Identifier: MIT
 *
 * buf.c - a growing byte buffer with a hard limit.
 *
 * data[0..len) is valid.  cap never exceeds max.  err keeps the first failure of a run of
 * adds.  Later adds fail with this code until the buffer is cleared, so that an
 * incomplete text never passes for a complete text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void
mcph_buf_init(struct mcph_buf *buf, size_t max)
{
    *buf = (struct mcph_buf){.max = max};
}

void
mcph_buf_init_sized(struct mcph_buf *buf, size_t max, size_t cap)
{
    *buf = (struct mcph_buf){.data = malloc(cap), .cap = cap, .max = max};
    if (!buf->data)
        *buf = (struct mcph_buf){.max = max, .err = MCPHOST_E_NOMEM};
}

void
mcph_buf_init_paged(struct mcph_buf *buf, size_t max)
{
    *buf = (struct mcph_buf){.max = max, .paged = true};
}

void
mcph_buf_init_secret(struct mcph_buf *buf, size_t max)
{
    *buf = (struct mcph_buf){.max = max, .secret = true};
}

void
mcph_buf_done(struct mcph_buf *buf)
{
    if (buf->mapped)
        mcph_pages_free(buf->data, buf->cap);
    else
        free(buf->data);
    *buf = (struct mcph_buf){.max = buf->max, .paged = buf->paged, .secret = buf->secret};
}

void
mcph_buf_wipe(struct mcph_buf *buf)
{
    if (buf->data)
        explicit_bzero(buf->data, buf->cap);
    mcph_buf_done(buf);
}

void
mcph_buf_clear(struct mcph_buf *buf)
{
    buf->len = 0;
    buf->err = 0;
}

static int
set_error(struct mcph_buf *buf, int code)
{
    if (!buf->err)
        buf->err = code;
    return code;
}

/* Returns true if `more` bytes fit without growing.  `max` needs no check, because `cap`
 * never exceeds `max`. */
static inline bool
has_room(const struct mcph_buf *buf, size_t more)
{
    return more <= buf->cap - buf->len && !buf->err;
}

/* Moves the bytes to a block of `cap` bytes and returns the block.  On failure returns
 * NULL and changes nothing. */
static char *
grow_block(struct mcph_buf *buf, size_t cap)
{
    char *data;

    if (buf->mapped)
        return mcph_pages_resize(buf->data, buf->cap, cap);
    if (!buf->secret && (!buf->paged || cap < MCPH_PAGES_MIN))
        return realloc(buf->data, cap);
    data = buf->secret ? malloc(cap) : mcph_pages_resize(NULL, 0, cap);
    if (!data)
        return NULL;
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    if (buf->secret && buf->data)
        explicit_bzero(buf->data, buf->cap);
    free(buf->data);
    buf->mapped = !buf->secret;
    return data;
}

int
mcph_buf_reserve(struct mcph_buf *buf, size_t more)
{
    size_t need, cap;
    char *data;

    if (has_room(buf, more))
        return 0;
    if (buf->err)
        return buf->err;
    if (more > buf->max || buf->len > buf->max - more)
        return set_error(buf, MCPHOST_E_LIMIT);
    need = buf->len + more;
    if (need <= buf->cap)
        return 0;
    cap = buf->cap < 64 ? 64 : buf->cap;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    if (cap > buf->max)
        cap = buf->max;
    data = grow_block(buf, cap);
    if (!data)
        return set_error(buf, MCPHOST_E_NOMEM);
    buf->data = data;
    buf->cap = cap;
    return 0;
}

int
mcph_buf_add_slow(struct mcph_buf *buf, const void *data, size_t len)
{
    if (!has_room(buf, len)) {
        int r = mcph_buf_reserve(buf, len);

        if (r < 0)
            return r;
    }
    if (len)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return 0;
}

int
mcph_buf_addf(struct mcph_buf *buf, const char *fmt, ...)
{
    char small[256], *big = NULL;
    va_list ap;
    int n, r;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    if (n < 0)
        return set_error(buf, MCPHOST_E_NOMEM);
    if ((size_t)n < sizeof(small))
        return mcph_buf_add(buf, small, (size_t)n);
    va_start(ap, fmt);
    n = vasprintf(&big, fmt, ap);
    va_end(ap);
    if (n < 0)
        return set_error(buf, MCPHOST_E_NOMEM);
    r = mcph_buf_add(buf, big, (size_t)n);
    free(big);
    return r;
}

int
mcph_buf_addi(struct mcph_buf *buf, int64_t n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[24], *p = digits + sizeof(digits);
    uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    for (; u >= 100; u /= 100) { /* two digits for each division: divisions are slow */
        p -= 2;
        memcpy(p, &pairs[2 * (u % 100)], 2);
    }
    do {
        *--p = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    if (n < 0)
        *--p = '-';
    return mcph_buf_add(buf, p, (size_t)(digits + sizeof(digits) - p));
}

void
mcph_buf_consume(struct mcph_buf *buf, size_t n)
{
    if (n >= buf->len) {
        buf->len = 0;
        return;
    }
    memmove(buf->data, buf->data + n, buf->len - n);
    buf->len -= n;
}

const char *
mcph_buf_text(struct mcph_buf *buf)
{
    return mcph_buf_addc(buf, '\0') == 0 ? buf->data : NULL;
}

char *
mcph_buf_steal(struct mcph_buf *buf, size_t *ret_len)
{
    char *data;

    if (buf->err || buf->len == SIZE_MAX)
        return NULL;
    if (buf->mapped)
        data = mcph_strndup(buf->data, buf->len);
    else
        data = realloc(buf->data, buf->len + 1);
    if (!data)
        return NULL;
    data[buf->len] = '\0';
    if (ret_len)
        *ret_len = buf->len;
    if (!buf->mapped)
        buf->data = NULL; /* the caller owns the block now */
    mcph_buf_done(buf);
    return data;
}

int
mcph_buf_give(struct mcph_buf *buf, char **ret_data, size_t *ret_len)
{
    char *data = mcph_buf_steal(buf, ret_len);
    int r = data ? 0 : buf->err ? buf->err : MCPHOST_E_NOMEM;

    if (data)
        *ret_data = data;
    mcph_buf_done(buf);
    return r;
}
