/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - workspaces of goclaw, for profiles.c and workspace_skills.c.
 */
#ifndef CTL_GOCLAW_H
#define CTL_GOCLAW_H

#include <jansson.h>

#include "ctl.h"

/* ---- for the table of profiles ----------------------------------------------------- */

int goclaw_set_policies(const struct ctl *ctl, mcphost_source *source,
                        mcphost_error **reterr);
int goclaw_make_tools(const char *directory, mcphost_builtins **ret,
                      mcphost_error **reterr);
int goclaw_set_enabled(const struct source *source, const char *server, int enabled,
                       mcphost_error **reterr);

/* ---- calling the tools of a workspace ---------------------------------------------- */

/* A host that has the tools of one workspace and no servers. */
struct goclaw {
    mcphost *host;
    mcphost_dialog *dialog;
};

/* Makes the host.  Call goclaw_end() also after a failure.  Returns 0 or MCPHOST_E_*. */
int goclaw_begin(struct goclaw *goclaw, const char *directory, mcphost_error **reterr);
void goclaw_end(struct goclaw *goclaw);
/* Calls a tool and takes over `arguments`.  *ret gets the tool's answer.  Returns 0 or
 * MCPHOST_E_*.  MCPHOST_E_CONFIG means that the tool reports a failure. */
int goclaw_ask(struct goclaw *goclaw, const char *tool, json_t *arguments, json_t **ret,
               mcphost_error **reterr);

/* Returns true if the source is a workspace of goclaw. */
int is_goclaw(const struct source *source);

#endif
