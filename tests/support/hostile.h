/* SPDX-License-Identifier: MIT
 *
 * hostile.h - a server with names that are dangerous or awkward in a shell.
 */
#ifndef TESTS_SUPPORT_HOSTILE_H
#define TESTS_SUPPORT_HOSTILE_H

#include "support/ctlrun.h"

/* The names of the hostile server's resources and arguments, ended by NULL.  If a shell
 * executes a command in a name, the file "pwned" appears. */
extern const char *const hostile_names[];

/*
 * Makes `s` the only server of the place.
 *
 * The URIs of the server's resources are "f:NAME" for each of the names.  More resources
 * have a line break, an escape or a bidi control in their URIs.  mcphostctl must never
 * offer these resources to a shell.  One more resource is file:///plain.  The names are
 * also arguments of the server's tool "use".  The tool also has the arguments `color` (an
 * enumeration) and `deep` (a boolean), and arguments that no command line can give.  The
 * server also has a prompt "ask", a template and a tool "--json".
 */
void hostile_up(struct ctl_place *place);

#endif
