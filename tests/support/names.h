/* SPDX-License-Identifier: MIT
 *
 * names.h - the name service of a test program: names that lead where the test wants,
 * slowly or never.  All others are looked up as ever.
 *
 * It stands in for getaddrinfo() in every program that uses one of these functions.
 */
#ifndef TESTS_SUPPORT_NAMES_H
#define TESTS_SUPPORT_NAMES_H

/* `name` leads to these addresses, parted by blanks, in this order; NULL: its lookup
 * hangs until names_done(), or for five seconds. */
void names_set(const char *name, const char *addresses);
/* How many lookups of `name` have begun. */
int names_asked(const char *name);
/* Whether every lookup so far of a name that was set ran with all signals masked. */
int names_masked(void);
/* Forgets all; what hangs fails, and nothing of it is left when this returns. */
void names_done(void);

#endif
