/* SPDX-License-Identifier: MIT
 *
 * mem.c - allocation helpers that check their sizes.
 *
 * Each helper that returns a block returns NULL if memory is short or a size overflows.
 * No helper aborts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void *
mcph_zalloc(size_t size, size_t more)
{
    void *p = more > SIZE_MAX - size ? NULL : malloc(size + more);

    __asm__("" : "+r"(p)); /* keeps the compiler from using calloc() */
    if (p)
        memset(p, 0, size);
    return p;
}

void *
mcph_memdup(const void *data, size_t len)
{
    void *copy = malloc(len ? len : 1);

    if (copy && len)
        memcpy(copy, data, len);
    return copy;
}

char *
mcph_strndup(const char *str, size_t len)
{
    char *copy;

    if (len == SIZE_MAX)
        return NULL;
    copy = malloc(len + 1);
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, str, len);
    copy[len] = '\0';
    return copy;
}

char *
mcph_strdup(const char *str)
{
    return mcph_strndup(str, strlen(str));
}

bool
mcph_str_copy(const char *text, char **ret)
{
    *ret = text ? mcph_strdup(text) : NULL;
    return !text || *ret;
}

void
mcph_str_wipe(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

char *
mcph_asprintf(const char *fmt, ...)
{
    va_list ap;
    char *str;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&str, fmt, ap);
    va_end(ap);
    return n < 0 ? NULL : str;
}

void *
mcph_reallocarray(void *ptr, size_t n, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(n, size, &total))
        return NULL;
    return realloc(ptr, total ? total : 1);
}

bool
mcph_streq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}
