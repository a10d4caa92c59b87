/* SPDX-License-Identifier: MIT
 *
 * providers.h - checks tool definitions against the rules that providers of models
 * publish.
 */
#ifndef TESTS_SUPPORT_PROVIDERS_H
#define TESTS_SUPPORT_PROVIDERS_H

#include <jansson.h>

#include <mcphost/mcphost.h>

/* Returns the part of a tool's definition that has the member `name`.  Works for
 * definitions of any shape (MCPHOST_SHAPE_*).  The reference is borrowed. */
json_t *provrig_function(json_t *tool);
/* Returns the number of profiles.  MCPHOST_PROFILE_* are 0 to this number minus 1. */
int provider_profiles(void);
/* Returns a shape (MCPHOST_SHAPE_*) with which the profile can be combined. */
int provider_shape(int profile);
/* Fails the test if the model provider of this profile (MCPHOST_PROFILE_*) would refuse
 * the function. */
void provider_takes(int profile, json_t *function);

#endif
