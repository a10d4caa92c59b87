/* SPDX-License-Identifier: MIT
 *
 * words.h - a command line taken apart, names of constants, and a word compared with
 * others.
 */
#ifndef CTL_WORDS_H
#define CTL_WORDS_H

#include <stddef.h>

#include "text.h"

/*
 * words_split - the words of `line`, by the quoting rules of the shell.
 *
 * Blanks part words; '...' keeps everything; "..." lets a backslash keep one of
 * $ ` " \ and a line break; outside of quotes a backslash keeps any character.
 * Nothing is expanded and no operator means anything.  *ret_words gets an array that
 * ends with NULL, for words_free().
 *
 * Returns 0; -1 when a quote or a backslash is left open (*ret_reason says so), or
 * without memory.
 */
int words_split(const char *line, char ***ret_words, const char **ret_reason);
void words_free(char **words);

/* Whether `word` is one of `words`, which blanks part. */
int words_have(const char *words, const char *word);
/* Adds them to `t`: "a, b or c" with the conjunction "or", each between quotes. */
void words_enumerate(struct text *t, const char *words, const char *quote,
                     const char *conjunction);

/* The name of a value of MCPHOST_ENUM_*, or "unknown". */
const char *name_of(int which, int value);
/* Likewise; NULL for 0, where that stands for nothing. */
const char *name_unless_0(int which, int value);

/* The one of `names` (ended by NULL) that `word` was probably meant to be, or NULL. */
const char *words_suggest(const char *word, const char *const *names);

#endif
