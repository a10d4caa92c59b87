/* SPDX-License-Identifier: MIT
 *
 * nearest.c - "did you mean": find the known word that is nearest to a misspelt word.
 */
#include <string.h>

#include "names/names.h"

#define WORD_MAX 64 /* longer words are not compared */

static size_t
min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* Returns the least number of insertions, deletions, replacements and swaps of two
 * neighbours that lead from word `a` to word `b`.  Three rows of the usual table are
 * enough. */
static size_t
edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3],
               *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = min3(above[j] + 1, row[j - 1] + 1,
                          above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[a_len % 3][b_len];
}

const char *
mcph_name_nearest(const char *word, size_t len, const char *const *known, size_t n)
{
    size_t best = len / 3 > 0 ? len / 3 + 1 : 2; /* one more than the largest distance
                                                  * that is near enough */
    const char *found = NULL;

    if (len == 0 || len > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t known_len = strlen(known[i]), d;

        if (known_len > WORD_MAX)
            continue;
        d = edit_distance(word, len, known[i], known_len);
        if (d < best) {
            best = d;
            found = known[i];
        }
    }
    return found;
}
