/* SPDX-License-Identifier: MIT
 *
 * providers.h - what providers of models publish about tools, as checks.
 */
#ifndef TESTS_SUPPORT_PROVIDERS_H
#define TESTS_SUPPORT_PROVIDERS_H

#include <jansson.h>

#include <mcphost/mcphost.h>

/* The part of a projected tool that has its name, whatever the shape; borrowed. */
json_t *provrig_function(json_t *tool);
/* Fails the test when the provider behind MCPHOST_PROFILE_* would refuse the function. */
void provider_takes(int profile, json_t *function);

#endif
