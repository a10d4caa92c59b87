/* SPDX-License-Identifier: MIT
 *
 * heap.c - looks for secrets that were left in memory.
 */
#include "support/heap.h"

#include <stdio.h>
#include <string.h>

int
heap_count(const char *text)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from = 0, to = 0;
    char line[512];
    int n = 0;

    while (maps && fgets(line, sizeof(line), maps)) {
        if (!strstr(line, "[heap]") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        for (const char *p = (const char *)from; p;) {
            p = memmem(p, to - (unsigned long)p, text, strlen(text));
            n += p != NULL;
            p = p ? p + 1 : NULL;
        }
    }
    if (maps)
        fclose(maps);
    return n;
}
