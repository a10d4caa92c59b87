/* SPDX-License-Identifier: MIT
 *
 * words.c - the words that a choice may have, as rows of a table hold them: in one text,
 * parted by blanks.
 */
#include <inttypes.h>
#include <string.h>

#include "config/config.h"

/* The next word from *text on, which moves behind it; 0: there is none. */
static size_t
next_word(const char **text, const char **ret_word)
{
    size_t len;

    *text += strspn(*text, " ");
    len = strcspn(*text, " ");
    *ret_word = *text;
    *text += len;
    return len;
}

int
mcph_words_count(const char *words)
{
    const char *word;
    int n = 0;

    while (words && next_word(&words, &word) > 0)
        n++;
    return n;
}

const char *
mcph_words_at(const char *words, int index, size_t *ret_len)
{
    const char *word = "";
    size_t len = 0;

    for (int i = 0; i <= index; i++)
        len = next_word(&words, &word);
    *ret_len = len;
    return word;
}

int
mcph_words_find(const char *words, const char *text)
{
    size_t len = strlen(text), n;
    const char *word;

    for (int i = 0; (n = next_word(&words, &word)) > 0; i++) {
        if (n == len && memcmp(word, text, n) == 0)
            return i;
    }
    return -1;
}

static int64_t
number_of(int index, int numbers)
{
    if (numbers == MCPH_WORDS_BITS)
        return INT64_C(1) << index;
    return numbers == MCPH_WORDS_FROM_ZERO ? index : -1 - index;
}

void
mcph_words_put(const char *words, int numbers, struct mcph_buf *buf)
{
    int n = mcph_words_count(words);
    const char *word;

    for (int i = 0; i < n; i++) {
        size_t len = next_word(&words, &word);

        if (i > 0)
            mcph_buf_adds(buf, i + 1 < n ? ", " : " or ");
        if (numbers == MCPH_WORDS_QUOTED)
            mcph_buf_addc(buf, '\'');
        mcph_buf_add(buf, word, len);
        if (numbers == MCPH_WORDS_QUOTED)
            mcph_buf_addc(buf, '\'');
        else
            mcph_buf_addf(buf, " (%" PRId64 ")", number_of(i, numbers));
    }
}
