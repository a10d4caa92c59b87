/* SPDX-License-Identifier: MIT
 *
 * mcpservers.c - the public functions of <mcphost/mcpservers.h>.
 */
#include <stdlib.h>

#include "host/host.h"
#include "profile/profile.h"

#include <mcphost/mcpservers.h>

int
mcphost_mcpservers_load(const char *data, size_t len, const char *file,
                        const char *workspace, unsigned transports,
                        mcphost_config **ret_config, mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if ((!data && len > 0) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (transports == 0 || (transports & ~mcph_transports_known()))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the set of transports is empty or has unknown ones");
    if (data)
        return mcph_mcpservers_parse(data, len, file ? file : "<memory>", workspace,
                                     transports, ret_config, reterr);
    if ((file && !*file) || (workspace && !*workspace))
        return mcph_err(reterr, MCPHOST_E_INVALID, "the path is empty");
    r = mcph_mcpservers_reader_new(file, workspace, &reader, reterr);
    return r < 0 ? r : mcph_config_reader_once(reader, transports, ret_config, reterr);
}

int
mcphost_mcpservers_follow(mcphost_source *source, const char *workspace, const char *file,
                          mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    char *path = NULL;
    int r = 0;

    if (!source || !workspace || !*workspace || (file && !*file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    /* Make the path absolute, because an absolute path stays valid if the process changes
     * its working directory. */
    if (file)
        r = mcph_profile_workspace(file, &path, reterr);
    if (r == 0)
        r = mcph_mcpservers_reader_new(path, workspace, &reader, reterr);
    free(path);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}
