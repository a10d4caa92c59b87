/* SPDX-License-Identifier: MIT
 *
 * profiles.h - what a directory may be: the workspace of a product, whose servers stand
 * in a file of its own.
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
    const char *place; /* of the file in a directory, which shows that it has the
                          * profile; NULL: `is_in` tells, and the path is the directory */
    int (*is_in)(const char *directory);
    unsigned transports; /* MCPHOST_ALLOW_*, that its servers may have in any case */
    /* They read the file, which may be absent, or have a source follow it.  They return
     * what mcphost_config_load() and mcphost_source_follow_workspace() return. */
    int (*load)(const struct ctl *ctl, const char *directory, unsigned transports,
                mcphost_config **ret, mcphost_error **reterr);
    int (*follow)(const struct ctl *ctl, struct source *source, mcphost_error **reterr);
    /* Sets what policies the profile has.  0 or MCPHOST_E_*.  NULL: none. */
    int (*set_policies)(const struct ctl *ctl, mcphost_source *source,
                        mcphost_error **reterr);
    /* The tools of --admin, in place of the host's.  NULL: none. */
    int (*make_tools)(const char *directory, mcphost_builtins **ret,
                      mcphost_error **reterr);
    /* Writes `enabled` of a server into the file.  1 (it has changed), 0 or MCPHOST_E_*.
     * NULL: that is done by hand. */
    int (*set_enabled)(const struct source *source, const char *server, int enabled,
                       mcphost_error **reterr);
};

/* NULL: there is none of this name. */
const struct profile *profile_find(const char *name);
/* Whether the directory has the profile's file. */
int profile_is_in(const struct profile *profile, const char *directory);

/* Fills ctl->sources with the sources that the options name or, if they say nothing of
 * servers, with those that the directory has.  0 or, told, a status. */
int profiles_settle(struct ctl *ctl);

#endif
