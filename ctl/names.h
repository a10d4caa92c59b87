/* SPDX-License-Identifier: MIT
 *
 * names.h - the names that servers offered last, for the completion of command lines.
 */
#ifndef CTL_NAMES_H
#define CTL_NAMES_H

#include <stddef.h>

#include <jansson.h>

struct ctl;

/*
 * Names are a JSON object with an array for each of these kinds.  An element has "n", the
 * name.  An element may have "d", a short description on one line.  "s" is the server.
 * "o" is the server's own name for a prompt.  "a" is an array of arguments.  An argument
 * has "v", an array of its values, if only a few values are allowed.
 */
#define NAMES_TOOLS     "tools"
#define NAMES_PROMPTS   "prompts"
#define NAMES_RESOURCES "resources"
#define NAMES_TEMPLATES "templates"
#define NAMES_SKILLS    "skills"
#define NAMES_TOOLSETS  "toolsets"

/* Returns true if the name may be used on a command line and be shown.  The name must be
 * UTF-8 of 1 to 1024 bytes, without characters that control a terminal. */
int name_is_fit(const char *s);

/* Returns the kept names for the loaded configuration, or NULL.  If `any_age` is true,
 * also returns names that are no longer fresh.  The caller owns the result. */
json_t *names_find(const struct ctl *ctl, int any_age);
/* Keeps the names that the host's servers offer now.  Returns the names, or NULL.  The
 * caller owns the result. */
json_t *names_keep(struct ctl *ctl);

#endif
