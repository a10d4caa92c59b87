/* SPDX-License-Identifier: MIT
 *
 * chatos.h - folders of ChatOS plugins as sources, and what their apps are.
 */
#ifndef CTL_CHATOS_H
#define CTL_CHATOS_H

#include <mcphost/chatos.h>

#include "profiles.h"

/* For the table of profiles. */
int chatos_is_in(const char *directory);
int chatos_load(const struct ctl *ctl, const char *directory, unsigned transports,
                mcphost_config **ret, mcphost_error **reterr);
int chatos_follow(const struct ctl *ctl, struct source *source, mcphost_error **reterr);
int chatos_set_policies(const struct ctl *ctl, mcphost_source *source,
                        mcphost_error **reterr);

/* A registry on a host, with what the options name, that was scanned.  *ret is the
 * caller's.  0 or MCPHOST_E_*. */
int chatos_open(const struct ctl *ctl, mcphost *host, const char *directory,
                mcphost_chatos **ret, mcphost_error **reterr);
/* The folder that the options or the directory say; NULL: none does. */
const char *chatos_directory(const struct ctl *ctl);
/* The registry of the first source that has one; NULL: there is none. */
mcphost_chatos *chatos_of_sources(const struct ctl *ctl);

#endif
