/* SPDX-License-Identifier: MIT
 *
 * words.c - split and write command lines without a shell, name constants, and suggest
 * words.
 */
#include <stdlib.h>
#include <string.h>

#include <mcphost/enum.h>

#include "words.h"

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies the word at *line to `to`, without its quotes and with its backslash escapes
 * resolved.  Moves *line to the end of the word.  Returns the end of the copy.  On
 * failure, sets *ret_reason and returns NULL. */
static char *
copy_word(const char **line, char *to, const char **ret_reason)
{
    const char *s = *line;
    char quote = 0;

    for (; *s && (quote || !is_blank(*s)); s++) {
        if (quote ? *s == quote : *s == '\'' || *s == '"') {
            quote = quote ? 0 : *s;
        } else if (*s != '\\' || quote == '\'') {
            *to++ = *s;
        } else if (!s[1]) {
            *ret_reason = "a backslash at the end";
            return NULL;
        } else if (quote && !strchr("$`\"\\\n", s[1])) {
            *to++ = *s;
        } else if (*++s != '\n') {
            *to++ = *s;
        }
    }
    if (quote) {
        *ret_reason = quote == '"' ? "a double quote that is not closed"
                                   : "a single quote that is not closed";
        return NULL;
    }
    *line = s;
    return to;
}

/* Splits a line into words.  One allocation holds the array, followed by the words.  A
 * line of N characters has at most (N + 1) / 2 words.  The words and their NULs take at
 * most N + 1 bytes. */
int
words_split(const char *line, char ***ret_words, const char **ret_reason)
{
    size_t len = strlen(line), n = 0;
    char **words = calloc(len / 2 + 2, sizeof(*words) + 2);
    char *to;

    *ret_reason = "not enough memory";
    if (!words)
        return -1;
    to = (char *)(words + len / 2 + 2);
    for (;;) {
        while (is_blank(*line))
            line++;
        if (!*line)
            break;
        words[n] = to;
        to = copy_word(&line, to, ret_reason);
        if (!to) {
            free(words);
            return -1;
        }
        *to++ = '\0';
        n++;
    }
    *ret_words = words;
    return 0;
}

void
words_free(char **words)
{
    free(words);
}

int
words_have(const char *words, const char *word)
{
    size_t len = strlen(word);

    if (strchr(word, ' '))
        return 0;
    for (; words; words = strchr(words, ' ')) {
        words += *words == ' ';
        if (strncmp(words, word, len) == 0 && (words[len] == ' ' || !words[len]))
            return 1;
    }
    return 0;
}

void
words_enumerate(struct text *t, const char *words, const char *quote,
                const char *conjunction)
{
    size_t begin = t->len;

    while (*words) {
        int n = (int)strcspn(words, " ");
        int is_last = !words[n];

        if (t->len > begin && is_last)
            text_printf(t, " %s ", conjunction);
        else if (t->len > begin)
            text_puts(t, ", ");
        text_printf(t, "%s%.*s%s", quote, n, words, quote);
        words += n + !is_last;
    }
}

void
words_add_quoted(struct text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_@%+=:,./-";

    if (*word && !word[strspn(word, plain)]) {
        text_puts(t, word);
        return;
    }
    text_puts(t, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_puts(t, "'\\''");
        else
            text_add(t, word, 1);
    }
    text_puts(t, "'");
}

const char *
name_of(int which, int value)
{
    const char *name = mcphost_enum_get_name(which, value);

    return name ? name : "unknown";
}

const char *
name_unless_0(int which, int value)
{
    return value ? name_of(which, value) : NULL;
}

enum { SUGGEST_MAX = 32 };

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the least number of characters to insert, remove, replace or swap with their
 * neighbour to turn the word `a` into the word `b`.  Returns SUGGEST_MAX if one of the
 * words has SUGGEST_MAX or more characters. */
static size_t
distance(const char *a, const char *b)
{
    size_t rows[3][SUGGEST_MAX + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n >= SUGGEST_MAX || m >= SUGGEST_MAX)
        return SUGGEST_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] =
                least(least(up[j], row[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *
words_suggest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = least(strlen(word) / 3 + 1, 3) + 1;

    for (; *names; names++) {
        size_t d = distance(word, *names);

        if (d < best_distance) {
            best = *names;
            best_distance = d;
        }
    }
    return best;
}
