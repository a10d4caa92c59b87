/* SPDX-License-Identifier: MIT
 *
 * term.h - tables and colours for people, and text that is safe for a terminal.
 */
#ifndef CTL_TERM_H
#define CTL_TERM_H

#include <stddef.h>
#include <stdio.h>

enum { COLOR_PLAIN, COLOR_BOLD, COLOR_DIM, COLOR_RED, COLOR_GREEN, COLOR_YELLOW };

/* Return the escape sequences that begin and end a colour.  Both sequences are "" for
 * COLOR_PLAIN and if `on` is 0. */
const char *term_color(int on, int color);
const char *term_reset(int on, int color);

/* Returns the columns of the terminal to which `stream` writes, 80 if they are unknown or
 * fewer than 20, or 0 if `stream` is no terminal. */
size_t term_width(FILE *stream);
/* Returns the terminal's rows, or 24 if they are unknown or fewer than 4. */
size_t term_height(FILE *stream);
/* Returns true if TERM is not set, or says that the terminal understands no escape
 * sequences. */
int term_is_dumb(void);

/*
 * term_print - write `len` bytes that come from a server or a file.
 *
 * Harmful characters (text_is_harmful()), except line breaks and tabs, are written as
 * \xNN or \u{NNNN}, so that the bytes cannot control a terminal.  The function also
 * escapes output to a pipe, because a terminal may be at the end of the pipe.  `indent`
 * is written before each line.
 */
void term_print(FILE *stream, const char *indent, const char *s, size_t len);

/* Adds text on one line.  Each run of blanks and line breaks becomes one blank.
 * Harmful characters become U+FFFD. */
struct text;
void term_flatten(struct text *t, const char *s, size_t len);

/* ---- tables ------------------------------------------------------------------------ */

struct table;

/* Makes a table.  `heads` are the names of the columns, ended by NULL.  A column whose
 * name begins with '>' is aligned to the right.  Returns NULL if memory is short.  The
 * functions below accept NULL. */
struct table *table_new(const char *const *heads);

/* Append a cell.  Rows are filled from left to right.  The text is put on one line.  NULL
 * is shown as "-". */
void table_add(struct table *table, int color, const char *s);
void table_add_text(struct table *table, int color, const char *s, size_t len);
void table_add_int(struct table *table, int color, long long n);

/* Prints a table and frees it.  If `color` is true, prints colours.  The last column is
 * cut so that rows fit `width` columns.  If `width` is 0, nothing is cut.  Returns 0, or
 * -1 if memory was short. */
int table_print(struct table *table, FILE *stream, int color, size_t width);

#endif
