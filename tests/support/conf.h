/* SPDX-License-Identifier: MIT
 *
 * conf.h - helpers for tests about configurations.
 */
#ifndef TESTS_SUPPORT_CONF_H
#define TESTS_SUPPORT_CONF_H

#include "config/config.h"

/* The configuration that the Dominds profile parses from `text`, in the workspace /ws.
 * The test fails if there is none. */
mcphost_config *conf_load(const char *text);

/* The same for the entry of one server `x`, whose keys are the lines of `body`.  Each
 * line is indented.  The first line of `body` is line 4 of the file. */
mcphost_config *conf_load_server(const char *body);
/* The same, where the policy allows `transports` (MCPHOST_ALLOW_*, or'ed). */
mcphost_config *conf_load_server_over(unsigned transports, const char *body);

/* The spec of a server.  The test fails if the server is missing or not valid. */
const struct mcph_spec *conf_spec(const mcphost_config *config, const char *id);

/* All diagnostics, one a line, e.g. "4:7 error servers.x.args: ...\n".  The next call
 * overwrites the text. */
const char *conf_diags(const mcphost_config *config);

/* A lookup function for environment variables: `pairs` is an array of names and values in
 * turn, and ends with NULL. */
const char *conf_lookup(const char *name, void *pairs);

#endif
