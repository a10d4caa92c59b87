/* SPDX-License-Identifier: MIT
 *
 * keyring.h - a fake secret-tool(1), the program with which mcphostctl uses the keyring.
 */
#ifndef TESTS_SUPPORT_KEYRING_H
#define TESTS_SUPPORT_KEYRING_H

#include "support/rig.h"

/* The file that mcphostctl locks while mcphostctl writes to the keyring, if
 * $XDG_STATE_HOME is the directory `state` of the workspace. */
#define KEYRING_FENCE "state/mcphost/secret-service.lock"

/* Makes the fake secret-tool in the directory `bin` of the workspace.  The fake keeps its
 * items in bin/items. */
void keyring_up(struct rig_workspace *ws);
/* Sets the behaviour of the fake secret-tool:
 *   works    no fault
 *   fail     each command fails with a message
 *   hang     each command begins with a pause of 60 s
 *   flood    each command prints 2,000,000 bytes
 *   deaf     `store` fails without a message
 *   locked   `search` prints an item without its secret; other commands fail */
void keyring_set_mode(struct rig_workspace *ws, const char *mode);

#endif
