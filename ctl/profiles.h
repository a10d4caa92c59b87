/* SPDX-License-Identifier: MIT
 *
 * profiles.h - profiles: the kinds of configuration files that mcphostctl finds by itself
 * in a directory.
 *
 * A profile is a row of the table in profiles.c.
 */
#ifndef CTL_PROFILES_H
#define CTL_PROFILES_H

#include "ctl.h"

/* The names of the table's rows, in their order. */
#define PROFILE_WORDS "dominds goclaw mcpservers chatos"

struct profile {
    const char *name;
    /* The path of the profile's file, relative to a directory.  If NULL, the profile has
     * no file: `is_in` finds the profile, and the path of its source is the directory. */
    const char *place;
    int (*is_in)(const char *directory);
    unsigned transports; /* MCPHOST_ALLOW_* that the profile's servers may always use */
    /* `load` reads the file.  The file may be missing.  `follow` makes a source follow
     * the file.  `load` returns as mcphost_config_load() does.  `follow` returns as
     * mcphost_source_follow_workspace() does. */
    int (*load)(const struct ctl *ctl, const char *directory, unsigned transports,
                mcphost_config **ret, mcphost_error **reterr);
    int (*follow)(const struct ctl *ctl, struct source *source, mcphost_error **reterr);
    /* Sets the profile's policies.  Returns 0 or MCPHOST_E_*.  The pointer is NULL if the
     * profile has no policies. */
    int (*set_policies)(const struct ctl *ctl, mcphost_source *source,
                        mcphost_error **reterr);
    /* Makes the tools that --admin offers instead of the host's tools.  The pointer is
     * NULL if the profile has no tools. */
    int (*make_tools)(const char *directory, mcphost_builtins **ret,
                      mcphost_error **reterr);
    /* Writes `enabled` of a server into the file.  Returns 1 if the call changed the
     * file, 0 if the file stays unchanged, or MCPHOST_E_*.  The pointer is NULL if only a
     * person edits the file. */
    int (*set_enabled)(const struct source *source, const char *server, int enabled,
                       mcphost_error **reterr);
};

/* Returns the profile of this name, or NULL if no profile has this name. */
const struct profile *profile_find(const char *name);
/* Returns true if the directory has the profile's file or, for ChatOS, plugins with
 * apps. */
int profile_is_in(const struct profile *profile, const char *directory);

/* Fills ctl->sources with the sources that the options name.  If the command takes
 * --profile, and --profile, --config, --stdio and --url were not given, adds the profiles
 * that the directory has.  Returns 0, or a STATUS_* after printing the reason. */
int profiles_settle(struct ctl *ctl);

#endif
