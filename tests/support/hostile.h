/* SPDX-License-Identifier: MIT
 *
 * hostile.h - a server whose names are the worst that a shell can be offered.
 */
#ifndef TESTS_SUPPORT_HOSTILE_H
#define TESTS_SUPPORT_HOSTILE_H

#include "support/ctlrun.h"

/* Each makes a file "pwned" if a shell runs any of it; ended by NULL. */
extern const char *const hostile_names[];

/*
 * Makes the place's one server `s`: its resources are "f:NAME" for each of the names and
 * some that no shell must be offered, with a line break, an escape and a mark of
 * direction in them; the names are arguments of its tool "use", too, besides `color`
 * (an enumeration), `deep` (a boolean) and some that no command line can give; and it
 * has a prompt "ask", a template and a tool "--json".
 */
void hostile_up(struct ctl_place *place);

#endif
