/* SPDX-License-Identifier: MIT
 *
 * term.h - tables and colours for people, and what a terminal must never be sent.
 */
#ifndef CTL_TERM_H
#define CTL_TERM_H

#include <stddef.h>
#include <stdio.h>

enum { COLOR_PLAIN, COLOR_BOLD, COLOR_DIM, COLOR_RED, COLOR_GREEN, COLOR_YELLOW };

/* The escape that begins a colour, "" for COLOR_PLAIN and when `on` is 0; and the one
 * that ends it. */
const char *term_color(int on, int color);
const char *term_reset(int on, int color);

/* The columns of the terminal behind `stream`, or 0 when it is none. */
size_t term_width(FILE *stream);
size_t term_height(FILE *stream); /* its rows */
/* Whether escapes mean nothing to the terminal, as TERM says. */
int term_is_dumb(void);

/*
 * term_print - writes `len` bytes that somebody else made.
 *
 * What is harmful (text_is_harmful()) but a line break and a tab is shown as \xNN or
 * \u{NNNN}, so that it cannot move the cursor or worse, wherever it goes: a pipe may
 * end in a terminal.  `indent` is written before each line.
 */
void term_print(FILE *stream, const char *indent, const char *s, size_t len);

/* Adds it on one line, controls made visible. */
struct text;
void term_flatten(struct text *t, const char *s, size_t len);

/* ---- tables ------------------------------------------------------------------------ */

struct table;

/* `heads` are the columns, ended by NULL; one that begins with '>' is set to the
 * right.  NULL without memory, which the others take. */
struct table *table_new(const char *const *heads);

/* Appends a cell, row by row; what is not on one line is put there.  NULL: "-". */
void table_add(struct table *table, int color, const char *s);
void table_add_text(struct table *table, int color, const char *s, size_t len);
void table_add_int(struct table *table, int color, long long n);

/* Prints and frees it: in colour when `color`, the last column cut to `width` when that
 * is not 0.  Returns 0, or -1 when memory was short. */
int table_print(struct table *table, FILE *stream, int color, size_t width);

#endif
