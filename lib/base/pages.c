/* SPDX-License-Identifier: MIT
 *
 * pages.c - large blocks of memory, straight from the system.
 *
 * To grow a block of some megabytes, realloc() may copy the block to another place.
 * During the copy, both blocks need memory.  The system moves pages without a copy: it
 * only changes their addresses.  Freed pages return to the system at once, even if the
 * application has tuned malloc() to keep freed memory.
 */
#include <sys/mman.h>

#include "base/base.h"

void *
mcph_pages_resize(void *p, size_t old_size, size_t size)
{
    void *q;

    if (p)
        q = mremap(p, old_size, size, MREMAP_MAYMOVE);
    else
        q = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return q == MAP_FAILED ? NULL : q;
}

void
mcph_pages_free(void *p, size_t size)
{
    if (p)
        munmap(p, size);
}
