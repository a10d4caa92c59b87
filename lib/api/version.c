/* SPDX-License-Identifier: MIT
 *
 * version.c - the parts with which the library was built.
 *
 * A build may leave out some folders of lib/, or parts of them.  Each of these folders
 * except lib/transport has a constant that is true if the build has the whole folder.
 * Otherwise the file absent.c of the folder defines the constant as false.
 * mcph_net_is_built also says whether the build has the HTTP transport of lib/transport.
 */
#include "auth/auth.h"
#include "net/net.h"
#include "plugins/plugins.h"
#include "profile/profile.h"
#include "schema/schema.h"
#include "serve/serve.h"

#include <mcphost/version.h>

int
mcphost_has_part(int part)
{
    switch (part) {
    case MCPHOST_PART_HTTP:
        return mcph_net_is_built;
    case MCPHOST_PART_AUTH:
        return mcph_auth_is_built;
    case MCPHOST_PART_SERVING:
        return mcph_serve_is_built;
    case MCPHOST_PART_SCHEMA:
        return mcph_schema_is_built;
    case MCPHOST_PART_PROFILES:
        return mcph_profile_has_all;
    case MCPHOST_PART_PLUGINS:
        return mcph_plugins_is_built;
    default:
        return 0;
    }
}
