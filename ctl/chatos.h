/* SPDX-License-Identifier: MIT
 *
 * chatos.h - folders of ChatOS plugins as sources, and the registries of their apps.
 */
#ifndef CTL_CHATOS_H
#define CTL_CHATOS_H

#include <mcphost/chatos.h>

#include "profiles.h"

/* The functions of the profile chatos, for the table of profiles. */
int chatos_is_in(const char *directory);
int chatos_load(const struct ctl *ctl, const char *directory, unsigned transports,
                mcphost_config **ret, mcphost_error **reterr);
int chatos_follow(const struct ctl *ctl, struct source *source, mcphost_error **reterr);
int chatos_set_policies(const struct ctl *ctl, mcphost_source *source,
                        mcphost_error **reterr);

/* Makes a registry on `host`, with `directory` and the directories that the options name,
 * and scans the plugins.  The caller owns *ret.  Returns 0 or MCPHOST_E_*. */
int chatos_open(const struct ctl *ctl, mcphost *host, const char *directory,
                mcphost_chatos **ret, mcphost_error **reterr);
/* Returns the folder of the first source that is a folder of ChatOS plugins, or NULL if
 * no source is a folder of plugins. */
const char *chatos_directory(const struct ctl *ctl);
/* Returns the registry of the first source that has a registry, or NULL if no source has
 * a registry. */
mcphost_chatos *chatos_of_sources(const struct ctl *ctl);

#endif
