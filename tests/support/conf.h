/* SPDX-License-Identifier: MIT
 *
 * conf.h - helpers for tests about configurations.
 */
#ifndef TESTS_SUPPORT_CONF_H
#define TESTS_SUPPORT_CONF_H

#include "config/config.h"

/* Parses `text` in the Dominds profile, in the workspace /ws, and returns the
 * configuration.  The test fails if there is no configuration. */
mcphost_config *conf_load(const char *text);

/* Parses a file with the entry of one server `x`.  The function indents each line of
 * `body` as a part of the entry.  The first line of `body` is line 4 of the file. */
mcphost_config *conf_load_server(const char *body);
/* Does what conf_load_server() does, with a policy that allows `transports`
 * (a set of the bits MCPHOST_ALLOW_*). */
mcphost_config *conf_load_server_over(unsigned transports, const char *body);

/* Returns the spec of a server.  The test fails if the server is missing or not valid. */
const struct mcph_spec *conf_spec(const mcphost_config *config, const char *id);

/* Returns all diagnostics, one per line, e.g. "4:7 error servers.x.args: ...\n".  The
 * next call overwrites the text. */
const char *conf_diags(const mcphost_config *config);

/* Looks up an environment variable.  `pairs` is an array of alternating names and values
 * that ends with NULL. */
const char *conf_lookup(const char *name, void *pairs);

#endif
