/* SPDX-License-Identifier: MIT
 *
 * count.c - counts the allocations of a program and the bytes that it copies.
 *
 * Preload this library.  When the program ends, the library writes the counts to the file
 * that BENCH_COUNTS names, as "ALLOCATIONS COPIED".  It does not count in processes
 * that the program starts.
 *
 * An allocation is a call of malloc, calloc, realloc or aligned_alloc.  Copied bytes are
 * the bytes of memcpy and memmove, and of a realloc that moved its block by copying
 * (mapped blocks are moved without copying).  Compile the measured library with
 * -fno-builtin-memcpy and -fno-builtin-memmove, because a compiler may expand a memcpy in
 * place.  With these options, each memcpy in the source is a call.  Assignments of
 * structs do not count, because they carry no payload.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These are the C library's own functions.  The C library exports these names for
 * libraries that replace malloc() and its relatives. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_size_t allocations, copied;
static char path[4096];

static void
add(atomic_size_t *counter, size_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static __attribute__((constructor)) void
begin(void)
{
    const char *name = getenv("BENCH_COUNTS");

    if (name)
        snprintf(path, sizeof(path), "%s", name);
    unsetenv("LD_PRELOAD");
    unsetenv("BENCH_COUNTS");
}

static __attribute__((destructor)) void
end(void)
{
    size_t a = atomic_load(&allocations), c = atomic_load(&copied);
    char text[64];
    int fd = path[0] ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    int n = snprintf(text, sizeof(text), "%zu %zu\n", a, c);

    if (fd < 0)
        return;
    (void)!write(fd, text, (size_t)n);
    close(fd);
}

/* ---- allocations ------------------------------------------------------------------- */

void *
malloc(size_t size)
{
    add(&allocations, 1);
    return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    add(&allocations, 1);
    return __libc_calloc(n, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
    add(&allocations, 1);
    return __libc_memalign(align, size);
}

/* Returns true if glibc mapped the block separately.  glibc marks these blocks with bit 1
 * of the word before the block. */
static int
is_mapped(const void *p)
{
    return (((const size_t *)p)[-1] & 2) != 0;
}

void *
realloc(void *p, size_t size)
{
    size_t had = p && !is_mapped(p) ? malloc_usable_size(p) : 0;
    void *q = __libc_realloc(p, size);

    add(&allocations, 1);
    if (q && q != p)
        add(&copied, had < size ? had : size);
    return q;
}

/* ---- copies ------------------------------------------------------------------------ */

static void *
copy(void *to, const void *from, size_t len)
{
    const unsigned char *f = from;
    unsigned char *t = to;
    size_t i;

    add(&copied, len);
    if (t <= f) {
        for (i = 0; i < len; i++)
            t[i] = f[i];
    } else {
        for (i = len; i > 0; i--)
            t[i - 1] = f[i - 1];
    }
    return to;
}

void *
memcpy(void *restrict to, const void *restrict from, size_t len)
{
    return copy(to, from, len);
}

void *
memmove(void *to, const void *from, size_t len)
{
    return copy(to, from, len);
}
