/* SPDX-License-Identifier: MIT
 *
 * builtin.h - tools of the application and of our own.
 */
#ifndef MCPH_HOST_BUILTIN_H
#define MCPH_HOST_BUILTIN_H

#include "catalog/catalog.h"

#include <mcphost/mcphost.h>

/* ---- built-in tools (builtin.c, admin.c) ------------------------------------------- */

struct mcph_builtin_def {
    char *toolset, *name, *description, *schema;
    char *about_toolset;   /* of a toolset's first tool: the toolset's description */
    mcphost_builtin_fn fn; /* the application's, by delivery */
    void *arg;
    mcphost_free_fn free_arg;
    void (*own)(mcphost_call *call); /* or one of ours, at once */
};

/* Before load, from any thread. */
int mcph_builtin_declare(mcphost *host, const char *toolset, const char *name,
                         const char *description, const char *schema,
                         const struct mcph_builtin_def *how, mcphost_error **reterr);
/* Describes a toolset of the application's; NULL: takes its description away.  Before
 * load, from any thread. */
int mcph_builtins_describe(mcphost *host, const char *toolset, const char *text,
                           mcphost_error **reterr);
/* MCPHOST_OPT_ADMIN_TOOLS: puts our own toolset into the catalog, or takes it out.
 * Before load, from any thread.  0, MCPHOST_E_EXISTS (the application has one of its
 * names), MCPHOST_E_STATE, MCPHOST_E_NOMEM, MCPHOST_E_CLOSED, MCPHOST_E_FORKED. */
int mcph_builtins_offer_own(mcphost *host, bool on);
void mcph_builtins_done(mcphost *host);

#define MCPH_ADMIN_TOOLSET "mcp_admin"

/* The toolset's block.  0, MCPHOST_E_NOMEM. */
int mcph_admin_new_block(mcphost *host, struct mcph_block **ret);

/* ---- what a model may set (settable.c) --------------------------------------------- */

/* NULL, or why env_set and env_unset must not touch this variable; from dispatch. */
const char *mcph_settable_refuse(const mcphost *host, const char *name);
/* As mcphost_set_admin_env(). */
int mcph_settable_set(mcphost *host, const char *const *refused,
                      const char *const *allowed);
void mcph_settable_done(mcphost *host);

#endif
