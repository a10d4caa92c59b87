/* SPDX-License-Identifier: MIT
 *
 * spec.c - one server as every source describes it.
 *
 * Filled by one thread, then sealed; a sealed spec is immutable and shared.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

struct mcph_spec *
mcph_spec_new(const char *id, const char *source)
{
    struct mcph_spec *spec = calloc(1, sizeof(*spec));

    if (!spec)
        return NULL;
    mcph_refs_init(&spec->refs);
    spec->start_timeout_ms = spec->list_timeout_ms = spec->call_timeout_ms = -1;
    spec->connect_timeout_ms = spec->idle_timeout_ms = -1;
    spec->arguments = spec->results = -1;
    spec->id = mcph_strdup(id);
    spec->source = mcph_strdup(source);
    if (!spec->id || !spec->source)
        return mcph_spec_unref(spec);
    return spec;
}

struct mcph_spec *
mcph_spec_ref(struct mcph_spec *spec)
{
    if (spec)
        mcph_refs_get(&spec->refs);
    return spec;
}

struct mcph_spec *
mcph_spec_unref(struct mcph_spec *spec)
{
    if (!spec || !mcph_refs_put(&spec->refs))
        return NULL;
    free(spec->id);
    free(spec->source);
    free(spec->file);
    free(spec->command);
    for (size_t i = 0; i < spec->n_args; i++)
        free(spec->args[i]);
    free(spec->args);
    mcph_values_done(&spec->env);
    free(spec->cwd);
    free(spec->url);
    mcph_values_done(&spec->headers);
    free(spec->session_id);
    mcph_values_done(&spec->proxy);
    mcph_values_done(&spec->key_password);
    free(spec->manual);
    free(spec->ca_file);
    free(spec->ca_dir);
    free(spec->client_cert);
    free(spec->client_key);
    mcph_filter_unref(spec->filter);
    mcph_transform_unref(spec->transform);
    free(spec);
    return NULL;
}

int
mcph_spec_add_arg(struct mcph_spec *spec, const char *arg)
{
    char **args = mcph_reallocarray(spec->args, spec->n_args + 2, sizeof(*args));

    if (!args)
        return MCPHOST_E_NOMEM;
    spec->args = args;
    args[spec->n_args] = mcph_strdup(arg);
    if (!args[spec->n_args])
        return MCPHOST_E_NOMEM;
    args[++spec->n_args] = NULL;
    return 0;
}
