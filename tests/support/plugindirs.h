/* SPDX-License-Identifier: MIT
 *
 * plugindirs.h - folders of ChatOS plugins in a workspace of a test.
 */
#ifndef TESTS_SUPPORT_PLUGINDIRS_H
#define TESTS_SUPPORT_PLUGINDIRS_H

#include "support/rig.h"

/* Makes a directory of the workspace with those above it. */
void plugin_dir(const struct rig_workspace *ws, const char *name);
/* Writes FOLDER/NAME/FILE, with its directories. */
void plugin_file(struct rig_workspace *ws, const char *dir, const char *file,
                 const char *text, ...) RIG_PRINTF(4, 5);
/* Writes DIR/plugin.json of a plugin with this id and the texts of its apps (JSON
 * objects, parted by commas). */
void plugin_write(struct rig_workspace *ws, const char *dir, const char *id,
                  const char *apps, ...) RIG_PRINTF(4, 5);
/* What every app needs, for the text of one. */
#define PLUGIN_APP(id) "\"id\":\"" id "\",\"name\":\"" id "\",\"entry\":\"index.mjs\""

#endif
