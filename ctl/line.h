/* SPDX-License-Identifier: MIT
 *
 * line.h - a shell's command line, taken apart as far as its completion needs it.
 */
#ifndef CTL_LINE_H
#define CTL_LINE_H

#include <stddef.h>

#include "text.h"

struct line {
    char **words;   /* the program, then the others, without their quotes */
    size_t n, at;   /* words[at] is the current one, up to the cursor */
    int redirected; /* it is the file of a redirection */
    int opaque;     /* it ends in the middle of something that is not understood */
    char quote;     /* the quote that is open at the cursor, or 0 */
    size_t begin;   /* the bytes of it that bash does not replace */
};

/*
 * line_read - reads what stands before and behind the cursor.
 *
 * Quotes and backslashes are undone.  In words that stand before the current one a
 * leading "~" and variables of the environment get their values; nothing else is
 * expanded, and nothing is run.  `breaks` is bash's COMP_WORDBREAKS, or NULL where the
 * shell replaces the current word as a whole.
 *
 * Returns 0, or -1 without memory and for a line that is too long.
 */
int line_read(struct line *line, const char *before, const char *after,
              const char *breaks);
void line_free(struct line *line);

/* Adds a word so that bash takes it as it is.  `quote`: the one that is open there. */
void line_put_quoted(struct text *t, const char *s, char quote);

#endif
