/* SPDX-License-Identifier: MIT
 *
 * conf.h - helpers for tests about configurations.
 */
#ifndef TESTS_SUPPORT_CONF_H
#define TESTS_SUPPORT_CONF_H

#include "config/config.h"

/* What the Dominds profile makes of `text` in the workspace /ws.  The test
 * fails when there is no object. */
mcphost_config *conf_load(const char *text);

/* The same for the keys of one server `x`: each line of `body` is indented
 * below it.  The first line of `body` is line 4 of the file. */
mcphost_config *conf_load_server(const char *body);

/* The spec of a valid server; the test fails when it is not valid. */
const struct mcph_spec *conf_spec(const mcphost_config *config, const char *id);

/* All diagnostics, one a line: "4:7 error servers.x.args: ...\n".  Lives until
 * the next call. */
const char *conf_diags(const mcphost_config *config);

/* The variables of a test's environment: pairs of name and value, then NULL. */
const char *conf_lookup(const char *name, void *pairs);

#endif
