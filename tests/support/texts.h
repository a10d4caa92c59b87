/* SPDX-License-Identifier: MIT
 *
 * texts.h - checks that the texts of the library follow the rule for texts in types.h.
 *
 * Each function that gives a text to the application has a row in texts.c.
 */
#ifndef TESTS_SUPPORT_TEXTS_H
#define TESTS_SUPPORT_TEXTS_H

#include <stddef.h>

#include <check.h>

/* These functions fail the test if a text from the function `name` breaks the rule.
 * `text` is NULL if the function gave no text. */
void texts_check(const char *name, const char *text, size_t len);
void texts_check_plain(const char *name, const char *text);
/* Fails the test if a function whose name begins with "mcphost_" and a word of `prefixes`
 * has given no text so far. */
void texts_expect(const char *prefixes);

/* GET checks a getter without a length.  GET_LEN checks a getter with a length.  MAKE
 * checks a function whose text the caller frees. */
#define GET(get, ...) texts_check_plain(#get, get(__VA_ARGS__))
#define GET_LEN(get, ...)                                \
    do {                                                 \
        size_t len_ = 99;                                \
        const char *text_ = get(__VA_ARGS__, &len_);     \
                                                         \
        texts_check(#get, text_, len_);                  \
        ck_assert_ptr_eq(get(__VA_ARGS__, NULL), text_); \
    } while (0)
#define MAKE(make, ...)                         \
    do {                                        \
        size_t len_ = 99;                       \
        char *text_ = NULL;                     \
                                                \
        ck_assert_int_eq(make(__VA_ARGS__), 0); \
        texts_check(#make, text_, len_);        \
        mcphost_free(text_);                    \
    } while (0)

#endif
