/* SPDX-License-Identifier: MIT
 *
 * line.h - a shell's command line, split into words for completion.
 */
#ifndef CTL_LINE_H
#define CTL_LINE_H

#include <stddef.h>

#include "text.h"

struct line {
    char **words;   /* the program and the other words, without their quotes */
    size_t n, at;   /* words[at] is the current word, cut off at the cursor */
    int redirected; /* the current word is the file of a redirection */
    int opaque;     /* the current word ends inside $(...), `...` or $'...' */
    char quote;     /* the quote that is open at the cursor, or 0 */
    size_t begin;   /* number of bytes of the current word that bash does not replace */
};

/*
 * line_read - read the parts of a command line before and after the cursor.
 *
 * Quotes and backslashes are removed.  In all words but the current word, a leading "~"
 * and variables of the environment get their values.  Nothing else is expanded.  No
 * command is run.  `breaks` is bash's COMP_WORDBREAKS, or NULL for a shell that replaces
 * the current word as a whole.
 *
 * Returns 0, or -1 if memory is short or the line is too long or has too many words.
 */
int line_read(struct line *line, const char *before, const char *after,
              const char *breaks);
void line_free(struct line *line);

/* Adds a word, quoted so that bash takes it unchanged.  `quote` is the quote that is open
 * at the cursor, or 0. */
void line_put_quoted(struct text *t, const char *s, char quote);

#endif
