/* SPDX-License-Identifier: MIT
 *
 * source.c - the public functions of <mcphost/source.h>.
 */
#include <stdlib.h>

#include "api/getter.h"
#include "host/host.h"
#include "profile/profile.h"

static mcphost *
host_of(const mcphost_source *source)
{
    return source->ws->owner;
}

MCPH_GETTER(mcphost_source *, mcphost_default_source, mcphost *, self->source)

int
mcphost_source_new(mcphost *host, const char *id, mcphost_source **ret_source,
                   mcphost_error **reterr)
{
    if (!host || !id || !ret_source)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    return mcph_host_add_source(host, id, ret_source, reterr);
}

/* Takes a reference to the source.  For the default source, takes a reference to the
 * memory of the host, because the default source lives as long as this memory.  All other
 * sources count their own references. */
mcphost_source *
mcphost_source_ref(mcphost_source *source)
{
    if (source && !source->id)
        mcph_host_get_mem(host_of(source));
    else
        mcph_source_ref(source);
    return source;
}

mcphost_source *
mcphost_source_unref(mcphost_source *source)
{
    if (source && !source->id)
        mcph_host_put_mem(host_of(source));
    else
        mcph_source_unref(source);
    return NULL;
}

MCPH_GETTER(const char *, mcphost_source_get_id, const mcphost_source *, self->id)

/* ---- policies ---------------------------------------------------------------------- */

static bool
is_policy(int option)
{
    const struct mcph_option *row = mcph_option_find(option);

    return row && (row->flags & MCPH_OPTION_OF_SOURCE);
}

int
mcphost_source_set_policy(mcphost_source *source, int policy, int64_t value,
                          mcphost_error **reterr)
{
    int r;

    if (!source)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
    if (!is_policy(policy))
        return mcph_err(reterr, MCPHOST_E_INVALID, "option %d is not a policy of sources",
                        policy);
    r = mcph_option_check(policy, value, reterr);
    if (r < 0)
        return r;
    r = mcph_host_enter(host_of(source));
    if (r < 0)
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    if (source->frozen || source->leaving)
        r = mcph_err(reterr, MCPHOST_E_STATE, "the source is already loaded");
    else
        source->realm.policies[policy] = value;
    mcph_core_leave(source->core);
    return r;
}

int
mcphost_source_get_policy(mcphost_source *source, int policy, int64_t *ret_value)
{
    int r;

    if (!source || !is_policy(policy) || !ret_value)
        return MCPHOST_E_INVALID;
    r = mcph_core_enter_closed(source->core);
    if (r < 0)
        return r;
    *ret_value = mcph_source_policy(source, policy);
    mcph_core_leave(source->core);
    return 0;
}

int
mcphost_source_set_name_fn(mcphost_source *source, mcphost_name_fn fn, void *arg,
                           mcphost_free_fn free_arg)
{
    int r = MCPHOST_E_INVALID;

    if (source)
        r = mcph_host_set_namer(source, fn, arg, free_arg);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

/* ---- configurations ---------------------------------------------------------------- */

int
mcphost_source_load(mcphost_source *source, mcphost_config *config)
{
    return source && config ? mcph_host_load(source, config) : MCPHOST_E_INVALID;
}

int
mcphost_source_follow_workspace(mcphost_source *source, const char *dir, const char *file,
                                mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    char *path = NULL;
    int r = 0;

    if (!source || !dir || !*dir || (file && !*file))
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    /* Make the path absolute, because an absolute path stays valid if the process changes
     * its working directory. */
    if (file)
        r = mcph_profile_workspace(file, &path, reterr);
    if (r == 0)
        r = mcph_dominds_source_new(path, dir, &reader, reterr);
    free(path);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_source_follow_files(mcphost_source *source, const char *workspace,
                            const char *const *files, size_t n_files,
                            mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if (!source || !workspace || !*workspace || !files)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    r = mcph_many_reader_new(files, n_files, workspace, &reader, reterr);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_source_follow_dir(mcphost_source *source, const char *workspace, const char *dir,
                          mcphost_error **reterr)
{
    struct mcph_config_reader *reader;
    int r;

    if (!source || !workspace || !*workspace || !dir || !*dir)
        return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL or empty");
    r = mcph_dir_reader_new(dir, workspace, &reader, reterr);
    return r < 0 ? r : mcph_host_follow_reader(source, reader, reterr);
}

int
mcphost_source_reload(mcphost_source *source)
{
    return source ? mcph_host_order(source, MCPH_ORDER_RELOAD, NULL) : MCPHOST_E_INVALID;
}

int
mcphost_source_restart_server(mcphost_source *source, const char *server_id)
{
    return source && server_id ? mcph_host_order(source, MCPH_ORDER_RESTART, server_id)
                               : MCPHOST_E_INVALID;
}

int
mcphost_source_set_server_enabled(mcphost_source *source, const char *server_id,
                                  int enabled)
{
    enum mcph_order what = enabled ? MCPH_ORDER_ENABLE : MCPH_ORDER_DISABLE;

    return source && server_id ? mcph_host_order(source, what, server_id)
                               : MCPHOST_E_INVALID;
}

int
mcphost_source_remove(mcphost_source *source)
{
    return source ? mcph_host_remove_source(source) : MCPHOST_E_INVALID;
}
