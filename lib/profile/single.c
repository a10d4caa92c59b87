/* SPDX-License-Identifier: MIT
 *
 * single.c - a configuration that is one command line: no file, no keys.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define SOURCE "command"

static int
make_spec(const char *id, const char *const *argv, const char *workspace,
          struct mcph_spec **ret_spec)
{
    struct mcph_spec *spec = mcph_spec_new(id, SOURCE);
    int r = 0;

    if (!spec)
        return MCPHOST_E_NOMEM;
    spec->transport = MCPHOST_TRANSPORT_STDIO;
    spec->command = mcph_profile_command(workspace, argv[0]);
    spec->cwd = mcph_strdup(workspace);
    if (!spec->command || !spec->cwd)
        r = MCPHOST_E_NOMEM;
    for (size_t i = 1; r == 0 && argv[i]; i++)
        r = mcph_spec_add_arg(spec, argv[i]);
    if (r == 0)
        r = mcph_spec_seal(spec);
    if (r < 0)
        mcph_spec_unref(spec);
    else
        *ret_spec = spec;
    return r;
}

int
mcph_profile_stdio(const char *id, const char *const *argv, const char *workspace,
                   mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_server *server;
    mcphost_config *config = NULL;
    char *dir = NULL;
    int r;

    r = mcph_profile_workspace(workspace, &dir, reterr);
    if (r < 0)
        return r;
    r = MCPHOST_E_NOMEM;
    config = mcph_config_new(SOURCE, NULL, "<command>", dir);
    if (!config)
        goto out;
    server = mcph_config_add_server(config, id, 0, 0);
    if (!server)
        goto out;
    server->transport = MCPHOST_TRANSPORT_STDIO;
    r = make_spec(id, argv, dir, &server->spec);
    if (r < 0)
        goto out;
    *ret_config = config;
    config = NULL;
out:
    if (r < 0)
        mcph_err_nomem(reterr);
    mcph_config_unref(config);
    free(dir);
    return r;
}
