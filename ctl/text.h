/* SPDX-License-Identifier: MIT
 *
 * text.h - growing text, and JSON written into it.
 *
 * Failure (no memory, over the limit) sticks: the writer may go on and ask once, at
 * the end, with text_failed().
 */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct text {
    char *data; /* NUL-terminated once something was added */
    size_t len, cap;
    int failed;
};

/* More than this in one text is refused. */
#define TEXT_MAX ((size_t)256 << 20)

void text_add(struct text *t, const char *data, size_t len);
void text_puts(struct text *t, const char *s);
__attribute__((format(printf, 2, 3))) void text_printf(struct text *t, const char *fmt,
                                                       ...);
/* Drops the first `len` bytes. */
void text_consume(struct text *t, size_t len);
int text_failed(const struct text *t);
void text_free(struct text *t);

/* ---- JSON: commas are put where they belong ---------------------------------------- */

void put_begin(struct text *t, char bracket); /* '{' or '[' */
void put_end(struct text *t, char bracket);   /* '}' or ']' */
void put_key(struct text *t, const char *key);
/* A string; bytes that are not UTF-8 become U+FFFD.  NULL gives null. */
void put_text(struct text *t, const char *s, size_t len);
void put_str(struct text *t, const char *s);
void put_int(struct text *t, int64_t n);
void put_num(struct text *t, double n); /* null when not finite */
void put_flag(struct text *t, int value);
/* A number is written as short as it reads back; NULL gives null. */
void put_value(struct text *t, const json_t *value);
/* JSON made elsewhere, as it is, on one line.  NULL gives null. */
void put_raw(struct text *t, const char *s, size_t len);

/*
 * find_member - where the value of a member stands in the text of an object.
 *
 * `s` must be a well-formed object.  Returns the value's bytes and *ret_len, or NULL
 * when there is no such member or its key is written with escapes.
 */
const char *find_member(const char *s, size_t len, const char *key, size_t *ret_len);

/* ---- UTF-8 ------------------------------------------------------------------------- */

/* One character: its code point, and the bytes it takes in *ret_len (at least 1).
 * Returns -1 for a byte that belongs to none. */
int32_t utf8_next(const char *s, size_t len, size_t *ret_len);
/* Whether a terminal would do something else with it than show it: controls, marks of
 * direction, separators of lines, tags; -1, a bad byte, too. */
int text_is_harmful(int32_t cp);

#endif
