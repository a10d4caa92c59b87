/* SPDX-License-Identifier: MIT
 *
 * chatos.c - the public functions of <mcphost/chatos.h> and <mcphost/chatos_run.h>.
 */
#include "api/getter.h"
#include "host/host.h"
#include "profile/profile.h"

static int
refuse_argument(mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL, empty or not valid");
}

static bool
is_flow(int flow)
{
    return flow == MCPHOST_CHATOS_MAIN || flow == MCPHOST_CHATOS_SUB;
}

int
mcphost_chatos_new(mcphost *host, mcphost_chatos **ret_chatos, mcphost_error **reterr)
{
    return host && ret_chatos ? mcph_chatos_new(host, ret_chatos, reterr)
                              : refuse_argument(reterr);
}

MCPH_GETTER(mcphost_chatos *, mcphost_chatos_ref, mcphost_chatos *, mcph_chatos_ref(self))

mcphost_chatos *
mcphost_chatos_unref(mcphost_chatos *chatos)
{
    if (chatos)
        mcph_chatos_unref(chatos);
    return NULL;
}

int
mcphost_chatos_set_dir(mcphost_chatos *chatos, int dir, const char *path,
                       mcphost_error **reterr)
{
    if (!chatos || dir < MCPHOST_CHATOS_PLUGINS || dir > MCPHOST_CHATOS_SESSION ||
        (path && !*path))
        return refuse_argument(reterr);
    return mcph_chatos_set_dir(chatos, dir, path, reterr);
}

int
mcphost_chatos_set_flags(mcphost_chatos *chatos, uint64_t flags)
{
    if (!chatos ||
        (flags & ~(uint64_t)(MCPHOST_CHATOS_SUBSTITUTE | MCPHOST_CHATOS_IDENTITY |
                             MCPHOST_CHATOS_BARE | MCPHOST_CHATOS_ANY_ID)))
        return MCPHOST_E_INVALID;
    return mcph_chatos_set_flags(chatos, flags);
}

int
mcphost_chatos_set_admin(mcphost_chatos *chatos, const char *json, size_t len,
                         mcphost_error **reterr)
{
    return chatos && json ? mcph_chatos_set_admin(chatos, json, len, reterr)
                          : refuse_argument(reterr);
}

int
mcphost_chatos_scan(mcphost_chatos *chatos, mcphost_chatos_scan_fn done, void *arg,
                    mcphost_free_fn free_arg)
{
    if (chatos)
        return mcph_chatos_begin_scan(chatos, done, arg, free_arg);
    if (free_arg)
        free_arg(arg);
    return MCPHOST_E_INVALID;
}

int
mcphost_chatos_wait(mcphost_chatos *chatos, int64_t timeout_ms)
{
    return chatos ? mcph_chatos_wait(chatos, timeout_ms) : MCPHOST_E_INVALID;
}

int
mcphost_chatos_list_apps(mcphost_chatos *chatos, char **ret_json, size_t *ret_len,
                         mcphost_error **reterr)
{
    return chatos && ret_json ? mcph_chatos_list_apps(chatos, ret_json, ret_len, reterr)
                              : refuse_argument(reterr);
}

int
mcphost_chatos_get_contribution(mcphost_chatos *chatos, const char *plugin,
                                const char *app, char **ret_json, size_t *ret_len,
                                mcphost_error **reterr)
{
    if (!chatos || !plugin || !app || !ret_json)
        return refuse_argument(reterr);
    return mcph_chatos_contribution(chatos, plugin, app, ret_json, ret_len, reterr);
}

int
mcphost_chatos_get_config(mcphost_chatos *chatos, int flow, mcphost_config **ret_config,
                          mcphost_error **reterr)
{
    if (!chatos || !is_flow(flow) || !ret_config)
        return refuse_argument(reterr);
    return mcph_chatos_get_config(chatos, flow, ret_config, reterr);
}

int
mcphost_chatos_follow(mcphost_chatos *chatos, mcphost_source *source, int flow,
                      mcphost_error **reterr)
{
    if (!chatos || !source || !is_flow(flow))
        return refuse_argument(reterr);
    return mcph_chatos_follow(chatos, source, flow, reterr);
}

/* ---- runs -------------------------------------------------------------------------- */

int
mcphost_chatos_check_record(const char *json, size_t len, mcphost_error **reterr)
{
    return json ? mcph_chatos_check_record(json, len, reterr) : refuse_argument(reterr);
}

int
mcphost_chatos_inject(mcphost_chatos *chatos, mcphost_view *view, const char *record,
                      size_t len, int flow, const char *language,
                      mcphost_chatos_run **ret_run, mcphost_error **reterr)
{
    if (!chatos || !view || !record || !is_flow(flow) || !ret_run)
        return refuse_argument(reterr);
    return mcph_chatos_inject(chatos, view, record, len, flow, language, ret_run, reterr);
}

const char *
mcphost_chatos_run_get_json(const mcphost_chatos_run *run, size_t *ret_len)
{
    return run ? mcph_chatos_run_json(run, ret_len) : NULL;
}

int
mcphost_chatos_run_end(mcphost_chatos_run *run)
{
    return run ? mcph_chatos_run_end(run) : MCPHOST_E_INVALID;
}

MCPH_GETTER(mcphost_chatos_run *, mcphost_chatos_run_ref, mcphost_chatos_run *,
            mcph_chatos_run_ref(self))

mcphost_chatos_run *
mcphost_chatos_run_unref(mcphost_chatos_run *run)
{
    if (run)
        mcph_chatos_run_unref(run);
    return NULL;
}

/* ---- storage ----------------------------------------------------------------------- */

int
mcphost_chatos_sync(mcphost_chatos *chatos, mcphost_chatos_put_fn put, void *arg,
                    mcphost_error **reterr)
{
    return chatos && put ? mcph_chatos_sync(chatos, put, arg, reterr)
                         : refuse_argument(reterr);
}
