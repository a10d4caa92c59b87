/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - the public face of the profile `goclaw`.
 */
#include "host/host.h"
#include "profile/profile.h"

#include <mcphost/goclaw.h>

int
mcphost_goclaw_load(const char *workspace, const char *file, unsigned transports,
                    mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if (!workspace || !*workspace || (file && !*file) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    if (transports == 0 || (transports & ~mcph_transports_known()))
        return mcph_err(reterr, MCPHOST_E_INVALID, "no transports, or unknown ones");
    r = mcph_goclaw_source_new(file, workspace, &reader, reterr);
    return r < 0 ? r : mcph_config_reader_once(reader, transports, ret_config, reterr);
}

int
mcphost_goclaw_follow(mcphost_source *source, const char *workspace, const char *file,
                      mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if (!source || !workspace || !*workspace || (file && !*file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    r = mcph_goclaw_source_new(file, workspace, &reader, reterr);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_goclaw_builtins_new(const char *workspace, const char *skills_dir,
                            int show_secrets, mcphost_builtins **ret_builtins,
                            mcphost_error **reterr)
{
    if (!workspace || !*workspace || !ret_builtins)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    return mcph_goclaw_builtins_new(workspace, skills_dir, show_secrets != 0,
                                    ret_builtins, reterr);
}
