/* SPDX-License-Identifier: MIT
 *
 * settings.c - the configuration of a provider: its defaults, overridden by its settings.
 *
 * The defaults and the settings are two objects.  The objects do not change after the
 * start.  Each read of the configuration merges the objects.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "provide/inner.h"

#define TEXT_MAX  ((size_t)1024 * 1024)
#define DEPTH_MAX 64
#define MASKED    "***"

/* ---- setting the configuration ----------------------------------------------------- */

static int
set_object(mcphost_provider *provider, json_t **place, struct mcph_span json,
           const char *what, mcphost_error **reterr)
{
    json_t *made, *old;
    int r;

    if (json.len > TEXT_MAX)
        return mcph_err(reterr, MCPHOST_E_LIMIT, "%s are longer than %zu bytes", what,
                        TEXT_MAX);
    r = mcph_json_load(json, DEPTH_MAX, what, NULL, 0, &made, reterr);
    if (r < 0)
        return r;
    r = mcph_provider_enter_new(provider);
    if (r < 0) {
        json_decref(made);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    old = *place;
    *place = made;
    mcph_core_leave(provider->core);
    json_decref(old);
    return 0;
}

int
mcph_provider_set_defaults(mcphost_provider *provider, struct mcph_span json,
                           mcphost_error **reterr)
{
    return set_object(provider, &provider->defaults, json, "the defaults of a provider",
                      reterr);
}

int
mcph_provider_set_config(mcphost_provider *provider, struct mcph_span json,
                         mcphost_error **reterr)
{
    return set_object(provider, &provider->config, json, "the settings of a provider",
                      reterr);
}

/* ---- reading the configuration ----------------------------------------------------- */

/* Returns the defaults, overridden by the settings.  Returns NULL if memory is short. */
static json_t *
merge_settings(const json_t *defaults, json_t *config)
{
    json_t *merged = defaults ? json_deep_copy(defaults) : json_object();

    if (merged && config && json_object_update_recursive(merged, config) < 0) {
        json_decref(merged);
        return NULL;
    }
    return merged;
}

int
mcph_provider_dup_config(mcphost_provider *provider, const char *path, char **ret_json,
                         size_t *ret_len)
{
    int r = mcph_core_enter_closed(provider->core);
    char *names, *rest, *name;
    const json_t *value;
    struct mcph_buf buf;
    json_t *merged;

    if (r < 0)
        return r;
    merged = merge_settings(provider->defaults, provider->config);
    mcph_core_leave(provider->core);
    value = merged;
    names = rest = mcph_strdup(path);
    r = merged && names ? 0 : MCPHOST_E_NOMEM;
    while (r == 0 && *rest) {
        name = rest;
        rest += strcspn(rest, ".");
        if (*rest)
            *rest++ = '\0';
        value = json_object_get(value, name);
        r = value ? 0 : MCPHOST_E_NOTFOUND;
    }
    if (r == 0) {
        mcph_buf_init(&buf, 4 * TEXT_MAX);
        mcph_json_add_tree(&buf, value);
        r = mcph_buf_give(&buf, ret_json, ret_len);
    }
    json_decref(merged);
    free(names);
    return r;
}

/* Replaces the values of all members that have secret names
 * (mcph_mask_is_secret_name()), at any depth.  Returns 0, or -1 if memory is short. */
static int
mask_secrets(json_t *value)
{
    const char *name;
    json_t *inner;
    size_t i;
    int r = 0;

    json_array_foreach(value, i, inner)
    {
        if (r == 0)
            r = mask_secrets(inner);
    }
    json_object_foreach(value, name, inner)
    {
        if (r == 0)
            r = mcph_mask_is_secret_name(name)
                    ? json_object_set_new(value, name, json_string(MASKED))
                    : mask_secrets(inner);
    }
    return r;
}

void
mcph_provider_log_config(mcphost_provider *provider)
{
    json_t *config = provider->config, *merged, *shown;
    struct mcph_buf buf;

    if (!provider->defaults && !config)
        return;
    if (provider->config_shown)
        config = provider->config_shown;
    mcph_buf_init(&buf, 4 * TEXT_MAX);
    merged = merge_settings(provider->defaults, config);
    shown = json_deep_copy(merged); /* mask a copy, because `merged` shares parts with
                                     * the settings */
    if (shown && mask_secrets(shown) == 0)
        mcph_json_add_tree(&buf, shown);
    mcph_log(provider->core, MCPHOST_LOG_INFO, "provide", provider->id,
             "its configuration: %s",
             buf.len == 0 || mcph_buf_ok(&buf) < 0 ? "?" : mcph_buf_text(&buf));
    mcph_buf_done(&buf);
    json_decref(merged);
    json_decref(shown);
}
