/* SPDX-License-Identifier: MIT
 *
 * texts.h - the rule for texts that the library gives out (types.h), with a row for each
 * function that gives one.
 */
#ifndef TESTS_SUPPORT_TEXTS_H
#define TESTS_SUPPORT_TEXTS_H

#include <stddef.h>

#include <check.h>

/* What the function `name` gave keeps the rule; NULL: nothing. */
void texts_check(const char *name, const char *text, size_t len);
void texts_check_plain(const char *name, const char *text);
/* Each row whose name begins with a word of `prefixes` has given a text. */
void texts_expect(const char *prefixes);

/* A getter without a length, one with, and a function that makes what is freed. */
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
