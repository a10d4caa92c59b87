/* SPDX-License-Identifier: MIT
 *
 * goclaw.c - the public functions of <mcphost/goclaw.h>.
 */
#include "host/host.h"
#include "profile/profile.h"

#include <mcphost/goclaw.h>

static bool
is_empty(const char *path)
{
    return path && !*path;
}

static int
check_arguments(const char *workspace, uint64_t flags, uint64_t known,
                mcphost_error **reterr)
{
    if (!workspace || !*workspace)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the workspace is NULL or empty");
    if (flags & ~known)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "this function does not know one of the flags");
    return 0;
}

int
mcphost_goclaw_load(const char *workspace, const char *file, uint64_t flags,
                    unsigned transports, mcphost_config **ret_config,
                    mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r = check_arguments(workspace, flags, MCPHOST_GOCLAW_ANY_VERSION, reterr);

    if (r < 0)
        return r;
    if (is_empty(file) || !ret_config)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    if (transports == 0 || (transports & ~mcph_transports_known()))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the set of transports is empty or has unknown ones");
    r = mcph_goclaw_source_new(file, workspace, flags, &reader, reterr);
    return r < 0 ? r : mcph_config_reader_once(reader, transports, ret_config, reterr);
}

int
mcphost_goclaw_follow(mcphost_source *source, const char *workspace, const char *file,
                      uint64_t flags, mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r = check_arguments(workspace, flags, MCPHOST_GOCLAW_ANY_VERSION, reterr);

    if (r < 0)
        return r;
    if (!source || is_empty(file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    r = mcph_goclaw_source_new(file, workspace, flags, &reader, reterr);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_goclaw_load_subagent(mcphost_source *source, const char *workspace,
                             const char *workdir, const char *file, uint64_t flags,
                             mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r = check_arguments(workspace, flags,
                            MCPHOST_GOCLAW_ANY_VERSION | MCPHOST_GOCLAW_CONFINED, reterr);

    if (r < 0)
        return r;
    if (!source || is_empty(workdir) || is_empty(file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    r = mcph_goclaw_subagent_new(workspace, workdir, file, flags, &reader, reterr);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_goclaw_make_skills_json(const char *workspace, const char *workdir,
                                const char *skills_dir, const char *role, uint64_t flags,
                                char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    int r = check_arguments(workspace, flags, MCPHOST_GOCLAW_WITH_DISABLED, reterr);

    if (r < 0)
        return r;
    if (!ret_json || is_empty(workdir) || is_empty(role))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    return mcph_goclaw_make_skills_json(workspace, workdir, skills_dir, role, flags,
                                        ret_json, ret_len, reterr);
}

int
mcphost_goclaw_builtins_new(const char *workspace, const char *skills_dir, uint64_t flags,
                            mcphost_builtins **ret_builtins, mcphost_error **reterr)
{
    int r =
        check_arguments(workspace, flags,
                        MCPHOST_GOCLAW_SHOW_SECRETS | MCPHOST_GOCLAW_ANY_VERSION, reterr);

    if (r < 0)
        return r;
    if (!ret_builtins)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_goclaw_builtins_new(workspace, skills_dir, flags, ret_builtins, reterr);
}
