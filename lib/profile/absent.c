/* SPDX-License-Identifier: MIT
 *
 * absent.c - functions in place of the profiles of other programs (ChatOS, goclaw and
 * mcpServers), for a build with --disable-profiles.
 */
#include "profile/profile.h"

const bool mcph_profile_has_all = false;

int
mcph_chatos_follow(mcphost_chatos *chatos, mcphost_source *source, int flow,
                   mcphost_error **reterr)
{
    (void)chatos;
    (void)source;
    (void)flow;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_get_config(mcphost_chatos *chatos, int flow, mcphost_config **ret,
                       mcphost_error **reterr)
{
    (void)chatos;
    (void)flow;
    (void)ret;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_check_record(const char *json, size_t len, mcphost_error **reterr)
{
    (void)json;
    (void)len;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                   size_t len, int flow, const char *language, mcphost_chatos_run **ret,
                   mcphost_error **reterr)
{
    (void)chatos;
    (void)view;
    (void)record;
    (void)len;
    (void)flow;
    (void)language;
    (void)ret;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_run_end(mcphost_chatos_run *run)
{
    (void)run;
    return mcph_err_unsupported(NULL, "profiles of other programs");
}

const char *
mcph_chatos_run_json(const mcphost_chatos_run *run, size_t *ret_len)
{
    (void)run;
    (void)ret_len;
    return NULL;
}

mcphost_chatos_run *
mcph_chatos_run_ref(mcphost_chatos_run *run)
{
    (void)run;
    return NULL;
}

void
mcph_chatos_run_unref(mcphost_chatos_run *run)
{
    (void)run;
}

int
mcph_chatos_begin_scan(mcphost_chatos *chatos, mcphost_chatos_scan_fn done, void *arg,
                       mcphost_free_fn free_arg)
{
    (void)chatos;
    (void)done;
    (void)arg;
    (void)free_arg;
    return mcph_err_unsupported(NULL, "profiles of other programs");
}

int
mcph_chatos_contribution(mcphost_chatos *chatos, const char *plugin, const char *app,
                         char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    (void)chatos;
    (void)plugin;
    (void)app;
    (void)ret_json;
    (void)ret_len;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_list_apps(mcphost_chatos *chatos, char **ret_json, size_t *ret_len,
                      mcphost_error **reterr)
{
    (void)chatos;
    (void)ret_json;
    (void)ret_len;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_new(mcphost *host, mcphost_chatos **ret, mcphost_error **reterr)
{
    (void)host;
    (void)ret;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

mcphost_chatos *
mcph_chatos_ref(mcphost_chatos *chatos)
{
    (void)chatos;
    return NULL;
}

int
mcph_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                      mcphost_error **reterr)
{
    (void)chatos;
    (void)json;
    (void)len;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_set_dir(mcphost_chatos *chatos, int dir, const char *path,
                    mcphost_error **reterr)
{
    (void)chatos;
    (void)dir;
    (void)path;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags)
{
    (void)chatos;
    (void)flags;
    return mcph_err_unsupported(NULL, "profiles of other programs");
}

void
mcph_chatos_unref(mcphost_chatos *chatos)
{
    (void)chatos;
}

int
mcph_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms)
{
    (void)chatos;
    (void)timeout_ms;
    return mcph_err_unsupported(NULL, "profiles of other programs");
}

int
mcph_chatos_sync(mcphost_chatos *chatos, mcphost_chatos_put_fn put, void *arg,
                 mcphost_error **reterr)
{
    (void)chatos;
    (void)put;
    (void)arg;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_goclaw_source_new(const char *file, const char *workspace, uint64_t flags,
                       struct mcph_config_reader **ret_source, mcphost_error **reterr)
{
    (void)file;
    (void)workspace;
    (void)flags;
    (void)ret_source;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_goclaw_make_skills_json(const char *workspace, const char *workdir,
                             const char *skills_dir, const char *role, uint64_t flags,
                             char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    (void)workspace;
    (void)workdir;
    (void)skills_dir;
    (void)role;
    (void)flags;
    (void)ret_json;
    (void)ret_len;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_goclaw_subagent_new(const char *workspace, const char *workdir, const char *file,
                         uint64_t flags, struct mcph_config_reader **ret_source,
                         mcphost_error **reterr)
{
    (void)workspace;
    (void)workdir;
    (void)file;
    (void)flags;
    (void)ret_source;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_goclaw_builtins_new(const char *workspace, const char *skills_dir, uint64_t flags,
                         mcphost_builtins **ret, mcphost_error **reterr)
{
    (void)workspace;
    (void)skills_dir;
    (void)flags;
    (void)ret;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_mcpservers_parse(const char *data, size_t len, const char *name,
                      const char *workspace, unsigned transports,
                      mcphost_config **ret_config, mcphost_error **reterr)
{
    (void)data;
    (void)len;
    (void)name;
    (void)workspace;
    (void)transports;
    (void)ret_config;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}

int
mcph_mcpservers_reader_new(const char *file, const char *workspace,
                           struct mcph_config_reader **ret, mcphost_error **reterr)
{
    (void)file;
    (void)workspace;
    (void)ret;
    return mcph_err_unsupported(reterr, "profiles of other programs");
}
