/* SPDX-License-Identifier: MIT
 *
 * text.h - growing text, and JSON written into text.
 *
 * Call text_failed() once, after all additions.  After a failure (no memory, or TEXT_MAX
 * bytes or more) further additions do nothing.
 */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct text {
    char *data; /* NUL-terminated after the first addition */
    size_t len, cap;
    int failed;
};

/* A text must be shorter than TEXT_MAX bytes. */
#define TEXT_MAX ((size_t)256 << 20)

void text_add(struct text *t, const char *data, size_t len);
void text_puts(struct text *t, const char *s);
__attribute__((format(printf, 2, 3))) void text_printf(struct text *t, const char *fmt,
                                                       ...);
/* Removes the first `len` bytes. */
void text_consume(struct text *t, size_t len);
int text_failed(const struct text *t);
void text_free(struct text *t);

/* ---- writing JSON: the functions add the commas between values --------------------- */

void put_begin(struct text *t, char bracket); /* `bracket` is '{' or '[' */
void put_end(struct text *t, char bracket);   /* `bracket` is '}' or ']' */
void put_key(struct text *t, const char *key);
/* Both functions write a string.  Bytes that are not UTF-8 become U+FFFD.  If `s` is
 * NULL, both write null. */
void put_text(struct text *t, const char *s, size_t len);
void put_str(struct text *t, const char *s);
void put_int(struct text *t, int64_t n);
void put_num(struct text *t, double n); /* writes null if `n` is not finite */
void put_flag(struct text *t, int value);
/* Writes a jansson value.  A real number gets at most 15 digits or, if 15 digits do not
 * read back as the same number, 16 or 17 digits.  If `value` is NULL, null is written. */
void put_value(struct text *t, const json_t *value);
/* Writes JSON that was made elsewhere, on one line and with harmful characters escaped.
 * If `s` is NULL, null is written. */
void put_raw(struct text *t, const char *s, size_t len);

/*
 * find_member - find a member's value in the text of an object.
 *
 * `s` must be a well-formed object.  Returns the text of the value and its length in
 * *ret_len, or NULL if no member has this key or if the key is written with escapes.
 */
const char *find_member(const char *s, size_t len, const char *key, size_t *ret_len);

/* ---- UTF-8 ------------------------------------------------------------------------- */

/* Reads one character.  Returns its code point, or -1 for a byte that is not UTF-8.
 * *ret_len gets the number of bytes that were read, at least 1. */
int32_t utf8_next(const char *s, size_t len, size_t *ret_len);
/* Returns true for a character that a terminal would obey or would hide: controls, marks
 * of direction, line separators, tags.  Also returns true for -1, a byte that is not
 * UTF-8. */
int text_is_harmful(int32_t cp);

#endif
