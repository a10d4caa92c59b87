/* SPDX-License-Identifier: MIT
 *
 * workspace_skills.h - the skills of workspaces, beside those of servers.
 */
#ifndef CTL_WORKSPACE_SKILLS_H
#define CTL_WORKSPACE_SKILLS_H

#include <jansson.h>

#include "ctl.h"

/* Whether there is a workspace that may have skills. */
int have_workspaces(const struct ctl *ctl);
/* An array of {source, role, name, enabled, dir, skill_file}: those of all workspaces, or
 * of `role` alone.  *ret is the caller's.  0 or, told, a status. */
int workspace_skills_read(struct ctl *ctl, const char *role, json_t **ret);
/* The skills that have this name: how many, the first, and all of them as text. */
size_t workspace_skills_find(const json_t *skills, const char *name, const json_t **ret,
                             struct text *which);
/* Prints the text of one of them.  Returns the status. */
int workspace_skill_show(struct ctl *ctl, const json_t *skill);
/* skills enable, skills disable. */
int workspace_skill_set_enabled(struct ctl *ctl, const char *name, int enabled);

/* Rows of lists, as skills.c has them. */
void workspace_skills_put(struct text *t, const json_t *skills);

#endif
