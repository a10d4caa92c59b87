/* SPDX-License-Identifier: MIT
 *
 * names.h - replaces getaddrinfo() in a test program: a name resolves to addresses that
 * the test chose, or its lookup hangs.  All other names are looked up as usual.
 *
 * The replacement is linked into every program that uses one of these functions.
 */
#ifndef TESTS_SUPPORT_NAMES_H
#define TESTS_SUPPORT_NAMES_H

/* `name` resolves to these addresses, in this order.  They are separated by blanks.
 * NULL: its lookup hangs for five seconds, or until names_done(), and then fails. */
void names_set(const char *name, const char *addresses);
/* How many lookups of `name` have begun. */
int names_asked(const char *name);
/* Whether each lookup of a name that was set ran with all signals masked. */
int names_masked(void);
/* Forgets all names and results.  Lookups that hang fail.  None of them hangs any more
 * when this returns. */
void names_done(void);

#endif
