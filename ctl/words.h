/* SPDX-License-Identifier: MIT
 *
 * words.h - split and write command lines, name constants, and compare words.
 */
#ifndef CTL_WORDS_H
#define CTL_WORDS_H

#include <stddef.h>

#include "text.h"

/*
 * words_split - split `line` into words by the quoting rules of the shell.
 *
 * Blanks separate words.  '...' keeps every character.  In "..." a backslash keeps one of
 * $ ` " and \.  Outside of quotes, a backslash keeps any character.  The function removes
 * a backslash before a line break together with the line break.  It expands nothing and
 * knows no operators.  *ret_words gets an array that ends with NULL, for words_free().
 *
 * Returns 0.  If a quote or a backslash is left open, or if memory is short, sets
 * *ret_reason to the reason and returns -1.
 */
int words_split(const char *line, char ***ret_words, const char **ret_reason);
void words_free(char **words);

/* Returns true if `word` is one of the words in `words`.  Blanks separate the words. */
int words_have(const char *words, const char *word);
/* Adds `words` to `t` as an enumeration, for example "a, b or c" with the conjunction
 * "or".  Puts `quote` on both sides of each word. */
void words_enumerate(struct text *t, const char *words, const char *quote,
                     const char *conjunction);

/* Adds a word to `t`, quoted if necessary, so that a shell reads the word unchanged. */
void words_add_quoted(struct text *t, const char *word);

/* Returns the name of a value of MCPHOST_ENUM_*, or "unknown". */
const char *name_of(int which, int value);
/* Returns the name of a value of MCPHOST_ENUM_*, or NULL for the value 0.  Call this for
 * a value whose 0 means that there is no value. */
const char *name_unless_0(int which, int value);

/* Returns the word in `names` (ended by NULL) that is most similar to `word`, or NULL if
 * no word is similar. */
const char *words_suggest(const char *word, const char *const *names);

#endif
