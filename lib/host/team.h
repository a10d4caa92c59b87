/* SPDX-License-Identifier: MIT
 *
 * team.h - the team file: the tools that each member may see and call.
 */
#ifndef MCPH_HOST_TEAM_H
#define MCPH_HOST_TEAM_H

#include "loop/loop.h"
#include "config/config.h"

#include <mcphost/mcphost.h>

struct mcph_team_source;

/* ---- the team (team.c) ------------------------------------------------------------- */

int mcph_team_init(mcphost *host);
/* mcph_team_begin() starts to follow the team file of the source.  If the function
 * returns 0, the host owns the source.  mcph_team_get_view() gets a member's view.  Any
 * thread may call these functions. */
int mcph_team_begin(mcphost *host, struct mcph_team_source *source);
int mcph_team_get_view(mcphost *host, const char *member, mcphost_view **ret);
/* Reads the team file again.  If `only_if_changed` is true, reads the file only if it has
 * changed.  Only the dispatcher may call this. */
void mcph_team_reload(mcphost *host, bool only_if_changed);
void mcph_team_done(mcphost *host);

#endif
