/* SPDX-License-Identifier: MIT
 *
 * provider.c - the public functions of <mcphost/provider.h>.
 */
#include <string.h>

#include "api/getter.h"
#include "host/native.h"
#include "host/request.h"
#include "provide/provide.h"

static int
refuse_null(mcphost_error **reterr)
{
    return mcph_err(reterr, MCPHOST_E_INVALID, "an argument is NULL");
}

static int
code_error(int r, mcphost_error **reterr)
{
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

static bool
is_feature(int feature)
{
    return feature >= MCPHOST_FEATURE_TOOL && feature <= MCPHOST_FEATURE_PROMPT;
}

int
mcphost_provider_new(mcphost_source *source, const char *id,
                     mcphost_provider **ret_provider, mcphost_error **reterr)
{
    if (!source || !id || !ret_provider)
        return refuse_null(reterr);
    return mcph_native_new(source, id, ret_provider, reterr);
}

int
mcphost_provider_new_in_view(mcphost_view *view, const char *id,
                             mcphost_provider **ret_provider, mcphost_error **reterr)
{
    if (!view || !id || !ret_provider)
        return refuse_null(reterr);
    if (!mcph_view_is_layered(view))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the view only has a grant on the default view; use "
                        "mcphost_view_new_layered()");
    return mcph_native_new_in_view(view, id, ret_provider, reterr);
}

mcphost_provider *
mcphost_provider_ref(mcphost_provider *provider)
{
    return mcph_provider_ref(provider);
}

mcphost_provider *
mcphost_provider_unref(mcphost_provider *provider)
{
    return mcph_provider_unref(provider);
}

MCPH_GETTER(const char *, mcphost_provider_get_id, const mcphost_provider *, self->id)

/* ---- before the start -------------------------------------------------------------- */

int
mcphost_provider_set_about(mcphost_provider *provider, const char *json, size_t len,
                           mcphost_error **reterr)
{
    if (!provider || !json)
        return refuse_null(reterr);
    return mcph_provider_set_about(provider, mcph_span(json, len), reterr);
}

int
mcphost_provider_set_life(mcphost_provider *provider, mcphost_setup_fn setup,
                          mcphost_teardown_fn teardown, void *arg,
                          mcphost_free_fn free_arg)
{
    if (provider && !provider->plugin)
        return mcph_provider_set_life(provider, setup, teardown, arg, free_arg);
    if (free_arg)
        free_arg(arg);
    return provider ? MCPHOST_E_STATE : MCPHOST_E_INVALID;
}

int
mcphost_provider_set_defaults(mcphost_provider *provider, const char *json, size_t len,
                              mcphost_error **reterr)
{
    if (!provider || !json)
        return refuse_null(reterr);
    return mcph_provider_set_defaults(provider, mcph_span(json, len), reterr);
}

int
mcphost_provider_set_config(mcphost_provider *provider, const char *json, size_t len,
                            mcphost_error **reterr)
{
    if (!provider || !json)
        return refuse_null(reterr);
    if (provider->plugin)
        return code_error(MCPHOST_E_STATE, reterr);
    return mcph_provider_set_config(provider, mcph_span(json, len), reterr);
}

int
mcphost_provider_dup_config(mcphost_provider *provider, const char *path, char **ret_json,
                            size_t *ret_len)
{
    size_t len;
    int r;

    if (!provider || !path || !ret_json)
        return MCPHOST_E_INVALID;
    r = mcph_provider_dup_config(provider, path, ret_json, &len);
    if (r == 0 && ret_len)
        *ret_len = len;
    return r;
}

/* ---- features ---------------------------------------------------------------------- */

int
mcphost_provider_add(mcphost_provider *provider, int feature, const char *definition,
                     size_t len, mcphost_provide_fn fn, void *arg,
                     mcphost_free_fn free_arg, mcphost_error **reterr)
{
    struct mcph_feature *made = NULL;
    int r;

    if (!provider || !definition || !fn || !is_feature(feature)) {
        if (free_arg)
            free_arg(arg);
        return is_feature(feature) ? refuse_null(reterr)
                                   : mcph_err(reterr, MCPHOST_E_INVALID,
                                              "the feature %d does not exist", feature);
    }
    r = mcph_provider_check_kind(provider, feature, reterr);
    if (r < 0) {
        if (free_arg)
            free_arg(arg);
        return r;
    }
    r = mcph_feature_new(feature, mcph_span(definition, len), fn, arg, free_arg, &made,
                         reterr);
    return r < 0 ? r : code_error(mcph_provider_add(provider, made), reterr);
}

int
mcphost_provider_remove(mcphost_provider *provider, int feature, const char *name)
{
    if (!provider || !name || !is_feature(feature))
        return MCPHOST_E_INVALID;
    return mcph_provider_remove(provider, feature, mcph_span_str(name));
}

int
mcphost_provider_set_completion(mcphost_provider *provider, int feature, const char *name,
                                mcphost_provide_fn fn, void *arg,
                                mcphost_free_fn free_arg)
{
    if (provider && name && fn &&
        (feature == MCPHOST_FEATURE_PROMPT || feature == MCPHOST_FEATURE_TEMPLATE))
        return mcph_provider_set_completion(provider, feature, mcph_span_str(name), fn,
                                            arg, free_arg);
    if (free_arg)
        free_arg(arg);
    return MCPHOST_E_INVALID;
}

/* ---- events, start and close ------------------------------------------------------- */

int
mcphost_provider_updated(mcphost_provider *provider, const char *uri)
{
    if (!provider || !uri)
        return MCPHOST_E_INVALID;
    return mcph_provider_updated(provider, mcph_span_str(uri));
}

int
mcphost_provider_log(mcphost_provider *provider, int level, const char *logger,
                     const char *data, size_t len)
{
    if (!provider || !data || level < MCPHOST_MESSAGES_DEBUG ||
        level > MCPHOST_MESSAGES_EMERGENCY || (logger && !mcph_utf8_is_text(logger)))
        return MCPHOST_E_INVALID;
    return mcph_provider_log(provider, level,
                             logger ? mcph_span_str(logger) : MCPH_SPAN_NONE,
                             mcph_span(data, len));
}

int
mcphost_provider_start(mcphost_provider *provider)
{
    if (!provider)
        return MCPHOST_E_INVALID;
    return provider->plugin ? MCPHOST_E_STATE : mcph_native_start(provider);
}

int
mcphost_provider_close(mcphost_provider *provider)
{
    if (!provider)
        return MCPHOST_E_INVALID;
    return provider->plugin ? MCPHOST_E_STATE : mcph_native_close(provider);
}

int
mcphost_provider_set_sampler(mcphost_provider *provider, mcphost_sampler_fn fn, void *arg,
                             mcphost_free_fn free_arg, mcphost_error **reterr)
{
    int r;

    if (!provider || !fn)
        r = refuse_null(reterr);
    else if (provider->plugin != MCPHOST_PLUGIN_SAMPLING)
        r = mcph_err(reterr, MCPHOST_E_INVALID,
                     "only a plugin of the kind 'sampling' can set a sampler");
    else
        r = mcph_sampler_lend(mcph_native_host(provider), provider, fn, arg, free_arg,
                              reterr);
    if (r < 0 && free_arg)
        free_arg(arg);
    return r;
}

int
mcphost_provider_request_sampling(mcphost_provider_call *call, const char *params,
                                  size_t len, mcphost_answered_fn fn, void *arg,
                                  mcphost_free_fn free_arg, mcphost_error **reterr)
{
    return mcphost_provider_call_ask(call, MCPHOST_REQUEST_SAMPLING, params, len, fn, arg,
                                     free_arg, reterr);
}
