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
int goclaw_set_enabled(struct ctl *ctl, const struct source *source, const char *server,
                       int enabled, int *ret_changed);

/* ---- what the tools of a workspace say --------------------------------------------- */

/* A host that has the tools of one workspace and no servers. */
struct goclaw {
    mcphost *host;
    mcphost_dialog *dialog;
};

/* Call goclaw_end() in any case.  0 or, told, a status. */
int goclaw_begin(struct ctl *ctl, struct goclaw *goclaw, const char *directory);
void goclaw_end(struct goclaw *goclaw);
/* Calls a tool; takes over the arguments.  *ret is the tool's answer, also where that is
 * `success: false`.  0 or, told, a status. */
int goclaw_call(struct ctl *ctl, struct goclaw *goclaw, const char *tool,
                json_t *arguments, json_t **ret);
/* The same; an answer that is no success is told, and is the status `failed`. */
int goclaw_ask(struct ctl *ctl, struct goclaw *goclaw, const char *tool,
               json_t *arguments, int failed, json_t **ret);

/* Whether the source is such a workspace. */
int is_goclaw(const struct source *source);

#endif
