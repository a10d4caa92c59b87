/* SPDX-License-Identifier: MIT
 *
 * workspace_skills.h - the skills of goclaw workspaces.
 */
#ifndef CTL_WORKSPACE_SKILLS_H
#define CTL_WORKSPACE_SKILLS_H

#include <jansson.h>

#include "ctl.h"

/* Returns true if a source is a goclaw workspace.  A goclaw workspace can contain skills,
 * which the functions below read. */
int have_workspaces(const struct ctl *ctl);
/* Reads the skills of all workspaces into an array of {source, role, name, description,
 * enabled, dir, skill_file}.  Reads only the skills of `role` if `role` is not NULL.  The
 * caller owns *ret.  Returns 0, or a STATUS_* after printing the reason. */
int workspace_skills_read(struct ctl *ctl, const char *role, json_t **ret);
/* Finds the skills that have this name, and returns their number.  *ret gets the first
 * skill, and `which` gets a list of all skills found. */
size_t workspace_skills_find(const json_t *skills, const char *name, const json_t **ret,
                             struct text *which);
/* Prints the text of a skill.  Returns the exit status. */
int workspace_skill_show(struct ctl *ctl, const json_t *skill);
/* Carries out `skills enable` or `skills disable`.  Returns the exit status. */
int workspace_skill_set_enabled(struct ctl *ctl, const char *name, int enabled);

/* Writes the skills to `t` as the objects of a JSON list. */
void workspace_skills_put(struct text *t, const json_t *skills);

#endif
