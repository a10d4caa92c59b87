/* SPDX-License-Identifier: MIT
 *
 * plugindirs.h - directories of ChatOS plugins in the workspace of a test.
 */
#ifndef TESTS_SUPPORT_PLUGINDIRS_H
#define TESTS_SUPPORT_PLUGINDIRS_H

#include "support/rig.h"

/* Makes a directory in the workspace, and its parents. */
void plugin_dir(const struct rig_workspace *ws, const char *name);
/* Writes DIR/FILE in the workspace and makes the directories. */
void plugin_file(struct rig_workspace *ws, const char *dir, const char *file,
                 const char *text, ...) RIG_PRINTF(4, 5);
/* Writes DIR/plugin.json for a plugin with this id.  `apps` is a printf format for the
 * plugin's apps.  The apps are JSON objects separated by commas. */
void plugin_write(struct rig_workspace *ws, const char *dir, const char *id,
                  const char *apps, ...) RIG_PRINTF(4, 5);
/* The members that the JSON object of each app must have. */
#define PLUGIN_APP(id) "\"id\":\"" id "\",\"name\":\"" id "\",\"entry\":\"index.mjs\""

#endif
