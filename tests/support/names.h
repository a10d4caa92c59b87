/* SPDX-License-Identifier: MIT
 *
 * names.h - a getaddrinfo() for test programs that resolves names as the test chooses.
 *
 * A name that the test sets resolves to the test's addresses, or the lookup of the name
 * hangs.  Every other name resolves as usual.  The linker puts this getaddrinfo() into
 * every program that uses a function of this file.
 */
#ifndef TESTS_SUPPORT_NAMES_H
#define TESTS_SUPPORT_NAMES_H

/* Makes `name` resolve to these addresses, in this order.  Blanks separate the addresses.
 * If `addresses` is NULL, each lookup of `name` hangs for five seconds, or until
 * names_done(), and then fails. */
void names_set(const char *name, const char *addresses);
/* Counts the lookups of `name` that have begun since names_set(). */
int names_asked(const char *name);
/* Returns 1 if each lookup of a name of names_set() ran in a thread that blocked the
 * signals of look_at_mask() (names.c), else 0. */
int names_masked(void);
/* Forgets all names and results.  Makes the lookups that hang fail, and waits for their
 * end. */
void names_done(void);

#endif
