/* SPDX-License-Identifier: MIT
 *
 * names.h - what servers offered when they were asked last, for the completion of
 * command lines.
 */
#ifndef CTL_NAMES_H
#define CTL_NAMES_H

#include <stddef.h>

#include <jansson.h>

struct ctl;

/*
 * Names are an object with an array for each of these kinds.  The elements have "n", the
 * name, and, where there is one, "d", a short description on one line, "s", the server,
 * "o", the name that the server has for a prompt, and "a", the arguments, of which those
 * with a few values only have "v".
 */
#define NAMES_TOOLS     "tools"
#define NAMES_PROMPTS   "prompts"
#define NAMES_RESOURCES "resources"
#define NAMES_TEMPLATES "templates"
#define NAMES_SKILLS    "skills"
#define NAMES_TOOLSETS  "toolsets"

/* Whether it can stand on a command line and be shown: UTF-8, of a length that can be
 * read, without anything that a terminal would obey. */
int name_is_fit(const char *s);

/* The names that are kept for the configuration that is loaded, or NULL; `any_age`: also
 * those that may have changed meanwhile.  The caller's. */
json_t *names_find(const struct ctl *ctl, int any_age);
/* Keeps what the host's servers offer now, and gives it, or NULL.  The caller's. */
json_t *names_keep(struct ctl *ctl);

#endif
