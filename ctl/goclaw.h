/* SPDX-License-Identifier: MIT
 *
 * goclaw.h - workspaces of goclaw, as profiles.c and skills.c need them.
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

/* ---- what the tools of a workspace say --------------------------------------------- */

/* A host that has the tools of one workspace and no servers. */
struct goclaw {
    mcphost *host;
    mcphost_dialog *dialog;
};

/* Call goclaw_end() in any case.  0 or MCPHOST_E_*. */
int goclaw_begin(struct goclaw *goclaw, const char *directory, mcphost_error **reterr);
void goclaw_end(struct goclaw *goclaw);
/* Calls a tool; takes over the arguments.  *ret is the tool's answer.  0 or MCPHOST_E_*:
 * CONFIG where the tool answers that it did not succeed. */
int goclaw_ask(struct goclaw *goclaw, const char *tool, json_t *arguments, json_t **ret,
               mcphost_error **reterr);

/* Whether the source is such a workspace. */
int is_goclaw(const struct source *source);

#endif
